package artifact

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/codekg/kg/analyzer/facts"
)

// stringTable collects strings and gives each an index in sorted order. The
// empty string has index 0.
type stringTable struct {
	*facts.Interner
	rank   []uint32 // by number: the index
	sorted []string
}

func newStringTable() stringTable { return stringTable{Interner: facts.NewInterner(0)} }

func (t *stringTable) sort() {
	t.sorted, t.rank = slices.Clone(t.Strings), make([]uint32, len(t.Strings))
	slices.Sort(t.sorted)
	for i, s := range t.sorted {
		t.rank[t.Find(s)] = uint32(i)
	}
}

// id returns the index of a string that was interned.
func (t *stringTable) id(s string) uint64 { return uint64(t.rank[t.Find(s)]) }

// frontCode writes sorted strings: how many bytes each shares with the one
// before, how many follow, and the ones that follow. total is their size.
func frontCode(n int, at func(int) string) (content []byte, total uint64) {
	for i := range n {
		total += uint64(len(at(i)))
	}
	shared, rest, text := roomFor(n+n/8), roomFor(n+n/8), roomFor(int(total))
	last := ""
	for i := range n {
		s := at(i)
		k := commonPrefix(last, s)
		shared.uint(uint64(k))
		rest.uint(uint64(len(s) - k))
		text.text(s[k:])
		last = s
	}
	return joinColumns(&shared, &rest, &text), total
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// fronts is a restored list of front-coded strings, all parts of one.
type fronts struct {
	text string
	ends []uint32
}

func (f *fronts) at(i int) string {
	lo := uint32(0)
	if i > 0 {
		lo = f.ends[i-1]
	}
	return f.text[lo:f.ends[i]]
}

// readFronts is the inverse of frontCode. The caller has charged n and total.
func readFronts(content []byte, n int, total uint64) (fronts, error) {
	var shared, rest, text cursor
	if err := splitColumns(content, &shared, &rest, &text); err != nil {
		return fronts{}, err
	}
	var sharedN, restN []uint32
	if err := readNumbers(numberColumn{&shared, n, &sharedN}, numberColumn{&rest, n, &restN}); err != nil {
		return fronts{}, err
	}
	if total > math.MaxUint32 {
		return fronts{}, errRange
	}
	buf := makeLarge[byte](int(total))
	ends := restN // each is read before it is overwritten
	last, at := uint64(0), uint64(0)
	for i := range ends {
		k, m := uint64(sharedN[i]), uint64(restN[i])
		if k > at-last || at+k+m > total || m > uint64(text.left()) {
			return fronts{}, errRange
		}
		copy(buf[at:at+k], buf[last:])
		copy(buf[at+k:], text.b[text.i:text.i+int(m)])
		text.i += int(m)
		last, at = at, at+k+m
		ends[i] = uint32(at)
	}
	if at != total {
		return fronts{}, errTrailing
	}
	return fronts{text: stringOf(buf), ends: ends}, finish(&text)
}

// stringOf returns b as a string without a copy. b must not change any more.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// declared returns the part of a key that is likely to be written in the
// source: the qualified name without package, file and parameters. It only
// has to guess well, as what it does not give is stored; but what it gives is
// part of the format: a change needs a new version.
func declared(key string) string {
	if i := strings.IndexByte(key, '#'); i >= 0 {
		key = key[i+1:]
		if strings.IndexByte(key, ':') >= 0 {
			if i := strings.LastIndex(key, "::"); i >= 0 {
				key = key[i+2:]
			}
		}
		if i := strings.IndexByte(key, '('); i >= 0 {
			key = key[:i]
		}
		return key
	}
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		return key[i+1:]
	}
	return key[strings.LastIndexByte(key, ':')+1:]
}

// lastName returns the part of a declared name after the last dot.
func lastName(declared string) string {
	return declared[strings.LastIndexByte(declared, '.')+1:]
}

// byCount orders values by how often they occur, most often first.
func byCount[T comparable](count map[T]int, compare func(a, b T) int) []T {
	vs := make([]T, 0, len(count))
	for v := range count {
		vs = append(vs, v)
	}
	slices.SortFunc(vs, func(a, b T) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), compare(a, b))
	})
	return vs
}
