package typescript

import (
	"slices"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
)

// What a file may know of: messages and requests are looked for only where the source
// names a client of either.
var (
	messageWords = []string{"kafka", "amqp", "nats", "mqtt", "redis", "microservices", "bull", "sqs", "aws-sdk"}
	requestWords = append(slices.Clone(clientModules), "supertest", "chai")
)

// Sets of words.
const (
	ofMessages uint8 = 1 << iota
	ofRequests
)

var clientWords = sync.OnceValue(func() *facts.Finder { return facts.NewFinder(messageWords, requestWords) })
