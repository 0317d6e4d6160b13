package gooracle

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/codekg/kg/bench/record"
)

// directives leaves open what the directives of a file name: they are no part
// of the language, and the type checker does not read them.
func (w *walker) directives() {
	src, err := os.ReadFile(filepath.Join(w.o.root, filepath.FromSlash(w.rel)))
	if err != nil {
		return // it was parsed a moment ago
	}
	row := 0
	for line := range bytes.SplitSeq(src, []byte("\n")) {
		row++
		for _, prefix := range []string{"//go:linkname ", "//go:embed "} {
			at := bytes.Index(line, []byte(prefix))
			if at < 0 || len(bytes.TrimSpace(line[:at])) > 0 {
				continue
			}
			for col := at + len(prefix); col < len(line); col++ {
				if line[col] != ' ' && line[col-1] == ' ' {
					w.put(&record.Site{Kind: record.Unresolved, From: fileID(w.rel), File: w.rel, Line: row, Col: col + 1, Open: true})
				}
			}
		}
	}
}
