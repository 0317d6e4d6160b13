package main

import (
	"encoding/json"
	"strings"
)

// ciChange is what a CI system says about the change that it runs for.
type ciChange struct {
	// bases are names for the base, the best first. Not all of them need to
	// be in the clone.
	bases []ciBase
	// head is the commit that the author proposes, if it is known. CI systems
	// like to check out a merge of it into the base.
	head string
}

// ciBase is a revision, and where it was named.
type ciBase struct{ rev, from string }

// ciEnv is what a CI system is asked with: its variables, and files that they
// name.
type ciEnv struct {
	getenv   func(string) string
	readFile func(string) ([]byte, error)
}

// ciSystems are the CI systems that kg knows, with the function that finds the
// change that a run is for. It finds none where a run is for a branch.
var ciSystems = []struct {
	name   string
	change func(ciEnv) (ciChange, bool)
}{
	{"GitHub Actions", githubChange},
	{"GitLab CI", gitlabChange},
	{"Azure Pipelines", azureChange},
	{"Buildkite", buildkiteChange},
}

// findCIChange asks each system in turn.
func findCIChange(env ciEnv) (system string, c ciChange, ok bool) {
	for _, s := range ciSystems {
		if c, ok := s.change(env); ok {
			return s.name, c, true
		}
	}
	return "", ciChange{}, false
}

// githubChange prefers the tip of the base branch: the event's base.sha is the
// tip at the time of the event, and when the author merged the base branch
// since, a merge base with it blames the base branch's work on the author.
func githubChange(env ciEnv) (ciChange, bool) {
	if env.getenv("GITHUB_ACTIONS") != "true" {
		return ciChange{}, false
	}
	var event struct {
		PullRequest struct {
			Base struct{ SHA, Ref string }
			Head struct{ SHA string }
		} `json:"pull_request"`
		MergeGroup struct {
			BaseSHA string `json:"base_sha"`
		} `json:"merge_group"`
	}
	if path := env.getenv("GITHUB_EVENT_PATH"); path != "" {
		if data, err := env.readFile(path); err == nil {
			// An event that cannot be read leaves the variables.
			_ = json.Unmarshal(data, &event)
		}
	}
	c := ciChange{head: event.PullRequest.Head.SHA}
	if ref := env.getenv("GITHUB_BASE_REF"); ref != "" {
		c.add("origin/"+ref, "GITHUB_BASE_REF")
	} else {
		c.add(prefixed("origin/", event.PullRequest.Base.Ref), "pull_request.base.ref of GITHUB_EVENT_PATH")
	}
	c.add(event.PullRequest.Base.SHA, "pull_request.base.sha of GITHUB_EVENT_PATH")
	c.add(event.MergeGroup.BaseSHA, "merge_group.base_sha of GITHUB_EVENT_PATH")
	return c, len(c.bases) > 0
}

// gitlabChange: in pipelines for merged results HEAD is a merge into the tip of
// the target branch, which is then named; in others the merge base is.
func gitlabChange(env ciEnv) (ciChange, bool) {
	var c ciChange
	c.add(env.getenv("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"), "CI_MERGE_REQUEST_TARGET_BRANCH_SHA")
	c.add(env.getenv("CI_MERGE_REQUEST_DIFF_BASE_SHA"), "CI_MERGE_REQUEST_DIFF_BASE_SHA")
	c.head = env.getenv("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")
	return c, len(c.bases) > 0
}

func azureChange(env ciEnv) (ciChange, bool) {
	if env.getenv("BUILD_REASON") != "PullRequest" {
		return ciChange{}, false
	}
	c := ciChange{head: env.getenv("SYSTEM_PULLREQUEST_SOURCECOMMITID")}
	branch := strings.TrimPrefix(env.getenv("SYSTEM_PULLREQUEST_TARGETBRANCH"), "refs/heads/")
	c.add(prefixed("origin/", branch), "SYSTEM_PULLREQUEST_TARGETBRANCH")
	return c, len(c.bases) > 0
}

func buildkiteChange(env ciEnv) (ciChange, bool) {
	if pr := env.getenv("BUILDKITE_PULL_REQUEST"); pr == "" || pr == "false" {
		return ciChange{}, false
	}
	var c ciChange
	c.add(prefixed("origin/", env.getenv("BUILDKITE_PULL_REQUEST_BASE_BRANCH")), "BUILDKITE_PULL_REQUEST_BASE_BRANCH")
	return c, len(c.bases) > 0
}

func (c *ciChange) add(rev, from string) {
	if rev != "" {
		c.bases = append(c.bases, ciBase{rev, from})
	}
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
