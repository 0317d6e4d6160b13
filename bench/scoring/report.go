package scoring

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// WriteText writes the score for a reader, with up to so many reasons for
// mistakes of each kind.
func (s *Score) WriteText(out io.Writer, groupsShown int) error {
	w := &printer{w: out}
	w.f("%s, %s: %d of %d files judged, %d sites, %d open (%.1f %%)\n",
		s.Lang, s.Tool, s.Judged, s.Files, s.Sites, s.Open, 100*ratio(s.Open, s.Sites))
	for _, n := range s.Notes {
		w.f("note: %s\n", n)
	}
	w.f("\n%-14s %7s %7s %7s\n", "definitions", "found", "of", "extra")
	for _, d := range s.Defs {
		w.f("%-14s %7d %7d %7d\n", d.Kind, d.Found, d.Truth, d.Extra)
	}
	w.f("\n%-14s %9s %8s %7s %8s %8s %8s   %9s %8s   %s\n", "pairs", "precision", "right", "wrong",
		"recall", "found", "of", "site prec", "site rec", "dispatch optional ambiguous(right) unjudged sites")
	for _, k := range s.Kinds {
		w.f("%-14s %s", k.Kind, line(k.Pairs))
		if k.Sites != nil {
			w.f("   %s %s", share(k.Sites.Precision, k.Sites.Right+k.Sites.Wrong), share(k.Sites.Recall, k.Sites.Truth))
		} else {
			w.f("   %9s %9s", "", "")
		}
		w.f("   %d %d %d(%d) %s\n", k.Dispatch, k.Optional, k.Ambiguous.Right+k.Ambiguous.Wrong, k.Ambiguous.Right, reasons(k.Unjudged))
	}
	for _, k := range s.Kinds {
		w.kind(k, groupsShown)
	}
	return w.err
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func share(x float64, n int) string {
	if n == 0 {
		return fmt.Sprintf("%9s", "-")
	}
	return fmt.Sprintf("%9.4f", x)
}

func line(c Count) string {
	return fmt.Sprintf("%s %8d %7d %s %7d %8d", share(c.Precision, c.Right+c.Wrong), c.Right, c.Wrong,
		share(c.Recall, c.Truth), c.Found, c.Truth)
}

func reasons(m map[string]int) string {
	if len(m) == 0 {
		return "0"
	}
	names := make([]string, 0, len(m))
	for r := range m {
		names = append(names, r)
	}
	sort.Strings(names)
	for i, r := range names {
		names[i] = fmt.Sprintf("%d %s", m[r], r)
	}
	return strings.Join(names, ", ")
}

func (p *printer) kind(k KindScore, groupsShown int) {
	p.f("\n== %s ==\n", k.Kind)
	names := make([]string, 0, len(k.Tags))
	for name := range k.Tags {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		p.f("  %-16s %s\n", name, line(k.Tags[name]))
	}
	for _, c := range []string{"exact", "inferred"} {
		if s := k.Certainty[c]; s != nil {
			p.f("  %s: %d right, %d wrong\n", c, s.Right, s.Wrong)
		}
	}
	if k.Types != nil {
		p.f("  concrete type at right sites: %d right, %d wrong\n", k.Types.Right, k.Types.Wrong)
	}
	p.groups("wrong", k.Pairs.Wrong, k.WrongBy, groupsShown, k.Wrong)
	p.groups("missed", k.Pairs.Truth-k.Pairs.Found, k.MissedBy, groupsShown, k.Missed)
}

func (p *printer) groups(title string, n int, groups []Group, shown int, examples []Example) {
	if n == 0 {
		return
	}
	p.f("  %s: %d\n", title, n)
	for i, g := range groups {
		if i == shown {
			p.f("    … %d more reasons\n", len(groups)-shown)
			break
		}
		p.f("    %6d %s\n", g.N, g.Reason)
	}
	for _, e := range examples {
		p.f("    %s:%d:%d %s -> %s [%s]\n", e.File, e.Line, e.Col, e.From, e.To, e.Reason)
		if e.Source != "" {
			p.f("        %s\n", e.Source)
		}
	}
}
