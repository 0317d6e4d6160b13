package main

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/lang/java"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/analyzer/syntax"
)

// named is an edge between simple names.
type named struct {
	from, to string
	kind     graph.EdgeKind
}

// names is a graph of types by simple names, as queries over syntax trees make
// it: the last file that declares a name is that name's, each type of a file has
// what is found anywhere in the file, and a name that is written means the type
// of that name in the repository.
type names struct {
	file  map[string]string   // of each type
	files map[string][]string // all files that declare the name
	edges map[named]bool
	owned map[named]bool // of them: the edge is written in the type itself, not in another one of the file
}

// found is what one file has.
type found struct {
	types   []string
	uses    []use
	extends []use
}

type use struct {
	owner, name string // the type it is written in
	kind        graph.EdgeKind
}

func readNames(tree source.Tree) (*names, error) {
	n := &names{file: map[string]string{}, files: map[string][]string{}, edges: map[named]bool{}, owned: map[named]bool{}}
	p := syntax.NewParser()
	defer p.Close()
	l := java.Language.Grammar()
	all := map[string]*found{}
	for i, e := range tree.Entries() {
		if !e.Mode.IsFile() || !strings.HasSuffix(e.Path, ".java") {
			continue
		}
		src, err := tree.Read(i, int64(p.Limits.Bytes))
		if err != nil {
			continue
		}
		t, err := p.Parse(l, src)
		if err != nil {
			continue
		}
		f := read(l, t)
		all[e.Path] = f
		for _, name := range f.types {
			n.file[name] = e.Path
			if !slices.Contains(n.files[name], e.Path) {
				n.files[name] = append(n.files[name], e.Path)
			}
		}
	}
	for name, path := range n.file {
		f := all[path]
		for _, u := range f.uses {
			n.add(name, u)
		}
		for _, u := range f.extends {
			if u.owner == name {
				n.add(name, u)
			}
		}
	}
	return n, nil
}

func (n *names) add(name string, u use) {
	if _, ok := n.file[u.name]; !ok {
		return
	}
	e := named{name, u.name, u.kind}
	n.edges[e] = true
	if u.owner == name {
		n.owned[e] = true
	}
}

// pairs counts edges of two names, of whatever kind, as one.
func (n *names) pairs() int {
	seen := map[[2]string]bool{}
	for e := range n.edges {
		seen[[2]string{e.from, e.to}] = true
	}
	return len(seen)
}

// read collects what queries find in a file.
func read(l *syntax.Language, t *syntax.Tree) *found {
	var (
		class, face, enum, record, note = l.Kind("class_declaration"), l.Kind("interface_declaration"), l.Kind("enum_declaration"), l.Kind("record_declaration"), l.Kind("annotation_type_declaration")
		field, constructor, parameter   = l.Kind("field_declaration"), l.Kind("constructor_declaration"), l.Kind("formal_parameter")
		parameters, name                = l.Kind("formal_parameters"), l.Kind("type_identifier")
		super, interfaces, extends      = l.Kind("superclass"), l.Kind("super_interfaces"), l.Kind("extends_interfaces")
		list                            = l.Kind("type_list")
		nameField, typeField            = l.Field("name"), l.Field("type")
		isType                          = func(k syntax.Kind) bool { return k == class || k == face || k == enum || k == record || k == note }
		f                               = &found{}
		owner                           = func(i syntax.ID) string {
			for i = t.Parent(i); i > 0; i = t.Parent(i) {
				if isType(t.Kind(i)) {
					return t.String(t.ChildByField(i, nameField))
				}
			}
			return ""
		}
		typeOf = func(i syntax.ID) {
			if c := t.ChildByField(i, typeField); c != syntax.None && t.Kind(c) == name {
				f.uses = append(f.uses, use{owner(i), t.String(c), graph.EdgeInjects})
			}
		}
	)
	for i := range syntax.ID(len(t.Nodes)) {
		switch k := t.Kind(i); {
		case isType(k):
			if c := t.ChildByField(i, nameField); c != syntax.None {
				f.types = append(f.types, t.String(c))
			}
		case k == field:
			typeOf(i)
		case k == parameter:
			if p := t.Parent(i); t.Kind(p) == parameters && t.Kind(t.Parent(p)) == constructor {
				typeOf(i)
			}
		case k == super, k == interfaces, k == extends:
			kind := graph.EdgeExtends
			if k == interfaces {
				kind = graph.EdgeImplements
			}
			for c := i; t.Contains(i, c) && int(c) < len(t.Nodes); c++ {
				if p := t.Kind(t.Parent(c)); t.Kind(c) == name && (p == super || p == list) {
					f.extends = append(f.extends, use{owner(i), t.String(c), kind})
				}
			}
		}
	}
	return f
}
