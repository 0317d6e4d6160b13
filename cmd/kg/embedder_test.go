package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestEmbedder: a server that others could have written, and bad ones.
func TestEmbedder(t *testing.T) {
	var asked, key string
	good := func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/v1/embeddings" || q.Model != "m" {
			http.Error(w, "bad", http.StatusBadRequest)
			return
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
