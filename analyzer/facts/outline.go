package facts

import (
	"encoding/binary"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// How the facts of a library are stored that are read declaration by declaration.
//
// A tree names few of the declarations of the modules that it imports, so they are
// stored one after the other, as rows, and not compressed: what nobody names is
// stepped over. Before them is an outline, which says of each declaration its name
// and what it mentions: enough to find out which ones are needed.
//
// All files of a library share one table of strings and one of the shapes of
// expressions, the most used first. Whether the library knows a string is looked up
// in a table that is stored, too, so that nothing is built when it is opened.
//
// Exactly, a file is its package and constraint, imports, directives, the outline,
// and the rows. Numbers are varints. Rows follow the nesting of declarations: the
// row of one is its length, how many expressions and locals it has with all that it
// encloses, and then in turn locals and expressions of its own and the rows of what
// it encloses, in source order; its remaining fields come last. Operands are
// distances in the file, of which the reader knows where they are by now. What a
// literal of a function or type declares, whose row may come after it, is the distance
// of the two declarations.

// NameID is the position of a string in the table of a library; 0 is the empty one.
type NameID uint32

// names is the table of strings of a library.
type names struct {
	text  string
	ends  string // by NameID: 4 bytes each
	slots string // by hash: a NameID, 4 bytes each; 0: free
}

func (t *names) count() int { return len(t.ends) / 4 }

func word(s string, i int) uint32 {
	_ = s[4*i+3]
	return uint32(s[4*i]) | uint32(s[4*i+1])<<8 | uint32(s[4*i+2])<<16 | uint32(s[4*i+3])<<24
}

func (t *names) str(id NameID) string {
	if id == 0 {
		return ""
	}
	return t.text[word(t.ends, int(id)-1):word(t.ends, int(id))]
}

// find returns the position of a string, 0 if it is not there.
func (t *names) find(s string) NameID {
	n := len(t.slots) / 4
	if n == 0 || s == "" {
		return 0
	}
	for at := int(hashName(s)) & (n - 1); ; at = (at + 1) & (n - 1) {
		id := NameID(word(t.slots, at))
		if id == 0 || t.str(id) == s {
			return id
		}
	}
}

// hashName is FNV-1a.
func hashName(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h ^ h>>15
}

// rowShape is what expressions have in common with others.
type rowShape struct {
	op    Op
	flags ExprFlags
	n     int16
	x, y  operand // operandTop: the expression before
	name  bool
	args  uint16
}

const rowShapeSize = 9

func (s *rowShape) append(b []byte) []byte {
	name := byte(0)
	if s.name {
		name = 1
	}
	b = append(b, byte(s.op), byte(s.flags))
	b = binary.LittleEndian.AppendUint16(b, uint16(s.n))
	b = append(b, byte(s.x), byte(s.y), name)
	return binary.LittleEndian.AppendUint16(b, s.args)
}

func readRowShape(b string) rowShape {
	return rowShape{op: Op(b[0]), flags: ExprFlags(b[1]), n: int16(uint16(b[2]) | uint16(b[3])<<8),
		x: operand(b[4]), y: operand(b[5]), name: b[6] != 0, args: uint16(b[7]) | uint16(b[8])<<8}
}

// An Outline is what a file of a library declares, without what that says.
type Outline struct {
	Package NameID
	Imports []OutlineImport
	Decls   []OutlineDecl

	archive    *Archive
	constraint NameID
	generated  bool
	directives string
	all        string // the whole file
	rows       string
}

// Archive returns what the file is of.
func (o *Outline) Archive() *Archive { return o.archive }

// OutlineImport is an import of a file of a library.
type OutlineImport struct {
	Path, Name, Alias NameID
	Owner             DeclID
	Flags             ImportFlags
	Asks              []NameID // the names of which one must be mentioned for something to use it; nil: something does
}

// OutlineDecl is a declaration of a file of a library.
type OutlineDecl struct {
	Name   NameID
	Parent DeclID
	Traits Traits
	Flags  graph.Flags
	Kind   graph.Kind
	Runs   bool // it has annotations or an initial value, whose names are used and not only mentioned
	lo, hi uint32
}

// Mentions yields the names in a declaration, without those in what it encloses.
func (o *Outline) Mentions(d DeclID) func(yield func(NameID) bool) {
	return func(yield func(NameID) bool) {
		k := rowCursor{o.all[o.Decls[d].lo:o.Decls[d].hi], 0}
		for k.i < len(k.s) {
			if !yield(NameID(k.uint())) {
				return
			}
		}
	}
}

// rowCursor is what is left to read of rows.
type rowCursor struct {
	s string
	i int
}

func (k *rowCursor) uint() uint32 {
	v := uint32(k.s[k.i])
	k.i++
	if v < 0x80 {
		return v
	}
	v &= 0x7f
	for shift := 7; ; shift += 7 {
		c := k.s[k.i]
		k.i++
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
}

func (k *rowCursor) next(n int) string {
	k.i += n
	return k.s[k.i-n : k.i]
}

// open reads the outline of a file.
func (o *Outline) open(a *Archive) {
	k := rowCursor{s: o.all}
	o.archive, o.Package, o.constraint, o.generated = a, NameID(k.uint()), NameID(k.uint()), k.uint() != 0
	if n := k.uint(); n > 0 {
		o.Imports = make([]OutlineImport, n)
	}
	asks := make([]NameID, k.uint())
	for i := range o.Imports {
		im := &o.Imports[i]
		*im = OutlineImport{Path: NameID(k.uint()), Name: NameID(k.uint()), Alias: NameID(k.uint()), Owner: DeclID(k.uint()) - 1, Flags: ImportFlags(k.uint())}
		if n := int(k.uint()); n > 0 {
			im.Asks, asks = asks[:n:n], asks[n:]
			for j := range im.Asks {
				im.Asks[j] = NameID(k.uint())
			}
		}
	}
	o.directives = k.next(int(k.uint()))
	o.Decls = make([]OutlineDecl, k.uint())
	for i := range o.Decls {
		d := &o.Decls[i]
		d.Name, d.Kind = NameID(k.uint()), graph.Kind(k.uint())
		d.Runs, d.Kind = d.Kind&0x40 != 0, d.Kind&0x3f
		d.Parent = None
		if up := k.uint(); up > 0 {
			d.Parent = DeclID(i) - DeclID(up)
		}
		d.Traits, d.Flags = Traits(k.uint()), graph.Flags(k.uint())
		n := int(k.uint())
		d.lo, d.hi = uint32(k.i), uint32(k.i+n)
		k.i += n
	}
	o.rows = o.all[k.i:]
}

// A LibraryReader reads what is needed of the files of a library. The files have
// their strings in common.
type LibraryReader struct {
	IDs []NameID // by Str: the strings of the files that were read

	archive *Archive
	strs    []Str // by NameID; 0: not needed by now
	files   []*File
	exprs   []int32 // by position in a file: in what is read
	locals  []int32
	decls   []DeclID
	late    []int32 // the literals of functions and types: what they declare may not be read yet
	open    []openRow
	to      File // the tables of the file that is read, in memory that files share
}

// openRow is a declaration whose row is being read.
type openRow struct {
	from, to DeclID
	expr     int32 // where its expressions begin, in the file
	local    int32
}

// NewReader returns a reader of the files of a library.
func (a *Archive) NewReader() *LibraryReader {
	return &LibraryReader{archive: a, IDs: make([]NameID, 1, 4096), strs: make([]Str, a.table.count()), exprs: make([]int32, 0, 16<<10), locals: make([]int32, 0, 8<<10)}
}

// Finish gives the files their strings, see [LibraryReader.IDs].
func (r *LibraryReader) Finish() {
	list := make([]string, len(r.IDs))
	for i, id := range r.IDs {
		list[i] = r.archive.table.str(id)
	}
	for _, f := range r.files {
		f.Strings = list
	}
}

func (r *LibraryReader) str(id NameID) Str {
	if id == 0 {
		return 0
	}
	if r.strs[id] == 0 {
		r.strs[id] = Str(len(r.IDs))
		r.IDs = append(r.IDs, id)
	}
	return r.strs[id]
}

// Read returns the facts of a file, of its declarations only those that are live,
// all without live. What a declaration that is live is inside of is live. The file
// has no strings before [LibraryReader.Finish].
func (r *LibraryReader) Read(o *Outline, live []bool) *File {
	t := &r.to
	*t = File{Package: r.str(o.Package), Constraint: r.str(o.constraint), Generated: o.generated,
		Decls: room(t.Decls, 512), Params: room(t.Params, 1024), Locals: room(t.Locals, 2048), Exprs: room(t.Exprs, 8192), Lists: append(room(t.Lists, 4096), 0)}
	r.exprs, r.locals, r.late, r.open = r.exprs[:0], r.locals[:0], r.late[:0], r.open[:0]
	r.decls = slices.Grow(r.decls[:0], len(o.Decls))[:len(o.Decls)]
	k := rowCursor{s: o.rows}
	r.own(&k, o, live)
	for i := 0; i < len(o.Decls); {
		d := &o.Decls[i]
		for len(r.open) > 0 && r.open[len(r.open)-1].from != d.Parent {
			r.end(&k, o, live)
		}
		size, exprs, locals := int(k.uint()), int(k.uint()), int(k.uint())
		if live != nil && !live[i] {
			k.i += size
			for range exprs {
				r.exprs = append(r.exprs, None)
			}
			for range locals {
				r.locals = append(r.locals, None)
			}
			r.decls[i] = None
			for i++; i < len(o.Decls) && o.Decls[i].Parent >= 0 && r.decls[o.Decls[i].Parent] < 0; i++ {
				r.decls[i] = None
			}
			r.own(&k, o, live)
			continue
		}
		r.decls[i] = DeclID(len(t.Decls))
		parent := DeclID(None)
		if d.Parent >= 0 {
			parent = r.decls[d.Parent]
		}
		e, l := int32(len(t.Exprs)), int32(len(t.Locals))
		t.Decls = append(t.Decls, Decl{Kind: d.Kind, Name: r.str(d.Name), Parent: parent, Traits: d.Traits, Flags: d.Flags,
			Exprs: Span{e, e}, Locals: Span{l, l}})
		r.open = append(r.open, openRow{DeclID(i), r.decls[i], int32(len(r.exprs)), int32(len(r.locals))})
		r.own(&k, o, live)
		i++
	}
	for len(r.open) > 0 {
		r.end(&k, o, live)
	}
	for _, i := range r.late {
		e := &t.Exprs[i]
		if e.X = ExprID(r.decls[e.X]); e.X < 0 {
			*e = Expr{X: None, Y: None}
		}
	}
	for i := range t.Locals {
		lo := &t.Locals[i]
		lo.Type, lo.Value = ExprID(place(r.exprs, int32(lo.Type))), ExprID(place(r.exprs, int32(lo.Value)))
		lo.Next = LocalID(place(r.locals, int32(lo.Next)))
	}
	f := &File{Package: t.Package, Constraint: t.Constraint, Generated: t.Generated, Imports: r.imports(o), Directives: r.directives(o),
		Decls: slices.Clip(t.Decls), Params: slices.Clip(t.Params), Locals: slices.Clip(t.Locals), Exprs: slices.Clip(t.Exprs), Lists: slices.Clip(t.Lists)}
	r.files = append(r.files, f)
	return f
}

// room returns where the rows of a table go: behind those of the file before, or in
// memory for n rows where less than a quarter of that is left.
func room[T any](s []T, n int) []T {
	if cap(s)-len(s) < n/4 {
		return make([]T, 0, n)
	}
	return s[len(s):]
}

func place(of []int32, i int32) int32 {
	if i < 0 {
		return None
	}
	return of[i]
}

func (r *LibraryReader) imports(o *Outline) []Import {
	if len(o.Imports) == 0 {
		return nil
	}
	list := make([]Import, 0, len(o.Imports))
	for i := range o.Imports {
		im := &o.Imports[i]
		if im.Owner >= 0 && r.decls[im.Owner] < 0 {
			continue
		}
		n := Import{Path: r.str(im.Path), Name: r.str(im.Name), Alias: r.str(im.Alias), Owner: None, Flags: im.Flags}
		if im.Owner >= 0 {
			n.Owner = r.decls[im.Owner]
		}
		list = append(list, n)
	}
	return list
}

func (r *LibraryReader) directives(o *Outline) []Directive {
	var list []Directive
	for k := (rowCursor{s: o.directives}); k.i < len(k.s); {
		d := Directive{Name: r.str(NameID(k.uint())), Value: r.str(NameID(k.uint())), Owner: None}
		if owner := DeclID(k.uint()) - 1; owner >= 0 {
			d.Owner = r.decls[owner]
		}
		list = append(list, d)
	}
	return list
}

// own reads locals and expressions.
func (r *LibraryReader) own(k *rowCursor, o *Outline, live []bool) {
	t := &r.to
	n := k.uint()
	if n == 0 {
		return
	}
	if n&1 != 0 {
		owner := DeclID(None)
		if len(r.open) > 0 {
			owner = r.open[len(r.open)-1].to
		}
		for range k.uint() {
			i := int32(len(r.locals))
			has := k.uint()
			l := Local{Name: r.str(NameID(k.uint())), Kind: LocalKind(has & 3), Decl: None, Type: None, Value: None, Next: None}
			if has&4 != 0 {
				l.Decl = owner
			}
			if has&8 != 0 {
				l.Index = uint16(k.uint())
			}
			at := int32(len(r.exprs)) // the types of locals are near
			if has&16 != 0 {
				l.Type = ExprID(at + signed(k.uint()))
			}
			if has&32 != 0 {
				l.Value = ExprID(at + signed(k.uint()))
			}
			if has&64 != 0 {
				l.Next = LocalID(i + signed(k.uint()))
			}
			r.locals = append(r.locals, int32(len(t.Locals)))
			t.Locals = append(t.Locals, l)
		}
	}
	for range n >> 1 {
		i := int32(len(r.exprs))
		sh := &r.archive.shapes[k.uint()]
		e := Expr{Op: sh.op, Flags: sh.flags, N: sh.n, X: None, Y: None}
		if sh.name {
			e.Name = r.str(NameID(k.uint()))
		}
		switch sh.x {
		case operandTop:
			e.X = ExprID(r.exprs[i-1])
		case operandAt:
			e.X = ExprID(r.exprs[i-int32(k.uint())])
		case operandVar:
			switch e.Op {
			case OpImport:
				e.X = ExprID(k.uint())
				for _, im := range o.Imports[:e.X] {
					if im.Owner >= 0 && live != nil && !live[im.Owner] {
						e.X--
					}
				}
			case OpFunc, OpType:
				e.X = ExprID(r.open[len(r.open)-1].from) + ExprID(signed(k.uint()))
				r.late = append(r.late, int32(len(t.Exprs)))
			default:
				e.X = ExprID(r.locals[len(r.locals)-int(k.uint())])
			}
		}
		switch sh.y {
		case operandTop:
			e.Y = ExprID(r.exprs[i-1])
		case operandAt:
			e.Y = ExprID(r.exprs[i-int32(k.uint())])
		}
		if sh.args > 0 {
			e.Args = int32(len(t.Lists))
			t.Lists = append(t.Lists, int32(sh.args))
			for range sh.args {
				t.Lists = append(t.Lists, r.exprs[i-int32(k.uint())])
			}
		}
		r.exprs = append(r.exprs, int32(len(t.Exprs)))
		t.Exprs = append(t.Exprs, e)
	}
}

func signed(v uint32) int32 { return int32(v>>1) ^ -int32(v&1) }

// end reads the last fields of the innermost declaration that is open, and what
// comes after it.
func (r *LibraryReader) end(k *rowCursor, o *Outline, live []bool) {
	t := &r.to
	at := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	d := &t.Decls[at.to]
	d.Exprs.Hi, d.Locals.Hi = int32(len(t.Exprs)), int32(len(t.Locals))
	expr := func() ExprID {
		if n := int32(k.uint()); n > 0 {
			return ExprID(r.exprs[at.expr+n-1])
		}
		return None
	}
	has := k.uint()
	d.Vis = graph.Visibility(has & 15)
	d.Type, d.Value = None, None
	if has&rowTyped != 0 {
		d.Type, d.Value = expr(), expr()
	}
	if has&rowParams != 0 {
		for _, s := range [...]*Span{&d.TypeParams, &d.Params, &d.Results} {
			s.Lo = int32(len(t.Params))
			for range k.uint() {
				p := Param{Flags: graph.ParamFlags(k.uint()), Name: r.str(NameID(k.uint())), Type: expr(), Local: None}
				if n := int32(k.uint()); n > 0 {
					p.Local = LocalID(r.locals[at.local+n-1])
				}
				t.Params = append(t.Params, p)
			}
			s.Hi = int32(len(t.Params))
		}
	} else {
		n := int32(len(t.Params))
		d.TypeParams, d.Params, d.Results = Span{n, n}, Span{n, n}, Span{n, n}
	}
	if has&rowLists != 0 {
		for _, s := range [...]*Span{&d.Bases, &d.Implements, &d.Marks, &d.Throws} {
			if n := k.uint(); n > 0 {
				s.Lo = int32(len(t.Lists))
				for range n {
					t.Lists = append(t.Lists, int32(expr()))
				}
				s.Hi = int32(len(t.Lists))
			}
		}
	}
	if has&rowOther != 0 {
		d.Owner, d.Shape, d.Ordinal = r.str(NameID(k.uint())), r.str(NameID(k.uint())), int32(k.uint())
	}
	r.own(k, o, live)
}

// What the last fields of a row hold, beside the visibility.
const (
	rowTyped  = 16 << iota // a type or a value
	rowParams              // parameters
	rowLists               // bases, interfaces, marks and exceptions
	rowOther               // an owner, shape or ordinal
)
