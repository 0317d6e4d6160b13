package facts_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
)

func TestFinder(t *testing.T) {
	sets := [][]string{
		{"kafka", "amqp", "nats", "mqtt", "redis", "microservices", "bull", "sqs", "aws-sdk", "celery", "boto3"},
		{"axios", "ky", "got", "superagent", "needle", "supertest", "chai"},
		{"lient(", "ession(", "Blueprint("},
	}
	f := facts.NewFinder(sets...)
	check := func(src string) {
		t.Helper()
		want := uint8(0)
		for i, words := range sets {
			if slices.ContainsFunc(words, func(w string) bool { return bytes.Contains([]byte(src), []byte(w)) }) {
				want |= 1 << i
			}
		}
		if got := f.In([]byte(src)); got != want {
			t.Errorf("%q: found %b, want %b", src, got, want)
		}
	}
	check("")
	check("k")
	for _, w := range slices.Concat(sets...) {
		for _, src := range []string{w, " " + w, w + " ", "  " + w + "x", w[:len(w)-1], w[1:], w[:len(w)-1] + " " + w, "x" + w[1:] + w} {
			check(src)
			check("x" + src)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		src := make([]byte, r.IntN(40))
		for i := range src {
			src[i] = "kafkmqtnsuperagotbldwix-(Bc"[r.IntN(27)]
		}
		check(string(src))
	}
}
