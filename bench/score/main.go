// Command score compares the edges of a kg graph with what a compiler says.
//
//	score -kg graph.jsonl -oracle oracle.jsonl [-kinds calls,references] [-text|-json] [-misses N] [-src DIR]
//	score -self -oracle oracle.jsonl [-drop 0.1 -bend 0.05 -seed 1] [-write graph.jsonl]
//
// It knows no programming language: any oracle that writes the records described
// in bench/README.md can judge. With -self the oracle judges itself, if wished
// with a share of the pairs dropped or bent, which tests the scorer.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/codekg/kg/bench/record"
)

type config struct {
	kg, oracle, kinds, src, write string
	json, text, self              bool
	misses, groups                int
	drop, bend                    float64
	seed                          uint64
	options                       options
}

func main() {
	var c config
	flag.StringVar(&c.kg, "kg", "", "export of kg (kg export GRAPH -o jsonl=FILE)")
	flag.StringVar(&c.oracle, "oracle", "", "output of an oracle")
	flag.StringVar(&c.kinds, "kinds", "", "kinds to compare, separated by commas (default: all that the oracle judges)")
	flag.BoolVar(&c.text, "text", true, "write text")
	flag.BoolVar(&c.json, "json", false, "write JSON")
	flag.IntVar(&c.misses, "misses", 0, "show up to this many wrong and missed pairs of each kind")
	flag.IntVar(&c.groups, "groups", 12, "show up to this many reasons of each kind")
	flag.StringVar(&c.src, "src", "", "folder of the repository, to show source lines")
	flag.BoolVar(&c.self, "self", false, "let the oracle judge itself")
	flag.Float64Var(&c.drop, "drop", 0, "with -self: lose this share of the pairs")
	flag.Float64Var(&c.bend, "bend", 0, "with -self: of the lost pairs, bend this share (of all) to a wrong target")
	flag.Uint64Var(&c.seed, "seed", 1, "with -self: what is lost")
	flag.StringVar(&c.write, "write", "", "with -self: also write the graph")
	flag.StringVar(&c.options.initialisers, "initialisers", "variable",
		"what a site in a package-level initialiser counts to: variable, package or either")
	flag.Parse()
	if err := run(c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(2)
	}
}

func run(c config, out io.Writer) error {
	if c.oracle == "" || c.self == (c.kg != "") || flag.NArg() > 0 {
		return errors.New("give -oracle FILE and either -kg FILE or -self")
	}
	switch c.options.initialisers {
	case "variable", "package", "either":
	default:
		return fmt.Errorf("-initialisers %s: want variable, package or either", c.options.initialisers)
	}
	o, err := readFile(c.oracle, record.ReadOracle)
	if err != nil {
		return err
	}
	var g *record.Graph
	if c.self {
		g = toGraph(o)
		damage(g, c.drop, c.bend, c.seed)
		if c.write != "" {
			if err := writeGraph(c.write, g); err != nil {
				return err
			}
		}
	} else if g, err = readFile(c.kg, record.ReadGraph); err != nil {
		return err
	}
	var kinds []string
	if c.kinds != "" {
		kinds = strings.Split(c.kinds, ",")
	}
	s := newIndex(o, g).score(kinds, c.options, c.misses, sourceLines(c.src))
	if c.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(s)
	}
	return writeText(out, s, c.groups)
}

func readFile[T any](name string, read func(io.Reader) (T, error)) (T, error) {
	f, err := os.Open(name)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	v, err := read(bufio.NewReader(f))
	if err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

func writeGraph(name string, g *record.Graph) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(g.Write(f), f.Close())
}

// sourceLines returns a function that reads one line of a file below dir.
func sourceLines(dir string) func(file string, line int) string {
	if dir == "" {
		return func(string, int) string { return "" }
	}
	cache := map[string][]string{}
	return func(file string, line int) string {
		lines, ok := cache[file]
		if !ok && filepath.IsLocal(filepath.FromSlash(file)) {
			if data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file))); err == nil {
				lines = strings.Split(string(data), "\n")
			}
			cache[file] = lines
		}
		if line < 1 || line > len(lines) {
			return ""
		}
		text := strings.TrimSpace(lines[line-1])
		if len(text) > 160 {
			text = strings.ToValidUTF8(text[:160], "") + " …"
		}
		return text
	}
}
