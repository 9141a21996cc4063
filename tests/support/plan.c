/* Marked data for the tests of plans, and brute force checks of what a plan did with it. */
#include "support/plan.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cases ---- */

static int scattered(const int box[3], void *user)
{
  return (box[0] * 7 + box[1] * 3 + box[2] * 5) % *(const int *)user;
}

/* Slabs along x from the last rank down, as a user's own distribution may be. */
static int backwards(const int box[3], void *user)
{
  const int ranks = *(const int *)user;
  return ranks - 1 - box[0] % ranks;
}

const support_cut support_cuts[] = {
    {{16, 16, 16}, {2, 2, 2}, .owner = NULL},      {{24, 24, 24}, {3, 3, 3}, .owner = NULL},
    {{16, 8, 32}, {4, 2, 1}, .owner = NULL},       {{16, 16, 16}, {4, 4, 4}, .owner = NULL},
    {{16, 16, 16}, {4, 4, 4}, .owner = scattered}, {{12, 12, 12}, {1, 1, 1}, .owner = NULL},
    {{20, 12, 14}, {5, 3, 7}, .owner = NULL},      {{15, 9, 21}, {5, 3, 7}, .owner = scattered},
    {{24, 12, 12}, {6, 1, 1}, .owner = backwards}, {{8, 8, 8}, {4, 4, 4}, .owner = NULL},
    {{40, 8, 8}, {4, 1, 1}, .owner = NULL},        {{10, 6, 8}, {1, 1, 2}, .owner = NULL}};
const int support_num_cuts = sizeof support_cuts / sizeof support_cuts[0];

int support_levels(hymg_context *context, const support_cut *cut, int ranks,
                   hymgi_decomp *levels[SUPPORT_MAX_LEVELS])
{
  hymg_grid_desc desc = {.spacing = {1, 1, 1}, .owner = cut->owner, .owner_user = &ranks};
  memcpy(desc.n, cut->n, sizeof desc.n);
  memcpy(desc.boxes, cut->boxes, sizeof desc.boxes);
  ck_assert_msg(hymgi_decomp_create_for(context, ranks, &desc, &levels[0]) == HYMG_OK, "%s",
                context->error);
  int count = 1;
  for (;; count++) {
    const hymgi_decomp *d = levels[count - 1];
    if (d->n[0] % 2 || d->n[1] % 2 || d->n[2] % 2) return count;
    ck_assert_msg(hymgi_decomp_coarsen(context, d, 2, &cut->gather, &levels[count]) == HYMG_OK,
                  "%s", context->error);
  }
}

void support_levels_free(hymgi_decomp **levels, int count)
{
  while (count > 0)
    hymgi_decomp_destroy(&levels[--count]);
}

/* ---- boxes ---- */

static support_boxes make_boxes(hymg_context *context, const hymgi_decomp *d, int rank,
                                unsigned periodic, int shrink)
{
  support_boxes b = {.data = NULL};
  ck_assert_msg(hymgi_side_boxes(context, d, rank, SUPPORT_GHOST, periodic, &b.local.box,
                                 &b.local.cover, &b.local.num_boxes) == HYMG_OK,
                "%s", context->error);
  ptrdiff_t size = 0;
  for (int q = 0; q < b.local.num_boxes; q++) {
    hymgi_geom *g = &b.local.box[q];
    for (int a = 0; a < 3; a++) {
      ck_assert_int_eq(g->n[a] % shrink, 0);
      g->n[a] /= shrink;
      g->low[a] /= shrink;
    }
    hymgi_geom_layout(g, HYMGI_LINE);
    g->offset = size;
    size += g->size;
  }
  b.data = malloc((size_t)(size + 1) * sizeof *b.data);
  b.writes = calloc((size_t)size + 1, sizeof *b.writes);
  ck_assert(b.data && b.writes);
  for (ptrdiff_t i = 0; i < size; i++)
    b.data[i] = NAN;
  b.side = (hymgi_side){d, b.local.num_boxes, b.local.box, (const int(*)[6])b.local.cover};
  return b;
}

support_boxes support_boxes_of(hymg_context *context, const hymgi_decomp *decomp, int rank,
                               unsigned periodic)
{
  return make_boxes(context, decomp, rank, periodic, 1);
}

support_boxes support_patches_of(hymg_context *context, const hymgi_decomp *fine, int rank,
                                 unsigned periodic)
{
  return make_boxes(context, fine, rank, periodic, 2);
}

void support_boxes_free(support_boxes *b)
{
  free(b->local.box);
  free(b->local.cover);
  free(b->data);
  free(b->writes);
  *b = (support_boxes){.data = NULL};
}

/* ---- values ---- */

double support_value(const int cell[3])
{
  return ((cell[2] + 10.0) * 1000.0 + cell[1] + 10.0) * 1000.0 + cell[0] + 10.0;
}

