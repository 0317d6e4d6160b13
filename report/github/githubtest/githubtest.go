// Package githubtest is a stand-in for GitHub, for tests and for replaying the
// history of repositories: a server that does what GitHub does with comments,
// artifacts and check runs, and fails on demand.
//
// It holds every request against GitHub's own description of its API: rest.json,
// cut from @octokit/openapi 23.0.2 (MIT).
package githubtest

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed rest.json
var description []byte

// Server is the stand-in. Its fields may be changed while nobody talks to it.
type Server struct {
	URL string

	Requests  []string // as they came: method and address
	Errors    []string // what was wrong with them
	Comments  []*Comment
	Next      int64 // id of the last comment that was made
	PageSize  int   // of comments, whatever is asked for; 0: as asked
	Pull      map[string]any
	MergeBase string
	Artifacts []Artifact
	Runs      map[int64]map[string]any
	Checks    []map[string]any
	Login     string // who the token belongs to
	Faults    []Fault
	Before    func(method, path string) // called before a request is served

	mu     sync.Mutex
	server *httptest.Server
	router routers.Router
}

// Comment is a comment on the pull request.
type Comment struct {
	ID    int64
	Login string
	Body  string
}

// Artifact is a stored artifact, as the API lists it, and its bytes.
type Artifact struct {
	ID      int64        `json:"id"`
	Name    string       `json:"name"`
	Size    int64        `json:"size_in_bytes"`
	Expired bool         `json:"expired"`
	Digest  string       `json:"digest,omitempty"`
	Run     *ArtifactRun `json:"workflow_run"`
	Data    []byte       `json:"-"`
}

// ArtifactRun is the run that stored an artifact.
type ArtifactRun struct {
	ID             int64  `json:"id"`
	Repository     int64  `json:"repository_id"`
	HeadRepository int64  `json:"head_repository_id"`
	HeadSHA        string `json:"head_sha"`
}

// Fault answers a request instead of the server, once. It is chosen by method
// and a part of the path, empty for any.
type Fault struct {
	Method, Path string
	Do           func(w http.ResponseWriter, r *http.Request)
	After        bool // the request is served, and then this is the answer
}

// New starts a server, which Close stops.
func New() *Server {
	doc, err := openapi3.NewLoader().LoadFromData(description)
	if err != nil {
		panic(err)
	}
	f := &Server{Next: 100, Login: "github-actions[bot]", MergeBase: strings.Repeat("b", 40), Runs: map[int64]map[string]any{}}
	f.server = httptest.NewServer(http.HandlerFunc(f.serve))
	f.URL = f.server.URL
	doc.Servers = openapi3.Servers{{URL: f.URL}}
	if f.router, err = gorillamux.NewRouter(doc); err != nil {
		panic(err)
	}
	f.SetHead(strings.Repeat("a", 40))
	return f
}

// Close stops the server.
func (f *Server) Close() { f.server.Close() }

// SetHead makes a commit the head of the pull request.
func (f *Server) SetHead(head string) {
	f.Pull = map[string]any{"number": 7, "head": map[string]any{"sha": head}, "base": map[string]any{"sha": strings.Repeat("c", 40)}, "merge_commit_sha": strings.Repeat("d", 40)}
}

func (f *Server) errorf(format string, args ...any) {
	f.Errors = append(f.Errors, fmt.Sprintf(format, args...))
}

