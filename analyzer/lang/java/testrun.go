package java

import (
	"cmp"
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
	b := newBuilds(r)
	if r.All {
		return b.all(append(slices.Clone(r.Tests), r.Others...))
	}
	type task struct{ tool, root, module, name string }
	var tasks []task
	classes := map[task][]string{}
	type chosen struct {
		task
		class string
	}
	seen := map[chosen]bool{}
	for _, t := range r.Tests {
		module, tool := b.module(dirOf(t.File))
		k := task{tool: tool, root: b.root(module, tool), module: module, name: "test"}
		class := t.Type
		if class == "" {
			class = strings.TrimSuffix(path.Base(t.File), ".java")
		}
		switch tool {
		case gradle:
			if set := sourceSet(t.File, module); set != "test" {
				k.name = set // the task that a source set's tests are run by is named after it, by convention
			}
		}
		if tool != maven && t.Package != "" && t.Package != "." { // Gradle knows simple names since 4.7
			class = t.Package + "." + class
		}
		if classes[k] == nil {
			tasks = append(tasks, k)
		}
		if x := (chosen{k, class}); !seen[x] {
			seen[x] = true
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
		var cmd, names string
		switch k.tool {
		case maven:
			cmd = b.mavenAt(k.root, k.module)
			switch below := relative(k.root, k.module); {
			case below != "":
				cmd += " -pl " + shellQuote(below) + " -am"
				names = " -Dsurefire.failIfNoSpecifiedTests=false"
			case b.lists[k.root]:
				cmd += " -N" // the modules that it lists have no such tests
			}
			names += " -Dtest=" + shellQuote(strings.Join(cs, ","))
		case gradle:
			cmd = b.gradleTask(k.root, k.module, k.name)
			names = options(" --tests ", cs)
		default:
			cmds = append(cmds, launched(cs)...)
			continue
		}
		if len(cmd)+len(names) > lang.MaxCommand {
			cmds, names = append(cmds, lang.Coarser("all tests of the module")), ""
		}
		cmds = append(cmds, cmd+names)
	}
	return cmds
}

// options returns a command's option with each of some values.
func options(name string, values []string) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString(name + shellQuote(v))
	}
	return b.String()
}

// launched returns the commands that run classes with JUnit's launcher.
func launched(classes []string) []string {
	var cmds []string
	for len(classes) > 0 {
		size, n := len(launcher), 0
		for n < len(classes) && (n == 0 || size+4+len(shellQuote(classes[n])) <= lang.MaxCommand) {
			size += 4 + len(shellQuote(classes[n]))
			n++
		}
		cmds = append(cmds, launcher+options(" -c ", classes[:n]))
		classes = classes[n:]
	}
	if len(cmds) > maxRuns {
		return []string{lang.Coarser("all tests"), launcher + " --scan-classpath"}
	}
	return cmds
}

// maxRuns bounds the commands that classes are spread over, each of which starts
// the launcher anew.
const maxRuns = 8

// The build systems, and what runs the classes of those who have none.
const (
	maven    = "maven"
	gradle   = "gradle"
	launcher = "java org.junit.platform.console.ConsoleLauncher execute"
)

// mavenAt returns the command that tests what is built in root, with the
// profiles that a module needs to be part of it.
func (b *builds) mavenAt(root, module string) string {
	cmd := "mvn"
	if root != "" {
		cmd += " -f " + shellQuote(root)
	}
	cmd += " test"
	if p := b.reactors[module].profiles; p != "" {
		cmd += " -P " + shellQuote(p)
	}
	return cmd
}

// gradleAt returns the command that starts a build of Gradle in a folder.
func gradleAt(dir string) string {
	if dir == "" {
		return "gradle"
	}
	return "gradle -p " + shellQuote(dir)
}

// gradleTask returns the command that runs a task of a project: by the path of
// the project in the build at root or, if that is not known, from its folder.
func (b *builds) gradleTask(root, module, task string) string {
	switch called := b.projects[module]; {
	case module == root:
		return gradleAt(root) + " " + shellQuote(":"+task)
	case called != "":
		return gradleAt(root) + " " + shellQuote(called+":"+task)
	}
	return gradleAt(module) + " " + shellQuote(task)
}

// builds are the folders with build files, and what these say of each other.
type builds struct {
	maven, gradle, settings map[string]bool
	reactors                map[string]reactor // of modules of Maven
	lists                   map[string]bool    // the roots of reactors with modules
	projects                map[string]string  // the paths of projects of Gradle; empty: not known
}

// reactor is what a module of Maven is built from.
type reactor struct{ root, profiles string }

func newBuilds(r lang.TestRun) *builds {
	b := &builds{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]reactor{}, map[string]bool{}, map[string]string{}}
	for _, f := range r.Manifests {
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
	for _, m := range r.Modules {
		parts := append(strings.Split(m.Build, buildParts), "", "")
		if parts[1] == "." {
			parts[1] = ""
		}
		switch parts[0] {
		case maven:
			b.reactors[m.Dir] = reactor{parts[1], parts[2]}
			if parts[1] != m.Dir {
				b.lists[parts[1]] = true
			}
		case gradle:
			b.projects[parts[1]] = parts[2]
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
		_, project := b.projects[d]
		switch {
		case b.maven[d]:
			return d, maven
		case project || b.gradle[d]:
			return d, gradle
		case b.settings[d]:
			return src, gradle
		case d == "":
			return "", ""
		}
	}
}

// root returns the folder in which the build of a module is started: that of
// the project of Maven that lists it, and that of Gradle's settings.
func (b *builds) root(module, tool string) string {
	switch tool {
	case maven:
		if r, ok := b.reactors[module]; ok {
			return r.root
		}
	case gradle:
		for d := module; path.Base(d) != "buildSrc"; d = dirOf(d) { // what builds the build is one of its own
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

// all returns the commands that run all tests, by what builds them; what only
// profiles build is not among them.
func (b *builds) all(tests []lang.TestCase) []string {
	type build struct{ root, tool string }
	var roots []build
	add := func(module, tool string) {
		if root := b.root(module, tool); tool != "" && !slices.Contains(roots, build{root, tool}) {
			roots = append(roots, build{root, tool})
		}
	}
	for _, t := range tests {
		add(b.module(dirOf(t.File)))
	}
	if len(tests) == 0 {
		add(b.module(""))
	}
	slices.SortFunc(roots, func(x, y build) int { return cmp.Or(strings.Compare(x.root, y.root), strings.Compare(x.tool, y.tool)) })
	var cmds []string
	for _, r := range roots {
		if r.tool == gradle {
			cmds = append(cmds, gradleAt(r.root)+" test")
		} else {
			cmds = append(cmds, b.mavenAt(r.root, r.root))
		}
	}
	if len(cmds) == 0 {
		return []string{launcher + " --scan-classpath"}
	}
	return cmds
}

// relative returns the way from a folder to another one.
func relative(from, to string) string {
	up := ""
	for from != "" && to != from && !strings.HasPrefix(to, from+"/") {
		from, up = dirOf(from), up+"../"
	}
	return strings.TrimSuffix(up+strings.TrimPrefix(strings.TrimPrefix(to, from), "/"), "/")
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
