package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// compareShape adds the details of what differs in the shape of a declaration,
// with the types of the base graph spelled as the head graph spells them.
func (m *matcher) compareShape(ds *details, b, h graph.ID) {
	x, y := &m.base.g.Nodes[b], &m.head.g.Nodes[h]
	if x.Kind != y.Kind {
		v := ds.rules.verdict(KindChanged)
		switch {
		case variable(x.Kind) && variable(y.Kind) && (x.Kind == graph.KindConstant || y.Visibility != graph.Public):
			v = Compatible // whoever writes it is in the graph
		case likeField(x) && likeField(y):
			v = Silent // it is used as before, and does something else
		}
		ds.as(v, KindChanged, -1, "", x.Kind.String(), y.Kind.String())
	}
	before := len(ds.list)
	xs, ys := &x.Signature, &y.Signature
	switch {
	case x.Kind.IsCallable() != y.Kind.IsCallable():
		before = -1 // nothing of the one can be compared with the other
	case ds.rules.Structural && behindType(x, y):
	case !m.writtenAlike(x, y):
		m.compareTypes(ds, h, xs, ys)
	}
	switch {
	case y.Visibility > x.Visibility:
		ds.add(VisibilityNarrowed, x.Visibility.String(), y.Visibility.String())
	case y.Visibility < x.Visibility:
		ds.add(VisibilityWidened, x.Visibility.String(), y.Visibility.String())
	}
	m.compareThrows(ds, b, h)
	m.widen(ds, x.Flags.Has(graph.FlagFinal) && y.Flags.Has(graph.FlagFinal))
	m.compareFlags(ds, b, x, y)
	compareCompiled(ds, x, y)
	m.compareAnnotations(ds, b, h)
	// What the data does not show, such as another default value.
	if len(ds.list) == before && x.Name == y.Name && xs.Text != "" && ys.Text != "" && xs.Text != ys.Text &&
		!onlyNames(xs.Params, ys.Params) && !onlyNames(xs.Results, ys.Results) &&
		!m.spelled.sameText(withoutReceiver(xs.Text, x.Name), withoutReceiver(ys.Text, y.Name)) {
		v := ds.rules.verdict(TextChanged)
		if ds.rules.Structural && lostOverload(xs.Text, ys.Text) {
			v = Breaking
		}
		ds.as(v, TextChanged, -1, "", xs.Text, ys.Text)
	}
}

// lostOverload reports whether one of the signatures of a function that is
// written with several is gone. The last is that of its body, which no caller
// sees.
func lostOverload(was, is string) bool {
	xs := strings.Split(was, overloads)
	ys := strings.Split(is, overloads)
	return len(xs) > 1 && slices.ContainsFunc(xs[:len(xs)-1], func(x string) bool { return !slices.Contains(ys[:len(ys)-1], x) })
}

// overloads separates the signatures of one declaration in its text.
const overloads = "; "

// behindType reports whether the parameters of a function changed that is the
// value of something with a declared type: its users see the type, and how it is
// written shows no parameters.
func behindType(x, y *graph.Node) bool {
	xs, ys := &x.Signature, &y.Signature
	return x.Kind.IsCallable() && xs.Text != "" && xs.Text == ys.Text && !slices.EqualFunc(xs.Params, ys.Params, func(p, q graph.Param) bool {
		return p.Name == q.Name && p.Flags == q.Flags
	})
}

// compareTypes adds the details of two signatures, the second one of h.
func (m *matcher) compareTypes(ds *details, h graph.ID, xs, ys *graph.Signature) {
	if !slices.Equal(xs.TypeParams, ys.TypeParams) {
		compareTypeParams(ds, m.spelled.params(xs.TypeParams), ys.TypeParams)
	}
	if !slices.Equal(xs.Params, ys.Params) {
		now := m.spelled.params(xs.Params)
		compareParams(ds, now, asBefore(xs.Params, now, ys.Params))
	}
	if !slices.Equal(xs.Results, ys.Results) {
		now := m.spelled.params(xs.Results)
		compareResults(ds, now, asBefore(xs.Results, now, ys.Results))
	}
	if t := m.spelled.typ(xs.Type); !sameType(t, ys.Type) && !stillNames(xs.Type, ys.Type) {
		ds.add(TypeChanged, xs.Type, ys.Type)
	}
	if !slices.Equal(xs.Bases, ys.Bases) {
		m.compareBases(ds, h, xs.Bases, ys.Bases)
	}
}

