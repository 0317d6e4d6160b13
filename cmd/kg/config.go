package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/diff/rules"
	"github.com/codekg/kg/report"
)

// configName is the configuration of a repository, in its top folder.
const configName = ".kg.yaml"

// maxConfig bounds the size of a configuration, in bytes.
const maxConfig = 1 << 20

//go:embed schema/config-v1.json
var configSchema string

// config is a configuration as it is written; see schema/config-v1.json.
type config struct {
	FailOn  []string              `yaml:"fail-on"`
	Rules   map[string]ruleConfig `yaml:"rules"`
	Waivers []waiverConfig        `yaml:"waivers"`
}

type ruleConfig struct {
	Level   *string  `yaml:"level"`
	Include []string `yaml:"include"`
	Exclude []string `yaml:"exclude"`
}

type waiverConfig struct {
	Rule        string `yaml:"rule"`
	Symbol      string `yaml:"symbol"`
	Path        string `yaml:"path"`
	Fingerprint string `yaml:"fingerprint"`
	Reason      string `yaml:"reason"`
	Until       string `yaml:"until"`
}

// parseConfig reads a configuration. name is for errors.
func parseConfig(name string, text []byte) (*rules.Policy, error) {
	var c config
	if len(text) > maxConfig {
		return nil, &failure{text: quote(name) + " is too large for a configuration"}
	}
	if err := yaml.UnmarshalWithOptions(text, &c, yaml.Strict()); err != nil && !errors.Is(err, io.EOF) {
		return nil, &failure{text: "cannot read " + quote(name), err: errors.New(oneLine(yaml.FormatError(err, false, false))), hint: "`kg config schema` says what may stand in it"}
	}
	p := &rules.Policy{Rules: map[string]rules.Setting{}, FailOn: c.FailOn}
	var errs []error
	for id, r := range c.Rules {
		s := rules.Setting{Include: r.Include, Exclude: r.Exclude}
		if r.Level != nil {
			if s.Level, s.Set = rules.ParseLevel(*r.Level); !s.Set {
				errs = append(errs, fmt.Errorf("rules: %s: %q is no level; there are %s", id, *r.Level, strings.Join(rules.LevelNames(), ", ")))
			}
		}
		p.Rules[id] = s
	}
	for i, w := range c.Waivers {
		if w.Until != "" {
			if _, err := time.Parse(time.DateOnly, w.Until); err != nil {
				errs = append(errs, fmt.Errorf("waivers[%d]: %q is no day, as 2006-01-02", i, w.Until))
			}
		}
		p.Waivers = append(p.Waivers, rules.Waiver{Rule: w.Rule, Symbol: w.Symbol, Path: w.Path, Fingerprint: w.Fingerprint, Reason: w.Reason, Until: w.Until})
	}
	if errs = append(errs, p.Check()...); len(errs) > 0 {
		var all []string
		for _, err := range errs {
			all = append(all, err.Error())
		}
		return nil, &failure{text: quote(name) + ": " + strings.Join(all, "; "), hint: "`kg config schema` says what may stand in it"}
	}
	return p, nil
}

// oneLine takes the first line of an error that shows its place in the text.
func oneLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSpace(s)
}

// policyFlags are the flags that say how to judge a change.
type policyFlags struct {
	config string
	failOn []string
}

func (f *policyFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.config, "config", "", "read `FILE` instead of "+configName+"; in CI a file of the base commit")
	fs.StringSliceVar(&f.failOn, "fail-on", nil, "exit with 1 if there are findings of these `LEVELS` or rules; none switches the gate off\n(default: what the configuration says)")
}

func (f *policyFlags) check() error {
	for _, name := range f.failOn {
		if name == "none" && len(f.failOn) == 1 {
			continue
		}
		if err := rules.CheckGate(name); err != nil {
			return usage("--fail-on: " + err.Error())
		}
	}
	return nil
}

// policy returns what a change is judged by. In CI the configuration is that of
// the base: a change must not decide how it is judged. Elsewhere it is the one
// on disk, so that its author can try it.
func (a *app) policy(f *policyFlags, c *comparison) (*rules.Policy, report.Configuration, error) {
	name := f.config
	if name == "" {
		name = configName
	}
	from := report.Configuration{}
	var text []byte
	var found bool
	inCI := a.inCI()
	outside, err := c.outside(name)
	switch {
	case err != nil:
		return nil, from, err
	case inCI && !outside:
		name = path.Clean(filepath.ToSlash(name))
		if c.base.tree == nil {
			return nil, from, &failure{text: "the base is a graph file, which has no " + name, hint: "name the base by its commit: in CI the configuration is that of the base"}
		}
		if text, found, err = configIn(c.base.tree, name); err != nil {
			return nil, from, err
		}
		from.Commit = c.base.commit.ID
		for _, x := range c.files {
			from.Edited = from.Edited || x.Path == name || x.OldPath == name
		}
	default:
		disk := name
		if f.config == "" && c.root != "" {
			disk = filepath.Join(c.root, name)
		}
		text, err = readSmall(disk)
		if found = err == nil; err != nil && (f.config != "" || !errors.Is(err, os.ErrNotExist)) {
			return nil, from, &failure{text: "cannot read " + quote(disk), err: plain(err)}
		}
	}
	if !found && f.config != "" {
		return nil, from, &failure{text: fmt.Sprintf("the base %s has no file %s", short(c.base.commit.ID), quote(name)), hint: "in CI the configuration is that of the base"}
	}
	p := &rules.Policy{}
	if found || from.Edited {
		from.File = name
	}
	if found {
		if p, err = parseConfig(name, text); err != nil {
			return nil, from, err
		}
	}
	if len(f.failOn) > 0 {
		if p.FailOn = f.failOn; f.failOn[0] == "none" {
			p.FailOn = nil
		}
	}
	p.Today = time.Now().UTC().Format(time.DateOnly)
	return p, from, nil
}

