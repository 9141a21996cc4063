/* The robust path on host and GPU: the same levels, Gershgorin bounds, histories of residuals and
 * solutions to the bit, for any size, boundary, width and coefficient, in device and in managed
 * memory, with the kernels for small and for large levels, and after an update. The transfers alone
 * on poisoned vectors. */
#include "support/twin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/solver.h"
#include "hierarchy/build.h"
#include "kernel_table.h"
#include "multigrid/level_ops.h"

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
static const bool exact = true;
#else
static const bool exact = false; /* products are rounded once on the GPU, twice on the host */
#endif

enum { LEVELS = 32, ITERATIONS = 8, MOST_ITERATIONS = 16 };

typedef struct robust_case {
  int n[3];
  const char *boundary; /* "dd pp nd" */
  double h[3];          /* of the mean cells; 0: 1 */
  hymg_extrapolation extrapolation;
  double jump; /* betas lie between 1 and its exponential; 0: constant */
  int block;   /* not 0: betas are 1 or 1e6, in a checkerboard of cubes of so many cells a side */
  double a;    /* with a variable alpha; 0: none; negative: -a with one alpha of 1 */
  bool stretched, data, fv4;
  bool fixed;  /* some cells have given values */
  bool closed; /* half of the faces have beta 0, in pieces of the grid */
  bool sphere; /* faces of cells outside of a sphere have beta 0 */
  hymg_smoother smoother;
  hymg_transfer transfer;
} robust_case;

typedef struct way {
  hymg_backend backend;
  hymg_memory memory;
  bool large; /* all levels use the kernels for large ones */
  int64_t host_cells;
  int64_t launched_from; /* nodes of graphs that take a launch for each step; 0: as chosen */
} way;

static const way host = {.backend = HYMG_BACKEND_HOST}, gpu = {.backend = HYMG_BACKEND_CUDA};
static const way managed = {.backend = HYMG_BACKEND_CUDA, .memory = HYMG_MEMORY_MANAGED};
static const way crossing = {.backend = HYMG_BACKEND_CUDA, .host_cells = 400};
static const way large = {.backend = HYMG_BACKEND_CUDA, .large = true};

typedef struct open_problem {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *beta[3], *alpha, *data[6], *fixed, *f, *u;
  double *width[3];
  size_t cells;
} open_problem;

/* ---- opening ---- */

static hymg_boundary boundary_of(const robust_case *p, int face)
{
  const char c = p->boundary[face / 2 * 3 + face % 2];
  return c == 'p'   ? HYMG_PERIODIC
         : c == 'n' ? HYMG_NEUMANN
         : c == 'r' ? HYMG_ROBIN
                    : HYMG_DIRICHLET;
}

static void open_grid(const robust_case *p, open_problem *o)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  for (int axis = 0; axis < 3; axis++) {
    desc.n[axis] = p->n[axis];
    desc.spacing[axis] = p->h[axis] > 0 ? p->h[axis] : 1;
    if (!p->stretched) continue;
    o->width[axis] = support_random((size_t)p->n[axis], 0.3, 3, (unsigned)(70 + axis));
    desc.widths[axis] = o->width[axis];
  }
  for (int face = 0; face < 6; face++)
    desc.boundary[face] = boundary_of(p, face);
  OK(o->context, hymg_grid_create(o->context, &desc, &o->grid));
}

/* Random values between the logarithms low and high on all entries of a field; of faces, half are 0 if some are closed. */
static void fill_random(open_problem *o, const robust_case *p, hymg_centering centering, double low,
                        double high, unsigned seed, hymg_field **field)
{
  const int zero[3] = {0, 0, 0};
  int n[3] = {p->n[0], p->n[1], p->n[2]};
  if (centering >= HYMG_BOUNDARY_X_LOW)
    n[(centering - HYMG_BOUNDARY_X_LOW) / 2] = 1;
  else if (centering != HYMG_CELL)
    n[centering - HYMG_FACE_X]++;
  const size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  double *values = support_random(count, low, high, seed);
  const bool faces =
      centering == HYMG_FACE_X || centering == HYMG_FACE_Y || centering == HYMG_FACE_Z;
  double *open = support_random(count, -1, 1, seed + 1000);
  for (size_t m = 0; m < count; m++)
    values[m] = p->closed && faces && open[m] < 0 ? 0 : exp(values[m]);
  free(open);
  if (!*field) OK(o->context, hymg_field_create(o->grid, NULL, centering, HYMG_DOUBLE, field));
  OK(o->context, hymg_field_write(*field, zero, n, stride, values, HYMG_HOST));
  free(values);
}

