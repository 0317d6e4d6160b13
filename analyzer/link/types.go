package link

import (
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
)

// Type is an interned type: two types are identical if and only if they are
// equal numbers. Types made in phase one have the same numbers for all workers;
// those made in phase two belong to one worker.
type Type int32

// unknownType is the type of everything that could not be told.
const unknownType Type = 0

type typeKind uint8

const (
	kUnknown  typeKind = iota
	kNamed             // ent; args: type arguments, the first n where n > 0; see keyed.go
	kPtr               // args[0]
	kSlice             // args[0]
	kArray             // args[0]
	kMap               // args[0], args[1]
	kChan              // args[0]; n: 0 both, 1 send only, 2 receive only
	kFunc              // args: parameters, results; n: see funcShape
	kTuple             // args
	kParam             // type parameter n of ent
	kPkg               // n: unit, or -1 and ent: Sym of an external path
	kMeta              // the expression denotes the type args[0]
	kExtern            // what ent (Sym of path) calls n (Sym of name): type or value; args: type arguments
	kAnon              // type literal ent; noEnt: the empty interface
	kUnion             // args; n: what for, see union.go
	kApprox            // ~args[0]
	kOutside           // what an external package makes of args; see outside.go
	kBoth              // all of args
	kLit               // the value n (Sym); args[0]: its type
	kGuard             // whether the parameter n (-1: this) is of type args[0]; with assertsGuard, it fails otherwise
	kCallable          // the function ent as a value; n = 1: bound to args[0]
	kSelf              // the object that a method of class ent is called on
	kSuper             // args[0], as the classes behind class ent see it
	kForm              // n: a Form
)

// assertsGuard is added to the number of the parameter of a kGuard.
const assertsGuard = 1 << 20

// maxTypeDepth bounds the nesting of types; deeper ones are unknown. Real code
// stays below 20.
const maxTypeDepth = 64

// maxTypeSize bounds the parts of a type, counted with repetition: aliases that
// name each other twice would otherwise double it at every step.
const maxTypeSize = 1 << 12

// maxTypeArgs bounds parameters, results and type arguments of one type.
const maxTypeArgs = 1 << 12

type typeRec struct {
	kind   typeKind
	depth  uint8
	params bool   // mentions a type parameter
	open   bool   // see mentionsUnknown
	size   uint16 // parts, counted with repetition
	n      int32
	ent    Ent
	lo, hi uint32
}

// typeTable interns types. A table with a base sees the base's types and adds
// its own; the base must not change any more.
type typeTable struct {
	base *typeTable
	off  Type // number of the base's types
	recs []typeRec
	args []Type
	hash []typeSlot // open addressing
	used int
}

// typeSlot is a place of the hash table; without a type it is empty.
type typeSlot struct {
	hash uint32
	typ  Type
}

func newTypeTable(base *typeTable) *typeTable {
	t := &typeTable{base: base}
	if base == nil {
		// As a small tree needs; memory that stays unused costs nothing.
		t.recs, t.args, t.hash = make([]typeRec, 1, 1<<14), make([]Type, 0, 1<<14), touched[typeSlot](1<<13)
		t.recs[0] = typeRec{kind: kUnknown, size: 1, open: true}
	} else {
		t.hash = make([]typeSlot, 1<<8)
		t.off = base.off + Type(len(base.recs))
	}
	return t
}

func (t *typeTable) rec(x Type) *typeRec {
	for x < t.off {
		t = t.base
	}
	return &t.recs[x-t.off]
}

func (t *typeTable) kind(x Type) typeKind { return t.rec(x).kind }

func (t *typeTable) argsOf(x Type) []Type {
	for x < t.off {
		t = t.base
	}
	r := &t.recs[x-t.off]
	return t.args[r.lo:r.hi:r.hi]
}

func (t *typeTable) arg(x Type, i int) Type {
	for x < t.off {
		t = t.base
	}
	r := &t.recs[x-t.off]
	if int(r.lo)+i >= int(r.hi) {
		return unknownType
	}
	return t.args[int(r.lo)+i]
}

func hashType(k typeKind, ent Ent, n int32, args []Type) uint32 {
	h := uint32(2166136261)
	mix := func(v uint32) {
		h = (h ^ v) * 16777619
		h ^= h >> 15
	}
	mix(uint32(k))
	mix(uint32(ent))
	mix(uint32(n))
	for _, a := range args {
		mix(uint32(a))
	}
	return h
}

func (t *typeTable) find(h uint32, k typeKind, ent Ent, n int32, args []Type) Type {
	mask := uint32(len(t.hash) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		x := t.hash[i].typ
		if x == 0 {
			return 0
		}
		if t.hash[i].hash != h {
			continue
		}
		r := &t.recs[x-t.off]
		if r.kind == k && r.ent == ent && r.n == n && int(r.hi-r.lo) == len(args) {
			same := true
			for j, a := range t.args[r.lo:r.hi] {
				if a != args[j] {
					same = false
					break
				}
			}
			if same {
				return x
			}
		}
	}
}

