package source_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/source"
)

var ignoreFiles = []string{
	"a", "a.txt", "b.o", "foo", "foo.txt", "Foo", "[x]", "x", "!bang", "#hash", "trail ", "sp ace", "a-b", "a]b", "star*", "q?",
	"dir/a", "dir/a.txt", "dir/foo", "dir/sub/a", "dir/sub/foo", "dir/sub/deep/foo", "dir/sub/deep/x.o", "foo2/bar/baz", "foo2/bar.txt",
	"a1/b/c", "a1/x/b/c", "a1/x/y/b/c", "build/out", "dir/build/out", "build.txt", "dir/build.txt", "abc/def/ghi", "abc", // abc is replaced below
	"é", "invalid\xff", "tab\tx", "1", "9z", "_u", ".hidden", ".config/x",
}

// TestIgnoreAgainstGit lists work trees under many ignore files, and compares
// with what git says is not ignored.
func TestIgnoreAgainstGit(t *testing.T) {
	r := newRepo(t)
	files := slices.DeleteFunc(slices.Clone(ignoreFiles), func(f string) bool { return f == "abc" })
	for _, f := range files {
		r.write(f, "")
	}
	patterns := []string{
		"*", "!*", "*.o", "!*.o", "foo", "/foo", "foo/", "dir/", "dir/*", "!dir/foo", "dir/**", "!dir/", "!dir/sub/", "**/foo", "dir/**/foo",
		"a1/**/b/c", "a1/**/b", "**/b/", "/*", "!/dir", "build", "build/", "/build/", "!build/out", "[abc]*", "[!a]*", "[^a]", "[a-f]oo",
		`\!bang`, `\#hash`, "# comment", "", "trail\\ ", "trail ", "trail   ", "sp ace", "a]b", "[]x]", "[a-]*b", "star\\*", "q\\?", "?", "??",
		"***", "**", "dir**", "**dir", "d*r/a", "dir/?", "*/a", "**/", "/**/a", "abc/**/ghi", "abc/**", "abc/*", "[[:upper:]]*", "[[:digit:]]",
		"[[:bogus:]]", "[", "[a", "\\", "a\\", "foo\\", "é", "invalid\xff", "[[:alnum:]_]*", ".*", "!.config", ".config/", "foo2/bar/", "foo2/bar*",
		"dir/sub", "!dir/sub/deep", "*/sub/**", "**/sub/**/x.o", "x\r", "tab\tx", "/", "//", "!", "!/", "a//b", "dir//a", "./a", "dir/./a", "[a-z]*.txt", "f?o", "[f][o][o]",
	}
	random := rand.New(rand.NewPCG(1, 2))
	some := func() string {
		var b strings.Builder
		for range 1 + random.IntN(5) {
			fmt.Fprintf(&b, "%s\n", patterns[random.IntN(len(patterns))])
		}
		return b.String()
	}
	cases := make([][3]string, 0, 400)
	for _, p := range patterns {
		cases = append(cases, [3]string{p + "\n"})
	}
	for range 200 {
		cases = append(cases, [3]string{some(), some(), some()})
	}
	excludes := filepath.Join(t.TempDir(), "excludes")
	r.git("config", "core.excludesFile", excludes)
	for i, c := range cases {
		r.write(".gitignore", c[0], "dir/.gitignore", c[1], ".git/info/exclude", c[2])
		other := repo{t, filepath.Dir(excludes)}
		other.write("excludes", "a1/x\n")
		if i%3 == 0 {
			other.write("excludes", c[2]+"1\n")
		}
		want := strings.Split(r.git("ls-files", "-z", "--others", "--exclude-standard"), "\x00")
		want = slices.DeleteFunc(want, func(f string) bool { return f == "" })
		slices.Sort(want)
		var got []string
		for _, e := range r.workTree().Entries() {
			got = append(got, e.Path)
		}
		if !slices.Equal(got, want) {
			for _, f := range want {
				if !slices.Contains(got, f) {
					t.Errorf("case %d %q: %q is ignored, and git keeps it", i, c, f)
				}
			}
			for _, f := range got {
				if !slices.Contains(want, f) {
					t.Errorf("case %d %q: %q is kept, and git ignores it", i, c, f)
				}
			}
		}
	}
}

// TestIgnoreIsLinear matches a pattern that makes backtracking matchers
// hang.
func TestIgnoreIsLinear(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", strings.Repeat("**/a*", 200)+"b\n"+strings.Repeat("*a", 100)+"b\n",
		strings.Repeat("a/", 100)+strings.Repeat("a", 200), "")
	if got := len(r.workTree().Entries()); got != 2 {
		t.Errorf("%d entries", got)
	}
}

func TestIgnoredFolderWithTrackedFiles(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "out/\n", "out/tracked.txt", "t\n", "out/deep/tracked.txt", "t\n")
	r.git("add", "--force", "--all")
	r.commit("first")
	r.write("out/new.txt", "n\n", "out/other/new.txt", "n\n", "out/deep/new.txt", "n\n", "out/.gitignore", "!new.txt\n")
	if got := paths(r.workTree()); got != ".gitignore out/deep/tracked.txt out/tracked.txt" {
		t.Errorf("entries: %s", got)
	}
	folder := r.tree(source.OpenDir(r.dir))
	if got := paths(folder); got != ".gitignore" {
		t.Errorf("folder: %s", got)
	}
}
