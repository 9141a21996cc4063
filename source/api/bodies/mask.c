/* Coefficients of masks, and the right-hand side with masks and bodies. */
#include <math.h>

#include "api/bodies/bodies.h"
#include "transport/transport.h"

/* Is there a cell beyond the box's face `side` of this axis, seen from index i? */
static bool is_cell(const hymgi_geom *g, int axis, int i)
{
  if (i < 0) return !(g->boundaries >> (2 * axis) & 1);
  return i < g->n[axis] || !(g->boundaries >> (2 * axis + 1) & 1);
}

static void close_faces(hymgi_body_work *w, const hymgi_geom *g, int axis)
{
  const double *const active = w->vector[HYMGI_BODY_VOLUME];
  double *const beta = w->vector[HYMGI_BODY_BETA + axis];
  const int more[3] = {axis == 0, axis == 1, axis == 2};
  for (int k = 0; k < g->n[2] + more[2]; k++)
    for (int j = 0; j < g->n[1] + more[1]; j++)
      for (int i = 0; i < g->n[0] + more[0]; i++) {
        const ptrdiff_t at = hymgi_at(g, i, j, k),
                        before = hymgi_at(g, i - more[0], j - more[1], k - more[2]);
        const int index = axis == 0 ? i : axis == 1 ? j : k;
        const bool low = is_cell(g, axis, index - 1), high = is_cell(g, axis, index);
        if ((low && active[before] == 0) || (high && active[at] == 0)) beta[at] = 0;
      }
}

/* Cells that are not active: alpha and weight 0. A NaN says neither. */
static hymg_status close_cells(hymgi_body_work *w, const hymgi_geom *g)
{
  const double *const active = w->vector[HYMGI_BODY_VOLUME];
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const ptrdiff_t at = hymgi_at(g, i, j, k);
        if (isnan(active[at]))
          return hymgi_fail(w->grid->context, HYMG_EINVAL,
                            "active is NaN at cell (%d, %d, %d): 0 or another number is wanted",
                            g->low[0] + i, g->low[1] + j, g->low[2] + k);
        w->vector[HYMGI_BODY_WEIGHT][at] = active[at] != 0;
        if (active[at] == 0 && w->vector[HYMGI_BODY_ALPHA]) w->vector[HYMGI_BODY_ALPHA][at] = 0;
      }
  return HYMG_OK;
}

static hymg_status close_all(hymgi_body_work *w)
{
  const hymgi_level *level = &w->level;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    TRY(close_cells(w, g));
    for (int axis = 0; axis < 3; axis++)
      close_faces(w, g, axis);
  }
  return HYMG_OK;
}

typedef struct operands {
  const hymg_field *active;
  hymg_field *alpha, *const *beta, *weight;
} operands;

static hymg_status check(const operands *o)
{
  static const char *const name[3] = {"beta[0]", "beta[1]", "beta[2]"};
  const hymg_grid *grid = o->active->grid;
  TRY(hymgi_body_check_field(grid, o->active, HYMG_CELL, true, "active"));
  TRY(hymgi_body_check_field(grid, o->alpha, HYMG_CELL, false, "alpha"));
  TRY(hymgi_body_check_field(grid, o->weight, HYMG_CELL, false, "weight"));
  if (!o->beta)
    return hymgi_fail(grid->context, HYMG_EINVAL, "hymg_mask_coefficients: beta is NULL");
  for (int axis = 0; axis < 3; axis++)
    TRY(hymgi_body_check_field(grid, o->beta[axis], (hymg_centering)(HYMG_FACE_X + axis), true,
                               name[axis]));
  return HYMG_OK;
}

static hymg_status load(hymgi_body_work *w, const operands *o)
{
  hymg_status status = hymgi_body_load(w, o->active, HYMGI_BODY_VOLUME);
  hymgi_body_exchange(w, HYMGI_BODY_VOLUME);
  if (status == HYMG_OK) status = w->grid->context->status;
  if (status == HYMG_OK) status = hymgi_body_load(w, o->alpha, HYMGI_BODY_ALPHA);
  for (int axis = 0; axis < 3 && status == HYMG_OK; axis++)
    status = hymgi_body_load(w, o->beta[axis], HYMGI_BODY_BETA + axis);
  return status;
}

static hymg_status store(hymgi_body_work *w, const operands *o)
{
  TRY(hymgi_body_store(w, HYMGI_BODY_ALPHA, o->alpha));
  TRY(hymgi_body_store(w, HYMGI_BODY_WEIGHT, o->weight));
  for (int axis = 0; axis < 3; axis++)
    TRY(hymgi_body_store(w, HYMGI_BODY_BETA + axis, o->beta[axis]));
  return HYMG_OK;
}

