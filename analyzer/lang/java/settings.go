package java

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What settings of Gradle say of projects: which ones there are, in which
// folders, and what they are called. A project has its folder's name if nothing
// gives it another one.
var (
	gradleInclude = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\s*(?:settings\.)?include\b\s*\(?((?:\s*,?\s*['"][\w.:/-]+['"])+)`)
	})
	gradleQuoted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`['"]([\w.:/-]+)['"]`) })
	gradleFolder = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`project\(\s*['"]:?([\w.:-]+)['"]\s*\)\.projectDir\s*=\s*(?:new\s+)?[Ff]ile\(\s*(?:(?:rootDir|settingsDir|rootProject\.projectDir)\s*,\s*)?['"](?:\$\{?\w+\}?/)?([\w./-]+)['"]`)
	})
	gradleNaming = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(\w[\w.]*(?:\(\s*['"]:?[\w.:-]*['"]\s*\))?)\.name\s*=\s*("[^"\n]*"|[^"=\s;}][^"\n;}]*)`)
	})
	gradleCalled   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`project\(\s*['"]:?([\w.:-]+)['"]\s*\)$`) })
	gradleString   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:"([^"$\\]*)"|'([^'\\]*)')\s*$`) })
	gradleInName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{\s*\w+\.name\s*\}`) })
	gradleChildren = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\brootProject\.children\s*\.\s*(?:each|forEach)\b`) })
)

// settings reads the projects of a build of Gradle, and says "others" if there may
// be more, or other builds that are a part of it.
func (m *manifest) settings(src []byte) {
	src = eachWritten(withoutComments(src))
	folders := map[string]string{}
	others := !plainSettings(src)
	for _, x := range gradleFolder().FindAllSubmatch(src, 1<<12) {
		folders[string(x[1])] = path.Clean(string(x[2]))
	}
	name := gradleNames(src)
	seen := map[string]bool{}
	for _, x := range gradleInclude().FindAllSubmatch(src, 1<<12) {
		for _, q := range gradleQuoted().FindAllSubmatch(x[1], 1<<12) {
			project := strings.Trim(string(q[1]), ":")
			// Each project above one that is included is one, too.
			for end := 0; end < len(project); end++ {
				if i := strings.IndexByte(project[end:], ':'); i >= 0 {
					end += i
				} else {
					end = len(project)
				}
				p := project[:end]
				dir, ok := folders[p]
				if !ok {
					dir = path.Clean(strings.ReplaceAll(p, ":", "/"))
				}
				if seen[p] || dir == "." || strings.HasPrefix(dir, "..") || strings.HasPrefix(dir, "/") {
					continue
				}
				seen[p] = true
				if called, ok := name(p); ok {
					dir = called + "\t" + dir
				} else {
					others = true
				}
				m.set("project", dir)
			}
		}
	}
	if others {
		m.set("others", "true")
	}
}

// plainSettings reports whether all projects that settings include are read.
func plainSettings(src []byte) bool {
	toks, ok := gradleTokens(src)
	r := &gradleReader{toks: toks}
	if !ok || !r.match() {
		return false
	}
	folders := 0
	for i, t := range toks {
		switch {
		case t.text == "include" && t.kind == 'a':
			k := i + 1
			for ; k < len(toks); k++ {
				if c := toks[k].kind; c == '"' && !toks[k].part || c == '(' || c == ',' || c == '\n' && (r.is(k-1, ',') || r.is(k-1, '(') || r.is(k+1, ')')) {
					continue
				}
				break
			}
			if k == i+1 || k < len(toks) && toks[k].kind != '\n' && toks[k].kind != ')' && toks[k].kind != '}' && toks[k].kind != ';' {
				return false
			}
		case t.kind == 'a' && (t.text == "includeFlat" || t.text == "includeBuild" || t.text == "sourceControl" || t.text == "apply" && slices.ContainsFunc(toks[i:r.lineEnd(i)], func(t gradleToken) bool { return t.text == "from" })):
			return false
		case r.steps < 0: // a line that is too long
			return false
		case t.text == "projectDir" && t.kind == 'a' && r.is(i-1, '.') && r.is(i+1, '='):
			folders++
		}
	}
	return folders == len(gradleFolder().FindAllIndex(src, -1))
}

