/* Faces of beta 0: against a dense solve, piece by piece, on random systems of every kind; pieces and their means;
 * updates; what is refused. */
#include "oracle/mask.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* f in cells that are no unknowns does not count. */
static void poison_rest(const trial *t, const mask_pieces *p)
{
  for (size_t q = 0; q < t->cells; q++)
    if (p->piece[q] < 0) t->f[q] = NAN;
}

static unsigned random_systems(void)
{
  const char *asked = getenv("HYMG_MASKS");
  return asked ? (unsigned)atoi(asked) : support_small() ? 20 : 800;
}

/* Options that systems of masks are seldom solved with: all smoothers and transfers, W-cycles, few sweeps. */
static void draw_ways(unsigned seed, hymg_options *o)
{
  double *draw = support_random(8, 0, 1, 77 + seed);
  o->smoother = (hymg_smoother)(5 * draw[0]);
  o->transfer = (hymg_transfer)(5 * draw[1]);
  o->cycle = draw[2] < 0.5 ? HYMG_CYCLE_W : HYMG_CYCLE_DEFAULT;
  o->method = draw[3] < 0.3 ? HYMG_MGPCG : HYMG_MG;
  o->norm = draw[4] < 0.5 ? HYMG_NORM_MAX : HYMG_NORM_2;
  o->precision = draw[5] < 0.3 ? HYMG_MIXED : HYMG_DOUBLE;
  if (draw[6] < 0.3) o->sweeps = o->smoother == HYMG_CHEBYSHEV ? 6 : 2;
  if (o->smoother == HYMG_SYMGS) o->backend = HYMG_BACKEND_HOST;
  free(draw);
}

/* kind: FV2, FV4, each first with usual options. Returns the cycles. */
static int solve_random(unsigned seed, int kind)
{
  trial t =
      kind % 2 ? mask_trial_fv4(seed, seed % 10 ? 6 : 10) : mask_trial(seed, seed % 10 ? 6 : 12);
  if (kind > 1) draw_ways(seed, &t.o);
  mask_pieces p;
  double *u = support_poison(t.cells), *want = mask_solution(&t, &p);
  /* few systems have no closed face, and in these pieces are not looked for */
  const bool masked = mask_is_closed(&t);
  if (masked) poison_rest(&t, &p);
  const hymg_result r = trial_solve(&t, u);
  ck_assert_msg(r.converged && r.path == HYMG_PATH_ROBUST, "seed %u, %s: %d cycles, %.3g: %s", seed,
                t.c.name, r.cycles, r.residual_relative, r.note);
  ck_assert_msg(masked ? r.pieces == p.count && r.singular_pieces == p.singular &&
                             r.singular == (p.singular > 0)
                       : r.pieces == 1 && r.singular_pieces == r.singular,
                "seed %u, %s: %lld pieces, %lld singular: %d, %d are wanted", seed, t.c.name,
                (long long)r.pieces, (long long)r.singular_pieces, p.count, p.singular);
  for (size_t q = 0; q < t.cells; q++)
    ck_assert_msg(!masked || p.piece[q] >= 0 || (t.fixed && t.fixed[q] == t.fixed[q]) || u[q] == 0,
                  "seed %u: %g in a cell that is no unknown", seed, u[q]);
  char where[256];
  snprintf(where, sizeof where, "seed %u, %s", seed, t.c.name);
  if (support_max(t.cells, want) > 0)
    support_assert_close("u", where, t.cells, u, want, 1e-6);
  else
    ck_assert_msg(support_max(t.cells, u) == 0, "%s", where);
  mask_release(&p);
  free(want);
  free(u);
  trial_close(&t);
  return r.cycles;
}

