// Command scale measures how the cost of a build grows. It writes synthetic
// modules of growing size into a temporary folder and builds their graphs; what
// a file costs must not grow with their number.
//
//	go run ./bench/scale [-kg kg] [-phases PROGRAM] [-files 1000,10000,50000] [-times N]
//	go run ./bench/scale -files 5000 -write DIR
//
// With -write it only writes a module, for other programs.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/codekg/kg/bench/usage"
)

type config struct {
	kg, phases, files string
	write             string
	times             int
}

func main() {
	var c config
	flag.StringVar(&c.kg, "kg", "kg", "the program to measure")
	flag.StringVar(&c.phases, "phases", "", "the program that measures the parts of a build (default: bench/phases of this module)")
	flag.StringVar(&c.files, "files", "1000,10000,50000", "sizes of the modules, in files")
	flag.IntVar(&c.times, "times", 2, "measure this many times and show the least")
	flag.StringVar(&c.write, "write", "", "write a module of the first size to `DIR`, and nothing else")
	flag.Parse()
	if err := run(c, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(2)
	}
}

func run(c config, out, log io.Writer) error {
	if c.write != "" {
		first, _, _ := strings.Cut(c.files, ",")
		n, err := strconv.Atoi(first)
		if err != nil || n < 1 {
			return fmt.Errorf("-files %s: want numbers, separated by commas", c.files)
		}
		return writeModule(c.write, n)
	}
	tmp, err := os.MkdirTemp("", "kg-scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if c.phases, err = usage.Program(c.phases, "phases", tmp, log); err != nil {
		return err
	}
	fmt.Fprintf(out, "| files | MB of source | CPU s | ms per file | wall s | peak MB | KB per file | reading %% | linking %% | µs per file to link |\n")
	fmt.Fprintf(out, "|%s\n", strings.Repeat("---:|", 10))
	for size := range strings.SplitSeq(c.files, ",") {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 {
			return fmt.Errorf("-files %s: want numbers, separated by commas", c.files)
		}
		dir := filepath.Join(tmp, size)
		if err := writeModule(dir, n); err != nil {
			return err
		}
		row, err := c.measure(dir, tmp, n, log)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, row); err != nil {
			return err
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

func (c config) measure(dir, tmp string, n int, log io.Writer) (string, error) {
	_, u, err := usage.Repeat(c.times, log, c.kg, "build", dir, "-o", filepath.Join(tmp, "graph.kg"), "--no-cache")
	if err != nil {
		return "", err
	}
	var p struct {
		Bytes                   int64
		Tree, Read, Link, Write float64
	}
	line, _, err := usage.Command(log, c.phases, dir)
	if err == nil {
		err = json.Unmarshal(line, &p)
	}
	if err != nil {
		return "", err
	}
	all, files := p.Tree+p.Read+p.Link+p.Write, float64(n)
	return fmt.Sprintf("| %d | %.1f | %.2f | %.2f | %.2f | %d | %.0f | %.0f | %.0f | %.0f |\n",
		n, float64(p.Bytes)/1e6, u.CPU.Seconds(), 1e3*u.CPU.Seconds()/files, u.Wall.Seconds(), u.Peak>>20, float64(u.Peak)/1024/files,
		100*p.Read/all, 100*p.Link/all, 1e6*p.Link/files), nil
}
