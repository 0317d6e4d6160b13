package github

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/go-github/v60/github"

	"github.com/codekg/kg/report"
)

// Limits of check runs.
const (
	annotationsPerRequest = 50
	maxCheckText          = 65535 // characters of a summary
	maxCheckAnnotations   = 200
)

// Check makes a check run of a report. Check runs land in whatever suite the
// server takes, so the name should tell them apart.
func (c *Client) Check(ctx context.Context, repo Repo, head, name string, r *report.Report, link func(file string, line int32, head bool) string) (address string, err error) {
	conclusion := "neutral"
	if g := r.Gate; g != nil && len(g.FailOn) > 0 {
		conclusion = "success"
		if g.Hits > 0 || g.Lost {
			conclusion = "failure"
		}
	}
	var summary bytes.Buffer
	f, err := report.FormatNamed("md")
	if err != nil {
		return "", err
	}
	if err := f.Impact(&summary, r, report.Options{Link: link, Bytes: maxCheckText}); err != nil {
		return "", err
	}
	title := cut(report.Escape(r.Verdict()), 250)
	text := summary.String()
	notes := annotations(r)
	output := func(n []*github.CheckRunAnnotation) *github.CheckRunOutput {
		return &github.CheckRunOutput{Title: &title, Summary: &text, Annotations: n}
	}
	first := notes[:min(len(notes), annotationsPerRequest)]
	status := "completed"
	run, resp, err := c.gh.Checks.CreateCheckRun(ctx, repo.Owner, repo.Name, github.CreateCheckRunOptions{
		Name: name, HeadSHA: head, Status: &status, Conclusion: &conclusion, Output: output(first)})
	if err != nil {
		return "", failed("make the check run", resp, err)
	}
	for rest := notes[len(first):]; len(rest) > 0; {
		part := rest[:min(len(rest), annotationsPerRequest)]
		rest = rest[len(part):]
		if _, resp, err := c.gh.Checks.UpdateCheckRun(ctx, repo.Owner, repo.Name, run.GetID(), github.UpdateCheckRunOptions{Name: name, Output: output(part)}); err != nil {
			return run.GetHTMLURL(), failed("add to the check run", resp, err)
		}
	}
	return run.GetHTMLURL(), nil
}

func annotations(r *report.Report) (out []*github.CheckRunAnnotation) {
	levels := map[string]string{"error": "failure", "warning": "warning", "note": "notice"}
	for _, f := range r.Open() {
		file, line, ok := f.ShownAt()
		if !ok || len(out) == maxCheckAnnotations {
			continue
		}
		at, level, title, message := int(line), levels[f.Level], "kg: "+f.Rule, cut(report.Escape(f.Said()), 2000)
		out = append(out, &github.CheckRunAnnotation{Path: &file, StartLine: &at, EndLine: &at, AnnotationLevel: &level, Title: &title, Message: &message})
	}
	return out
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Name makes the name of a check run of an id.
func Name(id string) string { return fmt.Sprintf("kg impact (%s)", strings.ToLower(id)) }
