package facts

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Dump writes a file's facts as text for tests and for those who write
// extractors: declarations nested as they are declared, each with its
// parameters, locals, flows, and those expressions that are no operands.
//
// Names are followed by what qualifies them: ·N the local N, ! called, =
// assigned, += assigned and read, : a key, ^ a type. Calls are followed by the
// number of results used, unless that is one.
func Dump(w io.Writer, f *File) error {
	d := &dumper{w: bufio.NewWriter(w), f: f, operand: make([]bool, len(f.Exprs))}
	d.file()
	return d.w.Flush()
}

type dumper struct {
	w       *bufio.Writer
	f       *File
	operand []bool // by ExprID: it is an operand of another expression
}

func (d *dumper) line(depth int, format string, args ...any) {
	for range depth {
		d.w.WriteString("  ")
	}
	fmt.Fprintf(d.w, format, args...)
	d.w.WriteByte('\n')
}

func (d *dumper) file() {
	f := d.f
	if f.Package != 0 {
		d.line(0, "package %s", f.Str(f.Package))
	}
	if f.Constraint != 0 {
		d.line(0, "constraint %s", f.Str(f.Constraint))
	}
	if f.Generated {
		d.line(0, "generated")
	}
	for _, r := range f.Unparsed {
		d.line(0, "unparsed %d-%d", r.From, r.To)
	}
	for _, s := range f.Settings {
		d.line(0, "setting %s %s", f.Str(s.Name), f.Str(s.Value))
	}
	for _, r := range f.Directives {
		about := ""
		if r.Owner != None {
			about = fmt.Sprintf(" of %d", r.Owner)
		}
		d.line(0, "directive %s %s%s %d:%d", f.Str(r.Name), f.Str(r.Value), about, r.Line, r.Col)
	}
	for _, m := range f.Imports {
		d.line(0, "import %s%s%s %d:%d", prefixed("", f.Str(m.Alias), " "), f.Str(m.Path), prefixed(" name=", f.Str(m.Name), ""), m.Line, m.Col)
	}
	for i := range f.Exprs {
		x := &f.Exprs[i]
		mark := func(e ExprID) {
			if e >= 0 && int(e) < len(d.operand) {
				d.operand[e] = true
			}
		}
		if !(x.Op == OpName || x.Op == OpFunc || x.Op == OpType || x.Op == OpParamOf) {
			mark(x.X)
		}
		if !x.Op.HasContext() {
			mark(x.Y)
		}
		for _, a := range f.List(x.Args) {
			mark(ExprID(a))
		}
	}
	for i := range f.Decls {
		if f.Decls[i].Parent == None {
			d.decl(DeclID(i), 0)
		}
	}
}

func prefixed(before, s, after string) string {
	if s == "" {
		return ""
	}
	return before + s + after
}

var traitNames = []string{"local", "literal", "anonymous", "alias", "embedded", "file_scoped", "implied", "underlying", "expression", "endless", "synthetic"}

func (d *dumper) decl(id DeclID, depth int) {
	f, p := d.f, &d.f.Decls[id]
	var words []string
	for i, n := range traitNames {
		if p.Traits&(1<<i) != 0 {
			words = append(words, n)
		}
	}
	words = append(words, p.Flags.Names()...)
	d.line(depth, "%d %v %s%s %v %d:%d lines %d-%d%s", id, p.Kind, prefixed("", f.Str(p.Owner), "."), f.Str(p.Name), p.Vis, p.Line, p.Col,
		p.DefLine, p.EndLine, prefixed(" [", strings.Join(words, " "), "]"))
	depth++
	if p.Signature != 0 {
		d.line(depth, "signature %s", f.Str(p.Signature))
	}
	if p.Doc != 0 {
		d.line(depth, "doc %s", f.Str(p.Doc))
	}
	if p.Ordinal != 0 {
		d.line(depth, "ordinal %d", p.Ordinal)
	}
	d.params(depth, "type param", p.TypeParams)
	d.params(depth, "param", p.Params)
	d.params(depth, "result", p.Results)
	for _, b := range f.Lists[p.Bases.Lo:p.Bases.Hi] {
		d.line(depth, "base %s", d.expr(ExprID(b)))
	}
	for _, b := range f.Lists[p.Implements.Lo:p.Implements.Hi] {
		d.line(depth, "implements %s", d.expr(ExprID(b)))
	}
	for _, m := range f.Lists[p.Marks.Lo:p.Marks.Hi] {
		d.line(depth, "mark %s", d.expr(ExprID(m)))
	}
	for _, t := range f.Lists[p.Throws.Lo:p.Throws.Hi] {
		d.line(depth, "throws %s", d.expr(ExprID(t)))
	}
	if p.Shape != 0 {
		d.line(depth, "shape %s", f.Str(p.Shape))
	}
	if p.Type != None {
		d.line(depth, "type %s", d.expr(p.Type))
	}
	if p.Value != None {
		d.line(depth, "value %s", d.expr(p.Value))
	}
	d.body(id, depth)
	for i := int(id) + 1; i < len(f.Decls); i++ {
		if f.Decls[i].Parent == id {
			d.decl(DeclID(i), depth)
		}
	}
}

