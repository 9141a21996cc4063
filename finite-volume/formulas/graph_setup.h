/* The steps by which graphs are made (multigrid/graph_setup.h), each for one index. A step writes only what belongs to its
 * index, or counts, and reads only what earlier steps have left, so neither threads nor the order of indices change the
 * result; lists of children are sorted. Strength is compared by the exponent and two bits of the mantissa, then by a hash: exact maxima of smooth coefficients would form
 * chains, of which only the ends find a partner in a round. */
#ifndef HYMGI_FORMULAS_GRAPH_SETUP_H
#define HYMGI_FORMULAS_GRAPH_SETUP_H

#include <string.h>

#include "base/geometry.h"
#include "multigrid/graph_setup.h"

#define HYMGI_GRAPH_STRONG 0.25

HYMGI_INLINE void hymgi_graph_identity(const hymgi_graph_work *w, int i)
{
  w->order[i] = w->place[i] = i;
}

/* ---- pairs ---- */

/* Of the ids of its ends, another one on each graph: two nodes may be heads on many, and what decided once would decide again. */
HYMGI_INLINE uint32_t hymgi_edge_hash(int graph, int64_t i, int64_t j)
{
  const uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
  const uint32_t a = (uint32_t)(low ^ low >> 32), b = (uint32_t)(high ^ high >> 32);
  uint32_t h = a * 2654435761u ^ (b * 2246822519u + 0x9e3779b9u * (1 + (uint32_t)graph));
  h ^= h >> 15;
  h *= 2246822519u;
  return h ^ h >> 13;
}

HYMGI_INLINE int64_t hymgi_edge_strength(double weight)
{
  enum { DROPPED_BITS = 50 };
  int64_t bits;
  memcpy(&bits, &weight, sizeof bits);
  return bits >> DROPPED_BITS;
}

/* The strongest edge of node i: among those to nodes without a partner that are strong for both ends or, joining, among
 * all that are strong for i. Hashes only decide between equals. */
HYMGI_INLINE int hymgi_graph_strongest(const hymgi_graph_work *w, int i, bool joins)
{
  const hymgi_raw_graph *const g = &w->g;
  const double least = HYMGI_GRAPH_STRONG * w->most[i];
  const int end = g->end[i];
  int best = -1;
  int64_t strength = 0;
  for (int e = g->start[i]; e < end; e++) {
    const double weight = g->weight[e];
    const int j = g->to[e];
    if (weight < least) continue;
    if (!joins && (w->mate[j] >= 0 || weight < HYMGI_GRAPH_STRONG * w->most[j])) continue;
    const int64_t s = hymgi_edge_strength(weight);
    if (best >= 0 && s < strength) continue;
    if (best >= 0 && s == strength &&
        hymgi_edge_hash(w->graph, g->id[i], g->id[j]) <=
            hymgi_edge_hash(w->graph, g->id[i], g->id[best]))
      continue;
    best = j, strength = s;
  }
  return best;
}

/* A node without edges is its own partner. */
HYMGI_INLINE void hymgi_graph_begin(const hymgi_graph_work *w, int i)
{
  const hymgi_raw_graph *const g = &w->g;
  double most = 0;
  for (int e = g->start[i]; e < g->end[i]; e++)
    if (g->weight[e] > most) most = g->weight[e];
  w->most[i] = most;
  w->mate[i] = most > 0 ? -1 : i;
}

HYMGI_INLINE void hymgi_graph_pick(const hymgi_graph_work *w, int i)
{
  w->pick[i] = w->mate[i] < 0 ? hymgi_graph_strongest(w, i, false) : -1;
}

/* Nodes without a partner become fewer, so a pick holds until it is taken. */
HYMGI_INLINE void hymgi_graph_pick_again(const hymgi_graph_work *w, int i)
{
  if (w->mate[i] < 0 && w->pick[i] >= 0 && w->mate[w->pick[i]] >= 0)
    w->pick[i] = hymgi_graph_strongest(w, i, false);
}

