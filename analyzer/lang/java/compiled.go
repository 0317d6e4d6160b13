package java

import "strings"

// erasedType returns a type of a signature as class files have it: without type
// arguments. What a type parameter is erased to, its name does not tell, and
// what could not be resolved, nobody knows.
func erasedType(typ string) string {
	var b strings.Builder
	depth := 0
	for _, c := range []byte(typ) {
		switch {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth == 0:
			b.WriteByte(c)
		}
	}
	name := b.String()
	switch element := strings.Trim(name, "[]"); element {
	case "boolean", "byte", "short", "int", "long", "char", "float", "double", "void":
	default:
		if !strings.Contains(element, ".") || strings.ContainsAny(element, "?$") {
			return ""
		}
	}
	return name
}
