#include "parse.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------
// The arena
//
// Everything that the runtime allocates while it parses one file (parser,
// stacks, tree) lives in the arena of the Go Parser that asked for it, and the
// whole arena is emptied at once when the tree has been flattened. That gives:
//
//   - no leak: whatever the runtime forgets goes with the rest;
//   - no state between files: every file is parsed by a new parser, so the
//     bytes requested are a function of the file alone, and a cancelled parse
//     leaves nothing to be reset;
//   - no abort: when memory or the budget ends, the allocator leaves the
//     runtime by longjmp. All it held is in the arena, so nothing is lost;
//   - speed: no lock, no walk over the tree to free it, warm pages.
//
// Blocks up to SMALL bytes are cut from chunks and kept in free lists by size
// class; bigger ones come from malloc and are linked so that they can be
// returned. A word in front of each block holds its size. Blocks are aligned to
// 16 bytes.
// ---------------------------------------------------------------------------

#define UNIT 16u
#define HEAD sizeof(uint64_t)
#define CLASSES 129u                          // units, header included
#define SMALL ((CLASSES - 1) * UNIT - HEAD)   // 2040 bytes
#define CHUNK ((size_t)1 << 20)
#define RETAIN 24                             // chunks kept between parses

#define FOREIGN ((uint64_t)1 << 63)           // allocated outside of any arena

typedef struct chunk {
  struct chunk *next;
  size_t pad;
} chunk;

typedef struct big {
  struct big *prev, *next;
  size_t pad;
  uint64_t head;
} big;

struct kg_arena {
  char *bump, *end;
  uint64_t requested;   // by malloc and calloc, and growth by realloc
  uint64_t hard;        // requested may not pass this
  uint64_t live, peak;
  void *free[CLASSES];
  chunk *chunks;        // in the order of use
  chunk *current;       // the one that bump and end point into
  uint32_t used;        // chunks in use
  uint32_t count;       // chunks in the list
  uint64_t bigs_bytes;
  big bigs;             // head of the ring
  uint64_t soft;        // the progress callback cancels above this
  uint64_t held_limit;
  uint64_t callbacks;
  int failed;
  jmp_buf escape;
  TSTree *tree;         // parsed, waits for kg_flatten
};

// The arena of the call that this thread is in.
static _Thread_local kg_arena *current_arena;

static int64_t foreign_live;

#define BLOCK_HEAD(p) (((uint64_t *)(p))[-1])

static _Noreturn void fail(kg_arena *a, int why) {
  a->failed = why;
  longjmp(a->escape, 1);
}

static inline unsigned class_of(size_t size) { return (unsigned)((size + HEAD + UNIT - 1) / UNIT); }

static uint64_t held(const kg_arena *a) { return (uint64_t)a->used * CHUNK + a->bigs_bytes; }

static void next_chunk(kg_arena *a) {
  if (held(a) + CHUNK > a->held_limit) fail(a, KG_LIVE);
  chunk *c = a->current ? a->current->next : a->chunks;
  if (!c) {
    c = malloc(CHUNK);
    if (!c) fail(a, KG_NOMEM);
    c->next = NULL;
    if (a->current) a->current->next = c; else a->chunks = c;
    a->count++;
  }
  a->current = c;
  a->used++;
  a->bump = (char *)c + sizeof(chunk) + HEAD;
  a->end = (char *)c + CHUNK;
}

static void *big_alloc(kg_arena *a, size_t size) {
  if (size > UINT32_MAX || held(a) + size > a->held_limit) fail(a, KG_LIVE);
  big *b = malloc(sizeof(big) + size);
  if (!b) fail(a, KG_NOMEM);
  b->head = size;
  b->prev = &a->bigs;
  b->next = a->bigs.next;
  b->prev->next = b->next->prev = b;
  a->bigs_bytes += size;
  return b + 1;
}

static void big_free(kg_arena *a, big *b) {
  a->bigs_bytes -= b->head;
  b->prev->next = b->next;
  b->next->prev = b->prev;
  free(b);
}

// Gives a block of size bytes without charging for it.
static inline void *arena_block(kg_arena *a, size_t size) {
  if (size > SMALL) return big_alloc(a, size);
  unsigned c = class_of(size);
  void *p = a->free[c];
  if (p) {
    a->free[c] = *(void **)p;
  } else {
    if (a->bump + c * UNIT > a->end) next_chunk(a);
    p = a->bump + HEAD;
    a->bump += c * UNIT;
  }
  BLOCK_HEAD(p) = size;
  return p;
}

