package link

import "testing"

// What was read of a surface that changes is stale, with all that was made of it;
// what was read of others is not.
func TestReadings(t *testing.T) {
	r := newReadings(8, []Ent{1, 2, 3})
	file := r.begin()
	one := r.begin()
	r.entity(1)
	r.entity(5) // it does not change
	r.entity(1)
	of1 := r.end(one)
	two := r.begin()
	r.entity(5)
	if g := r.end(two); g != 0 || !r.fresh(g) {
		t.Errorf("nothing that changes was read: %d", g)
	}
	three := r.begin()
	r.group(of1)
	if g := r.end(three); g != of1 {
		t.Errorf("a group of one group: %d, want %d", g, of1)
	}
	first := r.end(file)
	file = r.begin()
	four := r.begin()
	r.entity(2)
	r.group(of1)
	of2 := r.end(four)
	r.entity(3)
	second := r.end(file)

	check := func(want map[int32]bool) {
		t.Helper()
		for g, fresh := range want {
			if r.fresh(g) != fresh {
				t.Errorf("group %d: fresh is %v", g, r.fresh(g))
			}
		}
	}
	check(map[int32]bool{of1: true, first: true, of2: true, second: true})
	r.settle([]Ent{2}, []Ent{1})
	check(map[int32]bool{of1: true, first: true, of2: false, second: false})

	file = r.begin()
	r.entity(1)
	if g := r.end(file); g != 0 {
		t.Errorf("what does not change any more is in group %d", g)
	}
	file = r.begin()
	r.entity(3)
	third := r.end(file)
	r.settle([]Ent{3}, nil)
	check(map[int32]bool{of1: true, first: true, third: false})
}

func TestMemo(t *testing.T) {
	var m memo[int]
	if m.get(1) != nil {
		t.Error("something in an empty memo")
	}
	for i := range 1000 {
		m.put(uint64(i)<<32|1, i, int32(i))
	}
	m.put(7<<32|1, -7, 0)
	for i := range 1000 {
		want := i
		if i == 7 {
			want = -7
		}
		if s := m.get(uint64(i)<<32 | 1); s == nil || s.val != want {
			t.Fatalf("%d: %v", i, s)
		}
	}
	if m.get(2) != nil || m.used != 1000 {
		t.Errorf("%d are kept", m.used)
	}
}
