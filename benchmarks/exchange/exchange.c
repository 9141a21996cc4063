/* hymg-exchange: what the exchange with other ranks adds to a sweep, and how much of it is hidden
 * behind the cells that do not depend on it: a smoother call with n^3 cells on each rank, the same
 * without neighbours, and its exchanges alone. Exit status: 0; 2 bad input; 3 failure at run time.
 * */
#include "api/solver.h"
#include "common/kit/options.h"
#include "common/kit/rows.h"
#include "common/kit/timing.h"
#include "common/start.h"
#include "kernel_table.h"
#include "multigrid/level_ops.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SIZES = 16, MOST_WITHOUT = 16, FIRST_KEY = 1024 };

static const double batch_seconds = 4e-3;

typedef struct options {
  int sizes[MOST_SIZES], num_sizes;
  bool stencil[2], apart, together, levels;
  const char *without[MOST_WITHOUT]; /* forms of the GPU's kernels that are left out */
  int num_without;
  hymg_smoother smoother;
  hymg_backend backend;
  hymg_transport transport[5];
  int transports;
  const char *csv;
} options;

/* ---- one level on one context ---- */

typedef struct bench {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *x, *f;
  hymgi_level *level;
  int from; /* first level of a cycle */
  int keys; /* of recordings so far */
} bench;

/* No rank can continue alone. */
static void require(const bench *b, hymg_status status)
{
  start_require("hymg-exchange", b->context, status);
}

/* Ranks along z first: they are a power of two along y. */
static void share_out(int ranks, int boxes[3])
{
  boxes[0] = 1, boxes[1] = ranks % 4 == 0 ? 2 : 1;
  boxes[2] = ranks / boxes[1];
}

static hymg_status make_operator(bench *b, hymg_stencil stencil)
{
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_field *beta[3] = {NULL, NULL, NULL};
  hymg_status status = HYMG_OK;
  desc.stencil = stencil;
  for (int axis = 0; axis < 3 && status == HYMG_OK; axis++) {
    status = hymg_field_create(b->grid, NULL, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                               &beta[axis]);
    if (status == HYMG_OK) status = hymg_field_fill(beta[axis], 1.25);
    desc.beta[axis] = beta[axis];
  }
  if (status == HYMG_OK) status = hymg_operator_create(b->grid, &desc, &b->op);
  return status; /* the fields are freed with the program: a few per size */
}

/* The exchange between sweeps, then a whole sweep. */
static const char *const exchanging[] = {"fv2_gsrb_peer", "overlap_staged", "overlap"};

static void open_bench(bench *b, const options *o, int n, hymg_stencil stencil,
                       hymg_transport transport, int ranks)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  hymg_options wanted = hymg_options_default();
  int boxes[3], most[3];
  share_out(ranks, boxes);
  share_out(start_ranks(), most);
  for (int axis = 0; axis < 3; axis++) {
    desc.n[axis] = (o->together ? n / most[axis] : n) * boxes[axis];
    desc.boxes[axis] = boxes[axis];
    desc.spacing[axis] = 1.0 / n;
  }
  wanted.smoother = o->smoother;
  wanted.backend = o->backend;
  wanted.transport = transport;
  wanted.host_cells = 0;
  if (!o->levels) wanted.tail_cells = 0; /* no coarse end to choose */
  for (int m = 0; m < (o->apart ? 3 : 0); m++)
    hymgi_kernel_form_from(b->context, exchanging[m], INT64_MAX);
  for (int m = 0; m < o->num_without; m++)
    hymgi_kernel_form_from(b->context, o->without[m], INT64_MAX);
  require(b, hymg_grid_create(b->context, &desc, &b->grid));
  require(b, make_operator(b, stencil));
  require(b, hymg_solver_create(b->op, &wanted, &b->solver));
  require(b, hymg_field_create_on_level(b->solver, 0, &b->x));
  require(b, hymg_field_create_on_level(b->solver, 0, &b->f));
  require(b, hymg_field_fill(b->x, 0.5));
  require(b, hymg_field_fill(b->f, 1));
  b->level = b->solver->h.level;
  b->level->x = b->x->data;
  b->level->f = b->f->data;
}

static void close_bench(bench *b)
{
  hymg_field *beta[3];
  for (int axis = 0; axis < 3; axis++)
    beta[axis] = (hymg_field *)b->op->desc.beta[axis];
  b->level->x = b->level->own_x;
  b->level->f = b->level->own_f;
  hymg_field_destroy(&b->x);
  hymg_field_destroy(&b->f);
  hymg_solver_destroy(&b->solver);
  hymg_operator_destroy(&b->op);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&beta[axis]);
  hymg_grid_destroy(&b->grid);
  hymg_context_destroy(&b->context);
}

