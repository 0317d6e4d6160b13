package golang

//lint:file-ignore SA1019 facts are compared with how go/parser itself resolves names

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// TestAgreesWithGoParser compares the facts of real files with what Go's own
// parser says of them: every declaration with its lines, every name with what
// it is bound to, every selection, call and composite literal with its place.
// KG_GO_TREES names other folders to compare, a list as in PATH.
func TestAgreesWithGoParser(t *testing.T) {
	src := filepath.Join(build.Default.GOROOT, "src")
	roots := []string{filepath.Join(src, "go", "types"), filepath.Join(src, "net", "http"), filepath.Join(src, "slices")}
	if list := os.Getenv("KG_GO_TREES"); list != "" {
		roots = filepath.SplitList(list)
	}
	p := syntax.NewParser()
	p.Limits.Bytes = 4 << 20
	var b facts.Builder
	files := 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, src, parser.ParseComments)
			if err != nil {
				return nil
			}
			tree, err := p.Parse(grammar(), src)
			if err != nil {
				t.Logf("%s: %v", path, err)
				return nil
			}
			if len(tree.Errors()) > 0 {
				t.Logf("%s: %v", path, tree.Errors())
				return nil
			}
			files++
			want := newAgreement(fset, file)
			got := agreementOf(Extract(tree, &b))
			for _, diff := range want.compare(got) {
				t.Errorf("%s:%s", path, diff)
			}
			return nil
		})
		if err != nil {
			t.Skip(err)
		}
	}
	if files == 0 {
		t.Skip("no Go sources here")
	}
	t.Logf("%d files", files)
}

type unjudged struct{}

// place is a line and column.
type place struct{ line, col int32 }

// agreement is what both sides say of a file.
type agreement struct {
	decls   map[place]string // what is declared, by the place of its name
	names   map[place]any    // what a name is bound to: *ast.Object or facts.LocalID; nil: free
	keys    map[place]bool   // names that are keys, whose binding types decide
	selects map[place]string
	calls   map[place]int // by the place of the callee's last name
	values  map[place]int // composite literals
}

func emptyAgreement() *agreement {
	return &agreement{decls: map[place]string{}, names: map[place]any{}, keys: map[place]bool{},
		selects: map[place]string{}, calls: map[place]int{}, values: map[place]int{}}
}

func agreementOf(f *facts.File) *agreement {
	a := emptyAgreement()
	at := func(x *facts.Expr) place { return place{x.Line, x.Col} }
	for i := range f.Decls {
		d := &f.Decls[i]
		if d.Traits&(facts.TraitAnonymous|facts.TraitLiteral) != 0 || d.Kind == graph.KindRoute {
			continue // nothing that the syntax declares
		}
		a.decls[place{d.Line, d.Col}] = fmt.Sprintf("%v %s lines %d-%d %d->%d owner %q", declKind(d.Kind), f.Str(d.Name), d.DefLine, d.EndLine,
			d.Params.Len(), d.Results.Len(), f.Str(d.Owner))
	}
	for i := range f.Exprs {
		x := &f.Exprs[i]
		switch x.Op {
		case facts.OpName:
			a.names[at(x)] = nil
			if x.Flags&facts.FlagLocal != 0 {
				l := &f.Locals[x.X]
				a.names[at(x)] = facts.LocalID(x.X)
				if l.Kind == facts.LocalTypeParam && f.Decls[l.Decl].Kind == graph.KindMethod {
					a.names[at(x)] = unjudged{} // go/parser leaves a receiver's parameters open
				}
			}
			if x.Flags&facts.FlagKey != 0 {
				a.keys[at(x)] = true
			}
		case facts.OpSelect:
			a.selects[at(x)] = f.Str(x.Name)
		case facts.OpCall:
			a.calls[at(x)]++
		case facts.OpComposite:
			a.values[at(x)]++
		}
	}
	return a
}

// declKind puts kinds together that the syntax alone does not tell apart.
func declKind(k graph.Kind) graph.Kind {
	switch k {
	case graph.KindStruct, graph.KindInterface:
		return graph.KindTypeAlias
	case graph.KindVariable:
		return graph.KindFunction
	}
	return k
}

