package typescript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sort"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
)

// maxSettings bounds the settings of one manifest, and maxNesting the depth of
// the values in it.
const (
	maxSettings = 1 << 14
	maxNesting  = 32
)

var errJSON = errors.New("not a JSON object")

// ExtractManifest returns what package.json and tsconfig files say of how
// import paths resolve:
//
//	name, main, module, types   of a package
//	exports:PATH, imports:PATH  a target of a path, the best first
//	needs                       a package that it depends on
//	extends, baseUrl, reference of a configuration
//	paths:PATTERN               a target of a pattern, in the order of the file
//
// Comments and commas behind the last element are accepted.
func ExtractManifest(name string, src []byte, b *facts.Builder) (*facts.File, error) {
	b.Reset()
	m := &manifest{b: b}
	root, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	if name == "package.json" {
		m.pack(root)
	} else {
		m.config(root)
	}
	return b.Finish(), nil
}

type manifest struct{ b *facts.Builder }

func (m *manifest) set(name, value string) {
	if value == "" || len(value) > 1<<10 || len(name) > 1<<10 || strings.ContainsAny(value, "\n\x00") || len(m.b.Settings) >= maxSettings {
		return
	}
	m.b.Settings = append(m.b.Settings, facts.Setting{Name: m.b.InternString(name), Value: m.b.InternString(value)})
}

// value is a value of JSON with its members in the order of the file.
type value struct {
	text    string
	list    []value
	keys    []string
	members []value
	object  bool
}

func (v *value) get(key string) *value {
	for i, k := range v.keys {
		if k == key {
			return &v.members[i]
		}
	}
	return &value{}
}

func (m *manifest) pack(root *value) {
	for _, k := range [...]string{"name", "main", "module", "types", "typings", "source"} {
		if t := root.get(k).text; t != "" {
			if k == "typings" {
				k = "types"
			}
			m.set(k, t)
		}
	}
	m.targets("exports", root.get("exports"), ".", 0)
	m.targets("imports", root.get("imports"), "", 0)
	for _, k := range [...]string{"dependencies", "devDependencies", "peerDependencies"} {
		deps := append([]string(nil), root.get(k).keys...)
		sort.Strings(deps)
		for _, d := range deps {
			m.set("needs", d)
		}
	}
}

// conditions are the conditions of targets, the ones nearest to the source
// first.
var conditions = []string{"source", "development", "types", "import", "module", "node", "default", "require", "browser"}

// targets adds the targets of a map of exports or imports.
func (m *manifest) targets(name string, v *value, path string, depth int) {
	switch {
	case depth > maxNesting:
	case v.text != "":
		m.set(name+":"+path, v.text)
	case len(v.list) > 0:
		for i := range v.list {
			m.targets(name, &v.list[i], path, depth+1)
		}
	case v.object:
		paths := false
		for _, k := range v.keys {
			paths = paths || strings.HasPrefix(k, ".") || strings.HasPrefix(k, "#")
		}
		if paths {
			for i, k := range v.keys {
				m.targets(name, &v.members[i], k, depth+1)
			}
			return
		}
		for _, c := range conditions {
			m.targets(name, v.get(c), path, depth+1)
		}
		for i, k := range v.keys {
			known := false
			for _, c := range conditions {
				known = known || c == k
			}
			if !known {
				m.targets(name, &v.members[i], path, depth+1)
			}
		}
	}
}

func (m *manifest) config(root *value) {
	if e := root.get("extends"); e.text != "" {
		m.set("extends", e.text)
	} else {
		for i := range e.list {
			m.set("extends", e.list[i].text)
		}
	}
	o := root.get("compilerOptions")
	m.set("baseUrl", o.get("baseUrl").text)
	p := o.get("paths")
	if p.object {
		m.set("hasPaths", "true")
	}
	for i, k := range p.keys {
		for _, t := range p.members[i].list {
			m.set("paths:"+k, t.text)
		}
	}
	for _, t := range o.get("rootDirs").list {
		m.set("rootDir", t.text)
	}
	for _, r := range root.get("references").list {
		m.set("reference", r.get("path").text)
	}
}

// parseJSON reads an object with comments and commas behind last elements.
func parseJSON(src []byte) (*value, error) {
	d := json.NewDecoder(bytes.NewReader(plainJSON(src)))
	d.UseNumber()
	v, err := readJSON(d, 0)
	if err != nil || !v.object {
		return nil, errJSON
	}
	return v, nil
}

func readJSON(d *json.Decoder, depth int) (*value, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	v := &value{}
	switch t := t.(type) {
	case string:
		v.text = t
	case json.Delim:
		if depth > 200 {
			return nil, io.ErrUnexpectedEOF
		}
		v.object = t == '{'
		for d.More() {
			if v.object {
				k, err := d.Token()
				if err != nil {
					return nil, err
				}
				s, _ := k.(string)
				v.keys = append(v.keys, s)
			}
			c, err := readJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			if v.object {
				v.members = append(v.members, *c)
			} else {
				v.list = append(v.list, *c)
			}
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// plainJSON returns src without comments, byte order mark, and commas behind
// last elements.
func plainJSON(src []byte) []byte {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	out := make([]byte, 0, len(src))
	comma := -1 // position of a comma that nothing follows yet
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '"':
			j := i + 1
			for j < len(src) && src[j] != '"' {
				if src[j] == '\\' {
					j++
				}
				j++
			}
			j = min(j+1, len(src))
			out = append(out, src[i:j]...)
			comma = -1
			i = j - 1
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			for i < len(src) && src[i] != '\n' {
				i++
			}
			i--
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			n := bytes.Index(src[i+2:], []byte("*/"))
			if n < 0 {
				return out
			}
			i += n + 3
		case c == ',':
			comma = len(out)
			out = append(out, c)
		case c == ']' || c == '}':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
			out = append(out, c)
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			out = append(out, c)
		default:
			comma = -1
			out = append(out, c)
		}
	}
	return out
}
