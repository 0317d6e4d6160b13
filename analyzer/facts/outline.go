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
// distances in the file, of which the reader knows where they are by now.

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
	r.exprs, r.locals, r.open = r.exprs[:0], r.locals[:0], r.open[:0]
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
			if e.Op == OpImport {
				e.X = ExprID(k.uint())
				for _, im := range o.Imports[:e.X] {
					if im.Owner >= 0 && live != nil && !live[im.Owner] {
						e.X--
					}
				}
			} else {
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
func writeRows(groups []string, files []*File) (*rowWriter, [][]byte, error) {
	w := &rowWriter{used: map[string]int{}, shaped: map[rowShape]int{}}
	var data [][]byte
	for range 2 {
		w.ids, w.shapes, data = map[string]NameID{}, map[rowShape]uint32{}, nil
		for i, s := range slices.SortedFunc(maps.Keys(w.used), func(x, y string) int { return cmp.Or(w.used[y]-w.used[x], cmp.Compare(x, y)) }) {
			w.ids[s] = NameID(i + 1)
		}
		for i, s := range slices.SortedFunc(maps.Keys(w.shaped), func(x, y rowShape) int {
			return cmp.Or(w.shaped[y]-w.shaped[x], bytes.Compare(x.append(nil), y.append(nil)))
		}) {
			w.shapes[s] = uint32(i)
		}
		for i, f := range files {
			w.name(groups[i])
			w.b, w.f = nil, f
			if err := w.file(); err != nil {
				return nil, nil, err
			}
			data = append(data, w.b)
		}
	}
	return w, data, nil
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
	case e.Op == OpImport || e.Op == OpName && variable:
		sh.x = operandVar
	case variable:
		fail(owner, "a literal of a function or type")
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
