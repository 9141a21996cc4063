/* Pairs: the levels below level 0 as graphs, for coefficients that no coarsening along axes can follow
 * (docs/numerics.md, "Pairs"). Nodes that are strongly coupled to each other are joined in pairs, once, whatever
 * their places in the grid; the coarse graph has the sums of conductances. The graphs are on one rank, which gets the
 * residual of level 0 from the others and sends them the correction. */
#ifndef HYMGI_MULTIGRID_PAIRS_H
#define HYMGI_MULTIGRID_PAIRS_H

#include "multigrid/hierarchy.h"

enum { HYMGI_MAX_GRAPHS = 64, HYMGI_LANES = 8 };

/* The nodes of whole slices. */
static inline size_t hymgi_whole_slices(int nodes)
{
  return ((size_t)nodes + HYMGI_LANES - 1) / HYMGI_LANES * HYMGI_LANES;
}

/* (D x)_i - sum over the edges of node i of weight x_to, with D_i = excess_i + sum of weights. While graphs are made, the
 * edges of a node are one after the other; packed, nodes are in slices of HYMGI_LANES, and edges of a slice are the first
 * ones of its nodes, the second ones and so on, with weights of 0 where a node has fewer. Packed arrays of nodes have zeros
 * up to a whole slice. All arrays are owned and in host memory; where another backend runs the cycle, those of a packed graph
 * and of graph 0 without its edges are in one block of its memory instead. */
typedef struct hymgi_graph {
  int n;
  int *start; /* n + 1: the edges of node i are start[i] <= e < start[i + 1], each edge at both of
                 its ends; NULL once packed */
  ptrdiff_t *slice;           /* packed: the edges of slice s are slice[s] <= e < slice[s + 1] */
  ptrdiff_t edges;            /* packed: those of nodes, without the zeros */
  int *to;                    /* the node at the other end, */
  double *weight;             /* > 0; of graph 0 both are released after set-up */
  double *excess;             /* NULL once packed */
  double *diagonal, *inverse; /* packed: 1 / D, or 0 where that is 0 */
  /* to the next graph: n, its nodes + 1, n; NULL on the coarsest one */
  int *parent, *first, *child;
  ptrdiff_t *at; /* of graph 0: the places of its nodes in a vector of `whole` or of level 0 */
  bool twice;    /* solved by two cycles and a polynomial */
  /* not of graph 0: the right-hand side, the solution and another vector for it, a direction; twice: the first
   * solution, its residual */
  double *b, *x, *y, *p, *c, *r;
  double *matrix;  /* times b: the solution with all graphs below (hymgi_matrix_doubles), or NULL */
  double *vectors; /* owns these */
  double *block;   /* owns all arrays, if not NULL; so many doubles */
  size_t doubles;
} hymgi_graph;

struct hymgi_pairs {
  hymg_context *context;
  const hymgi_backend *backend; /* that of level 0, which runs the cycle */
  const hymgi_memory *memory;   /* of blocks; NULL: graphs stay where the host has made them */
  const struct hymgi_graph_ops *ops;
  bool active; /* on all ranks: there are edges */
  int count;   /* 0 on other ranks than that of the graphs */
  int last;    /* the coarsest graph that a cycle visits: with a matrix, or the last one */
  int tail; /* the first graph that is solved in one operation with those below, or beyond `last` */
  hymgi_graph graph[HYMGI_MAX_GRAPHS];
  hymgi_level *whole; /* level 0 as one box; NULL if it is one box */
  double *values;     /* a vector of whole, 0 where there is no node */
  size_t bytes;
};

/* How the host makes graphs: all in stored order, so that the bits do not depend on the threads. threads: how many there may
 * be. Functions that allocate return ENOMEM, and leave what they have allocated in the graph. */
typedef struct hymgi_graph_setup {
  const struct hymgi_graph_ops *ops; /* for cycles in its memory */
  /* of each cell of level 0: the conductances of its high faces, 0 at boundaries; to excess, those of boundaries are
   * added */
  void (*couplings)(const hymgi_level *level, double *const high[3], double *excess);
  /* graph 0 from them; cells without any get no node. level: of one box */
  hymg_status (*finest)(const hymgi_level *level, double *const high[3], const double *excess,
                        hymgi_graph *graph);
  /* graph->parent; *nodes: of the next graph. all: whole components in place of pairs */
  hymg_status (*match)(hymg_context *context, int threads, hymgi_graph *graph, bool all,
                       int *nodes);
  /* the next graph, and the children in `fine` */
  hymg_status (*coarsen)(hymg_context *context, int threads, hymgi_graph *fine, int nodes,
                         hymgi_graph *coarse);
  /* packs the graph, whose nodes change places, and so do those of `fine`'s lists */
  hymg_status (*pack)(hymg_context *context, int threads, hymgi_graph *fine, hymgi_graph *graph);
} hymgi_graph_setup;

/* What a backend does with packed graphs in a cycle, in the same order, so that all have the same bits. Which of x, y, p, c
 * and r of a graph holds what between two operations is the backend's, but for x as the solution of the last one, c as the
 * first solution of a graph that is solved twice and r as its residual. */
typedef struct hymgi_graph_ops {
  /* graph 0 and a vector of cells: coarse->b, sums of r over children; add: x += coarse->x of the parent, else = */
  void (*sum)(hymg_context *context, const hymgi_graph *finest, const double *r,
              hymgi_graph *coarse);
  void (*spread)(hymg_context *context, const hymgi_graph *finest, const hymgi_graph *coarse,
                 bool add, double *x);
  /* smooths x from 0 for b, then coarse->b; adds coarse->x, smooths. second: of a graph that is solved twice, then x is the
   * combination of c and x (formulas/graph.h) */
  void (*descend)(hymg_context *context, hymgi_graph *fine, hymgi_graph *coarse);
  void (*ascend)(hymg_context *context, const hymgi_graph *coarse, hymgi_graph *fine, bool second);
  /* pairs->last: x = matrix b, a row's products as in coarse_multiply (backend.h) but without fused multiply-adds; without a
   * matrix b / D, or 0 where that is 0 */
  void (*finish)(hymg_context *context, hymgi_graph *graph);
  /* r = b - A c */
  void (*residual)(hymg_context *context, hymgi_graph *graph);
  /* Optional: pairs->tail, and the solution of that graph with all below */
  int (*tail_from)(const struct hymgi_pairs *pairs);
  void (*tail)(struct hymgi_pairs *pairs);
} hymgi_graph_ops;

/* graphs.c. build: graphs below graph 0 and what they need, on the rank that has it; cells: of level 0. Releases the edges of
 * graph 0. destroy: graphs alone. */
hymg_status hymgi_graphs_build(hymg_context *context, const hymgi_graph_setup *setup, int64_t cells,
                               struct hymgi_pairs *pairs);
void hymgi_graphs_destroy(struct hymgi_pairs *pairs);
/* pairs.c. In vectors in which the nodes of graph 0 have their places, other entries of x are left: x = the correction for r
 * or, with `add`, x += it. There are edges; x may be r. */
void hymgi_graphs_correct(struct hymgi_pairs *pairs, const double *r, bool add, double *x);
/* Graph l: x for b, with all graphs below. */
void hymgi_graphs_solve(struct hymgi_pairs *pairs, int l);
/* One cycle for level 0, from x = 0. */
void hymgi_pairs_cycle(hymgi_hierarchy *h);

#endif
