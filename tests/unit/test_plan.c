/* Plans of all ranks of a run, created in one process: sends match receives, and every target cell
 * is written once with the value of its source cell, compared with brute force. */
#include "support/plan.h"
#include "support/support.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const int rank_counts[] = {1, 3, 2, 5, 8, 70};
static const unsigned periodic_masks[] = {0, 7, 1, 6};

/* Cuts to try: all, or in small tests two, one with an odd count. */
static int num_cuts(void)
{
  return support_small() ? 2 : support_num_cuts;
}

/* Sides and plans of all ranks; src and dst are the same for a halo. */
typedef struct world {
  hymg_context *context;
  int ranks;
  support_boxes *src, *dst;
  hymgi_plan **plan;
  char name[200];
} world;

static void name_world(world *w, const hymgi_decomp *d, unsigned periodic, const char *what)
{
  snprintf(w->name, sizeof w->name,
           "%s, %d x %d x %d cells in %d x %d x %d boxes on %d ranks, periodic %u", what, d->n[0],
           d->n[1], d->n[2], d->boxes[0], d->boxes[1], d->boxes[2], w->ranks, periodic);
}

static const hymgi_message *find_message(const hymgi_message *list, int count, int rank)
{
  for (int i = 0; i < count; i++)
    if (list[i].rank == rank) return &list[i];
  return NULL;
}

/* The receive of rank `to` from rank `from` must be what was sent, piece by piece. */
static void assert_match(const world *w, int from, int to)
{
  const hymgi_plan *p = w->plan[from], *q = w->plan[to];
  const hymgi_message *s = find_message(p->send, p->num_sends, to);
  const hymgi_message *r = find_message(q->receive, q->num_receives, from);
  ck_assert_msg((s == NULL) == (r == NULL), "%s: message %d to %d has one end only", w->name, from,
                to);
  if (!s) return;
  ck_assert_msg(s->size == r->size && s->count == r->count, "%s: message %d to %d differs", w->name,
                from, to);
  for (int i = 0; i < s->count; i++) {
    const hymgi_piece *a = &p->pack[s->first + i], *b = &q->unpack[r->first + i];
    ck_assert_msg(memcmp(a->n, b->n, sizeof a->n) == 0 && a->at - s->at == b->at - r->at,
                  "%s: piece %d of message %d to %d differs", w->name, i, from, to);
  }
}

static void run_messages(const world *w)
{
  double **buffer = calloc((size_t)w->ranks, sizeof *buffer);
  for (int r = 0; r < w->ranks; r++) {
    const hymgi_plan *p = w->plan[r];
    const size_t size =
        p->num_sends ? p->send[p->num_sends - 1].at + p->send[p->num_sends - 1].size : 0;
    buffer[r] = malloc((size + 1) * sizeof(double));
    support_pack(p, &w->src[r], buffer[r]);
  }
  for (int r = 0; r < w->ranks; r++) {
    const hymgi_plan *p = w->plan[r];
    const size_t size =
        p->num_receives ? p->receive[p->num_receives - 1].at + p->receive[p->num_receives - 1].size
                        : 0;
    double *in = malloc((size + 1) * sizeof *in);
    for (int m = 0; m < p->num_receives; m++) {
      const hymgi_message *got = &p->receive[m];
      const hymgi_plan *q = w->plan[got->rank];
      const hymgi_message *sent = find_message(q->send, q->num_sends, r);
      memcpy(in + got->at, buffer[got->rank] + sent->at, got->size * sizeof *in);
    }
    support_unpack(p, in, &w->dst[r]);
    support_local(p, &w->src[r], &w->dst[r]);
    free(in);
  }
  for (int r = 0; r < w->ranks; r++)
    free(buffer[r]);
  free(buffer);
}

/* Both ends of all messages; only pairs that either end names, and those must be named by both. */
static void assert_all_match(const world *w)
{
  for (int r = 0; r < w->ranks; r++) {
    const hymgi_plan *p = w->plan[r];
    for (int i = 0; i < p->num_sends; i++)
      assert_match(w, r, p->send[i].rank);
    for (int i = 0; i < p->num_receives; i++)
      assert_match(w, p->receive[i].rank, r);
    ck_assert_msg(!find_message(p->send, p->num_sends, r), "%s: rank %d sends to itself", w->name,
                  r);
  }
}

