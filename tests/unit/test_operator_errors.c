/* Every error of operators: constants out of range, fields of the wrong kind or grid, what FV4 does
 * not support, changes that an operator does not take. The text names the value and the limit. */
#include "support/support.h"
#include <math.h>
#include <stdlib.h>

static hymg_context *context;

static void open_context(void)
{
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
}

static void close_context(void)
{
  hymg_context_destroy(&context);
}

static hymg_grid_desc cube(int n)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  for (int d = 0; d < 3; d++) {
    desc.n[d] = n;
    desc.spacing[d] = 1.0 / n;
  }
  return desc;
}

static hymg_grid *grid_of(int n)
{
  hymg_grid_desc desc = cube(n);
  hymg_grid *grid = NULL;
  OK(context, hymg_grid_create(context, &desc, &grid));
  return grid;
}

static void refused_operator(hymg_grid *grid, const hymg_operator_desc *desc, hymg_status want,
                             const char *word)
{
  hymg_operator *op = NULL;
  support_assert_error(context, hymg_operator_create(grid, desc, &op), want, word, NULL);
  ck_assert_ptr_null(op);
}

START_TEST(an_operator_refuses_constants_out_of_range)
{
  static const struct {
    double a, b, alpha, beta;
    const char *word;
  } bad[] = {{-1, 1, 1, 1, "a = -1: at least 0 and finite"},
             {NAN, 1, 1, 1, "a = nan: at least 0 and finite"},
             {INFINITY, 1, 1, 1, "a = inf: at least 0 and finite"},
             {0, 0, 1, 1, "b = 0: above 0 and finite"},
             {0, -2, 1, 1, "b = -2: above 0 and finite"},
             {0, NAN, 1, 1, "b = nan: above 0 and finite"},
             {0, INFINITY, 1, 1, "b = inf: above 0 and finite"},
             {1, 1, -0.25, 1, "constant alpha = -0.25: at least 0 and finite"},
             {1, 1, NAN, 1, "constant alpha = nan: at least 0 and finite"},
             {0, 1, 1, -4, "constant beta = -4: at least 0 and finite"},
             {0, 1, 1, NAN, "constant beta = nan: at least 0 and finite"},
             {0, 1, 1, INFINITY, "constant beta = inf: at least 0 and finite"}};
  hymg_grid *grid = grid_of(4);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hymg_operator_desc desc = hymg_operator_desc_default();
    desc.a = bad[i].a;
    desc.b = bad[i].b;
    desc.alpha_constant = bad[i].alpha;
    desc.beta_constant = bad[i].beta;
    refused_operator(grid, &desc, HYMG_EINVAL, bad[i].word);
  }
  hymg_grid_destroy(&grid);
}
END_TEST

START_TEST(an_operator_refuses_fields_of_the_wrong_kind_or_grid)
{
  hymg_grid *grid = grid_of(4), *other = grid_of(4);
  hymg_field *cell = NULL, *face = NULL, *foreign = NULL;
  OK(context, hymg_field_create(grid, NULL, HYMG_CELL, HYMG_DOUBLE, &cell));
  OK(context, hymg_field_create(grid, NULL, HYMG_FACE_X, HYMG_DOUBLE, &face));
  OK(context, hymg_field_create(other, NULL, HYMG_CELL, HYMG_DOUBLE, &foreign));
  hymg_operator_desc desc = hymg_operator_desc_default();
  desc.alpha = face;
  refused_operator(grid, &desc, HYMG_EINVAL, "alpha is a field of x faces, not of cells");
  desc.alpha = foreign;
  refused_operator(grid, &desc, HYMG_EINVAL, "grid");
  desc.alpha = NULL;
  desc.beta[0] = face;
  refused_operator(grid, &desc, HYMG_EINVAL, "beta");
  desc.beta[1] = desc.beta[2] = face;
  refused_operator(grid, &desc, HYMG_EINVAL, "beta");
  desc = hymg_operator_desc_default();
  desc.boundary_data[2] = cell;
  refused_operator(grid, &desc, HYMG_EINVAL,
                   "boundary_data[2] is a field of cells, not of y- wall");
  hymg_field_destroy(&cell);
  hymg_field_destroy(&face);
  hymg_field_destroy(&foreign);
  hymg_grid_destroy(&grid);
  hymg_grid_destroy(&other);
}
END_TEST

