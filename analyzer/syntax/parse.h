// The C half of package syntax: an arena allocator for the tree-sitter
// runtime, and one function that parses a file and writes its tree as an array.

#ifndef KG_SYNTAX_PARSE_H
#define KG_SYNTAX_PARSE_H

#include "runtime.h"

// A node of the flat tree. Its layout is that of the Go type Node.
typedef struct kg_node {
  uint16_t kind;
  uint8_t field;
  uint8_t flags;
  uint32_t start;
  uint32_t end;
  uint32_t row;
  int32_t next;
  int32_t parent;
} kg_node;

enum {
  KG_NAMED = 1,
  KG_MISSING = 2,
  KG_EXTRA = 4,
  KG_ERROR = 8,
  KG_HAS_ERROR = 16,
};

// The outcome of kg_parse; the Go side gives each a Reason.
enum {
  KG_OK = 0,
  KG_GROW,       // the node buffer is too small: call kg_flatten with a bigger one
  KG_BUDGET,     // too many bytes requested in all
  KG_LEX,        // too many bytes read by the lexer
  KG_LIVE,       // too many bytes in use at once
  KG_NODES,      // too many nodes
  KG_DEPTH,      // nodes nested too deep
  KG_NOMEM,      // the system gave no memory
  KG_INTERNAL,   // the runtime broke a promise
};

typedef struct kg_arena kg_arena;

typedef struct kg_limits {
  uint64_t budget;   // bytes requested, checked between parse steps
  uint64_t live;     // bytes held at once
  uint64_t lex;      // bytes read by the lexer, checked whenever it reads
  uint32_t nodes;
  uint32_t depth;
  uint32_t chunk;    // bytes that the lexer gets at a time, at least 4
} kg_limits;

typedef struct kg_result {
  uint64_t requested;  // bytes that the runtime asked for during this parse
  uint64_t peak;       // most bytes in use at once
  uint64_t lexed;      // bytes that the lexer read, each as often as it did
  uint32_t nodes;      // nodes in the tree
  uint32_t depth;      // depth of the deepest node, the root's is 0
  uint64_t callbacks;  // times that the progress callback ran
} kg_result;

void kg_install(void);

// The symbol that stands for this one in trees.
static inline TSSymbol kg_public_symbol(const TSLanguage *language, TSSymbol symbol) {
  return language->public_symbol_map[symbol];
}

kg_arena *kg_arena_new(void);
void kg_arena_free(kg_arena *arena);
// Bytes that the arena keeps for the next parse.
uint64_t kg_arena_retained(const kg_arena *arena);
// Bytes handed out to the runtime outside of any arena that have not come back
// yet.
int64_t kg_foreign_bytes(void);

int kg_parse(kg_arena *arena, const TSLanguage *language, const char *src, uint32_t size,
             const kg_limits *limits, kg_node *out, uint32_t cap, kg_result *result);
int kg_flatten(kg_arena *arena, const kg_limits *limits, kg_node *out, uint32_t cap, kg_result *result);

#endif
