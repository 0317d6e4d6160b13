package facts

// Op is the operator of an expression. The set is neutral: a language's
// extractor maps its syntax onto it, and a language's rules say what each means
// where languages differ.
type Op uint8

// The operators. X, Y, Name, N and Args are the fields of [Expr]; those not
// mentioned are unused. Parentheses leave no trace.
const (
	OpNone Op = iota // nothing is known about the value; FlagTyped: any type that may stand there

	// Atoms.

	OpName    // Name; X is its LocalID when FlagLocal is set
	OpLiteral // a literal; Name is its kind: int, float, imaginary, rune, string, bool, null …; X may be an expression whose Name is its text
	OpFunc    // function literal; X is its DeclID
	OpType    // type literal (struct, interface, object); X is its DeclID
	OpSelf    // this, self: the innermost type's value, or that of the type X around it; FlagTyped: the type itself
	OpSuper   // super: the value as its base types see it, or as the base type X does

	// Access.

	OpSelect // X.Name
	OpIndex  // X[Args…], also the instantiation of a generic
	OpSlice  // X[a:b]; the bounds are separate expressions
	OpDeref  // *X, as a value or as a pointer type
	OpAddr   // &X
	OpRecv   // <-X

	// Calls. FlagSpread: the last argument is spread.

	OpCall    // X(Args…); N: results used, see graph.Site.Want
	OpNew     // new X(Args…), where the language has it
	OpKeyword // Name=X among the arguments of a call
	OpSpread  // ...X among arguments or elements, where it may stand anywhere
	OpAwait   // await X

	// Composite values.

	OpComposite // X{Args…}: a value of type X, or of the kind Name, with elements
	OpKeyValue  // X: Y among the elements of a composite; a name X has FlagKey
	OpElement   // the type of the elements of type X: elided types of nested composites
	OpKeyType   // the type of the keys of type X

	// Operators. Name is the operator's text.

	OpUnary       // Name X
	OpBinary      // X Name Y
	OpConditional // one of Args

	// Types.

	OpSliceType  // []X
	OpArrayType  // [n]X
	OpMapType    // map[X]Y
	OpChanType   // chan X; N: 0 both directions, 1 send only, 2 receive only
	OpFuncType   // Args: N parameters, then results; FlagSpread: the last parameter is variadic
	OpVariadic   // ...X: the type of a variadic parameter inside the function
	OpUnionType  // one of Args
	OpApproxType // ~X
	OpBothType   // all of Args

	// Views: what part or form of X a binding gets.

	OpTuple    // value N of the several values of X
	OpRangeKey // the first variable of a loop over X
	OpRangeVal // the second variable of a loop over X
	OpAssert   // X.(Y): X seen as type Y; Y = None in a type switch's own expression
	OpParamOf  // the type that the context of X, a function literal, gives to its parameter N

	OpMethodRef // X::Name: a method of the value or type X as a value; the Name new is a constructor
	OpClassOf   // the value that stands for the type X
	OpLabel     // Name among the cases of X: a member of X's type, or else what Name means
	OpMark      // an annotation or decorator X(Args…); Name: what it says, where it is a condition

	// Modules and structural types.

	OpModule    // the module that a file imports as Name, as a value or, with FlagTyped, as what types are in
	OpTypeOf    // the type of the value X
	OpResult    // what a function gives that returns one of Args, or yields those that are an OpRangeVal of what they go through; N: 1 it is awaited, 2 it yields
	OpNarrow    // X where the condition Y holds (N = 1) or does not (N = 0)
	OpTupleType // a list of values of the types Args, in this order; those of an OpVariadic are any number
	OpGuard     // the result of a function that tells whether its parameter N (-1: this) is of type X; FlagRead: it fails otherwise
	OpMember    // the type of the member Name, or without a name of the elements, of type X
	OpImport    // what the import at position X of File.Imports brings into scope

	opEnd
)

// OpCount bounds the enum for readers of stored facts.
const OpCount = int(opEnd)

// ExprFlags qualify an expression.
type ExprFlags uint8

// The expression flags.
const (
	FlagLocal  ExprFlags = 1 << iota // OpName: X is a LocalID
	FlagCallee                       // it is called; naming it is no reference
	FlagWrite                        // it is assigned to
	FlagRead                         // together with FlagWrite: it is read, too (x += 1)
	FlagSpread                       // see OpCall, OpFuncType
	FlagKey                          // OpName: key of a composite; a field's name if the composite has fields
	FlagLater                        // OpCall: runs later or concurrently (go, defer); OpAssert: the value is not of the type; OpIndex, OpSelect: it is removed
	FlagTyped                        // it stands where only a type may stand
)

// HasContext reports whether Y of an expression with operator o is its context:
// what gives it a type from outside. That is the call or new that it is an
// argument of, the conditional of which it is one value, the function literal
// that returns it, the composite that it is an element of, or a type or
// expression whose type it must have. A context may stand behind the expression.
func (o Op) HasContext() bool {
	switch o {
	case OpFunc, OpMethodRef, OpCall, OpNew, OpConditional, OpComposite, OpKeyword:
		return true
	}
	return false
}

// SelfReceiver is N of an [OpSelf] that is the type of the value that a method is
// called on, in the result of a method that gives it back.
const SelfReceiver = 1

// CaseOfAll is N of the labels of a switch that must have a case for each value,
// and of the names of types that are such labels.
const CaseOfAll = 1

// Components returns N of the type of a pattern that takes a value apart into n
// components, which may be of a switch that must have a case for each value.
func Components(n int, caseOfAll int16) int16 { return int16(min(n, 1<<13)+1)<<1 | caseOfAll }

// ComponentsOf returns how many components a pattern of N takes a value apart
// into, -1 if it does not, and whether it is one of a case for each value.
func ComponentsOf(n int16) (components int, caseOfAll bool) { return int(n>>1) - 1, n&CaseOfAll != 0 }

// Expr is one expression, with the place of its last name: the selected name
// for OpSelect, the name of the type for OpComposite. Calls are placed by their
// callee.
type Expr struct {
	Op    Op
	Flags ExprFlags
	N     int16
	Name  Str
	X, Y  ExprID
	Args  int32 // position in Lists of the count, the ids follow; 0 for none
	Line  int32
	Col   int32
}

// List returns the list at position at: the positions of a span of arguments
// or types.
func (f *File) List(at int32) []int32 {
	if at == 0 {
		return nil
	}
	n := f.Lists[at]
	return f.Lists[at+1 : at+1+n]
}

// Str returns the string s.
func (f *File) Str(s Str) string { return f.Strings[s] }
