package typescript

import (
	"path"
	"strings"

	"github.com/codekg/kg/analyzer/link"
)

// Routes of Next, which are told by where files lie: app/…/page.tsx and
// app/…/route.ts, pages/….tsx and pages/api/….ts, of packages that need next.

// handlerNames are the functions that a route.ts exports, one for each method.
var handlerNames = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}

// placedRoutes finds the routes that the places of source files tell.
func (la *layouter) placedRoutes() {
	for u, p := range la.paths {
		n := la.packOf(dirOf(p))
		if n < 0 || !la.packs[n].next || isTest(p) || strings.HasSuffix(p, ".d.ts") {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(p, la.packs[n].dir), "/")
		rest = stem(strings.TrimPrefix(rest, "src/"))
		add := func(method, at, export string) {
			la.Routes = append(la.Routes, link.FileRoute{Unit: u, Name: method + " /" + at, Export: export})
		}
		if at, ok := strings.CutPrefix(rest, "app/"); ok {
			at, ok = appPath(dirOf(at))
			switch base := path.Base(rest); {
			case ok && base == "page":
				add("GET", at, "default")
			case ok && base == "route":
				for _, m := range handlerNames {
					add(m, at, m)
				}
			}
		} else if at, ok := strings.CutPrefix(rest, "pages/"); ok && !strings.HasPrefix(path.Base(at), "_") {
			method := "GET"
			if strings.HasPrefix(at, "api/") {
				method = "*"
			}
			if path.Base(at) == "index" {
				at = dirOf(at)
			}
			add(method, at, "default")
		}
	}
}

// appPath returns the path of a folder below app: groups and slots are no part of
// it, folders that begin with _ are private, and what intercepts others has
// no path of its own.
func appPath(dir string) (string, bool) {
	var parts []string
	for s := range strings.SplitSeq(dir, "/") {
		switch {
		case s == "" || strings.HasPrefix(s, "@") || strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")"):
		case strings.HasPrefix(s, "_") || strings.HasPrefix(s, "("):
			return "", false
		default:
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "/"), true
}
