package source

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// packIndex says where in a pack its objects are. Of its file only the parts are
// read that are asked for, each once: to find one commit in a history of a million
// objects takes what it takes in one of a hundred. As in git, the checksum of the
// file, which would ask for all of it, is left to fsck.
//
// The format is version 2 of gitformat-pack: after eight bytes the number of names
// up to each first byte, then the sorted names, a checksum and the place of each,
// and the places that need more than 31 bits.
type packIndex struct {
	open   func() (readAtCloser, error)
	size   int64       // of the file, in bytes
	before [257]uint32 // by first byte: how many names begin with less

	mu    sync.Mutex
	parts [256]*indexPart
}

// indexPart is the names with one first byte, and their places.
type indexPart struct{ names, places []byte }

const (
	indexHead  = 8 + 256*4
	indexTail  = int64(2 * hashBytes) // two checksums
	hashBytes  = len(plumbing.ZeroHash)
	largePlace = 1 << 31
)

var errPackIndex = errors.New("not an index of a pack")

func openPackIndex(path string) (*packIndex, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readPackIndex(f, info.Size(), func() (readAtCloser, error) { return os.Open(path) })
}

type readAtCloser interface {
	io.ReaderAt
	io.Closer
}

// readPackIndex reads the beginning of an index of a size; open is for the rest.
func readPackIndex(r io.ReaderAt, size int64, open func() (readAtCloser, error)) (*packIndex, error) {
	x := &packIndex{open: open, size: size}
	var head [indexHead]byte
	if _, err := r.ReadAt(head[:], 0); err != nil || string(head[:8]) != "\xfftOc\x00\x00\x00\x02" {
		return nil, errPackIndex
	}
	for i := range 256 {
		x.before[i+1] = binary.BigEndian.Uint32(head[8+4*i:])
		if x.before[i+1] < x.before[i] {
			return nil, errPackIndex
		}
	}
	if x.at(hashBytes+8, x.before[256])+indexTail > x.size {
		return nil, errPackIndex
	}
	return x, nil
}

// at is where what takes width bytes for each object ends.
func (x *packIndex) at(width int, n uint32) int64 { return indexHead + int64(width)*int64(n) }

func (x *packIndex) part(first byte) (*indexPart, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if p := x.parts[first]; p != nil {
		return p, nil
	}
	f, err := x.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lo, hi, all := x.before[first], x.before[int(first)+1], x.before[256]
	p := &indexPart{names: make([]byte, hashBytes*int(hi-lo)), places: make([]byte, 4*int(hi-lo))}
	if _, err := f.ReadAt(p.names, x.at(hashBytes, lo)); err != nil {
		return nil, errPackIndex
	}
	if _, err := f.ReadAt(p.places, x.at(hashBytes+4, all)+4*int64(lo)); err != nil {
		return nil, errPackIndex
	}
	x.parts[first] = p
	return p, nil
}

// find returns where an object is; the error is plumbing.ErrObjectNotFound if it is
// not in the pack.
func (x *packIndex) find(id plumbing.Hash) (int64, error) {
	p, err := x.part(id[0])
	if err != nil {
		return 0, err
	}
	lo, hi := 0, len(p.names)/hashBytes
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		switch c := bytes.Compare(p.names[mid*hashBytes:(mid+1)*hashBytes], id[:]); {
		case c < 0:
			lo = mid + 1
		case c > 0:
			hi = mid
		default:
			return x.place(binary.BigEndian.Uint32(p.places[4*mid:]))
		}
	}
	return 0, plumbing.ErrObjectNotFound
}

func (x *packIndex) place(n uint32) (int64, error) {
	if n < largePlace {
		return int64(n), nil
	}
	f, err := x.open()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	at := x.at(hashBytes+8, x.before[256]) + 8*int64(n-largePlace)
	var b [8]byte
	if at+8+indexTail > x.size {
		return 0, errPackIndex
	}
	if _, err := f.ReadAt(b[:], at); err != nil {
		return 0, errPackIndex
	}
	if place := binary.BigEndian.Uint64(b[:]); place < 1<<62 {
		return int64(place), nil
	}
	return 0, errPackIndex
}

// withPrefix lists the objects whose names begin with two or more hexadecimal
// digits, sorted.
func (x *packIndex) withPrefix(prefix string) ([]string, error) {
	first, err := hex.DecodeString(prefix[:2])
	if err != nil {
		return nil, nil
	}
	p, err := x.part(first[0])
	if err != nil {
		return nil, err
	}
	var ids []string
	for i := 0; i < len(p.names); i += hashBytes {
		if id := hex.EncodeToString(p.names[i : i+hashBytes]); strings.HasPrefix(id, prefix) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
