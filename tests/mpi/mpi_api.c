/* Ranks: entries that another rank holds are refused on every rank, naming them; what hymg_fluxes and
 * hymg_solver_cycle give has the bits of one rank; a stop on one rank ends the solve on all; NaN on
 * one rank is found by all; a communicator of Fortran. */
#include "support/mpi.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int n[3] = {12, 10, 64};
static hymg_context *context;
static int rank, ranks;

static void open_context(void)
{
  context = support_context(MPI_COMM_WORLD, 1);
  rank = hymg_context_rank(context), ranks = hymg_context_ranks(context);
}

static void close_context(void)
{
  hymg_context_destroy(&context);
}

static hymg_grid *grid_of(const int *cuts)
{
  hymg_grid_desc d = {.n = {n[0], n[1], n[2]}, .spacing = {0.1, 0.1, 0.1}};
  hymg_grid *grid = NULL;
  if (cuts) d.boxes[0] = d.boxes[1] = 1, d.boxes[2] = ranks, d.cuts[2] = cuts;
  OK(context, hymg_grid_create(context, &d, &grid));
  return grid;
}

/* A program's slabs: 64 = 22 + 21 + 21 on three ranks. */
static void slabs(int cuts[64], int *low, int *count)
{
  *low = 0;
  for (int r = 0; r < ranks; r++)
    cuts[r] = n[2] / ranks + (r < n[2] % ranks);
  for (int r = 0; r < rank; r++)
    *low += cuts[r];
  *count = cuts[rank];
}

/* Does this rank hold planes [low, low + count) entirely, of cells or of faces across z? */
static bool holds(const hymg_grid *grid, bool faces, int low, int count)
{
  bool held[12 * 10 * (64 + 1)] = {false}, all = true;
  for (int b = 0; b < hymg_grid_num_local(grid); b++) {
    int l[3], c[3];
    hymg_grid_local(grid, b, l, c);
    for (int k = l[2]; k < l[2] + c[2] + faces; k++)
      for (int j = l[1]; j < l[1] + c[1]; j++)
        for (int i = l[0]; i < l[0] + c[0]; i++)
          held[i + n[0] * (j + n[1] * k)] = true;
  }
  for (int m = n[0] * n[1] * low; m < n[0] * n[1] * (low + count); m++)
    all = all && held[m];
  return all;
}

/* Slabs of the program on the default boxes: read and write, fields of every kind. */
START_TEST(entries_of_another_rank_are_refused_everywhere)
{
  int cuts[64], low[3] = {0, 0, 0}, count[3] = {n[0], n[1], 0};
  slabs(cuts, low + 2, count + 2);
  hymg_grid *grid = grid_of(NULL);
  const hymg_centering centering = _i / 2 % 2 ? HYMG_FACE_Z : HYMG_CELL;
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  const size_t size = (size_t)(n[0] * n[1] * count[2]);
  double *data = support_random(size, -1, 1, 3), *before = support_random(size, -1, 1, 3);
  double *own = support_random((size_t)(n[0] * n[1] * (n[2] + 1)), -1, 1, 3), max = -1;
  hymg_field *f = NULL, *cells = NULL;
  if (_i / 4) {
    const int zero[3] = {0, 0, 0}, all[3] = {n[0], n[1], n[2] + (centering != HYMG_CELL)};
    OK(context,
       hymg_field_wrap(grid, HYMG_HOST, centering, HYMG_DOUBLE, zero, all, stride, own, &f));
  } else {
    OK(context, hymg_field_create(grid, NULL, centering, HYMG_DOUBLE, &f));
  }
  OK(context, hymg_field_create(grid, NULL, HYMG_CELL, HYMG_DOUBLE, &cells));
  OK(context, hymg_field_fill(f, 9));
  const hymg_status got = _i % 2 ? hymg_field_read(f, low, count, stride, data, HYMG_HOST)
                                 : hymg_field_write(f, low, count, stride, data, HYMG_HOST);
  const bool mine = holds(grid, centering == HYMG_FACE_Z, low[2], count[2]);
  const char *text = hymg_context_error(context);
  support_all_agree((got == HYMG_OK) == mine ? NULL : "a wrong status", "its own call");
  if (!mine) ck_assert_msg(strstr(text, "entries [") && strstr(text, "held by rank"), "%s", text);
  for (size_t m = 0; m < size && !mine; m++)
    ck_assert(data[m] == before[m]); /* nothing was copied */
  double lacking = !mine;
  OK(context, hymg_context_max(context, &lacking));
  const hymg_status next = hymg_field_max(cells, &max);
  support_all_agree((next == HYMG_OK) == (lacking == 0) ? NULL : "a wrong status", "the next call");
  if (lacking > 0) {
    ck_assert(next == HYMG_EINVAL && max == -1);
    ck_assert_msg(strstr(hymg_context_error(context), "held by rank"), "%s",
                  hymg_context_error(context));
  }
  support_all_agree(hymg_field_max(cells, &max) == HYMG_OK ? NULL : "still refused", "after it");
  OK(context, hymg_field_write_own(f, low, count, stride, data, HYMG_HOST));
  hymg_field_destroy(&f), hymg_field_destroy(&cells);
  hymg_grid_destroy(&grid);
  free(data), free(before), free(own);
}
END_TEST