/* ---- times ---- */

typedef void (*job)(bench *b);

static void smooth(bench *b)
{
  b->level->backend->smooth(b->level);
}

/* The exchanges of a smoother call. */
static void exchange(bench *b)
{
  const hymgi_level *l = b->level;
  const hymgi_plan *plan = l->halo[l->op->halo];
  for (int s = 0; plan && s < l->method->sweeps; s++)
    hymgi_run_plan(l, plan, l->box, l->x, l->box, l->x);
}

static void cycle(bench *b)
{
  hymgi_cycle(&b->solver->h, HYMG_CYCLE_V, b->from);
}

static double largest(const bench *all, double value)
{
  require(all, hymg_context_max(all->context, &value));
  return value;
}

static double run(bench *b, const bench *all, job work, int key, int calls)
{
  const hymgi_backend *backend = b->level->backend;
  largest(all, 0); /* synchronises the ranks */
  const double start = hymgi_seconds();
  if (backend->begin_cycle) backend->begin_cycle(&b->solver->h, key);
  for (int call = 0; call < calls; call++)
    work(b);
  if (backend->end_cycle) backend->end_cycle(&b->solver->h);
  backend->sync(b->context);
  require(b, b->context->status);
  return largest(all, hymgi_seconds() - start) / calls;
}

/* Median microseconds of a job on the slowest rank. The number of calls is even, so that swapped
 * buffers return to their places and a recording finds them there. */
static double time_of(bench *b, const bench *all, job work)
{
  times timed = {0};
  run(b, all, work, FIRST_KEY + b->keys, 2);
  const double once = run(b, all, work, FIRST_KEY + b->keys, 2);
  const double wanted = batch_seconds / (once > 0 ? once : 1);
  const int calls = wanted < 2 ? 2 : wanted > 100 ? 100 : (int)(wanted / 2) * 2;
  b->keys++;
  run(b, all, work, FIRST_KEY + b->keys, calls);
  while (times_wanted(&timed, 7, 0.1, 25))
    if (!times_add(&timed, calls * run(b, all, work, FIRST_KEY + b->keys, calls), calls))
      require(b, HYMG_ENOMEM);
  b->keys++;
  const double seconds = times_median(&timed);
  times_free(&timed);
  return 1e6 * seconds;
}

/* ---- a row ---- */

/* A context of this rank alone. */
static void open_alone(bench *alone, const options *o, int n, hymg_stencil stencil)
{
  hymg_context_options place = hymg_context_options_default();
  place.device = HYMG_DEVICE_CURRENT; /* the device that the ranks' context chose */
  require(alone, hymg_context_create(&place, &alone->context));
  open_bench(alone, o, n, stencil, HYMG_TRANSPORT_AUTO, 1);
}

static double measure_alone(const options *o, const bench *all, int n, hymg_stencil stencil)
{
  bench alone = {0};
  open_alone(&alone, o, n, stencil);
  const double us = time_of(&alone, all, smooth) / alone.level->method->sweeps;
  close_bench(&alone);
  return us;
}

/* Smaller differences are below the clock's resolution. */
#define LEAST_US 0.5

static void print_row(const options *o, csv_table *csv, const bench *b, int n, hymg_stencil stencil,
                      const double us[3])
{
  const char *const name = stencil == HYMG_FV2 ? "fv2" : "fv4";
  const char *const way = hymg_transport_name(b->solver->h.transport.info.within);
  const double added = us[2] - us[0], hidden = us[1] >= LEAST_US ? 1 - added / us[1] : 0;
  printf("%-4s %4d^3 %-7s %9.2f %9.2f %9.2f %9.2f %7.0f %% %9.3f\n", name, n, way, us[0], us[1],
         us[2], added, 100 * hidden, us[0] / us[2]);
  fflush(stdout);
  rows_add(csv, "%s,%d,%d,%s%s,%.3f,%.3f,%.3f,%.3f,%.3f", name, n, start_ranks(), way,
           o->apart ? " apart" : "", us[0], us[1], us[2], added, hidden);
}

static void run_row(const options *o, csv_table *csv, int n, hymg_stencil stencil)
{
  for (int t = 0; t < o->transports; t++) {
    bench b = {0};
    double us[3];
    require(&b, start_context(NULL, &b.context));
    open_bench(&b, o, n, stencil, o->transport[t], start_ranks());
    us[0] = measure_alone(o, &b, n, stencil);
    us[1] = time_of(&b, &b, exchange) / b.level->method->sweeps;
    us[2] = time_of(&b, &b, smooth) / b.level->method->sweeps;
    if (start_rank() == 0) print_row(o, csv, &b, n, stencil, us);
    close_bench(&b);
  }
}

