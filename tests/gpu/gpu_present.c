/* Is there a GPU that the library uses? Exit status 0: yes; 77: no, and a line that says why; 1: it
 * failed. */
#include <hymg.h>

#include <stdio.h>

int main(void)
{
  const hymg_grid_desc cube = {.n = {8, 8, 8}, .spacing = {1. / 8, 1. / 8, 1. / 8}};
  const hymg_operator_desc laplace = hymg_operator_desc_default();
  hymg_options options = hymg_options_default();
  hymg_context *context = NULL;
  hymg_grid *grid = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  options.backend = HYMG_BACKEND_CUDA;
  hymg_status status = hymg_context_create(NULL, &context);
  if (status == HYMG_OK) status = hymg_grid_create(context, &cube, &grid);
  if (status == HYMG_OK) status = hymg_operator_create(grid, &laplace, &op);
  if (status == HYMG_OK) status = hymg_solver_create(op, &options, &solver);
  if (status != HYMG_OK) puts(context ? hymg_context_error(context) : "no context");
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
  return status == HYMG_OK ? 0 : status == HYMG_EUNSUPPORTED ? 77 : 1;
}
