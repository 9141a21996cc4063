/* The coarse graph, P^T A P for P of 0 and 1: sums of conductances and excesses over children, in ascending order. The
 * edges of a coarse node are in the order in which its children have them first. */
#include "cpu/graph/graph.h"

#include <stdlib.h>

/* Threads that have a table of all coarse nodes each. */
enum { MOST_TABLES = 8 };

static void list_children(hymgi_graph *fine, int nodes)
{
  int *const first = fine->first;
  for (int I = 0; I <= nodes; I++)
    first[I] = 0;
  for (int i = 0; i < fine->n; i++)
    first[fine->parent[i] + 1]++;
  for (int I = 0; I < nodes; I++)
    first[I + 1] += first[I];
  for (int i = 0; i < fine->n; i++)
    fine->child[first[fine->parent[i]]++] = i;
  for (int I = nodes; I > 0; I--)
    first[I] = first[I - 1];
  first[0] = 0;
}

/* Where the edges of coarse nodes begin if no two are the same. */
static void reserve(const hymgi_graph *fine, int nodes, int *room)
{
  room[0] = 0;
  for (int I = 0; I < nodes; I++) {
    room[I + 1] = room[I];
    for (int m = fine->first[I]; m < fine->first[I + 1]; m++)
      room[I + 1] += fine->start[fine->child[m] + 1] - fine->start[fine->child[m]];
  }
}

/* Coarse node I, its edges at `to` and `weight`; table: where the edge to a coarse node is, valid from `from` on.
 * Returns their number. */
static int merge(const hymgi_graph *fine, int I, int from, int *table, int *to, double *weight,
                 hymgi_graph *coarse)
{
  double excess = 0, off = 0;
  int next = from;
  for (int m = fine->first[I]; m < fine->first[I + 1]; m++) {
    const int i = fine->child[m];
    excess += fine->excess[i];
    for (int e = fine->start[i]; e < fine->start[i + 1]; e++) {
      const int J = fine->parent[fine->to[e]];
      if (J == I) continue;
      const bool known = table[J] >= from && table[J] < next && to[table[J]] == J;
      if (!known) table[J] = next, to[next] = J, weight[next++] = 0;
      weight[table[J]] += fine->weight[e];
      off += fine->weight[e];
    }
  }
  coarse->excess[I] = excess;
  coarse->diagonal[I] = excess + off;
  return next - from;
}

static bool merge_all(const hymgi_graph *fine, int threads, const int *room, int *to,
                      double *weight, hymgi_graph *coarse)
{
  (void)threads; /* without OpenMP */
  bool ok = true;
#pragma omp parallel num_threads(threads) reduction(&& : ok)
  {
    int *const table = calloc((size_t)coarse->n + 1, sizeof *table);
    ok = table != NULL;
#pragma omp for schedule(static)
    for (int I = 0; I < coarse->n; I++)
      if (table) coarse->start[I + 1] = merge(fine, I, room[I], table, to, weight, coarse);
    free(table);
  }
  return ok;
}

static bool pack(int threads, const int *room, const int *to, const double *weight,
                 hymgi_graph *coarse)
{
  (void)threads; /* without OpenMP */
  bool ok = true;
  coarse->start[0] = 0;
  for (int I = 0; I < coarse->n; I++)
    coarse->start[I + 1] += coarse->start[I];
  const size_t edges = (size_t)coarse->start[coarse->n];
  coarse->to = hymgi_cpu_graph_array(edges, sizeof(int), &ok);
  coarse->weight = hymgi_cpu_graph_array(edges, sizeof(double), &ok);
  if (!ok) return false;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int I = 0; I < coarse->n; I++)
    for (int e = coarse->start[I], from = room[I]; e < coarse->start[I + 1]; e++, from++)
      coarse->to[e] = to[from], coarse->weight[e] = weight[from];
  return true;
}

hymg_status hymgi_cpu_graph_coarsen(hymg_context *context, int threads, hymgi_graph *fine,
                                    int nodes, hymgi_graph *coarse)
{
  bool ok = true;
  const size_t n = (size_t)nodes, edges = (size_t)fine->start[fine->n];
  const int wanted = hymgi_team_worth(fine->n, threads);
  const int team = wanted < MOST_TABLES ? wanted : MOST_TABLES;
  fine->first = hymgi_cpu_graph_array(n + 1, sizeof(int), &ok);
  fine->child = hymgi_cpu_graph_array((size_t)fine->n, sizeof(int), &ok);
  coarse->n = nodes;
  coarse->start = hymgi_cpu_graph_array(n + 1, sizeof(int), &ok);
  coarse->excess = hymgi_cpu_graph_array(n, sizeof(double), &ok);
  coarse->diagonal = hymgi_cpu_graph_array(n, sizeof(double), &ok);
  int *const room = hymgi_cpu_graph_array(n + 1, sizeof(int), &ok);
  int *const to = hymgi_cpu_graph_array(edges, sizeof(int), &ok);
  double *const weight = hymgi_cpu_graph_array(edges, sizeof(double), &ok);
  if (ok) list_children(fine, nodes);
  if (ok) reserve(fine, nodes, room);
  ok = ok && merge_all(fine, team, room, to, weight, coarse);
  ok = ok && pack(team, room, to, weight, coarse);
  free(room);
  free(to);
  free(weight);
  return hymgi_cpu_graph_status(context, ok, nodes);
}
