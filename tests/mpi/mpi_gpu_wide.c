/* Ranks with GPUs whose levels have layers of neighbours' cells: the bits of the host without layers, for any depth, stencil
 * and smoother, by any transport, with the kernels of small and of large levels; boxes may be less wide than the layers. */
#define _GNU_SOURCE
#include "support/comm.h"
#include "support/device_messages.h"
#include "support/mpi_gpu.h"

/* One box a rank along an axis or, on four ranks, two along two axes. */
typedef struct shape {
  int cut[3];
  const char *boundary;
  bool constant_beta;
  double a;
  int size[2]; /* cells of the boxes along the axis, in turn */
} shape;

static const shape shapes[] = {
    {{0, 0, 1}, "dd dd dd", false, 0, {8, 8}},   {{0, 0, 1}, "nd dd pp", false, 0.75, {16, 8}},
    {{0, 1, 0}, "dd pp dn", true, 0, {12, 20}},  {{1, 0, 0}, "pp nd dd", false, 0, {8, 8}},
    {{1, 0, 0}, "dd dd dd", false, 0, {12, 20}}, {{0, 1, 1}, "dn pp dd", true, 0.75, {8, 8}},
    {{1, 1, 0}, "dd dd dd", false, 0.5, {8, 8}}, {{1, 0, 1}, "pp pp pp", false, 1, {12, 12}},
    {{0, 0, 1}, "dd nn dd", false, 0, {13, 11}},
};
/* PLAIN: the one without alpha and fields of beta. */
enum { SHAPES = sizeof shapes / sizeof *shapes, PLAIN = 2 };

typedef struct variant {
  hymg_stencil stencil;
  hymg_smoother smoother;
  int layers, sweeps;
  const char *form; /* a kernel of large levels, or NULL */
  hymg_method method;
  hymg_cycle cycle;
  hymg_path path;
  hymg_transfer transfer;
  int whole; /* levels of fewer cells are on all ranks that exchange by messages, on one with peers; 0: none */
} variant;

