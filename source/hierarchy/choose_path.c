/* The choice of the path: by stencil, grid and method, then by the coefficients. */
#include "hierarchy/path.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "multigrid/level_ops.h"
#include "problem/coordinates.h"

/* MOST_ALONE: cells of a grid of which the standard path would have one level alone, with FV2 (with FV4
 * the robust path refuses some boxes that the standard path takes) */
enum { MOST_COARSEST = 8192, LONGEST_COARSEST = 64, MOST_ALONE = 64 };
/* Cells of a plane or line that the bottom solver alone solves for FMG. */
enum { MOST_FLAT = 512 };
#define ALIKE         0.5  /* coupling of an axis over the largest one */
#define SURELY_ALIKE  0.51 /* however it is rounded */
#define SMOOTH        4    /* largest ratio of neighbouring betas */
#define SURELY_SMOOTH 3.99 /* largest over least beta: neighbours are smooth, however rounded */
#define SMOOTH_RANGE  16   /* of all betas: more mostly comes from jumps */
#define SMOOTH_ALPHA  1.5  /* likewise of alphas, each with the coupling of the two cells */
/* Robust path: most that a cell may be coupled along other axes over its coupling along one that is halved */
#define LOCAL 100

static void decide(hymgi_path_choice *choice, hymg_path path, const char *why)
{
  choice->path = path;
  snprintf(choice->why, sizeof choice->why, "%s", why);
}

/* FV4's standard path has periodic and homogeneous Dirichlet boundaries alone. */
static bool needs_robust_boundaries(const hymgi_hierarchy *h)
{
  bool needs = false;
  for (int face = 0; h->kind->stencil == HYMG_FV4 && face < 6; face++)
    needs = needs || hymgi_boundary_kind_of(h->op->grid->desc.boundary[face]).gives_flux ||
            hymgi_has_values(h->op, face);
  return needs;
}

bool hymgi_path_heeds_alpha(const hymgi_hierarchy *h)
{
  return h->op->desc.stencil == HYMG_FV4 && h->method.variable_alpha &&
         h->options.method != HYMG_FMG;
}

/* Faces of beta 0. */
static hymg_status check_mask(const hymgi_hierarchy *h)
{
  if (h->options.path == HYMG_PATH_STANDARD)
    return hymgi_fail(h->context, HYMG_EUNSUPPORTED,
                      "faces of beta 0 on path standard: path robust (or auto) only");
  if (h->op->desc.extrapolation == HYMG_EXTRAPOLATION_QUADRATIC)
    return hymgi_fail(
        h->context, HYMG_EUNSUPPORTED,
        "extrapolation quadratic with faces of beta 0: linear (default) or vertex only");
  return HYMG_OK;
}

/* The user has fixed the path, or only one is possible. */
static hymg_status fixed(const hymgi_hierarchy *h, hymgi_path_choice *choice)
{
  const hymg_grid_desc *d = &h->op->grid->desc;
  const hymg_path wanted = h->options.path;
  const bool curved = hymgi_is_curved(d), widths = hymgi_is_stretched(d);
  const char *const grid = curved ? "a curved grid" : "a grid with widths";
  if (widths && h->kind->stencil == HYMG_FV4)
    return hymgi_fail(h->context, HYMG_EUNSUPPORTED,
                      "FV4 on %s: straight cells of one width per axis only; use FV2", grid);
  if (h->method.masked) {
    TRY(check_mask(h));
    decide(choice, HYMG_PATH_ROBUST, "some faces have a beta of 0");
  } else if (needs_robust_boundaries(h)) {
    if (wanted == HYMG_PATH_STANDARD)
      return hymgi_fail(h->context, HYMG_EUNSUPPORTED,
                        "FV4 with Neumann boundaries or boundary data on path standard: robust "
                        "only");
    decide(choice, HYMG_PATH_ROBUST, "FV4 with Neumann boundaries or boundary data");
  } else if (h->op->desc.limiter > 0 && isfinite(h->op->desc.limiter)) {
    if (wanted == HYMG_PATH_STANDARD)
      return hymgi_fail(h->context, HYMG_EUNSUPPORTED,
                        "limiter %g on path standard: on the robust path only",
                        h->op->desc.limiter);
    decide(choice, HYMG_PATH_ROBUST, "a limiter was asked for");
  } else if (h->method.fixed) {
    if (wanted == HYMG_PATH_STANDARD)
      return hymgi_fail(h->context, HYMG_EUNSUPPORTED,
                        "fixed cells on path standard: path robust (or auto) only");
    decide(choice, HYMG_PATH_ROBUST, "there are fixed cells");
  } else if (widths) {
    if (wanted == HYMG_PATH_STANDARD)
      return hymgi_fail(h->context, HYMG_EUNSUPPORTED, "path standard on %s: robust only", grid);
    decide(choice, HYMG_PATH_ROBUST, curved ? "the grid is curved" : "the grid has widths");
  } else if (wanted != HYMG_PATH_AUTO) {
    decide(choice, wanted, "as asked");
  }
  return HYMG_OK;
}

