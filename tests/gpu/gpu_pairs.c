/* The graphs of the pairs on the GPU: those that it makes of random ones, and of those that tempt a matching into chains, have
 * the bits of the host's, whose copies it may have in their place; corrections by them have, whichever graphs take a launch
 * for each step, and in any memory. Solves are in gpu_robust.c. */
#include "support/twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_table.h"
#include "multigrid/graph_setup.h"

/* ---- random graphs ---- */

enum { RING, PIECES, CHAIN, STAR, PATH, KINDS, REACHES = 3, ROUNDS = 3 };

typedef struct edge {
  int a, b;
  double weight;
} edge;

/* RING: with long ties. PIECES: a part of its edges is missing, and with that nodes have none. CHAIN: each weight is larger
 * than the one before, so that few nodes find partners. STAR: the first node has all edges. */
static int list_edges(int kind, int n, const double *random, edge *list)
{
  static const int reach[REACHES] = {1, 37, 411};
  const int ties = kind == RING || kind == PIECES ? REACHES : 1;
  int count = 0;
  for (int i = 0; i < n; i++)
    for (int m = 0; m < ties; m++) {
      const double r = random[REACHES * i + m];
      const int other = kind == STAR ? 0 : i + reach[m];
      const bool closed = kind == RING || kind == PIECES;
      if ((other >= n && (!closed || n <= 2 * reach[m])) || other % n == i) continue;
      if (kind == PIECES && r < 1) continue;
      list[count++] = (edge){i, other % n,
                             kind == CHAIN  ? pow(5, i % 400 - 200)
                             : kind == PATH ? 1
                                            : pow(10, r)};
    }
  return count;
}

static void *array_of(size_t count, size_t size)
{
  void *const array = calloc(count + 1, size);
  ck_assert_ptr_nonnull(array);
  return array;
}

/* Rows of the edges, at both of their ends, in host memory. A fifth of the nodes has an excess. */
static hymgi_raw_graph graph_of(int n, const edge *list, int count, unsigned seed)
{
  const size_t nodes = (size_t)n, ends = 2 * (size_t)count;
  hymgi_raw_graph g = {.n = n, .edges = 2 * count};
  double *const random = support_random(nodes, -4, 1, seed);
  g.start = array_of(hymgi_sum_room(nodes), sizeof *g.start);
  g.end = array_of(nodes, sizeof *g.end);
  g.to = array_of(ends, sizeof *g.to);
  g.weight = array_of(ends, sizeof *g.weight);
  g.excess = array_of(nodes, sizeof *g.excess);
  g.diagonal = array_of(nodes, sizeof *g.diagonal);
  g.id = array_of(nodes, sizeof *g.id);
  g.at = array_of(nodes, sizeof *g.at);
  for (int m = 0; m < 2 * count; m++)
    g.start[(m % 2 ? list[m / 2].b : list[m / 2].a) + 1]++;
  for (int i = 0; i < n; i++) {
    g.start[i + 1] += g.start[i];
    g.end[i] = g.start[i];
    g.id[i] = 3000000000 * i + i % 3;
    g.at[i] = 3 * (ptrdiff_t)((i + n / 2) % n);
    g.diagonal[i] = g.excess[i] = fmax(random[i], 0);
  }
  for (int m = 0; m < 2 * count; m++) {
    const edge *const e = list + m / 2;
    const int i = m % 2 ? e->b : e->a, at = g.end[i]++;
    g.to[at] = m % 2 ? e->a : e->b;
    g.weight[at] = e->weight;
    g.diagonal[i] += e->weight;
  }
  free(random);
  return g;
}

static void free_graph(const hymgi_raw_graph *g)
{
  void *const array[] = {g->start, g->end, g->to, g->weight, g->excess, g->diagonal, g->id, g->at};
  for (size_t m = 0; m < sizeof array / sizeof *array; m++)
    free(array[m]);
}

static void copy_in(const hymgi_graph_builder *b, const void *from, void *to, size_t bytes)
{
  b->backend->copy(b->context, from, to, (bytes + sizeof(double) - 1) / sizeof(double));
}

