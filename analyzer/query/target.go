package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// resolve finds the targets of a request; false means that the answer says what
// they could be.
func (q *asking) resolve() (bool, error) {
	q.target, q.to = graph.None, graph.None
	if q.r.Target != "" && q.op.Name != "find" {
		id, ok := q.one(q.r.Target)
		if !ok {
			return false, nil
		}
		q.target = id
		s := q.x.Symbol(id)
		q.a.Target = &s
	}
	if q.r.To != "" {
		id, ok := q.one(q.r.To)
		if !ok {
			return false, nil
		}
		q.to = id
		s := q.x.Symbol(id)
		q.a.To = &s
	}
	return true, nil
}

func (q *asking) one(target string) (graph.ID, bool) {
	ids := q.x.Resolve(target, q.prefers())
	switch len(ids) {
	case 1:
		if _, line, ok := cutLine(target); ok && q.g.Nodes[ids[0]].Kind == graph.KindFile {
			q.note = fmt.Sprintf("no declaration is at line %d: the file is meant", line)
		}
		return ids[0], true
	case 0:
		q.a.Reason = fmt.Sprintf("nothing in the graph is called %q", clip(target))
		if of, _, ok := strings.Cut(target, "#"); ok && strings.Contains(of, ":") && q.g.Lookup(of) == graph.None {
			q.a.Reason += fmt.Sprintf("; no package %q is in it: the key may be of another graph", clip(of))
		}
		for _, id := range q.x.Near(target, maxNear) {
			q.a.Near = append(q.a.Near, q.x.Symbol(id))
		}
		q.a.Suggestion = "try one of the near names, or search for words instead"
		if len(q.a.Near) == 0 {
			q.a.Suggestion = "search for words instead"
		}
	default:
		q.a.Reason = fmt.Sprintf("%q is the name of %d declarations", clip(target), len(ids))
		q.a.Suggestion = "ask again with the id of one of the candidates"
		for _, id := range ids[:min(maxCandidate, len(ids))] {
			q.a.Candidates = append(q.a.Candidates, q.x.Symbol(id))
		}
	}
	return graph.None, false
}

// prefers says which kinds a question is about, where a name leaves several.
func (q *asking) prefers() func(graph.Kind) bool {
	switch q.op.Name {
	case "callers", "callees", "path", "tests":
		return func(k graph.Kind) bool { return k.IsCallable() }
	case "dependencies", "dependents":
		return func(k graph.Kind) bool { return k == graph.KindPackage }
	case "implementations", "hierarchy":
		return func(k graph.Kind) bool { return k.IsType() || k == graph.KindMethod }
	case "overrides":
		return func(k graph.Kind) bool { return k == graph.KindMethod }
	}
	return nil
}

// Resolve returns the nodes that a user may mean, best first, by key, or by
// what stands at a path and line, or by name. More than one means that it is
// not clear. prefer, if it is not nil, decides between kinds that a name leaves.
func (x *Index) Resolve(target string, prefer func(graph.Kind) bool) []graph.ID {
	if target == "." { // all of it
		target = "repo:"
	}
	if ids := x.declared(target, prefer); len(ids) > 0 {
		return ids
	}
	if ids := x.routesAt(target); len(ids) > 0 {
		return ids
	}
	return x.inherited(target, prefer)
}

// routesAt returns the routes of a path, or of a topic, with or without their method
// or broker.
func (x *Index) routesAt(target string) []graph.ID {
	var ids []graph.ID
	for i := range x.g.Nodes {
		if n := &x.g.Nodes[i]; n.Kind == graph.KindRoute {
			if _, path, _ := strings.Cut(n.Name, " "); n.Name == target || path == target {
				ids = append(ids, graph.ID(i))
			}
		}
	}
	return x.best(ids, nil)
}

// declared is Resolve for what is declared by that name itself.
func (x *Index) declared(target string, prefer func(graph.Kind) bool) []graph.ID {
	g := x.g
	if id := g.Lookup(target); id != graph.None {
		return []graph.ID{id}
	}
	if id := g.Lookup(graph.FileKey(strings.TrimPrefix(target, "./"))); id != graph.None {
		return []graph.ID{id}
	}
	if ids := x.atLine(target); len(ids) > 0 {
		return ids
	}
	if ids := x.inFile(target, prefer); len(ids) > 0 {
		return ids
	}
	last := lastName(target)
	if last == "" {
		return nil
	}
	// The names of packages and modules may be paths of which the last part
	// stands for all.
	var exact, suffix, plain []graph.ID
	overloads := !strings.Contains(target, "(") // all of them are meant
	for _, id := range x.named(last) {
		n := &g.Nodes[id]
		qname, key := n.QName, n.Key
		if overloads {
			qname, key = withoutParams(qname), withoutParams(key)
		}
		switch {
		case qname == target || key == target:
			exact = append(exact, id)
		case endsAt(qname, target) || endsAt(key, target) || endsAt(strings.Replace(key, "#", ".", 1), target):
			suffix = append(suffix, id)
		case n.Name == target:
			plain = append(plain, id)
		}
	}
	for _, ids := range [][]graph.ID{exact, suffix, plain} {
		if len(ids) > 0 {
			return x.best(ids, prefer)
		}
	}
	var files []graph.ID
	if strings.Contains(target, ".") {
		for _, f := range x.files(target) {
			files = append(files, g.Lookup(graph.FileKey(f)))
		}
	}
	return files
}

