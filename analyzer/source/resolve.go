package source

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/history"
)

// Resolve returns the commit that rev names: a branch, a remote branch, a
// tag (annotated or not), a full or a short hash, HEAD or @, followed by any
// number of ~N, ^N, ^0 and ^{commit}. What else git understands (main@{1},
// @{upstream}, :/text, the output of git describe) is asked of git.
//
// The error wraps [ErrUnknownRevision] and tells similar names, or
// [ErrEmptyRepository] for HEAD before the first commit, or [ErrShallow] for
// an ancestor that was not fetched.
func (r *Repo) Resolve(rev string) (history.Commit, error) {
	base, steps, ok := splitRevision(rev)
	if ok {
		id, err := r.resolveBase(base)
		if err != nil {
			return history.Commit{}, err
		}
		if id != "" {
			c, err := r.peel(id)
			if err == nil {
				return r.ancestor(rev, c, steps)
			}
			if !errors.Is(err, ErrMissingObject) && !errors.Is(err, errNotCommit) {
				return history.Commit{}, err
			}
		} else if base == "HEAD" || base == "@" {
			return history.Commit{}, r.unborn()
		}
	}
	if r.program != nil && rev != "" && !strings.HasPrefix(rev, "-") && !strings.ContainsAny(rev, "\x00\n") {
		out, err := r.program.output("rev-parse", "--verify", "--quiet", "--end-of-options", rev)
		if id := strings.TrimSpace(string(out)); err == nil && isHash(id) {
			if c, err := r.peel(id); !errors.Is(err, errNotCommit) && !errors.Is(err, ErrMissingObject) {
				return c, err
			}
		}
	}
	return history.Commit{}, r.unknown(rev, base)
}

func (r *Repo) unborn() error {
	text := "the repository has no commits yet"
	if names, err := r.refs.names(); err == nil && slices.ContainsFunc(names, func(n string) bool { return n != "HEAD" }) {
		text = "the branch that is checked out has no commits yet"
	}
	return &Error{Kind: ErrEmptyRepository, Text: text, Hint: "commit something first, or compare two folders"}
}

func (r *Repo) unknown(rev, base string) error {
	e := &Error{Kind: ErrUnknownRevision, Text: fmt.Sprintf("no branch, tag or commit is called %q", rev)}
	if near := r.nearNames(base); len(near) > 0 {
		e.Hint = "did you mean " + strings.Join(near, " or ") + "?"
	} else {
		e.Hint = "list names with `git branch --all` and `git tag`, or fetch the one you mean with `git fetch origin`"
	}
	if r.IsShallow() {
		e.Hint += " (this clone is shallow: " + unshallow + ")"
	}
	return e
}

// A revisionStep goes from a commit to an ancestor: generations times to the
// first parent, or once to the parent with the given number.
type revisionStep struct{ generations, parent int }

// splitRevision takes "main~2^2" apart. It reports false for syntax that it
// does not know.
func splitRevision(rev string) (base string, steps []revisionStep, ok bool) {
	end := strings.IndexAny(rev, "~^")
	if end < 0 {
		end = len(rev)
	}
	base, rest := rev[:end], rev[end:]
	if base == "" || strings.HasPrefix(base, "-") || strings.Contains(base, "@{") ||
		strings.ContainsAny(base, " :?*[\\\x00\n\x7f") || strings.Contains(base, "..") {
		return base, nil, false
	}
	for rest != "" {
		if after, found := strings.CutPrefix(rest, "^{commit}"); found {
			rest = after
			continue
		}
		if after, found := strings.CutPrefix(rest, "^{}"); found {
			rest = after
			continue
		}
		digits := 1
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		n := 1
		if digits > 1 {
			var err error
			if n, err = strconv.Atoi(rest[1:digits]); err != nil {
				return base, nil, false
			}
		}
		if rest[0] == '~' {
			steps = append(steps, revisionStep{generations: n})
		} else if rest[0] == '^' && (digits == len(rest) || rest[digits] == '~' || rest[digits] == '^') {
			steps = append(steps, revisionStep{parent: n})
		} else {
			return base, nil, false
		}
		rest = rest[digits:]
	}
	return base, steps, true
}

// refRules are the places where git looks for a short name, in its order.
var refRules = []string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}