// mk interns a type. args may be reused by the caller.
func (t *typeTable) mk(k typeKind, ent Ent, n int32, args ...Type) Type {
	return t.intern(k, ent, n, args)
}

func (t *typeTable) intern(k typeKind, ent Ent, n int32, args []Type) Type {
	if len(args) > maxTypeArgs {
		return unknownType
	}
	h := hashType(k, ent, n, args)
	for b := t.base; b != nil; b = b.base {
		if x := b.find(h, k, ent, n, args); x != 0 {
			return x
		}
	}
	if x := t.find(h, k, ent, n, args); x != 0 {
		return x
	}
	depth, size, params, open := 0, 1, k == kParam || k == kSelf, k == kOutside
	for _, a := range args {
		r := t.rec(a)
		depth = max(depth, int(r.depth)+1)
		size += int(r.size)
		params = params || r.params
		open = open || r.open
	}
	if depth > maxTypeDepth || size > maxTypeSize {
		return unknownType
	}
	lo := uint32(len(t.args))
	t.args = append(t.args, args...)
	t.recs = append(t.recs, typeRec{kind: k, depth: uint8(depth), size: uint16(size), params: params, open: open, n: n, ent: ent, lo: lo, hi: uint32(len(t.args))})
	x := t.off + Type(len(t.recs)-1)
	if t.used++; t.used*2 > len(t.hash) {
		t.rehash(h, x)
	} else {
		t.place(h, x)
	}
	return x
}

func (t *typeTable) place(h uint32, x Type) {
	mask := uint32(len(t.hash) - 1)
	i := h & mask
	for t.hash[i].typ != 0 {
		i = (i + 1) & mask
	}
	t.hash[i] = typeSlot{h, x}
}

// rehash makes room, and places the type that has come last.
func (t *typeTable) rehash(h uint32, x Type) {
	old := t.hash
	t.hash = touched[typeSlot](2 * len(old))
	for _, s := range old {
		if s.typ != 0 {
			t.place(s.hash, s.typ)
		}
	}
	t.place(h, x)
}

// funcShape packs the number of parameters and whether the last is variadic.
func funcShape(params int, variadic bool) int32 {
	n := int32(params) << 1
	if variadic {
		n |= 1
	}
	return n
}

func (r *typeRec) funcParams() int  { return int(r.n >> 1) }
func (r *typeRec) isVariadic() bool { return r.n&1 != 0 }

// meta returns the type of an expression that denotes x.
func (t *typeTable) meta(x Type) Type {
	if x == unknownType {
		return x
	}
	return t.mk(kMeta, noEnt, 0, x)
}

// denoted returns the type that an expression of type x denotes.
func (t *typeTable) denoted(x Type) Type {
	switch t.kind(x) {
	case kMeta:
		return t.arg(x, 0)
	case kExtern:
		return x
	}
	return unknownType
}

// deref returns what a pointer points to, and x itself if it is no pointer.
func (t *typeTable) deref(x Type) (Type, bool) {
	if t.kind(x) == kPtr {
		return t.arg(x, 0), true
	}
	return x, false
}

// tuple returns the type of n results: nothing, the one, or a tuple.
func (t *typeTable) tuple(results []Type) Type {
	if len(results) == 1 {
		return results[0]
	}
	return t.intern(kTuple, noEnt, 0, results)
}

// subst replaces the type parameters of owner by args in x.
func (t *typeTable) subst(x Type, owner Ent, args []Type) Type {
	if len(args) == 0 || !t.rec(x).params {
		return x
	}
	r := *t.rec(x)
	if r.kind == kParam {
		if r.ent == owner {
			if int(r.n) < len(args) {
				return args[r.n]
			}
			return unknownType
		}
		return x
	}
	old := t.argsOf(x)
	var small [8]Type
	fresh := append(small[:0], old...)
	changed := false
	for i, a := range fresh {
		if b := t.subst(a, owner, args); b != a {
			fresh[i], changed = b, true
		}
	}
	if !changed {
		return x
	}
	if r.kind == kUnion && r.n == unionOfValues {
		return t.union(fresh) // two members may have become one
	}
	return t.intern(r.kind, r.ent, r.n, fresh)
}

// mentionsUnknown reports whether a type holds a part that could not be told,
// so that its identity with another says nothing.
func (t *typeTable) mentionsUnknown(x Type) bool { return t.rec(x).open }

// namer writes types. It has a memory of its own, so that several can be at work.
type namer struct {
	*linker
	types   *typeTable // all that the linker's has
	ev      *evaluator
	strings []string // by type; empty: not written yet
}

func (l *linker) newNamer() *namer {
	types := newTypeTable(l.types)
	return &namer{linker: l, types: types, ev: l.newEvaluator(types)}
}

// typeString writes a type with names qualified by package path. The result is
// the same in every graph, so that signatures can be compared.
func (l *namer) typeString(x Type) string {
	if int(x) < len(l.strings) && l.strings[x] != "" {
		return l.strings[x]
	}
	var b strings.Builder
	l.writeType(&b, x)
	s := b.String()
	if n := int(x) + 1 - len(l.strings); n > 0 {
		l.strings = append(l.strings, make([]string, max(n, len(l.types.recs)+int(l.types.off)-len(l.strings)))...)
	}
	l.strings[x] = s
	return s
}