// maxSupers bounds the types above one that are looked at for a member.
const maxSupers = 256

// inherited returns the members that Type.member means where the type has its
// member from a type above it; the nearest above.
func (x *Index) inherited(target string, prefer func(graph.Kind) bool) []graph.ID {
	last := lastName(target)
	at := strings.LastIndexAny(target, ".#")
	if last == "" || at <= 0 || target[at+1:] != last {
		return nil
	}
	var types []graph.ID
	for _, id := range x.declared(target[:at], func(k graph.Kind) bool { return k.IsType() }) {
		if x.g.Nodes[id].Kind.IsType() {
			types = append(types, id)
		}
	}
	if len(types) > maxCandidate {
		return nil
	}
	var found []graph.ID
	for _, t := range types {
		level, seen := []graph.ID{t}, map[graph.ID]bool{t: true}
		for n := 0; len(level) > 0 && n == len(found); {
			var next []graph.ID
			for _, t := range level {
				for _, k := range [...]graph.EdgeKind{graph.EdgeExtends, graph.EdgeEmbeds, graph.EdgeImplements} {
					for _, e := range x.g.OutKind(t, k) {
						if !seen[e.To] && len(seen) < maxSupers {
							seen[e.To] = true
							next = append(next, e.To)
						}
					}
				}
			}
			for _, t := range next {
				for _, c := range x.Children(t) {
					if x.g.Nodes[c].Name == last && !slices.Contains(found, c) {
						found = append(found, c)
					}
				}
			}
			level = next
		}
	}
	return x.best(found, prefer)
}

// best prefers what is in the tree to what is not, and the wanted kinds to
// others, and code to tests.
func (x *Index) best(ids []graph.ID, prefer func(graph.Kind) bool) []graph.ID {
	keep := func(ok func(*graph.Node) bool) {
		var some []graph.ID
		for _, id := range ids {
			if ok(&x.g.Nodes[id]) {
				some = append(some, id)
			}
		}
		if len(some) > 0 {
			ids = some
		}
	}
	keep(func(n *graph.Node) bool { return n.Kind != graph.KindExternal })
	if prefer != nil {
		keep(func(n *graph.Node) bool { return prefer(n.Kind) })
	} else {
		keep(func(n *graph.Node) bool { return !n.Flags.Has(graph.FlagTest) })
		keep(func(n *graph.Node) bool { return !n.Kind.IsContainer() })
		keep(func(n *graph.Node) bool { return n.Kind.IsCallable() || n.Kind.IsType() })
	}
	keep(func(n *graph.Node) bool { return !n.Flags.Has(graph.FlagTest) })
	return ids
}

// withoutParams returns a name without the types of parameters that tell it from
// others.
func withoutParams(name string) string {
	if i := strings.LastIndexByte(name, '('); i > 0 && strings.HasSuffix(name, ")") {
		return name[:i]
	}
	return name
}

// lastName returns what comes after the last separator. A # that follows one is
// the beginning of a name that is private.
func lastName(s string) string {
	s = strings.TrimRight(s, "./#:")
	if i := strings.IndexByte(s, '('); i > 0 {
		s = s[:i] // an overload
	}
	i := strings.LastIndexAny(s, ".#/:")
	if i >= 0 && s[i] == '#' && (i == 0 || strings.IndexByte(".#/:", s[i-1]) >= 0) {
		i--
	}
	return s[i+1:]
}

// endsAt reports whether suffix ends s and begins after a separator.
func endsAt(s, suffix string) bool {
	if !strings.HasSuffix(s, suffix) || len(s) <= len(suffix) {
		return false
	}
	return strings.IndexByte(".#/:", s[len(s)-len(suffix)-1]) >= 0
}

