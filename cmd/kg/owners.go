package main

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/hmarr/codeowners"

	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/diff/impact"
	"github.com/codekg/kg/report"
)

// owners says who owns what a change reaches, by the base's CODEOWNERS, as GitHub
// asks for reviews. One that cannot be read owns nothing, and a note says so.
func (c *comparison) owners(r *impact.Result) (list []report.Owner, note string) {
	rules, note := c.ownersFile()
	if rules == nil {
		return []report.Owner{}, note
	}
	type share struct {
		files   map[string]bool
		symbols int
	}
	shares := map[string]*share{}
	of := map[string][]string{} // owners by file
	for _, x := range r.Symbols {
		file := c.delta.Head.Nodes[x.ID].File
		if file == "" {
			continue
		}
		names, ok := of[file]
		if !ok {
			if rule, err := rules.Match(file); err == nil && rule != nil {
				for _, o := range rule.Owners {
					names = append(names, o.String())
				}
			}
			of[file] = names
		}
		for _, name := range names {
			if shares[name] == nil {
				shares[name] = &share{files: map[string]bool{}}
			}
			shares[name].files[file] = true
			shares[name].symbols++
		}
	}
	list = []report.Owner{}
	for name, s := range shares {
		list = append(list, report.Owner{Owner: name, Files: slices.Sorted(maps.Keys(s.files)), Symbols: s.symbols})
	}
	slices.SortFunc(list, func(x, y report.Owner) int {
		return cmp.Or(cmp.Compare(y.Symbols, x.Symbols), cmp.Compare(x.Owner, y.Owner))
	})
	return list, note
}

func (c *comparison) ownersFile() (codeowners.Ruleset, string) {
	if c.base.tree == nil {
		return nil, ""
	}
	for _, path := range ownersFiles {
		i, ok := source.Find(c.base.tree.Entries(), path)
		if !ok || !c.base.tree.Entries()[i].Mode.IsFile() {
			continue
		}
		data, err := c.base.tree.Read(i, maxConfig)
		if err == nil {
			var rules codeowners.Ruleset
			if rules, err = codeowners.ParseFile(bytes.NewReader(data)); err == nil {
				return rules, ""
			}
		}
		return nil, path + " cannot be read: no owners are named"
	}
	return nil, ""
}
