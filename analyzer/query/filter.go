package query

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/codekg/kg/analyzer/graph"
)

// The caps of globs.
const (
	maxGlobs      = 50
	maxGlob       = 500 // bytes
	maxGlobChoice = 4   // { } in one glob
)

// filter says by path what is shown and what is walked through.
type filter struct {
	scope, exclude []string
	seen           map[string]uint8 // by path
}

const (
	filterShown = 1 << iota
	filterWalked
)

func newFilter(scope, exclude []string) (filter, error) {
	f := filter{scope: scope, exclude: exclude}
	if len(scope)+len(exclude) == 0 {
		return f, nil
	}
	if len(scope)+len(exclude) > maxGlobs {
		return f, badRequest("there are more than %d globs", maxGlobs)
	}
	for _, list := range [][]string{scope, exclude} {
		for _, g := range list {
			if len(g) > maxGlob || strings.Count(g, "{") > maxGlobChoice || !doublestar.ValidatePattern(g) {
				return f, badRequest("%q is no glob of paths, as in internal/** or **/*_test.*", clip(g))
			}
		}
	}
	f.seen = map[string]uint8{}
	return f, nil
}

// path is what globs are matched against: the file, or what stands for one.
func path(n *graph.Node) string {
	if n.File != "" {
		return n.File
	}
	return n.QName
}

func (f *filter) look(n *graph.Node) uint8 {
	if f.seen == nil {
		return filterShown | filterWalked
	}
	p := path(n)
	bits, ok := f.seen[p]
	if !ok {
		bits = filterShown | filterWalked
		if len(f.scope) > 0 && !matchAny(f.scope, p) {
			bits &^= filterShown
		}
		if matchAny(f.exclude, p) {
			bits = 0
		}
		f.seen[p] = bits
	}
	return bits
}

func (f *filter) shows(n *graph.Node) bool { return f.look(n)&filterShown != 0 }
func (f *filter) walks(n *graph.Node) bool { return f.look(n)&filterWalked != 0 }

// matchAny also takes a folder for everything in it.
func matchAny(globs []string, p string) bool {
	for _, g := range globs {
		if ok, _ := doublestar.Match(g, p); ok || strings.HasPrefix(p, strings.TrimSuffix(g, "/")+"/") {
			return true
		}
	}
	return false
}

// A cursor is a position in the answer to one request on one graph. It holds a
// check of both, so that it cannot be used with others.

const cursorSize = 12

func (q *asking) cursorCheck() uint64 {
	r := q.r
	r.Cursor, r.Max = "", 0
	text, _ := json.Marshal(r) // strings, numbers and lists: no error
	sum := sha256.Sum256(append(q.g.Tree[:len(q.g.Tree):len(q.g.Tree)], text...))
	return binary.BigEndian.Uint64(sum[:])
}

func (q *asking) cursorAt(at int) string {
	var b [cursorSize]byte
	binary.BigEndian.PutUint64(b[:], q.cursorCheck())
	binary.BigEndian.PutUint32(b[8:], uint32(at))
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func (q *asking) cursor(most int) (int, error) {
	if q.r.Cursor == "" {
		return 0, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(q.r.Cursor)
	if err != nil || len(b) != cursorSize || binary.BigEndian.Uint64(b) != q.cursorCheck() {
		return 0, badRequest("the cursor is of another question or of another graph; ask again without it")
	}
	at := int(binary.BigEndian.Uint32(b[8:]))
	if at > most {
		return 0, badRequest("the cursor is behind the end")
	}
	return at, nil
}
