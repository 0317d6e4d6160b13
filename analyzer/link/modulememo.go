package link

// What is found out from surfaces is kept until a surface that it was read from is
// another.

// memo maps keys that are not 0 to what was found out for them, with open
// addressing.
type memo[V any] struct {
	slots []memoSlot[V]
	used  int
}

type memoSlot[V any] struct {
	key   uint64 // 0: a free slot
	group int32  // what it was read from, see readings
	val   V
}

func (m *memo[V]) slot(k uint64) *memoSlot[V] {
	mask := len(m.slots) - 1
	i := int((k*0x9E3779B97F4A7C15)>>32) & mask
	for m.slots[i].key != 0 && m.slots[i].key != k {
		i = (i + 1) & mask
	}
	return &m.slots[i]
}

// get returns what is kept for a key; nil: nothing is. It is good until the next put.
func (m *memo[V]) get(k uint64) *memoSlot[V] {
	if len(m.slots) == 0 {
		return nil
	}
	if s := m.slot(k); s.key == k {
		return s
	}
	return nil
}

// put keeps v for a key, in the place of what was kept for it.
func (m *memo[V]) put(k uint64, v V, group int32) {
	if 4*(m.used+1) > 3*len(m.slots) {
		old := m.slots
		m.slots = make([]memoSlot[V], max(64, 2*len(old)))
		for i := range old {
			if s := &old[i]; s.key != 0 {
				*m.slot(s.key) = *s
			}
		}
	}
	s := m.slot(k)
	if s.key == 0 {
		m.used++
	}
	*s = memoSlot[V]{k, group, v}
}

// moduleMemos is what is found out from surfaces.
type moduleMemos struct {
	exports memo[meaning]  // by exportKey
	members memo[property] // by type and name
	fits    memo[tri]      // by two types and how deep they are looked at
	applied memo[Type]     // by two signatures of a function, see asMember
	stale   []bool         // by group: what was read is not what there is
}

// nothingKnown is what is known as long as surfaces change.
var nothingKnown = &moduleMemos{}

// recall returns what is kept for a key in the same place of what is known of
// surfaces and of the evaluator's own; nil: nothing is.
func recall[V any](m *moduleEval, known, own *memo[V], k uint64) *V {
	if s := known.get(k); s != nil && !m.known.stale[s.group] {
		return &s.val
	}
	if s := own.get(k); s != nil && m.read.fresh(s.group) {
		m.read.group(s.group)
		return &s.val
	}
	return nil
}

// readings notes, while surfaces are inferred in rounds, what results were read
// from: the declarations whose surfaces may still change. Of a result that nothing
// it was read from has changed since, another look at it makes the same again.
//
// What is read belongs to a group, for example that of a file. A group may be part
// of others. It refers to the groups in it, not to what these have read, so that
// all of them together are no longer than what was looked up.
type readings struct {
	noted []int32 // by Ent: the last turn that noted it; 0: its surface does not change any more
	seen  []int32 // by group: the last turn that noted it
	stale []bool  // by group: something that was read in it has changed since
	ends  []int32 // by group: where its part of items ends
	items []int32 // entities, and complements of groups
	log   []int32 // the items of groups that are open
	turn  int32   // of the innermost open group
	turns int32
}

// newReadings returns the readings of a run in which the surfaces of the given
// declarations, among n, may change.
func newReadings(n int, open []Ent) *readings {
	r := &readings{noted: make([]int32, n), seen: []int32{0}, stale: []bool{false}, ends: []int32{0}, turn: 1, turns: 1}
	for _, e := range open {
		r.noted[e] = 1
	}
	return r
}

// entity notes that the surface of a declaration is read.
func (r *readings) entity(e Ent) {
	if r == nil {
		return
	}
	if n := r.noted[e]; n != 0 && n != r.turn {
		r.noted[e] = r.turn
		r.log = append(r.log, int32(e))
	}
}

// group notes that a result is read that was made before, in a group.
func (r *readings) group(g int32) {
	if r != nil && g != 0 && r.seen[g] != r.turn {
		r.seen[g] = r.turn
		r.log = append(r.log, ^g)
	}
}

// fresh reports whether a result is as it would be if it was made now.
func (r *readings) fresh(g int32) bool { return r == nil || !r.stale[g] }

// openGroup is a group that has begun.
type openGroup struct {
	from int
	turn int32
}

// begin opens a group for what is read from here on.
func (r *readings) begin() openGroup {
	if r == nil {
		return openGroup{}
	}
	o := openGroup{len(r.log), r.turn}
	r.turns++
	r.turn = r.turns
	return o
}

// end closes the group that was opened last and returns it: 0 if what was read does
// not change any more. It is part of the group around it.
func (r *readings) end(o openGroup) int32 {
	if r == nil {
		return 0
	}
	r.turn = o.turn
	items := r.log[o.from:]
	g := int32(0)
	switch {
	case len(items) == 0:
		return 0
	case len(items) == 1 && items[0] < 0:
		g = ^items[0]
	default:
		g = int32(len(r.ends))
		r.items = append(r.items, items...)
		r.ends = append(r.ends, int32(len(r.items)))
		r.seen, r.stale = append(r.seen, 0), append(r.stale, false)
	}
	r.log = r.log[:o.from]
	r.group(g)
	return g
}

// settle takes note that the surfaces of some declarations have changed, and that
// those of others will not change any more.
func (r *readings) settle(changed, settled []Ent) {
	const is = -1
	for _, e := range changed {
		r.noted[e] = is
	}
	for g := 1; g < len(r.ends); g++ {
		for _, it := range r.items[r.ends[g-1]:r.ends[g]] {
			if it >= 0 && r.noted[it] == is || it < 0 && r.stale[^it] {
				r.stale[g] = true
				break
			}
		}
	}
	for _, e := range changed {
		r.noted[e] = 1
	}
	for _, e := range settled {
		r.noted[e] = 0
	}
}
