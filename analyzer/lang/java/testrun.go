package java

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/lang"
)

// testCommands returns the commands that run tests, one for each module: those
// of the build system whose file is nearest above a test's file, Maven where a
// folder has files of both. Tests that no build file is above are run by class,
// with JUnit's launcher from the class path. Maven finds classes by their simple
// names, and so does Gradle.
func testCommands(r lang.TestRun) []string {
	b := newBuilds(r.Manifests)
	if r.All {
		return b.all()
	}
	type task struct{ tool, root, module, name string }
	var tasks []task
	classes := map[task][]string{}
	for _, t := range r.Tests {
		module, tool := b.module(dirOf(t.File))
		k := task{tool: tool, root: b.root(module, tool), module: module, name: "test"}
		class := strings.TrimSuffix(path.Base(t.File), ".java")
		switch tool {
		case gradle:
			if set := sourceSet(t.File, module); set != "test" {
				k.name = set // the task that a source set's tests are run by is named after it, by convention
			}
		case "":
			class = qualifiedClass(t.File)
		}
		if classes[k] == nil {
			tasks = append(tasks, k)
		}
		if !slices.Contains(classes[k], class) {
			classes[k] = append(classes[k], class)
		}
	}
	slices.SortFunc(tasks, func(x, y task) int {
		return strings.Compare(x.module+"\x00"+x.tool+"\x00"+x.name, y.module+"\x00"+y.tool+"\x00"+y.name)
	})
	var cmds []string
	for _, k := range tasks {
		cs := classes[k]
		slices.Sort(cs)
		below := strings.TrimPrefix(strings.TrimPrefix(k.module, k.root), "/")
		var cmd string
		switch k.tool {
		case maven:
			cmd = "mvn"
			if k.root != "" {
				cmd += " -f " + shellQuote(k.root)
			}
			cmd += " test"
			if below != "" {
				cmd += " -pl " + shellQuote(below) + " -am -Dsurefire.failIfNoSpecifiedTests=false"
			}
			cmd += " -Dtest=" + shellQuote(strings.Join(cs, ","))
		case gradle:
			cmd = gradleAt(k.root)
			if below != "" {
				below = ":" + strings.ReplaceAll(below, "/", ":")
			}
			cmd += " " + shellQuote(below+":"+k.name)
			for _, c := range cs {
				cmd += " --tests " + shellQuote(c)
			}
		default:
			cmd = launcher
			for _, c := range cs {
				cmd += " -c " + shellQuote(c)
			}
		}
		cmds = append(cmds, cmd)
	}
	return cmds
}

// The build systems, and what runs the classes of those who have none.
const (
	maven    = "maven"
	gradle   = "gradle"
	launcher = "java org.junit.platform.console.ConsoleLauncher execute"
)

func gradleAt(root string) string {
	if root == "" {
		return "gradle"
	}
	return "gradle -p " + shellQuote(root)
}

// builds are the folders with build files.
type builds struct {
	maven, gradle, settings map[string]bool
}

func newBuilds(manifests []string) *builds {
	b := &builds{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, f := range manifests {
		if inResources(f) {
			continue
		}
		switch base := path.Base(f); {
		case base == "pom.xml":
			b.maven[dirOf(f)] = true
		case strings.HasPrefix(base, "settings.gradle"):
			b.settings[dirOf(f)] = true
		case strings.HasPrefix(base, "build.gradle"):
			b.gradle[dirOf(f)] = true
		}
	}
	return b
}

// module returns the folder of the module that a folder is in, and what builds
// it. A project of Gradle need not have a file of its own: then it is the folder
// above the source sets.
func (b *builds) module(dir string) (module, tool string) {
	src := dir
	if i := strings.Index("/"+dir+"/", "/src/"); i >= 0 {
		src = strings.TrimSuffix(dir[:max(i-1, 0)], "/")
	}
	for d := dir; ; d = dirOf(d) {
		switch {
		case b.maven[d]:
			return d, maven
		case b.gradle[d]:
			return d, gradle
		case b.settings[d]:
			return src, gradle
		case d == "":
			return "", ""
		}
	}
}

// root returns the folder in which the build of a module is started: the topmost
// of the folders of Maven above it without a gap, and that of Gradle's settings.
func (b *builds) root(module, tool string) string {
	switch tool {
	case maven:
		for module != "" && b.maven[dirOf(module)] {
			module = dirOf(module)
		}
	case gradle:
		for d := module; ; d = dirOf(d) {
			if b.settings[d] {
				return d
			}
			if d == "" {
				break
			}
		}
	}
	return module
}

// all returns the commands that run all tests.
func (b *builds) all() []string {
	var roots []string
	for d := range b.maven {
		roots = append(roots, b.root(d, maven)+"\x00"+maven)
	}
	for d := range b.gradle {
		if !b.maven[d] {
			roots = append(roots, b.root(d, gradle)+"\x00"+gradle)
		}
	}
	slices.Sort(roots)
	var cmds []string
	for _, r := range slices.Compact(roots) {
		root, tool, _ := strings.Cut(r, "\x00")
		switch {
		case tool == gradle:
			cmds = append(cmds, gradleAt(root)+" test")
		case root == "":
			cmds = append(cmds, "mvn test")
		default:
			cmds = append(cmds, "mvn -f "+shellQuote(root)+" test")
		}
	}
	if len(cmds) == 0 {
		return []string{launcher + " --scan-classpath"}
	}
	return cmds
}

// sourceSet returns the name of the folder below src that holds a file of a
// module, "test" if there is none.
func sourceSet(file, module string) string {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(file, module), "/"), "src/")
	if set, _, more := strings.Cut(rest, "/"); ok && more {
		return set
	}
	return "test"
}

// qualifiedClass returns the name of the class that a file is named after, by
// the folders below its source root.
func qualifiedClass(file string) string {
	p := "/" + strings.TrimSuffix(file, ".java")
	for _, root := range []string{"/java/", "/test/", "/tests/", "/src/"} {
		if i := strings.LastIndex(p, root); i >= 0 {
			return strings.ReplaceAll(p[i+len(root):], "/", ".")
		}
	}
	return strings.ReplaceAll(p[1:], "/", ".")
}

// shellQuote quotes a word that may hold anything.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./,+:-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 && s[0] != '-' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
