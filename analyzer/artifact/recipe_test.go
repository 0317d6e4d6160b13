package artifact_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// recipe is what a graph is made of. Ids are positions in its own slices, so
// that it can be given to a builder in any order.
type recipe struct {
	nodes    []graph.Node
	edges    []graph.RawEdge // Site.Keywords is an index into keywords, or -1
	files    []graph.File
	unknowns []graph.Unknown
	skipped  []graph.Skipped
	keywords [][]string
	tree     graph.Hash
}

// build gives the recipe to a builder; a nil r keeps the order.
func (rc *recipe) build(r *rand.Rand) *graph.Graph {
	perm := func(n int) []int {
		if r != nil {
			return r.Perm(n)
		}
		p := make([]int, n)
		for i := range p {
			p[i] = i
		}
		return p
	}
	var b graph.Builder
	b.SetTree(rc.tree)
	kw := make([]int32, len(rc.keywords))
	for _, i := range perm(len(rc.keywords)) {
		kw[i] = b.AddKeywords(rc.keywords[i])
	}
	order := perm(len(rc.nodes))
	id := make([]graph.ID, len(order)+1)
	for at, i := range order {
		id[i] = graph.ID(at)
	}
	of := func(n graph.ID) graph.ID {
		if n == graph.None {
			return n
		}
		return id[n]
	}
	for _, i := range order {
		n := rc.nodes[i]
		n.Parent = of(n.Parent)
		b.AddNode(n)
	}
	file := make([]int32, len(rc.files))
	for _, i := range perm(len(rc.files)) {
		f := rc.files[i]
		f.Node = of(f.Node)
		file[i] = b.AddFile(f)
	}
	b.Grow(len(rc.nodes))
	for _, i := range perm(len(rc.edges)) {
		e := rc.edges[i]
		e.From, e.To, e.Type = of(e.From), of(e.To), of(e.Type)
		if e.HasSite {
			e.Site.File = file[e.Site.File]
			if e.Site.Keywords >= 0 {
				e.Site.Keywords = kw[e.Site.Keywords]
			}
			e.Site.Recv = of(e.Site.Recv)
		}
		b.AddEdge(e)
	}
	for _, i := range perm(len(rc.unknowns)) {
		b.AddUnknown(rc.unknowns[i])
	}
	for _, i := range perm(len(rc.skipped)) {
		b.AddSkipped(rc.skipped[i])
	}
	return b.Build()
}

// pick returns a value of s; early ones are likelier.
func pick[T any](r *rand.Rand, s []T) T {
	f := r.Float64()
	return s[int(f*f*float64(len(s)))]
}

func hash16(s ...any) (h graph.Hash) {
	sum := sha256.Sum256([]byte(fmt.Sprint(s...)))
	copy(h[:], sum[:])
	return h
}

var words = strings.Fields(`get set read write open close parse format build index node edge graph file path name
	value type kind list map queue buffer stream reader writer encoder decoder handler server client request response
	error context option config state cache store block chunk series sample label query range merge compact head tail
	segment record entry key hash token scan match filter sort group count sum rate limit retry backoff worker pool
	task job event message topic offset commit session user account order cart item price total invoice payment`)

func word(r *rand.Rand) string { return pick(r, words) }

