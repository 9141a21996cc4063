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

/* A vector load that overlaps a store of just before has to wait for it. */
HYMGI_INLINE void store_other(hymgi_real value, hymgi_real *x)
{
  if (*x != value) *x = value;
}

/* The ghosts that rows j[0] <= j < j[1] of plane k read beyond a face along x. Of split rows every second one reads
 * one. */
static void fill_ends(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x, int colour,
                      const int j[2], int k, int face)
{
  const int split = g->split, end = face ? g->n[0] - 1 : 0, out = face ? 1 : -1;
  const int from = j[0] + (split && hymgi_first(g, colour, j[0], k) != (end & 1));
  const hymgi_real weight = (hymgi_real)level->c.boundary_ghost[face];
  if (from >= j[1]) return;
  hymgi_real *ghost = x + hymgi_at(g, end + out, from, k);
  const ptrdiff_t opposite = hymgi_at(g, end - out, from, k) - hymgi_at(g, end + out, from, k);
  for (int at = from; at < j[1]; at += 1 + split, ghost += (1 + split) * g->pitch)
    store_other(hymgi_fv2_ghost(weight, ghost[opposite]), ghost);
}

/* Likewise along y or z, where whole rows are read: from row j[0] on. */
static void fill_beside(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x, int colour,
                        const int j[2], int k, int face)
{
  const ptrdiff_t step = face < 4 ? g->pitch : g->plane, out = face & 1 ? step : -step;
  const hymgi_real weight = (hymgi_real)level->c.boundary_ghost[face];
  hymgi_real *row = x + hymgi_row(g, g->split ? 1 - colour : 0, j[0], k);
  for (int at = j[0]; at < j[1]; at++, row += g->pitch) {
    const int n = host_cells(g, colour, at, k);
    if (weight == 0) /* what is opposite may be no cell */
      fill_row(0, n, row + out);
    else
#pragma omp simd
      for (int t = 0; t < n; t++)
        row[t + out] = weight * row[t - out];
  }
}

/* The ghosts beyond boundaries that rows j[0] <= j < j[1] of plane k read. */
static void fill_around(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x, int colour,
                        const int j[2], int k)
{
  const unsigned walls = g->boundaries;
  const int ny = g->n[1], low[2] = {0, 1}, high[2] = {ny - 1, ny};
  if (walls & 1) fill_ends(level, g, x, colour, j, k, 0);
  if (walls & 2) fill_ends(level, g, x, colour, j, k, 1);
  if (walls & 4 && j[0] == 0) fill_beside(level, g, x, colour, low, k, 2);
  if (walls & 8 && j[1] == ny) fill_beside(level, g, x, colour, high, k, 3);
  if (walls & 16 && k == 0) fill_beside(level, g, x, colour, j, k, 4);
  if (walls & 32 && k == g->n[2] - 1) fill_beside(level, g, x, colour, j, k, 5);
}

/* Describes a row whose ghosts are in memory. */
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

fv2_row hymgi_fv2_row_of(const hymgi_level *level, const hymgi_geom *g, const hymgi_real *f,
                         hymgi_real *x, const int cjk[3])
{
  const int j[2] = {cjk[1], cjk[1] + 1};
  for (int face = 0; x && face < 2; face++)
    if (g->boundaries >> face & 1) fill_ends(level, g, x, cjk[0], j, cjk[2], face);
  return inner_row_of(level, g, f, x, cjk);
}

