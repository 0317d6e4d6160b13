package golang

import (
	"strings"
	"testing"
)

func TestDependencies(t *testing.T) {
	const mod = "module m\n\ngo 1.22\n\nrequire (\n\ta.b/c v1.0.0\n\td.e/f v1.2.0 // indirect\n)\n"
	for _, c := range []struct {
		base, head string
		want       string
		rest       bool
	}{
		{mod, mod, "", false},
		{mod, strings.Replace(mod, "// indirect", "", 1), "", false},
		{mod, strings.Replace(mod, "v1.0.0", "v1.0.1", 1), "a.b/c", false},
		{mod, strings.Replace(mod, "\td.e/f v1.2.0 // indirect\n", "\tg.h/i v0.1.0\n", 1), "d.e/f g.h/i", false},
		{mod, mod + "replace a.b/c => ../c\n", "a.b/c", false},
		{mod, mod + "retract v0.1.0\n", "", false},
		{mod, mod + "exclude a.b/c v1.0.2\n", "", true},
		{mod, strings.Replace(mod, "go 1.22", "go 1.23", 1), "", true},
		{mod, mod + "toolchain go1.23.1\n", "", true},
		{mod, strings.Replace(mod, "module m", "module n", 1), "", true},
		{mod, "module", "", true},
	} {
		got, rest := dependencies("go.mod", []byte(c.base), []byte(c.head))
		if strings.Join(got, " ") != c.want || rest != c.rest {
			t.Errorf("%q: %q and %v, want %q and %v", c.head, got, rest, c.want, c.rest)
		}
	}
	if _, rest := dependencies("go.work", []byte("go 1.22\n"), []byte("go 1.22\nuse .\n")); !rest {
		t.Error("a changed go.work changes nothing")
	}
}
