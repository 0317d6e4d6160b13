package diff

import (
	"slices"
)

// Code says what exactly differs. The list is closed: reports and their
// schemas name each code.
type Code uint8

// The codes.
const (
	KindChanged        Code = iota // a class became an interface, a function a variable
	ParamAdded                     //
	ParamRemoved                   //
	ParamType                      //
	ParamRenamed                   //
	ParamReordered                 // the same parameters in another order
	ParamRequired                  // it had a default
	ParamOptional                  // it has a default now
	ParamPassing                   // by position, by name, variadic: how it is passed
	ResultAdded                    //
	ResultRemoved                  //
	ResultType                     //
	TypeParamAdded                 //
	TypeParamRemoved               //
	TypeParamBound                 // another constraint
	TypeChanged                    // of a field, variable, constant or alias
	ThrowsAdded                    // an exception that users have to handle
	ThrowsRemoved                  //
	BaseAdded                      // a base class or interface
	BaseRemoved                    //
	VisibilityNarrowed             //
	VisibilityWidened              //
	StaticChanged                  // belongs to the type, or no longer does
	AbstractAdded                  //
	AbstractRemoved                //
	FinalAdded                     //
	FinalRemoved                   //
	AsyncChanged                   //
	ReceiverPointer                // only the pointer type has the method now
	ReceiverValue                  //
	Deprecated                     //
	Undeprecated                   //
	AnnotationAdded                //
	AnnotationRemoved              //
	TextChanged                    // the declaration reads differently, its shape is the same
	ContractAdded                  // an interface or abstract type asks for one more method
	ContractRemoved                //
	ValueChanged                   // of a constant, an enum member, an initialised variable
	BodyChanged                    //
	VariantAdded                   // Name is the build constraint
	VariantRemoved                 //
	VariantBody                    //
	DocChanged                     //
	FileMoved                      // to another file of the same package
	OwnerMoved                     // to another package or type
	NameChanged                    //
	BinaryChanged                  // users fit, but compiled ones do not find it: they have to be compiled again
	AnnotationChanged              // what is written in annotations, or which there are; the rest of the body is as it was
	ExportRemoved                  // a file does not pass on Name any more, which it had from another one
	codeEnd
)

// Verdict says what a detail means to users of the declaration.
type Verdict uint8

// The verdicts.
const (
	Silent     Verdict = iota // users cannot tell; alone it is no change
	Compatible                // users still fit
	Breaking                  // users may not fit any more
	verdictEnd
)

var verdictNames = [verdictEnd]string{"silent", "compatible", "breaking"}

// String returns the verdict's name in reports.
func (v Verdict) String() string { return verdictNames[v] }

// codes holds each code's name, the verdict that it has unless rules say
// otherwise, and the kind of change that it makes. The order is that of the
// constants.
var codes = [codeEnd]struct {
	name    string
	verdict Verdict
	aspect  Kind
}{
	{"kind_changed", Breaking, Signature},
	{"param_added", Breaking, Signature}, // compatible when optional or variadic
	{"param_removed", Breaking, Signature},
	{"param_type", Breaking, Signature},
	{"param_renamed", Silent, Signature}, // breaking where arguments have names
	{"param_reordered", Breaking, Signature},
	{"param_required", Breaking, Signature},
	{"param_optional", Compatible, Signature},
	{"param_passing", Breaking, Signature},
	{"result_added", Breaking, Signature},
	{"result_removed", Breaking, Signature},
	{"result_type", Breaking, Signature},
	{"type_param_added", Breaking, Signature},
	{"type_param_removed", Breaking, Signature},
	{"type_param_bound", Breaking, Signature},
	{"type_changed", Breaking, Signature},
	{"throws_added", Breaking, Signature}, // compatible when unchecked, or below one that was thrown
	{"throws_removed", Breaking, Signature},
	{"base_added", Compatible, Signature},
	{"base_removed", Breaking, Signature},
	{"visibility_narrowed", Breaking, Signature},
	{"visibility_widened", Compatible, Signature},
	{"static_changed", Breaking, Signature},
	{"abstract_added", Breaking, Signature},
	{"abstract_removed", Compatible, Signature},
	{"final_added", Breaking, Signature},
	{"final_removed", Compatible, Signature},
	{"async_changed", Breaking, Signature},
	{"receiver_pointer", Breaking, Signature},
	{"receiver_value", Compatible, Signature},
	{"deprecated", Compatible, Signature},
	{"undeprecated", Compatible, Signature},
	{"annotation_added", Compatible, Signature},
	{"annotation_removed", Compatible, Signature},
	{"text_changed", Compatible, Signature},
	{"contract_added", Breaking, Added},
	{"contract_removed", Breaking, Removed},
	{"value_changed", Compatible, Body},
	{"body_changed", Compatible, Body},
	{"variant_added", Compatible, Variant},
	{"variant_removed", Breaking, Variant},
	{"variant_body", Compatible, Body},
	{"doc_changed", Silent, Doc},
	{"file_moved", Compatible, Moved},
	{"owner_moved", Breaking, Moved},
	{"name_changed", Breaking, Renamed},
	{"binary_changed", Compatible, Signature},
	{"annotation_changed", Compatible, Body},
	{"export_removed", Breaking, Body},
}

// String returns the code's name in reports.
func (c Code) String() string { return codes[c].name }

