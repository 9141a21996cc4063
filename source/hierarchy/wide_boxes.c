/* Wide boxes (multigrid/wide.h): which levels have them, their plan and what the layers hold of the coefficients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy/build.h"
#include "multigrid/boundary_data.h"
#include "multigrid/level_ops.h"
#include "multigrid/wide.h"

/* Where nobody has said how many layers, levels of which no rank has more cells are tried, each so many times. */
enum { TAG = 3, MOST_LAYERS = 64, MOST_CELLS = 32 * 32 * 32, ROUNDS = 3 };

/* Layers must save this part of the time. */
#define WORTH 0.05

/* ---- which levels ---- */

/* Can the layers of this level be computed as their owners do it? Level 0 of a host is too large for that to pay; the coarsest
 * has a solver of its own; a red cell's ghost must not be black; FV4's Robin ghosts have numbers of this rank's boundaries. */
static bool can_be_wide(const hymgi_level *level)
{
  if (hymgi_line_axis(level) >= 0) return false;
  const hymg_smoother smoother = level->method->smoother;
  const bool host = level->backend->id == HYMG_BACKEND_HOST;
  if ((level->index == 0 && host) || !level->coarsened || level->ranks == 1 || level->decomp->whole)
    return false;
  if (!level->backend->finish_layers || smoother == HYMG_SYMGS) return false;
  return (smoother != HYMG_GSRB || hymgi_keeps_colours_apart(level)) &&
         (level->op->stencil == HYMG_FV2 || !hymgi_has_robin(level));
}

/* Within a node messages take less time than what layers add; between nodes it depends on the network. */
static bool may_be_worth(const hymgi_hierarchy *h, const hymgi_level *level)
{
  return hymgi_comm_ranks(h->context->comm).nodes > 1 && h->options.tuning != HYMG_TUNE_ESTIMATE &&
         level->largest_share <= MOST_CELLS;
}

/* GPUs take a kernel with a box of its own for all layers, whatever is known of them. */
static bool gpu_can(const hymgi_level *level)
{
  const int *const boxes = level->decomp->boxes;
  return (int64_t)boxes[0] * boxes[1] * boxes[2] == level->ranks;
}

static int whole_slots(int layers)
{
  const int fours = (layers + 3) / 4 * 4;
  return fours < MOST_LAYERS ? fours : MOST_LAYERS;
}

/* Where nobody asks for a number: by NCCL an exchange takes 20 us, with FV4 30, and layers twice that; staged messages take as
 * long as their bytes, and peers send values from within their kernels. Layers are for all sweeps of a call or, where these
 * would be much work, for four half sweeps of FV2: FV4 gains nothing there, others and the robust path are not known. Where this GPU has
 * the next level whole, it interpolates to layers, which are then those of both calls of a visit. */
static int layers_that_pay(const hymgi_hierarchy *h, const hymgi_level *level, int call, int visit)
{
  enum { FEW = 4, WHOLE_CALLS = 160 * 160 * 160, MOST_FINEST = 300 * 300 * 300 };
  const bool few_pay = level->op->stencil == HYMG_FV2 && level->method->smoother == HYMG_GSRB;
  if (h->options.transport != HYMG_TRANSPORT_NCCL || level->method->robust) return 0;
  if (level->largest_share <= WHOLE_CALLS) {
    const bool whole_there = level[1].decomp->whole && level->index + 1 < h->placement.host_from;
    return whole_there && !level->periodic && !level->uneven ? visit : call;
  }
  return few_pay && (level->index > 0 || level->largest_share <= MOST_FINEST) ? FEW : 0;
}

/* Kernels load two slots of split rows at once, so layers are multiples of four. */
static int gpu_layers(const hymgi_hierarchy *h, const hymgi_level *level)
{
  const int wanted = h->options.halo_layers, ghost = level->op->ghost,
            reach = hymgi_wide_reach(level), sweeps = hymgi_sweeps(level),
            call = whole_slots(reach * (sweeps - 1) + ghost),
            visit = whole_slots(reach * 2 * sweeps + ghost);
  if (!gpu_can(level) || wanted == 0) return 0;
  if (wanted < 0) return layers_that_pay(h, level, call, visit);
  return whole_slots(wanted) < visit ? whole_slots(wanted) : visit;
}

int hymgi_wide_layers(const hymgi_hierarchy *h, const hymgi_level *level)
{
  if (level->backend->id == HYMG_BACKEND_CUDA) return can_be_wide(level) ? gpu_layers(h, level) : 0;
  const int wanted = h->options.halo_layers, all = level->op->ghost * hymgi_sweeps(level);
  if (!can_be_wide(level) || (wanted < 0 && !may_be_worth(h, level))) return 0;
  const int layers = wanted < 0 || wanted > all ? all : wanted;
  const int even = (layers + 1) / 2 * 2; /* rows may be split by colour */
  return even < MOST_LAYERS ? even : MOST_LAYERS;
}

/* ---- making them ---- */

