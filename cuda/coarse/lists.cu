/* The lists that the coarse end works from. The host makes them once a solver's coefficients are
 * set, in one allocation of device memory. */
#include <stdlib.h>
#include <string.h>

#include "coarse/lists.h"

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
size_t list_cells(hymgi_pile *p, const hymgi_level *level, const hymgi_level *finer, int *reds)
{
  const hymgi_geom *g = level->box;
  const size_t at = hymgi_pile_grow(p, (size_t)level->cells * sizeof(coarse_cell));
  if (p->failed) return 0;
  coarse_cell *next = (coarse_cell *)(p->bytes + at);
  for (int colour = 0; colour < 2; colour++) {
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = hymgi_first(g, colour, j, k); i < g->n[0]; i += 2, next++) {
          const int ijk[3] = {i, j, k};
          next->at = hymgi_coarse_at(g, i, j, k);
          next->field = (int)hymgi_at(g, i, j, k);
          next->child = finer ? hymgi_coarse_at(finer->box, 2 * i, 2 * j, 2 * k) : 0;
          next->sides = sides_of(level, ijk);
        }
    if (colour == 0) *reds = (int)(next - (coarse_cell *)(p->bytes + at));
  }
  return at;
}

/* ---- levels ---- */

/* Offsets in the pile, which may still move. */
struct level_lists {
  size_t cell, operator_ghosts, v_ghosts, f_ghosts, data, chebyshev;
};

/* False where an FV2 cell has a neighbour of its own colour: on a periodic axis of odd length. */
bool keeps_colours_apart(const hymgi_level *level)
{
  for (int axis = 0; axis < 3; axis++)
    if (level->periodic >> axis & 1 && level->n[axis] % 2) return false;
  return level->method->stencil == HYMG_FV2;
}

/* Length of a vector in the arena. */
int size_of(const hymgi_geom *g)
{
  return hymgi_coarse_at(g, -g->ghost, -g->ghost, g->n[2] + g->ghost);
}

void describe(coarse_level *t, const hymgi_level *level)
{
  const hymgi_geom *g = level->box;
  const hymgi_coefficients *c = &level->c;
  t->cells = (int)level->cells;
  t->team = level->cells <= COARSE_WARP ? (int)COARSE_WARP : (int)COARSE_THREADS;
  t->row = g->n[0] + 2 * g->ghost;
  t->plane = t->row * (g->n[1] + 2 * g->ghost);
  t->size = size_of(g);
  t->wrap[0] = g->n[0] - 1;
  t->wrap[1] = (g->n[1] - 1) * t->row;
  t->wrap[2] = (g->n[2] - 1) * t->plane;
  t->parity = g->parity;
  t->in_place = keeps_colours_apart(level);
  t->bits = hymgi_sum_bits(level->cells);
  memcpy(t->boundary_ghost, c->boundary_ghost, sizeof t->boundary_ghost);
  memcpy(t->beta, c->beta_constant, sizeof t->beta);
  t->field_f = level->own_f;
}

