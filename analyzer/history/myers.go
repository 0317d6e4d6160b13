package history

// myers finds the lines to delete from a and to insert from b, by the
// linear-space form of Myers' O(ND) algorithm: find the middle of a shortest
// edit path, then treat the two halves alike. The halves wait on a stack of
// their own, so that the depth of the input is not the depth of Go's stack.
type myers struct {
	a, b []int32
	work int // steps left

	forward, backward []int32 // furthest reaching x by diagonal
}

// outside marks a diagonal whose search has left the grid; it is so far below
// zero that no number of steps brings it back.
const outside = -1 << 30

// A box is a part of the edit grid: a[a0:a1] against b[b0:b1].
type box struct{ a0, a1, b0, b1 int }

func (m *myers) run(deleted, inserted func(int)) {
	size := len(m.a) + len(m.b) + 3
	m.forward, m.backward = make([]int32, size), make([]int32, size)

	stack := []box{{0, len(m.a), 0, len(m.b)}}
	for len(stack) > 0 {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]

		for w.a0 < w.a1 && w.b0 < w.b1 && m.a[w.a0] == m.b[w.b0] {
			w.a0, w.b0 = w.a0+1, w.b0+1
		}
		for w.a0 < w.a1 && w.b0 < w.b1 && m.a[w.a1-1] == m.b[w.b1-1] {
			w.a1, w.b1 = w.a1-1, w.b1-1
		}
		if w.a0 < w.a1 && w.b0 < w.b1 {
			if x, y, ok := m.middle(w); ok {
				stack = append(stack, box{w.a0, x, w.b0, y}, box{x, w.a1, y, w.b1})
				continue
			}
		}
		for i := w.a0; i < w.a1; i++ {
			deleted(i)
		}
		for j := w.b0; j < w.b1; j++ {
			inserted(j)
		}
	}
}

// middle returns a point on a shortest path through w, other than its two
// corners. It reports false when the work is used up. Neither side of w is
// empty, and neither their first nor their last lines are equal: a path then
// has at least two edits, so the point where the two searches meet is not a
// corner and the halves are smaller than w.
func (m *myers) middle(w box) (x, y int, ok bool) {
	n, k := w.a1-w.a0, w.b1-w.b0
	delta := n - k
	odd := delta&1 != 0
	limit := (n + k + 1) / 2

	// Diagonal d of the forward search (x-y = d, from the top left corner)
	// lives at offset+d; the backward search counts from the other corner, so
	// its diagonal d is the forward diagonal delta-d. limit+1 on either side
	// fits into the len(a)+len(b)+3 that run allocated.
	offset := limit + 1
	fw, bw := m.forward, m.backward
	fw[offset+1], bw[offset+1] = 0, 0

	for steps := 0; steps <= limit; steps++ {
		m.work -= 2*steps + 2
		if m.work < 0 {
			return 0, 0, false
		}
		for d := -steps; d <= steps; d += 2 {
			px := furthest(fw, offset, d, steps)
			py := px - d
			if px < 0 || px > n || py < 0 || py > k {
				fw[offset+d] = outside
				continue
			}
			for px < n && py < k && m.a[w.a0+px] == m.b[w.b0+py] {
				px, py = px+1, py+1
				m.work--
			}
			fw[offset+d] = int32(px)
			back := delta - d
			if odd && back >= -(steps-1) && back <= steps-1 && px+int(bw[offset+back]) >= n {
				return w.a0 + px, w.b0 + py, true
			}
		}
		for d := -steps; d <= steps; d += 2 {
			px := furthest(bw, offset, d, steps)
			py := px - d
			if px < 0 || px > n || py < 0 || py > k {
				bw[offset+d] = outside
				continue
			}
			for px < n && py < k && m.a[w.a1-1-px] == m.b[w.b1-1-py] {
				px, py = px+1, py+1
				m.work--
			}
			bw[offset+d] = int32(px)
			ahead := delta - d
			if !odd && ahead >= -steps && ahead <= steps && px+int(fw[offset+ahead]) >= n {
				return w.a1 - px, w.b1 - py, true
			}
		}
	}
	return 0, 0, false
}

// furthest is the x at which the search enters diagonal d in its given step:
// from the diagonal above or below, whichever reached further.
func furthest(reach []int32, offset, d, steps int) int {
	if d == -steps || (d != steps && reach[offset+d-1] < reach[offset+d+1]) {
		return int(reach[offset+d+1])
	}
	return int(reach[offset+d-1]) + 1
}
