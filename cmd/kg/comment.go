package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/report"
	"github.com/codekg/kg/report/github"
)

// publishTime bounds how long kg tries to publish.
const publishTime = 4 * time.Minute

// reportArtifact is the name that the run of a fork stores its report under,
// and what is in it.
const (
	reportArtifact  = "kg-report"
	reportFile      = "report.json"
	pullFile        = "pull.txt"
	maxReportUpload = 20 << 20
	maxReportFile   = 64 << 20
)

// commentFlags are the flags of kg comment.
type commentFlags struct {
	from     string
	run      int64
	repo     string
	pull     int
	head     string
	id       string
	author   string
	when     string
	checkRun bool
	dryRun   bool
	require  bool
}

var commentTimes = []string{string(github.Always), string(github.OnImpact), string(github.Never)}

func (a *app) commentCommand() *cobra.Command {
	var f commentFlags
	cmd := &cobra.Command{
		Use:   "comment",
		Short: "Keep a comment on a pull request of GitHub up to date",
		Long: `Keep one comment on a pull request of GitHub up to date with a report that
"kg impact -o json=FILE" wrote. The comment is found by its marker and its author,
and edited in place; nothing is sent if it says the same. It is not written if the
head of the pull request has moved on, and not made if there is nothing to say.

The token is $GITHUB_TOKEN; it needs the right "pull-requests: write". What else is
not given comes from the environment of GitHub Actions.

With --run the report is the artifact "` + reportArtifact + `" of that run, which a fork may have
made. It is taken for what anybody could have written: it must obey the schema of
reports and be about --head, which must be the head of the pull request; links lead
to that head.

A comment that cannot be written is a warning, unless --require is given.`,
		Example: `  kg impact --base origin/main --head HEAD -o json=report.json
  kg comment --from report.json --pr 12
  kg comment --from report.json --dry-run`,
		Args: arguments(0, 0),
		RunE: runs(func(cmd *cobra.Command, _ []string) error { return a.comment(cmd.Context(), &f) }),
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.from, "from", "", "the report, a `FILE` of kg impact -o json")
	fs.Int64Var(&f.run, "run", 0, "take the report from the artifacts of the run `ID`")
	fs.StringVar(&f.repo, "repo", "", "`OWNER/NAME` (default: $GITHUB_REPOSITORY)")
	fs.IntVar(&f.pull, "pr", 0, "`NUMBER` of the pull request (default: the one that the run is for)")
	fs.StringVar(&f.head, "head", "", "`COMMIT` that the report must be about (default: the report's own, not with --run)")
	fs.StringVar(&f.id, "id", "default", "`NAME` of the comment, where a pull request has several")
	fs.StringVar(&f.when, "when", string(github.OnImpact), "make a comment `WHEN`: "+strings.Join(commentTimes, ", "))
	fs.StringVar(&f.author, "author", "", "`LOGIN` of the account that writes (default: found out)")
	fs.BoolVar(&f.checkRun, "check-run", false, "make a check run, too; needs the right checks: write")
	fs.BoolVar(&f.dryRun, "dry-run", false, "write the comment to standard output instead, without any request")
	fs.BoolVar(&f.require, "require", false, "fail if the comment cannot be written")
	complete(cmd, "when", commentTimes...)
	return cmd
}

func (f *commentFlags) check() error {
	switch {
	case (f.from == "") == (f.run == 0):
		return usage("name the report with --from FILE or --run ID")
	case f.run < 0 || f.pull < 0:
		return usage("--run and --pr are positive numbers")
	case f.run != 0 && !report.ValidCommit(f.head):
		return usage("--run needs --head COMMIT, in full: what a run says about itself does not count")
	case f.run != 0 && f.dryRun:
		return usage("--dry-run needs --from FILE: it makes no requests")
	case f.head != "" && !report.ValidCommit(f.head):
		return usage("--head is the full name of a commit")
	case !report.ValidID(f.id):
		return usage("--id has up to 60 letters, digits, dots, - and _")
	}
	for _, w := range commentTimes {
		if f.when == w {
			return nil
		}
	}
	return usagef("--when is one of %s, not %s", strings.Join(commentTimes, ", "), quote(f.when))
}