// onlyNames reports whether two lists without defaults differ in the names of
// parameters or results: in what they are called, or whether they are.
func onlyNames(xs, ys []graph.Param) bool {
	return !slices.Equal(xs, ys) && slices.EqualFunc(xs, ys, func(x, y graph.Param) bool {
		return x.Flags == y.Flags && x.Flags&graph.ParamOptional == 0
	})
}

// withoutReceiver leaves a receiver that is written before a method's name out
// of the text of its declaration: what it is called is nobody's concern, and
// its type is the owner.
func withoutReceiver(text, name string) string {
	at := strings.Index(text, ") "+name)
	from := strings.IndexByte(text, '(')
	if at < 0 || from < 0 || strings.ContainsAny(text[from+1:at], "()") {
		return text
	}
	return text[:from] + text[at+2:]
}

// sameType reports whether two types are the same as far as the graphs know
// them: a part that could not be resolved, "?" or "?Name", may be anything, or
// anything of that name.
func sameType(x, y string) bool {
	for x != y {
		i := 0
		for i < min(len(x), len(y)) && x[i] == y[i] {
			i++
		}
		for i > 0 && isName(x[i-1]) {
			i-- // to where the name at hand begins
		}
		if i > 0 && x[i-1] == '?' {
			i--
		}
		a, ra, oka := unresolved(x[i:])
		b, rb, okb := unresolved(y[i:])
		switch {
		case !oka && !okb:
			return false
		case oka && a == "" || okb && b == "":
			return true
		case last(a) != last(b):
			return false
		}
		x, y = ra, rb
	}
	return true
}

// stillNames reports whether a type of the head names in vain what the base's type
// named: what has another name now is not called by it here.
func stillNames(was, is string) bool {
	return was != "" && strings.Contains(is, "?") && sameType(was, is)
}

// asBefore returns the parameters ys with the types now that those of xs have in
// the head, where they still name the old ones.
func asBefore(xs, now, ys []graph.Param) []graph.Param {
	cloned := false
	for i := range min(len(xs), len(ys)) {
		if xs[i].Name != ys[i].Name || now[i].Type == ys[i].Type || !stillNames(xs[i].Type, ys[i].Type) {
			continue
		}
		if !cloned {
			ys, cloned = slices.Clone(ys), true
		}
		ys[i].Type = now[i].Type
	}
	return ys
}

// unresolved splits the name that a type begins with from the rest; ok says
// that it could not be resolved.
func unresolved(t string) (name, rest string, ok bool) {
	t, ok = strings.CutPrefix(t, "?")
	n := 0
	for n < len(t) && isName(t[n]) {
		n++
	}
	return t[:n], t[n:], ok
}

// variable reports whether declarations of kind k are read by name.
func variable(k graph.Kind) bool { return k == graph.KindVariable || k == graph.KindConstant }

// likeField reports whether n is a field, or a method that is used like one.
func likeField(n *graph.Node) bool {
	return n.Kind == graph.KindField || n.Flags.Has(graph.FlagAccessor)
}

// params returns parameters with their types respelled.
func (s *spelling) params(ps []graph.Param) []graph.Param {
	if len(s.long) == 0 || len(ps) == 0 {
		return ps
	}
	out := slices.Clone(ps)
	for i := range out {
		out[i].Type = s.typ(out[i].Type)
	}
	return out
}

// alignment pairs the parameters of two lists in order. from[j] is the index in
// the base of the head's parameter j, or -1; to[i] is the reverse.
type alignment struct {
	cost     int
	to, from []int
}

// maxParams bounds the quadratic alignment; longer lists are paired by
// position.
const maxParams = 128

