package facts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Messages over brokers. Who listens to a topic, queue or subject is a route whose
// verb is one of [Brokers] and whose path is the topic; who sends one is a local
// declaration with [VerbPublish] before these two. The value of both is an
// [OpKeyValue]: X is what handles a message, if no declaration around it does, and Y
// an [OpComposite] of what the holes in the name stand for, see [Hole].

// VerbPublish is the verb of a declaration that is no route: it says that the
// declaration around it sends messages to the topic that follows.
const VerbPublish = "PUBLISH"

// Brokers are what carries messages, as the verbs of routes: names of one do not
// reach those who listen with another.
var Brokers = []string{"KAFKA", "AMQP", "JMS", "NATS", "SQS", "SNS", "PULSAR", "MQTT", "REDIS", "CHANNEL", "MESSAGE", "TASK"}

// Unsaid stands in a topic for what the file does not show.
const Unsaid = "?"

// Bounds of the messages of one file: how many are kept, and the bytes of a topic.
const (
	maxMessages = 1 << 12
	maxTopic    = 256
)

// Topic is what is known of the name of a topic: text with a [Hole] for each of the
// expressions that name constants.
type Topic struct {
	Text  string
	Holes []ExprID
}

// Add puts another part behind a topic.
func (t Topic) Add(o Topic) Topic {
	return Topic{t.Text + o.Text, slices.Concat(t.Holes, o.Holes)}
}

// Under returns the topic of messages with a key that an exchange gets: queues that
// are bound to it get those. The exchange without a name takes the key as that of a
// queue.
func (t Topic) Under(exchange Topic) Topic {
	switch {
	case exchange.Text == "":
		return t
	case t.Text == "":
		return exchange
	}
	return exchange.Add(Topic{Text: "/"}).Add(t)
}

// ShortTopic leaves of the name of a message's declaration whose topic is an address
// or a name of a cloud what is behind the last colon or slash.
func ShortTopic(name string) string {
	i := strings.LastIndexAny(name, "/:")
	for _, broker := range [...]string{"SQS ", "SNS "} {
		if at := strings.Index(name, broker); i > 0 && (at == 0 || at == len(VerbPublish)+1) {
			return name[:at] + broker + name[i+1:]
		}
	}
	return name
}

// AddListener adds the route of a topic that something listens to: the handler, or if
// that is None the declaration owner. It returns None if nothing of the topic is
// known or the file has too many.
func (b *Builder) AddListener(broker string, t Topic, owner DeclID, handler ExprID, line, col int32) DeclID {
	local := false
	for o := owner; o != None && !local; o = b.Decls[o].Parent {
		name := b.Strings[b.Decls[o].Name]
		local = b.Decls[o].Flags.Has(graph.FlagTestCase) || strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "test")
	}
	if handler != None {
		owner = None
	}
	d := b.addMessage(broker+" "+t.Text, t, owner, handler, line, col)
	if d == None {
		return d
	}
	p := &b.Decls[d]
	if local { // what a test listens to for itself is nobody else's
		p.Traits |= TraitLocal
		return d
	}
	if b.heard == nil {
		b.heard = map[Str]int{}
	}
	if b.heard[p.Name]++; b.heard[p.Name] > 1 || len(t.Holes) > 0 {
		p.Shape = b.InternString("~" + strconv.Itoa(b.heard[p.Name]))
	}
	return d
}

// AddPublication stores that a declaration sends messages to a topic.
func (b *Builder) AddPublication(broker string, t Topic, owner DeclID, line, col int32) {
	if d := b.addMessage(VerbPublish+" "+broker+" "+t.Text, t, owner, None, line, col); d != None {
		b.Decls[d].Traits |= TraitLocal
	}
}

func (b *Builder) addMessage(name string, t Topic, owner DeclID, handler ExprID, line, col int32) DeclID {
	text := strings.Trim(t.Text, Unsaid+" ./")
	if b.messages++; text == "" || strings.Contains(name, "TASK /") || // paths are routed by the same methods
		len(t.Text) > maxTopic || b.messages > maxMessages || strings.ContainsFunc(t.Text, func(r rune) bool { return r < ' ' && r != Hole }) ||
		strings.Count(t.Text, string(Hole)) != len(t.Holes) {
		return None
	}
	if len(t.Holes) == 0 {
		name = ShortTopic(name)
	}
	holes := make([]int32, len(t.Holes))
	for i, h := range t.Holes {
		holes[i] = int32(h)
	}
	x := Expr{Op: OpKeyValue, X: handler, Y: None}
	x.Y = b.AddExpr(Expr{Op: OpComposite, X: None, Y: None, Args: b.AddList(holes)})
	v := b.AddExpr(x)
	d := b.AddDecl(graph.KindRoute, b.InternString(name), owner)
	p := &b.Decls[d]
	p.Value, p.Signature = v, p.Name
	p.DefLine, p.Line, p.Col, p.EndLine = line, line, col, line
	p.Flags, p.Traits = graph.FlagEntryPoint, TraitSynthetic|TraitFileScoped
	return d
}

// AddText adds a literal of a string whose text is kept.
func (b *Builder) AddText(s string) ExprID {
	text := b.AddExpr(Expr{Op: OpNone, Name: b.InternString(s), X: None, Y: None})
	return b.AddExpr(Expr{Op: OpLiteral, Name: b.InternString("string"), X: text, Y: None})
}

