package github

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/codekg/kg/report/github/githubtest"
)

func aWant() Want {
	return Want{Repo: Repo{"octo", "shop"}, Name: "kg-graph-v1-" + headA, Commit: headA, Workflow: ".github/workflows/kg.yml",
		MaxBytes: 1 << 16, Files: []string{"graph.kg", "facts.kgf"}, MaxFile: 1 << 12}
}

// stored adds an artifact to a fake, with a run that may be trusted; change edits
// both.
func (f *fakeServer) stored(t *testing.T, data []byte, change func(a *githubtest.Artifact, run map[string]any)) {
	t.Helper()
	id := int64(len(f.Artifacts) + 1)
	a := githubtest.Artifact{Data: data}
	text := fmt.Sprintf(`{"id": %d, "name": "kg-graph-v1-%s", "size_in_bytes": %d, "digest": %q, "workflow_run": {"id": %d, "repository_id": 1, "head_repository_id": 1, "head_sha": %q}}`,
		id, headA, len(data), githubtest.Digest(data), 50+id, headA)
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	run := map[string]any{"id": 50 + id, "event": "push", "path": ".github/workflows/kg.yml@refs/heads/main", "head_sha": headA,
		"repository": map[string]any{"id": 1}, "head_repository": map[string]any{"id": 1}}
	if change != nil {
		change(&a, run)
	}
	f.Artifacts = append(f.Artifacts, a)
	f.Runs[50+id] = run
}

func TestArtifact(t *testing.T) {
	good := archive(t, "graph.kg", "G", "facts.kgf", "F")
	symlink := func() []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		h := &zip.FileHeader{Name: "graph.kg"}
		h.SetMode(os.ModeSymlink | 0o777)
		w, _ := z.CreateHeader(h)
		w.Write([]byte("/etc/passwd"))
		z.Close()
		return b.Bytes()
	}()
	type change = func(a *githubtest.Artifact, run map[string]any)
	for _, c := range []struct {
		name   string
		data   []byte
		change change
		faults []githubtest.Fault
		why    string // empty: it is taken
	}{
		{name: "good", data: good},
		{name: "graph alone", data: archive(t, "graph.kg", "G")},
		{name: "no digest", data: good, change: func(a *githubtest.Artifact, _ map[string]any) { a.Digest = "" }},
		{name: "none", why: "there is none"},
		{name: "expired", data: good, change: func(a *githubtest.Artifact, _ map[string]any) { a.Expired = true }, why: "it is expired"},
		{name: "of a fork", data: good, change: func(a *githubtest.Artifact, _ map[string]any) { a.Run.HeadRepository = 2 }, why: "it comes from another repository"},
		{name: "of nowhere", data: good, change: func(a *githubtest.Artifact, _ map[string]any) { a.Run = nil }, why: "it comes from another repository"},
		{name: "other commit", data: good, change: func(a *githubtest.Artifact, _ map[string]any) { a.Run.HeadSHA = headB }, why: "it was stored for another commit"},
		{name: "run of a fork", data: good, change: func(_ *githubtest.Artifact, run map[string]any) { run["head_repository"] = map[string]any{"id": 2} }, why: "its run is of another commit or repository"},
		{name: "run of another commit", data: good, change: func(_ *githubtest.Artifact, run map[string]any) { run["head_sha"] = headB }, why: "its run is of another commit or repository"},
		{name: "run for a pull request", data: good, change: func(_ *githubtest.Artifact, run map[string]any) { run["event"] = "pull_request" }, why: "its run was caused by pull_request"},
		{name: "other workflow", data: good, change: func(_ *githubtest.Artifact, run map[string]any) { run["path"] = ".github/workflows/evil.yml" }, why: "another workflow stored it"},
		{name: "claims to be large", data: good, change: func(a *githubtest.Artifact, _ map[string]any) { a.Size = 1 << 40 }, why: "its size is 1099511627776 bytes"},
		{name: "is large", data: append(bytes.Clone(good), make([]byte, 1<<17)...), change: func(a *githubtest.Artifact, _ map[string]any) { a.Size = 9 }, why: "it is larger than it says"},
		{name: "other bytes", data: good, change: func(a *githubtest.Artifact, _ map[string]any) { a.Digest = githubtest.Digest(nil) }, why: "its digest does not match"},
		{name: "no archive", data: []byte("PK nonsense"), why: "it is no archive"},
		{name: "empty archive", data: archive(t), why: "it is empty"},
		{name: "leads out", data: archive(t, "../graph.kg", "G"), why: "it holds what does not belong there"},
		{name: "absolute", data: archive(t, "/graph.kg", "G"), why: "it holds what does not belong there"},
		{name: "one file too many", data: archive(t, "graph.kg", "G", ".kg.yaml", "x"), why: "it holds what does not belong there"},
		{name: "one file twice", data: archive(t, "graph.kg", "G", "graph.kg", "H"), why: "it holds what does not belong there"},
		{name: "symbolic link", data: symlink, why: "it holds what does not belong there"},
		{name: "bomb", data: archive(t, "graph.kg", strings.Repeat("x", 1<<20)), why: "a file in it is too large"},
		{name: "gone", data: good, faults: []githubtest.Fault{{Path: "/zip", Do: githubtest.Says(410, "gone")}}, why: "it is gone"},
		{name: "store fails", data: good, faults: []githubtest.Fault{{Path: "/store/", Do: githubtest.Says(403, "expired")}}, why: "its store says 403"},
		{name: "store cuts", data: good, faults: []githubtest.Fault{{Path: "/store/", Do: githubtest.HangsUp("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nPK")}}, why: "the download was cut"},
		{name: "run is gone", data: good, faults: []githubtest.Fault{{Path: "/actions/runs/", Do: githubtest.Says(404, "Not Found")}}, why: "its run is gone"},
		{name: "no rights", data: good, faults: []githubtest.Fault{{Path: "/actions/artifacts", Do: githubtest.Says(403, "Resource not accessible by integration")}}, why: "artifacts may not be read"},
		{name: "store is busy once", data: good, faults: []githubtest.Fault{{Path: "/store/", Do: githubtest.Says(503, "busy")}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			if c.data != nil {
				f.stored(t, c.data, c.change)
			}
			f.Faults = c.faults
			client, _ := f.client(token)
			found, why, err := client.Artifact(context.Background(), aWant())
			if err != nil {
				t.Fatal(err)
			}
			if why != c.why || (found == nil) != (why != "") {
				t.Errorf("why %q, want %q", why, c.why)
			}
			if found != nil && string(found.Files["graph.kg"]) != "G" {
				t.Errorf("got %q", found.Files)
			}
			if c.why == "" && len(f.Requests) > 5 {
				t.Errorf("%d requests: %q", len(f.Requests), f.Requests)
			}
		})
	}
}

