package github

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Artifacts of a repository are stored under names that anybody can choose: the
// runs for forks store theirs beside those of its own branches. So a stored
// graph is taken only from a run of the repository's own code, for the commit
// that is asked for, after an event that only those who may write can cause.

// Want is an artifact that is looked for.
type Want struct {
	Repo     Repo
	Name     string
	Commit   string
	Events   []string // of the run that stored it; nil: push, schedule, workflow_dispatch, merge_group
	Workflow string   // path of its workflow, such as .github/workflows/kg.yml; empty: any
	MaxBytes int64    // of the archive
	Files    []string // names in it; others are an error
	MaxFile  int64    // of each, unpacked
}

var trustedEvents = []string{"push", "schedule", "workflow_dispatch"}

// Found is an artifact whose provenance passed.
type Found struct {
	ID, Run int64
	Event   string
	Files   map[string][]byte
}

// artifact is what the list says. The type of go-github has no digest.
type artifact struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Size    int64  `json:"size_in_bytes"`
	Expired bool   `json:"expired"`
	Digest  string `json:"digest"`
	Run     *struct {
		ID             int64  `json:"id"`
		Repository     int64  `json:"repository_id"`
		HeadRepository int64  `json:"head_repository_id"`
		HeadSHA        string `json:"head_sha"`
	} `json:"workflow_run"`
}

// maxAlike bounds the artifacts of one name that are looked at.
const maxAlike = 100

// Artifact looks for an artifact by its exact name. If there is none that can be
// trusted and read, why says so, for people; the error is the network's.
func (c *Client) Artifact(ctx context.Context, w Want) (found *Found, why string, err error) {
	if w.Events == nil {
		w.Events = trustedEvents
	}
	list, why, err := c.artifacts(ctx, "actions/artifacts", w)
	if err != nil || why != "" {
		return nil, why, err
	}
	why = "there is none"
	for i := range list {
		a := &list[i]
		if a.Name != w.Name {
			continue // a server that does not know the parameter lists all
		}
		if reason := a.refused(&w); reason != "" {
			why = reason
			continue
		}
		event, reason, err := c.checkRun(ctx, a, &w)
		if err != nil {
			return nil, "", err
		}
		if reason != "" {
			why = reason
			continue
		}
		files, reason, err := c.download(ctx, a, &w)
		if err != nil {
			return nil, "", err
		}
		if reason != "" {
			why = reason
			continue
		}
		return &Found{a.ID, a.Run.ID, event, files}, "", nil
	}
	return nil, why, nil
}

// RunArtifact returns the artifact of a name that a run stored, whoever caused
// the run: nothing in it is to be trusted.
func (c *Client) RunArtifact(ctx context.Context, run int64, w Want) (files map[string][]byte, why string, err error) {
	list, why, err := c.artifacts(ctx, fmt.Sprintf("actions/runs/%d/artifacts", run), w)
	if err != nil || why != "" {
		return nil, why, err
	}
	list = slices.DeleteFunc(list, func(a artifact) bool { return a.Name != w.Name || a.Expired })
	if len(list) != 1 {
		return nil, fmt.Sprintf("the run has %d artifacts %s", len(list), w.Name), nil
	}
	if list[0].Size > w.MaxBytes {
		return nil, "it is too large", nil
	}
	return c.download(ctx, &list[0], &w)
}

func (c *Client) artifacts(ctx context.Context, path string, w Want) ([]artifact, string, error) {
	req, err := c.gh.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/%s?per_page=%d&name=%s", w.Repo.Owner, w.Repo.Name, path, maxAlike, url.QueryEscape(w.Name)), nil)
	if err != nil {
		return nil, "", err
	}
	var page struct {
		Artifacts []artifact `json:"artifacts"`
	}
	resp, err := c.gh.Do(ctx, req, &page)
	if s := status(resp); s == http.StatusForbidden || s == http.StatusNotFound || s == http.StatusUnauthorized {
		return nil, "artifacts may not be read", nil
	}
	return page.Artifacts, "", failed("list the artifacts", resp, err)
}

