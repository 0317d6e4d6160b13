package java

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

const lombok = "lombok."

func (e *extractor) lombokMark(m marks, names ...string) *mark {
	a := m.has(names...)
	if a == nil || !e.from(a.name, lombok) && !strings.HasPrefix(e.plainName(e.child(a.node, fieldName)), lombok) {
		return nil
	}
	return a
}

func (e *extractor) lombok(d facts.DeclID, o *typeInfo) {
	p := &e.b.Decls[d]
	if p.Kind != graph.KindClass && p.Kind != graph.KindEnum && p.Kind != graph.KindRecord {
		return
	}
	data, value := e.lombokMark(o.marks, "Data") != nil, e.lombokMark(o.marks, "Value") != nil
	getters := data || value || e.lombokMark(o.marks, "Getter") != nil
	setters := data || e.lombokMark(o.marks, "Setter") != nil
	for _, f := range o.fields {
		if p.Kind == graph.KindRecord {
			break
		}
		typ := e.b.Decls[f.decl].Type
		flags := graph.Flags(0)
		if f.static {
			flags = graph.FlagStatic
		}
		boolean := e.b.Exprs[typ].Op == facts.OpName && e.b.Strings[e.b.Exprs[typ].Name] == "boolean"
		how := e.accessors(o, f)
		if get := how.name("get", f.name, boolean); (getters && !f.static || e.lombokMark(f.marks, "Getter") != nil) && !o.methods[methodKey(get, 0)] {
			g := e.generated(graph.KindMethod, get, d, f.decl, flags)
			e.finishGenerated(g, typ)
			e.plain(g, gives(f.name), e.typeText(f))
		}
		if set := how.name("set", f.name, boolean); (setters && !f.static && !f.final || e.lombokMark(f.marks, "Setter") != nil) && !o.methods[methodKey(set, 1)] {
			g := e.generated(graph.KindMethod, set, d, f.decl, flags)
			result, text := facts.ExprID(none), "void"
			if how.chain {
				result, text = e.selfType(), e.b.Strings[o.name]
			}
			e.finishGenerated(g, result, facts.Param{Name: e.b.InternString(f.name), Type: typ, Local: none})
			e.plain(g, sets(how.chain, f.name), text, f)
		}
		if with := accessor("with", f.name, false); !(f.final && f.value) && (e.lombokMark(o.marks, "With") != nil && !f.static || e.lombokMark(f.marks, "With") != nil) && !o.methods[methodKey(with, 1)] {
			g := e.generated(graph.KindMethod, with, d, f.decl, flags)
			e.finishGenerated(g, e.selfType(), facts.Param{Name: e.b.InternString(f.name), Type: typ, Local: none})
		}
	}
	e.lombokConstructors(d, o, data, value)
	if m := e.lombokMark(o.marks, "Builder", "SuperBuilder"); m != nil {
		var parts []part
		for _, f := range o.fields {
			if !f.static && (!f.final || !f.value || f.marks.has("Default") != nil) {
				parts = append(parts, part{f.name, e.b.Decls[f.decl].Type, f.decl, e.lombokMark(f.marks, "Singular")})
			}
		}
		e.builder(d, o, m, parts)
	} else if m := o.built; m != nil && e.lombokMark(marks{*m}, "Builder") != nil {
		var parts []part
		for _, q := range e.b.Params[o.builtOf.Lo:o.builtOf.Hi] {
			parts = append(parts, part{e.b.Strings[q.Name], q.Type, d, nil})
		}
		e.builder(d, o, m, parts)
	}
	if m := e.lombokMark(o.marks, "Slf4j", "Log4j2", "Log4j", "CommonsLog", "Log", "XSlf4j", "JBossLog", "Flogger"); m != nil {
		e.logger(d, m.name)
	}
}

