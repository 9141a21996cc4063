/* Building a hierarchy whose shape is known: memory layout, plans and vectors of the levels. */
#include <stdlib.h>
#include <string.h>

#include "hierarchy/build.h"
#include "hierarchy/pairs.h"
#include "multigrid/level_ops.h"
#include "multigrid/wide.h"
#include "transport/transport.h"

enum { STAGGER = 9 * HYMGI_LINE };

/* ---- layout ---- */

/* The axes along which a level's only box is its own neighbour, if that holds wherever it has one. */
static unsigned wraps_of(const hymgi_level *level)
{
  if (level->num_boxes != 1) return 0;
  for (int axis = 0; axis < 3; axis++) {
    const bool whole = level->box->n[axis] == level->n[axis];
    if (!whole || (level->periodic >> axis & 1 && level->n[axis] % 2)) return 0;
  }
  return level->periodic;
}

/* Can the rows of all boxes be split by colour, and are they long enough for that? */
static bool splittable(const hymgi_level *level)
{
  const bool any = level->backend->splits_odd(level) && level->keeper->splits_odd(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    const bool even = g->n[0] % 2 == 0 && g->low[0] % 2 == 0;
    if (!(any || even) || g->n[0] < level->method->tuning.split_from) return false;
  }
  return true;
}

static void lay_out(hymgi_level *level)
{
  const hymgi_backend *backend = level->backend;
  const hymgi_method *m = level->method;
  const bool wanted = m->smoother == HYMG_GSRB ||
                      (!level->transfer->reversed && backend->splits && backend->splits(level));
  const bool split = wanted && splittable(level);
  for (int b = 0; b < level->num_boxes; b++)
    level->box[b].split = split, level->box[b].wraps = wraps_of(level);
  int domain[3];
  hymgi_wide_domain(level, domain);
  level->vector_size =
      hymgi_boxes_layout_wide(level->box, level->num_boxes, level->layers, domain, backend->line);
}

hymg_status hymgi_boxes_share(hymg_context *context, const hymgi_backend *backend,
                              hymgi_geom **boxes, int count)
{
  void *block = *boxes;
  const hymg_status status = backend->share(context, &block, ((size_t)count + 1) * sizeof **boxes);
  *boxes = block;
  return status;
}

/* The image of a box on the next coarser level. */
static hymgi_geom patch_of(const hymgi_level *fine, int b)
{
  hymgi_geom p = fine->box[b];
  for (int axis = 0; axis < 3; axis++)
    if (fine->coarsened >> axis & 1) p.n[axis] = (p.n[axis] + 1) / 2, p.low[axis] /= 2;
  p.parity = (p.low[0] + p.low[1] + p.low[2]) & 1;
  p.split = 0;
  p.wraps = 0;
  hymgi_geom_layout(&p, fine->backend->line);
  return p;
}

static void place_level(const hymgi_hierarchy *h, hymgi_level *level)
{
  const hymgi_placement *const placement = &h->placement;
  level->backend = level->index < placement->host_from ? placement->fine : hymgi_cpu_backend();
  level->keeper = placement->fine;
  /* a level on the host below one on the GPU uses memory that both can access */
  level->memory =
      level->backend == placement->fine ? placement->fine->memory : placement->fine->crossing;
  level->layers = hymgi_wide_layers(h, level);
  lay_out(level);
}

/* The part of a box that a patch covers. */
static hymgi_geom part_of(const hymgi_geom *box, const hymgi_geom *patch)
{
  hymgi_geom p = *box;
  int at[3];
  for (int axis = 0; axis < 3; axis++) {
    at[axis] = patch->low[axis] - box->low[axis];
    p.n[axis] = patch->n[axis], p.low[axis] = patch->low[axis];
  }
  p.parity = patch->parity;
  p.boundaries = patch->boundaries;
  p.wraps = 0;
  p.base += at[2] * p.plane + at[1] * p.pitch + (p.split ? at[0] / 2 : at[0]);
  return p;
}

