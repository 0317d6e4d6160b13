package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/codekg/kg/report"
)

// When says when a comment is made.
type When string

// The values of When. A comment that stands is kept up to date whatever the
// value is, but for Never.
const (
	Always   When = "always"
	OnImpact When = "on-impact" // only if there is something to say
	Never    When = "never"
)

// Post is a report for a pull request.
type Post struct {
	Repo    Repo
	Pull    int
	Head    string // the commit that the report is about
	Report  *report.Report
	ID      string // of the comment
	Author  string // login of the account that writes; empty: found out
	When    When
	Run     int64  // id of the CI run; a later run's comment stays
	Server  string // address of the web pages; for links
	RunLink string // address of the run, or empty
}

// Outcome says what was done with a comment.
type Outcome struct {
	Did     string // created, updated, unchanged, skipped
	Why     string // of skipped, for people
	Address string // of the comment
	Removed int    // duplicates
	Body    string // as it stands; empty if skipped
}

// maxComments bounds the comments that are looked through. Longer
// conversations have a comment of kg near their begin.
const maxComments = 3000

// Comment keeps the comment of a pull request up to date. It writes nothing if
// the head of the pull request is not the commit that the report is about: then
// the run for the new head does.
func (c *Client) Comment(ctx context.Context, p Post) (*Outcome, error) {
	if !report.ValidID(p.ID) || !report.ValidCommit(p.Head) {
		return nil, fmt.Errorf("%q is no id of a comment, or %q no commit", p.ID, p.Head)
	}
	if p.When == Never {
		return &Outcome{Did: "skipped", Why: "comments are switched off"}, nil
	}
	mine, err := c.mine(ctx, &p)
	if err != nil {
		return nil, err
	}
	// As late as possible: pushes do not wait.
	pull, why, err := c.checkHead(ctx, &p)
	if err != nil || why != "" {
		return &Outcome{Did: "skipped", Why: why}, err
	}
	out := &Outcome{}
	body := report.Comment{ID: p.ID, Head: p.Head, Run: p.Run, Footer: footer(&p)}
	var old *github.IssueComment
	if len(mine) > 0 {
		old = mine[0]
		body.Before = report.ReadCommentState(old.GetBody(), p.ID)
		if b := body.Before; b != nil && b.Head == p.Head && b.Run > p.Run && p.Run > 0 {
			return &Outcome{Did: "skipped", Why: "a later run has written the comment", Address: old.GetHTMLURL()}, nil
		}
	} else if p.When != Always && p.Report.Quiet() {
		return &Outcome{Did: "skipped", Why: "there is nothing to say"}, nil
	}
	base, err := c.mergeBase(ctx, &p, pull)
	if err != nil {
		return nil, err
	}
	body.Link = links(&p, base)
	out.Body = p.Report.Body(body)
	for _, extra := range mine[min(1, len(mine)):] {
		if err := c.remove(ctx, &p, extra.GetID()); err != nil {
			return nil, err
		}
		out.Removed++
	}
	if old != nil {
		out.Address = old.GetHTMLURL()
		if report.BodyText(old.GetBody()) == report.BodyText(out.Body) {
			out.Did = "unchanged"
			return out, nil
		}
		edited, resp, err := c.gh.Issues.EditComment(ctx, p.Repo.Owner, p.Repo.Name, old.GetID(), &github.IssueComment{Body: &out.Body})
		if err == nil {
			out.Did, out.Address = "updated", edited.GetHTMLURL()
			return out, nil
		}
		if s := status(resp); s != http.StatusNotFound && s != http.StatusGone {
			return nil, failed("update the comment", resp, err)
		}
		// Somebody removed it meanwhile.
	}
	return out, c.create(ctx, &p, out)
}

// create writes a comment where none stands. Two runs may do so at the same
// time: whoever finds that its comment is not the first removes it, so that the
// first one stays, with what the last one says.
func (c *Client) create(ctx context.Context, p *Post, out *Outcome) error {
	made, resp, err := c.gh.Issues.CreateComment(ctx, p.Repo.Owner, p.Repo.Name, p.Pull, &github.IssueComment{Body: &out.Body})
	if err != nil && (resp == nil || status(resp) >= 500) {
		// It may have been made all the same.
		mine, listErr := c.mine(ctx, p)
		if listErr != nil {
			return failed("create the comment", resp, err)
		}
		if len(mine) > 0 {
			made, err = mine[0], nil
		} else {
			made, resp, err = c.gh.Issues.CreateComment(ctx, p.Repo.Owner, p.Repo.Name, p.Pull, &github.IssueComment{Body: &out.Body})
		}
	}
	if err != nil {
		return failed("create the comment", resp, err)
	}
	out.Did, out.Address = "created", made.GetHTMLURL()
	mine, err := c.mine(ctx, p)
	if err != nil || len(mine) < 2 {
		return nil // the comment stands; that there are two of them is not known
	}
	first := mine[0]
	if report.BodyText(first.GetBody()) != report.BodyText(out.Body) {
		if _, resp, err := c.gh.Issues.EditComment(ctx, p.Repo.Owner, p.Repo.Name, first.GetID(), &github.IssueComment{Body: &out.Body}); err != nil {
			return failed("update the comment", resp, err)
		}
	}
	out.Address = first.GetHTMLURL()
	for _, extra := range mine[1:] {
		if err := c.remove(ctx, p, extra.GetID()); err != nil {
			return err
		}
		out.Removed++
	}
	return nil
}

