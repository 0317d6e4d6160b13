package facts

import (
	"math"
	"slices"
)

// How expressions are stored. Operands come before operators, and most are used
// once, by the next operator that is not one of theirs: as if on a stack. So
// an expression's operands and arguments are seldom written down. Its line and
// column, too, mostly follow from what is before it. What can be left out is
// part of the expression's shape, together with what many have in common:
// operator, flags and count. Shapes are numbered as they come.
//
// Exactly, for the expression i, in this order:
//
//  1. Its arguments are the topmost of the stack, in order, or else they stay
//     in Lists. Arguments fill Lists in the order of their expressions; what
//     they leave open is written down.
//  2. Y, and then X, is the topmost of the rest, or written down as the
//     distance from i. For local names and literals of functions and types X
//     is the distance from the highest of its kind that was named so far.
//     Contexts and function literals, which may come later, are always written
//     down.
//  3. What was taken from the stack is gone; i goes onto it.
//  4. The name is that of the local, or the string after the highest so far,
//     or written down.
//  5. The place is that of X, for selections after its name and a dot; else it
//     is after the name of the expression before, on the last line so far.

// shape is what an expression has in common with others.
type shape struct {
	op        Op
	flags     ExprFlags
	n         int16
	x, y      operand
	name      nameMode
	args      argsMode
	count     uint16 // of arguments that are taken from the stack
	line, col bool   // they are written down
}

type operand uint8

const (
	operandNone operand = iota
	operandTop          // from the stack
	operandAt           // an expression
	operandVar          // a local or a declaration, or an expression that may come later
)

type nameMode uint8

const (
	nameNone nameMode = iota
	nameNext
	nameAt
	nameLocal
)

type argsMode uint8

const (
	argsNone  argsMode = iota
	argsTop            // from the stack, at the next place in Lists
	argsTopAt          // from the stack, further on
	argsAt             // somewhere
)

func (sh *shape) write(k *cursor) {
	modes := uint64(sh.x) | uint64(sh.y)<<2 | uint64(sh.name)<<4 | uint64(sh.args)<<6
	for b, set := range []bool{sh.line, sh.col} {
		if set {
			modes |= 1 << (8 + b)
		}
	}
	k.putUint(uint64(sh.op))
	k.putUint(uint64(sh.flags))
	k.putInt(int64(sh.n))
	k.putUint(modes)
	k.putUint(uint64(sh.count))
}

func (sh *shape) read(k *cursor) {
	op, flags, n, modes, count := k.uint(), k.uint(), k.int(), k.uint(), k.uint()
	*sh = shape{op: Op(op), flags: ExprFlags(flags), n: int16(n), x: operand(modes & 3), y: operand(modes >> 2 & 3),
		name: nameMode(modes >> 4 & 3), args: argsMode(modes >> 6 & 3), line: modes>>8&1 != 0, col: modes>>9&1 != 0, count: uint16(count)}
	if op > math.MaxUint8 || flags > math.MaxUint8 || int64(sh.n) != n || modes >= 1<<10 || count > math.MaxUint16 || sh.y == operandVar && !sh.op.HasContext() ||
		sh.x == operandVar && !isVar(sh.op, sh.flags) {
		k.bad = true
	}
}

// exprState is what writer and reader both know before an expression.
type exprState struct {
	f       *File
	stack   []int32
	next    int32 // where arguments come next in Lists
	filled  int32 // how much of Lists is known
	last    int64 // the last number of Lists that was written down
	names   Str   // the highest so far
	vars    [3]int64
	maxLine int32
	indent  int32 // column of the first expression of the last line
}

// isVar reports whether X is no expression.
func isVar(op Op, flags ExprFlags) bool {
	return op == OpName && flags&FlagLocal != 0 || op == OpFunc || op == OpType || op == OpParamOf || op == OpImport
}

// highest returns the highest position of X's kind that was named so far.
func (s *exprState) highest(op Op) *int64 {
	switch op {
	case OpName:
		return &s.vars[0]
	case OpImport:
		return &s.vars[2]
	}
	return &s.vars[1]
}

