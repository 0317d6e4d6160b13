package source

import "bytes"

// A conversion says how git would turn a file on disk into a blob.
type conversion struct {
	eol    eolRule
	filter bool // git would also run a filter or change the encoding
}

type eolRule uint8

const (
	keepBytes eolRule = iota
	// textToLF: the file is text by its attributes; CR LF becomes LF.
	textToLF
	// guessToLF: CR LF becomes LF if the file looks like text, and the blob
	// in the index, if there is one, has no CR LF yet.
	guessToLF
)

// conversionOf follows git's rules (convert.c): the text attribute decides,
// then the older crlf attribute, then eol, then core.autocrlf.
func conversionOf(values map[string]string, autocrlf string) conversion {
	var c conversion
	value := func(name string) string {
		if v := values[name]; v != attrUnspecified {
			return v
		}
		return ""
	}
	if f := value("filter"); f != "" && f != attrUnset {
		c.filter = true
	}
	if e := value("working-tree-encoding"); e != "" && e != attrUnset && e != attrSet {
		c.filter = true
	}
	if value("ident") == attrSet {
		c.filter = true
	}

	const (
		unknown = iota
		binary
		text
		auto
	)
	action := unknown
	for _, name := range []string{"text", "crlf"} {
		switch value(name) {
		case attrSet, "input":
			action = text
		case attrUnset:
			action = binary
		case "auto":
			action = auto
		}
		if action != unknown {
			break
		}
	}
	if eol := value("eol"); action == unknown && (eol == "lf" || eol == "crlf") {
		action = text
	}
	if action == unknown && (autocrlf == "true" || autocrlf == "input") {
		action = auto
	}
	switch action {
	case text:
		c.eol = textToLF
	case auto:
		c.eol = guessToLF
	}
	return c
}

// toBlob returns the bytes that git would store for the bytes of a file on
// disk, apart from filters. indexHasCRLF is asked only where the answer
// matters.
func (c conversion) toBlob(data []byte, indexHasCRLF func() bool) []byte {
	if c.eol == keepBytes || !bytes.Contains(data, []byte("\r\n")) {
		return data
	}
	if c.eol == guessToLF && (looksBinary(data) || indexHasCRLF()) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte{'\n'})
}

// looksBinary is git's guess: a NUL, a CR without LF, or more than one
// control character in 128 printable ones.
func looksBinary(data []byte) bool {
	if n := len(data); n > 0 && data[n-1] == 0x1a {
		data = data[:n-1] // DOS end of file
	}
	printable, other := 0, 0
	for i, c := range data {
		switch {
		case c == '\r':
			if i+1 == len(data) || data[i+1] != '\n' {
				return true
			}
		case c == '\n':
		case c == 0:
			return true
		case c == '\b' || c == '\t' || c == 0x1b || c == '\f':
			printable++
		case c < ' ' || c == 0x7f:
			other++
		default:
			printable++
		}
	}
	return printable>>7 < other
}

// hasCRLF reports whether a blob is text with CR LF in it.
func hasCRLF(blob []byte) bool {
	return bytes.Contains(blob, []byte("\r\n")) && !looksBinary(blob)
}
