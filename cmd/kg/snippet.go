package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/query"
	"github.com/codekg/kg/analyzer/source"
)

// The caps of source lines in answers.
const (
	maxContextLines = 50      // around a place
	maxSnippetLines = 400     // of one snippet
	maxSnippetLine  = 400     // bytes of one line
	maxSourceFile   = 4 << 20 // bytes of a file that lines are shown of
	maxSeenFiles    = 500     // files kept in memory
)

// sourceFile is a file as lines; why says why there are none.
type sourceFile struct {
	lines   []string
	changed bool
	why     string
}

// file reads a file, once.
func (r *lineReader) file(path string) *sourceFile {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, ok := r.seen[path]; ok {
		return f
	}
	if len(r.seen) >= maxSeenFiles {
		clear(r.seen)
	}
	f := r.read(path)
	r.seen[path] = f
	return f
}

// forget drops all files: they have changed.
func (r *lineReader) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.seen)
}

func (r *lineReader) read(path string) *sourceFile {
	i := r.g.FileIndex(path)
	if i < 0 {
		return &sourceFile{why: "not a file of the graph"}
	}
	data, err := r.bytes(path)
	var large *source.TooLargeError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &sourceFile{why: "the file is gone", changed: true}
	case errors.As(err, &large):
		return &sourceFile{why: "the file is too large to show"}
	case err != nil:
		return &sourceFile{why: "the file cannot be read"}
	case bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data):
		return &sourceFile{why: "the file is not text", changed: r.tree == nil && !sameContent(data, &r.g.Files[i])}
	}
	f := &sourceFile{lines: strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")}
	f.changed = r.tree == nil && !sameContent(data, &r.g.Files[i])
	return f
}

var errNoSource = errors.New("the source of the graph is not at hand")

func (r *lineReader) bytes(path string) ([]byte, error) {
	switch {
	case r.tree != nil:
		i, ok := source.Find(r.tree.Entries(), path)
		if !ok {
			return nil, fs.ErrNotExist
		}
		return r.tree.Read(i, maxSourceFile)
	case r.root != nil:
		return readRoot(r.root, path)
	}
	return nil, errNoSource
}

// readRoot reads a regular file below a folder; a link does not lead out of it.
func readRoot(root *os.Root, path string) ([]byte, error) {
	// A FIFO must not be opened: that would wait for somebody to write.
	info, err := root.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a file")
	}
	if info.Size() > maxSourceFile {
		return nil, &source.TooLargeError{Size: info.Size(), Max: maxSourceFile}
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSourceFile))
}

// snippet returns lines from first to last, which count from 1.
func (r *lineReader) snippet(path string, first, last int) *query.Snippet {
	if path == "" {
		return nil
	}
	f := r.file(path)
	if f.why != "" {
		return &query.Snippet{Missing: f.why, Changed: f.changed, Lines: []string{}}
	}
	first, last = max(first, 1), min(last, len(f.lines))
	if last == len(f.lines) && last > 0 && f.lines[last-1] == "" {
		last-- // what follows the last line break
	}
	s := &query.Snippet{Line: first, Lines: []string{}, Changed: f.changed}
	if first > last {
		s.Missing = "the file has fewer lines now"
		return s
	}
	if last-first >= maxSnippetLines {
		last, s.Cut = first+maxSnippetLines-1, true
	}
	for _, line := range f.lines[first-1 : last] {
		if len(line) > maxSnippetLine {
			line, s.Cut = strings.ToValidUTF8(line[:maxSnippetLine], "")+"…", true
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}

// enrich adds source lines to an answer: around the places of results that have
// some, else the heads of declarations. With no lines around them that is the
// line itself.
func (r *lineReader) enrich(a *query.Answer, context int) {
	for i := range a.Results {
		x := &a.Results[i]
		for j := range x.Sites {
			p := &x.Sites[j]
			p.Snippet = r.snippet(p.File, p.Line-context, p.Line+context)
			if a.Op == "callsites" {
				p.Condition = r.conditions(p.File, x.Symbol.Line, p.Line)
			}
		}
		if len(x.Sites) == 0 && x.Symbol.Line > 0 {
			first := x.Symbol.Line
			if x.Symbol.DefLine > 0 {
				first = x.Symbol.DefLine
			}
			x.Snippet = r.snippet(x.Symbol.File, first, min(x.Symbol.EndLine, first+2*context))
			if x.Snippet != nil && x.Symbol.EndLine > first+2*context {
				x.Snippet.Cut = true
			}
		}
	}
}

// conditionWords begin the lines of statements that decide whether, or how
// often, what is indented below them runs, in many languages. A word that is
// true goes on with the statement that stands above it.
var conditionWords = map[string]bool{
	"if": false, "for": false, "foreach": false, "while": false, "until": false, "loop": false, "do": false,
	"switch": false, "select": false, "match": false, "when": false, "unless": false, "guard": false,
	"try": false, "with": false, "go": false, "defer": false, "async": false,
	"else": true, "elif": true, "elsif": true, "case": true, "default": true,
	"catch": true, "except": true, "rescue": true, "finally": true, "ensure": true,
}

// conditions returns the heads of the statements that a line is under, outermost
// first, told from indentation: the lines above it, up to the head of its
// declaration, that are indented less than all between, if they begin with a
// word for it. For an else the head that it belongs to is there, too.
func (r *lineReader) conditions(path string, head, line int) []string {
	const most, maxText = 2000, 200 // lines looked at, bytes of one text
	f := r.file(path)
	if line < 1 || line > len(f.lines) || head >= line {
		return nil
	}
	var found []string
	goesOn := false // what was found last has its head at the same indentation
	add := func(text string, same bool) {
		text = strings.TrimSpace(text)
		more, ok := conditionWords[firstWord(strings.TrimLeft(text, "}) "))]
		if !ok || same && strings.HasPrefix(text, "case") {
			return
		}
		if len(text) > maxText {
			text = strings.ToValidUTF8(text[:maxText], "") + "…"
		}
		found = append(found, text)
		goesOn = more
	}
	own := f.lines[line-1]
	add(own, false)
	least := indent(own)
	goesOn = false
	for i := line - 1; i > max(head, line-most) && (least > 0 || goesOn); i-- {
		text := f.lines[i-1]
		if strings.TrimSpace(text) == "" {
			continue
		}
		switch in := indent(text); {
		case in < least:
			least, goesOn = in, false
			add(text, false)
		case in == least && goesOn:
			add(text, true)
		}
	}
	slices.Reverse(found)
	return found
}

// indent counts columns, a tab as 8.
func indent(s string) int {
	n := 0
	for _, c := range s {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8
		default:
			return n
		}
	}
	return n
}

func firstWord(s string) string {
	for i := range len(s) {
		if c := s[i]; c < 'a' || c > 'z' {
			return s[:i]
		}
	}
	return s
}
