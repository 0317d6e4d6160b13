// Package runner runs the steps of a composite GitHub Action as a runner does,
// with the files that a runner gives them, so that an action can be tried without
// GitHub. Steps that use other actions are handed to the caller.
//
// It knows of expressions what our action needs: values of inputs, steps, github
// and runner, strings, ==, !=, &&, || and always().
package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// Action is what action.yml says.
type Action struct {
	Name    string
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []Step
	}
}

// Step is one step of an action.
type Step struct {
	ID, Name, If, Shell, Run, Uses string
	Dir                            string `yaml:"working-directory"`
	Env, With                      map[string]string
	ContinueOnError                bool `yaml:"continue-on-error"`
}

// Load reads an action.
func Load(path string) (*Action, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a := &Action{}
	return a, yaml.Unmarshal(text, a)
}

// Run is one run of an action.
type Run struct {
	Action    *Action
	Path      string // the action's folder
	Workspace string
	Temp      string
	Inputs    map[string]string
	Token     string
	Env       []string // of all steps
	// Uses does what another action would. with has no expressions any more.
	Uses func(step *Step, with map[string]string) error
}

// Result is what a run did.
type Result struct {
	Code    int // of the first step that failed
	Failed  string
	Log     string
	Summary string
	Outputs map[string]string
	Ran     []string // names of steps
	// Took says how long a step took.
	Took map[string]time.Duration
	// Envs are the environments that the steps got beside those of the run, by
	// name.
	Envs map[string]map[string]string
}

// state is what expressions can see.
type state struct {
	*Run
	steps  map[string]map[string]string
	failed bool
}

// Do runs the steps, one after the other.
func (r *Run) Do(ctx context.Context) (*Result, error) {
	s := &state{Run: r, steps: map[string]map[string]string{}}
	res := &Result{Outputs: map[string]string{}, Took: map[string]time.Duration{}, Envs: map[string]map[string]string{}}
	var log bytes.Buffer
	summary := filepath.Join(r.Temp, "summary.md")
	os.Remove(summary)
	for i := range r.Action.Runs.Steps {
		step := &r.Action.Runs.Steps[i]
		ok, err := s.wanted(step.If)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.Name, err)
		}
		if !ok {
			continue
		}
		res.Ran = append(res.Ran, step.Name)
		env, err := s.expandAll(step.Env)
		if err != nil {
			return nil, err
		}
		res.Envs[step.Name] = env
		code, begin := 0, time.Now()
		if step.Uses != "" {
			with, err := s.expandAll(step.With)
			if err != nil {
				return nil, err
			}
			if err := r.Uses(step, with); err != nil {
				fmt.Fprintf(&log, "%s: %v\n", step.Uses, err)
				code = 1
			}
		} else if code, err = s.shell(ctx, step, env, summary, &log); err != nil {
			return nil, err
		}
		res.Took[step.Name] = time.Since(begin)
		if code != 0 && !step.ContinueOnError {
			s.failed = true
			if res.Code == 0 {
				res.Code, res.Failed = code, step.Name
			}
		}
	}
	for name, o := range r.Action.Outputs {
		var err error
		if res.Outputs[name], err = s.expand(o.Value); err != nil {
			return nil, err
		}
	}
	text, _ := os.ReadFile(summary)
	res.Summary, res.Log = string(text), log.String()
	return res, nil
}

func (s *state) shell(ctx context.Context, step *Step, env map[string]string, summary string, log *bytes.Buffer) (int, error) {
	if step.Shell != "bash" {
		return 0, fmt.Errorf("%s: the shell %q is not known", step.Name, step.Shell)
	}
	if strings.Contains(step.Run, "${{") {
		return 0, fmt.Errorf("%s: an expression in a script", step.Name)
	}
	dir, err := s.expand(step.Dir)
	if err != nil {
		return 0, err
	}
	output := filepath.Join(s.Temp, "output-"+fmt.Sprint(len(s.steps)))
	if err := os.WriteFile(output, nil, 0o666); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
	cmd.Dir = filepath.Join(s.Workspace, dir)
	cmd.Env = append(append([]string{}, s.Env...), "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary, "RUNNER_TEMP="+s.Temp, "GITHUB_WORKSPACE="+s.Workspace)
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	fmt.Fprintf(log, "## %s\n", step.Name)
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	text, err := os.ReadFile(output)
	if err != nil {
		return 0, err
	}
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "="); ok {
			values[k] = v
		}
	}
	if step.ID != "" {
		s.steps[step.ID] = values
	}
	if exit != nil {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, nil
}

