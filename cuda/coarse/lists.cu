/* The lists that the coarse end works from. The host makes them once a solver's coefficients are
 * set, in one allocation of device memory. */
#include <stdlib.h>
#include <string.h>

#include "coarse/coarse.h"
#include "coarse/ghost_lists.cuh"

extern "C" {
#include "base/exact_sum.h"
#include "multigrid/level_ops.h"
}

namespace
{

/* ---- cells ---- */

unsigned sides_of(const hymgi_level *level, const int ijk[3])
{
  unsigned sides = 0;
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2, last = face & 1 ? level->n[axis] - 1 : 0;
    if (ijk[axis] == last) sides |= 1u << (level->periodic >> axis & 1 ? 6 + face : face);
  }
  return sides;
}

/* Red cells first; within a colour in memory order. */
void list_cells(pile *p, const hymgi_level *level, const hymgi_level *finer, coarse_level *t)
{
  const hymgi_geom *g = level->box;
  coarse_cell *next = append<coarse_cell>(p, (size_t)level->cells);
  t->cell = next;
  for (int colour = 0; colour < 2; colour++) {
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = hymgi_first(g, colour, j, k); i < g->n[0]; i += 2, next++) {
          const int ijk[3] = {i, j, k};
          next->at = coarse_at(g, i, j, k);
          next->field = (int)hymgi_at(g, i, j, k);
          next->child = finer ? coarse_at(finer->box, 2 * i, 2 * j, 2 * k) : 0;
          next->sides = sides_of(level, ijk);
        }
    if (colour == 0) t->reds = (int)(next - t->cell);
  }
}

/* ---- levels ---- */

/* Length of a vector in the arena. */
int size_of(const hymgi_geom *g)
{
  return coarse_at(g, -g->ghost, -g->ghost, g->n[2] + g->ghost);
}

/* finer: NULL for the finest level of the coarse end, from which octants.cu alone interpolates. */
void list_level(pile *p, const hymgi_level *level, const hymgi_level *finer, coarse_level *t)
{
  const hymgi_method *m = level->method;
  const hymgi_geom *g = level->box;
  const hymgi_coefficients *c = &level->c;
  t->cells = (int)level->cells;
  t->team = level->cells <= COARSE_WARP ? (int)COARSE_WARP : (int)COARSE_THREADS;
  t->row = coarse_row_of(g);
  t->plane = t->row * (g->n[1] + 2 * g->ghost);
  t->size = size_of(g);
  t->ghost = g->ghost;
  t->uneven = level->uneven;
  t->part_of_sum = level->transfer->part_of_sum;
  for (int axis = 0; axis < 3; axis++)
    t->n[axis] = g->n[axis], t->parabolas[axis] = level->axis[axis].parabolas;
  t->wrap[0] = g->n[0] - 1;
  t->wrap[1] = (g->n[1] - 1) * t->row;
  t->wrap[2] = (g->n[2] - 1) * t->plane;
  t->parity = g->parity;
  t->stencil = level->op->stencil;
  t->in_place = level->op->stencil == HYMG_FV2 && hymgi_keeps_colours_apart(level);
  t->bits = hymgi_sum_bits(level->cells);
  t->periodic = (int)level->periodic;
  t->has_data = level->boundaries != NULL;
  memcpy(t->boundary_ghost, c->boundary_ghost, sizeof t->boundary_ghost);
  memcpy(t->beta, c->beta_constant, sizeof t->beta);
  t->field_f = level->own_f;
  double *const weights = append<double>(p, 2 * HYMGI_DEGREE);
  t->sweep_weights =
      (const double *)memcpy(weights, level->sweep_weights, sizeof level->sweep_weights);
  list_cells(p, level, finer, t);
  if (level->op->stencil == HYMG_FV4)
    list_ghosts(p, level, HYMGI_GHOSTS_V4, false, &t->operator_ghosts, NULL);
  const bool octants = level->op->stencil == HYMG_FV2 && m->smoother == HYMG_GSRB;
  if (level->index == 0 || (!finer && !octants)) return;
  list_ghosts(p, level, (hymgi_ghosts)m->interpolation_v, true, &t->v_ghosts, NULL);
  list_ghosts(p, level, (hymgi_ghosts)m->interpolation_f, true, &t->f_ghosts, &t->data);
  list_products(p, level, &t->products);
}

/* ---- all of it ---- */

bool sends_nothing(const hymgi_level *level)
{
  for (int kind = 0; kind < 3; kind++) {
    const hymgi_plan *plan = level->halo[kind];
    if (plan && plan->num_sends + plan->num_receives > 0) return false;
  }
  return true;
}

bool applies(const hymgi_hierarchy *h, int l, ptrdiff_t most)
{
  const hymgi_level *level = h->level + l;
  const bool bottom = l == h->num_levels - 1;
  const bool above = level->direct && !hymgi_has_robin(level) &&
                     !level->boundary[0].open; /* whose values would be copies */
  return level->backend->id == HYMG_BACKEND_CUDA && level->num_boxes == 1 &&
         hymgi_is_alone(level) && level->cells <= most && (bottom || above) &&
         level->method->smoother != HYMG_SYMGS && sends_nothing(level);
}

ptrdiff_t num_coefficient_rows(const hymgi_level *level)
{
  if (level->op->stencil == HYMG_FV2) return COARSE_TANGENT;
  return level->method->variable_beta ? COARSE_ROWS : COARSE_BETA;
}

