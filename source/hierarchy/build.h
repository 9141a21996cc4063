/* Making a hierarchy: its levels' shape, plans, vectors and coefficients. */
#ifndef HYMGI_HIERARCHY_BUILD_H
#define HYMGI_HIERARCHY_BUILD_H

#include "hierarchy/problem.h"
#include "multigrid/hierarchy.h"

/* Doubles of a level's arena, before there is one. */
typedef struct hymgi_memory_need {
  size_t stride;                     /* from one vector to the next */
  int vectors, coefficients, krylov; /* how many */
  size_t patch, scratch;
  ptrdiff_t scratch_row;
} hymgi_memory_need;

/* Operator, options (resolved) and what follows from them. */
void hymgi_hierarchy_init(hymgi_hierarchy *h, const hymg_operator *op, const hymg_options *options);
/* EINVAL unless it is one of the first `limit` levels. */
hymg_status hymgi_check_level(const hymgi_hierarchy *h, int level, int limit);
/* source/hierarchy/level_layout.c and then source/hierarchy/build.c, in this order: how many levels, their boxes and who
 * holds them (collective); machine, layout and sizes of each for h->placement; plans and
 * vectors (collective). */
hymg_status hymgi_hierarchy_shape(hymgi_hierarchy *h, const hymgi_backend *backend);
void hymgi_hierarchy_place(hymgi_hierarchy *h);
hymg_status hymgi_hierarchy_fill(hymgi_hierarchy *h);
hymgi_memory_need hymgi_level_memory(const hymgi_hierarchy *h, int l);
/* source/hierarchy/memory_estimate.c: the need of a placed hierarchy; ENOMEM, with both numbers, if that is more than is free. */
hymg_status hymgi_memory_estimate(const hymgi_hierarchy *h, hymg_need *need);
hymg_status hymgi_memory_check(const hymgi_hierarchy *h);
void hymgi_hierarchy_destroy(hymgi_hierarchy *h);
/* Bytes of this rank's hierarchy. */
size_t hymgi_hierarchy_bytes(const hymgi_hierarchy *h);

/* source/hierarchy/coefficients.c: reads the operator into all levels. Collective. */
hymg_status hymgi_coefficients_load(hymgi_hierarchy *h);
/* source/hierarchy/boundary_data.c: boundary data on all levels. Collective; the betas of level 0 upwards are in place
 * but not yet folded. */
hymg_status hymgi_boundary_data_load(hymgi_hierarchy *h);
void hymgi_boundary_data_destroy(hymgi_level *level);
/* f += b beta_face times the boundary data, in the cells at boundaries. */
void hymgi_boundary_data_add_terms(const hymgi_level *level, double *f);

/* Copies the entries of every box (same grid, level and centering; layouts, machines and memories
 * may differ). from and to are levels or the views of fields. Done, where two machines meet, when
 * it returns. */
hymg_status hymgi_vector_convert(const hymgi_level *from, const double *src, const hymgi_level *to,
                                 double *dst);
hymg_status hymgi_field_load(const hymg_field *field, const hymgi_level *level, double *vector);

/* A temporary vector of a level, zeroed. */
hymg_status hymgi_vector_create(const hymgi_level *level, ptrdiff_t size, double **vector);
void hymgi_vector_destroy(const hymgi_level *level, ptrdiff_t size, double **vector);

/* Memory of a level's vectors that the host reaches too; a zeroed vector in it. */
const hymgi_memory *hymgi_crossing(const hymgi_level *level);
hymg_status hymgi_crossing_create(const hymgi_level *level, double **vector);
void hymgi_crossing_destroy(const hymgi_level *level, double **vector);

#endif
