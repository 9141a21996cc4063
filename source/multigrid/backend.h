/* The interface of a backend: the only place where host and device differ. Level operations act
 * on the boxes of this rank; those that read ghosts do their own exchange and extrapolation.
 * They return nothing: a failure is recorded in level->context->status (sticky within a solve)
 * and messages are still sent, so that no other rank blocks. Reductions return the part of this
 * rank. */
#ifndef HYMGI_MULTIGRID_BACKEND_H
#define HYMGI_MULTIGRID_BACKEND_H

#include "base/memory.h"
#include "multigrid/level.h"

/* The orders of interpolation, each with the boundary ghosts that it reads from memory (V4 also
 * for the FV4 operator). */
typedef enum hymgi_ghosts {
  HYMGI_GHOSTS_P0 = 0, /* none */
  HYMGI_GHOSTS_P1 = 1, /* v1 */
  HYMGI_GHOSTS_V2 = 2,
  HYMGI_GHOSTS_V4 = 4
} hymgi_ghosts;

/* The state of x when a residual is restricted: arbitrary, or directly after a GSRB sweep. */
typedef enum hymgi_after { HYMGI_AFTER_ANY, HYMGI_AFTER_GSRB } hymgi_after;

/* A brick of a box and a strided array of the user's: entry (i, j, k) of the box, from <= ijk <
 * to, is user[i stride[0] + j stride[1] + k stride[2]], a double or a float. */
typedef struct hymgi_user_brick {
  int from[3], to[3];
  ptrdiff_t stride[3];
  bool is_float;
} hymgi_user_brick;

/* Which values of a field are valid: finite ones that are at least or above 0; all but infinities. */
typedef enum hymgi_valid {
  HYMGI_VALID_NOT_NEGATIVE,
  HYMGI_VALID_POSITIVE,
  HYMGI_VALID_GIVEN
} hymgi_valid;

/* The first invalid value of a coefficient field, in the order of a box, x fastest. */
typedef struct hymgi_finding {
  bool bad;
  int at[3];
  double value;
  /* among numbers; NaN, where it is valid, does not count */
  double largest; /* of the valid values before it; 0 without any */
  double least;   /* of all values, if none is invalid; INFINITY without any */
} hymgi_finding;

/* A handle by which other processes of the node can map a GPU's memory. */
typedef struct hymgi_handle {
  char bytes[64];
} hymgi_handle;

typedef struct hymgi_peer_memory {
  /* an identifier of this GPU that is unique on the node */
  hymg_status (*identify)(hymg_context *context, hymgi_handle *identity);
  /* export_memory: for a whole allocation of the backend. map: its address in this process; on
   * failure it clears the CUDA error and leaves the reason as text */
  hymg_status (*export_memory)(hymg_context *context, double *data, hymgi_handle *handle);
  bool (*map)(hymg_context *context, const hymgi_handle *handle, void **mapped, char why[128]);
  void (*unmap)(hymg_context *context, void *mapped);
  /* queued, once the context has failed: the GPUs that this one sends to stop waiting */
  void (*abort)(hymg_context *context, hymgi_peer_state *peers);
  /* also after a failure: waits for the device, sets the first words to 0 and the remaining
   * doubles to a NaN of all ones (not yet received), and clears an abort */
  hymg_status (*reset)(hymg_context *context, double *arena, size_t words, size_t doubles);
} hymgi_peer_memory;

/* An NCCL communicator for the ranks of the context. */
typedef struct hymgi_nccl_id {
  char bytes[128];
} hymgi_nccl_id;

typedef struct hymgi_nccl_ops {
  /* make_id on one rank, for all; open is collective: EMPI */
  hymg_status (*make_id)(hymg_context *context, hymgi_nccl_id *id);
  hymg_status (*open)(hymg_context *context, const hymgi_nccl_id *id);
  bool (*works)(hymg_context *context);
  /* aborts operations that wait for other ranks, and destroys the communicator */
  void (*break_off)(hymg_context *context);
  /* after a failure of this rank: notifies the others, which may wait for its messages */
  void (*notify)(hymg_context *context);
  /* the state of a plan that has been queued goes away; nothing of it is under way */
  void (*forget)(hymg_context *context, const hymgi_peer_state *state);
} hymgi_nccl_ops;

typedef struct hymgi_hierarchy hymgi_hierarchy;

/* The exponent of sums of shares, none of which is above 1. */
enum { HYMGI_SHARE_EXPONENT = 1 };

