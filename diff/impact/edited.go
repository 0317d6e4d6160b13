package impact

import (
	"sort"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// editedLines answers where a line of the base tree is in the head tree, and
// whether the change touched it.
type editedLines struct {
	d      *diff.Delta
	ranges map[string][]Range // by path in the head tree
}

// of returns the changed ranges between a file of the base tree and one of the
// head tree; ok is false if they are not known.
func (l *editedLines) of(basePath, headPath string) (rs []Range, ok bool) {
	// The ranges of a path are about another file when the declaration came
	// from a file that is still there, or that was removed instead of renamed,
	// or went to one that was there before.
	_, removed := l.ranges[basePath]
	if basePath == headPath || !removed && l.d.Base.FileIndex(headPath) < 0 && l.d.Head.FileIndex(basePath) < 0 {
		if rs, ok = l.ranges[headPath]; ok {
			return rs, true
		}
	}
	if l.d.Base == l.d.Head {
		return nil, true
	}
	i, j := l.d.Base.FileIndex(basePath), l.d.Head.FileIndex(headPath)
	return nil, i >= 0 && j >= 0 && l.d.Base.Files[i].Hash == l.d.Head.Files[j].Hash
}

// line returns where a line of the base file is in the head file, and whether
// it was changed.
func (l *editedLines) line(rs []Range, line int32) (to int32, edited bool) {
	// The last range that begins at the line or before.
	i := sort.Search(len(rs), func(i int) bool { return rs[i].OldStart > int(line) }) - 1
	if i < 0 {
		return line, false
	}
	r := rs[i]
	if at := int(line) - r.OldStart; at < r.OldLen {
		return int32(max(r.NewStart+min(at, r.NewLen-1), 1)), true
	}
	return line + int32(r.NewStart+r.NewLen-r.OldStart-r.OldLen), false
}

// touched reports whether a line of the head file was changed.
func (l *editedLines) touched(rs []Range, line int32) bool {
	i := sort.Search(len(rs), func(i int) bool { return rs[i].NewStart+rs[i].NewLen > int(line) })
	return i < len(rs) && rs[i].NewStart <= int(line)
}

// pairing is one user as both graphs have it.
type pairing struct {
	base, head graph.ID
	same       bool // written the same in both
}

func (e *engine) pair(base graph.ID) (pairing, bool) {
	h := e.d.ToHead(base)
	if h == graph.None {
		return pairing{}, false
	}
	return pairing{base, h, e.d.SameText(base, h)}, true
}

// place returns where a site of the base graph is in the head tree, whether the
// change touched it, and whether both can be told.
func (e *engine) place(p pairing, s *graph.Site) (at Site, edited, ok bool) {
	b, h := &e.base.Nodes[p.base], &e.head.Nodes[p.head]
	file := e.base.Files[s.File].Path
	to := file
	switch {
	case b.Kind != graph.KindFile && (len(b.Variants) > 0 || len(h.Variants) > 0):
		// The file of each variant keeps its name, or is unknown.
	case file == b.File && h.File != "":
		to = h.File
	}
	at = Site{File: to, Line: s.Line, Col: s.Col}
	if rs, known := e.lines.of(file, to); known {
		at.Line, edited = e.lines.line(rs, s.Line)
		if !p.same && to == h.File && h.Kind != graph.KindFile && h.EndLine > 0 && len(h.Variants) == 0 && (at.Line < h.DefLine || at.Line > h.EndLine) {
			edited = true // the line is in another declaration now: code was moved there
		}
		return at, edited, true
	}
	if e.head.FileIndex(to) < 0 {
		at.File = file
	}
	at.Line = max(s.Line+h.Line-b.Line, 1)
	return at, !p.same, p.same
}

// editedAt reports whether the change touched a site of the head graph. sure is
// false when only the whole body of the user can tell.
func (e *engine) editedAt(user graph.ID, s *graph.Site) (edited, sure bool) {
	path := e.head.Files[s.File].Path
	base := e.d.ToBase(user)
	if base == graph.None {
		return true, true
	}
	from := path
	if n := &e.head.Nodes[user]; n.File == path && e.base.Nodes[base].File != "" {
		from = e.base.Nodes[base].File
	}
	if rs, known := e.lines.of(from, path); known {
		return e.lines.touched(rs, s.Line), true
	}
	return !e.d.SameText(base, user), e.d.SameText(base, user)
}
