package report

// Users are the impacted symbols of a report as its readers meet them: each
// once, under the most urgent heading that any change gives it.

// urgency is a heading, the most urgent first.
type urgency int

const (
	isBroken urgency = iota
	isUnclear
	hadToFollow
	shouldReview
	mayBeAffected
	urgencyCount
)

// user is an impacted symbol and the change that gives it its heading.
type user struct {
	*Impacted
	c *Change
}

// brokenUse is one place that does not fit any more.
type brokenUse struct {
	user
	at *Site
}

// followers counts who had to follow a change, and was edited in every place.
func (c *Change) followers() int {
	n := 0
	for i := range c.Impacted {
		if c.Impacted[i].urgency() == hadToFollow {
			n++
		}
	}
	return n
}

// group is the users under one heading.
type group struct {
	title string
	total int // if lists were cut, more than users and tests
	users []user
	tests int // test code that need not follow: tests have a section of their own
}

// users returns the groups of a report's users, by urgency, and the broken
// uses: the group of broken users is empty for these.
func (r *Report) users() (groups [urgencyCount]group, broken []brokenUse) {
	t := &r.Stats.Totals
	groups = [urgencyCount]group{
		isBroken:      {title: "Broken uses", total: t.BrokenSites},
		isUnclear:     {title: "Must update, unless it still fits"},
		hadToFollow:   {title: "Had to follow, and was edited"},
		shouldReview:  {title: "Should review", total: t.ShouldReview},
		mayBeAffected: {title: "May be affected", total: t.MayBeAffected},
	}
	seen := map[string]bool{}
	sites := map[string]bool{}
	for at := range urgencyCount {
		g := &groups[at]
		for i := range r.Changes {
			c := &r.Changes[i]
			for j := range c.Impacted {
				x := &c.Impacted[j]
				if at == isBroken && x.Severity == "must_update" {
					for k := range x.Sites {
						s := &x.Sites[k]
						if id := place(s.File, s.Line) + "\x00" + x.Symbol.ID; s.State == "broken" && !sites[id] {
							sites[id] = true
							broken = append(broken, brokenUse{user{x, c}, s})
						}
					}
				}
				switch {
				case x.urgency() != at || seen[x.Symbol.ID]:
					continue
				case at == isBroken:
				case x.Symbol.Test && at != isUnclear && at != hadToFollow:
					g.tests++
				default:
					g.users = append(g.users, user{x, c})
				}
				seen[x.Symbol.ID] = true
			}
		}
		g.total = max(g.total, len(g.users)+g.tests)
	}
	groups[isBroken].total = max(groups[isBroken].total, len(broken))
	return groups, broken
}

// urgency returns the heading that one change gives an impacted symbol.
func (x *Impacted) urgency() urgency {
	switch x.Severity {
	case "should_review":
		return shouldReview
	case "may_be_affected":
		return mayBeAffected
	}
	switch worst(x.Sites) {
	case "broken":
		return isBroken
	case "edited":
		return hadToFollow
	}
	return isUnclear
}