/* clang-format off */
static const variant variants[] = {
    {HYMG_FV2, HYMG_GSRB, 1, 6, NULL, HYMG_MG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_GSRB, 64, 6, "fv2_gsrb_fused", HYMG_MG, HYMG_CYCLE_V, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_GSRB, 4, 10, "fv2_gsrb_fused", HYMG_FMG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_GSRB, 64, 2, "fv2_gsrb_march", HYMG_MG, HYMG_CYCLE_W, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_GSRB, 64, 100, NULL, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV4, HYMG_GSRB, 2, 6, NULL, HYMG_MG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV4, HYMG_GSRB, 6, 6, "fv4_march", HYMG_MG, HYMG_CYCLE_V, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV4, HYMG_GSRB, 8, 4, NULL, HYMG_FMG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV4, HYMG_GSRB, 64, 6, "fv4_march_tma", HYMG_MG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV4, HYMG_GSRB, 64, 2, NULL, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_JACOBI, 3, 6, "fv2_relax_fused", HYMG_MG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_CHEBYSHEV, 4, 12, "fv2_relax_march", HYMG_MG, HYMG_CYCLE_V, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_CHEBYSHEV, 8, 6, NULL, HYMG_FMG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_L1JACOBI, 64, 5, NULL, HYMG_MG, HYMG_CYCLE_W, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV4, HYMG_CHEBYSHEV, 4, 6, "fv4_march", HYMG_MG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV4, HYMG_JACOBI, 8, 7, NULL, HYMG_MG, HYMG_CYCLE_V, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV4, HYMG_CHEBYSHEV, 64, 6, "fv4_march_tma", HYMG_FMG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_GSRB, 64, 2, NULL, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_PATH_ROBUST, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_GSRB, 8, 6, "fv2_both_colours", HYMG_MG, HYMG_CYCLE_W, HYMG_PATH_ROBUST, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_GSRB, 4, 4, "fv2_gsrb_fused", HYMG_MG, HYMG_CYCLE_V, HYMG_PATH_ROBUST, HYMG_TRANSFER_TENSOR, 0},
    {HYMG_FV2, HYMG_GSRB, 4, 4, NULL, HYMG_MG, HYMG_CYCLE_V, HYMG_PATH_ROBUST, HYMG_TRANSFER_PAIRS, 0},
    {HYMG_FV2, HYMG_CHEBYSHEV, 4, 6, "fv2_relax_march", HYMG_MG, HYMG_CYCLE_V, HYMG_PATH_ROBUST, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV4, HYMG_GSRB, 4, 4, NULL, HYMG_MG, HYMG_CYCLE_V, HYMG_PATH_ROBUST, HYMG_TRANSFER_AUTO, 0},
    {HYMG_FV2, HYMG_GSRB, 64, 6, NULL, HYMG_MG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 1 << 20},
    {HYMG_FV2, HYMG_GSRB, 64, 6, "fv2_gsrb_fused", HYMG_FMG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 200},
    {HYMG_FV2, HYMG_GSRB, 8, 4, "fv2_gsrb_fused", HYMG_MG, HYMG_CYCLE_W, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 200},
    {HYMG_FV2, HYMG_CHEBYSHEV, 64, 6, "fv2_relax_march", HYMG_MG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 1 << 20},
    {HYMG_FV2, HYMG_GSRB, 12, 2, NULL, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 200},
    {HYMG_FV4, HYMG_GSRB, 64, 6, NULL, HYMG_MG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 200},
    {HYMG_FV4, HYMG_GSRB, 64, 6, "fv4_march_tma", HYMG_FMG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 1 << 20},
    {HYMG_FV4, HYMG_GSRB, 12, 4, "fv4_march", HYMG_MG, HYMG_CYCLE_W, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 200},
    {HYMG_FV4, HYMG_JACOBI, 64, 5, NULL, HYMG_MG, HYMG_CYCLE_F, HYMG_PATH_STANDARD, HYMG_TRANSFER_AUTO, 1 << 20},
};
/* clang-format on */
enum { VARIANTS = sizeof variants / sizeof *variants };

static int axes_of(const shape *s)
{
  return s->cut[0] + s->cut[1] + s->cut[2];
}

/* Boxes, their sizes in `cuts`, and the cells along each axis. */
static support_layout boxes_of(const shape *s, int cuts[16], int n[3])
{
  support_layout layout = {.boxes = {1, 1, 1}};
  const int boxes = axes_of(s) > 1 ? 2 : support_ranks(MPI_COMM_WORLD);
  for (int axis = 0; axis < 3; axis++) {
    n[axis] = 16;
    if (!s->cut[axis]) continue;
    layout.boxes[axis] = boxes, layout.cuts[axis] = cuts;
    n[axis] = 0;
    for (int b = 0; b < boxes; b++)
      n[axis] += cuts[b] = s->size[b % 2];
  }
  return layout;
}

