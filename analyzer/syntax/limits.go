package syntax

import (
	"bytes"
	"errors"
	"fmt"
)

// Limits bound what one file may cost. They are counts, never clocks: whether a
// file passes them is a function of its bytes, so the graph stays a pure
// function of the tree.
type Limits struct {
	// Bytes is the greatest size of a file.
	Bytes int
	// Line is the greatest length of a line in bytes; 0 means any.
	Line int
	// AllocBase and AllocPerByte bound the bytes that the runtime may request
	// while it parses a file of n bytes: AllocBase + n*AllocPerByte. This is the
	// measure of its work. Of 23,500 files in eleven languages half request less
	// than 35 bytes per byte and one in a hundred more than 60 to 220, all of them
	// small; the most in all is 31 MB. Tables of one-digit numbers without spaces
	// come to 190, deep nesting to 270. The inputs that make the parser quadratic
	// request thousands, those on which it only is fifty times slower than
	// ordinary some 400 to 900, and no offset, count of steps or other cheap
	// figure tells them apart.
	AllocBase, AllocPerByte int64
	// LexBase and LexPerByte bound the bytes that the lexer may read while a file
	// of n bytes is parsed, LexBase + n*LexPerByte; what it reads again counts
	// again. It is the measure of the work that requests no memory: where a token
	// has no end, as a comment that is never closed, the lexer looks for it to the
	// end of the file, then takes the first character for something else, and so
	// on from the next. Ordinary code reads each byte 1.3 to 2.5 times.
	LexBase, LexPerByte int64
	// Memory bounds the bytes that the runtime may hold at once during one
	// parse. It bounds the process: workers * Memory.
	Memory int64
	// Nodes bounds the nodes of a tree.
	Nodes int
	// Depth bounds the nesting of nodes; the root has depth 0.
	Depth int
}

// DefaultLimits returns the limits that kg uses unless told otherwise: 1 MB per
// file, any line length, 24 MB + 200 bytes requested per byte, 16 MB + 64
// bytes read by the lexer per byte, 1 GiB held, 8 M nodes, depth 10,000.
func DefaultLimits() Limits {
	return Limits{
		Bytes:        1 << 20,
		AllocBase:    24 << 20,
		AllocPerByte: 200,
		LexBase:      16 << 20,
		LexPerByte:   64,
		Memory:       1 << 30,
		Nodes:        8 << 20,
		Depth:        10_000,
	}
}

// lexChunk is how many bytes the lexer gets at a time. What it scans again
// without leaving them is not counted: a large chunk would hide much work. 256
// bytes take many microseconds to parse, and asking for them a few nanoseconds.
const lexChunk = 256

// maxNodes keeps node ids and sizes inside an int32.
const maxNodes = 1<<31 - 1

// maxBytes is the largest file that the runtime's 32-bit offsets can address.
const maxBytes = 1<<31 - 1

func (l Limits) allocBudget(size int) int64 { return l.AllocBase + int64(size)*l.AllocPerByte }

func (l Limits) lexBudget(size int) int64 { return l.LexBase + int64(size)*l.LexPerByte }

func (l Limits) check(src []byte) error {
	if limit := min(l.Bytes, maxBytes); len(src) > limit {
		return &LimitError{TooLarge, int64(limit), int64(len(src))}
	}
	if l.Line <= 0 || len(src) <= l.Line {
		return nil
	}
	for rest := src; len(rest) > l.Line; {
		n := bytes.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		if n > l.Line {
			return &LimitError{LineTooLong, int64(l.Line), int64(n)}
		}
		rest = rest[min(n+1, len(rest)):]
	}
	return nil
}

// Reason says which limit a file passed. The set is closed.
type Reason uint8

const (
	_                Reason = iota
	TooLarge                // more bytes than Limits.Bytes
	LineTooLong             // a line longer than Limits.Line
	AllocationBudget        // the parser worked more than Limits.Alloc… allow
	LexBudget               // the lexer read more than Limits.Lex… allow
	MemoryLimit             // the parser held more than Limits.Memory
	NodeLimit               // more nodes than Limits.Nodes
	DepthLimit              // nodes nested deeper than Limits.Depth
)

// Reasons lists all reasons.
func Reasons() []Reason {
	return []Reason{TooLarge, LineTooLong, AllocationBudget, LexBudget, MemoryLimit, NodeLimit, DepthLimit}
}

// String returns the stable name of the reason, for reports.
func (r Reason) String() string {
	switch r {
	case TooLarge:
		return "file-too-large"
	case LineTooLong:
		return "line-too-long"
	case AllocationBudget:
		return "parse-budget"
	case LexBudget:
		return "lex-budget"
	case MemoryLimit:
		return "parse-memory"
	case NodeLimit:
		return "too-many-nodes"
	case DepthLimit:
		return "nested-too-deep"
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// A LimitError says that a file was not parsed because it passes a limit: the
// file is an unknown, and the run goes on. Limit and Got are bytes or counts as
// the reason has it; Got is at least what was seen when the parse stopped.
type LimitError struct {
	Reason     Reason
	Limit, Got int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("syntax: %s: %d, limit %d", e.Reason, e.Got, e.Limit)
}

// Errors of Parse that are no property of the file. A run that meets one has no
// graph to show: another run may do better.
var (
	ErrNoMemory = errors.New("syntax: the system has no memory for the parser")
	ErrRuntime  = errors.New("syntax: the parser gave no tree")
)

// Stats are counters of one parse.
type Stats struct {
	Requested int64 // bytes that the runtime requested, see Limits.AllocBase
	Peak      int64 // most bytes it held at once
	Lexed     int64 // bytes that the lexer read, or was denied, see Limits.LexBase
	Nodes     int   // nodes in the tree, also when there were too many
	Depth     int   // depth of the deepest node
	Callbacks int64 // times that the budget was checked
}
