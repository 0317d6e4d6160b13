package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what commands print in README.md and in testdata/script")

// TestReadme runs the session of README.md, the lines that begin with "$" of
// its console blocks, and compares what they print.
func TestReadme(t *testing.T) {
	const path = "../../README.md"
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shop := readmeRepository(t)
	ran := 0
	blocks := regexp.MustCompile("(?s)```console\n(.*?)```\n")
	got := blocks.ReplaceAllFunc(readme, func(block []byte) []byte {
		out := []byte("```console\n")
		for line := range strings.Lines(string(blocks.FindSubmatch(block)[1])) {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue
			}
			ran++
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = shop
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s%s%v", command, said, err)
			}
			out = append(append(out, line...), said...)
		}
		return append(out, "```\n"...)
	})
	if ran == 0 {
		t.Fatal("README.md has no session")
	}
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(got, readme) {
		t.Errorf("kg prints something else than README.md says (go test ./cmd/kg -run TestReadme -update rewrites it):\n%s", got)
	}
}

// TestReadmeCommands: the commands of CI are the ones that README.md tells.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	ci, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	const test = "go test ./..."
	if !bytes.Contains(readme, []byte("\n"+test+"\n")) || !bytes.Contains(ci, []byte(" "+test+"\n")) {
		t.Errorf("README.md and .ci/run do not both run %q", test)
	}
}

// readmeRepository makes the repository of testdata/readme.txtar.
func readmeRepository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is needed")
	}
	a, err := txtar.ParseFile("testdata/readme.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	gitEnv(t.Setenv, dir)
	shop := filepath.Join(dir, "shop")
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", shop}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	commit := func(n int, folder string) {
		for _, f := range a.Files {
			name, ok := strings.CutPrefix(f.Name, folder+"/")
			if !ok {
				continue
			}
			name = filepath.Join(shop, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("GIT_AUTHOR_DATE", commitDate(n))
		t.Setenv("GIT_COMMITTER_DATE", commitDate(n))
		git("add", "--all")
		git("commit", "-q", "-m", folder)
	}
	if err := os.Mkdir(shop, 0o777); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	commit(0, "base")
	git("checkout", "-q", "-b", "topic")
	commit(1, "head")
	return shop
}
