package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// oddRepo is a repository that the git program makes.
type oddRepo struct {
	t   *testing.T
	dir string
}

func (r oddRepo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.dir, os.Environ()
	set := func(k, v string) { cmd.Env = append(cmd.Env, k+"="+v) }
	if err := gitEnv(set, r.dir); err != nil {
		r.t.Fatal(err)
	}
	set("GIT_AUTHOR_DATE", commitDate(1))
	set("GIT_COMMITTER_DATE", commitDate(1))
	set("GIT_ALLOW_PROTOCOL", "file")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

func (r oddRepo) write(files ...string) {
	r.t.Helper()
	for i := 0; i < len(files); i += 2 {
		full := filepath.Join(r.dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(files[i+1]), 0o666); err != nil {
			r.t.Fatal(err)
		}
	}
}

// age makes the index trust what is on disk.
func (r oddRepo) age() {
	past := time.Now().Add(-time.Minute)
	filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			os.Chtimes(path, past, past)
		}
		return nil
	})
	r.git("update-index", "-q", "--really-refresh")
}

// oddHistory makes three commits: a function is called, and the last one changes
// its signature.
func oddHistory(t *testing.T, init ...string) oddRepo {
	r := oddRepo{t, t.TempDir()}
	r.git(append([]string{"init", "-q", "-b", "main"}, init...)...)
	r.write("go.mod", "module example.com/shop\n\ngo 1.26\n", "README", "shop\n")
	r.git("add", "--all")
	r.git("commit", "-q", "-m", "one")
	r.write("cart/cart.go", "package cart\n\n// Add adds.\nfunc Add(n int) int {\n\treturn n + 1\n}\n",
		"web/web.go", "package web\n\nimport \"example.com/shop/cart\"\n\nfunc Page() int { return cart.Add(1) }\n")
	r.git("add", "--all")
	r.git("commit", "-q", "-m", "two")
	r.write("cart/cart.go", "package cart\n\n// Add adds.\nfunc Add(n, m int) int {\n\treturn n + m\n}\n")
	r.git("add", "--all")
	r.git("commit", "-q", "-m", "three")
	return r
}

