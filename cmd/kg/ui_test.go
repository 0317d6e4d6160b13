package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/source"
)

func noEnv(string) string { return "" }

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var err bytes.Buffer
		u := newUI(nil, &err, noEnv)
		u.errTerm = true

		p := u.progress()
		p.part("base").at(1, 2)
		time.Sleep(progressDelay - time.Millisecond)
		p.end()
		if err.Len() > 0 {
			t.Errorf("quick work showed %q", err.String())
		}

		p = u.progress()
		base, head := p.part("base"), p.part("head")
		base.at(3, 4)
		base.at(2, 4) // late
		time.Sleep(progressDelay + progressStep/2)
		synctest.Wait()
		if got, want := err.String(), "\rkg: reading base 3/4\x1b[K"; got != want {
			t.Errorf("shown %q, want %q", got, want)
		}
		err.Reset()
		base.at(4, 4)
		head.at(1, 4)
		time.Sleep(progressStep)
		synctest.Wait()
		p.end()
		if got, want := err.String(), "\rkg: linking base, reading head 1/4\x1b[K\r\x1b[K"; got != want {
			t.Errorf("shown %q, want %q", got, want)
		}
	})
}

func TestProgressIsForTerminals(t *testing.T) {
	var err bytes.Buffer
	u := newUI(nil, &err, noEnv)
	p := u.progress()
	p.part("base").at(1, 2)
	p.end()
	if p != nil {
		t.Error("progress without a terminal")
	}
	u.errTerm, u.quiet = true, true
	if u.progress() != nil {
		t.Error("progress although quiet")
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err        error
		text, hint string
	}{
		{errors.New("plain"), "plain", ""},
		{&failure{text: "a", hint: "b"}, "a", "b"},
		{&failure{text: "a", err: &failure{text: "c", hint: "d"}}, "a: c", "d"},
		{withText("a", &source.Error{Kind: source.ErrShallow, Text: "b", Hint: "c"}), "a: b", "c"},
		{&source.Error{Kind: source.ErrCorrupt, Text: "b", Err: errors.New("c")}, "b: c", ""},
		{withHint(&source.Error{Kind: source.ErrShallow, Text: "b", Hint: "c"}, "d"), "b", "d"},
		{artifact.ErrCorrupt, "corrupt file", "build the graph again with `kg build`"},
	} {
		if text, hint := explain(c.err); text != c.text || hint != c.hint {
			t.Errorf("%v: %q, %q", c.err, text, hint)
		}
	}
}

// TestMessagesAreOneLine: whatever an error holds, it is one line of its own.
func TestMessagesAreOneLine(t *testing.T) {
	var err bytes.Buffer
	u := newUI(nil, &err, noEnv)
	u.fail(&failure{text: "a\n::error::b\x1b[31m\u202e", hint: "##[group]c\r\n\xff"})
	got := err.String()
	if strings.Count(got, "\n") != 2 || strings.ContainsAny(got, "\x1b\r\u202e") || !utf8.ValidString(got) || strings.Contains(got, "##[") {
		t.Errorf("%q", got)
	}
}

func TestInterruptedBeforeWork(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, err bytes.Buffer
	if code := run(ctx, []string{"stats", t.TempDir()}, &out, &err, noEnv); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if out.Len() > 0 || err.String() != "kg: interrupted\n" {
		t.Errorf("said %q and %q", out.String(), err.String())
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234: "-1,234", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestForReaders(t *testing.T) {
	for p, want := range map[string]bool{
		"README.md": true, "docs/a/b.rst": true, "LICENSE": true, "a/testdata/x.md": false,
		"go.sum": false, "a.txt": false, "Makefile": false,
	} {
		if got := forReaders(p); got != want {
			t.Errorf("%s: %t", p, got)
		}
	}
}
