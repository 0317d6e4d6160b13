package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// program is the git program as the stand-in for go-git. Every command runs
// with an explicit repository folder, so that git neither searches for one
// nor asks who owns it, and with everything off that a repository's
// configuration could use to start another program or reach the network.
type program struct {
	path   string // of the executable
	gitDir string
}

// findProgram returns nil if there is no git on this machine.
func findProgram(gitDir string) *program {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil
	}
	return &program{path: path, gitDir: gitDir}
}

func (p *program) command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.path, append([]string{
		"--no-pager",
		"--no-replace-objects", // go-git does not know replacements
		"--git-dir=" + p.gitDir,
		"-c", "core.hooksPath=/dev/null",
		"-c", "core.fsmonitor=false",
		"-c", "core.untrackedCache=false",
		"-c", "protocol.allow=never",
	}, args...)...)
	env := make([]string, 0, 32)
	for _, variable := range cmd.Environ() {
		// What the caller's environment says of another repository, another
		// index or another program does not hold here. Configuration does.
		if !strings.HasPrefix(variable, "GIT_") || strings.HasPrefix(variable, "GIT_CONFIG") ||
			strings.HasPrefix(variable, "GIT_EXEC_PATH=") {
			env = append(env, variable)
		}
	}
	cmd.Env = append(env,
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none", // for versions that do not know the line above
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_FLUSH=1",
		"LC_ALL=C",
	)
	return cmd
}

// output runs one command to its end. A failure holds the first line that
// git said.
func (p *program) output(args ...string) ([]byte, error) {
	cmd := p.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		if said == "" {
			return nil, fmt.Errorf("git %s: %w", args[0], err)
		}
		return nil, fmt.Errorf("git %s: %s", args[0], said)
	}
	return stdout.Bytes(), nil
}

// batch reads objects through processes of `git cat-file --batch`, at most
// limit at a time, started when they are first needed.
type batch struct {
	program *program
	tickets chan struct{}

	mu   sync.Mutex
	idle []*catFile
}

func newBatch(p *program, limit int) *batch {
	return &batch{program: p, tickets: make(chan struct{}, limit)}
}

// A catFile is one running process.
type catFile struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (b *batch) start() (*catFile, error) {
	cmd := b.program.command("cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &catFile{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}, nil
}

func (c *catFile) stop() {
	c.in.Close()
	io.Copy(io.Discard, c.out)
	c.cmd.Wait()
}

// object reads one object. The error wraps ErrMissingObject if the
// repository lacks it.
func (b *batch) object(id string, max int64) (objectType, []byte, error) {
	b.tickets <- struct{}{}
	defer func() { <-b.tickets }()

	b.mu.Lock()
	var c *catFile
	if n := len(b.idle); n > 0 {
		c, b.idle = b.idle[n-1], b.idle[:n-1]
	}
	b.mu.Unlock()
	if c == nil {
		var err error
		if c, err = b.start(); err != nil {
			return "", nil, err
		}
	}

	kind, data, err := c.object(id, max)
	var tooLarge *TooLargeError
	if err != nil && !errors.Is(err, ErrMissingObject) && !errors.As(err, &tooLarge) {
		c.in.Close()
		c.cmd.Process.Kill()
		c.cmd.Wait()
		return "", nil, err
	}
	b.mu.Lock()
	b.idle = append(b.idle, c)
	b.mu.Unlock()
	return kind, data, err
}

// object asks for one object and reads
//
//	<hash> SP <type> SP <size> LF <bytes> LF
//
// or "<hash> missing".
func (c *catFile) object(id string, max int64) (objectType, []byte, error) {
	if _, err := io.WriteString(c.in, id+"\n"); err != nil {
		return "", nil, err
	}
	header, err := c.out.ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("git cat-file: %w", err)
	}
	fields := strings.Fields(header)
	if len(fields) == 2 && fields[1] == "missing" {
		return "", nil, missing(id, nil)
	}
	if len(fields) != 3 {
		return "", nil, fmt.Errorf("git cat-file: unexpected answer %q", header)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return "", nil, fmt.Errorf("git cat-file: unexpected answer %q", header)
	}
	kind := objectType(fields[1])
	if size > max {
		if _, err := io.CopyN(io.Discard, c.out, size+1); err != nil {
			return "", nil, err
		}
		return kind, nil, &TooLargeError{Size: size, Max: max}
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(c.out, data); err != nil {
		return "", nil, err
	}
	return kind, data[:size], nil
}

func (b *batch) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.idle {
		c.stop()
	}
	b.idle = nil
	return nil
}
