/* Which ghosts a level of the tail has and what closes each, as lists. */
#include <stdlib.h>
#include <string.h>

#include "coarse/lists.h"

extern "C" {
#include "formulas/extrapolation.h"
#include "hierarchy/boundary_data.h"
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

int hymgi_tail_at(const hymgi_geom *g, int i, int j, int k)
{
  const int width = g->n[0] + 2 * g->ghost, height = g->n[1] + 2 * g->ghost;
  return (i + g->ghost) + width * ((j + g->ghost) + height * (k + g->ghost));
}

namespace
{

struct ghost_list {
  hymgi_pile items, data; /* tail_ghost; double */
  const hymgi_level *level;
  hymgi_ghosts order;
  int layers;
  bool corners, with_data;
};

bool is_outside(const hymgi_geom *g, const int ijk[3], int axis)
{
  return ijk[axis] < 0 || ijk[axis] >= g->n[axis];
}

/* Axes along which the position is a ghost: their number, that of those with a wall, and the first
 * of these. */
struct ghost_kind {
  int outside, walls, first_wall;
  bool second; /* in the second layer of an axis */
};

ghost_kind kind_of(const hymgi_level *level, const int ijk[3])
{
  ghost_kind kind = {0, 0, 0, false};
  for (int axis = 2; axis >= 0; axis--) {
    if (!is_outside(level->box, ijk, axis)) continue;
    kind.outside++;
    kind.second = kind.second || ijk[axis] < -1 || ijk[axis] > level->n[axis];
    if (level->periodic >> axis & 1) continue;
    kind.walls++;
    kind.first_wall = axis;
  }
  return kind;
}

int wrapped(const hymgi_level *level, int axis, int at)
{
  const int n = level->n[axis];
  return level->periodic >> axis & 1 ? (at % n + n) % n : at;
}

/* Index + 1 of the wall's data for a ghost of its first layer; 0: none. */
unsigned list_data(ghost_list *l, int face, hymgi_wall wall, const int ijk[3])
{
  const hymgi_walls *walls = l->with_data ? l->level->walls : NULL;
  const double *const value = walls ? walls->value[face] : NULL;
  if (!value) return 0;
  const double factor = wall == HYMGI_WALL_V2 ? 3 : wall == HYMGI_WALL_V1 ? 2 : 1;
  const size_t at = l->data.size;
  hymgi_pile_grow(&l->data, 2 * sizeof(double)); /* the pile keeps to 16 bytes */
  if (l->data.failed) return 0;
  *(double *)(l->data.bytes + at) = factor * value[hymgi_wall_at(l->level->box, face, ijk)];
  return (unsigned)(at / sizeof(double)) + 1;
}

/* A ghost that lies across periodic axes alone is a copy; else the first axis with a wall closes,
 * from cells that are wrapped along periodic axes. */
tail_ghost ghost_of(ghost_list *l, const int ijk[3], const ghost_kind *kind)
{
  const hymgi_level *level = l->level;
  const hymgi_geom *g = level->box;
  int from[3];
  for (int axis = 0; axis < 3; axis++)
    from[axis] = wrapped(level, axis, ijk[axis]);
  tail_ghost ghost = {hymgi_tail_at(g, ijk[0], ijk[1], ijk[2]), 0, 0, HYMGI_WALL_MIRROR};
  if (kind->walls > 0) {
    const int axis = kind->first_wall, high = ijk[axis] >= g->n[axis], face = 2 * axis + high;
    const int width = g->n[0] + 2 * g->ghost, height = g->n[1] + 2 * g->ghost;
    const int stride = axis == 0 ? 1 : axis == 1 ? width : width * height;
    const hymgi_wall wall = hymgi_host_wall(level, face, l->order);
    const bool two = l->layers == 2 && (l->corners || kind->outside == 1);
    ghost.step = high ? -stride : stride;
    ghost.what = ((unsigned)wall & 15u) | (two ? 16u : 0u) | list_data(l, face, wall, ijk) << 5;
    from[axis] = high ? g->n[axis] - 1 : 0;
  }
  ghost.from = hymgi_tail_at(g, from[0], from[1], from[2]);
  return ghost;
}

bool is_listed(const ghost_list *l, const int ijk[3], const ghost_kind *kind)
{
  if (kind->outside == 0) return false;
  if (!l->corners && (kind->outside > 2 || (kind->outside == 2 && kind->second))) return false;
  if (kind->walls == 0) return true;
  const int axis = kind->first_wall; /* its closure writes both layers */
  return ijk[axis] == -1 || ijk[axis] == l->level->n[axis];
}

/* Those with `walls` walls. */
void list_pass(ghost_list *l, int walls)
{
  const int *n = l->level->n, d = l->layers;
  int ijk[3];
  for (ijk[2] = -d; ijk[2] < n[2] + d; ijk[2]++)
    for (ijk[1] = -d; ijk[1] < n[1] + d; ijk[1]++)
      for (ijk[0] = -d; ijk[0] < n[0] + d; ijk[0]++) {
        const ghost_kind kind = kind_of(l->level, ijk);
        const int pass = kind.walls > 1 ? kind.walls : 1;
        if (pass != walls || !is_listed(l, ijk, &kind)) continue;
        const tail_ghost ghost = ghost_of(l, ijk, &kind);
        const size_t at = hymgi_pile_grow(&l->items, sizeof ghost);
        if (l->items.failed) return;
        memcpy(l->items.bytes + at, &ghost, sizeof ghost);
      }
}

size_t append(hymgi_pile *p, hymgi_pile *from)
{
  const size_t at = hymgi_pile_grow(p, from->size);
  p->failed = p->failed || from->failed;
  if (!p->failed && from->size) memcpy(p->bytes + at, from->bytes, from->size);
  free(from->bytes);
  return at;
}

} /* namespace */

size_t hymgi_tail_list_ghosts(hymgi_pile *p, const hymgi_level *level, hymgi_ghosts order,
                              bool corners, bool with_data, int end[3], size_t *data_at)
{
  ghost_list l = {};
  l.level = level;
  l.order = order;
  l.layers = order == HYMGI_GHOSTS_V4 ? 2 : 1;
  l.corners = corners;
  l.with_data = with_data;
  for (int walls = 1; order != HYMGI_GHOSTS_P0 && walls <= 3; walls++) {
    list_pass(&l, walls);
    end[walls - 1] = (int)(l.items.size / sizeof(tail_ghost));
  }
  const size_t at = append(p, &l.items), data = append(p, &l.data);
  if (with_data) *data_at = data;
  return at;
}
