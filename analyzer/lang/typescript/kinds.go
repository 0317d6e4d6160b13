package typescript

import (
	"sync"
	"unsafe"

	tree_sitter_typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"

	"github.com/codekg/kg/analyzer/syntax"
)

// class is what a kind of node means to the extractor. The grammars of the
// family number their kinds differently; classes are the same in all.
type class uint8

const (
	classOther class = syntax.ClassOther
	classError class = syntax.ClassError
)

const (
	_ class = iota + classError
	classComment
	classHashBang

	// Names and literals.
	classIdentifier
	classTypeName
	classPropertyName
	classPrivateName
	classShorthand
	classShorthandPattern
	classString
	classNumber
	classBool
	classNull
	classUndefined
	classRegexp
	classTemplate
	classSubstitution
	classComputed
	classNestedName
	classNestedType

	// Statements.
	classImport
	classExport
	classExpressionStatement
	classBlock
	classIf
	classElse
	classFor
	classForIn
	classWhile
	classDo
	classSwitch
	classSwitchBody
	classCase
	classDefault
	classTry
	classCatch
	classFinally
	classReturn
	classThrow
	classLabeled
	classWith
	classJump
	classLexical
	classVariable
	classDeclarator
	classAmbient
	classImportAlias

	// Declarations.
	classFunction
	classGenerator
	classFunctionSignature
	classClass
	classAbstractClass
	classClassExpr
	classClassBody
	classHeritage
	classExtends
	classExtendsType
	classImplements
	classMethod
	classMethodSignature
	classAbstractMethod
	classField
	classStaticBlock
	classIndexSignature
	classCallSignature
	classConstructSignature
	classPropertySignature
	classInterface
	classInterfaceBody
	classEnum
	classEnumBody
	classEnumAssignment
	classTypeAlias
	classModule
	classInternalModule
	classTypeParams
	classTypeParam
	classConstraint
	classParams
	classParam
	classOptionalParam
	classRestPattern
	classDecorator
	classAccessibility

	// Expressions.
	classFunctionExpr
	classGeneratorExpr
	classArrow
	classCall
	classNew
	classMember
	classSubscript
	classAssign
	classAugmented
	classBinary
	classUnary
	classUpdate
	classTernary
	classAwait
	classYield
	classAs
	classSatisfies
	classTypeAssertion
	classNonNull
	classInstantiation
	classParen
	classSequence
	classSpread
	classArray
	classObject
	classPair
	classThis
	classSuper
	classImportWord
	classMetaProperty
	classArrayPattern
	classObjectPattern
	classPairPattern
	classAssignPattern
	classObjectAssignPattern
	classArguments

	// Types.
	classTypeAnnotation
	classTypeArguments
	classPredefined
	classGeneric
	classObjectType
	classUnionType
	classIntersection
	classArrayType
	classTupleType
	classFunctionType
	classConstructorType
	classParenType
	classLiteralType
	classTypeQuery
	classKeyof
	classLookup
	classConditional
	classInfer
	classReadonlyType
	classThisType
	classMapped
	classTemplateType
	classPredicate
	classAsserts
	classOptionalType
	classRestType
	classFlowMaybe

	// JSX.
	classJSXElement
	classJSXOpening
	classJSXSelfClosing
	classJSXClosing
	classJSXAttribute
	classJSXExpression
	classJSXText
	classJSXNamespace
)

