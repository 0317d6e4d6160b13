package source

import (
	"crypto/sha256"
	"encoding/binary"
)

// Digest returns one hash for a list of files: SHA-256 over the path, the
// mode and the SHA-256 of the content of each, in order. It depends on
// nothing else, so a folder, a work tree and a revision of the same files
// have the same digest, whatever hash their repository uses.
//
// sum returns the SHA-256 of the content of the entry with the given index,
// or false if it could not be read, which is not the same as being empty. It
// is not asked for submodules, which count by path alone because a plain
// folder does not know their commits.
func Digest(entries []Entry, sum func(i int) ([sha256.Size]byte, bool)) [sha256.Size]byte {
	h := sha256.New()
	var head []byte
	for i, e := range entries {
		head = binary.AppendUvarint(head[:0], uint64(len(e.Path)))
		head = append(append(head, e.Path...), byte(e.Mode))
		if e.Mode != Submodule {
			content, ok := sum(i)
			if ok {
				head = append(append(head, 1), content[:]...)
			} else {
				head = append(head, 0)
			}
		}
		h.Write(head)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
