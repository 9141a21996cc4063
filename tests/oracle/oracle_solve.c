/* The oracle's smoothers, Krylov bottom solvers and cycles, one function each, as the formulas
 * state them. */
#include "oracle/oracle.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double oracle_max(const oracle_level *l, const double *x)
{
  double max = 0.0;
  ORACLE_CELLS(l, i, j, k)
  {
    double v = fabs(x[oracle_at(l, i, j, k)]);
    if (!(v <= max)) max = v;
  }
  return max;
}

double oracle_dot(const oracle_level *l, const double *x, const double *y)
{
  double sum = 0.0;
  ORACLE_CELLS(l, i, j, k) sum += x[oracle_at(l, i, j, k)] * y[oracle_at(l, i, j, k)];
  return sum;
}

double oracle_mean(const oracle_level *l, const double *x)
{
  double sum = 0.0;
  ORACLE_CELLS(l, i, j, k) sum += x[oracle_at(l, i, j, k)];
  return sum / (double)l->cells;
}

void oracle_shift(const oracle_level *l, double by, double *x)
{
  ORACLE_CELLS(l, i, j, k) x[oracle_at(l, i, j, k)] += by;
}

void oracle_combine(const oracle_level *l, double a, double *x, double b, const double *y)
{
  ORACLE_CELLS(l, i, j, k)
  {
    size_t p = oracle_at(l, i, j, k);
    x[p] = a * x[p] + b * y[p];
  }
}

static void copy(const oracle_level *l, const double *from, double *to)
{
  memcpy(to, from, l->size * sizeof *to);
}

static void remove_mean(const oracle *o, const oracle_level *l, double *x)
{
  if (o->singular) oracle_shift(l, -oracle_mean(l, x), x);
}

/* ---- smoothers ---- */

static bool of_colour(int i, int j, int k, int colour)
{
  return (i + j + k) % 2 == colour;
}

/* Cells of one colour from the values before the pass; the other colour stays. */
static void gsrb_pass(const oracle *o, oracle_level *l, const double *f, double *u, int colour)
{
  oracle_close(o, l, oracle_operator_rule(o), false, u);
  ORACLE_CELLS(l, i, j, k)
  {
    size_t p = oracle_at(l, i, j, k);
    if (of_colour(i, j, k, colour)) l->r[p] = f[p] - oracle_cell(o, l, u, p);
  }
  ORACLE_CELLS(l, i, j, k)
  {
    size_t p = oracle_at(l, i, j, k);
    if (of_colour(i, j, k, colour)) u[p] += l->r[p] / l->diag[p];
  }
}

static void jacobi_pass(const oracle *o, oracle_level *l, const double *f, double *u)
{
  oracle_residual_ghosted(o, l, f, u, l->r);
  ORACLE_CELLS(l, i, j, k)
  {
    size_t p = oracle_at(l, i, j, k);
    u[p] += o->spec.smoother == HYMG_JACOBI ? 2.0 / 3.0 * l->r[p] / l->diag[p] : l->l1[p] * l->r[p];
  }
}

static void symgs_pass(const oracle *o, oracle_level *l, const double *f, double *u, bool forward)
{
  oracle_close(o, l, oracle_operator_rule(o), false, u);
  ORACLE_CELLS(l, i, j, k)
  {
    size_t p = forward ? oracle_at(l, i, j, k)
                       : oracle_at(l, l->n[0] - 1 - i, l->n[1] - 1 - j, l->n[2] - 1 - k);
    u[p] += (f[p] - oracle_cell(o, l, u, p)) / l->diag[p];
  }
}

/* Degree 6 on [L/8, L]. */
static void chebyshev(const oracle *o, oracle_level *l, const double *f, double *u)
{
  double low = l->lambda_max / 8.0, theta = (l->lambda_max + low) / 2.0,
         delta = (l->lambda_max - low) / 2.0;
  double sigma = theta / delta, rho = 1.0 / sigma;
  copy(l, u, l->old);
  for (int n = 0; n < 6; n++) {
    double next = 1.0 / (2.0 * sigma - rho);
    double c1 = n == 0 ? 0.0 : next * rho, c2 = n == 0 ? 1.0 / theta : 2.0 * next / delta;
    if (n > 0) rho = next;
    oracle_residual_ghosted(o, l, f, u, l->r);
    ORACLE_CELLS(l, i, j, k)
    {
      size_t p = oracle_at(l, i, j, k);
      double x = u[p];
      u[p] = x + c1 * (x - l->old[p]) + c2 * l->r[p] / l->diag[p];
      l->old[p] = x;
    }
  }
}

