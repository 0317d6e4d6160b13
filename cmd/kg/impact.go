package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
	"github.com/codekg/kg/diff/rules"
)

// impactFlags are the flags of kg impact.
type impactFlags struct {
	base      string
	exactBase bool
	head      string
	staged    bool
	symbol    string
	change    string
	depth     int
	noHistory bool
	policy    policyFlags
	from      string
	out       *outputs
}

// supposed are the values of --change.
var supposed = []struct {
	name string
	kind diff.Kind
}{
	{"signature", diff.Signature},
	{"remove", diff.Removed},
	{"body", diff.Body},
}

func supposedNames() []string {
	var names []string
	for _, s := range supposed {
		names = append(names, s.name)
	}
	return names
}

func (a *app) impactCommand() *cobra.Command {
	var f impactFlags
	cmd := &cobra.Command{
		Use:   "impact",
		Short: "Tell what a change reaches, breaks and leaves behind",
		Long: `Tell what a change reaches: what it breaks, what behaves differently, and which
tests prove it.

The change is what the files on disk are, or the revision of --head, or what is
staged (--staged), compared with where it began: the merge base with --base, else
with the base that a CI system names, else with the default branch. On the
default branch it is what is not committed, or else the last commit. The first
lines of the report say what was compared.

Rules judge the change; ` + "`kg config rules`" + ` lists them. With --fail-on, or a gate in
` + configName + `, kg exits with 1 if one of the named levels or rules finds something, and
with 2 if files were lost to the analysis.

With --symbol and --change nothing needs to be changed: kg tells what such a
change of one declaration would reach.`,
		Example: `  kg impact                               # this branch, with what is not committed
  kg impact --base main --staged          # before a commit
  kg impact --base v1.2.0 --head v1.3.0 -o json=impact.json -o text
  kg impact --base main.kg                # a graph file made by kg build
  kg impact --base main.kg --from main.kgf   # and the facts that it wrote beside it
  kg impact --symbol 'go:example.com/shop#Cart.Add' --change signature`,
		Args: arguments(0, 0),
		RunE: runs(func(cmd *cobra.Command, _ []string) error {
			return a.impact(cmd.Context(), &f)
		}),
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.base, "base", "", "compare with `REV`, a graph file or a folder")
	fs.StringVar(&f.head, "head", "", "look at the revision or graph file `REV` instead of the files on disk")
	fs.BoolVar(&f.exactBase, "exact-base", false, "compare with the base itself, not with the merge base")
	fs.BoolVar(&f.staged, "staged", false, "look at what is staged instead of the files on disk")
	fs.StringVar(&f.symbol, "symbol", "", "what if the declaration `KEY` was changed")
	fs.StringVar(&f.change, "change", "", "and this was the `CHANGE`: "+strings.Join(supposedNames(), ", "))
	fs.IntVar(&f.depth, "depth", 0, "follow changed behaviour over `N` calls (default 3)")
	fs.BoolVar(&f.noHistory, "no-history", false, "do not look for files that usually change together with those of the change")
	f.policy.add(cmd)
	fromFlag(cmd, &f.from)
	f.out = outputFlag(cmd, reportFormats(writesImpact)...)
	complete(cmd, "change", supposedNames()...)
	return cmd
}

func (f *impactFlags) check() error {
	switch {
	case f.staged && f.head != "":
		return usage("--staged and --head are both given: the change is either staged or that revision")
	case f.symbol != "" && f.change == "":
		return usagef("--symbol needs --change, which is one of %s", strings.Join(supposedNames(), ", "))
	case f.symbol == "" && f.change != "":
		return usage("--change needs --symbol KEY, which says what is changed")
	case f.symbol != "" && (f.base != "" || f.exactBase):
		return usage("--symbol asks about one state of the code: --base has no meaning with it")
	case f.depth < 0:
		return usage("--depth must not be negative")
	case f.symbol != "" && (f.policy.config != "" || len(f.policy.failOn) > 0):
		return usage("--symbol asks about a change that was not made: no rule judges it")
	}
	return f.policy.check()
}

