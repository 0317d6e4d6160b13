package source

import (
	"fmt"
	"strings"

	"github.com/codekg/kg/analyzer/history"
)

// Base is what a change is compared with when the user names nothing.
type Base struct {
	Commit history.Commit

	// Rev is how the base was found, such as origin/main or HEAD^1.
	Rev string

	// OnDefault says that the change is on the default branch itself, so
	// that Commit is the base as it stands and no merge base is wanted.
	OnDefault bool

	// Note is a sentence for the user where the choice may surprise;
	// otherwise it is empty.
	Note string
}

// DefaultBase chooses the base for the given head: the default branch, which
// is origin/HEAD, else main, else master, local or of the remote origin. dirty
// says that what is looked at is head with changes on top that are not
// committed (see [Repo.IsDirty]).
//
// On the default branch itself the answer is HEAD for a dirty tree and the
// first parent for a clean one, with a note. A head counts as on the default
// branch if HEAD is a branch of its name, or if head is its very commit.
//
// The error wraps [ErrNoDefaultBase], or [ErrShallow] if the parent was not
// fetched.
func (r *Repo) DefaultBase(head history.Commit, dirty bool) (Base, error) {
	rev, branch, err := r.defaultBranch()
	if err != nil {
		return Base{}, err
	}
	var base history.Commit
	if rev != "" {
		if base, err = r.Resolve(rev); err != nil {
			return Base{}, err
		}
	}
	at, err := r.Head()
	if err != nil {
		return Base{}, err
	}
	onDefault := rev != "" && (base.ID == head.ID || at.Branch == branch && at.ID == head.ID)
	switch {
	case rev == "" && !dirty:
		return Base{}, &Error{
			Kind: ErrNoDefaultBase,
			Text: "there is no origin/HEAD, main or master to compare with",
			Hint: "name a base with --base",
		}
	case rev == "":
		return Base{Commit: head, Rev: "HEAD", OnDefault: true, Note: "no default branch was found: comparing the changes that are not committed with HEAD"}, nil
	case !onDefault:
		return Base{Commit: base, Rev: rev}, nil
	case dirty:
		return Base{Commit: head, Rev: "HEAD", OnDefault: true, Note: fmt.Sprintf("on %s: comparing the changes that are not committed with HEAD", branch)}, nil
	}
	parents, err := r.parents(head)
	switch {
	case err != nil:
		return Base{}, err
	case len(parents) > 0:
		parent, err := r.Commit(parents[0])
		return Base{Commit: parent, Rev: "HEAD^1", OnDefault: true, Note: fmt.Sprintf("on %s with nothing changed: comparing the last commit with the one before it (HEAD^1)", branch)}, err
	case len(head.Parents) > 0:
		return Base{}, &Error{Kind: ErrShallow, Text: fmt.Sprintf("on %s, and the commit before HEAD was not fetched", branch), Hint: unshallow}
	}
	return Base{}, &Error{
		Kind: ErrNoDefaultBase,
		Text: fmt.Sprintf("on %s, and its only commit has nothing before it", branch),
		Hint: "name a base with --base",
	}
}

// defaultBranch returns a revision for the default branch and its short
// name, or nothing.
func (r *Repo) defaultBranch() (rev, branch string, err error) {
	const remote = "refs/remotes/origin/"
	id, symbolic, found, err := r.refs.ref(remote + "HEAD")
	if err != nil {
		return "", "", err
	}
	if name, under := strings.CutPrefix(symbolic, remote); found && under {
		if id, err = r.follow(symbolic); err != nil {
			return "", "", err
		} else if id != "" {
			return "origin/" + name, name, nil
		}
	} else if id != "" {
		return "origin/HEAD", "origin/HEAD", nil
	}
	for _, name := range []string{"main", "master"} {
		for _, rev := range []string{remote + name, "refs/heads/" + name} {
			id, err := r.follow(rev)
			if err != nil {
				return "", "", err
			}
			if id != "" {
				short := strings.TrimPrefix(strings.TrimPrefix(rev, "refs/remotes/"), "refs/heads/")
				return short, name, nil
			}
		}
	}
	return "", "", nil
}

// IsDirty reports whether the work tree differs from the commit that is
// checked out, by content, mode or path. Files that .kgignore hides do not
// count, nor do staged changes that the disk does not have any more. work is
// the work tree if the caller has it open, otherwise nil.
func (r *Repo) IsDirty(work Tree) (bool, error) {
	at, err := r.Head()
	if err != nil {
		return false, err
	}
	if at.ID == "" {
		return true, nil
	}
	if work == nil {
		if work, err = r.WorkTree(); err != nil {
			return false, err
		}
		defer work.Close()
	}
	c, err := r.Commit(at.ID)
	if err != nil {
		return false, err
	}
	head, err := r.Revision(c)
	if err != nil {
		return false, err
	}
	defer head.Close()
	disk, committed := work.Entries(), head.Entries()
	if len(disk) != len(committed) {
		return true, nil
	}
	for i := range disk {
		if disk[i] != committed[i] {
			return true, nil
		}
	}
	return false, nil
}
