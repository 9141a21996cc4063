/* Coarse matrices: cycles from a level of at most 64 cells down as matrices. Solves with them are solves
 * without them up to rounding, for every operator, smoother, bottom solver, cycle and boundary, also after an
 * update; they exist where they should, and are what they are on every number of boxes. */
#include "api/solver.h"
#include "support/support.h"
#include "support/twin.h"

#include <stdio.h>
#include <stdlib.h>

/* From how many cells on matrices are made. */
enum { ALWAYS = 1, NEVER = 1 << 30 };

static const int shapes[][3] = {{16, 16, 16}, {32, 16, 8}, {8, 12, 16}, {12, 20, 12}, {16, 8, 16}};
static const int odd_shapes[][3] = {{15, 15, 15}, {18, 18, 18}, {17, 12, 20}, {31, 31, 9}};
enum { SHAPES = sizeof shapes / sizeof *shapes };
static const char *const boundaries[] = {"dd dd dd", "pp pp pp", "nn nn nn", "dn pp dd",
                                         "nd dn nn"};
enum { BOUNDARIES = sizeof boundaries / sizeof *boundaries };

typedef struct opened {
  hymg_context *context;
  twin_open o;
} opened;

/* Bottom solves become as exact as those that matrices are made by. */
static void update_exactly(opened *s)
{
  s->o.k.solver->h.method.bottom_goal = HYMGI_MATRIX_GOAL;
  OK(s->context, hymg_solver_update(s->o.k.solver));
}

static opened open_twin(const twin *t, int from, int boxes)
{
  const twin_way way = {.name = "host",
                        .backend = support_backend(),
                        .host_cells = -1,
                        .tail_cells = -1,
                        .memory = HYMG_MEMORY_DEVICE,
                        .gather_cells = -1};
  opened s = {NULL, {.cells = 0}};
  ck_assert_int_eq(hymg_context_create(NULL, &s.context), HYMG_OK);
  s.context->matrix_from = from;
  const support_layout layout = {.context = s.context, .boxes = {boxes, boxes, boxes}};
  s.o = twin_begin(t, &way, &layout);
  if (from == NEVER) update_exactly(&s);
  return s;
}

static void close_twin(opened *s)
{
  twin_end(&s->o);
  hymg_context_destroy(&s->context);
}

static void check_alike(const twin *t, const char *where)
{
  opened with = open_twin(t, ALWAYS, 0), without = open_twin(t, NEVER, 0);
  const hymgi_coarse_matrix *m = &with.o.k.solver->h.matrix;
  ck_assert(!without.o.k.solver->h.matrix.exists);
  ck_assert_msg(m->exists && m->level > 0, "%s: no matrix", where);
  ck_assert_int_le(with.o.k.solver->h.level[m->level].cells, HYMGI_MATRIX_CELLS);
  for (int round = 0; round < 2; round++) { /* the second one after an update */
    twin_solution got = twin_solve(&with.o), want = twin_solve(&without.o);
    ck_assert_int_eq(got.cycles, want.cycles);
    support_assert_close("u", where, got.cells, got.u, want.u, 1e-9);
    twin_solution_free(&got);
    twin_solution_free(&want);
    OK(with.context, hymg_solver_update(with.o.k.solver));
  }
  close_twin(&with);
  close_twin(&without);
}

START_TEST(every_shape_and_boundary)
{
  for (int b = 0; b < BOUNDARIES; b += support_small() ? 2 : 1) {
    const hymg_stencil stencil = _i % 2 && b < 2 ? HYMG_FV4 : HYMG_FV2;
    const int *n = shapes[(_i + b) % SHAPES];
    twin t = twin_of(stencil, n[0], n[1], n[2], boundaries[b]);
    t.a = (_i + b) % 3 ? 0 : 0.75;
    t.cycle = _i % 4 < 2 ? HYMG_CYCLE_F : HYMG_CYCLE_V;
    char where[100];
    snprintf(where, sizeof where, "shape %d, boundaries %s", (_i + b) % SHAPES, boundaries[b]);
    check_alike(&t, where);
  }
}
END_TEST

