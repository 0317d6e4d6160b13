package artifact

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

const extractor = "kg test, go 1"

// someContents returns contents with something in every table, and n more.
func someContents(n int) []*facts.Content {
	content := func(text, lang string, f *facts.File, us ...graph.Unknown) *facts.Content {
		c := &facts.Content{Lang: lang, Size: int64(len(text)), Facts: f, Unknowns: us, Hash: sha256.Sum256([]byte(text))}
		copy(c.Blob[:], text)
		return c
	}
	full := &facts.File{
		Strings: []string{"", "p", "T", "x", "func T()", "int", "fmt", "module", "m"}, Package: 1, Generated: true,
		Imports: []facts.Import{{Path: 6, Owner: facts.None, Flags: facts.ImportReExport, Line: 3, Col: 8}},
		Decls: []facts.Decl{
			{Kind: graph.KindFunction, Name: 2, Parent: facts.None, DefLine: 4, Line: 5, Col: 6, EndLine: 9, Params: facts.Span{Lo: 0, Hi: 1},
				Exprs: facts.Span{Lo: 0, Hi: 5}, Flows: facts.Span{Lo: 0, Hi: 1}, Locals: facts.Span{Lo: 0, Hi: 1}, Type: facts.None, Value: facts.None,
				Signature: 4, Body: graph.Hash{1}, Tokens: 20, MinHash: graph.MinHash{7, 8}},
			{Kind: graph.KindFunction, Parent: 0, Traits: facts.TraitLiteral, DefLine: 6, Line: 6, Col: 1, EndLine: 6, Type: facts.None, Value: facts.None},
		},
		Params: []facts.Param{{Name: 3, Type: 0, Local: 0}},
		Locals: []facts.Local{{Name: 3, Decl: facts.None, Type: 0, Value: facts.None, Next: facts.None}},
		Exprs: []facts.Expr{
			{Op: facts.OpName, Name: 5, X: facts.None, Y: facts.None, Line: 5, Col: 10},
			{Op: facts.OpName, Name: 3, X: 0, Y: facts.None, Flags: facts.FlagLocal, Line: 6, Col: 2},
			{Op: facts.OpFunc, X: 1, Y: facts.None, Line: 6, Col: 5},
			{Op: facts.OpName, Name: 2, X: facts.None, Y: facts.None, Line: 7, Col: 2},
			{Op: facts.OpCall, N: -1, X: 3, Y: facts.None, Args: 1, Line: 7, Col: 2},
		},
		Lists:    []int32{0, 2, 1, 2},
		Flows:    []facts.Flow{{Kind: facts.FlowReturn, N: -1, To: 0, From: 4}},
		Settings: []facts.Setting{{Name: 7, Value: 8}},
		Unparsed: []facts.Lines{{From: 8, To: 9}},
	}
	cs := []*facts.Content{
		content("full", "go", full),
		content("binary", "go", nil, graph.Unknown{Reason: graph.ReasonBinary}),
		content("odd", "go", &facts.File{Strings: []string{""}, Lists: []int32{0}}, graph.Unknown{Reason: graph.ReasonSyntaxError, Line: 3, EndLine: 4, Detail: "x", Count: 2}),
	}
	mod := content("full", "go", &facts.File{Strings: []string{""}, Lists: []int32{0}})
	mod.Manifest = "go.mod"
	cs = append(cs, mod)
	for i := range n {
		name := string(binary.LittleEndian.AppendUint32(nil, uint32(i)))
		f := &facts.File{Strings: []string{"", name}, Lists: []int32{0}, Exprs: make([]facts.Expr, 200)}
		for j := range f.Exprs {
			f.Exprs[j] = facts.Expr{Op: facts.OpName, Name: 1, X: facts.None, Y: facts.None, Line: int32(i + j), Col: int32(i*j) % 80}
		}
		cs = append(cs, content(name, "go", f))
	}
	return cs
}

func factsBytes(t testing.TB, cs []*facts.Content) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteFacts(&b, extractor, graph.Hash{4, 5}, cs); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func openFacts(data []byte, lim Limits) (*Facts, error) {
	return OpenFacts(bytes.NewReader(data), int64(len(data)), extractor, lim)
}

