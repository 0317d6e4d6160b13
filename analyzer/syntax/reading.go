package syntax

// SetReading makes Parse show the grammar the bytes that f returns for those of
// a file: src itself, or a copy of the same length in which tokens that the
// grammar cannot read where they stand are replaced by others. The tree keeps
// the file's own bytes, so that texts, positions and hashes are not affected. f
// is a pure function; it is set before the language is used.
func (l *Language) SetReading(f func(src []byte) []byte) { l.reading = f }

// read returns what the grammar is shown for src.
func (l *Language) read(src []byte) []byte {
	if l.reading == nil {
		return src
	}
	if s := l.reading(src); len(s) == len(src) {
		return s
	}
	return src
}
