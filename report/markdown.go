package report

import (
	"fmt"
	"io"
	"strings"
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
	openRows   = 10 // a longer list is folded
	leastLimit = 3  // entries per list, before blocks are left out
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
	fmt.Fprintf(&b, "\n%s changed, %d impacted%s.", count(len(r.Changes), "symbol"), t.Impacted, t.parts())
	if n := r.Stats.Files.Moved; n > 0 {
		b.WriteString(" " + count(n, "file") + " moved.")
	}
	if n := r.Stats.Formatting; n > 0 {
		b.WriteString(" " + count(n, "file") + " changed in layout, comments or imports only.")
	}
	return b.String() + "\n"
}

// parts says how many of the impacted symbols are how urgent; nothing of what there
// is not.
func (t *Totals) parts() string {
	var parts []string
	add := func(n int, what string, of int, detail string) {
		if n == 0 {
			return
		}
		s := fmt.Sprintf("%d %s", n, what)
		if of > 0 {
			s += fmt.Sprintf(" (%d %s)", of, detail)
		}
		parts = append(parts, s)
	}
	add(t.MustUpdate, "must update", t.Broken, "broken at "+count(t.BrokenSites, "place"))
	add(t.ShouldReview, "should review", 0, "")
	add(t.MayBeAffected, "may be affected", t.Ambiguous, "ambiguous")
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// compared says which trees were compared and what was not analysed, with the
// words of the text report.
func (m *markdown) compared() string {
	p := newPage(Options{})
	p.coverage(m.r.Unknowns)
	base := m.r.Base
	// Readers of the report did not write the command.
	base.How = strings.TrimSuffix(strings.TrimSuffix(base.How, "named by --base"), ", ")
	s := "Compared: " + prose(revision(&m.r.Head)) + " against " + prose(revision(&base)) + "."
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

// plain adds a block of one line for each entry, if there are any.
func (m *markdown) plain(title string, weigh int, fold bool, lines []string) {
	if len(lines) == 0 {
		return
	}
	show, rest := m.cut(len(lines))
	m.list(title, len(lines), "", weigh, fold, lines[:show], rest)
}