// place predicts where an expression is.
func (s *exprState) place(i int, op Op, x ExprID, variable bool) (line, col int32) {
	if x >= 0 && !variable {
		p := &s.f.Exprs[x]
		if op == OpSelect {
			return p.Line, p.Col + s.length(p.Name) + 1
		}
		return p.Line, p.Col
	}
	if i == 0 {
		return 0, 0
	}
	p := &s.f.Exprs[i-1]
	return s.maxLine, p.Col + s.length(p.Name) + 1
}

func (s *exprState) length(name Str) int32 {
	if int(name) >= len(s.f.Strings) {
		return 0 // Check will find it
	}
	return int32(len(s.f.Strings[name]))
}

// after notes an expression.
func (s *exprState) after(i int, e *Expr) {
	if e.Line > s.maxLine {
		s.maxLine, s.indent = e.Line, e.Col
	}
	if e.Name > s.names {
		s.names = e.Name
	}
	s.stack = append(s.stack, int32(i))
}

// exprColumns are the columns of expressions.
type exprColumns struct {
	shape, shapes, name, x, y, args, line, col, lists *cursor
}

func (c *coder) expressions(f *File) {
	k := exprColumns{c.column(), c.column(), c.column(), c.column(), c.column(), c.column(), c.column(), c.column(), c.column()}
	s := exprState{f: f, stack: c.stack[:0], next: 1, vars: [3]int64{-1, -1, -1}}
	if c.reading {
		c.readExprs(&s, &k)
	} else {
		c.writeExprs(&s, &k)
	}
	c.stack = s.stack
}

func (s *exprState) writeLists(k *cursor, to int32) {
	for ; s.filled < to; s.filled++ {
		v := int64(s.f.Lists[s.filled])
		k.putInt(v - s.last)
		s.last = v
	}
}

func (s *exprState) readLists(k *cursor, to int32) {
	for ; s.filled < to; s.filled++ {
		s.last += k.int()
		s.f.Lists[s.filled] = int32(s.last)
		if int64(int32(s.last)) != s.last {
			k.bad = true
		}
	}
}

func (c *coder) writeExprs(s *exprState, k *exprColumns) {
	f := s.f
	for i := range f.Exprs {
		e := &f.Exprs[i]
		sh := shape{op: e.Op, flags: e.Flags, n: e.N}
		top := len(s.stack)
		if e.Args != 0 {
			ids := f.List(e.Args)
			n := len(ids)
			if e.Args >= s.next && n <= math.MaxUint16 && n <= top && slices.Equal(ids, s.stack[top-n:]) {
				top -= n
				sh.args, sh.count = argsTop, uint16(n)
				if e.Args != s.next {
					sh.args = argsTopAt
					k.args.putUint(uint64(e.Args - s.next))
				}
				s.writeLists(k.lists, e.Args)
				s.filled = e.Args + 1 + int32(n)
				s.next = s.filled
			} else {
				sh.args = argsAt
				k.args.putUint(uint64(e.Args))
			}
		}
		switch {
		case e.Y == None:
		case e.Op.HasContext():
			sh.y = operandVar
			k.y.putInt(int64(e.Y) - int64(i))
		case top > 0 && s.stack[top-1] == int32(e.Y):
			top--
			sh.y = operandTop
		default:
			sh.y = operandAt
			k.y.putUint(uint64(i - int(e.Y)))
		}
		variable := isVar(e.Op, e.Flags)
		switch {
		case e.Op == OpParamOf:
			if e.X != None {
				sh.x = operandVar
				k.x.putInt(int64(e.X) - int64(i))
			}
		case variable:
			high := s.highest(e.Op)
			sh.x = operandVar
			k.x.putInt(*high - int64(e.X))
			*high = max(*high, int64(e.X))
		case e.X == None:
		case top > 0 && s.stack[top-1] == int32(e.X):
			top--
			sh.x = operandTop
		default:
			sh.x = operandAt
			k.x.putUint(uint64(i - int(e.X)))
		}
		s.stack = s.stack[:top]
		switch {
		case e.Name == 0:
		case variable && e.Op == OpName && f.Locals[e.X].Name == e.Name:
			sh.name = nameLocal
		case e.Name == s.names+1:
			sh.name = nameNext
		default:
			sh.name = nameAt
			k.name.putUint(uint64(e.Name))
		}
		line, col := s.place(i, e.Op, e.X, variable)
		if e.Line != line {
			sh.line, col = true, s.indent
			k.line.putInt(int64(e.Line) - int64(line))
		}
		if e.Col != col {
			sh.col = true
			k.col.putInt(int64(e.Col) - int64(col))
		}
		id, ok := c.shapeOf[sh]
		if !ok {
			id = uint64(len(c.shapeOf))
			c.shapeOf[sh] = id
			sh.write(k.shapes)
		}
		k.shape.putUint(id)
		s.after(i, e)
	}
	s.writeLists(k.lists, int32(len(f.Lists)))
}

