package link

import (
	"strings"
	"testing"
)

func TestRoutesFitRequests(t *testing.T) {
	for _, c := range []struct {
		pattern, url string
		want         string // the letters of fitSegments; - if it does not fit
	}{
		{"/users", "/users", "a"},
		{"/users", "/users/", "a"},
		{"/users/", "/users?page=1#top", "a"},
		{"/users", "/Users", "-"},
		{"/users/{id}", "/users/7", "ac"},
		{"/users/{id:[0-9]+/x}", "/users/7", "ac"},
		{"/users/:id", "/users/{}", "ac"},
		{"/users/me", "/users/{}", "-"},
		{"/users/<int:id>", "/users/7", "ab"},
		{"/users/<int:id>", "/users/me", "-"},
		{"/files/<path:p>", "/files/a/b", "ad"},
		{"/files/{p...}", "/files/a/b", "ad"},
		{"/files/{*p}", "/files/a/b", "ad"},
		{"/files/*", "/files/a/b", "ad"},
		{"/files/**", "/files/a", "ad"},
		{"/items/{$}", "/items", "a"},
		{"/a/*/c", "/a/b/c", "aca"},
		{"/range/:from-:to", "/range/1-2", "ab"},
		{"/range/:from-:to", "/range/12", "-"},
		{"/v{version}/x", "/v1/x", "ba"},
		{"/v{version}/x", "/w/x", "-"},
		{"/users", "/users/1", "-"},
		{"/users/:id", "/users", "-"},
		{"/users", "http://users:8080/users", "a"},
		{"/users", "https://{}/users", "a"},
		{"/", "/", ""},
	} {
		segs, _, ok := parsePattern(c.pattern)
		r, ok2 := parseRequest("GET " + c.url)
		if !ok || !ok2 {
			t.Errorf("%s %s: not read", c.pattern, c.url)
			continue
		}
		got := "-"
		if key, _, ok := fitSegments(r.segs, segs, nil); ok {
			got = string(key)
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.pattern, c.url, got, c.want)
		}
	}
}

func TestRequestsElsewhere(t *testing.T) {
	for _, url := range []string{"https://api.github.com/users", "http://10.1.2.3/users", "https://user:pw@shop.io:80/users"} {
		if _, ok := parseRequest("GET " + url); ok {
			t.Errorf("%s is not ours", url)
		}
	}
	for _, url := range []string{"http://localhost/x", "http://127.0.0.1:1/x", "http://shop/x", "http://shop.default.svc.cluster.local/x", "http://[::1]/x", "http://{}/x"} {
		if _, ok := parseRequest("GET " + url); !ok {
			t.Errorf("%s may be ours", url)
		}
	}
}

func FuzzRoutePatterns(f *testing.F) {
	for _, s := range []string{"/a/{b:[/}]+}/c", ":", "/<<>", "/{}{}", "*", "/:a-:b", "http://{}", "{}/{", strings.Repeat("/{", 100)} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, pattern, url string) {
		segs, _, _ := parsePattern(pattern)
		r, ok := parseRequest("GET " + url)
		if len(segs) > maxSegments || len(r.segs) > maxSegments {
			t.Fatal("too many segments")
		}
		if key, _, fits := fitSegments(r.segs, segs, nil); ok && fits && len(key) > maxSegments {
			t.Fatal(key)
		}
	})
}
