// Command surfacegen writes the API of the JDK as facts, for the Java language:
//
//	go run ./surfacegen [-java PROGRAM] [-o std.kgs]
//
// Stubs.java asks the JDK's compiler for the signatures of public and protected
// declarations and prints them as Java source without bodies; what the
// extractor makes of these is stored. No documentation, no code and no constant
// of the JDK is part of it.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	javalang "github.com/codekg/kg/analyzer/lang/java"
)

//go:embed Stubs.java
var stubs []byte

// modules are those that programs use; the graphical ones are left out.
var modules = []string{"java.base", "java.compiler", "java.instrument", "java.logging", "java.management", "java.naming", "java.net.http",
	"java.prefs", "java.rmi", "java.scripting", "java.security.sasl", "java.sql", "java.sql.rowset", "java.transaction.xa", "java.xml",
	"jdk.httpserver"}

func main() {
	java := flag.String("java", "java", "the program of a JDK to run")
	out := flag.String("o", "std.kgs", "file to write")
	flag.Parse()
	if err := run(*java, *out); err != nil {
		fmt.Fprintln(os.Stderr, "surfacegen:", err)
		os.Exit(1)
	}
}

func run(java, out string) error {
	tmp, err := os.MkdirTemp("", "stubs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	program := filepath.Join(tmp, "Stubs.java")
	if err := os.WriteFile(program, stubs, 0o600); err != nil {
		return err
	}
	version, err := exec.Command(java, "--version").Output()
	if err != nil {
		return err
	}
	cmd := exec.Command(java, append([]string{program}, modules...)...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return err
	}
	a := facts.NewArchive()
	n := 0
	parts := strings.Split("\n"+string(text), "\n-- ")[1:]
	slices.Sort(parts)
	for _, part := range parts {
		head, src, _ := strings.Cut(part, " --\n")
		pkg, name, _ := strings.Cut(head, " ")
		f, err := javalang.Surface([]byte(src))
		if err != nil {
			return fmt.Errorf("%s.%s: %w", pkg, name, err)
		}
		if len(f.Unparsed) > 0 {
			return fmt.Errorf("%s.%s did not parse", pkg, name)
		}
		a.Add(pkg, name, []*facts.File{f})
		n++
	}
	b, err := a.Rows(strings.TrimSpace(string(bytes.SplitN(version, []byte("\n"), 2)[0])))
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, b, 0o644); err != nil {
		return err
	}
	fmt.Printf("%d packages, %d types, %d bytes\n", len(a.Names()), n, len(b))
	return nil
}
