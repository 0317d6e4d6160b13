// Command score compares the edges of a kg graph with what a compiler says.
//
//	score -kg graph.jsonl -oracle oracle.jsonl [-kinds calls,references] [-as-one] [-text|-json] [-misses N] [-src DIR]
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
	"strings"

	"github.com/codekg/kg/bench/record"
	"github.com/codekg/kg/bench/scoring"
)

type config struct {
	kg, oracle, kinds, src, write string
	json, text, self, asOne       bool
	misses, groups                int
	drop, bend                    float64
	seed                          uint64
	initialisers                  string
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
	flag.StringVar(&c.initialisers, "initialisers", "variable",
		"what a site in a package-level initialiser counts to: variable, package or either")
	flag.BoolVar(&c.asOne, "as-one", false, "overloads of one name in one type count as one")
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
	switch c.initialisers {
	case "variable", "package", "either":
	default:
		return fmt.Errorf("-initialisers %s: want variable, package or either", c.initialisers)
	}
	o, err := readFile(c.oracle, record.ReadOracle)
	if err != nil {
		return err
	}
	var g *record.Graph
	if c.self {
		g = scoring.Perfect(o)
		scoring.Damage(g, c.drop, c.bend, c.seed)
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
	s := scoring.Compare(o, g, scoring.Options{
		Kinds: kinds, Initialisers: c.initialisers, AsOne: c.asOne, Examples: c.misses, Source: scoring.SourceLines(c.src),
	})
	if c.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(s)
	}
	return s.WriteText(out, c.groups)
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
