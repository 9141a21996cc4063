/* hymg-plans: what it takes one rank of many to set up a solver, for numbers of ranks that no machine here has. The
 * library runs as it is, with a communicator that stands for the others (one_rank.h): time (the least of three), bytes and
 * neighbours of the first, a middle and the last rank. --compare: on the ranks of mpirun, are the plans made so the ones
 * that each rank makes among the others? Not installed. Exit status: 0; 1 plans differ; 2 bad input; 3 failure at run
 * time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/solver.h"
#include "common/kit/options.h"
#include "common/kit/rows.h"
#include "common/problem_fields.h"
#include "common/start.h"
#include "exchange/one_rank.h"
#include "multigrid/wide.h"

enum { MOST_COUNTS = 16, PLANS = 6, REPEATS = 3 };

typedef struct options {
  int counts[MOST_COUNTS], num_counts, rank, side, layers;
  bool stencil[2], compare;
  const char *csv;
} options;

typedef struct run {
  hymg_context *context;
  hymg_grid *grid;
  hymg_field *beta[3];
  hymg_operator *op;
  hymg_solver *solver;
} run;

/* No rank can continue alone. */
static void require(const run *r, hymg_status status)
{
  start_require("hymg-plans", r->context, status);
}

/* ---- a solver ---- */

/* One box a rank: three factors of P that are as near to each other as can be, the largest last. */
static void share_out(int ranks, int boxes[3])
{
  boxes[0] = boxes[1] = 1, boxes[2] = ranks;
  for (int x = 1; (int64_t)x * x * x <= ranks; x++)
    for (int y = x; ranks % x == 0 && (int64_t)y * y <= ranks / x; y++)
      if (ranks / x % y == 0) boxes[0] = x, boxes[1] = y, boxes[2] = ranks / x / y;
}

static const problem fv_problem = {.kind = PROBLEM_FV, .variable = true, .a = 0, .b = 1};

static hymg_status make_operator(run *r, hymg_stencil stencil, const double spacing[3])
{
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_field **const beta = r->beta;
  hymg_status status = HYMG_OK;
  desc.stencil = stencil;
  for (int axis = 0; axis < 3 && status == HYMG_OK; axis++) {
    status = hymg_field_create(r->grid, NULL, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                               &beta[axis]);
    if (status == HYMG_OK)
      status = problem_write_local(&fv_problem, PROBLEM_BETA, axis, spacing, r->grid, beta[axis]);
    desc.beta[axis] = beta[axis];
  }
  if (status == HYMG_OK) status = hymg_operator_create(r->grid, &desc, &r->op);
  return status;
}

/* Seconds of the grid and the solver, the collective part. */
static double make_solver(run *r, const options *o, hymg_stencil stencil, int ranks)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  hymg_options wanted = hymg_options_default();
  wanted.tuning = HYMG_TUNE_ESTIMATE;
  wanted.backend = HYMG_BACKEND_HOST;
  wanted.halo_layers = o->layers;
  wanted.path = HYMG_PATH_STANDARD; /* also where coarsest levels are large */
  share_out(ranks, desc.boxes);
  for (int axis = 0; axis < 3; axis++) {
    desc.n[axis] = o->side * desc.boxes[axis];
    desc.spacing[axis] = 1.0 / (o->side * desc.boxes[2]);
  }
  const double start = hymgi_seconds();
  require(r, hymg_grid_create(r->context, &desc, &r->grid));
  const double middle = hymgi_seconds();
  require(r, make_operator(r, stencil, desc.spacing));
  const double before = hymgi_seconds();
  require(r, hymg_solver_create(r->op, &wanted, &r->solver));
  return middle - start + hymgi_seconds() - before;
}

static void tear_down(run *r)
{
  hymg_solver_destroy(&r->solver);
  hymg_operator_destroy(&r->op);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&r->beta[axis]);
  hymg_grid_destroy(&r->grid);
}

