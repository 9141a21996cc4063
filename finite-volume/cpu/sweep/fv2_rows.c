/* FV2 on the host: row pointers and row kernels. */
#include "base/error.h"
#include "cpu/cpu.h"
#include "formulas/fv2.h"
#include "formulas/relax.h"

/* Constant coefficients are kept as a few short rows per box, including boundaries: alpha, which FV4
 * uses as well; x faces at even and at odd i (all x faces in the first if rows are not split); then
 * y faces and z faces, each in the interior, at the low and at the high boundary. */
enum { ROW_ALPHA, ROW_X_EVEN, ROW_X_ODD, ROW_Y, ROW_Z = ROW_Y + 3, CONSTANT_ROWS = ROW_Z + 3 };

static ptrdiff_t constant_row_size(const hymgi_level *level)
{
  int longest = 0;
  for (int b = 0; b < level->num_boxes; b++)
    longest = level->box[b].n[0] > longest ? level->box[b].n[0] : longest;
  return (longest + 3 * HOST_LINE - 1) / HOST_LINE * HOST_LINE;
}

static void fill_row(double value, ptrdiff_t n, hymgi_real *row)
{
  for (ptrdiff_t t = 0; t < n; t++)
    row[t] = (hymgi_real)value;
}

static void fill_constant_rows(const hymgi_level *level, const hymgi_geom *g, hymgi_real *rows)
{
  const hymgi_coefficients *c = &level->c;
  const ptrdiff_t size = c->constant_row;
  fill_row(c->alpha_constant, size, rows + ROW_ALPHA * size);
  fill_row(c->beta_constant[0], 2 * size, rows + ROW_X_EVEN * size);
  const double low = c->beta_constant[0] * c->boundary_weight[0],
               high = c->beta_constant[0] * c->boundary_weight[1];
  if (g->boundaries & 1) rows[ROW_X_EVEN * size] = (hymgi_real)low;
  const int n = g->n[0], last = g->split && n % 2 ? ROW_X_ODD : ROW_X_EVEN;
  if (g->boundaries & 2) rows[last * size + (g->split ? n / 2 : n)] = (hymgi_real)high;
  for (int axis = 1; axis < 3; axis++) {
    hymgi_real *const row = rows + (axis == 1 ? ROW_Y : ROW_Z) * size;
    fill_row(c->beta_constant[axis], size, row);
    fill_row(c->beta_constant[axis] * c->boundary_weight[2 * axis], size, row + size);
    fill_row(c->beta_constant[axis] * c->boundary_weight[2 * axis + 1], size, row + 2 * size);
  }
}

hymg_status hymgi_cpu_constant_rows(hymgi_level *level)
{
  const hymgi_method *m = level->method;
  const bool beta = level->op->stencil == HYMG_FV2 && !m->variable_beta;
  if (level->num_boxes == 0 || !(beta || (m->has_alpha && !m->variable_alpha))) return HYMG_OK;
  level->c.constant_row = constant_row_size(level);
  const size_t count = (size_t)level->num_boxes,
               size = CONSTANT_ROWS * (size_t)level->c.constant_row;
  void *memory = level->c.constant_rows;
  double *block = memory;
  if (!block) TRY(level->memory->alloc(level->context, count * size, &block));
  memory = block;
  level->c.constant_rows = memory;
  for (size_t b = 0; b < count; b++)
    fill_constant_rows(level, level->box + b, level->c.constant_rows + b * size);
  return HYMG_OK;
}

/* Row of face m along axis 1 or 2. */
static const hymgi_real *constant_face(const hymgi_geom *g, const hymgi_real *rows, ptrdiff_t size,
                                       int axis, int m)
{
  const int first = axis == 1 ? ROW_Y : ROW_Z;
  const bool low = m == 0 && (g->boundaries >> (2 * axis) & 1);
  const bool high = m == g->n[axis] && (g->boundaries >> (2 * axis + 1) & 1);
  return rows + (first + (low ? 1 : high ? 2 : 0)) * size;
}

