package report

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

const entryTitle = "Entry points that reach a change"

// fewNamesakes is how many entry points of one name are listed by themselves.
// More are started by the same means, such as the initialisers of packages.
const fewNamesakes = 3

// entry is an entry point that stands for others of its name.
type entry struct {
	EntryPoint
	namesakes int
}

// entries are the entry points of a report as its readers meet them.
type entries []entry

// clause says which entry points reach what changed, by their names if they are
// few.
func (list entries) clause(what string) string {
	total, far := 0, 0
	var names []string
	for _, x := range list {
		total += 1 + x.namesakes
		far = max(far, x.Distance)
		name := x.Symbol.Name
		if slices.ContainsFunc(list, func(y entry) bool { return y.Symbol.ID != x.Symbol.ID && y.Symbol.Name == name }) {
			name += " in " + path.Dir(x.Symbol.File)
		}
		names = append(names, name)
	}
	if total <= fewNames {
		return strings.Join(names, " and ") + " " + verb(total, "reaches", "reach") + " " + what
	}
	return fmt.Sprintf("%s reach %s within %s, nearest %s", count(total, "entry point"), what, count(far, "hop"), names[0])
}

// fewNames is how many entry points a sentence names.
const fewNames = 2

// started returns the entry points, the nearest first; of many with the same
// name the nearest stands for all.
func (r *Report) started() (list entries) {
	named := map[string]int{}
	for i := range r.EntryPoints {
		named[simple(r.EntryPoints[i].Symbol.Name)]++
	}
	at := map[string]int{}
	for _, x := range r.EntryPoints {
		name := simple(x.Symbol.Name)
		if i, seen := at[name]; seen && named[name] > fewNamesakes {
			list[i].namesakes++
			continue
		}
		at[name] = len(list)
		list = append(list, entry{EntryPoint: x})
	}
	return list
}

// simple is the last part of a qualified name.
func simple(name string) string { return name[strings.LastIndexAny(name, ".:")+1:] }

func namesakes(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more of this name", n)
}
