/* The weighted interpolation of the robust path on the host, a coarse row at a time: a cell takes part
 * of its value from the coarse neighbour on its side along each coarsened axis. */
#include "cpu/cpu.h"
#include "cpu/robust.h"
#include "formulas/conductance.h"

/* scratch rows; 0 to 2 belong to sweep.c */
enum { BESIDE = 9, COARSE_ROWS = 11, ROWS_EACH = 3 };

/* Coarse row (J, K) by parts of fine rows: the parents of their cells. Buffers are the scratch rows
 * from `row` on. */
static void parents_of(const hymgi_level *level, int b, const hymgi_real *source, const int JK[2],
                       int row, const hymgi_real *parent[2])
{
  const hymgi_geom *g = level->box + b, *p = level->patch + b;
  const hymgi_real *const restrict c =
      hymgi_cpu_plain_row(p, source, JK[0], JK[1], host_scratch(level, row));
  hymgi_real *const restrict first = host_scratch(level, row + 1), *const restrict second =
                                                                       host_scratch(level, row + 2);
  parent[0] = parent[1] = c;
  if (host_halved(level, 0) && !g->split) {
    parent[0] = first;
#pragma omp simd
    for (int I = 0; I < p->n[0]; I++)
      first[2 * I] = first[2 * I + 1] = c[I];
  } else if (!host_halved(level, 0) && g->split) {
    parent[0] = first, parent[1] = second;
#pragma omp simd
    for (int t = 0; t < host_slots(g); t++)
      first[t] = c[2 * t], second[t] = c[2 * t + 1];
  }
}

/* The same for the neighbours along x on the side of each cell; parent: of coarse row JK, whose
 * cells are in the scratch row `row` if the coarse rows are split. */
static void besides_of(const hymgi_level *level, int b, const hymgi_real *source, const int JK[2],
                       const hymgi_real *const parent[2], const hymgi_real *beside[2])
{
  const hymgi_geom *g = level->box + b, *p = level->patch + b;
  beside[0] = parent[0] - 1, beside[1] = parent[1] + 1;
  if (!host_halved(level, 0) || g->split) return;
  const hymgi_real *const restrict c =
      hymgi_cpu_plain_row(p, source, JK[0], JK[1], host_scratch(level, BESIDE + 1));
  hymgi_real *const restrict out = host_scratch(level, BESIDE);
  beside[0] = out;
#pragma omp simd
  for (int I = 0; I < p->n[0]; I++)
    out[2 * I] = c[I - 1], out[2 * I + 1] = c[I + 1];
}

/* Adds e = parent + sum of w (neighbour - parent) over the axes with weights, bits of `axes`. */
HYMGI_INLINE void add_part(const unsigned axes, const hymgi_real *parent,
                           const hymgi_real *const next[3], const hymgi_real *const w[3], int n,
                           hymgi_real *restrict x)
{
  const hymgi_real *const nx = next[0], *const ny = next[1], *const nz = next[2];
  const hymgi_real *const wx = w[0], *const wy = w[1], *const wz = w[2];
#pragma omp simd
  for (int t = 0; t < n; t++) {
    const hymgi_real own = parent[t];
    hymgi_real e = axes & 1 ? hymgi_fma(wx[t], nx[t] - own, own) : own;
    if (axes & 2) e = hymgi_fma(wy[t], ny[t] - own, e);
    if (axes & 4) e = hymgi_fma(wz[t], nz[t] - own, e);
    x[t] += e;
  }
}

static void add_parts(unsigned axes, const hymgi_real *parent, const hymgi_real *const next[3],
                      const hymgi_real *const w[3], int n, hymgi_real *x)
{
  switch (axes) {
  case 7:
    add_part(7, parent, next, w, n, x);
    break;
  case 6:
    add_part(6, parent, next, w, n, x);
    break;
  case 5:
    add_part(5, parent, next, w, n, x);
    break;
  case 4:
    add_part(4, parent, next, w, n, x);
    break;
  case 3:
    add_part(3, parent, next, w, n, x);
    break;
  case 2:
    add_part(2, parent, next, w, n, x);
    break;
  case 1:
    add_part(1, parent, next, w, n, x);
    break;
  default:
    add_part(0, parent, next, w, n, x);
  }
}

