package gooracle

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/codekg/kg/bench/record"
)

// The contexts of conversions to interfaces. From ctxCompare on they are stated
// apart, for a graph may leave them out. Assertions and cases go the other way,
// from the interface to the concrete type, and break with the same changes.
const (
	ctxAssign   = "assignment"
	ctxArgument = "argument"
	ctxReturn   = "return"
	ctxSend     = "send"
	ctxLiteral  = "literal"
	ctxRange    = "range"
	ctxIndex    = "index"
	ctxCompare  = "comparison"
	ctxExplicit = "explicit"
	ctxTypeArg  = "type argument"
	ctxAssert   = "assertion"
	ctxCase     = "case"
)

// convertNode records the implicit conversions to interfaces that a node makes.
func (w *walker) convertNode(n ast.Node, stack []ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
			var to []types.Type
			for _, l := range n.Lhs {
				to = append(to, w.lhsType(l))
			}
			w.convertList(to, n.Rhs, ctxAssign, stack)
		}
	case *ast.GenDecl: // a local one; convertSpec handles the others
		for _, spec := range n.Specs {
			if vs, ok := spec.(*ast.ValueSpec); ok {
				w.convertSpec(vs)
			}
		}
	case *ast.CallExpr:
		w.convertCall(n, stack)
	case *ast.ReturnStmt:
		if sig := w.enclosing(stack); sig != nil && len(n.Results) > 0 {
			w.convertList(tuple(sig.Results()), n.Results, ctxReturn, stack)
		}
	case *ast.SendStmt:
		if ch, ok := core(w.c.Info.TypeOf(n.Chan)).(*types.Chan); ok {
			w.convert(ch.Elem(), n.Value, ctxSend, stack)
		}
	case *ast.CompositeLit:
		w.convertLit(n, stack)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			key, value := rangeTypes(w.c.Info.TypeOf(n.X))
			w.convertType(w.lhsType(n.Key), key, n.X, ctxRange, stack)
			w.convertType(w.lhsType(n.Value), value, n.X, ctxRange, stack)
		}
	case *ast.IndexExpr:
		if m, ok := core(w.c.Info.TypeOf(n.X)).(*types.Map); ok {
			w.convert(m.Key(), n.Index, ctxIndex, stack)
		}
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			w.convertCompare(n.X, n.Y, stack)
		}
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			w.convertBack(n.X, n.Type, ctxAssert, stack)
		}
	case *ast.TypeSwitchStmt:
		w.convertCases(n, stack)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			return
		}
		for _, c := range n.Body.List {
			if cc, ok := c.(*ast.CaseClause); ok {
				for _, e := range cc.List {
					w.convertCompare(n.Tag, e, stack)
				}
			}
		}
	}
}

func (w *walker) convertSpec(spec *ast.ValueSpec) {
	if spec.Type == nil {
		return
	}
	to := make([]types.Type, len(spec.Names))
	for i := range to {
		to[i] = w.c.Info.TypeOf(spec.Type)
	}
	w.convertList(to, spec.Values, ctxAssign, nil)
}

// lhsType is the type of a variable that is assigned to, nil if it is declared
// there.
func (w *walker) lhsType(e ast.Expr) types.Type {
	if id, ok := e.(*ast.Ident); ok && (id.Name == "_" || w.c.Info.Defs[id] != nil) {
		return nil
	}
	if e == nil {
		return nil
	}
	return w.c.Info.TypeOf(e)
}

func tuple(t *types.Tuple) []types.Type {
	list := make([]types.Type, t.Len())
	for i := range list {
		list[i] = t.At(i).Type()
	}
	return list
}

// convertList handles a list of values, or one value that is a tuple or has a
// second result.
func (w *walker) convertList(to []types.Type, values []ast.Expr, ctx string, stack []ast.Node) {
	if len(values) == 1 && len(to) > 1 {
		if results, ok := w.c.Info.TypeOf(values[0]).(*types.Tuple); ok {
			for i, t := range to {
				if i < results.Len() {
					w.convertType(t, results.At(i).Type(), values[0], ctx, stack)
				}
			}
		}
		return
	}
	for i, v := range values {
		if i < len(to) {
			w.convert(to[i], v, ctx, stack)
		}
	}
}