/* Is the only patch part of the only coarse box, and can the backend work there? Then the ghosts
 * of the patch are those of the coarse level. */
static bool can_be_inside(const hymgi_level *fine, const hymgi_level *coarse)
{
  if (fine->num_boxes != 1 || coarse->num_boxes != 1 || fine->backend != coarse->backend ||
      !fine->backend->zeroes || coarse->ghost < fine->ghost)
    return false;
  const hymgi_geom patch = patch_of(fine, 0), *box = coarse->box;
  for (int axis = 0; axis < 3; axis++)
    if (patch.low[axis] < box->low[axis] ||
        patch.low[axis] + patch.n[axis] > box->low[axis] + box->n[axis])
      return false;
  return !box->split || (patch.low[0] - box->low[0]) % 2 == 0;
}

size_t hymgi_patch_size(const hymgi_level *fine)
{
  size_t size = 0;
  for (int b = 0; !fine->direct && !fine->inside && b < fine->num_boxes; b++)
    size += (size_t)patch_of(fine, b).size;
  return size;
}

/* Decides whether patches are needed: not if the next coarser level has the same boxes. */
static void place_patches(hymgi_level *fine, const hymgi_level *coarse)
{
  fine->direct = coarse->decomp->same || fine->ranks == 1;
  fine->inside = !fine->direct && can_be_inside(fine, coarse);
  fine->patch_size = (ptrdiff_t)hymgi_patch_size(fine);
}

void hymgi_level_place(hymgi_hierarchy *h, int l)
{
  hymgi_level *const level = h->level + l;
  place_level(h, level);
  hymgi_outside_place(level);
  if (level->index > 0) place_patches(level - 1, level);
}

/* ---- plans ---- */

hymgi_side hymgi_side_of(const hymgi_level *level)
{
  const hymgi_side side = {level->decomp, level->num_boxes, level->box,
                           (const int(*)[6])level->cover};
  return side;
}

/* Messages between GPUs are staged until all levels are there, unless they are known before their coefficients. */
hymg_status hymgi_plan_keep(const hymgi_level *level, hymgi_plan *plan)
{
  const hymgi_backend *backend = level->backend;
  const hymgi_memory *staged = level->transfer->inherits ? backend->crossing : NULL;
  const hymgi_memory *buffers = backend->sharing ? staged : hymgi_crossing(level);
  return hymgi_plan_share(plan, backend->share, backend->unshare, buffers);
}

static hymg_status make_halo(hymgi_level *level, hymgi_halo kind)
{
  const hymgi_side side = hymgi_side_of(level);
  const int depth = kind == HYMGI_HALO_FACES ? 1 : level->ghost;
  const hymgi_pull rule = hymgi_halo_rule(&side, kind, depth, level->periodic);
  TRY(hymgi_plan_create(level->context, &rule, level->index * HYMGI_PLAN_TAGS + (int)kind,
                        &level->halo[kind]));
  hymgi_plan *const plan = level->halo[kind];
  if (plan->num_local || plan->num_sends || plan->num_receives) return hymgi_plan_keep(level, plan);
  hymgi_plan_destroy(&level->halo[kind]);
  return HYMG_OK;
}

/* The images of the boxes on the coarse level, and a vector of them: the coarse boxes themselves if they are the same,
 * a part of the coarse box (then no local copies are needed), or patches with plain rows. */
hymg_status hymgi_patches_create(hymgi_level *fine, const hymgi_level *coarse)
{
  if (fine->direct) {
    fine->patch = coarse->box;
    return HYMG_OK;
  }
  fine->patch = malloc(((size_t)fine->num_boxes + 1) * sizeof *fine->patch);
  if (!fine->patch) return hymgi_fail(fine->context, HYMG_ENOMEM, "no memory for patches");
  for (int b = 0; b < fine->num_boxes; b++)
    fine->patch[b] = patch_of(fine, b);
  hymgi_boxes_layout(fine->patch, fine->num_boxes, fine->backend->line);
  if (fine->inside) fine->patch[0] = part_of(coarse->box, fine->patch);
  TRY(hymgi_boxes_share(fine->context, fine->keeper, &fine->patch, fine->num_boxes));
  return hymgi_vector_create(fine, fine->patch_size, &fine->patch_vector);
}