HYMGI_INLINE void hymgi_graph_pair(const hymgi_graph_work *w, int i)
{
  const int j = w->pick[i];
  if (w->mate[i] < 0 && j >= 0 && w->pick[j] == i) w->mate[i] = j;
}

HYMGI_INLINE void hymgi_graph_join(const hymgi_graph_work *w, int i)
{
  w->pick[i] = w->mate[i] < 0 ? hymgi_graph_strongest(w, i, true) : -1;
}

/* ---- numbers: of pairs by their heads, the lower members, and of those that are left over and found nothing but one
 *      another by themselves ---- */

HYMGI_INLINE bool hymgi_is_head(const hymgi_graph_work *w, int i)
{
  return w->mate[i] >= 0 ? w->mate[i] >= i : w->mate[w->pick[i]] < 0;
}

HYMGI_INLINE void hymgi_graph_heads(const hymgi_graph_work *w, int i)
{
  w->count[i] = hymgi_is_head(w, i);
}

HYMGI_INLINE void hymgi_graph_parent(const hymgi_graph_work *w, int i)
{
  const int of_pair = w->mate[i] >= 0 ? i : w->pick[i], mate = w->mate[of_pair];
  w->parent[i] = w->count[mate < 0 ? i : mate < of_pair ? mate : of_pair];
}

/* Components have their lowest nodes as heads. */
HYMGI_INLINE void hymgi_graph_ids(const hymgi_graph_work *w, int i)
{
  if (hymgi_is_head(w, i)) w->coarse.id[w->parent[i]] = w->g.id[i];
}

/* ---- lists of children, in ascending order of ids ---- */

/* *v is one more; returns what it was. */
HYMGI_INLINE int hymgi_count_one(int *v)
{
#if defined(__CUDA_ARCH__)
  return atomicAdd(v, 1);
#else
  return __atomic_fetch_add(v, 1, __ATOMIC_RELAXED);
#endif
}

HYMGI_INLINE void hymgi_graph_no_children(const hymgi_graph_work *w, int I)
{
  w->first[I] = 0;
}

HYMGI_INLINE void hymgi_graph_count_children(const hymgi_graph_work *w, int i)
{
  hymgi_count_one(w->first + w->parent[i]);
}

HYMGI_INLINE void hymgi_graph_begin_lists(const hymgi_graph_work *w, int I)
{
  w->count[I] = w->first[I];
}

HYMGI_INLINE void hymgi_graph_list_children(const hymgi_graph_work *w, int i)
{
  w->child[hymgi_count_one(w->count + w->parent[i])] = i;
}

/* Shell's sort. */
HYMGI_INLINE void hymgi_sort_ascending(const int64_t *id, int n, int *v)
{
  int gap = 1;
  while (gap < n / 3)
    gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (int i = gap; i < n; i++) {
      const int moved = v[i];
      int to = i;
      for (; to >= gap && id[v[to - gap]] > id[moved]; to -= gap)
        v[to] = v[to - gap];
      v[to] = moved;
    }
}

HYMGI_INLINE void hymgi_graph_sort_children(const hymgi_graph_work *w, int I)
{
  hymgi_sort_ascending(w->g.id, w->first[I + 1] - w->first[I], w->child + w->first[I]);
}

/* ---- whole components in place of pairs, one after the other, as it is seldom that a graph needs it ---- */

HYMGI_INLINE int hymgi_graph_root(int *up, int i)
{
  while (up[i] != i)
    i = up[i] = up[up[i]];
  return i;
}

HYMGI_INLINE void hymgi_graph_unite(const hymgi_raw_graph *g, int *up)
{
  for (int i = 0; i < g->n; i++)
    up[i] = i;
  for (int i = 0; i < g->n; i++)
    for (int e = g->start[i]; e < g->end[i]; e++) {
      const int a = hymgi_graph_root(up, i), b = hymgi_graph_root(up, g->to[e]);
      if (a != b) up[a > b ? a : b] = a < b ? a : b;
    }
}

