package link

import (
	"path"

	"github.com/codekg/kg/analyzer/graph"
)

// FileRoute is a route that the place of a file tells, in frameworks that route
// by folders.
type FileRoute struct {
	Unit   int    // the module that handles it
	Name   string // method and path
	Export string // the name under which the module exports what handles it
}

// placedRoutes adds the routes that the places of files tell, where the files
// export what handles them.
func (l *linker) placedRoutes() {
	ev := l.newEvaluator(l.types)
	for _, s := range l.langs {
		if s.Modules == nil {
			continue
		}
		for _, r := range s.layout.Routes {
			u := &l.units[int(s.firstUnit)+r.Unit]
			name := l.lookupSym(r.Export)
			if name < 0 || len(u.files) == 0 {
				continue
			}
			fn := u.files[0]
			ev.open(fn)
			m := ev.exported(int32(int(s.firstUnit)+r.Unit), name, spaceValue, 0)
			if !m.ok || m.ent == noEnt {
				continue
			}
			to := l.nodeOf[l.canon[m.ent]]
			if to == graph.None {
				to = l.fileNodes[fn]
			}
			line, col := int32(1), int32(0)
			if d := l.decl(m.ent); l.entFile[m.ent] == fn {
				line, col = d.Line, d.Col
			}
			f := &l.files[fn]
			id := l.b.AddNode(graph.Node{Key: graph.FileScopedKey(u.key, path.Base(f.Path), r.Name), Kind: graph.KindRoute, Name: r.Name,
				QName: u.Name + "." + r.Name, Parent: l.unitIDs[int(s.firstUnit)+r.Unit], Lang: s.Name, File: f.Path, DefLine: line, Line: line, Col: col,
				EndLine: line, Visibility: graph.Public, Signature: graph.Signature{Text: r.Name}})
			l.b.AddEdge(graph.RawEdge{From: id, To: to, Type: graph.None, Kind: graph.EdgeHandles, HasSite: true,
				Site: graph.Site{File: l.fileIDs[fn], Line: line, Col: col, Args: -1, Keywords: -1, Recv: graph.None}})
		}
	}
}
