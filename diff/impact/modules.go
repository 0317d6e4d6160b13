package impact

import (
	"path"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// modules says which code may be in one program, where graphs tell what modules
// need: a module imports itself and those that it needs. Of a module that does
// not import itself nothing is known, so that it may need any, and so may those
// that need it. One of which the edge to itself is inferred may need more, but none
// that needs it.
type modules struct {
	g      *graph.Graph
	byDir  map[placed]int32 // the folders of manifests
	memo   map[placed]int32 // folders that were asked for
	needs  [][]int32        // what each needs itself
	needed [][]int32        // the other way round
	open   []bool           // it, or one that it needs, may need any
	more   []int32          // those that may need more
	users  map[int32][]bool // of each of these: it, and what needs it
	vague  []bool           // it, or one that it needs, may need more
	filled []bool           // it has code
	whole  map[int32][]bool // what each needs; see reaches
}

// placed is a folder with files of a language.
type placed struct{ lang, dir string }

// nowhere is the number of no module.
const nowhere int32 = -1

// modulesOf returns nil where the graph does not tell what modules need. Modules
// of languages of which it never does are left out.
func modulesOf(g *graph.Graph) *modules {
	var all, ids []graph.ID
	tells := map[string]bool{} // by language
	itself := func(id graph.ID) bool {
		return slices.ContainsFunc(g.OutKind(id, graph.EdgeImports), func(e graph.Edge) bool { return e.To == id })
	}
	inferred := func(id graph.ID) bool {
		return slices.ContainsFunc(g.OutKind(id, graph.EdgeImports), func(e graph.Edge) bool { return e.To == id && e.Certainty == graph.Inferred })
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == graph.KindModule && n.File != "" {
			all = append(all, graph.ID(i))
			tells[n.Lang] = tells[n.Lang] || itself(graph.ID(i))
		}
	}
	m := &modules{g: g, byDir: map[placed]int32{}, memo: map[placed]int32{}, whole: map[int32][]bool{}, users: map[int32][]bool{}}
	at := map[graph.ID]int32{}
	for _, id := range all {
		n := &g.Nodes[id]
		if !tells[n.Lang] {
			continue
		}
		k := int32(len(ids))
		at[id] = k
		ids = append(ids, id)
		p := placed{n.Lang, path.Dir(n.File)}
		if _, ok := m.byDir[p]; ok {
			k = nowhere // two in one folder
		}
		m.byDir[p] = k
	}
	if len(ids) == 0 {
		return nil
	}
	m.needs, m.needed, m.filled = make([][]int32, len(ids)), make([][]int32, len(ids)), make([]bool, len(ids))
	told := make([]bool, len(ids))
	for k, id := range ids {
		told[k] = itself(id)
		for _, e := range g.OutKind(id, graph.EdgeImports) {
			if to, ok := at[e.To]; ok {
				m.needs[k] = append(m.needs[k], to)
				m.needed[to] = append(m.needed[to], int32(k))
			}
		}
	}
	for i := range g.Files {
		f := &g.Nodes[g.Files[i].Node]
		if k := m.of(f); k != nowhere && f.Parent != graph.None && g.Nodes[f.Parent].Kind == graph.KindPackage {
			m.filled[k] = true
		}
	}
	for k, id := range ids {
		if !inferred(id) {
			continue
		}
		if told[k] = len(m.more) < maxMore; told[k] {
			m.more = append(m.more, int32(k))
			m.users[int32(k)] = m.closure(m.needed, int32(k))
		}
	}
	m.open = make([]bool, len(ids))
	m.unsaid(told)
	m.settle(told)
	alone := slices.Clone(m.open)
	var queue []int32
	for k := range told {
		if m.open[k] = !told[k]; m.open[k] {
			queue = append(queue, int32(k))
		}
	}
	spread(m.needed, m.open, queue)
	for k := range alone {
		m.open[k] = m.open[k] || alone[k]
	}
	m.vague = make([]bool, len(ids))
	for _, o := range m.more {
		m.vague[o] = true
	}
	spread(m.needed, m.vague, slices.Clone(m.more))
	return m
}

// maxMore bounds the modules that may need more than is known; what is beyond may
// need any.
const maxMore = 1 << 6

// settle finds the modules that may need more, and so one that may need any. They
// may need any themselves.
func (m *modules) settle(told []bool) {
	for changed := true; changed; {
		before := len(m.more)
		m.more = slices.DeleteFunc(m.more, func(o int32) bool {
			for k := range told {
				if !told[k] && (int32(k) == o || !m.users[o][k]) {
					told[o] = false
					return true
				}
			}
			return false
		})
		changed = len(m.more) < before
	}
}

// closure returns module k and what is behind it.
func (m *modules) closure(next [][]int32, k int32) []bool {
	all := make([]bool, len(next))
	all[k] = true
	spread(next, all, []int32{k})
	return all
}

// spread marks what is behind the marked ones of a queue, and returns all that it
// has marked with these.
func spread(next [][]int32, marked []bool, queue []int32) []int32 {
	for i := 0; i < len(queue); i++ {
		for _, k := range next[queue[i]] {
			if !marked[k] {
				marked[k] = true
				queue = append(queue, k)
			}
		}
	}
	return queue
}

// unsaid finds the modules that surely use code of another one that they are not
// said to need: what is said of them is not all. What their tests use, those that
// need them do not have, so that these modules alone are open.
func (m *modules) unsaid(told []bool) {
	last, lastAt := graph.None, nowhere
	for i := range m.g.Edges {
		e := &m.g.Edges[i]
		if e.Certainty != graph.Exact {
			continue
		}
		switch e.Kind {
		case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeUsesType, graph.EdgeInstantiates, graph.EdgeReads, graph.EdgeWrites, graph.EdgeExtends, graph.EdgeImplements:
		default:
			continue
		}
		if e.From != last {
			last, lastAt = e.From, m.of(&m.g.Nodes[e.From])
		}
		if lastAt == nowhere || !told[lastAt] {
			continue
		}
		if to := m.of(&m.g.Nodes[e.To]); to != nowhere && to != lastAt && !m.reaches(lastAt, to) {
			if m.g.Nodes[e.From].Flags.Has(graph.FlagTest) {
				m.open[lastAt] = true
			} else {
				told[lastAt] = false
			}
		}
	}
}

// reaches reports whether module a is said to need b, or may by one that may need
// more.
func (m *modules) reaches(a, b int32) bool {
	all, ok := m.whole[a]
	if !ok {
		all = m.closure(m.needs, a)
		m.whole[a] = all
	}
	return all[b] || slices.ContainsFunc(m.more, func(o int32) bool { return all[o] && !m.users[o][b] })
}

// of returns the module of a node: that of the nearest folder above its file.
func (m *modules) of(n *graph.Node) int32 {
	if n.File == "" || n.Kind == graph.KindModule {
		return nowhere
	}
	p := placed{n.Lang, path.Dir(n.File)}
	if k, ok := m.memo[p]; ok {
		return k
	}
	k := nowhere
	for d := p.dir; ; d = path.Dir(d) {
		if at, ok := m.byDir[placed{p.lang, d}]; ok {
			k = at
			break
		}
		if d == "." || d == "/" {
			break
		}
	}
	m.memo[p] = k
	return k
}

// near says which modules may have to do with changed nodes.
type near struct {
	*modules
	any    bool   // a changed node is in no module: nothing is known
	added  []bool // by module: it is that of changed code
	need   []bool // by module: it has changed code, or may need it
	beside []bool // by module: a program of which all is known has its code and changed code
	maybe  []bool // by module: one of a vague module may
	all    bool   // any module may be in a program with changed code: that of an open one

	has [2][]bool // what is in programs with changed code: of modules that are known, of vague ones

	surely  bool // together counts on programs alone of which all is known
	refused bool // it would have been more if it had not
	begun   bool // what is added from now on was not there when the walk began
	mixed   bool // the programs on a path may be several: whether one is known tells nothing
}

func (m *modules) near() *near {
	set := func() []bool { return make([]bool, len(m.needs)) }
	r := &near{modules: m, added: set(), need: set(), maybe: set(), has: [2][]bool{set(), set()}}
	r.beside = r.has[0]
	for k, open := range m.open {
		r.all = r.all || open && m.filled[k]
	}
	return r
}

// add adds the module of a changed node, or of one that asks a program with changed
// code for something.
func (r *near) add(n *graph.Node) {
	k := r.of(n)
	if r.any = r.any || k == nowhere; r.any || r.added[k] {
		return
	}
	r.added[k] = true
	r.mixed = r.mixed || r.begun
	seeds := []int32{k}
	for _, o := range r.more {
		if !r.users[o][k] {
			seeds = append(seeds, o)
		}
	}
	var queues [2][]int32
	for _, s := range seeds {
		r.need[s] = true
	}
	for _, user := range spread(r.needed, r.need, seeds) {
		kind := 0
		if r.vague[user] {
			kind = 1
		}
		if r.filled[user] && !r.has[kind][user] {
			r.has[kind][user] = true
			queues[kind] = append(queues[kind], user)
		}
	}
	for kind, queue := range queues {
		spread(r.needs, r.has[kind], queue)
	}
	for x, is := range r.has[1] {
		r.maybe[x] = r.maybe[x] || is
	}
	for _, o := range r.more {
		if r.has[1][o] {
			for x, user := range r.users[o] {
				r.maybe[x] = r.maybe[x] || !user
			}
		}
	}
}

// sees reports whether programs of a module may have changed code, and with loose
// such code of which only the program of an open or vague module may have all.
func (r *near) sees(k int32, loose bool) bool {
	return k == nowhere || r.open[k] || r.need[k] && (!loose || r.mixed || r.vague[k])
}

// known reports whether a program of which all is known may have n and changed
// code, or where n is is not.
func (r *near) known(n *graph.Node) bool {
	if r.any {
		return true
	}
	k := r.of(n)
	return k == nowhere || r.beside[k]
}

// together reports whether a program may have n and changed code.
func (r *near) together(n *graph.Node) bool {
	if r.known(n) {
		return true
	}
	may := r.all || r.maybe[r.of(n)]
	if may && r.surely {
		r.refused = true
		return false
	}
	return may
}
