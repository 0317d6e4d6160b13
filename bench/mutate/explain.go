package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/codekg/kg/bench/record"
)

// uses answers, from the output of the oracle, who a change should break.
type uses struct {
	defs map[string]*record.Def
	// callers call or name a function.
	callers map[string][]string
	// toIface and ofType are the conversions by interface and by concrete type.
	toIface, ofType map[string][]*record.Site
	// wider are the interfaces that have all methods of an interface, holders the
	// types that embed a type, ifaceMethods the methods that a method implements.
	wider, holders, ifaceMethods map[string][]string
	// partly are the interfaces that embed one outside of the repository: which
	// methods these ask for is not known.
	partly map[string]bool
}

func readUses(name string) (*uses, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o, err := record.ReadOracle(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	u := &uses{
		defs: map[string]*record.Def{}, callers: map[string][]string{},
		toIface: map[string][]*record.Site{}, ofType: map[string][]*record.Site{},
		wider: map[string][]string{}, holders: map[string][]string{}, ifaceMethods: map[string][]string{},
	}
	var partly []string
	for _, d := range o.Defs {
		u.defs[d.ID] = d
	}
	for _, s := range o.Sites {
		switch s.Kind {
		case record.Calls, record.References:
			if !s.Dynamic {
				u.callers[s.To] = append(u.callers[s.To], s.From)
			}
		case record.Converts:
			if s.To != "" {
				u.toIface[s.To] = append(u.toIface[s.To], s)
			}
			u.ofType[s.Type] = append(u.ofType[s.Type], s)
		case record.Implements:
			if d := u.defs[s.From]; d != nil && d.Kind == "interface" {
				u.wider[s.To] = append(u.wider[s.To], s.From)
			}
		case record.Embeds:
			if d := u.defs[s.From]; s.To == "" && d != nil && d.Kind == "interface" {
				partly = append(partly, s.From)
			}
			u.holders[s.To] = append(u.holders[s.To], s.From)
		case record.Overrides:
			u.ifaceMethods[s.From] = append(u.ifaceMethods[s.From], s.To)
		}
	}
	u.partly = closure(u.wider, partly...)
	return u, nil
}

// closure returns ids and all that next leads to.
func closure(next map[string][]string, ids ...string) map[string]bool {
	seen := map[string]bool{}
	for len(ids) > 0 {
		id := ids[0]
		ids = ids[1:]
		if id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, next[id]...)
		}
	}
	return seen
}

// The steps of an explanation: each finds what the ones before did not.
var steps = []string{"calls and references", "conversions to interfaces of the repository", "conversions to external interfaces and those that embed one"}

// explain returns, for each declaration that a change should break, the first
// step that finds it.
func (u *uses) explain(m *Mutation) map[string]int {
	found := map[string]int{}
	add := func(step int, ids ...string) {
		for _, id := range ids {
			if old, ok := found[id]; !ok || step < old {
				found[id] = step
			}
		}
	}
	convert := func(step int, sites []*record.Site) {
		for _, s := range sites {
			add(step, s.From)
			add(step, s.FromOr...)
		}
	}
	id := m.Symbol.ID
	if m.Change == addParameter {
		add(0, u.callers[id]...)
	}
	d := u.defs[id]
	if d == nil {
		return found
	}
	iface := id
	if m.Change == addParameter {
		iface = d.Parent
	}
	if p := u.defs[iface]; p == nil {
		return found
	} else if p.Kind == "interface" {
		u.explainInterface(iface, convert)
		return found
	}
	// A method of a concrete type: the type's conversions, and those of the types
	// that have the method by embedding it, to the interfaces that ask for it.
	types := closure(u.holders, d.Parent)
	asked := map[string]bool{}
	for _, im := range u.ifaceMethods[id] {
		if md := u.defs[im]; md != nil {
			for i := range closure(u.wider, md.Parent) {
				asked[i] = true
			}
		}
	}
	for t := range types {
		for _, s := range u.ofType[t] {
			if asked[s.To] {
				convert(1, []*record.Site{s})
			} else if s.To == "" || u.partly[s.To] {
				convert(2, []*record.Site{s})
			}
		}
	}
	return found
}

// explainInterface finds what turns a value into an interface that changed, or
// into one that has all its methods. Types that have these methods by embedding
// such an interface change with it.
func (u *uses) explainInterface(iface string, convert func(int, []*record.Site)) {
	wider := closure(u.wider, iface)
	var held []string
	for i := range wider {
		held = append(held, i)
	}
	follows := closure(u.holders, held...)
	for i := range wider {
		for _, s := range u.toIface[i] {
			if !follows[s.Type] {
				convert(1, []*record.Site{s})
			}
		}
	}
}

// coverage counts how many broken declarations each step explains.
type coverage struct {
	broken         int   // declarations
	by             []int // by step
	unexplained    []string
	predicted, hit int // declarations that convert to an interface that grew
}

func (c *coverage) add(u *uses, m *Mutation) {
	if c.by == nil {
		c.by = make([]int, len(steps))
	}
	found := u.explain(m)
	actual := map[string]bool{}
	for _, b := range m.Broken {
		c.broken++
		actual[b.Symbol.ID] = true
		if step, ok := found[b.Symbol.ID]; ok {
			c.by[step]++
		} else {
			s := b.Sites[0]
			c.unexplained = append(c.unexplained, fmt.Sprintf("%s %s: %s:%d:%d: %s", m.Change, m.Symbol.QName, s.File, s.Line, s.Col, strings.Join(strings.Fields(s.Error), " ")))
		}
	}
	if m.Change == addMethod {
		for id := range found {
			c.predicted++
			if actual[id] {
				c.hit++
			}
		}
	}
}

func (c *coverage) write(w io.Writer) {
	sum := 0
	for i, name := range steps {
		sum += c.by[i]
		fmt.Fprintf(w, "%5d of %d broken declarations are found by %s (%.1f %% so far)\n",
			c.by[i], c.broken, name, 100*float64(sum)/float64(max(c.broken, 1)))
	}
	fmt.Fprintf(w, "%5d of %d declarations that convert to a grown interface break\n", c.hit, c.predicted)
	for i, s := range c.unexplained {
		if i == 20 {
			fmt.Fprintf(w, "… %d more\n", len(c.unexplained)-i)
			break
		}
		fmt.Fprintf(w, "not found: %s\n", s)
	}
}
