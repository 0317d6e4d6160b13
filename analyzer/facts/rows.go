package facts

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// rowWriter writes the files of a library.
type rowWriter struct {
	b      []byte
	ids    map[string]NameID
	shapes map[rowShape]uint32
	used   map[string]int
	shaped map[rowShape]int
	f      *File
	exprs  []DeclID // by expression: whose it is
	locals []DeclID
}

func (w *rowWriter) num(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

func (w *rowWriter) name(s string) {
	if s != "" {
		w.used[s]++
	}
	w.num(int(w.ids[s]))
}

func (w *rowWriter) str(s Str) { w.name(w.f.Strings[s]) }

func (w *rowWriter) signed(n int32) { w.num(int(uint32(n<<1) ^ uint32(n>>31))) }

// writeRows writes files, twice: what is used most has the lowest numbers.
func writeRows(files []libraryFile) (*rowWriter, error) {
	w := &rowWriter{used: map[string]int{}, shaped: map[rowShape]int{}}
	for range 2 {
		w.ids, w.shapes = map[string]NameID{}, map[rowShape]uint32{}
		for i, s := range slices.SortedFunc(maps.Keys(w.used), func(x, y string) int { return cmp.Or(w.used[y]-w.used[x], cmp.Compare(x, y)) }) {
			w.ids[s] = NameID(i + 1)
		}
		for i, s := range slices.SortedFunc(maps.Keys(w.shaped), func(x, y rowShape) int {
			return cmp.Or(w.shaped[y]-w.shaped[x], bytes.Compare(x.append(nil), y.append(nil)))
		}) {
			w.shapes[s] = uint32(i)
		}
		for i := range files {
			f := &files[i]
			w.name(f.group)
			w.name(f.part)
			w.b, w.f = nil, f.file
			if err := w.file(); err != nil {
				return nil, err
			}
			f.rows = w.b
		}
	}
	return w, nil
}

// tables appends the tables of strings and shapes.
func (w *rowWriter) tables(dst []byte) []byte {
	list := make([]string, len(w.ids)+1)
	for s, id := range w.ids {
		list[id] = s
	}
	var text, ends []byte
	for _, s := range list {
		text = append(text, s...)
		ends = binary.LittleEndian.AppendUint32(ends, uint32(len(text)))
	}
	slots := make([]uint32, 2<<bits.Len(uint(len(list))))
	for id, s := range list[1:] {
		at := int(hashName(s)) & (len(slots) - 1)
		for slots[at] != 0 {
			at = (at + 1) & (len(slots) - 1)
		}
		slots[at] = uint32(id + 1)
	}
	dst = appendSized(dst, text)
	dst = appendSized(dst, ends)
	dst = binary.AppendUvarint(dst, uint64(4*len(slots)))
	for _, s := range slots {
		dst = binary.LittleEndian.AppendUint32(dst, s)
	}
	shapes := make([]rowShape, len(w.shapes))
	for s, i := range w.shapes {
		shapes[i] = s
	}
	dst = binary.AppendUvarint(dst, uint64(len(shapes)))
	for i := range shapes {
		dst = shapes[i].append(dst)
	}
	return dst
}

func appendSized(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// file writes a file, and fails if it says what rows cannot.
func (w *rowWriter) file() error {
	f := w.f
	if len(f.Flows)+len(f.Settings)+len(f.Unparsed) > 0 {
		return fmt.Errorf("facts: library: %s: flows, settings and unparsed lines are not stored", f.Str(f.Package))
	}
	w.str(f.Package)
	w.str(f.Constraint)
	w.num(boolInt(f.Generated))
	w.imports()
	rest := w.b
	w.b = nil
	for _, d := range f.Directives {
		w.str(d.Name)
		w.str(d.Value)
		w.num(int(d.Owner) + 1)
	}
	w.b = appendSized(rest, w.b)
	w.num(len(f.Decls))
	for i := range f.Decls {
		w.outline(DeclID(i))
	}
	return w.rows()
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (w *rowWriter) imports() {
	f := w.f
	asks := make([][]string, len(f.Imports))
	n := 0
	for i := range f.Imports {
		im := &f.Imports[i]
		name, alias := f.Str(im.Name), f.Str(im.Alias)
		switch {
		case name == "*" || im.Flags&ImportImplied != 0 || alias == ".":
		case alias != "":
			asks[i] = []string{alias}
		case name != "":
			asks[i] = []string{name}
		default:
			asks[i] = strings.FieldsFunc(f.Str(im.Path), func(c rune) bool { return c == '.' || c == '/' })
		}
		n += len(asks[i])
	}
	w.num(len(f.Imports))
	w.num(n)
	for i := range f.Imports {
		im := &f.Imports[i]
		w.str(im.Path)
		w.str(im.Name)
		w.str(im.Alias)
		w.num(int(im.Owner) + 1)
		w.num(int(im.Flags))
		w.num(len(asks[i]))
		for _, s := range asks[i] {
			w.name(s)
		}
	}
}

// outline writes what is known of a declaration before it is read.
func (w *rowWriter) outline(id DeclID) {
	f := w.f
	d := &f.Decls[id]
	w.str(d.Name)
	w.num(int(d.Kind) | boolInt(d.Marks.Len() > 0 || d.Value != None && !d.Kind.IsType())<<6)
	if d.Parent == None {
		w.num(0)
	} else {
		w.num(int(id - d.Parent))
	}
	w.num(int(d.Traits))
	w.num(int(d.Flags))
	mentioned := map[string]bool{}
	at := d.Exprs.Lo
	mention := func(end int32) {
		for ; at < end; at++ {
			if s := f.Str(f.Exprs[at].Name); s != "" {
				mentioned[s] = true
			}
		}
	}
	if d.Kind.IsType() {
		for c := int(id) + 1; c < len(f.Decls) && f.Decls[c].Exprs.Lo < d.Exprs.Hi; c++ {
			mention(f.Decls[c].Exprs.Lo)
			at = max(at, f.Decls[c].Exprs.Hi)
		}
	}
	mention(d.Exprs.Hi)
	rest := w.b
	w.b = nil
	for _, s := range slices.Sorted(maps.Keys(mentioned)) {
		w.name(s)
	}
	w.b = appendSized(rest, w.b)
}

// rows writes the declarations of a file. What is read alone must be said by
// itself, or by what is around it.
func (w *rowWriter) rows() error {
	f := w.f
	var err error
	fail := func(id DeclID, what string) {
		if err == nil {
			err = fmt.Errorf("facts: library: %s: declaration %d: %s", f.Str(f.Package), id, what)
		}
	}
	type open struct {
		id   DeclID
		rest []byte // what comes before its row
	}
	var stack []open
	expr, local := int32(0), int32(0)
	w.exprs, w.locals = make([]DeclID, len(f.Exprs)), make([]DeclID, len(f.Locals))
	own := func(toExpr, toLocal int32) {
		owner := DeclID(None)
		if len(stack) > 0 {
			owner = stack[len(stack)-1].id
		}
		if toExpr < expr || toLocal < local {
			fail(owner, "ranges are not nested")
			return
		}
		w.num(int(toExpr-expr)<<1 | boolInt(toLocal > local))
		if toLocal > local {
			w.num(int(toLocal - local))
		}
		for i := local; i < toLocal; i++ {
			w.locals[i] = owner
		}
		for i := expr; i < toExpr; i++ {
			w.exprs[i] = owner
		}
		for ; local < toLocal; local++ {
			w.local(local, owner, expr, toExpr, toLocal, fail)
		}
		for ; expr < toExpr; expr++ {
			w.expr(expr, local, owner, fail)
		}
	}
	end := func() {
		at := stack[len(stack)-1]
		d := &f.Decls[at.id]
		own(d.Exprs.Hi, d.Locals.Hi)
		w.last(at.id, fail)
		stack = stack[:len(stack)-1]
		row := w.b
		w.b = at.rest
		w.num(len(row))
		w.num(d.Exprs.Len())
		w.num(d.Locals.Len())
		w.b = append(w.b, row...)
	}
	for i := range f.Decls {
		d := &f.Decls[i]
		for len(stack) > 0 && stack[len(stack)-1].id != d.Parent {
			end()
		}
		if d.Parent != None && len(stack) == 0 {
			fail(DeclID(i), "it does not follow what it is inside of")
			break
		}
		own(d.Exprs.Lo, d.Locals.Lo)
		stack = append(stack, open{DeclID(i), w.b})
		w.b = nil
	}
	for len(stack) > 0 {
		end()
	}
	own(int32(len(f.Exprs)), int32(len(f.Locals)))
	return err
}

// around reports whether a declaration is another one, or around it.
func (w *rowWriter) around(outer, inner DeclID) bool {
	for inner != outer && inner != None {
		inner = w.f.Decls[inner].Parent
	}
	return inner == outer
}

func (w *rowWriter) local(i int32, owner DeclID, expr, exprs, locals int32, fail func(DeclID, string)) {
	l := &w.f.Locals[i]
	if l.Decl != None && l.Decl != owner {
		fail(owner, "a local of another declaration")
	}
	w.num(int(l.Kind) | boolInt(l.Decl != None)<<2 | boolInt(l.Index != 0)<<3 | boolInt(l.Type != None)<<4 | boolInt(l.Value != None)<<5 | boolInt(l.Next != None)<<6)
	w.str(l.Name)
	if l.Index != 0 {
		w.num(int(l.Index))
	}
	for _, e := range []ExprID{l.Type, l.Value} {
		if e == None {
			continue
		}
		if int32(e) >= exprs || w.exprs[e] != owner {
			fail(owner, "the type of a local is elsewhere")
		}
		w.signed(int32(e) - expr)
	}
	if l.Next != None {
		if int32(l.Next) >= locals || w.locals[l.Next] != owner {
			fail(owner, "another binding of a local is elsewhere")
		}
		w.signed(int32(l.Next) - i)
	}
}

func (w *rowWriter) expr(i, locals int32, owner DeclID, fail func(DeclID, string)) {
	f := w.f
	e := &f.Exprs[i]
	if e.Line != 0 || e.Col != 0 {
		fail(owner, "an expression has a place")
	}
	sh := rowShape{op: e.Op, flags: e.Flags, n: e.N, name: e.Name != 0}
	args := f.List(e.Args)
	if len(args) > math.MaxUint16 || e.Args != 0 && len(args) == 0 {
		fail(owner, "arguments")
	}
	sh.args = uint16(len(args))
	mode := func(x ExprID) operand {
		switch {
		case x == None:
			return operandNone
		case int32(x) >= i || !w.around(w.exprs[x], owner):
			fail(owner, "an operand is elsewhere")
		case int32(x) == i-1:
			return operandTop
		}
		return operandAt
	}
	variable := isVar(e.Op, e.Flags)
	switch {
	case e.Op == OpParamOf:
		fail(owner, "a parameter whose type is its context's")
	case variable:
		sh.x = operandVar
	default:
		sh.x = mode(e.X)
	}
	sh.y = mode(e.Y)
	w.shaped[sh]++
	w.num(int(w.shapes[sh]))
	if sh.name {
		w.str(e.Name)
	}
	switch {
	case sh.x == operandAt:
		w.num(int(i - int32(e.X)))
	case e.Op == OpImport:
		w.num(int(e.X))
	case e.Op == OpFunc || e.Op == OpType:
		d := DeclID(e.X)
		if owner == None || f.Decls[d].Parent != owner && !w.around(d, owner) {
			fail(owner, "a literal is elsewhere")
		}
		w.signed(int32(d - owner))
	case sh.x == operandVar:
		if int32(e.X) >= locals || !w.around(w.locals[e.X], owner) {
			fail(owner, "a local is elsewhere")
		}
		w.num(int(locals - int32(e.X)))
	}
	if sh.y == operandAt {
		w.num(int(i - int32(e.Y)))
	}
	for _, a := range args {
		mode(ExprID(a))
		w.num(int(i - a))
	}
}

// last writes the last fields of a row.
func (w *rowWriter) last(id DeclID, fail func(DeclID, string)) {
	f := w.f
	d := &f.Decls[id]
	if d.Line|d.Col|d.DefLine|d.EndLine|d.Tokens|d.Branches != 0 || d.Signature|d.Doc != 0 || d.Flows.Len() > 0 {
		fail(id, "places, documentation and flows are not stored")
	}
	expr := func(e ExprID) {
		if e != None && (int32(e) < d.Exprs.Lo || int32(e) >= d.Exprs.Hi || w.exprs[e] != id) {
			fail(id, "a type is elsewhere")
		}
		if e == None {
			w.num(0)
			return
		}
		w.num(int(int32(e) - d.Exprs.Lo + 1))
	}
	has := int(d.Vis)
	if d.Type != None || d.Value != None {
		has |= rowTyped
	}
	if d.TypeParams.Len()+d.Params.Len()+d.Results.Len() > 0 {
		has |= rowParams
	}
	if d.Bases.Len()+d.Implements.Len()+d.Marks.Len()+d.Throws.Len() > 0 {
		has |= rowLists
	}
	if d.Owner != 0 || d.Shape != 0 || d.Ordinal != 0 {
		has |= rowOther
	}
	w.num(has)
	if has&rowTyped != 0 {
		expr(d.Type)
		expr(d.Value)
	}
	if has&rowParams != 0 {
		for _, s := range []Span{d.TypeParams, d.Params, d.Results} {
			w.num(s.Len())
			for _, p := range f.Params[s.Lo:s.Hi] {
				w.num(int(p.Flags))
				w.str(p.Name)
				expr(p.Type)
				if p.Local == None {
					w.num(0)
					continue
				}
				if int32(p.Local) < d.Locals.Lo || int32(p.Local) >= d.Locals.Hi || w.locals[p.Local] != id {
					fail(id, "the local of a parameter is elsewhere")
				}
				w.num(int(int32(p.Local) - d.Locals.Lo + 1))
			}
		}
	}
	if has&rowLists != 0 {
		for _, s := range []Span{d.Bases, d.Implements, d.Marks, d.Throws} {
			w.num(s.Len())
			for _, e := range f.Lists[s.Lo:s.Hi] {
				expr(ExprID(e))
			}
		}
	}
	if has&rowOther != 0 {
		w.str(d.Owner)
		w.str(d.Shape)
		w.num(int(d.Ordinal))
	}
}
