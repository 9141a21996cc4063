/* Sequences of calls with good and bad arguments. The order of destruction that hymg.h asks for is
 * kept, and memory that is handed over is as large as described; all else is taken from the bytes.
 * Whatever happens, a failure has a text, and a solve of a fixed problem afterwards has the bits that
 * it had at first. */
#define _GNU_SOURCE
#include "fuzz/calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Checks what a call returned. A NULL handle gives EINVAL without a text. */
static bool ok(const calls *c, hymg_status status)
{
  if (status < HYMG_OK || status > HYMG_ECPU) abort();
  if (status != HYMG_OK && status != HYMG_EINVAL && !*hymg_context_error(c->context)) abort();
  return status == HYMG_OK;
}

/* ---- objects ---- */

static void create_field(calls *c)
{
  field_slot *const f = calls_pick_field(c);
  grid_slot *const g = calls_pick_grid(c);
  solver_slot *const s = calls_byte(c) % 3 ? NULL : calls_pick_solver(c);
  const hymg_centering centering = calls_enum(c, 10);
  const uint8_t how = calls_byte(c);
  if (!g->grid) return;
  calls_drop_field(c, f);
  if (how % 4 == 0) {
    if (s && ok(c, hymg_field_create_on_level(s->solver, calls_small(c), &f->field)))
      f->grid = s->grid;
  } else if (how % 4 == 1) {
    const ptrdiff_t stride[3] = {1, WRAP_SIDE, WRAP_SIDE * WRAP_SIDE};
    const int low[3] = {0, 0, 0};
    int count[3];
    for (int axis = 0; axis < 3; axis++)
      count[axis] = calls_side(c);
    if (count[0] > WRAP_SIDE || count[1] > WRAP_SIDE || count[2] > WRAP_SIDE) return;
    const hymg_precision precision = how % 8 == 5 ? HYMG_FLOAT : HYMG_DOUBLE;
    if (ok(c, hymg_field_wrap(g->grid, HYMG_HOST, centering, precision, low, count, stride,
                              f->wrapped, &f->field)))
      f->grid = g;
  } else if (ok(c, hymg_field_create(g->grid, s && s->grid == g ? s->solver : NULL, centering,
                                     calls_enum(c, 1), &f->field))) {
    f->grid = g;
  }
}

static void create_operator(calls *c, bool anew)
{
  operator_slot *const o = calls_pick_operator(c);
  grid_slot *const g = anew ? calls_pick_grid(c) : o->grid;
  hymg_operator_desc desc = hymg_operator_desc_default();
  field_slot *used[11] = {NULL};
  if (!g || !g->grid) return;
  if (anew) calls_drop_operator(c, o);
  calls_operator_desc(c, &desc, used);
  const hymg_status status =
      anew ? hymg_operator_create(g->grid, &desc, &o->op) : hymg_operator_set(o->op, &desc);
  if (!ok(c, status)) return;
  o->grid = g;
  memcpy(o->used, used, sizeof used);
  o->lost = false;
}

static void create_solver(calls *c)
{
  solver_slot *const s = calls_pick_solver(c);
  operator_slot *const o = calls_pick_operator(c);
  hymg_options options;
  calls_options(c, &options);
  if (!calls_readable(o)) return;
  calls_drop_solver(c, s);
  if (calls_byte(c) % 8 == 0) {
    hymg_need need;
    hymg_operator_desc desc;
    if (hymg_operator_get(o->op, &desc) != HYMG_OK) abort();
    desc.alpha = NULL;
    memset(desc.beta, 0, sizeof desc.beta);
    memset(desc.boundary_data, 0, sizeof desc.boundary_data);
    ok(c, hymg_solver_need(o->grid->grid, &desc, calls_byte(c) % 5, &options, &need));
  }
  if (!ok(c, hymg_solver_create(o->op, &options, &s->solver))) return;
  s->grid = o->grid;
  s->op = o;
  s->most_cycles = options.max_cycles == -1 ? DEFAULT_CYCLES : MOST_CYCLES;
}

