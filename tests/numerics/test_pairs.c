/* Pairs: matching and coarse graphs against slow ones of dense matrices, on random graphs and on those that tempt a
 * matching into chains; the histories of docs/numerics.md; solves with any threads. That a cycle is symmetric and positive
 * definite is in test_robust.c. */
#include "api/solver.h"
#include "multigrid/graph_setup.h"
#include "oracle/graph.h"
#include "oracle/trial.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static hymg_context *context_of(int threads)
{
  hymg_context_options options = hymg_context_options_default();
  options.threads = threads;
  hymg_context *c = NULL;
  ck_assert_int_eq(hymg_context_create(&options, &c), HYMG_OK);
  return c;
}

/* ---- graphs from dense matrices ---- */

/* A builder on the host, with room for graph 0. */
static hymgi_graph_builder builder_of(hymg_context *c, struct hymgi_pairs *p, int n, int edges)
{
  const hymgi_backend *const host = hymgi_cpu_backend();
  hymgi_graph_builder b = {
      .context = c, .backend = host, .memory = host->memory, .pairs = p, .cells = n};
  if (p) p->context = c, p->backend = host, p->memory = host->memory;
  OK(c, hymgi_graph_begin_raw(&b, n, edges, false));
  return b;
}

/* The couplings t (n x n, symmetric, 0: none) with the neighbours of each node in descending order of a random key; alone:
 * an excess everywhere. */
static hymgi_graph_builder graph_of(hymg_context *c, struct hymgi_pairs *p, int n, const double *t,
                                    const double *excess, unsigned seed)
{
  const size_t cells = (size_t)n;
  int edges = 0;
  for (size_t q = 0; q < cells * cells; q++)
    edges += t[q] > 0;
  const hymgi_graph_builder b = builder_of(c, p, n, edges);
  const hymgi_raw_graph g = b.w.g;
  for (int i = 0, e = 0; i < n; i++) {
    double off = 0;
    g.start[i] = e;
    const int first = n > 1 ? (int)((seed + 7u * (unsigned)i) % (unsigned)n) : 0;
    for (int m = 0; m < n; m++) {
      const int j = (first + m) % n;
      if (!(t[i * n + j] > 0)) continue;
      g.to[e] = j, g.weight[e++] = t[i * n + j];
      off += t[i * n + j];
    }
    g.end[i] = e;
    g.id[i] = i;
    g.excess[i] = excess[i];
    g.diagonal[i] = excess[i] + off;
  }
  return b;
}

static struct hymgi_pairs *built(hymgi_graph_builder b)
{
  OK(b.context, hymgi_graph_build_all(&b));
  hymgi_graph_end(&b);
  OK(b.context, hymgi_graphs_move(b.pairs, b.backend));
  return b.pairs;
}

enum { SPARSE, DENSE, TIES, CHAIN, STAR, LONE, PIECES, KINDS };

static double *couplings(int kind, int n, unsigned seed)
{
  double *t = calloc((size_t)n * (size_t)n + 1, sizeof *t);
  double *u = support_random(2 * (size_t)n * (size_t)n + 2, 0, 1, seed);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const double a = u[2 * (i * n + j)], w = u[2 * (i * n + j) + 1];
      bool there = kind == SPARSE   ? a < 4.0 / n
                   : kind == DENSE  ? a < 0.7
                   : kind == TIES   ? a < 5.0 / n
                   : kind == CHAIN  ? j == i - 1
                   : kind == STAR   ? j == 0
                   : kind == PIECES ? a < 8.0 / n && i % 5 == j % 5
                                    : false;
      if (there) t[i * n + j] = t[j * n + i] = kind == TIES ? 1 : pow(10, 12 * w - 6);
      if (there && kind == CHAIN) t[i * n + j] = t[j * n + i] = 1 + 0.01 * i;
    }
  free(u);
  return t;
}

/* ---- matching and coarsening ---- */

