package java

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Plain bodies: they give back a field, or set fields to the parameters. Who
// writes one, and who leaves it to a generator, does the same; so such bodies
// have the hashes of what they do.

// plainHash is the hash of a body by what it does.
func plainHash(does string) (h graph.Hash) {
	sum := sha256.Sum256([]byte(does))
	copy(h[:], sum[:])
	return h
}

func gives(field string) string { return "gives " + field }

// sets says that fields are set to the parameters of their names, in any order,
// and what was set is given back, if it is.
func sets(self bool, fields ...string) string {
	slices.Sort(fields)
	does := "sets " + strings.Join(fields, " ")
	if self {
		does += " and gives itself"
	}
	return does
}

// plainBody returns what the body of callable d does if it is a plain one, or "".
func (e *extractor) plainBody(d facts.DeclID, body syntax.ID) string {
	if body == syntax.None {
		return ""
	}
	params := e.b.Params[e.b.Decls[d].Params.Lo:e.b.Decls[d].Params.Hi]
	constructs := e.b.Decls[d].Kind == graph.KindConstructor
	var fields []string
	self := false
	for c := range e.t.NamedChildren(body) {
		v := e.t.FirstNamed(c)
		if self || v == syntax.None {
			return ""
		}
		switch e.class(c) {
		case classReturn:
			if name := e.ownField(v); name != "" && len(params) == 0 && len(fields) == 0 && e.nodes[c].Next == e.nodes[body].Next-1 {
				return gives(name)
			}
			if self = e.class(v) == classThis; !self {
				return ""
			}
		case classExpressionStatement:
			if e.class(v) != classAssign || e.t.String(e.child(v, fieldOperator)) != "=" {
				return ""
			}
			left, right := e.child(v, fieldLeft), e.child(v, fieldRight)
			name := e.ownField(left)
			if name == "" || right == syntax.None || e.class(right) != classIdentifier || slices.Contains(fields, name) || len(fields) >= len(params) {
				return ""
			}
			value := e.t.String(right)
			if !slices.ContainsFunc(params, func(p facts.Param) bool { return e.b.Strings[p.Name] == value }) ||
				e.class(left) == classIdentifier && value == name || value != name && len(params) > 1 {
				return ""
			}
			fields = append(fields, name)
		default:
			return ""
		}
	}
	if len(fields) != len(params) || len(fields) == 0 && !constructs {
		return ""
	}
	return sets(self, fields...)
}

// ownField returns the name that an expression gives of a field, of this or of
// none, or "".
func (e *extractor) ownField(i syntax.ID) string {
	switch {
	case i == syntax.None:
	case e.class(i) == classIdentifier:
		return e.t.String(i)
	case e.class(i) == classField:
		object, name := e.child(i, fieldObject), e.child(i, fieldField)
		if object != syntax.None && name != syntax.None && e.class(object) == classThis && e.class(name) == classIdentifier {
			return e.t.String(name)
		}
	}
	return ""
}

// plain makes generated callable d what somebody would have written: with the
// types of the fields, and the result, which may be empty.
func (e *extractor) plain(d facts.DeclID, does, result string, fields ...fieldInfo) {
	p := &e.b.Decls[d]
	p.Body = plainHash(does)
	var b strings.Builder
	if result != "" {
		b.WriteString(result + " ")
	}
	b.WriteString(e.b.Strings[p.Name] + "(")
	for i, f := range fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(e.b.Strings[e.b.Decls[f.decl].Signature])
	}
	b.WriteByte(')')
	if b.Len() <= maxText {
		p.Signature = e.b.InternString(b.String())
	}
}

// typeText returns the type of a field as it is written.
func (e *extractor) typeText(f fieldInfo) string {
	return strings.TrimSuffix(e.b.Strings[e.b.Decls[f.decl].Signature], " "+f.name)
}
