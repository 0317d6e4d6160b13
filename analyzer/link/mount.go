package link

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Routers that other files mount: app.use("/users", require("./users")). The
// routes of what is mounted are there under the path that it is mounted at, and
// nowhere else. A mount is declared as a route whose verb is [facts.VerbMount]; its
// value is the router, or a function that makes or is given one.
//
// Where a function makes or is given the router, its routes are those inside of it.
// Otherwise all routes of a file are taken for those of the one router that other
// files mount; if they mount several of its routers nothing is known of any.

// Bounds of mounts: the paths of one router, and the calls, selections and mounts
// inside of each other that are followed.
const (
	maxMounts      = 8
	maxMountChain  = 4
	maxMountPrefix = 512 // bytes
)

// mount says that what is declared in a file is mounted by another.
type mount struct {
	prefix      string
	own         string // what the prefix begins with because of the router that mounts
	as          bool   // in place of what the routes begin with by themselves
	by, line    int32  // file
	test        bool
	router      Ent
	first, last int32 // lines of a function; 0: the whole file
}

// mountTable holds the mounts of each file, in the order of the files that mount.
type mountTable struct {
	of    map[int32][]mount
	known map[mountPlace][]mountedAt // the paths of mounts themselves, see prefixes
}

// mountedAt is a path under which the routes of a router are there.
type mountedAt struct {
	path string
	as   bool // see mount
}

// under returns the path of what a router has at a path of its own, that begins with
// own for all that the router has.
func (m mountedAt) under(path, own string) string {
	if m.as {
		path = strings.TrimPrefix(path, own)
	}
	return strings.TrimSuffix(m.path+"/"+strings.Trim(path, "/"), "/")
}

// mountPlace is where a mount stands, and how many are inside of it.
type mountPlace struct {
	file, line int32
	depth      int
}

// mounts collects what files mount of others.
func (l *linker) mounts() mountTable {
	t := mountTable{map[int32][]mount{}, map[mountPlace][]mountedAt{}}
	var ev *evaluator
	for fn, f := range l.ownFiles() {
		opened := false
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if d.Kind != graph.KindRoute || d.Value < 0 {
				continue
			}
			verb, prefix, ok := strings.Cut(f.Facts.Str(d.Name), " ")
			if !ok || verb != facts.VerbMount && verb != facts.VerbMountAs {
				continue
			}
			if ev == nil {
				ev = l.newEvaluator(l.types)
				ev.classes.reset()
			}
			if !opened {
				ev.open(fn)
				opened = true
			}
			to := l.mounted(ev, d.Value)
			if to == noEnt || l.units[l.unitOf(to)].surface {
				continue
			}
			m := mount{prefix: prefix, own: ownPrefix(f, d), as: verb == facts.VerbMountAs, by: fn, line: d.Line, test: f.place.Test, router: to}
			if x := l.decl(to); x.Kind.IsCallable() {
				m.first, m.last = x.DefLine, x.EndLine
			} else if l.entFile[to] == fn {
				continue // which routes are whose is known where they are declared
			}
			if at := l.entFile[to]; at != fn || m.line < m.first || m.line > m.last {
				t.of[at] = append(t.of[at], m)
			}
		}
	}
	for file, list := range t.of {
		// Tests mount things as they like; that counts only if nobody else does.
		if slices.ContainsFunc(list, func(m mount) bool { return !m.test }) {
			list = slices.DeleteFunc(list, func(m mount) bool { return m.test })
		}
		whole := slices.DeleteFunc(slices.Clone(list), func(m mount) bool { return m.last > 0 })
		if slices.ContainsFunc(whole, func(m mount) bool { return m.router != whole[0].router }) {
			list = slices.DeleteFunc(list, func(m mount) bool { return m.last == 0 })
		}
		t.of[file] = list[:min(len(list), maxMounts)]
	}
	return t
}

// mounted returns what an expression of the open file names: a router, what it is
// selected of, or the function that is called for it.
func (l *linker) mounted(ev *evaluator, e facts.ExprID) Ent {
	for range maxMountChain {
		x := &ev.f.Facts.Exprs[e]
		switch x.Op {
		case facts.OpName, facts.OpSelect:
			ev.typeOf(e)
			if ref := ev.ref[e]; ref != noEnt && (l.entFile[ref] != ev.fn || l.decl(ref).Kind.IsCallable()) {
				return ref
			}
			if x.Op == facts.OpName || x.X < 0 {
				return noEnt
			}
			e = x.X
		case facts.OpCall:
			if x.X < 0 {
				return noEnt
			}
			e = x.X
		default:
			return noEnt
		}
	}
	return noEnt
}

// ownPrefix returns what the path of a route begins with for all of its router.
func ownPrefix(f *file, d *facts.Decl) string {
	if d.Type == facts.None {
		return ""
	}
	if x := &f.Facts.Exprs[d.Type]; x.Op == facts.OpLiteral && x.X >= 0 {
		return f.Facts.Str(f.Facts.Exprs[x.X].Name)
	}
	return ""
}

// prefixes returns the paths under which the routes at a line of a file are there;
// nil if nobody mounts them.
func (t mountTable) prefixes(file, line int32, depth int) []mountedAt {
	var list []mountedAt
	for _, m := range t.of[file] {
		if m.last > 0 && (line < m.first || line > m.last) {
			continue
		}
		if len(list) == maxMounts {
			break
		}
		above := []mountedAt{{}}
		if depth < maxMountChain {
			at := mountPlace{m.by, m.line, depth + 1}
			p, ok := t.known[at]
			if !ok { // mounts in a circle would be followed in all their orders
				p = t.prefixes(m.by, m.line, at.depth)
				t.known[at] = p
			}
			if p != nil {
				above = p
			}
		}
		for _, a := range above {
			p := mountedAt{a.under(m.prefix, m.own), m.as}
			if len(p.path) <= maxMountPrefix && len(list) < maxMounts && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}
