// Package rules judges what a change does: each [Rule] looks at the impact of a
// change and says what it finds, and a [Policy] says which findings matter.
//
// Words used here:
//
//   - A finding is one thing that a rule found. What it is about, its subject,
//     is a declaration, a file or a set of packages. Its fingerprint is made of
//     the rule and the subject alone, so that it is the same in every run,
//     wherever lines move to.
//   - A waiver silences findings, with a reason. Waivers come from the policy,
//     and from comments beside declarations: "kg:ignore RULE reason". Of those
//     only the ones that the base has count: a change cannot silence itself.
//   - The gate names the findings that a change must not have.
//
// Findings rest on exact and inferred edges. What only a name suggests, and what
// could not be told, is no finding.
//
// The package does no I/O.
package rules

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff/impact"
)

// Level says how much a finding matters.
type Level uint8

// The levels.
const (
	Off Level = iota // the rule does not run
	Note
	Warning
	Error
	levelEnd
)

var levelNames = [levelEnd]string{"off", "note", "warning", "error"}

// String returns the level's name in reports and configurations.
func (l Level) String() string { return levelNames[l] }

// LevelNames returns the names of all levels, for schemas.
func LevelNames() []string { return slices.Clone(levelNames[:]) }

// ParseLevel returns the level that l.String gives as s.
func ParseLevel(s string) (Level, bool) {
	i := slices.Index(levelNames[:], s)
	return Level(max(i, 0)), i >= 0
}

// Rule is one question that is asked about every change.
type Rule struct {
	ID    string // as configurations and comments name it
	Title string // a few words
	Doc   string // what it finds, why that matters, and what to do
	Level Level  // unless the policy says otherwise

	run func(*check)
}

// All returns all rules, by what they weigh.
func All() []Rule { return slices.Clone(all[:]) }

// Named returns the rule with the given id, or nil.
func Named(id string) *Rule {
	for i := range all {
		if all[i].ID == id {
			return &all[i]
		}
	}
	return nil
}

// Place is where something related to a finding is.
type Place struct {
	Symbol *graph.Node
	File   string
	Line   int32
}

// Finding is one thing that a rule found.
type Finding struct {
	Rule    *Rule
	Level   Level
	Message string // a sentence without a full stop
	Subject string // what it is about: a key, a path, or several keys

	Symbol *graph.Node // nil if it is not about a declaration
	File   string      // empty if it has no place
	Line   int32
	InBase bool // the place is in the base: what is there is gone

	Related []Place // in the head, ranked, at most maxRelated
	Total   int     // of related places, before the list was cut

	Fingerprint string
	Waiver      *Waiver // what silences it, or nil
	Stops       bool    // the gate names it, and nothing silences it
}

// maxRelated cuts lists of related places: more than a reader follows, and as
// many as the formats for other programs keep.
const maxRelated = 100

// Input is what rules look at.
type Input struct {
	Impact *impact.Result
	// New are uses on the tip of the base branch that the change does not know.
	New []impact.NewUse
	// Paths are the changed paths of the trees, and Comments reads comments; see
	// [Lines]. Without them, what silences findings is not looked for.
	Paths []string
	Lines Lines
	// Configuration are the paths, among Paths, of files that configure kg.
	Configuration func(path string) bool
}

// Lines returns the lines from first to last of a file, of the head or of the
// base; nil if there are none.
type Lines func(head bool, file string, first, last int32) []string

// check is one run of the rules.
type check struct {
	*Input
	policy *Policy
	rule   *Rule
	out    []Finding
}

// Result is what the rules say of a change.
type Result struct {
	Findings []Finding // open ones first, by level, then by rule and subject
	Gate     Gate
	Notes    []string // about waivers, for people
}

// Gate says whether a change may pass.
type Gate struct {
	FailOn []string // as the policy names it; nil: there is no gate
	Hits   int      // open findings that the gate names
	Lost   bool     // there is a gate, and the analysis lost files: it cannot be told
}

// Run asks all rules that the policy has not switched off.
func Run(in *Input, p *Policy) *Result {
	c := &check{Input: in, policy: p}
	for i := range all {
		c.rule = &all[i]
		if p.level(c.rule) != Off {
			c.rule.run(c)
		}
	}
	r := &Result{Findings: c.out}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Level = p.level(f.Rule)
		f.Fingerprint = fingerprint(f.Rule.ID, f.Subject)
		f.Total = max(f.Total, len(f.Related))
		f.Related = f.Related[:min(len(f.Related), maxRelated)]
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return !p.inScope(&f) })
	r.Notes = c.waive(r.Findings)
	slices.SortFunc(r.Findings, func(x, y Finding) int {
		return cmp.Or(open(y)-open(x), cmp.Compare(y.Level, x.Level), cmp.Compare(order(x.Rule), order(y.Rule)), cmp.Compare(x.Subject, y.Subject))
	})
	r.Gate = p.gate(r.Findings)
	return r
}

func open(f Finding) int {
	if f.Waiver == nil {
		return 1
	}
	return 0
}

func order(r *Rule) int { return slices.IndexFunc(all[:], func(x Rule) bool { return x.ID == r.ID }) }

// fingerprint names a finding in every run.
func fingerprint(rule, subject string) string {
	sum := sha256.Sum256([]byte(rule + "\x00" + subject))
	return hex.EncodeToString(sum[:16])
}

// found adds a finding of the rule at hand.
func (c *check) found(f Finding) {
	f.Rule = c.rule
	c.out = append(c.out, f)
}

// at makes a finding about a declaration.
func at(n *graph.Node, inBase bool, message string, args ...any) Finding {
	return Finding{Symbol: n, Subject: n.Key, File: n.File, Line: n.Line, InBase: inBase, Message: fmt.Sprintf(message, args...)}
}

// said is how people know a declaration.
func said(n *graph.Node) string { return cmp.Or(n.QName, n.Name, n.Key) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// list names the first of several things.
func list(names []string, show int) string {
	s := strings.Join(names[:min(show, len(names))], ", ")
	if n := len(names) - show; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
