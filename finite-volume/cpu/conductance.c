/* Set-up of the robust path on the host: couplings, weights of the transfers, coarse conductances;
 * and the fluxes of FV2. */
#include <math.h>
#include <string.h>

#include "base/exact_sum.h"
#include "cpu/cpu.h"
#include "cpu/robust.h"
#include "cpu/setup.h"
#include "formulas/flux.h"
#include "formulas/lines.h"
#include "formulas/noise.h"

void hymgi_cpu_shares(const hymgi_level *level, int axis, double *out)
{
  const hymgi_conductances c = hymgi_conductances_of(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      out[hymgi_at(g, i, j, k)] = hymgi_share(&c, g, axis, i, j, k);
    }
  }
}

/* ---- rows ---- */

/* A part of row (j, k) and the conductances of its cells' faces. */
typedef struct face_rows {
  const hymgi_geom *g;
  int part, n, j, k;
  ptrdiff_t at;
  const double *low[3], *high[3];
} face_rows;

/* The neighbours of a part along an axis: where the first one is. */
HYMGI_INLINE ptrdiff_t next_to(const face_rows *r, int axis, int side)
{
  const int step = side ? 1 : -1;
  if (axis == 0) return host_beside(r->g, r->part, side, r->j, r->k);
  return host_part(r->g, r->part, r->j + (axis == 1 ? step : 0), r->k + (axis == 2 ? step : 0));
}

HYMGI_INLINE face_rows faces_of(const hymgi_level *level, const hymgi_geom *g, int part, int j,
                                int k)
{
  face_rows r = {.g = g,
                 .part = part,
                 .n = host_parts_of(g).n[part],
                 .j = j,
                 .k = k,
                 .at = host_part(g, part, j, k)};
  for (int axis = 0; axis < 3; axis++) {
    r.low[axis] = level->c.beta[axis] + r.at;
    r.high[axis] = level->c.beta[axis] + next_to(&r, axis, 1);
  }
  return r;
}

/* Does the part hold the first (side 0) or last (1) cell of a row that ends there? */
static bool holds_end(const face_rows *r, int side)
{
  const bool holds = side ? host_has_last(r->g, r->part) : r->part == 0;
  return hymgi_ends(r->g, 0, side, side ? r->g->n[0] - 1 : 0) && holds;
}

/* Does the row lie at a domain boundary? */
static bool row_ends(const face_rows *r, int axis, int side)
{
  return axis > 0 && hymgi_ends(r->g, axis, side, axis == 1 ? r->j : r->k);
}

/* Is the cell the second child? Along x in plain rows that depends on the cell. */
static bool is_odd(const face_rows *r, int axis)
{
  return (r->g->low[axis] + (axis == 0 ? r->part : axis == 1 ? r->j : r->k)) % 2;
}

/* Runs the statement for every part `rows` of the level's rows. */
#define FOR_PARTS(level, rows, statement)                                                          \
  for (host_row s = hymgi_cpu_rows(level, (level)->box, (level)->num_boxes, false); s.g;           \
       hymgi_cpu_next(&s))                                                                         \
    for (int part = 0; part < host_parts_of(s.g).count; part++) {                                  \
      const face_rows rows = faces_of(level, s.g, part, s.cjk[1], s.cjk[2]);                       \
      statement;                                                                                   \
    }

/* ---- couplings ---- */

/* scratch rows */
enum { SHARES = 3, NOTHING = 6, PART = 7, COUPLINGS = 8, LARGEST = 11, FACES = 12, OUTER = 13 };

/* The shares of a part in the scratch rows of the axes. */
static void share_rows(const hymgi_level *level, const face_rows *r)
{
  double *const nothing = host_scratch(level, NOTHING);
  const double *low[3], *high[3];
  memset(nothing, 0, (size_t)r->n * sizeof *nothing);
  for (int axis = 0; axis < 3; axis++) {
    low[axis] = row_ends(r, axis, 0) ? nothing : r->low[axis];
    high[axis] = row_ends(r, axis, 1) ? nothing : r->high[axis];
  }
  double *const restrict x = host_scratch(level, SHARES),
                         *const restrict y = host_scratch(level, SHARES + 1),
                         *const restrict z = host_scratch(level, SHARES + 2);
#pragma omp simd
  for (int t = 0; t < r->n; t++) {
    const double a = low[0][t] + high[0][t], b = low[1][t] + high[1][t], d = low[2][t] + high[2][t],
                 sum = (a + b) + d;
    x[t] = hymgi_part_of(a, sum), y[t] = hymgi_part_of(b, sum), z[t] = hymgi_part_of(d, sum);
  }
  const bool first = holds_end(r, 0), last = holds_end(r, 1);
  for (int side = 0; side < 2; side++) {
    const int t = side ? r->n - 1 : 0;
    if (!(side ? last : first)) continue;
    const double a = (first && t == 0 ? 0 : low[0][t]) + (last && t == r->n - 1 ? 0 : high[0][t]),
                 b = low[1][t] + high[1][t], d = low[2][t] + high[2][t], sum = (a + b) + d;
    x[t] = hymgi_part_of(a, sum), y[t] = hymgi_part_of(b, sum), z[t] = hymgi_part_of(d, sum);
  }
}

