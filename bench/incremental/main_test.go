package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repo makes a repository with some commits.
func repo(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is needed")
	}
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for i, text := range []string{"func A() { B() }", "func A() int { return 1 }", "func A() {}"} {
		for name, data := range map[string]string{"go.mod": "module m\n", "a.go": "package m\n" + text + "\n", "b.go": "package m\nfunc B() { A() }\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", ".")
		git("commit", "-q", "-m", strings.Repeat("x", i+1))
	}
	return dir
}

func TestCompare(t *testing.T) {
	var out strings.Builder
	if err := (config{commits: 10, seed: 1}).run([]string{repo(t)}, &out, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), " | 3 | 6 | 33.3 % | 0 |") {
		t.Errorf("got\n%s", out.String())
	}
}

func TestChoose(t *testing.T) {
	dir := repo(t)
	files, err := config{ext: ".go", changed: 2}.choose(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := change(dir, files); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "-C", dir, "status", "--short").Output()
	if err != nil || string(out) != " M a.go\n M b.go\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
