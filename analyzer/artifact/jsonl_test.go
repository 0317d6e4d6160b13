package artifact_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/graph"
)

// The lines as encoding/json would write them.
type (
	nodeLine struct {
		T          string        `json:"t"`
		ID         string        `json:"id"`
		Kind       string        `json:"kind"`
		Name       string        `json:"name"`
		QName      string        `json:"qname"`
		Parent     *string       `json:"parent,omitempty"`
		Lang       string        `json:"lang,omitempty"`
		File       string        `json:"file,omitempty"`
		DefLine    int32         `json:"def_line,omitempty"`
		Line       int32         `json:"line,omitempty"`
		Col        int32         `json:"col,omitempty"`
		EndLine    int32         `json:"end_line,omitempty"`
		Exported   bool          `json:"exported"`
		Test       bool          `json:"test"`
		Signature  string        `json:"signature,omitempty"`
		Visibility string        `json:"visibility"`
		Flags      []string      `json:"flags,omitempty"`
		Type       string        `json:"type,omitempty"`
		TypeParams []paramLine   `json:"type_params,omitempty"`
		Params     []paramLine   `json:"params,omitempty"`
		Results    []paramLine   `json:"results,omitempty"`
		Bases      []string      `json:"bases,omitempty"`
		Doc        string        `json:"doc,omitempty"`
		DocHash    string        `json:"doc_hash,omitempty"`
		Body       string        `json:"body,omitempty"`
		Tokens     int32         `json:"tokens,omitempty"`
		Branches   int32         `json:"branches,omitempty"`
		Variants   []variantLine `json:"variants,omitempty"`
	}
	paramLine struct {
		Name        string `json:"name,omitempty"`
		Type        string `json:"type,omitempty"`
		Variadic    bool   `json:"variadic,omitempty"`
		Optional    bool   `json:"optional,omitempty"`
		KeywordOnly bool   `json:"keyword_only,omitempty"`
		Positional  bool   `json:"positional,omitempty"`
		Keywords    bool   `json:"keywords,omitempty"`
	}
	variantLine struct {
		Constraint string `json:"constraint,omitempty"`
		File       string `json:"file,omitempty"`
		DefLine    int32  `json:"def_line,omitempty"`
		Line       int32  `json:"line,omitempty"`
		EndLine    int32  `json:"end_line,omitempty"`
		Signature  string `json:"signature,omitempty"`
		Body       string `json:"body,omitempty"`
	}
	edgeLine struct {
		T         string   `json:"t"`
		Kind      string   `json:"kind"`
		From      string   `json:"from"`
		To        string   `json:"to"`
		File      *string  `json:"file,omitempty"`
		Line      int32    `json:"line,omitempty"`
		Col       int32    `json:"col,omitempty"`
		Certainty string   `json:"certainty"`
		Ptr       bool     `json:"ptr,omitempty"`
		Type      *string  `json:"type,omitempty"`
		Args      *int16   `json:"args,omitempty"`
		Keywords  []string `json:"keywords,omitempty"`
		Spread    bool     `json:"spread,omitempty"`
		SpreadKw  bool     `json:"spread_keywords,omitempty"`
		Super     bool     `json:"super,omitempty"`
		Receiver  *string  `json:"receiver,omitempty"`
		Go        bool     `json:"go,omitempty"`
		Want      any      `json:"want,omitempty"`
		Test      bool     `json:"test,omitempty"`
	}
	unknownLine struct {
		T       string `json:"t"`
		Reason  string `json:"reason"`
		File    string `json:"file,omitempty"`
		Line    int32  `json:"line,omitempty"`
		EndLine int32  `json:"end_line,omitempty"`
		Detail  string `json:"detail,omitempty"`
		Count   int32  `json:"count"`
	}
	fileLine struct {
		T    string  `json:"t"`
		Path string  `json:"path"`
		Lang string  `json:"lang,omitempty"`
		Node *string `json:"node,omitempty"`
		Size int64   `json:"size,omitempty"`
		Hash string  `json:"sha256"`
	}
	skippedLine struct {
		T     string `json:"t"`
		Lang  string `json:"lang"`
		Files int32  `json:"files,omitempty"`
		Bytes int64  `json:"bytes,omitempty"`
	}
)

func hexOf(h []byte) string {
	if len(bytes.Trim(h, "\x00")) == 0 {
		return ""
	}
	return hex.EncodeToString(h)
}

