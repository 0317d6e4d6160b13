package main

import (
	"reflect"
	"testing"

	"github.com/codekg/kg/analyzer/lang/all"
	"github.com/codekg/kg/bench/change"
)

// TestLanguageRules checks that every rule of a language reaches the comparison,
// and the programs that measure it.
func TestLanguageRules(t *testing.T) {
	ours, bench := languageRules(), change.Rules()
	for _, l := range all.Languages {
		r, b, f := reflect.ValueOf(ours.Rules[l.Name]), reflect.ValueOf(bench.Rules[l.Name]), reflect.ValueOf(l.Fit)
		for i := range f.NumField() {
			name := f.Type().Field(i).Name
			for _, v := range []reflect.Value{r, b} {
				if x := v.FieldByName(name); !x.IsValid() || x.IsZero() != f.Field(i).IsZero() ||
					x.Kind() != reflect.Func && !reflect.DeepEqual(x.Interface(), f.Field(i).Interface()) {
					t.Errorf("%s: %s does not arrive", l.Name, name)
				}
			}
		}
		if !reflect.DeepEqual(ours.Rules[l.Name].Predeclared, bench.Rules[l.Name].Predeclared) {
			t.Errorf("%s: other predeclared names", l.Name)
		}
	}
}
