package syntax

/*
#cgo CFLAGS: -O2 -std=gnu11 -Wall
#include <stdlib.h>
#include "parse.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	// Compiles and links the C runtime. Its Go binding is not used: it passes
	// every allocation through a Go callback and every node through a C call.
	_ "github.com/tree-sitter/go-tree-sitter"
)

// The layout of Node is that of kg_node.
var (
	_ [unsafe.Sizeof(C.kg_node{}) - unsafe.Sizeof(Node{})]struct{}
	_ [unsafe.Sizeof(Node{}) - unsafe.Sizeof(C.kg_node{})]struct{}
	_ [unsafe.Offsetof(C.kg_node{}.parent) - unsafe.Offsetof(Node{}.Parent)]struct{}
)

func init() {
	// The binding has installed an allocator of Go callbacks in its own init,
	// which ran before this one. Nothing has been allocated with it yet.
	C.kg_install()
}

const (
	abiMin = 13
	abiMax = 15
)

// NewLanguage wraps a grammar: grammar is what the Language function of a
// grammar's Go binding returns. It fails when the grammar was generated for an
// ABI that the runtime does not read, or has more fields or symbols than a Node
// can hold.
//
// A Language is immutable and may be shared; make one per grammar and process,
// since it resolves all names once.
func NewLanguage(name string, grammar unsafe.Pointer) (*Language, error) {
	if grammar == nil {
		return nil, fmt.Errorf("syntax: grammar %s is nil", name)
	}
	g := (*C.TSLanguage)(grammar)
	if abi := uint32(C.ts_language_abi_version(g)); abi < abiMin || abi > abiMax {
		return nil, fmt.Errorf("syntax: grammar %s has ABI %d, want %d to %d", name, abi, abiMin, abiMax)
	}
	symbols, fields := uint32(C.ts_language_symbol_count(g)), uint32(C.ts_language_field_count(g))
	if symbols >= uint32(KindError) || fields > 255 {
		return nil, fmt.Errorf("syntax: grammar %s is too large: %d symbols, %d fields", name, symbols, fields)
	}
	l := &Language{
		name:    name,
		grammar: grammar,
		kinds:   make([]kindInfo, symbols),
		fields:  make([]string, fields+1),
		named:   make(map[string]Kind, symbols),
		tokens:  make(map[string]Kind, symbols),
		fieldID: make(map[string]Field, fields),
	}
	for i := range l.kinds {
		s := C.GoString(C.ts_language_symbol_name(g, C.TSSymbol(i)))
		info := kindInfo{name: s}
		// ts_language_symbol_for_name takes every prefix of "ERROR" for it.
		public := Kind(C.kg_public_symbol(g, C.TSSymbol(i)))
		switch C.ts_language_symbol_type(g, C.TSSymbol(i)) {
		case C.TSSymbolTypeRegular:
			info.named = true
			if _, ok := l.named[s]; !ok {
				l.named[s] = public
			}
		case C.TSSymbolTypeAnonymous:
			if _, ok := l.tokens[s]; !ok {
				l.tokens[s] = public
			}
		}
		l.kinds[i] = info
	}
	for i := 1; i < len(l.fields); i++ {
		l.fields[i] = C.GoString(C.ts_language_field_name_for_id(g, C.TSFieldId(i)))
		l.fieldID[l.fields[i]] = Field(i)
	}
	l.tag()
	return l, nil
}

// A Parser turns files into trees. It may be used for any number of files and
// languages, by one goroutine at a time: give each worker its own.
//
// Between files a Parser keeps its buffers and up to 24 MiB of C memory, and
// nothing else: a tree depends on nothing but the language, the limits and the
// bytes of the file. Close releases the memory; so does the garbage collector
// when the Parser is no longer reachable.
type Parser struct {
	// Limits bound each parse. NewParser sets DefaultLimits.
	Limits Limits
	// Stats are the counters of the last call of Parse.
	Stats Stats

	chunk   int // see lexChunk
	arena   *C.kg_arena
	cleanup runtime.Cleanup
	limits  C.kg_limits
	result  C.kg_result
	tree    Tree
}

// NewParser returns a parser with DefaultLimits. It never fails: memory is
// taken by Parse.
func NewParser() *Parser { return &Parser{Limits: DefaultLimits(), chunk: lexChunk} }

// Close releases the parser's C memory. The parser can still be used: the next
// Parse starts afresh. Trees are Go memory and not affected.
func (p *Parser) Close() {
	if p.arena != nil {
		p.cleanup.Stop()
		C.kg_arena_free(p.arena)
		p.arena = nil
	}
}

// Retained returns the bytes of C memory that the parser keeps for the next
// file.
func (p *Parser) Retained() int64 {
	if p.arena == nil {
		return 0
	}
	return int64(C.kg_arena_retained(p.arena))
}

// Parse parses one file. Syntax errors are no error: the tree then holds ERROR
// and missing nodes, see Tree.Errors. The error is a *LimitError when the file
// passes one of p.Limits, and then it is the same on every run and machine; any
// other error (ErrNoMemory, ErrRuntime) says that this run could not do it.
//
// The tree and its nodes are valid until the next Parse of the same Parser; use
// Tree.Clone to keep one. The tree refers to src, which must not change while it
// is in use.
//
// The cost is that of tree-sitter, about 0.2 µs per byte of Go source, plus a
// few nanoseconds per node; after the first files it allocates nothing.
func (p *Parser) Parse(lang *Language, src []byte) (*Tree, error) {
	p.Stats = Stats{}
	t := &p.tree
	t.reset(lang, src)
	if err := p.Limits.check(src); err != nil {
		return nil, err
	}
	if p.arena == nil {
		if p.arena = C.kg_arena_new(); p.arena == nil {
			return nil, ErrNoMemory
		}
		p.cleanup = runtime.AddCleanup(p, func(a *C.kg_arena) { C.kg_arena_free(a) }, p.arena)
	}
	src, t.Reread = lang.read(src)
	p.limits = C.kg_limits{
		budget: C.uint64_t(p.Limits.allocBudget(len(src))),
		live:   C.uint64_t(p.Limits.Memory),
		lex:    C.uint64_t(p.Limits.lexBudget(len(src))),
		nodes:  C.uint32_t(min(p.Limits.Nodes, maxNodes)),
		depth:  C.uint32_t(min(p.Limits.Depth, maxNodes)),
		chunk:  C.uint32_t(p.chunk),
	}
	p.result = C.kg_result{}

	// Programs have a node per 3 to 6 bytes; the rest needs a second call.
	t.grow(len(src)/3 + 64)
	status := C.kg_parse(p.arena, (*C.TSLanguage)(lang.grammar), (*C.char)(unsafe.Pointer(unsafe.SliceData(src))),
		C.uint32_t(len(src)), &p.limits, t.buffer(), C.uint32_t(cap(t.Nodes)), &p.result)
	if status == C.KG_GROW {
		t.grow(int(p.result.nodes))
		status = C.kg_flatten(p.arena, &p.limits, t.buffer(), C.uint32_t(cap(t.Nodes)), &p.result)
	}
	p.Stats = Stats{
		Requested: int64(p.result.requested),
		Peak:      int64(p.result.peak),
		Lexed:     int64(p.result.lexed),
		Nodes:     int(p.result.nodes),
		Depth:     int(p.result.depth),
		Callbacks: int64(p.result.callbacks),
	}
	switch status {
	case C.KG_OK:
		t.Nodes = t.Nodes[:p.result.nodes]
		return t, nil
	case C.KG_BUDGET:
		return nil, &LimitError{AllocationBudget, int64(p.limits.budget), p.Stats.Requested}
	case C.KG_LEX:
		return nil, &LimitError{LexBudget, int64(p.limits.lex), p.Stats.Lexed}
	case C.KG_LIVE:
		return nil, &LimitError{MemoryLimit, p.Limits.Memory, p.Stats.Peak}
	case C.KG_NODES:
		return nil, &LimitError{NodeLimit, int64(p.limits.nodes), int64(p.Stats.Nodes)}
	case C.KG_DEPTH:
		return nil, &LimitError{DepthLimit, int64(p.limits.depth), int64(p.limits.depth) + 1}
	case C.KG_NOMEM:
		return nil, ErrNoMemory
	}
	return nil, ErrRuntime
}

func (t *Tree) buffer() *C.kg_node { return (*C.kg_node)(unsafe.Pointer(unsafe.SliceData(t.Nodes))) }

// foreignBytes returns the bytes that the C runtime holds outside of any parse.
func foreignBytes() int64 { return int64(C.kg_foreign_bytes()) }
