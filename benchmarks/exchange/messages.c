/* hymg-messages: one F-cycle of the fv problem on the available ranks; messages and bytes per level
 * on rank 0 and over all ranks, next to the model; and the solution compared bit for bit with the
 * one that rank 0 computes alone. Exit status: 0 all agree; 1 they do not; 2 bad input; 3 failure
 * at run time. */
#include "exchange/messages.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/kit/options.h"
#include "common/kit/rows.h"
#include "common/problem_fields.h"
#include "common/start.h"

enum { MAX_LEVELS = 32, SWEEPS = 6 };

typedef struct options {
  int n, boxes[3];
  bool stencil[2], no_check;
  hymg_transport transport;
  int layers, gather_cells;
  hymg_gather gather;
  const char *csv;
} options;

typedef struct run {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *f, *u;
} run;

/* Results that must not depend on the number of ranks. */
typedef struct answer {
  double residual, max, rms, seconds;
} answer;

/* ---- one problem on one context ---- */

static const problem fv_problem = {.kind = PROBLEM_FV, .variable = true, .a = 0, .b = 1};

static hymg_status write_field(const run *r, int n, problem_part part, int axis, hymg_field *field)
{
  const double spacing[3] = {1.0 / n, 1.0 / n, 1.0 / n};
  return problem_write_local(&fv_problem, part, axis, spacing, r->grid, field);
}

static hymg_status make_solver(run *r, const options *o, hymg_stencil stencil)
{
  const int n = o->n;
  hymg_options wanted = hymg_options_default();
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_field *beta[3] = {NULL, NULL, NULL};
  hymg_status status = HYMG_OK;
  desc.stencil = stencil;
  if (hymg_context_ranks(r->context) > 1) wanted.transport = o->transport;
  wanted.halo_layers = o->layers;
  wanted.gather = o->gather, wanted.gather_cells = o->gather_cells;
  for (int axis = 0; axis < 3 && status == HYMG_OK; axis++) {
    status = hymg_field_create(r->grid, NULL, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                               &beta[axis]);
    if (status == HYMG_OK) status = write_field(r, n, PROBLEM_BETA, axis, beta[axis]);
    desc.beta[axis] = beta[axis];
  }
  if (status == HYMG_OK) status = hymg_operator_create(r->grid, &desc, &r->op);
  if (status == HYMG_OK) status = hymg_solver_create(r->op, &wanted, &r->solver);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&beta[axis]);
  return status;
}

static hymg_status set_up(run *r, const options *o, const int boxes[3], hymg_stencil stencil)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  for (int axis = 0; axis < 3; axis++) {
    desc.n[axis] = o->n;
    desc.spacing[axis] = 1.0 / o->n;
    desc.boxes[axis] = boxes[axis];
  }
  hymg_status status = hymg_grid_create(r->context, &desc, &r->grid);
  if (status == HYMG_OK) status = make_solver(r, o, stencil);
  if (status == HYMG_OK) status = hymg_field_create_on_level(r->solver, 0, &r->f);
  if (status == HYMG_OK) status = hymg_field_create_on_level(r->solver, 0, &r->u);
  if (status == HYMG_OK) status = write_field(r, o->n, PROBLEM_RHS, 0, r->f);
  return status;
}

static hymg_status solve(run *r, answer *a)
{
  hymg_result result;
  hymg_solver_profile(r->solver, true);
  hymg_status status = hymg_solve(r->solver, r->f, r->u, &result);
  hymg_solver_profile(r->solver, false);
  if (status != HYMG_OK) return status;
  a->residual = result.history[0].residual_relative;
  a->seconds = result.seconds;
  status = hymg_field_max(r->u, &a->max);
  return status == HYMG_OK ? hymg_field_rms(r->u, &a->rms) : status;
}

static void tear_down(run *r)
{
  hymg_field_destroy(&r->f);
  hymg_field_destroy(&r->u);
  hymg_solver_destroy(&r->solver);
  hymg_operator_destroy(&r->op);
  hymg_grid_destroy(&r->grid);
}

/* No rank can continue alone. */
static void require(const run *r, hymg_status status)
{
  start_require("hymg-messages", r->context, status);
}

