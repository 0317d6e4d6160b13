// Package all lists the languages that kg reads.
package all

import (
	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/lang/golang"
	"github.com/codekg/kg/analyzer/lang/java"
	"github.com/codekg/kg/analyzer/lang/python"
	"github.com/codekg/kg/analyzer/lang/typescript"
)

// Languages are all languages, sorted by name.
var Languages = []*lang.Language{
	golang.Language,
	java.Language,
	python.Language,
	typescript.Language,
}
