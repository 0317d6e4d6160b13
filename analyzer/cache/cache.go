// Package cache keeps facts by content in a folder of this machine, so that
// the next build, of whatever tree, reads only what no build has read before.
//
// The folder has one folder for each extractor, and in it packs: facts files
// as [artifact.WritePack] makes them, each whole from the moment it has its
// name and never changed. A build adds what it has read as one pack; small packs are
// merged into it, so that there are few. When the packs of all extractors
// are larger than the cap, those go that were not used for longest.
//
// Any number of processes can use a cache at the same time, and each may die at any
// moment: files appear by rename, a file that goes while another process
// reads it stays readable, and what cannot be read is as if it was
// not there. A pack that is damaged or not a pack is removed by the next
// process that adds one. Nothing here makes a build fail.
package cache

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/facts"
)

// DefaultSize is the cap of a cache in bytes: the facts of some dozens of
// large repositories.
const DefaultSize = 1 << 29

const (
	// smallPack is the size in bytes below which a pack is merged into others.
	smallPack = 1 << 20
	// touchAfter is how old the time of a pack must be to be set again when it
	// is used: the order in which packs were used need not be more exact.
	touchAfter = time.Hour
	// staleAfter is the age of temporary files that nobody writes any more.
	staleAfter = 24 * time.Hour

	packSuffix = ".kgf"
	tempSuffix = ".tmp"
)

// Cache is an open cache. It is a [facts.Store].
type Cache struct {
	dir       string // of all extractors
	extractor string
	size      int64
	packs     []*pack
}

type pack struct {
	path    string
	size    int64
	used    time.Time
	facts   *artifact.Facts // nil: it cannot be read
	removed bool
}

// Open opens the cache in the folder dir, which need not be there, for facts of
// the extractor. Size is the cap in bytes, 0 means [DefaultSize].
func Open(dir, extractor string, size int64) *Cache {
	if size <= 0 {
		size = DefaultSize
	}
	c := &Cache{dir: dir, extractor: extractor, size: size}
	for _, p := range list(c.folder()) {
		if p.size > size {
			continue // Add removes it
		}
		f, err := artifact.OpenFactsFile(p.path, extractor, artifact.Limits{})
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process was faster
		}
		if err == nil {
			p.facts = f
		}
		c.packs = append(c.packs, p)
	}
	// What was used last is likely to be what is needed now.
	slices.SortStableFunc(c.packs, func(a, b *pack) int { return b.used.Compare(a.used) })
	return c
}

// folder is where the packs of the extractor are.
func (c *Cache) folder() string {
	sum := sha256.Sum256([]byte(c.extractor))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:8]))
}

// list returns the packs of a folder, sorted by name.
func list(folder string) []*pack {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var packs []*pack
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), packSuffix) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil {
			packs = append(packs, &pack{path: filepath.Join(folder, e.Name()), size: info.Size(), used: info.ModTime()})
		}
	}
	return packs
}

// Memory implements [facts.Store].
func (c *Cache) Memory() int64 {
	n := int64(0)
	for _, p := range c.packs {
		if p.facts != nil {
			n += p.facts.Memory()
		}
	}
	return n
}

// Find implements [facts.Store].
func (c *Cache) Find(k facts.Key) (*facts.Content, bool) {
	for _, p := range c.packs {
		if p.facts == nil {
			continue
		}
		if found, ok := p.facts.Find(k); ok {
			return found, true
		}
	}
	return nil, false
}

// Close releases the packs. What was found stays valid.
func (c *Cache) Close() {
	for _, p := range c.packs {
		if p.facts != nil {
			p.facts.Close()
		}
	}
	c.packs = nil
}

