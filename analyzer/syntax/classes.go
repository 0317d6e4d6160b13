package syntax

// Classes number the kinds of one language that an extractor knows, with
// constants of its own, so that a switch over them is a jump and kinds that mean
// the same are one. What is not listed is [ClassOther]. The zero value has no
// kinds.
type Classes []uint8

// The classes that every extractor has.
const (
	ClassOther = 0
	ClassError = 1 // [KindError]
)

// NewClasses returns the classes of kinds by their names in the grammar, and of
// tokens by their text. It panics where the language has no such kind.
func NewClasses[C ~uint8](l *Language, kinds, tokens map[string]C) Classes {
	c := make(Classes, len(l.kinds))
	for name, class := range kinds {
		c[l.Kind(name)] = uint8(class)
	}
	for text, class := range tokens {
		c[l.Token(text)] = uint8(class)
	}
	return c
}

// Of returns the class of k.
func (c Classes) Of(k Kind) uint8 {
	if int(k) < len(c) {
		return c[k]
	}
	if k == KindError {
		return ClassError
	}
	return ClassOther
}

// Fields looks fields up by name, all at once; it panics as [Language.Field]
// does.
func (l *Language) Fields(into map[string]*Field) {
	for name, f := range into {
		*f = l.Field(name)
	}
}
