/* The pressure step of a flow solver with an obstacle: a uniform stream in a channel, with velocities on faces, is stopped at the
 * cells of a ball; the gradient of a pressure makes it free of divergence again. Then what flows in flows out, and nothing
 * enters the ball. The ball is a mask of whole cells; packing.c has cells that a surface cuts. */
#include <hymg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 32, LENGTH = 2 * N, CELLS = LENGTH * N * N }; /* the channel is 2 x 1 x 1 */

typedef struct flow {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *active, *open[3], *f, *p, *gradient[3]; /* gradient: minus that of p */
  double *mask, *source, *u[3], *change;              /* u: on faces, x fastest */
} flow;

/* The faces normal to an axis, or the cells: LENGTH, N, N of them and one more along the axis. */
static void count_of(int axis, int count[3])
{
  count[0] = LENGTH + (axis == 0), count[1] = N + (axis == 1), count[2] = N + (axis == 2);
}

static hymg_status copy(hymg_field *field, int axis, double *array, bool to_field)
{
  const int low[3] = {0, 0, 0};
  int count[3];
  count_of(axis, count);
  const ptrdiff_t stride[3] = {1, count[0], (ptrdiff_t)count[0] * count[1]};
  return to_field ? hymg_field_write(field, low, count, stride, array, HYMG_HOST)
                  : hymg_field_read(field, low, count, stride, array, HYMG_HOST);
}

static void mark_cells(double *mask)
{
  for (int m = 0; m < CELLS; m++) {
    const double x = (m % LENGTH + 0.5) / N - 0.7, y = (m / LENGTH % N + 0.5) / N - 0.5,
                 z = (m / LENGTH / N + 0.5) / N - 0.5;
    mask[m] = hypot(hypot(x, y), z) > 0.2;
  }
}

/* Of u out of a cell, per volume. */
static double divergence(double *const u[3], int i, int j, int k)
{
  const int at[3] = {i, j, k};
  double sum = 0;
  for (int axis = 0; axis < 3; axis++) {
    int n[3];
    count_of(axis, n);
    const int stride[3] = {1, n[0], n[0] * n[1]},
              here = at[0] + stride[1] * at[1] + stride[2] * at[2];
    sum += u[axis][here + stride[axis]] - u[axis][here];
  }
  return sum * N;
}

/* -div u in all cells; returns the largest one in the fluid. */
static double sources(const flow *s)
{
  double most = 0;
  for (int m = 0; m < CELLS; m++) {
    s->source[m] = -divergence(s->u, m % LENGTH, m / LENGTH % N, m / LENGTH / N);
    if (s->mask[m] > 0) most = fmax(most, fabs(s->source[m]));
  }
  return most;
}

static bool make_grid(flow *s)
{
  hymg_grid_desc channel = {.n = {LENGTH, N, N}, .spacing = {1. / N, 1. / N, 1. / N}};
  for (int face = 0; face < 6; face++)
    channel.boundary[face] = HYMG_NEUMANN; /* given velocities: dp/dn = 0 */
  channel.boundary[1] = HYMG_DIRICHLET;    /* p = 0 at the outlet */
  bool failed = hymg_grid_create(s->context, &channel, &s->grid) ||
                hymg_field_create(s->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &s->active) ||
                hymg_field_create(s->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &s->f) ||
                hymg_field_create(s->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &s->p);
  for (int axis = 0; axis < 3; axis++) {
    const hymg_centering faces = (hymg_centering)(HYMG_FACE_X + axis);
    failed = failed || hymg_field_create(s->grid, NULL, faces, HYMG_DOUBLE, &s->open[axis]) ||
             hymg_field_fill(s->open[axis], 1) ||
             hymg_field_create(s->grid, NULL, faces, HYMG_DOUBLE, &s->gradient[axis]);
  }
  return !failed;
}

/* 1 along x, 0 on the faces of the ball: there the fields of beta are 0. */
static bool set_stream(flow *s)
{
  mark_cells(s->mask);
  bool failed =
      copy(s->active, -1, s->mask, true) || hymg_mask_coefficients(s->active, NULL, s->open, NULL);
  for (int axis = 0; axis < 3 && !failed; axis++)
    failed = copy(s->open[axis], axis, s->u[axis], false);
  for (int axis = 1; axis < 3; axis++)
    for (int m = 0; m < CELLS + CELLS / N; m++)
      s->u[axis][m] = 0;
  return !failed;
}

/* -div(grad p) = -div u, and u - grad p in place of u. */
static bool project(flow *s, hymg_result *result)
{
  hymg_operator_desc laplace = hymg_operator_desc_default();
  hymg_options options = hymg_options_default();
  options.method = HYMG_MG, options.rtol = 1e-12;
  for (int axis = 0; axis < 3; axis++)
    laplace.beta[axis] = s->open[axis];
  if (copy(s->f, -1, s->source, true) || hymg_operator_create(s->grid, &laplace, &s->op) ||
      hymg_solver_create(s->op, &options, &s->solver) ||
      hymg_solve(s->solver, s->f, s->p, result) || hymg_fluxes(s->solver, s->p, s->gradient))
    return false;
  for (int axis = 0; axis < 3; axis++) {
    int n[3];
    count_of(axis, n);
    if (copy(s->gradient[axis], axis, s->change, false)) return false;
    for (int m = 0; m < n[0] * n[1] * n[2]; m++)
      s->u[axis][m] += s->change[m];
  }
  return true;
}

static bool report(const flow *s, const hymg_result *result, double before)
{
  const double after = sources(s);
  double in = 0, out = 0;
  for (int row = 0; row < N * N; row++) {
    in += s->u[0][row * (LENGTH + 1)] / (N * N);
    out += s->u[0][row * (LENGTH + 1) + LENGTH] / (N * N);
  }
  printf("projection: %d x %d x %d cells, %d cycles, div u %.1f before, %.1e after; %.10f in, "
         "%.10f out\n",
         LENGTH, N, N, result->cycles, before, after, in, out);
  return result->converged && after < 1e-8 * before && fabs(in - out) < 1e-10;
}

static bool allocate(flow *s)
{
  s->mask = malloc(CELLS * sizeof *s->mask);
  s->source = malloc(CELLS * sizeof *s->source);
  s->change = malloc((CELLS + CELLS / N) * sizeof *s->change);
  for (int axis = 0; axis < 3; axis++)
    s->u[axis] = malloc((CELLS + CELLS / N) * sizeof *s->u[axis]);
  return s->mask && s->source && s->change && s->u[0] && s->u[1] && s->u[2];
}

static void destroy(flow *s)
{
  hymg_solver_destroy(&s->solver);
  hymg_operator_destroy(&s->op);
  for (int axis = 0; axis < 3; axis++) {
    hymg_field_destroy(&s->open[axis]);
    hymg_field_destroy(&s->gradient[axis]);
    free(s->u[axis]);
  }
  hymg_field_destroy(&s->active);
  hymg_field_destroy(&s->f);
  hymg_field_destroy(&s->p);
  hymg_grid_destroy(&s->grid);
  hymg_context_destroy(&s->context);
  free(s->mask), free(s->source), free(s->change);
}

int main(void)
{
  flow s = {0};
  hymg_result result;
  bool good = false;
  if (!allocate(&s) || hymg_context_create(NULL, &s.context)) {
    fprintf(stderr, "projection: no memory\n");
  } else if (make_grid(&s) && set_stream(&s)) {
    const double before = sources(&s);
    good = project(&s, &result) && report(&s, &result, before);
  }
  if (!good && s.context) fprintf(stderr, "projection: %s\n", hymg_context_error(s.context));
  destroy(&s);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