static void compare_coarse(const hymgi_raw_graph *g, int nodes, const double *want,
                           const double *excess)
{
  double *seen = calloc((size_t)nodes * (size_t)nodes + 1, sizeof *seen);
  ck_assert_int_eq(g->n, nodes);
  for (int i = 0; i < nodes; i++) {
    double off = 0;
    for (int e = g->start[i]; e < g->end[i]; e++) {
      const double w = want[i * nodes + g->to[e]];
      ck_assert(g->to[e] != i && seen[i * nodes + g->to[e]] == 0);
      ck_assert_double_le(fabs(g->weight[e] - w), 1e-14 * w);
      seen[i * nodes + g->to[e]] = g->weight[e];
      off += g->weight[e];
    }
    for (int j = 0; j < nodes; j++)
      ck_assert((seen[i * nodes + j] > 0) == (want[i * nodes + j] > 0));
    ck_assert_double_le(fabs(g->excess[i] - excess[i]), 1e-14 * excess[i]);
    ck_assert_double_le(fabs(g->diagonal[i] - excess[i] - off), 1e-14 * g->diagonal[i]);
  }
  free(seen);
}

/* Ids as of cells of a grid of more than 2^32, some of which are nodes. */
static void spread_ids(const hymgi_raw_graph *g, unsigned seed)
{
  double *const gap = support_random((size_t)g->n + 1, 0, 1, seed);
  for (int i = 0; i < g->n; i++)
    g->id[i] = (i ? g->id[i - 1] : 0) + 1 + (gap[i] < 0.5 ? 0 : (int64_t)(1e10 * gap[i]));
  free(gap);
}

/* One step, at most. */
static void compare_step(hymg_context *c, int kind, int n, unsigned seed)
{
  double *t = couplings(kind, n, seed), *excess = support_random((size_t)n + 1, -1, 1, seed + 1);
  for (int i = 0; i < n; i++)
    excess[i] = fmax(excess[i], 0);
  hymgi_graph_builder b = graph_of(c, NULL, n, t, excess, seed);
  int *want = malloc(sizeof *want * (size_t)(n + 1)), nodes;
  int64_t *id = malloc(sizeof *id * (size_t)(n + 1));
  spread_ids(&b.w.g, seed + 2);
  OK(c, hymgi_graph_begin_nodes(&b));
  b.w.graph = (int)(seed % 9);
  hymgi_graph_match(&b, false, &nodes);
  ck_assert_int_eq(nodes, oracle_parents(t, b.w.g.id, n, b.w.graph, want, id));
  for (int i = 0; i < n; i++)
    ck_assert_msg(b.w.parent[i] == want[i], "kind %d, %d nodes: node %d in %d, not %d", kind, n, i,
                  b.w.parent[i], want[i]);
  OK(c, hymgi_graph_coarsen(&b, nodes));
  double *sums = oracle_coarse(t, n, want, nodes), *e = calloc((size_t)nodes + 1, sizeof *e);
  for (int i = 0; i < n; i++)
    e[want[i]] += excess[i];
  compare_coarse(&b.w.coarse, nodes, sums, e);
  ck_assert_mem_eq(b.w.coarse.id, id, (size_t)nodes * sizeof *id);
  free(id);
  free(sums);
  free(e);
  free(want);
  free(t);
  free(excess);
  hymgi_graph_end(&b);
}

START_TEST(matching_and_coarse_graphs_are_those_of_dense_matrices)
{
  hymg_context *c = context_of(1);
  for (unsigned seed = 1; seed < (support_small() ? 4u : 40u); seed++)
    for (int n = 1; n < 60; n += 1 + (int)(seed % 5) + n / 7)
      compare_step(c, _i, n, 1000 * seed + (unsigned)n);
  hymg_context_destroy(&c);
}
END_TEST