/* coupling: of each axis; it may be 0 although there are several cells, if it is too small for a number. */
static void judge_couplings(const int n[3], const double coupling[3], char why[HYMGI_WHY])
{
  int strong = -1, weak = -1;
  for (int axis = 0; axis < 3; axis++) {
    if (n[axis] < 2) continue;
    if (strong < 0 || coupling[axis] > coupling[strong]) strong = axis;
    if (weak < 0 || coupling[axis] < coupling[weak]) weak = axis;
  }
  if (weak < 0 || coupling[weak] >= ALIKE * coupling[strong]) return;
  if (coupling[weak] == 0)
    snprintf(why, HYMGI_WHY,
             "cells are coupled along %c, but hardly along %c (standard: within a factor of 2)",
             "xyz"[strong], "xyz"[weak]);
  else
    snprintf(why, HYMGI_WHY,
             "cells are coupled %.3g times as strongly along %c as along %c (standard: below 2)",
             coupling[strong] / coupling[weak], "xyz"[strong], "xyz"[weak]);
}

/* On planes and lines the standard path has a single level, and its F-cycle is the bottom solver alone. */
static hymg_status check_fmg(const hymgi_hierarchy *h, const int coarsest[3])
{
  const int *n = h->op->grid->desc.n;
  const bool flat = n[0] == 1 || n[1] == 1 || n[2] == 1;
  if (h->options.method != HYMG_FMG || !flat || memcmp(n, coarsest, 3 * sizeof *n) != 0 ||
      (double)n[0] * n[1] * n[2] <= MOST_FLAT)
    return HYMG_OK;
  return hymgi_fail(
      h->context, HYMG_EUNSUPPORTED,
      "method fmg on %d x %d x %d cells: the standard path halves all three axes together or none, "
      "and planes and lines have one level there; use method mg (hymg-fv --solver mg)",
      n[0], n[1], n[2]);
}

bool hymgi_suits_alone(double cells)
{
  return cells <= MOST_ALONE;
}

hymg_status hymgi_path_choose(const hymgi_hierarchy *h, hymgi_path_choice *choice)
{
  const hymg_grid_desc *d = &h->op->grid->desc;
  int n[3];
  bool uneven;
  *choice = (hymgi_path_choice){.path = HYMG_PATH_AUTO};
  TRY(fixed(h, choice));
  memcpy(n, d->n, sizeof n);
  hymgi_coarsest(h->op->grid, h->kind->stencil, n, &uneven);
  if (choice->path != HYMG_PATH_ROBUST) TRY(check_fmg(h, n));
  if (choice->path != HYMG_PATH_AUTO) return HYMG_OK;
  const int longest = n[0] > n[1] ? (n[0] > n[2] ? n[0] : n[2]) : (n[1] > n[2] ? n[1] : n[2]);
  if ((double)n[0] * n[1] * n[2] > MOST_COARSEST || longest > LONGEST_COARSEST) {
    choice->path = HYMG_PATH_ROBUST;
    snprintf(choice->why, sizeof choice->why,
             "halving all axes would end at %d x %d x %d cells (standard: at most %d, %d a side)",
             n[0], n[1], n[2], MOST_COARSEST, LONGEST_COARSEST);
    return HYMG_OK;
  }
  const bool alone = h->kind->stencil == HYMG_FV2 && memcmp(n, d->n, sizeof n) == 0;
  if (alone && !hymgi_suits_alone((double)n[0] * n[1] * n[2]) && h->options.method != HYMG_FMG) {
    choice->path = HYMG_PATH_ROBUST;
    snprintf(choice->why, sizeof choice->why,
             "halving all three axes at once is not possible (standard: at most %d cells then)",
             MOST_ALONE);
    return HYMG_OK;
  }
  /* hymg_solver_need has no fields: with a variable beta it judges as with beta = 1. FMG has the
   * standard path alone */
  if (h->op->desc.beta[0] || (h->method.variable_beta && h->options.method == HYMG_FMG))
    return HYMG_OK;
  double coupling[3];
  for (int axis = 0; axis < 3; axis++)
    coupling[axis] = 1 / (d->spacing[axis] * d->spacing[axis]);
  judge_couplings(d->n, coupling, choice->why);
  if (*choice->why) choice->path = HYMG_PATH_ROBUST;
  const bool alpha = h->method.has_alpha && h->op->desc.alpha;
  if (choice->path == HYMG_PATH_AUTO && !alpha && !hymgi_path_heeds_alpha(h))
    decide(choice, HYMG_PATH_STANDARD, "it suits");
  return HYMG_OK;
}

