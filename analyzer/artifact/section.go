package artifact

import (
	"encoding/binary"
	"errors"
	"math"
)

// column is a column that is being written.
type column struct{ b []byte }

// roomFor returns a column with room for n bytes. Memory that is not written costs
// nothing, while a column that grows is copied, and all of its room cleared.
func roomFor(n int) column { return column{make([]byte, 0, n)} }

func (c *column) uint(v uint64)   { c.b = binary.AppendUvarint(c.b, v) }
func (c *column) int(v int64)     { c.b = binary.AppendVarint(c.b, v) }
func (c *column) byte(v byte)     { c.b = append(c.b, v) }
func (c *column) bytes(v []byte)  { c.b = append(c.b, v...) }
func (c *column) text(s string)   { c.b = append(c.b, s...) }
func (c *column) string(s string) { c.uint(uint64(len(s))); c.text(s) }

// joinColumns makes the content of a section.
func joinColumns(cols ...*column) []byte {
	size := binary.MaxVarintLen64 * (1 + len(cols))
	for _, c := range cols {
		size += len(c.b)
	}
	b := binary.AppendUvarint(make([]byte, 0, size), uint64(len(cols)))
	for _, c := range cols {
		b = binary.AppendUvarint(b, uint64(len(c.b)))
	}
	for _, c := range cols {
		b = append(b, c.b...)
	}
	return b
}

var (
	errTruncated = errors.New("ends too early")
	errTrailing  = errors.New("holds more than its counts say")
	errRange     = errors.New("holds a number out of range")
	errCount     = errors.New("is too short for its count")
)

// splitColumns sets cursors to the columns of a section; columns after them are
// skipped.
func splitColumns(content []byte, cols ...*cursor) error {
	head := cursor{b: content}
	n := head.uint()
	if head.bad || n < uint64(len(cols)) || n > uint64(len(content)) {
		return errTruncated
	}
	sizes := make([]uint64, len(cols))
	for i := range n {
		size := head.uint()
		if i < uint64(len(cols)) {
			sizes[i] = size
		}
	}
	if head.bad {
		return errTruncated
	}
	rest := content[head.i:]
	for i, c := range cols {
		if sizes[i] > uint64(len(rest)) {
			return errTruncated
		}
		*c = cursor{b: rest[:sizes[i]:sizes[i]]}
		rest = rest[sizes[i]:]
	}
	return nil
}

// cursor reads a column. Errors stick: after the first one every read gives
// zero, and finish reports it.
type cursor struct {
	b   []byte
	i   int
	bad bool
}

func (c *cursor) uint() uint64 {
	if c.i < len(c.b) && c.b[c.i] < 0x80 {
		c.i++
		return uint64(c.b[c.i-1])
	}
	return c.longUint()
}

func (c *cursor) longUint() uint64 {
	if c.i > len(c.b) {
		return 0
	}
	v, n := binary.Uvarint(c.b[c.i:])
	if n <= 0 {
		c.fail()
		return 0
	}
	c.i += n
	return v
}

// fail makes every later read fail, too.
func (c *cursor) fail() {
	c.bad = true
	c.i = len(c.b)
}

func (c *cursor) int() int64 {
	v := c.uint()
	return int64(v>>1) ^ -int64(v&1)
}

// upto reads a number that is at most hi.
func (c *cursor) upto(hi uint64) uint64 {
	v := c.uint()
	if v > hi {
		c.fail()
		return 0
	}
	return v
}

// natural reads a number that fits an int32 and is not negative.
func (c *cursor) natural() int32 { return int32(c.upto(math.MaxInt32)) }

// id reads the index of a string.
func (c *cursor) id() uint32 { return uint32(c.upto(math.MaxUint32)) }

func (c *cursor) byte() byte {
	if c.i >= len(c.b) {
		c.fail()
		return 0
	}
	c.i++
	return c.b[c.i-1]
}

// bytes returns the next n bytes, which stay the column's.
func (c *cursor) bytes(n int) []byte {
	if n < 0 || n > len(c.b)-c.i {
		c.fail()
		return nil
	}
	c.i += n
	return c.b[c.i-n : c.i]
}

func (c *cursor) string() string {
	return string(c.bytes(int(c.upto(uint64(len(c.b))))))
}

// numbers reads len(dst) numbers of 32 bits.
func (c *cursor) numbers(dst []uint32) error {
	b, i, k := c.b, c.i, 0
	for k < len(dst) {
		// Most numbers take one byte: try eight of them.
		for i+8 <= len(b) && k+8 <= len(dst) {
			v := binary.LittleEndian.Uint64(b[i:])
			if v&0x8080808080808080 != 0 {
				break
			}
			d := dst[k : k+8 : k+8]
			d[0], d[1], d[2], d[3] = uint32(byte(v)), uint32(byte(v>>8)), uint32(byte(v>>16)), uint32(byte(v>>24))
			d[4], d[5], d[6], d[7] = uint32(byte(v>>32)), uint32(byte(v>>40)), uint32(byte(v>>48)), uint32(byte(v>>56))
			i, k = i+8, k+8
		}
		for stop := min(k+8, len(dst)); k < stop; k++ {
			if i >= len(b) {
				return errCount
			}
			v := uint64(b[i])
			i++
			if v >= 0x80 {
				v &= 0x7f
				for shift := 7; ; shift += 7 {
					if i >= len(b) || shift > 28 {
						return errRange
					}
					x := b[i]
					i++
					v |= uint64(x&0x7f) << shift
					if x < 0x80 {
						break
					}
				}
				if v > math.MaxUint32 {
					return errRange
				}
			}
			dst[k] = uint32(v)
		}
	}
	c.i = i
	return nil
}

// unzigzag restores a signed number.
func unzigzag(v uint32) int64 { return int64(v>>1) ^ -int64(v&1) }

// numberColumn says where the numbers of a column go.
type numberColumn struct {
	c   *cursor
	n   int
	dst *[]uint32
}

// readNumbers reads whole columns.
func readNumbers(cols ...numberColumn) error {
	total := 0
	for _, col := range cols {
		// Every number takes a byte, so this bounds what is allocated.
		if col.n > col.c.left() {
			return errCount
		}
		total += col.n
	}
	buf := makeLarge[uint32](total)
	for _, col := range cols {
		*col.dst, buf = buf[:col.n:col.n], buf[col.n:]
		if err := col.c.numbers(*col.dst); err != nil {
			return err
		}
		if col.c.left() != 0 {
			return errTrailing
		}
	}
	return nil
}

// left returns the number of bytes that were not read yet.
func (c *cursor) left() int { return len(c.b) - c.i }

// finish reports whether all columns were read without an error and up to
// their ends.
func finish(cols ...*cursor) error {
	for _, c := range cols {
		if c.bad {
			return errRange
		}
	}
	for _, c := range cols {
		if c.left() != 0 {
			return errTrailing
		}
	}
	return nil
}
