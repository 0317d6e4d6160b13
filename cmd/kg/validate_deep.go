package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/bench/gooracle"
	"github.com/codekg/kg/bench/record"
	"github.com/codekg/kg/bench/scoring"
	"github.com/codekg/kg/report"
)

// secondOpinion is what kg and a compiler say about the same files.
type secondOpinion struct {
	Schema   string           `json:"schema"`
	Mode     string           `json:"mode"` // deep
	Tree     string           `json:"tree"` // digest of what was analysed
	Compiler string           `json:"compiler"`
	Files    int              `json:"files"`  // of the compiler's language
	Judged   int              `json:"judged"` // of these, by the compiler
	Places   int              `json:"places"` // where the compiler says that something is used
	Open     int              `json:"open"`   // of these, without an answer
	Modules  []moduleState    `json:"modules"`
	Kinds    []kindComparison `json:"kinds"`
	// Differences are all of them, by kind, file and line.
	Differences []difference `json:"differences"`
	name        string
}

type moduleState struct {
	Dir      string   `json:"dir"`
	Packages int      `json:"packages"`
	Missing  []string `json:"missing,omitempty"` // dependencies that are not on this machine
	Error    string   `json:"error,omitempty"`   // why nothing of it was compared
}

// kindComparison counts pairs of declarations that are related in one way.
type kindComparison struct {
	Kind         string  `json:"kind"`
	Agreed       int     `json:"agreed"`
	OnlyKG       int     `json:"only_kg"`
	OnlyCompiler int     `json:"only_compiler"`
	Precision    float64 `json:"precision"` // 1 where kg says nothing
	Recall       float64 `json:"recall"`    // 1 where the compiler says nothing
}

type difference struct {
	Kind   string `json:"kind"`
	Who    string `json:"who"` // kg or compiler: who alone says so
	File   string `json:"file"`
	Line   int    `json:"line"`
	Col    int    `json:"col,omitempty"`
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
	Source string `json:"source,omitempty"` // the line
}

const (
	onlyKG       = "kg"
	onlyCompiler = "compiler"
)

func (a *app) validateDeep(ctx context.Context, args []string, list []output) error {
	s, root, err := a.onDisk(args)
	if err != nil {
		return err
	}
	defer s.close()
	if _, err := exec.LookPath("go"); err != nil {
		return &failure{text: "--deep asks the Go compiler, and there is no go command", hint: "install Go from https://go.dev/dl, or put it into PATH"}
	}
	p := a.progress()
	packages := p.part("packages")
	answer, err := gooracle.Ask(ctx, root, gooracle.Options{Progress: packages.at})
	packages.finished()
	if err == nil || errors.Is(err, gooracle.ErrNothing) {
		err = a.complete(answer, err)
	} else if ctx.Err() == nil {
		err = &failure{text: "cannot compare " + quote(s.name) + " with the compiler", err: err}
	}
	if err == nil {
		err = a.build(ctx, s, nil, p.part("files"), nil)
	}
	p.end()
	if err != nil {
		return err
	}
	g, err := exported(s.graph)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, e := range s.tree.Entries() {
		known[e.Path] = true
	}
	answer.Restrict(func(file string) bool { return known[file] })
	score := scoring.Compare(answer.Oracle, g, scoring.Options{Examples: -1, Source: scoring.SourceLines(root)})
	c := compared(answer, score)
	c.Tree, c.name = fmt.Sprintf("%x", s.graph.Tree[:]), s.name
	for _, m := range c.Modules {
		if m.Error != "" || len(m.Missing) > 0 {
			a.note("the module in %s was compared in part or not at all: %s", quote(m.Dir), firstLine(m.Error+strings.Join(m.Missing, "; ")))
		}
	}
	return a.writeTextOrJSON(ctx, list, c, c.text)
}

// onDisk opens the work tree that --deep compares, and says where it is.
func (a *app) onDisk(args []string) (*side, string, error) {
	s, err := a.only(args, "")
	if err != nil {
		if len(args) > 0 && strings.HasSuffix(args[0], ".kg") {
			err = &failure{text: "--deep cannot compare a graph file", hint: "the compiler needs the files: name their folder"}
		}
		return nil, "", err
	}
	if len(args) > 0 {
		return s, args[0], nil
	}
	return s, s.owns.used.Root(), nil
}

