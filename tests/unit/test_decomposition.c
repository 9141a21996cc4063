/* Boxes and their owners: the order is a bijection, shares are equal, a rank finds its boxes on
 * every level, levels coarsen to one box by the documented rule, and invalid input is reported. */
#include "distribution/decomposition.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const int shapes[][3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {5, 3, 7},
                                {1, 9, 2}, {8, 1, 1}, {6, 6, 6}, {1, 1, 13}};

static hymg_context *fake_context(void)
{
  hymg_context *c = calloc(1, sizeof *c);
  ck_assert_ptr_nonnull(c);
  return c;
}

static hymg_grid_desc desc_of(const int n[3], const int boxes[3])
{
  hymg_grid_desc desc = {.spacing = {1, 1, 1}};
  memcpy(desc.n, n, sizeof desc.n);
  if (boxes) memcpy(desc.boxes, boxes, sizeof desc.boxes);
  return desc;
}

/* ---- order ---- */

START_TEST(morton_order_is_a_bijection)
{
  const int *b = shapes[_i];
  const int64_t count = (int64_t)b[0] * b[1] * b[2];
  for (int64_t p = 0; p < count; p++) {
    int box[3];
    hymgi_morton_box(b, p, box);
    for (int a = 0; a < 3; a++)
      ck_assert(box[a] >= 0 && box[a] < b[a]);
    ck_assert_int_eq(hymgi_morton_rank(b, box), p);
  }
}
END_TEST

START_TEST(morton_order_of_powers_of_two_interleaves_bits)
{
  const int b[3] = {8, 8, 8};
  for (int z = 0; z < 8; z++)
    for (int y = 0; y < 8; y++)
      for (int x = 0; x < 8; x++) {
        int want = 0;
        for (int bit = 0; bit < 3; bit++)
          want |= (x >> bit & 1) << 3 * bit | (y >> bit & 1) << (3 * bit + 1) |
                  (z >> bit & 1) << (3 * bit + 2);
        ck_assert_int_eq(hymgi_morton_rank(b, (int[3]){x, y, z}), want);
      }
}
END_TEST

START_TEST(morton_order_takes_a_large_grid_of_boxes)
{
  const int b[3] = {1000, 999, 1001};
  const int64_t places[] = {0, 1, 123456789, 999998999};
  for (int i = 0; i < COUNT(places); i++) {
    int box[3];
    hymgi_morton_box(b, places[i], box);
    ck_assert_int_eq(hymgi_morton_rank(b, box), places[i]);
  }
}
END_TEST

/* ---- owners ---- */

static const int rank_counts[] = {1, 2, 3, 4, 5, 7, 8, 27, 64, 200};

START_TEST(owners_share_boxes_evenly)
{
  hymg_context *context = fake_context();
  for (int s = 0; s < COUNT(shapes); s++) {
    const int *b = shapes[s], ranks = rank_counts[_i];
    const int n[3] = {4 * b[0], 4 * b[1], 4 * b[2]}, boxes = b[0] * b[1] * b[2];
    hymg_grid_desc desc = desc_of(n, b);
    hymgi_decomp *d = NULL;
    ck_assert_int_eq(hymgi_decomp_create_for(context, ranks, &desc, &d), HYMG_OK);
    int *owned = calloc((size_t)ranks, sizeof *owned), active = 0;
    for (int p = 0; p < boxes; p++) {
      int box[3];
      hymgi_morton_box(b, p, box);
      const int rank = hymgi_decomp_owner(d, box);
      ck_assert(rank >= 0 && rank < ranks);
      owned[rank]++;
    }
    for (int r = 0; r < ranks; r++) {
      ck_assert_int_ge(owned[r], boxes / ranks);
      ck_assert_int_le(owned[r], (boxes + ranks - 1) / ranks);
      active += owned[r] > 0;
    }
    free(owned);
    hymgi_decomp_destroy(&d);
  }
  free(context);
}
END_TEST

/* ---- chains of levels ---- */

enum { MAX_LEVELS = 32 };

typedef struct chain {
  hymgi_decomp *level[MAX_LEVELS];
  int levels;
} chain;

