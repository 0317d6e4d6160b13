// Package analyzer turns a tree of files into its graph: it reads each file of
// a known language once, extracts its facts, and links all facts.
//
// [Build] is the whole of it. The graph is a function of the tree alone:
// neither the number of workers nor what a [Memo] holds changes it.
package analyzer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
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

// Options are how a graph is built; none of them changes the graph.
type Options struct {
	Workers  int                   // files read at the same time; 0: one for each processor
	Memo     *Memo                 // facts shared with other builds; nil: none
	Progress func(done, total int) // called from many goroutines; nil: never
}

// maxLink bounds the length of a symbolic link's target, in bytes.
const maxLink = 4096

// maxManifest bounds the size of manifests, in bytes.
const maxManifest = 4 << 20

// Build returns the graph of a tree. What cannot be read or parsed is an
// unknown of the graph; the error is ctx's, or a failure of the machine.
func Build(ctx context.Context, tree source.Tree, o Options) (*graph.Graph, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	b := &build{Options: o, tree: tree}
	b.classify()
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	in := link.Input{Workers: o.Workers, Skipped: b.skipped.list(), Unknowns: b.gaps()}
	digest := sha256.New()
	for i := range b.jobs {
		j := &b.jobs[i]
		in.Unknowns = append(in.Unknowns, j.unknowns()...)
		digest.Write([]byte(j.path))
		digest.Write([]byte{0})
		digest.Write(j.parsed.hash[:])
		if j.parsed.facts == nil {
			continue
		}
		in.Files = append(in.Files, link.File{Path: j.path, Facts: j.parsed.facts, Hash: j.parsed.hash,
			Size: j.parsed.size, Rules: j.lang.Rules})
	}
	if err := b.embeds(ctx, &in); err != nil {
		return nil, err
	}
	for _, a := range in.Assets {
		digest.Write([]byte(a.Path))
		digest.Write([]byte{0})
		digest.Write(a.Hash[:])
	}
	in.Tree = graph.Hash(digest.Sum(nil)[:16])
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
	path   string
	entry  int
	id     string // hash of the content in git, if known
	lang   *lang.Language
	role   lang.Role
	parsed parsed
}

// parsed is what a file's content says, whatever its path.
type parsed struct {
	facts   *facts.File // nil: not analysed
	hash    [32]byte
	size    int64
	unknown []graph.Unknown // without path
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
	var next, done atomic.Int64
	p := pool.New().WithErrors().WithFirstError().WithMaxGoroutines(b.Workers)
	for range b.Workers {
		p.Go(func() error {
			w := &worker{build: b, parser: syntax.NewParser()}
			defer w.parser.Close()
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(b.jobs) {
					return nil
				}
				if err := w.job(&b.jobs[i]); err != nil {
					next.Store(int64(len(b.jobs)))
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

// worker reads one file after the other.
type worker struct {
	*build
	parser *syntax.Parser
	facts  facts.Builder
}

func (w *worker) job(j *job) error {
	if j.id != "" {
		if p, ok := w.Memo.get(memoKey{j.lang.Name, j.role, j.manifestName(), j.id}); ok {
			j.parsed = p
			return nil
		}
	}
	src, err := w.tree.Read(j.entry, int64(max(maxManifest, w.parser.Limits.Bytes)))
	if err != nil {
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
	j.parsed.hash, j.parsed.size = sha256.Sum256(src), int64(len(src))
	if err := w.parse(j, src); err != nil {
		return err
	}
	if j.id != "" {
		w.Memo.put(memoKey{j.lang.Name, j.role, j.manifestName(), j.id}, j.parsed)
	}
	return nil
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

func (j *job) manifestName() string {
	if j.role == lang.Manifest {
		return path.Base(j.path)
	}
	return ""
}

func (j *job) fail(r graph.Reason, detail string) {
	j.parsed.unknown = append(j.parsed.unknown, graph.Unknown{Reason: r, Detail: detail})
}

func (j *job) unknowns() []graph.Unknown {
	us := make([]graph.Unknown, len(j.parsed.unknown))
	for i, u := range j.parsed.unknown {
		u.File = j.path
		us[i] = u
	}
	return us
}

func (w *worker) parse(j *job, src []byte) error {
	w.facts.Reset()
	if j.role == lang.Manifest {
		f, err := j.lang.Manifest(path.Base(j.path), src, &w.facts)
		if err != nil {
			j.fail(graph.ReasonConfiguration, err.Error())
			return nil
		}
		j.parsed.facts = f
		return nil
	}
	if bytes.IndexByte(src, 0) >= 0 {
		j.fail(graph.ReasonBinary, "")
		return nil
	}
	if !utf8.Valid(src) {
		j.fail(graph.ReasonEncoding, "")
	}
	t, err := w.parser.Parse(j.lang.Grammar(), src)
	if err != nil {
		var limit *syntax.LimitError
		if !errors.As(err, &limit) {
			return err
		}
		j.fail(limitReasons[limit.Reason], "")
		return nil
	}
	j.parsed.facts = j.lang.Extract(t, &w.facts)
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
