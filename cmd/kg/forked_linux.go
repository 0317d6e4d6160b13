package main

// #include "forked_linux.h"
import "C"

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// The memory of a diary has one size in both languages.
var (
	_ [C.KG_DIARY_SIZE - unsafe.Sizeof(diaryPage{})]struct{}
	_ [unsafe.Sizeof(diaryPage{}) - C.KG_DIARY_SIZE]struct{}
)

// forkedChild returns this process as the child that it became before the runtime
// began, see forked_linux.c; nil if it is none. The first child knows of no death.
func forkedChild() *child {
	f := &C.kg_forked
	if f.role != C.KG_CHILD {
		return nil
	}
	shared := os.NewFile(uintptr(f.diary), "diary")
	defer shared.Close()
	diary, err := openDiary(shared)
	if err != nil {
		return nil
	}
	return &child{orders: os.NewFile(uintptr(f.orders), "orders"), stderr: os.NewFile(uintptr(f.err), "stderr"), diary: diary}
}

// forkedDeath returns how the child ended that this process forked before the runtime
// began. It does so once.
func forkedDeath() (death, bool) {
	f := &C.kg_forked
	if f.role != C.KG_BEREAVED {
		return death{}, false
	}
	f.role = C.KG_ALONE
	shared, said := os.NewFile(uintptr(f.diary), "diary"), os.NewFile(uintptr(f.said), "said")
	defer shared.Close()
	defer said.Close()
	diary, err := openDiary(shared)
	if err != nil {
		return death{}, false
	}
	defer diary.close()
	last := &head{max: maxSaid}
	io.Copy(last, io.NewSectionReader(said, 0, maxSaid))
	return deathOf(diary, syscall.WaitStatus(f.status), last), true
}

// forkingCommands returns the names of the commands that fork.
func forkingCommands() []string {
	var list []string
	for p := unsafe.Pointer(&C.kg_forking); *(**C.char)(p) != nil; p = unsafe.Add(p, unsafe.Sizeof(p)) {
		list = append(list, C.GoString(*(**C.char)(p)))
	}
	return list
}
