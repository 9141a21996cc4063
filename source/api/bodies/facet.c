/* The plane in a cell that leaves a given part of its volume open and whose direction follows from the open
 * fractions of the faces: the areas of a closed surface add up to 0 as vectors. */
#include <math.h>

#include "api/bodies/bodies.h"

/* The part of the unit cube below the plane m . x = d, for 0 <= m[0] <= m[1] <= m[2] that add up to 1 and d
 * up to 1/2. The cube's corners below the plane are added and subtracted as far as there are any. */
static double volume_below(const double m[3], double d)
{
  const double m12 = m[0] + m[1], product = 6 * m[0] * m[1] * m[2];
  if (d < m[0]) return d * d * d / product;
  const double first = m[2] > 0 && m[1] > 0 ? m[0] * m[0] / (6 * m[1] * m[2]) : 0;
  if (d < m[1]) return d * (d - m[0]) / (2 * m[1] * m[2]) + first;
  if (d >= m12 && d < m[2]) return (2 * d - m12) / (2 * m[2]);
  double sum = d * d * d;
  for (int axis = 0; axis < 3; axis++) {
    const double beyond = d - m[axis];
    if (beyond > 0) sum -= beyond * beyond * beyond;
  }
  if (product > 0) return sum / product;
  return d * (d - m[0]) / (2 * m[1] * m[2]) + first;
}

static void sort(double m[3])
{
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < 2; i++)
      if (m[i] > m[i + 1]) {
        const double swap = m[i];
        m[i] = m[i + 1], m[i + 1] = swap;
      }
}

/* The d up to 1/2 of which `part` of the cube, at most half of it, is below. */
static double plane_at(const double m[3], double part)
{
  double low = 0, high = 0.5;
  for (int step = 0; step < 60; step++) {
    const double middle = (low + high) / 2;
    if (volume_below(m, middle) < part)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

hymgi_facet hymgi_facet_of(const double width[3], double volume, const double low[3],
                           const double high[3])
{
  hymgi_facet f = {.area = 0};
  double m[3], across = 0;
  for (int axis = 0; axis < 3; axis++) {
    f.normal[axis] = (low[axis] - high[axis]) * width[(axis + 1) % 3] * width[(axis + 2) % 3];
    f.area = hypot(f.area, f.normal[axis]);
  }
  if (f.area == 0) {
    f.distance = volume < 0.5 ? -INFINITY : INFINITY;
    return f;
  }
  for (int axis = 0; axis < 3; axis++) {
    f.normal[axis] /= f.area;
    m[axis] = fabs(f.normal[axis]) * width[axis];
    across += m[axis];
  }
  for (int axis = 0; axis < 3; axis++)
    m[axis] /= across;
  sort(m);
  const double less = volume < 0.5 ? volume : 1 - volume, at = less > 0 ? plane_at(m, less) : 0;
  f.distance = across * (volume < 0.5 ? at - 0.5 : 0.5 - at);
  return f;
}
