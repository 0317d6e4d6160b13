package link

import (
	"slices"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Conditions of what a container hands out: it is there in some surroundings and
// not in others.

// maxComposed bounds how many annotations may stand between one of the tree and
// what it is made of.
const maxComposed = 4

// findComposed finds the annotations of the tree that are made of those that the
// rules name.
func (l *linker) findComposed() {
	w := &l.wired
	type composed struct {
		f *file
		d *facts.Decl
	}
	var list []composed
	for _, f := range l.ownFiles() {
		if f.Rules.Classes == nil || f.Rules.Classes.Wiring == nil {
			continue
		}
		rules := f.Rules.Classes.Wiring
		for _, names := range []struct{ to, from *[]string }{{&w.managed, &rules.Managed}, {&w.conditions, &rules.Conditions}} {
			for _, n := range *names.from {
				if !slices.Contains(*names.to, n) {
					*names.to = append(*names.to, n)
				}
			}
		}
		for i := range f.Facts.Decls {
			if d := &f.Facts.Decls[i]; d.Kind == graph.KindAnnotation && d.Marks.Len() > 0 {
				list = append(list, composed{f, d})
			}
		}
	}
	for range maxComposed {
		before := len(w.managed) + len(w.conditions)
		for _, c := range list {
			name := c.f.Facts.Str(c.d.Name)
			if markOf(c.f.Facts, c.d.Marks, w.managed) != none && !slices.Contains(w.managed, name) {
				w.managed = append(w.managed, name)
			}
			if len(w.appendConditions(nil, c.f, c.d.Marks)) > 0 && !slices.Contains(w.conditions, name) {
				w.conditions = append(w.conditions, name)
			}
		}
		if before == len(w.managed)+len(w.conditions) {
			break
		}
	}
}

// conditionsOf returns the conditions of a declaration and those around it.
func (w *wired) conditionsOf(f *file, i facts.DeclID) (list []string) {
	for ; i != facts.None; i = f.Facts.Decls[i].Parent {
		list = w.appendConditions(list, f, f.Facts.Decls[i].Marks)
	}
	return list
}

// appendConditions appends the annotations that are conditions.
func (w *wired) appendConditions(list []string, f *file, marks facts.Span) []string {
	fs := f.Facts
	for _, m := range fs.Lists[marks.Lo:marks.Hi] {
		x := &fs.Exprs[m]
		if x.X < 0 || x.N != 0 {
			continue
		}
		name := fs.Str(fs.Exprs[x.X].Name)
		if slices.ContainsFunc(w.conditions, func(c string) bool {
			begin, any := strings.CutSuffix(c, "*")
			return c == name || any && strings.HasPrefix(name, begin)
		}) {
			if text := fs.Str(x.Name); text != "" {
				list = append(list, text)
			} else {
				list = append(list, strconv.Itoa(int(f.base))+":"+strconv.Itoa(int(m)))
			}
		}
	}
	return list
}

// given reports whether what has the conditions is there wherever others are that
// have those of all the sets together.
func given(conditions []string, sets ...[]string) bool {
	for _, c := range conditions {
		if !slices.ContainsFunc(sets, func(set []string) bool { return slices.Contains(set, c) }) {
			return false
		}
	}
	return true
}
