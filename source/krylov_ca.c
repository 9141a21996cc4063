/* Communication-avoiding BiCGStab (Carson, Knight, Demmel 2013) and CG (Hoemmen 2010; Carson
 * 2015), not preconditioned. A block of s steps builds powers of A on p and r, V = (p, Ap, ...,
 * r, Ar, ...), and their Gram matrix V^T V; the steps then work on the coefficients of x, r, p
 * in V, where A is a shift. s telescopes 1, 2, 4. Powers are divided by a power of two near |A|,
 * which rounds nothing and keeps A^8 in range. Within a block only the 2-norm of r is known
 * (from the Gram matrix); it bounds the max norm, which is tested on r itself after each block. */
#include "krylov.h"

enum { MAX_BASIS = HYMGI_CABICGSTAB_BASIS };

typedef struct basis {
  int count, p_count;   /* powers of p come first, those of r follow; p_count is theirs */
  double scale, target; /* V[i] = A V[i - 1] / scale */
  double *v[MAX_BASIS];
  double gram[MAX_BASIS][MAX_BASIS], shadow[MAX_BASIS]; /* V^T V and V^T f */
  double x[MAX_BASIS], r[MAX_BASIS], p[MAX_BASIS];      /* coefficients in V */
} basis;

typedef enum outcome { GO_ON, END_BLOCK, BREAKDOWN } outcome;

typedef outcome (*step_function)(basis *b);

/* What tells the two solvers apart. In s steps r and p reach `degree` * s powers of p and one
 * less of r. */
typedef struct scheme {
  int degree, basis;
  bool shadow;
  step_function step;
} scheme;

static double inner(const basis *b, const double *u, const double *w)
{
  double sum = 0.0;
  for (int i = 0; i < b->count; i++)
    sum += u[i] * w[i];
  return sum;
}

/* The dot product of the vectors with coefficients u and w. */
static double form(const basis *b, const double *u, const double *w)
{
  double sum = 0.0;
  for (int i = 0; i < b->count; i++)
    sum += u[i] * inner(b, b->gram[i], w);
  return sum;
}

/* out: the coefficients of A times the vector of c, whose highest powers must be unused. */
static void shift(const basis *b, const double *c, double *out)
{
  for (int i = 0; i < b->count; i++)
    out[i] = i == 0 || i == b->p_count ? 0.0 : b->scale * c[i - 1];
}

/* w = u + a w2, on coefficients */
static void update(const basis *b, const double *u, double a, const double *w2, double *w)
{
  for (int i = 0; i < b->count; i++)
    w[i] = u[i] + a * w2[i];
}

static bool is_small(const basis *b)
{
  return !(form(b, b->r, b->r) > b->target * b->target);
}

static outcome bicgstab_step(basis *b)
{
  double ap[MAX_BASIS], as[MAX_BASIS];
  const double rho = inner(b, b->shadow, b->r);
  shift(b, b->p, ap);
  const double projection = inner(b, b->shadow, ap);
  const double alpha = rho / projection;
  if (!hymgi_krylov_usable(projection) || !hymgi_krylov_usable(alpha)) return BREAKDOWN;
  update(b, b->x, alpha, b->p, b->x);
  update(b, b->r, -alpha, ap, b->r);
  if (is_small(b)) { /* a next block, if rounding asks for one, starts afresh from r */
    update(b, b->r, 0.0, b->r, b->p);
    return END_BLOCK;
  }
  shift(b, b->r, as);
  const double square = form(b, as, as);
  const double omega = form(b, as, b->r) / square;
  if (!hymgi_krylov_usable(square) || !hymgi_krylov_usable(omega)) return BREAKDOWN;
  update(b, b->x, omega, b->r, b->x);
  update(b, b->r, -omega, as, b->r);
  const double beta = inner(b, b->shadow, b->r) / rho * (alpha / omega);
  if (!hymgi_krylov_usable(beta)) return BREAKDOWN;
  update(b, b->p, -omega, ap, b->p);
  update(b, b->r, beta, b->p, b->p);
  return is_small(b) ? END_BLOCK : GO_ON;
}

static outcome cg_step(basis *b)
{
  double ap[MAX_BASIS];
  const double rho = form(b, b->r, b->r);
  shift(b, b->p, ap);
  const double energy = form(b, b->p, ap);
  const double alpha = rho / energy;
  if (!hymgi_krylov_usable(energy) || !hymgi_krylov_usable(alpha)) return BREAKDOWN;
  update(b, b->x, alpha, b->p, b->x);
  update(b, b->r, -alpha, ap, b->r);
  const double beta = form(b, b->r, b->r) / rho;
  if (!hymgi_krylov_usable(beta)) return BREAKDOWN;
  update(b, b->r, beta, b->p, b->p);
  return is_small(b) ? END_BLOCK : GO_ON;
}

/* A power of two near max |A v| / max |v|; 1 where that says nothing. */
static double power_scale(const hymgi_level *level, const double *v, const double *av)
{
  const double ratio = hymgi_norm_max(level, av) / hymgi_norm_max(level, v);
  return hymgi_krylov_usable(ratio) ? exp2(floor(log2(ratio))) : 1.0;
}

