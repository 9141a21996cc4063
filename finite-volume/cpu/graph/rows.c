/* Rows of graphs for the cycles, in slices of some nodes each, so that a slice's sums are vectors and no row has a loop of its
 * own. Nodes are sorted by the numbers of their edges, within windows that keep neighbours close; every sum keeps its order. */
#include "cpu/graph/graph.h"

#include <stdlib.h>

enum { LANES = HYMGI_LANES, WINDOW = 512, LENGTHS = 64 };

/* order: the nodes that come to each place; place: where each node comes to */
typedef struct places {
  int *order, *place;
} places;

static int length_of(const hymgi_graph *g, int i)
{
  const int length = g->start[i + 1] - g->start[i];
  return length < LENGTHS ? length : LENGTHS - 1;
}

static void order_window(const hymgi_graph *g, int low, int high, const places *p)
{
  int next[LENGTHS + 1] = {0};
  for (int i = low; i < high; i++)
    next[length_of(g, i) + 1]++;
  for (int m = 0; m < LENGTHS; m++)
    next[m + 1] += next[m];
  for (int i = low; i < high; i++) {
    p->place[i] = low + next[length_of(g, i)]++;
    p->order[p->place[i]] = i;
  }
}

static void order_nodes(const hymgi_graph *g, int threads, const places *p)
{
  (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int low = 0; low < g->n; low += WINDOW)
    order_window(g, low, low + WINDOW < g->n ? low + WINDOW : g->n, p);
}

/* ---- edges ---- */

/* slice[s + 1]: from there on */
static void reserve(const hymgi_graph *g, const places *p, ptrdiff_t *slice)
{
  slice[0] = 0;
  for (int low = 0, s = 0; low < g->n; low += LANES, s++) {
    int most = 0;
    for (int m = low; m < low + LANES && m < g->n; m++) {
      const int i = p->order[m], length = g->start[i + 1] - g->start[i];
      if (length > most) most = length;
    }
    slice[s + 1] = slice[s] + (ptrdiff_t)LANES * most;
  }
}

/* The edges of the node at a place, or of none. Those that are missing lead to itself. */
static void fill_lane(const hymgi_graph *g, const places *p, int at, const ptrdiff_t *slice,
                      int *to, double *weight)
{
  const int i = at < g->n ? p->order[at] : -1, s = at / LANES;
  int from = i < 0 ? 0 : g->start[i];
  const int end = i < 0 ? 0 : g->start[i + 1];
  for (ptrdiff_t e = slice[s] + at % LANES; e < slice[s + 1]; e += LANES, from++) {
    to[e] = from < end ? p->place[g->to[from]] : at;
    weight[e] = from < end ? g->weight[from] : 0;
  }
}

static bool pack_edges(hymgi_graph *g, int threads, const places *p)
{
  (void)threads; /* without OpenMP */
  bool ok = true;
  const int whole = (int)hymgi_whole_slices(g->n), slices = whole / LANES;
  g->slice = hymgi_cpu_graph_array((size_t)slices + 1, sizeof *g->slice, &ok);
  if (!ok) return false;
  reserve(g, p, g->slice);
  int *const to = hymgi_cpu_graph_array((size_t)g->slice[slices], sizeof *to, &ok);
  double *const weight = hymgi_cpu_graph_array((size_t)g->slice[slices], sizeof *weight, &ok);
  if (ok) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int at = 0; at < whole; at++)
      fill_lane(g, p, at, g->slice, to, weight);
  }
  free(g->to);
  free(g->weight);
  g->to = to;
  g->weight = weight;
  return ok;
}

/* ---- nodes ---- */

static bool pack_diagonal(hymgi_graph *g, const places *p)
{
  bool ok = true;
  const size_t whole = hymgi_whole_slices(g->n);
  double *const diagonal = hymgi_cpu_graph_array(whole, sizeof *diagonal, &ok);
  g->inverse = hymgi_cpu_graph_array(whole, sizeof *g->inverse, &ok);
  for (size_t at = 0; ok && at < whole; at++) {
    diagonal[at] = at < (size_t)g->n ? g->diagonal[p->order[at]] : 0;
    g->inverse[at] = diagonal[at] > 0 ? 1 / diagonal[at] : 0;
  }
  free(g->diagonal);
  g->diagonal = diagonal;
  return ok;
}

/* The lists to the next graph; those of the one after it follow when that is packed. */
static bool pack_lists(hymgi_graph *g, const places *p)
{
  bool ok = true;
  int *const parent = hymgi_cpu_graph_array((size_t)g->n, sizeof *parent, &ok);
  for (int at = 0; ok && at < g->n; at++)
    parent[at] = g->parent[p->order[at]];
  for (int m = 0; ok && m < g->n; m++)
    g->child[m] = p->place[g->child[m]];
  free(g->parent);
  g->parent = parent;
  return ok;
}

/* Lists of the graph above. */
static bool renumber_parents(hymgi_graph *fine, int nodes, const places *p)
{
  bool ok = true;
  int *const first = hymgi_cpu_graph_array((size_t)nodes + 1, sizeof *first, &ok);
  int *const child = hymgi_cpu_graph_array((size_t)fine->n, sizeof *child, &ok);
  for (int i = 0; i < fine->n; i++)
    fine->parent[i] = p->place[fine->parent[i]];
  for (int at = 0, next = 0; ok && at <= nodes; at++) {
    first[at] = next;
    if (at == nodes) break;
    for (int m = fine->first[p->order[at]]; m < fine->first[p->order[at] + 1]; m++)
      child[next++] = fine->child[m];
  }
  free(fine->first);
  free(fine->child);
  fine->first = first;
  fine->child = child;
  return ok;
}

hymg_status hymgi_cpu_graph_pack(hymg_context *context, int threads, hymgi_graph *fine,
                                 hymgi_graph *g)
{
  bool ok = true;
  const int team = hymgi_team_worth(g->n, threads);
  places p;
  p.order = hymgi_cpu_graph_array((size_t)g->n, sizeof *p.order, &ok);
  p.place = hymgi_cpu_graph_array((size_t)g->n, sizeof *p.place, &ok);
  g->edges = g->start[g->n];
  if (ok) order_nodes(g, team, &p);
  ok = ok && pack_edges(g, team, &p) && pack_diagonal(g, &p);
  ok = ok && (!g->parent || pack_lists(g, &p)) && renumber_parents(fine, g->n, &p);
  free(p.order);
  free(p.place);
  free(g->start);
  free(g->excess);
  g->start = NULL;
  g->excess = NULL;
  return hymgi_cpu_graph_status(context, ok, g->n);
}