/* As graph 0 of a builder. */
static void load(hymgi_graph_builder *b, const hymgi_raw_graph *g)
{
  const size_t n = (size_t)g->n, edges = (size_t)g->edges;
  OK(b->context, hymgi_graph_begin_raw(b, g->n, g->edges, true));
  const hymgi_raw_graph *const to = &b->w.g;
  copy_in(b, g->start, to->start, n * sizeof *g->start);
  copy_in(b, g->end, to->end, n * sizeof *g->end);
  copy_in(b, g->to, to->to, edges * sizeof *g->to);
  copy_in(b, g->weight, to->weight, edges * sizeof *g->weight);
  copy_in(b, g->excess, to->excess, n * sizeof *g->excess);
  copy_in(b, g->diagonal, to->diagonal, n * sizeof *g->diagonal);
  copy_in(b, g->id, to->id, n * sizeof *g->id);
  copy_in(b, g->at, to->at, n * sizeof *g->at);
}

/* The graphs that one backend makes for the cycles of another one. */
static struct hymgi_pairs *pairs_of(hymg_context *c, int kind, int n, unsigned seed,
                                    const hymgi_backend *maker, const hymgi_backend *backend)
{
  struct hymgi_pairs *const p = array_of(1, sizeof *p);
  double *const random = support_random(REACHES * (size_t)n, -3, 3, seed);
  edge *const list = array_of(REACHES * (size_t)n, sizeof *list);
  const hymgi_raw_graph g = graph_of(n, list, list_edges(kind, n, random, list), seed);
  hymgi_graph_builder b = {
      .context = c, .backend = maker, .memory = maker->memory, .pairs = p, .cells = n};
  p->context = c, p->backend = backend, p->memory = backend->memory;
  load(&b, &g);
  OK(c, hymgi_graph_build_all(&b));
  hymgi_graph_end(&b);
  OK(c, hymgi_graphs_move(p, maker));
  free_graph(&g);
  free(list);
  free(random);
  return p;
}

static void end_pairs(struct hymgi_pairs *p)
{
  hymgi_graphs_destroy(p);
  free(p);
}

/* ---- the graphs ---- */

static void same(const void *a, const void *b, size_t count, size_t size, const char *what, int l)
{
  ck_assert_msg(!a == !b, "graph %d: %s is missing", l, what);
  ck_assert_msg(!a || !memcmp(a, b, count * size), "graph %d: %s differs", l, what);
}

/* A graph in host memory; *data: all of it. */
static hymgi_graph fetch(const struct hymgi_pairs *p, int l, double **data)
{
  hymgi_graph g = p->graph[l];
  const bool has_matrix = g.matrix;
  *data = array_of(g.doubles, sizeof **data);
  p->backend->copy(p->context, g.block, *data, g.doubles);
  hymgi_graph_bind(&g, *data);
  if (!has_matrix) g.matrix = NULL;
  return g;
}

static void compare_graphs(const struct hymgi_pairs *pa, const struct hymgi_pairs *pb, int l)
{
  double *data[2];
  const hymgi_graph a = fetch(pa, l, data), b = fetch(pb, l, data + 1);
  const size_t n = (size_t)a.n, whole = a.packed ? hymgi_whole_slices(a.n) : 0;
  const size_t edges = (size_t)a.rows * HYMGI_LANES;
  ck_assert_int_eq(a.n, b.n);
  ck_assert_int_eq(a.nodes, b.nodes);
  ck_assert_int_eq(a.edges, b.edges);
  ck_assert_int_eq(a.rows, b.rows);
  ck_assert_int_eq(a.twice, b.twice);
  same(a.slice, b.slice, whole / HYMGI_LANES + 1, sizeof *a.slice, "slice", l);
  same(a.to, b.to, edges, sizeof *a.to, "to", l);
  same(a.weight, b.weight, edges, sizeof *a.weight, "weight", l);
  same(a.diagonal, b.diagonal, whole, sizeof *a.diagonal, "diagonal", l);
  same(a.inverse, b.inverse, whole, sizeof *a.inverse, "inverse", l);
  same(a.parent, b.parent, n, sizeof *a.parent, "parent", l);
  same(a.first, b.first, (size_t)a.nodes + 1, sizeof *a.first, "first", l);
  same(a.child, b.child, n, sizeof *a.child, "child", l);
  same(a.at, b.at, n, sizeof *a.at, "at", l);
  same(a.matrix, b.matrix, hymgi_matrix_doubles(a.n), sizeof(double), "matrix", l);
  free(data[0]);
  free(data[1]);
}

