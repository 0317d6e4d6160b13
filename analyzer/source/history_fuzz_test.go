package source

import (
	"bytes"
	"crypto/sha256"
	"reflect"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/history"
)

func somePast() *past {
	p := &past{}
	a, b, c := p.number(strings.Repeat("a", 20)), p.number(strings.Repeat("b", 20)), p.number(strings.Repeat("c", 20))
	p.number(strings.Repeat("d", 20)) // only named
	p.commits[a] = pastCommit{id: p.commits[a].id, time: 1_700_000_000, parents: []int32{b}, read: true, compared: isCompared,
		changes: []history.FileChange{
			{Path: "a.go", Kind: history.Modified, ModeChanged: true},
			{Path: "b\n\xff.go", OldPath: "a.go", Kind: history.Renamed},
		}}
	p.commits[b] = pastCommit{id: p.commits[b].id, time: -5, parents: []int32{c, 3}, read: true}
	p.commits[c] = pastCommit{id: p.commits[c].id, parents: []int32{}, read: true, compared: isTooMuch}
	return p
}

func TestHistoryRoundTrip(t *testing.T) {
	want := somePast()
	got, err := decodeHistory(want.encode(20), 20)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.commits, want.commits) || !reflect.DeepEqual(got.numbers, want.numbers) {
		t.Errorf("got  %+v\nwant %+v", got.commits, want.commits)
	}
	if _, err := decodeHistory(want.encode(20), 32); err == nil {
		t.Error("another hash size was accepted")
	}
}

// FuzzDecodeHistory checks that any bytes are refused or mean something, and
// that every byte of the file is covered by its checksum.
func FuzzDecodeHistory(f *testing.F) {
	good := somePast().encode(20)
	f.Add(good[:len(good)-sha256.Size])
	f.Add([]byte(historyMagic + "\x14\x00\x00"))
	f.Add([]byte(historyMagic + "\x14\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := decodeHistory(body, 20); err == nil && !bytes.Equal(body, good) {
			sum := sha256.Sum256(body[:max(0, len(body)-sha256.Size)])
			if !bytes.HasSuffix(body, sum[:]) {
				t.Fatal("a file with a wrong checksum was accepted")
			}
		}
		sum := sha256.Sum256(body)
		p, err := decodeHistory(append(body, sum[:]...), 20)
		if err != nil {
			return
		}
		again, err := decodeHistory(p.encode(20), 20)
		if err != nil || !reflect.DeepEqual(p.commits, again.commits) {
			t.Fatalf("it changed when it was written again: %v\n%+v\n%+v", err, p.commits, again)
		}
	})
}

// FuzzCompareTrees checks that no trees, however malformed, make a comparison
// fail in another way than with an error, and that equal trees do not differ.
func FuzzCompareTrees(f *testing.F) {
	hash := strings.Repeat("\x01", 20)
	f.Add([]byte("100644 a\x00"+hash+"40000 b\x00"+hash), []byte("100644 a\x00"+hash+"100755 b\x00"+hash))
	f.Add([]byte("100644 a"), []byte("40000 a\x00"+hash))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		d := newDiffer(&Repo{hashSize: 20, objects: layered{noObjects{}}})
		d.trees[0]["a"], d.trees[0]["b"] = a, b
		d.trees[0][hash] = nil
		changes, err := d.compare("a", "b")
		if err == nil {
			for _, c := range changes {
				if c.Path == "" || c.Kind < history.Added || c.Kind > history.ModeOnly || (c.OldPath != "") != (c.Kind == history.Renamed) {
					t.Fatalf("%+v", c)
				}
			}
		}
		d.trees[0]["b"] = a
		if changes, err := d.compare("a", "b"); err == nil && len(changes) > 0 && wellFormed(a) {
			t.Fatalf("a tree differs from itself: %+v", changes)
		}
	})
}

// wellFormed reports whether a tree has no entry that names a folder, which
// could not be read here.
func wellFormed(data []byte) bool { return !bytes.Contains(data, []byte("40000 ")) }

type noObjects struct{}

func (noObjects) object(id string, _ int64) (objectType, []byte, error) {
	return "", nil, missing(id, nil)
}
func (noObjects) close() error { return nil }