// alignParams finds the cheapest way to turn the list xs into ys: 0 for an
// equal parameter, 1 for another name or type, 3 for both, 2 for one that came
// or went.
func alignParams(xs, ys []graph.Param) alignment {
	a := alignment{to: make([]int, len(xs)), from: make([]int, len(ys))}
	for i := range a.to {
		a.to[i] = -1
	}
	for j := range a.from {
		a.from[j] = -1
	}
	if len(xs) > maxParams || len(ys) > maxParams {
		for i := range min(len(xs), len(ys)) {
			a.to[i], a.from[i] = i, i
			a.cost += replaceCost(&xs[i], &ys[i])
		}
		a.cost += 2 * (max(len(xs), len(ys)) - min(len(xs), len(ys)))
		return a
	}
	w := len(ys) + 1
	cost := make([]int, (len(xs)+1)*w)
	for i := len(xs); i >= 0; i-- {
		for j := len(ys); j >= 0; j-- {
			switch {
			case i == len(xs):
				cost[i*w+j] = 2 * (len(ys) - j)
			case j == len(ys):
				cost[i*w+j] = 2 * (len(xs) - i)
			default:
				cost[i*w+j] = min(cost[(i+1)*w+j+1]+replaceCost(&xs[i], &ys[j]), cost[(i+1)*w+j]+2, cost[i*w+j+1]+2)
			}
		}
	}
	a.cost = cost[0]
	for i, j := 0, 0; i < len(xs) && j < len(ys); {
		switch c := cost[i*w+j]; c {
		case cost[(i+1)*w+j+1] + replaceCost(&xs[i], &ys[j]):
			a.to[i], a.from[j] = j, i
			i, j = i+1, j+1
		case cost[(i+1)*w+j] + 2:
			i++
		default:
			j++
		}
	}
	return a
}

// pairKeywords pairs the parameters that are only given by name with those of
// their name: where they stand among each other does not matter.
func (a *alignment) pairKeywords(xs, ys []graph.Param) {
	var named map[string]int
	for j := range ys {
		if ys[j].Flags&graph.ParamKeywordOnly != 0 {
			if named == nil {
				named = map[string]int{}
			}
			named[ys[j].Name] = j
		}
	}
	for i := range xs {
		j, ok := named[xs[i].Name]
		if !ok || xs[i].Flags&graph.ParamKeywordOnly == 0 || a.to[i] == j {
			continue
		}
		if was := a.to[i]; was >= 0 {
			a.from[was] = -1
		}
		if was := a.from[j]; was >= 0 {
			a.to[was] = -1
		}
		a.to[i], a.from[j] = j, i
	}
}

func replaceCost(x, y *graph.Param) int {
	switch {
	case x.Type == y.Type && x.Name == y.Name:
		return 0
	case x.Type == y.Type || x.Name == y.Name && x.Name != "":
		return 1
	}
	return 3
}

func compareParams(ds *details, xs, ys []graph.Param) {
	if reordered(xs, ys) {
		ds.add(ParamReordered, paramList(xs), paramList(ys))
		return
	}
	a := alignParams(xs, ys)
	a.pairKeywords(xs, ys)
	for i, j := range a.to {
		if j < 0 {
			ds.at(ParamRemoved, i, xs[i].Name, paramText(&xs[i]), "")
		}
	}
	for j, i := range a.from {
		y := &ys[j]
		if i < 0 {
			v := ds.rules.verdict(ParamAdded)
			if freeToOmit(y) && (isLast(ys, j) || y.Flags&(graph.ParamKeywordOnly|graph.ParamKeywords) != 0) || ds.rules.LooseArity && isLast(ys, j) {
				v = Compatible
			}
			ds.as(v, ParamAdded, j, y.Name, "", paramText(y))
			continue
		}
		x := &xs[i]
		if x.Name != y.Name && x.Flags&graph.ParamPositional == 0 && x.Name != "" {
			v := ds.rules.verdict(ParamRenamed)
			if x.Flags&graph.ParamKeywordOnly != 0 {
				v = Breaking
			} else if x.Flags&(graph.ParamVariadic|graph.ParamKeywords) != 0 {
				v = Silent
			}
			ds.as(v, ParamRenamed, j, y.Name, x.Name, y.Name)
		}
		if !sameType(x.Type, y.Type) {
			v := ds.rules.verdict(ParamType)
			if slices.Contains(ds.rules.TopTypes, y.Type) {
				v = Compatible
			}
			ds.as(v, ParamType, j, y.Name, x.Type, y.Type)
		}
		comparePassing(ds, x, y, j)
	}
}

// comparePassing compares how an argument reaches a parameter.
func comparePassing(ds *details, x, y *graph.Param, j int) {
	const how = graph.ParamVariadic | graph.ParamKeywordOnly | graph.ParamPositional | graph.ParamKeywords
	switch lost, gained := x.Flags&^y.Flags, y.Flags&^x.Flags; {
	case lost&graph.ParamOptional != 0 && gained&graph.ParamVariadic == 0:
		ds.at(ParamRequired, j, y.Name, paramText(x), paramText(y))
	case gained&graph.ParamOptional != 0 && lost&how == 0 && gained&how == 0:
		ds.at(ParamOptional, j, y.Name, paramText(x), paramText(y))
	case (lost|gained)&how != 0:
		v := ds.rules.verdict(ParamPassing)
		switch {
		case lost == 0 && gained&how == graph.ParamVariadic, // any number instead of one
			gained&how == 0 && lost&how&^(graph.ParamKeywordOnly|graph.ParamPositional) == 0, // more ways than before
			gained&how == graph.ParamPositional && !ds.rules.Keywords && lost&how == 0:
			v = Compatible
		}
		ds.as(v, ParamPassing, j, y.Name, paramText(x), paramText(y))
	}
}

