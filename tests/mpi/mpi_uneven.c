/* Uneven ranks: one merged box on some, separate boxes or none on others, on levels large enough
 * for autotuning; schedules that rank 0's tuning file has; and a solve on a coarse level that an error on one rank
 * stops. */
#define _XOPEN_SOURCE 700
#include "api/solver.h"
#include "support/mpi.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int n[3] = {32, 32, 32};

/* Boxes 0 and 7 (no brick) to rank 0, the rest dealt out. */
static int corners(const int box[3], void *user)
{
  const int place = box[0] + 2 * box[1] + 4 * box[2], ranks = *(const int *)user;
  return place == 7 ? 0 : place % ranks;
}

static double *answer(hymg_context *context, const support_case *c, const support_layout *layout,
                      hymg_method method)
{
  support_layout l = *layout;
  l.context = context;
  l.threads = 1;
  hymg_options options = hymg_options_default();
  options.method = method;
  options.tuning = HYMG_TUNE_MEASURE;
  options.path = HYMG_PATH_STANDARD;
  support_kit kit = support_open(&c->spec, &l, &options);
  double *values = support_random((size_t)(32 * 32 * 32), -1, 1, 9);
  hymg_field *f = support_field(&kit, 0, values), *u = support_field(&kit, 0, values);
  hymg_result result;
  OK(kit.context, hymg_solve(kit.solver, f, u, &result));
  double *got = support_read(&kit, 0, u);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  support_close(&kit);
  free(values);
  return got;
}

static void compare_with_alone(const support_case *c, support_layout layout, hymg_method method)
{
  const support_layout alone = {.boxes = {1, 1, 1}};
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  double *got = answer(context, c, &layout, method);
  double *want = answer(NULL, c, &alone, method);
  size_t wrong = 0;
  for (size_t m = 0; m < (size_t)(32 * 32 * 32); m++)
    wrong += got[m] == got[m] && got[m] != want[m];
  support_all_agree(wrong ? "cells differ" : NULL, c->name);
  free(got);
  free(want);
  hymg_context_destroy(&context);
}

START_TEST(unlike_shares_give_the_same_bits)
{
  const hymg_stencil stencil = _i % 2 ? HYMG_FV4 : HYMG_FV2;
  int ranks = support_ranks(MPI_COMM_WORLD);
  support_case c = support_case_of(stencil, n, "dd dd dd", 0);
  support_layout layout = {.boxes = {2, 2, 2}};
  if (_i / 2) layout.owner = corners, layout.owner_user = &ranks;
  compare_with_alone(&c, layout, HYMG_FMG);
  support_case_free(&c);
}
END_TEST

/* The levels that this rank measures, of which each rank has 32^3 cells; the reason why nothing was kept. */
static int measured(hymg_context *context, const support_case *c, const char *file, char note[256])
{
  const int ranks = support_ranks(MPI_COMM_WORLD);
  const support_layout layout = {.context = context, .threads = 1, .boxes = {1, 1, ranks}};
  hymg_options options = hymg_options_default();
  hymg_tuning_info info;
  options.path = HYMG_PATH_STANDARD, options.tuning = HYMG_TUNE_MEASURE, options.tuning_file = file;
  support_kit kit = support_open(&c->spec, &layout, &options);
  OK(kit.context, hymg_solver_tuning(kit.solver, &info));
  const int levels = kit.solver->levels_measured;
  memcpy(note, info.note, sizeof info.note);
  support_close(&kit);
  return levels;
}

/* Rank 0 alone names the file. The ranks between two others leave out more cells, so that they may measure again. */
START_TEST(schedules_of_rank_0_are_every_ranks)
{
  const int ranks = support_ranks(MPI_COMM_WORLD), rank = support_rank(MPI_COMM_WORLD);
  support_case c = support_case_of(HYMG_FV4, (const int[3]){32, 32, 32 * ranks}, "dd dd dd", 0);
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  char folder[] = "/tmp/hymg-test-XXXXXX", file[64] = "", note[256];
  if (rank == 0 && mkdtemp(folder)) snprintf(file, sizeof file, "%s/tuning", folder);
  const int first = measured(context, &c, rank == 0 ? file : NULL, note);
  const bool noted = *note;
  const int again = measured(context, &c, rank == 0 ? file : NULL, note);
  const bool between = rank > 0 && rank < ranks - 1;
  const int unkept = measured(context, &c, rank == 0 ? "/none/tuning" : NULL, note);
  support_all_agree(first != 1                      ? "nothing is measured"
                    : again != 0 && !between        ? "what is known is measured again"
                    : unkept != 1                   ? "what is not known is not measured"
                    : noted                         ? "there is a note"
                    : !strstr(note, "/none/tuning") ? "there is no note"
                                                    : NULL,
                    c.name);
  if (rank == 0) unlink(file), rmdir(folder);
  hymg_context_destroy(&context);
  support_case_free(&c);
}
END_TEST

/* The diagonal is spread, so that the change of u decides, of which a rank without cells sees nothing. */
START_TEST(ranks_without_cells_end_with_the_others)
{
  support_case c = support_case_of(HYMG_FV2, n, "dd dd dd", 1);
  for (int m = 0; m < 32 * 32 * 32; m += 7)
    c.alpha[m] *= 1e8;
  compare_with_alone(&c, (support_layout){.boxes = {1, 1, 1}}, HYMG_MG);
  support_case_free(&c);
}
END_TEST

START_TEST(a_refused_solve_on_a_level_leaves_no_trace)
{
  support_case c = support_case_of(HYMG_FV2, n, "dd dd dd", 0);
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  hymg_options options = hymg_options_default();
  support_kit kit =
      support_open(&c.spec, &(support_layout){.context = context, .boxes = {2, 2, 2}}, &options);
  const bool last = support_rank(MPI_COMM_WORLD) == support_ranks(MPI_COMM_WORLD) - 1;
  hymg_field *f = NULL, *u = NULL, *f0 = NULL, *u0 = NULL;
  hymg_result r;
  OK(context, hymg_field_create_on_level(kit.solver, 1, &f));
  OK(context, hymg_field_create_on_level(kit.solver, 1, &u));
  const hymg_status got = hymg_solve_on_level(kit.solver, 1, f, last ? f : u, &r);
  support_all_agree(got == HYMG_EINVAL ? NULL : hymg_status_name(got), "refused on all");
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  OK(context, hymg_field_create(kit.grid, kit.solver, HYMG_CELL, HYMG_DOUBLE, &f0));
  OK(context, hymg_field_create(kit.grid, kit.solver, HYMG_CELL, HYMG_DOUBLE, &u0));
  OK(context, hymg_field_fill(f0, 1.0));
  OK(context, hymg_solve(kit.solver, f0, u0, &r));
  support_all_agree(r.residual_relative < 0.1 ? NULL : "a bad residual", "the next solve");
  hymg_field_destroy(&f0);
  hymg_field_destroy(&u0);
  support_close(&kit);
  support_case_free(&c);
  hymg_context_destroy(&context);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("uneven");
  TCase *t = tcase_create("uneven");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, unlike_shares_give_the_same_bits, 0, 4);
  tcase_add_test(t, schedules_of_rank_0_are_every_ranks);
  tcase_add_test(t, ranks_without_cells_end_with_the_others);
  tcase_add_test(t, a_refused_solve_on_a_level_leaves_no_trace);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
