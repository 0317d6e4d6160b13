package artifact

import "unsafe"

// largePages is the size from which memory is asked for in large pages.
const largePages = 1 << 20

// makeLarge makes a slice of n. Large ones are of large pages where the system
// has them: to touch each small page of a graph for the first time costs a
// quarter of what it takes to read it.
func makeLarge[T any](n int) []T {
	s := make([]T, n)
	var one T
	if size := uintptr(n) * unsafe.Sizeof(one); size >= largePages {
		adviseLarge(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	}
	return s
}
