package link

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Messages over brokers: who publishes to a topic, queue or subject is joined to the
// routes of those who listen to it, whatever language each is written in. Every
// listener may get a message, so that there are as many edges as listeners. That the
// two talk to one broker is not known: such edges are inferred. A topic of which a
// part is not known is joined to nothing.

// subscription is a route of a topic.
type subscription struct {
	node  graph.ID
	fn    int32
	parts []string // a pattern's; nil: the topic itself
}

// subscriptions finds those who listen to a topic of a broker.
type subscriptions struct {
	exact    map[string][]subscription // by broker and topic
	patterns map[string][]subscription // by broker
}

// maxPatterns bounds the patterns of one broker that are tried for each topic.
const maxPatterns = 1 << 10

// messages adds the edges from those who publish to the routes of those who listen.
func (l *linker) messages() {
	var s *subscriptions
	for fn, f := range l.ownFiles() {
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if d.Kind != graph.KindRoute || !strings.HasPrefix(f.Facts.Str(d.Name), facts.VerbPublish+" ") {
				continue
			}
			if s == nil {
				s = l.subscriptions()
			}
			_, topic, _ := strings.Cut(l.routeName(f.base+Ent(i)), " ")
			if !strings.Contains(topic, facts.Unsaid) {
				l.publication(s, topic, fn, d)
			}
		}
	}
}

// subscriptions collects who listens.
func (l *linker) subscriptions() *subscriptions {
	s := &subscriptions{map[string][]subscription{}, map[string][]subscription{}}
	for fn, f := range l.ownFiles() {
		for i := range f.Facts.Decls {
			if f.Facts.Decls[i].Kind != graph.KindRoute {
				continue
			}
			name := l.routeName(f.base + Ent(i))
			broker, topic, _ := strings.Cut(name, " ")
			node := l.nodeOf[f.base+Ent(i)]
			if node == graph.None || !slices.Contains(facts.Brokers, broker) || strings.Contains(topic, facts.Unsaid) {
				continue
			}
			sub := subscription{node: node, fn: fn}
			if sub.parts = topicParts(broker, topic); slices.ContainsFunc(sub.parts, isWild) {
				s.patterns[broker] = append(s.patterns[broker], sub)
			} else {
				s.exact[name] = append(s.exact[name], sub)
			}
		}
	}
	return s
}

// topicParts takes a topic apart as its broker's patterns do; nil if that has none.
func topicParts(broker, topic string) []string {
	switch broker {
	case "NATS", "AMQP":
		return strings.FieldsFunc(topic, func(r rune) bool { return r == '.' || r == '/' && broker == "AMQP" })
	case "MQTT":
		return strings.Split(topic, "/")
	}
	return nil
}

// isWild reports whether a part of a pattern is no text: one part, or all that follow.
func isWild(part string) bool {
	return part == "*" || part == "+" || part == ">" || part == "#"
}

// fitsTopic reports whether a topic is one of those of a pattern.
func fitsTopic(pattern, topic []string) bool {
	for i, p := range pattern {
		switch {
		case p == ">":
			return len(topic) > i
		case p == "#":
			// Zero or more; what follows is looked for from the end.
			rest := pattern[i+1:]
			return len(topic) >= i+len(rest) && !slices.Contains(rest, "#") && fitsTopic(rest, topic[len(topic)-len(rest):])
		case i >= len(topic) || p != "*" && p != "+" && p != topic[i]:
			return false
		}
	}
	return len(pattern) == len(topic)
}

// publication adds the edges of one declaration that publishes.
func (l *linker) publication(s *subscriptions, topic string, fn int32, d *facts.Decl) {
	broker, name, _ := strings.Cut(topic, " ")
	heard := slices.Clone(s.exact[topic])
	if patterns := s.patterns[broker]; len(patterns) > 0 {
		parts := topicParts(broker, name)
		for i := range patterns[:min(len(patterns), maxPatterns)] {
			if fitsTopic(patterns[i].parts, parts) {
				heard = append(heard, patterns[i])
			}
		}
	}
	test := l.files[fn].place.Test
	heard = slices.DeleteFunc(heard, func(h subscription) bool { // what tests listen to is theirs
		return l.files[h.fn].place.Test && (!test || l.files[h.fn].unit != l.files[fn].unit)
	})
	if len(heard) > maxListeners {
		l.b.AddUnknown(graph.Unknown{Reason: graph.ReasonTooMany, File: l.files[fn].Path, Line: d.Line, EndLine: d.Line, Detail: "listeners of " + topic})
		return
	}
	site := graph.Site{File: l.fileIDs[fn], Line: d.Line, Col: d.Col, Args: -1, Keywords: -1, Recv: graph.None}
	if test {
		site.Flags |= graph.SiteTest
	}
	for _, h := range heard {
		l.b.AddEdge(graph.RawEdge{From: l.ownerNode(fn, d.Parent), To: h.node, Type: graph.None, Kind: graph.EdgePublishes,
			Certainty: graph.Inferred, HasSite: true, Site: site})
	}
}
