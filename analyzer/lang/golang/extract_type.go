package golang

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// types adds the types of a declaration.
func (e *extractor) types(i syntax.ID, doc comments, local bool) {
	grouped := false
	for c := i + 1; c < e.nodes[i].Next && !grouped; c = e.nodes[c].Next {
		grouped = !e.nodes[c].Named() && string(e.t.Text(c)) == "("
	}
	if grouped {
		doc = comments{behind: e.nodes[i].Row + 1}
	}
	for c := i + 1; c < e.nodes[i].Next; c = e.nodes[c].Next {
		switch k := classOf(e.nodes[c].Kind); k {
		case classComment:
			if grouped {
				doc.add(e, c)
			}
		case classTypeSpec, classTypeAlias:
			def := i
			if grouped {
				def = c
			}
			if local {
				e.localType(c, def, k == classTypeAlias)
			} else {
				e.packageType(c, def, k == classTypeAlias, doc)
			}
			doc = comments{behind: e.endRow(c) + 1}
		}
	}
}

func (e *extractor) packageType(spec, def syntax.ID, alias bool, doc comments) {
	name := e.child(spec, fieldName)
	if e.str(name) == 0 {
		return
	}
	d := e.declare(e.typeKind(spec, alias), name, def, def)
	e.open(d, false)
	base := len(e.members)
	e.typeSpec(d, spec, alias)
	if e.b.Decls[d].Name == e.words.blank {
		e.b.Decls[d].Traits |= facts.TraitFileScoped
	}
	n := e.notes(doc, def, def)
	e.document(d, &n)
	e.hashType(d, &n, spec, e.members[base:])
	e.members = e.members[:base]
	e.signType(d, spec)
	e.close()
}

// localType adds a type that is declared in a body. It is in scope from its
// name on.
func (e *extractor) localType(spec, def syntax.ID, alias bool) {
	name := e.child(spec, fieldName)
	if e.str(name) == 0 {
		return
	}
	owner := e.owner
	d := e.declare(e.typeKind(spec, alias), name, def, def)
	if s := e.b.Decls[d].Name; s != e.words.blank {
		e.b.Bind(e.b.AddLocal(facts.Local{Name: s, Kind: facts.LocalType, Decl: d, Type: none, Value: none, Next: none}))
		// The local counts to the declaration around the type.
		e.b.Decls[d].Locals = facts.Span{Lo: int32(len(e.b.Locals)), Hi: int32(len(e.b.Locals))}
	}
	e.owner = d
	base := len(e.members)
	e.typeSpec(d, spec, alias)
	e.members = e.members[:base]
	e.owner = owner
}

func (e *extractor) typeKind(spec syntax.ID, alias bool) graph.Kind {
	if typ := e.unwrap(e.child(spec, fieldType)); typ != syntax.None && !alias {
		switch classOf(e.nodes[typ].Kind) {
		case classStructType:
			return graph.KindStruct
		case classInterfaceType:
			return graph.KindInterface
		}
	}
	return graph.KindTypeAlias
}

// typeSpec adds the type parameters, members and right-hand side of type d and
// ends it. It puts the nodes of members on members.
func (e *extractor) typeSpec(d facts.DeclID, spec syntax.ID, alias bool) {
	e.b.Push()
	if list := e.child(spec, fieldTypeParams); list != syntax.None {
		e.typeParams(d, list)
	}
	typ := e.unwrap(e.child(spec, fieldType))
	switch e.b.Decls[d].Kind {
	case graph.KindStruct:
		e.structMembers(d, typ)
	case graph.KindInterface:
		e.interfaceMembers(d, typ)
	default:
		x := e.typ(typ)
		p := &e.b.Decls[d]
		p.Type = x
		if alias {
			p.Traits |= facts.TraitAlias
		} else if op := e.b.Exprs[x].Op; op == facts.OpName || op == facts.OpSelect || op == facts.OpIndex {
			p.Traits |= facts.TraitUnderlying
		}
	}
	e.b.Pop()
	e.b.EndDecl(d)
}

// anonymous adds a struct or interface type literal: a declaration of its own
// and the expression that stands for it.
func (e *extractor) anonymous(i syntax.ID, kind graph.Kind) facts.ExprID {
	d := e.declare(kind, syntax.None, i, i)
	p := &e.b.Decls[d]
	p.Traits |= facts.TraitAnonymous
	p.Flags |= graph.FlagAnonymous
	owner, base := e.owner, len(e.members)
	e.owner = d
	if kind == graph.KindStruct {
		e.structMembers(d, i)
	} else {
		e.interfaceMembers(d, i)
	}
	e.owner, e.members = owner, e.members[:base]
	e.b.EndDecl(d)
	return e.add(facts.Expr{Op: facts.OpType, X: facts.ExprID(d), Y: none}, i)
}