static world open_world(hymg_context *context, int ranks)
{
  world w = {.context = context, .ranks = ranks};
  w.src = calloc((size_t)ranks, sizeof *w.src);
  w.dst = calloc((size_t)ranks, sizeof *w.dst);
  w.plan = calloc((size_t)ranks, sizeof *w.plan);
  return w;
}

static void close_world(world *w)
{
  for (int r = 0; r < w->ranks; r++) {
    if (w->dst != w->src) support_boxes_free(&w->dst[r]);
    support_boxes_free(&w->src[r]);
    hymgi_plan_destroy(&w->plan[r]);
  }
  if (w->dst != w->src) free(w->dst);
  free(w->src);
  free(w->plan);
}

static void build(world *w, int rank, const hymgi_pull *rule)
{
  ck_assert_msg(hymgi_plan_pull_of(w->context, rank, rule, &w->plan[rank]) == HYMG_OK, "%s: %s",
                w->name, w->context->error);
}

/* ---- halo ---- */

static void try_halo(hymg_context *context, const hymgi_decomp *d, hymgi_halo kind, int depth,
                     unsigned periodic)
{
  world w = open_world(context, d->ranks);
  free(w.dst);
  w.dst = w.src;
  name_world(&w, d, periodic,
             kind == HYMGI_HALO_FACES   ? "faces"
             : kind == HYMGI_HALO_EDGES ? "edges"
                                        : "full");
  for (int r = 0; r < w.ranks; r++) {
    w.src[r] = support_boxes_of(context, d, r, periodic);
    support_fill_interior(&w.src[r]);
    const hymgi_pull rule = hymgi_halo_rule(&w.src[r].side, kind, depth, periodic);
    build(&w, r, &rule);
    const support_local_boxes *b = &w.src[r].local;
    ck_assert_msg(support_plan_is_valid(w.plan[r], b->box, b->box, b->num_boxes), "%s", w.name);
  }
  assert_all_match(&w);
  run_messages(&w);
  for (int r = 0; r < w.ranks; r++)
    support_check_halo(&w.src[r], kind, depth, d->n, periodic, w.name);
  close_world(&w);
}

START_TEST(halo_writes_each_ghost_once_with_its_cell)
{
  hymg_context *context = calloc(1, sizeof *context);
  for (int c = 0; c < num_cuts(); c++) {
    hymgi_decomp *level[SUPPORT_MAX_LEVELS];
    const int levels = support_levels(context, &support_cuts[c], rank_counts[_i], level);
    for (int l = 0; l < levels; l++)
      for (int m = 0; m < COUNT(periodic_masks); m++)
        for (int kind = 0; kind < 3; kind++)
          for (int depth = 1; depth <= 2; depth++)
            try_halo(context, level[l], (hymgi_halo)kind, depth, periodic_masks[m]);
    support_levels_free(level, levels);
  }
  free(context);
}
END_TEST

START_TEST(halo_deeper_than_the_boxes_reaches_further)
{
  hymg_context *context = calloc(1, sizeof *context);
  const support_cut thin = {{7, 3, 5}, {7, 3, 5}, .owner = NULL};
  hymgi_decomp *level[SUPPORT_MAX_LEVELS];
  const int levels = support_levels(context, &thin, rank_counts[_i], level);
  for (int m = 0; m < COUNT(periodic_masks); m++)
    try_halo(context, level[0], HYMGI_HALO_FULL, 3, periodic_masks[m]);
  support_levels_free(level, levels);
  free(context);
}
END_TEST

/* ---- between levels ---- */

static void try_gather(hymg_context *context, const hymgi_decomp *fine, const hymgi_decomp *coarse)
{
  world w = open_world(context, fine->ranks);
  name_world(&w, fine, 0, "gather");
  for (int r = 0; r < w.ranks; r++) {
    w.src[r] = support_patches_of(context, fine, r, 0);
    w.dst[r] = support_boxes_of(context, coarse, r, 0);
    support_fill_interior(&w.src[r]);
    const hymgi_pull rule = hymgi_gather_rule(&w.src[r].side, &w.dst[r].side);
    build(&w, r, &rule);
  }
  assert_all_match(&w);
  run_messages(&w);
  for (int r = 0; r < w.ranks; r++)
    support_check_gather(&w.dst[r], w.name);
  close_world(&w);
}