hymg_path hymgi_path_guess(const hymgi_hierarchy *h)
{
  const bool smooth = h->options.method == HYMG_FMG || hymgi_range_ratio(h) < SMOOTH_RANGE;
  return smooth ? HYMG_PATH_STANDARD : HYMG_PATH_ROBUST;
}

/* Mean shares of the coupling on level 0. */
static hymg_status mean_couplings(const hymgi_level *level, double coupling[3])
{
  for (int axis = 0; axis < 3; axis++)
    coupling[axis] = level->num_boxes ? level->c.beta_constant[axis] : 0;
  if (level->num_boxes && level->c.beta[0]) hymgi_share_means(level, coupling);
  TRY(hymgi_agree(level->context, level->context->status));
  return hymgi_comm_max_double(level->context, level->context->comm, coupling, 3);
}

/* Do the ranges of beta tell that the mean shares of the axes are within ALIKE? In a cell the share along w is at least r
 * times that along s, r being the least coupling of a face along w over the largest one along s, and r/2 times in 2 of
 * n cells, next to boundaries. Of all cells that takes r/n from the mean along w; the largest mean is 1/3 or more. */
static bool surely_alike(const hymgi_hierarchy *h)
{
  const hymg_grid_desc *d = &h->op->grid->desc;
  bool alike = true;
  for (int m = 0; m < 9; m++) {
    const int w = m / 3, s = m % 3;
    const double widths = d->spacing[s] / d->spacing[w],
                 r = widths * widths * hymgi_range_between(h, w, s);
    alike = alike && d->n[s] > 1 && (w == s || r * (1 - 3. / d->n[w]) > SURELY_ALIKE);
  }
  return alike;
}

static hymg_status judge_beta(const hymgi_hierarchy *h, char why[HYMGI_WHY])
{
  const hymgi_level *level = h->system;
  const bool varies = level->num_boxes && level->c.beta[0];
  if (hymgi_range_ratio(h) < SURELY_SMOOTH) return HYMG_OK;
  double step = varies ? level->backend->robust->largest_step(level) : 1;
  TRY(hymgi_agree(h->context, h->context->status));
  TRY(hymgi_comm_max_double(h->context, h->context->comm, &step, 1));
  if (step > SMOOTH)
    snprintf(why, HYMGI_WHY,
             "beta of neighbouring faces differs by a factor of %.3g (standard: at most %d)", step,
             SMOOTH);
  return HYMG_OK;
}

hymg_status hymgi_alpha_step_of(const hymgi_hierarchy *h, double *step)
{
  const hymgi_level *level = h->system;
  double *const alpha = level->c.alpha;
  const hymgi_plan *const halo = hymgi_operator_halo(level);
  *step = 1;
  if (!h->alpha_varies) return HYMG_OK;
  if (level->num_boxes && halo) hymgi_run_plan(level, halo, level->box, alpha, level->box, alpha);
  if (level->num_boxes) *step = level->backend->robust->alpha_step(level);
  TRY(hymgi_agree(h->context, h->context->status));
  return hymgi_comm_max_double(h->context, h->context->comm, step, 1);
}

