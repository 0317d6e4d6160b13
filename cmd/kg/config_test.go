package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/codekg/kg/diff/rules"
)

// TestConfigSchema: the schema names the rules and levels that there are, and
// says the same as the program of configurations right and wrong.
func TestConfigSchema(t *testing.T) {
	var s struct {
		Defs map[string]struct{ Enum []string } `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(configSchema), &s); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.ID)
	}
	if !slices.Equal(s.Defs["rule"].Enum, ids) {
		t.Errorf("the schema names the rules %q, the program %q", s.Defs["rule"].Enum, ids)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(configSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		text string
		ok   bool
	}{
		{"{}", true},
		{"fail-on: [error, new-cycle]", true},
		{"fail-on: [off]", false},
		{"fail-on: error", false},
		{"rules: {public-api: {level: off, include: ['a/**'], exclude: []}}", true},
		{"rules: {public-api: {level: loud}}", false},
		{"rules: {nonsense: {level: off}}", false},
		{"rules: {public-api: {levels: off}}", false},
		{"waivers: [{rule: public-api, symbol: 'go:x#*', reason: y, until: '2030-01-31'}]", true},
		{"waivers: [{rule: public-api, fingerprint: 0123456789abcdef0123456789abcdef, reason: y}]", true},
		{"waivers: [{rule: public-api, symbol: x}]", false},
		{"waivers: [{rule: public-api, symbol: x, reason: ' '}]", false},
		{"waivers: [{rule: public-api, reason: y}]", false},
		{"waivers: [{rule: public-api, symbol: x, reason: y, until: tomorrow}]", false},
		{"nonsense: 1", false},
		{"[]", false},
	} {
		if _, err := parseConfig("c", []byte(x.text)); (err == nil) != x.ok {
			t.Errorf("%s: the program says %v", x.text, err)
		}
		text, err := yaml.YAMLToJSON([]byte(x.text))
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); (err == nil) != x.ok {
			t.Errorf("%s: the schema says %v", x.text, err)
		}
	}
	if _, err := parseConfig("c", nil); err != nil {
		t.Errorf("an empty configuration: %v", err)
	}
}

// FuzzConfig: a configuration is read or refused.
func FuzzConfig(f *testing.F) {
	f.Add([]byte("fail-on: [error]\nrules: {public-api: {level: note}}\nwaivers:\n- {rule: public-api, path: x, reason: y}\n"))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("rules: {public-api: {include: ['[']}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := parseConfig("c", text); err == nil && len(p.Check()) > 0 {
			t.Error("a policy that was read does not hold")
		}
	})
}