static void try_scatter(hymg_context *context, const hymgi_decomp *fine, const hymgi_decomp *coarse,
                        int depth, unsigned periodic)
{
  world w = open_world(context, fine->ranks);
  name_world(&w, fine, periodic, "scatter");
  for (int r = 0; r < w.ranks; r++) {
    w.src[r] = support_boxes_of(context, coarse, r, periodic);
    w.dst[r] = support_patches_of(context, fine, r, periodic);
    support_fill_interior(&w.src[r]);
    support_fill_boundaries(&w.src[r], coarse->n);
    const hymgi_pull rule = hymgi_scatter_rule(&w.dst[r].side, &w.src[r].side, depth, periodic);
    build(&w, r, &rule);
  }
  assert_all_match(&w);
  run_messages(&w);
  for (int r = 0; r < w.ranks; r++)
    support_check_scatter(&w.dst[r], depth, coarse->n, periodic, w.name);
  close_world(&w);
}

START_TEST(patches_gather_into_each_coarse_cell_once)
{
  hymg_context *context = calloc(1, sizeof *context);
  for (int c = 0; c < num_cuts(); c++) {
    hymgi_decomp *level[SUPPORT_MAX_LEVELS];
    const int levels = support_levels(context, &support_cuts[c], rank_counts[_i], level);
    for (int l = 1; l < levels; l++)
      try_gather(context, level[l - 1], level[l]);
    support_levels_free(level, levels);
  }
  free(context);
}
END_TEST

START_TEST(patches_receive_cells_neighbours_and_boundary_ghosts_once)
{
  hymg_context *context = calloc(1, sizeof *context);
  for (int c = 0; c < num_cuts(); c++) {
    hymgi_decomp *level[SUPPORT_MAX_LEVELS];
    const int levels = support_levels(context, &support_cuts[c], rank_counts[_i], level);
    for (int l = 1; l < levels; l++)
      for (int m = 0; m < COUNT(periodic_masks); m++)
        for (int depth = 0; depth <= 2; depth++)
          try_scatter(context, level[l - 1], level[l], depth, periodic_masks[m]);
    support_levels_free(level, levels);
  }
  free(context);
}
END_TEST

/* ---- levels that every rank holds whole ---- */

static const hymgi_message *sent_in(const hymgi_plan *p, int round, int rank)
{
  for (const hymgi_message *m = p->send; m < p->send + p->num_sends; m++)
    if (m->round == round && m->rank == rank) return m;
  return NULL;
}

/* What a rank receives in a round must have been with its sender before. known: how many numbers each rank has. */
static size_t receive(const world *w, int r, int round, double *const *buffer, size_t (*known)[2])
{
  size_t received = 0;
  const hymgi_plan *p = w->plan[r];
  for (const hymgi_message *m = p->receive; m < p->receive + p->num_receives; m++) {
    if (m->round != round) continue;
    const hymgi_message *sent = sent_in(w->plan[m->rank], round, r);
    ck_assert_msg(sent && sent->size == m->size, "%s: round %d, %d to %d", w->name, round, m->rank,
                  r);
    ck_assert_msg(sent->at + sent->size <= known[m->rank][0], "%s: sent before it is there",
                  w->name);
    memcpy(buffer[r] + m->at, buffer[m->rank] + sent->at, m->size * sizeof **buffer);
    received += m->size;
  }
  return received;
}

static size_t own_size(const hymgi_plan *p)
{
  size_t size = 0;
  for (const hymgi_piece *piece = p->pack; piece < p->pack + p->num_pack; piece++)
    size += (size_t)piece->n[0] * (size_t)piece->n[1] * (size_t)piece->n[2];
  return size;
}

static void run_rounds(const world *w, int rounds)
{
  const unsigned ranks = (unsigned)w->ranks;
  double **buffer = calloc(ranks, sizeof *buffer);
  size_t(*known)[2] = calloc(ranks, sizeof *known); /* at first, and then */
  for (int r = 0; r < w->ranks; r++) {
    buffer[r] = malloc((hymgi_plan_receive_doubles(w->plan[r]) + 1) * sizeof **buffer);
    support_pack(w->plan[r], &w->src[r], buffer[r]);
    known[r][0] = own_size(w->plan[r]);
  }
  for (int round = 0; round < rounds; round++) {
    for (int r = 0; r < w->ranks; r++)
      known[r][1] = known[r][0] + receive(w, r, round, buffer, known);
    for (int r = 0; r < w->ranks; r++)
      known[r][0] = known[r][1];
  }
  for (int r = 0; r < w->ranks; r++) {
    support_unpack(w->plan[r], buffer[r], &w->dst[r]);
    support_local(w->plan[r], &w->src[r], &w->dst[r]);
    free(buffer[r]);
  }
  free(known);
  free(buffer);
}

