/* Graphs of the pairs in parts on ranks: the bits of one rank for any boxes, sizes, masks and sizes of the graphs that
 * stay on one rank; each node, edge and child on one rank; ghosts that are others' nodes. */
#include "api/solver.h"
#include "multigrid/pairs.h"
#include "oracle/graph.h"
#include "oracle/mask.h"
#include "oracle/trial.h"
#include "support/mpi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beside the kinds of a trial. ROOM: a closed room in the corner, whose cells some ranks have alone; EMPTY: no couplings in
 * the low half along the longest axis; EVEN: beta 1, so that most weights are alike. */
enum { ROOM = 1 << 20, EMPTY = 1 << 21, EVEN = 1 << 22 };

static const struct {
  int n[3];
  const char *boundary;
  unsigned kind;
} cases[] = {
    {{33, 20, 12}, "dd pp pp", TRIAL_JUMPS},
    {{31, 18, 7}, "pp pp pp", TRIAL_JUMPS},
    {{24, 9, 25}, "nr dd nn", TRIAL_WIDTHS | TRIAL_FIXED},
    {{20, 17, 22}, "dd nd dn", TRIAL_QUADRATIC | TRIAL_ALPHA | TRIAL_JUMPS},
    {{26, 22, 19}, "nn nn nn", TRIAL_JUMPS | ROOM},
    {{30, 16, 16}, "dn pp nn", TRIAL_JUMPS | EMPTY},
    {{21, 16, 40}, "nn nn nn", ROOM | EMPTY},
    {{24, 24, 24}, "dd dd dd", EVEN},
    {{64, 8, 1}, "pp dd nn", TRIAL_JUMPS},
    {{97, 1, 1}, "dd nn nn", TRIAL_JUMPS},
    {{16, 1, 1}, "nn nn nn", EVEN},
    {{9, 8, 8}, "dd dd dd", EMPTY | TRIAL_FIXED},
};
enum { CASES = sizeof cases / sizeof *cases };

/* All graphs that may be distributed, most of them, graph 1 at most; what is chosen. */
static const int64_t sizes[] = {0, 60, 1500, -1};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int longest_axis(const int n[3])
{
  return n[0] >= n[1] && n[0] >= n[2] ? 0 : n[1] >= n[2] ? 1 : 2;
}

/* Faces of axis d at which one side is in the part of the grid, or both (inner). */
static void close_faces(trial *t, int d, const int end[3], bool inner)
{
  const int *n = t->c.spec.n;
  for (int k = 0, q = 0; k < n[2] + (d == 2); k++)
    for (int j = 0; j < n[1] + (d == 1); j++)
      for (int i = 0; i < n[0] + (d == 0); i++, q++) {
        const int low[3] = {i - (d == 0), j - (d == 1), k - (d == 2)}, high[3] = {i, j, k};
        bool in[2] = {true, true};
        for (int a = 0; a < 3; a++) {
          in[0] = in[0] && low[a] >= 0 && low[a] < end[a];
          in[1] = in[1] && high[a] < end[a];
        }
        if (inner ? in[0] || in[1] : in[0] != in[1]) t->c.beta[d][q] = 0;
      }
}

static trial trial_case(int i)
{
  const int *n = cases[i].n, axis = longest_axis(n);
  trial t = cases[i].kind & EVEN ? trial_plain(n, cases[i].boundary, (const double[3]){1, 1, 1})
                                 : trial_of(n, cases[i].boundary, cases[i].kind & 0xffff);
  const int half[3] = {axis == 0 ? n[0] / 2 : n[0], axis == 1 ? n[1] / 2 : n[1],
                       axis == 2 ? n[2] / 2 : n[2]};
  const int room[3] = {(n[0] + 2) / 3, (n[1] + 2) / 3, (n[2] + 2) / 3};
  for (int d = 0; d < 3; d++) {
    if (cases[i].kind & EMPTY) close_faces(&t, d, half, true);
    if (cases[i].kind & ROOM) close_faces(&t, d, room, false);
  }
  t.o.transfer = HYMG_TRANSFER_PAIRS;
  t.o.max_cycles = 40;
  t.o.rtol = 1e-9;
  return t;
}

/* Boxes of unequal size along the longest axis and, on an even number of ranks, one more; with fewer cells than ranks one
 * rank has all. */
