/* Wavefronts of ranks with neighbours: whatever their depth, tiles and threads, and whichever faces
 * have other ranks beyond, the bits are those of one rank that does one half sweep after the other. */
#include "api/solver.h"
#include "cpu/robust.h"
#include "support/mpi.h"
#include <stdlib.h>
#include <string.h>

enum { CUT = 48, WHOLE = 32 }; /* cells of axes with several boxes and with one */
static const int odd_rows[3] = {47, 48, 48},
                 odd_columns[3] = {60, 47, 48}; /* four boxes along x have 15 cells, or 14 and 16 */
static const int *odd_sides;                    /* NULL: even ones */
static int n[3];

static void set_sides(const int boxes[3])
{
  for (int d = 0; d < 3; d++)
    n[d] = odd_sides ? odd_sides[d] : boxes[d] > 1 ? CUT : WHOLE;
}

typedef struct kind {
  hymg_stencil stencil;
  hymg_smoother smoother;
  const char *boundary;
  hymg_path path; /* AUTO: standard */
} kind;

/* In place; between two buffers; with transfers. FV2 and gsrb, if nothing else is said. */
static const kind in_place[] = {{.boundary = "dd nd dn"},
                                {.boundary = "pp pp pp"},
                                {.boundary = "pp dd pp"},
                                {.boundary = "pp pp dd"}},
                  buffered[] =
                      {{.stencil = HYMG_FV4, .boundary = "dd dd dd"},
                       {.stencil = HYMG_FV4, .smoother = HYMG_CHEBYSHEV, .boundary = "dd dd dd"},
                       {.smoother = HYMG_CHEBYSHEV, .boundary = "dd nd dn"},
                       {.stencil = HYMG_FV4, .boundary = "pp dd dd"},
                       {.stencil = HYMG_FV4, .smoother = HYMG_JACOBI, .boundary = "dd dd pp"},
                       {.smoother = HYMG_L1JACOBI, .boundary = "nn pp dd"}},
                  robust[] = {{.boundary = "dd nd dn", .path = HYMG_PATH_ROBUST},
                              {.boundary = "dd dd pp", .path = HYMG_PATH_ROBUST}};
enum {
  IN_PLACE = sizeof in_place / sizeof *in_place,
  BUFFERED = sizeof buffered / sizeof *buffered,
  ROBUST = sizeof robust / sizeof *robust
};

