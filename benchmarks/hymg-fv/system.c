/* Grid, operator and solver of a size: those of the finest one, and where its levels cannot be solved on,
 * as on the robust path, those of the coarser sizes. */
#include "hymg-fv/run.h"

#include "common/kit/timing.h"
#include <string.h>

/* Cells per side and box of a coarser size, at least. */
enum { LEAST_CELLS = 8, LEAST_BOX = 3 };

/* Fields that exist only until the solver has its own copies. */
typedef struct coefficients {
  hymg_field *beta[3], *data[6];
} coefficients;

fv_system *fv_system_of(fv_run *run, int size, int *level)
{
  const bool own = run->system[size].solver != NULL;
  *level = own ? 0 : size;
  return &run->system[own ? size : 0];
}

/* ---- coefficients ---- */

static hymg_status create_coefficients(const fv_run *run, const fv_system *s, hymg_space space,
                                       coefficients *c)
{
  hymg_status status = HYMG_OK;
  for (int axis = 0; axis < 3 && run->options->variable && status == HYMG_OK; axis++)
    status = hymg_field_create_in(s->grid, space, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                                  &c->beta[axis]);
  for (int face = 0; face < 6 && problem_has_data(&run->problem) && status == HYMG_OK; face++)
    if (s->desc.boundary[face] != HYMG_PERIODIC)
      status =
          hymg_field_create_in(s->grid, HYMG_HOST, (hymg_centering)(HYMG_BOUNDARY_X_LOW + face),
                               HYMG_DOUBLE, &c->data[face]);
  return status;
}

static hymg_status write_coefficients(const fv_run *run, const fv_system *s, const coefficients *c)
{
  hymg_status status = HYMG_OK;
  for (int axis = 0; axis < 3 && status == HYMG_OK; axis++)
    if (c->beta[axis]) status = fv_write_beta(run, s, axis, c->beta[axis]);
  for (int face = 0; face < 6 && status == HYMG_OK; face++)
    if (c->data[face]) status = fv_write_boundary(run, s, face, c->data[face]);
  return status;
}

static void destroy_coefficients(coefficients *c)
{
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&c->beta[axis]);
  for (int face = 0; face < 6; face++)
    hymg_field_destroy(&c->data[face]);
}

/* ---- operator and solver ---- */

static bool create_solver(fv_run *run, fv_system *s, const coefficients *c)
{
  hymg_operator_desc desc = fv_operator_desc(run->options);
  for (int axis = 0; axis < 3; axis++)
    desc.beta[axis] = c->beta[axis];
  for (int face = 0; face < 6; face++)
    desc.boundary_data[face] = c->data[face];
  return fv_agree(run, hymg_operator_create(s->grid, &desc, &s->op), "operator") &&
         fv_agree(run, hymg_solver_create(s->op, &run->solver_options, &s->solver), "solver");
}

static bool make_solver(fv_run *run, fv_report *report, fv_system *s, coefficients *c)
{
  const hymg_space space = report->has_device ? HYMG_DEVICE : HYMG_HOST;
  double start = fv_clock();
  if (!fv_agree(run, create_coefficients(run, s, space, c), "coefficients")) return false;
  report->setup_seconds += fv_clock() - start;
  fv_progress(run, "evaluating the coefficients");
  start = fv_clock();
  if (!fv_agree(run, write_coefficients(run, s, c), "coefficients")) return false;
  report->problem_seconds += fv_clock() - start;
  fv_progress(run, "planning");
  start = fv_clock();
  if (!create_solver(run, s, c)) return false;
  report->tuning_seconds = hymg_solver_tuning_seconds(s->solver);
  report->setup_seconds += fv_clock() - start - report->tuning_seconds;
  return true;
}

bool fv_make_solver(fv_run *run, fv_report *report, fv_system *s)
{
  coefficients c = {{NULL}, {NULL}};
  const bool ok = make_solver(run, report, s, &c);
  destroy_coefficients(&c);
  return ok;
}

/* ---- coarser sizes ---- */

/* Half the cells per side, rounded up, in as many boxes as suit the ranks. */
static hymg_grid_desc halved(const hymg_grid_desc *finer)
{
  hymg_grid_desc desc = *finer;
  desc.extrapolation_box = 0;
  for (int axis = 0; axis < 3; axis++) {
    desc.n[axis] = (finer->n[axis] + 1) / 2;
    desc.spacing[axis] = 1.0 / desc.n[axis];
    desc.boxes[axis] = 0;
  }
  return desc;
}

static bool is_large_enough(const fv_system *s)
{
  int boxes[3];
  bool enough = true;
  hymg_grid_boxes(s->grid, boxes);
  for (int axis = 0; axis < 3; axis++)
    enough = enough && s->desc.n[axis] >= LEAST_CELLS &&
             (boxes[axis] == 1 || s->desc.n[axis] / boxes[axis] >= LEAST_BOX);
  return enough;
}

/* On the path of the finest size. */
static bool make_coarser(fv_run *run, fv_report *report, int size, bool *enough)
{
  fv_report spare = {.has_device =
                         report->has_device}; /* of times that are not the finest size's */
  fv_system *const s = &run->system[size];
  s->desc = halved(&run->system[size - 1].desc);
  if (!fv_agree(run, hymg_grid_create(run->context, &s->desc, &s->grid), "grid")) return false;
  *enough = is_large_enough(s);
  if (!*enough) return true;
  run->solver_options.path = hymg_solver_path(run->system[0].solver, NULL);
  return fv_make_solver(run, &spare, s) &&
         fv_agree(run, hymg_solver_level(s->solver, 0, &report->size[size].level), "levels");
}

bool fv_make_coarser_sizes(fv_run *run, fv_report *report)
{
  bool enough = hymg_solver_path(run->system[0].solver, NULL) == HYMG_PATH_ROBUST &&
                problem_has_exact(&run->problem);
  for (int size = 1; size < FV_SIZES && enough; size++) {
    if (!make_coarser(run, report, size, &enough)) return false;
    if (enough) report->num_sizes++, report->num_own++;
  }
  return true;
}

void fv_systems_destroy(fv_run *run)
{
  for (fv_system *s = run->system; s < run->system + FV_SIZES; s++) {
    hymg_solver_destroy(&s->solver);
    hymg_operator_destroy(&s->op);
    hymg_grid_destroy(&s->grid);
  }
}
