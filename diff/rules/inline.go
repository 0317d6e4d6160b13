package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Comments beside a declaration silence findings about it:
//
//	// kg:ignore public-api nobody imports this yet
//	func Parse(…)
//
// The comment stands on a line of the declaration's head, or in the lines of
// comments right above it. What begins a comment differs from language to
// language; a line counts if nothing but marks of comments stand before the
// words. A string that looks so does no harm: it has to be in the base.

// ignoreMark begins what a comment says to kg.
const ignoreMark = "kg:ignore"

// commentMarks begin comments, or their lines.
const commentMarks = "/#*-;%!<("

// maxAbove bounds the lines of comments above a declaration that are read.
const maxAbove = 50

// inline returns the waiver in a comment of the base, if there is one.
func (c *check) inline(f *Finding) *Waiver {
	base := c.inBase(f)
	if base == nil {
		return nil
	}
	for _, w := range c.comments(false, base) {
		if w.Rule == f.Rule.ID {
			return &w
		}
	}
	return nil
}

// inBase returns the declaration of the base that a finding is about.
func (c *check) inBase(f *Finding) *graph.Node {
	if f.Symbol == nil || f.InBase {
		return f.Symbol
	}
	d := c.Impact.Delta
	if id := d.Head.Lookup(f.Symbol.Key); id != graph.None && &d.Head.Nodes[id] == f.Symbol {
		if b := d.ToBase(id); b != graph.None {
			return &d.Base.Nodes[b]
		}
		return nil
	}
	return f.Symbol // of the base already
}

// comments returns what the comments of a declaration waive.
func (c *check) comments(head bool, n *graph.Node) (ws []Waiver) {
	if c.Lines == nil || n.File == "" || n.DefLine < 1 {
		return nil
	}
	first := max(n.DefLine-maxAbove, 1)
	lines := c.Lines(head, n.File, first, max(n.Line, n.DefLine))
	own := int(n.DefLine - first) // where the declaration begins
	if own > len(lines) {
		return nil
	}
	for _, line := range lines[own:] {
		if _, text, ok := strings.Cut(line, ignoreMark); ok {
			ws = appendWaiver(ws, text)
		}
	}
	for i := own - 1; i >= 0; i-- {
		text := strings.TrimSpace(lines[i])
		if text == "" || strings.IndexByte(commentMarks, text[0]) < 0 {
			break
		}
		if text, ok := strings.CutPrefix(strings.TrimLeft(text, commentMarks+" \t"), ignoreMark); ok {
			ws = appendWaiver(ws, text)
		}
	}
	return ws
}

// appendWaiver reads " RULE reason". One without a reason is none.
func appendWaiver(ws []Waiver, text string) []Waiver {
	fields := strings.Fields(strings.TrimRight(text, "*/->) \t\r"))
	if len(fields) < 2 || text[0] != ' ' && text[0] != '\t' || strings.Trim(fields[0], "abcdefghijklmnopqrstuvwxyz-") != "" {
		return ws
	}
	return append(ws, Waiver{Rule: fields[0], Reason: strings.Join(fields[1:], " "), Inline: true})
}

// silenced reports what a change adds to silence findings.
func silenced(c *check) {
	d := c.Impact.Delta
	for _, p := range c.Paths {
		if path.Base(p) == ".kgignore" {
			c.found(Finding{Subject: p, File: p, Line: 1, Message: p + " changed, which hides files from kg"})
		} else if c.Configuration != nil && c.Configuration(p) {
			c.found(Finding{Subject: p, File: p, Line: 1, Message: p + " changed, which configures kg"})
		}
	}
	for i := range d.Changes {
		x := &d.Changes[i]
		if x.Head == graph.None {
			continue
		}
		n := d.Symbol(x)
		var before []Waiver
		if x.Base != graph.None {
			before = c.comments(false, &d.Base.Nodes[x.Base])
		}
		for _, w := range c.comments(true, n) {
			if !slices.ContainsFunc(before, func(b Waiver) bool { return b.Rule == w.Rule }) {
				f := at(n, false, "a comment at %s waives %s: %s", said(n), w.Rule, w.Reason)
				f.Subject += " " + w.Rule
				c.found(f)
			}
		}
	}
	for i := range d.Head.Files {
		file := &d.Head.Files[i]
		b := d.Base.FileIndex(file.Path)
		if b < 0 || d.Base.Files[b].Hash == file.Hash {
			continue
		}
		if generated(d.Head, file) && !generated(d.Base, &d.Base.Files[b]) {
			c.found(Finding{Subject: file.Path + " generated", File: file.Path, Line: 1, Message: file.Path + " is marked as generated code now"})
		}
	}
}

func generated(g *graph.Graph, f *graph.File) bool {
	return f.Node != graph.None && g.Nodes[f.Node].Flags.Has(graph.FlagGenerated)
}
