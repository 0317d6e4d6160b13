package rules

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
)

// all is the list of rules, those that weigh most first. A new rule is one row
// and one function.
var all = [...]Rule{
	{"analysis-lost", "File lost to the analysis",
		"A file that was analysed in the base cannot be analysed in the head: it is too large, no text, or the parser gave it up. " +
			"Whatever it declares and uses is out of sight, so that no answer about this change is complete. Under a gate kg exits with 2.",
		Error, analysisLost},
	{"removed-used", "Removed symbol is still used",
		"A declaration was removed, renamed or moved, and code that this change did not touch still uses its old name. Update the uses, or keep the name.",
		Error, removedUsed},
	{"broken-use", "Use does not fit any more",
		"A declaration changed its shape, and uses of it that this change did not touch do not fit the new one. Update the uses, or keep the old shape.",
		Error, brokenUse},
	{"broken-on-base", "New use on the base branch does not fit",
		"Since this change began, the base branch got uses of what this change removes or reshapes. They break when it is merged. Bring the branch up to date and update them.",
		Error, brokenOnBase},
	{"lost-implementation", "Type does not implement an interface any more",
		"A type implemented an interface in the base and does not in the head. Whoever stores it as that interface, by assertion or in code that kg does not see, is affected.",
		Warning, lostImplementation},
	{"new-cycle", "New dependency cycle",
		"Packages import each other in a circle that the base does not have. They can only be understood, tested and released together.",
		Warning, newCycle},
	{"public-api", "Breaking change of the public API",
		"A declaration that code outside of this repository can use was removed or changed so that its users may not fit any more.",
		Warning, publicAPI},
	{"analysis-partial", "Changed file did not parse completely",
		"The base has the file in a form that parsed completely, the head does not. What stands in the damaged places is out of sight.",
		Warning, analysisPartial},
	{"behaviour-change", "Changed behaviour that others rely on",
		"A declaration keeps its shape and does something else. Nothing breaks, but its users, which this change does not touch, get what it does now. Look at whether they expect that.",
		Note, behaviourChange},
	{"silenced", "The change edits what silences findings",
		"The change adds comments or marks that make kg look away, or edits its configuration. None of that counts before it is merged: the base decides.",
		Note, silenced},
}

// brokenUse reports changed declarations with uses that do not fit.
func brokenUse(c *check) {
	for i := range c.Impact.Changes {
		x := &c.Impact.Changes[i]
		if x.Totals.Broken == 0 || gone(x) {
			continue
		}
		users := brokenUsers(x)
		f := at(x.Symbol, false, "%s changed, and %s still %s the old form: %s", said(x.Symbol), count(x.Totals.Broken, "user"),
			verb(x.Totals.Broken, "uses", "use"), list(names(users), 3))
		f.Related, f.Total = users, x.Totals.BrokenSites
		c.found(f)
	}
}

// removedUsed reports names that are gone and still used.
func removedUsed(c *check) {
	for i := range c.Impact.Changes {
		x := &c.Impact.Changes[i]
		if x.Totals.Broken == 0 || !gone(x) {
			continue
		}
		users := brokenUsers(x)
		what := " was removed"
		if x.Kind != diff.Removed {
			what = " is now " + said(x.Symbol)
		}
		was := x.Symbol
		if x.Was != nil {
			was = x.Was
		}
		f := at(was, x.Kind == diff.Removed, "%s%s, and %s still %s it: %s", said(was), what, count(x.Totals.Broken, "user"),
			verb(x.Totals.Broken, "uses", "use"), list(names(users), 3))
		f.File, f.Line = x.Symbol.File, x.Symbol.Line
		f.Related, f.Total = users, x.Totals.BrokenSites
		c.found(f)
	}
}

// gone reports whether the old name of what changed means nothing any more.
func gone(x *impact.Change) bool {
	return x.Kind == diff.Removed || x.Kind == diff.Renamed || x.Has(diff.OwnerMoved)
}

func brokenUsers(x *impact.Change) (ps []Place) {
	for i := range x.Impacted {
		u := &x.Impacted[i]
		for _, s := range u.Sites {
			if s.State == impact.Broken {
				ps = append(ps, Place{Symbol: u.Symbol, File: s.File, Line: s.Line})
			}
		}
	}
	return ps
}

