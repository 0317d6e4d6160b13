package java

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// typeInfo is what the extractor keeps of a type that is open.
type typeInfo struct {
	name        facts.Str
	iface       bool // members are public and, but for methods, static
	compactFile bool // see compactFile
	node        syntax.ID
	fields      []fieldInfo
	methods     map[string]bool // names of declared methods without and with parameters, as name/n
	ctors       int
	callables   []facts.DeclID // with parameters
	compact     bool
	marks       marks
	record      facts.Span        // its components, in File.Params
	routes      []string          // prefixes of the paths of its routes
	holds       map[string]string // constant fields with string values
	built       *mark             // the annotation of a constructor that may ask for a builder
	builtOf     facts.Span        // the parameters of that, in File.Params
}

// fieldInfo is a field as generated members need it.
type fieldInfo struct {
	decl          facts.DeclID
	name          string
	static, final bool
	value         bool
	marks         marks
}

// modifiers reads the modifiers at node i, which may be None, and adds the
// annotations among them, whose expressions it puts on ids.
type modifiers struct {
	vis                                    graph.Visibility
	flags                                  graph.Flags
	static, final, abstract, deflt, native bool
	marks                                  marks
	node                                   syntax.ID
}

// marks are the simple names of annotations.
type marks []mark

type mark struct {
	name string
	node syntax.ID
	expr facts.ExprID
}

func (m marks) has(names ...string) *mark {
	for i := range m {
		for _, n := range names {
			if m[i].name == n {
				return &m[i]
			}
		}
	}
	return nil
}

func (e *extractor) modifiers(i syntax.ID) modifiers {
	m := modifiers{vis: graph.Package, node: i}
	if i == syntax.None {
		return m
	}
	for c := i + 1; c < e.nodes[i].Next; c = e.nodes[c].Next {
		if e.class(c) == classAnnotation {
			x := e.annotation(c)
			name := ""
			if n := e.child(c, fieldName); n != syntax.None {
				name = e.plainName(n)
				name = name[strings.LastIndexByte(name, '.')+1:]
			}
			m.marks = append(m.marks, mark{name, c, x})
			if name == "Deprecated" {
				m.flags |= graph.FlagDeprecated
			}
			continue
		}
		switch string(e.t.Text(c)) {
		case "public":
			m.vis = graph.Public
		case "protected":
			m.vis = graph.Protected
		case "private":
			m.vis = graph.Private
		case "static":
			m.static = true
			m.flags |= graph.FlagStatic
		case "final":
			m.final = true
			m.flags |= graph.FlagFinal
		case "abstract":
			m.abstract = true
			m.flags |= graph.FlagAbstract
		case "default":
			m.deflt = true
		case "native":
			m.native = true
			m.flags |= graph.FlagNoBody
		}
	}
	return m
}

// markList stores the annotations as those of d.
func (e *extractor) markList(d facts.DeclID, m marks) {
	base := len(e.ids)
	for _, a := range m {
		if e.b.Exprs[a.expr].Op == facts.OpMark {
			e.ids = append(e.ids, int32(a.expr))
		}
	}
	e.b.Decls[d].Marks = e.endList(base)
}

// outer returns what is known of the innermost open type.
func (e *extractor) outer() *typeInfo { return e.types[e.typ] }

var typeKinds = map[class]graph.Kind{classClass: graph.KindClass, classRecord: graph.KindRecord, classInterface: graph.KindInterface,
	classAnnotationType: graph.KindAnnotation, classEnum: graph.KindEnum}

