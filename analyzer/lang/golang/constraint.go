package golang

import (
	"go/build/constraint"
	"math/bits"
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

// unixOS are the systems that have the tag unix.
var unixOS = set(`aix android darwin dragonfly freebsd hurd illumos ios linux netbsd openbsd solaris`)

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
	return tag == "linux" || tag == "amd64" || tag == "unix" || always(tag)
}

// always reports whether every build has a tag: the compiler's, and released
// versions of Go.
func always(tag string) bool { return tag == "gc" || strings.HasPrefix(tag, "go1.") }

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

// maxImplied bounds the tags of two constraints that are compared.
const maxImplied = 10

// implies reports whether constraint a holds only where b does, for every
// operating system, processor and choice of other tags.
func implies(a, b string) bool {
	x, errX := constraint.Parse("//go:build " + a)
	y, errY := constraint.Parse("//go:build " + b)
	if errX != nil || errY != nil {
		return false
	}
	// Systems and processors that are not named: "unix" stands for a system that
	// is one, "" for another.
	systems, processors, others := []string{"", "unix"}, []string{""}, []string(nil)
	for _, tag := range append(tagsOf(x, nil), tagsOf(y, nil)...) {
		list := &others
		switch {
		case knownOS[tag]:
			list = &systems
		case knownArch[tag]:
			list = &processors
		case tag == "unix" || always(tag):
			continue
		}
		if !slices.Contains(*list, tag) {
			*list = append(*list, tag)
		}
	}
	if len(others)+bits.Len(uint(len(systems)*len(processors))) > maxImplied {
		return false
	}
	for _, system := range systems {
		for _, processor := range processors {
			for set := range 1 << len(others) {
				holds := func(tag string) bool {
					i := slices.Index(others, tag)
					return i >= 0 && set&(1<<i) != 0 || tag == processor || isSystem(system, tag) || always(tag)
				}
				if x.Eval(holds) && !y.Eval(holds) {
					return false
				}
			}
		}
	}
	return true
}

// isSystem reports whether a build for a system has the given tag.
func isSystem(system, tag string) bool {
	switch tag {
	case system:
		return true
	case "linux":
		return system == "android"
	case "darwin":
		return system == "ios"
	case "solaris":
		return system == "illumos"
	case "unix":
		return unixOS[system]
	}
	return false
}

// tagsOf appends the tags of a constraint.
func tagsOf(x constraint.Expr, to []string) []string {
	switch x := x.(type) {
	case *constraint.TagExpr:
		return append(to, x.Tag)
	case *constraint.NotExpr:
		return tagsOf(x.X, to)
	case *constraint.AndExpr:
		return tagsOf(x.Y, tagsOf(x.X, to))
	case *constraint.OrExpr:
		return tagsOf(x.Y, tagsOf(x.X, to))
	}
	return to
}