/* With the program's cuts everything arrives; the text names the first range and its owner. */
START_TEST(cuts_let_everything_arrive)
{
  int cuts[64], low[3] = {0, 0, 0}, count[3] = {n[0], n[1], 0};
  slabs(cuts, low + 2, count + 2);
  hymg_grid *grid = grid_of(cuts);
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  const size_t size = (size_t)(n[0] * n[1] * count[2]);
  double *data = support_random(size, -1, 1, 3 + (unsigned)rank), *got = support_poison(size), max;
  hymg_field *f = NULL;
  OK(context, hymg_field_create(grid, NULL, HYMG_CELL, HYMG_DOUBLE, &f));
  OK(context, hymg_field_write(f, low, count, stride, data, HYMG_HOST));
  OK(context, hymg_field_read(f, low, count, stride, got, HYMG_HOST));
  ck_assert(support_same_bits(size, data, got));
  if (ranks > 1) {
    const int wide[3] = {n[0], 1, n[2]}, zero[3] = {0, 3, 0};
    char want[120];
    const int other = rank == 0 ? 1 : 0, first = rank == 0 ? cuts[0] : 0,
              last = rank == 0 ? n[2] : low[2];
    double *column = support_poison((size_t)(n[0] * n[2]));
    snprintf(want, sizeof want,
             "entries [0, 12) x [3, 4) x [%d, %d) of a field of cells are held by rank %d, not by "
             "rank %d",
             first, last, other, rank);
    const hymg_status refused = hymg_field_read(f, zero, wide, stride, column, HYMG_HOST);
    const bool right = refused == HYMG_EINVAL && strstr(hymg_context_error(context), want);
    support_all_agree(right ? NULL : hymg_context_error(context), want);
    support_all_agree(hymg_field_max(f, &max) == HYMG_EINVAL ? NULL : "no error", "everywhere");
    free(column);
  }
  hymg_field_destroy(&f);
  hymg_grid_destroy(&grid);
  free(data), free(got);
}
END_TEST

/* ---- the bits of one rank ---- */

typedef struct answer {
  double *cycle, *face[3];
} answer;

