package facts

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// An Archive holds the facts of named groups of files: the API of the packages of
// a standard library. It is trusted data of the program's own, in one of two forms.
//
// Compressed, a group has parts, which are read one by one: who needs a few types of
// a large package reads no others. Groups are compressed in blocks of neighbours by
// name, so that who needs a few of them unpacks little more.
//
// In rows, a group is one file, of which single declarations are read: see
// [Outline].
type Archive struct {
	version string
	names   []string
	index   map[string]int
	groups  []*Group // by position of the name
	blocks  [][]byte // compressed

	rows   bool
	table  names
	shapes []rowShape
	heads  string // of the groups in rows: name, place and size, 4 bytes each, sorted by name
	data   string

	mu     sync.Mutex
	reader *zstd.Decoder
	raw    [][]byte // by block: unpacked; nil: not yet
}

// A Group is the facts of a package of a library, in parts.
type Group struct {
	outline *Outline // of one in rows
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
	a.groups[i].parts = append(a.groups[i].parts, part{name: name, n: len(files), data: appendFiles(nil, files), files: files})
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

func rowsFormat() string { return fmt.Sprintf("kg library 1, facts %d", CodecVersion) }

// Rows returns the archive's stored form in rows. It fails if groups are not files
// that can be read declaration by declaration.
func (a *Archive) Rows(version string) ([]byte, error) {
	var files []*File
	for i, g := range a.groups {
		if len(g.parts) != 1 || len(g.parts[0].files) != 1 {
			return nil, fmt.Errorf("facts: library: %s is not one file", a.names[i])
		}
		files = append(files, g.parts[0].files[0])
	}
	w, rows, err := writeRows(a.names, files)
	if err != nil {
		return nil, err
	}
	b := appendSized(nil, []byte(rowsFormat()))
	b = appendSized(b, []byte(version))
	b = w.tables(b)
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return w.ids[a.names[order[i]]] < w.ids[a.names[order[j]]] })
	var heads, data []byte
	for _, i := range order {
		for _, n := range []int{int(w.ids[a.names[i]]), len(data), len(rows[i])} {
			heads = binary.LittleEndian.AppendUint32(heads, uint32(n))
		}
		data = append(data, rows[i]...)
	}
	b = appendSized(b, heads)
	return append(b, data...), nil
}

// openRows reads what [Archive.Rows] returned. The strings of what is read of it
// are parts of s.
func openRows(s string) (*Archive, error) {
	k := rowCursor{s: s}
	text := func() string { return k.next(int(k.uint())) }
	if text() != rowsFormat() {
		return nil, fmt.Errorf("%w: not a library of this version", ErrCorrupt)
	}
	a := &Archive{rows: true, version: text()}
	a.table = names{text: text(), ends: text(), slots: text()}
	a.shapes = make([]rowShape, k.uint())
	for i := range a.shapes {
		a.shapes[i] = readRowShape(k.next(rowShapeSize))
	}
	a.heads = text()
	a.data = s[k.i:]
	a.groups = make([]*Group, len(a.heads)/12)
	return a, nil
}

// group returns the group in rows of a name, nil if there is none.
func (a *Archive) group(name string) *Group {
	id := uint32(a.table.find(name))
	if id == 0 {
		return nil
	}
	i, ok := sort.Find(len(a.groups), func(i int) int { return int(id) - int(word(a.heads, 3*i)) })
	if !ok {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.groups[i] == nil {
		at, n := word(a.heads, 3*i+1), word(a.heads, 3*i+2)
		a.groups[i] = &Group{archive: a, outline: &Outline{all: a.data[at : at+n]}, parts: make([]part, 1)}
	}
	return a.groups[i]
}

// Outline returns what the file of a group in rows declares, nil of another group.
// It is the same one every time and must not be changed. It is safe for concurrent
// use.
func (g *Group) Outline() *Outline {
	if g == nil || g.outline == nil {
		return nil
	}
	g.archive.mu.Lock()
	defer g.archive.mu.Unlock()
	if g.outline.archive == nil {
		g.outline.open(g.archive)
	}
	return g.outline
}

// OpenLibrary reads what [Archive.Bytes] or [Archive.Rows] returned.
func OpenLibrary(s string) (*Archive, error) {
	if f := rowsFormat(); len(s) > len(f) && s[1:1+len(f)] == f {
		return openRows(s)
	}
	return OpenArchive([]byte(s))
}

// Name returns a string of an archive in rows.
func (a *Archive) Name(id NameID) string { return a.table.str(id) }

// Find returns the position of a string of an archive in rows, 0 if it has none.
func (a *Archive) Find(s string) NameID { return a.table.find(s) }

// NameCount bounds the positions of the strings of an archive in rows.
func (a *Archive) NameCount() int { return a.table.count() }

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
func (a *Archive) Names() []string {
	if !a.rows {
		return a.names
	}
	list := make([]string, len(a.groups))
	for i := range list {
		list[i] = a.table.str(NameID(word(a.heads, 3*i)))
	}
	sort.Strings(list)
	return list
}

// Group returns the group of a name, nil if there is none. It is the same one
// every time.
func (a *Archive) Group(name string) *Group {
	if a.rows {
		return a.group(name)
	}
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
	o := g.Outline()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !p.read && o != nil {
		r := a.NewReader()
		p.files, p.read = []*File{r.Read(o, nil)}, true
		r.Finish()
	}
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
