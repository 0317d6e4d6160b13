package gooracle

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/codekg/kg/bench/record"
	"golang.org/x/tools/txtar"
)

const apart = `
-- go.mod --
module example.com/m

go 1.24
-- a/a.go --
package a

type Plain struct{}

func (Plain) M() {}
-- a/a_test.go --
package a

import _ "example.com/m/via"

type InTest struct{}

func (InTest) M() {}
-- via/via.go --
package via

import _ "example.com/m/deep"
-- deep/deep.go --
package deep

type Near interface{ M() }
-- b/b.go --
package b

type Far interface{ M() }
-- b/b_test.go --
package b

type FarTest interface{ M() }
-- cmd/x/x.go --
package main

import _ "example.com/m/deep"

type X struct{}

func (X) M() {}

func main() {}
-- cmd/y/y.go --
package main

type Y interface{ M() }

func main() {}
`

// TestApart: what no program can contain judges nobody.
func TestApart(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(apart)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o, err := Ask(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defs, named := map[string]*record.Def{}, map[string]*record.Def{}
	for _, d := range o.Defs {
		defs[d.ID], named[d.QName] = d, d
	}
	got := map[string]bool{}
	for _, s := range o.Sites {
		if s.Kind == record.Implements && defs[s.From].Kind != "interface" {
			got[defs[s.From].QName+" "+defs[s.To].QName] = !s.Optional
		}
	}
	want := map[string]bool{ // whether a program can contain both
		"a.Plain deep.Near":  true,
		"a.Plain b.Far":      true, // a third package can import both
		"a.InTest deep.Near": true, // its tests import it, over another package
		"a.InTest b.Far":     false,
		"main.X deep.Near":   true,
		"main.X b.Far":       false,
		"main.X main.Y":      false,
		"a.Plain main.Y":     false,
		"a.InTest main.Y":    false,
		"a.Plain b.FarTest":  false,
		"main.X b.FarTest":   false,
		// The two tests of a and b are two programs, and two worlds of types.
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	a, b := named["a.InTest"], named["b.FarTest"]
	if a.Program == "" || b.Program == "" || a.Program == b.Program {
		t.Errorf("programs %q and %q", a.Program, b.Program)
	}
	if p := named["a.Plain"].Program; p != "" {
		t.Errorf("a type outside of tests has the program %q", p)
	}
}