static void destroy(calls *c)
{
  switch (calls_byte(c) % 4) {
  case 0:
    calls_drop_grid(c, calls_pick_grid(c));
    break;
  case 1:
    calls_drop_operator(c, calls_pick_operator(c));
    break;
  case 2:
    calls_drop_solver(c, calls_pick_solver(c));
    break;
  default:
    calls_drop_field(c, calls_pick_field(c));
  }
}

/* ---- data ---- */

/* The array has room for any brick inside a field; others must be refused untouched. */
static void write_or_read(calls *c)
{
  static double data[WRAP_CELLS];
  hymg_field *const f = calls_pick_field(c)->field;
  int low[3], count[3];
  const bool back = calls_byte(c) % 2;
  ptrdiff_t stride[3] = {1, WRAP_SIDE, WRAP_SIDE * WRAP_SIDE};
  for (int axis = 0; axis < 3; axis++) {
    low[axis] = calls_small(c);
    count[axis] = calls_side(c);
    if (back) stride[axis] = -stride[axis];
  }
  double *const at = back ? data + WRAP_CELLS - 1 : data;
  const double scale = calls_number(c);
  switch (calls_byte(c) % 4) {
  case 0:
    for (int m = 0; m < WRAP_CELLS; m++)
      data[m] = (m % 17 - 8) * scale;
    ok(c, hymg_field_write(f, low, count, stride, at, HYMG_HOST));
    break;
  case 1:
    ok(c, hymg_field_read(f, low, count, stride, at, calls_enum(c, 1)));
    break;
  case 2:
    ok(c, hymg_field_write_own(f, low, count, stride, at, HYMG_HOST));
    break;
  default:
    ok(c, hymg_field_read_own(f, low, count, stride, at, HYMG_HOST));
  }
}

/* With cells outside the grid, and a list of none or less. */
static void put_cells(calls *c, hymg_field *x)
{
  int cell[4][3];
  double value[4];
  for (int m = 0; m < 4; m++) {
    for (int axis = 0; axis < 3; axis++)
      cell[m][axis] = calls_small(c);
    value[m] = calls_byte(c) % 4 ? calls_number(c) : (double)NAN;
  }
  if (calls_byte(c) % 2) ok(c, hymg_field_fill(x, NAN));
  ok(c, hymg_field_put(x, calls_byte(c) % 6 - 1, calls_byte(c) % 8 ? (const int(*)[3])cell : NULL,
                       value));
}

static void change_field(calls *c)
{
  hymg_field *const x = calls_pick_field(c)->field, *const y = calls_pick_field(c)->field;
  double value = 0;
  switch (calls_byte(c) % 10) {
  case 0:
    ok(c, hymg_field_fill(x, calls_number(c)));
    break;
  case 1:
    ok(c, hymg_field_axpy(calls_number(c), x, y));
    break;
  case 2:
    ok(c, hymg_field_scale(calls_number(c), x));
    break;
  case 3:
    ok(c, hymg_field_copy(x, y));
    break;
  case 4:
    ok(c, hymg_field_max(x, &value));
    break;
  case 5:
    ok(c, hymg_field_rms(x, &value));
    break;
  case 6:
    ok(c, hymg_field_mean(x, &value));
    break;
  case 7:
    ok(c, hymg_field_dot(x, y, &value));
    break;
  case 8:
    put_cells(c, x);
    break;
  default:
    ok(c, hymg_field_remove_mean(x));
  }
}

/* ---- masks and bodies ---- */

