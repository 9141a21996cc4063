/* The robust path (docs/numerics.md): equations integrated over cells, C x + sum T (x - x_nb) = V f,
 * with the conductance T of each face; coarsening by axis. Shared by CPU and GPU: the formulas, and
 * what the set-up computes for one cell. */
#ifndef HYMGI_FORMULAS_CONDUCTANCE_H
#define HYMGI_FORMULAS_CONDUCTANCE_H

#include <stdbool.h>

#include "formulas/fma.h"
#include "multigrid/transfer.h"

/* Quotients are computed before it is decided whether they are used: a CPU vectorises loops without
 * branches only. */

/* Resistance from a cell to its parent's centre; t: conductance between the two children. 0 without a
 * sibling, infinite if nothing connects the two. */
HYMGI_INLINE hymgi_real hymgi_resistance(hymgi_real part, hymgi_real t)
{
  const hymgi_real resistance = part / t;
  return part == 0 ? 0 : resistance;
}

/* Weight of the coarse neighbour in the interpolation to a cell: the potential falls along the
 * resistances parent - cell - face - neighbour's nearest child - neighbour. t: of the face, 0 where
 * nothing flows; beyond a Dirichlet boundary the outer resistance is 0. A cell that is not connected with its
 * sibling takes the neighbour's value or, where the nearest child of that is not either, half of it. */
HYMGI_INLINE hymgi_real hymgi_neighbour_weight(hymgi_real inner, hymgi_real t, hymgi_real outer)
{
  const hymgi_real weight = inner / ((inner + 1 / t) + outer),
                   apart = isinf(outer) ? (hymgi_real)0.5 : (hymgi_real)1;
  return t == 0 || inner == 0 ? 0 : isinf(inner) ? apart : weight;
}

/* The weight of an axis whose coupling is weak compared with the largest of the coarsened ones is
 * reduced: a cell of a thin conducting sheet must not leave its neighbours in the sheet. */
HYMGI_INLINE hymgi_real hymgi_damped_weight(hymgi_real weight, hymgi_real coupling,
                                            hymgi_real largest)
{
  const hymgi_real damped = weight * (2 * coupling / largest);
  return 2 * coupling < largest ? damped : weight;
}

/* The two together; the tensor interpolation's weights are not reduced. */
HYMGI_INLINE hymgi_real hymgi_weight_between(bool tensor, hymgi_real inner, hymgi_real t,
                                             hymgi_real outer, hymgi_real coupling,
                                             hymgi_real largest)
{
  const hymgi_real weight = hymgi_neighbour_weight(inner, t, outer);
  return tensor ? weight : hymgi_damped_weight(weight, coupling, largest);
}

/* The part of a cell's residual that its own parent gets; weights of axes that are not coarsened
 * are 0. */
HYMGI_INLINE hymgi_real hymgi_kept_part(hymgi_real wx, hymgi_real wy, hymgi_real wz)
{
  return ((1 - wx) - wy) - wz;
}

/* One of the factors, for an axis each, of what a cell's residual gives to a coarse cell with the
 * tensor interpolation; weight: of the cell; outside: the cell is next to the coarse cell's
 * children. */
HYMGI_INLINE hymgi_real hymgi_tensor_factor(bool halved, bool outside, hymgi_real weight)
{
  return !halved ? 1 : outside ? weight : 1 - weight;
}

/* The tensor interpolation along one axis. */
HYMGI_INLINE hymgi_real hymgi_between(hymgi_real weight, hymgi_real own, hymgi_real next)
{
  return hymgi_fma(weight, next - own, own);
}

/* A coarse cell's sum: cells of both children (odd: of the last, single child 0), and what the
 * nearest cells below and above along x give to it. */
HYMGI_INLINE hymgi_real hymgi_coarse_sum(hymgi_real even, hymgi_real odd, hymgi_real below,
                                         hymgi_real above)
{
  return (even + odd) + (below + above);
}

/* ---- the set-up, a cell at a time; cell (i, j, k) is that of box g ---- */

/* A level by value. */
typedef struct hymgi_conductances {
  const hymgi_real *beta[3];
  unsigned coarsened;
  bool tensor;
} hymgi_conductances;

