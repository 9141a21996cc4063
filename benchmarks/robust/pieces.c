/* Pieces of a grid, cells joined by conductances, for the matrix of another solver: those that nothing holds, and the means of
 * the right-hand side over them. */
#include "robust/hymg-robust.h"

#include <math.h>
#include <stdlib.h>

typedef struct search {
  const robust_problem *p;
  robust_pieces *found; /* mean NaN: not seen yet */
  size_t *order, seen;
} search;

static void cell_at(const int n[3], size_t index, int cell[3])
{
  cell[0] = (int)(index % (size_t)n[0]);
  cell[1] = (int)(index / (size_t)n[0] % (size_t)n[1]);
  cell[2] = (int)(index / (size_t)n[0] / (size_t)n[1]);
}

double robust_alpha_at(const robust_problem *p, const int cell[3])
{
  const double factor = p->options->cut == ROBUST_CUT_HELD ? 1 : p->options->alpha;
  return factor * (p->alpha ? p->alpha[robust_index(p->options->n, cell)] : 1);
}

double robust_volume(const robust_problem *p, const int cell[3])
{
  return p->width[0][cell[0]] * p->width[1][cell[1]] * p->width[2][cell[2]];
}

static void meet(search *s, size_t index)
{
  if (!isnan(s->found->mean[index])) return;
  s->found->mean[index] = 0;
  s->order[s->seen++] = index;
}

/* Its neighbours; true: a boundary or alpha holds it. */
static bool look_around(search *s, const int cell[3])
{
  const robust_options *o = s->p->options;
  bool held = robust_alpha_at(s->p, cell) > 0;
  for (int side = 0; side < 6; side++) {
    const int axis = side / 2, up = side % 2, n = o->n[axis];
    int face[3] = {cell[0], cell[1], cell[2]}, next[3] = {cell[0], cell[1], cell[2]};
    face[axis] += up;
    next[axis] += up ? 1 : -1;
    const bool beyond = next[axis] < 0 || next[axis] == n;
    if (robust_conductance(s->p, axis, face) == 0) continue;
    if (beyond && o->boundary[2 * axis] != HYMG_PERIODIC)
      held = true;
    else
      next[axis] = (next[axis] + n) % n, meet(s, robust_index(o->n, next));
  }
  return held;
}

static void find_piece(search *s, size_t first)
{
  const size_t begin = s->seen;
  double sum = 0, volume = 0;
  bool held = false;
  meet(s, first);
  for (size_t at = begin; at < s->seen; at++) {
    int cell[3];
    cell_at(s->p->options->n, s->order[at], cell);
    held = look_around(s, cell) || held;
    sum += s->p->rhs[s->order[at]] * robust_volume(s->p, cell);
    volume += robust_volume(s->p, cell);
  }
  for (size_t at = begin; at < s->seen && !held; at++)
    s->found->mean[s->order[at]] = sum / volume;
  s->found->loose[first] = !held;
}

bool robust_find_pieces(const robust_problem *p, robust_pieces *found)
{
  const int *n = p->options->n;
  const size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  *found =
      (robust_pieces){malloc(cells * sizeof *found->mean), calloc(cells, sizeof *found->loose)};
  search s = {p, found, malloc(cells * sizeof *s.order), 0};
  const bool ok = found->mean && found->loose && s.order;
  for (size_t q = 0; q < cells && ok; q++)
    found->mean[q] = NAN;
  for (size_t q = 0; q < cells && ok; q++)
    if (isnan(found->mean[q])) find_piece(&s, q);
  free(s.order);
  return ok;
}

void robust_free_pieces(robust_pieces *found)
{
  free(found->mean);
  free(found->loose);
}
