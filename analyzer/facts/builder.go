package facts

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// Builder makes a [File]. It interns strings and keeps the stack of scopes that
// resolves local names. One builder serves many files, one after the other; it
// is not safe for concurrent use.
type Builder struct {
	File
	interned           // the strings of File
	bound    []LocalID // by Str: the innermost local in scope, None
	within   []int32   // by Str: how many scopes were open when bound was set
	undo     []binding // what the open scopes hid
	scopes   []int     // lengths of undo at the start of each open scope

	messages int         // see addMessage
	heard    map[Str]int // how many listeners have a name
	queues   queues
}

type binding struct {
	name   Str
	was    LocalID
	within int32
}

// Reset starts a new file.
func (b *Builder) Reset() {
	b.interned.clear()
	f := &b.File
	if cap(f.Exprs) == 0 { // as most files need, so that the tables are seldom copied to grow
		f.Strings, f.Decls, f.Params = make([]string, 0, 1<<10), make([]Decl, 0, 1<<8), make([]Param, 0, 1<<9)
		f.Locals, f.Exprs, f.Lists = make([]Local, 0, 1<<10), make([]Expr, 0, 1<<12), make([]int32, 0, 1<<12)
	}
	b.File = File{Strings: append(f.Strings[:0], ""), Imports: f.Imports[:0], Decls: f.Decls[:0], Params: f.Params[:0],
		Locals: f.Locals[:0], Exprs: f.Exprs[:0], Lists: append(f.Lists[:0], 0), Flows: f.Flows[:0], Directives: f.Directives[:0], Unparsed: f.Unparsed[:0]}
	b.bound, b.within = append(b.bound[:0], None), append(b.within[:0], 0)
	b.undo, b.scopes = b.undo[:0], b.scopes[:0]
	b.messages, b.heard, b.queues = 0, nil, queues{}
}

// Finish returns the file, in memory of its own: the builder's tables serve the
// next file.
func (b *Builder) Finish() *File {
	f := b.File
	f.Strings, f.Imports, f.Decls, f.Params = clone(f.Strings), clone(f.Imports), clone(f.Decls), clone(f.Params)
	f.Locals, f.Exprs, f.Lists, f.Flows = clone(f.Locals), clone(f.Exprs), clone(f.Lists), clone(f.Flows)
	f.Directives, f.Unparsed = clone(f.Directives), joinLines(f.Unparsed)
	clear(b.Strings)
	return &f
}

// clone returns a copy without room to grow; nil for an empty slice.
func clone[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	c := make([]T, len(s))
	copy(c, s)
	return c
}

// Intern returns the position of s, which may share memory with the source:
// it is copied when it is new.
func (b *Builder) Intern(s []byte) Str {
	if len(s) == 0 {
		return 0
	}
	h := maphash.Bytes(hashSeed, s)
	for i := h; ; i++ {
		at := &b.slots[i&b.mask]
		if at.str == 0 {
			return b.add(string(s), h)
		}
		if at.hash == uint32(h) && b.Strings[at.str] == string(s) {
			return at.str
		}
	}
}

// InternString returns the position of s.
func (b *Builder) InternString(s string) Str {
	if s == "" {
		return 0
	}
	h := maphash.String(hashSeed, s)
	for i := h; ; i++ {
		at := &b.slots[i&b.mask]
		if at.str == 0 {
			return b.add(s, h)
		}
		if at.hash == uint32(h) && b.Strings[at.str] == s {
			return at.str
		}
	}
}

func (b *Builder) add(s string, hash uint64) Str {
	i := Str(len(b.Strings))
	b.Strings = append(b.Strings, s)
	b.put(i, hash)
	b.bound, b.within = append(b.bound, None), append(b.within, 0)
	return i
}

// Push opens a scope.
func (b *Builder) Push() { b.scopes = append(b.scopes, len(b.undo)) }

// Pop closes the innermost scope: its names mean again what they meant before.
func (b *Builder) Pop() {
	n := len(b.scopes) - 1
	for i := len(b.undo) - 1; i >= b.scopes[n]; i-- {
		u := b.undo[i]
		b.bound[u.name], b.within[u.name] = u.was, u.within
	}
	b.undo, b.scopes = b.undo[:b.scopes[n]], b.scopes[:n]
}

// AddLocal adds a local without bringing its name into scope.
func (b *Builder) AddLocal(l Local) LocalID {
	b.Locals = append(b.Locals, l)
	return LocalID(len(b.Locals) - 1)
}

