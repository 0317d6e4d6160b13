package artifact

import (
	"math"

	"github.com/codekg/kg/analyzer/graph"
)

func (e *encoder) encodeFiles() []byte {
	var path, lang, size, node, hash column
	last := int64(0)
	for i := range e.c.Files {
		f := &e.c.Files[i]
		path.uint(e.strings.id(f.Path))
		lang.uint(e.strings.id(f.Lang))
		size.int(f.Size)
		node.int(int64(f.Node) - last)
		last = int64(f.Node)
		hash.bytes(f.Hash[:])
	}
	return joinColumns(&path, &lang, &size, &node, &hash)
}

func (d *decoder) decodeFiles(content []byte) error {
	var path, lang, size, node, hash cursor
	if err := splitColumns(content, &path, &lang, &size, &node, &hash); err != nil {
		return err
	}
	if d.counts.files > uint64(len(path.b)) {
		return errCount
	}
	d.files = make([]graph.File, d.counts.files)
	last := int64(0)
	for i := range d.files {
		f := &d.files[i]
		var ok [2]bool
		f.Path, ok[0] = d.str(path.id())
		f.Lang, ok[1] = d.str(lang.id())
		f.Size = size.int()
		last += node.int()
		if !ok[0] || !ok[1] || last < -1 || last > math.MaxInt32 {
			return errRange
		}
		f.Node = graph.ID(last)
		copy(f.Hash[:], hash.bytes(len(f.Hash)))
	}
	return finish(&path, &lang, &size, &node, &hash)
}

func (e *encoder) encodeKeywords() []byte {
	var size, name column
	for _, list := range e.c.Keywords {
		size.uint(uint64(len(list)))
		e.counts.keywordNames += uint64(len(list))
		for _, s := range list {
			name.uint(e.strings.id(s))
		}
	}
	return joinColumns(&size, &name)
}

func (d *decoder) decodeKeywords(content []byte) error {
	var size, name cursor
	if err := splitColumns(content, &size, &name); err != nil {
		return err
	}
	if d.counts.keywords > uint64(len(size.b)) || d.counts.keywordNames > uint64(len(name.b)) {
		return errCount
	}
	d.keywords = make([][]string, d.counts.keywords)
	names := make([]string, d.counts.keywordNames)
	for i := range names {
		s, ok := d.str(name.id())
		if !ok {
			return errRange
		}
		names[i] = s
	}
	for i := range d.keywords {
		n := size.upto(uint64(len(names)))
		d.keywords[i], names = names[:n:n], names[n:]
	}
	if len(names) > 0 {
		return errTrailing
	}
	return finish(&size, &name)
}

// encodeUnknowns makes the section of what could not be told and of skipped
// languages.
func (e *encoder) encodeUnknowns() []byte {
	var reason, file, line, endLine, detail, count, lang, files, size column
	for i := range e.c.Unknowns {
		u := &e.c.Unknowns[i]
		reason.byte(byte(u.Reason))
		file.uint(uint64(e.fileRef(u.File)))
		line.int(int64(u.Line))
		endLine.int(int64(u.EndLine) - int64(u.Line))
		detail.uint(e.strings.id(u.Detail))
		count.int(int64(u.Count))
	}
	for i := range e.c.Skipped {
		s := &e.c.Skipped[i]
		lang.uint(e.strings.id(s.Lang))
		files.int(int64(s.Files))
		size.int(s.Bytes)
	}
	return joinColumns(&reason, &file, &line, &endLine, &detail, &count, &lang, &files, &size)
}

func (d *decoder) decodeUnknowns(content []byte) error {
	var reason, file, line, endLine, detail, count, lang, files, size cursor
	err := splitColumns(content, &reason, &file, &line, &endLine, &detail, &count, &lang, &files, &size)
	if err != nil {
		return err
	}
	if d.counts.unknowns != uint64(len(reason.b)) || d.counts.skipped > uint64(len(lang.b)) {
		return errCount
	}
	ok := true
	str := func(s string, found bool) string {
		ok = ok && found
		return s
	}
	d.unknowns = make([]graph.Unknown, d.counts.unknowns)
	for i := range d.unknowns {
		u := &d.unknowns[i]
		u.Reason = graph.Reason(reason.byte())
		u.File = str(d.path(file.natural()))
		u.Line = int32(line.int())
		u.EndLine = int32(int64(u.Line) + endLine.int())
		u.Detail = str(d.str(detail.id()))
		u.Count = int32(count.int())
	}
	d.skipped = make([]graph.Skipped, d.counts.skipped)
	for i := range d.skipped {
		s := &d.skipped[i]
		s.Lang = str(d.str(lang.id()))
		s.Files = int32(files.int())
		s.Bytes = size.int()
	}
	if !ok {
		return errRange
	}
	return finish(&reason, &file, &line, &endLine, &detail, &count, &lang, &files, &size)
}