// TestOddGit holds for every form that a repository may have: the graph of its
// clean work tree is that of its commit, byte for byte, and the change is the
// same; or kg says what to do.
func TestOddGit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is needed")
	}
	origin := oddHistory(t)
	origin.git("config", "uploadpack.allowFilter", "true")
	origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
	url := "file://" + filepath.ToSlash(origin.dir)
	clone := func(t *testing.T, args ...string) oddRepo {
		dir := filepath.Join(t.TempDir(), "clone")
		oddRepo{t, t.TempDir()}.git(append(append([]string{"clone", "-q"}, args...), dir)...)
		return oddRepo{t, dir}
	}
	plain := func(t *testing.T) oddRepo { return clone(t, origin.dir) }
	// configured checks the files out again as a setting wants them.
	configured := func(settings ...string) func(*testing.T) oddRepo {
		return func(t *testing.T) oddRepo {
			r := plain(t)
			for i := 0; i < len(settings); i += 2 {
				r.git("config", settings[i], settings[i+1])
			}
			r.git("rm", "-r", "-q", "--cached", ".")
			r.git("reset", "-q", "--hard")
			return r
		}
	}
	tests := []struct {
		name   string
		make   func(*testing.T) oddRepo
		impact string // what kg impact says; "" if it is as in a plain clone
		other  bool   // the tree has other files than a plain clone
		fails  string // what kg build of the work tree fails with
		refs   string // what kg build of HEAD fails with
	}{
		{name: "plain", make: plain},
		{name: "autocrlf", make: configured("core.autocrlf", "true")},
		{name: "autocrlf input", make: configured("core.autocrlf", "input")},
		{name: "eol crlf", make: configured("core.eol", "crlf", "core.autocrlf", "false")},
		{name: "no modes", make: configured("core.fileMode", "false")},
		{name: "ignore case", make: configured("core.ignoreCase", "true")},
		{name: "no symbolic links", make: configured("core.symlinks", "false")},
		{name: "index version 4", make: configured("index.version", "4")},
		{name: "split index", make: configured("core.splitIndex", "true")},
		{name: "untracked cache", make: configured("core.untrackedCache", "true")},
		{name: "many packs", make: func(t *testing.T) oddRepo {
			r := plain(t)
			r.git("repack", "-q", "-a", "-d")
			r.git("pack-refs", "--all")
			r.git("multi-pack-index", "write")
			r.git("commit-graph", "write", "--reachable")
			return r
		}},
		{name: "alternates", make: func(t *testing.T) oddRepo { return clone(t, "--shared", origin.dir) }},
		{name: "linked work tree", make: func(t *testing.T) oddRepo {
			r, dir := plain(t), filepath.Join(t.TempDir(), "linked")
			r.git("worktree", "add", "-q", "-b", "side", dir)
			return oddRepo{t, dir}
		}},
		{name: "git folder elsewhere", make: func(t *testing.T) oddRepo {
			return clone(t, "--separate-git-dir", filepath.Join(t.TempDir(), "git"), origin.dir)
		}},
		{name: "detached", make: func(t *testing.T) oddRepo {
			r := plain(t)
			r.git("checkout", "-q", "--detach")
			return r
		}},
		{name: "sparse", make: func(t *testing.T) oddRepo {
			r := plain(t)
			r.git("sparse-checkout", "set", "--no-cone", "/cart/", "/go.mod")
			return r
		}},
		{name: "sparse index", make: func(t *testing.T) oddRepo {
			r := plain(t)
			r.git("sparse-checkout", "set", "--cone", "--sparse-index", "cart")
			return r
		}},
		{name: "shallow", make: func(t *testing.T) oddRepo { return clone(t, "--depth=1", url) }, impact: "hint"},
		{name: "shallow, two", make: func(t *testing.T) oddRepo { return clone(t, "--depth=2", url) }},
		{name: "without blobs", make: func(t *testing.T) oddRepo { return clone(t, "--filter=blob:none", url) }, impact: "unknown"},
		{name: "without trees", make: func(t *testing.T) oddRepo { return clone(t, "--filter=tree:0", url) }, impact: "hint"},
		{name: "SHA-256", make: func(t *testing.T) oddRepo { return oddHistory(t, "--object-format=sha256") }},
		{name: "references in tables", make: func(t *testing.T) oddRepo {
			r := plain(t)
			if exec.Command("git", "init", "-q", "--ref-format=reftable", t.TempDir()).Run() == nil {
				return oddHistory(t, "--ref-format=reftable")
			}
			r.git("config", "core.repositoryFormatVersion", "1")
			r.git("config", "extensions.refStorage", "reftable") // this git cannot read it either
			return r
		}, impact: "any", fails: "any", refs: "any"},
		{name: "replaced parents", make: func(t *testing.T) oddRepo {
			r := plain(t)
			r.git("replace", "--graft", "HEAD~1")
			return r
		}},
		{name: "grafts file", make: func(t *testing.T) oddRepo {
			r := plain(t)
			r.write(".git/info/grafts", r.git("rev-parse", "HEAD~1")+"\n")
			return r
		}},
		{name: "attributes", make: func(t *testing.T) oddRepo {
			r := plain(t)
			r.write(".gitattributes", "* text=auto eol=crlf\n*.go export-ignore -diff\nweb/* export-subst linguist-generated\n")
			r.git("add", "--all")
			r.git("commit", "-q", "--amend", "--no-edit")
			r.git("rm", "-r", "-q", "--cached", ".")
			r.git("reset", "-q", "--hard")
			return r
		}, other: true},
		{name: "pointers of LFS", make: func(t *testing.T) oddRepo {
			r := plain(t)
			r.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n",
				"data.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n")
			r.git("add", "--all")
			r.git("commit", "-q", "--amend", "--no-edit")
			return r
		}, other: true},
		{name: "submodule", make: func(t *testing.T) oddRepo {
			r := plain(t)
			r.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", origin.dir, "lib")
			r.git("commit", "-q", "--amend", "--no-edit")
			return r
		}, other: true},
		{name: "names", make: func(t *testing.T) oddRepo {
			r := plain(t)
			names := []string{"line\nfeed.go", "tab\t.go", "::error::x.go", "##[group].go", "ü.go", "-dash.go", "quo\"te.go", "\x1b[31m.go", "\u202e.go"}
			if runtime.GOOS == "linux" {
				names = append(names, "not\xff\xfeutf8.go")
			}
			for _, n := range names {
				r.write("odd/"+n, "package odd\n\nfunc init() {}\n")
			}
			r.git("add", "--all")
			r.git("commit", "-q", "--amend", "--no-edit")
			return r
		}, other: true, impact: "more"},
		{name: "programs that must not run", make: func(t *testing.T) oddRepo {
			r := plain(t)
			program := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch '"+filepath.Join(r.dir, "ran")+"'\n"), 0o777); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"core.fsmonitor", "core.editor", "core.pager", "diff.external", "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv", "core.sshCommand", "credential.helper", "core.alternateRefsCommand"} {
				r.git("config", key, program)
			}
			r.git("config", "remote.origin.url", "ext::"+program)
			r.git("config", "core.hooksPath", filepath.Dir(program))
			for _, hook := range []string{"post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"} {
				if err := os.Symlink(program, filepath.Join(filepath.Dir(program), hook)); err != nil {
					t.Fatal(err)
				}
			}
			r.write(".git/info/attributes", "* filter=x diff=x\n")
			t.Cleanup(func() {
				if _, err := os.Stat(filepath.Join(r.dir, "ran")); err == nil {
					t.Error("a program that the repository names has run")
				}
			})
			return r
		}},
		{name: "bare", make: func(t *testing.T) oddRepo { return clone(t, "--bare", origin.dir) }, fails: "--ref"},
		{name: "no commit", make: func(t *testing.T) oddRepo {
			r := oddRepo{t, t.TempDir()}
			r.git("init", "-q")
			r.write("a.go", "package a\n")
			return r
		}, refs: "hint", impact: "hint", other: true},
	}
	want := oddGraph(t, plain(t).dir)
	var wantImpact string
	for _, test := range tests {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			r := test.make(t)
			for _, aged := range []bool{false, true} {
				if aged {
					if test.fails != "" || test.name == "programs that must not run" {
						continue
					}
					r.age()
				}
				tree, treeErr := oddBuild(t, r.dir)
				head, headErr := oddBuild(t, r.dir, "--ref", "HEAD")
				check := func(what string, said, want string) {
					t.Helper()
					switch {
					case want == "any" && (said == "" || strings.Contains(said, "kg: hint: ")):
					case want == "hint" && strings.Contains(said, "kg: hint: "):
					case want != "" && want != "any" && want != "hint" && strings.Contains(said, want):
					case want != said:
						t.Errorf("%s: %q, want %q", what, said, want)
					}
				}
				check("work tree", treeErr, test.fails)
				check("HEAD", headErr, test.refs)
				if treeErr == "" && headErr == "" && !bytes.Equal(tree, head) {
					t.Errorf("aged %t: the work tree has another graph than HEAD", aged)
				}
				if headErr == "" && !test.other && !bytes.Equal(head, want) {
					t.Errorf("another graph than that of a plain clone")
				}
			}
			said, err := oddImpact(t, r.dir)
			switch test.impact {
			case "":
				if err != "" {
					t.Fatalf("kg impact: %s", err)
				}
				if wantImpact == "" {
					wantImpact = said
					if !strings.Contains(said, "must_update") {
						t.Fatalf("the change has no impact: %s", said)
					}
				}
				if said != wantImpact {
					t.Errorf("kg impact:\n%s\nwant\n%s", said, wantImpact)
				}
			case "more":
				if err != "" {
					t.Errorf("kg impact: %s", err)
				}
			case "unknown":
				if err != "" || !strings.Contains(said, "missing_object") {
					t.Errorf("kg impact: %s %s", err, said)
				}
			case "hint":
				if !strings.Contains(err, "kg: hint: ") {
					t.Errorf("kg impact: %s %s", err, said)
				}
			}
		})
	}
}

