package main

import (
	"github.com/codekg/kg/analyzer/lang/all"
	"github.com/codekg/kg/diff"
)

// languageRules tells the comparison what each language says of uses that fit.
func languageRules() diff.Options {
	o := diff.Options{Rules: map[string]diff.Rules{}}
	for _, l := range all.Languages {
		f := l.Fit
		o.Rules[l.Name] = diff.Rules{Keywords: f.Keywords, Dynamic: f.Dynamic, LooseArity: f.LooseArity, TopTypes: f.TopTypes}
	}
	return o
}

// testRunners names what runs the tests of each language.
func testRunners() map[string]string {
	m := map[string]string{}
	for _, l := range all.Languages {
		m[l.Name] = l.Runner
	}
	return m
}
