/* Building a hierarchy: shape, plans, vectors and coefficients of its levels. */
#ifndef HYMGI_HIERARCHY_BUILD_H
#define HYMGI_HIERARCHY_BUILD_H

#include "multigrid/hierarchy.h"
#include "problem/problem.h"

/* The memory of a level's arena in doubles, before it is allocated. */
typedef struct hymgi_memory_need {
  size_t stride;                     /* from one vector to the next */
  int vectors, coefficients, krylov; /* how many */
  size_t patch, scratch;
  ptrdiff_t scratch_row;
} hymgi_memory_need;

/* preset.c. init: the operator, the (resolved) options and the method that follows from them. preset: what the path
 * adds to that, before there are levels; preset_sweeps: defaults that depend on whether the operator is singular. */
void hymgi_hierarchy_init(hymgi_hierarchy *h, const hymg_operator *op, const hymg_options *options);
void hymgi_preset(hymgi_hierarchy *h, bool robust);
void hymgi_preset_sweeps(hymgi_hierarchy *h);
/* EINVAL unless 0 <= level < limit. */
hymg_status hymgi_check_level(const hymgi_hierarchy *h, int level, int limit);
/* level_layout.c. hierarchy_shape: collective, the levels, their boxes and owners; where the coefficients decide which
 * axes are halved, as if they were 1. level_shape: level l of them, whose finer levels are known. strong_axes: those
 * along which the share of a cell's coupling is not much less than along another one. */
hymg_status hymgi_hierarchy_shape(hymgi_hierarchy *h, const hymgi_backend *backend);
hymg_status hymgi_level_shape(hymgi_hierarchy *h, int l);
void hymgi_extrapolation_dims(hymgi_hierarchy *h);
hymg_status hymgi_count_ranks(hymgi_hierarchy *h, int from); /* collective */
unsigned hymgi_strong_axes(const hymgi_level *level, const double share[3]);
/* The standard path's coarsest level for a finest of n cells; uneven: sides that are odd are halved
 * as well, to the next larger whole number. */
void hymgi_coarsest(const hymg_grid *grid, hymg_stencil stencil, int n[3], bool *uneven);
/* build.c. place: backend, layout and sizes of a level, from h->placement. make: collective, its plans, vectors and
 * communicator. */
void hymgi_level_place(hymgi_hierarchy *h, int l);
hymg_status hymgi_level_make(hymgi_hierarchy *h, int l);
void hymgi_level_destroy(hymgi_level *level);
hymgi_memory_need hymgi_level_memory(const hymgi_hierarchy *h, const hymgi_level *level);
/* memory_estimate.c: the memory that a placed hierarchy needs; check returns ENOMEM, with both
 * numbers in the text, if that is more than is free. */
hymg_status hymgi_memory_estimate(const hymgi_hierarchy *h, hymg_need *need);
hymg_status hymgi_memory_check(const hymgi_hierarchy *h);
/* Collective: levels in single precision that AUTO wants are left out if a rank has no memory for them
 * by that check; without them it has to be made again. */
hymg_status hymgi_precision_fit(hymgi_hierarchy *h);
void hymgi_hierarchy_destroy(hymgi_hierarchy *h);

/* like.c: a level with the shape, boxes, plans, communicator, axes, constants and scratch of another one, which keeps
 * them; vectors, patches and kernels are still missing. system: h->system, where cycles are made for another operator than
 * the system's, with betas and a diagonal of its own and level 0's alpha; make after level 0. ENOMEM. */
hymgi_level hymgi_level_like(const hymgi_level *level, const hymgi_operator_kind *op);
void hymgi_level_release(
    hymgi_level *level); /* what no level shares: arena, constant rows, boxes, patches */
hymg_status hymgi_system_make(hymgi_hierarchy *h);
void hymgi_system_destroy(hymgi_hierarchy *h);

/* single_levels.c: h->singles, if h->mixed, of a hierarchy that is complete, and its coefficients, after every
 * change of those of the levels in double precision. Collective; ENOMEM. */
