package typescript

import (
	"path"
	"strings"

	"github.com/codekg/kg/analyzer/link"
)

// How import paths resolve: as the compiler does with "bundler" resolution, but
// to sources. What a package's entry points say of built files is taken back to
// the folder that they are built from.

type request struct{ dir, path string }

// config is one tsconfig or jsconfig file.
type config struct {
	dir        string
	extends    []string
	references []string
	base       string // baseUrl as a folder; "-" if there is none
	hasPaths   bool
	patterns   []string
	targets    map[string][]string
	rootDirs   []string
}

func (la *layouter) configurations(files []link.File) {
	for i := range files {
		f := &files[i]
		b := path.Base(f.Path)
		if !strings.HasPrefix(b, "tsconfig") && !strings.HasPrefix(b, "jsconfig") || !strings.HasSuffix(b, ".json") || inDependencies(f.Path) {
			continue
		}
		c := &config{dir: dirOf(f.Path), base: "-", targets: map[string][]string{}}
		for _, s := range f.Facts.Settings {
			name, v := f.Facts.Str(s.Name), f.Facts.Str(s.Value)
			switch name {
			case "extends":
				c.extends = append(c.extends, v)
			case "reference":
				c.references = append(c.references, v)
			case "baseUrl":
				c.base = join(c.dir, v)
			case "hasPaths":
				c.hasPaths = true
			case "rootDir":
				c.rootDirs = append(c.rootDirs, join(c.dir, v))
			default:
				if k, ok := strings.CutPrefix(name, "paths:"); ok {
					if len(c.targets[k]) == 0 {
						c.patterns = append(c.patterns, k)
					}
					c.targets[k] = append(c.targets[k], v)
				}
			}
		}
		la.configs[f.Path] = c
	}
}

// join joins a folder and a relative path; paths out of the tree keep their
// dots, and name nothing.
func join(dir, p string) string {
	j := path.Join(dir, p)
	if j == "." {
		return ""
	}
	return j
}

// resolve returns the unit that an import path means in the file of a unit.
func (la *layouter) resolve(from int, p string) int {
	file := la.paths[from]
	r := request{dirOf(file), p}
	la.mu.Lock()
	defer la.mu.Unlock()
	if u, ok := la.memo[r]; ok {
		return u
	}
	u := la.find(r.dir, p)
	la.memo[r] = u
	return u
}

func (la *layouter) find(dir, p string) int {
	if i := strings.IndexByte(p, '?'); i > 0 { // ./worker?url
		p = p[:i]
	}
	switch {
	case p == "" || strings.HasPrefix(p, "/"):
		return -1
	case p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../"):
		if u := la.file(join(dir, p), true); u >= 0 {
			return u
		}
		return la.inRootDirs(dir, p)
	case strings.HasPrefix(p, "#"):
		if n := la.packOf(dir); n >= 0 {
			if u := la.mapped(n, la.packs[n].imports, p); u >= 0 {
				return u
			}
		}
	}
	if u := la.byPaths(dir, p); u >= 0 {
		return u
	}
	return la.byPackage(p)
}

// builtFrom are endings of built files, each with those of what they are built
// from.
var builtFrom = [][]string{{".js", ".ts", ".tsx", ".d.ts"}, {".jsx", ".tsx", ".d.ts"}, {".mjs", ".mts", ".d.mts"}, {".cjs", ".cts", ".d.cts"}}

// file returns the unit of the file that a path without or with an ending
// means, or of the folder's entry.
func (la *layouter) file(p string, folder bool) int {
	if strings.HasPrefix(p, "..") {
		return -1
	}
	if u, ok := la.unitOf[p]; ok {
		return u
	}
	for _, b := range builtFrom {
		if s, ok := strings.CutSuffix(p, b[0]); ok {
			for _, x := range b[1:] {
				if u, ok := la.unitOf[s+x]; ok {
					return u
				}
			}
		}
	}
	for _, x := range extensions {
		if u, ok := la.unitOf[p+x]; ok {
			return u
		}
	}
	if !folder {
		return -1
	}
	if n, ok := la.byDir[p]; ok {
		if u := la.entry(n); u >= 0 {
			return u
		}
	}
	for _, x := range extensions {
		if u, ok := la.unitOf[join(p, "index"+x)]; ok {
			return u
		}
	}
	return -1
}

