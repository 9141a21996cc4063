/* Host and GPU give the same bits for any shape and combination of options, and wherever parts of a
 * cycle run: in a graph, at the coarse end in one launch, or on the host. */
#include <string.h>

#include "kernel_table.h"
#include "support/twin.h"

static hymg_stencil stencil_of(int which)
{
  return which % 2 ? HYMG_FV4 : HYMG_FV2;
}

/* ---- shapes ---- */

static const int shapes[][3] = {{8, 8, 8},    {16, 16, 16}, {24, 8, 16}, {12, 12, 12},
                                {20, 20, 20}, {40, 24, 56}, {7, 9, 10},  {33, 6, 5},
                                {2, 34, 6},   {10, 6, 18},  {1, 8, 1},   {1, 1, 1},
                                {4, 4, 64},   {66, 2, 2},   {128, 6, 4}, {17, 13, 11}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

START_TEST(every_shape)
{
  static const char *const mixes[3] = {"dd dd dd", "pp pp pp", "pp dd pp"};
  int n[3];
  support_shape(stencil_of(_i), shapes[_i / 2], n);
  const int cells = n[0] * n[1] * n[2];
  const int step = !twin_emulated() ? 1 : cells > 2000 ? 6 : support_small() ? 3 : 1;
  if (twin_emulated() && support_small() && cells > 3000) return;
  for (int m = _i / 2 % step; m < 6; m += step) {
    twin t = twin_of(stencil_of(_i), n[0], n[1], n[2], mixes[m % 3]);
    t.smoother = m / 3 ? HYMG_CHEBYSHEV : HYMG_GSRB;
    t.a = m % 3 == 1 ? 1.0 : 0.0;
    twin_check(&t, &twin_ways[0]);
  }
}
END_TEST

/* The host, and a GPU that uses the kernels of this name on levels of so many cells. */
static void check_kernels_from(int64_t cells, const twin *t, const char *const kernels[], int count)
{
  const twin_way way = {.name = "large", .backend = HYMG_BACKEND_CUDA};
  support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  ck_assert_int_eq(hymg_context_create(NULL, &layout.context), HYMG_OK);
  for (int k = 0; k < count; k++)
    ck_assert(hymgi_kernel_form_from(layout.context, kernels[k], cells));
  twin_answer want = twin_ask(t, &twin_host, &layout), got = twin_ask(t, &way, &layout);
  const char *what = twin_unlike(&got, &want);
  ck_assert_msg(what == NULL, "%d x %d x %d, %s, smoother %d: %s", t->n[0], t->n[1], t->n[2],
                t->boundary, (int)t->smoother, what);
  twin_answer_free(&want);
  twin_answer_free(&got);
  hymg_context_destroy(&layout.context);
}

static void check_kernels(const twin *t, const char *const kernels[], int count)
{
  check_kernels_from(1, t, kernels, count);
}

/* Kernels for large levels: z-marches, for FV2 also with both colours fused. */
static void check_large_kernels(hymg_stencil stencil, const int n[3], int mixture)
{
  static const char *const kernels[] = {"fv2_gsrb_march", "fv2_both_colours", "fv4_march",
                                        "fv2_relax_march", "fv2_gsrb_fused"};
  static const char *const boundaries[] = {"dd dd dd", "dd dd dd", "pp dd pp", "dd pp pp",
                                           "dd dd dd"};
  twin t = twin_of(stencil, n[0], n[1], n[2], boundaries[mixture]);
  t.smoother = mixture == 1 ? HYMG_CHEBYSHEV : mixture == 4 ? HYMG_L1JACOBI : HYMG_GSRB;
  t.a = mixture == 1 ? 1.0 : 0.0;
  check_kernels(&t, kernels, 4 + mixture % 2);
}

/* Temporal blocking, 2 sweeps per pass: several tiles and slabs and parts of them, with all
 * optional inputs, next to all kinds of boundaries. The last two cases are not supported by it. */
static const struct {
  hymg_smoother smoother;
  int sweeps;
  const char *boundary;
  double a;
  bool constant_alpha, constant_beta;
} paired[] = {{HYMG_CHEBYSHEV, -1, "dd dd dd", 0.0, false, false},
              {HYMG_CHEBYSHEV, 12, "nd dn nn", 0.75, false, false},
              {HYMG_CHEBYSHEV, -1, "dn nd dd", 0.75, true, true},
              {HYMG_CHEBYSHEV, -1, "nn dd dn", 0.75, false, true},
              {HYMG_JACOBI, 5, "nn nd dn", 0.0, false, false},
              {HYMG_JACOBI, -1, "dd dd dd", 0.75, true, false},
              {HYMG_L1JACOBI, 4, "dn dn nd", 0.75, false, false},
              {HYMG_L1JACOBI, 3, "dd nn dd", 0.0, false, true},
              {HYMG_CHEBYSHEV, -1, "dd pp dd", 0.0, false, false},
              {HYMG_JACOBI, 1, "dd dd dd", 0.0, false, false}};

START_TEST(two_sweeps_in_one_pass)
{
  static const char *const kernel[] = {"fv2_relax_fused"};
  static const int sizes[3][3] = {{68, 16, 20}, {132, 28, 36}, {4, 40, 4}};
  for (int m = 0; m < (twin_emulated() ? 1 : 3); m++) {
    twin t = twin_of(HYMG_FV2, sizes[m][0], sizes[m][1], sizes[m][2], paired[_i].boundary);
    t.smoother = paired[_i].smoother;
    t.sweeps = paired[_i].sweeps;
    t.a = paired[_i].a;
    t.constant_alpha = paired[_i].constant_alpha;
    t.constant_beta = paired[_i].constant_beta;
    check_kernels(&t, kernel, 1);
  }
}
END_TEST

START_TEST(kernels_of_large_levels)
{
  int n[3];
  support_shape(stencil_of(_i), shapes[_i / 2], n);
  const int cells = n[0] * n[1] * n[2];
  if (twin_emulated() && cells > (support_small() ? 4000 : 10000))
    return; /* large_grids has them on a GPU */
  const int step = !twin_emulated() ? 1 : cells > 4000 ? 5 : support_small() ? 3 : 1;
  for (int m = _i / 2 % step; m < 5; m += step)
    check_large_kernels(stencil_of(_i), n, m);
}
END_TEST

/* Three levels, so that a correction is smoothed from zero, with the ghosts of long rows. */
START_TEST(long_rows)
{
  check_large_kernels(HYMG_FV4, (const int[3]){256, 8, 8}, 0);
}
END_TEST

/* Planes loaded to shared memory by TMA: several blocks along each axis, partial blocks, ghosts
 * along x stored and computed on the fly; red-black Gauss-Seidel for the restricted residual. */
static const struct {
  int n[3];
  const char *boundaries;
  hymg_smoother smoother;
  double a;
  bool constant_alpha;
} rings[] = {
    {{128, 8, 8}, "dd dd dd", HYMG_CHEBYSHEV, 0, false},
    {{20, 12, 12}, "dd dd dd", HYMG_JACOBI, 1, false},
    {{12, 20, 36}, "pp dd pp", HYMG_L1JACOBI, 0.5, true},
    {{72, 8, 20}, "dd pp dd", HYMG_CHEBYSHEV, 0, false},
    {{128, 24, 6}, "dd dd pp", HYMG_GSRB, 0, false},
    {{256, 40, 72}, "dd dd dd", HYMG_CHEBYSHEV, 1, false},
    {{136, 50, 34}, "pp pp pp", HYMG_JACOBI, 1, false},
    {{192, 36, 100}, "dd dd dd", HYMG_GSRB, 0, false},
};
enum { RINGS = sizeof rings / sizeof *rings, SMALL_RINGS = 5 };

START_TEST(rings_of_planes)
{
  static const char *const kernels[] = {"fv4_march", "fv4_march_tma"};
  const int *n = rings[_i].n;
  twin t = twin_of(HYMG_FV4, n[0], n[1], n[2], rings[_i].boundaries);
  t.smoother = rings[_i].smoother;
  t.a = rings[_i].a;
  t.constant_alpha = rings[_i].constant_alpha;
  check_kernels(&t, kernels, 2);
}
END_TEST

/* FV4's forms for small levels: several tiles along each axis and parts of them, which end at a
 * boundary or at ghosts in memory; red-black Gauss-Seidel for rows split by colour. */
static const struct {
  int n[3];
  const char *boundaries;
  hymg_smoother smoother;
  double a;
  bool constant_alpha, constant_beta;
} tiles[] = {
    {{36, 10, 12}, "dd dd dd", HYMG_GSRB, 0, false, false},
    {{20, 12, 22}, "pp dd dd", HYMG_GSRB, 0.75, false, true},
    {{10, 36, 6}, "dd pp dd", HYMG_GSRB, 0.75, true, false},
    {{34, 6, 10}, "dd dd pp", HYMG_GSRB, 0, false, true},
    {{18, 14, 20}, "dd dd dd", HYMG_CHEBYSHEV, 0.75, false, true},
    {{44, 6, 10}, "pp dd dd", HYMG_JACOBI, 0, false, false},
    {{6, 20, 18}, "dd pp pp", HYMG_L1JACOBI, 0.75, true, false},
    {{28, 18, 4}, "pp pp dd", HYMG_CHEBYSHEV, 0.75, false, false},
};

START_TEST(tiles_of_small_levels)
{
  const int *n = tiles[_i].n;
  twin t = twin_of(HYMG_FV4, n[0], n[1], n[2], tiles[_i].boundaries);
  t.smoother = tiles[_i].smoother;
  t.a = tiles[_i].a;
  t.constant_alpha = tiles[_i].constant_alpha;
  t.constant_beta = tiles[_i].constant_beta;
  twin_check(&t, &twin_ways[0]);
}
END_TEST

/* FV4's smoother calls in one launch, whose blocks pass on values: small tiles and large ones (which the
 * emulation takes where a GPU has blocks enough for small ones), full ones and parts, several along each
 * axis, with and without beta and alpha; the same boxes without that form. */
static const struct {
  int n[3];
  double a;
  bool constant_alpha, constant_beta;
} shared_tiles[] = {
    {{8, 8, 8}, 0, false, false},       {{24, 16, 16}, 0.75, false, false},
    {{12, 28, 8}, 0, false, true},      {{20, 14, 22}, 0.75, true, false},
    {{64, 16, 24}, 0, false, false},    {{64, 12, 36}, 0.75, false, true},
    {{64, 32, 44}, 0.75, false, false}, {{64, 64, 64}, 0, false, false},
};
enum { SHARED_TILES = sizeof shared_tiles / sizeof *shared_tiles, SMALL_SHARED_TILES = 6 };

START_TEST(smoother_calls_in_one_launch)
{
  static const char *const kernel = "fv4_gsrb_shared";
  const int *n = shared_tiles[_i / 2].n;
  if (twin_least() && _i % 2 && _i / 2 % 3 != 1) return;
  twin t = twin_of(HYMG_FV4, n[0], n[1], n[2], "dd dd dd");
  t.a = shared_tiles[_i / 2].a;
  t.constant_alpha = shared_tiles[_i / 2].constant_alpha;
  t.constant_beta = shared_tiles[_i / 2].constant_beta;
  check_kernels_from(_i % 2 ? INT64_MAX : 1, &t, &kernel, 1);
}
END_TEST

/* Rows of an odd length, split by colour: in tiles, by cells, in marches, in one pass with wide and narrow tiles;
 * with rows that end in a first and in a second slot, next to all kinds of boundaries. Coarse ends of odd sides, from
 * the first level that one launch does. */
static const struct {
  int n[3];
  const char *boundary;
  double a;
  bool constant_beta;
} odd_rows[] = {{{9, 8, 10}, "dd dd dd", 0, false},   {{11, 5, 7}, "dn nd dd", 0.5, false},
                {{33, 18, 9}, "nd dd dn", 0, true},   {{21, 12, 8}, "dd pp dd", 0, false},
                {{65, 17, 5}, "dd dd nd", 0, false},  {{35, 34, 6}, "dd dd dd", 0.5, true},
                {{129, 3, 4}, "dd dd pp", 0, false},  {{131, 18, 5}, "dd dd dd", 0.5, false},
                {{17, 16, 12}, "dn pp pp", 1, false}, {{9, 9, 9}, "dd dd dd", 0, false},
                {{7, 7, 9}, "dd dd dd", 0, false},    {{25, 10, 14}, "dd dd dd", 0, false}};
enum { ODD_ROWS = sizeof odd_rows / sizeof *odd_rows };

static const struct {
  const char *name[4];
  int count;
  int64_t from; /* of FV2_GSRB_FUSED_NARROW, in per cent; 0: as it is */
} odd_kernels[] = {{{"fv2_gsrb_tile"}, 1, 0},
                   {{"fv2_gsrb_point"}, 1, 0},
                   {{"fv2_gsrb_point", "fv2_gsrb_march", "fv2_both_colours"}, 3, 0},
                   {{"fv2_gsrb_fused", "fv2_both_colours", "interpolate_wide"}, 3, 1},
                   {{"fv2_gsrb_fused", "fv2_both_colours"}, 2, INT64_MAX}};
enum { ODD_KERNELS = sizeof odd_kernels / sizeof *odd_kernels };

START_TEST(rows_of_an_odd_length)
{
  const int r = _i / ODD_KERNELS, k = _i % ODD_KERNELS, *n = odd_rows[r].n;
  if (twin_least() && (r + k) % 2) return;
  const twin_way way = {
      .name = "odd rows", .backend = HYMG_BACKEND_CUDA, .tail_cells = k % 2 ? 1 : -1};
  twin t = twin_of(HYMG_FV2, n[0], n[1], n[2], odd_rows[r].boundary);
  t.a = odd_rows[r].a, t.constant_beta = odd_rows[r].constant_beta;
  t.cycle = (r + k) % 3 ? HYMG_CYCLE_F : HYMG_CYCLE_V;
  t.method = (r + k) % 3 ? HYMG_MG : HYMG_MGPCG;
  support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  ck_assert_int_eq(hymg_context_create(NULL, &layout.context), HYMG_OK);
  for (int m = 0; m < odd_kernels[k].count; m++)
    ck_assert(hymgi_kernel_form_from(layout.context, odd_kernels[k].name[m], 1));
  if (odd_kernels[k].from)
    ck_assert(hymgi_kernel_form_from(layout.context, "fv2_gsrb_fused_narrow", odd_kernels[k].from));
  twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
  const char *what = twin_unlike(&got, &want);
  ck_assert_msg(what == NULL, "%d x %d x %d, %s, kernels %d: %s", n[0], n[1], n[2], t.boundary, k,
                what);
  twin_answer_free(&want);
  twin_answer_free(&got);
  hymg_context_destroy(&layout.context);
}
END_TEST

static int num_forms(void)
{
  int count = 0;
  while (hymgi_kernel_form_name(count))
    count++;
  return count;
}

/* No form is needed: the same bits without each, where all others are taken from one cell on, or (on a GPU) where
 * the library chooses them; cycles from 16^3 down in one launch as far as there are kernels for it. */
START_TEST(without_a_form)
{
  const bool as_chosen = _i >= num_forms();
  const twin_way way = {.name = hymgi_kernel_form_name(_i % num_forms()),
                        .backend = HYMG_BACKEND_CUDA,
                        .tail_cells = 5000};
  support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  for (int fourth = 0; fourth <= 1; fourth++) {
    if (strstr(way.name, fourth ? "fv2_" : "fv4_") == way.name) continue;
    twin t = twin_of(stencil_of(fourth), 16, 16, 16, "dd dd dd");
    if (strstr(way.name, "relax") || strstr(way.name, "literal")) t.smoother = HYMG_CHEBYSHEV;
    ck_assert_int_eq(hymg_context_create(NULL, &layout.context), HYMG_OK);
    for (int form = 0; form < num_forms() && !as_chosen; form++)
      if (!strstr(hymgi_kernel_form_name(form), "overlap"))
        ck_assert(hymgi_kernel_form_from(layout.context, hymgi_kernel_form_name(form), 1));
    ck_assert(hymgi_kernel_form_from(layout.context, way.name, INT64_MAX));
    twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
    const char *what = twin_unlike(&got, &want);
    ck_assert_msg(what == NULL, "without %s, %s: %s", way.name, fourth ? "FV4" : "FV2", what);
    twin_answer_free(&want);
    twin_answer_free(&got);
    hymg_context_destroy(&layout.context);
  }
}
END_TEST

/* Boxes that are their own neighbours: both colours in one pass (whole and part tiles, rows whose slots are
 * no multiple of two, which do not take it around), in tiles, and half sweeps; FV4 in tiles. */
static const struct {
  int n[3];
  const char *boundary;
} wrapping[] = {
    {{8, 8, 8}, "pp pp pp"},   {{16, 12, 8}, "pp dd dd"},  {{20, 6, 10}, "dd pp dd"},
    {{68, 18, 4}, "pp pp dd"}, {{10, 8, 6}, "pp pp pp"},   {{12, 34, 18}, "dn pp pp"},
    {{4, 4, 8}, "pp pp pp"},   {{136, 4, 12}, "pp pp pp"}, {{24, 20, 36}, "pp nd pp"},
};
enum { WRAPPING = sizeof wrapping / sizeof *wrapping };

START_TEST(boxes_that_wrap)
{
  static const char *const fused[] = {"fv2_gsrb_fused"}, *const in_tiles[] = {"fv2_gsrb_tile",
                                                                              "fv4_gsrb_tile"};
  const int which = _i / 3, form = _i % 3;
  const bool fourth_too = !strchr(wrapping[which].boundary, 'n'); /* it has no such boundary */
  for (int fourth = 0; fourth <= fourth_too; fourth++) {
    const int *n = wrapping[which].n;
    twin t = twin_of(stencil_of(fourth), n[0], n[1], n[2], wrapping[which].boundary);
    t.a = which % 2 ? 0.75 : 0.0;
    t.constant_beta = which % 3 == 1;
    if (form == 0)
      check_kernels(&t, fused, 1);
    else
      check_kernels_from(INT64_MAX, &t, in_tiles, form == 1 ? 0 : 2);
  }
}
END_TEST

/* Few planes whose strides are literals in kernels (cuda/kernels/gsrb_args.cuh): a colour at a
 * time, and both. */
START_TEST(planes_of_large_cubes)
{
  static const int planes[7][2] = {{128, 128}, {256, 128},  {256, 256},  {512, 256},
                                   {512, 512}, {1024, 512}, {1024, 1024}};
  const int n[3] = {planes[_i / 2][0], planes[_i / 2][1], support_small() ? 4 : 8};
  check_large_kernels(stencil_of(_i), n, 0);
  if (!support_small()) check_large_kernels(stencil_of(_i), n, 3);
}
END_TEST

START_TEST(large_grids)
{
  static const int large[3][3] = {{64, 64, 64}, {128, 96, 64}, {48, 160, 80}};
  const int *n = large[_i / 2];
  for (int m = 0; m < 4; m++) {
    twin t = twin_of(stencil_of(_i), n[0], n[1], n[2], m / 2 ? "pp pp pp" : "dd dd dd");
    t.smoother = m % 2 ? HYMG_CHEBYSHEV : HYMG_GSRB;
    twin_check(&t, &twin_ways[m % 2]);
  }
}
END_TEST

/* ---- long axes ---- */

/* A grid has 65,535 blocks along z. With FV2 the number of a coarse cell times that of the tiles of interpolation
 * is beyond 2^31. */
START_TEST(long_axes)
{
  twin t = _i ? twin_of(HYMG_FV2, 2, 2, 262136, "dd dd dd")
              : twin_of(HYMG_FV4, 16, 16, 140000, "dd dd dd");
  const twin_way way = {.name = "long", .backend = HYMG_BACKEND_CUDA};
  t.cycle = HYMG_CYCLE_V;
  t.bottom = HYMG_BOTTOM_SMOOTHER;
  support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  ck_assert_int_eq(hymg_context_create(NULL, &layout.context), HYMG_OK);
  ck_assert(hymgi_kernel_form_from(layout.context, "fv4_march", 1));
  twin_open o = twin_begin(&t, &twin_host, &layout);
  twin_solution want = twin_solve(&o);
  twin_end(&o);
  o = twin_begin(&t, &way, &layout);
  twin_solution got = twin_solve(&o);
  twin_end(&o);
  twin_same_solution("long", &got, &want);
  twin_solution_free(&got);
  twin_solution_free(&want);
  hymg_context_destroy(&layout.context);
}
END_TEST

typedef struct thin_box {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_options options;
} thin_box;

/* Two cells along the other axes. */
static thin_box thin_box_along(int axis, int n, hymg_path path)
{
  thin_box b = {.options = hymg_options_default()};
  hymg_grid_desc g = hymg_grid_desc_default();
  const hymg_operator_desc d = hymg_operator_desc_default();
  g.n[0] = g.n[1] = g.n[2] = 2;
  g.n[axis] = n;
  b.options.backend = HYMG_BACKEND_CUDA;
  b.options.path = path;
  b.options.method = HYMG_MG;
  b.options.host_cells = b.options.tail_cells = 0;
  ck_assert_int_eq(hymg_context_create(NULL, &b.context), HYMG_OK);
  OK(b.context, hymg_grid_create(b.context, &g, &b.grid));
  OK(b.context, hymg_operator_create(b.grid, &d, &b.op));
  return b;
}

static void thin_box_end(thin_box *b)
{
  hymg_operator_destroy(&b->op);
  hymg_grid_destroy(&b->grid);
  hymg_context_destroy(&b->context);
}

START_TEST(a_box_too_long_is_refused)
{
  static const struct {
    int axis;
    hymg_path path;
    const char *number, *where;
  } want[] = {{1, HYMG_PATH_STANDARD, "262200", "along y"},
              {0, HYMG_PATH_STANDARD, "262200", "along x"},
              {2, HYMG_PATH_STANDARD, "262200", "along z"},
              /* while it is set up, by a kernel's own limit */
              {1, HYMG_PATH_ROBUST, "65551", "along y"}};
  thin_box b = thin_box_along(want[_i].axis, 262200, want[_i].path);
  hymg_solver *solver = NULL;
  support_assert_error(b.context, hymg_solver_create(b.op, &b.options, &solver), HYMG_EUNSUPPORTED,
                       want[_i].number, want[_i].where, "262136", NULL);
  ck_assert_ptr_null(solver);
  thin_box_end(&b);
}
END_TEST

/* ---- everything at once ---- */

static const struct {
  hymg_method method;
  hymg_cycle cycle;
} cycles[6] = {{HYMG_FMG, HYMG_CYCLE_F}, {HYMG_MG, HYMG_CYCLE_F},    {HYMG_MG, HYMG_CYCLE_V},
               {HYMG_MG, HYMG_CYCLE_W},  {HYMG_MGPCG, HYMG_CYCLE_V}, {HYMG_MGPCG, HYMG_CYCLE_W}};

START_TEST(random_mixtures)
{
  for (int m = 0; m < 16; m++) {
    const twin t = twin_random(16u * (unsigned)_i + (unsigned)m);
    if (twin_least() && m >= 8 && !t.constant_beta) continue;
    twin_check(&t, &twin_ways[m % TWIN_WAYS]);
  }
}
END_TEST

/* The result does not depend on what runs in the graph, at the coarse end or on the host, nor on
 * where vectors are allocated. */
START_TEST(every_way_to_use_the_machine)
{
  static const int sizes[3][3] = {{16, 16, 16}, {24, 8, 16}, {20, 12, 12}};
  const int *n = sizes[_i % 3];
  for (int m = 0; m < 6; m++) {
    twin t = twin_of(stencil_of(_i / 3), n[0], n[1], n[2], m % 2 ? "pp pp pp" : "dd dd dd");
    t.method = cycles[m].method;
    t.cycle = cycles[m].cycle;
    t.smoother = (hymg_smoother)((_i + m) % 4);
    t.bottom = (hymg_bottom)((_i + m) % 5);
    for (int way = twin_least() ? m % 2 : 0; way < TWIN_WAYS; way += twin_least() ? 2 : 1)
      twin_check(&t, &twin_ways[way]);
  }
}
END_TEST

int main(void)
{
  const bool few = twin_emulated(), least = few && support_small();
  Suite *suite = suite_create("shapes and ways on the GPU");
  TCase *t = tcase_create("shapes");
  tcase_add_loop_test(t, every_shape, least ? SHAPES : 0, 2 * SHAPES);
  tcase_add_loop_test(t, kernels_of_large_levels, 0, least ? SHAPES : 2 * SHAPES);
  tcase_add_test(t, long_rows);
  tcase_add_loop_test(t, boxes_that_wrap, 0, least ? WRAPPING : 3 * WRAPPING);
  tcase_add_loop_test(t, planes_of_large_cubes, 0, few ? (support_small() ? 2 : 6) : 14);
  tcase_add_loop_test(t, large_grids, 0, few ? 0 : 6);
  suite_add_tcase(suite, t);
  t = tcase_create("rings");
  tcase_add_loop_test(t, rings_of_planes, 0, few ? SMALL_RINGS : RINGS);
  suite_add_tcase(suite, t);
  t = tcase_create("tiles");
  tcase_add_loop_test(t, tiles_of_small_levels, 0, sizeof tiles / sizeof *tiles);
  tcase_add_loop_test(t, smoother_calls_in_one_launch, 0,
                      2 * (few ? SMALL_SHARED_TILES : SHARED_TILES));
  suite_add_tcase(suite, t);
  t = tcase_create("passes");
  tcase_add_loop_test(t, two_sweeps_in_one_pass, least ? 4 : 0, sizeof paired / sizeof *paired);
  suite_add_tcase(suite, t);
  t = tcase_create("forms");
  tcase_add_loop_test(t, without_a_form, 0, (few ? 1 : 2) * num_forms());
  suite_add_tcase(suite, t);
  t = tcase_create("odd rows");
  tcase_add_loop_test(t, rows_of_an_odd_length, 0, ODD_ROWS * ODD_KERNELS);
  suite_add_tcase(suite, t);
  t = tcase_create("long axes");
  tcase_add_loop_test(t, long_axes, 0, few ? 0 : 2); /* minutes in the emulation */
  tcase_add_loop_test(t, a_box_too_long_is_refused, 0, few ? 1 : 4);
  suite_add_tcase(suite, t);
  t = tcase_create("mixtures");
  tcase_add_loop_test(t, random_mixtures, 0, few ? (support_small() ? 1 : 4) : 40);
  tcase_add_loop_test(t, every_way_to_use_the_machine, 0, few ? 1 : 6);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
