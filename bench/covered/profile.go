package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/codekg/kg/bench/gosrc"
)

// file is a source file with the ranges of its declarations, in order.
type file struct{ decls []declRange }

type declRange struct {
	start, end place
	id         int
}

type place struct{ line, col int }

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.col < q.col }

// readFile finds the declarations of a file that have code.
func (r *repo) readFile(p *gosrc.Listed, name string) error {
	full := name
	if !filepath.IsAbs(full) {
		full = filepath.Join(p.Dir, name)
	}
	key := path.Join(p.ImportPath, filepath.Base(name))
	if r.files[key] != nil {
		return nil
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, full, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f := &file{}
	r.files[key] = f
	// Profiles have the true lines, those of //line directives excepted, which
	// are not judged.
	at := func(pos token.Pos) place {
		q := fset.PositionFor(pos, false)
		return place{q.Line, q.Column}
	}
	add := func(name string, ident *ast.Ident, n ast.Node) {
		d := &Decl{T: "decl", ID: len(r.decls), Name: name, Dir: r.rel(p.Dir), File: path.Join(r.rel(p.Dir), filepath.Base(full)),
			Line: at(ident.Pos()).line, Col: at(ident.Pos()).col}
		r.decls = append(r.decls, d)
		f.decls = append(f.decls, declRange{at(n.Pos()), at(n.End()), d.ID})
	}
	for _, d := range syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil && d.Name.Name != "_" {
				add(d.Name.Name, d.Name, d)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok {
					continue
				}
				// One name, one value: else the code could be any one's.
				if len(v.Names) == 1 && v.Names[0].Name != "_" && len(v.Values) == 1 {
					add(v.Names[0].Name, v.Names[0], v)
				}
			}
		}
	}
	return nil
}

// readProfile adds the declarations that a profile of go test says were executed.
func (r *repo) readProfile(name string, seen map[int]bool) (err error) {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		line := s.Bytes()
		if bytes.HasSuffix(line, []byte(" 0")) || bytes.HasPrefix(line, []byte("mode:")) {
			continue
		}
		// FILE:LINE.COL,LINE.COL STATEMENTS COUNT
		colon := bytes.LastIndexByte(line, ':')
		if colon < 0 {
			return fmt.Errorf("%s: %q is no line of a profile", name, line)
		}
		f := r.files[string(line[:colon])]
		if f == nil {
			continue
		}
		begin, _, _ := bytes.Cut(line[colon+1:], []byte(","))
		l, c, _ := bytes.Cut(begin, []byte("."))
		at := place{number(l), number(c)}
		if id := f.at(at); id >= 0 {
			seen[id] = true
		}
	}
	return s.Err()
}

func number(b []byte) int {
	n, _ := strconv.Atoi(string(b))
	return n
}

// at returns the declaration around a place, or -1.
func (f *file) at(p place) int {
	i, _ := slices.BinarySearchFunc(f.decls, p, func(d declRange, p place) int {
		if p.before(d.end) {
			return 0
		}
		return -1
	})
	if i < len(f.decls) && !p.before(f.decls[i].start) && p.before(f.decls[i].end) {
		return f.decls[i].id
	}
	return -1
}
