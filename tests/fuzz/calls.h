/* What fuzz_api.c takes from the fuzzed bytes, and the objects that it has created. */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "hymg.h"

enum {
  SLOTS = 3,
  FIELDS = 6,
  MOST_CYCLES = 4,
  DEFAULT_CYCLES = 2000, /* at most, if max_cycles is -1 */
  WRAP_SIDE = 12, /* of the arrays: cells or faces of the largest grid that has fields, and more */
  WRAP_CELLS = WRAP_SIDE * WRAP_SIDE * WRAP_SIDE
};

typedef struct grid_slot {
  hymg_grid *grid;
} grid_slot;

typedef struct field_slot {
  hymg_field *field;
  grid_slot *grid;
  double wrapped[WRAP_CELLS];
} field_slot;

typedef struct operator_slot {
  hymg_operator *op;
  grid_slot *grid;
  field_slot *used[11]; /* fields of the description */
  bool lost;            /* one of them was destroyed */
} operator_slot;

typedef struct solver_slot {
  hymg_solver *solver;
  grid_slot *grid;
  operator_slot *op;
  int most_cycles; /* that its solves may take */
} solver_slot;

typedef struct calls {
  hymg_context *context;
  const uint8_t *data;
  size_t left;
  grid_slot grid[SLOTS];
  operator_slot op[SLOTS];
  solver_slot solver[SLOTS];
  field_slot field[FIELDS];
} calls;

void calls_begin(calls *c, const uint8_t *data, size_t size);
/* Destroys all but the context. */
void calls_end(calls *c);

bool calls_left(const calls *c);
uint8_t calls_byte(calls *c); /* 0 when there are no more */
double calls_number(calls *c);
int calls_small(calls *c); /* -1 ... 6, rarely INT_MIN, INT_MAX */
int calls_side(calls *c);  /* of a grid or brick: mostly 1 ... 9 */
/* 0 ... high, rarely another value */
int calls_enum(calls *c, int high);
void calls_options(calls *c, hymg_options *options);
void calls_operator_desc(calls *c, hymg_operator_desc *desc, field_slot *used[11]);

grid_slot *calls_pick_grid(calls *c);
operator_slot *calls_pick_operator(calls *c);
solver_slot *calls_pick_solver(calls *c);
field_slot *calls_pick_field(calls *c);

void calls_create_grid(calls *c);
/* With what must be destroyed before. */
void calls_drop_grid(calls *c, grid_slot *g);
void calls_drop_operator(calls *c, operator_slot *o);
void calls_drop_solver(calls *c, solver_slot *s);
void calls_drop_field(calls *c, field_slot *f);
/* An operator whose fields all exist. */
bool calls_readable(const operator_slot *o);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
