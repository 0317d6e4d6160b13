package python

import (
	"sync"

	"github.com/codekg/kg/analyzer/syntax"
)

// class numbers the node kinds that the extractor knows with constants, so that
// a switch over them is a jump. Kinds that it does not know are classOther.
type class uint8

const (
	classOther class = iota
	classError
	classComment

	// Expressions.
	classIdentifier
	classDottedName
	classAttribute
	classSubscript
	classSlice
	classCall
	classArguments
	classKeywordArgument
	classListSplat
	classDictSplat
	classParen
	classInt
	classFloat
	classString
	classConcatenated
	classInterpolation
	classTrue
	classFalse
	classNone
	classEllipsis
	classList
	classTuple
	classSet
	classDict
	classPair
	classExpressionList
	classListComp
	classSetComp
	classDictComp
	classGenerator
	classForIn
	classIfClause
	classBinary
	classBoolean
	classComparison
	classNot
	classUnary
	classConditional
	classNamedExpr
	classLambda
	classLambdaParams
	classAwait
	classYield
	classType

	// Patterns.
	classPatternList
	classTuplePattern
	classListPattern
	classSplatPattern
	classAsPattern
	classAsTarget
	classCasePattern
	classClassPattern
	classKeywordPattern
	classDictPattern
	classUnionPattern
	classCaptureSplat

	// Types.
	classGenericType
	classUnionType
	classMemberType
	classTypeParameter
	classConstrained
	classSplatType

	// Statements.
	classBlock
	classExpressionStatement
	classAssignment
	classAugmented
	classReturn
	classRaise
	classAssert
	classBreak
	classContinue
	classDelete
	classGlobal
	classNonlocal
	classIf
	classElif
	classElse
	classWhile
	classFor
	classTry
	classExcept
	classFinally
	classWith
	classWithClause
	classWithItem
	classMatch
	classCase
	classImport
	classImportFrom
	classFutureImport
	classAliased
	classRelative
	classPrefix
	classWildcard
	classTypeAlias
	classPass

	// Declarations.
	classFunction
	classClass
	classDecorated
	classDecorator
	classParameters
	classDefaultParam
	classTypedParam
	classTypedDefault
	classStarParam
	classStarStarParam
	classKeywordSeparator
	classPositionalSeparator
)

var classNames = map[string]class{
	"comment":    classComment,
	"identifier": classIdentifier, "dotted_name": classDottedName, "attribute": classAttribute,
	"subscript": classSubscript, "slice": classSlice, "call": classCall, "argument_list": classArguments,
	"keyword_argument": classKeywordArgument, "list_splat": classListSplat, "dictionary_splat": classDictSplat,
	"parenthesized_list_splat": classListSplat,
	"parenthesized_expression": classParen, "integer": classInt, "float": classFloat, "string": classString,
	"concatenated_string": classConcatenated, "interpolation": classInterpolation, "true": classTrue, "false": classFalse,
	"none": classNone, "ellipsis": classEllipsis, "list": classList, "tuple": classTuple, "set": classSet,
	"dictionary": classDict, "pair": classPair, "expression_list": classExpressionList,
	"list_comprehension": classListComp, "set_comprehension": classSetComp, "dictionary_comprehension": classDictComp,
	"generator_expression": classGenerator, "for_in_clause": classForIn, "if_clause": classIfClause,
	"binary_operator": classBinary, "boolean_operator": classBoolean, "comparison_operator": classComparison,
	"not_operator": classNot, "unary_operator": classUnary, "conditional_expression": classConditional,
	"named_expression": classNamedExpr, "lambda": classLambda, "lambda_parameters": classLambdaParams,
	"await": classAwait, "yield": classYield, "type": classType,

	"pattern_list": classPatternList, "tuple_pattern": classTuplePattern, "list_pattern": classListPattern,
	"list_splat_pattern": classStarParam, "dictionary_splat_pattern": classStarStarParam,
	"splat_pattern": classSplatPattern, "as_pattern": classAsPattern,
	"as_pattern_target": classAsTarget, "case_pattern": classCasePattern, "class_pattern": classClassPattern,
	"keyword_pattern": classKeywordPattern, "dict_pattern": classDictPattern, "union_pattern": classUnionPattern,

	"generic_type": classGenericType, "union_type": classUnionType, "member_type": classMemberType,
	"type_parameter": classTypeParameter, "constrained_type": classConstrained, "splat_type": classSplatType,

	"block": classBlock, "expression_statement": classExpressionStatement, "assignment": classAssignment,
	"augmented_assignment": classAugmented, "return_statement": classReturn, "raise_statement": classRaise,
	"assert_statement": classAssert, "break_statement": classBreak, "continue_statement": classContinue, "delete_statement": classDelete,
	"global_statement": classGlobal, "nonlocal_statement": classNonlocal, "if_statement": classIf,
	"elif_clause": classElif, "else_clause": classElse, "while_statement": classWhile, "for_statement": classFor,
	"try_statement": classTry, "except_clause": classExcept, "finally_clause": classFinally,
	"with_statement": classWith, "with_clause": classWithClause, "with_item": classWithItem,
	"match_statement": classMatch, "case_clause": classCase, "import_statement": classImport,
	"import_from_statement": classImportFrom, "future_import_statement": classFutureImport,
	"aliased_import": classAliased, "relative_import": classRelative, "import_prefix": classPrefix,
	"wildcard_import": classWildcard, "pass_statement": classPass, "type_alias_statement": classTypeAlias,

	"function_definition": classFunction, "class_definition": classClass, "decorated_definition": classDecorated,
	"decorator": classDecorator, "parameters": classParameters, "default_parameter": classDefaultParam,
	"typed_parameter": classTypedParam, "typed_default_parameter": classTypedDefault,
	"keyword_separator": classKeywordSeparator, "positional_separator": classPositionalSeparator,
}

