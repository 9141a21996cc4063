/* The memory that a solver will need, per level, and on a GPU compared with what is free. */
#include <math.h>

#include "hierarchy/build.h"
#include "hierarchy/pairs.h"

_Static_assert((int)HYMGI_MAX_LEVELS == (int)HYMG_MAX_LEVELS, "the number of levels is public");

/* An upper bound for the message buffers in doubles: as if every face of the rank's boxes that
 * is not on a boundary were sent and received, as deep as the ghosts, by both halo plans. It
 * also covers a device: peers send directly and receive into several versions of a buffer.
 * (Staged buffers are in host memory.) */
static double ghosts_of(const hymgi_level *level, int depth)
{
  double ghosts = 0;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    double with = 1, without = 1;
    for (int axis = 0; axis < 3; axis++) {
      const int boundaries =
          (g->boundaries >> (2 * axis) & 1) + (g->boundaries >> (2 * axis + 1) & 1);
      with *= g->n[axis] + (double)depth * (2 - boundaries);
      without *= g->n[axis];
    }
    ghosts += with - without;
  }
  return ghosts;
}

static double message_doubles(const hymgi_level *level)
{
  if (hymgi_comm_size(level->context->comm) == 1) return 0;
  const int layers = level->layers;
  return 4 * ghosts_of(level, level->ghost) +
         (layers ? 2 * ghosts_of(level, layers + level->ghost) : 0);
}

/* On each rank for its cells, and on the rank that holds the first box for the graphs that are gathered there. */
static double graph_bytes(const hymgi_hierarchy *h)
{
  const hymgi_level *level = h->level;
  const bool first = hymg_context_rank(h->context) == 0;
  const double all = (double)level->cells * HYMGI_GRAPH_BYTES;
  if (!level->transfer->pairs) return 0;
  if (hymgi_comm_size(h->context->comm) == 1) return all;
  const double small = 2 * HYMGI_GRAPH_BYTES * (double)hymgi_pairs_least(h);
  return (double)hymgi_cells_here(level) * HYMGI_GRAPH_BYTES + (first ? fmin(small, all) : 0);
}

static hymg_level_need level_need(const hymgi_hierarchy *h, int l)
{
  const hymgi_level *level = h->level + l;
  const hymgi_memory_need need = hymgi_level_memory(h, level), single = hymgi_singles_memory(h, l);
  const int *const boxes = level->decomp->boxes;
  hymg_level_need n = {.cells = {level->n[0], level->n[1], level->n[2]},
                       .boxes = (int64_t)boxes[0] * boxes[1] * boxes[2],
                       .ranks = level->ranks,
                       .backend = level->backend->id,
                       .memory = level->memory->name};
  const int borrowed = l == 0 && level->num_boxes > 0 ? 2 : 0; /* u and f */
  const double bytes = (double)need.stride * sizeof(double);
  const double half = (double)single.stride * sizeof(double);
  n.vectors = bytes * (need.vectors + need.krylov + borrowed) + half * single.vectors;
  int more = 0; /* those of the system, where it has other ones; weights */
  if (l == 0 && hymgi_is_preconditioned(h)) more = 3 + h->kind->keeps_diagonal;
  bool data = false;
  for (int face = 0; face < 6; face++)
    data = data || hymgi_has_values(h->op, face);
  if (l == 0 && data && h->kind->order == 4) more++; /* what they add to f */
  for (int axis = 0; level->transfer->weights && axis < 3; axis++)
    more += level->coarsened >> axis & 1;
  n.coefficients =
      level->num_boxes ? bytes * (need.coefficients + more) + half * single.coefficients : 0;
  if (l == 0) n.coefficients += graph_bytes(h);
  n.buffers = ((double)(need.patch + single.patch) + (double)(need.scratch + single.scratch) +
               message_doubles(level)) *
              sizeof(double);
  return n;
}

static double sum_of(const hymg_level_need *n)
{
  return n->vectors + n->coefficients + n->buffers;
}

hymg_status hymgi_memory_estimate(const hymgi_hierarchy *h, hymg_need *need)
{
  const hymgi_memory *fine = h->level[0].memory;
  *need = (hymg_need){.num_levels = h->num_levels};
  for (int l = 0; l < h->num_levels; l++) {
    need->level[l] = level_need(h, l);
    if (fine->available && h->level[l].memory == fine)
      need->device_bytes += sum_of(need->level + l);
  }
  if (!fine->available) return HYMG_OK;
  size_t available;
  TRY(fine->available(h->context, &available));
  need->device_free = (double)available;
  return HYMG_OK;
}

hymg_status hymgi_memory_check(const hymgi_hierarchy *h)
{
  hymg_context *context = h->context;
  hymg_need need;
  double sum = 0;
  TRY(hymgi_memory_estimate(h, &need));
  for (int l = 0; l < need.num_levels; l++)
    sum += sum_of(need.level + l);
  if (sum >= ldexp(1, 62)) /* sizes are computed as integers later on */
    return hymgi_fail(context, HYMG_ENOMEM, "%.3g GB are more than an address space", sum * 1e-9);
  if (need.device_bytes <= need.device_free) return HYMG_OK;
  return hymgi_fail(context, HYMG_ENOMEM,
                    "%.3f GB are needed on the GPU for the solver and its fields, %.3f GB are free",
                    need.device_bytes * 1e-9, need.device_free * 1e-9);
}

hymg_status hymgi_precision_fit(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  if (!h->mixed || h->options.precision != HYMG_PRECISION_AUTO) return HYMG_OK;
  int lacks = hymgi_memory_check(h) != HYMG_OK;
  TRY(hymgi_comm_max_int(c, c->comm, &lacks, 1));
  if (lacks) h->mixed = false;
  return HYMG_OK;
}
