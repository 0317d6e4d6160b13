package artifact_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/codekg/kg/analyzer/artifact"
)

// checkFolder checks that a folder holds one file, graph.kg, with a content.
func checkFolder(t *testing.T, dir, want string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != "graph.kg" {
		t.Errorf("the folder holds %v", entries)
	}
	got, err := os.ReadFile(filepath.Join(dir, "graph.kg"))
	if err != nil || string(got) != want {
		t.Errorf("the file holds %q, %v; want %q", got, err, want)
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// TestCreateFileLeftovers writes where processes were killed long ago and just now.
func TestCreateFileLeftovers(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	for name, keep := range map[string]bool{
		".graph.kg.ABCDEFGHIJ.tmp": false,
		".graph.kg.ABCDEFGHI2.tmp": true, // somebody may be writing it
		".graph.kg.notes.tmp":      true, // of somebody else
		".other.kg.ABCDEFGHIJ.tmp": true,
		"graph.kg.tmp":             true,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if name != ".graph.kg.ABCDEFGHI2.tmp" {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		defer func() {
			if _, err := os.Stat(path); (err == nil) != keep {
				t.Errorf("%s: kept is %t, want %t", name, err == nil, keep)
			}
		}()
	}
	if err := artifact.CreateFile(t.Context(), filepath.Join(dir, "graph.kg"), text("x")); err != nil {
		t.Fatal(err)
	}
}

func TestCreateFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.kg")
	ctx := t.Context()
	for _, s := range []string{"one", "two"} {
		if err := artifact.CreateFile(ctx, path, text(s)); err != nil {
			t.Fatal(err)
		}
		checkFolder(t, dir, s)
	}
	big := func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return err
	}
	failed := func(w io.Writer) error { return errors.Join(big(w), errFull) }
	if err := artifact.CreateFile(ctx, path, failed); !errors.Is(err, errFull) {
		t.Errorf("error is %v", err)
	}
	checkFolder(t, dir, "two")

	canceled, cancel := context.WithCancel(ctx)
	late := func(w io.Writer) error { err := big(w); cancel(); return err }
	if err := artifact.CreateFile(canceled, path, late); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	checkFolder(t, dir, "two")
	canceled, cancel = context.WithCancel(ctx)
	early := func(w io.Writer) error { cancel(); return big(w) }
	if err := artifact.CreateFile(canceled, path, early); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if err := artifact.CreateFile(canceled, path, text("three")); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	checkFolder(t, dir, "two")

	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		artifact.CreateFile(ctx, path, func(w io.Writer) error { big(w); panic("bug") })
	}()
	checkFolder(t, dir, "two")

	if err := artifact.CreateFile(ctx, dir, text("x")); err == nil {
		t.Error("a folder is replaced")
	}
	if err := artifact.CreateFile(ctx, filepath.Join(dir, "none", "graph.kg"), text("x")); err == nil {
		t.Error("a file in no folder is created")
	}
	checkFolder(t, dir, "two")
}

func TestCreateFileThroughLink(t *testing.T) {
	dir, links := t.TempDir(), t.TempDir()
	link := filepath.Join(links, "link")
	if err := os.WriteFile(filepath.Join(dir, "graph.kg"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "graph.kg"), link); err != nil {
		t.Skip(err)
	}
	if err := artifact.CreateFile(t.Context(), link, text("one")); err != nil {
		t.Fatal(err)
	}
	checkFolder(t, dir, "one")
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link is replaced: %v", err)
	}
}

func TestCreateFileDevice(t *testing.T) {
	before, err := os.Stat(os.DevNull)
	if err != nil {
		t.Skip(err)
	}
	if err := artifact.CreateFile(t.Context(), os.DevNull, text("one")); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(os.DevNull); err != nil || after.Mode() != before.Mode() {
		t.Fatalf("%s is now %v, %v", os.DevNull, after.Mode(), err)
	}
}

func TestWriteFile(t *testing.T) {
	g := random(7).build(nil)
	path := filepath.Join(t.TempDir(), "graph.kg")
	if err := artifact.WriteFile(t.Context(), path, g); err != nil {
		t.Fatal(err)
	}
	got, err := artifact.ReadFile(path, artifact.Limits{})
	if err != nil || !reflect.DeepEqual(got, g) {
		t.Errorf("another graph is read, %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(data, write(t, g)) {
		t.Errorf("other bytes are in the file, %v", err)
	}
	if _, err := artifact.ReadFile(path+".none", artifact.Limits{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
	if _, err := artifact.ReadFile(path, artifact.Limits{Memory: 10}); !errors.Is(err, artifact.ErrLimit) {
		t.Errorf("error is %v", err)
	}
}
