package facts

import (
	"github.com/codekg/kg/analyzer/graph"
)

// Key names what facts are a function of: a content and how it was read.
type Key struct {
	ID       string // of the content: its SHA-256, or its SHA-1 as a git blob; raw bytes
	Lang     string // the language that it was read as
	Manifest string // base name of the file if that matters, empty for source files
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
}

// BlockWeight estimates the stored size of c before compression, for those who
// divide contents into blocks.
func (c *Content) BlockWeight() int {
	if c.Facts == nil {
		return 64
	}
	f := c.Facts
	return 64 + 11*len(f.Exprs) + 80*len(f.Decls) + 20*len(f.Strings) + 2*len(f.Lists) + 8*len(f.Locals)
}

// AppendBlock appends the stored form of the facts and unknowns of contents to
// dst. Equal contents give equal bytes. It is meant to be compressed.
func AppendBlock(dst []byte, cs []*Content) []byte {
	k := &coder{buf: dst}
	for _, c := range cs {
		k.content(c)
	}
	return k.buf
}

// DecodeBlock reads what [AppendBlock] wrote, into the facts and unknowns of n
// contents. The bytes may be hostile: see [Decode].
func DecodeBlock(b []byte, n int) ([]Content, error) {
	if n < 0 || n > len(b) {
		return nil, ErrCorrupt
	}
	k := &coder{buf: b, reading: true}
	cs := make([]Content, n)
	for i := range cs {
		k.content(&cs[i])
		if k.err == nil && cs[i].Facts != nil {
			k.err = cs[i].Facts.Check()
		}
		if k.err != nil {
			return nil, k.err
		}
	}
	if len(k.buf) > 0 {
		return nil, ErrCorrupt
	}
	return cs, nil
}

func (k *coder) content(c *Content) {
	table(k, &c.Unknowns)
	column(k, c.Unknowns, plain, func(u *graph.Unknown) *graph.Reason { return &u.Reason })
	column(k, c.Unknowns, delta, func(u *graph.Unknown) *int32 { return &u.Line })
	column(k, c.Unknowns, delta, func(u *graph.Unknown) *int32 { return &u.EndLine })
	column(k, c.Unknowns, plain, func(u *graph.Unknown) *int32 { return &u.Count })
	details := make([]string, len(c.Unknowns))
	for i := range c.Unknowns {
		details[i] = c.Unknowns[i].Detail
	}
	k.texts(details)
	for i := range c.Unknowns {
		u := &c.Unknowns[i]
		u.Detail = details[i]
		if int(u.Reason) >= graph.ReasonCount || u.Line < 0 || u.EndLine < 0 || u.Count < 0 {
			k.fail()
		}
	}
	has := int64(0)
	if c.Facts != nil {
		has = 1
	}
	if has = k.varint(has); has != 0 {
		if k.reading {
			c.Facts = &File{}
		}
		k.file(c.Facts)
	}
}
