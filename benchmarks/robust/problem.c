/* Coefficients and right-hand sides. A random number belongs to a place in the sequence that a
 * 64-bit xorshift generator makes, so every rank makes all of them, in the order of the cells. */
#include "robust/hymg-robust.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { TABLE = 8192, THICK_LAYERS = 4096, BALLS = 20, WARM_UP = 20 };

static const uint64_t coefficient_seed = 88172645463325252U, rhs_seed = 123456789123U;
/* To ten digits only, as in the runs that the known iteration counts are from. */
static const double two_pi = 6.283185307;

/* What a coefficient is made from: the cell at hand, its centre in units of the domain. */
typedef struct place {
  const robust_options *options;
  int cell[3];
  double at[3];
  bool flat; /* one cell along z */
  const double *table;
  uint64_t *random;
} place;

typedef double beta_of(const place *p);

/* ---- random numbers ---- */

/* 0 <= x < 1 */
double robust_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-53;
}

uint64_t robust_random_from(uint64_t seed, int skipped)
{
  for (int i = 0; i < skipped; i++)
    robust_random(&seed);
  return seed;
}

/* Box and Muller's, of which one of two is used. */
static double next_gauss(uint64_t *state)
{
  const double radius = robust_random(state), angle = robust_random(state);
  return sqrt(-2 * log(radius + 1e-300)) * cos(6.283185307179586 * angle);
}

/* ---- coefficients ---- */

static double distance(const place *p, const double centre[3])
{
  return hypot(hypot(p->at[0] - centre[0], p->at[1] - centre[1]), p->at[2] - centre[2]);
}

/* The ratio inside, 1 outside. */
static double inside(const place *p, bool is_inside)
{
  return is_inside ? p->options->ratio : 1;
}

static int block(const place *p, int axis, int blocks)
{
  return p->flat && axis == 2 ? 0 : (int)(p->at[axis] * blocks);
}

/* The sum of a place's blocks along the axes. */
static int blocks_of(const place *p, int blocks)
{
  return block(p, 0, blocks) + block(p, 1, blocks) + block(p, 2, blocks);
}

#define BETA(name, value)                                                                          \
  static double name(const place *p)                                                               \
  {                                                                                                \
    (void)p;                                                                                       \
    return (value);                                                                                \
  }

BETA(smooth, 1 + 0.25 * sin(two_pi * p->at[0]) * sin(two_pi * p->at[1]) *
                     (p->flat ? 1 : sin(two_pi * p->at[2])))
BETA(constant, 1)
BETA(ball, inside(p, distance(p, (const double[3]){0.5, 0.5, 0.5}) < 0.27))

static double balls(const place *p)
{
  bool in = false;
  for (int m = 0; m < BALLS && !in; m++)
    in = distance(p, p->table + (ptrdiff_t)3 * m) < 0.12;
  return inside(p, in);
}

BETA(checker, inside(p, blocks_of(p, p->options->block) % 2))
BETA(layers, inside(p, (int)(p->at[2] * p->options->block) % 2))
BETA(layersx, inside(p, block(p, 0, p->options->block) % 2))

/* A random power of the ratio for 1 + blk / 8 planes each. */
BETA(rlayers, pow(p->options->ratio, p->table[p->cell[2] / (1 + p->options->block / 8) % TABLE]))

/* Slanted layers, thinner on one side of a slanted plane. */
static double slayers(const place *p)
{
  const int i = p->cell[0], half = i + p->cell[1] / 2, k = p->cell[2];
  const int layer = half > k ? (half + k) / 3 : (i + k) / 5;
  return inside(p, p->table[layer % THICK_LAYERS] < 0.5);
}

/* Sheets one cell thick, two across x and one each across y and z, with holes. */
static double thin(const place *p)
{
  const int *n = p->options->n, *c = p->cell;
  const bool hole = (c[0] / 5 + c[1] / 5 + c[2] / 5) % 5 == 0;
  const bool sheet = c[0] == n[0] / 3 || c[0] == 2 * n[0] / 3 + 1 || c[1] == n[1] / 2 ||
                     (!p->flat && c[2] == 2 * n[2] / 3);
  return inside(p, sheet && !hole);
}

