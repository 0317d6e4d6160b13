package artifact

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/codekg/kg/analyzer/graph"
)

// small returns a graph with something in every section.
func small() *graph.Graph {
	var b graph.Builder
	b.SetTree(graph.Hash{1, 2, 3})
	pkg := b.AddNode(graph.Node{Key: "go:m/p", Kind: graph.KindPackage, Name: "p", QName: "p", Parent: graph.None, Lang: "go"})
	typ := b.AddNode(graph.Node{Key: "go:m/p#T", Kind: graph.KindInterface, Name: "T", QName: "p.T", Parent: pkg, Lang: "go",
		File: "p/a.go", DefLine: 3, Line: 3, Col: 6, EndLine: 5, Doc: "T is one.", DocHash: graph.DocHash{9},
		Signature: graph.Signature{Text: "type T interface", TypeParams: []graph.Param{{Name: "E", Type: "any"}}, Bases: []string{"m/p.U"}}})
	fun := b.AddNode(graph.Node{Key: "go:m/p#F", Kind: graph.KindFunction, Name: "F", QName: "p.F", Parent: pkg, Lang: "go",
		File: "p/b.go", DefLine: 7, Line: 8, Col: 6, EndLine: 20, Visibility: graph.Package, Flags: graph.FlagTest | graph.FlagAsync,
		Signature: graph.Signature{Text: "func F(x int, y ...string) error", Params: []graph.Param{{Name: "x", Type: "int"},
			{Name: "y", Type: "string", Flags: graph.ParamVariadic}}, Results: []graph.Param{{Type: "error"}}},
		Body: graph.Hash{5, 6}, Tokens: 40, Branches: 7, MinHash: graph.MinHash{1 | 2<<16, 3, 1 | 2<<16, 3},
		Variants: []graph.Variant{{Constraint: "linux", File: "p/b.go", DefLine: 7, Line: 8, EndLine: 20, Signature: "func F()", Body: graph.Hash{5}}}})
	ext := b.AddNode(graph.Node{Key: "ext:go:fmt#Println", Kind: graph.KindExternal, Name: "Println", QName: "fmt.Println", Parent: graph.None, Lang: "go"})
	fa := b.AddFile(graph.File{Path: "p/a.go", Lang: "go", Hash: [32]byte{1}, Node: pkg, Size: 100})
	fb := b.AddFile(graph.File{Path: "p/b.go", Lang: "go", Hash: [32]byte{2}, Node: graph.None, Size: 200})
	kw := b.AddKeywords([]string{"end", "sep"})
	add := func(from, to, typ graph.ID, k graph.EdgeKind, c graph.Certainty, s graph.Site) {
		b.AddEdge(graph.RawEdge{From: from, To: to, Type: typ, Kind: k, Certainty: c, HasSite: true, Site: s})
	}
	add(fun, ext, graph.None, graph.EdgeCalls, graph.Exact, graph.Site{File: fb, Line: 9, Col: 6, Args: 2, Want: graph.WantAll, Keywords: kw, Recv: typ, Flags: graph.SiteSpread | graph.SiteTest})
	add(fun, ext, graph.None, graph.EdgeCalls, graph.Exact, graph.Site{File: fb, Line: 12, Col: 6, Args: 0, Want: 1, Keywords: -1, Recv: graph.None, Flags: graph.SiteGo | graph.SiteSpreadKw | graph.SiteSuper})
	add(fun, typ, ext, graph.EdgeConverts, graph.Inferred, graph.Site{File: fb, Line: 10, Col: 2, Args: -1, Keywords: -1, Recv: graph.None})
	add(typ, fun, graph.None, graph.EdgeReads, graph.Ambiguous, graph.Site{File: fa, Line: 4, Col: 3, Args: -1, Keywords: -1, Recv: graph.None})
	b.AddEdge(graph.RawEdge{From: ext, To: typ, Type: graph.None, Kind: graph.EdgeImplements, Ptr: true})
	b.AddUnknown(graph.Unknown{Reason: graph.ReasonSyntaxError, File: "p/b.go", Line: 30, EndLine: 31, Detail: "a \"quote\""})
	b.AddSkipped(graph.Skipped{Lang: "rust", Files: 3, Bytes: 3000})
	return b.Build()
}

