package diff

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// levels is rules 3 to 7, from the outermost owners to the innermost, types
// before the declarations whose signatures name them.
func (m *matcher) levels() {
	m.base.free = slices.DeleteFunc(m.base.free, func(b graph.ID) bool { return !m.freeBase(b) })
	m.head.free = slices.DeleteFunc(m.head.free, func(h graph.ID) bool { return !m.freeHead(h) })
	for lo, hlo := 0, 0; lo < len(m.base.free) && hlo < len(m.head.free); {
		d := min(m.base.depth[m.base.free[lo]], m.head.depth[m.head.free[hlo]])
		bs := atDepth(&m.base, lo, d)
		hs := atDepth(&m.head, hlo, d)
		lo, hlo = lo+len(bs), hlo+len(hs)
		if len(bs) == 0 || len(hs) == 0 {
			continue
		}
		for _, types := range []bool{true, false} {
			of := func(s *side, ids []graph.ID) []graph.ID {
				var out []graph.ID
				for _, n := range ids {
					if k := s.g.Nodes[n].Kind; (isHolder(k) || k.IsContainer()) == types {
						out = append(out, n)
					}
				}
				return out
			}
			m.level(of(&m.base, bs), of(&m.head, hs))
		}
	}
}

func atDepth(s *side, from int, d int32) []graph.ID {
	to := from
	for to < len(s.free) && s.depth[s.free[to]] == d {
		to++
	}
	return s.free[from:to]
}

func (m *matcher) level(bs, hs []graph.ID) {
	if len(bs) == 0 || len(hs) == 0 {
		return
	}
	m.samePlace(bs, hs)
	m.overloads(bs, hs)
	m.sameBody(bs, hs)
	m.sameLetters(bs, hs)
	m.namedAfter(bs, hs)
	m.onlyOneOfShape(bs, hs)
}

// samePlace is rule 3.
func (m *matcher) samePlace(bs, hs []graph.ID) {
	type key struct {
		owner graph.ID
		kind  graph.Kind
		place string
	}
	m.pairAlone(groups(m, bs, hs,
		func(b graph.ID) (key, bool) {
			u, ok := m.underBase(b)
			return key{u, class(m.base.g.Nodes[b].Kind), m.base.place(b)}, ok
		},
		func(h graph.ID) (key, bool) {
			u, ok := m.underHead(h)
			return key{u, class(m.head.g.Nodes[h].Kind), m.head.place(h)}, ok
		}))
}

// overloads is rule 4. Constructors have one name, whatever their type is
// called.
func (m *matcher) overloads(bs, hs []graph.ID) {
	type key struct {
		owner graph.ID
		kind  graph.Kind
		name  string
	}
	of := func(n *graph.Node, u graph.ID) key {
		if n.Kind == graph.KindConstructor {
			return key{u, n.Kind, ""}
		}
		return key{u, class(n.Kind), n.Name}
	}
	var cs []candidate
	for _, g := range groups(m, bs, hs,
		func(b graph.ID) (key, bool) {
			u, ok := m.underBase(b)
			return of(&m.base.g.Nodes[b], u), ok && !isPackaging(m.base.g.Nodes[b].Kind)
		},
		func(h graph.ID) (key, bool) {
			u, ok := m.underHead(h)
			return of(&m.head.g.Nodes[h], u), ok && !isPackaging(m.head.g.Nodes[h].Kind)
		}) {
		if len(g.base)*len(g.head) > maxProduct {
			continue
		}
		for _, b := range g.base {
			for _, h := range g.head {
				x, y := &m.base.g.Nodes[b], &m.head.g.Nodes[h]
				score := -8 * m.paramDistance(x.Signature.Params, y.Signature.Params)
				if x.Body == y.Body {
					score += 2
				}
				if last(x.File) == last(y.File) {
					score++
				}
				cs = append(cs, candidate{b, h, score})
			}
		}
	}
	m.pairBest(cs, true)
}

// paramDistance is the least cost of turning one parameter list into another.
func (m *matcher) paramDistance(base, head []graph.Param) int {
	return alignParams(m.spelled.params(base), head).cost
}

