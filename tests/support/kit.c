/* The library's objects from an oracle's specification: one call opens all, one closes all. */
#include "support/support.h"
#include <stdlib.h>
#include <string.h>

static void open_grid(support_kit *k, const oracle_spec *s, const support_layout *layout)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  for (int d = 0; d < 3; d++) {
    k->n[d] = desc.n[d] = s->n[d];
    desc.spacing[d] = s->h[d];
    desc.boxes[d] = layout ? layout->boxes[d] : 0;
    desc.widths[d] = layout ? layout->widths[d] : NULL;
    desc.cuts[d] = layout ? layout->cuts[d] : NULL;
  }
  memcpy(desc.boundary, s->boundary, sizeof desc.boundary);
  desc.extrapolation_box = s->extrapolation_box;
  if (layout) {
    desc.owner = layout->owner;
    desc.owner_user = layout->owner_user;
  }
  if (layout && layout->coordinate) {
    memcpy(desc.coordinate, layout->coordinate, sizeof desc.coordinate);
    memcpy(desc.origin, layout->origin, sizeof desc.origin);
    desc.radius = layout->radius;
  }
  OK(k->context, hymg_grid_create(k->context, &desc, &k->grid));
}

static hymg_field *coefficient(support_kit *k, hymg_centering centering, const double *values)
{
  if (!values) return NULL;
  hymg_field *f = NULL;
  int low[3] = {0, 0, 0}, count[3] = {k->n[0], k->n[1], k->n[2]};
  if (centering >= HYMG_BOUNDARY_X_LOW)
    count[(centering - HYMG_BOUNDARY_X_LOW) / 2] = 1;
  else if (centering != HYMG_CELL)
    count[centering - HYMG_FACE_X]++;
  ptrdiff_t stride[3] = {1, count[0], (ptrdiff_t)count[0] * count[1]};
  OK(k->context, hymg_field_create(k->grid, NULL, centering, HYMG_DOUBLE, &f));
  OK(k->context, hymg_field_write_own(f, low, count, stride, values, HYMG_HOST));
  k->coefficient[centering] = f;
  return f;
}

static void open_operator(support_kit *k, const oracle_spec *s)
{
  hymg_operator_desc desc = hymg_operator_desc_default();
  desc.stencil = s->stencil;
  desc.extrapolation = s->extrapolation;
  desc.limiter = s->limiter;
  desc.a = s->a;
  desc.b = s->b;
  desc.alpha_constant = s->alpha_constant;
  desc.beta_constant = s->beta_constant;
  desc.fixed = k->fixed = coefficient(k, HYMG_CELL, s->fixed);
  desc.alpha = k->coefficient[HYMG_CELL] = coefficient(k, HYMG_CELL, s->alpha);
  for (int d = 0; d < 3; d++)
    desc.beta[d] = coefficient(k, (hymg_centering)(HYMG_FACE_X + d), s->beta[d]);
  for (int w = 0; w < 6; w++) {
    const hymg_centering centering = (hymg_centering)(HYMG_BOUNDARY_X_LOW + w);
    hymg_field *const data = coefficient(k, centering, s->boundary_data[w]);
    desc.boundary_data[w] = data;
    desc.boundary_constant[w] = s->boundary_constant[w];
    desc.robin_alpha_constant[w] = s->robin_alpha_constant[w];
    desc.robin_beta_constant[w] = s->robin_beta_constant[w];
    desc.robin_alpha[w] = k->robin[2 * w] = coefficient(k, centering, s->robin_alpha[w]);
    desc.robin_beta[w] = k->robin[2 * w + 1] = coefficient(k, centering, s->robin_beta[w]);
    k->coefficient[centering] = data;
  }
  k->desc = desc;
  OK(k->context, hymg_operator_create(k->grid, &desc, &k->op));
}

hymg_backend support_backend(void)
{
  const char *value = getenv("HYMG_TEST_BACKEND");
  return value && strcmp(value, "cuda") == 0 ? HYMG_BACKEND_CUDA : HYMG_BACKEND_HOST;
}

