package graph

// Reason says why something could not be told. The list is closed: reports and
// their schemas name each reason.
type Reason uint8

// The reasons.
const (
	ReasonUnreadable    Reason = iota // the file could not be read
	ReasonTooLarge                    // the file is larger than the cap
	ReasonLongLine                    // a line is longer than the cap: minified or data
	ReasonParseBudget                 // the parser asked for more memory than the budget
	ReasonNodeLimit                   // the syntax tree has more nodes than the cap
	ReasonDepthLimit                  // the syntax tree is deeper than the cap
	ReasonSyntaxError                 // a range of the file did not parse
	ReasonBinary                      // the file is not text
	ReasonEncoding                    // the file is not valid UTF-8
	ReasonDynamic                     // a language feature that only a run decides
	ReasonInferBudget                 // type inference reached its budget
	ReasonTooMany                     // more than five candidates share the name
	ReasonUndecidable                 // an interface's method set is external and unknown
	ReasonShallow                     // the repository's history is cut off
	ReasonMissingObject               // the repository lacks the object
	ReasonSubmodule                   // the content is in another repository
	ReasonParserCrash                 // the parser died on this file
	ReasonDuplicate                   // two declarations have the same key
	ReasonConfiguration               // a build configuration could not be read
	reasonEnd
)

// ReasonCount bounds the enum for readers of stored graphs.
const ReasonCount = int(reasonEnd)

var reasonNames = [reasonEnd]string{
	"unreadable", "too_large", "long_line", "parse_budget", "node_limit", "depth_limit",
	"syntax_error", "binary", "encoding", "dynamic", "infer_budget", "too_many",
	"undecidable", "shallow", "missing_object", "submodule", "parser_crash", "duplicate",
	"configuration",
}

// String returns the reason's name in exports and reports.
func (r Reason) String() string { return enumName(reasonNames[:], uint8(r)) }

// Unknown is something that could not be told. Unknowns travel to every
// report: "nothing found" and "could not tell" are different answers.
type Unknown struct {
	Reason  Reason
	File    string // empty when it concerns the whole tree
	Line    int32  // first line concerned; 0 for the whole file
	EndLine int32  // last line concerned
	Detail  string // what it is about, for people
	Count   int32  // how many cases this entry stands for; at least 1
}

// Skipped counts the files of one language that are in the tree and not
// analysed.
type Skipped struct {
	Lang  string // the language's name, or the file name's extension
	Files int32
	Bytes int64
}
