package golang

import (
	"bytes"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Messages: calls of the clients of Kafka, NATS, RabbitMQ, MQTT, Redis, SQS and asynq,
// and the values of their types that name a topic.

var (
	natsPaths  = []string{"github.com/nats-io/nats.go"}
	amqpPaths  = []string{"github.com/rabbitmq/amqp091-go", "github.com/streadway/amqp"}
	mqttPaths  = []string{"github.com/eclipse/paho.mqtt.golang"}
	redisPaths = []string{"github.com/redis/go-redis", "github.com/go-redis/redis"}
	kafkaPaths = []string{"github.com/segmentio/kafka-go"}
	sarama     = []string{"github.com/IBM/sarama", "github.com/Shopify/sarama"}
	confluent  = []string{"github.com/confluentinc/confluent-kafka-go"}
	franz      = []string{"github.com/twmb/franz-go"}
	watermill  = []string{"github.com/ThreeDotsLabs/watermill"}
	asynq      = []string{"github.com/hibiken/asynq"}
	sqsPaths   = []string{"github.com/aws/aws-sdk-go-v2/service/sqs", "github.com/aws/aws-sdk-go/service/sqs"}
)

// messageCalls are functions, methods and, under their names, types of composites
// with a field that names the topic.
var messageCalls = facts.NewMessageCalls(
	facts.MessageCall{Name: "Publish", From: natsPaths, Broker: "NATS", Publish: true},
	facts.MessageCall{Name: "PublishAsync", From: natsPaths, Broker: "NATS", Publish: true},
	facts.MessageCall{Name: "PublishRequest", From: natsPaths, Broker: "NATS", Publish: true},
	facts.MessageCall{Name: "Request", From: natsPaths, Broker: "NATS", Publish: true},
	facts.MessageCall{Name: "RequestWithContext", From: natsPaths, Broker: "NATS", Publish: true, At: 1},
	facts.MessageCall{Name: "Msg", From: natsPaths, Broker: "NATS", Publish: true, Fields: []string{"Subject"}},
	facts.MessageCall{Name: "NewMsg", From: natsPaths, Broker: "NATS", Publish: true},
	facts.MessageCall{Name: "Subscribe", From: natsPaths, Broker: "NATS", By: 1},
	facts.MessageCall{Name: "SubscribeSync", From: natsPaths, Broker: "NATS", By: -1},
	facts.MessageCall{Name: "ChanSubscribe", From: natsPaths, Broker: "NATS", By: -1},
	facts.MessageCall{Name: "QueueSubscribe", From: natsPaths, Broker: "NATS", By: 2},
	facts.MessageCall{Name: "QueueSubscribeSync", From: natsPaths, Broker: "NATS", By: -1},
	facts.MessageCall{Name: "PullSubscribe", From: natsPaths, Broker: "NATS", By: -1},
	facts.MessageCall{Name: "Publish", From: amqpPaths, Broker: "AMQP", Publish: true, At: 1, Least: 2},
	facts.MessageCall{Name: "PublishWithContext", From: amqpPaths, Broker: "AMQP", Publish: true, At: 2, In: 1, Least: 3},
	facts.MessageCall{Name: "Consume", From: amqpPaths, Broker: "AMQP", By: -1},
	facts.MessageCall{Name: "ConsumeWithContext", From: amqpPaths, Broker: "AMQP", At: 1, By: -1},
	facts.MessageCall{Name: "QueueBind", From: amqpPaths, Binds: true, To: 1, In: 2, Least: 3},
	facts.MessageCall{Name: "Publish", From: mqttPaths, Broker: "MQTT", Publish: true},
	facts.MessageCall{Name: "Subscribe", From: mqttPaths, Broker: "MQTT", By: 2},
	facts.MessageCall{Name: "Publish", From: redisPaths, Broker: "REDIS", Publish: true, At: 1},
	facts.MessageCall{Name: "Subscribe", From: redisPaths, Broker: "REDIS", At: 1, By: -1, Every: true},
	facts.MessageCall{Name: "Message", From: kafkaPaths, Broker: "KAFKA", Publish: true, Fields: []string{"Topic"}},
	facts.MessageCall{Name: "Writer", From: kafkaPaths, Broker: "KAFKA", Publish: true, Fields: []string{"Topic"}},
	facts.MessageCall{Name: "WriterConfig", From: kafkaPaths, Broker: "KAFKA", Publish: true, Fields: []string{"Topic"}},
	facts.MessageCall{Name: "ReaderConfig", From: kafkaPaths, Broker: "KAFKA", By: -1, Fields: []string{"Topic", "GroupTopics"}},
	facts.MessageCall{Name: "ProducerMessage", From: sarama, Broker: "KAFKA", Publish: true, Fields: []string{"Topic"}},
	facts.MessageCall{Name: "ConsumePartition", From: sarama, Broker: "KAFKA", By: -1},
	facts.MessageCall{Name: "Consume", From: sarama, Broker: "KAFKA", At: 1, By: -1},
	facts.MessageCall{Name: "TopicPartition", From: confluent, Broker: "KAFKA", Publish: true, Fields: []string{"Topic"}},
	facts.MessageCall{Name: "SubscribeTopics", From: confluent, Broker: "KAFKA", By: -1},
	facts.MessageCall{Name: "Subscribe", From: confluent, Broker: "KAFKA", By: -1},
	facts.MessageCall{Name: "Record", From: franz, Broker: "KAFKA", Publish: true, Fields: []string{"Topic"}},
	facts.MessageCall{Name: "ConsumeTopics", From: franz, Broker: "KAFKA", By: -1, Every: true},
	facts.MessageCall{Name: "Publish", From: watermill, Broker: "CHANNEL", Publish: true},
	facts.MessageCall{Name: "Subscribe", From: watermill, Broker: "CHANNEL", At: 1, By: -1},
	facts.MessageCall{Name: "AddNoPublisherHandler", From: watermill, Broker: "CHANNEL", At: 1, By: 3},
	facts.MessageCall{Name: "AddConsumerHandler", From: watermill, Broker: "CHANNEL", At: 1, By: 3},
	facts.MessageCall{Name: "AddHandler", From: watermill, Broker: "CHANNEL", At: 1, By: 5},
	facts.MessageCall{Name: "NewTask", From: asynq, Broker: "TASK", Publish: true},
	facts.MessageCall{Name: "HandleFunc", From: asynq, Broker: "TASK", By: 1},
	facts.MessageCall{Name: "SendMessageInput", From: sqsPaths, Broker: "SQS", Publish: true, Fields: []string{"QueueUrl"}},
	facts.MessageCall{Name: "ReceiveMessageInput", From: sqsPaths, Broker: "SQS", By: -1, Fields: []string{"QueueUrl"}},
)

// messaging reports whether the file imports a client of a broker. Only the header
// of a file has imports, so that what was asked first holds.
func (e *extractor) messaging() bool {
	if e.web.messaging == 0 {
		e.web.messaging = 2
		for k := range e.b.Imports {
			p := e.b.Strings[e.b.Imports[k].Path]
			for _, part := range [...]string{"nats", "amqp", "mqtt", "redis", "kafka", "sarama", "franz", "watermill", "asynq", "sqs"} {
				if strings.Contains(p, part) {
					e.web.messaging = 1
				}
			}
		}
	}
	return e.web.messaging == 1
}

// message notes what a call of name with the arguments ids, or a composite of a type
// of that name, says about messages.
func (e *extractor) message(name, args syntax.ID, ids []int32) {
	if name == syntax.None || args == syntax.None || !e.messaging() {
		return
	}
	if rules := messageCalls[string(e.t.Text(name))]; rules != nil {
		line, col := e.place(name)
		e.b.Message(rules, messageArgs{e, args, ids}, e.owner, line, col, nil)
	}
}

// composed is message for a composite of the type at node typ with elements in body.
func (e *extractor) composed(typ, body syntax.ID) {
	if typ == syntax.None || body == syntax.None || classOf(e.nodes[typ].Kind) != classQualifiedType || !e.messaging() {
		return
	}
	name := e.child(typ, fieldName)
	if rules := messageCalls[string(e.t.Text(name))]; rules != nil && rules[0].Fields != nil {
		line, col := e.place(name)
		e.b.Message(rules, messageArgs{e, body, nil}, e.owner, line, col, nil)
	}
}

// messageArgs are the arguments of a call, or the elements of a composite, which is
// its own first argument.
type messageArgs struct {
	e    *extractor
	args syntax.ID
	ids  []int32 // nil: of a composite
}

func (a messageArgs) Count() int { return len(a.ids) }

func (a messageArgs) Arg(at int, _ string) int32 {
	if a.ids == nil && at == 0 {
		return int32(a.args)
	}
	return int32(a.e.t.NamedChild(a.args, at))
}

func (a messageArgs) Text(node int32) string {
	return string(bytes.TrimSpace(a.e.t.Text(syntax.ID(node))))
}

// Handler returns the expression of a handler that has a name.
func (a messageArgs) Handler(node int32) facts.ExprID {
	switch classOf(a.e.nodes[node].Kind) {
	case classIdentifier, classSelector:
		return a.e.namedAt(syntax.ID(node))
	}
	return none
}

func (a messageArgs) Topics(node int32, fields []string) []facts.Topic {
	e, i := a.e, syntax.ID(node)
	if node < 0 || e.nodes[i].Next-i > facts.MaxTopicNodes {
		return nil
	}
	var out []facts.Topic
	switch classOf(e.nodes[i].Kind) {
	case classLiteralValue:
		for c := range e.t.NamedChildren(i) {
			v := c
			if classOf(e.nodes[c].Kind) == classKeyedElement {
				k := e.child(c, fieldKey)
				if v = e.child(c, fieldValue); !has(fields, strings.TrimSpace(string(e.t.Text(k)))) {
					continue
				}
			} else if fields != nil {
				continue
			}
			if classOf(e.nodes[v].Kind) == classLiteralElement {
				v = e.t.FirstNamed(v)
			}
			out = append(out, a.Topics(int32(v), nil)...)
		}
		return out
	case classComposite:
		if fields == nil { // []string{"orders"}
			return a.Topics(int32(e.child(i, fieldBody)), nil)
		}
		return nil
	case classUnary: // &topic
		if v := e.child(i, fieldOperand); v != syntax.None {
			return a.Topics(int32(v), fields)
		}
		return nil
	case classCall: // aws.String(url)
		if fn, args := e.child(i, fieldFunction), e.child(i, fieldArguments); fn != syntax.None && args != syntax.None && string(e.t.Text(fn)) == "aws.String" {
			return a.Topics(int32(e.t.FirstNamed(args)), nil)
		}
		return nil
	}
	if fields != nil {
		return nil
	}
	return []facts.Topic{e.topic(i)}
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// topic returns what an expression says of a topic.
func (e *extractor) topic(i syntax.ID) facts.Topic {
	if i == syntax.None {
		return facts.Topic{Text: facts.Unsaid}
	}
	if s, ok := e.stringLiteral(i); ok {
		return facts.Topic{Text: s}
	}
	switch classOf(e.nodes[i].Kind) {
	case classParen:
		return e.topic(e.t.FirstNamed(i))
	case classIdentifier, classSelector:
		if x := e.namedAt(i); x != none {
			return facts.Topic{Text: string(facts.Hole), Holes: []facts.ExprID{x}}
		}
	case classBinary:
		if op := e.child(i, fieldOperator); op != syntax.None && string(e.t.Text(op)) == "+" {
			return e.topic(e.child(i, fieldLeft)).Add(e.topic(e.child(i, fieldRight)))
		}
	}
	return facts.Topic{Text: facts.Unsaid}
}

// namedAt returns the expression that was added for the name at node i; None where it
// is not among the last ones.
func (e *extractor) namedAt(i syntax.ID) facts.ExprID {
	if classOf(e.nodes[i].Kind) == classSelector {
		if i = e.child(i, fieldField); i == syntax.None {
			return none
		}
	}
	return e.b.NameAt(e.place(i))
}