/* Cuts at even cells, and the finer boxes whose owners have these. */
static bool is_cut(const hymgi_decomp *d, int axis)
{
  const int *const cut = d->cut[axis], *const origin = d->origin[axis], boxes = d->boxes[axis];
  if (boxes < 1 || cut[0] != 0 || cut[boxes] != d->n[axis] || origin[0] != 0) return false;
  for (int i = 1; i < boxes; i++)
    if (cut[i] % 2 || cut[i] <= cut[i - 1] || origin[i] <= origin[i - 1]) return false;
  return cut[boxes] > cut[boxes - 1] && origin[boxes - 1] < d->finer->boxes[axis];
}

static bool is_valid(const hymgi_decomp *d)
{
  if (!d || d->ranks < 1) return false;
  const int64_t boxes = (int64_t)d->boxes[0] * d->boxes[1] * d->boxes[2];
  for (int a = 0; a < 3; a++) {
    if (d->cut[a] && d->finer) {
      if (!is_cut(d, a)) return false;
      continue;
    }
    if (d->n[a] < 1 || d->boxes[a] < 1 || d->n[a] % d->boxes[a] != 0) return false;
    if (d->merge[a] < 1) return false;
    if (!d->finer) continue;
    if (d->finer->n[a] != 2 * d->n[a] || d->finer->boxes[a] != d->boxes[a] * d->merge[a])
      return false;
    if (d->finer->boxes[a] > 1 && d->finer->n[a] / d->finer->boxes[a] % 2 != 0) return false;
  }
  if (!d->owner_table) return true;
  if (d->finer || !d->rank_first || d->rank_first[0] != 0) return false;
  if (d->rank_first[d->ranks] != boxes) return false;
  for (int64_t i = 0; i < boxes; i++)
    if (d->owner_table[i] < 0 || d->owner_table[i] >= d->ranks) return false;
  return true;
}

static const hymgi_gathering at_no_size;

static chain coarsen_all(hymg_context *context, int ranks, const hymg_grid_desc *desc, int min_box)
{
  chain c = {.levels = 1};
  ck_assert_msg(hymgi_decomp_create_for(context, ranks, desc, &c.level[0]) == HYMG_OK, "%s",
                context->error);
  for (;; c.levels++) {
    const hymgi_decomp *d = c.level[c.levels - 1];
    ck_assert(is_valid(d));
    if (d->n[0] % 2 || d->n[1] % 2 || d->n[2] % 2) return c;
    ck_assert_int_eq(hymgi_decomp_coarsen(context, d, min_box, &at_no_size, &c.level[c.levels]),
                     HYMG_OK);
  }
}

static void free_chain(chain *c)
{
  while (c->levels > 0)
    hymgi_decomp_destroy(&c->level[--c->levels]);
}

static void assert_boxes_of_agrees_with_owner(hymg_context *context, const hymgi_decomp *d)
{
  const int64_t boxes = (int64_t)d->boxes[0] * d->boxes[1] * d->boxes[2];
  char *seen = calloc((size_t)boxes, 1);
  int64_t found = 0;
  int active = 0;
  for (int r = 0; r < d->ranks; r++) {
    int *list, count;
    ck_assert_int_eq(hymgi_decomp_boxes_of(context, d, r, &list, &count), HYMG_OK);
    for (int i = 0; i < count; i++) {
      const int *b = list + 3 * i;
      ck_assert_int_eq(hymgi_decomp_owner(d, b), r);
      const int64_t at = ((int64_t)b[2] * d->boxes[1] + b[1]) * d->boxes[0] + b[0];
      ck_assert_msg(!seen[at], "box listed twice");
      seen[at] = 1;
    }
    found += count;
    active += count > 0;
    free(list);
  }
  ck_assert_int_eq(found, boxes);
  free(seen);
}

static int scattered(const int box[3], void *user)
{
  return (box[0] * 7 + box[1] * 3 + box[2] * 5) % *(const int *)user;
}

typedef struct cut {
  int n[3], boxes[3];
} cut;

