/* See calls.h. */
#include "fuzz/calls.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

bool calls_left(const calls *c)
{
  return c->left > 0;
}

uint8_t calls_byte(calls *c)
{
  if (c->left == 0) return 0;
  c->left--;
  return *c->data++;
}

double calls_number(calls *c)
{
  static const double odd[] = {0,      -0.,    -1,    5e-324, 1e-310, DBL_MIN,  1e-300,
                               1e-200, 1e-150, 1e150, 1e200,  1e300,  DBL_MAX,  INFINITY,
                               NAN,    -1e300, 1e-16, 1e16,   1e-8,   -INFINITY};
  const uint8_t b = calls_byte(c);
  const int count = sizeof odd / sizeof *odd;
  return b < count ? odd[b] : b < 128 ? (b - 20) / 16. : ldexp(1 + b % 8 / 8., (b - 192) / 4);
}

int calls_small(calls *c)
{
  const uint8_t b = calls_byte(c);
  return b == 255 ? INT_MAX : b == 254 ? INT_MIN : b % 8 - 1;
}

int calls_side(calls *c)
{
  static const int odd[] = {0, -1, INT_MAX, INT_MIN, INT_MAX / 4, INT_MAX / 4 + 1, 1 << 20, 46341};
  const uint8_t b = calls_byte(c);
  return b >= 248 ? odd[b - 248] : 1 + b % 9;
}

int calls_enum(calls *c, int high)
{
  const uint8_t b = calls_byte(c);
  return b >= 250 ? b - 253 : b % (high + 1);
}

/* ---- descriptions ---- */

void calls_options(calls *c, hymg_options *o)
{
  *o = calls_byte(c) % 8 ? hymg_options_default() : hymg_options_preconditioner();
  o->method = calls_enum(c, 2);
  o->cycle = calls_enum(c, 3) - 1;
  o->smoother = calls_enum(c, 4);
  o->sweeps = calls_enum(c, 12) - 1;
  o->bottom = calls_enum(c, 5);
  o->interpolation_v = calls_enum(c, 5) - 1;
  o->interpolation_f = calls_enum(c, 5) - 1;
  if (calls_byte(c) % 4 == 0) o->rtol = calls_number(c);
  if (calls_byte(c) % 4 == 0) o->atol = calls_number(c);
  o->max_cycles = calls_enum(c, MOST_CYCLES - 1) + 1;
  if (o->max_cycles > MOST_CYCLES) o->max_cycles = 0;
  o->initial_guess = calls_byte(c) % 2;
  o->backend = calls_enum(c, 1);
  o->tuning = calls_byte(c) % 64 ? HYMG_TUNE_ESTIMATE : HYMG_TUNE_MEASURE;
  o->path = calls_enum(c, 2);
  o->transfer = calls_enum(c, 3);
  o->norm = calls_enum(c, 1);
  o->rhs_mean = calls_enum(c, 1);
}

static const hymg_field *use(calls *c, field_slot **used)
{
  field_slot *const f = calls_pick_field(c);
  if (!f->field) return NULL;
  *used = f;
  return f->field;
}

void calls_operator_desc(calls *c, hymg_operator_desc *desc, field_slot *used[11])
{
  const uint8_t what = calls_byte(c);
  desc->stencil = calls_enum(c, 1);
  desc->extrapolation = calls_enum(c, 2);
  if (what & 1) desc->a = calls_number(c);
  if (what & 2) desc->b = calls_number(c);
  if (what & 4) desc->alpha_constant = calls_number(c);
  if (what & 8) desc->beta_constant = calls_number(c);
  if (what & 16) desc->alpha = use(c, &used[0]);
  for (int axis = 0; axis < 3 && what & 32; axis++)
    desc->beta[axis] = use(c, &used[1 + axis]);
  for (int face = 0; face < 6 && what & 64; face++)
    if (calls_byte(c) % 2) desc->boundary_data[face] = use(c, &used[4 + face]);
  if (what & 128) desc->fixed = use(c, &used[10]);
}

