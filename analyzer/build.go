// Package analyzer turns a tree of files into its graph: it reads each file of
// a known language once, extracts its facts, and links all facts.
//
// [Build] is the whole of it. The graph is a function of the tree alone:
// neither the number of workers nor what a [Memo] holds changes it.
package analyzer

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"runtime"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/sourcegraph/conc/pool"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/lang/all"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/analyzer/syntax"
)

// Options are how a graph is built. None of them changes the graph, but for
// the contents that a guard refuses.
type Options struct {
	Workers  int                   // files read at the same time; 0: one for each processor
	Memo     *Memo                 // facts shared with other builds; nil: none
	Shuffle  uint64                // not 0: read files in an order of chance, to show that it does not matter
	Progress func(done, total int) // called once with 0, then from many goroutines; nil: never
	Guard    Guard                 // nil: nobody stands by

	WholeLibraries bool // see [link.Input]: to show that it does not matter
}

// maxLink bounds the length of a symbolic link's target, in bytes.
const maxLink = 4096

// maxManifest bounds the size of manifests, in bytes.
const maxManifest = 4 << 20

// Extractors names the versions of everything that facts depend on. Facts that
// other extractors made are not those that this program would make.
func Extractors() string {
	v := fmt.Sprintf("facts %d, limits %v", facts.CodecVersion, syntax.DefaultLimits())
	for _, l := range all.Languages {
		v += fmt.Sprintf(", %s %d", l.Name, l.Version)
	}
	return v
}

// Build returns the graph of a tree. What cannot be read or parsed is an
// unknown of the graph; the error is ctx's, or a failure of the machine.
func Build(ctx context.Context, tree source.Tree, o Options) (*graph.Graph, error) {
	r, err := Read(ctx, tree, o)
	if err != nil {
		return nil, err
	}
	b, err := r.Link(ctx)
	if err != nil {
		return nil, err
	}
	return b.Build(), nil
}

// Reading is what the files of a tree say, each by itself.
type Reading struct{ build }