// resolveBase returns the hash of a name without steps, or "" if nothing has
// the name.
func (r *Repo) resolveBase(base string) (string, error) {
	if lower := strings.ToLower(base); isHash(lower) && len(lower) == 2*r.hashSize {
		return lower, nil
	}
	if base == "@" {
		base = "HEAD"
	}
	for _, prefix := range refRules {
		if prefix == "" && !strings.HasPrefix(base, "refs/") && strings.ToUpper(base) != base {
			continue // only HEAD, FETCH_HEAD and their like live at the top
		}
		if id, err := r.follow(prefix + base); err != nil || id != "" {
			return id, err
		}
	}
	if id, err := r.follow("refs/remotes/" + base + "/HEAD"); err != nil || id != "" {
		return id, err
	}
	if lower := strings.ToLower(base); len(lower) >= 4 && len(lower) < 2*r.hashSize && isHex(lower) && r.local != nil {
		return r.shortHash(lower)
	}
	return "", nil
}

// shortHash returns the only commit, or the only annotated tag of a commit,
// whose hash begins with prefix.
func (r *Repo) shortHash(prefix string) (string, error) {
	ids, err := r.local.withPrefix(prefix)
	if err != nil {
		return "", err
	}
	var commits []string
	for _, id := range ids {
		if _, err := r.peel(id); err == nil {
			commits = append(commits, id)
		}
	}
	switch len(commits) {
	case 0:
		return "", nil
	case 1:
		return commits[0], nil
	}
	slices.Sort(commits)
	return "", &Error{
		Kind: ErrUnknownRevision,
		Text: fmt.Sprintf("%q is the beginning of several commits: %s", prefix, strings.Join(commits[:min(len(commits), 4)], ", ")),
		Hint: "write more of the hash",
	}
}

// peel follows annotated tags to a commit.
func (r *Repo) peel(id string) (history.Commit, error) {
	for range 16 {
		kind, data, err := r.objects.object(id, maxContent)
		if err != nil {
			return history.Commit{}, err
		}
		switch kind {
		case commitObject:
			return parseCommit(id, data)
		case tagObject:
			if id, err = parseTag(data); err != nil {
				return history.Commit{}, err
			}
		default:
			return history.Commit{}, errNotCommit
		}
	}
	return history.Commit{}, errNotCommit
}

// ancestor walks the steps of rev from c.
func (r *Repo) ancestor(rev string, c history.Commit, steps []revisionStep) (history.Commit, error) {
	up := func(n int) error {
		parents, err := r.parents(c)
		if err != nil {
			return err
		}
		if n <= len(parents) {
			c, err = r.Commit(parents[n-1])
			return err
		}
		if n <= len(c.Parents) {
			return &Error{Kind: ErrShallow, Text: rev + " is beyond the history that was fetched", Hint: unshallow}
		}
		return &Error{
			Kind: ErrUnknownRevision,
			Text: fmt.Sprintf("%s does not exist: commit %.12s has %d parents", rev, c.ID, len(c.Parents)),
			Hint: "see the history with `git log --graph`",
		}
	}
	for _, step := range steps {
		for range step.generations {
			if err := up(1); err != nil {
				return history.Commit{}, err
			}
		}
		if step.parent > 0 {
			if err := up(step.parent); err != nil {
				return history.Commit{}, err
			}
		}
	}
	return c, nil
}

// nearNames returns up to three short names of references that look like
// name, the most similar first.
func (r *Repo) nearNames(name string) []string {
	full, err := r.refs.names()
	if err != nil || name == "" {
		return nil
	}
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, ref := range full {
		short := ref
		for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/"} {
			short = strings.TrimPrefix(short, prefix)
		}
		distance := editDistance(strings.ToLower(short), strings.ToLower(name))
		if strings.HasSuffix(short, "/"+name) {
			distance = 0
		}
		if distance <= max(2, len(name)/3) && distance < len(name) {
			found = append(found, near{short, distance})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.distance - b.distance })
	var names []string
	for _, n := range found {
		if !slices.Contains(names, n.name) && len(names) < 3 {
			names = append(names, n.name)
		}
	}
	return names
}

// editDistance is the number of bytes to insert, delete or replace between
// two short names; long ones count as far apart.
func editDistance(a, b string) int {
	if len(a) > 200 || len(b) > 200 {
		return 1000
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
