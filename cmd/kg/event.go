package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/report"
)

// eventCommand reads what scripts of CI would have to parse: values of the event
// of a run of GitHub Actions, and numbers of a report. It writes nothing but what
// has the form it should have: whoever opens a pull request chooses the names in
// its event.
func (a *app) eventCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "event VALUE [FILE]",
		Short:  "Write a value of the event that CI runs for, for scripts",
		Hidden: true,
		Long: `Write a value of the event in $GITHUB_EVENT_PATH, and nothing if it has none:
pull, base-branch, head, merge-base, merge-head, before. "kg event report FILE" writes
the numbers of a report as outputs of a step.`,
		Args: arguments(1, 2, "VALUE"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			return a.write(cmd.Context(), stdoutPath, func(w io.Writer) error {
				if args[0] == "report" && len(args) == 2 {
					rep, err := readReport(args[1])
					if err != nil {
						return err
					}
					return writeOutputs(w, rep)
				}
				if len(args) > 1 {
					return usage("only kg event report takes a file")
				}
				value, err := a.eventValue(args[0])
				if err == nil && value != "" {
					_, err = fmt.Fprintln(w, value)
				}
				return err
			})
		}),
	}
}

func (a *app) eventValue(name string) (string, error) {
	data, err := readSmall(a.getenv("GITHUB_EVENT_PATH"))
	if err != nil {
		return "", &failure{text: "cannot read the event in GITHUB_EVENT_PATH", err: plain(err)}
	}
	var e struct {
		PullRequest struct {
			Number int
			Base   struct{ Ref string }
			Head   struct{ SHA string }
		} `json:"pull_request"`
		MergeGroup struct {
			BaseSHA string `json:"base_sha"`
			HeadSHA string `json:"head_sha"`
		} `json:"merge_group"`
		Before string
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return "", &failure{text: "cannot read the event in GITHUB_EVENT_PATH", err: err}
	}
	commit := func(s string) string {
		if !report.ValidCommit(s) || strings.Trim(s, "0") == "" {
			return ""
		}
		return s
	}
	switch name {
	case "pull":
		if e.PullRequest.Number <= 0 {
			return "", nil
		}
		return fmt.Sprint(e.PullRequest.Number), nil
	case "base-branch":
		if !branchName(e.PullRequest.Base.Ref) {
			return "", nil
		}
		return e.PullRequest.Base.Ref, nil
	case "head":
		return commit(e.PullRequest.Head.SHA), nil
	case "merge-base":
		return commit(e.MergeGroup.BaseSHA), nil
	case "merge-head":
		return commit(e.MergeGroup.HeadSHA), nil
	case "before":
		return commit(e.Before), nil
	}
	return "", usagef("there is no value %s", quote(name))
}

// branchName reports whether a name can be a branch's; see git check-ref-format.
func branchName(s string) bool {
	if s == "" || len(s) > 250 || strings.ContainsAny(s, " ~^:?*[\\\x7f") || strings.Contains(s, "..") || strings.Contains(s, "@{") ||
		strings.HasPrefix(s, "-") || strings.HasSuffix(s, ".") {
		return false
	}
	for _, r := range s {
		if r < 0x20 || report.Escape(string(r)) != string(r) {
			return false
		}
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

func writeOutputs(w io.Writer, r *report.Report) error {
	gate := "none"
	if g := r.Gate; g != nil && len(g.FailOn) > 0 {
		switch {
		case g.Lost:
			gate = "undecided"
		case g.Hits > 0:
			gate = "stopped"
		default:
			gate = "passed"
		}
	}
	base := r.Base.Commit
	if !report.ValidCommit(base) {
		base = ""
	}
	t := &r.Stats.Totals
	_, err := fmt.Fprintf(w, "tests-mode=%s\ntests=%d\nchanges=%d\nimpacted=%d\nbroken=%d\nfindings=%d\ngate=%s\nbase=%s\n",
		r.Tests.Mode, len(r.Tests.Tests), len(r.Changes), t.Impacted, t.Broken, len(r.Open()), gate, base)
	return err
}
