// Package sourcetest makes source trees of examples, for tests of what reads
// trees.
package sourcetest

import (
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer/source"
)

// tree is a source.Tree in memory.
type tree struct {
	entries []source.Entry
	data    [][]byte
}

// Tree returns the tree that holds the files of an example.
func Tree(files []txtar.File) source.Tree {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	t := &tree{}
	for _, f := range files {
		t.entries = append(t.entries, source.Entry{Path: f.Name})
		t.data = append(t.data, f.Data)
	}
	return t
}

func (t *tree) Entries() []source.Entry               { return t.entries }
func (t *tree) Read(i int, max int64) ([]byte, error) { return t.data[i], nil }
func (t *tree) Gaps() []source.Gap                    { return nil }
func (t *tree) Close() error                          { return nil }
