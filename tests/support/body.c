#include "support/body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- polygons ---- */

double support_area_below(double w0, double w1, double p, double q, double d)
{
  const double corner[4][2] = {{0, 0}, {w0, 0}, {w0, w1}, {0, w1}};
  double kept[8][2], area = 0;
  int count = 0;
  for (int m = 0; m < 4; m++) {
    const double *a = corner[m], *b = corner[(m + 1) % 4];
    const double ga = d - p * a[0] - q * a[1], gb = d - p * b[0] - q * b[1];
    if (ga > 0) kept[count][0] = a[0], kept[count++][1] = a[1];
    if ((ga > 0) != (gb > 0)) {
      const double t = ga / (ga - gb);
      kept[count][0] = a[0] + t * (b[0] - a[0]), kept[count++][1] = a[1] + t * (b[1] - a[1]);
    }
  }
  for (int m = 0; m < count; m++) {
    const double *a = kept[m], *b = kept[(m + 1) % count];
    area += (a[0] * b[1] - a[1] * b[0]) / 2;
  }
  return area / (w0 * w1);
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Between the heights at which the plane passes the corners the area is a parabola, for which Simpson's rule is exact. */
double support_volume_below(const double w[3], const double normal[3], double d)
{
  double height[6] = {0, w[2]}, sum = 0;
  int count = 2;
  for (int m = 0; m < 4; m++) {
    const double z = (d - normal[0] * (m & 1) * w[0] - normal[1] * (m >> 1) * w[1]) / normal[2];
    if (normal[2] != 0 && z > 0 && z < w[2]) height[count++] = z;
  }
  qsort(height, (size_t)count, sizeof *height, by_value);
  for (int m = 0; m + 1 < count; m++) {
    const double low = height[m], high = height[m + 1], at[3] = {low, (low + high) / 2, high};
    for (int s = 0; s < 3; s++)
      sum += (high - low) / 6 * (s == 1 ? 4 : 1) *
             support_area_below(w[0], w[1], normal[0], normal[1], d - normal[2] * at[s]);
  }
  return sum / w[2];
}

/* ---- random cases ---- */

static unsigned drawn(unsigned *state, unsigned count)
{
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % count;
}

static void draw_shape(support_body_case *c, unsigned *state)
{
  static const hymg_boundary kinds[3] = {HYMG_DIRICHLET, HYMG_NEUMANN, HYMG_ROBIN};
  for (int axis = 0; axis < 3; axis++) {
    c->n[axis] = 1 + (int)drawn(state, 7);
    for (int side = 0; side < 2; side++)
      c->boundary[2 * axis + side] = kinds[drawn(state, 3)];
    if (drawn(state, 4) == 0) c->boundary[2 * axis] = c->boundary[2 * axis + 1] = HYMG_PERIODIC;
  }
  c->stretched = drawn(state, 2);
  for (int axis = 0; axis < 3; axis++) {
    c->width[axis] = support_random((size_t)c->n[axis], 0.5, 1.5, drawn(state, 1000));
    for (int i = 0; !c->stretched && i < c->n[axis]; i++)
      c->width[axis][i] = 1 + 0.25 * axis;
  }
}

static double distance_at(unsigned kind, const double place[3], const double centre[3],
                          const double normal[3], double noise)
{
  double square = 0, along = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double d = place[axis] - centre[axis];
    square += d * d, along += normal[axis] * d;
  }
  return kind == 0 ? along : kind == 1 ? sqrt(square) - 1.7 : noise;
}

/* Periodic axes repeat their first vertices. */
static void draw_distance(support_body_case *c, unsigned *state)
{
  const unsigned kind = drawn(state, 3);
  const int *n = c->n, v[3] = {n[0] + 1, n[1] + 1, n[2] + 1};
  const size_t count = (size_t)v[0] * (size_t)v[1] * (size_t)v[2];
  double *noise = support_random(count, -0.6, 1, drawn(state, 1000));
  double *chosen = support_random(6, -1, 1, drawn(state, 1000)), centre[3];
  for (int axis = 0; axis < 3; axis++)
    centre[axis] = n[axis] * (0.5 + 0.4 * chosen[3 + axis]);
  c->distance = support_poison(count);
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++) {
        const int at[3] = {i, j, k};
        double place[3];
        int from[3];
        for (int axis = 0; axis < 3; axis++) {
          from[axis] = c->boundary[2 * axis] == HYMG_PERIODIC && at[axis] == n[axis] ? 0 : at[axis];
          place[axis] = 0;
          for (int m = 0; m < from[axis]; m++)
            place[axis] += c->width[axis][m];
        }
        c->distance[i + v[0] * (j + v[1] * k)] = distance_at(
            kind, place, centre, chosen, noise[from[0] + v[0] * (from[1] + v[1] * from[2])]);
      }
  free(noise);
  free(chosen);
}

