/* FV4: what boundary data add to f. The ghosts are affine in the cells and the data, so that this is -A x
 * for x = 0 with the ghosts that the data alone give. Set-up, one thread. */
#include "cpu/cpu.h"
#include "formulas/fv4_alpha.h"
#include "multigrid/boundary_data.h"

/* ---- the data's part of ghosts and fluxes ---- */

typedef struct box_view {
  const hymgi_level *level;
  const hymgi_geom *g;
  double *const *value; /* planes of boundary data, by face; NULL: 0 */
  const double *beta;   /* of the axis in question, with the limiter's marks */
} box_view;

/* The boundary beyond which index `at` of an axis lies, or -1; *layer: 1 or 2. */
static int face_beyond(const hymgi_geom *g, int axis, int at, int *layer)
{
  const bool high = at >= g->n[axis];
  if (at >= 0 && !high) return -1;
  *layer = high ? at - g->n[axis] + 1 : -at;
  return hymgi_is_boundary(g, 2 * axis + high) ? 2 * axis + high : -1;
}

static double value_at(const box_view *v, int face, const int at[3])
{
  const double *const value = v->value[face];
  return value ? value[hymgi_boundary_at(v->g, face, at)] : 0;
}

/* What the boundary data contribute to the ghost value of cell `at`, up to two layers off the box. Ghosts
 * along z come first; those along y are extrapolated over them, and those along x over both. */
static double data_at(const box_view *v, const int at[3])
{
  for (int axis = 0; axis < 3; axis++) {
    int layer, in[3] = {at[0], at[1], at[2]};
    const int face = face_beyond(v->g, axis, at[axis], &layer);
    double w[4], sum = 0;
    if (face < 0) continue;
    const hymgi_extrapolation kind = hymgi_extrapolation_of(v->level, face, HYMGI_GHOSTS_V4);
    hymgi_ghost_weights(kind, layer, w);
    for (int m = 0; m < 4; m++) {
      in[axis] = face & 1 ? v->g->n[axis] - 1 - m : m;
      if (w[m] != 0) sum += w[m] * data_at(v, in);
    }
    return sum + hymgi_wide_data_weight(kind, layer) * value_at(v, face, at);
  }
  return 0;
}

/* The cell n steps from `at` along an axis, and one step to a side along t (sign 0: none). */
static double data_near(const box_view *v, const int at[3], int axis, int n, int t, int sign)
{
  int next[3] = {at[0], at[1], at[2]};
  next[axis] += n;
  next[t] += sign;
  return data_at(v, next);
}

/* Without marks, ghosts of beta may be negative. */
static double beta_near(const box_view *v, const int at[3], int t, int sign)
{
  int next[3] = {at[0], at[1], at[2]};
  next[t] += sign;
  const double beta = v->beta[hymgi_at(v->g, next[0], next[1], next[2])];
  return v->level->c.limited ? fabs(beta) : beta;
}

/* The difference along t of h times the derivative at a Neumann boundary. */
static double slope_difference(const box_view *v, int face, const int at[3], int t)
{
  int up[3] = {at[0], at[1], at[2]}, down[3] = {at[0], at[1], at[2]};
  up[t]++, down[t]--;
  return value_at(v, face, up) - value_at(v, face, down);
}

/* The flux through the low face of cell `at`, in units of formulas/fv4.h: 4th order also where the
 * derivative is given, the mean of beta times the derivative being the product of the means and of the
 * tangential differences. */
