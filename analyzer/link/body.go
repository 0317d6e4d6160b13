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
	exprs := 0
	for i := range l.Files {
		exprs += len(l.Files[i].Facts.Exprs)
	}
	p := pool.New().WithMaxGoroutines(l.Workers)
	for w := range readers {
		r := &bodyReader{ev: l.newEvaluator(newTypeTable(l.types)), l: l, externs: map[externKey]graph.ID{}, stored: map[implemented]bool{}, storedExterns: map[storedExtern]bool{},
			edges: make([]graph.RawEdge, 0, exprs/(4*l.Workers)+64)}
		readers[w] = r
		p.Go(func() {
			for ctx.Err() == nil {
				fn := int32(next.Add(1) - 1)
				if int(fn) >= len(l.files) {
					return
				}
				if f := &l.files[fn]; f.unit >= 0 && !l.units[f.unit].surface {
					r.file(fn)
				}
			}
		})
	}
	p.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	nodes, edges := 0, 0
	for _, r := range readers {
		nodes, edges = nodes+len(r.externList), edges+len(r.edges)
	}
	l.b.Grow(nodes+nodes/4, edges+edges/8+64) // and what is found without bodies
	for _, r := range readers {
		l.collect(r)
	}
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
	for i := range r.edges {
		e := &r.edges[i]
		e.From, e.To, e.Type = resolve(e.From), resolve(e.To), resolve(e.Type)
		if e.HasSite && e.Site.Keywords >= 0 {
			e.Site.Keywords = l.b.AddKeywords(r.keywords[e.Site.Keywords])
		}
	}
	l.b.AddEdges(r.edges)
}

// externBase and the numbers below stand for external names until the readers
// are collected.
const externBase graph.ID = -2

// bodyReader reads files one after the other and collects their edges.
type bodyReader struct {
	l          *linker
	ev         *evaluator
	edges      []graph.RawEdge
	externs    map[externKey]graph.ID
	externList []externKey
	keywords   [][]string
	stored     map[implemented]bool // concrete types stored as interfaces; whether as a pointer

	storedExterns map[storedExtern]bool // concrete types stored as external interfaces; whether as a pointer

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
)

