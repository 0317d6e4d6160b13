package report

// What changed and who relies on it, in Markdown.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// changes lists what changed: what others use as a table, the rest folded.
func (m *markdown) changes() {
	var used []*Change
	var unused []string
	tests, docs := 0, 0 // of unused
	for i := range m.r.Changes {
		c := &m.r.Changes[i]
		switch {
		case c.Totals.Impacted > 0:
			used = append(used, c)
		case c.Symbol.Test:
			tests++
		case c.Change == "doc":
			docs++
		default:
			unused = append(unused, "- "+m.declared(c, " ")+", "+prose(title(c)))
		}
	}
	m.table(used)
	if n := len(unused) + tests + docs; len(unused) > 0 { // that only tests or documentation changed, too, is no news
		show, _ := m.cut(len(unused))
		title := "Changed, and used nowhere else"
		if m.r.blurred() {
			title = "Changed, no other use is known"
		}
		m.list(title, n, "", 10, true, unused[:show], others(show, len(unused)-show, tests, docs))
	}
}

// others says what a list does not show: entries that were cut, those in tests, and
// those of documentation only.
func others(shown, more, tests, docs int) string {
	var parts []string
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	if tests > 0 {
		parts = append(parts, fmt.Sprintf("%d in tests", tests))
	}
	if docs > 0 {
		parts = append(parts, fmt.Sprintf("%d in documentation only", docs))
	}
	s := strings.Join(parts, ", and ")
	if s != "" && shown > 0 {
		s = "… and " + s
	}
	return s
}

// declared is a changed symbol and where it stands.
func (m *markdown) declared(c *Change, between string) string {
	s := code(c.Symbol.Name)
	if c.Symbol.File != "" {
		s += between + m.at(c.Symbol.File, c.Symbol.Line, c.Change != "removed")
	}
	return s
}

// table adds a block of changes with the numbers of who relies on them, first
// those that ask for something. Columns without a number are left out.
func (m *markdown) table(cs []*Change) {
	if len(cs) == 0 {
		return
	}
	// Who followed the change, and which of the others are tests.
	followed, reviewed, affected := map[*Change]int{}, map[*Change]int{}, map[*Change]int{}
	for _, c := range cs {
		followed[c] = c.followers()
		for i := range c.Impacted {
			switch x := &c.Impacted[i]; {
			case !x.Symbol.Test:
			case x.Severity == "should_review":
				reviewed[c]++
			case x.Severity == "may_be_affected":
				affected[c]++
			}
		}
	}
	columns := []struct {
		title string
		n     func(*Change) int
		tests map[*Change]int // of these
	}{
		{"broken", func(c *Change) int { return c.Totals.Broken }, nil},
		{"to update", func(c *Change) int { return c.Totals.MustUpdate - c.Totals.Broken - followed[c] }, nil},
		{"to review", func(c *Change) int { return c.Totals.ShouldReview }, reviewed},
		{"may be affected", func(c *Change) int { return c.Totals.MayBeAffected }, affected},
		{"edited here", func(c *Change) int { return followed[c] }, nil},
	}
	urgency := func(c *Change) int {
		for i, col := range columns {
			if col.n(c) > 0 {
				return i
			}
		}
		return len(columns)
	}
	slices.SortStableFunc(cs, func(x, y *Change) int {
		at := urgency(x)
		if c := cmp.Compare(at, urgency(y)); c != 0 || at == len(columns) {
			return c
		}
		col := &columns[at]
		return cmp.Compare(col.n(y)-col.tests[y], col.n(x)-col.tests[x])
	})
	show, _ := m.cut(len(cs))
	if m.limit > 0 && len(cs) > openRows*3/2 {
		show = min(show, openRows)
	}
	head, rule := "| symbol | what changed |", "|---|---|"
	rows := make([]string, show)
	for i, c := range cs[:show] {
		rows[i] = "| " + cell(m.declared(c, "<br>")) + " | " + cell(prose(title(c))) + " |"
	}
	for at, col := range columns {
		if !slices.ContainsFunc(cs[:show], func(c *Change) bool { return col.n(c) > 0 }) {
			continue
		}
		head, rule = head+" "+col.title+" |", rule+"--:|"
		for i, c := range cs[:show] {
			n := ""
			if k := col.n(c); k > 0 {
				switch tests := col.tests[c]; {
				case at == 0:
					n = fmt.Sprintf("**%d**", k)
				case tests == 0:
					n = fmt.Sprint(k)
				case tests == k:
					n = fmt.Sprintf("%d in tests", k)
				default:
					n = fmt.Sprintf("%d, and %d in tests", k-tests, tests)
				}
			}
			rows[i] += " " + n + " |"
		}
	}
	m.list("Changed, and used elsewhere", len(cs), "", 90, false, append([]string{head, rule}, rows...), others(show, len(cs)-show, 0, 0))
}

