/* Masks: bodies, porous media, mazes and cut cells, of which faces have beta 0 or a part of it. Random ones follow a
 * sequence of their own, in the order of the cells. */
#include "robust/hymg-robust.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 10, WARM_UP = 40 }; /* of a cut cell, a side */

static const uint64_t mask_seed = 88172645463325252U;

/* What masks are made from. */
typedef struct shape {
  const robust_options *options;
  const int *n;
  double *centre[3]; /* of the cells, in units of the domain */
  bool flat;
  uint64_t random;
  robust_problem *p;
} shape;

typedef bool is_fluid(shape *s, const int cell[3], const double at[3]);

static size_t cells_of(const int n[3])
{
  return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

/* ---- bodies ---- */

static double distance_to_sphere(const double at[3])
{
  const double x = at[0] - 0.513, y = at[1] - 0.487, z = at[2] - 0.529;
  return sqrt(x * x + y * y + z * z) - 0.291;
}

static double in_cell(double at, int cells)
{
  return fmod(at * cells + 1, 1) - 0.5;
}

static double distance_in_lattice(const shape *s, const double at[3])
{
  const int b = s->options->block;
  const double x = in_cell(at[0], b), y = in_cell(at[1], b), z = s->flat ? 0 : in_cell(at[2], b);
  return sqrt(x * x + y * y + z * z) - s->options->radius;
}

static bool sphere(shape *s, const int cell[3], const double at[3])
{
  (void)cell;
  return distance_to_sphere((const double[3]){at[0], at[1], s->flat ? 0.529 : at[2]}) > 0;
}

static bool lattice(shape *s, const int cell[3], const double at[3])
{
  (void)cell;
  return distance_in_lattice(s, at) > 0;
}

/* A basin with an island, shelves and a ridge of one cell with a gap; z points up. */
static bool ocean(shape *s, const int cell[3], const double at[3])
{
  const double x = at[0], y = at[1];
  double depth = 0.75 + 0.2 * sin(7 * x + 1) * cos(5 * y) + 0.1 * sin(23 * x) * sin(19 * y);
  if (hypot(x - 0.7, y - 0.6) < 0.12) depth = -1;
  depth = fmin(depth, 6 * fmin(fmin(x, 1 - x), fmin(y, 1 - y)) + 0.02);
  const bool gap = cell[1] > 0.45 * s->n[1] && cell[1] < 0.5 * s->n[1];
  if (cell[0] == (int)(0.4 * s->n[0]) && !gap) depth = fmin(depth, 0.08);
  return 1 - at[2] < depth;
}

/* A channel to and fro between walls of one cell. */
static bool serpentine(shape *s, const int cell[3], const double at[3])
{
  (void)at;
  const int b = s->options->block, m = cell[0] % (2 * b);
  return !(m == b - 1 && cell[1] < s->n[1] - 2) && !(m == 2 * b - 1 && cell[1] > 1);
}

/* Eight rooms. */
static bool rooms(shape *s, const int cell[3], const double at[3])
{
  (void)at;
  return cell[0] != s->n[0] / 3 && cell[1] != s->n[1] / 2 + 1 &&
         (s->flat || cell[2] != 2 * s->n[2] / 3);
}

static bool in_shell(const shape *s, const double at[3], const double centre[3], double radius)
{
  const double z = s->flat ? 0.5 : at[2];
  const double x = at[0] - centre[0], y = at[1] - centre[1], up = z - centre[2];
  const double cells = sqrt(x * x + y * y + up * up) * s->n[0], inner = s->n[0] * radius;
  return cells > inner && cells < inner + 1.8;
}

/* Two closed shells. */
static bool pockets(shape *s, const int cell[3], const double at[3])
{
  (void)cell;
  return !in_shell(s, at, (const double[3]){0.3, 0.3, 0.4}, 0.15) &&
         !in_shell(s, at, (const double[3]){0.7, 0.72, 0.6}, 0.11);
}

/* Blocks that touch by edges and corners. */
static bool corners(shape *s, const int cell[3], const double at[3])
{
  (void)at;
  const int b = s->options->block;
  return (cell[0] / b + cell[1] / b + cell[2] / b) % 2 == 0;
}

/* ---- random media ---- */

static bool cells(shape *s, const int cell[3], const double at[3])
{
  (void)cell, (void)at;
  return robust_random(&s->random) < s->options->porosity;
}

/* The cells within a sphere. Returns how many are new. */
static size_t add_sphere(const shape *s, const double centre[3], double radius, unsigned char *in)
{
  size_t added = 0;
  int c[3];
  for (c[2] = 0; c[2] < s->n[2]; c[2]++)
    for (c[1] = 0; c[1] < s->n[1]; c[1]++)
      for (c[0] = 0; c[0] < s->n[0]; c[0]++) {
        double square = 0;
        for (int axis = 0; axis < 3 - s->flat; axis++)
          square += (c[axis] + 0.5 - centre[axis]) * (c[axis] + 0.5 - centre[axis]);
        unsigned char *const here = in + robust_index(s->n, c);
        if (*here || square >= radius * radius) continue;
        *here = 1;
        added++;
      }
  return added;
}

/* Spheres that overlap, until `part` of the cells are in them. */
static void fill_spheres(shape *s, double part, unsigned char *in)
{
  const double radius = s->options->radius > 0 ? s->options->radius : s->n[0] / 10.0;
  const size_t wanted = (size_t)(part * (double)cells_of(s->n));
  memset(in, 0, cells_of(s->n));
  for (size_t filled = 0; filled < wanted;) {
    double centre[3];
    for (int axis = 0; axis < 3; axis++)
      centre[axis] = axis == 2 && s->flat ? 0.5 : robust_random(&s->random) * s->n[axis];
    filled += add_sphere(s, centre, radius * (0.6 + 0.8 * robust_random(&s->random)), in);
  }
}

static void make_spheres(shape *s, unsigned char *active)
{
  fill_spheres(s, 1 - s->options->porosity, active);
  for (size_t q = 0; q < cells_of(s->n); q++)
    active[q] = !active[q];
}

static void make_grains(shape *s, unsigned char *active)
{
  fill_spheres(s, s->options->porosity, active);
}

/* Sums over 2 reach + 1 cells along an axis, which is taken as periodic. */
static void blur(const shape *s, int axis, int reach, const double *from, double *to)
{
  const int n = s->n[axis];
  int c[3];
  for (c[2] = 0; c[2] < s->n[2]; c[2]++)
    for (c[1] = 0; c[1] < s->n[1]; c[1]++)
      for (c[0] = 0; c[0] < s->n[0]; c[0]++) {
        double sum = 0;
        for (int m = -reach; m <= reach; m++) {
          int d[3] = {c[0], c[1], c[2]};
          d[axis] = (c[axis] + m + 4 * n) % n;
          sum += from[robust_index(s->n, d)];
        }
        to[robust_index(s->n, c)] = sum;
      }
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Where blurred noise is low. */
static void make_blobs(shape *s, unsigned char *active)
{
  const size_t count = cells_of(s->n);
  const double wide = s->n[0] / 40 > 1 ? s->n[0] / 40 : 1;
  const int reach = (int)(s->options->radius > 0 ? s->options->radius : wide);
  double *noise = malloc(count * sizeof *noise), *other = malloc(count * sizeof *other);
  for (size_t q = 0; noise && q < count; q++)
    noise[q] = robust_random(&s->random);
  for (int m = 0; noise && other && m < 9; m++) {
    if (s->n[m % 3] == 1) continue;
    blur(s, m % 3, reach, noise, other);
    memcpy(noise, other, count * sizeof *noise);
  }
  if (noise && other) {
    qsort(other, count, sizeof *other, by_size);
    const double cut = other[(size_t)(s->options->porosity * (double)(count - 1))];
    for (size_t q = 0; q < count; q++)
      active[q] = noise[q] < cut;
  }
  free(noise);
  free(other);
}

/* The places next to room c that are no rooms yet: number 2 axis + (0 below, 1 above). */
static int free_sides(const int m[3], const unsigned char *seen, const int c[3], int sides[6])
{
  int count = 0;
  for (int side = 0; side < 6; side++) {
    int e[3] = {c[0], c[1], c[2]};
    e[side / 2] += side % 2 ? 1 : -1;
    if (e[side / 2] >= 0 && e[side / 2] < m[side / 2] && !seen[robust_index(m, e)])
      sides[count++] = side;
  }
  return count;
}

/* A random tree of one-cell channels between the cells of even numbers; some further walls open. */
static void make_maze(shape *s, unsigned char *active)
{
  const int m[3] = {(s->n[0] + 1) / 2, (s->n[1] + 1) / 2, (s->n[2] + 1) / 2};
  unsigned char *seen = calloc(cells_of(m), 1);
  size_t *stack = malloc(cells_of(m) * sizeof *stack), depth = 0;
  memset(active, 0, cells_of(s->n));
  if (seen && stack) stack[depth++] = 0, seen[0] = active[0] = 1;
  while (depth) {
    const size_t room = stack[depth - 1];
    const int c[3] = {(int)(room % (size_t)m[0]), (int)(room / (size_t)m[0] % (size_t)m[1]),
                      (int)(room / (size_t)m[0] / (size_t)m[1])};
    int sides[6], e[3] = {c[0], c[1], c[2]}, wall[3] = {2 * c[0], 2 * c[1], 2 * c[2]};
    const int count = free_sides(m, seen, c, sides);
    if (count == 0) {
      depth--;
      continue;
    }
    const int side = sides[(int)(robust_random(&s->random) * count)], step = side % 2 ? 1 : -1;
    e[side / 2] += step, wall[side / 2] += step;
    active[robust_index(s->n, wall)] = 1;
    active[robust_index(s->n, (const int[3]){2 * e[0], 2 * e[1], 2 * e[2]})] = 1;
    seen[robust_index(m, e)] = 1;
    stack[depth++] = robust_index(m, e);
  }
  for (size_t q = 0; q < cells_of(s->n); q++) {
    const size_t i = q % (size_t)s->n[0], j = q / (size_t)s->n[0] % (size_t)s->n[1],
                 k = q / (size_t)s->n[0] / (size_t)s->n[1];
    if (i % 2 + j % 2 + k % 2 == 1 && robust_random(&s->random) < s->options->loops) active[q] = 1;
  }
  free(seen);
  free(stack);
}

/* ---- cut cells ---- */

static double distance_of(const shape *s, const double at[3])
{
  return s->options->cut == ROBUST_CUT_LATTICE ? distance_in_lattice(s, at)
                                               : distance_to_sphere(at);
}

/* The part of a cell (axis 3) or of its low face that is fluid. */
static double part_of(const shape *s, const int cell[3], int axis)
{
  int in = 0, m[3];
  const int most[3] = {axis == 0 ? 1 : SAMPLES, axis == 1 ? 1 : SAMPLES, axis == 2 ? 1 : SAMPLES};
  for (m[2] = 0; m[2] < most[2]; m[2]++)
    for (m[1] = 0; m[1] < most[1]; m[1]++)
      for (m[0] = 0; m[0] < most[0]; m[0]++) {
        double at[3];
        for (int d = 0; d < 3; d++)
          at[d] =
              s->centre[d][cell[d]] + (d == axis ? -0.5 : (m[d] + 0.5) / SAMPLES - 0.5) / s->n[d];
        in += distance_of(s, at) > 0;
      }
  return (double)in / (most[0] * most[1] * most[2]);
}

/* A fifth of the parts is much smaller, down to 1e-6 of what it was. */
static double shrink(shape *s, double part)
{
  if (part > 0 && part < 1 && robust_random(&s->random) < 0.2)
    part *= pow(1e-6, robust_random(&s->random));
  return part;
}

/* Equal cells. Where u is held on the surface, through half of the distance there. */
static void make_cut(shape *s)
{
  robust_problem *p = s->p;
  const double h = p->width[0][0];
  int c[3];
  size_t q = 0;
  for (c[2] = 0; c[2] < s->n[2]; c[2]++)
    for (c[1] = 0; c[1] < s->n[1]; c[1]++)
      for (c[0] = 0; c[0] < s->n[0]; c[0]++, q++) {
        const double at[3] = {s->centre[0][c[0]], s->centre[1][c[1]], s->centre[2][c[2]]};
        const double whole = part_of(s, c, 3);
        p->active[q] = whole > 0;
        p->part[3][q] = shrink(s, whole);
        for (int axis = 0; axis < 3; axis++)
          p->part[axis][q] = shrink(s, part_of(s, c, axis));
        if (s->options->cut != ROBUST_CUT_HELD || whole == 0 || whole == 1) continue;
        const double apart = fmax(fabs(distance_of(s, at)) * h * s->n[0], 1e-3 * h);
        p->alpha[q] = 1 / (apart * h);
      }
}

/* ---- all ---- */

static is_fluid *const shapes[] = {NULL,  sphere,  lattice, ocean, serpentine,
                                   rooms, pockets, corners, cells};
typedef void maker(shape *s, unsigned char *active);
static maker *const makers[] = {make_spheres, make_grains, make_blobs, make_maze};
enum { SHAPES = sizeof shapes / sizeof *shapes };
const char *const robust_mask_words[] = {"none",   "sphere",  "lattice", "ocean", "serpentine",
                                         "rooms",  "pockets", "corners", "cells", "spheres",
                                         "grains", "blobs",   "maze",    NULL};

bool robust_has_mask(const robust_options *o)
{
  return o->mask || o->cut;
}

bool robust_allocate_mask(robust_problem *p)
{
  const size_t count = cells_of(p->options->n);
  if (!robust_has_mask(p->options)) return true;
  bool ok = (p->active = malloc(count)) != NULL;
  for (int m = 0; p->options->cut && m < 4; m++)
    ok = (p->part[m] = malloc(count * sizeof(double))) && ok;
  return ok;
}

void robust_make_mask(robust_problem *p, double *const centre[3])
{
  const robust_options *o = p->options;
  shape s = {.options = o,
             .n = o->n,
             .centre = {centre[0], centre[1], centre[2]},
             .flat = o->n[2] == 1,
             .random = robust_random_from(mask_seed, WARM_UP),
             .p = p};
  int c[3];
  if (!robust_has_mask(o)) return;
  if (o->cut) {
    make_cut(&s);
  } else if (o->mask >= SHAPES) {
    makers[o->mask - SHAPES](&s, p->active);
  } else {
    for (c[2] = 0; c[2] < o->n[2]; c[2]++)
      for (c[1] = 0; c[1] < o->n[1]; c[1]++)
        for (c[0] = 0; c[0] < o->n[0]; c[0]++)
          p->active[robust_index(o->n, c)] = shapes[o->mask](
              &s, c, (const double[3]){centre[0][c[0]], centre[1][c[1]], centre[2][c[2]]});
  }
}

void robust_mask_rhs(robust_problem *p)
{
  for (size_t q = 0; p->active && q < cells_of(p->options->n); q++)
    p->rhs[q] *= !p->active[q] ? 0 : p->part[3] ? p->part[3][q] : 1;
}

double robust_open_part(const robust_problem *p, int axis, size_t low, size_t high, bool inner)
{
  if (!p->active) return 1;
  if (!p->active[low] || !p->active[high]) return 0;
  return inner && p->part[axis] ? p->part[axis][high] : 1;
}
