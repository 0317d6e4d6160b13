package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
)

// Records of decisions are Markdown files in folders that are called so by custom.
// They are no part of the graph: a record is linked to what it names, its files,
// packages and declarations, when it is asked for.

// decisionFolders are the names of folders with records, and where those are looked
// for that come with no list of files.
var (
	decisionFolders = []string{"adr", "adrs", "decisions", "architecture-decisions", "architecture_decisions"}
	decisionPlaces  = []string{"adr", "adrs", "decisions", "docs/adr", "docs/adrs", "doc/adr", "doc/adrs", "docs/decisions", "doc/decisions",
		"docs/architecture/decisions", "doc/architecture/decisions", "docs/architecture/adr", "docs/architecture-decisions", "architecture/decisions"}
)

// Bounds of records: how many are read, what of each, and the names in one.
const (
	maxDecisions    = 2000
	maxDecisionSize = 256 << 10
	maxDecisionText = 160
	maxNamed        = 2000
)

// decision is one record.
type decision struct {
	file, title, status, date string
	named                     []mention
}

// mention is text between backticks, or the target of a link.
type mention struct {
	text      string
	line, col int
}

var (
	codeSpan     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`\n]{2,200})`|\\]\\(([^)\\s]{2,300})\\)") })
	decisionHead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:[-*+]\s*)?\**(status|date)\**\s*:\**\s*(.+)$`)
	})
	dayText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`) })
)

// askDecisions reads the records of decisions of the same tree.
func (a *app) askDecisions(_ context.Context, s *session, r query.Request) (*query.Answer, error) {
	return s.index.Tell(r, query.Op{Name: "decisions", From: query.Outside}, func(target graph.ID) ([]query.Told, string, error) {
		files, err := s.decisionFiles()
		if err != nil {
			return nil, "", err
		}
		if len(files) == 0 {
			return nil, "the tree has no records of decisions: Markdown files in a folder such as docs/adr or docs/decisions", nil
		}
		var list []query.Told
		read := 0
		for _, file := range files {
			data, err := s.lines.bytes(file)
			if err != nil || len(data) > maxDecisionSize || !utf8.Valid(data) {
				continue
			}
			read++
			d := readDecision(file, string(data))
			t := query.Told{Node: graph.None, File: file, Relation: "decision", Note: d.note()}
			if k := s.graph.Nodes[target].Kind; k == graph.KindRepository || k == graph.KindModule {
				list = append(list, t)
				continue
			}
			near := len(decisionLinks)
			for _, m := range d.named {
				how := s.decides(m.text, file, target)
				if how < 0 {
					continue
				}
				if near = min(near, how); len(t.Sites) == 0 || t.Sites[len(t.Sites)-1].Line != m.line {
					t.Sites = append(t.Sites, query.Place{File: file, Line: m.line, Col: m.col})
				}
			}
			if near < len(decisionLinks) {
				t.Relation = decisionLinks[near]
				list = append(list, t)
			}
		}
		slices.SortStableFunc(list, func(a, b query.Told) int {
			return cmp.Compare(slices.Index(decisionLinks, a.Relation), slices.Index(decisionLinks, b.Relation))
		})
		return list, plural(read, "record") + " of decisions read; what they name between backticks or as links counts", nil
	})
}

// decisionLinks say what a record names, the closest first.
var decisionLinks = []string{"names_it", "names_a_member", "names_its_type", "names_its_file", "names_its_package"}

