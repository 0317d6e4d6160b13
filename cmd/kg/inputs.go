package main

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/lang/all"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/diff/impact"
)

// What a change did to files that are not code, and which tests may notice:
//
//   - Manifests: those of packages that use another version of something now, or
//     all tests if it is about every build.
//   - Files of other languages that are built into a package: that package.
//   - Data in a folder for test data: the package above it. Data beside or below
//     the code of a package: that package, unless it is the top of a module,
//     which is where files lie that have nothing to do with its package.
//   - Any of these: the packages whose source names the file or its folder.
//   - Prose, pictures, and what belongs to tools around the code: nobody.

// inputs lists the changed files that are not code of a graph.
func (c *comparison) inputs(ctx context.Context) ([]impact.Input, error) {
	var ins []impact.Input
	var data []*needle
	folders := c.packageFolders()
	for _, f := range c.files {
		if f.Kind == history.ModeOnly {
			continue
		}
		l, role := languageOf(f.Path)
		base := path.Base(f.Path)
		switch {
		case role == lang.Manifest:
			if in, ok := c.manifest(l, &f); ok {
				ins = append(ins, in)
			}
		case isLock(base):
		case c.vendored(f.Path):
			if !slices.ContainsFunc(c.files, func(x history.FileChange) bool { _, r := languageOf(x.Path); return r == lang.Manifest }) {
				ins = append(ins, impact.Input{Path: f.Path, All: true})
			}
		case c.packaged(f.Path):
		case role != lang.Source && forReaders(f.Path):
		default:
			in := impact.Input{Path: f.Path}
			owner, dir := nearest(folders, path.Dir(f.Path)), path.Dir(f.Path)
			switch {
			case c.analysed(f.Path) && role != lang.Source: // embedded: the graph knows who reads it
			case isNative(f.Path):
				in.Packages = folders[dir]
			case slices.ContainsFunc(strings.Split(dir, "/"), holdsTestData), owner != "" && !c.atTop(owner):
				in.Tests = folders[owner]
			}
			ins = append(ins, in)
			data = append(data, newNeedle(f.Path, len(ins)-1, folders))
			if f.OldPath != "" {
				data = append(data, newNeedle(f.OldPath, len(ins)-1, folders))
			}
		}
	}
	if err := c.readers(ctx, ins, data); err != nil {
		return nil, err
	}
	// Of an embedded file that no code names otherwise, the graph knows all.
	return slices.DeleteFunc(ins, func(in impact.Input) bool {
		_, role := languageOf(in.Path)
		return role == lang.NotMine && len(in.Readers) == 0 && c.analysed(in.Path)
	}), nil
}

func languageOf(p string) (*lang.Language, lang.Role) {
	for _, l := range all.Languages {
		if r := l.Role(p); r != lang.NotMine {
			return l, r
		}
	}
	return nil, lang.NotMine
}

func isLock(base string) bool {
	return slices.ContainsFunc(all.Languages, func(l *lang.Language) bool { return slices.Contains(l.Locks, base) })
}

func isNative(p string) bool {
	return slices.ContainsFunc(all.Languages, func(l *lang.Language) bool { return slices.Contains(l.Native, path.Ext(p)) })
}

// vendored reports whether a file is a copy of an external module's.
func (c *comparison) vendored(p string) bool {
	return strings.HasPrefix(p, "vendor/") || strings.Contains(p, "/vendor/")
}

// packaged reports whether a graph has a package for a file.
func (c *comparison) packaged(p string) bool {
	for _, g := range []*graph.Graph{c.base.graph, c.head.graph} {
		if i := g.FileIndex(p); i >= 0 {
			for n := g.Nodes[g.Files[i].Node].Parent; n != graph.None; n = g.Nodes[n].Parent {
				if g.Nodes[n].Kind == graph.KindPackage {
					return true
				}
			}
		}
	}
	return false
}

// analysed reports whether a path is in one of the graphs.
func (c *comparison) analysed(p string) bool {
	return c.base.graph.FileIndex(p) >= 0 || c.head.graph.FileIndex(p) >= 0
}

// packageFolders returns the folders with packages of the head, each as a list
// of itself.
func (c *comparison) packageFolders() map[string][]string {
	folders := map[string][]string{}
	g := c.head.graph
	for i := range g.Files {
		if p := g.Nodes[g.Files[i].Node].Parent; p != graph.None && g.Nodes[p].Kind == graph.KindPackage {
			if dir := path.Dir(g.Files[i].Path); folders[dir] == nil {
				folders[dir] = []string{dir}
			}
		}
	}
	return folders
}

// nearest returns the folder with a package that is or holds dir; empty if there
// is none.
func nearest(folders map[string][]string, dir string) string {
	for ; ; dir = path.Dir(dir) {
		if folders[dir] != nil {
			return dir
		}
		if dir == "." {
			return ""
		}
	}
}

// atTop reports whether a folder is the top of the tree or of a module.
func (c *comparison) atTop(dir string) bool {
	if dir == "." {
		return true
	}
	g := c.head.graph
	return slices.ContainsFunc(g.Files, func(f graph.File) bool {
		if path.Dir(f.Path) != dir {
			return false
		}
		_, role := languageOf(f.Path)
		return role == lang.Manifest
	})
}

