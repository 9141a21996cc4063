/* Coefficients and right-hand sides of random systems. */
#include "oracle/sample.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double tiny = 1e-12; /* beta of the faces of inactive cells */

/* Calls for each cell. */
#define EACH_CELL(s, c, i) for (int c[3] = {0}, i = 0; i < (int)(s)->cells; next_cell(s, c), i++)

static void next_cell(const sample *s, int c[3])
{
  for (int d = 0; d < 3; d++) {
    if (++c[d] < s->c.spec.n[d]) return;
    c[d] = 0;
  }
}

static int random_cell(sample *s)
{
  return sample_below(s, (int)s->cells);
}

/* Product of sines with random wave numbers, -1 ... 1. */
typedef struct wave {
  double k[3], phase[3];
} wave;

static wave random_wave(sample *s, double most)
{
  wave w;
  for (int d = 0; d < 3; d++) {
    w.k[d] = sample_real(s, 0, most);
    w.phase[d] = sample_real(s, 0, 6.28);
  }
  return w;
}

static double wave_at(const sample *s, const wave *w, const int c[3])
{
  double product = 1;
  for (int d = 0; d < 3; d++)
    product *= sin(6.28 * w->k[d] * c[d] / s->c.spec.n[d] + w->phase[d]);
  return product;
}

/* b beta / h^2 with beta 1 along the axis of the smallest spacing: the unit of alpha. */
static double unit_of(const sample *s)
{
  const double *h = s->c.spec.h;
  const double least = fmin(h[0], fmin(h[1], h[2]));
  return 1 / (least * least);
}

/* ---- beta ---- */

/* From one number for each cell: faces between cells get the harmonic mean, walls the cell's. */
static void beta_from_cells(sample *s, const double *cells)
{
  const int *n = s->c.spec.n;
  for (int d = 0; d < 3; d++) {
    int m[3] = {n[0], n[1], n[2]}, c[3];
    double *b = s->c.beta[d];
    m[d]++;
    for (c[2] = 0; c[2] < m[2]; c[2]++)
      for (c[1] = 0; c[1] < m[1]; c[1]++)
        for (c[0] = 0; c[0] < m[0]; c[0]++) {
          const bool wraps = s->c.spec.boundary[2 * d] == HYMG_PERIODIC;
          int low[3] = {c[0], c[1], c[2]}, high[3] = {c[0], c[1], c[2]};
          low[d] = c[d] > 0 ? c[d] - 1 : wraps ? n[d] - 1 : 0;
          high[d] = c[d] < n[d] ? c[d] : wraps ? 0 : n[d] - 1;
          const double p = cells[(low[2] * n[1] + low[1]) * n[0] + low[0]];
          const double q = cells[(high[2] * n[1] + high[1]) * n[0] + high[0]];
          *b++ = p > 0 && q > 0 ? 2 / (1 / p + 1 / q) : tiny;
        }
  }
}

enum { CONSTANT, SMOOTH, LOG_NORMAL, ISLANDS, LAYERS, CUBES, INACTIVE, WEAK_AXIS, BARRIER };

static const char *const beta_names[] = {"constant",       "smooth",    "log-normal",
                                         "islands",        "layers",    "cubes",
                                         "inactive cells", "weak axis", "barrier"};

static double cell_beta(sample *s, int kind, const wave *w, const double p[3], const int c[3])
{
  const double x = sample_real(s, 0, 1), y = sample_real(s, 0, 1);
  switch (kind) {
  case SMOOTH:
    return exp(wave_at(s, w, c));
  case LOG_NORMAL:
    return exp(p[0] * sqrt(-2 * log(1 - x)) * cos(6.28 * y));
  case ISLANDS:
    return x < 0.2 ? p[1] : 1;
  case LAYERS:
    return c[(int)p[2]] / 2 % 2 ? p[1] : 1;
  case CUBES:
    return (c[0] / 2 + c[1] / 2 + c[2] / 2) % 2 ? p[1] : 1;
  case INACTIVE:
    return p[0] < 1.5 ? x < 0.7 : wave_at(s, w, c) > 0.05;
  default:
    return 1;
  }
}