func (r *bodyReader) file(fn int32) {
	r.fn, r.f = fn, &r.l.files[fn]
	if r.f.Rules.Dynamic != nil {
		r.dynamicFile(fn)
		return
	}
	r.ev.open(fn)
	r.findOwners()
	r.imports()
	fs := r.f.Facts
	r.role, r.made = grow(r.role, len(fs.Exprs)), grow(r.made, len(fs.Exprs))
	clear(r.role)
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
	r.owner, r.decls = grow(r.owner, len(fs.Exprs)), grow(r.decls, len(fs.Decls))
	r.waits = grow(r.waits, len(fs.Exprs))
	clear(r.waits)
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
			if d.Traits&facts.TraitLiteral != 0 {
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
		if path == "" || r.f.Rules.Modules != nil && path[0] == '.' && r.l.resolveImport(r.f.unit, path) < 0 {
			continue // it names a declaration of the file, or what is not there
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
		r.edges = append(r.edges, graph.RawEdge{From: file, To: to, Type: graph.None, Kind: graph.EdgeImports,
			HasSite: true, Site: r.site(im.Line, im.Col)})
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
	return r.extern(u.Path, r.l.outerName(c))
}

// expr records what an expression names, calls or makes.
func (r *bodyReader) expr(e facts.ExprID, x *facts.Expr) {
	if r.f.Rules.Classes != nil && r.classExpr(e, x) {
		return
	}
	if r.f.Rules.Modules != nil {
		r.moduleExpr(e, x)
		return
	}
	switch x.Op {
	case facts.OpName, facts.OpSelect:
		if x.Flags&facts.FlagKey != 0 {
			return
		}
		r.name(e, x)
	case facts.OpCall, facts.OpNew:
		r.call(e, x)
	case facts.OpComposite:
		r.composite(e, x)
	case facts.OpIndex:
		r.index(e, x)
	case facts.OpAssert:
		// An interface that is asserted to be a type relies on the type's
		// implementing it, as a conversion does.
		if t := r.ev.types.denoted(r.ev.typ[max(x.Y, 0)]); x.Y >= 0 && r.ev.types.kind(t) != kParam && !r.ev.interfaceType(t) {
			r.convertType(t, r.ev.typ[x.X], r.owner[e], &r.f.Facts.Exprs[x.Y])
		}
	}
}

// index records a key that a map stores as an interface.
func (r *bodyReader) index(e facts.ExprID, x *facts.Expr) {
	t := r.ev.types
	u := r.ev.under(r.ev.typ[x.X])
	if args := r.f.Facts.List(x.Args); len(args) == 1 && t.kind(u) == kMap {
		r.convert(facts.ExprID(args[0]), t.arg(u, 0), r.owner[e])
	}
}

func (r *bodyReader) name(e facts.ExprID, x *facts.Expr) {
	ref := r.ev.ref[e]
	if ref == noEnt {
		if t := r.ev.typ[e]; (x.Op == facts.OpSelect || r.f.Rules.Classes != nil) && r.ev.types.kind(t) == kExtern {
			r.externName(e, x, t)
		}
		return
	}
	r.use(e, x, ref)
}

// use records that the expression names ref.
func (r *bodyReader) use(e facts.ExprID, x *facts.Expr, ref Ent) {
	d := r.l.decl(ref)
	kind := graph.EdgeReferences
	switch {
	case d.Kind.IsType():
		kind = graph.EdgeUsesType
		switch r.role[e] {
		case roleInstantiate:
			kind = graph.EdgeInstantiates
		case roleEmbed:
			kind = graph.EdgeEmbeds
		case roleExtend:
			kind = graph.EdgeExtends
		case roleImplement:
			kind = graph.EdgeImplements
		case roleThrow:
			kind = graph.EdgeThrows
		case roleMark:
			return // annotates says so
		}
	case d.Kind.IsCallable():
		if r.role[e] == roleCalled {
			return
		}
		if x.Flags&facts.FlagWrite != 0 {
			kind = graph.EdgeWrites
		}
	default:
		kind = graph.EdgeReads
		if x.Flags&facts.FlagWrite != 0 {
			kind = graph.EdgeWrites
		}
	}
	to := r.target(ref)
	if to == graph.None {
		return
	}
	if kind == graph.EdgeInstantiates {
		r.instance(r.made[e], to, x)
		return
	}
	r.edge(kind, r.owner[e], to, x)
	if kind == graph.EdgeWrites && x.Flags&facts.FlagRead != 0 {
		r.edge(graph.EdgeReads, r.owner[e], to, x)
	}
}

// externName records the use of a name of an external package about which
// nothing is known.
func (r *bodyReader) externName(e facts.ExprID, x *facts.Expr, t Type) {
	kind := graph.EdgeReferences
	switch {
	case r.role[e] == roleCalled:
		kind = graph.EdgeCalls
	case r.role[e] == roleInstantiate:
		kind = graph.EdgeInstantiates
	case r.role[e] == roleEmbed:
		kind = graph.EdgeEmbeds
	case r.role[e] == roleExtend:
		kind = graph.EdgeExtends
	case r.role[e] == roleImplement:
		kind = graph.EdgeImplements
	case r.role[e] == roleThrow:
		kind = graph.EdgeThrows
	case r.role[e] == roleMark:
		return
	case x.Flags&facts.FlagTyped != 0:
		kind = graph.EdgeUsesType
	}
	rec := r.ev.types.rec(t)
	r.edge(kind, r.owner[e], r.extern(r.l.symString(Sym(rec.ent)), r.l.symString(Sym(rec.n))), x)
}

func (r *bodyReader) call(e facts.ExprID, x *facts.Expr) {
	callee := x.X
	if callee < 0 {
		return
	}
	ct := r.ev.typ[callee]
	switch r.ev.types.kind(ct) {
	case kMeta: // a conversion
		if args := r.f.Facts.List(x.Args); len(args) == 1 {
			r.convert(facts.ExprID(args[0]), r.ev.types.arg(ct, 0), r.owner[e])
		}
		return
	case kUnknown, kExtern, kOutside:
		return
	}
	if ref := r.ev.ref[callee]; ref != noEnt && r.l.decl(ref).Kind.IsCallable() {
		if to := r.target(ref); to != graph.None {
			c := &r.f.Facts.Exprs[callee]
			s := r.site(c.Line, c.Col)
			if r.waits[e] {
				s.Flags |= graph.SiteLiteral
			}
			r.callShape(&s, x)
			if c.Op == facts.OpSelect && c.X >= 0 {
				s.Recv = r.receiver(r.ev.typ[c.X], ref)
			}
			r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: to, Type: graph.None, Kind: graph.EdgeCalls, Certainty: r.certainty(c), HasSite: true, Site: s})
		}
	}
	r.arguments(e, x, ct)
}

