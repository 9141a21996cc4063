/* Pairs by their definition (graph.h). */
#include "oracle/graph.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>

static unsigned fold(int64_t id)
{
  return (unsigned)(id % 4294967296) ^ (unsigned)(id / 4294967296);
}

static unsigned hash(int graph, int64_t low, int64_t high)
{
  if (low > high) return hash(graph, high, low);
  const unsigned a = fold(low), b = fold(high);
  unsigned h = (a * 2654435761u) ^ (b * 2246822519u + ((unsigned)graph + 1) * 0x9e3779b9u);
  h = h ^ (h >> 15);
  h = h * 2246822519u;
  return h ^ (h >> 13);
}

/* Is the coupling of i to a before that to b? By the power of 2, then quarters of it, then the hash. */
static bool before(const double *t, const int64_t *id, int n, int graph, int i, int a, int b)
{
  int ea, eb;
  const double ma = floor(8 * frexp(t[i * n + a], &ea)), mb = floor(8 * frexp(t[i * n + b], &eb));
  if (ea != eb) return ea > eb;
  if (ma != mb) return ma > mb;
  return hash(graph, id[i], id[a]) > hash(graph, id[i], id[b]);
}

static double largest(const double *t, int n, int i)
{
  return support_max((size_t)n, t + i * n);
}

static int best(const double *t, const int64_t *id, int n, int graph, int i, const int *mate,
                bool joins)
{
  int found = -1;
  for (int j = 0; j < n; j++) {
    if (!(t[i * n + j] > 0)) continue;
    const double limit = joins ? largest(t, n, i) : fmax(largest(t, n, i), largest(t, n, j));
    if (4 * t[i * n + j] < limit || (!joins && mate[j] >= 0)) continue;
    if (found < 0 || before(t, id, n, graph, i, j, found)) found = j;
  }
  return found;
}

int oracle_parents(const double *t, const int64_t *id, int n, int graph, int *parent,
                   int64_t *coarse_id)
{
  int *mate = malloc(sizeof *mate * (size_t)(n + 1)),
      *pick = malloc(sizeof *pick * (size_t)(n + 1));
  int nodes = 0;
  for (int i = 0; i < n; i++)
    mate[i] = largest(t, n, i) > 0 ? -1 : i, parent[i] = -1;
  for (int round = 0; round < 6; round++) {
    for (int i = 0; i < n; i++)
      pick[i] = mate[i] < 0 ? best(t, id, n, graph, i, mate, false) : -1;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (pick[i] == j && pick[j] == i) mate[i] = j;
  }
  for (int i = 0; i < n; i++)
    if (mate[i] < 0) pick[i] = best(t, id, n, graph, i, mate, true);
  for (int i = 0; i < n; i++) {
    const bool alone = mate[i] < 0 && mate[pick[i]] < 0;
    if (alone || mate[i] >= i) coarse_id[nodes] = id[i], parent[i] = nodes++;
    if (mate[i] > i) parent[mate[i]] = parent[i];
  }
  for (int i = 0; i < n; i++)
    if (mate[i] < 0 && mate[pick[i]] >= 0) parent[i] = parent[pick[i]];
  free(mate);
  free(pick);
  return nodes;
}

double *oracle_coarse(const double *t, int n, const int *parent, int nodes)
{
  double *c = calloc((size_t)nodes * (size_t)nodes + 1, sizeof *c);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (parent[i] != parent[j]) c[parent[i] * nodes + parent[j]] += t[i * n + j];
  return c;
}
