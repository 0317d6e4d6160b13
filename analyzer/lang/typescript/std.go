package typescript

import (
	_ "embed"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// lib.kgs is what the declaration files of TypeScript say of the language's own
// library, and those in the folder known of others, made by surfacegen.
//
//go:generate go run ./surfacegen -o lib.kgs
//go:embed lib.kgs
var libArchive string

var lib = sync.OnceValue(func() *facts.Archive {
	if len(libArchive) == 0 {
		return facts.NewArchive()
	}
	a, err := facts.OpenLibrary(libArchive)
	if err != nil {
		panic("typescript: " + err.Error())
	}
	return a
})

// like are modules whose functions keep what those of another one do.
var like = map[string]string{
	"preact/hooks": "react", "preact/compat": "react", "preact": "react",
	"vue-demi": "vue", "@vue/reactivity": "vue", "@vue/runtime-core": "vue", "@vue/runtime-dom": "vue",
}

// libSurface returns the facts of the library, or of what is known of another.
func libSurface(path string) *facts.Group {
	if l, ok := like[path]; ok {
		path = l
	}
	return lib().Group(path)
}

// Surface returns what a declaration file declares.
func Surface(src []byte) (*facts.File, error) {
	p := syntax.NewParser()
	p.Limits.Bytes = max(p.Limits.Bytes, 16<<20)
	defer p.Close()
	t, err := p.Parse(plain().lang, src)
	if err != nil {
		return nil, err
	}
	var b facts.Builder
	f := Extract(t, &b)
	s := f.Surface(func(id facts.DeclID) bool { return true })
	return s, s.Check()
}
