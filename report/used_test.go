package report

import "testing"

// TestUsed names what is used as its package is called, which its path need not
// tell.
func TestUsed(t *testing.T) {
	changed := &Change{Symbol: Symbol{ID: "go:charm.land/bubbletea/v2#cursor.flush", Name: "tea.cursor.flush"}}
	for _, c := range []struct{ to, user, name, want string }{
		{"go:charm.land/bubbletea/v2#renderer.flush", "go:m/a#f", "a.f", "tea.renderer.flush"},
		{"go:charm.land/bubbletea/v2#cursor.flush", "go:m/a#f", "a.f", "tea.cursor.flush"},
		{"go:m/go-b#T.flush", "go:m/go-b#f", "b.f", "b.T.flush"},
		{"go:m/c#T.flush", "go:m/a#f", "a.f", "c.T.flush"},
	} {
		x := &Impacted{Symbol: Symbol{ID: c.user, Name: c.name}, Relation: "caller", Depth: 1, Path: []Hop{{From: c.user, To: c.to, Kind: "calls"}}}
		if got := used(x, changed); got != c.want {
			t.Errorf("%s: %s, want %s", c.to, got, c.want)
		}
	}
}
