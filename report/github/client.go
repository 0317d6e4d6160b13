// Package github brings reports to GitHub: it keeps one comment on a pull
// request up to date, makes check runs, and finds stored graphs. It is the only
// package of kg that uses the network.
//
// What the server says is checked where a wrong answer would do harm: comments
// by their author, artifacts by their provenance. What a report says decides
// nothing but the text of a comment: where it goes, and where its links lead,
// come from the caller and from the server.
//
// A failure to publish is an [Error], which tells whether rights were missing.
// The caller decides what that means; it never changes what a report says.
package github

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"
)

// Repo names a repository.
type Repo struct{ Owner, Name string }

// ParseRepo reads "owner/name".
func ParseRepo(s string) (Repo, error) {
	owner, name, ok := strings.Cut(s, "/")
	if !ok || !plainName(owner) || !plainName(name) {
		return Repo{}, fmt.Errorf("%q is no repository, as owner/name", s)
	}
	return Repo{owner, name}, nil
}

func plainName(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) <= 100 &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == ""
}

// String returns "owner/name".
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// Options are how to reach the server.
type Options struct {
	API   string // address of the REST API; empty: that of github.com
	Token string
	Agent string // for the header User-Agent

	// Transport and Sleep stand in for the network and the clock in tests.
	Transport http.RoundTripper
	Sleep     func(context.Context, time.Duration) error
}

// Client talks to one server.
type Client struct {
	gh    *github.Client
	bare  *http.Client // without the token, for addresses that the server names
	retry *retrier
	token string
}

// New returns a client.
func New(o Options) (*Client, error) {
	if o.Transport == nil {
		o.Transport = &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 20 * time.Second}).DialContext,
			TLSHandshakeTimeout:   20 * time.Second,
			ResponseHeaderTimeout: 60 * time.Second,
			ForceAttemptHTTP2:     true,
		}
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	c := &Client{token: o.Token, retry: &retrier{next: o.Transport, sleep: o.Sleep}}
	c.bare = &http.Client{Transport: c.retry, Timeout: 5 * time.Minute}
	c.gh = github.NewClient(&http.Client{Transport: c.retry, Timeout: 5 * time.Minute, CheckRedirect: sameHost})
	if o.Token != "" {
		c.gh = c.gh.WithAuthToken(o.Token)
	}
	if o.Agent != "" {
		c.gh.UserAgent = o.Agent
	}
	if o.API != "" {
		u, err := url.Parse(strings.TrimSuffix(o.API, "/") + "/")
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, fmt.Errorf("%q is no address of an API", o.API)
		}
		c.gh.BaseURL = u
	}
	return c, nil
}

// sameHost follows redirects of renamed repositories, and none to another host,
// which would learn the token.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) >= 5 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// Requests returns how many requests were sent.
func (c *Client) Requests() int { return int(c.retry.sent.Load()) }

// Error is a request that failed for good.
type Error struct {
	Doing  string // "write the comment"
	Status int    // of the answer; 0: there was none
	Err    error
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("cannot %s: the server says %d %s", e.Doing, e.Status, http.StatusText(e.Status))
	}
	return fmt.Sprintf("cannot %s: %v", e.Doing, plainCause(e.Err))
}

func (e *Error) Unwrap() error { return e.Err }

// Forbidden reports whether rights are missing, as they are in runs for forks.
func (e *Error) Forbidden() bool {
	var limit *github.RateLimitError
	var secondary *github.AbuseRateLimitError
	if errors.As(e.Err, &limit) || errors.As(e.Err, &secondary) {
		return false
	}
	return e.Status == http.StatusForbidden || e.Status == http.StatusUnauthorized || e.Status == http.StatusNotFound
}

// failed makes an Error of what go-github returned.
func failed(doing string, resp *github.Response, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Doing: doing, Err: err}
	if resp != nil && resp.Response != nil {
		e.Status = resp.StatusCode
	}
	return e
}

// status returns the status of an answer, 0 if there was none.
func status(resp *github.Response) int {
	if resp == nil || resp.Response == nil {
		return 0
	}
	return resp.StatusCode
}

// plainCause leaves out the address, which may hold a secret in its query.
func plainCause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// seconds reads a number of seconds of a header.
func seconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 || n > 1<<31 {
		return 0, false
	}
	return time.Duration(n) * time.Second, true
}
