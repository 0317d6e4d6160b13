//go:build unix

package main

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A diary says which files a child is parsing, and how it ended. It is memory of the
// child and of its parent: an entry costs no system call, and the parent reads it
// when the child is gone, whatever that died of.
type diary struct {
	mapped []byte
	page   *diaryPage

	mu   sync.Mutex
	free sync.Cond // an entry is
}

// diaryPage is the memory. Entries that are not needed are not touched.
type diaryPage struct {
	ended   atomic.Uint32 // the exit code and one, once everything is done
	entries [maxUnder]diaryEntry
}

type diaryEntry struct {
	under   atomic.Uint32 // one while the content is being parsed
	length  uint32        // of the path
	content contentID
	path    [maxDiaryPath]byte
}

const (
	maxUnder     = 256 // files that are parsed at the same time
	maxDiaryPath = 472 // of a longer path the beginning is kept
)

// newDiaryFile makes a file without a name for the memory of a diary.
func newDiaryFile() (*os.File, error) {
	f, err := memoryFile("kg-diary")
	if err != nil {
		return nil, err
	}
	// Written, not only made longer: a full disk must not be noticed by the entries.
	if _, err := f.Write(make([]byte, unsafe.Sizeof(diaryPage{}))); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openDiary maps the diary of a file of [newDiaryFile].
func openDiary(f *os.File) (*diary, error) {
	b, err := syscall.Mmap(int(f.Fd()), 0, int(unsafe.Sizeof(diaryPage{})), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	d := &diary{mapped: b, page: (*diaryPage)(unsafe.Pointer(unsafe.SliceData(b)))}
	d.free.L = &d.mu
	return d, nil
}

func (d *diary) close() { syscall.Munmap(d.mapped) }

// begin notes that a content is being parsed, for the file at path. It waits while
// no entry is free.
func (d *diary) begin(path string, c contentID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		for i := range d.page.entries {
			e := &d.page.entries[i]
			if e.under.Load() == 0 {
				e.content, e.length = c, uint32(copy(e.path[:], path))
				e.under.Store(1)
				return
			}
		}
		d.free.Wait()
	}
}

// finish notes that it is over.
func (d *diary) finish(c contentID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.page.entries {
		if e := &d.page.entries[i]; e.under.Load() == 1 && e.content == c {
			e.under.Store(0)
			d.free.Signal()
			return
		}
	}
}

// end notes that everything is done.
func (d *diary) end(code int) { d.page.ended.Store(1 + uint32(code)) }

// read returns what stands in the diary. Its writer may have died of anything, so it
// may hold anything.
func (d *diary) read() ending {
	code := d.page.ended.Load()
	e := ending{under: map[contentID]string{}, ended: code != 0, code: max(0, int(code)-1)}
	for i := range d.page.entries {
		if at := &d.page.entries[i]; at.under.Load() != 0 {
			e.under[at.content] = string(at.path[:min(at.length, maxDiaryPath)])
		}
	}
	return e
}
