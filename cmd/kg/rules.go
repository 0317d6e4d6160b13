package main

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/lang/all"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/report"
)

// languageRules tells the comparison what each language says of uses that fit.
func languageRules() diff.Options {
	o := diff.Options{Rules: map[string]diff.Rules{}}
	for _, l := range all.Languages {
		f := l.Fit
		o.Rules[l.Name] = diff.Rules{Manifest: func(path string) bool { return l.Role(path) == lang.Manifest }, Keywords: f.Keywords, Dynamic: f.Dynamic, Coerces: f.Coerces, FileModules: f.FileModules, TestsAlone: f.TestsAlone, Scanned: f.Scanned, Reexports: f.Reexports, LooseArity: f.LooseArity, Loose: f.Loose, Union: f.Union, Structural: f.Structural, Statics: f.Statics, TopTypes: f.TopTypes, Constants: f.Constants, Nil: f.Nil,
			Supertypes: f.Supertypes, Unchecked: f.Unchecked, Overriding: f.Overriding, Unread: f.Unread, Fallback: f.Fallback, Compiled: f.Compiled, Predeclared: l.Predeclared()}
	}
	return o
}

// testRunners names what runs the tests of each language.
func testRunners() map[string]string {
	m := map[string]string{}
	for _, l := range all.Languages {
		m[l.Name] = l.Runner
	}
	return m
}

// constraint returns which builds have a file of the tree; empty: all.
func constraint(g *graph.Graph, file string) string {
	if i := g.FileIndex(file); i >= 0 && g.Files[i].Node != graph.None {
		for _, v := range g.Nodes[g.Files[i].Node].Variants {
			return v.Constraint
		}
	}
	return ""
}

// outermost returns the package of a declaration and the name of the type around
// it that no other type is around.
func outermost(g *graph.Graph, n graph.ID) (pkg, typ string) {
	for depth := 0; n != graph.None && depth < 1<<10; n, depth = g.Nodes[n].Parent, depth+1 {
		switch x := &g.Nodes[n]; {
		case x.Kind == graph.KindPackage:
			return x.QName, typ
		case x.Kind.IsType():
			typ = x.Name
		}
	}
	return "", typ
}

// testCommands returns the commands that run a selection of the tests of a
// tree, language by language.
func testCommands(g *graph.Graph) func(*report.Tests) []string {
	return func(t *report.Tests) []string {
		var cmds []string
		for _, l := range all.Languages {
			run := lang.TestRun{All: t.Mode == "all"}
			present := false
			for i := range g.Nodes {
				switch n := &g.Nodes[i]; {
				case n.Lang != l.Name:
				case n.Kind == graph.KindModule:
					run.Modules = append(run.Modules, lang.Module{Dir: strings.TrimPrefix(path.Dir(n.File), "."), Build: n.Signature.Text})
				case n.Kind == graph.KindFile:
					present = true
					if l.Role(n.File) == lang.Manifest {
						run.Manifests = append(run.Manifests, n.File)
					}
				}
			}
			slices.SortFunc(run.Modules, func(a, b lang.Module) int {
				return cmp.Or(strings.Compare(a.Dir, b.Dir), strings.Compare(a.Build, b.Build))
			})
			slices.Sort(run.Manifests)
			chosen := map[lang.TestCase]bool{}
			for _, x := range t.Tests {
				if x.Runner != l.Runner {
					continue
				}
				chosen[lang.TestCase{File: x.File, Name: x.Symbol, Constraint: constraint(g, x.File)}] = true
				runs := x.RunBy
				if len(runs) == 0 && !x.RunByWhole {
					runs = []report.TestRun{{ID: x.ID, File: x.File, Symbol: x.Symbol}}
				}
				for _, r := range runs {
					c := lang.TestCase{File: r.File, Name: r.Symbol, Constraint: constraint(g, r.File)}
					c.Package, c.Type = outermost(g, g.Lookup(r.ID))
					run.Tests = append(run.Tests, c)
				}
			}
			for _, x := range t.Whole {
				if x.Runner == l.Runner {
					c := lang.TestCase{File: x.File, Name: x.Symbol, Constraint: constraint(g, x.File)}
					c.Package, c.Type = outermost(g, g.Lookup(x.ID))
					run.Tests = append(run.Tests, c)
				}
			}
			for i := range g.Nodes {
				if n := &g.Nodes[i]; n.Lang == l.Name && n.Flags.Has(graph.FlagTestCase) && !n.Flags.Has(graph.FlagOnLoad) {
					if x := (lang.TestCase{File: n.File, Name: n.Name, Constraint: constraint(g, n.File)}); !chosen[x] {
						x.Package, x.Type = outermost(g, graph.ID(i))
						run.Others = append(run.Others, x)
					}
				}
			}
			if present && t.Mode != "none" && l.TestCommands != nil {
				cmds = append(cmds, l.TestCommands(run)...)
			}
		}
		return cmds
	}
}
