package facts

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// An Archive holds the facts of named groups of files, compressed: the API of
// the packages of a standard library. It is trusted data of the program's own.
// Groups are compressed in blocks of neighbours by name, so that who needs a few
// of them unpacks little more.
type Archive struct {
	version string
	names   []string
	data    [][]byte // by group, before it is stored
	index   map[string]int
	groups  []groupSpan // by group
	blocks  [][]byte    // compressed

	mu     sync.Mutex
	reader *zstd.Decoder
	raw    [][]byte // by block: unpacked; nil: not yet
	open   map[string][]*File
}

// groupSpan is where a group lies in its block.
type groupSpan struct{ block, lo, hi int }

// blockSize is how many bytes of groups are put into a block, at least.
const blockSize = 16 << 10

// NewArchive returns an empty archive.
func NewArchive() *Archive { return &Archive{index: map[string]int{}} }

// Add adds a group.
func (a *Archive) Add(name string, files []*File) {
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(files)))
	b = appendFiles(b, files)
	a.names, a.data = append(a.names, name), append(a.data, b)
}

// Bytes returns the archive's stored form: its format, version, and the number of
// groups; of each group its name, its size, and whether it is the last of its block;
// and the blocks. Version says what it was made from.
func (a *Archive) Bytes(version string) []byte {
	order := make([]int, len(a.names))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return a.names[order[i]] < a.names[order[j]] })
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constant
	}
	var b, block, blocks []byte
	text := func(b []byte, s string) []byte {
		return append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	b = text(b, archiveFormat())
	b = text(b, version)
	b = binary.AppendUvarint(b, uint64(len(order)))
	for n, i := range order {
		b = text(b, a.names[i])
		block = append(block, a.data[i]...)
		size := uint64(len(a.data[i])) << 1
		if len(block) >= blockSize || n == len(order)-1 {
			size |= 1
			blocks = text(blocks, string(w.EncodeAll(block, nil)))
			block = block[:0]
		}
		b = binary.AppendUvarint(b, size)
	}
	return append(b, blocks...)
}

func archiveFormat() string { return fmt.Sprintf("kg surface 2, facts %d", CodecVersion) }

// OpenArchive reads what [Archive.Bytes] returned.
func OpenArchive(b []byte) (*Archive, error) {
	ok := true
	number := func() int {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > math.MaxInt32 {
			ok = false
			return 0
		}
		b = b[k:]
		return int(n)
	}
	next := func() []byte {
		n := number()
		if !ok || n > len(b) {
			ok = false
			return nil
		}
		s := b[:n]
		b = b[n:]
		return s
	}
	if string(next()) != archiveFormat() {
		return nil, fmt.Errorf("%w: not a surface archive of this version", ErrCorrupt)
	}
	a := NewArchive()
	a.version = string(next())
	n, block, at := number(), 0, 0
	for i := 0; i < n && ok; i++ {
		a.names = append(a.names, string(next()))
		a.index[a.names[i]] = i
		size := number()
		a.groups = append(a.groups, groupSpan{block, at, at + size>>1})
		if at += size >> 1; size&1 != 0 {
			block, at = block+1, 0
		}
	}
	for i := 0; i < block && ok; i++ {
		a.blocks = append(a.blocks, next())
	}
	if !ok || at != 0 {
		return nil, ErrCorrupt
	}
	a.raw = make([][]byte, block)
	return a, nil
}

// Version says what the archive was made from.
func (a *Archive) Version() string { return a.version }

// Names returns the names of the groups, sorted.
func (a *Archive) Names() []string { return a.names }

// Files returns the files of a group, nil if there is none of that name. They
// are the same ones every time and must not be changed. It is safe for
// concurrent use.
func (a *Archive) Files(name string) []*File {
	i, ok := a.index[name]
	if !ok {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	fs, ok := a.open[name]
	if !ok {
		fs = a.decode(i)
		if a.open == nil {
			a.open = map[string][]*File{}
		}
		a.open[name] = fs
	}
	return fs
}

func (a *Archive) decode(i int) []*File {
	b := a.group(i)
	n, k := binary.Uvarint(b)
	fs, err := decodeFiles(b[k:], int(n))
	if err != nil {
		panic("facts: archive: " + err.Error()) // the program's own data
	}
	return fs
}

// group returns the bytes of a group.
func (a *Archive) group(i int) []byte {
	g := a.groups[i]
	if a.raw[g.block] == nil {
		var err error
		if a.reader == nil {
			a.reader, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		}
		if err == nil {
			a.raw[g.block], err = a.reader.DecodeAll(a.blocks[g.block], nil)
		}
		if err != nil || g.hi > len(a.raw[g.block]) {
			panic("facts: archive: a block is broken") // the program's own data
		}
	}
	return a.raw[g.block][g.lo:g.hi]
}
