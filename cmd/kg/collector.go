package main

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// firstCollection is the size of the heap at which garbage is collected for the
// first time. Most commands answer and end below it; by default there would be
// four collections before it, each of which finds that almost all is in use.
const firstCollection = 64 << 20

// beginnings counts the calls of [beginLate]: only what the last one has put off
// comes to an end.
var beginnings atomic.Int32

// beginLate puts off the first garbage collection until the heap has the given
// size. From the second on everything is as if it had not been called, so that
// what large trees need does not grow. What $GOGC and $GOMEMLIMIT ask for is left
// alone.
func beginLate(getenv func(string) string, heap int64) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	const (
		usual = 100     // percent
		least = 4 << 20 // where the runtime begins at the usual percentage
	)
	begun := beginnings.Add(1)
	debug.SetGCPercent(int(usual * heap / least))
	sentinel := new([64]byte)
	runtime.AddCleanup(sentinel, func(begun int32) {
		if beginnings.Load() == begun {
			debug.SetGCPercent(usual)
		}
	}, begun)
}

// A graph takes about graphHeap times the size of its file in memory, the garbage
// of reading it included. Nearly all of it stays in use.
const (
	graphHeap = 24
	largeHeap = 160 << 20
)

// beginReading puts off the first collection while a graph file of the given size
// is read.
func beginReading(getenv func(string) string, size int64) {
	if heap := min(graphHeap*size, largeHeap); heap > firstCollection && beginnings.Load() == 1 {
		beginLate(getenv, heap)
	}
}

// A graph that is made of facts at hand takes more than factsHeap times what they
// take in memory, and seldom more than fileHeap bytes for each file. What is
// expected beyond mostHeap is too far away to prepare for, and below leastHeap
// the preparations cost as much as they save. Nothing is prepared that may not be
// needed: while there is room, the runtime gives less back to the system.
const (
	factsHeap = 3
	fileHeap  = 160 << 10
	leastHeap = 48 << 20
	mostHeap  = 512 << 20
)

// expectFacts prepares for the graph of a tree of so many files, of which facts of so
// many bytes are at hand: a sixth of what is left to do then is the work of the
// system, which finds pages for the heap one by one. Only the first call does it, while
// the heap is small.
func expectFacts(getenv func(string) string, files int, memory int64) {
	heap := min(factsHeap*memory, fileHeap*int64(files), mostHeap)
	if heap < leastHeap || getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" || !beginnings.CompareAndSwap(1, 2) {
		return
	}
	largePages(heap)
	beginLate(getenv, firstCollection)
}

// spareProcessor lets the runtime have one processor more than the workers, who are
// in C code most of the time. While all processors are in C code, the runtime looks
// after them every 20 µs and takes them away, though nobody waits for one; with one
// that is idle it sleeps. What $GOMAXPROCS asks for is left alone.
func spareProcessor(getenv func(string) string, workers int) {
	if getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) <= workers {
		runtime.GOMAXPROCS(workers + 1)
	}
}