/* Numbers of components to parent, and to count[0] how many there are. */
HYMGI_INLINE void hymgi_graph_components(const hymgi_graph_work *w, int index)
{
  int nodes = index;
  hymgi_graph_unite(&w->g, w->mate);
  for (int i = 0; i < w->g.n; i++) {
    const int lowest = hymgi_graph_root(w->mate, i);
    w->parent[i] = lowest == i ? nodes++ : w->parent[lowest];
  }
  w->count[0] = nodes;
}

/* ---- the coarse graph, P^T A P for P of 0 and 1: sums of conductances and excesses over children, in ascending order. The
 *      edges of a coarse node are in the order in which its children have them first ---- */

HYMGI_INLINE void hymgi_graph_room(const hymgi_graph_work *w, int I)
{
  int room = 0;
  for (int m = w->first[I]; m < w->first[I + 1]; m++)
    room += w->g.end[w->child[m]] - w->g.start[w->child[m]];
  w->coarse.start[I] = room;
}

/* Few edges are found by looking at all, more by a table of half as many entries more. */
HYMGI_INLINE void hymgi_graph_tables(const hymgi_graph_work *w, int I)
{
  enum { FEW = 64 };
  const int room = w->coarse.start[I + 1] - w->coarse.start[I];
  w->count[I] = room > FEW ? room + room / 2 : 0;
}

/* The place of the edge to J among those from `from` to `end`, or end. seen: bits of all that have come; of few edges most
 * have one of their own, so that those that are new are not looked for. */
HYMGI_INLINE int hymgi_edge_among(uint64_t *seen, const int *to, int from, int end, int J)
{
  const uint64_t bit = (uint64_t)1 << (J & 63);
  if (!(*seen & bit)) from = end;
  *seen |= bit;
  while (from < end && to[from] != J)
    from++;
  return from;
}

/* The same by a table, into which it then comes; entries: places of edges, or -1. */
HYMGI_INLINE int hymgi_edge_in_table(int *table, int entries, const int *to, int end, int J)
{
  int at = (int)((uint32_t)J * 2654435761u % (uint32_t)entries);
  while (table[at] >= 0 && to[table[at]] != J)
    at = at + 1 < entries ? at + 1 : 0;
  if (table[at] < 0) table[at] = end;
  return table[at];
}

HYMGI_INLINE void hymgi_graph_merge(const hymgi_graph_work *w, int I)
{
  const hymgi_raw_graph *const g = &w->g, *const coarse = &w->coarse;
  const int from = coarse->start[I], entries = w->count[I + 1] - w->count[I];
  int *const table = w->table + w->count[I], *const to = coarse->to;
  double *const weight = coarse->weight;
  double excess = 0, off = 0;
  uint64_t seen = 0;
  int end = from;
  for (int t = 0; t < entries; t++)
    table[t] = -1;
  for (int m = w->first[I]; m < w->first[I + 1]; m++) {
    const int i = w->child[m];
    excess += g->excess[i];
    for (int e = g->start[i]; e < g->end[i]; e++) {
      const int J = w->parent[g->to[e]];
      if (J == I) continue;
      const int at = entries ? hymgi_edge_in_table(table, entries, to, end, J)
                             : hymgi_edge_among(&seen, to, from, end, J);
      if (at == end) to[at] = J, weight[at] = 0, end++;
      weight[at] += g->weight[e];
      off += g->weight[e];
    }
  }
  coarse->end[I] = end;
  coarse->excess[I] = excess;
  coarse->diagonal[I] = excess + off;
}

HYMGI_INLINE void hymgi_graph_lengths(const hymgi_graph_work *w, int I)
{
  w->count[I] = w->coarse.end[I] - w->coarse.start[I];
}

/* ---- packing: rows in slices of some nodes each, so that a slice's sums are vectors and no row has a loop of its own. Nodes
 *      are sorted by the numbers of their edges, within windows that keep neighbours close; every sum keeps its order ---- */

enum { HYMGI_LENGTHS = 64 };

HYMGI_INLINE int hymgi_graph_length(const hymgi_raw_graph *g, int i)
{
  const int length = g->end[i] - g->start[i];
  return length < HYMGI_LENGTHS ? length : HYMGI_LENGTHS - 1;
}

