package github

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codekg/kg/report"
	"github.com/codekg/kg/report/github/githubtest"
)

var (
	headA = strings.Repeat("a", 40)
	headB = strings.Repeat("b", 40)
)

// aReport is a report with something to say: n users that do not fit.
func aReport(n int) *report.Report {
	s := report.Symbol{ID: "go:m/p#F", Kind: "function", Name: "p.F", File: "p/p.go", Line: 3}
	r := &report.Report{Schema: report.Schema, Tool: report.Tool{Name: "kg", Version: "v1.2.3"}, Base: report.Revision{Rev: "main", Commit: headB}, Head: report.Revision{Rev: "topic", Commit: headA},
		Changes: []report.Change{{Symbol: s, Change: "signature", Breaking: true, Totals: report.Totals{Impacted: n, MustUpdate: n, Broken: n, BrokenSites: n}}},
		Tests:   report.Tests{Mode: "none"}}
	for i := range n {
		u := report.Symbol{ID: fmt.Sprint("go:m/q#U", i), Kind: "function", Name: fmt.Sprint("q.U", i), File: "q/q.go", Line: int32(10 + i)}
		r.Changes[0].Impacted = append(r.Changes[0].Impacted, report.Impacted{Symbol: u, Relation: "caller", Severity: "must_update", Depth: 1, Certainty: "exact",
			Sites: []report.Site{{File: "q/q.go", Line: int32(10 + i), State: "broken"}}})
	}
	if n > 0 {
		r.Findings = []report.Finding{{Rule: "broken-use", Level: "error", Message: "m", File: "p/p.go", Line: 3, Fingerprint: strings.Repeat("0", 32)}}
	}
	r.Stats.Totals = r.Changes[0].Totals
	return r
}

func aPost(r *report.Report) Post {
	return Post{Repo: Repo{"octo", "shop"}, Pull: 7, Head: headA, Report: r, ID: "default", When: OnImpact, Run: 10, Server: "https://github.com", RunLink: "https://github.com/octo/shop/actions/runs/10"}
}

const token = "ghs_secret"

