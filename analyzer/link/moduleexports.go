package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
)

// exports are the packages that the modules which files of the tree declare export,
// with those of the modules that they bring, by the module's name.
type exports map[string][]string

// maxBrought bounds the modules that come with one.
const maxBrought = 1 << 8

func (l *linker) findExports() {
	own, brings := map[string][]string{}, map[string][]string{}
	for i := range l.files {
		f := &l.files[i]
		if f.unit < 0 || f.Rules.Classes == nil {
			continue
		}
		name := ""
		for _, s := range f.Facts.Settings {
			value := f.Facts.Str(s.Value)
			switch f.Facts.Str(s.Name) {
			case facts.SettingModule:
				name = value
			case facts.SettingExports:
				own[name] = append(own[name], value)
			case facts.SettingBrings:
				brings[name] = append(brings[name], value)
			}
		}
	}
	if len(own) == 0 {
		return
	}
	l.exports = exports{}
	for i := range l.files {
		f := &l.files[i]
		if f.Rules.Classes == nil {
			continue
		}
		for k := range f.Facts.Imports {
			im := &f.Facts.Imports[k]
			if im.Flags&facts.ImportModule == 0 {
				continue
			}
			path := f.Facts.Str(im.Path)
			if _, ok := l.exports[path]; ok {
				continue
			}
			var list []string
			all := []string{path}
			for n := 0; n < len(all); n++ {
				list = append(list, own[all[n]]...)
				for _, b := range brings[all[n]] {
					if len(all) < maxBrought && !slices.Contains(all, b) {
						all = append(all, b)
					}
				}
			}
			l.exports[path] = list
		}
	}
}