static const cut cuts[] = {
    {{128, 128, 128}, {2, 2, 2}}, {{128, 128, 128}, {8, 8, 8}}, {{48, 48, 48}, {3, 3, 3}},
    {{80, 80, 80}, {8, 8, 8}},    {{40, 120, 80}, {2, 3, 1}},   {{20, 60, 40}, {2, 3, 4}},
    {{64, 32, 16}, {8, 2, 1}},    {{30, 30, 30}, {3, 3, 3}},    {{15, 9, 21}, {5, 3, 7}},
    {{96, 96, 96}, {12, 12, 12}}, {{36, 36, 36}, {3, 3, 3}},    {{6, 6, 6}, {3, 3, 3}},
    {{64, 64, 64}, {1, 1, 16}},   {{2, 2, 2}, {1, 1, 1}},       {{88, 88, 8}, {11, 11, 2}}};

START_TEST(rank_finds_its_boxes_on_every_level)
{
  hymg_context *context = fake_context();
  for (int r = 0; r < COUNT(rank_counts); r++) {
    hymg_grid_desc desc = desc_of(cuts[_i].n, cuts[_i].boxes);
    int ranks = rank_counts[r];
    chain c = coarsen_all(context, ranks, &desc, 2);
    for (int l = 0; l < c.levels; l++)
      assert_boxes_of_agrees_with_owner(context, c.level[l]);
    free_chain(&c);
    if (cuts[_i].n[0] == 6) continue; /* odd boxes of an even grid have no owner function */
    desc.owner = scattered;
    desc.owner_user = &ranks;
    c = coarsen_all(context, ranks, &desc, 2);
    for (int l = 0; l < c.levels; l++)
      assert_boxes_of_agrees_with_owner(context, c.level[l]);
    free_chain(&c);
  }
  free(context);
}
END_TEST

START_TEST(levels_coarsen_to_wide_boxes_with_whole_images)
{
  hymg_context *context = fake_context();
  for (int min_box = 2; min_box <= 4; min_box += 2) {
    hymg_grid_desc desc = desc_of(cuts[_i].n, cuts[_i].boxes);
    chain c = coarsen_all(context, 8, &desc, min_box);
    for (int l = 0; l < c.levels; l++) {
      const hymgi_decomp *d = c.level[l];
      for (int a = 0; a < 3; a++) {
        const int m = d->n[a] / d->boxes[a];
        if (d->boxes[a] == 1) continue;
        if (l > 0) ck_assert_int_ge(m, min_box);
        if (l + 1 < c.levels) ck_assert_int_eq(m % 2, 0);
        if (l > 0) ck_assert_int_eq(c.level[l - 1]->boxes[a] % d->boxes[a], 0);
      }
    }
    free_chain(&c);
  }
  free(context);
}
END_TEST

static void assert_chain(const cut *finest, int levels, const int (*want)[2])
{
  hymg_context *context = fake_context();
  hymg_grid_desc desc = desc_of(finest->n, finest->boxes);
  chain c = coarsen_all(context, 8, &desc, 2);
  ck_assert_int_eq(c.levels, levels);
  for (int l = 0; l < levels; l++)
    for (int a = 0; a < 3; a++) {
      ck_assert_int_eq(c.level[l]->n[a] / c.level[l]->boxes[a], want[l][0]);
      ck_assert_int_eq(c.level[l]->boxes[a], want[l][1]);
    }
  free_chain(&c);
  free(context);
}

START_TEST(wide_boxes_are_halved_then_merged_then_gathered)
{
  static const int powers[8][2] = {{64, 2}, {32, 2}, {16, 2}, {8, 2},
                                   {8, 1},  {4, 1},  {2, 1},  {1, 1}};
  assert_chain(&cuts[0], 8, powers);
  static const int many[8][2] = {{16, 8}, {8, 8}, {8, 4}, {8, 2}, {8, 1}, {4, 1}, {2, 1}, {1, 1}};
  assert_chain(&cuts[1], 8, many);
  static const int three[5][2] = {{16, 3}, {8, 3}, {12, 1}, {6, 1}, {3, 1}};
  assert_chain(&cuts[2], 5, three);
  /* boxes of 5 would have no whole image on 20^3, so boxes of 10 are merged */
  static const int ten[5][2] = {{10, 8}, {10, 4}, {10, 2}, {10, 1}, {5, 1}};
  assert_chain(&cuts[3], 5, ten);
  /* 15^3 is the last level: odd boxes are fine there */
  static const int last[2][2] = {{10, 3}, {5, 3}};
  assert_chain(&cuts[7], 2, last);
}
END_TEST

