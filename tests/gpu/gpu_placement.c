/* Which levels run on the GPU, in one launch there, or on the host: according to the options, to
 * measurement, or to the tuning file. */
#define _XOPEN_SOURCE 700
#include "api/solver.h"
#include "kernel_table.h"
#include "support/gpu.h"
#include "support/twin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct cube {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
} cube;

/* context: taken over */
static cube open_cube_on(hymg_context *context, hymg_stencil stencil, int n,
                         const hymg_options *options)
{
  cube c = {.context = context};
  hymg_grid_desc g = hymg_grid_desc_default();
  hymg_operator_desc desc = hymg_operator_desc_default();
  g.n[0] = g.n[1] = g.n[2] = n;
  desc.stencil = stencil;
  OK(c.context, hymg_grid_create(c.context, &g, &c.grid));
  OK(c.context, hymg_operator_create(c.grid, &desc, &c.op));
  OK(c.context, hymg_solver_create(c.op, options, &c.solver));
  return c;
}

static cube open_cube(hymg_stencil stencil, int n, const hymg_options *options)
{
  hymg_context *context = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
  return open_cube_on(context, stencil, n, options);
}

static void close_cube(cube *c)
{
  hymg_solver_destroy(&c->solver);
  hymg_operator_destroy(&c->op);
  hymg_grid_destroy(&c->grid);
  hymg_context_destroy(&c->context);
}

static hymg_options options_of(int64_t host_cells, int64_t tail_cells)
{
  hymg_options o = hymg_options_default();
  o.backend = HYMG_BACKEND_CUDA;
  o.host_cells = host_cells;
  o.tail_cells = tail_cells;
  return o;
}

static void assert_placed(const cube *c, int tail_from, int host_from, hymg_tuning_source source)
{
  hymg_tuning_info info;
  OK(c->context, hymg_solver_tuning(c->solver, &info));
  ck_assert_int_eq(info.tail_from, tail_from);
  ck_assert_int_eq(info.host_from, host_from);
  ck_assert_str_eq(hymg_tuning_source_name(info.source), hymg_tuning_source_name(source));
  ck_assert_str_eq(info.note, "");
  for (int l = 0; l < hymg_solver_num_levels(c->solver); l++) {
    hymg_level_info level;
    OK(c->context, hymg_solver_level(c->solver, l, &level));
    ck_assert_int_eq(level.backend, l < host_from ? HYMG_BACKEND_CUDA : HYMG_BACKEND_HOST);
  }
}

/* Levels of 32^3, 16^3, 8^3, 4^3, 2^3, 1 cells. */
START_TEST(thresholds_put_levels_where_they_say)
{
  static const struct {
    int64_t host_cells, tail_cells;
    int tail_from, host_from;
  } want[] = {{0, 0, 6, 6},   {1, 0, 6, 6},    {2, 0, 5, 5},     {64, 0, 4, 4},
              {65, 0, 3, 3},  {4097, 0, 1, 1}, {32768, 0, 1, 1}, {32769, 0, 0, 0},
              {0, 513, 2, 6}, {0, 512, 3, 6},  {65, 513, 3, 3},  {INT64_MAX, 513, 0, 0}};
  const hymg_options o = options_of(want[_i].host_cells, want[_i].tail_cells);
  cube c = open_cube(HYMG_FV2, 32, &o);
  assert_placed(&c, want[_i].tail_from, want[_i].host_from, HYMG_TUNING_OPTIONS);
  close_cube(&c);
}
END_TEST

START_TEST(a_small_grid_is_estimated)
{
  hymg_options o = options_of(-1, -1);
  cube c = open_cube(_i ? HYMG_FV4 : HYMG_FV2, 32, &o);
  assert_placed(&c, 2, _i ? 5 : 6, HYMG_TUNING_ESTIMATE);
  close_cube(&c);
  o.host_cells = 65;
  c = open_cube(HYMG_FV2, 32, &o);
  assert_placed(&c, 3, 3, HYMG_TUNING_OPTIONS);
  close_cube(&c);
}
END_TEST

