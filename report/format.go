package report

import (
	"fmt"
	"io"
	"strings"
)

// Options adapt a format. The zero value is useful.
type Options struct {
	Color bool // text: use ANSI colours
	Limit int  // text, md: entries per list; 0 means 20, a negative number all
	Bytes int  // md: how long the report may be, at least some kilobytes; 0 means no limit
	Graph bool // md: with a drawing of the impact
	// Link returns the address of a line, in the head or in the base; empty or
	// nil: there is none. Used by md.
	Link func(file string, line int32, head bool) string

	// TestCommands returns the commands that run a selection; nil: none are
	// written.
	TestCommands func(*Tests) []string
}

// Format is one way to write reports.
type Format struct {
	Name string
	Doc  string
	// Impact writes a report of kg impact; Delta one of kg diff. nil means that
	// the format cannot.
	Impact func(io.Writer, *Report, Options) error
	Delta  func(io.Writer, *DeltaReport, Options) error
}

// Formats returns all formats, by name.
func Formats() []Format {
	return []Format{
		{"checkstyle", "findings as Checkstyle XML, for Jenkins and others", writeCheckstyle, nil},
		{"github", "findings as workflow commands, which GitHub Actions shows at their lines", writeAnnotations, nil},
		{"gitlab", "findings as a Code Quality report of GitLab", writeGitLab, nil},
		{"json", "the whole report, for programs", writeJSON, writeDeltaJSON},
		{"junit", "the gate as JUnit XML, one test for each rule", writeJUnit, nil},
		{"md", "what matters, for pull requests and summaries of CI runs", writeMarkdown, nil},
		{"rdjson", "findings for reviewdog", writeRDJSON, nil},
		{"sarif", "findings as SARIF 2.1.0, for code scanning", writeSARIF, nil},
		{"tests", "the commands that run the selected tests, for a shell", writeTests, nil},
		{"text", "what matters, for people at a terminal", writeText, writeDeltaText},
	}
}

// FormatNamed returns the format with the given name.
func FormatNamed(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("no report format %q; there are %s", name, strings.Join(names, ", "))
}
