package source

import (
	"bytes"
	"strconv"
	"strings"
)

const attributesName = ".gitattributes"

// An attribute is one word of a .gitattributes line. Its value is "set",
// "unset" or "unspecified" for name, -name and !name, and what stands after
// the equals sign otherwise.
type attribute struct{ name, value string }

const (
	attrSet         = "set"
	attrUnset       = "unset"
	attrUnspecified = "unspecified"
)

type attributeRule struct {
	glob       glob
	anchored   bool
	attributes []attribute
}

// attributeList is one attributes file.
type attributeList struct {
	folder string // with a slash at its end, or empty
	rules  []attributeRule
}

// parseAttributes reads an attributes file. Macros ("[attr]name ...") are
// added to macros unless that is nil; git allows them in the top folder and
// in the files outside the tree only.
func parseAttributes(folder string, text []byte, macros map[string][]attribute, fold bool) attributeList {
	list := attributeList{folder: folder}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range bytes.Lines(text) {
		pattern, rest := attributePattern(string(bytes.TrimLeft(line, " \t\r\n")))
		if pattern == "" || pattern[0] == '#' || pattern[0] == '!' {
			continue
		}
		var words []attribute
		for _, word := range strings.Fields(rest) {
			name, value, found := strings.Cut(word, "=")
			switch {
			case found:
			case name[0] == '-':
				name, value = name[1:], attrUnset
			case name[0] == '!':
				name, value = name[1:], attrUnspecified
			default:
				value = attrSet
			}
			if name != "" {
				words = append(words, attribute{name, value})
			}
		}
		if macro, found := strings.CutPrefix(pattern, "[attr]"); found {
			if macros != nil && macro != "" {
				macros[macro] = words
			}
			continue
		}
		if strings.HasSuffix(pattern, "/") {
			continue // folders have no attributes of their own
		}
		rule := attributeRule{anchored: strings.Contains(pattern, "/"), attributes: words}
		var ok bool
		if rule.glob, ok = compileGlob(strings.TrimPrefix(pattern, "/"), fold); ok {
			list.rules = append(list.rules, rule)
		}
	}
	return list
}

// attributePattern cuts the pattern off a line; it may be quoted like a
// string of C.
func attributePattern(line string) (pattern, rest string) {
	if strings.HasPrefix(line, `"`) {
		for end := 1; end < len(line); end++ {
			switch line[end] {
			case '\\':
				end++
			case '"':
				if pattern, err := strconv.Unquote(line[:end+1]); err == nil {
					return pattern, line[end+1:]
				}
				return "", ""
			}
		}
	}
	end := strings.IndexAny(line, " \t\r\n")
	if end < 0 {
		end = len(line)
	}
	return line[:end], line[end:]
}

// attributes are all attribute files that hold for a tree.
type attributes struct {
	info    attributeList            // .git/info/attributes, the strongest
	folders map[string]attributeList // .gitattributes, by folder
	outside []attributeList          // core.attributesFile, then the system's file
	macros  map[string][]attribute
	fold    bool
}

func newAttributes(fold bool) *attributes {
	return &attributes{
		folders: map[string]attributeList{},
		macros: map[string][]attribute{
			"binary": {{"diff", attrUnset}, {"merge", attrUnset}, {"text", attrUnset}},
		},
		fold: fold,
	}
}

// addFolder takes the .gitattributes file of a folder, whose path ends in a
// slash or is empty for the top.
func (a *attributes) addFolder(folder string, text []byte) {
	macros := a.macros
	if folder != "" {
		macros = nil
	}
	a.folders[folder] = parseAttributes(folder, text, macros, a.fold)
}

// addOutside takes a file outside the tree. Later files are weaker.
func (a *attributes) addOutside(text []byte) {
	a.outside = append(a.outside, parseAttributes("", text, a.macros, a.fold))
}

func (a *attributes) setInfo(text []byte) { a.info = parseAttributes("", text, a.macros, a.fold) }

func (a *attributes) empty() bool {
	return len(a.info.rules) == 0 && len(a.folders) == 0 && len(a.outside) == 0
}

// of returns the values of the attributes that any rule gives to path.
// Attributes that are not in the map are unspecified.
func (a *attributes) of(path string) map[string]string {
	if a.empty() {
		return nil
	}
	values := map[string]string{}
	a.fill(values, &a.info, path)
	for folder := path; folder != ""; {
		folder = folder[:strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')+1]
		if list, ok := a.folders[folder]; ok {
			a.fill(values, &list, path)
		}
	}
	for i := range a.outside {
		a.fill(values, &a.outside[i], path)
	}
	return values
}

// fill adds what list says of path and no stronger list has said.
func (a *attributes) fill(values map[string]string, list *attributeList, path string) {
	relative := path[len(list.folder):]
	if a.fold {
		relative = lowerASCII(relative)
	}
	name := relative[strings.LastIndexByte(relative, '/')+1:]
	for i := len(list.rules) - 1; i >= 0; i-- {
		rule := &list.rules[i]
		subject := name
		if rule.anchored {
			subject = relative
		}
		if rule.glob.match(subject) {
			a.assign(values, rule.attributes)
		}
	}
}

// assign takes words from last to first, and what macros among them stand
// for. A macro whose name has a value is not looked at again, so macros that
// name each other end.
func (a *attributes) assign(values map[string]string, words []attribute) {
	pending := append([]attribute(nil), words...)
	for len(pending) > 0 {
		word := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if _, known := values[word.name]; known {
			continue
		}
		values[word.name] = word.value
		if word.value == attrSet {
			pending = append(pending, a.macros[word.name]...)
		}
	}
}
