package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
	"github.com/codekg/kg/analyzer/search"
	"github.com/codekg/kg/analyzer/source"
)

// graphFlags say which graph a question is about, and where its source is.
type graphFlags struct {
	graph string // a graph file
	ref   string // a revision
	root  string // the folder that the files of a graph file are in
	bare  bool   // of a graph file: without what says nothing of relations
}

func (f *graphFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.graph, "graph", "", "ask the graph `FILE` instead of the files on disk")
	fs.StringVar(&f.ref, "ref", "", "ask about the revision `REV` instead of the files on disk")
	fs.StringVar(&f.root, "root", "", "the files of --graph are in `DIR` (default: the top of the repository)")
}

// graphHelp tells what the flags of graphFlags mean, for help texts.
const graphHelp = `The graph is that of the files on disk, of a revision (--ref) or of a graph file
made by kg build (--graph), which answers at once. Source lines are read from the
same place; those of a graph file from the repository around the current folder,
and it is said where a file has changed since.`

// session is one graph that is asked, with its source.
type session struct {
	*side
	file  string // of a graph file
	index *query.Index
	repo  *repository
	lines *lineReader
	fresh freshness

	// Of a graph file: when it was written, and how its files on disk were when
	// they were last looked at.
	written time.Time
	stamp   uint64

	wordsOnce sync.Once
	wordIndex *search.Index

	databaseLock sync.Mutex
	databaseOf   *sessionDatabase
}

// freshness says how the files of a graph compare with those on disk.
type freshness struct {
	Checked  bool     `json:"checked"`            // there was something to compare with: most files are where the graph has them
	Changed  int      `json:"changed"`            // files that differ from what the graph was made of
	Missing  int      `json:"missing"`            // files that are not there any more
	Examples []string `json:"examples,omitempty"` // some of both

	differ []string // all of both, by path
}

// String says it in a line, or nothing if the graph is up to date.
func (f freshness) String() string {
	if f.Changed+f.Missing == 0 {
		return ""
	}
	var said []string
	if f.Changed > 0 {
		said = append(said, plural(f.Changed, "file")+" changed")
	}
	if f.Missing > 0 {
		said = append(said, plural(f.Missing, "file")+" gone")
	}
	return "the graph is older than the tree: " + strings.Join(said, ", ") + " since"
}

