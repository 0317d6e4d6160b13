package impact

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// fit says whether a use fits the new shape of what it uses.
type fit uint8

const (
	fitsNo      fit = iota
	fitsArity       // does not fit, and no edit of the arguments' types could help
	fitsUnknown     //
	fitsYes         //
)

// call is one call site with what decides whether it fits.
type call struct {
	args     int
	keywords []string
	spread   bool
	spreadKw bool
	want     int8
}

func newCall(g *graph.Graph, s *graph.Site) (call, bool) {
	c := call{args: int(s.Args), spread: s.Flags&graph.SiteSpread != 0, spreadKw: s.Flags&graph.SiteSpreadKw != 0, want: s.Want}
	if s.Keywords >= 0 {
		c.keywords = g.Keywords[s.Keywords]
	}
	return c, s.Args >= 0
}

// fitsCall decides whether a call fits a changed declaration. skip is the number
// of parameters that calls do not pass; see receivers. A call that fits neither
// the old shape nor the new one tells nothing: the graph does not know how its
// arguments reach parameters, as in f(g()).
// literals tells whether one literal may be of two types; nil stands for never.
func fitsCall(c call, skip int, was, is *graph.Signature, change *diff.Change, rules *diff.Rules, literals func(from, to string) bool) fit {
	old := arity(c, was.Params[min(skip, len(was.Params)):], rules)
	f := arity(c, is.Params[min(skip, len(is.Params)):], rules)
	switch {
	case f == fitsArity && old == fitsArity:
		return fitsUnknown
	case f == fitsArity:
		return f
	case old == fitsArity:
		return min(f, resultFit(c, change, rules)) // written for the new shape
	}
	return min(f, argumentFit(c, skip, is, change, rules, literals), resultFit(c, change, rules))
}

// receivers returns how many leading parameters of a changed declaration its
// calls do not pass, because a receiver does: 1 where a language lists the
// receiver, told from the calls that the base graph has.
func (e *engine) receivers(c *diff.Change) int {
	was := e.base.Nodes[c.Base].Signature.Params
	if len(was) == 0 {
		return 0
	}
	rules := e.d.RulesFor(&e.base.Nodes[c.Base])
	listed := 0
	for _, i := range e.base.InKind(c.Base, graph.EdgeCalls) {
		for _, s := range e.base.Sites(&e.base.Edges[i]) {
			call, ok := newCall(e.base, &s)
			if !ok {
				continue
			}
			if arity(call, was, &rules) != fitsArity {
				listed--
			}
			if arity(call, was[1:], &rules) != fitsArity {
				listed++
			}
		}
	}
	if listed > 0 {
		return 1
	}
	return 0
}

// arity holds the number and names of arguments against parameters.
func arity(c call, ps []graph.Param, rules *diff.Rules) fit {
	positional := 0 // parameters that a position can fill
	variadic, anyKeyword := false, false
	for i := range ps {
		switch f := ps[i].Flags; {
		case f&graph.ParamKeywords != 0:
			anyKeyword = true
		case f&graph.ParamVariadic != 0:
			variadic = true
		case f&graph.ParamKeywordOnly == 0:
			positional++
		}
	}
	if c.spread {
		// f(xs...) needs the variadic where arguments are only positional.
		if !rules.Keywords && !rules.LooseArity && !variadic {
			return fitsArity
		}
		if variadic && len(ps) > 0 && !rules.Keywords && c.args != positional+1 {
			return fitsArity
		}
		if rules.Keywords || rules.LooseArity {
			return fitsUnknown
		}
		return fitsYes
	}
	missing := fitsArity
	if rules.LooseArity {
		missing = fitsUnknown
	}
	if c.args > positional && !variadic {
		return missing
	}
	at := 0
	for i := range ps {
		p := &ps[i]
		if p.Flags&(graph.ParamVariadic|graph.ParamKeywords) != 0 {
			continue
		}
		filled := false
		if p.Flags&graph.ParamKeywordOnly == 0 {
			filled = at < c.args
			at++
		}
		named := p.Flags&graph.ParamPositional == 0 && slices.Contains(c.keywords, p.Name)
		switch {
		case filled && named:
			return missing // twice
		case filled || named || p.Flags&graph.ParamOptional != 0:
		case c.spreadKw:
			return fitsUnknown
		default:
			return missing
		}
	}
	if !anyKeyword {
		for _, k := range c.keywords {
			if !slices.ContainsFunc(ps, func(p graph.Param) bool {
				return p.Name == k && p.Flags&(graph.ParamPositional|graph.ParamVariadic) == 0
			}) {
				return missing
			}
		}
	}
	return fitsYes
}

// argumentFit holds the arguments that a call passes against the parameters
// that changed.
func argumentFit(c call, skip int, is *graph.Signature, change *diff.Change, rules *diff.Rules, literals func(from, to string) bool) fit {
	f := fitsYes
	for _, d := range change.Details {
		if d.Verdict != diff.Breaking {
			continue
		}
		passed := c.args > d.Index-skip || slices.Contains(c.keywords, d.Name) || c.spread || c.spreadKw
		switch d.Code {
		case diff.ParamType:
			switch {
			case !passed:
			case rules.Coerces || generic(d.To, is) || lastName(d.From) == lastName(d.To) || literals != nil && literals(d.From, d.To):
				f = fitsUnknown // of a type that fits both; inferred from the argument; the same name from elsewhere; perhaps a literal, or what it implements
			default:
				return fitsNo
			}
		case diff.ParamReordered:
			if c.args-skip > 1 || c.args > 1 {
				return fitsNo
			}
		case diff.ParamPassing:
			if passed {
				return fitsUnknown
			}
		case diff.ParamAdded, diff.ParamRemoved:
			// In the middle of the list the number of arguments may fit and the
			// arguments not.
			if c.args > d.Index-skip {
				return fitsUnknown
			}
		case diff.StaticChanged:
			if d.To != "" && rules.Statics {
				continue // it may be called through a value, too
			}
			return fitsUnknown
		case diff.TextChanged, diff.AsyncChanged, diff.KindChanged, diff.TypeParamAdded, diff.TypeParamRemoved, diff.TypeParamBound:
			return fitsUnknown
		}
	}
	return f
}

// generic reports whether a type has a type parameter of its declaration, by
// its name or by its number.
func generic(t string, is *graph.Signature) bool {
	return strings.Contains(t, "$") || slices.ContainsFunc(is.TypeParams, func(p graph.Param) bool { return p.Name != "" && strings.Contains(t, p.Name) })
}

// lastName returns the name of a type without directories, packages and arguments.
func lastName(t string) string {
	if at := strings.IndexByte(t, '['); at > 0 {
		t = t[:at]
	}
	return t[strings.LastIndexAny(t, "./")+1:]
}

// resultFit holds what a call does with the results against the new ones.
func resultFit(c call, change *diff.Change, rules *diff.Rules) fit {
	f := fitsYes
	for _, d := range change.Details {
		if d.Verdict != diff.Breaking || c.want == 0 {
			continue
		}
		switch d.Code {
		case diff.ResultAdded, diff.ResultRemoved:
			f = min(f, fitsNo)
		case diff.ResultType:
			if c.want == graph.WantAll || int(c.want) > d.Index {
				f = min(f, fitsUnknown)
			}
		}
	}
	if f == fitsNo && rules.Dynamic {
		f = fitsUnknown
	}
	return f
}