/* Rounds of at most 7 messages each, 8 members being known after one and 64 after two. */
static void check_messages(const world *w, const hymgi_plan *p, int members, int rounds)
{
  ck_assert_msg(p->rounds == rounds, "%s: %d rounds", w->name, p->rounds);
  ck_assert_int_eq(p->num_sends, p->num_receives);
  for (int round = 0, known = 1; round < rounds; round++, known *= 8) {
    int count = 0;
    for (const hymgi_message *m = p->send; m < p->send + p->num_sends; m++)
      count += m->round == round;
    const int most = (members - 1) / known;
    ck_assert_msg(count == (most < 7 ? most : 7), "%s: %d messages in round %d of %d", w->name,
                  count, round, members);
  }
}

static void try_all_gather(hymg_context *context, const hymgi_decomp *fine,
                           const hymgi_decomp *coarse)
{
  world w = open_world(context, fine->ranks);
  name_world(&w, fine, 0, "all-gather");
  int members = 0, rounds = 0;
  for (int r = 0; r < w.ranks; r++) {
    w.src[r] = support_patches_of(context, fine, r, 0);
    w.dst[r] = support_boxes_of(context, coarse, r, 0);
    members += w.src[r].local.num_boxes > 0;
    ck_assert_int_eq(w.dst[r].local.num_boxes, w.src[r].local.num_boxes > 0);
    support_fill_interior(&w.src[r]);
    const hymgi_pull rule = hymgi_gather_rule(&w.src[r].side, &w.dst[r].side);
    build(&w, r, &rule);
  }
  for (int64_t known = 1; known < members; known *= 8)
    rounds++;
  for (int r = 0; r < w.ranks; r++)
    if (w.src[r].local.num_boxes) check_messages(&w, w.plan[r], members, rounds);
  run_rounds(&w, rounds);
  for (int r = 0; r < w.ranks; r++)
    support_check_gather(&w.dst[r], w.name);
  close_world(&w);
}

static const hymgi_gathering everywhere = {.below = INT64_MAX, .whole = INT64_MAX};

static void try_whole(hymg_context *context, const support_cut *cut, int ranks)
{
  hymgi_decomp *level[SUPPORT_MAX_LEVELS];
  support_cut whole = *cut;
  whole.gather = everywhere;
  const int levels = support_levels(context, &whole, ranks, level);
  const bool one = level[0]->boxes[0] * level[0]->boxes[1] * level[0]->boxes[2] == 1;
  for (int l = 1; l < levels; l++)
    ck_assert_int_eq(level[l]->whole, !one);
  if (levels > 1 && !one) try_all_gather(context, level[0], level[1]);
  for (int m = 0; m < COUNT(periodic_masks) && levels > 1; m++) {
    try_scatter(context, level[0], level[1], 2, periodic_masks[m]);
    try_halo(context, level[1], HYMGI_HALO_FULL, 2, periodic_masks[m]);
  }
  support_levels_free(level, levels);
}

START_TEST(every_rank_gets_a_level_whole)
{
  hymg_context *context = calloc(1, sizeof *context);
  for (int c = 0; c < num_cuts(); c++)
    try_whole(context, &support_cuts[c], rank_counts[_i]);
  free(context);
}
END_TEST

static const int many_ranks[] = {4, 6, 7, 9, 12, 63, 64, 65, 100, 512};

START_TEST(all_gathers_of_many_ranks)
{
  hymg_context *context = calloc(1, sizeof *context);
  const support_cut cut = {{16, 16, 16}, {8, 8, 8}, .owner = NULL};
  try_whole(context, &cut, many_ranks[_i]);
  free(context);
}
END_TEST

/* ---- merging ---- */

