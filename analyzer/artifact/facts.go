package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// FactsVersion is the version of the facts file that [WriteFacts] makes. One
// line each:
//
//	1: first version
//	2: facts in their stored form 5
//	3: facts in their stored form 6
const FactsVersion = 3

// The sections of a facts file (facts.kgf). It has the form of a graph file,
// with a magic number of its own, and holds what the contents of a tree say:
// the next build reads only what has changed since. Like the graph file it is
// canonical.
//
// The section "blocks" is not compressed as a whole: it is a sequence of zstd
// frames, each with the facts of some adjacent contents, so that a reader
// decompresses only what it needs.
const (
	tagContents = "contents" // hashes, languages and sizes of contents; where the blocks are
	tagBlocks   = "blocks"
)

var factsForm = &form{
	name: "facts file", magic: "\x89KGF\r\n\x1a\n", oldest: 3, current: FactsVersion,
	tags: []string{tagMeta, tagContents, tagBlocks}, redo: "build it again",
}

// blockWeight is the size of a block before compression, about: large enough
// to compress well, small enough to skip what is not needed.
const blockWeight = 1 << 19

// maxBlock bounds a block before compression. One content can be as large as
// the facts of the largest file that is parsed.
const maxBlock = 1 << 30

// WriteFacts writes the facts file of contents, which are those of a tree in
// the order of their paths; of equal ones the first is kept. extractor says
// what made them and must name every version that matters. Equal contents give
// equal bytes.
func WriteFacts(w io.Writer, extractor string, tree graph.Hash, contents []*facts.Content) error {
	return writeFacts(w, factsEncoder{extractor: extractor, tree: tree, level: zstd.SpeedBetterCompression}, contents)
}

// WritePack writes a facts file of contents that are of no one tree, to be kept
// for a while on this machine: it takes less time and more room.
func WritePack(w io.Writer, extractor string, contents []*facts.Content) error {
	return writeFacts(w, factsEncoder{extractor: extractor, level: zstd.SpeedFastest}, contents)
}

func writeFacts(w io.Writer, e factsEncoder, contents []*facts.Content) error {
	e.add(contents)
	e.encode()
	sections := []section{{tag: tagMeta, content: e.meta()}, {tag: tagContents, content: e.index()}}
	compress(sections)
	sections = append(sections, rawSection(tagBlocks, e.stored()))
	sw := stickyWriter{w: w}
	sw.write(factsForm.header(sections))
	for i := range sections {
		sw.write(sections[i].stored)
	}
	return sw.err
}

// rawSection is a section that is not compressed as a whole.
func rawSection(tag string, b []byte) section {
	return section{tag: tag, content: b, stored: b, digest: sha256.Sum256(b)}
}

// block is some adjacent contents.
type block struct {
	contents int
	size     int   // before compression
	memory   int64 // after decoding
	stored   []byte
}

type factsEncoder struct {
	extractor string
	tree      graph.Hash
	level     zstd.EncoderLevel
	contents  []*facts.Content
	blocks    []block
}

// add takes what is not there yet, and divides it into blocks.
func (e *factsEncoder) add(contents []*facts.Content) {
	seen := make(map[facts.Key]bool, len(contents))
	weight := 0
	for _, c := range contents {
		if k := c.ByHash(); seen[k] {
			continue
		} else {
			seen[k] = true
		}
		if weight == 0 {
			e.blocks = append(e.blocks, block{})
		}
		e.contents = append(e.contents, c)
		e.blocks[len(e.blocks)-1].contents++
		if weight += c.BlockWeight(); weight >= blockWeight {
			weight = 0
		}
	}
}

func (e *factsEncoder) encode() {
	first := make([]int, len(e.blocks))
	for i := 1; i < len(first); i++ {
		first[i] = first[i-1] + e.blocks[i-1].contents
	}
	// Which encoder does what depends on nothing but the contents, so that the
	// bytes do, too: each has megabytes of tables, too many to begin anew for
	// every block.
	const encoders = 4
	parallel(min(encoders, len(e.blocks)), func(n int) {
		enc := newEncoder(e.level, 2*blockWeight)
		var raw []byte
		for i := n; i < len(e.blocks); i += encoders {
			b := &e.blocks[i]
			contents := e.contents[first[i] : first[i]+b.contents]
			raw = facts.AppendBlock(raw[:0], contents)
			b.size, b.stored = len(raw), enc.EncodeAll(raw, nil)
			for _, c := range contents {
				b.memory += c.Memory()
			}
		}
	})
}

