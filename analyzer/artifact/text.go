package artifact

import (
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// A signature and the first sentence of a documentation name what they are of,
// which is known: a mark stands for the first place that does. Texts that hold the
// mark, or begin as one that was left as it is, are left as they are.
const (
	markName = 1
	markAsIs = 2

	leastName = 3 // bytes of a name that is left out
)

// cutName returns what stands before and after the name in a text.
func cutName(text, name string) (before, after string, ok bool) {
	if len(name) < leastName || asIs(text) {
		return "", "", false
	}
	return strings.Cut(text, name)
}

// asIs reports whether a text would be taken for another one.
func asIs(text string) bool {
	return text != "" && (text[0] == markAsIs || strings.IndexByte(text, markName) >= 0)
}

// encodeText makes the section of the long strings, which seldom repeat.
func (e *encoder) encodeText() []byte {
	sigs, docs := 0, 0
	for i := range e.c.Nodes {
		sigs, docs = sigs+len(e.c.Nodes[i].Signature.Text)+1, docs+len(e.c.Nodes[i].Doc)+1
	}
	count := len(e.c.Nodes)
	sigLen, docLen, sig, doc := roomFor(count+count/8), roomFor(count+count/8), roomFor(sigs), roomFor(docs)
	put := func(length, to *column, text, name string) {
		start := len(to.b)
		if before, after, ok := cutName(text, name); ok {
			to.text(before)
			to.byte(markName)
			to.text(after)
			e.counts.textBytes += uint64(len(text))
		} else {
			if asIs(text) {
				to.byte(markAsIs)
			}
			to.text(text)
		}
		length.uint(uint64(len(to.b) - start))
	}
	for i := range e.c.Nodes {
		n := &e.c.Nodes[i]
		put(&sigLen, &sig, n.Signature.Text, n.Name)
		put(&docLen, &doc, n.Doc, n.Name)
	}
	return joinColumns(&sigLen, &docLen, &sig, &doc)
}

// textReader restores what encodeText wrote. Texts that were left as they are
// are parts of the section.
type textReader struct {
	sigLen, docLen []uint32
	sigs, docs     string // what is left
	joined         []byte // texts with their names, one after the other; nil before version 4
	used           int    // bytes of joined
	bad            bool
}

func (r *textReader) open(d *decoder, content []byte) error {
	var sigLen, docLen, sig, doc cursor
	if err := splitColumns(content, &sigLen, &docLen, &sig, &doc); err != nil {
		return err
	}
	r.sigs, r.docs = stringOf(sig.b), stringOf(doc.b)
	if d.version >= 4 {
		r.joined = makeLarge[byte](int(d.counts.textBytes))
	}
	n := len(d.fixed.kind)
	return readNumbers(numberColumn{&sigLen, n, &r.sigLen}, numberColumn{&docLen, n, &r.docLen})
}

func (r *textReader) next(i int, n *graph.Node) {
	n.Signature.Text = r.take(&r.sigs, r.sigLen[i], n.Name)
	n.Doc = r.take(&r.docs, r.docLen[i], n.Name)
}

// take returns the next text of those that are left.
func (r *textReader) take(left *string, n uint32, name string) string {
	if n == 0 || uint64(n) > uint64(len(*left)) {
		r.bad = r.bad || n > 0
		return ""
	}
	text := (*left)[:n]
	*left = (*left)[n:]
	if r.joined == nil {
		return text
	}
	if text[0] == markAsIs {
		return text[1:]
	}
	at := strings.IndexByte(text, markName)
	if at < 0 {
		return text
	}
	if r.used+len(text)-1+len(name) > len(r.joined) {
		r.bad = true
		return ""
	}
	start := r.used
	r.used += copy(r.joined[r.used:], text[:at])
	r.used += copy(r.joined[r.used:], name)
	r.used += copy(r.joined[r.used:], text[at+1:])
	return stringOf(r.joined[start:r.used]) // is not written again
}

func (r *textReader) finish() error {
	if r.bad {
		return errRange
	}
	if len(r.sigs) > 0 || len(r.docs) > 0 || r.used != len(r.joined) {
		return errTrailing
	}
	return nil
}
