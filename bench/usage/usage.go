// Package usage measures what programs need.
package usage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Usage is what a program needed, its children included. The least of several
// runs is the least disturbed one.
type Usage struct {
	Wall, CPU time.Duration
	Peak      int64 // bytes, 0 if the system does not say
}

// Least returns the least of each of both.
func (u Usage) Least(v Usage) Usage {
	return Usage{min(u.Wall, v.Wall), min(u.CPU, v.CPU), min(u.Peak, v.Peak)}
}

// Command runs a program and returns its output and what it needed.
func Command(log io.Writer, name string, args ...string) ([]byte, Usage, error) {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, log
	start := time.Now()
	err := cmd.Run()
	u := Usage{Wall: time.Since(start)}
	if err != nil {
		return nil, u, fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args[:min(1, len(args))], " "), err)
	}
	of := Of(cmd.ProcessState)
	of.Wall = u.Wall
	return out.Bytes(), of, nil
}

// Of returns what a process that has ended needed; the wall time is not known.
func Of(p *os.ProcessState) Usage {
	return Usage{CPU: p.UserTime() + p.SystemTime(), Peak: peak(p)}
}

// Repeat runs a program several times and returns the least that it needed.
func Repeat(times int, log io.Writer, name string, args ...string) (out []byte, least Usage, err error) {
	for i := range max(times, 1) {
		var u Usage
		if out, u, err = Command(log, name, args...); err != nil {
			return nil, u, err
		}
		if i == 0 {
			least = u
		}
		least = least.Least(u)
	}
	return out, least, nil
}

// Program returns the given program, or builds the one of that path below
// bench, in the folder tmp.
func Program(given, path, tmp string, log io.Writer) (string, error) {
	if given != "" {
		return given, nil
	}
	exe := filepath.Join(tmp, strings.ReplaceAll(path, "/", "-"))
	cmd := exec.Command("go", "build", "-o", exe, "github.com/codekg/kg/bench/"+path)
	cmd.Stderr = log
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("cannot build bench/%s", path), err)
	}
	return exe, nil
}

// Commit returns the commit of the repository at dir, or "".
func Commit(dir string) string {
	cmd := exec.Command("git", "-C", dir, "rev-parse", "HEAD")
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