/* HYMG_MASKS=10000 takes so many, from HYMG_MASKS_FROM on. _i: the kind. */
START_TEST(random_systems_have_the_solution_of_a_dense_solve)
{
  const char *first = getenv("HYMG_MASKS_FROM");
  const unsigned from = first ? (unsigned)atoi(first) : 0,
                 systems = random_systems() / (_i % 2 ? 4 : 1);
  int worst = 0;
  for (unsigned seed = from; seed < from + systems; seed++) {
    const int cycles = solve_random(seed, _i);
    worst = cycles > worst ? cycles : worst;
  }
  printf("  at most %d iterations\n", worst);
}
END_TEST

/* A W-cycle that corrects exactly twice the error: what it gives of a residual is rounding. */
START_TEST(a_cycle_without_energy_is_left)
{
  solve_random(51169, 2);
}
END_TEST

/* Open faces at the seams of periodic axes alone, of odd numbers of cells: pieces of 2, 4 and 8 cells, all of one colour. _i:
 * transfer, half sweeps. */
START_TEST(pieces_of_one_colour_are_solved)
{
  static const hymg_transfer transfer[3] = {HYMG_TRANSFER_AUTO, HYMG_TRANSFER_CONSTANT,
                                            HYMG_TRANSFER_PAIRS};
  const int n[3] = {9, 7, 5};
  trial t = trial_of(n, "pp pp pp", 0);
  for (int axis = 0; axis < 3; axis++) {
    const int f[3] = {n[0] + (axis == 0), n[1] + (axis == 1), n[2] + (axis == 2)};
    for (int m = 0; m < f[0] * f[1] * f[2]; m++) {
      const int at[3] = {m % f[0], m / f[0] % f[1], m / f[0] / f[1]};
      if (at[axis] % n[axis]) t.c.beta[axis][m] = 0;
    }
  }
  t.o.transfer = transfer[_i % 3];
  if (_i / 3) t.o.sweeps = 4;
  mask_pieces p;
  double *u = support_poison(t.cells), *want = mask_solution(&t, &p);
  poison_rest(&t, &p);
  const hymg_result r = trial_solve(&t, u);
  ck_assert_msg(r.converged && r.cycles < 30 && strstr(r.note, "smoother chebyshev"),
                "%d cycles, %.3g: %s", r.cycles, r.residual_relative, r.note);
  ck_assert_int_eq(r.singular_pieces, p.singular);
  support_assert_close("u", t.c.name, t.cells, u, want, 1e-6);
  mask_release(&p);
  free(want);
  free(u);
  trial_close(&t);
}
END_TEST

/* ---- order ---- */

/* The mean of cos(2 pi x) over cell i of n. */
static double mean_of_cosine(int i, int n)
{
  const double pi = acos(-1.);
  return (sin(2 * pi * (i + 1) / n) - sin(2 * pi * i / n)) * n / (2 * pi);
}

typedef struct errors {
  double everywhere, away;
} errors;

/* The largest error, and that in the quarter of small x, of u = cos(2 pi x) cos(2 pi y) cos(2 pi z) in a cube of n^3 cells without its octant of large
 * coordinates; nothing flows through any of these walls. */
static errors error_beside_a_block(hymg_stencil stencil, int n)
{
  trial t =
      trial_plain((const int[3]){n, n, n}, "nn nn nn", (const double[3]){1. / n, 1. / n, 1. / n});
  double *u = support_poison(t.cells), *want = support_poison(t.cells), sum = 0;
  errors most = {0, 0};
  size_t q = 0, active = 0;
  t.c.spec.stencil = stencil;
  if (stencil == HYMG_FV4) t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, q++) {
        const bool block = 2 * i >= n && 2 * j >= n && 2 * k >= n;
        want[q] = mean_of_cosine(i, n) * mean_of_cosine(j, n) * mean_of_cosine(k, n);
        t.f[q] = block ? NAN : 12 * acos(-1.) * acos(-1.) * want[q];
        if (block)
          mask_cell(&t, i, j, k), want[q] = NAN;
        else
          sum += want[q], active++;
      }
  const hymg_result r = trial_solve(&t, u);
  ck_assert_msg(r.converged && r.pieces == 1 && r.singular_pieces == 1, "%s", r.note);
  for (q = 0; q < t.cells; q++) {
    if (want[q] != want[q]) continue;
    const double error = fabs(u[q] - (want[q] - sum / (double)active));
    most.everywhere = fmax(most.everywhere, error);
    if ((int)q % n < n / 4) most.away = fmax(most.away, error);
  }
  free(u);
  free(want);
  trial_close(&t);
  return most;
}