func freeToOmit(p *graph.Param) bool {
	return p.Flags&(graph.ParamOptional|graph.ParamVariadic|graph.ParamKeywords) != 0
}

// isLast reports whether only parameters that need no position follow j, so
// that a new one there shifts nothing.
func isLast(ps []graph.Param, j int) bool {
	for _, p := range ps[j+1:] {
		if p.Flags&(graph.ParamKeywordOnly|graph.ParamKeywords|graph.ParamVariadic) == 0 && !freeToOmit(&p) {
			return false
		}
	}
	return true
}

// reordered reports whether ys are the parameters xs in another order. Two
// parameters of one type that swapped their names count: every positional
// argument lands in the wrong one. Those that are only given by name do not.
func reordered(xs, ys []graph.Param) bool {
	if len(xs) != len(ys) || len(xs) < 2 || slices.Equal(positioned(xs), positioned(ys)) {
		return false
	}
	sorted := func(ps []graph.Param) []graph.Param {
		ps = slices.Clone(ps)
		slices.SortFunc(ps, func(x, y graph.Param) int {
			return strings.Compare(x.Name+"\x00"+x.Type+"\x00"+string(rune(x.Flags)), y.Name+"\x00"+y.Type+"\x00"+string(rune(y.Flags)))
		})
		return ps
	}
	return slices.Equal(sorted(xs), sorted(ys))
}

// positioned returns the parameters that may be given by position.
func positioned(ps []graph.Param) []graph.Param {
	keyword := func(p graph.Param) bool { return p.Flags&graph.ParamKeywordOnly != 0 }
	if !slices.ContainsFunc(ps, keyword) {
		return ps
	}
	return slices.DeleteFunc(slices.Clone(ps), keyword)
}

func compareResults(ds *details, xs, ys []graph.Param) {
	// Names of results are for readers only.
	unnamed := func(ps []graph.Param) []graph.Param {
		ps = slices.Clone(ps)
		for i := range ps {
			ps[i].Name = ""
		}
		return ps
	}
	us, vs := unnamed(xs), unnamed(ys)
	a := alignParams(us, vs)
	for i, j := range a.to {
		if j < 0 {
			ds.at(ResultRemoved, i, xs[i].Name, xs[i].Type, "")
		}
	}
	for j, i := range a.from {
		switch {
		case i < 0:
			ds.at(ResultAdded, j, ys[j].Name, "", ys[j].Type)
		case !sameType(xs[i].Type, ys[j].Type):
			ds.at(ResultType, j, ys[j].Name, xs[i].Type, ys[j].Type)
		}
	}
}

func compareTypeParams(ds *details, xs, ys []graph.Param) {
	for i := range max(len(xs), len(ys)) {
		switch {
		case i >= len(ys):
			ds.at(TypeParamRemoved, i, xs[i].Name, paramText(&xs[i]), "")
		case i >= len(xs):
			ds.at(TypeParamAdded, i, ys[i].Name, "", paramText(&ys[i]))
		case xs[i].Type != ys[i].Type:
			v := ds.rules.verdict(TypeParamBound)
			if slices.Contains(ds.rules.TopTypes, ys[i].Type) || ds.rules.wider(xs[i].Type, ys[i].Type) {
				v = Compatible
			}
			ds.as(v, TypeParamBound, i, ys[i].Name, xs[i].Type, ys[i].Type)
		}
	}
}

// compareBases compares the bases of a type that is h in the head. What became
// the base of a base is one still.
func (m *matcher) compareBases(ds *details, h graph.ID, xs, ys []string) {
	mapped := make([]string, len(xs))
	var above []string
	for i := range xs {
		mapped[i] = m.spelled.typ(xs[i])
		if slices.Contains(ys, mapped[i]) {
			continue
		}
		if above == nil {
			above = basesAbove(m.head.g, h)
		}
		if !slices.Contains(above, mapped[i]) {
			ds.at(BaseRemoved, -1, xs[i], xs[i], "")
		}
	}
	for _, y := range ys {
		if !slices.Contains(mapped, y) {
			ds.at(BaseAdded, -1, y, "", y)
		}
	}
}