/* What becomes of x in fixed cells: 0; 0, and in the other cells their sources are added; the given
 * values. */
typedef enum hymgi_fix { HYMGI_FIX_ZERO, HYMGI_FIX_RHS, HYMGI_FIX_GIVEN } hymgi_fix;

/* What the robust path and odd sizes need (formulas/conductance.h). Vectors of faces hold low faces. */
typedef struct hymgi_robust_ops {
  /* out: the coupling along an axis over that along all, without domain boundaries */
  void (*shares)(const hymgi_level *level, int axis, hymgi_real *out);
  /* the sums of the shares as in `sum`, without those of lines that are solved, an axis after the other, at
   * HYMGI_SHARE_EXPONENT */
  void (*share_sums)(const hymgi_level *level, int bits, int64_t *words);
  /* level->line, which has to be there: pivots and corners; solves for level->f of the lines of a colour in level->x, which
   * has its ghosts */
  void (*factor_lines)(const hymgi_level *level);
  void (*solve_lines)(const hymgi_level *level, int colour);
  /* the largest ratio of beta between a face and the next one of the same direction */
  double (*largest_step)(const hymgi_level *level);
  /* the largest hymgi_alpha_step; alpha has ghosts */
  double (*alpha_step)(const hymgi_level *level);
  /* numbers from -1 to 1 by formulas/noise.h, `seed` the number of the sequence */
  void (*noise)(const hymgi_level *level, int seed, hymgi_real *x);
  /* resistance from a cell to its parent's centre along an axis; 0 without a sibling */
  void (*resistances)(const hymgi_level *level, int axis, hymgi_real *out);
  /* level->weight from resistance[axis], which has ghosts; NULL on levels without neighbours if
   * makes_resistances */
  void (*weights)(const hymgi_level *level, hymgi_real *const resistance[3]);
  bool makes_resistances;
  /* conductances of the coarse faces; sums of C over children */
  void (*coarse_faces)(const hymgi_level *level, int axis, const hymgi_real *fine,
                       const hymgi_geom *patch, hymgi_real *coarse);
  /* coarse_faces and sum_children also where a side that is halved is odd; the sum is divided by 8 on
   * the standard path */
  void (*sum_children)(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse);
  /* standard path where a side is odd: of order 0, or by the parabolas of hymgi_axis; no ghosts beyond
   * boundaries are read. add: to x */
  void (*interpolate_uneven)(const hymgi_level *fine, const hymgi_real *source, hymgi_ghosts order,
                             bool add, hymgi_real *x);
  /* Optional: smooth, and sum_children of the residual; false, and nothing done, if that would not gain. zero: NULL, or
   * where zeros go beside the sums */
  bool (*smooth_sum_residual)(hymgi_level *level, bool from_zero, hymgi_real *coarse,
                              hymgi_real *zero);
  /* FV4's limiter (formulas/limiter.h): marks faces in `beta`, of which `faces` is a copy: those at a
   * jump; those next to a marked face of `faces`. find_closed: 1 in cells with a face of beta 0, else 0, and
   * mark_near_closed those whose flux reads such a cell */
  void (*mark_jumps)(const hymgi_level *level, int axis, double limit, const hymgi_real *faces,
                     hymgi_real *beta);
  void (*find_closed)(const hymgi_level *level, hymgi_real *closed);
  void (*mark_near_closed)(const hymgi_level *level, int axis, const hymgi_real *closed,
                           hymgi_real *beta);
  void (*spread_marks)(const hymgi_level *level, int axis, const hymgi_real *faces,
                       hymgi_real *beta);
  /* the ghosts of cells next to boundaries, as those of FV4's betas: from up to five cells of x, which has
   * its other ghosts */
  void (*continue_cells)(const hymgi_level *level, double *x);
  /* widths: times area over distance of the centres, where the mean width is 1; at a domain boundary
   * over the cell's width */
  void (*scale_faces)(const hymgi_level *level, int axis, hymgi_real *beta);
  /* x times (or over) the cells' volumes */
  void (*scale_volumes)(const hymgi_level *level, bool divide, hymgi_real *x);
  /* Cells with given values (formulas/fixed.h), on level 0. take: the conductances between a fixed and a
   * free cell become part of the free cell's C, and its source in level->fixed; C of fixed cells becomes
   * 0. cut: all faces of fixed cells along an axis conduct nothing, 0 ... n of each box; after take, whose
   * faces they are. set: x in fixed cells and, with FIX_RHS, in the others. */
  void (*take_fixed)(const hymgi_level *level);
  void (*cut_faces)(const hymgi_level *level, int axis, double *beta);
  void (*set_fixed)(const hymgi_level *level, hymgi_fix kind, double *x);
  /* 0 into level->fixed.given of free cells whose row is 0 */
  void (*give_empty_rows)(const hymgi_level *level);
  /* The parts of each box, cells connected by faces within it that conduct, with C and, in c.beta, conductances
   * with the domain's boundaries. parts: the number in the box, x fastest, of the first cell of a cell's part; of
   * this first one itself 0.5 more if something in the part holds u; -1 where level->fixed.given is a number.
   * scratch: a vector. */
  void (*find_parts)(const hymgi_level *level, double *scratch, double *parts);
  /* Floating pieces (multigrid/pieces.h), by level->fixed.piece, with an array for all of them in the level's
   * memory. maxima: raises `most` to max |x|, NaN if there is one. sums: of x, added to `words`, which are
   * those of hymgi_sum_add_below. add: value[piece] times with to x, or value[piece] where with is NULL */
  void (*piece_maxima)(const hymgi_level *level, const double *x, double *most);
  void (*piece_sums)(const hymgi_level *level, const double *x, int exponent, int bits,
                     int64_t *words);
  void (*piece_add)(const hymgi_level *level, const double *value, const double *with, double *x);
  /* out = C, but `value` in cells whose row is 0 or was, before c.empty_row took its place; may be C */
  void (*mark_empty_rows)(const hymgi_level *level, double value, double *out);
  /* the residual after gsrb: r = f - A x in red cells; 0 in black ones, or nothing if
   * restrict_weighted does not read them then */
  void (*residual_red)(const hymgi_level *level, const hymgi_real *f, hymgi_real *x, hymgi_real *r);
  /* the transpose of interpolate applied to r, which has ghosts and after gsrb is 0 in black cells; adds
   * the interpolated source to x */
  void (*restrict_weighted)(const hymgi_level *level, const hymgi_real *r, hymgi_after after,
                            hymgi_real *coarse);
  /* smoothed: hymgi_smooth_transposed is next, and cells that it does not read need not be written */
  void (*interpolate_weighted)(const hymgi_level *fine, const hymgi_real *source, bool smoothed,
                               hymgi_real *x);
  /* by products of weights; r and source have ghosts also across edges and corners */
  void (*restrict_tensor)(const hymgi_level *level, const hymgi_real *r, hymgi_real *coarse);
  void (*interpolate_tensor)(const hymgi_level *fine, const hymgi_real *source, hymgi_real *x);

  /* Optional (NULL: none), fused forms with the same bits, which return false if not available for
   * this level. smooth_restrict: smooth, residual, exchange and restrict_weighted; from_zero: x is
   * taken as 0. interpolate_smooth: interpolate_weighted to level->x and the transposed smoother. */
  bool (*smooth_restrict)(hymgi_level *level, bool from_zero, hymgi_after after,
                          hymgi_real *coarse);
  bool (*interpolate_smooth)(hymgi_level *fine, const hymgi_real *source);
  /* smooth for x = 0, of which nothing is read */
  bool (*smooth_from_zero)(hymgi_level *level);
  /* Optional: y = A x, and the words of the sum of y times `with` (may be x), as `sum` */
  void (*apply_sum)(const hymgi_level *level, hymgi_real *x, hymgi_real *y, const hymgi_real *with,
                    int exponent, int bits, int64_t *words);
  /* Optional: u += a p, r -= a w, and the words of the sum of r r or, if words is NULL, returns max
   * |r| */
  double (*advance)(const hymgi_level *level, double a, const hymgi_real *p, const hymgi_real *w,
                    hymgi_real *u, hymgi_real *r, int exponent, int bits, int64_t *words);
} hymgi_robust_ops;

