// This test runs the steps of action.yml as a runner does, on small
// repositories, with a stand-in for GitHub.
package runner_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/bench/runner"
	"github.com/codekg/kg/report"
	"github.com/codekg/kg/report/github/githubtest"
)

const actionToken = "ghs_actionsecret"

// actionLab is a repository on a server with a pull request, and a runner.
type actionLab struct {
	t      *testing.T
	dir    string
	origin string
	server *githubtest.Server
	action *runner.Action
	// Commits of the repository.
	before, first, main, head, merge string
	stored                           map[string]map[string]string // artifacts that were kept, files by name
	runs                             int
	path                             string // $PATH
}

// built is kg, built once for all tests.
var built struct {
	sync.Once
	path string
	out  []byte
	err  error
}

func program(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		dir, err := os.MkdirTemp("", "kg-action")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "kg")
		built.out, built.err = exec.Command("go", "build", "-o", built.path, "../../cmd/kg").CombinedOutput()
	})
	if built.err != nil {
		t.Fatalf("%v\n%s", built.err, built.out)
	}
	return built.path
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.path != "" {
		os.RemoveAll(filepath.Dir(built.path))
	}
	os.Exit(code)
}

// storedName is the name of the artifact of a commit.
func storedName(commit string) string {
	return fmt.Sprintf("kg-graph-v%d-%s", artifact.Version, commit)
}

func short(commit string) string { return commit[:12] }

// newActionLab makes a repository in which a pull request gives Add a second
// parameter and forgets a user, and the main branch goes on with another one.
func newActionLab(t *testing.T) *actionLab {
	t.Helper()
	for _, p := range []string{"git", "bash", "go"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(p + " is needed")
		}
	}
	l := &actionLab{t: t, dir: t.TempDir(), server: githubtest.New(), stored: map[string]map[string]string{}, path: filepath.Dir(program(t)) + string(filepath.ListSeparator) + os.Getenv("PATH")}
	t.Cleanup(func() {
		l.server.Close()
		for _, e := range l.server.Errors {
			t.Error(e)
		}
	})
	var err error
	if l.action, err = runner.Load("../../action.yml"); err != nil {
		t.Fatal(err)
	}
	l.origin = filepath.Join(l.dir, "origin")
	l.git("", "init", "-q", "-b", "main", l.origin)
	for _, k := range []string{"uploadpack.allowAnySHA1InWant", "uploadpack.allowReachableSHA1InWant"} {
		l.git(l.origin, "config", k, "true")
	}
	l.commits("main", "old", 40) // more than a clone of some depth has
	l.git(l.origin, "checkout", "-q", "main")
	l.before = l.git(l.origin, "rev-parse", "HEAD")
	l.write("go.mod", "module example.com/shop\n")
	l.write("shop.go", "package shop\n\n// Add adds.\nfunc Add(a int) int { return a }\n")
	l.first = l.commit("shop", "user.go", "package shop\n\nfunc user() int { return Add(1) }\n")
	l.git(l.origin, "checkout", "-q", "-b", "topic")
	l.head = l.commit("two", "shop.go", "package shop\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n")
	l.git(l.origin, "checkout", "-q", "main")
	l.main = l.commit("later", "later.go", "package shop\n\nfunc later() int { return Add(2) }\n")
	l.git(l.origin, "checkout", "-q", "-b", "merged")
	l.git(l.origin, "merge", "-q", "-m", "merge", "topic")
	l.merge = l.git(l.origin, "rev-parse", "HEAD")
	l.git(l.origin, "update-ref", "refs/pull/7/head", l.head)
	l.git(l.origin, "update-ref", "refs/pull/7/merge", l.merge)
	l.git(l.origin, "checkout", "-q", "main")
	l.git(l.origin, "branch", "-q", "-D", "topic", "merged")
	l.server.SetHead(l.head)
	l.server.Pull["merge_commit_sha"] = l.merge
	return l
}

func (l *actionLab) git(dir string, args ...string) string {
	l.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, l.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (l *actionLab) env() []string {
	env := []string{"PATH=" + l.path, "TMPDIR=" + os.TempDir()}
	return append(env, "HOME="+l.dir, "XDG_CONFIG_HOME="+l.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com",
		"GIT_AUTHOR_DATE=2025-01-02T12:00:00Z", "GIT_COMMITTER_DATE=2025-01-02T12:00:00Z", "TZ=UTC", "LC_ALL=C")
}

func (l *actionLab) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.origin, name), []byte(text), 0o666); err != nil {
		l.t.Fatal(err)
	}
}