HYMGI_INLINE void hymgi_graph_order(const hymgi_graph_work *w, int window)
{
  const int low = window * HYMGI_WINDOW,
            high = w->coarse.n - low < HYMGI_WINDOW ? w->coarse.n : low + HYMGI_WINDOW;
  int next[HYMGI_LENGTHS + 1] = {0};
  for (int i = low; i < high; i++)
    next[hymgi_graph_length(&w->coarse, i) + 1]++;
  for (int m = 0; m < HYMGI_LENGTHS; m++)
    next[m + 1] += next[m];
  for (int i = low; i < high; i++) {
    const int place = low + next[hymgi_graph_length(&w->coarse, i)]++;
    w->coarse_place[i] = place;
    w->coarse_order[place] = i;
  }
}

HYMGI_INLINE void hymgi_graph_slices(const hymgi_graph_work *w, int s)
{
  const int low = s * HYMGI_LANES;
  int most = 0;
  for (int at = low; at < low + HYMGI_LANES && at < w->g.n; at++) {
    const int i = w->order[at], length = w->g.end[i] - w->g.start[i];
    if (length > most) most = length;
  }
  w->count[s] = most;
}

HYMGI_INLINE void hymgi_graph_slice_starts(const hymgi_graph_work *w, int s)
{
  w->packed.slice[s] = w->count[s];
}

/* The node at a place, or none. Edges that are missing lead to itself. */
HYMGI_INLINE void hymgi_graph_rows(const hymgi_graph_work *w, int at)
{
  const hymgi_raw_graph *const g = &w->g;
  const hymgi_graph *const packed = &w->packed;
  const int i = at < g->n ? w->order[at] : -1, s = at / HYMGI_LANES;
  const double diagonal = i < 0 ? 0 : g->diagonal[i];
  const int end = i < 0 ? 0 : g->end[i];
  int from = i < 0 ? 0 : g->start[i];
  for (int row = w->count[s]; row < w->count[s + 1]; row++, from++) {
    const ptrdiff_t e = (ptrdiff_t)HYMGI_LANES * row + at % HYMGI_LANES;
    packed->to[e] = from < end ? w->place[g->to[from]] : at;
    packed->weight[e] = from < end ? g->weight[from] : 0;
  }
  packed->diagonal[at] = diagonal;
  packed->inverse[at] = diagonal > 0 ? 1 / diagonal : 0;
}

HYMGI_INLINE void hymgi_graph_at(const hymgi_graph_work *w, int i)
{
  w->packed.at[i] = w->g.at ? w->g.at[i] : i;
}

HYMGI_INLINE void hymgi_graph_parents(const hymgi_graph_work *w, int at)
{
  w->packed.parent[at] = w->coarse_place[w->parent[w->order[at]]];
}

HYMGI_INLINE void hymgi_graph_count_packed(const hymgi_graph_work *w, int at)
{
  const int I = w->coarse_order[at];
  w->count[at] = w->first[I + 1] - w->first[I];
}

HYMGI_INLINE void hymgi_graph_first_packed(const hymgi_graph_work *w, int at)
{
  w->packed.first[at] = w->count[at];
}

HYMGI_INLINE void hymgi_graph_list_packed(const hymgi_graph_work *w, int at)
{
  const int I = w->coarse_order[at];
  int next = w->count[at];
  for (int m = w->first[I]; m < w->first[I + 1]; m++)
    w->packed.child[next++] = w->place[w->child[m]];
}

/* ---- graph 0: cells with a coupling, x fastest, and their conductances ---- */

HYMGI_INLINE bool hymgi_is_wall(const hymgi_geom *g, int axis, int side, int index)
{
  return g->boundaries >> (2 * axis + side) & 1 && index == (side ? g->n[axis] - 1 : 0);
}