static inline hymgi_conductances hymgi_conductances_of(const hymgi_level *level)
{
  const hymgi_conductances c = {{level->c.beta[0], level->c.beta[1], level->c.beta[2]},
                                level->coarsened,
                                level->transfer->series};
  return c;
}

/* Conductance of the low (side 0) or high (1) face of a cell along an axis. */
HYMGI_INLINE hymgi_real hymgi_face(const hymgi_conductances *c, const hymgi_geom *g, int axis,
                                   int side, int i, int j, int k)
{
  return c->beta[axis][hymgi_at(g, i + (axis == 0 ? side : 0), j + (axis == 1 ? side : 0),
                                k + (axis == 2 ? side : 0))];
}

/* Does the low (side 0) or high (1) face of the cell with this index lie on a domain boundary? */
HYMGI_INLINE bool hymgi_ends(const hymgi_geom *g, int axis, int side, int index)
{
  return (g->boundaries >> (2 * axis + side) & 1) && index == (side ? g->n[axis] - 1 : 0);
}

/* Does a cell with this index along an axis, at most one off the box, lie beyond the domain? */
HYMGI_INLINE bool hymgi_beyond(const hymgi_geom *g, int axis, int index)
{
  return (index < 0 && g->boundaries >> (2 * axis) & 1) ||
         (index >= g->n[axis] && g->boundaries >> (2 * axis + 1) & 1);
}

HYMGI_INLINE int hymgi_index_along(int axis, int i, int j, int k)
{
  return axis == 0 ? i : axis == 1 ? j : k;
}

/* The sum of a cell's two conductances along an axis; inside: without domain boundaries. */
HYMGI_INLINE hymgi_real hymgi_coupling(const hymgi_conductances *c, const hymgi_geom *g, int axis,
                                       bool inside, int i, int j, int k)
{
  const int at = hymgi_index_along(axis, i, j, k);
  const bool low = inside && hymgi_ends(g, axis, 0, at),
             high = inside && hymgi_ends(g, axis, 1, at);
  return (low ? 0 : hymgi_face(c, g, axis, 0, i, j, k)) +
         (high ? 0 : hymgi_face(c, g, axis, 1, i, j, k));
}

/* A coupling over the sum of all axes. */
HYMGI_INLINE hymgi_real hymgi_part_of(hymgi_real coupling, hymgi_real sum)
{
  const hymgi_real part = coupling / sum;
  return sum > 0 ? part : 0;
}

/* The coupling along an axis over that along all axes. */
HYMGI_INLINE hymgi_real hymgi_share(const hymgi_conductances *c, const hymgi_geom *g, int axis,
                                    int i, int j, int k)
{
  const hymgi_real x = hymgi_coupling(c, g, 0, true, i, j, k),
                   y = hymgi_coupling(c, g, 1, true, i, j, k),
                   z = hymgi_coupling(c, g, 2, true, i, j, k), sum = (x + y) + z;
  return hymgi_part_of(axis == 0 ? x : axis == 1 ? y : z, sum);
}

/* The larger over the smaller one; 1 if either is 0 (a periodic axis of a single cell). */
HYMGI_INLINE hymgi_real hymgi_ratio(hymgi_real a, hymgi_real b)
{
  const hymgi_real ratio = (a > b ? a : b) / (a > b ? b : a);
  return a == 0 || b == 0 ? 1 : ratio;
}

/* The largest ratio of the conductance of a cell's low face along an axis to those of its neighbours:
 * the cell's high face, and the low faces of the next cells along the other axes. Faces at a boundary
 * contain its factor and do not count. */
HYMGI_INLINE hymgi_real hymgi_step(const hymgi_conductances *c, const hymgi_geom *g, int axis,
                                   int i, int j, int k)
{
  const int here[3] = {i, j, k};
  if (hymgi_ends(g, axis, 0, here[axis])) return 1;
  const hymgi_real low = hymgi_face(c, g, axis, 0, i, j, k);
  hymgi_real largest = 1;
  for (int other = 0; other < 3; other++) {
    if (hymgi_ends(g, other, 1, here[other])) continue;
    const hymgi_real next = other == axis ? hymgi_face(c, g, axis, 1, i, j, k)
                                          : hymgi_face(c, g, axis, 0, i + (other == 0),
                                                       j + (other == 1), k + (other == 2));
    const hymgi_real ratio = hymgi_ratio(low, next);
    largest = ratio > largest ? ratio : largest;
  }
  return largest;
}