void hymgi_patches_destroy(hymgi_level *fine)
{
  hymgi_vector_destroy(fine, fine->patch_size, &fine->patch_vector);
  if (!fine->direct && fine->patch) fine->keeper->unshare(fine->patch);
}

static hymg_status make_patches(hymgi_level *fine, hymgi_level *coarse)
{
  TRY(hymgi_patches_create(fine, coarse));
  if (fine->direct) return HYMG_OK;
  const hymgi_side from = hymgi_side_of(fine), to = hymgi_side_of(coarse);
  const int depth = fine->ghost < coarse->ghost ? fine->ghost : coarse->ghost;
  const hymgi_pull down = hymgi_gather_rule(&from, &to),
                   up = hymgi_scatter_rule(&from, &to, depth, fine->periodic);
  TRY(hymgi_plan_create(fine->context, &down, fine->index * HYMGI_PLAN_TAGS + 4, &fine->gather));
  TRY(hymgi_plan_create(fine->context, &up, fine->index * HYMGI_PLAN_TAGS + 5, &fine->scatter));
  if (fine->inside) fine->gather->num_local = fine->scatter->num_local = 0;
  TRY(hymgi_plan_keep(fine, fine->gather));
  return hymgi_plan_keep(fine, fine->scatter);
}

/* ---- vectors ---- */

static bool needs_second_buffer(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  if (level->transfer->through_y) return true;
  if (level->shortened) return true; /* the cells' volumes when a mean is subtracted */
  if (level->backend->second_buffer && level->backend->second_buffer(level)) return true;
  return m->smoother != HYMG_SYMGS && !(level->op->stencil == HYMG_FV2 && m->smoother == HYMG_GSRB);
}

enum { MAX_PLACES = 24 };

/* The pointers to be set to a vector, first those that are not to a coefficient; the same list
 * serves for counting and for assigning memory. */
static int list_places(hymgi_level *level, double **place[MAX_PLACES], int *vectors)
{
  const hymgi_method *m = level->method;
  const hymgi_backend *b = level->backend;
  int count = 0;
  if (level->index > 0 || level->single)
    place[count++] = &level->own_x, place[count++] = &level->own_f;
  if (level->hands_over) return *vectors = count;
  if (needs_second_buffer(level)) place[count++] = &level->y;
  for (int i = 0; b->spare_buffers && b->spare_buffers(level) && i < 2; i++)
    place[count++] = &level->spare[i];
  *vectors = count;
  for (int axis = 0; m->variable_beta && axis < 3; axis++)
    place[count++] = &level->c.beta[axis];
  if (m->variable_alpha) place[count++] = &level->c.alpha;
  if (level->op->keeps_diagonal) place[count++] = &level->c.dinv;
  if (m->smoother == HYMG_L1JACOBI) place[count++] = &level->c.l1inv;
  if (hymgi_line_axis(level) >= 0)
    place[count++] = &level->line.pivot, place[count++] = &level->line.corner;
  const bool finest = level->index == 0 && !level->single;
  if (m->empty_rows && finest) place[count++] = &level->fixed.given;
  if (m->masked && finest) place[count++] = &level->fixed.piece;
  if (m->fixed && finest) place[count++] = &level->fixed.source;
  for (int axis = 0; m->fixed && finest && axis < 3; axis++)
    place[count++] = &level->fixed.beta[axis];
  for (int axis = 0; level->single && level->transfer->weights && axis < 3; axis++)
    if (level->coarsened >> axis & 1) place[count++] = &level->weight[axis];
  return count;
}

