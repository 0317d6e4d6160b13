package golang

import (
	"io/fs"
	"path"
	"sort"
	"strings"

	"golang.org/x/mod/module"

	"github.com/codekg/kg/analyzer/link"
)

// maxEmbedSteps bounds the files and folders that patterns are compared with,
// in one tree. Real trees stay far below.
const maxEmbedSteps = 1 << 22

// embeds returns the files that //go:embed directives embed, as the go command
// finds them: patterns are those of path.Match relative to the package's folder;
// a folder stands for all files in it, without those whose names begin with
// '.' or '_', unless the pattern begins with "all:"; nothing is embedded from
// other modules, nor what is no regular file.
func embeds(files []link.File, paths []string) []link.Embed {
	m := &embedder{paths: paths, steps: maxEmbedSteps}
	var out []link.Embed
	for i := range files {
		f := &files[i]
		if len(f.Facts.Directives) == 0 || skipped(f.Path) != "" {
			continue
		}
		for k := range f.Facts.Directives {
			d := &f.Facts.Directives[k]
			if f.Facts.Str(d.Name) != directiveEmbed {
				continue
			}
			m.found = m.found[:0]
			m.match(dirOf(f.Path), f.Facts.Str(d.Value))
			for _, p := range m.found {
				out = append(out, link.Embed{File: i, Directive: k, Path: p})
			}
			if len(m.found) == 0 {
				out = append(out, link.Embed{File: i, Directive: k, Path: -1})
			}
		}
	}
	return out
}

// embedder compares patterns with a sorted list of files. A folder is the range
// of files whose paths begin with its path and a slash.
type embedder struct {
	paths   []string
	modules map[string]bool // the folders that have a go.mod; nil: not known yet
	steps   int
	found   []int
}

// match sets found to the files that a pattern embeds; to none if it is wrong
// or steps are used up.
func (m *embedder) match(dir, pattern string) {
	pattern, all := strings.CutPrefix(pattern, "all:")
	if _, err := path.Match(pattern, ""); err != nil || pattern == "." || !fs.ValidPath(pattern) {
		return
	}
	if m.modules == nil {
		m.modules = map[string]bool{}
		for _, p := range m.paths {
			if path.Base(p) == "go.mod" {
				m.modules[dirOf(p)] = true
			}
		}
	}
	if dir != "" {
		dir += "/"
	}
	lo, hi := m.below(0, len(m.paths), dir)
	m.glob(lo, hi, dir, strings.Split(pattern, "/"), all)
	if m.steps < 0 {
		m.found = m.found[:0]
	}
}

// below returns the range of the files in [lo, hi) whose paths begin with prefix.
func (m *embedder) below(lo, hi int, prefix string) (int, int) {
	ps := m.paths[lo:hi]
	from := sort.SearchStrings(ps, prefix)
	n := sort.Search(len(ps)-from, func(i int) bool { return !strings.HasPrefix(ps[from+i], prefix) })
	return lo + from, lo + from + n
}

// glob adds what the elements of a pattern match among the files in [lo, hi),
// all of the folder dir. The depth of the recursion is the length of the pattern,
// and of the paths.
func (m *embedder) glob(lo, hi int, dir string, pattern []string, all bool) {
	last := len(pattern) == 1
	if !strings.ContainsAny(pattern[0], `*?[\`) {
		m.steps--
		name := dir + pattern[0]
		if i := lo + sort.SearchStrings(m.paths[lo:hi], name); last && i < hi && m.paths[i] == name {
			m.file(i, pattern[0])
			return
		}
		lo, hi = m.below(lo, hi, name+"/")
		m.folder(lo, hi, name+"/", pattern, all)
		return
	}
	for i := lo; i < hi && m.steps >= 0; {
		m.steps--
		name, _, deeper := strings.Cut(m.paths[i][len(dir):], "/")
		next := i + 1
		if deeper {
			_, next = m.below(i, hi, dir+name+"/")
		}
		if ok, err := path.Match(pattern[0], name); ok && err == nil {
			if deeper {
				m.folder(i, next, dir+name+"/", pattern, all)
			} else if last {
				m.file(i, name)
			}
		}
		i = next
	}
}

// file adds a file that a pattern names.
func (m *embedder) file(i int, name string) {
	if !badEmbedName(name) {
		m.found = append(m.found, i)
	}
}

// folder adds what is in a folder that the first element of a pattern names.
func (m *embedder) folder(lo, hi int, dir string, pattern []string, all bool) {
	base := dir[:len(dir)-1]
	if lo == hi || m.modules[base] || badEmbedName(path.Base(base)) {
		return
	}
	if len(pattern) > 1 {
		m.glob(lo, hi, dir, pattern[1:], all)
		return
	}
	for i := lo; i < hi && m.steps >= 0; i++ {
		m.steps--
		if m.inside(m.paths[i], len(dir), all) {
			m.found = append(m.found, i)
		}
	}
}

// inside reports whether a file is embedded with its folder, whose path has the
// length at, with the slash.
func (m *embedder) inside(p string, at int, all bool) bool {
	for {
		name, _, deeper := strings.Cut(p[at:], "/")
		if name == "" || badEmbedName(name) || !all && (name[0] == '.' || name[0] == '_') {
			return false
		}
		at += len(name)
		if !deeper {
			return true
		}
		if m.modules[p[:at]] {
			return false
		}
		at++
	}
}

// badEmbedName reports whether a file of this name cannot be part of a module.
func badEmbedName(name string) bool {
	switch name {
	case "", ".bzr", ".hg", ".git", ".svn":
		return true
	}
	return module.CheckFilePath(name) != nil
}
