/* Systems with faces of beta 0. */
#include "oracle/mask.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- random systems ---- */

typedef struct draw {
  unsigned state;
} draw;

static int drawn(draw *d, int count)
{
  d->state = d->state * 1664525u + 1013904223u;
  return (int)((d->state >> 8) % (unsigned)count);
}

static double *face(trial *t, int axis, int i, int j, int k)
{
  const int *n = t->c.spec.n;
  const int m[2] = {n[0] + (axis == 0), n[1] + (axis == 1)};
  return t->c.beta[axis] + ((size_t)k * (size_t)m[1] + (size_t)j) * (size_t)m[0] + (size_t)i;
}

/* Entry n of a periodic axis is entry 0. */
static void close_face(trial *t, int axis, int i, int j, int k)
{
  int at[3] = {i, j, k};
  const int n = t->c.spec.n[axis];
  *face(t, axis, i, j, k) = 0;
  if (t->c.spec.boundary[2 * axis] != HYMG_PERIODIC || (at[axis] && at[axis] < n)) return;
  at[axis] = n - at[axis];
  *face(t, axis, at[0], at[1], at[2]) = 0;
}

void mask_cell(trial *t, int i, int j, int k)
{
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++)
      close_face(t, axis, i + (side && axis == 0), j + (side && axis == 1),
                 k + (side && axis == 2));
}

bool mask_is_closed(const trial *t)
{
  const int *n = t->c.spec.n;
  for (int axis = 0; axis < 3; axis++)
    for (size_t m = 0; m < t->cells / (size_t)n[axis] * (size_t)(n[axis] + 1); m++)
      if (t->c.beta[axis][m] == 0) return true;
  return false;
}

/* styles: bit 0 cells, bit 1 single faces, bit 2 planes of faces */
static void close_at_random(trial *t, draw *d)
{
  const int *n = t->c.spec.n, styles = 1 + drawn(d, 7), cells = 1 + drawn(d, 9),
            faces = 1 + drawn(d, 6);
  const int plane[3] = {drawn(d, n[0] + 1), drawn(d, n[1] + 1), drawn(d, n[2] + 1)};
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++) {
        const int at[3] = {i, j, k};
        if (styles & 1 && i < n[0] && j < n[1] && k < n[2] && drawn(d, 10) < cells)
          mask_cell(t, i, j, k);
        for (int axis = 0; axis < 3; axis++) {
          bool inside = true;
          for (int e = 0; e < 3; e++)
            inside = inside && at[e] < n[e] + (e == axis);
          const bool closed =
              (styles & 2 && drawn(d, 10) < faces) || (styles & 4 && at[axis] == plane[axis]);
          if (inside && closed) close_face(t, axis, i, j, k);
        }
      }
}

/* few: of ten */
static int fix_at_random(trial *t, draw *d)
{
  const int few = drawn(d, 10);
  for (size_t q = 0; t->fixed && q < t->cells; q++) {
    const bool fixed = drawn(d, 30) < few;
    t->fixed[q] = fixed ? -1 + 0.01 * drawn(d, 300) : NAN;
    t->f[q] = fixed ? NAN : 0.01 * drawn(d, 100);
  }
  return few;
}

