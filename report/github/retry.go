package github

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Waiting, as GitHub asks for it: for Retry-After, else until the limit is
// reset, else a minute after a secondary limit. After errors of the server and
// of the network a request is sent again if sending it twice does no harm.
const (
	maxTries   = 3
	maxWait    = 150 * time.Second // for one request, all tries together
	firstWait  = time.Second
	limitedFor = time.Minute // after a limit that names no time
	maxPeek    = 64 << 10
)

// retrier sends requests again that may succeed later.
type retrier struct {
	next  http.RoundTripper
	sleep func(context.Context, time.Duration) error
	sent  atomic.Int64
}

// RoundTrip sends a request until it succeeds or there is no use in waiting.
func (r *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		req.Body.Close()
	}
	waited := time.Duration(0)
	for try := 1; ; try++ {
		again := req.Clone(req.Context())
		if body != nil {
			again.Body = io.NopCloser(bytes.NewReader(body))
		}
		r.sent.Add(1)
		resp, err := r.next.RoundTrip(again)
		if err == nil {
			err = whole(resp)
			if err != nil {
				resp = nil
			}
		}
		wait, retry := pause(req, resp, err, try)
		if !retry || try == maxTries || waited+wait > maxWait || req.Context().Err() != nil {
			return resp, err
		}
		if resp != nil {
			resp.Body.Close()
		}
		if err := r.sleep(req.Context(), wait); err != nil {
			return nil, err
		}
		waited += wait
	}
}

// whole reads the answer of the API, so that a connection that is cut in the
// middle is an error that can be repeated. Files are left to their reader.
func whole(resp *http.Response) error {
	if !strings.Contains(resp.Header.Get("Content-Type"), "json") {
		return nil
	}
	const most = 32 << 20
	text, err := io.ReadAll(io.LimitReader(resp.Body, most))
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(text))
	return err
}

// pause says whether to send a request again, and when.
func pause(req *http.Request, resp *http.Response, err error, try int) (time.Duration, bool) {
	repeatable := req.Method != http.MethodPost
	backoff := firstWait << (2 * (try - 1))
	switch {
	case err != nil:
		return backoff, repeatable
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusForbidden:
		// It was refused, and not done.
		if d, ok := seconds(resp.Header.Get("Retry-After")); ok {
			return max(d, firstWait), true
		}
		if resp.Header.Get("X-RateLimit-Remaining") == "0" {
			if at, ok := seconds(resp.Header.Get("X-RateLimit-Reset")); ok {
				return max(time.Until(time.Unix(int64(at/time.Second), 0))+firstWait, firstWait), true
			}
		}
		if resp.StatusCode == http.StatusTooManyRequests || secondary(resp) {
			return limitedFor, true
		}
		return 0, false // rights are missing: waiting gives none
	case resp.StatusCode >= 500:
		return backoff, repeatable
	}
	return 0, false
}

// secondary reports whether an answer speaks of a secondary limit, and leaves
// its body to be read again.
func secondary(resp *http.Response) bool {
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxPeek))
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(text))
	return err == nil && (bytes.Contains(text, []byte("secondary rate limit")) || bytes.Contains(text, []byte("secondary-rate-limits")) || bytes.Contains(text, []byte("abuse detection")))
}