// Add keeps contents and makes room. The error says why nothing was kept; it
// is no reason to stop.
func (c *Cache) Add(contents []*facts.Content) error {
	c.dropDamaged()
	if len(contents) == 0 {
		return nil
	}
	if err := os.MkdirAll(c.folder(), 0o700); err != nil {
		return err
	}
	contents, merged := c.merge(contents)
	path, err := c.write(contents)
	if err != nil {
		return err
	}
	for _, p := range merged {
		if p.path != path {
			p.remove()
		}
	}
	c.makeRoom(path)
	return nil
}

// Touch marks the packs that were used, so that they stay.
func (c *Cache) Touch() {
	now := time.Now()
	for _, p := range c.packs {
		if p.facts == nil || now.Sub(p.used) < touchAfter {
			continue
		}
		if found, _ := p.facts.Used(); found > 0 {
			os.Chtimes(p.path, now, now)
		}
	}
}

func (p *pack) remove() {
	p.removed = true
	os.Remove(p.path)
}

func (c *Cache) dropDamaged() {
	for _, p := range c.packs {
		if p.facts == nil || p.facts.Err() != nil {
			p.remove()
		}
	}
}

// merge adds the contents of small packs to contents: first of the smallest,
// as long as a pack is not much larger than all before it. So every content is
// written a number of times that grows with the logarithm of the packs.
func (c *Cache) merge(contents []*facts.Content) ([]*facts.Content, []*pack) {
	total := int64(4 << 10)
	for _, f := range contents {
		total += int64(f.BlockWeight()) / 3 // compressed, about
	}
	small := slices.DeleteFunc(slices.Clone(c.packs), func(p *pack) bool { return p.removed || p.size >= smallPack })
	slices.SortStableFunc(small, func(a, b *pack) int { return cmp.Compare(a.size, b.size) })
	var merged []*pack
	for _, p := range small {
		if p.size > 2*total {
			break
		}
		old := p.facts.All()
		if p.facts.Err() != nil {
			p.remove()
			continue
		}
		contents, merged, total = append(contents, old...), append(merged, p), total+p.size
	}
	return contents, merged
}

// write makes a pack. Its name depends on what it holds alone, so that
// processes that do the same make one file.
func (c *Cache) write(contents []*facts.Content) (string, error) {
	contents = slices.Clone(contents)
	slices.SortStableFunc(contents, func(a, b *facts.Content) int {
		return cmp.Or(cmp.Compare(a.Lang, b.Lang), slices.Compare(a.Hash[:], b.Hash[:]), cmp.Compare(a.Manifest, b.Manifest))
	})
	name := sha256.New()
	for _, f := range contents {
		name.Write([]byte(f.Lang + "\x00" + f.Manifest + "\x00"))
		name.Write(f.Hash[:])
	}
	path := filepath.Join(c.folder(), hex.EncodeToString(name.Sum(nil)[:12])+packSuffix)
	temp := filepath.Join(c.folder(), rand.Text()[:16]+tempSuffix)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = artifact.WritePack(w, c.extractor, contents)
	if err == nil {
		err = w.Flush()
	}
	// Without a sync: a pack that a power failure damages has a wrong checksum.
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
	}
	return path, err
}

// makeRoom removes packs of any extractor, those that were not used for longest
// first, until the others are below the cap, and what dead processes have left.
// The pack that was just written is the last to go.
func (c *Cache) makeRoom(written string) {
	folders, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var packs []*pack
	total := int64(0)
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		folder := filepath.Join(c.dir, f.Name())
		dropTemps(folder)
		found := list(folder)
		if len(found) == 0 && folder != c.folder() {
			os.Remove(folder) // only if it is empty
		}
		for _, p := range found {
			total += p.size
		}
		packs = append(packs, found...)
	}
	slices.SortStableFunc(packs, func(a, b *pack) int { return a.used.Compare(b.used) })
	for _, p := range packs {
		if total <= c.size {
			return
		}
		if p.path != written {
			p.remove()
			total -= p.size
		}
	}
	if total > c.size {
		os.Remove(written)
	}
}

func dropTemps(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), tempSuffix) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}
