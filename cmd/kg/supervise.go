package main

// Supervision. Parsers are C code and read what a change contains; should one
// crash, or use up the machine's memory, it takes its process along. So the
// commands that parse run in a child process of the same program, with the same
// command line, while the parent only waits. The child keeps a diary of the files
// that it is parsing. If it dies, the parent reads which were under way and starts
// another child, which
//
//   - leaves out the contents that were alone when a child died: an unknown
//     takes the place of their facts, whatever the number of workers;
//   - parses alone those that were not alone, so that the guilty one is found
//     if it dies again.
//
// Every death adds to one of these sets, and a run without deaths pays for the
// start of a process and two short entries per file.
//
// Where it is possible the first child is forked before the runtime of either begins,
// so that the parent has none while it waits: see forked_linux.c.
//
// A child does nothing that must not be done twice before it has parsed
// everything, as no command writes what it was asked for before that.

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/spf13/cobra"
)

// supervisedMark is the annotation of the commands that run in a child.
const supervisedMark = "supervised"

// supervised marks a command that parses. It must be one that can begin again:
// no conversation over standard input.
func supervised(cmd *cobra.Command) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[supervisedMark] = "yes"
	return cmd
}

// parses reports whether a command runs in a child: what answers from a graph
// file parses nothing.
func parses(cmd *cobra.Command) bool {
	if f := cmd.Flags().Lookup("graph"); f != nil && f.Value.String() != "" {
		return false
	}
	return cmd.Annotations[supervisedMark] != ""
}

// childExit says that a child has done everything and how it ended.
type childExit struct{ code int }

func (e *childExit) Error() string { return fmt.Sprintf("the child ended with exit code %d", e.code) }

// A contentID is the SHA-256 of a file that is parsed.
type contentID = [32]byte

// ending is what a child has left: the contents that were being parsed, with
// the path of one file each, and the exit code if the end was in order.
type ending struct {
	under map[contentID]string
	ended bool
	code  int
}

// maxDeaths is after how many deaths a run gives up. Each file that kills costs
// two at most.
const maxDeaths = 40

// lessons are what the deaths of children have taught.
type lessons struct {
	deaths   int
	killers  map[contentID]string // with the path of one file
	suspects map[contentID]bool
}

func newLessons() *lessons {
	return &lessons{killers: map[contentID]string{}, suspects: map[contentID]bool{}}
}

// learn draws the lesson of a death: a killer, if it was the only one under way,
// else new suspects. With nothing under way it was not the parser.
func (l *lessons) learn(under map[contentID]string) (killer string, ok bool) {
	l.deaths++
	for c, path := range under {
		ok = true
		if len(under) == 1 {
			l.killers[c] = path
			delete(l.suspects, c)
			return path, true
		}
		l.suspects[c] = true
	}
	return "", ok
}

// encode makes what a child is told at its start: the killers, then the
// suspects, each list with its length.
func (l *lessons) encode() []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(l.killers)))
	for c := range l.killers {
		b = append(b, c[:]...)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(l.suspects)))
	for c := range l.suspects {
		b = append(b, c[:]...)
	}
	return b
}

// superviseWith runs children until one ends in order, and returns its exit code.
// start runs one of them; it returns false if there can be none. Only then is
// the result false. What is learned is added to l.
func superviseWith(ctx context.Context, u *ui, l *lessons, start func(context.Context, *lessons) (death, bool)) (int, bool) {
	for {
		d, ok := start(ctx, l)
		if !ok && l.deaths == 0 {
			return 0, false
		}
		switch {
		case !ok:
			u.fail(&failure{text: "cannot start kg again after it died"})
			return exitFailed, true
		case d.ended:
			return d.code, true
		case ctx.Err() != nil:
			return exitInterrupted, true
		}
		killer, parsed := l.learn(d.under)
		switch {
		case !parsed:
			u.err.Write(d.said)
			u.fail(&failure{text: "kg died: " + d.how, hint: d.hint("this is a bug of kg; please report it with what stands above")})
			return exitFailed, true
		case l.deaths == maxDeaths:
			u.fail(&failure{text: fmt.Sprintf("kg died %d times while it parsed files, at last %s: %s", l.deaths, quote(killer), d.how),
				hint: d.hint("leave the files out with a .kgignore file")})
			return exitFailed, true
		case killer != "":
			u.message("parsing "+quote(killer)+" killed kg: "+d.cause()+"; it is left out", "")
		}
	}
}

// death is how a child ended.
type death struct {
	ending
	how    string // as the system tells it
	killed bool   // by the system or by somebody, not by its own doing
	said   []byte // the last words
}

func (d *death) cause() string {
	if said := firstLine(string(bytes.TrimSpace(d.said))); said != "" {
		return said
	}
	return d.how
}

func (d *death) hint(other string) string {
	if d.killed {
		return "perhaps there is not enough memory; fewer --workers need less"
	}
	return other
}