/* Lines that are solved do not count. */
static void clear_lines(const hymgi_level *level, const face_rows *r)
{
  const double *const pivot = level->line.pivot + r->at;
  for (int axis = 0; axis < 3; axis++) {
    double *const share = host_scratch(level, SHARES + axis);
    for (int t = 0; t < r->n; t++)
      share[t] = pivot[t] == 0 ? share[t] : 0;
  }
}

void hymgi_cpu_share_sums(const hymgi_level *level, int bits, int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(HYMGI_SHARE_EXPONENT, bits);
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    host_sum mine[3] = {{.terms = 0}};
    FOR_PARTS(level, r, {
      share_rows(level, &r);
      if (level->line.on) clear_lines(level, &r);
      for (int axis = 0; axis < 3; axis++) {
        const double *const share = host_scratch(level, SHARES + axis);
        host_add_row(false, share, share, r.n, &scale, mine + axis);
      }
    })
#pragma omp critical
    for (int axis = 0; axis < 3; axis++)
      host_add_words(mine + axis, words + axis * HYMGI_SUM_RESULT);
  }
}

/* The larger of `largest` and the ratios of a row's conductances to those of three others. Most rows have
 * no larger ratio, and to see that takes no division. */
static double rows_step(const double *restrict a, const double *const b[3], int from, int to,
                        double largest)
{
  const double *const x = b[0], *const y = b[1], *const z = b[2];
  int exceeding = 0;
#pragma omp simd reduction(+ : exceeding)
  for (int t = from; t < to; t++) {
    const double p = x[t], q = y[t], s = z[t];
    const double low = p < q ? p : q, high = p > q ? p : q;
    const double least = low < s ? low : s, most = high > s ? high : s;
    exceeding += a[t] > largest * least || most > largest * a[t] ? 1 : 0;
  }
  for (int m = 0; m < 3 && exceeding > 0; m++) {
    const double *const restrict other = b[m];
#pragma omp simd reduction(max : largest)
    for (int t = from; t < to; t++) {
      const double ratio = hymgi_ratio(a[t], other[t]);
      largest = ratio > largest ? ratio : largest;
    }
  }
  return largest;
}

/* A row beyond a boundary is replaced by the row itself; so is, in a step of its own, the last cell's
 * neighbour along x. */
static double row_step(const hymgi_level *level, const face_rows *r, double largest)
{
  const bool last = holds_end(r, 1);
  for (int axis = 0; axis < 3; axis++) {
    if (row_ends(r, axis, 0)) continue;
    const double *const a = r->low[axis], *b[3];
    for (int other = 0; other < 3; other++)
      b[other] = row_ends(r, other, 1) ? a : level->c.beta[axis] + next_to(r, other, 1);
    const int from = axis == 0 && holds_end(r, 0);
    largest = rows_step(a, b, from, r->n - last, largest);
    b[0] = a;
    if (last && r->n > from) largest = rows_step(a, b, r->n - 1, r->n, largest);
  }
  return largest;
}

double hymgi_cpu_largest_step(const hymgi_level *level)
{
  double largest = 1;
#pragma omp parallel num_threads(hymgi_cpu_threads(level)) reduction(max : largest)
  FOR_PARTS(level, r, { largest = row_step(level, &r, largest); })
  return largest;
}

double hymgi_cpu_alpha_step(const hymgi_level *level)
{
  const hymgi_reaction r = hymgi_reaction_of(level);
  double largest = 1;
#pragma omp parallel num_threads(hymgi_cpu_threads(level)) reduction(max : largest)
  for (host_row s = hymgi_cpu_rows(level, level->box, level->num_boxes, false); s.g;
       hymgi_cpu_next(&s))
    for (int i = 0; i < s.g->n[0]; i++)
      for (int axis = 0; axis < 3; axis++)
        largest = fmax(largest, hymgi_alpha_step(&r, s.g, axis, i, s.cjk[1], s.cjk[2]));
  return largest;
}

