/* Line relaxation around axes and poles: which lines are solved, that they are, the cycle with them as a matrix, and the same
 * bits with any boxes and threads. */
#include "support/curved.h"

#include "api/solver.h"
#include "multigrid/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUND 6.28318530717958
#define L     HYMG_LENGTH
#define R     HYMG_RADIUS
#define A     HYMG_AZIMUTH
#define C     HYMG_COLATITUDE
#define B     HYMG_LATITUDE

static const struct lines_case {
  curved shape;
  int n[3];
} cases[] = {
    {{"disc", {R, A, L}, {0, 0, 0}, {1, ROUND, 1}, 1, "nd pp nn"}, {9, 24, 1}},
    {{"cylinder with its axis", {R, A, L}, {0, 0, -1}, {1, ROUND, 1}, 1, "nd pp dn"}, {6, 20, 5}},
    {{"the same, azimuth along x", {A, L, R}, {0, -1, 0}, {ROUND, 1, 1}, 1, "pp dn nd"},
     {20, 5, 6}},
    {{"with periodic z of odd length", {L, A, R}, {0, 0, 0}, {1, ROUND, 1}, 1, "pp pp nd"},
     {5, 18, 7}},
    {{"wedge with walls", {R, L, A}, {0, 0, 0}, {1, 1, 3}, 1, "nd dn dr"}, {8, 4, 18}},
    {{"odd pipe around an axis", {R, A, L}, {0, 0, 0}, {1, ROUND, 1}, 1, "nn pp dd"}, {6, 21, 4}},
    {{"shell with its poles", {R, C, A}, {0.5, 0, 0}, {1, 3.14159265358979, ROUND}, 1, "dd nn pp"},
     {3, 10, 18}},
    {{"globe", {A, B, L}, {0, -1.5, 0}, {ROUND, 1.5, 1}, 1, "pp nn nn"}, {40, 16, 1}},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct bench {
  curved_grid g;
  support_case c;
  double *widths[3];
  support_layout layout;
  hymg_options o;
  support_kit k;
  hymgi_level *level;
} bench;

static bench describe(int number)
{
  const struct lines_case *lc = cases + number % CASES;
  bench b = {.g = curved_grid_of(&lc->shape, lc->n, number < CASES ? 0 : 7)};
  b.c = curved_case(&b.g, number % 2 ? 0.5 : 0, b.widths);
  support_case_add_robin(&b.c);
  b.layout = curved_layout(&b.g, b.widths);
  b.o = hymg_options_default();
  b.o.method = HYMG_MG, b.o.path = HYMG_PATH_ROBUST, b.o.transfer = HYMG_TRANSFER_WEIGHTED;
  return b;
}

static void open_bench(bench *b)
{
  b->k = support_open(&b->c.spec, &b->layout, &b->o);
  b->level = b->k.solver->h.level;
}

static void close_bench(bench *b)
{
  support_close(&b->k);
  support_case_free(&b->c);
  curved_grid_free(&b->g);
  for (int axis = 0; axis < 3; axis++)
    free(b->widths[axis]);
}

/* ---- a level's equations, from its conductances ---- */

static ptrdiff_t at_of(const hymgi_level *l, const int at[3])
{
  return hymgi_at(l->box, at[0], at[1], at[2]);
}

/* The conductance of a face, and the cell behind it; false: a wall, of which the cell behind is 0. */
static bool face_of(const hymgi_level *l, const int at[3], int axis, int side, double *t, int to[3])
{
  memcpy(to, at, 3 * sizeof *to);
  to[axis] += side;
  *t = l->c.beta[axis][at_of(l, to)];
  to[axis] = at[axis] + (side ? 1 : -1);
  if (to[axis] >= 0 && to[axis] < l->n[axis]) return true;
  to[axis] = (to[axis] + l->n[axis]) % l->n[axis];
  return l->periodic >> axis & 1;
}

static double residual_of(const hymgi_level *l, const double *f, const double *x, const int at[3],
                          double *scale)
{
  const double own = x[at_of(l, at)],
               c = l->c.alpha ? l->c.alpha[at_of(l, at)] : l->c.alpha_constant;
  double sum = f[at_of(l, at)] - c * own;
  *scale = fabs(f[at_of(l, at)]) + fabs(c * own);
  for (int face = 0; face < 6; face++) {
    int to[3];
    double t;
    const bool inside = face_of(l, at, face / 2, face % 2, &t, to);
    const double behind = inside ? x[at_of(l, to)] : 0;
    sum += t * (behind - own), *scale += fabs(t) * (fabs(behind) + fabs(own));
  }
  return sum;
}

/* Sums over a line of the couplings along an axis. */
static double coupling_of_line(const hymgi_level *l, int line, const int first[3], int axis)
{
  int at[3] = {first[0], first[1], first[2]}, to[3];
  double sum = 0, t;
  for (at[line] = 0; at[line] < l->n[line]; at[line]++)
    for (int side = 0; side < 2; side++)
      if (face_of(l, at, axis, side, &t, to)) sum += t;
  return sum;
}

static bool is_strong(const hymgi_level *l, int line, const int first[3])
{
  double most = 0;
  for (int axis = 0; axis < 3; axis++)
    if (axis != line) most = fmax(most, coupling_of_line(l, line, first, axis));
  return coupling_of_line(l, line, first, line) > 2 * most;
}

#define FOR_LINES(l, line, at)                                                                     \
  for ((at)[2] = 0; (at)[2] < ((line) == 2 ? 1 : (l)->n[2]); (at)[2]++)                            \
    for ((at)[1] = 0; (at)[1] < ((line) == 1 ? 1 : (l)->n[1]); (at)[1]++)                          \
      for ((at)[0] = 0; (at)[0] < ((line) == 0 ? 1 : (l)->n[0]); (at)[0]++)

/* Near the axis or a pole, and elsewhere not. */
START_TEST(lines_of_strong_couplings_are_solved)
{
  bench b = describe(_i);
  open_bench(&b);
  const hymgi_level *l = b.level;
  const int line = curved_axis(b.g.c, A);
  int at[3], solved = 0, left = 0;
  ck_assert_int_eq(hymgi_line_axis(l), line);
  ck_assert(l->line.on);
  FOR_LINES(l, line, at)
  {
    const bool strong = is_strong(l, line, at);
    ck_assert_msg((l->line.pivot[at_of(l, at)] != 0) == strong, "%s: line at (%d, %d, %d)",
                  b.g.c->name, at[0], at[1], at[2]);
    solved += strong, left += !strong;
  }
  ck_assert_msg(solved > 0 && left > 0, "%s: %d and %d", b.g.c->name, solved, left);
  close_bench(&b);
}
END_TEST

/* The colour that comes last has no residual, the other one had none before; nothing else changes. */
START_TEST(solved_lines_have_no_residual)
{
  bench b = describe(_i / 2);
  open_bench(&b);
  hymgi_level *l = b.level;
  const size_t size = (size_t)l->vector_size;
  double *const f = support_random(size, -1, 1, 3), *const x = support_random(size, -1, 1, 4);
  double *const before = support_random(size, -1, 1, 4);
  double *const old_x = l->x, *const old_f = l->f;
  const int line = curved_axis(b.g.c, A);
  const bool seam = (l->n[2] % 2 && l->periodic >> 2 & 1) || (l->n[0] % 2 && l->periodic & 1);
  int at[3];
  l->x = x, l->f = f;
  hymgi_relax_lines(l, _i % 2);
  FOR_LINES(l, line, at)
  {
    int cell[3] = {at[0], at[1], at[2]};
    const bool strong = l->line.pivot[at_of(l, at)] != 0,
               last = (at[0] + at[1] + at[2] - at[line]) % 2 == !(_i % 2);
    for (; cell[line] < l->n[line]; cell[line]++) {
      double scale;
      const double r = residual_of(l, f, x, cell, &scale);
      if (!strong) ck_assert(x[at_of(l, cell)] == before[at_of(l, cell)]);
      if (strong && last && !(seam && line == 1))
        ck_assert_msg(fabs(r) <= 1e-13 * l->n[line] * scale, "%s, (%d, %d, %d): %g of %g",
                      b.g.c->name, cell[0], cell[1], cell[2], r, scale);
    }
  }
  l->x = old_x, l->f = old_f;
  free(f), free(x), free(before);
  close_bench(&b);
}
END_TEST

/* ---- the cycle ---- */

/* Column q: one cycle for the unit vector of cell q. */
static double *cycle_matrix(bench *b, size_t cells)
{
  hymgi_level *l = b->level;
  const size_t size = (size_t)l->vector_size;
  double *const m = support_poison(cells * cells), *const old_f = l->f, *const old_x = l->x;
  double *const f = support_random(size, 0, 0, 1), *const x = support_random(size, 0, 0, 1);
  int at[3], to[3];
  size_t q = 0;
  for (at[2] = 0; at[2] < l->n[2]; at[2]++)
    for (at[1] = 0; at[1] < l->n[1]; at[1]++)
      for (at[0] = 0; at[0] < l->n[0]; at[0]++) {
        l->x = x, l->f = f;
        f[at_of(l, at)] = 1;
        hymgi_run_cycle(&b->k.solver->h, HYMG_CYCLE_V, 0);
        for (to[2] = 0; to[2] < l->n[2]; to[2]++)
          for (to[1] = 0; to[1] < l->n[1]; to[1]++)
            for (to[0] = 0; to[0] < l->n[0]; to[0]++)
              m[q++] = l->x[at_of(l, to)];
        f[at_of(l, at)] = 0;
      }
  l->x = old_x, l->f = old_f;
  free(f), free(x);
  return m;
}

/* Elimination in the upper triangle finds positive pivots alone. */
static bool is_positive(size_t n, double *m)
{
  for (size_t j = 0; j < n; j++) {
    const double *const restrict pivot = m + j * n;
    if (!(pivot[j] > 0)) return false;
    for (size_t i = j + 1; i < n; i++) {
      double *const restrict row = m + i * n;
      const double factor = pivot[i] / pivot[j];
      for (size_t k = i; k < n; k++)
        row[k] -= factor * pivot[k];
    }
  }
  return true;
}

/* The largest difference between entries (i, j) and (j, i). */
static double asymmetry(size_t n, const double *m)
{
  double most = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      const double apart = fabs(m[i * n + j] - m[j * n + i]);
      if (!(apart <= most)) most = apart;
    }
  return most;
}

