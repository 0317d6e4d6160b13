// Command hostile measures what kg does with trees and changes that are meant
// to hurt it. It writes each into a temporary folder, lets kg read it, and
// prints what that took: at one size, and at twice the size, where the growth
// must be near 2. A parser's attack must end in a graph with an unknown, or in
// a tree; nothing may take long.
//
//	go run ./bench/hostile [-kg kg] [-only TEXT] [-scale 1] [-limit 60s]
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/codekg/kg/bench/adversary"
	"github.com/codekg/kg/bench/usage"
)

type config struct {
	kg, only string
	make     string // what this process writes, for the one that measures
	scale    float64
	limit    time.Duration
	tmp      string
}

func main() {
	var c config
	flag.StringVar(&c.kg, "kg", "kg", "the program to measure")
	flag.StringVar(&c.only, "only", "", "only the cases whose name has this")
	flag.Float64Var(&c.scale, "scale", 1, "multiply the sizes")
	flag.DurationVar(&c.limit, "limit", time.Minute, "end a command that takes longer")
	flag.StringVar(&c.make, "make", "", "only write the tree of a case: NAME, base or head, size, folder, with slashes between them")
	flag.Parse()
	run := c.run
	if c.make != "" {
		run = c.writeOne
	}
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(2)
	}
}

func (c *config) run(out io.Writer) error {
	kg, err := exec.LookPath(c.kg)
	if err != nil {
		return err
	}
	if c.kg, err = filepath.Abs(kg); err != nil {
		return err
	}
	if c.tmp, err = os.MkdirTemp("", "kg-hostile-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.tmp)
	for _, group := range []struct {
		name  string
		cases []adversary.Case
	}{{"One file", adversary.Parsing}, {"Many declarations", adversary.Linking}, {"Changes", adversary.Changing}} {
		fmt.Fprintf(out, "\n| %s | size | MB | s of CPU | growth | peak MB | unknowns |\n|---|---:|---:|---:|---:|---:|---|\n", group.name)
		for _, a := range group.cases {
			if !strings.Contains(a.Name, c.only) {
				continue
			}
			row, err := c.measure(a)
			if err != nil {
				return fmt.Errorf("%s: %w", a.Name, err)
			}
			if _, err := io.WriteString(out, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// errLimit says that a command was ended.
var errLimit = errors.New("over the limit")

func (c *config) measure(a adversary.Case) (string, error) {
	n := max(int(float64(a.Large)*c.scale), 2)
	one, err := c.once(a, n)
	if err != nil && !errors.Is(err, errLimit) {
		return "", err
	}
	growth := "–"
	if err == nil {
		two, err := c.once(a, 2*n)
		switch {
		case errors.Is(err, errLimit):
			growth = "over the limit"
		case err != nil:
			return "", err
		default:
			growth = fmt.Sprintf("%.1f", two.cpu.Seconds()/one.cpu.Seconds())
		}
	}
	cpu := fmt.Sprintf("%.2f", one.cpu.Seconds())
	if err != nil {
		cpu = fmt.Sprintf("**over %s**", c.limit)
	}
	return fmt.Sprintf("| %s | %d | %.1f | %s | %s | %d | %s |\n", a.Name, n, float64(one.bytes)/1e6, cpu, growth, one.peak>>20, one.unknowns), nil
}

type result struct {
	bytes    int
	cpu      time.Duration
	peak     int64
	unknowns string
}

// once writes the trees of a case and lets kg read them.
func (c *config) once(a adversary.Case, n int) (r result, err error) {
	base, err := c.write(a, "base", n)
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(base.dir)
	r.bytes = base.bytes
	graph := filepath.Join(c.tmp, "base.kg")
	command := []string{"build", base.dir, "-o", graph, "--no-cache"}
	if a.Head != nil {
		head, err := c.write(a, "head", n)
		if err != nil {
			return r, err
		}
		defer os.RemoveAll(head.dir)
		headGraph := filepath.Join(c.tmp, "head.kg")
		for dir, graph := range map[string]string{base.dir: graph, head.dir: headGraph} {
			if _, _, err := c.kgRun("build", dir, "-o", graph, "--no-cache"); err != nil {
				return r, err
			}
		}
		command = []string{"impact", "--base", graph, "--head", headGraph, "-o", "json=" + filepath.Join(c.tmp, "impact.json"),
			"-o", "md=" + filepath.Join(c.tmp, "impact.md"), "-o", "text=" + filepath.Join(c.tmp, "impact.txt")}
	}
	if r.cpu, r.peak, err = c.kgRun(command...); err != nil {
		return r, err
	}
	if a.Head == nil {
		r.unknowns, err = c.unknowns(graph)
	}
	return r, err
}

type written struct {
	dir   string
	bytes int
}

// write writes a tree of a case, by another process: what a process has ever
// held counts as the peak of those that it starts.
func (c *config) write(a adversary.Case, which string, n int) (w written, err error) {
	w.dir = filepath.Join(c.tmp, which)
	self, err := os.Executable()
	if err != nil {
		return w, err
	}
	out, err := exec.Command(self, "-make", fmt.Sprintf("%s/%s/%d/%s", a.Name, which, n, w.dir)).Output()
	if err != nil {
		return w, fmt.Errorf("cannot write the tree: %w", err)
	}
	_, err = fmt.Sscan(string(out), &w.bytes)
	return w, err
}

// writeOne writes a tree and prints its size in bytes.
func (c *config) writeOne(out io.Writer) error {
	part := strings.SplitN(c.make, "/", 4)
	if len(part) < 4 {
		return errors.New("-make needs four parts")
	}
	n, err := strconv.Atoi(part[2])
	if err != nil {
		return err
	}
	cases := slices.Concat(adversary.Parsing, adversary.Linking, adversary.Changing)
	i := slices.IndexFunc(cases, func(a adversary.Case) bool { return a.Name == part[0] })
	if i < 0 {
		return fmt.Errorf("no case %q", part[0])
	}
	make := cases[i].Base
	if part[1] == "head" {
		make = cases[i].Head
	}
	size := 0
	for p, data := range make(n) {
		full := filepath.Join(part[3], filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(data), 0o666); err != nil {
			return err
		}
		size += len(data)
	}
	_, err = fmt.Fprintln(out, size)
	return err
}

// kgRun runs kg and returns what it took, its children included.
func (c *config) kgRun(args ...string) (time.Duration, int64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.kg, args...)
	cmd.WaitDelay = 10 * time.Second
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = c.tmp, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return 0, 0, errLimit
	}
	if err != nil {
		return 0, 0, fmt.Errorf("kg %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	u := usage.Of(cmd.ProcessState)
	return u.CPU, u.Peak, nil
}

// unknowns returns the reasons of a graph's unknowns. It holds no more than a
// line, as the memory of this process counts for those that it starts.
func (c *config) unknowns(graph string) (string, error) {
	cmd := exec.Command(c.kg, "export", graph, "-o", "jsonl=-")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	var reasons []string
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		if !bytes.HasPrefix(lines.Bytes(), []byte(`{"t":"unknown"`)) {
			continue
		}
		var u struct{ Reason string }
		if err := json.Unmarshal(lines.Bytes(), &u); err != nil {
			return "", err
		}
		if !slices.Contains(reasons, u.Reason) {
			reasons = append(reasons, u.Reason)
		}
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		return "", err
	}
	slices.Sort(reasons)
	return strings.Join(reasons, " "), nil
}
