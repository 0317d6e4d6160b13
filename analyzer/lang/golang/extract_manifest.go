package golang

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/codekg/kg/analyzer/facts"
)

// ExtractManifest returns the settings of a go.mod or go.work file, in the
// order of the file:
//
//	module   PATH                              go.mod
//	go       VERSION
//	require  PATH VERSION                      go.mod
//	replace  PATH[ VERSION] => PATH[ VERSION]  the second path may be a folder
//	use      FOLDER                            go.work
//
// It resets b first and finishes it. A file that does not parse is an error;
// directives that this version does not know are left out.
func ExtractManifest(name string, src []byte, b *facts.Builder) (*facts.File, error) {
	var list []setting
	switch name {
	case "go.mod":
		f, err := parseMod(src)
		if err != nil {
			return nil, err
		}
		list = modSettings(f)
	case "go.work":
		f, err := modfile.ParseWork(name, src, nil)
		if err != nil {
			return nil, err
		}
		if f.Go != nil {
			list = append(list, setting{f.Go.Syntax, "go", f.Go.Version})
		}
		for _, u := range f.Use {
			list = append(list, setting{u.Syntax, "use", u.Path})
		}
		list = append(list, replacements(f.Replace)...)
	default:
		return nil, fmt.Errorf("golang: %s is no manifest", name)
	}
	slices.SortStableFunc(list, func(x, y setting) int { return cmp.Compare(x.line.Start.Byte, y.line.Start.Byte) })
	b.Reset()
	for _, s := range list {
		b.Settings = append(b.Settings, facts.Setting{Name: b.InternString(s.name), Value: b.InternString(s.value)})
	}
	return b.Finish(), nil
}

// setting is one directive with its place.
type setting struct {
	line        *modfile.Line
	name, value string
}

// parseMod parses a go.mod file; one that newer versions of Go wrote is read
// for what is known.
func parseMod(src []byte) (*modfile.File, error) {
	f, err := modfile.Parse("go.mod", src, nil)
	if err == nil {
		return f, nil
	}
	if lax, laxErr := modfile.ParseLax("go.mod", src, nil); laxErr == nil {
		return lax, nil
	}
	return nil, err
}

func modSettings(f *modfile.File) []setting {
	var list []setting
	if f.Module != nil {
		list = append(list, setting{f.Module.Syntax, "module", f.Module.Mod.Path})
	}
	if f.Go != nil {
		list = append(list, setting{f.Go.Syntax, "go", f.Go.Version})
	}
	for _, r := range f.Require {
		list = append(list, setting{r.Syntax, "require", versioned(r.Mod)})
	}
	return append(list, replacements(f.Replace)...)
}

func replacements(replace []*modfile.Replace) []setting {
	var list []setting
	for _, r := range replace {
		list = append(list, setting{r.Syntax, "replace", versioned(r.Old) + " => " + versioned(r.New)})
	}
	return list
}

func versioned(v module.Version) string {
	if v.Version == "" {
		return v.Path
	}
	return v.Path + " " + v.Version
}
