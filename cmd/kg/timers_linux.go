package main

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// timerSlack is how late the sleeps of a child may end.
const timerSlack = 2 * time.Millisecond

// withSlack lets start start a process whose sleeps may end late. While workers are in
// C code, the runtime looks after them again and again, after naps of 20 µs at first:
// thousands of times a second, which costs one to two percent of a build, and nobody
// waits for what it finds. Processes and threads have this from the thread that starts
// them.
func withSlack(start func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(timerSlack), 0, 0, 0) == nil {
		defer unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // as it was
	}
	return start()
}