func (e *factsEncoder) stored() []byte {
	n := 0
	for i := range e.blocks {
		n += len(e.blocks[i].stored)
	}
	b := make([]byte, 0, n)
	for i := range e.blocks {
		b = append(b, e.blocks[i].stored...)
	}
	return b
}

func (e *factsEncoder) meta() []byte {
	var num, extractor, tree column
	num.uint(uint64(len(e.contents)))
	num.uint(uint64(len(e.blocks)))
	extractor.text(e.extractor)
	tree.bytes(e.tree[:])
	return joinColumns(&num, &extractor, &tree)
}

func (e *factsEncoder) index() []byte {
	var hash, blob, size, how, name, text, contents, raw, memory, stored, sum column
	names := map[[2]string]uint64{}
	for _, c := range e.contents {
		hash.bytes(c.Hash[:])
		blob.bytes(c.Blob[:])
		size.uint(uint64(c.Size))
		k := [2]string{c.Lang, c.Manifest}
		n, ok := names[k]
		if !ok {
			n = uint64(len(names))
			names[k] = n
			for _, s := range k {
				name.uint(uint64(len(s)))
				text.text(s)
			}
		}
		how.uint(n)
	}
	for i := range e.blocks {
		b := &e.blocks[i]
		contents.uint(uint64(b.contents))
		raw.uint(uint64(b.size))
		memory.uint(uint64(b.memory))
		stored.uint(uint64(len(b.stored)))
		sum.b = binary.LittleEndian.AppendUint64(sum.b, xxhash.Sum64(b.stored))
	}
	return joinColumns(&hash, &blob, &size, &how, &name, &text, &contents, &raw, &memory, &stored, &sum)
}

// Facts is an open facts file. It is safe for concurrent use.
type Facts struct {
	r         io.ReaderAt
	close     func() error
	extractor string
	tree      graph.Hash
	contents  []facts.Content // without facts and unknowns
	blockOf   []int32
	blocks    []storedBlock
	index     map[facts.Key]int32
	zstd      *zstd.Decoder
	limit     int64

	mu   sync.Mutex
	used map[int32]bool // contents that were found
	err  error          // of the first block that could not be read
}

type storedBlock struct {
	once         sync.Once
	first, count int32
	size, memory int64 // before compression, after decoding
	at, stored   int64 // in the file
	checksum     uint64
	contents     []facts.Content // once read; nil if that failed
}

// OpenFacts opens the facts file of size bytes in r, which stays in use until
// Close. The file may come from anybody: see [Read]. The blocks are read when
// they are needed; [Facts.Err] tells of damage in them.
//
// Facts of another extractor are an [ErrVersion].
func OpenFacts(r io.ReaderAt, size int64, extractor string, lim Limits) (*Facts, error) {
	if size < 0 || size > lim.memory() {
		return nil, &LimitError{size, lim.memory(), factsForm}
	}
	head := make([]byte, min(size, int64(headSize+maxTOC+8), 4<<10))
	if err := readAt(r, head, 0); err != nil {
		return nil, err
	}
	entries, err := factsForm.readHeader(head, uint64(size))
	if err != nil {
		return nil, err
	}
	f := &Facts{r: r, close: func() error { return nil }, used: map[int32]bool{}, limit: lim.memory()}
	if f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxBlock)); err != nil {
		return nil, err
	}
	if err := f.open(entries, lim); err != nil {
		f.zstd.Close()
		return nil, err
	}
	if f.extractor != extractor {
		f.zstd.Close()
		return nil, &VersionError{Version: FactsVersion, form: factsForm, Detail: fmt.Sprintf("facts of another version of kg (%s, not %s)", f.extractor, extractor)}
	}
	return f, nil
}

