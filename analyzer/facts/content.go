package facts

import (
	"unsafe"

	"github.com/codekg/kg/analyzer/graph"
)

// Key names what facts are a function of: a content and how it was read.
type Key struct {
	ID       string // of the content: its SHA-256, or its SHA-1 as a git blob; raw bytes
	Lang     string // the language that it was read as
	Manifest string // base name of the file if that matters; of source files the mark of their grammar, if the language has several
}

// Content is what the bytes of a file say, whatever its path. It must not be
// changed once it is shared.
type Content struct {
	Lang     string
	Manifest string
	Hash     [32]byte // SHA-256 of the bytes
	Blob     [20]byte // SHA-1 of the bytes as a git blob
	Size     int64    // bytes
	Facts    *File    // nil: not analysed
	Unknowns []graph.Unknown
}

// ByHash returns the key with the SHA-256 of the content.
func (c *Content) ByHash() Key { return Key{string(c.Hash[:]), c.Lang, c.Manifest} }

// ByBlob returns the key with the SHA-1 of the content as a git blob.
func (c *Content) ByBlob() Key { return Key{string(c.Blob[:]), c.Lang, c.Manifest} }

// Store holds contents that were read before, in this process or in others. It
// is safe for concurrent use.
type Store interface {
	// Find returns the content with a key, false if the store has it not.
	Find(Key) (*Content, bool)

	// Memory returns what all facts of the store take in memory, about, in bytes.
	Memory() int64
}

// BlockWeight estimates the stored size of c before compression, for those who
// divide contents into blocks.
func (c *Content) BlockWeight() int {
	if c.Facts == nil {
		return 64
	}
	f := c.Facts
	return 64 + 4*len(f.Exprs) + 80*len(f.Decls) + 20*len(f.Strings) + 8*len(f.Locals)
}

// AppendBlock appends the stored form of the facts and unknowns of contents to
// dst. Equal contents give equal bytes. It is meant to be compressed.
func AppendBlock(dst []byte, cs []*Content) []byte {
	c := newWriter()
	for _, x := range cs {
		c.begin()
		c.content(x)
	}
	return c.finish(dst)
}

// DecodeBlock reads what [AppendBlock] wrote, into the facts and unknowns of n
// contents. The bytes may be hostile: the contents and their tables take at most
// memory bytes, and facts satisfy [File.Check].
func DecodeBlock(b []byte, n int, memory int64) ([]Content, error) {
	const size = int64(unsafe.Sizeof(Content{}))
	if n < 0 || int64(n) > memory/size { // contents without facts may take no bytes
		return nil, ErrCorrupt
	}
	c, err := newReader(b, memory-int64(n)*size)
	if err != nil {
		return nil, err
	}
	cs := make([]Content, n)
	for i := range cs {
		c.begin()
		c.content(&cs[i])
		if c.failed {
			return nil, ErrCorrupt
		}
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	for i := range cs {
		if cs[i].Facts != nil {
			if err := cs[i].Facts.Check(); err != nil {
				return nil, err
			}
		}
	}
	return cs, nil
}

func (c *coder) content(x *Content) {
	table(c, &x.Unknowns)
	column(c, x.Unknowns, plain, func(u *graph.Unknown) *graph.Reason { return &u.Reason })
	column(c, x.Unknowns, delta, func(u *graph.Unknown) *int32 { return &u.Line })
	column(c, x.Unknowns, delta, func(u *graph.Unknown) *int32 { return &u.EndLine })
	column(c, x.Unknowns, plain, func(u *graph.Unknown) *int32 { return &u.Count })
	details := make([]string, len(x.Unknowns))
	for i := range details {
		details[i] = x.Unknowns[i].Detail
	}
	c.strings(details)
	for i := range x.Unknowns {
		u := &x.Unknowns[i]
		if c.reading {
			u.Detail = details[i]
		}
		if int(u.Reason) >= graph.ReasonCount || u.Line < 0 || u.EndLine < 0 || u.Count < 0 {
			c.failed = true
		}
	}
	has := int64(0)
	if x.Facts != nil {
		has = 1
	}
	if has = c.varint(has); has != 0 {
		if c.reading {
			x.Facts = &File{}
		}
		c.file(x.Facts)
	}
}

// Memory returns about how many bytes the tables of c take.
func (c *Content) Memory() int64 {
	n := int64(unsafe.Sizeof(*c)) + rows(c.Unknowns)
	if f := c.Facts; f != nil {
		n += int64(unsafe.Sizeof(*f)) + rows(f.Strings) + rows(f.Imports) + rows(f.Decls) + rows(f.Params) + rows(f.Locals) +
			rows(f.Exprs) + rows(f.Lists) + rows(f.Flows) + rows(f.Settings) + rows(f.Directives) + rows(f.Unparsed)
	}
	return n
}

func rows[T any](s []T) int64 {
	var row T
	return int64(len(s)) * int64(unsafe.Sizeof(row))
}