func (d *dumper) params(depth int, what string, s Span) {
	for _, p := range d.f.Params[s.Lo:s.Hi] {
		mark := ""
		if p.Flags&graph.ParamVariadic != 0 {
			mark = "..."
		}
		local := ""
		if p.Local != None {
			local = fmt.Sprintf("·%d", p.Local)
		}
		d.line(depth, "%s %s%s %s%s", what, d.f.Str(p.Name), local, mark, d.expr(p.Type))
	}
}

// body writes the locals, flows and expressions of a declaration that no nested
// one owns.
func (d *dumper) body(id DeclID, depth int) {
	f, p := d.f, &d.f.Decls[id]
	// The last declaration whose range holds i is the innermost.
	owned := func(i int32, span func(*Decl) Span) bool {
		for k := len(f.Decls) - 1; k > int(id); k-- {
			if s := span(&f.Decls[k]); i >= s.Lo && i < s.Hi {
				return false
			}
		}
		return true
	}
	for i := p.Locals.Lo; i < p.Locals.Hi; i++ {
		l := &f.Locals[i]
		if !owned(i, func(d *Decl) Span { return d.Locals }) {
			continue
		}
		kind := [...]string{"", " type parameter", " type", " function"}[l.Kind]
		text := fmt.Sprintf("local %d %s%s", i, f.Str(l.Name), kind)
		if l.Kind == LocalTypeParam {
			text += fmt.Sprintf(" %d of %d", l.Index, l.Decl)
		} else if l.Decl != None {
			text += fmt.Sprintf(" %d", l.Decl)
		}
		if l.Type != None {
			text += " " + d.expr(l.Type)
		}
		if l.Value != None {
			text += " = " + d.expr(l.Value)
		}
		d.line(depth, "%s", text)
	}
	kinds := [...]string{"assign", "bind", "return", "send", "throw", "yield", "define"}
	for i := p.Flows.Lo; i < p.Flows.Hi; i++ {
		fl := &f.Flows[i]
		if !owned(i, func(d *Decl) Span { return d.Flows }) {
			continue
		}
		to := ""
		switch fl.Kind {
		case FlowAssign, FlowSend:
			to = d.expr(ExprID(fl.To))
		case FlowReturn, FlowYield:
			to = fmt.Sprintf("%d.%d", fl.To, fl.N)
		case FlowBind, FlowDefine:
			to = fmt.Sprint(fl.N)
		}
		d.line(depth, "%s %s <- %s", kinds[fl.Kind], to, d.expr(fl.From))
	}
	for i := p.Exprs.Lo; i < p.Exprs.Hi; i++ {
		if x := &f.Exprs[i]; !d.operand[i] && owned(i, func(d *Decl) Span { return d.Exprs }) {
			d.line(depth, "%d:%d %s", x.Line, x.Col, d.expr(ExprID(i)))
		}
	}
}

func (d *dumper) expr(e ExprID) string { return d.exprAt(e, 0) }

