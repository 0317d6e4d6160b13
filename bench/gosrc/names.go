package gosrc

import (
	"go/ast"
	"slices"
)

// ReceiverName is the name of the type that a receiver is of, as written; nil
// without one.
func ReceiverName(recv *ast.FieldList) *ast.Ident {
	if recv == nil || len(recv.List) == 0 {
		return nil
	}
	id, _ := named(recv.List[0].Type).(*ast.Ident)
	return id
}

// EmbeddedName is the name of an embedded field of the given type.
func EmbeddedName(t ast.Expr) *ast.Ident {
	switch x := named(t).(type) {
	case *ast.SelectorExpr:
		return x.Sel
	case *ast.Ident:
		return x
	}
	return nil
}

// named returns what is left of a type without pointers and type arguments.
func named(t ast.Expr) ast.Expr {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		default:
			return t
		}
	}
}

// Edit replaces the bytes of a file from Start up to End.
type Edit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// Apply returns src with the edits of one file made. Of two that overlap, the
// first is made.
func Apply(src []byte, edits []Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(x, y Edit) int { return x.Start - y.Start })
	var out []byte
	at := 0
	for _, x := range edits {
		if x.Start < at {
			continue
		}
		out = append(append(out, src[at:x.Start]...), x.Text...)
		at = x.End
	}
	return append(out, src[at:]...)
}