void oracle_smooth_ghosted(const oracle *o, oracle_level *l, const double *f, double *u)
{
  const bool finest = l == o->level && o->spec.finest_sweeps > 0;
  for (int s = 0; s < (finest ? o->spec.finest_sweeps : o->spec.sweeps); s++) {
    switch (o->spec.smoother) {
    case HYMG_GSRB:
      gsrb_pass(o, l, f, u, s % 2);
      break;
    case HYMG_SYMGS:
      symgs_pass(o, l, f, u, s % 2 == 0);
      break;
    case HYMG_CHEBYSHEV:
      if (s % 6 == 0) chebyshev(o, l, f, u);
      break;
    default:
      jacobi_pass(o, l, f, u);
      break;
    }
  }
}

/* ---- bottom: Krylov to 1e-3 of max|r|, at most 200 iterations ---- */

static void precondition(const oracle_level *l, const double *x, double *y)
{
  ORACLE_CELLS(l, i, j, k)
  {
    size_t p = oracle_at(l, i, j, k);
    y[p] = x[p] / l->diag[p];
  }
}

static void cg(const oracle *o, oracle_level *l, double stop, double *r, double *u)
{
  double *p = l->work[1], *z = l->work[2], *q = l->work[3];
  precondition(l, r, z);
  copy(l, z, p);
  double rz = oracle_dot(l, r, z);
  for (int n = 0; n < 200; n++) {
    oracle_apply_ghosted(o, l, p, q);
    double pq = oracle_dot(l, p, q);
    if (pq == 0.0) return;
    oracle_combine(l, 1.0, u, rz / pq, p);
    oracle_combine(l, 1.0, r, -rz / pq, q);
    remove_mean(o, l, r);
    if (oracle_max(l, r) <= stop) return;
    precondition(l, r, z);
    double next = oracle_dot(l, r, z);
    if (next == 0.0) return;
    oracle_combine(l, next / rz, p, 1.0, z);
    rz = next;
  }
}

/* On the right: the residual is that of A D^-1 y = f, u = D^-1 y. */
static void bicgstab(const oracle *o, oracle_level *l, double stop, double *r, double *u)
{
  double *r0 = l->work[1], *p = l->work[2], *hat = l->work[3], *v = l->work[4], *t = l->work[5];
  copy(l, r, r0);
  copy(l, r, p);
  double rho = oracle_dot(l, r, r0);
  for (int n = 0; n < 200 && rho != 0.0; n++) {
    precondition(l, p, hat);
    oracle_apply_ghosted(o, l, hat, v);
    double vr0 = oracle_dot(l, v, r0);
    if (vr0 == 0.0) return;
    double alpha = rho / vr0;
    oracle_combine(l, 1.0, u, alpha, hat);
    oracle_combine(l, 1.0, r, -alpha, v);
    remove_mean(o, l, r);
    if (oracle_max(l, r) <= stop) return;
    precondition(l, r, hat);
    oracle_apply_ghosted(o, l, hat, t);
    double tt = oracle_dot(l, t, t);
    if (tt == 0.0) return;
    double omega = oracle_dot(l, t, r) / tt;
    if (omega == 0.0) return;
    oracle_combine(l, 1.0, u, omega, hat);
    oracle_combine(l, 1.0, r, -omega, t);
    remove_mean(o, l, r);
    if (oracle_max(l, r) <= stop) return;
    double next = oracle_dot(l, r, r0);
    oracle_combine(l, 1.0, p, -omega, v);
    oracle_combine(l, next / rho * (alpha / omega), p, 1.0, r);
    rho = next;
  }
}

void oracle_krylov(const oracle *o, oracle_level *l, const double *f, double *u)
{
  double *r = l->work[0];
  oracle_residual_ghosted(o, l, f, u, r);
  remove_mean(o, l, r);
  double max = oracle_max(l, r);
  if (max == 0.0) return;
  if (o->spec.bottom == HYMG_CG)
    cg(o, l, 1e-3 * max, r, u);
  else
    bicgstab(o, l, 1e-3 * max, r, u);
}

/* ---- cycles ---- */

/* gamma 1: V, 2: W (the level above the bottom is visited twice, the bottom once per visit). */
static void cycle(oracle *o, int n, int gamma, const double *f, double *u)
{
  oracle_level *l = &o->level[n], *c = l + 1;
  if (n == o->levels - 1) {
    oracle_krylov(o, l, f, u);
    return;
  }
  oracle_smooth_ghosted(o, l, f, u);
  oracle_residual_ghosted(o, l, f, u, l->r);
  oracle_restrict_ghosted(l, l->r, c, c->f);
  memset(c->u, 0, c->size * sizeof(double));
  for (int g = 0; g < (n + 1 == o->levels - 1 ? 1 : gamma); g++)
    cycle(o, n + 1, gamma, c->f, c->u);
  oracle_prolong_ghosted(o, n, 2, false, c->u, u, true);
  oracle_smooth_ghosted(o, l, f, u);
}