START_TEST(levels_too_large_for_one_rank_are_not_gathered)
{
  hymg_context *context = fake_context();
  hymg_grid_desc desc = desc_of((int[3]){1000, 1000, 1000}, (int[3]){125, 125, 125});
  chain c = coarsen_all(context, 1000, &desc, 2);
  ck_assert_int_eq(c.level[1]->boxes[0], 125);
  ck_assert_int_eq(c.level[1]->n[0], 500);
  for (int l = 0; l + 1 < c.levels; l++)
    ck_assert(c.level[l]->boxes[0] > 1 || c.level[l]->n[0] < 500);
  free_chain(&c);
  free(context);
}
END_TEST

/* Boxes of 256^3 cells, one a rank; below so many cells a level is gathered. */
static const struct {
  int side; /* in boxes */
  int64_t below;
} gathers[] = {{2, 64 * 64 * 64},
               {4, 64 * 64 * 64},
               {6, 128 * 128 * 128},
               {8, 64 * 64 * 64},
               {16, 128 * 128 * 128},
               {24, 64 * 64 * 64},
               {32, 128 * 128 * 128},
               {40, 128 * 128 * 128},
               {8, 0},
               {16, 0},
               {23, 0}};

/* The most boxes along an axis that become one. */
static int most_merged(const hymgi_decomp *finer, const hymgi_decomp *d, int axis)
{
  int most = 0;
  for (int i = 0, from = 0, box = 0; i < finer->boxes[axis]; i++) {
    const int at = hymgi_decomp_box_at(d, axis, hymgi_decomp_low(finer, axis, i) / 2);
    if (at != box) box = at, from = i;
    if (i + 1 - from > most) most = i + 1 - from;
  }
  return most;
}

static void assert_wide(const hymgi_decomp *d, int min_box, bool last)
{
  for (int a = 0; a < 3; a++)
    for (int i = 0; d->boxes[a] > 1 && i < d->boxes[a]; i++) {
      const int side = hymgi_decomp_low(d, a, i + 1) - hymgi_decomp_low(d, a, i);
      ck_assert_int_ge(side, min_box);
      ck_assert(last || side % 2 == 0);
    }
}

/* Few boxes become one, so that no rank waits for messages of many, whatever their number, also where axes are halved by
 * themselves (axes; boxes without a cell vanish there as well); all of them become one if levels are small enough. */
static void assert_steps(const int side[3], int64_t below, bool axes, int limit)
{
  hymg_context *context = fake_context();
  const int n[3] = {256 * side[0], 256 * side[1], 256 * side[2]};
  hymg_grid_desc desc = desc_of(n, side);
  hymgi_decomp *level[32];
  int levels = 1;
  ck_assert(hymgi_decomp_create_for(context, side[0] * side[1] * side[2], &desc, &level[0]) ==
            HYMG_OK);
  bool last = false;
  while (!last) {
    const hymgi_decomp *finer = level[levels - 1];
    const hymgi_gathering gather = {.below = below};
    ck_assert((axes ? hymgi_decomp_coarsen_axes(context, finer, 7, &gather, &level[levels])
                    : hymgi_decomp_coarsen(context, finer, 4, &gather, &level[levels])) == HYMG_OK);
    const hymgi_decomp *d = level[levels++];
    const int merged =
        most_merged(finer, d, 0) * most_merged(finer, d, 1) * most_merged(finer, d, 2);
    const double cells = (double)d->n[0] * d->n[1] * d->n[2];
    const int boxes = d->boxes[0] * d->boxes[1] * d->boxes[2];
    last = axes ? cells == 1 : d->n[0] % 2 || d->n[1] % 2 || d->n[2] % 2;
    ck_assert_msg(merged <= limit, "%d boxes become one", merged);
    ck_assert_msg(cells >= (double)below || boxes == 1 || merged > 1, "%d boxes stay on %g cells",
                  boxes, cells);
    if (!axes) assert_wide(d, 4, last);
  }
  for (int a = 0; a < 3 && below > 0; a++)
    ck_assert_int_eq(level[levels - 1]->boxes[a], 1);
  while (levels > 0)
    hymgi_decomp_destroy(&level[--levels]);
  free(context);
}

