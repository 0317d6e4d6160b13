package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The text report, for a person at a terminal. Rules:
//
//   - The first line is the verdict. The next lines say what was not analysed,
//     so that nobody reads on without knowing.
//   - Then what changed, what is broken with its line, what else is impacted by
//     urgency, tests, and the remaining unknowns. Empty sections are left out.
//   - Numbers are those of the JSON report. Lists are cut, totals never.
//   - Every place is written FILE:LINE, so that terminals make links of it.

// defaultLimit is how many entries of a list are shown.
const defaultLimit = 20

// testsShown is how many tests of one package are named.
const testsShown = 5

// style is an ANSI colour.
type style string

const (
	plain  style = ""
	bold   style = "1"
	red    style = "31"
	yellow style = "33"
	faint  style = "2"
)

// span is a part of a line with one style.
type span struct {
	style style
	text  string
}

// page writes lines of escaped text.
type page struct {
	b       bytes.Buffer
	options Options
}

func newPage(o Options) *page {
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	return &page{options: o}
}

// line writes one line; each part is a string or a span. What a part holds is
// never trusted.
func (p *page) line(parts ...any) {
	var begin strings.Builder // of the line, as far as it takes to see a command
	for _, x := range parts {
		s, ok := x.(span)
		if !ok {
			s.text = fmt.Sprint(x)
		}
		text := Escape(s.text)
		if t := strings.TrimLeft(begin.String(), " "); len(t) < len("::") {
			// The line may begin with a command, and the command in any part.
			if strings.HasPrefix(strings.TrimLeft(t+text, " "), "::") {
				text = strings.Replace(text, ":", `\x3a`, 1)
			}
			begin.WriteString(text)
		}
		if p.options.Color && s.style != plain && text != "" {
			text = "\x1b[" + string(s.style) + "m" + text + "\x1b[0m"
		}
		p.b.WriteString(text)
	}
	p.b.WriteByte('\n')
}

// section writes a heading after an empty line.
func (p *page) section(title string, n int) {
	p.line("")
	p.line(span{bold, fmt.Sprintf("%s (%d)", title, n)})
}

// cut returns how many of n entries to show, and says how many it leaves out
// when done is called.
func (p *page) cut(n int) (show int, done func(total int)) {
	show = n
	if p.options.Limit >= 0 {
		show = min(n, p.options.Limit)
	}
	return show, func(total int) {
		if total > show {
			p.line(span{faint, fmt.Sprintf("  … and %d more", total-show)})
		}
	}
}

// flush writes the page. A "##[" that two parts make together is defused here.
func (p *page) flush(w io.Writer) error {
	_, err := w.Write(bytes.ReplaceAll(p.b.Bytes(), []byte("##["), []byte(`##\x5b`)))
	return err
}

func writeText(w io.Writer, r *Report, o Options) error {
	p := newPage(o)
	color := plain
	if r.Stats.Totals.Broken > 0 {
		color = red
	}
	p.line(span{cmp.Or(color, bold), r.Verdict()})
	for _, s := range r.gateLines() {
		p.line(s)
	}
	p.coverage(r.Unknowns)
	p.compared(&r.Base, &r.Head)
	p.apart(r.Libraries, r.Shifted)
	p.changes(r)
	p.users(r)
	p.entryPoints(r)
	p.tests(&r.Tests)
	p.cochange(r.Cochange)
	p.owners(r.Owners)
	p.findings(r.Findings)
	p.unknowns(r.Unknowns)
	t := &r.Stats.Totals
	p.line("")
	p.line(fmt.Sprintf("%s changed, %d impacted: %d must update (%d broken at %s), %d should review, %d may be affected (%d ambiguous).",
		count(len(r.Changes), "symbol"), t.Impacted, t.MustUpdate, t.Broken, count(t.BrokenSites, "place"), t.ShouldReview, t.MayBeAffected, t.Ambiguous))
	if n := r.Stats.Files.Moved; n > 0 {
		p.line(span{faint, count(n, "file") + " moved."})
	}
	if n := r.Stats.Formatting; n > 0 {
		p.line(span{faint, count(n, "file") + " changed in layout, comments or imports only."})
	}
	return p.flush(w)
}

// compared says which trees were compared, and how the base was found.
func (p *page) compared(base, head *Revision) {
	p.line(span{faint, fmt.Sprintf("%s against %s", revision(head), revision(base))})
	for _, note := range base.Notes {
		p.line(span{yellow, "Note: " + note})
	}
}