// TestArtifactAmongOthers: one of a fork does not stand in the way of a good one.
func TestArtifactAmongOthers(t *testing.T) {
	f := newFake(t)
	f.stored(t, archive(t, "graph.kg", "evil"), func(a *githubtest.Artifact, _ map[string]any) { a.Run.HeadRepository = 2 })
	f.stored(t, archive(t, "graph.kg", "G"), nil)
	c, _ := f.client(token)
	found, why, err := c.Artifact(context.Background(), aWant())
	if err != nil || why != "" || string(found.Files["graph.kg"]) != "G" || found.Run != 52 || found.Event != "push" {
		t.Errorf("%+v %q %v", found, why, err)
	}
}

func TestArtifactError(t *testing.T) {
	f := newFake(t)
	f.Faults = []githubtest.Fault{{Do: githubtest.Says(500, "")}, {Do: githubtest.Says(500, "")}, {Do: githubtest.Says(500, "")}}
	c, _ := f.client(token)
	if _, _, err := c.Artifact(context.Background(), aWant()); err == nil || IsForbidden(err) {
		t.Error(err)
	}
}

func TestRunArtifact(t *testing.T) {
	f := newFake(t)
	f.stored(t, archive(t, "graph.kg", "G"), func(a *githubtest.Artifact, _ map[string]any) { a.Run.HeadRepository = 2 })
	c, _ := f.client(token)
	files, why, err := c.RunArtifact(context.Background(), 51, aWant())
	if err != nil || why != "" || string(files["graph.kg"]) != "G" {
		t.Errorf("%q %q %v", files, why, err)
	}
	if _, why, _ := c.RunArtifact(context.Background(), 52, aWant()); why != "the run has 0 artifacts kg-graph-v1-"+headA {
		t.Error(why)
	}
}

// FuzzUnpack: any bytes are an archive of what is wanted, or refused.
func FuzzUnpack(f *testing.F) {
	f.Add(archive(f, "graph.kg", "G", "facts.kgf", "F"))
	f.Add([]byte("PK"))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := aWant()
		files, err := unpack(data, &w)
		for name, text := range files {
			if err != nil || name != "graph.kg" && name != "facts.kgf" || int64(len(text)) > w.MaxFile {
				t.Errorf("%q, %d bytes, %v", name, len(text), err)
			}
		}
	})
}
