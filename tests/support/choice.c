/* The table of choices and the one call that solves them. */
#include "support/choice.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const support_choice support_choices[SUPPORT_CHOICES] = {
    {HYMG_FV2, "dd dd dd", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
    {HYMG_FV4, "dd dd dd", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
    {HYMG_FV2, "pp pp pp", 0, HYMG_CHEBYSHEV, HYMG_MG, HYMG_CYCLE_F, HYMG_CG},
    {HYMG_FV4, "pp dd pp", 1, HYMG_CHEBYSHEV, HYMG_FMG, HYMG_CYCLE_F, HYMG_BICGSTAB},
    {HYMG_FV2, "nd pp dd", 1, HYMG_JACOBI, HYMG_MG, HYMG_CYCLE_V, HYMG_BICGSTAB},
    {HYMG_FV4, "pp pp pp", 0, HYMG_L1JACOBI, HYMG_MG, HYMG_CYCLE_W, HYMG_CABICGSTAB},
    {HYMG_FV2, "nn nn nn", 0, HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_CACG},
    {HYMG_FV4, "dd dd dd", 0, HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_BICGSTAB},
    {HYMG_FV4, "pp pp pp", 1, HYMG_GSRB, HYMG_FMG, HYMG_CYCLE_F, HYMG_BOTTOM_SMOOTHER},
    {HYMG_FV2, "rr nr pp", 0, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
};

/* Random, of mean zero. */
static double *right_hand_side(size_t cells)
{
  double *f = support_random(cells, -1.0, 1.0, 5);
  for (size_t i = 0; i < cells / 2; i++)
    f[cells - 1 - i] = -f[i];
  return f;
}

static bool *local_cells(const support_kit *k, size_t cells)
{
  bool *mine = calloc(cells, sizeof *mine);
  ck_assert_ptr_nonnull(mine);
  for (int b = 0; b < hymg_grid_num_local(k->grid); b++) {
    int low[3], count[3];
    hymg_grid_local(k->grid, b, low, count);
    for (int z = low[2]; z < low[2] + count[2]; z++)
      for (int y = low[1]; y < low[1] + count[1]; y++)
        for (int x = low[0]; x < low[0] + count[0]; x++)
          mine[((size_t)z * (size_t)k->n[1] + (size_t)y) * (size_t)k->n[0] + (size_t)x] = true;
  }
  return mine;
}

static void keep(support_kit *k, const hymg_field *u, const hymg_result *r, support_answer *a)
{
  a->u = support_read(k, 0, u);
  a->mine = local_cells(k, a->cells);
  a->cycles = r->cycles;
  for (int i = 0; i < r->cycles && i < 8; i++)
    a->relative[i] = r->history[i].residual_relative;
  a->levels = hymg_solver_num_levels(k->solver);
  for (int l = 0; l < a->levels && l < 16; l++) {
    hymg_level_info info;
    OK(k->context, hymg_solver_level(k->solver, l, &info));
    a->lambda[l] = info.lambda_max;
    a->wide += info.halo_layers > 0;
    a->whole += info.boxes == 1 && info.ranks > 1;
  }
}

static void vary(const support_layout *layout, support_case *s, hymg_options *o)
{
  o->path = layout->path;
  if (layout->p0) o->interpolation_v = HYMG_P0;
  if (layout->halo_layers) o->halo_layers = layout->halo_layers;
  if (layout->gather_cells) o->gather_cells = layout->gather_cells;
  o->gather = layout->gather;
  if (layout->sweeps) s->spec.sweeps = layout->sweeps;
  for (int axis = 0; layout->constant_beta && axis < 3; axis++)
    s->spec.beta[axis] = NULL;
}

support_answer support_solve(const support_choice *c, const int n[3], const support_layout *layout,
                             bool plain)
{
  support_case s = support_case_of(c->stencil, n, c->boundary, c->a);
  support_case_add_robin(&s);
  s.spec.smoother = c->smoother;
  s.spec.bottom = c->bottom;
  hymg_options o = hymg_options_default();
  o.method = c->method;
  o.cycle = c->cycle;
  o.max_cycles = 3;
  o.rtol = 1e-30;
  vary(layout, &s, &o);
  support_kit k = support_open(&s.spec, layout, &o);
  support_answer a = {0};
  int at[3];
  support_cells(&k, 0, at, &a.cells);
  double *f = right_hand_side(a.cells);
  hymg_field *ff = support_field(&k, 0, f), *u = NULL;
  OK(k.context, hymg_field_create(k.grid, plain ? NULL : k.solver, HYMG_CELL, HYMG_DOUBLE, &u));
  hymg_result r;
  for (int time = 0; time < (plain ? 2 : 1); time++) {
    OK(k.context, hymg_field_fill(u, NAN));
    OK(k.context, hymg_solve(k.solver, ff, u, &r));
  }
  keep(&k, u, &r, &a);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&s);
  free(f);
  return a;
}

void support_answer_free(support_answer *a)
{
  free(a->u);
  free(a->mine);
}

const char *support_unlike(const support_answer *got, const support_answer *want)
{
  if (got->cells != want->cells || got->levels != want->levels) return "size or levels";
  for (size_t i = 0; i < got->cells; i++) {
    if (got->mine[i] && memcmp(&got->u[i], &want->u[i], sizeof(double)) != 0) return "u";
    if (!got->mine[i] && !isnan(got->u[i])) return "cells of another rank were written";
  }
  if (got->cycles != want->cycles) return "number of cycles";
  if (!support_same_bits((size_t)got->cycles, got->relative, want->relative)) return "history";
  if (!support_same_bits((size_t)got->levels, got->lambda, want->lambda))
    return "Gershgorin bounds";
  return NULL;
}