hymg_status hymgi_singles_create(hymgi_hierarchy *h);
hymg_status hymgi_singles_fill(hymgi_hierarchy *h);
void hymgi_singles_destroy(hymgi_hierarchy *h);
/* How many levels have one, from the sizes of levels; the memory that each needs once the levels are
 * placed, level `count` with x and f alone: hymgi_memory_need of level l. */
int hymgi_singles_count(const hymgi_hierarchy *h);
hymgi_memory_need hymgi_singles_memory(const hymgi_hierarchy *h, int l);

/* Parts of making a level. patches_create: fine->patch, for a level whose `direct` and `inside` are
 * known; vectors_create: its arena; colours_exchange: level->exchanged. */
hymg_status hymgi_patches_create(hymgi_level *fine, const hymgi_level *coarse);
void hymgi_patches_destroy(hymgi_level *fine);
size_t hymgi_patch_size(const hymgi_level *fine); /* of its patches, in numbers of the level */
hymg_status hymgi_vectors_create(const hymgi_hierarchy *h, hymgi_level *level);
/* Plans: a level's boxes as one side of them; memory for one that is complete; the tags of a level. */
hymgi_side hymgi_side_of(const hymgi_level *level);
hymg_status hymgi_plan_keep(const hymgi_level *level, hymgi_plan *plan);
enum { HYMGI_PLAN_TAGS = 8 };
hymg_status hymgi_colours_exchange(hymgi_level *level);
/* Bytes of the hierarchy on this rank. */
size_t hymgi_hierarchy_bytes(const hymgi_hierarchy *h);

/* The levels whose coefficients are discretised; those below them inherit theirs from the finer one. */
static inline int hymgi_discretised(const hymgi_hierarchy *h)
{
  return h->level->transfer->inherits ? 1 : h->num_levels;
}
/* wide_boxes.c: the layers that a level will have around its boxes, whose ranks and backend are known (multigrid/wide.h);
 * level->wide; fill, collective: what the layers hold of the coefficients, which are finished; bytes on this rank. */
int hymgi_wide_layers(const hymgi_hierarchy *h, const hymgi_level *level);
hymg_status hymgi_wide_create(hymgi_level *level);
hymg_status hymgi_wide_fill(hymgi_level *level);
/* Collective, on levels that are complete: layers that nobody has asked for stay if they save time. */
hymg_status hymgi_wide_keep_faster(hymgi_hierarchy *h);
void hymgi_wide_destroy(hymgi_level *level);
size_t hymgi_wide_bytes(const hymgi_level *level);
/* coefficients.c. check, collective: are the coefficients of d, which is h->op's, valid? Fills h->range, and
 * method.masked by it, for which there need not be levels. Fields of beta that are one number on all faces are taken
 * out of d, for that number. */
hymg_status hymgi_coefficients_check(hymgi_hierarchy *h, hymg_operator_desc *d);
/* the largest beta over the smallest, of these */
double hymgi_range_ratio(const hymgi_hierarchy *h);
/* the smallest beta along an axis over the largest along another */
double hymgi_range_between(const hymgi_hierarchy *h, int weak, int strong);
bool hymgi_any_fixed(const hymgi_hierarchy *h); /* of the same check: is a cell fixed? */
/* Reads the coefficients, which have been checked, for those levels, all but boundaries, diagonals and
 * bounds of eigenvalues, which finish adds to `count` levels. Collective. */
hymg_status hymgi_coefficients_load(hymgi_hierarchy *h);
hymg_status hymgi_levels_finish(hymgi_level *level, int count);
/* Parts of it, collective: fills the ghosts of beta once its faces are there; restricts faces to the next level. */
void hymgi_faces_take_high(const hymgi_level *level, int axis, const double *shifted, double *beta);
hymg_status hymgi_faces_exchange(const hymgi_level *level, int axis, double *beta);
hymg_status hymgi_faces_restrict(hymgi_level *fine, hymgi_level *coarse, int axis);
/* boundary_data.c: reads the boundary data and Robin conditions into the levels that are discretised. Collective; the betas
 * of all levels are there, but not yet scaled. share: the largest one of each face with a Robin condition, else 0. */
