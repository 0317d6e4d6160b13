package report

import (
	"fmt"
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

// started returns the entry points, the nearest first; of many with the same
// name the nearest stands for all.
func (r *Report) started() (list []entry) {
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