/* A lattice of wires one cell thick: where two of three families of planes meet. */
static double wires(const place *p)
{
  const int b = p->options->block, *c = p->cell;
  const int planes = (c[0] % b == b / 2) + (c[1] % b == b / 3) + (p->flat || c[2] % b == b / 2 + 1);
  return inside(p, planes >= 2);
}

BETA(cells, inside(p, robust_random(p->random) < 0.3))
BETA(logn, exp(p->options->ratio *next_gauss(p->random)))

/* Labyrinth of period 12 cells: about half of the cells, 1; the ratio in the others. */
static double gyroid(const place *p)
{
  const double c = two_pi / 12;
  const double x = c * p->cell[0], y = c * p->cell[1], z = c * p->cell[2];
  return inside(p, sin(x) * cos(y) + sin(y) * cos(z) + sin(z) * cos(x) <= 0);
}

/* Separate ponds of 12 cells, 1; the ratio between them. */
static double ponds(const place *p)
{
  const double c = two_pi / 24;
  return inside(p, sin(c * (p->cell[0] + 0.5)) * sin(c * (p->cell[1] + 0.5)) <= 0.1);
}

/* The strong axis of a cell of an anisotropic beta, the ratio along one axis and 1 along the others: in 8 boxes x or z in
 * turn (y for z in two dimensions). */
BETA(rot2, blocks_of(p, 2) % 2 ? 0 : p->flat ? 1 : 2)

/* Likewise, in 3 slabs across x the axes in turn. */
BETA(rot3, block(p, 0, 3))

/* All but smooth, constant, rlayers and logn have the values 1 and ratio; the last two are anisotropic. */
const char *const robust_coefficient_words[] = {
    "smooth", "constant", "ball",  "balls", "checker", "layers", "layersx", "rlayers", "slayers",
    "thin",   "wires",    "cells", "logn",  "gyroid",  "ponds",  "rot2",    "rot3",    NULL};
static beta_of *const makers[] = {smooth,  constant, ball,    balls, checker, layers,
                                  layersx, rlayers,  slayers, thin,  wires,   cells,
                                  logn,    gyroid,   ponds,   rot2,  rot3};

static bool is_anisotropic(const robust_options *o)
{
  return makers[o->coefficients] == rot2 || makers[o->coefficients] == rot3;
}

/* ---- widths ---- */

/* Growing from both walls: G^m for the m-th cell, at most the aspect. Returns the length. */
static double grow(const robust_options *o, int n, double *width)
{
  double length = 0;
  for (int i = 0; i < n; i++) {
    width[i] = fmin(pow(o->stretch, i < n - 1 - i ? i : n - 1 - i), o->aspect);
    length += width[i];
  }
  return length;
}

static void make_widths(const robust_options *o, double *width[3])
{
  for (int axis = 0; axis < 3; axis++) {
    const int n = o->n[axis];
    const double equal = o->spacing[axis] > 0 ? o->spacing[axis] : 1.0 / n;
    for (int i = 0; i < n; i++)
      width[axis][i] = equal;
    if (o->stretch <= 0 || (axis < 2 && !o->all_axes)) continue;
    const double length = grow(o, n, width[axis]);
    const double scale = o->all_axes ? 1 / length : width[0][0] / o->aspect * o->largest;
    for (int i = 0; i < n; i++)
      width[axis][i] *= scale;
  }
}

/* Centres of the cells in units of the axis' length. */
static void make_centres(int n, const double *width, double *centre)
{
  double total = 0, low = 0;
  for (int i = 0; i < n; i++)
    total += width[i];
  for (int i = 0; i < n; i++) {
    centre[i] = (low + width[i] / 2) / total;
    low += width[i];
  }
}

/* ---- all cells ---- */