trial mask_trial(unsigned seed, int longest)
{
  static const hymg_smoother smoothers[5] = {HYMG_GSRB, HYMG_GSRB, HYMG_CHEBYSHEV, HYMG_JACOBI,
                                             HYMG_L1JACOBI};
  static const hymg_transfer transfers[4] = {HYMG_TRANSFER_AUTO, HYMG_TRANSFER_WEIGHTED,
                                             HYMG_TRANSFER_CONSTANT, HYMG_TRANSFER_TENSOR};
  static const unsigned kinds[6] = {TRIAL_JUMPS, TRIAL_WIDTHS, TRIAL_ALPHA,
                                    TRIAL_DATA,  TRIAL_ROBIN,  TRIAL_CONSTANT};
  draw d = {seed * 7919u + 17u};
  int n[3];
  unsigned kind = drawn(&d, 4) ? 0 : TRIAL_FIXED;
  char boundary[9] = "dd dd dd";
  const bool closed = drawn(&d, 2); /* box */
  bool odd_period = false;
  for (int axis = 0; axis < 3; axis++) {
    n[axis] = 1 + drawn(&d, longest);
    for (int side = 0; side < 2; side++)
      boundary[3 * axis + side] = closed ? 'n' : "dnr"[drawn(&d, 3)];
    if (drawn(&d, 4) == 0) boundary[3 * axis] = boundary[3 * axis + 1] = 'p';
    odd_period = odd_period || (boundary[3 * axis] == 'p' && n[axis] % 2);
  }
  for (int m = 0; m < 6; m++)
    if (drawn(&d, 4) == 0) kind |= kinds[m];
  if ((n[0] == 1) + (n[1] == 1) + (n[2] == 1) > 1)
    kind &= ~(unsigned)TRIAL_ROBIN; /* needs 2 faces */
  trial t = trial_of(n, boundary, kind);
  const int few = fix_at_random(&t, &d);
  for (size_t q = 0; kind & TRIAL_ALPHA && !(kind & TRIAL_CONSTANT) && q < t.cells; q++)
    if (drawn(&d, 10) > few) t.c.alpha[q] = 0;
  close_at_random(&t, &d);
  t.o.rtol = 1e-11;
  t.o.transfer = transfers[drawn(&d, 4)];
  /* of two cells of one colour, beside the seam of such an axis, gsrb makes nothing if they are a piece */
  t.o.smoother = smoothers[drawn(&d, odd_period ? 3 : 5) + (odd_period ? 2 : 0)];
  t.o.max_cycles = 2000;
  t.threads = 1 + drawn(&d, 2);
  if (drawn(&d, 2)) t.c.spec.alpha_constant *= 1e-5; /* alone it holds pieces weakly */
  return t;
}

trial mask_trial_fv4(unsigned seed, int longest)
{
  static const unsigned kinds[4] = {TRIAL_JUMPS, TRIAL_ALPHA, TRIAL_DATA, TRIAL_CONSTANT};
  draw d = {seed * 104729u + 3u};
  int n[3];
  unsigned kind = 0;
  char boundary[9] = "dd dd dd";
  const bool closed = drawn(&d, 2); /* box */
  bool odd_period = false;
  for (int axis = 0; axis < 3; axis++) {
    n[axis] = 4 + drawn(&d, longest - 3);
    for (int side = 0; side < 2; side++)
      boundary[3 * axis + side] = closed ? 'n' : "dn"[drawn(&d, 2)];
    if (drawn(&d, 4) == 0) boundary[3 * axis] = boundary[3 * axis + 1] = 'p';
    odd_period = odd_period || (boundary[3 * axis] == 'p' && n[axis] % 2);
  }
  for (int m = 0; m < 4; m++)
    if (drawn(&d, 4) == 0) kind |= kinds[m];
  if (seed % 3 != 1) kind |= TRIAL_FIXED;
  trial t = trial_of(n, boundary, kind);
  t.c.spec.stencil = HYMG_FV4;
  t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
  t.c.spec.limiter = 8;
  t.c.spec.alpha_limiter = kind & TRIAL_ALPHA && !(kind & TRIAL_CONSTANT) ? 4 : 0;
  if (seed % 3) close_at_random(&t, &d);
  fix_at_random(&t, &d);
  t.o.rtol = 1e-11;
  if (odd_period) t.o.smoother = HYMG_CHEBYSHEV; /* as in mask_trial */
  t.o.max_cycles = 2000;
  t.threads = 1 + drawn(&d, 2);
  if (drawn(&d, 2)) t.c.spec.alpha_constant *= 1e-5;
  return t;
}

/* ---- the dense solve ---- */