// names returns the names of the symbols of places, each once, and the files of
// places without a symbol.
func names(ps []Place) (all []string) {
	for _, p := range ps {
		name := p.File
		if p.Symbol != nil {
			name = said(p.Symbol)
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// behaviourChange reports what does something else for users that stay as they
// are. Tests are there to see it, and are left out.
func behaviourChange(c *check) {
	for i := range c.Impact.Changes {
		x := &c.Impact.Changes[i]
		if x.Kind == diff.Removed || x.Kind == diff.Added || x.Adapted || !x.Has(diff.BodyChanged, diff.AnnotationChanged, diff.ValueChanged, diff.VariantBody, diff.VariantRemoved) {
			continue
		}
		var users []Place
		for j := range x.Impacted {
			u := &x.Impacted[j]
			if u.Depth == 1 && u.Severity == impact.ShouldReview && u.State() == impact.Fits && !u.Symbol.Flags.Has(graph.FlagTest) && len(u.Sites) > 0 {
				users = append(users, Place{u.Symbol, u.Sites[0].File, u.Sites[0].Line})
			}
		}
		if len(users) == 0 {
			continue
		}
		f := at(x.Symbol, false, "%s behaves differently, and %s %s on it: %s", said(x.Symbol), count(len(users), "user"),
			verb(len(users), "relies", "rely"), list(names(users), 3))
		f.Related = users
		c.found(f)
	}
}

func brokenOnBase(c *check) {
	for i := 0; i < len(c.New); {
		x := c.New[i].Change
		var users []Place
		for ; i < len(c.New) && c.New[i].Change == x; i++ {
			users = append(users, Place{Symbol: c.New[i].User, File: c.New[i].File, Line: c.New[i].Line})
		}
		n := len(names(users))
		f := at(x.Symbol, x.Kind == diff.Removed, "%s changed, and the base branch has %s of it that this change does not know: %s",
			said(x.Symbol), count(n, "new user"), list(names(users), 3))
		f.Related = users
		c.found(f)
	}
}

// publicAPI reports breaking changes of what others can use.
func publicAPI(c *check) {
	for i := range c.Impact.Changes {
		x := &c.Impact.Changes[i]
		g, id := c.Impact.Delta.Base, x.Base
		if !x.Breaking || id == graph.None || x.Uncertain || !c.Impact.Delta.Exported(x.Change) {
			continue
		}
		if c.Impact.Delta.Inherited(x.Change) != graph.None {
			continue // objects have it from a type above
		}
		is, what := "is", "changed in a breaking way"
		if g.Nodes[id].Kind == graph.KindPackage && g.Nodes[id].Visibility != graph.Public {
			is = "declares what is"
		}
		offered := c.Impact.Delta.Offered(x.Change)
		if offered && !slices.ContainsFunc(x.Details, func(d diff.Detail) bool { return d.Verdict == diff.Breaking && d.Code != diff.OwnerMoved }) {
			continue // only its own place is another
		}
		if p := g.Nodes[id].Parent; x.Kind != diff.Removed && x.Has(diff.OwnerMoved) && p != graph.None && g.Nodes[p].Kind.IsType() && c.Impact.Delta.ToHead(p) == graph.None {
			continue // its type is gone, which is said
		}
		switch {
		case x.Kind == diff.Removed:
			what = "was removed"
		case gone(x) && !offered:
			what = "is now " + said(x.Symbol)
		case !slices.ContainsFunc(x.Details, func(d diff.Detail) bool { return d.Verdict == diff.Breaking && !ofType(d.Code) }):
			what = "changed its type, which users elsewhere may not fit"
		}
		f := at(&g.Nodes[id], x.Kind == diff.Removed, "%s, which %s public, %s", said(&g.Nodes[id]), is, what)
		f.File, f.Line = x.Symbol.File, x.Symbol.Line
		c.found(f)
	}
}

// ofType reports whether a detail is about a type, which uses of the old one often
// fit as well: by conversion, as an alias, or as what is inferred.
func ofType(c diff.Code) bool {
	return c == diff.TypeChanged || c == diff.ParamType || c == diff.ResultType
}

func lostImplementation(c *check) {
	d := c.Impact.Delta
	for _, r := range d.Relations {
		if r.Added || r.Kind != graph.EdgeImplements {
			continue
		}
		t, i := &d.Base.Nodes[r.From], &d.Base.Nodes[r.To]
		h := d.ToHead(r.From)
		if !t.Kind.IsType() || h == graph.None || t.Flags.Has(graph.FlagTest) || i.Flags.Has(graph.FlagTest) {
			continue
		}
		if d.RulesFor(t).Dynamic && !diff.IsGiven(d.Base, r.From, r.To) {
			continue // it never said so, and nobody asks for it
		}
		if s := d.ToHead(r.To); s != graph.None && slices.Contains(diff.Supertypes(d.Head, h), s) {
			continue // by what it extends, or as a class
		}
		now := &d.Head.Nodes[h]
		if damaged(d.Head, now.File) || damaged(d.Head, i.File) {
			continue // its methods may still be there
		}
		f := at(now, false, "%s does not implement %s any more", said(now), said(i))
		f.Subject += " " + i.Key
		c.found(f)
	}
}

func newCycle(c *check) {
	d := c.Impact.Delta
	for _, x := range d.Cycles {
		if !x.Added || len(x.Path) == 0 {
			continue
		}
		var keys, path []string
		for _, p := range x.Packages {
			keys = append(keys, d.Head.Nodes[p].Key)
		}
		f := Finding{Subject: strings.Join(keys, " "), File: x.Path[0].File, Line: x.Path[0].Line}
		for _, p := range x.Path {
			n := &d.Head.Nodes[p.From]
			path = append(path, said(n))
			f.Related = append(f.Related, Place{Symbol: n, File: p.File, Line: p.Line})
			// The import that is new is where the cycle began.
			if i := slices.IndexFunc(d.Dependencies, func(y diff.Dependency) bool { return y.Added && y.From == p.From && y.To == p.To }); i >= 0 && f.File == x.Path[0].File {
				f.File, f.Line = p.File, p.Line
			}
		}
		f.Message = "packages import each other in a circle: " + list(append(path, path[0]), 8)
		c.found(f)
	}
}

func analysisLost(c *check) {
	for _, l := range c.Impact.Delta.Files.Lost {
		f := Finding{Subject: l.Path, File: l.Path, Line: 1}
		f.Message = l.Path + " was analysed in the base and cannot be now: " + strings.ReplaceAll(l.Reason.String(), "_", " ")
		c.found(f)
	}
}

func analysisPartial(c *check) {
	d := c.Impact.Delta
	seen := ""
	for i := range d.Head.Unknowns {
		u := &d.Head.Unknowns[i]
		if u.Reason != graph.ReasonSyntaxError || u.File == seen || u.File == "" {
			continue
		}
		seen = u.File
		at, was := d.Head.FileIndex(u.File), d.Base.FileIndex(u.File)
		if at < 0 || was < 0 || d.Base.Files[was].Hash == d.Head.Files[at].Hash || damaged(d.Base, u.File) {
			continue
		}
		if slices.ContainsFunc(d.Files.Lost, func(l diff.LostFile) bool { return l.Path == u.File }) {
			continue // said already
		}
		c.found(Finding{Subject: u.File, File: u.File, Line: max(u.Line, 1), Message: u.File + " parsed completely in the base and does not now"})
	}
}

// damaged reports whether a graph has only a part of a file.
func damaged(g *graph.Graph, file string) bool {
	if file == "" {
		return false
	}
	i, _ := slices.BinarySearchFunc(g.Unknowns, file, func(u graph.Unknown, f string) int { return strings.Compare(u.File, f) })
	for ; i < len(g.Unknowns) && g.Unknowns[i].File == file; i++ {
		switch g.Unknowns[i].Reason {
		case graph.ReasonDynamic, graph.ReasonUndecidable, graph.ReasonInferBudget, graph.ReasonTooMany, graph.ReasonDuplicate, graph.ReasonConfiguration:
		default:
			return true
		}
	}
	return false
}