func (a *app) impact(ctx context.Context, f *impactFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	list, err := f.out.all()
	if err != nil {
		return err
	}
	p := a.progress()
	defer p.end()
	repo := repositoryAt(".")
	defer repo.close()
	head, err := repo.head(f)
	if err != nil {
		return err
	}
	defer head.close()
	earlier := a.earlier
	if a.inCI() || f.policy.gates() {
		earlier = a.earlierVouched
	}
	e := earlier(ctx, f.from)
	defer e.end()
	if f.symbol != "" {
		return a.whatIf(ctx, f, head, list, e, p)
	}
	b, err := repo.chooseBase(head, baseOptions{rev: f.base, exact: f.exactBase, env: a.ciEnvironment()})
	if err != nil {
		return err
	}
	defer b.close()
	if a.inCI() && b.commit.ID != "" {
		// A change must not hide files from whoever judges it.
		if err := head.hideBy(repo, b.commit); err != nil {
			return err
		}
	}
	var past *pastReader
	if !f.noHistory {
		if past, err = a.readPast(ctx, repo, b); err != nil {
			return err
		}
		defer past.stop()
	}
	c, err := a.compare(ctx, b, head, e, p)
	if err != nil {
		return err
	}
	if (b.origin == fromGraph || head.origin == fromGraph) && !c.delta.Related() {
		return &failure{text: "the base and the head have no declaration in common",
			hint: "is one of them the graph of another repository?"}
	}
	c.past = past
	if repo.used != nil {
		c.root = repo.used.Root()
	}
	edited, err := c.edited(ctx)
	if err != nil {
		return err
	}
	inputs, err := c.inputs(ctx)
	if err != nil {
		return err
	}
	r := impact.Compute(c.delta, impact.Options{Depth: f.depth, Edited: edited, Inputs: inputs, Runner: testRunners()})
	in := &rules.Input{Impact: r}
	if in.New, err = a.newOnBase(ctx, repo, c, r, p); err != nil {
		return err
	}
	p.end()
	rep := c.report(r)
	if err := a.judge(ctx, &f.policy, c, in, rep); err != nil {
		return err
	}
	if err := a.writeImpact(ctx, c, rep, list); err != nil {
		return err
	}
	return verdict(rep)
}

// newOnBase asks the tip of the base branch for uses that the change does not
// know. The tip is only built where something could have broken.
func (a *app) newOnBase(ctx context.Context, repo *repository, c *comparison, r *impact.Result, p *progress) ([]impact.NewUse, error) {
	if c.base.tip.ID == "" || !slices.ContainsFunc(r.Changes, func(x impact.Change) bool { return x.Breaking }) {
		return nil, nil
	}
	tip, err := repo.commit("the tip of the base branch", c.base.tip)
	if err != nil {
		return nil, err
	}
	defer tip.close()
	if err := a.build(ctx, tip, c.known.memo, p.part("tip"), nil); err != nil {
		return nil, err
	}
	return impact.NewUses(r, tip.graph), nil
}

// head opens what the change is.
func (r *repository) head(f *impactFlags) (*side, error) {
	switch {
	case f.staged:
		return r.staged()
	case f.head == "":
		return r.workTree()
	}
	s, err := r.operand(f.head)
	if err != nil {
		return nil, withText("cannot find the head", err)
	}
	return s, nil
}

// whatIf reports a change that nobody has made.
func (a *app) whatIf(ctx context.Context, f *impactFlags, head *side, list []output, e *earlier, p *progress) error {
	at := slices.Index(supposedNames(), f.change)
	if at < 0 {
		return usagef("--change is one of %s, not %s", strings.Join(supposedNames(), ", "), quote(f.change))
	}
	if err := a.build(ctx, head, e.memo, p.part("files"), nil); err != nil {
		return err
	}
	key, err := findSymbol(head.graph, f.symbol)
	if err != nil {
		return err
	}
	r, err := impact.WhatIf(head.graph, key, supposed[at].kind, languageRules(), impact.Options{Depth: f.depth, Runner: testRunners()})
	if err != nil {
		return err
	}
	p.end()
	same := &base{side: head, how: "itself"}
	c := &comparison{base: same, head: head, delta: r.Delta}
	return a.writeImpact(ctx, c, c.report(r), list)
}

// findSymbol finds a declaration by its key, or by a name that only one has.
func findSymbol(g *graph.Graph, name string) (string, error) {
	if g.Lookup(name) != graph.None && !graph.IsExternal(name) {
		return name, nil
	}
	var same, near []string
	last := name[strings.LastIndexAny(name, ".#/:")+1:]
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind == graph.KindExternal || n.Kind == graph.KindRepository {
			continue
		}
		if n.QName == name || n.Name == name && n.Kind != graph.KindFile || strings.HasSuffix(n.Key, "#"+name) || strings.HasSuffix(n.Key, "/"+name) {
			same = append(same, n.Key)
		} else if n.Name != "" && strings.EqualFold(n.Name, last) {
			near = append(near, n.Key)
		}
	}
	if len(same) == 1 {
		return same[0], nil
	}
	f := &failure{
		text: fmt.Sprintf("no declaration has the key %s", quote(name)),
		hint: "keys are the ids of `kg export -o jsonl=-`",
	}
	if len(same) > 1 {
		f.text = fmt.Sprintf("%s is the name of %d declarations", quote(name), len(same))
		near = same
	}
	if len(near) > 0 {
		slices.SortFunc(near, func(x, y string) int {
			return cmp.Or(cmp.Compare(distance(x, name), distance(y, name)), cmp.Compare(x, y))
		})
		f.hint = "did you mean " + strings.Join(near[:min(3, len(near))], " or ") + "?"
	}
	return "", f
}