// openSession opens the graph of the flags, and builds it if need be.
func (a *app) openSession(ctx context.Context, f *graphFlags) (*session, error) {
	if f.graph != "" && f.ref != "" {
		return nil, usage("--graph and --ref are both given: a graph file has no revisions")
	}
	s := &session{repo: repositoryAt(".")}
	var err error
	switch {
	case f.graph != "":
		s.file = f.graph
		s.side, err = graphFile(f.graph, artifact.Limits{Bare: f.bare})
	case f.ref != "":
		s.side, err = s.repo.revision(f.ref)
	default:
		s.side, err = s.repo.workTree()
		if errors.Is(err, source.ErrNotRepository) {
			s.side, err = folder(".")
		}
	}
	if err != nil {
		s.repo.close()
		return nil, err
	}
	if err := a.buildOne(ctx, s.side); err != nil {
		s.close()
		return nil, err
	}
	s.index = query.New(s.graph)
	s.lines = &lineReader{g: s.graph, tree: s.tree, seen: map[string]*sourceFile{}}
	if s.tree == nil {
		if err := s.openRoot(f); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// openRoot finds the files of a graph file. Without any that is there, answers
// have no source lines.
func (s *session) openRoot(f *graphFlags) error {
	dir := f.root
	if dir == "" {
		dir = "."
		if repo, err := s.repo.open(); err == nil && repo.Root() != "" {
			dir = repo.Root()
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return &failure{text: "cannot read the folder " + quote(dir), err: plain(err)}
	}
	if info, err := os.Stat(f.graph); err == nil {
		s.written = info.ModTime()
	}
	s.fresh = compareFiles(root, s.graph, s.written)
	if f.root == "" && !s.fresh.Checked {
		return root.Close()
	}
	s.lines.root = root
	return nil
}

// compareFiles finds out which files of a graph are not on disk as they were.
// Only files of another size and those written after the graph are read. It
// gives up if none of the first files is there: they are elsewhere.
func compareFiles(root *os.Root, g *graph.Graph, written time.Time) freshness {
	const probe, examples = 50, 5
	var f freshness
	note := func(count *int, path string) {
		f.differ = append(f.differ, path)
		if *count++; len(f.Examples) < examples {
			f.Examples = append(f.Examples, path)
		}
	}
	for i := range g.Files {
		x := &g.Files[i]
		info, err := root.Lstat(x.Path)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			f.Checked = true
			continue
		}
		switch {
		case err != nil || !info.Mode().IsRegular():
			note(&f.Missing, x.Path)
		case info.Size() == x.Size && !info.ModTime().After(written):
			f.Checked = true
		default:
			f.Checked = true
			if data, err := readRoot(root, x.Path); err != nil || !sameContent(data, x) {
				note(&f.Changed, x.Path)
			}
		}
		if i+1 == min(probe, len(g.Files)) && !f.Checked {
			return freshness{}
		}
	}
	if 2*f.Missing > len(g.Files) {
		return freshness{} // of another tree
	}
	return f
}

// sameContent reports whether data is what a file was when the graph was made,
// line ends aside: a graph has those of a commit.
func sameContent(data []byte, f *graph.File) bool {
	if sha256.Sum256(data) == f.Hash {
		return true
	}
	s := string(data)
	return strings.Contains(s, "\r\n") && sha256.Sum256([]byte(strings.ReplaceAll(s, "\r\n", "\n"))) == f.Hash
}

// age is what is known of the age of a graph file; other graphs are new.
func (s *session) age() *freshness {
	if s.tree != nil {
		return nil
	}
	return &s.fresh
}

// tellAge notes that a graph file is older than the tree, and returns what is
// known of that.
func (a *app) tellAge(s *session) *freshness {
	if stale := s.fresh.String(); stale != "" {
		a.note("%s", stale)
	}
	return s.age()
}

// aged puts before Markdown, which is handed on, that its graph is older than
// the tree.
func aged(w io.Writer, age *freshness, say func(io.Writer) error) error {
	if age != nil && age.String() != "" {
		if _, err := fmt.Fprintf(w, "> %s\n\n", age); err != nil {
			return err
		}
	}
	return say(w)
}

// look compares the files on disk with a graph file again, if they are not as
// they were when that was last done. Nobody else may use the session meanwhile.
func (s *session) look() {
	if s.lines.root == nil {
		return
	}
	if stamp := filesStamp(s.lines.root, s.graph); stamp != s.stamp {
		s.stamp = stamp
		s.fresh = compareFiles(s.lines.root, s.graph, s.written)
		s.lines.forget()
	}
}

// filesStamp changes when the size or the time of a file of a graph does.
func filesStamp(root *os.Root, g *graph.Graph) uint64 {
	h := fnv.New64a()
	for i := range g.Files {
		var b [16]byte
		if info, err := root.Lstat(g.Files[i].Path); err == nil {
			binary.LittleEndian.PutUint64(b[:], uint64(info.Size()))
			binary.LittleEndian.PutUint64(b[8:], uint64(info.ModTime().UnixNano()))
		}
		h.Write(b[:])
	}
	return h.Sum64()
}

func (s *session) close() {
	if s == nil {
		return
	}
	if s.databaseOf != nil {
		s.databaseOf.db.Close()
	}
	if s.lines != nil && s.lines.root != nil {
		s.lines.root.Close()
	}
	s.side.close()
	s.repo.close()
}

// ask answers one request, with source lines if context is not negative.
func (a *app) ask(ctx context.Context, s *session, r query.Request, context int) (*query.Answer, error) {
	answer, err := a.answer(ctx, s, r)
	if err != nil {
		return nil, asUsage(err)
	}
	if context >= 0 {
		s.lines.enrich(answer, min(context, maxContextLines))
	}
	return answer, nil
}

// answer puts the questions that need more than the graph beside those that do
// not.
func (a *app) answer(ctx context.Context, s *session, r query.Request) (*query.Answer, error) {
	for _, q := range questions {
		if q.name == strings.ReplaceAll(r.Op, "-", "_") {
			return q.do(a, ctx, s, r)
		}
	}
	if err := knownQuestion(r.Op); err != nil {
		return nil, err
	}
	return s.index.Ask(r)
}

// knownQuestion returns a [*query.RequestError] if there is no such question.
func knownQuestion(name string) error {
	if slices.Contains(questionNames(), strings.ReplaceAll(name, "-", "_")) {
		return nil
	}
	return &query.RequestError{Text: fmt.Sprintf("there is no question %s; there are %s", quote(name), strings.Join(questionNames(), ", "))}
}

// asUsage makes an error of a request one of the command line.
func asUsage(err error) error {
	var wrong *query.RequestError
	if errors.As(err, &wrong) {
		return usage(wrong.Text)
	}
	return err
}

// question is one that needs more than the graph.
type question struct {
	name, doc string
	do        func(*app, context.Context, *session, query.Request) (*query.Answer, error)
}

var questions = []question{
	{"impact", "what a change of it would reach (--change signature, remove or body)", (*app).askImpact},
	{"co_changes", "the files that usually change together with its file", (*app).askCochanges},
	{"owners", "who owns its file, or the files of a package, by CODEOWNERS", (*app).askOwners},
	{"decisions", "the records of decisions (docs/adr, docs/decisions …) that name it, its type, its file or its package; of the module: all", (*app).askDecisions},
}

func questionNames() []string {
	names := query.OpNames()
	for _, q := range questions {
		names = append(names, q.name)
	}
	return names
}

// lineReader reads source lines: of a tree, or below a folder and never outside
// of it. It may be used by many goroutines.
type lineReader struct {
	g    *graph.Graph
	tree source.Tree
	root *os.Root

	mu   sync.Mutex
	seen map[string]*sourceFile
}