func (l *namer) writeType(b *strings.Builder, x Type) {
	t := l.types
	r := *t.rec(x)
	args := t.argsOf(x)
	list := func(ts []Type) {
		for i, a := range ts {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(l.typeString(a))
		}
	}
	targs := func() {
		if len(args) > 0 {
			brackets := "[]"
			if l.angled(x) {
				brackets = "<>"
			}
			b.WriteByte(brackets[0])
			list(args)
			b.WriteByte(brackets[1])
		}
	}
	switch r.kind {
	case kUnknown:
		b.WriteByte('?')
	case kNamed:
		if r.n > 0 {
			args = args[:r.n]
		}
		b.WriteString(l.typeName(r.ent))
		targs()
	case kPtr:
		b.WriteByte('*')
		list(args)
	case kSlice:
		if l.angled(x) {
			list(args)
			b.WriteString("[]")
			return
		}
		b.WriteString("[]")
		list(args)
	case kArray:
		b.WriteByte('[')
		if r.n >= 0 {
			b.WriteString(strconv.Itoa(int(r.n)))
		}
		b.WriteByte(']')
		list(args)
	case kMap:
		b.WriteString("map[")
		list(args[:1])
		b.WriteByte(']')
		list(args[1:])
	case kChan:
		b.WriteString([...]string{"chan ", "chan<- ", "<-chan "}[r.n])
		list(args)
	case kFunc:
		b.WriteString("func(")
		n := r.funcParams()
		for i, a := range args[:n] {
			if i > 0 {
				b.WriteString(", ")
			}
			if i == n-1 && r.isVariadic() {
				b.WriteString("...")
			}
			b.WriteString(l.typeString(a))
		}
		b.WriteByte(')')
		if len(args) > n {
			b.WriteString(" (")
			list(args[n:])
			b.WriteByte(')')
		}
	case kTuple:
		b.WriteByte('(')
		list(args)
		b.WriteByte(')')
	case kParam:
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(int(r.n)))
	case kMeta:
		b.WriteString("type ")
		list(args)
	case kExtern:
		b.WriteString(l.symString(Sym(r.ent)))
		b.WriteByte('.')
		b.WriteString(l.symString(Sym(r.n)))
		targs()
	case kAnon:
		if r.ent == noEnt {
			b.WriteString([...]string{"any", "struct{}"}[r.n])
			return
		}
		b.WriteString(l.str(r.ent, l.decl(r.ent).Signature))
	case kUnion:
		if r.n != unionOfTypes {
			l.writeUnion(b, args)
			return
		}
		for i, a := range args {
			if i > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(l.typeString(a))
		}
	case kApprox:
		b.WriteByte('~')
		list(args)
	case kOutside:
		b.WriteByte('?')
	case kPkg:
		b.WriteString("package")
	case kBoth:
		for i, a := range args {
			if i > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(l.typeString(a))
		}
	case kLit:
		if r.n < 0 {
			b.WriteString(l.typeName(r.ent))
			return
		}
		b.WriteString(strconv.Quote(l.symString(Sym(r.n))))
	case kGuard:
		b.WriteString("is ")
		list(args)
	case kCallable:
		b.WriteString("def " + l.typeName(r.ent))
	case kSelf:
		b.WriteString(l.typeName(r.ent))
	case kSuper, kForm:
		b.WriteByte('?')
	}
}

// angled reports whether the language of a type, or of what it is made of, is
// one that says so in its rules.
func (l *namer) angled(x Type) bool {
	for range maxScopes {
		switch r := l.types.rec(x); {
		case r.kind == kNamed:
			u := l.unitOf(r.ent)
			return u >= 0 && l.units[u].rules != nil && l.units[u].rules.Angled
		case r.kind == kSlice || r.kind == kExtern && len(l.types.argsOf(x)) > 0:
			x = l.types.arg(x, 0)
		default:
			return false
		}
	}
	return false
}

// typeName returns a named type's name as typePath does, and that of a constant that
// becomes another one where it is used.
func (l *namer) typeName(e Ent) string {
	if u := l.unitOf(e); u >= 0 && l.units[u].universe {
		if d, ok := l.units[u].rules.defaultOf(l.types.denoted(l.typ[e])); ok {
			return "untyped " + l.typeString(d)
		}
	}
	return l.typePath(e)
}

// typePath returns a named type's name, qualified by its unit's path; universe
// types have no qualifier.
func (l *linker) typePath(e Ent) string {
	u := l.unitOf(e)
	name := l.qualified(e)
	if u < 0 || l.units[u].universe {
		return name
	}
	return l.units[u].Path + "." + name
}

// str returns a string of the file that declares e.
func (l *linker) str(e Ent, s facts.Str) string { return l.files[l.entFile[e]].Facts.Str(s) }
