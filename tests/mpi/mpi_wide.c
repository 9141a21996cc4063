/* Levels whose ranks also compute layers of their neighbours' cells: the solution has the bits of one rank without
 * layers for any depth, boundaries, boxes, owners and numbers of ranks; boxes may be less wide than the layers. */
#include "support/choice.h"
#include "support/mpi.h"

#include "comm/comm_mpi.h"
#include "comm/context.h"

#include <stdlib.h>
#include <string.h>

enum { CASES = 24 };

static const struct {
  support_choice c;
  support_layout more;
} cases[CASES] = {
    {.c = {HYMG_FV2, "dd dd dd", 0, HYMG_GSRB, HYMG_FMG, HYMG_CYCLE_F, HYMG_BICGSTAB}},
    {.c = {HYMG_FV2, "dd dd dd", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_W, HYMG_BICGSTAB},
     .more = {.constant_beta = true}},
    {.c = {HYMG_FV2, "pp pp pp", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_CG}},
    {.c = {HYMG_FV2, "pp nd pp", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.constant_beta = true}},
    {.c = {HYMG_FV2, "nn nn nn", 0, HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_CACG}},
    {.c = {HYMG_FV2, "rr nr pp", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB}},
    {.c = {HYMG_FV2, "dn pp rd", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
     .more = {.sweeps = 2}},
    {.c = {HYMG_FV2, "dd dn nd", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
     .more = {.p0 = true}},
    {.c = {HYMG_FV2, "nd pp dd", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
     .more = {.sweeps = 10}},
    {.c = {HYMG_FV2, "pp dd pp", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, HYMG_BOTTOM_SMOOTHER}},
    {.c = {HYMG_FV2, "dd dd pp", 1, HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.constant_beta = true}},
    {.c = {HYMG_FV2, "pp nd dd", 0, HYMG_CHEBYSHEV, HYMG_MG, HYMG_CYCLE_F, HYMG_CG}},
    {.c = {HYMG_FV2, "nd pp dd", 1, HYMG_JACOBI, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB}},
    {.c = {HYMG_FV2, "rr dd pp", 1, HYMG_L1JACOBI, HYMG_MG, HYMG_CYCLE_W, HYMG_BICGSTAB},
     .more = {.sweeps = 5}},
    {.c = {HYMG_FV4, "dd dd dd", 0, HYMG_GSRB, HYMG_FMG, HYMG_CYCLE_F, HYMG_BICGSTAB}},
    {.c = {HYMG_FV4, "pp pp pp", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB}},
    {.c = {HYMG_FV4, "dd pp dd", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
     .more = {.constant_beta = true}},
    {.c = {HYMG_FV4, "pp dd dd", 1, HYMG_CHEBYSHEV, HYMG_FMG, HYMG_CYCLE_F, HYMG_BICGSTAB}},
    {.c = {HYMG_FV4, "dd dd pp", 0, HYMG_L1JACOBI, HYMG_MG, HYMG_CYCLE_W, HYMG_CABICGSTAB}},
    {.c = {HYMG_FV4, "dd dd dd", 0, HYMG_JACOBI, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.sweeps = 3}},
    {.c = {HYMG_FV2, "dd nd pp", 0, HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.path = HYMG_PATH_ROBUST}},
    {.c = {HYMG_FV2, "nn pp nn", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.path = HYMG_PATH_ROBUST}},
    {.c = {HYMG_FV2, "rr dd nd", 1, HYMG_CHEBYSHEV, HYMG_MG, HYMG_CYCLE_W, HYMG_BICGSTAB},
     .more = {.path = HYMG_PATH_ROBUST}},
    {.c = {HYMG_FV4, "dd pp dd", 1, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB},
     .more = {.path = HYMG_PATH_ROBUST}},
};

static const int layers_of[] = {1, 4, 6, 64};
enum { DEPTHS = sizeof layers_of / sizeof *layers_of };

static support_answer solve_alone(int i, const int n[3])
{
  support_layout alone = cases[i].more;
  alone.threads = alone.boxes[0] = alone.boxes[1] = alone.boxes[2] = 1;
  const bool first = support_rank(MPI_COMM_WORLD) == 0;
  support_answer a = {.cells = (size_t)n[0] * n[1] * n[2]};
  if (first) a = support_solve(&cases[i].c, n, &alone, false);
  double *const u = first ? a.u : support_poison(a.cells);
  support_from_first(u, a.cells * sizeof *u);
  support_from_first(&a, sizeof a);
  a.u = u;
  if (!first) a.mine = NULL;
  return a;
}

/* Levels of at most so many cells are on one rank, on the robust path. */
enum { GATHERED = 4096 };

static int size_of(const int n[3])
{
  return n[0] * n[1] * n[2] / 8;
}

/* wide: some level must have layers. */
static void check(int i, const int n[3], support_layout layout, bool wide, const char *where)
{
  const support_choice *const c = &cases[i].c;
  const support_layout *const more = &cases[i].more;
  support_answer want = solve_alone(i, n);
  ck_assert_int_eq(want.wide, 0);
  wide = wide && (more->path == HYMG_PATH_AUTO || size_of(n) > GATHERED);
  if (!layout.context) layout.context = support_context(MPI_COMM_WORLD, 1);
  layout.sweeps = more->sweeps, layout.path = more->path;
  layout.p0 = more->p0, layout.constant_beta = more->constant_beta;
  /* two of the depths, with boxes of its own one; with other numbers of ranks others */
  const int step = layout.boxes[0] ? DEPTHS : DEPTHS / 2;
  for (int m = (i + support_ranks(MPI_COMM_WORLD)) % step; m < DEPTHS; m += step) {
    char text[100];
    snprintf(text, sizeof text, "%s, %s, %d layers", where, c->boundary, layers_of[m]);
    layout.halo_layers = layers_of[m];
    support_answer got = support_solve(c, n, &layout, m % 2);
    support_all_agree(support_unlike(&got, &want), text);
    if (wide) support_all_agree(got.wide > 0 ? NULL : "no wide level", text);
    support_answer_free(&got);
  }
  support_answer_free(&want);
  hymg_context_destroy(&layout.context);
}

static bool several(void)
{
  return support_ranks(MPI_COMM_WORLD) > 1;
}

START_TEST(default_boxes)
{
  check(_i, (const int[3]){32, 32, 48}, (support_layout){.boxes = {0, 0, 0}}, several(),
        "default boxes");
}
END_TEST

START_TEST(several_boxes_a_rank)
{
  check(_i, (const int[3]){32, 32, 16}, (support_layout){.boxes = {4, 4, 2}}, several(),
        "4x4x2 boxes");
}
END_TEST

START_TEST(slabs_and_few_boxes)
{
  check(_i, (const int[3]){16, 16, 64}, (support_layout){.boxes = {1, 1, 8}}, several(), "slabs");
  check(_i, (const int[3]){16, 32, 16}, (support_layout){.boxes = {1, 2, 1}}, several(), "2 boxes");
  check(_i, (const int[3]){24, 12, 20}, (support_layout){.boxes = {2, 3, 1}}, false, "2x3x1 boxes");
}
END_TEST

/* Neighbours never share a rank. */
static int scattered(const int box[3], void *user)
{
  const int *ranks = user;
  return (box[0] + 3 * box[1] + 5 * box[2]) % *ranks;
}

START_TEST(scattered_owners)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  check(_i, (const int[3]){32, 32, 16},
        (support_layout){.boxes = {4, 4, 2}, .owner = scattered, .owner_user = &ranks},
        support_ranks(MPI_COMM_WORLD) > 2, "scattered");
}
END_TEST

START_TEST(odd_sides)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  support_layout layout = {.boxes = {0, 0, 0}};
  check(_i, (const int[3]){41, 31, 35}, layout, false, "odd sides, default boxes");
  memcpy(layout.boxes, (const int[3]){3, 3, 1}, sizeof layout.boxes);
  layout.owner = scattered, layout.owner_user = &ranks;
  check(_i, (const int[3]){21, 15, 35}, layout, false, "odd sides, scattered");
}
END_TEST

START_TEST(threads_within_ranks)
{
  check(_i, (const int[3]){32, 32, 32},
        (support_layout){.boxes = {2, 2, 2}, .context = support_context(MPI_COMM_WORLD, 2)},
        several(), "2 threads a rank");
}
END_TEST

/* u of level 1 alone, then of level 0 with other coefficients: the level's cells, then those of the grid. */
static double *solve_below(int i, int layers, size_t cells[2])
{
  support_case s = support_case_of(cases[i].c.stencil, (const int[3]){32, 32, 32},
                                   cases[i].c.boundary, cases[i].c.a);
  support_case_add_robin(&s);
  s.spec.smoother = cases[i].c.smoother;
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.max_cycles = 2, o.rtol = 1e-30, o.halo_layers = layers;
  support_layout layout = {.context = support_context(MPI_COMM_WORLD, 1)};
  support_kit k = support_open(&s.spec, &layout, &o);
  double *u[2];
  for (int l = 1; l >= 0; l--) {
    int n[3];
    support_cells(&k, l, n, &cells[l]);
    double *f = support_random(cells[l], -1, 1, 7);
    for (size_t m = 0; m < cells[l] / 2; m++)
      f[cells[l] - 1 - m] = -f[m];
    hymg_field *ff = support_field(&k, l, f), *x = NULL;
    OK(k.context, hymg_field_create_on_level(k.solver, l, &x));
    OK(k.context, hymg_solve_on_level(k.solver, l, ff, x, NULL));
    u[l] = support_read(&k, l, x);
    hymg_field_destroy(&ff), hymg_field_destroy(&x);
    free(f);
    k.desc.b = 1.75;
    OK(k.context, hymg_operator_set(k.op, &k.desc));
    OK(k.context, hymg_solver_update(k.solver));
  }
  u[1] = realloc(u[1], (cells[0] + cells[1]) * sizeof **u);
  memcpy(u[1] + cells[1], u[0], cells[0] * sizeof **u);
  free(u[0]);
  support_close(&k);
  support_case_free(&s);
  hymg_context_destroy(&layout.context);
  return u[1];
}

START_TEST(levels_below_and_updates)
{
  size_t cells[2];
  if (cases[_i].more.path == HYMG_PATH_ROBUST) return;
  double *const want = solve_below(_i, 0, cells);
  for (int m = 0; m < DEPTHS; m++) {
    double *const got = solve_below(_i, layers_of[m], cells);
    const bool same = memcmp(got, want, (cells[0] + cells[1]) * sizeof *got) == 0;
    support_all_agree(same ? NULL : "other bits", cases[_i].c.boundary);
    free(got);
  }
  free(want);
}
END_TEST

/* Within a node nothing is tried. Between nodes, here as many as ranks, ranks agree on what a trial has said, and the bits
 * stay. */
START_TEST(trials_decide_between_nodes)
{
  const int n[3] = {32, 32, 64};
  support_answer want = solve_alone(_i, n);
  for (int nodes = 0; nodes < 2; nodes++) {
    support_layout layout = cases[_i].more;
    layout.context = support_context(MPI_COMM_WORLD, 1);
    if (nodes)
      OK(layout.context,
         hymgi_comm_regroup(layout.context, layout.context->comm, support_rank(MPI_COMM_WORLD)));
    support_answer got = support_solve(&cases[_i].c, n, &layout, false);
    int most = got.wide, least = got.wide;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    support_all_agree(support_unlike(&got, &want), "a trial");
    support_all_agree(most == least && (nodes || most == 0) ? NULL : "levels", "a trial");
    support_answer_free(&got);
    hymg_context_destroy(&layout.context);
  }
  support_answer_free(&want);
}
END_TEST

int main(int argc, char **argv)
{
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  Suite *suite = suite_create("wide boxes");
  TCase *t = tcase_create("solves");
  const int few = support_small() ? 3 : CASES;
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, default_boxes, 0, CASES);
  tcase_add_loop_test(t, several_boxes_a_rank, 0, few);
  tcase_add_loop_test(t, slabs_and_few_boxes, 0, few);
  tcase_add_loop_test(t, scattered_owners, 0, few);
  tcase_add_loop_test(t, odd_sides, 0, few);
  tcase_add_loop_test(t, levels_below_and_updates, 0, CASES);
  tcase_add_loop_test(t, threads_within_ranks, 0, 2);
  tcase_add_loop_test(t, trials_decide_between_nodes, 0, few);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  MPI_Finalize();
  return status;
}
