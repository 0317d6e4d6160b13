package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// firstCollection is the size of the heap at which garbage is collected for the
// first time. Most commands answer and end below it; by default there would be
// four collections before it, each of which finds that almost all is in use.
const firstCollection = 64 << 20

// beginnings counts the calls of [untilNext]: only what the last one has set comes to
// an end.
var beginnings atomic.Int32

// beginLate puts off the first garbage collection until the heap has the given
// size. From the second on everything is as if it had not been called, so that
// what large trees need does not grow. What $GOGC and $GOMEMLIMIT ask for is left
// alone.
func beginLate(getenv func(string) string, heap int64) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	const least = 4 << 20 // where the runtime begins at the usual percentage
	untilNext(int(usual * heap / least))
}

// usual is how much the heap grows until garbage is collected, in percent of what was
// in use.
const usual = 100

// untilNext sets another percentage, until the next collection.
func untilNext(percent int) {
	begun := beginnings.Add(1)
	debug.SetGCPercent(percent)
	sentinel := new([64]byte)
	runtime.AddCleanup(sentinel, func(begun int32) {
		if beginnings.Load() == begun {
			debug.SetGCPercent(usual)
		}
	}, begun)
}

// largeFacts is the size of the heap from which it is worth it to collect what the facts
// of files were: without it, the runtime would take as much again of the system for
// the graph and its file before it looks.
const largeFacts = 96 << 20

// collectFacts collects garbage when nothing is needed of the facts of a large tree any
// more. What comes then ends soon, and most of it is in use.
func collectFacts(getenv func(string) string) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Kind() != metrics.KindUint64 || heap[0].Value.Uint64() < largeFacts {
		return
	}
	runtime.GC()
	untilNext(2 * usual)
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
	beginLate(getenv, max(firstCollection, heap/factsHeap)) // until all facts are read, there is little garbage
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