support_body_case support_body_random(unsigned seed)
{
  static const hymg_boundary conditions[3] = {HYMG_DIRICHLET, HYMG_NEUMANN, HYMG_ROBIN};
  unsigned state = seed * 7919u + 31u;
  support_body_case c = {.condition = conditions[seed % 3], .a = 0.7, .b = 1.3};
  draw_shape(&c, &state);
  draw_distance(&c, &state);
  const size_t cells = (size_t)c.n[0] * (size_t)c.n[1] * (size_t)c.n[2];
  c.alpha = support_random(cells, 0.2, 1, seed + 1);
  c.value = support_random(cells, -1, 1, seed + 2);
  c.robin_alpha = support_random(cells, 0, 2, seed + 3);
  c.robin_beta = support_random(cells, 0.1, 1, seed + 4);
  for (int axis = 0; axis < 3; axis++)
    c.beta[axis] =
        support_random(cells / (size_t)c.n[axis] * ((size_t)c.n[axis] + 1), 0.5, 2, seed + 5);
  for (int axis = 0; axis < 3; axis++) { /* the same on both faces where an axis closes */
    const int *n = c.n, v[3] = {n[0] + (axis == 0), n[1] + (axis == 1), n[2] + (axis == 2)};
    for (int k = 0; k < v[2]; k++)
      for (int j = 0; j < v[1]; j++)
        for (int i = 0; i < v[0]; i++) {
          const int at[3] = {i, j, k};
          if (c.boundary[2 * axis] != HYMG_PERIODIC || at[axis] < n[axis]) continue;
          const int first[3] = {axis == 0 ? 0 : i, axis == 1 ? 0 : j, axis == 2 ? 0 : k};
          c.beta[axis][i + v[0] * (j + v[1] * k)] =
              c.beta[axis][first[0] + v[0] * (first[1] + v[1] * first[2])];
        }
  }
  if (seed % 4 == 3) {
    c.active = support_random(cells, -0.4, 1, seed + 6);
    for (size_t q = 0; q < cells; q++)
      c.active[q] = c.active[q] < 0 ? 0 : c.active[q] * 3;
  }
  return c;
}

void support_body_free(support_body_case *c)
{
  for (int axis = 0; axis < 3; axis++)
    free(c->width[axis]), free(c->beta[axis]);
  free(c->distance), free(c->alpha), free(c->value), free(c->robin_alpha), free(c->robin_beta);
  free(c->active);
}

/* ---- the library ---- */

typedef struct desk {
  hymg_context *context;
  hymg_grid *grid;
  int n[3], kind;
  double *array[20]; /* behind wrapped fields */
  int arrays;
} desk;

enum { GHOST = 2 };

static void extent(const desk *d, hymg_centering centering, int v[3])
{
  for (int axis = 0; axis < 3; axis++)
    v[axis] = d->n[axis] + ((int)centering == 1 + axis);
}

static hymg_field *field_of(desk *d, hymg_centering centering, const double *values)
{
  hymg_field *field = NULL;
  int v[3];
  const int zero[3] = {0, 0, 0};
  extent(d, centering, v);
  if (d->kind != 1) {
    const hymg_space space = d->kind == 2 ? HYMG_DEVICE : HYMG_HOST;
    OK(d->context, hymg_field_create_in(d->grid, space, centering, HYMG_DOUBLE, &field));
  } else { /* z fastest, every second entry, ghost layers */
    const ptrdiff_t stride[3] = {2 * (ptrdiff_t)(v[2] + 2 * GHOST) * (v[1] + 2 * GHOST),
                                 2 * (ptrdiff_t)(v[2] + 2 * GHOST), 2};
    double *array = support_poison((size_t)(stride[0] * (v[0] + 2 * GHOST)));
    d->array[d->arrays++] = array;
    OK(d->context, hymg_field_wrap(d->grid, HYMG_HOST, centering, HYMG_DOUBLE, zero, v, stride,
                                   array + GHOST * (stride[0] + stride[1] + stride[2]), &field));
  }
  const ptrdiff_t plain[3] = {1, v[0], (ptrdiff_t)v[0] * v[1]};
  if (values) OK(d->context, hymg_field_write_own(field, zero, v, plain, values, HYMG_HOST));
  return field;
}

/* Reads and destroys. */
static double *take(desk *d, hymg_centering centering, hymg_field *field)
{
  int v[3];
  const int zero[3] = {0, 0, 0};
  extent(d, centering, v);
  const ptrdiff_t plain[3] = {1, v[0], (ptrdiff_t)v[0] * v[1]};
  double *values = support_poison((size_t)v[0] * (size_t)v[1] * (size_t)v[2]);
  OK(d->context, hymg_field_read_own(field, zero, v, plain, values, HYMG_HOST));
  hymg_field_destroy(&field);
  return values;
}

