/* What the calls on masks and bodies share: the fields' values in plain rows with one ghost layer, on the host,
 * whatever the memory and layout of the fields; the cut of a plane with a cell. */
#ifndef HYMGI_API_BODIES_H
#define HYMGI_API_BODIES_H

#include "api/fields/field.h"

/* The vectors of a call. */
enum {
  HYMGI_BODY_ALPHA,
  HYMGI_BODY_BETA,                         /* three: x, y, z */
  HYMGI_BODY_VOLUME = HYMGI_BODY_BETA + 3, /* or active cells */
  HYMGI_BODY_AREA,                         /* three */
  HYMGI_BODY_VALUE = HYMGI_BODY_AREA + 3,
  HYMGI_BODY_ROBIN_ALPHA,
  HYMGI_BODY_ROBIN_BETA,
  HYMGI_BODY_CENTRE,   /* distances of the centres of cells from the surface */
  HYMGI_BODY_CROSSING, /* where the surface crosses the line through the centre, along one axis */
  HYMGI_BODY_WEIGHT,
  HYMGI_BODY_SOURCE,
  HYMGI_BODY_VECTORS
};

typedef struct hymgi_body_work {
  hymg_grid *grid;
  hymgi_level level; /* the grid's boxes with one ghost layer, on the host */
  hymgi_plan *halo;  /* or NULL */
  double *vector[HYMGI_BODY_VECTORS];
} hymgi_body_work;

/* begin: vectors of zeros for the bits of `needed`; halo: also the plan by which ghosts are filled. Not
 * collective, and end is called whatever it returns. Errors: ENOMEM. */
hymg_status hymgi_body_begin(hymg_grid *grid, unsigned needed, bool halo, hymgi_body_work *w);
void hymgi_body_end(hymgi_body_work *w);
/* Field NULL: nothing is done. */
hymg_status hymgi_body_load(hymgi_body_work *w, const hymg_field *field, int vector);
hymg_status hymgi_body_store(hymgi_body_work *w, int vector, hymg_field *field);
/* Collective: fills the ghosts within the domain and across periodic axes. */
void hymgi_body_exchange(hymgi_body_work *w, int vector);

/* Checks a field of a call: of this grid, on level 0, of this centering; required: not NULL. Errors: EINVAL. */
hymg_status hymgi_body_check_field(const hymg_grid *grid, const hymg_field *field,
                                   hymg_centering centering, bool required, const char *name);

/* Widths of the cell with these indices in the box; along an axis its index may be -1 or n where there is a cell. */
double hymgi_body_width(const hymg_grid *grid, const hymgi_geom *g, int axis, int index);

/* The piece of the surface in a cell: a plane that leaves open on its low side. */
typedef struct hymgi_facet {
  double area;      /* 0: none */
  double normal[3]; /* out of the open part */
  double
      distance; /* from the cell's centre to the plane along the normal; below 0: the centre is closed */
} hymgi_facet;

/* From the open fractions of a cell of the given widths and of its low and high faces. Without a surface that
 * has a direction the distance is plus or minus infinity. */
hymgi_facet hymgi_facet_of(const double width[3], double volume, const double low[3],
                           const double high[3]);

/* ---- bodies: the passes over cells ---- */

/* What hymg_body_coefficients was called with. */
typedef struct hymgi_body_call {
  const hymg_body *body;
  double a, b;
  hymg_field *alpha, *const *beta, *weight, *source;
} hymgi_body_call;

/* A cell of a box. */
typedef struct hymgi_place {
  const hymgi_geom *g;
  int index[3];
  ptrdiff_t at, step[3];
} hymgi_place;

static inline hymgi_place hymgi_place_of(const hymgi_geom *g, int i, int j, int k)
{
  return (hymgi_place){g, {i, j, k}, hymgi_at(g, i, j, k), {1, g->pitch, g->plane}};
}

/* The face of a cell, in vectors of faces. */
static inline ptrdiff_t hymgi_face_of(const hymgi_place *p, int axis, int side)
{
  return p->at + (side ? p->step[axis] : 0);
}

void hymgi_widths_of(const hymgi_body_work *w, const hymgi_place *p, double width[3]);
hymgi_facet hymgi_facet_at(const hymgi_body_work *w, const hymgi_place *p);

/* open_parts.c, for Neumann and Robin: alpha, weight and source of a cell; beta of one of its faces. Errors: EINVAL
 * (Robin numbers). */
hymg_status hymgi_open_cell(hymgi_body_work *w, const hymgi_body_call *o, const hymgi_place *p);
void hymgi_open_face(hymgi_body_work *w, const hymgi_place *p, int axis, int side);

/* open_centres.c, for Dirichlet, in this order, with an exchange after the first and the third: distances of
 * centres; what is closed, and weights; for each axis where the surface crosses it, what open cells get along it, and
 * which faces are closed. */
void hymgi_set_centre(hymgi_body_work *w, const hymgi_place *p);
void hymgi_clear_closed(hymgi_body_work *w, const hymgi_place *p);
void hymgi_set_crossing(hymgi_body_work *w, const hymgi_place *p, int axis);
void hymgi_add_ways(hymgi_body_work *w, const hymgi_body_call *o, const hymgi_place *p, int axis);
bool hymgi_is_shut(const hymgi_body_work *w, const hymgi_place *p, int axis, int side);

#endif