// OpenFactsFile opens the facts file at path; see [OpenFacts].
func OpenFactsFile(path, extractor string, lim Limits) (*Facts, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: errors.New("is not a regular file")}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	f, err := OpenFacts(file, info.Size(), extractor, lim)
	if err != nil {
		file.Close()
		return nil, err
	}
	f.close = file.Close
	return f, nil
}

// WriteFactsFile writes a facts file at path, as [CreateFile] does.
func WriteFactsFile(ctx context.Context, path, extractor string, tree graph.Hash, contents []*facts.Content) error {
	return CreateFile(ctx, path, func(w io.Writer) error { return WriteFacts(w, extractor, tree, contents) })
}

func readAt(r io.ReaderAt, b []byte, at int64) error {
	if n, err := r.ReadAt(b, at); err != nil && (err != io.EOF || n < len(b)) {
		return fmt.Errorf("read facts file: %w", err)
	}
	return nil
}

// open reads everything but the blocks.
func (f *Facts) open(entries []entry, lim Limits) error {
	need := int64(0)
	byTag := map[string]entry{}
	for _, e := range entries {
		byTag[e.tag] = e
	}
	for _, tag := range factsForm.tags {
		e, ok := byTag[tag]
		if !ok {
			return factsForm.corrupt(tag, errors.New("is missing"))
		}
		// The index takes some times its size as tables.
		if e.size > maxSection || tag != tagBlocks && 8*int64(e.size) > lim.memory()-need {
			return &LimitError{int64(min(8*e.size, math.MaxInt64)), lim.memory(), factsForm}
		}
		if tag != tagBlocks {
			need += 8 * int64(e.size)
		}
	}
	var contents, blocks uint64
	if err := f.section(byTag[tagMeta], func(b []byte) (err error) {
		contents, blocks, err = f.decodeMeta(b)
		return err
	}); err != nil {
		return err
	}
	return f.section(byTag[tagContents], func(b []byte) error { return f.decodeIndex(b, contents, blocks, byTag[tagBlocks], lim) })
}

func (f *Facts) section(e entry, do func(content []byte) error) error {
	stored := make([]byte, e.stored)
	if err := readAt(f.r, stored, int64(e.offset)); err != nil {
		return err
	}
	r := reader{form: factsForm, data: stored, zstd: f.zstd, entries: map[string]entry{}}
	e.offset = 0
	r.entries[e.tag] = e
	return r.section(e.tag, nil, do)
}

func (f *Facts) decodeMeta(content []byte) (contents, blocks uint64, err error) {
	var num, extractor, tree cursor
	if err := splitColumns(content, &num, &extractor, &tree); err != nil {
		return 0, 0, err
	}
	contents, blocks = num.upto(math.MaxInt32), num.upto(math.MaxInt32)
	f.extractor = string(extractor.bytes(extractor.left()))
	copy(f.tree[:], tree.bytes(len(f.tree)))
	return contents, blocks, finish(&num, &extractor, &tree)
}

