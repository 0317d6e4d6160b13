package github

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/codekg/kg/report/github/githubtest"
)

// fakeServer is a server for one test, which fails if a request was wrong.
type fakeServer struct {
	*githubtest.Server
	t *testing.T
}

func newFake(t *testing.T) *fakeServer {
	t.Helper()
	f := &fakeServer{githubtest.New(), t}
	t.Cleanup(func() {
		f.Close()
		for _, e := range f.Errors {
			t.Error(e)
		}
	})
	return f
}

// client returns a client of the fake that does not wait, and what it would have
// waited.
func (f *fakeServer) client(token string) (*Client, *[]time.Duration) {
	f.t.Helper()
	var waits []time.Duration
	c, err := New(Options{API: f.URL, Token: token, Agent: "kg", Transport: http.DefaultTransport.(*http.Transport).Clone(),
		Sleep: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }})
	if err != nil {
		f.t.Fatal(err)
	}
	return c, &waits
}

// archive makes a zip file.
func archive(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, files[i+1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
