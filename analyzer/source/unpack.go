package source

import (
	"compress/zlib"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// unpacker reads objects of one pack file: what go-git does too, in half the
// time for the many small objects of a history. Whatever it does not
// understand is left to go-git. One read at a time.
type unpacker struct {
	pack  *pack
	index *packIndex
	bases *baseCache
	file  *os.File
	in    window
	zlib  io.ReadCloser // nil until the first object
}

var errUnpack = errors.New("not understood")

// Types of objects in a pack.
const (
	packCommit   = 1
	packTree     = 2
	packBlob     = 3
	packTag      = 4
	packOfsDelta = 6
	packRefDelta = 7
)

var packTypes = map[byte]objectType{packCommit: commitObject, packTree: treeObject, packBlob: blobObject, packTag: tagObject}

const (
	maxDeltaChain = 4096 // git makes 50, and 250 with --aggressive
	keptBase      = 8 << 20
)

func newUnpacker(p *pack, index *packIndex, bases *baseCache) (*unpacker, error) {
	f, err := os.Open(p.path + ".pack")
	if err != nil {
		return nil, err
	}
	return &unpacker{pack: p, index: index, bases: bases, file: f, in: window{file: f}}, nil
}

// object reads the object at an offset. The bytes are the caller's, but those of
// a tree must not be changed.
func (u *unpacker) object(offset, max int64) (kind objectType, data []byte, err error) {
	type link struct {
		offset int64
		delta  []byte
	}
	var (
		chain []link
		base  byte
		size  int64
		at    = offset
		known bool
	)
	for {
		if base, data, known = u.bases.get(u.pack, at); known {
			break
		}
		var from int64 // of the base
		if base, size, from, err = u.header(at); err != nil {
			return "", nil, err
		}
		if from == 0 {
			break
		}
		if len(chain) == maxDeltaChain || size > maxContent {
			return "", nil, errUnpack
		}
		delta, err := u.inflate(size)
		if err != nil {
			return "", nil, err
		}
		if len(chain) == 0 {
			if _, target, _, ok := deltaSizes(delta); !ok {
				return "", nil, errUnpack
			} else if target > max {
				return "", nil, &TooLargeError{Size: target, Max: max}
			}
		}
		chain = append(chain, link{at, delta})
		at = from
	}
	kind = packTypes[base]
	if kind == "" {
		return "", nil, errUnpack
	}
	if known {
		size = int64(len(data))
	}
	if len(chain) == 0 && size > max {
		return "", nil, &TooLargeError{Size: size, Max: max}
	}
	if size > maxContent {
		return "", nil, errUnpack
	}
	if !known {
		if data, err = u.inflate(size); err != nil {
			return "", nil, err
		}
		if len(chain) > 0 || base == packTree {
			u.bases.put(u.pack, at, base, data)
		}
	} else if len(chain) == 0 && base != packTree {
		data = append([]byte(nil), data...)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if data, err = applyDelta(data, chain[i].delta); err != nil {
			return "", nil, err
		}
		if i > 0 || base == packTree {
			u.bases.put(u.pack, chain[i].offset, base, data)
		}
	}
	return kind, data, nil
}

// header reads what stands before the bytes of an object: type, size, and for a
// delta the offset of its base.
func (u *unpacker) header(offset int64) (kind byte, size, from int64, err error) {
	u.in.seek(offset)
	c, err := u.in.ReadByte()
	if err != nil {
		return 0, 0, 0, errUnpack
	}
	kind, size = c>>4&7, int64(c&15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = u.in.ReadByte(); err != nil || shift > 50 {
			return 0, 0, 0, errUnpack
		}
		size |= int64(c&0x7f) << shift
	}
	switch kind {
	case packOfsDelta:
		if c, err = u.in.ReadByte(); err != nil {
			return 0, 0, 0, errUnpack
		}
		back := int64(c & 0x7f)
		for c&0x80 != 0 {
			if c, err = u.in.ReadByte(); err != nil || back > 1<<50 {
				return 0, 0, 0, errUnpack
			}
			back = (back+1)<<7 | int64(c&0x7f)
		}
		if back <= 0 || back >= offset {
			return 0, 0, 0, errUnpack
		}
		from = offset - back
	case packRefDelta:
		var hash plumbing.Hash
		if _, err := io.ReadFull(&u.in, hash[:]); err != nil {
			return 0, 0, 0, errUnpack
		}
		if from, err = u.index.find(hash); err != nil || from <= 0 {
			return 0, 0, 0, errUnpack
		}
	}
	return kind, size, from, nil
}

// inflate unpacks the stream that the window stands at. It must have exactly
// the given size, and its own checksum is checked.
func (u *unpacker) inflate(size int64) ([]byte, error) {
	var err error
	if u.zlib == nil {
		u.zlib, err = zlib.NewReader(&u.in)
	} else {
		err = u.zlib.(zlib.Resetter).Reset(&u.in, nil)
	}
	if err != nil {
		u.zlib = nil
		return nil, errUnpack
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(u.zlib, data); err != nil {
		return nil, errUnpack
	}
	var more [1]byte
	if n, err := u.zlib.Read(more[:]); n != 0 || err != io.EOF {
		return nil, errUnpack
	}
	return data, nil
}

func (u *unpacker) close() error { return u.file.Close() }

// deltaSizes reads the sizes at the beginning of a delta.
func deltaSizes(delta []byte) (base, target int64, rest []byte, ok bool) {
	number := func() (n int64) {
		for shift := 0; ok; shift += 7 {
			if len(delta) == 0 || shift > 50 {
				ok = false
				return 0
			}
			c := delta[0]
			delta = delta[1:]
			n |= int64(c&0x7f) << shift
			if c&0x80 == 0 {
				break
			}
		}
		return n
	}
	ok = true
	base = number()
	target = number()
	return base, target, delta, ok
}

// applyDelta makes an object from its base.
func applyDelta(base, delta []byte) ([]byte, error) {
	from, size, delta, ok := deltaSizes(delta)
	if !ok || from != int64(len(base)) || size > maxContent {
		return nil, errUnpack
	}
	out := make([]byte, 0, size)
	for len(delta) > 0 {
		c := delta[0]
		delta = delta[1:]
		if c&0x80 == 0 { // bytes of its own
			n := int(c)
			if n == 0 || n > len(delta) || len(out)+n > cap(out) {
				return nil, errUnpack
			}
			out, delta = append(out, delta[:n]...), delta[n:]
			continue
		}
		var at, n int
		for i := range 7 {
			if c&(1<<i) == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil, errUnpack
			}
			if i < 4 {
				at |= int(delta[0]) << (8 * i)
			} else {
				n |= int(delta[0]) << (8 * (i - 4))
			}
			delta = delta[1:]
		}
		if n == 0 {
			n = 0x10000
		}
		if at < 0 || at > len(base) || n > len(base)-at || len(out)+n > cap(out) {
			return nil, errUnpack
		}
		out = append(out, base[at:at+n]...)
	}
	if int64(len(out)) != size {
		return nil, errUnpack
	}
	return out, nil
}

// window reads a file from anywhere, a piece at a time.
type window struct {
	file  *os.File
	start int64 // of buffer in the file
	next  int   // in buffer
	size  int   // of what is in buffer
	piece [4096]byte
}

// seek goes to an offset. What has been read already is not read again.
func (w *window) seek(offset int64) {
	if back := offset - w.start; back >= 0 && back < int64(w.size) {
		w.next = int(back)
		return
	}
	w.start, w.next, w.size = offset, 0, 0
}

func (w *window) fill() error {
	w.start += int64(w.size)
	w.next, w.size = 0, 0
	n, err := w.file.ReadAt(w.piece[:], w.start)
	w.size = n
	if n > 0 {
		return nil
	}
	return err
}

func (w *window) ReadByte() (byte, error) {
	if w.next == w.size {
		if err := w.fill(); err != nil {
			return 0, err
		}
	}
	c := w.piece[w.next]
	w.next++
	return c, nil
}

func (w *window) Read(b []byte) (int, error) {
	if w.next == w.size {
		if err := w.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(b, w.piece[w.next:w.size])
	w.next += n
	return n, nil
}

// baseCache keeps what deltas were made from, by its place. It forgets what was
// not used lately.
type baseCache struct {
	mu    sync.Mutex
	now   map[place]unpacked
	old   map[place]unpacked
	bytes int // in now
}

type place struct {
	pack   *pack
	offset int64
}

type unpacked struct {
	kind byte
	data []byte
}

func (c *baseCache) get(p *pack, offset int64) (byte, []byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := place{p, offset}
	if b, ok := c.now[at]; ok {
		return b.kind, b.data, true
	}
	b, ok := c.old[at]
	if ok {
		c.keep(at, b)
	}
	return b.kind, b.data, ok
}

func (c *baseCache) put(p *pack, offset int64, kind byte, data []byte) {
	if len(data) > keptBase {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(place{p, offset}, unpacked{kind, data})
}

func (c *baseCache) keep(at place, b unpacked) {
	if c.now == nil || c.bytes > int(deltaCache)/2 {
		c.old, c.now, c.bytes = c.now, map[place]unpacked{}, 0
	}
	c.now[at] = b
	c.bytes += len(b.data)
}
