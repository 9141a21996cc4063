/* The choice of levels for the GPU, the coarse end and the host: made by rank 0 for all ranks
 * and cached under a key that contains everything it depends on. Without a measurement: no level
 * on the host, and the coarse end where it pays on most machines. */
#include "hierarchy/placement.h"

#include "hierarchy/tuning_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  /* a V-cycle in one launch pays below this many cells: 16^3 is included */
  COARSE_CELLS = 16 * 16 * 16 + 1,
  /* smaller grids are solved faster than candidates can be measured: they use the estimate */
  WORTH_TRYING = 64 * 64 * 64,
  LARGEST = 64 * 64 * 64 /* cells of the largest grid that is measured */
};

int hymgi_placement_start(const hymgi_hierarchy *h)
{
  int l = 0;
  while (l < h->num_levels && h->level[l].cells > LARGEST)
    l++;
  return l;
}

static int first_below(const hymgi_hierarchy *h, int64_t cells)
{
  int l = 0;
  while (l < h->num_levels && h->level[l].largest_share >= (double)cells)
    l++;
  return l;
}

static hymgi_placement placement_of(const hymgi_hierarchy *h, const hymgi_backend *fine,
                                    const hymgi_thresholds *t)
{
  hymgi_placement p = {.fine = fine, .host_from = first_below(h, t->host_cells)};
  p.tail_from = first_below(h, t->tail_cells);
  if (p.host_from < h->num_levels) p.tail_from = p.host_from;
  if (p.host_from == 0) p.fine = hymgi_cpu_backend();
  return p;
}

hymg_boundary hymgi_boundary_here(const hymgi_hierarchy *h, int face)
{
  return h->level->boundary[face].mixes ? HYMG_ROBIN : h->op->grid->desc.boundary[face];
}

/* ---- cached choices ---- */

void hymgi_placement_key(const hymgi_hierarchy *h, const char *device, char key[HYMGI_KEY])
{
  const hymgi_method *m = &h->method;
  const hymg_options *o = &h->options;
  const hymgi_level *level = h->level + hymgi_placement_start(h);
  char boundary[7] = "";
  for (int face = 0; face < 6; face++)
    boundary[face] = *hymg_enum_name("hymg_boundary", (int)hymgi_boundary_here(h, face));
  snprintf(key, HYMGI_KEY,
           "%s | %.128s | %s %s %d sweeps, interpolation v%d, bottom %s | beta %s, alpha %s | "
           "%d x %d x %d %s | %s memory, %d threads | host %lld, tail %lld",
           HYMG_VERSION, device, hymg_enum_name("hymg_stencil", (int)h->kind->stencil),
           hymg_enum_name("hymg_smoother", (int)m->smoother), m->coarse_sweeps, m->interpolation_v,
           hymg_enum_name("hymg_bottom", (int)o->bottom), m->variable_beta ? "field" : "constant",
           !m->has_alpha       ? "none"
           : m->variable_alpha ? "field"
                               : "constant",
           level->n[0], level->n[1], level->n[2], boundary,
           hymg_enum_name("hymg_memory", (int)o->memory), level->context->threads,
           (long long)o->host_cells, (long long)o->tail_cells);
}

static bool recall(const hymg_context *context, const char *key, hymgi_thresholds *t)
{
  for (const hymgi_choice *c = context->choices; c; c = c->next)
    if (strcmp(c->key, key) == 0) {
      *t = (hymgi_thresholds){c->host_cells, c->tail_cells};
      return true;
    }
  return false;
}

/* If the allocation fails, the next solver measures again. */
static void remember(hymg_context *context, const char *key, const hymgi_thresholds *t)
{
  hymgi_choice *c = calloc(1, sizeof *c);
  if (!c) return;
  snprintf(c->key, sizeof c->key, "%s", key);
  c->host_cells = t->host_cells;
  c->tail_cells = t->tail_cells;
  c->next = context->choices;
  context->choices = c;
}

/* ---- the choice ---- */

typedef struct decision {
  hymgi_thresholds thresholds;
  hymg_tuning_info info; /* the levels are set last, on every rank */
} decision;

/* Thresholds found earlier or measured now; those that remain -1 are estimated. */
static void look_up(const hymgi_hierarchy *h, const char *device, hymgi_measure measure,
                    decision *d)
{
  const char *const file = h->options.tuning_file;
  hymgi_thresholds *t = &d->thresholds;
  const double start = hymgi_seconds();
  char key[HYMGI_KEY];
  hymgi_placement_key(h, device, key);
  if (recall(h->context, key, t)) {
    d->info.source = HYMG_TUNING_MEASURED;
  } else if (file && hymgi_tuning_find(file, key, t, d->info.note)) {
    d->info.source = HYMG_TUNING_FILE;
  } else {
    if (measure && h->options.tuning != HYMG_TUNE_ESTIMATE && measure(h, t)) {
      d->info.source = HYMG_TUNING_MEASURED;
      remember(h->context, key, t);
      if (file) hymgi_tuning_keep(file, key, t, d->info.note);
    }
    d->info.seconds = hymgi_seconds() - start;
  }
}

static bool worth_measuring(const hymgi_hierarchy *h)
{
  return h->level[0].cells >= WORTH_TRYING && hymgi_placement_start(h) < h->num_levels;
}

static void decide(const hymgi_hierarchy *h, hymgi_measure measure, decision *d)
{
  hymgi_thresholds *t = &d->thresholds;
  hymg_device_info device;
  const bool hosts = t->host_cells > 0 && first_below(h, t->host_cells) < h->num_levels;
  d->info.source = HYMG_TUNING_OPTIONS;
  if (t->host_cells >= 0 && (t->tail_cells >= 0 || hosts)) return;
  d->info.source = HYMG_TUNING_ESTIMATE;
  if (worth_measuring(h) && hymgi_cuda_device(h->context, -1, &device) == HYMG_OK)
    look_up(h, device.name, measure, d);
  if (t->host_cells < 0) t->host_cells = 0;
  if (t->tail_cells < 0) t->tail_cells = COARSE_CELLS;
}

void hymgi_placement_extend(hymgi_hierarchy *h, int l)
{
  const hymg_options *o = &h->options;
  if (l == 0 || l > h->placement.host_from || o->host_cells <= 0) return;
  if (h->level[l].largest_share < (double)o->host_cells) h->placement.host_from = l;
}

hymg_status hymgi_placement_choose(hymgi_hierarchy *h, const hymgi_backend *fine,
                                   hymgi_measure measure)
{
  hymg_context *context = h->context;
  h->placement = (hymgi_placement){.fine = fine};
  if (h->method.transfer) { /* nothing is measured, as the number of levels is not known yet */
    h->placement.host_from = h->placement.tail_from = HYMGI_MAX_LEVELS;
    for (int l = 0; l < h->num_levels; l++)
      hymgi_placement_extend(h, l);
    return HYMG_OK;
  }
  if (fine == hymgi_cpu_backend()) return HYMG_OK;
  decision d;
  memset(&d, 0, sizeof d);
  d.thresholds = (hymgi_thresholds){h->options.host_cells, h->options.tail_cells};
  if (hymgi_comm_rank(context->comm) == 0) decide(h, measure, &d);
  TRY(hymgi_comm_bcast(context, context->comm, 0, &d, sizeof d));
  h->placement = placement_of(h, fine, &d.thresholds);
  h->choice = d.info;
  h->choice.tail_from = h->placement.tail_from;
  h->choice.host_from = h->placement.host_from;
  return HYMG_OK;
}
