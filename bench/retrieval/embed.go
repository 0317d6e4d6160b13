package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/search"
)

// embedder asks an OpenAI-compatible endpoint for vectors, each text once. It gets
// what kg search tells one, without documentation.
type embedder struct {
	url, model string
	known      map[string][]float64
	err        error // the first that there was
}

// rank returns what ranks the functions of a corpus for a question.
func (e *embedder) rank(c *corpus, question string) func([]graph.ID) ([]float64, error) {
	return func(ids []graph.ID) ([]float64, error) {
		const most = 2000 // bytes
		texts := []string{question}
		for _, id := range ids {
			n := &c.g.Nodes[id]
			t := n.Kind.String() + " " + n.QName + "\n" + n.Signature.Text + "\n" + c.body(id)
			texts = append(texts, strings.ToValidUTF8(t[:min(most, len(t))], ""))
		}
		vectors, err := e.vectors(texts)
		if err != nil {
			e.err = err
			return nil, err
		}
		scores := make([]float64, len(ids))
		for i := range scores {
			scores[i] = search.Similarity(vectors[0], vectors[i+1])
		}
		return scores, nil
	}
}

func (e *embedder) vectors(texts []string) ([][]float64, error) {
	var missing []string
	for _, t := range texts {
		if _, ok := e.known[t]; !ok {
			e.known[t] = nil
			missing = append(missing, t)
		}
	}
	client := &http.Client{Timeout: 5 * time.Minute}
	for len(missing) > 0 {
		part := missing[:min(32, len(missing))]
		body, err := json.Marshal(map[string]any{"model": e.model, "input": part})
		if err != nil {
			return nil, err
		}
		res, err := client.Post(strings.TrimSuffix(e.url, "/")+"/embeddings", "application/json", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		var answer struct {
			Data []struct {
				Index     int
				Embedding []float64
			}
		}
		err = json.NewDecoder(res.Body).Decode(&answer)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || len(answer.Data) != len(part) {
			return nil, fmt.Errorf("the embedder answers %s with %d vectors for %d texts, %v", res.Status, len(answer.Data), len(part), err)
		}
		for _, d := range answer.Data {
			if d.Index < 0 || d.Index >= len(part) {
				return nil, fmt.Errorf("the embedder answers with a vector for text %d of %d", d.Index, len(part))
			}
			e.known[part[d.Index]] = d.Embedding
		}
		missing = missing[len(part):]
	}
	var list [][]float64
	for _, t := range texts {
		list = append(list, e.known[t])
	}
	return list, nil
}
