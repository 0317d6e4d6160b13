package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/bench/usage"
)

const header = `| repository | files | MB of source | full: wall s | CPU s | again: wall s | CPU s | peak MB | impact: wall s | CPU s | graph | facts |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
`

// measure makes one row. Sizes are in bytes per byte of source.
func (c config) measure(repo, tmp string, log io.Writer) (string, error) {
	name := filepath.Base(repo)
	dir := filepath.Join(tmp, name)
	defer os.RemoveAll(dir)
	if err := checkOut(repo, dir); err != nil {
		return "", err
	}
	files, err := c.choose(dir)
	if err != nil {
		return "", err
	}
	at := func(file string) string { return filepath.Join(tmp, name+file) }
	if err := os.Setenv("XDG_CACHE_HOME", at(".cache")); err != nil {
		return "", err
	}
	defer os.RemoveAll(at(".cache"))

	_, full, err := usage.Repeat(min(c.times, 3), log, c.kg, "-q", "--no-cache", "build", dir, "-o", at(".kg"), "--facts", at(".kgf"))
	if err != nil {
		return "", err
	}
	if _, _, err := usage.Command(log, c.kg, "-q", "build", dir, "-o", at(".kg")); err != nil { // fills the cache
		return "", err
	}
	var again, impact usage.Usage
	for i := range c.times {
		if err := change(dir, files); err != nil {
			return "", err
		}
		_, u, err := usage.Command(log, c.kg, "-q", "build", dir, "-o", at(".new.kg"))
		if err != nil {
			return "", err
		}
		_, v, err := usage.Command(log, c.kg, "-q", "--no-cache", "-C", dir, "impact", "--base", at(".kg"), "--from", at(".kgf"), "-o", "json="+at(".json"))
		if err != nil {
			return "", err
		}
		if i == 0 {
			again, impact = u, v
		}
		again, impact = again.Least(u), impact.Least(v)
	}
	if _, _, err := usage.Command(log, c.kg, "-q", "--no-cache", "build", dir, "-o", at(".full.kg")); err != nil {
		return "", err
	}
	if same, err := sameFiles(at(".new.kg"), at(".full.kg")); err != nil || !same {
		return "", fmt.Errorf("the incremental build makes other bytes than the full one (%v)", err)
	}
	count, size, err := c.source(at(".kg"))
	if err != nil {
		return "", err
	}
	ratio := func(file string) float64 {
		info, err := os.Stat(at(file))
		if err != nil {
			return 0
		}
		return float64(info.Size()) / float64(size)
	}
	return fmt.Sprintf("| %s | %d | %.1f | %.2f | %.2f | %.2f | %.2f | %d | %.2f | %.2f | %.3f | %.3f |\n", name, count, float64(size)/1e6,
		full.Wall.Seconds(), full.CPU.Seconds(), again.Wall.Seconds(), again.CPU.Seconds(), again.Peak>>20,
		impact.Wall.Seconds(), impact.CPU.Seconds(), ratio(".kg"), ratio(".kgf")), nil
}

// checkOut makes a copy of a repository with a work tree of its own. Files that
// the repository lacks are left out.
func checkOut(repo, dir string) error {
	git := func(args ...string) error {
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
		return nil
	}
	if err := git("clone", "-q", "--shared", "--no-checkout", repo, dir); err != nil {
		return err
	}
	if err := git("-C", dir, "read-tree", "HEAD"); err != nil {
		return err
	}
	exec.Command("git", "-C", dir, "checkout-index", "-a", "-f", "-q").Run()
	// As in a work tree in which somebody has worked: git knows the times of the
	// files, and none is as young as the index.
	exec.Command("git", "-C", dir, "update-index", "-q", "--refresh").Run()
	return nil
}

// choose returns source files from all over the tree.
func (c config) choose(dir string) ([]string, error) {
	out, err := exec.Command("git", "-C", dir, "ls-files").Output()
	if err != nil {
		return nil, err
	}
	var all, some []string
	for f := range strings.Lines(string(out)) {
		if f = strings.TrimSpace(f); strings.HasSuffix(f, c.ext) {
			all = append(all, f)
		}
	}
	for i := range min(c.changed, len(all)) {
		some = append(some, all[i*len(all)/c.changed])
	}
	if len(some) == 0 {
		return nil, fmt.Errorf("no file ends in %s", c.ext)
	}
	return some, nil
}

// change makes contents that nobody has seen.
func change(dir string, files []string) error {
	for _, name := range files {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("\n")
		if err := f.Close(); err != nil {
			return err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func sameFiles(a, b string) (bool, error) {
	x, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	y, err := os.ReadFile(b)
	return bytes.Equal(x, y), err
}

// source returns how many files a graph has and how large they are.
func (c config) source(path string) (files int, size int64, err error) {
	g, err := artifact.ReadFile(path, artifact.Limits{})
	if err != nil {
		return 0, 0, err
	}
	for i := range g.Files {
		size += g.Files[i].Size
	}
	return len(g.Files), size, nil
}
