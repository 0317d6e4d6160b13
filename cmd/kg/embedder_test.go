package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEmbedder: a server that others could have written, and bad ones.
func TestEmbedder(t *testing.T) {
	var asked, key string
	var batches []int
	good := func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/v1/embeddings" || q.Model != "m" {
			http.Error(w, "bad", http.StatusBadRequest)
			return
		}
		batches = append(batches, len(q.Input))
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s of %s", r.Method, r.Header.Get("Content-Type"))
		}
		asked += strings.Join(q.Input, "|") + "|"
		key = r.Header.Get("Authorization")
		type item struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var a struct {
			Data []item `json:"data"`
		}
		for i := range q.Input { // in another order
			i = len(q.Input) - 1 - i
			v := []float64{1, 0}
			if strings.Contains(q.Input[i], "far") {
				v = []float64{-1, 0}
			}
			a.Data = append(a.Data, item{i, v})
		}
		json.NewEncoder(w).Encode(a)
	}
	ctx := context.Background()
	ask := func(h http.HandlerFunc, texts ...string) ([]float64, error) {
		s := httptest.NewServer(h)
		defer s.Close()
		e, err := newEmbedder(s.URL+"/v1", "m", "secret")
		if err != nil {
			t.Fatal(err)
		}
		return e.similarities(ctx, "question", texts)
	}
	texts := make([]string, 70)
	for i := range texts {
		texts[i] = "near"
	}
	texts[69] = "far"
	got, err := ask(good, texts...)
	if err != nil || len(got) != 70 || got[0] != 1 || got[69] != 0 || key != "Bearer secret" || strings.Count(asked, "|") != 71 {
		t.Errorf("got %v, %v after %d texts", got, err, strings.Count(asked, "|"))
	}
	if !slices.Equal(batches, []int{embedBatch, embedBatch, 71 - 2*embedBatch}) || !strings.HasPrefix(asked, "question|near|") {
		t.Errorf("batches of %v", batches)
	}
	// Vectors of another length in a later batch.
	n := 0
	if got, err := ask(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		json.NewDecoder(r.Body).Decode(&q)
		n++
		data := make([]string, len(q.Input))
		for i := range data {
			data[i] = fmt.Sprintf(`{"index":%d,"embedding":[%s1]}`, i, strings.Repeat("1,", n))
		}
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
	}, texts...); err == nil || n < 2 {
		t.Errorf("lengths differ after %d batches: %v", n, got)
	}
	// One that never answers, and a user who does not wait.
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer hang.Close()
	e, err := newEmbedder(hang.URL, "m", "")
	if err != nil || e.client.Timeout <= 0 || e.client.Timeout > 2*time.Minute {
		t.Fatalf("it waits %v, %v", e.client.Timeout, err)
	}
	e.client.Timeout = 100 * time.Millisecond
	if got, err := e.similarities(ctx, "question", texts); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("got %v, %v", got, err)
	}
	e.client.Timeout = time.Minute
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if got, err := e.similarities(short, "question", texts); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, %v", got, err)
	}
	for name, h := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no model", 404) },
		"no JSON":  func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) },
		"too few": func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"data":[{"index":0,"embedding":[1]}]}`))
		},
		"a wrong index": func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"data":[{"index":-1,"embedding":[1]}]}`))
		},
		"other lengths": func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`))
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusTemporaryRedirect)
		},
		"numbers that are none": func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}`))
		},
		"zeros": func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[0,0,0]}]}`))
		},
		"empty vectors": func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`))
		},
	} {
		if got, err := ask(h, "near"); err == nil {
			t.Errorf("%s: got %v", name, got)
		}
	}
	for _, at := range []string{"", "localhost", "ftp://x/", "file:///etc/passwd", "http://", "http://user:pass@x/", "::"} {
		if _, err := newEmbedder(at, "m", ""); err == nil {
			t.Errorf("%q is an address", at)
		}
	}
	if _, err := newEmbedder("http://localhost/", "", ""); err == nil {
		t.Error("there is an embedder without a model")
	}
}
