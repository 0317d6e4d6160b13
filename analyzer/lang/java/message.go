package java

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Messages: what annotations of Spring, Micronaut and MicroProfile say of who listens
// to which topic or queue, and the calls of Spring's templates and of the clients of
// Kafka, RabbitMQ, Pulsar and NATS.

// messageCalls are the methods and, under their types' names, the constructors.
var messageCalls = facts.NewMessageCalls(
	facts.MessageCall{Name: "send", From: []string{"org.springframework.kafka"}, Broker: "KAFKA", Publish: true},
	facts.MessageCall{Name: "ProducerRecord", From: []string{"org.apache.kafka"}, Broker: "KAFKA", Publish: true},
	facts.MessageCall{Name: "subscribe", From: []string{"org.apache.kafka"}, Broker: "KAFKA", By: -1},
	facts.MessageCall{Name: "convertAndSend", From: []string{"org.springframework.amqp"}, Broker: "AMQP", Publish: true, At: 1, Least: 3},
	facts.MessageCall{Name: "convertSendAndReceive", From: []string{"org.springframework.amqp"}, Broker: "AMQP", Publish: true, At: 1, Least: 3},
	facts.MessageCall{Name: "convertAndSend", From: []string{"org.springframework.jms"}, Broker: "JMS", Publish: true},
	facts.MessageCall{Name: "send", From: []string{"org.springframework.jms"}, Broker: "JMS", Publish: true},
	facts.MessageCall{Name: "convertAndSend", From: []string{"org.springframework.data.redis"}, Broker: "REDIS", Publish: true},
	facts.MessageCall{Name: "send", From: []string{"org.springframework.pulsar"}, Broker: "PULSAR", Publish: true},
	facts.MessageCall{Name: "convertAndSend", From: []string{"io.awspring.cloud", "org.springframework.cloud.aws"}, Broker: "SQS", Publish: true},
	facts.MessageCall{Name: "send", From: []string{"io.awspring.cloud"}, Broker: "SQS", Publish: true},
	facts.MessageCall{Name: "basicPublish", From: []string{"com.rabbitmq"}, Broker: "AMQP", Publish: true, At: 1, Least: 2},
	facts.MessageCall{Name: "basicConsume", From: []string{"com.rabbitmq"}, Broker: "AMQP", By: -1},
	facts.MessageCall{Name: "queueBind", From: []string{"com.rabbitmq"}, Broker: "AMQP", Binds: true, In: 1, To: 2, Least: 3},
	facts.MessageCall{Name: "publish", From: []string{"io.nats"}, Broker: "NATS", Publish: true},
	facts.MessageCall{Name: "request", From: []string{"io.nats"}, Broker: "NATS", Publish: true},
	facts.MessageCall{Name: "subscribe", From: []string{"io.nats"}, Broker: "NATS", By: 1},
)

// listenerMarks are the annotations of methods that get messages, or of the types of
// such methods, with the elements that name topics.
var listenerMarks = map[string]struct {
	from   []string
	broker string
	names  []string
}{
	"KafkaListener":  {[]string{"org.springframework."}, "KAFKA", []string{"topics"}},
	"RabbitListener": {[]string{"org.springframework."}, "AMQP", []string{"queues", "queuesToDeclare"}},
	"JmsListener":    {[]string{"org.springframework."}, "JMS", []string{"destination"}},
	"SqsListener":    {[]string{"io.awspring.", "org.springframework."}, "SQS", []string{"value", "queueNames"}},
	"PulsarListener": {[]string{"org.springframework."}, "PULSAR", []string{"value", "topics"}},
	"Incoming":       {[]string{"org.eclipse.microprofile."}, "CHANNEL", []string{"value"}},
	"StreamListener": {[]string{"org.springframework."}, "CHANNEL", []string{"value"}},
}

