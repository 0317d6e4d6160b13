// Package syntax turns the bytes of one file into a flat syntax tree. The
// tree-sitter runtime lives here and nowhere else: the rest of kg sees an array
// of nodes in Go memory.
//
// A language folder wraps its grammar once (MustLanguage) and resolves the names
// it needs (Language.Kind, Field, Token). A worker owns a Parser and calls Parse
// for one file after the other; each file costs one call into C, which parses,
// writes the tree as an array in pre-order and drops everything else. Walking is
// plain Go over the array, see Tree. A Hasher sums up declarations so that
// formatting does not count, see Hasher.
//
// # Hostile input
//
// A file can hold any bytes. Parse never crashes on them and never recurses; all
// that a file may cost is bounded by Limits, and what passes a limit is a
// LimitError with a Reason. The limits are counts, so the answer is the same on
// every machine.
//
// Two of them bound the time. The parser's work shows in the bytes that it
// requests from the allocator; the lexer's in the bytes of the source that it
// reads, which it gets in pieces of 256 bytes and again for each time that it
// comes back to them. Neither shows in the other: the lexer can go over a whole
// file for each of its bytes and request nothing.
//
// # Determinism
//
// A tree is a function of the grammar, the limits and the bytes. Nothing is
// carried over from one file to the next: the C parser itself is made anew for
// each file, inside an arena that is emptied afterwards.
package syntax