// Bind brings a local's name into the innermost scope, where it hides what it
// meant before.
func (b *Builder) Bind(id LocalID) {
	name := b.Locals[id].Name
	if name == 0 {
		return
	}
	b.undo = append(b.undo, binding{name, b.bound[name], b.within[name]})
	b.bound[name], b.within[name] = id, int32(len(b.scopes))
}

// Lookup returns the local that name means here, or None.
func (b *Builder) Lookup(name Str) LocalID { return b.bound[name] }

// BoundHere returns the local that the innermost scope itself binds to name,
// or None.
func (b *Builder) BoundHere(name Str) LocalID {
	if len(b.scopes) == 0 || b.bound[name] == None || int(b.within[name]) != len(b.scopes) {
		return None
	}
	return b.bound[name]
}

// AddExpr adds an expression, whose operands must be there already.
func (b *Builder) AddExpr(e Expr) ExprID {
	b.Exprs = append(b.Exprs, e)
	return ExprID(len(b.Exprs) - 1)
}

// AddOperation adds an expression that stands where its operand like does.
func (b *Builder) AddOperation(e Expr, like ExprID) ExprID {
	e.Line, e.Col = b.Exprs[like].Line, b.Exprs[like].Col
	return b.AddExpr(e)
}

// AddName adds a name, local or free.
func (b *Builder) AddName(name Str, flags ExprFlags, line, col int32) ExprID {
	x := ExprID(None)
	if l := b.Lookup(name); l != None {
		x, flags = ExprID(l), flags|FlagLocal
	}
	return b.AddExpr(Expr{Op: OpName, Flags: flags, Name: name, X: x, Y: None, Line: line, Col: col})
}

// AddList stores ids as an argument list and returns its position; 0 for an
// empty list.
func (b *Builder) AddList(ids []int32) int32 {
	if len(ids) == 0 {
		return 0
	}
	at := int32(len(b.Lists))
	b.Lists = append(b.Lists, int32(len(ids)))
	b.Lists = append(b.Lists, ids...)
	return at
}

// AddSpan stores ids as a span of Lists; an empty list is the zero span.
func (b *Builder) AddSpan(ids []int32) Span {
	if len(ids) == 0 {
		return Span{}
	}
	lo := int32(len(b.Lists))
	b.Lists = append(b.Lists, ids...)
	return Span{lo, int32(len(b.Lists))}
}

// AddParams stores parameters.
func (b *Builder) AddParams(ps []Param) Span {
	lo := int32(len(b.Params))
	b.Params = append(b.Params, ps...)
	return Span{lo, int32(len(b.Params))}
}

// AddFlow stores that the value from goes somewhere; nothing where there is no
// value.
func (b *Builder) AddFlow(kind FlowKind, n, to int32, from ExprID) {
	if from != None {
		b.Flows = append(b.Flows, Flow{Kind: kind, N: n, To: to, From: from})
	}
}

// AddUnparsed stores a range of lines that did not parse, in any order.
func (b *Builder) AddUnparsed(from, to int) {
	b.Unparsed = append(b.Unparsed, Lines{int32(from), int32(to)})
}

// joinLines sorts ranges and returns them with those that overlap or touch as
// one.
func joinLines(ranges []Lines) []Lines {
	if len(ranges) == 0 {
		return nil
	}
	slices.SortFunc(ranges, func(a, b Lines) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	out := []Lines{ranges[0]}
	for _, r := range ranges[1:] {
		if last := &out[len(out)-1]; r.From <= last.To+1 {
			last.To = max(last.To, r.To)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// AddDecl adds a declaration with the fields that have no zero meaning set to
// None, and returns its position. Its Exprs, Flows and Locals spans start here;
// [Builder.EndDecl] ends them.
func (b *Builder) AddDecl(kind graph.Kind, name Str, parent DeclID) DeclID {
	e, fl, lo := int32(len(b.Exprs)), int32(len(b.Flows)), int32(len(b.Locals))
	b.Decls = append(b.Decls, Decl{Kind: kind, Name: name, Parent: parent, Type: None, Value: None,
		Exprs: Span{e, e}, Flows: Span{fl, fl}, Locals: Span{lo, lo}})
	return DeclID(len(b.Decls) - 1)
}

// EndDecl ends the spans of a declaration at what was added so far.
func (b *Builder) EndDecl(d DeclID) {
	p := &b.Decls[d]
	p.Exprs.Hi, p.Flows.Hi, p.Locals.Hi = int32(len(b.Exprs)), int32(len(b.Flows)), int32(len(b.Locals))
}