/* FV4 has the flux of FV2 in three layers of cells around the block: third order in all. */
START_TEST(fv4_is_of_higher_order_beside_a_block)
{
  const int n = support_small() ? 32 : 64;
  const errors coarse = error_beside_a_block(HYMG_FV4, n / 2),
               fine = error_beside_a_block(HYMG_FV4, n), second = error_beside_a_block(HYMG_FV2, n);
  const double order = log2(coarse.everywhere / fine.everywhere);
  ck_assert_msg(order > (n == 64 ? 2.8 : 2.5), "order %.2f", order);
  ck_assert_msg(fine.everywhere < (n == 64 ? 0.35 : 0.6) * second.everywhere &&
                    fine.away < 0.06 * second.away,
                "%g and %g, of FV2 %g and %g", fine.everywhere, fine.away, second.everywhere,
                second.away);
  printf("  order %.2f, %.2g of FV2's error, %.2g away from the block\n", order,
         fine.everywhere / second.everywhere, fine.away / second.away);
}
END_TEST

/* ---- bits, axes ---- */

static trial large_trial(unsigned seed)
{
  const int large[3] = {40, 27, 22}, small[3] = {20, 15, 12}, *n = support_small() ? small : large;
  trial t = trial_of(n, seed % 2 ? "nn pp nn" : "nn nn nd", seed % 3 ? 0 : TRIAL_WIDTHS);
  double *draw = support_random(t.cells, 0, 1, 5 + seed);
  for (int k = 0, q = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++, q++)
        if (draw[q] < 0.45 || k == n[2] / 2) mask_cell(&t, i, j, k), t.f[q] = NAN;
  free(draw);
  return t;
}

/* _i: FV2, FV4. */
START_TEST(threads_and_boxes_give_the_same_bits)
{
  static const struct {
    int threads, boxes[3];
  } ways[] = {{1, {1, 1, 1}}, {3, {1, 1, 1}}, {2, {2, 1, 2}}, {1, {4, 3, 1}}};
  for (unsigned seed = 0; seed < 4; seed++) {
    double *want = NULL;
    int cycles = 0;
    for (size_t m = 0; m < sizeof ways / sizeof *ways; m++) {
      trial t = large_trial(_i && seed % 3 == 0 ? 5 : seed); /* FV4: no widths */
      double *u = support_poison(t.cells);
      if (_i) t.c.spec.stencil = HYMG_FV4, t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
      t.threads = ways[m].threads;
      memcpy(t.boxes, ways[m].boxes, sizeof t.boxes);
      for (int axis = 0; axis < 3; axis++)
        if (t.c.spec.n[axis] % t.boxes[axis]) t.boxes[axis] = 1;
      const hymg_result r = trial_solve(&t, u);
      ck_assert_msg(r.converged && r.pieces > 1, "seed %u: %lld pieces, %s", seed,
                    (long long)r.pieces, r.note);
      if (m == 0) cycles = r.cycles;
      ck_assert_msg(r.cycles == cycles && (!want || support_same_bits(t.cells, u, want)),
                    "seed %u, way %zu", seed, m);
      if (want)
        free(u);
      else
        want = u;
      trial_close(&t);
    }
    free(want);
  }
}
END_TEST

