/* FV4 on the host: row pointers and row kernels. */
#include "cpu/cpu.h"
#include "formulas/fv4.h"
#include "formulas/relax.h"

fv4_row hymgi_fv4_row_of(const hymgi_level *level, const hymgi_geom *g, const hymgi_real *f,
                         const hymgi_real *own, const hymgi_real *other, const int cjk[3])
{
  const hymgi_coefficients *c = &level->c;
  const int colour = cjk[0], j = cjk[1], k = cjk[2], p = hymgi_first(g, colour, j, k);
  const ptrdiff_t o = hymgi_row(g, colour, j, k), q = g->split ? hymgi_row(g, 1 - colour, j, k) : o;
  fv4_row r = {.n = host_cells(g, colour, j, k),
               .pitch = g->pitch,
               .plane = g->plane,
               .o = own + o,
               .q = other + q};
  r.sm = g->split ? p - 1 : -1, r.sp = g->split ? p : 1, r.s2 = g->split ? 1 : 2;
  if (c->beta[0]) {
    r.io = c->beta[0] + o, r.iq = c->beta[0] + q;
    r.jo = c->beta[1] + o, r.jq = c->beta[1] + q;
    r.ko = c->beta[2] + o, r.kq = c->beta[2] + q;
  }
  for (int axis = 0; axis < 3; axis++)
    r.beta[axis] = (hymgi_real)c->beta_constant[axis];
  r.f = f ? f + o : NULL;
  if (c->alpha)
    r.alpha = c->alpha + o;
  else if (level->method->has_alpha)
    r.alpha = c->constant_rows;
  r.dinv = c->dinv ? c->dinv + o : NULL;
  r.limited = c->limited, r.closed = c->closed, r.alpha_limit = (hymgi_real)c->alpha_limit;
  if (r.alpha_limit > 0) r.alpha_q = c->alpha + q;
  if (r.limited) r.boundaries = hymgi_fv4_boundaries(g, cjk);
  return r;
}

#define SLOT(di) ((di) == 0 ? 0 : (di) == 1 ? sp : (di) == -1 ? sm : (di) == 2 ? s2 : -s2)
#define CELL(own, other, di, dj, dk)                                                               \
  ((((di) + (dj) + (dk)) & 1 ? other : own)[t + SLOT(di) + (dj)*P + (dk)*L])
#define X(di, dj, dk)  CELL(o, q, di, dj, dk)
#define BI(di, dj, dk) (variable ? CELL(io, iq, di, dj, dk) : bi)
#define BJ(di, dj, dk) (variable ? CELL(jo, jq, di, dj, dk) : bj)
#define BK(di, dj, dk) (variable ? CELL(ko, kq, di, dj, dk) : bk)
#define ROW_POINTERS(r)                                                                            \
  const ptrdiff_t P = (r)->pitch, L = (r)->plane, sm = (r)->sm, sp = (r)->sp, s2 = (r)->s2;        \
  const hymgi_real *const restrict o = (r)->o, *const restrict q = (r)->q,                         \
                                   *const restrict f = (r)->f;                                     \
  const hymgi_real *const restrict io = (r)->io, *const restrict iq = (r)->iq,                     \
                                   *const restrict jo = (r)->jo;                                   \
  const hymgi_real *const restrict jq = (r)->jq, *const restrict ko = (r)->ko,                     \
                                   *const restrict kq = (r)->kq;                                   \
  const hymgi_real *const restrict alpha = (r)->alpha;                                             \
  const hymgi_real bi = (r)->beta[0], bj = (r)->beta[1], bk = (r)->beta[2];                        \
  (void)P, (void)L, (void)sm, (void)sp, (void)s2, (void)o, (void)q, (void)f, (void)alpha,          \
      (void)bi, (void)bj, (void)bk
#define APPLY                                                                                      \
  (helmholtz ? hymgi_fma(alpha[t], o[t], HYMGI_FV4_APPLY(variable, X, BI, BJ, BK))                 \
             : HYMGI_FV4_APPLY(variable, X, BI, BJ, BK))

/* Each kernel is an inline function with two constant flags; this selects the variant. */
#define FORM(kernel, ...)                                                                           \
  (r->io      ? r->alpha ? kernel(r, true, true, __VA_ARGS__) : kernel(r, true, false, __VA_ARGS__) \
        : r->alpha ? kernel(r, false, true, __VA_ARGS__)                                            \
              : kernel(r, false, false, __VA_ARGS__))