/* For levels in single precision (source/hierarchy/single_levels.c): `single` is such a level, `level` the one
 * in double precision with the same boxes and another layout. */
typedef struct hymgi_single_ops {
  /* out = factor x, with the ghosts of both */
  void (*narrow)(const hymgi_level *single, const hymgi_level *level, double factor,
                 const double *x, void *out);
  /* out = factor x or, with `add`, out += factor x, of cells */
  void (*widen)(const hymgi_level *single, const hymgi_level *level, double factor, const void *x,
                bool add, double *out);
  /* out = factor (f - A x) with the operator of `level`, of cells; max |f - A x| as with
   * queue_residual_max or, on the host, to context->later[slot] */
  void (*narrow_residual)(const hymgi_level *single, const hymgi_level *level, double factor,
                          const double *f, double *x, void *out, int slot);
} hymgi_single_ops;

typedef struct hymgi_backend {
  hymg_backend id;
  const char *name;
  int line; /* alignment of rows in numbers */
  /* the functions for levels in single precision, with `conversions`; NULL: there are none. Functions
   * that such levels do not need may be NULL; their finish_coefficients makes what is not converted
   * (constant rows) */
  const struct hymgi_backend *single;
  const hymgi_single_ops *conversions; /* of `single`; else NULL */
  /* interpolate computes boundary ghosts as it loads and does not read them from memory, except
   * those of an F-cycle's solution where the coarse level has other boxes */
  bool extrapolates_in_loads;
  /* interpolate reads the cells of a coarse box that wraps (hymgi_geom) in place of its ghosts */
  bool interpolates_around;
  /* interpolate takes a level with layers more around its box (multigrid/wide.h) */
  bool interpolates_layers;
  hymgi_mover mover;
  const hymgi_memory *memory;   /* memory of its vectors */
  const hymgi_memory *crossing; /* memory that both it and the host can access */

  const hymgi_peer_memory *sharing; /* NULL without peer access; so are the next two */
  /* can the half sweeps on this rank exchange one colour of the plan's cells themselves? */
  bool (*joins)(const hymgi_level *level, const hymgi_plan *plan);
  /* can the first half sweep on this rank do without ghosts if x is 0? */
  bool (*starts_alone)(const hymgi_level *level);
  /* NULL: not a GPU backend; a pointer to NULL: built without NCCL */
  const hymgi_nccl_ops *const *nccl_ops;

  /* share takes ownership of a malloc'ed block and copies it to memory that every backend in use
   * can read (box and copy lists). unshare frees it, also if share has failed. */
  hymg_status (*share)(hymg_context *context, void **block, size_t bytes);
  void (*unshare)(void *block);
  void (*sync)(hymg_context *context); /* waits for all queued work */
  void (*zero)(hymg_context *context, double *data, size_t doubles);
  /* to or from memory that the host can access; complete on return */
  void (*copy)(hymg_context *context, const double *from, double *to, size_t doubles);
  /* Copies between a box's vector `data` and the user's array, in memory that this backend can
   * access; write: into the box. Floats are converted on the way. */
  void (*brick)(const hymgi_level *view, const hymgi_geom *box, const hymgi_user_brick *brick,
                bool write, void *user, double *data);
  /* copies the entries of the brick between two strided arrays that this backend can access */
  void (*gather)(hymg_context *context, const hymgi_user_brick *from, const hymgi_user_brick *to,
                 const void *source, void *target);
  /* are the entries [0, n) of a box valid? */
  void (*examine)(const hymgi_level *view, const hymgi_geom *box, const int n[3], hymgi_valid valid,
                  const double *data, hymgi_finding *finding);

  /* zeroes a whole vector with its ghosts, by the threads that will use it (first touch) */
  void (*clear)(const hymgi_level *level, hymgi_real *x);
  /* the first touch alone, of a vector that is zero; where memory is zeroed */
  void (*touch)(const hymgi_level *level, hymgi_real *x);

  /* x *= factor, with its ghosts */
  void (*scale)(const hymgi_level *level, double factor, hymgi_real *x);
  size_t (*scratch_doubles)(const hymgi_level *level,
                            ptrdiff_t *row); /* size of level->scratch; row: of one row of it */

  /* setup: once the unscaled betas and the alphas of a level are there */
  hymg_status (*finish_coefficients)(
      hymgi_level *level); /* computes boundary weights, dinv, lambda_max and constant rows */
  /* Optional: can a level have wide boxes (multigrid/wide.h)? Once the layers have the owners' coefficients, which are
   * finished: what else its view with all layers needs, among it view->c.constant_rows, which the caller keeps */
  hymg_status (*finish_layers)(hymgi_level *view);
  void (*restrict_faces)(const hymgi_level *level, int axis, const hymgi_real *fine,
                         const hymgi_geom *patch, hymgi_real *coarse);

  /* boundary data: computes term from value (multigrid/boundary_data.h); adds the terms to f */
  void (*boundary_term)(const hymgi_level *level, int box, int face);
  void (*add_boundary_terms)(const hymgi_level *level, hymgi_real *f);

  /* Open boundaries: the words of the moments of f (multigrid/moments.h), as `sum` */
  void (*moment_sums)(const hymgi_level *level, const double *f, int exponent, int bits,
                      int64_t *words);

  /* FV2: the fluxes through the low faces along an axis, 0 ... n of each box; x has ghosts */
  void (*fluxes)(const hymgi_level *level, int axis, const hymgi_real *x, hymgi_real *out);

  /* operator: of x only the ghosts are written */
  void (*apply)(const hymgi_level *level, hymgi_real *x, hymgi_real *y);
  void (*residual)(const hymgi_level *level, const hymgi_real *f, hymgi_real *x, hymgi_real *r);
  double (*residual_max)(const hymgi_level *level, const hymgi_real *f, hymgi_real *x);

  /* Optional: should rows be split by colour although the smoother has no colours? Called before
   * the boxes are laid out. */
  bool (*splits)(const hymgi_level *level);
  /* Can it split rows of an odd number of cells, or from an odd one on? As before. */
  bool (*splits_odd)(const hymgi_level *level);
  /* Optional: does smooth need level->y although the method itself does not? */
  bool (*second_buffer)(const hymgi_level *level);
  /* Optional: does smooth need level->spare? */
  bool (*spare_buffers)(const struct hymgi_level *level);
  /* smooths level->x for level->f; may swap level->x and level->y */
  void (*smooth)(hymgi_level *level);

  /* chooses level->tuning, by measurement or an estimate; x, y and f of the level are 0 and stay 0. Was anything measured? */
  bool (*tune)(hymgi_level *level, bool measure);
  /* Optional: takes the schedule of a measurement, if it is one of those that it would try on this level. */
  bool (*take_schedule)(hymgi_level *level, int stages, int rows);
  /* smooth, then residual_restrict to `coarse` (a patch vector), fused if the backend can.
   * from_zero: level->x is 0, which may save work */
  void (*smooth_restrict)(hymgi_level *level, bool from_zero, hymgi_real *coarse, hymgi_real *zero);
  /* Optional: does smooth_restrict from_zero read nothing of level->x? */
  bool (*starts_unread)(const hymgi_level *level);

  /* transfers to and from patches (geometry of level->patch) */
  /* Can smooth_restrict, residual_restrict and the mover take `zero`, a vector that they set to
   * 0 wherever they write another one, and can a patch be part of a box of the coarse level? */
  bool zeroes;
  void (*residual_restrict)(const hymgi_level *level, hymgi_after after, hymgi_real *coarse,
                            hymgi_real *zero);
  void (*restrict_cells)(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse);
  void (*fill_ghosts)(const hymgi_level *level, hymgi_real *x, hymgi_ghosts ghosts, bool with_data);
  /* smoothed: x is fine->x, which is smoothed next: cells that the smoother does not read need
   * not be written */
  void (*interpolate)(const hymgi_level *fine, const hymgi_level *coarse, const hymgi_real *source,
                      hymgi_ghosts order, bool add, bool smoothed, hymgi_real *x);

  /* Optional: leaves the interpolation to fine->x to the next smoother call on `fine` (fine->start);
   * false if that would not gain */
  bool (*interpolate_later)(hymgi_level *fine, const hymgi_interpolation *what);
  /* Optional: smooth, and max |f - A x| to context->later[slot]; false, and nothing done, if that would
   * not gain */
  bool (*smooth_norm)(hymgi_level *level, int slot);

  /* Optional (NULL: none): the whole bottom solve in one launch; false if not available for this
   * level. */
  bool (*bottom)(hymgi_level *level, hymg_bottom bottom);
  /* Optional: the coarse end, a whole cycle from level l down in one launch; visits: 1 for V, 2
   * for W, 0 for F; from_zero: x of the level is 0 (V, W). False if not available for this level. */
  bool (*tail)(hymgi_hierarchy *h, int l, int visits, bool from_zero);
  /* Optional: a coarse matrix (hierarchy.h) from V (visits: 1) or F (0) at once; false if not available. */
  bool (*make_matrix)(hymgi_hierarchy *h, int visits, double *matrix);
  /* x of the level, whose cells are at `at` in a vector, by such a matrix from its f: a row's products are
   * added up in SUMS sums, of columns SUMS apart, then the sums 4, 2 and 1 apart */
  void (*coarse_multiply)(const hymgi_level *level, const double *matrix, const ptrdiff_t *at);
  /* Optional: called before and after a cycle, so that its work can be captured once as a graph
   * and replayed. key: identifies the kind of cycle. */
  void (*begin_cycle)(hymgi_hierarchy *h, int key);
  void (*end_cycle)(hymgi_hierarchy *h);
  /* Optional: max and residual_max without waiting for the result; `queued` waits for the result
   * in a slot and returns it. */
  void (*queue_max)(const hymgi_level *level, const hymgi_real *x, int slot);
  void (*queue_residual_max)(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                             int slot);
  /* Optional: restrict_cells, and queue_max of its input. */
  void (*queue_restrict_max)(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse,
                             int slot);
  double (*queued)(hymg_context *context, int slot);
  /* Optional, for a level on one rank: subtracts the mean of x. The mean goes to a slot, max |x| before
   * to the next one; none if slot < 0. */
  void (*queue_remove_mean)(const hymgi_level *level, hymgi_real *x, int slot);
  /* Optional: marks a named range for a profiler; ranges nest. */
  void (*begin_range)(const hymgi_level *level, const char *operation);
  void (*end_range)(void);
  /* Optional: while `on`, the host decides by intermediate results what to queue, which cannot
   * be captured in a graph. */
  void (*stepwise)(hymg_context *context, bool on);
  /* Optional: called once the levels are complete, and before they are destroyed (captured
   * graphs, lists for the coarse end). */
  hymg_status (*attach)(hymgi_hierarchy *h);
  void (*detach)(hymgi_hierarchy *h);
  /* Optional: the names of the kernels that this rank runs on the level; valid after attach. */
  const char *(*kernel_names)(const hymgi_level *level);

  /* vector operations on the cells of a level; ghosts are not touched; outputs may be inputs */
  const hymgi_robust_ops *robust;
  const struct hymgi_graph_ops *graphs;        /* multigrid/pairs.h */
  const struct hymgi_graph_setup *graph_setup; /* multigrid/graph_setup.h */
  void (*fill)(const hymgi_level *level, double value, hymgi_real *x);
  void (*axpby)(const hymgi_level *level, double a, const hymgi_real *x, double b,
                const hymgi_real *y, hymgi_real *z);
  void (*shift)(const hymgi_level *level, double c, hymgi_real *x);
  void (*precondition)(const hymgi_level *level, const hymgi_real *r,
                       hymgi_real *z); /* z = D^-1 r */
  double (*max)(const hymgi_level *level, const hymgi_real *x,
                const hymgi_real *y); /* max |x y|, or max |x| if y is NULL; NaN if there is any */
  /* sum of x y, or of x if y is NULL: the HYMGI_SUM_RESULT words of base/exact_sum.h */
  void (*sum)(const hymgi_level *level, const hymgi_real *x, const hymgi_real *y, int exponent,
              int bits, int64_t *words);
} hymgi_backend;

