package scoring

import (
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"strings"

	"github.com/codekg/kg/bench/record"
)

// Count is a precision and a recall with what they were counted from. Right and
// Wrong count our pairs, Found and Truth the oracle's.
type Count struct {
	Right     int     `json:"right"`
	Wrong     int     `json:"wrong"`
	Precision float64 `json:"precision"`
	Found     int     `json:"found"`
	Truth     int     `json:"truth"`
	Recall    float64 `json:"recall"`
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func (c *Count) finish() {
	c.Precision, c.Recall = ratio(c.Right, c.Right+c.Wrong), ratio(c.Found, c.Truth)
}

// Split counts right and wrong.
type Split struct {
	Right int `json:"right"`
	Wrong int `json:"wrong"`
}

func (s *Split) add(v verdict) {
	switch v {
	case right:
		s.Right++
	case wrong:
		s.Wrong++
	}
}

// Group counts mistakes with the same coarse reason.
type Group struct {
	Reason string `json:"reason"`
	N      int    `json:"n"`
}

// Example is one mistake.
type Example struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Col    int    `json:"col,omitempty"`
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
	Source string `json:"source,omitempty"`
}

// KindScore is the result for one kind of edge.
type KindScore struct {
	Kind      string            `json:"kind"`
	Pairs     Count             `json:"pairs"`
	Sites     *Count            `json:"sites,omitempty"`
	Tags      map[string]Count  `json:"tags"`
	Certainty map[string]*Split `json:"certainty"`
	Dispatch  int               `json:"dispatch"`
	Optional  int               `json:"optional"`
	Ambiguous Split             `json:"ambiguous"`
	Unjudged  map[string]int    `json:"unjudged"` // sites of ours, by reason
	Types     *Split            `json:"types,omitempty"`
	WrongBy   []Group           `json:"wrong_by"`
	MissedBy  []Group           `json:"missed_by"`
	Wrong     []Example         `json:"wrong_examples,omitempty"`
	Missed    []Example         `json:"missed_examples,omitempty"`
}

// DefScore compares the definitions of one kind.
type DefScore struct {
	Kind  string `json:"kind"` // as the oracle says
	Found int    `json:"found"`
	Truth int    `json:"truth"`
	// Extra are nodes of ours, of this kind, that the oracle does not know.
	Extra int `json:"extra"`
}

// Score is the whole result.
type Score struct {
	Schema string      `json:"schema"` // "kg.score/v1"
	Lang   string      `json:"lang"`
	Tool   string      `json:"tool"`
	Notes  []string    `json:"notes,omitempty"`
	Files  int         `json:"files"`
	Judged int         `json:"judged"`
	Sites  int         `json:"sites"` // of the oracle, all kinds
	Open   int         `json:"open"`
	Defs   []DefScore  `json:"definitions"`
	Kinds  []KindScore `json:"kinds"`
}

func (ix *index) score(opt Options) *Score {
	m := ix.oracle.Meta
	s := &Score{
		Schema: "kg.score/v1", Lang: m.Lang, Tool: m.Tool, Notes: m.Notes,
		Files: len(ix.oracle.Files), Sites: len(ix.oracle.Sites), Open: ix.oracle.End.Open,
	}
	for _, f := range ix.oracle.Files {
		if f.Judged {
			s.Judged++
		}
	}
	kinds := opt.Kinds
	if len(kinds) == 0 {
		kinds = ix.oracleKinds()
	}
	s.Defs = ix.definitions()
	for _, k := range kinds {
		s.Kinds = append(s.Kinds, ix.kindScore(ix.judge(record.Kind(k), opt), opt))
	}
	return s
}

// oracleKinds lists the kinds that the oracle has sites of, or says it is closed
// over.
func (ix *index) oracleKinds() []string {
	kinds := slices.Concat(ix.oracle.Meta.Closed, ix.oracle.Meta.Relations)
	for _, s := range ix.oracle.Sites {
		if s.Kind != record.Unresolved && !slices.Contains(kinds, s.Kind) {
			kinds = append(kinds, s.Kind)
		}
	}
	return kinds
}