// typeDecl adds a class, record, interface, annotation type or enum.
func (e *extractor) typeDecl(i syntax.ID) {
	name := e.child(i, fieldName)
	if e.str(name) == 0 || e.depth >= maxDepth {
		e.unparsed(i)
		return
	}
	k := e.class(i)
	d := e.declare(typeKinds[k], name, i)
	e.depth++
	defer func() { e.depth-- }()
	local := e.bodies > 0
	if local {
		e.b.Decls[d].Traits |= facts.TraitLocal
		e.b.Bind(e.b.AddLocal(facts.Local{Name: e.str(name), Kind: facts.LocalType, Decl: d, Type: none, Value: none, Next: none}))
		e.b.Decls[d].Locals = facts.Span{Lo: int32(len(e.b.Locals)), Hi: int32(len(e.b.Locals))}
	}
	restore := e.openType(d, i, k == classInterface || k == classAnnotationType)
	info := e.types[d]
	m := e.modifiers(e.childOf(i, classModifiers))
	info.marks = m.marks
	e.markList(d, m.marks)
	if o := e.types[e.b.Decls[d].Parent]; e.b.Decls[d].Parent != none && o != nil && !local {
		if o.iface {
			m.vis = graph.Public
			m.flags |= graph.FlagStatic
		} else if k != classClass {
			m.flags |= graph.FlagStatic
		}
	}
	if local {
		m.vis = graph.Private
	}
	if k == classInterface || k == classAnnotationType {
		m.flags |= graph.FlagAbstract
	}
	if k == classRecord || k == classEnum {
		m.flags |= graph.FlagFinal
	}
	p := &e.b.Decls[d]
	p.Vis, p.Flags = m.vis, p.Flags|m.flags
	info.routes = e.routePaths(m.marks, nil)
	e.typeParams(d, e.child(i, fieldTypeParams))
	base := len(e.ids)
	if s := e.child(i, fieldSuperclass); s != syntax.None {
		t := e.typeExpr(e.t.FirstNamed(s))
		e.ids = append(e.ids, int32(t))
	}
	if k == classInterface {
		e.typeList(e.childOf(i, classInterfaces))
		e.b.Decls[d].Bases = e.endList(base)
	} else {
		e.b.Decls[d].Bases = e.endList(base)
		e.typeList(e.childOf(i, classInterfaces))
		e.b.Decls[d].Implements = e.endList(base)
	}
	e.typeList(e.child(i, fieldPermits))
	e.ids = e.ids[:base]
	if k == classRecord {
		e.components(d, e.child(i, fieldParameters))
	}
	members := len(e.members)
	if body := e.child(i, fieldBody); body != syntax.None {
		e.body(d, body)
	}
	if !local && e.b.Decls[d].Parent == none {
		e.strays(i)
	}
	e.synthesize(d)
	e.distinguish(info)
	e.b.EndDecl(d)
	e.document(d, i)
	e.hashType(d, i, e.members[members:])
	e.members = e.members[:members]
	e.signType(d, i)
	restore()
}

// strays adds the members that a syntax error has put behind the end of the
// top-level type at node i, to the type that is open.
func (e *extractor) strays(i syntax.ID) {
	if e.nodes[0].Flags&syntax.HasError == 0 {
		return
	}
	for c := e.nodes[i].Next; int(c) < len(e.nodes); c = e.nodes[c].Next {
		switch e.class(c) {
		case classMethod:
			e.members = append(e.members, c)
			e.method(c, false)
		case classLocal:
			e.members = append(e.members, c)
			e.field(c)
		case classComment:
		case classError:
			if e.src[e.nodes[c].Start] == '}' {
				e.resume = e.nodes[c].Next
				return
			}
		default:
			return
		}
		e.resume = e.nodes[c].Next
	}
}

// openType makes d the type whose members are read, in a scope of its own, and
// returns what ends it.
func (e *extractor) openType(d facts.DeclID, node syntax.ID, iface bool) func() {
	owner, typ, function, result, bodies := e.owner, e.typ, e.function, e.result, e.bodies
	e.owner, e.typ, e.function, e.result, e.bodies = d, d, none, none, 0
	e.types[d] = &typeInfo{name: e.b.Decls[d].Name, iface: iface, node: node, methods: map[string]bool{}, holds: map[string]string{}}
	e.b.Push()
	return func() {
		e.b.Pop()
		delete(e.types, d)
		e.owner, e.typ, e.function, e.result, e.bodies = owner, typ, function, result, bodies
	}
}

// anonymous adds the body of an anonymous class that extends or implements the
// type base, or of a constant of an enum.
func (e *extractor) anonymous(i, body syntax.ID, base facts.ExprID) {
	if e.depth >= maxDepth {
		e.unparsed(i)
		return
	}
	d := e.declare(graph.KindClass, syntax.None, i)
	p := &e.b.Decls[d]
	p.Traits |= facts.TraitAnonymous | facts.TraitLocal
	p.Flags |= graph.FlagAnonymous
	p.Bases = e.b.AddSpan([]int32{int32(base)})
	e.depth++
	restore := e.openType(d, i, false)
	members := len(e.members)
	e.body(d, body)
	e.members = e.members[:members]
	e.b.EndDecl(d)
	restore()
	e.depth--
}