static double alpha_at(const place *p)
{
  return 1 + p->options->alpha_wave * sin(two_pi * p->at[0]) * cos(two_pi * p->at[1]) *
                 (p->flat ? 1 : cos(two_pi * p->at[2]));
}

static void make_cells(robust_problem *p, double *const centre[3], place *at)
{
  const int *n = p->options->n;
  const bool anisotropic = is_anisotropic(p->options);
  size_t q = 0;
  for (at->cell[2] = 0; at->cell[2] < n[2]; at->cell[2]++)
    for (at->cell[1] = 0; at->cell[1] < n[1]; at->cell[1]++)
      for (at->cell[0] = 0; at->cell[0] < n[0]; at->cell[0]++, q++) {
        for (int axis = 0; axis < 3; axis++)
          at->at[axis] = centre[axis][at->cell[axis]];
        const double made = makers[p->options->coefficients](at);
        if (!anisotropic) p->beta[0][q] = made;
        for (int axis = 0; axis < 3 && anisotropic; axis++)
          p->beta[axis][q] = axis == made ? p->options->ratio : 1;
        if (p->alpha) p->alpha[q] = p->options->cut == ROBUST_CUT_HELD ? 0 : alpha_at(at);
      }
}

/* 1 + x y + z^2 */
static void make_bowl(robust_problem *p)
{
  const int *n = p->options->n;
  size_t q = 0;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++, q++) {
        const double x = (i + 0.5) / n[0], y = (j + 0.5) / n[1], z = (k + 0.5) / n[2];
        p->rhs[q] = 1 + x * y + z * z;
      }
}

static void make_rhs(robust_problem *p, size_t num_cells)
{
  const int kind = p->options->rhs;
  uint64_t random = robust_random_from(rhs_seed, WARM_UP);
  for (size_t q = 0; q < num_cells; q++)
    p->rhs[q] = kind == ROBUST_RHS_ZERO  ? 0
                : kind != ROBUST_RHS_ONE ? 1 + (robust_random(&random) - 0.5)
                                         : 1;
  if (kind == ROBUST_RHS_BOWL) make_bowl(p);
}

static bool allocate(robust_problem *p, double *centre[3], size_t num_cells)
{
  bool ok = (p->rhs = malloc(num_cells * sizeof *p->rhs));
  if (p->options->alpha_wave > 0 || p->options->alpha_in || p->options->cut == ROBUST_CUT_HELD)
    ok = (p->alpha = malloc(num_cells * sizeof *p->alpha)) && ok;
  ok = robust_allocate_mask(p) && ok;
  for (int axis = 0; axis < 3; axis++) {
    const size_t n = (size_t)p->options->n[axis];
    const bool own = axis == 0 || is_anisotropic(p->options);
    p->width[axis] = malloc(n * sizeof(double));
    centre[axis] = malloc(n * sizeof(double));
    p->beta[axis] = own ? malloc(num_cells * sizeof(double)) : p->beta[0];
    ok = ok && p->width[axis] && centre[axis] && p->beta[axis];
  }
  return ok;
}

bool robust_problem_create(const robust_options *o, robust_problem *p)
{
  const size_t num_cells = (size_t)o->n[0] * (size_t)o->n[1] * (size_t)o->n[2];
  double *centre[3], *table = malloc(TABLE * sizeof *table);
  uint64_t random = robust_random_from(coefficient_seed, WARM_UP);
  *p = (robust_problem){.options = o};
  const bool ok = allocate(p, centre, num_cells) && table;
  if (ok) {
    place at = {.options = o, .flat = o->n[2] == 1, .table = table, .random = &random};
    for (int i = 0; i < TABLE; i++)
      table[i] = robust_random(&random);
    make_widths(o, p->width);
    for (int axis = 0; axis < 3; axis++)
      make_centres(o->n[axis], p->width[axis], centre[axis]);
    make_cells(p, centre, &at);
    robust_make_mask(p, centre);
    make_rhs(p, num_cells);
    robust_mask_rhs(p);
    robust_place_alpha(p);
    robust_place_rhs(p);
  }
  for (int axis = 0; axis < 3; axis++)
    free(centre[axis]);
  free(table);
  if (!ok) robust_problem_destroy(p);
  return ok;
}