// maxAbove bounds the types above one that are looked at.
const maxAbove = 1 << 8

// basesAbove returns the bases of all types of the graph above n.
func basesAbove(g *graph.Graph, n graph.ID) []string {
	above := []string{}
	seen := []graph.ID{n}
	for i := 0; i < len(seen) && len(seen) < maxAbove; i++ {
		for _, k := range []graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements} {
			for _, e := range g.OutKind(seen[i], k) {
				if !slices.Contains(seen, e.To) && g.Nodes[e.To].Kind.IsType() {
					seen = append(seen, e.To)
					above = append(above, g.Nodes[e.To].Signature.Bases...)
				}
			}
		}
	}
	return above
}

// flagCodes holds the codes of flags that came and went.
var flagCodes = []struct {
	flag       graph.Flags
	came, went Code
}{
	{graph.FlagStatic, StaticChanged, StaticChanged},
	{graph.FlagAbstract, AbstractAdded, AbstractRemoved},
	{graph.FlagFinal, FinalAdded, FinalRemoved},
	{graph.FlagAsync, AsyncChanged, AsyncChanged},
	{graph.FlagPtrReceiver, ReceiverPointer, ReceiverValue},
	{graph.FlagDeprecated, Deprecated, Undeprecated},
}

// closed reports whether nothing extends a class and nothing outside of it can:
// it has constructors, which only the class itself sees.
func (m *matcher) closed(b graph.ID) bool {
	g := m.base.g
	if g.Nodes[b].Kind != graph.KindClass {
		return false
	}
	if len(g.InKind(b, graph.EdgeExtends)) > 0 {
		return false
	}
	some := false
	for _, m := range m.base.members(b) {
		if n := &g.Nodes[m]; n.Kind == graph.KindConstructor {
			if n.Visibility != graph.Private {
				return false
			}
			some = true
		}
	}
	return some
}

// compareFlags adds the details of flags that came and went; x is the node b of
// the base graph.
func (m *matcher) compareFlags(ds *details, b graph.ID, x, y *graph.Node) {
	for _, c := range flagCodes {
		had, has := x.Flags.Has(c.flag), y.Flags.Has(c.flag)
		if had == has {
			continue
		}
		code, was, is := c.came, "", c.flag.Names()[0]
		if had {
			code, was, is = c.went, is, ""
		}
		v := ds.rules.verdict(code)
		switch {
		case has && c.flag == graph.FlagStatic && ds.rules.Statics && !y.Kind.IsCallable(), // who had a value of the type still has
			has && c.flag == graph.FlagFinal && m.closed(b),
			c.flag == graph.FlagAsync && ds.rules.Structural && m.givesTheSame(&x.Signature, &y.Signature):
			v = Compatible
		}
		ds.as(v, code, -1, "", was, is)
	}
}

// givesTheSame reports whether two functions are known to give the same: where the
// result of an asynchronous one is what it is waited for, the other gives that, too.
func (m *matcher) givesTheSame(xs, ys *graph.Signature) bool {
	if len(xs.Results) != 1 || len(ys.Results) != 1 {
		return false
	}
	x, y := m.spelled.typ(xs.Results[0].Type), ys.Results[0].Type
	return x != "" && x[0] != '?' && y != "" && y[0] != '?' && sameType(x, y)
}

// paramText writes a parameter for people.
func paramText(p *graph.Param) string {
	var b strings.Builder
	switch {
	case p.Flags&graph.ParamKeywords != 0:
		b.WriteString("**")
	case p.Flags&graph.ParamVariadic != 0:
		b.WriteString("...")
	}
	b.WriteString(p.Name)
	if p.Flags&graph.ParamOptional != 0 {
		b.WriteByte('?')
	}
	if p.Type != "" {
		if p.Name != "" {
			b.WriteByte(' ')
		}
		b.WriteString(p.Type)
	}
	if b.Len() == 0 {
		return "_"
	}
	return b.String()
}

func paramList(ps []graph.Param) string {
	parts := make([]string, len(ps))
	for i := range ps {
		parts[i] = paramText(&ps[i])
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// Ordinal returns a 0-based position as people count: "1st".
func Ordinal(i int) string {
	n := i + 1
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
