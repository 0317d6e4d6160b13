package artifact

import (
	"github.com/codekg/kg/analyzer/graph"
)

// encodeNames makes the section of the strings of each node that repeat or
// follow from its key: name, qualified name, language, type.
//
// A name is 0 when it is the last part of the key, else a string plus one. A
// qualified name is 0 when it is the prefix of the one before with the
// declared part of the key, else 2s+1 for a prefix s, 2s+2 for the whole.
func (e *encoder) encodeNames() []byte {
	var name, qname, lang, typ column
	prefix, lastLang := uint64(0), uint64(0)
	for i := range e.c.Nodes {
		n := &e.c.Nodes[i]
		d := declared(n.Key)
		if n.Name == lastName(d) {
			name.uint(0)
		} else {
			name.uint(1 + e.strings.id(n.Name))
		}
		if p, ok := qnamePrefix(n.QName, d); !ok {
			qname.uint(2*e.strings.id(n.QName) + 2)
		} else if id := e.strings.id(p); id == prefix {
			qname.uint(0)
		} else {
			qname.uint(2*id + 1)
			prefix = id
		}
		l := e.strings.id(n.Lang)
		lang.int(int64(l) - int64(lastLang))
		lastLang = l
		typ.uint(e.strings.id(n.Signature.Type))
	}
	return joinColumns(&name, &qname, &lang, &typ)
}

// qnamePrefix returns what stands before the declared part of the key in a
// qualified name.
func qnamePrefix(qname, declared string) (prefix string, ok bool) {
	n := len(qname) - len(declared)
	if n < 0 || qname[n:] != declared {
		return "", false
	}
	return qname[:n], true
}

// nameReader restores what encodeNames wrote, and the keys and paths.
type nameReader struct {
	d                      *decoder
	name, qname, lang, typ []uint32
	joined                 []byte // qualified names with a prefix, one after the other
	used                   int    // bytes of joined
	prefix                 string
	lastLang               int32
	bad                    bool
}

func (r *nameReader) open(d *decoder, content []byte) error {
	var name, qname, lang, typ cursor
	if err := splitColumns(content, &name, &qname, &lang, &typ); err != nil {
		return err
	}
	n := len(d.fixed.kind)
	r.d = d
	r.joined = makeLarge[byte](int(d.counts.qnameBytes))
	return readNumbers(numberColumn{&name, n, &r.name}, numberColumn{&qname, n, &r.qname},
		numberColumn{&lang, n, &r.lang}, numberColumn{&typ, n, &r.typ})
}

func (r *nameReader) str(id uint32) string {
	s, ok := r.d.str(id)
	r.bad = r.bad || !ok
	return s
}

func (r *nameReader) next(i int, n *graph.Node) {
	n.Key = r.d.keys.at(i)
	decl := declared(n.Key)
	if c := r.name[i]; c == 0 {
		n.Name = lastName(decl)
	} else {
		n.Name = r.str(c - 1)
	}
	c := r.qname[i]
	if c%2 == 1 {
		r.prefix = r.str(c / 2)
	}
	switch {
	case c > 0 && c%2 == 0:
		n.QName = r.str(c/2 - 1)
	case r.prefix == "":
		n.QName = decl
	case r.used+len(r.prefix)+len(decl) > len(r.joined):
		r.bad = true
	default:
		start := r.used
		r.used += copy(r.joined[r.used:], r.prefix)
		r.used += copy(r.joined[r.used:], decl)
		n.QName = stringOf(r.joined[start:r.used]) // is not written again
	}
	ok := true
	r.lastLang = natural(int64(r.lastLang)+unzigzag(r.lang[i]), &ok)
	n.Lang = r.str(uint32(r.lastLang))
	n.Signature.Type = r.str(r.typ[i])
	p, found := r.d.path(r.d.fixed.file[i])
	n.File = p
	r.bad = r.bad || !ok || !found
}

func (r *nameReader) finish() error {
	if r.bad {
		return errRange
	}
	if r.used != len(r.joined) {
		return errTrailing
	}
	return nil
}
