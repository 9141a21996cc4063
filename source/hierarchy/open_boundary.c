/* Open boundaries: values on the domain's boundary as if space went on, from the multipole moments of f. They are made for
 * every solve, on each level from the positions of its own faces, so that nothing is sent but the moments. */
#include "hierarchy/open_boundary.h"

#include <math.h>
#include <stdlib.h>

#include "hierarchy/build.h"
#include "multigrid/boundary_data.h"
#include "multigrid/moments.h"

#define PI 3.14159265358979323846

/* ---- what does not depend on f ---- */

double hymgi_open_width(const hymgi_hierarchy *h, const hymgi_level *level, int axis, int i)
{
  if (level->axis[axis].width) return level->axis[axis].width[i];
  return level->h[axis] / h->op->grid->desc.spacing[axis];
}

/* Both halves of a list of places. Mirrored cells have mirrored places where their widths are. */
static void fill_places(const hymgi_hierarchy *h, const hymgi_level *level, int axis, double unit,
                        double *place)
{
  const int n = level->n[axis];
  double low = 0, high = 0; /* of what is beyond cells from both ends */
  const double all = h->op->grid->desc.n[axis];
  for (int m = 0; m < n; m++) {
    const double first = hymgi_open_width(h, level, axis, m),
                 last = hymgi_open_width(h, level, axis, n - 1 - m);
    if (2 * m < n) place[m] = unit * ((low + 0.5 * first) - 0.5 * all);
    if (2 * m < n - 1) place[n - 1 - m] = unit * (0.5 * all - (high + 0.5 * last));
    low += first, high += last;
    place[n + m] = unit * first * (unit * first) / 12;
  }
  for (int m = 0; m < n; m++)
    place[n + m] += place[m] * place[m];
}

static hymg_status make_places(const hymgi_hierarchy *h, hymgi_level *level, int axis, double unit)
{
  const size_t count = 2 * (size_t)level->n[axis];
  double *const list = malloc(count * sizeof *list);
  if (!list)
    return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for the %zu numbers of an axis",
                      count);
  fill_places(h, level, axis, unit, list);
  void *block = list;
  const hymg_status status = level->keeper->share(level->context, &block, count * sizeof *list);
  level->boundaries->open.place[axis] = block;
  return status;
}

/* Terms of a value of 1, while the betas are still those of the operator. */
static void find_terms(hymgi_level *level)
{
  hymgi_boundary_data *const w = level->boundaries;
  const int corner[3] = {0, 0, 0};
  for (int m = 0; m < 6 * level->num_boxes; m++) {
    if (!w->value[m]) continue;
    const hymgi_geom *g = level->box + m / 6;
    const ptrdiff_t size = hymgi_boundary_plane_size(g, m % 6);
    for (ptrdiff_t t = 0; t < size; t++)
      w->value[m][t] = 1;
    level->backend->boundary_term(level, m / 6, m % 6);
    level->backend->sync(level->context);
    w->open.term[m % 6] = w->term[m][hymgi_boundary_at(g, m % 6, corner)];
    for (ptrdiff_t t = 0; t < size; t++)
      w->value[m][t] = w->term[m][t] = 0;
  }
}

hymg_status hymgi_open_create(const hymgi_hierarchy *h, hymgi_level *level)
{
  const hymg_grid_desc *grid = &h->op->grid->desc;
  hymgi_open *const open = &level->boundaries->open;
  double side[3], longest = 0;
  if (!level->boundary[0].open) return HYMG_OK;
  for (int axis = 0; axis < 3; axis++) {
    side[axis] = grid->n[axis] * grid->spacing[axis];
    longest = fmax(longest, side[axis]);
  }
  const double volume = level->h[0] * level->h[1] * level->h[2];
  open->strength = volume / longest / (4 * PI * (h->op->desc.b * h->op->desc.beta_constant));
  for (int axis = 0; axis < 3; axis++) {
    open->half[axis] = 0.5 * (side[axis] / longest);
    if (!open->place[axis]) TRY(make_places(h, level, axis, grid->spacing[axis] / longest));
  }
  level->backend->sync(level->context);
  find_terms(level);
  return HYMG_OK;
}

void hymgi_open_destroy(hymgi_level *level)
{
  for (int axis = 0; axis < 3; axis++)
    if (level->boundaries->open.place[axis])
      level->keeper->unshare(level->boundaries->open.place[axis]);
}

/* ---- the potential of the moments ---- */

/* About a centre, in units of the longest side and of the potential at that distance from a charge of 1. */
typedef struct multipole {
  double centre[3];
  double charge, dipole[3];
  double quadrupole[6]; /* 3 times the second moments less their trace: xx, yy, zz, yz, xz, xy */
} multipole;

/* Second moment (a, b) about the centre, from those about the domain's. */
static double moved(const multipole *p, const double *first, double second, int a, int b)
{
  return ((second - p->centre[a] * first[b]) - p->centre[b] * first[a]) +
         p->charge * (p->centre[a] * p->centre[b]);
}