static void constant_betas(const hymgi_level *level, const hymgi_geom *g, const int cjk[3],
                           fv2_row *r)
{
  const ptrdiff_t size = level->c.constant_row;
  const hymgi_real *rows = level->c.constant_rows + (g - level->box) * CONSTANT_ROWS * size;
  const int p = g->split ? hymgi_first(g, cjk[0], cjk[1], cjk[2]) : 0;
  r->bw = rows + (p ? ROW_X_ODD : ROW_X_EVEN) * size;
  r->be = g->split ? rows + (p ? ROW_X_EVEN : ROW_X_ODD) * size + p : r->bw + 1;
  r->bs = constant_face(g, rows, size, 1, cjk[1]);
  r->bn = constant_face(g, rows, size, 1, cjk[1] + 1);
  r->bd = constant_face(g, rows, size, 2, cjk[2]);
  r->bu = constant_face(g, rows, size, 2, cjk[2] + 1);
}

/* weight times the opposite row, which is not read if weight is 0 */
static const hymgi_real *ghost_row(hymgi_real weight, const hymgi_real *opposite, int n,
                                   hymgi_real *out)
{
  if (weight == 0) {
    fill_row(0, n, out);
  } else {
#pragma omp simd
    for (int t = 0; t < n; t++)
      out[t] = weight * opposite[t];
  }
  return out;
}

/* A vector load that overlaps a store of just before has to wait for it. */
HYMGI_INLINE void store_other(hymgi_real value, hymgi_real *x)
{
  if (*x != value) *x = value;
}

/* The ghosts beyond boundaries that row cjk reads along x. */
HYMGI_INLINE void fill_row_ends(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                                const int cjk[3])
{
  const int colour = g->split ? 1 - cjk[0] : cjk[0], p = hymgi_first(g, cjk[0], cjk[1], cjk[2]);
  const int n = g->split ? g->n[0] / 2 : g->n[0]; /* the slot of the ghost */
  hymgi_real *const row = x + hymgi_row(g, colour, cjk[1], cjk[2]);
  const double *const weight = level->c.boundary_ghost;
  if (g->boundaries & 1 && !(g->split && p))
    store_other(hymgi_fv2_ghost((hymgi_real)weight[0], row[g->split ? 0 : 1]), row - 1);
  if (g->boundaries & 2 && host_has_last(g, p))
    store_other(hymgi_fv2_ghost((hymgi_real)weight[1], row[g->split ? n - 1 : n - 2]), row + n);
}

/* Describes a row in which only the faces at its ends may lie on a boundary. */
HYMGI_INLINE fv2_row inner_row_of(const hymgi_level *level, const hymgi_geom *g,
                                  const hymgi_real *f, const hymgi_real *x, const int cjk[3])
{
  const int colour = cjk[0], j = cjk[1], k = cjk[2], p = hymgi_first(g, colour, j, k);
  const ptrdiff_t o = hymgi_row(g, colour, j, k), q = g->split ? hymgi_row(g, 1 - colour, j, k) : o;
  const ptrdiff_t sm = g->split ? p - 1 : -1, sp = g->split ? p : 1;
  const hymgi_coefficients *c = &level->c;
  fv2_row r;
  r.n = host_cells(g, colour, j, k), r.f = f ? f + o : NULL;
  if (c->beta[0]) {
    r.bw = c->beta[0] + o, r.be = c->beta[0] + q + sp;
    r.bs = c->beta[1] + o, r.bn = c->beta[1] + q + g->pitch;
    r.bd = c->beta[2] + o, r.bu = c->beta[2] + q + g->plane;
  } else {
    constant_betas(level, g, cjk, &r);
  }
  r.alpha = c->alpha                   ? c->alpha + o
            : level->method->has_alpha ? c->constant_rows /* of the first box */
                                       : NULL;
  r.c = r.w = r.e = r.s = r.nn = r.d = r.u = NULL;
  if (!x) return r;
  const hymgi_real *const xq = x + q;
  r.c = x + o, r.w = xq + sm, r.e = xq + sp;
  r.s = xq - g->pitch, r.nn = xq + g->pitch, r.d = xq - g->plane, r.u = xq + g->plane;
  return r;
}

