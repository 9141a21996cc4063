/* A level with a dense matrix for an operator, and textbook solvers. What works on any level with
 * boxes is the host's; the operator, the smoother and the preconditioner are the matrix's. */
#include "support/krylov.h"
#include "base/exact_sum.h"
#include "multigrid/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static const double guard = 12345.0;

/* ---- the backend ---- */

static const dense *dense_of(const hymgi_level *level)
{
  return (const dense *)(const void *)level;
}

static double *cells_of(const hymgi_level *level, double *x)
{
  return x + hymgi_at(level->box, 0, 0, 0);
}

static const double *const_cells_of(const hymgi_level *level, const double *x)
{
  return x + hymgi_at(level->box, 0, 0, 0);
}

/* y = A x on plain arrays. */
static void product(const dense *d, const double *x, double *y)
{
  memset(y, 0, (size_t)d->n * sizeof *y);
  for (int j = 0; j < d->n; j++) {
    const int first = j > d->reach ? j - d->reach : 0;
    for (int i = first; i < d->n && i <= j + d->reach; i++)
      y[i] += d->a[j * d->n + i] * x[j];
  }
}

static void apply(const hymgi_level *level, double *x, double *y)
{
  dense_of(level)->counts->applies++;
  product(dense_of(level), cells_of(level, x), cells_of(level, y));
}

static double residual_max(const hymgi_level *level, const double *f, double *x)
{
  const dense *d = dense_of(level);
  double *r = support_poison((size_t)d->n);
  product(d, cells_of(level, x), r);
  for (int i = 0; i < d->n; i++)
    r[i] = const_cells_of(level, f)[i] - r[i];
  const double max = dense_max(d->n, r);
  free(r);
  return max;
}

/* One weighted Jacobi sweep, out of place. */
static void smooth(hymgi_level *level)
{
  const dense *d = dense_of(level);
  double *x = cells_of(level, level->x), *y = cells_of(level, level->y);
  d->counts->smooths++;
  product(d, x, y);
  for (int i = 0; i < d->n; i++)
    y[i] = x[i] + 2.0 / 3.0 * (cells_of(level, level->f)[i] - y[i]) / d->diagonal[i];
  double *swapped = level->x;
  level->x = level->y;
  level->y = swapped;
}

static void precondition(const hymgi_level *level, const double *r, double *z)
{
  const dense *d = dense_of(level);
  for (int i = 0; i < d->n; i++)
    cells_of(level, z)[i] = const_cells_of(level, r)[i] / d->diagonal[i];
}

static double max_product(const hymgi_level *level, const double *x, const double *y)
{
  if (!y) dense_of(level)->counts->norms++;
  return hymgi_cpu_backend()->max(level, x, y);
}

static void sum(const hymgi_level *level, const double *x, const double *y, int exponent, int bits,
                int64_t words[HYMGI_SUM_RESULT])
{
  dense_of(level)->counts->sums++;
  hymgi_cpu_backend()->sum(level, x, y, exponent, bits, words);
}

/* All that a bottom solver may call. */
static hymgi_backend dense_backend(void)
{
  const hymgi_backend *host = hymgi_cpu_backend();
  return (hymgi_backend){.id = HYMG_BACKEND_HOST,
                         .name = "dense",
                         .apply = apply,
                         .residual_max = residual_max,
                         .smooth = smooth,
                         .fill = host->fill,
                         .axpby = host->axpby,
                         .shift = host->shift,
                         .precondition = precondition,
                         .max = max_product,
                         .sum = sum};
}

/* ---- the level ---- */

static void *allocate(size_t size)
{
  void *p = calloc(1, size);
  ck_assert_ptr_nonnull(p);
  return p;
}

static double *zeros(size_t n)
{
  return allocate(n * sizeof(double));
}

static int vectors_of(const dense *d)
{
  return d->level.num_krylov + 3;
}

/* x, y, f and the bottom's vectors, in one piece. */
static void place_vectors(dense *d)
{
  hymgi_level *level = &d->level;
  const ptrdiff_t doubles = vectors_of(d) * level->vector_size;
  d->storage = zeros((size_t)doubles);
  for (ptrdiff_t t = 0; t < doubles; t++)
    d->storage[t] = guard;
  level->x = d->storage;
  level->y = level->x + level->vector_size;
  level->f = level->y + level->vector_size;
  level->krylov = level->f + level->vector_size;
}