func (s *state) wanted(cond string) (bool, error) {
	if cond == "" {
		return !s.failed, nil
	}
	if !strings.Contains(cond, "always()") && s.failed {
		return false, nil
	}
	p := &expression{s: s, rest: tokens.FindAllString(cond, -1)}
	v, err := p.or()
	if err == nil && len(p.rest) > 0 {
		err = fmt.Errorf("%q: something follows: %q", cond, p.rest)
	}
	return v != "" && v != "false", err
}

var (
	tokens  = regexp.MustCompile(`'[^']*'|==|!=|&&|\|\||[()]|[\w.-]+`)
	inlines = regexp.MustCompile(`\$\{\{\s*([^}]*?)\s*\}\}`)
)

func (s *state) expandAll(m map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for k, v := range m {
		var err error
		if out[k], err = s.expand(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *state) expand(text string) (string, error) {
	var failed error
	out := inlines.ReplaceAllStringFunc(text, func(x string) string {
		p := &expression{s: s, rest: tokens.FindAllString(inlines.FindStringSubmatch(x)[1], -1)}
		v, err := p.or()
		if err != nil {
			failed = err
		}
		return v
	})
	return out, failed
}

// expression is evaluated from left to right; true is "true", false is empty.
type expression struct {
	s    *state
	rest []string
}

func (p *expression) next() string {
	if len(p.rest) == 0 {
		return ""
	}
	t := p.rest[0]
	p.rest = p.rest[1:]
	return t
}

func (p *expression) peek() string {
	if len(p.rest) == 0 {
		return ""
	}
	return p.rest[0]
}

func truth(b bool) string {
	if b {
		return "true"
	}
	return ""
}

func (p *expression) or() (string, error) {
	v, err := p.and()
	for err == nil && p.peek() == "||" {
		p.next()
		var w string
		w, err = p.and()
		v = truth(v != "" || w != "")
	}
	return v, err
}

func (p *expression) and() (string, error) {
	v, err := p.compare()
	for err == nil && p.peek() == "&&" {
		p.next()
		var w string
		w, err = p.compare()
		v = truth(v != "" && w != "")
	}
	return v, err
}

func (p *expression) compare() (string, error) {
	v, err := p.value()
	if op := p.peek(); err == nil && (op == "==" || op == "!=") {
		p.next()
		var w string
		w, err = p.value()
		v = truth((v == w) == (op == "=="))
	}
	return v, err
}

func (p *expression) value() (string, error) {
	t := p.next()
	if text, ok := strings.CutPrefix(t, "'"); ok {
		return strings.TrimSuffix(text, "'"), nil
	}
	parts := strings.Split(t, ".")
	switch {
	case t == "(":
		v, err := p.or()
		if p.next() != ")" {
			err = errors.New("a bracket is not closed")
		}
		return v, err
	case t == "always":
		p.next()
		p.next()
		return "true", nil
	case parts[0] == "inputs" && len(parts) == 2:
		in, ok := p.s.Action.Inputs[parts[1]]
		if !ok {
			return "", fmt.Errorf("there is no input %s", parts[1])
		}
		if v, ok := p.s.Inputs[parts[1]]; ok {
			return v, nil
		}
		return p.s.expand(in.Default)
	case parts[0] == "steps" && len(parts) == 4 && parts[2] == "outputs":
		return p.s.steps[parts[1]][parts[3]], nil
	case t == "github.token":
		return p.s.Token, nil
	case t == "github.action_path":
		return p.s.Path, nil
	case t == "github.workspace":
		return p.s.Workspace, nil
	case t == "runner.temp":
		return p.s.Temp, nil
	}
	return "", fmt.Errorf("%q is not known", t)
}
