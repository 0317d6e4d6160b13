package link

import "testing"

// TestZeroed holds that nothing of the file before is left, whatever it was.
func TestZeroed(t *testing.T) {
	s := []int32{1, 2, 3, 4}
	for _, n := range []int{3, 4, 0, 4, 100, 7} {
		s = zeroed(s, n)
		if len(s) != n {
			t.Fatalf("%d values, want %d", len(s), n)
		}
		for i := range s {
			if s[i] != 0 {
				t.Fatalf("of %d values, value %d is %d", n, i, s[i])
			}
			s[i] = int32(i + 1)
		}
	}
}
