/* bubble [N [STEPS [FILE]]]: an air bubble rises in water (density 1 : 1000) in a closed box of N^3
 * cells (default 32): the flow of an incompressible fluid by projection on a staggered grid. Every
 * step solves
 *     div (1/rho grad p) = div u* / dt,   dp/dn = 0 on the walls
 * with hymg: jumps in the coefficients, any N, a singular system. Advection is semi-Lagrangian, to
 * keep the example short. Prints iterations and the divergence left; FILE gets the density in the
 * middle plane after the last step, one row of numbers per row of cells. */
#include <hymg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GRAVITY 9.81
#define WATER   1000.
#define AIR     1.

enum { CELLS = 3 }; /* centring: faces along x, y, z, then cells */

typedef struct flow {
  int n;
  double h, dt;
  double *u[3]; /* on faces, (n + 1) n n entries each, its own axis with one more */
  double *air;  /* volume fraction in cells */
} flow;

static void extent(int n, int centring, int count[3])
{
  for (int axis = 0; axis < 3; axis++)
    count[axis] = n + (axis == centring);
}

static size_t entries(int n, int centring)
{
  return centring == CELLS ? (size_t)n * n * n : (size_t)n * n * (n + 1);
}

static size_t at(int n, int centring, int i, int j, int k)
{
  int c[3];
  extent(n, centring, c);
  return ((size_t)k * c[1] + j) * c[0] + i;
}

/* Trilinear interpolation at a position in units of h; beyond the walls the nearest value. */
static double value_at(const flow *s, const double *x, int centring, const double place[3])
{
  int c[3], low[3];
  double part[3], sum = 0;
  extent(s->n, centring, c);
  for (int axis = 0; axis < 3; axis++) {
    const double last = c[axis] - 1;
    const double p = fmin(fmax(place[axis] - (axis == centring ? 0 : 0.5), 0), last);
    low[axis] = (int)fmin(floor(p), fmax(last - 1, 0));
    part[axis] = p - low[axis];
  }
  for (int m = 0; m < 8; m++) {
    const int d[3] = {m & 1, m >> 1 & 1, m >> 2};
    double weight = 1;
    for (int axis = 0; axis < 3; axis++)
      weight *= d[axis] ? part[axis] : 1 - part[axis];
    if (weight > 0)
      sum += weight * x[at(s->n, centring, low[0] + d[0], low[1] + d[1], low[2] + d[2])];
  }
  return sum;
}

/* Moves x along the velocity for a step. */
static void advect(const flow *s, int centring, const double *x, double *moved)
{
  int c[3];
  extent(s->n, centring, c);
  for (int k = 0; k < c[2]; k++)
    for (int j = 0; j < c[1]; j++)
      for (int i = 0; i < c[0]; i++) {
        double place[3] = {i + 0.5, j + 0.5, k + 0.5}, from[3];
        if (centring != CELLS) place[centring] -= 0.5;
        for (int axis = 0; axis < 3; axis++)
          from[axis] = place[axis] - s->dt / s->h * value_at(s, s->u[axis], axis, place);
        moved[at(s->n, centring, i, j, k)] = value_at(s, x, centring, from);
      }
}

static double density(double air)
{
  return air * AIR + (1 - air) * WATER;
}

/* 1/rho of a face, and the change of the pressure across it; walls: 0. */
static double inverse_density(const flow *s, int axis, const int face[3])
{
  int low[3] = {face[0], face[1], face[2]};
  low[axis]--;
  if (low[axis] < 0 || face[axis] == s->n) return 2 / (WATER + AIR);
  return 2 / (density(s->air[at(s->n, CELLS, face[0], face[1], face[2])]) +
              density(s->air[at(s->n, CELLS, low[0], low[1], low[2])]));
}

/* beta: 1/rho of all faces along an axis. */
static void set_beta(const flow *s, int axis, double *beta)
{
  int c[3];
  extent(s->n, axis, c);
  for (int k = 0; k < c[2]; k++)
    for (int j = 0; j < c[1]; j++)
      for (int i = 0; i < c[0]; i++) {
        const int face[3] = {i, j, k};
        beta[at(s->n, axis, i, j, k)] = inverse_density(s, axis, face);
      }
}

/* -div u / dt of all cells; returns the largest |div u|. */
static double divergence(const flow *s, double *f)
{
  const int n = s->n;
  double largest = 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const double div = (s->u[0][at(n, 0, i + 1, j, k)] - s->u[0][at(n, 0, i, j, k)] +
                            s->u[1][at(n, 1, i, j + 1, k)] - s->u[1][at(n, 1, i, j, k)] +
                            s->u[2][at(n, 2, i, j, k + 1)] - s->u[2][at(n, 2, i, j, k)]) /
                           s->h;
        f[at(n, CELLS, i, j, k)] = -div / s->dt;
        largest = fmax(largest, fabs(div));
      }
  return largest;
}

