/* The bottom solve: by the backend in one launch if it can, else by the methods of
 * methods.h, one level operation at a time. */
#include "multigrid/krylov/krylov.h"

#define KRYLOV_METHOD static

typedef hymgi_level krylov_level;

static bool krylov_singular(const hymgi_level *level)
{
  return level->method->singular;
}

static double krylov_goal(const hymgi_level *level)
{
  return level->method->bottom_goal;
}

#include "multigrid/krylov/avoiding.h"
#include "multigrid/krylov/methods.h"

static void krylov_products(const hymgi_level *level, const powers *w, bool shadow, basis *b)
{
  const double *left[HYMGI_MAX_DOTS] = {NULL}, *right[HYMGI_MAX_DOTS] = {NULL};
  double dot[HYMGI_MAX_DOTS];
  int count = 0;
  for (int i = 0; i < w->count; i++)
    for (int j = 0; j <= i; j++, count++)
      left[count] = power(level, w, i), right[count] = power(level, w, j);
  for (int i = 0; shadow && i < w->count; i++, count++)
    left[count] = power(level, w, i), right[count] = level->f;
  hymgi_dots(level, count, left, right, dot);
  count = 0;
  for (int i = 0; i < w->count; i++)
    for (int j = 0; j <= i; j++, count++)
      b->gram[i][j] = b->gram[j][i] = dot[count];
  for (int i = 0; shadow && i < w->count; i++, count++)
    b->shadow[i] = dot[count];
}

/* An iteration is one smoother call. It may swap level->x and level->y. */
static void smoother(hymgi_level *level, double target)
{
  for (int i = 0; i < HYMGI_BOTTOM_ITERATIONS; i++) {
    hymgi_smooth(level);
    if (!(hymgi_residual_norm(level, level->f, level->x) > target)) return;
  }
}

/* The same number of smoother calls from 0, whatever f is. */
static void sweeps(hymgi_level *level)
{
  hymgi_fill(level, 0.0, level->x);
  for (int i = 0; i < HYMGI_BOTTOM_CALLS; i++)
    hymgi_smooth(level);
}

static void solve_bottom(hymgi_level *level, hymg_bottom bottom)
{
  double target;
  basis b;
  if (bottom == HYMG_BOTTOM_SWEEPS) {
    sweeps(level);
    return;
  }
  if (!begin_bottom(level, &target)) return;
  if (bottom == HYMG_BICGSTAB)
    bicgstab(level, target);
  else if (bottom == HYMG_CG)
    cg(level, target);
  else if (bottom == HYMG_BOTTOM_SMOOTHER)
    smoother(level, target);
  else
    avoiding(level, target, bottom == HYMG_CABICGSTAB, &b);
}

/* The robust path's coarsest level: a single cell, or cells that are not coupled. */
static void solve_cells(hymgi_level *level)
{
  if (level->method->singular)
    hymgi_fill(level, 0, level->x);
  else
    hymgi_precondition(level, level->f, level->x);
}

void hymgi_bottom_solve(hymgi_level *level, hymg_bottom bottom)
{
  if (level->transfer->to_cells) {
    solve_cells(level);
    return;
  }
  const hymgi_backend *backend = level->backend;
  double *const x = level->x;
  const bool fixed = bottom == HYMG_BOTTOM_SWEEPS; /* nothing depends on results */
  if (backend->bottom && backend->bottom(level, bottom)) return;
  if (!fixed && backend->stepwise) backend->stepwise(level->context, true);
  solve_bottom(level, bottom);
  if (level->x != x) { /* captured graphs that follow use the address of the original buffer */
    hymgi_copy_vector(level, level->x, x);
    level->y = level->x;
    level->x = x;
  }
  if (!fixed && backend->stepwise) backend->stepwise(level->context, false);
}

int hymgi_bottom_vectors(hymg_bottom bottom)
{
  static const int vectors[] = {[HYMG_BICGSTAB] = HYMGI_BICGSTAB_VECTORS,
                                [HYMG_CG] = HYMGI_KRYLOV_CG_VECTORS,
                                [HYMG_CABICGSTAB] = HYMGI_CABICGSTAB_BASIS + HYMGI_CA_SPARE,
                                [HYMG_CACG] = HYMGI_CACG_BASIS + HYMGI_CA_SPARE,
                                [HYMG_BOTTOM_SMOOTHER] = 0,
                                [HYMG_BOTTOM_SWEEPS] = 0};
  const bool known = bottom >= HYMG_BICGSTAB && bottom <= HYMG_BOTTOM_SWEEPS;
  return known ? vectors[bottom] : 0;
}
