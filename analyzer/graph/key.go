package graph

import (
	"strconv"
	"strings"
)

// Keys. A key is readable, and the same in every graph that holds the
// declaration:
//
//	the repository                             repo:
//	a module                                   mod:go:example.com/m
//	a file                                     file:cmd/main.go
//	a package                                  go:example.com/m/pkg
//	a declaration                              go:example.com/m/pkg#Type.Method
//	a declaration known only inside its file   go:example.com/m/pkg#file.go::init
//	an overload, with erased parameter types   java:com.acme#Cart.add(int,List)
//	an external name                           ext:go:fmt#Println
//
// A second declaration with the same key, which only broken or unusual code
// has, is told apart by "~2", "~3", … in the order of file and line.

// RepositoryKey is the key of the repository node.
const RepositoryKey = "repo:"

// ModuleKey returns the key of a module.
func ModuleKey(lang, path string) string { return "mod:" + lang + ":" + path }

// FileKey returns the key of a file.
func FileKey(path string) string { return "file:" + path }

// PackageKey returns the key of a package.
func PackageKey(lang, path string) string { return lang + ":" + path }

// DeclKey returns the key of a declaration with the given name, qualified
// inside its package.
func DeclKey(pkgKey, name string) string { return pkgKey + "#" + name }

// FileScopedKey returns the key of a declaration that is known only inside its
// file, which is named relative to the package.
func FileScopedKey(pkgKey, file, name string) string { return pkgKey + "#" + file + "::" + name }

// ExternalKey returns the key of an external name; name is empty for the
// package itself.
func ExternalKey(lang, path, name string) string {
	k := "ext:" + lang + ":" + path
	if name != "" {
		k += "#" + name
	}
	return k
}

// NthKey returns the key of the nth (from 1) declaration that would have the
// given key.
func NthKey(key string, n int) string {
	if n <= 1 {
		return key
	}
	return key + "~" + strconv.Itoa(n)
}

// IsExternal reports whether a key names something outside the tree.
func IsExternal(key string) bool { return strings.HasPrefix(key, "ext:") }

// SplitKey returns the key of the package of a declaration and the qualified
// name inside it. The name is empty for packages, files and modules.
func SplitKey(key string) (pkg, name string) {
	pkg, name, _ = strings.Cut(key, "#")
	return pkg, name
}
