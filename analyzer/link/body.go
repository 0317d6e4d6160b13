package link

import (
	"context"
	"sync/atomic"

	"github.com/sourcegraph/conc/pool"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// bodies is phase two: the edges of every file, from its facts and the
// surfaces.
func (l *linker) bodies(ctx context.Context) error {
	var next atomic.Int64
	readers := make([]*bodyReader, l.Workers)
	p := pool.New().WithMaxGoroutines(l.Workers)
	for w := range readers {
		r := &bodyReader{ev: l.newEvaluator(newTypeTable(l.types)), l: l, externs: map[externKey]graph.ID{}, ofLibrary: map[Ent]graph.ID{}, stored: map[implemented]bool{}, storedExterns: map[storedExtern]bool{}}
		readers[w] = r
		p.Go(func() {
			for ctx.Err() == nil {
				fn := int32(next.Add(1) - 1)
				if int(fn) >= len(l.files) {
					return
				}
				if f := &l.files[fn]; f.unit >= 0 && !l.units[f.unit].surface {
					r.file(fn)
					r.done, r.edges = append(r.done, r.edges), r.edges[len(r.edges):]
				}
			}
		})
	}
	p.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	nodes := 0
	for _, r := range readers {
		nodes += len(r.externList)
	}
	l.b.Grow(nodes + nodes/4) // and what is found without bodies
	for _, r := range readers {
		l.collect(r)
	}
	l.joinEmitters(readers)
	l.provenImplementations(readers)
	return nil
}

// externKey is an external name that a reader met.
type externKey struct {
	lang string
	path string
	name string
}

// collect adds a reader's edges, with nodes for the external names it met.
func (l *linker) collect(r *bodyReader) {
	ids := make([]graph.ID, len(r.externList))
	for i, k := range r.externList {
		ids[i] = l.externalNode(k.lang, k.path, k.name)
	}
	resolve := func(n graph.ID) graph.ID {
		if n <= externBase {
			return ids[externBase-n]
		}
		return n
	}
	for _, edges := range r.done {
		for i := range edges {
			e := &edges[i]
			e.From, e.To, e.Type = resolve(e.From), resolve(e.To), resolve(e.Type)
			if e.HasSite && e.Site.Keywords >= 0 {
				e.Site.Keywords = l.b.AddKeywords(r.keywords[e.Site.Keywords])
			}
		}
		l.b.AddEdges(edges)
	}
}

// externBase and the numbers below stand for external names until the readers
// are collected.
const externBase graph.ID = -2

// bodyReader reads files one after the other and collects their edges.
type bodyReader struct {
	l          *linker
	ev         *evaluator
	edges      []graph.RawEdge   // of the file that is read
	done       [][]graph.RawEdge // by file
	externs    map[externKey]graph.ID
	externList []externKey
	ofLibrary  map[Ent]graph.ID // the same, by declaration of a library
	keywords   [][]string
	stored     map[implemented]bool // concrete types stored as interfaces; whether as a pointer

	storedExterns map[storedExtern]bool // concrete types stored as external interfaces; whether as a pointer

	told, heard []emission // events of emitters
	outside     []graph.ID // who hears of signals that are sent from outside

	fn    int32
	f     *file
	owner []graph.ID     // by ExprID: the node that an expression counts to
	decls []graph.ID     // by DeclID: the node that its expressions count to
	role  []role         // by ExprID
	made  []facts.ExprID // by ExprID of the type of a composite: the composite
	waits []bool         // by ExprID: it is in a function literal that is not called where it stands
}

// role says what an expression does besides naming.
type role uint8

const (
	roleNone        role = iota
	roleInstantiate      // it is the type of a composite
	roleCalled           // a call of it was or will be recorded
	roleEmbed            // the type embeds it
	roleExtend           // the type extends it
	roleImplement        // the type implements it
	roleThrow            // the callable throws it
	roleMark             // it is the type of an annotation
	roleObject           // a member of it is selected
	roleValue            // its value goes on from here
	roleAsked            // something is asked whether it is of this type, or of these
)

func (r *bodyReader) file(fn int32) {
	r.fn, r.f = fn, &r.l.files[fn]
	if room := len(r.f.Facts.Exprs)/2 + 64; cap(r.edges) < room {
		r.edges = make([]graph.RawEdge, 0, max(room, 1<<12))
	}
	if r.f.Rules.Dynamic != nil {
		r.dynamicFile(fn)
		return
	}
	r.ev.open(fn)
	r.findOwners()
	r.imports()
	fs := r.f.Facts
	r.role, r.made = zeroed(r.role, len(fs.Exprs)), zeroed(r.made, len(fs.Exprs))
	for e := range fs.Exprs {
		r.ev.typeOf(facts.ExprID(e))
		x := &fs.Exprs[e]
		switch x.Op {
		case facts.OpComposite:
			if at := r.mark(x.X, roleInstantiate); at >= 0 {
				r.made[at] = facts.ExprID(e)
			}
		case facts.OpNew:
			if r.f.Rules.Modules != nil {
				continue
			}
			if r.f.Rules.Classes != nil {
				if at := r.mark(x.X, roleInstantiate); at >= 0 {
					r.made[at] = facts.ExprID(e)
				}
				continue
			}
			r.mark(x.X, roleCalled)
		case facts.OpCall:
			if r.f.Rules.Modules == nil {
				r.mark(x.X, roleCalled)
			}
		case facts.OpMark:
			if r.f.Rules.Modules == nil {
				r.mark(x.X, roleMark)
			}
		}
	}
	if r.f.Rules.Classes != nil {
		r.declared()
	}
	if r.f.Rules.Modules != nil {
		r.declaredModule()
	}
	for i := range fs.Decls {
		d := &fs.Decls[i]
		if r.l.nodeOf[r.f.base+Ent(i)] == graph.None || r.f.Rules.Classes != nil || r.f.Rules.Modules != nil {
			continue
		}
		for _, b := range fs.Lists[d.Bases.Lo:d.Bases.Hi] {
			r.embed(facts.ExprID(b))
		}
		if d.Kind == graph.KindRoute {
			r.handler(r.l.nodeOf[r.f.base+Ent(i)], d)
		}
	}
	for e := range fs.Exprs {
		r.expr(facts.ExprID(e), &fs.Exprs[e])
	}
	r.flows()
}

// mark gives a role to the expression that names what e is, through the
// arguments of a generic, and returns that expression.
func (r *bodyReader) mark(e facts.ExprID, as role) facts.ExprID {
	for e >= 0 {
		r.role[e] = as
		if x := &r.f.Facts.Exprs[e]; x.Op == facts.OpIndex && r.ev.ref[e] != noEnt {
			e = x.X
			continue
		}
		break
	}
	return e
}

// embed gives the name of an embedded type its role.
func (r *bodyReader) embed(e facts.ExprID) {
	if e >= 0 && r.f.Facts.Exprs[e].Op == facts.OpDeref {
		e = r.f.Facts.Exprs[e].X
	}
	r.mark(e, roleEmbed)
}

// findOwners finds the node that each expression counts to.
func (r *bodyReader) findOwners() {
	fs := r.f.Facts
	file := r.fileNode()
	r.owner, r.decls = zeroed(r.owner, len(fs.Exprs)), zeroed(r.decls, len(fs.Decls))
	r.waits = zeroed(r.waits, len(fs.Exprs))
	for i := range r.owner {
		r.owner[i] = file
	}
	for i := range fs.Decls {
		d := &fs.Decls[i]
		n := r.l.nodeOf[r.f.base+Ent(i)]
		if n == graph.None {
			n = file
			if d.Parent != facts.None {
				n = r.decls[d.Parent]
			}
			r.decls[i] = n
			if d.Traits&facts.TraitLiteral != 0 || r.f.Rules.Modules != nil && d.Kind.IsCallable() && d.Parent != facts.None && fs.Decls[d.Parent].Traits&facts.TraitAnonymous != 0 {
				r.literal(facts.DeclID(i))
			}
			continue
		}
		r.decls[i] = n
		if d.Parent != facts.None && fs.Decls[d.Parent].Traits&facts.TraitAnonymous != 0 && !(r.f.Rules.Modules != nil && d.Kind.IsCallable()) {
			r.decls[i] = r.decls[d.Parent] // the type literal's place decides
			continue
		}
		if d.Traits&facts.TraitEmbedded != 0 && d.Parent != facts.None {
			n = r.decls[d.Parent] // the embedding counts to the type that embeds
		}
		for e := d.Exprs.Lo; e < d.Exprs.Hi; e++ {
			r.owner[e] = n
		}
	}
}

// literal notes that the expressions of a function literal wait until the
// function is called, unless that is where it stands.
func (r *bodyReader) literal(d facts.DeclID) {
	exprs := r.f.Facts.Exprs
	span := r.f.Facts.Decls[d].Exprs
	if span.Lo >= span.Hi || r.waits[span.Lo] {
		return // those of the literal around it wait anyway
	}
	if int(span.Hi) < len(exprs) {
		if x := &exprs[span.Hi]; x.Op == facts.OpFunc && x.X == facts.ExprID(d) && x.Flags&facts.FlagCallee != 0 {
			return
		}
	}
	for e := span.Lo; e < span.Hi; e++ {
		r.waits[e] = true
	}
}

// fileNode returns the builder's node of the file being read. Builder files
// and nodes are added together, so the number is kept by the linker.
func (r *bodyReader) fileNode() graph.ID { return r.l.fileNodes[r.fn] }

func (r *bodyReader) site(line, col int32) graph.Site {
	s := graph.Site{File: r.l.fileIDs[r.fn], Line: line, Col: col, Args: -1, Keywords: -1, Recv: graph.None}
	if r.f.place.Test {
		s.Flags |= graph.SiteTest
	}
	return s
}

func (r *bodyReader) edge(k graph.EdgeKind, from, to graph.ID, x *facts.Expr) {
	r.edges = append(r.edges, graph.RawEdge{From: from, To: to, Type: graph.None, Kind: k, Certainty: r.certainty(x), HasSite: true, Site: r.site(x.Line, x.Col)})
}

// certainty returns how sure it is what an expression names.
func (r *bodyReader) certainty(x *facts.Expr) graph.Certainty {
	if r.ev.isGuess(x) {
		return graph.Inferred
	}
	return graph.Exact
}

func (r *bodyReader) extern(path, name string) graph.ID {
	k := externKey{r.f.Rules.Name, path, name}
	if id, ok := r.externs[k]; ok {
		return id
	}
	id := externBase - graph.ID(len(r.externList))
	r.externs[k] = id
	r.externList = append(r.externList, k)
	return id
}

func (r *bodyReader) imports() {
	file := r.fileNode()
	for i := range r.f.Facts.Imports {
		im := &r.f.Facts.Imports[i]
		path := r.f.Facts.Str(im.Path)
		if path == "" && r.f.Rules.Modules != nil && im.Flags&facts.ImportReExport != 0 && im.Name != 0 {
			r.importedNames(int32(i), im, file) // what the file imports, and passes on
		}
		if path == "" || r.f.Rules.Modules != nil && path[0] == '.' && r.l.resolveImport(r.f.unit, path) < 0 {
			continue // it names a declaration of the file, or what is not there
		}
		if im.Flags&facts.ImportImplied != 0 {
			continue
		}
		to := graph.None
		if u := r.l.resolveImport(r.f.unit, path); u >= 0 && !r.l.units[u].surface {
			to = r.l.unitIDs[u]
			if r.f.Rules.Modules != nil && len(r.l.units[u].files) == 1 {
				to = r.l.fileNodes[r.l.units[u].files[0]]
			}
		} else {
			to = r.extern(path, "")
		}
		at := r.site(im.Line, im.Col)
		if im.Flags&facts.ImportReExport != 0 && im.Alias == 0 {
			at.Flags |= graph.SiteSpread
		}
		r.edges = append(r.edges, graph.RawEdge{From: file, To: to, Type: graph.None, Kind: graph.EdgeImports,
			HasSite: true, Site: at})
		if r.f.Rules.Modules != nil && im.Name != 0 {
			r.importedNames(int32(i), im, file)
		}
	}
}

// target returns the node of an entity: of its declaration, of the external
// name, or none for locals and for the universe.
func (r *bodyReader) target(e Ent) graph.ID {
	c := r.l.canon[e]
	if n := r.l.nodeOf[c]; n != graph.None {
		return n
	}
	u := &r.l.units[r.l.unitOf(c)]
	if !u.surface {
		return graph.None
	}
	if u.universe && r.l.decl(c).Kind != graph.KindInterface {
		return graph.None
	}
	id, ok := r.ofLibrary[c]
	if !ok {
		id = r.extern(u.Path, r.l.outerName(c))
		r.ofLibrary[c] = id
	}
	return id
}