// parts returns the sections of a graph before compression.
func parts(t testing.TB, g *graph.Graph) []section {
	t.Helper()
	sections, err := encode(g, false)
	if err != nil {
		t.Fatal(err)
	}
	return sections
}

// seal makes a file with valid checksums of any sections.
func seal(sections []section) []byte {
	compress(sections)
	b := graphForm.header(sections)
	for i := range sections {
		b = append(b, sections[i].stored...)
	}
	return b
}

// replace returns a file in which the content of one section is another.
func replace(t testing.TB, g *graph.Graph, tag string, content func([]byte) []byte) []byte {
	t.Helper()
	sections := parts(t, g)
	for i := range sections {
		if sections[i].tag == tag {
			sections[i].content = content(bytes.Clone(sections[i].content))
			return seal(sections)
		}
	}
	t.Fatalf("no section %s", tag)
	return nil
}

// fuzzLimit bounds what hostile files may take in tests.
const fuzzLimit = 16 << 20

// checkHostile reads a file that may be anything. A graph that comes out of it
// must be as good as any.
func checkHostile(t *testing.T, data []byte) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g, err := Read(data, Limits{Memory: fuzzLimit})
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 2*fuzzLimit {
		t.Errorf("reading %d bytes took %d bytes of memory", len(data), n)
	}
	if err != nil {
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrLimit) {
			t.Errorf("error is of no known kind: %v", err)
		}
		return err
	}
	var b bytes.Buffer
	if err := Write(&b, g); err != nil {
		t.Fatal(err)
	}
	again, err := Read(b.Bytes(), Limits{})
	if err != nil {
		t.Fatalf("what was read cannot be read again: %v", err)
	}
	if !reflect.DeepEqual(again, g) {
		t.Error("what was read is read as another graph again")
	}
	if err := JSONL(io.Discard, g); err != nil {
		t.Error(err)
	}
	return nil
}

func FuzzRead(f *testing.F) {
	data := seal(parts(f, small()))
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) { checkHostile(t, data) })
}

// FuzzSection puts any content into a section of a file whose checksums are
// right: where FuzzRead seldom gets.
func FuzzSection(f *testing.F) {
	for i, s := range parts(f, small()) {
		f.Add(uint8(i), s.content)
	}
	f.Fuzz(func(t *testing.T, i uint8, content []byte) {
		sections := parts(t, small())
		sections[int(i)%len(sections)].content = content
		checkHostile(t, seal(sections))
	})
}

// TestDamagedContent cuts and changes the content of every section at every
// byte. FuzzSection goes on from there.
func TestDamagedContent(t *testing.T) {
	g := small()
	for i, s := range parts(t, g) {
		damage := func(what string, at int, content []byte) {
			sections := parts(t, g)
			sections[i].content = content
			err := checkHostile(t, seal(sections))
			if t.Failed() {
				t.Fatalf("section %s, %s at %d: %v", s.tag, what, at, err)
			}
			if what == "cut" && err == nil {
				t.Errorf("section %s, cut at %d: no error", s.tag, at)
			}
		}
		step := 1
		if testing.Short() {
			step = 7
		}
		for k := 0; k < len(s.content); k += step {
			damage("cut", k, s.content[:k])
			for _, bit := range []byte{0x01, 0x80} {
				c := bytes.Clone(s.content)
				c[k] ^= bit
				damage("changed", k, c)
			}
		}
	}
}

func TestHostileCounts(t *testing.T) {
	g := small()
	for i := range (&counts{}).fields() {
		for _, n := range []uint64{1 << 20, 1<<32 - 1, 1 << 32, 1<<64 - 1} {
			data := replace(t, g, tagMeta, func(content []byte) []byte {
				c, tree, err := decodeMeta(content, Version)
				if err != nil {
					t.Fatal(err)
				}
				*c.fields()[i].count = n
				return encodeMeta(&c, tree)
			})
			if err := checkHostile(t, data); err == nil {
				t.Errorf("count %d is %d: no error", i, n)
			}
		}
	}
}

