/* Fields of beta with one number on all faces are as that number: the same bits, memory and path, also after updates to
 * other betas and back. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
  int n[3];
  const char *boundary;
  hymg_stencil stencil;
  hymg_method method;
  hymg_path path;
  double a;
  bool linear;
} setting;

static const setting settings[] = {
    {{16, 8, 12}, "dd pp nn", HYMG_FV2, HYMG_MG, HYMG_PATH_STANDARD, 0, false},
    {{16, 16, 16}, "dd dd pp", HYMG_FV2, HYMG_FMG, HYMG_PATH_STANDARD, 0.5, false},
    {{16, 16, 16}, "dd pp dd", HYMG_FV4, HYMG_MG, HYMG_PATH_STANDARD, 0, false},
    {{9, 7, 12}, "dr nd pp", HYMG_FV2, HYMG_MG, HYMG_PATH_ROBUST, 0.5, true},
    {{12, 16, 1}, "dd pp nn", HYMG_FV2, HYMG_MG, HYMG_PATH_ROBUST, 0, true},
    {{16, 13, 12}, "pp pp nn", HYMG_FV2, HYMG_MG, HYMG_PATH_AUTO, 0, false},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static size_t faces_of(const int n[3], int axis)
{
  return (size_t)(n[0] + (axis == 0)) * (size_t)(n[1] + (axis == 1)) * (size_t)(n[2] + (axis == 2));
}

/* All faces have the number; what does not count has others: the last faces of periodic axes, and thin axes. */
static void fill(support_case *c, double number)
{
  const int *n = c->spec.n;
  for (int axis = 0; axis < 3; axis++) {
    const bool periodic = c->spec.boundary[2 * axis] == HYMG_PERIODIC;
    const int m[3] = {n[0] + (axis == 0), n[1] + (axis == 1), n[2] + (axis == 2)};
    for (size_t at = 0; at < faces_of(n, axis); at++) {
      const int index[3] = {(int)(at % (size_t)m[0]), (int)(at / (size_t)m[0] % (size_t)m[1]),
                            (int)(at / (size_t)m[0] / (size_t)m[1])};
      const bool unused = (periodic && index[axis] == n[axis]) || (n[axis] == 1 && !periodic);
      c->beta[axis][at] = unused ? number + 1 + (double)at : number;
    }
    c->spec.beta[axis] = c->beta[axis];
  }
}

typedef struct answer {
  double *u, bytes;
  int cycles;
  hymg_path path;
} answer;

static hymg_options options_of(const setting *s)
{
  hymg_options o = hymg_options_default();
  o.method = s->method, o.path = s->path, o.rtol = 1e-9;
  return support_options(o);
}

static answer solve(support_kit *k, const double *values)
{
  hymg_field *f = support_field(k, 0, values), *u = support_field(k, 0, values);
  hymg_result r;
  OK(k->context, hymg_solve(k->solver, f, u, &r));
  ck_assert_msg(r.converged, "%s", r.note);
  answer a = {support_read(k, 0, u), hymg_solver_bytes_per_dof(k->solver), r.cycles, r.path};
  hymg_field_destroy(&f), hymg_field_destroy(&u);
  return a;
}

static answer solve_anew(const support_case *c, const setting *s, const double *values)
{
  hymg_options o = options_of(s);
  support_kit k;
  support_layout layout = {.threads = 2, .boxes = {1, 1, 1}};
  ck_assert_msg(support_open_as(&c->spec, &layout, &o, &k), "%s", hymg_context_error(k.context));
  const answer a = solve(&k, values);
  support_close(&k);
  return a;
}

static void assert_same(const char *where, size_t cells, answer *got, answer *want)
{
  ck_assert_msg(support_same_bits(cells, got->u, want->u), "%s: other bits", where);
  ck_assert_int_eq(got->cycles, want->cycles);
  ck_assert_int_eq((int)got->path, (int)want->path);
  ck_assert_msg(got->bytes == want->bytes, "%s: %g bytes a cell, want %g", where, got->bytes,
                want->bytes);
  free(got->u), free(want->u);
}