START_TEST(many_boxes_are_gathered_in_steps)
{
  const int side = gathers[_i].side, limit = side % 5 && side % 11 && side % 7 ? 64 : 512;
  assert_steps((int[3]){side, side, side}, gathers[_i].below, false, limit);
  assert_steps((int[3]){1, 3, 7 * side}, gathers[_i].below, false, 512);
  assert_steps((int[3]){side, side, side}, 4096, true, 64);
  assert_steps((int[3]){1, 3, 7 * side}, 4096, true, 128);
}
END_TEST

/* ---- default boxes ---- */

/* The nearest allowed count by trying all. */
static int64_t nearest_count(const int n[3], int ranks)
{
  const bool coarsens = n[0] % 2 == 0 && n[1] % 2 == 0 && n[2] % 2 == 0;
  int64_t best = 1;
  for (int x = 1; x <= n[0]; x++)
    for (int y = 1; y <= n[1]; y++)
      for (int z = 1; z <= n[2]; z++) {
        const int b[3] = {x, y, z};
        bool allowed = true;
        for (int a = 0; a < 3 && allowed; a++)
          allowed = n[a] % b[a] == 0 &&
                    (b[a] == 1 || (n[a] / b[a] >= 4 && (!coarsens || n[a] / b[a] % 2 == 0)));
        const int64_t count = (int64_t)x * y * z;
        const int64_t off = llabs(count - ranks), best_off = llabs(best - ranks);
        if (allowed && (off < best_off || (off == best_off && count > best))) best = count;
      }
  return best;
}

START_TEST(default_boxes_are_as_many_as_ranks_or_nearest)
{
  static const int grids[][3] = {{64, 64, 64}, {48, 48, 48}, {4, 4, 4},    {6, 6, 6},
                                 {15, 9, 21},  {40, 24, 8},  {12, 12, 36}, {1, 1, 64}};
  for (int g = 0; g < COUNT(grids); g++) {
    int b[3];
    const int *n = grids[g], ranks = rank_counts[_i];
    hymgi_decomp_default_boxes(n, ranks, b);
    for (int a = 0; a < 3; a++) {
      ck_assert_int_eq(n[a] % b[a], 0);
      if (b[a] > 1) ck_assert_int_ge(n[a] / b[a], 4);
    }
    ck_assert_int_eq((int64_t)b[0] * b[1] * b[2], nearest_count(n, ranks));
  }
}
END_TEST

START_TEST(default_boxes_are_near_cubes_and_cut_z_first)
{
  static const struct {
    int n[3], ranks, boxes[3];
  } want[] = {{{64, 64, 64}, 1, {1, 1, 1}},  {{64, 64, 64}, 2, {1, 1, 2}},
              {{64, 64, 64}, 3, {1, 2, 2}},  {{64, 64, 64}, 8, {2, 2, 2}},
              {{128, 64, 64}, 2, {2, 1, 1}}, {{48, 48, 48}, 27, {3, 3, 3}},
              {{4, 4, 4}, 64, {1, 1, 1}},    {{256, 256, 256}, 64, {4, 4, 4}}};
  for (int i = 0; i < COUNT(want); i++) {
    int b[3];
    hymgi_decomp_default_boxes(want[i].n, want[i].ranks, b);
    for (int a = 0; a < 3; a++)
      ck_assert_int_eq(b[a], want[i].boxes[a]);
  }
}
END_TEST

/* Work of the rank with the most: its cells. */
static int64_t most_cells(const hymgi_decomp *d)
{
  int64_t most = 0;
  for (int rank = 0; rank < d->ranks; rank++) {
    int64_t cells = 0;
    for (int64_t id = 0; id < (int64_t)d->boxes[0] * d->boxes[1] * d->boxes[2]; id++) {
      int box[3];
      hymgi_decomp_box(d, id, box);
      int64_t size = 1;
      for (int a = 0; a < 3; a++)
        size *= hymgi_decomp_low(d, a, box[a] + 1) - hymgi_decomp_low(d, a, box[a]);
      if (hymgi_decomp_owner(d, box) == rank) cells += size;
    }
    most = cells > most ? cells : most;
  }
  return most;
}

