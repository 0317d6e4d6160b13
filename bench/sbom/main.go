// Command sbom writes what a Go program is made of as a bill of materials, in
// CycloneDX 1.5: the modules that the linker put in, with their versions and the
// digests that go.sum holds, as the program itself tells them. It needs no network,
// and the same program gives the same bytes.
//
//	go run ./bench/sbom dist/kg >dist/kg.cdx.json
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: sbom PROGRAM")
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(bill(info))
}

// document is the part of CycloneDX that is used; see https://cyclonedx.org.
type document struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Component  component  `json:"component"`
		Properties []property `json:"properties"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Purl    string `json:"purl"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func bill(info *buildinfo.BuildInfo) *document {
	d := &document{Format: "CycloneDX", Spec: "1.5", Version: 1, Components: []component{}}
	d.Metadata.Component = module("application", &info.Main)
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS", "GOARCH", "CGO_ENABLED", "vcs.revision", "vcs.modified":
			d.Metadata.Properties = append(d.Metadata.Properties, property{"go:" + s.Key, s.Value})
		}
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		d.Components = append(d.Components, module("library", m))
	}
	// The standard library is linked in as well.
	d.Components = append(d.Components, module("library", &debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}))
	return d
}

// module names a module as package URLs do.
func module(kind string, m *debug.Module) component {
	var path []string
	for part := range strings.SplitSeq(m.Path, "/") {
		path = append(path, url.PathEscape(part))
	}
	c := component{Type: kind, Name: m.Path, Version: m.Version, Purl: "pkg:golang/" + strings.Join(path, "/")}
	if m.Version != "" {
		c.Purl += "@" + strings.ReplaceAll(url.PathEscape(m.Version), "+", "%2B")
	}
	c.Ref = c.Purl
	// The digest of the tree of the module's files, as in go.sum.
	if text, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
			c.Hashes = []hash{{"SHA-256", hex.EncodeToString(raw)}}
		}
	}
	return c
}
