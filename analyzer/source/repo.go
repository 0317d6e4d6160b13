package source

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer/history"
)

// Repo is a git repository. Its methods may be called from many goroutines.
type Repo struct {
	root      string // top of the work tree, empty if bare
	gitDir    string // HEAD and index
	commonDir string // objects and references; gitDir except in linked work trees
	config    settings
	program   *program // nil if there is no git
	hashSize  int      // bytes

	objects objectReader
	local   *local // the go-git part of objects, nil for SHA-256
	refs    refReader

	shallowOnce sync.Once
	shallow     map[string]bool
	shallowErr  error

	past past // see History
}

// OpenRepo finds the repository that dir is in: in dir itself or in a folder
// above. dir may be in a linked work tree or a submodule, whose .git is a
// file, or be a bare repository. The error wraps [ErrNotRepository] if there
// is none.
//
// The repository must be closed; trees of it must be closed before.
func OpenRepo(dir string) (*Repo, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(start); err == nil {
		start = real
	} else {
		return nil, &Error{Kind: ErrNotRepository, Text: "cannot open " + dir, Err: err}
	}
	for at := start; ; {
		if gitDir, ok := gitDirOf(filepath.Join(at, ".git")); ok {
			return openGitDir(at, gitDir)
		}
		if isGitDir(at) {
			return openGitDir("", at)
		}
		above := filepath.Dir(at)
		if above == at {
			return nil, &Error{
				Kind: ErrNotRepository,
				Text: dir + " is not in a git repository",
				Hint: "run kg inside one, or make one with `git init` and a first commit",
			}
		}
		at = above
	}
}

// gitDirOf follows a .git folder, or a .git file that names one.
func gitDirOf(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	if info.IsDir() {
		return path, isGitDir(path)
	}
	if !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return "", false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	target, found := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if !found {
		return "", false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	return target, isGitDir(target)
}

// isGitDir reports whether dir looks like a repository, by git's own test.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common := commonDirOf(dir)
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// commonDirOf is the folder that holds objects and references for gitDir.
func commonDirOf(gitDir string) string {
	text, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	common := strings.TrimRight(string(text), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	return filepath.Clean(common)
}

func openGitDir(root, gitDir string) (*Repo, error) {
	r := &Repo{root: root, gitDir: gitDir, commonDir: commonDirOf(gitDir), hashSize: 20}
	r.program = findProgram(gitDir)
	r.config = readSettings(r.program, r.commonDir)
	if r.config.flag("core.bare", false) {
		r.root = ""
	}
	workers := runtime.GOMAXPROCS(0)

	if r.config.sha256() {
		if r.program == nil {
			return nil, &Error{Kind: ErrNoGit, Text: "the repository names its objects by SHA-256", Hint: "install git, which kg then reads it with"}
		}
		r.hashSize = 32
		r.objects = newBatch(r.program, workers)
	} else {
		dirs, err := objectDirs(filepath.Join(r.commonDir, "objects"))
		if err != nil {
			return nil, err
		}
		r.local = newLocal(dirs, workers)
		readers := layered{r.local}
		// In a partial clone objects are missing by intent, and old versions
		// of git try to fetch each one.
		if r.program != nil && !r.config.partial() {
			readers = append(readers, newBatch(r.program, 1))
		}
		r.objects = readers
	}

	switch {
	case !r.config.sha256() && !r.config.foreignRefs():
		r.refs = newFileRefs(r.gitDir, r.commonDir)
	case r.program != nil:
		r.refs = programRefs{r.program}
	default:
		return nil, &Error{Kind: ErrNoGit, Text: "the repository stores its references in a form that kg cannot read", Hint: "install git, which kg then reads it with"}
	}
	return r, nil
}

// Close releases files and processes.
func (r *Repo) Close() error { return r.objects.close() }

// Root returns the absolute path of the top folder of the work tree, or the
// empty string for a bare repository.
func (r *Repo) Root() string { return r.root }

// GitDir returns the absolute path of the repository's own folder, which for
// a linked work tree is the one below .git/worktrees.
func (r *Repo) GitDir() string { return r.gitDir }

// IsPartial reports whether the repository was cloned without some objects
// (git clone --filter), so that files of revisions may be missing.
func (r *Repo) IsPartial() bool { return r.config.partial() }

// IsShallow reports whether the history is cut off (git clone --depth). A
// merge base that was found is then a common ancestor, but history beyond
// the cut could hold a nearer one, and none found proves nothing.
func (r *Repo) IsShallow() bool {
	shallow, err := r.shallowCommits()
	return err != nil || len(shallow) > 0
}

// shallowCommits are the commits whose parents were not fetched.
func (r *Repo) shallowCommits() (map[string]bool, error) {
	r.shallowOnce.Do(func() {
		text, err := os.ReadFile(filepath.Join(r.commonDir, "shallow"))
		if errors.Is(err, os.ErrNotExist) {
			return
		}
		r.shallowErr = err
		r.shallow = map[string]bool{}
		for line := range bytes.Lines(text) {
			r.shallow[string(bytes.TrimSpace(line))] = true
		}
	})
	return r.shallow, r.shallowErr
}

// Commit reads the commit with the given full hash.
func (r *Repo) Commit(id string) (history.Commit, error) {
	kind, data, err := r.objects.object(id, maxContent)
	if err != nil {
		return history.Commit{}, err
	}
	if kind != commitObject {
		return history.Commit{}, fmt.Errorf("%s is a %s, not a commit", id, kind)
	}
	c, err := parseCommit(id, data)
	if err != nil {
		return history.Commit{}, &Error{Kind: ErrCorrupt, Text: "commit " + id + " cannot be read", Hint: "check the repository with `git fsck`", Err: err}
	}
	return c, nil
}

// parents are the parents of c that the repository means to have: none at
// the edge of a shallow clone.
func (r *Repo) parents(c history.Commit) ([]string, error) {
	shallow, err := r.shallowCommits()
	if err != nil || shallow[c.ID] {
		return nil, err
	}
	return c.Parents, nil
}
