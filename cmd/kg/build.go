package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source"
)

func (a *app) buildCommand() *cobra.Command {
	var f buildFlags
	var ref string
	cmd := &cobra.Command{
		Use:                   "build [DIR] -o FILE",
		DisableFlagsInUseLine: true,
		Short:                 "Write the graph of a tree to a file",
		Long: `Write the graph of a tree to a file.

The tree is the repository around the current folder as a commit of its files
would hold it, or that of DIR. A DIR that is not the top of a repository is read
by itself. With --ref it is a revision, which is not checked out for that.

Equal trees give equal files, byte for byte, whatever is known from before: what
is read of a file is kept in a cache of this machine ($XDG_CACHE_HOME/kg), and in
the file of --facts, which can go where the cache cannot. --from takes such a
file; then only files with new contents are read.`,
		Example: `  kg build -o graph.kg             # the repository around this folder
  kg build ../shop -o shop.kg
  kg build --ref v1.2.0 -o v1.2.0.kg
  kg build -o graph.kg --watch     # and again whenever a file changes, until Ctrl-C
  kg build -o graph.kg --facts graph.kgf --from graph.kgf   # in CI, each run from the last`,
		Args: arguments(0, 1, "DIR"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			if err := f.check(a, ref); err != nil {
				return err
			}
			if f.watch {
				return a.watch(cmd.Context(), args, &f)
			}
			s, err := a.only(args, ref)
			if err != nil {
				return err
			}
			defer s.close()
			if _, err := a.buildOnce(cmd.Context(), s, &f, nil); err != nil {
				return err
			}
			a.note("%s: %s", s.name, summary(s.graph))
			return nil
		}),
	}
	cmd.Flags().StringVarP(&f.path, "output", "o", "", "write the graph to `FILE`, - for standard output")
	cmd.Flags().StringVar(&ref, "ref", "", "read the revision `REV` instead of the files on disk")
	cmd.Flags().StringVar(&f.facts, "facts", "", "also write what the files say, each by itself, to `FILE`, for --from")
	fromFlag(cmd, &f.from)
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "build again whenever the files on disk change")
	return cmd
}

// buildFlags are the flags of kg build.
type buildFlags struct {
	path  string // of the graph
	facts string // of the facts file, or empty
	from  string
	watch bool
}

func (f *buildFlags) check(a *app, ref string) error {
	switch {
	case f.path == "":
		return usage("the file to write is missing: -o FILE")
	case f.path == stdoutPath && a.outTerm:
		return &failure{text: "a graph file is not for terminals", hint: "name a file with -o FILE, or export the graph with `kg export`"}
	case f.facts == stdoutPath || f.facts != "" && f.facts == f.path:
		return usage("--facts needs a file of its own")
	case f.watch && f.path == stdoutPath:
		return usage("--watch writes again and again: it needs a file, not standard output")
	case f.watch && ref != "":
		return usage("--watch and --ref are both given: a revision does not change")
	}
	if err := writable(f.path); err != nil || f.facts == "" {
		return err
	}
	return writable(f.facts)
}

// buildOnce makes and writes the graph of a tree, and its facts if they are
// asked for. Known is what the last build returned, or nil.
func (a *app) buildOnce(ctx context.Context, s *side, f *buildFlags, known []*facts.Content) ([]*facts.Content, error) {
	from := f.from
	if known != nil {
		from = "" // it has been read
	}
	// What is made of facts of unknown origin is of unknown origin.
	ownFacts := f.facts != "" && (f.from == "" || a.vouches(f.from))
	e := a.earlier(ctx, from)
	defer e.end()
	e.memo.Add(known)
	var contents []*facts.Content
	keep := &contents
	if f.facts == "" && !f.watch {
		keep = nil
	}
	if err := a.buildFrom(ctx, s, e, keep); err != nil {
		return known, err
	}
	if err := a.write(ctx, f.path, func(w io.Writer) error { return artifact.Write(w, s.graph) }); err != nil {
		return known, err
	}
	if f.facts != "" {
		if err := artifact.WriteFactsFile(ctx, f.facts, extractor(), s.graph.Tree, contents); err != nil {
			return known, err
		}
		if ownFacts {
			a.vouch(f.facts)
		}
	}
	return contents, nil
}

// fromFlag adds --from to a command.
func fromFlag(cmd *cobra.Command, from *string) {
	cmd.Flags().StringVar(from, "from", "", "take what is known of unchanged files from `FILE`, which `kg build --facts` wrote")
}

// only opens the one tree that a command works on.
func (a *app) only(args []string, ref string) (*side, error) {
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	repo := repositoryAt(dir)
	open := repo.workTree
	if ref != "" {
		open = func() (*side, error) { return repo.revision(ref) }
	} else if len(args) > 0 {
		open = func() (*side, error) { return folder(dir) }
	}
	s, err := open()
	if err != nil {
		repo.close()
		if errors.Is(err, source.ErrNoWorkTree) {
			err = withHint(err, "name a revision with --ref")
		}
		return nil, err
	}
	if s.owns == nil {
		s.owns = repo
	}
	return s, nil
}

// summary says in a few words how large a graph is.
func summary(g *graph.Graph) string {
	return plural(len(g.Files), "file") + ", " + plural(len(g.Nodes), "node") + ", " + plural(len(g.Edges), "edge") +
		", " + plural(len(g.Unknowns), "unknown")
}
