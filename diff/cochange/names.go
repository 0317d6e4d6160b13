package cochange

import (
	"path"
	"strings"
)

// written reports whether a tool writes the file whenever another one changes:
// versions and checksums of what is depended on.
func written(p string) bool {
	base := path.Base(p)
	for _, end := range []string{".lock", ".sum", "-lock.json", "-lock.yaml", ".lock.hcl", ".lockb", ".lockfile", "-shrinkwrap.json"} {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	return false
}

// neighbours are the folders and the names of changed files.
type neighbours struct {
	folders, names map[string]bool
}

func neighbourhood(changed []string) neighbours {
	n := neighbours{map[string]bool{}, map[string]bool{}}
	for _, p := range changed {
		n.folders[path.Dir(p)] = true
		n.names[subject(p)] = true
	}
	return n
}

// bonus is what being near a changed file is worth.
func (n *neighbours) bonus(p string) float64 {
	switch {
	case n.names[subject(p)]:
		return 1 + besideBonus + namedBonus
	case n.folders[path.Dir(p)]:
		return 1 + besideBonus
	}
	return 1
}

// subject is the path without what distinguishes a test, or another file
// of the same thing, from it.
func subject(p string) string {
	base := path.Base(p)
	base = strings.ToLower(strings.TrimSuffix(base, path.Ext(base)))
	for _, affix := range []string{"_test", ".test", "-test", "_spec", ".spec", "-spec"} {
		base = strings.TrimSuffix(base, affix)
	}
	return path.Dir(p) + "/" + strings.TrimPrefix(base, "test_")
}