static void distribute(trial *t, int *own[3])
{
  const int *n = t->c.spec.n, ranks = support_ranks(MPI_COMM_WORLD), axis = longest_axis(n);
  const int other = (axis + 1) % 3, two = ranks % 2 == 0 && ranks > 2 && n[other] > 2 ? 2 : 1;
  for (int d = 0; d < 3; d++) {
    int boxes = d == axis ? ranks / two : d == other ? two : 1, left = n[d];
    if (boxes > n[d]) boxes = 1;
    t->boxes[d] = boxes;
    own[d] = malloc((size_t)boxes * sizeof *own[d]);
    for (int b = 0; b < boxes; b++) {
      const int share = left / (boxes - b), odd = share > 2 ? share - 1 - b % 2 : share;
      left -= own[d][b] = b == boxes - 1 ? left : odd > 0 ? odd : 1;
    }
    t->cuts[d] = own[d];
  }
}

/* ---- graphs ---- */

typedef struct numbers {
  int count;
  int64_t nodes[HYMGI_MAX_GRAPHS], edges[HYMGI_MAX_GRAPHS], children[HYMGI_MAX_GRAPHS];
} numbers;

static const struct hymgi_pairs *pairs_of(const trial *t)
{
  return t->k.solver->h.pairs;
}

/* Of the graphs that are here. */
static numbers count(const struct hymgi_pairs *p)
{
  numbers s = {.count = p->count};
  for (int l = 0; l < p->count; l++) {
    const hymgi_graph *const g = p->graph + l;
    s.nodes[l] = g->n, s.edges[l] = g->edges, s.children[l] = g->children;
  }
  return s;
}

/* Sums over ranks are those of whole graphs. */
static const char *compare_numbers(const struct hymgi_pairs *p, const numbers *whole)
{
  numbers s = count(p);
  MPI_Allreduce(MPI_IN_PLACE, &s.count, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, s.nodes, 3 * HYMGI_MAX_GRAPHS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int l = 1; l < s.count; l++)
    if (s.nodes[l] != whole->nodes[l] || s.edges[l] != whole->edges[l]) return "another graph";
  for (int l = 0; l < s.count; l++)
    if (s.children[l] != whole->children[l]) return "children on no rank or on two";
  return s.count == whole->count ? NULL : "another number of graphs";
}

static double *vector_of(const hymgi_graph *g)
{
  return calloc(hymgi_whole_slices(g->n) + (size_t)g->ghosts + 1, sizeof(double));
}

/* Sums of random numbers over the cells that a node of graph 1, 2, ... stands for tell nodes apart. */
static double *coarse_marks(const hymgi_graph *g, const double *mark)
{
  const hymgi_graph *const coarse = g + 1;
  double *of = vector_of(coarse);
  for (int I = 0; I < coarse->n; I++)
    for (int m = g->first[I]; m < g->first[I + 1]; m++)
      of[I] += mark[g->child[m]];
  hymgi_index_plan_run(coarse->halo, of, of);
  return of;
}

static const char *check_parents(const hymgi_graph *g, const double *fine, const double *coarse)
{
  for (int i = 0; i < g->n; i++)
    if (!(coarse[g->parent[i]] >= fine[i])) return "a parent that lacks its child";
  return NULL;
}

/* Every edge is at both of its ends with one weight, so flows from end to end cancel. */
static const char *check_edges(const hymgi_graph *g, const double *mark)
{
  double sums[2] = {0};
  for (int s = 0; s < (int)(hymgi_whole_slices(g->n) / HYMGI_LANES); s++)
    for (int e = HYMGI_LANES * g->slice[s]; e < HYMGI_LANES * g->slice[s + 1]; e++) {
      const double here = mark[HYMGI_LANES * s + e % HYMGI_LANES], there = mark[g->to[e]];
      sums[0] += g->weight[e] * (there - here);
      sums[1] += g->weight[e] * (there + here);
    }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return fabs(sums[0]) <= 1e-12 * sums[1] ? NULL : "edges that do not lead back";
}

/* Ghosts are the nodes that they stand for. mark: of each cell, in a vector of level 0. */
static void check_ghosts(const struct hymgi_pairs *p, const double *mark, const char *name)
{
  const hymgi_graph *const finest = p->graph;
  double *fine = vector_of(finest);
  for (int i = 0; i < finest->n; i++)
    fine[i] = mark[finest->at[i]];
  hymgi_index_plan_run(finest->halo, mark, fine + hymgi_whole_slices(finest->n));
  for (int l = 1; l < p->gathered; l++) {
    double *coarse = coarse_marks(p->graph + l - 1, fine);
    support_all_agree(check_parents(p->graph + l - 1, fine, coarse), name);
    support_all_agree(check_edges(p->graph + l, coarse), name);
    free(fine);
    fine = coarse;
  }
  free(fine);
}

