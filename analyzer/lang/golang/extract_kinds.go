package golang

import (
	"sync"

	"github.com/codekg/kg/analyzer/syntax"
)

// class is one of the [syntax.Classes] of the language.
type class uint8

const (
	classOther class = iota // as syntax has it
	classError
	classComment

	// Names.
	classIdentifier // also of types, fields and packages
	classBlank
	classDot

	// Literals.
	classInt
	classFloat
	classImaginary
	classRune
	classString
	classNil
	classBool
	classIota

	// Expressions.
	classParen
	classSelector
	classIndex
	classSlice
	classCall
	classConversion
	classInstantiation
	classAssertion
	classComposite
	classLiteralValue
	classLiteralElement
	classKeyedElement
	classFuncLiteral
	classUnary
	classBinary
	classVariadicArgument
	classExpressionList

	// Types.
	classQualifiedType
	classGenericType
	classPointerType
	classStructType
	classInterfaceType
	classArrayType
	classOpenArrayType
	classSliceType
	classMapType
	classChannelType
	classFunctionType
	classNegatedType
	classTypeElem // also a constraint: alternatives
	classTypeArguments
	classParameter
	classVariadicParameter
	classParameterList
	classTypeParameter
	classTypeParameterList
	classFieldList
	classField
	classMethodElem

	// Declarations.
	classPackageClause
	classImport
	classImportList
	classImportSpec
	classFunction
	classMethod
	classConst
	classConstSpec
	classVar
	classVarSpecList
	classVarSpec
	classType
	classTypeSpec
	classTypeAlias

	// Statements.
	classBlock
	classStatementList
	classExpressionStatement
	classSend
	classReceive
	classIncDec
	classAssignment
	classShortVar
	classLabeled
	classReturn
	classGo
	classDefer
	classIf
	classFor
	classForClause
	classRangeClause
	classSwitch
	classCase
	classDefaultCase
	classTypeSwitch
	classTypeCase
	classSelect
	classCommunicationCase

	// Tokens.
	classSemicolon // or a NUL byte in its place; line ends leave no node
	classComma
	classDefine // :=
	classStar
)

var classNames = map[string]class{
	"comment": classComment,

	"identifier": classIdentifier, "type_identifier": classIdentifier, "field_identifier": classIdentifier,
	"package_identifier": classIdentifier, "blank_identifier": classBlank, "dot": classDot,

	"int_literal": classInt, "float_literal": classFloat, "imaginary_literal": classImaginary,
	"rune_literal": classRune, "interpreted_string_literal": classString, "raw_string_literal": classString,
	"nil": classNil, "true": classBool, "false": classBool, "iota": classIota,

	"parenthesized_expression": classParen, "parenthesized_type": classParen,
	"selector_expression": classSelector, "index_expression": classIndex, "slice_expression": classSlice,
	"call_expression": classCall, "type_conversion_expression": classConversion,
	"type_instantiation_expression": classInstantiation, "type_assertion_expression": classAssertion,
	"composite_literal": classComposite, "literal_value": classLiteralValue,
	"literal_element": classLiteralElement, "keyed_element": classKeyedElement,
	"func_literal": classFuncLiteral, "unary_expression": classUnary, "binary_expression": classBinary,
	"variadic_argument": classVariadicArgument, "expression_list": classExpressionList,

	"qualified_type": classQualifiedType, "generic_type": classGenericType, "pointer_type": classPointerType,
	"struct_type": classStructType, "interface_type": classInterfaceType, "array_type": classArrayType,
	"implicit_length_array_type": classOpenArrayType, "slice_type": classSliceType, "map_type": classMapType,
	"channel_type": classChannelType, "function_type": classFunctionType, "negated_type": classNegatedType,
	"type_elem": classTypeElem, "type_constraint": classTypeElem, "type_arguments": classTypeArguments,
	"parameter_declaration": classParameter, "variadic_parameter_declaration": classVariadicParameter,
	"parameter_list": classParameterList, "type_parameter_declaration": classTypeParameter,
	"type_parameter_list": classTypeParameterList, "field_declaration_list": classFieldList,
	"field_declaration": classField, "method_elem": classMethodElem,

	"package_clause": classPackageClause, "import_declaration": classImport, "import_spec_list": classImportList,
	"import_spec": classImportSpec, "function_declaration": classFunction, "method_declaration": classMethod,
	"const_declaration": classConst, "const_spec": classConstSpec, "var_declaration": classVar,
	"var_spec_list": classVarSpecList, "var_spec": classVarSpec, "type_declaration": classType,
	"type_spec": classTypeSpec, "type_alias": classTypeAlias,

	"block": classBlock, "statement_list": classStatementList, "expression_statement": classExpressionStatement,
	"send_statement": classSend, "receive_statement": classReceive, "inc_statement": classIncDec,
	"dec_statement": classIncDec, "assignment_statement": classAssignment, "short_var_declaration": classShortVar,
	"labeled_statement": classLabeled, "return_statement": classReturn, "go_statement": classGo,
	"defer_statement": classDefer, "if_statement": classIf, "for_statement": classFor,
	"for_clause": classForClause, "range_clause": classRangeClause, "expression_switch_statement": classSwitch,
	"expression_case": classCase, "default_case": classDefaultCase, "type_switch_statement": classTypeSwitch,
	"type_case": classTypeCase, "select_statement": classSelect, "communication_case": classCommunicationCase,
}