START_TEST(boxes_of_a_rank_merge_where_they_form_a_brick)
{
  hymg_context *context = calloc(1, sizeof *context);
  hymgi_decomp *level[SUPPORT_MAX_LEVELS];
  int levels = support_levels(context, &support_cuts[3], 8, level); /* 4^3 boxes, 2^3 each */
  for (int r = 0; r < 8; r++) {
    support_boxes b = support_boxes_of(context, level[0], r, 2);
    ck_assert_int_eq(b.local.num_boxes, 1);
    const hymgi_geom *g = &b.local.box[0];
    unsigned boundaries = 0;
    for (int a = 0; a < 3; a++) {
      ck_assert_int_eq(g->n[a], 8);
      ck_assert_int_eq(g->low[a], 8 * (r >> a & 1));
      if (a != 1) boundaries |= 1u << (2 * a + (r >> a & 1));
    }
    ck_assert_uint_eq(g->boundaries, boundaries);
    support_boxes_free(&b);
  }
  support_levels_free(level, levels);
  levels = support_levels(context, &support_cuts[1], 5, level); /* 27 boxes on 5 ranks */
  int boxes = 0;
  for (int r = 0; r < 5; r++) {
    support_boxes b = support_boxes_of(context, level[0], r, 0);
    for (int q = 0; q < b.local.num_boxes; q++) {
      const hymgi_geom *g = &b.local.box[q];
      boxes += g->n[0] / 8 * (g->n[1] / 8) * (g->n[2] / 8);
      ck_assert_int_eq(g->parity, (g->low[0] + g->low[1] + g->low[2]) % 2);
    }
    support_boxes_free(&b);
  }
  ck_assert_int_eq(boxes, 27);
  support_levels_free(level, levels);
  free(context);
}
END_TEST

START_TEST(odd_low_corners_have_odd_parity)
{
  hymg_context *context = calloc(1, sizeof *context);
  hymgi_decomp *level[SUPPORT_MAX_LEVELS];
  const support_cut odd = {{9, 9, 9}, {3, 3, 3}, .owner = NULL};
  const int levels = support_levels(context, &odd, 27, level);
  for (int r = 0; r < 27; r++) {
    support_boxes b = support_boxes_of(context, level[0], r, 0);
    const hymgi_geom *g = &b.local.box[0];
    ck_assert_int_eq(g->parity, (g->low[0] + g->low[1] + g->low[2]) % 2);
    support_boxes_free(&b);
  }
  support_levels_free(level, levels);
  free(context);
}
END_TEST

/* ---- one message per neighbour, soundness, bad input ---- */

START_TEST(each_neighbour_gets_one_message_and_bricks_merge_their_pieces)
{
  hymg_context *context = calloc(1, sizeof *context);
  hymgi_decomp *level[SUPPORT_MAX_LEVELS];
  const int levels = support_levels(context, &support_cuts[3], 8, level);
  support_boxes b = support_boxes_of(context, level[0], 0, 7);
  const hymgi_pull rule = hymgi_halo_rule(&b.side, HYMGI_HALO_FULL, 2, 7);
  hymgi_plan *p = NULL;
  ck_assert_int_eq(hymgi_plan_pull_of(context, 0, &rule, &p), HYMG_OK);
  ck_assert_int_eq(p->num_sends, 7);
  ck_assert_int_eq(p->num_receives, 7);
  ck_assert_int_eq(p->num_local, 0);
  size_t doubles = 0;
  for (int m = 0; m < p->num_receives; m++)
    doubles += p->receive[m].size;
  ck_assert_uint_eq(doubles, 12 * 12 * 12 - 8 * 8 * 8);
  ck_assert_uint_ge(hymgi_plan_bytes(p), 2 * doubles * sizeof(double));
  hymgi_plan_destroy(&p);
  support_boxes_free(&b);
  support_levels_free(level, levels);
  free(context);
}
END_TEST

START_TEST(unsound_plans_are_recognised)
{
  hymg_context *context = calloc(1, sizeof *context);
  hymgi_decomp *level[SUPPORT_MAX_LEVELS];
  const int levels = support_levels(context, &support_cuts[0], 2, level);
  support_boxes b = support_boxes_of(context, level[0], 0, 7);
  const hymgi_geom *g = b.local.box;
  const hymgi_pull rule = hymgi_halo_rule(&b.side, HYMGI_HALO_FACES, 1, 7);
  hymgi_plan *p = NULL;
  ck_assert_int_eq(hymgi_plan_pull_of(context, 0, &rule, &p), HYMG_OK);
  ck_assert(support_plan_is_valid(p, g, g, b.local.num_boxes));
  ck_assert_int_ge(p->num_local, 2);
  ck_assert_int_ge(p->num_unpack, 1);
  const hymgi_copy kept = p->local[0];
  p->local[0] = p->local[1]; /* written twice */
  ck_assert(!support_plan_is_valid(p, g, g, b.local.num_boxes));
  p->local[0] = kept;
  memset(p->local[0].dst, 0, sizeof p->local[0].dst); /* an interior cell */
  ck_assert(!support_plan_is_valid(p, g, g, b.local.num_boxes));
  p->local[0] = kept;
  p->local[0].src[0] = g->n[0] + SUPPORT_GHOST; /* outside the box */
  ck_assert(!support_plan_is_valid(p, g, g, b.local.num_boxes));
  p->local[0] = kept;
  p->unpack[0].at++; /* a gap in the buffer */
  ck_assert(!support_plan_is_valid(p, g, g, b.local.num_boxes));
  hymgi_plan_destroy(&p);
  hymgi_plan_destroy(&p);
  ck_assert_uint_eq(hymgi_plan_bytes(NULL), 0);
  support_boxes_free(&b);
  support_levels_free(level, levels);
  free(context);
}
END_TEST