func newAgreement(fset *token.FileSet, file *ast.File) *agreement {
	a := emptyAgreement()
	w := &agreeWalker{a: a, fset: fset, file: file, skip: map[*ast.Ident]bool{}, local: map[*ast.Ident]bool{}}
	w.file_()
	return a
}

type agreeWalker struct {
	a     *agreement
	fset  *token.FileSet
	file  *ast.File
	skip  map[*ast.Ident]bool // declaring, or no name in facts
	local map[*ast.Ident]bool
}

func (w *agreeWalker) at(p token.Pos) place {
	q := w.fset.PositionFor(p, false)
	return place{int32(q.Line), int32(q.Column)}
}

func (w *agreeWalker) line(p token.Pos) int { return w.fset.PositionFor(p, false).Line }

func (w *agreeWalker) declare(k graph.Kind, id *ast.Ident, def, end token.Pos, params, results int, owner string) {
	w.a.decls[w.at(id.Pos())] = fmt.Sprintf("%v %s lines %d-%d %d->%d owner %q", declKind(k), id.Name, w.line(def), w.line(end-1), params, results, owner)
}

func fieldCount(l *ast.FieldList) int {
	if l == nil {
		return 0
	}
	return l.NumFields()
}

func (w *agreeWalker) file_() {
	w.skip[w.file.Name] = true
	for _, d := range w.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			k, owner := graph.KindFunction, ""
			if d.Recv != nil && len(d.Recv.List) > 0 {
				k, owner = graph.KindMethod, baseIdent(d.Recv.List[0].Type)
			}
			w.declare(k, d.Name, d.Pos(), d.End(), fieldCount(d.Type.Params), fieldCount(d.Type.Results), owner)
		case *ast.GenDecl:
			w.group(d)
		}
	}
	w.fields()
	ast.Inspect(w.file, w.visit)
	ast.Inspect(w.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !w.skip[id] && id.Name != "_" {
			w.a.names[w.at(id.Pos())] = nil
			if id.Obj != nil && w.file.Scope.Lookup(id.Name) != id.Obj {
				w.a.names[w.at(id.Pos())] = id.Obj
			}
		}
		return true
	})
}

func (w *agreeWalker) group(d *ast.GenDecl) {
	for _, s := range d.Specs {
		def, end := s.Pos(), s.End()
		if !d.Lparen.IsValid() {
			def, end = d.Pos(), d.End()
		}
		switch s := s.(type) {
		case *ast.TypeSpec:
			w.declare(graph.KindTypeAlias, s.Name, def, end, 0, 0, "")
		case *ast.ValueSpec:
			for i, n := range s.Names {
				k, params, results := graph.KindVariable, 0, 0
				if d.Tok == token.CONST {
					k = graph.KindConstant
				} else if len(s.Values) == len(s.Names) {
					if l, ok := s.Values[i].(*ast.FuncLit); ok {
						params, results = fieldCount(l.Type.Params), fieldCount(l.Type.Results)
					}
				}
				w.declare(k, n, def, end, params, results, "")
			}
		}
	}
}

// fields declares the members of struct and interface types, and local types.
func (w *agreeWalker) fields() {
	ast.Inspect(w.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, f := range n.Fields.List {
				for _, id := range f.Names {
					w.declare(graph.KindField, id, f.Pos(), f.End(), 0, 0, "")
				}
				if len(f.Names) == 0 {
					if id := lastIdent(f.Type); id != nil {
						w.declare(graph.KindField, id, f.Pos(), f.End(), 0, 0, "")
					}
				}
			}
		case *ast.InterfaceType:
			for _, f := range n.Methods.List {
				if t, ok := f.Type.(*ast.FuncType); ok {
					for _, id := range f.Names {
						w.declare(graph.KindMethod, id, f.Pos(), f.End(), fieldCount(t.Params), fieldCount(t.Results), "")
					}
				}
			}
		case *ast.DeclStmt:
			if g := n.Decl.(*ast.GenDecl); g.Tok == token.TYPE {
				w.group(g)
			}
		}
		return true
	})
}

func baseIdent(x ast.Expr) string {
	if id := lastIdent(x); id != nil {
		return id.Name
	}
	return ""
}