/* Two systems that differ by the order of their axes alone. */
START_TEST(exchanged_axes_give_the_exchanged_solution)
{
  static const int sides[2][3] = {{14, 9, 11},
                                  {11, 14, 9}}; /* axis m of the second: axis (m + 2) % 3 */
  double *u[2], *draw = support_random(14 * 9 * 11, 0, 1, 3);
  hymg_result r[2];
  for (int turned = 0; turned < 2; turned++) {
    const int *n = sides[turned];
    trial t = trial_plain(n, "nn nn nn", (const double[3]){1, 1, 1});
    u[turned] = support_poison(t.cells);
    for (int k = 0; k < 11; k++)
      for (int j = 0; j < 9; j++)
        for (int i = 0; i < 14; i++) {
          const size_t q = ((size_t)k * 9 + (size_t)j) * 14 + (size_t)i;
          const int c[3] = {turned ? k : i, turned ? i : j, turned ? j : k};
          const size_t at =
              ((size_t)c[2] * (size_t)n[1] + (size_t)c[1]) * (size_t)n[0] + (size_t)c[0];
          t.f[at] = draw[q];
          if (draw[q] < 0.3) mask_cell(&t, c[0], c[1], c[2]);
        }
    r[turned] = trial_solve(&t, u[turned]);
    trial_close(&t);
  }
  ck_assert(r[0].converged && r[1].converged && abs(r[0].cycles - r[1].cycles) <= 1);
  ck_assert(r[0].pieces == r[1].pieces && r[0].singular_pieces == r[1].singular_pieces);
  for (int k = 0; k < 11; k++)
    for (int j = 0; j < 9; j++)
      for (int i = 0; i < 14; i++) {
        const double a = u[0][(k * 9 + j) * 14 + i], b = u[1][(j * 14 + i) * 11 + k];
        ck_assert_msg(fabs(a - b) < 1e-7, "(%d, %d, %d): %g and %g", i, j, k, a, b);
      }
  free(u[0]);
  free(u[1]);
  free(draw);
}
END_TEST

/* ---- pieces ---- */

/* A wall of cells at i = 3 between two halves, both without a hold. */
static trial two_rooms(void)
{
  const int n[3] = {8, 6, 5};
  trial t = trial_plain(n, "nn nn nn", (const double[3]){1, 1, 1});
  for (int k = 0; k < 5; k++)
    for (int j = 0; j < 6; j++)
      mask_cell(&t, 3, j, k);
  return t;
}

static double sum_of(const trial *t, const double *u, int from, int to)
{
  double sum = 0;
  for (size_t q = 0; q < t->cells; q++)
    if ((int)(q % 8) >= from && (int)(q % 8) < to) sum += u[q];
  return sum;
}

START_TEST(each_room_loses_its_mean_and_the_worst_is_named)
{
  trial t = two_rooms();
  double *u = support_poison(t.cells);
  for (size_t q = 0; q < t.cells; q++)
    t.f[q] = q % 8 < 3 ? 5 + 0.01 * (double)(q % 7) : q % 2 ? 1 : -1;
  hymg_result r = trial_solve(&t, u);
  int64_t singular = 0;
  ck_assert(r.converged && r.pieces == 2 && r.singular_pieces == 2 && r.singular);
  ck_assert(hymg_solver_pieces(t.k.solver, &singular) == 2 && singular == 2);
  ck_assert_msg(strstr(r.note, "1 of 2 singular pieces") &&
                    strstr(r.note, "90 cells from (0, 0, 0)"),
                "%s", r.note);
  ck_assert(fabs(r.mean_removed - 5.03) < 0.02);
  ck_assert(fabs(sum_of(&t, u, 0, 3)) < 1e-9 && fabs(sum_of(&t, u, 4, 8)) < 1e-9);
  ck_assert(sum_of(&t, u, 3, 4) == 0 && support_max(t.cells, u) > 0);
  support_close(&t.k);
  t.k.context = NULL;
  t.o.rhs_mean = HYMG_MEAN_ERROR;
  trial_open(&t);
  hymg_field *f = support_field(&t.k, 0, t.f), *x = support_field(&t.k, 0, t.f);
  support_assert_error(t.k.context, hymg_solve(t.k.solver, f, x, NULL), HYMG_EINVAL,
                       "not compatible in 1 of 2 singular pieces", "90 cells from (0, 0, 0)", NULL);
  hymg_field_destroy(&f);
  hymg_field_destroy(&x);
  free(u);
  trial_close(&t);
}
END_TEST

