package change

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/codekg/kg/analyzer/source"
)

func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "d", "f"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	below, err := source.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer below.Close()
	o := Overlay(below, map[string][]byte{"a": []byte("new"), "c": nil, "d": nil, "f": []byte("other"), "g": []byte("last")})
	got := ""
	for i, e := range o.Entries() {
		data, err := o.Read(i, -1)
		if err != nil {
			t.Fatal(err)
		}
		got += e.Path + "=" + string(data) + " "
	}
	if want := "a=new b=b f=other g=last "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// git hash-object of "new".
	if id := o.Entries()[0].ID; id != "3e5126c4e761fd09582fc517918a1601b218dff0" {
		t.Errorf("id %q", id)
	}
}
