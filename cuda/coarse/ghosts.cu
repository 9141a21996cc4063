/* The lists of a coarse-end level's ghosts and of how each is filled. */
#include <stdlib.h>
#include <string.h>

#include "coarse/lists.h"

extern "C" {
#include "formulas/extrapolation.h"
#include "multigrid/boundary_data.h"
}

/* ---- a growing block of bytes ---- */

size_t hymgi_pile_grow(hymgi_pile *p, size_t size)
{
  const size_t at = (p->size + 15) / 16 * 16;
  if (at + size > p->capacity) {
    const size_t capacity = 2 * (at + size);
    void *const grown = realloc(p->bytes, capacity);
    if (!grown) {
      p->failed = true;
      return 0;
    }
    p->bytes = (char *)grown;
    memset(p->bytes + p->capacity, 0, capacity - p->capacity);
    p->capacity = capacity;
  }
  p->size = at + size;
  return at;
}

/* ---- ghosts ---- */

int hymgi_coarse_at(const hymgi_geom *g, int i, int j, int k)
{
  const int width = g->n[0] + 2 * g->ghost, height = g->n[1] + 2 * g->ghost;
  return (i + g->ghost) + width * ((j + g->ghost) + height * (k + g->ghost));
}

namespace
{

struct ghost_list {
  hymgi_pile items, data; /* of coarse_ghost; of double */
  const hymgi_level *level;
  hymgi_ghosts order;
  int layers;
  bool corners, with_data;
};

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
  const hymgi_boundary_data *boundaries = l->with_data ? l->level->boundaries : NULL;
  const double *const value = boundaries ? boundaries->value[face] : NULL;
  if (!value) return 0;
  const double factor = hymgi_data_weight(boundary);
  const size_t at = l->data.size;
  hymgi_pile_grow(&l->data, 2 * sizeof(double)); /* the pile aligns to 16 bytes */
  if (l->data.failed) return 0;
  *(double *)(l->data.bytes + at) = factor * value[hymgi_boundary_at(l->level->box, face, ijk)];
  return (unsigned)(at / sizeof(double)) + 1;
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
  coarse_ghost ghost = {hymgi_coarse_at(g, ijk[0], ijk[1], ijk[2]), 0, 0, HYMGI_MIRROR_GHOST};
  if (kind->boundaries > 0) {
    const int axis = kind->first_boundary, high = ijk[axis] >= g->n[axis], face = 2 * axis + high;
    const int width = g->n[0] + 2 * g->ghost, height = g->n[1] + 2 * g->ghost;
    const int stride = axis == 0 ? 1 : axis == 1 ? width : width * height;
    const hymgi_extrapolation boundary = hymgi_extrapolation_of(level, face, l->order);
    const bool two = l->layers == 2 && (l->corners || kind->outside == 1);
    ghost.step = high ? -stride : stride;
    ghost.what =
        ((unsigned)boundary & 15u) | (two ? 16u : 0u) | list_data(l, face, boundary, ijk) << 5;
    from[axis] = high ? g->n[axis] - 1 : 0;
  }
  ghost.from = hymgi_coarse_at(g, from[0], from[1], from[2]);
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
void list_pass(ghost_list *l, int boundaries)
{
  const int *n = l->level->n, d = l->layers;
  int ijk[3];
  for (ijk[2] = -d; ijk[2] < n[2] + d; ijk[2]++)
    for (ijk[1] = -d; ijk[1] < n[1] + d; ijk[1]++)
      for (ijk[0] = -d; ijk[0] < n[0] + d; ijk[0]++) {
        const ghost_kind kind = kind_of(l->level, ijk);
        const int pass = kind.boundaries > 1 ? kind.boundaries : 1;
        if (pass != boundaries || !is_listed(l, ijk, &kind)) continue;
        const coarse_ghost ghost = ghost_of(l, ijk, &kind);
        const size_t at = hymgi_pile_grow(&l->items, sizeof ghost);
        if (l->items.failed) return;
        memcpy(l->items.bytes + at, &ghost, sizeof ghost);
      }
}

size_t append_ghosts(hymgi_pile *p, hymgi_pile *from)
{
  const size_t at = hymgi_pile_grow(p, from->size);
  p->failed = p->failed || from->failed;
  if (!p->failed && from->size) memcpy(p->bytes + at, from->bytes, from->size);
  free(from->bytes);
  return at;
}

} /* namespace */

size_t hymgi_coarse_list_ghosts(hymgi_pile *p, const hymgi_level *level, hymgi_ghosts order,
                                bool corners, bool with_data, int end[3], size_t *data_at)
{
  ghost_list l = {};
  l.level = level;
  l.order = order;
  l.layers = order == HYMGI_GHOSTS_V4 ? 2 : 1;
  l.corners = corners;
  l.with_data = with_data;
  for (int boundaries = 1; order != HYMGI_GHOSTS_P0 && boundaries <= 3; boundaries++) {
    list_pass(&l, boundaries);
    end[boundaries - 1] = (int)(l.items.size / sizeof(coarse_ghost));
  }
  const size_t at = append_ghosts(p, &l.items), data = append_ghosts(p, &l.data);
  if (with_data) *data_at = data;
  return at;
}
