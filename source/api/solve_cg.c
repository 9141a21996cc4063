/* MGPCG on the standard path: conjugate gradients, one V- or W-cycle from zero as preconditioner. */
#include <math.h>

#include "api/solver.h"
#include "multigrid/level_ops.h"

typedef struct cg_state {
  double *u, *r, *p, *w;
  int scale; /* u and r are 2^scale times the user's */
  double rz;
} cg_state;

/* level->x = M^-1 r; norm: the order of magnitude of r */
static void precondition(hymg_solver *solver, int l, double *r, double norm)
{
  hymgi_level *level = solver->h.level + l;
  const hymg_cycle cycle = solver->h.options.cycle == HYMG_CYCLE_W ? HYMG_CYCLE_W : HYMG_CYCLE_V;
  if (solver->mixed) {
    const int exponent = hymgi_mixed_exponent(norm);
    hymgi_mixed_load(&solver->h, l, exponent, r);
    hymgi_mixed_cycle(&solver->h, cycle, l, exponent, false);
  } else {
    level->f = r;
    hymgi_fill(level, 0, level->x);
    hymgi_run_cycle(&solver->h, cycle, l);
  }
  if (solver->h.method.singular && level->num_boxes) hymgi_remove_mean(level, level->x);
}

/* One step, with r z; in the first p = z. */
static double cg_step(const hymg_solver *solver, hymgi_level *level, cg_state *s, double rz,
                      bool first)
{
  const double *const z = level->x;
  hymgi_axpby(level, 1, z, first ? 0 : rz / s->rz, first ? z : s->p, s->p);
  s->rz = rz;
  hymgi_apply(level, s->p, s->w);
  const double pw = hymgi_dot(level, s->p, s->w), alpha = rz == 0 ? 0 : rz / pw;
  hymgi_axpby(level, alpha, s->p, 1, s->u, s->u);
  hymgi_axpby(level, -alpha, s->w, 1, s->r, s->r);
  return ldexp(hymgi_norm(solver, level, s->r), -s->scale);
}

/* level->x = z = M^-1 r; returns r z. In single precision z may not be finite: then in double. */
static double preconditioned(hymg_solver *solver, int l, const cg_state *s, double norm)
{
  hymgi_level *level = solver->h.level + l;
  precondition(solver, l, s->r, norm);
  double rz = hymgi_known_by_all(level, level->num_boxes ? hymgi_dot(level, s->r, level->x) : 0);
  if (isfinite(rz) || !solver->mixed) return rz;
  hymgi_mixed_leave(solver, "a correction in single precision was not finite");
  precondition(solver, l, s->r, norm);
  return hymgi_known_by_all(level, level->num_boxes ? hymgi_dot(level, s->r, level->x) : 0);
}

/* u, and r = f - A u */
static void begin_cg(const hymg_solver *solver, hymgi_level *level, cg_state *s)
{
  const double factor = ldexp(1, s->scale);
  const double *f = level->f;
  if (s->scale) hymgi_axpby(level, factor, f, 0, f, s->w), f = s->w;
  if (!solver->h.options.initial_guess) {
    hymgi_fill(level, 0, s->u);
    hymgi_copy_vector(level, f, s->r);
    return;
  }
  if (s->scale) hymgi_axpby(level, factor, s->u, 0, s->u, s->u);
  hymgi_residual(level, f, s->u, s->r);
}

static double *cg_vectors(const hymg_solver *solver, const hymgi_level *level)
{
  const bool bottom = level->index == solver->h.num_levels - 1;
  return level->krylov +
         (bottom ? hymgi_bottom_vectors(solver->h.options.bottom) : 0) * level->vector_size;
}

hymg_status hymgi_cg_solve(hymg_solver *solver, int l, hymg_reason *reason)
{
  hymgi_level *level = solver->h.level + l;
  const ptrdiff_t size =
      level->vector_size; /* on a rank that holds nothing, 0 like all vectors here */
  double *const first = size ? cg_vectors(solver, level) : level->x;
  cg_state s = {.u = level->x,
                .r = first,
                .p = first + size,
                .w = first + 2 * size,
                .scale = hymgi_scale_for(solver->rhs_max)};
  bool stop = false, again;
  double norm = solver->rhs_max;
  begin_cg(solver, level, &s);
  level->x = first + 3 * size;
  do {
    const double rz = preconditioned(solver, l, &s, ldexp(norm, s.scale));
    norm = level->num_boxes ? cg_step(solver, level, &s, rz, solver->records == 0) : 0;
    norm = hymgi_known_by_all(level, norm);
    TRY(hymgi_record(solver, HYMG_KIND_CG, norm, &stop));
  } while (hymgi_mixed_goes_on(solver, stop, reason, &again));
  level->x = s.u;
  if (s.scale) hymgi_axpby(level, ldexp(1, -s.scale), s.u, 0, s.u, s.u);
  if (solver->h.method.singular && level->num_boxes) hymgi_remove_mean(level, level->x);
  return HYMG_OK;
}