// inRootDirs looks for a relative path in folders that are seen as one.
func (la *layouter) inRootDirs(dir, p string) int {
	c := la.configOf(dir)
	if c == nil || len(c.rootDirs) < 2 {
		return -1
	}
	at := join(dir, p)
	for _, r := range c.rootDirs {
		rest, ok := strings.CutPrefix(at, r+"/")
		if !ok {
			continue
		}
		for _, o := range c.rootDirs {
			if o != r {
				if u := la.file(join(o, rest), true); u >= 0 {
					return u
				}
			}
		}
	}
	return -1
}

// configOf returns the nearest configuration at or above a folder.
func (la *layouter) configOf(dir string) *config {
	for {
		for _, name := range [...]string{"tsconfig.json", "jsconfig.json"} {
			if c, ok := la.configs[join(dir, name)]; ok {
				return c
			}
		}
		if dir == "" {
			return nil
		}
		dir = dirOf(dir)
	}
}

// byPaths resolves by the paths and the base folder of the configuration: its
// own, that of those that it extends, or that of those that it refers to.
func (la *layouter) byPaths(dir, p string) int {
	c := la.configOf(dir)
	if c == nil {
		return -1
	}
	seen := map[*config]bool{}
	queue := []*config{c}
	for i := 0; i < len(queue) && i < 64; i++ {
		c := queue[i]
		if seen[c] {
			continue
		}
		seen[c] = true
		if u := la.byConfig(c, p); u >= 0 {
			return u
		}
		for k := len(c.extends) - 1; k >= 0; k-- {
			if o := la.extended(c, c.extends[k]); o != nil {
				queue = append(queue, o)
			}
		}
		for _, r := range c.references {
			at := join(c.dir, r)
			if o, ok := la.configs[at]; ok && o.dir == c.dir {
				queue = append(queue, o)
			}
		}
	}
	return -1
}

// extended returns the configuration that one extends, by a path or by the name
// of a package of the tree.
func (la *layouter) extended(c *config, p string) *config {
	at := ""
	if strings.HasPrefix(p, ".") {
		at = join(c.dir, p)
	} else {
		name, rest := packageName(p)
		n, ok := la.named[name]
		if !ok {
			return nil
		}
		at = join(la.packs[n].dir, rest)
	}
	for _, s := range [...]string{"", ".json", "/tsconfig.json"} {
		if o, ok := la.configs[at+s]; ok {
			return o
		}
	}
	return nil
}

func (la *layouter) byConfig(c *config, p string) int {
	best, fit := "", -1
	for _, k := range c.patterns {
		star := strings.IndexByte(k, '*')
		switch {
		case star < 0:
			if k == p {
				best, fit = k, len(k)+1<<20
			}
		case strings.HasPrefix(p, k[:star]) && strings.HasSuffix(p, k[star+1:]) && len(p) >= len(k)-1 && star > fit:
			best, fit = k, star
		}
	}
	base := c.base
	if base == "-" {
		base = c.dir
	}
	if fit >= 0 {
		part := ""
		if star := strings.IndexByte(best, '*'); star >= 0 {
			part = p[star : len(p)-(len(best)-star-1)]
		}
		for _, t := range c.targets[best] {
			if u := la.target(join(base, strings.Replace(t, "*", part, 1))); u >= 0 {
				return u
			}
		}
	}
	if c.base != "-" {
		return la.file(join(base, p), true)
	}
	return -1
}

// packageName divides an import path into the name of a package and the rest.
func packageName(p string) (name, rest string) {
	i := strings.IndexByte(p, '/')
	if i >= 0 && strings.HasPrefix(p, "@") {
		if j := strings.IndexByte(p[i+1:], '/'); j >= 0 {
			i += 1 + j
		} else {
			i = -1
		}
	}
	if i < 0 {
		return p, ""
	}
	return p[:i], p[i+1:]
}

