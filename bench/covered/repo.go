package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codekg/kg/bench/gosrc"
)

// repo is the copy of a repository whose tests are run.
type repo struct {
	config
	root  string // of the copy
	tmp   string // for binaries and profiles
	log   io.Writer
	files map[string]*file // by the name in profiles: import path and base name
	decls []*Decl
	pkgs  []*testPackage
	tests []*Test
}

// testPackage is the tests of one folder.
type testPackage struct {
	group gosrc.Group
	path  string // import path
	dir   string // in the repository, slash-separated
	deps  []string
}

// prepare copies a repository and lists its packages.
func prepare(ctx context.Context, c config, dir, tmp string, log io.Writer) (*repo, error) {
	r := &repo{config: c, root: filepath.Join(tmp, "repo"), tmp: tmp, log: log, files: map[string]*file{}}
	if err := copyTree(r.root, dir); err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(r.root)
	if err != nil {
		return nil, err
	}
	r.root = root
	groups, err := gosrc.FindGroups(r.root)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		if c.prepare {
			if err := g.Prepare(ctx, log); err != nil {
				fmt.Fprintf(log, "%s: go mod download: %v\n", r.rel(g.Dir), err)
			}
		}
		pkgs, err := g.List(ctx, c.tags)
		if err != nil {
			fmt.Fprintf(log, "%s: %v\n", r.rel(g.Dir), err)
			continue
		}
		if err := r.add(g, pkgs); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(r.pkgs, func(a, b *testPackage) int { return strings.Compare(a.dir, b.dir) })
	return r, nil
}

// copyTree copies files, folders and links, but not git's own.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.Name() == ".git" && rel != ".":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(p)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, info.Mode().Perm()|0o200)
	})
}

// rel is a folder as the records have it.
func (r *repo) rel(dir string) string {
	rel, err := filepath.Rel(r.root, dir)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

func (r *repo) inRepo(p *gosrc.Listed) bool {
	rel, err := filepath.Rel(r.root, p.Dir)
	return err == nil && p.Dir != "" && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) && !p.Standard
}

// add finds the declarations and the tests among the packages of a group.
func (r *repo) add(g gosrc.Group, pkgs []*gosrc.Listed) error {
	byID := map[string]*gosrc.Listed{}
	for _, p := range pkgs {
		byID[p.ImportPath] = p
	}
	for _, p := range pkgs {
		if !r.inRepo(p) {
			continue
		}
		if main, ok := strings.CutSuffix(p.ImportPath, ".test"); ok && p.Name == "main" && byID[main] != nil {
			tested := byID[main]
			t := &testPackage{group: g, path: main, dir: r.rel(tested.Dir)}
			t.deps = r.closure(p, byID)
			if r.packages.MatchString(t.dir) {
				r.pkgs = append(r.pkgs, t)
			}
			continue
		}
		if p.ForTest != "" {
			continue
		}
		for _, name := range p.GoFiles {
			if err := r.readFile(p, name); err != nil {
				fmt.Fprintln(r.log, err)
			}
		}
	}
	return nil
}

// closure returns the folders of the packages that a test depends on.
func (r *repo) closure(test *gosrc.Listed, byID map[string]*gosrc.Listed) []string {
	seen := map[string]bool{}
	var dirs []string
	todo := []*gosrc.Listed{test}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p == nil || seen[p.ImportPath] {
			continue
		}
		seen[p.ImportPath] = true
		if r.inRepo(p) {
			dirs = append(dirs, r.rel(p.Dir))
		}
		for _, id := range p.Imports {
			if to, ok := p.ImportMap[id]; ok {
				id = to
			}
			todo = append(todo, byID[id])
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// runAll runs the tests of all packages.
func (r *repo) runAll(ctx context.Context) error {
	for i, p := range r.pkgs {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := time.Now()
		n, failed, err := r.runPackage(ctx, p)
		if err != nil {
			fmt.Fprintf(r.log, "%s: %v\n", p.path, err)
			continue
		}
		fmt.Fprintf(r.log, "%d/%d %s: %d tests, %d failed, %.1f s\n", i+1, len(r.pkgs), p.path, n, failed, time.Since(start).Seconds())
	}
	return nil
}

// runPackage builds the tests of one package and runs each of them alone.
func (r *repo) runPackage(ctx context.Context, p *testPackage) (n, failed int, err error) {
	bin := filepath.Join(r.tmp, "tests.exe")
	defer os.Remove(bin)
	args := []string{"test", "-c", "-vet=off", "-buildvcs=false", "-o", bin, "-covermode=set", "-coverpkg=" + strings.Join(p.group.Patterns(), ",")}
	if r.tags != "" {
		args = append(args, "-tags", r.tags)
	}
	build := exec.CommandContext(ctx, "go", append(args, p.path)...)
	build.Dir = p.group.Dir
	build.Env = p.group.Environ()
	if out, err := build.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("build: %w: %s", err, tail(out))
	}
	if _, err := os.Stat(bin); err != nil {
		return 0, 0, nil // no test files
	}
	names, err := r.list(ctx, bin, p)
	if err != nil {
		return 0, 0, err
	}
	tests := make([]*Test, len(names))
	var next, bad atomic.Int64
	var wg sync.WaitGroup
	for w := range max(r.workers, 1) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			dir := filepath.Join(r.tmp, fmt.Sprint("worker", w))
			for {
				i := int(next.Add(1) - 1)
				if i >= len(names) || ctx.Err() != nil {
					return
				}
				t, err := r.runTest(ctx, bin, dir, p, names[i])
				if err != nil {
					fmt.Fprintf(r.log, "%s: %s: %v\n", p.path, names[i], err)
					bad.Add(1)
					continue
				}
				if !t.OK {
					bad.Add(1)
				}
				tests[i] = t
			}
		}()
	}
	wg.Wait()
	for _, t := range tests {
		if t != nil {
			r.tests = append(r.tests, t)
		}
	}
	return len(names), int(bad.Load()), ctx.Err()
}