/* Coarse levels have the mean of alpha, which is far from what a few cells of another alpha do. */
static hymg_status judge_alpha(const hymgi_hierarchy *h, char why[HYMGI_WHY])
{
  double step;
  TRY(hymgi_alpha_step_of(h, &step));
  if (step > SMOOTH_ALPHA)
    snprintf(why, HYMGI_WHY,
             "alpha jumps: with the coupling of two cells it differs by a factor of %.3g "
             "(standard: at most %g)",
             step, SMOOTH_ALPHA);
  return HYMG_OK;
}

/* Of a cell's coupling, the largest part that is not along the axis. */
static hymg_status part_across(const hymgi_level *level, int axis, double *part)
{
  hymg_context *c = level->context;
  double *x = NULL;
  *part = 0;
  const hymg_status status = hymgi_agree(c, hymgi_vector_create(level, level->vector_size, &x));
  if (status == HYMG_OK && level->num_boxes) {
    level->backend->robust->shares(level, axis, x);
    level->backend->axpby(level, -1, x, 0, x, x);
    level->backend->shift(level, 1, x);
    *part = hymgi_norm_max(level, x);
  }
  hymgi_vector_destroy(level, level->vector_size, &x);
  return status == HYMG_OK ? hymgi_comm_max_double(c, c->comm, part, 1) : status;
}

/* Semicoarsening goes by means. Along an axis that is halved, the cell whose coupling is the weakest
 * against that along the other axes. Next to fixed cells and to
 * faces of beta 0 an axis may have no coupling. */
static hymg_status judge_cells(const hymgi_hierarchy *h, char why[HYMGI_WHY])
{
  double worst = LOCAL, part;
  for (int l = 0; l + 1 < h->num_levels && !h->method.empty_rows; l++)
    for (int axis = 0; axis < 3; axis++) {
      if (!(h->level[l].coarsened >> axis & 1)) continue;
      TRY(part_across(h->level + l, axis, &part));
      const double ratio = part / fmax(1 - part, DBL_EPSILON);
      if (ratio <= worst) continue;
      worst = ratio;
      snprintf(why, HYMGI_WHY,
               "after semicoarsening some cells of level %d are coupled %.2g times as strongly "
               "along other axes as along %c, which is halved",
               l, worst, "xyz"[axis]);
    }
  return HYMG_OK;
}

hymg_status hymgi_path_objections(const hymgi_hierarchy *h, char why[HYMGI_OBJECTIONS][HYMGI_WHY])
{
  double coupling[3];
  for (int n = 0; n < HYMGI_OBJECTIONS; n++)
    why[n][0] = '\0';
  if (h->method.robust) return judge_cells(h, why[0]);
  TRY(judge_beta(h, why[0]));
  TRY(mean_couplings(h->system, coupling));
  judge_couplings(h->level->n, coupling, why[1]);
  return judge_alpha(h, why[2]);
}

hymg_status hymgi_path_judge(hymgi_hierarchy *h, hymgi_path_choice *choice)
{
  char *const why = choice->why;
  *why = '\0';
  if (h->op->desc.beta[0]) TRY(judge_beta(h, why));
  if (h->op->desc.beta[0] && !*why && !surely_alike(h)) {
    TRY(mean_couplings(h->system, h->shares));
    h->has_shares = h->method.robust && !hymgi_is_preconditioned(h); /* else of another operator */
    judge_couplings(h->level->n, h->shares, why);
  }
  if (!*why) TRY(judge_alpha(h, why));
  if (!*why && hymgi_path_heeds_alpha(h) && h->alpha_varies)
    decide(choice, HYMG_PATH_ROBUST, "alpha varies (standard: its term with FV4 is of 2nd order)");
  choice->path = *why ? HYMG_PATH_ROBUST : HYMG_PATH_STANDARD;
  if (!*why) decide(choice, HYMG_PATH_STANDARD, "it suits");
  return HYMG_OK;
}

hymg_status hymgi_path_check(const hymgi_hierarchy *h, const hymgi_path_choice *choice)
{
  if (choice->path != HYMG_PATH_ROBUST || h->options.method != HYMG_FMG) return HYMG_OK;
  return hymgi_fail(h->context, HYMG_EUNSUPPORTED,
                    "method fmg does not suit this system: %s; use method mg (hymg-fv --solver "
                    "mg)%s",
                    choice->why, h->method.masked || h->method.fixed ? "" : ", or path standard");
}
