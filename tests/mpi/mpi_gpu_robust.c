/* The robust path on ranks with GPUs gives the bits of the host, whatever carries the messages and
 * whatever boxes the ranks have, with the kernels for small and for large levels. */
#include "support/comm.h"
#include "support/mpi_gpu.h"

#include "kernel_table.h"
#include "multigrid/pairs.h"

static const struct {
  int n[3];
  const char *boundary;
  double a;
  hymg_smoother smoother;
  hymg_extrapolation extrapolation;
  hymg_transfer transfer;
} problem_of[] = {
    {{16, 32, 24}, "dd dd dd", 0, HYMG_GSRB, HYMG_EXTRAPOLATION_LINEAR, HYMG_TRANSFER_AUTO},
    {{16, 20, 12}, "pp pp pp", 0, HYMG_GSRB, HYMG_EXTRAPOLATION_DEFAULT, HYMG_TRANSFER_AUTO},
    {{32, 16, 8}, "nd pp dd", 0.5, HYMG_CHEBYSHEV, HYMG_EXTRAPOLATION_DEFAULT, HYMG_TRANSFER_AUTO},
    {{40, 8, 20}, "dd nn dd", 0, HYMG_GSRB, HYMG_EXTRAPOLATION_DEFAULT, HYMG_TRANSFER_AUTO},
    {{24, 16, 20}, "pp dd nd", 0, HYMG_GSRB, HYMG_EXTRAPOLATION_LINEAR, HYMG_TRANSFER_TENSOR},
    {{16, 20, 12}, "pp nn dd", 0, HYMG_GSRB, HYMG_EXTRAPOLATION_DEFAULT, HYMG_TRANSFER_TENSOR},
    {{24, 16, 20}, "dd nn pp", 0, HYMG_GSRB, HYMG_EXTRAPOLATION_DEFAULT, HYMG_TRANSFER_PAIRS},
    /* in 2 x 2 boxes these are cut at odd cells */
    {{30, 18, 11}, "dd pp dd", 0, HYMG_GSRB, HYMG_EXTRAPOLATION_DEFAULT, HYMG_TRANSFER_AUTO},
    {{18, 22, 7}, "pp nd pp", 1, HYMG_GSRB, HYMG_EXTRAPOLATION_LINEAR, HYMG_TRANSFER_AUTO},
    {{22, 18, 9}, "pp dd dd", 0, HYMG_GSRB, HYMG_EXTRAPOLATION_DEFAULT, HYMG_TRANSFER_TENSOR},
    /* FV4 with limited faces */
    {{32, 20, 24}, "dd nd pp", 0, HYMG_GSRB, HYMG_EXTRAPOLATION_DEFAULT, HYMG_TRANSFER_AUTO},
    {{128, 8, 16}, "dd pp dd", 0, HYMG_GSRB, HYMG_EXTRAPOLATION_DEFAULT, HYMG_TRANSFER_AUTO},
};
enum {
  FIXED = 5,
  PAIRED = 6,
  CUT = 7,
  PROBLEMS = CUT,
  CUT_PROBLEMS = 3,
  LIMITED = CUT + CUT_PROBLEMS
};

static twin robust_twin(int index)
{
  const int *const n = problem_of[index].n;
  const bool limited = index >= LIMITED;
  twin t = twin_of(limited ? HYMG_FV4 : HYMG_FV2, n[0], n[1], n[2], problem_of[index].boundary);
  t.path = HYMG_PATH_ROBUST;
  t.cycle = HYMG_CYCLE_V;
  t.a = problem_of[index].a;
  t.fixed = index == FIXED;
  t.jump = limited ? 11 : 0;
  t.smoother = problem_of[index].smoother;
  t.extrapolation = problem_of[index].extrapolation;
  t.transfer = problem_of[index].transfer;
  return t;
}

/* Two solves, of which the second plays recordings back. */
static void ask(const twin *t, const twin_way *way, const support_layout *layout,
                twin_solution answer[2])
{
  twin_open o = twin_begin(t, way, layout);
  for (int m = 0; m < 2; m++)
    answer[m] = twin_solve(&o);
  twin_end(&o);
}