func (e *extractor) structMembers(d facts.DeclID, typ syntax.ID) {
	list := syntax.ID(syntax.None)
	for c := range e.t.NamedChildren(typ) {
		if classOf(e.nodes[c].Kind) == classFieldList {
			list = c
		}
	}
	if list == syntax.None {
		return
	}
	base := len(e.ids)
	e.eachSpec(list, classField, func(field syntax.ID, doc comments) {
		e.members = append(e.members, field)
		e.field(field, doc)
	})
	e.b.Decls[d].Bases = e.endList(base)
}

// endList stores what was put on ids from base on.
func (e *extractor) endList(base int) facts.Span {
	span := e.b.AddSpan(e.ids[base:])
	e.ids = e.ids[:base]
	return span
}

// field adds the fields of one field declaration. The type of an embedded field
// is put on ids.
func (e *extractor) field(i syntax.ID, doc comments) {
	typ := e.child(i, fieldType)
	owner := e.owner
	if e.nameCount(i) == 0 {
		name := e.baseName(typ)
		if e.str(name) == 0 {
			return
		}
		d := e.declare(graph.KindField, name, i, i)
		e.b.Decls[d].Traits |= facts.TraitEmbedded
		e.b.Decls[d].Flags |= graph.FlagEmbedded
		e.owner = d
		x := e.typ(typ)
		for c := range e.t.Children(i) {
			if classOf(e.nodes[c].Kind) == classStar {
				x = e.operation(facts.Expr{Op: facts.OpDeref, Flags: facts.FlagTyped, X: x, Y: none}, x)
				break
			}
		}
		e.owner = owner
		e.b.Decls[d].Type = x
		e.ids = append(e.ids, int32(x))
		e.b.EndDecl(d)
		if e.bodies == 0 {
			about := e.notes(doc, i, i)
			e.document(d, &about)
			tag := e.child(i, fieldTag)
			e.hashCode(d, &notes{}, tag)
			end := tag
			if tag == syntax.None {
				end = e.nodes[i].Next
			}
			e.text = e.appendTokens(append(e.text[:0], "field "...), i+1, end)
			e.sign(d)
		}
		return
	}
	about, tag := notes{}, syntax.ID(syntax.None)
	if e.bodies == 0 {
		about, tag = e.notes(doc, i, i), e.child(i, fieldTag)
	}
	first, x := facts.DeclID(none), facts.ExprID(none)
	for _, name := range e.names(i) {
		if e.str(name) == 0 {
			continue
		}
		d := e.declare(graph.KindField, name, i, i)
		if e.b.Decls[d].Name == e.words.blank {
			e.b.Decls[d].Traits |= facts.TraitFileScoped
		}
		e.owner = d
		x = e.repeated(typ, x)
		e.owner = owner
		e.b.Decls[d].Type = x
		e.b.EndDecl(d)
		if e.bodies > 0 {
			continue
		}
		e.document(d, &about)
		if first == none {
			e.hashCode(d, &notes{}, tag)
			first = d
		} else {
			p, q := &e.b.Decls[d], &e.b.Decls[first]
			p.Body, p.Tokens, p.Branches, p.MinHash = q.Body, q.Tokens, q.Branches, q.MinHash
		}
		e.signVariable(d, "field ", name, typ, syntax.None)
	}
}

// baseName returns the node that names the type i, without package, pointer and
// type arguments.
func (e *extractor) baseName(i syntax.ID) syntax.ID {
	for i != syntax.None {
		switch classOf(e.nodes[i].Kind) {
		case classIdentifier:
			return i
		case classQualifiedType:
			i = e.child(i, fieldName)
		case classGenericType:
			i = e.child(i, fieldType)
		case classParen, classPointerType, classNegatedType:
			i = e.t.FirstNamed(i)
		default:
			return syntax.None
		}
	}
	return syntax.None
}

func (e *extractor) interfaceMembers(d facts.DeclID, typ syntax.ID) {
	base := len(e.ids)
	doc := comments{behind: e.nodes[typ].Row + 1}
	for c := typ + 1; c < e.nodes[typ].Next; c = e.nodes[c].Next {
		switch classOf(e.nodes[c].Kind) {
		case classComment:
			doc.add(e, c)
			continue
		case classSemicolon:
			continue
		case classMethodElem:
			e.members = append(e.members, c)
			e.interfaceMethod(c, doc)
		case classTypeElem:
			e.ids = append(e.ids, int32(e.typ(c)))
		}
		doc = comments{behind: e.endRow(c) + 1}
	}
	e.b.Decls[d].Bases = e.endList(base)
}

func (e *extractor) interfaceMethod(i syntax.ID, doc comments) {
	name := e.child(i, fieldName)
	if e.str(name) == 0 {
		return
	}
	d := e.declare(graph.KindMethod, name, i, i)
	e.b.Decls[d].Flags |= graph.FlagAbstract
	owner := e.owner
	e.owner = d
	e.parameters(d, i, false)
	e.owner = owner
	e.b.EndDecl(d)
	if e.bodies > 0 {
		return
	}
	n := e.notes(doc, i, i)
	e.document(d, &n)
	e.text = e.appendTokens(append(e.text[:0], "method "...), i+1, e.nodes[i].Next)
	e.sign(d)
}