level_lists list_level(hymgi_pile *p, const hymgi_level *level, bool has_finer, coarse_level *t)
{
  const hymgi_method *m = level->method;
  const hymgi_ghosts v = (hymgi_ghosts)m->interpolation_v, f = (hymgi_ghosts)m->interpolation_f;
  level_lists l = {};
  size_t unused;
  describe(t, level);
  l.chebyshev = hymgi_pile_grow(p, sizeof level->chebyshev);
  if (!p->failed) memcpy(p->bytes + l.chebyshev, level->chebyshev, sizeof level->chebyshev);
  l.cell = list_cells(p, level, has_finer ? level - 1 : NULL, &t->reds);
  if (m->stencil == HYMG_FV4)
    l.operator_ghosts = hymgi_coarse_list_ghosts(p, level, HYMGI_GHOSTS_V4, false, false,
                                                 t->operator_ghosts.end, &unused);
  if (!has_finer) return l;
  l.v_ghosts = hymgi_coarse_list_ghosts(p, level, v, true, false, t->v_ghosts.end, &unused);
  l.f_ghosts = hymgi_coarse_list_ghosts(p, level, f, true, true, t->f_ghosts.end, &l.data);
  return l;
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

bool applies(const hymgi_hierarchy *h, int l)
{
  const hymgi_level *level = h->level + l;
  const bool bottom = l == h->num_levels - 1;
  return level->backend->id == HYMG_BACKEND_CUDA && level->num_boxes == 1 && level->ranks == 1 &&
         level->cells <= COARSE_THREADS && (bottom || level->direct) &&
         level->method->smoother != HYMG_SYMGS && sends_nothing(level);
}

ptrdiff_t num_coefficient_rows(const hymgi_method *m)
{
  if (m->stencil == HYMG_FV2) return COARSE_TANGENT;
  return m->variable_beta ? COARSE_ROWS : COARSE_BETA;
}

coarse_method method_of(const hymgi_method *m)
{
  coarse_method t = {};
  t.stencil = m->stencil;
  t.smoother = m->smoother;
  t.sweeps = m->sweeps;
  t.interpolation_v = m->interpolation_v;
  t.interpolation_f = m->interpolation_f;
  t.variable = m->variable_beta;
  t.has_alpha = m->has_alpha;
  t.singular = m->singular;
  return t;
}

/* Doubles of the arena that a level needs: x, y and f, and the vectors of the
 * communication-avoiding solvers. The other solvers keep theirs in registers. */
int room_for(const hymgi_hierarchy *h, int l)
{
  const hymg_bottom bottom = h->options.bottom;
  const bool avoids = l == h->num_levels - 1 && (bottom == HYMG_CABICGSTAB || bottom == HYMG_CACG);
  return (3 + (avoids ? hymgi_bottom_vectors(bottom) : 0)) * size_of(h->level[l].box);
}

/* A coarse end under construction. */
struct draft {
  const hymgi_level *first; /* of the levels of the coarse end */
  int count;
  hymgi_pile p;
  coarse_level level[COARSE_LEVELS];
  level_lists lists[COARSE_LEVELS];
};

/* Turns offsets in the pile into device pointers; the rows of coefficients follow the lists. */
void lay_out(draft *d, double *memory)
{
  const char *const base = (const char *)memory;
  double *next = memory + d->p.size / sizeof(double);
  for (int l = 0; l < d->count; l++) {
    coarse_level *t = d->level + l;
    const level_lists *lists = d->lists + l;
    t->cell = (const coarse_cell *)(base + lists->cell);
    t->operator_ghosts.ghost = (const coarse_ghost *)(base + lists->operator_ghosts);
    t->v_ghosts.ghost = (const coarse_ghost *)(base + lists->v_ghosts);
    t->f_ghosts.ghost = (const coarse_ghost *)(base + lists->f_ghosts);
    t->data = (const double *)(base + lists->data);
    t->chebyshev = (const double *)(base + lists->chebyshev);
    t->coefficients = next;
    next += num_coefficient_rows(d->first->method) * t->cells;
  }
}

/* The vectors follow the small matrices of the communication-avoiding solvers, whose own vectors
 * come last. */
void place_vectors(draft *d)
{
  int at = COARSE_BASIS;
  for (coarse_level *t = d->level; t < d->level + d->count; t++, at = t[-1].krylov_at) {
    t->x_at = at;
    t->y_at = t->x_at + t->size;
    t->f_at = t->y_at + t->size;
    t->krylov_at = t->f_at + t->size;
  }
}

hymg_status make_lists(draft *d)
{
  const size_t at = hymgi_pile_grow(&d->p, sizeof d->level); /* the descriptions come first */
  for (int l = 0; l < d->count && !d->p.failed; l++)
    d->lists[l] = list_level(&d->p, d->first + l, l > 0, d->level + l);
  hymgi_pile_grow(&d->p, 16 - d->p.size % 16);
  if (!d->p.failed && at == 0) return HYMG_OK;
  return hymgi_fail(d->first->context, HYMG_ENOMEM, "no memory for lists of cells");
}

hymg_status upload(draft *d, hymgi_coarse_lists *lists)
{
  hymg_context *const context = d->first->context;
  const hymgi_backend *backend = d->first->backend;
  const size_t listed = d->p.size / sizeof(double);
  lists->doubles = listed;
  for (int l = 0; l < d->count; l++)
    lists->doubles += (size_t)num_coefficient_rows(d->first->method) * (size_t)d->level[l].cells;
  TRY(hymgi_device_memory.alloc(context, lists->doubles, &lists->memory));
  lay_out(d, lists->memory);
  place_vectors(d);
  memcpy(d->p.bytes, d->level, sizeof d->level);
  backend->copy(context, (const double *)d->p.bytes, lists->memory, listed);
  for (int l = 0; l < d->count; l++)
    hymgi_coarse_fill_coefficients(d->first + l, d->level[l].cell,
                                   (double *)d->level[l].coefficients);
  lists->level = (const coarse_level *)lists->memory;
  return context->status;
}

} /* namespace */

hymg_status hymgi_coarse_create(hymgi_hierarchy *h, hymgi_coarse_lists **lists)
{
  hymg_context *const context = h->context;
  const int bottom = h->num_levels - 1, wanted = h->placement.tail_from;
  int first = bottom + 1, most = 0, arena = COARSE_BASIS;
  *lists = NULL;
  TRY(hymgi_coarse_arena(context, &most));
  while (first > 0 && (first > bottom || first > wanted) && applies(h, first - 1) &&
         arena + room_for(h, first - 1) <= most)
    arena += room_for(h, --first);
  if (first > bottom) return HYMG_OK;
  if (wanted < first && wanted < bottom) h->placement.tail_from = first;
  hymgi_coarse_lists *const t = *lists = (hymgi_coarse_lists *)calloc(1, sizeof *t);
  if (!t) return hymgi_fail(context, HYMG_ENOMEM, "no memory for the coarse end");
  t->first = first;
  t->last = bottom;
  t->arena = arena;
  t->method = method_of(&h->method);
  draft d = {};
  d.first = h->level + first;
  d.count = bottom - first + 1;
  hymg_status status = make_lists(&d);
  if (status == HYMG_OK) status = upload(&d, t);
  free(d.p.bytes);
  return status;
}

void hymgi_coarse_destroy(hymg_context *context, hymgi_coarse_lists **lists)
{
  if (!*lists) return;
  if ((*lists)->memory) hymgi_device_memory.release(context, (*lists)->memory, (*lists)->doubles);
  free(*lists);
  *lists = NULL;
}
