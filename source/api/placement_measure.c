/* Measures placements: creates solvers of the same method and shape, with all coefficients 1, on
 * a context of their own, so that neither their errors nor their recorded graphs affect the
 * user's. The measure is the time of a V-cycle, including the transfers to the host and back. */
#include <math.h>
#include <string.h>

#include "api/solver.h"
#include "multigrid/level_ops.h"

enum { WARM_UP = 2, GROUPS = 3, CYCLES = 10, MAX_CANDIDATES = 8 };

/* seconds for all candidates: on a slower machine measuring is abandoned */
static const double timeout = 5;

/* ---- candidates ---- */

typedef struct candidate {
  hymgi_thresholds thresholds;
  int host_from, tail_from; /* the levels that result from the thresholds */
} candidate;

typedef struct candidates {
  candidate list[MAX_CANDIDATES];
  int count;
} candidates;

static int first_below(const hymgi_hierarchy *h, int64_t cells)
{
  int l = hymgi_placement_start(h);
  while (l < h->num_levels && h->level[l].cells >= cells)
    l++;
  return l;
}

/* Adds a candidate unless there is already one with the same levels. */
static void add(const hymgi_hierarchy *h, int64_t host_cells, int64_t tail_cells, candidates *all)
{
  candidate c = {{host_cells, tail_cells}, first_below(h, host_cells), 0};
  c.tail_from = c.host_from < h->num_levels ? c.host_from : first_below(h, tail_cells);
  for (int m = 0; m < all->count; m++)
    if (all->list[m].host_from == c.host_from && all->list[m].tail_from == c.tail_from) return;
  if (all->count < MAX_CANDIDATES) all->list[all->count++] = c;
}

/* One launch per step throughout; the coarse end from 8^3 and 16^3; the host from 4^3 to 32^3.
 * Only combinations that agree with the given thresholds. */
static void find_candidates(const hymgi_hierarchy *h, const hymgi_thresholds *given,
                            candidates *all)
{
  static const int sides[] = {0, 4, 8, 16, 32};
  for (size_t m = 0; m < sizeof sides / sizeof *sides; m++) {
    const int64_t side = sides[m], below = side ? side * side * side + 1 : 0;
    const bool coarse_fits = side == 0 || side == 8 || side == 16;
    if (given->host_cells < 0) add(h, below, 0, all);
    if (given->tail_cells < 0 && coarse_fits)
      add(h, given->host_cells > 0 ? given->host_cells : 0, below, all);
    if (given->tail_cells >= 0 && side == 0) add(h, 0, given->tail_cells, all);
  }
}

/* ---- trials ---- */

/* Shared by all candidates. */
typedef struct trial {
  hymg_context *context;
  hymg_grid *grid;
  hymg_field *alpha, *beta[3];
  hymg_operator *op;
} trial;

static hymg_status make_ones(hymg_grid *grid, hymg_centering centering, hymg_field **field)
{
  TRY(hymg_field_create_in(grid, HYMG_DEVICE, centering, HYMG_DOUBLE, field));
  return hymg_field_fill(*field, 1);
}

static hymg_status open_trial(const hymgi_hierarchy *h, trial *t)
{
  hymg_context *user = h->context;
  const hymgi_level *level = h->level + hymgi_placement_start(h);
  hymg_device_info device;
  TRY(hymgi_cuda_device(user, -1, &device));
  const hymg_context_options o = {user->threads, device.ordinal, user->stream, 0};
  hymg_grid_desc grid = hymg_grid_desc_default();
  hymg_operator_desc desc = h->op->desc;
  memcpy(grid.n, level->n, sizeof grid.n);
  memcpy(grid.spacing, level->h, sizeof grid.spacing);
  for (int face = 0; face < 6; face++)
    grid.boundary[face] = hymgi_boundary_here(h, face);
  TRY(hymg_context_create(&o, &t->context));
  TRY(hymg_grid_create(t->context, &grid, &t->grid));
  if (h->method.variable_alpha) TRY(make_ones(t->grid, HYMG_CELL, &t->alpha));
  for (int axis = 0; h->method.variable_beta && axis < 3; axis++)
    TRY(make_ones(t->grid, (hymg_centering)(HYMG_FACE_X + axis), &t->beta[axis]));
  desc.alpha = t->alpha;
  memcpy(desc.beta, t->beta, sizeof desc.beta);
  memset(desc.boundary_data, 0, sizeof desc.boundary_data);
  memset(desc.boundary_constant, 0, sizeof desc.boundary_constant);
  memset(desc.robin_alpha, 0, sizeof desc.robin_alpha);
  memset(desc.robin_beta, 0, sizeof desc.robin_beta);
  for (int face = 0; face < 6; face++)
    desc.robin_alpha_constant[face] = desc.robin_beta_constant[face] = 1;
  return hymg_operator_create(t->grid, &desc, &t->op);
}

