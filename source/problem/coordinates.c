/* Curved axes: a row for each kind of coordinate, the combinations that are coordinates of space, and what an axis
 * contributes to volumes, areas and distances. Integrals over cells are exact. */
#include "problem/coordinates.h"

#include "problem/problem.h"

/* What an axis does to the lengths along others. */
typedef struct kind {
  unsigned scaled;                                    /* kinds of axes whose lengths it scales */
  double (*factor)(const hymg_grid_desc *, double x); /* of each of them */
  /* of the factor's power, at most the second, over a cell by its middle and width */
  double (*integral)(const hymg_grid_desc *, int power, double middle, double width);
  double low, high; /* the range of the coordinate */
  const char *range;
} kind;

enum {
  AZIMUTHS = 1 << HYMG_AZIMUTH,
  POLAR = 1 << HYMG_COLATITUDE | 1 << HYMG_LATITUDE,
  LAYER = HYMG_LATITUDE + 1 /* a length above a sphere */
};

#define PI 3.14159265358979323846

/* Rounding of a face's coordinate, as an angle. */
#define CLOSE 1e-12

static double radius(const hymg_grid_desc *d, double x)
{
  (void)d;
  return x;
}

static double powers_of_radius(const hymg_grid_desc *d, int power, double middle, double width)
{
  (void)d;
  return power == 0   ? width
         : power == 1 ? width * middle
                      : width * (middle * middle + width * width / 12);
}

static double sine(const hymg_grid_desc *d, double x)
{
  (void)d;
  const double value = sin(x);
  return fabs(value) < CLOSE ? 0 : value;
}

static double powers_of_sine(const hymg_grid_desc *d, int power, double middle, double width)
{
  (void)d;
  return power == 0 ? width : 2 * sin(middle) * sin(width / 2);
}

static double cosine(const hymg_grid_desc *d, double x)
{
  return sine(d, PI / 2 - x);
}

static double powers_of_cosine(const hymg_grid_desc *d, int power, double middle, double width)
{
  return powers_of_sine(d, power, PI / 2 - middle, width);
}

static double sphere(const hymg_grid_desc *d, double x)
{
  (void)x;
  return d->radius;
}

static double powers_of_sphere(const hymg_grid_desc *d, int power, double middle, double width)
{
  (void)middle;
  return pow(d->radius, power) * width;
}

static const kind kinds[] = {
    [HYMG_LENGTH] = {.low = -INFINITY, .high = INFINITY},
    [HYMG_RADIUS] = {AZIMUTHS | POLAR, radius, powers_of_radius, 0, INFINITY, "at least 0"},
    [HYMG_AZIMUTH] = {.low = -INFINITY, .high = INFINITY},
    [HYMG_COLATITUDE] = {AZIMUTHS, sine, powers_of_sine, 0, PI, "0 to pi"},
    [HYMG_LATITUDE] = {AZIMUTHS, cosine, powers_of_cosine, -PI / 2, PI / 2, "-pi/2 to pi/2"},
    [LAYER] = {AZIMUTHS | POLAR, sphere, powers_of_sphere, -INFINITY, INFINITY, NULL}};

static unsigned kinds_of(const hymg_grid_desc *d)
{
  return 1u << d->coordinate[0] | 1u << d->coordinate[1] | 1u << d->coordinate[2];
}

static bool is_layer(const hymg_grid_desc *d)
{
  return kinds_of(d) & POLAR && !(kinds_of(d) & 1 << HYMG_RADIUS);
}

static const kind *kind_of(const hymg_grid_desc *d, int axis)
{
  const bool above = d->coordinate[axis] == HYMG_LENGTH && is_layer(d);
  return kinds + (above ? (int)LAYER : (int)d->coordinate[axis]);
}

/* Does an axis scale the lengths along another one? */
static bool scales(const hymg_grid_desc *d, int axis, int other)
{
  return axis != other && kind_of(d, axis)->scaled >> d->coordinate[other] & 1;
}

bool hymgi_is_curved(const hymg_grid_desc *d)
{
  return kinds_of(d) != 1 << HYMG_LENGTH;
}

bool hymgi_is_stretched(const hymg_grid_desc *d)
{
  return d->widths[0] || d->widths[1] || d->widths[2] || hymgi_is_curved(d);
}

bool hymgi_is_scaled(const hymg_grid_desc *d, int axis)
{
  return scales(d, 0, axis) || scales(d, 1, axis) || scales(d, 2, axis);
}

static double width_of(const hymg_grid_desc *d, int axis, int i)
{
  return d->widths[axis] ? d->widths[axis][i] : d->spacing[axis];
}