// list asks the test binary for its tests, examples and fuzz targets.
func (r *repo) list(ctx context.Context, bin string, p *testPackage) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "-test.list", ".")
	cmd.Dir = filepath.Join(r.root, filepath.FromSlash(p.dir))
	cmd.Env = append(p.group.Environ(), "GOCOVERDIR="+r.tmp)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	var names []string
	for _, name := range strings.Fields(string(out)) {
		for _, prefix := range []string{"Test", "Example", "Fuzz"} {
			if strings.HasPrefix(name, prefix) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// runTest runs one test. A test that leaves no profile is an error.
func (r *repo) runTest(ctx context.Context, bin, tmp string, p *testPackage, name string) (*Test, error) {
	if err := os.RemoveAll(tmp); err != nil {
		return nil, err
	}
	children := filepath.Join(tmp, "children")
	if err := os.MkdirAll(children, 0o755); err != nil {
		return nil, err
	}
	profile := filepath.Join(tmp, "profile")
	ctx, cancel := context.WithTimeout(ctx, r.timeout+10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "-test.run=^"+name+"$", "-test.coverprofile="+profile, "-test.timeout="+r.timeout.String(), "-test.paniconexit0")
	cmd.Dir = filepath.Join(r.root, filepath.FromSlash(p.dir))
	cmd.Env = append(p.group.Environ(), "GOCOVERDIR="+children)
	cmd.WaitDelay = 5 * time.Second
	start := time.Now()
	out, testErr := cmd.CombinedOutput()
	t := &Test{T: "test", Dir: p.dir, Name: name, OK: testErr == nil, Seconds: float64(time.Since(start).Milliseconds()) / 1000}
	seen := map[int]bool{}
	if err := r.readProfile(profile, seen); err != nil {
		return nil, fmt.Errorf("%w: %s", err, tail(out))
	}
	if err := r.readChildren(ctx, tmp, children, p, seen); err != nil {
		return nil, err
	}
	for id := range seen {
		t.Runs = append(t.Runs, id)
	}
	slices.Sort(t.Runs)
	return t, nil
}

// readChildren reads what processes that the test started from binaries with
// coverage, such as its own, have left.
func (r *repo) readChildren(ctx context.Context, tmp, dir string, p *testPackage, seen map[int]bool) error {
	if left, err := os.ReadDir(dir); err != nil || len(left) == 0 {
		return err
	}
	text := filepath.Join(tmp, "children.txt")
	cmd := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+text)
	cmd.Dir = p.group.Dir
	cmd.Env = p.group.Environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("covdata: %w: %s", err, tail(out))
	}
	return r.readProfile(text, seen)
}

func tail(out []byte) string {
	return strings.TrimSpace(string(out[max(0, len(out)-1000):]))
}

// write yields all records. Only declarations that some test executes are
// among them.
func (r *repo) write(yield func(any) error) error {
	run := make([]bool, len(r.decls))
	for _, t := range r.tests {
		for _, id := range t.Runs {
			run[id] = true
		}
	}
	if err := yield(Meta{T: "meta", Tool: runtime.Version()}); err != nil {
		return err
	}
	for i, d := range r.decls {
		if !run[i] {
			continue
		}
		if err := yield(d); err != nil {
			return err
		}
	}
	for _, p := range r.pkgs {
		if err := yield(Closure{T: "closure", Dir: p.dir, Deps: p.deps}); err != nil {
			return err
		}
	}
	for _, t := range r.tests {
		if err := yield(t); err != nil {
			return err
		}
	}
	return nil
}