/* A random graph of so many nodes on a ring with long ties. */
static hymgi_graph_builder large_graph(hymg_context *c, struct hymgi_pairs *p, int n)
{
  enum { REACHES = 3 };
  static const int reach[REACHES] = {1, 37, 411};
  const hymgi_graph_builder b = builder_of(c, p, n, 2 * REACHES * n);
  const hymgi_raw_graph g = b.w.g;
  double *w = support_random(REACHES * (size_t)n, -3, 3, 5);
  for (int i = 0, e = 0; i < n; i++) {
    g.start[i] = e;
    for (int m = 0; m < REACHES; m++) {
      const int low = (i + n - reach[m]) % n;
      g.to[e] = (i + reach[m]) % n, g.weight[e++] = pow(10, w[m * n + i]);
      g.to[e] = low, g.weight[e++] = pow(10, w[m * n + low]);
    }
    g.end[i] = e;
    g.excess[i] = g.diagonal[i] = 0;
    g.id[i] = i;
  }
  free(w);
  return b;
}

/* What set-up has made: all before the vectors. */
static size_t made_doubles(const hymgi_graph *g)
{
  return g->packed ? (size_t)(g->b - g->block) : g->doubles;
}

START_TEST(graphs_have_the_same_bits_with_any_threads)
{
  enum { NODES = 40000 };
  struct hymgi_pairs *p[2];
  hymg_context *c[2];
  for (int m = 0; m < 2; m++) {
    c[m] = context_of(m ? 2 + _i : 1);
    p[m] = calloc(1, sizeof **p);
    built(large_graph(c[m], p[m], NODES));
  }
  ck_assert_int_eq(p[0]->count, p[1]->count);
  ck_assert_int_lt(p[0]->graph[1].n, NODES / 2 + 1);
  for (int l = 0; l < p[0]->count; l++) {
    const size_t doubles = made_doubles(p[0]->graph + l);
    ck_assert_uint_eq(doubles, made_doubles(p[1]->graph + l));
    ck_assert(support_same_bits(doubles, p[0]->graph[l].block, p[1]->graph[l].block));
  }
  for (int m = 0; m < 2; m++) {
    hymgi_graphs_destroy(p[m]);
    free(p[m]);
    hymg_context_destroy(c + m);
  }
}
END_TEST

/* ---- without memory ---- */

static int left, alive; /* allocations that succeed; blocks that are there */

static hymg_status alloc_some(hymg_context *c, size_t doubles, double **data)
{
  if (left-- <= 0) return hymgi_fail(c, HYMG_ENOMEM, "no memory for a test");
  alive++;
  return hymgi_cpu_backend()->memory->alloc(c, doubles, data);
}

static void release_some(hymg_context *c, double *data, size_t doubles)
{
  alive--;
  hymgi_cpu_backend()->memory->release(c, data, doubles);
}

static const hymgi_memory scarce = {"scarce", true, false, true, alloc_some, release_some, NULL},
                          other = {"other", true, false, true, alloc_some, release_some, NULL};

/* All graphs in one memory, then moved to another one, with so many allocations. */
static hymg_status build_with(int allocations, int *count)
{
  hymg_context *c = context_of(1);
  struct hymgi_pairs *p = calloc(1, sizeof *p);
  hymgi_graph_builder from = large_graph(c, NULL, 1000), b = {.context = c, .pairs = p};
  left = allocations;
  b.backend = p->backend = from.backend, b.memory = &scarce, b.cells = 1000;
  p->context = c, p->memory = &other;
  hymg_status status = hymgi_graph_begin_raw(&b, 1000, from.w.g.edges, false);
  if (status == HYMG_OK)
    memcpy(b.block[HYMGI_RAW], from.block[HYMGI_RAW], 8 * b.doubles[HYMGI_RAW]);
  if (status == HYMG_OK) status = hymgi_graph_build_all(&b);
  hymgi_graph_end(&b);
  if (status == HYMG_OK) status = hymgi_graphs_move(p, b.backend);
  *count = p->count;
  for (int l = 0; l < p->count && status == HYMG_OK; l++)
    ck_assert_ptr_eq(p->graph[l].memory, &other);
  hymgi_graphs_destroy(p);
  hymgi_graph_end(&from);
  free(p);
  hymg_context_destroy(&c);
  return status;
}