/* One axis, or the faces of one plane across it but for one line of them. */
static void weaken(sample *s, int kind)
{
  static const double powers[4] = {-3, -6, -12, -42};
  const int *n = s->c.spec.n, d = sample_below(s, 3);
  const double factor = pow(10, powers[sample_below(s, 4)]);
  const size_t count = s->cells / (size_t)n[d] * (size_t)(n[d] + 1);
  const size_t step = d == 0 ? 1 : d == 1 ? (size_t)n[0] : (size_t)n[0] * (size_t)n[1];
  for (size_t i = 0; i < count; i++) {
    const int face = (int)(i / step % (size_t)(n[d] + 1));
    if (kind == WEAK_AXIS || face == (n[d] + 1) / 2) s->c.beta[d][i] *= factor;
  }
  if (kind == BARRIER && sample_chance(s, 0.5)) s->c.beta[d][(size_t)((n[d] + 1) / 2) * step] = 1;
  sample_say(s, " %c of %g", "xyz"[d], factor);
}

/* Returns the cells that are active, or NULL if all are; owned by the caller. */
static double *draw_beta(sample *s)
{
  const bool fv4 = s->c.spec.stencil == HYMG_FV4;
  const int kind = s->plain || sample_chance(s, 0.3) ? CONSTANT
                   : fv4                             ? sample_below(s, 4)
                                                     : sample_below(s, 9);
  const wave w = random_wave(s, 2);
  const double p[3] = {sample_real(s, 0.5, fv4 ? 1 : 3), sample_power(s, -2, fv4 ? 2 : 6),
                       sample_below(s, 3)};
  double *cells = sample_array(s->cells);
  s->kind[SAMPLE_BETA] = beta_names[kind];
  sample_say(s, "; beta %s", beta_names[kind]);
  EACH_CELL(s, c, i) cells[i] = cell_beta(s, kind, &w, p, c);
  for (int d = 0; d < 3; d++) {
    s->c.beta[d] = sample_array(s->cells / (size_t)s->c.spec.n[d] * (size_t)(s->c.spec.n[d] + 1));
    if (kind != CONSTANT) s->c.spec.beta[d] = s->c.beta[d];
  }
  if (kind != CONSTANT) beta_from_cells(s, cells);
  if (kind == LOG_NORMAL) sample_say(s, " of sigma %.3g", p[0]);
  if (kind >= ISLANDS && kind <= CUBES) sample_say(s, " of %.3g", p[1]);
  if (kind >= WEAK_AXIS) weaken(s, kind);
  if (kind == INACTIVE) return cells;
  free(cells);
  return NULL;
}

/* ---- alpha ---- */

enum { NONE, UNIFORM, WAVES, JUMPS, PINNED, WALL, MINUTE, SINKS };

static const char *const alpha_names[] = {"0",      "constant",     "smooth", "jumps",
                                          "pinned", "pinned layer", "minute", "weak sinks"};

/* Inactive cells have alpha 1, and with no other alpha the active ones have sinks. */
static void draw_alpha(sample *s, const double *active)
{
  int kind = s->plain || sample_chance(s, 0.4) ? NONE : 1 + sample_below(s, 7);
  if (active && kind == NONE) kind = SINKS;
  const double unit = unit_of(s), size = sample_power(s, -4, 2), pin = sample_power(s, 0, 15);
  const int at = random_cell(s), sinks = 1 + sample_below(s, 3), axis = sample_below(s, 3);
  const wave w = random_wave(s, 2);
  s->kind[SAMPLE_ALPHA] = alpha_names[kind];
  sample_say(s, "; alpha %s", alpha_names[kind]);
  if (kind == NONE) return;
  s->c.alpha = sample_array(s->cells);
  s->c.spec.a = 1;
  s->c.spec.alpha = s->c.alpha;
  EACH_CELL(s, c, i)
  {
    const double jump = sample_chance(s, 0.2) ? sample_power(s, 0, 8) : 0;
    s->c.alpha[i] = unit * (kind == UNIFORM  ? size
                            : kind == WAVES  ? size * (1.5 + wave_at(s, &w, c))
                            : kind == JUMPS  ? jump
                            : kind == PINNED ? (i == at ? pin : 0)
                            : kind == WALL   ? (c[axis] == 0 ? pin : 0)
                            : kind == MINUTE ? 1e-14
                                             : 0);
  }
  for (int m = 0; kind == SINKS && m < sinks; m++)
    s->c.alpha[random_cell(s)] = unit * size * 1e-2;
  EACH_CELL(s, c, i) if (active && active[i] == 0) s->c.alpha[i] = unit;
  if (kind == PINNED || kind == WALL) sample_say(s, " of %.3g b beta / h^2", pin);
  if (kind == UNIFORM || kind == WAVES || kind == SINKS)
    sample_say(s, " of %.3g b beta / h^2", size * (kind == SINKS ? 1e-2 : 1));
}

