package python

import (
	"path"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/link"
)

// What pytest collects: the methods that a class has or inherits, if the class is
// called as projects set up, or is one of unittest.

// What a class says of whether pytest looks into it.
const (
	suiteNamed    link.Suite = 1 << iota // it is called like a class of tests
	suiteCase                            // it extends a class of unittest, or one that is called like that
	suiteAsked                           // __test__ = True
	suiteRefused                         // __test__ = False
	suiteMade                            // it has a constructor: pytest knows no arguments for it
	suitePromises                        // it declares methods for others to implement
	suiteAbstract                        // nobody makes objects of it while there are such
	suiteInside                          // it is in a function
)

// isSuite reports whether pytest runs the tests of a class, from what it and those
// above it say.
func isSuite(own link.Suite, above []link.Suite) bool {
	asked, all := own&(suiteAsked|suiteRefused), own
	for _, s := range above {
		all |= s
		if asked == 0 {
			asked = s & (suiteAsked | suiteRefused)
		}
	}
	switch {
	case asked&suiteRefused != 0 || own&suiteInside != 0 || own&suitePromises != 0 && all&suiteAbstract != 0:
		return false
	case all&suiteCase != 0:
		return true
	}
	return (own&suiteNamed != 0 || asked != 0) && all&suiteMade == 0
}

// testDirective says that a class has __test__, with its value.
const testDirective = "__test__"

// The names of classes of tests where a project sets up none; the second is a custom
// of those who set it up elsewhere.
var suiteNames = []string{"Test", "test_"}

// suites returns what says of the classes of files what pytest makes of them.
func (la *layouter) suites(files []link.File) func(file int, t facts.DeclID) link.Suite {
	var names map[string][]string // by folder of the build file
	for i := range files {
		if files[i].Facts == nil {
			continue
		}
		for _, s := range files[i].Facts.Settings {
			if files[i].Facts.Str(s.Name) == settingClasses {
				if names == nil {
					names = map[string][]string{}
				}
				dir := dirOf(files[i].Path)
				names[dir] = append(names[dir], strings.Fields(files[i].Facts.Str(s.Value))...)
			}
		}
	}
	return func(file int, t facts.DeclID) link.Suite {
		f := files[file].Facts
		d := &f.Decls[t]
		says := link.Suite(0)
		patterns := suiteNames
		for dir := dirOf(files[file].Path); names != nil; dir = dirOf(dir) {
			if of, ok := names[dir]; ok {
				patterns = of
				break
			}
			if dir == "" {
				break
			}
		}
		for _, p := range patterns {
			if matched, _ := path.Match(p, f.Str(d.Name)); matched || strings.HasPrefix(f.Str(d.Name), p) {
				says |= suiteNamed
			}
		}
		if d.Flags.Has(graph.FlagAbstract) || d.Value != none {
			says |= suiteAbstract
		}
		for _, b := range f.Lists[d.Bases.Lo:d.Bases.Hi] {
			if b >= 0 && strings.Contains(f.Str(f.Exprs[b].Name), "TestCase") {
				says |= suiteCase
			}
		}
		for p := d.Parent; p != none; p = f.Decls[p].Parent {
			if f.Decls[p].Kind.IsCallable() {
				says |= suiteInside
			}
		}
		for k := int(t) + 1; k < len(f.Decls) && f.Decls[k].Parent >= t; k++ {
			switch m := &f.Decls[k]; {
			case m.Parent != t:
			case m.Kind == graph.KindConstructor:
				says |= suiteMade
			case m.Kind == graph.KindMethod && m.Flags.Has(graph.FlagAbstract):
				says |= suitePromises
			}
		}
		for k := range f.Directives {
			if x := &f.Directives[k]; x.Owner == t && f.Str(x.Name) == testDirective {
				if f.Str(x.Value) == "True" {
					says |= suiteAsked
				} else {
					says |= suiteRefused
				}
			}
		}
		return says
	}
}
