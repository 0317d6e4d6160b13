package artifact_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
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

func TestRoundTripRealistic(t *testing.T) {
	rc := realistic(1, 3000, 10000, 14000)
	g := rc.build(nil)
	data := write(t, g)
	got, err := artifact.Read(data, artifact.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, g) {
		t.Error("the graph that was read is another")
	}
	if again := write(t, rc.build(rand.New(rand.NewPCG(1, 2)))); !bytes.Equal(data, again) {
		t.Error("another order gives other bytes")
	}
}

func BenchmarkWrite(b *testing.B) {
	g := realistic(1, 100_000, 500_000, 700_000).build(nil)
	b.ResetTimer()
	var data []byte
	for b.Loop() {
		data = write(b, g)
	}
	source := int64(0)
	for i := range g.Files {
		source += g.Files[i].Size
	}
	b.ReportMetric(float64(len(data)), "file-bytes")
	b.ReportMetric(float64(len(data))/float64(source), "file/source")
	info, _ := artifact.Stat(data)
	for _, s := range info.Sections {
		b.Logf("%-10s %9d %9d", s.Tag, s.Size, s.Stored)
	}
	b.Logf("nodes %d edges %d sites %d files %d source %d", len(g.Nodes), len(g.Edges), g.SiteCount(), len(g.Files), source)
}

func BenchmarkRead(b *testing.B) {
	data := write(b, realistic(1, 100_000, 500_000, 700_000).build(nil))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := artifact.Read(data, artifact.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