HYMGI_INLINE fv2_row row_of(const hymgi_level *level, const hymgi_geom *g, const hymgi_real *f,
                            hymgi_real *x, const int cjk[3])
{
  const int j = cjk[1], k = cjk[2];
  fv2_row r = inner_row_of(level, g, f, x, cjk);
  if (!x) return r;
  fill_row_ends(level, g, x, cjk);
  const hymgi_real *const s = r.s, *const d = r.d;
  const double *const weight = level->c.boundary_ghost;
  if (g->boundaries & 4 && j == 0)
    r.s = ghost_row((hymgi_real)weight[2], r.nn, r.n, host_scratch(level, 0));
  if (g->boundaries & 8 && j == g->n[1] - 1)
    r.nn = ghost_row((hymgi_real)weight[3], s, r.n, host_scratch(level, 0));
  if (g->boundaries & 16 && k == 0)
    r.d = ghost_row((hymgi_real)weight[4], r.u, r.n, host_scratch(level, 1));
  if (g->boundaries & 32 && k == g->n[2] - 1)
    r.u = ghost_row((hymgi_real)weight[5], d, r.n, host_scratch(level, 1));
  return r;
}

fv2_row hymgi_fv2_row_of(const hymgi_level *level, const hymgi_geom *g, const hymgi_real *f,
                         hymgi_real *x, const int cjk[3])
{
  return row_of(level, g, f, x, cjk);
}

/* ---- kernels; literal offsets select the pointer at compile time ---- */

#define X(di, dj, dk)                                                                              \
  ((di) < 0   ? w[t]                                                                               \
   : (di) > 0 ? e[t]                                                                               \
   : (dj) < 0 ? s[t]                                                                               \
   : (dj) > 0 ? n[t]                                                                               \
   : (dk) < 0 ? d[t]                                                                               \
   : (dk) > 0 ? u[t]                                                                               \
              : c[t])
#define BI(di, dj, dk) ((di) ? be[t] : bw[t])
#define BJ(di, dj, dk) ((dj) ? bn[t] : bs[t])
#define BK(di, dj, dk) ((dk) ? bu[t] : bd[t])
#define ROW_POINTERS(r)                                                                            \
  const hymgi_real *const c = (r)->c, *const w = (r)->w, *const e = (r)->e, *const s = (r)->s,     \
                          *const n = (r)->nn;                                                      \
  const hymgi_real *const d = (r)->d, *const u = (r)->u, *const f = (r)->f,                        \
                          *const alpha = (r)->alpha;                                               \
  const hymgi_real *const bw = (r)->bw, *const be = (r)->be, *const bs = (r)->bs,                  \
                          *const bn = (r)->bn;                                                     \
  const hymgi_real *const bd = (r)->bd, *const bu = (r)->bu;                                       \
  (void)c, (void)w, (void)e, (void)s, (void)n, (void)d, (void)u, (void)f, (void)alpha
#define DIAGONAL                                                                                   \
  (helmholtz ? HYMGI_FV2_WEIGHT(BI, BJ, BK) + alpha[t] : HYMGI_FV2_WEIGHT(BI, BJ, BK))
#define RESIDUAL                                                                                   \
  (helmholtz ? hymgi_fma(-alpha[t], c[t], f[t] + HYMGI_FV2_FLUX(X, BI, BJ, BK))                    \
             : f[t] + HYMGI_FV2_FLUX(X, BI, BJ, BK))