/* Of the low face of cell i; from the one before it, or `before` unused for i = 0. */
static double face_at(const hymg_grid_desc *d, int axis, int i, double before)
{
  if (!d->widths[axis]) return d->origin[axis] + i * d->spacing[axis];
  return i == 0 ? d->origin[axis] : before + d->widths[axis][i - 1];
}

static double end_of(const hymg_grid_desc *d, int axis)
{
  double x = 0;
  for (int i = d->widths[axis] ? 0 : d->n[axis]; i <= d->n[axis]; i++)
    x = face_at(d, axis, i, x);
  return x;
}

/* ---- checks ---- */

static hymg_status check_kinds(hymg_context *c, const hymg_grid_desc *d)
{
  const unsigned found = kinds_of(d);
  int count = 0;
  for (int k = HYMG_LENGTH; k <= HYMG_LATITUDE; k++)
    count += found >> k & 1;
  const bool round = found >> HYMG_AZIMUTH & 1, both = (found & POLAR) == POLAR;
  if (!hymgi_is_curved(d) || (count == 3 && round && !both)) return HYMG_OK;
  return hymgi_fail(c, HYMG_EINVAL,
                    "coordinates %s, %s, %s: lengths alone; or radius, azimuth, length; or radius, "
                    "azimuth, and latitude or colatitude; or azimuth, length, and latitude or "
                    "colatitude; in any order",
                    hymg_enum_name("hymg_coordinate", (int)d->coordinate[0]),
                    hymg_enum_name("hymg_coordinate", (int)d->coordinate[1]),
                    hymg_enum_name("hymg_coordinate", (int)d->coordinate[2]));
}

static hymg_status check_range(hymg_context *c, const hymg_grid_desc *d, int axis)
{
  const kind *k = kind_of(d, axis);
  const double low = d->origin[axis], high = end_of(d, axis), most = k->high + CLOSE;
  const char *const name = hymg_enum_name("hymg_coordinate", (int)d->coordinate[axis]);
  const bool periodic = d->boundary[2 * axis] == HYMG_PERIODIC;
  if (!isfinite(low) || !isfinite(high) || low < k->low - (k->high < INFINITY ? CLOSE : 0) ||
      high > most)
    return hymgi_fail(c, HYMG_EINVAL, "%s from %.12g to %.12g along %c: %s", name, low, high,
                      "xyz"[axis], k -> range ? k -> range : "finite");
  if (d->coordinate[axis] == HYMG_AZIMUTH && high - low > 2 * PI * (1 + CLOSE))
    return hymgi_fail(c, HYMG_EINVAL, "azimuth from %.12g to %.12g along %c: at most 2 pi", low,
                      high, "xyz"[axis]);
  if (periodic && k->range)
    return hymgi_fail(c, HYMG_EINVAL, "periodic boundaries along %c, a %s: not possible",
                      "xyz"[axis], name);
  return HYMG_OK;
}

/* Faces at radius 0 and at the poles. */
static hymg_status check_ends(hymg_context *c, const hymg_grid_desc *d)
{
  for (int face = 0; face < 6; face++)
    if (hymgi_vanishes(d, face) && d->boundary[face] != HYMG_NEUMANN)
      return hymgi_fail(
          c, HYMG_EINVAL, "a %s boundary on face %s at %s %.3g, which has no area: Neumann",
          hymgi_enum_word("hymg_boundary", (int)d->boundary[face]), hymgi_face_name(face),
          hymg_enum_name("hymg_coordinate", (int)d->coordinate[face / 2]),
          face & 1 ? end_of(d, face / 2) : d->origin[face / 2]);
  return HYMG_OK;
}

hymg_status hymgi_coordinates_check(hymg_context *c, const hymg_grid_desc *d)
{
  if (!hymgi_is_curved(d)) return HYMG_OK;
  TRY(check_kinds(c, d));
  if (is_layer(d) && !(d->radius > 0 && isfinite(d->radius)))
    return hymgi_fail(c, HYMG_EINVAL, "radius %g of the sphere: above 0 and finite", d->radius);
  for (int axis = 0; axis < 3; axis++)
    TRY(check_range(c, d, axis));
  return check_ends(c, d);
}

/* ---- measures ---- */

/* Of the factors of an axis for the axes of a set: their product at x, or its integral over a cell. */
static double factors(const hymg_grid_desc *d, int axis, unsigned set, double x)
{
  double product = 1;
  for (int other = 0; other < 3; other++)
    if (set >> other & 1 && scales(d, axis, other)) product *= kind_of(d, axis)->factor(d, x);
  return product;
}

