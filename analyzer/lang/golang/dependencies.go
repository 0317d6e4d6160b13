package golang

import (
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// dependencies returns the modules of which the head's go.mod uses another
// version, or another replacement, than that of the base. rest says that
// something else differs that any build may depend on: the version of the
// language or the toolchain, the module's own path, a setting of the runtime.
func dependencies(name string, base, head []byte) (modules []string, rest bool) {
	if name != "go.mod" {
		return nil, string(base) != string(head)
	}
	was, err := modfile.Parse(name, base, nil)
	if err != nil {
		return nil, true
	}
	is, err := modfile.Parse(name, head, nil)
	if err != nil {
		return nil, true
	}
	uses := func(f *modfile.File) map[string]string {
		m := map[string]string{}
		for _, r := range f.Require {
			m[r.Mod.Path] = r.Mod.Version
		}
		for _, r := range f.Replace {
			m[r.Old.Path] += " " + r.Old.Version + " => " + r.New.String()
		}
		return m
	}
	a, b := uses(was), uses(is)
	for path, version := range a {
		if b[path] != version {
			modules = append(modules, path)
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			modules = append(modules, path)
		}
	}
	slices.Sort(modules)
	return modules, others(was) != others(is)
}

// others is what a go.mod file says about builds besides the modules.
func others(f *modfile.File) string {
	var b strings.Builder
	if f.Module != nil {
		b.WriteString(f.Module.Mod.Path)
	}
	if f.Go != nil {
		b.WriteString("\ngo " + f.Go.Version)
	}
	if f.Toolchain != nil {
		b.WriteString("\ntoolchain " + f.Toolchain.Name)
	}
	for _, g := range f.Godebug {
		b.WriteString("\ngodebug " + g.Key + "=" + g.Value)
	}
	var excluded []module.Version
	for _, x := range f.Exclude {
		excluded = append(excluded, x.Mod)
	}
	module.Sort(excluded)
	for _, x := range excluded {
		b.WriteString("\nexclude " + x.String())
	}
	return b.String()
}
