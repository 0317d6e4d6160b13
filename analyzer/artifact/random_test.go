package artifact_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"

	"github.com/codekg/kg/analyzer/graph"
)

// oddStrings are what an encoder may stumble over.
var oddStrings = []string{
	"", "a", "name", "a.b", "a#b", "#", "::", "x::y", "f(int,List)", "k~2", "##[error]", "::error::", "\x00", "\xff\xfe",
	"a\xc3", "\ufffd", "\u202e", "\u2028", "naïve", "日本語", "𝕏", `"quoted"`, `back\slash`, "tab\tnew\nline\r", "<&>",
	"\xed\xa0\x80", "\x7f", "\u0085", "\U000e0041", "prefix", "prefixed", "prefixes", "[", "#[", "##", "###[",
}

// random makes a recipe that is valid and otherwise as odd as a seed allows.
func random(seed uint64) *recipe {
	r := rand.New(rand.NewPCG(seed, 7))
	rc := &recipe{tree: hash16("tree", seed)}
	str := func() string {
		s := oddStrings[r.IntN(len(oddStrings))]
		if r.IntN(3) == 0 {
			s += oddStrings[r.IntN(len(oddStrings))]
		}
		return s
	}
	num := func() int32 {
		switch r.IntN(5) {
		case 0:
			return 0
		case 1:
			return 1<<31 - 1 - int32(r.IntN(3))
		case 2:
			return int32(r.IntN(1 << 20))
		}
		return int32(r.IntN(200))
	}
	hash := func() (h graph.Hash) {
		if r.IntN(2) == 0 {
			h = hash16(r.Uint64())
		}
		return h
	}
	docHash := func() (d graph.DocHash) {
		h := hash()
		copy(d[:], h[:])
		return d
	}
	list := func(f func()) {
		if r.IntN(3) == 0 {
			for range r.IntN(4) {
				f()
			}
		}
	}
	nodes := r.IntN(60)
	parent := func(i int) graph.ID {
		if i == 0 || r.IntN(4) == 0 {
			return graph.None
		}
		return graph.ID(r.IntN(i))
	}
	seen := map[string]bool{}
	for range r.IntN(8) {
		f := graph.File{Path: str(), Lang: str(), Size: r.Int64(), Node: graph.None}
		if nodes > 0 && r.IntN(2) == 0 {
			f.Node = graph.ID(r.IntN(nodes))
		}
		if seen["file"+f.Path] {
			continue
		}
		seen["file"+f.Path] = true
		f.Hash = sha256.Sum256([]byte(f.Path))
		rc.files = append(rc.files, f)
	}
	path := func() string {
		if len(rc.files) > 0 && r.IntN(4) > 0 {
			return rc.files[r.IntN(len(rc.files))].Path
		}
		return str()
	}
	params := func(ps *[]graph.Param) func() {
		return func() {
			*ps = append(*ps, graph.Param{Name: str(), Type: str(), Flags: graph.ParamFlags(r.IntN(32))})
		}
	}
	for i := range nodes {
		n := graph.Node{
			Key: str(), Kind: graph.Kind(r.IntN(graph.KindCount)), Name: str(), QName: str(), Parent: parent(i), Lang: str(),
			File: path(), DefLine: num(), Line: num(), Col: num(), EndLine: num(),
			Visibility: graph.Visibility(r.IntN(graph.VisibilityCount)), Flags: graph.Flags(r.Uint32()) & graph.FlagMask,
			Doc: str(), DocHash: docHash(), Body: hash(), Tokens: num(), Branches: num(),
		}
		if r.IntN(2) == 0 {
			n.Key = fmt.Sprintf("go:m/%s#T.%s", str(), str())
		}
		if seen[n.Key] {
			n.Key += fmt.Sprint(" ", i)
		}
		seen[n.Key] = true
		if r.IntN(2) == 0 {
			n.MinHash[r.IntN(4)] = r.Uint32()
		}
		s := &n.Signature
		s.Text, s.Type = str(), str()
		switch r.IntN(4) { // texts that name what they are of, and such as could be taken for them
		case 0:
			n.Name = "Name" + n.Name
			s.Text, n.Doc = s.Text+n.Name+str(), n.Name+n.Doc+n.Name
		case 1:
			n.Name += "Name"
			s.Text, n.Doc = "\x02"+s.Text+n.Name, n.Doc+"\x01"+n.Name
		}
		for k := range rc.files { // files' nodes with the hash of the file, of another, or none
			if f := &rc.files[k]; f.Node == graph.ID(i) && r.IntN(2) == 0 {
				n.Kind = graph.KindFile
				if r.IntN(2) == 0 {
					n.Body = graph.Hash(f.Hash[:16])
				}
			}
		}
		list(params(&s.TypeParams))
		list(params(&s.Params))
		list(params(&s.Results))
		list(func() { s.Bases = append(s.Bases, str()) })
		list(func() {
			n.Variants = append(n.Variants, graph.Variant{Constraint: str(), File: path(), DefLine: num(), Line: num(),
				EndLine: num(), Signature: str(), Body: hash()})
		})
		rc.nodes = append(rc.nodes, n)
	}
	for i := range r.IntN(5) {
		k := []string{fmt.Sprint(i)}
		list(func() { k = append(k, str()) })
		rc.keywords = append(rc.keywords, k)
	}
	for i := 0; i < r.IntN(200) && nodes > 0; i++ {
		e := graph.RawEdge{From: graph.ID(r.IntN(nodes)), To: graph.ID(r.IntN(nodes)), Type: graph.None,
			Kind: graph.EdgeKind(1 + r.IntN(graph.EdgeKindCount-1)), Certainty: graph.Certainty(r.IntN(graph.CertaintyCount)),
			Ptr: r.IntN(4) == 0}
		if r.IntN(4) == 0 {
			e.Type = graph.ID(r.IntN(nodes))
		}
		for range 1 + r.IntN(3) {
			if len(rc.files) > 0 && r.IntN(4) > 0 {
				e.HasSite = true
				e.Site = graph.Site{File: int32(r.IntN(len(rc.files))), Line: num(), Col: num(), Args: int16(r.IntN(1<<15+1) - 1),
					Want: int8(r.IntN(129) - 1), Flags: graph.SiteFlags(r.IntN(64)), Keywords: int32(r.IntN(len(rc.keywords)+1) - 1),
					Recv: graph.ID(r.IntN(nodes+1) - 1)}
				if r.IntN(2) == 0 {
					e.Site.Args, e.Site.Want, e.Site.Flags = -1, 0, 0
				}
			}
			rc.edges = append(rc.edges, e)
		}
	}
	list(func() {
		rc.unknowns = append(rc.unknowns, graph.Unknown{Reason: graph.Reason(r.IntN(graph.ReasonCount)), File: path(),
			Line: num(), EndLine: num(), Detail: str(), Count: num()})
	})
	list(func() {
		rc.skipped = append(rc.skipped, graph.Skipped{Lang: str(), Files: int32(r.IntN(1000)), Bytes: int64(num())})
	})
	return rc
}