START_TEST(nothing_is_lost_without_memory)
{
  int allocations = 0, count;
  alive = 0;
  for (hymg_status status = HYMG_ENOMEM; status != HYMG_OK; allocations++) {
    status = build_with(allocations, &count);
    ck_assert(status == HYMG_OK || status == HYMG_ENOMEM);
    ck_assert_int_eq(alive, 0);
  }
  ck_assert_int_gt(allocations, 2 * count);
}
END_TEST

START_TEST(sums_are_of_all_before)
{
  static const int sizes[] = {0, 1, 2, 7, 255, 256, 2047, 2048, 2049, 16384, 100000, 1234567};
  hymg_context *c = context_of(1 + _i);
  for (size_t m = 0; m < sizeof sizes / sizeof *sizes; m++) {
    const int n = sizes[m];
    int *const v = malloc(hymgi_sum_room((size_t)n) * sizeof *v);
    for (int i = 0; i < n; i++)
      v[i] = (int)((unsigned)i * 2654435761u >> 26);
    int want = hymgi_cpu_backend()->graph_setup->sum(c, n, v), before = 0;
    for (int i = 0; i < n; i++) {
      ck_assert_int_eq(v[i], before);
      before += (int)((unsigned)i * 2654435761u >> 26);
    }
    ck_assert_int_eq(v[n], before);
    ck_assert_int_eq(want, before);
    free(v);
  }
  hymg_context_destroy(&c);
}
END_TEST

/* Each child once, under its parent, in ascending order of what it was: for graph 0 of its number. */
static void check_lists(const hymgi_graph *fine, int nodes)
{
  ck_assert_int_eq(fine->first[0], 0);
  ck_assert_int_eq(fine->first[nodes], fine->n);
  for (int I = 0; I < nodes; I++) {
    ck_assert_int_lt(fine->first[I], fine->first[I + 1]);
    for (int m = fine->first[I]; m < fine->first[I + 1]; m++) {
      ck_assert_int_eq(fine->parent[fine->child[m]], I);
      if (!fine->packed && m > fine->first[I]) ck_assert_int_gt(fine->child[m], fine->child[m - 1]);
    }
  }
}

/* A packed graph's residual is that of a dense matrix. */
static void compare_packed(hymg_context *c, const hymgi_graph *g, const double *t,
                           const double *excess, unsigned seed)
{
  const int n = g->n;
  const size_t whole = hymgi_whole_slices(n);
  double *b = support_random(whole, -1, 1, seed), *x = support_random(whole, -1, 1, seed + 1);
  double *r = support_poison(whole);
  hymgi_graph with = *g;
  with.b = b, with.c = x, with.r = r;
  hymgi_cpu_backend()->graphs->residual(c, &with);
  for (int i = 0; i < n; i++) {
    double want = b[i] - excess[i] * x[i], size = fabs(b[i]) + excess[i];
    for (int j = 0; j < n; j++) {
      want += t[i * n + j] * (x[j] - x[i]);
      size += 2 * t[i * n + j];
    }
    ck_assert_double_le(fabs(r[i] - want), 1e-13 * size);
    ck_assert(g->inverse[i] == (g->diagonal[i] > 0 ? 1 / g->diagonal[i] : 0));
  }
  free(b);
  free(x);
  free(r);
}

static void compare_hierarchy(hymg_context *c, int kind, int n, unsigned seed)
{
  double *t = couplings(kind, n, seed), *excess = support_random((size_t)n + 1, -1, 1, seed + 1);
  for (int i = 0; i < n; i++)
    excess[i] = fmax(excess[i], 0);
  struct hymgi_pairs *p = calloc(1, sizeof *p);
  built(graph_of(c, p, n, t, excess, seed));
  for (int l = 1; l < p->count; l++) {
    hymgi_graph *const fine = p->graph + l - 1, *const g = p->graph + l;
    check_lists(fine, g->n);
    double *sums = oracle_coarse(t, fine->n, fine->parent, g->n);
    double *e = calloc((size_t)g->n + 1, sizeof *e);
    for (int i = 0; i < fine->n; i++)
      e[fine->parent[i]] += excess[i];
    free(t);
    free(excess);
    t = sums, excess = e;
    compare_packed(c, g, t, excess, seed + (unsigned)l);
  }
  hymgi_graphs_destroy(p);
  free(p);
  free(t);
  free(excess);
}

