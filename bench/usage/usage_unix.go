//go:build unix

package usage

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// peak is the largest memory that a finished program or one of its children had
// at a time.
func peak(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss) // bytes; kilobytes elsewhere
	}
	return int64(u.Maxrss) << 10
}

// Self returns the processor time that this program has used, user and system,
// all threads. It is 0 if the system does not say.
func Self() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
