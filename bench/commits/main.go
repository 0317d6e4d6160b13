// Commits compares what kg says of the newest commits of a repository with what
// can be known of them without it:
//
//	go run ./bench/commits [-n 100] [-from REV] [-misses N] [-laws] REPO...
//	go run ./bench/commits -claims [-n 100] [-from REV] [-misses N] REPO...
//
// Each commit is compared with its first parent.
//
//   - The symbols that kg reports as added, removed or changed are compared with
//     a comparison of the syntax trees (go/ast) that knows nothing of kg; comments
//     and positions do not count. A renamed or moved symbol is one that went and
//     one that came.
//   - A commit that was merged compiles: whatever kg calls broken is wrong.
//   - Comparing a graph with itself gives nothing, and swapping two graphs swaps
//     what came with what went.
//   - With -laws, files of the newest commit are laid out anew, their declarations
//     and imports put in another order, their comments edited: nothing but
//     documentation may change.
//
// With -claims only the second is looked at, in all languages, and of whom kg says
// that they must follow, unless they still fit: few of these do not.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/bench/change"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
)

// tally counts symbols of one sort.
type tally struct{ right, wrong, missed int }

func (t tally) String() string {
	ratio := func(a, b int) string {
		if b == 0 {
			return "–"
		}
		return fmt.Sprintf("%.4f", float64(a)/float64(b))
	}
	return fmt.Sprintf("%s / %s (%d)", ratio(t.right, t.right+t.wrong), ratio(t.right, t.right+t.missed), t.right+t.missed)
}

// result is what one repository or all together gave.
type result struct {
	commits       int // with changed source
	by            map[sort]*tally
	all           tally    // symbols, however they changed
	broken        []string // false claims
	brokenCommits int
	unclear       int      // commits with users of whom kg cannot tell
	edited        int      // users who had to follow, and were edited
	open          []string // those of whom kg cannot tell
	laws          []string
	lines         []string
}

func newResult() *result {
	r := &result{by: map[sort]*tally{}}
	for _, s := range sorts {
		r.by[s] = &tally{}
	}
	return r
}

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 100, "how many commits of each repository")
	from := flag.String("from", "HEAD", "the newest of them")
	misses := flag.Int("misses", 20, "show up to this many disagreements of each repository")
	laws := flag.Bool("laws", false, "also edit files of the newest commit in ways that change nothing")
	claims := flag.Bool("claims", false, "look only at who is said to be broken, in all languages")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: commits [-n 100] [-from REV] [-misses N] [-laws | -claims] REPO...")
	}
	judge, row, head := (*result).commit, (*result).row, header
	if *claims {
		judge, row, head = (*result).claims, (*result).claimsRow, claimsHeader
	}
	total := newResult()
	fmt.Print(head)
	var details []string
	for _, dir := range flag.Args() {
		r := newResult()
		if err := r.repository(context.Background(), dir, *from, *n, *laws, judge); err != nil {
			log.Fatalf("%s: %v", dir, err)
		}
		fmt.Println(row(r, filepath.Base(dir)))
		details = append(details, r.details(filepath.Base(dir), *misses)...)
		total.add(r)
	}
	if flag.NArg() > 1 {
		fmt.Println(row(total, "all"))
	}
	fmt.Println(strings.Join(details, "\n"))
}

const (
	header       = "| repository | commits | added | removed | signature | body | all | commits with a false claim |\n|---|---:|---|---|---|---|---|---:|\n"
	claimsHeader = "| repository | commits | users that had to follow, and were edited | said to be broken | said to be unclear |\n|---|---:|---:|---:|---:|\n"
)

func (r *result) claimsRow(name string) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d |", name, r.commits, r.edited, len(r.broken), len(r.open))
}

func (r *result) row(name string) string {
	cells := ""
	for _, s := range sorts {
		cells += " " + r.by[s].String() + " |"
	}
	return fmt.Sprintf("| %s | %d |%s %v | %d |", name, r.commits, cells, r.all, r.brokenCommits)
}

func (r *result) details(name string, most int) []string {
	var out []string
	show := func(title string, lines []string) {
		if len(lines) > 0 {
			out = append(out, fmt.Sprintf("%s, %s: %d", name, title, len(lines)))
		}
		for i, l := range lines {
			if i == most {
				out = append(out, "  …")
				break
			}
			out = append(out, "  "+l)
		}
	}
	show("claims of broken uses in commits that compile", r.broken)
	show("laws that do not hold", r.laws)
	show("disagreements with the syntax trees", r.lines)
	show("users of whom kg cannot tell", r.open)
	if r.unclear > 0 {
		out = append(out, fmt.Sprintf("%s: %d commits with users of which kg says that it cannot be told", name, r.unclear))
	}
	return out
}

func (r *result) add(x *result) {
	r.commits += x.commits
	r.brokenCommits += x.brokenCommits
	r.edited += x.edited
	r.broken, r.open = append(r.broken, x.broken...), append(r.open, x.open...)
	for s, t := range x.by {
		r.by[s].add(t)
	}
	r.all.add(&x.all)
}

func (t *tally) add(x *tally) {
	t.right, t.wrong, t.missed = t.right+x.right, t.wrong+x.wrong, t.missed+x.missed
}

// judge compares one commit with the one before.
type judge func(r *result, ctx context.Context, id string, trees parser, base, head change.Side) error

