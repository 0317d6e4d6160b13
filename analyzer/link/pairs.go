package link

// pairs maps pairs of numbers, of which the first is not negative, to values, with
// open addressing.
type pairs[V any] struct {
	keys []uint64 // 0: free
	vals []V
	used int
}

func pairKey(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) | 1<<63 }

func (m *pairs[V]) slot(k uint64) int {
	mask := len(m.keys) - 1
	i := int((k*0x9E3779B97F4A7C15)>>32) & mask
	for m.keys[i] != 0 && m.keys[i] != k {
		i = (i + 1) & mask
	}
	return i
}

func (m *pairs[V]) get(a, b int32) (v V, ok bool) {
	if m.used == 0 {
		return v, false
	}
	k := pairKey(a, b)
	if i := m.slot(k); m.keys[i] == k {
		return m.vals[i], true
	}
	return v, false
}

func (m *pairs[V]) set(a, b int32, v V) {
	if 2*(m.used+1) > len(m.keys) {
		old := *m
		n := max(64, 2*len(old.keys))
		m.keys, m.vals = touched[uint64](n), make([]V, n)
		for i, k := range old.keys {
			if k != 0 {
				j := m.slot(k)
				m.keys[j], m.vals[j] = k, old.vals[i]
			}
		}
	}
	k := pairKey(a, b)
	i := m.slot(k)
	if m.keys[i] == 0 {
		m.used++
	}
	m.keys[i], m.vals[i] = k, v
}

// change sets the value of a pair, and reports whether it was another one; that of a
// pair without one is V's zero.
func change[V comparable](m *pairs[V], a, b int32, v V) bool {
	if was, _ := m.get(a, b); was == v {
		return false
	}
	m.set(a, b, v)
	return true
}

// clear leaves nothing in the map.
func (m *pairs[V]) clear() {
	if m.used > 0 {
		clear(m.keys)
		m.used = 0
	}
}