static answer answer_of(hymg_context *where, const support_case *c, hymg_path path, const int *cuts)
{
  support_layout layout = {.context = where, .threads = 1, .boxes = {1, 1, 1}};
  if (cuts) layout.boxes[2] = ranks, layout.cuts[2] = cuts;
  hymg_options o = hymg_options_preconditioner();
  o.path = path;
  support_kit k = support_open(&c->spec, &layout, &o);
  double *values = support_random((size_t)(n[0] * n[1] * n[2]), -1, 1, 9);
  hymg_field *f = support_field(&k, 0, values), *u = support_field(&k, 0, values), *flux[3];
  answer a;
  for (int m = 0; m < 3; m++) /* the first binds, the others need no agreement */
    OK(k.context, hymg_solver_cycle(k.solver, HYMG_CYCLE_V, m > 0, f, u));
  a.cycle = support_read(&k, 0, u);
  for (int axis = 0; axis < 3; axis++)
    OK(k.context,
       hymg_field_create(k.grid, NULL, (hymg_centering)(1 + axis), HYMG_DOUBLE, flux + axis));
  OK(k.context, hymg_fluxes(k.solver, f, flux));
  for (int axis = 0; axis < 3; axis++) {
    int m[3] = {n[0], n[1], n[2]}, zero[3] = {0, 0, 0};
    m[axis]++;
    const ptrdiff_t stride[3] = {1, m[0], (ptrdiff_t)m[0] * m[1]};
    a.face[axis] = support_poison((size_t)(m[0] * m[1] * m[2]));
    OK(k.context, hymg_field_read_own(flux[axis], zero, m, stride, a.face[axis], HYMG_HOST));
    hymg_field_destroy(flux + axis);
  }
  hymg_field_destroy(&f), hymg_field_destroy(&u);
  support_close(&k);
  free(values);
  return a;
}

/* Entries that this rank has (not NaN) differ. */
static const char *differ(size_t size, const double *got, const double *want)
{
  size_t had = 0;
  for (size_t m = 0; m < size; m++) {
    if (got[m] == got[m] && got[m] != want[m]) return "entries differ";
    had += got[m] == got[m];
  }
  return had ? NULL : "nothing is here";
}

START_TEST(cycles_and_fluxes_have_the_bits_of_one_rank)
{
  int cuts[64], low, count;
  slabs(cuts, &low, &count);
  support_case c = support_case_of(HYMG_FV2, n, "dn dd pp", 0.3);
  c.spec.extrapolation = _i == 1 ? HYMG_EXTRAPOLATION_QUADRATIC : HYMG_EXTRAPOLATION_LINEAR;
  c.spec.smoother = HYMG_CHEBYSHEV, c.spec.sweeps = 6, c.spec.bottom = HYMG_BOTTOM_SWEEPS;
  if (_i != 2) support_case_add_boundaries(&c);
  const hymg_path path = _i ? HYMG_PATH_ROBUST : HYMG_PATH_STANDARD;
  answer got = answer_of(context, &c, path, cuts), want = answer_of(NULL, &c, path, NULL);
  support_all_agree(differ((size_t)(n[0] * n[1] * n[2]), got.cycle, want.cycle), c.name);
  free(got.cycle), free(want.cycle);
  for (int axis = 0; axis < 3; axis++) {
    const size_t layer = (size_t)(n[0] * n[1] * n[2] / n[axis]);
    support_all_agree(differ(layer * (size_t)(n[axis] + 1), got.face[axis], want.face[axis]),
                      "faces");
    free(got.face[axis]), free(want.face[axis]);
  }
  support_case_free(&c);
}
END_TEST

/* ---- stops and advice ---- */

static hymg_solver *stoppable;

/* What a signal handler of the last rank would do in the third cycle. */
static bool stop_later(const hymg_cycle_record *record, int cycle, void *user)
{
  (void)record;
  if (cycle == *(int *)user && rank == ranks - 1) hymg_solver_stop(stoppable);
  return true;
}

