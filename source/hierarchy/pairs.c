/* Level 0 as a graph, on the rank that has its first box, and the graphs below it: made where level 0 is or, without memory for
 * that there, by the host. On several ranks they are then distributed (graph_parts.c). */
#include "hierarchy/pairs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy/graph_parts.h"
#include "multigrid/graph_setup.h"
#include "multigrid/level_ops.h"

/* TAG: beyond those of levels (build.c) */
enum {
  TAG = 8 * HYMGI_MAX_LEVELS,
  MOST_EDGES = 6,
  VECTORS = 4 /* conductances of three axes, excess */
};

/* Graphs beside those of a uniform grid, at most */
#define MORE_FOR_JUMPS 1.5

/* ---- who makes graphs ---- */

/* Whether this rank lacks memory for making graphs where level 0 is. */
static bool lacks_memory(const hymgi_level *level)
{
  size_t free_bytes = 0;
  const double graphs = HYMGI_GRAPH_BYTES * MORE_FOR_JUMPS * (double)level->cells;
  const double needed = graphs + sizeof(double) * hymgi_graph_build_doubles(level->cells);
  return !level->memory->available ||
         level->memory->available(level->context, &free_bytes) != HYMG_OK ||
         (double)free_bytes < needed;
}

/* Of the graphs that a backend makes or runs, with level 0 in its memory. */
static const hymgi_memory *graph_memory(const hymgi_backend *backend, const hymgi_level *level)
{
  const hymgi_graph_setup *const setup = backend->graph_setup;
  return setup && setup->memory ? setup->memory : level->memory;
}

/* The same on all ranks, as the graphs need the coefficients of all. */
static hymg_status choose_maker(const hymgi_level *level, const hymgi_backend **maker)
{
  hymg_context *const c = level->context;
  const hymgi_backend *const host = hymgi_cpu_backend();
  int by_host = level->num_boxes && level->backend != host &&
                (!level->backend->graph_setup || lacks_memory(level));
  TRY(hymgi_comm_max_int(c, c->comm, &by_host, 1));
  *maker = by_host ? host : level->backend;
  return HYMG_OK;
}

/* ---- level 0 as the host sees it ---- */

/* Its vectors are in memory that both can access. */
static hymgi_level view_of(const hymgi_level *level)
{
  hymgi_level view = *level;
  view.backend = hymgi_cpu_backend();
  view.memory = hymgi_crossing(level);
  return view;
}

static hymg_status copy_out(const hymgi_level *level, const double *from, double **to)
{
  TRY(hymgi_crossing_create(level, level->vector_size, to));
  level->backend->copy(level->context, from, *to, (size_t)level->vector_size);
  return level->context->status;
}

/* ---- level 0 as one box ---- */

static void destroy_whole(struct hymgi_pairs *pairs)
{
  hymgi_level *const whole = pairs->whole;
  if (!whole) return;
  hymgi_plan_destroy(&whole->gather);
  if (whole->box) whole->keeper->unshare(whole->box);
  free(whole->cover);
  hymgi_decomp_destroy(&whole->decomp);
  free(whole);
  pairs->whole = NULL;
}

/* From the boxes of level 0. */
static hymg_status make_plan(const hymgi_level *level, hymgi_level *whole)
{
  const hymgi_side from = hymgi_side_of(level), to = hymgi_side_of(whole);
  const hymgi_pull rule = hymgi_gather_rule(&from, &to);
  TRY(hymgi_plan_create(whole->context, &rule, TAG, &whole->gather));
  return hymgi_plan_share(whole->gather, whole->backend->share, whole->backend->unshare,
                          hymgi_crossing(whole));
}