// byPackage resolves the name of a package of the tree, or a path in one.
func (la *layouter) byPackage(p string) int {
	name, rest := packageName(p)
	n, ok := la.named[name]
	if !ok {
		return -1
	}
	pk := &la.packs[n]
	if rest == "" {
		return la.entry(n)
	}
	if pk.exports != nil {
		if u := la.mapped(n, pk.exports, "./"+rest); u >= 0 {
			return u
		}
	}
	for _, d := range [...]string{"", "src"} {
		if u := la.file(join(pk.dir, join(d, rest)), true); u >= 0 {
			return u
		}
	}
	return la.source(join(pk.dir, rest), pk.dir)
}

// entry returns the unit that a package is imported as.
func (la *layouter) entry(n int) int {
	pk := &la.packs[n]
	for _, t := range pk.exports["."] {
		if u := la.source(join(pk.dir, t), pk.dir); u >= 0 {
			return u
		}
	}
	for _, m := range pk.main {
		if u := la.source(join(pk.dir, m), pk.dir); u >= 0 {
			return u
		}
	}
	for _, m := range [...]string{"src/index", "index", "src/main", "lib/index", "src"} {
		if u := la.file(join(pk.dir, m), m != "src"); u >= 0 {
			return u
		}
	}
	return -1
}

// mapped resolves a path by a map of exports or imports of package n.
func (la *layouter) mapped(n int, m map[string][]string, p string) int {
	pk := &la.packs[n]
	try := func(targets []string, part string) int {
		for _, t := range targets {
			t = strings.ReplaceAll(t, "*", part)
			if !strings.HasPrefix(t, ".") {
				if u := la.byPackage(t); u >= 0 {
					return u
				}
				continue
			}
			if u := la.source(join(pk.dir, t), pk.dir); u >= 0 {
				return u
			}
		}
		return -1
	}
	if ts, ok := m[p]; ok {
		return try(ts, "")
	}
	best, fit := "", -1
	for _, k := range pk.patterns {
		star := strings.IndexByte(k, '*')
		if _, ok := m[k]; ok && strings.HasPrefix(p, k[:star]) && strings.HasSuffix(p, k[star+1:]) && len(p) >= len(k)-1 && star > fit {
			best, fit = k, star
		}
	}
	if fit < 0 {
		return -1
	}
	return try(m[best], p[fit:len(p)-(len(best)-fit-1)])
}

// target is file, with what a built file is built from.
func (la *layouter) target(p string) int {
	if u := la.file(p, true); u >= 0 {
		return u
	}
	if n := la.packOf(dirOf(p)); n >= 0 {
		return la.source(p, la.packs[n].dir)
	}
	return -1
}

// source returns the unit of a file, or of the one that it is built from: the
// same path under src instead of the folder of built files.
func (la *layouter) source(p, dir string) int {
	if u := la.file(p, true); u >= 0 {
		return u
	}
	rest, ok := strings.CutPrefix(p, dir)
	if !ok {
		return -1
	}
	rest = strings.TrimPrefix(rest, "/")
	parts := strings.Split(rest, "/")
	for len(parts) > 1 {
		switch parts[0] {
		case "dist", "lib", "build", "out", "es", "esm", "cjs", "types", "typings", "umd", "module", "commonjs", "node", "_esm", "_cjs", "_types", "dist-cjs", "dist-es", "dist-types":
		default:
			return -1
		}
		parts = parts[1:]
		s := stem(strings.Join(parts, "/"))
		for _, ending := range [...]string{".global", ".prod", ".cjs", ".esm", ".esm-bundler", ".min", ".umd"} {
			s = strings.TrimSuffix(s, ending)
		}
		for _, d := range [...]string{"src", "", "lib", "source"} {
			if u := la.file(join(dir, join(d, s)), true); u >= 0 {
				return u
			}
		}
	}
	return -1
}