/* Scratch vectors of the bottom solver, then those of Krylov iterations on level 0 or, with a bottom solver, on any,
 * then those of a cycle that starts on the coarsest level. */
static int krylov_vectors(const hymgi_hierarchy *h, const hymgi_level *level)
{
  const bool bottom = level->index == h->num_levels - 1;
  if (level->single) return 0;
  if (level->transfer->to_cells)
    return level->index > 0             ? 0
           : hymgi_is_preconditioned(h) ? HYMGI_BICGSTAB_ROBUST
                                        : HYMGI_CG_VECTORS;
  const int count = h->options.method == HYMG_MGPCG ? HYMGI_CG_VECTORS : 0;
  return bottom ? count + hymgi_bottom_vectors(h->options.bottom) + HYMGI_CORRECTION_VECTORS
                : count;
}

hymgi_memory_need hymgi_level_memory(const hymgi_hierarchy *h, const hymgi_level *level)
{
  hymgi_level copy = *level; /* only counts; the pointers are not set */
  double **place[MAX_PLACES];
  if (copy.num_boxes == 0) return (hymgi_memory_need){0};
  hymgi_memory_need need = {.stride = (size_t)copy.vector_size + STAGGER,
                            .krylov = krylov_vectors(h, &copy),
                            .patch = (size_t)copy.patch_size};
  need.coefficients = list_places(&copy, place, &need.vectors) - need.vectors;
  need.scratch = copy.backend->scratch_doubles(&copy, &need.scratch_row);
  return need;
}

hymg_status hymgi_vectors_create(const hymgi_hierarchy *h, hymgi_level *level)
{
  if (level->num_boxes == 0) return HYMG_OK;
  double **place[MAX_PLACES];
  const hymgi_memory_need need = hymgi_level_memory(h, level);
  int vectors;
  const int count = list_places(level, place, &vectors);
  level->num_krylov = need.krylov;
  level->scratch_row = need.scratch_row;
  const size_t stride = need.stride, scratch = need.scratch;
  level->arena_doubles = stride * (size_t)(count + level->num_krylov) + scratch + 2 * STAGGER;
  TRY(level->memory->alloc(level->context, level->arena_doubles, &level->arena));
  double *next = level->arena;
  for (int m = 0; m < count; m++, next += stride) {
    *place[m] = next;
    hymgi_vector_begin(level, next);
  }
  level->krylov = next;
  for (int m = 0; m < level->num_krylov; m++)
    hymgi_vector_begin(level, next + m * level->vector_size);
  next += stride * (size_t)level->num_krylov;
  level->scratch = next;
  level->backend->zero(level->context, next, scratch);
  level->x = level->own_x;
  level->f = level->own_f;
  return HYMG_OK;
}

static hymg_status make_communicator(hymgi_level *level)
{
  hymgi_level *finer = level->index ? level - 1 : NULL;
  hymgi_comm *parent = finer ? finer->comm : level->context->comm;
  if (finer && finer->num_boxes == 0) return HYMG_OK;
  if (level->decomp->whole) return HYMG_OK; /* each rank has all cells */
  return hymgi_comm_subset(level->context, parent, level->num_boxes > 0, &level->comm);
}

hymg_status hymgi_colours_exchange(hymgi_level *level)
{
  hymgi_geom *g = level->exchanged = malloc(((size_t)level->num_boxes + 1) * sizeof *g);
  if (!g) return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for boxes");
  for (int b = 0; b < level->num_boxes; b++)
    g[b] = hymgi_geom_exchanged(level->box[b]);
  return hymgi_boxes_share(level->context, level->keeper, &level->exchanged, level->num_boxes);
}

