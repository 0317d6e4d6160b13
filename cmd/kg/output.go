package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/report"
)

// stdoutPath stands for standard output in place of a path.
const stdoutPath = "-"

// output is one value of -o FORMAT=PATH.
type output struct{ format, path string }

// outputs is the flag -o. It checks formats against those the command has.
type outputs struct {
	formats []string
	list    []output
}

// outputFlag adds -o to a command.
func outputFlag(cmd *cobra.Command, formats ...string) *outputs {
	o := &outputs{formats: formats}
	cmd.Flags().VarP(o, "output", "o", "write `FORMAT=PATH`, - for standard output; may be repeated\nformats: "+strings.Join(formats, ", "))
	complete(cmd, "output", formats...)
	return o
}

func (o *outputs) String() string { return "" }
func (o *outputs) Type() string   { return "FORMAT=PATH" }

func (o *outputs) Set(s string) error {
	format, path, ok := strings.Cut(s, "=")
	if !ok {
		path = stdoutPath
	}
	for _, f := range o.formats {
		if f != format {
			continue
		}
		if path == "" {
			return errors.New("the path is missing; - is standard output")
		}
		for _, other := range o.list {
			if other.path == path {
				return errors.New(report.Escape(path) + " is written twice")
			}
		}
		o.list = append(o.list, output{format, path})
		return nil
	}
	return errors.New("it begins with one of " + strings.Join(o.formats, ", ") + ", as in " + o.formats[0] + "=PATH")
}

// all returns the outputs, or text on standard output if none was given. It
// fails early, before work is done, if one of them cannot be written.
func (o *outputs) all() ([]output, error) {
	if len(o.list) == 0 {
		return []output{{"text", stdoutPath}}, nil
	}
	for _, out := range o.list {
		if err := writable(out.path); err != nil {
			return nil, err
		}
	}
	return o.list, nil
}

// writable finds out early that a file cannot be made.
func writable(path string) error {
	if path == stdoutPath {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &failure{text: "cannot write " + quote(path) + ": it is a folder", hint: "name a file in it"}
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return &failure{text: "cannot write " + quote(path) + ": " + cause(err), hint: "make the folder " + quote(dir) + " first"}
	}
	if !info.IsDir() {
		return &failure{text: "cannot write " + quote(path) + ": " + quote(dir) + " is not a folder"}
	}
	return nil
}

// write makes one output. A file appears whole or not at all.
func (a *app) write(ctx context.Context, path string, to func(io.Writer) error) error {
	if path != stdoutPath {
		return artifact.CreateFile(ctx, path, to)
	}
	w := bufio.NewWriterSize(a.out, 1<<16)
	err := to(w)
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return &failure{text: "cannot write to standard output", err: err}
	}
	return nil
}