/* high of cell at c and what walls add to its excess; flat: bit per axis of one cell. */
HYMGI_INLINE void hymgi_cell_couplings(const hymgi_geom *g, const double *const beta[3],
                                       unsigned flat, double *const high[3], double *excess, int i,
                                       int j, int k)
{
  const int c[3] = {i, j, k};
  const ptrdiff_t q = hymgi_at(g, i, j, k);
  for (int axis = 0; axis < 3; axis++) {
    int next[3] = {i, j, k};
    next[axis] = g->wraps >> axis & 1 && c[axis] == g->n[axis] - 1 ? 0 : c[axis] + 1;
    const double above = beta[axis][hymgi_at(g, next[0], next[1], next[2])];
    const bool wall = hymgi_is_wall(g, axis, 1, c[axis]);
    if (hymgi_is_wall(g, axis, 0, c[axis])) excess[q] += beta[axis][q];
    if (wall) excess[q] += above;
    high[axis][q] = wall || flat >> axis & 1 ? 0 : above;
  }
}

/* Level 0 of one box. */
typedef struct hymgi_grid_graph {
  hymgi_geom g;
  unsigned periodic;
  const double *high[3], *excess;
  int *number, *degree;
  hymgi_raw_graph graph;
} hymgi_grid_graph;

static inline hymgi_grid_graph hymgi_grid_graph_of(const hymgi_graph_cells *c)
{
  hymgi_grid_graph grid;
  grid.g = *c->level->box;
  grid.periodic = c->level->periodic;
  for (int axis = 0; axis < 3; axis++)
    grid.high[axis] = c->high[axis];
  grid.excess = c->excess;
  grid.number = c->number, grid.degree = c->degree;
  grid.graph = c->graph;
  return grid;
}

HYMGI_INLINE int hymgi_cell_number(const hymgi_geom *g, int i, int j, int k)
{
  return (k * g->n[1] + j) * g->n[0] + i;
}

/* The cell's edges, to `to` and `weight` if these are wanted; *off: their sum. */
HYMGI_INLINE int hymgi_cell_edges(const hymgi_grid_graph *c, int i, int j, int k, int *to,
                                  double *weight, double *off)
{
  const hymgi_geom *const g = &c->g;
  const int at[3] = {i, j, k};
  int count = 0;
  *off = 0;
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++) {
      int next[3] = {i, j, k};
      next[axis] += side ? 1 : -1;
      const bool beyond = next[axis] < 0 || next[axis] == g->n[axis];
      if (beyond && !(c->periodic >> axis & 1)) continue;
      if (beyond) next[axis] = side ? 0 : g->n[axis] - 1;
      const int *const low = side ? at : next;
      const double t = c->high[axis][hymgi_at(g, low[0], low[1], low[2])];
      if (!(t > 0)) continue;
      *off += t;
      if (to) to[count] = c->number[hymgi_cell_number(g, next[0], next[1], next[2])];
      if (to) weight[count] = t;
      count++;
    }
  return count;
}

HYMGI_INLINE void hymgi_count_cell(const hymgi_grid_graph *c, int i, int j, int k)
{
  const int cell = hymgi_cell_number(&c->g, i, j, k);
  double off;
  c->degree[cell] = hymgi_cell_edges(c, i, j, k, NULL, NULL, &off);
  c->number[cell] = c->excess[hymgi_at(&c->g, i, j, k)] + off > 0;
}

HYMGI_INLINE void hymgi_fill_cell(const hymgi_grid_graph *c, int i, int j, int k)
{
  const int cell = hymgi_cell_number(&c->g, i, j, k), node = c->number[cell];
  const hymgi_raw_graph *const graph = &c->graph;
  if (c->number[cell + 1] == node) return;
  const int e = c->degree[cell];
  double off;
  graph->start[node] = e;
  graph->end[node] = e + hymgi_cell_edges(c, i, j, k, graph->to + e, graph->weight + e, &off);
  graph->id[node] = cell;
  graph->at[node] = hymgi_at(&c->g, i, j, k);
  graph->excess[node] = c->excess[graph->at[node]];
  graph->diagonal[node] = graph->excess[node] + off;
}

#endif
