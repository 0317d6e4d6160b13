package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Oracle is a whole output of an oracle.
type Oracle struct {
	Meta  Meta
	Files []*File
	Defs  []*Def
	Sites []*Site
	End   End
}

// Graph is the part of an export of kg that can be compared.
type Graph struct {
	Nodes []*Node
	Edges []*Edge
}

// maxLine bounds one record; signatures are the longest part of one.
const maxLine = 16 << 20

func eachLine(r io.Reader, f func(kind string, line []byte) error) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<16), maxLine)
	for n := 1; sc.Scan(); n++ {
		if len(sc.Bytes()) == 0 {
			continue
		}
		var head struct {
			T string `json:"t"`
		}
		if err := json.Unmarshal(sc.Bytes(), &head); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := f(head.T, sc.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return sc.Err()
}

func decode[T any](line []byte) (*T, error) {
	v := new(T)
	return v, json.Unmarshal(line, v)
}

func appendDecoded[T any](to *[]*T, line []byte) error {
	v, err := decode[T](line)
	*to = append(*to, v)
	return err
}

// ReadOracle reads the output of an oracle and checks that it is complete.
func ReadOracle(r io.Reader) (*Oracle, error) {
	o := &Oracle{}
	err := eachLine(r, func(kind string, line []byte) error {
		switch kind {
		case "meta":
			return json.Unmarshal(line, &o.Meta)
		case "file":
			return appendDecoded(&o.Files, line)
		case "def":
			return appendDecoded(&o.Defs, line)
		case "site":
			return appendDecoded(&o.Sites, line)
		case "end":
			return json.Unmarshal(line, &o.End)
		}
		return fmt.Errorf("unknown record %q", kind)
	})
	if err != nil {
		return nil, err
	}
	if o.Meta.Schema != Schema {
		return nil, fmt.Errorf("schema is %q, want %q", o.Meta.Schema, Schema)
	}
	if o.End.T == "" || o.End.Defs != len(o.Defs) || o.End.Sites != len(o.Sites) {
		return nil, errors.New("the output is incomplete: its end record is missing or counts other records")
	}
	return o, nil
}

// ReadGraph reads an export of kg. Records of other types are skipped, so that
// the export may grow.
func ReadGraph(r io.Reader) (*Graph, error) {
	g := &Graph{}
	err := eachLine(r, func(kind string, line []byte) error {
		switch kind {
		case "node":
			return appendDecoded(&g.Nodes, line)
		case "edge":
			return appendDecoded(&g.Edges, line)
		}
		return nil
	})
	return g, err
}

// Write writes the oracle's records, filling in their types, the schema and the
// end record.
func (o *Oracle) Write(w io.Writer) error {
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	enc.SetEscapeHTML(false)
	var errs []error
	put := func(v any) { errs = append(errs, enc.Encode(v)) }
	o.Meta.T, o.Meta.Schema = "meta", Schema
	put(o.Meta)
	for _, f := range o.Files {
		f.T = "file"
		put(f)
	}
	for _, d := range o.Defs {
		d.T = "def"
		put(d)
	}
	o.End = End{T: "end", Defs: len(o.Defs), Sites: len(o.Sites)}
	for _, s := range o.Sites {
		s.T = "site"
		if s.Open {
			o.End.Open++
		}
		put(s)
	}
	put(o.End)
	return errors.Join(append(errs, bw.Flush())...)
}

// Write writes the graph in the form that kg exports.
func (g *Graph) Write(w io.Writer) error {
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	enc.SetEscapeHTML(false)
	var errs []error
	for _, n := range g.Nodes {
		n.T = "node"
		errs = append(errs, enc.Encode(n))
	}
	for _, e := range g.Edges {
		e.T = "edge"
		errs = append(errs, enc.Encode(e))
	}
	return errors.Join(append(errs, bw.Flush())...)
}

// Restrict makes the oracle silent about files that has does not know, such as
// those that git ignores: what stands in them judges nobody, and what leads to
// them is open.
func (o *Oracle) Restrict(has func(file string) bool) {
	gone := map[string]bool{} // definitions
	for _, f := range o.Files {
		if !has(f.File) && f.Judged {
			f.Judged, f.Reason = false, "not in the tree"
		}
	}
	for _, d := range o.Defs {
		if d.Kind != "package" && d.File != "" && !has(d.File) {
			gone[d.ID] = true
		}
	}
	if len(gone) == 0 {
		return
	}
	kept := o.Sites[:0]
	for _, s := range o.Sites {
		if gone[s.From] || !has(s.File) {
			continue
		}
		if gone[s.To] {
			if s.Kind == Implements || s.Kind == Overrides {
				continue
			}
			s.To, s.Open = "", true
			o.End.Open++
		}
		kept = append(kept, s)
	}
	o.Sites = kept
}