func oddGraph(t *testing.T, dir string) []byte {
	t.Helper()
	g, err := oddBuild(t, dir)
	if err != "" {
		t.Fatal(err)
	}
	return g
}

// oddBuild returns the bytes of a graph, or what kg says when it fails.
func oddBuild(t *testing.T, dir string, args ...string) ([]byte, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.kg")
	var out, stderr bytes.Buffer
	switch code := run(t.Context(), append([]string{"build", dir, "-o", path, "--no-cache", "-q"}, args...), &out, &stderr, noEnv); code {
	case exitFine:
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data, ""
	case exitFailed:
		return nil, stderr.String()
	default:
		t.Fatalf("exit code %d: %s", code, stderr.Bytes())
		return nil, ""
	}
}

// oddImpact returns what the last commit changes and what of it could not be
// told, or what kg says when it fails.
func oddImpact(t *testing.T, dir string) (said, failed string) {
	t.Helper()
	t.Chdir(dir)
	var out, stderr bytes.Buffer
	code := run(t.Context(), []string{"impact", "--base", "HEAD^", "--exact-base", "--head", "HEAD", "--no-history", "--no-cache", "-q", "-o", "json"}, &out, &stderr, noEnv)
	if code != exitFine {
		return "", stderr.String()
	}
	var r struct {
		Changes  json.RawMessage `json:"changes"`
		Unknowns []struct {
			Reason string `json:"reason"`
			File   string `json:"file"`
		} `json:"unknowns"`
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	b := bytes.NewBuffer(r.Changes)
	for _, u := range r.Unknowns {
		if u.Reason != "submodule" && !strings.HasPrefix(u.File, "odd/") {
			b.WriteString("\n" + u.Reason + " " + u.File)
		}
	}
	return b.String(), ""
}