static inline void charge(kg_arena *a, size_t size) {
  a->requested += size;
  if (a->requested > a->hard) fail(a, KG_BUDGET);
}

static inline void *arena_malloc(kg_arena *a, size_t size) {
  charge(a, size);
  void *p = arena_block(a, size);
  a->live += size;
  if (a->live > a->peak) a->peak = a->live;
  return p;
}

static inline void arena_free(kg_arena *a, void *p) {
  uint64_t size = BLOCK_HEAD(p);
  a->live -= size;
  if (size > SMALL) {
    big_free(a, (big *)p - 1);
  } else {
    unsigned c = class_of(size);
    *(void **)p = a->free[c];
    a->free[c] = p;
  }
}

static void *arena_realloc(kg_arena *a, void *p, size_t size) {
  uint64_t old = BLOCK_HEAD(p);
  if (size > old) charge(a, size - old);
  if (old <= SMALL && size <= SMALL && class_of(old) == class_of(size)) {
    BLOCK_HEAD(p) = size;
    a->live += size - old;
    if (a->live > a->peak) a->peak = a->live;
    return p;
  }
  void *q = arena_block(a, size);
  a->live += size;
  if (a->live > a->peak) a->peak = a->live;
  memcpy(q, p, old < size ? old : size);
  arena_free(a, p);
  return q;
}

// Empties the arena. Chunks above RETAIN go back to the system.
static void arena_reset(kg_arena *a) {
  while (a->bigs.next != &a->bigs) big_free(a, a->bigs.next);
  memset(a->free, 0, sizeof a->free);
  chunk *c = a->chunks, *last = NULL;
  for (unsigned i = 0; c && i < RETAIN; i++) {
    last = c;
    c = c->next;
  }
  if (last) last->next = NULL;
  while (c) {
    chunk *next = c->next;
    free(c);
    a->count--;
    c = next;
  }
  a->current = NULL;
  a->bump = a->end = NULL;
  a->used = 0;
  a->live = a->peak = a->requested = a->callbacks = 0;
  a->tree = NULL;
  a->failed = 0;
}

kg_arena *kg_arena_new(void) {
  kg_arena *a = calloc(1, sizeof *a);
  if (a) a->bigs.prev = a->bigs.next = &a->bigs;
  return a;
}

void kg_arena_free(kg_arena *a) {
  if (!a) return;
  arena_reset(a);
  for (chunk *c = a->chunks; c;) {
    chunk *next = c->next;
    free(c);
    c = next;
  }
  free(a);
}

uint64_t kg_arena_retained(const kg_arena *a) { return (uint64_t)a->count * CHUNK + a->bigs_bytes; }

int64_t kg_foreign_bytes(void) { return __atomic_load_n(&foreign_live, __ATOMIC_RELAXED); }

// ---------------------------------------------------------------------------
// The runtime's allocator. Outside of kg_parse and kg_flatten (nothing of kg
// does that, tests that compare with the Go binding do) it is malloc.
// ---------------------------------------------------------------------------

static void *foreign_block(size_t size, bool zero) {
  char *raw = zero ? calloc(1, size + UNIT) : malloc(size + UNIT);
  if (!raw) abort();
  void *p = raw + UNIT;
  BLOCK_HEAD(p) = FOREIGN | size;
  __atomic_fetch_add(&foreign_live, (int64_t)size, __ATOMIC_RELAXED);
  return p;
}

static void foreign_free(void *p) {
  __atomic_fetch_sub(&foreign_live, (int64_t)(BLOCK_HEAD(p) & ~FOREIGN), __ATOMIC_RELAXED);
  free((char *)p - UNIT);
}

static void *runtime_malloc(size_t size) {
  kg_arena *a = current_arena;
  return a ? arena_malloc(a, size) : foreign_block(size, false);
}

static void *runtime_calloc(size_t count, size_t size) {
  kg_arena *a = current_arena;
  if (size && count > SIZE_MAX / 2 / size) count = SIZE_MAX / 2 / size;  // cannot succeed
  if (!a) return foreign_block(count * size, true);
  return memset(arena_malloc(a, count * size), 0, count * size);
}

static void runtime_free(void *p) {
  if (!p) return;
  if (BLOCK_HEAD(p) & FOREIGN) {
    foreign_free(p);
    return;
  }
  kg_arena *a = current_arena;
  if (a) arena_free(a, p);
}