func (l *actionLab) commit(message, name, text string) string {
	l.t.Helper()
	l.write(name, text)
	l.git(l.origin, "add", "-A")
	l.git(l.origin, "commit", "-q", "-m", message)
	return l.git(l.origin, "rev-parse", "HEAD")
}

// commits adds many commits to a branch that is not checked out.
func (l *actionLab) commits(branch, message string, n int) {
	l.t.Helper()
	var b strings.Builder
	for i := range n {
		text := fmt.Sprint(message, " ", i)
		fmt.Fprintf(&b, "commit refs/heads/%s\ncommitter Ann <ann@example.com> 1735819200 +0000\ndata %d\n%s\n", branch, len(text), text)
		if head := exec.Command("git", "-C", l.origin, "rev-parse", "-q", "--verify", branch); i == 0 && head.Run() == nil {
			fmt.Fprintf(&b, "from refs/heads/%s^0\n", branch)
		}
		fmt.Fprintf(&b, "M 100644 inline notes.md\ndata %d\n%s\n", len(text), text)
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = l.origin, l.env(), strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("git fast-import: %v\n%s", err, out)
	}
}

// checkOut does what actions/checkout does: depth 0 is everything.
func (l *actionLab) checkOut(ref string, depth int) string {
	l.t.Helper()
	l.runs++
	dir := filepath.Join(l.dir, fmt.Sprint("work", l.runs))
	l.git("", "init", "-q", dir)
	l.git(dir, "remote", "add", "origin", "file://"+l.origin)
	args := []string{"fetch", "-q", "--no-tags", "origin", "+" + ref + ":refs/remotes/pull/7/merge"}
	if depth > 0 {
		args = slices.Insert(args, 1, fmt.Sprint("--depth=", depth))
	} else {
		args = append(args, "+refs/heads/*:refs/remotes/origin/*")
	}
	l.git(dir, args...)
	l.git(dir, "checkout", "-q", "--detach", "refs/remotes/pull/7/merge")
	return dir
}

// do runs the action for an event.
func (l *actionLab) do(event, sha string, payload map[string]any, dir string, inputs map[string]string) *runner.Result {
	l.t.Helper()
	temp := filepath.Join(l.dir, fmt.Sprint("temp", l.runs))
	if err := os.MkdirAll(temp, 0o777); err != nil {
		l.t.Fatal(err)
	}
	text, err := json.Marshal(payload)
	if err != nil {
		l.t.Fatal(err)
	}
	path := filepath.Join(temp, "event.json")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		l.t.Fatal(err)
	}
	here, err := filepath.Abs("../..")
	if err != nil {
		l.t.Fatal(err)
	}
	if inputs == nil {
		inputs = map[string]string{}
	}
	inputs["install"] = "none"
	r := runner.Run{Action: l.action, Path: here, Workspace: dir, Temp: temp, Inputs: inputs, Token: actionToken,
		Env: append(l.env(), "GITHUB_ACTIONS=true", "CI=true", "GITHUB_REPOSITORY=octo/shop", "GITHUB_API_URL="+l.server.URL, "GITHUB_SERVER_URL=http://github.example",
			"GITHUB_EVENT_NAME="+event, "GITHUB_EVENT_PATH="+path, "GITHUB_SHA="+sha, "GITHUB_RUN_ID="+fmt.Sprint(100+l.runs), "XDG_CACHE_HOME="+filepath.Join(temp, "cache")),
		Uses: func(step *runner.Step, with map[string]string) error {
			if !strings.HasPrefix(step.Uses, "actions/upload-artifact@") {
				return nil
			}
			files := map[string]string{}
			for _, path := range strings.Fields(with["path"]) {
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				files[filepath.Base(path)] = string(data)
			}
			l.stored[with["name"]] = files
			return nil
		}}
	ctx, cancel := context.WithTimeout(l.t.Context(), 2*time.Minute)
	defer cancel()
	res, err := r.Do(ctx)
	if err != nil {
		l.t.Fatal(err)
	}
	if strings.Contains(res.Log, actionToken) || strings.Contains(res.Summary, actionToken) {
		l.t.Error("the log tells the token")
	}
	return res
}