// refused says why an artifact is not taken, by what the list says of it.
func (a *artifact) refused(w *Want) string {
	switch {
	case a.Expired:
		return "it is expired"
	case a.Size <= 0 || a.Size > w.MaxBytes:
		return fmt.Sprintf("its size is %d bytes", a.Size)
	case a.Run == nil || a.Run.Repository == 0 || a.Run.HeadRepository != a.Run.Repository:
		return "it comes from another repository"
	case a.Run.HeadSHA != w.Commit:
		return "it was stored for another commit"
	}
	return ""
}

// checkRun asks for the run that stored an artifact, and says why it is not
// trusted, if so.
func (c *Client) checkRun(ctx context.Context, a *artifact, w *Want) (event, why string, err error) {
	req, err := c.gh.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/runs/%d", w.Repo.Owner, w.Repo.Name, a.Run.ID), nil)
	if err != nil {
		return "", "", err
	}
	type repository struct {
		ID int64 `json:"id"`
	}
	var run struct { // the type of go-github has no path
		Event string     `json:"event"`
		Path  string     `json:"path"`
		SHA   string     `json:"head_sha"`
		Repo  repository `json:"repository"`
		Head  repository `json:"head_repository"`
	}
	resp, err := c.gh.Do(ctx, req, &run)
	if s := status(resp); s == http.StatusNotFound || s == http.StatusGone {
		return "", "its run is gone", nil
	}
	if err != nil {
		return "", "", failed("read the run that stored the graph", resp, err)
	}
	path, _, _ := strings.Cut(run.Path, "@")
	switch {
	case run.SHA != w.Commit || run.Head.ID != run.Repo.ID || run.Repo.ID != a.Run.Repository:
		return "", "its run is of another commit or repository", nil
	case !slices.Contains(w.Events, run.Event):
		return "", "its run was caused by " + run.Event, nil
	case w.Workflow != "" && path != w.Workflow:
		return "", "another workflow stored it", nil
	}
	return run.Event, "", nil
}

// download fetches and unpacks an artifact. The address that it is fetched from
// is another host's, and gets no token.
func (c *Client) download(ctx context.Context, a *artifact, w *Want) (files map[string][]byte, why string, err error) {
	to, resp, err := c.gh.Actions.DownloadArtifact(ctx, w.Repo.Owner, w.Repo.Name, a.ID, 1)
	switch s := status(resp); {
	case s == http.StatusGone || s == http.StatusNotFound || s == http.StatusForbidden:
		return nil, "it is gone", nil
	case err != nil:
		return nil, "", failed("download the graph", resp, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, "", &Error{Doing: "download the graph", Err: err}
	}
	got, err := c.bare.Do(req)
	if err != nil {
		return nil, "", &Error{Doing: "download the graph", Err: err}
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		return nil, fmt.Sprintf("its store says %d", got.StatusCode), nil
	}
	data, err := io.ReadAll(io.LimitReader(got.Body, w.MaxBytes+1))
	switch {
	case err != nil:
		return nil, "the download was cut", nil
	case int64(len(data)) > w.MaxBytes:
		return nil, "it is larger than it says", nil
	}
	if want, ok := strings.CutPrefix(a.Digest, "sha256:"); ok {
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			return nil, "its digest does not match", nil
		}
	}
	files, err = unpack(data, w)
	if err != nil {
		return nil, err.Error(), nil
	}
	return files, "", nil
}

// unpack reads an archive that holds nothing but the wanted files.
func unpack(data []byte, w *Want) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, errors.New("it is no archive")
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		if !slices.Contains(w.Files, f.Name) || !f.Mode().IsRegular() || files[f.Name] != nil {
			return nil, errors.New("it holds what does not belong there")
		}
		if f.UncompressedSize64 > uint64(w.MaxFile) {
			return nil, errors.New("a file in it is too large")
		}
		r, err := f.Open()
		if err != nil {
			return nil, errors.New("it is corrupt")
		}
		text, err := io.ReadAll(io.LimitReader(r, w.MaxFile+1))
		r.Close()
		if err != nil || int64(len(text)) > w.MaxFile {
			return nil, errors.New("it is corrupt")
		}
		files[f.Name] = append([]byte{}, text...)
	}
	if len(files) == 0 {
		return nil, errors.New("it is empty")
	}
	return files, nil
}