// Read reads the files of a tree, or takes from the memo what is known of
// their contents. Errors are those of [Build].
func Read(ctx context.Context, tree source.Tree, o Options) (*Reading, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	r := &Reading{build: build{Options: o, tree: tree}}
	r.classify()
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// Contents returns what the files say, in the order of their paths. Files that
// could not be read are left out: another attempt may succeed.
func (r *Reading) Contents() []*facts.Content {
	cs := make([]*facts.Content, 0, len(r.jobs))
	for i := range r.jobs {
		if !r.jobs[i].failed {
			cs = append(cs, r.jobs[i].content)
		}
	}
	return cs
}

// Link returns what the graph is built of. It lets go of what the files say, which is
// most of the memory that a build takes: who needs that asks for Contents before.
func (r *Reading) Link(ctx context.Context) (*graph.Builder, error) {
	in := link.Input{Workers: r.Workers, WholeLibraries: r.WholeLibraries, Skipped: r.skipped.list(), Unknowns: r.gaps()}
	digest := sha256.New()
	for i := range r.jobs {
		j := &r.jobs[i]
		in.Unknowns = append(in.Unknowns, j.unknowns()...)
		digest.Write([]byte(j.path))
		digest.Write([]byte{0})
		digest.Write(j.content.Hash[:])
		if c := j.content; c.Facts != nil {
			in.Files = append(in.Files, link.File{Path: j.path, Facts: c.Facts, Hash: c.Hash, Size: c.Size, Rules: j.lang.Rules})
		}
	}
	if err := r.embeds(ctx, &in); err != nil {
		return nil, err
	}
	for _, a := range in.Assets {
		digest.Write([]byte(a.Path))
		digest.Write([]byte{0})
		digest.Write(a.Hash[:])
	}
	in.Tree = graph.Hash(digest.Sum(nil)[:16])
	r.jobs = nil
	return link.Link(ctx, in)
}

type build struct {
	Options
	tree    source.Tree
	jobs    []job // sorted by path, as the tree's entries
	skipped skippedCounter
}

// job is one file that is read.
type job struct {
	path  string
	entry int
	id    string // hash of the content in git, if known
	lang  *lang.Language
	role  lang.Role
	// content says what is in the file; its unknowns have no path.
	content *facts.Content
	failed  bool // the file could not be read, or kills its reader
}

func (b *build) classify() {
	entries := b.tree.Entries()
	for i, e := range entries {
		if e.Mode == source.Symlink {
			if to := b.linked(i); to >= 0 {
				i, e.ID, e.Mode = to, entries[to].ID, entries[to].Mode
			}
		}
		if !e.Mode.IsFile() {
			continue
		}
		l, role := languageOf(e.Path)
		if l == nil {
			b.skipped.add(e.Path)
			continue
		}
		b.jobs = append(b.jobs, job{path: e.Path, entry: i, id: e.ID, lang: l, role: role})
	}
}

// linked returns the entry that a symbolic link to a source file of the same
// tree stands for, or -1. Compilers read such a file under both names. Only
// the tree's own entries are looked at, never the disk, and only one link is
// followed.
func (b *build) linked(i int) int {
	entries := b.tree.Entries()
	if l, _ := languageOf(entries[i].Path); l == nil {
		return -1
	}
	target, err := b.tree.Read(i, maxLink)
	if err != nil || path.IsAbs(string(target)) {
		return -1
	}
	to, ok := source.Find(entries, path.Join(path.Dir(entries[i].Path), string(target)))
	if !ok || !entries[to].Mode.IsFile() {
		return -1
	}
	return to
}

func languageOf(p string) (*lang.Language, lang.Role) {
	for _, l := range all.Languages {
		if r := l.Role(p); r != lang.NotMine {
			return l, r
		}
	}
	return nil, lang.NotMine
}

func (b *build) read(ctx context.Context) error {
	var done atomic.Int64
	if b.Progress != nil {
		b.Progress(0, len(b.jobs))
	}
	jobs := newShares(len(b.jobs), b.Workers)
	var order []int
	if b.Shuffle != 0 {
		order = rand.New(rand.NewPCG(b.Shuffle, 0)).Perm(len(b.jobs))
	}
	p := pool.New().WithErrors().WithFirstError().WithMaxGoroutines(b.Workers)
	for n := range b.Workers {
		p.Go(func() error {
			w := &worker{build: b, parser: syntax.NewParser()}
			defer w.parser.Close()
			for ctx.Err() == nil {
				i := jobs.next(n)
				if i < 0 {
					return nil
				}
				if order != nil {
					i = order[i]
				}
				if err := w.job(&b.jobs[i]); err != nil {
					jobs.stop()
					return err
				}
				if b.Progress != nil {
					b.Progress(int(done.Add(1)), len(b.jobs))
				}
			}
			return ctx.Err()
		})
	}
	return p.Wait()
}

// shares hands out the numbers below n. Each worker has a share of adjacent
// ones, because neighbours are stored together, and takes from others when it
// has done its own.
type shares struct {
	lo   []atomic.Int64 // by worker: the next number
	ends []int64
}

func newShares(n, workers int) *shares {
	s := &shares{lo: make([]atomic.Int64, workers), ends: make([]int64, workers)}
	for w := range workers {
		s.lo[w].Store(int64(n * w / workers))
		s.ends[w] = int64(n * (w + 1) / workers)
	}
	return s
}

// next returns a number that nobody has yet, or -1.
func (s *shares) next(worker int) int {
	for k := range s.lo {
		w := (worker + k) % len(s.lo)
		if i := s.lo[w].Add(1) - 1; i < s.ends[w] {
			return int(i)
		}
	}
	return -1
}

// stop leaves nothing to hand out.
func (s *shares) stop() {
	for w := range s.lo {
		s.lo[w].Store(s.ends[w])
	}
}

// worker reads one file after the other.
type worker struct {
	*build
	parser *syntax.Parser
	facts  facts.Builder
}

func (w *worker) job(j *job) error {
	key := facts.Key{Lang: j.lang.Name}
	if j.role == lang.Manifest {
		key.Manifest = path.Base(j.path)
	} else if j.lang.Dialect != nil {
		key.Manifest, _ = j.lang.GrammarOf(j.path)
	}
	// The tree vouches for the ID: equal blobs need not be read.
	blob := blobID(j.id)
	named := blob != nil
	if named {
		key.ID = string(blob)
		if c, ok := w.Memo.get(key); ok {
			j.content = c
			return nil
		}
	}
	j.content = &facts.Content{Lang: key.Lang, Manifest: key.Manifest}
	src, err := w.tree.Read(j.entry, int64(max(maxManifest, w.parser.Limits.Bytes)))
	if err != nil {
		j.failed = true
		var large *source.TooLargeError
		if errors.As(err, &large) {
			j.fail(graph.ReasonTooLarge, "")
		} else if errors.Is(err, source.ErrMissingObject) {
			j.fail(graph.ReasonMissingObject, "")
		} else {
			j.fail(graph.ReasonUnreadable, plainCause(err))
		}
		return nil
	}
	j.content.Hash, j.content.Size = sha256.Sum256(src), int64(len(src))
	if !named {
		if c, ok := w.Memo.get(j.content.ByHash()); ok {
			j.content = c
			return nil
		}
		blob = hashBlob(src)
	}
	j.content.Blob = [sha1.Size]byte(blob)
	if err := w.guarded(j, src); err != nil {
		return err
	}
	if !j.failed {
		w.Memo.put(j.content, true)
	}
	return nil
}

// blobID returns the SHA-1 that the ID of a tree's entry is, or nil.
func blobID(id string) []byte {
	blob, err := hex.DecodeString(id)
	if err != nil || len(blob) != sha1.Size {
		return nil
	}
	return blob
}

// hashBlob returns the ID that git gives a content.
func hashBlob(content []byte) []byte {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return h.Sum(nil)
}

// plainCause says why a file could not be read without naming a path of this
// machine, which would make the graph depend on it.
func plainCause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return ""
}