// inCI reports whether a CI system runs kg for a change.
func (a *app) inCI() bool {
	_, _, ok := findCIChange(a.ciEnvironment())
	return ok || a.getenv("CI") == "true" || a.getenv("GITHUB_ACTIONS") == "true"
}

// gates reports whether the command line asks for a gate.
func (f *policyFlags) gates() bool { return len(f.failOn) > 0 && f.failOn[0] != "none" }

// outside reports whether a file does not belong to the change: it is named by
// an absolute path that does not lead into the work tree.
func (c *comparison) outside(name string) (bool, error) {
	if !filepath.IsAbs(name) {
		return false, nil
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false, &failure{text: "cannot read " + quote(name), err: plain(err)}
	}
	root, err := filepath.EvalSymlinks(c.root)
	if c.root == "" || err != nil {
		return true, nil
	}
	rel, err := filepath.Rel(root, real)
	return err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)), nil
}

// configIn reads a configuration of a tree.
func configIn(t source.Tree, name string) (text []byte, found bool, err error) {
	i, ok := source.Find(t.Entries(), name)
	if !ok {
		return nil, false, nil
	}
	if !t.Entries()[i].Mode.IsFile() {
		return nil, false, &failure{text: quote(name) + " of the base is no regular file"}
	}
	if text, err = t.Read(i, maxConfig); err != nil {
		return nil, false, &failure{text: "cannot read " + quote(name) + " of the base", err: err}
	}
	return text, true, nil
}

// lines reads lines of the files of both trees for the rules.
func (c *comparison) lines() rules.Lines {
	type key struct {
		head bool
		file string
	}
	cache := map[key][]string{}
	return func(head bool, file string, first, last int32) []string {
		k := key{head, file}
		all, ok := cache[k]
		if !ok {
			t := c.base.tree
			if head {
				t = c.head.tree
			}
			if t != nil {
				if i, ok := source.Find(t.Entries(), file); ok {
					if data, err := t.Read(i, -1); err == nil {
						all = strings.Split(string(data), "\n")
					}
				}
			}
			cache[k] = all
		}
		if int(first) > len(all) || first < 1 {
			return nil
		}
		return all[first-1 : min(int(last), len(all))]
	}
}

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check a configuration, or tell what may stand in it",
		Long: `kg impact judges a change by rules. ` + configName + ` in the top folder of a repository
sets their levels, the gate, and waivers:

  fail-on: [error, new-cycle]
  rules:
    public-api: {level: error, exclude: ["internal/**"]}
  waivers:
    - rule: broken-use
      path: "generated/**"
      reason: made again by the build
      until: 2030-01-31

In CI the file of the base commit counts.`,
		Args: arguments(0, 0),
		RunE: runs(func(cmd *cobra.Command, _ []string) error { return cmd.Help() }),
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "verify [FILE]",
		Short:   "Check a configuration",
		Example: "  kg config verify\n  kg config verify other.yaml",
		Args:    arguments(0, 1),
		RunE: runs(func(_ *cobra.Command, args []string) error {
			name := configName
			if len(args) > 0 {
				name = args[0]
			}
			text, err := readSmall(name)
			if err != nil {
				return &failure{text: "cannot read " + quote(name), err: plain(err)}
			}
			if _, err := parseConfig(name, text); err != nil {
				return err
			}
			a.note("%s is a valid configuration", name)
			return nil
		}),
	}, &cobra.Command{
		Use:   "schema",
		Short: "Write the JSON Schema of configurations",
		Args:  arguments(0, 0),
		RunE: runs(func(cmd *cobra.Command, _ []string) error {
			return a.write(cmd.Context(), stdoutPath, func(w io.Writer) error {
				_, err := io.WriteString(w, configSchema)
				return err
			})
		}),
	}, &cobra.Command{
		Use:   "rules",
		Short: "List the rules",
		Args:  arguments(0, 0),
		RunE: runs(func(cmd *cobra.Command, _ []string) error {
			return a.write(cmd.Context(), stdoutPath, writeRules)
		}),
	})
	return cmd
}

func writeRules(w io.Writer) error {
	for i, r := range rules.All() {
		if i > 0 {
			io.WriteString(w, "\n")
		}
		if _, err := fmt.Fprintf(w, "%s (%v)\n  %s.\n  %s\n", r.ID, r.Level, r.Title, r.Doc); err != nil {
			return err
		}
	}
	return nil
}

// judge runs the rules and adds what they say to a report.
func (a *app) judge(ctx context.Context, f *policyFlags, c *comparison, in *rules.Input, rep *report.Report) error {
	p, from, err := a.policy(f, c)
	if err != nil {
		return err
	}
	in.Lines = c.lines()
	name := from.File
	if name == "" {
		name = configName
	}
	for _, x := range c.files {
		in.Paths = append(in.Paths, x.Path)
	}
	in.Configuration = func(path string) bool { return path == name }
	rep.Judge(rules.Run(in, p), from, c.diffLine)
	return ctx.Err()
}

// verdict is the exit code of a gate, as an error.
func verdict(rep *report.Report) error {
	switch g := rep.Gate; {
	case g == nil || len(g.FailOn) == 0:
		return nil
	case g.Lost:
		return &failure{text: "the gate cannot be decided: " + plural(rep.Stats.Files.Lost, "file") + " of the base could not be analysed any more",
			hint: "the findings of analysis-lost name them; a waiver in the base's " + configName + " lets them pass"}
	case g.Hits > 0:
		return errGate
	}
	return nil
}