void sample_coefficients(sample *s)
{
  double *active = draw_beta(s);
  draw_alpha(s, active);
  free(active);
}

/* ---- the right-hand side ---- */

enum { ONE_CELL, TWO_CELLS, LINE, PLANE, CHECKERS, ONE_COLOUR, NOTHING, NOISE, SMOOTH_F, ONES };

static const char *const source_names[] = {
    "one cell",   "two cells",        "line",  "plane",  "checkerboard",
    "one colour", "data on one face", "noise", "smooth", "1"};

static double source_at(sample *s, int kind, const wave *w, const int at[3], const int c[3], int d)
{
  const double noise = sample_real(s, -1, 1);
  const int colour = (c[0] + c[1] + c[2]) % 2, e = (d + 1) % 3;
  switch (kind) {
  case LINE:
    return c[d] == at[d] && c[e] == at[e];
  case PLANE:
    return c[d] == at[d];
  case CHECKERS:
    return colour ? -1 : 1;
  case ONE_COLOUR:
    return colour ? 0 : noise;
  case NOISE:
    return noise;
  case SMOOTH_F:
    return wave_at(s, w, c);
  case ONES:
    return 1;
  default:
    return 0;
  }
}

/* Data in units of the scale; on Neumann boundaries a derivative, so over a width. */
static void draw_data(sample *s, int face)
{
  const int axis = face / 2;
  const size_t plane = s->cells / (size_t)s->c.spec.n[axis];
  if (s->c.spec.boundary[face] == HYMG_PERIODIC) return;
  s->c.boundary_data[face] = sample_array(plane);
  s->c.spec.boundary_data[face] = s->c.boundary_data[face];
  for (size_t i = 0; i < plane; i++)
    s->c.boundary_data[face][i] = s->scale * sample_real(s, -1, 1);
  sample_say(s, " face %d", face);
}

/* Where alpha pins cells, half of the problems have f = alpha u0 there. */
static void hold_values(sample *s)
{
  const char *kind = s->kind[SAMPLE_ALPHA];
  const double u0 = sample_real(s, -10, 10);
  if (strncmp(kind, "pinned", 6) != 0 || sample_chance(s, 0.5)) return;
  for (size_t i = 0; i < s->cells; i++)
    if (s->c.alpha[i] > 0) s->f[i] = s->c.alpha[i] * u0 * s->scale;
  sample_say(s, ", %.3g alpha where pinned", u0);
}

void sample_source(sample *s)
{
  static const double powers[4] = {-200, -20, 20, 200};
  const int kind = s->plain && sample_chance(s, 0.4) ? ONE_CELL : sample_below(s, 10);
  const int face = sample_below(s, 6), d = sample_below(s, 3);
  const int two[2] = {random_cell(s), random_cell(s)};
  const int *n = s->c.spec.n;
  const int at[3] = {sample_below(s, n[0]), sample_below(s, n[1]), sample_below(s, n[2])};
  const wave w = random_wave(s, 1);
  const double unit = unit_of(s);
  s->scale = s->plain || sample_chance(s, 0.5) ? 1
             : sample_chance(s, 0.7)           ? sample_real(s, 0.5, 2)
                                               : pow(10, powers[sample_below(s, 4)]);
  s->kind[SAMPLE_SOURCE] = source_names[kind];
  s->f = sample_array(s->cells);
  EACH_CELL(s, c, i) s->f[i] = s->scale * unit * source_at(s, kind, &w, at, c, d);
  if (kind <= TWO_CELLS) s->f[two[0]] += s->scale * unit;
  if (kind == TWO_CELLS) s->f[two[1]] -= s->scale * unit;
  sample_say(s, "; f %s, scale %.3g", source_names[kind], s->scale);
  hold_values(s);
  const bool all = kind != NOTHING && !s->plain && sample_chance(s, 0.2);
  if (all || kind == NOTHING) sample_say(s, ", random data on");
  for (int q = 0; q < 6; q++)
    if (all || (kind == NOTHING && q == face)) draw_data(s, q);
}