static hymgi_decomp *default_decomp(hymg_context *context, const int n[3], int ranks)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  hymgi_decomp *d = NULL;
  memcpy(desc.n, n, sizeof desc.n);
  ck_assert_int_eq(hymgi_decomp_create_for(context, ranks, &desc, &d), HYMG_OK);
  return d;
}

/* At even cells, at least 4 (3 at the high end) cells wide; no rank has much more than its share. */
START_TEST(default_boxes_of_sides_that_become_odd_occupy_all_ranks)
{
  static const int grids[][3] = {{127, 127, 127}, {250, 250, 250}, {100, 100, 100}, {96, 96, 10},
                                 {65, 48, 33},    {251, 1, 1},     {7, 7, 7},       {90, 60, 48}};
  hymg_context *context = fake_context();
  for (int g = 0; g < COUNT(grids); g++)
    for (int ranks = 1; ranks <= 13; ranks++) {
      const int *const n = grids[g];
      hymgi_decomp *d = default_decomp(context, n, ranks);
      for (int a = 0; d->cut[0] && a < 3; a++)
        for (int i = 0; i < d->boxes[a]; i++) {
          const int width = d->cut[a][i + 1] - d->cut[a][i];
          ck_assert_int_eq(d->cut[a][i] % 2, 0);
          ck_assert_int_ge(width, d->boxes[a] == 1 ? 1 : i + 1 < d->boxes[a] ? 4 : 3);
        }
      const double share = (double)n[0] * n[1] * n[2] / ranks;
      if (n[0] > 60 && n[1] > 30 && n[2] > 30)
        ck_assert_double_lt((double)most_cells(d), 1.5 * share);
      if (n[0] < 8) ck_assert(!d->cut[0] && d->boxes[0] * d->boxes[1] * d->boxes[2] == 1);
      hymgi_decomp_destroy(&d);
    }
  free(context);
}
END_TEST

/* Sizes that halve well, given boxes and owners: equal boxes as ever. */
START_TEST(other_grids_keep_equal_boxes)
{
  static const int grids[][3] = {{128, 128, 128}, {96, 96, 96}, {8, 8, 8}, {64, 32, 16}};
  hymg_context *context = fake_context();
  for (int g = 0; g < COUNT(grids); g++)
    for (int ranks = 1; ranks <= 13; ranks++) {
      hymgi_decomp *d = default_decomp(context, grids[g], ranks);
      ck_assert(!d->cut[0]);
      hymgi_decomp_destroy(&d);
    }
  hymg_grid_desc odd = hymg_grid_desc_default();
  hymgi_decomp *d = NULL;
  for (int a = 0; a < 3; a++)
    odd.n[a] = 127, odd.boxes[a] = 1;
  ck_assert_int_eq(hymgi_decomp_create_for(context, 2, &odd, &d), HYMG_OK);
  ck_assert(!d->cut[0]);
  hymgi_decomp_destroy(&d);
  free(context);
}
END_TEST

/* ---- bad input ---- */

static void assert_refused(const hymg_grid_desc *desc, const char *word, const char *other)
{
  hymg_context *context = fake_context();
  hymgi_decomp *d = NULL;
  ck_assert_int_eq(hymgi_decomp_create_for(context, 4, desc, &d), HYMG_EINVAL);
  ck_assert_ptr_null(d);
  ck_assert_msg(strstr(context->error, word) && strstr(context->error, other), "%s",
                context->error);
  free(context);
}

static int outside(const int box[3], void *user)
{
  (void)user;
  return box[2] == 1 ? 4 : 0;
}

START_TEST(bad_boxes_and_owners_are_named)
{
  hymg_grid_desc desc = desc_of((int[3]){64, 60, 64}, (int[3]){2, 7, 2});
  assert_refused(&desc, "7 boxes along y", "60 cells");
  desc = desc_of((int[3]){64, 64, 64}, (int[3]){2, 2, -3});
  assert_refused(&desc, "-3 boxes along z", "64 cells");
  desc = desc_of((int[3]){64, 64, 64}, (int[3]){2, 0, 2});
  assert_refused(&desc, "0 boxes along y", "1 to 64");
  desc = desc_of((int[3]){4096, 4096, 4096}, (int[3]){2048, 2048, 2048});
  assert_refused(&desc, "2048 x 2048 x 2048", "2147483647");
  desc = desc_of((int[3]){64, 64, 64}, (int[3]){2, 2, 2});
  desc.owner = outside;
  assert_refused(&desc, "box (0, 0, 1) is rank 4", "0 to 3");
  desc = desc_of((int[3]){12, 12, 12}, (int[3]){4, 2, 2});
  desc.owner = outside;
  assert_refused(&desc, "4 boxes of 3", "even sides");
}
END_TEST

