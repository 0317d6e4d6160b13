package java

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/link"
)

// How builds know their modules, for the commands that run tests. A module of
// Maven is built from the project that lists it, or that lists one that does:
//
//	maven | FOLDER OF THAT PROJECT | PROFILES
//
// A project of Gradle has a path, which need not be that of its folder:
//
//	gradle | FOLDER | PATH
//
// What is not known is left out, with the bar before it.
const buildParts = " | "

// projects adds the modules that settings of Gradle name, and says what all of
// them are called.
func (la *layouter) projects(files []link.File) {
	scripts := map[string]*link.File{} // of projects whose build files are called after them
	for i := range files {
		f := &files[i]
		if base := path.Base(f.Path); gradleScript(base) && !strings.HasPrefix(base, "settings.") && !inResources(f.Path) && scripts[dirOf(f.Path)] == nil {
			scripts[dirOf(f.Path)] = f
		}
	}
	for i := range files {
		f := &files[i]
		if !strings.HasPrefix(path.Base(f.Path), "settings.gradle") || inResources(f.Path) {
			continue
		}
		for called, dir := range folders(f, "project") {
			build := gradle + buildParts + cmp.Or(dir, ".")
			if called != "" {
				build += buildParts + called
			}
			la.project(dir, cmp.Or(scripts[dir], f), build)
		}
	}
}

// folders yields what the settings of a name say of folders, and these, from the root
// of the tree.
func folders(f *link.File, name string) iter.Seq2[string, string] {
	return func(yield func(said, dir string) bool) {
		for _, s := range f.Facts.Settings {
			if f.Facts.Str(s.Name) != name {
				continue
			}
			said, dir, ok := strings.Cut(f.Facts.Str(s.Value), "\t")
			if !ok {
				said, dir = "", said
			}
			if !yield(said, path.Join(dirOf(f.Path), dir)) {
				return
			}
		}
	}
}

// lister is a project that lists a module, in a profile or in none.
type lister struct {
	module  int
	profile string
}

// reactors finds the project that each module of Maven is built from: it follows
// those that list a module upwards, first those that do so without a profile.
func (la *layouter) reactors(files []link.File) {
	listers := make([][]lister, len(la.Modules))
	for i := range files {
		f := &files[i]
		m, ok := la.byDir[dirOf(f.Path)]
		if !ok || path.Base(f.Path) != "pom.xml" {
			continue
		}
		for profile, dir := range folders(f, "module") {
			if strings.HasSuffix(dir, ".xml") {
				dir = dirOf(dir)
			}
			if dir == "." {
				dir = ""
			}
			if n, ok := la.byDir[dir]; ok && n != m {
				listers[n] = append(listers[n], lister{m, profile})
			}
		}
	}
	for n := range listers {
		slices.SortStableFunc(listers[n], func(a, b lister) int {
			return cmp.Or(strings.Compare(a.profile, b.profile), strings.Compare(la.Modules[a.module].Dir, la.Modules[b.module].Dir))
		})
	}
	for n := range la.Modules {
		if m := &la.Modules[n]; la.poms[n] {
			root, profiles := n, []string(nil)
			for seen := map[int]bool{n: true}; len(listers[root]) > 0 && !seen[listers[root][0].module]; {
				l := listers[root][0]
				if root = l.module; l.profile != "" && !slices.Contains(profiles, l.profile) {
					profiles = append(profiles, l.profile)
				}
				seen[root] = true
			}
			slices.Sort(profiles)
			m.Build = maven + buildParts + cmp.Or(la.Modules[root].Dir, ".")
			if len(profiles) > 0 {
				m.Build += buildParts + strings.Join(profiles, ",")
			}
		}
	}
}