static hymg_status make_plans(hymgi_hierarchy *h, hymgi_level *level)
{
  const hymgi_halo halo = level->op->halo, outer = level->index ? halo : h->kind->halo;
  if (level->transfer->reversed) TRY(hymgi_colours_exchange(level));
  TRY(hymgi_boxes_share(level->context, level->keeper, &level->box, level->num_boxes));
  TRY(make_halo(level, halo));
  if (outer != halo) TRY(make_halo(level, outer));
  TRY(make_halo(level, HYMGI_HALO_FULL));
  TRY(hymgi_wide_create(level));
  TRY(hymgi_outside_plans(level));
  return level->index > 0 ? make_patches(level - 1, level) : HYMG_OK;
}

static hymg_status make_axes(hymgi_hierarchy *h, hymgi_level *level)
{
  if (!h->method.any_sides) return HYMG_OK;
  return level->index > 0 ? hymgi_axes_next(level - 1, level)
                          : hymgi_axes_first(level, &h->op->grid->desc);
}

static hymg_status make(hymgi_hierarchy *h, hymgi_level *level)
{
  TRY(make_plans(h, level));
  TRY(hymgi_vectors_create(h, level));
  return make_axes(h, level);
}

hymg_status hymgi_level_make(hymgi_hierarchy *h, int l)
{
  TRY(hymgi_agree(h->context, make(h, h->level + l)));
  return hymgi_agree(h->context, make_communicator(h->level + l));
}

void hymgi_level_destroy(hymgi_level *level)
{
  hymgi_boundary_data_destroy(level);
  hymgi_axes_destroy(level);
  hymgi_vector_destroy(level, level->num_weights * level->vector_size, &level->weights);
  if (level->index == 0) { /* else they are part of the arena */
    hymgi_vector_destroy(level, level->vector_size, &level->own_x);
    hymgi_vector_destroy(level, level->vector_size, &level->own_f);
  }
  hymgi_wide_destroy(level);
  hymgi_level_release(level);
  for (int kind = 0; kind < 3; kind++)
    hymgi_plan_destroy(&level->halo[kind]);
  hymgi_plan_destroy(&level->gather);
  hymgi_plan_destroy(&level->scatter);
  hymgi_comm_destroy(&level->comm);
  if (level->index > 0) hymgi_decomp_destroy(&level->decomp);
  free(level->cover);
  hymgi_outside_destroy(level);
}

void hymgi_hierarchy_destroy(hymgi_hierarchy *h)
{
  hymgi_singles_destroy(h);
  hymgi_pieces_destroy(h);
  hymgi_pairs_destroy(h);
  hymgi_coarse_matrix_destroy(h);
  hymgi_transport_disconnect(h);
  hymgi_system_destroy(h);
  for (int l = h->num_levels - 1; l >= 0; l--)
    hymgi_level_destroy(h->level + l);
}

/* Vectors outside the arenas are not part of it, but the diagonal of the system is, which is as large as in an arena. */
size_t hymgi_hierarchy_bytes(const hymgi_hierarchy *h)
{
  const bool diagonal = h->system != h->level && h->kind->keeps_diagonal && h->level->num_boxes;
  size_t bytes = diagonal ? ((size_t)h->level->vector_size + STAGGER) * sizeof(double) : 0;
  bytes += h->pairs ? h->pairs->bytes : 0;
  for (int l = 0; l <= h->singles.count && h->singles.level; l++)
    bytes += h->singles.level[l].arena_doubles * sizeof(double);
  for (const hymgi_level *level = h->level; level < h->level + h->num_levels; level++) {
    const size_t patches = level->patch_vector ? (size_t)level->patch_size : 0;
    bytes += (level->arena_doubles + patches) * sizeof(double) +
             (size_t)level->num_boxes * (2 * sizeof(hymgi_geom) + 6 * sizeof(int));
    for (int kind = 0; kind < 3; kind++)
      bytes += hymgi_plan_bytes(level->halo[kind]);
    bytes += hymgi_wide_bytes(level);
    bytes += hymgi_plan_bytes(level->gather) + hymgi_plan_bytes(level->scatter);
  }
  return bytes;
}