START_TEST(an_operator_refuses_robin_conditions_that_make_no_sense)
{
  hymg_grid_desc gd = cube(8);
  gd.boundary[1] = HYMG_ROBIN, gd.boundary[4] = gd.boundary[5] = HYMG_PERIODIC;
  hymg_grid *grid = NULL;
  hymg_field *low = NULL, *high = NULL;
  OK(context, hymg_grid_create(context, &gd, &grid));
  OK(context, hymg_field_create(grid, NULL, HYMG_BOUNDARY_X_LOW, HYMG_DOUBLE, &low));
  OK(context, hymg_field_create(grid, NULL, HYMG_BOUNDARY_X_HIGH, HYMG_DOUBLE, &high));
  static const struct {
    double alpha, beta;
    const char *word;
  } bad[] = {{-1, 1, "constant robin_alpha = -1 on face x+: at least 0 and finite"},
             {1, -0.5, "constant robin_beta = -0.5 on face x+: at least 0 and finite"},
             {NAN, 1, "robin_alpha = nan on face x+"},
             {1, INFINITY, "robin_beta = inf on face x+"},
             {0, 0, "robin_alpha and robin_beta are both 0 on face x+"}};
  hymg_operator_desc desc = hymg_operator_desc_default();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    desc.robin_alpha_constant[1] = bad[i].alpha;
    desc.robin_beta_constant[1] = bad[i].beta;
    refused_operator(grid, &desc, HYMG_EINVAL, bad[i].word);
  }
  desc = hymg_operator_desc_default();
  desc.robin_alpha[1] = low;
  refused_operator(grid, &desc, HYMG_EINVAL,
                   "robin_alpha[1] is a field of x- wall, not of x+ wall");
  desc.robin_alpha[1] = NULL;
  desc.robin_beta[0] = low;
  refused_operator(grid, &desc, HYMG_EINVAL, "robin_beta[0] is given, but face x- is not a Robin");
  desc = hymg_operator_desc_default();
  desc.boundary_constant[3] = NAN;
  refused_operator(grid, &desc, HYMG_EINVAL, "constant boundary data nan on face y+: finite");
  desc.boundary_constant[3] = 0;
  desc.boundary_constant[5] = 1;
  refused_operator(grid, &desc, HYMG_EINVAL, "boundary data on face z+, which is periodic");
  desc.boundary_constant[5] = 0;
  desc.stencil = HYMG_FV4;
  refused_operator(grid, &desc, HYMG_EUNSUPPORTED, "Robin on face x+ with FV4");
  hymg_field_destroy(&low);
  hymg_field_destroy(&high);
  hymg_grid_destroy(&grid);
}
END_TEST

START_TEST(fv4_says_what_it_does_not_support)
{
  hymg_grid_desc gd = cube(3);
  hymg_grid *grid = grid_of(8), *neumann = NULL;
  gd.boundary[5] = HYMG_NEUMANN;
  OK(context, hymg_grid_create(context, &gd, &neumann));
  hymg_operator_desc desc = hymg_operator_desc_default();
  desc.stencil = HYMG_FV4;
  refused_operator(neumann, &desc, HYMG_EUNSUPPORTED,
                   "3 cells along z, which has a Neumann boundary: FV4 needs 4");
  desc.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  refused_operator(grid, &desc, HYMG_EUNSUPPORTED, "extrapolation linear");
  desc.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
  desc.stencil = (hymg_stencil)9;
  refused_operator(grid, &desc, HYMG_EINVAL, "stencil 9: 0 (FV2) or 1 (FV4)");
  desc.stencil = HYMG_FV2;
  desc.extrapolation = (hymg_extrapolation)8;
  refused_operator(grid, &desc, HYMG_EINVAL, "extrapolation 8: 0 (default) to 3 (vertex)");
  hymg_grid_destroy(&grid);
  hymg_grid_destroy(&neumann);
}
END_TEST