func (d *dumper) exprAt(e ExprID, depth int) string {
	if e == None {
		return "-"
	}
	if depth > 50 {
		return "…"
	}
	x := &d.f.Exprs[e]
	sub := func(e ExprID) string { return d.exprAt(e, depth+1) }
	list := func(from int) string {
		var s []string
		for _, a := range d.f.List(x.Args)[from:] {
			s = append(s, sub(ExprID(a)))
		}
		return strings.Join(s, ", ")
	}
	flags := ""
	if x.Flags&FlagCallee != 0 {
		flags += "!"
	}
	switch x.Flags & (FlagRead | FlagWrite) {
	case FlagWrite:
		flags += "="
	case FlagRead | FlagWrite:
		flags += "+="
	}
	if x.Flags&FlagKey != 0 {
		flags += ":"
	}
	if x.Flags&FlagTyped != 0 {
		flags += "^"
	}
	name := d.f.Str(x.Name)
	spread := ""
	if x.Flags&FlagSpread != 0 {
		spread = "..."
	}
	var s string
	switch x.Op {
	case OpNone:
		s = "?"
	case OpName:
		if s = name; x.Flags&FlagLocal != 0 {
			s = fmt.Sprintf("%s·%d", name, x.X)
		}
	case OpLiteral:
		s = "<" + name + ">"
	case OpFunc:
		s = fmt.Sprintf("func#%d", x.X)
	case OpType:
		s = fmt.Sprintf("type#%d", x.X)
	case OpSelf:
		s = "self"
	case OpSuper:
		s = "super"
	case OpSelect:
		s = sub(x.X) + "." + name
	case OpIndex:
		s = sub(x.X) + "[" + list(0) + "]"
	case OpSlice:
		s = sub(x.X) + "[:]"
	case OpDeref:
		s = "*" + sub(x.X)
	case OpAddr:
		s = "&" + sub(x.X)
	case OpRecv:
		s = "<-" + sub(x.X)
	case OpCall, OpNew:
		s = sub(x.X) + "(" + list(0) + spread + ")"
		if x.Op == OpNew {
			s = "new " + s
		}
		if x.N != 1 {
			s += fmt.Sprintf("→%d", x.N)
		}
		if x.Flags&FlagLater != 0 {
			s += " later"
		}
	case OpKeyword:
		s = name + "=" + sub(x.X)
	case OpSpread:
		s = "..." + sub(x.X)
	case OpAwait:
		s = "await " + sub(x.X)
	case OpComposite:
		s = sub(x.X) + "{" + list(0) + "}"
	case OpKeyValue:
		s = sub(x.X) + " " + sub(x.Y)
	case OpElement:
		s = "element(" + sub(x.X) + ")"
	case OpKeyType:
		s = "keytype(" + sub(x.X) + ")"
	case OpUnary:
		s = name + sub(x.X)
	case OpBinary:
		s = "(" + sub(x.X) + " " + name + " " + sub(x.Y) + ")"
	case OpConditional:
		s = "either(" + list(0) + ")"
	case OpSliceType:
		s = "[]" + sub(x.X)
	case OpArrayType:
		s = "[n]" + sub(x.X)
	case OpMapType:
		s = "map[" + sub(x.X) + "]" + sub(x.Y)
	case OpChanType:
		s = [...]string{"chan ", "chan<- ", "<-chan "}[x.N%3] + sub(x.X)
	case OpFuncType:
		s = fmt.Sprintf("func(%s)/%d%s", list(0), x.N, spread)
	case OpVariadic:
		s = "..." + sub(x.X)
	case OpUnionType:
		s = "union(" + list(0) + ")"
	case OpBothType:
		s = "both(" + list(0) + ")"
	case OpApproxType:
		s = "~" + sub(x.X)
	case OpTuple:
		s = fmt.Sprintf("%s#%d", sub(x.X), x.N)
	case OpRangeKey:
		s = "rangekey(" + sub(x.X) + ")"
	case OpRangeVal:
		s = "rangeval(" + sub(x.X) + ")"
	case OpAssert:
		s = sub(x.X) + ".(" + sub(x.Y) + ")"
	case OpParamOf:
		s = fmt.Sprintf("paramof(e%d, %d)", x.X, x.N)
	case OpMethodRef:
		s = sub(x.X) + "::" + name
	case OpClassOf:
		s = sub(x.X) + ".class"
	case OpLabel:
		s = "case(" + sub(x.X) + ")." + name
	case OpImport:
		s = fmt.Sprintf("import#%d", x.X)
	case OpMark:
		s = "@" + sub(x.X) + "(" + list(0) + ")"
	default:
		s = fmt.Sprintf("op%d", x.Op)
	}
	return s + flags
}