static void compare_all_graphs(const struct hymgi_pairs *a, const struct hymgi_pairs *b)
{
  ck_assert_int_eq(a->count, b->count);
  ck_assert_int_eq(a->last, b->last);
  for (int l = 0; l < a->count; l++)
    compare_graphs(a, b, l);
}

/* ---- corrections ---- */

/* Vectors have numbers between those of the nodes, which stay. They come back in x, before that the right-hand side. */
static void correct(struct hymgi_pairs *p, size_t size, const double *r, bool add, double *x)
{
  const hymgi_backend *const b = p->backend;
  double *there[2] = {NULL, NULL};
  for (int m = 0; m < 2; m++)
    OK(p->context, b->memory->alloc(p->context, size, &there[m]));
  b->copy(p->context, r, there[0], size);
  b->copy(p->context, x, there[1], size);
  hymgi_graphs_correct(p, there[0], add, there[1]);
  b->sync(p->context);
  b->copy(p->context, there[1], x, size);
  OK(p->context, p->context->status);
  for (int m = 0; m < 2; m++)
    b->memory->release(p->context, there[m], size);
}

/* A second correction begins with vectors that the first one has left. */
static void compare(struct hymgi_pairs *host, struct hymgi_pairs *other, const char *where)
{
  const int n = host->graph[0].n;
  const size_t size = 3 * (size_t)n;
  for (int round = 0; round < ROUNDS; round++) {
    double *const r = support_random(size, -1, 1, 100 + (unsigned)round);
    double *const want = support_random(size, -1, 1, 7), *const got =
                                                             support_random(size, -1, 1, 7);
    for (size_t m = 0; m < size; m++)
      if (m % 3) r[m] = NAN;
    correct(host, size, r, round % 2, want);
    correct(other, size, r, round % 2, got);
    ck_assert_msg(support_same_bits(size, got, want), "%s, %d nodes, round %d: by %.3g of %.3g",
                  where, n, round, support_difference(size, got, want), support_max(size, want));
    ck_assert(isfinite(support_max(size, want)));
    free(r);
    free(want);
    free(got);
  }
}

static hymg_context *context_of(int64_t launched_from, bool managed, const hymgi_backend **backend)
{
  hymg_context_options o = hymg_context_options_default();
  hymg_context *c = NULL;
  o.threads = 1;
  ck_assert_int_eq(hymg_context_create(&o, &c), HYMG_OK);
  if (launched_from) ck_assert(hymgi_kernel_form_from(c, "graph_sweeps", launched_from));
  OK(c, hymgi_cuda_backend(c, managed, backend));
  return c;
}

static int twice_in(const struct hymgi_pairs *p, int from, int to)
{
  int count = 0;
  for (int l = from; l < to; l++)
    count += p->graph[l].twice;
  return count;
}

static void check(int kind, int n, int64_t launched_from, bool managed)
{
  const hymgi_backend *backend = NULL;
  hymg_context *c = context_of(launched_from, managed, &backend);
  const hymgi_backend *const cpu = hymgi_cpu_backend();
  const unsigned seed = (unsigned)(n + kind);
  struct hymgi_pairs *const host = pairs_of(c, kind, n, seed, cpu, cpu);
  struct hymgi_pairs *const other = pairs_of(c, kind, n, seed, backend, backend);
  ck_assert_int_eq(host->tail, host->count);
  compare_all_graphs(host, other);
  if (n > 100 && kind == PATH) ck_assert(host->graph[host->last].matrix);
  if (n > 100 && kind == CHAIN) ck_assert(!host->graph[host->last].matrix);
  if (host->count > 1) compare(host, other, managed ? "managed memory" : "device memory");
  if (kind == RING && n >= 3000 && launched_from == 200) { /* both kinds are visited twice */
    ck_assert_int_gt(twice_in(other, 0, other->tail), 0);
    ck_assert_int_gt(twice_in(other, other->tail, other->count), 0);
  }
  if (launched_from == 200) { /* as made by the host */
    struct hymgi_pairs *const copied = pairs_of(c, kind, n, seed, cpu, backend);
    compare_all_graphs(host, copied);
    compare(host, copied, "copied");
    end_pairs(copied);
  }
  end_pairs(host);
  end_pairs(other);
  hymg_context_destroy(&c);
}