// sameBody is most of rule 5: first with the same shape, then, for bodies that are
// long enough to say something, with any shape.
func (m *matcher) sameBody(bs, hs []graph.ID) {
	type key struct {
		owner graph.ID
		kind  graph.Kind
		body  graph.Hash
		shape string
	}
	for _, shape := range []bool{true, false} {
		of := func(s *side, id, u graph.ID, ok bool) (key, bool) {
			n := &s.g.Nodes[id]
			k := key{owner: u, kind: n.Kind, body: n.Body}
			if shape {
				k.shape = m.shape(n, s == &m.base)
			}
			// The body of a type leaves its members out: all that have some
			// look the same.
			members := isHolder(n.Kind) && len(s.members(id)) > 0
			return k, ok && !n.Body.IsZero() && (shape || n.Tokens >= longBody) && !n.Kind.IsContainer() && !members
		}
		m.pairAlone(groups(m, bs, hs,
			func(b graph.ID) (key, bool) {
				u, ok := m.underBase(b)
				return of(&m.base, b, u, ok)
			},
			func(h graph.ID) (key, bool) {
				u, ok := m.underHead(h)
				return of(&m.head, h, u, ok)
			}))
	}
}

// sameLetters is the part of rule 5 for what became visible, or is not any more,
// where the name says so, and for names that are spelled by another convention.
func (m *matcher) sameLetters(bs, hs []graph.ID) {
	type key struct {
		owner graph.ID
		kind  graph.Kind
		name  string
	}
	of := func(n *graph.Node, u graph.ID, ok bool) (key, bool) {
		return key{u, class(n.Kind), letters(n.Name)}, ok && !n.Kind.IsContainer() && n.Kind != graph.KindConstructor
	}
	m.pairAlone(groups(m, bs, hs,
		func(b graph.ID) (key, bool) {
			u, ok := m.underBase(b)
			return of(&m.base.g.Nodes[b], u, ok)
		},
		func(h graph.ID) (key, bool) {
			u, ok := m.underHead(h)
			return of(&m.head.g.Nodes[h], u, ok)
		}))
}

// letters returns a name without what says who sees it, and how its words are put
// together: it is the same for Close and close, _load and load, maxSize and
// MAX_SIZE. A name of underscores is all there is.
func letters(name string) string {
	if s := strings.ReplaceAll(name, "_", ""); s != "" {
		name = s
	}
	return strings.ToLower(name)
}

// namedAfter is the part of rule 5 for what is named after a type that has another
// name now: newStore became newCache with store and cache.
func (m *matcher) namedAfter(bs, hs []graph.ID) {
	type key struct {
		owner graph.ID
		kind  graph.Kind
		name  string
	}
	renamed := m.spelled.renamedTypes()
	if len(renamed) == 0 || len(renamed)*(len(bs)+len(hs)) > maxProduct {
		return
	}
	came := map[key][]graph.ID{}
	for _, h := range hs {
		if u, ok := m.underHead(h); ok && m.freeHead(h) {
			n := &m.head.g.Nodes[h]
			k := key{u, class(n.Kind), letters(n.Name)}
			came[k] = append(came[k], h)
		}
	}
	var cs []candidate
	for _, b := range bs {
		u, ok := m.underBase(b)
		if !ok || !m.freeBase(b) {
			continue
		}
		n := &m.base.g.Nodes[b]
		name := letters(n.Name)
		for _, r := range renamed {
			if !strings.Contains(name, r[0]) {
				continue
			}
			is := strings.ReplaceAll(name, r[0], r[1])
			if strings.ReplaceAll(is, r[1], r[0]) != name {
				continue // it would not be so the other way round
			}
			for _, h := range came[key{u, class(n.Kind), is}] {
				cs = append(cs, candidate{b, h, 0})
			}
		}
	}
	m.pairBest(cs, false)
}

// longBody is the number of tokens from which an equal or similar body is
// evidence by itself. Graphs hold MinHashes from the same length.
const longBody = 16