func (ix *index) kindScore(j *judgement, opt Options) KindScore {
	k := KindScore{Kind: j.kind, Tags: map[string]Count{}, Certainty: j.certainty, Unjudged: j.unjudged}
	tags := map[string]*Count{}
	count := func(names map[string]bool, f func(*Count)) {
		f(&k.Pairs)
		for name, on := range names {
			if on {
				if tags[name] == nil {
					tags[name] = &Count{}
				}
				f(tags[name])
			}
		}
	}
	wrongBy, missedBy := map[string]int{}, map[string]int{}
	var wrongs, misses []Example
	for _, c := range j.claims {
		switch c.verdict {
		case right:
			count(c.tags, func(n *Count) { n.Right++ })
		case wrong:
			count(c.tags, func(n *Count) { n.Wrong++ })
			reason := join(c.reason, c.shape)
			wrongBy[reason]++
			e := c.edges[0]
			wrongs = append(wrongs, Example{e.File, e.Line, e.Col, ix.label(c.pair.from), ix.label(c.pair.to), reason, ""})
		case optional:
			k.Optional++
		case dispatch:
			k.Dispatch++
		}
	}
	for _, c := range j.weak {
		k.Ambiguous.add(c.verdict)
	}
	for _, t := range j.truths {
		if !t.need {
			continue
		}
		count(t.tags, func(n *Count) {
			n.Truth++
			if t.found {
				n.Found++
			}
		})
		if !t.found {
			site := needed(t)
			reason := join(ix.whyMissed(j.kind, t, site), site.Shape)
			missedBy[reason]++
			misses = append(misses, Example{site.File, site.Line, site.Col, ix.label(t.pair.from), ix.label(t.pair.to), reason, ""})
		}
	}
	k.Pairs.finish()
	for name, n := range tags {
		n.finish()
		k.Tags[name] = *n
	}
	if !ix.related[j.kind] {
		j.sites.finish()
		k.Sites = &j.sites
	}
	if j.kind == record.Converts {
		k.Types = &j.types
	}
	k.WrongBy, k.MissedBy = groups(wrongBy), groups(missedBy)
	k.Wrong, k.Missed = sample(wrongs, opt.Examples, opt.Source), sample(misses, opt.Examples, opt.Source)
	return k
}

// needed is the first site of a truth that is not optional.
func needed(t *truth) *record.Site {
	for _, s := range t.sites {
		if !s.Optional {
			return s
		}
	}
	return t.sites[0]
}

// whyMissed says what our side has where the oracle has a pair that we lack.
func (ix *index) whyMissed(kind string, t *truth, s *record.Site) string {
	switch {
	case t.weak:
		return "ambiguous"
	case !ix.hasNode(t.pair.from):
		return "no node for the origin"
	case !ix.hasNode(t.pair.to):
		return "no node for the target"
	case ix.related[kind]:
		return "no edge"
	}
	edges := ix.edges[place{s.File, s.Line, s.Col}]
	other := ""
	for _, e := range edges {
		switch {
		case e.Kind != kind:
			other = "ours is " + e.Kind
		case record.External(e.To):
			return "ours is external"
		case e.Certainty == "ambiguous":
			return "ambiguous, to others"
		case ix.matched[e.To] != nil && ix.overrides(ix.matched[e.To].ID, t.pair.to):
			return "ours is an override"
		default:
			return "ours is another target or origin"
		}
	}
	if other != "" {
		return other
	}
	return "nothing at the site"
}

func (ix *index) hasNode(def string) bool {
	if ix.reached == nil {
		ix.reached = map[string]bool{}
		for _, d := range ix.matched {
			ix.reached[d.ID] = true
		}
	}
	return ix.reached[def]
}

func join(reason, shape string) string {
	if shape == "" {
		return reason
	}
	return reason + " · " + shape
}

// label names a definition for a reader.
func (ix *index) label(id string) string {
	if n := ix.nodes[strings.TrimPrefix(id, "?")]; n != nil && strings.HasPrefix(id, "?") {
		return n.ID
	}
	d := ix.defs[id]
	if d == nil {
		return id
	}
	if d.QName != "" {
		return d.QName
	}
	return d.Name
}

func groups(m map[string]int) []Group {
	list := make([]Group, 0, len(m))
	for r, n := range m {
		list = append(list, Group{r, n})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].N != list[j].N {
			return list[i].N > list[j].N
		}
		return list[i].Reason < list[j].Reason
	})
	return list
}

// sample takes n examples that look random and are the same on every run, or
// all if n is negative.
func sample(list []Example, n int, source func(string, int) string) []Example {
	hash := func(e Example) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%s:%d:%d %s %s", e.File, e.Line, e.Col, e.From, e.To)
		return h.Sum64()
	}
	sort.Slice(list, func(i, j int) bool { return hash(list[i]) < hash(list[j]) })
	if n >= 0 {
		list = list[:min(n, len(list))]
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
	for i := range list {
		list[i].Source = source(list[i].File, list[i].Line)
	}
	return list
}

// definitions compares the definitions of the judged files.
func (ix *index) definitions() []DefScore {
	by := map[string]*DefScore{}
	get := func(kind string) *DefScore {
		kind = record.Kind(kind)
		if by[kind] == nil {
			by[kind] = &DefScore{Kind: kind}
		}
		return by[kind]
	}
	for _, d := range ix.oracle.Defs {
		if d.Minor || d.Kind == "package" || ix.files[d.File] == nil || !ix.files[d.File].Judged {
			continue
		}
		s := get(d.Kind)
		s.Truth++
		if ix.hasNode(d.ID) {
			s.Found++
		}
	}
	for _, n := range ix.graph.Nodes {
		f := ix.files[n.File]
		if ix.matched[n.ID] == nil && f != nil && f.Judged && n.Line > 0 {
			get(n.Kind).Extra++
		}
	}
	list := make([]DefScore, 0, len(by))
	for _, s := range by {
		list = append(list, *s)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Kind < list[j].Kind })
	return list
}
