package facts

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
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
// In rows, a part is one file, of which single declarations are read: see
// [Outline]. Its parts are in the order in which they were added.
type Archive struct {
	version string
	names   []string
	index   map[string]int
	groups  []*Group // by position of the name
	blocks  [][]byte // compressed

	rows   bool
	table  names
	shapes []rowShape
	heads  string // of the parts in rows: names of group and part, place and size, 4 bytes each, sorted by group
	data   string

	mu     sync.Mutex
	reader *zstd.Decoder
	raw    [][]byte // by block: unpacked; nil: not yet
}

// A Group is the facts of a package of a library, in parts.
type Group struct {
	archive  *Archive
	block    int
	parts    []part
	head     int        // of the first part, in rows
	outlines []*Outline // by part, in rows; nil: not asked for yet
	whole    [][]*File  // the same: what was read
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

func archiveFormat() string { return fmt.Sprintf("kg surface 3, facts %d", archiveVersion) }

func rowsFormat() string { return fmt.Sprintf("kg library 2, facts %d", archiveVersion) }

// libraryFile is a file of a library in rows.
type libraryFile struct {
	group, part string
	file        *File
	rows        []byte
}

// headSize is the size of what is said of a part in rows before them all.
const headSize = 4 * 4

// Rows returns the archive's stored form in rows. It fails if parts are not files
// that can be read declaration by declaration.
func (a *Archive) Rows(version string) ([]byte, error) {
	var files []libraryFile
	for i, g := range a.groups {
		for _, p := range g.parts {
			if len(p.files) != 1 {
				return nil, fmt.Errorf("facts: library: %s %s is not one file", a.names[i], p.name)
			}
			files = append(files, libraryFile{group: a.names[i], part: p.name, file: p.files[0]})
		}
	}
	w, err := writeRows(files)
	if err != nil {
		return nil, err
	}
	b := appendSized(nil, []byte(rowsFormat()))
	b = appendSized(b, []byte(version))
	b = w.tables(b)
	slices.SortStableFunc(files, func(x, y libraryFile) int { return cmp.Compare(w.ids[x.group], w.ids[y.group]) })
	var heads, data []byte
	for _, f := range files {
		for _, n := range []int{int(w.ids[f.group]), int(w.ids[f.part]), len(data), len(f.rows)} {
			heads = binary.LittleEndian.AppendUint32(heads, uint32(n))
		}
		data = append(data, f.rows...)
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
	a.groups = make([]*Group, len(a.heads)/headSize)
	return a, nil
}

// What is said of a part in rows.
func (a *Archive) headGroup(i int) NameID { return NameID(word(a.heads, 4*i)) }
func (a *Archive) headPart(i int) NameID  { return NameID(word(a.heads, 4*i+1)) }

// group returns the group in rows of a name, nil if there is none.
func (a *Archive) group(name string) *Group {
	id := a.table.find(name)
	if id == 0 {
		return nil
	}
	i, ok := sort.Find(len(a.groups), func(i int) int { return int(id) - int(a.headGroup(i)) })
	if !ok {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.groups[i] == nil {
		n := 1
		for i+n < len(a.groups) && a.headGroup(i+n) == id {
			n++
		}
		a.groups[i] = &Group{archive: a, head: i, outlines: make([]*Outline, n), whole: make([][]*File, n)}
	}
	return a.groups[i]
}

// Library returns the archive of a group in rows, nil of another group.
func (g *Group) Library() *Archive {
	if g == nil || !g.archive.rows {
		return nil
	}
	return g.archive
}

// Outline returns what the file of a part in rows declares. It is the same one every
// time and must not be changed. It is safe for concurrent use.
func (g *Group) Outline(i int) *Outline {
	a := g.archive
	a.mu.Lock()
	defer a.mu.Unlock()
	if g.outlines[i] == nil {
		at, n := word(a.heads, 4*(g.head+i)+2), word(a.heads, 4*(g.head+i)+3)
		g.outlines[i] = &Outline{all: a.data[at : at+n]}
		g.outlines[i].open(a)
	}
	return g.outlines[i]
}

// NameID returns the name of a part in rows.
func (g *Group) NameID(i int) NameID { return g.archive.headPart(g.head + i) }

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
	var list []string
	for i := range a.groups {
		if i == 0 || a.headGroup(i) != a.headGroup(i-1) {
			list = append(list, a.table.str(a.headGroup(i)))
		}
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
	return max(len(g.parts), len(g.outlines))
}

// Name returns the name of a part, see [Archive.Add].
func (g *Group) Name(i int) string {
	if g.archive.rows {
		return g.archive.Name(g.NameID(i))
	}
	return g.parts[i].name
}

// Part returns the files of a part. They are the same ones every time and must not
// be changed. It is safe for concurrent use.
func (g *Group) Part(i int) []*File {
	a := g.archive
	if a.rows {
		o := g.Outline(i)
		a.mu.Lock()
		defer a.mu.Unlock()
		if g.whole[i] == nil {
			r := a.NewReader()
			g.whole[i] = []*File{r.Read(o, nil)}
			r.Finish()
		}
		return g.whole[i]
	}
	p := &g.parts[i]
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

// Has reports whether a group has a part with a name.
func (g *Group) Has(name string) bool { return g.find(name) >= 0 }

// find returns the part with a name, or -1.
func (g *Group) find(name string) int {
	n := g.Len()
	if n > 0 && g.archive.rows {
		if id := g.archive.Find(name); id != 0 || name == "" {
			for i := range n {
				if g.NameID(i) == id {
					return i
				}
			}
		}
		return -1
	}
	if i := sort.Search(n, func(i int) bool { return g.Name(i) >= name }); i < n && g.Name(i) == name {
		return i
	}
	return -1
}

// Named returns the files of the part with a name, nil if there is none.
func (g *Group) Named(name string) []*File {
	if i := g.find(name); i >= 0 {
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