START_TEST(fv4_refuses_axes_and_boxes_too_thin_for_it)
{
  hymg_grid_desc gd = cube(8);
  hymg_grid *thin = NULL, *cut = NULL;
  hymg_operator_desc desc = hymg_operator_desc_default();
  desc.stencil = HYMG_FV4;
  gd.boxes[0] = 4;
  gd.boxes[1] = gd.boxes[2] = 1;
  OK(context, hymg_grid_create(context, &gd, &cut));
  refused_operator(cut, &desc, HYMG_EINVAL,
                   "8 cells along x in 4 boxes of 2: FV4 needs boxes of 3");
  gd = cube(8);
  gd.n[2] = 1;
  OK(context, hymg_grid_create(context, &gd, &thin));
  refused_operator(thin, &desc, HYMG_EINVAL, "1 cell along z: FV4 needs 2");
  hymg_grid_destroy(&thin);
  hymg_grid_destroy(&cut);
}
END_TEST

START_TEST(an_operator_keeps_its_stencil_extrapolation_and_kinds_of_coefficients)
{
  hymg_grid *grid = grid_of(4);
  hymg_field *alpha = NULL;
  hymg_operator *op = NULL;
  hymg_operator_desc desc = hymg_operator_desc_default(), other = desc;
  OK(context, hymg_field_create(grid, NULL, HYMG_CELL, HYMG_DOUBLE, &alpha));
  OK(context, hymg_operator_create(grid, &desc, &op));
  other.stencil = HYMG_FV4;
  support_assert_error(context, hymg_operator_set(op, &other), HYMG_EINVAL, "FV2", "FV4", NULL);
  other = desc;
  other.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  support_assert_error(context, hymg_operator_set(op, &other), HYMG_EINVAL, "extrapolation linear",
                       NULL);
  other = desc;
  other.alpha = alpha;
  support_assert_error(context, hymg_operator_set(op, &other), HYMG_EINVAL, "alpha", NULL);
  other = desc;
  other.a = 1.0;
  support_assert_error(context, hymg_operator_set(op, &other), HYMG_EINVAL, "a is 0", NULL);
  other = desc;
  other.b = -3.0;
  support_assert_error(context, hymg_operator_set(op, &other), HYMG_EINVAL, "-3", NULL);
  OK(context, hymg_operator_get(op, &other));
  ck_assert_double_eq(other.b, 1.0);
  other.b = 3.0;
  OK(context, hymg_operator_set(op, &other));
  OK(context, hymg_operator_get(op, &desc));
  ck_assert_double_eq(desc.b, 3.0);
  ck_assert_double_eq(desc.beta_constant, 1.0);
  support_assert_error(context, hymg_operator_get(op, NULL), HYMG_EINVAL, "NULL", NULL);
  ck_assert_int_eq(hymg_operator_get(NULL, &desc), HYMG_EINVAL);
  hymg_operator_destroy(&op);
  hymg_field_destroy(&alpha);
  hymg_grid_destroy(&grid);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("operator errors");
  TCase *t = tcase_create("refused");
  tcase_add_checked_fixture(t, open_context, close_context);
  tcase_add_test(t, an_operator_refuses_constants_out_of_range);
  tcase_add_test(t, an_operator_refuses_fields_of_the_wrong_kind_or_grid);
  tcase_add_test(t, fv4_says_what_it_does_not_support);
  tcase_add_test(t, an_operator_refuses_robin_conditions_that_make_no_sense);
  tcase_add_test(t, fv4_refuses_axes_and_boxes_too_thin_for_it);
  tcase_add_test(t, an_operator_keeps_its_stencil_extrapolation_and_kinds_of_coefficients);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
