package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/artifact"
)

// A server lives long and reads what changes contain. So it parses nothing
// itself: it runs command lines of kg in supervised children, and reads what they
// have written.

// errNoChild says that there can be no child: the work has to be done here.
var errNoChild = errors.New("no child")

// runApart runs a command line of kg that writes into the folder dir, which is
// made for it. It returns what is to be done with the folder in the end.
func (a *app) runApart(ctx context.Context, args func(dir string) []string) (dir string, remove func(), err error) {
	if a.apart == nil {
		return "", nil, errNoChild
	}
	if dir, err = os.MkdirTemp("", "kg-"); err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	line := []string{"--quiet", "--color=never", "--workers=" + strconv.Itoa(a.workers)}
	if a.noCache {
		line = append(line, "--no-cache")
	}
	if err := a.apart(ctx, append(line, args(dir)...)); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

// buildApart makes the graph of a side in a child.
func (a *app) buildApart(ctx context.Context, s *side) error {
	var what []string
	switch {
	case s.origin == fromRevision:
		what = []string{"--ref=" + s.commit.ID}
	case s.origin == fromFolder || s.origin == fromWorkTree && s.owns != nil:
		what = []string{"--", s.name}
	case s.origin != fromWorkTree:
		return errNoChild
	}
	file := ""
	_, remove, err := a.runApart(ctx, func(dir string) []string {
		file = filepath.Join(dir, graphFileName)
		return append([]string{"build", "--output=" + file}, what...)
	})
	if err != nil {
		return err
	}
	defer remove()
	s.graph, err = artifact.ReadFile(file, artifact.Limits{})
	return err
}

// saidError is the error that a child has told on its standard error.
func saidError(said []byte) error {
	f := &failure{text: "kg failed in a process of its own"}
	for line := range bytes.Lines(said) {
		text := strings.TrimSpace(string(line))
		if t, ok := strings.CutPrefix(text, "kg: error: "); ok {
			f.text = t
		} else if t, ok := strings.CutPrefix(text, "kg: hint: "); ok {
			f.hint = t
		}
	}
	return f
}
