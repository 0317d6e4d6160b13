package golang

import (
	"cmp"
	"go/build/constraint"
	"slices"
	"strings"
)

// sanitizers are the tags that the go command sets with a flag of its own.
var sanitizers = []string{"race", "msan", "asan"}

// buildFlags returns the flags, each after a blank, with which a build for this
// machine has a file with a constraint: the fewest tags that make it true, the
// first by their names among those. It is not ok if only a file that is to be
// ignored would do; one for another system needs no flags, for whoever runs the
// command there.
func buildFlags(text string) (flags string, ok bool) {
	best, _ := neededTags(text)
	if slices.Contains(best, "ignore") {
		return "", false
	}
	for _, tag := range sanitizers {
		if i := slices.Index(best, tag); i >= 0 {
			best = slices.Delete(best, i, i+1)
			flags += " -" + tag
		}
	}
	if len(best) > 0 {
		flags += " -tags " + shellQuote(strings.Join(best, ","))
	}
	return flags, true
}

// elsewhere reports whether no build for the default platform has a file with a
// constraint, whatever tags are set.
func elsewhere(text string) bool {
	_, ok := neededTags(text)
	return !ok
}

// neededTags returns the fewest tags, the first by their names among those, with
// which a constraint holds on the default platform, with cgo or without. It is
// not ok if it never does.
func neededTags(text string) (best []string, ok bool) {
	if text == "" {
		return nil, true
	}
	expr, err := constraint.Parse("//go:build " + text)
	if err != nil {
		return nil, true
	}
	var tags []string
	for _, tag := range tagsOf(expr, nil) {
		if !knownOS[tag] && !knownArch[tag] && tag != "unix" && tag != "cgo" && !always(tag) && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	if len(tags) > maxImplied {
		return nil, true
	}
	slices.Sort(tags)
	for set := range 1 << len(tags) {
		var on []string
		for i, tag := range tags {
			if set&(1<<i) != 0 {
				on = append(on, tag)
			}
		}
		if ok && cmp.Or(cmp.Compare(len(on), len(best)), slices.Compare(on, best)) >= 0 {
			continue
		}
		for _, cgo := range []bool{true, false} {
			if expr.Eval(func(tag string) bool { return defaultTag(tag) || tag == "cgo" && cgo || slices.Contains(on, tag) }) {
				best, ok = on, true
			}
		}
	}
	return best, ok
}
