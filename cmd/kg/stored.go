package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/report/github"
)

// What CI keeps of a commit: its graph, for agents and people, and its facts, from
// which the graph of a later commit is made by reading what differs. Facts are
// held under the digests of files, so that those of another commit make nothing
// wrong, only less quick.
const (
	graphFileName = "graph.kg"
	factsFileName = "facts.kgf"
	maxStored     = 500 << 20 // of an archive
	maxStoredFile = 2 << 30   // unpacked
	lookedForAt   = 3         // commits that are asked for before the base is read from git
)

// storedName is the name of the artifact of a commit.
func storedName(commit string) string {
	return fmt.Sprintf("kg-graph-v%d-%s", artifact.Version, commit)
}

// storedFlags are the flags of kg stored.
type storedFlags struct {
	base, head string
	exactBase  bool
	facts      string
	repo       string
	workflow   string
	outputs    string
	name       bool
}

func (a *app) storedCommand() *cobra.Command {
	var f storedFlags
	cmd := &cobra.Command{
		Use:   "stored",
		Short: "Fetch what CI has stored of the base of a change",
		Long: `Fetch what GitHub Actions has stored of the base of a change: the facts of its
files, for "kg impact --from". They are looked for by the exact name of the base's
commit, then of the commits before it on its branch.

An artifact is taken if it was stored by a run of the repository's own code, for
that commit, after a push, by schedule or by hand. What is missing, expired, of a
fork, damaged or of another version is passed over: then "kg impact" reads the base
from git. Nothing that is fetched changes what a report says.

The token is $GITHUB_TOKEN; it needs the right "actions: read".`,
		Example: `  kg stored --base origin/main --facts facts.kgf
  kg stored --name --head HEAD      # the name to store the graph of a commit under`,
		Args: arguments(0, 0),
		RunE: runs(func(cmd *cobra.Command, _ []string) error { return a.stored(cmd.Context(), &f) }),
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.base, "base", "", "the base, as of kg impact")
	fs.StringVar(&f.head, "head", "HEAD", "the head, a `REV`")
	fs.BoolVar(&f.exactBase, "exact-base", false, "the base itself, not the merge base")
	fs.StringVar(&f.facts, "facts", "", "write the facts to `FILE`")
	fs.StringVar(&f.repo, "repo", "", "`OWNER/NAME` (default: $GITHUB_REPOSITORY)")
	fs.StringVar(&f.workflow, "workflow", "", "only of the workflow `PATH`, such as .github/workflows/kg.yml")
	fs.StringVar(&f.outputs, "outputs", "", "add base, source and facts to `FILE`, as outputs of a step")
	fs.BoolVar(&f.name, "name", false, "only write the name of the artifact of the head")
	return cmd
}

func (a *app) stored(ctx context.Context, f *storedFlags) error {
	if !f.name && f.facts == "" {
		return usage("--facts FILE says where the facts go")
	}
	repo := repositoryAt(".")
	defer repo.close()
	head, err := repo.revision(f.head)
	if err != nil {
		return withText("cannot find the head", err)
	}
	defer head.close()
	if f.name {
		return a.write(ctx, stdoutPath, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, storedName(head.commit.ID))
			return err
		})
	}
	b, err := repo.chooseBase(head, baseOptions{rev: f.base, exact: f.exactBase, env: a.ciEnvironment()})
	if err != nil {
		return err
	}
	defer b.close()
	if b.commit.ID == "" {
		return &failure{text: "the base is no commit"}
	}
	source := a.fetchFacts(ctx, repo, b.commit, f)
	a.note("base %s, %s: %s", short(b.commit.ID), b.how, source)
	if f.outputs == "" {
		return nil
	}
	facts := f.facts
	if !strings.HasPrefix(source, "facts") {
		facts = ""
	}
	out, err := os.OpenFile(f.outputs, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return &failure{text: "cannot write " + quote(f.outputs), err: plain(err)}
	}
	// A path with a line break could write outputs of its own.
	_, err = fmt.Fprintf(out, "base=%s\nsource=%s\nfacts=%s\n", b.commit.ID, source, strings.NewReplacer("\n", "", "\r", "").Replace(facts))
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}

// fetchFacts fetches the facts of the nearest commit that has some, and says where
// they come from. Whatever goes wrong, the base can still be read from git.
func (a *app) fetchFacts(ctx context.Context, r *repository, base history.Commit, f *storedFlags) string {
	none := func(why string) string { return "read from git, " + why }
	name, err := a.githubRepo(f.repo)
	if err != nil {
		return none("no repository is named")
	}
	client, err := a.githubClient()
	if err != nil {
		return none("there is no token")
	}
	repo, err := r.open()
	if err != nil {
		return none("the repository cannot be opened")
	}
	why := ""
	for distance, c := 0, base; distance < lookedForAt; distance++ {
		found, reason, err := client.Artifact(ctx, github.Want{Repo: name, Name: storedName(c.ID), Commit: c.ID, Workflow: f.workflow,
			MaxBytes: maxStored, Files: []string{graphFileName, factsFileName}, MaxFile: maxStoredFile})
		if err != nil {
			a.message("warning: "+err.Error(), "")
			return none("the server could not be asked")
		}
		if found != nil && found.Files[factsFileName] == nil {
			found, reason = nil, "it has no facts"
		}
		if found != nil {
			if reason = keepFacts(ctx, f.facts, found.Files[factsFileName]); reason == "" {
				a.vouch(f.facts)
				return fmt.Sprintf("facts of %s, %s before it, stored by run %d after %s", short(c.ID), plural(distance, "commit"), found.Run, found.Event)
			}
		}
		if why == "" || reason != "there is none" {
			why = reason
		}
		if len(c.Parents) == 0 {
			break
		}
		if c, err = repo.Commit(c.Parents[0]); err != nil {
			break // a shallow clone has no more
		}
	}
	return none("of what is stored " + why)
}

// keepFacts writes facts to a file if this kg can read them; else it says why not.
func keepFacts(ctx context.Context, path string, data []byte) string {
	if err := artifact.CreateFile(ctx, path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}); err != nil {
		return "it cannot be written here"
	}
	file, err := artifact.OpenFactsFile(path, extractor(), artifact.Limits{})
	if err != nil {
		os.Remove(path)
		return "it is damaged, or another kg's"
	}
	file.Close()
	return ""
}