var classNames = map[string]class{
	"comment": classComment, "html_comment": classComment, "hash_bang_line": classHashBang,
	"identifier": classIdentifier, "type_identifier": classTypeName, "property_identifier": classPropertyName,
	"private_property_identifier": classPrivateName, "shorthand_property_identifier": classShorthand,
	"shorthand_property_identifier_pattern": classShorthandPattern, "statement_identifier": classOther,
	"string": classString, "number": classNumber, "true": classBool, "false": classBool, "null": classNull,
	"undefined": classUndefined, "regex": classRegexp, "template_string": classTemplate, "template_substitution": classSubstitution,
	"computed_property_name": classComputed, "nested_identifier": classNestedName, "nested_type_identifier": classNestedType,
	"import_statement": classImport, "export_statement": classExport, "expression_statement": classExpressionStatement,
	"statement_block": classBlock, "if_statement": classIf, "else_clause": classElse, "for_statement": classFor,
	"for_in_statement": classForIn, "while_statement": classWhile, "do_statement": classDo, "switch_statement": classSwitch,
	"switch_body": classSwitchBody, "switch_case": classCase, "switch_default": classDefault, "try_statement": classTry,
	"catch_clause": classCatch, "finally_clause": classFinally, "return_statement": classReturn, "throw_statement": classThrow,
	"labeled_statement": classLabeled, "with_statement": classWith, "break_statement": classJump, "continue_statement": classJump,
	"debugger_statement": classJump, "empty_statement": classJump, "lexical_declaration": classLexical,
	"variable_declaration": classVariable, "variable_declarator": classDeclarator, "ambient_declaration": classAmbient,
	"import_alias": classImportAlias, "function_declaration": classFunction, "generator_function_declaration": classGenerator,
	"function_signature": classFunctionSignature, "class_declaration": classClass, "abstract_class_declaration": classAbstractClass,
	"class": classClassExpr, "class_body": classClassBody, "class_heritage": classHeritage, "extends_clause": classExtends,
	"extends_type_clause": classExtendsType, "implements_clause": classImplements, "method_definition": classMethod,
	"method_signature": classMethodSignature, "abstract_method_signature": classAbstractMethod, "public_field_definition": classField,
	"class_static_block": classStaticBlock, "index_signature": classIndexSignature, "call_signature": classCallSignature,
	"construct_signature": classConstructSignature, "property_signature": classPropertySignature,
	"interface_declaration": classInterface, "interface_body": classInterfaceBody, "enum_declaration": classEnum,
	"enum_body": classEnumBody, "enum_assignment": classEnumAssignment, "type_alias_declaration": classTypeAlias,
	"module": classModule, "internal_module": classInternalModule, "type_parameters": classTypeParams,
	"type_parameter": classTypeParam, "constraint": classConstraint, "formal_parameters": classParams,
	"required_parameter": classParam, "optional_parameter": classOptionalParam, "rest_pattern": classRestPattern,
	"decorator": classDecorator, "accessibility_modifier": classAccessibility,
	"function_expression": classFunctionExpr, "generator_function": classGeneratorExpr, "arrow_function": classArrow,
	"call_expression": classCall, "new_expression": classNew, "member_expression": classMember,
	"subscript_expression": classSubscript, "assignment_expression": classAssign, "augmented_assignment_expression": classAugmented,
	"binary_expression": classBinary, "unary_expression": classUnary, "update_expression": classUpdate,
	"ternary_expression": classTernary, "await_expression": classAwait, "yield_expression": classYield,
	"as_expression": classAs, "satisfies_expression": classSatisfies, "type_assertion": classTypeAssertion,
	"non_null_expression": classNonNull, "instantiation_expression": classInstantiation, "parenthesized_expression": classParen,
	"sequence_expression": classSequence, "spread_element": classSpread, "array": classArray, "object": classObject,
	"pair": classPair, "this": classThis, "super": classSuper, "import": classImportWord, "meta_property": classMetaProperty,
	"array_pattern": classArrayPattern, "object_pattern": classObjectPattern, "pair_pattern": classPairPattern,
	"assignment_pattern": classAssignPattern, "object_assignment_pattern": classObjectAssignPattern, "arguments": classArguments,
	"type_annotation": classTypeAnnotation, "type_arguments": classTypeArguments, "predefined_type": classPredefined,
	"generic_type": classGeneric, "object_type": classObjectType, "union_type": classUnionType,
	"intersection_type": classIntersection, "array_type": classArrayType, "tuple_type": classTupleType,
	"function_type": classFunctionType, "constructor_type": classConstructorType, "parenthesized_type": classParenType,
	"literal_type": classLiteralType, "type_query": classTypeQuery, "index_type_query": classKeyof, "lookup_type": classLookup,
	"conditional_type": classConditional, "infer_type": classInfer, "readonly_type": classReadonlyType, "this_type": classThisType,
	"mapped_type_clause": classMapped, "template_literal_type": classTemplateType, "type_predicate": classPredicate,
	"type_predicate_annotation": classPredicate, "asserts": classAsserts, "asserts_annotation": classAsserts,
	"optional_type": classOptionalType, "rest_type": classRestType, "flow_maybe_type": classFlowMaybe,
	"jsx_element": classJSXElement, "jsx_opening_element": classJSXOpening, "jsx_self_closing_element": classJSXSelfClosing,
	"jsx_closing_element": classJSXClosing, "jsx_attribute": classJSXAttribute, "jsx_expression": classJSXExpression,
	"jsx_text": classJSXText, "jsx_namespace_name": classJSXNamespace,
}