/* ---- lines ---- */

void hymgi_cpu_factor_lines(const hymgi_level *level)
{
  const hymgi_lines l = hymgi_lines_of(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    const int first = g->n[l.axis == 0 ? 1 : 0], second = g->n[l.axis == 2 ? 1 : 2];
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))
    for (int b = 0; b < second; b++)
      for (int a = 0; a < first; a++)
        hymgi_factor_line(&l, g, a, b);
  }
}

/* ---- weights ---- */

/* The couplings of a part, and the largest one of the axes to be halved, in scratch rows; 0 for the
 * tensor transfer, whose weights are not damped. */
static void coupling_rows(const hymgi_level *level, const face_rows *r)
{
  double *const restrict largest = host_scratch(level, LARGEST);
  memset(largest, 0, (size_t)r->n * sizeof *largest);
  for (int axis = 0; axis < 3; axis++) {
    const double *const restrict low = r->low[axis], *const restrict high = r->high[axis];
    double *const restrict own = host_scratch(level, COUPLINGS + axis);
    const bool counts = level->coarsened >> axis & 1 && !level->transfer->series;
#pragma omp simd
    for (int t = 0; t < r->n; t++) {
      own[t] = low[t] + high[t];
      largest[t] = counts && own[t] > largest[t] ? own[t] : largest[t];
    }
  }
}

/* Of two rows: the one above for second children, else the one below; in `buffer` if that depends on
 * the cell. */
static const double *outward(const face_rows *r, int axis, const double *below, const double *above,
                             double *restrict buffer)
{
  if (axis > 0 || r->g->split) return is_odd(r, axis) ? above : below;
#pragma omp simd
  for (int t = 0; t < r->n; t++)
    buffer[t] = (r->g->low[0] + t) % 2 ? above[t] : below[t];
  return buffer;
}

/* Entries of an axis' array for the cells of a part: one by one along x, else all the same. */
static const double *part_row(const hymgi_level *level, const face_rows *r, int axis)
{
  const double *const part = level->axis[axis].part + r->g->low[axis];
  double *const restrict out = host_scratch(level, PART);
  const int step = axis > 0 ? 0 : r->g->split ? 2 : 1;
  const double *const restrict first = part + (axis == 0 ? r->part : axis == 1 ? r->j : r->k);
#pragma omp simd
  for (int t = 0; t < r->n; t++)
    out[t] = first[step * t];
  return out;
}

static void resistance_row(const hymgi_level *level, const face_rows *r, int axis, double *out)
{
  const double *const part = part_row(level, r, axis); /* towards the sibling */
  const double *const face =
      outward(r, axis, r->high[axis], r->low[axis], host_scratch(level, FACES));
  double *const restrict row = out + r->at;
#pragma omp simd
  for (int t = 0; t < r->n; t++)
    row[t] = hymgi_resistance(part[t], face[t]);
}

void hymgi_cpu_resistances(const hymgi_level *level, int axis, double *out)
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  FOR_PARTS(level, r, resistance_row(level, &r, axis, out))
}

/* As hymgi_cell_weight. */
static void weight_row(const hymgi_level *level, const face_rows *r, int axis, const double *res)
{
  const double *const inner = res + r->at, *const own = host_scratch(level, COUPLINGS + axis),
                      *const largest = host_scratch(level, LARGEST);
  const double *const face =
      outward(r, axis, r->low[axis], r->high[axis], host_scratch(level, FACES));
  const double *outer = outward(r, axis, res + next_to(r, axis, 0), res + next_to(r, axis, 1),
                                host_scratch(level, OUTER));
  double *const restrict out = level->weight[axis] + r->at;
  if (row_ends(r, axis, is_odd(r, axis)))
    outer = memset(host_scratch(level, OUTER), 0, (size_t)r->n * sizeof *outer);
#pragma omp simd
  for (int t = 0; t < r->n; t++)
    out[t] = hymgi_damped_weight(hymgi_neighbour_weight(inner[t], face[t], outer[t]), own[t],
                                 largest[t]);
  for (int side = 0; side < 2 && axis == 0; side++) {
    const int t = side ? r->n - 1 : 0, at = r->g->low[0] + (side ? r->g->n[0] - 1 : 0);
    if (holds_end(r, side) && at % 2 == side)
      out[t] =
          hymgi_damped_weight(hymgi_neighbour_weight(inner[t], face[t], 0), own[t], largest[t]);
  }
}