// decides tells which of decisionLinks a text of a record is to the target; -1: none.
func (s *session) decides(text, record string, target graph.ID) int {
	g := s.graph
	text = strings.TrimSuffix(strings.TrimSpace(text), "()")
	text, _, _ = strings.Cut(text, "#L") // a place in a link to a file
	if strings.Contains(text, "://") || text == "" {
		return -1
	}
	at := strings.Trim(path.Clean(text), "/")
	if strings.HasPrefix(text, ".") { // a link from where the record is
		at = path.Join(path.Dir(record), text)
	}
	n := &g.Nodes[target]
	if n.File != "" && at == n.File {
		return 3
	}
	if n.File != "" && strings.Contains(at, "/") && (path.Dir(n.File) == at || strings.HasPrefix(n.File, at+"/")) {
		return 4
	}
	ids := s.index.Resolve(text, nil)
	if len(ids) == 0 || len(ids) > 8 {
		return -1
	}
	for _, id := range ids[1:] { // overloads are one name
		if g.Nodes[id].Name != g.Nodes[ids[0]].Name || g.Nodes[id].Parent != g.Nodes[ids[0]].Parent {
			return -1
		}
	}
	for _, id := range ids {
		switch {
		case id == target:
			return 0
		case g.Nodes[id].Parent == target && n.Kind.IsType():
			return 1
		}
		for p, up := n.Parent, 0; p != graph.None && up < 64; p, up = g.Nodes[p].Parent, up+1 {
			if p == id {
				switch k := g.Nodes[id].Kind; {
				case k.IsType():
					return 2
				case k == graph.KindFile:
					return 3
				case k == graph.KindPackage || k == graph.KindNamespace:
					return 4
				}
			}
		}
	}
	return -1
}

// decisionFiles returns the records of the tree.
func (s *session) decisionFiles() ([]string, error) {
	var files []string
	add := func(file string) {
		base := strings.ToLower(path.Base(file))
		name := strings.TrimSuffix(base, ".md")
		if name != base && name != "readme" && name != "index" && !strings.Contains(name, "template") && len(files) < maxDecisions {
			files = append(files, file)
		}
	}
	switch {
	case s.lines.tree != nil:
		for _, e := range s.lines.tree.Entries() {
			if e.Mode.IsFile() && slices.Contains(decisionFolders, strings.ToLower(path.Base(path.Dir(e.Path)))) {
				add(e.Path)
			}
		}
	case s.lines.root != nil:
		for _, dir := range decisionPlaces {
			list, err := fs.ReadDir(s.lines.root.FS(), dir)
			if errors.Is(err, fs.ErrNotExist) || err != nil && len(list) == 0 {
				continue
			}
			for _, e := range list {
				if e.Type().IsRegular() {
					add(dir + "/" + e.Name())
				}
			}
		}
	default:
		return nil, errNoSource
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// readDecision reads the head of a record, as the usual templates have it, and what
// it names.
func readDecision(file, text string) decision {
	d := decision{file: file}
	section, fenced := "", false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		for _, m := range codeSpan().FindAllStringSubmatchIndex(line, -1) {
			lo, hi := m[2], m[3]
			if lo < 0 {
				lo, hi = m[4], m[5]
			}
			if len(d.named) < maxNamed {
				d.named = append(d.named, mention{line[lo:hi], i + 1, lo + 1})
			}
		}
		head := decisionHead().FindStringSubmatch(trimmed)
		switch {
		case strings.HasPrefix(trimmed, "# ") && d.title == "":
			d.title = strings.TrimSpace(trimmed[2:])
		case strings.HasPrefix(trimmed, "title:") && d.title == "":
			d.title = strings.Trim(strings.TrimSpace(trimmed[len("title:"):]), `"'`)
		case head != nil && strings.EqualFold(head[1], "status") && d.status == "":
			d.status = head[2]
		case head != nil && d.date == "":
			d.date = dayText().FindString(head[2])
		case strings.HasPrefix(trimmed, "#"):
			section = strings.ToLower(strings.TrimSpace(strings.TrimLeft(trimmed, "#")))
		case section == "status" && trimmed != "" && d.status == "":
			d.status = trimmed
		case section == "date" && d.date == "":
			d.date = dayText().FindString(trimmed)
		}
	}
	d.status = strings.Trim(d.status, "*_ \"'")
	return d
}

// note is what an answer says of a record.
func (d *decision) note() string {
	short := func(s string) string {
		if len(s) > maxDecisionText {
			s = strings.ToValidUTF8(s[:maxDecisionText], "") + "…"
		}
		return s
	}
	parts := []string{short(cmp.Or(d.title, path.Base(d.file)))}
	if d.status != "" {
		parts = append(parts, short(d.status))
	}
	if d.date != "" {
		parts = append(parts, d.date)
	}
	return strings.Join(parts, "; ")
}
