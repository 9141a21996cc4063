/* What fragments of C in the documentation may use (tools/check-docs). */
#include <hymg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 8 };
hymg_context *context;
hymg_grid *grid;
hymg_operator *op;
hymg_solver *solver;
hymg_field *rhs, *solution, *field, *beta[3], *flux[3];
hymg_result result;
hymg_grid_desc domain;
hymg_operator_desc desc;
hymg_options options;
double f[n * n * n], u[n * n * n];
const int low[3], count[3];
const ptrdiff_t stride[3];

int fragment(void);
int fragment(void)
{
BLOCK
  return 0;
}
