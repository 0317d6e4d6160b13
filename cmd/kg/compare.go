package main

import (
	"context"

	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
)

// comparison is two sides with their graphs and what differs between them.
type comparison struct {
	base  *base
	head  *side
	delta *diff.Delta
	files []history.FileChange // nil if one of the sides is a graph file
	past  *pastReader          // nil if nobody looks at history
	root  string               // the work tree's top folder; empty if there is none
	known *earlier

	ranges map[string][]impact.Range // see edited
}

// compare makes the graphs of both sides and their delta. Trees that do not
// differ share one graph.
func (a *app) compare(ctx context.Context, b *base, head *side, e *earlier, p *progress) (*comparison, error) {
	c := &comparison{base: b, head: head, known: e}
	if b.tree != nil && head.tree != nil {
		var err error
		if c.files, err = source.Changed(b.tree, head.tree); err != nil {
			return nil, err
		}
		if len(c.files) == 0 {
			if err := a.build(ctx, head, e.memo, p.part("files"), nil); err != nil {
				return nil, err
			}
			b.graph = head.graph
		}
	}
	if err := a.buildBoth(ctx, b.side, head, e, p); err != nil {
		return nil, err
	}
	c.delta = languageRules().Compare(b.graph, head.graph)
	return c, ctx.Err()
}

// edited returns the changed lines of each file that a graph knows, by its path
// in the head, or in the base if it was removed. Without both trees nothing is
// known.
func (c *comparison) edited(ctx context.Context) (map[string][]impact.Range, error) {
	if c.base.tree == nil || c.head.tree == nil {
		return nil, nil
	}
	moved := map[string]string{} // to the head from the base
	for _, m := range c.delta.Files.Moved {
		moved[m.To] = m.From
	}
	lines, err := source.ChangedLines(ctx, c.base.tree, c.head.tree, c.files, moved, c.analysed)
	if err != nil {
		return nil, err
	}
	ranges := make(map[string][]impact.Range, len(lines))
	for path, rs := range lines {
		for _, r := range rs {
			ranges[path] = append(ranges[path], impact.Range(r))
		}
	}
	c.ranges = ranges
	return ranges, nil
}

// diffLine returns the line of the head that stands for a place in views of the
// change: the line itself if the change edited it, else the first edited line
// between first and last; for a place in the base, what took its place. 0 means
// that there is none.
func (c *comparison) diffLine(file string, inBase bool, line, first, last int32) int32 {
	nearest := int32(0)
	for _, r := range c.ranges[file] {
		switch {
		case r.NewLen == 0:
		case inBase && int(first) < r.OldStart+max(r.OldLen, 1) && int(last) >= r.OldStart:
			return int32(r.NewStart)
		case inBase:
		case int(line) >= r.NewStart && int(line) < r.NewStart+r.NewLen:
			return line
		case nearest == 0 && int(last) >= r.NewStart && int(first) < r.NewStart+r.NewLen:
			nearest = max(int32(r.NewStart), first)
		}
	}
	return nearest
}