static void *runtime_realloc(void *p, size_t size) {
  if (!p) return runtime_malloc(size);
  kg_arena *a = current_arena;
  if (a && !(BLOCK_HEAD(p) & FOREIGN)) return arena_realloc(a, p, size);
  size_t old = BLOCK_HEAD(p) & ~FOREIGN;
  void *q = runtime_malloc(size);
  memcpy(q, p, old < size ? old : size);
  runtime_free(p);
  return q;
}

void kg_install(void) { ts_set_allocator(runtime_malloc, runtime_calloc, runtime_realloc, runtime_free); }

// ---------------------------------------------------------------------------
// Parse and flatten
// ---------------------------------------------------------------------------

typedef struct input {
  const char *src;
  uint32_t size;
} input;

static const char *read_input(void *payload, uint32_t at, TSPoint position, uint32_t *got) {
  (void)position;
  const input *in = payload;
  if (at >= in->size) {
    *got = 0;
    return "";
  }
  *got = in->size - at;
  return in->src + at;
}

static bool over_budget(TSParseState *state) {
  kg_arena *a = state->payload;
  a->callbacks++;
  return a->requested > a->soft;
}

static int flatten(kg_arena *a, const kg_limits *limits, kg_node *out, uint32_t cap, kg_result *result) {
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(a->tree));
  uint32_t n = 0, depth = 0, deepest = 0;
  int32_t parent = -1;
  for (;;) {
    if (n == cap) return KG_INTERNAL;
    TSNode node = ts_tree_cursor_current_node(&cursor);
    kg_node *o = &out[n];
    TSSymbol kind = ts_node_symbol(node);
    o->kind = kind;
    o->field = (uint8_t)ts_tree_cursor_current_field_id(&cursor);
    o->flags = (ts_node_is_named(node) ? KG_NAMED : 0) | (ts_node_is_missing(node) ? KG_MISSING : 0) |
               (ts_node_is_extra(node) ? KG_EXTRA : 0) | (kind == UINT16_MAX ? KG_ERROR : 0) |
               (ts_node_has_error(node) ? KG_HAS_ERROR : 0);
    o->start = ts_node_start_byte(node);
    o->end = ts_node_end_byte(node);
    o->row = ts_node_start_point(node).row;
    o->parent = parent;
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      parent = (int32_t)n++;
      if (++depth > deepest) deepest = depth;
      if (depth > limits->depth) return KG_DEPTH;
      continue;
    }
    o->next = (int32_t)++n;
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (parent < 0) {
        result->nodes = n;
        result->depth = deepest;
        return KG_OK;
      }
      ts_tree_cursor_goto_parent(&cursor);
      out[parent].next = (int32_t)n;
      parent = out[parent].parent;
      depth--;
    }
  }
}

// Fills the counters and empties the arena unless the tree is still wanted.
static int finish(kg_arena *a, int status, kg_result *result) {
  result->requested = a->requested;
  result->peak = a->peak;
  result->callbacks = a->callbacks;
  current_arena = NULL;
  if (status != KG_GROW) arena_reset(a);
  return status;
}

int kg_parse(kg_arena *a, const TSLanguage *language, const char *src, uint32_t size,
             const kg_limits *limits, kg_node *out, uint32_t cap, kg_result *result) {
  arena_reset(a);
  a->soft = limits->budget;
  // Between two calls of the progress callback a single step may ask for much.
  a->hard = limits->budget * 2;
  a->held_limit = limits->live;
  current_arena = a;
  if (setjmp(a->escape)) return finish(a, a->failed, result);

  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, language)) return finish(a, KG_INTERNAL, result);
  input in = {src, size};
  a->tree = ts_parser_parse_with_options(
    parser, NULL,
    (TSInput){.payload = &in, .read = read_input, .encoding = TSInputEncodingUTF8},
    (TSParseOptions){.payload = a, .progress_callback = over_budget});
  if (!a->tree) {
    // An external scanner may hold memory of its own: the reset destroys it.
    ts_parser_reset(parser);
    return finish(a, a->requested > a->soft ? KG_BUDGET : KG_INTERNAL, result);
  }
  result->nodes = ts_node_descendant_count(ts_tree_root_node(a->tree));
  if (result->nodes > limits->nodes) return finish(a, KG_NODES, result);
  if (result->nodes > cap) return finish(a, KG_GROW, result);
  return finish(a, flatten(a, limits, out, cap, result), result);
}

int kg_flatten(kg_arena *a, const kg_limits *limits, kg_node *out, uint32_t cap, kg_result *result) {
  if (!a->tree) return KG_INTERNAL;
  current_arena = a;
  if (setjmp(a->escape)) return finish(a, a->failed, result);
  return finish(a, flatten(a, limits, out, cap, result), result);
}