/* Random numbers of cells, in a vector of level 0. */
static double *cell_marks(const trial *t)
{
  const hymgi_level *level = t->k.solver->h.level;
  double *mark = calloc((size_t)level->vector_size + 1, sizeof *mark);
  const unsigned seed = 7 + (unsigned)support_rank(MPI_COMM_WORLD);
  double *u = support_random((size_t)level->vector_size + 1, 1, 2, seed);
  memcpy(mark, u, (size_t)level->vector_size * sizeof *u);
  free(u);
  return mark;
}

/* ---- solves ---- */

static numbers solve_alone(int i, double *u, hymg_result *r, double *history)
{
  trial t = trial_case(i);
  numbers s = {0};
  if (support_rank(MPI_COMM_WORLD) == 0) {
    *r = trial_solve(&t, u);
    for (int m = 0; m < r->cycles; m++)
      history[m] = r->history[m].residual_max;
    s = count(pairs_of(&t));
  }
  support_from_first(&s, sizeof s);
  support_from_first(&r->cycles, sizeof r->cycles);
  support_from_first(&r->pieces, sizeof r->pieces);
  support_from_first(history, 40 * sizeof *history);
  support_from_first(u, t.cells * sizeof *u);
  trial_close(&t);
  return s;
}

static const char *compare(const trial *t, const hymg_result *a, const hymg_result *b,
                           const double *history, const double *want, const double *got)
{
  if (a->cycles != b->cycles || a->pieces != b->pieces) return "another number of cycles or pieces";
  for (int m = 0; m < a->cycles; m++)
    if (b->history[m].residual_max != history[m]) return "other residuals";
  for (size_t m = 0; m < t->cells; m++) /* NaN where this rank holds nothing */
    if (got[m] == got[m] && memcmp(got + m, want + m, sizeof *got) != 0) return "other cells";
  return NULL;
}

/* Graphs above those on one rank are in parts if there are several ranks. */
static const char *judge_choice(const struct hymgi_pairs *p, int64_t size, const numbers *whole)
{
  const bool several = support_ranks(MPI_COMM_WORLD) > 1;
  if (!p->active) return whole->count > 1 ? "graphs that are not used" : NULL;
  if (!several) return p->gathered == HYMGI_MAX_GRAPHS ? NULL : "one rank distributes graphs";
  const int l = p->gathered;
  if (l < 1 || l >= whole->count) return "another graph is gathered";
  if (size < 0) return NULL;
  if (l > 1 && whole->nodes[l - 1] < size) return "a small graph is in parts";
  const bool large = size == 0 && whole->nodes[l] > HYMGI_MATRIX_CELLS && l + 1 < whole->count;
  return large ? "a large graph is on one rank" : NULL;
}

static void compare_case(int i, int64_t size)
{
  double history[40] = {0};
  hymg_result alone = {0};
  hymg_context *context = support_context(MPI_COMM_WORLD, 1 + (i + (int)size) % 2);
  trial t = trial_case(i);
  double *want = support_poison(t.cells), *got = support_poison(t.cells);
  const numbers whole = solve_alone(i, want, &alone, history);
  int *own[3];
  t.context = context;
  t.o.gather_cells = size;
  distribute(&t, own);
  const hymg_result r = trial_solve(&t, got);
  support_all_agree(compare(&t, &alone, &r, history, want, got), t.c.name);
  support_all_agree(judge_choice(pairs_of(&t), size, &whole), t.c.name);
  support_all_agree(compare_numbers(pairs_of(&t), &whole), t.c.name);
  double *mark = cell_marks(&t);
  if (support_ranks(MPI_COMM_WORLD) > 1 && pairs_of(&t)->active)
    check_ghosts(pairs_of(&t), mark, t.c.name);
  free(mark);
  for (int d = 0; d < 3; d++)
    free(own[d]);
  free(want);
  free(got);
  trial_close(&t);
  hymg_context_destroy(&context);
}

