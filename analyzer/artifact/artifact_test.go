package artifact_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/graph"
)

func write(t testing.TB, g *graph.Graph) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := artifact.Write(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checkRoundTrip checks that what is read is what was written, and that the
// order in which a graph was built does not matter.
func checkRoundTrip(t *testing.T, rc *recipe, r *rand.Rand) {
	t.Helper()
	g := rc.build(nil)
	data := write(t, g)
	got, err := artifact.Read(data, artifact.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, g) {
		t.Errorf("read\n%+v\nwrote\n%+v", got.Columns(), g.Columns())
	}
	if !bytes.Equal(write(t, got), data) {
		t.Error("writing what was read gives other bytes")
	}
	shuffled := rc.build(r)
	if !reflect.DeepEqual(shuffled, g) {
		t.Error("another order gives another graph")
	}
	if !bytes.Equal(write(t, shuffled), data) {
		t.Error("another order gives other bytes")
	}
	bare, err := artifact.Read(data, artifact.Limits{Bare: true})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(g.Nodes)
	for i := range want {
		n := &want[i]
		n.Signature = graph.Signature{Type: n.Signature.Type}
		n.Doc, n.DocHash, n.Body, n.MinHash, n.Variants, n.Branches = "", graph.DocHash{}, graph.Hash{}, graph.MinHash{}, nil, 0
	}
	if len(bare.Nodes) != len(want) || len(want) > 0 && !reflect.DeepEqual(bare.Nodes, want) {
		t.Errorf("bare nodes\n%+v\nwant\n%+v", bare.Nodes, want)
	}
	if bare.Nodes = got.Nodes; !reflect.DeepEqual(bare, got) {
		t.Error("a bare graph has other edges or files")
	}
	if err := artifact.Verify(data, artifact.Limits{}); err != nil {
		t.Error(err)
	}
	info, err := artifact.Stat(data)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := artifact.Digest(g); err != nil || info.Digest != want {
		t.Errorf("digest of the file is %x, of the graph %x, %v", info.Digest, want, err)
	}
}

func TestRoundTrip(t *testing.T) {
	checkRoundTrip(t, &recipe{}, nil)
	seeds := uint64(100)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		checkRoundTrip(t, random(seed), rand.New(rand.NewPCG(seed, 8)))
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

func TestRoundTripRealistic(t *testing.T) {
	checkRoundTrip(t, realistic(1, 3000, 10_000, 14_000), rand.New(rand.NewPCG(1, 9)))
}

// failAfter fails when n bytes were written.
type failAfter struct{ n int }

var errFull = errors.New("no space left")

func (f *failAfter) Write(b []byte) (int, error) {
	if len(b) > f.n {
		n := f.n
		f.n = 0
		return n, errFull
	}
	f.n -= len(b)
	return len(b), nil
}

type shortWriter struct{}

func (shortWriter) Write(b []byte) (int, error) { return len(b) / 2, nil }

func TestWriteErrors(t *testing.T) {
	g := random(3).build(nil)
	var full, lines bytes.Buffer
	if err := errors.Join(artifact.Write(&full, g), artifact.JSONL(&lines, g)); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < full.Len(); n += 1 + full.Len()/50 {
		if err := artifact.Write(&failAfter{n}, g); !errors.Is(err, errFull) {
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
	for _, n := range []int{0, 1, lines.Len() / 2, lines.Len() - 1} {
		if err := artifact.JSONL(&failAfter{n}, g); !errors.Is(err, errFull) {
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
	if err := artifact.Write(shortWriter{}, g); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a short write gives %v", err)
	}
}

func TestReadFrom(t *testing.T) {
	data := write(t, random(3).build(nil))
	if _, err := artifact.ReadFrom(bytes.NewReader(data), int64(len(data)), artifact.Limits{}); err != nil {
		t.Error(err)
	}
	if _, err := artifact.ReadFrom(bytes.NewReader(data), int64(len(data))+1, artifact.Limits{}); err == nil {
		t.Error("a file shorter than its size is read")
	}
	for _, size := range []int64{-1, 1 << 60} {
		if _, err := artifact.ReadFrom(bytes.NewReader(data), size, artifact.Limits{}); !errors.Is(err, artifact.ErrLimit) {
			t.Errorf("size %d gives %v", size, err)
		}
	}
}

func TestDamage(t *testing.T) {
	data := write(t, realistic(2, 60, 100, 150).build(nil))
	for n := range data {
		if _, err := artifact.Read(data[:n], artifact.Limits{}); !errors.Is(err, artifact.ErrCorrupt) {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
	}
	if _, err := artifact.Read(append(bytes.Clone(data), 0), artifact.Limits{}); !errors.Is(err, artifact.ErrCorrupt) {
		t.Errorf("a byte too many: %v", err)
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1 << (i % 8)
		_, err := artifact.Read(bad, artifact.Limits{})
		if !errors.Is(err, artifact.ErrCorrupt) && !errors.Is(err, artifact.ErrVersion) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
	}
}

func TestVersionError(t *testing.T) {
	data := write(t, random(1).build(nil))
	data[8] = 9
	_, err := artifact.Read(data, artifact.Limits{})
	var v *artifact.VersionError
	if !errors.As(err, &v) || v.Version != 9 || !errors.Is(err, artifact.ErrVersion) {
		t.Fatalf("error is %v", err)
	}
	if want := "graph file has version 9, this program reads 1 to 5: rebuild the graph"; err.Error() != want {
		t.Errorf("error is %q, want %q", err, want)
	}
	if _, err := artifact.Stat(data); !errors.Is(err, artifact.ErrVersion) {
		t.Errorf("Stat gives %v", err)
	}
}

func TestLimit(t *testing.T) {
	data := write(t, realistic(2, 2000, 5000, 7000).build(nil))
	limit := int64(1)
	for range 5 {
		_, err := artifact.Read(data, artifact.Limits{Memory: limit})
		if err == nil && limit > int64(len(data)) {
			return
		}
		var l *artifact.LimitError
		if !errors.As(err, &l) || !errors.Is(err, artifact.ErrLimit) || l.Limit != limit || l.Need <= limit {
			t.Fatalf("limit %d: %v", limit, err)
		}
		limit = l.Need
	}
	t.Errorf("still not enough: %d", limit)
}

func sourceSize(g *graph.Graph) (n int64) {
	for i := range g.Files {
		n += g.Files[i].Size
	}
	return n
}

func large() *graph.Graph { return realistic(1, 100_000, 500_000, 700_000).build(nil) }

func BenchmarkWrite(b *testing.B) {
	g := large()
	var n int
	for b.Loop() {
		n = len(write(b, g))
	}
	b.SetBytes(int64(n))
	b.ReportMetric(float64(n), "file-bytes")
	b.ReportMetric(float64(n)/float64(sourceSize(g)), "file/source")
	b.ReportMetric(float64(len(g.Nodes)), "nodes")
	b.ReportMetric(float64(len(g.Edges)), "edges")
	b.ReportMetric(float64(g.SiteCount()), "sites")
}

func BenchmarkRead(b *testing.B) {
	data := write(b, large())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := artifact.Read(data, artifact.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJSONL(b *testing.B) {
	g := large()
	b.ReportAllocs()
	var n counter
	for b.Loop() {
		n = 0
		if err := artifact.JSONL(&n, g); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(n))
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