START_TEST(packed_graphs_are_dense_matrices)
{
  hymg_context *c = context_of(1);
  for (unsigned seed = 1; seed < (support_small() ? 3u : 12u); seed++)
    for (int n = 1; n < 700; n += 1 + (int)(seed % 5) + n / 2)
      compare_hierarchy(c, _i, n, 1000 * seed + (unsigned)n);
  hymg_context_destroy(&c);
}
END_TEST

/* The solution of the last graph by its matrix, and by the cycle over those below. */
static void compare_matrix(struct hymgi_pairs *p, unsigned seed)
{
  enum { SUMS = HYMGI_MATRIX_SUMS };
  const int last = p->last;
  hymgi_graph *const g = p->graph + last;
  double *const b = support_random((size_t)g->n, -1, 1, seed), *const x =
                                                                   support_poison((size_t)g->n);
  memcpy(g->b, b, (size_t)g->n * sizeof *b);
  hymgi_graphs_solve(p, last);
  memcpy(x, g->x, (size_t)g->n * sizeof *x);
  p->last = p->count - 1;
  memcpy(g->b, b, (size_t)g->n * sizeof *b);
  hymgi_graphs_solve(p, last);
  p->last = last;
  support_assert_close("x", "by a matrix", (size_t)g->n, x, g->x, 1e-9);
  for (int i = 0; i < g->n; i++)
    for (int j = 0; j < i; j++) {
      const double low = g->matrix[(j / SUMS * g->n + i) * SUMS + j % SUMS];
      const double high = g->matrix[(i / SUMS * g->n + j) * SUMS + i % SUMS];
      ck_assert_double_le(fabs(low - high),
                          1e-9 * (fabs(low) + fabs(high)) + 1e-12 / g->diagonal[i]);
    }
  free(b);
  free(x);
}

START_TEST(small_graphs_are_solved_by_a_matrix)
{
  static const int least[KINDS] = {[SPARSE] = 4, [TIES] = 4};
  int made = 0;
  hymg_context *c = context_of(1);
  for (unsigned seed = 1; seed < 9; seed++) {
    const int n = 70 + 40 * (int)seed;
    double *t = couplings(_i, n, seed), *excess = support_random((size_t)n, 0, 1, seed);
    struct hymgi_pairs *p = calloc(1, sizeof *p);
    built(graph_of(c, p, n, t, excess, seed));
    const hymgi_graph *const g = p->graph + p->last;
    ck_assert(!g->matrix == (p->last == p->count - 1));
    if (g->matrix) {
      ck_assert(g->n <= HYMGI_MATRIX_CELLS && (p->last == 1 || g[-1].n > HYMGI_MATRIX_CELLS));
      compare_matrix(p, seed);
      made++;
    }
    hymgi_graphs_destroy(p);
    free(p);
    free(t);
    free(excess);
  }
  ck_assert_int_ge(made, least[_i]);
  hymg_context_destroy(&c);
}
END_TEST

/* Couplings that grow by 5 from node to node: only the last one finds a partner that wants it. */
START_TEST(a_chain_without_partners_ends)
{
  enum { NODES = 400 };
  hymg_context *c = context_of(1);
  double *t = calloc((size_t)NODES * NODES, sizeof *t), excess[NODES] = {0};
  for (int i = 1; i < NODES; i++)
    t[i * NODES + i - 1] = t[(i - 1) * NODES + i] = pow(5, i - NODES / 2);
  struct hymgi_pairs *p = calloc(1, sizeof *p);
  built(graph_of(c, p, NODES, t, excess, 1));
  ck_assert_int_eq(p->count, HYMGI_MAX_GRAPHS);
  ck_assert_int_eq(p->graph[p->count - 1].n, 1);
  ck_assert_int_eq(p->graph[p->count - 1].edges, 0);
  ck_assert(p->graph[p->count - 1].diagonal[0] == 0);
  ck_assert_int_eq(p->last, p->count - 1); /* a matrix would lose all digits */
  hymgi_graphs_destroy(p);
  free(p);
  free(t);
  hymg_context_destroy(&c);
}
END_TEST