// apart says what changed without being a change of a declaration.
func (p *page) apart(ls []Library, ss []Shift) {
	for i := range ls {
		p.line("Replaced: " + replaced(&ls[i]))
	}
	show, done := p.cut(len(ss))
	for i := range ss[:show] {
		p.line("Moved: " + together(&ss[i]))
	}
	done(len(ss))
}

func revision(r *Revision) string {
	name := r.Rev
	short := r.Commit[:min(len(r.Commit), 12)]
	switch {
	case r.How != "" && short != "":
		return short + ", " + r.How
	case r.How != "":
		return r.How
	case short != "":
		if name == "" || strings.HasPrefix(r.Commit, name) {
			name = short
		} else {
			name += " (" + short + ")"
		}
	}
	return cmp.Or(name, r.Source, "?")
}

// coverage says in at most three lines what was not analysed.
func (p *page) coverage(us []Unknown) {
	var skipped, unparsed, lost []string
	files := 0
	for _, u := range us {
		switch {
		case u.Lost:
			lost = append(lost, u.File)
		case u.Reason == SkippedLanguage:
			skipped = append(skipped, fmt.Sprintf("%s (%d)", u.Detail, u.Count))
			files += u.Count
		case u.Reason == "syntax_error" || u.Line == 0 && u.File != "":
			unparsed = append(unparsed, u.File)
		}
	}
	list := func(xs []string, n int) string {
		slices.Sort(xs)
		xs = slices.Compact(xs)
		if len(xs) > n {
			return strings.Join(xs[:n], ", ") + fmt.Sprintf(" and %d more", len(xs)-n)
		}
		return strings.Join(xs, ", ")
	}
	if len(lost) > 0 {
		p.line(span{red, "Not analysed any more: " + list(lost, 5)})
	}
	if len(unparsed) > 0 {
		p.line(span{yellow, "Not parsed completely: " + list(unparsed, 5)})
	}
	if len(skipped) > 0 {
		p.line(span{yellow, fmt.Sprintf("Not analysed, %s of other languages: %s", count(files, "file"), list(skipped, 8))})
	}
}

func (p *page) changes(r *Report) {
	if len(r.Changes) == 0 {
		return
	}
	p.section("Changed", len(r.Changes))
	show, done := p.cut(len(r.Changes))
	for i := range r.Changes[:show] {
		c := &r.Changes[i]
		mark, s := "  ", plain
		if c.Totals.Broken > 0 {
			mark, s = "! ", red
		}
		p.line(span{s, mark}, fmt.Sprintf("%-9s ", c.Change), span{bold, c.Symbol.Name}, heading(c), span{faint, "  " + place(c.Symbol.File, c.Symbol.Line)}, reach(c))
	}
	done(len(r.Changes))
}