func (w *walker) convertCall(call *ast.CallExpr, stack []ast.Node) {
	tv := w.c.Info.Types[call.Fun]
	switch {
	case tv.IsType():
		if len(call.Args) == 1 {
			w.convert(tv.Type, call.Args[0], ctxExplicit, stack)
		}
		return
	case tv.IsBuiltin():
		w.convertBuiltin(call, stack)
		return
	}
	sig, ok := core(tv.Type).(*types.Signature)
	if !ok {
		return
	}
	params := tuple(sig.Params())
	if len(call.Args) == 1 && len(params) != 1 || sig.Variadic() && len(call.Args) == 1 {
		if results, ok := w.c.Info.TypeOf(call.Args[0]).(*types.Tuple); ok {
			params = spread(params, sig.Variadic(), results.Len())
			w.convertList(params, call.Args, ctxArgument, stack)
			return
		}
	}
	if !call.Ellipsis.IsValid() {
		params = spread(params, sig.Variadic(), len(call.Args))
	}
	for i, a := range call.Args {
		if i < len(params) {
			w.convert(params[i], a, ctxArgument, stack)
		}
	}
}

// spread repeats the last parameter of a variadic function for n arguments.
func spread(params []types.Type, variadic bool, n int) []types.Type {
	if !variadic || len(params) == 0 {
		return params
	}
	last, ok := params[len(params)-1].(*types.Slice)
	if !ok {
		return params
	}
	out := append([]types.Type(nil), params[:len(params)-1]...)
	for len(out) < n {
		out = append(out, last.Elem())
	}
	return out
}

func (w *walker) convertBuiltin(call *ast.CallExpr, stack []ast.Node) {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || len(call.Args) == 0 {
		return
	}
	switch under := core(w.c.Info.TypeOf(call.Args[0])).(type) {
	case *types.Slice:
		if id.Name == "append" && !call.Ellipsis.IsValid() {
			for _, a := range call.Args[1:] {
				w.convert(under.Elem(), a, ctxArgument, stack)
			}
		}
	case *types.Map:
		if id.Name == "delete" && len(call.Args) == 2 {
			w.convert(under.Key(), call.Args[1], ctxArgument, stack)
		}
	}
}

func (w *walker) convertLit(lit *ast.CompositeLit, stack []ast.Node) {
	t := w.c.Info.TypeOf(lit)
	if t == nil {
		return
	}
	under := core(t)
	if p, ok := under.(*types.Pointer); ok {
		under = core(p.Elem())
	}
	for i, e := range lit.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		value := e
		if keyed {
			value = kv.Value
		}
		switch u := under.(type) {
		case *types.Struct:
			if !keyed {
				if i < u.NumFields() {
					w.convert(u.Field(i).Type(), value, ctxLiteral, stack)
				}
			} else if id, ok := kv.Key.(*ast.Ident); ok {
				if f, ok := w.c.Info.Uses[id].(*types.Var); ok {
					w.convert(f.Type(), value, ctxLiteral, stack)
				}
			}
		case *types.Map:
			if keyed {
				w.convert(u.Key(), kv.Key, ctxLiteral, stack)
			}
			w.convert(u.Elem(), value, ctxLiteral, stack)
		case *types.Slice:
			w.convert(u.Elem(), value, ctxLiteral, stack)
		case *types.Array:
			w.convert(u.Elem(), value, ctxLiteral, stack)
		}
	}
}

// convertCompare records the conversion of the concrete side of a comparison to
// the type of the other side.
func (w *walker) convertCompare(x, y ast.Expr, stack []ast.Node) {
	tx, ty := w.c.Info.TypeOf(x), w.c.Info.TypeOf(y)
	if tx == nil || ty == nil {
		return
	}
	switch {
	case types.IsInterface(tx) && !types.IsInterface(ty):
		w.convert(tx, y, ctxCompare, stack)
	case types.IsInterface(ty) && !types.IsInterface(tx):
		w.convert(ty, x, ctxCompare, stack)
	}
}

// convertBack records that the interface value x is asserted to have the
// concrete type t.
func (w *walker) convertBack(x, t ast.Expr, ctx string, stack []ast.Node) {
	if to := w.c.Info.TypeOf(t); to != nil && !types.IsInterface(to) && !w.c.Info.Types[t].IsNil() {
		w.convertType(w.c.Info.TypeOf(x), to, t, ctx, stack)
	}
}

func (w *walker) convertCases(n *ast.TypeSwitchStmt, stack []ast.Node) {
	var guard ast.Expr
	switch a := n.Assign.(type) {
	case *ast.ExprStmt:
		guard = a.X
	case *ast.AssignStmt:
		guard = a.Rhs[0]
	}
	assert, ok := ast.Unparen(guard).(*ast.TypeAssertExpr)
	if !ok {
		return
	}
	for _, c := range n.Body.List {
		if cc, ok := c.(*ast.CaseClause); ok {
			for _, t := range cc.List {
				w.convertBack(assert.X, t, ctxCase, stack)
			}
		}
	}
}