/* A field of its own for a call, mostly with numbers that suit; now and then none, or of another kind. */
static hymg_field *made(calls *c, hymg_grid *grid, hymg_centering centering, bool fraction)
{
  hymg_field *x = NULL;
  const uint8_t how = calls_byte(c);
  const double value = how % 8 == 1 ? calls_number(c) : how / 255.;
  if (how % 16 == 2) return NULL;
  if (!ok(c, hymg_field_create(grid, NULL, how % 16 == 3 ? HYMG_CELL : centering,
                               how % 8 == 6 ? HYMG_FLOAT : HYMG_DOUBLE, &x)))
    return NULL;
  ok(c, hymg_field_fill(x, fraction ? value : 2 * value));
  if (x && how % 4 == 0 && centering == HYMG_CELL) put_cells(c, x);
  return x;
}

/* Distances that cover the grid or do not; what is beyond the array is never named. */
static void take_distance(calls *c, hymg_field *volume, hymg_field *const area[3])
{
  static double distance[WRAP_CELLS];
  const ptrdiff_t stride[3] = {1, WRAP_SIDE, WRAP_SIDE * WRAP_SIDE};
  const int low[3] = {0, 0, 0}, count[3] = {calls_side(c), calls_side(c), calls_side(c)};
  const double scale = calls_number(c);
  if (count[0] > WRAP_SIDE || count[1] > WRAP_SIDE || count[2] > WRAP_SIDE) return;
  for (int m = 0; m < WRAP_CELLS; m++)
    distance[m] = (m % 13 - 6) * scale;
  ok(c, hymg_body_fractions(low, count, stride, distance, volume, area));
}

static void fill_coefficients(calls *c)
{
  hymg_grid *const grid = calls_pick_grid(c)->grid;
  if (!grid) return;
  hymg_field *cell[7], *face[6];
  for (int m = 0; m < 7; m++)
    cell[m] = made(c, grid, HYMG_CELL, m == 0);
  for (int m = 0; m < 6; m++)
    face[m] = made(c, grid, (hymg_centering)(1 + m % 3), m < 3);
  hymg_body body = hymg_body_default();
  body.condition = calls_enum(c, 3);
  body.volume = cell[0], body.value = cell[1], body.value_constant = calls_number(c);
  body.robin_alpha = cell[2], body.robin_beta = cell[3];
  for (int axis = 0; axis < 3; axis++)
    body.area[axis] = face[axis];
  if (calls_byte(c) % 2) take_distance(c, cell[0], face);
  if (calls_byte(c) % 4 == 0)
    ok(c, hymg_mask_coefficients(cell[0], cell[4], face + 3, cell[5]));
  else
    ok(c, hymg_body_coefficients(&body, calls_number(c), calls_number(c), cell[4], face + 3,
                                 cell[5], cell[6]));
  ok(c, hymg_body_rhs(cell[5], cell[6], calls_pick_field(c)->field));
  for (int m = 0; m < 7; m++)
    hymg_field_destroy(&cell[m]);
  for (int m = 0; m < 6; m++)
    hymg_field_destroy(&face[m]);
}

/* ---- work ---- */

static void ask(calls *c, solver_slot *s)
{
  char text[HYMG_ADVICE];
  hymg_level_info info;
  hymg_tuning_info tuning;
  hymg_transport_info transport;
  hymg_profile_row row;
  const char *why;
  if (!s->solver) return;
  ok(c, hymg_solver_advice(s->solver, NULL, text, calls_byte(c) * 17u));
  hymg_solver_path(s->solver, &why);
  const int levels = hymg_solver_num_levels(s->solver);
  for (int l = -1; l <= levels; l++)
    if (ok(c, hymg_solver_level(s->solver, l, &info)) != (l >= 0 && l < levels)) abort();
  ok(c, hymg_solver_tuning(s->solver, &tuning));
  ok(c, hymg_solver_transport(s->solver, &transport));
  if (!(hymg_solver_bytes_per_dof(s->solver) > 0)) abort();
  hymg_solver_profile(s->solver, calls_byte(c) % 2);
  for (int m = 0; m <= hymg_solver_profile_rows(s->solver); m++)
    ok(c, hymg_solver_profile_row(s->solver, m, &row));
}

