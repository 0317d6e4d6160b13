package gooracle

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/codekg/kg/bench/record"
)

// role is what the syntax around an identifier does with it.
type role struct {
	expr   ast.Expr // the identifier with its selector, parentheses, type arguments
	parent ast.Node
	call   *ast.CallExpr // expr is what is called
	recv   ast.Expr      // what stands before the dot
}

// roleOf climbs from an identifier to the whole expression that it names. stack
// holds the ancestors, the nearest last.
func roleOf(w *walker, id *ast.Ident, stack []ast.Node) role {
	r := role{expr: id}
	i := len(stack) - 1
	if sel, ok := stack[i].(*ast.SelectorExpr); ok && sel.Sel == id {
		r.expr, r.recv = sel, sel.X
		i--
	}
	for ; i >= 0; i-- {
		switch p := stack[i].(type) {
		case *ast.ParenExpr:
			r.expr = p
			continue
		case *ast.IndexExpr:
			if p.X == r.expr && w.isInstance(r.expr) {
				r.expr = p
				continue
			}
		case *ast.IndexListExpr:
			if p.X == r.expr {
				r.expr = p
				continue
			}
		case *ast.CallExpr:
			if p.Fun == r.expr {
				r.call = p
			}
		}
		break
	}
	if i >= 0 {
		r.parent = stack[i]
	}
	return r
}

// ident records what one identifier refers to.
func (w *walker) ident(id *ast.Ident, stack []ast.Node, recv bool) {
	if w.skip[id] || id.Name == "_" {
		return
	}
	obj, used := w.c.Info.Uses[id]
	if !used || obj == nil {
		if _, defined := w.c.Info.Defs[id]; !defined {
			w.open(id, stack)
		}
		return
	}
	r := roleOf(w, id, stack)
	switch obj := obj.(type) {
	case *types.TypeName:
		w.typeName(id, obj, r, stack, recv)
	case *types.Func:
		w.function(id, obj, r, stack)
	case *types.Var:
		w.variable(id, obj, r, stack)
	case *types.Const:
		if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
			w.emit(record.Reads, id, obj, r, stack)
		}
	}
	w.satisfies(id, stack)
}

// open records an identifier that the compiler could not resolve.
func (w *walker) open(id *ast.Ident, stack []ast.Node) {
	// The name after `package`, labels and the like never get here; keys of
	// literals whose type is broken do.
	r := roleOf(w, id, stack)
	kind := record.Unresolved
	if r.call != nil {
		kind = record.Calls
	}
	s := w.site(kind, id)
	s.Open = true
	w.context(s, stack)
	w.put(s)
}

// emit records a plain use of obj and returns the site.
func (w *walker) emit(kind string, id *ast.Ident, obj types.Object, r role, stack []ast.Node) *record.Site {
	s := w.site(kind, id)
	w.target(s, obj)
	w.context(s, stack)
	if r.recv != nil {
		s.Shape = exprShape(w, r.recv) + "."
	} else {
		s.Shape = "bare"
	}
	w.put(s)
	return s
}

func (w *walker) typeName(id *ast.Ident, obj *types.TypeName, r role, stack []ast.Node, recv bool) {
	if _, ok := obj.Type().(*types.TypeParam); ok || obj.Pkg() == nil {
		return
	}
	kind := record.UsesType
	if lit, ok := r.parent.(*ast.CompositeLit); ok && lit.Type == r.expr {
		kind = record.Instantiates
	}
	s := w.site(kind, id)
	w.target(s, obj)
	if obj.IsAlias() && s.To != "" {
		// The target of an alias is as right as the alias.
		t := types.Unalias(obj.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if named, ok := t.(*types.Named); ok {
			if to := w.o.id(named.Origin().Obj().Pos()); w.o.defs[to] != nil {
				s.ToOr = append(s.ToOr, to)
			}
		}
	}
	w.context(s, stack)
	switch {
	case recv:
		s.Optional, s.Shape = true, "receiver"
	case r.call != nil:
		s.Shape = "conversion"
	case isMethodExpr(r):
		s.Optional, s.Shape = true, "method expression"
	default:
		s.Shape = typeShape(r.parent)
	}
	w.put(s)
	if kind == record.Instantiates && s.To != "" {
		also := *s
		also.Kind, also.Optional = record.UsesType, true
		w.put(&also)
	}
}

// isMethodExpr reports whether a type is the operand of T.Method.
func isMethodExpr(r role) bool {
	sel, ok := r.parent.(*ast.SelectorExpr)
	return ok && sel.X == r.expr
}

func typeShape(parent ast.Node) string {
	switch parent.(type) {
	case *ast.CompositeLit:
		return "literal"
	case *ast.TypeAssertExpr:
		return "assertion"
	case *ast.CaseClause:
		return "case"
	case *ast.CallExpr:
		return "argument"
	case *ast.Field:
		return "field or parameter"
	case *ast.StarExpr:
		return "pointer"
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.Ellipsis:
		return "element"
	case *ast.IndexExpr, *ast.IndexListExpr:
		return "type argument"
	case *ast.ValueSpec:
		return "variable"
	case *ast.TypeSpec:
		return "underlying type"
	}
	return "other"
}

func (w *walker) function(id *ast.Ident, fn *types.Func, r role, stack []ast.Node) {
	fn = fn.Origin()
	kind := record.References
	if r.call != nil {
		kind = record.Calls
	}
	s := w.site(kind, id)
	w.target(s, fn)
	w.context(s, stack)
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		tag(s, record.TagInterface)
	}
	s.Shape = "bare"
	if r.recv != nil {
		s.Shape = exprShape(w, r.recv) + "."
		if sel, ok := selector(r.expr); ok {
			if sn := w.c.Info.Selections[sel]; sn != nil {
				if len(sn.Index()) > 1 {
					tag(s, record.TagPromoted)
				}
				if sn.Kind() == types.MethodExpr {
					s.Shape = "type."
				}
				if _, ok := types.Unalias(sn.Recv()).(*types.TypeParam); ok {
					tag(s, record.TagGeneric)
				}
			}
		}
	}
	w.put(s)
}

