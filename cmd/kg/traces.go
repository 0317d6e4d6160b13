package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
	"github.com/codekg/kg/report"
)

const tracesSchema = "kg.traces/v1"

// Bounds of traces: the bytes of one file, the spans of all, the steps that are looked
// for in the graph, and the spans around one that are climbed.
const (
	maxTraceFile = 256 << 20
	maxSpans     = 1 << 20
	maxSteps     = 2000
	maxAround    = 256
)

// traced is what runs showed, held against the graph. It changes no graph.
type traced struct {
	Schema   string       `json:"schema"`
	Spans    int          `json:"spans"`
	Joined   int          `json:"joined"`  // spans that name something of the graph
	Unclear  int          `json:"unclear"` // name what several declarations are called
	Unknown  int          `json:"unknown"` // name what the graph does not have
	Silent   int          `json:"silent"`  // name neither code, a route nor a topic
	Seen     []seenSymbol `json:"seen"`
	Steps    []tracedStep `json:"steps"`
	CutSteps int          `json:"steps_left_out,omitempty"`
	Unseen   []seenSymbol `json:"routes_never_seen"`
}

type seenSymbol struct {
	Symbol query.Symbol `json:"symbol"`
	Spans  int          `json:"spans"`
}

// tracedStep is one from what a span is of to what the next one inside of it is of.
type tracedStep struct {
	From    query.Symbol `json:"from"`
	To      query.Symbol `json:"to"`
	Spans   int          `json:"spans"`
	InGraph bool         `json:"in_graph"` // a way of calls leads from the one to the other
}

// span is one of OpenTelemetry, as its JSON form has it.
type span struct {
	TraceID      string `json:"traceId"`
	SpanID       string `json:"spanId"`
	ParentSpanID string `json:"parentSpanId"`
	Attributes   []struct {
		Key   string `json:"key"`
		Value struct {
			String string `json:"stringValue"`
		} `json:"value"`
	} `json:"attributes"`

	node graph.ID
}

func (a *app) tracesCommand() *cobra.Command {
	var g graphFlags
	var out *outputs
	most := 50
	cmd := &cobra.Command{
		Use:   "traces FILE...",
		Short: "Hold traces of runs against the graph",
		Long: `Hold traces of runs against the graph: which routes, topics and declarations their
spans are of, which steps from one to the next the graph has a way for and which it
lacks, and which routes no span is of. The files are spans of OpenTelemetry as JSON
(OTLP): one request each, or one on each line, as collectors write them. Spans are
joined by code.function.name or code.namespace and code.function, by
http.request.method and http.route, and by messaging.system and
messaging.destination.name. The graph is not changed.

` + graphHelp,
		Example: `  kg traces spans.json
  kg traces spans.jsonl -o json`,
		Args: arguments(1, 1000, "FILE"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			var spans []span
			for _, file := range args {
				if spans, err = readSpans(file, spans); err != nil {
					return err
				}
			}
			s, err := a.openSession(cmd.Context(), &g)
			if err != nil {
				return err
			}
			defer s.close()
			t := s.traced(spans)
			a.tellAge(s)
			for _, o := range list {
				say := func(w io.Writer) error { return tracesText(w, t, most) }
				if o.format == "json" {
					say = func(w io.Writer) error { return writeJSON(w, t) }
				}
				if err := a.write(cmd.Context(), o.path, say); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	g.add(cmd)
	cmd.Flags().IntVar(&most, "max", most, "show at most `N` of each list as text")
	out = outputFlag(cmd, "text", "json")
	return cmd
}

// readSpans adds the spans of a file.
func readSpans(file string, spans []span) ([]span, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &failure{text: "cannot read " + quote(file), err: err}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxTraceFile+1))
	if err == nil && len(data) > maxTraceFile {
		err = fmt.Errorf("it is larger than %d bytes", maxTraceFile)
	}
	if err != nil {
		return nil, &failure{text: "cannot read " + quote(file), err: err}
	}
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var request struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []span `json:"spans"`
				} `json:"scopeSpans"`
			} `json:"resourceSpans"`
		}
		if err := d.Decode(&request); errors.Is(err, io.EOF) {
			return spans, nil
		} else if err != nil {
			return nil, &failure{text: quote(file) + " holds no spans of OpenTelemetry as JSON", err: err}
		}
		for i := range request.ResourceSpans {
			for j := range request.ResourceSpans[i].ScopeSpans {
				if spans = append(spans, request.ResourceSpans[i].ScopeSpans[j].Spans...); len(spans) > maxSpans {
					return nil, &failure{text: "there are more than " + thousands(maxSpans) + " spans"}
				}
			}
		}
	}
}

