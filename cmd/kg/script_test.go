package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv(asCommandEnv) != "" {
		kg()
	}
	if _, ok := os.LookupEnv(raceEnv); !ok {
		os.Setenv(raceEnv, "atexit_sleep_ms=0")
	}
	testscript.Main(m, map[string]func(){"kg": kg})
}

// asCommandEnv makes this program kg, whatever its name.
const asCommandEnv = "KG_TEST_COMMAND"

// raceEnv tells programs that were built with the race detector what to do. Each
// would wait for a second before it ends, and the tests run a thousand.
const raceEnv = "GORACE"

func kg() {
	if os.Getenv(mortalEnv) != "" {
		addMortalLanguages()
	}
	os.Exit(mainCode())
}

// TestScript runs the sessions in testdata/script. They may use, beside the
// usual commands:
//
//	exits CODE COMMAND…  run a command and check its exit code
//	unread CODE COMMAND… the same with a standard output that nobody reads;
//	                     standard error goes to stderr.txt
//	repo DIR             make an empty git repository, on branch main
//	commit MESSAGE       commit everything in the current folder, each commit a day later
//	flip FILE OFFSET     change one byte of a file, counted from the end if negative
//	same FILE FILE       check that files are equal, byte for byte
func TestScript(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is needed")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv(raceEnv, os.Getenv(raceEnv))
			return gitEnv(e.Setenv, e.WorkDir)
		},
		Condition: func(c string) (bool, error) {
			if c == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", c)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  cmdExits,
			"unread": cmdUnread,
			"repo":   cmdRepo,
			"commit": cmdCommit,
			"flip":   cmdFlip,
			"same":   cmdSame,
		},
	})
}

// gitEnv makes git the same on every machine.
func gitEnv(set func(k, v string), home string) error {
	for k, v := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
		"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com",
		"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com",
		"TZ": "UTC", "LC_ALL": "C",
	} {
		set(k, v)
	}
	return nil
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	want := exitCode(ts, neg, args)
	got := codeOf(ts, ts.Exec(args[1], args[2:]...))
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func cmdUnread(ts *testscript.TestScript, neg bool, args []string) {
	want := exitCode(ts, neg, args)
	r, w, err := os.Pipe()
	ts.Check(err)
	ts.Check(r.Close())
	defer w.Close()
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir, cmd.Stdout = ts.MkAbs("."), w
	stderr, err := os.Create(ts.MkAbs("stderr.txt"))
	ts.Check(err)
	defer stderr.Close()
	cmd.Stderr = stderr
	if got := codeOf(ts, cmd.Run()); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func exitCode(ts *testscript.TestScript, neg bool, args []string) int {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	return code
}

func codeOf(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("kg did not run: %v", err)
	return 0
}

func cmdRepo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo DIR")
	}
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o777))
	ts.Check(ts.Exec("git", "init", "-q", "-b", "main", args[0]))
}

func cmdCommit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: commit MESSAGE")
	}
	n, _ := strconv.Atoi(ts.Getenv("COMMITS"))
	ts.Setenv("COMMITS", strconv.Itoa(n+1))
	ts.Setenv("GIT_AUTHOR_DATE", commitDate(n))
	ts.Setenv("GIT_COMMITTER_DATE", commitDate(n))
	ts.Check(ts.Exec("git", "add", "--all"))
	ts.Check(ts.Exec("git", "commit", "-q", "--allow-empty", "-m", args[0]))
}

// commitDate is when the nth commit of a test is made.
func commitDate(n int) string {
	return time.Date(2025, 1, 1+n, 12, 0, 0, 0, time.UTC).Format(time.RFC3339)
}

func cmdFlip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip FILE OFFSET")
	}
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if at < 0 {
		at += len(data)
	}
	data[at] ^= 0xff
	ts.Check(os.WriteFile(path, data, 0o666))
}

func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	a, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	if same := string(a) == string(b); same == neg {
		ts.Fatalf("%s and %s: same is %t", filepath.Base(args[0]), filepath.Base(args[1]), same)
	}
}