/* u -= dt / rho grad p inside; nothing flows through walls. */
static void project(flow *s, const double *p)
{
  for (int axis = 0; axis < 3; axis++) {
    int c[3];
    extent(s->n, axis, c);
    for (int k = 0; k < c[2]; k++)
      for (int j = 0; j < c[1]; j++)
        for (int i = 0; i < c[0]; i++) {
          const int face[3] = {i, j, k};
          int low[3] = {i, j, k};
          low[axis]--;
          double *const u = &s->u[axis][at(s->n, axis, i, j, k)];
          if (low[axis] < 0 || face[axis] == s->n) {
            *u = 0;
            continue;
          }
          const double step =
              p[at(s->n, CELLS, i, j, k)] - p[at(s->n, CELLS, low[0], low[1], low[2])];
          *u -= s->dt / s->h * inverse_density(s, axis, face) * step;
        }
  }
}

/* Everything but the pressure: advection and gravity; walls stay at rest. */
static void predict(flow *s, double *spare)
{
  const int n = s->n;
  double *moved[4];
  for (int m = 0; m < 4; m++) {
    moved[m] = spare + (size_t)m * n * n * (n + 1);
    advect(s, m, m == CELLS ? s->air : s->u[m], moved[m]);
  }
  for (int m = 0; m < 3; m++)
    for (size_t q = 0; q < entries(n, m); q++)
      s->u[m][q] = moved[m][q] - (m == 2 ? s->dt * GRAVITY : 0);
  for (size_t q = 0; q < entries(n, CELLS); q++)
    s->air[q] = moved[CELLS][q];
  for (int axis = 0; axis < 3; axis++)
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) {
        const int c[3][3] = {{0, a, b}, {a, 0, b}, {a, b, 0}};
        int end[3] = {c[axis][0], c[axis][1], c[axis][2]};
        s->u[axis][at(n, axis, end[0], end[1], end[2])] = 0;
        end[axis] = n;
        s->u[axis][at(n, axis, end[0], end[1], end[2])] = 0;
      }
}

typedef struct pressure {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_operator_desc desc;
  hymg_solver *solver;
  hymg_field *beta[3], *f, *p, *last; /* last: p of the step before */
  int steps;                          /* solved */
} pressure;

static hymg_status copy(hymg_field *field, int n, int centring, double *values, int to_field)
{
  const int low[3] = {0, 0, 0};
  int count[3];
  extent(n, centring, count);
  const ptrdiff_t stride[3] = {1, count[0], (ptrdiff_t)count[0] * count[1]};
  return to_field ? hymg_field_write(field, low, count, stride, values, HYMG_HOST)
                  : hymg_field_read(field, low, count, stride, values, HYMG_HOST);
}

/* The first guess: the pressures of two steps extrapolated in time, or that of the last step. */
static hymg_status guess(pressure *q)
{
  hymg_field *const p = q->p;
  if (q->steps++ < 2) return hymg_field_copy(p, q->last);
  hymg_status status = hymg_field_scale(-1, q->last);
  if (!status) status = hymg_field_axpy(2, p, q->last);
  q->p = q->last, q->last = p;
  return status;
}

/* Solves for the pressure of the step and makes the velocity free of divergence. */
static hymg_status solve(pressure *q, flow *s, double *spare, hymg_result *result)
{
  hymg_status status = HYMG_OK;
  for (int axis = 0; axis < 3 && !status; axis++) {
    set_beta(s, axis, spare);
    status = copy(q->beta[axis], s->n, axis, spare, 1);
  }
  if (!status && !q->solver) {
    hymg_options options = hymg_options_default();
    options.method = HYMG_MG; /* to the tolerance; the path is chosen by the coefficients */
    options.rtol = 1e-6;
    options.initial_guess = 1;
    status = hymg_solver_create(q->op, &options, &q->solver);
  } else if (!status) {
    status = hymg_solver_update(q->solver); /* reads the new densities */
  }
  divergence(s, spare);
  if (!status) status = copy(q->f, s->n, CELLS, spare, 1);
  if (!status) status = guess(q);
  if (!status) status = hymg_solve(q->solver, q->f, q->p, result);
  if (!status) status = copy(q->p, s->n, CELLS, spare, 0);
  if (!status) project(s, spare);
  return status;
}