static multipole multipole_of(const double moment[HYMGI_MOMENTS], double strength)
{
  const double *const size = moment + 3 * HYMGI_MOMENT_SIZE,
                      *const first = moment + 3 * HYMGI_MOMENT_FIRST,
                      *const second = moment + 3 * HYMGI_MOMENT_SECOND,
                      *const mixed = moment + 3 * HYMGI_MOMENT_MIXED,
                      *const total = moment + 3 * HYMGI_MOMENT_TOTAL;
  multipole p = {.charge = total[0]};
  for (int axis = 0; axis < 3 && total[1] > 0; axis++)
    p.centre[axis] = size[axis] / total[1];
  for (int axis = 0; axis < 3; axis++) {
    p.dipole[axis] = first[axis] - p.charge * p.centre[axis];
    p.quadrupole[axis] = 3 * moved(&p, first, second[axis], axis, axis);
    p.quadrupole[3 + axis] =
        3 * moved(&p, first, mixed[axis], hymgi_moment_axis(axis, 0), hymgi_moment_axis(axis, 1));
  }
  const double trace = (p.quadrupole[0] + p.quadrupole[1] + p.quadrupole[2]) / 3;
  for (int axis = 0; axis < 3; axis++)
    p.quadrupole[axis] -= trace;
  p.charge *= strength;
  for (int m = 0; m < 3; m++)
    p.dipole[m] *= strength, p.quadrupole[m] *= strength, p.quadrupole[3 + m] *= strength;
  return p;
}

static double potential(const multipole *p, const double at[3])
{
  const double x = at[0] - p->centre[0], y = at[1] - p->centre[1], z = at[2] - p->centre[2];
  const double *const q = p->quadrupole;
  const double inverse = 1 / sqrt((x * x + y * y) + z * z), square = inverse * inverse;
  const double dipole = (p->dipole[0] * x + p->dipole[1] * y) + p->dipole[2] * z;
  const double straight = (q[0] * (x * x) + q[1] * (y * y)) + q[2] * (z * z);
  const double mixed = (q[3] * (y * z) + q[4] * (x * z)) + q[5] * (x * y);
  return inverse * (p->charge + square * (dipole + square * (0.5 * straight + mixed)));
}

static double value_of_moments(const hymgi_level *level, int face, const int at[3],
                               const void *data)
{
  const hymgi_open *open = &level->boundaries->open;
  const int axis = face / 2;
  double place[3];
  for (int a = 0; a < 3; a++)
    if (a != axis) place[a] = open->place[a][at[a]];
  place[axis] = face & 1 ? open->half[axis] : -open->half[axis];
  return potential(data, place);
}

/* ---- the values ---- */

/* The cells of the plane that are in the domain; the ghosts are those of other boxes. */
static void fill_plane(const hymgi_level *level, int b, int face, hymgi_open_value *value,
                       const void *data)
{
  const hymgi_geom *g = level->box + b;
  double *const plane = level->boundaries->value[b * 6 + face];
  int u, v, at[3] = {0}, cell[3] = {0};
  hymgi_boundary_axes(face, &u, &v);
  for (at[v] = -1; at[v] <= g->n[v]; at[v]++)
    for (at[u] = -1; at[u] <= g->n[u]; at[u]++) {
      cell[u] = g->low[u] + at[u], cell[v] = g->low[v] + at[v];
      if (cell[u] < 0 || cell[u] >= level->n[u] || cell[v] < 0 || cell[v] >= level->n[v]) continue;
      plane[hymgi_boundary_at(g, face, at)] = value(level, face, cell, data);
    }
}

void hymgi_open_fill(hymgi_level *level, hymgi_open_value *value_of, const void *data)
{
  const hymgi_boundary_data *const w = level->boundaries;
  level->backend->sync(level->context); /* what reads the last values */
  for (int m = 0; m < 6 * level->num_boxes; m++) {
    double *const value = w->value[m];
    if (!value) continue;
    fill_plane(level, m / 6, m % 6, value_of, data);
    hymgi_boundary_extend(level, m / 6, m % 6, value);
    hymgi_boundary_by_widths(level, m / 6, m % 6, value);
    const ptrdiff_t size = hymgi_boundary_plane_size(level->box + m / 6, m % 6);
    for (ptrdiff_t t = 0; t < size; t++)
      w->term[m][t] = w->open.term[m % 6] * value[t];
  }
}

void hymgi_open_load(hymgi_hierarchy *h, int l, int count, const double *f)
{
  const hymgi_level *level = hymgi_system_level(h, l);
  double moment[HYMGI_MOMENTS];
  if (!level->boundary[0].open || level->boundary[0].screened || l >= hymgi_discretised(h)) return;
  hymgi_moments(level, f, moment);
  const multipole p = multipole_of(moment, level->boundaries->open.strength);
  for (int m = l; m < hymgi_discretised(h) && m < l + count; m++)
    hymgi_open_fill(hymgi_system_level(h, m), value_of_moments, &p);
}