dense *dense_create(int n, hymg_bottom bottom)
{
  dense *d = allocate(sizeof *d);
  d->n = d->reach = n;
  d->counts = allocate(sizeof *d->counts);
  d->a = zeros((size_t)n * (size_t)n);
  d->diagonal = zeros((size_t)n);
  d->backend = dense_backend();
  d->box = (hymgi_geom){.n = {n, 1, 1}, .ghost = 1};
  hymgi_geom_layout(&d->box, HYMGI_LINE);
  hymgi_level *level = &d->level;
  const hymg_context_options one_thread = {.threads = 1, .device = -1};
  ck_assert_int_eq(hymg_context_create(&one_thread, &level->context), HYMG_OK);
  d->method.bottom_goal = HYMGI_BOTTOM_GOAL;
  level->method = &d->method;
  level->backend = &d->backend;
  level->num_boxes = level->ranks = 1;
  level->box = &d->box;
  level->n[0] = n;
  level->n[1] = level->n[2] = 1;
  level->cells = n;
  level->ghost = d->box.ghost;
  level->vector_size = d->box.size;
  level->num_krylov = hymgi_bottom_vectors(bottom);
  level->transfer = hymgi_standard_transfer(level);
  place_vectors(d);
  d->f_given = support_random((size_t)n, -1.0, 1.0, 7);
  memcpy(dense_f(d), d->f_given, (size_t)n * sizeof *d->f_given);
  return d;
}

void dense_destroy(dense *d)
{
  hymg_context_destroy(&d->level.context);
  free(d->counts);
  free(d->a);
  free(d->diagonal);
  free(d->f_given);
  free(d->storage);
  free(d);
}

double *dense_x(dense *d)
{
  return cells_of(&d->level, d->level.x);
}

double *dense_f(dense *d)
{
  return cells_of(&d->level, d->level.f);
}

static void take_diagonal(dense *d)
{
  for (int i = 0; i < d->n; i++)
    d->diagonal[i] = d->a[i * d->n + i];
}

void dense_make_random(dense *d, bool symmetric, double scale)
{
  const int n = d->n;
  double *off = support_random((size_t)n * (size_t)n, -2.0 / sqrt(n), 2.0 / sqrt(n), 3);
  double *on = support_random((size_t)n, 4.0, 12.0, 4);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      d->a[j * n + i] = scale * (i == j               ? on[i]
                                 : symmetric && i > j ? off[i * n + j]
                                                      : off[j * n + i]);
  free(off);
  free(on);
  take_diagonal(d);
}

void dense_make_line(dense *d, bool ring)
{
  const int n = d->n;
  d->reach = ring ? n : 1;
  for (int i = 0; i < n; i++)
    for (int side = -1; side <= 1; side += 2) {
      const int j = ring ? (i + side + n) % n : i + side;
      const bool boundary_data = j < 0 || j >= n;
      d->a[i * n + i] += boundary_data ? 2.0 : 1.0;
      if (!boundary_data) d->a[j * n + i] -= 1.0;
    }
  take_diagonal(d);
}

/* ---- solve and judge ---- */

/* One assertion for all: each that holds costs Check a message. */
static void check_guards(const dense *d)
{
  const ptrdiff_t size = d->level.vector_size, first = hymgi_at(&d->box, 0, 0, 0);
  ptrdiff_t written = -1;
  for (ptrdiff_t t = 0; t < vectors_of(d) * size; t++)
    if ((t % size < first || t % size >= first + d->n) && d->storage[t] != guard) written = t;
  ck_assert_msg(written < 0, "vector %td was written at %td, outside of its cells", written / size,
                written % size);
}

void dense_solve(dense *d, hymg_bottom bottom)
{
  const size_t bytes = (size_t)d->n * sizeof(double);
  ck_assert_int_eq(hymgi_bottom_vectors(bottom), d->level.num_krylov);
  memcpy(d->f_given, dense_f(d), bytes);
  hymgi_bottom_solve(&d->level, bottom);
  ck_assert_int_eq(memcmp(d->f_given, dense_f(d), bytes), 0);
  ck_assert_int_eq(d->level.context->status, HYMG_OK);
  check_guards(d);
}

double dense_reduction(dense *d)
{
  return residual_max(&d->level, d->level.f, d->level.x) / dense_max(d->n, dense_f(d));
}

double dense_max(int n, const double *x)
{
  double max = 0.0;
  for (int i = 0; i < n && !isnan(max); i++)
    if (!(fabs(x[i]) <= max)) max = fabs(x[i]);
  return max;
}

static void exchange(double *x, double *y)
{
  const double kept = *x;
  *x = *y;
  *y = kept;
}