hymg_status hymgi_boundary_data_load(hymgi_hierarchy *h, double share[6]);
/* Parts of it. Values of a face are in the cells of a vector, in crossing memory, that are in the layers
 * at the face, of which a box has up to two. read: from a user's field on level 0, collective. each:
 * changes the cells of all layers. set: such a change. spread: makes planes on all levels, of means over
 * child faces; collective, takes the vector. plane: from the layer at the boundary, with ghosts along
 * the boundary; returns its size. */
typedef void (*hymgi_boundary_maker)(const hymgi_level *level, int box, int face,
                                     const double *cells);
typedef void (*hymgi_boundary_change)(const hymgi_level *level, int box, int face, const int at[3],
                                      double *cell, void *user);
/* Of a stretched level 0, at a cell next to a face of the domain: what the axes along the face contribute to its area
 * (HYMGI_AREA) or to distances across it (HYMGI_PITCH). */
double hymgi_boundary_measure(const hymgi_level *level, int box, int face, int measure,
                              const int at[3]);
hymg_status hymgi_boundary_read(hymgi_level *level, const hymg_field *field, int face,
                                double *cells);
void hymgi_boundary_each(const hymgi_level *level, int face, double *cells,
                         hymgi_boundary_change change, void *user);
void hymgi_boundary_set(const hymgi_level *level, int box, int face, const int at[3], double *cell,
                        void *value);
hymg_status hymgi_boundary_spread(hymgi_hierarchy *h, int face, double *cells,
                                  hymgi_boundary_maker make);
ptrdiff_t hymgi_boundary_plane(const hymgi_level *level, int box, int face, const double *cells,
                               double *plane);
/* Of a plane: extend makes its ghosts beyond the boundary of a tangential axis; by_widths, on grids with widths, what terms
 * are made of; size in numbers. */
void hymgi_boundary_extend(const hymgi_level *level, int box, int face, double *plane);
void hymgi_boundary_by_widths(const hymgi_level *level, int box, int face, double *plane);
ptrdiff_t hymgi_boundary_plane_size(const hymgi_geom *g, int face);
/* robin.c: the shares of a face on all levels; where the face has data, the planes of values on level 0
 * receive what its g must be multiplied by. *most: the largest share. */
hymg_status hymgi_robin_load(hymgi_hierarchy *h, int face, double *most);
void hymgi_boundary_data_destroy(hymgi_level *level);

/* fv4_limiter.c, collective: marks the betas of level 0 that FV4's limiter takes; h->limited: are there any,
 * on any rank? After the path has been judged by them. */
hymg_status hymgi_limiter_set(hymgi_hierarchy *h);

/* fv4_limiter.c, collective: where alpha varies, FV4's operator on level 0 has the mean of alpha u. */
hymg_status hymgi_alpha_set(hymgi_hierarchy *h);

/* fv4_boundaries.c, collective, after the other two: what boundary data add to f with FV4, and no flux but
 * that of the data through Neumann boundaries. */
hymg_status hymgi_fv4_boundaries_set(hymgi_hierarchy *h);

/* fixed_cells.c. load, collective: cells with given values, once the coefficients of level 0 are in integrated
 * form and before they are finished; nothing without method.empty_rows. cut, collective: the betas of a level
 * with the cells of level 0 conduct nothing through faces of fixed cells. empty_rows_set: what stands for C in
 * the rows of a level that are 0, whose coefficients are there. */
hymg_status hymgi_fixed_load(hymgi_hierarchy *h);
hymg_status hymgi_fixed_cut(hymgi_level *level);
void hymgi_empty_rows_set(const hymgi_hierarchy *h, hymgi_level *level);

/* pieces.c, collective: h->pieces and level->fixed.piece, of level 0 with its C and, in c.beta, conductances with
 * the domain's boundaries. destroy: as if there were no faces of beta 0. */