/* ---- counts ---- */

/* Into sums, on rank 0: the numbers are counts, so that their order does not matter. */
static void add_ranks(const double *own, int count, double *sums)
{
  const int ranks = start_rank() == 0 ? start_ranks() : 0;
  double *all = malloc(((size_t)ranks * (size_t)count + 1) * sizeof *all);
  if (!all || !start_gather(own, count * (int)sizeof *own, all)) {
    fputs("hymg-messages: the counts could not be gathered\n", stderr);
    start_abort(EXIT_AT_RUN_TIME);
  }
  for (int i = 0; i < ranks * count; i++)
    sums[i % count] += all[i];
  free(all);
}

/* `all` on rank 0 alone. */
static void count_messages(run *r, messages_count sent[MAX_LEVELS])
{
  double own[2 * MAX_LEVELS] = {0}, sums[2 * MAX_LEVELS] = {0};
  hymg_profile_row row;
  for (int i = 0; i < hymg_solver_profile_rows(r->solver); i++) {
    require(r, hymg_solver_profile_row(r->solver, i, &row));
    own[2 * row.level] += (double)row.messages;
    own[2 * row.level + 1] += row.message_bytes;
  }
  add_ranks(own, 2 * MAX_LEVELS, sums);
  for (int l = 0; l < hymg_solver_num_levels(r->solver); l++)
    sent[l] = (messages_count){own[2 * l], own[2 * l + 1], sums[2 * l], sums[2 * l + 1]};
}

static bool agree(const messages_count *a, const messages_count *b)
{
  return a->first == b->first && a->first_bytes == b->first_bytes && a->all == b->all &&
         a->all_bytes == b->all_bytes;
}

/* ---- output, on rank 0 ---- */

static void print_level(const hymg_level_info *level, int l, const messages_count *c,
                        const messages_count *m, bool known)
{
  const double sent[4] = {c->first, 1e-6 * c->first_bytes, c->all, 1e-6 * c->all_bytes};
  const double model[4] = {m->first, 1e-6 * m->first_bytes, m->all, 1e-6 * m->all_bytes};
  printf("%5d %5d^3 %5lld %5d", l, level->cells[0], (long long)level->boxes, level->ranks);
  for (int i = 0; i < 4; i++) {
    char text[32] = "-";
    if (known) snprintf(text, sizeof text, "%.*f", i % 2 ? 6 : 0, model[i]);
    printf(" |%11.*f %11s", i % 2 ? 6 : 0, sent[i], text);
  }
  printf(" | %s\n", !known ? "no model" : agree(c, m) ? "yes" : "NO");
}

/* The model's fields stay empty where it does not apply. */
static void write_level(csv_table *csv, const char *place, const messages_count *c,
                        const messages_count *m, bool known)
{
  const double model[4] = {m->first, m->first_bytes, m->all, m->all_bytes};
  char text[4][24] = {"", "", "", ""};
  for (int i = 0; i < 4 && known; i++)
    snprintf(text[i], sizeof text[i], "%.0f", model[i]);
  rows_add(csv, "%s,%.0f,%s,%.0f,%s,%.0f,%s,%.0f,%s", place, c->first, text[0], c->first_bytes,
           text[1], c->all, text[2], c->all_bytes, text[3]);
}

static bool print_table(run *r, const options *o, hymg_stencil stencil,
                        const messages_count sent[MAX_LEVELS], csv_table *csv)
{
  const int num = hymg_solver_num_levels(r->solver);
  hymg_level_info levels[MAX_LEVELS];
  bool right = true;
  for (int l = 0; l < num; l++)
    require(r, hymg_solver_level(r->solver, l, levels + l));
  printf("%d^3, %s, one F-cycle on %d ranks of %d threads; messages sent, MB\n", o->n,
         stencil == HYMG_FV2 ? "fv2" : "fv4", hymg_context_ranks(r->context),
         hymg_context_threads(r->context));
  printf("%5s %7s %5s %5s |%11s %11s |%11s %11s |%11s %11s |%11s %11s | %s\n", "level", "cells",
         "boxes", "ranks", "rank 0", "model", "MB", "model", "all ranks", "model", "MB", "model",
         "agree");
  for (int l = 0; l < num; l++) {
    messages_count model;
    const bool known = messages_model(levels, num, l, SWEEPS, stencil == HYMG_FV2 ? 1 : 2, &model);
    print_level(levels + l, l, sent + l, &model, known);
    right = right && (!known || agree(sent + l, &model));
    char place[64];
    snprintf(place, sizeof place, "%s,%d,%d,%d,%d", stencil == HYMG_FV2 ? "fv2" : "fv4", o->n, l,
             levels[l].cells[0], levels[l].ranks);
    write_level(csv, place, sent + l, &model, known);
  }
  return right;
}