func (l *actionLab) pullRequest(ref string) map[string]any {
	return map[string]any{"pull_request": map[string]any{"number": 7, "base": map[string]any{"ref": ref, "sha": l.first}, "head": map[string]any{"sha": l.head}}}
}

func (l *actionLab) want(res *runner.Result, code int, outputs ...string) {
	l.t.Helper()
	if res.Code != code {
		l.t.Fatalf("code %d in %q, want %d:\n%s", res.Code, res.Failed, code, res.Log)
	}
	for i := 0; i+1 < len(outputs); i += 2 {
		if got := res.Outputs[outputs[i]]; got != outputs[i+1] {
			l.t.Errorf("%s is %q, want %q:\n%s", outputs[i], got, outputs[i+1], res.Log)
		}
	}
}

func TestActionPullRequest(t *testing.T) {
	t.Parallel()
	l := newActionLab(t)
	for _, depth := range []int{1, 0} {
		l.server.Comments, l.server.Requests = nil, nil
		dir := l.checkOut("refs/pull/7/merge", depth)
		shallow := l.git(dir, "rev-list", "--count", "HEAD")
		res := l.do("pull_request", l.merge, l.pullRequest("main"), dir, nil)
		l.want(res, 0, "base", l.first, "broken", "1", "gate", "none", "tests-mode", "none", "changes", "1", "findings", "3", "artifact", "")
		if len(l.server.Comments) != 1 || !strings.Contains(l.server.Comments[0].Body, "**1 user still uses the old form of what changed: `shop.Add`") {
			t.Fatalf("depth %d: comments %v:\n%s", depth, l.server.Comments, res.Log)
		}
		body := l.server.Comments[0].Body
		for _, want := range []string{"http://github.example/octo/shop/blob/" + l.head + "/user.go#L3", "broken-on-base", "later"} {
			if !strings.Contains(body, want) {
				t.Errorf("depth %d: %q is missing in\n%s", depth, want, body)
			}
		}
		if n := len(l.server.Requests); n > 8 {
			t.Errorf("%d requests: %q", n, l.server.Requests)
		}
		t.Logf("depth %d: %d requests", depth, len(l.server.Requests))
		if !strings.Contains(res.Summary, "1 user still uses") || !strings.Contains(res.Summary, "The base: read from git, of what is stored there is none.") {
			t.Errorf("summary:\n%s", res.Summary)
		}
		if !strings.Contains(res.Log, "::error file=shop.go,line=4,title=kg%3A broken-use::shop.Add changed") {
			t.Errorf("no annotation in\n%s", res.Log)
		}
		if got := l.git(dir, "rev-list", "--count", "HEAD"); got < shallow && len(got) <= len(shallow) {
			t.Errorf("the clone was cut from %s to %s commits", shallow, got)
		}
		if got := l.git(dir, "rev-parse", "HEAD"); got != l.merge {
			t.Errorf("another commit is checked out: %s", got)
		}
		for k, v := range res.Envs["Analyse"] {
			if strings.Contains(v, actionToken) {
				t.Errorf("the step that reads the code has the token in %s", k)
			}
		}
		if l.stored["kg-report"]["pull.txt"] != "7\n" {
			t.Errorf("kept %v", l.stored)
		}
		if _, err := report.Read(strings.NewReader(l.stored["kg-report"]["report.json"])); err != nil {
			t.Error(err)
		}
	}
}

