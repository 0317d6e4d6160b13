package analyzer_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/tools/txtar"
)

// TestExamplesCompile lets the go command check the types of every Go example,
// so that no rule is shown on code that is none. The setting "builds" of an
// example names platforms, with build tags: "linux linux+cgo windows+tag"; the
// default is linux. "builds: no" says that the example does not compile.
func TestExamplesCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	names, err := filepath.Glob("../testdata/go/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			builds := settings(string(a.Comment))["builds"]
			if builds == nil {
				builds = []string{"linux"}
			}
			if builds[0] == "no" {
				t.Skip("does not compile")
			}
			dir := t.TempDir()
			for _, f := range a.Files {
				file := filepath.Join(dir, filepath.FromSlash(f.Name))
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for _, b := range builds {
				compile(t, dir, a.Files, b)
			}
		})
	}
}

// compile checks the types of all modules of the tree at dir.
func compile(t *testing.T, dir string, files []txtar.File, build string) {
	work, used := "", []string(nil)
	modules := map[string]string{} // path → folder
	for _, f := range files {
		switch path.Base(f.Name) {
		case "go.work":
			work = filepath.Join(dir, f.Name)
			w, err := modfile.ParseWork(f.Name, f.Data, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range w.Use {
				used = append(used, path.Clean(u.Path))
			}
		case "go.mod":
			modules[modfile.ModulePath(f.Data)] = filepath.Join(dir, path.Dir(f.Name))
		}
	}
	system, tags, _ := strings.Cut(build, "+")
	env := append(os.Environ(), "GOOS="+system, "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	if slices.Contains(strings.Split(tags, "+"), "cgo") {
		env = append(env, "CGO_ENABLED=1")
	}
	args := []string{"vet", "-directive", "-tags=" + strings.ReplaceAll(tags, "+", ",")}
	if work != "" {
		env = append(env, "GOWORK="+work, "GOFLAGS=")
	}
	for _, f := range files {
		if path.Base(f.Name) != "go.mod" || strings.HasPrefix(f.Name, external) || work != "" && !slices.Contains(used, path.Dir(f.Name)) {
			continue
		}
		args := slices.Clone(args)
		if work == "" {
			args = append(args, "-modfile="+joined(t, dir, f, modules))
		}
		cmd := exec.Command("go", append(args, "./...")...)
		cmd.Dir, cmd.Env = filepath.Join(dir, path.Dir(f.Name)), env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s, %s: %v\n%s", f.Name, build, err, out)
		}
	}
}

// joined writes a go.mod file like f in which the other modules of the example
// are found, and returns its name.
func joined(t *testing.T, dir string, f txtar.File, modules map[string]string) string {
	m, err := modfile.Parse(f.Name, f.Data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Go == nil {
		if err := m.AddGoStmt("1.26"); err != nil {
			t.Fatal(err)
		}
	}
	for p, at := range modules {
		if p == m.Module.Mod.Path || slices.ContainsFunc(m.Replace, func(r *modfile.Replace) bool { return r.Old.Path == p }) {
			continue
		}
		if !slices.ContainsFunc(m.Require, func(r *modfile.Require) bool { return r.Mod.Path == p }) {
			version := "v0.0.0"
			if _, major, ok := module.SplitPathVersion(p); ok && major != "" {
				version = module.PathMajorPrefix(major) + ".0.0"
			}
			m.AddNewRequire(p, version, false)
		}
		if err := m.AddReplace(p, "", at, ""); err != nil {
			t.Fatal(err)
		}
	}
	data, err := m.Format()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, strings.ReplaceAll(path.Dir(f.Name), "/", "-")+"-alt.mod")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}
