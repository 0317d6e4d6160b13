package source_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/source"
)

// commitAt makes an empty commit with the given committer time.
func (r repo) commitAt(date int, message string) string {
	r.t.Helper()
	r.gitAt(date, "commit", "--quiet", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// TestResolve asks for every revision of git too.
func TestResolve(t *testing.T) {
	r := newRepo(t)
	r.commitAt(100, "one")
	r.commitAt(200, "two")
	r.git("tag", "light")
	r.git("tag", "-a", "-m", "a tag", "heavy")
	r.git("tag", "-a", "-m", "a tag of a tag", "heavier", "heavy")
	r.git("checkout", "-q", "-b", "topic/side", "HEAD^")
	r.commitAt(300, "side")
	r.git("checkout", "-q", "main")
	r.gitAt(400, "merge", "-q", "--no-ff", "-m", "merge", "topic/side")
	head := r.commitAt(500, "last")
	r.git("update-ref", "refs/remotes/origin/feature", "HEAD~1")
	r.git("update-ref", "refs/remotes/origin/main", "HEAD")
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	r.git("branch", "both", "HEAD~1")
	r.git("tag", "both", "HEAD~2")
	r.git("branch", "abcdef", "HEAD~1") // looks like a short hash

	revisions := []string{
		"HEAD", "@", "main", "heads/main", "refs/heads/main", "topic/side", "light", "heavy", "heavier", "tags/heavy",
		"HEAD~", "HEAD~1", "HEAD~2", "HEAD^", "HEAD^1", "HEAD^0", "HEAD~1^2", "HEAD^^2", "HEAD~1^2~1", "@~1^1",
		"heavy^0", "heavy^{commit}", "heavy^{}", "heavy~1", "origin/main", "origin", "origin/feature", "remotes/origin/main",
		head, head[:4], head[:7], head[:8], head[:39], strings.ToUpper(head[:10]), "both", "abcdef", "abcdef~1",
		"main@{0}", ":/two", "HEAD^{/side}",
	}
	for _, packed := range []bool{false, true} {
		if packed {
			r.git("pack-refs", "--all")
			r.git("gc", "--quiet")
		}
		opened := r.open()
		for _, rev := range revisions {
			want := r.git("rev-parse", "--verify", "--quiet", "--end-of-options", rev)
			want = r.git("rev-parse", want+"^{commit}")
			if got := resolve(t, opened, rev).ID; got != want {
				t.Errorf("packed %v: Resolve(%q) = %s, want %s", packed, rev, got, want)
			}
		}
		for _, rev := range []string{"", "nowhere", "HEAD~9", "HEAD^3", "--all", "-h", "main..topic/side", "HEAD:a", "HEAD^{tree}", "a b", "\x00", "main\n", "feature", "abc", strings.Repeat("0", 40)} {
			c, err := opened.Resolve(rev)
			if !errors.Is(err, source.ErrUnknownRevision) {
				t.Errorf("packed %v: Resolve(%q) = %v, %v", packed, rev, c, err)
			}
		}
	}
	for rev, near := range map[string]string{"mian": "main", "feature": "origin/feature", "heavyer": "heavier", "topic/sid": "topic/side"} {
		if _, err := r.open().Resolve(rev); err == nil || !strings.Contains(err.Error(), "did you mean") || !strings.Contains(err.Error(), near) {
			t.Errorf("Resolve(%q): %v", rev, err)
		}
	}
}

func TestShallow(t *testing.T) {
	origin := newRepo(t)
	for i := range 5 {
		origin.commitAt(100*(i+1), "on main")
	}
	origin.git("checkout", "-q", "-b", "topic", "HEAD~3")
	origin.commitAt(900, "on topic")
	dir := filepath.Join(t.TempDir(), "clone")
	origin.git("clone", "--quiet", "--depth=1", "--no-single-branch", "file://"+origin.dir, dir)
	r := repo{t, dir}.open()
	if !r.IsShallow() || origin.open().IsShallow() {
		t.Error("IsShallow is wrong")
	}
	if _, err := r.Resolve("origin/main~1"); !errors.Is(err, source.ErrShallow) || !strings.Contains(err.Error(), "--unshallow") {
		t.Errorf("Resolve beyond the edge: %v", err)
	}
	if _, err := r.MergeBase(resolve(t, r, "origin/main"), resolve(t, r, "HEAD")); !errors.Is(err, source.ErrShallow) {
		t.Errorf("MergeBase: %v", err)
	}
	if _, err := r.DefaultBase(resolve(t, r, "origin/main"), false); !errors.Is(err, source.ErrShallow) && err != nil {
		t.Errorf("DefaultBase: %v", err)
	}
}

func TestMergeBase(t *testing.T) {
	r := newRepo(t)
	root := r.commitAt(100, "root")
	r.git("checkout", "-q", "-b", "a")
	a1 := r.commitAt(200, "a1")
	r.git("checkout", "-q", "-b", "b", root)
	b1 := r.commitAt(300, "b1")
	// A criss-cross: both sides merge the other's first commit.
	r.git("checkout", "-q", "a")
	r.gitAt(400, "merge", "-q", "-m", "a2", b1)
	r.git("checkout", "-q", "b")
	r.gitAt(500, "merge", "-q", "-m", "b2", a1)
	r.commitAt(50, "a commit with an old date")
	r.git("checkout", "-q", "--orphan", "alone")
	r.commitAt(600, "alone")
	opened := r.open()

	ids := func(commits []history.Commit) string {
		var all []string
		for _, c := range commits {
			all = append(all, c.ID)
		}
		return strings.Join(all, " ")
	}
	for _, test := range [][3]string{
		{"a", "b", b1 + " " + a1}, // newest first
		{"b", "a", b1 + " " + a1},
		{"a", "a", r.git("rev-parse", "a")},
		{"a", a1, a1},
		{a1, b1, root},
		{root, "b", root},
		{"a~1", "b", a1},
	} {
		got, err := opened.MergeBase(resolve(t, opened, test[0]), resolve(t, opened, test[1]))
		if err != nil || ids(got) != test[2] {
			t.Errorf("MergeBase(%s, %s) = %v, %v, want %v", test[0], test[1], ids(got), err, test[2])
		}
	}
	if _, err := opened.MergeBase(resolve(t, opened, "a"), resolve(t, opened, "alone")); !errors.Is(err, source.ErrNoCommonAncestor) {
		t.Errorf("unrelated: %v", err)
	}
}

// TestMergeBaseTie gives both merge bases one date: the lesser hash is first.
func TestMergeBaseTie(t *testing.T) {
	r := newRepo(t)
	r.commitAt(100, "root")
	r.git("checkout", "-q", "-b", "a")
	a := r.commitAt(200, "a1")
	r.git("checkout", "-q", "-b", "b", "main")
	b := r.commitAt(200, "b1")
	r.gitAt(300, "merge", "-q", "-m", "b2", a)
	r.git("checkout", "-q", "a")
	r.gitAt(300, "merge", "-q", "-m", "a2", b)
	opened := r.open()
	got, err := opened.MergeBase(resolve(t, opened, "a"), resolve(t, opened, "b"))
	if err != nil || len(got) != 2 || got[0].ID != min(a, b) {
		t.Errorf("MergeBase = %v, %v", got, err)
	}
}

// TestMergeBaseAgainstGit compares with git over a history with many merges
// and dates that lie.
func TestMergeBaseAgainstGit(t *testing.T) {
	r := newRepo(t)
	commits := []string{r.commitAt(1000, "root")}
	state := uint32(1)
	random := func(n int) int {
		state = state*1664525 + 1013904223
		return int(state>>8) % n
	}
	tree := r.git("write-tree")
	for range 60 {
		args := []string{"commit-tree", "-m", "c", tree}
		for range 1 + random(2) {
			args = append(args, "-p", commits[max(0, len(commits)-1-random(8))])
		}
		commits = append(commits, r.gitAt(500+random(1000), args...))
	}
	opened := r.open()
	for range 80 {
		a, b := commits[random(len(commits))], commits[random(len(commits))]
		got, err := opened.MergeBase(resolve(t, opened, a), resolve(t, opened, b))
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, id := range strings.Fields(r.git("merge-base", "--all", a, b)) {
			want[id] = true
		}
		for _, c := range got {
			if !want[c.ID] {
				t.Errorf("%s is not a merge base of %s and %s for git", c.ID, a, b)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d merge bases of %s and %s, git has %d", len(got), a, b, len(want))
		}
	}
}

func TestDefaultBase(t *testing.T) {
	r := newRepo(t)
	first := r.commitAt(100, "first")
	base := func(dirty bool) (source.Base, error) {
		opened := r.open()
		return opened.DefaultBase(resolve(t, opened, "HEAD"), dirty)
	}
	check := func(step string, dirty bool, rev, id string, note bool) {
		t.Helper()
		got, err := base(dirty)
		if err != nil || got.Rev != rev || got.Commit.ID != id || (got.Note != "") != note {
			t.Errorf("%s: %+v, %v", step, got, err)
		}
	}
	if _, err := base(false); !errors.Is(err, source.ErrNoDefaultBase) {
		t.Errorf("on the first commit: %v", err)
	}
	check("first commit, dirty", true, "HEAD", first, true)
	second := r.commitAt(200, "second")
	check("main, clean", false, "HEAD^1", first, true)
	check("main, dirty", true, "HEAD", second, true)
	r.git("checkout", "-q", "--detach")
	check("detached at main", false, "HEAD^1", first, true)
	r.git("checkout", "-q", "-b", "topic")
	third := r.commitAt(300, "third")
	check("topic", false, "main", second, false)
	check("topic, dirty", true, "main", second, false)
	r.git("branch", "-m", "main", "master")
	check("topic of master", false, "master", second, false)
	r.git("update-ref", "refs/remotes/origin/main", first)
	check("topic of origin/main", false, "origin/main", first, false)
	r.git("update-ref", "refs/remotes/origin/trunk", second)
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	check("topic of origin/HEAD", false, "origin/trunk", second, false)
	r.git("checkout", "-q", "-b", "trunk")
	check("trunk", true, "HEAD", third, true)
	r.git("branch", "-D", "master")
	r.git("update-ref", "-d", "refs/remotes/origin/HEAD")
	r.git("symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
	r.git("update-ref", "-d", "refs/remotes/origin/main")
	if _, err := base(false); !errors.Is(err, source.ErrNoDefaultBase) {
		t.Errorf("without a default branch: %v", err)
	}
}
