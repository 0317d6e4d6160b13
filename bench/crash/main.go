// Command crash ends kg at random moments and looks at what is left: the graph
// file and the facts file must be the old ones or the new ones, byte for byte,
// and the next build must be right, whatever the cache went through.
//
//	go run ./bench/crash [-kg kg] [-times 1000] REPO
//
// It does three things in turn: kill -9 after a random time; a limit on the size
// of files as a disk that is full would be one, at a random size; two builds at
// once, of which one is killed. Tree, output and cache stay the same all
// the time.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	kg := flag.String("kg", "kg", "the program")
	times := flag.Int("times", 1000, "how often kg is ended")
	seed := flag.Uint64("seed", 1, "of the moments")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	r, err := run(*kg, flag.Arg(0), *times, *seed, os.Stderr)
	if err == nil {
		fmt.Println(r)
		if r.wrong > 0 {
			err = fmt.Errorf("%d wrong", r.wrong)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(2)
	}
}

// result counts what came of the builds.
type result struct {
	killed, full, together int // how they were ended
	finished               int // before their end came
	checked                int // builds that were let run
	wrong                  int // files that are neither old nor new, builds that are not right
}

func (r result) String() string {
	return fmt.Sprintf("%d killed, %d on a full disk, %d beside another; %d had finished; %d builds afterwards; %d wrong",
		r.killed, r.full, r.together, r.finished, r.checked, r.wrong)
}

// bench is one tree in two states, and what kg makes of each.
type bench struct {
	kg, dir, tmp string
	file         string // that differs
	text         [2][]byte
	want         [2]map[string][]byte // by output
	rand         *rand.Rand
	log          io.Writer
	took         time.Duration
	result
}

// outputs are the files that a build writes.
var outputs = []string{"graph.kg", "graph.kgf"}

func run(kg, repo string, times int, seed uint64, log io.Writer) (result, error) {
	tmp, err := os.MkdirTemp("", "kg-crash-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(tmp)
	b := &bench{kg: kg, dir: filepath.Join(tmp, "tree"), tmp: tmp, rand: rand.New(rand.NewPCG(seed, 0)), log: log}
	if err := b.prepare(repo); err != nil {
		return b.result, err
	}
	for i := range times {
		state := i % 2
		if err := b.set(state); err != nil {
			return b.result, err
		}
		var err error
		switch i % 4 {
		case 0, 1:
			b.killed++
			err = b.kill()
		case 2:
			b.full++
			err = b.fill()
		case 3:
			b.together++
			err = b.both()
		}
		if err != nil {
			return b.result, err
		}
		b.look()
		if i%10 == 9 {
			b.checked++
			if err := b.command().Run(); err != nil {
				return b.result, fmt.Errorf("the build after an end: %w", err)
			}
			for _, name := range outputs {
				if !bytes.Equal(b.read(name), b.want[state][name]) {
					b.wrong++
					fmt.Fprintf(log, "crash: after %d ends %s is wrong\n", i, name)
				}
			}
		}
	}
	return b.result, nil
}

// prepare makes both states and what is expected of them, without a cache.
func (b *bench) prepare(repo string) error {
	if out, err := exec.Command("git", "clone", "-q", "--shared", repo, b.dir).CombinedOutput(); err != nil {
		return fmt.Errorf("git clone: %w: %s", err, out)
	}
	list, err := exec.Command("git", "-C", b.dir, "ls-files", "*.go").Output()
	if err != nil || len(list) == 0 {
		return fmt.Errorf("no Go file (%v)", err)
	}
	b.file = filepath.Join(b.dir, strings.Fields(string(list))[0])
	if b.text[0], err = os.ReadFile(b.file); err != nil {
		return err
	}
	b.text[1] = append(bytes.Clone(b.text[0]), "\nfunc afterTheCrash() {}\n"...)
	for i := range b.text {
		if err := b.set(i); err != nil {
			return err
		}
		start := time.Now()
		if err := b.command("--no-cache").Run(); err != nil {
			return err
		}
		b.took = time.Since(start)
		b.want[i] = map[string][]byte{}
		for _, name := range outputs {
			b.want[i][name] = b.read(name)
		}
	}
	return nil
}

// set changes the file at once: the child of a kg that was killed may read it for
// some moments more, and what is half-written is neither of the states.
func (b *bench) set(state int) error {
	temp := filepath.Join(b.tmp, "next")
	if err := os.WriteFile(temp, b.text[state], 0o644); err != nil {
		return err
	}
	return os.Rename(temp, b.file)
}

func (b *bench) read(name string) []byte {
	data, err := os.ReadFile(filepath.Join(b.tmp, name))
	if err != nil {
		fmt.Fprintln(b.log, "crash:", err)
	}
	return data
}

func (b *bench) args(global ...string) []string {
	return append(global, "-q", "build", b.dir, "-o", filepath.Join(b.tmp, outputs[0]), "--facts", filepath.Join(b.tmp, outputs[1]))
}

func (b *bench) command(global ...string) *exec.Cmd {
	cmd := exec.Command(b.kg, b.args(global...)...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(b.tmp, "cache"))
	return cmd
}

// moment is some time in which a build is at work.
func (b *bench) moment() time.Duration { return time.Duration(b.rand.Int64N(int64(b.took) + 1)) }

func (b *bench) end(cmd *exec.Cmd) {
	time.Sleep(b.moment())
	cmd.Process.Kill()
	if cmd.Wait() == nil {
		b.finished++
	}
}

func (b *bench) kill() error {
	cmd := b.command()
	if err := cmd.Start(); err != nil {
		return err
	}
	b.end(cmd)
	return nil
}

// fill limits the size of files, in blocks of 512 bytes.
func (b *bench) fill() error {
	blocks := b.rand.IntN(len(b.want[0]["graph.kgf"])/512 + 2)
	script := fmt.Sprintf(`ulimit -f %d; trap "" XFSZ; exec "$0" "$@"`, blocks)
	cmd := exec.Command("sh", append([]string{"-c", script, b.kg}, b.args()...)...)
	cmd.Env = b.command().Env
	if err := cmd.Run(); err == nil {
		b.finished++
	} else if _, ok := err.(*exec.ExitError); !ok {
		return err
	}
	return nil
}

func (b *bench) both() error {
	one, two := b.command(), b.command()
	if err := one.Start(); err != nil {
		return err
	}
	if err := two.Start(); err != nil {
		return err
	}
	b.end(one)
	if err := two.Wait(); err != nil {
		return fmt.Errorf("a build beside another: %w", err)
	}
	return nil
}

// look checks that files are whole. The graph and its facts need not be of the
// same state: each is right by itself.
func (b *bench) look() {
	for _, name := range outputs {
		if data := b.read(name); !bytes.Equal(data, b.want[0][name]) && !bytes.Equal(data, b.want[1][name]) {
			b.wrong++
			fmt.Fprintf(b.log, "crash: %s is neither old nor new\n", name)
		}
	}
}
