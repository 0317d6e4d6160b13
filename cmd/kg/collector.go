package main

import (
	"runtime"
	"runtime/debug"
)

// firstCollection is the size of the heap at which garbage is collected for the
// first time. Most commands answer and end below it; by default there would be
// four collections before it, each of which finds that almost all is in use.
const firstCollection = 64 << 20

// beginLate puts off the first garbage collection. From the second on
// everything is as if it had not been called, so that what large trees need
// does not grow. What $GOGC and $GOMEMLIMIT ask for is left alone.
func beginLate(getenv func(string) string) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	const least = 4 << 20 // where the runtime begins at 100 percent
	usual := debug.SetGCPercent(100 * firstCollection / least)
	sentinel := new([64]byte)
	runtime.AddCleanup(sentinel, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