// reach sums up what a change reaches.
func reach(c *Change) string {
	t, followed := &c.Totals, c.followers()
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{t.Broken, "broken"}, {t.MustUpdate - t.Broken - followed, "to update"}, {t.ShouldReview, "to review"}, {t.MayBeAffected, "may be affected"}, {followed, "edited here"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "  [" + strings.Join(parts, ", ") + "]"
}

// relation says as a verb what an impacted symbol does with the changed one.
func relation(s string) string {
	switch s {
	case "caller", "dispatched":
		return "calls"
	case "reference":
		return "refers to"
	case "reader":
		return "reads"
	case "writer":
		return "writes"
	case "type_user":
		return "names"
	case "instantiator":
		return "makes"
	case "converter":
		return "converts for"
	case "subtype":
		return "extends"
	case "implementer":
		return "implements"
	case "overrider":
		return "overrides"
	case "injector":
		return "is injected"
	case "thrower":
		return "throws"
	case "annotated":
		return "is annotated with"
	case "route":
		return "is handled by"
	case "client":
		return "requests"
	case "importer":
		return "imports"
	case "configuration":
		return "names"
	case "initialised":
		return "is set by"
	}
	return "reaches"
}

// users lists the places that do not fit any more, then the impacted symbols
// by urgency. Tests are only counted here: they have a section of their own.
func (p *page) users(r *Report) {
	groups, broken := r.users()
	if g := &groups[isBroken]; g.total > 0 {
		p.section(g.title, g.total)
		show, done := p.cut(len(broken))
		for _, u := range broken[:show] {
			p.line("  ", span{red, place(u.at.File, u.at.Line)}, "  "+u.Symbol.Name+" ", span{faint, u.verb() + " "}, used(u.Impacted, u.c), span{faint, noted(u.at)})
		}
		done(g.total)
	}
	for _, at := range []urgency{isUnclear, shouldReview, mayBeAffected, hadToFollow} {
		g := &groups[at]
		if g.total == 0 {
			continue
		}
		p.section(g.title, g.total)
		show, done := p.cut(len(g.users))
		for _, u := range g.users[:show] {
			p.line(impactedLine(u.Impacted, u.c)...)
		}
		done(g.total - g.tests)
		if g.tests > 0 {
			and := ""
			if len(g.users) > 0 {
				and = "and "
			}
			p.line(span{faint, fmt.Sprintf("  %s%d in tests", and, g.tests)})
		}
	}
}

// heading is the title behind a change's kind and name, if it says more.
func heading(c *Change) string {
	if t := strings.TrimPrefix(strings.TrimPrefix(title(c), c.Change), ", "); t != "" {
		return "  " + strings.TrimPrefix(t, " ")
	}
	return ""
}

// rebound reports whether a direct use of what is gone fits as it is: the name means
// another declaration now.
func rebound(x *Impacted, c *Change) bool {
	return c.Change == "removed" && x.Depth == 1 && (x.Relation == "caller" || x.Relation == "reference") && len(x.Sites) > 0 &&
		!slices.ContainsFunc(x.Sites, func(s Site) bool { return s.State != "fits" })
}

func impactedLine(x *Impacted, c *Change) []any {
	at := place(x.Symbol.File, x.Symbol.Line)
	if len(x.Sites) > 0 {
		at = place(x.Sites[0].File, x.Sites[0].Line)
	}
	how := ""
	switch {
	case x.Depth > 1:
		how = fmt.Sprintf(", %d hops away", x.Depth)
	}
	if x.Certainty != "exact" {
		how += ", " + x.Certainty
	}
	if rebound(x, c) {
		how += ", and means another one now"
	}
	if len(x.Sites) > 0 {
		how += noted(&x.Sites[0])
	}
	return []any{"  ", at, "  " + x.Symbol.Name + " ", span{faint, x.verb() + " "}, used(x, c), span{faint, how}}
}

// noted says what the code at a place says of itself.
func noted(s *Site) string {
	switch s.Note {
	case "optional":
		return ", and expects that it may be missing"
	case "types_only":
		return ", for type checkers only"
	}
	return ""
}

// verb says what an impacted symbol does with what it uses.
func (x *Impacted) verb() string {
	switch {
	case x.Depth > 1:
		return "reaches"
	case x.Relation == "entry_point" && len(x.Path) > 0: // what it is, and not what it does
		return relation(relationOf[x.Path[0].Kind])
	}
	return relation(x.Relation)
}

// verb says what stands at the place.
func (u *brokenUse) verb() string {
	if u.at.Relation != "" {
		return relation(u.at.Relation)
	}
	return u.Impacted.verb()
}

// relationOf are the relations of those who use something directly, by the kind of
// the edge.
var relationOf = map[string]string{
	"calls": "caller", "references": "reference", "reads": "reader", "writes": "writer", "uses_type": "type_user",
	"instantiates": "instantiator", "converts": "converter", "http_calls": "client", "publishes": "client", "throws": "thrower",
}

// used names what an impacted symbol uses: the changed symbol as it was called
// when the use was written, or the member of it that is used.
func used(x *Impacted, c *Change) string {
	if x.Depth > 1 || len(x.Path) == 0 || x.Path[0].To == c.Symbol.ID {
		return c.Symbol.Name
	}
	if c.Was != nil && x.Path[0].To == c.Was.ID {
		return c.Was.Name
	}
	id := x.Path[0].To
	if id == x.Symbol.ID { // what annotates it
		id = x.Path[0].From
	}
	if pkg, name, ok := strings.Cut(id, "#"); ok && !strings.Contains(name, ":") {
		for _, s := range []*Symbol{&c.Symbol, &x.Symbol} { // a package's name is not always in its path
			if own, of, _ := strings.Cut(s.ID, "#"); own == pkg {
				if called, ok := strings.CutSuffix(s.Name, "."+of); ok {
					return called + "." + name
				}
			}
		}
		return brief(pkg[strings.LastIndexByte(pkg, ':')+1:] + "." + name)
	}
	return id[strings.LastIndexAny(id, "/:#")+1:]
}

func (p *page) entryPoints(r *Report) {
	if len(r.EntryPoints) == 0 {
		return
	}
	p.section(entryTitle, len(r.EntryPoints))
	list := r.started()
	show, done := p.cut(len(list))
	for _, x := range list[:show] {
		p.line("  ", place(x.Symbol.File, x.Symbol.Line), "  "+x.Symbol.Name, span{faint, "  " + count(x.Distance, "hop") + namesakes(x.namesakes)})
	}
	done(len(list))
}

func (p *page) tests(t *Tests) {
	p.line("")
	switch t.Mode {
	case "all":
		p.line(span{bold, fmt.Sprintf("Tests: run all %d", t.Total)})
	case "selected":
		least := ""
		if len(t.Whole) > 0 {
			least = "at least "
		}
		p.line(span{bold, fmt.Sprintf("Tests: %s%d of %d reach a change", least, len(t.Tests), t.Total)})
	default:
		p.line(span{bold, "Tests: none"})
	}
	for _, w := range t.Reasons {
		s := "  because " + because(&w)
		if n := len(w.Paths); n > 0 {
			s += ": " + strings.Join(w.Paths[:min(n, 5)], ", ")
			if n > 5 {
				s += fmt.Sprintf(" and %d more", n-5)
			}
		}
		p.line(span{yellow, s})
	}
	// One line for each package, the nearest first.
	list := func(n int, at func(i int) (pkg, name string)) {
		packages, names := inPackages(n, at)
		show, done := p.cut(len(packages))
		for _, pkg := range packages[:show] {
			ns := names[pkg]
			s := strings.Join(ns[:min(len(ns), testsShown)], " ")
			p.line("  ", pkg, span{faint, fmt.Sprintf(" (%d)", len(ns))}, "  "+s, span{faint, more(len(ns) - testsShown)})
		}
		done(len(packages))
	}
	list(len(t.Tests), func(i int) (string, string) { return t.Tests[i].Package, t.Tests[i].Symbol })
	if len(t.Whole) > 0 {
		p.line("  and all that these run, as a whole:")
		list(len(t.Whole), func(i int) (string, string) { return t.Whole[i].Package, t.Whole[i].name() })
	}
}

func (p *page) cochange(cs []Cochange) {
	if len(cs) == 0 {
		return
	}
	p.section("Usually changed together, and not here: a habit, not a dependency", len(cs))
	show, done := p.cut(len(cs))
	for _, c := range cs[:show] {
		s := "  together in " + count(c.Support, "commit")
		if len(c.With) > 0 {
			s += fmt.Sprintf(", %.0f %% of those of %s", 100*c.Confidence, c.With[0])
		}
		if len(c.With) > 1 {
			s += "; also with " + strings.Join(c.With[1:], ", ")
		}
		p.line("  ", c.File, span{faint, s})
	}
	done(len(cs))
}

func (p *page) owners(os []Owner) {
	if len(os) == 0 {
		return
	}
	p.section("Owners of impacted code", len(os))
	show, done := p.cut(len(os))
	for _, o := range os[:show] {
		p.line("  ", o.Owner, span{faint, fmt.Sprintf("  %s in %s", count(o.Symbols, "symbol"), count(len(o.Files), "file"))})
	}
	done(len(os))
}

func (p *page) findings(fs []Finding) {
	fs, left := listedFindings(fs)
	if len(fs) == 0 {
		if left != "" {
			p.line("")
			p.line(span{faint, "Findings: " + left})
		}
		return
	}
	p.section("Findings", len(fs))
	show, done := p.cut(len(fs))
	for _, f := range fs[:show] {
		s := plain
		if f.Level == "error" {
			s = red
		}
		p.line("  ", span{s, f.Level}, " "+place(f.File, f.Line)+"  "+f.Message, span{faint, "  " + f.Rule})
	}
	if left != "" {
		p.line("  ", span{faint, left})
	}
	done(len(fs))
}

func (p *page) unknowns(us []Unknown) {
	total := 0
	us = slices.DeleteFunc(slices.Clone(us), func(u Unknown) bool { return u.Reason == SkippedLanguage }) // said before
	for _, u := range us {
		total += max(u.Count, 1)
	}
	if total == 0 {
		return
	}
	p.section("Could not be told", total)
	byReason := map[string]int{}
	var order []string
	for _, u := range us {
		if byReason[u.Reason] == 0 {
			order = append(order, u.Reason)
		}
		byReason[u.Reason] += max(u.Count, 1)
	}
	for _, reason := range order {
		s := "  " + untold(reason, byReason[reason])
		// What is not about a file is about the whole run.
		for _, u := range us {
			if u.Reason == reason && u.File == "" && u.Detail != "" && byReason[reason] == 1 && reason != SkippedLanguage {
				s += ": " + u.Detail
			}
		}
		p.line(s)
	}
}
