package java

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
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
// its path, if that is known, and a tab. Files of Gradle are programs; what
// stands in them as plain text is read, and nothing is run.
func ExtractManifest(name string, src []byte, b *facts.Builder) (*facts.File, error) {
	b.Reset()
	m := &manifest{b: b}
	if name == "pom.xml" {
		if err := m.pom(src); err != nil {
			return nil, err
		}
	} else {
		if strings.HasPrefix(name, "settings.") {
			m.settings(src)
		}
		m.gradle(src)
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

// pom reads a project of Maven. Encodings other than UTF-8 are read as if they
// were: names of artifacts are ASCII.
func (m *manifest) pom(src []byte) error {
	d := xml.NewDecoder(bytes.NewReader(src))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var open []string
	var text strings.Builder
	group, parent := "", ""
	var inProfile []string
	profile, always := "", false
	seen := false
	for {
		tok, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			if !seen {
				return errPom
			}
			break
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if len(open) < 64 {
				open = append(open, t.Name.Local)
			} else {
				return errPom
			}
			seen = seen || t.Name.Local == "project"
			text.Reset()
		case xml.CharData:
			if text.Len() < 1<<12 {
				text.Write(t)
			}
		case xml.EndElement:
			switch strings.Join(open, "/") {
			case "project/artifactId":
				m.set("artifact", text.String())
			case "project/groupId":
				group = text.String()
			case "project/parent/groupId":
				parent = text.String()
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
			if len(open) > 0 {
				open = open[:len(open)-1]
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

var gradleProject = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`project\(\s*(?:path\s*[:=]\s*)?['"]:([\w.:-]+)['"]`) })
var gradleAccessor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bprojects\.([\w.]+)`) })

func (m *manifest) gradle(src []byte) {
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
