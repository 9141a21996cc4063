/* The lists of the coarse end's ghosts, and the block of memory that holds all lists; for lists.cu. */
#ifndef HYMGI_COARSE_GHOST_LISTS_CUH
#define HYMGI_COARSE_GHOST_LISTS_CUH

#include <string.h>

#include "coarse/coarse.h"

extern "C" {
#include "formulas/extrapolation.h"
#include "multigrid/boundary_data.h"
}

namespace
{

/* ---- a block of memory with room for all lists ---- */

struct pile {
  char *bytes;
  size_t size;
};

/* Appends room for `count` items, aligned to 16 bytes. */
template <typename T> T *append(pile *p, size_t count)
{
  T *const there = (T *)(void *)(p->bytes + p->size);
  p->size += (count * sizeof(T) + 15) / 16 * 16;
  return there;
}

/* Cells and ghosts of a box, two layers of them. */
size_t most_places(const hymgi_geom *g)
{
  return (size_t)(g->n[0] + 4) * (size_t)(g->n[1] + 4) * (size_t)(g->n[2] + 4);
}

/* Bytes of a level's lists at most: cells, four lists of ghosts, boundary data. */
size_t room_for_lists(const hymgi_level *level)
{
  return most_places(level->box) * (sizeof(coarse_cell) + 4 * sizeof(coarse_ghost) + 16) +
         sizeof level->sweep_weights + 16;
}

/* ---- ghosts ---- */

/* Position of the cell or ghost (i, j, k) of a box in a vector of the coarse end. */
int coarse_at(const hymgi_geom *g, int i, int j, int k)
{
  const int width = coarse_row_of(g), height = g->n[1] + 2 * g->ghost;
  return (i + g->ghost) + width * ((j + g->ghost) + height * (k + g->ghost));
}

struct ghost_list {
  const hymgi_level *level;
  hymgi_ghosts order;
  bool corners;
  const hymgi_boundary_data *boundaries; /* NULL: without their data */
  double *data;
  size_t data_count;
};

int layers_of(const ghost_list *l)
{
  return l->order == HYMGI_GHOSTS_V4 ? 2 : 1;
}

bool is_outside(const hymgi_geom *g, const int ijk[3], int axis)
{
  return ijk[axis] < 0 || ijk[axis] >= g->n[axis];
}

/* The number of axes along which the position is outside the box, how many of these have a
 * boundary, and the first that does. */
struct ghost_kind {
  int outside, boundaries, first_boundary;
  bool second; /* in the second ghost layer of an axis */
};

ghost_kind kind_of(const hymgi_level *level, const int ijk[3])
{
  ghost_kind kind = {0, 0, 0, false};
  for (int axis = 2; axis >= 0; axis--) {
    if (!is_outside(level->box, ijk, axis)) continue;
    kind.outside++;
    kind.second = kind.second || ijk[axis] < -1 || ijk[axis] > level->n[axis];
    if (level->periodic >> axis & 1) continue;
    kind.boundaries++;
    kind.first_boundary = axis;
  }
  return kind;
}

int wrapped(const hymgi_level *level, int axis, int at)
{
  const int n = level->n[axis];
  return level->periodic >> axis & 1 ? (at % n + n) % n : at;
}

/* 1 + index of the boundary data for a ghost of the first layer; 0: none. */
unsigned list_data(ghost_list *l, int face, hymgi_extrapolation boundary, const int ijk[3])
{
  const double *const value = l->boundaries ? l->boundaries->value[face] : NULL;
  if (!value) return 0;
  l->data[l->data_count] =
      hymgi_data_weight(boundary) * value[hymgi_boundary_at(l->level->box, face, ijk)];
  return (unsigned)++l->data_count;
}

/* A ghost beyond periodic axes only is a copy; otherwise it is extrapolated along the first axis
 * that has a boundary, from cells wrapped along the periodic axes. */
coarse_ghost ghost_of(ghost_list *l, const int ijk[3], const ghost_kind *kind)
{
  const hymgi_level *level = l->level;
  const hymgi_geom *g = level->box;
  int from[3];
  for (int axis = 0; axis < 3; axis++)
    from[axis] = wrapped(level, axis, ijk[axis]);
  coarse_ghost ghost = {coarse_at(g, ijk[0], ijk[1], ijk[2]), 0, 0, HYMGI_MIRROR_GHOST};
  if (kind->boundaries > 0) {
    const int axis = kind->first_boundary, high = ijk[axis] >= g->n[axis], face = 2 * axis + high;
    const int width = coarse_row_of(g), height = g->n[1] + 2 * g->ghost;
    const int stride = axis == 0 ? 1 : axis == 1 ? width : width * height;
    const hymgi_extrapolation boundary = hymgi_extrapolation_of(level, face, l->order);
    const bool two = layers_of(l) == 2 && (l->corners || kind->outside == 1);
    ghost.step = high ? -stride : stride;
    ghost.what =
        ((unsigned)boundary & 15u) | (two ? 16u : 0u) | list_data(l, face, boundary, ijk) << 5;
    from[axis] = high ? g->n[axis] - 1 : 0;
  }
  ghost.from = coarse_at(g, from[0], from[1], from[2]);
  return ghost;
}

bool is_listed(const ghost_list *l, const int ijk[3], const ghost_kind *kind)
{
  if (kind->outside == 0) return false;
  if (!l->corners && (kind->outside > 2 || (kind->outside == 2 && kind->second))) return false;
  if (kind->boundaries == 0) return true;
  const int axis = kind->first_boundary; /* extrapolation along it fills both layers */
  return ijk[axis] == -1 || ijk[axis] == l->level->n[axis];
}

/* Lists the ghosts outside of `boundaries` boundaries; the first pass includes periodic copies. */
void list_pass(ghost_list *l, int boundaries, pile *p)
{
  const int *n = l->level->n, d = layers_of(l);
  int ijk[3];
  for (ijk[2] = -d; ijk[2] < n[2] + d; ijk[2]++)
    for (ijk[1] = -d; ijk[1] < n[1] + d; ijk[1]++)
      for (ijk[0] = -d; ijk[0] < n[0] + d; ijk[0]++) {
        const ghost_kind kind = kind_of(l->level, ijk);
        const int pass = kind.boundaries > 1 ? kind.boundaries : 1;
        if (pass == boundaries && is_listed(l, ijk, &kind))
          *append<coarse_ghost>(p, 1) = ghost_of(l, ijk, &kind);
      }
}

/* Lists the ghosts that an extrapolation of this order fills: all its layers, with corners or only
 * faces and edges; then the level's boundary data for them, unless data is NULL. */
void list_ghosts(pile *p, const hymgi_level *level, hymgi_ghosts order, bool corners,
                 coarse_extrapolation *to, const double **data)
{
  coarse_ghost *const ghost = append<coarse_ghost>(p, 0);
  ghost_list l = {level, order, corners, data ? level->boundaries : NULL, NULL, 0};
  l.data = (double *)(void *)(ghost + most_places(level->box)); /* beyond where the ghosts end */
  to->ghost = ghost;
  for (int pass = 0; order != HYMGI_GHOSTS_P0 && pass < 3; pass++) {
    list_pass(&l, pass + 1, p);
    to->end[pass] = (int)((coarse_ghost *)(void *)(p->bytes + p->size) - ghost);
  }
  if (data)
    *data =
        (double *)memmove(append<double>(p, l.data_count), l.data, l.data_count * sizeof *l.data);
}

/* The ghosts of quadratic interpolation, for red_black.cu and matrix_cycle.cuh. */
void list_products(pile *p, const hymgi_level *level, coarse_products *to)
{
  const hymgi_geom *g = level->box;
  coarse_product *const first = append<coarse_product>(p, 0);
  int ijk[3];
  to->ghost = first;
  for (ijk[2] = -1; ijk[2] <= g->n[2]; ijk[2]++)
    for (ijk[1] = -1; ijk[1] <= g->n[1]; ijk[1]++)
      for (ijk[0] = -1; ijk[0] <= g->n[0]; ijk[0]++) {
        if (kind_of(level, ijk).outside == 0) continue;
        int from[3];
        unsigned what = 0;
        for (int axis = 0; axis < 3; axis++) {
          from[axis] = wrapped(level, axis, ijk[axis]);
          if (from[axis] >= 0 && from[axis] < g->n[axis]) continue;
          const int high = from[axis] > 0, face = 2 * axis + high;
          const unsigned boundary =
              (unsigned)hymgi_extrapolation_of(level, face, HYMGI_GHOSTS_V2) & 15u;
          what |= boundary << 4 * axis | (unsigned)high << (12 + axis);
          from[axis] = high ? g->n[axis] - 1 : 0;
        }
        *append<coarse_product>(p, 1) = {coarse_at(g, ijk[0], ijk[1], ijk[2]),
                                         coarse_at(g, from[0], from[1], from[2]), 0, what};
      }
  to->count = (int)((coarse_product *)(void *)(p->bytes + p->size) - first);
}

} /* namespace */

#endif
