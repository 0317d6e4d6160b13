package java

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

	// Names and types.
	classIdentifier
	classScopedIdentifier
	classTypeName
	classScopedType
	classGeneric
	classArrayType
	classAnnotatedType
	classPrimitive
	classVoid
	classWildcard
	classTypeArguments
	classTypeParams
	classTypeParam
	classTypeBound
	classTypeList
	classSuperclass
	classInterfaces
	classPermits
	classThrows
	classDimensions
	classDimension

	// Literals.
	classInt
	classFloat
	classChar
	classString
	classBool
	classNull

	// Expressions.
	classAssign
	classBinary
	classInstanceof
	classLambda
	classInferredParams
	classTernary
	classUnary
	classUpdate
	classCast
	classSwitch
	classClassLiteral
	classThis
	classSuper
	classParen
	classNew
	classField
	classArrayAccess
	classCall
	classArguments
	classMethodRef
	classNewArray
	classArrayInit
	classTemplate
	classInterpolation

	// Patterns.
	classPattern
	classTypePattern
	classRecordPattern
	classRecordPatternBody
	classRecordComponent
	classGuard

	// Statements.
	classBlock
	classConstructorBody
	classExpressionStatement
	classLabeled
	classAssert
	classDo
	classJump
	classReturn
	classYield
	classSynchronized
	classThrow
	classTry
	classTryResources
	classCatch
	classCatchParam
	classCatchType
	classFinally
	classResources
	classResource
	classIf
	classWhile
	classFor
	classForEach
	classLocal
	classSwitchBlock
	classSwitchGroup
	classSwitchRule
	classSwitchLabel
	classExplicitConstructor

	// Annotations and declarations.
	classAnnotation
	classAnnotationArguments
	classElementPair
	classElementArray
	classModifiers
	classModule
	classPackage
	classImport
	classAsterisk
	classClass
	classRecord
	classInterface
	classAnnotationType
	classEnum
	classEnumBody
	classEnumBodyDecls
	classEnumConstant
	classBody
	classFieldDecl
	classMethod
	classElementDecl
	classConstructor
	classCompact
	classStaticInit
	classParams
	classParam
	classSpread
	classReceiver
	classDeclarator
	classUnderscore
)

var classNames = map[string]class{
	"line_comment": classComment, "block_comment": classComment,
	"identifier": classIdentifier, "scoped_identifier": classScopedIdentifier,
	"type_identifier": classTypeName, "scoped_type_identifier": classScopedType, "generic_type": classGeneric,
	"array_type": classArrayType, "annotated_type": classAnnotatedType,
	"integral_type": classPrimitive, "floating_point_type": classPrimitive, "boolean_type": classPrimitive,
	"void_type": classVoid, "wildcard": classWildcard, "type_arguments": classTypeArguments,
	"type_parameters": classTypeParams, "type_parameter": classTypeParam, "type_bound": classTypeBound,
	"type_list": classTypeList, "superclass": classSuperclass, "super_interfaces": classInterfaces,
	"extends_interfaces": classInterfaces, "permits": classPermits, "throws": classThrows,
	"dimensions": classDimensions, "dimensions_expr": classDimension,

	"decimal_integer_literal": classInt, "hex_integer_literal": classInt, "octal_integer_literal": classInt,
	"binary_integer_literal": classInt, "decimal_floating_point_literal": classFloat,
	"hex_floating_point_literal": classFloat, "character_literal": classChar, "string_literal": classString,
	"true": classBool, "false": classBool, "null_literal": classNull,

	"assignment_expression": classAssign, "binary_expression": classBinary, "instanceof_expression": classInstanceof,
	"lambda_expression": classLambda, "inferred_parameters": classInferredParams, "ternary_expression": classTernary,
	"unary_expression": classUnary, "update_expression": classUpdate, "cast_expression": classCast,
	"switch_expression": classSwitch, "class_literal": classClassLiteral, "this": classThis, "super": classSuper,
	"parenthesized_expression": classParen, "object_creation_expression": classNew, "field_access": classField,
	"array_access": classArrayAccess, "method_invocation": classCall, "argument_list": classArguments,
	"method_reference": classMethodRef, "array_creation_expression": classNewArray, "array_initializer": classArrayInit,
	"template_expression": classTemplate, "string_interpolation": classInterpolation,

	"pattern": classPattern, "type_pattern": classTypePattern, "record_pattern": classRecordPattern,
	"record_pattern_body": classRecordPatternBody, "record_pattern_component": classRecordComponent, "guard": classGuard,

	"block": classBlock, "constructor_body": classConstructorBody, "expression_statement": classExpressionStatement,
	"labeled_statement": classLabeled, "assert_statement": classAssert, "do_statement": classDo,
	"break_statement": classJump, "continue_statement": classJump, "return_statement": classReturn,
	"yield_statement": classYield, "synchronized_statement": classSynchronized, "throw_statement": classThrow,
	"try_statement": classTry, "try_with_resources_statement": classTryResources, "catch_clause": classCatch,
	"catch_formal_parameter": classCatchParam, "catch_type": classCatchType, "finally_clause": classFinally,
	"resource_specification": classResources, "resource": classResource, "if_statement": classIf,
	"while_statement": classWhile, "for_statement": classFor, "enhanced_for_statement": classForEach,
	"local_variable_declaration": classLocal, "switch_block": classSwitchBlock,
	"switch_block_statement_group": classSwitchGroup, "switch_rule": classSwitchRule, "switch_label": classSwitchLabel,
	"explicit_constructor_invocation": classExplicitConstructor,

	"annotation": classAnnotation, "marker_annotation": classAnnotation,
	"annotation_argument_list": classAnnotationArguments, "element_value_pair": classElementPair,
	"element_value_array_initializer": classElementArray, "modifiers": classModifiers,
	"module_declaration": classModule, "package_declaration": classPackage, "import_declaration": classImport,
	"asterisk": classAsterisk, "class_declaration": classClass, "record_declaration": classRecord,
	"interface_declaration": classInterface, "annotation_type_declaration": classAnnotationType,
	"enum_declaration": classEnum, "enum_body": classEnumBody, "enum_body_declarations": classEnumBodyDecls,
	"enum_constant": classEnumConstant, "class_body": classBody, "interface_body": classBody,
	"annotation_type_body": classBody, "field_declaration": classFieldDecl, "constant_declaration": classFieldDecl,
	"method_declaration": classMethod, "annotation_type_element_declaration": classElementDecl,
	"constructor_declaration": classConstructor, "compact_constructor_declaration": classCompact,
	"static_initializer": classStaticInit, "formal_parameters": classParams, "formal_parameter": classParam,
	"spread_parameter": classSpread, "receiver_parameter": classReceiver, "variable_declarator": classDeclarator,
	"underscore_pattern": classUnderscore,
}

