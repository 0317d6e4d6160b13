package java

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// compactName is the name of the class that the members of a compact source file
// belong to. The language gives it none that a program could use.
const compactName = "Main"

// compact reports whether the file has methods outside of any class, and no error
// that could have put them there.
func (e *extractor) compact() bool {
	if e.nodes[0].Flags&syntax.HasError != 0 {
		return false
	}
	methods := false
	for c := range e.t.NamedChildren(0) {
		switch e.class(c) {
		case classPackage, classModule:
			return false
		case classMethod:
			methods = true
		}
	}
	return methods
}

// compactFile reads a compact source file: all that it declares is a member of a
// class that is known only inside of the file.
func (e *extractor) compactFile() {
	d := e.b.AddDecl(graph.KindClass, e.b.InternString(compactName), none)
	p := &e.b.Decls[d]
	p.DefLine, p.Line, p.Col, p.EndLine = 1, 1, 1, int32(e.t.EndLine(0))
	p.Traits |= facts.TraitSynthetic | facts.TraitFileScoped
	p.Flags |= graph.FlagGenerated | graph.FlagFinal
	p.Vis, p.Signature = graph.Package, e.b.InternString("class "+compactName)
	restore := e.openType(d, syntax.None, false)
	e.types[d].compactFile = true
	for c := range e.t.NamedChildren(0) {
		switch e.class(c) {
		case classImport:
			e.importDecl(c)
		case classLocal:
			e.field(c)
		default:
			e.member(d, c)
		}
	}
	e.members = e.members[:0]
	e.b.EndDecl(d)
	restore()
}

// moduleImports brings the packages of imported modules into scope, behind all
// that is imported by name.
func (e *extractor) moduleImports() {
	for n, m := range e.modules {
		if slices.Contains(e.modules[:n], m) {
			continue
		}
		for _, p := range modulePackages(m) {
			if slices.Contains(e.wilds, p) {
				continue
			}
			e.wilds = append(e.wilds, p)
			e.b.Imports = append(e.b.Imports, facts.Import{Owner: none, Flags: facts.ImportImplied, Path: e.b.InternString(p), Name: e.b.InternString("*")})
		}
	}
}
