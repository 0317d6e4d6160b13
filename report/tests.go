package report

import (
	"bufio"
	"io"
	"strings"
)

// because says in words why tests are selected. What is not listed says itself.
func because(w *TestReason) string {
	switch w.Reason {
	case "lost_files":
		return "files were lost to the analysis"
	case "unparsed_change":
		return "changed files did not parse completely"
	case "unanalysed_change":
		return "changed files are not analysed"
	case "no_change":
		return "nothing changed that runs"
	case "unreached":
		return "no test is seen to reach a change"
	case "ambiguous":
		return "some reach a change over ambiguous names only"
	case "on_load":
		return "files run changed code when they are loaded"
	case "data_change":
		return "data changed"
	case "dependency_change":
		return "dependencies changed"
	case "build_change":
		return "how everything is built changed"
	case "calls_of_unknown_values":
		return "calls of values of unknown types may reach a change"
	case "deep_inheritance":
		return "methods override more than is followed"
	case "many_runs":
		return "more classes or files run the same tests than are named one by one"
	}
	return strings.ReplaceAll(w.Reason, "_", " ")
}

// name returns what people call what is run as a whole.
func (w *Whole) name() string {
	if w.Symbol != "" {
		return w.Symbol
	}
	return w.File
}

// writeTests writes the commands that run the selected tests, one a line, for
// a shell. Why everything or nothing is to be run is a comment.
func writeTests(w io.Writer, r *Report, o Options) error {
	b := bufio.NewWriter(w)
	for _, reason := range r.Tests.Reasons {
		s := "# " + r.Tests.Mode + ": " + strings.ReplaceAll(reason.Reason, "_", " ")
		if len(reason.Paths) > 0 {
			s += ": " + strings.Join(reason.Paths, ", ")
		}
		b.WriteString(Escape(s) + "\n")
	}
	if o.TestCommands != nil {
		for _, c := range o.TestCommands(&r.Tests) {
			b.WriteString(c + "\n")
		}
	}
	return b.Flush()
}

// inPackages divides n names among their packages, which are in the order in which
// they come.
func inPackages(n int, at func(i int) (pkg, name string)) (packages []string, names map[string][]string) {
	names = map[string][]string{}
	for i := range n {
		pkg, name := at(i)
		if names[pkg] == nil {
			packages = append(packages, pkg)
		}
		names[pkg] = append(names[pkg], name)
	}
	return packages, names
}
