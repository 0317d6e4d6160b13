package main

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/hmarr/codeowners"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/diff/cochange"
	"github.com/codekg/kg/diff/impact"
)

// askImpact supposes a change of the target.
func (a *app) askImpact(_ context.Context, s *session, r query.Request) (*query.Answer, error) {
	if r.Change == "" {
		r.Change = supposed[0].name
	}
	at := slices.Index(supposedNames(), r.Change)
	if at < 0 {
		return nil, usagef("the change is one of %v, not %s", supposedNames(), quote(r.Change))
	}
	return s.index.Tell(r, query.Op{Name: "impact", From: query.Details}, func(target graph.ID) ([]query.Told, string, error) {
		res, err := impact.WhatIf(s.graph, s.graph.Nodes[target].Key, supposed[at].kind, languageRules(),
			impact.Options{Depth: r.Depth, Limit: -1, SkipTests: true, Runner: testRunners()})
		if err != nil {
			return nil, "", &query.RequestError{Text: err.Error()}
		}
		var list []query.Told
		for i := range res.Changes {
			for j := range res.Changes[i].Impacted {
				x := &res.Changes[i].Impacted[j]
				t := query.Told{Node: x.ID, Depth: x.Depth, Relation: x.Relation.String(), Certainty: x.Certainty, Note: x.Severity.String()}
				if len(x.Path) > 1 {
					t.Via = x.Path[0].To.Key
				}
				for _, site := range x.Sites {
					t.Sites = append(t.Sites, query.Place{File: site.File, Line: int(site.Line), Col: int(site.Col)})
				}
				list = append(list, t)
			}
		}
		t := res.Totals
		why := plural(t.MustUpdate, "symbol") + " must be updated, " + thousands(t.ShouldReview) + " should be reviewed, " +
			thousands(t.MayBeAffected) + " may be affected"
		return list, why, nil
	})
}

// askCochanges asks the history.
func (a *app) askCochanges(ctx context.Context, s *session, r query.Request) (*query.Answer, error) {
	return s.index.Tell(r, query.Op{Name: "co_changes", From: query.Outside}, func(target graph.ID) ([]query.Told, string, error) {
		file := s.graph.Nodes[target].File
		if file == "" {
			return nil, "it is in no file", nil
		}
		repo, err := s.repo.open()
		if err != nil {
			return nil, "", err
		}
		at, err := headCommit(repo)
		if s.commit.ID != "" {
			at = s.commit
		}
		if err != nil {
			return nil, "", err
		}
		tree, err := repo.Revision(at)
		if err != nil {
			return nil, "", err
		}
		defer tree.Close()
		if _, ok := source.Find(tree.Entries(), file); !ok {
			return nil, "the history does not know the file", nil
		}
		log, err := repo.History(ctx, at, a.historyOptions(cochangeHistory, true))
		if err != nil {
			return nil, "", err
		}
		var list []query.Told
		for _, h := range cochange.New(log).Rank([]string{file}, among(tree.Entries())) {
			t := query.Told{Node: s.graph.Lookup(graph.FileKey(h.File)), Relation: "co_changes", Value: h.Confidence,
				Note: "in " + plural(h.Support, "commit")}
			if t.Node == graph.None {
				t.File = h.File
			}
			list = append(list, t)
		}
		return list, "a habit, not a dependency; " + plural(len(log.Commits), "commit") + " seen" + cutSaid[log.Cut.String()], nil
	})
}

// ownersFiles are where GitHub looks for the owners of files, in its order.
var ownersFiles = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}

// askOwners reads CODEOWNERS of the same tree.
func (a *app) askOwners(_ context.Context, s *session, r query.Request) (*query.Answer, error) {
	return s.index.Tell(r, query.Op{Name: "owners", From: query.Outside}, func(target graph.ID) ([]query.Told, string, error) {
		var rules codeowners.Ruleset
		from := ""
		for _, path := range ownersFiles {
			data, err := s.lines.bytes(path)
			if err != nil {
				continue
			}
			if rules, err = codeowners.ParseFile(bytes.NewReader(data)); err != nil {
				return nil, "", &failure{text: "cannot read " + path, err: err}
			}
			from = path
			break
		}
		if from == "" {
			return nil, "the tree has no file CODEOWNERS", nil
		}
		count := map[string]int{}
		files := s.filesOf(target)
		for _, file := range files {
			rule, err := rules.Match(file)
			if err != nil {
				return nil, "", err
			}
			if rule == nil {
				continue
			}
			for _, o := range rule.Owners {
				count[o.String()]++
			}
		}
		var list []query.Told
		for _, name := range slices.Sorted(maps.Keys(count)) {
			list = append(list, query.Told{Node: graph.None, Name: name, Kind: "owner", Relation: "owns", Value: float64(count[name]),
				Note: "of " + plural(count[name], "file") + " of " + thousands(len(files))})
		}
		slices.SortStableFunc(list, func(a, b query.Told) int { return cmp.Compare(b.Value, a.Value) })
		return list, "by " + from, nil
	})
}

// filesOf are the files that a node is in, or holds.
func (s *session) filesOf(target graph.ID) []string {
	if f := s.graph.Nodes[target].File; f != "" && s.graph.Nodes[target].Kind != graph.KindModule {
		return []string{f}
	}
	var files []string
	for i := range s.graph.Nodes {
		n := &s.graph.Nodes[i]
		if n.Kind != graph.KindFile {
			continue
		}
		for p := n.Parent; p != graph.None; p = s.graph.Nodes[p].Parent {
			if p == target {
				files = append(files, n.File)
				break
			}
		}
	}
	return files
}
