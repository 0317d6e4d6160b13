package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/codekg/kg/analyzer/search"
)

// embedder asks an OpenAI-compatible endpoint for vectors, as Ollama, TEI and
// many others have it.
type embedder struct {
	url, model, key string
	client          *http.Client
}

const (
	embedBatch  = 32
	embedTime   = 60 * time.Second
	maxEmbedded = 64 << 20 // bytes of one answer
)

func newEmbedder(at, model, key string) (*embedder, error) {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, usagef("%s is no address of an embedder, as http://localhost:11434/v1", quote(at))
	}
	if model == "" {
		return nil, usage("the embedder needs a model: --embedding-model")
	}
	u = u.JoinPath("embeddings")
	return &embedder{url: u.String(), model: model, key: key, client: &http.Client{
		Timeout: embedTime,
		// A redirect could take the texts and the key elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the embedder redirects, which is not followed")
		},
	}}, nil
}

// similarities returns how near each text is to a question, from 0 to 1.
func (e *embedder) similarities(ctx context.Context, question string, texts []string) ([]float64, error) {
	all := append([]string{question}, texts...)
	var vectors [][]float64
	for len(all) > 0 {
		n := min(embedBatch, len(all))
		vs, err := e.embed(ctx, all[:n])
		if err != nil {
			return nil, &failure{text: "the embedder " + quote(e.url) + " did not answer", err: err, hint: "search without --embedder, or start it"}
		}
		vectors = append(vectors, vs...)
		all = all[n:]
	}
	scores := make([]float64, len(texts))
	for i, v := range vectors[1:] {
		if len(v) != len(vectors[0]) {
			return nil, &failure{text: "the embedder gives vectors of different lengths"}
		}
		scores[i] = search.Similarity(vectors[0], v)
	}
	return scores, nil
}

func (e *embedder) embed(ctx context.Context, texts []string) ([][]float64, error) {
	body, err := json.Marshal(map[string]any{"model": e.model, "input": texts})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	res, err := e.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxEmbedded))
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", res.Status, strings.TrimSpace(string(data[:min(len(data), 200)])))
	}
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, err
	}
	vectors := make([][]float64, len(texts))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(vectors) || len(d.Embedding) == 0 {
			return nil, errors.New("its answer has other vectors than were asked for")
		}
		vectors[d.Index] = d.Embedding
	}
	for _, v := range vectors {
		if v == nil {
			return nil, errors.New("its answer lacks vectors")
		}
	}
	return vectors, nil
}
