package gosrc

import "testing"

func TestApply(t *testing.T) {
	src := []byte("package p\nfunc f() { f() }\n")
	got := Apply(src, []Edit{{Start: 21, End: 22, Text: "g"}, {Start: 15, End: 16, Text: "g"}, {Start: 15, End: 17, Text: "h"}})
	if string(got) != "package p\nfunc g() { g() }\n" {
		t.Errorf("got %q", got)
	}
	if want := "package p\nfunc f() { f() }\n"; string(src) != want {
		t.Errorf("the source is %q now", src)
	}
}