// repository compares n commits of a repository, the newest first.
func (r *result) repository(ctx context.Context, dir, from string, n int, laws bool, judge judge) error {
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-list", "--first-parent", "-n", fmt.Sprint(n+1), from).Output()
	if err != nil {
		return err
	}
	ids := strings.Fields(string(out))
	repo, err := source.OpenRepo(dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	var b change.Builder
	sides := func(id string) (change.Side, error) {
		c, err := repo.Resolve(id)
		if err != nil {
			return change.Side{}, err
		}
		t, err := repo.Revision(c)
		if err != nil {
			return change.Side{}, err
		}
		return b.Build(ctx, t)
	}
	head, err := sides(ids[0])
	if err != nil {
		return err
	}
	if laws {
		if err := r.formatting(ctx, &b, head); err != nil {
			return err
		}
	}
	trees := parser{}
	for i, id := range ids[:len(ids)-1] {
		base, err := sides(ids[i+1])
		if err != nil {
			return err
		}
		if err := judge(r, ctx, id[:12], trees, base, head); err != nil {
			return err
		}
		head.Tree.Close()
		head = base
	}
	return head.Tree.Close()
}

func (r *result) commit(ctx context.Context, id string, trees parser, base, head change.Side) error {
	files, err := change.Changed(base, head, ".go")
	if err != nil {
		return err
	}
	d := change.Compare(base, head)
	if len(files) == 0 {
		if i := slices.IndexFunc(d.Changes, func(c diff.Change) bool { return d.Symbol(&c).Kind != graph.KindFile }); i >= 0 {
			r.laws = append(r.laws, id+": no file of the language changed, and "+d.Symbol(&d.Changes[i]).Key+" did")
		}
		return nil
	}
	r.commits++
	want := trees.compare(base, head, files)
	got := reported(d)
	for _, s := range sorts {
		t := r.by[s]
		for k := range got[s] {
			if want.has(s, k) {
				t.right++
			} else if !want.skipped(k) {
				t.wrong++
				r.lines = append(r.lines, fmt.Sprintf("%s %-9v wrong  %s", id, s, k))
			}
		}
		for k := range want.changes[s] {
			if !got[s][k] && !want.skipped(k) {
				t.missed++
				r.lines = append(r.lines, fmt.Sprintf("%s %-9v missed %s", id, s, k))
			}
		}
	}
	slices.Sort(r.lines)
	truth, said := union(want.changes), union(got)
	for k := range said {
		if truth[k] {
			r.all.right++
		} else if !want.skipped(k) {
			r.all.wrong++
		}
	}
	for k := range truth {
		if !said[k] && !want.skipped(k) {
			r.all.missed++
		}
	}
	r.mirror(id, base, head, d)
	return r.said(ctx, id, base, head, d, false)
}

// claims looks only at what is said of users, whatever the language.
func (r *result) claims(ctx context.Context, id string, _ parser, base, head change.Side) error {
	d := change.Compare(base, head)
	if d.Empty() {
		return nil
	}
	r.commits++
	return r.said(ctx, id, base, head, d, true)
}

// union returns the symbols that changed in one way or another.
func union(by map[sort]map[symbol]bool) map[symbol]bool {
	all := map[symbol]bool{}
	for _, ks := range by {
		for k := range ks {
			all[k] = true
		}
	}
	return all
}

// said collects what is called broken in a commit that compiles, and, if it is asked
// for, of whom it cannot be told.
func (r *result) said(ctx context.Context, id string, base, head change.Side, d *diff.Delta, open bool) error {
	x, err := change.Impact(ctx, base, head, d)
	if err != nil {
		return err
	}
	unclear := false
	for _, c := range x.Changes {
		for _, u := range c.Impacted {
			if u.Severity != impact.MustUpdate {
				continue
			}
			about := func() string {
				return fmt.Sprintf("%s %v %s breaks %s at %s:%d", id, c.Kind, c.Symbol.Key, u.Symbol.Key, u.Sites[0].File, u.Sites[0].Line)
			}
			switch u.State() {
			case impact.Broken:
				r.broken = append(r.broken, about())
			case impact.Unknown:
				unclear = true
				if open {
					r.open = append(r.open, about())
				}
			case impact.Edited:
				r.edited++
			}
		}
	}
	if x.Totals.Broken > 0 {
		r.brokenCommits++
	}
	if unclear {
		r.unclear++
	}
	return nil
}

// mirror checks the laws of the comparison.
func (r *result) mirror(id string, base, head change.Side, d *diff.Delta) {
	if self := change.Compare(head, head); !self.Empty() {
		r.laws = append(r.laws, id+": the graph differs from itself")
	}
	all := func(d *diff.Delta, swap bool) map[string]bool {
		set := map[string]bool{}
		for i := range d.Changes {
			c := &d.Changes[i]
			k, b, h := c.Kind, "", ""
			if w := d.Was(c); w != nil {
				b = w.Key
			}
			if c.Kind != diff.Removed {
				h = d.Symbol(c).Key
			}
			if swap {
				b, h = h, b
				switch k {
				case diff.Added:
					k = diff.Removed
				case diff.Removed:
					k = diff.Added
				}
			}
			set[fmt.Sprintf("%v %s %s %d", k, b, h, c.Members)] = true
		}
		return set
	}
	x, y := all(d, false), all(change.Compare(head, base), true)
	for _, pair := range [][2]map[string]bool{{x, y}, {y, x}} {
		for s := range pair[0] {
			if !pair[1][s] {
				r.laws = append(r.laws, id+": not in the reverse comparison: "+s)
			}
		}
	}
}
