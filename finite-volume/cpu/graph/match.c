/* Pairs of nodes that are strongly coupled to each other. Every step reads what the step before has left, so neither
 * threads nor the order of nodes change the result. Strength is compared by the exponent and two bits of the mantissa, then by
 * a hash: exact maxima of smooth coefficients would form chains, of which only the ends find a partner in a round. */
#include "cpu/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#define STRONG 0.25
enum { ROUNDS = 6, DROPPED_BITS = 50 };

typedef struct matching {
  const hymgi_graph *g;
  int threads;
  double *most; /* the largest weight at a node */
  int *mate;    /* of a pair, or -1 */
  int *pick;    /* a candidate, or -1 */
} matching;

static uint32_t hash_of(int i, int j)
{
  const uint32_t a = (uint32_t)(i < j ? i : j), b = (uint32_t)(i < j ? j : i);
  uint32_t h = a * 2654435761u ^ (b * 2246822519u + 0x9e3779b9u);
  h ^= h >> 15;
  h *= 2246822519u;
  return h ^ h >> 13;
}

static int64_t size_of(double weight)
{
  int64_t bits;
  memcpy(&bits, &weight, sizeof bits);
  return bits >> DROPPED_BITS;
}

/* Whether the edge e from i is stronger than the one to j, of weight w. Hashes only decide between equals. */
static bool stronger(const hymgi_graph *g, int i, int e, int j, double w)
{
  const int64_t a = size_of(g->weight[e]), b = size_of(w);
  return a != b ? a > b : hash_of(i, g->to[e]) > hash_of(i, j);
}

/* The strongest edge of node i: among those to nodes without a partner that are strong for both ends or, joining, among
 * all that are strong for i. */
static int strongest(const matching *m, int i, bool joins)
{
  const hymgi_graph *g = m->g;
  const double least = STRONG * m->most[i];
  int best = -1;
  double weight = 0;
  for (int e = g->start[i]; e < g->start[i + 1]; e++) {
    const int j = g->to[e];
    if (g->weight[e] < least) continue;
    if (!joins && (m->mate[j] >= 0 || g->weight[e] < STRONG * m->most[j])) continue;
    if (best >= 0 && !stronger(g, i, e, best, weight)) continue;
    best = j, weight = g->weight[e];
  }
  return best;
}

static double most_of(const hymgi_graph *g, int i)
{
  double most = 0;
  for (int e = g->start[i]; e < g->start[i + 1]; e++)
    if (g->weight[e] > most) most = g->weight[e];
  return most;
}

/* A node without edges is its own partner. */
static void begin(const matching *m)
{
  const hymgi_graph *g = m->g;
#pragma omp parallel for schedule(static) num_threads(m->threads)
  for (int i = 0; i < g->n; i++) {
    m->most[i] = most_of(g, i);
    m->mate[i] = m->most[i] > 0 ? -1 : i;
  }
}

/* Nodes without a partner become fewer, so a pick holds until it is taken. */
static bool is_over(const matching *m, int i, int round)
{
  return m->mate[i] < 0 && (round == 0 || (m->pick[i] >= 0 && m->mate[m->pick[i]] >= 0));
}

static void pair_up(const matching *m)
{
  const int n = m->g->n;
#pragma omp parallel num_threads(m->threads)
  for (int round = 0; round < ROUNDS; round++) {
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      if (is_over(m, i, round)) m->pick[i] = strongest(m, i, false);
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      if (m->mate[i] < 0 && m->pick[i] >= 0 && m->pick[m->pick[i]] == i) m->mate[i] = m->pick[i];
  }
}

/* What those that are left over join. */
static void join(const matching *m)
{
#pragma omp parallel for schedule(static) num_threads(m->threads)
  for (int i = 0; i < m->g->n; i++)
    m->pick[i] = m->mate[i] < 0 ? strongest(m, i, true) : -1;
}

/* Pairs by their lower member, then those that are left over and found nothing but one another. */
static int number(const matching *m, int *parent)
{
  const int n = m->g->n;
  int nodes = 0;
  for (int i = 0; i < n; i++)
    if (m->mate[i] >= 0) parent[i] = m->mate[i] < i ? parent[m->mate[i]] : nodes++;
  for (int i = 0; i < n; i++)
    if (m->mate[i] < 0) parent[i] = m->mate[m->pick[i]] >= 0 ? parent[m->pick[i]] : nodes++;
  return nodes;
}

/* ---- whole components ---- */

static int root(int *up, int i)
{
  while (up[i] != i)
    i = up[i] = up[up[i]];
  return i;
}

static int components(const hymgi_graph *g, int *up)
{
  int nodes = 0;
  for (int i = 0; i < g->n; i++)
    up[i] = i;
  for (int i = 0; i < g->n; i++)
    for (int e = g->start[i]; e < g->start[i + 1]; e++) {
      const int a = root(up, i), b = root(up, g->to[e]);
      if (a != b) up[a > b ? a : b] = a < b ? a : b;
    }
  for (int i = 0; i < g->n; i++) {
    const int lowest = root(up, i);
    g->parent[i] = lowest == i ? nodes++ : g->parent[lowest];
  }
  return nodes;
}

hymg_status hymgi_cpu_graph_match(hymg_context *context, int threads, hymgi_graph *g, bool all,
                                  int *nodes)
{
  bool ok = true;
  const size_t n = (size_t)g->n;
  matching m = {.g = g, .threads = hymgi_team_worth(g->n, threads)};
  m.most = hymgi_cpu_graph_array(n, sizeof(double), &ok);
  m.mate = hymgi_cpu_graph_array(n, sizeof(int), &ok);
  m.pick = hymgi_cpu_graph_array(n, sizeof(int), &ok);
  g->parent = hymgi_cpu_graph_array(n, sizeof(int), &ok);
  if (ok && all) {
    *nodes = components(g, m.mate);
  } else if (ok) {
    begin(&m);
    pair_up(&m);
    join(&m);
    *nodes = number(&m, g->parent);
  }
  free(m.most);
  free(m.mate);
  free(m.pick);
  return hymgi_cpu_graph_status(context, ok, g->n);
}