// messagesOf adds what the annotations of method d say about messages.
func (e *extractor) messagesOf(d facts.DeclID, m marks) {
	broker := ""
	all := slices.Clone(m)
	o := e.outer()
	if o != nil && m.has("KafkaHandler", "RabbitHandler") != nil {
		all = append(all, o.marks...) // what is said of the type is said of these
	}
	for i := range all {
		l, ok := listenerMarks[all[i].name]
		if !ok || !e.from(all[i].name, l.from...) {
			continue
		}
		broker = l.broker
		topics := e.elementTopics(all[i].node, l.names...)
		topics = append(topics, e.bindings(all[i].node)...)
		for _, t := range topics {
			e.listener(d, l.broker, t)
		}
	}
	if a := m.has("Topic"); a != nil && o != nil && e.from("Topic", "io.micronaut.configuration.kafka.") {
		for _, t := range e.elementTopics(a.node, "value") {
			switch {
			case o.marks.has("KafkaListener") != nil:
				e.listener(d, "KAFKA", t)
			case o.marks.has("KafkaClient") != nil:
				e.b.AddPublication("KAFKA", t, d, e.b.Decls[d].Line, e.b.Decls[d].Col)
			}
		}
	}
	if a := m.has("SendTo"); a != nil && broker != "" && e.from("SendTo", "org.springframework.") {
		for _, t := range e.elementTopics(a.node, "value") {
			e.b.AddPublication(broker, t, d, e.b.Decls[d].Line, e.b.Decls[d].Col)
		}
	}
	if a := m.has("Outgoing"); a != nil && e.from("Outgoing", "org.eclipse.microprofile.") {
		for _, t := range e.elementTopics(a.node, "value") {
			e.b.AddPublication("CHANNEL", t, d, e.b.Decls[d].Line, e.b.Decls[d].Col)
		}
	}
}

func (e *extractor) listener(d facts.DeclID, broker string, t facts.Topic) {
	r := e.b.AddListener(broker, t, d, none, e.b.Decls[d].Line, e.b.Decls[d].Col)
	if r != none {
		e.b.Decls[r].DefLine, e.b.Decls[r].EndLine = e.b.Decls[d].DefLine, e.b.Decls[d].EndLine
	}
}

// elementTopics returns the topics that an annotation gives to its elements.
func (e *extractor) elementTopics(annotation syntax.ID, names ...string) []facts.Topic {
	args := e.child(annotation, fieldArguments)
	if args == syntax.None {
		return nil
	}
	var out []facts.Topic
	for c := range e.t.NamedChildren(args) {
		v := c
		if e.class(c) == classElementPair {
			if v = e.child(c, fieldValue); !slices.Contains(names, e.t.String(e.child(c, fieldKey))) {
				continue
			}
		} else if names[0] != "value" {
			continue
		}
		out = append(out, e.topics(v)...)
	}
	return out
}

// bindings returns the topics of the queues that a listener of RabbitMQ declares.
func (e *extractor) bindings(annotation syntax.ID) []facts.Topic {
	var out []facts.Topic
	args := e.child(annotation, fieldArguments)
	if args == syntax.None {
		return nil
	}
	for c := range e.t.NamedChildren(args) {
		if e.class(c) != classElementPair || e.t.String(e.child(c, fieldKey)) != "bindings" {
			continue
		}
		v := e.child(c, fieldValue)
		for i := v; i != syntax.None && i < e.nodes[v].Next; i++ {
			if e.class(i) != classAnnotation || e.t.String(e.child(i, fieldName)) != "QueueBinding" {
				continue
			}
			exchange := e.elementTopics(i, "exchange")
			keys := e.elementTopics(i, "key")
			if keys == nil {
				keys = []facts.Topic{{}}
			}
			for _, k := range keys {
				if len(exchange) == 1 {
					out = append(out, k.Under(exchange[0]))
				}
			}
			out = append(out, e.elementTopics(i, "value")...)
		}
	}
	return out
}

