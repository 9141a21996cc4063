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

typedef struct strength {
  int64_t size;
  uint32_t hash;
} strength;

static uint32_t hash_of(uint32_t i, uint32_t j)
{
  const uint32_t a = i < j ? i : j, b = i < j ? j : i;
  uint32_t h = a * 2654435761u ^ (b * 2246822519u + 0x9e3779b9u);
  h ^= h >> 15;
  h *= 2246822519u;
  return h ^ h >> 13;
}

static strength strength_of(double weight, int i, int j)
{
  strength s = {.hash = hash_of((uint32_t)i, (uint32_t)j)};
  memcpy(&s.size, &weight, sizeof s.size);
  s.size >>= DROPPED_BITS;
  return s;
}

static bool stronger(strength a, strength b)
{
  return a.size > b.size || (a.size == b.size && a.hash > b.hash);
}

/* The strongest edge of node i: among those to nodes without a partner that are strong for both ends or, joining, among
 * all that are strong for i. */
static int strongest(const matching *m, int i, bool joins)
{
  const hymgi_graph *g = m->g;
  int best = -1;
  strength best_strength = {0};
  for (int e = g->start[i]; e < g->start[i + 1]; e++) {
    const int j = g->to[e];
    const double limit = joins || m->most[i] > m->most[j] ? m->most[i] : m->most[j];
    if ((!joins && m->mate[j] >= 0) || g->weight[e] < STRONG * limit) continue;
    const strength s = strength_of(g->weight[e], i, j);
    if (best >= 0 && !stronger(s, best_strength)) continue;
    best = j, best_strength = s;
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

static void pair_up(const matching *m)
{
  const int n = m->g->n;
#pragma omp parallel num_threads(m->threads)
  for (int round = 0; round < ROUNDS; round++) {
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      m->pick[i] = m->mate[i] < 0 ? strongest(m, i, false) : -1;
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      if (m->pick[i] >= 0 && m->pick[m->pick[i]] == i) m->mate[i] = m->pick[i];
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
