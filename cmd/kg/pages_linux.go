package main

import (
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// largePages puts large pages behind the next size bytes of the heap where the
// system has some to give: the heap grows by them, and frees them again. What is never
// used takes no memory.
func largePages(size int64) {
	var space unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &space) != nil || space.Cur != unix.RLIM_INFINITY {
		return // of addresses, too, there is not enough
	}
	percent := debug.SetGCPercent(-1)
	pages := make([]byte, size)
	_ = unix.Madvise(pages, unix.MADV_HUGEPAGE)
	runtime.KeepAlive(pages)
	pages = nil
	runtime.GC()
	debug.SetGCPercent(percent)
}
