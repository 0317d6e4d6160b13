// Command pulls plays the history of a repository through the steps of the
// action, as if each commit of its main branch was a pull request: merges with the
// branch that they merged, others by themselves. A stand-in for GitHub takes the
// comments, which are written to files, to be read as a reviewer would.
//
//	go build -o /tmp/kg ./cmd/kg
//	go run ./bench/pulls -kg /tmp/kg -n 20 -out /tmp/replay ~/src/cobra
//
// With -base REV there is one change, from there to the head. With -stored the graph of each base is there, as a run for the push of it would
// have kept it.
package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/codekg/kg/bench/runner"
	"github.com/codekg/kg/report"
	"github.com/codekg/kg/report/github/githubtest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pulls:", err)
		os.Exit(1)
	}
}

type replay struct {
	kg, out, origin, work, action string
	stored, quiet                 bool
	act                           *runner.Action
}

func run() error {
	r := &replay{}
	n := 20
	flag.StringVar(&r.kg, "kg", "", "the `PROGRAM`")
	flag.IntVar(&n, "n", n, "`NUMBER` of changes")
	flag.StringVar(&r.out, "out", "pulls", "`DIR` for comments and logs")
	flag.StringVar(&r.action, "action", ".", "`DIR` of the action")
	flag.BoolVar(&r.stored, "stored", false, "the graphs of the bases are stored")
	flag.BoolVar(&r.quiet, "quiet", true, "count changes that get no comment")
	from := flag.String("base", "", "play one change only, from `REV` on")
	skip := flag.Int("skip", 0, "leave out the newest `NUMBER` of changes")
	paths := flag.String("paths", "*.go", "look at changes of `FILES` only")
	flag.Parse()
	if flag.NArg() != 1 || r.kg == "" {
		return fmt.Errorf("usage: pulls -kg PROGRAM [flags] REPOSITORY")
	}
	var err error
	for _, p := range []*string{&r.kg, &r.out, &r.action} {
		if *p, err = filepath.Abs(*p); err != nil {
			return err
		}
	}
	if r.act, err = runner.Load(filepath.Join(r.action, "action.yml")); err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "replay")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	// The action finds it by its name.
	bin := filepath.Join(temp, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		return err
	}
	name := "kg"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.Symlink(r.kg, filepath.Join(bin, name)); err != nil {
		return err
	}
	r.kg = filepath.Join(bin, name)
	r.origin, r.work = filepath.Join(temp, "origin"), filepath.Join(temp, "work")
	repo, err := filepath.Abs(flag.Arg(0))
	if err != nil {
		return err
	}
	if _, err := git("", "clone", "-q", "--bare", "--shared", repo, r.origin); err != nil {
		return err
	}
	if _, err := git("", "clone", "-q", "--shared", "--no-checkout", r.origin, r.work); err != nil {
		return err
	}
	list := ""
	if *from != "" {
		list, err = git(r.origin, "log", "-1", "--format=%H "+*from, "HEAD")
	} else {
		list, err = git(r.origin, "log", "--first-parent", "--format=%H %P", "-n", "2000", "HEAD", "--", *paths)
	}
	if err != nil {
		return err
	}
	fmt.Println("| change | head | seconds | of these analysing | commenting | requests | comment | characters | verdict |")
	fmt.Println("|--:|---|--:|--:|--:|--:|---|--:|---|")
	done := 0
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		if len(f) < 2 || done == *skip+n {
			continue
		}
		if done < *skip && r.quiet {
			done++
			continue
		}
		base, head := f[1], f[0]
		if base, err = git(r.origin, "rev-parse", base+"^{commit}"); err != nil {
			return err
		}
		if len(f) == 3 {
			head = f[2]
		}
		counted, err := r.change(temp, done+1, base, head)
		if err != nil {
			return err
		}
		if counted {
			done++
		}
	}
	return nil
}