static hymg_status make_whole(const hymgi_level *level, struct hymgi_pairs *pairs)
{
  hymg_context *const c = level->context;
  hymgi_level *const whole = pairs->whole = calloc(1, sizeof *whole);
  if (!whole) return hymgi_fail(c, HYMG_ENOMEM, "no memory for a level");
  *whole = *level;
  whole->decomp = NULL, whole->box = NULL, whole->cover = NULL;
  whole->gather = whole->scatter = NULL;
  whole->num_boxes = 0, whole->vector_size = 0;
  TRY(hymgi_decomp_coarsen_axes(c, level->decomp, 0, &(hymgi_gathering){.below = INT64_MAX},
                                &whole->decomp));
  TRY(hymgi_side_boxes(c, whole->decomp, hymg_context_rank(c), whole->ghost, whole->periodic,
                       &whole->box, &whole->cover, &whole->num_boxes));
  whole->vector_size = hymgi_boxes_layout(whole->box, whole->num_boxes, whole->backend->line);
  TRY(hymgi_boxes_share(c, whole->keeper, &whole->box, whole->num_boxes));
  return make_plan(level, whole);
}

/* ---- its coefficients ---- */

typedef struct coefficients {
  const hymgi_backend *maker;
  hymgi_level level; /* as that sees it */
  double *vector[VECTORS];
} coefficients;

/* What is added to the diagonal of each cell, into a vector of level 0. */
static void load_excess(const hymgi_hierarchy *h, double *excess)
{
  const hymgi_level *level = h->level;
  if (!level->num_boxes) return;
  hymgi_fill(level, 0, excess);
  if (h->method.empty_rows)
    level->backend->robust->mark_empty_rows(level, 0, excess);
  else if (level->c.alpha)
    hymgi_copy_vector(level, level->c.alpha, excess);
}

static hymg_status read_copies(const hymgi_level *level, coefficients *c, const double *excess)
{
  c->level = view_of(level);
  TRY(copy_out(level, excess, &c->vector[3]));
  for (int axis = 0; axis < 3; axis++) {
    TRY(copy_out(level, level->c.beta[axis], &c->level.c.beta[axis]));
    TRY(hymgi_crossing_create(level, level->vector_size, &c->vector[axis]));
  }
  return HYMG_OK;
}

static void release_copies(const hymgi_level *level, coefficients *c)
{
  for (int m = 0; m < VECTORS; m++)
    hymgi_crossing_destroy(level, level->vector_size, &c->vector[m]);
  for (int axis = 0; axis < 3; axis++)
    if (c->level.c.beta[axis] != level->c.beta[axis])
      hymgi_crossing_destroy(level, level->vector_size, &c->level.c.beta[axis]);
}

static hymg_status build(hymgi_hierarchy *h, const hymgi_backend *maker, const hymgi_level *whole,
                         double *const vector[VECTORS])
{
  struct hymgi_pairs *const pairs = h->pairs;
  hymgi_graph_builder b = {.context = h->context,
                           .backend = maker,
                           .memory = graph_memory(maker, whole),
                           .pairs = pairs,
                           .cells = whole->cells};
  hymg_status status = hymgi_graph_finest(&b, whole, vector, vector[3]);
  if (status == HYMG_OK) status = hymgi_graph_build_all(&b);
  hymgi_graph_end(&b);
  return status == HYMG_OK ? hymgi_graphs_move(pairs, maker) : status;
}

static hymg_status gather(const hymgi_level *level, const hymgi_level *whole, int vectors,
                          double *const vector[], double *const gathered[])
{
  for (int m = 0; m < vectors; m++)
    hymgi_run_plan(whole, whole->gather, level->box, vector[m], whole->box, gathered[m]);
  return hymgi_agree(level->context, level->context->status);
}

static hymg_status begin_gathered(const hymgi_level *whole, double *gathered[VECTORS])
{
  hymg_status status = HYMG_OK;
  for (int m = 0; m < VECTORS && status == HYMG_OK; m++)
    status = hymgi_vector_create(whole, whole->vector_size, &gathered[m]);
  return hymgi_agree(whole->context, status);
}

/* ---- their distribution ---- */

enum { RANK, PLACE, PLACE_VECTORS };

/* Of each cell here its rank and its place in a vector. */
static void load_places(const hymgi_level *level, double *const vector[])
{
  const int rank = hymg_context_rank(level->context);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          const ptrdiff_t q = hymgi_at(g, i, j, k);
          vector[RANK][q] = rank, vector[PLACE][q] = (double)q;
        }
}