static double flux(const box_view *v, int axis, const int at[3])
{
  const bool low = at[axis] == 0 && hymgi_is_boundary(v->g, 2 * axis);
  const bool high = at[axis] == v->g->n[axis] && hymgi_is_boundary(v->g, 2 * axis + 1);
  const int face = 2 * axis + high;
  const double beta = v->beta[hymgi_at(v->g, at[0], at[1], at[2])], out = low ? -1 : 1;
  const bool neumann = (low || high) && v->level->boundary[face].gives_flux;
  double step = 15 * (data_near(v, at, axis, 0, axis, 0) - data_near(v, at, axis, -1, axis, 0)) -
                (data_near(v, at, axis, 1, axis, 0) - data_near(v, at, axis, -2, axis, 0));
  if (neumann) step = 12 * out * value_at(v, face, at);
  if (signbit(beta))
    return low || high ? (neumann ? 12 : 24) * fabs(beta) * out * value_at(v, face, at) : 0;
  double sum = fabs(beta) * step;
  for (int t = 0; t < 3; t++) {
    if (t == axis) continue;
    const double across = data_near(v, at, axis, 0, t, 1) - data_near(v, at, axis, -1, t, 1) -
                          data_near(v, at, axis, 0, t, -1) + data_near(v, at, axis, -1, t, -1);
    sum += 0.25 * (beta_near(v, at, t, 1) - beta_near(v, at, t, -1)) *
           (neumann ? out * slope_difference(v, face, at, t) : across);
  }
  return sum;
}

/* ---- the term ---- */

static bool is_near(const hymgi_geom *g, int axis, int at)
{
  return (at < 2 && hymgi_is_boundary(g, 2 * axis)) ||
         (at >= g->n[axis] - 2 && hymgi_is_boundary(g, 2 * axis + 1));
}

static void add_axis(const box_view *v, int axis, double *term)
{
  const hymgi_geom *g = v->g;
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const int at[3] = {i, j, k};
        int next[3] = {i, j, k};
        next[axis]++;
        if (is_near(g, 0, i) || is_near(g, 1, j) || is_near(g, 2, k))
          term[hymgi_at(g, i, j, k)] += flux(v, axis, next) - flux(v, axis, at);
      }
}

void hymgi_cpu_fv4_data_term(const hymgi_level *level, int axis, const double *beta, double *term)
{
  for (int b = 0; b < level->num_boxes; b++) {
    const box_view v = {level, level->box + b, level->boundaries->value + 6 * b, beta};
    add_axis(&v, axis, term);
  }
}

/* ---- the mean of alpha u ---- */

/* x of the cell n steps from `at` along an axis. */
static double near(const hymgi_geom *g, const double *x, const int at[3], int axis, int n)
{
  int next[3] = {at[0], at[1], at[2]};
  next[axis] += n;
  return x[hymgi_at(g, next[0], next[1], next[2])];
}

/* What the data add to the mean of alpha u in a cell through the differences along an axis. Only ghosts have
 * data. */
static double alpha_part(const box_view *v, const double *alpha, const int at[3], int axis)
{
  const bool closed = v->level->c.closed && (signbit(near(v->g, v->beta, at, axis, 0)) ||
                                             signbit(near(v->g, v->beta, at, axis, 1)));
  const double step =
      closed ? 0
             : hymgi_alpha_step(near(v->g, alpha, at, axis, -1), near(v->g, alpha, at, axis, 0),
                                near(v->g, alpha, at, axis, 1), v->level->c.alpha_limit);
  return step * (data_near(v, at, axis, -1, axis, 0) - data_near(v, at, axis, 1, axis, 0)) / 48;
}

void hymgi_cpu_fv4_alpha_data_term(const hymgi_level *level, int axis, const double *beta,
                                   const double *alpha, double *term)
{
  for (int b = 0; b < level->num_boxes; b++) {
    const box_view v = {level, level->box + b, level->boundaries->value + 6 * b, beta};
    for (int k = 0; k < v.g->n[2]; k++)
      for (int j = 0; j < v.g->n[1]; j++)
        for (int i = 0; i < v.g->n[0]; i++) {
          const int at[3] = {i, j, k};
          if (is_near(v.g, axis, at[axis]))
            term[hymgi_at(v.g, i, j, k)] += alpha_part(&v, alpha, at, axis);
        }
  }
}
