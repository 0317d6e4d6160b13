package scoring

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/codekg/kg/bench/record"
)

// shop is the oracle's output for the repository of bench/testdata/shop.txtar.
const shop = "../testdata/shop.oracle.jsonl"

func scoreOf(t *testing.T, o *record.Oracle, g *record.Graph) map[string]KindScore {
	t.Helper()
	byKind := map[string]KindScore{}
	for _, k := range Compare(o, g, Options{Examples: 100}).Kinds {
		byKind[k.Kind] = k
	}
	return byKind
}

func readShop(t *testing.T) *record.Oracle {
	t.Helper()
	o, err := readFile(shop, record.ReadOracle)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func readFile[T any](name string, read func(io.Reader) (T, error)) (T, error) {
	f, err := os.Open(name)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(f)
}

// reread writes a graph in the export form and reads it back.
func reread(t *testing.T, g *record.Graph) *record.Graph {
	t.Helper()
	var buf bytes.Buffer
	if err := g.Write(&buf); err != nil {
		t.Fatal(err)
	}
	g, err := record.ReadGraph(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestOracleAgainstItself(t *testing.T) {
	o := readShop(t)
	kinds := scoreOf(t, o, reread(t, Perfect(o)))
	for _, k := range []string{
		"calls", "references", "reads", "writes", "uses-type", "instantiates", "converts", "embeds",
		"implements", "overrides",
	} {
		s := kinds[k]
		if s.Pairs.Truth == 0 || s.Pairs.Precision != 1 || s.Pairs.Recall != 1 {
			t.Errorf("%s: %+v", k, s.Pairs)
		}
		if s.Sites != nil && (s.Sites.Precision != 1 || s.Sites.Recall != 1) {
			t.Errorf("%s sites: %+v", k, *s.Sites)
		}
		if len(s.Unjudged) > 0 || s.Dispatch > 0 || len(s.Wrong) > 0 || len(s.Missed) > 0 {
			t.Errorf("%s: unjudged %v, dispatch %d, wrong %v, missed %v", k, s.Unjudged, s.Dispatch, s.Wrong, s.Missed)
		}
	}
	for _, d := range newIndex(o, Perfect(o)).definitions() {
		if d.Found != d.Truth || d.Extra != 0 {
			t.Errorf("definitions: %+v", d)
		}
	}
}

// TestSpoiltShop drops and bends a share of the small repository's pairs, of all
// kinds together, for it has few of each.
func TestSpoiltShop(t *testing.T) {
	o := readShop(t)
	for seed := range uint64(5) {
		g := Perfect(o)
		Damage(g, 0.1, 0.05, seed)
		var sum Count
		for _, k := range scoreOf(t, o, g) {
			sum.Right += k.Pairs.Right
			sum.Wrong += k.Pairs.Wrong + k.Dispatch
			sum.Found += k.Pairs.Found
			sum.Truth += k.Pairs.Truth
		}
		sum.finish()
		if math.Abs(sum.Recall-0.90) > 0.02 || math.Abs(sum.Precision-0.95) > 0.02 {
			t.Errorf("seed %d: %+v, want recall 0.90 and precision 0.95", seed, sum)
		}
	}
}

// TestSpoiltMany checks the shares exactly, on a repository made up for it.
func TestSpoiltMany(t *testing.T) {
	o := &record.Oracle{Meta: record.Meta{Schema: record.Schema, Closed: []string{"calls"}}}
	o.Files = []*record.File{{File: "a", Judged: true}}
	for i := range 1001 {
		o.Defs = append(o.Defs, &record.Def{
			ID: fmt.Sprint("d", i), Kind: "function", Name: fmt.Sprint("f", i), File: "a",
			DefLine: i + 1, Line: i + 1, Col: 1,
		})
		if i > 0 {
			o.Sites = append(o.Sites, &record.Site{
				Kind: "calls", From: fmt.Sprint("d", i-1), To: fmt.Sprint("d", i),
				File: "a", Line: i, Col: 9, Name: fmt.Sprint("f", i),
			})
		}
	}
	g := Perfect(o)
	Damage(g, 0.1, 0.05, 7)
	k := scoreOf(t, o, g)["calls"]
	want := Count{Right: 900, Wrong: 50, Precision: 900.0 / 950, Found: 900, Truth: 1000, Recall: 0.9}
	if k.Pairs != want {
		t.Errorf("pairs %+v, want %+v", k.Pairs, want)
	}
	if *k.Sites != want {
		t.Errorf("sites %+v, want %+v", *k.Sites, want)
	}
}

// TestVerdicts reads both formats as files written by hand, in a language that
// is not Go.
func TestVerdicts(t *testing.T) {
	o, err := readFile("testdata/cart.oracle.jsonl", record.ReadOracle)
	if err != nil {
		t.Fatal(err)
	}
	g, err := readFile("testdata/cart.kg.jsonl", record.ReadGraph)
	if err != nil {
		t.Fatal(err)
	}
	kinds := scoreOf(t, o, g)
	calls := kinds["calls"]
	if got, want := calls.Pairs, (Count{Right: 3, Wrong: 5, Precision: 3.0 / 8, Found: 3, Truth: 6, Recall: 0.5}); got != want {
		t.Errorf("calls %+v, want %+v", got, want)
	}
	if calls.Dispatch != 1 {
		t.Errorf("dispatch %d, want 1: an edge to an override of the target is counted apart", calls.Dispatch)
	}
	if calls.Ambiguous != (Split{Right: 1, Wrong: 1}) {
		t.Errorf("ambiguous %+v, want one right and one wrong", calls.Ambiguous)
	}
	for reason, n := range map[string]int{"open": 1, "dynamic": 1, "file not judged": 1, "target not judged": 1} {
		if calls.Unjudged[reason] != n {
			t.Errorf("unjudged %q: %d, want %d (%v)", reason, calls.Unjudged[reason], n, calls.Unjudged)
		}
	}
	assertGroups(t, "wrong", calls.WrongBy, map[string]int{
		"the target is external": 1, "other target": 1, "the site is uses-type": 1, "no site there": 1, "no such definition": 1,
	})
	assertGroups(t, "missed", calls.MissedBy, map[string]int{
		"ambiguous": 1, "ours is another target or origin": 1, "ours is an override · field.": 1,
	})
	if got := calls.Tags["test"]; got.Truth != 1 || got.Found != 1 {
		t.Errorf("tests: %+v", got)
	}
	impl := kinds["implements"]
	if impl.Pairs.Right != 1 || impl.Pairs.Wrong != 1 || impl.Unjudged["definition not judged"] != 1 {
		t.Errorf("implements %+v, unjudged %v", impl.Pairs, impl.Unjudged)
	}
	// The oracle is not closed over reads: where it has no site it judges nobody.
	reads := kinds["reads"]
	if reads.Pairs.Right != 1 || reads.Pairs.Wrong != 0 || reads.Unjudged["no site of the oracle"] != 1 {
		t.Errorf("reads %+v, unjudged %v", reads.Pairs, reads.Unjudged)
	}
}

// TestAsOne takes another overload of the right name for right, and those of
// another type for what they were.
func TestAsOne(t *testing.T) {
	def := func(id, parent, kind string, line int) *record.Def {
		return &record.Def{ID: id, Parent: parent, Kind: kind, Name: id[:1], QName: id, File: "A.java", DefLine: line, Line: line, Col: 1, EndLine: line}
	}
	site := func(from, to string, line int) *record.Site {
		return &record.Site{Kind: record.Calls, From: from, To: to, File: "A.java", Line: line, Col: 5, Name: to[:1]}
	}
	o := &record.Oracle{
		Meta:  record.Meta{Closed: []string{record.Calls}},
		Files: []*record.File{{File: "A.java", Judged: true}},
		Defs: []*record.Def{def("A", "", "class", 1), def("f()", "A", "method", 2), def("f(int)", "A", "method", 3), def("g()", "A", "method", 4),
			def("B", "", "class", 10), def("f(B)", "B", "method", 11)},
		Sites: []*record.Site{site("g()", "f()", 5), site("g()", "f(int)", 6), site("f()", "f(int)", 7), site("f(B)", "f(int)", 12)},
	}
	wrong := Perfect(o)
	for _, e := range wrong.Edges {
		switch e.Line {
		case 5:
			e.To = "self:f(int)" // another overload
		case 12:
			e.To = "self:f(B)" // of another type
		}
	}
	both := *wrong.Edges[1]
	both.To, both.Certainty, wrong.Edges[1].Certainty = "self:f()", "ambiguous", "ambiguous" // either of them
	wrong.Edges = append(wrong.Edges, &both)
	for asOne, want := range map[bool]Count{
		false: {Right: 2, Wrong: 1, Precision: 2.0 / 3, Found: 2, Truth: 4, Recall: 0.5},
		true:  {Right: 2, Wrong: 1, Precision: 2.0 / 3, Found: 2, Truth: 3, Recall: 2.0 / 3},
	} {
		if got := Compare(o, reread(t, wrong), Options{AsOne: asOne}).Kinds[0].Pairs; got != want {
			t.Errorf("as one %v: %+v, want %+v", asOne, got, want)
		}
	}
}

func assertGroups(t *testing.T, what string, got []Group, want map[string]int) {
	t.Helper()
	for _, g := range got {
		if want[g.Reason] != g.N {
			t.Errorf("%s %q: %d, want %d", what, g.Reason, g.N, want[g.Reason])
		}
		delete(want, g.Reason)
	}
	for r := range want {
		t.Errorf("%s: no group %q in %v", what, r, got)
	}
}

func TestInitialisers(t *testing.T) {
	o := readShop(t)
	g := Perfect(o)
	byID := map[string]*record.Site{}
	for _, s := range o.Sites {
		if s.Pkg != "" {
			byID[fmt.Sprint(s.Kind, s.File, s.Line, s.Col)] = s
		}
	}
	for _, e := range g.Edges {
		if s := byID[fmt.Sprint(e.Kind, e.File, e.Line, e.Col)]; s != nil {
			e.From = "self:" + s.Pkg
		}
	}
	for mode, right := range map[string]bool{"variable": false, "package": true, "either": true} {
		k := newIndex(o, g).judge("references", Options{Initialisers: mode})
		for _, c := range k.claims {
			if c.tags[record.TagInit] && (c.verdict == 0) != right {
				t.Errorf("%s: the verdict on an edge from a package is %v", mode, c.verdict)
			}
		}
	}
}

func TestReadOracleRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no end":        `{"t":"meta","schema":"kg.oracle/v1"}`,
		"other schema":  `{"t":"meta","schema":"kg.oracle/v9"}` + "\n" + `{"t":"end"}`,
		"cut off":       `{"t":"meta","schema":"kg.oracle/v1"}` + "\n" + `{"t":"end","sites":3}`,
		"unknown":       `{"t":"met"}`,
		"not JSON":      `{"t":`,
		"end in a line": `{"t":"meta","schema":"kg.oracle/v1"}` + "\n" + `{"t":"end","sites":"x"}`,
	} {
		if _, err := record.ReadOracle(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestPrograms: relations between two programs are not judged, those between a
// program and what others share are.
func TestPrograms(t *testing.T) {
	o := &record.Oracle{Meta: record.Meta{Relations: []string{record.Implements}}}
	g := &record.Graph{}
	for i, program := range []string{"a", "b", ""} {
		name := string(rune('A' + i))
		o.Defs = append(o.Defs, &record.Def{ID: name, Kind: "struct", Name: name, File: "f", DefLine: i, Line: i, Program: program})
		g.Nodes = append(g.Nodes, &record.Node{ID: name, Kind: "struct", Name: name, File: "f", Line: i})
	}
	for _, p := range [][2]string{{"A", "B"}, {"B", "A"}, {"A", "C"}} {
		g.Edges = append(g.Edges, &record.Edge{Kind: record.Implements, From: p[0], To: p[1]})
	}
	k := scoreOf(t, o, g)[record.Implements]
	if k.Unjudged["not in one program"] != 2 || k.Pairs.Wrong != 1 {
		t.Errorf("unjudged %v, %d wrong", k.Unjudged, k.Pairs.Wrong)
	}
	// One module may replace a dependency with another of the repository: what
	// the oracle then says of both is judged.
	o.Defs[0].Group, o.Defs[1].Group, o.Defs[2].Group = "x", "x", "y"
	if k := scoreOf(t, o, g)[record.Implements]; k.Unjudged["not compiled together"] != 1 || k.Pairs.Wrong != 0 {
		t.Errorf("groups: unjudged %v, %d wrong", k.Unjudged, k.Pairs.Wrong)
	}
	o.Sites = []*record.Site{{Kind: record.Implements, From: "A", To: "C", File: "f"}}
	if k := scoreOf(t, o, g)[record.Implements]; k.Pairs.Right != 1 || k.Pairs.Found != 1 {
		t.Errorf("groups: %+v, want one that is right", k.Pairs)
	}
}
