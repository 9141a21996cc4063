/* The hierarchy: how far a grid coarsens, which boxes, plans and vectors each level has. */
#include <stdlib.h>
#include <string.h>

#include "solver.h"
#include "verbs.h"

enum { STAGGER = 9 * HYMGI_LINE, PLAN_TAGS = 8 };

/* ---- shapes ---- */

/* Coarsest sides: 1 cell; 2 where the stencil is wide or the axis has no Dirichlet walls to lean
 * on. */
static int smallest_side(const hymg_grid *grid, hymg_stencil stencil, int axis)
{
  const hymg_boundary *b = grid->desc.boundary + 2 * axis;
  return stencil == HYMG_FV4 || b[0] != HYMG_DIRICHLET || b[1] != HYMG_DIRICHLET ? 2 : 1;
}

static bool coarsens(const hymg_grid *grid, hymg_stencil stencil, const int n[3])
{
  for (int axis = 0; axis < 3; axis++)
    if (n[axis] % 2 || n[axis] < 2 * smallest_side(grid, stencil, axis)) return false;
  return true;
}

/* HPGMG-FV's boxes of the next level, for its sizes: n is the level's side, box and side the box
 * side and boxes per side. */
static void coarsen_closure_box(int n, int *box, int *side)
{
  const int c = n / 2;
  if (*box > 8) {
    *box /= 2;
  } else if (*side % 2 == 0) {
    *side /= 2;
  } else if (c % 2 && c > 1) {
    *box = c;
    *side = 1;
  } else {
    *box /= 2;
  }
}

/* The dimension that rules the closures of each level: that box's side, or the domain's cells. */
static void closure_dims(hymg_solver *solver)
{
  const hymg_grid_desc *d = &solver->op->grid->desc;
  int box = d->closure_box, side = box ? d->n[0] / box : 0;
  for (int l = 0; l < solver->num_levels; l++) {
    hymgi_level *level = solver->level + l;
    for (int axis = 0; axis < 3; axis++)
      level->closure_dim[axis] = d->closure_box ? box : level->n[axis];
    if (d->closure_box) coarsen_closure_box(level->n[0], &box, &side);
  }
}

static void lay_out(hymgi_level *level)
{
  bool split = level->method->smoother == HYMG_GSRB;
  for (int b = 0; b < level->num_boxes; b++)
    split = split && level->box[b].n[0] % 2 == 0 && level->box[b].low[0] % 2 == 0 &&
            level->box[b].n[0] >= level->method->tuning.split_from;
  ptrdiff_t offset = 0;
  for (int b = 0; b < level->num_boxes; b++) {
    level->box[b].split = split;
    hymgi_geom_layout(level->box + b);
    level->box[b].offset = offset;
    offset += level->box[b].size;
  }
  level->vector_size = offset;
}

static hymg_status make_level(hymg_solver *solver, int l, const hymgi_backend *backend)
{
  hymg_grid *grid = solver->op->grid;
  hymgi_level *level = solver->level + l;
  level->context = grid->context;
  level->method = &solver->method;
  level->backend = backend;
  level->profile = &solver->profile;
  level->index = l;
  level->tuning = solver->method.tuning;
  level->periodic = grid->periodic;
  level->ghost = solver->method.stencil == HYMG_FV4 ? 2 : 1;
  memcpy(level->boundary, grid->desc.boundary, sizeof level->boundary);
  level->cells = 1;
  for (int axis = 0; axis < 3; axis++) {
    level->n[axis] = grid->desc.n[axis] >> l;
    level->h[axis] = grid->desc.spacing[axis] * (double)((int64_t)1 << l);
    level->cells *= level->n[axis];
  }
  if (l == 0)
    level->decomp = grid->decomp;
  else
    TRY(hymgi_decomp_coarsen(level->context, level[-1].decomp, 2 * level->ghost, &level->decomp));
  TRY(hymgi_side_boxes(level->context, level->decomp, level->ghost, level->periodic, &level->box,
                       &level->cover, &level->num_boxes));
  lay_out(level);
  return HYMG_OK;
}

/* ---- plans ---- */

static hymgi_side side_of(const hymgi_level *level)
{
  const hymgi_side side = {level->decomp, level->num_boxes, level->box,
                           (const int(*)[6])level->cover};
  return side;
}

static bool does_nothing(const hymgi_plan *plan)
{
  return plan->num_local == 0 && plan->num_sends == 0 && plan->num_receives == 0;
}

static hymg_status make_halo(hymgi_level *level, hymgi_halo kind)
{
  const hymgi_side side = side_of(level);
  TRY(hymgi_plan_halo(level->context, &side, kind, level->ghost, level->periodic,
                      level->index * PLAN_TAGS + (int)kind, &level->halo[kind]));
  level->halo[kind]->threads = level->context->threads;
  if (does_nothing(level->halo[kind])) hymgi_plan_destroy(&level->halo[kind]);
  return HYMG_OK;
}

/* Images of the boxes on the coarse level: its own boxes where the boxes are the same, else
 * patches with plain rows. */
