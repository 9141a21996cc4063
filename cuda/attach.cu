/* What a solver keeps on its GPU: the kernels of its levels, and the lists of its coarse end. */
#include <stdio.h>
#include <stdlib.h>

#include "attach.h"
#include "coarse/coarse.h"
#include "coarse/robust_cycle.h"
#include "level_ops.h"

/* Records of the levels, of the level of the system, of the levels in single precision. */
enum { SYSTEM = HYMGI_MAX_LEVELS, SINGLES, RECORDS = SINGLES + HYMGI_MAX_LEVELS };

static hymg_status attach_level(hymgi_hierarchy *h, hymgi_level *level, hymgi_level_kernels *k)
{
  if (level->backend != h->placement.fine) return HYMG_OK;
  hymgi_free_level_kernels(k);
  level->kernels = k;
  return hymgi_fill_level_kernels(level, k);
}

static hymg_status attach_singles(hymgi_hierarchy *h, hymgi_level_kernels *records)
{
  for (int l = 0; l < h->singles.count; l++) {
    hymgi_level *const single = h->singles.level + l;
    if (single->backend != &hymgi_cuda_table_single) continue;
    hymgi_free_level_kernels(records + l);
    single->kernels = records + l;
    TRY(hymgi_fill_level_kernels_single(single, records + l));
  }
  return HYMG_OK;
}

/* The level of the system, where that is another one, has a record of its own. */
static hymg_status attach_kernels(hymgi_hierarchy *h, hymgi_attached *kept)
{
  for (int l = 0; l < h->num_levels; l++)
    TRY(attach_level(h, h->level + l, kept->kernels + l));
  TRY(attach_singles(h, kept->kernels + SINGLES));
  return h->system == h->level ? HYMG_OK : attach_level(h, h->system, kept->kernels + SYSTEM);
}

hymg_status hymgi_cuda_attach(hymgi_hierarchy *h)
{
  hymg_context *const context = h->context;
  hymgi_attached *kept = (hymgi_attached *)h->attached;
  if (kept) {
    hymgi_device_forget(h);
    hymgi_coarse_destroy(context, &kept->coarse);
  } else {
    kept = (hymgi_attached *)calloc(1, sizeof *kept);
    if (kept) kept->kernels = (hymgi_level_kernels *)calloc(RECORDS, sizeof *kept->kernels);
    if (!kept || !kept->kernels) {
      free(kept);
      return hymgi_fail(context, HYMG_ENOMEM, "no memory for recordings");
    }
    h->attached = kept;
    h->level[h->num_levels - 1].attached = kept;
  }
  TRY(attach_kernels(h, kept));
  if (!h->method.robust) TRY(hymgi_coarse_create(h, &kept->coarse));
  if (h->method.robust) h->placement.tail_from = hymgi_cuda_robust_tail(h);
  const int bottom = h->num_levels - 1, tail = h->placement.tail_from;
  const int first = kept->coarse       ? (tail < bottom ? tail : bottom)
                    : h->method.robust ? tail
                                       : h->num_levels;
  for (int l = first; l < h->num_levels; l++) {
    const char *const name =
        h->method.robust ? "robust_v_cycle" : hymgi_coarse_kernel(h, kept->coarse, l);
    if (name) snprintf(kept->kernels[l].names, sizeof kept->kernels[l].names, "%s", name);
  }
  /* kernels of cycles, and the one that makes a coarse matrix, start before their predecessors end */
  hymgi_device_sync(context);
  return context->status;
}

void hymgi_cuda_detach(hymgi_hierarchy *h)
{
  hymgi_attached *const kept = (hymgi_attached *)h->attached;
  if (!kept) return;
  hymgi_device_forget(h);
  hymgi_coarse_destroy(h->context, &kept->coarse);
  for (int l = 0; l < RECORDS; l++)
    hymgi_free_level_kernels(kept->kernels + l);
  for (int l = 0; l < h->num_levels; l++)
    h->level[l].kernels = NULL;
  for (int l = 0; l < h->singles.count && h->singles.level; l++)
    h->singles.level[l].kernels = NULL;
  h->system->kernels = NULL;
  h->attached = NULL;
  if (h->num_levels > 0) h->level[h->num_levels - 1].attached = NULL;
  free(kept->kernels);
  free(kept);
}
