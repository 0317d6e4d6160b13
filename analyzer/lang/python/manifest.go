package python

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Build files that say in which folders packages are: pyproject.toml of setuptools,
// Poetry, Hatch, PDM, uv and Maturin, setup.cfg, and the call of setup in a setup.py.
// They give two settings: root, a folder that Python would search, and package,
// NAME=FOLDER, a package that has another name than its folder. Folders are relative
// to that of the build file. Flit asks for src itself, which needs no saying. Lists of
// requirements say what is installed, and nothing of folders. A third setting, classes,
// says how classes are called that pytest looks for tests in.

const (
	settingRoot    = "root"
	settingPackage = "package"
	settingClasses = "classes"
)

// maxManifest bounds the bytes of a build file that are read, and maxRoots the settings
// that it gives.
const (
	maxManifest = 1 << 20
	maxRoots    = 256
)

// maxKeyParts and maxValueParts bound the tokens of a key and of its value.
const (
	maxKeyParts   = 64
	maxValueParts = 1 << 11
)

// ExtractManifest returns the facts of a build file. Time is linear in its size.
func ExtractManifest(name string, src []byte, b *facts.Builder) (*facts.File, error) {
	b.Reset()
	m := manifest{b: b}
	text := string(src[:min(len(src), maxManifest)])
	switch {
	case name == "setup.cfg":
		m.config(text)
	case strings.HasSuffix(name, ".toml"):
		m.toml(text)
	}
	return b.Finish(), nil
}

// dependencies says that a build file that changed concerns every build, unless only
// its comments and empty lines did: it has what is installed, how tests are run, and
// where packages are.
func dependencies(_ string, base, head []byte) (modules []string, rest bool) {
	return nil, !slices.Equal(statements(base), statements(head))
}

// statements returns the lines of a build file that say something.
func statements(src []byte) []string {
	var list []string
	for line := range strings.Lines(string(src)) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}

type manifest struct{ b *facts.Builder }

func (m *manifest) set(name, value string) {
	if len(m.b.Settings) < maxRoots && len(value) < 1<<10 {
		m.b.Settings = append(m.b.Settings, facts.Setting{Name: m.b.InternString(name), Value: m.b.InternString(value)})
	}
}