/* Doubles of the arena that a level needs: x, y and f. Bottom solvers have theirs in registers. */
int room_for(const hymgi_hierarchy *h, int l)
{
  return 3 * size_of(h->level[l].box);
}

/* A pointer into the block at `from` becomes one into its copy. */
template <typename T> void move_to(void *copy, const void *from, const T **pointer)
{
  if (*pointer)
    *pointer =
        (const T *)(const void *)((char *)copy + ((const char *)*pointer - (const char *)from));
}

/* Makes the pointers those of the device; the rows of coefficients follow the lists. */
void lay_out(const hymgi_coarse_lists *lists, const pile *p, coarse_level *level, ptrdiff_t rows)
{
  double *next = lists->memory + p->size / sizeof(double);
  int at = COARSE_FIRST;
  for (coarse_level *t = level; t <= level + (lists->last - lists->first); t++) {
    move_to(lists->memory, p->bytes, &t->cell);
    move_to(lists->memory, p->bytes, &t->operator_ghosts.ghost);
    move_to(lists->memory, p->bytes, &t->v_ghosts.ghost);
    move_to(lists->memory, p->bytes, &t->f_ghosts.ghost);
    move_to(lists->memory, p->bytes, &t->products.ghost);
    move_to(lists->memory, p->bytes, &t->data);
    move_to(lists->memory, p->bytes, &t->sweep_weights);
    t->coefficients = next;
    next += rows * t->cells;
    t->x_at = at;
    t->y_at = t->x_at + t->size;
    t->f_at = t->y_at + t->size;
    at = t->f_at + t->size;
  }
}

/* The descriptions of the levels come first. */
hymg_status make_lists(pile *p, const hymgi_level *first, hymgi_coarse_lists *lists)
{
  hymg_context *const context = first->context;
  const int count = lists->last - lists->first + 1;
  const ptrdiff_t rows = num_coefficient_rows(first);
  coarse_level *const level = append<coarse_level>(p, COARSE_LEVELS);
  ptrdiff_t cells = 0;
  for (int l = 0; l < count; l++) {
    list_level(p, first + l, l > 0 ? first + l - 1 : NULL, level + l);
    cells += level[l].cells;
  }
  const size_t listed = p->size / sizeof(double);
  lists->doubles = listed + (size_t)(rows * cells);
  TRY(hymgi_device_memory.alloc(context, lists->doubles, &lists->memory));
  lay_out(lists, p, level, rows);
  first->backend->copy(context, (const double *)(void *)p->bytes, lists->memory, listed);
  for (int l = 0; l < count; l++)
    hymgi_coarse_fill_coefficients(first + l, level[l].cell, (double *)level[l].coefficients);
  lists->level = (const coarse_level *)(const void *)lists->memory;
  memcpy(lists->on_host, level, (size_t)count * sizeof *level);
  return context->status;
}

} /* namespace */

hymg_status hymgi_coarse_create(hymgi_hierarchy *h, hymgi_coarse_lists **lists)
{
  hymg_context *const context = h->context;
  const int bottom = h->num_levels - 1, tail = h->placement.tail_from, matrix = h->matrix.level;
  const int wanted = matrix && matrix < tail && matrix < h->placement.host_from ? matrix : tail;
  int first = bottom + 1, most = 0, arena = COARSE_FIRST;
  *lists = NULL;
  if (!hymgi_form_takes(context, HYMGI_COARSE_V_CYCLE, h->level[bottom].cells)) return HYMG_OK;
  TRY(hymgi_coarse_arena(context, &most));
  while (first > 0 && (first > bottom || first > wanted) && applies(h, first - 1, COARSE_THREADS) &&
         arena + room_for(h, first - 1) <= most)
    arena += room_for(h, --first);
  if (first > bottom) return HYMG_OK;
  if (tail < first && tail < bottom) h->placement.tail_from = first;
  hymgi_coarse_lists *const t = *lists = (hymgi_coarse_lists *)calloc(1, sizeof *t);
  if (!t) return hymgi_fail(context, HYMG_ENOMEM, "no memory for the coarse end");
  t->first = first;
  t->last = bottom;
  t->arena = arena;
  t->method = h->method;
  /* of all these levels: a finest level with fewer is too large to be one of them, and on the robust path
   * the bottom is what counts */
  t->method.sweeps = hymgi_sweeps(h->level + bottom);
  size_t room = COARSE_LEVELS * sizeof(coarse_level);
  for (int l = first; l <= bottom; l++)
    room += room_for_lists(h->level + l);
  pile p = {(char *)calloc(1, room), 0};
  if (!p.bytes) return hymgi_fail(context, HYMG_ENOMEM, "no memory for lists of cells");
  const hymg_status status = make_lists(&p, h->level + first, t);
  free(p.bytes);
  t->red_black = hymgi_coarse_red_black(h, t);
  if (status == HYMG_OK && tail < first && hymgi_coarse_octants(h, t) &&
      applies(h, first - 1, 8 * (ptrdiff_t)COARSE_THREADS)) {
    TRY(hymgi_coarse_make_octants(h->level + first - 1, t));
    h->placement.tail_from = first - 1;
  }
  return status;
}

void hymgi_coarse_destroy(hymg_context *context, hymgi_coarse_lists **lists)
{
  if (!*lists) return;
  if ((*lists)->octants)
    hymgi_device_memory.release(context, (*lists)->octants, (*lists)->octants_doubles);
  if ((*lists)->memory) hymgi_device_memory.release(context, (*lists)->memory, (*lists)->doubles);
  free(*lists);
  *lists = NULL;
}
