package artifact

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/codekg/kg/analyzer/graph"
)

const (
	headSize   = len(magic) + 8 // of every form: magic, version, size of the table of contents
	maxTOC     = 1 << 16
	maxSection = math.MaxUint32
)

var errChecksum = errors.New("does not match its checksum")

// Read restores the graph of a graph file. data may come from anybody and is
// not kept. The error is an [ErrVersion], [ErrCorrupt] or [ErrLimit]; whatever
// it is, the graph can only be rebuilt from its tree.
func Read(data []byte, lim Limits) (*graph.Graph, error) {
	r, _, err := open(graphForm, data, lim, true)
	if err != nil {
		return nil, err
	}
	defer r.zstd.Close()
	d := &decoder{bare: lim.Bare, version: r.version}
	var tree graph.Hash
	if err := r.section(tagMeta, nil, func(b []byte) (err error) {
		d.counts, tree, err = decodeMeta(b, r.version)
		return err
	}); err != nil {
		return nil, err
	}
	if m := d.counts.memory(); m > lim.memory()-r.need {
		return nil, &LimitError{r.need + min(m, math.MaxInt64-r.need), lim.memory(), graphForm}
	}
	if err := d.decode(r); err != nil {
		return nil, err
	}
	c := &d.columns // has the edges
	c.Nodes, c.Files, c.Unknowns, c.Skipped, c.Keywords, c.Tree = d.nodes, d.files, d.unknowns, d.skipped, d.keywords, tree
	g, err := graph.FromColumns(*c)
	if err != nil {
		return nil, graphForm.corrupt("(graph)", err)
	}
	return g, nil
}

// ReadFrom reads the graph file of size bytes in r; see [Read].
func ReadFrom(r io.ReaderAt, size int64, lim Limits) (*graph.Graph, error) {
	if size < 0 || size > lim.memory() {
		return nil, &LimitError{size, lim.memory(), graphForm}
	}
	data := makeLarge[byte](int(size))
	if n, err := r.ReadAt(data, 0); err != nil && (err != io.EOF || n < len(data)) {
		return nil, fmt.Errorf("read graph file: %w", err)
	}
	return Read(data, lim)
}

// Info describes a graph file without reading the graph.
type Info struct {
	Version  int
	Digest   [sha256.Size]byte // of the content, as the file claims it; see Verify
	Sections []SectionInfo     // in the order of the file
}

// SectionInfo describes one section.
type SectionInfo struct {
	Tag    string
	Stored int64 // bytes in the file
	Size   int64 // bytes of the content
}

// Stat returns what the header of a graph file says. It reads no section.
func Stat(data []byte) (Info, error) {
	entries, err := graphForm.readHeader(data, uint64(len(data)))
	if err != nil {
		return Info{}, err
	}
	info := Info{Version: Version, Digest: contentDigest(entries)}
	for _, e := range entries {
		info.Sections = append(info.Sections, SectionInfo{e.tag, int64(e.stored), int64(e.size)})
	}
	return info, nil
}