/* f of each cell loses its share of the sum. */
static void remove_by_volume(const oracle_level *l, double *f)
{
  double volume = 0.0, sum = oracle_mean(l, f) * (double)l->cells;
  ORACLE_CELLS(l, i, j, k) volume += l->width[0][i] * l->width[1][j] * l->width[2][k];
  ORACLE_CELLS(l, i, j, k)
  f[oracle_at(l, i, j, k)] -= sum / volume * l->width[0][i] * l->width[1][j] * l->width[2][k];
}

/* raw: f without boundary data on level n. Level k's own copy is kept in work[6], its solution in
 * work[7]. */
static void f_cycle(oracle *o, int n, const double *raw, double *u)
{
  int bottom = o->levels - 1;
  copy(&o->level[n], raw, o->level[n].work[6]);
  for (int k = n; k < bottom; k++)
    oracle_restrict_ghosted(&o->level[k], o->level[k].work[6], &o->level[k + 1],
                            o->level[k + 1].work[6]);
  for (int k = n; k <= bottom; k++)
    oracle_add_boundaries(o, &o->level[k], o->level[k].work[6]);
  for (int k = n + 1; k <= bottom; k++)
    if (o->singular) remove_by_volume(&o->level[k], o->level[k].work[6]);
  oracle_level *l = &o->level[bottom];
  memset(l->work[7], 0, l->size * sizeof(double));
  oracle_krylov(o, l, l->work[6], l->work[7]);
  for (int k = bottom - 1; k >= n; k--) {
    l = &o->level[k];
    oracle_prolong_ghosted(o, k, o->spec.stencil == HYMG_FV4 ? 4 : 2, true, (l + 1)->work[7],
                           l->work[7], false);
    cycle(o, k, 1, l->work[6], l->work[7]);
  }
  copy(&o->level[n], o->level[n].work[7], u);
}

typedef struct solve {
  oracle *o;
  oracle_level *l;
  int n, cycles;
  double *raw, *f, *u;
  oracle_history *history;
} solve;

static void record(solve *s, const double *r)
{
  double max = oracle_max(s->l, r);
  s->history->relative[s->history->cycles++] = max == 0.0 ? 0.0 : max / s->history->rhs_max;
}

static void by_cycles(solve *s, hymg_cycle kind)
{
  double *r = oracle_array(s->l);
  for (int c = 0; c < s->cycles; c++) {
    if (kind == HYMG_CYCLE_F && c == 0)
      f_cycle(s->o, s->n, s->raw, s->u);
    else
      cycle(s->o, s->n, kind == HYMG_CYCLE_W ? 2 : 1, s->f, s->u);
    remove_mean(s->o, s->l, s->u);
    oracle_residual_ghosted(s->o, s->l, s->f, s->u, r);
    record(s, r);
  }
  free(r);
}

static void by_cg(solve *s, hymg_cycle kind)
{
  oracle_level *l = s->l;
  double *r = oracle_array(l), *z = oracle_array(l), *p = oracle_array(l), *q = oracle_array(l),
         rz = 0.0;
  oracle_residual_ghosted(s->o, l, s->f, s->u, r);
  remove_mean(s->o, l, r);
  for (int c = 0; c < s->cycles; c++) {
    memset(z, 0, l->size * sizeof(double));
    cycle(s->o, s->n, kind == HYMG_CYCLE_W ? 2 : 1, r, z);
    double next = oracle_dot(l, r, z);
    oracle_combine(l, c == 0 ? 0.0 : next / rz, p, 1.0, z);
    rz = next;
    oracle_apply_ghosted(s->o, l, p, q);
    double alpha = rz / oracle_dot(l, p, q);
    oracle_combine(l, 1.0, s->u, alpha, p);
    oracle_combine(l, 1.0, r, -alpha, q);
    remove_mean(s->o, l, s->u);
    remove_mean(s->o, l, r);
    record(s, r);
  }
  free(r);
  free(z);
  free(p);
  free(q);
}

oracle_history oracle_solve(oracle *o, int n, hymg_method method, hymg_cycle kind, int cycles,
                            bool guess, const double *f, double *u)
{
  oracle_history history = {0};
  oracle_level *l = &o->level[n];
  solve s = {o, l, n, cycles, oracle_array(l), oracle_array(l), oracle_array(l), &history};
  oracle_load(l, f, s.f);
  oracle_load(l, f, s.raw);
  if (guess) oracle_load(l, u, s.u);
  oracle_add_boundaries(o, l, s.f);
  if (o->singular) {
    history.mean_removed = oracle_mean(l, s.f);
    oracle_shift(l, -history.mean_removed, s.f);
    oracle_shift(l, -history.mean_removed, s.raw);
  }
  history.rhs_max = oracle_max(l, s.f);
  if (method == HYMG_MGPCG)
    by_cg(&s, kind);
  else
    by_cycles(&s, kind);
  oracle_store(l, s.u, u);
  free(s.f);
  free(s.raw);
  free(s.u);
  return history;
}
