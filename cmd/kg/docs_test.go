package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocsCommands: every command that docs/graph.md shows is one, with flags
// that it has.
func TestDocsCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/graph.md")
	if err != nil {
		t.Fatal(err)
	}
	a := &app{ui: newUI(os.Stdout, os.Stderr, func(string) string { return "" }), getenv: func(string) string { return "" }}
	seen := map[string]bool{}
	count := 0
	for _, m := range regexp.MustCompile("`(kg [^`]+)`").FindAllStringSubmatch(string(text), -1) {
		args := shellWords(m[1])[1:]
		root := a.rootCommand()
		cmd, rest, err := root.Find(args)
		if err != nil || cmd == root {
			t.Errorf("%s: there is no such command: %v", m[1], err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", m[1], err)
			continue
		}
		left := cmd.Flags().Args()
		if err := cmd.ValidateArgs(left); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
		if cmd.Name() == "query" {
			seen[strings.ReplaceAll(left[0], "-", "_")] = true
		}
		count++
	}
	for _, m := range regexp.MustCompile("`((?:[a-z]+-)*[a-z]+)`").FindAllStringSubmatch(string(text), -1) {
		seen[strings.ReplaceAll(m[1], "-", "_")] = true // named beside another
	}
	for _, name := range questionNames() {
		if !seen[name] {
			t.Errorf("docs/graph.md does not show the question %s", name)
		}
	}
	if count < 40 {
		t.Errorf("docs/graph.md shows only %d commands", count)
	}
}

// shellWords splits a command line with quotes.
func shellWords(s string) []string {
	var words []string
	var word strings.Builder
	quote := rune(0)
	for _, r := range s {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case quote == 0 && r == ' ':
			words = append(words, word.String())
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return append(words, word.String())
}