void hymgi_cpu_weights(const hymgi_level *level, double *const resistance[3])
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  FOR_PARTS(level, r, {
    coupling_rows(level, &r);
    for (int axis = 0; axis < 3; axis++)
      if (level->coarsened >> axis & 1) weight_row(level, &r, axis, resistance[axis]);
  })
}

void hymgi_cpu_noise(const hymgi_level *level, int seed, double *x)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      x[hymgi_at(g, i, j, k)] = hymgi_noise(g, i, j, k, seed);
    }
  }
}

/* ---- the coarse level ---- */

/* The coarse faces on Robin boundaries. */
static void robin_faces(const hymgi_level *level, const hymgi_coarse_rule *rule,
                        const hymgi_geom *g, const hymgi_geom *p, int axis, const double *fine,
                        double *coarse)
{
  (void)level; /* used with OpenMP */
  for (int side = 0; side < 2; side++) {
    if (!(rule->robin >> side & 1) || !hymgi_is_boundary(g, 2 * axis + side)) continue;
    const int at = side ? p->n[axis] : 0;
    FOR_CELLS(level, axis == 0 ? 1 : p->n[0], axis == 1 ? 1 : p->n[1], axis == 2 ? 1 : p->n[2])
    {
      const int I = axis == 0 ? at : i, J = axis == 1 ? at : j, K = axis == 2 ? at : k;
      coarse[hymgi_at(p, I, J, K)] =
          hymgi_coarse_face(rule, g, axis, p->low[axis] + at, fine, I, J, K);
    }
  }
}

void hymgi_cpu_coarse_faces(const hymgi_level *level, int axis, const double *fine,
                            const hymgi_geom *patches, double *coarse)
{
  const hymgi_coarse_rule rule = hymgi_coarse_rule_of(level, axis);
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b, *p = patches + b;
    if (rule.series) {
      FOR_CELLS(level, p->n[0] + (axis == 0), p->n[1] + (axis == 1), p->n[2] + (axis == 2))
      {
        coarse[hymgi_at(p, i, j, k)] = hymgi_coarse_face(
            &rule, g, axis, p->low[axis] + hymgi_index_along(axis, i, j, k), fine, i, j, k);
      }
      continue;
    }
    const int nJ = p->n[1] + (axis == 1), rows = nJ * (p->n[2] + (axis == 2)),
              n = p->n[0] + (axis == 0);
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))
    for (int m = 0; m < rows; m++) {
      const int JK[2] = {m % nJ, m / nJ};
      double *const out = host_scratch(level, PART);
      hymgi_cpu_sum_row(level, g, axis, fine, JK, n, out);
      for (int I = 0; I < n; I++)
        out[I] *= rule.closer[p->low[axis] + hymgi_index_along(axis, I, JK[0], JK[1])];
      hymgi_cpu_store_faces(p, axis, out, JK, coarse);
    }
    robin_faces(level, &rule, g, p, axis, fine, coarse);
  }
}

/* ---- areas, distances and volumes ---- */

/* Of the faces 0 ... n of the box. */
void hymgi_cpu_scale_faces(const hymgi_level *level, int axis, double *beta)
{
  const hymgi_metric m = hymgi_metric_of(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0] + (axis == 0), g->n[1] + (axis == 1), g->n[2] + (axis == 2))
    {
      beta[hymgi_at(g, i, j, k)] *= hymgi_face_scale(&m, g, axis, i, j, k);
    }
  }
}

void hymgi_cpu_scale_volumes(const hymgi_level *level, bool divide, double *x)
{
  const hymgi_metric m = hymgi_metric_of(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      const double volume = hymgi_volume(&m, g, i, j, k);
      double *const v = x + hymgi_at(g, i, j, k);
      *v = divide ? *v / volume : *v * volume;
    }
  }
}

void hymgi_cpu_fluxes(const hymgi_level *level, int axis, const double *x, double *out)
{
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b;
    const hymgi_flux_view v = hymgi_flux_view_of(level, b, axis, x);
    FOR_CELLS(level, g->n[0] + (axis == 0), g->n[1] + (axis == 1), g->n[2] + (axis == 2))
    {
      out[hymgi_at(g, i, j, k)] = hymgi_flux(&v, g, axis, i, j, k);
    }
  }
}