/* With coarse matrices, 16^3 cells and fewer in one launch of a cluster, if tail_cells and the device let it. */
START_TEST(a_cluster_where_it_may_be)
{
  static const struct {
    int64_t tail_cells, from;
    const char *kernels[2];
    int tail_from;
    bool no_room;
  } want[] = {{4097, 1, {"coarse_octants", "coarse_above_matrix"}, 1, false},
              {-1, 1, {"coarse_octants", "coarse_above_matrix"}, 1, false},
              {4096, 1, {"fv2_gsrb_tile", "coarse_above_matrix"}, 2, false},
              {4097, 4097, {"fv2_gsrb_tile", "coarse_above_matrix"}, 2, false},
              {0, 1, {"fv2_gsrb_tile", "fv2_gsrb_tile"}, 6, false},
              {4097, 1, {"fv2_gsrb_tile", "coarse_above_matrix"}, 2, true}};
  const hymg_options o = options_of(0, want[_i].tail_cells);
  if (want[_i].no_room && !twin_emulated()) return; /* a device that has some cannot show it */
  if (want[_i].no_room) setenv("HYMG_EMULATION_CLUSTERS", "0", 1);
  hymg_context *context = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
  context->matrix_from = 1;
  ck_assert(hymgi_kernel_form_from(context, "coarse_octants", want[_i].from));
  cube c = open_cube_on(context, HYMG_FV2, 32, &o);
  hymg_tuning_info info;
  OK(c.context, hymg_solver_tuning(c.solver, &info));
  ck_assert_int_eq(info.tail_from, want[_i].tail_from);
  for (int l = 0; l < 2; l++) {
    hymg_level_info level;
    OK(c.context, hymg_solver_level(c.solver, l + 1, &level));
    const size_t length = strlen(want[_i].kernels[l]);
    ck_assert_msg(strncmp(level.kernels, want[_i].kernels[l], length) == 0, "%s", level.kernels);
  }
  close_cube(&c);
  unsetenv("HYMG_EMULATION_CLUSTERS");
}
END_TEST

/* Levels of 32^3, 16^3 and, in one launch, 8^3 cells and fewer; constant beta. */
START_TEST(a_level_names_the_kernels_that_it_runs)
{
  static const struct {
    hymg_stencil stencil;
    const char *form;
    int64_t from;
    const char *kernels[3];
  } want[] = {{HYMG_FV4,
               "fv4_march",
               32 * 32 * 32,
               {"fv4_gsrb_march, residual fv4_march_memory<residual>, restriction "
                "fv4_march_memory<residual_mean>",
                "fv4_gsrb_shared, residual sweep_generic, restriction fv4_tile<residual_mean>",
                "coarse_v_cycle"}},
              {HYMG_FV4,
               "fv4_gsrb_shared",
               32 * 32 * 32,
               {"fv4_gsrb_shared, residual sweep_generic, restriction fv4_tile<residual_mean>",
                "fv4_gsrb_tile, residual sweep_generic, restriction fv4_tile<residual_mean>",
                "coarse_v_cycle"}},
              {HYMG_FV2,
               "fv2_gsrb_tile",
               32 * 32 * 32,
               {"fv2_gsrb_tile, residual sweep_generic, restriction fv2_residual_restrict",
                "fv2_point<gsrb>, residual sweep_generic, restriction fv2_residual_restrict",
                "coarse_red_black"}}};
  const hymg_options o = options_of(0, 513);
  hymg_context *context = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
  ck_assert(!hymgi_kernel_form_from(context, "fv4_walk", 1));
  ck_assert(hymgi_kernel_form_from(context, want[_i].form, want[_i].from));
  cube c = open_cube_on(context, want[_i].stencil, 32, &o);
  for (int l = 0; l < 3; l++) {
    hymg_level_info level;
    OK(c.context, hymg_solver_level(c.solver, l, &level));
    ck_assert_str_eq(level.kernels, want[_i].kernels[l]);
  }
  close_cube(&c);
}
END_TEST

/* The choice is one of the possible ones, and given options are respected. */
START_TEST(measuring_chooses_among_the_candidates)
{
  static const struct {
    hymgi_thresholds given;
    bool choice;
  } way[] = {{{-1, -1}, true}, {{0, -1}, true}, {{-1, 0}, true}, {{0, 0}, false}};
  twin t = twin_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, 8, 8, 8, _i % 2 ? "pp dd pp" : "nn nn nn");
  twin_open open = twin_begin(&t, &twin_ways[0], NULL);
  hymgi_thresholds got = way[_i].given;
  hymg_context *context = open.k.context;
  const unsigned solvers = context->solvers;
  ck_assert_int_eq(hymgi_placement_measure(&open.k.solver->h, &got), way[_i].choice);
  if (way[_i].choice) {
    ck_assert_int_ge(got.host_cells, 0);
    ck_assert_int_ge(got.tail_cells, 0);
  }
  if (way[_i].given.host_cells >= 0) ck_assert_int_eq(got.host_cells, way[_i].given.host_cells);
  if (way[_i].given.tail_cells >= 0) ck_assert_int_eq(got.tail_cells, way[_i].given.tail_cells);
  ck_assert_uint_eq(context->solvers, solvers);
  ck_assert_str_eq(hymg_context_error(context), "");
  twin_solution want = twin_solve(&open), again = twin_solve(&open);
  twin_same_solution("after the measurement", &again, &want);
  twin_solution_free(&want);
  twin_solution_free(&again);
  twin_end(&open);
}
END_TEST

