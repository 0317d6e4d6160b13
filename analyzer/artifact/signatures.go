package artifact

import (
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

func (d *decoder) decodeSignatures(content []byte) error {
	var size, name, typ, flags, base cursor
	if err := splitColumns(content, &size, &name, &typ, &flags, &base); err != nil {
		return err
	}
	if d.counts.params != uint64(len(flags.b)) || d.counts.bases > uint64(len(base.b)) {
		return errCount
	}
	ok := true
	str := func(id uint64) string {
		s, found := d.str(id)
		ok = ok && found
		return s
	}
	params := make([]graph.Param, d.counts.params)
	for i := range params {
		p := &params[i]
		p.Name = str(name.uint())
		p.Type = str(typ.uint())
		p.Flags = graph.ParamFlags(flags.b[i])
	}
	flags.i = len(flags.b)
	bases := make([]string, d.counts.bases)
	for i := range bases {
		bases[i] = str(base.uint())
	}
	take := func() (ps []graph.Param) {
		n := size.uint()
		if n == 0 || n > uint64(len(params)) {
			ok = false
			return nil
		}
		ps, params = params[:n:n], params[n:]
		return ps
	}
	for i, h := range d.has {
		if h&(hasTypeParams|hasParams|hasResults|hasBases) == 0 {
			continue
		}
		s := &d.nodes[i].Signature
		if h&hasTypeParams != 0 {
			s.TypeParams = take()
		}
		if h&hasParams != 0 {
			s.Params = take()
		}
		if h&hasResults != 0 {
			s.Results = take()
		}
		if h&hasBases != 0 {
			n := size.uint()
			if n == 0 || n > uint64(len(bases)) {
				return errRange
			}
			s.Bases, bases = bases[:n:n], bases[n:]
		}
	}
	if !ok {
		return errRange
	}
	if len(params) > 0 || len(bases) > 0 {
		return errTrailing
	}
	return finish(&size, &name, &typ, &flags, &base)
}

// encodeText makes the section of the long strings, which seldom repeat.
func (e *encoder) encodeText() []byte {
	var sigLen, docLen, sig, doc column
	for i := range e.c.Nodes {
		n := &e.c.Nodes[i]
		sigLen.uint(uint64(len(n.Signature.Text)))
		sig.text(n.Signature.Text)
		docLen.uint(uint64(len(n.Doc)))
		doc.text(n.Doc)
	}
	e.counts.textBytes = uint64(len(sig.b) + len(doc.b))
	return joinColumns(&sigLen, &docLen, &sig, &doc)
}

func (d *decoder) decodeText(content []byte) error {
	var sigLen, docLen, sig, doc cursor
	if err := splitColumns(content, &sigLen, &docLen, &sig, &doc); err != nil {
		return err
	}
	if uint64(len(sig.b)+len(doc.b)) != d.counts.textBytes {
		return errCount
	}
	sigs, docs := string(sig.b), string(doc.b)
	for i := range d.nodes {
		n := &d.nodes[i]
		if k := sigLen.upto(uint64(len(sigs))); k > 0 {
			n.Signature.Text, sigs = sigs[:k], sigs[k:]
		}
		if k := docLen.upto(uint64(len(docs))); k > 0 {
			n.Doc, docs = docs[:k], docs[k:]
		}
	}
	if len(sigs) > 0 || len(docs) > 0 {
		return errTrailing
	}
	return finish(&sigLen, &docLen)
}
