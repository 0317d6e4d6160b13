// Command run measures kg on repositories: how long a build takes, how much
// memory, and how much of the graph a compiler agrees with. It prints one row of
// a Markdown table for each repository.
//
//	go run ./bench/run [-kg kg] [-oracle PROGRAM] [-score PROGRAM] [-keep DIR] [-prepare] [-kinds LIST] REPOSITORY...
//
// For each repository it runs
//
//	kg build REPOSITORY -o graph.kg
//	kg export graph.kg -o jsonl=graph.jsonl
//	oracle -o oracle.jsonl REPOSITORY
//	score -kg graph.jsonl -oracle oracle.jsonl -json
//
// With -keep the files stay in that folder, named after the repository, and an
// oracle's output that is there already is used again (-fresh asks the compiler
// anew). Without -oracle and -score it builds those of this module.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

type config struct {
	kg, oracle, score, keep, kinds string
	fresh, prepare                 bool
}

func main() {
	var c config
	flag.StringVar(&c.kg, "kg", "kg", "the program to measure")
	flag.StringVar(&c.oracle, "oracle", "", "the oracle (default: bench/oracles/go of this module)")
	flag.StringVar(&c.score, "score", "", "the scorer (default: bench/score of this module)")
	flag.StringVar(&c.keep, "keep", "", "keep graphs, oracle outputs and scores in this folder")
	flag.BoolVar(&c.fresh, "fresh", false, "run the oracle even if its output was kept")
	flag.BoolVar(&c.prepare, "prepare", false, "let the oracle download dependencies first")
	flag.StringVar(&c.kinds, "kinds", "calls,references,reads,writes,uses-type,instantiates,converts,embeds,implements,overrides",
		"kinds of edges to show")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(c, flag.Args(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(2)
	}
}

func run(c config, repos []string, out, log io.Writer) error {
	tmp, err := os.MkdirTemp("", "kg-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if c.oracle, err = program(c.oracle, "oracles/go", tmp, log); err != nil {
		return err
	}
	if c.score, err = program(c.score, "score", tmp, log); err != nil {
		return err
	}
	dir := c.keep
	if dir == "" {
		dir = tmp
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	kinds := strings.Split(c.kinds, ",")
	fmt.Fprintf(out, "| repository | files | build s | CPU s | peak MB | %s |\n", strings.Join(kinds, " | "))
	fmt.Fprintf(out, "|---|---:|---:|---:|---:|%s\n", strings.Repeat("---:|", len(kinds)))
	var errs []error
	for _, r := range repos {
		row, err := c.measure(r, dir, log)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r, err))
			continue
		}
		if _, err := io.WriteString(out, row.markdown(kinds)); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// program returns the given program, or builds that of this module.
func program(given, path, tmp string, log io.Writer) (string, error) {
	if given != "" {
		return given, nil
	}
	exe := filepath.Join(tmp, strings.ReplaceAll(path, "/", "-"))
	cmd := exec.Command("go", "build", "-o", exe, "github.com/codekg/kg/bench/"+path)
	cmd.Stderr = log
	return exe, cmd.Run()
}

// row is the result for one repository.
type row struct {
	name  string
	build usage
	score score
}

// usage is what a program needed, its children included.
type usage struct {
	wall, cpu time.Duration
	peak      int64 // bytes, 0 if the system does not say
}

// score is the part of the scorer's JSON that is shown.
type score struct {
	Judged int `json:"judged"`
	Kinds  []struct {
		Kind  string `json:"kind"`
		Pairs struct {
			Right     int     `json:"right"`
			Wrong     int     `json:"wrong"`
			Precision float64 `json:"precision"`
			Truth     int     `json:"truth"`
			Recall    float64 `json:"recall"`
		} `json:"pairs"`
	} `json:"kinds"`
}

func (c config) measure(repo, dir string, log io.Writer) (*row, error) {
	abs, err := filepath.Abs(repo)
	if err != nil {
		return nil, err
	}
	r := &row{name: filepath.Base(abs)}
	base := filepath.Join(dir, r.name)
	graph, export, oracle := base+".kg", base+".kg.jsonl", base+".jsonl"
	if _, r.build, err = command(log, c.kg, "build", abs, "-o", graph); err != nil {
		return nil, err
	}
	if _, _, err = command(log, c.kg, "export", graph, "-o", "jsonl="+export); err != nil {
		return nil, err
	}
	if _, err := os.Stat(oracle); err != nil || c.fresh {
		// Under another name until it is complete.
		args := []string{"-o", oracle + ".part", abs}
		if c.prepare {
			args = append([]string{"-prepare"}, args...)
		}
		if _, _, err := command(log, c.oracle, args...); err != nil {
			return nil, err
		}
		if err := os.Rename(oracle+".part", oracle); err != nil {
			return nil, err
		}
	}
	out, _, err := command(log, c.score, "-kg", export, "-oracle", oracle, "-src", abs, "-misses", "50", "-json")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(base+".score.json", out, 0o644); err != nil {
		return nil, err
	}
	return r, json.Unmarshal(out, &r.score)
}

// command runs a program and returns its output and what it needed.
func command(log io.Writer, name string, args ...string) ([]byte, usage, error) {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, log
	start := time.Now()
	err := cmd.Run()
	u := usage{wall: time.Since(start)}
	if err != nil {
		return nil, u, fmt.Errorf("%s %s: %w", filepath.Base(name), args[0], err)
	}
	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	u.peak = peak(cmd.ProcessState)
	return out.Bytes(), u, nil
}

// markdown writes precision / recall (oracle pairs) for each kind.
func (r *row) markdown(kinds []string) string {
	cells := []string{
		r.name, fmt.Sprint(r.score.Judged), fmt.Sprintf("%.2f", r.build.wall.Seconds()),
		fmt.Sprintf("%.2f", r.build.cpu.Seconds()), "-",
	}
	if r.build.peak > 0 {
		cells[4] = fmt.Sprint(r.build.peak >> 20)
	}
	for _, kind := range kinds {
		cell := "-"
		for _, k := range r.score.Kinds {
			if k.Kind != kind {
				continue
			}
			p, rec := "-", "-"
			if k.Pairs.Right+k.Pairs.Wrong > 0 {
				p = fmt.Sprintf("%.3f", k.Pairs.Precision)
			}
			if k.Pairs.Truth > 0 {
				rec = fmt.Sprintf("%.3f", k.Pairs.Recall)
			}
			cell = fmt.Sprintf("%s / %s (%d)", p, rec, k.Pairs.Truth)
		}
		cells = append(cells, cell)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}
