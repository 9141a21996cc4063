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

/* The same row further on in all vectors; without alpha. */
HYMGI_INLINE fv4_row moved(fv4_row r, ptrdiff_t by)
{
  r.o += by, r.q += by, r.io += by, r.iq += by, r.jo += by, r.jq += by, r.ko += by, r.kq += by;
  r.f += by, r.dinv += by;
  return r;
}

/* Every second row's pointers come from those of the first two. */
HYMGI_INLINE void variable_rows(const host_kind kind, const host_pass *pass, const hymgi_geom *g,
                                int colour, const int j[2], int k, hymgi_real *out)
{
  fv4_row r[2];
  for (int m = 0; m < 2; m++)
    r[m] = hymgi_fv4_row_of(pass->level, g, pass->f, pass->own, pass->other,
                            (const int[3]){colour, j[0] + m, k});
  for (int m = 0; m < j[1] - j[0]; m++) {
    const fv4_row row = moved(r[m & 1], (m & ~1) * g->pitch);
    run(&row, true, false, kind, false, &pass->w, 0, row.n, out + m * g->pitch);
  }
}

static void relax_rows(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2],
                       int k, hymgi_real *out)
{
  variable_rows(HOST_RELAX, pass, g, colour, j, k, out);
}

void hymgi_fv4_rows(const host_pass *pass, const hymgi_geom *g, int colour, const int j[2], int k,
                    hymgi_real *out)
{
  const bool relaxes = pass->kind == HOST_GSRB || pass->kind == HOST_RELAX;
  if (relaxes && pass->level->c.beta[0] && !pass->level->method->has_alpha && !pass->w.prev &&
      !pass->w.scale) {
    relax_rows(pass, g, colour, j, k, out);
    return;
  }
  for (int at = j[0]; at < j[1]; at++)
    hymgi_cpu_run_slots(pass, g, (const int[3]){colour, at, k}, 0, host_cells(g, colour, at, k),
                        out + (at - j[0]) * g->pitch);
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
