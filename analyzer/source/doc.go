// Package source turns a folder or a git repository into trees: lists of
// files with their bytes. It is one of the two places of the analyzer that
// touch the world; what it hands on is plain data.
//
// Most callers need [OpenRepo] and one of the four trees of a [Repo]:
//
//   - [Repo.WorkTree]: the files on disk, as a commit of them would hold them;
//   - [Repo.Staged]: the files as the next commit will hold them;
//   - [Repo.Revision]: the files of any commit, without touching the disk copy;
//   - [OpenDir]: a folder that is not under git.
//
// # What a tree promises
//
// Entries are sorted bytewise by path, and no two have the same path. The same
// content gives the same entries and bytes whichever way it was opened: the
// work tree of a fresh checkout equals its commit, whatever line endings git
// wrote to the disk. Read may be called from many goroutines at once. A file
// that cannot be read is an entry whose Read fails; a folder that cannot be
// listed, and every cap that was reached, is a [Gap] of the tree. Nothing is
// left out in silence.
//
// # Ignored files
//
// .gitignore (in any folder), .git/info/exclude and core.excludesFile decide
// only which untracked files belong to a work tree; tracked files always do.
// .kgignore, with the same syntax and in any folder, hides files from kg,
// tracked or not, and is read from the tree itself, so it hides the same
// files of a work tree and of a revision.
//
// # Hostile trees
//
// Files are opened through [os.Root]: no symbolic link leads out of the tree,
// and links are entries that are never followed. FIFOs, sockets and devices
// are not files and are never opened. Folders are walked with a stack of
// their own, to a fixed number of entries and a fixed depth.
//
// # Git
//
// Objects and references are read with go-git, except that the objects of packs
// are mostly unpacked here, for speed. Where go-git cannot (SHA-256
// repositories, reftable references, split or sparse indexes, objects it does
// not find, revision syntax beyond names and ancestors), the git program is
// asked, in a form that runs nothing that the repository names: no hooks, no
// filters, no file system monitor, no fetching. The program is also asked for
// the effective configuration, because only git knows all of its files. Where
// there is no git program, everything else still works.
package source