typedef void (*visitor)(const hymgi_geom *g, const int cell[3], ptrdiff_t at, void *user);

/* All cells and ghosts of all boxes; cell is local. */
static void visit(const support_boxes *b, visitor call, void *user)
{
  for (int q = 0; q < b->local.num_boxes; q++) {
    const hymgi_geom *g = &b->local.box[q];
    int c[3];
    for (c[2] = -SUPPORT_GHOST; c[2] < g->n[2] + SUPPORT_GHOST; c[2]++)
      for (c[1] = -SUPPORT_GHOST; c[1] < g->n[1] + SUPPORT_GHOST; c[1]++)
        for (c[0] = -SUPPORT_GHOST; c[0] < g->n[0] + SUPPORT_GHOST; c[0]++)
          call(g, c, hymgi_at(g, c[0], c[1], c[2]), user);
  }
}

static bool is_interior(const hymgi_geom *g, const int c[3])
{
  for (int a = 0; a < 3; a++)
    if (c[a] < 0 || c[a] >= g->n[a]) return false;
  return true;
}

static void global_cell(const hymgi_geom *g, const int c[3], int cell[3])
{
  for (int a = 0; a < 3; a++)
    cell[a] = g->low[a] + c[a];
}

static void fill_interior_cell(const hymgi_geom *g, const int c[3], ptrdiff_t at, void *user)
{
  int cell[3];
  global_cell(g, c, cell);
  if (is_interior(g, c)) ((support_boxes *)user)->data[at] = support_value(cell);
}

void support_fill_interior(support_boxes *b)
{
  visit(b, fill_interior_cell, b);
}

static void fill_boundary_ghost(const hymgi_geom *g, const int c[3], ptrdiff_t at, void *user)
{
  int cell[3];
  for (int a = 0; a < 3; a++) {
    if (c[a] < 0 && !(g->boundaries >> 2 * a & 1)) return;
    if (c[a] >= g->n[a] && !(g->boundaries >> (2 * a + 1) & 1)) return;
  }
  global_cell(g, c, cell);
  if (!is_interior(g, c)) ((support_boxes *)user)->data[at] = support_value(cell);
}

void support_fill_boundaries(support_boxes *b, const int n[3])
{
  for (int q = 0; q < b->local.num_boxes; q++) /* the boundaries by their definition */
    for (int a = 0; a < 3; a++) {
      const hymgi_geom *g = &b->local.box[q];
      if (g->boundaries >> 2 * a & 1) ck_assert_int_eq(g->low[a], 0);
      if (g->boundaries >> (2 * a + 1) & 1) ck_assert_int_eq(g->low[a] + g->n[a], n[a]);
    }
  visit(b, fill_boundary_ghost, b);
}

/* ---- moving ---- */

static void write_cell(support_boxes *dst, ptrdiff_t at, double value)
{
  dst->data[at] = value;
  dst->writes[at]++;
}

void support_local(const hymgi_plan *plan, const support_boxes *src, support_boxes *dst)
{
  for (int m = 0; m < plan->num_local; m++) {
    const hymgi_copy *p = &plan->local[m];
    const hymgi_geom *s = &src->local.box[p->src_box], *d = &dst->local.box[p->dst_box];
    for (int k = 0; k < p->n[2]; k++)
      for (int j = 0; j < p->n[1]; j++)
        for (int i = 0; i < p->n[0]; i++)
          write_cell(dst, hymgi_at(d, p->dst[0] + i, p->dst[1] + j, p->dst[2] + k),
                     src->data[hymgi_at(s, p->src[0] + i, p->src[1] + j, p->src[2] + k)]);
  }
}

void support_pack(const hymgi_plan *plan, const support_boxes *src, double *buffer)
{
  for (int m = 0; m < plan->num_pack; m++) {
    const hymgi_piece *p = &plan->pack[m];
    const hymgi_geom *g = &src->local.box[p->box];
    double *out = buffer + p->at;
    for (int k = 0; k < p->n[2]; k++)
      for (int j = 0; j < p->n[1]; j++)
        for (int i = 0; i < p->n[0]; i++)
          *out++ = src->data[hymgi_at(g, p->low[0] + i, p->low[1] + j, p->low[2] + k)];
  }
}

void support_unpack(const hymgi_plan *plan, const double *buffer, support_boxes *dst)
{
  for (int m = 0; m < plan->num_unpack; m++) {
    const hymgi_piece *p = &plan->unpack[m];
    const hymgi_geom *g = &dst->local.box[p->box];
    const double *in = buffer + p->at;
    for (int k = 0; k < p->n[2]; k++)
      for (int j = 0; j < p->n[1]; j++)
        for (int i = 0; i < p->n[0]; i++)
          write_cell(dst, hymgi_at(g, p->low[0] + i, p->low[1] + j, p->low[2] + k), *in++);
  }
}

