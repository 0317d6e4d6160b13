package java

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/lang"
)

// testCommands returns the commands that run tests, one for each module: Maven
// where its folder is below one with tests in Maven's layout, by class names
// with -Dtest. The module of a test is the folder above its source root.
func testCommands(r lang.TestRun) []string {
	if r.All {
		return []string{"mvn test"}
	}
	var dirs []string
	classes := map[string][]string{}
	for _, t := range r.Tests {
		dir, class := testModule(t.File)
		if classes[dir] == nil {
			dirs = append(dirs, dir)
		}
		if !slices.Contains(classes[dir], class) {
			classes[dir] = append(classes[dir], class)
		}
	}
	slices.Sort(dirs)
	var cmds []string
	for _, d := range dirs {
		cs := classes[d]
		slices.Sort(cs)
		cmd := "mvn test"
		if d != "" {
			cmd += " -pl " + shellQuote(d) + " -am -Dsurefire.failIfNoSpecifiedTests=false"
		}
		cmds = append(cmds, cmd+" -Dtest="+shellQuote(strings.Join(cs, ",")))
	}
	return cmds
}

// testModule returns the folder of the module of a test file and the class that
// the file is named after.
func testModule(file string) (dir, class string) {
	class = strings.TrimSuffix(path.Base(file), ".java")
	if i := strings.Index("/"+file, "/src/"); i >= 0 {
		return strings.TrimSuffix(file[:i], "/"), class
	}
	return "", class
}

// shellQuote quotes a word that may hold anything.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./,+-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 && s[0] != '-' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