START_TEST(a_stop_on_one_rank_ends_the_solve_on_all)
{
  support_case c = support_case_of(HYMG_FV2, n, "dd dd dd", 0);
  const support_layout layout = {.context = context, .threads = 1};
  hymg_options o = hymg_options_default();
  int when = 2;
  o.method = HYMG_MG, o.cycle = HYMG_CYCLE_V, o.rtol = 1e-12, o.max_cycles = 60;
  o.path = _i / 2 ? HYMG_PATH_ROBUST : HYMG_PATH_STANDARD;
  if (_i % 2 == 0) o.monitor = stop_later, o.monitor_user = &when;
  support_kit k = support_open(&c.spec, &layout, &o);
  stoppable = k.solver;
  double *values = support_random((size_t)(n[0] * n[1] * n[2]), -1, 1, 9);
  hymg_field *f = support_field(&k, 0, values), *u = support_field(&k, 0, values);
  hymg_result r;
  if (_i % 2 && rank == ranks - 1)
    hymg_solver_stop(k.solver); /* before the solve, without a monitor */
  OK(context, hymg_solve(k.solver, f, u, &r));
  const int cycles = _i % 2 ? 1 : when + 1;
  const bool right = r.reason == HYMG_REASON_STOPPED && !r.converged && r.cycles == cycles;
  support_all_agree(right ? NULL : "not stopped", hymg_reason_name(r.reason));
  when = -1;
  OK(context, hymg_solve(k.solver, f, u, &r)); /* it is forgotten */
  support_all_agree(r.converged ? NULL : "not converged", hymg_reason_name(r.reason));
  hymg_field_destroy(&f), hymg_field_destroy(&u);
  free(values);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

START_TEST(all_ranks_give_the_same_advice)
{
  support_case c = support_case_of(HYMG_FV2, n, "dd dd dd", 0);
  const support_layout layout = {.context = context, .threads = 1};
  hymg_options o = hymg_options_default();
  char text[HYMG_ADVICE], first[HYMG_ADVICE];
  o.method = HYMG_MGPCG, o.path = HYMG_PATH_STANDARD;
  c.beta[2][7 + 12 * (3 + 10 * 20)] = 1e3;
  support_kit k = support_open(&c.spec, &layout, &o);
  double *values = support_random((size_t)(n[0] * n[1] * n[2]), -1, 1, 9);
  values[3 + 12 * (2 + 10 * 50)] = NAN;
  hymg_field *f = support_field(&k, 0, values), *u = support_field(&k, 0, values);
  hymg_result r;
  OK(context, hymg_solve(k.solver, f, u, &r));
  OK(context, hymg_solver_advice(k.solver, &r, text, sizeof text));
  memcpy(first, text, sizeof first);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  const bool right = strcmp(first, text) == 0 && strstr(text, "not finite at (3, 2, 50)") &&
                     strstr(text, "neighbouring faces") && strstr(text, "not symmetric");
  support_all_agree(right ? NULL : text, "advice");
  hymg_field_destroy(&f), hymg_field_destroy(&u);
  free(values);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

START_TEST(fortran_s_communicator_is_taken)
{
  hymg_context *other = NULL;
  ck_assert_int_eq(hymg_context_create_mpi_f(MPI_Comm_c2f(MPI_COMM_WORLD), NULL, &other), HYMG_OK);
  support_all_agree(hymg_context_ranks(other) == ranks && hymg_context_rank(other) == rank ? NULL
                                                                                           : "no",
                    "its ranks");
  hymg_context_destroy(&other);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("api");
  TCase *t = tcase_create("api");
  tcase_set_timeout(t, 100);
  tcase_add_checked_fixture(t, open_context, close_context);
  tcase_add_loop_test(t, entries_of_another_rank_are_refused_everywhere, 0, 8);
  tcase_add_test(t, cuts_let_everything_arrive);
  tcase_add_loop_test(t, cycles_and_fluxes_have_the_bits_of_one_rank, 0, 3);
  tcase_add_loop_test(t, a_stop_on_one_rank_ends_the_solve_on_all, 0, 4);
  tcase_add_test(t, all_ranks_give_the_same_advice);
  tcase_add_test(t, fortran_s_communicator_is_taken);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
