/* More than 2^31 cells without the memory for them: addresses by formulas in wider integers, and copies
 * at the far end of vectors of which only some pages are ever touched. */
#define _GNU_SOURCE
#include "multigrid/backend.h"
#include "support/support.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

__extension__ typedef __int128 wide;

static const int sides[][3] = {
    {1536, 1536, 1024},      /* 2,415,919,104 cells */
    {46342, 46342, 2},       /* a plane of more than 2^31 cells */
    {INT_MAX / 8 * 2, 3, 2}, /* a row of 2^29 cells, a plane of more than 2^30 */
    {4, 4, INT_MAX / 4 - 2}, /* many small planes */
};
enum { SIDES = sizeof sides / sizeof *sides };

/* Memory that the system gives page by page when it is touched; NULL: not that much. */
static double *sparse(size_t doubles)
{
  void *const data = mmap(NULL, doubles * sizeof(double), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? NULL : data;
}

static hymgi_geom box_of(const int n[3], int split)
{
  hymgi_geom g = {.n = {n[0], n[1], n[2]}, .ghost = 2, .split = split};
  hymgi_geom_layout(&g, HYMGI_LINE);
  return g;
}

START_TEST(addresses_are_exact)
{
  for (int split = 0; split < 2; split++) {
    const hymgi_geom g = box_of(sides[_i], split);
    const wide slots = split ? (g.n[0] + 1) / 2 + 2 : g.n[0] + 4;
    const wide pitch = (slots + HYMGI_LINE - 1) / HYMGI_LINE * HYMGI_LINE;
    wide plane = pitch * (g.n[1] + 4);
    if (plane % 512 == 0) plane += HYMGI_LINE;
    const wide half = plane * (g.n[2] + 4) + HYMGI_LINE;
    ck_assert(g.pitch == pitch && g.plane == plane && (!split || g.half == half));
    ck_assert(g.size == half * (split ? 2 : 1) + 2 * HYMGI_LINE);
    const int corner[][3] = {
        {0, 0, 0}, {g.n[0] - 1, g.n[1] - 1, g.n[2] - 1}, {g.n[0] - 1, 0, g.n[2]}};
    for (int m = 0; m < 3; m++) {
      const int *const c = corner[m], black = split && (c[0] + c[1] + c[2]) % 2;
      const wide at = HYMGI_LINE + 2 * (pitch + plane) + c[2] * plane + c[1] * pitch +
                      (black ? half : 0) + (split ? c[0] / 2 : c[0]);
      ck_assert(hymgi_at(&g, c[0], c[1], c[2]) == at && at < (wide)g.size);
    }
  }
}
END_TEST

/* The backend's copies within a rank, and into and out of a message, at the far corner. */
START_TEST(copies_reach_the_far_corner)
{
  const hymgi_mover *const mover = &hymgi_cpu_backend()->mover;
  hymg_context *context = NULL;
  OK(context, hymg_context_create(NULL, &context));
  for (int split = 0; split < 2; split++) {
    const hymgi_geom g = box_of(sides[_i], split);
    double *const x = sparse((size_t)g.size), *const y = sparse((size_t)g.size);
    ck_assert_msg(x && y, "no %.1f GB of addresses", 8e-9 * (double)g.size);
    const int low[3] = {g.n[0] - 4, g.n[1] - 2, g.n[2] - 2}, n[3] = {4, 2, 2};
    double buffer[16];
    for (int c = 0; c < 16; c++)
      x[hymgi_at(&g, low[0] + c % 4, low[1] + c / 4 % 2, low[2] + c / 8)] = c + 1;
    hymgi_copy copy = {.n = {4, 2, 2}};
    hymgi_piece piece = {.n = {4, 2, 2}};
    memcpy(copy.src, low, sizeof low);
    memcpy(copy.dst, low, sizeof low);
    memcpy(piece.low, low, sizeof low);
    hymgi_plan plan = {.threads = 1, .num_local = 1, .local = &copy};
    mover->local(context, &plan, &g, x, &g, y);
    plan = (hymgi_plan){.threads = 1, .num_pack = 1, .pack = &piece, .send_buffer = buffer};
    mover->pack(context, &plan, &g, x);
    for (int c = 0; c < 16; c++) {
      ck_assert_double_eq(buffer[c], c + 1);
      ck_assert_double_eq(y[hymgi_at(&g, low[0] + c % 4, low[1] + c / 4 % 2, low[2] + c / 8)],
                          c + 1);
      buffer[c] = -buffer[c];
    }
    plan = (hymgi_plan){.threads = 1, .num_unpack = 1, .unpack = &piece, .receive_buffer = buffer};
    mover->unpack(context, &plan, &g, y, NULL);
    for (int c = 0; c < 16; c++)
      ck_assert_double_eq(y[hymgi_at(&g, low[0] + c % n[0], low[1] + c / 4 % 2, low[2] + c / 8)],
                          -c - 1);
    munmap(x, (size_t)g.size * sizeof *x);
    munmap(y, (size_t)g.size * sizeof *y);
  }
  hymg_context_destroy(&context);
}
END_TEST

/* A user's array in which neighbouring rows and planes are 2^30 and 2^32 entries apart. */
START_TEST(user_arrays_may_have_huge_strides)
{
  enum { N = 4, CELLS = N * N * N };
  const ptrdiff_t stride[3] = {_i ? -1 : 1, (ptrdiff_t)1 << 30, (ptrdiff_t)1 << 32};
  const size_t size = (size_t)N << 32;
  const int low[3] = {0, 0, 0}, count[3] = {N, N, N};
  double *const array = sparse(size);
  ck_assert_msg(array, "no %.1f GB of addresses", 8e-9 * (double)size);
  double *const first = _i ? array + N - 1 : array;
  support_case c = support_case_of(HYMG_FV2, count, "dd dn pp", 0);
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  support_kit k = support_open(&c.spec, NULL, &o);
  double *f = support_random(CELLS, -1, 1, 3);
  hymg_field *rhs = support_field(&k, 0, f), *u = support_field(&k, 0, f), *wrapped = NULL;
  OK(k.context, hymg_solve(k.solver, rhs, u, NULL));
  double *want = support_read(&k, 0, u);
  for (int m = 0; m < CELLS; m++)
    first[m % N * stride[0] + m / N % N * stride[1] + m / N / N * stride[2]] = f[m];
  OK(k.context, hymg_field_wrap(k.grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, low, count, stride,
                                first, &wrapped));
  OK(k.context, hymg_field_fill(u, NAN));
  OK(k.context, hymg_solve(k.solver, wrapped, u, NULL));
  OK(k.context, hymg_field_copy(u, wrapped));
  for (int m = 0; m < CELLS; m++)
    ck_assert_double_eq(first[m % N * stride[0] + m / N % N * stride[1] + m / N / N * stride[2]],
                        want[m]);
  OK(k.context, hymg_field_read(rhs, low, count, stride, first, HYMG_HOST));
  ck_assert_double_eq(first[3 * (stride[0] + stride[1] + stride[2])], f[CELLS - 1]);
  OK(k.context, hymg_field_write(u, low, count, stride, first, HYMG_HOST));
  double *got = support_read(&k, 0, u);
  ck_assert(support_same_bits(CELLS, got, f));
  hymg_field_destroy(&wrapped);
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  free(f);
  free(want);
  free(got);
  munmap(array, size * sizeof *array);
}
END_TEST

/* Levels, cells and boxes of large grids, of which nothing is allocated. */
START_TEST(large_grids_are_planned_exactly)
{
  hymg_context *context = NULL;
  hymg_grid *grid = NULL;
  hymg_need need;
  hymg_grid_desc g = hymg_grid_desc_default();
  const hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_options o = support_options(hymg_options_default());
  o.path = HYMG_PATH_STANDARD;
  memcpy(g.n, sides[0], sizeof g.n);
  for (int axis = 0; axis < 3; axis++)
    g.boxes[axis] = 8;
  OK(context, hymg_context_create(NULL, &context));
  OK(context, hymg_grid_create(context, &g, &grid));
  ck_assert(hymg_grid_cells(grid) == (int64_t)2415919104);
  OK(context, hymg_solver_need(grid, &desc, HYMG_VARIABLE_BETA, &o, &need));
  for (int l = 0; l + 1 < need.num_levels; l++)
    for (int axis = 0; axis < 3; axis++)
      ck_assert_int_eq(need.level[l].cells[axis], sides[0][axis] >> l);
  const double bytes = need.level[0].vectors + need.level[0].coefficients;
  ck_assert_msg(bytes > 40. * 2415919104 && bytes < 45. * 2415919104, "%g bytes", bytes);
  hymg_grid_destroy(&grid);
  g.n[0] = g.n[1] = g.n[2] = INT_MAX / 4; /* 1.5e26 cells */
  support_assert_error(context, hymg_grid_create(context, &g, &grid), HYMG_EINVAL, "4e18", NULL);
  hymg_context_destroy(&context);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("huge");
  TCase *t = tcase_create("all");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, addresses_are_exact, 0, SIDES);
  if (sizeof(void *) == 8) {
    tcase_add_loop_test(t, copies_reach_the_far_corner, 0, SIDES);
    tcase_add_loop_test(t, user_arrays_may_have_huge_strides, 0, 2);
  }
  tcase_add_test(t, large_grids_are_planned_exactly);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
