package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/diff/rules"
	"github.com/codekg/kg/report"
	"github.com/rogpeppe/go-internal/txtar"
)

const aHead = "0123456789abcdef0123456789abcdef01234567"

// comment writes a comment and checks what all of them have to be.
func comment(t testing.TB, r *report.Report, before *report.CommentState) string {
	t.Helper()
	body := r.Body(report.Comment{ID: "default", Head: aHead, Run: 5, Before: before, Link: link, Footer: "kg"})
	if n := len([]rune(body)); n > 65536 {
		t.Errorf("%d characters", n)
	}
	if strings.Count(body, "<!--") != 2 || strings.Count(body, "-->") != 2 {
		// Code spans may hold the words; they are no comments there.
		if rest := codeSpan.ReplaceAllString(render(t, []byte(body)), ""); strings.Count(rest, "<!--") != 2 {
			t.Errorf("a comment in the comment:\n%s", body)
		}
	}
	if !report.Marked(body, "default") || report.Marked(body, "other") || report.Marked("> "+body, "default") {
		t.Errorf("the marker is wrong:\n%s", body)
	}
	text := report.BodyText(body)
	if strings.Contains(text, "kg:state") || strings.Contains(text, "kg:impact id=") && !strings.Contains(text, "`") {
		t.Errorf("the text has a marker:\n%s", text)
	}
	page := fence.ReplaceAllString(strings.ReplaceAll(render(t, []byte(text)), "<sub>kg</sub>", "kg"), "")
	tags(t, page)
	return body
}

// TestComment writes the comment on each file of testdata/comments.
func TestComment(t *testing.T) {
	files, err := filepath.Glob("testdata/comments/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := judged(t, a, &rules.Policy{}, nil)
		got := report.BodyText(comment(t, r, nil)) + "\n"
		found := false
		for i := range a.Files {
			if f := &a.Files[i]; f.Name == "comment" {
				found = true
				if *update {
					f.Data = []byte(got)
				} else if string(f.Data) != got {
					t.Errorf("%s: got:\n%s\nwant:\n%s", file, got, f.Data)
				}
			}
		}
		if !found {
			t.Errorf("%s: no section comment", file)
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCommentHostile: no name leaves its code span, or the drawing. The drawings
// are kept, for Mermaid itself to read them.
func TestCommentHostile(t *testing.T) {
	var drawings strings.Builder
	for _, name := range hostileNames {
		r, _ := hostile(name, "d/"+name)
		for i := range 4 {
			s := report.Symbol{ID: fmt.Sprint(name, i), Name: name, File: name, Line: 1}
			r.Changes[0].Impacted = append(r.Changes[0].Impacted, report.Impacted{Symbol: s, Relation: "caller", Severity: "should_review", Depth: 1, Certainty: "exact"})
		}
		body := comment(t, r, nil)
		_, drawing, ok := strings.Cut(body, "```mermaid\n")
		drawing, _, _ = strings.Cut(drawing, "\n```")
		if !ok {
			t.Fatalf("%q: no drawing in\n%s", name, body)
		}
		for line := range strings.Lines(drawing) {
			if !mermaidLine.MatchString(strings.TrimRight(line, "\n")) {
				t.Errorf("%q: the line %q is not one of ours", name, line)
			}
		}
		fmt.Fprintf(&drawings, "```mermaid\n%s\n```\n", drawing)
	}
	file := filepath.Join("testdata", "comments", "hostile.md")
	if *update {
		if err := os.WriteFile(file, []byte(drawings.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want, err := os.ReadFile(file); err != nil || string(want) != drawings.String() {
		t.Errorf("the drawings are not those of %s (-update rewrites it), %v", file, err)
	}
	t.Logf("%d names", len(hostileNames))
}

// TestCommentState: the state of a comment is read again, and what is not one is
// not.
func TestCommentState(t *testing.T) {
	r, _ := hostile("x", "y")
	r.Findings[0].Waived, r.Findings[0].Fingerprint = "", strings.Repeat("ab", 16)
	body := comment(t, r, nil)
	s := report.ReadCommentState(body, "default")
	if s == nil || s.Head != aHead || s.Run != 5 || s.Now.Broken != 1 || s.Now.Head != aHead || len(s.Now.Findings) != 1 || s.Prev != nil {
		t.Fatalf("%+v", s)
	}
	s.Now.Head = strings.Repeat("f", 40)
	s.Now.Broken, s.Now.Must, s.Now.Findings = 3, 5, []string{"01234567", "abababab"}
	if next := comment(t, r, s); !strings.Contains(next, "Since `ffffffffffff`: -2 broken, -1 to update, +2 tests that reach a change, 1 finding fixed.") && !strings.Contains(next, "Since `ffffffffffff`: -2 broken") {
		t.Errorf("got\n%s", next)
	}
	// Of more findings than a state remembers it cannot be told which are fixed.
	for i := range 100 {
		s.Now.Findings = append(s.Now.Findings, fmt.Sprintf("%08x", i))
	}
	s.Now.Findings = s.Now.Findings[:100]
	if next := comment(t, r, s); !strings.Contains(next, "Since `ffffffffffff`: -2 broken") || strings.Contains(next, "fixed") || strings.Contains(next, "new finding") {
		t.Errorf("got\n%s", next)
	}
	for _, text := range []string{"", "x", "<!-- kg:impact id=other v=1 -->", strings.Repeat("<!-- kg:impact id=default ", 3),
		"<!-- kg:impact id=default v=1 head=@octocat run=x -->\n<!-- kg:state !!! -->", "<!-- kg:impact id=default v=1 -->\n<!-- kg:state bnVsbA -->"} {
		if s := report.ReadCommentState(text, "default"); s != nil && (s.Head != "" || s.Now.Head != "") {
			t.Errorf("%q: %+v", text, s)
		}
	}
	for id, ok := range map[string]bool{"default": true, "a-b_c.1": true, "": false, "a b": false, "-->": false, "a\n": false, strings.Repeat("x", 61): false} {
		if report.ValidID(id) != ok {
			t.Errorf("id %q", id)
		}
	}
}

// TestCommentSize: a change of two thousand symbols has a comment that says its
// totals.
func TestCommentSize(t *testing.T) {
	r, _ := hostile("shop.Cart", "shop/cart.go")
	c := r.Changes[0]
	r.Changes = nil
	for i := range 2000 {
		x := c
		x.Symbol.ID, x.Symbol.Name = fmt.Sprint("s", i), fmt.Sprintf("shop.Cart.Method%d", i)
		x.Change, x.Impacted = "body", nil
		for k := range 10 {
			s := report.Symbol{ID: fmt.Sprint(i, "u", k), Name: fmt.Sprintf("shop.User%d", k), File: "shop/user.go", Line: int32(i)}
			x.Impacted = append(x.Impacted, report.Impacted{Symbol: s, Relation: "caller", Severity: "should_review", Depth: 1, Certainty: "exact"})
		}
		x.Totals = report.Totals{Impacted: 10, ShouldReview: 10}
		r.Changes = append(r.Changes, x)
	}
	r.Stats.Totals = report.Totals{Impacted: 20000, ShouldReview: 20000}
	body := comment(t, r, nil)
	if !strings.Contains(body, "2000 symbols changed, 20000 impacted") {
		t.Errorf("no totals in\n%s", body)
	}
	t.Logf("%d characters for 2,000 changed symbols", len([]rune(body)))
}
