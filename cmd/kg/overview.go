package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/query"
	"github.com/codekg/kg/analyzer/query/page"
	"github.com/codekg/kg/report"
)

func (a *app) overviewCommand() *cobra.Command {
	var g graphFlags
	var base string
	var out *outputs
	cmd := &cobra.Command{
		Use:   "overview",
		Short: "Tell the architecture: packages, layers, communities, hubs, entry points, routes",
		Long: `Tell the architecture of a tree: modules and packages with what depends on what,
layers, cycles, communities of declarations that use each other, hubs, entry
points, and routes with who handles and who requests them. With --diff it is what
differs from a base.

` + graphHelp,
		Example: `  kg overview
  kg overview -o mermaid=architecture.mmd -o json=architecture.json
  kg overview -o html=architecture.html
  kg overview --diff main`,
		Args: arguments(0, 0),
		RunE: runs(func(cmd *cobra.Command, _ []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			return a.overview(cmd.Context(), &g, base, list)
		}),
	}
	g.add(cmd)
	cmd.Flags().StringVar(&base, "diff", "", "tell only what differs from `REV`, a graph file or a folder")
	out = outputFlag(cmd, "text", "md", "json", "mermaid", "html")
	return cmd
}

func (a *app) overview(ctx context.Context, g *graphFlags, base string, list []output) error {
	s, err := a.openSession(ctx, g)
	if err != nil {
		return err
	}
	defer s.close()
	age := a.tellAge(s)
	o := s.index.Overview()
	var d *query.OverviewDiff
	if base != "" {
		b, err := s.repo.operand(base)
		if err != nil {
			return withText("cannot find the base", err)
		}
		defer b.close()
		if err := a.buildOne(ctx, b); err != nil {
			return err
		}
		d = o.Since(query.New(b.graph).Overview())
	}
	for _, out := range list {
		say := func(w io.Writer) error { return aged(w, age, func(w io.Writer) error { return overviewText(w, o) }) }
		switch {
		case (out.format == "mermaid" || out.format == "html") && d != nil:
			return &failure{text: "there is no picture of what differs", hint: "leave --diff out, or -o " + out.format, usage: true, err: errors.ErrUnsupported}
		case out.format == "mermaid":
			say = func(w io.Writer) error { return artifact.Mermaid(w, s.graph) }
		case out.format == "html":
			say = func(w io.Writer) error {
				return page.Write(w, s.index, page.Options{Title: s.title(), Note: s.fresh.String(), Escape: report.Escape})
			}
		case out.format == "json" && d != nil:
			say = func(w io.Writer) error { return writeJSON(w, toldDiff{d, age}) }
		case out.format == "json":
			say = func(w io.Writer) error { return writeJSON(w, toldOverview{o, age}) }
		case d != nil:
			say = func(w io.Writer) error {
				return aged(w, age, func(w io.Writer) error { return overviewDiffText(w, d, base) })
			}
		}
		if err := a.write(ctx, out.path, say); err != nil {
			return err
		}
	}
	return nil
}

// toldOverview is an overview with what is known of the age of a graph file.
type toldOverview struct {
	*query.Overview
	Freshness *freshness `json:"freshness,omitempty"`
}

// toldDiff is what differs, with the same.
type toldDiff struct {
	*query.OverviewDiff
	Freshness *freshness `json:"freshness,omitempty"`
}

// title names what a graph is of: its largest module.
func (s *session) title() string {
	title, most := filepath.Base(s.name), 0
	for _, m := range s.index.Overview().Modules {
		if m.Packages > most {
			title, most = m.Name, m.Packages
		}
	}
	return title
}