/* ---- 64^3 cells, from which on it is measured ---- */

static hymg_tuning_info create_again(cube *c, const hymg_options *o)
{
  hymg_tuning_info info;
  hymg_solver_destroy(&c->solver);
  OK(c->context, hymg_solver_create(c->op, o, &c->solver));
  OK(c->context, hymg_solver_tuning(c->solver, &info));
  return info;
}

START_TEST(what_the_tuning_file_says_is_done)
{
  char name[] = "/tmp/hymg-test-XXXXXX", key[HYMGI_KEY], note[256] = "";
  hymg_options o = options_of(-1, -1);
  hymg_device_info device;
  const int descriptor = mkstemp(name);
  ck_assert_int_ge(descriptor, 0);
  close(descriptor);
  o.tuning = HYMG_TUNE_ESTIMATE;
  o.tuning_file = name;
  cube c = open_cube(HYMG_FV2, 64, &o);
  assert_placed(&c, 2, 7, HYMG_TUNING_ESTIMATE); /* with octants */
  OK(c.context, hymg_device_get(c.context, -1, &device));
  hymgi_placement_key(&c.solver->h, device.name, key);
  ck_assert_ptr_nonnull(strstr(key, HYMG_VERSION));
  ck_assert(hymgi_tuning_keep(name, key, &(hymgi_thresholds){513, 0}, note));
  create_again(&c, &o);
  assert_placed(&c, 3, 3, HYMG_TUNING_FILE);
  o.sweeps = 4; /* another method */
  create_again(&c, &o);
  assert_placed(&c, 2, 7, HYMG_TUNING_ESTIMATE); /* with octants */
  unlink(name);
  close_cube(&c);
}
END_TEST

START_TEST(what_is_measured_is_kept)
{
  if (strcmp(hymg_build_info().cuda, "emulation") == 0) return; /* no machine to measure */
  char folder[] = "/tmp/hymg-test-XXXXXX", name[64];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(name, sizeof name, "%s/tuning", folder);
  hymg_options o = options_of(-1, -1);
  o.tuning_file = name;
  cube c = open_cube(_i ? HYMG_FV4 : HYMG_FV2, 64, &o);
  hymg_tuning_info first, other;
  OK(c.context, hymg_solver_tuning(c.solver, &first));
  ck_assert_int_eq(first.source, HYMG_TUNING_MEASURED);
  ck_assert_double_gt(first.seconds, 0.0);
  ck_assert_double_ge(hymg_solver_tuning_seconds(c.solver), first.seconds);
  other = create_again(&c, &o); /* the context knows */
  ck_assert_int_eq(other.source, HYMG_TUNING_MEASURED);
  ck_assert(other.seconds == 0.0);
  ck_assert_int_eq(other.host_from, first.host_from);
  ck_assert_int_eq(other.tail_from, first.tail_from);
  close_cube(&c);
  c = open_cube(_i ? HYMG_FV4 : HYMG_FV2, 64, &o);
  assert_placed(&c, first.tail_from, first.host_from, HYMG_TUNING_FILE);
  o.tuning_file = "/none/tuning";
  close_cube(&c);
  c = open_cube(_i ? HYMG_FV4 : HYMG_FV2, 64, &o);
  OK(c.context, hymg_solver_tuning(c.solver, &other));
  ck_assert_ptr_nonnull(strstr(other.note, "/none/tuning: not written"));
  close_cube(&c);
  unlink(name);
  ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("placement on a GPU");
  TCase *t = tcase_create("thresholds");
  tcase_add_loop_test(t, thresholds_put_levels_where_they_say, 0, 12);
  tcase_add_loop_test(t, a_small_grid_is_estimated, 0, 2);
  tcase_add_loop_test(t, a_level_names_the_kernels_that_it_runs, 0, 3);
  tcase_add_loop_test(t, a_cluster_where_it_may_be, 0, 6);
  suite_add_tcase(suite, t);
  t = tcase_create("tuning");
  tcase_add_loop_test(t, measuring_chooses_among_the_candidates, 0, 4);
  tcase_add_test(t, what_the_tuning_file_says_is_done);
  tcase_add_loop_test(t, what_is_measured_is_kept, 0, 2);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
