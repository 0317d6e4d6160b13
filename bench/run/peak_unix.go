//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
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