/* V from p = v[0] and r = v[p_count]. The first block, which has no scale yet, finds it. */
static void build_powers(const hymgi_level *level, basis *b)
{
  for (int i = 1; i < b->count; i++) {
    if (i == b->p_count) continue;
    hymgi_apply(level, b->v[i - 1], b->v[i]);
    if (b->scale == 0.0) b->scale = power_scale(level, b->v[i - 1], b->v[i]);
    hymgi_axpby(level, 1.0 / b->scale, b->v[i], 0.0, b->v[i], b->v[i]);
  }
}

static void build_products(const hymgi_level *level, bool with_shadow, basis *b)
{
  const double *left[HYMGI_MAX_DOTS], *right[HYMGI_MAX_DOTS];
  double dot[HYMGI_MAX_DOTS];
  int count = 0;
  for (int i = 0; i < b->count; i++)
    for (int j = 0; j <= i; j++, count++)
      left[count] = b->v[i], right[count] = b->v[j];
  for (int i = 0; with_shadow && i < b->count; i++, count++)
    left[count] = b->v[i], right[count] = level->f;
  hymgi_dots(level, count, left, right, dot);
  count = 0;
  for (int i = 0; i < b->count; i++)
    for (int j = 0; j <= i; j++, count++)
      b->gram[i][j] = b->gram[j][i] = dot[count];
  for (int i = 0; i < b->count; i++) {
    b->shadow[i] = with_shadow ? dot[count++] : 0.0;
    b->x[i] = 0.0;
    b->p[i] = i == 0;
    b->r[i] = i == b->p_count;
  }
}

/* out = a out + V c; out is none of V unless it is x. */
static void combine(const hymgi_level *level, const basis *b, const double *c, bool add,
                    double *out)
{
  bool started = add;
  for (int i = 0; i < b->count; i++) {
    if (c[i] == 0.0) continue;
    if (started)
      hymgi_axpby(level, c[i], b->v[i], 1.0, out, out);
    else
      hymgi_axpby(level, c[i], b->v[i], 0.0, b->v[i], out);
    started = true;
  }
  if (!started) hymgi_fill(level, 0.0, out);
}

/* *v becomes V c in the spare vector, which takes its place; V itself stays as it is. */
static void replace(const hymgi_level *level, const basis *b, const double *c, double **v,
                    double **spare)
{
  double *old = *v;
  combine(level, b, c, false, *spare);
  *v = *spare;
  *spare = old;
}

/* Shares out the vectors: V over p, r and the pool. */
static void place_powers(const scheme *s, int steps, double *p, double *r, double *pool[], basis *b)
{
  b->p_count = s->degree * steps + 1;
  b->count = 2 * s->degree * steps + 1;
  for (int i = 0; i < b->count; i++)
    b->v[i] = i == 0 ? p : i == b->p_count ? r : *pool++;
}

static outcome take_steps(const scheme *s, int steps, basis *b)
{
  outcome result = GO_ON;
  for (int j = 0; j < steps && result == GO_ON; j++)
    result = s->step(b);
  return result;
}

static void solve(hymgi_level *level, double target, const scheme *s)
{
  double *pool[MAX_BASIS];
  for (int i = 2; i < s->basis; i++)
    pool[i - 2] = hymgi_krylov_vector(level, i);
  double *p = hymgi_krylov_vector(level, 0), *r = hymgi_krylov_vector(level, 1);
  double *spare_p = hymgi_krylov_vector(level, s->basis);
  double *spare_r = hymgi_krylov_vector(level, s->basis + 1);
  basis b = {.target = target};
  hymgi_copy_vector(level, level->f, r);
  if (level->method->singular) hymgi_remove_mean(level, r);
  hymgi_copy_vector(level, r, p);
  int steps = 1;
  for (int done = 0; done < HYMGI_BOTTOM_ITERATIONS; done += steps) {
    if (done > 0 && steps < HYMGI_CA_STEPS) steps *= 2;
    if (steps > HYMGI_BOTTOM_ITERATIONS - done) steps = HYMGI_BOTTOM_ITERATIONS - done;
    place_powers(s, steps, p, r, pool, &b);
    build_powers(level, &b);
    build_products(level, s->shadow, &b);
    const outcome result = take_steps(s, steps, &b);
    combine(level, &b, b.x, true, level->x);
    if (result == BREAKDOWN) return;
    replace(level, &b, b.r, &r, &spare_r);
    if (level->method->singular) hymgi_remove_mean(level, r);
    if (!(hymgi_norm_max(level, r) > target)) return;
    replace(level, &b, b.p, &p, &spare_p);
  }
}

void hymgi_cabicgstab(hymgi_level *level, double target)
{
  solve(level, target, &(scheme){2, HYMGI_CABICGSTAB_BASIS, true, bicgstab_step});
}

void hymgi_cacg(hymgi_level *level, double target)
{
  solve(level, target, &(scheme){1, HYMGI_CACG_BASIS, false, cg_step});
}