// did posts and checks what was done.
func did(t *testing.T, f *fakeServer, p Post, want string) *Outcome {
	t.Helper()
	c, _ := f.client(token)
	out, err := c.Comment(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if out.Did != want {
		t.Fatalf("%s (%s), want %s", out.Did, out.Why, want)
	}
	return out
}

func TestCommentLife(t *testing.T) {
	f := newFake(t)
	f.Comments = []*githubtest.Comment{
		{ID: 1, Login: "ann", Body: "hello"},
		{ID: 2, Login: "mallory", Body: "<!-- kg:impact id=default v=1 head=" + headA + " run=99 -->\nmine"},
		{ID: 3, Login: "github-actions[bot]", Body: "> <!-- kg:impact id=default v=1 -->\nquoted"},
		{ID: 4, Login: "github-actions[bot]", Body: "<!-- kg:impact id=other v=1 -->"},
	}
	// Nothing to say, and nothing there.
	if out := did(t, f, aPost(aReport(0)), "skipped"); !strings.Contains(out.Why, "nothing to say") {
		t.Error(out.Why)
	}
	out := did(t, f, aPost(aReport(2)), "created")
	for _, want := range []string{"<!-- kg:impact id=default v=1 head=" + headA + " run=10 -->\n", "**2 users still use",
		"https://github.com/octo/shop/blob/" + headA + "/q/q.go#L10", "[the whole report](https://github.com/octo/shop/actions/runs/10)"} {
		if !strings.Contains(out.Body, want) {
			t.Errorf("%q is missing in\n%s", want, out.Body)
		}
	}
	f.Requests = nil
	did(t, f, aPost(aReport(2)), "unchanged")
	if n := len(f.Requests); n != 2 {
		t.Errorf("%d requests for a comment that stays: %q", n, f.Requests)
	}
	// A later run for the same head has written it.
	late := aPost(aReport(3))
	late.Run = 9
	if out := did(t, f, late, "skipped"); !strings.Contains(out.Why, "later run") {
		t.Error(out.Why)
	}
	// Another head: what changed since is said, and again by a second run.
	f.SetHead(headB)
	next := aPost(aReport(1))
	next.Head, next.Run = headB, 11
	if out := did(t, f, next, "updated"); !strings.Contains(out.Body, "Since `aaaaaaaaaaaa`: -1 broken.") {
		t.Errorf("got\n%s", out.Body)
	}
	next.Run = 12
	did(t, f, next, "unchanged")
	// The first head's run is late.
	if out := did(t, f, aPost(aReport(2)), "skipped"); !strings.Contains(out.Why, "the head of the pull request is bbbbbbbbbbbb now") {
		t.Error(out.Why)
	}
	// All is well again: one line.
	next.Report, next.Run = aReport(0), 13
	out = did(t, f, next, "updated")
	if text := report.BodyText(out.Body); !strings.HasPrefix(text, "**No impact outside of the change** at `bbbbbbbbbbbb`.\n") || strings.Count(text, "\n") > 5 {
		t.Errorf("got\n%s", text)
	}
	// The merge commit is a head, too.
	merged := aPost(aReport(1))
	merged.Head, merged.Run = strings.Repeat("d", 40), 14
	did(t, f, merged, "updated")
	for i, c := range f.Comments[:4] {
		if c.ID != int64(i+1) || strings.Contains(c.Body, "users still") {
			t.Errorf("comment %d was touched: %q", c.ID, c.Body)
		}
	}
	if len(f.Comments) != 5 {
		t.Errorf("%d comments", len(f.Comments))
	}
	never := aPost(aReport(2))
	never.When = Never
	f.Requests = nil
	did(t, f, never, "skipped")
	if len(f.Requests) > 0 {
		t.Error("a comment that is never made needs no request")
	}
	always := aPost(aReport(0))
	always.When, always.ID, always.Head = Always, "second", headB
	did(t, f, always, "created")
}

// TestCommentRequests: a run that makes a comment needs few requests.
func TestCommentRequests(t *testing.T) {
	f := newFake(t)
	r := aReport(2)
	r.Changes[0].Change = "removed"
	out := did(t, f, aPost(r), "created")
	if n := len(f.Requests); n > 5 {
		t.Errorf("%d requests: %q", n, f.Requests)
	}
	if !strings.Contains(out.Body, "/blob/"+f.MergeBase+"/p/p.go#L3") {
		t.Errorf("no link to the merge base in\n%s", out.Body)
	}
	f.Requests = nil
	did(t, f, aPost(aReport(3)), "updated")
	if n := len(f.Requests); n != 3 {
		t.Errorf("%d requests: %q", n, f.Requests)
	}
}

func TestCommentAuthor(t *testing.T) {
	f := newFake(t)
	f.Login = "ann"
	f.Comments = []*githubtest.Comment{{ID: 1, Login: "Ann", Body: "<!-- kg:impact id=default v=1 -->\n"}, {ID: 2, Login: "github-actions[bot]", Body: "<!-- kg:impact id=default v=1 -->\n"}}
	c, _ := f.client("ghp_hers")
	out, err := c.Comment(context.Background(), aPost(aReport(1)))
	if err != nil || out.Did != "updated" || f.Comments[1].Body != "<!-- kg:impact id=default v=1 -->\n" {
		t.Errorf("%+v, %v", out, err)
	}
	// A token that may not ask is a run's.
	f.Login = botLogin
	c, _ = f.client("opaque")
	if out, err = c.Comment(context.Background(), aPost(aReport(2))); err != nil || !strings.HasSuffix(out.Address, "/2") {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestCommentPages(t *testing.T) {
	f := newFake(t)
	f.PageSize = 3
	for i := range 20 {
		f.Comments = append(f.Comments, &githubtest.Comment{ID: int64(i), Login: "ann", Body: "x"})
	}
	did(t, f, aPost(aReport(1)), "created")
	did(t, f, aPost(aReport(2)), "updated")
	if len(f.Comments) != 21 {
		t.Errorf("%d comments", len(f.Comments))
	}
}

func TestCommentDuplicates(t *testing.T) {
	f := newFake(t)
	for i := range 3 {
		f.Comments = append(f.Comments, &githubtest.Comment{ID: int64(10 + i), Login: botLogin, Body: "<!-- kg:impact id=default v=1 head=" + headB + " run=1 -->\nold"})
	}
	out := did(t, f, aPost(aReport(1)), "updated")
	if out.Removed != 2 || len(f.Comments) != 1 || f.Comments[0].ID != 10 {
		t.Errorf("%+v, %d comments", out, len(f.Comments))
	}
}

// TestCommentRace: runs that begin at the same time leave one comment.
func TestCommentRace(t *testing.T) {
	f := newFake(t)
	const runs = 4
	var barrier, all sync.WaitGroup
	barrier.Add(runs)
	seen := map[int]bool{}
	var mu sync.Mutex
	posts := 0
	f.Before = func(method, path string) {
		if method != http.MethodPost || !strings.HasSuffix(path, "/comments") {
			return
		}
		mu.Lock()
		posts++
		first := !seen[posts]
		seen[posts] = true
		mu.Unlock()
		if first && posts <= runs {
			barrier.Done()
			barrier.Wait() // all have listed before one writes
		}
	}
	for range runs {
		all.Go(func() {
			c, _ := f.client(token)
			if _, err := c.Comment(context.Background(), aPost(aReport(2))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if posts != runs || len(f.Comments) != 1 || f.Comments[0].ID != 101 {
		t.Errorf("%d posts, %d comments", posts, len(f.Comments))
	}
}

// TestCommentFaults: what a server and a network can do, and what comes of it.
func TestCommentFaults(t *testing.T) {
	list, create := "/issues/7/comments", "/issues/7/comments"
	soon := fmt.Sprint(time.Now().Add(30 * time.Second).Unix())
	later := fmt.Sprint(time.Now().Add(time.Hour).Unix())
	for _, c := range []struct {
		name      string
		faults    []githubtest.Fault
		err       string // contained in the error; empty: none
		forbidden bool
		waits     int
		comments  int
	}{
		{name: "all is well", comments: 1},
		{name: "forbidden", faults: []githubtest.Fault{{Method: "POST", Path: create, Do: githubtest.Says(403, "Resource not accessible by integration")}}, err: "cannot create the comment: the server says 403", forbidden: true},
		{name: "forbidden to list", faults: []githubtest.Fault{{Method: "GET", Path: list, Do: githubtest.Says(403, "Resource not accessible by integration")}}, err: "cannot list the comments", forbidden: true},
		{name: "unauthorized", faults: []githubtest.Fault{{Do: githubtest.Says(401, "Bad credentials")}}, err: "401", forbidden: true},
		{name: "not found", faults: []githubtest.Fault{{Path: "/pulls/7", Do: githubtest.Says(404, "Not Found")}}, err: "cannot read the pull request", forbidden: true},
		{name: "gone", faults: []githubtest.Fault{{Method: "POST", Do: githubtest.Says(410, "This issue is locked")}}, err: "410"},
		{name: "too long", faults: []githubtest.Fault{{Method: "POST", Do: githubtest.Says(422, "Body is too long")}}, err: "422"},
		{name: "429 with Retry-After", faults: []githubtest.Fault{{Do: githubtest.Says(429, "slow down", "Retry-After", "7")}}, waits: 1, comments: 1},
		{name: "429 without", faults: []githubtest.Fault{{Do: githubtest.Says(429, "slow down")}}, waits: 1, comments: 1},
		{name: "429 on writing", faults: []githubtest.Fault{{Method: "POST", Do: githubtest.Says(429, "slow down", "Retry-After", "1")}}, waits: 1, comments: 1},
		{name: "secondary limit", faults: []githubtest.Fault{{Method: "POST", Do: githubtest.Says(403, "You have exceeded a secondary rate limit")}}, waits: 1, comments: 1},
		{name: "secondary limit with Retry-After", faults: []githubtest.Fault{{Method: "POST", Do: githubtest.Says(403, "You have exceeded a secondary rate limit", "Retry-After", "5")}}, waits: 1, comments: 1},
		{name: "primary limit, reset soon", faults: []githubtest.Fault{{Do: githubtest.Says(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", soon)}}, waits: 1, comments: 1},
		{name: "primary limit, reset late", faults: []githubtest.Fault{{Do: githubtest.Says(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", later)}}, err: "cannot list the comments"},
		{name: "asks for an hour", faults: []githubtest.Fault{{Do: githubtest.Says(429, "slow down", "Retry-After", "3600")}}, err: "429"},
		{name: "nonsense in headers", faults: []githubtest.Fault{{Do: githubtest.Says(429, "slow down", "Retry-After", "soon", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "never")}}, waits: 1, comments: 1},
		{name: "500 once", faults: []githubtest.Fault{{Method: "GET", Do: githubtest.Says(500, "oops")}}, waits: 1, comments: 1},
		{name: "502 twice", faults: []githubtest.Fault{{Method: "GET", Do: githubtest.Says(502, "oops")}, {Method: "GET", Do: githubtest.Says(502, "oops")}}, waits: 2, comments: 1},
		{name: "503 for good", faults: []githubtest.Fault{{Method: "GET", Do: githubtest.Says(503, "oops")}, {Method: "GET", Do: githubtest.Says(503, "oops")}, {Method: "GET", Do: githubtest.Says(503, "oops")}}, err: "503", waits: 2},
		{name: "connection ends", faults: []githubtest.Fault{{Method: "GET", Do: githubtest.HangsUp("")}}, waits: 1, comments: 1},
		{name: "answer is cut", faults: []githubtest.Fault{{Method: "GET", Path: list, Do: githubtest.HangsUp(githubtest.CutAnswer)}}, waits: 1, comments: 1},
		{name: "no JSON", faults: []githubtest.Fault{{Method: "GET", Path: list, Do: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }}}, err: "cannot list the comments"},
		{name: "created, and the connection ends", faults: []githubtest.Fault{{Method: "POST", Do: githubtest.HangsUp(""), After: true}}, comments: 1},
		{name: "created, and the server says 502", faults: []githubtest.Fault{{Method: "POST", Do: githubtest.Says(502, "oops"), After: true}}, comments: 1},
		{name: "not created, and the server says 502", faults: []githubtest.Fault{{Method: "POST", Do: githubtest.Says(502, "oops")}}, comments: 1},
		{name: "redirected elsewhere", faults: []githubtest.Fault{{Method: "GET", Path: list, Do: githubtest.Says(302, "", "Location", "https://evil.example/")}}, err: "cannot list the comments"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			f.Faults = c.faults
			client, waits := f.client(token)
			_, err := client.Comment(context.Background(), aPost(aReport(1)))
			switch {
			case c.err == "" && err != nil:
				t.Error(err)
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Errorf("error %v, want %q", err, c.err)
			case IsForbidden(err) != c.forbidden:
				t.Errorf("forbidden %t: %v", !c.forbidden, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells a secret: %v", err)
			}
			if len(*waits) != c.waits || slices.ContainsFunc(*waits, func(d time.Duration) bool { return d < firstWait || d > maxWait }) {
				t.Errorf("waits %v, want %d", *waits, c.waits)
			}
			if len(f.Comments) != c.comments {
				t.Errorf("%d comments, want %d", len(f.Comments), c.comments)
			}
			if len(f.Faults) > 0 {
				t.Error("a fault was not met")
			}
		})
	}
}

// TestCommentRemovedMeanwhile: a comment that is gone when it is to be edited is
// made again.
func TestCommentRemovedMeanwhile(t *testing.T) {
	f := newFake(t)
	did(t, f, aPost(aReport(1)), "created")
	f.Faults = []githubtest.Fault{{Method: "PATCH", Do: func(w http.ResponseWriter, r *http.Request) {
		f.Comments = nil
		githubtest.Says(404, "Not Found")(w, r)
	}}}
	did(t, f, aPost(aReport(2)), "created")
	if len(f.Comments) != 1 {
		t.Errorf("%d comments", len(f.Comments))
	}
}

// TestCommentSlow: a server that does not answer is given up.
func TestCommentSlow(t *testing.T) {
	f := newFake(t)
	release := make(chan struct{})
	defer close(release)
	f.Before = func(string, string) { <-release }
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	c, _ := f.client(token)
	if _, err := c.Comment(ctx, aPost(aReport(1))); err == nil {
		t.Error("no error")
	}
}

// TestLinks: links lead into the repository, whatever a path holds.
func TestLinks(t *testing.T) {
	p := aPost(aReport(1))
	link := links(&p, "")
	for file, want := range map[string]string{
		"a b/c#d?e.go": "/a%20b/c%23d%3Fe.go#L3",
		"../../x":      "", "/x": "", "a//b": "", "": "", "./a": "",
		"%2e%2e/x": "/%252e%252e/x#L3",
		"é.go":     "/%C3%A9.go#L3",
	} {
		if want != "" {
			want = "https://github.com/octo/shop/blob/" + headA + want
		}
		if got := link(file, 3, true); got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
	if got := link("a.go", 3, false); got != "" {
		t.Errorf("a link to no commit: %q", got)
	}
	p.Server = "javascript:alert(1)"
	if links(&p, "") != nil {
		t.Error("links to a server that is none")
	}
}

func TestParseRepo(t *testing.T) {
	for s, ok := range map[string]bool{"octo/shop": true, "octo": false, "octo/": false, "octo/../x": false, "a/b/c": false, "octo/sh op": false, "o/..": false, "octo/shop.js": true} {
		if _, err := ParseRepo(s); (err == nil) != ok {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestCheck(t *testing.T) {
	f := newFake(t)
	r := aReport(3)
	for i := range 120 {
		r.Findings = append(r.Findings, report.Finding{Rule: "public-api", Level: []string{"note", "warning", "error"}[i%3], Message: strings.Repeat("@octocat ", 1000), File: "p/p.go", Line: int32(i + 1), Fingerprint: strings.Repeat("0", 32)})
	}
	r.Gate = &report.Gate{FailOn: []string{"error"}, Hits: 1}
	c, _ := f.client(token)
	address, err := c.Check(context.Background(), Repo{"octo", "shop"}, headA, Name("default"), r, nil)
	if err != nil || address == "" {
		t.Fatal(err)
	}
	if len(f.Checks) != 3 || f.Checks[0]["conclusion"] != "failure" {
		t.Errorf("%d requests, conclusion %v", len(f.Checks), f.Checks[0]["conclusion"])
	}
	r.Gate = nil
	if _, err := c.Check(context.Background(), Repo{"octo", "shop"}, headA, Name("x"), aReport(0), nil); err != nil || f.Checks[3]["conclusion"] != "neutral" {
		t.Errorf("%v, %v", err, f.Checks[3]["conclusion"])
	}
}
