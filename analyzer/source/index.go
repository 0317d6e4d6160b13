package source

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// An indexEntry is one path of git's index: what is staged, and how the file
// on disk looked when it was last known to be equal to that.
type indexEntry struct {
	path string
	mode Mode
	id   string
	stat fileStat

	stage        uint8 // 0, or 1 to 3 for the sides of a conflict
	assumeClean  bool  // git was told not to look at the disk
	skipWorkTree bool  // sparse checkout: the disk does not have it
	intentToAdd  bool  // the path is known, its content is not staged
}

// fileStat is what the index remembers of a file. Sizes, inodes and seconds
// are cut to 32 bits.
type fileStat struct {
	mtime, mtimeNano uint32
	ctime, ctimeNano uint32
	inode            uint32
	size             uint32
}

// An index is git's index file.
type index struct {
	entries []indexEntry // sorted by path, then stage
	written fileStat     // only mtime: when the file itself was written
}

// errForeignIndex says that the index has an extension without which it
// cannot be understood: it is split, or sparse.
var errForeignIndex = errors.New("index has an extension that kg does not read")

// readIndex reads the index of a repository. A repository without one has
// nothing staged.
func (r *Repo) readIndex() (*index, error) {
	path := filepath.Join(r.gitDir, "index")
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return &index{}, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if _, err := data.ReadFrom(f); err != nil {
		return nil, err
	}
	x := &index{}
	x.entries, err = parseIndex(data.Bytes(), r.hashSize)
	if errors.Is(err, errForeignIndex) && r.program != nil {
		// ls-files only prints; unlike git status it runs no filters.
		var out []byte
		if out, err = r.program.output("ls-files", "--stage", "--debug", "-z"); err == nil {
			x.entries, err = parseListing(out)
		}
	}
	if err != nil {
		return nil, &Error{Kind: ErrCorrupt, Text: "the index " + path + " cannot be read", Hint: "check it with `git status`", Err: err}
	}
	x.written.mtime = uint32(info.ModTime().Unix())
	x.written.mtimeNano = uint32(info.ModTime().Nanosecond())
	return x, nil
}

const (
	indexHeader     = 12
	indexFixed      = 40 // bytes of an entry before the hash
	flagAssumeClean = 1 << 15
	flagExtended    = 1 << 14
	flagSkip        = 1 << 14 // of the second word
	flagIntent      = 1 << 13
)

var errIndex = errors.New("malformed index")

// parseIndex reads index versions 2 to 4.
func parseIndex(data []byte, hashSize int) ([]indexEntry, error) {
	if len(data) < indexHeader+hashSize || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	version := binary.BigEndian.Uint32(data[4:])
	count := binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("index version %d: %w", version, errForeignIndex)
	}
	rest := data[indexHeader : len(data)-hashSize] // the checksum is at the end
	if int64(count) > int64(len(rest))/int64(indexFixed+hashSize) {
		return nil, errIndex
	}
	entries := make([]indexEntry, 0, count)
	previous := ""
	for range count {
		e, size, err := parseIndexEntry(rest, hashSize, version, previous)
		if err != nil {
			return nil, err
		}
		previous, rest = e.path, rest[size:]
		entries = append(entries, e)
	}
	for len(rest) >= 8 {
		name, size := rest[:4], int64(binary.BigEndian.Uint32(rest[4:]))
		if name[0] < 'A' || name[0] > 'Z' {
			return nil, fmt.Errorf("%q: %w", name, errForeignIndex)
		}
		if size > int64(len(rest)-8) {
			return nil, errIndex
		}
		rest = rest[8+size:]
	}
	return entries, nil
}

func parseIndexEntry(data []byte, hashSize int, version uint32, previous string) (e indexEntry, size int, err error) {
	at := indexFixed + hashSize + 2
	if len(data) < at {
		return e, 0, errIndex
	}
	word := func(i int) uint32 { return binary.BigEndian.Uint32(data[4*i:]) }
	e.stat = fileStat{
		ctime: word(0), ctimeNano: word(1), mtime: word(2), mtimeNano: word(3),
		inode: word(5), size: word(9),
	}
	folder := false
	if e.mode, folder, err = indexMode(word(6)); err != nil {
		return e, 0, err
	}
	if folder {
		return e, 0, errForeignIndex // a sparse index
	}
	e.id = hex.EncodeToString(data[indexFixed:][:hashSize])
	flags := binary.BigEndian.Uint16(data[at-2:])
	e.assumeClean = flags&flagAssumeClean != 0
	e.stage = uint8(flags >> 12 & 3)
	if flags&flagExtended != 0 {
		if version < 3 || len(data) < at+2 {
			return e, 0, errIndex
		}
		more := binary.BigEndian.Uint16(data[at:])
		e.skipWorkTree = more&flagSkip != 0
		e.intentToAdd = more&flagIntent != 0
		at += 2
	}
	shared := 0
	if version == 4 {
		// The path is the previous one without its last bytes, and a rest.
		drop, n := indexVarint(data[at:])
		if n == 0 || drop > uint64(len(previous)) {
			return e, 0, errIndex
		}
		at += n
		shared = len(previous) - int(drop)
	}
	nul := bytes.IndexByte(data[at:], 0)
	if nul < 0 {
		return e, 0, errIndex
	}
	e.path = previous[:shared] + string(data[at:at+nul])
	at += nul + 1
	if version < 4 {
		at = (at + 7) &^ 7 // NULs up to a multiple of eight
	}
	if e.path == "" {
		return e, 0, errForeignIndex // stands for an entry of a shared index
	}
	if at > len(data) {
		return e, 0, errIndex
	}
	return e, at, nil
}

