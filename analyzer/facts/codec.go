package facts

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"unsafe"

	"github.com/codekg/kg/analyzer/graph"
)

// CodecVersion is the version of the stored form of facts. History:
//
//	1: the first
//	2: directives
//	3: columns that say nothing are left out
//	4: columns of several files together, expressions by shape
//	5: marks, exceptions and shapes of declarations; contexts of expressions
//	6: hashes of documentation of 8 bytes, sketches of 2 bits
const CodecVersion = 6

// archiveVersion is the version of the stored form in archives, which have neither
// hashes nor sketches: what changed with 6 changed nothing in them.
const archiveVersion = 5

// ErrCorrupt is returned for bytes that are not the stored form of facts.
var ErrCorrupt = errors.New("facts: corrupt")

// maxTable bounds the rows of one table of a stored file. A file of the
// largest size that is parsed stays far below.
const maxTable = 1 << 26

// appendFiles appends the stored form of files to dst. Equal files give equal
// bytes. It is meant to be compressed.
func appendFiles(dst []byte, fs []*File) []byte {
	c := newWriter()
	for _, f := range fs {
		c.begin()
		c.file(f)
	}
	return c.finish(dst)
}

// decodeFiles reads what appendFiles wrote, and checks nothing: the bytes are
// the program's own.
func decodeFiles(b []byte, n int) ([]*File, error) {
	c, err := newReader(b, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	var fs []*File
	for range n {
		f := &File{}
		c.begin()
		c.file(f)
		fs = append(fs, f)
	}
	return fs, c.done()
}

// coder writes or reads columns; the same code does both, so that they cannot
// differ. A column holds one field of all rows of all files: neighbours are
// alike, and what is alike compresses. Numbers are varints, most of them
// differences to what the reader knows.
type coder struct {
	columns [maxColumns]cursor
	at      int // the next column
	reading bool
	failed  bool
	budget  int64 // bytes that tables may still take
	shapes  []shape
	shapeOf map[shape]uint64
	stack   []int32 // see expressions
}

const maxColumns = 160

// cursor is a column: what was written, or what is left to read.
type cursor struct {
	b   []byte
	s   string // the same, for strings that share it
	i   int
	nil bool // all numbers are 0, and left out
	raw bool // it holds no numbers
	bad bool
}

func (k *cursor) putUint(v uint64) { k.b = binary.AppendUvarint(k.b, v) }
func (k *cursor) putInt(v int64)   { k.b = binary.AppendVarint(k.b, v) }

func (k *cursor) uint() uint64 {
	if i := k.i; i < len(k.b) && k.b[i] < 0x80 {
		k.i = i + 1
		return uint64(k.b[i])
	}
	return k.long()
}

func (k *cursor) long() uint64 {
	if k.nil {
		return 0
	}
	v, n := binary.Uvarint(k.b[min(k.i, len(k.b)):])
	if n <= 0 {
		k.bad = true
		return 0
	}
	k.i += n
	return v
}

func (k *cursor) int() int64 {
	v := k.uint()
	return int64(v>>1) ^ -int64(v&1)
}

func newWriter() *coder { return &coder{shapeOf: map[shape]uint64{}} }

// newReader begins to read columns. Tables may take budget bytes.
func newReader(b []byte, budget int64) (*coder, error) {
	head := cursor{b: b}
	n := head.uint()
	if head.bad || n > maxColumns {
		return nil, ErrCorrupt
	}
	c := &coder{reading: true, budget: budget}
	var sizes [maxColumns]uint64
	for i := range n {
		sizes[i] = head.uint()
	}
	rest := b[min(head.i, len(b)):]
	for i := range n {
		if head.bad || sizes[i] > uint64(len(rest)) {
			return nil, ErrCorrupt
		}
		c.columns[i].b, rest = rest[:sizes[i]:sizes[i]], rest[sizes[i]:]
	}
	for i := range c.columns {
		c.columns[i].nil = len(c.columns[i].b) == 0
	}
	if len(rest) > 0 {
		return nil, ErrCorrupt
	}
	return c, nil
}

// begin starts the next file, in the first column again.
func (c *coder) begin() { c.at = 0 }

// column returns the next column.
func (c *coder) column() *cursor {
	c.at++
	return &c.columns[c.at-1]
}

// finish appends all columns. Of one that has only zeros nothing is written.
func (c *coder) finish(dst []byte) []byte {
	for i := range c.columns {
		k := &c.columns[i]
		if !k.raw && !slices.ContainsFunc(k.b, func(b byte) bool { return b != 0 }) {
			k.b = nil
		}
	}
	n := maxColumns
	for n > 0 && len(c.columns[n-1].b) == 0 {
		n--
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	for i := range n {
		dst = binary.AppendUvarint(dst, uint64(len(c.columns[i].b)))
	}
	for i := range n {
		dst = append(dst, c.columns[i].b...)
	}
	return dst
}

// done reports whether everything was read, and all of it well.
func (c *coder) done() error {
	for i := range c.columns {
		if k := &c.columns[i]; k.bad || k.i != len(k.b) {
			return ErrCorrupt
		}
	}
	if c.failed {
		return ErrCorrupt
	}
	return nil
}

func (c *coder) varint(v int64) int64 {
	k := c.column()
	if !c.reading {
		k.putInt(v)
		return v
	}
	return k.int()
}

// table codes the length of a table, and makes it.
func table[T any](c *coder, s *[]T) {
	k := c.column()
	if !c.reading {
		k.putUint(uint64(len(*s)))
		return
	}
	n := k.uint()
	var row T
	if size := int64(unsafe.Sizeof(row)); k.bad || n > maxTable || int64(n)*size > c.budget {
		c.failed = true
		return
	} else {
		c.budget -= int64(n) * size
	}
	if n > 0 {
		*s = make([]T, n)
	}
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

// column codes one field of every row. Delta columns hold the difference to the
// row before.
func column[T any, I integer](c *coder, rows []T, how relation, field func(*T) *I) {
	k := c.column()
	if len(rows) == 0 || k.nil {
		return
	}
	// The field's place in the first row tells it in all.
	p, size := unsafe.Pointer(field(&rows[0])), unsafe.Sizeof(rows[0])
	prev := int64(0)
	if !c.reading {
		for i := range rows {
			v := int64(*(*I)(unsafe.Add(p, uintptr(i)*size)))
			k.putInt(v - prev)
			if how == delta {
				prev = v
			}
		}
		return
	}
	for i := range rows {
		v := k.int() + prev
		if int64(I(v)) != v {
			k.bad = true
			return
		}
		*(*I)(unsafe.Add(p, uintptr(i)*size)) = I(v)
		if how == delta {
			prev = v
		}
	}
}

type relation uint8

const (
	plain relation = iota
	delta
)

// spans codes a span of every row: its length first, 0 for the zero span, and
// how far from the end of the one before it begins.
func spans[T any](c *coder, rows []T, field func(*T) *Span) {
	size, start := c.column(), c.column()
	if size.nil {
		return
	}
	end := int64(0)
	for i := range rows {
		s := field(&rows[i])
		if !c.reading {
			if *s == (Span{}) {
				size.putUint(0)
				continue
			}
			size.putUint(uint64(s.Len()) + 1)
			start.putInt(int64(s.Lo) - end)
			end = int64(s.Hi)
			continue
		}
		n := size.uint()
		if n == 0 {
			continue
		}
		lo := start.int() + end
		end = lo + int64(n-1)
		if lo < 0 || n > math.MaxInt32 || end > math.MaxInt32 {
			c.failed = true
			return
		}
		*s = Span{int32(lo), int32(end)}
	}
}

// strings codes strings, which share one memory when they are read.
func (c *coder) strings(ss []string) {
	size, text := c.column(), c.column()
	text.raw = true
	if !c.reading {
		for _, s := range ss {
			size.putUint(uint64(len(s)))
			text.b = append(text.b, s...)
		}
		return
	}
	if text.s == "" && len(ss) > 0 {
		text.s = string(text.b)
	}
	for i := range ss {
		n := size.uint()
		if n > uint64(len(text.b)-text.i) {
			c.failed = true
			return
		}
		ss[i] = text.s[text.i : text.i+int(n)]
		text.i += int(n)
	}
}

func (c *coder) bytes(p []byte) {
	k := &c.columns[c.at]
	k.raw = true
	if !c.reading {
		k.b = append(k.b, p...)
		return
	}
	if len(k.b)-k.i < len(p) {
		k.bad = true
		return
	}
	copy(p, k.b[k.i:])
	k.i += len(p)
}

func (c *coder) file(f *File) {
	table(c, &f.Strings)
	c.strings(f.Strings)
	generated := int64(0)
	if f.Generated {
		generated = 1
	}
	pkg, constraint := c.varint(int64(f.Package)), c.varint(int64(f.Constraint))
	generated = c.varint(generated)
	if c.reading { // what is written is read by others at the same time
		f.Package, f.Constraint, f.Generated = Str(pkg), Str(constraint), generated == 1
	}

	table(c, &f.Imports)
	column(c, f.Imports, delta, func(r *Import) *Str { return &r.Path })
	column(c, f.Imports, plain, func(r *Import) *Str { return &r.Name })
	column(c, f.Imports, plain, func(r *Import) *Str { return &r.Alias })
	column(c, f.Imports, plain, func(r *Import) *DeclID { return &r.Owner })
	column(c, f.Imports, plain, func(r *Import) *ImportFlags { return &r.Flags })
	column(c, f.Imports, delta, func(r *Import) *int32 { return &r.Line })
	column(c, f.Imports, plain, func(r *Import) *int32 { return &r.Col })

	c.decls(f)

	table(c, &f.Params)
	column(c, f.Params, plain, func(r *Param) *Str { return &r.Name })
	column(c, f.Params, delta, func(r *Param) *ExprID { return &r.Type })
	column(c, f.Params, delta, func(r *Param) *LocalID { return &r.Local })
	column(c, f.Params, plain, func(r *Param) *graph.ParamFlags { return &r.Flags })

	table(c, &f.Locals)
	column(c, f.Locals, plain, func(r *Local) *Str { return &r.Name })
	column(c, f.Locals, plain, func(r *Local) *LocalKind { return &r.Kind })
	column(c, f.Locals, plain, func(r *Local) *uint16 { return &r.Index })
	column(c, f.Locals, delta, func(r *Local) *DeclID { return &r.Decl })
	column(c, f.Locals, delta, func(r *Local) *ExprID { return &r.Type })
	column(c, f.Locals, delta, func(r *Local) *ExprID { return &r.Value })
	column(c, f.Locals, plain, func(r *Local) *LocalID { return &r.Next })

	table(c, &f.Lists)
	table(c, &f.Exprs)
	c.expressions(f)

	table(c, &f.Flows)
	column(c, f.Flows, plain, func(r *Flow) *FlowKind { return &r.Kind })
	column(c, f.Flows, plain, func(r *Flow) *int32 { return &r.N })
	column(c, f.Flows, delta, func(r *Flow) *int32 { return &r.To })
	column(c, f.Flows, delta, func(r *Flow) *ExprID { return &r.From })

	table(c, &f.Settings)
	column(c, f.Settings, plain, func(r *Setting) *Str { return &r.Name })
	column(c, f.Settings, plain, func(r *Setting) *Str { return &r.Value })

	table(c, &f.Directives)
	column(c, f.Directives, plain, func(r *Directive) *Str { return &r.Name })
	column(c, f.Directives, plain, func(r *Directive) *Str { return &r.Value })
	column(c, f.Directives, plain, func(r *Directive) *DeclID { return &r.Owner })
	column(c, f.Directives, delta, func(r *Directive) *int32 { return &r.Line })
	column(c, f.Directives, plain, func(r *Directive) *int32 { return &r.Col })

	table(c, &f.Unparsed)
	column(c, f.Unparsed, delta, func(r *Lines) *int32 { return &r.From })
	column(c, f.Unparsed, delta, func(r *Lines) *int32 { return &r.To })
}

func (c *coder) decls(f *File) {
	table(c, &f.Decls)
	d := f.Decls
	column(c, d, plain, func(r *Decl) *graph.Kind { return &r.Kind })
	column(c, d, plain, func(r *Decl) *Str { return &r.Name })
	column(c, d, delta, func(r *Decl) *DeclID { return &r.Parent })
	column(c, d, plain, func(r *Decl) *Str { return &r.Owner })
	column(c, d, plain, func(r *Decl) *Traits { return &r.Traits })
	column(c, d, plain, func(r *Decl) *graph.Flags { return &r.Flags })
	column(c, d, plain, func(r *Decl) *graph.Visibility { return &r.Vis })
	column(c, d, delta, func(r *Decl) *int32 { return &r.DefLine })
	column(c, d, delta, func(r *Decl) *int32 { return &r.Line })
	column(c, d, plain, func(r *Decl) *int32 { return &r.Col })
	column(c, d, delta, func(r *Decl) *int32 { return &r.EndLine })
	for _, span := range []func(*Decl) *Span{
		func(r *Decl) *Span { return &r.TypeParams }, func(r *Decl) *Span { return &r.Params },
		func(r *Decl) *Span { return &r.Results }, func(r *Decl) *Span { return &r.Bases },
		func(r *Decl) *Span { return &r.Implements }, func(r *Decl) *Span { return &r.Marks },
		func(r *Decl) *Span { return &r.Throws }, func(r *Decl) *Span { return &r.Exprs },
		func(r *Decl) *Span { return &r.Flows }, func(r *Decl) *Span { return &r.Locals },
	} {
		spans(c, d, span)
	}
	column(c, d, delta, func(r *Decl) *ExprID { return &r.Type })
	column(c, d, delta, func(r *Decl) *ExprID { return &r.Value })
	column(c, d, plain, func(r *Decl) *int32 { return &r.Ordinal })
	column(c, d, plain, func(r *Decl) *Str { return &r.Shape })
	column(c, d, plain, func(r *Decl) *Str { return &r.Signature })
	column(c, d, plain, func(r *Decl) *Str { return &r.Doc })
	column(c, d, plain, func(r *Decl) *int32 { return &r.Tokens })
	// Most declarations lack one hash or another, and branches: a mask says what
	// follows. Branches are in its own column, as archives from before them have
	// no other.
	masks := c.column()
	for i := range d {
		var mask uint64
		if !c.reading {
			for b, zero := range []bool{d[i].DocHash.IsZero(), d[i].Body.IsZero(), d[i].MinHash == graph.MinHash{}} {
				if !zero {
					mask |= 1 << b
				}
			}
			if d[i].Branches != 0 {
				mask |= 8
			}
			if masks.putUint(mask); mask&8 != 0 {
				masks.putUint(uint64(d[i].Branches))
			}
		} else if mask = masks.uint(); mask&8 != 0 {
			n := masks.uint()
			if n > math.MaxInt32 {
				masks.bad = true
			}
			d[i].Branches = int32(n)
		}
		if mask&1 != 0 {
			c.bytes(d[i].DocHash[:])
		}
		if mask&2 != 0 {
			c.bytes(d[i].Body[:])
		}
		if mask&4 != 0 {
			for j := range d[i].MinHash {
				var w [4]byte
				binary.LittleEndian.PutUint32(w[:], d[i].MinHash[j])
				c.bytes(w[:])
				if c.reading {
					d[i].MinHash[j] = binary.LittleEndian.Uint32(w[:])
				}
			}
		}
	}
	c.column() // that of bytes
}
