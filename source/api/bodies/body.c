/* hymg_body_coefficients: what is checked, and the passes over all cells. docs/numerics.md has the formulas and their
 * orders. */
#include <math.h>

#include "api/bodies/bodies.h"
#include "base/boundary_kind.h"
#include "problem/coordinates.h"
#include "transport/transport.h"

hymg_body hymg_body_default(void)
{
  return (hymg_body){
      .condition = HYMG_NEUMANN, .robin_alpha_constant = 1, .robin_beta_constant = 1};
}

void hymgi_widths_of(const hymgi_body_work *w, const hymgi_place *p, double width[3])
{
  for (int axis = 0; axis < 3; axis++)
    width[axis] = hymgi_body_width(w->grid, p->g, axis, p->index[axis]);
}

hymgi_facet hymgi_facet_at(const hymgi_body_work *w, const hymgi_place *p)
{
  double width[3], side[2][3];
  hymgi_widths_of(w, p, width);
  for (int axis = 0; axis < 3; axis++)
    for (int s = 0; s < 2; s++)
      side[s][axis] = w->vector[HYMGI_BODY_AREA + axis][hymgi_face_of(p, axis, s)];
  return hymgi_facet_of(width, w->vector[HYMGI_BODY_VOLUME][p->at], side[0], side[1]);
}

/* ---- checks ---- */

static hymg_status check_body(const hymg_grid *grid, const hymg_body *body)
{
  static const char *const area[3] = {"body.area[0]", "body.area[1]", "body.area[2]"};
  hymg_context *c = grid->context;
  if (!hymgi_enum_has("hymg_boundary", (int)body->condition) || body->condition == HYMG_PERIODIC ||
      hymgi_boundary_kind_of(body->condition).open)
    return hymgi_fail(c, HYMG_EINVAL, "body.condition %d: 0 (dirichlet), 2 (neumann) or 3 (robin)",
                      (int)body->condition);
  TRY(hymgi_body_check_field(grid, body->volume, HYMG_CELL, true, "body.volume"));
  for (int axis = 0; axis < 3; axis++)
    TRY(hymgi_body_check_field(grid, body->area[axis], (hymg_centering)(HYMG_FACE_X + axis), true,
                               area[axis]));
  TRY(hymgi_body_check_field(grid, body->value, HYMG_CELL, false, "body.value"));
  TRY(hymgi_body_check_field(grid, body->robin_alpha, HYMG_CELL, false, "body.robin_alpha"));
  TRY(hymgi_body_check_field(grid, body->robin_beta, HYMG_CELL, false, "body.robin_beta"));
  if (!isfinite(body->value_constant))
    return hymgi_fail(c, HYMG_EINVAL, "body.value_constant %g: finite", body->value_constant);
  return HYMG_OK;
}

static hymg_status check(const hymg_grid *grid, const hymgi_body_call *o)
{
  static const char *const name[3] = {"beta[0]", "beta[1]", "beta[2]"};
  hymg_context *c = grid->context;
  const bool reacts = o->body->condition != HYMG_NEUMANN; /* adds to alpha */
  if (hymgi_is_curved(&grid->desc))
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "a body on a curved grid: straight axes or a mask");
  TRY(check_body(grid, o->body));
  if (!(o->a >= 0 && o->a <= DBL_MAX))
    return hymgi_fail(c, HYMG_EINVAL, "a = %g: at least 0 and finite", o->a);
  if (!(o->b > 0 && o->b <= DBL_MAX))
    return hymgi_fail(c, HYMG_EINVAL, "b = %g: above 0 and finite", o->b);
  if (reacts && o->a == 0)
    return hymgi_fail(
        c, HYMG_EINVAL,
        "a = 0 with a %s condition on the body: it goes into alpha, so take a = 1, with "
        "an alpha of zeros where there is none",
        hymg_enum_name("hymg_boundary", (int)o->body->condition));
  if (!o->beta) return hymgi_fail(c, HYMG_EINVAL, "hymg_body_coefficients: beta is NULL");
  for (int axis = 0; axis < 3; axis++)
    TRY(hymgi_body_check_field(grid, o->beta[axis], (hymg_centering)(HYMG_FACE_X + axis), true,
                               name[axis]));
  TRY(hymgi_body_check_field(grid, o->alpha, HYMG_CELL, reacts, "alpha"));
  TRY(hymgi_body_check_field(grid, o->weight, HYMG_CELL, false, "weight"));
  return hymgi_body_check_field(grid, o->source, HYMG_CELL, false, "source");
}

