package report_test

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/report"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
)

// github renders Markdown nearly as GitHub does, which removes more tags.
var github = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()))

func render(t testing.TB, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := github.Convert(text, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	codeSpan    = regexp.MustCompile(`(?s)<code>.*?</code>`)
	tag         = regexp.MustCompile(`<[^>]*>`)
	fence       = regexp.MustCompile(`(?s)<pre><code.*?</code></pre>`)
	mermaidLine = regexp.MustCompile(`^(flowchart LR|  n\d+\["[A-Za-z0-9 ._/#;-]*"\](:::(changed|broken))?|  n\d+ (-->|==>)(\|[a-z]+\|)? n\d+|  classDef [a-z]+ [a-z0-9#:,-]+)$`)
	reference   = regexp.MustCompile(`[@#<>*_~\[\]\\` + "`|]" + `|:[\w+-]+:|://|www\.|\b(?i:gh)-\d|\b[0-9a-fA-F]{7,}\b`)
	attribute   = regexp.MustCompile(` style="text-align:right"`)
	allowed     = strings.Fields("a b br details h4 li p strong summary table tbody td th thead tr ul")
)

// tags returns the tags of a rendered report, without code spans, and fails on
// any that the report does not write itself.
func tags(t testing.TB, page string) []string {
	t.Helper()
	rest := codeSpan.ReplaceAllString(page, " ")
	all := tag.FindAllString(rest, -1)
	for _, x := range all {
		name := strings.Trim(attribute.ReplaceAllString(x, ""), "</>")
		if strings.HasPrefix(name, `a href="https://example.com/`) {
			name = "a"
		}
		if !slices.Contains(allowed, name) {
			t.Errorf("tag %s", x)
		}
	}
	text := html.UnescapeString(tag.ReplaceAllString(rest, " "))
	if hit := reference.FindString(text); hit != "" {
		t.Errorf("%q stands outside of code in %q", hit, text)
	}
	for _, pair := range []string{"details", "summary", "b", "strong"} {
		if strings.Count(rest, "<"+pair+">") != strings.Count(rest, "</"+pair+">") {
			t.Errorf("<%s> is not closed", pair)
		}
	}
	for i := range all {
		if strings.HasPrefix(all[i], "<a ") {
			all[i] = "<a>"
		}
	}
	return all
}

func link(file string, line int32, head bool) string {
	return fmt.Sprintf("https://example.com/%v/%s#L%d", head, file, line)
}

var markdownOptions = []report.Options{{}, {Limit: 1}, {Limit: -1}, {Link: link}, {Bytes: 6000}, {Bytes: 1}}

var noneOf = regexp.MustCompile(` \(0 ambiguous\)|[:,] 0 must update \(0 broken at 0 places\)| \(0 broken at 0 places\)|[:,] 0 (?:should review|may be affected)(?: \(0 ambiguous\))?`)

func TestMarkdown(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := reports(t, parse(t, a, "base"), parse(t, a, "head"))
		var summary bytes.Buffer // the totals as the text report says them
		for line := range strings.Lines(string(write(t, "impact", "text", r, nil, report.Options{}))) {
			if strings.Contains(line, "impacted: ") {
				summary.WriteString(strings.TrimSpace(line))
			}
		}
		for _, o := range markdownOptions {
			text := write(t, "impact", "md", r, nil, o)
			harmless(t, text, false)
			tags(t, render(t, text))
			// Markdown leaves out what there is none of.
			want := noneOf.ReplaceAllString(summary.String(), "")
			want = strings.NewReplacer("impacted,", "impacted:", "impacted: .", "impacted.").Replace(want)
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: %+v: the totals %q are missing in\n%s", file, o, want, text)
			}
			if !bytes.Equal(text, write(t, "impact", "md", r, nil, o)) {
				t.Errorf("%s: two reports differ", file)
			}
		}
	}
}

