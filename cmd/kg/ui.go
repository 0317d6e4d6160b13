package main

// How kg talks to people. The rules, numbered so that code can cite them:
//
//  1. Standard output holds what was asked for and nothing else. Errors, notes
//     and progress go to standard error.
//  2. Every message is one line, "kg: TEXT". An error is "kg: error: TEXT", and
//     what to do next follows as "kg: hint: TEXT". Texts begin in lower case and
//     end without a period.
//  3. Nothing that comes from a repository, a file or the command line reaches
//     a terminal or a log as it is: see report.Escape. With the prefix of rule 2 no line
//     begins with "::", and it takes "##[" apart, so that no CI system
//     takes a line for a command.
//  4. Progress is shown only if standard error is a terminal, after a second
//     of work: one line that is rewritten, and removed at the end.
//  5. --quiet silences notes and progress, never errors.
//  6. Colour is for terminals unless --color says otherwise, and never carries
//     a meaning alone. NO_COLOR and TERM=dumb switch it off.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/report"
)

// ui is where a run talks to.
type ui struct {
	out, err io.Writer
	outTerm  bool
	errTerm  bool // and it can rewrite a line
	noColor  bool // the environment does not want colour
	color    colorMode
	quiet    bool
}

func newUI(out, err io.Writer, getenv func(string) string) *ui {
	dumb := getenv("TERM") == "dumb"
	return &ui{
		out: out, err: err, color: "auto",
		outTerm: isTerminal(out),
		errTerm: isTerminal(err) && !dumb,
		noColor: getenv("NO_COLOR") != "" || dumb,
	}
}

// isTerminal reports whether w is a character device other than the null
// device, which is as near as the standard library gets.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// colored reports whether text on standard output has colours.
func (u *ui) colored() bool {
	switch u.color {
	case "always":
		return true
	case "never":
		return false
	}
	return u.outTerm && !u.noColor
}

// colorMode is the value of --color.
type colorMode string

var colorModes = []string{"auto", "always", "never"}

func (m *colorMode) String() string { return string(*m) }
func (m *colorMode) Type() string   { return "WHEN" }
func (m *colorMode) Set(s string) error {
	for _, mode := range colorModes {
		if s == mode {
			*m = colorMode(s)
			return nil
		}
	}
	return fmt.Errorf("it is one of %s", strings.Join(colorModes, ", "))
}

// message writes one line, and a hint if there is one.
func (u *ui) message(text, hint string) {
	fmt.Fprintf(u.err, "kg: %s\n", report.Escape(text))
	if hint != "" {
		fmt.Fprintf(u.err, "kg: hint: %s\n", report.Escape(hint))
	}
}

// note writes a line that --quiet silences.
func (u *ui) note(format string, args ...any) {
	if !u.quiet {
		u.message(fmt.Sprintf(format, args...), "")
	}
}

// fail writes an error.
func (u *ui) fail(err error) {
	text, hint := explain(err)
	u.message("error: "+text, hint)
}

// failure is an error for people.
type failure struct {
	text  string // what is wrong
	hint  string // what to do next, or empty
	usage bool   // the command line is wrong; see withCommand
	err   error  // the cause, or nil
}

func (f *failure) Error() string {
	if f.err != nil {
		return f.text + ": " + f.err.Error()
	}
	return f.text
}

func (f *failure) Unwrap() error { return f.err }

// explain says what is wrong and what to do next.
func explain(err error) (text, hint string) {
	var (
		f *failure
		s *source.Error
	)
	switch {
	case errors.As(err, &f):
		text, hint = f.text, f.hint
		if f.err != nil {
			inner, innerHint := explain(f.err)
			text += ": " + inner
			if hint == "" {
				hint = innerHint
			}
		}
		return text, hint
	case errors.As(err, &s):
		text = s.Text
		if s.Err != nil {
			text += ": " + cause(s.Err)
		}
		return text, s.Hint
	case errors.Is(err, artifact.ErrVersion):
		return err.Error(), "build the graph again with this kg, or use the kg that wrote it"
	case errors.Is(err, artifact.ErrCorrupt):
		return err.Error(), "build the graph again with `kg build`"
	case errors.Is(err, syscall.EPIPE):
		return "the reader of the output went away before it was complete", ""
	case errors.Is(err, fs.ErrPermission):
		return err.Error(), "check who owns it and its permissions"
	}
	return err.Error(), ""
}

// cause says why a file operation failed, without the path and the operation,
// which the message has said.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// quote shows a name from outside in a message.
func quote(s string) string { return `"` + report.Escape(s) + `"` }

// progress is the one line of rule 4. A nil progress shows nothing.
type progress struct {
	mu    sync.Mutex
	parts []*part
	stop  func() // once
	done  chan struct{}
}

// part is the state of one of the things that are under way.
type part struct {
	of     *progress
	name   string
	count  int // files read
	total  int
	linked bool
}

// The line appears after progressDelay and is rewritten at each progressStep.
const (
	progressDelay = time.Second
	progressStep  = 100 * time.Millisecond
)

// progress begins to watch work; end must be called before anything else is
// written, and may be called again.
func (u *ui) progress() *progress {
	if u.quiet || !u.errTerm {
		return nil
	}
	stop := make(chan struct{})
	p := &progress{stop: sync.OnceFunc(func() { close(stop) }), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		wait := time.NewTimer(progressDelay)
		defer wait.Stop()
		for shown := false; ; shown = true {
			select {
			case <-stop:
				if shown {
					io.WriteString(u.err, "\r\x1b[K")
				}
				return
			case <-wait.C:
			}
			io.WriteString(u.err, "\r"+p.line()+"\x1b[K")
			wait.Reset(progressStep)
		}
	}()
	return p
}

func (p *progress) end() {
	if p != nil {
		p.stop()
		<-p.done
	}
}

// part adds something that is counted.
func (p *progress) part(name string) *part {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parts = append(p.parts, &part{of: p, name: name})
	return p.parts[len(p.parts)-1]
}

// at may be called from many goroutines, in any order.
func (t *part) at(count, total int) {
	if t == nil {
		return
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.count, t.total = max(t.count, count), total
}

// finished says that the graph is there.
func (t *part) finished() {
	if t != nil {
		t.of.mu.Lock()
		defer t.of.mu.Unlock()
		t.linked = true
	}
}

func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var said []string
	for _, t := range p.parts {
		switch {
		case t.total == 0:
		case t.linked:
		case t.count < t.total:
			said = append(said, fmt.Sprintf("reading %s %d/%d", t.name, t.count, t.total))
		default:
			said = append(said, "linking "+t.name)
		}
	}
	switch {
	case said != nil:
	case len(p.parts) == 0:
		return "kg: looking for what changed"
	default:
		return "kg: following what changed"
	}
	return "kg: " + strings.Join(said, ", ")
}
