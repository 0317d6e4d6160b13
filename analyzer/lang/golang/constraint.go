package golang

import (
	"go/build/constraint"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
)

// Build constraints choose the files of a package. kg reads all of them: the
// ones that the default platform builds give a symbol its meaning, the others
// are variants of it.

// platforms are the operating systems and processors that a file's name or
// constraint may ask for (go/build's knownOS and knownArch).
var (
	knownOS = set(`aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9
		solaris wasip1 windows zos`)
	knownArch = set(`386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le
		mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm`)
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// defaultTag reports whether a tag is set on the default platform: Linux on
// amd64 with cgo off, and every released version of Go.
func defaultTag(tag string) bool {
	switch tag {
	case "linux", "amd64", "unix", "gc":
		return true
	}
	return strings.HasPrefix(tag, "go1.")
}

// fileConstraint returns the constraint of a file with the given base name,
// whether the default platform builds it, and whether nobody does without asking
// for it (the tag "ignore"). The constraint is that of the name, that of the line
// in the file, and cgo if the file imports package C.
func fileConstraint(base string, f *facts.File) (text string, def, never bool) {
	expr := nameConstraint(base)
	and := func(e constraint.Expr) {
		if expr == nil {
			expr = e
		} else {
			expr = &constraint.AndExpr{X: expr, Y: e}
		}
	}
	if f.Constraint != 0 {
		if e, err := constraint.Parse("//go:build " + f.Str(f.Constraint)); err == nil {
			and(e)
		}
	}
	for i := range f.Imports {
		if f.Str(f.Imports[i].Path) == "C" && (expr == nil || !slices.Contains(strings.Fields(expr.String()), "cgo")) {
			and(&constraint.TagExpr{Tag: "cgo"})
			break
		}
	}
	if expr == nil {
		return "", true, false
	}
	ignored := expr.Eval(func(tag string) bool { return tag == "ignore" || defaultTag(tag) })
	def = expr.Eval(defaultTag)
	return expr.String(), def, ignored && !def
}

// nameConstraint returns the constraint that a file's name implies, or nil:
// name_GOOS.go, name_GOARCH.go, name_GOOS_GOARCH.go, each with _test.
func nameConstraint(base string) constraint.Expr {
	name := strings.TrimSuffix(strings.TrimSuffix(base, ".go"), "_test")
	i := strings.IndexByte(name, '_')
	if i < 0 {
		return nil
	}
	parts := strings.Split(name[i:], "_")
	n := len(parts)
	tag := func(s string) constraint.Expr { return &constraint.TagExpr{Tag: s} }
	if n >= 2 && knownOS[parts[n-2]] && knownArch[parts[n-1]] {
		return &constraint.AndExpr{X: tag(parts[n-2]), Y: tag(parts[n-1])}
	}
	if last := parts[n-1]; knownOS[last] || knownArch[last] {
		return tag(last)
	}
	return nil
}
