/* Neumann and Robin conditions on a body: cells and faces count with their open parts, and u is that at the centre of
 * the whole cell, even where it is closed. */
#include <math.h>

#include "api/bodies/bodies.h"

/* Of a Robin condition, whose planes behind the centre of a cell take away from robin_beta: the least part of it that is left. */
static const double nearest = 1e-3;

/* beta on the surface in a cell: linear between its faces, all of which count, and within their range. */
static double beta_at(const hymgi_body_work *w, const hymgi_place *p, const hymgi_facet *f,
                      const double width[3])
{
  double sum = 0, change = 0, least = INFINITY, most = 0;
  int axes = 0;
  for (int axis = 0; axis < 3; axis++) {
    if (hymgi_is_thin(w->grid, axis)) continue;
    const double *const beta = w->vector[HYMGI_BODY_BETA + axis];
    const double low = beta[hymgi_face_of(p, axis, 0)], high = beta[hymgi_face_of(p, axis, 1)];
    sum += (low + high) / 2, axes++;
    change += (high - low) / width[axis] * f->normal[axis] * f->distance;
    least = fmin(least, fmin(low, high)), most = fmax(most, fmax(low, high));
  }
  return axes ? fmax(least, fmin(most, sum / axes + change)) : w->vector[HYMGI_BODY_BETA][p->at];
}

static double number_at(const hymgi_body_work *w, int vector, double constant, ptrdiff_t at)
{
  return w->vector[vector] ? w->vector[vector][at] : constant;
}

/* What robin_alpha u + robin_beta du/dn = g on the surface adds: with u at the cell's centre and the plane at the
 * distance s, du/dn = (g - robin_alpha u) / (robin_beta + robin_alpha s). */
static hymg_status add_robin(hymgi_body_work *w, const hymgi_body_call *o, const hymgi_place *p,
                             const hymgi_facet *f, const double width[3], double volume)
{
  const hymg_body *body = o->body;
  const double ra = number_at(w, HYMGI_BODY_ROBIN_ALPHA, body->robin_alpha_constant, p->at),
               rb = number_at(w, HYMGI_BODY_ROBIN_BETA, body->robin_beta_constant, p->at),
               g = number_at(w, HYMGI_BODY_VALUE, body->value_constant, p->at);
  if (!(ra >= 0 && rb >= 0 && ra + rb > 0 && isfinite(ra + rb)))
    return hymgi_fail(
        w->grid->context, HYMG_EINVAL,
        "body: robin_alpha %g and robin_beta %g at cell (%d, %d, %d): finite, at least 0 "
        "and not both 0",
        ra, rb, p->g->low[0] + p->index[0], p->g->low[1] + p->index[1], p->g->low[2] + p->index[2]);
  double across = 0;
  for (int axis = 0; axis < 3; axis++)
    across += fabs(f->normal[axis]) * width[axis];
  const double least = nearest * (rb + ra * across), sum = rb + ra * f->distance;
  const double share = o->b * beta_at(w, p, f, width) * f->area / (volume * fmax(sum, least));
  w->vector[HYMGI_BODY_ALPHA][p->at] += ra * share / o->a;
  w->vector[HYMGI_BODY_SOURCE][p->at] = g * share;
  return HYMG_OK;
}

hymg_status hymgi_open_cell(hymgi_body_work *w, const hymgi_body_call *o, const hymgi_place *p)
{
  const double open = w->vector[HYMGI_BODY_VOLUME][p->at];
  double *const alpha = w->vector[HYMGI_BODY_ALPHA], width[3];
  w->vector[HYMGI_BODY_WEIGHT][p->at] = open;
  if (alpha) alpha[p->at] = open == 0 ? 0 : open * alpha[p->at];
  const hymgi_facet f = hymgi_facet_at(w, p);
  if (f.area == 0) return HYMG_OK;
  hymgi_widths_of(w, p, width);
  const double volume = width[0] * width[1] * width[2];
  if (o->body->condition == HYMG_ROBIN) return add_robin(w, o, p, &f, width, volume);
  w->vector[HYMGI_BODY_SOURCE][p->at] =
      number_at(w, HYMGI_BODY_VALUE, o->body->value_constant, p->at) * f.area / volume;
  return HYMG_OK;
}

void hymgi_open_face(hymgi_body_work *w, const hymgi_place *p, int axis, int side)
{
  const ptrdiff_t at = hymgi_face_of(p, axis, side);
  const double open = w->vector[HYMGI_BODY_AREA + axis][at];
  double *const beta = w->vector[HYMGI_BODY_BETA + axis] + at;
  *beta = open == 0 ? 0 : open * *beta;
}