// lombokConstructors adds the constructors that annotations ask for, and the
// static methods that call them where these have a name for one.
func (e *extractor) lombokConstructors(d facts.DeclID, o *typeInfo, data, value bool) {
	if k := e.b.Decls[d].Kind; k != graph.KindClass && k != graph.KindEnum {
		return
	}
	all, required := e.lombokMark(o.marks, "AllArgsConstructor"), e.lombokMark(o.marks, "RequiredArgsConstructor")
	noArgs := e.lombokMark(o.marks, "NoArgsConstructor")
	if o.ctors == 0 && all == nil && required == nil && noArgs == nil {
		builder := e.lombokMark(o.marks, "Builder", "SuperBuilder")
		switch {
		case value:
			all = e.lombokMark(o.marks, "Value")
		case builder != nil:
			all = builder
		case data:
			required = e.lombokMark(o.marks, "Data")
		}
	}
	add := func(m *mark, keep func(f fieldInfo) bool) {
		if m == nil {
			return
		}
		var params []facts.Param
		var fields []fieldInfo
		var names []string
		for _, f := range o.fields {
			if !f.static && keep(f) {
				fields, names = append(fields, f), append(names, f.name)
				params = append(params, facts.Param{Name: e.b.InternString(f.name), Type: e.b.Decls[f.decl].Type, Local: none})
			}
		}
		g := e.generated(graph.KindConstructor, e.b.Strings[o.name], d, d, 0)
		e.finishGenerated(g, none, params...)
		e.plain(g, sets(false, names...), "", fields...)
		name := e.setting(m, "staticName")
		if name == "" {
			name = e.setting(m, "staticConstructor")
		}
		if name != "" {
			e.b.Decls[g].Vis = graph.Private
			g = e.generated(graph.KindMethod, name, d, d, graph.FlagStatic)
			e.finishGenerated(g, e.selfType(), params...)
		}
	}
	add(all, func(f fieldInfo) bool { return !(f.final && f.value) })
	add(required, func(f fieldInfo) bool { return !f.value && (f.final || value || f.marks.has("NonNull") != nil) })
	add(noArgs, func(fieldInfo) bool { return false })
}

// part is what a builder has a method for.
type part struct {
	name     string
	typ      facts.ExprID
	like     facts.DeclID // gives the place
	singular *mark
}

// builder adds what @Builder generates: a nested type with a method for each
// part, and the way to get one.
func (e *extractor) builder(d facts.DeclID, o *typeInfo, m *mark, parts []part) {
	name := cmp.Or(e.setting(m, "builderClassName"), e.b.Strings[o.name]+"Builder")
	t := e.generated(graph.KindClass, name, d, d, graph.FlagStatic)
	p := &e.b.Decls[t]
	p.Signature = e.b.InternString("class " + name)
	named := func(name facts.Str) facts.ExprID {
		return e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagTyped, Name: name, X: none, Y: none})
	}
	self := e.selfType() // seen from inside the builder
	if m.name == "SuperBuilder" {
		e.b.Exprs[self].N = facts.SelfReceiver // builders of subclasses inherit the methods, and chains of calls stay theirs
		e.builderBase(d, t)
	}
	for _, f := range parts {
		typ := f.typ
		if f.singular != nil {
			e.singular(t, self, &f)
			typ = e.qualifiedType("java.util", "Collection")
		}
		g := e.generated(graph.KindMethod, f.name, t, f.like, 0)
		e.finishGenerated(g, self, facts.Param{Name: e.b.InternString(f.name), Type: typ, Local: none})
	}
	g := e.generated(graph.KindMethod, cmp.Or(e.setting(m, "buildMethodName"), "build"), t, d, 0)
	e.finishGenerated(g, named(o.name))
	e.b.EndDecl(t)
	if make := cmp.Or(e.setting(m, "builderMethodName"), "builder"); !o.methods[methodKey(make, 0)] {
		g = e.generated(graph.KindMethod, make, d, d, graph.FlagStatic)
		e.finishGenerated(g, named(e.b.InternString(name)))
	}
	if e.setting(m, "toBuilder") == "true" {
		g = e.generated(graph.KindMethod, "toBuilder", d, d, 0)
		e.finishGenerated(g, named(e.b.InternString(name)))
	}
}

// builderBase makes the builder t of type d extend that of the class which d
// extends: both have to be annotated.
func (e *extractor) builderBase(d, t facts.DeclID) {
	bases := e.b.Decls[d].Bases
	if bases.Len() == 0 {
		return
	}
	x := facts.ExprID(e.b.Lists[bases.Lo])
	if e.b.Exprs[x].Op == facts.OpIndex {
		x = e.b.Exprs[x].X
	}
	if x < 0 || e.b.Exprs[x].Name == 0 {
		return
	}
	name := e.b.InternString(e.b.Strings[e.b.Exprs[x].Name] + "Builder")
	x = e.b.AddExpr(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: name, X: x, Y: none})
	e.b.Decls[t].Bases = e.b.AddSpan([]int32{int32(x)})
}

