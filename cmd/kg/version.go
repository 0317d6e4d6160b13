package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/lang/all"
)

// versions is what kg is and which files it understands.
type versions struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from a tree with changes on top of the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Schemas are the versions of the forms that kg reads and writes.
	Schemas map[string]string `json:"schemas"`
	// Languages are the versions of what is extracted from each language.
	Languages map[string]int `json:"languages"`
}

func readVersions() versions {
	v := versions{
		Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Schemas: map[string]string{
			"graph":  fmt.Sprintf("kg.graph/v%d", artifact.Version),
			"impact": "kg.impact/v1",
			"stats":  statsSchema,
		},
		Languages: map[string]int{},
	}
	for _, l := range all.Languages {
		v.Languages[l.Name] = l.Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func (a *app) versionCommand() *cobra.Command {
	var out *outputs
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Tell which kg this is and which files it understands",
		Example: `  kg version
  kg version -o json`,
		Args: arguments(0, 0),
		RunE: runs(func(cmd *cobra.Command, _ []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			v := readVersions()
			for _, o := range list {
				say := v.text
				if o.format == "json" {
					say = func(w io.Writer) error { return writeJSON(w, v) }
				}
				if err := a.write(cmd.Context(), o.path, say); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	out = outputFlag(cmd, "text", "json")
	return cmd
}

// line is the version and where it comes from.
func (v versions) line() string {
	commit := ""
	if v.Commit != "" {
		commit = ", commit " + v.Commit[:min(12, len(v.Commit))]
		if v.Modified {
			commit += " with changes"
		}
	}
	return fmt.Sprintf("kg %s%s\n", v.Version, commit)
}

func (v versions) text(w io.Writer) error {
	fmt.Fprintf(w, "%s%s %s\n", v.line(), v.Go, v.Platform)
	for _, name := range sortedKeys(v.Schemas) {
		fmt.Fprintf(w, "%s: %s\n", name, v.Schemas[name])
	}
	for _, name := range sortedKeys(v.Languages) {
		fmt.Fprintf(w, "language %s, version %d\n", name, v.Languages[name])
	}
	return nil
}

// writeJSON writes one value, indented, with a line feed at the end.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
