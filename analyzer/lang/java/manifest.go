package java

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
)

// ExtractManifest returns the facts of a build file: the settings artifact,
// group and needs, the last for each artifact or project that the build file
// names as a dependency; module, the folder of each module that a project of
// Maven is built with, behind the profile that it takes, if any, and a tab;
// project, the folder of each project that settings of Gradle include, behind
// its path, if that is known, and a tab. What else may be on class paths is told
// by "may" and "open", as gradle.go and pom say. Files of Gradle are programs; what
// stands in them as plain text is read, and nothing is run.
func ExtractManifest(name string, src []byte, b *facts.Builder) (*facts.File, error) {
	b.Reset()
	m := &manifest{b: b}
	switch {
	case name == "pom.xml":
		if err := m.pom(src); err != nil {
			return nil, err
		}
	case strings.HasPrefix(name, "settings."):
		m.settings(src)
		m.gradle(src)
	default:
		src = eachWritten(src)
		m.gradle(src)
		m.gradlePaths(src)
	}
	return b.Finish(), nil
}

type manifest struct{ b *facts.Builder }

func (m *manifest) set(name, value string) {
	value = strings.TrimSpace(value)
	if value == "" || len(value) > 1<<10 || strings.ContainsAny(value, "\n\x00") {
		return
	}
	m.b.Settings = append(m.b.Settings, facts.Setting{Name: m.b.InternString(name), Value: m.b.InternString(value)})
}

var errPom = errors.New("not a Maven project file")

// element is an open element of a project of Maven, with the names in it.
type element struct {
	name, group, artifact string
	outside, picks, all   bool // of resources: they are elsewhere; some are named; more than those may be taken
}

// pom reads a project of Maven. Encodings other than UTF-8 are read as if they
// were: names of artifacts are ASCII.
//
// Whatever artifact is named anywhere may be on the class path, as a dependency, a
// plugin, what processes annotations, or the parent whose dependencies are its own: "may"
// is GROUP:NAME, without the name where it is not known. Managed dependencies are
// versions, and what is left out adds nothing. A file elsewhere in the tree that may be
// code is "open", and "scans" says that tests of other artifacts are run, too. "tests"
// is the folder of the tests of this project and of those whose "parent" it is.
func (m *manifest) pom(src []byte) error {
	d := xml.NewDecoder(bytes.NewReader(src))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var open []element
	var path string // the names of what is open, joined by slashes
	var text strings.Builder
	group, parent := "", ""
	var inProfile []string
	profile, always := "", false
	seen := false
	said := map[string]bool{}
	say := func(name, value string) {
		if k := name + "\x00" + value; !said[k] {
			said[k] = true
			m.set(name, value)
		}
	}
	for {
		tok, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			if !seen {
				return errPom
			}
			say("open", "syntax")
			break
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if len(open) < 64 {
				open = append(open, element{name: t.Name.Local})
			} else {
				return errPom
			}
			if path != "" {
				path += "/"
			}
			path += t.Name.Local
			seen = seen || t.Name.Local == "project"
			text.Reset()
		case xml.CharData:
			if text.Len() < 1<<12 {
				text.Write(t)
			}
		case xml.EndElement:
			switch path {
			case "project/artifactId":
				m.set("artifact", text.String())
			case "project/groupId":
				group = text.String()
			case "project/parent/groupId":
				parent = text.String()
			case "project/parent/artifactId":
				m.set("parent", strings.TrimSpace(text.String()))
			case "project/build/testSourceDirectory":
				if dir := folderFrom(strings.TrimSpace(text.String())); dir != "" {
					m.set("tests", dir)
				}
			case "project/dependencies/dependency/artifactId":
				m.set("needs", text.String())
			case "project/modules/module", "project/subprojects/subproject":
				m.set("module", text.String())
			case "project/profiles/profile/modules/module", "project/profiles/profile/subprojects/subproject":
				inProfile = append(inProfile, strings.TrimSpace(text.String()))
			case "project/profiles/profile/id":
				profile = strings.TrimSpace(text.String())
			case "project/profiles/profile/activation/activeByDefault":
				always = strings.TrimSpace(text.String()) == "true"
			case "project/profiles/profile":
				for _, dir := range inProfile {
					if !always {
						dir = profile + "\t" + dir
					}
					m.set("module", dir)
				}
				inProfile, profile, always = nil, "", false
			}
			if n := len(open); n > 0 {
				value := strings.TrimSpace(text.String())
				switch e := &open[n-1]; {
				case e.name == "groupId" && n > 1:
					open[n-2].group = value
				case e.name == "artifactId" && n > 1:
					open[n-2].artifact = value
				case e.name == "dependenciesToScan":
					say("scans", "true")
				case e.artifact != "" && n > 1:
					if !strings.Contains(path, "/dependencyManagement/") && !strings.Contains(path, "/exclusions/") {
						switch {
						case e.artifact == "${project.artifactId}": // itself
						case strings.Contains(e.artifact, "${"):
							say("may", e.group+":")
						default:
							say("may", e.group+":"+e.artifact)
						}
					}
				case e.name == "directory" && n > 1 && open[n-2].isResource():
					open[n-2].outside = codeElsewhere(e.name, value)
				case e.name == "include" && n > 2 && open[n-3].isResource():
					open[n-3].picks = true
					open[n-3].all = open[n-3].all || strings.ContainsAny(value, "*?$") && !noCode(value) || strings.HasSuffix(value, "/")
				case e.isResource():
					if e.outside && (e.all || !e.picks) {
						say("open", e.name)
					}
				case codeElsewhere(e.name, value):
					say("open", e.name)
				}
				path = strings.TrimSuffix(strings.TrimSuffix(path, open[n-1].name), "/")
				open = open[:n-1]
			}
			text.Reset()
		}
	}
	if !seen {
		return errPom
	}
	if group == "" {
		group = parent
	}
	m.set("group", group)
	return nil
}