func TestFactsRoundTrip(t *testing.T) {
	cs := someContents(1000) // several blocks
	data := factsBytes(t, cs)
	f, err := openFacts(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Tree() != (graph.Hash{4, 5}) || len(f.blocks) < 2 {
		t.Errorf("tree %v, %d blocks", f.Tree(), len(f.blocks))
	}
	for i, c := range cs {
		for _, k := range []facts.Key{c.ByHash(), c.ByBlob()} {
			if k == cs[3].ByBlob() || k == cs[0].ByBlob() {
				continue
			}
			got, ok := f.Find(k)
			if !ok || !reflect.DeepEqual(got, c) {
				t.Fatalf("content %d: got %+v, want %+v", i, got, c)
			}
		}
	}
	for _, k := range []facts.Key{{}, {ID: cs[0].ByHash().ID, Lang: "java"}, {ID: cs[0].ByHash().ID, Lang: "go", Manifest: "x"}} {
		if _, ok := f.Find(k); ok {
			t.Errorf("there is a content %q", k)
		}
	}
	if all := f.All(); !reflect.DeepEqual(all, cs) {
		t.Errorf("%d contents, want %d, all equal", len(all), len(cs))
	}
	if n, all := f.Used(); n != len(cs) || all != len(cs) || f.Err() != nil {
		t.Errorf("%d of %d used, %v", n, all, f.Err())
	}
	if again := factsBytes(t, append(f.All(), cs...)); !bytes.Equal(again, data) {
		t.Error("what was read is written as other bytes")
	}
}

// TestFactsCanonical: neither the number of processors nor chance changes a byte.
func TestFactsCanonical(t *testing.T) {
	cs := someContents(3000)
	want := factsBytes(t, cs)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 3, 8} {
		runtime.GOMAXPROCS(n)
		if !bytes.Equal(factsBytes(t, cs), want) {
			t.Errorf("other bytes with %d processors", n)
		}
	}
}

func TestFactsOfOthers(t *testing.T) {
	data := factsBytes(t, someContents(0))
	_, err := OpenFacts(bytes.NewReader(data), int64(len(data)), "kg next, go 2", Limits{})
	if !errors.Is(err, ErrVersion) {
		t.Errorf("facts of another extractor: %v", err)
	}
	data[len(magic)] = 9
	if _, err := openFacts(data, Limits{}); !errors.Is(err, ErrVersion) {
		t.Errorf("another version: %v", err)
	}
	if _, err := openFacts(seal(parts(t, small())), Limits{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a graph file: %v", err)
	}
}

// checkHostileFacts reads a file that may be anything. What is found satisfies
// what the linker relies on.
func checkHostileFacts(t *testing.T, data []byte) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := openFacts(data, Limits{Memory: fuzzLimit})
	var all []*facts.Content
	if err == nil {
		defer f.Close()
		all = f.All()
		err = f.Err()
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 4*fuzzLimit {
		t.Errorf("reading %d bytes took %d bytes of memory", len(data), n)
	}
	if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrLimit) {
		t.Errorf("error is of no known kind: %v", err)
	}
	for _, c := range all {
		if c.Facts != nil {
			if err := c.Facts.Check(); err != nil {
				t.Errorf("bad facts: %v", err)
			}
		}
	}
	return err
}

// sealFacts makes a facts file with valid checksums of the parts of another.
func sealFacts(t testing.TB, meta, index func([]byte) []byte, blocks func([][]byte) [][]byte) []byte {
	e := factsEncoder{extractor: extractor, level: 1}
	e.add(someContents(1))
	e.encode()
	var raw [][]byte
	first := 0
	for i := range e.blocks {
		raw = append(raw, facts.AppendBlock(nil, e.contents[first:first+e.blocks[i].contents]))
		first += e.blocks[i].contents
	}
	if blocks != nil {
		raw = blocks(raw)
	}
	for i := range e.blocks {
		e.blocks[i].size, e.blocks[i].stored = len(raw[i]), newEncoder(1, len(raw[i])).EncodeAll(raw[i], nil)
	}
	sections := []section{{tag: tagMeta, content: e.meta()}, {tag: tagContents, content: e.index()}}
	if meta != nil {
		sections[0].content = meta(sections[0].content)
	}
	if index != nil {
		sections[1].content = index(sections[1].content)
	}
	compress(sections)
	sections = append(sections, rawSection(tagBlocks, e.stored()))
	b := factsForm.header(sections)
	for i := range sections {
		b = append(b, sections[i].stored...)
	}
	return b
}

