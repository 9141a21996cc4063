/* The levels in single precision: the finest ones, where the time goes, once more with boxes laid out for
 * floats, vectors and rounded coefficients. They share everything else with the levels in double
 * precision: shape, plans, axes. How many there are depends on the sizes of levels alone, so the bits of
 * a solution depend on neither ranks nor devices. Coarser levels, bottom solves and reductions exist in
 * double precision only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact_sum.h"
#include "hierarchy/build.h"
#include "multigrid/boundary_data.h"

int hymgi_singles_count(const hymgi_hierarchy *h)
{
  int count = 0;
  while (h->mixed && count + 1 < h->num_levels && h->level[count].cells > HYMGI_SINGLE_CELLS)
    count++;
  for (int l = 0; l <= count && l < h->num_levels; l++)
    if (!h->level[l].backend->single) return 0;
  return count;
}

/* ---- one level ---- */

/* The numbers of a vector. */
static size_t numbers_of(const hymgi_level *level)
{
  size_t size = 0;
  for (int b = 0; b < level->num_boxes; b++) {
    hymgi_geom g = level->box[b];
    hymgi_geom_layout(&g, level->backend->line);
    size += (size_t)g.size;
  }
  return size;
}

/* Of floats; rows are a whole number of cache lines. */
static ptrdiff_t words_of(size_t numbers)
{
  return (ptrdiff_t)(numbers * sizeof(float) / sizeof(double));
}

/* The level without memory of its own; `box` is still that of `level`. */
static hymgi_level describe(const hymgi_level *level, bool hands_over)
{
  hymgi_level s = hymgi_level_like(level, level->op);
  s.backend = level->backend->single;
  s.single = true, s.hands_over = hands_over;
  if (!hymgi_has_robin(level)) s.boundaries = NULL; /* corrections have no data */
  s.scratch = s.krylov = NULL;
  s.num_krylov = 0;
  s.vector_size = words_of(numbers_of(&s));
  s.patch_size = hands_over ? 0 : words_of(hymgi_patch_size(&s));
  return s;
}

static hymg_status create_boxes(hymgi_level *s, const hymgi_level *level)
{
  const size_t count = (size_t)level->num_boxes;
  s->box = malloc((count + 1) * sizeof *s->box);
  if (!s->box) return hymgi_fail(s->context, HYMG_ENOMEM, "no memory for boxes");
  memcpy(s->box, level->box, count * sizeof *s->box);
  hymgi_boxes_layout(s->box, s->num_boxes, s->backend->line);
  if (level->exchanged) TRY(hymgi_colours_exchange(s));
  return hymgi_boxes_share(s->context, s->keeper, &s->box, s->num_boxes);
}

/* Scaled by a power of 2, which rounds nothing. */
static hymg_status fill_level(hymgi_level *s, const hymgi_level *level, double scale)
{
  const hymgi_coefficients *from = &level->c;
  const hymgi_single_ops *ops = s->backend->conversions;
  hymgi_coefficients *to = &s->c;
  for (int axis = 0; axis < 3; axis++) {
    if (to->beta[axis]) ops->narrow(s, level, scale, from->beta[axis], to->beta[axis]);
    if (s->weight[axis]) ops->narrow(s, level, 1, level->weight[axis], s->weight[axis]);
    to->beta_constant[axis] = scale * from->beta_constant[axis];
  }
  if (to->alpha) ops->narrow(s, level, scale, from->alpha, to->alpha);
  if (to->dinv) ops->narrow(s, level, 1 / scale, from->dinv, to->dinv);
  if (to->l1inv) ops->narrow(s, level, 1 / scale, from->l1inv, to->l1inv);
  if (s->line.pivot) ops->narrow(s, level, 1 / scale, level->line.pivot, s->line.pivot);
  if (s->line.corner) ops->narrow(s, level, scale, level->line.corner, s->line.corner);
  s->line.on = level->line.on;
  to->alpha_constant = scale * from->alpha_constant;
  to->limited = from->limited;
  memcpy(to->boundary_weight, from->boundary_weight, sizeof to->boundary_weight);
  memcpy(to->boundary_ghost, from->boundary_ghost, sizeof to->boundary_ghost);
  s->lambda_max = level->lambda_max;
  s->transfer = level->transfer; /* it may have changed */
  memcpy(s->sweep_weights, level->sweep_weights, sizeof s->sweep_weights);
  return s->backend->finish_coefficients ? s->backend->finish_coefficients(s) : HYMG_OK;
}

/* ---- all of them ---- */

static hymg_status create_levels(hymgi_hierarchy *h)
{
  hymgi_singles *const singles = &h->singles;
  const int count = singles->count;
  singles->level = calloc((size_t)count + 1, sizeof *singles->level);
  if (!singles->level)
    return hymgi_fail(h->context, HYMG_ENOMEM, "no memory for %d levels", count + 1);
  for (int l = count; l >= 0; l--) {
    hymgi_level *const s = singles->level + l;
    *s = describe(h->level + l, l == count);
    s->box = NULL;
    TRY(create_boxes(s, h->level + l));
    if (l < count) TRY(hymgi_patches_create(s, s + 1));
    TRY(hymgi_vectors_create(h, s));
    s->x = s->own_x, s->f = s->own_f;
  }
  return h->context->status;
}

hymg_status hymgi_singles_create(hymgi_hierarchy *h)
{
  h->singles.count = hymgi_singles_count(h);
  if (h->singles.count == 0) return HYMG_OK;
  return hymgi_agree(h->context, create_levels(h));
}

static hymg_status fill_levels(const hymgi_hierarchy *h)
{
  for (int l = 0; l < h->singles.count; l++)
    if (h->level[l].num_boxes)
      TRY(fill_level(h->singles.level + l, h->level + l, h->singles.scale));
  return h->context->status;
}

hymg_status hymgi_singles_fill(hymgi_hierarchy *h)
{
  if (h->singles.count == 0) return HYMG_OK;
  const int exponent = hymgi_exponent_above(h->largest);
  h->singles.scale = ldexp(1, -exponent);
  return hymgi_agree(h->context, fill_levels(h));
}

void hymgi_singles_destroy(hymgi_hierarchy *h)
{
  for (int l = 0; l <= h->singles.count && h->singles.level; l++)
    if (h->singles.level[l].context) hymgi_level_release(h->singles.level + l);
  free(h->singles.level);
  h->singles = (hymgi_singles){0};
}

hymgi_memory_need hymgi_singles_memory(const hymgi_hierarchy *h, int l)
{
  const int count = hymgi_singles_count(h);
  if (count == 0 || l > count) return (hymgi_memory_need){0};
  const hymgi_level s = describe(h->level + l, l == count);
  return hymgi_level_memory(h, &s);
}