static void close_trial(trial *t)
{
  hymg_operator_destroy(&t->op);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&t->beta[axis]);
  hymg_field_destroy(&t->alpha);
  hymg_grid_destroy(&t->grid);
  hymg_context_destroy(&t->context);
}

/* 1 in one half of the domain and -1 in the other: such a right-hand side affects all levels,
 * and its mean is 0 except on odd grids. */
static hymg_status make_rhs(hymg_solver *s, hymg_field **f)
{
  hymg_grid *grid = s->h.op->grid;
  const double one = 1;
  const int low[3] = {0, 0, 0};
  const int half[3] = {grid->desc.n[0] / 2, grid->desc.n[1], grid->desc.n[2]};
  const ptrdiff_t everywhere_the_same[3] = {0, 0, 0};
  TRY(hymg_field_create(grid, s, HYMG_CELL, HYMG_DOUBLE, f));
  TRY(hymg_field_fill(*f, -1));
  TRY(hymg_field_write_own(*f, low, half, everywhere_the_same, &one, HYMG_HOST));
  if (s->h.method.singular) hymgi_remove_mean(s->h.level, (*f)->data);
  return grid->context->status;
}

static void run_cycles(hymg_solver *s, int count)
{
  for (int m = 0; m < count; m++)
    hymgi_run_cycle(&s->h, HYMG_CYCLE_V, 0);
  s->h.level->backend->sync(s->h.context);
}

/* Seconds per V-cycle, the minimum of several groups; stops after one group if that is far from
 * `best`. */
static double time_cycles(hymg_solver *s, double best)
{
  double least = INFINITY;
  run_cycles(s, WARM_UP);
  for (int group = 0; group < GROUPS; group++) {
    const double start = hymgi_seconds();
    run_cycles(s, CYCLES);
    const double seconds = (hymgi_seconds() - start) / CYCLES;
    least = seconds < least ? seconds : least;
    if (seconds > 2 * best) break;
  }
  return least;
}

/* Infinite if the solver cannot be created or fails. */
static double try_candidate(const trial *t, const hymg_options *options, const candidate *c,
                            double best)
{
  hymg_options o = *options;
  hymg_solver *s = NULL;
  hymg_field *rhs = NULL, *u = NULL;
  double seconds = INFINITY;
  o.host_cells = c->thresholds.host_cells;
  o.tail_cells = c->thresholds.tail_cells;
  hymg_status status = hymg_solver_create(t->op, &o, &s);
  t->context->status = HYMG_OK;
  if (status == HYMG_OK) status = make_rhs(s, &rhs);
  if (status == HYMG_OK) status = hymg_field_create(t->grid, s, HYMG_CELL, HYMG_DOUBLE, &u);
  if (status == HYMG_OK) {
    s->h.level->x = u->data, s->h.level->f = rhs->data;
    seconds = time_cycles(s, best);
    status = t->context->status;
  }
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&u);
  hymg_solver_destroy(&s);
  return status == HYMG_OK ? seconds : INFINITY;
}

bool hymgi_placement_measure(const hymgi_hierarchy *h, hymgi_thresholds *thresholds)
{
  candidates all = {.count = 0};
  trial t = {.context = NULL};
  hymg_options o = h->options;
  double best = INFINITY;
  int fastest = -1;
  const double start = hymgi_seconds();
  find_candidates(h, thresholds, &all);
  if (all.count < 2) return false;
  o.path = HYMG_PATH_STANDARD, o.method = HYMG_MG, o.cycle = HYMG_CYCLE_V, o.max_cycles = 1;
  o.initial_guess = false, o.precision = HYMG_DOUBLE;
  o.backend = HYMG_BACKEND_CUDA;
  o.tuning = HYMG_TUNE_ESTIMATE;
  o.tuning_file = NULL;
  o.monitor = NULL;
  if (open_trial(h, &t) == HYMG_OK)
    for (int m = 0; m < all.count; m++) {
      const double seconds = try_candidate(&t, &o, all.list + m, best);
      if (seconds < best) best = seconds, fastest = m;
      if (hymgi_seconds() > start + timeout) fastest = -1, m = all.count;
    }
  close_trial(&t);
  if (fastest < 0) return false;
  *thresholds = all.list[fastest].thresholds;
  return true;
}