START_TEST(a_constant_in_each_piece_is_zero_without_an_iteration)
{
  trial t = two_rooms();
  double *u = support_poison(t.cells);
  for (size_t q = 0; q < t.cells; q++)
    t.f[q] = q % 8 < 3 ? 0.1 : q % 8 > 3 ? 1e9 / 3 : NAN;
  const hymg_result r = trial_solve(&t, u);
  ck_assert_msg(r.converged && r.cycles == 0 && r.rhs_max == 0, "%d cycles: %s", r.cycles, r.note);
  ck_assert(support_max(t.cells, u) == 0);
  free(u);
  trial_close(&t);
}
END_TEST

/* beta is one number, which is 0. */
START_TEST(a_blocked_grid_has_no_unknowns_or_alpha_alone)
{
  const int n[3] = {7, 5, 6};
  for (int alpha = 0; alpha < 2; alpha++) {
    trial t = trial_of(n, "nd pp nr", alpha ? TRIAL_ALPHA : 0);
    double *u = support_poison(t.cells);
    for (int d = 0; d < 3; d++)
      for (size_t m = 0; m < t.cells / (size_t)n[d] * (size_t)(n[d] + 1); m++)
        t.c.beta[d][m] = 0;
    const hymg_result r = trial_solve(&t, u);
    ck_assert_msg(r.converged && r.cycles <= 3 && r.pieces == (alpha ? (int64_t)t.cells : 0) &&
                      r.singular_pieces == 0,
                  "%d cycles, %lld pieces: %s", r.cycles, (long long)r.pieces, r.note);
    for (size_t q = 0; q < t.cells; q++)
      ck_assert(alpha ? fabs(u[q] - t.f[q] / (t.c.spec.a * t.c.alpha[q])) < 1e-12 * fabs(u[q])
                      : u[q] == 0);
    free(u);
    trial_close(&t);
  }
}
END_TEST

/* NaN where there is no unknown; elsewhere far off, by another constant in each room. */
START_TEST(the_initial_guess_does_not_enter)
{
  trial t = two_rooms();
  double *want = support_poison(t.cells), *guess = support_poison(t.cells);
  for (size_t q = 0; q < t.cells; q++) {
    t.f[q] = sin((double)q);
    guess[q] = q % 8 < 3 ? 1e3 + (double)(q % 5) : q % 8 > 3 ? -1e5 : NAN;
  }
  t.o.rtol = 1e-12;
  trial_solve(&t, want);
  support_close(&t.k);
  t.k.context = NULL;
  t.o.initial_guess = true;
  trial_open(&t);
  hymg_field *f = support_field(&t.k, 0, t.f), *u = support_field(&t.k, 0, guess);
  hymg_result r;
  OK(t.k.context, hymg_solve(t.k.solver, f, u, &r));
  double *got = support_read(&t.k, 0, u);
  ck_assert(r.converged);
  support_assert_close("u", "a guess", t.cells, got, want, 1e-7);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  free(got);
  free(want);
  free(guess);
  trial_close(&t);
}
END_TEST

/* ---- a weak alpha ---- */

/* Two rooms that a weak alpha alone holds; kind bits 0: widths, 1: a Dirichlet boundary beside the second room, 2: the
 * 2-norm. weak: alpha, without a. */
static trial weak_rooms(int kind, double weak)
{
  const int n[3] = {8, 6, 5};
  trial t = trial_of(n, kind & 2 ? "nd nn nn" : "nn nn nn",
                     (kind & 1 ? TRIAL_WIDTHS : 0) | (weak > 0 ? TRIAL_ALPHA : 0));
  for (int k = 0; k < 5; k++)
    for (int j = 0; j < 6; j++)
      mask_cell(&t, 3, j, k);
  for (size_t q = 0; weak > 0 && q < t.cells; q++)
    t.c.alpha[q] = q % 8 == 3 ? 0 : weak;
  t.o.norm = kind & 4 ? HYMG_NORM_2 : HYMG_NORM_MAX;
  return t;
}

