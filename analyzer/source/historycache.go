package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/codekg/kg/analyzer/history"
)

// The cache of a repository's history is one file:
//
//	magic, hash size
//	number of paths; each: length, bytes
//	number of commits; the hash of each
//	each commit: state, time, parents, changes
//	SHA-256 of all that
//
// Numbers are varints. A state of zero says that only the hash is known. Paths
// and parents are positions in the lists above. The file is replaced as a
// whole: a reader sees the old one or the new one.

const (
	historyMagic = "kg history 1\n"

	// A larger file is not read, and one that would hold more commits not
	// written.
	maxHistoryFile    = 512 << 20
	maxHistoryCommits = 200_000
)

var errHistoryFile = errors.New("not a history file")

// historyFile is where the history of the repository with the given folder is
// kept.
func historyFile(cache, commonDir string) string {
	sum := sha256.Sum256([]byte(commonDir))
	return filepath.Join(cache, "history-"+hex.EncodeToString(sum[:16]))
}

// load adds what a cache knows, once.
func (p *past) load(cache, commonDir string, hashSize int) {
	if p.loaded[cache] {
		return
	}
	if p.loaded == nil {
		p.loaded = map[string]bool{}
	}
	p.loaded[cache] = true
	f, err := os.Open(historyFile(cache, commonDir))
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxHistoryFile {
		return
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return
	}
	known, err := decodeHistory(data, hashSize)
	if err != nil {
		return
	}
	if len(p.commits) == 0 {
		p.commits, p.numbers = known.commits, known.numbers
		return
	}
	for i := range known.commits {
		if c := &known.commits[i]; c.read {
			into := p.number(c.id)
			if p.commits[into].compared != notCompared {
				continue
			}
			parents := make([]int32, len(c.parents))
			for k, parent := range c.parents {
				parents[k] = p.number(known.commits[parent].id)
			}
			x := &p.commits[into]
			x.time, x.parents, x.read, x.compared, x.changes = c.time, parents, true, c.compared, c.changes
		}
	}
}

// save writes what the cache does not know yet. It fails in silence: the next
// run reads the repository again.
func (p *past) save(cache, commonDir string, hashSize int) {
	if !p.added || len(p.commits) > maxHistoryCommits {
		return
	}
	path := historyFile(cache, commonDir)
	if os.MkdirAll(cache, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(cache, filepath.Base(path)+".*.tmp")
	if err != nil {
		return
	}
	_, err = f.Write(p.encode(hashSize))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return
	}
	p.added = false
}

