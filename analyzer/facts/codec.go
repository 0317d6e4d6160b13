package facts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/codekg/kg/analyzer/graph"
)

// CodecVersion is the version of what [Append] writes. History:
//
//	1: the first
//	2: directives
//	3: columns that say nothing are left out
const CodecVersion = 3

// ErrCorrupt is returned by [Decode] for bytes that [Append] did not write.
var ErrCorrupt = errors.New("facts: corrupt")

// maxTable bounds the rows of one table of a stored file. A file of the
// largest size that is parsed stays far below.
const maxTable = 1 << 26

// Append appends the stored form of f to dst: column by column, as varints,
// positions as differences. Equal files give equal bytes. It is meant to be
// compressed.
func Append(dst []byte, f *File) []byte {
	c := &coder{buf: dst}
	c.file(f)
	return c.buf
}

// Decode reads what [Append] wrote. The bytes may be hostile: memory stays
// proportional to their length, and the file satisfies [File.Check].
func Decode(b []byte) (*File, error) {
	c := &coder{buf: b, reading: true}
	f := &File{}
	c.file(f)
	if c.err == nil && len(c.buf) > 0 {
		c.err = ErrCorrupt
	}
	if c.err == nil {
		c.err = f.Check()
	}
	if c.err != nil {
		return nil, c.err
	}
	return f, nil
}

// coder writes or reads; the same code does both, so that they cannot differ.
type coder struct {
	buf     []byte
	reading bool
	first   bool // the next column is the first of its table
	err     error
}

func (c *coder) fail() {
	if c.err == nil {
		c.err = ErrCorrupt
	}
	c.buf = nil
}

func (c *coder) varint(v int64) int64 {
	if !c.reading {
		c.buf = binary.AppendVarint(c.buf, v)
		return v
	}
	v, n := binary.Varint(c.buf)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.buf = c.buf[n:]
	return v
}

// texts codes strings. Those that are read share memory.
func (c *coder) texts(list []string) {
	if !c.reading {
		for _, s := range list {
			c.buf = append(binary.AppendVarint(c.buf, int64(len(s))), s...)
		}
		return
	}
	end := 0
	for range list {
		n, k := binary.Varint(c.buf[end:])
		if k <= 0 || n < 0 || n > int64(len(c.buf)-end-k) {
			c.fail()
			return
		}
		end += k + int(n)
	}
	all, at := string(c.buf[:end]), 0
	for i := range list {
		n, k := binary.Varint(c.buf[at:])
		at += k + int(n)
		list[i] = all[at-int(n) : at]
	}
	c.buf = c.buf[end:]
}

func (c *coder) bytes(p []byte) {
	if !c.reading {
		c.buf = append(c.buf, p...)
		return
	}
	if len(c.buf) < len(p) {
		c.fail()
		return
	}
	copy(p, c.buf)
	c.buf = c.buf[len(p):]
}