/* Small, or so large that no field of it can be allocated. */
void calls_create_grid(calls *c)
{
  static const double widths[WRAP_SIDE] = {1, 2, 4, .5, 1, 1, 3, 1, 1e3, 1, 1, 1};
  static const int cuts[WRAP_SIDE] = {1, 2, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  static const hymg_coordinate curved[4][3] = {{HYMG_RADIUS, HYMG_AZIMUTH, HYMG_LENGTH},
                                               {HYMG_AZIMUTH, HYMG_LATITUDE, HYMG_RADIUS},
                                               {HYMG_LENGTH, HYMG_COLATITUDE, HYMG_AZIMUTH},
                                               {HYMG_RADIUS, HYMG_RADIUS, HYMG_LENGTH}};
  grid_slot *const g = calls_pick_grid(c);
  hymg_grid_desc desc = hymg_grid_desc_default();
  bool large = false;
  double cells = 1;
  for (int axis = 0; axis < 3; axis++) {
    desc.n[axis] = calls_side(c);
    large = large || desc.n[axis] > WRAP_SIDE;
    cells *= desc.n[axis];
    desc.boundary[2 * axis] = calls_enum(c, 2);
    desc.boundary[2 * axis + 1] =
        calls_byte(c) % 4 ? desc.boundary[2 * axis] : (hymg_boundary)calls_enum(c, 2);
    const uint8_t b = calls_byte(c);
    desc.spacing[axis] = b % 4 == 0 ? calls_number(c) : 1. / (1 + b % 8);
    desc.boxes[axis] = b / 8 % 4 == 3 ? calls_small(c) : 1;
    if (desc.n[axis] > WRAP_SIDE) continue;
    if (b / 32 == 7) desc.widths[axis] = widths;
    if (b / 32 == 6) desc.cuts[axis] = cuts;
  }
  const uint8_t more = calls_byte(c);
  if (more % 16 == 0) desc.extrapolation_box = calls_small(c);
  if (more % 16 == 15) {
    memcpy(desc.coordinate, curved[more / 16 % 4], sizeof desc.coordinate);
    desc.origin[more / 64 % 3] = more / 64 - 1.5;
  }
  if (large && cells < 1e9) return;
  calls_drop_grid(c, g);
  if (hymg_grid_create(c->context, &desc, &g->grid) != HYMG_OK && !*hymg_context_error(c->context))
    abort();
}

/* ---- objects ---- */

grid_slot *calls_pick_grid(calls *c)
{
  return &c->grid[calls_byte(c) % SLOTS];
}
operator_slot *calls_pick_operator(calls *c)
{
  return &c->op[calls_byte(c) % SLOTS];
}
solver_slot *calls_pick_solver(calls *c)
{
  return &c->solver[calls_byte(c) % SLOTS];
}
field_slot *calls_pick_field(calls *c)
{
  return &c->field[calls_byte(c) % FIELDS];
}

void calls_drop_field(calls *c, field_slot *f)
{
  for (int o = 0; o < SLOTS && f->field; o++)
    for (int m = 0; m < 11; m++)
      if (c->op[o].used[m] == f) c->op[o].lost = true;
  hymg_field_destroy(&f->field);
  f->grid = NULL;
}

void calls_drop_solver(calls *c, solver_slot *s)
{
  (void)c;
  hymg_solver_destroy(&s->solver);
  *s = (solver_slot){.solver = NULL};
}

void calls_drop_operator(calls *c, operator_slot *o)
{
  for (int s = 0; s < SLOTS; s++)
    if (c->solver[s].op == o) calls_drop_solver(c, &c->solver[s]);
  hymg_operator_destroy(&o->op);
  *o = (operator_slot){.op = NULL};
}

void calls_drop_grid(calls *c, grid_slot *g)
{
  for (int o = 0; o < SLOTS; o++)
    if (c->op[o].grid == g) calls_drop_operator(c, &c->op[o]);
  for (int f = 0; f < FIELDS; f++)
    if (c->field[f].grid == g) calls_drop_field(c, &c->field[f]);
  hymg_grid_destroy(&g->grid);
}

bool calls_readable(const operator_slot *o)
{
  return o && o->op && !o->lost;
}

void calls_begin(calls *c, const uint8_t *data, size_t size)
{
  memset(c, 0, sizeof *c);
  c->data = data;
  c->left = size;
  if (hymg_context_create(NULL, &c->context) != HYMG_OK) abort();
}

void calls_end(calls *c)
{
  for (int g = 0; g < SLOTS; g++)
    calls_drop_grid(c, &c->grid[g]);
}