int64_t hymgi_pairs_least(const hymgi_hierarchy *h)
{
  const int64_t asked = h->options.gather_cells;
  return asked < 0 ? h->level->backend->graphs->least_in_parts : asked;
}

/* The first graph that stays on one rank. */
static int first_gathered(const hymgi_hierarchy *h)
{
  const struct hymgi_pairs *p = h->pairs;
  const int64_t least = hymgi_pairs_least(h);
  int l = 1;
  while (l < p->last && l < p->tail && p->graph[l].n >= least)
    l++;
  return l;
}

/* On a single rank of several boxes the nodes of graph 0 only get their places. */
static hymg_status move_to_boxes(const struct hymgi_pairs *p, const double *place)
{
  const hymgi_graph *const finest = p->graph;
  const size_t n = (size_t)finest->n;
  ptrdiff_t *const at = malloc((n + 1) * sizeof *at);
  if (!at) return hymgi_fail(p->context, HYMG_ENOMEM, "no memory for %d places", finest->n);
  p->backend->copy(p->context, (double *)(void *)finest->at, (double *)(void *)at, n);
  for (size_t i = 0; i < n && p->context->status == HYMG_OK; i++)
    at[i] = (ptrdiff_t)place[at[i]];
  p->backend->copy(p->context, (double *)(void *)at, (double *)(void *)finest->at, n);
  free(at);
  return p->context->status;
}

static hymg_status distribute_by(hymgi_hierarchy *h, double *const place[])
{
  struct hymgi_pairs *const p = h->pairs;
  hymg_context *const c = h->context;
  const hymgi_backend *const backend = p->backend;
  const bool root = p->count > 1;
  int choice[2] = {root ? hymg_context_rank(c) : -1, root ? first_gathered(h) : 0};
  TRY(hymgi_comm_max_int(c, c->comm, choice, 2));
  if (choice[0] < 0) return HYMG_OK;
  if (hymgi_comm_size(c->comm) == 1) return move_to_boxes(p, place[PLACE]);
  const hymgi_graph_places places = {.root = choice[0],
                                     .gathered = choice[1],
                                     .tag = TAG + 2,
                                     .rank = place[RANK],
                                     .place = place[PLACE]};
  const hymgi_index_mover by = {&backend->mover, hymgi_crossing(h->level), backend->share,
                                backend->unshare, p->ops->copy};
  return hymgi_graphs_distribute(p, &by, &places);
}

/* level and whole: as the host sees them */
static hymg_status distribute(hymgi_hierarchy *h, const hymgi_level *level,
                              const hymgi_level *whole)
{
  double *own[PLACE_VECTORS] = {NULL}, *gathered[PLACE_VECTORS] = {NULL};
  hymg_status status = HYMG_OK;
  for (int m = 0; m < PLACE_VECTORS && status == HYMG_OK; m++) {
    status = hymgi_crossing_create(level, level->vector_size, &own[m]);
    if (status == HYMG_OK) status = hymgi_crossing_create(whole, whole->vector_size, &gathered[m]);
  }
  status = hymgi_agree(h->context, status);
  if (status == HYMG_OK) load_places(level, own);
  if (status == HYMG_OK) status = gather(level, whole, PLACE_VECTORS, own, gathered);
  if (status == HYMG_OK) status = distribute_by(h, gathered);
  for (int m = 0; m < PLACE_VECTORS; m++) {
    hymgi_crossing_destroy(level, level->vector_size, &own[m]);
    hymgi_crossing_destroy(whole, whole->vector_size, &gathered[m]);
  }
  return status;
}