func (f *Server) serve(w http.ResponseWriter, r *http.Request) {
	if f.Before != nil {
		f.Before(r.Method, r.URL.Path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Requests = append(f.Requests, r.Method+" "+r.URL.RequestURI())
	if strings.HasPrefix(r.URL.Path, "/store/") {
		f.store(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	route, params, err := f.router.FindRoute(r)
	if err != nil {
		f.errorf("%s %s: %v", r.Method, r.URL, err)
		http.Error(w, "no such route", http.StatusTeapot)
		return
	}
	if err := openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}); err != nil {
		f.errorf("%s %s: %v", r.Method, r.URL, err)
	}
	if r.Header.Get("Authorization") == "" || r.Header.Get("User-Agent") != "kg" {
		f.errorf("%s %s: no token, or no name", r.Method, r.URL)
	}
	for i, x := range f.Faults {
		if (x.Method == "" || x.Method == r.Method) && strings.Contains(r.URL.Path, x.Path) {
			f.Faults = slices.Delete(f.Faults, i, i+1)
			if x.After {
				f.answer(httptest.NewRecorder(), r, route.Path, params, body)
			}
			x.Do(w, r)
			return
		}
	}
	f.answer(w, r, route.Path, params, body)
}

func (f *Server) answer(w http.ResponseWriter, r *http.Request, path string, params map[string]string, body []byte) {
	var in struct{ Body string }
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(params[name], 10, 64)
		return n
	}
	switch r.Method + " " + strings.TrimPrefix(path, "/repos/{owner}/{repo}") {
	case "GET /user":
		if f.Login == "github-actions[bot]" {
			reply(w, 403, map[string]any{"message": "Resource not accessible by integration"})
			return
		}
		reply(w, 200, map[string]any{"login": f.Login})
	case "GET /pulls/{pull_number}":
		reply(w, 200, f.Pull)
	case "GET /compare/{basehead}":
		reply(w, 200, map[string]any{"merge_base_commit": map[string]any{"sha": f.MergeBase}})
	case "GET /issues/{issue_number}/comments":
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		if f.PageSize > 0 {
			size = f.PageSize
		}
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		page = max(page, 1)
		lo, hi := min((page-1)*size, len(f.Comments)), min(page*size, len(f.Comments))
		if hi < len(f.Comments) {
			w.Header().Set("Link", fmt.Sprintf(`<%s%s?per_page=%d&page=%d>; rel="next"`, f.URL, r.URL.Path, size, page+1))
		}
		out := []any{}
		for _, c := range f.Comments[lo:hi] {
			out = append(out, c.json())
		}
		reply(w, 200, out)
	case "POST /issues/{issue_number}/comments":
		json.Unmarshal(body, &in)
		if len([]rune(in.Body)) > 65536 {
			reply(w, 422, map[string]any{"message": "Body is too long"})
			return
		}
		f.Next++
		c := &Comment{f.Next, f.Login, in.Body}
		f.Comments = append(f.Comments, c)
		reply(w, 201, c.json())
	case "PATCH /issues/comments/{comment_id}", "DELETE /issues/comments/{comment_id}":
		at := slices.IndexFunc(f.Comments, func(c *Comment) bool { return c.ID == number("comment_id") })
		if at < 0 {
			reply(w, 404, map[string]any{"message": "Not Found"})
			return
		}
		if r.Method == "DELETE" {
			f.Comments = slices.Delete(f.Comments, at, at+1)
			w.WriteHeader(204)
			return
		}
		json.Unmarshal(body, &in)
		f.Comments[at].Body = in.Body
		reply(w, 200, f.Comments[at].json())
	case "GET /actions/artifacts", "GET /actions/runs/{run_id}/artifacts":
		out := []Artifact{}
		for _, a := range f.Artifacts {
			if a.Name == r.URL.Query().Get("name") && (params["run_id"] == "" || a.Run.ID == number("run_id")) {
				out = append(out, a)
			}
		}
		reply(w, 200, map[string]any{"total_count": len(out), "artifacts": out})
	case "GET /actions/artifacts/{artifact_id}/{archive_format}":
		for _, a := range f.Artifacts {
			if a.ID == number("artifact_id") {
				w.Header().Set("Location", fmt.Sprintf("%s/store/%d?sig=secret", f.URL, a.ID))
				w.WriteHeader(302)
				return
			}
		}
		reply(w, 404, map[string]any{"message": "Not Found"})
	case "GET /actions/runs/{run_id}":
		if run := f.Runs[number("run_id")]; run != nil {
			reply(w, 200, run)
			return
		}
		reply(w, 404, map[string]any{"message": "Not Found"})
	case "POST /check-runs", "PATCH /check-runs/{check_run_id}":
		var c map[string]any
		json.Unmarshal(body, &c)
		f.Checks = append(f.Checks, c)
		reply(w, 201, map[string]any{"id": 5, "html_url": "https://example.com/check"})
	default:
		f.errorf("the fake does not know %s %s", r.Method, path)
		reply(w, 500, nil)
	}
}

func (c *Comment) json() map[string]any {
	return map[string]any{"id": c.ID, "body": c.Body, "user": map[string]any{"login": c.Login}, "html_url": fmt.Sprintf("https://example.com/comment/%d", c.ID)}
}

func (f *Server) store(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" {
		f.errorf("the store of artifacts got the token")
	}
	for i, x := range f.Faults {
		if strings.Contains(r.URL.Path, x.Path) && strings.HasPrefix(x.Path, "/store/") {
			f.Faults = slices.Delete(f.Faults, i, i+1)
			x.Do(w, r)
			return
		}
	}
	id, _ := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/store/"), 10, 64)
	for _, a := range f.Artifacts {
		if a.ID == id {
			w.Write(a.Data)
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

// Says is a fault that answers with a status and headers.
func Says(code int, message string, headers ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		reply(w, code, map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest"})
	}
}

// HangsUp is a fault that ends the connection, perhaps in the middle of an
// answer.
func HangsUp(said string) func(http.ResponseWriter, *http.Request) {
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

// CutAnswer is an answer that ends in the middle.
const CutAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[{\"id\":"

// Digest is the digest of an artifact's bytes, as the API gives it.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