/* The host: OpenMP, or one thread without it. */
const hymgi_backend *hymgi_cpu_backend(void);
/* The CUDA backend on the device and stream of the context. Errors: EUNSUPPORTED, with the
 * reason (built without CUDA, no driver, no device); ECUDA. */
hymg_status hymgi_cuda_backend(hymg_context *context, bool managed, const hymgi_backend **backend);
/* hymg_device_count and hymg_device_get. */
hymg_status hymgi_cuda_count(hymg_context *context, int *count);
hymg_status hymgi_cuda_device(hymg_context *context, int ordinal, hymg_device_info *info);

/* The fastest settings for the host, from measurements (benchmarks/README.md). */
hymgi_tuning hymgi_cpu_tuning(void);

/* FV4: adds to `term` what boundary data add to f through the fluxes along an axis; beta: that of the
 * level, with the limiter's marks and with all boundary faces, where the host can read it. */
void hymgi_cpu_fv4_data_term(const hymgi_level *level, int axis, const double *beta, double *term);
/* The same through the mean of alpha u; alpha: a alpha of the level, with its ghosts. */
void hymgi_cpu_fv4_alpha_data_term(const hymgi_level *level, int axis, const double *beta,
                                   const double *alpha, double *term);

/* The number of threads for a request of `wanted` (0: the default) on the host, for one of so many ranks of a node. */
int hymgi_backend_threads(int wanted, int ranks);
/* run(m, user) for each 0 <= m < count by so many threads at once, in any order; loops within run then have one. */
void hymgi_run_side_by_side(int threads, int count, void (*run)(int m, void *user), void *user);

#endif
