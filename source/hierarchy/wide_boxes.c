/* Wide boxes (multigrid/wide.h): which levels have them, their plan and what the layers hold of the coefficients. */
#include <stdlib.h>
#include <string.h>

#include "hierarchy/build.h"
#include "multigrid/boundary_data.h"
#include "multigrid/level_ops.h"
#include "multigrid/wide.h"

enum { TAG = 3 };

/* ---- which levels ---- */

/* Can the layers of this level be computed as their owners do it? Level 0 has vectors of the user's fields; the coarsest
 * has a solver of its own; a red cell's ghost must not be black; FV4's Robin ghosts have numbers of this rank's boundaries. */
static bool can_be_wide(const hymgi_level *level)
{
  const hymg_smoother smoother = level->method->smoother;
  if (level->index == 0 || !level->coarsened || level->ranks == 1) return false;
  if (!level->backend->finish_layers || smoother == HYMG_SYMGS) return false;
  return (smoother != HYMG_GSRB || hymgi_keeps_colours_apart(level)) &&
         (level->op->stencil == HYMG_FV2 || !hymgi_has_robin(level));
}

int hymgi_wide_layers(const hymgi_hierarchy *h, const hymgi_level *level)
{
  const int reach = level->op->ghost, all = reach * hymgi_sweeps(level);
  int layers = h->options.halo_layers;
  if (layers <= 0 || !can_be_wide(level)) return 0;
  layers = layers < all ? layers : all;
  return (layers + 1) / 2 * 2; /* rows may be split by colour */
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

hymg_status hymgi_wide_fill(hymgi_level *level)
{
  hymgi_wide *const wide = level->wide;
  const bool faces = wide && level->method->variable_beta && level->num_boxes > 0;
  double *shifted = NULL;
  if (!level->layers) return HYMG_OK;
  TRY(hymgi_agree(level->context,
                  hymgi_vector_create(level, faces ? level->vector_size : 0, &shifted)));
  hymgi_level view = hymgi_wide_view(level, level->layers);
  double *const cells[3] = {level->c.alpha, level->c.dinv, level->c.l1inv};
  if (faces) exchange_faces(level, &view, level->c.beta, shifted);
  for (int m = 0; m < 3; m++)
    if (cells[m]) hymgi_wide_exchange(level, cells[m]);
  hymgi_vector_destroy(level, level->vector_size, &shifted);
  const hymg_status status = level->backend->finish_layers(&view);
  wide->constant_rows = view.c.constant_rows, wide->constant_row = view.c.constant_row;
  return hymgi_agree(level->context, status);
}
