package query

import "strings"

// OverviewDiff is what differs between two overviews.
type OverviewDiff struct {
	Schema       string         `json:"schema"`
	Metrics      []MetricChange `json:"metrics"` // only those that changed
	Packages     Lists          `json:"packages"`
	Dependencies Lists          `json:"dependencies"` // as in "a → b"
	External     Lists          `json:"external"`
	Cycles       Lists          `json:"cycles"`
	EntryPoints  Lists          `json:"entry_points"`
	Routes       Lists          `json:"routes"`
	Layers       []LayerChange  `json:"layers"` // packages that are in another layer
	Hubs         []HubChange    `json:"hubs"`   // declarations that are hubs in one of both, and are used more or less
}

// Lists are what is only in the head, and only in the base.
type Lists struct {
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
}

// MetricChange is a metric that differs.
type MetricChange struct {
	Name string  `json:"name"`
	Base float64 `json:"base"`
	Head float64 `json:"head"`
}

// LayerChange is a package that went to another layer.
type LayerChange struct {
	Package string `json:"package"`
	Base    int    `json:"base"`
	Head    int    `json:"head"`
}

// HubChange is a declaration of which more or fewer others use it.
type HubChange struct {
	Name string `json:"name"`
	Base int    `json:"base"`
	Head int    `json:"head"`
}

// Since tells what differs from the overview of a base.
func (o *Overview) Since(base *Overview) *OverviewDiff {
	d := &OverviewDiff{Schema: "kg.overview.diff/v1", Metrics: []MetricChange{}, Layers: []LayerChange{}, Hubs: []HubChange{}}
	bm, hm := base.Metrics.list(), o.Metrics.list()
	for i := range hm {
		if bm[i].Head != hm[i].Head {
			d.Metrics = append(d.Metrics, MetricChange{hm[i].Name, bm[i].Head, hm[i].Head})
		}
	}
	each := func(of func(*Overview) []string) Lists {
		b, h := of(base), of(o)
		return Lists{without(h, b), without(b, h)}
	}
	d.Packages = each(func(o *Overview) (l []string) {
		for _, p := range o.Packages {
			l = append(l, p.Name)
		}
		return l
	})
	d.Dependencies = each(func(o *Overview) (l []string) {
		name := map[string]string{}
		for _, p := range o.Packages {
			name[p.ID] = p.Name
		}
		for _, u := range o.Dependencies {
			l = append(l, name[u.From]+" → "+name[u.To])
		}
		return l
	})
	d.External = each(func(o *Overview) (l []string) {
		for _, e := range o.External {
			l = append(l, e.Name)
		}
		return l
	})
	d.Cycles = each(func(o *Overview) (l []string) {
		for _, c := range o.Cycles {
			l = append(l, strings.Join(c, ", "))
		}
		return l
	})
	d.EntryPoints = each(func(o *Overview) (l []string) {
		for _, s := range o.EntryPoints {
			l = append(l, s.ID)
		}
		return l
	})
	d.Routes = each(func(o *Overview) (l []string) {
		for _, r := range o.Routes {
			l = append(l, r.Symbol.Name)
		}
		return l
	})
	was := map[string]int{}
	for _, p := range base.Packages {
		was[p.ID] = p.Layer
	}
	for _, p := range o.Packages {
		if old, ok := was[p.ID]; ok && old != p.Layer {
			d.Layers = append(d.Layers, LayerChange{p.Name, old, p.Layer})
		}
	}
	fan := map[string]int{}
	for _, h := range base.Hubs {
		fan[h.Symbol.ID] = h.FanIn
	}
	for _, h := range o.Hubs {
		if old, ok := fan[h.Symbol.ID]; ok && old != h.FanIn {
			d.Hubs = append(d.Hubs, HubChange{h.Symbol.Name, old, h.FanIn})
		}
	}
	return d
}

// without returns what is in a and not in b.
func without(a, b []string) []string {
	in := map[string]bool{}
	for _, s := range b {
		in[s] = true
	}
	list := []string{}
	for _, s := range a {
		if !in[s] {
			list = append(list, s)
		}
	}
	return list
}

// list returns the metrics with their names.
func (m *Metrics) list() []MetricChange {
	return []MetricChange{
		{"files", 0, float64(m.Files)}, {"packages", 0, float64(m.Packages)}, {"declarations", 0, float64(m.Declarations)},
		{"tests", 0, float64(m.Tests)}, {"uses", 0, float64(m.Uses)}, {"dependencies", 0, float64(m.Dependencies)},
		{"cycles", 0, float64(m.Cycles)}, {"layers", 0, float64(m.Layers)}, {"communities", 0, float64(m.Communities)},
		{"modularity", 0, m.Modularity}, {"entry_points", 0, float64(m.EntryPoints)}, {"routes", 0, float64(m.Routes)},
		{"unknowns", 0, float64(m.Unknowns)},
	}
}
