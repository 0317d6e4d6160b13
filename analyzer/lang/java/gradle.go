package java

import (
	"slices"
	"strings"
)

// Build files of Gradle are programs. What they say of the class paths of
// projects is read where it is said plainly, and everything else makes it open:
//
//   - A block "dependencies" at the top of a file is about the file's project; it
//     must be understood completely.
//   - What stands anywhere else may be about all projects below, too, as
//     subprojects { … } is: each project that it names counts for all of them.
//
// What is found out are settings: "may" names a project or an artifact, by its
// path with a colon before it, by an accessor with an @ before it or by GROUP:NAME;
// "applies" the base name of a script that is read as if it stood there; "open"
// says that more may be meant; "holds" is a name that stands for something that is
// made of projects, and "uses" one that stands for a dependency, so that who uses
// what another one holds has any dependency. With "below " before it, a setting
// concerns the projects below, too.

// gradleToken is a word, a string, a mark or the end of a line.
type gradleToken struct {
	kind byte // 'a' word, '"' string, '\n', else the mark itself
	text string
	part bool // of a string: something is put into it
}

// gradleTokens cuts a program in Groovy or Kotlin into tokens. It reports false
// where a string does not end.
func gradleTokens(src []byte) (toks []gradleToken, ok bool) {
	word := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	}
	s := string(src)
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\n':
			toks = append(toks, gradleToken{kind: '\n'})
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\\' && i+1 < len(s) && (s[i+1] == '\n' || s[i+1] == '\r'): // the line goes on
			i += 2
			if s[i-1] == '\r' && i < len(s) && s[i] == '\n' {
				i++
			}
		case strings.HasPrefix(s[i:], "//"):
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return toks, false
			}
			i += end + 4
		case c == '"' || c == '\'':
			quote := s[i : i+1]
			if t := strings.Repeat(quote, 3); strings.HasPrefix(s[i:], t) {
				quote = t
			}
			text, part, end := gradleText(s, i+len(quote), quote)
			if end < 0 {
				return toks, false
			}
			toks = append(toks, gradleToken{'"', text, part})
			i = end
		case c == '/' && gradlePattern(toks):
			end := i + 1
			for end < len(s) && s[end] != '/' && s[end] != '\n' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(s) || s[end] == '\n' {
				toks = append(toks, gradleToken{kind: '/'})
				i++
				break
			}
			toks = append(toks, gradleToken{'"', s[i+1 : end], true})
			i = end + 1
		case word(c):
			k := i
			for i < len(s) && (word(s[i]) || s[i] == '$') {
				i++
			}
			toks = append(toks, gradleToken{kind: 'a', text: s[k:i]})
		default:
			toks = append(toks, gradleToken{kind: c})
			i++
		}
	}
	return toks, true
}

// gradlePattern reports whether a slash begins a pattern after the tokens so far:
// it divides behind a value.
func gradlePattern(toks []gradleToken) bool {
	if len(toks) == 0 {
		return false
	}
	return strings.IndexByte("(,=~[{:!&|?", toks[len(toks)-1].kind) >= 0
}

