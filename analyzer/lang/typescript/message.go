package typescript

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Messages: calls of kafkajs, amqplib, NATS, MQTT.js, Redis, SQS and BullMQ, and the
// clients and decorators of Nest's microservices.

var (
	kafkajs   = []string{"kafkajs", "@confluentinc/kafka-javascript"}
	amqplib   = []string{"amqplib", "amqp-connection-manager"}
	natsPaths = []string{"nats", "@nats-io/nats-core", "@nats-io/transport-node"}
	mqttPaths = []string{"mqtt", "async-mqtt"}
	redis     = []string{"redis", "ioredis", "@redis/client"}
	nest      = []string{"@nestjs/microservices"}
	bull      = []string{"bullmq", "bull", "@nestjs/bullmq", "@nestjs/bull"}
	sqsPaths  = []string{"@aws-sdk/client-sqs", "aws-sdk"}
)

var messageCalls = facts.NewMessageCalls(
	facts.MessageCall{Name: "send", From: kafkajs, Broker: "KAFKA", Publish: true, Fields: []string{"topic"}},
	facts.MessageCall{Name: "subscribe", From: kafkajs, Broker: "KAFKA", By: -1, Fields: []string{"topic", "topics"}},
	facts.MessageCall{Name: "sendToQueue", From: amqplib, Broker: "AMQP", Publish: true},
	facts.MessageCall{Name: "publish", From: amqplib, Broker: "AMQP", Publish: true, At: 1, Least: 2},
	facts.MessageCall{Name: "consume", From: amqplib, Broker: "AMQP", By: 1},
	facts.MessageCall{Name: "bindQueue", From: amqplib, Broker: "AMQP", Binds: true, In: 1, To: 2, Least: 3},
	facts.MessageCall{Name: "publish", From: natsPaths, Broker: "NATS", Publish: true},
	facts.MessageCall{Name: "request", From: natsPaths, Broker: "NATS", Publish: true},
	facts.MessageCall{Name: "subscribe", From: natsPaths, Broker: "NATS", By: -1},
	facts.MessageCall{Name: "publish", From: mqttPaths, Broker: "MQTT", Publish: true},
	facts.MessageCall{Name: "publishAsync", From: mqttPaths, Broker: "MQTT", Publish: true},
	facts.MessageCall{Name: "subscribe", From: mqttPaths, Broker: "MQTT", By: -1},
	facts.MessageCall{Name: "subscribeAsync", From: mqttPaths, Broker: "MQTT", By: -1},
	facts.MessageCall{Name: "publish", From: redis, Broker: "REDIS", Publish: true},
	facts.MessageCall{Name: "subscribe", From: redis, Broker: "REDIS", By: 1},
	facts.MessageCall{Name: "emit", From: nest, Broker: "MESSAGE", Publish: true},
	facts.MessageCall{Name: "send", From: nest, Broker: "MESSAGE", Publish: true},
	facts.MessageCall{Name: "Worker", From: bull, Broker: "TASK", By: 1},
	facts.MessageCall{Name: "Queue", From: bull, Broker: "TASK", Publish: true},
	facts.MessageCall{Name: "SendMessageCommand", From: sqsPaths, Broker: "SQS", Publish: true, Fields: []string{"QueueUrl"}},
	facts.MessageCall{Name: "ReceiveMessageCommand", From: sqsPaths, Broker: "SQS", By: -1, Fields: []string{"QueueUrl"}},
)

// listenerMarks are the decorators of Nest's methods that get messages.
var listenerMarks = facts.NewMessageCalls(
	facts.MessageCall{Name: "MessagePattern", From: nest, Broker: "MESSAGE", By: -1},
	facts.MessageCall{Name: "EventPattern", From: nest, Broker: "MESSAGE", By: -1},
)

// messaging reports whether the source may know of messages: it names a client.
func (e *extractor) messaging() bool { return e.mentions&ofMessages != 0 }

// message notes what the call or creation at node i, of what is at node fn, says about
// messages.
func (e *extractor) message(fn, args syntax.ID) {
	if !e.messaging() || fn == syntax.None || !e.is(args, classArguments) {
		return
	}
	if e.is(fn, classMember) {
		fn = e.child(fn, e.f.property)
	}
	if fn == syntax.None {
		return
	}
	if rules := messageCalls[string(e.t.Text(fn))]; rules != nil {
		line, col := e.place(fn)
		e.b.Message(rules, messageArgs{e, args}, e.owner, line, col, nil)
	}
}