static hymg_status check_fraction(const hymgi_body_work *w, const hymgi_place *p, const char *what,
                                  double fraction)
{
  if (fraction >= 0 && fraction <= 1) return HYMG_OK;
  return hymgi_fail(w->grid->context, HYMG_EINVAL,
                    "body: the open fraction %g of %s cell (%d, %d, %d): 0 to 1", fraction, what,
                    p->g->low[0] + p->index[0], p->g->low[1] + p->index[1],
                    p->g->low[2] + p->index[2]);
}

static hymg_status check_fractions(const hymgi_body_work *w, const hymgi_place *p)
{
  static const char *const name[3][2] = {{"the low x face of", "the high x face of"},
                                         {"the low y face of", "the high y face of"},
                                         {"the low z face of", "the high z face of"}};
  TRY(check_fraction(w, p, "the volume of", w->vector[HYMGI_BODY_VOLUME][p->at]));
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++)
      TRY(check_fraction(w, p, name[axis][side],
                         w->vector[HYMGI_BODY_AREA + axis][hymgi_face_of(p, axis, side)]));
  return HYMG_OK;
}

/* ---- the passes over all cells ---- */

typedef enum {
  CHECK,
  OPEN_CELLS,
  OPEN_FACES,
  CENTRES,
  CLOSED_CELLS,
  CROSSINGS,
  WAYS,
  SHUT_FACES
} pass;

/* Both faces where the cell is the last one of its box. */
static void pass_faces(hymgi_body_work *w, const hymgi_place *p, pass what, int axis)
{
  const int sides = p->index[axis] == p->g->n[axis] - 1 ? 2 : 1;
  for (int side = 0; side < sides; side++) {
    if (what == OPEN_FACES)
      hymgi_open_face(w, p, axis, side);
    else if (hymgi_is_shut(w, p, axis, side))
      w->vector[HYMGI_BODY_BETA + axis][hymgi_face_of(p, axis, side)] = 0;
  }
}

static hymg_status pass_cell(hymgi_body_work *w, const hymgi_body_call *o, const hymgi_place *p,
                             pass what, int axis)
{
  switch (what) {
  case CHECK:
    return check_fractions(w, p);
  case OPEN_CELLS:
    return hymgi_open_cell(w, o, p);
  case CENTRES:
    hymgi_set_centre(w, p);
    break;
  case CLOSED_CELLS:
    hymgi_clear_closed(w, p);
    break;
  case CROSSINGS:
    hymgi_set_crossing(w, p, axis);
    break;
  case WAYS:
    hymgi_add_ways(w, o, p, axis);
    break;
  case OPEN_FACES:
  case SHUT_FACES:
    pass_faces(w, p, what, axis);
    break;
  }
  return HYMG_OK;
}

static hymg_status run(hymgi_body_work *w, const hymgi_body_call *o, pass what, int axis)
{
  const hymgi_level *level = &w->level;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          const hymgi_place p = hymgi_place_of(g, i, j, k);
          TRY(pass_cell(w, o, &p, what, axis));
        }
  return HYMG_OK;
}

static hymg_status open_parts(hymgi_body_work *w, const hymgi_body_call *o)
{
  TRY(run(w, o, OPEN_CELLS, 0));
  for (int axis = 0; axis < 3; axis++)
    TRY(run(w, o, OPEN_FACES, axis));
  return HYMG_OK;
}

/* Messages go on after a failure. */
static hymg_status open_centres(hymgi_body_work *w, const hymgi_body_call *o)
{
  run(w, o, CENTRES, 0);
  hymgi_body_exchange(w, HYMGI_BODY_CENTRE);
  run(w, o, CLOSED_CELLS, 0);
  if (o->body->value) hymgi_body_exchange(w, HYMGI_BODY_VALUE);
  for (int axis = 0; axis < 3; axis++) {
    run(w, o, CROSSINGS, axis);
    hymgi_body_exchange(w, HYMGI_BODY_CROSSING);
    run(w, o, WAYS, axis);
    run(w, o, SHUT_FACES, axis);
  }
  return w->grid->context->status;
}