func paramLines(ps []graph.Param) (lines []paramLine) {
	for _, p := range ps {
		has := func(f graph.ParamFlags) bool { return p.Flags&f != 0 }
		lines = append(lines, paramLine{p.Name, p.Type, has(graph.ParamVariadic), has(graph.ParamOptional),
			has(graph.ParamKeywordOnly), has(graph.ParamPositional), has(graph.ParamKeywords)})
	}
	return lines
}

// lines returns what JSONL should write, by a slow and simple way.
func lines(g *graph.Graph) (all []any) {
	key := func(n graph.ID) *string {
		if n == graph.None {
			return nil
		}
		return &g.Nodes[n].Key
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		var vs []variantLine
		for _, v := range n.Variants {
			vs = append(vs, variantLine{v.Constraint, v.File, v.DefLine, v.Line, v.EndLine, v.Signature, hexOf(v.Body[:])})
		}
		s := &n.Signature
		all = append(all, nodeLine{"node", n.Key, n.Kind.String(), n.Name, n.QName, key(n.Parent), n.Lang, n.File, n.DefLine,
			n.Line, n.Col, n.EndLine, n.Visibility <= graph.Internal, n.Flags.Has(graph.FlagTest), s.Text,
			n.Visibility.String(), n.Flags.Names(), s.Type, paramLines(s.TypeParams), paramLines(s.Params),
			paramLines(s.Results), s.Bases, n.Doc, hexOf(n.DocHash[:]), hexOf(n.Body[:]), n.Tokens, n.Branches, vs})
	}
	for i := range g.Nodes {
		for j := range g.Nodes {
			if g.Nodes[j].Parent == graph.ID(i) {
				all = append(all, edgeLine{T: "edge", Kind: "contains", From: g.Nodes[i].Key, To: g.Nodes[j].Key, Certainty: "exact"})
			}
		}
		out := g.Out(graph.ID(i))
		for j := range out {
			e := &out[j]
			l := edgeLine{T: "edge", Kind: e.Kind.String(), From: *key(e.From), To: *key(e.To), Certainty: e.Certainty.String(),
				Ptr: e.Ptr, Type: key(e.Type)}
			if len(g.Sites(e)) == 0 {
				all = append(all, l)
			}
			for _, s := range g.Sites(e) {
				l := l
				l.File, l.Line, l.Col = &g.Files[s.File].Path, s.Line, s.Col
				l.Test = s.Flags&graph.SiteTest != 0
				if s.Args >= 0 {
					l.Args = &s.Args
					if s.Keywords >= 0 {
						l.Keywords = g.Keywords[s.Keywords]
					}
					l.Spread, l.SpreadKw = s.Flags&graph.SiteSpread != 0, s.Flags&graph.SiteSpreadKw != 0
					l.Super, l.Receiver = s.Flags&graph.SiteSuper != 0, key(s.Recv)
					l.Go = s.Flags&graph.SiteGo != 0
					if s.Want == graph.WantAll {
						l.Want = "all"
					} else if s.Want != 0 {
						l.Want = s.Want
					}
				}
				all = append(all, l)
			}
		}
	}
	for _, u := range g.Unknowns {
		all = append(all, unknownLine{"unknown", u.Reason.String(), u.File, u.Line, u.EndLine, u.Detail, u.Count})
	}
	for _, f := range g.Files {
		all = append(all, fileLine{"file", f.Path, f.Lang, key(f.Node), f.Size, hex.EncodeToString(f.Hash[:])})
	}
	for _, s := range g.Skipped {
		all = append(all, skippedLine{"skipped", s.Lang, s.Files, s.Bytes})
	}
	return all
}

