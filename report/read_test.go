package report_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/diff/rules"
	"github.com/codekg/kg/report"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestRead: what was written is read, and says the same in all formats.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases")
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := judged(t, a, &rules.Policy{FailOn: []string{"error"}}, nil)
		text := write(t, "impact", "json", r, nil, report.Options{})
		again, err := report.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, f := range report.Formats() {
			if f.Impact == nil {
				continue
			}
			if one, two := write(t, "impact", f.Name, r, nil, report.Options{}), write(t, "impact", f.Name, again, nil, report.Options{}); !bytes.Equal(one, two) {
				t.Errorf("%s: %s: %s\nonce read:\n%s", file, f.Name, one, two)
			}
		}
		for _, x := range []struct{ old, new string }{
			{`"schema":"kg.impact/v1"`, `"schema":"kg.impact/v2"`},
			{`"tool":{`, `"tool":{"more":1,`},
			{`"change":"`, `"change":"un`},
			{`"severity":"`, `"severity":"un`},
			{`"state":"`, `"state":"un`},
			{`"line":`, `"line":-`},
			{`"mode":"`, `"mode":"un`},
			{`"broken":`, `"broken":9`},
			{`"rule":"`, `"rule":"un`},
			{`"fingerprint":"`, `"fingerprint":"x`},
			{`"hits":`, `"hits":-1`},
			{`"fail_on":["error"]`, `"fail_on":["@octocat"]`},
			{`{"schema"`, `[{"schema"`},
			{"}\n", "}{}\n"},
			{"}\n", "\n"},
		} {
			if bad := strings.Replace(string(text), x.old, x.new, 1); bad != string(text) && !strings.Contains(x.new, `"line":-`) {
				if _, err := report.Read(strings.NewReader(bad)); err == nil {
					t.Errorf("%s: %s is read", file, x.new)
				}
			}
		}
	}
}

// FuzzRead: any bytes are refused, or a report that every format can write, with
// a comment that stays under the limit and hides nothing.
func FuzzRead(f *testing.F) {
	a, err := txtar.ParseFile("testdata/checks/findings.txtar")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(write(f, "impact", "json", judged(f, a, &rules.Policy{FailOn: []string{"error"}}, nil), nil, report.Options{}))
	for _, name := range hostileNames {
		r, _ := hostile(name, name)
		f.Add(write(f, "impact", "json", r, nil, report.Options{}))
	}
	f.Add([]byte(`{"schema":"kg.impact/v1","supposed":true,"stats":{"totals":{"broken":1}}}`))
	f.Add([]byte(`{"schema":"kg.impact/v1","tests":{"mode":"all"},"changes":[{"change":"body","detail":[{"code":"param_type","verdict":"breaking","index":3}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := report.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, format := range report.Formats() {
			if format.Impact != nil {
				out := write(t, "impact", format.Name, r, nil, report.Options{Link: link})
				if format.Name == "sarif" && len(r.Findings) > 0 {
					checkFormat(t, "sarif", out)
				}
			}
		}
		comment(t, r, nil)
	})
}