// complete reports whether the compiler could say something, and otherwise what
// to do about it. A module among others may be missing.
func (a *app) complete(answer *gooracle.Answer, err error) error {
	var missing, broken []string
	for _, m := range answer.Modules {
		if m.Err == nil && len(m.Missing) == 0 {
			return err
		}
		if m.Err != nil {
			broken = append(broken, m.Err.Error())
		} else {
			missing = append(missing, m.Missing...)
		}
	}
	what := strings.Join(append(missing, broken...), "; ")
	f := &failure{text: "the compiler cannot read the code: " + firstLine(what), hint: "download the dependencies with `go mod download` and try again"}
	if strings.Contains(what, "GOTOOLCHAIN=local") {
		f.hint = "install the version of Go that go.mod asks for; kg downloads no toolchain"
	} else if len(missing) == 0 && !strings.Contains(what, "GOPROXY=off") && !strings.Contains(what, "go.sum") {
		f.hint = "`go list ./...` must succeed in the folder of go.mod"
	}
	return f
}

// firstLine is the beginning of what a program said, for a message.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + " …"
	}
	return s
}

// exported is a graph in the form that is compared.
func exported(g *graph.Graph) (*record.Graph, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(artifact.JSONL(w, g)) }()
	defer r.Close()
	return record.ReadGraph(r)
}

func compared(answer *gooracle.Answer, s *scoring.Score) *secondOpinion {
	c := &secondOpinion{
		Schema: validateSchema, Mode: "deep", Compiler: s.Tool, Files: s.Files, Judged: s.Judged, Places: s.Sites, Open: s.Open,
		Modules: []moduleState{}, Kinds: []kindComparison{}, Differences: []difference{},
	}
	for _, m := range answer.Modules {
		state := moduleState{Dir: m.Dir, Packages: m.Packages, Missing: m.Missing}
		if m.Err != nil {
			state.Error = m.Err.Error()
		}
		c.Modules = append(c.Modules, state)
	}
	for _, k := range s.Kinds {
		row := kindComparison{
			Kind: k.Kind, Agreed: k.Pairs.Right, OnlyKG: k.Pairs.Wrong, OnlyCompiler: k.Pairs.Truth - k.Pairs.Found,
			Precision: 1, Recall: 1,
		}
		if k.Pairs.Right+k.Pairs.Wrong > 0 {
			row.Precision = k.Pairs.Precision
		}
		if k.Pairs.Truth > 0 {
			row.Recall = k.Pairs.Recall
		}
		c.Kinds = append(c.Kinds, row)
		c.differ(k.Kind, onlyKG, k.Wrong)
		c.differ(k.Kind, onlyCompiler, k.Missed)
	}
	return c
}

func (c *secondOpinion) differ(kind, who string, list []scoring.Example) {
	for _, e := range list {
		c.Differences = append(c.Differences, difference{kind, who, e.File, e.Line, e.Col, e.From, e.To, e.Reason, e.Source})
	}
}

// differencesShown bounds the differences of one kind in the text.
const differencesShown = 20

func (c *secondOpinion) text(w io.Writer) error {
	t := &table{w: w}
	t.row("graph of", report.Escape(c.name))
	t.row("compiler", c.Compiler)
	t.row("judged", fmt.Sprintf("%s of %s, %s, %s of them open", thousands(c.Judged), plural(c.Files, "file"), plural(c.Places, "place"), thousands(c.Open)))
	t.line("\n%-16s %10s %10s %14s %10s %10s\n", "relations", "agreed", "only kg", "only compiler", "precision", "recall")
	for _, k := range c.Kinds {
		t.line("%-16s %10s %10s %14s %10s %10s\n", k.Kind, thousands(k.Agreed), thousands(k.OnlyKG), thousands(k.OnlyCompiler), exactly(k.Precision), exactly(k.Recall))
	}
	kind, shown, hidden := "", 0, 0
	for _, d := range c.Differences {
		if d.Kind != kind {
			kind, shown = d.Kind, 0
			t.line("\n%s\n", kind)
		}
		if shown++; shown > differencesShown {
			hidden++
			continue
		}
		t.line("  %s:%d:%d: only %s: %s -> %s (%s)\n", report.Escape(d.File), d.Line, d.Col, d.Who, report.Escape(d.From), report.Escape(d.To), report.Escape(d.Reason))
		if d.Source != "" {
			t.line("      %s\n", report.Escape(d.Source))
		}
	}
	if hidden > 0 {
		t.line("\n%s not shown; -o json=PATH has all\n", plural(hidden, "more difference"))
	}
	return t.err
}

// exactly shows a share; only 1 itself is shown as 1.
func exactly(x float64) string {
	s := fmt.Sprintf("%.4f", x)
	if s == "1.0000" && x < 1 {
		return "0.9999"
	}
	return s
}