// typeList adds the types of an extends, implements, permits or throws clause
// and puts them on ids.
func (e *extractor) typeList(i syntax.ID) {
	if i == syntax.None {
		return
	}
	for c := range e.t.NamedChildren(i) {
		if e.class(c) == classTypeList {
			e.typeList(c)
			continue
		}
		t := e.typeExpr(c)
		e.ids = append(e.ids, int32(t))
	}
}

// typeParams adds the type parameters of d. Each is in scope in all bounds.
func (e *extractor) typeParams(d facts.DeclID, list syntax.ID) {
	if list == syntax.None {
		return
	}
	base := len(e.params)
	for c := range e.t.NamedChildren(list) {
		if e.class(c) != classTypeParam {
			continue
		}
		name := e.childOf(c, classTypeName)
		s := e.str(name)
		p := facts.Param{Name: s, Type: none, Local: none}
		if s != 0 {
			p.Local = e.b.AddLocal(facts.Local{Name: s, Kind: facts.LocalTypeParam,
				Index: uint16(min(len(e.params)-base, 1<<16-1)), Decl: d, Type: none, Value: none, Next: none})
			e.b.Bind(p.Local)
		}
		e.params = append(e.params, p)
	}
	k := base
	for c := range e.t.NamedChildren(list) {
		if e.class(c) != classTypeParam {
			continue
		}
		if b := e.childOf(c, classTypeBound); b != syntax.None {
			at := len(e.ids)
			for t := range e.t.NamedChildren(b) {
				x := e.typeExpr(t)
				e.ids = append(e.ids, int32(x))
			}
			if len(e.ids) == at {
				continue
			}
			x := facts.ExprID(e.ids[at]) // the first bound is what it is erased to
			if l := e.params[k].Local; l != none {
				e.erased[l] = e.erasure(x, 0)
			}
			if len(e.ids) > at+1 {
				x = e.list(facts.Expr{Op: facts.OpBothType, Flags: facts.FlagTyped, X: none, Y: none}, x, at)
			}
			e.ids = e.ids[:at]
			e.params[k].Type = x
			if l := e.params[k].Local; l != none {
				e.b.Locals[l].Type = x
			}
		}
		k++
	}
	e.b.Decls[d].TypeParams = e.endParams(base)
}

// erasure returns the simple name of what a type is erased to.
func (e *extractor) erasure(x facts.ExprID, arrays int) facts.Str {
	for x != none {
		t := &e.b.Exprs[x]
		switch t.Op {
		case facts.OpSliceType:
			arrays++
			x = t.X
			continue
		case facts.OpIndex:
			x = t.X
			continue
		case facts.OpName, facts.OpSelect:
			name := t.Name
			if t.Op == facts.OpName && t.Flags&facts.FlagLocal != 0 {
				if l := facts.LocalID(t.X); e.b.Locals[l].Kind == facts.LocalTypeParam {
					if name = e.erased[l]; name == 0 {
						name = e.b.InternString("Object")
					}
				}
			}
			if arrays > 0 {
				return e.b.InternString(e.b.Strings[name] + strings.Repeat("[]", min(arrays, 255)))
			}
			return name
		}
		break
	}
	return e.b.InternString("?")
}

// body adds the members of type d.
func (e *extractor) body(d facts.DeclID, body syntax.ID) {
	for c := range e.t.NamedChildren(body) {
		e.member(d, c)
	}
}

func (e *extractor) member(d facts.DeclID, c syntax.ID) {
	switch k := e.class(c); k {
	case classFieldDecl:
		e.members = append(e.members, c)
		e.field(c)
	case classMethod, classElementDecl:
		e.members = append(e.members, c)
		e.method(c, false)
	case classConstructor, classCompact:
		e.members = append(e.members, c)
		e.constructor(c)
	case classClass, classRecord, classInterface, classAnnotationType, classEnum:
		e.members = append(e.members, c)
		e.typeDecl(c)
	case classEnumConstant:
		e.members = append(e.members, c)
		e.enumConstant(d, c)
	case classBlock, classStaticInit:
		e.bodies++
		e.stmt(c)
		e.bodies--
	case classEnumBodyDecls:
		e.body(d, c)
	case classError: // look inside
		for m := range e.t.NamedChildren(c) {
			e.member(d, m)
		}
	}
}

