package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/source"
)

// workers are the numbers that the graphs are made with.
var workers = []int{1, 2, 8}

func (c config) compare(repos []string, out io.Writer) error {
	fmt.Fprintln(out, "| repository | commits | graphs | read again | differ |\n|---|---:|---:|---:|---:|")
	bad := 0
	for _, dir := range repos {
		t, err := c.commitsOf(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		fmt.Fprintf(out, "| %s | %d | %d | %.1f %% | %d |\n", filepath.Base(dir), t.commits, t.graphs,
			100*float64(t.read)/float64(max(t.files, 1)), t.differ)
		bad += t.differ
	}
	if bad > 0 {
		return fmt.Errorf("%d graphs have other bytes than those that are made of nothing", bad)
	}
	return nil
}

type tally struct {
	commits, graphs, differ int
	files, read             int // of incremental builds
}

func (c config) commitsOf(dir string) (t tally, err error) {
	list, err := exec.Command("git", "-C", dir, "rev-list", "--first-parent", "-n", strconv.Itoa(c.commits), "HEAD").Output()
	if err != nil {
		return t, err
	}
	repo, err := source.OpenRepo(dir)
	if err != nil {
		return t, err
	}
	defer repo.Close()
	commits := strings.Fields(string(list))
	var before []byte // the facts file of the commit before
	for i := len(commits) - 1; i >= 0; i-- {
		commit, err := repo.Resolve(commits[i])
		if err != nil {
			return t, err
		}
		tree, err := repo.Revision(commit)
		if err != nil {
			return t, err
		}
		want, facts, _, err := c.build(tree, nil, analyzer.Options{})
		for _, n := range workers {
			if err != nil || before == nil {
				break
			}
			var got, again []byte
			var s statistics
			got, again, s, err = c.build(tree, before, analyzer.Options{Workers: n, Shuffle: c.seed + uint64(i)})
			t.graphs++
			t.files, t.read = t.files+s.files, t.read+s.read
			if err == nil && (!bytes.Equal(got, want) || !bytes.Equal(again, facts)) {
				t.differ++
			}
		}
		tree.Close()
		if err != nil {
			return t, fmt.Errorf("%s: %w", commits[i], err)
		}
		before = facts
		t.commits++
	}
	return t, nil
}

type statistics struct{ files, read int }

const extractor = "bench"

// build makes the graph file and the facts file of a tree, from an earlier facts
// file if there is one.
func (c config) build(tree source.Tree, from []byte, o analyzer.Options) (graph, facts []byte, s statistics, err error) {
	o.Memo = analyzer.NewMemo()
	if from != nil {
		f, err := artifact.OpenFacts(bytes.NewReader(from), int64(len(from)), extractor, artifact.Limits{})
		if err != nil {
			return nil, nil, s, err
		}
		defer f.Close()
		o.Memo.Use(f)
	}
	ctx := context.Background()
	r, err := analyzer.Read(ctx, tree, o)
	if err != nil {
		return nil, nil, s, err
	}
	contents := r.Contents()
	built, err := r.Link(ctx)
	if err != nil {
		return nil, nil, s, err
	}
	g := built.Build()
	s.files, s.read = len(contents), len(o.Memo.TakeFresh())
	var a, b bytes.Buffer
	if err := artifact.Write(&a, g); err != nil {
		return nil, nil, s, err
	}
	err = artifact.WriteFacts(&b, extractor, g.Tree, contents)
	return a.Bytes(), b.Bytes(), s, err
}