hymg_status hymg_mask_coefficients(const hymg_field *active, hymg_field *alpha,
                                   hymg_field *const beta[3], hymg_field *weight)
{
  if (!active) return HYMG_EINVAL;
  const operands o = {active, alpha, beta, weight};
  hymg_context *c = active->grid->context;
  hymgi_arguments a;
  hymgi_body_work w;
  hymgi_arguments_begin(&a, "hymg_mask_coefficients");
  hymgi_arguments_whole(&a, "the grid's number", active->grid->id);
  TRY(hymgi_agree_on(c, check(&o), &a));
  const unsigned needed = 1u << HYMGI_BODY_VOLUME | 7u << HYMGI_BODY_BETA |
                          1u << HYMGI_BODY_WEIGHT | (unsigned)(alpha != NULL) << HYMGI_BODY_ALPHA;
  hymg_status status = hymgi_agree(c, hymgi_body_begin(active->grid, needed, true, &w));
  if (status == HYMG_OK) {
    status = load(&w, &o);
    if (status == HYMG_OK) status = close_all(&w);
    status = hymgi_agree(c, status);
    if (status == HYMG_OK) status = hymgi_agree(c, store(&w, &o));
  }
  hymgi_body_end(&w);
  return status;
}

/* ---- right-hand sides ---- */

/* Values of a box in any layout; data NULL: none. */
typedef struct values {
  const hymgi_geom *box;
  double *data;
} values;

static values values_of(const hymg_field *field, int box)
{
  return (values){field ? field->view.box + box : NULL, field ? field->data : NULL};
}

static void weigh_row(const values *weight, const values *source, const values *f, int j, int k)
{
  for (int i = 0; i < f->box->n[0]; i++) {
    const double w = weight->data[hymgi_at(weight->box, i, j, k)];
    double *const own = f->data + hymgi_at(f->box, i, j, k);
    *own = w == 0 ? 0 : w * *own;
    if (source->data) *own += source->data[hymgi_at(source->box, i, j, k)];
  }
}

static void weigh_box(const values *weight, const values *source, const values *f)
{
  for (int k = 0; k < f->box->n[2]; k++)
    for (int j = 0; j < f->box->n[1]; j++)
      weigh_row(weight, source, f, j, k);
}

/* Is it in memory of the host that only the host's threads use? */
static bool is_near(const hymg_field *field)
{
  return !field || (!field->array.data && field->view.backend == hymgi_cpu_backend());
}

/* Through copies on the host. */
static hymg_status weigh_copies(hymgi_body_work *w, const hymg_field *weight,
                                const hymg_field *source, hymg_field *f)
{
  const hymgi_level *level = &w->level;
  TRY(hymgi_body_load(w, weight, HYMGI_BODY_WEIGHT));
  TRY(hymgi_body_load(w, source, HYMGI_BODY_SOURCE));
  TRY(hymgi_body_load(w, f, HYMGI_BODY_VALUE));
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    weigh_box(&(values){g, w->vector[HYMGI_BODY_WEIGHT]},
              &(values){g, w->vector[HYMGI_BODY_SOURCE]},
              &(values){g, w->vector[HYMGI_BODY_VALUE]});
  return hymgi_body_store(w, HYMGI_BODY_VALUE, f);
}

static void weigh_in_place(const hymg_field *weight, const hymg_field *source, hymg_field *f)
{
  for (int b = 0; b < f->view.num_boxes; b++) {
    const values v[3] = {values_of(weight, b), values_of(source, b), values_of(f, b)};
    weigh_box(v, v + 1, v + 2);
  }
}

hymg_status hymg_body_rhs(const hymg_field *weight, const hymg_field *source, hymg_field *f)
{
  if (!f) return HYMG_EINVAL;
  hymgi_body_work w;
  TRY(hymgi_body_check_field(f->grid, f, HYMG_CELL, true, "f"));
  TRY(hymgi_body_check_field(f->grid, weight, HYMG_CELL, true, "weight"));
  TRY(hymgi_body_check_field(f->grid, source, HYMG_CELL, false, "source"));
  if (is_near(weight) && is_near(source) && is_near(f)) {
    weigh_in_place(weight, source, f);
    return HYMG_OK;
  }
  const unsigned needed = 1u << HYMGI_BODY_VALUE | 1u << HYMGI_BODY_WEIGHT |
                          (unsigned)(source != NULL) << HYMGI_BODY_SOURCE;
  hymg_status status = hymgi_body_begin(f->grid, needed, false, &w);
  if (status == HYMG_OK) status = weigh_copies(&w, weight, source, f);
  hymgi_body_end(&w);
  return status;
}