// receiver returns the node of the static type t of a call's receiver, if another
// type declares the callee and what runs may be an override of it.
func (r *bodyReader) receiver(t Type, callee Ent) graph.ID {
	rec := r.ev.types.rec(t)
	if rec.kind != kNamed {
		return graph.None
	}
	d, owner := r.l.decl(callee), r.l.container(callee)
	if d.Kind != graph.KindMethod || d.Flags.Has(graph.FlagStatic) || owner == noEnt ||
		r.l.canon[owner] == r.l.canon[rec.ent] || r.f.Rules.Classes == nil && !r.l.isInterface(owner) {
		return graph.None
	}
	return r.l.nodeOf[r.l.canon[rec.ent]]
}

// callShape fills in what decides whether a call fits a signature.
func (r *bodyReader) callShape(s *graph.Site, x *facts.Expr) {
	s.Want = int8(min(x.N, 127))
	if x.Flags&facts.FlagSpread != 0 {
		s.Flags |= graph.SiteSpread
	}
	if x.Flags&facts.FlagLater != 0 {
		s.Flags |= graph.SiteGo
	}
	ids := r.f.Facts.List(x.Args)
	n := len(ids)
	var keywords []string
	for _, a := range ids {
		if ax := &r.f.Facts.Exprs[a]; ax.Op == facts.OpKeyword {
			n--
			keywords = append(keywords, r.f.Facts.Str(ax.Name))
		}
	}
	if len(ids) == 1 {
		if t := r.ev.typ[ids[0]]; r.ev.types.kind(t) == kTuple {
			n = len(r.ev.types.argsOf(t))
		}
	}
	s.Args = int16(min(n, 1<<15-1))
	if keywords != nil {
		s.Keywords = int32(len(r.keywords))
		r.keywords = append(r.keywords, keywords)
	}
}

// arguments records the arguments that are stored as interfaces.
func (r *bodyReader) arguments(e facts.ExprID, x *facts.Expr, ct Type) {
	t := r.ev.types
	ft := r.ev.under(ct)
	if t.kind(ft) != kFunc {
		return
	}
	ft = r.ev.calleeType(x, ft)
	rec := t.rec(ft)
	np := rec.funcParams()
	if np == 0 {
		return
	}
	params := t.argsOf(ft)[:np]
	ids := r.f.Facts.List(x.Args)
	param := func(i int) Type {
		if i >= np-1 && rec.isVariadic() {
			if x.Flags&facts.FlagSpread != 0 {
				return unknownType // a slice goes to a slice
			}
			return params[np-1]
		}
		if i >= np {
			return unknownType
		}
		return params[i]
	}
	if len(ids) == 1 {
		if at := r.ev.typ[ids[0]]; t.kind(at) == kTuple {
			for i, a := range t.argsOf(at) {
				r.convertType(a, param(i), r.owner[e], &r.f.Facts.Exprs[ids[0]])
			}
			return
		}
	}
	for i, a := range ids {
		r.convert(facts.ExprID(a), param(i), r.owner[e])
	}
}

// instance records that the composite e makes a value of the type to, and how
// many fields it gives by position: they have to be all that the type has.
func (r *bodyReader) instance(e facts.ExprID, to graph.ID, at *facts.Expr) {
	s := r.site(at.Line, at.Col)
	if ids := r.f.Facts.List(r.f.Facts.Exprs[e].Args); len(ids) > 0 && r.f.Facts.Exprs[ids[0]].Op != facts.OpKeyValue {
		t, _ := r.ev.types.deref(r.ev.typ[e])
		if rec := r.ev.types.rec(r.ev.under(t)); (rec.kind == kNamed || rec.kind == kAnon) && rec.ent != noEnt {
			s.Args = int16(min(len(ids), 1<<15-1))
		}
	}
	r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: to, Type: graph.None, Kind: graph.EdgeInstantiates, HasSite: true, Site: s})
}

