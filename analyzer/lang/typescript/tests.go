package typescript

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/syntax"
)

// Tests of jest, vitest, mocha, node:test, bun, Playwright and others that look
// like these: calls of functions with certain names, which are imported from a
// runner or are not declared at all, with a title and a function. The function
// is a declaration named by the title.

// testWords are the functions that make tests, and hookWords those that run
// around them.
var (
	testWords = map[string]bool{"it": true, "test": true, "specify": true, "fit": true, "xit": true, "xtest": true, "bench": true}
	hookWords = map[string]bool{"beforeEach": true, "afterEach": true, "beforeAll": true, "afterAll": true, "before": true, "after": true, "setup": true, "teardown": true}
	// testModifiers stand behind a function that makes tests.
	testModifiers = map[string]bool{"only": true, "skip": true, "each": true, "concurrent": true, "todo": true, "fails": true, "failing": true,
		"serial": true, "sequential": true, "runIf": true, "skipIf": true, "for": true, "fixme": true, "slow": true}
	runners = []string{"vitest", "@jest/globals", "mocha", "node:test", "test", "bun:test", "@playwright/test", "jasmine", "uvu", "tap", "tape", "ava"}
)

// maxTitle bounds the length of a test's name in bytes.
const maxTitle = 160

// testCall is a call that makes a test, or a function that runs around tests.
type testCall struct {
	call, title syntax.ID
	from        syntax.ID // the first argument that is the test's
	fn          syntax.ID // the function among the arguments; None if what gives it is called or named
	name        facts.Str
	flags       graph.Flags
}

// testAt returns the test that the call at node i makes; its from is None if it
// makes none.
func (e *extractor) testAt(i syntax.ID) (t testCall) {
	t = testCall{call: i, title: syntax.None, from: syntax.None, fn: syntax.None}
	args := e.child(i, e.f.arguments)
	if !e.is(args, classArguments) {
		return t
	}
	second := syntax.ID(syntax.None)
	n := 0
	for c := range e.t.NamedChildren(args) {
		switch k := e.class(c); {
		case k == classArrow || k == classFunctionExpr:
			t.fn = c
		case n == 0 && k != classObject && k != classArray && k != classSpread:
			t.title = c
		}
		if n == 1 {
			second = c
		}
		n++
	}
	if t.fn == syntax.None && (second == syntax.None || t.title == syntax.None || !e.givesTest(t.title, second)) || n > 4 {
		return t
	}
	callee := e.child(i, e.f.function)
	word := e.testWord(callee)
	switch {
	case t.title != syntax.None && testWords[word] && (t.fn != syntax.None || e.fromRunner(callee)):
		t.from, t.name, t.flags = second, e.testTitle(t.title), graph.FlagTestCase
	case t.fn != syntax.None && hookWords[word] && (n == 1 || t.title != syntax.None):
		t.from, t.name, t.flags = t.fn, e.b.InternString(word), graph.FlagTestCase|graph.FlagOnLoad
		t.title = syntax.None
	}
	return t
}

// givesTest reports whether a title and what stands behind it may be those of a
// test whose function something else gives: fakeAsync(() => {…}), a macro.
func (e *extractor) givesTest(title, x syntax.ID) bool {
	switch e.class(title) {
	case classString, classTemplate, classBinary:
		return e.is(x, classCall) || e.is(x, classIdentifier) || e.is(x, classMember)
	}
	return false
}

// fromRunner reports whether what a callee of [extractor.testWord] begins with is
// such a word that the file does not import, or is imported from a runner.
func (e *extractor) fromRunner(i syntax.ID) bool {
	for depth := 0; i != syntax.None && depth < 4; depth++ {
		switch e.class(i) {
		case classIdentifier:
			s := e.str(i)
			for k := range e.b.Imports {
				if im := &e.b.Imports[k]; im.Alias == s && im.Flags&facts.ImportReExport == 0 {
					return slices.Contains(runners, e.b.Strings[im.Path])
				}
			}
			return testWords[e.b.Strings[s]] && e.b.Lookup(s) == none
		case classMember:
			i = e.child(i, e.f.object)
		case classCall:
			i = e.child(i, e.f.function)
		default:
			return false
		}
	}
	return false
}

