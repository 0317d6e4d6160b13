//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	golang "github.com/tree-sitter/tree-sitter-go/bindings/go"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/lang/all"
	"github.com/codekg/kg/analyzer/syntax"
)

// mortalEnv makes the kg of the tests read two languages more, which bring a
// process down.
const mortalEnv = "KG_TEST_MORTAL"

// addMortalLanguages adds them. Files *.segv meet a grammar whose tables are
// not where it says, so that the C runtime crashes; what a file *.dies does to
// its process is its first line.
func addMortalLanguages() {
	g := golang.Language()
	broken := slices.Clone(unsafe.Slice((*byte)(g), 512))
	for i := range 8 {
		broken[40+i] = 0 // parse_table
	}
	grammar := func(name string, p unsafe.Pointer) func() *syntax.Language {
		return func() *syntax.Language {
			l, err := syntax.NewLanguage(name, p)
			if err != nil {
				panic(err)
			}
			return l
		}
	}
	all.Languages = append(all.Languages,
		&lang.Language{Name: "segv", Extensions: []string{".segv"}, Grammar: grammar("segv", unsafe.Pointer(&broken[0]))},
		&lang.Language{Name: "dies", Extensions: []string{".dies"}, Grammar: grammar("dies", g), Extract: die},
	)
}

func die(t *syntax.Tree, _ *facts.Builder) *facts.File {
	how, _, _ := strings.Cut(string(t.Src), "\n")
	switch how {
	case "abort":
		syscall.Kill(os.Getpid(), syscall.SIGABRT)
		time.Sleep(time.Minute)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	case "panic":
		panic("a bug")
	case "exit":
		os.Exit(0)
	case "slow":
		os.WriteFile("child.pid", []byte(strconv.Itoa(os.Getpid())), 0o666)
		time.Sleep(2 * time.Second)
	}
	return nil
}

// TestInterruptedChild ends the parent while the child parses: by a signal to
// it alone, as a CI system sends it, and without any warning.
func TestInterruptedChild(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, exitInterrupted}, {syscall.SIGTERM, exitInterrupted}, {syscall.SIGKILL, -1}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.dies"), []byte("slow\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program, "build", ".", "-o", "out.kg")
			cmd.Args[0] = "kg"
			cmd.Dir, cmd.Env = dir, append(os.Environ(), mortalEnv+"=1", asCommandEnv+"=1")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pid := 0
			for pid == 0 {
				time.Sleep(10 * time.Millisecond)
				text, _ := os.ReadFile(filepath.Join(dir, "child.pid"))
				pid, _ = strconv.Atoi(string(text))
			}
			if pid == cmd.Process.Pid {
				t.Fatal("kg parses in the process that was started")
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.code {
				t.Errorf("exit code %d, want %d\n%s", got, c.code, stderr.Bytes())
			}
			for deadline := time.Now().Add(20 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the child is still there")
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "out.kg")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("there is an output: %v", err)
			}
		})
	}
}

// TestDiary writes a diary by one mapping and reads it by another.
func TestDiary(t *testing.T) {
	f, err := newDiaryFile()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	child, err := openDiary(f)
	if err != nil {
		t.Fatal(err)
	}
	defer child.close()
	parent, err := openDiary(f)
	if err != nil {
		t.Fatal(err)
	}
	defer parent.close()
	id := func(n int) (c contentID) { c[0] = byte(n); return c }
	expect := func(want ending) {
		t.Helper()
		if got := parent.read(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("the diary says %v, want %v", got, want)
		}
	}
	expect(ending{under: map[contentID]string{}})
	child.begin("a", id(1))
	child.begin(strings.Repeat("b", 1000), id(2))
	child.begin("a", id(1))
	child.begin("c", id(3))
	child.finish(id(1))
	child.finish(id(3))
	expect(ending{under: map[contentID]string{id(1): "a", id(2): strings.Repeat("b", maxDiaryPath)}})
	child.finish(id(1))
	expect(ending{under: map[contentID]string{id(2): strings.Repeat("b", maxDiaryPath)}})

	// More than there are entries wait, and none is lost.
	var wg sync.WaitGroup
	for n := range 2 * maxUnder {
		wg.Go(func() {
			c := contentID{1: byte(n), 2: byte(n >> 8)}
			child.begin("x", c)
			child.finish(c)
		})
	}
	wg.Wait()
	child.finish(id(2))
	child.end(130)
	expect(ending{under: map[contentID]string{}, ended: true, code: 130})

	parent.page.entries[7] = diaryEntry{length: 1 << 31} // a writer that has gone wild
	parent.page.entries[7].under.Store(9)
	expect(ending{under: map[contentID]string{{}: strings.Repeat("\x00", maxDiaryPath)}, ended: true, code: 130})
}

// TestLessons lets children die of some of twenty contents, four workers at a
// time, and counts how many it takes.
func TestLessons(t *testing.T) {
	for _, c := range []struct {
		name   string
		bad    []int
		crowd  bool // dies when four are parsed together, of none alone
		code   int
		deaths int
	}{
		{name: "none", deaths: 0},
		{name: "one", bad: []int{5}, deaths: 2},
		{name: "four together", bad: []int{4, 5, 6, 7}, deaths: 5},
		{name: "apart", bad: []int{1, 9, 17}, deaths: 6},
		{name: "too many", bad: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39}, code: exitFailed, deaths: maxDeaths},
		{name: "memory", crowd: true, deaths: 10},
	} {
		deaths := 0
		start := func(_ context.Context, l *lessons) (death, bool) {
			d := death{ending: ending{under: map[contentID]string{}}}
			for at := 0; at < 40; at += 4 {
				clear(d.under)
				for i := at; i < at+4; i++ {
					id := contentID{byte(i)}
					switch {
					case l.killers[id] != "":
					case l.suspects[id]:
						if slices.Contains(c.bad, i) {
							d.under = map[contentID]string{id: fmt.Sprint(i)}
							deaths++
							return d, true
						}
					default:
						d.under[id] = fmt.Sprint(i)
					}
				}
				for id := range d.under {
					if slices.Contains(c.bad, int(id[0])) || c.crowd && len(d.under) == 4 {
						deaths++
						return d, true
					}
				}
			}
			d.ended = true
			return d, true
		}
		code, ok := superviseWith(t.Context(), newUI(io.Discard, io.Discard, noEnv), newLessons(), start)
		if !ok || code != c.code || deaths != c.deaths {
			t.Errorf("%s: exit code %d, %d deaths", c.name, code, deaths)
		}
	}
}
