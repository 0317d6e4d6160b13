package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/source"
)

// baseOptions is what the user says about the base.
type baseOptions struct {
	rev   string // --base
	exact bool   // --exact-base
	env   ciEnv
}

// base is what the head is compared with, and how it was found.
type base struct {
	*side
	how   string   // "merge base with main, the default branch"; empty if it goes without saying
	notes []string // what may surprise

	tip history.Commit // what the change is to be merged into, if that is ahead of the base
}

// chooseBase finds the base for a head, in this order:
//
//  1. --base: a graph file or a folder as it is, or a revision;
//  2. the base of the change that a CI system runs for;
//  3. the default branch, or on it the commit before.
//
// Of a revision it takes the merge base with the head, which is the state that
// the author began with, unless --exact-base is given.
func (r *repository) chooseBase(head *side, o baseOptions) (*base, error) {
	if o.rev != "" {
		s, err := r.operand(o.rev)
		if err != nil {
			return nil, withText("cannot find the base", err)
		}
		b := &base{side: s}
		switch s.origin {
		case fromGraph:
			b.how = "the graph file " + s.name + ", named by --base"
			return b, nil
		case fromRevision:
			return r.mergeBase(s, head, o.exact, "named by --base")
		}
		b.how = "the folder " + s.name + ", named by --base"
		return b, nil
	}
	if head.commit.ID == "" {
		if head.origin == fromGraph || head.origin == fromFolder {
			return nil, &failure{text: "there is nothing to compare " + head.name + " with", hint: "name a base with --base", usage: true}
		}
		_, err := r.revision("HEAD") // says that there are no commits
		return nil, err
	}
	if system, change, ok := findCIChange(o.env); ok {
		return r.ciBase(head, system, change, o.exact)
	}
	return r.defaultBase(head, o.exact)
}

// ciBase takes the first name that the clone has. A head that is a merge of the
// proposed commit is compared with what it was merged into: a merge base would
// be older and blame others' work on the author.
func (r *repository) ciBase(head *side, system string, change ciChange, exact bool) (*base, error) {
	repo, err := r.open()
	if err != nil {
		return nil, err
	}
	if ps := head.commit.Parents; len(ps) == 2 && ps[1] == change.head {
		c, err := repo.Resolve(ps[0])
		if err != nil {
			return nil, &failure{
				text: fmt.Sprintf("%s checked out a merge commit, and what it merged into was not fetched", system),
				hint: "check out with fetch-depth: 0", err: err}
		}
		s, err := r.commit("HEAD^1", c)
		if err != nil {
			return nil, err
		}
		return &base{side: s, how: "HEAD^1, what the merge commit that " + system + " checked out was merged into"}, nil
	}
	var names []string
	for _, name := range change.bases {
		s, err := r.revision(name.rev)
		if err == nil {
			return r.mergeBase(s, head, exact, name.from+" of "+system)
		}
		if !errors.Is(err, source.ErrUnknownRevision) && !errors.Is(err, source.ErrMissingObject) {
			return nil, err
		}
		names = append(names, fmt.Sprintf("%s (%s)", name.rev, name.from))
	}
	return nil, &failure{
		text: fmt.Sprintf("%s names a base that is not in this clone: %s", system, strings.Join(names, ", ")),
		hint: "check out with fetch-depth: 0, or name a base with --base",
	}
}

func (r *repository) defaultBase(head *side, exact bool) (*base, error) {
	repo, err := r.open()
	if err != nil {
		return nil, err
	}
	dirty, err := isDirty(repo, head)
	if err != nil {
		return nil, err
	}
	found, err := repo.DefaultBase(head.commit, dirty)
	if err != nil {
		return nil, err
	}
	s, err := r.commit(found.Rev, found.Commit)
	if err != nil {
		return nil, err
	}
	if found.OnDefault {
		return &base{side: s, how: found.Note}, nil
	}
	b, err := r.mergeBase(s, head, exact, "the default branch")
	if err == nil && found.Note != "" {
		b.notes = append(b.notes, found.Note)
	}
	return b, err
}

// isDirty reports whether a head has changes on top of its commit.
func isDirty(repo *source.Repo, head *side) (bool, error) {
	switch head.origin {
	case fromWorkTree:
		return repo.IsDirty(head.tree)
	case fromIndex:
		committed, err := repo.Revision(head.commit)
		if err != nil {
			return false, err
		}
		defer committed.Close()
		changed, err := source.Changed(committed, head.tree)
		return len(changed) > 0, err
	}
	return false, nil
}

// mergeBase makes the base of a revision: its merge base with the head, if one
// is wanted and the head is of the repository. named says who named it.
func (r *repository) mergeBase(s, head *side, exact bool, named string) (*base, error) {
	name := s.name
	if name == s.commit.ID {
		name = short(name) // as CI names commits
	}
	if exact || head.commit.ID == "" {
		return &base{side: s, how: fmt.Sprintf("exactly %s, %s", name, named)}, nil
	}
	defer s.close()
	repo, err := r.open()
	if err != nil {
		return nil, err
	}
	found, err := repo.MergeBase(s.commit, head.commit)
	if errors.Is(err, source.ErrNoCommonAncestor) {
		return nil, withHint(err, "compare with exactly that commit: --exact-base")
	} else if err != nil {
		return nil, err
	}
	b := &base{how: fmt.Sprintf("%s, %s", name, named)}
	switch {
	case found[0].ID != s.commit.ID:
		b.how = "merge base with " + b.how
		b.tip = s.commit
	case name != s.name:
		b.how = named // its name is said already
	}
	if repo.IsShallow() {
		b.notes = append(b.notes, "this clone is shallow: a nearer common ancestor may not have been fetched")
	}
	if len(found) > 1 {
		b.notes = append(b.notes, severalMergeBases(found))
	}
	b.side, err = r.commit(s.name, found[0])
	return b, err
}

func severalMergeBases(found []history.Commit) string {
	var others []string
	for _, c := range found[1:] {
		others = append(others, short(c.ID))
	}
	return fmt.Sprintf("there are %d merge bases; %s is the newest, the others are %s",
		len(found), short(found[0].ID), strings.Join(others, ", "))
}

// short is a hash as people write it.
func short(id string) string { return id[:min(12, len(id))] }

func withText(text string, err error) error { return &failure{text: text, err: err} }

func withHint(err error, hint string) error {
	text, _ := explain(err)
	return &failure{text: text, hint: hint}
}

// ciEnvironment is the process's.
func (a *app) ciEnvironment() ciEnv { return ciEnv{getenv: a.getenv, readFile: readSmall} }

// readSmall reads a file of a sensible size.
func readSmall(path string) ([]byte, error) {
	const most = 32 << 20
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, errors.New("not a file of a sensible size")
	}
	return os.ReadFile(path)
}