START_TEST(a_cycle_is_symmetric_and_positive_definite)
{
  static const struct {
    hymg_transfer transfer;
    hymg_smoother smoother;
  } ways[] = {{HYMG_TRANSFER_WEIGHTED, HYMG_GSRB},
              {HYMG_TRANSFER_TENSOR, HYMG_GSRB},
              {HYMG_TRANSFER_CONSTANT, HYMG_CHEBYSHEV},
              {HYMG_TRANSFER_WEIGHTED, HYMG_L1JACOBI}};
  bench b = describe(_i / 4);
  b.o.transfer = ways[_i % 4].transfer, b.o.smoother = ways[_i % 4].smoother;
  open_bench(&b);
  ck_assert(b.level->line.on);
  const size_t n = (size_t)b.level->cells;
  double *const m = cycle_matrix(&b, n);
  const double largest = support_max(n * n, m), apart = asymmetry(n, m);
  ck_assert_msg(apart <= 1e-12 * largest, "%s: asymmetry %.3g", b.g.c->name, apart / largest);
  ck_assert_msg(is_positive(n, m), "%s: not positive definite", b.g.c->name);
  free(m);
  close_bench(&b);
}
END_TEST

/* Where all lines are strong the azimuth is halved alone, as on any grid. */
START_TEST(grids_of_nothing_but_strong_lines_have_none)
{
  const curved pipe = {"thin pipe", {R, A, L}, {0.5, 0, 0}, {1, ROUND, 1}, 1, "dd pp dd"};
  bench b = {.o = hymg_options_default()};
  b.o.method = HYMG_MG, b.o.path = HYMG_PATH_ROBUST;
  b.g = curved_grid_of(&pipe, (const int[]){4, 128, 4}, 0);
  b.c = curved_case(&b.g, 0, b.widths);
  b.layout = curved_layout(&b.g, b.widths);
  open_bench(&b);
  ck_assert_int_eq(hymgi_line_axis(b.level), 1);
  ck_assert(!b.level->line.on);
  ck_assert_uint_eq(b.level->coarsened, 2);
  close_bench(&b);
}
END_TEST