// manifest says what the change of a manifest does to builds.
func (c *comparison) manifest(l *lang.Language, f *history.FileChange) (impact.Input, bool) {
	in := impact.Input{Path: f.Path, Lang: l.Name, Module: strings.TrimPrefix(path.Dir(f.Path), "."), All: true}
	if f.Kind != history.Modified || l.Dependencies == nil || c.base.tree == nil || c.head.tree == nil {
		return in, true
	}
	was, okBase := content(c.base.tree, f.Path)
	is, okHead := content(c.head.tree, f.Path)
	if !okBase || !okHead {
		return in, true
	}
	in.Modules, in.All = l.Dependencies(path.Base(f.Path), was, is)
	if slices.ContainsFunc(c.head.graph.Files, func(x graph.File) bool {
		_, role := languageOf(x.Path)
		return role == lang.Manifest && x.Lang == l.Name && path.Base(x.Path) != path.Base(f.Path)
	}) {
		in.Module = "" // a workspace: versions are chosen for all of its modules
	}
	return in, in.All || len(in.Modules) > 0
}

// content reads a file of a tree.
func content(t source.Tree, p string) ([]byte, bool) {
	i, ok := source.Find(t.Entries(), p)
	if !ok {
		return nil, false
	}
	data, err := t.Read(i, -1)
	return data, err == nil
}

// holdsTestData reports whether folders of this name have files for tests.
func holdsTestData(name string) bool {
	switch name {
	case "testdata", "fixtures", "fixture", "test", "tests", "__snapshots__", "golden":
		return true
	}
	return false
}

// needle is how source code may name a changed file.
type needle struct {
	input  int
	name   []byte   // its own name
	folder []byte   // "docs/config", or "../config"
	quoted [][]byte // the folder as a word of its own
}

func newNeedle(p string, input int, packages map[string][]string) *needle {
	n := &needle{input: input, name: []byte(path.Base(p))}
	dir := path.Dir(p)
	if dir == "." {
		return n
	}
	last := path.Base(dir)
	if packages[dir] != nil {
		n.folder = []byte("../" + last) // otherwise who imports the package would name it
		return n
	}
	if above := path.Base(path.Dir(dir)); above != "." {
		n.folder = []byte(above + "/" + last)
	} else if !holdsTestData(last) {
		n.folder = []byte("../" + last)
	}
	// Who reads test data from elsewhere names the folder that holds it, too.
	if !slices.ContainsFunc(strings.Split(dir, "/"), holdsTestData) {
		n.quoted = [][]byte{[]byte(`"` + last + `"`), []byte("'" + last + "'")}
	}
	return n
}

// in reports whether a text names the file, other than in a line that begins with
// the given comment: that is what people read, or what makes code of the file.
func (n *needle) in(text []byte, comment string) bool {
	if names(text, n.name, comment) || n.folder != nil && names(text, n.folder, comment) {
		return true
	}
	return slices.ContainsFunc(n.quoted, func(q []byte) bool { return names(text, q, comment) })
}

// names reports whether a text has a path's last elements, as a whole.
func names(text, path []byte, comment string) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], path)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(path)
		if (i == 0 || !inName(text[i-1]) || isQuote(path[0])) && (end == len(text) || !inName(text[end]) || isQuote(path[len(path)-1])) &&
			!bytes.HasPrefix(bytes.TrimLeft(text[bytes.LastIndexByte(text[:i], '\n')+1:i], " \t"), []byte(comment)) {
			return true
		}
		at = i + 1
	}
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

func inName(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// maxNeedles bounds the data files that are looked for in the source; of more,
// any test may read one.
const maxNeedles = 256

// readers finds the source files of the head that name changed data.
func (c *comparison) readers(ctx context.Context, ins []impact.Input, data []*needle) error {
	if len(data) == 0 || c.head.tree == nil {
		return nil
	}
	if len(data) > maxNeedles {
		for _, n := range data {
			ins[n.input].All = len(ins[n.input].Tests) == 0
		}
		return nil
	}
	for i, e := range c.head.tree.Entries() {
		if err := ctx.Err(); err != nil {
			return err
		}
		l, role := languageOf(e.Path)
		if role != lang.Source || !e.Mode.IsFile() || c.head.graph.FileIndex(e.Path) < 0 {
			continue
		}
		text, err := c.head.tree.Read(i, maxSource)
		if err != nil {
			continue // too large to have been analysed
		}
		for _, n := range data {
			if in := &ins[n.input]; in.Path != e.Path && !slices.Contains(in.Readers, e.Path) && n.in(text, l.Comment) {
				in.Readers = append(in.Readers, e.Path)
			}
		}
	}
	return nil
}

// maxSource bounds the source files that are searched, in bytes.
const maxSource = 4 << 20

// forReaders reports whether a file is there for people to read, or for tools
// around the code, and not for the programs that tests run.
func forReaders(p string) bool {
	if slices.ContainsFunc(strings.Split(path.Dir(p), "/"), holdsTestData) {
		return false
	}
	base := path.Base(p)
	if strings.HasPrefix(p, ".github/") || strings.HasPrefix(p, ".circleci/") || strings.HasPrefix(p, ".gitlab/") {
		return true // the CI system's own
	}
	switch strings.ToLower(path.Ext(base)) {
	case ".md", ".mdx", ".markdown", ".rst", ".adoc", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico":
		return true
	}
	switch base {
	case "LICENSE", "COPYING", "NOTICE", "AUTHORS", "CONTRIBUTORS", "MAINTAINERS", "CODEOWNERS",
		".gitignore", ".gitattributes", ".kgignore", configName, ".mailmap", ".editorconfig", ".gitlab-ci.yml", ".travis.yml", ".pre-commit-config.yaml",
		".golangci.yml", ".golangci.yaml", ".goreleaser.yml", ".goreleaser.yaml", ".promu.yml", ".yamllint", ".dockerignore":
		return true
	}
	return false
}