/* alpha with ghosts, and the conductance of faces where beta is constant. */
typedef struct hymgi_reaction {
  hymgi_conductances c;
  const hymgi_real *alpha;
  double constant[3], scale; /* scale: of beta and constant */
} hymgi_reaction;

static inline hymgi_reaction hymgi_reaction_of(const hymgi_level *level)
{
  const hymgi_reaction r = {
      .c = hymgi_conductances_of(level),
      .alpha = level->c.alpha,
      .constant = {level->c.beta_constant[0], level->c.beta_constant[1], level->c.beta_constant[2]},
      .scale = level->op->scale};
  return r;
}

/* The jump of alpha between a cell and the one below it along an axis, weighed against the conductance
 * between them: the larger over the smaller sum of the two. */
HYMGI_INLINE hymgi_real hymgi_alpha_step(const hymgi_reaction *r, const hymgi_geom *g, int axis,
                                         int i, int j, int k)
{
  if (hymgi_ends(g, axis, 0, hymgi_index_along(axis, i, j, k))) return 1;
  const hymgi_real a = r->alpha[hymgi_at(g, i, j, k)],
                   b = r->alpha[hymgi_at(g, i - (axis == 0), j - (axis == 1), k - (axis == 2))],
                   constant = (hymgi_real)r->constant[axis], scale = (hymgi_real)r->scale,
                   t = scale *
                       (r->c.beta[axis] ? hymgi_face(&r->c, g, axis, 0, i, j, k) : constant);
  return hymgi_ratio(t + a, t + b);
}

/* hymgi_resistance of a cell; part: of hymgi_axis. */
HYMGI_INLINE hymgi_real hymgi_cell_resistance(const hymgi_conductances *c, const hymgi_geom *g,
                                              int axis, const double *part, int i, int j, int k)
{
  const int at = g->low[axis] + hymgi_index_along(axis, i, j, k);
  return hymgi_resistance((hymgi_real)part[at], hymgi_face(c, g, axis, at % 2 ? 0 : 1, i, j, k));
}

/* The weight of a cell along a coarsened axis, damped unless the interpolation is the tensor one; r:
 * the resistances along it, with ghosts. */
HYMGI_INLINE hymgi_real hymgi_cell_weight(const hymgi_conductances *c, const hymgi_geom *g,
                                          int axis, const hymgi_real *r, int i, int j, int k)
{
  const hymgi_real t[3] = {hymgi_coupling(c, g, 0, false, i, j, k),
                           hymgi_coupling(c, g, 1, false, i, j, k),
                           hymgi_coupling(c, g, 2, false, i, j, k)};
  const hymgi_real own = axis == 0 ? t[0] : axis == 1 ? t[1] : t[2];
  hymgi_real largest = 0;
  for (int d = 0; d < 3; d++)
    if (c->coarsened >> d & 1 && t[d] > largest) largest = t[d];
  const int at = hymgi_index_along(axis, i, j, k), odd = (g->low[axis] + at) % 2;
  const int out = odd ? 1 : -1;
  const hymgi_real outer = hymgi_ends(g, axis, odd, at)
                               ? 0
                               : r[hymgi_at(g, i + (axis == 0 ? out : 0), j + (axis == 1 ? out : 0),
                                            k + (axis == 2 ? out : 0))];
  return hymgi_weight_between(c->tensor, r[hymgi_at(g, i, j, k)],
                              hymgi_face(c, g, axis, odd, i, j, k), outer, own, largest);
}

/* First child of a coarse cell, counted in the box g, and the number of children. */
HYMGI_INLINE int hymgi_first_child(unsigned coarsened, int axis, int at)
{
  return coarsened >> axis & 1 ? 2 * at : at;
}

HYMGI_INLINE int hymgi_children(unsigned coarsened, const hymgi_geom *g, int axis, int at)
{
  return coarsened >> axis & 1 && 2 * at + 1 < g->n[axis] ? 2 : 1;
}