/* ---- in a solver ---- */

static struct hymgi_pairs *pairs_of(const trial *t)
{
  struct hymgi_pairs *p = t->k.solver->h.pairs;
  ck_assert_ptr_nonnull(p);
  return p;
}

/* Two blocks an axis, strongly coupled along x or along y. */
static trial rotated(int n, double ratio)
{
  const int cells[3] = {n, n, 1};
  trial t = trial_plain(cells, "dd dd nn", (const double[3]){1.0 / n, 1.0 / n, 1.0});
  for (int d = 0; d < 2; d++)
    for (int j = 0, q = 0; j < n + (d == 1); j++)
      for (int i = 0; i < n + (d == 0); i++, q++) {
        double resistance = 0;
        int sides = 0;
        for (int side = 0; side < 2; side++) {
          const int x = i - (d == 0 && side), y = j - (d == 1 && side);
          if (x < 0 || y < 0 || x == n || y == n) continue;
          const bool along_x = (2 * x / n + 2 * y / n) % 2;
          resistance += 1 / (along_x == (d == 0) ? ratio : 1);
          sides++;
        }
        t.c.beta[d][q] = sides / resistance;
      }
  for (int j = 0, q = 0; j < n; j++)
    for (int i = 0; i < n; i++, q++)
      t.f[q] = 1 + (i + 0.5) / n * ((j + 0.5) / n) + 0.25;
  t.o.transfer = HYMG_TRANSFER_PAIRS;
  return t;
}

START_TEST(the_history_is_that_of_the_reference)
{
  static const int nodes[] = {1024, 435, 182, 64, 28, 13, 6, 3, 1};
  static const double want[] = {
      2.9011570963e+00, 8.9155358073e-01, 3.2870255299e-01, 1.2125920344e-01, 4.4326298491e-02,
      2.8688395359e-02, 7.9944431546e-03, 4.7769557534e-03, 2.0907638938e-03, 6.7311400916e-04,
      2.9956080533e-04, 1.0187404096e-04, 5.9715198132e-05, 2.2942541456e-05, 1.0850522079e-05,
      4.8183349641e-06, 1.6028457368e-06, 6.9495004151e-07, 2.6473609799e-07, 1.2543311196e-07,
      3.6884269966e-08, 1.1987750705e-08, 5.5443054517e-09, 1.6052389588e-09, 6.4665733135e-10,
      3.1661670377e-10, 1.2533491308e-10, 3.0741171537e-11};
  trial t = rotated(32, 1e3);
  const hymg_result r = trial_solve(&t, NULL);
  const struct hymgi_pairs *p = pairs_of(&t);
  double scale = 0;
  for (size_t q = 0; q < t.cells; q++)
    scale += t.f[q] * t.f[q];
  ck_assert_int_eq(p->count, 9);
  for (int l = 0; l < 9; l++)
    ck_assert_int_eq(p->graph[l].n, nodes[l]);
  ck_assert_int_ge(r.cycles, 28);
  ck_assert_int_le(r.cycles, 29);
  for (int m = 0; m < 28; m++) {
    const double got = r.history[m].residual_max / r.rhs_max;
    ck_assert_msg(fabs(got - want[m]) <= (m < 16 ? 1e-7 : 1e-4) * want[m],
                  "iteration %d: %.10e, not %.10e", m, got, want[m]);
  }
  trial_close(&t);
}
END_TEST