START_TEST(one_number_in_fields_is_that_number)
{
  const setting *s = settings + _i;
  support_case c = support_case_of(s->stencil, s->n, s->boundary, s->a);
  const size_t cells = (size_t)(s->n[0] * s->n[1] * s->n[2]);
  if (s->linear) c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  double *values = support_random(cells, -0.4, 1, 3);
  fill(&c, 1.7);
  answer got = solve_anew(&c, s, values);
  for (int axis = 0; axis < 3; axis++)
    c.spec.beta[axis] = NULL;
  c.spec.beta_constant = 1.7;
  answer want = solve_anew(&c, s, values);
  assert_same(c.name, cells, &got, &want);
  free(values);
  support_case_free(&c);
}
END_TEST

static void write(support_kit *k, const support_case *c)
{
  for (int axis = 0; axis < 3; axis++) {
    const int low[3] = {0, 0, 0},
              n[3] = {k->n[0] + (axis == 0), k->n[1] + (axis == 1), k->n[2] + (axis == 2)};
    const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    OK(k->context, hymg_field_write(k->coefficient[HYMG_FACE_X + axis], low, n, stride,
                                    c->beta[axis], HYMG_HOST));
  }
}

/* From a number to another one, to many, and back; each as a new solver. */
START_TEST(updates_go_to_and_fro)
{
  const setting *s = settings + _i;
  support_case c = support_case_of(s->stencil, s->n, s->boundary, s->a);
  if (s->linear) c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  const size_t cells = (size_t)(s->n[0] * s->n[1] * s->n[2]);
  double *values = support_random(cells, -0.4, 1, 3), *varied[3];
  for (int axis = 0; axis < 3; axis++) {
    varied[axis] = malloc(faces_of(s->n, axis) * sizeof(double));
    memcpy(varied[axis], c.beta[axis], faces_of(s->n, axis) * sizeof(double));
  }
  hymg_options o = options_of(s);
  support_kit k;
  support_layout layout = {.threads = 2, .boxes = {1, 1, 1}};
  fill(&c, 1.7);
  ck_assert_msg(support_open_as(&c.spec, &layout, &o, &k), "%s", hymg_context_error(k.context));
  for (int step = 0; step < 4; step++) {
    if (step == 2)
      for (int axis = 0; axis < 3; axis++)
        memcpy(c.beta[axis], varied[axis], faces_of(s->n, axis) * sizeof(double));
    else
      fill(&c, step == 1 ? 0.3 : 2.5);
    write(&k, &c);
    OK(k.context, hymg_solver_update(k.solver));
    answer got = solve(&k, values), want = solve_anew(&c, s, values);
    got.bytes = want.bytes; /* an update may have kept more */
    assert_same(c.name, cells, &got, &want);
  }
  for (int axis = 0; axis < 3; axis++)
    free(varied[axis]);
  free(values);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

/* An F-cycle has the standard path alone. Levels for the number before remain; an update makes the solver whole. */
START_TEST(a_beta_that_does_not_suit_is_refused)
{
  const setting fmg = {{16, 16, 16}, "dd dd pp", HYMG_FV2, HYMG_FMG, HYMG_PATH_AUTO, 0, false};
  support_case c = support_case_of(HYMG_FV2, fmg.n, fmg.boundary, 0);
  double *values = support_random(4096, -0.4, 1, 3);
  hymg_options o = options_of(&fmg);
  o.path = HYMG_PATH_AUTO;
  support_kit k;
  support_layout layout = {.threads = 2, .boxes = {1, 1, 1}};
  for (int axis = 0; axis < 3; axis++) /* else it is the standard path that is asked for */
    c.spec.h[axis] = 1. / 16;
  fill(&c, 1.7);
  ck_assert_msg(support_open_as(&c.spec, &layout, &o, &k), "%s", hymg_context_error(k.context));
  answer want = solve(&k, values);
  for (int m = 0; m < 2; m++) {
    c.beta[0][5] = 1e5;
    write(&k, &c);
    support_assert_error(k.context, hymg_solver_update(k.solver), HYMG_EUNSUPPORTED, "fmg",
                         "factor of", NULL);
    fill(&c, 1.7);
    write(&k, &c);
    OK(k.context, hymg_solver_update(k.solver));
    answer got = solve(&k, values);
    ck_assert(support_same_bits(4096, got.u, want.u));
    free(got.u);
  }
  free(want.u), free(values);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("constant beta");
  TCase *t = tcase_create("constant beta");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, one_number_in_fields_is_that_number, 0, SETTINGS);
  tcase_add_loop_test(t, updates_go_to_and_fro, 0, SETTINGS);
  tcase_add_test(t, a_beta_that_does_not_suit_is_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