// readExprs is the inverse of writeExprs. What it does not check, Check does.
func (c *coder) readExprs(s *exprState, k *exprColumns) {
	f := s.f
	for i := range f.Exprs {
		id := k.shape.uint()
		if id >= uint64(len(c.shapes)) {
			var sh shape
			sh.read(k.shapes)
			if id > uint64(len(c.shapes)) || k.shapes.bad {
				c.failed = true
				return
			}
			c.shapes = append(c.shapes, sh)
		}
		sh := &c.shapes[id]
		e := &f.Exprs[i]
		e.Op, e.Flags, e.N = sh.op, sh.flags, sh.n
		top := len(s.stack)
		switch sh.args {
		case argsNone:
		case argsAt:
			at := k.args.uint()
			if at == 0 || at >= uint64(len(f.Lists)) {
				c.failed = true
				return
			}
			e.Args = int32(at)
		default:
			at, n := uint64(s.next), int(sh.count)
			if sh.args == argsTopAt {
				at += k.args.uint()
			}
			if n > top || at > math.MaxInt32 || int(at)+1+n > len(f.Lists) {
				c.failed = true
				return
			}
			top -= n
			e.Args = int32(at)
			s.readLists(k.lists, e.Args)
			f.Lists[at] = int32(n)
			copy(f.Lists[at+1:], s.stack[top:top+n])
			s.filled = e.Args + 1 + int32(n)
			s.next = s.filled
		}
		e.Y = None
		switch sh.y {
		case operandTop:
			if top == 0 {
				c.failed = true
				return
			}
			top--
			e.Y = ExprID(s.stack[top])
		case operandAt:
			e.Y = c.operand(k.y, i)
		case operandVar:
			e.Y = c.later(k.y, i)
		}
		e.X = None
		switch sh.x {
		case operandTop:
			if top == 0 {
				c.failed = true
				return
			}
			top--
			e.X = ExprID(s.stack[top])
		case operandAt:
			e.X = c.operand(k.x, i)
		case operandVar:
			if e.Op == OpParamOf {
				e.X = c.later(k.x, i)
				break
			}
			high := s.highest(e.Op)
			x := *high - k.x.int()
			if x < 0 || x > math.MaxInt32 {
				c.failed = true
				return
			}
			e.X, *high = ExprID(x), max(*high, x)
		}
		s.stack = s.stack[:top]
		switch sh.name {
		case nameNext:
			e.Name = s.names + 1
		case nameAt:
			e.Name = Str(min(k.name.uint(), math.MaxInt32))
		case nameLocal:
			if sh.x != operandVar || int(e.X) >= len(f.Locals) {
				c.failed = true
				return
			}
			e.Name = f.Locals[e.X].Name
		}
		line, col := s.place(i, e.Op, e.X, isVar(e.Op, e.Flags))
		if sh.line {
			line, col = int32(int64(line)+k.line.int()), s.indent
		}
		if sh.col {
			col = int32(int64(col) + k.col.int())
		}
		e.Line, e.Col = line, col
		s.after(i, e)
	}
	s.readLists(k.lists, int32(len(f.Lists)))
}

// operand reads the distance to an expression before i.
func (c *coder) operand(k *cursor, i int) ExprID {
	d := k.uint()
	if d == 0 || d > uint64(i) {
		c.failed = true
		return 0
	}
	return ExprID(i - int(d))
}

// later reads the distance to any expression.
func (c *coder) later(k *cursor, i int) ExprID {
	x := int64(i) + k.int()
	if x < 0 || x > math.MaxInt32 {
		c.failed = true
		return 0
	}
	return ExprID(x)
}