/* Where alpha is the same in all cells of a piece, u without its mean is that of the singular piece, and its mean that of
 * f over a alpha: a residual of rtol |f| alone would leave any mean of u here. */
START_TEST(a_weak_alpha_gives_the_mean_of_each_room)
{
  const double weak = 1e-10;
  trial t = weak_rooms(_i, weak), singular = weak_rooms(_i, 0);
  double *u = support_poison(t.cells), *want;
  mask_pieces p;
  memcpy(t.f, singular.f, t.cells * sizeof *t.f);
  free(mask_solution(&singular, &p));
  for (size_t q = 0; q < t.cells; q++)
    if (p.piece[q] >= 0 && !p.held[p.piece[q]])
      t.f[q] -= p.mean[p.piece[q]], singular.f[q] = t.f[q];
  mask_release(&p);
  want = mask_solution(&singular, &p);
  for (size_t q = 0; q < t.cells; q++)
    if (p.piece[q] < 0) {
      t.f[q] = NAN, want[q] = 0;
    } else if (!p.held[p.piece[q]]) {
      const double mean = q % 8 < 3 ? 1 : -3;
      t.f[q] += mean * weak * t.c.spec.a;
      want[q] += mean;
    }
  const hymg_result r = trial_solve(&t, u);
  ck_assert_msg(r.converged && r.pieces == 2 && r.singular_pieces == 0 && !r.singular, "%s",
                r.note);
  support_assert_close("u", "weak rooms", t.cells, u, want, 1e-5);
  mask_release(&p);
  free(u);
  free(want);
  trial_close(&singular);
  trial_close(&t);
}
END_TEST

/* f is a alpha times another number in each room; with the 2-norm these are too large for their squares. */
START_TEST(a_weak_alpha_takes_constants_to_constants)
{
  trial t = weak_rooms((_i & 1) | (_i & 2) << 1, 3e-14);
  double *u = support_poison(t.cells), size = _i & 2 ? 1e200 : 1;
  for (size_t q = 0; q < t.cells; q++)
    t.f[q] = t.c.spec.a * t.c.alpha[q] * (q % 8 < 3 ? 2 : 1e5) * size;
  const hymg_result r = trial_solve(&t, u);
  ck_assert_msg(r.converged && r.cycles <= 1 && isfinite(r.rhs_max), "%d cycles, |f| %g: %s",
                r.cycles, r.rhs_max, r.note);
  for (size_t q = 0; q < t.cells; q++) {
    const double want = (q % 8 < 3 ? 2 : q % 8 == 3 ? 0 : 1e5) * size;
    ck_assert_msg(fabs(u[q] - want) <= 1e-14 * want, "cell %zu: %.17g", q, u[q]);
  }
  free(u);
  trial_close(&t);
}
END_TEST

/* A room with alpha in one cell is held by that, as is one whose alpha couples as much as beta. */
START_TEST(other_alphas_hold)
{
  for (int kind = 0; kind < 2; kind++) {
    trial t = weak_rooms(0, kind ? 10 : 1e-3);
    double *u = support_poison(t.cells), *want;
    if (!kind) t.c.alpha[0] = 2e-3;
    mask_pieces p;
    want = mask_solution(&t, &p);
    for (size_t q = 0; q < t.cells; q++)
      if (p.piece[q] < 0) t.f[q] = NAN;
    const hymg_result r = trial_solve(&t, u);
    ck_assert_msg(r.converged && r.pieces == 2 && r.singular_pieces == 0, "%s", r.note);
    support_assert_close("u", "held rooms", t.cells, u, want, 1e-6);
    mask_release(&p);
    free(u);
    free(want);
    trial_close(&t);
  }
}
END_TEST

/* ---- updates ---- */