static void solve(calls *c)
{
  solver_slot *const s = calls_pick_solver(c);
  hymg_field *const f = calls_pick_field(c)->field, *const u = calls_pick_field(c)->field;
  hymg_field *const flux[3] = {f, u, calls_pick_field(c)->field};
  hymg_result result;
  const int level = calls_small(c);
  switch (calls_byte(c) % 12) {
  case 0:
    if (calls_readable(s->op)) ok(c, hymg_solver_update(s->solver));
    break;
  case 1:
    ok(c, hymg_solver_cycle(s->solver, calls_enum(c, 3), level % 2, f, u));
    break;
  case 2:
    ok(c, hymg_fluxes(s->solver, u, flux));
    break;
  case 3:
    ok(c, hymg_solve_on_level(s->solver, level, f, u, &result));
    break;
  case 4:
    ok(c, hymg_restrict(s->solver, level, f, u));
    break;
  case 5:
    ok(c, hymg_apply(s->solver, level, f, u));
    break;
  case 6:
    ok(c, hymg_residual(s->solver, level, f, u, flux[2]));
    break;
  case 7:
    ask(c, s);
    break;
  case 8:
    if (s->solver) hymg_solver_stop(s->solver);
    break;
  default:
    if (!ok(c, hymg_solve(s->solver, f, u, &result))) break;
    if (result.cycles > s->most_cycles + 1 || result.reason > HYMG_REASON_STOPPED) abort();
    if (result.converged && !isfinite(result.residual_max)) abort();
  }
}

/* ---- a problem that must not notice what was done before ---- */

static void solve_fixed(hymg_context *context, double u[64])
{
  static const int low[3] = {0, 0, 0}, count[3] = {4, 4, 4};
  static const ptrdiff_t stride[3] = {1, 4, 16};
  hymg_grid_desc domain = {.n = {4, 4, 4}, .spacing = {.25, .25, .25}};
  hymg_options options = hymg_options_default();
  hymg_operator_desc laplace = hymg_operator_desc_default();
  hymg_grid *grid = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  hymg_field *rhs = NULL, *solution = NULL;
  double f[64];
  for (int m = 0; m < 64; m++)
    f[m] = m % 7 - 2.5;
  options.method = HYMG_MG;
  options.tuning = HYMG_TUNE_ESTIMATE;
  if (hymg_grid_create(context, &domain, &grid) || hymg_operator_create(grid, &laplace, &op) ||
      hymg_solver_create(op, &options, &solver) ||
      hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, &rhs) ||
      hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, &solution) ||
      hymg_field_write(rhs, low, count, stride, f, HYMG_HOST) ||
      hymg_solve(solver, rhs, solution, NULL) ||
      hymg_field_read(solution, low, count, stride, u, HYMG_HOST))
    abort();
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&solution);
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static double expected[64];
  static calls c;
  double found[64];
  calls_begin(&c, data, size);
  if (expected[0] == 0) solve_fixed(c.context, expected);
  for (int n = 0; n < 64 && calls_left(&c); n++)
    switch (calls_byte(&c) % 16) {
    case 0:
      calls_create_grid(&c);
      break;
    case 1:
      create_operator(&c, true);
      break;
    case 2:
      create_operator(&c, false);
      break;
    case 3:
      create_solver(&c);
      break;
    case 4:
      create_field(&c);
      break;
    case 5:
      destroy(&c);
      break;
    case 6:
      write_or_read(&c);
      break;
    case 7:
      change_field(&c);
      break;
    case 15:
      fill_coefficients(&c);
      break;
    default:
      solve(&c);
    }
  calls_end(&c);
  if (size % 8 == 0) {
    solve_fixed(c.context, found);
    if (memcmp(found, expected, sizeof found) != 0) abort();
  }
  hymg_context_destroy(&c.context);
  return 0;
}
