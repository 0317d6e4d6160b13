package typescript

import "bytes"

// scripts returns the source of a Vue single-file component with everything but
// its script blocks made blank, at the same length and with the same lines.
func scripts(src []byte) []byte {
	out := make([]byte, len(src))
	for i, b := range src {
		if b == '\n' || b == '\r' {
			out[i] = b
		} else {
			out[i] = ' '
		}
	}
	for at := 0; at < len(src); {
		open := bytes.Index(src[at:], []byte("<script"))
		if open < 0 {
			break
		}
		open += at
		tag := bytes.IndexByte(src[open:], '>')
		if tag < 0 {
			break
		}
		from := open + tag + 1
		at = from
		if src[from-2] == '/' { // <script src="…"/>
			continue
		}
		end := bytes.Index(src[from:], []byte("</script"))
		if end < 0 {
			break
		}
		copy(out[from:from+end], src[from:from+end])
		at = from + end
	}
	return out
}
