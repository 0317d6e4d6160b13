package source

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// refReader reads references by their full names, such as HEAD or
// refs/heads/main.
type refReader interface {
	// ref returns the hash that a reference holds, or the full name of the
	// reference that it stands for (symbolic references, not followed), or
	// found == false.
	ref(name string) (id, symbolic string, found bool, err error)

	// names lists full names, sorted.
	names() ([]string, error)
}

// fileRefs reads loose and packed references with go-git.
type fileRefs struct{ storage *filesystem.Storage }

func newFileRefs(gitDir, commonDir string) fileRefs {
	fs := osfs.New(gitDir)
	if gitDir != commonDir {
		fs = dotgit.NewRepositoryFilesystem(fs, osfs.New(commonDir))
	}
	return fileRefs{filesystem.NewStorage(fs, cache.NewObjectLRU(0))}
}

func (r fileRefs) ref(name string) (id, symbolic string, found bool, err error) {
	ref, err := r.storage.Reference(plumbing.ReferenceName(name))
	switch {
	case errors.Is(err, plumbing.ErrReferenceNotFound), errors.Is(err, os.ErrNotExist):
		return "", "", false, nil
	case err != nil:
		// Names that cannot be references, and folders of references.
		return "", "", false, nil
	case ref.Type() == plumbing.SymbolicReference:
		return "", ref.Target().String(), true, nil
	}
	return ref.Hash().String(), "", true, nil
}

func (r fileRefs) names() ([]string, error) {
	refs, err := r.storage.IterReferences()
	if err != nil {
		return nil, err
	}
	var names []string
	err = refs.ForEach(func(ref *plumbing.Reference) error {
		names = append(names, ref.Name().String())
		return nil
	})
	slices.Sort(names)
	return names, err
}

// programRefs reads references with git.
type programRefs struct{ program *program }

func (r programRefs) ref(name string) (id, symbolic string, found bool, err error) {
	if strings.HasPrefix(name, "-") {
		return "", "", false, nil
	}
	if out, err := r.program.output("symbolic-ref", "--quiet", name); err == nil {
		return "", strings.TrimSpace(string(out)), true, nil
	}
	if name != "HEAD" && !strings.HasPrefix(name, "refs/") {
		return "", "", false, nil
	}
	out, err := r.program.output("rev-parse", "--verify", "--quiet", name)
	if err != nil {
		return "", "", false, nil
	}
	return strings.TrimSpace(string(out)), "", true, nil
}

func (r programRefs) names() ([]string, error) {
	out, err := r.program.output("for-each-ref", "--format=%(refname)")
	if err != nil {
		return nil, err
	}
	names := strings.Fields(string(out))
	slices.Sort(names)
	return names, nil
}

// Head is where the repository's HEAD stands.
type Head struct {
	// Branch is the short name of the branch that is checked out, or empty
	// if HEAD is detached.
	Branch string

	// ID is the commit, or empty if the branch has none yet.
	ID string
}

// Head reads HEAD.
func (r *Repo) Head() (Head, error) {
	id, symbolic, found, err := r.refs.ref("HEAD")
	if err != nil {
		return Head{}, err
	}
	if !found {
		return Head{}, &Error{Kind: ErrCorrupt, Text: "the repository has no readable HEAD", Hint: "check it with `git status`"}
	}
	if symbolic == "" {
		return Head{ID: id}, nil
	}
	head := Head{Branch: strings.TrimPrefix(symbolic, "refs/heads/")}
	head.ID, err = r.follow(symbolic)
	return head, err
}

// follow returns the hash at the end of a chain of symbolic references, or
// the empty string if a reference is missing.
func (r *Repo) follow(name string) (string, error) {
	for range 8 {
		id, symbolic, found, err := r.refs.ref(name)
		if err != nil || !found {
			return "", err
		}
		if symbolic == "" {
			return id, nil
		}
		name = symbolic
	}
	return "", nil
}
