package source

import (
	"bytes"
	"strings"
)

// An ignorePattern is one line of a .gitignore file.
type ignorePattern struct {
	glob       glob
	negated    bool
	folderOnly bool
	anchored   bool // matched against the path from the file's folder, not the name
}

// ignoreList is one ignore file: the last pattern that matches decides.
type ignoreList []ignorePattern

// verdict is what a list says of a path.
type verdict uint8

const (
	silent verdict = iota
	ignored
	included // by a negated pattern
)

// parseIgnore reads an ignore file. Lines that git cannot use are skipped.
func parseIgnore(text []byte, fold bool) ignoreList {
	var list ignoreList
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range bytes.Lines(text) {
		line := strings.TrimSuffix(string(line), "\n")
		line = strings.TrimSuffix(line, "\r")
		line = trimSpaces(line)
		if line == "" || line[0] == '#' {
			continue
		}
		var p ignorePattern
		if line[0] == '!' {
			p.negated = true
			line = line[1:]
		}
		if strings.HasSuffix(line, "/") {
			p.folderOnly = true
			line = line[:len(line)-1]
		}
		p.anchored = strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		var ok bool
		if p.glob, ok = compileGlob(line, fold); ok && line != "" {
			list = append(list, p)
		}
	}
	return list
}

// trimSpaces drops spaces at the end that no backslash protects.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// verdict says what the list makes of a path relative to the list's folder.
func (list ignoreList) verdict(path string, folder bool) verdict {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(list) - 1; i >= 0; i-- {
		p := &list[i]
		if p.folderOnly && !folder {
			continue
		}
		subject := name
		if p.anchored {
			subject = path
		}
		if p.glob.match(subject) {
			if p.negated {
				return included
			}
			return ignored
		}
	}
	return silent
}

// ignoreScope is a folder with the ignore files that hold in it: its own,
// then those of the folders above, then those for the whole repository.
type ignoreScope struct {
	above  *ignoreScope
	folder string // path with a slash at its end, or empty
	list   ignoreList
}

// ignores reports whether the path, which is in the scope's folder or below
// it, is ignored. It does not look at the folders that the path is in: below
// an ignored folder everything is ignored, which the walker has to see to.
func (s *ignoreScope) ignores(path string, folder, fold bool) bool {
	if fold {
		path = lowerASCII(path)
	}
	for ; s != nil; s = s.above {
		if v := s.list.verdict(path[len(s.folder):], folder); v != silent {
			return v == ignored
		}
	}
	return false
}