// indexVarint reads a number in the encoding of pack offsets; n is the
// number of bytes, zero if there are too few or too many.
func indexVarint(data []byte) (value uint64, n int) {
	for n < len(data) && n < 9 {
		c := data[n]
		n++
		value = value<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}

func indexMode(bits uint32) (mode Mode, folder bool, err error) {
	switch bits & 0o170000 {
	case 0o100000:
		return permissions(bits), false, nil
	case 0o120000:
		return Symlink, false, nil
	case 0o160000:
		return Submodule, false, nil
	case 0o040000:
		return 0, true, nil
	}
	return 0, false, fmt.Errorf("mode %o: %w", bits, errIndex)
}

// parseListing reads the output of git ls-files --stage --debug -z:
//
//	100644 <hash> 0 TAB path NUL
//	  ctime: 1700000000:5 LF
//	  mtime: 1700000000:5 LF
//	  dev: 2049 TAB ino: 7 LF
//	  uid: 0 TAB gid: 0 LF
//	  size: 12 TAB flags: 0 LF
func parseListing(out []byte) ([]indexEntry, error) {
	const lines = 5
	var entries []indexEntry
	for len(out) > 0 {
		head, rest, ok := bytes.Cut(out, []byte{0})
		meta, path, tab := strings.Cut(string(head), "\t")
		fields := strings.Fields(meta)
		if !ok || !tab || len(fields) != 3 {
			return nil, errIndex
		}
		numbers := map[string]string{}
		for range lines {
			var line []byte
			if line, rest, ok = bytes.Cut(rest, []byte{'\n'}); !ok {
				return nil, errIndex
			}
			for part := range strings.SplitSeq(string(line), "\t") {
				name, value, _ := strings.Cut(strings.TrimSpace(part), ": ")
				numbers[name] = value
			}
		}
		out = rest

		bits, err := strconv.ParseUint(fields[0], 8, 32)
		if err != nil {
			return nil, errIndex
		}
		e := indexEntry{path: path, id: fields[1]}
		if e.mode, _, err = indexMode(uint32(bits)); err != nil {
			return nil, err
		}
		stage, _ := strconv.ParseUint(fields[2], 10, 8)
		e.stage = uint8(stage)
		number := func(s string) uint32 {
			n, _ := strconv.ParseUint(s, 10, 64)
			return uint32(n)
		}
		seconds, nano, _ := strings.Cut(numbers["mtime"], ":")
		e.stat.mtime, e.stat.mtimeNano = number(seconds), number(nano)
		seconds, nano, _ = strings.Cut(numbers["ctime"], ":")
		e.stat.ctime, e.stat.ctimeNano = number(seconds), number(nano)
		e.stat.inode, e.stat.size = number(numbers["ino"]), number(numbers["size"])
		flags, _ := strconv.ParseUint(numbers["flags"], 16, 64)
		e.assumeClean = flags&flagAssumeClean != 0
		e.intentToAdd = flags&(flagIntent<<16) != 0
		e.skipWorkTree = flags&(flagSkip<<16) != 0
		entries = append(entries, e)
	}
	return entries, nil
}

// Staged opens the tree that the next commit will hold: what is in the
// index. Files that are known but not staged yet (git add --intent-to-add)
// are not in it. The error wraps [ErrUnmerged] while a merge conflict is not
// resolved, because nothing can be committed then.
func (r *Repo) Staged() (Tree, error) { return r.StagedHiddenBy(nil) }

// StagedHiddenBy is [Repo.Staged] by the rules of a commit.
func (r *Repo) StagedHiddenBy(by *Ignores) (Tree, error) {
	x, err := r.readIndex()
	if err != nil {
		return nil, err
	}
	t := &blobTree{repo: r}
	for _, e := range x.entries {
		if e.stage != 0 {
			return nil, &Error{Kind: ErrUnmerged, Text: fmt.Sprintf("%q has a merge conflict", e.path), Hint: "resolve it and `git add` the file"}
		}
		if !e.intentToAdd {
			t.entries = append(t.entries, Entry{Path: e.path, Mode: e.mode, ID: e.id})
		}
	}
	t.entries, t.gaps = unique(t.entries)
	hideIgnored(t, &t.entries, &t.gaps, by)
	return t, nil
}
