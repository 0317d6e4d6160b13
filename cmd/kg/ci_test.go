package main

import (
	"errors"
	"reflect"
	"testing"
)

func TestCIChange(t *testing.T) {
	const event = `{"pull_request": {"base": {"sha": "b1", "ref": "release/1"}, "head": {"sha": "h1"}}}`
	for _, c := range []struct {
		name   string
		env    map[string]string
		event  string
		system string
		change ciChange
	}{
		{name: "none"},
		{
			name:   "GitHub, with everything",
			env:    map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main", "GITHUB_EVENT_PATH": "e"},
			event:  event,
			system: "GitHub Actions",
			change: ciChange{head: "h1", bases: []ciBase{
				{"origin/main", "GITHUB_BASE_REF"},
				{"b1", "pull_request.base.sha of GITHUB_EVENT_PATH"}}},
		},
		{
			name:   "GitHub, the event alone",
			env:    map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": "e"},
			event:  event,
			system: "GitHub Actions",
			change: ciChange{head: "h1", bases: []ciBase{
				{"origin/release/1", "pull_request.base.ref of GITHUB_EVENT_PATH"},
				{"b1", "pull_request.base.sha of GITHUB_EVENT_PATH"}}},
		},
		{
			name:   "GitHub, an event that is no JSON",
			env:    map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main", "GITHUB_EVENT_PATH": "e"},
			event:  "{",
			system: "GitHub Actions",
			change: ciChange{bases: []ciBase{{"origin/main", "GITHUB_BASE_REF"}}},
		},
		{
			name:   "GitHub, a merge queue",
			env:    map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": "e"},
			event:  `{"merge_group": {"base_sha": "b2"}}`,
			system: "GitHub Actions",
			change: ciChange{bases: []ciBase{{"b2", "merge_group.base_sha of GITHUB_EVENT_PATH"}}},
		},
		{
			name:  "GitHub, a push",
			env:   map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": "e"},
			event: `{"before": "b3"}`,
		},
		{
			name: "GitHub's variables elsewhere",
			env:  map[string]string{"GITHUB_BASE_REF": "main"},
		},
		{
			name:   "GitLab",
			env:    map[string]string{"CI_MERGE_REQUEST_DIFF_BASE_SHA": "b"},
			system: "GitLab CI",
			change: ciChange{bases: []ciBase{{"b", "CI_MERGE_REQUEST_DIFF_BASE_SHA"}}},
		},
		{
			name: "GitLab, merged results",
			env: map[string]string{"CI_MERGE_REQUEST_DIFF_BASE_SHA": "b", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "t",
				"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "s"},
			system: "GitLab CI",
			change: ciChange{head: "s", bases: []ciBase{
				{"t", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA"}, {"b", "CI_MERGE_REQUEST_DIFF_BASE_SHA"}}},
		},
		{
			name: "Azure",
			env: map[string]string{"BUILD_REASON": "PullRequest", "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
				"SYSTEM_PULLREQUEST_SOURCECOMMITID": "s"},
			system: "Azure Pipelines",
			change: ciChange{head: "s", bases: []ciBase{{"origin/main", "SYSTEM_PULLREQUEST_TARGETBRANCH"}}},
		},
		{
			name: "Azure, a push",
			env:  map[string]string{"BUILD_REASON": "IndividualCI", "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"},
		},
		{
			name:   "Buildkite",
			env:    map[string]string{"BUILDKITE_PULL_REQUEST": "7", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main"},
			system: "Buildkite",
			change: ciChange{bases: []ciBase{{"origin/main", "BUILDKITE_PULL_REQUEST_BASE_BRANCH"}}},
		},
		{
			name: "Buildkite, a push",
			env:  map[string]string{"BUILDKITE_PULL_REQUEST": "false", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": ""},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			system, change, ok := findCIChange(ciEnv{
				getenv: func(k string) string { return c.env[k] },
				readFile: func(string) ([]byte, error) {
					if c.event == "" {
						return nil, errors.New("no such file")
					}
					return []byte(c.event), nil
				},
			})
			if ok != (c.system != "") || system != c.system || !reflect.DeepEqual(change, c.change) {
				t.Errorf("got %s %+v %t", system, change, ok)
			}
		})
	}
}