// composite records what a composite makes and stores in its elements.
func (r *bodyReader) composite(e facts.ExprID, x *facts.Expr) {
	t := r.ev.types
	ct, _ := t.deref(r.ev.typ[e])
	if x.X >= 0 && r.f.Facts.Exprs[x.X].Op == facts.OpElement || x.X >= 0 && r.f.Facts.Exprs[x.X].Op == facts.OpKeyType {
		if rec := t.rec(ct); rec.kind == kNamed {
			if to := r.target(rec.ent); to != graph.None {
				r.instance(e, to, x)
			}
		}
	}
	u := r.ev.under(ct)
	rec := t.rec(u)
	elem, key := unknownType, unknownType
	unknown := u == unknownType || rec.kind == kExtern
	expressions := unknown && r.expressionKeys(x)
	var fields []Ent
	isStruct := (rec.kind == kNamed || rec.kind == kAnon) && rec.ent != noEnt
	switch {
	case rec.kind == kSlice || rec.kind == kArray:
		elem = t.arg(u, 0)
	case rec.kind == kMap:
		key, elem = t.arg(u, 0), t.arg(u, 1)
	}
	for i, a := range r.f.Facts.List(x.Args) {
		ax := &r.f.Facts.Exprs[a]
		to := elem
		value := facts.ExprID(a)
		if ax.Op == facts.OpKeyValue {
			value = ax.Y
			kx := &r.f.Facts.Exprs[ax.X]
			if kx.Flags&facts.FlagKey != 0 && (!unknown || expressions) {
				to = r.compositeKey(e, ax.X, kx, u, isStruct, key, elem)
			} else {
				r.convert(ax.X, key, r.owner[e])
			}
		} else if isStruct {
			if fields == nil {
				fields = r.l.fieldsOf(r.ev.variant(rec.ent))
			}
			if i < len(fields) {
				to = t.subst(r.l.typ[fields[i]], rec.ent, t.argsOf(u))
			}
		}
		r.convert(value, to, r.owner[e])
	}
}

// compositeKey records the key of an element, which is a field's name or an
// expression, and returns the type of the element.
func (r *bodyReader) compositeKey(e, k facts.ExprID, kx *facts.Expr, u Type, isStruct bool, key, elem Type) Type {
	if isStruct {
		m := r.ev.ownMember(u, r.f.syms[kx.Name])
		if m.ent == noEnt {
			return unknownType
		}
		if to := r.target(m.ent); to != graph.None {
			r.edge(graph.EdgeWrites, r.owner[e], to, kx)
		}
		return m.typ
	}
	kt, ref := r.keyValue(kx)
	if ref != noEnt {
		r.use(k, kx, ref)
	}
	r.convertType(r.ev.defaulted(kt), key, r.owner[e], kx)
	return elem
}

// keyValue returns what the key of an element means as an expression.
func (r *bodyReader) keyValue(kx *facts.Expr) (Type, Ent) {
	if kx.Flags&facts.FlagLocal != 0 {
		return r.ev.localType(facts.LocalID(kx.X))
	}
	return r.ev.free(r.f.syms[kx.Name])
}

// expressionKeys reports whether the keys of a composite of an external type
// are expressions: one of them cannot be the name of a field, because it is no
// plain name or names something that is not public.
func (r *bodyReader) expressionKeys(x *facts.Expr) bool {
	for _, a := range r.f.Facts.List(x.Args) {
		ax := &r.f.Facts.Exprs[a]
		if ax.Op != facts.OpKeyValue {
			continue
		}
		kx := &r.f.Facts.Exprs[ax.X]
		if kx.Flags&facts.FlagKey == 0 {
			return true
		}
		if _, ref := r.keyValue(kx); ref != noEnt && r.l.decl(ref).Vis > graph.Internal {
			return true
		}
	}
	return false
}

// fieldsOf returns the fields of a struct in their order.
func (l *linker) fieldsOf(e Ent) []Ent {
	f := &l.files[l.entFile[e]]
	at := facts.DeclID(e - f.base)
	var fields []Ent
	for i := int(at) + 1; i < len(f.Facts.Decls) && f.Facts.Decls[i].Parent >= at; i++ {
		if d := &f.Facts.Decls[i]; d.Parent == at && d.Kind == graph.KindField {
			fields = append(fields, f.base+Ent(i))
		}
	}
	return fields
}

