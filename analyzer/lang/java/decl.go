package java

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// typeInfo is what the extractor keeps of a type that is open.
type typeInfo struct {
	name    facts.Str
	iface   bool // members are public and, but for methods, static
	node    syntax.ID
	fields  []fieldInfo
	methods map[string]bool // names of declared methods without and with parameters, as name/n
	ctors   int
	compact bool
	marks   marks
	record  facts.Span        // its components, in File.Params
	routes  []string          // prefixes of the paths of its routes
	holds   map[string]string // constant fields with string values
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

// paramType adds the type of a parameter, and of its elements where it takes
// any number of arguments.
func (e *extractor) paramType(i syntax.ID) (seen, elem facts.ExprID, variadic bool) {
	if e.class(i) != classSpread {
		t := e.arrayOf(e.typeExpr(e.child(i, fieldType)), e.dimensions(i))
		return t, t, false
	}
	t := facts.ExprID(none)
	for c := range e.t.NamedChildren(i) {
		switch e.class(c) {
		case classModifiers, classDeclarator:
		case classAnnotation:
			e.annotation(c)
		default:
			if t == none {
				t = e.typeExpr(c)
			}
		}
	}
	if t == none {
		t = e.nothing(i)
	}
	return e.operation(facts.Expr{Op: facts.OpVariadic, Flags: facts.FlagTyped, X: t, Y: none}, t), t, true
}

// param adds one parameter, brings it into scope and puts it on params.
func (e *extractor) param(i syntax.ID) marks {
	k := e.class(i)
	if k != classParam && k != classSpread {
		return nil
	}
	m := e.modifiers(e.childOf(i, classModifiers))
	name := e.child(i, fieldName)
	if k == classSpread {
		if v := e.childOf(i, classDeclarator); v != syntax.None {
			name = e.child(v, fieldName)
		}
	}
	seen, elem, variadic := e.paramType(i)
	p := facts.Param{Name: e.str(name), Type: elem, Local: none}
	if variadic {
		p.Flags = graph.ParamVariadic
	}
	if name != syntax.None {
		p.Local = e.bind(name, seen, none)
	}
	e.params = append(e.params, p)
	return m.marks
}

// parameters adds the parameters of d, whose syntax is node i, and the text
// that tells it from its overloads.
func (e *extractor) parameters(d facts.DeclID, list syntax.ID) {
	base := len(e.params)
	if list != syntax.None {
		for c := range e.t.NamedChildren(list) {
			e.param(c)
		}
	}
	e.shape(d, e.params[base:])
	e.b.Decls[d].Params = e.endParams(base)
}

func (e *extractor) shape(d facts.DeclID, params []facts.Param) {
	e.b.Decls[d].Shape = e.b.InternString(e.shapeOf(params))
}

// shapeOf returns the erased types of parameters, in parentheses.
func (e *extractor) shapeOf(params []facts.Param) string {
	var b strings.Builder
	b.WriteByte('(')
	for k, p := range params {
		if k > 0 {
			b.WriteByte(',')
		}
		arrays := 0
		if p.Flags&graph.ParamVariadic != 0 {
			arrays = 1
		}
		b.WriteString(e.b.Strings[e.erasure(p.Type, arrays)])
	}
	b.WriteByte(')')
	return b.String()
}

func (e *extractor) throws(d facts.DeclID, i syntax.ID) {
	base := len(e.ids)
	e.typeList(e.childOf(i, classThrows))
	e.b.Decls[d].Throws = e.endList(base)
}

// method adds a method, or an element of an annotation type. Top says that no
// type is around it.
func (e *extractor) method(i syntax.ID, top bool) {
	name := e.child(i, fieldName)
	if e.str(name) == 0 {
		return
	}
	o := e.outer()
	d := e.declare(graph.KindMethod, name, i)
	if top {
		e.b.Decls[d].Kind = graph.KindFunction
	}
	owner, function, result := e.owner, e.function, e.result
	e.owner = d
	e.b.Push()
	m := e.modifiers(e.childOf(i, classModifiers))
	e.markList(d, m.marks)
	e.typeParams(d, e.child(i, fieldTypeParams))
	for c := range e.t.NamedChildren(i) {
		if e.class(c) == classAnnotation { // of the result, behind type parameters
			e.annotation(c)
		}
	}
	res := facts.ExprID(none)
	if t := e.child(i, fieldType); t != syntax.None && e.class(t) != classVoid {
		res = e.arrayOf(e.typeExpr(t), e.dimensions(i))
		base := len(e.params)
		e.params = append(e.params, facts.Param{Type: res, Local: none})
		e.b.Decls[d].Results = e.endParams(base)
	}
	e.parameters(d, e.child(i, fieldParameters))
	e.throws(d, i)
	body := e.child(i, fieldBody)
	p := &e.b.Decls[d]
	p.Vis, p.Flags = m.vis, p.Flags|m.flags
	if o != nil && o.iface {
		if m.vis == graph.Package {
			p.Vis = graph.Public
		}
		if body == syntax.None {
			p.Flags |= graph.FlagAbstract
		}
	}
	if v := e.child(i, fieldValue); v != syntax.None { // the default of an element
		e.expr(v)
	}
	if body != syntax.None {
		e.function, e.result = d, res
		e.bodies++
		e.stmt(body)
		e.bodies--
	}
	e.b.Pop()
	e.owner, e.function, e.result = owner, function, result
	if o != nil {
		o.methods[methodKey(e.t.String(name), e.b.Decls[d].Params.Len())] = true
		e.roles(d, m.marks, e.t.String(name))
	}
	e.b.EndDecl(d)
	e.document(d, i)
	e.hashCode(d, m.node, body, e.child(i, fieldValue))
	e.signCallable(d, i, body)
	if o != nil {
		e.routesOf(d, m.marks, i)
	}
}

func methodKey(name string, params int) string { return name + "/" + string(rune('0'+min(params, 9))) }

// constructor adds a constructor. That of a record without parameters of its
// own has those of the record.
func (e *extractor) constructor(i syntax.ID) {
	name := e.child(i, fieldName)
	if e.str(name) == 0 {
		return
	}
	d := e.declare(graph.KindConstructor, name, i)
	owner, function, result := e.owner, e.function, e.result
	e.owner = d
	e.b.Push()
	m := e.modifiers(e.childOf(i, classModifiers))
	e.markList(d, m.marks)
	e.typeParams(d, e.child(i, fieldTypeParams))
	if e.class(i) == classCompact {
		e.recordParams(d, true)
	} else {
		e.parameters(d, e.child(i, fieldParameters))
	}
	e.throws(d, i)
	p := &e.b.Decls[d]
	p.Vis, p.Flags = m.vis, p.Flags|m.flags
	body := e.child(i, fieldBody)
	e.function, e.result = d, none
	e.bodies++
	e.stmt(body)
	e.bodies--
	e.b.Pop()
	e.owner, e.function, e.result = owner, function, result
	e.b.EndDecl(d)
	if o := e.outer(); o != nil {
		o.ctors++
		o.compact = o.compact || e.class(i) == classCompact
	}
	e.document(d, i)
	e.hashCode(d, m.node, body)
	e.signCallable(d, i, body)
}

// recordParams gives constructor d the components of its record as parameters.
func (e *extractor) recordParams(d facts.DeclID, bind bool) {
	o := e.outer()
	if o == nil {
		return
	}
	base := len(e.params)
	for k := o.record.Lo; k < o.record.Hi; k++ {
		q := e.b.Params[k]
		if bind {
			seen := q.Type
			if q.Flags&graph.ParamVariadic != 0 {
				seen = e.operation(facts.Expr{Op: facts.OpVariadic, Flags: facts.FlagTyped, X: q.Type, Y: none}, q.Type)
			}
			q.Local = e.b.AddLocal(facts.Local{Name: q.Name, Decl: none, Type: seen, Value: none, Next: none})
			e.b.Bind(q.Local)
		}
		e.params = append(e.params, q)
	}
	e.shape(d, e.params[base:])
	e.b.Decls[d].Params = e.endParams(base)
}
