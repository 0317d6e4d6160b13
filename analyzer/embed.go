package analyzer

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/sourcegraph/conc/pool"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/lang/all"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/source"
)

// maxAsset bounds the size of embedded files that are no source, in bytes.
const maxAsset = 64 << 20

// embeds finds the files that code embeds, and reads those of them that are no
// source files.
func (b *build) embeds(ctx context.Context, in *link.Input) error {
	if !slices.ContainsFunc(in.Files, func(f link.File) bool { return f.Rules.Embeds != nil && f.Facts.Directives != nil }) {
		return nil
	}
	entries := b.tree.Entries()
	var entryOf []int // by position in in.Paths
	for i, e := range entries {
		if e.Mode.IsFile() {
			in.Paths, entryOf = append(in.Paths, e.Path), append(entryOf, i)
		}
	}
	for _, l := range all.Languages {
		if l.Rules.Embeds == nil {
			continue
		}
		var files []link.File
		var index []int
		for i := range in.Files {
			if in.Files[i].Rules == l.Rules {
				files, index = append(files, in.Files[i]), append(index, i)
			}
		}
		for _, e := range l.Rules.Embeds(files, in.Paths) {
			e.File = index[e.File]
			in.Embeds = append(in.Embeds, e)
		}
	}
	sources := make(map[string]bool, len(in.Files))
	for i := range in.Files {
		sources[in.Files[i].Path] = true
	}
	var wanted []int // positions in in.Paths
	for _, e := range in.Embeds {
		if e.Path >= 0 && !sources[in.Paths[e.Path]] {
			wanted = append(wanted, e.Path)
		}
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	in.Assets = make([]link.Asset, len(wanted))
	unread := make([]graph.Reason, len(wanted))
	var next atomic.Int64
	p := pool.New().WithMaxGoroutines(b.Workers)
	for range b.Workers {
		p.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(wanted) {
					return
				}
				in.Assets[i], unread[i] = b.asset(entryOf[wanted[i]])
			}
		})
	}
	p.Wait()
	for i, r := range unread {
		if in.Assets[i].Size < 0 {
			in.Assets[i].Size = 0
			in.Unknowns = append(in.Unknowns, graph.Unknown{Reason: r, File: in.Assets[i].Path})
		}
	}
	return ctx.Err()
}

// asset tells what one file holds. Its size is -1 if that was not possible, for
// the reason. The memo keeps it as a content that nobody analyses.
func (b *build) asset(entry int) (link.Asset, graph.Reason) {
	e := &b.tree.Entries()[entry]
	a := link.Asset{Path: e.Path}
	blob := blobID(e.ID)
	if blob != nil {
		if c, ok := b.Memo.get(facts.Key{ID: string(blob)}); ok {
			a.Hash, a.Size = c.Hash, c.Size
			return a, 0
		}
	}
	data, err := b.tree.Read(entry, maxAsset)
	var large *source.TooLargeError
	switch {
	case err == nil:
		a.Hash, a.Size = sha256.Sum256(data), int64(len(data))
		if blob == nil {
			blob = hashBlob(data)
		}
		b.Memo.put(&facts.Content{Hash: a.Hash, Blob: [sha1.Size]byte(blob), Size: a.Size}, true)
		return a, 0
	case errors.As(err, &large):
		a.Size = -1
		return a, graph.ReasonTooLarge
	case errors.Is(err, source.ErrMissingObject):
		a.Size = -1
		return a, graph.ReasonMissingObject
	}
	a.Size = -1
	return a, graph.ReasonUnreadable
}
