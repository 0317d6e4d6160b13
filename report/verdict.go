package report

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is the first sentence of a report: what breaks, else what behaves
// differently and who relies on it, else that nothing does, and how far that
// can be told.
func (r *Report) Verdict() string {
	t := &r.Stats.Totals
	switch {
	case r.Supposed:
		return r.supposedVerdict()
	case len(r.Libraries) > 0 && !slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Change != "doc" }):
		return r.close("No declaration changed; " + replaced(&r.Libraries[0]) + more(len(r.Libraries)-1))
	case len(r.Changes) == 0 && r.beside() != "":
		return r.close("No declaration changed, but " + r.beside())
	case len(r.Changes) == 0 && len(r.Shifted) > 0:
		return r.close("Nothing changed that code could rely on; " + together(&r.Shifted[0]) + more(len(r.Shifted)-1))
	case len(r.Changes) == 0 && r.blind() == "":
		return "Nothing changed that code could rely on."
	case len(r.Changes) == 0:
		return "No change is visible, but " + r.blind() + "."
	case t.Broken > 0:
		return r.brokenVerdict()
	}
	if n, c := r.unclear(); n > 0 {
		s := fmt.Sprintf("For %s it cannot be told whether %s still %s what changed: %s (%s)%s", count(n, "user"),
			verb(n, "it", "they"), verb(n, "fits", "fit"), c.Symbol.Name, title(c), more(r.unclearChanges()-1))
		if what := r.behaviour(); what > 0 {
			s += fmt.Sprintf("; %s %s differently", count(what, "symbol"), verb(what, "behaves", "behave"))
		}
		return r.close(s)
	}
	var b strings.Builder
	what := r.behaviour()
	direct := t.MustUpdate + t.ShouldReview
	switch {
	case what == 0 && direct+t.MayBeAffected == 0:
		fmt.Fprintf(&b, "No other code is affected by what changed (%s)", count(len(r.Changes), "symbol"))
	case what == 0 && t.MustUpdate > 0:
		fmt.Fprintf(&b, "%s had to follow what changed, and %s edited", count(t.MustUpdate, "user"), verb(t.MustUpdate, "was", "were"))
	case what == 0:
		fmt.Fprintf(&b, "%s of what changed should be reviewed", count(direct+t.MayBeAffected, "user"))
	default:
		fmt.Fprintf(&b, "%s %s differently: ", count(what, "symbol"), verb(what, "behaves", "behave"))
		near, far := r.reach()
		if near.all() > 0 {
			fmt.Fprintf(&b, "%s %s on %s directly", near, verb(near.all(), "relies", "rely"), verb(what, "it", "them"))
		}
		switch {
		case near.all() == 0:
			fmt.Fprintf(&b, "%s may be affected", far)
		case far.code > 0 && far.tests > 0:
			fmt.Fprintf(&b, ", %d more and %d in tests may be affected", far.code, far.tests)
		case far.code > 0:
			fmt.Fprintf(&b, ", %d more may be affected", far.code)
		case far.tests > 0:
			fmt.Fprintf(&b, ", %d more in tests may be affected", far.tests)
		}
	}
	if n := len(r.EntryPoints); n > 0 && direct+t.MayBeAffected > 0 {
		b.WriteString("; " + r.started().clause(verb(len(r.Changes), "it", "them")))
	}
	s := b.String()
	if len(r.Libraries) > 0 {
		s = replaced(&r.Libraries[0]) + more(len(r.Libraries)-1) + "; " + s
	}
	return r.close(s + "; no broken use is known")
}

// replaced says that a library took the place of another one.
func replaced(l *Library) string {
	return fmt.Sprintf("%s is used instead of %s in %s", l.To, l.From, count(l.Files, "file"))
}

// together says that declarations moved between two files.
func together(s *Shift) string {
	return fmt.Sprintf("%s moved from %s to %s", count(s.Declarations, "declaration"), s.From, s.To)
}

// users counts users; those in test code apart.
type users struct{ code, tests int }

func (u users) all() int { return u.code + u.tests }

func (u users) String() string {
	switch {
	case u.tests == 0:
		return count(u.code, "user")
	case u.code == 0:
		return count(u.tests, "user") + " in tests"
	}
	return fmt.Sprintf("%s and %d in tests", count(u.code, "user"), u.tests)
}