/* Each kernel is an inline function with constant flags; this selects the variant. */
#define FORM(kernel, ...) (r->alpha ? kernel(r, true, __VA_ARGS__) : kernel(r, false, __VA_ARGS__))

/* GSRB: with the exact diagonal the cell's own value cancels, x = (f + sum beta_f x_f) / diagonal. */
HYMGI_INLINE void run(const fv2_row *r, const bool helmholtz, const host_kind kind, const bool l1,
                      const bool momentum, const relax_weights *weights, int from, int to,
                      hymgi_real *out)
{
  ROW_POINTERS(r);
  const hymgi_real wr = weights->residual, wm = weights->momentum;
  const hymgi_real *const prev = weights->prev, *const scale = weights->scale;
#pragma omp simd
  for (int t = from; t < to; t++)
    if (kind == HOST_APPLY) {
      out[t] = (helmholtz ? alpha[t] * c[t] : 0) - HYMGI_FV2_FLUX(X, BI, BJ, BK);
    } else if (kind == HOST_RESIDUAL) {
      out[t] = RESIDUAL;
    } else if (kind == HOST_GSRB) {
      out[t] = (f[t] + HYMGI_FV2_NEIGHBOURS(X, BI, BJ, BK)) / DIAGONAL;
    } else if (kind == HOST_FIRST) {
      out[t] = (f[t] + 0) / DIAGONAL;
    } else if (kind == HOST_DIAGONAL) {
      out[t] = DIAGONAL;
    } else {
      const hymgi_real x = hymgi_relax(c[t], wr, l1 ? RESIDUAL * scale[t] : RESIDUAL / DIAGONAL);
      out[t] = momentum ? hymgi_add_momentum(x, wm, c[t], prev[t]) : x;
    }
}

void hymgi_fv2_run(host_kind kind, const fv2_row *r, const relax_weights *w, int from, int to,
                   hymgi_real *out)
{
  if (kind == HOST_APPLY)
    FORM(run, HOST_APPLY, false, false, w, from, to, out);
  else if (kind == HOST_RESIDUAL)
    FORM(run, HOST_RESIDUAL, false, false, w, from, to, out);
  else if (kind == HOST_GSRB)
    FORM(run, HOST_GSRB, false, false, w, from, to, out);
  else if (kind == HOST_FIRST)
    FORM(run, HOST_FIRST, false, false, w, from, to, out);
  else if (kind == HOST_DIAGONAL)
    FORM(run, HOST_DIAGONAL, false, false, w, from, to, out);
  else if (w->scale)
    FORM(run, HOST_RELAX, true, false, w, from, to, out);
  else if (w->prev)
    FORM(run, HOST_RELAX, false, true, w, from, to, out);
  else
    FORM(run, HOST_RELAX, false, false, w, from, to, out);
}

/* The frequent kernels have functions of their own: there the row's pointers stay in registers. */
HYMGI_INLINE void slots(const host_kind kind, const host_pass *pass, const hymgi_geom *g,
                        const int cjk[3], int from, int to, hymgi_real *out)
{
  const relax_weights none = {.residual = 1};
  const fv2_row row = row_of(pass->level, g, pass->f, pass->own, cjk), *const r = &row;
  FORM(run, kind, false, false, &none, from, to, out);
}

static void gsrb_slots(const host_pass *pass, const hymgi_geom *g, const int cjk[3], int from,
                       int to, hymgi_real *out)
{
  slots(HOST_GSRB, pass, g, cjk, from, to, out);
}

static void residual_slots(const host_pass *pass, const hymgi_geom *g, const int cjk[3], int from,
                           int to, hymgi_real *out)
{
  slots(HOST_RESIDUAL, pass, g, cjk, from, to, out);
}

static void apply_slots(const host_pass *pass, const hymgi_geom *g, const int cjk[3], int from,
                        int to, hymgi_real *out)
{
  slots(HOST_APPLY, pass, g, cjk, from, to, out);
}

