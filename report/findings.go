package report

import (
	"slices"
	"strings"

	"github.com/codekg/kg/diff/rules"
)

// Judge adds to a report what the rules say of the change. diffLine, which may
// be nil, returns a line of the head that the change edited, for a place between
// lines of a file of the head or, if inBase, of the base; 0: there is none.
func (r *Report) Judge(res *rules.Result, from Configuration, diffLine func(file string, inBase bool, line, first, last int32) int32) {
	r.Gate = &Gate{FailOn: append([]string{}, res.Gate.FailOn...), Hits: res.Gate.Hits, Lost: res.Gate.Lost,
		Configuration: from, Notes: append([]string{}, res.Notes...)}
	for i := range res.Findings {
		f := &res.Findings[i]
		out := Finding{Rule: f.Rule.ID, Level: f.Level.String(), Message: f.Message, File: f.File, Line: f.Line, InBase: f.InBase,
			Total: f.Total, Fingerprint: f.Fingerprint, Stops: f.Stops}
		first, last := f.Line, f.Line
		if f.Symbol != nil {
			out.Symbol = f.Symbol.Key
			if f.Symbol.File == f.File && f.Symbol.Line == f.Line {
				first, last = f.Symbol.DefLine, f.Symbol.EndLine
			}
		}
		if diffLine != nil && f.File != "" {
			out.DiffLine = diffLine(f.File, f.InBase, f.Line, first, last)
		}
		if f.Waiver != nil {
			out.Waived = f.Waiver.Reason
		}
		for _, p := range f.Related {
			out.Related = append(out.Related, Related{newSymbol(p.Symbol), p.File, p.Line})
		}
		r.Findings = append(r.Findings, out)
	}
}

// Open returns the findings that nothing waives.
func (r *Report) Open() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Waived != "" })
}

// Stopped says in a sentence what the gate says; empty if there is no gate.
func (r *Report) Stopped() string {
	g := r.Gate
	if g == nil || len(g.FailOn) == 0 {
		return ""
	}
	on := strings.Join(g.FailOn, ", ")
	switch {
	case g.Lost:
		return "The gate (" + on + ") cannot be decided: files were lost to the analysis."
	case g.Hits > 0:
		return "The gate (" + on + ") stops this change: " + count(g.Hits, "finding") + "."
	}
	return "The gate (" + on + ") lets this change pass."
}

// gateLines say what the gate says, then what to know about its configuration.
// Without a gate the configuration decides nothing, and there are none.
func (r *Report) gateLines() []string {
	s := r.Stopped()
	if s == "" {
		return nil
	}
	lines := []string{s}
	if c := &r.Gate.Configuration; c.Edited {
		lines = append(lines, "this change edits "+c.File+", which counts once it is merged")
	}
	return append(lines, r.Gate.Notes...)
}

// listedFindings returns the findings that texts list, and says what of the
// others there is: uses that do not fit have a list of their own, and what is
// waived, and notes, are only counted.
func listedFindings(fs []Finding) (listed []Finding, left string) {
	waived, notes := 0, 0
	for _, f := range fs {
		switch {
		case f.Waived != "":
			waived++
		case f.Rule == "broken-use" || f.Rule == "removed-used" || f.Rule == "behaviour-change":
		case f.Level == "note" && f.Rule != "silenced":
			notes++
		default:
			listed = append(listed, f)
		}
	}
	var parts []string
	if waived > 0 {
		parts = append(parts, count(waived, "finding")+" "+verb(waived, "is", "are")+" waived")
	}
	if notes > 0 {
		parts = append(parts, count(notes, "note"))
	}
	return listed, strings.Join(parts, ", ")
}

// ShownAt returns where a finding is shown in the head: on a line that the
// change edited, if there is one, because platforms show others nowhere near
// the change; else at what is related to it.
func (f *Finding) ShownAt() (file string, line int32, ok bool) {
	switch {
	case f.File != "" && f.DiffLine > 0:
		return f.File, f.DiffLine, true
	case f.File != "" && !f.InBase:
		return f.File, max(f.Line, 1), true
	case len(f.Related) > 0:
		return f.Related[0].File, max(f.Related[0].Line, 1), true
	}
	return "", 0, false
}