// reach counts the users that are one hop away from a change and have to follow
// it or should be reviewed, and all others. Those that had to follow and were
// edited by the change do not count.
func (r *Report) reach() (near, far users) {
	direct := map[string]bool{}
	var all []*Symbol
	for i := range r.Changes {
		for k := range r.Changes[i].Impacted {
			x := &r.Changes[i].Impacted[k]
			if x.Severity == "must_update" && worst(x.Sites) == "edited" {
				continue
			}
			is, seen := direct[x.Symbol.ID]
			direct[x.Symbol.ID] = is || x.Depth == 1 && x.Severity != "may_be_affected"
			if !seen {
				all = append(all, &x.Symbol)
			}
		}
	}
	for _, s := range all {
		to := &far
		if direct[s.ID] {
			to = &near
		}
		if s.Test {
			to.tests++
		} else {
			to.code++
		}
	}
	return near, far
}

// close ends a sentence with what the analysis did not see.
func (r *Report) close(s string) string {
	if b := r.blind(); b != "" {
		s += ", but " + b
	}
	return s + "."
}

// unclear counts the users for whom it cannot be told whether they fit, and
// returns the change that most of them use.
func (r *Report) unclear() (n int, worstChange *Change) {
	users := map[string]bool{}
	most := 0
	for i := range r.Changes {
		k := 0
		for _, x := range r.Changes[i].Impacted {
			if x.Severity == "must_update" && worst(x.Sites) == "unknown" {
				users[x.Symbol.ID] = true
				k++
			}
		}
		if k > most {
			most, worstChange = k, &r.Changes[i]
		}
	}
	return len(users), worstChange
}

func (r *Report) unclearChanges() (n int) {
	for i := range r.Changes {
		if slices.ContainsFunc(r.Changes[i].Impacted, func(x Impacted) bool { return x.Severity == "must_update" && worst(x.Sites) == "unknown" }) {
			n++
		}
	}
	return n
}

// more says that n more were left out, if there are any.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// supposedVerdict says what a change that was not made would reach.
func (r *Report) supposedVerdict() string {
	t := &r.Stats.Totals
	c := &r.Changes[0]
	what := map[string]string{"removed": "is removed", "signature": "gets another signature", "body": "behaves differently"}[c.Change]
	s := fmt.Sprintf("If %s %s", c.Symbol.Name, what)
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, count(n, "user")+" "+verb(n, one, many))
		}
	}
	add(t.Broken, "breaks", "break")
	add(t.MustUpdate-t.Broken, "may have to follow", "may have to follow")
	add(t.ShouldReview, "should be reviewed", "should be reviewed")
	add(t.MayBeAffected, "may be affected", "may be affected")
	if len(parts) == 0 {
		return s + ", nobody is concerned" + map[bool]string{true: "", false: ", as far as the graph tells"}[!r.blurred()] + "."
	}
	return s + ", " + strings.Join(parts, ", ") + "; " + count(len(r.Tests.Tests), "test") + " " + verb(len(r.Tests.Tests), "reaches", "reach") + " it."
}

// brokenVerdict says how many users are broken, and names the worst change.
func (r *Report) brokenVerdict() string {
	t := &r.Stats.Totals
	// Users that had to be updated, for this or that change.
	s := fmt.Sprintf("%d of %s still %s the old form of what changed", t.Broken, count(t.MustUpdate, "user"), verb(t.Broken, "uses", "use"))
	if t.Broken == t.MustUpdate {
		s = fmt.Sprintf("%s still %s the old form of what changed", count(t.Broken, "user"), verb(t.Broken, "uses", "use"))
	}
	c := &r.Changes[0] // ranked: most broken users first
	for i := range r.Changes {
		if r.Changes[i].Totals.Broken > c.Totals.Broken {
			c = &r.Changes[i]
		}
	}
	s += ": " + c.Symbol.Name + " (" + title(c) + ")"
	for _, x := range c.Impacted {
		if at := firstSite(x.Sites, "broken"); at != nil {
			s += fmt.Sprintf(" in %s at %s", x.Symbol.Name, place(at.File, at.Line))
			break
		}
	}
	s += more(t.Broken - 1)
	if b := r.blind(); b != "" {
		s += "; " + b
	}
	return s + "."
}