// onlyOneOfShape is rule 7.
func (m *matcher) onlyOneOfShape(bs, hs []graph.ID) {
	type key struct {
		owner graph.ID
		kind  graph.Kind
	}
	for _, g := range groups(m, bs, hs,
		func(b graph.ID) (key, bool) {
			u, ok := m.underBase(b)
			n := &m.base.g.Nodes[b]
			return key{u, n.Kind}, ok && allShape(n)
		},
		func(h graph.ID) (key, bool) {
			u, ok := m.underHead(h)
			n := &m.head.g.Nodes[h]
			return key{u, n.Kind}, ok && allShape(n)
		}) {
		if len(g.base) != 1 || len(g.head) != 1 {
			continue
		}
		x, y := &m.base.g.Nodes[g.base[0]], &m.head.g.Nodes[g.head[0]]
		if m.shape(x, true) == m.shape(y, false) {
			m.pair(g.base[0], g.head[0])
		}
	}
}

// allShape reports whether the shape of a declaration says all there is: it has
// no body, or is another name for a type that is written out.
func allShape(n *graph.Node) bool {
	if n.Kind.IsType() {
		return n.Kind == graph.KindTypeAlias && literal(n.Signature.Type)
	}
	return n.Body.IsZero() && !n.Kind.IsContainer()
}

// shape returns what users of a declaration must fit, without any names of its
// own or of its parameters.
func (m *matcher) shape(n *graph.Node, base bool) string {
	var b strings.Builder
	typ := func(t string) {
		if base {
			t = m.spelled.typ(t)
		}
		b.WriteString(t)
		b.WriteByte(0)
	}
	s := &n.Signature
	for _, ps := range [][]graph.Param{s.TypeParams, s.Params, s.Results} {
		for _, p := range ps {
			typ(p.Type)
			b.WriteByte(byte(p.Flags))
		}
		b.WriteByte(1)
	}
	typ(s.Type)
	for _, t := range s.Bases {
		typ(t)
	}
	return b.String()
}

// movedMembers is rule 9, then the same for names of the same letters, and for
// callables that also changed their name or became methods, if the body is long
// enough to say something.
func (m *matcher) movedMembers() {
	type key struct {
		kind graph.Kind
		name string
		body graph.Hash
		in   string
	}
	byName := func(g *graph.Graph, id graph.ID) (key, bool) {
		n := &g.Nodes[id]
		k := key{class(n.Kind), n.Name, n.Body, ""}
		if n.Visibility == graph.Private && n.Tokens < longBody && n.Parent != graph.None && g.Nodes[n.Parent].Kind.IsType() {
			// Few words that only one type uses say nothing of another elsewhere.
			if p := PackageOf(g, id); p != graph.None {
				k.in = g.Nodes[p].Key
			}
		}
		return k, !n.Body.IsZero() && !isHolder(n.Kind) && !n.Kind.IsContainer()
	}
	byLetters := func(g *graph.Graph, id graph.ID) (key, bool) {
		n := &g.Nodes[id]
		k, ok := byName(g, id)
		k.name = letters(n.Name)
		return k, ok && (n.Tokens >= longBody || !n.Kind.IsCallable())
	}
	byBody := func(g *graph.Graph, id graph.ID) (key, bool) {
		n := &g.Nodes[id]
		return key{class(n.Kind), "", n.Body, ""}, n.Kind.IsCallable() && n.Tokens >= longBody
	}
	for _, of := range []func(*graph.Graph, graph.ID) (key, bool){byName, byLetters, byBody} {
		m.pairAlone(groups(m, m.base.free, m.head.free,
			func(b graph.ID) (key, bool) { return of(m.base.g, b) },
			func(h graph.ID) (key, bool) { return of(m.head.g, h) }))
	}
}

// Thresholds of rule 10, as estimated Jaccard similarity of the bodies' token
// 4-grams. The estimate has a standard error of about 0.07. The less the place
// of a pair says, the more alike the bodies must be.
const (
	similarBecame    = 0.25 // in the same package: of the same name, parameters and results, but a method now or none any more; or with the same users
	similarSameUse   = 0.35 // functions of the same letters, parameters and results
	similarSameName  = 0.45
	similarSameShape = 0.50 // in the same file, with the same parameters and results
	similarSameOwner = 0.60
	similarAnywhere  = 0.80
)

