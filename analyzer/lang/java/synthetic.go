package java

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Members that are not in the source: the accessors of records, what enums
// have, and what Lombok generates for its annotations. They stand where the
// field or type does that they are generated for.

const lombok = "lombok."

// generated adds a callable that is not in the source. like gives the place.
func (e *extractor) generated(kind graph.Kind, name string, typ, like facts.DeclID, flags graph.Flags) facts.DeclID {
	d := e.b.AddDecl(kind, e.b.InternString(name), typ)
	p, q := &e.b.Decls[d], &e.b.Decls[like]
	p.DefLine, p.Line, p.Col, p.EndLine = q.DefLine, q.Line, q.Col, q.EndLine
	if q.Kind.IsType() {
		p.EndLine = q.Line
	}
	p.Traits |= facts.TraitSynthetic
	p.Flags |= graph.FlagGenerated | flags
	p.Vis = graph.Public
	return d
}

// finishGenerated sets result and parameters of a generated callable.
func (e *extractor) finishGenerated(d facts.DeclID, result facts.ExprID, params ...facts.Param) {
	e.b.EndDecl(d)
	if result != none {
		base := len(e.params)
		e.params = append(e.params, facts.Param{Type: result, Local: none})
		e.b.Decls[d].Results = e.endParams(base)
	}
	e.shape(d, params)
	base := len(e.params)
	e.params = append(e.params, params...)
	e.b.Decls[d].Params = e.endParams(base)
	p := &e.b.Decls[d]
	p.Signature = e.b.InternString(e.b.Strings[p.Name] + e.b.Strings[p.Shape])
}

// selfType adds the type that is open, as an expression without a place in the
// source.
func (e *extractor) selfType() facts.ExprID {
	return e.b.AddExpr(facts.Expr{Op: facts.OpSelf, Flags: facts.FlagTyped, X: none, Y: none})
}

// synthesize adds what is generated for type d after its members were read.
func (e *extractor) synthesize(d facts.DeclID) {
	o := e.types[d]
	switch e.b.Decls[d].Kind {
	case graph.KindRecord:
		for _, f := range o.fields {
			if f.static || o.methods[methodKey(f.name, 0)] {
				continue
			}
			g := e.generated(graph.KindMethod, f.name, d, f.decl, 0)
			e.finishGenerated(g, e.b.Decls[f.decl].Type)
		}
		if !o.compact {
			e.canonical(d)
		}
	case graph.KindEnum:
		e.enumMembers(d)
	}
	if len(o.marks) > 0 || e.imports != nil {
		e.lombok(d, o)
	}
}

// canonical adds the constructor of a record that declares none with the types
// of its components.
func (e *extractor) canonical(d facts.DeclID) {
	o := e.types[d]
	shape := e.shapeOf(e.b.Params[o.record.Lo:o.record.Hi])
	for i := int(d) + 1; i < len(e.b.Decls); i++ {
		if c := &e.b.Decls[i]; c.Parent == d && c.Kind == graph.KindConstructor && e.b.Strings[c.Shape] == shape {
			return
		}
	}
	g := e.generated(graph.KindConstructor, e.b.Strings[o.name], d, d, 0)
	e.b.EndDecl(g)
	e.recordParams(g, false)
}

