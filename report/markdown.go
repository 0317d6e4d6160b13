package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// The Markdown report, for comments on pull requests and summaries of CI runs,
// as GitHub renders it. Rules:
//
//   - The verdict comes first, then what was compared and not analysed, what
//     changed, what breaks, who relies on what, tests, and the rest. Long lists
//     are cut and folded; totals are those of the JSON report.
//   - Whatever the code under review named stands in a code span, or consists of
//     nothing but letters. That is the only place where renderers leave mentions,
//     references, addresses, tags and emphasis alone: backslashes and entities
//     are undone before GitHub looks for mentions. See code and prose.
//   - A report that would be too long gets shorter lists, and then loses whole
//     blocks, which it names with their totals.

const (
	openRows   = 10  // a longer list is folded
	longName   = 200 // characters of a name
	longProse  = 800 // characters of a sentence
	longFence  = 8   // backticks; renderers give up on fences of 80
	leastLimit = 3   // entries per list, before blocks are left out
)

// block is a section of the report.
type block struct {
	title string // of plain words
	total int
	text  string // with its heading
	weigh int    // blocks that weigh less are left out first
}

// markdown makes blocks of a report.
type markdown struct {
	r      *Report
	o      Options
	limit  int
	blocks []block
}

func writeMarkdown(w io.Writer, r *Report, o Options) error {
	m := &markdown{r: r, o: o, limit: o.Limit}
	if m.limit == 0 {
		m.limit = defaultLimit
	}
	text := m.report()
	if o.Bytes > 0 {
		if m.limit < 0 {
			m.limit = 1 << 12
		}
		for len(text) > o.Bytes && m.limit > leastLimit {
			m.limit = max(m.limit/2, leastLimit)
			text = m.report()
		}
		for len(text) > o.Bytes && m.drop() {
			text = m.join()
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

func (m *markdown) report() string {
	m.blocks = nil
	m.changes()
	m.uses()
	m.findings()
	m.tests()
	m.entryPoints()
	m.cochange()
	m.owners()
	m.graph()
	m.unknowns()
	return m.join()
}

// drop leaves out the block that weighs least, the last of them, and reports
// whether there was one.
func (m *markdown) drop() bool {
	at := -1
	for i, b := range m.blocks {
		if b.text != "" && (at < 0 || b.weigh <= m.blocks[at].weigh) {
			at = i
		}
	}
	if at >= 0 {
		m.blocks[at].text = ""
	}
	return at >= 0
}

func (m *markdown) join() string {
	r, t := m.r, &m.r.Stats.Totals
	var b strings.Builder
	b.WriteString("**" + prose(r.Verdict()) + "**\n\n")
	for i, s := range r.gateLines() {
		b.WriteString([]string{"**" + prose(s) + "**", "Note: " + prose(s)}[min(i, 1)] + "\n\n")
	}
	b.WriteString(m.compared() + "\n")
	var left []string
	for _, x := range m.blocks {
		if x.text == "" {
			left = append(left, fmt.Sprintf("%s (%d)", strings.ToLower(x.title[:1])+x.title[1:], x.total))
			continue
		}
		b.WriteString("\n" + x.text)
	}
	if len(left) > 0 {
		b.WriteString("\nLeft out, the report would be too long: " + strings.Join(left, "; ") + ".\n")
	}
	fmt.Fprintf(&b, "\n%s changed, %d impacted: %d must update (%d broken at %s), %d should review, %d may be affected (%d ambiguous).",
		count(len(r.Changes), "symbol"), t.Impacted, t.MustUpdate, t.Broken, count(t.BrokenSites, "place"), t.ShouldReview, t.MayBeAffected, t.Ambiguous)
	if n := r.Stats.Files.Moved; n > 0 {
		b.WriteString(" " + count(n, "file") + " moved.")
	}
	if n := r.Stats.Formatting; n > 0 {
		b.WriteString(" " + count(n, "file") + " changed in layout or comments only.")
	}
	return b.String() + "\n"
}

// compared says which trees were compared and what was not analysed, with the
// words of the text report.
func (m *markdown) compared() string {
	p := newPage(Options{})
	p.coverage(m.r.Unknowns)
	s := "Compared: " + prose(revision(&m.r.Head)) + " against " + prose(revision(&m.r.Base)) + "."
	for line := range strings.Lines(p.b.String()) {
		s += " " + prose(strings.TrimSuffix(line, "\n")) + "."
	}
	for i := range m.r.Libraries {
		s += "\n\nReplaced: " + prose(replaced(&m.r.Libraries[i])) + "."
	}
	show, rest := m.cut(len(m.r.Shifted))
	for i := range m.r.Shifted[:show] {
		s += "\n\nMoved: " + prose(together(&m.r.Shifted[i])) + "."
	}
	if rest != "" {
		s += "\n\n" + rest + "."
	}
	for _, note := range m.r.Base.Notes {
		s += "\n\nNote: " + prose(note)
	}
	return s
}

// list adds a block of lines that stand for total entries, with rest below.
// The title is made of plain words.
func (m *markdown) list(title string, total int, of string, weigh int, fold bool, lines []string, rest string) {
	var b strings.Builder
	if fold {
		// The empty line lets GitHub render what follows as Markdown.
		fmt.Fprintf(&b, "<details>\n<summary><b>%s</b> (%d%s)</summary>\n\n", title, total, of)
	} else {
		fmt.Fprintf(&b, "#### %s (%d%s)\n\n", title, total, of)
	}
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	if rest != "" {
		if len(lines) > 0 {
			b.WriteString("\n")
		}
		b.WriteString(rest + "\n")
	}
	if fold {
		b.WriteString("\n</details>\n")
	}
	m.blocks = append(m.blocks, block{title, total, b.String(), weigh})
}

// cut returns how many of n entries are shown, and what to say of the others.
func (m *markdown) cut(n int) (show int, rest string) {
	if m.limit < 0 || n <= m.limit {
		return n, ""
	}
	return m.limit, fmt.Sprintf("… and %d more", n-m.limit)
}

// changes lists what changed: what others use as a table, the rest folded.
func (m *markdown) changes() {
	var used []*Change
	var unused []string
	tests := 0 // of unused
	for i := range m.r.Changes {
		c := &m.r.Changes[i]
		switch {
		case c.Totals.Impacted > 0:
			used = append(used, c)
		case c.Symbol.Test:
			tests++
		default:
			unused = append(unused, "- "+m.declared(c, " ")+", "+prose(title(c)))
		}
	}
	m.table(used)
	if n := len(unused) + tests; len(unused) > 0 { // that only tests changed, too, is no news
		show, _ := m.cut(len(unused))
		title := "Changed, and used nowhere else"
		if m.r.blurred() {
			title = "Changed, no other use is known"
		}
		m.list(title, n, "", 10, true, unused[:show], others(show, len(unused)-show, tests))
	}
}

// others says what a list does not show.
func others(shown, more, tests int) string {
	var parts []string
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	if tests > 0 {
		parts = append(parts, fmt.Sprintf("%d in tests", tests))
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
	followed := map[*Change]int{}
	for _, c := range cs {
		for i := range c.Impacted {
			if x := &c.Impacted[i]; x.Severity == "must_update" && worst(x.Sites) == "edited" {
				followed[c]++
			}
		}
	}
	columns := []struct {
		title string
		n     func(*Change) int
	}{
		{"broken", func(c *Change) int { return c.Totals.Broken }},
		{"to update", func(c *Change) int { return c.Totals.MustUpdate - c.Totals.Broken - followed[c] }},
		{"to review", func(c *Change) int { return c.Totals.ShouldReview }},
		{"may be affected", func(c *Change) int { return c.Totals.MayBeAffected }},
		{"edited here", func(c *Change) int { return followed[c] }},
	}
	urgency := func(c *Change) int {
		for i, col := range columns {
			if col.n(c) > 0 {
				return i
			}
		}
		return len(columns)
	}
	slices.SortStableFunc(cs, func(x, y *Change) int { return cmp.Compare(urgency(x), urgency(y)) })
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
				n = fmt.Sprint(k)
				if at == 0 {
					n = "**" + n + "**"
				}
			}
			rows[i] += " " + n + " |"
		}
	}
	m.list("Changed, and used elsewhere", len(cs), "", 90, false, append([]string{head, rule}, rows...), others(show, len(cs)-show, 0))
}

// uses lists the users of what changed, by urgency, together with others of
// the same symbol.
func (m *markdown) uses() {
	groups, broken := m.r.users()
	if g := &groups[isBroken]; g.total > 0 {
		var list byUse
		for _, u := range broken {
			list.add(code(used(u.Impacted, u.c))+" ("+prose(title(u.c))+")", m.at(u.at.File, u.at.Line, true)+" "+code(u.Symbol.Name)+" "+relation(u.Relation)+" it")
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
	m.list(g.title, g.total, "", weigh, fold, lines, others(len(lines), more, g.tests))
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
		s += relation(x.Relation) + " it"
	}
	if x.Certainty != "exact" {
		s += ", " + prose(x.Certainty)
	}
	return s
}

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

// plain adds a block of one line for each entry, if there are any.
func (m *markdown) plain(title string, weigh int, fold bool, lines []string) {
	if len(lines) == 0 {
		return
	}
	show, rest := m.cut(len(lines))
	m.list(title, len(lines), "", weigh, fold, lines[:show], rest)
}

// tests says which tests to run, and names some of each package.
func (m *markdown) tests() {
	t := &m.r.Tests
	text := "No test reaches a change"
	switch {
	case t.Mode == "all":
		text = fmt.Sprintf("**Run all %s**", count(t.Total, "test"))
	case t.Mode == "selected" && len(t.Tests) > 0:
		if text = ""; len(t.Reasons) > 0 { // else the list says it
			text = fmt.Sprintf("**Run %d of %s**", len(t.Tests), count(t.Total, "test"))
		}
	}
	for i, w := range t.Reasons {
		if t.Mode == "none" && (w.Reason == "no_change" || w.Reason == "unreached") {
			continue // says the same
		}
		text += []string{", because ", "; "}[min(i, 1)] + prose(strings.ReplaceAll(w.Reason, "_", " "))
		for j, path := range w.Paths[:min(len(w.Paths), 3)] {
			text += []string{": ", ", "}[min(j, 1)] + code(path)
		}
		text += more(len(w.Paths) - 3)
	}
	if text != "" {
		m.blocks = append(m.blocks, block{"Which tests to run", t.Total, text + ".\n", 85})
	}
	// One line for each package, the nearest first.
	var packages []string
	names := map[string][]string{}
	for _, x := range t.Tests {
		if names[x.Package] == nil {
			packages = append(packages, x.Package)
		}
		names[x.Package] = append(names[x.Package], x.Symbol)
	}
	var lines []string
	for _, pkg := range packages {
		ns := names[pkg]
		s := fmt.Sprintf("- %s (%d):", code(pkg), len(ns))
		for _, n := range ns[:min(len(ns), testsShown)] {
			s += " " + code(n)
		}
		lines = append(lines, s+more(len(ns)-testsShown))
	}
	if len(lines) > 0 {
		show, rest := m.cut(len(lines))
		m.list("Tests that reach a change", len(t.Tests), fmt.Sprintf(" of %d", t.Total), 50, len(t.Tests) > testsShown, lines[:show], rest)
	}
}

func (m *markdown) entryPoints() {
	var lines []string
	for _, x := range m.r.started() {
		lines = append(lines, "- "+m.at(x.Symbol.File, x.Symbol.Line, true)+" "+code(x.Symbol.Name)+", "+count(x.Distance, "hop")+namesakes(x.namesakes))
	}
	if len(lines) > 0 {
		show, _ := m.cut(len(lines))
		m.list(entryTitle, len(m.r.EntryPoints), "", 40, len(lines) > testsShown, lines[:show], others(show, len(lines)-show, 0))
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
		lines = append(lines, fmt.Sprintf("- %d %s", counts[reason], prose(strings.ReplaceAll(reason, "_", " "))))
	}
	if total > 0 {
		m.list("Could not be told", total, "", 5, true, lines, "")
	}
}

// at is a place, with a link to it if the caller knows one.
func (m *markdown) at(file string, line int32, head bool) string {
	text := code(place(file, line))
	if m.o.Link == nil || file == "" {
		return text
	}
	if to := address(m.o.Link(file, line, head)); to != "" {
		return "[" + text + "](" + to + ")"
	}
	return text
}

// address returns a web address as the target of a link, empty if it is none.
// What could end the target, or a cell, is percent-encoded.
func address(s string) string {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return ""
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '&':
			b.WriteString("&amp;") // else "&copy" was a sign
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~:/?#@!$'*+,;=%", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// code returns s as a code span: nothing in it is Markdown, and GitHub looks
// for no mentions or references in it.
func code(s string) string {
	s = abridge(Escape(s), longName)
	run, longest := 0, 0
	for i := range len(s) {
		run++
		if s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	if longest > longFence {
		s, longest = strings.ReplaceAll(s, "`", `\x60`), 0
	}
	fence := strings.Repeat("`", longest+1)
	if s == "" || strings.ContainsAny(s[:1]+s[len(s)-1:], "` ") {
		s = " " + s + " " // a span loses one space at each end
	}
	return fence + s + fence
}

// prose returns a sentence that may hold foreign names. Words of letters stay
// as they are, everything else becomes code.
func prose(s string) string {
	var b strings.Builder
	words := strings.Fields(abridge(Escape(s), longProse))
	for i := 0; i < len(words); i++ {
		if i > 0 {
			b.WriteByte(' ')
		}
		n := typeWords(words[i:])
		word := strings.Join(words[i:i+n], " ")
		i += n - 1
		before, core, after := punctuation(word)
		if !harmlessWord(core) {
			core = code(core)
		}
		b.WriteString(before + core + after)
	}
	return b.String()
}

// typeWords returns how many words the first one stands for: those of a type with
// spaces inside, as map<K, V>. One whose brackets are never closed stands alone.
func typeWords(words []string) int {
	open := 0
	for n, word := range words[:min(len(words), 32)] {
		for i := range len(word) {
			last, next := byte(' '), byte(' ')
			if i > 0 {
				last = word[i-1]
			}
			if i+1 < len(word) {
				next = word[i+1]
			}
			switch c := word[i]; {
			case c == '[', c == '{', c == '(' && (i > 0 || n > 0), c == '<' && next != '-':
				open++
			case c == ']', c == '}', c == ')' && open > 0, c == '>' && last != '-' && last != '=':
				open--
			}
		}
		if open <= 0 {
			return n + 1
		}
	}
	return 1
}

// punctuation cuts off what ends a part of a sentence, and brackets that have no
// counterpart in the word, or hold all of it: those of f(x) stay.
func punctuation(word string) (before, core, after string) {
	core = word
	if strings.IndexByte(",.;:", word[len(word)-1]) >= 0 {
		core = word[:len(word)-1]
	}
	for {
		opens, closes := strings.Count(core, "("), strings.Count(core, ")")
		first, last := strings.HasPrefix(core, "("), strings.HasSuffix(core, ")")
		whole := first && last && opens == 1 && closes == 1
		switch {
		case whole:
			core, before = core[1:len(core)-1], before+"("
		case first && opens > closes:
			core, before = core[1:], before+"("
		case last && closes > opens:
			core = core[:len(core)-1]
		case core == "":
			return "", word, ""
		default:
			return before, core, word[len(before)+len(core):]
		}
	}
}

// harmlessWord reports whether no renderer takes a word for anything else: it
// is a small number, or letters with single hyphens and apostrophes inside. What
// could be the digest of a commit, or with a full stop the begin of an address,
// is not harmless.
func harmlessWord(word string) bool {
	n, hex, digits, letters := 0, 0, 0, 0
	last := '-'
	for _, r := range word {
		n++
		switch {
		case r >= '0' && r <= '9':
			digits++
		case unicode.IsLetter(r):
			letters++
		case (r == '-' || r == '\'') && last != '-':
			last = '-'
			letters++
			continue
		default:
			return false
		}
		if r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F' {
			hex++
		}
		last = r
	}
	if strings.HasSuffix(strings.ToLower(word), "www") {
		return false
	}
	return last != '-' && (digits == 0 || letters == 0) && (n <= 6 || digits+hex < n)
}

// cell makes rendered text fit for a table. Pipes stand in code spans only, and
// exactly one backslash before a pipe means the same to all renderers.
func cell(s string) string {
	s = strings.ReplaceAll(s, `\|`, `\x5c|`)
	return strings.ReplaceAll(s, "|", `\|`)
}

// abridge leaves out the middle of what is too long.
func abridge(s string, n int) string {
	rs := []rune(s)
	if len(s) <= n || len(rs) <= n {
		return s
	}
	return string(rs[:n*2/3]) + "…" + string(rs[len(rs)-n/3:])
}