// TestDamagedFacts cuts and changes everything at every byte, with and without
// valid checksums.
func TestDamagedFacts(t *testing.T) {
	data := sealFacts(t, nil, nil, nil)
	if err := checkHostileFacts(t, data); err != nil {
		t.Fatal(err)
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for i := 0; i < len(data); i += step {
		if err := checkHostileFacts(t, data[:i]); err == nil {
			t.Errorf("cut at %d: no error", i)
		}
		bad := bytes.Clone(data)
		bad[i] ^= 0x41
		if err := checkHostileFacts(t, bad); err == nil {
			t.Errorf("changed at %d: no error", i)
		}
	}
	damage := func(make func(change func([]byte) []byte) []byte) {
		n := 0
		make(func(b []byte) []byte { n = len(b); return b })
		for i := 0; i < n; i += step {
			if err := checkHostileFacts(t, make(func(b []byte) []byte { return b[:i] })); err == nil {
				t.Errorf("cut at %d: no error", i)
			}
			for _, bit := range []byte{1, 0x80} {
				checkHostileFacts(t, make(func(b []byte) []byte { b = bytes.Clone(b); b[i] ^= bit; return b }))
			}
			if t.Failed() {
				return
			}
		}
	}
	damage(func(change func([]byte) []byte) []byte { return sealFacts(t, change, nil, nil) })
	damage(func(change func([]byte) []byte) []byte { return sealFacts(t, nil, change, nil) })
}

// FuzzFacts reads files of any bytes.
func FuzzFacts(f *testing.F) {
	data := sealFacts(f, nil, nil, nil)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) { checkHostileFacts(t, data) })
}

// FuzzFactsSection puts any content into a section, or a block, of a file
// whose checksums are right.
func FuzzFactsSection(f *testing.F) {
	var parts [3][]byte
	keep := func(i int) func([]byte) []byte {
		return func(b []byte) []byte { parts[i] = b; return b }
	}
	sealFacts(f, keep(0), keep(1), func(b [][]byte) [][]byte { parts[2] = b[0]; return b })
	for i, p := range parts {
		f.Add(uint8(i), p)
	}
	f.Fuzz(func(t *testing.T, i uint8, content []byte) {
		give := func([]byte) []byte { return content }
		switch i % 3 {
		case 0:
			checkHostileFacts(t, sealFacts(t, give, nil, nil))
		case 1:
			checkHostileFacts(t, sealFacts(t, nil, give, nil))
		case 2:
			checkHostileFacts(t, sealFacts(t, nil, nil, func(b [][]byte) [][]byte { b[0] = content; return b }))
		}
	})
}

// TestOldFacts reads a file of each version: those that can be read must be read
// as they were written, the others must say what they are. A change of the form,
// that of facts included, needs a new version. To make the file of a new
// version, run with -update.
func TestOldFacts(t *testing.T) {
	newest := filepath.Join("testdata", fmt.Sprintf("v%d.kgf", FactsVersion))
	if *update {
		if _, err := os.Stat(newest); err != nil {
			if err := os.WriteFile(newest, factsBytes(t, someContents(20)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for v := 1; v <= FactsVersion; v++ {
		f, err := OpenFactsFile(filepath.Join("testdata", fmt.Sprintf("v%d.kgf", v)), extractor, Limits{})
		if uint32(v) < factsForm.oldest {
			if !errors.Is(err, ErrVersion) {
				t.Errorf("version %d: %v, want ErrVersion", v, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if !reflect.DeepEqual(f.All(), someContents(20)) || f.Err() != nil {
			t.Errorf("version %d: read as other facts, %v", v, f.Err())
		}
	}
}
