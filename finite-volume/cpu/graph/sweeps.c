/* Cycles over graphs: Chebyshev's polynomial of degree 2 on [1/4, 2] for D^-1 A, transfers, and what solves a graph twice.
 * Rows are gathered and sums are in stored order. */
#include "cpu/graph/graph.h"

/* p = FIRST D^-1 r, x += p; then p = AGAIN p + SECOND D^-1 r, x += p */
#define FIRST  (8.0 / 9)
#define AGAIN  (49.0 / 113)
#define SECOND (144.0 / 113)

/* b - A x of node i */
static inline double residual_of(const hymgi_graph *g, int i, const double *b, const double *x)
{
  double r = b[i] - g->diagonal[i] * x[i];
  for (int e = g->start[i]; e < g->start[i + 1]; e++)
    r += g->weight[e] * x[g->to[e]];
  return r;
}

/* 0 for a node without edges and excess. */
static inline double over_diagonal(const hymgi_graph *g, int i, double r)
{
  return g->diagonal[i] > 0 ? r / g->diagonal[i] : 0;
}

static void descend(int threads, hymgi_graph *g, hymgi_graph *coarse)
{
  (void)threads; /* without OpenMP */
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < g->n; i++)
      g->y[i] = FIRST * over_diagonal(g, i, g->b[i]);
#pragma omp for schedule(static)
    for (int i = 0; i < g->n; i++)
      g->x[i] =
          g->y[i] + (AGAIN * g->y[i] + SECOND * over_diagonal(g, i, residual_of(g, i, g->b, g->y)));
#pragma omp for schedule(static)
    for (int I = 0; I < coarse->n; I++) {
      double sum = 0;
      for (int m = g->first[I]; m < g->first[I + 1]; m++)
        sum += residual_of(g, g->child[m], g->b, g->x);
      coarse->b[I] = sum;
    }
  }
}

static void ascend(int threads, const hymgi_graph *coarse, hymgi_graph *g)
{
  (void)threads; /* without OpenMP */
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < g->n; i++)
      g->y[i] = g->x[i] + coarse->x[g->parent[i]];
#pragma omp for schedule(static)
    for (int i = 0; i < g->n; i++) {
      g->p[i] = FIRST * over_diagonal(g, i, residual_of(g, i, g->b, g->y));
      g->x[i] = g->y[i] + g->p[i];
    }
#pragma omp for schedule(static)
    for (int i = 0; i < g->n; i++)
      g->y[i] =
          g->x[i] + (AGAIN * g->p[i] + SECOND * over_diagonal(g, i, residual_of(g, i, g->b, g->x)));
  }
  double *const x = g->x;
  g->x = g->y;
  g->y = x;
}

static void divide(int threads, hymgi_graph *g)
{
  (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int i = 0; i < g->n; i++)
    g->x[i] = over_diagonal(g, i, g->b[i]);
}

static void residual(int threads, hymgi_graph *g)
{
  (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int i = 0; i < g->n; i++)
    g->r[i] = residual_of(g, i, g->b, g->c);
}

static void combine(int threads, hymgi_graph *g, double a, double b)
{
  (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int i = 0; i < g->n; i++)
    g->x[i] = a * g->c[i] + b * g->x[i];
}

/* ---- level 0 ---- */

static void sum(int threads, const hymgi_graph *finest, const ptrdiff_t *at, const double *r,
                hymgi_graph *coarse)
{
  (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int I = 0; I < coarse->n; I++) {
    double of_children = 0;
    for (int m = finest->first[I]; m < finest->first[I + 1]; m++)
      of_children += r[at[finest->child[m]]];
    coarse->b[I] = of_children;
  }
}

static void spread(int threads, const hymgi_graph *finest, const ptrdiff_t *at,
                   const hymgi_graph *coarse, bool add, double *x)
{
  (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int i = 0; i < finest->n; i++) {
    const double value = coarse->x[finest->parent[i]];
    x[at[i]] = add ? x[at[i]] + value : value;
  }
}

const hymgi_graph_ops hymgi_cpu_graphs = {
    .couplings = hymgi_cpu_graph_couplings,
    .finest = hymgi_cpu_graph_finest,
    .match = hymgi_cpu_graph_match,
    .coarsen = hymgi_cpu_graph_coarsen,
    .sum = sum,
    .spread = spread,
    .descend = descend,
    .ascend = ascend,
    .divide = divide,
    .residual = residual,
    .combine = combine,
};