func (c *Client) remove(ctx context.Context, p *Post, id int64) error {
	resp, err := c.gh.Issues.DeleteComment(ctx, p.Repo.Owner, p.Repo.Name, id)
	if s := status(resp); s == http.StatusNotFound || s == http.StatusGone {
		return nil
	}
	return failed("remove a comment that stands twice", resp, err)
}

// checkHead asks for the pull request, and says why not to write, if so.
func (c *Client) checkHead(ctx context.Context, p *Post) (pull *github.PullRequest, why string, err error) {
	pull, resp, err := c.gh.PullRequests.Get(ctx, p.Repo.Owner, p.Repo.Name, p.Pull)
	if err != nil {
		return nil, "", failed("read the pull request", resp, err)
	}
	if head := pull.GetHead().GetSHA(); head != p.Head && pull.GetMergeCommitSHA() != p.Head {
		return nil, "the head of the pull request is " + short(head) + " now, and the report is about " + short(p.Head), nil
	}
	return pull, "", nil
}

// mergeBase asks for the commit that links into the base lead to, if the report
// has places there. The report's own word for it does not count.
func (c *Client) mergeBase(ctx context.Context, p *Post, pull *github.PullRequest) (string, error) {
	r := p.Report
	if !slices.ContainsFunc(r.Changes, func(x report.Change) bool { return x.Change == "removed" }) &&
		!slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.InBase }) {
		return "", nil
	}
	diff, resp, err := c.gh.Repositories.CompareCommits(ctx, p.Repo.Owner, p.Repo.Name, pull.GetBase().GetSHA(), pull.GetHead().GetSHA(), &github.ListOptions{PerPage: 1})
	if s := status(resp); err != nil && s != 0 && s < 500 {
		return "", nil // there is no common ancestor, or it may not be read: no links
	}
	if err != nil {
		return "", failed("find the merge base", resp, err)
	}
	return diff.GetMergeBaseCommit().GetSHA(), nil
}

// mine returns the comments with the marker that this account wrote, the oldest
// first. What others quote is left alone.
func (c *Client) mine(ctx context.Context, p *Post) (mine []*github.IssueComment, err error) {
	opt := &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}}
	for seen := 0; seen < maxComments; {
		page, resp, err := c.gh.Issues.ListComments(ctx, p.Repo.Owner, p.Repo.Name, p.Pull, opt)
		if err != nil {
			return nil, failed("list the comments", resp, err)
		}
		for _, x := range page {
			if !report.Marked(x.GetBody(), p.ID) {
				continue
			}
			if p.Author == "" {
				if p.Author, err = c.author(ctx); err != nil {
					return nil, err
				}
			}
			if strings.EqualFold(x.GetUser().GetLogin(), p.Author) {
				mine = append(mine, x)
			}
		}
		seen += len(page)
		if resp.NextPage == 0 || len(page) == 0 {
			break
		}
		opt.Page = resp.NextPage
	}
	slices.SortFunc(mine, func(x, y *github.IssueComment) int { return cmp.Compare(x.GetID(), y.GetID()) })
	return mine, nil
}

// botLogin writes what a run's own token writes.
const botLogin = "github-actions[bot]"

// author returns the login that the token writes with. Tokens of runs may not
// ask for it.
func (c *Client) author(ctx context.Context) (string, error) {
	if strings.HasPrefix(c.token, "ghs_") {
		return botLogin, nil
	}
	me, resp, err := c.gh.Users.Get(ctx, "")
	if s := status(resp); s == http.StatusForbidden || s == http.StatusUnauthorized {
		return botLogin, nil
	}
	if err != nil {
		return "", failed("find out who writes", resp, err)
	}
	return me.GetLogin(), nil
}

// links returns the addresses of lines in the repository: of the head that was
// checked, or of the merge base that the server named.
func links(p *Post, base string) func(file string, line int32, head bool) string {
	server, err := url.Parse(p.Server)
	if err != nil || server.Host == "" || server.Scheme != "https" && server.Scheme != "http" {
		return nil
	}
	return func(file string, line int32, head bool) string {
		commit := p.Head
		if !head {
			commit = base
		}
		if !report.ValidCommit(commit) || file == "" {
			return ""
		}
		segments := strings.Split(file, "/")
		for i, s := range segments {
			if s == "" || s == "." || s == ".." {
				return "" // no path of a tree
			}
			segments[i] = url.PathEscape(s)
		}
		to := strings.TrimSuffix(p.Server, "/") + "/" + p.Repo.String() + "/blob/" + commit + "/" + strings.Join(segments, "/")
		if line > 0 {
			to += fmt.Sprintf("#L%d", line)
		}
		return to
	}
}

func footer(p *Post) string {
	s := "kg"
	if v := p.Report.Tool.Version; v != "" && len(v) < 40 && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz0123456789.-+") == "" && strings.Trim(v, "0123456789abcdef") != "" {
		s += " `" + v + "`"
	}
	if strings.HasPrefix(p.RunLink, "https://") && !strings.ContainsAny(p.RunLink, " ()<>\"'`\n") {
		s += ", [the whole report](" + p.RunLink + ")"
	}
	return s
}

func short(id string) string { return id[:min(12, len(id))] }

// IsForbidden reports whether an error says that rights are missing.
func IsForbidden(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Forbidden()
}
