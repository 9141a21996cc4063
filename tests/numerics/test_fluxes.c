/* hymg_fluxes against the operator: what flows out of each cell, plus a alpha u, is A u (minus the
 * boundary data's part of f); on both paths, with and without widths, and values on faces of a known
 * solution. */
#include "support/support.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct setting {
  int n[3];
  const char *boundary;
  double a;
  hymg_path path;
  hymg_extrapolation extrapolation;
  bool data, widths, constant;
} setting;

static const setting settings[] = {
    {{8, 6, 10},
     "dd dd dd",
     1,
     HYMG_PATH_STANDARD,
     HYMG_EXTRAPOLATION_DEFAULT,
     false,
     false,
     false},
    {{8, 6, 10},
     "dn pp nd",
     0.5,
     HYMG_PATH_STANDARD,
     HYMG_EXTRAPOLATION_LINEAR,
     true,
     false,
     false},
    {{1, 5, 2}, "dd nn pp", 0, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_DEFAULT, true, false, false},
    {{7, 9, 5}, "dd dn pp", 0, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_QUADRATIC, true, false, false},
    {{7, 9, 5}, "dd dn pp", 1, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_LINEAR, true, true, false},
    {{12, 4, 6}, "pp pp pp", 0, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_LINEAR, false, true, false},
    {{8, 6, 10}, "dn dd nd", 0, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_DEFAULT, true, false, true},
    {{8, 6, 10}, "rr rn pp", 1, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_DEFAULT, true, false, true},
    {{7, 9, 5}, "rr dr rn", 0, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_QUADRATIC, true, false, false},
    {{7, 9, 5}, "rr dr rn", 0, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_LINEAR, true, true, false},
    {{8, 6, 10}, "dr dd pp", 0, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_VERTEX, true, false, true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static double *widths(int n, double h, unsigned seed)
{
  double *w = support_random((size_t)n, 0.5, 2, seed), sum = 0;
  for (int m = 0; m < n; m++)
    sum += w[m];
  for (int m = 0; m < n; m++)
    w[m] *= n * h / sum; /* so that the mean is h */
  return w;
}

static double *read_faces(support_kit *k, hymg_field *flux, int axis)
{
  const int low[3] = {0, 0, 0};
  int n[3] = {k->n[0], k->n[1], k->n[2]};
  n[axis]++;
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  double *x = support_poison((size_t)(n[0] * n[1] * n[2]));
  OK(k->context, hymg_field_read(flux, low, n, stride, x, HYMG_HOST));
  return x;
}

/* The sum over the faces of a cell, outwards, over its width along each axis. */
static double divergence(const support_kit *k, double *const flux[3], const double *const w[3],
                         const double h[3], int i, int j, int c)
{
  const int at[3] = {i, j, c};
  double sum = 0;
  for (int axis = 0; axis < 3; axis++) {
    int n[3] = {k->n[0], k->n[1], k->n[2]};
    n[axis]++;
    const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    const ptrdiff_t low = i + j * stride[1] + c * stride[2];
    const double width = w[axis] ? w[axis][at[axis]] : h[axis];
    sum += (flux[axis][low + stride[axis]] - flux[axis][low]) / width;
  }
  return sum;
}

START_TEST(what_flows_out_is_what_the_operator_says)
{
  const setting *s = settings + _i;
  support_case c = support_case_of(HYMG_FV2, s->n, s->boundary, s->a);
  c.spec.extrapolation = s->extrapolation;
  if (s->data) support_case_add_boundaries(&c);
  for (int axis = 0; axis < 3 && s->constant; axis++)
    c.spec.beta[axis] = NULL;
  if (s->constant) c.spec.beta_constant = 1.7;
  support_layout layout = {.threads = 2, .boxes = {1, 1, 1}};
  double *w[3] = {NULL};
  for (int axis = 0; axis < 3 && s->widths; axis++)
    layout.widths[axis] = w[axis] = widths(s->n[axis], c.spec.h[axis], 60u + (unsigned)axis);
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.path = s->path;
  support_kit k = support_open(&c.spec, &layout, &o);
  const size_t cells = (size_t)(s->n[0] * s->n[1] * s->n[2]);
  double *u_values = support_random(cells, -1, 1, 11), *zeros = calloc(cells, sizeof *zeros);
  double *flux[3];
  hymg_field *u = support_field(&k, 0, u_values), *zero = support_field(&k, 0, zeros), *f[3];
  hymg_field *r = support_field(&k, 0, zeros);
  for (int axis = 0; axis < 3; axis++) {
    OK(k.context, hymg_field_create(k.grid, NULL, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                                    f + axis));
    OK(k.context, hymg_field_fill(f[axis], NAN));
  }
  OK(k.context, hymg_fluxes(k.solver, u, f));
  OK(k.context, hymg_residual(k.solver, 0, zero, u, r)); /* -A u, with the boundary data */
  double *want = support_read(&k, 0, r), *got = malloc(cells * sizeof *got), largest = 0;
  for (int axis = 0; axis < 3; axis++)
    flux[axis] = read_faces(&k, f[axis], axis);
  for (size_t m = 0; m < cells; m++) {
    const int i = (int)m % s->n[0], j = (int)m / s->n[0] % s->n[1], l = (int)m / s->n[0] / s->n[1];
    const double alpha = c.spec.alpha ? c.spec.alpha[m] : c.spec.alpha_constant;
    got[m] = -(divergence(&k, flux, (const double *const *)w, c.spec.h, i, j, l) +
               c.spec.a * alpha * u_values[m]);
    largest = fmax(largest, fabs(want[m]));
  }
  ck_assert_msg(support_difference(cells, got, want) <= 1e-13 * largest, "%s: differ by %g of %g",
                c.name, support_difference(cells, got, want), largest);
  for (int axis = 0; axis < 3; axis++)
    free(flux[axis]), free(w[axis]), hymg_field_destroy(f + axis);
  free(want), free(got), free(u_values), free(zeros);
  hymg_field_destroy(&u), hymg_field_destroy(&zero), hymg_field_destroy(&r);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

/* u = 2 x + 3 with -beta u' = -2 beta everywhere, also on the boundaries; one axis alone is asked
 * for. */
START_TEST(a_linear_solution_has_its_flux_on_every_face)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){6, 4, 5}, "dn pp dd", 0);
  for (int axis = 0; axis < 3; axis++)
    c.spec.beta[axis] = NULL;
  c.spec.beta_constant = 1.5, c.spec.b = 2;
  c.spec.extrapolation = _i ? HYMG_EXTRAPOLATION_LINEAR : HYMG_EXTRAPOLATION_QUADRATIC;
  double low[20], high[20], values[120];
  const double h = c.spec.h[0];
  for (int m = 0; m < 20; m++)
    low[m] = 3, high[m] = 2; /* the value at x = 0, the derivative at the other end */
  for (int m = 0; m < 120; m++)
    values[m] = 2 * (m % 6 + 0.5) * h + 3;
  c.spec.boundary_data[0] = low, c.spec.boundary_data[1] = high;
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  support_kit k = support_open(&c.spec, NULL, &o);
  hymg_field *u = support_field(&k, 0, values), *f[3] = {NULL};
  OK(k.context, hymg_field_create(k.grid, NULL, HYMG_FACE_X, HYMG_DOUBLE, f));
  OK(k.context, hymg_fluxes(k.solver, u, f));
  double *flux = read_faces(&k, f[0], 0);
  for (int m = 0; m < 7 * 20; m++)
    ck_assert_msg(fabs(flux[m] + 2 * 1.5 * 2) < 1e-12, "face %d: %g", m % 7, flux[m]);
  free(flux);
  hymg_field *const wrong[3] = {NULL, f[0], NULL};
  support_assert_error(k.context, hymg_fluxes(k.solver, u, wrong), HYMG_EINVAL, "flux[1]", NULL);
  support_assert_error(k.context, hymg_fluxes(k.solver, f[0], f), HYMG_EINVAL, "u is", NULL);
  hymg_field_destroy(f), hymg_field_destroy(&u);
  c.spec.boundary_data[0] = c.spec.boundary_data[1] = NULL;
  support_close(&k);
  support_case_free(&c);
}
END_TEST

START_TEST(fluxes_of_fv4_are_refused)
{
  support_case c = support_case_of(HYMG_FV4, (const int[3]){8, 8, 8}, "dd dd dd", 0);
  support_kit k = support_open(&c.spec, NULL, NULL);
  double values[512] = {0};
  hymg_field *u = support_field(&k, 0, values), *f[3] = {NULL};
  support_assert_error(k.context, hymg_fluxes(k.solver, u, f), HYMG_EUNSUPPORTED, "FV4", NULL);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("fluxes");
  TCase *t = tcase_create("fluxes");
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, what_flows_out_is_what_the_operator_says, 0, SETTINGS);
  tcase_add_loop_test(t, a_linear_solution_has_its_flux_on_every_face, 0, 2);
  tcase_add_test(t, fluxes_of_fv4_are_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