typedef struct coarse_rows {
  const hymgi_real *parent[2], *beside[2]; /* by parts of the fine rows */
  const hymgi_real *next[3][2][2];         /* by axis and side, for axes with weights */
} coarse_rows;

/* For fine planes from_k ... to_k - 1 of coarse row JK. The coarse ghosts beyond boundaries are
 * 0 on this path. */
static coarse_rows load_coarse(const hymgi_level *level, int b, const hymgi_real *source,
                               const int JK[2], int from_k, int to_k)
{
  coarse_rows c = {.parent = {NULL}};
  parents_of(level, b, source, JK, COARSE_ROWS, c.parent);
  besides_of(level, b, source, JK, c.parent, c.beside);
  for (int axis = 1; axis < 3; axis++)
    for (int side = 0; side < 2 && level->weight[axis]; side++) {
      if (axis == 2 && to_k - from_k == 1 && from_k % 2 != side) continue;
      int next[2] = {JK[0], JK[1]};
      next[axis - 1] += side ? 1 : -1;
      const int row = COARSE_ROWS + ROWS_EACH * (2 * axis - 1 + side);
      parents_of(level, b, source, next, row, c.next[axis][side]);
    }
  return c;
}

/* colour: of the cells to interpolate to, if rows are split; or -1 for all */
static void interpolate_row(const hymgi_level *level, const hymgi_geom *g, const coarse_rows *c,
                            int colour, int j, int k, hymgi_real *x)
{
  const int odd[3] = {0, j % 2, k % 2};
  const host_parts all = host_parts_of(g);
  for (int part = 0; part < all.count; part++) {
    if (g->split && colour >= 0 && hymgi_first(g, part, j, k) != colour) continue;
    const ptrdiff_t at = host_part(g, part, j, k);
    const hymgi_real *w[3] = {NULL}, *next[3] = {c->beside[part]};
    unsigned axes = 0;
    for (int axis = 0; axis < 3; axis++) {
      if (!level->weight[axis]) continue;
      axes |= 1u << axis;
      w[axis] = level->weight[axis] + at;
      if (axis > 0) next[axis] = c->next[axis][odd[axis]][part];
    }
    add_parts(axes, c->parent[part], next, w, all.n[part], x + at);
  }
}

void hymgi_cpu_interpolate_weighted_rows(const hymgi_level *level, int b, const int from[2],
                                         const int to[2], int colour, const hymgi_real *source,
                                         hymgi_real *x)
{
  const hymgi_geom *g = level->box + b;
  const int JK[2] = {host_halved(level, 1) ? from[0] / 2 : from[0],
                     host_halved(level, 2) ? from[1] / 2 : from[1]};
  const coarse_rows c = load_coarse(level, b, source, JK, from[1], to[1]);
  for (int k = from[1]; k < to[1]; k++)
    for (int j = from[0]; j < to[0]; j++)
      interpolate_row(level, g, &c, colour, j, k, x);
}

/* The fine rows of a coarse row. */
static void interpolate_rows(const hymgi_level *level, int b, const int JK[2], int colour,
                             const hymgi_real *source, hymgi_real *x)
{
  int from[2], to[2];
  for (int t = 0; t < 2; t++) {
    const int children = host_halved(level, t + 1) ? 2 : 1, n = level->box[b].n[t + 1];
    from[t] = children * JK[t];
    to[t] = from[t] + children < n ? from[t] + children : n;
  }
  hymgi_cpu_interpolate_weighted_rows(level, b, from, to, colour, source, x);
}

/* The transposed smoother begins with the cells of colour 1, without reading them. */
void hymgi_cpu_interpolate_weighted(const hymgi_level *fine, const hymgi_real *source,
                                    bool smoothed, hymgi_real *x)
{
  const int threads = hymgi_cpu_threads(fine);
  const bool skips_black = smoothed && fine->exchanged && fine->method->smoother == HYMG_GSRB &&
                           hymgi_keeps_colours_apart(fine);
  const int colour = skips_black ? 0 : -1;
#pragma omp parallel num_threads(threads) if (threads > 1)
  for (host_row s = hymgi_cpu_rows(fine, fine->patch, fine->num_boxes, false); s.g;
       hymgi_cpu_next(&s))
    interpolate_rows(fine, (int)(s.g - fine->patch), s.cjk + 1, colour, source, x);
}
