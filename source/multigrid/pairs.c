/* The cycle over the graphs of the pairs (graphs.c makes them). */
#include "multigrid/pairs.h"

#include "multigrid/level_ops.h"

/* Graph l as the one above it sees it. */
static hymgi_graph *below(struct hymgi_pairs *p, int l)
{
  return l == p->gathered ? &p->part : p->graph + l;
}

static void cycle(struct hymgi_pairs *p, int l, bool second)
{
  const hymgi_graph_ops *const ops = p->ops;
  hymgi_graph *const g = p->graph + l, *const coarse = below(p, l + 1);
  ops->descend(p->context, g, coarse);
  hymgi_graphs_solve(p, l + 1);
  ops->ascend(p->context, coarse, g, second);
}

static void exchange(double **a, double **b)
{
  double *const kept = *a;
  *a = *b;
  *b = kept;
}

static void solve_twice(struct hymgi_pairs *p, int l)
{
  const hymgi_graph_ops *const ops = p->ops;
  hymgi_graph *const g = p->graph + l;
  cycle(p, l, false);
  exchange(&g->x, &g->c);
  ops->residual(p->context, g);
  exchange(&g->b, &g->r);
  cycle(p, l, true);
  exchange(&g->b, &g->r);
}

static void solve_here(struct hymgi_pairs *p, int l)
{
  const hymgi_graph_ops *const ops = p->ops;
  if (l == p->tail)
    ops->tail(p);
  else if (l == p->last)
    ops->finish(p->context, p->graph + l);
  else if (p->graph[l].twice)
    solve_twice(p, l);
  else
    cycle(p, l, false);
}

static void gather(struct hymgi_pairs *p, int l)
{
  hymgi_graph *const g = p->graph + l;
  hymgi_index_plan_run(p->gather, p->part.b, g->b);
  if (l < p->count && p->ops->begin) p->ops->begin(p->context, g);
}

void hymgi_graphs_solve(struct hymgi_pairs *p, int l)
{
  if (l == p->gathered) gather(p, l);
  if (l < p->count) solve_here(p, l);
  if (l == p->gathered) hymgi_index_plan_run(p->scatter, p->graph[l].x, p->part.x);
}

void hymgi_graphs_correct(struct hymgi_pairs *p, const double *r, bool add, double *x)
{
  const hymgi_graph_ops *const ops = p->ops;
  ops->sum(p->context, p->graph, r, below(p, 1));
  hymgi_graphs_solve(p, 1);
  ops->spread(p->context, p->graph, below(p, 1), add, x);
}

void hymgi_pairs_cycle(hymgi_hierarchy *h)
{
  hymgi_level *level = h->level;
  hymgi_smooth_from_zero(level);
  hymgi_residual(level, level->f, level->x, level->y);
  HYMGI_OPERATION(level, HYMGI_OP_COARSE, 3.25,
                  hymgi_graphs_correct(h->pairs, level->y, true, level->x));
  hymgi_smooth_transposed(level);
}
