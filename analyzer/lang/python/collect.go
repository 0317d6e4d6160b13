package python

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/link"
)

// What pytest collects: the methods that a class has or inherits, if the class is
// called as projects set up, or is one of unittest.

// suite is what a class says of whether pytest looks into it.
type suite uint8

const (
	suiteNamed    suite = 1 << iota // it is called like a class of tests
	suiteCase                       // it extends a class of unittest, or one that is called like that
	suiteAsked                      // __test__ = True
	suiteRefused                    // __test__ = False
	suiteMade                       // it has a constructor: pytest knows no arguments for it
	suiteAbstract                   // nobody makes objects of it while a method is to be implemented
	suiteInside                     // it is in a function, or in a class of unittest
)

// testDirective says that a class has __test__, with its value.
const testDirective = "__test__"

// suiteNames are the names of classes of tests where a project sets up none, or how
// they begin; the second is a custom of those who set it up elsewhere.
var suiteNames = []string{"Test", "test_"}

// collected reports whether pytest looks into a file that it is not told to.
func collected(p string) bool {
	base := path.Base(p)
	return strings.HasPrefix(base, "test") || strings.HasSuffix(base, "_test.py")
}

// suites returns what reports whether pytest runs the tests of a class.
func suites(files []link.File) func(t link.Member, above []link.Member) bool {
	var names map[string][]string // by folder of the build file
	asked := map[link.Member]suite{}
	for i := range files {
		f := files[i].Facts
		if f == nil {
			continue
		}
		for k := range f.Directives {
			if x := &f.Directives[k]; x.Owner != none && f.Str(x.Name) == testDirective {
				says := suiteRefused
				if f.Str(x.Value) == "True" {
					says = suiteAsked
				}
				asked[link.Member{File: i, Decl: x.Owner}] |= says
			}
		}
		for _, s := range f.Settings {
			if f.Str(s.Name) == settingClasses {
				if names == nil {
					names = map[string][]string{}
				}
				dir := dirOf(files[i].Path)
				names[dir] = append(names[dir], strings.Fields(f.Str(s.Value))...)
			}
		}
	}
	known := map[link.Member]suite{}
	of := func(m link.Member) suite {
		if says, ok := known[m]; ok {
			return says
		}
		patterns := suiteNames
		for dir := dirOf(files[m.File].Path); names != nil; dir = dirOf(dir) {
			if set, ok := names[dir]; ok {
				patterns = set
				break
			}
			if dir == "" {
				break
			}
		}
		says := suiteOf(files[m.File].Facts, m.Decl, patterns) | asked[m]
		known[m] = says
		return says
	}
	return func(t link.Member, above []link.Member) bool {
		own := of(t)
		told, all := own&(suiteAsked|suiteRefused), own
		for _, a := range above {
			s := of(a)
			all |= s
			if told == 0 {
				told = s & (suiteAsked | suiteRefused)
			}
		}
		switch {
		case told&suiteRefused != 0 || own&suiteInside != 0 || all&suiteAbstract != 0 && promises(files, append([]link.Member{t}, above...)):
			return false
		case all&suiteCase != 0:
			return true
		}
		return (own&suiteNamed != 0 || told != 0) && all&suiteMade == 0
	}
}

// suiteOf returns what a class says by itself.
func suiteOf(f *facts.File, t facts.DeclID, names []string) (says suite) {
	d := &f.Decls[t]
	for _, p := range names {
		if matched, _ := path.Match(p, f.Str(d.Name)); matched || strings.HasPrefix(f.Str(d.Name), p) {
			says |= suiteNamed
		}
	}
	if d.Flags.Has(graph.FlagAbstract) || d.Value != none {
		says |= suiteAbstract
	}
	if isCase(f, t) {
		says |= suiteCase
	}
	for p := d.Parent; p != none; p = f.Decls[p].Parent {
		if f.Decls[p].Kind.IsCallable() || isCase(f, p) {
			says |= suiteInside
		}
	}
	for m := range membersOf(f, t) {
		if m.Kind == graph.KindConstructor {
			says |= suiteMade
		}
	}
	return says
}

// isCase reports whether a class extends one of unittest, by its name.
func isCase(f *facts.File, t facts.DeclID) bool {
	bases := f.Decls[t].Bases
	return slices.ContainsFunc(f.Lists[bases.Lo:bases.Hi], func(b int32) bool {
		return b >= 0 && strings.Contains(f.Str(f.Exprs[b].Name), "TestCase")
	})
}

// membersOf yields what a class declares.
func membersOf(f *facts.File, t facts.DeclID) iter.Seq[*facts.Decl] {
	return func(yield func(*facts.Decl) bool) {
		for k := int(t) + 1; k < len(f.Decls) && f.Decls[k].DefLine <= f.Decls[t].EndLine; k++ {
			if f.Decls[k].Parent == t && !yield(&f.Decls[k]) {
				return
			}
		}
	}
}

// promises reports whether the first of some classes, in the order in which names are
// searched, has a method that is to be implemented.
func promises(files []link.File, classes []link.Member) bool {
	has := map[string]bool{}
	for _, c := range classes {
		f := files[c.File].Facts
		for m := range membersOf(f, c.Decl) {
			name := f.Str(m.Name)
			if m.Flags.Has(graph.FlagAbstract) && m.Kind == graph.KindMethod && !has[name] {
				return true
			}
			has[name] = true
		}
	}
	return false
}
