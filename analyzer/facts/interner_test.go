package facts

import (
	"strconv"
	"testing"
)

// Numbers are given in the order in which strings come, and stay what they are while
// the table grows.
func TestInterner(t *testing.T) {
	for _, room := range []int{0, 5, 5000} {
		in := NewInterner(room)
		if n := in.Intern(""); n != 0 {
			t.Errorf("the empty string has number %d", n)
		}
		for i := range 2000 {
			s := strconv.Itoa(i)
			if n := in.Find(s); n != -1 {
				t.Fatalf("%s has number %d before it came", s, n)
			}
			if n := in.Intern(s); n != int32(i+1) {
				t.Fatalf("%s has number %d", s, n)
			}
		}
		for i := range 2000 {
			s := strconv.Itoa(i)
			if n, again := in.Find(s), in.Intern(s); n != int32(i+1) || again != n || in.Strings[n] != s {
				t.Fatalf("%s has number %d, then %d", s, n, again)
			}
		}
	}
}