// uses lists the users of what changed, by urgency, together with others of
// the same symbol.
func (m *markdown) uses() {
	groups, broken := m.r.users()
	if g := &groups[isBroken]; g.total > 0 {
		var list byUse
		for _, u := range broken {
			list.add(code(used(u.Impacted, u.c))+" ("+prose(title(u.c))+")", m.at(u.at.File, u.at.Line, true)+" "+code(u.Symbol.Name)+" "+u.verb()+" it"+noted(u.at))
		}
		m.users(g, &list, 100, false)
	}
	for _, x := range []struct {
		at    urgency
		weigh int
		fold  bool
	}{{isUnclear, 80, false}, {shouldReview, 70, false}, {hadToFollow, 15, true}, {mayBeAffected, 20, true}} {
		g := &groups[x.at]
		var list byUse
		for _, u := range g.users {
			list.add(code(used(u.Impacted, u.c)), m.user(u.Impacted))
		}
		m.users(g, &list, x.weigh, x.fold || len(g.users) > openRows)
	}
}

// byUse is lines about users, by what they use.
type byUse struct {
	used  []string // in the order of changes
	lines map[string][]string
	n     int // lines
}

func (u *byUse) add(used, line string) {
	if u.lines == nil {
		u.lines = map[string][]string{}
	}
	if u.lines[used] == nil {
		u.used = append(u.used, used)
	}
	u.lines[used] = append(u.lines[used], line)
	u.n++
}

// users adds a block of the users under one heading.
func (m *markdown) users(g *group, u *byUse, weigh int, fold bool) {
	if g.total == 0 {
		return
	}
	left, _ := m.cut(u.n)
	more := g.total - g.tests - left
	var lines []string
	for _, used := range u.used {
		if left == 0 {
			break
		}
		all := u.lines[used]
		if len(all) == 1 {
			lines = append(lines, "- "+used+": "+all[0])
		} else {
			lines = append(lines, fmt.Sprintf("- %s (%d)", used, len(all)))
			for _, l := range all[:min(left, len(all))] {
				lines = append(lines, "  - "+l)
			}
		}
		left -= min(left, len(all))
	}
	m.list(g.title, g.total, "", weigh, fold, lines, others(len(lines), more, g.tests, 0))
}

// user is an impacted symbol, and how it comes to what it uses.
func (m *markdown) user(x *Impacted) string {
	at := m.at(x.Symbol.File, x.Symbol.Line, true)
	if len(x.Sites) > 0 {
		at = m.at(x.Sites[0].File, x.Sites[0].Line, true)
	}
	s := at + " " + code(x.Symbol.Name) + " "
	if x.Depth > 1 {
		s += fmt.Sprintf("reaches it over %s", count(x.Depth, "hop"))
	} else {
		s += x.verb() + " it"
	}
	if len(x.Sites) > 0 {
		s += noted(&x.Sites[0])
	}
	if x.Certainty != "exact" {
		s += ", " + prose(x.Certainty)
	}
	return s
}
