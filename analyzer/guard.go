package analyzer

// Guard stands by while contents are parsed, in a process that a parser may
// bring down: parsers are C code that reads whatever a change contains. Its
// methods may be called from many goroutines.
type Guard interface {
	// Enter is called before the file at path, whose content has the given
	// SHA-256, is parsed. It may wait. If it returns false the content has
	// brought down a process before: it is not parsed, and an unknown with
	// the reason graph.ReasonParserCrash takes the place of its facts.
	Enter(path string, content [32]byte) bool
	// Leave is called when that is over, if Enter returned true. If Go code
	// has panicked, it gets the value, and the same unknown stands for the
	// facts; without a guard a panic goes on its way.
	Leave(path string, content [32]byte, panicked any)
}
