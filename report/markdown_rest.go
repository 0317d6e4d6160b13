package report

// What follows from a change beside its users, in Markdown: findings, tests, entry
// points, habits, owners, and what could not be told.

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

func (m *markdown) findings() {
	fs, left := listedFindings(m.r.Findings)
	var lines []string
	for _, f := range fs {
		level := prose(f.Level)
		if f.Level == "error" {
			level = "**error**"
		}
		s := "- "
		if f.File != "" {
			s += m.at(f.File, f.Line, !f.InBase) + " "
		}
		lines = append(lines, s+level+": "+prose(f.Message)+" ("+code(f.Rule)+")")
	}
	show, rest := m.cut(len(lines))
	if rest != "" && left != "" {
		rest += "; "
	}
	rest += left
	switch {
	case len(lines) > 0:
		fold := len(lines) > openRows || !slices.ContainsFunc(fs, func(f Finding) bool { return f.Level == "error" })
		m.list("Findings", len(lines), "", 95, fold, lines[:show], rest)
	case rest != "":
		m.blocks = append(m.blocks, block{"Findings", len(m.r.Findings), "Findings: " + rest + ".\n", 6})
	}
}

// tests says which tests to run, and names some of each package.
func (m *markdown) tests() {
	t := &m.r.Tests
	text := "No test reaches a change"
	switch {
	case t.Mode == "all":
		text = fmt.Sprintf("**Run all %s**", count(t.Total, "test"))
	case t.Mode == "selected":
		switch text = ""; {
		case len(t.Tests) == t.Total && t.Total > testsShown: // a list of all says nothing
			text = fmt.Sprintf("**Run all %s**", count(t.Total, "test"))
		case len(t.Reasons) > 0: // else the list says it
			text = fmt.Sprintf("**Run %d of %s**", len(t.Tests), count(t.Total, "test"))
			if len(t.Whole) > 0 {
				text += " and all of the classes and files below"
			}
		}
	}
	for i, w := range t.Reasons {
		if t.Mode == "none" && (w.Reason == "no_change" || w.Reason == "unreached") {
			continue // says the same
		}
		text += []string{", because ", "; "}[min(i, 1)] + prose(because(&w))
		for j, file := range w.Paths[:min(len(w.Paths), 3)] {
			text += []string{": ", ", "}[min(j, 1)] + code(file)
		}
		text += more(len(w.Paths) - 3)
	}
	if text != "" {
		m.blocks = append(m.blocks, block{"Which tests to run", t.Total, text + ".\n", 85})
	}
	if len(t.Tests) == t.Total && t.Total > testsShown {
		return
	}
	m.byPackage("Tests that reach a change", fmt.Sprintf(" of %d", t.Total), len(t.Tests), func(i int) (string, string) { return t.Tests[i].Package, t.Tests[i].Symbol })
	m.byPackage("To be run as a whole", "", len(t.Whole), func(i int) (string, string) { return t.Whole[i].Package, t.Whole[i].name() })
}

// byPackage lists tests, or what runs some, with one line for each package, the
// nearest first. Of many packages fewer are named, without the file, which the
// package says.
func (m *markdown) byPackage(title, of string, n int, at func(i int) (pkg, name string)) {
	packages, names := inPackages(n, at)
	named := testsShown
	if len(packages) > openRows {
		named = 2
	}
	var lines []string
	for _, pkg := range packages {
		ns := names[pkg]
		s := fmt.Sprintf("- %s (%d):", code(pkg), len(ns))
		for _, n := range ns[:min(len(ns), named)] {
			if file, name, ok := strings.Cut(n, "::"); ok && strings.HasPrefix(file, path.Base(pkg)) {
				n = name
			}
			s += " " + code(n)
		}
		lines = append(lines, s+more(len(ns)-named))
	}
	if len(lines) > 0 {
		show, rest := m.cut(len(lines))
		m.list(title, n, of, 50, n > testsShown, lines[:show], rest)
	}
}

func (m *markdown) entryPoints() {
	var lines []string
	for _, x := range m.r.started() {
		lines = append(lines, "- "+m.at(x.Symbol.File, x.Symbol.Line, true)+" "+code(x.Symbol.Name)+", "+count(x.Distance, "hop")+namesakes(x.namesakes))
	}
	if len(lines) > 0 {
		show, _ := m.cut(len(lines))
		m.list(entryTitle, len(m.r.EntryPoints), "", 40, len(lines) > testsShown, lines[:show], others(show, len(lines)-show, 0, 0))
	}
}

func (m *markdown) cochange() {
	var lines []string
	for _, c := range m.r.Cochange {
		s := fmt.Sprintf("- %s in %.0f %% of %s with", code(c.File), 100*c.Confidence, count(c.Support, "commit"))
		for i, f := range c.With[:min(len(c.With), 3)] {
			s += []string{" ", ", "}[min(i, 1)] + code(f)
		}
		lines = append(lines, s+more(len(c.With)-3))
	}
	m.plain("Usually changed together, and not here: a habit, not a dependency", 30, len(lines) > testsShown, lines)
}

func (m *markdown) owners() {
	var lines []string
	for _, o := range m.r.Owners {
		lines = append(lines, fmt.Sprintf("- %s: %s in %s", code(o.Owner), count(o.Symbols, "symbol"), count(len(o.Files), "file")))
	}
	m.plain("Owners of impacted code", 60, len(lines) > testsShown, lines)
}

// unknowns counts by reason what could not be told. Languages that are not
// analysed were said before.
func (m *markdown) unknowns() {
	total := 0
	var order []string
	counts := map[string]int{}
	for _, u := range m.r.Unknowns {
		if u.Reason == SkippedLanguage {
			continue
		}
		if counts[u.Reason] == 0 {
			order = append(order, u.Reason)
		}
		counts[u.Reason] += max(u.Count, 1)
		total += max(u.Count, 1)
	}
	var lines []string
	for _, reason := range order {
		lines = append(lines, "- "+prose(untold(reason, counts[reason])))
	}
	if total > 0 {
		m.list("Could not be told", total, "", 5, true, lines, "")
	}
}