/* The sum of the children of a coarse cell or, with 0 <= axis, of its low face along it; the high
 * face of the last cell is the low face n of the box. shift: of the fine faces along the axis. */
HYMGI_INLINE hymgi_real hymgi_sum_of_children(unsigned coarsened, const hymgi_geom *g, int axis,
                                              int shift, const hymgi_real *fine, int I, int J,
                                              int K)
{
  int i = hymgi_first_child(coarsened, 0, I), j = hymgi_first_child(coarsened, 1, J),
      k = hymgi_first_child(coarsened, 2, K);
  if (axis == 0 && i > g->n[0]) i = g->n[0];
  if (axis == 1 && j > g->n[1]) j = g->n[1];
  if (axis == 2 && k > g->n[2]) k = g->n[2];
  const int ni = axis == 0 ? 1 : hymgi_children(coarsened, g, 0, I),
            nj = axis == 1 ? 1 : hymgi_children(coarsened, g, 1, J),
            nk = axis == 2 ? 1 : hymgi_children(coarsened, g, 2, K);
  i += axis == 0 ? shift : 0, j += axis == 1 ? shift : 0, k += axis == 2 ? shift : 0;
  hymgi_real sum = 0;
  for (int c = 0; c < nk; c++)
    for (int b = 0; b < nj; b++)
      for (int a = 0; a < ni; a++)
        sum += fine[hymgi_at(g, i + a, j + b, k + c)];
  return sum;
}

/* Quadratic interpolation along an axis from the cell below, the own one and the one above. */
HYMGI_INLINE hymgi_real hymgi_parabola(hymgi_real below, hymgi_real low, hymgi_real at,
                                       hymgi_real own, hymgi_real above, hymgi_real high)
{
  return hymgi_fma(below, low, hymgi_fma(at, own, above * high));
}

/* The same; w is of hymgi_axis. */
HYMGI_INLINE hymgi_real hymgi_on_parabola(const double w[3], hymgi_real low, hymgi_real own,
                                          hymgi_real high)
{
  return hymgi_parabola((hymgi_real)w[0], low, (hymgi_real)w[1], own, (hymgi_real)w[2], high);
}

/* How the faces of a level become those of the next one, along an axis: arrays of hymgi_axis. */
typedef struct hymgi_coarse_rule {
  const double *part, *closer;
  int n; /* cells of the whole level along the axis */
  unsigned coarsened;
  bool series;
  /* bit 0: the low, bit 1: the high boundary has a Robin condition, which is in series with the cells'
   * part and does not become weaker on coarse levels */
  unsigned robin;
} hymgi_coarse_rule;

static inline hymgi_coarse_rule hymgi_coarse_rule_of(const hymgi_level *level, int axis)
{
  const bool halved = level->coarsened >> axis & 1;
  const unsigned robin =
      (level->boundary[2 * axis].mixes ? 1u : 0u) | (level->boundary[2 * axis + 1].mixes ? 2u : 0u);
  const hymgi_coarse_rule rule = {level->axis[axis].part,
                                  level->axis[axis].closer,
                                  level->n[axis],
                                  level->coarsened,
                                  level->transfer->series && halved,
                                  level->transfer->inherits && halved ? robin : 0};
  return rule;
}

/* Between the centres of two coarse cells, of which either may have a single child: the fine faces
 * between them, and on both sides the inner faces of the children, each of the three in parallel, one
 * after the other. On a high face that is not a boundary of the domain the part above is missing;
 * the exchange of faces replaces that value. */
HYMGI_INLINE hymgi_real hymgi_series(const hymgi_coarse_rule *rule, const hymgi_geom *g, int axis,
                                     const hymgi_real *fine, int I, int J, int K)
{
  const int first = 2 * hymgi_index_along(axis, I, J, K),
            at = first < g->n[axis] ? first : g->n[axis], above = g->low[axis] + at,
            below = (above > 0 ? above : rule->n) - 1;
  const hymgi_real face = hymgi_sum_of_children(rule->coarsened, g, axis, 0, fine, I, J, K);
  if (face == 0) return 0;
  hymgi_real resistance = 1 / face;
  if (rule->part[below] > 0 && !hymgi_ends(g, axis, 0, at)) {
    const hymgi_real inner = hymgi_sum_of_children(rule->coarsened, g, axis, -1, fine, I, J, K);
    if (inner > 0) resistance += hymgi_resistance((hymgi_real)rule->part[below], inner);
  }
  if (at < g->n[axis] && rule->part[above] > 0) {
    const hymgi_real inner = hymgi_sum_of_children(rule->coarsened, g, axis, 1, fine, I, J, K);
    if (inner > 0) resistance += hymgi_resistance((hymgi_real)rule->part[above], inner);
  }
  return 1 / resistance;
}