/* The mover gets bare vectors: they are wrapped for the functions above, with a scratch array that
 * counts nothing. */
static support_boxes bare(const hymgi_geom *box, double *data, int *scratch)
{
  return (support_boxes){
      .local = {.box = (hymgi_geom *)(void *)box}, .data = data, .writes = scratch};
}

static int *scratch_for(const hymgi_geom *box, int boxes)
{
  int *scratch = calloc((size_t)(box[boxes - 1].offset + box[boxes - 1].size), sizeof *scratch);
  ck_assert_ptr_nonnull(scratch);
  return scratch;
}

static void mover_local(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                        const double *src, const hymgi_geom *dst_box, double *dst)
{
  (void)context;
  int boxes = 0;
  for (int i = 0; i < plan->num_local; i++)
    if (plan->local[i].dst_box >= boxes) boxes = plan->local[i].dst_box + 1;
  int *scratch = scratch_for(dst_box, boxes);
  const support_boxes s = bare(src_box, (double *)(void *)src, NULL);
  support_boxes d = bare(dst_box, dst, scratch);
  support_local(plan, &s, &d);
  free(scratch);
}

static void mover_pack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                       const double *src)
{
  (void)context;
  const support_boxes s = bare(src_box, (double *)(void *)src, NULL);
  support_pack(plan, &s, plan->send_buffer);
}

static void mover_unpack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                         double *dst, double *zero)
{
  (void)context, (void)zero;
  int boxes = 0;
  for (int i = 0; i < plan->num_unpack; i++)
    if (plan->unpack[i].box >= boxes) boxes = plan->unpack[i].box + 1;
  int *scratch = scratch_for(dst_box, boxes);
  support_boxes d = bare(dst_box, dst, scratch);
  support_unpack(plan, plan->receive_buffer, &d);
  free(scratch);
}

const hymgi_mover support_mover = {mover_local, mover_pack, mover_unpack, NULL,
                                   NULL,        NULL,       NULL,         NULL};

/* ---- checks ---- */

typedef enum check_kind { CHECK_HALO, CHECK_SCATTER, CHECK_GATHER } check_kind;

typedef struct check {
  const support_boxes *boxes;
  check_kind kind;
  hymgi_halo halo;
  int depth;
  const int *n;
  unsigned periodic;
  const char *where;
} check;

/* Whether a cell is to be written, and where its value comes from. */
static bool is_target(const check *c, const hymgi_geom *g, const int cell[3], int source[3])
{
  int outside = 0, beyond_boundary = 0;
  for (int a = 0; a < 3; a++) {
    source[a] = g->low[a] + cell[a];
    if (cell[a] >= 0 && cell[a] < g->n[a]) continue;
    outside++;
    if (cell[a] < -c->depth || cell[a] >= g->n[a] + c->depth) return false;
    if (c->kind == CHECK_GATHER) return false;
    if (c->periodic >> a & 1)
      source[a] = (source[a] + 4 * c->n[a]) % c->n[a];
    else if (source[a] < 0 || source[a] >= c->n[a])
      beyond_boundary++;
  }
  if (c->kind == CHECK_HALO)
    return outside > 0 && outside <= (int)c->halo + 1 && beyond_boundary == 0;
  return true;
}

static void check_cell(const hymgi_geom *g, const int cell[3], ptrdiff_t at, void *user)
{
  const check *c = user;
  int source[3];
  const bool target = is_target(c, g, cell, source);
  const int writes = c->boxes->writes[at];
  const double got = c->boxes->data[at];
  if (writes == target && (!target || got == support_value(source))) return; /* ck_assert is slow */
  ck_abort_msg("%s: box at (%d, %d, %d), cell (%d, %d, %d): written %d times instead of %d, value "
               "%.0f instead of %.0f",
               c->where, g->low[0], g->low[1], g->low[2], cell[0], cell[1], cell[2], writes, target,
               got, support_value(source));
}

void support_check_halo(const support_boxes *boxes, hymgi_halo kind, int depth, const int n[3],
                        unsigned periodic, const char *where)
{
  check c = {boxes, CHECK_HALO, kind, depth, n, periodic, where};
  visit(boxes, check_cell, &c);
}

void support_check_scatter(const support_boxes *patches, int depth, const int n[3],
                           unsigned periodic, const char *where)
{
  check c = {patches, CHECK_SCATTER, HYMGI_HALO_FULL, depth, n, periodic, where};
  visit(patches, check_cell, &c);
}

void support_check_gather(const support_boxes *boxes, const char *where)
{
  check c = {boxes, CHECK_GATHER, HYMGI_HALO_FULL, SUPPORT_GHOST, NULL, 0, where};
  visit(boxes, check_cell, &c);
}