/* out may be prev: each cell is read before it is written */
HYMGI_INLINE void run(const fv4_row *r, const bool variable, const bool helmholtz,
                      const host_kind kind, const bool momentum, const relax_weights *weights,
                      int from, int to, hymgi_real *out)
{
  ROW_POINTERS(r);
  const hymgi_real *const restrict scale = weights->scale ? weights->scale : r->dinv;
  const hymgi_real *const prev = weights->prev;
  const hymgi_real wr = weights->residual, wm = weights->momentum;
#pragma omp simd
  for (int t = from; t < to; t++)
    if (kind == HOST_APPLY) {
      out[t] = APPLY;
    } else if (kind == HOST_RESIDUAL) {
      out[t] = f[t] - APPLY;
    } else {
      const hymgi_real x = hymgi_relax(o[t], wr * scale[t], f[t] - APPLY);
      out[t] = momentum ? hymgi_add_momentum(x, wm, o[t], prev[t]) : x;
    }
}

void hymgi_fv4_run(host_kind kind, const fv4_row *r, const relax_weights *w, int from, int to,
                   hymgi_real *out)
{
  if (r->limited)
    hymgi_fv4_limited(kind == HOST_RESIDUAL, r, from, to, out);
  else if (kind == HOST_APPLY)
    FORM(run, HOST_APPLY, false, w, from, to, out);
  else if (kind == HOST_RESIDUAL)
    FORM(run, HOST_RESIDUAL, false, w, from, to, out);
  else if (w->prev)
    FORM(run, HOST_RELAX, true, w, from, to, out);
  else
    FORM(run, HOST_RELAX, false, w, from, to, out);
  if (r->alpha_limit > 0) hymgi_fv4_add_alpha(kind == HOST_RESIDUAL ? -1 : 1, r, from, to, out);
}

/* The same row further on in all vectors; what is constant stays where it is. */
HYMGI_INLINE fv4_row moved(const hymgi_coefficients *c, const bool usual, fv4_row r, ptrdiff_t by)
{
  r.o += by, r.q += by;
  if (usual || r.io) r.io += by, r.iq += by, r.jo += by, r.jq += by, r.ko += by, r.kq += by;
  if (r.f) r.f += by;
  if (r.dinv) r.dinv += by;
  if (!usual && c->alpha) r.alpha += by;
  return r;
}

/* What the rows of a plane are computed by, known to the compiler. usual: beta is a field and there is no alpha; max:
 * the largest absolute value is wanted. */
typedef struct form {
  host_kind kind;
  bool usual, momentum, max;
} form;

/* Plain rows of gsrb: all cells were computed, those with parity p are taken. */
static void take_every_second(const hymgi_real *all, const hymgi_real *old, int p, int n,
                              hymgi_real *out)
{
#pragma omp simd
  for (int t = 0; t < n; t++)
    out[t] = (t & 1) == p ? all[t] : old[t];
}

/* Every second row's pointers come from those of the first two. */
HYMGI_INLINE double rows(const form by, const host_pass *pass, const hymgi_geom *g, int colour,
                         const int j[2], int k, hymgi_real *out)
{
  const bool takes = pass->kind == HOST_GSRB && !g->split;
  const int p = hymgi_first(g, colour, j[0], k);
  const ptrdiff_t place = hymgi_row(g, colour, j[0], k);
  double max = 0;
  fv4_row of[2];
  for (int m = 0; m < 2; m++)
    of[m] = hymgi_fv4_row_of(pass->level, g, pass->f, pass->own, pass->other,
                             (const int[3]){colour, j[0] + m, k});
  for (int m = 0; m < j[1] - j[0]; m++) {
    const ptrdiff_t here = m * g->pitch;
    const fv4_row row = moved(&pass->level->c, by.usual, of[m & 1], (m & ~1) * g->pitch), *const r =
                                                                                              &row;
    relax_weights w = pass->w;
    if (by.momentum) w.prev += place + here;
    if (w.scale) w.scale += place + here;
    hymgi_real *const to = takes || by.max ? host_scratch(pass->level, 2) : out + here;
    if (by.usual)
      run(r, true, false, by.kind, by.momentum, &w, 0, r->n, to);
    else
      FORM(run, by.kind, by.momentum, &w, 0, r->n, to);
    if (takes) take_every_second(to, pass->own + place + here, (p + m) & 1, r->n, out + here);
    if (by.max) max = host_larger(max, host_largest(to, r->n));
  }
  return max;
}