static void write_betas(trial *t, double *const beta[3])
{
  for (int axis = 0; axis < 3; axis++) {
    int n[3] = {t->c.spec.n[0], t->c.spec.n[1], t->c.spec.n[2]};
    const int low[3] = {0, 0, 0};
    n[axis]++;
    const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    OK(t->k.context, hymg_field_write(t->k.coefficient[HYMG_FACE_X + axis], low, n, stride,
                                      beta[axis], HYMG_HOST));
  }
}

static const char *const mask_names[] = {"none", "a wall", "another one", "all",
                                         "a wall, and none"};

/* What to change from the betas of a plain box: nothing, a wall, a piece more, everything. */
static trial changed(int kind)
{
  const int n[3] = {10, 9, 8};
  trial t = trial_of(n, "nn dn pp", 0);
  for (int k = 0; k < 8; k++)
    for (int j = 0; j < 9; j++)
      for (int i = 0; i < 10; i++)
        if (kind == 3 || (kind == 1 && i == 4 && j > 2) || (kind == 2 && (i == 2 || j == 6)))
          mask_cell(&t, i, j, k);
  return t;
}

/* With a solver of its own, whose path the coefficients choose if the options say so. */
static hymg_result solve_with(trial *t, hymg_solver *solver, double *u)
{
  hymg_result r;
  hymg_field *f = support_field(&t->k, 0, t->f), *x = support_field(&t->k, 0, t->f);
  OK(t->k.context, hymg_solve(solver, f, x, &r));
  double *values = support_read(&t->k, 0, x);
  memcpy(u, values, t->cells * sizeof *u);
  free(values);
  hymg_field_destroy(&f);
  hymg_field_destroy(&x);
  return r;
}

START_TEST(after_each_update_results_are_those_of_a_new_solver)
{
  static const int order[] = {1, 2, 0, 3, 1, 0, 2};
  trial t = changed(0);
  double *got = support_poison(t.cells), *want = support_poison(t.cells);
  hymg_solver *kept = NULL;
  trial_open(&t);
  hymg_options o = support_options(t.o);
  o.path = _i ? HYMG_PATH_AUTO : HYMG_PATH_ROBUST;
  OK(t.k.context, hymg_solver_create(t.k.op, &o, &kept));
  for (size_t m = 0; m < sizeof order / sizeof *order; m++) {
    hymg_solver *made = NULL;
    trial other = changed(order[m]);
    write_betas(&t, other.c.beta);
    OK(t.k.context, hymg_solver_update(kept));
    OK(t.k.context, hymg_solver_create(t.k.op, &o, &made));
    const hymg_result a = solve_with(&t, kept, got), b = solve_with(&t, made, want);
    ck_assert_msg(a.path == b.path && a.cycles == b.cycles && a.pieces == b.pieces &&
                      a.singular_pieces == b.singular_pieces && a.converged && b.converged &&
                      strcmp(a.note, b.note) == 0,
                  "step %zu, %s: %s; %s", m, mask_names[order[m]], a.note, b.note);
    ck_assert_msg(support_same_bits(t.cells, got, want), "step %zu, %s", m, mask_names[order[m]]);
    ck_assert(a.path == HYMG_PATH_ROBUST || (_i && order[m] == 0));
    hymg_solver_destroy(&made);
    trial_close(&other);
  }
  hymg_solver_destroy(&kept);
  free(got);
  free(want);
  trial_close(&t);
}
END_TEST

START_TEST(a_refused_update_keeps_the_solver)
{
  trial t = changed(0), other = changed(1);
  double *got = support_poison(t.cells), *want = support_poison(t.cells);
  hymg_solver *kept = NULL;
  trial_open(&t);
  hymg_options o = support_options(t.o);
  o.path = HYMG_PATH_STANDARD, o.max_cycles = 20;
  OK(t.k.context, hymg_solver_create(t.k.op, &o, &kept));
  solve_with(&t, kept, want);
  write_betas(&t, other.c.beta);
  support_assert_error(t.k.context, hymg_solver_update(kept), HYMG_EUNSUPPORTED, "beta 0",
                       "path standard", "robust", NULL);
  const hymg_result r = solve_with(&t, kept, got);
  ck_assert(r.path == HYMG_PATH_STANDARD && support_same_bits(t.cells, got, want));
  hymg_solver_destroy(&kept);
  free(got);
  free(want);
  trial_close(&t);
  trial_close(&other);
}
END_TEST

