/* Groundwater in one layer, a map of 150 x 100 cells: heads are given in a river and two wells, rain falls everywhere else, the
 * rock in the middle is inactive, and the transmissivity T varies by three orders of magnitude. -div(T grad h) = rain, with T as
 * beta, the given heads as fixed cells and the rock as a mask. What the rain brings, river and wells must take. */
#include <hymg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 150, NY = 100, CELLS = NX * NY };
#define SPACING 10.  /* m */
#define RAIN    1e-3 /* m a day */
#define RIVER   30.  /* m, as heads are */
#define WELL    24.

typedef struct aquifer {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *active, *fixed, *beta[3], *rain, *head, *flux[3];
} aquifer;

/* The map, x fastest; given: NaN where no head is given. Fluxes in m^2 a day, on faces normal to x and to y. */
static double rock[CELLS], given[CELLS], head[CELLS];
static double flux_x[(NX + 1) * NY], flux_y[NX * (NY + 1)];

static double transmissivity(double i, double j)
{
  return 30 * exp(3.4 * sin(0.11 * i + 1) * cos(0.07 * j) * sin(0.05 * (i + j))); /* m^2 a day */
}

static void draw_map(void)
{
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) {
      const int m = i + NX * j;
      const bool river = fabs(i - 12 - 5 * sin(0.05 * j)) < 2;
      const bool well = (i == 75 && j == 30) || (i == 120 && j == 70);
      rock[m] = hypot((i - 62) / 1.6, j - 68) < 12;
      given[m] = river ? RIVER : well ? WELL : NAN;
    }
}

static hymg_status copy(hymg_field *field, int nx, int ny, double *array, bool to_field)
{
  const int low[3] = {0, 0, 0}, count[3] = {nx, ny, 1};
  const ptrdiff_t stride[3] = {1, nx, (ptrdiff_t)nx * ny};
  return to_field ? hymg_field_write(field, low, count, stride, array, HYMG_HOST)
                  : hymg_field_read(field, low, count, stride, array, HYMG_HOST);
}

static bool make_fields(aquifer *a)
{
  hymg_grid *const g = a->grid;
  bool failed = hymg_field_create(g, NULL, HYMG_CELL, HYMG_DOUBLE, &a->active) ||
                hymg_field_create(g, NULL, HYMG_CELL, HYMG_DOUBLE, &a->fixed) ||
                hymg_field_create(g, NULL, HYMG_CELL, HYMG_DOUBLE, &a->rain) ||
                hymg_field_create(g, NULL, HYMG_CELL, HYMG_DOUBLE, &a->head);
  for (int axis = 0; axis < 3; axis++) {
    const hymg_centering faces = (hymg_centering)(HYMG_FACE_X + axis);
    failed = failed || hymg_field_create(g, NULL, faces, HYMG_DOUBLE, &a->beta[axis]) ||
             hymg_field_create(g, NULL, faces, HYMG_DOUBLE, &a->flux[axis]);
  }
  return !failed;
}

/* T on faces, 0 on those of the rock. flux_x and flux_y hold it for a moment. */
static bool set_fields(aquifer *a)
{
  for (int j = 0; j < NY; j++)
    for (int i = 0; i <= NX; i++)
      flux_x[i + (NX + 1) * j] = transmissivity(i, j + 0.5);
  for (int j = 0; j <= NY; j++)
    for (int i = 0; i < NX; i++)
      flux_y[i + NX * j] = transmissivity(i + 0.5, j);
  for (int m = 0; m < CELLS; m++)
    head[m] = 1 - rock[m];
  return !(copy(a->active, NX, NY, head, true) || copy(a->fixed, NX, NY, given, true) ||
           copy(a->beta[0], NX + 1, NY, flux_x, true) ||
           copy(a->beta[1], NX, NY + 1, flux_y, true) || hymg_field_fill(a->rain, RAIN) ||
           hymg_mask_coefficients(a->active, NULL, a->beta, NULL));
}

static bool solve(aquifer *a, hymg_result *result)
{
  hymg_grid_desc map = {.n = {NX, NY, 1}, .spacing = {SPACING, SPACING, SPACING}};
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_options options = hymg_options_default();
  for (int face = 0; face < 6; face++)
    map.boundary[face] = HYMG_NEUMANN; /* watersheds */
  options.method = HYMG_MG, options.rtol = 1e-12;
  if (hymg_grid_create(a->context, &map, &a->grid) || !make_fields(a) || !set_fields(a))
    return false;
  for (int axis = 0; axis < 3; axis++)
    desc.beta[axis] = a->beta[axis];
  desc.fixed = a->fixed;
  return !(hymg_operator_create(a->grid, &desc, &a->op) ||
           hymg_solver_create(a->op, &options, &a->solver) ||
           hymg_solve(a->solver, a->rain, a->head, result) ||
           hymg_fluxes(a->solver, a->head, a->flux) || copy(a->head, NX, NY, head, false) ||
           copy(a->flux[0], NX + 1, NY, flux_x, false) ||
           copy(a->flux[1], NX, NY + 1, flux_y, false));
}

/* What cell (i, j) takes, in m^3 a day. */
static double taken(int i, int j)
{
  const double *const x = flux_x + i + (NX + 1) * j, *const y = flux_y + i + NX * j;
  return SPACING * (x[0] - x[1] + y[0] - y[NX]);
}

static bool report(const hymg_result *result)
{
  double river = 0, wells = 0, rain = 0, lowest = INFINITY;
  for (int m = 0; m < CELLS; m++) {
    if (given[m] == RIVER) river += taken(m % NX, m / NX);
    if (given[m] == WELL) wells += taken(m % NX, m / NX);
    if (isnan(given[m]) && rock[m] == 0) rain += RAIN * SPACING * SPACING;
    if (rock[m] == 0) lowest = fmin(lowest, head[m]);
  }
  printf(
      "aquifer: %d x %d cells, %d cycles; of %.3f m^3 a day the wells take %.3f, the river %.3f\n",
      NX, NY, result->cycles, rain, wells, river);
  return result->converged && fabs(river + wells - rain) < 1e-6 * rain && lowest == WELL;
}

static void destroy(aquifer *a)
{
  hymg_solver_destroy(&a->solver);
  hymg_operator_destroy(&a->op);
  for (int axis = 0; axis < 3; axis++) {
    hymg_field_destroy(&a->beta[axis]);
    hymg_field_destroy(&a->flux[axis]);
  }
  hymg_field_destroy(&a->active);
  hymg_field_destroy(&a->fixed);
  hymg_field_destroy(&a->rain);
  hymg_field_destroy(&a->head);
  hymg_grid_destroy(&a->grid);
  hymg_context_destroy(&a->context);
}

int main(void)
{
  aquifer a = {0};
  hymg_result result;
  bool good = false;
  draw_map();
  if (hymg_context_create(NULL, &a.context))
    fprintf(stderr, "aquifer: no memory\n");
  else if (solve(&a, &result))
    good = report(&result);
  else
    fprintf(stderr, "aquifer: %s\n", hymg_context_error(a.context));
  destroy(&a);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