// testWord returns the function of a test runner that a callee means: the name
// itself, or it with .only, .each(…) and the like; of test.beforeEach that is
// beforeEach.
func (e *extractor) testWord(i syntax.ID) string {
	word := ""
	for depth := 0; i != syntax.None && depth < 4; depth++ {
		switch e.class(i) {
		case classIdentifier:
			if text := e.t.Text(i); word == "" && !testWords[string(text)] && !hookWords[string(text)] {
				return "" // most calls
			}
			s := e.str(i)
			if _, own := e.tops[s]; own || e.b.Lookup(s) != none && !e.testContext(s) {
				return ""
			}
			for k := range e.b.Imports {
				if im := &e.b.Imports[k]; im.Alias == s && im.Flags&facts.ImportReExport == 0 {
					if p := e.b.Strings[im.Path]; !slices.Contains(runners, p) && !strings.HasPrefix(p, ".") {
						return ""
					}
				}
			}
			if word == "" || !hookWords[word] && !(testWords[word] && e.testContext(s)) {
				word = e.t.String(i)
			}
			return word
		case classMember:
			if p := e.t.String(e.child(i, e.f.property)); word == "" {
				word = p
			}
			if !testModifiers[word] && !testWords[word] && !hookWords[word] {
				return ""
			}
			i = e.child(i, e.f.object)
		case classCall: // test.each(…)
			i = e.child(i, e.f.function)
		default:
			return ""
		}
	}
	return ""
}

// testContext reports whether a local name is that of the context that node:test
// and tap give to a test, whose test method makes tests inside of it.
func (e *extractor) testContext(s facts.Str) bool { return e.b.Strings[s] == "t" }

// testTitle returns a test's name from its title. What is computed stands in it
// as in a template.
func (e *extractor) testTitle(i syntax.ID) facts.Str {
	words := strings.Fields(string(e.titleText(nil, i, 0)))
	s := strings.Join(words, " ")
	if len(s) > maxTitle {
		s = strings.ToValidUTF8(s[:maxTitle], "")
	}
	if s == "" {
		s = "?"
	}
	return e.b.InternString(s)
}

// titleText appends the text of a title, or of an operand in it.
func (e *extractor) titleText(out []byte, i syntax.ID, depth int) []byte {
	switch k := e.class(i); {
	case k == classString || k == classTemplate:
		return append(out, unescape.Replace(string(e.unquoted(i)))...)
	case k == classBinary && e.word(i, "+") && depth < maxTitleParts && len(out) < maxTitle:
		return e.titleText(e.titleText(out, e.child(i, e.f.left), depth+1), e.child(i, e.f.right), depth+1)
	}
	text := e.t.Text(i)
	return append(append(append(out, "${"...), text[:min(len(text), maxTitle)]...), '}')
}

// unescape takes the escapes away that quotes need.
var unescape = strings.NewReplacer(`\\`, `\`, `\'`, "'", `\"`, `"`, "\\`", "`")

// maxTitleParts bounds the operands of a title that is put together.
const maxTitleParts = 16

// testArguments adds the arguments of a call that makes a test: what stands behind
// the title is the test's, up to its function.
func (e *extractor) testArguments(t *testCall) (spread bool) {
	var parts []syntax.ID
	d, owner := facts.DeclID(none), e.owner
	ended := false
	end := func() {
		e.owner = owner
		e.b.EndDecl(d)
		e.hashCode(d, nil, parts...)
		e.text = append(e.text[:0], e.b.Strings[t.name]...)
		e.sign(d)
		ended = true
	}
	for c := range e.t.NamedChildren(e.child(t.call, e.f.arguments)) {
		if c == t.from {
			name := t.title
			if name == syntax.None {
				name = e.child(t.call, e.f.function)
			}
			d = e.declare(graph.KindFunction, t.name, name, t.call)
			p := &e.b.Decls[d]
			p.Parent, p.Traits, p.Flags = none, facts.TraitFileScoped, t.flags
			e.owner = d
		}
		x := facts.ExprID(none)
		switch inside := d != none && !ended; {
		case inside && c == t.fn:
			e.owner = owner
			e.bodies++
			x = e.literalAs(d, c)
			e.bodies--
			parts = append(parts, c)
			end()
		case inside:
			e.bodies++
			x = e.expr(c)
			e.bodies--
			parts = append(parts, c)
		default:
			x = e.expr(c)
		}
		spread = spread || e.class(c) == classSpread
		e.ids = append(e.ids, int32(x))
	}
	if !ended {
		end()
	}
	return spread
}

// testCommands returns the command that runs tests. Which runner a repository
// has is a matter of its scripts, and all take the files to run as arguments.
func testCommands(r lang.TestRun) []string {
	if r.All {
		return []string{"npm test"}
	}
	var files []string
	for _, t := range r.Tests {
		files = append(files, t.File)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	var cmds []string
	for len(files) > 0 {
		cmd, n := "npm test --", 0
		for n < len(files) && (n == 0 || len(cmd)+1+len(shellQuote(files[n])) <= lang.MaxCommand) {
			cmd += " " + shellQuote(files[n])
			n++
		}
		cmds = append(cmds, cmd)
		files = files[n:]
	}
	if len(cmds) > maxRuns {
		return []string{lang.Coarser("all tests"), "npm test"}
	}
	return cmds
}

// maxRuns bounds the commands that files are spread over, each of which starts the
// runner anew.
const maxRuns = 8

// shellQuote quotes a word that may hold anything.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./,+-@", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 && s[0] != '-' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
