/* Communication-avoiding BiCGStab (Carson, Knight, Demmel 2013) and CG (Hoemmen 2010; Carson 2015),
 * not preconditioned. A block of s steps computes powers of A on p and r, V = (p, Ap, ..., r, Ar,
 * ...), and their Gram matrix V^T V; the steps then operate on the coefficients of x, r, p in V,
 * where A is a shift. s telescopes 1, 2, 4. Powers are divided by a power of two near |A|, which is
 * exact and keeps A^8 in range. Within a block only the 2-norm of r is known (from the Gram
 * matrix); it is an upper bound of the max norm, which is computed from r itself after each block.
 *
 * Part of krylov.c. */
#ifndef HYMGI_MULTIGRID_KRYLOV_AVOIDING_H
#define HYMGI_MULTIGRID_KRYLOV_AVOIDING_H

#include "base/exact_sum.h"
#include "multigrid/krylov/krylov.h"

enum { MAX_BASIS = HYMGI_CABICGSTAB_BASIS };

typedef enum outcome { GO_ON, END_BLOCK, BREAKDOWN } outcome;

/* The data of a block of steps. */
typedef struct basis {
  double gram[MAX_BASIS][MAX_BASIS], shadow[MAX_BASIS]; /* V^T V and V^T f */
  double x[MAX_BASIS], r[MAX_BASIS], p[MAX_BASIS];      /* coefficients in V */
  double ap[MAX_BASIS], as[MAX_BASIS], gram_w[MAX_BASIS];
  outcome result;
} basis;

/* V. */
typedef struct powers {
  /* the powers of p come first, then those of r; p_count is the number of the former */
  int count, p_count;
  double scale, target; /* V[i] = A V[i - 1] / scale */
  double *p, *r;        /* V[0], V[p_count] */
} powers;

/* Sets b->gram and, if shadow, b->shadow. */
static void krylov_products(const hymgi_level *level, const powers *w, bool shadow, basis *b);

/* V[i]: p, r, or a scratch vector. */
static double *power(const hymgi_level *level, const powers *w, int i)
{
  return i == 0            ? w->p
         : i == w->p_count ? w->r
                           : hymgi_krylov_vector(level, (int)((unsigned)i + (i < w->p_count)));
}

static double inner(const powers *w, const double *u, const double *v)
{
  double sum = 0.0;
  for (int i = 0; i < w->count; i++)
    sum += u[i] * v[i];
  return sum;
}

/* The dot product of the vectors with coefficients u and v. */
static double form(const powers *w, basis *b, const double *u, const double *v)
{
  for (int i = 0; i < w->count; i++)
    b->gram_w[i] = inner(w, b->gram[i], v);
  return inner(w, u, b->gram_w);
}

/* out: the coefficients of A / scale times the vector with coefficients c, in which the highest
 * powers must be 0. Steps are then `scale` times those of A, which only x has to know; products stay
 * in range whatever the size of A. */
static void shift(const powers *w, const double *c, double *out)
{
  for (int i = 0; i < w->count; i++)
    out[i] = i == 0 || i == w->p_count ? 0.0 : c[i - 1];
}

/* z = u + a v, on coefficients */
static void update(const powers *w, const double *u, double a, const double *v, double *z)
{
  for (int i = 0; i < w->count; i++)
    z[i] = u[i] + a * v[i];
}

static bool is_small(const powers *w, basis *b)
{
  return !(form(w, b, b->r, b->r) > w->target * w->target);
}

static outcome bicgstab_step(const powers *w, basis *b)
{
  const double rho = inner(w, b->shadow, b->r);
  shift(w, b->p, b->ap);
  const double projection = inner(w, b->shadow, b->ap);
  const double alpha = rho / projection;
  if (!hymgi_krylov_usable(projection) || !hymgi_krylov_usable(alpha)) return BREAKDOWN;
  update(w, b->x, alpha / w->scale, b->p, b->x);
  update(w, b->r, -alpha, b->ap, b->r);
  if (is_small(w, b)) { /* should rounding require another block, it restarts from r */
    update(w, b->r, 0.0, b->r, b->p);
    return END_BLOCK;
  }
  shift(w, b->r, b->as);
  const double square = form(w, b, b->as, b->as);
  const double omega = form(w, b, b->as, b->r) / square;
  if (!hymgi_krylov_usable(square) || !hymgi_krylov_usable(omega)) return BREAKDOWN;
  update(w, b->x, omega / w->scale, b->r, b->x);
  update(w, b->r, -omega, b->as, b->r);
  const double beta = inner(w, b->shadow, b->r) / rho * (alpha / omega);
  if (!hymgi_krylov_usable(beta)) return BREAKDOWN;
  update(w, b->p, -omega, b->ap, b->p);
  update(w, b->r, beta, b->p, b->p);
  return is_small(w, b) ? END_BLOCK : GO_ON;
}

