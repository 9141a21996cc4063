/* The graphs of the pairs: built until no edge is left, and the cycle over them. */
#include "multigrid/pairs.h"

#include <stdlib.h>

#include "multigrid/level_ops.h"

/* The work of all visits to a level that is visited twice, in sweeps of level 0. */
#define MOST_WORK 1.5

/* ---- building ---- */

static void release_edges(hymgi_graph *g)
{
  free(g->start);
  free(g->to);
  free(g->weight);
  free(g->excess);
  g->start = g->to = NULL;
  g->weight = g->excess = NULL;
}

static void destroy_graph(hymgi_graph *g)
{
  release_edges(g);
  free(g->slice);
  free(g->diagonal);
  free(g->inverse);
  free(g->parent);
  free(g->first);
  free(g->child);
  free(g->vectors);
  *g = (hymgi_graph){0};
}

void hymgi_graphs_destroy(struct hymgi_pairs *pairs)
{
  for (int l = 0; l < HYMGI_MAX_GRAPHS; l++)
    destroy_graph(pairs->graph + l);
  free(pairs->at);
  pairs->at = NULL;
  pairs->count = 0;
}

/* A graph below the finest one is visited twice, in every visit of the one above it, while that is cheap. */
static void choose_visits(struct hymgi_pairs *pairs, int64_t cells)
{
  double visits = 1;
  for (int l = 2; l < pairs->count - 1; l += 2) {
    hymgi_graph *const g = pairs->graph + l;
    const double cost = ((double)g->start[g->n] + g->n) / (7 * (double)cells);
    g->twice = 2 * visits * cost <= MOST_WORK;
    if (g->twice) visits *= 2;
  }
}

static hymg_status create_vectors(hymg_context *context, hymgi_graph *g)
{
  const size_t n = hymgi_whole_slices(g->n);
  double *next = g->vectors = calloc((g->twice ? 6 : 4) * n + 1, sizeof *next);
  if (!next) return hymgi_fail(context, HYMG_ENOMEM, "no memory for %d nodes", g->n);
  double **const vector[] = {&g->b, &g->x, &g->y, &g->p, &g->c, &g->r};
  for (int m = 0; m < (g->twice ? 6 : 4); m++, next += n)
    *vector[m] = next;
  return HYMG_OK;
}

/* Of a packed graph, or of graph 0 without its edges. */
static size_t bytes_of(const hymgi_graph *g)
{
  const size_t n = (size_t)g->n, slices = hymgi_whole_slices(g->n) / HYMGI_LANES;
  const size_t vectors = !g->vectors ? 0 : g->twice ? 6 : 4, lists = 3 * sizeof(int);
  if (!g->slice) return n * (sizeof(double) + lists);
  return n * ((vectors + 2) * sizeof(double) + lists) + slices * sizeof *g->slice +
         (size_t)g->slice[slices] * (sizeof(double) + sizeof(int));
}

hymg_status hymgi_graphs_build(hymg_context *context, const hymgi_graph_ops *ops, int64_t cells,
                               struct hymgi_pairs *pairs)
{
  const int threads = context->threads;
  hymgi_graph *g = pairs->graph;
  for (pairs->count = 1; g->start[g->n] > 0; g++, pairs->count++) {
    int nodes;
    TRY(ops->match(context, threads, g, pairs->count == HYMGI_MAX_GRAPHS - 1, &nodes));
    TRY(ops->coarsen(context, threads, g, nodes, g + 1));
  }
  choose_visits(pairs, cells);
  release_edges(pairs->graph);
  pairs->bytes = bytes_of(pairs->graph) + (size_t)pairs->graph->n * sizeof *pairs->at;
  for (int l = 1; l < pairs->count; l++) {
    TRY(ops->pack(context, threads, pairs->graph + l - 1, pairs->graph + l));
    TRY(create_vectors(context, pairs->graph + l));
    pairs->bytes += bytes_of(pairs->graph + l);
  }
  return HYMG_OK;
}

/* ---- the cycle ---- */

static int threads_for(const hymgi_graph *g, int threads)
{
  return hymgi_team_worth(g->n, threads);
}

static void solve(const hymgi_graph_ops *ops, int threads, hymgi_graph *g, const hymgi_graph *last);

static void cycle(const hymgi_graph_ops *ops, int threads, hymgi_graph *g, const hymgi_graph *last)
{
  const int team = threads_for(g, threads);
  ops->descend(team, g, g + 1);
  solve(ops, threads, g + 1, last);
  ops->ascend(team, g + 1, g);
}

static void exchange(double **a, double **b)
{
  double *const kept = *a;
  *a = *b;
  *b = kept;
}

/* x = (c1 - c2) c + c2 d, c a cycle for b, d one for what is left: 1 - t times a polynomial of degree 2 of the smallest
 * maximum on [1/4, 1]. */
static void solve_twice(const hymgi_graph_ops *ops, int threads, hymgi_graph *g,
                        const hymgi_graph *last)
{
  const double low = 0.25, at_0 = (1 + low) / (1 - low), t2 = 2 * at_0 * at_0 - 1;
  const double k = 2 / ((1 - low) * (1 - low) * t2), c1 = 4 * (1 + low) * k, c2 = 4 * k;
  const int team = threads_for(g, threads);
  cycle(ops, threads, g, last);
  exchange(&g->x, &g->c);
  ops->residual(team, g);
  exchange(&g->b, &g->r);
  cycle(ops, threads, g, last);
  exchange(&g->b, &g->r);
  ops->combine(team, g, c1 - c2, c2);
}

static void solve(const hymgi_graph_ops *ops, int threads, hymgi_graph *g, const hymgi_graph *last)
{
  if (g == last)
    ops->divide(threads_for(g, threads), g);
  else if (g->twice)
    solve_twice(ops, threads, g, last);
  else
    cycle(ops, threads, g, last);
}

/* level->x += the correction for the residual in level->y */
static void correct(struct hymgi_pairs *p, hymgi_level *level)
{
  const hymgi_graph_ops *ops = p->ops;
  const size_t size = (size_t)level->vector_size;
  hymgi_level *const whole = p->whole;
  hymgi_graph *const g = p->graph;
  const int threads = level->context->team.size, team = threads_for(g, threads);
  const bool added = !whole && !p->here; /* at once */
  double *const here = p->here ? p->here : level->y, *const r = whole ? p->values : here;
  if (p->here) level->backend->copy(level->context, level->y, here, size);
  if (whole) hymgi_run_plan(whole, whole->gather, level->box, here, whole->box, r);
  if (p->count) {
    ops->sum(team, g, p->at, r, g + 1);
    solve(ops, threads, g + 1, g + p->count - 1);
    ops->spread(team, g, p->at, g + 1, added, added ? level->x : r);
  }
  if (added) return;
  if (whole) hymgi_run_plan(whole, whole->scatter, whole->box, r, level->box, here);
  if (p->here) level->backend->copy(level->context, here, level->y, size);
  hymgi_axpby(level, 1, level->x, 1, level->y, level->x);
}

void hymgi_pairs_cycle(hymgi_hierarchy *h)
{
  hymgi_level *level = h->level;
  hymgi_smooth_from_zero(level);
  hymgi_residual(level, level->f, level->x, level->y);
  HYMGI_OPERATION(level, HYMGI_OP_COARSE, 3.25, correct(h->pairs, level));
  hymgi_smooth_transposed(level);
}