/* Gaussian elimination with pivots; b becomes the solution. */
static void eliminate(size_t n, double *a, double *b)
{
  for (size_t c = 0; c < n; c++) {
    size_t pivot = c;
    for (size_t r = c; r < n; r++)
      if (fabs(a[r * n + c]) > fabs(a[pivot * n + c])) pivot = r;
    for (size_t m = 0; m < n && pivot != c; m++) {
      const double swap = a[c * n + m];
      a[c * n + m] = a[pivot * n + m], a[pivot * n + m] = swap;
    }
    const double swap = b[c];
    b[c] = b[pivot], b[pivot] = swap;
    for (size_t r = c + 1; r < n; r++) {
      const double factor = a[r * n + c] / a[c * n + c];
      for (size_t m = c; factor != 0 && m < n; m++)
        a[r * n + m] -= factor * a[c * n + m];
      b[r] -= factor * b[c];
    }
  }
  for (size_t c = n; c-- > 0;) {
    for (size_t m = c + 1; m < n; m++)
      b[c] -= a[c * n + m] * b[m];
    b[c] /= a[c * n + c];
  }
}

static bool is_fixed(const trial *t, size_t q)
{
  return t->fixed && t->fixed[q] == t->fixed[q];
}

static void spread(const trial *t, const double *a, mask_pieces *p, size_t from)
{
  const size_t n = t->cells;
  size_t *stack = malloc(n * sizeof *stack), depth = 0;
  stack[depth++] = from, p->piece[from] = p->count;
  while (depth) {
    const size_t q = stack[--depth];
    double sum = 0;
    for (size_t m = 0; m < n; m++) {
      const double t_qm = a[q * n + m];
      sum += t_qm;
      if (m == q || t_qm == 0) continue;
      if (is_fixed(t, m)) p->held[p->count] = true;
      if (is_fixed(t, m) || p->piece[m] >= 0) continue;
      p->piece[m] = p->count;
      stack[depth++] = m;
    }
    if (sum > 1e-11 * a[q * n + q]) p->held[p->count] = true;
  }
  free(stack);
  p->count++;
}

static mask_pieces find(const trial *t, const double *a)
{
  const size_t n = t->cells;
  mask_pieces p = {.piece = malloc(n * sizeof *p.piece),
                   .held = calloc(n + 1, sizeof *p.held),
                   .mean = calloc(n + 1, sizeof *p.mean)};
  for (size_t q = 0; q < n; q++)
    p.piece[q] = -1;
  for (size_t q = 0; q < n; q++)
    if (p.piece[q] < 0 && a[q * n + q] > 0 && !is_fixed(t, q)) spread(t, a, &p, q);
  for (int m = 0; m < p.count; m++)
    p.singular += !p.held[m];
  return p;
}

/* b: integrated f */
static void constrain(const trial *t, const double *cell, mask_pieces *p, double *a, double *b)
{
  const size_t n = t->cells;
  for (int m = 0; m < p->count; m++) {
    double sum = 0, volume = 0;
    size_t first = n;
    for (size_t q = 0; q < n; q++)
      if (p->piece[q] == m) {
        sum += b[q], volume += cell[q];
        if (first == n) first = q;
      }
    if (p->held[m]) continue;
    p->mean[m] = sum / volume;
    for (size_t q = 0; q < n; q++) {
      if (p->piece[q] == m) b[q] -= cell[q] * p->mean[m];
      a[first * n + q] = p->piece[q] == m ? cell[q] : 0;
    }
    b[first] = 0;
  }
}

/* The matrix, what the data add to f in b, and volumes. */
static void fv2_system(const trial *t, double *a, double *b, double *volume)
{
  const size_t n = t->cells;
  robust_oracle *o = robust_create(&t->c.spec, t->widths, HYMG_TRANSFER_WEIGHTED);
  double *zero = calloc(n, sizeof *zero);
  memcpy(a, o->outer, n * n * sizeof *a);
  memcpy(volume, o->volume, n * sizeof *volume);
  robust_residual(o, zero, zero, b);
  for (size_t q = 0; q < n; q++)
    b[q] *= volume[q];
  robust_destroy(o);
  free(zero);
}