/* Each case of each size is on two of 2, 3 and 8 ranks. */
START_TEST(parts_have_the_bits_of_one_rank)
{
  const int i = _i / SIZES;
  if (support_small() ? _i % 5 : (_i + support_turn()) % SUPPORT_TURNS == 0) return;
  compare_case(i, sizes[_i % SIZES]);
}
END_TEST

/* ---- graphs by their definition ---- */

/* A mark for each cell; sums of them are exact, and tell sets of cells apart. */
static double mark_of(int64_t id)
{
  uint64_t h = ((uint64_t)id + 1) * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9u;
  return (double)(1 + (h >> 32));
}

/* A graph of the definition: couplings, ids, and the marks of the nodes' cells. */
typedef struct dense {
  int n;
  double *t, *mark;
  int64_t *id;
} dense;

static void free_dense(dense *d)
{
  free(d->t);
  free(d->mark);
  free(d->id);
}

/* The coupling of a cell of a level of one box to the next one along an axis, *next; 0: there is none. */
static double coupling(const hymgi_level *level, const int cell[3], int axis, int next[3])
{
  memcpy(next, cell, 3 * sizeof *next);
  const bool beyond = ++next[axis] == level->n[axis], closed = !(level->periodic >> axis & 1);
  if (level->n[axis] == 1 || (beyond && closed)) return 0;
  if (beyond) next[axis] = 0;
  return level->c.beta[axis][hymgi_at(level->box, next[0], next[1], next[2])];
}

/* Level 0 of a solver on this rank alone, without rows of 0. */
static dense dense_of(const hymgi_level *level)
{
  const int *n = level->n, cells = (int)level->cells;
  dense d = {.n = cells};
  d.t = calloc((size_t)cells * (size_t)cells + 1, sizeof *d.t);
  d.mark = calloc((size_t)cells + 1, sizeof *d.mark);
  d.id = calloc((size_t)cells + 1, sizeof *d.id);
  for (int q = 0; q < cells; q++) {
    const int cell[3] = {q % n[0], q / n[0] % n[1], q / n[0] / n[1]};
    d.id[q] = q, d.mark[q] = mark_of(q);
    for (int axis = 0; axis < 3; axis++) {
      int next[3];
      const double t = coupling(level, cell, axis, next);
      const int other = (next[2] * n[1] + next[1]) * n[0] + next[0];
      if (t > 0) d.t[q * cells + other] = d.t[other * cells + q] = t;
    }
  }
  return d;
}

static dense coarser(const dense *d, int graph)
{
  int *const parent = calloc((size_t)d->n + 1, sizeof *parent);
  dense c = {.mark = calloc((size_t)d->n + 1, sizeof *c.mark),
             .id = calloc((size_t)d->n + 1, sizeof *c.id)};
  c.n = oracle_parents(d->t, d->id, d->n, graph, parent, c.id);
  c.t = oracle_coarse(d->t, d->n, parent, c.n);
  for (int i = 0; i < d->n; i++)
    c.mark[parent[i]] += d->mark[i];
  free(parent);
  return c;
}

static int node_with(const dense *d, double mark)
{
  int i = 0;
  while (i < d->n && d->mark[i] != mark)
    i++;
  return i;
}

/* Own nodes have all edges of the definition and no other ones. */
static const char *compare_rows(const hymgi_graph *g, const double *mark, const dense *d)
{
  for (int i = 0; i < g->n; i++) {
    const int node = node_with(d, mark[i]), slice = i / HYMGI_LANES;
    int left = 0;
    if (node == d->n) return "a node that the definition has not";
    for (int j = 0; j < d->n; j++)
      left += d->t[node * d->n + j] > 0;
    for (int row = g->slice[slice]; row < g->slice[slice + 1]; row++) {
      const ptrdiff_t e = (ptrdiff_t)HYMGI_LANES * row + i % HYMGI_LANES;
      if (!(g->weight[e] > 0)) continue;
      const int other = node_with(d, mark[g->to[e]]);
      const double want = other < d->n ? d->t[node * d->n + other] : 0;
      if (!(fabs(g->weight[e] - want) <= 1e-13 * want)) return "another edge";
      left--;
    }
    if (left) return "edges are missing";
  }
  return NULL;
}