// similarBodies is rule 10: callables whose bodies are nearly the same and
// that are each other's only best candidate. Candidates have the same name, or
// agree in one of the bands of the MinHash, which a pair of similarity 0.7 does
// in 99 of 100 cases and one of 0.5 in 74; bands and names that many bodies share
// are left out.
func (m *matcher) similarBodies() {
	type band struct {
		i, v int
		name string
	}
	index := map[band]*group{}
	collect := func(s *side, free func(graph.ID) bool, add func(*group, graph.ID)) {
		for _, id := range s.free {
			n := &s.g.Nodes[id]
			if !free(id) || !n.Kind.IsCallable() || n.MinHash == (graph.MinHash{}) || n.Tokens < longBody {
				continue
			}
			put := func(b band) {
				g := index[b]
				if g == nil {
					g = &group{}
					index[b] = g
				}
				add(g, id)
			}
			put(band{i: -1, name: letters(n.Name)})
			for i, v := range bandsOf(n.MinHash) {
				put(band{i: i, v: int(v)})
			}
		}
	}
	collect(&m.base, m.freeBase, func(g *group, n graph.ID) { g.base = append(g.base, n) })
	collect(&m.head, m.freeHead, func(g *group, n graph.ID) { g.head = append(g.head, n) })
	seen := map[[2]graph.ID]bool{}
	var cs []candidate
	for _, g := range index {
		if len(g.base)*len(g.head) > 1<<10 {
			continue
		}
		for _, b := range g.base {
			for _, h := range g.head {
				// By chance a band of two bodies agrees in 1 of 4,096.
				if m.base.g.Nodes[b].MinHash.Similarity(m.head.g.Nodes[h].MinHash) < similarBecame {
					continue
				}
				if p := [2]graph.ID{b, h}; !seen[p] {
					seen[p] = true
					if score, ok := m.bodyScore(b, h); ok {
						cs = append(cs, candidate{b, h, score})
					}
				}
			}
		}
	}
	m.pairBest(cs, false)
}

// bandsOf returns the bands of a MinHash: 32 of 6 values, of which each begins two
// values behind the one before and the last go on at the beginning. Bands of
// fewer values would agree by chance too often, and fewer bands that have no value
// in common would leave out more of what is alike.
func bandsOf(m graph.MinHash) (bands [32]uint16) {
	const width = 12 // bits
	x := [...]uint64{uint64(m[0]) | uint64(m[1])<<32, uint64(m[2]) | uint64(m[3])<<32}
	for i := range bands {
		at := 4 * i % 64
		v := x[i/16] >> at
		if at > 64-width {
			v |= x[1-i/16] << (64 - at)
		}
		bands[i] = uint16(v & (1<<width - 1))
	}
	return bands
}

func (m *matcher) bodyScore(b, h graph.ID) (int, bool) {
	x, y := &m.base.g.Nodes[b], &m.head.g.Nodes[h]
	if max(x.Tokens, y.Tokens) > 2*min(x.Tokens, y.Tokens) {
		return 0, false
	}
	like := x.MinHash.Similarity(y.MinHash)
	ub, okB := m.underBase(b)
	uh, okH := m.underHead(h)
	sameOwner := okB && okH && ub == uh
	sameShape := m.shape(x, true) == m.shape(y, false)
	need := similarAnywhere
	switch {
	case x.Name == y.Name && x.Kind != y.Kind && sameShape && len(x.Signature.Params) > 0 && m.samePackage(b, h):
		need = similarBecame
	case letters(x.Name) == letters(y.Name) && x.Kind == graph.KindFunction && y.Kind == x.Kind && sameShape && len(x.Signature.Params) > 0:
		need = similarSameUse
	case letters(x.Name) == letters(y.Name):
		need = similarSameName
	case sameOwner && sameShape && x.File == y.File && len(x.Signature.Params) > 0:
		need = similarSameShape
	case sameOwner:
		need = similarSameOwner
	}
	if like < need {
		return 0, false
	}
	score := 4 * int(like*64)
	if sameOwner {
		score += 2
	}
	if sameShape {
		score++
	}
	return score, true
}

// samePackage reports whether two declarations are in one package.
func (m *matcher) samePackage(b, h graph.ID) bool {
	pb, ph := m.base.packaging(b), m.head.packaging(h)
	return pb != graph.None && ph != graph.None && m.toHead[pb] == ph
}

// packaging returns the package or module that a declaration is in.
func (s *side) packaging(n graph.ID) graph.ID {
	for n != graph.None && !isPackaging(s.g.Nodes[n].Kind) {
		n = s.owner[n]
	}
	return n
}