static hymg_status open_pressure(pressure *q, int n)
{
  hymg_grid_desc box = hymg_grid_desc_default();
  for (int axis = 0; axis < 3; axis++)
    box.n[axis] = n, box.spacing[axis] = 1. / n;
  for (int face = 0; face < 6; face++)
    box.boundary[face] = HYMG_NEUMANN;
  hymg_status status = hymg_context_create(NULL, &q->context);
  if (!status) status = hymg_grid_create(q->context, &box, &q->grid);
  q->desc = hymg_operator_desc_default();
  for (int axis = 0; axis < 3 && !status; axis++) {
    status = hymg_field_create(q->grid, NULL, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                               &q->beta[axis]);
    q->desc.beta[axis] = q->beta[axis];
  }
  if (!status) status = hymg_operator_create(q->grid, &q->desc, &q->op);
  if (!status) status = hymg_field_create(q->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &q->f);
  if (!status) status = hymg_field_create(q->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &q->p);
  if (!status) status = hymg_field_create(q->grid, NULL, HYMG_CELL, HYMG_DOUBLE, &q->last);
  return status;
}

static void close_pressure(pressure *q)
{
  hymg_solver_destroy(&q->solver);
  hymg_operator_destroy(&q->op);
  hymg_field_destroy(&q->f);
  hymg_field_destroy(&q->p);
  hymg_field_destroy(&q->last);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&q->beta[axis]);
  hymg_grid_destroy(&q->grid);
  hymg_context_destroy(&q->context);
}

/* A ball of air in the lower half. */
static void start(flow *s)
{
  for (int k = 0; k < s->n; k++)
    for (int j = 0; j < s->n; j++)
      for (int i = 0; i < s->n; i++) {
        const double x = (i + 0.5) * s->h - 0.5, y = (j + 0.5) * s->h - 0.5;
        const double z = (k + 0.5) * s->h - 0.3;
        s->air[at(s->n, CELLS, i, j, k)] = x * x + y * y + z * z < 0.2 * 0.2;
      }
}

static int write_plane(const flow *s, const char *name)
{
  FILE *file = fopen(name, "w");
  if (!file) return 0;
  for (int k = 0; k < s->n; k++)
    for (int i = 0; i < s->n; i++)
      fprintf(file, "%g%c", density(s->air[at(s->n, CELLS, i, s->n / 2, k)]),
              i == s->n - 1 ? '\n' : ' ');
  return fclose(file) == 0;
}

static int run(flow *s, pressure *q, int steps, double *spare)
{
  start(s);
  printf("step  iterations  residual    max |div u| before, after (1/s)\n");
  for (int step = 1; step <= steps; step++) {
    hymg_result result;
    predict(s, spare);
    const double before = divergence(s, spare);
    const hymg_status status = solve(q, s, spare, &result);
    if (status || !result.converged) {
      fprintf(stderr, "bubble: step %d: %s\n", step,
              status ? hymg_context_error(q->context) : result.note);
      return 1;
    }
    printf("%4d  %10d  %.3e   %.3e   %.3e\n", step, result.cycles, result.residual_relative, before,
           divergence(s, spare));
  }
  return 0;
}

int main(int argc, char **argv)
{
  const int n = argc > 1 ? atoi(argv[1]) : 32, steps = argc > 2 ? atoi(argv[2]) : 20;
  if (n < 4 || n > 1000 || steps < 1 || argc > 4) {
    fprintf(stderr, "usage: bubble [N [STEPS [FILE]]], N from 4 to 1000\n");
    return 2;
  }
  flow s = {.n = n, .h = 1. / n, .dt = 0.2 / n};
  pressure q = {0};
  double *spare = calloc(4 * entries(n, 0), sizeof *spare);
  s.air = calloc(entries(n, CELLS), sizeof *s.air);
  for (int axis = 0; axis < 3; axis++)
    s.u[axis] = calloc(entries(n, axis), sizeof **s.u);
  int code = spare && s.air && s.u[0] && s.u[1] && s.u[2] ? 0 : 1;
  if (code == 0 && open_pressure(&q, n) != HYMG_OK) {
    fprintf(stderr, "bubble: %s\n", q.context ? hymg_context_error(q.context) : "no memory");
    code = 1;
  }
  if (code == 0) code = run(&s, &q, steps, spare);
  if (code == 0 && argc > 3 && !write_plane(&s, argv[3])) {
    fprintf(stderr, "bubble: %s: could not be written\n", argv[3]);
    code = 1;
  }
  close_pressure(&q);
  for (int axis = 0; axis < 3; axis++)
    free(s.u[axis]);
  free(s.air);
  free(spare);
  return code;
}