/* Sides that become odd, also below even ones. */
START_TEST(odd_sides)
{
  const int *n = odd_shapes[_i % 4];
  for (int b = 0; b < BOUNDARIES; b += support_small() ? 2 : 1) {
    twin t = twin_of(HYMG_FV2, n[0], n[1], n[2], boundaries[b]);
    t.a = (_i + b) % 2 ? 0 : 0.75;
    t.constant_beta = b % 2;
    t.cycle = _i < 4 ? HYMG_CYCLE_F : HYMG_CYCLE_V;
    char where[100];
    snprintf(where, sizeof where, "%dx%dx%d, boundaries %s", n[0], n[1], n[2], boundaries[b]);
    check_alike(&t, where);
  }
}
END_TEST

START_TEST(every_smoother_and_bottom)
{
  static const hymg_smoother smoothers[] = {HYMG_GSRB, HYMG_CHEBYSHEV, HYMG_JACOBI, HYMG_L1JACOBI};
  for (int m = 0; m < 4; m += support_small() ? 2 : 1) {
    twin t = twin_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, 16, 16, 8, m % 2 ? "dd pp dd" : "dd dd dd");
    t.smoother = smoothers[m];
    t.bottom = (hymg_bottom)((_i + m) % 4);
    t.constant_beta = m % 2;
    t.cycle = m < 2 ? HYMG_CYCLE_F : HYMG_CYCLE_V;
    char where[100];
    snprintf(where, sizeof where, "smoother %d, bottom %d", m, (int)t.bottom);
    check_alike(&t, where);
  }
}
END_TEST

START_TEST(boundary_data)
{
  twin t = twin_of(HYMG_FV2, 16, 16, 16, "dd dn dd");
  t.boundaries = true;
  t.cycle = HYMG_CYCLE_V;
  check_alike(&t, "data, V-cycles");
  t.cycle = HYMG_CYCLE_F; /* is more than a matrix times f */
  opened s = open_twin(&t, ALWAYS, 0);
  ck_assert(!s.o.k.solver->h.matrix.exists);
  close_twin(&s);
}
END_TEST

/* Gathered, the level is one box whatever the user's are. */
START_TEST(any_boxes)
{
  twin t = twin_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, 32, 32, 32, "dd dd dd");
  opened one = open_twin(&t, ALWAYS, 1), many = open_twin(&t, ALWAYS, _i < 2 ? 2 : 4);
  ck_assert(one.o.k.solver->h.matrix.exists && many.o.k.solver->h.matrix.exists);
  twin_solution got = twin_solve(&many.o), want = twin_solve(&one.o);
  ck_assert(support_same_bits(got.cells, got.u, want.u));
  twin_solution_free(&got);
  twin_solution_free(&want);
  close_twin(&one);
  close_twin(&many);
}
END_TEST

/* Not for small grids, and not where all levels are larger. */
START_TEST(none_where_they_do_not_pay)
{
  twin t = twin_of(HYMG_FV2, 32, 32, 32, "dd dd dd");
  opened s = open_twin(&t, 64 * 64 * 64, 0);
  ck_assert(!s.o.k.solver->h.matrix.exists);
  close_twin(&s);
  t = twin_of(HYMG_FV2, 10, 10, 10, "dd dd dd");
  s = open_twin(&t, ALWAYS, 0);
  ck_assert(!s.o.k.solver->h.matrix.exists);
  close_twin(&s);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("coarse_matrix");
  TCase *c = tcase_create("cycles");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, every_shape_and_boundary, 0, support_small() ? 2 : 8);
  tcase_add_loop_test(c, odd_sides, 0, 8);
  tcase_add_loop_test(c, every_smoother_and_bottom, 0, support_small() ? 2 : 8);
  tcase_add_test(c, boundary_data);
  tcase_add_loop_test(c, any_boxes, 0, support_small() ? 1 : 4);
  tcase_add_test(c, none_where_they_do_not_pay);
  suite_add_tcase(suite, c);
  return support_run(suite);
}
