package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/source"
)

// origin says what a side was made from. The list is closed: reports name it.
type origin string

const (
	fromGraph    origin = "graph"
	fromRevision origin = "revision"
	fromWorkTree origin = "worktree"
	fromIndex    origin = "index"
	fromFolder   origin = "folder"
)

// side is a tree or a graph that a command works on: the base of a comparison,
// its head, or the only one.
type side struct {
	name   string // for people, as the user named it
	origin origin
	commit history.Commit // of a revision; what a work tree or an index stands on; or zero
	tree   source.Tree    // nil for a graph file
	graph  *graph.Graph   // of a graph file; for others, once built
	owns   *repository    // closed with the side
}

func (s *side) close() {
	if s == nil {
		return
	}
	if s.tree != nil {
		s.tree.Close()
	}
	if s.owns != nil {
		s.owns.close()
	}
}

// top returns the folder that the paths of a tree on disk begin in.
func (s *side) top() string {
	if s.origin == fromFolder {
		return s.name
	}
	if s.owns != nil && s.owns.used != nil {
		return s.owns.used.Root()
	}
	return "."
}

// repository is the git repository around the current folder, opened when it
// is needed.
type repository struct {
	dir  string
	open func() (*source.Repo, error)
	used *source.Repo
}

func repositoryAt(dir string) *repository {
	r := &repository{dir: dir}
	r.open = sync.OnceValues(func() (*source.Repo, error) {
		repo, err := source.OpenRepo(dir)
		if err == nil {
			r.used = repo
		}
		return repo, err
	})
	return r
}

func (r *repository) close() {
	if r.used != nil {
		r.used.Close()
	}
}

// workTree opens the files on disk. A repository without commits has no commit
// to stand on.
func (r *repository) workTree() (*side, error) {
	repo, err := r.open()
	if err != nil {
		return nil, err
	}
	s := &side{name: "the work tree", origin: fromWorkTree}
	if s.commit, err = headCommit(repo); err != nil {
		return nil, err
	}
	if s.tree, err = repo.WorkTree(); err != nil {
		return nil, err
	}
	return s, nil
}

func (r *repository) staged() (*side, error) {
	repo, err := r.open()
	if err != nil {
		return nil, err
	}
	s := &side{name: "the index", origin: fromIndex}
	if s.commit, err = headCommit(repo); err != nil {
		return nil, err
	}
	if s.tree, err = repo.Staged(); err != nil {
		return nil, err
	}
	return s, nil
}

// headCommit returns the commit that is checked out, or none before the first.
func headCommit(repo *source.Repo) (history.Commit, error) {
	head, err := repo.Head()
	if err != nil || head.ID == "" {
		return history.Commit{}, err
	}
	return repo.Commit(head.ID)
}

func (r *repository) revision(rev string) (*side, error) {
	repo, err := r.open()
	if err != nil {
		return nil, err
	}
	c, err := repo.Resolve(rev)
	if err != nil {
		return nil, err
	}
	return r.commit(rev, c)
}

func (r *repository) commit(name string, c history.Commit) (*side, error) {
	repo, err := r.open()
	if err != nil {
		return nil, err
	}
	t, err := repo.Revision(c)
	if err != nil {
		return nil, err
	}
	return &side{name: name, origin: fromRevision, commit: c, tree: t}, nil
}

// hideBy opens a tree once more, as the .kgignore files of a commit show it.
func (s *side) hideBy(r *repository, by history.Commit) error {
	repo, err := r.open()
	if err != nil {
		return err
	}
	ignores, err := repo.Ignores(by)
	if err != nil {
		return err
	}
	if repo, err = cmp.Or(s.owns, r).open(); err != nil {
		return err
	}
	var seen source.Tree
	switch s.origin {
	case fromRevision:
		seen, err = repo.RevisionHiddenBy(s.commit, ignores)
	case fromWorkTree:
		seen, err = repo.WorkTreeHiddenBy(ignores)
	case fromIndex:
		seen, err = repo.StagedHiddenBy(ignores)
	default:
		return nil // not of a repository
	}
	if err == nil {
		s.tree.Close()
		s.tree = seen
	}
	return err
}

// folder opens a folder: as a work tree if it is the top of one, otherwise the
// files in it as they are.
func folder(dir string) (*side, error) {
	repo := repositoryAt(dir)
	r, err := repo.open()
	if err == nil && (sameFolder(r.Root(), dir) || r.Root() == "" && sameFolder(r.GitDir(), dir)) {
		s, err := repo.workTree()
		if err != nil {
			repo.close()
			return nil, err
		}
		s.name, s.owns = dir, repo
		return s, nil
	}
	repo.close()
	if err != nil && !errors.Is(err, source.ErrNotRepository) {
		return nil, err
	}
	t, err := source.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return &side{name: dir, origin: fromFolder, tree: t}, nil
}