static desk open_desk(const support_body_case *c, const support_layout *layout, int kind)
{
  static const int ones[7] = {1, 1, 1, 1, 1, 1, 1};
  desk d = {.context = layout->context, .kind = kind};
  hymg_context_options o = hymg_context_options_default();
  o.threads = layout->threads;
  if (!d.context) ck_assert_int_eq(hymg_context_create(&o, &d.context), HYMG_OK);
  hymg_grid_desc desc = hymg_grid_desc_default();
  for (int axis = 0; axis < 3; axis++) {
    desc.n[axis] = d.n[axis] = c->n[axis];
    desc.spacing[axis] = c->width[axis][0];
    desc.widths[axis] = c->stretched ? c->width[axis] : NULL;
    desc.boxes[axis] = layout->boxes[axis];
    /* boxes of one cell may only be given by cuts */
    desc.cuts[axis] = layout->boxes[axis] == c->n[axis] ? ones : layout->cuts[axis];
  }
  memcpy(desc.boundary, c->boundary, sizeof desc.boundary);
  desc.owner = layout->owner, desc.owner_user = layout->owner_user;
  OK(d.context, hymg_grid_create(d.context, &desc, &d.grid));
  return d;
}

static void close_desk(desk *d, const support_layout *layout)
{
  for (int m = 0; m < d->arrays; m++)
    free(d->array[m]);
  hymg_grid_destroy(&d->grid);
  if (!layout->context) hymg_context_destroy(&d->context);
}

static void run_mask(desk *d, const support_body_case *c, hymg_field *alpha,
                     hymg_field *const beta[3], hymg_field *weight)
{
  hymg_field *active = field_of(d, HYMG_CELL, c->active);
  OK(d->context, hymg_mask_coefficients(active, alpha, beta, weight));
  hymg_field_destroy(&active);
}

static void run_body(desk *d, const support_body_case *c, support_body_answer *a, hymg_field *alpha,
                     hymg_field *const beta[3], hymg_field *weight, hymg_field *source)
{
  const int zero[3] = {0, 0, 0}, v[3] = {c->n[0] + 1, c->n[1] + 1, c->n[2] + 1};
  const ptrdiff_t plain[3] = {1, v[0], (ptrdiff_t)v[0] * v[1]};
  hymg_field *area[3], *volume = field_of(d, HYMG_CELL, NULL);
  hymg_field *data[3] = {field_of(d, HYMG_CELL, c->value), field_of(d, HYMG_CELL, c->robin_alpha),
                         field_of(d, HYMG_CELL, c->robin_beta)};
  for (int axis = 0; axis < 3; axis++)
    area[axis] = field_of(d, (hymg_centering)(1 + axis), NULL);
  OK(d->context, hymg_body_fractions(zero, v, plain, c->distance, volume, area));
  hymg_body body = hymg_body_default();
  body.condition = c->condition;
  body.volume = volume;
  body.value = data[0], body.robin_alpha = data[1], body.robin_beta = data[2];
  for (int axis = 0; axis < 3; axis++)
    body.area[axis] = area[axis];
  OK(d->context, hymg_body_coefficients(&body, c->a, c->b, alpha, beta, weight, source));
  a->volume = take(d, HYMG_CELL, volume);
  for (int m = 0; m < 3; m++) {
    hymg_field_destroy(&data[m]);
    a->area[m] = take(d, (hymg_centering)(1 + m), area[m]);
  }
}

support_body_answer support_body_run(const support_body_case *c, const support_layout *layout,
                                     int kind)
{
  desk d = open_desk(c, layout, kind);
  support_body_answer a = {.cells = (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2]};
  hymg_field *beta[3], *alpha = field_of(&d, HYMG_CELL, c->alpha);
  hymg_field *weight = field_of(&d, HYMG_CELL, NULL), *source = field_of(&d, HYMG_CELL, NULL);
  for (int axis = 0; axis < 3; axis++) {
    a.faces[axis] = a.cells / (size_t)c->n[axis] * ((size_t)c->n[axis] + 1);
    beta[axis] = field_of(&d, (hymg_centering)(1 + axis), c->beta[axis]);
  }
  if (c->active)
    run_mask(&d, c, alpha, beta, weight);
  else
    run_body(&d, c, &a, alpha, beta, weight, source);
  a.alpha = take(&d, HYMG_CELL, alpha);
  a.weight = take(&d, HYMG_CELL, weight);
  a.source = take(&d, HYMG_CELL, source);
  for (int axis = 0; axis < 3; axis++)
    a.beta[axis] = take(&d, (hymg_centering)(1 + axis), beta[axis]);
  close_desk(&d, layout);
  return a;
}

void support_body_answer_free(support_body_answer *a)
{
  free(a->volume), free(a->alpha), free(a->weight), free(a->source);
  for (int axis = 0; axis < 3; axis++)
    free(a->area[axis]), free(a->beta[axis]);
}