static fv2_row row_of(const host_pass *pass, const hymgi_geom *g, const int cjk[3])
{
  fill_around(pass->level, g, pass->own, cjk[0], (const int[2]){cjk[1], cjk[1] + 1}, cjk[2]);
  return inner_row_of(pass->level, g, pass->f, pass->own, cjk);
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
  const fv2_row row = row_of(pass, g, cjk), *const r = &row;
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
    const fv2_row r = row_of(pass, g, cjk);
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

/* What the rows of a plane are computed by, known to the compiler. usual: beta is a field and there is no alpha; l1,
 * momentum: as in relax_weights, of HOST_RELAX; max: only the largest absolute value is wanted. */
typedef struct form {
  host_kind kind;
  bool usual, l1, momentum, max;
} form;

/* A row that `pass` computes, at this place in vectors, whose first cell to be updated by gsrb is p, in plain rows.
 * Returns the maximum, if it is wanted. */
HYMGI_INLINE double run_row(const form by, const host_pass *pass, const fv2_row *r, ptrdiff_t place,
                            const bool takes, int p, hymgi_real *out)
{
  relax_weights w = {.residual = 1};
  if (by.kind == HOST_RELAX) w = pass->w;
  if (by.momentum) w.prev += place;
  if (by.l1) w.scale += place;
  hymgi_real *const to = takes || by.max ? host_scratch(pass->level, 2) : out;
  if (by.usual)
    run(r, false, by.kind, by.l1, by.momentum, &w, 0, r->n, to);
  else
    FORM(run, by.kind, by.l1, by.momentum, &w, 0, r->n, to);
  if (takes) take_every_second(to, p, r->n, out);
  return by.max ? host_largest(to, r->n) : 0;
}

/* Rows of which the first has no other constant betas than the others. Most rows are short, so every second one's
 * pointers come from those of the first. */
HYMGI_INLINE double even_rows(const form by, const host_pass *pass, const hymgi_geom *g, int colour,
                              const int j[2], int k, hymgi_real *out)
{
  const int p = hymgi_first(g, colour, j[0], k);
  const bool takes = host_one_colour(by.kind) && !g->split;
  const fv2_row even = inner_row_of(pass->level, g, pass->f, pass->own,
                                    (const int[3]){colour, j[0], k}),
                odd = inner_row_of(pass->level, g, pass->f, pass->own,
                                   (const int[3]){colour, j[0] + 1, k});
  const hymgi_coefficients *const c = &pass->level->c;
  const ptrdiff_t place = hymgi_row(g, colour, j[0], k);
  const int count = j[1] - j[0];
  double max = 0;
  for (int m = 0; m < count; m += 2) {
    const ptrdiff_t here = m * g->pitch, next = here + g->pitch;
    const fv2_row first = moved(c, by.usual, even, here), second = moved(c, by.usual, odd, here);
    const double a = run_row(by, pass, &first, place + here, takes, p, by.max ? out : out + here);
    if (by.max) max = host_larger(max, a);
    if (m + 1 == count) break;
    const double b =
        run_row(by, pass, &second, place + next, takes, 1 - p, by.max ? out : out + next);
    if (by.max) max = host_larger(max, b);
  }
  return max;
}

HYMGI_INLINE double rows(const form by, const host_pass *pass, const hymgi_geom *g, int colour,
                         const int j[2], int k, hymgi_real *out)
{
  double max = 0;
  if (j[0] >= j[1]) return max;
  if (by.kind != HOST_FIRST) fill_around(pass->level, g, pass->own, colour, j, k);
  if (by.usual) return even_rows(by, pass, g, colour, j, k, out);
  const int from = j[0] + (j[0] == 0), to = j[1] - (j[1] == g->n[1] && from < j[1]);
  const int at[4] = {j[0], from, to, j[1]};
  for (int m = 0; m < 3; m++)
    if (at[m] < at[m + 1])
      max = host_larger(max, even_rows(by, pass, g, colour, at + m, k,
                                       by.max ? out : out + (at[m] - j[0]) * g->pitch));
  return max;
}

#define ROWS(name, ...)                                                                            \
  static double name(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2],       \
                     int k, hymgi_real *out)                                                       \
  {                                                                                                \
    return rows((form){__VA_ARGS__}, pass, g, colour, j, k, out);                                  \
  }
ROWS(gsrb_rows, HOST_GSRB, true, false, false, false)
ROWS(first_rows, HOST_FIRST, true, false, false, false)
ROWS(residual_rows, HOST_RESIDUAL, true, false, false, false)
ROWS(apply_rows, HOST_APPLY, true, false, false, false)
ROWS(relax_rows, HOST_RELAX, true, false, false, false)
ROWS(momentum_rows, HOST_RELAX, true, false, true, false)
ROWS(l1_rows, HOST_RELAX, true, true, false, false)
ROWS(norm_rows, HOST_RESIDUAL, true, false, false, true)
ROWS(any_gsrb_rows, HOST_GSRB, false, false, false, false)
ROWS(any_first_rows, HOST_FIRST, false, false, false, false)
ROWS(any_residual_rows, HOST_RESIDUAL, false, false, false, false)
ROWS(any_apply_rows, HOST_APPLY, false, false, false, false)
ROWS(any_relax_rows, HOST_RELAX, false, false, false, false)
ROWS(any_momentum_rows, HOST_RELAX, false, false, true, false)
ROWS(any_l1_rows, HOST_RELAX, false, true, false, false)
ROWS(any_norm_rows, HOST_RESIDUAL, false, false, false, true)

double hymgi_fv2_rows(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2], int k,
                      hymgi_real *out)
{
  const bool usual = pass->level->c.beta[0] && !pass->level->method->has_alpha;
  if (!out) return (usual ? norm_rows : any_norm_rows)(pass, g, colour, j, k, out);
  if (pass->kind == HOST_GSRB)
    return (usual ? gsrb_rows : any_gsrb_rows)(pass, g, colour, j, k, out);
  if (pass->kind == HOST_FIRST)
    return (usual ? first_rows : any_first_rows)(pass, g, colour, j, k, out);
  if (pass->kind == HOST_RESIDUAL)
    return (usual ? residual_rows : any_residual_rows)(pass, g, colour, j, k, out);
  if (pass->kind == HOST_APPLY)
    return (usual ? apply_rows : any_apply_rows)(pass, g, colour, j, k, out);
  if (pass->w.scale) return (usual ? l1_rows : any_l1_rows)(pass, g, colour, j, k, out);
  if (pass->w.prev) return (usual ? momentum_rows : any_momentum_rows)(pass, g, colour, j, k, out);
  return (usual ? relax_rows : any_relax_rows)(pass, g, colour, j, k, out);
}