// field adds the fields of one declaration.
func (e *extractor) field(i syntax.ID) {
	o := e.outer()
	first := true
	for c := range e.t.NamedChildren(i) {
		if e.class(c) != classDeclarator {
			continue
		}
		name := e.child(c, fieldName)
		if e.str(name) == 0 {
			continue
		}
		d := e.declare(graph.KindField, name, i)
		owner := e.owner
		e.owner = d
		e.bodies++
		m := e.modifiers(e.childOf(i, classModifiers))
		e.markList(d, m.marks)
		t := e.arrayOf(e.typeExpr(e.child(i, fieldType)), e.dimensions(c))
		p := &e.b.Decls[d]
		p.Type, p.Vis, p.Flags = t, m.vis, p.Flags|m.flags
		if o != nil && o.iface {
			p.Vis, m.static, m.final = graph.Public, true, true
			p.Flags |= graph.FlagStatic | graph.FlagFinal
		}
		v := e.child(c, fieldValue)
		if v != syntax.None {
			x := e.value(v, t)
			e.b.Decls[d].Value = x
			e.flow(facts.FlowDefine, int32(d), 0, x)
			if m.static && m.final && string(e.t.Text(e.child(i, fieldType))) == "String" {
				if c := e.constant(v); c != none {
					e.b.Decls[d].Value = c // the same, with its text
				}
			}
		}
		e.bodies--
		e.owner = owner
		e.b.EndDecl(d)
		if o != nil {
			f := fieldInfo{decl: d, name: e.t.String(name), static: m.static, final: m.final, value: v != syntax.None, marks: m.marks}
			o.fields = append(o.fields, f)
			if s, ok := e.stringValue(v); ok && m.final {
				o.holds[f.name] = s
			}
		}
		e.document(d, i)
		e.hashCode(d, m.node, v)
		e.signField(d, i, name)
		if !first {
			continue
		}
		first = false
	}
}

// enumConstant adds a constant of enum d, which calls a constructor.
func (e *extractor) enumConstant(enum facts.DeclID, i syntax.ID) {
	name := e.child(i, fieldName)
	if e.str(name) == 0 {
		return
	}
	d := e.declare(graph.KindEnumMember, name, i)
	owner := e.owner
	e.owner = d
	e.bodies++
	m := e.modifiers(e.childOf(i, classModifiers))
	e.markList(d, m.marks)
	t := e.add(facts.Expr{Op: facts.OpSelf, Flags: facts.FlagTyped, X: none, Y: none}, name)
	base := len(e.ids)
	e.arguments(e.child(i, fieldArguments))
	x := e.list(facts.Expr{Op: facts.OpNew, N: 1, X: t, Y: none}, t, base)
	if b := e.child(i, fieldBody); b != syntax.None {
		e.anonymous(i, b, t)
	}
	e.bodies--
	e.owner = owner
	e.b.EndDecl(d)
	p := &e.b.Decls[d]
	p.Type, p.Value, p.Vis, p.Flags = t, x, graph.Public, p.Flags|m.flags|graph.FlagStatic|graph.FlagFinal
	e.document(d, i)
	e.hashCode(d, m.node, e.child(i, fieldArguments), e.child(i, fieldBody))
	e.text = append(e.text[:0], e.t.Text(name)...)
	e.sign(d)
}

// components adds the components of a record: private final fields, which
// generated accessors read.
func (e *extractor) components(record facts.DeclID, list syntax.ID) {
	if list == syntax.None {
		return
	}
	info := e.types[record]
	base := len(e.params)
	for c := range e.t.NamedChildren(list) {
		name := e.child(c, fieldName)
		if k := e.class(c); k == classSpread {
			if v := e.childOf(c, classDeclarator); v != syntax.None {
				name = e.child(v, fieldName)
			}
		} else if k != classParam {
			continue
		}
		if e.str(name) == 0 {
			continue
		}
		d := e.declare(graph.KindField, name, c)
		owner := e.owner
		e.owner = d
		m := e.modifiers(e.childOf(c, classModifiers))
		e.markList(d, m.marks)
		t, elem, variadic := e.paramType(c)
		e.owner = owner
		e.b.EndDecl(d)
		p := &e.b.Decls[d]
		p.Type, p.Vis, p.Flags = t, graph.Private, p.Flags|m.flags|graph.FlagFinal
		info.fields = append(info.fields, fieldInfo{decl: d, name: e.t.String(name), final: true, marks: m.marks})
		q := facts.Param{Name: e.str(name), Type: elem, Local: none}
		if variadic {
			q.Flags = graph.ParamVariadic
		}
		e.params = append(e.params, q)
		e.hashCode(d, m.node)
		e.text = e.appendTokens(e.text[:0], c+1, e.nodes[c].Next)
		e.sign(d)
	}
	info.record = e.endParams(base)
}