static size_t cells(void)
{
  return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

/* u after two cycles from noise, NaN in other ranks' cells. waves: do they run on level 0? */
static double *answer(const support_case *c, hymg_path path, const support_layout *layout,
                      const hymgi_tuning *tuning, hymg_precision precision, bool *waves)
{
  hymg_options o = hymg_options_default();
  hymg_result result;
  support_kit k = support_open(&c->spec, layout, &o);
  hymg_solver_destroy(&k.solver);
  o.method = HYMG_MG, o.max_cycles = 2, o.rtol = 1e-14, o.precision = precision,
  o.smoother = c->spec.smoother, o.backend = HYMG_BACKEND_HOST,
  o.path = path == HYMG_PATH_AUTO ? HYMG_PATH_STANDARD : path;
  OK(k.context, hymgi_solver_create_tuned(k.op, &o, tuning, &k.solver));
  const hymgi_level *finest = k.solver->h.level;
  if (waves)
    *waves =
        path == HYMG_PATH_ROBUST ? hymgi_cpu_robust_fuses(finest) : hymgi_cpu_wave_applies(finest);
  double *values = support_random(cells(), -1, 1, 9);
  hymg_field *f = support_field(&k, 0, values), *u = support_field(&k, 0, values);
  OK(k.context, hymg_solve(k.solver, f, u, &result));
  double *got = support_read(&k, 0, u);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  support_close(&k);
  free(values);
  return got;
}

/* boxes: of the ranks' grid. Where rows are not cut, and on more than three ranks, the deepest wavefronts and one of the
 * other tunings in turn; on two ranks another one for the next kind on the same axis. Returns the stages of the deepest
 * wavefront on level 0, 0: there was none. */
static int check(const kind *what, const int boxes[3], hymg_precision precision)
{
  static const hymgi_tuning plain = {.split_from = 4}, tunings[] = {{4, 8, 6, 0, true},
                                                                    {4, 8, 4, 24, true},
                                                                    {4, 8, 1, 0, false},
                                                                    {4, 8, 3, 16, true}};
  set_sides(boxes);
  support_case c = support_case_of(what->stencil, n, what->boundary, 0.5);
  c.spec.smoother = what->smoother;
  const support_layout alone = {.threads = 1, .boxes = {1, 1, 1}};
  const bool first = support_rank(MPI_COMM_WORLD) == 0;
  double *want =
      first ? answer(&c, what->path, &alone, &plain, precision, NULL) : support_poison(cells());
  support_from_first(want, cells() * sizeof *want);
  static int calls;
  const int ranks = support_ranks(MPI_COMM_WORLD),
            turn = 1 + (calls + (ranks == 2 ? calls / 3 : 0)) % 3;
  calls++;
  int deepest = 0;
  /* more would wait for cores, in FV4 at every plane */
  const bool in_place_kind = what >= in_place && what < in_place + IN_PLACE;
  const int most = in_place_kind || ranks == 2 ? 3 : 1;
  for (size_t t = 0; t < sizeof tunings / sizeof *tunings; t++) {
    if ((boxes[0] == 1 || ranks > 3) && t > 0 && (int)t != turn) continue;
    bool these = false;
    char where[100];
    const int threads = 1 + (int)t % most;
    support_layout layout = {.boxes = {boxes[0], boxes[1], boxes[2]},
                             .threads = threads,
                             .context = support_context(MPI_COMM_WORLD, threads)};
    double *got = answer(&c, what->path, &layout, tunings + t, precision, &these);
    size_t wrong = 0, own = 0;
    for (size_t m = 0; m < cells(); m++) {
      own += got[m] == got[m];
      wrong += got[m] == got[m] && memcmp(got + m, want + m, sizeof *got) != 0;
    }
    snprintf(where, sizeof where,
             "fv%d, smoother %d, %s, %d x %d x %d boxes, %d stages, tiles of %d rows",
             what->stencil == HYMG_FV4 ? 4 : 2, (int)what->smoother, what->boundary, boxes[0],
             boxes[1], boxes[2], tunings[t].wave_stages, tunings[t].wave_rows);
    support_all_agree(wrong ? "cells differ" : own ? NULL : "no cells", where);
    free(got);
    hymg_context_destroy(&layout.context);
    if (these && tunings[t].wave_stages > deepest) deepest = tunings[t].wave_stages;
  }
  free(want);
  support_case_free(&c);
  return deepest;
}

START_TEST(wavefronts_beside_other_ranks_change_no_bit)
{
  const int ranks = support_ranks(MPI_COMM_WORLD), axis = _i % 3;
  int boxes[3] = {1, 1, 1};
  boxes[axis] = ranks;
  const int deepest = check(in_place + _i / 3, boxes, HYMG_DOUBLE);
  ck_assert(deepest >= (axis > 0 ? 6 : 1) ||
            n[axis] / ranks < 16); /* 12 slots along x are left out */
}
END_TEST

START_TEST(wavefronts_between_buffers_beside_other_ranks_change_no_bit)
{
  const int ranks = support_ranks(MPI_COMM_WORLD), axis = _i % 3;
  const kind *what = buffered + _i / 3;
  if (ranks > 2 && axis != _i / 3 % 3) return;
  int boxes[3] = {1, 1, 1};
  boxes[axis] = ranks;
  const int deepest = check(what, boxes, HYMG_DOUBLE);
  ck_assert(deepest > 0 || n[axis] / ranks < 16);
}
END_TEST

/* With residual and transfers; not where rows are cut. */
START_TEST(wavefronts_of_the_robust_path_beside_other_ranks_change_no_bit)
{
  const int ranks = support_ranks(MPI_COMM_WORLD), axis = _i % 3;
  const kind *what = robust + _i / 3 % ROBUST;
  int boxes[3] = {1, 1, 1};
  boxes[axis] = ranks;
  const bool waves = check(what, boxes, _i / 3 / ROBUST ? HYMG_MIXED : HYMG_DOUBLE) > 0;
  const bool itself = strchr(what->boundary, 'p') && axis != 2;
  ck_assert(waves == (axis > 0 && !itself) || ranks > 2);
}
END_TEST

/* Odd rows where x is not cut; else odd columns, with which cuts move to even cells. */
START_TEST(wavefronts_on_odd_sides_beside_other_ranks_change_no_bit)
{
  const int ranks = support_ranks(MPI_COMM_WORLD), axis = _i % 3;
  int boxes[3] = {1, 1, 1};
  boxes[axis] = ranks;
  odd_sides = axis == 0 ? odd_columns : odd_rows;
  const int deepest = check(_i / 3 == 0 ? in_place : robust, boxes, HYMG_DOUBLE);
  ck_assert(deepest > 0 || axis == 0 || ranks > 2);
  odd_sides = NULL;
}
END_TEST

START_TEST(wavefronts_beside_ranks_on_several_sides_change_no_bit)
{
  const int ranks = support_ranks(MPI_COMM_WORLD);
  if (ranks < 4) return;
  const kind *what = _i < IN_PLACE              ? in_place + _i
                     : _i < IN_PLACE + BUFFERED ? buffered + (_i - IN_PLACE)
                                                : robust + (_i - IN_PLACE - BUFFERED);
  const bool rows = _i % 2 == 0; /* are they cut, or planes? */
  check(what, (const int[3]){1 + rows, 2 - rows, ranks / 2}, HYMG_DOUBLE);
  check(what, (const int[3]){2, 2, ranks / 4}, HYMG_DOUBLE);
}
END_TEST

START_TEST(wavefronts_in_single_precision_change_no_bit)
{
  const int ranks = support_ranks(MPI_COMM_WORLD);
  check(_i < IN_PLACE ? in_place + _i : buffered + (_i - IN_PLACE), (const int[3]){1, 1, ranks},
        HYMG_MIXED);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  if (support_skips_ranks(2, 4)) return 0;
  Suite *suite = suite_create("wave on ranks");
  TCase *t = tcase_create("wave");
  const int count = support_small() ? 1 : IN_PLACE, more = support_small() ? 1 : BUFFERED;
  tcase_set_timeout(t, 300);
  tcase_add_loop_test(t, wavefronts_beside_other_ranks_change_no_bit, 0, 3 * count);
  tcase_add_loop_test(t, wavefronts_between_buffers_beside_other_ranks_change_no_bit, 0, 3 * more);
  tcase_add_loop_test(t, wavefronts_of_the_robust_path_beside_other_ranks_change_no_bit, 0,
                      support_small() ? 3 : 6 * ROBUST);
  tcase_add_loop_test(t, wavefronts_on_odd_sides_beside_other_ranks_change_no_bit, 0,
                      support_small() ? 3 : 6);
  tcase_add_loop_test(t, wavefronts_beside_ranks_on_several_sides_change_no_bit, 0,
                      support_small() ? 1 : IN_PLACE + BUFFERED + ROBUST);
  tcase_add_loop_test(t, wavefronts_in_single_precision_change_no_bit, 0, count + more);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
