package link

// Scribble lets files be evaluated on values that none of them has left.
func Scribble(on bool) { scribble = on }