// table codes the length of a table, whose rows take at least one byte each.
func table[T any](c *coder, s *[]T) {
	n := c.varint(int64(len(*s)))
	c.first = true
	if !c.reading {
		return
	}
	if n < 0 || n > maxTable || n > int64(len(c.buf)) {
		c.fail()
		return
	}
	if n > 0 {
		*s = make([]T, n)
	}
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

// column codes one field of every row. Relative columns hold the difference to
// the row's number, delta columns that to the row before. After the first column
// of a table, which bounds the rows by the bytes there are, a column is preceded
// by whether any difference is not 0; if none is, that is all.
func column[T any, I integer](c *coder, rows []T, how relation, field func(*T) *I) {
	if len(rows) == 0 {
		return
	}
	prev := int64(0)
	if !c.first {
		some := int64(0)
		for i := 0; i < len(rows) && !c.reading && some == 0; i++ {
			switch v := int64(*field(&rows[i])); {
			case how == relative && v != int64(i), how != relative && v != 0:
				some = 1
			}
		}
		if c.varint(some) == 0 {
			for i := 0; i < len(rows) && c.reading && how == relative; i++ {
				*field(&rows[i]) = I(i)
			}
			return
		}
	}
	c.first = false
	for i := range rows {
		p := field(&rows[i])
		base := int64(0)
		switch how {
		case delta:
			base = prev
		case relative:
			base = int64(i)
		}
		if !c.reading {
			c.buf = binary.AppendVarint(c.buf, int64(*p)-base)
			prev = int64(*p)
			continue
		}
		v, n := binary.Varint(c.buf)
		if n <= 0 {
			c.fail()
			return
		}
		c.buf = c.buf[n:]
		v += base
		*p = I(v)
		if int64(*p) != v {
			c.fail()
			return
		}
		prev = v
	}
}

type relation uint8

const (
	plain relation = iota
	delta
	relative
)

func (c *coder) file(f *File) {
	table(c, &f.Strings)
	c.texts(f.Strings)
	f.Package = Str(c.varint(int64(f.Package)))
	f.Constraint = Str(c.varint(int64(f.Constraint)))
	generated := int64(0)
	if f.Generated {
		generated = 1
	}
	f.Generated = c.varint(generated) == 1

	table(c, &f.Imports)
	column(c, f.Imports, delta, func(r *Import) *Str { return &r.Path })
	column(c, f.Imports, plain, func(r *Import) *Str { return &r.Name })
	column(c, f.Imports, plain, func(r *Import) *Str { return &r.Alias })
	column(c, f.Imports, plain, func(r *Import) *DeclID { return &r.Owner })
	column(c, f.Imports, plain, func(r *Import) *ImportFlags { return &r.Flags })
	column(c, f.Imports, delta, func(r *Import) *int32 { return &r.Line })
	column(c, f.Imports, plain, func(r *Import) *int32 { return &r.Col })

	c.decls(f)

	table(c, &f.Params)
	column(c, f.Params, plain, func(r *Param) *Str { return &r.Name })
	column(c, f.Params, delta, func(r *Param) *ExprID { return &r.Type })
	column(c, f.Params, delta, func(r *Param) *LocalID { return &r.Local })
	column(c, f.Params, plain, func(r *Param) *graph.ParamFlags { return &r.Flags })

	table(c, &f.Locals)
	column(c, f.Locals, plain, func(r *Local) *Str { return &r.Name })
	column(c, f.Locals, plain, func(r *Local) *LocalKind { return &r.Kind })
	column(c, f.Locals, plain, func(r *Local) *uint16 { return &r.Index })
	column(c, f.Locals, delta, func(r *Local) *DeclID { return &r.Decl })
	column(c, f.Locals, delta, func(r *Local) *ExprID { return &r.Type })
	column(c, f.Locals, delta, func(r *Local) *ExprID { return &r.Value })
	column(c, f.Locals, plain, func(r *Local) *LocalID { return &r.Next })

	table(c, &f.Exprs)
	column(c, f.Exprs, plain, func(r *Expr) *Op { return &r.Op })
	column(c, f.Exprs, plain, func(r *Expr) *ExprFlags { return &r.Flags })
	column(c, f.Exprs, plain, func(r *Expr) *int16 { return &r.N })
	column(c, f.Exprs, plain, func(r *Expr) *Str { return &r.Name })
	column(c, f.Exprs, relative, func(r *Expr) *ExprID { return &r.X })
	column(c, f.Exprs, plain, func(r *Expr) *ExprID { return &r.Y })
	column(c, f.Exprs, plain, func(r *Expr) *int32 { return &r.Args })
	column(c, f.Exprs, delta, func(r *Expr) *int32 { return &r.Line })
	column(c, f.Exprs, delta, func(r *Expr) *int32 { return &r.Col })

	table(c, &f.Lists)
	column(c, f.Lists, delta, func(r *int32) *int32 { return r })

	table(c, &f.Flows)
	column(c, f.Flows, plain, func(r *Flow) *FlowKind { return &r.Kind })
	column(c, f.Flows, plain, func(r *Flow) *int32 { return &r.N })
	column(c, f.Flows, delta, func(r *Flow) *int32 { return &r.To })
	column(c, f.Flows, delta, func(r *Flow) *ExprID { return &r.From })

	table(c, &f.Settings)
	column(c, f.Settings, plain, func(r *Setting) *Str { return &r.Name })
	column(c, f.Settings, plain, func(r *Setting) *Str { return &r.Value })

	table(c, &f.Directives)
	column(c, f.Directives, plain, func(r *Directive) *Str { return &r.Name })
	column(c, f.Directives, plain, func(r *Directive) *Str { return &r.Value })
	column(c, f.Directives, plain, func(r *Directive) *DeclID { return &r.Owner })
	column(c, f.Directives, delta, func(r *Directive) *int32 { return &r.Line })
	column(c, f.Directives, plain, func(r *Directive) *int32 { return &r.Col })

	table(c, &f.Unparsed)
	column(c, f.Unparsed, delta, func(r *Lines) *int32 { return &r.From })
	column(c, f.Unparsed, delta, func(r *Lines) *int32 { return &r.To })
}

func (c *coder) decls(f *File) {
	table(c, &f.Decls)
	d := f.Decls
	column(c, d, plain, func(r *Decl) *graph.Kind { return &r.Kind })
	column(c, d, plain, func(r *Decl) *Str { return &r.Name })
	column(c, d, delta, func(r *Decl) *DeclID { return &r.Parent })
	column(c, d, plain, func(r *Decl) *Str { return &r.Owner })
	column(c, d, plain, func(r *Decl) *Traits { return &r.Traits })
	column(c, d, plain, func(r *Decl) *graph.Flags { return &r.Flags })
	column(c, d, plain, func(r *Decl) *graph.Visibility { return &r.Vis })
	column(c, d, delta, func(r *Decl) *int32 { return &r.DefLine })
	column(c, d, delta, func(r *Decl) *int32 { return &r.Line })
	column(c, d, plain, func(r *Decl) *int32 { return &r.Col })
	column(c, d, delta, func(r *Decl) *int32 { return &r.EndLine })
	for _, span := range []func(*Decl) *Span{
		func(r *Decl) *Span { return &r.TypeParams }, func(r *Decl) *Span { return &r.Params },
		func(r *Decl) *Span { return &r.Results }, func(r *Decl) *Span { return &r.Bases },
		func(r *Decl) *Span { return &r.Implements }, func(r *Decl) *Span { return &r.Exprs },
		func(r *Decl) *Span { return &r.Flows }, func(r *Decl) *Span { return &r.Locals },
	} {
		column(c, d, delta, func(r *Decl) *int32 { return &span(r).Lo })
		column(c, d, delta, func(r *Decl) *int32 { return &span(r).Hi })
	}
	column(c, d, delta, func(r *Decl) *ExprID { return &r.Type })
	column(c, d, delta, func(r *Decl) *ExprID { return &r.Value })
	column(c, d, plain, func(r *Decl) *int32 { return &r.Ordinal })
	column(c, d, plain, func(r *Decl) *Str { return &r.Signature })
	column(c, d, plain, func(r *Decl) *Str { return &r.Doc })
	column(c, d, plain, func(r *Decl) *int32 { return &r.Tokens })
	// Most declarations lack one hash or another: a mask says which follow.
	for i := range d {
		var mask int64
		for b, zero := range []bool{d[i].DocHash.IsZero(), d[i].Body.IsZero(), d[i].MinHash == graph.MinHash{}} {
			if !zero {
				mask |= 1 << b
			}
		}
		mask = c.varint(mask)
		if mask&1 != 0 {
			c.bytes(d[i].DocHash[:])
		}
		if mask&2 != 0 {
			c.bytes(d[i].Body[:])
		}
		if mask&4 != 0 {
			for j := range d[i].MinHash {
				var w [4]byte
				binary.LittleEndian.PutUint32(w[:], d[i].MinHash[j])
				c.bytes(w[:])
				d[i].MinHash[j] = binary.LittleEndian.Uint32(w[:])
			}
		}
	}
}

// Check reports the first invariant that f breaks; the linker relies on all of
// them. A file made by an extractor or accepted by [Decode] breaks none.
func (f *File) Check() error {
	k := checker{f: f}
	k.check()
	return k.err
}

type checker struct {
	f   *File
	err error
}

func (k *checker) bad(what string, i int) {
	if k.err == nil {
		k.err = fmt.Errorf("%w: %s %d", ErrCorrupt, what, i)
	}
}

func (k *checker) check() {
	f := k.f
	strs, exprs, decls, locals, lists := len(f.Strings), int32(len(f.Exprs)), int32(len(f.Decls)), int32(len(f.Locals)), int32(len(f.Lists))
	if strs == 0 || f.Strings[0] != "" || lists == 0 || f.Lists[0] != 0 || max(strs, int(exprs), int(decls), int(locals), int(lists)) > math.MaxInt32/2 {
		k.bad("file", 0)
		return
	}
	str := func(ss ...Str) bool {
		for _, s := range ss {
			if int(s) >= strs {
				return false
			}
		}
		return true
	}
	opt := func(i, n int32) bool { return i >= None && i < n }
	span := func(s Span, n int32) bool { return s.Lo >= 0 && s.Lo <= s.Hi && s.Hi <= n }
	members := func(s Span) bool {
		if !span(s, lists) {
			return false
		}
		for _, e := range f.Lists[s.Lo:s.Hi] {
			if e < 0 || e >= exprs {
				return false
			}
		}
		return true
	}
	if !str(f.Package, f.Constraint) {
		k.bad("package", 0)
	}
	for i, m := range f.Imports {
		if !str(m.Path, m.Name, m.Alias) || !opt(int32(m.Owner), decls) || m.Line < 0 || m.Col < 0 {
			k.bad("import", i)
		}
	}
	params := int32(len(f.Params))
	for i := range f.Decls {
		d := &f.Decls[i]
		if !str(d.Name, d.Owner, d.Signature, d.Doc) || int(d.Kind) >= graph.KindCount || int(d.Vis) >= graph.VisibilityCount ||
			d.Flags&^graph.FlagMask != 0 || !opt(int32(d.Parent), int32(i)) || d.DefLine < 0 || d.Line < 0 || d.Col < 0 || d.EndLine < 0 ||
			!span(d.TypeParams, params) || !span(d.Params, params) || !span(d.Results, params) || !members(d.Bases) || !members(d.Implements) ||
			!span(d.Exprs, exprs) || !span(d.Flows, int32(len(f.Flows))) || !span(d.Locals, locals) ||
			!opt(int32(d.Type), exprs) || !opt(int32(d.Value), exprs) || d.Tokens < 0 {
			k.bad("declaration", i)
		}
	}
	for i, p := range f.Params {
		if !str(p.Name) || !opt(int32(p.Type), exprs) || !opt(int32(p.Local), locals) {
			k.bad("parameter", i)
		}
	}
	for i, l := range f.Locals {
		needsDecl := l.Kind != LocalVar
		if !str(l.Name) || l.Kind > LocalFunc || !opt(int32(l.Decl), decls) || needsDecl && l.Decl == None ||
			!opt(int32(l.Type), exprs) || !opt(int32(l.Value), exprs) || !opt(int32(l.Next), locals) {
			k.bad("local", i)
		}
	}
	for i := range f.Exprs {
		if !k.expr(int32(i), &f.Exprs[i], str, decls, locals, lists) {
			k.bad("expression", i)
		}
	}
	for i, fl := range f.Flows {
		ok := opt(int32(fl.From), exprs)
		switch fl.Kind {
		case FlowAssign, FlowSend:
			ok = ok && opt(fl.To, exprs)
		case FlowBind:
			ok = ok && fl.N >= 0 && fl.N < locals
		case FlowDefine:
			ok = ok && fl.N >= 0 && fl.N < decls
		case FlowReturn, FlowYield:
			ok = ok && fl.To >= 0 && fl.To < decls && fl.N >= -1
		case FlowThrow:
		default:
			ok = false
		}
		if !ok {
			k.bad("flow", i)
		}
	}
	for i, s := range f.Settings {
		if !str(s.Name, s.Value) {
			k.bad("setting", i)
		}
	}
	for i, r := range f.Directives {
		if !str(r.Name, r.Value) || !opt(int32(r.Owner), decls) || r.Line < 0 || r.Col < 0 {
			k.bad("directive", i)
		}
	}
	for i, r := range f.Unparsed {
		if r.From < 0 || r.To < r.From {
			k.bad("range", i)
		}
	}
}

func (k *checker) expr(i int32, x *Expr, str func(...Str) bool, decls, locals, lists int32) bool {
	if x.Op >= opEnd || !str(x.Name) || x.Line < 0 || x.Col < 0 || x.Args < 0 || x.Args >= lists {
		return false
	}
	switch {
	case x.Op == OpName && x.Flags&FlagLocal != 0:
		if x.X < 0 || int32(x.X) >= locals {
			return false
		}
	case x.Op == OpFunc || x.Op == OpType:
		if x.X < 0 || int32(x.X) >= decls {
			return false
		}
	case x.X < None || int32(x.X) >= i:
		return false
	}
	if x.Y < None || int32(x.Y) >= i {
		return false
	}
	if x.Args > 0 {
		n := k.f.Lists[x.Args]
		if n < 0 || n > lists-x.Args-1 {
			return false
		}
		for _, a := range k.f.Lists[x.Args+1 : x.Args+1+n] {
			if a < 0 || a >= i {
				return false
			}
		}
	}
	return true
}