static void check_transport(int index, support_layout layout, hymg_transport transport,
                            int64_t gather_cells, bool large)
{
  static const char *const form[] = {"fv2_gsrb_march", "fv2_both_colours", "fv2_relax_march",
                                     "fv2_gsrb_fused", "fv4_march",        "fv4_march_tma"};
  const int from = index < LIMITED ? 0 : 4, to = index < LIMITED ? 4 : 6;
  const twin t = robust_twin(index);
  const twin_way way = {.name = hymg_transport_name(transport),
                        .backend = HYMG_BACKEND_CUDA,
                        .transport = transport,
                        .gather_cells = gather_cells};
  twin_solution want[2], got[2];
  char where[200];
  snprintf(where, sizeof where, "%d x %d x %d %s, transport %s, gather %d%s", t.n[0], t.n[1],
           t.n[2], t.boundary, way.name, (int)gather_cells, large ? ", large kernels" : "");
  layout.context = support_context(MPI_COMM_WORLD, 1);
  bool chosen = true;
  for (int m = from; m < to && large; m++)
    chosen = chosen && hymgi_kernel_form_from(layout.context, form[m], 1);
  ask(&t, &twin_host, &layout, want);
  ask(&t, &way, &layout, got);
  for (int m = 0; m < 2; m++) {
    support_all_agree(chosen ? twin_unlike_solution(got + m, want + m) : "no choice", where);
    twin_solution_free(want + m);
    twin_solution_free(got + m);
  }
  hymg_context_destroy(&layout.context);
}

START_TEST(staged)
{
  const support_layout layout = {.boxes = {0, 0, 0}};
  if (is_left_out(_i, 1)) return;
  check_transport(_i % PROBLEMS, layout, HYMG_TRANSPORT_STAGED, _i / PROBLEMS ? 1000 : 0, false);
}
END_TEST

START_TEST(peers)
{
  const support_layout layout = {.boxes = {0, 0, 0}};
  if (is_single() || !has_own_gpus() || is_left_out(_i, 1)) return;
  check_transport(_i % PROBLEMS, layout, HYMG_TRANSPORT_PEER, _i / PROBLEMS % 2 ? 1000 : 0,
                  _i / PROBLEMS / 2);
}
END_TEST

START_TEST(nccl)
{
  const support_layout layout = {.boxes = {0, 0, 0}};
  if (is_single() || !has_own_gpus() || !*hymg_build_info().nccl) return;
  check_transport(_i, layout, HYMG_TRANSPORT_NCCL, 1000, false);
}
END_TEST

START_TEST(boxes_that_do_not_merge)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  const support_layout layout = {.boxes = {2, 2, 2}, .owner = scattered, .owner_user = &ranks};
  check_transport(_i, layout, HYMG_TRANSPORT_AUTO, 0, false);
}
END_TEST

/* Of four slabs two or three are the first rank's, the others have one each. */
static int alternating(const int box[3], void *user)
{
  const int *ranks = user;
  return box[0] % 2 ? (box[0] + 1) / 2 % *ranks : 0;
}

/* With one box a rank has other forms of kernels than with several. */
START_TEST(forms_that_differ_between_ranks)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  const support_layout layout = {.boxes = {4, 1, 1}, .owner = alternating, .owner_user = &ranks};
  if (is_left_out(_i, 1)) return;
  check_transport(_i % PROBLEMS, layout,
                  _i / PROBLEMS ? HYMG_TRANSPORT_STAGED : HYMG_TRANSPORT_AUTO, 0, true);
}
END_TEST

START_TEST(boxes_cut_at_odd_cells)
{
  const support_layout layout = {.boxes = {2, 2, 1}};
  const bool peer = _i / CUT_PROBLEMS && !is_single() && has_own_gpus();
  check_transport(CUT + _i % CUT_PROBLEMS, layout, peer ? HYMG_TRANSPORT_PEER : HYMG_TRANSPORT_AUTO,
                  0, false);
}
END_TEST

/* ---- pairs ---- */

/* All graphs that may be distributed, most of them, graph 1 at most; what is chosen. */
static const int64_t least[] = {0, 60, 1500, -1};
enum { LEAST = sizeof least / sizeof *least };

