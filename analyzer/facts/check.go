package facts

import (
	"fmt"
	"math"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// Check reports the first invariant that f breaks; the linker relies on all of
// them. A file made by an extractor or accepted by [Decode] breaks none.
func (f *File) Check() error {
	k := checker{f: f}
	k.check()
	return k.err
}

type checker struct {
	f   *File
	err error
}

func (k *checker) bad(what string, i int) {
	if k.err == nil {
		k.err = fmt.Errorf("%w: %s %d", ErrCorrupt, what, i)
	}
}

func (k *checker) check() {
	f := k.f
	strs, exprs, decls, locals, lists := len(f.Strings), int32(len(f.Exprs)), int32(len(f.Decls)), int32(len(f.Locals)), int32(len(f.Lists))
	if strs == 0 || f.Strings[0] != "" || lists == 0 || f.Lists[0] != 0 || max(strs, int(exprs), int(decls), int(locals), int(lists)) > math.MaxInt32/2 {
		k.bad("file", 0)
		return
	}
	str := func(ss ...Str) bool { return len(ss) == 0 || int(slices.Max(ss)) < strs }
	opt := func(i, n int32) bool { return i >= None && i < n }
	span := func(s Span, n int32) bool { return s.Lo >= 0 && s.Lo <= s.Hi && s.Hi <= n }
	members := func(s Span) bool {
		if !span(s, lists) {
			return false
		}
		for _, e := range f.Lists[s.Lo:s.Hi] {
			if e < 0 || e >= exprs {
				return false
			}
		}
		return true
	}
	if !str(f.Package, f.Constraint) {
		k.bad("package", 0)
	}
	for i, m := range f.Imports {
		if !str(m.Path, m.Name, m.Alias) || !opt(int32(m.Owner), decls) || m.Line < 0 || m.Col < 0 {
			k.bad("import", i)
		}
	}
	params := int32(len(f.Params))
	for i := range f.Decls {
		d := &f.Decls[i]
		if !str(d.Name, d.Owner, d.Shape, d.Signature, d.Doc) || int(d.Kind) >= graph.KindCount || int(d.Vis) >= graph.VisibilityCount ||
			d.Flags&^graph.FlagMask != 0 || !opt(int32(d.Parent), int32(i)) || d.DefLine < 0 || d.Line < 0 || d.Col < 0 || d.EndLine < 0 ||
			!span(d.TypeParams, params) || !span(d.Params, params) || !span(d.Results, params) || !members(d.Bases) || !members(d.Implements) ||
			!members(d.Marks) || !members(d.Throws) ||
			!span(d.Exprs, exprs) || !span(d.Flows, int32(len(f.Flows))) || !span(d.Locals, locals) ||
			!opt(int32(d.Type), exprs) || !opt(int32(d.Value), exprs) || d.Tokens|d.Branches < 0 {
			k.bad("declaration", i)
		}
	}
	for i, p := range f.Params {
		if !str(p.Name) || !opt(int32(p.Type), exprs) || !opt(int32(p.Local), locals) {
			k.bad("parameter", i)
		}
	}
	for i, l := range f.Locals {
		needsDecl := l.Kind != LocalVar
		if !str(l.Name) || l.Kind > LocalFunc || !opt(int32(l.Decl), decls) || needsDecl && l.Decl == None ||
			!opt(int32(l.Type), exprs) || !opt(int32(l.Value), exprs) || !opt(int32(l.Next), locals) {
			k.bad("local", i)
		}
	}
	for i := range f.Exprs {
		if !f.checkExpr(int32(i)) {
			k.bad("expression", i)
			break
		}
	}
	for i, fl := range f.Flows {
		ok := opt(int32(fl.From), exprs)
		switch fl.Kind {
		case FlowAssign, FlowSend:
			ok = ok && opt(fl.To, exprs)
		case FlowBind:
			ok = ok && fl.N >= 0 && fl.N < locals
		case FlowDefine:
			ok = ok && fl.N >= 0 && fl.N < decls
		case FlowReturn, FlowYield:
			ok = ok && fl.To >= 0 && fl.To < decls && fl.N >= -1
		case FlowThrow:
		default:
			ok = false
		}
		if !ok {
			k.bad("flow", i)
		}
	}
	for i, s := range f.Settings {
		if !str(s.Name, s.Value) {
			k.bad("setting", i)
		}
	}
	for i, r := range f.Directives {
		if !str(r.Name, r.Value) || !opt(int32(r.Owner), decls) || r.Line < 0 || r.Col < 0 {
			k.bad("directive", i)
		}
	}
	for i, r := range f.Unparsed {
		if r.From < 0 || r.To < r.From {
			k.bad("range", i)
		}
	}
}

// checkExpr is most of the work: expressions are most of a file.
func (f *File) checkExpr(i int32) bool {
	x := &f.Exprs[i]
	lists := int32(len(f.Lists))
	if x.Op >= opEnd || int(x.Name) >= len(f.Strings) || x.Line < 0 || x.Col < 0 || x.Args < 0 || x.Args >= lists || x.Op == OpCall && x.N < -1 {
		return false
	}
	switch {
	case x.Op == OpName && x.Flags&FlagLocal != 0:
		if x.X < 0 || int(x.X) >= len(f.Locals) {
			return false
		}
	case x.Op == OpFunc || x.Op == OpType:
		if x.X < 0 || int(x.X) >= len(f.Decls) {
			return false
		}
	case x.Op == OpImport:
		if x.X < 0 || int(x.X) >= len(f.Imports) {
			return false
		}
	case x.Op == OpParamOf:
		if x.X < None || int(x.X) >= len(f.Exprs) { // the literal stands behind what it holds
			return false
		}
	case x.X < None || int32(x.X) >= i:
		return false
	}
	if x.Y < None || int32(x.Y) >= i && !(x.Op.HasContext() && int(x.Y) < len(f.Exprs)) {
		return false
	}
	if x.Args > 0 {
		n := f.Lists[x.Args]
		if n < 0 || n > lists-x.Args-1 {
			return false
		}
		for _, a := range f.Lists[x.Args+1 : x.Args+1+n] {
			if a < 0 || a >= i {
				return false
			}
		}
	}
	return true
}
