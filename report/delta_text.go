package report

import (
	"fmt"
	"io"
	"strings"
)

// Verdict is the first sentence of a delta report.
func (r *DeltaReport) Verdict() string {
	n := len(r.Changes)
	if n == 0 && len(r.Dependencies) == 0 && len(r.Cycles) == 0 && len(r.Relations) == 0 && len(r.Libraries) == 0 && len(r.Shifted) == 0 {
		return "No declaration and no dependency differs."
	}
	s := count(n, "symbol") + " changed"
	switch k := r.Stats.Exported; {
	case k > 0:
		s += fmt.Sprintf(", %d of them %s the exported API", k, verb(k, "breaks", "break"))
	case n > 0:
		s += ", " + verb(n, "which does not break", "none of them breaks") + " the exported API"
	}
	for _, x := range []struct {
		n    int
		what string
	}{{added(r.Cycles, func(c Cycle) bool { return c.Added }), "new import cycle"},
		{added(r.Dependencies, func(d Dependency) bool { return d.Added }), "new dependency"},
		{added(r.Relations, func(x Relation) bool { return !x.Added && x.Kind == "implements" }), "lost implementation"}} {
		switch {
		case x.n == 1:
			s += ", 1 " + x.what
		case x.n > 1:
			s += fmt.Sprintf(", %d %s", x.n, plural(x.what))
		}
	}
	return s + "."
}

func plural(s string) string {
	if t, ok := strings.CutSuffix(s, "y"); ok {
		return t + "ies"
	}
	return s + "s"
}

func added[T any](xs []T, is func(T) bool) (n int) {
	for _, x := range xs {
		if is(x) {
			n++
		}
	}
	return n
}

func writeDeltaText(w io.Writer, r *DeltaReport, o Options) error {
	p := newPage(o)
	p.line(span{bold, r.Verdict()})
	p.coverage(r.Unknowns)
	p.compared(&r.Base, &r.Head)
	p.apart(r.Libraries, r.Shifted)
	for _, kind := range []string{"removed", "added", "renamed", "moved", "signature", "variant", "body", "doc"} {
		p.deltaKind(r, kind)
	}
	if len(r.Cycles) > 0 {
		p.section("Import cycles", len(r.Cycles))
		for _, c := range r.Cycles {
			var at []string
			for _, d := range c.Path {
				at = append(at, fmt.Sprintf("%s (%s)", d.From, place(d.File, d.Line)))
			}
			at = append(at, c.Path[0].From)
			p.line(sign(c.Added), strings.Join(at, " -> "))
		}
	}
	if n := len(r.Dependencies); n > 0 {
		p.section("Dependencies between packages", n)
		show, done := p.cut(n)
		for _, d := range r.Dependencies[:show] {
			p.line(sign(d.Added), d.From+" -> "+d.To, span{faint, "  " + place(d.File, d.Line)})
		}
		done(n)
	}
	if n := len(r.Relations); n > 0 {
		p.section("Hierarchy", n)
		show, done := p.cut(n)
		for _, x := range r.Relations[:show] {
			p.line(sign(x.Added), x.From+" "+x.Kind+" "+x.To)
		}
		done(n)
	}
	if n := len(r.Moved); n > 0 {
		p.section("Moved files", n)
		show, done := p.cut(n)
		for _, m := range r.Moved[:show] {
			p.line("  ", m.From+" -> "+m.To)
		}
		done(n)
	}
	if n := len(r.Formatting); n > 0 {
		p.line("")
		p.line(span{faint, count(n, "file") + " changed in layout, comments or imports only."})
	}
	p.unknowns(r.Unknowns)
	return p.flush(w)
}

// deltaKind writes the changes of one kind.
func (p *page) deltaKind(r *DeltaReport, kind string) {
	var cs []*DeltaChange
	for i := range r.Changes {
		if r.Changes[i].Change == kind {
			cs = append(cs, &r.Changes[i])
		}
	}
	if len(cs) == 0 {
		return
	}
	p.section(strings.ToUpper(kind[:1])+kind[1:], len(cs))
	show, done := p.cut(len(cs))
	for _, c := range cs[:show] {
		mark, s := "  ", plain
		if c.Breaking && c.Exported {
			mark, s = "! ", red
		}
		what := title(&Change{Change: c.Change, Detail: c.Detail, Members: c.Members})
		p.line(span{s, mark}, span{bold, c.Symbol.Name}, "  ", c.Symbol.Kind, "  ", what, span{faint, "  " + place(c.Symbol.File, c.Symbol.Line)})
	}
	done(len(cs))
}

func sign(added bool) string {
	if added {
		return "  + "
	}
	return "  - "
}
