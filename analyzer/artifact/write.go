package artifact

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/codekg/kg/analyzer/graph"
)

// section is one section on its way to the file.
type section struct {
	tag     string
	content []byte
	stored  []byte // content as a zstd frame
	digest  [sha256.Size]byte
}

// Write writes g as a graph file. Equal graphs give equal bytes, on any
// machine and with any number of processors. It fails if w does, or if a part
// of g is larger than the format can say (4 GiB of one kind of data).
func Write(w io.Writer, g *graph.Graph) error {
	sections, err := encode(g, true)
	if err != nil {
		return err
	}
	sw := stickyWriter{w: w}
	sw.write(graphForm.header(sections))
	for i := range sections {
		sw.write(sections[i].stored)
	}
	return sw.err
}

// Digest returns the SHA-256 of the content of g's file before compression. It
// names the graph: it is the same for all versions of the compressor. It is
// what [Stat] reports for the file.
func Digest(g *graph.Graph) ([sha256.Size]byte, error) {
	sections, err := encode(g, false)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	parallel(len(sections), func(i int) { sections[i].digest = sha256.Sum256(sections[i].content) })
	entries := make([]entry, len(sections))
	for i := range sections {
		entries[i] = sections[i].entry()
	}
	return contentDigest(entries), nil
}

// stickyWriter writes until the first error and keeps it.
type stickyWriter struct {
	w   io.Writer
	err error
}

func (s *stickyWriter) write(b []byte) {
	if s.err != nil {
		return
	}
	n, err := s.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	s.err = err
}

// encoder turns the columns of one graph into sections.
type encoder struct {
	c         graph.Columns
	counts    counts
	strings   stringTable
	order     []uint32 // see edgeOrder
	fileIndex map[string]int32
	nodeFiles []int32 // fileRef of each node
	siteFiles []int32 // the same where it needs no string, else 0
	fileOf    []int32 // by node: the file that it is the node of, plus one; or 0
}