static hymg_status build_gathered(hymgi_hierarchy *h, const coefficients *c)
{
  const bool copied = c->maker != h->level->backend;
  const hymgi_level host = view_of(h->pairs->whole), level = view_of(h->level);
  const hymgi_level whole = copied ? host : *h->pairs->whole;
  double *gathered[VECTORS] = {NULL};
  hymg_status status = begin_gathered(&whole, gathered);
  if (status == HYMG_OK) status = gather(h->level, &whole, VECTORS, c->vector, gathered);
  if (status == HYMG_OK && whole.num_boxes) status = build(h, c->maker, &whole, gathered);
  for (int m = 0; m < VECTORS; m++)
    hymgi_vector_destroy(&whole, whole.vector_size, &gathered[m]);
  status = hymgi_agree(h->context, status);
  return status == HYMG_OK ? distribute(h, &level, &host) : status;
}

/* ---- both ---- */

static bool is_one_box(const hymgi_level *level)
{
  return hymgi_comm_size(level->context->comm) == 1 && level->num_boxes == 1;
}

static hymg_status create(hymgi_hierarchy *h)
{
  const hymgi_level *level = h->level;
  if (level->cells > INT_MAX / MOST_EDGES)
    return hymgi_fail(h->context, HYMG_EUNSUPPORTED,
                      "transfer pairs for %lld cells, more than %d: their graphs are on one rank",
                      (long long)level->cells, INT_MAX / MOST_EDGES);
  if (!h->pairs) h->pairs = calloc(1, sizeof *h->pairs);
  if (!h->pairs) return hymgi_fail(h->context, HYMG_ENOMEM, "no memory for graphs");
  hymgi_graphs_destroy(h->pairs);
  h->pairs->context = h->context, h->pairs->backend = level->backend;
  h->pairs->memory = graph_memory(level->backend, level);
  h->pairs->ops = level->backend->graphs;
  return is_one_box(level) ? HYMG_OK : make_whole(level, h->pairs);
}

static hymg_status build_from(hymgi_hierarchy *h, const coefficients *c)
{
  double *const *v = c->vector;
  const hymgi_graph_cells cells = {.level = &c->level, .high = {v[0], v[1], v[2]}, .excess = v[3]};
  if (c->level.num_boxes) c->maker->graph_setup->couplings(&cells);
  return h->pairs->whole ? build_gathered(h, c) : build(h, c->maker, &c->level, v);
}

/* excess: a vector of level 0, which the graphs' memory may take the place of */
static hymg_status make(hymgi_hierarchy *h, double **excess)
{
  const hymgi_level *level = h->level;
  coefficients c = {.level = *level, .vector = {NULL, NULL, NULL, *excess}};
  hymg_status status = choose_maker(level, &c.maker);
  const bool copied = status != HYMG_OK || c.maker != level->backend;
  if (copied) c.vector[3] = NULL;
  for (int axis = 0; axis < 3 && level->num_boxes && !copied; axis++)
    c.vector[axis] = level->krylov + (axis + 1) * level->vector_size;
  load_excess(h, *excess);
  if (status == HYMG_OK && copied && level->num_boxes) status = read_copies(level, &c, *excess);
  if (copied) hymgi_vector_destroy(level, level->vector_size, excess);
  status = hymgi_agree(h->context, status);
  if (status == HYMG_OK) status = build_from(h, &c);
  if (copied) release_copies(level, &c);
  status = hymgi_agree(h->context, status);
  int active = h->pairs->count > 1;
  if (status == HYMG_OK) status = hymgi_comm_max_int(h->context, h->context->comm, &active, 1);
  h->pairs->active = active;
  destroy_whole(h->pairs);
  return status;
}

hymg_status hymgi_pairs_make(hymgi_hierarchy *h)
{
  double *excess = NULL;
  hymg_status status = create(h);
  if (status == HYMG_OK) status = hymgi_vector_create(h->level, h->level->vector_size, &excess);
  status = hymgi_agree(h->context, status);
  if (status == HYMG_OK) status = make(h, &excess);
  hymgi_vector_destroy(h->level, h->level->vector_size, &excess);
  if (status != HYMG_OK) hymgi_pairs_destroy(h);
  return status;
}

void hymgi_pairs_destroy(hymgi_hierarchy *h)
{
  if (!h->pairs) return;
  hymgi_graphs_destroy(h->pairs);
  destroy_whole(h->pairs);
  free(h->pairs);
  h->pairs = NULL;
}