// names returns what a span may be called in a graph: a route, a topic, or code.
func (s *span) names() []string {
	at := map[string]string{}
	for _, x := range s.Attributes {
		at[x.Key] = x.Value.String
	}
	var list []string
	if route := at["http.route"]; route != "" {
		list = append(list, strings.ToUpper(cmp.Or(at["http.request.method"], at["http.method"], "ANY"))+" "+route)
	}
	if topic := cmp.Or(at["messaging.destination.name"], at["messaging.destination"]); topic != "" {
		broker := map[string]string{"rabbitmq": "AMQP", "aws_sqs": "SQS", "aws.sqs": "SQS", "aws_sns": "SNS", "celery": "TASK"}[at["messaging.system"]]
		list = append(list, cmp.Or(broker, strings.ToUpper(at["messaging.system"]))+" "+topic)
	}
	if f := at["code.function.name"]; f != "" {
		list = append(list, f)
	} else if f := at["code.function"]; f != "" {
		if in := at["code.namespace"]; in != "" {
			f = in + "." + f
		}
		list = append(list, f)
	}
	return list
}

// shapeOf returns the name of a route with its parameters alike.
func shapeOf(name string) string {
	segs := strings.Split(strings.TrimSuffix(name, "/"), "/")
	for i, s := range segs {
		if i > 0 && s != "" && strings.ContainsAny(s[:1], "{:<[") {
			segs[i] = "{}"
		}
	}
	return strings.Join(segs, "/")
}