func (f *Facts) decodeIndex(b []byte, contents, blocks uint64, where entry, lim Limits) error {
	var hash, blob, size, how, name, text, count, raw, memory, stored, sum cursor
	if err := splitColumns(b, &hash, &blob, &size, &how, &name, &text, &count, &raw, &memory, &stored, &sum); err != nil {
		return err
	}
	if contents > uint64(how.left()) || blocks > uint64(count.left()) {
		return errCount
	}
	var names [][2]string
	for name.left() > 0 && !name.bad {
		var k [2]string
		for i := range k {
			k[i] = string(text.bytes(int(name.upto(uint64(text.left())))))
		}
		names = append(names, k)
	}
	f.contents, f.blockOf = make([]facts.Content, contents), make([]int32, contents)
	f.index = make(map[facts.Key]int32, 2*contents)
	for i := range f.contents {
		c := &f.contents[i]
		copy(c.Hash[:], hash.bytes(len(c.Hash)))
		copy(c.Blob[:], blob.bytes(len(c.Blob)))
		c.Size = int64(size.upto(math.MaxInt64))
		n := how.uint()
		if how.bad || n >= uint64(len(names)) {
			return errRange
		}
		c.Lang, c.Manifest = names[n][0], names[n][1]
		f.index[c.ByHash()], f.index[c.ByBlob()] = int32(i), int32(i)
	}
	f.blocks = make([]storedBlock, blocks)
	next, at, total := uint64(0), where.offset, int64(0)
	for i := range f.blocks {
		bl := &f.blocks[i]
		n, length := count.upto(contents-next), stored.upto(where.offset+where.stored-at)
		bl.first, bl.count, bl.size = int32(next), int32(n), int64(raw.upto(maxBlock))
		bl.memory = int64(memory.upto(maxSection))
		bl.at, bl.stored = int64(at), int64(length)
		if s := sum.bytes(8); s != nil {
			bl.checksum = binary.LittleEndian.Uint64(s)
		}
		for j := next; j < next+n; j++ {
			f.blockOf[j] = int32(i)
		}
		next, at, total = next+n, at+length, total+bl.size+bl.memory
	}
	if err := finish(&hash, &blob, &size, &how, &name, &text, &count, &raw, &memory, &stored, &sum); err != nil {
		return err
	}
	if next != contents || at != where.offset+where.stored {
		return errTrailing
	}
	if total > lim.memory() {
		return &LimitError{total, lim.memory(), factsForm}
	}
	return nil
}

// Memory implements [facts.Store].
func (f *Facts) Memory() int64 {
	n := int64(0)
	for i := range f.blocks {
		n += f.blocks[i].memory
	}
	return n
}

// Tree returns the digest of the tree whose facts these are; zero for others.
func (f *Facts) Tree() graph.Hash { return f.tree }

// Find implements [facts.Store].
func (f *Facts) Find(k facts.Key) (*facts.Content, bool) {
	i, ok := f.index[k]
	if !ok {
		return nil, false
	}
	b := &f.blocks[f.blockOf[i]]
	b.once.Do(func() { f.read(b) })
	if b.contents == nil {
		return nil, false
	}
	f.mu.Lock()
	f.used[i] = true
	f.mu.Unlock()
	return &b.contents[i-b.first], true
}

// All returns all contents in the order of the file. O(size of the file).
func (f *Facts) All() []*facts.Content {
	all := make([]*facts.Content, 0, len(f.contents))
	for i := range f.blocks {
		b := &f.blocks[i]
		b.once.Do(func() { f.read(b) })
		for j := range b.contents {
			all = append(all, &b.contents[j])
		}
	}
	return all
}

// Used returns how many contents were found, and how many there are.
func (f *Facts) Used() (found, all int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.used), len(f.contents)
}

// Err returns what is wrong with the first block that could not be read; its
// contents are not found. nil if there was none so far.
func (f *Facts) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Close releases the file and what was read of it. What was found stays valid, and
// nothing more is found.
func (f *Facts) Close() error {
	f.index, f.blocks = nil, nil
	f.zstd.Close()
	return f.close()
}

func (f *Facts) read(b *storedBlock) {
	contents, err := f.decodeBlock(b)
	if err != nil {
		f.mu.Lock()
		if f.err == nil {
			f.err = factsForm.corrupt(tagBlocks, err)
		}
		f.mu.Unlock()
		return
	}
	for i := range contents {
		c, row := &contents[i], &f.contents[int(b.first)+i]
		c.Lang, c.Manifest, c.Hash, c.Blob, c.Size = row.Lang, row.Manifest, row.Hash, row.Blob, row.Size
	}
	b.contents = contents
}

func (f *Facts) decodeBlock(b *storedBlock) ([]facts.Content, error) {
	stored := make([]byte, b.stored)
	if err := readAt(f.r, stored, b.at); err != nil {
		return nil, err
	}
	if xxhash.Sum64(stored) != b.checksum {
		return nil, errChecksum
	}
	raw, err := f.zstd.DecodeAll(stored, make([]byte, 0, b.size))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) != b.size {
		return nil, errCount
	}
	return facts.DecodeBlock(raw, int(b.count), b.memory)
}
