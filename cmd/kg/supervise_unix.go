//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// childEnv tells a process that it is a child, but for one that was forked before the
// runtime began; the value is the process id of its parent. A child has these files
// beside the usual three; standard error is what the Go runtime and C write when they
// die, and goes to the parent.
const childEnv = "KG_SUPERVISED_CHILD"

const (
	fdOrders = 3 // what the parent tells; when it ends the child must, too
	fdDiary  = 4 // memory of both, see diary
	fdStderr = 5 // the standard error of both
)

// endPatience is for a child that was told to end. No result depends on it.
const endPatience = 5 * time.Second

// supervisor returns what runs the command line args in a child.
func supervisor(u *ui, args []string) func(context.Context) (int, bool) {
	return func(ctx context.Context) (int, bool) {
		program, err := os.Executable()
		if err != nil {
			return 0, false
		}
		return superviseWith(ctx, u, newLessons(), func(ctx context.Context, l *lessons) (death, bool) {
			if d, ok := forkedDeath(); ok {
				return d, true
			}
			return runChild(ctx, program, args, l.encode(), streams{os.Stdin, os.Stdout, os.Stderr})
		})
	}
}

// parent returns what runs command lines in children of a process that goes on,
// one after the other or at the same time. They have no input and no output; an
// error is what they say. What has killed one is left out by the others.
func parent(u *ui) func(context.Context, []string) error {
	var mu sync.Mutex
	killers := map[contentID]string{}
	return func(ctx context.Context, args []string) error {
		program, err := os.Executable()
		if err != nil {
			return errNoChild
		}
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer null.Close()
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		said, read := &head{max: 64 << 10}, make(chan struct{})
		go func() {
			io.Copy(said, r)
			close(read)
		}()
		l := newLessons()
		mu.Lock()
		maps.Copy(l.killers, killers)
		mu.Unlock()
		var notes bytes.Buffer
		own := *u
		own.err, own.errTerm = &notes, false
		code, ok := superviseWith(ctx, &own, l, func(ctx context.Context, l *lessons) (death, bool) {
			return runChild(ctx, program, append([]string{"kg"}, args...), l.encode(), streams{null, null, w})
		})
		w.Close()
		<-read
		r.Close()
		mu.Lock()
		maps.Copy(killers, l.killers)
		mu.Unlock()
		notes.Write(said.b.Bytes())
		switch {
		case !ok:
			return errNoChild
		case ctx.Err() != nil:
			return ctx.Err()
		case code == exitFine || code == exitGate:
			u.err.Write(notes.Bytes())
			return nil
		}
		return saidError(notes.Bytes())
	}
}

// streams are the standard files of a child, and where its errors go.
type streams struct{ in, out, err *os.File }

// runChild runs one child to its end.
func runChild(ctx context.Context, program string, args []string, orders []byte, std streams) (death, bool) {
	ordersR, ordersW, err := os.Pipe()
	if err != nil {
		return death{}, false
	}
	defer ordersR.Close()
	defer ordersW.Close()
	shared, err := newDiaryFile()
	if err != nil {
		return death{}, false
	}
	defer shared.Close()
	diary, err := openDiary(shared)
	if err != nil {
		return death{}, false
	}
	defer diary.close()
	said := &head{max: maxSaid}
	cmd := exec.Command(program)
	cmd.Args = args
	cmd.Env = append(os.Environ(), childEnv+"="+strconv.Itoa(os.Getpid()))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = std.in, std.out, said
	cmd.ExtraFiles = []*os.File{ordersR, shared, std.err}
	cmd.WaitDelay = endPatience // for those that hold its standard error after its death
	if err := withSlack(cmd.Start); err != nil {
		return death{}, false
	}
	ordersR.Close()

	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		ordersW.Write(orders) // fails if the child is dead, which Wait tells
		select {
		case <-ctx.Done():
		case <-over:
		}
		ordersW.Close()
	})
	cmd.Wait()
	close(over)
	wg.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	d := deathOf(diary, status, said)
	if d.ended {
		std.err.Write(d.said) // not the last words
	}
	return d, true
}

// deathOf returns how a child ended that is gone.
func deathOf(diary *diary, status syscall.WaitStatus, said *head) death {
	d := death{ending: diary.read(), how: "exit status " + strconv.Itoa(status.ExitStatus()), said: said.b.Bytes()}
	if status.Signaled() {
		d.how, d.killed = "signal: "+status.Signal().String(), status.Signal() == syscall.SIGKILL
		if status.CoreDump() {
			d.how += " (core dumped)"
		}
	}
	return d
}

// maxSaid is how much of the last words of a child is kept.
const maxSaid = 64 << 10

// head keeps the first bytes that are written.
type head struct {
	b   bytes.Buffer
	max int
}

func (h *head) Write(p []byte) (int, error) {
	h.b.Write(p[:min(len(p), h.max-h.b.Len())])
	return len(p), nil
}

// child is this process, if it is one.
type child struct {
	orders, stderr *os.File
	diary          *diary
	ui             *ui

	alone    sync.RWMutex
	killers  map[contentID]bool
	suspects map[contentID]bool
}

// thisChild returns nil in a process that is no child.
func thisChild() *child {
	if c := forkedChild(); c != nil {
		return c
	}
	parent := os.Getenv(childEnv)
	os.Unsetenv(childEnv)
	if parent != strconv.Itoa(os.Getppid()) {
		return nil
	}
	open := func(fd int, name string) *os.File {
		syscall.CloseOnExec(fd)
		return os.NewFile(uintptr(fd), name)
	}
	c := &child{orders: open(fdOrders, "orders"), stderr: open(fdStderr, "stderr")}
	shared := open(fdDiary, "diary")
	diary, err := openDiary(shared)
	if err != nil {
		return nil
	}
	shared.Close()
	c.diary = diary
	for _, set := range []*map[contentID]bool{&c.killers, &c.suspects} {
		var n [4]byte
		if _, err := io.ReadFull(c.orders, n[:]); err != nil {
			return nil
		}
		*set = map[contentID]bool{}
		for range binary.LittleEndian.Uint32(n[:]) {
			var k contentID
			if _, err := io.ReadFull(c.orders, k[:]); err != nil {
				return nil
			}
			(*set)[k] = true
		}
	}
	return c
}

// run is kg in the child. It ends when the parent wants it, or is gone.
func (c *child) run(ctx context.Context, args []string) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		io.Copy(io.Discard, c.orders)
		cancel()
		time.Sleep(endPatience)
		os.Exit(exitInterrupted)
	}()
	a := newApp(os.Stdout, c.stderr, os.Getenv)
	a.guard, c.ui = c, a.ui
	code := a.run(ctx, args)
	c.diary.end(code)
	return code
}

// Enter notes it. A suspect waits until it is alone.
func (c *child) Enter(path string, id contentID) bool {
	if c.killers[id] {
		return false
	}
	if c.suspects[id] {
		c.alone.Lock()
	} else {
		c.alone.RLock()
	}
	c.diary.begin(path, id)
	return true
}

func (c *child) Leave(path string, id contentID, panicked any) {
	if panicked != nil {
		c.ui.message(fmt.Sprintf("parsing %s failed: %v; it is left out", quote(path), panicked), "this is a bug of kg; please report it")
	}
	c.diary.finish(id)
	if c.suspects[id] {
		c.alone.Unlock()
	} else {
		c.alone.RUnlock()
	}
}