static hymg_status create(hymgi_level *level, hymgi_wide *wide)
{
  const hymgi_side side = hymgi_side_of(level);
  const int depth = level->layers + level->ghost;
  const hymgi_pull rule = hymgi_halo_rule(&side, HYMGI_HALO_FULL, depth, level->periodic);
  wide->box = malloc(((size_t)level->num_boxes + 1) * sizeof *wide->box);
  if (!wide->box) return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for boxes");
  TRY(hymgi_plan_create(level->context, &rule, level->index * HYMGI_PLAN_TAGS + TAG, &wide->plan));
  return hymgi_plan_keep(level, wide->plan);
}

hymg_status hymgi_wide_create(hymgi_level *level)
{
  if (level->layers == 0) return HYMG_OK;
  level->wide = calloc(1, sizeof *level->wide);
  if (!level->wide) return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for a level");
  return create(level, level->wide);
}

void hymgi_wide_destroy(hymgi_level *level)
{
  hymgi_wide *const wide = level->wide;
  if (!wide) return;
  if (wide->constant_rows) level->memory->release(level->context, wide->constant_rows, 0);
  hymgi_plan_destroy(&wide->plan);
  free(wide->box);
  free(wide);
  level->wide = NULL;
}

size_t hymgi_wide_bytes(const hymgi_level *level)
{
  if (!level->wide) return 0;
  return hymgi_plan_bytes(level->wide->plan) + sizeof *level->wide +
         (size_t)level->num_boxes * sizeof *level->wide->box;
}

/* ---- coefficients ---- */

/* High faces at boundaries are no cells of a box, but low faces of a shifted field. */
static void exchange_faces(const hymgi_level *level, const hymgi_level *view, double *const beta[3],
                           double *shifted)
{
  for (int axis = 0; axis < 3; axis++) {
    hymgi_wide_exchange(level, beta[axis]);
    hymgi_boxes_copy(level, level->box, beta[axis], level->box, shifted, axis);
    hymgi_wide_exchange(level, shifted);
    hymgi_faces_take_high(view, axis, shifted, beta[axis]);
  }
}

static void exchange_coefficients(const hymgi_level *level, const hymgi_level *view,
                                  double *shifted)
{
  double *const cells[3] = {level->c.alpha, level->c.dinv, level->c.l1inv};
  if (shifted) exchange_faces(level, view, level->c.beta, shifted);
  for (int m = 0; m < 3; m++)
    if (cells[m]) hymgi_wide_exchange(level, cells[m]);
}

hymg_status hymgi_wide_fill(hymgi_level *level)
{
  hymgi_wide *const wide = level->wide;
  if (!wide) return HYMG_OK;
  const ptrdiff_t size = level->method->variable_beta ? level->vector_size : 0;
  double *shifted = NULL;
  hymg_status status = hymgi_agree(level->context, hymgi_vector_create(level, size, &shifted));
  if (status == HYMG_OK) {
    hymgi_level view = hymgi_wide_view(level, level->layers);
    exchange_coefficients(level, &view, shifted);
    status = level->backend->finish_layers(&view);
    wide->constant_rows = view.c.constant_rows, wide->constant_row = view.c.constant_row;
    status = hymgi_agree(level->context, status);
  }
  hymgi_vector_destroy(level, size, &shifted);
  return status;
}

/* ---- are they worth it? ---- */

/* Two smoother calls, as a visit makes them. */
static double seconds_of_visit(hymgi_level *level)
{
  if (hymgi_comm_barrier(level->context, level->comm) != HYMG_OK) return 0;
  const double start = hymgi_seconds();
  hymgi_wide_enter(level);
  level->backend->smooth(level);
  level->backend->smooth(level);
  hymgi_wide_leave(level);
  return hymgi_seconds() - start;
}

/* With layers, and without: the shortest of a few, on the slowest rank. x and f are 0 and stay 0. */
static hymg_status measure(hymgi_level *level, double seconds[2])
{
  hymgi_wide *const wide = level->wide;
  seconds[0] = seconds[1] = level->num_boxes ? INFINITY : 0;
  if (level->num_boxes)
    level->backend->clear(level, level->x), level->backend->clear(level, level->f);
  for (int m = 0; m < 2 * ROUNDS && level->num_boxes; m++) {
    level->wide = m % 2 ? NULL : wide;
    seconds[m % 2] = fmin(seconds[m % 2], seconds_of_visit(level));
  }
  level->wide = wide;
  TRY(hymgi_agree(level->context, level->context->status));
  return hymgi_comm_max_double(level->context, level->context->comm, seconds, 2);
}

hymg_status hymgi_wide_keep_faster(hymgi_hierarchy *h)
{
  for (int l = 0; l < h->num_levels && h->options.halo_layers < 0; l++) {
    hymgi_level *const level = h->level + l;
    double seconds[2];
    if (!level->layers || level->backend->id == HYMG_BACKEND_CUDA) continue;
    TRY(measure(level, seconds));
    if (seconds[0] < (1 - WORTH) * seconds[1]) continue;
    hymgi_wide_destroy(level);
    level->layers = 0;
  }
  return HYMG_OK;
}