/* Is this coarse face, of an axis that is halved, on a Robin boundary? */
HYMGI_INLINE bool hymgi_at_robin(const hymgi_coarse_rule *rule, int face)
{
  return (rule->robin & 1 && face == 0) || (rule->robin & 2 && face == (rule->n + 1) / 2);
}

/* The conductance of a coarse cell's low face; `face` is its index along the axis. */
HYMGI_INLINE hymgi_real hymgi_coarse_face(const hymgi_coarse_rule *rule, const hymgi_geom *g,
                                          int axis, int face, const hymgi_real *fine, int I, int J,
                                          int K)
{
  if (rule->series || hymgi_at_robin(rule, face)) return hymgi_series(rule, g, axis, fine, I, J, K);
  return (hymgi_real)rule->closer[face] *
         hymgi_sum_of_children(rule->coarsened, g, axis, 0, fine, I, J, K);
}

/* The axes' measures, by global index, and the number of cells of the level. Levels without them have volumes alone. */
typedef struct hymgi_metric {
  const double *of[3];
  int n[3];
} hymgi_metric;

static inline hymgi_metric hymgi_metric_of(const hymgi_level *level)
{
  hymgi_metric m;
  for (int axis = 0; axis < 3; axis++) {
    m.of[axis] = level->axis[axis].metric ? level->axis[axis].metric : level->axis[axis].width;
    m.n[axis] = level->n[axis];
  }
  return m;
}

/* A cell or a face by its index in a box. */
HYMGI_INLINE double hymgi_metric_at(const hymgi_metric *m, const hymgi_geom *g, int axis,
                                    int measure, int i, int j, int k)
{
  return hymgi_measure_at(m->of[axis], m->n[axis], measure,
                          g->low[axis] + hymgi_index_along(axis, i, j, k));
}

/* Of two other axes, the product of what they contribute to areas (HYMGI_AREA) of an axis' faces or to distances (PITCH)
 * along it. */
HYMGI_INLINE double hymgi_across(const hymgi_metric *m, const hymgi_geom *g, int axis, int measure,
                                 int i, int j, int k)
{
  int a, b;
  hymgi_other_axes(axis, &a, &b);
  return hymgi_metric_at(m, g, a, measure + axis, i, j, k) *
         hymgi_metric_at(m, g, b, measure + axis, i, j, k);
}

HYMGI_INLINE double hymgi_face_area(const hymgi_metric *m, const hymgi_geom *g, int axis, int i,
                                    int j, int k)
{
  return hymgi_across(m, g, axis, HYMGI_AREA, i, j, k) *
         hymgi_metric_at(m, g, axis, HYMGI_FACE, i, j, k);
}

/* Area over distance of the centres of the low face of a cell, 0 ... n along its axis; on a periodic
 * axis the cell before the first one is the last. */
HYMGI_INLINE double hymgi_face_scale(const hymgi_metric *m, const hymgi_geom *g, int axis, int i,
                                     int j, int k)
{
  return hymgi_face_area(m, g, axis, i, j, k) / (hymgi_metric_at(m, g, axis, HYMGI_GAP, i, j, k) *
                                                 hymgi_across(m, g, axis, HYMGI_PITCH, i, j, k));
}

HYMGI_INLINE double hymgi_volume(const hymgi_metric *m, const hymgi_geom *g, int i, int j, int k)
{
  return hymgi_metric_at(m, g, 0, HYMGI_VOLUME, i, j, k) *
         hymgi_metric_at(m, g, 1, HYMGI_VOLUME, i, j, k) *
         hymgi_metric_at(m, g, 2, HYMGI_VOLUME, i, j, k);
}

#endif
