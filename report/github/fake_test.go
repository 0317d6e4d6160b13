package github

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// fake is a server that does what GitHub does with comments, artifacts and check
// runs. It holds every request against GitHub's own description of its API
// (testdata/rest.json, cut from @octokit/openapi, MIT), and fails on demand.
type fake struct {
	t      *testing.T
	server *httptest.Server
	router routers.Router

	mu        sync.Mutex
	requests  []string
	comments  []*fakeComment
	next      int64
	pageSize  int // of comments, whatever is asked for; 0: as asked
	pull      map[string]any
	mergeBase string
	artifacts []fakeArtifact
	runs      map[int64]map[string]any
	checks    []map[string]any
	login     string // who the token belongs to
	// faults answer requests instead of the server, each once, by method and a
	// part of the path.
	faults []fault
	// before is called before a request is served.
	before func(method, path string)
}

type fakeComment struct {
	ID    int64
	Login string
	Body  string
}

type fakeArtifact struct {
	artifact
	data []byte
}

type fault struct {
	method, path string
	do           func(w http.ResponseWriter, r *http.Request)
	after        bool // the request is served, and then this is the answer
}

func newFake(t *testing.T) *fake {
	t.Helper()
	text, err := os.ReadFile("testdata/rest.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, next: 100, login: "github-actions[bot]", mergeBase: strings.Repeat("b", 40), runs: map[int64]map[string]any{}}
	f.server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.server.Close)
	doc.Servers = openapi3.Servers{{URL: f.server.URL}}
	if f.router, err = gorillamux.NewRouter(doc); err != nil {
		t.Fatal(err)
	}
	f.setHead(strings.Repeat("a", 40))
	return f
}

func (f *fake) setHead(head string) {
	f.pull = map[string]any{"number": 7, "head": map[string]any{"sha": head}, "base": map[string]any{"sha": strings.Repeat("c", 40)}, "merge_commit_sha": strings.Repeat("d", 40)}
}

// client returns a client of the fake that does not wait, and what it would have
// waited.
func (f *fake) client(token string) (*Client, *[]time.Duration) {
	f.t.Helper()
	var waits []time.Duration
	c, err := New(Options{API: f.server.URL, Token: token, Agent: "kg", Transport: http.DefaultTransport.(*http.Transport).Clone(),
		Sleep: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }})
	if err != nil {
		f.t.Fatal(err)
	}
	return c, &waits
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	if f.before != nil {
		f.before(r.Method, r.URL.Path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r.Method+" "+r.URL.RequestURI())
	if strings.HasPrefix(r.URL.Path, "/store/") {
		f.store(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := f.router.FindRoute(r)
	if err != nil {
		f.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		http.Error(w, "no such route", http.StatusTeapot)
		return
	}
	if err := openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}); err != nil {
		f.t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}
	if r.Header.Get("Authorization") == "" || r.Header.Get("User-Agent") != "kg" {
		f.t.Errorf("%s %s: no token, or no name", r.Method, r.URL)
	}
	for i, x := range f.faults {
		if (x.method == "" || x.method == r.Method) && strings.Contains(r.URL.Path, x.path) {
			f.faults = slices.Delete(f.faults, i, i+1)
			if x.after {
				f.answer(httptest.NewRecorder(), r, route.Path, params, body)
			}
			x.do(w, r)
			return
		}
	}
	f.answer(w, r, route.Path, params, body)
}