func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// change plays one change.
func (r *replay) change(temp string, number int, base, head string) (counted bool, err error) {
	for _, x := range [][]string{{"update-ref", fmt.Sprintf("refs/pull/%d/head", number), head}, {"update-ref", fmt.Sprintf("refs/heads/base-%d", number), base}} {
		if _, err := git(r.origin, x...); err != nil {
			return false, err
		}
	}
	dir := filepath.Join(temp, fmt.Sprint("run", number))
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return false, err
	}
	server := githubtest.New()
	defer server.Close()
	server.SetHead(head)
	if server.MergeBase, err = git(r.work, "merge-base", base, head); err != nil {
		return false, err
	}
	env := []string{"PATH=" + filepath.Dir(r.kg) + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "TMPDIR=" + os.TempDir()}
	if r.stored {
		if err := r.store(server, env, dir, server.MergeBase); err != nil {
			return false, err
		}
	}
	event, err := json.Marshal(map[string]any{"pull_request": map[string]any{"number": number, "base": map[string]any{"ref": fmt.Sprint("base-", number), "sha": base}, "head": map[string]any{"sha": head}}})
	if err != nil {
		return false, err
	}
	path := filepath.Join(dir, "event.json")
	if err := os.WriteFile(path, event, 0o666); err != nil {
		return false, err
	}
	run := runner.Run{Action: r.act, Path: r.action, Workspace: r.work, Temp: dir, Inputs: map[string]string{"install": "none"}, Token: "ghs_replay",
		Env: append(env, "GITHUB_ACTIONS=true", "CI=true", "GITHUB_REPOSITORY=octo/replay", "GITHUB_API_URL="+server.URL, "GITHUB_SERVER_URL=http://github.example",
			"GITHUB_EVENT_NAME=pull_request", "GITHUB_EVENT_PATH="+path, "GITHUB_SHA="+head, "GITHUB_RUN_ID=1"),
		Uses: func(*runner.Step, map[string]string) error { return nil }}
	begin := time.Now()
	res, err := run.Do(context.Background())
	if err != nil {
		return false, err
	}
	seconds := time.Since(begin).Seconds()
	for _, e := range server.Errors {
		return false, fmt.Errorf("a request was wrong: %s", e)
	}
	said, size := "none", 0
	verdict := ""
	if len(server.Comments) > 0 {
		text := report.BodyText(server.Comments[0].Body)
		said, size = "made", len([]rune(server.Comments[0].Body))
		verdict, _, _ = strings.Cut(text, "\n")
		if err := os.WriteFile(filepath.Join(r.out, fmt.Sprintf("%03d.md", number)), []byte(text+"\n"), 0o666); err != nil {
			return false, err
		}
	} else {
		verdict, _, _ = strings.Cut(res.Summary, "\n")
	}
	if res.Code != 0 {
		said = fmt.Sprint("exit ", res.Code)
	}
	if res.Code == 0 && said == "none" && !r.quiet {
		return false, nil
	}
	requests := 0
	for _, q := range server.Requests {
		if !strings.Contains(q, "/store/") { // where artifacts lie, which is not GitHub's interface
			requests++
		}
	}
	if err := os.WriteFile(filepath.Join(r.out, fmt.Sprintf("%03d.log", number)), []byte(res.Log+"\n"+res.Summary), 0o666); err != nil {
		return false, err
	}
	fmt.Printf("| %d | %s | %.2f | %.2f | %.2f | %d | %s | %s | %s |\n", number, head[:12], seconds, res.Took["Analyse"].Seconds(), res.Took["Comment"].Seconds(), requests, said, strconv.Itoa(size), strings.ReplaceAll(verdict, "|", "\\|"))
	return true, nil
}

// store keeps the graph of a commit as a run for its push would.
func (r *replay) store(server *githubtest.Server, env []string, dir, commit string) error {
	graph, facts := filepath.Join(dir, "graph.kg"), filepath.Join(dir, "facts.kgf")
	kg := func(args ...string) (string, error) {
		cmd := exec.Command(r.kg, args...)
		cmd.Dir, cmd.Env = r.work, append(env, "XDG_CACHE_HOME="+filepath.Join(dir, "other"))
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	if _, err := kg("build", ".", "--ref", commit, "-o", graph, "--facts", facts); err != nil {
		return fmt.Errorf("kg build: %w", err)
	}
	name, err := kg("stored", "--name", "--head", commit)
	if err != nil {
		return fmt.Errorf("kg stored: %w", err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, path := range []string{graph, facts} {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: filepath.Base(path)})
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	server.Artifacts = []githubtest.Artifact{{ID: 1, Name: name, Size: int64(b.Len()), Data: b.Bytes(), Digest: githubtest.Digest(b.Bytes()),
		Run: &githubtest.ArtifactRun{ID: 5, Repository: 1, HeadRepository: 1, HeadSHA: commit}}}
	server.Runs[5] = map[string]any{"id": 5, "event": "push", "head_sha": commit, "repository": map[string]any{"id": 1}, "head_repository": map[string]any{"id": 1}}
	return nil
}
