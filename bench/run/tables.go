package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// tags are the parts of the calls that have a column of their own.
var tags = []struct{ title, tag string }{
	{"through interfaces", "interface"},
	{"promoted", "promoted"},
	{"in initialisers", "init"},
	{"generic", "generic"},
	{"in closures", "closure"},
	{"in tests", "test"},
}

// writeTables writes the Markdown tables: calls, the other kinds, what a build
// costs, and the mistakes of all repositories.
func writeTables(out io.Writer, rows []*row, kinds []string) error {
	t := &tables{w: out}
	head := []string{"repository", "files", "calls"}
	for _, tag := range tags {
		head = append(head, tag.title)
	}
	t.head("Calls: precision / recall (pairs of the compiler)", head)
	for _, r := range rows {
		cells := []string{r.title(), fmt.Sprint(r.score.Judged)}
		calls := r.kind("calls")
		cells = append(cells, calls.Pairs.String())
		for _, tag := range tags {
			cells = append(cells, calls.Tags[tag.tag].String())
		}
		t.row(cells)
	}
	t.head("Other relations: precision / recall (pairs of the compiler)", append([]string{"repository"}, kinds...))
	for _, r := range rows {
		cells := []string{r.title()}
		for _, k := range kinds {
			cells = append(cells, r.kind(k).Pairs.String())
		}
		t.row(cells)
	}
	t.head("What a build costs: seconds of processor time, the least of several runs", []string{
		"repository", "files", "MB of source", "parsing alone", "build", "build / parsing", "linking / parsing", "wall", "peak MB", "graph / source",
	})
	for _, r := range rows {
		p := r.phases
		t.row([]string{
			r.title(), fmt.Sprint(p.Files), fmt.Sprintf("%.2f", float64(p.Bytes)/1e6), fmt.Sprintf("%.2f", r.parse.Parse),
			fmt.Sprintf("%.2f", r.build.CPU.Seconds()), share(r.build.CPU.Seconds(), r.parse.Parse), share(p.Link, r.parse.Parse),
			fmt.Sprintf("%.2f", r.build.Wall.Seconds()), orDash(r.build.Peak >> 20), share(float64(p.Graph), float64(p.Bytes)),
		})
	}
	t.head("Mistakes of all repositories", []string{"mistakes", "relation", "what", "repositories", "for example"})
	for _, m := range pool(rows) {
		t.row([]string{fmt.Sprint(m.n), m.kind, m.what, strings.Join(m.repos, ", "), m.example})
	}
	return t.err
}

type tables struct {
	w   io.Writer
	err error
}

func (t *tables) head(title string, columns []string) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, "\n%s\n\n", title)
	}
	t.row(columns)
	t.row(slices.Concat([]string{"---"}, slices.Repeat([]string{"---:"}, len(columns)-1)))
}

func (t *tables) row(cells []string) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, "| %s |\n", strings.Join(cells, " | "))
	}
}

func (r *row) title() string {
	if r.commit == "" {
		return r.name
	}
	return r.name + " " + r.commit[:min(10, len(r.commit))]
}

func (r *row) kind(name string) kindScore {
	for _, k := range r.score.Kinds {
		if k.Kind == name {
			return k
		}
	}
	return kindScore{}
}

func (c count) String() string {
	if c.Right+c.Wrong+c.Truth == 0 {
		return "–"
	}
	return fmt.Sprintf("%s / %s (%d)", exactly(c.Right, c.Right+c.Wrong), exactly(c.Found, c.Truth), c.Truth)
}

// exactly writes a share; 1 and 0 are written for nothing but themselves.
func exactly(n, of int) string {
	switch {
	case of == 0:
		return "–"
	case n == of:
		return "1"
	case n == 0:
		return "0"
	}
	return fmt.Sprintf("%.4f", min(max(float64(n)/float64(of), 0.0001), 0.9999))
}

func share(a, b float64) string {
	if b == 0 || math.IsNaN(a/b) {
		return "–"
	}
	return fmt.Sprintf("%.2f", a/b)
}

func orDash(n int64) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

// mistake is a class of mistakes of all repositories.
type mistake struct {
	kind, what, example string
	n                   int
	repos               []string
}

// pool adds up the mistakes of all repositories by relation and reason, the most
// frequent first.
func pool(rows []*row) []*mistake {
	by := map[[2]string]*mistake{}
	var list []*mistake
	for _, r := range rows {
		add := func(kind, who string, groups []group, examples []example) {
			for _, g := range groups {
				key := [2]string{kind, who + g.Reason}
				m := by[key]
				if m == nil {
					m = &mistake{kind: kind, what: key[1]}
					by[key] = m
					list = append(list, m)
				}
				m.n += g.N
				m.repos = append(m.repos, r.name)
				for _, e := range examples {
					if m.example == "" && e.Reason == g.Reason {
						m.example = cell(fmt.Sprintf("%s %s:%d, %s → %s: `%s`", r.name, e.File, e.Line, e.From, e.To, strings.ReplaceAll(e.Source, "`", "'")))
					}
				}
			}
		}
		for _, k := range r.score.Kinds {
			add(k.Kind, "wrong: ", k.WrongBy, k.Wrong)
			add(k.Kind, "missed: ", k.MissedBy, k.Missed)
		}
	}
	slices.SortStableFunc(list, func(a, b *mistake) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.kind, b.kind), cmp.Compare(a.what, b.what))
	})
	return list
}

// cell keeps text inside of a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
