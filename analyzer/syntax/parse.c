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
  uint64_t lexed;       // bytes that the lexer has read
  bool cut;             // these were too many: to the lexer the file has ended
  int failed;
  jmp_buf escape;
  TSTree *tree;         // parsed, waits for kg_flatten
  const TSLanguage *language;
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
  a->live = a->peak = a->requested = a->callbacks = a->lexed = 0;
  a->cut = false;
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
  kg_arena *arena;
  const char *src;
  uint32_t size;
  uint32_t chunk;
  uint64_t budget;
} input;

// Serves the source in small pieces, so that the bytes served measure what the
// lexer scans: one that looks again and again for the end of a token far away
// asks for the same bytes again and again, within a single step of the parser if
// need be. Past the budget the source ends where the lexer is, even inside of a
// token, and the progress callback ends the parse a few steps later. The runtime
// is not left by longjmp, as a scanner may hold memory of its own.
static const char *read_input(void *payload, uint32_t at, TSPoint position, uint32_t *got) {
  (void)position;
  const input *in = payload;
  kg_arena *a = in->arena;
  *got = 0;
  if (at >= in->size || a->cut) return "";
  uint32_t rest = in->size - at, size = rest < in->chunk ? rest : in->chunk;
  a->lexed += size;
  if (a->lexed > in->budget) {
    // It ends with one NUL: a lexer that reads the rest of a character which a
    // piece has cut does not look whether there is any.
    a->cut = true;
    *got = 1;
    return "";
  }
  *got = size;
  return in->src + at;
}

static bool over_budget(TSParseState *state) {
  kg_arena *a = state->payload;
  a->callbacks++;
  return a->cut || a->requested > a->soft;
}

// The children of one subtree, on the way through them.
typedef struct frame {
  const Subtree *child, *end;
  const TSSymbol *aliases;               // by structural index, or NULL
  const TSFieldMapEntry *fields, *fields_end;
  uint32_t structural;                   // index of the next child, extras not counted
  uint32_t bytes, row;                   // where the next child's padding starts
  int32_t node;                          // the visible node that the children belong to
  uint8_t field;                         // field of a hidden subtree, passed down
  bool hidden;
  bool first;                            // the first child starts where its parent does
} frame;

static void enter(frame *f, const TSLanguage *language, const SubtreeHeapData *s) {
  unsigned production = s->production_id;
  f->end = (const Subtree *)s;
  f->child = f->end - s->child_count;
  f->aliases = production ? language->alias_sequences + production * language->max_alias_sequence_length : NULL;
  f->fields = f->fields_end = NULL;
  if (language->field_count) {
    TSMapSlice slice = language->field_map_slices[production];
    f->fields = language->field_map_entries + slice.index;
    f->fields_end = f->fields + slice.length;
  }
  f->structural = 0;
  f->first = true;
}

