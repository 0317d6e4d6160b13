package artifact

import (
	"syscall"
	"unsafe"
)

// adviseLarge asks for large pages behind the whole pages of b. If the system
// has none, nothing changes.
func adviseLarge(b []byte) {
	page := uintptr(syscall.Getpagesize())
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	lo := -begin & (page - 1)
	hi := (begin+uintptr(len(b)))&^(page-1) - begin
	_ = syscall.Madvise(b[lo:hi], syscall.MADV_HUGEPAGE)
}
