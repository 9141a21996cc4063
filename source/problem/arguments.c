/* What must be the same on every rank when a grid or a solver is created. Files are not compared,
 * since rank 0 alone reads them, nor what callbacks get and do. */
#include "problem/problem.h"

static const char *yes_no(bool yes)
{
  return yes ? "yes" : "no";
}

void hymgi_grid_arguments(hymgi_arguments *a, const hymg_grid_desc *d)
{
  static const char *const n[3] = {"n[0]", "n[1]", "n[2]"};
  static const char *const spacing[3] = {"spacing[0]", "spacing[1]", "spacing[2]"};
  static const char *const boxes[3] = {"boxes[0]", "boxes[1]", "boxes[2]"};
  static const char *const widths[3] = {"widths[0]", "widths[1]", "widths[2]"};
  static const char *const cuts[3] = {"cuts[0]", "cuts[1]", "cuts[2]"};
  static const char *const boundary[6] = {"boundary[0]", "boundary[1]", "boundary[2]",
                                          "boundary[3]", "boundary[4]", "boundary[5]"};
  for (int axis = 0; axis < 3; axis++)
    hymgi_arguments_whole(a, n[axis], d->n[axis]);
  for (int face = 0; face < 6; face++)
    hymgi_arguments_text(a, boundary[face],
                         hymg_enum_name("hymg_boundary", (int)d->boundary[face]));
  for (int axis = 0; axis < 3; axis++) {
    hymgi_arguments_bytes(a, widths[axis], d->widths[axis], (size_t)d->n[axis] * sizeof(double));
    hymgi_arguments_real(a, spacing[axis], d->widths[axis] ? 0 : d->spacing[axis]);
    hymgi_arguments_whole(a, boxes[axis], d->boxes[axis]);
    hymgi_arguments_bytes(a, cuts[axis], d->cuts[axis], (size_t)d->boxes[axis] * sizeof(int));
  }
  hymgi_arguments_whole(a, "extrapolation_box", d->extrapolation_box);
  hymgi_arguments_text(a, "an owner function", yes_no(d->owner));
}

void hymgi_operator_arguments(hymgi_arguments *a, const hymg_operator_desc *d)
{
  static const char *const data[6] = {"boundary_data[0] as a field", "boundary_data[1] as a field",
                                      "boundary_data[2] as a field", "boundary_data[3] as a field",
                                      "boundary_data[4] as a field", "boundary_data[5] as a field"};
  static const char *const constant[6] = {"boundary_constant[0]", "boundary_constant[1]",
                                          "boundary_constant[2]", "boundary_constant[3]",
                                          "boundary_constant[4]", "boundary_constant[5]"};
  static const char *const alpha[6] = {"robin_alpha[0] as a field", "robin_alpha[1] as a field",
                                       "robin_alpha[2] as a field", "robin_alpha[3] as a field",
                                       "robin_alpha[4] as a field", "robin_alpha[5] as a field"};
  static const char *const beta[6] = {"robin_beta[0] as a field", "robin_beta[1] as a field",
                                      "robin_beta[2] as a field", "robin_beta[3] as a field",
                                      "robin_beta[4] as a field", "robin_beta[5] as a field"};
  static const char *const alpha_constant[6] = {
      "robin_alpha_constant[0]", "robin_alpha_constant[1]", "robin_alpha_constant[2]",
      "robin_alpha_constant[3]", "robin_alpha_constant[4]", "robin_alpha_constant[5]"};
  static const char *const beta_constant[6] = {"robin_beta_constant[0]", "robin_beta_constant[1]",
                                               "robin_beta_constant[2]", "robin_beta_constant[3]",
                                               "robin_beta_constant[4]", "robin_beta_constant[5]"};
  hymgi_arguments_text(a, "stencil", hymg_enum_name("hymg_stencil", (int)d->stencil));
  hymgi_arguments_text(a, "extrapolation",
                       hymg_enum_name("hymg_extrapolation", (int)d->extrapolation));
  hymgi_arguments_real(a, "limiter", d->limiter);
  hymgi_arguments_real(a, "a", d->a);
  hymgi_arguments_real(a, "b", d->b);
  hymgi_arguments_text(a, "alpha as a field", yes_no(d->alpha));
  hymgi_arguments_text(a, "fixed as a field", yes_no(d->fixed));
  hymgi_arguments_real(a, "alpha_constant", d->alpha ? 0 : d->alpha_constant);
  hymgi_arguments_text(a, "beta as fields", yes_no(d->beta[0]));
  hymgi_arguments_real(a, "beta_constant", d->beta[0] ? 0 : d->beta_constant);
  for (int face = 0; face < 6; face++) {
    hymgi_arguments_text(a, data[face], yes_no(d->boundary_data[face]));
    hymgi_arguments_real(a, constant[face],
                         d->boundary_data[face] ? 0 : d->boundary_constant[face]);
    hymgi_arguments_text(a, alpha[face], yes_no(d->robin_alpha[face]));
    hymgi_arguments_real(a, alpha_constant[face],
                         d->robin_alpha[face] ? 0 : d->robin_alpha_constant[face]);
    hymgi_arguments_text(a, beta[face], yes_no(d->robin_beta[face]));
    hymgi_arguments_real(a, beta_constant[face],
                         d->robin_beta[face] ? 0 : d->robin_beta_constant[face]);
  }
}