// encode writes the commits of a past. Equal pasts give equal bytes.
func (p *past) encode(hashSize int) []byte {
	var paths []string
	numbers := map[string]uint64{}
	number := func(path string) uint64 {
		n, ok := numbers[path]
		if !ok {
			n = uint64(len(paths))
			numbers[path] = n
			paths = append(paths, path)
		}
		return n
	}
	var hashes, commits []byte
	for i := range p.commits {
		c := &p.commits[i]
		hashes = append(hashes, c.id...)
		if !c.read {
			commits = append(commits, 0)
			continue
		}
		state := c.compared
		if state == isMissing {
			state = notCompared
		}
		commits = append(commits, 1+byte(state))
		commits = binary.AppendVarint(commits, c.time)
		commits = binary.AppendUvarint(commits, uint64(len(c.parents)))
		for _, parent := range c.parents {
			commits = binary.AppendUvarint(commits, uint64(parent))
		}
		if state != isCompared {
			continue
		}
		commits = binary.AppendUvarint(commits, uint64(len(c.changes)))
		for _, f := range c.changes {
			kind := byte(f.Kind) << 1
			if f.ModeChanged {
				kind |= 1
			}
			commits = append(commits, kind)
			commits = binary.AppendUvarint(commits, number(f.Path))
			if f.Kind == history.Renamed {
				commits = binary.AppendUvarint(commits, number(f.OldPath))
			}
		}
	}
	out := append([]byte(historyMagic), byte(hashSize))
	out = binary.AppendUvarint(out, uint64(len(paths)))
	for _, path := range paths {
		out = binary.AppendUvarint(out, uint64(len(path)))
		out = append(out, path...)
	}
	out = binary.AppendUvarint(out, uint64(len(p.commits)))
	out = slices.Concat(out, hashes, commits)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

// decodeHistory reads what encode wrote. Any other bytes give an error, and
// never take more memory than a small multiple of their size.
func decodeHistory(data []byte, hashSize int) (*past, error) {
	body := len(data) - sha256.Size
	if body < len(historyMagic)+1 || !bytes.HasPrefix(data, []byte(historyMagic)) || int(data[len(historyMagic)]) != hashSize {
		return nil, errHistoryFile
	}
	if sum := sha256.Sum256(data[:body]); !bytes.Equal(sum[:], data[body:]) {
		return nil, errHistoryFile
	}
	r := historyReader{data: data[len(historyMagic)+1 : body]}
	paths := make([]string, r.count(1))
	for i := range paths {
		paths[i] = string(r.bytes(r.count(1)))
	}
	p := &past{commits: make([]pastCommit, r.count(hashSize+1))}
	p.numbers = make(map[string]int32, len(p.commits))
	hashes := string(r.bytes(len(p.commits) * hashSize))
	if r.bad {
		return nil, errHistoryFile
	}
	for i := range p.commits {
		id := hashes[i*hashSize:][:hashSize]
		p.commits[i].id, p.numbers[id] = id, int32(i)
	}
	if len(p.numbers) != len(p.commits) {
		return nil, errHistoryFile // one commit twice
	}
	for i := range p.commits {
		c := &p.commits[i]
		state := r.byte()
		if state == 0 {
			continue
		}
		if c.read, c.compared = true, comparedState(state-1); c.compared >= isMissing {
			return nil, errHistoryFile
		}
		c.time = r.varint()
		c.parents = make([]int32, r.count(1))
		for k := range c.parents {
			c.parents[k] = int32(r.below(len(p.commits)))
		}
		if c.compared == isCompared {
			c.changes = r.changes(paths)
		}
	}
	if r.bad || len(r.data) > 0 {
		return nil, errHistoryFile
	}
	return p, nil
}

// historyReader takes values off bytes. After a failure it gives zeros.
type historyReader struct {
	data []byte
	bad  bool
}

func (r *historyReader) fail() { r.data, r.bad = nil, true }

func (r *historyReader) changes(paths []string) []history.FileChange {
	changes := make([]history.FileChange, r.count(2))
	for i := range changes {
		kind := r.byte()
		f := &changes[i]
		f.Kind, f.ModeChanged = history.Kind(kind>>1), kind&1 != 0
		if f.Kind < history.Added || f.Kind > history.ModeOnly {
			r.fail()
			return nil
		}
		if n := r.below(len(paths)); !r.bad {
			f.Path = paths[n]
		}
		if f.Kind == history.Renamed {
			if n := r.below(len(paths)); !r.bad {
				f.OldPath = paths[n]
			}
		}
	}
	return changes
}

func (r *historyReader) byte() byte {
	if len(r.data) == 0 {
		r.fail()
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *historyReader) bytes(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.fail()
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *historyReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *historyReader) varint() int64 {
	v, n := binary.Varint(r.data)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.data = r.data[n:]
	return v
}

// count reads a number of things that take at least size bytes each.
func (r *historyReader) count(size int) int {
	n := r.uvarint()
	if n > uint64(len(r.data)/size) {
		r.fail()
		return 0
	}
	return int(n)
}

// below reads a position in a list of the given length.
func (r *historyReader) below(length int) int {
	n := r.uvarint()
	if n >= uint64(length) {
		r.fail()
		return 0
	}
	return int(n)
}