func camel(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		w := word(r)
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

func sentence(r *rand.Rand, name string) string {
	b := []string{name}
	for range 5 + r.IntN(8) {
		b = append(b, word(r))
	}
	return strings.Join(b, " ") + "."
}

// realistic makes a recipe in the likeness of a Go module: packages with
// files, types with methods and fields, functions; edges mostly to near
// declarations. The sizes are approximate.
func realistic(seed uint64, nodes, edges, sites int) *recipe {
	r := rand.New(rand.NewPCG(seed, 1))
	rc := &recipe{tree: hash16("tree", seed)}
	basic := strings.Fields("string int error bool []byte context.Context int64 []string any time.Duration uint64 map[string]string")
	types := append([]string{}, basic...)
	add := func(n graph.Node) graph.ID {
		rc.nodes = append(rc.nodes, n)
		return graph.ID(len(rc.nodes) - 1)
	}
	params := func(max int) (ps []graph.Param, text string) {
		var b []string
		for range r.IntN(max + 1) {
			p := graph.Param{Name: word(r), Type: pick(r, types)}
			ps = append(ps, p)
			b = append(b, p.Name+" "+p.Type[strings.LastIndexByte(p.Type, '/')+1:])
		}
		return ps, strings.Join(b, ", ")
	}
	body := func(n *graph.Node, tokens int) {
		n.Tokens, n.Branches = int32(tokens), int32(tokens/2)
		n.Body = hash16(n.Key, "body")
		if tokens >= 16 {
			for i := range n.MinHash {
				n.MinHash[i] = binary.LittleEndian.Uint32(n.Body[i:])/uint32(tokens/8+1) + uint32(i)
			}
		}
	}
	root := add(graph.Node{Key: "mod:go:example.com/acme", Kind: graph.KindModule, Name: "acme", QName: "example.com/acme", Parent: graph.None, Lang: "go"})
	used := map[string]bool{}
	fresh := func(key func(i int) string) string {
		for i := 0; ; i++ {
			if k := key(i); !used[k] {
				used[k] = true
				return k
			}
		}
	}
	type decl struct {
		id   graph.ID
		file int32
		line int32
		size int32
	}
	var funcs []decl
	for len(rc.nodes) < nodes {
		short := word(r)
		pkg := fresh(func(i int) string {
			return fmt.Sprintf("go:example.com/acme/%s/%s%s", word(r), short, strings.Repeat("x", i/8))
		})
		pkgID := add(graph.Node{Key: pkg, Kind: graph.KindPackage, Name: short, QName: short, Parent: root, Lang: "go"})
		for range 2 + r.IntN(8) {
			dir := strings.TrimPrefix(pkg, "go:example.com/acme/")
			key := fresh(func(i int) string {
				return fmt.Sprintf("file:%s/%s%s.go", dir, word(r), strings.Repeat("_x", i/8))
			})
			path := strings.TrimPrefix(key, "file:")
			fileNode := add(graph.Node{Key: key, Kind: graph.KindFile, Name: path[strings.LastIndexByte(path, '/')+1:], QName: path,
				Parent: pkgID, Lang: "go", File: path, DefLine: 1, Line: 1, Col: 1})
			file := int32(len(rc.files))
			rc.files = append(rc.files, graph.File{Path: path, Lang: "go", Hash: sha256.Sum256([]byte(path)), Node: fileNode})
			line := int32(10 + r.IntN(30))
			decls := func(parent graph.ID, owner string, kind graph.Kind, lines int) graph.ID {
				name := camel(r, 1+r.IntN(3))
				if r.IntN(2) == 0 {
					name = strings.ToLower(name[:1]) + name[1:]
				}
				q := name
				if owner != "" {
					q = owner + "." + name
				}
				key := fresh(func(i int) string {
					if i > 0 {
						name += camel(r, 1)
						q += name[len(name)-1:]
						q = strings.TrimSuffix(owner+"."+name, ".")
						q = strings.TrimPrefix(q, ".")
					}
					return pkg + "#" + q
				})
				n := graph.Node{Key: key, Kind: kind, Name: name, QName: short + "." + q, Parent: parent, Lang: "go", File: path,
					DefLine: line, Line: line, Col: 6, EndLine: line + int32(lines) - 1}
				if name[0] >= 'a' {
					n.Visibility = graph.Package
				}
				if r.IntN(4) == 0 {
					n.Doc = sentence(r, name)
					h := hash16(key, "doc")
					n.DocHash = graph.DocHash(h[:8])
				}
				switch kind {
				case graph.KindFunction, graph.KindMethod:
					var in, out string
					n.Signature.Params, in = params(4)
					n.Signature.Results, out = params(2)
					n.Signature.Text = strings.TrimSpace(fmt.Sprintf("func %s(%s) (%s)", name, in, out))
					body(&n, lines*8)
				case graph.KindStruct:
					n.Signature.Text = "type " + name + " struct"
					n.Body = hash16(key)
					types = append(types, "*"+pkg[3:]+"."+name)
				default:
					n.Signature.Type = pick(r, types)
					n.Signature.Text = name + " " + n.Signature.Type
					n.Col = 2
				}
				id := add(n)
				if kind.IsCallable() {
					funcs = append(funcs, decl{id, file, line, int32(lines)})
				}
				line += int32(lines) + 1
				return id
			}
			for range 1 + r.IntN(10) {
				switch r.IntN(3) {
				case 0:
					start := line
					t := decls(pkgID, "", graph.KindStruct, 8)
					owner := rc.nodes[t].Key[len(pkg)+1:]
					line = start + 1
					for range r.IntN(8) {
						decls(t, owner, graph.KindField, 1)
						line--
					}
					line += 2
					for range r.IntN(8) {
						decls(t, owner, graph.KindMethod, 3+r.IntN(40))
					}
				case 1:
					decls(pkgID, "", graph.KindConstant, 1)
				default:
					decls(pkgID, "", graph.KindFunction, 3+r.IntN(40))
				}
			}
			rc.files[file].Size = int64(line) * 30
			rc.nodes[fileNode].EndLine = line
		}
	}
	kinds := []graph.EdgeKind{graph.EdgeCalls, graph.EdgeReads, graph.EdgeUsesType, graph.EdgeWrites, graph.EdgeReferences,
		graph.EdgeInstantiates, graph.EdgeConverts}
	for i := range edges {
		from := funcs[i*len(funcs)/edges]
		e := graph.RawEdge{From: from.id, Kind: pick(r, kinds), Type: graph.None}
		near := int(from.id) + int(r.NormFloat64()*200)
		if near < 0 || near >= len(rc.nodes) || r.IntN(4) == 0 {
			near = r.IntN(len(rc.nodes))
		}
		e.To = graph.ID(near)
		if e.Kind == graph.EdgeConverts {
			e.Type = graph.ID(r.IntN(len(rc.nodes)))
		}
		if r.IntN(10) == 0 {
			e.Certainty = graph.Inferred
		}
		k := 1
		if r.IntN(edges) < (sites-edges)/2 {
			k = 3
		}
		for range k {
			e.HasSite = true
			e.Site = graph.Site{File: from.file, Line: from.line + int32(r.IntN(int(from.size))), Col: int32(2 + r.IntN(50)),
				Args: -1, Keywords: -1, Recv: graph.None}
			if e.Kind == graph.EdgeCalls {
				e.Site.Args, e.Site.Want = int16(r.IntN(5)), int8(r.IntN(3))
			}
			rc.edges = append(rc.edges, e)
		}
	}
	return rc
}