// overviewText is Markdown that reads well as it is. No line begins with what
// comes from the repository.
func overviewText(w io.Writer, o *query.Overview) error {
	var b strings.Builder
	esc := func(s string) string { return mdEscape(report.Escape(s)) }
	m := &o.Metrics
	fmt.Fprintf(&b, "# Architecture\n\n%s in %s: %s, %s between them, %s, %s. %s, %s, %s.\n",
		plural(m.Declarations, "declaration"), plural(m.Files, "file"), plural(m.Packages, "package"),
		plural(m.Dependencies, "dependency"), plural(m.Layers, "layer"), plural(m.Cycles, "cycle"),
		plural(m.Tests, "test"), plural(m.EntryPoints, "entry point"), plural(m.Unknowns, "unknown"))
	// Most names of packages begin alike: that is said once.
	short := func(name string) string { return esc(strings.TrimPrefix(name, o.Prefix)) }
	all := func(names []string) string {
		list := make([]string, len(names))
		for i, n := range names {
			list[i] = strings.TrimPrefix(n, o.Prefix)
		}
		return esc(strings.Join(list, ", "))
	}
	if o.Prefix != "" {
		fmt.Fprintf(&b, "\nNames of packages leave out %s at their beginning.\n", esc(o.Prefix))
	}
	section := func(title string, n int) bool {
		if n > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", title)
		}
		return n > 0
	}
	if section("Modules", len(o.Modules)) {
		for _, x := range o.Modules {
			fmt.Fprintf(&b, "- %s: %s\n", esc(x.Name), plural(x.Packages, "package"))
		}
	}
	if section("Layers, from what all rest on", len(o.Layers)) {
		for i, names := range o.Layers {
			fmt.Fprintf(&b, "%d. %s\n", i, all(names))
		}
	}
	if section("Packages", len(o.Packages)) {
		b.WriteString("| package | files | declarations | layer | uses | used by | instability |\n|---|---:|---:|---:|---:|---:|---:|\n")
		for _, p := range o.Packages {
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %.2f |\n", short(p.Name), p.Files, p.Declarations, p.Layer, p.Uses, p.UsedBy, p.Instability)
		}
	}
	if section("Cycles", len(o.Cycles)) {
		for _, c := range o.Cycles {
			fmt.Fprintf(&b, "- %s\n", all(c))
		}
	}
	if section(fmt.Sprintf("Communities, modularity %.2f", m.Modularity), len(o.Communities)) {
		for _, c := range o.Communities {
			fmt.Fprintf(&b, "- %s (%d, in %s): %s\n", esc(c.Name), c.Size, all(c.Packages), esc(strings.Join(c.Members, ", ")))
		}
		if n := m.Communities - len(o.Communities); n > 0 {
			fmt.Fprintf(&b, "- … %d more\n", n)
		}
	}
	if section("Hubs", len(o.Hubs)) {
		for _, h := range o.Hubs {
			fmt.Fprintf(&b, "- %s%s: used by %d, uses %d\n", esc(h.Symbol.Name), at(&h.Symbol), h.FanIn, h.FanOut)
		}
	}
	if section("Entry points", len(o.EntryPoints)) {
		for _, s := range o.EntryPoints {
			fmt.Fprintf(&b, "- %s%s\n", esc(s.Name), at(&s))
		}
		if n := m.EntryPoints - len(o.EntryPoints); n > 0 {
			fmt.Fprintf(&b, "- … %d more\n", n)
		}
	}
	if section("Routes", len(o.Routes)) {
		names := func(list []query.Symbol) string {
			var l []string
			for _, s := range list {
				l = append(l, s.Name)
			}
			return esc(strings.Join(l, ", "))
		}
		for _, r := range o.Routes {
			// That no request is known says nothing: most are made of strings.
			said := "its handler is not known"
			if len(r.Handlers) > 0 {
				said = "handled by " + names(r.Handlers)
			}
			if len(r.Callers) > 0 {
				by := "; requested by "
				if listens(r.Symbol.Name) {
					by = "; messages from "
				}
				said += by + names(r.Callers)
			}
			fmt.Fprintf(&b, "- %s: %s\n", esc(r.Symbol.Name), said)
		}
	}
	if section("Imported from outside", len(o.External)) {
		const most = 30
		for _, e := range o.External[:min(most, len(o.External))] {
			fmt.Fprintf(&b, "- %s: in %s\n", esc(e.Name), plural(e.Packages, "package"))
		}
		if n := len(o.External) - most; n > 0 {
			fmt.Fprintf(&b, "- … %d more\n", n)
		}
	}
	_, err := io.WriteString(w, strings.NewReplacer("dependencys", "dependencies").Replace(b.String()))
	return err
}

// mdEscape takes the meaning from what Markdown would read in a name.
func mdEscape(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`).Replace(s)
}

func overviewDiffText(w io.Writer, d *query.OverviewDiff, base string) error {
	var b strings.Builder
	esc := func(s string) string { return mdEscape(report.Escape(s)) }
	fmt.Fprintf(&b, "# What differs from %s\n", esc(base))
	before := b.Len()
	if len(d.Metrics) > 0 {
		b.WriteString("\n| metric | base | now |\n|---|---:|---:|\n")
		for _, m := range d.Metrics {
			fmt.Fprintf(&b, "| %s | %g | %g |\n", strings.ReplaceAll(m.Name, "_", " "), m.Base, m.Head)
		}
	}
	for _, x := range []struct {
		title string
		lists query.Lists
	}{{"Packages", d.Packages}, {"Dependencies", d.Dependencies}, {"Cycles", d.Cycles}, {"Entry points", d.EntryPoints},
		{"Routes", d.Routes}, {"Imported from outside", d.External}} {
		if len(x.lists.Added)+len(x.lists.Removed) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n", x.title)
		for _, s := range x.lists.Added {
			fmt.Fprintf(&b, "- new: %s\n", esc(s))
		}
		for _, s := range x.lists.Removed {
			fmt.Fprintf(&b, "- gone: %s\n", esc(s))
		}
	}
	if len(d.Layers) > 0 {
		b.WriteString("\n## Layers\n\n")
		for _, l := range d.Layers {
			fmt.Fprintf(&b, "- %s: from layer %d to %d\n", esc(l.Package), l.Base, l.Head)
		}
	}
	if len(d.Hubs) > 0 {
		b.WriteString("\n## Hubs\n\n")
		for _, h := range d.Hubs {
			fmt.Fprintf(&b, "- %s: used by %d, was %d\n", esc(h.Name), h.Head, h.Base)
		}
	}
	if b.Len() == before {
		b.WriteString("\nNothing.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// listens reports whether a route of that qualified name is one of messages.
func listens(name string) bool {
	head, _, ok := strings.Cut(name, " ")
	return ok && slices.Contains(facts.Brokers, head[strings.LastIndexByte(head, '.')+1:])
}