static double nonzeros(const trial *t)
{
  const struct hymgi_pairs *p = pairs_of(t);
  double sum = 0;
  for (int l = 1; l < p->count; l++)
    sum += (double)p->graph[l].edges + p->graph[l].n;
  return sum;
}

/* Without coarse strengths a uniform grid has chains, and several times the nonzeros. */
START_TEST(uniform_grids_have_few_levels_and_nonzeros)
{
  static const int n[3][3] = {{32, 32, 32}, {300, 8, 8}, {80, 80, 1}};
  trial t = trial_plain(n[_i], _i == 2 ? "dd dd nn" : "dd dd dd", (const double[3]){1, 1, 1});
  t.o.transfer = HYMG_TRANSFER_PAIRS;
  trial_open(&t);
  ck_assert_double_le(nonzeros(&t), 1.6 * 7 * (double)t.cells);
  ck_assert_int_le(pairs_of(&t)->count, 18);
  trial_close(&t);
}
END_TEST

static double need(const trial *t, hymg_transfer transfer)
{
  hymg_options o = t->o;
  hymg_need n;
  o.transfer = transfer;
  OK(t->k.context, hymg_solver_need(t->k.grid, &t->k.desc, HYMG_VARIABLE_BETA, &o, &n));
  return n.level[0].coefficients;
}

/* The estimate is for beta of 1. */
START_TEST(the_memory_of_graphs_is_told)
{
  trial t = trial_of((const int[3]){40, 30, 35}, "dd dd dd", _i ? TRIAL_JUMPS : 0);
  if (!_i)
    for (int d = 0; d < 3; d++)
      t.c.spec.beta[d] = NULL;
  t.o.transfer = HYMG_TRANSFER_PAIRS;
  trial_open(&t);
  const double told = need(&t, HYMG_TRANSFER_PAIRS) - need(&t, HYMG_TRANSFER_CONSTANT);
  const double taken = (double)pairs_of(&t)->bytes;
  ck_assert_msg(taken <= told * (_i ? 1.5 : 1) && told <= 1.5 * taken,
                "%.0f bytes a cell are told, %.0f are taken", told / (double)t.cells,
                taken / (double)t.cells);
  trial_close(&t);
}
END_TEST

static const struct case_of {
  int n[3];
  const char *boundary;
  unsigned kind;
} cases[] = {{{12, 9, 7}, "dd dd dd", TRIAL_JUMPS | TRIAL_WIDTHS},
             {{12, 9, 7}, "dn nd nn", TRIAL_JUMPS},
             {{8, 2, 3}, "pp pp pp", TRIAL_JUMPS | TRIAL_ALPHA},
             {{9, 10, 2}, "pp pp pp", TRIAL_JUMPS},
             {{14, 1, 1}, "dd nn nn", TRIAL_JUMPS},
             {{1, 1, 1}, "dd dd dd", 0},
             {{2, 1, 1}, "pp pp dd", 0},
             {{11, 8, 6}, "dr rd pp", TRIAL_JUMPS | TRIAL_ROBIN | TRIAL_DATA},
             {{11, 8, 6}, "dd dd dd", TRIAL_JUMPS | TRIAL_QUADRATIC | TRIAL_DATA},
             {{10, 10, 10}, "dd nn pp", TRIAL_JUMPS | TRIAL_FIXED},
             {{9, 9, 9}, "nn nn nn", TRIAL_FIXED},
             {{48, 30, 30}, "dd dn pp", TRIAL_JUMPS}};
enum { CASES = sizeof cases / sizeof *cases };

static trial case_trial(int i, hymg_transfer transfer)
{
  trial t = trial_of(cases[i].n, cases[i].boundary, cases[i].kind);
  t.o.transfer = transfer;
  t.o.rtol = 1e-11;
  t.o.max_cycles = 300;
  return t;
}