START_TEST(a_plan_too_deep_is_refused)
{
  hymg_context *context = calloc(1, sizeof *context);
  hymgi_decomp *level[SUPPORT_MAX_LEVELS];
  const int levels = support_levels(context, &support_cuts[0], 2, level);
  support_boxes b = support_boxes_of(context, level[0], 0, 0);
  hymgi_plan *p = NULL;
  const hymgi_pull rule = hymgi_halo_rule(&b.side, HYMGI_HALO_FULL, HYMGI_PLAN_DEPTH + 1, 0);
  ck_assert_int_eq(hymgi_plan_create(context, &rule, 1, &p), HYMG_EINVAL);
  ck_assert_ptr_nonnull(strstr(context->error, "depth 67"));
  ck_assert_ptr_null(p);
  support_boxes_free(&b);
  support_levels_free(level, levels);
  free(context);
}
END_TEST

START_TEST(a_serial_exchange_fills_periodic_ghosts_through_the_mover)
{
  hymg_context *context = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
  hymgi_decomp *level[SUPPORT_MAX_LEVELS];
  const int levels = support_levels(context, &support_cuts[1], 1, level);
  support_boxes b = support_boxes_of(context, level[0], 0, 7);
  support_fill_interior(&b);
  hymgi_plan *p = NULL;
  const hymgi_pull rule = hymgi_halo_rule(&b.side, HYMGI_HALO_FULL, 2, 7);
  ck_assert_int_eq(hymgi_plan_create(context, &rule, 1, &p), HYMG_OK);
  ck_assert_ptr_null(p->requests);
  hymgi_exchange_begin(context, &support_mover, p, b.local.box, b.data, b.local.box, b.data);
  hymgi_exchange_end(context, &support_mover, p, b.local.box, b.data, NULL);
  ck_assert_int_eq(context->status, HYMG_OK);
  const int n = level[0]->n[0];
  for (int i = -2; i < n + 2; i++) {
    const int want[3] = {(i + n) % n, n - 1, 0};
    ck_assert(b.data[hymgi_at(&b.local.box[0], i, -1, n)] == support_value(want));
  }
  hymgi_plan_destroy(&p);
  support_boxes_free(&b);
  support_levels_free(level, levels);
  hymg_context_destroy(&context);
}
END_TEST

int main(void)
{
  const int counts = support_small() ? 2 : COUNT(rank_counts);
  Suite *suite = suite_create("plan");
  TCase *tests = tcase_create("copy plans");
  tcase_add_loop_test(tests, halo_writes_each_ghost_once_with_its_cell, 0, counts);
  tcase_add_loop_test(tests, halo_deeper_than_the_boxes_reaches_further, 0, counts);
  tcase_add_loop_test(tests, patches_gather_into_each_coarse_cell_once, 0, counts);
  tcase_add_loop_test(tests, patches_receive_cells_neighbours_and_boundary_ghosts_once, 0, counts);
  tcase_add_loop_test(tests, every_rank_gets_a_level_whole, 0, COUNT(rank_counts));
  tcase_add_loop_test(tests, all_gathers_of_many_ranks, 0,
                      COUNT(many_ranks) - (support_small() ? 1 : 0));
  tcase_add_test(tests, boxes_of_a_rank_merge_where_they_form_a_brick);
  tcase_add_test(tests, odd_low_corners_have_odd_parity);
  tcase_add_test(tests, each_neighbour_gets_one_message_and_bricks_merge_their_pieces);
  tcase_add_test(tests, unsound_plans_are_recognised);
  tcase_add_test(tests, a_plan_too_deep_is_refused);
  tcase_add_test(tests, a_serial_exchange_fills_periodic_ghosts_through_the_mover);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