var tokenClasses = map[string]class{
	";": classSemicolon, "": classSemicolon, ",": classComma, ":=": classDefine, "*": classStar,
}

var classes syntax.Classes

func classOf(k syntax.Kind) class { return class(classes.Of(k)) }

// The roles of children, and the kinds that are told apart within a class.
var (
	fieldAlias         syntax.Field
	fieldAlternative   syntax.Field
	fieldArguments     syntax.Field
	fieldBody          syntax.Field
	fieldCapacity      syntax.Field
	fieldChannel       syntax.Field
	fieldCommunication syntax.Field
	fieldCondition     syntax.Field
	fieldConsequence   syntax.Field
	fieldElement       syntax.Field
	fieldEnd           syntax.Field
	fieldField         syntax.Field
	fieldFunction      syntax.Field
	fieldIndex         syntax.Field
	fieldInitializer   syntax.Field
	fieldKey           syntax.Field
	fieldLeft          syntax.Field
	fieldLength        syntax.Field
	fieldName          syntax.Field
	fieldOperand       syntax.Field
	fieldOperator      syntax.Field
	fieldPackage       syntax.Field
	fieldParameters    syntax.Field
	fieldPath          syntax.Field
	fieldReceiver      syntax.Field
	fieldResult        syntax.Field
	fieldRight         syntax.Field
	fieldStart         syntax.Field
	fieldTag           syntax.Field
	fieldType          syntax.Field
	fieldTypeArguments syntax.Field
	fieldTypeParams    syntax.Field
	fieldUpdate        syntax.Field
	fieldValue         syntax.Field

	kindIota, kindConstSpec                                                     syntax.Kind
	tokenAssign, tokenAnd, tokenArrow, tokenStar, tokenChan, tokenShl, tokenShr syntax.Kind
)

// setup resolves the names in the grammar; whoever reads a tree calls it first.
var setup = sync.OnceFunc(func() {
	g := grammar()
	classes = syntax.NewClasses(g, classNames, tokenClasses)
	g.Fields(map[string]*syntax.Field{
		"alias":           &fieldAlias,
		"alternative":     &fieldAlternative,
		"arguments":       &fieldArguments,
		"body":            &fieldBody,
		"capacity":        &fieldCapacity,
		"channel":         &fieldChannel,
		"communication":   &fieldCommunication,
		"condition":       &fieldCondition,
		"consequence":     &fieldConsequence,
		"element":         &fieldElement,
		"end":             &fieldEnd,
		"field":           &fieldField,
		"function":        &fieldFunction,
		"index":           &fieldIndex,
		"initializer":     &fieldInitializer,
		"key":             &fieldKey,
		"left":            &fieldLeft,
		"length":          &fieldLength,
		"name":            &fieldName,
		"operand":         &fieldOperand,
		"operator":        &fieldOperator,
		"package":         &fieldPackage,
		"parameters":      &fieldParameters,
		"path":            &fieldPath,
		"receiver":        &fieldReceiver,
		"result":          &fieldResult,
		"right":           &fieldRight,
		"start":           &fieldStart,
		"tag":             &fieldTag,
		"type":            &fieldType,
		"type_arguments":  &fieldTypeArguments,
		"type_parameters": &fieldTypeParams,
		"update":          &fieldUpdate,
		"value":           &fieldValue,
	})
	kindIota = g.Kind("iota")
	kindConstSpec = g.Kind("const_spec")
	tokenAssign = g.Token("=")
	tokenAnd = g.Token("&")
	tokenArrow = g.Token("<-")
	tokenStar = g.Token("*")
	tokenChan = g.Token("chan")
	tokenShl = g.Token("<<=")
	tokenShr = g.Token(">>=")
	hashRules = newHashRules(g)
})