// flows records the values that are stored as interfaces.
func (r *bodyReader) flows() {
	fs := r.f.Facts
	for i := range fs.Flows {
		fl := &fs.Flows[i]
		if fl.From < 0 {
			continue
		}
		owner := r.owner[fl.From]
		switch fl.Kind {
		case facts.FlowAssign:
			if fl.To >= 0 {
				r.convert(fl.From, r.ev.typ[fl.To], owner)
			}
		case facts.FlowBind:
			t, _ := r.ev.localType(facts.LocalID(fl.N))
			r.convert(fl.From, t, owner)
		case facts.FlowDefine:
			r.convert(fl.From, r.l.typ[r.f.base+Ent(fl.N)], owner)
		case facts.FlowSend:
			if fl.To >= 0 {
				if u := r.ev.under(r.ev.typ[fl.To]); r.ev.types.kind(u) == kChan {
					r.convert(fl.From, r.ev.types.arg(u, 0), owner)
				}
			}
		case facts.FlowReturn:
			r.returned(fl, owner)
		}
	}
}

func (r *bodyReader) returned(fl *facts.Flow, owner graph.ID) {
	if fl.To < 0 || int(fl.To) >= len(r.f.Facts.Decls) {
		return
	}
	t := r.ev.types
	ft := r.ev.funcType(facts.DeclID(fl.To))
	if t.kind(ft) != kFunc {
		return
	}
	results := t.argsOf(ft)[t.rec(ft).funcParams():]
	if fl.N >= 0 {
		if int(fl.N) < len(results) {
			r.convert(fl.From, results[fl.N], owner)
		}
		return
	}
	from := r.ev.typ[fl.From]
	switch t.kind(from) {
	case kTuple:
		for i, a := range t.argsOf(from) {
			if i < len(results) {
				r.convertType(a, results[i], owner, &r.f.Facts.Exprs[fl.From])
			}
		}
	case kOutside:
		for _, to := range results {
			r.convertType(from, to, owner, &r.f.Facts.Exprs[fl.From])
		}
	}
}

// convert records that the value of an expression is stored as type to, if
// that is an interface and the value's type is another.
func (r *bodyReader) convert(from facts.ExprID, to Type, owner graph.ID) {
	if from < 0 || !r.f.Rules.ImplicitInterfaces || to == unknownType {
		return
	}
	r.convertType(r.ev.value(from), to, owner, &r.f.Facts.Exprs[from])
}

func (r *bodyReader) convertType(from, to Type, owner graph.ID, x *facts.Expr) {
	t := r.ev.types
	if !r.f.Rules.ImplicitInterfaces || from == to || from == unknownType || to == unknownType || r.ev.isGuess(x) {
		return
	}
	tr := t.rec(to)
	if tr.kind == kExtern && to < t.off {
		if base, ptr := t.deref(from); t.kind(base) == kNamed && !r.ev.interfaceLike(base) {
			s := storedExtern{t.rec(base).ent, to}
			was, seen := r.storedExterns[s]
			r.storedExterns[s] = ptr && (was || !seen)
		}
		return
	}
	if tr.kind != kNamed || !r.ev.interfaceLike(to) {
		return
	}
	switch t.kind(from) {
	case kMeta, kTuple, kPkg:
		return
	case kNamed: // of two instances of one interface a part could not be told
		if t.rec(from).ent == tr.ent {
			return
		}
	case kOutside:
		if !r.ev.becomesOwn(from, to) {
			return
		}
	case kExtern: // a value of an external type, or else an external value
		if x.Op == facts.OpSelect && x.X >= 0 && t.kind(r.ev.typ[x.X]) == kPkg {
			// A type that is asserted may be an interface itself.
			if from = t.mk(kOutside, noEnt, 0); x.Flags&facts.FlagTyped != 0 || !r.ev.becomesOwn(from, to) {
				return
			}
		}
	}
	if r.isNil(from) {
		return
	}
	node := r.target(tr.ent)
	if node == graph.None {
		return
	}
	concrete := graph.None
	base, _ := t.deref(from)
	switch br := t.rec(base); br.kind {
	case kNamed:
		concrete = r.target(br.ent)
		if !r.l.isInterface(br.ent) && r.l.isInterface(tr.ent) {
			r.stored[implemented{br.ent, tr.ent}] = base != from
		}
	case kExtern:
		concrete = r.extern(r.l.symString(Sym(br.ent)), r.l.symString(Sym(br.n)))
	}
	r.edges = append(r.edges, graph.RawEdge{From: owner, To: node, Type: concrete, Kind: graph.EdgeConverts, HasSite: true, Site: r.site(x.Line, x.Col)})
}

// isNil reports whether a type is that of the null literal.
func (r *bodyReader) isNil(t Type) bool { return t == r.ev.lang.tNull }
