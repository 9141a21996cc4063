/* Host and GPU give the same bits on any number of ranks, which share the GPUs: merged boxes, boxes
 * that do not merge, ranks without any, levels that gather on fewer ranks, levels of the host below
 * those of the GPU. */
#include "support/mpi_gpu.h"

#include <stdlib.h>

#include "kernel_table.h"

static const twin cases[] = {
    {HYMG_FV2, .n = {16, 32, 24}, .boundary = "dd dd dd"},
    {HYMG_FV4, .n = {16, 32, 24}, .boundary = "dd pp dd"},
    {HYMG_FV4, .n = {16, 32, 24}, .boundary = "pp pp pp", .smoother = HYMG_CHEBYSHEV},
    {HYMG_FV2, .n = {16, 32, 24}, .boundary = "nd pp dd", .smoother = HYMG_JACOBI,
     .boundaries = true},
    {HYMG_FV4, .n = {24, 12, 24}, .boundary = "dd dd dd", .smoother = HYMG_L1JACOBI},
    {HYMG_FV2, .n = {24, 12, 24}, .boundary = "pp pp pp", .method = HYMG_MGPCG},
};
enum { CASES = sizeof cases / sizeof *cases };

static twin twin_of_case(int index)
{
  const twin *c = &cases[index % CASES];
  twin t = twin_of(c->stencil, c->n[0], c->n[1], c->n[2], c->boundary);
  t.smoother = c->smoother;
  t.boundaries = c->boundaries;
  t.bottom = (hymg_bottom)(index % 5);
  if (c->method == HYMG_MGPCG) t.method = HYMG_MGPCG, t.cycle = HYMG_CYCLE_V;
  return t;
}

static void check(int index, support_layout layout, const char *boxes)
{
  const twin t = twin_of_case(index);
  char where[200];
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_answer want = twin_ask(&t, &twin_host, &layout);
  for (int way = 0; way < TWIN_WAYS; way += twin_emulated() ? 2 : 1) {
    twin_answer got = twin_ask(&t, &twin_ways[way], &layout);
    snprintf(where, sizeof where, "%s, case %d, %s", boxes, index % CASES, twin_ways[way].name);
    support_all_agree(twin_unlike(&got, &want), where);
    twin_answer_free(&got);
  }
  twin_answer_free(&want);
  hymg_context_destroy(&layout.context);
}

START_TEST(default_boxes)
{
  check(_i, (support_layout){.boxes = {0, 0, 0}}, "default boxes");
}
END_TEST

START_TEST(more_ranks_than_boxes)
{
  check(_i, (support_layout){.boxes = {1, 2, 1}}, "2 boxes");
}
END_TEST

/* Neighbours never share a rank. */
static int scattered(const int box[3], void *user)
{
  const int *ranks = user;
  return (box[0] + 3 * box[1] + 5 * box[2]) % *ranks;
}

/* An L of three boxes and one that is alone, in turn. */
static int corners(const int box[3], void *user)
{
  const int *ranks = user;
  return (box[0] && box[1]) ^ (box[2] & 1) ? 0 : *ranks - 1;
}

START_TEST(boxes_that_do_not_merge)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  support_layout layout = {.boxes = {2, 2, 4}, .owner_user = &ranks};
  layout.owner = _i % 2 ? scattered : corners;
  check(_i / 2, layout, "scattered boxes");
}
END_TEST

/* Those of FV4, in boxes with boundaries across x and neighbours along z, and along y. */
START_TEST(kernels_of_large_levels)
{
  const int ranks = support_ranks(MPI_COMM_WORLD), kind = _i % 4, both = _i / 4;
  if (both && ranks != 4) return;
  twin t = twin_of(HYMG_FV4, 128, 8, 4 * ranks, kind / 2 ? "dd pp dd" : "dd dd dd");
  t.smoother = kind % 2 ? HYMG_CHEBYSHEV : HYMG_GSRB;
  const twin_way way = {.name = "large", .backend = HYMG_BACKEND_CUDA};
  support_layout layout = {.boxes = {1, both ? 2 : 1, both ? ranks / 2 : ranks}};
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_answer want = twin_ask(&t, &twin_host, &layout);
  const bool chosen = hymgi_kernel_form_from(layout.context, "fv4_march", 1) &&
                      hymgi_kernel_form_from(layout.context, "fv4_march_tma", 1);
  twin_answer got = twin_ask(&t, &way, &layout);
  support_all_agree(chosen ? twin_unlike(&got, &want) : "no choice", "large");
  twin_answer_free(&want);
  twin_answer_free(&got);
  hymg_context_destroy(&layout.context);
}
END_TEST

static Suite *make_suite(void)
{
  Suite *suite = suite_create("same bits on ranks with GPUs");
  TCase *t = tcase_create("solves");
  tcase_add_loop_test(t, default_boxes, 0, CASES);
  tcase_add_loop_test(t, more_ranks_than_boxes, 0, 2);
  tcase_add_loop_test(t, boxes_that_do_not_merge, 0, twin_emulated() ? CASES : 2 * CASES);
  tcase_add_loop_test(t, kernels_of_large_levels, 0, 8);
  suite_add_tcase(suite, t);
  return suite;
}

int main(int argc, char **argv)
{
  return support_main_gpus(argc, argv, NULL, INT_MAX, make_suite);
}
