/* Shape, boundaries and options of random systems. */
#include "oracle/sample.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 600, MOST_CELLS_FV4 = 300 };

/* ---- numbers ---- */

double sample_real(sample *s, double low, double high)
{
  uint64_t x = s->state += 0x9e3779b97f4a7c15u; /* splitmix64 */
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return low + (high - low) * ((double)(x >> 11) / 9007199254740992.0);
}

double sample_power(sample *s, double low, double high)
{
  return pow(10.0, sample_real(s, low, high));
}

int sample_below(sample *s, int n)
{
  return (int)sample_real(s, 0, n);
}

bool sample_chance(sample *s, double probability)
{
  return sample_real(s, 0, 1) < probability;
}

double *sample_array(size_t n)
{
  double *x = calloc(n ? n : 1, sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

void sample_say(sample *s, const char *format, ...)
{
  va_list list;
  const size_t used = strlen(s->words);
  va_start(list, format);
  vsnprintf(s->words + used, sizeof s->words - used, format, list);
  va_end(list);
}

double sample_width(const sample *s, int axis, int i)
{
  return s->widths[axis] ? s->widths[axis][i] : s->c.spec.h[axis];
}

/* ---- shape ---- */

/* Sides evenly distributed in their logarithm; FV4 needs 2, and 4 between Neumann boundaries. A plain
 * system has sides of 6 and more, but half of them one of 1. */
static void draw_shape(sample *s)
{
  oracle_spec *spec = &s->c.spec;
  const int least = spec->stencil == HYMG_FV4 ? 4 : s->plain ? 6 : 1;
  const bool fv4 = spec->stencil == HYMG_FV4;
  const int flat = s->plain && !fv4 ? sample_below(s, 6) : 3;
  do {
    s->cells = 1;
    for (int d = 0; d < 3; d++) {
      spec->n[d] = (int)(least * pow(21.0 / least, sample_real(s, 0, 1)));
      if (d == flat) spec->n[d] = 1;
      s->cells *= (size_t)spec->n[d];
    }
  } while (s->cells > (fv4 ? MOST_CELLS_FV4 : MOST_CELLS) || s->cells < 2);
  const bool anisotropy = !s->plain && sample_chance(s, 0.3);
  const double h = !s->plain && sample_chance(s, 0.2) ? sample_power(s, -4, 3)
                   : sample_chance(s, 0.5)            ? 0.05
                                                      : 1;
  for (int d = 0; d < 3; d++)
    spec->h[d] = anisotropy ? h * sample_power(s, -1.5, 1.5) : h;
  sample_say(s, "%d x %d x %d cells of %.3g x %.3g x %.3g, %s", spec->n[0], spec->n[1], spec->n[2],
             spec->h[0], spec->h[1], spec->h[2], spec->stencil == HYMG_FV4 ? "FV4" : "FV2");
}

static void draw_widths(sample *s)
{
  const double depth = sample_chance(s, 0.3) ? 1.5 : 0.4;
  if (s->c.spec.stencil == HYMG_FV4 || s->plain || !sample_chance(s, 0.2)) return;
  for (int d = 0; d < 3; d++) {
    const int n = s->c.spec.n[d];
    s->widths[d] = sample_array((size_t)n);
    for (int i = 0; i < n; i++)
      s->widths[d][i] = s->c.spec.h[d] * sample_power(s, -depth, depth);
  }
  sample_say(s, ", random widths (factor %g)", pow(10, 2 * depth));
}

static void draw_extrapolation(sample *s)
{
  static const hymg_extrapolation all[4] = {HYMG_EXTRAPOLATION_DEFAULT, HYMG_EXTRAPOLATION_DEFAULT,
                                            HYMG_EXTRAPOLATION_LINEAR, HYMG_EXTRAPOLATION_VERTEX};
  static const char *const names[4] = {"quadratic", "quadratic", "linear", "vertex"};
  const int pick = s->widths[0] ? 2 : sample_below(s, 4);
  s->kind[SAMPLE_SCHEME] = "FV4";
  if (s->c.spec.stencil == HYMG_FV4) return;
  s->c.spec.extrapolation = all[pick];
  s->kind[SAMPLE_SCHEME] = s->widths[0] ? "widths" : names[pick];
  sample_say(s, ", %s", names[pick]);
}

/* ---- boundaries ---- */

static void set_robin(sample *s, int side)
{
  const int *n = s->c.spec.n;
  const size_t plane = s->cells / (size_t)n[side / 2];
  double ra = sample_power(s, -2, 2), rb = sample_power(s, -2, 2) * 0.05;
  const int special = sample_below(s, 6);
  if (special == 0) ra = 0;
  if (special == 1) rb = 0;
  s->c.spec.robin_alpha_constant[side] = ra;
  s->c.spec.robin_beta_constant[side] = rb;
  if (special != 2) return;
  s->c.robin_alpha[side] = sample_array(plane);
  s->c.robin_beta[side] = sample_array(plane);
  for (size_t i = 0; i < plane; i++) {
    s->c.robin_alpha[side][i] = sample_chance(s, 0.3) ? 0 : ra * sample_real(s, 0, 1);
    s->c.robin_beta[side][i] = rb * sample_real(s, 0.1, 1);
  }
  s->c.spec.robin_alpha[side] = s->c.robin_alpha[side];
  s->c.spec.robin_beta[side] = s->c.robin_beta[side];
}

static void draw_boundaries(sample *s)
{
  static const hymg_boundary all[4] = {HYMG_DIRICHLET, HYMG_NEUMANN, HYMG_ROBIN, HYMG_PERIODIC};
  const int kinds = s->c.spec.stencil == HYMG_FV4 ? 2 : 3;
  const int mix = sample_below(
      s, s->plain ? 6 : 10); /* 0-2: Dirichlet, 3-4: Neumann, 5: periodic, else mixed */
  bool same = mix < 6;
  s->kind[SAMPLE_BOUNDARY] = mix < 3    ? "Dirichlet"
                             : mix < 5  ? "Neumann"
                             : mix == 5 ? "periodic"
                                        : "mixed";
  sample_say(s, ", boundaries");
  for (int d = 0; d < 3; d++) {
    const bool periodic = same ? mix == 5 : sample_chance(s, 0.2);
    for (int side = 2 * d; side < 2 * d + 2; side++) {
      hymg_boundary *b = &s->c.spec.boundary[side];
      *b = s->plain && s->c.spec.n[d] == 1 ? HYMG_NEUMANN
           : periodic                      ? HYMG_PERIODIC
           : same                          ? all[mix < 3 ? 0 : 1]
                                           : all[sample_below(s, kinds)];
      if (*b == HYMG_ROBIN) set_robin(s, side);
      sample_say(s, "%s%c", side % 2 ? "" : " ", "dpnr"[*b]);
    }
  }
}

/* ---- options ---- */

static void draw_method(sample *s)
{
  hymg_options *o = &s->o;
  const int method = sample_below(s, 10), path = sample_below(s, 4);
  o->method = method < 5 ? HYMG_MG : method < 8 ? HYMG_MGPCG : HYMG_FMG;
  o->path = path == 1 && !s->widths[0] ? HYMG_PATH_STANDARD
            : path == 2                ? HYMG_PATH_ROBUST
                                       : HYMG_PATH_AUTO;
  if (o->method == HYMG_FMG && o->path == HYMG_PATH_ROBUST) o->path = HYMG_PATH_AUTO;
  if (o->method != HYMG_FMG && sample_chance(s, 0.3)) o->cycle = HYMG_CYCLE_W;
  if (o->method == HYMG_MG && sample_chance(s, 0.2)) o->cycle = HYMG_CYCLE_F;
  if (o->path == HYMG_PATH_ROBUST) o->cycle = HYMG_CYCLE_DEFAULT;
  if (sample_chance(s, 0.4)) o->smoother = (hymg_smoother)sample_below(s, 5);
  if (sample_chance(s, 0.3)) o->transfer = (hymg_transfer)sample_below(s, 4);
  if (sample_chance(s, 0.3)) o->norm = HYMG_NORM_2;
  if (sample_chance(s, 0.5)) o->rtol = sample_power(s, -12, -6);
}

static void say_options(sample *s)
{
  const hymg_options *o = &s->o;
  static const char *const methods[3] = {"fmg", "mg", "mgpcg"}, *const cycles[3] = {"v", "w", "f"};
  static const char *const smoothers[5] = {"gsrb", "chebyshev", "jacobi", "l1jacobi", "symgs"};
  static const char *const transfers[4] = {"auto", "constant", "weighted", "tensor"};
  sample_say(s, "; method=%s path=%s cycle=%s smoother=%s transfer=%s norm=%s rtol=%.3g",
             methods[o->method], hymg_path_name(o->path), o->cycle < 0 ? "auto" : cycles[o->cycle],
             smoothers[o->smoother], transfers[o->transfer], o->norm == HYMG_NORM_2 ? "2" : "max",
             o->rtol);
}

static void draw_options(sample *s)
{
  hymg_options *o = &s->o;
  *o = hymg_options_default();
  o->method = HYMG_MG;
  o->tuning = HYMG_TUNE_ESTIMATE;
  s->defaults = s->plain || sample_chance(s, 0.5);
  if (!s->defaults)
    draw_method(s);
  else if (sample_chance(s, 0.3))
    o->path = HYMG_PATH_ROBUST;
  const bool allowed = o->method != HYMG_FMG && o->cycle != HYMG_CYCLE_F;
  o->initial_guess = allowed && !s->plain && sample_chance(s, 0.2);
  if (s->defaults)
    sample_say(s, "; default options%s", o->path == HYMG_PATH_ROBUST ? " but path=robust" : "");
  else
    say_options(s);
}

/* Boxes of at least 2 cells, even ones where all sides are even. FV4 needs 3, and 4 on the robust path, which moves
 * cuts to even cells. */
static void draw_boxes(sample *s)
{
  const int *n = s->c.spec.n;
  const int least = s->c.spec.stencil == HYMG_FV2 ? 2 : s->o.path == HYMG_PATH_STANDARD ? 3 : 4;
  const bool even = n[0] % 2 == 0 && n[1] % 2 == 0 && n[2] % 2 == 0;
  for (int d = 0; d < 3; d++) {
    s->boxes[d] = 1;
    for (int count = 2; count < 5; count++) {
      const bool fits = n[d] % count == 0 && n[d] / count >= least;
      if (fits && !(even && n[d] / count % 2) && sample_chance(s, 0.5)) s->boxes[d] = count;
    }
  }
}

static void draw_guess(sample *s)
{
  const double size = sample_power(s, -2, 1), offset = sample_chance(s, 0.5) ? 101325 : 0;
  if (!s->o.initial_guess) return;
  s->guess = sample_array(s->cells);
  for (size_t i = 0; i < s->cells; i++)
    s->guess[i] = s->scale * (sample_real(s, -size, size) + offset);
  sample_say(s, "; guess random within %.2g plus %g, times the scale", size, offset);
}

sample sample_of(uint64_t seed, int number)
{
  sample s = {.threads = 1, .state = seed * 0x100000001b3u + (uint64_t)number};
  oracle_spec *spec = &s.c.spec;
  sample_real(&s, 0, 1);
  *spec = oracle_spec_default(1);
  s.plain = sample_chance(&s, 0.25);
  spec->stencil = sample_chance(&s, 0.1) ? HYMG_FV4 : HYMG_FV2;
  sample_say(&s, "seed %llu number %d: ", (unsigned long long)seed, number);
  draw_shape(&s);
  draw_widths(&s);
  draw_extrapolation(&s);
  draw_boundaries(&s);
  sample_coefficients(&s);
  sample_source(&s);
  draw_options(&s);
  draw_guess(&s);
  draw_boxes(&s);
  return s;
}

void sample_free(sample *s)
{
  support_case_free(&s->c);
  for (int d = 0; d < 3; d++)
    free(s->widths[d]);
  free(s->f);
  free(s->guess);
}