// Bounds of rule 11: users whose edges are looked through, and their edges.
const (
	maxFollowers = 64
	maxFollowed  = 512

	maxFollowRounds = 8
)

// followed is rule 11. What has neither parameters nor results nor a type must
// also be called nearly the same. It reports whether it paired anything.
func (m *matcher) followed() bool {
	var cs []candidate
	for _, b := range m.base.free {
		if !m.freeBase(b) || isHolder(m.base.g.Nodes[b].Kind) || m.base.g.Nodes[b].Kind.IsContainer() {
			continue
		}
		votes := map[graph.ID]int{}
		n, ok := m.users(&m.base, b, m.toHead, func(user graph.ID, k graph.EdgeKind) {
			for _, e := range m.head.g.OutKind(user, k) {
				if m.freeHead(e.To) {
					votes[e.To]++
				}
			}
		})
		if !ok || n == 0 {
			continue
		}
		for h, v := range votes {
			if v == n && m.mayFollow(b, h) {
				if back, ok := m.users(&m.head, h, m.toBase, func(graph.ID, graph.EdgeKind) {}); ok && back == n {
					score := 4 * n
					if alike(m.base.g.Nodes[b].Name, m.head.g.Nodes[h].Name) {
						score += 2
					}
					if m.base.g.Nodes[b].File == m.head.g.Nodes[h].File {
						score++
					}
					cs = append(cs, candidate{b, h, score})
				}
			}
		}
	}
	m.pairBest(cs, false)
	return slices.ContainsFunc(cs, func(c candidate) bool { return !m.freeBase(c.base) })
}

// users counts the uses of n by declarations that the other graph has, too, and
// calls f with each in the other graph. It fails if there are too many.
func (m *matcher) users(s *side, n graph.ID, to []graph.ID, f func(user graph.ID, k graph.EdgeKind)) (count int, ok bool) {
	other := m.head.g
	if s == &m.head {
		other = m.base.g
	}
	for _, i := range s.g.In(n) {
		e := &s.g.Edges[i]
		switch e.Kind {
		case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeReads, graph.EdgeWrites:
		default:
			continue
		}
		user := to[e.From]
		if user == graph.None || e.From == n {
			continue
		}
		if count++; count > maxFollowers || max(len(other.Out(user)), len(s.g.Out(e.From))) > maxFollowed {
			return 0, false
		}
		f(user, e.Kind)
	}
	return count, true
}

// mayFollow reports whether two declarations agree in all that users have to
// fit but the name, or but the type that they are members of, or, in one package,
// in much of what they do.
func (m *matcher) mayFollow(b, h graph.ID) bool {
	x, y := &m.base.g.Nodes[b], &m.head.g.Nodes[h]
	ub, okB := m.underBase(b)
	uh, okH := m.underHead(h)
	long := x.MinHash != (graph.MinHash{}) && y.MinHash != (graph.MinHash{}) // short bodies have none, which are all alike
	if long && x.Kind.IsCallable() && y.Kind.IsCallable() && m.samePackage(b, h) && x.MinHash.Similarity(y.MinHash) >= similarBecame {
		return true
	}
	if x.Kind != y.Kind || m.shape(x, true) != m.shape(y, false) || (x.Flags^y.Flags)&^graph.FlagPtrReceiver != 0 {
		return false
	}
	if !okB || !okH || ub != uh {
		return x.Name == y.Name && ofType(&m.base, b) && ofType(&m.head, h)
	}
	s := &x.Signature
	return len(s.Params)+len(s.Results) > 0 || s.Type != "" && (x.Body == y.Body || x.Kind == graph.KindVariable) || alike(x.Name, y.Name)
}

// ofType reports whether n is a member of a type.
func ofType(s *side, n graph.ID) bool {
	p := s.owner[n]
	return p != graph.None && isHolder(s.g.Nodes[p].Kind)
}

// alike reports whether names begin or end with the same letters, more than
// half of the longer one.
func alike(x, y string) bool {
	i, j := 0, 0
	for i < min(len(x), len(y)) && x[i] == y[i] {
		i++
	}
	for j < min(len(x), len(y)) && x[len(x)-1-j] == y[len(y)-1-j] {
		j++
	}
	return 2*max(i, j) > max(len(x), len(y))
}
