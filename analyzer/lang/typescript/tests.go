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

// testFunction notes that the function among the arguments of a call is a test
// or runs around tests.
func (e *extractor) testFunction(i syntax.ID) {
	args := e.child(i, e.f.arguments)
	if !e.is(args, classArguments) {
		return
	}
	title, fn := syntax.ID(syntax.None), syntax.ID(syntax.None)
	n := 0
	for c := range e.t.NamedChildren(args) {
		switch k := e.class(c); {
		case k == classArrow || k == classFunctionExpr:
			fn = c
		case n == 0 && k != classObject && k != classArray && k != classSpread:
			title = c
		}
		n++
	}
	if fn == syntax.None || n > 4 {
		return
	}
	word := e.testWord(e.child(i, e.f.function))
	switch {
	case title != syntax.None && testWords[word]:
		e.test = testNode{fn, title, i, e.testTitle(title), graph.FlagTestCase}
	case hookWords[word] && (n == 1 || title != syntax.None):
		e.test = testNode{fn, syntax.None, i, e.b.InternString(word), graph.FlagTestCase | graph.FlagOnLoad}
	}
}

// testNode is a function that is a test.
type testNode struct {
	fn, at, call syntax.ID
	name         facts.Str
	flags        graph.Flags
}

// testWord returns the function of a test runner that a callee means: the name
// itself, or it with .only, .each(…) and the like; of test.beforeEach that is
// beforeEach.
func (e *extractor) testWord(i syntax.ID) string {
	word := ""
	for depth := 0; i != syntax.None && depth < 4; depth++ {
		switch e.class(i) {
		case classIdentifier:
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
			if name := e.t.String(i); word == "" || !hookWords[word] && !(testWords[word] && e.testContext(s)) {
				word = name
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

// testLiteral adds the function literal of a test.
func (e *extractor) testLiteral(i syntax.ID) facts.ExprID {
	t := e.test
	e.test = testNode{fn: syntax.None}
	name := t.at
	if name == syntax.None {
		name = e.child(t.call, e.f.function)
	}
	d := e.declare(graph.KindFunction, t.name, name, t.call)
	p := &e.b.Decls[d]
	p.Parent, p.Traits, p.Flags = none, facts.TraitFileScoped, t.flags
	e.bodies++
	x := e.literalAs(d, i)
	e.bodies--
	e.b.EndDecl(d)
	e.hashCode(d, nil, i)
	e.text = append(e.text[:0], e.b.Strings[t.name]...)
	e.sign(d)
	return x
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
		for n < len(files) && len(cmd) < 24<<10 {
			cmd += " " + shellQuote(files[n])
			n++
		}
		cmds = append(cmds, cmd)
		files = files[n:]
	}
	return cmds
}

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
