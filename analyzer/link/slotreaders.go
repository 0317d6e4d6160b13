package link

import (
	"iter"

	"github.com/codekg/kg/analyzer/facts"
)

// Who reads slots, and is evaluated again when one of them changes.

// functionReaders are the functions of a file that are readers. Readers are counted:
// the files, as what is beside functions, then the functions.
type functionReaders struct {
	decls []facts.DeclID
	first int32 // the number of the first
}

// slotRead is a reader that has read a slot since the slot last changed. The reads of
// a slot are linked.
type slotRead struct {
	reader int32
	next   int32 // in reads; 0
}

// read notes that a slot was read.
func (s *slots) read(slot, reader int32) {
	if last := s.readers[slot]; last == 0 || s.reads[last].reader != reader {
		if len(s.reads) == cap(s.reads) {
			s.reads = append(make([]slotRead, 0, max(2*len(s.reads), 1<<12)), s.reads...) // append alone would copy large ones more often
		}
		s.reads = append(s.reads, slotRead{reader, last})
		s.readers[slot] = int32(len(s.reads) - 1)
	}
}

// late are the readers that have read a slot which changed since, and their files.
type late struct {
	files   []bool
	readers []bool // nil: files are not told apart
}

// changed makes the readers of a slot late.
func (s *slots) changed(slot int32, late late) {
	for r := s.readers[slot]; r != 0; r = s.reads[r].next {
		fn := s.reads[r].reader
		if late.readers != nil {
			late.readers[fn] = true
		}
		if n := fn - int32(len(late.files)); n >= 0 {
			fn = s.fileOf[n]
		}
		late.files[fn] = true
	}
	s.readers[slot] = 0
}

// findReaders tells the readers in files apart.
func (l *linker) findReaders(files []int32) {
	s := l.slots
	s.functions = make([]functionReaders, len(l.files))
	var of, ofLocal []int32
	for _, fn := range files {
		fs := l.files[fn].Facts
		of, ofLocal = zeroed(of, len(fs.Exprs)), zeroed(ofLocal, len(fs.Locals))
		var decls []facts.DeclID
		local, ordered := int32(0), true
		for d := range functions(fs) {
			decls = append(decls, d)
			ordered = ordered && fs.Decls[d].Locals.Lo >= local
			local = fs.Decls[d].Locals.Hi
			n := int32(len(decls))
			for i := fs.Decls[d].Exprs.Lo; i < fs.Decls[d].Exprs.Hi; i++ {
				of[i] = n
			}
			for i := fs.Decls[d].Locals.Lo; i < fs.Decls[d].Locals.Hi; i++ {
				ofLocal[i] = n
			}
		}
		if len(decls) == 0 || !ordered || !apart(fs, of, ofLocal) {
			continue
		}
		s.functions[fn] = functionReaders{decls, int32(len(l.files) + len(s.fileOf))}
		for range decls {
			s.fileOf = append(s.fileOf, fn)
		}
	}
}

// functions yields the functions of a file that no other encloses, in the order of
// their expressions.
func functions(fs *facts.File) iter.Seq[facts.DeclID] {
	return func(yield func(facts.DeclID) bool) {
		at := int32(0)
		for i := range fs.Decls {
			if d := &fs.Decls[i]; d.Kind.IsCallable() && d.Exprs.Lo >= at && d.Exprs.Len() > 0 { // not a function inside one
				if at = d.Exprs.Hi; !yield(facts.DeclID(i)) {
					return
				}
			}
		}
	}
}