#define ROWS(name, ...)                                                                            \
  static double name(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2],       \
                     int k, hymgi_real *out)                                                       \
  {                                                                                                \
    return rows((form){__VA_ARGS__}, pass, g, colour, j, k, out);                                  \
  }
ROWS(relax_rows, HOST_RELAX, true, false, false)
ROWS(momentum_rows, HOST_RELAX, true, true, false)
ROWS(residual_rows, HOST_RESIDUAL, true, false, false)
ROWS(apply_rows, HOST_APPLY, true, false, false)
ROWS(norm_rows, HOST_RESIDUAL, true, false, true)
ROWS(any_relax_rows, HOST_RELAX, false, false, false)
ROWS(any_momentum_rows, HOST_RELAX, false, true, false)
ROWS(any_residual_rows, HOST_RESIDUAL, false, false, false)
ROWS(any_apply_rows, HOST_APPLY, false, false, false)
ROWS(any_norm_rows, HOST_RESIDUAL, false, false, true)

/* Rows with limited coefficients, one by one. */
static double limited_rows(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2],
                           int k, hymgi_real *out)
{
  double max = 0;
  for (int at = j[0]; at < j[1]; at++) {
    const int n = host_cells(g, colour, at, k);
    hymgi_real *const to = out ? out + (at - j[0]) * g->pitch : host_scratch(pass->level, 2);
    hymgi_cpu_run_slots(pass, g, (const int[3]){colour, at, k}, 0, n, to);
    if (!out) max = host_larger(max, host_largest(to, n));
  }
  return max;
}

double hymgi_fv4_rows(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2], int k,
                      hymgi_real *out)
{
  const hymgi_coefficients *const c = &pass->level->c;
  const bool usual = c->beta[0] && !pass->level->method->has_alpha;
  if (c->limited || c->alpha_limit > 0) return limited_rows(pass, g, colour, j, k, out);
  if (!out) return (usual ? norm_rows : any_norm_rows)(pass, g, colour, j, k, out);
  if (pass->kind == HOST_APPLY)
    return (usual ? apply_rows : any_apply_rows)(pass, g, colour, j, k, out);
  if (pass->kind == HOST_RESIDUAL)
    return (usual ? residual_rows : any_residual_rows)(pass, g, colour, j, k, out);
  if (pass->w.prev) return (usual ? momentum_rows : any_momentum_rows)(pass, g, colour, j, k, out);
  return (usual ? relax_rows : any_relax_rows)(pass, g, colour, j, k, out);
}

/* ---- matrix coefficients: the operator applied to unit vectors ---- */

#undef X
#define X(di, dj, dk) ((di) == l && (dj) == m && (dk) == n ? 1 : 0)

HYMGI_INLINE hymgi_real coefficient(const fv4_row *r, const bool variable, int t, const int l,
                                    const int m, const int n)
{
  ROW_POINTERS(r);
  return HYMGI_FV4_APPLY(variable, X, BI, BJ, BK);
}

hymgi_real hymgi_fv4_coefficient(const fv4_row *r, int t, const int at[3])
{
  const hymgi_real a = r->io ? coefficient(r, true, t, at[0], at[1], at[2])
                             : coefficient(r, false, t, at[0], at[1], at[2]);
  return at[0] || at[1] || at[2] || !r->alpha ? a : a + r->alpha[t];
}

#define ADD_VARIABLE(l, m, n)                                                                      \
  for (int t = from; t < to; t++)                                                                  \
    others[t] += hymgi_abs(coefficient(r, true, t, l, m, n));
#define ADD_CONSTANT(l, m, n)                                                                      \
  {                                                                                                \
    const hymgi_real a = hymgi_abs(coefficient(r, false, from, l, m, n));                          \
    for (int t = from; t < to; t++)                                                                \
      others[t] += a;                                                                              \
  }

void hymgi_fv4_row_sums(const fv4_row *r, int from, int to, hymgi_real *diagonal,
                        hymgi_real *others)
{
  for (int t = from; t < to; t++) {
    const int centre[3] = {0, 0, 0};
    diagonal[t] = hymgi_fv4_coefficient(r, t, centre);
    others[t] = 0;
  }
  if (r->io) {
    HYMGI_FV4_OTHERS(ADD_VARIABLE)
  } else {
    HYMGI_FV4_OTHERS(ADD_CONSTANT)
  }
}