/* The oracle, and tests that count levels, know the standard path. */
hymg_options support_options(hymg_options o)
{
  if (o.path == HYMG_PATH_AUTO) o.path = HYMG_PATH_STANDARD;
  if (o.backend != HYMG_BACKEND_AUTO) return o;
  o.backend = o.smoother == HYMG_SYMGS ? HYMG_BACKEND_HOST : support_backend();
  if (o.backend == HYMG_BACKEND_HOST) return o;
  if (o.host_cells == -1) o.host_cells = 0;
  if (o.tail_cells == -1) o.tail_cells = 0;
  return o;
}

/* All but the solver. */
static support_kit open_problem(const oracle_spec *spec, const support_layout *layout)
{
  support_kit k = {0};
  k.context = layout ? layout->context : NULL;
  if (!k.context) {
    hymg_context_options co = hymg_context_options_default();
    co.threads = layout ? layout->threads : 0;
    k.own_context = true;
    ck_assert_int_eq(hymg_context_create(&co, &k.context), HYMG_OK);
  }
  open_grid(&k, spec, layout);
  open_operator(&k, spec);
  return k;
}

support_kit support_open(const oracle_spec *spec, const support_layout *layout,
                         const hymg_options *options)
{
  support_kit k = open_problem(spec, layout);
  hymg_options o = options ? *options : hymg_options_default();
  o.smoother = spec->smoother;
  o.sweeps = spec->sweeps;
  o.bottom = spec->bottom;
  o = support_options(o);
  OK(k.context, hymg_solver_create(k.op, &o, &k.solver));
  return k;
}

bool support_open_as(const oracle_spec *spec, const support_layout *layout,
                     const hymg_options *options, support_kit *k)
{
  *k = open_problem(spec, layout);
  const hymg_status status = hymg_solver_create(k->op, options, &k->solver);
  if (status != HYMG_EUNSUPPORTED && status != HYMG_EINVAL) OK(k->context, status);
  return status == HYMG_OK;
}

void support_close(support_kit *k)
{
  hymg_solver_destroy(&k->solver);
  hymg_operator_destroy(&k->op);
  for (int c = 0; c < 10; c++)
    hymg_field_destroy(&k->coefficient[c]);
  for (int c = 0; c < 12; c++)
    hymg_field_destroy(&k->robin[c]);
  hymg_field_destroy(&k->fixed);
  hymg_grid_destroy(&k->grid);
  if (k->own_context) hymg_context_destroy(&k->context);
}

void support_cells(const support_kit *k, int level, int n[3], size_t *cells)
{
  hymg_level_info info;
  OK(k->context, hymg_solver_level(k->solver, level, &info));
  *cells = 1;
  for (int d = 0; d < 3; d++) {
    n[d] = info.cells[d];
    *cells *= (size_t)info.cells[d];
  }
}

hymg_field *support_field(support_kit *k, int level, const double *values)
{
  static const int low[3] = {0, 0, 0};
  int n[3];
  size_t cells;
  hymg_field *f = NULL;
  support_cells(k, level, n, &cells);
  ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  if (level > 0)
    OK(k->context, hymg_field_create_on_level(k->solver, level, &f));
  else
    OK(k->context,
       hymg_field_create(k->grid, k->n[0] % 4 ? NULL : k->solver, HYMG_CELL, HYMG_DOUBLE, &f));
  OK(k->context, hymg_field_write_own(f, low, n, stride, values, HYMG_HOST));
  return f;
}

double *support_read(support_kit *k, int level, const hymg_field *f)
{
  static const int low[3] = {0, 0, 0};
  int n[3];
  size_t cells;
  support_cells(k, level, n, &cells);
  ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  double *values = support_poison(cells);
  OK(k->context, hymg_field_read_own(f, low, n, stride, values, HYMG_HOST));
  return values;
}
