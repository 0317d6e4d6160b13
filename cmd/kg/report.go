package main

import (
	"context"
	"io"

	"github.com/codekg/kg/diff/impact"
	"github.com/codekg/kg/report"
)

// reportFormats are the formats that can write what the caller wants written.
func reportFormats(can func(report.Format) bool) []string {
	var names []string
	for _, f := range report.Formats() {
		if can(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

func writesImpact(f report.Format) bool { return f.Impact != nil }
func writesDelta(f report.Format) bool  { return f.Delta != nil }

// report makes the report of an impact, without findings.
func (c *comparison) report(r *impact.Result) *report.Report {
	rep := report.New(r, tool(), c.base.described(), c.head.described())
	c.leftOut(rep)
	var note string
	if rep.Owners, note = c.owners(r); note != "" {
		rep.Base.Notes = append(rep.Base.Notes, note)
	}
	return rep
}

func (a *app) writeImpact(ctx context.Context, c *comparison, rep *report.Report, list []output) error {
	return a.writeAll(ctx, list, func(f report.Format, w io.Writer) error {
		return f.Impact(w, rep, report.Options{Color: a.colored(), TestCommands: testCommands(c.head.graph)})
	})
}

func (a *app) reportDelta(ctx context.Context, c *comparison, list []output) error {
	rep := report.NewDelta(c.delta, tool(), c.base.described(), c.head.described())
	return a.writeAll(ctx, list, func(f report.Format, w io.Writer) error {
		return f.Delta(w, rep, report.Options{Color: a.colored()})
	})
}

// writeAll writes a report in each of the formats that were asked for.
func (a *app) writeAll(ctx context.Context, list []output, write func(report.Format, io.Writer) error) error {
	for _, o := range list {
		f, err := report.FormatNamed(o.format)
		if err != nil {
			return err
		}
		if err := a.write(ctx, o.path, func(w io.Writer) error { return write(f, w) }); err != nil {
			return err
		}
	}
	return nil
}

func tool() report.Tool { return report.Tool{Name: "kg", Version: readVersions().Version} }

// described names a side in a report. Only a revision is a commit; what is on
// disk may differ from the one it stands on.
func (s *side) described() report.Revision {
	r := report.Revision{Rev: s.name, Source: string(s.origin)}
	if s.origin == fromRevision {
		r.Commit = s.commit.ID
	}
	return r
}

func (b *base) described() report.Revision {
	r := b.side.described()
	r.How, r.Notes = b.how, b.notes
	return r
}
