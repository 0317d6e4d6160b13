package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestForkingCommands: the commands that fork before they begin are those that parse.
func TestForkingCommands(t *testing.T) {
	var parse []string
	for _, cmd := range newApp(os.Stdout, os.Stderr, os.Getenv).rootCommand().Commands() {
		if cmd.Annotations[supervisedMark] != "" {
			parse = append(parse, cmd.Name())
		}
	}
	fork := forkingCommands()
	slices.Sort(parse)
	slices.Sort(fork)
	if !slices.Equal(parse, fork) {
		t.Errorf("%q fork, and %q parse", fork, parse)
	}
}

// TestForked: who parses is a child that nobody has started; where the command does not
// come first, one that the parent has.
func TestForked(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args    []string
		started bool
	}{{[]string{"build", "-q", "."}, false}, {[]string{"-q", "build", "."}, true}} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.dies"), []byte("slow\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program, append(c.args, "-o", "out.kg")...)
			cmd.Args[0] = "kg"
			cmd.Dir, cmd.Env = dir, append(os.Environ(), mortalEnv+"=1", asCommandEnv+"=1")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()
			pid := 0
			for pid == 0 {
				time.Sleep(10 * time.Millisecond)
				text, _ := os.ReadFile(filepath.Join(dir, "child.pid"))
				pid, _ = strconv.Atoi(string(text))
			}
			env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
			if err != nil {
				t.Fatal(err)
			}
			if started := strings.Contains(string(env), childEnv+"="+strconv.Itoa(cmd.Process.Pid)); pid == cmd.Process.Pid || started != c.started {
				t.Errorf("process %d of %d: started with orders %v, want %v", pid, cmd.Process.Pid, started, c.started)
			}
		})
	}
}
