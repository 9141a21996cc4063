/* Sparse sources and values of alpha in some cells alone: what wells, held values and separate ponds make
 * of a system. */
#include "robust/hymg-robust.h"

#include <string.h>

static size_t num_cells(const robust_problem *p)
{
  const int *n = p->options->n;
  return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

static bool is_active(const robust_problem *p, size_t q)
{
  return p->beta[0][q] >= 1;
}

/* Of the cell in which a point with these coordinates from 0 to 1 is. */
static size_t cell_at(const robust_problem *p, double x, double y, double z)
{
  const int *n = p->options->n;
  const size_t i = (size_t)(x * n[0]), j = (size_t)(y * n[1]), k = (size_t)(z * n[2]);
  return (k * (size_t)n[1] + j) * (size_t)n[0] + i;
}

static bool has_alpha(const robust_problem *p, size_t q)
{
  switch (p->options->alpha_in) {
  case ROBUST_IN_CELL:
    return q == cell_at(p, 0.5, 0.5, 0.5);
  case ROBUST_IN_PLANE:
    return q % (size_t)p->options->n[0] == 0;
  case ROBUST_IN_CELLS:
    return q * 2654435761u % 4294967296u < 42949673u; /* 1 % of the cells */
  case ROBUST_IN_ACTIVE:
    return is_active(p, q);
  default:
    return false;
  }
}

void robust_place_alpha(robust_problem *p)
{
  size_t last = 0;
  if (p->options->alpha_in == ROBUST_IN_ALL) return;
  for (size_t q = 0; q < num_cells(p); q++) {
    p->alpha[q] = has_alpha(p, q);
    if (is_active(p, q)) last = q;
  }
  if (p->options->alpha_in != ROBUST_IN_SINK) return;
  for (size_t q = 0; q < num_cells(p); q++)
    p->alpha[q] = is_active(p, q) ? 0 : 1 / p->options->alpha;
  p->alpha[last] = 1;
}

void robust_place_rhs(robust_problem *p)
{
  const robust_options *o = p->options;
  const size_t cells = num_cells(p);
  size_t at = cell_at(p, 0.37, 0.61, 0.43);
  if (o->rhs == ROBUST_RHS_POINT) {
    while (!is_active(p, at))
      at = (at + 1) % cells;
    memset(p->rhs, 0, cells * sizeof *p->rhs);
    p->rhs[at] = 1;
  }
  for (size_t q = 0; q < cells && o->rhs == ROBUST_RHS_ACTIVE; q++)
    p->rhs[q] = is_active(p, q) ? p->rhs[q] - 1 : 0;
  for (size_t q = 0; q < cells && o->hold != 0; q++)
    if (p->alpha[q] > 0) p->rhs[q] = o->alpha * o->hold;
}