static const int sizes[] = {2, 3, 9, 31, 33, 257, 1000, 3000};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(a_launch_for_each_step)
{
  for (int m = 0; m < SIZES; m++)
    check(_i, sizes[m], 1, false);
}
END_TEST

START_TEST(all_in_one_launch)
{
  for (int m = 0; m < SIZES; m++)
    check(_i, sizes[m], INT64_MAX, false);
}
END_TEST

START_TEST(both)
{
  check(_i, 3000, 200, false);
  check(_i, 1000, 1000, true);
}
END_TEST

START_TEST(as_chosen)
{
  check(_i, support_small() ? 6000 : 40000, 0, _i % 2);
}
END_TEST

/* More graphs than one launch takes. */
START_TEST(a_chain_of_many_graphs)
{
  const hymgi_backend *backend = NULL;
  hymg_context *c = context_of(INT64_MAX, false, &backend);
  struct hymgi_pairs *const p = pairs_of(c, CHAIN, 400, 1, backend, backend);
  ck_assert_int_gt(p->count, 30);
  ck_assert_int_gt(p->tail, 1);
  end_pairs(p);
  hymg_context_destroy(&c);
  check(CHAIN, 400, INT64_MAX, false);
}
END_TEST

/* What a graph has on the device is what is told. */
START_TEST(blocks_are_returned)
{
  const hymgi_backend *backend = NULL;
  hymg_context *c = context_of(0, false, &backend);
  struct hymgi_pairs *const p = pairs_of(c, RING, 3000, 1, backend, backend);
  size_t doubles = 0;
  for (int l = 0; l < p->count; l++) {
    ck_assert_ptr_nonnull(p->graph[l].block);
    doubles += p->graph[l].doubles;
  }
  ck_assert_uint_eq(doubles * sizeof(double), p->bytes);
  hymgi_graphs_destroy(p);
  ck_assert_int_eq(p->count, 0);
  for (int l = 0; l < HYMGI_MAX_GRAPHS; l++)
    ck_assert_ptr_null(p->graph[l].block);
  free(p);
  hymg_context_destroy(&c);
}
END_TEST

START_TEST(sums_are_of_all_before)
{
  static const int lengths[] = {0, 1, 2, 7, 255, 256, 2047, 2048, 2049, 4096, 100000, 5000000};
  const hymgi_backend *backend = NULL;
  hymg_context *c = context_of(0, _i, &backend);
  for (size_t m = 0; m < sizeof lengths / sizeof *lengths - (support_small() ? 1 : 0); m++) {
    const size_t n = (size_t)lengths[m], doubles = hymgi_sum_room(n) / 2 + 1;
    int *const v = array_of(2 * doubles, sizeof *v), *const want = array_of(2 * doubles, sizeof *v);
    double *there = NULL;
    OK(c, backend->memory->alloc(c, doubles, &there));
    for (size_t i = 0; i < n; i++)
      v[i] = want[i] = (int)((unsigned)i * 2654435761u >> 26);
    backend->copy(c, (const double *)v, there, doubles);
    const int total = backend->graph_setup->sum(c, (int)n, (int *)there);
    backend->copy(c, there, (double *)v, doubles);
    ck_assert_int_eq(total, hymgi_cpu_backend()->graph_setup->sum(c, (int)n, want));
    ck_assert_mem_eq(v, want, (n + 1) * sizeof *v);
    backend->memory->release(c, there, doubles);
    free(v);
    free(want);
  }
  hymg_context_destroy(&c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("pairs on the GPU");
  TCase *t = tcase_create("graphs");
  tcase_add_loop_test(t, sums_are_of_all_before, 0, 2);
  tcase_add_loop_test(t, a_launch_for_each_step, 0, KINDS);
  tcase_add_loop_test(t, all_in_one_launch, 0, KINDS);
  tcase_add_loop_test(t, both, 0, KINDS);
  tcase_add_loop_test(t, as_chosen, 0, KINDS);
  tcase_add_test(t, a_chain_of_many_graphs);
  tcase_add_test(t, blocks_are_returned);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