/* ---- any boxes, any threads ---- */

START_TEST(boxes_that_cut_lines_do_not_change_a_bit)
{
  bench b = describe(_i);
  support_layout cut = b.layout;
  for (int axis = 0; axis < 3; axis++)
    cut.boxes[axis] = b.g.n[axis] % 3 == 0 && b.g.n[axis] > 3 ? 3 : b.g.n[axis] % 5 == 0 ? 5 : 1;
  b.layout.threads = 1, cut.threads = 3;
  if (_i % 3 == 0) b.o.precision = HYMG_MIXED;
  curved_answer want = curved_run(&b.g, &b.c, &b.layout, &b.o),
                got = curved_run(&b.g, &b.c, &cut, &b.o);
  const char *unlike = curved_unlike(&got, &want);
  ck_assert_msg(!unlike, "%s: %s has other bits", b.g.c->name, unlike);
  curved_answer_free(&got);
  curved_answer_free(&want);
  open_bench(&b);
  close_bench(&b);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("lines");
  TCase *t = tcase_create("lines");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, lines_of_strong_couplings_are_solved, 0, 2 * CASES);
  tcase_add_loop_test(t, solved_lines_have_no_residual, 0, 4 * CASES);
  tcase_add_loop_test(t, a_cycle_is_symmetric_and_positive_definite, 0, 8 * CASES);
  tcase_add_test(t, grids_of_nothing_but_strong_lines_have_none);
  tcase_add_loop_test(t, boxes_that_cut_lines_do_not_change_a_bit, 0, 2 * CASES);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