// folder returns a folder below that of the build file, without what says only that.
func folder(s string) (string, bool) {
	s = path.Clean(strings.ReplaceAll(s, `\`, "/"))
	return s, s != "" && s != "." && s != ".." && !strings.HasPrefix(s, "../") && !strings.HasPrefix(s, "/") && !strings.ContainsAny(s, "*?{\n\x00")
}

func (m *manifest) root(s string) {
	if f, ok := folder(s); ok {
		m.set(settingRoot, f)
	}
}

// dir says where a package is, all packages for the name "".
func (m *manifest) dir(name, in string) {
	if name == "" {
		m.root(in)
		return
	}
	if f, ok := folder(in); ok && !strings.ContainsAny(name, "=/\n\x00") && f != strings.ReplaceAll(name, ".", "/") {
		m.set(settingPackage, name+"="+f)
	}
}

// config reads a setup.cfg.
func (m *manifest) config(text string) {
	section, key := "", ""
	for line := range strings.Lines(text) {
		plain := strings.TrimSpace(line)
		switch {
		case plain == "" || plain[0] == '#' || plain[0] == ';':
			continue
		case plain[0] == '[' && strings.HasSuffix(plain, "]"):
			section, key = plain[1:len(plain)-1], ""
			continue
		}
		value := plain
		if line[0] != ' ' && line[0] != '\t' {
			k, v, ok := strings.Cut(plain, "=")
			if !ok {
				key = ""
				continue
			}
			key, value = strings.ReplaceAll(strings.TrimSpace(k), "-", "_"), strings.TrimSpace(v)
		}
		switch {
		case section == "options" && key == "package_dir":
			if name, in, ok := strings.Cut(value, "="); ok {
				m.dir(strings.TrimSpace(name), strings.TrimSpace(in))
			}
		case section == "options.packages.find" && key == "where":
			m.root(value)
		case section == "tool:pytest" && key == "python_classes" && value != "":
			m.set(settingClasses, value)
		}
	}
}

// toml reads a pyproject.toml as far as it says where packages are.
func (m *manifest) toml(text string) {
	section := ""
	lines := tomlLines{rest: text}
	for {
		t, ok := lines.next()
		if !ok {
			return
		}
		if len(t) > 1 && t[0].is("[") {
			section = ""
			for _, x := range t[:min(len(t), maxKeyParts)] {
				if !x.is("[") && !x.is("]") {
					section += x.text
				}
			}
			continue
		}
		eq := 0
		key := section
		for eq < len(t) && eq < maxKeyParts && !t[eq].is("=") {
			if !t[eq].is(".") {
				key += "." + t[eq].text
			}
			eq++
		}
		if eq < len(t) && t[eq].is("=") {
			m.entry(key, t[eq+1:min(len(t), eq+maxValueParts)])
		}
	}
}

// entry reads one value.
func (m *manifest) entry(key string, value []tomlToken) {
	var texts []string
	for _, x := range value {
		if x.quoted {
			texts = append(texts, x.text)
		}
	}
	one := ""
	if len(texts) > 0 {
		one = texts[0]
	}
	name, last := strings.TrimPrefix(key, "tool."), ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		last = name[i+1:]
	}
	switch {
	case name == "setuptools.package-dir" || name == "hatch.build.sources" || name == "hatch.build.targets.wheel.sources":
		pairs := pairsOf(value)
		for _, p := range pairs {
			m.pair(name, p[0], p[1])
		}
		if len(pairs) == 0 {
			for _, s := range texts {
				m.root(s)
			}
		}
	case strings.HasPrefix(name, "setuptools.package-dir."):
		m.pair(name, last, one)
	case strings.HasPrefix(name, "hatch.build.sources.") || strings.HasPrefix(name, "hatch.build.targets.wheel.sources."):
		m.pair(name, name[strings.Index(name, "sources.")+len("sources."):], one)
	case name == "setuptools.packages.find.where" || name == "pdm.build.package-dir" || name == "maturin.python-source" || name == "uv.build-backend.module-root":
		for _, s := range texts {
			m.root(s)
		}
	case name == "setuptools.packages.find" || name == "setuptools.packages":
		for i, x := range value {
			if x.text == "where" && !x.quoted && i+1 < len(value) && value[i+1].is("=") {
				for _, y := range value[i+2:] {
					if y.is("]") {
						break
					}
					if y.quoted {
						m.root(y.text)
					}
				}
			}
		}
	case name == "pytest.ini_options.python_classes" || name == "pytest.python_classes":
		for _, s := range texts {
			m.set(settingClasses, s)
		}
	case name == "poetry.packages":
		for _, p := range pairsOf(value) {
			if p[0] == "from" {
				m.root(p[1])
			}
		}
	case name == "hatch.build.targets.wheel.packages" || name == "hatch.build.packages":
		for _, s := range texts {
			m.root(path.Dir(s))
		}
	}
}

// pair reads what a table says of one package: setuptools has its name first, Hatch
// its folder.
func (m *manifest) pair(table, a, b string) {
	if strings.HasPrefix(table, "hatch.") {
		a, b = strings.ReplaceAll(strings.Trim(b, "/"), "/", "."), a
	}
	m.dir(a, b)
}

// pairsOf returns the entries of inline tables whose values are texts.
func pairsOf(value []tomlToken) (out [][2]string) {
	for i := 0; i+2 < len(value); i++ {
		if value[i+1].is("=") && value[i+2].quoted {
			out = append(out, [2]string{value[i].text, value[i+2].text})
		}
	}
	return out
}

// tomlToken is a text, a bare word or a mark.
type tomlToken struct {
	text   string
	quoted bool
}

func (t tomlToken) is(mark string) bool { return !t.quoted && t.text == mark }

// tomlLines takes a text apart into lines of tokens; what stands in brackets is one
// line.
type tomlLines struct{ rest string }

func (l *tomlLines) next() (line []tomlToken, ok bool) {
	depth := 0
	for l.rest != "" {
		switch c := l.rest[0]; {
		case c == '\n':
			l.rest = l.rest[1:]
			if depth <= 0 && len(line) > 0 {
				return line, true
			}
		case c == ' ' || c == '\t' || c == '\r':
			l.rest = l.rest[1:]
		case c == '#':
			i := strings.IndexByte(l.rest, '\n')
			if i < 0 {
				i = len(l.rest)
			}
			l.rest = l.rest[i:]
		case c == '"' || c == '\'':
			line = append(line, tomlToken{l.quoted(c), true})
		case strings.IndexByte("[]{}=,.", c) >= 0:
			if c == '[' || c == '{' {
				depth++
			} else if c == ']' || c == '}' {
				depth--
			}
			line = append(line, tomlToken{text: l.rest[:1]})
			l.rest = l.rest[1:]
		default:
			i := strings.IndexAny(l.rest, " \t\r\n#\"'[]{}=,.")
			if i < 0 {
				i = len(l.rest)
			}
			line = append(line, tomlToken{text: l.rest[:i]})
			l.rest = l.rest[i:]
		}
	}
	return line, len(line) > 0
}

// quoted takes a text off that begins with the mark c, or with three of them.
func (l *tomlLines) quoted(c byte) string {
	mark := l.rest[:1]
	if three := strings.Repeat(mark, 3); strings.HasPrefix(l.rest, three) {
		mark = three
	}
	s := l.rest[len(mark):]
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && c == '"':
			i++
		case strings.HasPrefix(s[i:], mark):
			l.rest = s[i+len(mark):]
			return s[:i]
		case s[i] == '\n' && len(mark) == 1:
			l.rest = s[i:]
			return s[:i]
		}
	}
	l.rest = ""
	return s
}

// setup notes what a call of setup says about folders.
func (e *extractor) setup(fn, args syntax.ID) {
	if args == syntax.None || e.owner != none || string(e.t.Text(e.lastName(fn))) != "setup" {
		return
	}
	m := manifest{b: e.b}
	for c := range e.t.NamedChildren(args) {
		if e.class(c) != classKeywordArgument {
			continue
		}
		v := e.child(c, fieldValue)
		if v == syntax.None {
			continue
		}
		switch string(e.t.Text(e.child(c, fieldName))) {
		case "package_dir":
			if e.class(v) != classDict {
				continue
			}
			for p := range e.t.NamedChildren(v) {
				if e.class(p) != classPair {
					continue
				}
				name, ok := e.constant(e.child(p, fieldKey))
				in, ok2 := e.constant(e.child(p, fieldValue))
				if ok && ok2 {
					m.dir(name, in)
				}
			}
		case "packages": // find_packages("src"), find_packages(where="src")
			if e.class(v) != classCall || !strings.HasPrefix(e.t.String(e.lastName(v)), "find_") {
				continue
			}
			for a := range e.t.NamedChildren(e.child(v, fieldArguments)) {
				where := a
				if e.class(a) == classKeywordArgument {
					if string(e.t.Text(e.child(a, fieldName))) != "where" {
						continue
					}
					where = e.child(a, fieldValue)
				}
				if s, ok := e.constant(where); ok {
					m.root(s)
				}
				break
			}
		}
	}
}