// apart reports whether the expressions of a file need no others for their types than
// those of the same reader: of and ofLocal tell whose expressions and locals are.
func apart(fs *facts.File, of, ofLocal []int32) bool {
	for i := range fs.Exprs {
		x := &fs.Exprs[i]
		switch x.Op {
		case facts.OpName:
			if x.Flags&facts.FlagLocal != 0 && ofLocal[x.X] != of[i] {
				return false
			}
		case facts.OpFunc, facts.OpType, facts.OpImport:
		default:
			if x.X >= 0 && of[x.X] != of[i] {
				return false
			}
		}
		if x.Y >= 0 && of[x.Y] != of[i] {
			return false
		}
		for _, a := range fs.List(x.Args) {
			if of[a] != of[i] {
				return false
			}
		}
	}
	for i := range fs.Locals {
		l := &fs.Locals[i]
		if l.Type >= 0 && of[l.Type] != ofLocal[i] || l.Value >= 0 && of[l.Value] != ofLocal[i] || l.Next >= 0 && ofLocal[l.Next] != ofLocal[i] {
			return false
		}
	}
	for i := range fs.Flows {
		if fl := &fs.Flows[i]; fl.From >= 0 && (fl.Kind == facts.FlowAssign && fl.To >= 0 && of[fl.To] != of[fl.From] || fl.Kind == facts.FlowBind && ofLocal[fl.N] != of[fl.From]) {
			return false
		}
	}
	for i := range fs.Decls {
		marks := fs.Lists[fs.Decls[i].Marks.Lo:fs.Decls[i].Marks.Hi]
		for _, m := range marks {
			if of[m] != of[marks[0]] {
				return false
			}
		}
	}
	return true
}

// piece is what stands together in a file and is of one reader.
type piece struct {
	reader        int32
	exprs, locals facts.Span
}

// pieces yields the pieces of a file: its functions and what is between them.
func (s *slots) pieces(fn int32, fs *facts.File) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		expr, local := int32(0), int32(0)
		readers := &s.functions[fn]
		for i, id := range readers.decls {
			d := &fs.Decls[id]
			if !yield(piece{fn, facts.Span{Lo: expr, Hi: d.Exprs.Lo}, facts.Span{Lo: local, Hi: d.Locals.Lo}}) ||
				!yield(piece{readers.first + int32(i), d.Exprs, d.Locals}) {
				return
			}
			expr, local = d.Exprs.Hi, d.Locals.Hi
		}
		yield(piece{fn, facts.Span{Lo: expr, Hi: int32(len(fs.Exprs))}, facts.Span{Lo: local, Hi: int32(len(fs.Locals))}})
	}
}

// evaluateLate evaluates what is late in a file, and leaves the rest as it was found
// before. It returns, by expression, the number of the reader that was late, from 1;
// 0 for the others.
func (ev *evaluator) evaluateLate(fn int32, late []bool) []int32 {
	d, s := &ev.dyn, ev.l.slots
	ev.open(fn)
	fs := ev.f.Facts
	d.readers = zeroed(d.readers, len(fs.Exprs))
	if readers := &s.functions[fn]; s.last[fn].typ != nil && len(readers.decls) > 0 {
		s.last[fn].restore(ev)
		for p := range s.pieces(fn, fs) {
			if !late[p.reader] {
				continue
			}
			e, l := p.exprs, p.locals
			clear(ev.typ[e.Lo:e.Hi])
			clear(ev.ref[e.Lo:e.Hi])
			clear(ev.state[e.Lo:e.Hi])
			clear(d.flowed[e.Lo:e.Hi])
			clear(ev.local[l.Lo:l.Hi])
			clear(ev.lstat[l.Lo:l.Hi])
			clear(d.prev[l.Lo:l.Hi])
			clear(d.lflow[l.Lo:l.Hi])
		}
	}
	for p := range s.pieces(fn, fs) {
		if !late[p.reader] {
			continue
		}
		for i := p.exprs.Lo; i < p.exprs.Hi; i++ {
			d.readers[i] = p.reader + 1
		}
		d.reader = p.reader
		if len(s.functions[fn].decls) > 0 {
			ev.settle(p.exprs.Lo, p.exprs.Hi)
		} else {
			ev.evaluateOpen()
		}
	}
	for p := range s.pieces(fn, fs) {
		late[p.reader] = false
	}
	return d.readers
}