// encode makes the sections of a graph, and their stored form if it is wanted.
func encode(g *graph.Graph, stored bool) ([]section, error) {
	e := &encoder{c: g.Columns(), strings: newStringTable()}
	e.fileIndex, e.fileOf = make(map[string]int32, len(e.c.Files)), make([]int32, len(e.c.Nodes))
	for i := range e.c.Files {
		f := &e.c.Files[i]
		e.fileIndex[f.Path] = int32(i)
		if f.Node != graph.None && e.c.Nodes[f.Node].Kind == graph.KindFile {
			e.fileOf[f.Node] = int32(i) + 1
		}
	}
	e.nodeFiles, e.siteFiles = make([]int32, len(e.c.Nodes)), make([]int32, len(e.c.Nodes))
	last, lastRef := "", int32(0)
	for i := range e.c.Nodes {
		if path := e.c.Nodes[i].File; path != last {
			last, lastRef = path, 0
			if f, ok := e.fileIndex[path]; ok && path != "" {
				lastRef = f + 1
			}
		}
		e.siteFiles[i] = lastRef
	}
	n := &e.counts
	n.nodes, n.edges, n.sites = uint64(len(e.c.Nodes)), uint64(len(e.c.Edges)), uint64(len(e.c.Sites))
	n.files, n.unknowns, n.skipped = uint64(len(e.c.Files)), uint64(len(e.c.Unknowns)), uint64(len(e.c.Skipped))
	n.keywords = uint64(len(e.c.Keywords))

	sections := make([]section, len(tags))
	place := map[string]*section{}
	for i, tag := range tags {
		sections[i].tag = tag
		place[tag] = &sections[i]
	}
	// Two lanes, each with what it takes no word of the other to know, and then with what
	// neither has begun. Of a large graph each stores what it has made while the other is
	// still at work.
	shared := stored && 64*len(e.c.Nodes)+4*(len(e.c.Edges)+len(e.c.Sites)) >= sharedGraph
	lane := func() func(tag string, content []byte) {
		var enc *zstd.Encoder
		return func(tag string, content []byte) {
			s := place[tag]
			s.content = content
			if shared {
				if enc == nil {
					enc = newEncoder(zstd.SpeedDefault, sharedWindow)
				}
				s.store(enc)
			}
		}
	}
	either := []struct {
		tag    string
		encode func() []byte
	}{
		{tagText, e.encodeText},
		{tagKeys, func() []byte {
			keys, total := frontCode(len(e.c.Nodes), func(i int) string { return e.c.Nodes[i].Key })
			n.keyBytes = total
			return keys
		}},
		{tagHashes, e.encodeHashes},
	}
	var begun atomic.Int32
	rest := func(put func(tag string, content []byte)) {
		for i := int(begun.Add(1)); i <= len(either); i = int(begun.Add(1)) {
			put(either[i-1].tag, either[i-1].encode())
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		put := lane()
		e.order = edgeOrder(g)
		put(tagEdges, e.encodeEdges())
		put(tagSites, e.encodeSites())
		put(tagReceivers, e.encodeReceivers())
		rest(put)
	})
	put := lane()
	e.collect()
	e.strings.sort()
	n.strings = uint64(len(e.strings.sorted))
	for i := range e.c.Nodes {
		if e.nodeFiles[i] = e.siteFiles[i]; e.nodeFiles[i] == 0 {
			e.nodeFiles[i] = e.fileRef(e.c.Nodes[i].File)
		}
	}
	table, total := frontCode(len(e.strings.sorted), func(i int) string { return e.strings.sorted[i] })
	n.stringBytes = total
	put(tagStrings, table)
	put(tagNodes, e.encodeNodes())
	put(tagNames, e.encodeNames())
	put(tagSignatures, e.encodeSignatures())
	put(tagVariants, e.encodeVariants())
	put(tagBranches, e.encodeBranches())
	put(tagFiles, e.encodeFiles())
	put(tagKeywords, e.encodeKeywords())
	put(tagUnknowns, e.encodeUnknowns())
	rest(put)
	wg.Wait()
	put(tagMeta, encodeMeta(n, e.c.Tree))
	for _, f := range n.fields() {
		if *f.count > math.MaxUint32 {
			return nil, fmt.Errorf("graph is too large for a graph file: %d of one kind", *f.count)
		}
	}
	if stored && !shared {
		compress(sections)
	}
	return sections, nil
}

// collect fills the string table. It must see every string that an encode
// method asks the id of.
func (e *encoder) collect() {
	t := &e.strings
	path := func(p string) {
		if _, ok := e.fileIndex[p]; !ok {
			t.Intern(p)
		}
	}
	params := func(ps []graph.Param) {
		for i := range ps {
			t.Intern(ps[i].Name)
			t.Intern(ps[i].Type)
		}
	}
	for i := range e.c.Nodes {
		n := &e.c.Nodes[i]
		d := declared(n.Key)
		if n.Name != lastName(d) {
			t.Intern(n.Name)
		}
		if p, ok := qnamePrefix(n.QName, d); ok {
			t.Intern(p)
			if p != "" {
				e.counts.qnameBytes += uint64(len(n.QName))
			}
		} else {
			t.Intern(n.QName)
		}
		if i == 0 || n.Lang != e.c.Nodes[i-1].Lang {
			t.Intern(n.Lang)
		}
		if e.siteFiles[i] == 0 {
			path(n.File)
		}
		t.Intern(n.Signature.Type)
		params(n.Signature.TypeParams)
		params(n.Signature.Params)
		params(n.Signature.Results)
		for _, b := range n.Signature.Bases {
			t.Intern(b)
		}
		for j := range n.Variants {
			v := &n.Variants[j]
			t.Intern(v.Constraint)
			path(v.File)
			t.Intern(v.Signature)
		}
	}
	for i := range e.c.Files {
		t.Intern(e.c.Files[i].Path)
		t.Intern(e.c.Files[i].Lang)
	}
	for _, list := range e.c.Keywords {
		for _, s := range list {
			t.Intern(s)
		}
	}
	for i := range e.c.Unknowns {
		path(e.c.Unknowns[i].File)
		t.Intern(e.c.Unknowns[i].Detail)
	}
	for i := range e.c.Skipped {
		t.Intern(e.c.Skipped[i].Lang)
	}
}

