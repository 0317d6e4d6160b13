package impact

import (
	"testing"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

func ps(flags ...graph.ParamFlags) []graph.Param {
	var out []graph.Param
	for i, f := range flags {
		out = append(out, graph.Param{Name: string(rune('a' + i)), Type: "int", Flags: f})
	}
	return out
}

// TestArity holds calls against parameter lists.
func TestArity(t *testing.T) {
	const (
		opt, vari, kwOnly, pos, kws = graph.ParamOptional, graph.ParamVariadic, graph.ParamKeywordOnly, graph.ParamPositional, graph.ParamKeywords
	)
	plain, named, loose := &diff.Rules{}, &diff.Rules{Keywords: true}, &diff.Rules{LooseArity: true}
	for _, c := range []struct {
		name   string
		call   call
		params []graph.Param
		rules  *diff.Rules
		want   fit
	}{
		{"equal", call{args: 2}, ps(0, 0), plain, fitsYes},
		{"too few", call{args: 1}, ps(0, 0), plain, fitsArity},
		{"too many", call{args: 3}, ps(0, 0), plain, fitsArity},
		{"none", call{}, nil, plain, fitsYes},
		{"optional left out", call{args: 1}, ps(0, opt), plain, fitsYes},
		{"variadic none", call{args: 1}, ps(0, vari), plain, fitsYes},
		{"variadic many", call{args: 9}, ps(0, vari), plain, fitsYes},
		{"variadic lacks the fixed", call{}, ps(0, vari), plain, fitsArity},
		{"spread into variadic", call{args: 2, spread: true}, ps(0, vari), plain, fitsYes},
		{"spread without variadic", call{args: 2, spread: true}, ps(0, 0), plain, fitsArity},
		{"spread at the wrong place", call{args: 1, spread: true}, ps(0, vari), plain, fitsArity},
		{"spread where names exist", call{args: 1, spread: true}, ps(0, 0), named, fitsUnknown},
		{"keyword", call{args: 1, keywords: []string{"b"}}, ps(0, 0), named, fitsYes},
		{"keyword of no parameter", call{args: 1, keywords: []string{"z"}}, ps(0, opt), named, fitsArity},
		{"keyword taken by any", call{args: 1, keywords: []string{"z"}}, ps(0, kws), named, fitsYes},
		{"keyword given twice", call{args: 1, keywords: []string{"a"}}, ps(0), named, fitsArity},
		{"keyword only by position", call{args: 2}, ps(0, kwOnly), named, fitsArity},
		{"keyword only by name", call{args: 1, keywords: []string{"b"}}, ps(0, kwOnly), named, fitsYes},
		{"positional only by name", call{keywords: []string{"a"}}, ps(pos), named, fitsArity},
		{"spread keywords fill the rest", call{args: 1, spreadKw: true}, ps(0, 0), named, fitsUnknown},
		{"loose", call{args: 1}, ps(0, 0), loose, fitsUnknown},
	} {
		if got := arity(c.call, c.params, c.rules); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestFitsCall holds calls against an old and a new shape.
func TestFitsCall(t *testing.T) {
	was := &graph.Signature{Params: []graph.Param{{Name: "self"}, {Name: "x"}}}
	is := &graph.Signature{Params: []graph.Param{{Name: "self"}, {Name: "x"}, {Name: "y"}}}
	change := &diff.Change{Details: []diff.Detail{{Code: diff.ParamAdded, Verdict: diff.Breaking, Index: 2, Name: "y"}}}
	rules := &diff.Rules{Keywords: true}
	for _, c := range []struct {
		name string
		call call
		skip int
		want fit
	}{
		{"as before", call{args: 1}, 1, fitsArity},
		{"with the new keyword", call{args: 1, keywords: []string{"y"}}, 1, fitsYes},
		{"written for the new shape", call{args: 2}, 1, fitsYes},
		{"never fitted", call{args: 7}, 1, fitsUnknown},
		{"receiver passed", call{args: 2}, 0, fitsArity},
		{"receiver passed, new shape", call{args: 3}, 0, fitsYes},
	} {
		if got := fitsCall(c.call, c.skip, was, is, change, rules, nil); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestEditedLines(t *testing.T) {
	var l editedLines
	rs := []Range{{OldStart: 3, OldLen: 0, NewStart: 3, NewLen: 2}, {OldStart: 10, OldLen: 2, NewStart: 12, NewLen: 1}, {OldStart: 20, OldLen: 3, NewStart: 21, NewLen: 0}}
	for _, c := range []struct {
		from, to int32
		edited   bool
	}{{1, 1, false}, {2, 2, false}, {3, 5, false}, {9, 11, false}, {10, 12, true}, {11, 12, true}, {12, 13, false}, {20, 21, true}, {23, 21, false}, {30, 28, false}} {
		if to, edited := l.line(rs, c.from); edited != c.edited || to != c.to && !edited {
			t.Errorf("line %d: %d %v, want %d %v", c.from, to, edited, c.to, c.edited)
		}
	}
	for line, want := range map[int32]bool{2: false, 3: true, 4: true, 5: false, 12: true, 13: false, 21: false} {
		if got := l.touched(rs, line); got != want {
			t.Errorf("touched %d: %v", line, got)
		}
	}
}