static hymg_status make_patches(hymgi_level *fine, hymgi_level *coarse)
{
  const int *merge = coarse->decomp->merge;
  fine->direct = (merge[0] == 1 && merge[1] == 1 && merge[2] == 1) || fine->ranks == 1;
  if (fine->direct) {
    fine->patch = coarse->box;
    return HYMG_OK;
  }
  fine->patch = malloc(((size_t)fine->num_boxes + 1) * sizeof *fine->patch);
  if (!fine->patch) return hymgi_fail(fine->context, HYMG_ENOMEM, "no memory for patches");
  for (int b = 0; b < fine->num_boxes; b++) {
    hymgi_geom *p = fine->patch + b;
    *p = fine->box[b];
    for (int axis = 0; axis < 3; axis++)
      p->n[axis] /= 2, p->low[axis] /= 2;
    p->parity = (p->low[0] + p->low[1] + p->low[2]) & 1;
    p->split = 0;
    hymgi_geom_layout(p);
    p->offset = fine->patch_size;
    fine->patch_size += p->size;
  }
  const hymgi_side from = side_of(fine), to = side_of(coarse);
  TRY(hymgi_plan_gather(fine->context, &from, &to, fine->index * PLAN_TAGS + 4, &fine->gather));
  TRY(hymgi_plan_scatter(fine->context, &from, &to, fine->ghost, fine->periodic,
                         fine->index * PLAN_TAGS + 5, &fine->scatter));
  fine->gather->threads = fine->scatter->threads = fine->context->threads;
  return HYMG_OK;
}

/* ---- vectors ---- */

static bool needs_second_buffer(const hymgi_method *m)
{
  return m->smoother != HYMG_SYMGS && !(m->stencil == HYMG_FV2 && m->smoother == HYMG_GSRB);
}

/* The places that hold a vector each; a list so that counting and handing out agree. */
static int vector_places(const hymg_solver *solver, hymgi_level *level, double **place[16])
{
  const hymgi_method *m = &solver->method;
  int count = 0;
  if (level->index > 0) place[count++] = &level->own_x, place[count++] = &level->own_f;
  if (needs_second_buffer(m)) place[count++] = &level->y;
  for (int axis = 0; m->variable_beta && axis < 3; axis++)
    place[count++] = &level->c.beta[axis];
  if (m->variable_alpha) place[count++] = &level->c.alpha;
  if (m->stencil == HYMG_FV4) place[count++] = &level->c.dinv;
  if (m->smoother == HYMG_L1JACOBI) place[count++] = &level->c.l1inv;
  return count;
}

/* Scratch of the bottom solver, then that of conjugate gradients, then that of a cycle which starts
 * on the coarsest level. */
static int krylov_vectors(const hymg_solver *solver, const hymgi_level *level)
{
  const bool bottom = level->index == solver->num_levels - 1;
  int count = bottom ? hymgi_bottom_vectors(solver->options.bottom) : 0;
  if (solver->options.method == HYMG_MGPCG) count += HYMGI_CG_VECTORS;
  return bottom ? count + HYMGI_CORRECTION_VECTORS : count;
}

static hymg_status make_vectors(hymg_solver *solver, hymgi_level *level)
{
  if (level->num_boxes == 0) return HYMG_OK;
  double **place[16];
  const int count = vector_places(solver, level, place);
  level->num_krylov = krylov_vectors(solver, level);
  const size_t stride = (size_t)level->vector_size + STAGGER;
  const size_t scratch = level->backend->scratch_doubles(level, &level->scratch_row);
  const size_t patch = level->patch && !level->direct ? (size_t)level->patch_size : 0;
  level->arena_doubles =
      stride * (size_t)(count + level->num_krylov) + patch + scratch + 2 * STAGGER;
  TRY(level->backend->alloc(level->context, level->arena_doubles, &level->arena));
  double *next = level->arena;
  for (int m = 0; m < count; m++, next += stride) {
    *place[m] = next;
    level->backend->clear(level, next);
  }
  level->krylov = next;
  for (int m = 0; m < level->num_krylov; m++)
    level->backend->clear(level, next + m * level->vector_size);
  next += stride * (size_t)level->num_krylov;
  level->scratch = next;
  memset(next, 0, scratch * sizeof(double));
  if (patch) level->patch_vector = memset(next + scratch, 0, patch * sizeof(double));
  level->x = level->own_x;
  level->f = level->own_f;
  return HYMG_OK;
}

/* ---- all of it ---- */

static hymg_status make_communicator(hymgi_level *level)
{
  hymgi_level *finer = level->index ? level - 1 : NULL;
  hymgi_comm *parent = finer ? finer->comm : level->context->comm;
  if (finer && finer->num_boxes == 0) return HYMG_OK;
  return hymgi_comm_subset(level->context, parent, level->num_boxes > 0, &level->comm);
}