var classes syntax.Classes

func classOf(k syntax.Kind) class { return class(classes.Of(k)) }

// The roles of children, and the tokens that are told apart.
var (
	fieldAlias       syntax.Field
	fieldAlternative syntax.Field
	fieldArguments   syntax.Field
	fieldArgument    syntax.Field
	fieldAttribute   syntax.Field
	fieldBody        syntax.Field
	fieldCause       syntax.Field
	fieldCondition   syntax.Field
	fieldConsequence syntax.Field
	fieldDefinition  syntax.Field
	fieldFunction    syntax.Field
	fieldGuard       syntax.Field
	fieldKey         syntax.Field
	fieldLeft        syntax.Field
	fieldModule      syntax.Field
	fieldName        syntax.Field
	fieldObject      syntax.Field
	fieldOperator    syntax.Field
	fieldOperators   syntax.Field
	fieldParameters  syntax.Field
	fieldReturn      syntax.Field
	fieldRight       syntax.Field
	fieldSubject     syntax.Field
	fieldSubscript   syntax.Field
	fieldSupers      syntax.Field
	fieldType        syntax.Field
	fieldTypeParams  syntax.Field
	fieldValue       syntax.Field

	tokenAsync, tokenFrom, tokenAnd, tokenStar syntax.Kind
)

// setup resolves the names in the grammar; whoever reads a tree calls it first.
var setup = sync.OnceFunc(func() {
	g := grammar()
	classes = syntax.NewClasses(g, classNames, nil)
	g.Fields(map[string]*syntax.Field{
		"alias": &fieldAlias, "alternative": &fieldAlternative, "arguments": &fieldArguments, "argument": &fieldArgument,
		"attribute": &fieldAttribute, "body": &fieldBody, "cause": &fieldCause, "condition": &fieldCondition,
		"consequence": &fieldConsequence, "definition": &fieldDefinition, "function": &fieldFunction, "guard": &fieldGuard,
		"key": &fieldKey, "left": &fieldLeft, "module_name": &fieldModule, "name": &fieldName, "object": &fieldObject,
		"operator": &fieldOperator, "operators": &fieldOperators, "parameters": &fieldParameters,
		"return_type": &fieldReturn, "right": &fieldRight, "subject": &fieldSubject, "subscript": &fieldSubscript,
		"superclasses": &fieldSupers, "type": &fieldType, "type_parameters": &fieldTypeParams, "value": &fieldValue,
	})
	tokenAsync, tokenFrom, tokenAnd, tokenStar = g.Token("async"), g.Token("from"), g.Token("and"), g.Token("*")
	branch := g.Tokens("and", "or").Union(g.Kinds("if_statement", "elif_clause", "conditional_expression", "for_statement", "while_statement", "except_clause",
		"case_clause", "for_in_clause", "if_clause"))
	hashRules = syntax.HashRules{Ignore: g.Tokens(",", ";"), Whole: g.Kinds("string_content"), Branch: branch, Pragma: pragma}
})
