/* Dirichlet conditions on a body: u is unknown where the centre of the cell is open, with whole cells and faces; what
 * passes a face to a closed centre goes to the surface, where it crosses the line between the two centres. */
#include <math.h>

#include "api/bodies/bodies.h"

/* Parts of a cell's width: a surface is not nearer to a centre than that. */
static const double nearest = 1e-3;

static bool has_neighbour(const hymgi_place *p, int axis, int side)
{
  const int next = p->index[axis] + (side ? 1 : -1);
  if (next >= 0 && next < p->g->n[axis]) return true;
  return !(p->g->boundaries >> (2 * axis + side) & 1);
}

static ptrdiff_t neighbour(const hymgi_place *p, int axis, int side)
{
  return side ? p->at + p->step[axis] : p->at - p->step[axis];
}

/* The distance from the centre of a cell to the surface along an axis, as a coordinate from there, if that
 * is within the cell; else infinity. */
static double crossing_of(const hymgi_facet *f, int axis, double width)
{
  const double at = f->area > 0 ? f->distance / f->normal[axis] : INFINITY;
  return fabs(at) <= width / 2 * (1 + 1e-12) ? at : INFINITY;
}

static bool is_open(const hymgi_body_work *w, ptrdiff_t at)
{
  return w->vector[HYMGI_BODY_CENTRE][at] > 0;
}

/* A way from an open centre to the next one along an axis, or to the domain's boundary. */
typedef struct way {
  double length;
  bool blocked, ends; /* by the body; at the boundary */
  double crossing;    /* if blocked: how far the surface is */
} way;

static way way_of(const hymgi_body_work *w, const hymgi_place *p, int axis, int side, double width)
{
  const double sign = side ? 1 : -1, *const crossing = w->vector[HYMGI_BODY_CROSSING];
  const double own = sign * crossing[p->at];
  const bool own_half = own > 0 && own < INFINITY,
             shut = w->vector[HYMGI_BODY_AREA + axis][hymgi_face_of(p, axis, side)] == 0;
  way y = {.length = width / 2, .ends = !has_neighbour(p, axis, side), .crossing = width / 2};
  if (own_half) y.crossing = own;
  if (y.ends) {
    y.blocked = shut || own_half;
    return y;
  }
  const ptrdiff_t next = neighbour(p, axis, side);
  const int next_index = p->index[axis] + (side ? 1 : -1);
  y.length += hymgi_body_width(w->grid, p->g, axis, next_index) / 2;
  y.blocked = shut || !is_open(w, next);
  const double theirs =
      sign * crossing[next]; /* from the next centre: below 0 on this side of it */
  if (!own_half && theirs <= 0 && theirs > -INFINITY) y.crossing = y.length + theirs;
  return y;
}

/* The given value where the surface crosses: between those of the two cells, or, at the domain's boundary, continued
 * from the cell on the other side. */
static double value_on(const hymgi_body_work *w, const hymgi_body_call *o, const hymgi_place *p,
                       int axis, int side, const way *y)
{
  const double *const value = w->vector[HYMGI_BODY_VALUE];
  if (!value) return o->body->value_constant;
  double part = y->crossing / y->length;
  ptrdiff_t other = neighbour(p, axis, side);
  if (y->ends) {
    if (!has_neighbour(p, axis, !side)) return value[p->at];
    other = neighbour(p, axis, !side);
    const double back = hymgi_body_width(w->grid, p->g, axis, p->index[axis]) +
                        hymgi_body_width(w->grid, p->g, axis, p->index[axis] + (side ? -1 : 1));
    part = -2 * y->crossing / back;
  }
  return value[p->at] + part * (value[other] - value[p->at]);
}

/* Adds the ways of a cell along an axis to alpha and the source. */
void hymgi_add_ways(hymgi_body_work *w, const hymgi_body_call *o, const hymgi_place *p, int axis)
{
  const double width = hymgi_body_width(w->grid, p->g, axis, p->index[axis]);
  for (int side = 0; is_open(w, p->at) && side < 2; side++) {
    const way y = way_of(w, p, axis, side, width);
    const double beta = w->vector[HYMGI_BODY_BETA + axis][hymgi_face_of(p, axis, side)];
    if (!y.blocked || hymgi_is_thin(w->grid, axis)) continue;
    const double share = o->b * beta / (width * fmax(y.crossing, nearest * width));
    w->vector[HYMGI_BODY_ALPHA][p->at] += share / o->a;
    w->vector[HYMGI_BODY_SOURCE][p->at] += share * value_on(w, o, p, axis, side, &y);
  }
}

/* A face that the body blocks, or whose cells are closed. */
bool hymgi_is_shut(const hymgi_body_work *w, const hymgi_place *p, int axis, int side)
{
  if (!is_open(w, p->at)) return true;
  const double width = hymgi_body_width(w->grid, p->g, axis, p->index[axis]);
  return way_of(w, p, axis, side, width).blocked;
}

void hymgi_clear_closed(hymgi_body_work *w, const hymgi_place *p)
{
  const bool open = is_open(w, p->at);
  w->vector[HYMGI_BODY_WEIGHT][p->at] = open;
  if (!open) w->vector[HYMGI_BODY_ALPHA][p->at] = 0;
}

void hymgi_set_centre(hymgi_body_work *w, const hymgi_place *p)
{
  w->vector[HYMGI_BODY_CENTRE][p->at] = hymgi_facet_at(w, p).distance;
}

void hymgi_set_crossing(hymgi_body_work *w, const hymgi_place *p, int axis)
{
  const hymgi_facet f = hymgi_facet_at(w, p);
  const double width = hymgi_body_width(w->grid, p->g, axis, p->index[axis]);
  w->vector[HYMGI_BODY_CROSSING][p->at] = crossing_of(&f, axis, width);
}