// behaviour counts the changed symbols that do something else for users that
// stay as they are. What nobody uses, tests among it, does not count.
func (r *Report) behaviour() int {
	n := 0
	for i := range r.Changes {
		c := &r.Changes[i]
		if c.Totals.Impacted == 0 {
			continue
		}
		for _, d := range c.Detail {
			if d.Code == "body_changed" || d.Code == "value_changed" || d.Code == "variant_body" || d.Code == "variant_removed" {
				n++
				break
			}
		}
	}
	return n
}

// blurred reports whether something of the code is not in the graph. What is not
// known of history says nothing about the code.
func (r *Report) blurred() bool {
	return slices.ContainsFunc(r.Unknowns, func(u Unknown) bool { return u.Reason != "shallow" })
}

// beside says what changed beside declarations, as far as it bears on what runs;
// empty if nothing did.
func (r *Report) beside() string {
	for _, w := range r.Tests.Reasons {
		what := ""
		switch w.Reason {
		case "build_change":
			what = "how everything is built did"
		case "dependency_change":
			what = "dependencies did"
		case "data_change":
			what = "data did"
		default:
			continue
		}
		if len(w.Paths) > 0 {
			what += " (" + w.Paths[0] + more(len(w.Paths)-1) + ")"
		}
		return what
	}
	return ""
}

// blind says what the analysis did not see of this change; empty if nothing is
// known to be missing.
func (r *Report) blind() string {
	lost := map[string]bool{}
	for _, u := range r.Unknowns {
		if u.Lost {
			lost[u.File] = true
		}
	}
	if len(lost) > 0 {
		return count(len(lost), "file") + " of the base could not be analysed any more"
	}
	for _, w := range r.Tests.Reasons {
		switch w.Reason {
		case "unparsed_change":
			return count(len(w.Paths), "changed file") + " did not parse completely"
		case "unanalysed_change":
			return count(len(w.Paths), "changed file") + " " + verb(len(w.Paths), "is", "are") + " not analysed"
		}
	}
	return ""
}

func firstSite(ss []Site, state string) *Site {
	for i := range ss {
		if ss[i].State == state {
			return &ss[i]
		}
	}
	return nil
}

// worst returns the state that asks most.
func worst(ss []Site) string {
	for _, state := range []string{"broken", "unknown", "edited"} {
		if firstSite(ss, state) != nil {
			return state
		}
	}
	return "fits"
}

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

