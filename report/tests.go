package report

import (
	"bufio"
	"io"
	"strings"
)

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