// TestActionToken: kg impact has no token, whatever a workflow sets for all steps.
func TestActionToken(t *testing.T) {
	t.Parallel()
	l := newActionLab(t)
	dir := l.checkOut("refs/pull/7/merge", 1)
	real := program(t)
	bin := filepath.Join(l.dir, "bin")
	seen := filepath.Join(l.dir, "seen")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = impact ] || [ \"$1\" = build ]; then env >>%s; fi\nexec %s \"$@\"\n", seen, real)
	if err := os.WriteFile(filepath.Join(bin, "kg"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	l.path = bin + string(filepath.ListSeparator) + l.path
	l.action.Runs.Steps[3].Env["GITHUB_TOKEN"] = actionToken // even then
	l.want(l.do("pull_request", l.merge, l.pullRequest("main"), dir, nil), 0)
	text, err := os.ReadFile(seen)
	if err != nil || !strings.Contains(string(text), "GITHUB_EVENT_NAME=pull_request") {
		t.Fatalf("%v: %s", err, text)
	}
	if strings.Contains(string(text), "secret") || regexp.MustCompile(`(?m)^(GITHUB|GH|ACTIONS)_\w*TOKEN=.`).Match(text) {
		t.Errorf("kg impact has a token:\n%s", text)
	}
}

func TestActionEvents(t *testing.T) {
	t.Parallel()
	l := newActionLab(t)
	// The merge commit against what it was merged into: the other user breaks, too.
	for _, depth := range []int{1} {
		dir := l.checkOut("refs/pull/7/merge", depth)
		res := l.do("pull_request", l.merge, l.pullRequest("main"), dir, map[string]string{"mode": "merge", "comment": "never"})
		l.want(res, 0, "base", l.main, "broken", "2")
	}
	// A gate, from the input and from the base's configuration.
	dir := l.checkOut("refs/pull/7/merge", 1)
	res := l.do("pull_request", l.merge, l.pullRequest("main"), dir, map[string]string{"fail-on": "error"})
	l.want(res, 1, "gate", "stopped")
	if res.Failed != "Gate" || len(l.server.Comments) != 1 {
		t.Errorf("failed in %q, %d comments", res.Failed, len(l.server.Comments))
	}
	l.want(l.do("pull_request", l.merge, l.pullRequest("main"), dir, map[string]string{"fail-on": "new-cycle", "annotations": "false"}), 0, "gate", "passed")
	l.want(l.do("pull_request", l.merge, l.pullRequest("main"), dir, map[string]string{"fail-on": "nonsense"}), 2, "gate", "")
	l.want(l.do("pull_request", l.merge, l.pullRequest("main"), dir, map[string]string{"args": "--depth 1 --no-history"}), 0, "broken", "1")
	// A merge queue.
	queue := map[string]any{"merge_group": map[string]any{"base_sha": l.main, "head_sha": l.merge}}
	l.want(l.do("merge_group", l.merge, queue, l.checkOut("refs/pull/7/merge", 1), nil), 0, "base", l.main, "broken", "2", "artifact", "")
	// A push keeps the graph, for the changes to come.
	push := map[string]any{"before": l.first}
	res = l.do("push", l.main, push, l.checkOut("refs/heads/main", 1), nil)
	l.want(res, 0, "base", l.first, "broken", "0", "artifact", storedName(l.main))
	if files := l.stored[storedName(l.main)]; files["graph.kg"] == "" || files["facts.kgf"] == "" {
		t.Errorf("kept %v", len(files))
	}
	// The first push of a branch, and a run by hand: the commit before.
	l.want(l.do("push", l.main, map[string]any{"before": strings.Repeat("0", 40)}, l.checkOut("refs/heads/main", 1), nil), 0, "base", l.first)
	l.want(l.do("workflow_dispatch", l.main, map[string]any{}, l.checkOut("refs/heads/main", 0), nil), 0, "base", l.first)
	// Another base, another head.
	l.want(l.do("workflow_dispatch", l.main, map[string]any{}, l.checkOut("refs/heads/main", 0), map[string]string{"base": "HEAD~3", "head": "HEAD~2"}), 0, "changes", "0")
	// Code that is not trusted is not read with rights.
	for _, event := range []string{"pull_request_target", "workflow_run"} {
		if res := l.do(event, l.main, l.pullRequest("main"), dir, nil); res.Code == 0 || strings.Contains(res.Log, "kg impact") || !strings.Contains(res.Log, "must not run on "+event) {
			t.Errorf("%s: code %d\n%s", event, res.Code, res.Log)
		}
	}
}

// TestActionDeep: a change that began long ago, in a clone of one commit, which is
// deepened step by step until the beginning is there. A base that has nothing in
// common with the head is an error that says so.
func TestActionDeep(t *testing.T) {
	t.Parallel()
	l := newActionLab(t)
	l.git(l.origin, "checkout", "-q", "--detach")
	l.commits("main", "new", 150) // 30 and 100 more are not enough
	l.git(l.origin, "checkout", "-q", "-b", "merged", "main")
	l.git(l.origin, "merge", "-q", "-m", "merge", l.head)
	l.merge = l.git(l.origin, "rev-parse", "HEAD")
	l.git(l.origin, "update-ref", "refs/pull/7/merge", l.merge)
	l.git(l.origin, "checkout", "-q", "main")
	l.git(l.origin, "branch", "-q", "-D", "merged")
	l.server.Pull["merge_commit_sha"] = l.merge
	dir := l.checkOut("refs/pull/7/merge", 1)
	l.want(l.do("pull_request", l.merge, l.pullRequest("main"), dir, nil), 0, "base", l.first, "broken", "1")
	if got := l.git(dir, "rev-parse", "--is-shallow-repository"); got != "true" {
		t.Log("all commits were fetched") // allowed, and not needed
	}
	l.git(l.origin, "checkout", "-q", "--orphan", "strange")
	l.git(l.origin, "commit", "-q", "-m", "nothing in common")
	l.git(l.origin, "checkout", "-q", "main")
	res := l.do("pull_request", l.merge, l.pullRequest("strange"), l.checkOut("refs/pull/7/merge", 1), nil)
	l.want(res, 2, "gate", "")
	if !strings.Contains(res.Log, "no common ancestor") {
		t.Errorf("got\n%s", res.Log)
	}
}

// zipped is an archive of files.
func zipped(files map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, _ := z.Create(name)
		w.Write([]byte(files[name]))
	}
	z.Close()
	return b.Bytes()
}

