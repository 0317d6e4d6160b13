// Command expansion measures whether packs answer questions that need more than
// one hop: it makes a pack for each question of a list, and looks whether all
// declarations that the answer has to hold are in it, by name.
//
//	go run ./bench/expansion [-kg kg] [-tokens 6000] questions/cobra.txt=DIR…
//
// It also tells what the packs cost, and what the files cost that grep finds: of
// the words of the question that are no stop words, the three that are in the
// fewest files; all files that have one of them, up to the ten with the most
// hits. Tokens are estimated as bytes / 4 in both.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	kg := flag.String("kg", "kg", "the program to measure")
	tokens := flag.Int("tokens", 6000, "the budget of a pack")
	flag.Parse()
	if err := run(*kg, *tokens, flag.Args(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "expansion:", err)
		os.Exit(2)
	}
}

type question struct {
	text string
	want []string
}

func run(kg string, tokens int, args []string, out, log io.Writer) error {
	fmt.Fprintf(out, "| repository | questions | answered | tokens of a pack | tokens of the files grep finds |\n|---|---:|---:|---:|---:|\n")
	for _, arg := range args {
		list, dir, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%s: want QUESTIONS=DIR", arg)
		}
		qs, err := read(list)
		if err != nil {
			return err
		}
		files, err := sources(dir)
		if err != nil {
			return err
		}
		good, packed, grepped := 0, 0, 0
		for _, q := range qs {
			cmd := exec.Command(kg, "pack", q.text, "-C", dir, "-o", "json", "-q", "--tokens", strconv.Itoa(tokens))
			cmd.Stderr = log
			text, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("%s: %w", q.text, err)
			}
			missing, cost, err := judge(text, q.want)
			if err != nil {
				return err
			}
			if len(missing) == 0 {
				good++
			} else {
				fmt.Fprintf(log, "%s: %q lacks %s\n", filepath.Base(dir), q.text, strings.Join(missing, ", "))
			}
			packed += cost
			grepped += grep(files, q.text)
		}
		n := max(1, len(qs))
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d |\n", filepath.Base(dir), len(qs), good, packed/n, grepped/n)
	}
	return nil
}

func read(path string) ([]question, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var qs []question
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, want, ok := strings.Cut(line, "|")
		if !ok {
			return nil, fmt.Errorf("%s: %q has no bar", path, line)
		}
		q := question{text: strings.TrimSpace(text)}
		for name := range strings.SplitSeq(want, ",") {
			q.want = append(q.want, strings.TrimSpace(name))
		}
		qs = append(qs, q)
	}
	if len(qs) == 0 {
		return nil, fmt.Errorf("%s has no question", path)
	}
	return qs, nil
}

// judge returns the names that a pack lacks, and what it costs.
func judge(text []byte, want []string) (missing []string, tokens int, err error) {
	type named struct{ Name string }
	var p struct {
		Tokens                        int
		Definitions, Uses, Neighbours []named
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, 0, err
	}
	for _, w := range want {
		if !slices.ContainsFunc(slices.Concat(p.Definitions, p.Uses, p.Neighbours), func(n named) bool { return stands(n.Name, w) }) {
			missing = append(missing, w)
		}
	}
	return missing, p.Tokens, nil
}

// stands reports whether a name is the wanted one, an overload of it, or that of
// a member, which shows its type.
func stands(name, want string) bool {
	rest, ok := strings.CutPrefix(name, want)
	return ok && (rest == "" || rest[0] == '(' || rest[0] == '.')
}

// sources reads the files of a folder that grep would look into.
func sources(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != dir {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() && slices.Contains([]string{".go", ".java", ".py", ".ts", ".js"}, filepath.Ext(path)) {
			data, err := os.ReadFile(path)
			files[path] = strings.ToLower(string(data))
			return err
		}
		return nil
	})
	return files, err
}

func grep(files map[string]string, text string) int {
	type word struct {
		w     string
		files int
	}
	var words []word
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		if len(w) < 4 || strings.Contains(" which what that with from into before while there they when have does their ", " "+w+" ") {
			continue
		}
		n := 0
		for _, s := range files {
			if strings.Contains(s, w) {
				n++
			}
		}
		if n > 0 {
			words = append(words, word{w, n})
		}
	}
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.files, b.files) })
	words = words[:min(3, len(words))]
	type hit struct{ count, size int }
	var hits []hit
	for _, s := range files {
		n := 0
		for _, w := range words {
			n += strings.Count(s, w.w)
		}
		if n > 0 {
			hits = append(hits, hit{n, len(s)})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.size, b.size)) })
	sum := 0
	for _, h := range hits[:min(10, len(hits))] {
		sum += h.size / 4
	}
	return sum
}