// Writes the visible nodes of the tree in pre-order. A hidden subtree is replaced
// by its children, and these inherit its field. The result equals what
// TSTreeCursor shows.
static int flatten(kg_arena *a, const TSLanguage *language, const kg_limits *limits,
                   kg_node *out, uint32_t cap, kg_result *result) {
  TSNode root = ts_tree_root_node(a->tree);
  uint32_t expected = ts_node_descendant_count(root);
  if (cap < expected || expected == 0) return KG_INTERNAL;

  uint32_t n = 0, depth = 0, deepest = 0;
  uint32_t size = 64, top = 0;
  frame *stack = arena_malloc(a, size * sizeof *stack);

  // The root stands in a frame of its own.
  frame *f = stack;
  f->child = root.id;
  f->end = f->child + 1;
  f->aliases = NULL;
  f->fields = f->fields_end = NULL;
  f->structural = 0;
  f->bytes = ts_node_start_byte(root);
  f->row = ts_node_start_point(root).row;
  f->node = -1;
  f->field = 0;
  f->hidden = false;
  f->first = true;

  for (;;) {
    if (f->child == f->end) {
      if (top == 0) break;
      if (!f->hidden) {
        out[f->node].next = (int32_t)n;
        depth--;
      }
      f = &stack[--top];
      continue;
    }
    Subtree s = *f->child++;
    uint32_t start = f->bytes, row = f->row, end;
    TSSymbol symbol;
    bool visible, named, extra, missing, has_error;
    const SubtreeHeapData *inner = NULL;
    if (s.data.is_inline) {
      if (!f->first) {
        start += s.data.padding_bytes;
        row += s.data.padding_rows;
      }
      end = start + s.data.size_bytes;
      f->row = row;
      symbol = s.data.symbol;
      visible = s.data.visible;
      named = s.data.named;
      extra = s.data.extra;
      missing = has_error = s.data.is_missing;
    } else {
      if (!f->first) {
        start += s.ptr->padding.bytes;
        row += s.ptr->padding.extent.row;
      }
      end = start + s.ptr->size.bytes;
      f->row = row + s.ptr->size.extent.row;
      symbol = s.ptr->symbol;
      visible = s.ptr->visible;
      named = s.ptr->named;
      extra = s.ptr->extra;
      missing = s.ptr->is_missing;
      has_error = missing || s.ptr->error_cost > 0;
      if (s.ptr->child_count && s.ptr->visible_child_count) inner = s.ptr;
    }
    f->bytes = end;
    f->first = false;

    uint8_t field = 0;
    if (!extra) {
      for (const TSFieldMapEntry *e = f->fields; e < f->fields_end; e++) {
        if (!e->inherited && e->child_index == f->structural) {
          field = (uint8_t)e->field_id;
          break;
        }
      }
      if (!field) field = f->field;
      TSSymbol alias = f->aliases ? f->aliases[f->structural] : 0;
      if (alias) {
        symbol = alias;
        visible = true;
        named = language->symbol_metadata[alias].named;
      }
      f->structural++;
    }

    int32_t node = f->node;
    if (visible || node < 0) {
      if (n == expected) return KG_INTERNAL;
      out[n] = (kg_node){
        .kind = symbol == UINT16_MAX ? symbol : language->public_symbol_map[symbol],
        .field = field,
        .flags = (named ? KG_NAMED : 0) | (missing ? KG_MISSING : 0) | (extra ? KG_EXTRA : 0) |
                 (symbol == UINT16_MAX ? KG_ERROR : 0) | (has_error ? KG_HAS_ERROR : 0),
        .start = start,
        .end = end,
        .row = row,
        .next = (int32_t)n + 1,
        .parent = node,
      };
      node = (int32_t)n++;
      field = 0;
      visible = true;
    }
    if (!inner) continue;
    if (visible) {
      if (++depth > deepest) deepest = depth;
      if (depth > limits->depth) return KG_DEPTH;
    }
    if (++top == size) {
      stack = arena_realloc(a, stack, (size_t)size * 2 * sizeof *stack);
      size *= 2;
    }
    f = &stack[top];
    enter(f, language, inner);
    f->bytes = start;
    f->row = row;
    f->node = node;
    f->field = field;
    f->hidden = !visible;
  }
  if (n != expected) return KG_INTERNAL;
  result->depth = deepest;
  return KG_OK;
}

static void count(const kg_arena *a, kg_result *result) {
  result->requested = a->requested;
  result->peak = a->peak;
  result->lexed = a->lexed;
  result->callbacks = a->callbacks;
}

// Ends a call: empties the arena unless the tree is still wanted.
static int finish(kg_arena *a, int status, kg_result *result) {
  // What flattening needs is no work of the parser.
  if (!a->tree) count(a, result);
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
  a->language = language;
  current_arena = a;
  if (setjmp(a->escape)) return finish(a, a->failed, result);

  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, language)) return finish(a, KG_INTERNAL, result);
  input in = {a, src, size, limits->chunk, limits->lex};
  a->tree = ts_parser_parse_with_options(
    parser, NULL,
    (TSInput){.payload = &in, .read = read_input, .encoding = TSInputEncodingUTF8},
    (TSParseOptions){.payload = a, .progress_callback = over_budget});
  if (!a->tree) {
    // An external scanner may hold memory of its own: the reset destroys it.
    ts_parser_reset(parser);
    return finish(a, a->cut ? KG_LEX : a->requested > a->soft ? KG_BUDGET : KG_INTERNAL, result);
  }
  if (a->cut) {
    // It was done with what there is before the callback ran.
    a->tree = NULL;
    return finish(a, KG_LEX, result);
  }
  a->hard = UINT64_MAX;
  count(a, result);
  result->nodes = ts_node_descendant_count(ts_tree_root_node(a->tree));
  if (result->nodes > limits->nodes) return finish(a, KG_NODES, result);
  if (result->nodes > cap) return finish(a, KG_GROW, result);
  return finish(a, flatten(a, a->language, limits, out, cap, result), result);
}

int kg_flatten(kg_arena *a, const kg_limits *limits, kg_node *out, uint32_t cap, kg_result *result) {
  if (!a->tree) return KG_INTERNAL;
  current_arena = a;
  if (setjmp(a->escape)) return finish(a, a->failed, result);
  return finish(a, flatten(a, a->language, limits, out, cap, result), result);
}