func place(file string, line int32) string {
	if file == "" {
		return "-"
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// title says in a few words what happened to a changed symbol.
func title(c *Change) string {
	var parts []string
	for i, d := range c.Detail {
		if d.Verdict == "silent" || said(c.Detail, i) {
			continue
		}
		s := phrase(&d)
		if was := called(c.Detail, &d); was != "" {
			s = fmt.Sprintf("parameter %s %s instead of %s %s", d.Name, brief(d.To), was, brief(d.From))
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) > 3 {
		parts = append(parts[:3], fmt.Sprintf("%d more", len(parts)-3))
	}
	switch {
	case c.Change == "removed" || c.Change == "added":
		s := c.Change
		if c.Members > 0 {
			s += " with " + count(c.Members, "member")
		}
		return strings.Join(append([]string{s}, parts...), ", ")
	case c.Adapted:
		return "only follows a rename"
	case len(parts) == 0:
		return c.Change
	}
	return strings.Join(parts, ", ")
}

// said reports whether another detail says what detail i says: how a parameter
// is passed is written with its type, and a method that belongs to another type
// now reads differently for that.
func said(ds []Detail, i int) bool {
	return slices.ContainsFunc(ds, func(d Detail) bool {
		switch ds[i].Code {
		case "param_type":
			return d.Code == "param_passing" && d.Index != nil && ds[i].Index != nil && *d.Index == *ds[i].Index
		case "text_changed":
			return d.Code == "owner_moved"
		case "body_changed":
			return d.Code == "export_removed"
		case "annotation_changed":
			return d.Code == "annotation_added" || d.Code == "annotation_removed"
		}
		return false
	})
}

// called returns what a parameter of another type was called, if that is
// another name.
func called(ds []Detail, d *Detail) string {
	if d.Code != "param_type" || d.Index == nil {
		return ""
	}
	for _, x := range ds {
		if x.Code == "param_renamed" && x.Index != nil && *x.Index == *d.Index && x.Verdict == "silent" {
			return x.From
		}
	}
	return ""
}

// phrase writes a detail for people.
func phrase(x *Detail) string {
	d := *x
	if d.From, d.To = brief(x.From), brief(x.To); d.From == d.To {
		from, to := names(x.From), names(x.To) // only whole names differ
		d.From = shorten(x.From, func(n string) bool { return slices.Contains(to, n) })
		d.To = shorten(x.To, func(n string) bool { return slices.Contains(from, n) })
	}
	name := d.Name
	if name == "" && d.Index != nil {
		name = ordinal(*d.Index)
	}
	if d.From == "" || d.To == "" { // no type is written
		switch {
		case d.Code == "param_type" && d.To == "":
			return fmt.Sprintf("parameter %s: %s is not said any more", name, d.From)
		case d.Code == "param_type":
			return fmt.Sprintf("parameter %s is said to be %s", name, d.To)
		case (d.Code == "result_type" || d.Code == "type_changed") && d.To == "":
			return fmt.Sprintf("%s %s is not said any more", strings.TrimSuffix(strings.TrimSuffix(d.Code, "_type"), "_changed"), d.From)
		case d.Code == "result_type" || d.Code == "type_changed":
			return fmt.Sprintf("%s is said to be %s", strings.TrimSuffix(strings.TrimSuffix(d.Code, "_type"), "_changed"), d.To)
		}
	}
	switch d.Code {
	case "param_added":
		return "parameter " + d.To + " added"
	case "param_removed":
		return "parameter " + d.From + " removed"
	case "param_type":
		return instead("parameter "+name+":", d.To, d.From)
	case "param_renamed":
		return fmt.Sprintf("parameter %s is now %s", d.From, d.To)
	case "param_reordered":
		return fmt.Sprintf("parameters reordered: %s instead of %s", d.To, d.From)
	case "param_required":
		return "parameter " + name + " has no default any more"
	case "param_optional":
		return "parameter " + name + " has a default"
	case "param_passing":
		return fmt.Sprintf("parameter %s instead of %s", d.To, d.From)
	case "result_added":
		return "result " + d.To + " added"
	case "result_removed":
		return "result " + d.From + " removed"
	case "result_type":
		return instead("result", d.To, d.From)
	case "type_changed":
		return instead("type", d.To, d.From)
	case "kind_changed":
		return fmt.Sprintf("%s instead of %s", d.To, d.From)
	case "throws_added":
		return "throws " + d.To
	case "throws_removed":
		return "throws no " + d.From
	case "base_added", "annotation_added":
		return d.To + " added"
	case "base_removed", "annotation_removed":
		return d.From + " removed"
	case "visibility_narrowed", "visibility_widened":
		return fmt.Sprintf("%s instead of %s", d.To, d.From)
	case "contract_added":
		return d.Name + " asks for it"
	case "contract_removed":
		return d.Name + " does not ask for it any more"
	case "export_removed":
		return d.Name + " not passed on any more"
	case "binary_changed":
		return "compiled users have to be compiled again"
	case "variant_added", "variant_removed":
		switch {
		case d.Name != "":
		case d.Code == "variant_added":
			return "built everywhere instead of where " + x.From
		default:
			return "built only where " + x.To
		}
		return "variant " + d.Name + " " + strings.TrimPrefix(d.Code, "variant_")
	case "variant_body":
		return "body of variant " + d.Name
	case "value_changed":
		return "another value"
	case "body_changed":
		return "another body"
	case "name_changed":
		return "renamed from " + titled(x.From)
	case "owner_moved":
		_, from, _ := strings.Cut(x.From, ":") // without the language
		if strings.Contains(from, "#") {
			from = brief(strings.ReplaceAll(from, "#", ".")) // of another type
		}
		return "moved from " + from
	case "file_moved":
		return "moved from " + x.From
	case "text_changed":
		return "declaration reads differently"
	}
	return strings.ReplaceAll(d.Code, "_", " ")
}

// titled returns a name so that one sees where it ends: titles of tests have spaces.
func titled(name string) string {
	if strings.Contains(name, " ") {
		return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
	}
	return name
}

func ordinal(i int) string { return fmt.Sprintf("#%d", i+1) }
