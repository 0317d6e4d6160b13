package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A comment on a pull request is the Markdown report between a marker, by which
// the next run finds it, and a footer:
//
//	<!-- kg:impact id=ID v=1 head=SHA run=RUN -->
//	<!-- kg:state BASE64 -->
//	the report
//	since the last push …
//
// The marker holds nothing that a change can name: an id that is checked, a
// digest and a number. The state is what the next run says changed.

// maxComment is the longest comment that GitHub takes, in characters. Counted
// in bytes a comment is never shorter.
const maxComment = 65536

// Comment is what a comment is made of.
type Comment struct {
	ID   string // of the comment, where a change has several: letters, digits, - and _
	Head string // the commit that was checked to be the head of the change
	Run  int64  // of the CI system; 0: none
	// Before is the comment that stands there, or nil.
	Before *CommentState
	Link   func(file string, line int32, head bool) string
	Footer string // a line of plain words and links, of ours alone
}

// CommentState is what a comment tells the run after it.
type CommentState struct {
	Head string
	Run  int64
	// Counts of the report it shows, and of the one before of another head.
	Now  CommentCounts
	Prev *CommentCounts
}

// CommentCounts are what is compared from push to push.
type CommentCounts struct {
	Head     string   `json:"h,omitempty"`
	Broken   int      `json:"b,omitempty"`
	Must     int      `json:"m,omitempty"`
	Review   int      `json:"r,omitempty"`
	May      int      `json:"a,omitempty"`
	Tests    int      `json:"t,omitempty"`
	Findings []string `json:"f,omitempty"` // begins of fingerprints
}

// maxStateFindings bounds the findings that a state remembers.
const maxStateFindings = 100

// ValidID reports whether a comment can have the given id.
func ValidID(id string) bool {
	return id != "" && len(id) <= 60 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == ""
}

func markerPrefix(id string) string { return "<!-- kg:impact id=" + id + " " }

// Marked reports whether a text is a comment with the given id.
func Marked(text, id string) bool { return strings.HasPrefix(text, markerPrefix(id)) }

// ReadCommentState reads the state of a comment that kg wrote. What it cannot
// read it leaves out.
func ReadCommentState(text, id string) *CommentState {
	rest, ok := strings.CutPrefix(text, markerPrefix(id))
	if !ok {
		return nil
	}
	s := &CommentState{}
	marker, rest, _ := strings.Cut(rest, "\n")
	fmt.Sscanf(marker, "v=1 head=%40s run=%d -->", &s.Head, &s.Run)
	if !ValidCommit(s.Head) {
		s.Head = ""
	}
	line, _, _ := strings.Cut(rest, "\n")
	line, ok = strings.CutPrefix(strings.TrimSpace(line), "<!-- kg:state ")
	if line, ok2 := strings.CutSuffix(line, " -->"); ok && ok2 && len(line) < 1<<15 {
		if data, err := base64.RawURLEncoding.DecodeString(line); err == nil {
			var both [2]*CommentCounts
			if json.Unmarshal(data, &both) == nil && both[0] != nil {
				s.Now, s.Prev = *both[0], both[1]
			}
		}
	}
	return s
}

// ValidCommit reports whether s is the full name of a commit.
func ValidCommit(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Quiet reports whether a report has nothing to say that a comment is worth: it
// reaches nothing, no finding is more than a note, and the gate lets it pass.
// That some files are not analysed is no news.
func (r *Report) Quiet() bool {
	return r.Stats.Totals.Impacted == 0 && (r.Gate == nil || r.Gate.Hits == 0 && !r.Gate.Lost) &&
		!slices.ContainsFunc(r.Open(), func(f Finding) bool { return f.Level != "note" || f.Rule == "silenced" })
}

func (r *Report) counts(head string) CommentCounts {
	t := &r.Stats.Totals
	c := CommentCounts{Head: head, Broken: t.Broken, Must: t.MustUpdate, Review: t.ShouldReview, May: t.MayBeAffected, Tests: len(r.Tests.Tests)}
	for _, f := range r.Open() {
		if f.Level != "note" && len(c.Findings) < maxStateFindings {
			c.Findings = append(c.Findings, f.Fingerprint[:min(8, len(f.Fingerprint))])
		}
	}
	return c
}

// Body writes a comment. A quiet report, which is only asked for where a comment
// stands already, takes one line.
func (r *Report) Body(c Comment) string {
	now := r.counts(c.Head)
	var prev *CommentCounts
	if b := c.Before; b != nil {
		prev = &b.Now
		if b.Now.Head == c.Head {
			prev = b.Prev // a second run for the same head
		}
	}
	state, _ := json.Marshal([2]*CommentCounts{&now, prev})
	marker := fmt.Sprintf("%sv=1 head=%s run=%d -->\n<!-- kg:state %s -->\n", markerPrefix(c.ID), c.Head, c.Run, base64.RawURLEncoding.EncodeToString(state))
	end := ""
	if line := since(prev, &now); line != "" {
		end += "\n" + line + "\n"
	}
	if c.Footer != "" {
		end += "\n<sub>" + c.Footer + "</sub>\n"
	}
	if r.Quiet() {
		return marker + "**No impact outside of the change** at `" + c.Head[:min(12, len(c.Head))] + "`.\n" + end
	}
	var b bytes.Buffer
	// Only a writer that fails gives an error.
	_ = writeMarkdown(&b, r, Options{Link: c.Link, Bytes: maxComment - len(marker) - len(end), Graph: true})
	return marker + b.String() + end
}

// BodyText returns what readers see of a comment: all but the marker and the
// state.
func BodyText(body string) string {
	for range 2 {
		if strings.HasPrefix(body, "<!-- kg:") {
			_, body, _ = strings.Cut(body, "\n")
		}
	}
	return strings.TrimRight(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
}

// since says what is different from the report of an earlier head.
func since(prev, now *CommentCounts) string {
	if prev == nil || prev.Head == "" || !ValidCommit(prev.Head) {
		return ""
	}
	var parts []string
	add := func(was, is int, what string) {
		if d := is - was; d != 0 {
			parts = append(parts, fmt.Sprintf("%+d %s", d, what))
		}
	}
	add(prev.Broken, now.Broken, "broken")
	add(prev.Must-prev.Broken, now.Must-now.Broken, "to update")
	add(prev.Review, now.Review, "to review")
	add(prev.May, now.May, "that may be affected")
	add(prev.Tests, now.Tests, "tests that reach a change")
	// Where some were not remembered, it cannot be told which came and went.
	known := len(prev.Findings) < maxStateFindings && len(now.Findings) < maxStateFindings
	fixed, came := 0, 0
	for _, f := range prev.Findings {
		if known && !slices.Contains(now.Findings, f) {
			fixed++
		}
	}
	for _, f := range now.Findings {
		if known && !slices.Contains(prev.Findings, f) {
			came++
		}
	}
	if came > 0 {
		parts = append(parts, count(came, "new finding"))
	}
	if fixed > 0 {
		parts = append(parts, count(fixed, "finding")+" fixed")
	}
	if len(parts) == 0 {
		return ""
	}
	return "Since `" + prev.Head[:12] + "`: " + strings.Join(parts, ", ") + "."
}
