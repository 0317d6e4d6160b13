package artifact

import (
	"math/bits"

	"github.com/codekg/kg/analyzer/graph"
)

// encodeSignatures makes the section of parameters, results and bases, and
// counts them. Lists are in the order of nodes; the section of nodes says who
// has which.
func (e *encoder) encodeSignatures() []byte {
	var size, name, typ, flags, base column
	params := func(ps []graph.Param) {
		if len(ps) == 0 {
			return
		}
		size.uint(uint64(len(ps)))
		e.counts.params += uint64(len(ps))
		for i := range ps {
			name.uint(e.strings.id(ps[i].Name))
			typ.uint(e.strings.id(ps[i].Type))
			flags.byte(byte(ps[i].Flags))
		}
	}
	for i := range e.c.Nodes {
		s := &e.c.Nodes[i].Signature
		params(s.TypeParams)
		params(s.Params)
		params(s.Results)
		if len(s.Bases) > 0 {
			size.uint(uint64(len(s.Bases)))
			e.counts.bases += uint64(len(s.Bases))
			for _, b := range s.Bases {
				base.uint(e.strings.id(b))
			}
		}
	}
	return joinColumns(&size, &name, &typ, &flags, &base)
}

// signatureReader restores what encodeSignatures wrote.
type signatureReader struct {
	size   []uint32
	params []graph.Param
	bases  []string
	bad    bool
}

func (r *signatureReader) open(d *decoder, content []byte) error {
	var size, name, typ, flags, base cursor
	if err := splitColumns(content, &size, &name, &typ, &flags, &base); err != nil {
		return err
	}
	if d.counts.params != uint64(len(flags.b)) {
		return errCount
	}
	lists := 0
	for _, h := range d.fixed.has {
		lists += bits.OnesCount8(h & (hasTypeParams | hasParams | hasResults | hasBases))
	}
	var names, types, bases []uint32
	n := len(flags.b)
	if err := readNumbers(numberColumn{&size, lists, &r.size}, numberColumn{&name, n, &names},
		numberColumn{&typ, n, &types}, numberColumn{&base, int(d.counts.bases), &bases}); err != nil {
		return err
	}
	ok := true
	str := func(id uint32) string {
		s, found := d.str(id)
		ok = ok && found
		return s
	}
	r.params = makeLarge[graph.Param](n)
	for i := range r.params {
		p := &r.params[i]
		p.Name, p.Type, p.Flags = str(names[i]), str(types[i]), graph.ParamFlags(flags.b[i])
	}
	r.bases = make([]string, len(bases))
	for i, id := range bases {
		r.bases[i] = str(id)
	}
	if !ok {
		return errRange
	}
	return nil
}

// take removes the next list from what is left.
func take[T any](r *signatureReader, rest *[]T) []T {
	n := r.size[0]
	r.size = r.size[1:]
	if n == 0 || uint64(n) > uint64(len(*rest)) {
		r.bad = true
		return nil
	}
	list := (*rest)[:n:n]
	*rest = (*rest)[n:]
	return list
}

// next sets the lists that h says node n has. open has counted them.
func (r *signatureReader) next(h byte, n *graph.Node) {
	s := &n.Signature
	if h&hasTypeParams != 0 {
		s.TypeParams = take(r, &r.params)
	}
	if h&hasParams != 0 {
		s.Params = take(r, &r.params)
	}
	if h&hasResults != 0 {
		s.Results = take(r, &r.params)
	}
	if h&hasBases != 0 {
		s.Bases = take(r, &r.bases)
	}
}

func (r *signatureReader) finish() error {
	if r.bad {
		return errRange
	}
	if len(r.params) > 0 || len(r.bases) > 0 {
		return errTrailing
	}
	return nil
}
