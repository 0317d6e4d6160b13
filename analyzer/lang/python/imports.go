package python

import (
	"bytes"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

func hasGlobal(src []byte) bool { return bytes.Contains(src, []byte("global ")) }

// plainName returns a dotted name without white space.
func (e *extractor) plainName(i syntax.ID) string {
	var b strings.Builder
	for c, end := i, e.nodes[i].Next; c < end; c++ {
		if e.t.IsLeaf(c) && e.class(c) != classComment {
			b.Write(e.t.Text(c))
		}
	}
	return b.String()
}

// eachImported calls f for the names that an import binds.
func (e *extractor) eachImported(i syntax.ID, f func(facts.Str)) {
	for c := range e.t.ChildrenByField(i, fieldName) {
		n := c
		if e.class(c) == classAliased {
			if n = e.child(c, fieldAlias); n == syntax.None {
				continue
			}
		} else if e.class(i) == classImport {
			if n = e.t.FirstNamed(c); n == syntax.None {
				continue
			}
		}
		f(e.b.InternString(e.plainName(n)))
	}
}

// importStmt adds import a.b, c as d.
func (e *extractor) importStmt(i syntax.ID) {
	for c := range e.t.ChildrenByField(i, fieldName) {
		im := facts.Import{Owner: none}
		name, alias := c, syntax.ID(syntax.None)
		if e.class(c) == classAliased {
			name, alias = e.child(c, fieldName), e.child(c, fieldAlias)
		}
		if name == syntax.None {
			continue
		}
		path := e.plainName(name)
		im.Path = e.b.InternString(path)
		bound, at := name, name
		if alias != syntax.None {
			im.Alias = e.str(alias)
			bound = alias
		} else {
			bound = e.t.FirstNamed(name)
		}
		if im.Path == 0 || bound == syntax.None {
			continue
		}
		im.Line, im.Col = e.place(at)
		e.bring(im, e.str(bound), bound)
	}
}

// importFrom adds from a import b as c.
func (e *extractor) importFrom(i syntax.ID) {
	module := e.child(i, fieldModule)
	if module == syntax.None {
		return
	}
	path := e.plainName(module)
	add := func(at syntax.ID, name string, alias syntax.ID) {
		im := facts.Import{Owner: none, Path: e.b.InternString(path), Name: e.b.InternString(name)}
		im.Line, im.Col = e.place(at)
		bound := im.Name
		if alias != syntax.None {
			im.Alias = e.str(alias)
			bound = im.Alias
		}
		if name == "*" {
			bound = 0
		}
		e.bring(im, bound, at)
	}
	for c := range e.t.NamedChildren(i) {
		switch {
		case c == module:
		case e.class(c) == classWildcard:
			add(c, "*", syntax.None)
		case e.class(c) == classAliased:
			if n := e.child(c, fieldName); n != syntax.None {
				add(n, e.plainName(n), e.child(c, fieldAlias))
			}
		case e.class(c) == classDottedName || e.class(c) == classIdentifier:
			add(c, e.plainName(c), syntax.None)
		}
	}
}

// bring adds an import and binds the name that it brings into scope.
func (e *extractor) bring(im facts.Import, name facts.Str, at syntax.ID) {
	if e.typing {
		im.Flags |= facts.ImportTypeOnly
	}
	im.Flags |= e.optional
	s := e.inner()
	inside := s.kind != scopeModule && !(s.kind == scopeFunction && s.free[name])
	if inside {
		im.Owner = e.owner
		if im.Owner == none {
			inside = false
		}
	}
	id := len(e.b.Imports)
	e.b.Imports = append(e.b.Imports, im)
	value := func() facts.ExprID {
		return e.b.AddExpr(facts.Expr{Op: facts.OpImport, X: facts.ExprID(id), Y: none})
	}
	if name == 0 {
		return
	}
	if inside {
		if s.kind == scopeFunction {
			e.bindLocal(name, facts.Local{Decl: none, Type: none, Value: value(), Next: none})
		} else if _, ok := s.names[name]; !ok {
			e.lateVariable(s, at, name, value(), none)
		}
		return
	}
	// A variable of the module that is there already may be the import, too.
	if d, ok := e.scopes[0].names[name]; ok && !e.b.Decls[d].Kind.IsCallable() && !e.b.Decls[d].Kind.IsType() {
		e.flow(facts.FlowDefine, int32(d), 0, value())
	} else if !ok {
		if e.scopes[0].imported == nil {
			e.scopes[0].imported = map[facts.Str]int{}
		}
		if _, ok := e.scopes[0].imported[name]; !ok {
			e.scopes[0].imported[name] = id
		}
	}
}