// messageMarks adds what the decorators of a method say about messages.
func (e *extractor) messageMarks(method facts.DeclID, decorators []syntax.ID) {
	for _, i := range decorators {
		c := e.t.FirstNamed(i)
		if !e.is(c, classCall) || !e.messaging() {
			continue
		}
		fn, args := e.child(c, e.f.function), e.child(c, e.f.arguments)
		if !e.is(fn, classIdentifier) || !e.is(args, classArguments) {
			continue
		}
		if rules := listenerMarks[e.t.String(fn)]; rules != nil {
			line, col := e.place(fn)
			e.b.Message(rules, messageArgs{e, args}, method, line, col, nil)
		}
	}
}

// messageArgs are the arguments of a call.
type messageArgs struct {
	e    *extractor
	args syntax.ID
}

func (a messageArgs) Count() int { return a.e.t.CountNamed(a.args) }

func (a messageArgs) Arg(at int, _ string) int32 { return int32(a.e.t.NamedChild(a.args, at)) }

func (a messageArgs) Text(node int32) string { return a.e.t.String(syntax.ID(node)) }

// Handler returns the expression of a handler that has a name.
func (a messageArgs) Handler(node int32) facts.ExprID {
	if i := syntax.ID(node); a.e.is(i, classIdentifier) || a.e.is(i, classMember) {
		return a.e.exprAtPlace(i)
	}
	return none
}

// maxTopicNodes bounds the nodes of an expression that names topics, which may be an
// object with much else.
const maxTopicNodes = 2 * facts.MaxTopicNodes

func (a messageArgs) Topics(node int32, fields []string) []facts.Topic {
	e, i := a.e, syntax.ID(node)
	if node < 0 || e.nodes[i].Next-i > maxTopicNodes {
		return nil
	}
	var out []facts.Topic
	switch e.class(i) {
	case classObject:
		for c := range e.t.NamedChildren(i) {
			k := e.child(c, e.f.key)
			switch {
			case e.is(c, classShorthand) && slices.Contains(fields, e.t.String(c)):
				if x := e.exprAtPlace(c); x != none {
					out = append(out, facts.Topic{Text: string(facts.Hole), Holes: []facts.ExprID{x}})
				}
			case k != syntax.None && slices.Contains(fields, string(e.unquoted(k))):
				out = append(out, a.Topics(int32(e.child(c, e.f.value)), nil)...)
			case k != syntax.None && fields == nil: // {cmd: "sum"}
				if v := e.child(c, e.f.value); e.is(v, classString) {
					out = append(out, facts.Topic{Text: e.t.String(k) + "=" + string(e.unquoted(v))})
				}
			}
		}
		if fields == nil && len(out) != 1 {
			return nil
		}
		return out
	case classArray:
		for c := range e.t.NamedChildren(i) {
			out = append(out, a.Topics(int32(c), nil)...)
		}
		return out
	}
	if fields != nil {
		return nil
	}
	switch e.class(i) {
	case classString, classTemplate, classIdentifier, classMember, classBinary, classParen, classAs:
		return []facts.Topic{e.topic(i)}
	}
	return nil
}

// topic returns what an expression says of a topic.
func (e *extractor) topic(i syntax.ID) facts.Topic {
	if i == syntax.None {
		return facts.Topic{Text: facts.Unsaid}
	}
	switch e.class(i) {
	case classString:
		return facts.Topic{Text: string(e.unquoted(i))}
	case classTemplate:
		if e.childOf(i, classSubstitution) == syntax.None && e.nodes[i].End-e.nodes[i].Start > 2 {
			return facts.Topic{Text: string(e.src[e.nodes[i].Start+1 : e.nodes[i].End-1])}
		}
	case classParen, classAs:
		return e.topic(e.t.FirstNamed(i))
	case classIdentifier, classMember:
		if x := e.exprAtPlace(i); x != none {
			return facts.Topic{Text: string(facts.Hole), Holes: []facts.ExprID{x}}
		}
	case classBinary:
		if e.reads(e.child(i, e.f.operator), "+") {
			return e.topic(e.child(i, e.f.left)).Add(e.topic(e.child(i, e.f.right)))
		}
	}
	return facts.Topic{Text: facts.Unsaid}
}

// maxText bounds the texts of constants that are kept.
const maxText = 256

// texted returns a literal of a string with its text, for what a constant, a member
// of an enumeration or an element of an object is; the value as it is for all else.
func (e *extractor) texted(node syntax.ID, v facts.ExprID) facts.ExprID {
	if node == syntax.None || !e.is(node, classString) {
		return v
	}
	if s := string(e.unquoted(node)); s != "" && len(s) <= maxText {
		return e.b.AddText(s)
	}
	return v
}
