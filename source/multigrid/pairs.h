/* Pairs: the levels below level 0 as graphs, for coefficients that no coarsening along axes can follow
 * (docs/numerics.md, "Pairs"). Nodes that are strongly coupled to each other are joined in pairs, once, whatever
 * their places in the grid; the coarse graph has the sums of conductances. On several ranks each has the nodes of
 * the large graphs whose heads it had on the graph above, on graph 0 those of its cells; one rank has the small graphs. */
#ifndef HYMGI_MULTIGRID_PAIRS_H
#define HYMGI_MULTIGRID_PAIRS_H

#include "distribution/index_plan.h"
#include "multigrid/hierarchy.h"

enum { HYMGI_MAX_GRAPHS = 64, HYMGI_LANES = 8 };

/* The nodes of whole slices. */
static inline size_t hymgi_whole_slices(int nodes)
{
  return ((size_t)nodes + HYMGI_LANES - 1) / HYMGI_LANES * HYMGI_LANES;
}

/* (D x)_i - sum over the edges of node i of weight x_to, with D_i = excess_i + sum of weights. Packed, nodes are in slices of
 * HYMGI_LANES, and edges of a slice are the first ones of its nodes, the second ones and so on, with weights of 0 where a node
 * has fewer. Arrays of nodes have zeros up to a whole slice. Of graph 0, whose rows are level 0, only the lists are kept. All
 * arrays are in one block (hymgi_graph_bind). Of a graph that is distributed this is a rank's part: places are its own, in the
 * order of the whole graph's, and ghosts, nodes of other ranks that it reads, follow behind whole slices. */
typedef struct hymgi_graph {
  int n;
  int nodes;    /* of the next graph; 0 on the coarsest one */
  int edges;    /* those of nodes, without the zeros */
  int rows;     /* rows of LANES edges in all slices */
  int ghosts;   /* of a part, */
  int children; /* and of its coarse nodes; of a whole graph n, or 0 on the coarsest one */
  int vectors;  /* the first so many of b, x, y, p, c, r */
  bool packed;  /* it is not graph 0 */
  bool coarsest;
  bool twice; /* solved by two cycles and a polynomial */
  bool may_have_matrix;
  int *slice;                 /* the rows of slice s are slice[s] <= row < slice[s + 1] */
  int *to;                    /* the node at the other end, */
  double *weight;             /* >= 0 */
  double *diagonal, *inverse; /* 1 / D, or 0 where that is 0 */
  /* to the next graph: n, its nodes + 1, children; NULL on the coarsest one */
  int *parent, *first, *child;
  /* of graph 0: the places of its nodes in a vector of level 0 */
  ptrdiff_t *at;
  double *matrix; /* times b: the solution with all graphs below (hymgi_matrix_doubles), or NULL */
  /* not of graph 0: the right-hand side, the solution and another vector for it, a direction; twice: the first
   * solution, its residual. Of a part of graph 0: b, the ghosts' residuals */
  double *b, *x, *y, *p, *c, *r;
  hymgi_index_plan
      *halo;     /* of a part: a vector's ghosts, of graph 0 from a vector of level 0 to b */
  double *block; /* owns all arrays; so many doubles of a memory */
  size_t doubles;
  const hymgi_memory *memory;
} hymgi_graph;

struct hymgi_pairs {
  hymg_context *context;
  const hymgi_backend *backend; /* that of level 0, which runs the cycle */
  const hymgi_memory *memory;   /* of blocks */
  const struct hymgi_graph_ops *ops;
  bool active; /* on all ranks: there are edges */
  int count;   /* of graphs that are here, in part or whole; 0: all are on another rank */
  int last;    /* the coarsest graph that a cycle visits: with a matrix, or the last one */
  int tail; /* the first graph that is solved in one operation with those below, or beyond `last` */
  hymgi_graph graph[HYMGI_MAX_GRAPHS];
  /* The first graph that one rank has alone, with all below, if those above it are distributed; else HYMGI_MAX_GRAPHS. Of its
   * nodes each rank has b and x of its own (part), which come together on that rank and come back */
  int gathered;
  hymgi_graph part;
  hymgi_index_plan *gather, *scatter;
  size_t bytes;
};

/* What a backend does with packed graphs in a cycle, in the same order, so that all have the same bits. Which of x, y, p, c
 * and r of a graph holds what between two operations is the backend's, but for x as the solution of the last one, c as the
 * first solution of a graph that is solved twice and r as its residual. An operation that reads ghosts exchanges them. */
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
  /* Optional: to be called before a graph is solved whose b comes from elsewhere than sum or descend */
  void (*begin)(hymg_context *context, hymgi_graph *graph);
  /* Optional: pairs->tail, and the solution of that graph with all below */
  int (*tail_from)(const struct hymgi_pairs *pairs);
  void (*tail)(struct hymgi_pairs *pairs);
  /* Of exchanges of parts (hymgi_index_mover); from so many nodes on a graph is in parts, unless options.gather_cells says
   * otherwise */
  void (*copy)(hymg_context *context, int64_t count, const int64_t *from, const int64_t *to,
               const double *source, double *target);
  int least_in_parts;
} hymgi_graph_ops;

/* graphs.c. The arrays of a graph, by its numbers, in a block or, without one, nowhere; returns the block's doubles. */
size_t hymgi_graph_bind(hymgi_graph *g, double *block);
/* The doubles of all but the vectors, which come last. */
size_t hymgi_graph_fixed_doubles(hymgi_graph g);
/* A block for them in the memory. */
hymg_status hymgi_graph_allocate(hymg_context *context, const hymgi_memory *memory, hymgi_graph *g);
/* What a cycle needs besides graphs that `maker` has made, in any memory: the matrix of small ones; then they move to the
 * memory of the backend that runs it. */
hymg_status hymgi_graphs_move(struct hymgi_pairs *pairs, const hymgi_backend *maker);
/* One of them. */
hymg_status hymgi_graph_move(const struct hymgi_pairs *pairs, hymgi_graph *g);
void hymgi_graph_release(hymg_context *context, hymgi_graph *g);
void hymgi_graphs_destroy(struct hymgi_pairs *pairs);
/* pairs.c. In vectors in which the nodes of graph 0 have their places, other entries of x are left: x = the correction for r
 * or, with `add`, x += it. There are edges; x may be r. */
void hymgi_graphs_correct(struct hymgi_pairs *pairs, const double *r, bool add, double *x);
/* Graph l: x for b, with all graphs below. */
void hymgi_graphs_solve(struct hymgi_pairs *pairs, int l);
/* One cycle for level 0, from x = 0. */
void hymgi_pairs_cycle(hymgi_hierarchy *h);

#endif