// TestBombs reads sections that are small in the file and large after.
func TestBombs(t *testing.T) {
	zeros := make([]byte, 4*fuzzLimit)
	if err := checkHostile(t, replace(t, small(), tagText, func([]byte) []byte { return zeros })); !errors.Is(err, ErrLimit) {
		t.Errorf("a section over the limit gives %v", err)
	}
	// The same, with a table of contents that lies.
	sections := parts(t, small())
	compress(sections)
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	sections[1].stored = enc.EncodeAll(zeros, nil)
	b := graphForm.header(sections)
	for i := range sections {
		b = append(b, sections[i].stored...)
	}
	var c *CorruptError
	if err := checkHostile(t, b); !errors.As(err, &c) || c.Section != tagStrings {
		t.Errorf("a section larger than it says gives %v", err)
	}
	// Front coding makes 3 MB of 7 KB.
	long := strings.Repeat("x", 1<<10)
	content, total := frontCode(3000, func(int) string { return long })
	if _, err := readFronts(content, 3000, total-1); err == nil {
		t.Error("more text than announced is read")
	}
	if _, err := readFronts(content, 3000, total+1); err == nil {
		t.Error("less text than announced is read")
	}
}

func TestHostileHeader(t *testing.T) {
	sealHeader := func(toc *column) []byte {
		b := append([]byte(nil), magic...)
		b = binary.LittleEndian.AppendUint32(b, Version)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(toc.b)))
		b = append(b, toc.b...)
		return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
	}
	line := func(toc *column, tag string, stored, size uint64) {
		toc.string(tag)
		toc.uint(stored)
		toc.uint(size)
		toc.bytes(make([]byte, 8+32))
	}
	tests := map[string]func(toc *column){
		"empty":            func(toc *column) {},
		"no sections":      func(toc *column) { toc.uint(0) },
		"many sections":    func(toc *column) { toc.uint(1 << 60) },
		"stored too large": func(toc *column) { toc.uint(1); line(toc, tagMeta, 1<<63, 1) },
		"twice":            func(toc *column) { toc.uint(2); line(toc, tagMeta, 0, 0); line(toc, tagMeta, 0, 0) },
		"missing sections": func(toc *column) { toc.uint(1); line(toc, tagMeta, 0, 0) },
		"trailing":         func(toc *column) { toc.uint(0); toc.byte(0) },
	}
	for name, f := range tests {
		var toc column
		f(&toc)
		if err := checkHostile(t, sealHeader(&toc)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var toc column
	toc.uint(uint64(len(tags)))
	for _, tag := range tags {
		line(&toc, tag, 0, 1<<62)
	}
	if err := checkHostile(t, sealHeader(&toc)); !errors.Is(err, ErrLimit) {
		t.Errorf("sizes over the limit: %v", err)
	}
}

// TestNewerFile reads a file of a writer that has added a section and columns,
// and rejects one that has added what this reader would misread.
func TestNewerFile(t *testing.T) {
	g := small()
	sections := parts(t, g)
	for i := range sections {
		var c column
		c.text("new")
		sections[i].content = addColumn(t, sections[i].content, c.b)
	}
	sections = append(sections, section{tag: "future", content: []byte("news")})
	data := seal(sections)
	got, err := Read(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, g) {
		t.Error("read as another graph")
	}
	if err := Verify(data, Limits{}); err != nil {
		t.Error(err)
	}
	data = replace(t, g, tagMeta, func(b []byte) []byte { return bytes.Replace(b, []byte("calls"), []byte("chats"), 1) })
	_, err = Read(data, Limits{})
	if want := `graph file has the edge kind "chats", which this program does not know: rebuild the graph`; !errors.Is(err, ErrVersion) || err.Error() != want {
		t.Errorf("an enum with another meaning gives %v", err)
	}
}

// addColumn appends a column to the content of a section.
func addColumn(t *testing.T, content, col []byte) []byte {
	t.Helper()
	head := cursor{b: content}
	cols := make([]*column, head.uint()+1)
	sizes := make([]int, len(cols)-1)
	for i := range sizes {
		sizes[i] = int(head.uint())
	}
	for i, n := range sizes {
		cols[i] = &column{head.bytes(n)}
	}
	cols[len(sizes)] = &column{col}
	if head.bad {
		t.Fatal("the section is not made of columns")
	}
	return joinColumns(cols...)
}

func TestVerifyFindsLies(t *testing.T) {
	sections := parts(t, small())
	compress(sections)
	sections[3].digest[0]++
	b := graphForm.header(sections)
	for i := range sections {
		b = append(b, sections[i].stored...)
	}
	if _, err := Read(b, Limits{}); err != nil {
		t.Errorf("Read: %v", err)
	}
	if err := Verify(b, Limits{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Verify: %v", err)
	}
}
