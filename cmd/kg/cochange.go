package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/diff/cochange"
	"github.com/codekg/kg/report"
)

const cochangeSchema = "kg.cochange/v1"

// habits is what kg cochange found.
type habits struct {
	Schema  string      `json:"schema"`
	Files   []string    `json:"files"`   // that were asked about, from the top of the repository
	Unknown []string    `json:"unknown"` // those of them that the history does not know
	History pastSeen    `json:"history"`
	Habits  []habitJSON `json:"cochange"`
}

// pastSeen says what history was looked at.
type pastSeen struct {
	Rev     string `json:"rev"`     // the commit that knew it
	Commit  string `json:"commit"`  // and its hash
	Commits int    `json:"commits"` // commits seen, merges included
	Counted int    `json:"counted"` // of them, those that say something
	Cut     string `json:"cut"`     // why there are not more: complete, limit, shallow, missing
}

type habitJSON struct {
	report.Cochange
	Score float64 `json:"score"`
}

func (a *app) cochangeCommand() *cobra.Command {
	var at string
	var noCache bool
	var out *outputs
	cmd := &cobra.Command{
		Use:   "cochange PATH…",
		Short: "Tell which files usually change together with some",
		Long: `Tell which files usually change together with the given ones, likeliest first, by
the history of the repository. That is a habit, not a dependency.

With --at it is what was known before that revision: the history and the files of
its first parent. Otherwise it is what the commit knows that is checked out.`,
		Example: `  kg cochange store/store.go
  kg cochange store/store.go store/open.go -o json
  kg cochange --at v1.2.0 api.proto`,
		Args: arguments(1, int(^uint(0)>>1), "PATH"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			return a.cochange(cmd.Context(), args, at, noCache, out)
		}),
	}
	cmd.Flags().StringVar(&at, "at", "", "what was known before the revision `REV`")
	cmd.Flags().BoolVar(&noCache, "no-cache", false, "neither use nor keep what was read of the history")
	out = outputFlag(cmd, "text", "json")
	return cmd
}

func (a *app) cochange(ctx context.Context, args []string, at string, noCache bool, out *outputs) error {
	list, err := out.all()
	if err != nil {
		return err
	}
	r := repositoryAt(".")
	defer r.close()
	repo, err := r.open()
	if err != nil {
		return err
	}
	name, c, err := knownBefore(repo, at)
	if err != nil {
		return err
	}
	tree, err := repo.Revision(c)
	if err != nil {
		return err
	}
	defer tree.Close()
	log, err := repo.History(ctx, c, a.historyOptions(cochangeHistory, !noCache))
	if err != nil {
		return err
	}
	index := cochange.New(log)
	h := &habits{Schema: cochangeSchema, Files: []string{}, Unknown: []string{}, Habits: []habitJSON{},
		History: pastSeen{Rev: name, Commit: c.ID, Commits: len(log.Commits), Counted: index.Commits(), Cut: log.Cut.String()}}
	for _, arg := range args {
		path, err := inRepository(repo.Root(), arg, tree.Entries())
		if err != nil {
			return err
		}
		h.Files = append(h.Files, path)
	}
	slices.Sort(h.Files)
	h.Files = slices.Compact(h.Files)
	for _, path := range h.Files {
		if _, found := source.Find(tree.Entries(), path); !found {
			h.Unknown = append(h.Unknown, path)
			a.note("%s is not in %s, so nothing is known about it", quote(path), name)
		}
	}
	for _, x := range index.Rank(h.Files, among(tree.Entries())) {
		h.Habits = append(h.Habits, habitJSON{newCochange(x), x.Score})
	}
	for _, o := range list {
		say := h.text
		if o.format == "json" {
			say = func(w io.Writer) error { return writeJSON(w, h) }
		}
		if err := a.write(ctx, o.path, say); err != nil {
			return err
		}
	}
	return nil
}

// knownBefore returns the commit whose history is asked.
func knownBefore(repo *source.Repo, at string) (name string, c history.Commit, err error) {
	if c, err = repo.Resolve(cmp.Or(at, "HEAD")); err != nil || at == "" {
		return "HEAD", c, err
	}
	if len(c.Parents) == 0 {
		return "", c, &failure{text: quote(at) + " is the first commit: nothing was known before it"}
	}
	name = at + "^1"
	c, err = repo.Resolve(c.ID + "^1")
	return name, c, err
}

// inRepository makes a path as people write it one from the top of the
// repository. What is not there from the current folder may be so from the top.
func inRepository(root, arg string, entries []source.Entry) (string, error) {
	plain := filepath.ToSlash(filepath.Clean(arg))
	if root == "" {
		return plain, nil
	}
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return "", err
	}
	path := arg
	if !filepath.IsAbs(path) {
		path = filepath.Join(here, path)
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return "", usage(quote(arg) + " is not in the repository")
	}
	rel = filepath.ToSlash(rel)
	if _, found := source.Find(entries, rel); found {
		return rel, nil
	}
	if _, found := source.Find(entries, plain); found {
		return plain, nil
	}
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return "", usage(quote(arg) + " is not in the repository")
	}
	return rel, nil
}

// among reports whether a path is one of the entries.
func among(entries []source.Entry) func(string) bool {
	return func(path string) bool {
		_, found := source.Find(entries, path)
		return found
	}
}

// text never begins a line with a name, so that no line is a command.
func (h *habits) text(w io.Writer) error {
	const most = 20
	var b strings.Builder
	if len(h.Habits) == 0 {
		fmt.Fprintf(&b, "No file usually changes together with %s.\n", report.Escape(strings.Join(h.Files, ", ")))
	} else {
		fmt.Fprintf(&b, "Usually changed together with %s: a habit, not a dependency\n", report.Escape(strings.Join(h.Files, ", ")))
	}
	for _, x := range h.Habits[:min(most, len(h.Habits))] {
		fmt.Fprintf(&b, "%5.0f %%  %s with %s: %s\n", 100*x.Confidence, plural(x.Support, "commit"), report.Escape(x.With[0]), report.Escape(x.File))
	}
	if more := len(h.Habits) - most; more > 0 {
		fmt.Fprintf(&b, "         … and %d more\n", more)
	}
	fmt.Fprintf(&b, "Seen: %s up to %s%s\n", plural(h.History.Commits, "commit"), report.Escape(h.History.Rev), cutSaid[h.History.Cut])
	_, err := io.WriteString(w, b.String())
	return err
}

// cutSaid says what a log's end means.
var cutSaid = map[string]string{
	history.AtLimit.String():   ", the newest",
	history.AtShallow.String(): "; this clone is shallow and has no more",
	history.AtMissing.String(): "; this clone lacks parts of the rest",
}