func export(t testing.TB, g *graph.Graph) string {
	t.Helper()
	var b bytes.Buffer
	if err := artifact.JSONL(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestJSONLAgainstEncodingJSON compares bytes where no character has an escape
// of its own, and values where some have.
func TestJSONLAgainstEncodingJSON(t *testing.T) {
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	g := realistic(4, 400, 900, 1300).build(nil)
	for _, l := range lines(g) {
		if err := enc.Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	if got := export(t, g); got != want.String() {
		a, b := strings.Split(got, "\n"), strings.Split(want.String(), "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("line %d is\n%s\nwant\n%s", i+1, a[i], b[i])
			}
		}
		t.Fatalf("%d lines, want %d", len(a), len(b))
	}
	for seed := range uint64(60) {
		g := random(seed).build(nil)
		got := strings.SplitAfter(export(t, g), "\n")
		all := lines(g)
		if len(got) != len(all)+1 || got[len(all)] != "" {
			t.Fatalf("%d lines, want %d", len(got)-1, len(all))
		}
		for i, l := range all {
			data, err := json.Marshal(mark(l))
			if err != nil {
				t.Fatal(err)
			}
			var a, b any
			if err := json.Unmarshal([]byte(got[i]), &a); err != nil {
				t.Fatalf("line %q: %v", got[i], err)
			}
			if err := json.Unmarshal(data, &b); err != nil {
				t.Fatal(err)
			}
			if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
				t.Fatalf("line %q is\n%q, want\n%q", got[i], x, y)
			}
		}
	}
}

// escaped returns what a reader gets for s: bytes that are not UTF-8, and
// U+FFFD itself, are U+FFFD and hexadecimal digits.
func escaped(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError {
			for _, c := range []byte(s[:n]) {
				fmt.Fprintf(&b, "\ufffd%02x", c)
			}
		} else {
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

// mark escapes all strings of a line.
func mark(l any) any {
	p := func(s *string) *string {
		if s == nil {
			return nil
		}
		e := escaped(*s)
		return &e
	}
	ss := func(list []string) (out []string) {
		for _, s := range list {
			out = append(out, escaped(s))
		}
		return out
	}
	ps := func(list []paramLine) []paramLine {
		for i := range list {
			list[i].Name, list[i].Type = escaped(list[i].Name), escaped(list[i].Type)
		}
		return list
	}
	switch l := l.(type) {
	case nodeLine:
		for _, s := range []*string{&l.ID, &l.Name, &l.QName, &l.Lang, &l.File, &l.Signature, &l.Type, &l.Doc} {
			*s = escaped(*s)
		}
		l.Parent, l.Bases = p(l.Parent), ss(l.Bases)
		l.TypeParams, l.Params, l.Results = ps(l.TypeParams), ps(l.Params), ps(l.Results)
		for i := range l.Variants {
			v := &l.Variants[i]
			v.Constraint, v.File, v.Signature = escaped(v.Constraint), escaped(v.File), escaped(v.Signature)
		}
		return l
	case edgeLine:
		l.From, l.To = escaped(l.From), escaped(l.To)
		l.File, l.Type, l.Receiver, l.Keywords = p(l.File), p(l.Type), p(l.Receiver), ss(l.Keywords)
		return l
	case unknownLine:
		l.File, l.Detail = escaped(l.File), escaped(l.Detail)
		return l
	case fileLine:
		l.Path, l.Lang, l.Node = escaped(l.Path), escaped(l.Lang), p(l.Node)
		return l
	case skippedLine:
		l.Lang = escaped(l.Lang)
		return l
	}
	return l
}

// TestJSONLIsInert checks that lines hold nothing that a terminal, a reader or
// the log of a CI system would act on, and that distinct keys stay distinct.
func TestJSONLIsInert(t *testing.T) {
	seen := map[string]string{}
	var b graph.Builder
	for _, x := range oddStrings {
		for _, y := range oddStrings {
			if _, ok := seen[x+y]; !ok {
				seen[x+y] = ""
				b.AddNode(graph.Node{Key: x + y, Parent: graph.None})
			}
		}
	}
	// What the escapes of others look like.
	for _, key := range []string{"\ufffdff", "\ufffdef\ufffdbf\ufffdbd", `\xff`, `\ufffd`} {
		b.AddNode(graph.Node{Key: key, Parent: graph.None})
	}
	text := export(t, b.Build())
	ids := map[string]bool{}
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) || !utf8.ValidString(line) || strings.Contains(line, "##[") || strings.HasPrefix(line, "::") {
			t.Errorf("line %q", line)
		}
		for _, r := range strings.TrimSuffix(line, "\n") {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Errorf("line %q holds %U", line, r)
			}
		}
		var n nodeLine
		if err := json.Unmarshal([]byte(line), &n); err != nil {
			t.Fatal(err)
		}
		if ids[n.ID] {
			t.Errorf("two keys are written as %q", n.ID)
		}
		ids[n.ID] = true
	}
	if len(ids) < len(seen) {
		t.Errorf("%d keys, want %d or more", len(ids), len(seen))
	}
}

func TestExporters(t *testing.T) {
	if len(artifact.Exporters) == 0 {
		t.Fatal("there are no exporters")
	}
	for _, e := range artifact.Exporters {
		if e.Name == "" || e.Description == "" {
			t.Errorf("an exporter says nothing of itself: %q, %q", e.Name, e.Description)
		}
		var a, b bytes.Buffer
		if err := e.Export(&a, random(5).build(nil)); err != nil {
			t.Error(err)
		}
		if err := e.Export(&b, random(5).build(nil)); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) || a.Len() == 0 {
			t.Errorf("exporter %s gives other bytes, %v", e.Name, err)
		}
	}
}