/* ---- against one rank ---- */

static double *read_brick(const run *r, hymg_field *u, int *low, int *count)
{
  hymg_grid_local(r->grid, 0, low, count);
  const ptrdiff_t stride[3] = {1, count[0], (ptrdiff_t)count[0] * count[1]};
  double *data = malloc((size_t)stride[2] * (size_t)count[2] * sizeof *data);
  if (!data) require(r, HYMG_ENOMEM);
  require(r, hymg_field_read(u, low, count, stride, data, HYMG_HOST));
  return data;
}

/* Rank 0 alone; the others wait at their next collective call. */
static bool check_answer(const run *r, const options *o, hymg_stencil stencil, const answer *found)
{
  static const int one[3] = {1, 1, 1};
  run alone = {0};
  answer expected;
  int low[3], count[3];
  require(&alone, hymg_context_create(NULL, &alone.context));
  require(&alone, set_up(&alone, o, one, stencil));
  require(&alone, solve(&alone, &expected));
  double *mine = read_brick(r, r->u, low, count);
  const ptrdiff_t stride[3] = {1, count[0], (ptrdiff_t)count[0] * count[1]};
  const size_t bytes = (size_t)stride[2] * (size_t)count[2] * sizeof *mine;
  double *theirs = malloc(bytes);
  if (!theirs) require(&alone, HYMG_ENOMEM);
  require(&alone, hymg_field_read(alone.u, low, count, stride, theirs, HYMG_HOST));
  const bool same = expected.residual == found->residual && expected.max == found->max &&
                    expected.rms == found->rms && memcmp(mine, theirs, bytes) == 0;
  printf("max|r|/max|f| %.17g, max|u| %.17g, rms u %.17g\n", found->residual, found->max,
         found->rms);
  printf("one rank:     %.17g,        %.17g,       %.17g: %s\n", expected.residual, expected.max,
         expected.rms, same ? "the same bits, also of rank 0's first brick" : "NOT THE SAME");
  free(mine);
  free(theirs);
  tear_down(&alone);
  hymg_context_destroy(&alone.context);
  return same;
}

/* ---- the command line ---- */

static const char usage[] =
    "usage: mpirun -n RANKS hymg-messages [options]\n"
    "\n"
    "Counts the messages and bytes of one F-cycle per level, on rank 0 and over all\n"
    "ranks, beside a model of them, and compares the solution bit for bit with the\n"
    "one that rank 0 computes alone.\n";

static const char notes[] =
    "Exit status: 0 counts and solutions agree; 1 they do not; 2 bad input;\n"
    "3 failure at run time.\n";

/* ---- the program ---- */

static bool run_operator(hymg_context *context, const options *o, hymg_stencil stencil,
                         csv_table *csv)
{
  run r = {.context = context};
  answer found;
  messages_count sent[MAX_LEVELS];
  double wrong = 0;
  require(&r, set_up(&r, o, o->boxes, stencil));
  require(&r, solve(&r, &found));
  count_messages(&r, sent);
  if (hymg_context_rank(context) == 0) {
    wrong = !print_table(&r, o, stencil, sent, csv);
    printf("F-cycle %.4f s\n", found.seconds);
    if (!o->no_check && !check_answer(&r, o, stencil, &found)) wrong = 1;
    putchar('\n');
    fflush(stdout);
  }
  require(&r, hymg_context_max(context, &wrong));
  tear_down(&r);
  return wrong == 0;
}

