package gosrc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Listed is what `go list -json` says about one package. A package that is
// compiled anew for a test has an ImportPath such as "p [q.test]".
type Listed struct {
	Dir            string
	ImportPath     string
	Name           string
	GoFiles        []string
	IgnoredGoFiles []string
	Imports        []string
	ImportMap      map[string]string
	ForTest        string
	Standard       bool
	Module         *struct{ GoVersion string }
	Error          *struct{ Err string }
}

// listFields are the fields of Listed; naming them keeps the go command from
// computing the others.
const listFields = "-json=Dir,ImportPath,Name,GoFiles,IgnoredGoFiles,Imports,ImportMap,ForTest,Standard,Module,Error"

// Group is a set of modules that the go command resolves together: a workspace
// or a single module.
type Group struct {
	Dir      string   // where the go command runs
	patterns []string // relative to dir
	work     bool     // in the repository's go.work
}

// skippedDir reports whether the go command ignores a folder of this name. The
// judged files are those of packages, so vendored ones are skipped as well.
func skippedDir(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// FindGroups returns the groups of the repository at root. A go.work at the root
// joins the modules it uses; every other module stands alone.
func FindGroups(root string) ([]Group, error) {
	var mods []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && skippedDir(d.Name()) {
			return filepath.SkipDir
		}
		if d.Name() == "go.mod" && d.Type().IsRegular() {
			mods = append(mods, filepath.Dir(p))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	used, err := workspace(root)
	if err != nil {
		return nil, err
	}
	var groups []Group
	ws := Group{Dir: root, work: true}
	for _, m := range mods {
		if slices.Contains(used, m) {
			rel, err := filepath.Rel(root, m)
			if err != nil {
				return nil, err
			}
			ws.patterns = append(ws.patterns, "./"+filepath.ToSlash(filepath.Join(rel, "...")))
			continue
		}
		groups = append(groups, Group{Dir: m, patterns: []string{"./..."}})
	}
	if len(ws.patterns) > 0 {
		groups = slices.Insert(groups, 0, ws)
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("%s: no go.mod", root)
	}
	return groups, nil
}

// workspace returns the folders of the modules that root/go.work uses.
func workspace(root string) ([]string, error) {
	file := filepath.Join(root, "go.work")
	if _, err := os.Stat(file); err != nil {
		return nil, nil
	}
	cmd := exec.Command("go", "work", "edit", "-json", file)
	cmd.Env = safeEnv(false)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go.work: %w", describe(err))
	}
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(out, &work); err != nil {
		return nil, err
	}
	var dirs []string
	for _, u := range work.Use {
		d := u.DiskPath
		if !filepath.IsAbs(d) {
			d = filepath.Join(root, d)
		}
		dirs = append(dirs, filepath.Clean(d))
	}
	return dirs, nil
}

// safeEnv is the environment of the go commands that read the repository: no
// network, no other toolchain, no flags of the user, no C compiler.
func safeEnv(work bool) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "GOWORK"
	})
	env = append(env, "GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=", "CGO_ENABLED=0", "GO111MODULE=on")
	if !work {
		env = append(env, "GOWORK=off")
	}
	return env
}

// Prepare downloads the group's dependencies, with the user's own environment.
func (g Group) Prepare(ctx context.Context, log io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download")
	cmd.Dir = g.Dir
	if !g.work {
		cmd.Env = append(os.Environ(), "GOWORK=off")
	}
	cmd.Stdout, cmd.Stderr = log, log
	return cmd.Run()
}

// Patterns are those of the group's packages, for a go command that runs in Dir.
func (g Group) Patterns() []string { return g.patterns }

// Environ is the environment of go commands that see what the loader sees.
func (g Group) Environ() []string { return safeEnv(g.work) }

// List runs `go list` on the group's packages, their tests and everything they
// depend on.
func (g Group) List(ctx context.Context, tags string) ([]*Listed, error) {
	// Without -buildvcs=false the go command may ask git, which a repository's
	// configuration can make run programs.
	args := []string{"list", "-e", "-deps", "-test", "-buildvcs=false", listFields}
	if tags != "" {
		args = append(args, "-tags", tags)
	}
	out, err := g.run(ctx, append(args, g.patterns...))
	if err != nil && !g.work {
		// go.mod or go.sum are not up to date. The go command may complete copies
		// of them; the repository stays as it is.
		if again, err2 := g.listWithCopies(ctx, args); err2 == nil {
			out, err = again, nil
		}
	}
	if err != nil {
		return nil, err
	}
	var pkgs []*Listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &Listed{}
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		pkgs = append(pkgs, p)
	}
}

func (g Group) run(ctx context.Context, args []string, env ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = g.Dir
	cmd.Env = append(safeEnv(g.work), env...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s in %s: %w", args[0], g.Dir, describe(err))
	}
	return out, nil
}

func (g Group) listWithCopies(ctx context.Context, args []string) ([]byte, error) {
	tmp, err := os.MkdirTemp("", "kg-oracle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(g.Dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(tmp, name), data, 0o600); err != nil {
			return nil, err
		}
	}
	args = append(slices.Clone(args), "-mod=mod", "-modfile="+filepath.Join(tmp, "go.mod"))
	return g.run(ctx, append(args, g.patterns...), "GOSUMDB=off")
}

// describe adds to the error of a child what it wrote to its standard error.
func describe(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		msg := strings.TrimSpace(string(exit.Stderr))
		if len(msg) > 2000 {
			msg = msg[:2000] + " …"
		}
		return fmt.Errorf("%w: %s", err, msg)
	}
	return err
}