// fieldSet are the numbers that one grammar gives to the roles of children.
type fieldSet struct {
	name, body, value, typ, params, param, result, typeParams, typeArgs, function, arguments, object, property,
	index, left, right, operator, operand, condition, consequence, alternative, init, increment, source, alias,
	declaration, decorator, key, pattern, constructor, handler, finalizer, module, sign, kind syntax.Field
}

// dialect is a grammar of the family.
type dialect struct {
	lang     *syntax.Language
	classes  syntax.Classes
	f        fieldSet
	optional syntax.Kind // of ?.
	rules    syntax.HashRules
	vue      bool
	docs     bool // types in comments count: it is the grammar of plain JavaScript
}

func newDialect(name string, grammar unsafe.Pointer) *dialect {
	l := syntax.MustLanguage(name, grammar)
	d := &dialect{lang: l}
	known := map[string]class{} // the grammars differ in a few kinds
	for name, c := range classNames {
		if _, ok := l.LookupKind(name); ok {
			known[name] = c
		}
	}
	d.classes = syntax.NewClasses(l, known, nil)
	d.optional, _ = l.LookupKind("optional_chain")
	f := l.Field
	d.f = fieldSet{name: f("name"), body: f("body"), value: f("value"), typ: f("type"), params: f("parameters"), param: f("parameter"),
		result: f("return_type"), typeParams: f("type_parameters"), typeArgs: f("type_arguments"), function: f("function"),
		arguments: f("arguments"), object: f("object"), property: f("property"), index: f("index"), left: f("left"), right: f("right"),
		operator: f("operator"), operand: f("argument"), condition: f("condition"), consequence: f("consequence"),
		alternative: f("alternative"), init: f("initializer"), increment: f("increment"), source: f("source"), alias: f("alias"),
		declaration: f("declaration"), decorator: f("decorator"), key: f("key"), pattern: f("pattern"), constructor: f("constructor"),
		handler: f("handler"), finalizer: f("finalizer"), module: f("module"), sign: f("sign"), kind: f("kind")}
	branch := l.Tokens("&&", "||", "??").Union(l.Kinds("if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement", "switch_case",
		"catch_clause", "ternary_expression"))
	d.rules = syntax.HashRules{Ignore: l.Tokens(";", ",", `"`, "'"), Branch: branch, Pragma: pragma}
	return d
}

var (
	plain = sync.OnceValue(func() *dialect {
		return reading(newDialect("typescript", tree_sitter_typescript.LanguageTypescript()), withoutJSX)
	})
	withJSX = sync.OnceValue(func() *dialect {
		d := reading(newDialect("tsx", tree_sitter_typescript.LanguageTSX()), readable)
		d.docs = true
		return d
	})
	inVue = sync.OnceValue(func() *dialect {
		d := newDialect("vue", tree_sitter_typescript.LanguageTypescript())
		d.lang.SetReading(func(src []byte) []byte { return withoutJSX(scripts(src)) })
		d.vue = true
		return d
	})
)

func reading(d *dialect, f func([]byte) []byte) *dialect {
	d.lang.SetReading(f)
	return d
}

// dialectOf returns the dialect of a tree's grammar.
func dialectOf(l *syntax.Language) *dialect {
	switch l.Name() {
	case "tsx":
		return withJSX()
	case "vue":
		return inVue()
	}
	return plain()
}

func (d *dialect) class(k syntax.Kind) class { return class(d.classes.Of(k)) }