// gradleText returns what stands in a string that begins at i, whether something
// is put into it, and where it ends; -1 if it does not.
func gradleText(s string, i int, quote string) (text string, part bool, end int) {
	start := i
	for i < len(s) {
		switch {
		case strings.HasPrefix(s[i:], quote):
			return s[start:i], part, i + len(quote)
		case s[i] == '\\':
			i += 2
		case s[i] == '\n' && len(quote) == 1:
			return "", false, -1
		case s[i] == '$' && quote[0] == '"' && i+1 < len(s) && s[i+1] == '{':
			part = true
			depth := 0
			for ; i < len(s); i++ {
				if s[i] == '{' {
					depth++
				} else if s[i] == '}' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			i++
		default:
			part = part || s[i] == '$' && quote[0] == '"'
			i++
		}
	}
	return "", false, -1
}

// gradleReader reads what a build file says of class paths.
type gradleReader struct {
	toks  []gradleToken
	ends  []int // by opening bracket: where it is closed
	set   func(name, value string)
	said  map[[2]string]bool
	steps int // what may still be looked at
}

// The limits of what is read: brackets in brackets, tokens of a line, and how often
// a token is looked at. What is beyond them is open.
const (
	maxGradleDepth = 200
	maxGradleLine  = 1 << 10
	maxGradleSteps = 1 << 6
)

// gradlePaths reads what a build file says of class paths.
func (m *manifest) gradlePaths(src []byte) {
	r := &gradleReader{set: m.set, said: map[[2]string]bool{}}
	var ok bool
	if r.toks, ok = gradleTokens(src); !ok || !r.match() {
		r.say(true, "open", "brackets")
		return
	}
	r.steps = maxGradleSteps * (len(r.toks) + 1)
	r.region(0, len(r.toks), true, true)
	if r.steps < 0 {
		r.say(true, "open", "steps")
	}
}

// match finds the brackets that belong together, and reports whether all do.
func (r *gradleReader) match() bool {
	r.ends = make([]int, len(r.toks))
	var open []int
	for i, t := range r.toks {
		switch t.kind {
		case '(', '[', '{':
			if open = append(open, i); len(open) > maxGradleDepth {
				return false
			}
		case ')', ']', '}':
			if len(open) == 0 {
				return false
			}
			at := open[len(open)-1]
			if b := r.toks[at].kind; b == '(' && t.kind != ')' || b == '[' && t.kind != ']' || b == '{' && t.kind != '}' {
				return false
			}
			r.ends[at] = i
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

func (r *gradleReader) say(below bool, name, value string) {
	if below {
		name = "below " + name
	}
	if k := [2]string{name, value}; !r.said[k] {
		r.said[k] = true
		r.set(name, value)
	}
}

func (r *gradleReader) is(i int, kind byte) bool {
	return i >= 0 && i < len(r.toks) && r.toks[i].kind == kind
}

func (r *gradleReader) word(i int) string {
	if r.is(i, 'a') {
		return r.toks[i].text
	}
	return ""
}

// lineEnd returns the end of the line of token i, or that of the block around it.
func (r *gradleReader) lineEnd(i int) int {
	for n := 0; i < len(r.toks); i++ {
		if n++; n > maxGradleLine {
			r.steps = -1
			return i
		}
		switch r.toks[i].kind {
		case '\n', ';', '}':
			return i
		case '(', '[', '{':
			i = r.ends[i]
		}
	}
	return i
}

// The words that stand for other projects than the file's own, and those that
// say where classes are.
var (
	gradleOthers = []string{"subprojects", "allprojects", "childProjects", "getSubprojects", "getAllprojects", "getChildProjects", "findProject"}
	gradlePlaces = []string{"srcDir", "srcDirs", "setSrcDirs", "files", "fileTree", "classpath", "testClassesDirs", "flatDir"}
)

// region reads what stands outside of dependencies of the file's own project.
func (r *gradleReader) region(lo, hi int, top, below bool) {
	for i := lo; i < hi && r.steps >= 0; i++ {
		r.steps--
		if r.toks[i].kind == '"' && strings.Contains(r.toks[i].text, "project(") {
			r.say(below, "open", "project in a string")
		}
		switch w := r.word(i); w {
		case "":
			if r.is(i, '{') || r.is(i, '(') || r.is(i, '[') {
				r.region(i+1, r.ends[i], false, below)
				i = r.ends[i]
			}
		case "dependencies":
			switch {
			case r.is(i+1, '{'):
				r.dependencies(i+2, r.ends[i+1], below && (!top || r.is(i-1, '.')))
				i = r.ends[i+1]
			case r.is(i+1, '.') && r.word(i+2) == "create" && r.is(i+4, '"'): // a library
			case r.is(i+1, '.') || r.is(i+1, '('):
				r.say(below, "open", w)
			}
		case "project", "evaluationDependsOn", "projects":
			r.mention(i, below)
		case "rootProject", "parent":
			if next := r.word(i + 2); r.is(i+1, '.') && (next == "sourceSets" || next == "configurations") {
				r.say(below, "may", ":")
				if w == "parent" {
					r.say(below, "open", w)
				}
			}
		case "apply":
			r.applied(i, below)
		default:
			switch {
			case slices.Contains(gradleOthers, w):
				r.hold(i, lo, below)
			case slices.Contains(gradlePlaces, w) && r.outside(i+1, r.lineEnd(i)):
				r.say(below, "open", w)
			}
		}
	}
}

// hold notes the names on the line of i, which may stand for other projects.
func (r *gradleReader) hold(i, lo int, below bool) {
	from := i
	for from > lo && !r.is(from-1, '\n') && !r.is(from-1, ';') && !r.is(from-1, '{') {
		from--
		r.steps--
	}
	for k := from; k < len(r.toks) && !r.is(k, '\n'); k++ {
		if r.steps--; r.steps < 0 {
			return
		}
		if w := r.word(k); w != "" && !slices.Contains(gradleOthers, w) {
			r.say(below, "holds", w)
		}
	}
}

// outside reports whether something names a place outside of the project's folder.
func (r *gradleReader) outside(lo, hi int) bool {
	for _, t := range r.toks[lo:hi] {
		switch {
		case t.kind == '"' && (strings.Contains(t.text, "..") || t.part && (strings.Contains(t.text, "root") || strings.Contains(t.text, "parent"))):
			return true
		case t.kind == 'a' && (t.text == "rootDir" || t.text == "rootProject" || t.text == "parent"):
			return true
		}
	}
	return false
}

// gradleOwn are the texts of paths that are the project's own.
var gradleOwn = []string{":${project.name}", ":$project.name", "${project.path}", "$project.path"}

// mention reads a project that is named at i, and returns the end of its name.
func (r *gradleReader) mention(i int, below bool) int {
	switch {
	case r.word(i) == "projects":
		end, name := i+1, ""
		for r.is(end, '.') && r.word(end+1) != "" {
			name += "." + r.word(end+1)
			end += 2
		}
		if name != "" {
			r.say(below, "may", "@"+name[1:])
		}
		return end
	case r.is(i+1, '('):
		end, found, other := r.ends[i+1], false, false
		for k := i + 2; k < end; k++ {
			t := r.toks[k]
			if t.kind == '"' && t.part && slices.Contains(gradleOwn, t.text) {
				found = true
			} else if t.kind == '"' && !t.part && (k == i+2 || strings.HasPrefix(t.text, ":")) {
				r.say(below, "may", ":"+strings.TrimPrefix(t.text, ":"))
				found = true
			}
			other = other || t.kind != '\n'
		}
		if other && !found { // project() is the own one
			r.say(below, "open", "project")
		}
		return end + 1
	case r.word(i) == "evaluationDependsOn" || r.is(i+1, '"'):
		if !r.is(i+1, '"') || r.toks[i+1].part {
			r.say(below, "open", "project")
			return i + 1
		}
		r.say(below, "may", ":"+strings.TrimPrefix(r.toks[i+1].text, ":"))
		return i + 2
	}
	return i + 1
}

// applied reads which script is applied at i, if one is.
func (r *gradleReader) applied(i int, below bool) {
	end := r.lineEnd(i)
	script := false
	for k := i + 1; k < end; k++ {
		script = script || r.word(k) == "from"
	}
	if !script {
		return
	}
	found := false
	for _, t := range r.toks[i+1 : end] {
		base := t.text[strings.LastIndexByte(t.text, '/')+1:]
		if t.kind == '"' && gradleScript(base) && !strings.ContainsAny(base, "${}") && !strings.Contains(t.text, "://") {
			r.say(below, "applies", base)
			found = true
		}
	}
	if !found {
		r.say(below, "open", "apply")
	}
}

// gradleScript reports whether a file is one of Gradle, by its name.
func gradleScript(base string) bool {
	return strings.HasSuffix(base, ".gradle") || strings.HasSuffix(base, ".gradle.kts")
}

// dependencies reads the statements of such a block.
func (r *gradleReader) dependencies(lo, hi int, below bool) {
	for i := lo; i < hi && r.steps >= 0; {
		r.steps--
		next := r.dependency(i, hi, below)
		if next < 0 {
			r.say(below, "open", r.toks[i].text)
			r.region(i, r.lineEnd(i), false, below)
			next = r.lineEnd(i)
		}
		i = max(next, i+1)
	}
}

// The blocks of dependencies that add none, and the calls that make dependencies
// of their arguments or of nothing.
var (
	gradleNeutral = []string{"modules", "components", "attributesSchema", "artifactTypes"}
	gradleCalls   = []string{"platform", "enforcedPlatform", "testFixtures", "gradleApi", "gradleTestKit", "localGroovy", "kotlin", "embeddedKotlin",
		"variantOf", "create", "module", "dependency", "get", "map", "mapOf", "listOf", "files", "fileTree", "npm"}
)

// dependency reads the statement that begins at i, and returns its end, or -1 if
// it is not understood.
func (r *gradleReader) dependency(i, hi int, below bool) int {
	w := r.word(i)
	switch {
	case r.is(i, '\n') || r.is(i, ';') || r.is(i, ','):
		return i + 1
	case w == "if" && r.is(i+1, '('):
		return r.nested(r.ends[i+1]+1, below)
	case w == "else":
		return r.nested(i+1, below)
	case w == "constraints" && r.is(i+1, '{'):
		return r.nested(i+1, below)
	case slices.Contains(gradleNeutral, w) && r.is(i+1, '{'):
		r.region(i+2, r.ends[i+1], false, below)
		return r.ends[i+1] + 1
	case w == "def" || w == "val" || w == "var" || w != "" && r.is(i+1, '='):
		end := r.lineEnd(i)
		r.region(i, end, false, below)
		return end
	case w == "" && !r.is(i, '"') || w == "project" || w == "projects" || slices.Contains(gradleOthers, w):
		return -1
	case r.is(i+1, '('):
		if !r.arguments(i+2, r.ends[i+1], below) {
			return -1
		}
		i = r.ends[i+1] + 1
	case r.is(i+1, 'a') || r.is(i+1, '"') || r.is(i+1, '['):
		end := i + 1
		for end < hi && !r.is(end, '\n') && !r.is(end, ';') && !r.is(end, '{') && !r.is(end, '}') {
			if r.is(end, '(') || r.is(end, '[') {
				end = r.ends[end]
			}
			if end++; r.is(end-1, ',') {
				for r.is(end, '\n') {
					end++
				}
			}
		}
		if !r.arguments(i+1, end, below) {
			return -1
		}
		i = end
	default:
		return -1
	}
	if r.is(i, '{') { // what is left out, or why
		r.region(i+1, r.ends[i], false, below)
		i = r.ends[i] + 1
	}
	return i
}

// nested reads a block of statements.
func (r *gradleReader) nested(i int, below bool) int {
	for r.is(i, '\n') {
		i++
	}
	if !r.is(i, '{') {
		return i
	}
	r.dependencies(i+1, r.ends[i], below)
	return r.ends[i] + 1
}

// arguments reads what is added, separated by commas, and reports whether all of
// it is understood.
func (r *gradleReader) arguments(lo, hi int, below bool) bool {
	for i := lo; i < hi; {
		if r.steps--; r.steps < 0 {
			return false
		}
		if r.is(i, '\n') || r.is(i, ',') {
			i++
			continue
		}
		if i = r.argument(i, hi, below); i < 0 {
			return false
		}
	}
	return true
}

// argument reads one thing that is added, and returns its end, or -1 if it is not
// understood.
func (r *gradleReader) argument(i, hi int, below bool) int {
	if w := r.word(i); w != "" && (r.is(i+1, ':') || r.is(i+1, '=')) { // by name: what a library is called
		if i += 2; w == "path" {
			if !r.is(i, '"') || r.toks[i].part {
				return -1
			}
			r.say(below, "may", ":"+strings.TrimPrefix(r.toks[i].text, ":"))
		} else if v := r.word(i); v != "" && v != "project" && v != "projects" && !r.is(i+1, '(') {
			for i++; r.is(i, '.') && r.word(i+1) != ""; i += 2 {
			}
			return i
		}
	}
	switch {
	case r.is(i, '"'): // a library, or the name of one
		if t := r.toks[i]; !t.part && strings.Contains(t.text, ":") {
			part := strings.Split(t.text, ":")
			r.say(below, "may", part[0]+":"+part[1])
		}
		i++
	case r.is(i, '[') || r.is(i, '('):
		if !r.arguments(i+1, r.ends[i], below) {
			return -1
		}
		i = r.ends[i] + 1
	case r.word(i) == "true" || r.word(i) == "false" || r.word(i) == "null":
		i++
	case (r.word(i) == "project" || r.word(i) == "projects") && (r.is(i+1, '(') || r.is(i+1, '.') && r.word(i) == "projects"):
		i = r.mention(i, below)
		for r.is(i, '.') && r.word(i+1) != "" { // what of it
			if i += 2; r.is(i, '(') {
				i = r.ends[i] + 1
			}
		}
	case r.word(i) != "":
		if i = r.named(i, below); i < 0 {
			return -1
		}
	default:
		return -1
	}
	for r.is(i, '+') || r.word(i) == "to" { // what comes after the name of a library; a pair
		i++
		if r.is(i, '"') || r.word(i) != "" && !r.is(i+1, '(') {
			for i++; r.is(i, '.') && r.word(i+1) != ""; i += 2 {
			}
		} else {
			return -1
		}
	}
	if r.is(i, '{') {
		r.region(i+1, r.ends[i], false, below)
		i = r.ends[i] + 1
	}
	if i < hi && !r.is(i, ',') && !r.is(i, '\n') {
		return -1
	}
	return i
}

// named reads a dependency that has a name, or that a call makes, and returns its
// end, or -1 if it is not understood.
func (r *gradleReader) named(i int, below bool) int {
	first, last := r.word(i), r.word(i)
	if slices.Contains([]string{"project", "rootProject", "parent", "it", "this", "gradle"}, first) || slices.Contains(gradleOthers, first) {
		return -1
	}
	path, made := false, false
	for i++; ; {
		switch {
		case r.is(i, '.') && r.word(i+1) != "":
			path, last = path || !made, r.word(i+1)
			i += 2
		case r.is(i, '('):
			end := r.ends[i]
			if !slices.Contains(gradleCalls, last) || (last == "files" || last == "fileTree") && r.outside(i+1, end) || !r.arguments(i+1, end, below) {
				return -1
			}
			made = true
			i = end + 1
		default:
			if !path && !made {
				return -1 // a variable may be anything
			}
			if path && first != "libs" {
				r.say(below, "uses", first)
			}
			return i
		}
	}
}
