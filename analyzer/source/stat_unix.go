//go:build unix

package source

import (
	"io/fs"
	"syscall"
)

// openNonBlocking keeps the open of a FIFO from waiting for a writer.
const openNonBlocking = syscall.O_NONBLOCK

// identityOf is what only Unix tells of a file, cut as the index cuts it: its
// inode, and the second in which its inode last changed.
func identityOf(info fs.FileInfo) (inode, ctime uint32, known bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return uint32(s.Ino), uint32(changeTime(s).Sec), true
}
