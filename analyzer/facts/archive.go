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
//
// A group has parts, which are read one by one: who needs a few types of a large
// package reads no others. Groups are compressed in blocks of neighbours by name,
// so that who needs a few of them unpacks little more.
type Archive struct {
	version string
	names   []string
	index   map[string]int
	groups  []*Group // by position of the name
	blocks  [][]byte // compressed

	mu     sync.Mutex
	reader *zstd.Decoder
	raw    [][]byte // by block: unpacked; nil: not yet
}

// A Group is the facts of a package of a library, in parts.
type Group struct {
	archive *Archive
	block   int
	parts   []part
}

// part is some files of a group.
type part struct {
	name   string
	n      int    // files
	data   []byte // before it is stored
	lo, hi int    // in its block
	files  []*File
	read   bool
}

// blockSize is how many bytes of groups are put into a block, at least.
const blockSize = 16 << 10

// NewArchive returns an empty archive.
func NewArchive() *Archive { return &Archive{index: map[string]int{}} }

// Add adds files to the part of a group. The name of a part is that of the only
// declaration in it that no other encloses; empty, it may declare anything.
func (a *Archive) Add(group, name string, files []*File) {
	i, ok := a.index[group]
	if !ok {
		i = len(a.names)
		a.index[group] = i
		a.names, a.groups = append(a.names, group), append(a.groups, &Group{archive: a})
	}
	a.groups[i].parts = append(a.groups[i].parts, part{name: name, n: len(files), data: appendFiles(nil, files)})
}

// Bytes returns the archive's stored form: its format, version, and the number of
// groups; of each group its name, the number of its parts, of each of these the
// name, the number of files and the size, and whether the group is the last of its
// block; and the blocks. Version says what it was made from.
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
	number := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	text := func(b []byte, s string) []byte {
		return append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	b = text(b, archiveFormat())
	b = text(b, version)
	number(len(order))
	for n, i := range order {
		b = text(b, a.names[i])
		parts := a.groups[i].parts
		sort.SliceStable(parts, func(i, j int) bool { return parts[i].name < parts[j].name })
		number(len(parts))
		for _, p := range parts {
			b = text(b, p.name)
			number(p.n)
			number(len(p.data))
			block = append(block, p.data...)
		}
		last := len(block) >= blockSize || n == len(order)-1
		if last {
			number(1)
			blocks = text(blocks, string(w.EncodeAll(block, nil)))
			block = block[:0]
		} else {
			number(0)
		}
	}
	return append(b, blocks...)
}

func archiveFormat() string { return fmt.Sprintf("kg surface 3, facts %d", CodecVersion) }

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
		g := &Group{archive: a, block: block}
		for k := number(); k > 0 && ok; k-- {
			p := part{name: string(next()), n: number(), lo: at}
			at += number()
			p.hi = at
			g.parts = append(g.parts, p)
		}
		a.groups = append(a.groups, g)
		if number() != 0 {
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

// Group returns the group of a name, nil if there is none. It is the same one
// every time.
func (a *Archive) Group(name string) *Group {
	if i, ok := a.index[name]; ok {
		return a.groups[i]
	}
	return nil
}

// Len is the number of parts of a group; a nil group has none.
func (g *Group) Len() int {
	if g == nil {
		return 0
	}
	return len(g.parts)
}

// Name returns the name of a part, see [Archive.Add].
func (g *Group) Name(i int) string { return g.parts[i].name }

// Part returns the files of a part. They are the same ones every time and must not
// be changed. It is safe for concurrent use.
func (g *Group) Part(i int) []*File {
	a, p := g.archive, &g.parts[i]
	a.mu.Lock()
	defer a.mu.Unlock()
	if !p.read {
		fs, err := decodeFiles(a.block(g.block)[p.lo:p.hi], p.n)
		if err != nil {
			panic("facts: archive: " + err.Error()) // the program's own data
		}
		p.files, p.read = fs, true
	}
	return p.files
}

// Named returns the files of the part with a name, nil if there is none.
func (g *Group) Named(name string) []*File {
	n := g.Len()
	if i := sort.Search(n, func(i int) bool { return g.parts[i].name >= name }); i < n && g.parts[i].name == name {
		return g.Part(i)
	}
	return nil
}

// Files returns the files of all parts, in the order of the parts' names.
func (g *Group) Files() []*File {
	var list []*File
	for i := range g.Len() {
		list = append(list, g.Part(i)...)
	}
	return list
}

// block returns a block, unpacked.
func (a *Archive) block(i int) []byte {
	if a.raw[i] == nil {
		var err error
		if a.reader == nil {
			a.reader, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		}
		if err == nil {
			a.raw[i], err = a.reader.DecodeAll(a.blocks[i], nil)
		}
		if err != nil {
			panic("facts: archive: a block is broken: " + err.Error()) // the program's own data
		}
	}
	return a.raw[i]
}