/* ---- where a cycle's time goes ---- */

/* Times of V-cycles from each level; 0 if there is no such level. */
static void time_levels(bench *b, const bench *all, double us[HYMGI_MAX_LEVELS])
{
  memset(us, 0, HYMGI_MAX_LEVELS * sizeof *us);
  for (b->from = 0; b->from + 1 < b->solver->h.num_levels; b->from++)
    us[b->from] = time_of(b, all, cycle);
}

static void print_level(const char *name, const bench *b, int l, const double *us,
                        const double *alone)
{
  const int *n = b->solver->h.level[l].n;
  const double own = us[l] - us[l + 1], own_alone = alone[l] - alone[l + 1];
  printf("%-4s %5d %5dx%dx%d %5d %10.1f %9.1f %9.1f %9.1f %9.1f\n", name, l, n[0], n[1], n[2],
         b->solver->h.level[l].ranks, us[l], own, alone[l], own_alone, own - own_alone);
}

static void run_levels(const options *o, int n, hymg_stencil stencil)
{
  bench b = {0}, alone = {0};
  double us[HYMGI_MAX_LEVELS], us_alone[HYMGI_MAX_LEVELS];
  require(&b, start_context(NULL, &b.context));
  open_bench(&b, o, n, stencil, o->transport[0], start_ranks());
  open_alone(&alone, o, n, stencil);
  time_levels(&alone, &b, us_alone);
  time_levels(&b, &b, us);
  if (start_rank() == 0)
    printf("%-4s level  cells       ranks    V-cycle   of level     alone  of level     added\n",
           "");
  for (int l = 0; start_rank() == 0 && us[l] > 0; l++)
    print_level(stencil == HYMG_FV2 ? "fv2" : "fv4", &b, l, us, us_alone);
  close_bench(&alone);
  close_bench(&b);
}

/* ---- the command line ---- */

static const char usage[] =
    "usage: mpirun -n RANKS hymg-exchange [options]\n"
    "\n"
    "Microseconds of a sweep (of gsrb: a half sweep) with N^3 cells on each rank, cut\n"
    "along z and then y: without neighbours, the exchange alone, and both; what was\n"
    "added, and how much of the exchange was hidden.\n";

static const char notes[] = "Exit status: 0 done; 2 bad input; 3 failure at run time.\n";

static bool read_sizes(const command_line *c, const char *option, const char *text, void *target)
{
  static const int range[2] = {8, 1024};
  static const char wanted[] = "up to 16 even numbers from 8 to 1024";
  options *const o = target;
  command_line silent = *c; /* one message for all possible errors */
  silent.silent = true;
  o->num_sizes = options_ints(&silent, option, text, ',', wanted, MOST_SIZES, range, o->sizes);
  bool even = o->num_sizes > 0;
  for (int i = 0; i < o->num_sizes; i++)
    even = even && o->sizes[i] % 2 == 0;
  return even || options_unwanted(c, option, text, wanted);
}

static bool read_without(const command_line *c, const char *option, const char *text, void *target)
{
  options *const o = target;
  bool known = false;
  for (int f = 0; hymgi_kernel_form_name(f) && !known; f++)
    known = strcmp(text, hymgi_kernel_form_name(f)) == 0;
  if (!known || o->num_without == MOST_WITHOUT)
    return options_unwanted(c, option, text,
                            "a form of the GPU's kernels; hymg-kernels --list shows them");
  o->without[o->num_without++] = text;
  return true;
}

static bool read_comm(const command_line *c, const char *option, const char *text, void *target)
{
  options *const o = target;
  o->transports = 0;
  for (const char *at = text; at && o->transports < 5; at = strchr(at, ',')) {
    char word[8] = "";
    int t = HYMG_TRANSPORT_AUTO;
    at += *at == ',';
    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
    while (t <= HYMG_TRANSPORT_NCCL && strcmp(word, hymg_transport_name((hymg_transport)t)) != 0)
      t++;
    if (t > HYMG_TRANSPORT_NCCL) break;
    o->transport[o->transports++] = (hymg_transport)t;
    if (!strchr(at, ',')) return true;
  }
  return options_unwanted(c, option, text, "of auto, device, staged, peer and nccl");
}

/* Sides of the whole grid, divisible by 2 on each rank. */
static bool can_share(const command_line *c, const options *o)
{
  int boxes[3];
  share_out(start_ranks(), boxes);
  for (int i = 0; i < o->num_sizes; i++)
    for (int axis = 0; axis < 3; axis++)
      if (o->sizes[i] % (2 * boxes[axis]) != 0)
        return options_refuse(c, "--size '%d': must be multiples of %d with --together on %d ranks",
                              o->sizes[i], 2 * boxes[axis], start_ranks());
  return true;
}

