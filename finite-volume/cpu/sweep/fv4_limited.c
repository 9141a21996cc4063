/* What FV4's operator has on the robust path alone: limited faces, and the mean of alpha u. */
#include "cpu/cpu.h"
#include "formulas/fv4_alpha.h"
#include "formulas/limiter.h"

unsigned hymgi_fv4_boundaries(const hymgi_geom *g, const int cjk[3])
{
  const int j = cjk[1], k = cjk[2], p = hymgi_first(g, cjk[0], j, k);
  unsigned ends = 63;
  if (g->split && p != 0) ends &= ~1u;
  if (!host_has_last(g, p)) ends &= ~2u;
  if (j > 0) ends &= ~4u;
  if (j < g->n[1] - 1) ends &= ~8u;
  if (k > 0) ends &= ~16u;
  if (k < g->n[2] - 1) ends &= ~32u;
  return g->boundaries & ends;
}

/* Distance from slot t of the row to the cell (di, dj, dk) next to its cell, and that cell. */
#define SLOT(di) ((di) == 0 ? 0 : (di) == 1 ? sp : (di) == -1 ? sm : (di) == 2 ? s2 : -s2)
#define CELL(own, other, di, dj, dk)                                                               \
  ((((di) + (dj) + (dk)) & 1 ? other : own)[t + SLOT(di) + (dj)*P + (dk)*L])
#define X(di, dj, dk)  CELL(o, q, di, dj, dk)
#define BI(di, dj, dk) CELL(r->io, r->iq, di, dj, dk)
#define BJ(di, dj, dk) CELL(r->jo, r->jq, di, dj, dk)
#define BK(di, dj, dk) CELL(r->ko, r->kq, di, dj, dk)
#define A(di, dj, dk)  CELL(own, other, di, dj, dk)

/* Slots with the same boundaries. */
HYMGI_INLINE void run(const bool residual, const fv4_row *r, unsigned boundaries, int from, int to,
                      hymgi_real *out)
{
  const ptrdiff_t P = r->pitch, L = r->plane, sm = r->sm, sp = r->sp, s2 = r->s2;
  const hymgi_real *const o = r->o, *const q = r->q;
  for (int t = from; t < to; t++) {
    hymgi_real ax;
    HYMGI_FV4_LIMITED(X, BI, BJ, BK, boundaries, ax);
    if (r->alpha) ax = hymgi_fma(r->alpha[t], o[t], ax);
    out[t] = residual ? r->f[t] - ax : ax;
  }
}

void hymgi_fv4_limited(bool residual, const fv4_row *r, int from, int to, hymgi_real *out)
{
  for (int t = from; t < to;) {
    const bool first = t == 0, last = t == r->n - 1;
    const unsigned ends = (first ? 1u : 0) | (last ? 2u : 0),
                   boundaries = r->boundaries & (ends | ~3u);
    const int end = first || last ? t + 1 : r->n - 1, next = end < to ? end : to;
    if (residual)
      run(true, r, boundaries, t, next, out);
    else
      run(false, r, boundaries, t, next, out);
    t = next;
  }
}

void hymgi_fv4_add_alpha(hymgi_real sign, const fv4_row *r, int from, int to, hymgi_real *out)
{
  const ptrdiff_t P = r->pitch, L = r->plane, sm = r->sm, sp = r->sp, s2 = r->s2;
  const hymgi_real *const restrict o = r->o, *const restrict q = r->q;
  const hymgi_real *const restrict own = r->alpha, *const restrict other = r->alpha_q;
  const hymgi_real limit = r->alpha_limit;
  (void)s2;
  for (int t = from; r->closed && t < to; t++)
    out[t] += sign * HYMGI_FV4_ALPHA_BETWEEN(X, A, BI, BJ, BK, limit);
  if (r->closed) return;
#pragma omp simd
  for (int t = from; t < to; t++)
    out[t] += sign * HYMGI_FV4_ALPHA(X, A, limit);
}