static int64_t nodes_of(const hymgi_graph *g)
{
  int64_t n = g->n;
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return n;
}

/* Graphs of at least so many nodes, and no others, are in parts, which are on the GPUs. */
static const char *judge_parts(const struct hymgi_pairs *p, int64_t size)
{
  const char *why = NULL;
  if (is_single()) return p->gathered == HYMGI_MAX_GRAPHS ? NULL : "one rank distributes graphs";
  if (!p->active || p->gathered == HYMGI_MAX_GRAPHS) return "no parts";
  for (int l = 1; l < p->gathered; l++)
    if (nodes_of(p->graph + l) < size) why = "a small graph is in parts";
  if (size == 60 && p->gathered < 3) why = "large graphs are on one rank";
  for (int l = 0; l < p->gathered; l++)
    if (!p->graph[l].halo || !p->graph[l].memory->on_device) why = "a part is not on its GPU";
  return why;
}

static void check_parts(int64_t size, support_layout layout, hymg_transport transport)
{
  const twin t = robust_twin(PAIRED);
  const twin_way way = {
      .name = "parts", .backend = HYMG_BACKEND_CUDA, .transport = transport, .gather_cells = size};
  layout.context = support_context(MPI_COMM_WORLD, 1);
  hymgi_kernel_form_from(layout.context, "graph_sweeps", 30);
  twin_open o = twin_begin(&t, &way, &layout);
  support_all_agree(judge_parts(o.k.solver->h.pairs, size), "parts");
  twin_solution want[2], got[2];
  for (int m = 0; m < 2; m++)
    got[m] = twin_solve(&o);
  twin_end(&o);
  ask(&t, &twin_host, &layout, want);
  for (int m = 0; m < 2; m++) {
    support_all_agree(twin_unlike_solution(got + m, want + m), "parts");
    twin_solution_free(want + m);
    twin_solution_free(got + m);
  }
  hymg_context_destroy(&layout.context);
}

START_TEST(pairs_in_parts)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  const support_layout one = {.boxes = {0, 0, 0}};
  const support_layout some = {.boxes = {2, 2, 2}, .owner = scattered, .owner_user = &ranks};
  check_parts(least[_i % LEAST], _i / LEAST % 2 ? some : one,
              _i / LEAST / 2 ? HYMG_TRANSPORT_AUTO : HYMG_TRANSPORT_STAGED);
}
END_TEST

/* FV4's marches, of one box a rank and of several. */
START_TEST(limited_faces)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  const support_layout one = {.boxes = {1, 1, ranks == 3 ? 1 : ranks}};
  const support_layout some = {.boxes = {2, 2, 2}, .owner = scattered, .owner_user = &ranks};
  check_transport(LIMITED + _i / 2, _i % 2 ? some : one, HYMG_TRANSPORT_AUTO, 0, true);
}
END_TEST

static Suite *make_suite(void)
{
  Suite *suite = suite_create("the robust path on ranks with GPUs");
  TCase *t = tcase_create("solves");
  tcase_add_loop_test(t, staged, 0, 2 * PROBLEMS);
  tcase_add_loop_test(t, peers, 0, 4 * PROBLEMS);
  tcase_add_loop_test(t, nccl, 0, PROBLEMS);
  tcase_add_loop_test(t, boxes_that_do_not_merge, 0, PROBLEMS);
  tcase_add_loop_test(t, forms_that_differ_between_ranks, 0, 2 * PROBLEMS);
  tcase_add_loop_test(t, boxes_cut_at_odd_cells, 0, 2 * CUT_PROBLEMS);
  tcase_add_loop_test(t, limited_faces, 0, 4);
  suite_add_tcase(suite, t);
  TCase *pairs = tcase_create("pairs");
  tcase_set_timeout(pairs, 0);
  tcase_add_loop_test(pairs, pairs_in_parts, 0, 4 * LEAST);
  suite_add_tcase(suite, pairs);
  return suite;
}

int main(int argc, char **argv)
{
  return support_main_gpus(argc, argv, NULL, INT_MAX, make_suite);
}