// codeNamed returns the callables of a full name, as runtimes write it:
// example.com/shop/cart.(*Cart).Add, com.example.Cart.add, cart.Cart.add. All that
// the graph has of the name must agree.
func (s *session) codeNamed(name string) []graph.ID {
	name = strings.NewReplacer("(*", "", ")", "", "::", ".", "#", ".").Replace(name)
	parts := strings.Split(name[strings.LastIndexByte(name, '/')+1:], ".")
	var ids []graph.ID
	for n := min(2, len(parts)); n > 0 && len(ids) == 0; n-- {
		for _, id := range s.index.Resolve(strings.Join(parts[len(parts)-n:], "."), func(k graph.Kind) bool { return k.IsCallable() }) {
			_, key, _ := strings.Cut(s.graph.Nodes[id].Key, ":") // without the language
			key, _, _ = strings.Cut(strings.ReplaceAll(key, "#", "."), "(")
			if s.graph.Nodes[id].Kind.IsCallable() && (key == name || strings.HasSuffix(key, "."+name) || strings.HasSuffix(key, "/"+name)) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// traced joins spans to the graph.
func (s *session) traced(spans []span) *traced {
	t := &traced{Schema: tracesSchema, Spans: len(spans), Seen: []seenSymbol{}, Steps: []tracedStep{}, Unseen: []seenSymbol{}}
	routes := map[string][]graph.ID{}
	for i := range s.graph.Nodes {
		if n := &s.graph.Nodes[i]; n.Kind == graph.KindRoute && !n.Flags.Has(graph.FlagTest) {
			routes[shapeOf(n.Name)] = append(routes[shapeOf(n.Name)], graph.ID(i))
			if _, path, ok := strings.Cut(n.Name, " "); ok && strings.HasPrefix(n.Name, "ANY ") {
				routes[shapeOf(" "+path)] = append(routes[shapeOf(" "+path)], graph.ID(i))
			}
		}
	}
	known := map[string][]graph.ID{} // by name
	find := func(name string) []graph.ID {
		ids, ok := known[name]
		if !ok {
			method, path, spaced := strings.Cut(name, " ")
			if ids = routes[shapeOf(name)]; len(ids) == 0 && spaced && method != "" {
				ids = routes[shapeOf(" "+path)]
			}
			if len(ids) == 0 && !spaced {
				ids = s.codeNamed(name)
			}
			known[name] = ids
		}
		return ids
	}
	type place struct{ trace, span string }
	at := make(map[place]int32, len(spans))
	count := map[graph.ID]int{}
	for i := range spans {
		x := &spans[i]
		x.node = graph.None
		at[place{x.TraceID, x.SpanID}] = int32(i)
		names, unclear := x.names(), false
		for _, name := range names {
			ids := find(name)
			if len(ids) == 1 {
				x.node = ids[0]
				break
			}
			unclear = unclear || len(ids) > 1
		}
		switch {
		case x.node != graph.None:
			t.Joined++
			count[x.node]++
		case len(names) == 0:
			t.Silent++
		case unclear:
			t.Unclear++
		default:
			t.Unknown++
		}
	}
	type pair struct{ from, to graph.ID }
	steps := map[pair]int{}
	for i := range spans {
		x := &spans[i]
		if x.node == graph.None {
			continue
		}
		up := x.ParentSpanID
		for range maxAround { // what is around a span may name nothing
			j, ok := at[place{x.TraceID, up}]
			if !ok || up == "" {
				break
			}
			if n := spans[j].node; n != graph.None && n != x.node {
				steps[pair{n, x.node}]++
				break
			}
			up = spans[j].ParentSpanID
		}
	}
	pairs := make([]pair, 0, len(steps))
	for p := range steps {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(steps[b], steps[a]), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	for i, p := range pairs {
		if i == maxSteps {
			t.CutSteps = len(pairs) - maxSteps
			break
		}
		answer, err := s.index.Ask(query.Request{Op: "path", Target: s.graph.Nodes[p.from].Key, To: s.graph.Nodes[p.to].Key})
		t.Steps = append(t.Steps, tracedStep{s.index.Symbol(p.from), s.index.Symbol(p.to), steps[p], err == nil && len(answer.Results) > 0})
	}
	for i := range s.graph.Nodes {
		id, n := graph.ID(i), &s.graph.Nodes[i]
		if count[id] > 0 {
			t.Seen = append(t.Seen, seenSymbol{s.index.Symbol(id), count[id]})
		} else if n.Kind == graph.KindRoute && !n.Flags.Has(graph.FlagTest) {
			t.Unseen = append(t.Unseen, seenSymbol{Symbol: s.index.Symbol(id)})
		}
	}
	slices.SortStableFunc(t.Seen, func(a, b seenSymbol) int { return cmp.Compare(b.Spans, a.Spans) })
	return t
}

func tracesText(w io.Writer, t *traced, most int) error {
	esc := report.Escape
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s joined, %s of unclear names, %s of what the graph does not have, %s that name nothing\n", plural(t.Spans, "span"),
		thousands(t.Joined), thousands(t.Unclear), thousands(t.Unknown), thousands(t.Silent))
	section := func(title string, n int, line func(i int) string) {
		if n == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s (%s)\n", title, thousands(n))
		for i := range min(n, max(most, 0)) {
			b.WriteString("  " + line(i) + "\n")
		}
		if n > most {
			b.WriteString("  … " + thousands(n-max(most, 0)) + " more: --max\n")
		}
	}
	var has, lacks []tracedStep
	for _, x := range t.Steps {
		if x.InGraph {
			has = append(has, x)
		} else {
			lacks = append(lacks, x)
		}
	}
	step := func(list []tracedStep) func(int) string {
		return func(i int) string {
			return esc(list[i].From.Name) + " → " + esc(list[i].To.Name) + "  " + plural(list[i].Spans, "span")
		}
	}
	place := func(x query.Symbol) string { return esc(x.Name) + "  " + esc(x.File) + ":" + strconv.Itoa(x.Line) }
	section("Seen", len(t.Seen), func(i int) string { return place(t.Seen[i].Symbol) + "  " + plural(t.Seen[i].Spans, "span") })
	section("Steps that the graph has a way for", len(has), step(has))
	section("Steps that the graph lacks", len(lacks), step(lacks))
	section("Routes that no span is of", len(t.Unseen), func(i int) string { return place(t.Unseen[i].Symbol) })
	if t.CutSteps > 0 {
		fmt.Fprintf(&b, "\n%s were not looked for in the graph\n", plural(t.CutSteps, "step"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
