package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// perPackage is the number of files in a package of a synthetic module.
const perPackage = 10

// writeModule writes a module of n files. Its functions call each other through
// values, interfaces, embedded fields and generics, in their package and in the
// packages that it imports. As in real code, every package has names of its own,
// and some names are everywhere.
func writeModule(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.24\n"), 0o644); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		p := i / perPackage
		folder := filepath.Join(dir, fmt.Sprintf("p%d", p))
		if i%perPackage == 0 {
			if err := os.Mkdir(folder, 0o755); err != nil {
				return err
			}
		}
		var imported []int
		for range min(p, 3) {
			if q := r.IntN(p); !slices.Contains(imported, q) {
				imported = append(imported, q)
			}
		}
		near := p*perPackage + r.IntN(min(perPackage, n-p*perPackage))
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", i)), []byte(file(i, near, imported)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// file is the ith file. near is another of its package.
func file(i, near int, imported []int) string {
	p := i / perPackage
	var b strings.Builder
	f := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	f("// Package p%d is made up.\npackage p%d\n\nimport (\n\t\"fmt\"\n\t\"sort\"\n", p, p)
	for _, q := range imported {
		f("\n\t\"example.com/m/p%d\"\n", q)
	}
	f(")\n\n// I%d does things.\ntype I%d interface {\n\tDo%d(n int) (string, error)\n\tCommon()\n}\n\n", i, i, p)
	f("type base%d struct {\n\tname string\n\tsize int\n}\n\nfunc (b *base%d) Name() string { return b.name }\n\n", i, i)
	f("// T%d implements I%d and its neighbours.\ntype T%d struct {\n\tbase%d\n\tnext *T%d\n\tm    map[string]I%d\n}\n\n", i, i, i, i, near, i)
	f("func (t *T%d) Do%d(n int) (string, error) {\n\tt.Common()\n\tif n > t.size {\n\t\treturn \"\", fmt.Errorf(\"%%d is too large for %%s\", n, t.Name())\n\t}\n\treturn fmt.Sprint(n), nil\n}\n\n", i, p)
	f("func (t *T%d) Common() {\n\tfor k, v := range t.m {\n\t\tif s, err := v.Do%d(len(k)); err == nil {\n\t\t\tfmt.Println(s, t.next.Name())\n\t\t}\n\t}\n}\n\n", i, p)
	f("func Map%d[A, B any](as []A, f func(A) B) (bs []B) {\n\tfor _, a := range as {\n\t\tbs = append(bs, f(a))\n\t}\n\treturn bs\n}\n\n", i)
	for k := range 8 {
		f("func F%d_%d(x I%d) *T%d {\n\tt := &T%d{m: map[string]I%d{\"a\": x}}\n\tt.size = %d\n", i, k, i, i, i, i, k)
		if k > 0 {
			f("\tF%d_%d(x).Common()\n", i, k-1)
		}
		for _, q := range imported {
			if q%8 == k {
				f("\tp%d.F%d_%d(p%d.F%d_0(nil)).Common()\n", q, q*perPackage, k, q, q*perPackage)
			}
		}
		f("\tlist := Map%d([]string{\"x\", \"y\"}, func(s string) *T%d { return t })\n", i, i)
		f("\tsort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })\n\treturn list[0].next.own%d(t)\n}\n\n", i)
	}
	f("func (t *T%d) own%d(u *T%d) *T%d {\n\treturn u\n}\n", near, i, i, i)
	return b.String()
}