// lastIdent returns the last name of what is called or named by x.
func lastIdent(x ast.Expr) *ast.Ident {
	for {
		switch y := x.(type) {
		case *ast.Ident:
			return y
		case *ast.SelectorExpr:
			return y.Sel
		case *ast.ParenExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.IndexListExpr:
			x = y.X
		case *ast.CallExpr:
			x = y.Fun
		default:
			return nil
		}
	}
}

func (w *agreeWalker) visit(n ast.Node) bool {
	skip := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id != nil {
				w.skip[id] = true
			}
		}
	}
	switch n := n.(type) {
	case *ast.Field:
		skip(n.Names...)
	case *ast.FuncDecl:
		skip(n.Name)
	case *ast.TypeSpec:
		skip(n.Name)
	case *ast.ValueSpec:
		skip(n.Names...)
	case *ast.ImportSpec:
		skip(n.Name)
	case *ast.LabeledStmt:
		skip(n.Label)
	case *ast.BranchStmt:
		skip(n.Label)
	case *ast.SelectorExpr:
		skip(n.Sel)
		w.a.selects[w.at(n.Sel.Pos())] = n.Sel.Name
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && id.Obj != nil && id.Obj.Pos() == id.Pos() {
					skip(id)
				}
			}
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if id, ok := x.(*ast.Ident); ok {
					skip(id)
				}
			}
		}
	case *ast.KeyValueExpr:
		if id, ok := n.Key.(*ast.Ident); ok {
			w.a.keys[w.at(id.Pos())] = true
		}
	case *ast.CallExpr:
		if id := lastIdent(n.Fun); id != nil {
			w.a.calls[w.at(id.Pos())]++
		}
	case *ast.CompositeLit:
		if n.Type == nil {
			w.a.values[w.at(n.Lbrace)]++
		} else if id := lastIdent(n.Type); id != nil {
			w.a.values[w.at(id.Pos())]++
		}
	}
	return true
}

func (a *agreement) compare(got *agreement) []string {
	var out []string
	report := func(at place, format string, args ...any) {
		out = append(out, fmt.Sprintf("%d:%d: ", at.line, at.col)+fmt.Sprintf(format, args...))
	}
	for at, want := range a.decls {
		if g, ok := got.decls[at]; !ok {
			report(at, "no declaration, want %s", want)
		} else if g != want {
			report(at, "declares %s, want %s", g, want)
		}
	}
	for at, g := range got.decls {
		if _, ok := a.decls[at]; !ok {
			report(at, "declares %s", g)
		}
	}
	locals, objects := map[facts.LocalID]*ast.Object{}, map[*ast.Object]facts.LocalID{}
	for at, want := range a.names {
		g, ok := got.names[at]
		if !ok {
			report(at, "no name")
			continue
		}
		if a.keys[at] != got.keys[at] {
			report(at, "key: %v", got.keys[at])
		}
		if a.keys[at] {
			continue
		}
		if _, ok := g.(unjudged); ok {
			continue
		}
		l, isLocal := g.(facts.LocalID)
		o, wantLocal := want.(*ast.Object)
		if isLocal != wantLocal {
			report(at, "local: %v", isLocal)
			continue
		}
		if !isLocal {
			continue
		}
		if p, ok := locals[l]; ok && p != o {
			report(at, "local %d means two things", l)
		}
		locals[l] = o
		if p, ok := objects[o]; ok && p != l && !isTypeSwitch(o) {
			report(at, "%s is two locals", o.Name)
		}
		objects[o] = l
	}
	for at := range got.names {
		if _, ok := a.names[at]; !ok {
			report(at, "name that is none")
		}
	}
	for at, want := range a.selects {
		if g := got.selects[at]; g != want {
			report(at, "selects %q, want %q", g, want)
		}
	}
	for at, g := range got.selects {
		if _, ok := a.selects[at]; !ok {
			report(at, "selects %q", g)
		}
	}
	for at, want := range a.calls {
		if g := got.calls[at]; g != want {
			report(at, "%d calls, want %d", g, want)
		}
	}
	for at, want := range a.values {
		if g := got.values[at]; g != want {
			report(at, "%d composites, want %d", g, want)
		}
	}
	slices.Sort(out)
	return out
}

func isTypeSwitch(o *ast.Object) bool {
	_, ok := o.Decl.(*ast.AssignStmt)
	return ok
}
