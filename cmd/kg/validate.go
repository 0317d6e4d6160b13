package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/report"
)

const validateSchema = "kg.validate/v1"

func (a *app) validateCommand() *cobra.Command {
	var deep bool
	var out *outputs
	cmd := &cobra.Command{
		Use:   "validate [FILE|DIR]",
		Short: "Check a graph, against itself or against a compiler",
		Long: `Check a graph, against itself or against a compiler.

The graph of the repository around the current folder, or of DIR, is built twice,
with different numbers of workers: the bytes must be equal, and the same after
the graph was written and read again. A graph file must be what kg would write.
In both, no two declarations may have one key. A check that fails is an error.

With --deep the graph is compared with what the Go compiler's type checker says
about the same files: how many relations of each kind both have, only kg has, and
only the compiler has, and where. The compiler needs files and dependencies, so
this reads the work tree, never a revision or a graph file; the go command and
the modules that the code depends on must be on this machine. Nothing is
downloaded, built or run, and no file is changed. What the compiler cannot
judge, such as files for other systems, counts for nobody. Differences are no
errors: the exit code is 0 when the comparison was made, 2 when it was not.`,
		Example: `  kg validate                      # the repository around this folder
  kg validate graph.kg
  kg validate --deep -o text -o json=differences.json`,
		Args: arguments(0, 1, "FILE"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			if deep {
				return a.validateDeep(cmd.Context(), args, list)
			}
			return a.validateSelf(cmd.Context(), args, list)
		}),
	}
	cmd.Flags().BoolVar(&deep, "deep", false, "compare with the Go compiler's type checker")
	out = outputFlag(cmd, "text", "json")
	return cmd
}

// checks is what was checked of a graph by itself.
type checks struct {
	Schema string  `json:"schema"`
	Mode   string  `json:"mode"` // self
	Tree   string  `json:"tree"` // digest of what was analysed
	Checks []check `json:"checks"`
	name   string
}

type check struct {
	Name   string `json:"name"` // keys, deterministic, round-trip, canonical
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

func (c *checks) add(name string, ok bool, good, bad string) {
	detail := good
	if !ok {
		detail = bad
	}
	c.Checks = append(c.Checks, check{name, ok, detail})
}

func (a *app) validateSelf(ctx context.Context, args []string, list []output) error {
	s, err := a.fileOrTree(args, "")
	if err != nil {
		return err
	}
	defer s.close()
	c := &checks{Schema: validateSchema, Mode: "self", name: s.name}
	if s.tree == nil {
		err = c.file(s.graph, args[0])
	} else {
		err = a.checkTree(ctx, s, c)
	}
	if err != nil {
		return err
	}
	err = a.writeTextOrJSON(ctx, list, c, c.text)
	if err != nil {
		return err
	}
	for _, k := range c.Checks {
		if !k.OK {
			return &failure{text: "the graph of " + quote(c.name) + " is not valid: " + k.Detail, hint: "this is a bug of kg, or of the machine; please report it"}
		}
	}
	return nil
}

// file checks a graph that was read from a file.
func (c *checks) file(g *graph.Graph, path string) error {
	c.keys(g)
	data, err := os.ReadFile(path)
	if err != nil {
		return &failure{text: "cannot read " + quote(path), err: plain(err)}
	}
	again, err := encoded(g)
	if err != nil {
		return err
	}
	c.add("canonical", bytes.Equal(data, again),
		"this kg writes the same bytes", "this kg writes other bytes; the file was changed, or another version wrote it")
	return nil
}

// checkTree builds the graph of a tree twice and checks it.
func (a *app) checkTree(ctx context.Context, s *side, c *checks) error {
	p := a.progress()
	defer p.end()
	several := max(a.workers, 2)
	var data [2][]byte
	for i, workers := range []int{several, 1} {
		part := p.part([]string{"files", "files again"}[i])
		g, err := analyzer.Build(ctx, s.tree, analyzer.Options{Workers: workers, Guard: a.guard, Progress: part.at})
		if err != nil {
			return err
		}
		part.finished()
		if data[i], err = encoded(g); err != nil {
			return err
		}
		if i == 0 {
			c.keys(g)
		}
	}
	c.add("deterministic", bytes.Equal(data[0], data[1]),
		fmt.Sprintf("%d workers and 1 worker make the same %s bytes", several, thousands(len(data[0]))),
		fmt.Sprintf("%d workers and 1 worker make different bytes", several))
	g, err := artifact.Read(data[0], artifact.Limits{})
	if err != nil {
		c.add("round-trip", false, "", "what was written cannot be read: "+err.Error())
		return nil
	}
	again, err := encoded(g)
	if err != nil {
		return err
	}
	c.add("round-trip", bytes.Equal(data[0], again), "written and read again it is the same", "written and read again it is another")
	return nil
}

// keys checks that no two declarations have one key.
func (c *checks) keys(g *graph.Graph) {
	c.Tree = fmt.Sprintf("%x", g.Tree[:])
	seen := make(map[string]bool, len(g.Nodes))
	bad := ""
	for i := range g.Nodes {
		k := g.Nodes[i].Key
		if k == "" || seen[k] {
			bad = "the key " + quote(k) + " is empty or not unique"
			break
		}
		seen[k] = true
	}
	c.add("keys", bad == "", plural(len(seen), "unique key"), bad)
}

func encoded(g *graph.Graph) ([]byte, error) {
	var b bytes.Buffer
	err := artifact.Write(&b, g)
	return b.Bytes(), err
}

func (c *checks) text(w io.Writer) error {
	t := &table{w: w}
	t.row("graph of", report.Escape(c.name))
	for _, k := range c.Checks {
		state := "ok"
		if !k.OK {
			state = "FAILED"
		}
		t.row(k.Name, state+": "+k.Detail)
	}
	return t.err
}

// writeTextOrJSON makes all outputs of a command that writes text and JSON.
func (a *app) writeTextOrJSON(ctx context.Context, list []output, v any, text func(io.Writer) error) error {
	for _, o := range list {
		say := text
		if o.format == "json" {
			say = func(w io.Writer) error { return writeJSON(w, v) }
		}
		if err := a.write(ctx, o.path, say); err != nil {
			return err
		}
	}
	return nil
}