/* How many ranks hold cells of each level. Collective. */
static hymg_status count_ranks(hymg_solver *solver)
{
  int64_t holding[HYMGI_MAX_LEVELS];
  hymg_context *context = solver->op->grid->context;
  for (int l = 0; l < solver->num_levels; l++)
    holding[l] = solver->level[l].num_boxes > 0;
  TRY(hymgi_comm_sum_int64(context, context->comm, holding, solver->num_levels));
  for (int l = 0; l < solver->num_levels; l++)
    solver->level[l].ranks = (int)holding[l];
  return HYMG_OK;
}

static hymg_status make_shapes(hymg_solver *solver, const hymgi_backend *backend)
{
  for (int l = 0; l < solver->num_levels; l++)
    TRY(make_level(solver, l, backend));
  closure_dims(solver);
  return HYMG_OK;
}

static hymg_status make_plans_and_vectors(hymg_solver *solver)
{
  const bool fv2 = solver->method.stencil == HYMG_FV2;
  for (int l = 0; l < solver->num_levels; l++) {
    TRY(make_halo(solver->level + l, fv2 ? HYMGI_HALO_FACES : HYMGI_HALO_EDGES));
    TRY(make_halo(solver->level + l, HYMGI_HALO_FULL));
    if (l > 0) TRY(make_patches(solver->level + l - 1, solver->level + l));
  }
  for (int l = 0; l < solver->num_levels; l++)
    TRY(make_vectors(solver, solver->level + l));
  return HYMG_OK;
}

hymg_status hymgi_hierarchy_create(hymg_solver *solver, const hymgi_backend *backend)
{
  const hymg_grid *grid = solver->op->grid;
  int n[3];
  memcpy(n, grid->desc.n, sizeof n);
  solver->num_levels = 1;
  while (coarsens(grid, solver->method.stencil, n) && solver->num_levels < HYMGI_MAX_LEVELS) {
    for (int axis = 0; axis < 3; axis++)
      n[axis] /= 2;
    solver->num_levels++;
  }
  TRY(hymgi_agree(grid->context, make_shapes(solver, backend)));
  TRY(count_ranks(solver));
  TRY(hymgi_agree(grid->context, make_plans_and_vectors(solver)));
  for (int l = 0; l < solver->num_levels; l++)
    TRY(hymgi_agree(grid->context, make_communicator(solver->level + l)));
  return HYMG_OK;
}

static void destroy_level(hymgi_level *level)
{
  hymgi_walls_destroy(level);
  if (level->index == 0 && level->own_x)
    level->backend->release(level->own_x, (size_t)level->vector_size);
  if (level->index == 0 && level->own_f)
    level->backend->release(level->own_f, (size_t)level->vector_size);
  if (level->arena) level->backend->release(level->arena, level->arena_doubles);
  if (level->c.constant_rows) level->backend->release(level->c.constant_rows, 0);
  for (int kind = 0; kind < 3; kind++)
    hymgi_plan_destroy(&level->halo[kind]);
  hymgi_plan_destroy(&level->gather);
  hymgi_plan_destroy(&level->scatter);
  if (!level->direct) free(level->patch);
  hymgi_comm_destroy(&level->comm);
  if (level->index > 0) hymgi_decomp_destroy(&level->decomp);
  free(level->box);
  free(level->cover);
}

void hymgi_hierarchy_destroy(hymg_solver *solver)
{
  for (int l = solver->num_levels - 1; l >= 0; l--)
    destroy_level(solver->level + l);
}

size_t hymgi_hierarchy_bytes(const hymg_solver *solver)
{
  size_t bytes = 0;
  for (const hymgi_level *level = solver->level; level < solver->level + solver->num_levels;
       level++) {
    bytes += level->arena_doubles * sizeof(double) +
             (size_t)level->num_boxes * (2 * sizeof(hymgi_geom) + 6 * sizeof(int));
    for (int kind = 0; kind < 3; kind++)
      bytes += level->halo[kind] ? hymgi_plan_bytes(level->halo[kind]) : 0;
    bytes += level->gather ? hymgi_plan_bytes(level->gather) : 0;
    bytes += level->scatter ? hymgi_plan_bytes(level->scatter) : 0;
  }
  return bytes;
}

hymg_status hymgi_vector_create(const hymgi_level *level, ptrdiff_t size, double **vector)
{
  *vector = NULL;
  if (size == 0) return HYMG_OK;
  TRY(level->backend->alloc(level->context, (size_t)size, vector));
  if (size == level->vector_size)
    level->backend->clear(level, *vector);
  else
    memset(*vector, 0, (size_t)size * sizeof(double));
  return HYMG_OK;
}

void hymgi_vector_destroy(const hymgi_level *level, ptrdiff_t size, double **vector)
{
  if (*vector) level->backend->release(*vector, (size_t)size);
  *vector = NULL;
}

void hymgi_run_plan(const hymgi_level *level, const hymgi_plan *plan, const hymgi_geom *src_box,
                    const double *src, const hymgi_geom *dst_box, double *dst)
{
  if (!plan) return;
  const hymgi_mover *mover = &level->backend->mover;
  hymgi_exchange_begin(level->context, mover, plan, src_box, src, dst_box, dst);
  hymgi_exchange_end(level->context, mover, plan, dst_box, dst);
}