static double integral(const hymg_grid_desc *d, int axis, unsigned set, double middle, double width)
{
  int power = 0;
  for (int other = 0; other < 3; other++)
    power += set >> other & 1 && scales(d, axis, other);
  return power ? kind_of(d, axis)->integral(d, power, middle, width) : width;
}

enum { ALL = 7 };

bool hymgi_vanishes(const hymg_grid_desc *d, int face)
{
  const int axis = face / 2;
  return factors(d, axis, ALL, face & 1 ? end_of(d, axis) : d->origin[axis]) == 0;
}

static double gap_at(const hymg_grid_desc *d, int axis, double unit, int m)
{
  const int n = d->n[axis];
  const bool periodic = d->boundary[2 * axis] == HYMG_PERIODIC;
  const double below = width_of(d, axis,
                                m > 0      ? m - 1
                                : periodic ? n - 1
                                           : 0) /
                       unit,
               above = width_of(d, axis,
                                m < n      ? m
                                : periodic ? 0
                                           : n - 1) /
                       unit;
  return 0.5 * (below + above);
}

void hymgi_measure(const hymg_grid_desc *d, int axis, double unit, double *lists)
{
  const int n = d->n[axis];
  double x = 0;
  for (int m = 0; m <= n; m++) {
    x = face_at(d, axis, m, x);
    double *const out = lists + m;
    out[(ptrdiff_t)HYMGI_FACE * (n + 1)] = factors(d, axis, ALL, x);
    out[(ptrdiff_t)HYMGI_GAP * (n + 1)] = gap_at(d, axis, unit, m);
    if (m == n) return;
    const double width = width_of(d, axis, m), middle = x + 0.5 * width;
    out[(ptrdiff_t)HYMGI_VOLUME * (n + 1)] = integral(d, axis, ALL, middle, width);
    for (int t = 0; t < 3; t++) {
      out[(ptrdiff_t)(HYMGI_AREA + t) * (n + 1)] =
          integral(d, axis, ALL & ~(1u << t), middle, width);
      out[(ptrdiff_t)(HYMGI_PITCH + t) * (n + 1)] = factors(d, axis, 1u << t, middle);
    }
  }
}

/* ---- lines ---- */

/* The least factor of an axis for `other` at the middle of a cell. */
static double factor_at(const hymg_grid_desc *d, int axis, int other, double middle)
{
  return factors(d, axis, 1u << other, middle);
}

/* Is the azimuth's mean width at these places short beside those of the other axes? */
static bool is_short(const hymg_grid_desc *d, int round, const int axis[2], const double middle[2],
                     const double width[2])
{
  double along = (end_of(d, round) - d->origin[round]) / d->n[round], least = INFINITY;
  for (int m = 0; m < 2; m++) {
    const double across = width[m] * factor_at(d, axis[1 - m], axis[m], middle[1 - m]);
    along *= factor_at(d, axis[m], round, middle[m]);
    if (d->n[axis[m]] > 1) least = fmin(least, across);
  }
  return 2 * along * along < least * least && least < INFINITY;
}

unsigned hymgi_strong_lines(const hymg_grid_desc *d)
{
  int round = 0;
  while (round < 3 && d->coordinate[round] != HYMG_AZIMUTH)
    round++;
  if (round == 3 || d->n[round] <= HYMGI_SHORT_LINE) return 0;
  const int axis[2] = {round == 0 ? 1 : 0, round == 2 ? 1 : 2};
  double low[2] = {0}, middle[2], width[2];
  for (int a = 0; a < d->n[axis[0]]; a++) {
    low[0] = face_at(d, axis[0], a, low[0]);
    width[0] = width_of(d, axis[0], a), middle[0] = low[0] + 0.5 * width[0];
    for (int b = 0; b < d->n[axis[1]]; b++) {
      low[1] = face_at(d, axis[1], b, low[1]);
      width[1] = width_of(d, axis[1], b), middle[1] = low[1] + 0.5 * width[1];
      if (is_short(d, round, axis, middle, width)) return 1u << round;
    }
  }
  return 0;
}

double hymgi_mean_pitch(const hymg_grid_desc *d, int axis)
{
  double product = 1;
  for (int other = 0; other < 3; other++) {
    double sum = 0, x = 0;
    if (!scales(d, other, axis)) continue;
    for (int i = 0; i < d->n[other]; i++) {
      x = face_at(d, other, i, x);
      sum += factors(d, other, 1u << axis, x + 0.5 * width_of(d, other, i));
    }
    product *= sum / d->n[other];
  }
  return product;
}
