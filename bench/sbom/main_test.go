package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"runtime/debug"
	"testing"
)

func TestBill(t *testing.T) {
	info := &buildinfo.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "example.com/kg", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "example.com/a b/v2", Version: "v2.0.0+incompatible", Sum: "h1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
			{Path: "example.com/old", Replace: &debug.Module{Path: "example.com/new", Version: "v0.1.0"}},
		},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "-ldflags", Value: "x"}}}
	d := bill(info)
	if m := &d.Metadata; m.Component.Purl != "pkg:golang/example.com/kg@v1.2.3" || len(m.Properties) != 1 {
		t.Errorf("got %+v", m)
	}
	c := d.Components
	if len(c) != 3 || c[1].Name != "example.com/new" || c[2].Purl != "pkg:golang/std@1.26.0" {
		t.Fatalf("got %+v", c)
	}
	if c[0].Purl != "pkg:golang/example.com/a%20b/v2@v2.0.0%2Bincompatible" ||
		c[0].Hashes[0].Content != "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" {
		t.Errorf("got %+v", c[0])
	}
}

// TestSelf: of this very program.
func TestSelf(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := run([]string{self}, &a); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{self}, &b); err != nil || a.String() != b.String() {
		t.Errorf("%v: two runs differ", err)
	}
	var d document
	if err := json.Unmarshal(a.Bytes(), &d); err != nil || d.Format != "CycloneDX" || len(d.Components) == 0 {
		t.Errorf("%v:\n%s", err, a.String())
	}
	if run([]string{os.Args[0] + ".none"}, &a) == nil || run(nil, &a) == nil {
		t.Error("no error")
	}
}