// MessageCall says of one function or method of a library which topic it sends
// messages to or listens to. Arguments are told by their positions from 0, or by
// keywords where the language has them.
type MessageCall struct {
	Name    string
	From    []string // what the paths of imports begin with of which the file has one
	Broker  string
	Publish bool

	// At and Key are the argument that is the topic, a list of topics, or an object
	// that has them as Fields.
	At     int
	Key    string
	Fields []string

	// In and InKey are the argument that is the exchange whose key the topic is,
	// where there are at least Least arguments; Least 0: there is no exchange.
	In    int
	InKey string
	Least int

	// By and ByKey are the argument that handles the messages; -1: there is none, and
	// what calls handles them itself.
	By    int
	ByKey string

	// Binds says that the call binds the queue At to the topic that the exchange In
	// and its key, the argument To or ToKey, are.
	Binds bool
	To    int
	ToKey string

	Every bool // all arguments from At on are topics
}

// MessageArgs are the arguments of a call as a language's extractor sees them. Nodes
// are those of its tree; there is none below 0.
type MessageArgs interface {
	Count() int
	Arg(at int, keyword string) int32
	Topics(node int32, fields []string) []Topic // nothing: the node has none
	Handler(node int32) ExprID
	Text(node int32) string
}

// MaxTopicNodes bounds the nodes of an expression that names topics.
const MaxTopicNodes = 512

// nearExprs is how many expressions back [Builder.NameAt] looks.
const nearExprs = 256

// NameAt returns the expression that was added for the name at a place; None where
// it is not among the last ones.
func (b *Builder) NameAt(line, col int32) ExprID {
	for k := len(b.Exprs) - 1; k >= max(0, len(b.Exprs)-nearExprs); k-- {
		if x := &b.Exprs[k]; x.Line == line && x.Col == col && (x.Op == OpName || x.Op == OpSelect) {
			return ExprID(k)
		}
	}
	return None
}

// MessageCalls are rules by name.
type MessageCalls map[string][]MessageCall

// NewMessageCalls sorts rules by name.
func NewMessageCalls(rules ...MessageCall) MessageCalls {
	m := MessageCalls{}
	for _, r := range rules {
		m[r.Name] = append(m[r.Name], r)
	}
	return m
}

// imports reports whether the file imports one of the paths, or what is below.
func (b *Builder) imports(paths []string) bool {
	for i := range b.Imports {
		p := b.Strings[b.Imports[i].Path]
		for _, want := range paths {
			if rest, ok := strings.CutPrefix(p, want); ok && (rest == "" || strings.ContainsAny(rest[:1], "./") || strings.ContainsAny(want[len(want)-1:], "./")) {
				return true
			}
		}
	}
	return false
}

// Message stores what a call of a function or method says about messages. Listeners
// that are added are given to listens, if that is not nil.
func (b *Builder) Message(rules []MessageCall, args MessageArgs, owner DeclID, line, col int32, listens func(DeclID)) {
	for i := range rules {
		if r := &rules[i]; b.imports(r.From) && b.message(r, args, owner, line, col, listens) {
			return
		}
	}
}

func (b *Builder) message(r *MessageCall, args MessageArgs, owner DeclID, line, col int32, listens func(DeclID)) bool {
	at := args.Arg(r.At, r.Key)
	if at < 0 {
		return false
	}
	var exchange Topic
	if r.Least > 0 && args.Count() >= r.Least {
		if in := args.Arg(r.In, r.InKey); in >= 0 {
			if list := args.Topics(in, nil); len(list) == 1 {
				exchange = list[0]
			} else {
				return false
			}
		}
	} else if r.Least > 0 && r.At > 0 { // the exchange is left out
		at = args.Arg(0, r.Key)
	}
	if exchange.Text != "" && !r.Binds && len(args.Topics(at, r.Fields)) == 0 { // a key, a message, and more
		at, exchange = args.Arg(0, ""), Topic{}
	}
	if r.Binds {
		if key := args.Topics(args.Arg(r.To, r.ToKey), nil); len(key) == 1 && exchange.Text != "" {
			b.queues.bind(args.Text(at), key[0].Under(exchange))
		}
		return true
	}
	handler := ExprID(None)
	if r.By >= 0 {
		if by := args.Arg(r.By, r.ByKey); by >= 0 {
			handler = args.Handler(by)
		}
	}
	topics := args.Topics(at, r.Fields)
	for k := r.At + 1; r.Every && args.Arg(k, "") >= 0; k++ {
		topics = append(topics, args.Topics(args.Arg(k, ""), r.Fields)...)
	}
	for _, t := range topics {
		if t = t.Under(exchange); r.Publish {
			b.AddPublication(r.Broker, t, owner, line, col)
		} else if d := b.AddListener(r.Broker, t, owner, handler, line, col); d != None && listens != nil {
			listens(d)
		}
	}
	if !r.Publish {
		b.queues.listen(queueUse{args.Text(at), r.Broker, owner, handler, line, col})
	}
	return len(topics) > 0 || !r.Publish
}

// queues joins the queues of one file that something listens to with what they are
// bound to, by the text of the expressions that name them.
type queues struct {
	listens []queueUse
	bound   map[string][]Topic
}

type queueUse struct {
	text, broker string
	owner        DeclID
	handler      ExprID
	line, col    int32
}

func (q *queues) bind(text string, t Topic) {
	if q.bound == nil {
		q.bound = map[string][]Topic{}
	}
	if len(q.bound) < maxMessages && len(q.bound[text]) < maxTopic {
		q.bound[text] = append(q.bound[text], t)
	}
}

func (q *queues) listen(u queueUse) {
	if len(q.listens) < maxMessages {
		q.listens = append(q.listens, u)
	}
}

// BoundQueues adds the listeners of the topics that queues of the file are bound to.
func (b *Builder) BoundQueues(listens func(DeclID)) {
	q := b.queues
	b.queues = queues{}
	for _, l := range q.listens {
		for _, t := range q.bound[l.text] {
			if d := b.AddListener(l.broker, t, l.owner, l.handler, l.line, l.col); d != None && listens != nil {
				listens(d)
			}
		}
	}
}