// TestActionStored: what a push has kept is found for the base of a change, and
// the report is the same as without.
func TestActionStored(t *testing.T) {
	t.Parallel()
	l := newActionLab(t)
	l.want(l.do("push", l.first, map[string]any{}, l.checkOut(l.first, 1), nil), 0, "artifact", storedName(l.first))
	data := zipped(l.stored[storedName(l.first)])
	dir := l.checkOut("refs/pull/7/merge", 1)
	reports := map[string]string{}
	for _, c := range []struct {
		name, source string
		change       func(a *githubtest.Artifact)
	}{
		{"none", "read from git, of what is stored there is none", func(a *githubtest.Artifact) { a.Name = "other" }},
		{"good", "facts of " + short(l.first) + ", 0 commits before it, stored by run 50 after push", func(*githubtest.Artifact) {}},
		{"ancestor", "facts of " + short(l.before) + ", 1 commit before it, stored by run 50 after push", func(a *githubtest.Artifact) {
			a.Name, a.Run.HeadSHA = storedName(l.before), l.before
		}},
		{"expired", "read from git, of what is stored it is expired", func(a *githubtest.Artifact) { a.Expired = true }},
		{"other version", "read from git, of what is stored it is damaged, or another kg's", func(a *githubtest.Artifact) {
			a.Data = zipped(map[string]string{"graph.kg": "x", "facts.kgf": strings.Replace(l.stored[storedName(l.first)]["facts.kgf"], "\x01", "\x02", 1)})
			a.Digest, a.Size = githubtest.Digest(a.Data), int64(len(a.Data))
		}},
		{"fork", "read from git, of what is stored it comes from another repository", func(a *githubtest.Artifact) { a.Run.HeadRepository = 2 }},
		{"damaged", "read from git, of what is stored it is no archive", func(a *githubtest.Artifact) { a.Data, a.Digest = []byte("x"), "" }},
	} {
		a := githubtest.Artifact{ID: 1, Name: storedName(l.first), Size: int64(len(data)), Digest: githubtest.Digest(data), Data: data,
			Run: &githubtest.ArtifactRun{ID: 50, Repository: 1, HeadRepository: 1, HeadSHA: l.first}}
		c.change(&a)
		dir := dir
		if c.name == "ancestor" { // which a clone of one commit does not have
			dir = l.checkOut("refs/pull/7/merge", 0)
		}
		l.server.Artifacts = []githubtest.Artifact{a}
		l.server.Runs[50] = map[string]any{"id": 50, "event": "push", "head_sha": a.Run.HeadSHA, "repository": map[string]any{"id": 1}, "head_repository": map[string]any{"id": 1}}
		l.server.Comments, l.server.Requests = nil, nil
		l.runs++
		res := l.do("pull_request", l.merge, l.pullRequest("main"), dir, nil)
		l.want(res, 0, "base-source", c.source, "base", l.first, "broken", "1")
		if n := len(l.server.Requests); c.name == "good" && n > 8 {
			t.Errorf("%s: %d requests: %q", c.name, n, l.server.Requests)
		}
		if c.name != "ancestor" { // that clone knows more of the history
			reports[l.stored["kg-report"]["report.json"]] = c.name
		}
	}
	if len(reports) != 1 {
		t.Errorf("what is stored changes the report: %d reports", len(reports))
	}
}