START_TEST(odd_boxes_of_an_even_grid_are_refused)
{
  hymg_grid_desc desc = desc_of((int[3]){12, 12, 16}, (int[3]){4, 3, 16});
  assert_refused(&desc, "12 cells along x in 4 boxes of 3", "even sides");
  desc = desc_of((int[3]){12, 12, 16}, (int[3]){2, 3, 16});
  assert_refused(&desc, "16 cells along z in 16 boxes of 1", "even sides");
}
END_TEST

START_TEST(an_odd_level_is_not_coarsened)
{
  hymg_context *context = fake_context();
  hymg_grid_desc desc = desc_of((int[3]){16, 9, 16}, (int[3]){1, 1, 1});
  hymgi_decomp *d = NULL, *coarse = NULL;
  ck_assert_int_eq(hymgi_decomp_create(context, &desc, 0, &d), HYMG_OK);
  ck_assert_int_eq(hymgi_decomp_coarsen(context, d, 2, &at_no_size, &coarse), HYMG_EINVAL);
  ck_assert_ptr_nonnull(strstr(context->error, "16 x 9 x 16"));
  hymgi_decomp_destroy(&d);
  hymgi_decomp_destroy(&d);
  hymgi_decomp_destroy(NULL);
  free(context);
}
END_TEST

START_TEST(boxes_form_a_brick_or_not)
{
  int low[3], extent[3];
  const int brick[] = {1, 2, 3, 2, 2, 3, 1, 3, 3, 2, 3, 3};
  ck_assert(hymgi_decomp_brick(brick, 4, low, extent));
  ck_assert(low[0] == 1 && low[1] == 2 && low[2] == 3);
  ck_assert(extent[0] == 2 && extent[1] == 2 && extent[2] == 1);
  ck_assert(!hymgi_decomp_brick(brick, 3, low, extent));
  ck_assert(!hymgi_decomp_brick(brick, 0, low, extent));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("decomposition");
  TCase *tests = tcase_create("boxes and owners");
  tcase_add_loop_test(tests, morton_order_is_a_bijection, 0, COUNT(shapes));
  tcase_add_test(tests, morton_order_of_powers_of_two_interleaves_bits);
  tcase_add_test(tests, morton_order_takes_a_large_grid_of_boxes);
  tcase_add_loop_test(tests, owners_share_boxes_evenly, 0, COUNT(rank_counts));
  tcase_add_loop_test(tests, rank_finds_its_boxes_on_every_level, 0, COUNT(cuts));
  tcase_add_loop_test(tests, levels_coarsen_to_wide_boxes_with_whole_images, 0, COUNT(cuts));
  tcase_add_test(tests, wide_boxes_are_halved_then_merged_then_gathered);
  tcase_add_test(tests, levels_too_large_for_one_rank_are_not_gathered);
  tcase_add_loop_test(tests, many_boxes_are_gathered_in_steps, 0, COUNT(gathers));
  tcase_add_loop_test(tests, default_boxes_are_as_many_as_ranks_or_nearest, 0, COUNT(rank_counts));
  tcase_add_test(tests, default_boxes_are_near_cubes_and_cut_z_first);
  tcase_add_test(tests, default_boxes_of_sides_that_become_odd_occupy_all_ranks);
  tcase_add_test(tests, other_grids_keep_equal_boxes);
  tcase_add_test(tests, bad_boxes_and_owners_are_named);
  tcase_add_test(tests, odd_boxes_of_an_even_grid_are_refused);
  tcase_add_test(tests, an_odd_level_is_not_coarsened);
  tcase_add_test(tests, boxes_form_a_brick_or_not);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