// TestMarkdownBytes: what is too long gets shorter as a whole, and says so.
func TestMarkdownBytes(t *testing.T) {
	r, _ := hostile("a|b@c", "d/e f.go")
	c := r.Changes[0]
	r.Changes = nil
	for i := range 200 {
		x := c
		x.Symbol.Name = fmt.Sprintf("shop.Cart.Method%d", i)
		x.Impacted = nil
		for k := range 20 {
			s := report.Symbol{ID: fmt.Sprint(i, k), Name: fmt.Sprintf("shop.User%d", k), File: "shop/user.go", Line: int32(i)}
			x.Impacted = append(x.Impacted, report.Impacted{Symbol: s, Relation: "caller", Severity: "should_review", Depth: 1, Certainty: "exact"})
		}
		r.Changes = append(r.Changes, x)
	}
	all := len(write(t, "impact", "md", r, nil, report.Options{Limit: -1}))
	for _, n := range []int{4000, 8000, 65536, all, all + 1} {
		for _, limit := range []int{0, -1, 5} {
			text := write(t, "impact", "md", r, nil, report.Options{Bytes: n, Limit: limit})
			if len(text) > n {
				t.Errorf("%d bytes instead of %d", len(text), n)
			}
			if n > all && limit < 0 && len(text) != all {
				t.Errorf("%d bytes, although %d are allowed", len(text), n)
			}
			tags(t, render(t, text))
			if page := string(text); !strings.HasPrefix(page, "**") || !strings.Contains(page, "200 symbols changed") {
				t.Errorf("verdict or totals are missing in\n%s", page)
			}
		}
	}
	// Not even the first lines have room.
	text := string(write(t, "impact", "md", r, nil, report.Options{Bytes: 10}))
	for _, want := range []string{"changed, and used elsewhere (200)", "should review (4000)", "tests that reach a change (2)", "could not be told (2)", "owners of impacted code (1)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestMarkdownLinks(t *testing.T) {
	r, _ := hostile("shop.Add", "a b/(c)[d]<e>&copy;|`f\".go")
	for _, c := range []struct{ address, want string }{
		{"https://example.com/x", `<a href="https://example.com/x"><code>`},
		{"https://example.com/a b)<c>|`\"&copy;", `<a href="https://example.com/a%20b%29%3Cc%3E%7C%60%22&amp;copy;"><code>`},
		{"https://example.com/é\n", `<a href="https://example.com/%C3%A9%0A"><code>`},
		{"javascript:alert(1)", ""},
		{"", ""},
	} {
		o := report.Options{Link: func(string, int32, bool) string { return c.address }}
		page := render(t, write(t, "impact", "md", r, nil, o))
		if c.want == "" && strings.Contains(page, "<a") || !strings.Contains(page, c.want) {
			t.Errorf("%q: got\n%s", c.address, page)
		}
		tags(t, page)
	}
	removed, head := false, true
	r.Changes[0].Change = "removed"
	write(t, "impact", "md", r, nil, report.Options{Link: func(_ string, _ int32, h bool) string {
		removed, head = removed || !h, head && h
		return ""
	}})
	if !removed || head {
		t.Error("what was removed is looked for in the head")
	}
}

// hostileNames are what a name in the code under review may hold.
var hostileNames = []string{
	"@octocat", "a@octocat", "x | @octocat", `\@octocat`, "#123", "octo/repo#1", "GH-12", "octo@example.com",
	"https://evil.example/x", "www.evil.example", "<https://evil.example>", "mailto:a@b.example", "www", "x-www", "http", "https:",
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</details>", "</code>@octocat", "<!-- x", "-->", "<a href=//evil.example>x",
	"![x](https://evil.example/x.png)", "[x](https://evil.example)", "[x][y]", "[x]: https://evil.example", "[^1]",
	"`", "``", "`@octocat`", "a`@b`c", "`` @octocat ``", strings.Repeat("`", 100) + "@octocat", "```\n@octocat\n```", " `", "` ",
	"|", "a|b", `a\|@octocat`, `a\\|@octocat`, `\`, `a\`, "|---|", "x |\n|---|\n@octocat", "-", "- x", "1.", "1. x", "> x", "# x", "    x", "===", "***", "**", "__init__", "*x*", "~~x~~",
	":tada:", "::error::x", "##[group]x", "x\n::set-output name=a::b", "x\r\n@octocat", "\u202e@octocat", "\u200b@octocat", "@\u200boctocat",
	"deadbeef", "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef", "1234567", "&commat;octocat", "&#64;octocat", "&lt;b&gt;", "&", "<",
	"$x$", "$$x$$", "$`x`$", "\xff\xfe", "\x1b[31mx", "(", ")", "()", "f(x)", "(@octocat)", "(((", ".,;", "...", "word", "two words", "naïve 名前", "@名前", "é@octocat",
	"\u00a0@octocat", "\u3000x", "\u2028@octocat", "\t@octocat", strings.Repeat("@octocat ", 300), strings.Repeat("x", 5000), "<br>", "<b>", "<details><summary>x</summary>",
}

func TestMarkdownHostile(t *testing.T) {
	for _, a := range hostileNames {
		t.Run("", func(t *testing.T) {
			survive(t, a, "x/y.go")
			survive(t, "shop.Add", a)
			survive(t, a, a+a)
			if t.Failed() {
				t.Errorf("name %.50q", a)
			}
		})
	}
}

// FuzzMarkdown: a report renders to the same elements whatever the names are.
func FuzzMarkdown(f *testing.F) {
	for i, a := range hostileNames {
		f.Add(a, hostileNames[(i+7)%len(hostileNames)])
	}
	f.Fuzz(func(t *testing.T, a, b string) { survive(t, a, b) })
}

func survive(t testing.TB, a, b string) {
	t.Helper()
	r, _ := hostile(a, b)
	plain, _ := hostile("shop.Add", "shop/add.go")
	for _, o := range []report.Options{{}, {Link: link}, {Bytes: 4000}} {
		text := write(t, "impact", "md", r, nil, o)
		harmless(t, text, false)
		page := render(t, text)
		got := tags(t, page)
		if a == "" || b == "" || a == b || b == ":" || o.Bytes > 0 {
			continue // other lines, not other names
		}
		if want := tags(t, render(t, write(t, "impact", "md", plain, nil, o))); !slices.Equal(got, want) {
			t.Errorf("%q, %q: elements %v instead of %v of\n%s", a, b, got, want, text)
		}
		name := report.Escape(a)
		if len(name) < 100 && strings.TrimSpace(name) != "" && !strings.ContainsAny(name, "`|") {
			if !strings.Contains(html.UnescapeString(page), "<code>"+name+"</code>") {
				t.Errorf("the name %q is missing in\n%s", name, page)
			}
		}
	}
}