func sameFolder(a, b string) bool {
	if a == "" {
		return false
	}
	ai, err := os.Stat(a)
	if err != nil {
		return false
	}
	bi, err := os.Stat(b)
	return err == nil && os.SameFile(ai, bi)
}

// graphFile reads a graph file.
func graphFile(path string, lim artifact.Limits) (*side, error) {
	if info, err := os.Stat(path); err == nil {
		beginReading(os.Getenv, info.Size())
	}
	g, err := artifact.ReadFile(path, lim)
	if err != nil {
		return nil, &failure{text: "cannot read " + quote(path), err: plain(err)}
	}
	return &side{name: path, origin: fromGraph, graph: g}, nil
}

// plain drops the path that a message has named already.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// operand opens what a user names in one word. In this order it is: a graph
// file, if it is called so (*.kg); a folder, if it is written as one (., ../x,
// /x); a revision; a graph file or a folder of that name.
func (r *repository) operand(name string) (*side, error) {
	info, statErr := os.Stat(name)
	isDir := statErr == nil && info.IsDir()
	switch {
	case name == "":
		return nil, &failure{text: "the name of a revision, a graph file or a folder is empty"}
	case strings.HasSuffix(name, ".kg") && !isDir:
		return graphFile(name, artifact.Limits{})
	case isDir && writtenAsPath(name):
		return folder(name)
	}
	s, err := r.revision(name)
	if err == nil || statErr != nil || !errors.Is(err, source.ErrUnknownRevision) && !errors.Is(err, source.ErrNotRepository) {
		return s, err
	}
	if isDir {
		return folder(name)
	}
	return graphFile(name, artifact.Limits{})
}

func writtenAsPath(name string) bool {
	return name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") ||
		filepath.IsAbs(name)
}

// build makes the graph of a side that has none. read, if it is not nil, is
// called when the files have been read and linking begins. It reports whether somebody
// will need what they say once the graph is there.
func (a *app) build(ctx context.Context, s *side, memo *analyzer.Memo, p *part, read func(*analyzer.Reading) bool) error {
	if s.graph != nil {
		return nil
	}
	r, err := analyzer.Read(ctx, s.tree, analyzer.Options{Workers: a.workers, Memo: memo, Guard: a.guard, Progress: func(done, total int) {
		if done == 0 {
			expectFacts(a.getenv, total, memo.Memory())
		}
		p.at(done, total)
	}})
	if err != nil {
		return err
	}
	needed := read == nil || read(r)
	b, err := r.Link(ctx)
	if err != nil {
		return err
	}
	if !needed {
		collectFacts(a.getenv)
	}
	s.graph = b.Build()
	p.finished()
	return nil
}

// buildOne makes the graph of the only side that a command works on.
func (a *app) buildOne(ctx context.Context, s *side) error {
	if s.graph == nil {
		if err := a.buildApart(ctx, s); !errors.Is(err, errNoChild) {
			return err
		}
	}
	e := a.earlier(ctx, "")
	defer e.end()
	return a.buildFrom(ctx, s, e, nil)
}

// buildFrom makes the graph of the only side that a command works on from what
// is known. It puts what the files say into contents, if that is not nil.
func (a *app) buildFrom(ctx context.Context, s *side, e *earlier, contents *[]*facts.Content) error {
	p := a.progress()
	defer p.end()
	return a.build(ctx, s, e.memo, p.part("files"), func(r *analyzer.Reading) bool {
		if contents != nil {
			*contents = r.Contents()
		}
		e.release()
		return contents != nil
	})
}

// buildBoth makes the graphs of two sides. They share a memo, so that the head
// parses only what differs: it waits until the base has been read, and is read
// and linked while the base is linked.
func (a *app) buildBoth(ctx context.Context, base, head *side, e *earlier, p *progress) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg      sync.WaitGroup
		read    = make(chan struct{})
		hasRead = sync.OnceFunc(func() { close(read) })
	)
	one, two := p.part("base"), p.part("head")
	defer e.store()
	wg.Go(func() {
		defer hasRead()
		if err := a.build(ctx, base, e.memo, one, func(*analyzer.Reading) bool { hasRead(); return true }); err != nil {
			cancel(err)
		}
	})
	wg.Go(func() {
		<-read
		if err := a.build(ctx, head, e.memo, two, nil); err != nil {
			cancel(err)
		}
	})
	wg.Wait()
	return context.Cause(ctx)
}
