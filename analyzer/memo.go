package analyzer

import (
	"sync"

	"github.com/codekg/kg/analyzer/lang"
)

// Memo shares the facts of equal contents between builds of one process, such
// as those of a change and its base. It is safe for concurrent use. A nil Memo
// holds nothing.
type Memo struct {
	mu sync.Mutex
	m  map[memoKey]parsed
}

// memoKey is a content by its git hash, and what else its facts depend on.
type memoKey struct {
	lang     string
	role     lang.Role
	manifest string
	id       string
}

func (m *Memo) get(k memoKey) (parsed, bool) {
	if m == nil {
		return parsed{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.m[k]
	return p, ok
}

func (m *Memo) put(k memoKey, p parsed) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m == nil {
		m.m = map[memoKey]parsed{}
	}
	m.m[k] = p
}
