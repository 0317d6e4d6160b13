package facts

import (
	"encoding/binary"
	"fmt"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// An Archive holds the facts of named groups of files, compressed: the API of
// the packages of a standard library. It is trusted data of the program's own.
type Archive struct {
	version string
	names   []string
	data    [][]byte
	index   map[string]int

	mu   sync.Mutex
	open map[string][]*File
}

// NewArchive returns an empty archive.
func NewArchive() *Archive { return &Archive{index: map[string]int{}} }

// Add adds a group.
func (a *Archive) Add(name string, files []*File) {
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(files)))
	b = appendFiles(b, files)
	a.names, a.data = append(a.names, name), append(a.data, b)
}

// Bytes returns the archive's stored form. Version says what it was made from.
func (a *Archive) Bytes(version string) []byte {
	order := make([]int, len(a.names))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return a.names[order[i]] < a.names[order[j]] })
	var b []byte
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	text(fmt.Sprintf("kg surface %d", CodecVersion))
	text(version)
	b = binary.AppendUvarint(b, uint64(len(order)))
	for _, i := range order {
		text(a.names[i])
		text(string(a.data[i]))
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constant
	}
	return w.EncodeAll(b, nil)
}

// OpenArchive reads what [Archive.Bytes] returned.
func OpenArchive(b []byte) (*Archive, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if b, err = r.DecodeAll(b, nil); err != nil {
		return nil, err
	}
	ok := true
	next := func() []byte {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(len(b)-k) {
			ok = false
			return nil
		}
		s := b[k : k+int(n)]
		b = b[k+int(n):]
		return s
	}
	if string(next()) != fmt.Sprintf("kg surface %d", CodecVersion) {
		return nil, fmt.Errorf("%w: not a surface archive of this version", ErrCorrupt)
	}
	a := NewArchive()
	a.version = string(next())
	n, k := binary.Uvarint(b)
	if !ok || k <= 0 {
		return nil, ErrCorrupt
	}
	b = b[k:]
	for i := 0; i < int(n) && ok; i++ {
		a.names = append(a.names, string(next()))
		a.data = append(a.data, next())
		a.index[a.names[i]] = i
	}
	if !ok {
		return nil, ErrCorrupt
	}
	return a, nil
}

// Version says what the archive was made from.
func (a *Archive) Version() string { return a.version }

// Names returns the names of the groups, sorted.
func (a *Archive) Names() []string { return a.names }

// Files returns the files of a group, nil if there is none of that name. They
// are the same ones every time and must not be changed. It is safe for
// concurrent use.
func (a *Archive) Files(name string) []*File {
	i, ok := a.index[name]
	if !ok {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	fs, ok := a.open[name]
	if !ok {
		fs = a.decode(i)
		if a.open == nil {
			a.open = map[string][]*File{}
		}
		a.open[name] = fs
	}
	return fs
}

func (a *Archive) decode(i int) []*File {
	n, k := binary.Uvarint(a.data[i])
	fs, err := decodeFiles(a.data[i][k:], int(n))
	if err != nil {
		panic("facts: archive: " + err.Error()) // the program's own data
	}
	return fs
}