// selector finds the selector expression below parentheses and type arguments.
func selector(e ast.Expr) (*ast.SelectorExpr, bool) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.SelectorExpr:
			return x, true
		default:
			return nil, false
		}
	}
}

// variable records reads and writes of fields and package-level variables, and
// calls of function values.
func (w *walker) variable(id *ast.Ident, v *types.Var, r role, stack []ast.Node) {
	v = v.Origin()
	global := v.IsField() || v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
	isFunc := w.o.funcVars[w.o.id(v.Pos())]
	if r.call != nil {
		s := w.site(record.Calls, id)
		s.Dynamic, s.Shape = true, "function value"
		if global {
			w.target(s, v)
		}
		w.context(s, stack)
		w.put(s)
	}
	if !global {
		return
	}
	reads, writes := access(r, v.IsField())
	if isFunc && reads {
		// A variable that is initialised with a function literal is a function.
		s := w.site(record.References, id)
		w.target(s, v)
		w.context(s, stack)
		s.Optional = r.call != nil
		s.Shape = "function variable"
		w.put(s)
		also := *s
		also.Kind, also.Optional = record.Reads, true
		w.put(&also)
		reads = false
	}
	promoted := false
	if sel, ok := selector(r.expr); ok && sel.Sel == id {
		if sn := w.c.Info.Selections[sel]; sn != nil {
			promoted = len(sn.Index()) > 1
		}
	}
	for _, k := range []struct {
		kind string
		on   bool
	}{{record.Reads, reads}, {record.Writes, writes}} {
		if !k.on {
			continue
		}
		s := w.emit(k.kind, id, v, r, stack)
		if promoted {
			tag(s, record.TagPromoted)
		}
		if kv, ok := r.parent.(*ast.KeyValueExpr); ok && kv.Key == r.expr {
			s.Shape = "literal key"
		}
	}
}

// access says whether the syntax reads or writes the variable that r names. Only
// the outermost operand of an assignment is written: x.f = 1 writes f and reads
// x, m[k] = v and *p = v read m and p. Taking an address is a read.
func access(r role, field bool) (reads, writes bool) {
	switch p := r.parent.(type) {
	case *ast.AssignStmt:
		for _, l := range p.Lhs {
			if l == r.expr {
				return p.Tok != token.ASSIGN && p.Tok != token.DEFINE, true
			}
		}
	case *ast.IncDecStmt:
		return true, true
	case *ast.RangeStmt:
		if p.Key == r.expr || p.Value == r.expr {
			return false, true
		}
	case *ast.KeyValueExpr:
		// A field without anything before it can only be the key of a literal.
		if p.Key == r.expr && field && r.recv == nil {
			return false, true
		}
	}
	return true, false
}

// exprShape is a coarse description of a receiver or of a called value.
func exprShape(w *walker, e ast.Expr) string {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		switch obj := w.c.Info.Uses[x].(type) {
		case *types.PkgName:
			return "package"
		case *types.TypeName:
			return "type"
		case *types.Var:
			switch {
			case w.sig != nil && obj == w.sig.Recv():
				return "receiver"
			case obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope():
				return "global"
			case obj.Kind() == types.ParamVar:
				return "parameter"
			}
			return "local"
		}
		return "name"
	case *ast.SelectorExpr:
		if sn := w.c.Info.Selections[x]; sn != nil && sn.Kind() == types.FieldVal {
			return "field"
		}
		if _, ok := w.c.Info.Uses[x.Sel].(*types.Var); ok {
			return "global"
		}
		return "selector"
	case *ast.CallExpr:
		return "call"
	case *ast.IndexExpr:
		return "element"
	case *ast.TypeAssertExpr:
		return "assertion"
	case *ast.CompositeLit:
		return "literal"
	case *ast.UnaryExpr:
		return "unary " + exprShape(w, x.X)
	case *ast.StarExpr:
		return "pointee"
	}
	return "other"
}
