package artifact

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/codekg/kg/analyzer/graph"
)

// counts are the sizes of everything in the file. Readers know them before
// they allocate.
type counts struct {
	nodes, edges, sites, shapes      uint64
	files, unknowns, skipped         uint64
	keywords, keywordNames           uint64 // lists, and names in all lists
	strings, params, bases, variants uint64
	stringBytes, keyBytes            uint64 // before front coding
	qnameBytes                       uint64
	textBytes                        uint64 // of texts with their names; not in files before version 4
}

// field is a count with the memory that one of it takes.
type field struct {
	count *uint64
	size  uint64
}

// fields lists the counts in the order of the file.
func (c *counts) fields() []field {
	const text = uint64(unsafe.Sizeof(""))
	return []field{
		// With what reading them and the graph's own index take.
		{&c.nodes, uint64(unsafe.Sizeof(graph.Node{})) + 26*4},
		{&c.edges, uint64(unsafe.Sizeof(graph.Edge{})) + 15*4},
		{&c.sites, uint64(unsafe.Sizeof(graph.Site{})) + 4*4},
		{&c.shapes, uint64(unsafe.Sizeof(shape{}))},
		{&c.files, uint64(unsafe.Sizeof(graph.File{}))},
		{&c.unknowns, uint64(unsafe.Sizeof(graph.Unknown{}))},
		{&c.skipped, uint64(unsafe.Sizeof(graph.Skipped{}))},
		{&c.keywords, uint64(unsafe.Sizeof([]string{}))},
		{&c.keywordNames, text},
		{&c.strings, 3 * 4},
		{&c.params, uint64(unsafe.Sizeof(graph.Param{})) + 3*4},
		{&c.bases, text + 2*4},
		{&c.variants, uint64(unsafe.Sizeof(graph.Variant{}))},
		{&c.stringBytes, 1},
		{&c.keyBytes, 1},
		{&c.qnameBytes, 1},
		{&c.textBytes, 1},
	}
}

// memory returns an upper bound of the memory that a graph of these sizes
// takes while it is read, the content of the file not included.
func (c *counts) memory() int64 {
	var sum uint64
	for _, f := range c.fields() {
		hi, lo := bits.Mul64(*f.count, f.size)
		var carry uint64
		sum, carry = bits.Add64(sum, lo, 0)
		if hi != 0 || carry != 0 || sum > math.MaxInt64 {
			return math.MaxInt64
		}
	}
	return int64(sum)
}

// enum is an enumeration whose numbers are stored. Their names are stored with
// them, so that a graph is not read under other meanings.
type enum struct {
	what  string
	names []string
}

func enums() []enum {
	names := func(n int, name func(i int) string) []string {
		s := make([]string, n)
		for i := range s {
			s[i] = name(i)
		}
		return s
	}
	return []enum{
		{"node kind", names(graph.KindCount, func(i int) string { return graph.Kind(i).String() })},
		{"edge kind", names(graph.EdgeKindCount, func(i int) string { return graph.EdgeKind(i).String() })},
		{"certainty", names(graph.CertaintyCount, func(i int) string { return graph.Certainty(i).String() })},
		{"visibility", names(graph.VisibilityCount, func(i int) string { return graph.Visibility(i).String() })},
		{"flag", graph.Flags(graph.FlagMask).Names()},
		{"reason", names(graph.ReasonCount, func(i int) string { return graph.Reason(i).String() })},
	}
}

// encodeMeta makes the section that describes the others.
func encodeMeta(c *counts, tree graph.Hash) []byte {
	var num, enumCol, hash column
	for _, f := range c.fields() {
		num.uint(*f.count)
	}
	for _, e := range enums() {
		enumCol.uint(uint64(len(e.names)))
		for _, n := range e.names {
			enumCol.string(n)
		}
	}
	hash.bytes(tree[:])
	return joinColumns(&num, &enumCol, &hash)
}

func decodeMeta(content []byte, version uint32) (c counts, tree graph.Hash, err error) {
	var num, enumCol, hash cursor
	if err := splitColumns(content, &num, &enumCol, &hash); err != nil {
		return c, tree, err
	}
	for _, f := range c.fields() {
		if f.count != &c.textBytes || version >= 4 {
			*f.count = num.upto(math.MaxUint32)
		}
	}
	for _, e := range enums() {
		n := enumCol.uint()
		for i := range n {
			name := enumCol.string()
			if enumCol.bad {
				break
			}
			if i >= uint64(len(e.names)) || name != e.names[i] {
				return c, tree, &VersionError{Version, fmt.Sprintf("the %s %q", e.what, name), graphForm}
			}
		}
	}
	copy(tree[:], hash.bytes(len(tree)))
	return c, tree, finish(&num, &enumCol, &hash)
}
