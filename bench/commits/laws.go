package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/codekg/kg/bench/change"
	"github.com/codekg/kg/diff"
)

// edits are ways to write a file anew that change nothing for anybody.
var edits = []struct {
	name string
	edit func(src []byte) []byte
}{
	{"laid out anew", layout},
	{"declarations reordered", reorder},
	{"comments edited", comments},
}

// formatting edits every file of the newest commit, and expects nothing but
// changes of documentation.
func (r *result) formatting(ctx context.Context, b *change.Builder, head change.Side) error {
	for _, x := range edits {
		files := map[string][]byte{}
		for i, e := range head.Tree.Entries() {
			if !e.Mode.IsFile() || !strings.HasSuffix(e.Path, ".go") {
				continue
			}
			src, err := head.Tree.Read(i, 4<<20)
			if err != nil {
				continue
			}
			if _, err := goparser.ParseFile(token.NewFileSet(), "", src, 0); err != nil {
				continue
			}
			if now := x.edit(src); now != nil && !bytes.Equal(now, src) {
				if _, err := goparser.ParseFile(token.NewFileSet(), "", now, 0); err == nil {
					files[e.Path] = now
				}
			}
		}
		again, err := b.Build(ctx, change.Overlay(head.Tree, files))
		if err != nil {
			return err
		}
		d := change.Compare(head, again)
		bad := 0
		for i := range d.Changes {
			if c := &d.Changes[i]; c.Kind != diff.Doc {
				bad++
				r.laws = append(r.laws, fmt.Sprintf("%s: %v %s", x.name, c.Kind, d.Symbol(c).Key))
			}
		}
		fmt.Printf("%d files %s: %d changes but for documentation\n", len(files), x.name, bad)
	}
	return nil
}

// layout puts an empty line after every line that ends a statement, and blanks
// for tabs, outside of strings and comments.
func layout(src []byte) []byte {
	fset := token.NewFileSet()
	f, err := goparser.ParseFile(fset, "", src, goparser.ParseComments)
	if err != nil {
		return nil
	}
	keep := make([]bool, len(src)+1) // bytes that must stay
	mark := func(n ast.Node) {
		for i := fset.Position(n.Pos()).Offset; i < min(fset.Position(n.End()).Offset, len(src)); i++ {
			keep[i] = true
		}
	}
	for _, c := range f.Comments {
		mark(c)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			mark(l)
		}
		return true
	})
	var out []byte
	for i, c := range src {
		switch {
		case keep[i]:
			out = append(out, c)
		case c == '\t':
			out = append(out, "    "...)
		case c == ' ':
			out = append(out, "  "...)
		case c == '{' && i+1 < len(src) && src[i+1] == '\n':
			out = append(out, "{\n"...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// reorder puts the declarations of a file in the reverse order, and those of
// each group of imports.
func reorder(src []byte) []byte {
	fset := token.NewFileSet()
	f, err := goparser.ParseFile(fset, "", src, goparser.ParseComments)
	if err != nil || len(f.Decls) < 2 || bytes.Contains(src, []byte("import \"C\"")) {
		return nil
	}
	offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	var parts [][]byte
	head, at := 0, 0 // where the declarations begin that are reordered
	for i, d := range f.Decls {
		end := len(src)
		if i+1 < len(f.Decls) {
			end = offset(f.Decls[i+1].Pos())
			if doc := docOf(f.Decls[i+1]); doc != nil {
				end = offset(doc.Pos())
			}
		}
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			head, at = end, end
			continue
		}
		if head == 0 {
			start := offset(d.Pos())
			if doc := docOf(d); doc != nil {
				start = offset(doc.Pos())
			}
			head, at = start, start
		}
		// A comment that stands alone before the next declaration stays with this one.
		parts = append(parts, append(bytes.TrimRight(slices.Clone(src[at:end]), "\n"), "\n\n"...))
		at = end
	}
	slices.Reverse(parts)
	return append(imports(fset, f, src[:head]), bytes.Join(parts, nil)...)
}

func docOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// imports reverses the lines of the imports in the head of a file.
func imports(fset *token.FileSet, f *ast.File, head []byte) []byte {
	lines := strings.SplitAfter(string(head), "\n")
	var at []int
	for _, i := range f.Imports {
		if i.Doc == nil && i.Comment == nil {
			if n := fset.PositionFor(i.Pos(), false).Line - 1; n < len(lines) && strings.HasPrefix(lines[n], "\t") {
				at = append(at, n)
			}
		}
	}
	for i, j := 0, len(at)-1; i < j; i, j = i+1, j-1 {
		lines[at[i]], lines[at[j]] = lines[at[j]], lines[at[i]]
	}
	return []byte(strings.Join(lines, ""))
}

// comments adds a word to every comment that no tool reads.
func comments(src []byte) []byte {
	fset := token.NewFileSet()
	f, err := goparser.ParseFile(fset, "", src, goparser.ParseComments)
	if err != nil || bytes.Contains(src, []byte("import \"C\"")) {
		return nil
	}
	var out []byte
	at := 0
	for _, g := range f.Comments {
		if strings.Contains(g.Text(), "DO NOT EDIT") {
			continue
		}
		for _, c := range g.List {
			if !strings.HasPrefix(c.Text, "// ") || strings.Contains(c.Text, "Output:") || strings.Contains(c.Text, "output:") ||
				strings.HasPrefix(c.Text, "// +build") || strings.Contains(c.Text, "Deprecated:") {
				continue
			}
			end := fset.PositionFor(c.End(), false).Offset
			out = append(append(out, src[at:end]...), " (sic)"...)
			at = end
		}
	}
	return append(out, src[at:]...)
}