// enumMembers adds values, valueOf and what they need.
func (e *extractor) enumMembers(d facts.DeclID) {
	self := e.selfType()
	arr := e.arrayOf(self, 1)
	g := e.generated(graph.KindMethod, "values", d, d, graph.FlagStatic)
	e.finishGenerated(g, arr)
	str := e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagTyped, Name: e.b.InternString("String"), X: none, Y: none})
	g = e.generated(graph.KindMethod, "valueOf", d, d, graph.FlagStatic)
	e.finishGenerated(g, self, facts.Param{Name: e.b.InternString("name"), Type: str, Local: none})
}

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
		if get := accessor("get", f.name, boolean); (getters && !f.static || e.lombokMark(f.marks, "Getter") != nil) && !o.methods[methodKey(get, 0)] {
			g := e.generated(graph.KindMethod, get, d, f.decl, flags)
			e.finishGenerated(g, typ)
		}
		if set := accessor("set", f.name, boolean); (setters && !f.static && !f.final || e.lombokMark(f.marks, "Setter") != nil) && !o.methods[methodKey(set, 1)] {
			g := e.generated(graph.KindMethod, set, d, f.decl, flags)
			e.finishGenerated(g, none, facts.Param{Name: e.b.InternString(f.name), Type: typ, Local: none})
		}
		if with := accessor("with", f.name, false); (e.lombokMark(o.marks, "With") != nil && !f.static || e.lombokMark(f.marks, "With") != nil) && !o.methods[methodKey(with, 1)] {
			g := e.generated(graph.KindMethod, with, d, f.decl, flags)
			e.finishGenerated(g, e.selfType(), facts.Param{Name: e.b.InternString(f.name), Type: typ, Local: none})
		}
	}
	all, required := e.lombokMark(o.marks, "AllArgsConstructor") != nil, e.lombokMark(o.marks, "RequiredArgsConstructor") != nil
	noArgs := e.lombokMark(o.marks, "NoArgsConstructor") != nil
	builder := e.lombokMark(o.marks, "Builder", "SuperBuilder") != nil
	if o.ctors == 0 && !all && !required && !noArgs {
		all, required = value || builder, data && !builder
	}
	ctor := func(keep func(f fieldInfo) bool) {
		g := e.generated(graph.KindConstructor, e.b.Strings[o.name], d, d, 0)
		var params []facts.Param
		for _, f := range o.fields {
			if !f.static && keep(f) {
				params = append(params, facts.Param{Name: e.b.InternString(f.name), Type: e.b.Decls[f.decl].Type, Local: none})
			}
		}
		e.finishGenerated(g, none, params...)
	}
	if p := e.b.Decls[d].Kind; p == graph.KindClass || p == graph.KindEnum {
		if all {
			ctor(func(f fieldInfo) bool { return !(f.final && f.value) })
		}
		if required {
			ctor(func(f fieldInfo) bool { return !f.value && (f.final || value || f.marks.has("NonNull") != nil) })
		}
		if noArgs {
			ctor(func(fieldInfo) bool { return false })
		}
	}
	if builder {
		e.builder(d, o)
	}
	if m := e.lombokMark(o.marks, "Slf4j", "Log4j2", "Log4j", "CommonsLog", "Log", "XSlf4j", "JBossLog", "Flogger"); m != nil {
		e.logger(d, m.name)
	}
}

// builder adds what @Builder generates: a nested type with a method for each
// field, and the way to get one.
func (e *extractor) builder(d facts.DeclID, o *typeInfo) {
	name := e.b.Strings[o.name] + "Builder"
	t := e.generated(graph.KindClass, name, d, d, graph.FlagStatic)
	p := &e.b.Decls[t]
	p.Signature = e.b.InternString("class " + name)
	built := func(x facts.DeclID) facts.ExprID { // the type, seen from inside the builder
		_ = x
		return e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagTyped, Name: o.name, X: none, Y: none})
	}
	self := e.selfType()
	for _, f := range o.fields {
		if f.static || f.final && f.value && f.marks.has("Default") == nil {
			continue
		}
		g := e.generated(graph.KindMethod, f.name, t, f.decl, 0)
		e.finishGenerated(g, self, facts.Param{Name: e.b.InternString(f.name), Type: e.b.Decls[f.decl].Type, Local: none})
	}
	g := e.generated(graph.KindMethod, "build", t, d, 0)
	e.finishGenerated(g, built(d))
	e.b.EndDecl(t)
	if !o.methods[methodKey("builder", 0)] {
		own := e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagTyped, Name: e.b.InternString(name), X: none, Y: none})
		g = e.generated(graph.KindMethod, "builder", d, d, graph.FlagStatic)
		e.finishGenerated(g, own)
	}
	if m := e.lombokMark(o.marks, "Builder", "SuperBuilder"); m != nil && strings.Contains(e.t.String(m.node), "toBuilder") {
		own := e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagTyped, Name: e.b.InternString(name), X: none, Y: none})
		g = e.generated(graph.KindMethod, "toBuilder", d, d, 0)
		e.finishGenerated(g, own)
	}
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
	x := facts.ExprID(none)
	for _, part := range strings.Split(pkg+"."+name, ".") {
		s := e.b.InternString(part)
		if x == none {
			x = e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagTyped, Name: s, X: none, Y: none})
		} else {
			x = e.b.AddExpr(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: s, X: x, Y: none})
		}
	}
	g := e.generated(graph.KindField, "log", d, d, graph.FlagStatic|graph.FlagFinal)
	e.b.EndDecl(g)
	p := &e.b.Decls[g]
	p.Type, p.Vis, p.Signature = x, graph.Private, e.b.InternString(name+" log")
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