static bool read_size(const command_line *c, const char *option, const char *text, void *target)
{
  int *const n = target;
  return options_int(c, option, text, 16, 2048, n) &&
         (*n % 2 == 0 || options_unwanted(c, option, text, "an even number from 16 to 2048"));
}

static bool read_boxes(const command_line *c, const char *option, const char *text, void *target)
{
  static const int range[2] = {1, 2048};
  static const char wanted[] = "three numbers NX,NY,NZ of at least 1";
  const int count = options_ints(c, option, text, ',', wanted, 3, range, target);
  return count == 3 || (count > 0 && options_unwanted(c, option, text, wanted));
}

/* Every rank sees the same command line. */
static bool parse(int argc, char **argv, options *o, int *code)
{
  static const char *const transports[] = {"auto", "device", "staged", "peer", "nccl", NULL};
  static const char *const who[] = {"auto", "root", "all", NULL};
  const option_row table[] = {
      {.help = "What is solved", .kind = OPTION_GROUP},
      {"size", "N", "cells per side, even, 16 ... 2048", .kind = OPTION_CUSTOM, &o->n,
       .read = read_size, .otherwise = "256"},
      {"boxes", "NX,NY,NZ", "boxes per axis", .kind = OPTION_CUSTOM, o->boxes, .read = read_boxes,
       .otherwise = "one per rank or the nearest count that divides"},
      {"operator", "fv2|fv4", "this one alone", .kind = OPTION_CUSTOM, o->stencil,
       .read = options_read_stencil, .otherwise = "both"},
      {"comm", NULL, "transport between GPUs", .kind = OPTION_WORD, &o->transport,
       .words = transports},
      {"halo-layers", "N",
       "layers of neighbours' cells that ranks compute as well; -1: where that saves time",
       .kind = OPTION_INT, &o->layers, -1, 64},
      {"gather", NULL, "who holds a level of one box", .kind = OPTION_WORD, &o->gather,
       .words = who},
      {"gather-cells", "N", "levels of fewer cells are one box; -1: as fits", .kind = OPTION_INT,
       &o->gather_cells, -1, INT_MAX},
      {"no-check", NULL, "do not solve the problem on rank 0 alone as well", .kind = OPTION_FLAG,
       &o->no_check},

      {.help = "Output", .kind = OPTION_GROUP},
      {"csv", "FILE", "the table as comma separated values", .kind = OPTION_TEXT, &o->csv},

      OPTIONS_HELP_ROWS};
  command_line c = {.program = "hymg-messages",
                    .usage = usage,
                    .example = "mpirun -n 8 hymg-messages --size 128 --operator fv2",
                    .notes = notes,
                    .rows = table,
                    .count = sizeof table / sizeof *table,
                    .silent = start_rank() > 0};
  *o = (options){.n = 256, .stencil = {true, true}, .layers = -1, .gather_cells = -1};
  return options_read(&c, argc, argv, code);
}

/* The exit status, the same on all ranks. */
static int run_all(int argc, char **argv)
{
  options given, *const o = &given;
  int code;
  if (!parse(argc, argv, o, &code)) return code;
  const run_info info = {"hymg-messages", argc, argv, .ranks = start_ranks()};
  csv_table csv = {.run = &info,
                   .name = o->csv,
                   .columns = "operator,n,level,cells,ranks,messages_first,model,bytes_first,"
                              "model,messages_all,model,bytes_all,model"};
  run r = {0};
  double worst = 0;
  if (start_rank() == 0 && !output_check("hymg-messages", "--csv", o->csv))
    start_abort(EXIT_BAD_INPUT);
  require(&r, start_context(NULL, &r.context));
  for (int s = HYMG_FV2; s <= HYMG_FV4; s++)
    if (o->stencil[s] && !run_operator(r.context, o, (hymg_stencil)s, &csv)) worst = EXIT_WRONG;
  if (!rows_close(&csv, true)) worst = EXIT_AT_RUN_TIME;
  require(&r, hymg_context_max(r.context, &worst));
  hymg_context_destroy(&r.context);
  return (int)worst;
}

int main(int argc, char **argv)
{
  return start_program("hymg-messages", argc, argv, run_all);
}
