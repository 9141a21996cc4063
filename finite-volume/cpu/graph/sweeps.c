/* Cycles over graphs: Chebyshev's polynomial of degree 2 on [1/4, 2] for D^-1 A, transfers, and what solves a graph twice.
 * Rows are gathered and sums are in stored order. Of a part, vectors that others read are exchanged by the thread that calls
 * MPI. */
#include "cpu/graph/graph.h"
#include "formulas/graph.h"

enum { LANES = HYMGI_LANES };

static int team_of(const hymg_context *context, const hymgi_graph *g)
{
  return hymgi_team_worth(g->n, context->team.size);
}

static int slices_of(const hymgi_graph *g)
{
  return (int)(hymgi_whole_slices(g->n) / LANES);
}

/* Called by all threads of a team, between two loops of which the first has written `from`. */
static void exchange(const hymgi_graph *g, const double *from, double *to)
{
  if (!g->halo) return;
#pragma omp master
  hymgi_index_plan_run(g->halo, from, to);
#pragma omp barrier
}

/* b - A x of a slice's nodes */
static inline void residual_of(const hymgi_graph *g, int slice, const double *b, const double *x,
                               double r[LANES])
{
  const int i = LANES * slice;
  for (int m = 0; m < LANES; m++)
    r[m] = b[i + m] - g->diagonal[i + m] * x[i + m];
  for (int row = g->slice[slice]; row < g->slice[slice + 1]; row++) {
    const double *const weight = g->weight + (ptrdiff_t)LANES * row;
    const int *const to = g->to + (ptrdiff_t)LANES * row;
    for (int m = 0; m < LANES; m++)
      r[m] += weight[m] * x[to[m]];
  }
}

/* A vector of the residuals. */
static inline void residuals(const hymgi_graph *g, int slice, const double *b, const double *x,
                             double *r)
{
  double of_slice[LANES];
  residual_of(g, slice, b, x, of_slice);
  for (int m = 0; m < LANES; m++)
    r[LANES * slice + m] = of_slice[m];
}

static void descend(hymg_context *context, hymgi_graph *g, hymgi_graph *coarse)
{
  const int threads = team_of(context, g);
  const int slices = slices_of(g);
  (void)threads; /* without OpenMP */
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < g->n; i++)
      g->y[i] = hymgi_graph_first(g->inverse[i], g->b[i]);
    exchange(g, g->y, g->y);
#pragma omp for schedule(static)
    for (int s = 0; s < slices; s++) {
      double r[LANES];
      residual_of(g, s, g->b, g->y, r);
      for (int m = 0, i = LANES * s; m < LANES; m++, i++)
        g->x[i] = g->y[i] + hymgi_graph_second(g->inverse[i], g->y[i], r[m]);
    }
    exchange(g, g->x, g->x);
#pragma omp for schedule(static)
    for (int s = 0; s < slices; s++)
      residuals(g, s, g->b, g->x, g->p);
    exchange(g, g->p, g->p);
#pragma omp for schedule(static)
    for (int I = 0; I < coarse->n; I++) {
      double sum = 0;
      for (int m = g->first[I]; m < g->first[I + 1]; m++)
        sum += g->p[g->child[m]];
      coarse->b[I] = sum;
    }
  }
}