// codeElsewhere reports whether an element of a project of Maven may be code of
// the tree that is outside of the project's folder.
func codeElsewhere(name, value string) bool {
	outside := strings.Contains(value, "..") || strings.Contains(value, "parent.basedir") || strings.Contains(value, "ultiModuleProjectDirectory") ||
		strings.Contains(value, "executionRootDirectory")
	if !outside && name != "systemPath" || strings.HasPrefix(value, "${java.home}") {
		return false
	}
	switch name {
	case "relativePath", "module", "subproject", "description", "url", "name":
		return false
	}
	return !noCode(value)
}

// noCode reports whether a file is none of code, by its name.
func noCode(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "txt", "xml", "md", "properties", "pro", "yml", "yaml", "header", "license":
		return true
	}
	return false
}

// isResource reports whether files of a folder are taken as they are.
func (e *element) isResource() bool { return e.name == "resource" || e.name == "testResource" }

// folderFrom returns a folder as it is seen from that of the project of Maven that
// names it, or nothing if it is not known.
func folderFrom(dir string) string {
	for _, base := range []string{"${basedir}/", "${project.basedir}/", "./"} {
		dir = strings.TrimPrefix(dir, base)
	}
	if dir = path.Clean(dir); dir == "." || strings.ContainsAny(dir, "$\\") || strings.HasPrefix(dir, "/") {
		return ""
	}
	return dir
}

var gradleProject = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`project\(\s*(?:path\s*[:=]\s*)?['"]:([\w.:-]+)['"]`) })
var gradleAccessor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bprojects\.([\w.]+)`) })

func (m *manifest) gradle(src []byte) {
	if !bytes.Contains(src, []byte("project")) {
		return
	}
	for _, x := range gradleProject().FindAllSubmatch(src, 1<<12) {
		name := string(x[1])
		m.set("needs", name[strings.LastIndexByte(name, ':')+1:])
	}
	for _, x := range gradleAccessor().FindAllSubmatch(src, 1<<12) {
		name := string(x[1])
		m.set("needs", kebab(name[strings.LastIndexByte(name, '.')+1:]))
	}
}

// kebab turns the name of an accessor into that of the project: fooBar is
// foo-bar.
func kebab(s string) string {
	var b strings.Builder
	for _, r := range s {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