// smallFile is the size in bytes below which a file is not worth more than the
// fastest level, whose tables are small. Larger ones have the next level: the one
// after that takes twice as long to save three percent.
//
// From sharedGraph on, which is about the size of the content, two encoders share the
// work: in a smaller file it takes longer to touch the tables of the second than to
// do without. An encoder has megabytes of tables, and touching those of one for each
// section cost three times as much as all of the compression.
const (
	smallFile    = 1 << 17
	sharedGraph  = 2 << 20
	sharedWindow = 4 << 20
)

// compress makes the stored form of all sections with one encoder. What comes of it
// depends on nothing but the sections.
func compress(sections []section) {
	total, largest := 0, 0
	for i := range sections {
		total, largest = total+len(sections[i].content), max(largest, len(sections[i].content))
	}
	level := zstd.SpeedDefault
	if total < smallFile {
		level = zstd.SpeedFastest
	}
	enc := newEncoder(level, largest)
	for i := range sections {
		sections[i].store(enc)
	}
}

// leastFrame is the size in bytes from which a frame ends with the column.
const leastFrame = 1 << 10

// store makes the stored form of a section.
func (s *section) store(enc *zstd.Encoder) {
	s.digest = sha256.Sum256(s.content)
	s.stored = nil
	head := cursor{b: s.content}
	columns := head.upto(uint64(len(s.content))) // tests store what is none
	sizes := head                                // reads on behind the number of columns
	for range columns {
		head.uint()
	}
	lo, hi := 0, head.i
	for i := range columns {
		hi += int(sizes.upto(uint64(len(s.content) - hi)))
		if hi-lo >= leastFrame || i+1 == columns {
			s.stored = enc.EncodeAll(s.content[lo:hi], s.stored)
			lo = hi
		}
	}
	if lo < len(s.content) || len(s.stored) == 0 {
		s.stored = enc.EncodeAll(s.content[lo:], s.stored)
	}
}

// maxWindow bounds how far back an encoder looks, in bytes.
const maxWindow = 8 << 20

// newEncoder returns an encoder for contents of at most size bytes. It asks for
// no more memory than these need: by default it would be sixteen megabytes.
func newEncoder(level zstd.EncoderLevel, size int) *zstd.Encoder {
	window := zstd.MinWindowSize
	for window < size && window < maxWindow {
		window *= 2
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(level), zstd.WithAllLitEntropyCompression(true), zstd.WithSingleSegment(true), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return enc
}

// parallel calls f for 0 to n-1 on all processors.
func parallel(n int, f func(i int)) {
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	wg.Wait()
}

// entry is a section's line in the table of contents.
type entry struct {
	tag          string
	stored, size uint64 // bytes
	checksum     uint64 // xxhash64 of the stored bytes
	digest       [sha256.Size]byte
	offset       uint64 // not written: follows from the entries before
}

func (s *section) entry() entry {
	return entry{tag: s.tag, stored: uint64(len(s.stored)), size: uint64(len(s.content)),
		checksum: xxhash.Sum64(s.stored), digest: s.digest}
}

// header makes everything that precedes the sections.
func (f *form) header(sections []section) []byte {
	var toc column
	toc.uint(uint64(len(sections)))
	for i := range sections {
		e := sections[i].entry()
		toc.string(e.tag)
		toc.uint(e.stored)
		toc.uint(e.size)
		toc.b = binary.LittleEndian.AppendUint64(toc.b, e.checksum)
		toc.bytes(e.digest[:])
	}
	b := append([]byte(nil), f.magic...)
	b = binary.LittleEndian.AppendUint32(b, f.current)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(toc.b)))
	b = append(b, toc.b...)
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
}

// contentDigest covers the content of all sections.
func contentDigest(entries []entry) [sha256.Size]byte {
	var b bytes.Buffer
	for i := range entries {
		e := &entries[i]
		var c column
		c.string(e.tag)
		c.uint(e.size)
		c.bytes(e.digest[:])
		b.Write(c.b)
	}
	return sha256.Sum256(b.Bytes())
}