void hymgi_fv2_slots(const host_pass *pass, const hymgi_geom *g, const int cjk[3], int from, int to,
                     hymgi_real *out)
{
  if (pass->kind == HOST_GSRB) {
    gsrb_slots(pass, g, cjk, from, to, out);
  } else if (pass->kind == HOST_RESIDUAL) {
    residual_slots(pass, g, cjk, from, to, out);
  } else if (pass->kind == HOST_APPLY) {
    apply_slots(pass, g, cjk, from, to, out);
  } else {
    const ptrdiff_t o = hymgi_row(g, cjk[0], cjk[1], cjk[2]);
    relax_weights w = pass->w;
    if (w.prev) w.prev += o;
    if (w.scale) w.scale += o;
    const fv2_row r = row_of(pass->level, g, pass->f, pass->own, cjk);
    hymgi_fv2_run(pass->kind, &r, &w, from, to, out);
  }
}

/* The same row further on in all vectors; what is constant stays where it is. usual: beta is a field and
 * there is no alpha. */
HYMGI_INLINE fv2_row moved(const hymgi_coefficients *c, const bool usual, fv2_row r, ptrdiff_t by)
{
  const ptrdiff_t beta = usual || c->beta[0] ? by : 0;
  r.c += by, r.w += by, r.e += by, r.s += by, r.nn += by, r.d += by, r.u += by;
  r.bw += beta, r.be += beta, r.bs += beta, r.bn += beta, r.bd += beta, r.bu += beta;
  if (r.f) r.f += by;
  if (!usual && c->alpha) r.alpha += by;
  return r;
}

/* Plain rows of gsrb: all cells were computed, those with parity p are taken. */
static void take_every_second(const hymgi_real *restrict all, int p, int n,
                              hymgi_real *restrict row)
{
#pragma omp simd
  for (int t = 0; t < n; t++)
    row[t] = (t & 1) == p ? all[t] : row[t];
}

/* A row that `pass` computes, whose first cell to be updated by gsrb is p, in plain rows. max: not NULL if
 * only the largest absolute value is wanted. */
HYMGI_INLINE void run_row(const host_kind kind, const bool usual, const host_pass *pass,
                          const fv2_row *r, const bool takes, int p, hymgi_real *out, double *max)
{
  const relax_weights none = {.residual = 1};
  hymgi_real *const to = takes || max ? host_scratch(pass->level, 2) : out;
  if (usual)
    run(r, false, kind, false, false, &none, 0, r->n, to);
  else
    FORM(run, kind, false, false, &none, 0, r->n, to);
  if (takes) take_every_second(to, p, r->n, out);
  if (max) *max = host_larger(*max, host_largest(to, r->n));
}

/* Rows without faces on a boundary along y or z. Most rows are short, so every second one's pointers
 * come from those of the first. */
HYMGI_INLINE void inner_rows(const host_kind kind, const bool usual, const host_pass *pass,
                             const hymgi_geom *g, int colour, const int j[2], int k,
                             hymgi_real *out, double *max)
{
  const int p = hymgi_first(g, colour, j[0], k);
  const bool takes = host_one_colour(kind) && !g->split;
  const fv2_row even = inner_row_of(pass->level, g, pass->f, pass->own,
                                    (const int[3]){colour, j[0], k}),
                odd = inner_row_of(pass->level, g, pass->f, pass->own,
                                   (const int[3]){colour, j[0] + 1, k});
  const hymgi_coefficients *const c = &pass->level->c;
  const int count = j[1] - j[0];
  for (int m = 0; m < count; m += 2) {
    const fv2_row first = moved(c, usual, even, m * g->pitch),
                  second = moved(c, usual, odd, m * g->pitch);
    run_row(kind, usual, pass, &first, takes, p, out + m * g->pitch, max);
    if (m + 1 < count)
      run_row(kind, usual, pass, &second, takes, 1 - p, out + (m + 1) * g->pitch, max);
  }
}