/* Faces within the cubes of one colour have the large beta. */
static void fill_checkerboard(open_problem *o, const robust_case *p, int axis)
{
  const int zero[3] = {0, 0, 0}, *m = p->n;
  const int n[3] = {m[0] + (axis == 0), m[1] + (axis == 1), m[2] + (axis == 2)};
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  double *values = support_poison((size_t)n[0] * (size_t)n[1] * (size_t)n[2]), *next = values;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++) {
        const int at[3] = {i, j, k}, odd = (i / p->block + j / p->block + k / p->block) % 2;
        *next++ = odd && at[axis] % p->block ? 1e6 : 1;
      }
  OK(o->context, hymg_field_write(o->beta[axis], zero, n, stride, values, HYMG_HOST));
  free(values);
}

static bool is_outside(const robust_case *p, const int cell[3])
{
  double square = 0;
  for (int d = 0; d < 3; d++)
    square += pow((cell[d] + 0.5) / p->n[d] - 0.52, 2);
  return square > 0.2;
}

static void fill_sphere(open_problem *o, const robust_case *p, int axis, double jump, unsigned seed)
{
  const int zero[3] = {0, 0, 0}, *m = p->n;
  const int n[3] = {m[0] + (axis == 0), m[1] + (axis == 1), m[2] + (axis == 2)};
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  double *values = support_random((size_t)n[0] * (size_t)n[1] * (size_t)n[2], 0, jump, seed);
  for (int k = 0, q = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++, q++) {
        const int above[3] = {i, j, k};
        const int below[3] = {i - (axis == 0), j - (axis == 1), k - (axis == 2)};
        const bool closed = (above[axis] < m[axis] && is_outside(p, above)) ||
                            (below[axis] >= 0 && is_outside(p, below));
        values[q] = closed ? 0 : exp(values[q]);
      }
  OK(o->context, hymg_field_write(o->beta[axis], zero, n, stride, values, HYMG_HOST));
  free(values);
}

static void fill_betas(open_problem *o, const robust_case *p, double jump, unsigned seed)
{
  for (int axis = 0; axis < 3 && p->jump > 0; axis++) {
    fill_random(o, p, (hymg_centering)(HYMG_FACE_X + axis), 0, jump, seed + (unsigned)axis,
                o->beta + axis);
    if (p->block) fill_checkerboard(o, p, axis);
    if (p->sphere) fill_sphere(o, p, axis, jump, seed + (unsigned)axis);
  }
}

