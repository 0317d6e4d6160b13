package report

import (
	"bytes"
	"io"

	"github.com/goccy/go-json"
)

// writeJSON writes a report as one line. Equal reports give equal bytes.
func writeJSON(w io.Writer, r *Report, _ Options) error { return encode(w, r) }

func writeDeltaJSON(w io.Writer, r *DeltaReport, _ Options) error { return encode(w, r) }

func encode(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeJSON(b.Bytes()))
	return err
}