// TestActionFork: a run for a fork may not write. It warns, and the summary
// stands; the second step posts the report, and believes nothing that is in it.
func TestActionFork(t *testing.T) {
	t.Parallel()
	l := newActionLab(t)
	refuse := githubtest.Says(403, "Resource not accessible by integration")
	l.server.Faults = []githubtest.Fault{{Path: "/issues/7/comments", Do: refuse}}
	res := l.do("pull_request", l.merge, l.pullRequest("main"), l.checkOut("refs/pull/7/merge", 1), map[string]string{"artifact": "true"})
	l.want(res, 0, "broken", "1")
	if !strings.Contains(res.Log, "::warning title=kg::The comment could not be written") || !strings.Contains(res.Log, "kg: warning: cannot list the comments: the server says 403 Forbidden") || !strings.Contains(res.Summary, "1 user still uses") {
		t.Errorf("got\n%s", res.Log)
	}
	if len(l.server.Comments) > 0 {
		t.Fatal("a comment was made")
	}
	good := l.stored["kg-report"]["report.json"]
	post := func(text, pull, head string) (string, error) {
		data := zipped(map[string]string{"report.json": text, "pull.txt": pull})
		l.server.Artifacts = []githubtest.Artifact{{ID: 9, Name: "kg-report", Size: int64(len(data)), Data: data, Run: &githubtest.ArtifactRun{ID: 77}}}
		cmd := exec.Command(program(l.t), "comment", "--run", "77", "--head", head)
		cmd.Env = append(l.env(), "GITHUB_TOKEN="+actionToken, "GITHUB_API_URL="+l.server.URL, "GITHUB_REPOSITORY=octo/shop", "GITHUB_RUN_ID=200")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, c := range []struct{ name, text, pull, head, says string }{
		{"other pull request", good, "8", l.head, "cannot read the pull request"},
		{"number that is none", good, "7; rm -rf /", l.head, "the run names no pull request"},
		{"other head", good, "7", l.main, "not about the commit"},
		{"no report", "{}", "7", l.head, "no report of kg impact"},
		{"more than a report", strings.Replace(good, `{"schema"`, `{"extra":1,"schema"`, 1), "7", l.head, "no report of kg impact"},
	} {
		if c.pull == "8" {
			l.server.Faults = []githubtest.Fault{{Path: "/pulls/8", Do: githubtest.Says(404, "Not Found")}}
		}
		out, _ := post(c.text, c.pull, c.head)
		if !strings.Contains(out, c.says) || len(l.server.Comments) > 0 {
			t.Errorf("%s: %s", c.name, out)
		}
	}
	evil := strings.ReplaceAll(good, "shop.Add", `@octocat <img src=x> [x](https://evil.example) \u202e #1 --> `)
	evil = strings.ReplaceAll(evil, "user.go", "](https://evil.example) `@octocat")
	if out, err := post(evil, "7\n", l.head); err != nil || len(l.server.Comments) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	if body := l.server.Comments[0].Body; !strings.Contains(body, "` @octocat <img src=x> [x](https://evil.example) \\u{202e} #1 -->  `") {
		t.Errorf("got\n%s", body)
	}
	l.server.SetHead(l.main)
	if out, err := post(good, "7", l.head); err != nil || !strings.Contains(out, "no comment: the head of the pull request is "+short(l.main)+" now") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestActionPublishing: a server that fails changes no verdict.
func TestActionPublishing(t *testing.T) {
	t.Parallel()
	l := newActionLab(t)
	dir := l.checkOut("refs/pull/7/merge", 1)
	for range 3 {
		l.server.Faults = append(l.server.Faults, githubtest.Fault{Path: "/issues/", Do: githubtest.Says(410, "gone")})
	}
	for _, gate := range []string{"new-cycle", "error"} {
		code := map[string]int{"new-cycle": 0, "error": 1}[gate]
		res := l.do("pull_request", l.merge, l.pullRequest("main"), dir, map[string]string{"fail-on": gate})
		l.want(res, code)
		if !strings.Contains(res.Log, "::warning title=kg::The comment could not be written") {
			t.Errorf("no warning in\n%s", res.Log)
		}
	}
}

// TestActionHostile: names in events are words, never code.
func TestActionHostile(t *testing.T) {
	t.Parallel()
	l := newActionLab(t)
	dir := l.checkOut("refs/pull/7/merge", 1)
	for _, ref := range []string{"$(touch pwned)", "`touch pwned`", "main;touch pwned", "--upload-pack=touch pwned", "main\ntouch pwned", "a..b", "-x", "x::y", ""} {
		if res := l.do("pull_request", l.merge, l.pullRequest(ref), dir, nil); res.Code == 0 {
			t.Errorf("%q: code 0", ref)
		}
	}
	for _, in := range []map[string]string{{"base": "$(touch pwned)"}, {"base": "--output=pwned"}, {"head": "-x; touch pwned"}, {"args": "; touch pwned"}, {"mode": "`touch pwned`"}, {"install": "none", "config": "$(touch pwned)"}, {"fail-on": "error'; touch pwned"}} {
		if res := l.do("pull_request", l.merge, l.pullRequest("main"), dir, in); res.Code == 0 {
			t.Errorf("%v: code 0:\n%s", in, res.Log)
		}
	}
	l.do("pull_request", l.merge, l.pullRequest("main"), dir, map[string]string{"comment-id": "x --> @octocat"})
	if len(l.server.Comments) > 0 && strings.Contains(l.server.Comments[0].Body, "@octocat") {
		t.Error("an id got into a comment")
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "pwned*")); len(found) > 0 {
		t.Errorf("something was run: %v", found)
	}
}

// TestActionFile holds action.yml against rules that no linter knows.
func TestActionFile(t *testing.T) {
	a, err := runner.Load("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s: an expression in a script", s.Name)
		}
		if s.Uses == "" && s.Shell == "" || s.Name == "" {
			t.Errorf("%s: no shell, or no name", s.Name)
		}
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("%s is not pinned", s.Uses)
		}
	}
	if a.Runs.Using != "composite" || len(a.Inputs) < 10 || len(a.Outputs) < 10 {
		t.Errorf("%+v", a)
	}
	workflows, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(workflows) == 0 {
		t.Fatal("no workflows")
	}
	uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(\S+)`)
	for _, path := range workflows {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range uses.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasPrefix(m[1], "./") && !pinned.MatchString(m[1]) {
				t.Errorf("%s: %s is not pinned", path, m[1])
			}
		}
	}
}

// TestActionReferences: every input is used and every used one declared, and every
// output of a step is of a step that is there, and is written by its script.
func TestActionReferences(t *testing.T) {
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	a, err := runner.Load("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`inputs\.([\w-]+)`).FindAllStringSubmatch(string(text), -1) {
		used[m[1]] = true
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("there is no input %s", m[1])
		}
	}
	for name := range a.Inputs {
		if !used[name] {
			t.Errorf("the input %s is not used", name)
		}
	}
	scripts := map[string]string{}
	for _, s := range a.Runs.Steps {
		if s.ID == "" {
			continue
		}
		file := regexp.MustCompile(`/\.github/action/\w+\.sh`).FindString(s.Run)
		script, err := os.ReadFile("../.." + file)
		if err != nil || file == "" || scripts[s.ID] != "" {
			t.Fatalf("%s: %v", s.ID, err)
		}
		scripts[s.ID] = string(script)
	}
	// What kg itself writes for a script.
	for id, source := range map[string]string{"analyse": "../../cmd/kg/event.go", "stored": "../../cmd/kg/stored.go"} {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		scripts[id] += string(text)
	}
	for _, m := range regexp.MustCompile(`steps\.([\w-]+)\.outputs\.([\w-]+)`).FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(scripts[m[1]], m[2]+"=") {
			t.Errorf("nothing writes %s", m[0])
		}
	}
}