/* A third of the cells, and a plane of them. */
static void fill_fixed(open_problem *o, const robust_case *p, unsigned seed)
{
  if (!p->fixed) return;
  const int zero[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {1, p->n[0], (ptrdiff_t)p->n[0] * p->n[1]};
  double *values = support_random(o->cells, -3, 1.5, seed);
  for (size_t q = 0; q < o->cells; q++)
    if (values[q] < 0 && q % (size_t)p->n[0] != seed % (unsigned)p->n[0]) values[q] = NAN;
  if (!o->fixed)
    OK(o->context, hymg_field_create(o->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &o->fixed));
  OK(o->context, hymg_field_write(o->fixed, zero, p->n, stride, values, HYMG_HOST));
  free(values);
}

static void open_operator(const robust_case *p, open_problem *o)
{
  hymg_operator_desc desc = hymg_operator_desc_default();
  desc.stencil = p->fv4 ? HYMG_FV4 : HYMG_FV2;
  desc.extrapolation = p->extrapolation;
  fill_betas(o, p, p->jump, 20);
  for (int axis = 0; axis < 3; axis++)
    desc.beta[axis] = o->beta[axis];
  desc.a = fabs(p->a);
  if (p->a > 0) fill_random(o, p, HYMG_CELL, -3, 1, 30, &o->alpha);
  desc.alpha = o->alpha;
  fill_fixed(o, p, 80);
  desc.fixed = o->fixed;
  for (int face = 0; face < 6 && p->data; face++)
    if (boundary_of(p, face) != HYMG_PERIODIC)
      fill_random(o, p, (hymg_centering)(HYMG_BOUNDARY_X_LOW + face), -1, 1, 40 + (unsigned)face,
                  o->data + face);
  for (int face = 0; face < 6; face++)
    desc.boundary_data[face] = o->data[face];
  OK(o->context, hymg_operator_create(o->grid, &desc, &o->op));
}

static hymg_options options_of(const robust_case *p, const way *w)
{
  hymg_options options = hymg_options_default();
  options.method = HYMG_MG;
  options.cycle = HYMG_CYCLE_V;
  options.path = HYMG_PATH_ROBUST;
  options.smoother = p->smoother;
  options.transfer = p->transfer;
  options.backend = w->backend;
  options.memory = w->memory;
  options.host_cells = w->host_cells;
  options.max_cycles = p->block ? MOST_ITERATIONS : twin_least() ? 2 : ITERATIONS;
  options.rtol = 1e-12;
  return options;
}

static void use_large_kernels(hymg_context *context)
{
  static const char *const form[] = {"fv2_gsrb_march", "fv2_both_colours", "fv2_relax_march",
                                     "fv2_gsrb_fused", "fv2_relax_fused"};
  for (size_t m = 0; m < sizeof form / sizeof *form; m++)
    ck_assert(hymgi_kernel_form_from(context, form[m], 1));
}

static open_problem begin(const robust_case *p, const way *w)
{
  const int zero[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {1, p->n[0], (ptrdiff_t)p->n[0] * p->n[1]};
  open_problem o = {.cells = (size_t)p->n[0] * (size_t)p->n[1] * (size_t)p->n[2]};
  hymg_context_options co = hymg_context_options_default();
  co.threads = 1;
  ck_assert_int_eq(hymg_context_create(&co, &o.context), HYMG_OK);
  if (w->large) use_large_kernels(o.context);
  if (w->launched_from)
    ck_assert(hymgi_kernel_form_from(o.context, "graph_sweeps", w->launched_from));
  open_grid(p, &o);
  open_operator(p, &o);
  const hymg_options options = options_of(p, w);
  OK(o.context, hymg_solver_create(o.op, &options, &o.solver));
  double *f = support_random(o.cells, -1, 1, 50);
  /* the solver's layout for one of them: used in place, converted */
  OK(o.context, hymg_field_create(o.grid, o.solver, HYMG_CELL, HYMG_DOUBLE, &o.f));
  OK(o.context, hymg_field_create(o.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &o.u));
  OK(o.context, hymg_field_write(o.f, zero, p->n, stride, f, HYMG_HOST));
  free(f);
  return o;
}

static void end(open_problem *o)
{
  hymg_field_destroy(&o->f);
  hymg_field_destroy(&o->u);
  hymg_solver_destroy(&o->solver);
  hymg_operator_destroy(&o->op);
  for (int m = 0; m < 6; m++)
    hymg_field_destroy(o->data + m);
  for (int axis = 0; axis < 3; axis++) {
    hymg_field_destroy(o->beta + axis);
    free(o->width[axis]);
  }
  hymg_field_destroy(&o->alpha);
  hymg_field_destroy(&o->fixed);
  hymg_grid_destroy(&o->grid);
  hymg_context_destroy(&o->context);
}

/* ---- answers ---- */

typedef struct answer {
  int levels, n[LEVELS][3], iterations;
  unsigned coarsened[LEVELS];
  double lambda[LEVELS], residual[MOST_ITERATIONS], last;
  hymg_reason reason;
  bool went_over; /* from the weighted to the tensor transfer */
  double *u;
} answer;

static answer solve(open_problem *o, const robust_case *p)
{
  const int zero[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {1, p->n[0], (ptrdiff_t)p->n[0] * p->n[1]};
  answer a = {.levels = hymg_solver_num_levels(o->solver), .u = support_poison(o->cells)};
  for (int l = 0; l < a.levels; l++) {
    hymg_level_info info;
    OK(o->context, hymg_solver_level(o->solver, l, &info));
    memcpy(a.n[l], info.cells, sizeof a.n[l]);
    a.coarsened[l] = info.coarsened;
    a.lambda[l] = info.lambda_max;
  }
  hymg_result r;
  OK(o->context, hymg_field_fill(o->u, NAN));
  OK(o->context, hymg_solve(o->solver, o->f, o->u, &r));
  ck_assert_int_eq(r.path, HYMG_PATH_ROBUST);
  a.went_over = strstr(r.note, "went over");
  a.iterations = r.cycles, a.reason = r.reason, a.last = r.residual_max;
  for (int m = 0; m < r.cycles; m++)
    a.residual[m] = r.history[m].residual_max;
  OK(o->context, hymg_field_read(o->u, zero, p->n, stride, a.u, HYMG_HOST));
  return a;
}

static void describe(const robust_case *p, const char *what, char *text, size_t size)
{
  snprintf(text, size,
           "%s: %d x %d x %d %s%s extrapolation %d jump %g a %g%s%s%s smoother %d transfer %d",
           what, p->n[0], p->n[1], p->n[2], p->boundary, p->fv4 ? " FV4" : "",
           (int)p->extrapolation, p->jump, p->a, p->stretched ? " stretched" : "",
           p->data ? " boundary data" : "",
           p->fixed    ? " fixed cells"
           : p->closed ? " closed faces"
           : p->sphere ? " a sphere"
                       : "",
           (int)p->smoother, (int)p->transfer);
}

static void compare_levels(const char *where, const answer *got, const answer *want)
{
  ck_assert_msg(got->levels == want->levels, "%s: %d levels, not %d", where, got->levels,
                want->levels);
  for (int l = 0; l < got->levels; l++) {
    ck_assert_msg(memcmp(got->n[l], want->n[l], sizeof got->n[l]) == 0 &&
                      got->coarsened[l] == want->coarsened[l],
                  "%s: level %d has %d x %d x %d cells and halves %u, not %d x %d x %d, %u", where,
                  l, got->n[l][0], got->n[l][1], got->n[l][2], got->coarsened[l], want->n[l][0],
                  want->n[l][1], want->n[l][2], want->coarsened[l]);
    ck_assert_msg(!exact || got->lambda[l] == want->lambda[l],
                  "%s: the bound of level %d is %.17g, not %.17g", where, l, got->lambda[l],
                  want->lambda[l]);
  }
}

static void compare(const char *where, size_t cells, const answer *got, const answer *want)
{
  compare_levels(where, got, want);
  if (!exact) return;
  ck_assert_msg(got->iterations == want->iterations && got->reason == want->reason,
                "%s: %d iterations, reason %d, not %d, %d", where, got->iterations,
                (int)got->reason, want->iterations, (int)want->reason);
  for (int m = 0; m < got->iterations; m++)
    ck_assert_msg(got->residual[m] == want->residual[m],
                  "%s: the residual of iteration %d is %.17g, not %.17g", where, m,
                  got->residual[m], want->residual[m]);
  ck_assert_msg(got->last == want->last, "%s: the last residual is %.17g, not %.17g", where,
                got->last, want->last);
  ck_assert_msg(support_same_bits(cells, got->u, want->u), "%s: u differs by %.3g of %.3g", where,
                support_difference(cells, got->u, want->u), support_max(cells, want->u));
}

/* Two solves, of which the second plays recordings back, and one after an update; or some of these rounds. */
static void check_rounds(int rounds, const robust_case *p, const way *w, const char *what)
{
  char where[300];
  describe(p, what, where, sizeof where);
  open_problem one = begin(p, &host), other = begin(p, w);
  for (int round = 0; round < rounds; round++) {
    if (round == 2) {
      fill_betas(&one, p, 0.9 * p->jump, 60);
      fill_betas(&other, p, 0.9 * p->jump, 60);
      fill_fixed(&one, p, 81);
      fill_fixed(&other, p, 81);
      OK(one.context, hymg_solver_update(one.solver));
      OK(other.context, hymg_solver_update(other.solver));
    }
    answer want = solve(&one, p), got = solve(&other, p);
    compare(where, one.cells, &got, &want);
    ck_assert_msg(got.went_over == want.went_over, "%s: went over %d", where, (int)got.went_over);
    /* the second solve begins with the better transfer, which with BiCGStab may be none */
    if (p->block && (round != 1 || p->extrapolation == HYMG_EXTRAPOLATION_LINEAR))
      ck_assert_msg(got.went_over == (round != 1), "%s: solve %d", where, round);
    free(want.u), free(got.u);
  }
  end(&one), end(&other);
}

static void check(const robust_case *p, const way *w, const char *what)
{
  check_rounds(3, p, w, what);
}

/* ---- solves ---- */

static const robust_case problems[] = {
    {{9, 7, 5}, "dd dd dd", .jump = 7},
    {{33, 20, 12}, "dd dd dd", .jump = 3, .a = 0.5},
    {{31, 18, 5}, "pp pp pp", .jump = 2},
    {{15, 16, 9}, "pp dd pp", .jump = 2, .extrapolation = HYMG_EXTRAPOLATION_LINEAR},
    {{120, 8, 8}, "dd dd dd", .h = {0.01, 0.125, 0.125}, .jump = 1},
    {{32, 32, 8}, "dd dd dd", .jump = 1, .extrapolation = HYMG_EXTRAPOLATION_LINEAR},
    {{16, 24, 10}, "nn nn nn", .jump = 4},
    {{20, 17, 14}, "nd pp dn", .jump = 4, .data = true},
    {{12, 10, 14}, "dd nn pp", .jump = 5, .stretched = true},
    {{13, 8, 6}, "pp nd dd", .stretched = true, .a = 1},
    {{1, 40, 1}, "dd dd nn", .jump = 2},
    {{40, 1, 30}, "dd pp dd", .jump = 2},
    {{26, 22, 1}, "pp dd nn", .jump = 6, .a = 0.1},
    {{1, 1, 37}, "nn pp pp", .jump = 1},
    {{2, 3, 2}, "dd dd dd", .jump = 1},
    {{24, 24, 24}, "dd dd dd", .jump = 0},
    {{15, 12, 10}, "rr nr pp", .jump = 4, .data = true},
    {{12, 10, 9}, "rd rr nr", .jump = 2, .stretched = true, .data = true},
    {{33, 20, 12}, "dd nd pp", .jump = 4, .fixed = true},
    {{32, 16, 20}, "nn nn nn", .fixed = true, .a = 0.5},
    {{12, 10, 9}, "rd pp nr", .jump = 2, .stretched = true, .data = true, .fixed = true},
    {{1, 40, 3}, "pp nn nn", .jump = 2, .fixed = true},
    {{33, 20, 12}, "dn nd pp", .jump = 4, .closed = true},
    {{16, 18, 20}, "nn nn nn", .jump = 2, .closed = true},
    {{12, 10, 9}, "rn pp nr", .jump = 2, .stretched = true, .data = true, .closed = true},
    {{26, 22, 1}, "nn nn nn", .jump = 1, .closed = true, .fixed = true},
    {{14, 10, 9}, "nn pp nd", .jump = 2, .stretched = true, .closed = true, .a = -1e-7},
    {{32, 20, 12}, "dd dd dd", .jump = 4, .fv4 = true, .a = 0.5},
    {{15, 18, 9}, "dd pp pp", .jump = 3, .fv4 = true},
    {{24, 16, 16}, "dd dd pp", .jump = 0.1, .fv4 = true},
    {{13, 8, 11}, "pp dd dd", .jump = 0, .fv4 = true},
    {{16, 12, 8}, "nd dd pp", .jump = 0.5, .fv4 = true, .data = true, .a = 0.5},
    {{9, 12, 15}, "dn nn dd", .jump = 4, .fv4 = true, .data = true},
    {{18, 20, 13}, "nn nn nn", .jump = 2, .fv4 = true, .closed = true},
    {{15, 12, 24}, "nd pp dn", .jump = 1, .fv4 = true, .data = true, .a = 0.5, .closed = true},
    {{17, 12, 14}, "nn dn pp", .jump = 1, .fv4 = true, .data = true, .a = 0.5, .fixed = true},
    {{12, 20, 11}, "dd nn nn", .jump = 2, .fv4 = true, .closed = true, .fixed = true},
};
enum { PROBLEMS = sizeof problems / sizeof *problems, SMALL_STEP = 5 };

static int problems_of_a_test(void)
{
  return support_small() ? PROBLEMS / SMALL_STEP : PROBLEMS;
}

/* Small tests take some of the problems, each test others. */
static robust_case problem_at(int i, int test)
{
  return problems[support_small() ? (SMALL_STEP * i + test) % PROBLEMS : i];
}

START_TEST(every_problem)
{
  static const hymg_transfer transfer[3] = {HYMG_TRANSFER_CONSTANT, HYMG_TRANSFER_TENSOR,
                                            HYMG_TRANSFER_PAIRS};
  robust_case p = problem_at(_i, 0);
  check(&p, &gpu, "gpu");
  for (int m = 0; m < 3; m++) {
    p.transfer = transfer[m];
    if (!support_small() || _i % 3 == m) check(&p, &gpu, "gpu");
  }
}
END_TEST

/* Graphs on the GPU whatever takes a launch for each step, and where levels below level 0 would be the host's. */
START_TEST(pairs)
{
  static const robust_case cases[] = {
      {{25, 23, 21}, "dd dd dn", .jump = 2, .sphere = true},
      {{26, 19, 17}, "nn nn nn", .jump = 5, .sphere = true, .a = 0.2},
      {{25, 18, 21}, "dn nd pp", .jump = 4, .closed = true},
      {{17, 20, 15}, "nn nn nn", .jump = 2, .closed = true, .fixed = true},
      {{64, 21, 1}, "dd pp nn", .jump = 9},
      {{19, 23, 14}, "pp nd rr", .jump = 6, .data = true, .stretched = true},
      {{20, 19, 18}, "dd dd dd", .jump = 3, .extrapolation = HYMG_EXTRAPOLATION_QUADRATIC}};
  static const way ways[] = {{.backend = HYMG_BACKEND_CUDA, .launched_from = 1},
                             {.backend = HYMG_BACKEND_CUDA, .launched_from = 150},
                             {.backend = HYMG_BACKEND_CUDA, .host_cells = 400},
                             {.backend = HYMG_BACKEND_CUDA, .memory = HYMG_MEMORY_MANAGED}};
  static const char *const name[] = {"launches", "some launches", "levels on the host", "managed"};
  robust_case p = cases[_i % 7];
  p.transfer = HYMG_TRANSFER_PAIRS;
  check(&p, ways + _i % 4, name[_i % 4]);
}
END_TEST

START_TEST(every_smoother)
{
  static const hymg_smoother smoother[3] = {HYMG_CHEBYSHEV, HYMG_JACOBI, HYMG_L1JACOBI};
  robust_case p = problem_at(_i, 1);
  for (int m = 0; m < 3; m++) {
    p.smoother = smoother[m];
    if (m == 0 || _i % 3 == m) check(&p, &gpu, "gpu");
  }
}
END_TEST

START_TEST(large_kernels)
{
  robust_case p = problem_at(_i, 2);
  if (!twin_least() || _i % 2 == 0) check(&p, &large, "kernels for large levels");
  p.smoother = HYMG_CHEBYSHEV;
  if (!twin_least() || _i % 2) check(&p, &large, "kernels for large levels");
}
END_TEST

/* Kernels know strides of 128 x 128 cells a plane when they are compiled; FV4's have other ones. */
START_TEST(known_strides)
{
  const robust_case p = {{128, 128, 4}, "dd dd dd", .jump = 1, .fv4 = _i};
  check_rounds(support_small() ? 1 : 3, &p, &large, "kernels for large levels");
}
END_TEST

START_TEST(coarse_levels_on_the_host)
{
  robust_case p = problem_at(_i, 3);
  open_problem o = begin(&p, &crossing);
  const int levels = hymg_solver_num_levels(o.solver);
  hymg_tuning_info tuning;
  OK(o.context, hymg_solver_tuning(o.solver, &tuning));
  int want = levels > 1 ? 1 : levels; /* never the finest one */
  while (want < levels && o.solver->h.level[want].cells >= crossing.host_cells)
    want++;
  ck_assert_int_eq(tuning.host_from, want);
  for (int l = 0; l < levels; l++) {
    hymg_level_info info;
    OK(o.context, hymg_solver_level(o.solver, l, &info));
    ck_assert_int_eq(info.backend, l < want ? HYMG_BACKEND_CUDA : HYMG_BACKEND_HOST);
  }
  end(&o);
  if (!twin_least() || _i % 2 == 0) check(&p, &crossing, "coarse levels on the host");
  p.transfer = HYMG_TRANSFER_TENSOR;
  if (!twin_least() || _i % 2) check(&p, &crossing, "coarse levels on the host");
}
END_TEST

START_TEST(managed_memory)
{
  robust_case p = problem_at(_i, 4);
  if (!twin_least() || _i % 2 == 0) check(&p, &managed, "managed memory");
  p.transfer = HYMG_TRANSFER_PAIRS;
  if (!twin_least() || _i % 2) check(&p, &managed, "managed memory");
}
END_TEST

/* A checkerboard on which AUTO goes over to the tensor transfer: recorded cycles are made anew. Small tests have the default
 * extrapolation with managed memory alone. */
START_TEST(automatic_transfer)
{
  if (_i == 1 && support_small()) return;
  const robust_case p = {{25, 25, 25},
                         "dd dd dd",
                         .h = {0.04, 0.04, 0.04},
                         .jump = 1,
                         .block = 5,
                         .extrapolation =
                             _i ? HYMG_EXTRAPOLATION_DEFAULT : HYMG_EXTRAPOLATION_LINEAR};
  check(&p, _i == 2 ? &managed : &gpu, "automatic transfer");
}
END_TEST

/* The same choice of the path on both. */
START_TEST(automatic_path)
{
  const robust_case p = {{16, 16, 16}, "dd dd dd", .jump = 0.3 + _i * 1.2};
  const way *const ways[2] = {&host, &gpu};
  hymg_result r[2];
  double step[2] = {0, 0};
  for (int m = 0; m < 2; m++) {
    open_problem o = begin(&p, ways[m]);
    hymg_options options = options_of(&p, ways[m]);
    options.path = HYMG_PATH_AUTO;
    options.host_cells = 0;
    hymg_solver_destroy(&o.solver);
    OK(o.context, hymg_solver_create(o.op, &options, &o.solver));
    step[m] = o.solver->h.level->backend->robust->largest_step(o.solver->h.level);
    OK(o.context, hymg_solve(o.solver, o.f, o.u, r + m));
    end(&o);
  }
  ck_assert_int_eq(r[1].path, r[0].path);
  ck_assert(step[1] == step[0] && step[0] >= 1);
}
END_TEST

/* ---- transfers ---- */

/* A random vector on a level with its ghosts within the domain; those beyond are `beyond`. */
static double *vector_on(open_problem *o, int l, unsigned seed, double beyond, bool red)
{
  hymgi_level *level = o->solver->h.level + l;
  const hymgi_geom *g = level->box;
  double *x = NULL, *staged = NULL, *values = support_random((size_t)level->cells, -1, 1, seed);
  OK(o->context, hymgi_vector_create(level, level->vector_size, &x));
  OK(o->context, hymgi_crossing_create(level, level->vector_size, &staged));
  for (ptrdiff_t m = 0; m < level->vector_size; m++)
    staged[m] = beyond;
  for (int k = 0, m = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++, m++)
        staged[hymgi_at(g, i, j, k)] = red && hymgi_first(g, 0, j, k) != i % 2 ? 0 : values[m];
  level->backend->copy(o->context, staged, x, (size_t)level->vector_size);
  hymgi_run_plan(level, level->halo[HYMGI_HALO_FULL], g, x, g, x);
  hymgi_crossing_destroy(level, level->vector_size, &staged);
  free(values);
  return x;
}

/* The cells of a vector, which is freed. */
static double *take_values(open_problem *o, int l, double *x)
{
  hymgi_level *level = o->solver->h.level + l;
  const hymgi_geom *g = level->box;
  double *staged = NULL, *values = support_poison((size_t)level->cells);
  OK(o->context, hymgi_crossing_create(level, level->vector_size, &staged));
  level->backend->sync(o->context);
  level->backend->copy(o->context, x, staged, (size_t)level->vector_size);
  for (int k = 0, m = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++, m++)
        values[m] = staged[hymgi_at(g, i, j, k)];
  hymgi_crossing_destroy(level, level->vector_size, &staged);
  hymgi_vector_destroy(level, level->vector_size, &x);
  OK(o->context, o->context->status);
  return values;
}

/* What the transfers to (0) and from (1; 2: of red cells alone) level l make of random vectors; the
 * caller frees them. */
static void transfer(open_problem *o, int l, double *result[3])
{
  hymgi_level *fine = o->solver->h.level + l, *coarse = fine + 1;
  const hymgi_transfer *ops = fine->transfer;
  ck_assert(fine->direct);
  double *x = vector_on(o, l, 80, NAN, false), *source = vector_on(o, l + 1, 81, 0, false);
  ops->interpolate_weighted(fine, source, false, x);
  result[0] = take_values(o, l, x);
  for (int red = 0; red < 2; red++) {
    const hymgi_after after =
        red && hymgi_keeps_colours_apart(fine) ? HYMGI_AFTER_GSRB : HYMGI_AFTER_ANY;
    double *r = vector_on(o, l, 82, NAN, red), *sums = vector_on(o, l + 1, 83, NAN, false);
    hymgi_fill(coarse, NAN, sums);
    ops->restrict_weighted(fine, r, after, sums);
    result[1 + red] = take_values(o, l + 1, sums);
    hymgi_vector_destroy(fine, fine->vector_size, &r);
  }
  hymgi_vector_destroy(coarse, coarse->vector_size, &source);
}

START_TEST(transfers)
{
  static const hymg_transfer transfer_of[3] = {HYMG_TRANSFER_WEIGHTED, HYMG_TRANSFER_CONSTANT,
                                               HYMG_TRANSFER_TENSOR};
  robust_case p = problem_at(_i / 3, 0);
  p.transfer = transfer_of[_i % 3];
  char where[300];
  describe(&p, "transfers", where, sizeof where);
  open_problem one = begin(&p, &host), other = begin(&p, &gpu);
  const int levels = hymg_solver_num_levels(one.solver);
  ck_assert_int_eq(hymg_solver_num_levels(other.solver), levels);
  for (int l = 0; l + 1 < levels && exact; l++) {
    double *want[3], *got[3];
    transfer(&one, l, want);
    transfer(&other, l, got);
    for (int m = 0; m < 3; m++) {
      const size_t cells = (size_t)one.solver->h.level[l + (m > 0)].cells;
      ck_assert_msg(support_same_bits(cells, got[m], want[m]), "%s: %s level %d: by %.3g", where,
                    m ? "restriction from" : "interpolation to", l,
                    support_difference(cells, got[m], want[m]));
      free(want[m]), free(got[m]);
    }
  }
  end(&one), end(&other);
}
END_TEST

int main(void)
{
  const int all = problems_of_a_test();
  Suite *suite = suite_create("the robust path on the GPU");
  TCase *t = tcase_create("transfers");
  tcase_add_loop_test(t, transfers, 0, 3 * all);
  suite_add_tcase(suite, t);
  t = tcase_create("solves");
  tcase_add_loop_test(t, every_problem, 0, all);
  tcase_add_loop_test(t, pairs, 0, support_small() ? 7 : 28);
  tcase_add_loop_test(t, every_smoother, 0, all);
  tcase_add_loop_test(t, large_kernels, 0, all);
  tcase_add_loop_test(t, known_strides, 0, 2);
  tcase_add_loop_test(t, coarse_levels_on_the_host, 0, all);
  tcase_add_loop_test(t, managed_memory, 0, all);
  tcase_add_loop_test(t, automatic_path, 0, 3);
  tcase_add_loop_test(t, automatic_transfer, 0, 3);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