static double make_alone(run *r, const options *o, hymg_stencil stencil, int rank, int ranks)
{
  require(r, hymg_context_create(NULL, &r->context));
  one_rank_enter(r->context, rank, ranks);
  one_rank_count_memory();
  return make_solver(r, o, stencil, ranks);
}

static void end_alone(run *r)
{
  tear_down(r);
  one_rank_leave(r->context);
  hymg_context_destroy(&r->context);
}

/* ---- its plans ---- */

/* NULL where the level has none. */
static void plans_of(const hymgi_level *level, const hymgi_plan *plan[PLANS])
{
  for (int kind = 0; kind < 3; kind++)
    plan[kind] = level->halo[kind];
  plan[3] = level->gather, plan[4] = level->scatter;
  plan[5] = level->wide ? level->wide->plan : NULL;
}

static bool same_ints(const int *a, const int *b, int count)
{
  return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_pieces(const hymgi_piece *a, const hymgi_piece *b, int count)
{
  bool same = true;
  for (int i = 0; i < count; i++)
    same = same && a[i].box == b[i].box && a[i].message == b[i].message && a[i].at == b[i].at &&
           same_ints(a[i].low, b[i].low, 3) && same_ints(a[i].n, b[i].n, 3);
  return same;
}

static bool same_messages(const hymgi_message *a, const hymgi_message *b, int count)
{
  bool same = true;
  for (int i = 0; i < count; i++)
    same = same && a[i].rank == b[i].rank && a[i].first == b[i].first && a[i].size == b[i].size &&
           a[i].count == b[i].count && a[i].at == b[i].at;
  return same;
}

static bool same_copies(const hymgi_copy *a, const hymgi_copy *b, int count)
{
  bool same = true;
  for (int i = 0; i < count; i++)
    same = same && a[i].src_box == b[i].src_box && a[i].dst_box == b[i].dst_box &&
           same_ints(a[i].src, b[i].src, 3) && same_ints(a[i].dst, b[i].dst, 3) &&
           same_ints(a[i].n, b[i].n, 3);
  return same;
}

static bool same_plan(const hymgi_plan *a, const hymgi_plan *b)
{
  if (!a || !b) return a == b;
  return a->tag == b->tag && a->num_local == b->num_local && a->num_pack == b->num_pack &&
         a->num_unpack == b->num_unpack && a->num_sends == b->num_sends &&
         a->num_receives == b->num_receives && same_copies(a->local, b->local, a->num_local) &&
         same_pieces(a->pack, b->pack, a->num_pack) &&
         same_pieces(a->unpack, b->unpack, a->num_unpack) &&
         same_messages(a->send, b->send, a->num_sends) &&
         same_messages(a->receive, b->receive, a->num_receives);
}

/* ---- among the others, and alone ---- */

/* Collective. Plans of this rank that there are; those that differ are counted in *wrong. */
static int compare_level(const hymgi_level *a, const hymgi_level *b, int *wrong)
{
  const hymgi_plan *real[PLANS], *made[PLANS];
  int count = 0;
  plans_of(a, real), plans_of(b, made);
  for (int p = 0; p < PLANS; p++) {
    count += real[p] != NULL;
    *wrong += !same_plan(real[p], made[p]);
  }
  *wrong += a->num_boxes != b->num_boxes || a->layers != b->layers || a->ranks != b->ranks;
  return count;
}

static bool compare(const options *o, hymg_stencil stencil)
{
  run real = {0}, made = {0};
  int wrong = 0, count = 0;
  require(&real, start_context(NULL, &real.context));
  make_solver(&real, o, stencil, start_ranks());
  make_alone(&made, o, stencil, start_rank(), start_ranks());
  const hymgi_hierarchy *a = &real.solver->h, *b = &made.solver->h;
  wrong += a->num_levels != b->num_levels;
  for (int l = 0; l < a->num_levels && l < b->num_levels; l++)
    count += compare_level(a->level + l, b->level + l, &wrong);
  end_alone(&made);
  double worst[2] = {wrong, count};
  for (int m = 0; m < 2; m++)
    require(&real, hymg_context_max(real.context, &worst[m]));
  if (start_rank() == 0)
    printf("%s, %d ranks, up to %.0f plans a rank: %s\n", stencil == HYMG_FV2 ? "fv2" : "fv4",
           start_ranks(), worst[1], worst[0] > 0 ? "DIFFERENT ALONE" : "the same made alone");
  tear_down(&real);
  hymg_context_destroy(&real.context);
  return worst[0] == 0;
}

/* ---- the table ---- */

typedef struct figures {
  int held,
      peers; /* levels with cells here; most messages of a plan that are sent or received at once */
  double plan_bytes, peak_bytes, lists, seconds;
} figures;

static int larger(int a, int b)
{
  return a > b ? a : b;
}

static void count_level(const hymgi_level *level, int ranks, figures *f)
{
  const hymgi_plan *plan[PLANS];
  plans_of(level, plan);
  f->held += level->num_boxes > 0;
  for (int p = 0; p < PLANS; p++) {
    f->plan_bytes += (double)hymgi_plan_bytes(plan[p]);
    if (plan[p]) f->peers = larger(f->peers, larger(plan[p]->num_sends, plan[p]->num_receives));
  }
  /* comm_mpi.c: the members of a communicator that not all ranks belong to */
  if (level->num_boxes > 0 && level->ranks < ranks) f->lists += (double)sizeof(int) * level->ranks;
}

static void print_row(const options *o, csv_table *csv, hymg_stencil stencil, int rank, int ranks)
{
  run r = {0};
  figures f = {.seconds = make_alone(&r, o, stencil, rank, ranks)};
  for (int m = 1; m < REPEATS; m++) {
    end_alone(&r);
    f.seconds = fmin(f.seconds, make_alone(&r, o, stencil, rank, ranks));
  }
  const hymgi_hierarchy *h = &r.solver->h;
  const int *const boxes = h->level->decomp->boxes;
  f.peak_bytes = one_rank_peak_bytes();
  for (int l = 0; l < h->num_levels; l++)
    count_level(h->level + l, ranks, &f);
  const char *const name = stencil == HYMG_FV2 ? "fv2" : "fv4";
  printf("%-4s %7d %7d  %3dx%dx%d %6d %5d %6d %10.3f %9.3f %9.3f %9.3f\n", name, ranks, rank,
         boxes[0], boxes[1], boxes[2], h->num_levels, f.held, f.peers, 1e3 * f.seconds,
         1e-6 * f.plan_bytes, 1e-6 * f.peak_bytes, 1e-6 * f.lists);
  fflush(stdout);
  rows_add(csv, "%s,%d,%d,%d,%d,%d,%d,%.4e,%.0f,%.0f,%.0f", name, o->side, ranks, rank,
           h->num_levels, f.held, f.peers, f.seconds, f.plan_bytes, f.peak_bytes, f.lists);
  end_alone(&r);
}

static void print_table(const options *o, csv_table *csv)
{
  printf("%d^3 cells a rank\n%-4s %7s %7s  %-8s %6s %5s %6s %10s %9s %9s %9s\n", o->side, "",
         "ranks", "rank", "boxes", "levels", "held", "peers", "set-up ms", "plans MB", "peak MB",
         "lists MB");
  for (int s = HYMG_FV2; s <= HYMG_FV4; s++)
    for (int c = 0; c < o->num_counts && o->stencil[s]; c++) {
      const int ranks = o->counts[c], all[3] = {0, ranks / 2, ranks - 1};
      for (int m = 0; m < 3 && o->rank < 0; m++)
        if (m == 0 || all[m] != all[m - 1]) print_row(o, csv, (hymg_stencil)s, all[m], ranks);
      if (o->rank >= 0) print_row(o, csv, (hymg_stencil)s, o->rank, ranks);
    }
}

/* ---- the command line ---- */

static const char usage[] =
    "usage: hymg-plans [options]\n"
    "       mpirun -n RANKS hymg-plans --compare [options]\n"
    "\n"
    "Sets up a solver on one rank of many without the others: time, bytes and\n"
    "neighbours; or compares its plans with those that real ranks make.\n";

static const char notes[] =
    "Exit status: 0 done; 1 plans differ; 2 bad input; 3 failure at run time.\n";

static bool read_counts(const command_line *c, const char *option, const char *text, void *target)
{
  static const int range[2] = {1, 1 << 20};
  options *const o = target;
  o->num_counts = options_ints(c, option, text, ',', "up to 16 numbers from 1 to 1048576",
                               MOST_COUNTS, range, o->counts);
  return o->num_counts > 0;
}

/* Every rank sees the same command line. */
static bool parse(int argc, char **argv, options *o, int *code)
{
  const option_row table[] = {
      {.help = "What is set up", .kind = OPTION_GROUP},
      {"ranks", "P[,P...]", "numbers of ranks", .kind = OPTION_CUSTOM, o, .read = read_counts,
       .otherwise = "8,64,512,4096,32768,100000"},
      {"rank", "R", "this one of them alone; -1: the first, a middle and the last",
       .kind = OPTION_INT, &o->rank, -1, 1 << 20},
      {"side", "N", "cells per side and rank, even", .kind = OPTION_INT, &o->side, 4, 256},
      {"operator", "fv2|fv4", "this one alone", .kind = OPTION_CUSTOM, o->stencil,
       .read = options_read_stencil, .otherwise = "both"},
      {"halo-layers", "N", "layers of neighbours' cells that ranks compute as well",
       .kind = OPTION_INT, &o->layers, 0, 64},
      {"compare", NULL, "compare the plans of the ranks of mpirun with those made alone",
       .kind = OPTION_FLAG, &o->compare},

      {.help = "Output", .kind = OPTION_GROUP},
      {"csv", "FILE", "the table as comma separated values", .kind = OPTION_TEXT, &o->csv},

      OPTIONS_HELP_ROWS};
  command_line c = {.program = "hymg-plans",
                    .usage = usage,
                    .example = "hymg-plans --ranks 4096 --rank 17 --operator fv2",
                    .notes = notes,
                    .rows = table,
                    .count = sizeof table / sizeof *table,
                    .silent = start_rank() > 0};
  *o = (options){.counts = {8, 64, 512, 4096, 32768, 100000},
                 .num_counts = 6,
                 .rank = -1,
                 .side = 16,
                 .stencil = {true, true}};
  if (!options_read(&c, argc, argv, code)) return false;
  *code = EXIT_BAD_INPUT;
  for (int m = 0; m < o->num_counts; m++)
    if (o->rank >= o->counts[m])
      return options_refuse(&c, "--rank %d: ranks are 0 to %d", o->rank, o->counts[m] - 1);
  if (!o->compare && start_ranks() > 1)
    return options_refuse(&c, "on %d ranks: without --compare one is enough", start_ranks());
  return true;
}

static int run_all(int argc, char **argv)
{
  options given, *const o = &given;
  int code;
  if (!parse(argc, argv, o, &code)) return code;
  const run_info info = {"hymg-plans", argc, argv, .ranks = start_ranks()};
  csv_table csv = {.run = &info,
                   .name = o->csv,
                   .columns = "operator,side,ranks,rank,levels,levels_held,most_peers,seconds,"
                              "plan_bytes,peak_bytes,member_list_bytes"};
  if (start_rank() == 0 && !output_check("hymg-plans", "--csv", o->csv))
    start_abort(EXIT_BAD_INPUT);
  bool same = true;
  for (int s = HYMG_FV2; s <= HYMG_FV4 && o->compare; s++)
    if (o->stencil[s]) same = compare(o, (hymg_stencil)s) && same;
  if (!o->compare) print_table(o, &csv);
  if (!rows_close(&csv, true)) return EXIT_AT_RUN_TIME;
  return same ? 0 : EXIT_WRONG;
}

int main(int argc, char **argv)
{
  return start_program("hymg-plans", argc, argv, run_all);
}
