package golang

import (
	"bytes"
	"go/build/constraint"
	"strconv"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// header reads what stands before the declarations: the build constraint, the
// mark of generated code, and the package's name.
func (e *extractor) header() {
	e.b.Constraint = e.b.InternString(buildConstraint(e.src))
	for i := syntax.ID(1); int(i) < len(e.nodes); i = e.nodes[i].Next {
		switch classOf(e.nodes[i].Kind) {
		case classComment:
			if !e.b.Generated {
				e.b.Generated = isGeneratedMark(e.t.Text(i))
			}
		case classPackageClause:
			e.b.Package = e.str(e.t.FirstNamed(i))
			e.main = e.b.Package == e.words.main
			return
		}
	}
	e.b.Generated = false // no package clause
}

var (
	generatedPrefix = []byte("// Code generated ")
	generatedSuffix = []byte(" DO NOT EDIT.")
)

// isGeneratedMark reports whether a comment holds a line that marks generated
// code: "^// Code generated .* DO NOT EDIT\.$".
func isGeneratedMark(comment []byte) bool {
	if !bytes.Contains(comment, generatedPrefix) {
		return false
	}
	for line := range bytes.SplitSeq(comment, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if bytes.HasPrefix(line, generatedPrefix) && bytes.HasSuffix(line, generatedSuffix) {
			return true
		}
	}
	return false
}

// buildConstraint returns the build constraint in a file, as the text of a
// //go:build line without its prefix. It honours what the go command does: one
// //go:build line among the comments at the top, or else // +build lines that a
// blank line separates from the rest. The text of a line that is no valid
// constraint is returned as it is.
func buildConstraint(src []byte) string {
	head, line := fileHead(src)
	if line != nil {
		x, err := constraint.Parse(string(line))
		if err != nil {
			return string(bytes.TrimSpace(line[len(goBuildPrefix):]))
		}
		return x.String()
	}
	var all constraint.Expr
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if !bytes.HasPrefix(line, []byte("//")) || !bytes.Contains(line, []byte("+build")) || !constraint.IsPlusBuild(string(line)) {
			continue
		}
		if x, err := constraint.Parse(string(line)); err == nil {
			if all == nil {
				all = x
			} else {
				all = &constraint.AndExpr{X: all, Y: x}
			}
		}
	}
	if all == nil {
		return ""
	}
	return all.String()
}

const goBuildPrefix = "//go:build"

// fileHead returns the comments at the top of a file up to the last blank line
// before anything else, where // +build lines may stand, and the first
// //go:build line.
func fileHead(src []byte) (head, goBuild []byte) {
	end, rest := 0, bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	src = rest
	ended, inBlock := false, false
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		line = bytes.TrimSpace(line)
		if len(line) == 0 && !ended {
			end = len(src) - len(rest)
			continue
		}
		if !bytes.HasPrefix(line, []byte("//")) {
			ended = true
		}
		if !inBlock && goBuild == nil && isGoBuild(line) {
			goBuild = line
		}
		for len(line) > 0 {
			switch {
			case inBlock:
				_, line, inBlock = bytes.Cut(line, []byte("*/"))
				inBlock = !inBlock
				line = bytes.TrimSpace(line)
			case bytes.HasPrefix(line, []byte("//")):
				line = nil
			case bytes.HasPrefix(line, []byte("/*")):
				inBlock = true
				line = line[2:]
			default:
				return src[:end], goBuild
			}
		}
	}
	return src[:end], goBuild
}

func isGoBuild(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte(goBuildPrefix))
	return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t')
}

// imports adds the imports of a declaration. The comment before import "C" is
// a part of the program that the file's uses of C depend on.
func (e *extractor) imports(i syntax.ID, doc *comments) {
	for c := range e.t.NamedChildren(i) {
		switch classOf(e.nodes[c].Kind) {
		case classImportSpec:
			e.importSpec(c, *doc, e.nodes[i].Row)
		case classImportList:
			e.eachSpec(c, classImportSpec, func(spec syntax.ID, doc comments) { e.importSpec(spec, doc, e.nodes[spec].Row) })
		}
	}
}

func (e *extractor) importSpec(i syntax.ID, doc comments, row uint32) {
	path := e.child(i, fieldPath)
	if path == syntax.None {
		return
	}
	text := e.t.Text(path)
	if s, err := strconv.Unquote(string(text)); err == nil {
		text = []byte(s)
	}
	im := facts.Import{Path: e.b.Intern(text), Owner: none}
	if im.Path == 0 {
		return
	}
	im.Line, im.Col = e.place(i)
	if n := e.child(i, fieldName); n != syntax.None {
		im.Alias = e.str(n)
	}
	e.b.Imports = append(e.b.Imports, im)
	switch string(text) {
	case "testing":
		if e.testing = im.Alias; im.Alias == 0 {
			e.testing = im.Path
		}
	case "C":
		e.preamble.imported = true
		if doc.attached(row) {
			base := len(e.members)
			e.members = doc.appendRun(e, e.members)
			e.preamble.sum = e.digest(e.members[base:])
			e.members = e.members[:base]
		}
	}
}