/* The flux of FV2 through the face between cell q and the next one along an axis, one of which is fixed. */
static void hold(const trial *t, int axis, size_t q, const int at[3], double *a, double *b)
{
  const oracle_spec *s = &t->c.spec;
  const int *n = s->n, last = at[axis] == n[axis] - 1;
  if (last && s->boundary[2 * axis] != HYMG_PERIODIC) return;
  const size_t step = axis == 0   ? 1
                      : axis == 1 ? (size_t)n[0]
                                  : (size_t)n[0] * (size_t)n[1],
               next = last ? q - step * (size_t)(n[axis] - 1) : q + step;
  int low[3] = {at[0], at[1], at[2]};
  low[axis] = last ? 0 : low[axis] + 1;
  const double beta = *face((trial *)t, axis, low[0], low[1], low[2]),
               conductance = s->b * beta / (s->h[axis] * s->h[axis]);
  for (int m = 0; m < 2; m++) {
    const size_t free = m ? next : q, other = m ? q : next;
    if (is_fixed(t, free) || !is_fixed(t, other)) continue;
    a[free * t->cells + free] += conductance;
    b[free] += conductance * t->fixed[other];
  }
}

/* FV4 reads nothing across faces of fixed cells, which are as if closed; their flux is FV2's. */
static void hold_fixed(const trial *t, double *a, double *b)
{
  const int *n = t->c.spec.n;
  for (size_t q = 0; q < t->cells; q++)
    for (int axis = 0; axis < 3; axis++)
      hold(t, axis, q, (int[3]){(int)q % n[0], (int)q / n[0] % n[1], (int)q / n[0] / n[1]}, a, b);
}

static trial without_fixed(const trial *t)
{
  trial cut = *t;
  const int *n = t->c.spec.n;
  for (int axis = 0; axis < 3; axis++) {
    const size_t faces = t->cells / (size_t)n[axis] * (size_t)(n[axis] + 1);
    cut.c.beta[axis] = malloc(faces * sizeof *cut.c.beta[axis]);
    memcpy(cut.c.beta[axis], t->c.beta[axis], faces * sizeof *cut.c.beta[axis]);
    cut.c.spec.beta[axis] = cut.c.beta[axis];
  }
  for (size_t q = 0; q < t->cells; q++)
    if (is_fixed(t, q)) mask_cell(&cut, (int)q % n[0], (int)q / n[0] % n[1], (int)q / n[0] / n[1]);
  return cut;
}

static void fv4_system(const trial *t, double *a, double *b, double *volume)
{
  const size_t n = t->cells;
  trial cut = without_fixed(t);
  oracle *o = oracle_create(&cut.c.spec);
  double *x = calloc(n, sizeof *x), *y = support_poison(n);
  for (size_t m = 0; m < n; m++) {
    x[m] = 1;
    oracle_apply(o, 0, x, y);
    x[m] = 0, volume[m] = 1;
    for (size_t q = 0; q < n; q++)
      a[q * n + m] = y[q];
  }
  oracle_residual(o, 0, x, x, b);
  hold_fixed(t, a, b);
  oracle_destroy(o);
  for (int axis = 0; axis < 3; axis++)
    free(cut.c.beta[axis]);
  free(x);
  free(y);
}

double *mask_solution(const trial *t, mask_pieces *found)
{
  const size_t n = t->cells;
  double *a = malloc(n * n * sizeof *a), *b = support_poison(n), *volume = support_poison(n);
  (t->c.spec.stencil == HYMG_FV4 ? fv4_system : fv2_system)(t, a, b, volume);
  mask_pieces p = find(t, a);
  for (size_t q = 0; q < n; q++) {
    if (p.piece[q] >= 0) {
      b[q] += volume[q] * t->f[q];
      continue;
    }
    memset(a + q * n, 0, n * sizeof *a);
    a[q * n + q] = 1;
    b[q] = is_fixed(t, q) ? t->fixed[q] : 0;
  }
  constrain(t, volume, &p, a, b);
  eliminate(n, a, b);
  if (found)
    *found = p;
  else
    mask_release(&p);
  free(a);
  free(volume);
  return b;
}

void mask_release(mask_pieces *p)
{
  free(p->piece);
  free(p->held);
  free(p->mean);
}
