package analyzer

import (
	"sync"

	"github.com/codekg/kg/analyzer/facts"
)

// Memo shares the facts of equal contents between the builds of one process,
// such as those of a change and its base, and takes what others have read
// before from stores. It is safe for concurrent use. A nil Memo holds nothing.
//
// A memo, whatever it holds, changes no graph: facts are a function of their
// key.
type Memo struct {
	mu     sync.Mutex
	known  map[facts.Key]*facts.Content
	stores []facts.Store
	fresh  []*facts.Content
}

// NewMemo returns an empty memo.
func NewMemo() *Memo { return &Memo{} }

// Use makes the memo look into a store for what neither it nor the stores
// before have. It must not be called while a build uses the memo.
func (m *Memo) Use(s facts.Store) { m.stores = append(m.stores, s) }

// Add makes the memo hold contents, such as those of the build before.
func (m *Memo) Add(contents []*facts.Content) {
	for _, c := range contents {
		m.put(c, false)
	}
}

// TakeFresh returns what was read from source since the last call, and was not
// found in any store, in no particular order. It is what a store may want to
// keep.
func (m *Memo) TakeFresh() []*facts.Content {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := m.fresh
	m.fresh = nil
	return fresh
}

// Forget makes the memo hold nothing, and look into no store. What was read anew
// must have been taken.
func (m *Memo) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known, m.stores = nil, nil
}

// Memory returns what all facts of the memo's stores take in memory, about, in bytes:
// those of other trees, too.
func (m *Memo) Memory() int64 {
	n := int64(0)
	if m != nil {
		for _, s := range m.stores {
			n += s.Memory()
		}
	}
	return n
}

func (m *Memo) get(k facts.Key) (*facts.Content, bool) {
	if m == nil {
		return nil, false
	}
	m.mu.Lock()
	c, ok := m.known[k]
	m.mu.Unlock()
	if ok {
		return c, true
	}
	for _, s := range m.stores {
		if c, ok := s.Find(k); ok {
			return c, true
		}
	}
	return nil, false
}

// put adds a content; fresh says that no store has it.
func (m *Memo) put(c *facts.Content, fresh bool) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[facts.Key]*facts.Content{}
	}
	if _, ok := m.known[c.ByHash()]; ok {
		return
	}
	m.known[c.ByHash()], m.known[c.ByBlob()] = c, c
	if fresh {
		m.fresh = append(m.fresh, c)
	}
}