var (
	gradleEach = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:\[|listOf\()([\s\w'",:/-]*)[\])]\s*\.\s*(?:each|forEach)\s*\{`)
	})
	gradleListed   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\s*['"][\w:/-]+['"]\s*,?)+\s*$`) })
	gradleVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(\w+)\s*->`) })
)

// maxEach bounds what is done for each of some names.
const maxEach = 1 << 11

// eachWritten writes out what is done for each of some names, as in
// ['a', 'b'].each { name -> include "shop-$name" }.
func eachWritten(src []byte) []byte {
	if !bytes.Contains(src, []byte("ach")) {
		return src
	}
	var out []byte
	for {
		at := gradleEach().FindSubmatchIndex(src)
		if at == nil {
			return append(out, src...)
		}
		depth, end := 1, at[1]
		for ; end < len(src) && depth > 0; end++ {
			switch src[end] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		list := src[at[2]:at[3]]
		if depth > 0 {
			return append(out, src...)
		}
		if end-at[1] > maxEach || !gradleListed().Match(list) {
			out = append(out, src[:at[1]]...)
			src = src[at[1]:]
			continue
		}
		out = append(out, src[:at[0]]...)
		body, name := string(src[at[1]:end-1]), "it"
		if v := gradleVariable().FindStringSubmatch(body); v != nil {
			body, name = body[len(v[0]):], v[1]
		}
		put := regexp.MustCompile(`\$\{` + name + `\}|\$` + name + `\b`)
		plain := regexp.MustCompile(`(include\s*\(?\s*)` + name + `\b`)
		for _, q := range gradleQuoted().FindAllSubmatch(list, 1<<8) {
			text := put.ReplaceAllLiteralString(body, string(q[1]))
			out = append(out, "\n"+plain.ReplaceAllString(text, "${1}'"+string(q[1])+"'")+"\n"...)
		}
		src = src[end:]
	}
}

// gradleNames returns what gives the path by which a task of a project is asked
// for: those that settings give another name have that. The names of none are
// known where settings work them out in another way than by putting something
// before or behind those of all children of the root.
func gradleNames(src []byte) func(project string) (string, bool) {
	called := map[string]string{}
	before, behind := "", ""
	known := true
	for _, x := range gradleNaming().FindAllSubmatch(src, 1<<12) {
		of, to := string(x[1]), strings.TrimSpace(string(x[2]))
		text := gradleString().FindStringSubmatch(to)
		switch c := gradleCalled().FindStringSubmatch(of); {
		case of == "rootProject" || of == "settings.rootProject":
		case c != nil && text != nil:
			called[c[1]] = text[1] + text[2]
		case gradleChildren().Match(src) && before+behind == "":
			in := gradleInName().FindStringIndex(to)
			if known = in != nil && len(to) > 1 && to[0] == '"' && to[len(to)-1] == '"' && !strings.ContainsAny(to[1:in[0]]+to[in[1]:len(to)-1], `$"\`); known {
				before, behind = to[1:in[0]], to[in[1]:len(to)-1]
			}
		default:
			known = false
		}
	}
	return func(project string) (string, bool) {
		if !known {
			return "", false
		}
		var b strings.Builder
		for end := 0; end < len(project); {
			start := end
			if i := strings.IndexByte(project[start:], ':'); i >= 0 {
				end = start + i
			} else {
				end = len(project)
			}
			part := project[start:end]
			if start == 0 {
				part = before + part + behind
			}
			if n, ok := called[project[:end]]; ok {
				part = n
			}
			b.WriteString(":" + part)
			end++
		}
		return b.String(), true
	}
}

// withoutComments returns a program without its comments. What looks like one
// inside of a string is none.
func withoutComments(src []byte) []byte {
	out := make([]byte, 0, len(src))
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '"' || c == '\'':
			j := i + 1
			for j < len(src) && src[j] != c && src[j] != '\n' {
				if src[j] == '\\' {
					j++
				}
				j++
			}
			j = min(j, len(src)-1)
			out = append(out, src[i:j+1]...)
			i = j
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			for i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			text := i + 2
			for i = text; i < len(src) && !(src[i] == '/' && i > text && src[i-1] == '*'); i++ {
			}
		default:
			out = append(out, c)
		}
	}
	return out
}
