package python

import (
	"testing"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/lang/langtest"
	"github.com/codekg/kg/analyzer/syntax"
)

func TestExtractAnything(t *testing.T) { langtest.Anything(t, Language) }

func FuzzExtract(f *testing.F) { langtest.Fuzz(f, Language) }

// TestClassBodies checks that members, texts that document them and pass are no
// part of a class's own body, and other statements are.
func TestClassBodies(t *testing.T) {
	p := syntax.NewParser()
	defer p.Close()
	var b facts.Builder
	body := func(src string) [16]byte {
		tree, err := p.Parse(grammar(), []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return Extract(tree, &b).Decls[0].Body
	}
	plain := body("class A(B):\n    def f(self): pass\n")
	for _, same := range []string{
		"class A(B):\n    \"\"\"Doc.\"\"\"\n    x = 1\n    \"\"\"What x is.\"\"\"\n    y: int\n    def f(self): pass\n",
		"class A(B):\n    pass\n",
		"class A(B):\n    x = {}  # type: Dict[str, int]\n    def f(self): pass\n",
	} {
		if body(same) != plain {
			t.Errorf("another body:\n%s", same)
		}
	}
	if body("class A(B):\n    register(A)\n    def f(self): pass\n") == plain {
		t.Error("a call is left out")
	}
	if body("x = {}  # type: Dict[str, int]\n") == body("x = {}  # type: Dict[str, str]\n") {
		t.Error("the type behind a variable is left out")
	}
}