void robust_problem_destroy(robust_problem *p)
{
  for (int axis = 2; axis >= 0; axis--) {
    if (axis == 0 || p->beta[axis] != p->beta[0]) free(p->beta[axis]);
    free(p->width[axis]);
  }
  for (int m = 0; m < 4; m++)
    free(p->part[m]);
  free(p->active);
  free(p->alpha);
  free(p->rhs);
  *p = (robust_problem){.options = NULL};
}

/* ---- faces ---- */

size_t robust_index(const int n[3], const int cell[3])
{
  return (size_t)cell[0] + (size_t)n[0] * ((size_t)cell[1] + (size_t)n[1] * (size_t)cell[2]);
}

/* The cells on both sides of a face; false: it is a wall, and both are the one cell. */
static bool sides_of(const robust_options *o, int axis, const int cell[3], int low[3], int high[3])
{
  const int n = o->n[axis];
  for (int d = 0; d < 3; d++)
    low[d] = high[d] = cell[d];
  low[axis]--;
  if (o->boundary[2 * axis] == HYMG_PERIODIC) {
    low[axis] = (low[axis] + n) % n;
    high[axis] %= n;
    return true;
  }
  const bool inner = low[axis] >= 0 && high[axis] < n;
  if (low[axis] < 0) low[axis] = 0;
  if (high[axis] == n) high[axis] = n - 1;
  return inner;
}

double robust_face_beta(const robust_problem *p, int axis, const int cell[3])
{
  int low[3], high[3];
  const double *beta = p->beta[axis], *width = p->width[axis];
  const bool inner = sides_of(p->options, axis, cell, low, high);
  const size_t below = robust_index(p->options->n, low), above = robust_index(p->options->n, high);
  const double open = robust_open_part(p, axis, below, above, inner);
  if (!inner) return open * beta[below];
  const double w1 = width[low[axis]], w2 = width[high[axis]];
  const double b1 = beta[below], b2 = beta[above];
  return open * 0.5 * (w1 + w2) / (0.5 * w1 / b1 + 0.5 * w2 / b2);
}

double robust_conductance(const robust_problem *p, int axis, const int cell[3])
{
  int low[3], high[3];
  const robust_options *o = p->options;
  const bool inner = sides_of(o, axis, cell, low, high);
  const int e = (axis + 1) % 3, f = (axis + 2) % 3, face = 2 * axis + (cell[axis] > 0);
  if (o->boundary[face] == HYMG_PERIODIC ? o->n[axis] == 1
                                         : !inner && o->boundary[face] == HYMG_NEUMANN)
    return 0;
  const double area = p->width[e][cell[e]] * p->width[f][cell[f]];
  double apart = 0.5 * p->width[axis][low[axis]] + (inner ? 0.5 * p->width[axis][high[axis]] : 0);
  if (!inner && o->boundary[face] == HYMG_ROBIN) {
    if (o->robin[0] == 0) return 0;
    apart += o->robin[1] / o->robin[0];
  }
  return robust_face_beta(p, axis, cell) * area / apart;
}

void robust_fill(const robust_problem *p, int axis, const int low[3], const int count[3],
                 double *data)
{
  int cell[3];
  for (cell[2] = low[2]; cell[2] < low[2] + count[2]; cell[2]++)
    for (cell[1] = low[1]; cell[1] < low[1] + count[1]; cell[1]++)
      for (cell[0] = low[0]; cell[0] < low[0] + count[0]; cell[0]++)
        *data++ = axis == ROBUST_RHS     ? p->rhs[robust_index(p->options->n, cell)]
                  : axis == ROBUST_ALPHA ? p->alpha[robust_index(p->options->n, cell)]
                                         : robust_face_beta(p, axis, cell);
}