static void ascend(hymg_context *context, const hymgi_graph *coarse, hymgi_graph *g, bool second)
{
  const int threads = team_of(context, g);
  const int slices = slices_of(g);
  (void)threads; /* without OpenMP */
#pragma omp parallel num_threads(threads)
  {
    exchange(coarse, coarse->x, coarse->x);
#pragma omp for schedule(static)
    for (int i = 0; i < g->n; i++)
      g->y[i] = g->x[i] + coarse->x[g->parent[i]];
    exchange(g, g->y, g->y);
#pragma omp for schedule(static)
    for (int s = 0; s < slices; s++) {
      double r[LANES];
      residual_of(g, s, g->b, g->y, r);
      for (int m = 0, i = LANES * s; m < LANES; m++, i++) {
        g->p[i] = hymgi_graph_first(g->inverse[i], r[m]);
        g->x[i] = g->y[i] + g->p[i];
      }
    }
    exchange(g, g->x, g->x);
#pragma omp for schedule(static)
    for (int s = 0; s < slices; s++) {
      double r[LANES];
      residual_of(g, s, g->b, g->x, r);
      for (int m = 0, i = LANES * s; m < LANES; m++, i++)
        g->y[i] = g->x[i] + hymgi_graph_second(g->inverse[i], g->p[i], r[m]);
      for (int m = 0, i = LANES * s; m < LANES && second; m++, i++)
        g->y[i] = hymgi_graph_twice(g->c[i], g->y[i]);
    }
  }
  double *const x = g->x;
  g->x = g->y;
  g->y = x;
}

static void multiply(const hymgi_graph *g)
{
  enum { SUMS = HYMGI_MATRIX_SUMS };
  const double *from = g->matrix;
  for (int row = 0; row < g->n; row++, from += SUMS) {
    double s[SUMS] = {0};
    for (int c = 0; c < g->n; c += SUMS)
      for (int m = 0; m < SUMS; m++)
        s[m] += from[c * g->n + m] * g->b[c + m];
    g->x[row] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
}

static void finish(hymg_context *context, hymgi_graph *g)
{
  const int threads = team_of(context, g);
  (void)threads; /* without OpenMP */
  if (g->matrix) {
    multiply(g);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int i = 0; i < g->n; i++)
    g->x[i] = g->inverse[i] * g->b[i];
}

static void residual(hymg_context *context, hymgi_graph *g)
{
  const int threads = team_of(context, g);
  const int slices = slices_of(g);
  (void)threads; /* without OpenMP */
  exchange(g, g->c, g->c);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int s = 0; s < slices; s++)
    residuals(g, s, g->b, g->c, g->r);
}

/* ---- level 0 ---- */

static void sum(hymg_context *context, const hymgi_graph *finest, const double *r,
                hymgi_graph *coarse)
{
  const int threads = team_of(context, finest), ghosts = (int)hymgi_whole_slices(finest->n);
  (void)threads; /* without OpenMP */
  exchange(finest, r, finest->b);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int I = 0; I < coarse->n; I++) {
    double of_children = 0;
    for (int m = finest->first[I]; m < finest->first[I + 1]; m++) {
      const int c = finest->child[m];
      of_children += c < ghosts ? r[finest->at[c]] : finest->b[c - ghosts];
    }
    coarse->b[I] = of_children;
  }
}

static void spread(hymg_context *context, const hymgi_graph *finest, const hymgi_graph *coarse,
                   bool add, double *x)
{
  const int threads = team_of(context, finest);
  (void)threads; /* without OpenMP */
  exchange(coarse, coarse->x, coarse->x);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int i = 0; i < finest->n; i++) {
    const double value = coarse->x[finest->parent[i]];
    double *const cell = x + finest->at[i];
    *cell = add ? *cell + value : value;
  }
}

/* ---- between ranks: by the thread that calls MPI ---- */

static void copy(hymg_context *context, int64_t count, const int64_t *from, const int64_t *to,
                 const double *source, double *target)
{
  (void)context;
  for (int64_t m = 0; m < count; m++)
    target[to ? to[m] : m] = source[from ? from[m] : m];
}

/* Measured on two ranks of one node: 64^3 and 32^3 cells take the same time with 300 to 4,096, with 16,000 5 to 35 % longer
 * (benchmarks/results/cpu-pairs-ranks.csv). */
enum { LEAST_IN_PARTS = 2048 };

const hymgi_graph_ops hymgi_cpu_graphs = {
    .sum = sum,
    .spread = spread,
    .descend = descend,
    .ascend = ascend,
    .finish = finish,
    .residual = residual,
    .copy = copy,
    .least_in_parts = LEAST_IN_PARTS,
};