static hymg_status load(hymgi_body_work *w, const hymgi_body_call *o)
{
  const hymg_body *body = o->body;
  TRY(hymgi_body_load(w, body->volume, HYMGI_BODY_VOLUME));
  TRY(hymgi_body_load(w, body->value, HYMGI_BODY_VALUE));
  TRY(hymgi_body_load(w, body->robin_alpha, HYMGI_BODY_ROBIN_ALPHA));
  TRY(hymgi_body_load(w, body->robin_beta, HYMGI_BODY_ROBIN_BETA));
  TRY(hymgi_body_load(w, o->alpha, HYMGI_BODY_ALPHA));
  for (int axis = 0; axis < 3; axis++) {
    TRY(hymgi_body_load(w, body->area[axis], HYMGI_BODY_AREA + axis));
    TRY(hymgi_body_load(w, o->beta[axis], HYMGI_BODY_BETA + axis));
  }
  return run(w, o, CHECK, 0);
}

static hymg_status store(hymgi_body_work *w, const hymgi_body_call *o)
{
  TRY(hymgi_body_store(w, HYMGI_BODY_ALPHA, o->alpha));
  TRY(hymgi_body_store(w, HYMGI_BODY_WEIGHT, o->weight));
  TRY(hymgi_body_store(w, HYMGI_BODY_SOURCE, o->source));
  for (int axis = 0; axis < 3; axis++)
    TRY(hymgi_body_store(w, HYMGI_BODY_BETA + axis, o->beta[axis]));
  return HYMG_OK;
}

static unsigned needed_for(const hymgi_body_call *o)
{
  const hymg_body *body = o->body;
  unsigned needed = 7u << HYMGI_BODY_BETA | 1u << HYMGI_BODY_VOLUME | 7u << HYMGI_BODY_AREA |
                    1u << HYMGI_BODY_WEIGHT | 1u << HYMGI_BODY_SOURCE;
  needed |= (unsigned)(o->alpha != NULL) << HYMGI_BODY_ALPHA;
  needed |= (unsigned)(body->value != NULL) << HYMGI_BODY_VALUE;
  needed |= (unsigned)(body->robin_alpha != NULL) << HYMGI_BODY_ROBIN_ALPHA;
  needed |= (unsigned)(body->robin_beta != NULL) << HYMGI_BODY_ROBIN_BETA;
  if (body->condition == HYMG_DIRICHLET)
    needed |= 1u << HYMGI_BODY_CENTRE | 1u << HYMGI_BODY_CROSSING;
  return needed;
}

static void list_arguments(hymgi_arguments *a, const hymg_grid *grid, const hymgi_body_call *o)
{
  hymgi_arguments_begin(a, "hymg_body_coefficients");
  hymgi_arguments_whole(a, "the grid's number", grid->id);
  hymgi_arguments_whole(a, "body.condition", (int64_t)o->body->condition);
  hymgi_arguments_whole(a, "body.value as a field", o->body->value != NULL);
  hymgi_arguments_real(a, "a", o->a);
  hymgi_arguments_real(a, "b", o->b);
}

hymg_status hymg_body_coefficients(const hymg_body *body, double a, double b, hymg_field *alpha,
                                   hymg_field *const beta[3], hymg_field *weight,
                                   hymg_field *source)
{
  if (!body || !body->volume) return HYMG_EINVAL;
  const hymgi_body_call o = {body, a, b, alpha, beta, weight, source};
  hymg_grid *grid = body->volume->grid;
  hymg_context *c = grid->context;
  const bool dirichlet = body->condition == HYMG_DIRICHLET;
  hymgi_arguments arguments;
  hymgi_body_work w;
  list_arguments(&arguments, grid, &o);
  TRY(hymgi_agree_on(c, check(grid, &o), &arguments));
  hymg_status status = hymgi_body_begin(grid, needed_for(&o), dirichlet, &w);
  if (status == HYMG_OK) status = load(&w, &o);
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) {
    status = hymgi_agree(c, dirichlet ? open_centres(&w, &o) : open_parts(&w, &o));
    if (status == HYMG_OK) status = hymgi_agree(c, store(&w, &o));
  }
  hymgi_body_end(&w);
  return status;
}