func (a *app) comment(ctx context.Context, f *commentFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, publishTime)
	defer cancel()
	var rep *report.Report
	var err error
	if f.from != "" {
		if rep, err = readReport(f.from); err != nil {
			return err
		}
	}
	if f.dryRun {
		return a.write(ctx, stdoutPath, func(w io.Writer) error {
			head := f.head
			if head == "" {
				head = rep.Head.Commit
			}
			if !report.ValidCommit(head) {
				head = strings.Repeat("0", 40)
			}
			_, err := io.WriteString(w, rep.Body(report.Comment{ID: f.id, Head: head}))
			return err
		})
	}
	repo, err := a.githubRepo(f.repo)
	if err != nil {
		return err
	}
	client, err := a.githubClient()
	if err != nil {
		return err
	}
	if f.run != 0 {
		err := a.fetchReport(ctx, client, repo, f, &rep)
		if err != nil || rep == nil {
			return a.unpublished(err, f.require)
		}
	}
	if f.pull == 0 {
		f.pull = a.pullNumber()
	}
	if f.pull == 0 {
		return &failure{text: "this run is for no pull request", hint: "name one with --pr NUMBER"}
	}
	if f.head == "" {
		f.head = rep.Head.Commit
	}
	switch {
	case !report.ValidCommit(f.head):
		return &failure{text: "the report is not about a commit", hint: "make it with `kg impact --head COMMIT`"}
	case rep.Head.Commit != f.head:
		return &failure{text: "the report is about " + quote(rep.Head.Commit) + ", not about the commit " + f.head}
	}
	p := github.Post{Repo: repo, Pull: f.pull, Head: f.head, Report: rep, ID: f.id, Author: f.author, When: github.When(f.when), Server: a.githubServer()}
	p.Run, _ = strconv.ParseInt(a.getenv("GITHUB_RUN_ID"), 10, 64)
	if id := max(f.run, p.Run); id > 0 {
		p.RunLink = p.Server + "/" + repo.String() + "/actions/runs/" + strconv.FormatInt(id, 10)
		if f.run > 0 {
			p.RunLink = p.Server + "/" + repo.String() + "/actions/runs/" + strconv.FormatInt(f.run, 10)
		}
	}
	out, err := client.Comment(ctx, p)
	if err != nil {
		return a.unpublished(err, f.require)
	}
	switch {
	case out.Did == "skipped":
		a.note("no comment: %s", out.Why)
	default:
		a.note("comment %s: %s (%s)", out.Did, out.Address, plural(client.Requests(), "request"))
	}
	if f.checkRun {
		address, err := client.Check(ctx, repo, f.head, github.Name(f.id), rep, nil)
		if err != nil {
			return a.unpublished(err, f.require)
		}
		a.note("check run: %s", address)
	}
	return nil
}

// unpublished tells that something could not be published. The report stands all
// the same, so that it is a warning unless publishing is required.
func (a *app) unpublished(err error, required bool) error {
	if err == nil {
		return nil
	}
	f := &failure{text: err.Error()}
	if github.IsForbidden(err) {
		f.hint = "the token may not do that; runs for forks have no right to write, see the workflow in two steps"
	}
	if required {
		return f
	}
	a.message("warning: "+f.text, f.hint)
	return nil
}

func readReport(path string) (*report.Report, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &failure{text: "cannot read " + quote(path), err: plain(err)}
	}
	defer file.Close()
	rep, err := report.Read(file)
	if err != nil {
		return nil, &failure{text: "cannot read " + quote(path), err: err}
	}
	return rep, nil
}

var pullNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{0,9}$`) })

// fetchReport takes the report, and the number of the pull request, from a run.
// Neither is trusted: the number is held against the head by who writes the
// comment. A run without a report has nothing to say, which is no error.
func (a *app) fetchReport(ctx context.Context, c *github.Client, repo github.Repo, f *commentFlags, rep **report.Report) error {
	files, why, err := c.RunArtifact(ctx, f.run, github.Want{Repo: repo, Name: reportArtifact, MaxBytes: maxReportUpload,
		Files: []string{reportFile, pullFile}, MaxFile: maxReportFile})
	if err != nil {
		return err
	}
	if why != "" {
		a.note("no comment: %s", why)
		return nil
	}
	if f.pull == 0 {
		number := strings.TrimSpace(string(files[pullFile]))
		if !pullNumber().MatchString(number) {
			return errors.New("the run names no pull request")
		}
		if f.pull, err = strconv.Atoi(number); err != nil {
			return errors.New("the run names no pull request")
		}
	}
	r, err := report.Read(bytes.NewReader(files[reportFile]))
	if err != nil {
		return err
	}
	*rep = r
	return nil
}

// githubClient returns a client for the server that the environment names.
func (a *app) githubClient() (*github.Client, error) {
	token := a.getenv("GITHUB_TOKEN")
	if token == "" {
		return nil, &failure{text: "there is no token in GITHUB_TOKEN", hint: "in a workflow: env: GITHUB_TOKEN: ${{ github.token }}"}
	}
	c, err := github.New(github.Options{API: a.getenv("GITHUB_API_URL"), Token: token, Agent: "kg"})
	if err != nil {
		return nil, &failure{text: "GITHUB_API_URL: " + err.Error()}
	}
	return c, nil
}

func (a *app) githubRepo(name string) (github.Repo, error) {
	if name == "" {
		name = a.getenv("GITHUB_REPOSITORY")
	}
	repo, err := github.ParseRepo(name)
	if err != nil {
		return repo, &failure{text: err.Error(), hint: "name it with --repo OWNER/NAME"}
	}
	return repo, nil
}

func (a *app) githubServer() string {
	if s := strings.TrimSuffix(a.getenv("GITHUB_SERVER_URL"), "/"); strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://") {
		return s
	}
	return "https://github.com"
}

// pullNumber returns the number of the pull request that a run is for, or 0.
func (a *app) pullNumber() int {
	var event struct {
		PullRequest struct{ Number int } `json:"pull_request"`
	}
	if path := a.getenv("GITHUB_EVENT_PATH"); path != "" {
		if data, err := readSmall(path); err == nil {
			_ = json.Unmarshal(data, &event)
		}
	}
	return max(event.PullRequest.Number, 0)
}