START_TEST(solutions_are_those_of_the_weighted_transfer)
{
  trial a = case_trial(_i, HYMG_TRANSFER_WEIGHTED), b = case_trial(_i, HYMG_TRANSFER_PAIRS);
  double *want = support_poison(a.cells), *got = support_poison(b.cells);
  trial_solve(&a, want);
  const hymg_result r = trial_solve(&b, got);
  ck_assert_msg(r.converged, "%s: %s", b.c.name, r.note);
  support_assert_close("u", b.c.name, a.cells, got, want, 1e-6);
  free(want);
  free(got);
  trial_close(&a);
  trial_close(&b);
}
END_TEST

START_TEST(solves_have_the_same_bits_with_any_threads)
{
  double *u[2];
  int cycles[2];
  for (int m = 0; m < 2; m++) {
    trial t = case_trial(CASES - 1, HYMG_TRANSFER_PAIRS);
    t.threads = m ? 2 + _i : 1;
    u[m] = support_poison(t.cells);
    cycles[m] = trial_solve(&t, u[m]).cycles;
    ck_assert(!m || support_same_bits(t.cells, u[0], u[1]));
    trial_close(&t);
  }
  ck_assert_int_eq(cycles[0], cycles[1]);
  free(u[0]);
  free(u[1]);
}
END_TEST

/* A second solver with the new coefficients has the same iterations. */
START_TEST(an_update_makes_the_graphs_anew)
{
  trial t = case_trial(0, HYMG_TRANSFER_PAIRS), fresh = case_trial(0, HYMG_TRANSFER_PAIRS);
  const double before_nodes = (trial_open(&t), nonzeros(&t));
  for (int d = 0; d < 3; d++) {
    size_t faces = 1;
    for (int a = 0; a < 3; a++)
      faces *= (size_t)(t.c.spec.n[a] + (a == d));
    for (size_t q = 0; q < faces; q++)
      fresh.c.beta[d][q] = t.c.beta[d][q] * (q % 3 ? 1 : 1e4);
    const int n[3] = {t.c.spec.n[0] + (d == 0), t.c.spec.n[1] + (d == 1), t.c.spec.n[2] + (d == 2)};
    const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    OK(t.k.context, hymg_field_write(t.k.coefficient[1 + d], (const int[3]){0, 0, 0}, n, stride,
                                     fresh.c.beta[d], HYMG_HOST));
  }
  OK(t.k.context, hymg_solver_update(t.k.solver));
  double *got = support_poison(t.cells), *want = support_poison(t.cells);
  trial_solve(&t, got);
  trial_solve(&fresh, want);
  ck_assert(nonzeros(&t) == nonzeros(&fresh) && nonzeros(&t) != before_nodes);
  ck_assert(support_same_bits(t.cells, got, want));
  free(got);
  free(want);
  trial_close(&t);
  trial_close(&fresh);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("pairs");
  TCase *c = tcase_create("pairs");
  tcase_set_timeout(c, 0);
  tcase_add_loop_test(c, matching_and_coarse_graphs_are_those_of_dense_matrices, 0, KINDS);
  tcase_add_test(c, nothing_is_lost_without_memory);
  tcase_add_loop_test(c, sums_are_of_all_before, 0, 4);
  tcase_add_loop_test(c, graphs_have_the_same_bits_with_any_threads, 0, 3);
  tcase_add_loop_test(c, packed_graphs_are_dense_matrices, 0, KINDS);
  tcase_add_loop_test(c, small_graphs_are_solved_by_a_matrix, 0, KINDS);
  tcase_add_test(c, a_chain_without_partners_ends);
  tcase_add_test(c, the_history_is_that_of_the_reference);
  tcase_add_loop_test(c, uniform_grids_have_few_levels_and_nonzeros, 0, 3);
  tcase_add_loop_test(c, the_memory_of_graphs_is_told, 0, 2);
  tcase_add_loop_test(c, solutions_are_those_of_the_weighted_transfer, 0, CASES);
  tcase_add_loop_test(c, solves_have_the_same_bits_with_any_threads, 0, 2);
  tcase_add_test(c, an_update_makes_the_graphs_anew);
  suite_add_tcase(s, c);
  return support_run(s);
}
