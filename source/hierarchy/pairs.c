/* Level 0 as a graph and the graphs below it. A single rank makes them where level 0 is or, without memory for that there, by the
 * host. Several ranks make them in parts by their hosts (graph_parts.c), and one of them the small ones where its level 0 is. */
#include "hierarchy/pairs.h"

#include <limits.h>
#include <stdlib.h>

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

/* Whether this rank lacks memory for making graphs of so many nodes where level 0 is. */
static bool lacks_memory(const hymgi_level *level, int64_t nodes)
{
  size_t free_bytes = 0;
  const double graphs = HYMGI_GRAPH_BYTES * MORE_FOR_JUMPS * (double)nodes;
  const double needed = graphs + sizeof(double) * hymgi_graph_build_doubles(nodes);
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

static const hymgi_backend *choose_maker(const hymgi_level *level, int64_t nodes)
{
  const hymgi_backend *const host = hymgi_cpu_backend();
  const bool there = level->backend == host || (level->backend->graph_setup && level->num_boxes &&
                                                !lacks_memory(level, nodes));
  return there ? level->backend : host;
}

static bool is_one_box(const hymgi_level *level)
{
  return hymgi_comm_size(level->context->comm) == 1 && level->num_boxes == 1;
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

/* ---- on a single rank, of one box ---- */

static hymg_status build(hymgi_hierarchy *h, const coefficients *c)
{
  hymgi_graph_builder b = {.context = h->context,
                           .backend = c->maker,
                           .memory = graph_memory(c->maker, &c->level),
                           .pairs = h->pairs,
                           .cells = c->level.cells};
  if (c->level.cells > INT_MAX / MOST_EDGES)
    return hymgi_part_edges(h->context, MOST_EDGES * c->level.cells);
  hymg_status status = hymgi_graph_finest(&b, &c->level, c->vector, c->vector[3]);
  if (status == HYMG_OK) status = hymgi_graph_build_all(&b);
  hymgi_graph_end(&b);
  return status == HYMG_OK ? hymgi_graphs_move(h->pairs, c->maker) : status;
}

/* ---- of several boxes or ranks ---- */

int64_t hymgi_pairs_least(const hymgi_hierarchy *h)
{
  const int64_t asked = h->options.gather_cells;
  return asked < 0 ? h->level->backend->graphs->least_in_parts : asked;
}

/* To where cycles run. The root's cycle goes on below the first gathered graph, the others' end above it. */
static hymg_status move_parts(struct hymgi_pairs *p, const hymgi_backend *maker, int gathered)
{
  const int parts = p->part.block ? gathered : 0;
  const bool ends = p->count == gathered;
  TRY(hymgi_graphs_move(p, maker));
  if (!p->part.block) return HYMG_OK;
  TRY(hymgi_graph_move(p, &p->part));
  for (int l = 0; l < parts; l++)
    TRY(hymgi_index_plan_share(p->graph[l].halo));
  TRY(hymgi_index_plan_share(p->gather));
  TRY(hymgi_index_plan_share(p->scatter));
  p->gathered = gathered;
  if (ends) p->last = p->tail = HYMGI_MAX_GRAPHS;
  if (p->tail < gathered) p->tail = gathered;
  for (int l = 0; l < gathered; l++)
    p->bytes += hymgi_index_plan_bytes(p->graph[l].halo);
  p->bytes += hymgi_index_plan_bytes(p->gather) + hymgi_index_plan_bytes(p->scatter) +
              p->part.doubles * sizeof(double);
  p->backend->sync(p->context);
  return p->context->status;
}

static hymg_status make_parts(hymgi_hierarchy *h, hymgi_part_maker *m)
{
  hymg_context *const c = h->context;
  if (m->ranks > 1) TRY(hymgi_parts_make(m));
  if (m->ranks > 1 && !m->gathered) return HYMG_OK;
  const int64_t nodes = m->ranks > 1 ? m->nodes : m->part.g.n;
  const hymgi_backend *const maker = choose_maker(h->level, nodes);
  TRY(hymgi_parts_gather(m, maker, graph_memory(maker, h->level)));
  return hymgi_agree(c, move_parts(h->pairs, maker, m->gathered));
}

static hymg_status build_parts(hymgi_hierarchy *h, const coefficients *c)
{
  const hymgi_backend *const host = hymgi_cpu_backend(), *const backend = h->level->backend;
  const hymgi_index_mover by_host = {&host->mover, host->memory, host->share, host->unshare,
                                     host->graphs->copy};
  const hymgi_index_mover cycle = {&backend->mover, hymgi_crossing(h->level), backend->share,
                                   backend->unshare, backend->graphs->copy};
  hymgi_part_maker m = {.context = h->context,
                        .pairs = h->pairs,
                        .level = &c->level,
                        .host = by_host,
                        .cycle = cycle,
                        .rank = hymg_context_rank(h->context),
                        .ranks = hymgi_comm_size(h->context->comm),
                        .root = hymgi_part_owner(h->level, 0),
                        .tag = TAG,
                        .least = hymgi_pairs_least(h)};
  hymg_status status = hymgi_part_of_cells(&c->level, c->vector, c->vector[3], &m.part);
  status = hymgi_agree(h->context, status);
  if (status == HYMG_OK) status = make_parts(h, &m);
  hymgi_part_release(&m.part);
  return status;
}

/* ---- both ---- */

static hymg_status create(hymgi_hierarchy *h)
{
  const hymgi_level *level = h->level;
  if (!h->pairs) h->pairs = calloc(1, sizeof *h->pairs);
  if (!h->pairs) return hymgi_fail(h->context, HYMG_ENOMEM, "no memory for graphs");
  hymgi_graphs_destroy(h->pairs);
  h->pairs->context = h->context, h->pairs->backend = level->backend;
  h->pairs->memory = graph_memory(level->backend, level);
  h->pairs->ops = level->backend->graphs;
  return HYMG_OK;
}

static hymg_status build_from(hymgi_hierarchy *h, const coefficients *c)
{
  double *const *v = c->vector;
  const hymgi_graph_cells cells = {.level = &c->level, .high = {v[0], v[1], v[2]}, .excess = v[3]};
  if (c->level.num_boxes) c->maker->graph_setup->couplings(&cells);
  return is_one_box(h->level) ? build(h, c) : build_parts(h, c);
}

/* excess: a vector of level 0, which the graphs' memory may take the place of */
static hymg_status make(hymgi_hierarchy *h, double **excess)
{
  const hymgi_level *level = h->level;
  coefficients c = {.maker =
                        is_one_box(level) ? choose_maker(level, level->cells) : hymgi_cpu_backend(),
                    .level = *level,
                    .vector = {NULL, NULL, NULL, *excess}};
  const bool copied = c.maker != level->backend;
  if (copied) c.vector[3] = NULL;
  for (int axis = 0; axis < 3 && level->num_boxes && !copied; axis++)
    c.vector[axis] = level->krylov + (axis + 1) * level->vector_size;
  load_excess(h, *excess);
  hymg_status status = h->context->status;
  if (copied && level->num_boxes) status = read_copies(level, &c, *excess);
  if (copied) hymgi_vector_destroy(level, level->vector_size, excess);
  status = hymgi_agree(h->context, status);
  if (status == HYMG_OK) status = build_from(h, &c);
  if (copied) release_copies(level, &c);
  status = hymgi_agree(h->context, status);
  int active = h->pairs->count > 1 || h->pairs->gathered < HYMGI_MAX_GRAPHS;
  if (status == HYMG_OK) status = hymgi_comm_max_int(h->context, h->context->comm, &active, 1);
  h->pairs->active = active;
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
  free(h->pairs);
  h->pairs = NULL;
}