/* ---- what is refused ---- */

START_TEST(what_masks_do_not_suit_is_refused_with_the_way_out)
{
  trial t = changed(1);
  trial_open(&t);
  hymg_context *c = t.k.context;
  hymg_solver *s = NULL;
  hymg_operator *op = NULL;
  hymg_options o = t.o;
  o.path = HYMG_PATH_STANDARD;
  support_assert_error(c, hymg_solver_create(t.k.op, &o, &s), HYMG_EUNSUPPORTED, "beta 0",
                       "path robust", NULL);
  o.path = HYMG_PATH_AUTO, o.method = HYMG_FMG;
  support_assert_error(c, hymg_solver_create(t.k.op, &o, &s), HYMG_EUNSUPPORTED, "beta of 0",
                       "method mg", NULL);
  hymg_operator_desc d = t.k.desc;
  d.extrapolation = HYMG_EXTRAPOLATION_QUADRATIC;
  OK(c, hymg_operator_create(t.k.grid, &d, &op));
  support_assert_error(c, hymg_solver_create(op, &t.o, &s), HYMG_EUNSUPPORTED, "quadratic",
                       "linear", NULL);
  hymg_operator_destroy(&op);
  trial_close(&t);
}
END_TEST

START_TEST(the_need_of_memory_counts_them)
{
  const int n[3] = {40, 24, 16};
  hymg_need with_mask, without;
  trial t = trial_of(n, "dd dd dd", 0);
  trial_open(&t);
  hymg_operator_desc d = hymg_operator_desc_default();
  d.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  OK(t.k.context, hymg_solver_need(t.k.grid, &d, HYMG_VARIABLE_MASK, &t.o, &with_mask));
  OK(t.k.context, hymg_solver_need(t.k.grid, &d, 0, &t.o, &without));
  const double more = with_mask.level[0].coefficients - without.level[0].coefficients;
  const double vector = 8.0 * (double)t.cells;
  ck_assert_msg(more >= 3 * vector && more < 7 * vector, "%g vectors more", more / vector);
  trial_close(&t);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("masks");
  TCase *t = tcase_create("masks");
  tcase_set_timeout(t, 300);
  tcase_add_loop_test(t, random_systems_have_the_solution_of_a_dense_solve, 0, 4);
  tcase_add_test(t, a_cycle_without_energy_is_left);
  tcase_add_loop_test(t, pieces_of_one_colour_are_solved, 0, 6);
  tcase_add_test(t, fv4_is_of_higher_order_beside_a_block);
  tcase_add_loop_test(t, threads_and_boxes_give_the_same_bits, 0, 2);
  tcase_add_test(t, exchanged_axes_give_the_exchanged_solution);
  tcase_add_test(t, each_room_loses_its_mean_and_the_worst_is_named);
  tcase_add_test(t, a_constant_in_each_piece_is_zero_without_an_iteration);
  tcase_add_test(t, a_blocked_grid_has_no_unknowns_or_alpha_alone);
  tcase_add_test(t, the_initial_guess_does_not_enter);
  tcase_add_loop_test(t, a_weak_alpha_gives_the_mean_of_each_room, 0, 8);
  tcase_add_loop_test(t, a_weak_alpha_takes_constants_to_constants, 0, 4);
  tcase_add_test(t, other_alphas_hold);
  tcase_add_loop_test(t, after_each_update_results_are_those_of_a_new_solver, 0, 2);
  tcase_add_test(t, a_refused_update_keeps_the_solver);
  tcase_add_test(t, what_masks_do_not_suit_is_refused_with_the_way_out);
  tcase_add_test(t, the_need_of_memory_counts_them);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