// topics returns the topics that an expression names: one, or those of a list.
func (e *extractor) topics(v syntax.ID) []facts.Topic {
	if v == syntax.None || e.nodes[v].Next-v > facts.MaxTopicNodes {
		return nil
	}
	switch e.class(v) {
	case classElementArray:
		var out []facts.Topic
		for x := range e.t.NamedChildren(v) {
			out = append(out, e.topics(x)...)
		}
		return out
	case classAnnotation: // @Queue("orders"), @Exchange(name = "orders")
		return e.elementTopics(v, "value", "name")
	case classCall: // List.of("orders")
		args := e.child(v, fieldArguments)
		switch e.t.String(e.child(v, fieldName)) {
		case "of", "asList", "singletonList", "singleton", "queue":
			var out []facts.Topic
			for x := range e.t.NamedChildren(args) {
				out = append(out, e.topics(x)...)
			}
			return out
		}
		return nil
	case classIdentifier, classField, classString, classBinary:
		return []facts.Topic{e.topic(v)}
	}
	return nil
}

// topic returns what an expression says of a topic: texts, constants that others
// declare, and what configuration fills in.
func (e *extractor) topic(v syntax.ID) facts.Topic {
	if s, ok := e.stringValue(v); ok {
		return facts.Topic{Text: placeholder(s)}
	}
	field := v
	if e.class(v) == classField {
		field = e.child(v, fieldField)
	}
	if o := e.outer(); o != nil && field != syntax.None && e.class(field) == classIdentifier {
		name := e.t.String(field)
		for i := range o.fields {
			if f := &o.fields[i]; f.name == name {
				if a := f.marks.has("Value", "ConfigProperty"); a != nil {
					if texts := e.pathsIn(a.node, "value", "name"); len(texts) == 1 {
						text := texts[0]
						if a.name == "ConfigProperty" {
							text = "${" + text + "}"
						}
						return facts.Topic{Text: placeholder(text)}
					}
				}
			}
		}
	}
	if e.class(v) == classBinary {
		if x, y := e.child(v, fieldLeft), e.child(v, fieldRight); x != syntax.None && y != syntax.None {
			return e.topic(x).Add(e.topic(y))
		}
	}
	if x := e.constant(v); x != none {
		return facts.Topic{Text: string(facts.Hole), Holes: []facts.ExprID{x}}
	}
	return facts.Topic{Text: facts.Unsaid}
}

// placeholder leaves what stands for a value of the configuration without what is
// taken where there is none; what is computed of such is unknown.
func placeholder(s string) string {
	if strings.HasPrefix(s, "#{") {
		return facts.Unsaid
	}
	if i := strings.IndexByte(s, ':'); i > 0 && strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}") && !strings.Contains(s[2:], "${") {
		return s[:i] + "}"
	}
	return s
}

// message notes what a call, or the creation of an object, says about messages.
func (e *extractor) message(name, args syntax.ID) {
	if name == syntax.None || args == syntax.None {
		return
	}
	if rules := messageCalls[string(e.t.Text(name))]; rules != nil {
		line, col := e.place(name)
		e.b.Message(rules, messageArgs{e, args}, e.owner, line, col, nil)
	}
}

// messageArgs are the arguments of a call.
type messageArgs struct {
	e    *extractor
	args syntax.ID
}

func (a messageArgs) Count() int { return a.e.t.CountNamed(a.args) }

func (a messageArgs) Arg(at int, _ string) int32 { return int32(a.e.t.NamedChild(a.args, at)) }

func (a messageArgs) Topics(node int32, _ []string) []facts.Topic { return a.e.topics(syntax.ID(node)) }

// Handler is nothing: what handles messages is mostly a function that stands there.
func (a messageArgs) Handler(int32) facts.ExprID { return none }

func (a messageArgs) Text(node int32) string { return a.e.t.String(syntax.ID(node)) }