var classes syntax.Classes

func classOf(k syntax.Kind) class { return class(classes.Of(k)) }

// The roles of children, and the tokens that are told apart.
var (
	fieldAlternative syntax.Field
	fieldArguments   syntax.Field
	fieldArray       syntax.Field
	fieldBody        syntax.Field
	fieldCondition   syntax.Field
	fieldConsequence syntax.Field
	fieldConstructor syntax.Field
	fieldDimensions  syntax.Field
	fieldElement     syntax.Field
	fieldField       syntax.Field
	fieldIndex       syntax.Field
	fieldInit        syntax.Field
	fieldInterfaces  syntax.Field
	fieldKey         syntax.Field
	fieldLeft        syntax.Field
	fieldName        syntax.Field
	fieldObject      syntax.Field
	fieldOperand     syntax.Field
	fieldOperator    syntax.Field
	fieldParameters  syntax.Field
	fieldPattern     syntax.Field
	fieldPermits     syntax.Field
	fieldResources   syntax.Field
	fieldRight       syntax.Field
	fieldScope       syntax.Field
	fieldSuperclass  syntax.Field
	fieldType        syntax.Field
	fieldTypeParams  syntax.Field
	fieldUpdate      syntax.Field
	fieldValue       syntax.Field

	tokenAssign, tokenStatic, tokenDot syntax.Kind
)

// setup resolves the names in the grammar; whoever reads a tree calls it first.
var setup = sync.OnceFunc(func() {
	g := grammar()
	classes = syntax.NewClasses(g, classNames, nil)
	g.Fields(map[string]*syntax.Field{
		"alternative": &fieldAlternative, "arguments": &fieldArguments, "array": &fieldArray, "body": &fieldBody,
		"condition": &fieldCondition, "consequence": &fieldConsequence, "constructor": &fieldConstructor,
		"dimensions": &fieldDimensions, "element": &fieldElement, "field": &fieldField, "index": &fieldIndex,
		"init": &fieldInit, "interfaces": &fieldInterfaces, "key": &fieldKey, "left": &fieldLeft, "name": &fieldName,
		"object": &fieldObject, "operand": &fieldOperand, "operator": &fieldOperator, "parameters": &fieldParameters,
		"pattern": &fieldPattern, "permits": &fieldPermits, "resources": &fieldResources, "right": &fieldRight,
		"scope": &fieldScope, "superclass": &fieldSuperclass, "type": &fieldType, "type_parameters": &fieldTypeParams,
		"update": &fieldUpdate, "value": &fieldValue,
	})
	tokenAssign, tokenStatic, tokenDot = g.Token("="), g.Token("static"), g.Token(".")
	branch := g.Tokens("case", "&&", "||").Union(g.Kinds("if_statement", "for_statement", "enhanced_for_statement", "while_statement", "do_statement",
		"catch_clause", "ternary_expression"))
	hashRules = syntax.HashRules{Ignore: g.Tokens(";", ","), Whole: g.Kinds("string_literal"), Branch: branch}
})