// atLine understands path:line and path:line:column. The path may lack its
// first folders.
func (x *Index) atLine(target string) []graph.ID {
	p, line, ok := cutLine(target)
	if !ok {
		return nil
	}
	if q, first, ok := cutLine(p); ok {
		p, line = q, first // there was a column
	}
	var out []graph.ID
	for _, f := range x.files(p) {
		if id := x.At(f, line); id != graph.None {
			out = append(out, id)
		}
	}
	return out
}

// files returns the paths that one may mean that perhaps lacks its first folders.
func (x *Index) files(p string) []string {
	p = strings.TrimPrefix(p, "./")
	if x.g.FileIndex(p) >= 0 {
		return []string{p}
	}
	var files []string
	for i := range x.g.Files {
		if f := x.g.Files[i].Path; endsAt(f, p) {
			files = append(files, f)
		}
	}
	return files
}

// inFile understands path:name and path::name, as test runners write it.
func (x *Index) inFile(target string, prefer func(graph.Kind) bool) []graph.ID {
	i := strings.LastIndexByte(target, ':')
	if i <= 0 || i+1 == len(target) {
		return nil
	}
	files := x.files(strings.TrimRight(target[:i], ":"))
	if len(files) == 0 {
		return nil
	}
	name := target[i+1:]
	var ids []graph.ID
	for _, id := range x.named(lastName(name)) {
		n := &x.g.Nodes[id]
		if q := withoutParams(n.QName); slices.Contains(files, n.File) && (n.Name == name || endsAt(q, name) || endsAt(n.QName, name)) {
			ids = append(ids, id)
		}
	}
	return x.best(ids, prefer)
}

func cutLine(s string) (rest string, line int32, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 {
		return s, 0, false
	}
	n, err := strconv.ParseInt(s[i+1:], 10, 32)
	return s[:i], int32(n), err == nil && n > 0
}

// At returns the innermost declaration at a line of a file, the file itself if
// there is none, or None. O(n).
func (x *Index) At(file string, line int32) graph.ID {
	best := graph.None
	for i := range x.g.Nodes {
		n := &x.g.Nodes[i]
		if n.File != file || n.Kind == graph.KindModule {
			continue
		}
		switch {
		case n.Kind == graph.KindFile:
			if best == graph.None {
				best = graph.ID(i)
			}
		case n.DefLine > line || n.EndLine < line:
		case best == graph.None, x.g.Nodes[best].Kind == graph.KindFile,
			n.DefLine > x.g.Nodes[best].DefLine,
			n.DefLine == x.g.Nodes[best].DefLine && n.EndLine < x.g.Nodes[best].EndLine:
			best = graph.ID(i)
		}
	}
	return best
}

// Near returns nodes with names like the last part of target: with other
// capitals, with it in their name, or at a small edit distance. O(n).
func (x *Index) Near(target string, most int) []graph.ID {
	at, _, line := cutLine(target)
	last := strings.ToLower(lastName(target))
	file := strings.ToLower(at[strings.LastIndexByte(at, '/')+1:])
	if line {
		last = file // of a file: its name has the same parts as others
	}
	if last == "" || len(last) > 100 {
		return nil
	}
	type scored struct {
		id    graph.ID
		score int
	}
	var list []scored
	row := make([]int, len(last)+1)
	limit := max(1, len(last)/3)
	for i := range x.g.Nodes {
		n := &x.g.Nodes[i]
		if n.Name == "" || n.Kind == graph.KindRepository || line && n.Kind != graph.KindFile {
			continue
		}
		score := -1
		switch name := strings.ToLower(n.Name); {
		case name == last, n.Kind == graph.KindFile && name == file:
			score = 0
		case len(last) >= 3 && strings.Contains(name, last), len(name) >= 4 && strings.Contains(last, name):
			score = 2 + max(len(name)-len(last), len(last)-len(name))/2
		default:
			if d := editDistance(name, last, limit, row); d <= limit {
				score = 1 + d
			}
		}
		if score < 0 {
			continue
		}
		if n.Kind == graph.KindExternal || n.Flags.Has(graph.FlagTest) {
			score += 3
		}
		if !n.Kind.IsCallable() && !n.Kind.IsType() && n.Kind != graph.KindPackage {
			score += 2
		}
		list = append(list, scored{graph.ID(i), score})
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.id, b.id))
	})
	var out []graph.ID
	for _, s := range list[:min(most, len(list))] {
		out = append(out, s.id)
	}
	return out
}

// editDistance is the Levenshtein distance, or something above limit. row has
// room for len(b)+1 numbers.
func editDistance(a, b string, limit int, row []int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			c := last
			if a[i] != b[j] {
				c++
			}
			last = row[j+1]
			row[j+1] = min(c, row[j]+1, row[j+1]+1)
			least = min(least, row[j+1])
		}
		if least > limit {
			return limit + 1
		}
	}
	return row[len(b)]
}
