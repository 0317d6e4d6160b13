//go:build darwin || freebsd || netbsd

package source

import "syscall"

func changeTime(s *syscall.Stat_t) syscall.Timespec { return s.Ctimespec }
