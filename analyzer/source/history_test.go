package source_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/source"
)

func logOf(t testing.TB, r *source.Repo, rev string, o source.HistoryOptions) *history.Log {
	t.Helper()
	log, err := r.History(context.Background(), resolve(t, r, rev), o)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// dumpLog writes a log as text, one line for each commit.
func dumpLog(log *history.Log) string {
	var b strings.Builder
	for _, e := range log.Commits {
		fmt.Fprintf(&b, "%.8s %d", e.ID, e.Parents)
		for _, c := range e.Changes {
			fmt.Fprintf(&b, " %s:%q", c.Kind, c.Path)
			if c.OldPath != "" {
				fmt.Fprintf(&b, "<%q", c.OldPath)
			}
		}
		b.WriteByte('\n')
	}
	return b.String() + log.Cut.String()
}

// gitLog asks git the same.
func gitLog(r repo, rev string) string {
	var b strings.Builder
	out := r.git("log", "--format=:%H %P", "--name-status", "-z", "-M100%", "-l0", "--root", rev)
	for entry := range strings.SplitSeq(out, ":") {
		head, files, _ := strings.Cut(strings.TrimRight(entry, "\x00\n"), "\x00")
		ids := strings.Fields(head)
		if len(ids) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%.8s %d", ids[0], len(ids)-1)
		fields := strings.Split(strings.Trim(files, "\x00\n"), "\x00")
		var changes []string
		for len(fields) > 1 {
			kind := map[byte]string{'A': "added", 'M': "modified", 'D': "removed", 'R': "renamed", 'T': "modified"}[fields[0][0]]
			if kind == "renamed" {
				changes = append(changes, fmt.Sprintf("%q %s:%q<%q", fields[2], kind, fields[2], fields[1]))
				fields = fields[3:]
			} else {
				changes = append(changes, fmt.Sprintf("%q %s:%q", fields[1], kind, fields[1]))
				fields = fields[2:]
			}
		}
		slices.Sort(changes)
		for _, c := range changes {
			_, c, _ = strings.Cut(c, " ")
			b.WriteString(" " + c)
		}
		b.WriteByte('\n')
	}
	return b.String() + "complete"
}

// grow makes a history with branches, merges, renames, removals, folders that
// become files, and a mode change.
func grow(t testing.TB, r repo, commits int) {
	random := rand.New(rand.NewPCG(7, uint64(commits)))
	date := 0
	commit := func(args ...string) {
		date += 60
		r.git("add", "--all")
		r.gitAt(date, append([]string{"commit", "--quiet", "--allow-empty", "-m", "x"}, args...)...)
	}
	r.write("a.go", "package a\n", "dir/b.go", "package b\n", "dir/sub/c.go", "package c\n", "dir-x/d.go", "d\n", "dir.go", "e\n")
	commit()
	for i := range commits {
		switch random.IntN(7) {
		case 0:
			r.write(fmt.Sprintf("new/%d.go", i), fmt.Sprintf("content %d\n", i))
		case 1:
			r.write("dir/sub/c.go", fmt.Sprintf("package c // %d\n", i), "a.go", fmt.Sprintf("package a // %d\n", i))
		case 2:
			from := strings.Fields(r.git("ls-files"))
			name := from[random.IntN(len(from))]
			r.git("mv", name, fmt.Sprintf("moved%d.go", i))
		case 3:
			r.remove("dir")
			r.write("dir", "a file now\n")
			commit()
			r.remove("dir")
			r.write("dir/sub/c.go", fmt.Sprintf("again %d\n", i), "dir/b.go", fmt.Sprintf("b %d\n", i))
		case 4:
			r.git("checkout", "--quiet", "-b", fmt.Sprintf("side%d", i))
			r.write(fmt.Sprintf("side/%d.go", i), fmt.Sprintf("side %d\n", i))
			commit()
			r.git("checkout", "--quiet", "main")
			r.write(fmt.Sprintf("main/%d.go", i), fmt.Sprintf("main %d\n", i))
			commit()
			date += 60
			r.gitAt(date, "merge", "--quiet", "--no-ff", "-m", "merge", fmt.Sprintf("side%d", i))
			continue
		default:
			r.write("a.go", fmt.Sprintf("package a // x%d\n", i))
		}
		commit()
	}
}

func TestHistoryIsGits(t *testing.T) {
	r := newRepo(t)
	grow(t, r, 60)
	want := gitLog(r, "HEAD")
	check := func(name string) {
		t.Helper()
		if got := dumpLog(logOf(t, r.open(), "HEAD", source.HistoryOptions{})); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
	check("loose")
	r.git("gc", "--quiet")
	check("packed")

	cut := logOf(t, r.open(), "HEAD", source.HistoryOptions{Limit: 10})
	if len(cut.Commits) != 10 || cut.Cut != history.AtLimit || !strings.HasPrefix(want, strings.TrimSuffix(dumpLog(cut), "limit")) {
		t.Errorf("limit:\n%s", dumpLog(cut))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	opened := r.open()
	if _, err := opened.History(ctx, resolve(t, opened, "HEAD"), source.HistoryOptions{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	if got := dumpLog(logOf(t, opened, "HEAD", source.HistoryOptions{})); got != want {
		t.Errorf("after cancelling:\n%s", got)
	}
}

func TestHistorySHA256(t *testing.T) {
	r := newRepo(t, "--object-format=sha256")
	grow(t, r, 20)
	if got, want := dumpLog(logOf(t, r.open(), "HEAD", source.HistoryOptions{})), gitLog(r, "HEAD"); got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
}

func TestHistoryCache(t *testing.T) {
	r := newRepo(t)
	grow(t, r, 20)
	cache := filepath.Join(t.TempDir(), "deep", "cache")
	o := source.HistoryOptions{Cache: cache}
	first := dumpLog(logOf(t, r.open(), "HEAD~4", o))
	files, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("cache has %v, %v", files, err)
	}
	want := gitLog(r, "HEAD")
	for _, name := range []string{"grown", "warm"} {
		if got := dumpLog(logOf(t, r.open(), "HEAD", o)); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
	if got := dumpLog(logOf(t, r.open(), "HEAD~4", o)); got != first {
		t.Errorf("older again:\n%s\nwant:\n%s", got, first)
	}
	// A second folder, after commits were read without one.
	opened := r.open()
	logOf(t, opened, "HEAD~2", source.HistoryOptions{})
	if got := dumpLog(logOf(t, opened, "HEAD", o)); got != want {
		t.Errorf("joined:\n%s\nwant:\n%s", got, want)
	}

	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "cut": good[:len(good)/2], "bent": append(slices.Clone(good[:100]), bend(good[100:])...), "long": append(slices.Clone(good), 0),
	} {
		if err := os.WriteFile(files[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := dumpLog(logOf(t, r.open(), "HEAD", o)); got != want {
			t.Errorf("%s:\n%s", name, got)
		}
		if now, _ := os.ReadFile(files[0]); len(now) < 100 || string(now) == string(data) {
			t.Errorf("%s: the cache was not written again", name)
		}
	}
	// A cache that cannot be written is none.
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := dumpLog(logOf(t, r.open(), "HEAD", source.HistoryOptions{Cache: blocked})); got != want {
		t.Errorf("blocked:\n%s", got)
	}
}

func bend(data []byte) []byte {
	data = slices.Clone(data)
	data[0] ^= 1
	return data
}

func TestHistoryShallow(t *testing.T) {
	r := newRepo(t)
	for i := range 6 {
		r.write("a.go", fmt.Sprint(i))
		r.commit("x")
	}
	shallow := repo{t, filepath.Join(t.TempDir(), "clone")}
	r.git("clone", "--quiet", "--depth=3", "file://"+r.dir, shallow.dir)
	log := logOf(t, shallow.open(), "HEAD", source.HistoryOptions{Cache: t.TempDir()})
	if len(log.Commits) != 2 || log.Cut != history.AtShallow {
		t.Errorf("depth 3:\n%s", dumpLog(log))
	}
	one := repo{t, filepath.Join(t.TempDir(), "clone")}
	r.git("clone", "--quiet", "--depth=1", "file://"+r.dir, one.dir)
	if log := logOf(t, one.open(), "HEAD", source.HistoryOptions{}); len(log.Commits) != 0 || log.Cut != history.AtShallow {
		t.Errorf("depth 1:\n%s", dumpLog(log))
	}
}

func TestHistoryPartial(t *testing.T) {
	r := newRepo(t)
	r.git("config", "uploadpack.allowFilter", "true")
	r.write("dir/a.go", "a", "dir/b.go", "b")
	r.commit("x")
	r.write("dir/a.go", "a2")
	r.commit("x")
	r.git("mv", "dir/a.go", "dir/c.go")
	r.commit("x")
	want := gitLog(r, "HEAD")

	blobless := repo{t, filepath.Join(t.TempDir(), "clone")}
	r.git("clone", "--quiet", "--filter=blob:none", "file://"+r.dir, blobless.dir)
	if got := dumpLog(logOf(t, blobless.open(), "HEAD", source.HistoryOptions{})); got != want {
		t.Errorf("blob:none:\n%s\nwant:\n%s", got, want)
	}
	treeless := repo{t, filepath.Join(t.TempDir(), "clone")}
	r.git("clone", "--quiet", "--filter=tree:0", "file://"+r.dir, treeless.dir)
	log := logOf(t, treeless.open(), "HEAD", source.HistoryOptions{Cache: t.TempDir()})
	if log.Cut != history.AtMissing || len(log.Commits) > 1 {
		t.Errorf("tree:0:\n%s", dumpLog(log))
	}
}