// Verify reads all sections of a graph file, those that [Read] skips included,
// and checks that their content has the digests that the file claims. It does
// not check what the content means.
func Verify(data []byte, lim Limits) error {
	r, entries, err := open(graphForm, data, lim, false)
	if err != nil {
		return err
	}
	defer r.zstd.Close()
	var buf []byte
	for i := range entries {
		e := &entries[i]
		if err := r.section(e.tag, &buf, func(content []byte) error {
			if sha256.Sum256(content) != e.digest {
				return errChecksum
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func (f *form) corrupt(section string, err error) error {
	var v *VersionError
	if errors.As(err, &v) {
		return v
	}
	return &CorruptError{section, err, f}
}

// readHeader checks the header and returns the table of contents. data is the
// file of fileSize bytes, or its beginning with the whole header.
func (f *form) readHeader(data []byte, fileSize uint64) ([]entry, error) {
	bad := func(what string) error { return f.corrupt("header", errors.New(what)) }
	if len(data) < headSize {
		return nil, bad("is too short")
	}
	if string(data[:len(f.magic)]) != f.magic {
		return nil, bad("is not that of a " + f.name)
	}
	if v := binary.LittleEndian.Uint32(data[len(f.magic):]); v < f.oldest || v > f.current {
		return nil, &VersionError{Version: v, form: f}
	}
	size := uint64(binary.LittleEndian.Uint32(data[len(magic)+4:]))
	end := uint64(headSize) + size
	if size > maxTOC || end+8 > min(uint64(len(data)), fileSize) {
		return nil, bad("is too short")
	}
	if xxhash.Sum64(data[:end]) != binary.LittleEndian.Uint64(data[end:]) {
		return nil, f.corrupt("header", errChecksum)
	}
	toc := cursor{b: data[headSize:end:end]}
	entries := make([]entry, toc.upto(size/(8+sha256.Size)))
	offset := end + 8
	seen := map[string]bool{}
	for i := range entries {
		e := &entries[i]
		e.tag = toc.string()
		e.stored, e.size = toc.uint(), toc.uint()
		if b := toc.bytes(8); b != nil {
			e.checksum = binary.LittleEndian.Uint64(b)
		}
		copy(e.digest[:], toc.bytes(sha256.Size))
		e.offset = offset
		if toc.bad || seen[e.tag] || e.stored > fileSize-offset {
			return nil, bad("is invalid")
		}
		seen[e.tag] = true
		offset += e.stored
	}
	if finish(&toc) != nil || offset != fileSize {
		return nil, bad("is invalid")
	}
	return entries, nil
}

// reader gives the content of sections.
type reader struct {
	form    *form
	version uint32
	data    []byte
	entries map[string]entry
	zstd    *zstd.Decoder
	need    int64 // bytes of the file and of the content of its sections
}

// open reads the header and charges the sections to the limit: all, or only
// the known ones, which have to be there.
func open(f *form, data []byte, lim Limits, known bool) (*reader, []entry, error) {
	entries, err := f.readHeader(data, uint64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	r := &reader{form: f, data: data, entries: make(map[string]entry, len(entries)), need: int64(len(data))}
	for _, e := range entries {
		r.entries[e.tag] = e
		if known && !slices.Contains(f.tags, e.tag) {
			continue
		}
		if e.size > maxSection {
			return nil, nil, &LimitError{math.MaxInt64, lim.memory(), f}
		}
		r.need += int64(e.size)
	}
	r.version = binary.LittleEndian.Uint32(data[len(f.magic):])
	for _, tag := range f.tags {
		if _, ok := r.entries[tag]; !ok && known && r.version >= f.since[tag] {
			return nil, nil, f.corrupt(tag, errors.New("is missing"))
		}
	}
	if r.need > lim.memory() {
		return nil, nil, &LimitError{r.need, lim.memory(), f}
	}
	r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(uint64(lim.memory())))
	return r, entries, err
}

// section calls f with the content of a section. The content is f's to keep if
// buf is nil, else it is in *buf.
func (r *reader) section(tag string, buf *[]byte, f func(content []byte) error) error {
	e := r.entries[tag]
	stored := r.data[e.offset : e.offset+e.stored]
	if xxhash.Sum64(stored) != e.checksum {
		return r.form.corrupt(tag, errChecksum)
	}
	var dst []byte
	if buf != nil && uint64(cap(*buf)) >= e.size {
		dst = (*buf)[:0:e.size]
	} else {
		dst = makeLarge[byte](int(e.size))[:0]
	}
	content, err := r.zstd.DecodeAll(stored, dst)
	if err != nil {
		return r.form.corrupt(tag, err)
	}
	if uint64(len(content)) != e.size {
		return r.form.corrupt(tag, errCount)
	}
	if buf != nil && cap(*buf) < len(content) {
		*buf = content
	}
	if err := f(content); err != nil {
		return r.form.corrupt(tag, err)
	}
	return nil
}

// decoder holds what was restored so far.
type decoder struct {
	bare     bool // see [Limits]
	version  uint32
	counts   counts
	strings  fronts
	keys     fronts
	fixed    fixed
	nodes    []graph.Node
	edges    []graph.Edge
	byTarget []uint32 // see [graph.Columns]; nil before version 4
	siteEnds []uint32
	// By edge in the order of the file: where its sites go, how many there are, and
	// whose they are.
	siteStarts, siteCounts, siteSources []uint32
	sites                               []graph.Site
	files                               []graph.File
	unknowns                            []graph.Unknown
	skipped                             []graph.Skipped
	keywords                            [][]string
	columns                             graph.Columns // the edges and sites, once they are checked
}

// str returns the string with an index.
func (d *decoder) str(id uint32) (string, bool) {
	if uint64(id) >= uint64(len(d.strings.ends)) {
		return "", false
	}
	return d.strings.at(int(id)), true
}

// decode restores all sections but the first. Numbers and strings are
// independent for the most part and are done side by side.
func (d *decoder) decode(r *reader) error {
	nodesDone := make(chan struct{})
	var nodes, edges error
	var wg sync.WaitGroup
	wg.Go(func() {
		var buf []byte
		decodeEdges, decodeSites := d.decodeEdges, d.decodeSites
		if d.version < 4 {
			decodeEdges, decodeSites = d.decodeEdges3, d.decodeSites3
		}
		// The largest section is decompressed while the nodes and edges are read.
		sites := make(chan error, 1)
		var siteContent []byte
		go func() {
			sites <- r.section(tagSites, nil, func(b []byte) error { siteContent = b; return nil })
		}()
		nodes = r.sections(nil, step{tagNodes, d.decodeNodes})
		close(nodesDone)
		if nodes == nil {
			edges = r.sections(&buf, step{tagEdges, decodeEdges})
		}
		if err := <-sites; edges == nil {
			edges = err
		}
		if nodes == nil && edges == nil {
			if err := decodeSites(siteContent); err != nil {
				edges = graphForm.corrupt(tagSites, err)
			} else {
				edges = r.sections(&buf, step{tagReceivers, d.decodeReceivers})
			}
		}
		if nodes == nil && edges == nil {
			d.columns = graph.Columns{Edges: d.edges, ByTarget: d.byTarget, SiteEnds: d.siteEnds, Sites: d.sites}
			if err := d.columns.IndexEdges(int(d.counts.nodes), int(d.counts.files), int(d.counts.keywords)); err != nil {
				edges = graphForm.corrupt("(graph)", err)
			}
		}
	})
	var buf []byte
	err := r.sections(&buf,
		step{tagStrings, d.decodeStrings},
		step{tagKeys, d.decodeKeys},
		step{tagFiles, d.decodeFiles},
		step{tagKeywords, d.decodeKeywords},
		step{tagUnknowns, d.decodeUnknowns})
	<-nodesDone
	if err == nil && nodes == nil {
		err = d.assemble(r)
	}
	wg.Wait()
	return cmp.Or(nodes, edges, err)
}

type step struct {
	tag string
	f   func(content []byte) error
}

func (r *reader) sections(buf *[]byte, steps ...step) error {
	for _, s := range steps {
		if _, ok := r.entries[s.tag]; !ok {
			continue // a section of a later version
		}
		if err := r.section(s.tag, buf, s.f); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) decodeStrings(content []byte) (err error) {
	d.strings, err = readFronts(content, int(d.counts.strings), d.counts.stringBytes)
	return err
}

func (d *decoder) decodeKeys(content []byte) (err error) {
	d.keys, err = readFronts(content, int(d.counts.nodes), d.counts.keyBytes)
	return err
}
