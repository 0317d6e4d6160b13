package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/cache"
	"github.com/codekg/kg/analyzer/search"
)

// maxWordIndexes is the cap of all search indexes that are kept, in bytes.
const maxWordIndexes = 1 << 28

// words is the search index of a session, with the source of declarations as far
// as it is at hand and what the graph was made of. It is kept in the cache of
// this machine under what it is made of.
func (a *app) words(s *session) *search.Index {
	s.wordsOnce.Do(func() {
		var kept *cache.Files
		key := ""
		if dir := a.cacheFolder(); dir != "" && !a.noCache {
			if key = s.wordsKey(); key != "" {
				kept = cache.OpenFiles(filepath.Join(dir, "search"), maxWordIndexes)
			}
		}
		if data, ok := kept.Get(key); ok {
			if x, err := search.Decode(s.graph, data); err == nil {
				s.wordIndex = x
				return
			}
		}
		whole := true
		s.wordIndex = search.Build(s.graph, search.Options{Source: func(path string) string {
			i := s.graph.FileIndex(path)
			if i < 0 || slices.Contains(s.fresh.differ, path) {
				return ""
			}
			data, err := s.lines.bytes(path)
			if err != nil || !sameContent(data, &s.graph.Files[i]) {
				// It has changed in this moment, or cannot be read for now.
				whole = whole && s.sourceless()
				return ""
			}
			return string(data)
		}})
		if whole {
			kept.Put(key, s.wordIndex.Encode()) // a cache that cannot be written is only slower
		}
		debug.FreeOSMemory() // a server that waits need not hold what building took
	})
	return s.wordIndex
}

// sourceless reports whether a session has no source at hand.
func (s *session) sourceless() bool { return s.tree == nil && s.lines.root == nil }

// wordsKey names what the search index of a session is made of: the graph, which
// files of it have their source at hand, and the program.
func (s *session) wordsKey() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%x %d\n%t\n", extractor(), s.graph.Tree, len(s.graph.Nodes), s.sourceless())
	if s.file != "" {
		data, err := os.ReadFile(s.file)
		if err != nil {
			return ""
		}
		info, err := artifact.Stat(data)
		if err != nil {
			return "" // a pipe, or another file by now
		}
		fmt.Fprintf(h, "%x\n", info.Digest)
	}
	for _, path := range s.fresh.differ {
		fmt.Fprintf(h, "%q\n", path)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
