// Replay checks the commands that kg prints for the tests of real commits:
//
//	go run ./bench/replay -kg ./kg [-n 20] [-skip 0] [-v] REPOSITORY
//
// For each of the last n commits with one parent it asks kg which tests prove
// the commit (kg impact --base C^ --head C), lets a shell read each printed
// command, and asks the go command, in a clone at that commit, what the command
// would run (go test -list). Every selected test must be among them, and with
// -run nothing else. The tests are built, but not run.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	kg := flag.String("kg", "kg", "the program to check")
	n := flag.Int("n", 20, "commits")
	skip := flag.Int("skip", 0, "leave out the newest commits, this many")
	verbose := flag.Bool("v", false, "print the outcome of each commit")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	r := &replay{kg: *kg, out: os.Stdout, verbose: *verbose}
	if err := r.run(context.Background(), flag.Arg(0), *n, *skip); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(2)
	}
	r.summary()
	if r.wrong > 0 {
		os.Exit(1)
	}
}

type replay struct {
	kg      string
	out     io.Writer
	verbose bool

	clone    string
	commits  int
	modes    map[string]int
	commands int
	listed   int // commands whose tests could be built and listed
	tests    int // selected tests that exist
	other    int // selected tests in files that are not built here
	wrong    int
}

// report is what is needed of kg's report.
type report struct {
	Tests struct {
		Mode  string
		Tests []struct{ File, Symbol string }
	}
}

func (r *replay) run(ctx context.Context, repo string, n, skip int) error {
	tmp, err := os.MkdirTemp("", "kg-replay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if repo, err = filepath.Abs(repo); err != nil {
		return err
	}
	if r.kg, err = filepath.Abs(r.kg); err != nil {
		return err
	}
	r.clone, r.modes = filepath.Join(tmp, "clone"), map[string]int{}
	if _, err := output(ctx, "", "git", "clone", "-q", "--shared", "--no-checkout", repo, r.clone); err != nil {
		return err
	}
	list, err := output(ctx, r.clone, "git", "rev-list", "--no-merges", "--min-parents=1", fmt.Sprint("--max-count=", n+skip), "HEAD")
	if err != nil {
		return err
	}
	commits := strings.Fields(string(list))
	for _, c := range commits[min(skip, len(commits)):] {
		if _, err := output(ctx, r.clone, "git", "checkout", "-q", "-f", c); err != nil {
			return err
		}
		if err := r.commit(ctx, c, filepath.Join(tmp, "report.json")); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	return nil
}

func (r *replay) commit(ctx context.Context, c, file string) error {
	printed, err := output(ctx, r.clone, r.kg, "impact", "-q", "--no-history", "--exact-base", "--base", c+"^", "--head", c, "-o", "json="+file, "-o", "tests=-")
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var rep report
	if err := json.Unmarshal(data, &rep); err != nil {
		return err
	}
	r.commits++
	r.modes[rep.Tests.Mode]++
	selected := map[string]map[string]bool{} // folder → names
	files := map[string]string{}
	for _, t := range rep.Tests.Tests {
		dir := path.Dir(t.File)
		if selected[dir] == nil {
			selected[dir] = map[string]bool{}
		}
		selected[dir][t.Symbol] = true
		files[dir+" "+t.Symbol] = t.File
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(printed)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		r.commands++
		args, err := words(ctx, line)
		if err != nil {
			r.complain(c, "%s: %v", line, err)
			continue
		}
		dir, pattern, build, exact, ok := parse(args)
		if !ok {
			r.complain(c, "%s: not as expected: %q", line, args)
			continue
		}
		if rep.Tests.Mode == "all" {
			continue
		}
		got, err := output(ctx, filepath.Join(r.clone, filepath.FromSlash(dir)), "go", append([]string{"test", "-vet=off", "-list", pattern}, build...)...)
		if err != nil {
			if r.verbose {
				fmt.Fprintf(r.out, "%.8s %s: not built: %v\n", c, line, err)
			}
			for name := range selected[dir] {
				seen[dir+" "+name] = true
			}
			continue
		}
		r.listed++
		for name := range strings.FieldsSeq(string(got)) {
			if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Example") && !strings.HasPrefix(name, "Fuzz") && !strings.HasPrefix(name, "Benchmark") {
				continue // "ok", the package, the time
			}
			if selected[dir][name] {
				seen[dir+" "+name] = true
			} else if exact {
				r.complain(c, "%s: also runs %s", line, name)
			}
		}
	}
	if rep.Tests.Mode != "selected" {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(files)) {
		if seen[key] {
			r.tests++
		} else if r.excluded(ctx, files[key]) {
			r.other++
		} else {
			r.complain(c, "%s in %s is not run", key, files[key])
		}
	}
	if r.verbose {
		fmt.Fprintf(r.out, "%.8s %s, %d tests\n", c, rep.Tests.Mode, len(files))
	}
	return nil
}

func (r *replay) complain(commit, format string, args ...any) {
	r.wrong++
	fmt.Fprintf(r.out, "%.8s WRONG %s\n", commit, fmt.Sprintf(format, args...))
}

// excluded reports whether a build for this machine leaves a file out.
func (r *replay) excluded(ctx context.Context, file string) bool {
	out, err := output(ctx, filepath.Join(r.clone, filepath.FromSlash(path.Dir(file))), "go", "list", "-e", "-f", "{{.TestGoFiles}} {{.XTestGoFiles}}", ".")
	return err == nil && !slices.Contains(strings.Fields(strings.NewReplacer("[", " ", "]", " ").Replace(string(out))), path.Base(file))
}

// words returns the words of a command as a shell reads them.
func words(ctx context.Context, line string) ([]string, error) {
	out, err := output(ctx, "", "sh", "-c", `go() { printf '%s\0' "$@"; }`+"\n"+line)
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), err
}

// parse reads the arguments of a printed command: its folder, the pattern of
// what it runs, the flags of the build, and whether it runs nothing else.
func parse(args []string) (dir, pattern string, build []string, exact, ok bool) {
	if len(args) == 0 || args[0] != "test" {
		return
	}
	dir, pattern, ok = ".", "^(Test|Example|Fuzz)", true
	for args = args[1:]; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "./...":
			continue
		case args[0] == "-race" || args[0] == "-msan" || args[0] == "-asan":
			build = append(build, args[0])
			continue
		case len(args) < 2:
			ok = false
			return
		case args[0] == "-tags":
			build = append(build, args[0], args[1])
		case args[0] == "-C":
			dir = path.Clean(args[1])
		case args[0] == "-run" && args[1] == "^$":
		case args[0] == "-run":
			pattern, exact = args[1], true
		case args[0] == "-bench" && args[1] == ".":
			pattern = "^Benchmark"
		case args[0] == "-bench":
			pattern, exact = args[1], true
		default:
			ok = false
			return
		}
		args = args[1:]
	}
	return
}

func (r *replay) summary() {
	fmt.Fprintf(r.out, "%d commits: %d selected, %d all, %d none; %d commands, %d built and listed; %d selected tests exist, %d more in files that are not built here; %d wrong\n",
		r.commits, r.modes["selected"], r.modes["all"], r.modes["none"], r.commands, r.listed, r.tests, r.other, r.wrong)
}

func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(exit.Stderr[:min(len(exit.Stderr), 500)]))
	}
	return out, err
}