static outcome cg_step(const powers *w, basis *b)
{
  const double rho = form(w, b, b->r, b->r);
  shift(w, b->p, b->ap);
  const double energy = form(w, b, b->p, b->ap);
  const double alpha = rho / energy;
  if (!hymgi_krylov_usable(energy) || !hymgi_krylov_usable(alpha)) return BREAKDOWN;
  update(w, b->x, alpha / w->scale, b->p, b->x);
  update(w, b->r, -alpha, b->ap, b->r);
  const double beta = form(w, b, b->r, b->r) / rho;
  if (!hymgi_krylov_usable(beta)) return BREAKDOWN;
  update(w, b->r, beta, b->p, b->p);
  return is_small(w, b) ? END_BLOCK : GO_ON;
}

/* The power of two below max |A v| / max |v|; 1 if that is not usable. */
static double power_scale(const hymgi_level *level, const double *v, const double *av)
{
  const double ratio = hymgi_norm_max(level, av) / hymgi_norm_max(level, v);
  if (!hymgi_krylov_usable(ratio)) return 1.0;
  const int exponent = hymgi_exponent_above(ratio) - 1;
  return hymgi_power_of_two(exponent < -1022 ? -1022 : exponent);
}

/* Computes V from p and r. The first block also determines the scale. */
static void build_powers(const hymgi_level *level, powers *w)
{
  for (int i = 1; i < w->count; i++) {
    if (i == w->p_count) continue;
    double *const below = power(level, w, i - 1), *const v = power(level, w, i);
    hymgi_apply(level, below, v);
    if (w->scale == 0.0) w->scale = power_scale(level, below, v);
    hymgi_axpby(level, 1.0 / w->scale, v, 0.0, v, v);
  }
}

/* out = V c, plus out if add. out must not be part of V, unless it is x. */
static void combine(const hymgi_level *level, const powers *w, const double *c, bool add,
                    double *out)
{
  bool started = add;
  for (int i = 0; i < w->count; i++) {
    if (c[i] == 0.0) continue;
    const double *const v = power(level, w, i);
    if (started)
      hymgi_axpby(level, c[i], v, 1.0, out, out);
    else
      hymgi_axpby(level, c[i], v, 0.0, v, out);
    started = true;
  }
  if (!started) hymgi_fill(level, 0.0, out);
}

/* Computes V c in the spare vector, which replaces v, while v becomes the spare one. V itself is
 * not changed. */
static double *replacement(const hymgi_level *level, const powers *w, const double *c, double *v,
                           double **spare)
{
  double *const made = *spare;
  combine(level, w, c, false, made);
  *spare = v;
  return made;
}

static void take_steps(const powers *w, int steps, bool stabilised, basis *b)
{
  for (int i = 0; i < w->count; i++) {
    b->x[i] = 0.0;
    b->p[i] = i == 0;
    b->r[i] = i == w->p_count;
  }
  outcome result = GO_ON;
  for (int j = 0; j < steps && result == GO_ON; j++)
    result = stabilised ? bicgstab_step(w, b) : cg_step(w, b);
  b->result = result;
}

/* s steps need `degree` * s powers of p and one fewer of r. */
static void avoiding(hymgi_level *level, double target, bool stabilised, basis *b)
{
  const int degree = stabilised ? 2 : 1, spare = 2 * degree * HYMGI_CA_STEPS + 1;
  double *spare_p = hymgi_krylov_vector(level, spare),
         *spare_r = hymgi_krylov_vector(level, spare + 1);
  powers w = {0, 0, 0.0, target, hymgi_krylov_vector(level, 0), hymgi_krylov_vector(level, 1)};
  hymgi_copy_vector(level, level->f, w.r);
  if (krylov_singular(level)) hymgi_remove_mean(level, w.r);
  hymgi_copy_vector(level, w.r, w.p);
  int steps = 1;
  for (int done = 0; done < HYMGI_BOTTOM_ITERATIONS; done += steps) {
    if (done > 0 && steps < HYMGI_CA_STEPS) steps *= 2;
    if (steps > HYMGI_BOTTOM_ITERATIONS - done) steps = HYMGI_BOTTOM_ITERATIONS - done;
    w.p_count = degree * steps + 1;
    w.count = 2 * degree * steps + 1;
    build_powers(level, &w);
    krylov_products(level, &w, stabilised, b);
    take_steps(&w, steps, stabilised, b);
    combine(level, &w, b->x, true, level->x);
    if (b->result == BREAKDOWN) return;
    double *const r = replacement(level, &w, b->r, w.r, &spare_r);
    if (krylov_singular(level)) hymgi_remove_mean(level, r);
    if (!(hymgi_norm_max(level, r) > target)) return;
    w.p = replacement(level, &w, b->p, w.p, &spare_p);
    w.r = r;
  }
}

#endif