// singular adds the methods of a builder that add one element to a collection,
// and take all away.
func (e *extractor) singular(builder facts.DeclID, self facts.ExprID, f *part) {
	one := e.setting(f.singular, "value")
	if one == "" {
		switch n := f.name; {
		case strings.HasSuffix(n, "ies"):
			one = n[:len(n)-3] + "y"
		case strings.HasSuffix(n, "sses"), strings.HasSuffix(n, "xes"), strings.HasSuffix(n, "ches"), strings.HasSuffix(n, "shes"):
			one = n[:len(n)-2]
		default:
			one = strings.TrimSuffix(n, "s")
		}
	}
	var params []facts.Param
	if x := &e.b.Exprs[f.typ]; x.Op == facts.OpIndex {
		for _, a := range e.b.List(x.Args) {
			params = append(params, facts.Param{Name: e.b.InternString(one), Type: facts.ExprID(a), Local: none})
		}
	}
	if one != f.name && len(params) > 0 {
		g := e.generated(graph.KindMethod, one, builder, f.like, 0)
		e.finishGenerated(g, self, params...)
	}
	g := e.generated(graph.KindMethod, accessor("clear", f.name, false), builder, f.like, 0)
	e.finishGenerated(g, self)
}

// logger adds the field log.
func (e *extractor) logger(d facts.DeclID, mark string) {
	pkg, name := "org.slf4j", "Logger"
	switch mark {
	case "Log4j2":
		pkg = "org.apache.logging.log4j"
	case "Log4j":
		pkg = "org.apache.log4j"
	case "CommonsLog":
		pkg, name = "org.apache.commons.logging", "Log"
	case "Log":
		pkg = "java.util.logging"
	}
	x := e.qualifiedType(pkg, name)
	g := e.generated(graph.KindField, "log", d, d, graph.FlagStatic|graph.FlagFinal)
	e.b.EndDecl(g)
	p := &e.b.Decls[g]
	p.Type, p.Vis, p.Signature = x, graph.Private, e.b.InternString(name+" log")
}

// qualifiedType adds a type by its package and name.
func (e *extractor) qualifiedType(pkg, name string) facts.ExprID {
	x := facts.ExprID(none)
	for _, part := range strings.Split(pkg+"."+name, ".") {
		s := e.b.InternString(part)
		if x == none {
			x = e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagTyped, Name: s, X: none, Y: none})
		} else {
			x = e.b.AddExpr(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: s, X: x, Y: none})
		}
	}
	return x
}

// setting returns what an annotation says for an element, as a string or as the
// word that it is; "" if it says nothing. The element value may go without name.
func (e *extractor) setting(m *mark, name string) string {
	args := e.child(m.node, fieldArguments)
	if args == syntax.None {
		return ""
	}
	for c := range e.t.NamedChildren(args) {
		v := c
		if e.class(c) == classElementPair {
			if e.t.String(e.child(c, fieldKey)) != name {
				continue
			}
			v = e.child(c, fieldValue)
		} else if name != "value" {
			continue
		}
		if s, ok := e.stringValue(v); ok {
			return s
		}
		if v != syntax.None && e.class(v) == classBool {
			return e.t.String(v)
		}
	}
	return ""
}

// naming says how accessors are named and what setters give back.
type naming struct{ fluent, chain bool }

// accessors returns how the accessors of a field are named: its own annotation
// counts before that of its type.
func (e *extractor) accessors(o *typeInfo, f fieldInfo) naming {
	m := e.lombokMark(f.marks, "Accessors")
	if m == nil {
		m = e.lombokMark(o.marks, "Accessors")
	}
	if m == nil {
		return naming{}
	}
	n := naming{fluent: e.setting(m, "fluent") == "true"}
	n.chain = e.setting(m, "chain") == "true" || n.fluent && e.setting(m, "chain") != "false"
	return n
}

func (n naming) name(prefix, field string, boolean bool) string {
	if n.fluent {
		return field
	}
	return accessor(prefix, field, boolean)
}

// accessor returns the name of a generated accessor.
func accessor(prefix, field string, boolean bool) string {
	if boolean {
		if rest, ok := strings.CutPrefix(field, "is"); ok && rest != "" && !unicode.IsLower(first(rest)) {
			field = rest
		}
		if prefix == "get" {
			prefix = "is"
		}
	}
	r := first(field)
	return prefix + string(unicode.ToUpper(r)) + field[utf8.RuneLen(r):]
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