/* On the standard path boxes of unequal sizes are not those of the levels, of which a rank may then have two, and no layers. */
static void compare(const shape *s, const variant *v, hymg_transport transport)
{
  int cuts[16], n[3];
  support_layout layout = boxes_of(s, cuts, n);
  char boundary[9];
  for (int m = 0; m < 9; m++) /* FV4 has no Neumann boundaries here */
    boundary[m] = v->stencil == HYMG_FV4 && v->path == HYMG_PATH_STANDARD && s->boundary[m] == 'n'
                      ? 'd'
                      : s->boundary[m];
  twin t = twin_of(v->stencil, n[0], n[1], n[2], boundary);
  twin_way way = with(transport, HYMG_MEMORY_DEVICE);
  char where[100];
  hymg_level_info info;
  t.constant_beta = s->constant_beta;
  t.a = s->a;
  t.sweeps = v->sweeps, t.method = v->method, t.cycle = v->cycle, t.smoother = v->smoother;
  t.path = v->path, t.transfer = v->transfer;
  way.gather_cells = v->whole ? v->whole : 1, way.gather_all = v->whole > 0;
  way.halo_layers = v->layers;
  layout.context = support_context(MPI_COMM_WORLD, 1);
  if (v->form) ck_assert(hymgi_kernel_form_from(layout.context, v->form, 1));
  snprintf(where, sizeof where, "shape %d, variant %d, %s", (int)(s - shapes), (int)(v - variants),
           hymg_transport_name(transport));
  twin_open host = twin_begin(&t, &twin_host, &layout), o = twin_begin(&t, &way, &layout);
  OK(layout.context, hymg_solver_level(o.k.solver, 0, &info));
  const bool wide = v->path == HYMG_PATH_ROBUST || s->size[0] == s->size[1];
  support_all_agree(!wide || info.halo_layers >= 4 ? NULL : "no layers", where);
  for (int m = 0; m < 2; m++) { /* the second one plays a recording back */
    twin_solution want = twin_solve(&host), got = twin_solve(&o);
    support_all_agree(twin_unlike_solution(&got, &want), where);
    twin_solution_free(&got);
    twin_solution_free(&want);
  }
  twin_end(&o);
  twin_end(&host);
  hymg_context_destroy(&layout.context);
}

/* Around a periodic axis the layers of so many sweeps are many times the box. */
enum { MANY = 20 };

/* Emulated GPUs, and small tests, take a part of the shapes for each variant, other ones for each transport and number of
 * ranks; small tests on emulated GPUs one shape for each variant, with two of the transports. */
static void check_variant(int index, int part, hymg_transport transport)
{
  const int ranks = support_ranks(MPI_COMM_WORLD);
  const int parts = support_small() || twin_emulated() ? SHAPES : 1;
  int fit[SHAPES], count = 0;
  if (is_single()) return;
  for (int m = 0; m < SHAPES; m++) {
    if (axes_of(shapes + m) > 1 && ranks != 4) continue;
    if (variants[index].sweeps > MANY && strchr(shapes[m].boundary, 'p')) continue;
    fit[count++] = m;
  }
  for (int m = 0; m < count && !twin_least(); m++)
    if ((fit[m] + index + part + ranks) % parts == 0)
      compare(shapes + fit[m], variants + index, transport);
  if (twin_least() && part == 0 && index % 10 == 1) /* with marches, too */
    compare(shapes + PLAIN, variants + index, transport);
  if (twin_least() && (index + part) % 2 == 0)
    compare(shapes + fit[(index + index / count + part + ranks + 1) % count], variants + index,
            transport);
}

START_TEST(staged_messages)
{
  check_variant(_i, 0, HYMG_TRANSPORT_STAGED);
}
END_TEST

START_TEST(device_messages)
{
  pretend(1);
  if (MPIX_Query_cuda_support() == 1) check_variant(_i, 1, HYMG_TRANSPORT_DEVICE);
  pretend(-1);
}
END_TEST

START_TEST(peers)
{
  if (has_own_gpus()) check_variant(_i, 2, HYMG_TRANSPORT_PEER);
}
END_TEST

START_TEST(nccl)
{
  if (*hymg_build_info().nccl && has_own_gpus()) check_variant(_i, 3, HYMG_TRANSPORT_NCCL);
}
END_TEST

static Suite *make_suite(void)
{
  Suite *suite = suite_create("layers of neighbours' cells on GPUs");
  TCase *t = tcase_create("the bits of the host");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, staged_messages, 0, VARIANTS);
  tcase_add_loop_test(t, device_messages, 0, VARIANTS);
  tcase_add_loop_test(t, peers, 0, VARIANTS);
  tcase_add_loop_test(t, nccl, 0, VARIANTS);
  suite_add_tcase(suite, t);
  return suite;
}

int main(int argc, char **argv)
{
  return support_main_gpus(argc, argv, NULL, INT_MAX, make_suite);
}