func (f *fake) answer(w http.ResponseWriter, r *http.Request, path string, params map[string]string, body []byte) {
	var in struct{ Body string }
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(params[name], 10, 64)
		return n
	}
	switch r.Method + " " + strings.TrimPrefix(path, "/repos/{owner}/{repo}") {
	case "GET /user":
		if f.login == "github-actions[bot]" {
			reply(w, 403, map[string]any{"message": "Resource not accessible by integration"})
			return
		}
		reply(w, 200, map[string]any{"login": f.login})
	case "GET /pulls/{pull_number}":
		reply(w, 200, f.pull)
	case "GET /compare/{basehead}":
		reply(w, 200, map[string]any{"merge_base_commit": map[string]any{"sha": f.mergeBase}})
	case "GET /issues/{issue_number}/comments":
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		if f.pageSize > 0 {
			size = f.pageSize
		}
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		page = max(page, 1)
		lo, hi := min((page-1)*size, len(f.comments)), min(page*size, len(f.comments))
		if hi < len(f.comments) {
			w.Header().Set("Link", fmt.Sprintf(`<%s%s?per_page=%d&page=%d>; rel="next"`, f.server.URL, r.URL.Path, size, page+1))
		}
		out := []any{}
		for _, c := range f.comments[lo:hi] {
			out = append(out, c.json())
		}
		reply(w, 200, out)
	case "POST /issues/{issue_number}/comments":
		json.Unmarshal(body, &in)
		if len([]rune(in.Body)) > 65536 {
			reply(w, 422, map[string]any{"message": "Body is too long"})
			return
		}
		f.next++
		c := &fakeComment{f.next, f.login, in.Body}
		f.comments = append(f.comments, c)
		reply(w, 201, c.json())
	case "PATCH /issues/comments/{comment_id}", "DELETE /issues/comments/{comment_id}":
		at := slices.IndexFunc(f.comments, func(c *fakeComment) bool { return c.ID == number("comment_id") })
		if at < 0 {
			reply(w, 404, map[string]any{"message": "Not Found"})
			return
		}
		if r.Method == "DELETE" {
			f.comments = slices.Delete(f.comments, at, at+1)
			w.WriteHeader(204)
			return
		}
		json.Unmarshal(body, &in)
		f.comments[at].Body = in.Body
		reply(w, 200, f.comments[at].json())
	case "GET /actions/artifacts", "GET /actions/runs/{run_id}/artifacts":
		out := []artifact{}
		for _, a := range f.artifacts {
			if a.Name == r.URL.Query().Get("name") && (params["run_id"] == "" || a.Run.ID == number("run_id")) {
				out = append(out, a.artifact)
			}
		}
		reply(w, 200, map[string]any{"total_count": len(out), "artifacts": out})
	case "GET /actions/artifacts/{artifact_id}/{archive_format}":
		for _, a := range f.artifacts {
			if a.ID == number("artifact_id") {
				w.Header().Set("Location", fmt.Sprintf("%s/store/%d?sig=secret", f.server.URL, a.ID))
				w.WriteHeader(302)
				return
			}
		}
		reply(w, 404, map[string]any{"message": "Not Found"})
	case "GET /actions/runs/{run_id}":
		if run := f.runs[number("run_id")]; run != nil {
			reply(w, 200, run)
			return
		}
		reply(w, 404, map[string]any{"message": "Not Found"})
	case "POST /check-runs", "PATCH /check-runs/{check_run_id}":
		var c map[string]any
		json.Unmarshal(body, &c)
		f.checks = append(f.checks, c)
		reply(w, 201, map[string]any{"id": 5, "html_url": "https://example.com/check"})
	default:
		f.t.Errorf("the fake does not know %s %s", r.Method, path)
		reply(w, 500, nil)
	}
}

func (c *fakeComment) json() map[string]any {
	return map[string]any{"id": c.ID, "body": c.Body, "user": map[string]any{"login": c.Login}, "html_url": fmt.Sprintf("https://example.com/comment/%d", c.ID)}
}

func (f *fake) store(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" {
		f.t.Error("the store of artifacts got the token")
	}
	for i, x := range f.faults {
		if strings.Contains(r.URL.Path, x.path) && strings.HasPrefix(x.path, "/store/") {
			f.faults = slices.Delete(f.faults, i, i+1)
			x.do(w, r)
			return
		}
	}
	id, _ := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/store/"), 10, 64)
	for _, a := range f.artifacts {
		if a.ID == id {
			w.Write(a.data)
			return
		}
	}
	http.NotFound(w, r)
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	if v != nil {
		json.NewEncoder(w).Encode(v)
	}
}

// says is a fault that answers with a status and headers.
func says(code int, message string, headers ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		reply(w, code, map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest"})
	}
}

// hangsUp is a fault that ends the connection, perhaps in the middle of an
// answer.
func hangsUp(said string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buf, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		buf.WriteString(said)
		buf.Flush()
		conn.Close()
	}
}

const cutAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[{\"id\":"

// archive makes a zip file.
func archive(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, files[i+1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