// satisfies records the type arguments that are checked against an interface of
// the repository. They break with it like conversions do.
func (w *walker) satisfies(id *ast.Ident, stack []ast.Node) {
	inst, ok := w.c.Info.Instances[id]
	if !ok {
		return
	}
	var params *types.TypeParamList
	switch obj := w.c.Info.Uses[id].(type) {
	case *types.Func:
		params = obj.Signature().TypeParams()
		if params.Len() == 0 {
			params = obj.Origin().Signature().TypeParams()
		}
	case *types.TypeName:
		if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
			params = named.Origin().TypeParams()
		}
	}
	for i := range params.Len() {
		if i < inst.TypeArgs.Len() {
			w.convertType(params.At(i).Constraint(), inst.TypeArgs.At(i), id, ctxTypeArg, stack)
		}
	}
}

// enclosing is the signature of the innermost function around the top of stack.
func (w *walker) enclosing(stack []ast.Node) *types.Signature {
	for i := len(stack) - 1; i >= 0; i-- {
		if lit, ok := stack[i].(*ast.FuncLit); ok {
			sig, _ := w.c.Info.TypeOf(lit).(*types.Signature)
			return sig
		}
	}
	return w.sig
}

// core is the underlying type, for a type parameter that of its constraint if
// there is only one.
func core(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	iface, ok := tp.Constraint().Underlying().(*types.Interface)
	if !ok || iface.NumEmbeddeds() != 1 {
		return nil
	}
	if u, ok := iface.EmbeddedType(0).(*types.Union); ok {
		if u.Len() != 1 {
			return nil
		}
		return u.Term(0).Type().Underlying()
	}
	return iface.EmbeddedType(0).Underlying()
}

func rangeTypes(t types.Type) (key, value types.Type) {
	switch u := core(t).(type) {
	case *types.Slice:
		return types.Typ[types.Int], u.Elem()
	case *types.Array:
		return types.Typ[types.Int], u.Elem()
	case *types.Map:
		return u.Key(), u.Elem()
	case *types.Chan:
		return u.Elem(), nil
	case *types.Signature:
		if u.Params().Len() == 1 {
			if yield, ok := core(u.Params().At(0).Type()).(*types.Signature); ok {
				list := append(tuple(yield.Params()), nil, nil)
				return list[0], list[1]
			}
		}
	}
	return nil, nil
}

func (w *walker) convert(to types.Type, value ast.Expr, ctx string, stack []ast.Node) {
	tv, ok := w.c.Info.Types[value]
	if !ok {
		return
	}
	if tv.IsNil() {
		return
	}
	w.convertType(to, tv.Type, value, ctx, stack)
}

// convertType records that a value of type from is stored as the interface to,
// at the first column of value. Conversions to interfaces without a name and
// without methods, such as any, are not recorded.
func (w *walker) convertType(to, from types.Type, value ast.Expr, ctx string, stack []ast.Node) {
	if to == nil || from == nil || !types.IsInterface(to) || types.Identical(to, from) {
		return
	}
	if _, ok := types.Unalias(to).(*types.TypeParam); ok {
		return
	}
	if b, ok := from.(*types.Basic); ok && (b.Kind() == types.Invalid || b.Kind() == types.UntypedNil) {
		return
	}
	target, ok := types.Unalias(to).(*types.Named)
	if !ok {
		return
	}
	s := w.siteAt(record.Converts, value.Pos())
	s.Name, s.Context, s.Shape = target.Obj().Name(), ctx, ctx
	switch ctx {
	case ctxCompare, ctxExplicit, ctxTypeArg, ctxAssert, ctxCase:
		s.Optional = true
	}
	w.target(s, target.Origin().Obj())
	w.source(s, from)
	w.context(s, stack)
	w.put(s)
}

// source sets the type that is converted.
func (w *walker) source(s *record.Site, t types.Type) {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		s.Ptr = true
		t = types.Unalias(p.Elem())
	}
	switch t := t.(type) {
	case *types.Named:
		obj := t.Origin().Obj()
		if s.Type = w.o.id(obj.Pos()); s.Type == "" || w.o.defs[s.Type] == nil {
			s.Type, s.TypeExt = "", external(obj)
		}
		if types.IsInterface(t) {
			tag(s, record.TagInterface)
		}
	case *types.TypeParam:
		tag(s, record.TagGeneric)
		s.TypeExt = "type parameter"
	default:
		s.TypeExt = types.TypeString(t, nil)
		if len(s.TypeExt) > 80 {
			s.TypeExt = "unnamed"
		}
	}
}