/* All graphs in parts of a solver on all ranks, against those of one on this rank. */
static void compare_with_definition(const trial *t, const trial *alone)
{
  const struct hymgi_pairs *const p = pairs_of(t);
  const hymgi_level *const level = t->k.solver->h.level;
  double *const mark = calloc((size_t)level->vector_size + 1, sizeof *mark), *fine = NULL;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int q = 0; q < g->n[0] * g->n[1] * g->n[2]; q++) {
      const int i = q % g->n[0], j = q / g->n[0] % g->n[1], k = q / g->n[0] / g->n[1];
      const int64_t row = (int64_t)(g->low[2] + k) * level->n[1] + g->low[1] + j;
      mark[hymgi_at(g, i, j, k)] = mark_of(row * level->n[0] + g->low[0] + i);
    }
  fine = vector_of(p->graph);
  for (int i = 0; i < p->graph->n; i++)
    fine[i] = mark[p->graph->at[i]];
  hymgi_index_plan_run(p->graph->halo, mark, fine + hymgi_whole_slices(p->graph->n));
  dense d = dense_of(alone->k.solver->h.level);
  for (int l = 1; l < p->gathered; l++) {
    dense c = coarser(&d, l - 1);
    double *const coarse = coarse_marks(p->graph + l - 1, fine);
    support_all_agree(compare_rows(p->graph + l, coarse, &c), t->c.name);
    free(fine);
    free_dense(&d);
    fine = coarse, d = c;
  }
  free_dense(&d);
  free(fine);
  free(mark);
}

START_TEST(parts_are_the_graphs_of_the_definition)
{
  static const int small[][3] = {{11, 9, 8}, {13, 7, 6}, {9, 11, 7}, {30, 20, 1}, {400, 1, 1}};
  static const char *const boundaries[] = {"dd pp nn", "pp pp pp", "nn nn nn", "nn pp dd",
                                           "pp nn nn"};
  const int ranks = support_ranks(MPI_COMM_WORLD);
  trial t = trial_of(small[_i], boundaries[_i], TRIAL_JUMPS);
  trial alone = trial_of(small[_i], boundaries[_i], TRIAL_JUMPS);
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  int *own[3];
  alone.o.transfer = t.o.transfer = HYMG_TRANSFER_PAIRS;
  t.context = context;
  t.o.gather_cells = 0;
  distribute(&t, own);
  trial_open(&t);
  trial_open(&alone);
  support_all_agree(ranks == 1 || pairs_of(&t)->gathered > 2 ? NULL : "no graph in parts",
                    t.c.name);
  if (ranks > 1) compare_with_definition(&t, &alone);
  for (int d = 0; d < 3; d++)
    free(own[d]);
  trial_close(&t);
  trial_close(&alone);
  hymg_context_destroy(&context);
}
END_TEST

typedef struct masked {
  int cycles;
  int64_t pieces;
  char note[1000];
} masked;

/* On rank 0, and what came of it on all. */
static masked solve_masked_alone(trial *t, double *u)
{
  masked a = {0};
  if (support_rank(MPI_COMM_WORLD) == 0) {
    const hymg_result r = trial_solve(t, u);
    a.cycles = r.cycles, a.pieces = r.pieces;
    snprintf(a.note, sizeof a.note, "%s", r.note);
  }
  support_from_first(&a, sizeof a);
  support_from_first(u, t->cells * sizeof *u);
  return a;
}