static void each_row(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2], int k,
                     hymgi_real *out, double *max)
{
  const bool takes = host_one_colour(pass->kind) && !g->split;
  for (int at = j[0]; at < j[1]; at++) {
    const int n = host_cells(g, colour, at, k);
    hymgi_real *const row = out + (at - j[0]) * g->pitch;
    hymgi_real *const to = takes || max ? host_scratch(pass->level, 2) : row;
    hymgi_fv2_slots(pass, g, (const int[3]){colour, at, k}, 0, n, to);
    if (takes) take_every_second(to, hymgi_first(g, colour, at, k), n, row);
    if (max) *max = host_larger(*max, host_largest(to, n));
  }
}

/* The ghosts at the rows' ends are written well before they are read. */
HYMGI_INLINE void rows(const host_kind kind, const bool usual, const host_pass *pass,
                       const hymgi_geom *g, int colour, const int j[2], int k, hymgi_real *out,
                       double *max)
{
  for (int at = j[0]; at < j[1] && g->boundaries & 3 && kind != HOST_FIRST; at++)
    fill_row_ends(pass->level, g, pass->own, (const int[3]){colour, at, k});
  const bool ends = (k == 0 && g->boundaries & 16) || (k == g->n[2] - 1 && g->boundaries & 32);
  const int from = j[0] + (j[0] == 0 && g->boundaries & 4),
            to = j[1] - (j[1] == g->n[1] && g->boundaries & 8);
  if (ends || from >= to) {
    each_row(pass, g, colour, j, k, out, max);
    return;
  }
  each_row(pass, g, colour, (const int[2]){j[0], from}, k, out, max);
  inner_rows(kind, usual, pass, g, colour, (const int[2]){from, to}, k,
             out + (from - j[0]) * g->pitch, max);
  each_row(pass, g, colour, (const int[2]){to, j[1]}, k, out + (to - j[0]) * g->pitch, max);
}

#define ROWS(name, kind)                                                                           \
  static void name(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2], int k,  \
                   hymgi_real *out)                                                                \
  {                                                                                                \
    rows(kind, true, pass, g, colour, j, k, out, NULL);                                            \
  }                                                                                                \
  static void any_##name(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2],   \
                         int k, hymgi_real *out)                                                   \
  {                                                                                                \
    rows(kind, false, pass, g, colour, j, k, out, NULL);                                           \
  }
ROWS(gsrb_rows, HOST_GSRB)
ROWS(first_rows, HOST_FIRST)
ROWS(residual_rows, HOST_RESIDUAL)
ROWS(apply_rows, HOST_APPLY)

static bool is_usual(const hymgi_level *level)
{
  return level->c.beta[0] && !level->method->has_alpha;
}

void hymgi_fv2_rows(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2], int k,
                    hymgi_real *out)
{
  const bool usual = is_usual(pass->level);
  if (pass->kind == HOST_GSRB)
    (usual ? gsrb_rows : any_gsrb_rows)(pass, g, colour, j, k, out);
  else if (pass->kind == HOST_FIRST)
    (usual ? first_rows : any_first_rows)(pass, g, colour, j, k, out);
  else if (pass->kind == HOST_RESIDUAL)
    (usual ? residual_rows : any_residual_rows)(pass, g, colour, j, k, out);
  else if (pass->kind == HOST_APPLY)
    (usual ? apply_rows : any_apply_rows)(pass, g, colour, j, k, out);
  else
    each_row(pass, g, colour, j, k, out, NULL);
}

double hymgi_fv2_rows_norm(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2],
                           int k)
{
  double max = 0;
  if (is_usual(pass->level))
    rows(HOST_RESIDUAL, true, pass, g, colour, j, k, pass->own, &max);
  else
    rows(HOST_RESIDUAL, false, pass, g, colour, j, k, pass->own, &max);
  return max;
}