func (j *job) fail(r graph.Reason, detail string) {
	j.content.Unknowns = append(j.content.Unknowns, graph.Unknown{Reason: r, Detail: detail})
}

func (j *job) unknowns() []graph.Unknown {
	us := make([]graph.Unknown, len(j.content.Unknowns))
	for i, u := range j.content.Unknowns {
		u.File = j.path
		us[i] = u
	}
	return us
}

// guarded parses a file while the guard stands by. What a crash says of a
// content is for this run only: no memo or store gets it.
func (w *worker) guarded(j *job, src []byte) error {
	if w.Guard == nil {
		return w.parse(j, src)
	}
	if !w.Guard.Enter(j.path, j.content.Hash) {
		j.failed = true
		j.fail(graph.ReasonParserCrash, "")
		return nil
	}
	defer func() {
		p := recover()
		if p != nil {
			w.facts = facts.Builder{}
			j.failed, j.content.Facts, j.content.Unknowns = true, nil, nil
			j.fail(graph.ReasonParserCrash, "")
		}
		w.Guard.Leave(j.path, j.content.Hash, p)
	}()
	return w.parse(j, src)
}

func (w *worker) parse(j *job, src []byte) error {
	w.facts.Reset()
	if j.role == lang.Manifest {
		f, err := j.lang.Manifest(path.Base(j.path), src, &w.facts)
		if err != nil {
			j.fail(graph.ReasonConfiguration, err.Error())
			return nil
		}
		j.content.Facts = f
		return nil
	}
	// Literals may hold NULs, which end what the parser reads: another character
	// that means nothing stands for them. What does not parse then is no text.
	nul := bytes.IndexByte(src, 0) >= 0
	switch valid := utf8.Valid(src); {
	case nul && !valid:
		j.fail(graph.ReasonBinary, "")
		return nil
	case nul:
		src = bytes.ReplaceAll(src, []byte{0}, []byte{1})
	case !valid:
		j.fail(graph.ReasonEncoding, "")
	}
	_, grammar := j.lang.GrammarOf(j.path)
	t, err := w.parser.Parse(grammar, src)
	if err != nil {
		var limit *syntax.LimitError
		if !errors.As(err, &limit) {
			return err
		}
		reason := limitReasons[limit.Reason]
		if nul {
			reason = graph.ReasonBinary
		}
		j.fail(reason, "")
		return nil
	}
	if nul && t.Nodes[t.Root()].Flags&syntax.HasError != 0 {
		j.fail(graph.ReasonBinary, "")
		return nil
	}
	j.content.Facts = j.lang.Extract(t, &w.facts)
	return nil
}

var limitReasons = map[syntax.Reason]graph.Reason{
	syntax.TooLarge:         graph.ReasonTooLarge,
	syntax.LineTooLong:      graph.ReasonLongLine,
	syntax.AllocationBudget: graph.ReasonParseBudget,
	syntax.LexBudget:        graph.ReasonParseBudget,
	syntax.MemoryLimit:      graph.ReasonParseBudget,
	syntax.NodeLimit:        graph.ReasonNodeLimit,
	syntax.DepthLimit:       graph.ReasonDepthLimit,
}

// gaps returns the unknowns of what the tree itself could not list.
func (b *build) gaps() []graph.Unknown {
	var us []graph.Unknown
	for _, g := range b.tree.Gaps() {
		us = append(us, graph.Unknown{Reason: graph.ReasonUnreadable, File: g.Path, Detail: strings.ReplaceAll(string(g.Reason), "-", " ")})
	}
	for _, e := range b.tree.Entries() {
		if e.Mode == source.Submodule {
			us = append(us, graph.Unknown{Reason: graph.ReasonSubmodule, File: e.Path})
		}
	}
	return us
}