hymg_status hymgi_pieces_find(hymgi_hierarchy *h);
void hymgi_pieces_destroy(hymgi_hierarchy *h);

/* axes.c: level->axis of the finest level, and of the next ones once their sizes are known. */
hymg_status hymgi_axes_first(hymgi_level *level, const hymg_grid_desc *d);
hymg_status hymgi_axes_next(hymgi_level *fine, hymgi_level *coarse);
void hymgi_axes_destroy(hymgi_level *level);

/* Copies the entries of every box of the level (faces: n + 1 along their axis, if either side is a
 * field of faces), by its backend; axis: -1, or that along which entry
 * 1 of the source becomes entry 0. */
void hymgi_boxes_copy(const hymgi_level *level, const hymgi_geom *src_box, const double *src,
                      const hymgi_geom *dst_box, double *dst, int axis);
/* Copies the entries of every box between vectors of the same grid, level and centering whose
 * layouts, backends and memories may differ. from and to are levels or the views of fields. If
 * the backends differ, the copy is complete on return. */
hymg_status hymgi_vector_convert(const hymgi_level *from, const double *src, const hymgi_level *to,
                                 double *dst);
hymg_status hymgi_field_load(const hymg_field *field, const hymgi_level *level, double *vector);

/* user_arrays.c. exchange: copies the entries of the field that are in the array, to (write) or from
 * the field. to_vector, to_field: hymgi_vector_convert between a field, which may have an array, and a
 * level with the boxes of the field. open, close: data of a field with an array in plain rows, in
 * field->data, and, if they were changed, back; nothing happens with other fields. floats: the array of a
 * field of floats, whose boxes are laid out. */
hymg_status hymgi_field_exchange(const hymg_field *field, const hymgi_user_array *array,
                                 bool write);
hymg_status hymgi_field_to_vector(const hymg_field *field, const hymgi_level *level,
                                  double *vector);
hymg_status hymgi_vector_to_field(const hymgi_level *level, const double *vector,
                                  const hymg_field *field);
hymg_status hymgi_field_open(const hymg_field *field);
hymg_status hymgi_field_close(const hymg_field *field, bool changed);
hymg_status hymgi_floats_create(hymg_field *field);
void hymgi_floats_destroy(hymg_field *field);

/* Makes a malloc'ed list of boxes, with room for one more, readable by the backend. */
hymg_status hymgi_boxes_share(hymg_context *context, const hymgi_backend *backend,
                              hymgi_geom **boxes, int count);

/* The inverse; both are collective on level 0. */
hymg_status hymgi_field_store(const hymgi_level *level, const double *vector, hymg_field *field);

/* outside.c: level->outside. shape decides whether level 0 needs boxes of its own; the others do
 * nothing, or are not called, if it does not. */
hymg_status hymgi_outside_shape(const hymgi_hierarchy *h, hymgi_level *level);
void hymgi_outside_place(hymgi_level *level);
hymg_status hymgi_outside_plans(hymgi_level *level);
void hymgi_outside_destroy(hymgi_level *level);
hymg_status hymgi_outside_load(const hymg_field *field, const hymgi_level *level, double *vector);
hymg_status hymgi_outside_store(const hymgi_level *level, const double *vector, hymg_field *field);

/* A temporary vector of a level, set to 0. */
hymg_status hymgi_vector_create(const hymgi_level *level, ptrdiff_t size, double **vector);
/* Makes a vector of the level in newly allocated memory zero. */
void hymgi_vector_begin(const hymgi_level *level, double *vector);
void hymgi_vector_copy(const hymgi_level *level, const double *from, double *to); /* with ghosts */
void hymgi_vector_destroy(const hymgi_level *level, ptrdiff_t size, double **vector);

/* The memory for vectors of a level that the host can access as well, and a vector of zeros in
 * it. */
const hymgi_memory *hymgi_crossing(const hymgi_level *level);
hymg_status hymgi_crossing_create(const hymgi_level *level, ptrdiff_t size, double **vector);
void hymgi_crossing_destroy(const hymgi_level *level, ptrdiff_t size, double **vector);

#endif