// CodeNames returns the names of all codes, for schemas.
func CodeNames() []string {
	names := make([]string, codeEnd)
	for i := range names {
		names[i] = codes[i].name
	}
	return names
}

// Detail is one thing that differs in a changed declaration.
type Detail struct {
	Code    Code
	Verdict Verdict
	Index   int    // 0-based position of a parameter or result in the head, or in the base if removed; else -1
	Name    string // of the parameter, base, annotation or constraint
	From    string // what it was, for people
	To      string // what it is now, for people
}

// Rules say how the users of a declaration are bound to its shape in one
// language. The zero value is a language with checked types and positional
// arguments: a changed parameter breaks unless the new one is optional or
// variadic, and parameter names do not matter.
type Rules struct {
	// Lang is the language's name, which [Delta.RulesFor] sets.
	Lang string
	// Manifest reports whether a file says how others are built, of which graphs
	// tell a part; nil: there are no such files.
	Manifest func(path string) bool
	// Keywords: arguments may be given by name, so that a renamed parameter
	// breaks.
	Keywords bool
	// Dynamic: types are hints that nothing enforces, so that a changed type
	// alone breaks nothing, and a value may be used in any way.
	Dynamic bool
	// Coerces: an argument may have another type than its parameter, as a
	// subclass or a narrower number has, so that a changed type need not break
	// who passes one.
	Coerces bool
	// FileModules: each file is a module, and one with tests is a program.
	FileModules bool
	// TestsAlone: a file with tests is loaded for these alone, unless another one
	// imports it.
	TestsAlone bool
	// Reexports: what a file imports, others may import from it.
	Reexports bool
	// Scanned: a program may run code that nothing in it imports, because it
	// looks for it on a path.
	Scanned bool
	// LooseArity: a call may pass fewer or more arguments than there are
	// parameters.
	LooseArity bool
	// Loose are the suffixes of files in which nothing is enforced: Dynamic and
	// LooseArity hold for what they declare, and for what they use.
	Loose []string
	// Union is what separates the types that a value may be of one of; "": there
	// are no such types.
	Union string
	// Structural: types fit by their shape. A function may stand where one with
	// more parameters is asked for, and an object where an interface is whose
	// members it has.
	Structural bool
	// Statics: what belongs to a type may be used through a value of it.
	Statics bool
	// Predeclared are the names that mean something where nothing declares them.
	Predeclared []string
	// TopTypes accept any value, as "any" or "java.lang.Object" do.
	TopTypes []string
	// Constants are the types that one literal may have, separated by blanks, one
	// entry for each sort of literal: a caller that passes 5 fits an int and a
	// float, and any type that is defined as one.
	Constants []string
	// Nil is how the types begin that the null literal may have.
	Nil []string
	// Supertypes returns the direct supertypes of a type of the language's own
	// library, spelled as in signatures without arguments; nil: none is known.
	// Where it is set, a result may be of a narrower type than it was.
	Supertypes func(name string) []string
	// Unchecked are the exceptions that users need not handle, with all types
	// below them. None: users need not handle any.
	Unchecked []string
	// Overriding is the key of the annotation that only methods may have which
	// override or implement another.
	Overriding string
	// Unread are the keys of annotations that change nothing.
	Unread []string
	// Fallback is the name of the method that answers for the members that an
	// object does not have; "": there is no such thing.
	Fallback string
	// Compiled returns a type as compiled users of a declaration name it, who find
	// a member by the types of its parameters and of its result, or "" where the
	// type alone does not tell. Nil: users are compiled together with what they use.
	Compiled func(typ string) string
	// Verdicts replace the default verdicts.
	Verdicts map[Code]Verdict
}

// verdict returns the verdict of a detail that has no special rule.
func (r *Rules) verdict(c Code) Verdict {
	if v, ok := r.Verdicts[c]; ok {
		return v
	}
	switch c {
	case ParamRenamed:
		if r.Keywords {
			return Breaking
		}
	case ParamType, ResultType, TypeChanged, TypeParamAdded, TypeParamRemoved, TypeParamBound, ResultAdded, ResultRemoved:
		if r.Dynamic {
			return Compatible
		}
	}
	return codes[c].verdict
}

// details collects the details of one change.
type details struct {
	rules *Rules
	list  []Detail
}

func (ds *details) add(c Code, from, to string) { ds.at(c, -1, "", from, to) }

func (ds *details) at(c Code, index int, name, from, to string) {
	ds.as(ds.rules.verdict(c), c, index, name, from, to)
}

func (ds *details) as(v Verdict, c Code, index int, name, from, to string) {
	if o, ok := ds.rules.Verdicts[c]; ok {
		v = o
	}
	ds.list = append(ds.list, Detail{Code: c, Verdict: v, Index: index, Name: name, From: from, To: to})
}

// aspects returns what the details amount to. Silent details amount to
// nothing, except that documentation is a change that nobody relies on.
func (ds *details) aspects() (a Aspects, breaking bool) {
	for _, d := range ds.list {
		if d.Verdict != Silent || d.Code == DocChanged {
			a.add(codes[d.Code].aspect)
		}
		breaking = breaking || d.Verdict == Breaking
	}
	return a, breaking
}

// Has reports whether a change has a detail with one of the codes.
func (c *Change) Has(codes ...Code) bool {
	return slices.ContainsFunc(c.Details, func(d Detail) bool { return slices.Contains(codes, d.Code) })
}
