package python

import (
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Messages: calls of the clients of Kafka, RabbitMQ, NATS, MQTT, Redis and SQS, tasks
// of Celery by their names, and the decorators of FastStream and Faust.

var (
	kafkaPaths  = []string{"kafka", "aiokafka"}
	confluent   = []string{"confluent_kafka"}
	amqpPaths   = []string{"pika", "aio_pika"}
	natsPaths   = []string{"nats"}
	mqttPaths   = []string{"paho.mqtt", "aiomqtt"}
	redisPaths  = []string{"redis", "aioredis"}
	celeryPaths = []string{"celery"}
	awsPaths    = []string{"boto3", "aioboto3"}
)

var messageCalls = facts.NewMessageCalls(
	facts.MessageCall{Name: "KafkaConsumer", From: kafkaPaths, Broker: "KAFKA", By: -1, Every: true},
	facts.MessageCall{Name: "AIOKafkaConsumer", From: kafkaPaths, Broker: "KAFKA", By: -1, Every: true},
	facts.MessageCall{Name: "subscribe", From: kafkaPaths, Broker: "KAFKA", Key: "topics", By: -1},
	facts.MessageCall{Name: "send", From: kafkaPaths, Broker: "KAFKA", Key: "topic", Publish: true},
	facts.MessageCall{Name: "send_and_wait", From: kafkaPaths, Broker: "KAFKA", Key: "topic", Publish: true},
	facts.MessageCall{Name: "subscribe", From: confluent, Broker: "KAFKA", Key: "topics", By: -1},
	facts.MessageCall{Name: "produce", From: confluent, Broker: "KAFKA", Key: "topic", Publish: true},
	facts.MessageCall{Name: "basic_publish", From: amqpPaths, Broker: "AMQP", At: 1, Key: "routing_key", InKey: "exchange", Least: 2, Publish: true},
	facts.MessageCall{Name: "basic_consume", From: amqpPaths, Broker: "AMQP", Key: "queue", By: 1, ByKey: "on_message_callback"},
	facts.MessageCall{Name: "queue_bind", From: amqpPaths, Binds: true, Key: "queue", In: 1, InKey: "exchange", To: 2, ToKey: "routing_key", Least: 2},
	facts.MessageCall{Name: "publish", From: natsPaths, Broker: "NATS", Key: "subject", Publish: true},
	facts.MessageCall{Name: "request", From: natsPaths, Broker: "NATS", Key: "subject", Publish: true},
	facts.MessageCall{Name: "subscribe", From: natsPaths, Broker: "NATS", Key: "subject", By: 2, ByKey: "cb"},
	facts.MessageCall{Name: "publish", From: mqttPaths, Broker: "MQTT", Key: "topic", Publish: true},
	facts.MessageCall{Name: "subscribe", From: mqttPaths, Broker: "MQTT", Key: "topic", By: -1},
	facts.MessageCall{Name: "publish", From: redisPaths, Broker: "REDIS", Key: "channel", Publish: true},
	facts.MessageCall{Name: "subscribe", From: redisPaths, Broker: "REDIS", By: -1, Every: true},
	facts.MessageCall{Name: "send_task", From: celeryPaths, Broker: "TASK", Key: "name", Publish: true},
	facts.MessageCall{Name: "send_message", From: awsPaths, Broker: "SQS", At: maxArgs, Key: "QueueUrl", Publish: true},
	facts.MessageCall{Name: "receive_message", From: awsPaths, Broker: "SQS", At: maxArgs, Key: "QueueUrl", By: -1},
)

// maxArgs stands for an argument that is only given by its name.
const maxArgs = 1 << 20

// brokersOf are the modules of FastStream.
var brokersOf = map[string][]string{"KAFKA": {"faststream.kafka", "faststream.confluent"}, "AMQP": {"faststream.rabbit"}, "NATS": {"faststream.nats"}, "REDIS": {"faststream.redis"}}

// What a file may know of: messages, clients and routers are looked for only where the
// source names some.
var (
	messageWords = []string{"kafka", "pika", "nats", "mqtt", "redis", "celery", "boto3", "faststream"}
	makerWords   = []string{"lient(", "ession(", "Blueprint(", "APIRouter("} // see clientMakers, routerMakers
)

// Sets of words.
const (
	ofMessages uint8 = 1 << iota
	ofMakers
)

var knownWords = sync.OnceValue(func() *facts.Finder { return facts.NewFinder(messageWords, makerWords) })

// messaging reports whether the source may know of messages: it names a client.
func (e *extractor) messaging() bool { return e.mentions&ofMessages != 0 }

// message notes what a call says about messages.
func (e *extractor) message(fn, args syntax.ID) {
	if args == syntax.None || e.class(args) == classGenerator || !e.messaging() {
		return
	}
	name := fn
	if e.class(fn) == classAttribute {
		name = e.child(fn, fieldAttribute)
	} else if e.class(fn) != classIdentifier {
		return
	}
	if name == syntax.None {
		return
	}
	word := string(e.t.Text(name))
	line, col := e.place(name)
	if rules := messageCalls[word]; rules != nil {
		e.b.Message(rules, messageArgs{e, args}, e.owner, line, col, nil)
	}
	if word == "publish" {
		for _, broker := range facts.Brokers { // broker.publish(message, "topic")
			if from := brokersOf[broker]; from != nil {
				e.b.Message([]facts.MessageCall{{From: from, Broker: broker, At: 1, Key: topicKey(broker), Publish: true}}, messageArgs{e, args}, e.owner, line, col, nil)
			}
		}
	}
}

// topicKey is what FastStream calls the topics of a broker.
func topicKey(broker string) string {
	switch broker {
	case "NATS":
		return "subject"
	case "AMQP":
		return "queue"
	case "REDIS":
		return "channel"
	}
	return "topic"
}

// messages adds what the decorators of a function say about messages.
func (e *extractor) messages(d facts.DeclID, marks []mark) {
	if !e.messaging() {
		return
	}
	for _, m := range marks {
		if e.class(m.node) != classCall {
			continue
		}
		args := e.child(m.node, fieldArguments)
		if args == syntax.None {
			continue
		}
		line, col := e.place(m.node)
		a := messageArgs{e, args}
		switch m.last {
		case "subscriber", "publisher":
			for _, broker := range facts.Brokers {
				if from := brokersOf[broker]; from != nil && strings.Contains(m.name, ".") {
					r := facts.MessageCall{From: from, Broker: broker, Key: topicKey(broker), By: -1, Publish: m.last == "publisher"}
					e.b.Message([]facts.MessageCall{r}, a, d, line, col, nil)
				}
			}
		case "task", "shared_task":
			r := facts.MessageCall{From: celeryPaths, Broker: "TASK", At: maxArgs, Key: "name", By: -1}
			e.b.Message([]facts.MessageCall{r}, a, d, line, col, nil)
		}
	}
}

// messageArgs are the arguments of a call.
type messageArgs struct {
	e    *extractor
	args syntax.ID
}

func (a messageArgs) Count() int { return a.e.t.CountNamed(a.args) }

func (a messageArgs) Arg(at int, keyword string) int32 {
	e := a.e
	for c := range e.t.NamedChildren(a.args) {
		switch e.class(c) {
		case classKeywordArgument:
			if name := e.child(c, fieldName); keyword != "" && name != syntax.None && e.t.String(name) == keyword {
				return int32(e.child(c, fieldValue))
			}
		default:
			if at == 0 {
				return int32(c)
			}
			at--
		}
	}
	return -1
}

func (a messageArgs) Text(node int32) string { return a.e.t.String(syntax.ID(node)) }

// Handler returns the expression of a handler that has a name.
func (a messageArgs) Handler(node int32) facts.ExprID {
	switch a.e.class(syntax.ID(node)) {
	case classIdentifier, classAttribute:
		return a.e.namedAt(syntax.ID(node))
	}
	return none
}

func (a messageArgs) Topics(node int32, _ []string) []facts.Topic {
	e, i := a.e, syntax.ID(node)
	if node < 0 || e.nodes[i].Next-i > facts.MaxTopicNodes {
		return nil
	}
	switch e.class(i) {
	case classList, classTuple:
		var out []facts.Topic
		for c := range e.t.NamedChildren(i) {
			out = append(out, a.Topics(int32(c), nil)...)
		}
		return out
	case classString, classIdentifier, classAttribute, classBinary, classParen:
		return []facts.Topic{e.topic(i)}
	}
	return nil
}

// topic returns what an expression says of a topic.
func (e *extractor) topic(i syntax.ID) facts.Topic {
	if i == syntax.None {
		return facts.Topic{Text: facts.Unsaid}
	}
	if s, ok := e.constant(i); ok {
		return facts.Topic{Text: s}
	}
	switch e.class(i) {
	case classParen:
		return e.topic(e.t.FirstNamed(i))
	case classIdentifier, classAttribute:
		if x := e.namedAt(i); x != none {
			return facts.Topic{Text: string(facts.Hole), Holes: []facts.ExprID{x}}
		}
	}
	return facts.Topic{Text: facts.Unsaid}
}

// namedAt returns the expression that was added for the name at node i; None where it
// is not among the last ones.
func (e *extractor) namedAt(i syntax.ID) facts.ExprID {
	if e.class(i) == classAttribute {
		i = e.child(i, fieldAttribute)
	}
	if i == syntax.None {
		return none
	}
	return e.b.NameAt(e.place(i))
}

// maxText bounds the texts of variables that are kept.
const maxText = 256

// texted returns a literal of a string with its text, for the value of a variable of
// a module or class; the value as it is for all else.
func (e *extractor) texted(right syntax.ID, v facts.ExprID) facts.ExprID {
	if s, ok := e.constant(right); ok && s != "" && len(s) <= maxText && !strings.Contains(s, "\n") {
		return e.b.AddText(s)
	}
	return v
}