double *dense_direct(dense *d)
{
  const int n = d->n;
  double *a = zeros((size_t)n * (size_t)n), *x = zeros((size_t)n);
  memcpy(a, d->a, (size_t)n * (size_t)n * sizeof *a);
  memcpy(x, dense_f(d), (size_t)n * sizeof *x);
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int i = c; i < n; i++)
      if (fabs(a[c * n + i]) > fabs(a[c * n + pivot])) pivot = i;
    for (int j = 0; j < n; j++)
      exchange(&a[j * n + c], &a[j * n + pivot]);
    exchange(&x[c], &x[pivot]);
    for (int i = c + 1; i < n; i++) {
      const double factor = a[c * n + i] / a[c * n + c];
      for (int j = c; j < n; j++)
        a[j * n + i] -= factor * a[j * n + c];
      x[i] -= factor * x[c];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      x[i] -= a[j * n + i] * x[j];
    x[i] /= a[i * n + i];
  }
  free(a);
  return x;
}

/* ---- textbook solvers ---- */

static void add_iterate(textbook *t, const double *x, const double *r)
{
  ck_assert_int_lt(t->count, TEXTBOOK_ITERATES);
  t->x[t->count] = zeros((size_t)t->n);
  memcpy(t->x[t->count], x, (size_t)t->n * sizeof *x);
  t->norm[t->count++] = dense_max(t->n, r);
}

void textbook_free(textbook *t)
{
  for (int i = 0; i < t->count; i++)
    free(t->x[i]);
}

int textbook_first_small(const textbook *t, double f_max)
{
  for (int i = 0; i < t->count; i++)
    if (t->norm[i] <= 1e-3 * f_max) return i;
  ck_abort_msg("none of the textbook's %d iterates is small enough", t->count);
  return -1;
}

static double dot(int n, const double *x, const double *y)
{
  return support_dot((size_t)n, x, y);
}

/* q = D^-1 x, where D is 1 without a preconditioner. */
static void divide(const dense *d, bool preconditioned, const double *x, double *q)
{
  for (int i = 0; i < d->n; i++)
    q[i] = preconditioned ? x[i] / d->diagonal[i] : x[i];
}

/* z = a x + y */
static void add(int n, double a, const double *x, const double *y, double *z)
{
  for (int i = 0; i < n; i++)
    z[i] = a * x[i] + y[i];
}

textbook textbook_bicgstab(dense *d, bool preconditioned, int steps)
{
  const int n = d->n;
  const double *f = dense_f(d);
  textbook t = {.n = n};
  double *work = zeros(6 * (size_t)n), *x = work, *r = x + n, *p = r + n, *q = p + n, *ap = q + n;
  double *as = ap + n;
  memcpy(r, f, (size_t)n * sizeof *r);
  memcpy(p, f, (size_t)n * sizeof *p);
  for (int step = 0; step < steps; step++) {
    const double rho = dot(n, r, f);
    divide(d, preconditioned, p, q);
    product(d, q, ap);
    const double alpha = rho / dot(n, ap, f);
    add(n, alpha, q, x, x);
    add(n, -alpha, ap, r, r);
    add_iterate(&t, x, r);
    divide(d, preconditioned, r, q);
    product(d, q, as);
    const double omega = dot(n, as, r) / dot(n, as, as);
    add(n, omega, q, x, x);
    add(n, -omega, as, r, r);
    add_iterate(&t, x, r);
    const double beta = dot(n, r, f) / rho * alpha / omega;
    add(n, -omega, ap, p, p);
    add(n, beta, p, r, p);
  }
  free(work);
  return t;
}

textbook textbook_cg(dense *d, bool preconditioned, int steps)
{
  const int n = d->n;
  textbook t = {.n = n};
  double *work = zeros(5 * (size_t)n), *x = work, *r = x + n, *p = r + n, *z = p + n, *ap = z + n;
  memcpy(r, dense_f(d), (size_t)n * sizeof *r);
  double rho = 1.0;
  for (int step = 0; step < steps; step++) {
    divide(d, preconditioned, r, z);
    const double rho_new = dot(n, r, z), beta = rho_new / rho;
    rho = rho_new;
    add(n, step == 0 ? 0.0 : beta, p, z, p);
    product(d, p, ap);
    const double alpha = rho / dot(n, p, ap);
    add(n, alpha, p, x, x);
    add(n, -alpha, ap, r, r);
    add_iterate(&t, x, r);
  }
  free(work);
  return t;
}
