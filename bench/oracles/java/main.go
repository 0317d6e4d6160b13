// Command java asks the JDK's compiler what a Java repository's code refers to,
// and writes the answer as JSON Lines (see bench/README.md):
//
//	go run ./bench/oracles/java [-java PROGRAM] [-cp CLASSPATH] [-o FILE] DIR
//	go run ./bench/oracles/java -mutate N [-seed N] [-kinds LIST] [-cp CLASSPATH] [-o FILE] DIR
//
// All files that git knows, of all modules and source roots, are attributed in
// one task, without annotation processing. What they refer to in missing
// libraries stays open; -cp names jars and folders with jars. Nothing of the
// repository runs.
//
// With -mutate it changes N methods and constructors, one at a time and nowhere
// but in memory, and writes what the compiler complains of then, as bench/mutate
// does for Go.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed Oracle.java
var oracle []byte

//go:embed Mutate.java
var mutate []byte

func main() {
	java := flag.String("java", "java", "the program of a JDK to run")
	cp := flag.String("cp", "", "jars and folders of jars, separated by colons")
	out := flag.String("o", "-", "file to write, - for standard output")
	n := flag.Int("mutate", 0, "how many methods to change")
	seed := flag.Uint64("seed", 1, "which methods")
	kinds := flag.String("kinds", "add-parameter,remove-parameter,remove,rename", "changes to make")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: java [-java PROGRAM] [-mutate N [-seed N] [-kinds LIST]] [-cp CLASSPATH] [-o FILE] DIR")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	p := program{name: "Oracle.java", text: oracle}
	if *n > 0 {
		p = program{"Mutate.java", mutate, []string{strconv.Itoa(*n), strconv.FormatUint(*seed, 10), *kinds}}
	}
	if err := p.run(*java, *cp, *out, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(2)
	}
}

// program is a Java program that asks the compiler.
type program struct {
	name string
	text []byte
	args []string
}

func (p program) run(java, cp, out, dir string) error {
	root, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	files, err := sources(root)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	src := filepath.Join(tmp, p.name)
	if err := os.WriteFile(src, p.text, 0o600); err != nil {
		return err
	}
	jars, err := classPath(cp)
	if err != nil {
		return err
	}
	args := []string{"-Xss64m", "-Xmx6g", "-XX:+UseSerialGC"}
	for _, p := range []string{"api", "code", "tree", "util"} {
		args = append(args, "--add-exports", "jdk.compiler/com.sun.tools.javac."+p+"=ALL-UNNAMED")
	}
	cmd := exec.Command(java, append(append(args, src, out, jars, root), p.args...)...)
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// sources lists the Java files that git knows, sorted.
func sources(root string) ([]string, error) {
	text, err := exec.Command("git", "-C", root, "ls-files", "-z", "--", "*.java").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	files := strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 })
	files = slices.DeleteFunc(files, func(f string) bool {
		_, err := os.Stat(filepath.Join(root, f))
		return err != nil
	})
	slices.Sort(files)
	return files, nil
}

// classPath lists jars; folders stand for the jars in them, at any depth.
func classPath(list string) (string, error) {
	var jars []string
	for _, p := range filepath.SplitList(list) {
		err := filepath.WalkDir(p, func(p string, d os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(p, ".jar") {
				jars = append(jars, p)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return strings.Join(jars, string(filepath.ListSeparator)), nil
}