static bool parse(int argc, char **argv, options *o, int *code)
{
  static const char *const smoothers[] = {"gsrb", "chebyshev", "jacobi", NULL};
  static const char *const backends[] = {"auto", "host", "cuda", NULL};
  *o = (options){.sizes = {32, 64, 128, 256},
                 .num_sizes = 4,
                 .stencil = {true, true},
                 .smoother = HYMG_GSRB,
                 .backend = HYMG_BACKEND_AUTO,
                 .transport = {HYMG_TRANSPORT_AUTO},
                 .transports = 1};
  const option_row table[] = {
      {.help = "What is measured", .kind = OPTION_GROUP},
      {"size", "N[,N...]", "cells per side and rank, even", .kind = OPTION_CUSTOM, o,
       .read = read_sizes, .otherwise = "32,64,128,256"},
      {"together", NULL, "N^3 cells on all ranks together, not on each", .kind = OPTION_FLAG,
       &o->together},
      {"operator", "fv2|fv4", "this one alone", .kind = OPTION_CUSTOM, o->stencil,
       .read = options_read_stencil, .otherwise = "both"},
      {"smoother", NULL, "", .kind = OPTION_WORD, &o->smoother, .words = smoothers},
      {"backend", NULL, "the CPU or a GPU", .kind = OPTION_WORD, &o->backend, .words = backends},
      {"comm", "auto|device|staged|peer|nccl[,...]", "transports", .kind = OPTION_CUSTOM, o,
       .read = read_comm, .otherwise = "auto"},
      {"levels", NULL,
       "instead: V-cycles from each level of the last size, and what each level takes of them",
       .kind = OPTION_FLAG, &o->levels},
      {"apart", NULL, "exchange between all sweeps, by kernels of their own, and hide nothing",
       .kind = OPTION_FLAG, &o->apart},
      {"without", "FORM",
       "leave out this form of the GPU's kernels (hymg-kernels --list); again for others",
       .kind = OPTION_CUSTOM, o, .read = read_without},

      {.help = "Output", .kind = OPTION_GROUP},
      {"csv", "FILE", "the table as comma separated values", .kind = OPTION_TEXT, &o->csv},

      OPTIONS_HELP_ROWS};
  command_line c = {.program = "hymg-exchange",
                    .usage = usage,
                    .example = "mpirun -n 2 hymg-exchange --size 64,128 --operator fv4",
                    .notes = notes,
                    .rows = table,
                    .count = sizeof table / sizeof *table,
                    .silent = start_rank() > 0};
  if (!options_read(&c, argc, argv, code)) return false;
  *code = EXIT_BAD_INPUT;
  if (o->levels && o->transports > 1)
    return options_refuse(&c, "--comm: one transport at a time with --levels");
  return (!o->together || can_share(&c, o)) &&
         (!o->levels || !o->csv ||
          options_unwanted(&c, "--csv", o->csv, "without --levels, which has no rows"));
}

/* ---- the program ---- */

/* The exit status. */
static int run_all(int argc, char **argv)
{
  options given, *const o = &given;
  int code;
  if (!parse(argc, argv, o, &code)) return code;
  const run_info info = {"hymg-exchange", argc, argv, .ranks = start_ranks()};
  csv_table csv = {
      .run = &info,
      .name = o->csv,
      .columns = "operator,side,ranks,transport,alone_us,exchange_us,both_us,added_us,hidden"};
  if (start_rank() == 0 && !output_check("hymg-exchange", "--csv", o->csv))
    start_abort(EXIT_BAD_INPUT);
  if (o->levels) {
    for (int s = HYMG_FV2; s <= HYMG_FV4; s++)
      if (o->stencil[s]) run_levels(o, o->sizes[o->num_sizes - 1], (hymg_stencil)s);
    return 0;
  }
  if (start_rank() == 0)
    printf("microseconds of a sweep on each of %d ranks%s\n%-4s %6s %-7s %9s %9s %9s %9s %9s %9s\n",
           start_ranks(), o->together ? ", so many cells together" : "", "", "cells", "", "alone",
           "exchange", "both", "added", "hidden", "efficiency");
  for (int s = HYMG_FV2; s <= HYMG_FV4; s++)
    for (int i = 0; o->stencil[s] && i < o->num_sizes; i++)
      run_row(o, &csv, o->sizes[i], (hymg_stencil)s);
  return rows_close(&csv, true) ? 0 : EXIT_AT_RUN_TIME;
}

int main(int argc, char **argv)
{
  return start_program("hymg-exchange", argc, argv, run_all);
}
