package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Policy says which findings matter. The zero Policy has every rule at its
// default level, no waivers and no gate.
type Policy struct {
	Rules   map[string]Setting // by rule
	Waivers []Waiver
	// FailOn names what the gate stops: levels, which stand for themselves and
	// everything above, and rules.
	FailOn []string
	// Today decides whether waivers have expired, as 2006-01-02.
	Today string
}

// Setting is what a policy says of one rule.
type Setting struct {
	Level   Level // if Set
	Set     bool
	Include []string // patterns of paths, as in .gitignore's "**"; none: all
	Exclude []string
}

// Waiver silences findings that match all of what it names.
type Waiver struct {
	Rule        string
	Symbol      string // a pattern of keys
	Path        string // a pattern of paths
	Fingerprint string
	Reason      string
	Until       string // the last day, as 2006-01-02; empty: for good
	Inline      bool   // a comment beside the declaration
}

// Check tells what is wrong with a policy.
func (p *Policy) Check() []error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	var ids []string
	for id := range p.Rules {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if Named(id) == nil {
			bad("rules: there is no rule %q", id)
		}
		for _, pattern := range slices.Concat(p.Rules[id].Include, p.Rules[id].Exclude) {
			if !doublestar.ValidatePattern(pattern) {
				bad("rules: %s: %q is no pattern of paths", id, pattern)
			}
		}
	}
	for i := range p.Waivers {
		w := &p.Waivers[i]
		switch {
		case Named(w.Rule) == nil:
			bad("waivers[%d]: there is no rule %q", i, w.Rule)
		case strings.TrimSpace(w.Reason) == "":
			bad("waivers[%d]: the reason is missing", i)
		case w.Symbol == "" && w.Path == "" && w.Fingerprint == "":
			bad("waivers[%d]: name a symbol, a path or a fingerprint; to switch a rule off, set its level", i)
		case !doublestar.ValidatePattern(w.Symbol) || !doublestar.ValidatePattern(w.Path):
			bad("waivers[%d]: the pattern is malformed", i)
		}
	}
	for _, name := range p.FailOn {
		if err := CheckGate(name); err != nil {
			errs = append(errs, fmt.Errorf("fail-on: %w", err))
		}
	}
	return errs
}

// CheckGate reports whether a gate can have the given name.
func CheckGate(name string) error {
	if l, ok := ParseLevel(name); ok && l != Off || Named(name) != nil {
		return nil
	}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	return fmt.Errorf("%q is neither a level (%s) nor a rule (%s)", name, strings.Join(levelNames[1:], ", "), strings.Join(ids, ", "))
}

func (p *Policy) level(r *Rule) Level {
	if s := p.Rules[r.ID]; s.Set {
		return s.Level
	}
	return r.Level
}

// inScope reports whether the policy asks the rule about the finding's place.
func (p *Policy) inScope(f *Finding) bool {
	s := p.Rules[f.Rule.ID]
	return (len(s.Include) == 0 || matchesAny(s.Include, f.File)) && !matchesAny(s.Exclude, f.File)
}

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return doublestar.MatchUnvalidated(p, path) })
}

func (w *Waiver) matches(f *Finding) bool {
	return w.Rule == f.Rule.ID && (w.Fingerprint == "" || w.Fingerprint == f.Fingerprint) &&
		(w.Path == "" || doublestar.MatchUnvalidated(w.Path, f.File)) &&
		(w.Symbol == "" || f.Symbol != nil && doublestar.MatchUnvalidated(w.Symbol, f.Symbol.Key))
}

// waive marks the findings that a waiver silences, and tells of waivers that do
// not count.
func (c *check) waive(fs []Finding) (notes []string) {
	expired := map[int]bool{}
	for i := range fs {
		f := &fs[i]
		for k := range c.policy.Waivers {
			w := &c.policy.Waivers[k]
			if !w.matches(f) {
				continue
			}
			if w.Until != "" && c.policy.Today > w.Until {
				if !expired[k] {
					notes = append(notes, fmt.Sprintf("the waiver of %s for %s expired on %s", w.Rule, cmp.Or(w.Symbol, w.Path, w.Fingerprint), w.Until))
				}
				expired[k] = true
				continue
			}
			f.Waiver = w
			break
		}
		if f.Waiver == nil {
			f.Waiver = c.inline(f)
		}
	}
	return notes
}

// gate counts the open findings that the gate names.
func (p *Policy) gate(fs []Finding) Gate {
	g := Gate{FailOn: p.FailOn}
	for i := range fs {
		f := &fs[i]
		if f.Waiver != nil || len(p.FailOn) == 0 {
			continue
		}
		if f.Rule.ID == "analysis-lost" {
			g.Lost = true
		}
		if slices.ContainsFunc(p.FailOn, func(name string) bool {
			l, ok := ParseLevel(name)
			return ok && f.Level >= l || name == f.Rule.ID
		}) {
			f.Stops = true
			g.Hits++
		}
	}
	return g
}
