package java

import (
	"slices"
	"testing"
)

func TestStandardSupertypes(t *testing.T) {
	for name, want := range map[string][]string{
		"java.io.FileNotFoundException":      {"java.io.IOException"},
		"java.io.IOException":                {"java.lang.Exception"},
		"java.lang.IllegalArgumentException": {"java.lang.RuntimeException"},
		"java.util.List":                     {"java.util.SequencedCollection"},
		"java.util.concurrent.Future":        nil,
		"java.lang.Object":                   nil,
		"com.example.Unknown":                nil,
		"int":                                nil,
	} {
		if got := standardSupertypes(name); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