/* Random masks, most of which have pieces that some ranks lack; half of them on 3 ranks, the others on 2 and 8. */
START_TEST(masks_have_the_bits_of_one_rank)
{
  for (unsigned seed = (unsigned)support_turn() % 2; seed < 40; seed += support_small() ? 8 : 2) {
    hymg_context *context = support_context(MPI_COMM_WORLD, 1);
    trial alone = mask_trial(3 + 10 * seed, 14), t = mask_trial(3 + 10 * seed, 14);
    double *want = support_poison(t.cells), *got = support_poison(t.cells);
    int *own[3];
    alone.o.transfer = t.o.transfer = HYMG_TRANSFER_PAIRS;
    alone.o.smoother = t.o.smoother = HYMG_GSRB;
    t.o.gather_cells = sizes[(seed / 2 + seed / 8) % SIZES];
    t.context = context;
    alone.threads = t.threads = 1;
    distribute(&t, own);
    const masked a = solve_masked_alone(&alone, want);
    const hymg_result b = trial_solve(&t, got);
    const bool same = a.cycles == b.cycles && a.pieces == b.pieces && strcmp(a.note, b.note) == 0;
    support_all_agree(same ? NULL : b.note, t.c.name);
    int wrong = 0;
    for (size_t m = 0; m < t.cells; m++)
      wrong += got[m] == got[m] && memcmp(got + m, want + m, sizeof *got) != 0;
    support_all_agree(wrong ? "cells differ" : NULL, t.c.name);
    for (int d = 0; d < 3; d++)
      free(own[d]);
    free(want);
    free(got);
    trial_close(&t);
    trial_close(&alone);
    hymg_context_destroy(&context);
  }
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

/* No rank's part of the graphs is much more than its share of the cells, but for the first one's small graphs, nor than what is
 * told before. */
START_TEST(memory_is_shared)
{
  const int n[3] = {48, 48, 48};
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  trial alone = trial_of(n, "dd dd dd", TRIAL_JUMPS), t = trial_of(n, "dd dd dd", TRIAL_JUMPS);
  alone.o.transfer = t.o.transfer = HYMG_TRANSFER_PAIRS;
  t.context = context;
  trial_open(&t);
  trial_open(&alone);
  const double all = (double)pairs_of(&alone)->bytes, own = (double)pairs_of(&t)->bytes;
  const hymgi_level *level = t.k.solver->h.level;
  const double share = (double)hymgi_cells_here(level) / (double)level->cells;
  const double small = support_rank(MPI_COMM_WORLD) == 0 ? 0.1 : 0.01;
  support_all_agree(own <= (small + 1.25 * share) * all ? NULL : "more than its share", "graphs");
  support_all_agree(own >= 0.8 * share * all ? NULL : "less than its share", "graphs");
  const double told = need(&t, HYMG_TRANSFER_PAIRS) - need(&t, HYMG_TRANSFER_CONSTANT);
  const bool right = own <= 1.2 * told && told <= 1.6 * own;
  support_all_agree(right || !hymgi_cells_here(level) ? NULL : "not as told", "graphs");
  trial_close(&t);
  trial_close(&alone);
  hymg_context_destroy(&context);
}
END_TEST

/* Other jumps, in a third of the faces. */
static void change(trial *t, bool write)
{
  for (int d = 0; d < 3; d++) {
    int n[3];
    size_t faces = 1;
    for (int a = 0; a < 3; a++)
      faces *= (size_t)(n[a] = t->c.spec.n[a] + (a == d));
    const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    for (size_t q = 0; q < faces; q += 3)
      t->c.beta[d][q] *= 1e4;
    if (write)
      OK(t->k.context,
         hymg_field_write_own(t->k.coefficient[HYMG_FACE_X + d], (const int[3]){0, 0, 0}, n, stride,
                              t->c.beta[d], HYMG_HOST));
  }
}

/* New coefficients: parts of other graphs, as a new solver has them. */
START_TEST(an_update_makes_other_parts)
{
  trial t = trial_case(3), fresh = trial_case(3);
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  double *got = support_poison(t.cells), *want = support_poison(t.cells);
  int *own[3];
  distribute(&t, own);
  for (int d = 0; d < 3; d++)
    fresh.boxes[d] = t.boxes[d], fresh.cuts[d] = t.cuts[d];
  fresh.context = t.context = context;
  fresh.o.gather_cells = t.o.gather_cells = 20;
  trial_open(&t);
  const numbers before = count(pairs_of(&t));
  change(&t, true);
  change(&fresh, false);
  OK(t.k.context, hymg_solver_update(t.k.solver));
  const numbers after = count(pairs_of(&t));
  int differs = memcmp(&before, &after, sizeof before) != 0;
  MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  support_all_agree(differs ? NULL : "the same graphs", "update");
  trial_solve(&t, got);
  trial_solve(&fresh, want);
  support_all_agree(memcmp(got, want, t.cells * sizeof *got) ? "other cells" : NULL, "update");
  for (int d = 0; d < 3; d++)
    free(own[d]);
  free(got);
  free(want);
  trial_close(&t);
  trial_close(&fresh);
  hymg_context_destroy(&context);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("pairs on ranks");
  TCase *t = tcase_create("parts");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, parts_have_the_bits_of_one_rank, 0, CASES * SIZES);
  tcase_add_loop_test(t, parts_are_the_graphs_of_the_definition, 0, 5);
  tcase_add_test(t, masks_have_the_bits_of_one_rank);
  tcase_add_test(t, memory_is_shared);
  tcase_add_test(t, an_update_makes_other_parts);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
