/* hymg: geometric multigrid for a alpha u - b div(beta grad u) = f on box-shaped structured grids.
 *
 * Cell-centred finite volumes: u, alpha and f are cell averages, beta and boundary data are
 * averages over faces. Values at the centres of cells and faces differ from averages by O(h^2):
 * accurate enough for FV2, while FV4 reaches its order only with averages (and with a variable
 * alpha only on the robust path, see hymg_path). Axes are x, y, z = 0, 1, 2; the faces of the domain are
 * numbered x-, x+, y-, y+, z-, z+ = 0 ... 5. Cell (i, j, k) has 0 <= i < n[0] and so on.
 *
 * Conventions. Every call that can fail returns a hymg_status; outputs come last and are not
 * changed on failure; the text of the last failure is hymg_context_error. A NULL handle gives
 * EINVAL without a text; calls that return no status need a valid handle, except hymg_context_*.
 * Destroy calls take the address of the handle, set it to NULL and accept NULL. Destroy a solver
 * before its operator, operators and fields before the grid, and grids before the context; fields
 * may outlive solvers.
 *
 * A call marked "collective" must be made by every rank of the context, in the same order and with
 * the same arguments except for data that each rank holds; if it fails on one rank, it fails on
 * all. Ranks compare their arguments, also those of the operator, and if they differ, or if the
 * calls do, all fail with EINVAL and a text that names the argument and two ranks. Not compared are
 * files, callbacks and their data, the contents of fields, and which of several fields of a grid is
 * meant. A rank whose first handle is NULL cannot tell the others, which then wait for it. All other
 * calls concern only the calling rank. A context and everything created from it may be used by one
 * thread at a time. Arrays are `double` in host memory unless a memory space or a precision is an
 * argument. The library prints nothing, keeps no global state and never exits.
 *
 * On a GPU, calls queue their work on the context's stream, after what the program has queued
 * there, and return; work that the program queues there later runs after it. Calls that return
 * data to the host wait for it: reads and writes of host memory, reductions, the creation and
 * update of solvers, and solves (a solve without a result may return earlier; the next call then
 * reports its failures). Objects may be destroyed while queued work still uses them: the call
 * takes care of that. Calls leave the current device unchanged, with one exception: if the
 * library is to choose among several devices (HYMG_DEVICE_SHARED, HYMG_DEVICE_OWN), the chosen
 * one becomes the current device when it is opened. */
#ifndef HYMG_H
#define HYMG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HYMG_VERSION "0.1.0"

#if defined(__GNUC__)
#define HYMG_API __attribute__((visibility("default")))
#else
#define HYMG_API
#endif

/* ---- errors ---- */

#define HYMG_STATUS_LIST(X)                                                                        \
  X(HYMG_OK, 0, "no error")                                                                        \
  X(HYMG_EINVAL, 1, "invalid argument")                                                            \
  X(HYMG_ENOMEM, 2, "out of memory")                                                               \
  X(HYMG_EUNSUPPORTED, 3, "not supported in this combination")                                     \
  X(HYMG_ECUDA, 4, "CUDA error")                                                                   \
  X(HYMG_EMPI, 5, "MPI error")                                                                     \
  X(HYMG_EIO, 6, "input/output error")                                                             \
  X(HYMG_EVERSION, 7, "hymg.h and the library are of different versions")                          \
  X(HYMG_ECPU, 8, "this CPU lacks instructions that the library was compiled for")

typedef enum hymg_status {
#define HYMG_STATUS_ENUM(name, value, text) name = value,
  HYMG_STATUS_LIST(HYMG_STATUS_ENUM)
#undef HYMG_STATUS_ENUM
} hymg_status;

/* "HYMG_EINVAL" and "invalid argument"; static strings, also for unknown values. */
HYMG_API const char *hymg_status_name(hymg_status status);
HYMG_API const char *hymg_status_text(hymg_status status);

/* Names of the values of every enum of this header, to and from. type is the enum's name, as in
 * hymg_enum_name("hymg_smoother", HYMG_GSRB), which is "gsrb". Names are those of hymg-fv's options
 * and of hymg_options_parse; values of hymg_status are named as by hymg_status_name.
 *   name   a static string, "unknown" for an unknown type or value
 *   value  false, with *value unchanged, for an unknown type or name
 *   entry  value and name number `index` of the type, from 0 on; false if there are not so many */
HYMG_API const char *hymg_enum_name(const char *type, int value);
HYMG_API bool hymg_enum_value(const char *type, const char *name, int *value);
HYMG_API bool hymg_enum_entry(const char *type, int index, const char **name, int *value);

/* The size in bytes that a struct of this header has in the library, by its name as in
 * hymg_struct_size("hymg_options"); 0 for an unknown name. hymg_context_create and
 * hymg_context_create_mpi, as C and C++ programs call them, compare all of them with those of the
 * header that the program was compiled with and fail with EVERSION; programs in other languages can
 * do the same with this call. */
HYMG_API size_t hymg_struct_size(const char *name);

/* How this library was built; static strings, "" for a feature that is absent. */
typedef struct hymg_build {
  const char *version;
  const char *commit;
  const char *compiler;
  const char *flags;
  const char *mpi;
  const char *openmp;
  const char *cuda;
  const char *nccl;
} hymg_build;
HYMG_API hymg_build hymg_build_info(void);

/* ---- context: communicator, threads, device, error text ---- */

typedef struct hymg_context hymg_context;

struct CUstream_st; /* cudaStream_t, so that no CUDA header is needed */

/* Values of hymg_context_options.device other than an ordinal. CURRENT: the current device.
 * SHARED: one device per rank of a node, by local rank; if there are more ranks than devices,
 * they share them. OWN: likewise, but sharing is an error. A rank that is alone on its node uses
 * the current device. */
enum { HYMG_DEVICE_CURRENT = -1, HYMG_DEVICE_SHARED = -2, HYMG_DEVICE_OWN = -3 };

typedef struct hymg_context_options {
  /* Threads of this rank at most; fewer are used while other programs run on the cores. 0: what OpenMP has been told
   * (OMP_NUM_THREADS, omp_set_num_threads), else the cores that the system allows, shared by the node's ranks. */
  int threads;
  int device; /* CUDA device ordinal or one of HYMG_DEVICE_; no effect on the host backend */
  struct CUstream_st *stream; /* borrowed; NULL: one that is ordered with the default stream */
  /* Several ranks: a call fails on all of them with EMPI if one of them does not answer within so
   * many seconds, and the text names it; the context is of no use after that. 0: no limit */
  double wait_seconds;
} hymg_context_options;

/* OpenMP's threads, HYMG_DEVICE_SHARED, no stream, wait_seconds 600. */
HYMG_API hymg_context_options hymg_context_options_default(void);

/* A serial context: one rank, no MPI calls. For a context with a communicator see the (collective)
 * hymg_context_create_mpi in hymg_mpi.h. options may be NULL. Errors: EINVAL (threads < 0 or >
 * 4096, wait_seconds < 0 or > 1e9), ENOMEM, ECPU; without a context there is no text. */
HYMG_API hymg_status hymg_context_create(const hymg_context_options *options,
                                         hymg_context **context);
/* Collective if created with a communicator. */
HYMG_API void hymg_context_destroy(hymg_context **context);

/* The text of the last failure of any call on this context or on objects created from it, ""
 * before the first. It names the value and the limit and, if another rank failed, that rank.
 * Valid until the next failure. */
HYMG_API const char *hymg_context_error(const hymg_context *context);
/* This rank, from 0 on; the ranks of the context; the OpenMP threads of this rank. */
HYMG_API int hymg_context_rank(const hymg_context *context);
HYMG_API int hymg_context_ranks(const hymg_context *context);
HYMG_API int hymg_context_threads(const hymg_context *context);
/* Nodes (hosts) that hold ranks of the context. */
HYMG_API int hymg_context_nodes(const hymg_context *context);

/* Collective. max: replaces value by the largest of all ranks (NaN if any is); barrier: returns
 * when all ranks have called it. For programs that do not use MPI themselves. Errors: EINVAL (NULL), EMPI. */
HYMG_API hymg_status hymg_context_max(hymg_context *context, double *value);
HYMG_API hymg_status hymg_context_barrier(hymg_context *context);

/* ---- GPUs ---- */

typedef struct hymg_device_info {
  int ordinal;
  char name[256];
  int capability[2]; /* compute capability, 9 and 0 for 9.0 */
  int multiprocessors;
  double memory_bytes, free_bytes;
} hymg_device_info;

/* The number of CUDA devices that this process sees. Errors: EUNSUPPORTED (built without CUDA,
 * no driver, no device: the text says which). */
HYMG_API hymg_status hymg_device_count(hymg_context *context, int *count);
/* One of these devices; -1: the context's own, which is opened if necessary, so that CUDA's
 * startup time is spent here. Errors: those above, EINVAL (no such device; fewer devices than
 * ranks, with OWN), EUNSUPPORTED (-1 and a device that is too old), ECUDA. */
HYMG_API hymg_status hymg_device_get(hymg_context *context, int ordinal, hymg_device_info *info);

/* ---- grid ---- */

typedef struct hymg_grid hymg_grid;

typedef enum hymg_boundary {
  HYMG_DIRICHLET = 0,
  HYMG_PERIODIC = 1,
  HYMG_NEUMANN = 2,
  HYMG_ROBIN = 3, /* FV2: robin_alpha u + robin_beta du/dn = g (hymg_operator_desc) */
  /* FV2, on all six faces or on none: free space beyond them, without f, and u = 0 at infinity. u on the boundary is
   * that of the monopole, dipole and quadrupole of f about the centre of |f|, made of f in each solve and hymg_residual.
   * For -b beta div(grad u) = f alone: beta a number, without alpha, fixed cells and boundary data, at least 2 cells per
   * axis. docs/boundaries.md says how accurate that is */
  HYMG_OPEN = 4,
  /* The same space, also for an f next to the boundary: each solve is two, of which the first, with u = 0 on the boundary,
   * finds the charge on it, whose potential is what the second has there. hymg_residual and hymg_fluxes take the values
   * of the last solve, 0 before. Further errors of a solve: ENOMEM */
  HYMG_OPEN_JAMES = 5
} hymg_boundary;

/* What is measured along an axis. Lengths alone, the default, make a box of straight axes. These are curved and
 * orthogonal, in any order of the axes:
 *   RADIUS, AZIMUTH, LENGTH                    cylinders (r, theta, z)
 *   RADIUS, AZIMUTH, COLATITUDE or LATITUDE    balls and spherical shells
 *   AZIMUTH, LATITUDE or COLATITUDE, LENGTH    a thin layer on a sphere of hymg_grid_desc.radius: longitude,
 *                                              latitude, height
 * Angles are in radians. AZIMUTH is the angle around the axis (longitude); LATITUDE is counted from the equator,
 * COLATITUDE from the pole that is its 0. */
typedef enum hymg_coordinate {
  HYMG_LENGTH = 0,
  HYMG_RADIUS = 1,
  HYMG_AZIMUTH = 2,
  HYMG_COLATITUDE = 3,
  HYMG_LATITUDE = 4
} hymg_coordinate;

/* How a grid coarsens depends on the solver's path (hymg_path). Standard: all axes are halved
 * together, down to 1 cell per axis, or to 2 cells on axes that are periodic or have a Neumann or
 * Robin boundary, and with FV4 on all axes; odd sides, n to (n + 1) / 2, only with FV2 and if more
 * than 512 cells would be left (1331 with extrapolation_box). Robust: the axes whose cells are
 * strongly coupled are halved, n to ceil(n / 2), down to 1 cell.
 * A plane is a grid with 1 cell along an axis between Neumann boundaries, a line one with two such
 * axes: the operator has no term along them, whatever their spacing. */
typedef struct hymg_grid_desc {
  int n[3];                  /* cells per axis, 1 ... INT_MAX / 4 */
  double spacing[3];         /* > 0, finite; of an angle in radians */
  hymg_boundary boundary[6]; /* periodic on both faces of an axis or on none */
  /* Equal boxes per axis, the unit of distribution; each count divides n. If all three n are
   * even, boxes have even sides; FV4 needs boxes of at least 3 cells on axes with several. All
   * 0: one box per rank, or the nearest number that fits; without an owner callback and where
   * levels get odd sides anyway boxes are then only nearly equal, as hymg_grid_local tells. */
  int boxes[3];
  /* For HPGMG-FV's LOG2_BOX_DIM sizes: cells per side of its (cubic) finest box, which
   * determines on which levels the ghost extrapolation drops an order. 0: the cells of the
   * domain on each axis determine it. Needs a cubic grid whose side it divides. */
  int extrapolation_box;
  /* The owner rank of box[3] (0 <= box[axis] < boxes[axis]) on the finest level;
   * hymg_grid_create calls it once per box on every rank, and the answers must agree. A rank may
   * get no box. NULL: Z-Morton order, equal shares. Errors: EINVAL for a rank outside the
   * context. */
  int (*owner)(const int box[3], void *user);
  void *owner_user;
  /* Widths of the cells along an axis: n[axis] numbers > 0, copied; NULL: all are spacing[axis].
   * A grid with widths is solved with FV2 on the robust path, with the linear extrapolation. */
  const double *widths[3];
  /* Cells of the boxes along an axis: boxes[axis] numbers > 0 that add up to n[axis], copied;
   * NULL: equal boxes. Boxes given like this may have odd sides. */
  const int *cuts[3];
  /* What each axis measures, and where its low end is. RADIUS: from 0 on; COLATITUDE: 0 to pi; LATITUDE: -pi/2 to
   * pi/2; AZIMUTH: at most 2 pi long, and periodic if it is the whole circle. A face at radius 0 or a pole has no area:
   * it must be NEUMANN, and nothing passes it. Fields, data and fluxes are per unit of true volumes and areas, derivatives
   * per unit of true length. A curved grid is solved as one with widths; bodies are not for it. */
  hymg_coordinate coordinate[3];
  double origin[3]; /* finite; of a LENGTH it counts in files alone */
  double radius;    /* of a thin layer; > 0, finite */
} hymg_grid_desc;

/* n = 64^3 on the unit cube, Dirichlet, default boxes, lengths from 0 on, radius 1. */
HYMG_API hymg_grid_desc hymg_grid_desc_default(void);

/* Collective. The desc is copied. Errors: EINVAL (naming the value and the limit), EUNSUPPORTED (open boundaries on
 * some faces, or with one cell along an axis), ENOMEM, EMPI. */
HYMG_API hymg_status hymg_grid_create(hymg_context *context, const hymg_grid_desc *desc,
                                      hymg_grid **grid);
HYMG_API void hymg_grid_destroy(hymg_grid **grid);
/* Cells of the whole grid. */
HYMG_API int64_t hymg_grid_cells(const hymg_grid *grid);
/* Boxes per axis: desc.boxes, or what was chosen if they were 0. */
HYMG_API void hymg_grid_boxes(const hymg_grid *grid, int boxes[3]);
/* This rank's bricks of cells (boxes that form a brick are merged): the number of bricks, then
 * low corner and extent of each, in global cell indices; all 0 if the index is out of range. A
 * rank may have none. */
HYMG_API int hymg_grid_num_local(const hymg_grid *grid);
HYMG_API void hymg_grid_local(const hymg_grid *grid, int index, int low[3], int count[3]);

/* ---- fields ---- */

typedef struct hymg_field hymg_field;
typedef struct hymg_operator hymg_operator;
typedef struct hymg_solver hymg_solver;

/* The location of the values, and the extents of a field over a grid (or level) of nx x ny x nz
 * cells:
 *   CELL          nx x ny x nz        cell averages
 *   FACE_X        (nx + 1) x ny x nz  averages over faces normal to x: entry i is the low face of
 *                                     cell i, entry nx the high boundary
 *   BOUNDARY_X_*  1 x ny x nz         averages over the faces of that domain boundary
 * and likewise for y and z. On a periodic axis entry nx of FACE_X is ignored, since it repeats
 * entry 0. A rank holds the entries of its cells, with both faces of each. The faces between two
 * boxes are therefore held by both owners: both must write them, with the same values. */
typedef enum hymg_centering {
  HYMG_CELL = 0,
  HYMG_FACE_X = 1,
  HYMG_FACE_Y = 2,
  HYMG_FACE_Z = 3,
  HYMG_BOUNDARY_X_LOW = 4,
  HYMG_BOUNDARY_X_HIGH = 5,
  HYMG_BOUNDARY_Y_LOW = 6,
  HYMG_BOUNDARY_Y_HIGH = 7,
  HYMG_BOUNDARY_Z_LOW = 8,
  HYMG_BOUNDARY_Z_HIGH = 9
} hymg_centering;

/* Of fields: DOUBLE, or FLOAT for 4 bytes a value. Floats are converted where a field is copied anyway
 * (hymg_field_wrap lists these passes), and all calls calculate in double: a call with float fields does what it
 * does with double fields of the same values, to the bit, and what it stores is rounded to the nearest float (infinity
 * beyond the floats' range). Norms, residuals and other results are those before this rounding.
 * Of a solver's cycles (options.precision): with MIXED levels of more than 32^3
 * cells are in single precision, inside a residual and a solution in double: the same tolerances in
 * the same number of cycles, for half as many bytes more; AUTO is MIXED with MG and MGPCG from
 * 10^6 cells on where the backend has it and there is memory for it, else DOUBLE. */
typedef enum hymg_precision {
  HYMG_PRECISION_AUTO = -1,
  HYMG_DOUBLE = 0,
  HYMG_MIXED = 1,
  HYMG_FLOAT = 2
} hymg_precision;
typedef enum hymg_space { HYMG_HOST = 0, HYMG_DEVICE = 1 } hymg_space;

/* A field of zeros over the grid. solver NULL: plain rows in host memory. With a solver of that
 * grid (cell fields only): layout and memory of its level 0, so that hymg_solve uses it in
 * place; the field may outlive that solver and be used with another solver of the grid, which
 * may then have to convert it. Errors: EINVAL, EUNSUPPORTED (precision; FLOAT with a solver, whose layout
 * has doubles), ENOMEM. */
HYMG_API hymg_status hymg_field_create(hymg_grid *grid, hymg_solver *solver,
                                       hymg_centering centering, hymg_precision precision,
                                       hymg_field **field);
/* A field of zeros in plain rows in the given memory; HYMG_DEVICE: on the context's GPU, so that
 * coefficients and boundary data need not pass through the host. hymg_field_create without a
 * solver is the same with HYMG_HOST. Errors: EINVAL, EUNSUPPORTED (precision; no CUDA), ENOMEM,
 * ECUDA. */
HYMG_API hymg_status hymg_field_create_in(hymg_grid *grid, hymg_space space,
                                          hymg_centering centering, hymg_precision precision,
                                          hymg_field **field);
/* A cell field of zeros on a level of the solver, in the layout of that level; for the calls
 * that take a level. Below level 0 no other solver accepts it; after its solver has been
 * destroyed it can still be read, written, reduced and destroyed. Errors: EINVAL (no such
 * level), ENOMEM. */
HYMG_API hymg_status hymg_field_create_on_level(hymg_solver *solver, int level, hymg_field **field);
/* A field over the user's array of double or, with HYMG_FLOAT, float, which it neither copies nor owns: entry (i, j, k) of the brick (low,
 * count), in global indices and counted from its low corner, is data[i * stride[0] + j * stride[1] +
 * k * stride[2]], as in hymg_field_write. With ghost layers data is the address of the brick's
 * first entry, not of the allocation. The brick must hold every entry that this rank holds (both
 * faces of its cells; it may be larger); what is beyond these is never touched. data lives until
 * the field is destroyed, and the program may read and write it between calls. With HYMG_DEVICE data
 * is memory of the context's GPU, and the program's accesses are ordered with the library's by the
 * context's stream.
 *
 * Levels have another layout (padded rows, ghosts, rows split by colour), so what is copied is this:
 *   hymg_field_read, write, copy   one pass between this array and the other side
 *   hymg_solve, hymg_solver_cycle  f: one pass into the solver's vector; u: one pass back, and one
 *                                  before it if u is the initial guess
 *   hymg_apply, residual, restrict, hymg_fluxes   one pass for each field
 *   hymg_solver_create, update     two passes for each coefficient: one checks, one converts
 *   fill, axpy, scale, remove_mean and reductions   one pass into a temporary of plain rows, and one
 *                                  back if the field is changed
 * Each pass goes straight between the two memories if one processor reaches both, else through
 * buffers; fields of floats need the same ones. A field created with the solver is used in place by solves and cycles
 * and needs none of this.
 *
 * Errors: EINVAL (a brick that lacks entries of this rank: the text names the axis and both ranges;
 * data NULL), EUNSUPPORTED (precision; no CUDA), ENOMEM, ECUDA. */
HYMG_API hymg_status hymg_field_wrap(hymg_grid *grid, hymg_space space, hymg_centering centering,
                                     hymg_precision precision, const int low[3], const int count[3],
                                     const ptrdiff_t stride[3], void *data, hymg_field **field);
HYMG_API void hymg_field_destroy(hymg_field **field);

/* Copies between the user's array and the entries of the global brick (low, count). This rank must
 * hold all of them (hymg_grid_local; faces: both faces of each cell): else nothing is copied, the
 * call fails with EINVAL and a text that names the first of the others and the rank that holds
 * them, and the next collective call fails on every rank. Not collective. Entry (i, j, k) of the
 * brick, counted from its low corner, is data[i * stride[0] + j * stride[1] + k * stride[2]];
 * strides in elements, of any sign. A count of 0 copies nothing; data may then be NULL. With
 * HYMG_HOST the copy is complete on return. With HYMG_DEVICE data is memory of the context's GPU
 * and the copy is queued on its stream: data is read, or complete, when the stream gets there (on
 * return, if the field's level is on the host). An array of floats is copied by a field over it:
 * hymg_field_wrap, hymg_field_copy. Errors: EINVAL (brick outside the field or with
 * entries of other ranks, data NULL), EUNSUPPORTED (device memory without CUDA), ENOMEM, ECUDA. */
HYMG_API hymg_status hymg_field_write(hymg_field *field, const int low[3], const int count[3],
                                      const ptrdiff_t stride[3], const double *data,
                                      hymg_space space);
HYMG_API hymg_status hymg_field_read(const hymg_field *field, const int low[3], const int count[3],
                                     const ptrdiff_t stride[3], double *data, hymg_space space);
/* The same for the entries of the brick that this rank holds; the others are neither read nor
 * written. For programs in which every rank names the same brick, such as the whole grid. */
HYMG_API hymg_status hymg_field_write_own(hymg_field *field, const int low[3], const int count[3],
                                          const ptrdiff_t stride[3], const double *data,
                                          hymg_space space);
HYMG_API hymg_status hymg_field_read_own(const hymg_field *field, const int low[3],
                                         const int count[3], const ptrdiff_t stride[3],
                                         double *data, hymg_space space);
/* Sets every entry that this rank holds, for any kind of field. */
HYMG_API hymg_status hymg_field_fill(hymg_field *field, double value);
/* Sets cells by a list, in host memory: cell[m], in global indices, becomes value[m], the last one where
 * a cell is named twice. Cells of other ranks are left out, so that every rank may have the same list;
 * not collective. count 0 sets nothing. With hymg_field_fill(field, NAN) before it, this makes the field
 * of fixed cells of hymg_operator_desc. Complete on return. Errors: EINVAL (not a cell field; a cell
 * outside the grid, of which the text has the number: nothing is set then), ENOMEM. */
HYMG_API hymg_status hymg_field_put(hymg_field *field, int64_t count, const int (*cell)[3],
                                    const double *value);

/* y += a x on the cells that this rank holds, for two cell fields of one grid and level (layouts
 * may differ). Errors: EINVAL (also for FACE and BOUNDARY fields), ENOMEM. */
HYMG_API hymg_status hymg_field_axpy(double a, const hymg_field *x, hymg_field *y);
/* x *= a; y = x (fields of one grid, level and centering; layouts and memories may differ). Any
 * centering. Errors: EINVAL, ENOMEM, ECUDA. */
HYMG_API hymg_status hymg_field_scale(double a, hymg_field *x);
HYMG_API hymg_status hymg_field_copy(const hymg_field *x, hymg_field *y);
/* Collective. max |x|, NaN if any entry is NaN; root mean square and mean over all cells. The sums
 * do not depend on ranks, threads or boxes. Errors: EINVAL (FACE and BOUNDARY fields), EMPI. */
HYMG_API hymg_status hymg_field_max(const hymg_field *x, double *max);
HYMG_API hymg_status hymg_field_rms(const hymg_field *x, double *rms);
HYMG_API hymg_status hymg_field_mean(const hymg_field *x, double *mean);
/* Collective. dot: the sum of x y over all cells of two cell fields of one grid and level (layouts
 * may differ), the same bits for any ranks, threads and boxes. remove_mean: x minus hymg_field_mean.
 * Errors: EINVAL, ENOMEM, EMPI. */
HYMG_API hymg_status hymg_field_dot(const hymg_field *x, const hymg_field *y, double *dot);
HYMG_API hymg_status hymg_field_remove_mean(hymg_field *x);

/* Collective: writes cell fields to a file that ParaView, VisIt and VTK read, with the coordinates of
 * the grid, whose low corner is the origin. The name decides: .vti has one spacing per axis, .vtr the
 * coordinates of all faces (needed for grids with widths). Values are written as they are, 8 bytes
 * each, or 4 of fields of floats; a file has the same bytes for any number of ranks and boxes. Fields may be in any memory and
 * layout.
 *   save         one field, by the name of the file without folder and ending
 *   fields_save  several fields of one grid; name[m]: of field[m], up to 63 characters of ASCII other
 *                than < > & " ', all different; count: 1 ... 256
 * Rank 0 alone opens the file and writes for all, 2 MiB at a time. It writes FILE.PID-N, which is
 * renamed when all is well and else deleted, so an older file stays until the new one is complete; a
 * killed program may leave that file. Errors, on all ranks: EINVAL (names; .vti and a grid with widths;
 * fields of different grids), EUNSUPPORTED (FACE and BOUNDARY fields; levels other than 0), EIO (the
 * text names the file and the reason: no such folder, no permission, disk full), ENOMEM, ECUDA, EMPI. */
HYMG_API hymg_status hymg_field_save(const hymg_field *field, const char *file);
HYMG_API hymg_status hymg_fields_save(int count, const hymg_field *const field[],
                                      const char *const name[], const char *file);

/* The geometry of a grid, straight or curved, into fields (NULL: not wanted): the volume of each cell (CELL); the area
 * of each face, and the distance between the centres on both sides of it, at a wall from the centre to the wall (FACE_X,
 * FACE_Y, FACE_Z). Volumes and areas are exact, distances those along the axis through the middles of cells, in the
 * coordinates. An area times hymg_fluxes is what passes the face. Not collective. Errors: EINVAL (fields), ENOMEM, ECUDA. */
HYMG_API hymg_status hymg_grid_measure(hymg_grid *grid, hymg_field *volume,
                                       hymg_field *const area[3], hymg_field *const distance[3]);

/* ---- bodies and masks ---- */

/* What is solid is left out by coefficients. These calls make them: alpha and beta hold those of the equation without
 * the body and get those with it, with zeros on faces and in cells that are closed. They know no operator and no
 * solver. Fields are of one grid, in any memory and layout (values pass through the host's memory), and formulas those
 * of FV2. docs/boundaries.md explains them, docs/numerics.md has their orders. */

/* Collective. active: cell field, 0 in cells that are left out, any other number elsewhere. beta becomes 0 on all
 * faces of inactive cells, alpha (or NULL) in these cells; weight (or NULL) becomes 1 in active cells and 0 in
 * others, for hymg_body_rhs. beta and alpha may be NaN in inactive cells. Errors: EINVAL (fields; active is NaN,
 * with the cell), ENOMEM, EMPI; the fields then are as they were. */
HYMG_API hymg_status hymg_mask_coefficients(const hymg_field *active, hymg_field *alpha,
                                            hymg_field *const beta[3], hymg_field *weight);

/* A body by what it leaves open, and the condition on its surface; n points into the body. */
typedef struct hymg_body {
  /* Fractions of 0 to 1, without a least one but 0: of the volume of each cell (CELL) and of the area of each face
   * (FACE_X, FACE_Y, FACE_Z). All are required. */
  const hymg_field *volume;
  const hymg_field *area[3];
  /* NEUMANN (the default): b beta du/dn = value, the flux into the open part per unit of area. DIRICHLET: u = value.
   * ROBIN: robin_alpha u + robin_beta du/dn = value, both >= 0 and not both 0. */
  hymg_boundary condition;
  double value_constant; /* used where value is NULL; finite; 0 */
  /* Cell field: the value at the point of the surface that is nearest to the cell's centre; read in cells that the
   * surface cuts and, with DIRICHLET, their neighbours. */
  const hymg_field *value;
  double robin_alpha_constant, robin_beta_constant; /* used where the fields are NULL; 1 */
  const hymg_field *robin_alpha, *robin_beta; /* cell fields, read in cells that the surface cuts */
} hymg_body;
/* NEUMANN with value 0, which is a wall; no fields. */
HYMG_API hymg_body hymg_body_default(void);

/* Fractions from a signed distance, positive in the open part, or any function with that sign that is smooth
 * near the surface. It is given at the vertices of cells: vertex (i, j, k) of n[0] + 1 and so on is the low corner
 * of cell (i, j, k). Vertices rather than centres, so that each cell's fractions come from its own 8 numbers, without
 * those of other ranks or beyond the domain, and both cells at a face agree on it. (low, count, stride, distance)
 * is a brick of vertices in host memory, as in hymg_field_write, that holds those of all cells of this rank.
 * Exact for planes, with an error of O(h^2) of a curved surface. Not collective. Errors: EINVAL (volume NULL gives no
 * text; fields; a brick that lacks vertices; a distance that is not finite, with the vertex), ENOMEM, ECUDA. */
HYMG_API hymg_status hymg_body_fractions(const int low[3], const int count[3],
                                         const ptrdiff_t stride[3], const double *distance,
                                         hymg_field *volume, hymg_field *const area[3]);

/* Collective. alpha and beta of a alpha u - b div(beta grad u) = f become those with the body, for the same a and b;
 * the right-hand side is weight f + source (hymg_body_rhs). weight and source may be NULL; alpha, too, with NEUMANN.
 *   NEUMANN, ROBIN  cut cells: beta times the area's fraction, alpha and f times the volume's; u is the value at the
 *                   centre of the whole cell. Of 2nd order in u, of 1st in the fluxes.
 *   DIRICHLET       cells whose centre is open, as whole cells; those with a closed centre are left out, as by
 *                   hymg_mask_coefficients, and the faces to them lead to the surface where it crosses the line
 *                   between the centres. Of 2nd order in u, of 1st in the fluxes, and symmetric.
 * DIRICHLET and ROBIN need a > 0: their part of alpha is b beta / a times a length^-2. Several bodies: one call after
 * the other, and their right-hand sides in the same order. beta is read on all faces of cells that are open or cut, alpha
 * in these cells; elsewhere they may be NaN.
 * Errors: EINVAL (body or body.volume NULL gives no text; fields; a; a fraction outside 0 to 1 or bad Robin
 * numbers, with the cell), EUNSUPPORTED (a curved grid), ENOMEM, EMPI; the fields then are as they were. */
HYMG_API hymg_status hymg_body_coefficients(const hymg_body *body, double a, double b,
                                            hymg_field *alpha, hymg_field *const beta[3],
                                            hymg_field *weight, hymg_field *source);
/* f becomes weight f + source, without reading f where weight is 0; source may be NULL. Cell fields. Not collective.
 * Errors: EINVAL (f NULL gives no text; fields), ENOMEM, ECUDA. */
HYMG_API hymg_status hymg_body_rhs(const hymg_field *weight, const hymg_field *source,
                                   hymg_field *f);

/* ---- operator: a description ---- */

typedef enum hymg_stencil { HYMG_FV2 = 0, HYMG_FV4 = 1 } hymg_stencil;
/* Ghost extrapolation of FV2 at Dirichlet and Robin boundaries: linear (v1) or quadratic (v2, the
 * default). VERTEX: linear, but Dirichlet values are a whole spacing away from the first unknowns
 * instead of half of one, as on grids whose unknowns are at vertices; not with widths. FV4 has its own
 * quartic one. */
typedef enum hymg_extrapolation {
  HYMG_EXTRAPOLATION_DEFAULT = 0,
  HYMG_EXTRAPOLATION_LINEAR = 1,
  HYMG_EXTRAPOLATION_QUADRATIC = 2,
  HYMG_EXTRAPOLATION_VERTEX = 3
} hymg_extrapolation;

typedef struct hymg_operator_desc {
  hymg_stencil stencil;
  hymg_extrapolation extrapolation;
  double a, b;             /* a >= 0, b > 0 */
  double alpha_constant;   /* used where alpha is NULL; >= 0 */
  double beta_constant;    /* used where beta is all NULL; >= 0 */
  const hymg_field *alpha; /* cell field, >= 0, or NULL */
  /* FACE_X, FACE_Y, FACE_Z fields, >= 0; all or none. With one number on all faces of all ranks they are taken for that
   * number, as a new solver or an update finds. Nothing flows through a face whose beta is 0 (FV2): the solver
   * then takes the robust path, with the linear extrapolation at boundaries. A cell all of whose faces have beta 0 and
   * with a alpha = 0 is no unknown: f does not count there (it may be NaN), u becomes 0 and is in no norm or mean. What
   * is left may be in several pieces, of which each may be singular (hymg_result.pieces) */
  const hymg_field *beta[3];
  /* Boundary data as BOUNDARY fields or NULL: values on Dirichlet boundaries, outward derivatives
   * on Neumann boundaries, g on Robin boundaries (FV2). With FV4 the solver then takes the robust
   * path, so that FMG is not possible. */
  const hymg_field *boundary_data[6];
  double boundary_constant[6]; /* used where boundary_data is NULL; finite */
  /* On Robin boundaries, of the condition robin_alpha u + robin_beta du/dn = g with the outward
   * derivative: numbers, used where the fields are NULL, and BOUNDARY fields. Both >= 0 and not both
   * 0 anywhere: other signs would make the operator indefinite. robin_alpha has the dimension of 1,
   * robin_beta that of a length. */
  double robin_alpha_constant[6], robin_beta_constant[6];
  const hymg_field *robin_alpha[6], *robin_beta[6];
  /* FV4: a face across which beta jumps has the flux of FV2, without which FV4 has no solution worth the
   * name from jumps of about 100 on: where beta among a face and its neighbours of the same direction
   * varies by more than this factor, at least 1, and next to it along the face's axis; with any factor near
   * faces of beta 0 and fixed cells. 0: a factor of 8
   * on the robust path, none on the standard path; INFINITY: no face on either. Another value asks for
   * the robust path. There, along axes on which alpha varies by more than half the factor between a cell
   * and its neighbours, the product of the means is taken for the mean of alpha u. */
  double limiter;
  /* Cell field of given values, or NULL. Where it is not NaN, the cell is fixed: u has that value in the
   * result, to the bit, and is no unknown; f and alpha of the cell do not count (f may be NaN, alpha must be
   * valid), and the faces between it and other cells make it Dirichlet data at its centre. The solver then
   * takes the robust path, FV2 with the linear extrapolation at boundaries, FV4 with the flux of FV2 near
   * fixed cells. A system with a fixed cell is not singular. */
  const hymg_field *fixed;
} hymg_operator_desc;

/* FV2 Poisson: a 0, b 1, constants 1, no boundary data, no fields. */
HYMG_API hymg_operator_desc hymg_operator_desc_default(void);

/* Fields are borrowed: only hymg_solver_create and hymg_solver_update read them; between such
 * calls they need not exist. Errors: EINVAL (also a grid or boxes too thin for FV4: it needs 2
 * cells per axis and boxes of 3; a limiter below 1), EUNSUPPORTED (FV4 with Robin or open boundaries,
 * an extrapolation other than the default, or fewer than 4 cells between Neumann boundaries; FV2 with a
 * limiter; fixed cells with the quadratic extrapolation; open boundaries with alpha, fields of beta, fixed
 * cells or the extrapolation VERTEX), ENOMEM. */
HYMG_API hymg_status hymg_operator_create(hymg_grid *grid, const hymg_operator_desc *desc,
                                          hymg_operator **op);
/* The current description, with the pointers to fields that were given. Errors: EINVAL (NULL). */
HYMG_API hymg_status hymg_operator_get(const hymg_operator *op, hymg_operator_desc *desc);
/* Sets new constants, fields and boundary data. These must not change: stencil, extrapolation,
 * limiter, whether a is 0, which of alpha, beta, robin_alpha, robin_beta and fixed are fields, and which
 * boundaries have data (a field or a constant other than 0). Which cells are fixed may change. Takes
 * effect at the next hymg_solver_update. Errors: those of hymg_operator_create, EINVAL for a change that is not
 * allowed; the operator then stays as it was. Fields of the old desc that have been destroyed must
 * be replaced here before the next hymg_solver_update. */
HYMG_API hymg_status hymg_operator_set(hymg_operator *op, const hymg_operator_desc *desc);
HYMG_API void hymg_operator_destroy(hymg_operator **op);

/* ---- solver ---- */

/* FMG: a single F-cycle. MG: cycles to the tolerance (F: an F-cycle, then V-cycles). MGPCG:
 * conjugate gradients preconditioned with one V- or W-cycle. */
typedef enum hymg_method { HYMG_FMG = 0, HYMG_MG = 1, HYMG_MGPCG = 2 } hymg_method;
/* DEFAULT: F for FMG and MG, but V for MG with an initial guess; V for MGPCG. */
typedef enum hymg_cycle {
  HYMG_CYCLE_DEFAULT = -1,
  HYMG_CYCLE_V = 0,
  HYMG_CYCLE_W = 1,
  HYMG_CYCLE_F = 2
} hymg_cycle;
typedef enum hymg_smoother {
  HYMG_GSRB = 0,
  HYMG_CHEBYSHEV = 1,
  HYMG_JACOBI = 2,
  HYMG_L1JACOBI = 3,
  HYMG_SYMGS = 4
} hymg_smoother;
/* All but SWEEPS end when the residual is 1e-3 of f, after at most 200 iterations. SWEEPS: 8
 * smoother calls, so that a cycle is a linear function of f (and symmetric if the smoother is). */
typedef enum hymg_bottom {
  HYMG_BICGSTAB = 0,
  HYMG_CG = 1,
  HYMG_CABICGSTAB = 2,
  HYMG_CACG = 3,
  HYMG_BOTTOM_SMOOTHER = 4,
  HYMG_BOTTOM_SWEEPS = 5
} hymg_bottom;
/* Interpolation of the correction (V, W) and of the initial guess in an F-cycle; DEFAULT: v2 and
 * v2 for FV2, v2 and v4 for FV4. V4 needs FV4 (its halo has two layers). To a level with an odd
 * side P1 and V2 both are parabolas through the centres of cells. */
typedef enum hymg_interpolation {
  HYMG_INTERPOLATION_DEFAULT = -1,
  HYMG_P0 = 0, /* piecewise constant */
  HYMG_P1 = 1, /* trilinear, with linear ghost extrapolation */
  HYMG_V2 = 2, /* quadratic, keeps the coarse cell's mean */
  HYMG_V4 = 4  /* quartic, keeps the coarse cell's mean */
} hymg_interpolation;
typedef enum hymg_backend {
  HYMG_BACKEND_AUTO = 0,
  HYMG_BACKEND_HOST = 1,
  HYMG_BACKEND_CUDA = 2
} hymg_backend;

/* How the fastest kernels and placement are chosen when a solver is created: by measuring
 * candidates on the large levels (takes about five F-cycles at 256^3), or from the sizes of the
 * caches and a table. AUTO: a GPU's placement is measured, the host's schedule is estimated.
 * Results have the same bits in any way. */
typedef enum hymg_tuning {
  HYMG_TUNE_MEASURE = 0,
  HYMG_TUNE_ESTIMATE = 1,
  HYMG_TUNE_AUTO = 2
} hymg_tuning;

/* Where a level lives that is gathered (docs/clusters.md): on one rank, which sends the correction back, or whole on each rank that
 * holds cells of the finer one, so that nothing is sent back. AUTO: the latter on the host if the ranks are on several nodes, and with
 * CUDA by NCCL on the standard path */
typedef enum hymg_gather {
  HYMG_GATHER_AUTO = 0,
  HYMG_GATHER_ROOT = 1,
  HYMG_GATHER_ALL = 2
} hymg_gather;

/* The memory of the solver's vectors on a GPU: device memory, or managed memory, which host code
 * may access through the same pointer whenever the stream is idle. */
typedef enum hymg_memory { HYMG_MEMORY_DEVICE = 0, HYMG_MEMORY_MANAGED = 1 } hymg_memory;

/* How ranks with GPUs exchange cells. DEVICE: MPI gets device memory, if it reports that it
 * accepts it; try hymg_probe_device_messages first. STAGED: MPI gets pinned host memory that
 * kernels fill. PEER: kernels of the ranks of a node write into each other's GPUs, which must
 * all be different; between nodes DEVICE or STAGED, as with AUTO. NCCL: sends and receives of NCCL,
 * within and between nodes, if this library was built with NCCL (hymg_build_info) and no two ranks
 * share a GPU; a cycle then has no MPI calls and the host does not wait. AUTO: on several nodes NCCL
 * if the probe file says that it works; else within a node PEER if every GPU can map the memory of
 * the others, or STAGED, and between nodes DEVICE if MPI reports that it accepts device memory and
 * the probe file confirms it, or STAGED. Solvers in managed memory use STAGED. NONE: only as a
 * result, if there is nothing to exchange or no level is on a GPU. */
typedef enum hymg_transport {
  HYMG_TRANSPORT_AUTO = 0,
  HYMG_TRANSPORT_DEVICE = 1,
  HYMG_TRANSPORT_STAGED = 2,
  HYMG_TRANSPORT_PEER = 3,
  HYMG_TRANSPORT_NCCL = 4,
  HYMG_TRANSPORT_NONE = 5
} hymg_transport;
/* "auto", "device", "staged", "peer", "nccl", "none"; static strings */
HYMG_API const char *hymg_transport_name(hymg_transport transport);

/* The chosen transport, the same on every rank. */
typedef struct hymg_transport_info {
  hymg_transport within, between; /* within a node; between nodes */
  char reason[256];               /* why, one line */
} hymg_transport_info;

/* Which hierarchy and iteration a solver uses. STANDARD: all axes are halved together; cycles by
 * themselves or, with MGPCG, as preconditioner of conjugate gradients. It is the fastest where the
 * axes are coupled alike and beta is smooth. ROBUST: any size and beta, with FV2 any widths. Only
 * strongly coupled axes are coarsened; a symmetric V-cycle of FV2 is the preconditioner of
 * conjugate gradients or, with FV4 and where a Dirichlet or Robin boundary has the quadratic
 * extrapolation, of BiCGStab. MG and MGPCG then mean the same. AUTO: STANDARD if its coarsest level
 * has at most 8192 cells, 64 a side (with FV2 64 in all if there is no finer level, but for FMG),
 * the mean couplings of the axes differ by less than a factor of 2, beta of neighbouring faces by at
 * most a factor of 4, and a alpha of neighbouring cells, with their coupling b beta / h^2 added to both,
 * by at most a factor of 1.5; else ROBUST, as with FV4 where a boundary is Neumann or has data. FMG needs
 * STANDARD, and more than one level on planes and lines of more than 512 cells: if it does not suit, the
 * creation of the solver fails and names the reason.
 * FV4 with a variable alpha is of 4th order on ROBUST, where its operator has the mean of alpha u.
 * STANDARD has the product of the means, of 2nd order in this term. So AUTO takes ROBUST if alpha is
 * a field with different values, except for FMG, which then stays on STANDARD; the result's note
 * tells which it is. */
typedef enum hymg_path {
  HYMG_PATH_AUTO = 0,
  HYMG_PATH_STANDARD = 1,
  HYMG_PATH_ROBUST = 2
} hymg_path;
/* "auto", "standard", "robust"; static strings */
HYMG_API const char *hymg_path_name(hymg_path path);

/* Interpolation of the robust path; restriction is its transpose. CONSTANT: the coarse cell's
 * value. WEIGHTED: with the nearest neighbour along each axis, by the conductances between them.
 * TENSOR: from the 8 coarse cells around, with coarse conductances in series; for pieces of high beta
 * that share coarse cells, and slow on thin sheets and wires. PAIRS: no interpolation between grids; below
 * level 0 strongly coupled cells are joined in pairs, as graphs, for random media and whatever the others are
 * slow for. An iteration takes about three times as long. Up to 3.5e8 cells, in double precision; one rank makes
 * the graphs and all get a part of the large ones. AUTO: begins with WEIGHTED and, where
 * that is slow, goes over to TENSOR within a solve, from there to PAIRS if that is slow as well, and back if
 * nothing helps; the note of the result says so. The solver then stays with the better one until its next
 * update, so a second solve may take fewer iterations than the first. */
typedef enum hymg_transfer {
  HYMG_TRANSFER_AUTO = 0,
  HYMG_TRANSFER_CONSTANT = 1,
  HYMG_TRANSFER_WEIGHTED = 2,
  HYMG_TRANSFER_TENSOR = 3,
  HYMG_TRANSFER_PAIRS = 4
} hymg_transfer;

/* The norm of residual and f that the tolerance refers to: largest absolute value, or root of the
 * sum of squares. */
typedef enum hymg_norm { HYMG_NORM_MAX = 0, HYMG_NORM_2 = 1 } hymg_norm;

/* What happens if a system or one of its pieces is singular and |mean f| > 1e-4 max |f|: the mean is subtracted (and
 * reported, as always), or the solve fails with EINVAL. */
typedef enum hymg_mean { HYMG_MEAN_SUBTRACT = 0, HYMG_MEAN_ERROR = 1 } hymg_mean;

/* The kind of cycle that a record describes; CG and BICGSTAB: an iteration. */
typedef enum hymg_cycle_kind {
  HYMG_KIND_F = 0,
  HYMG_KIND_V = 1,
  HYMG_KIND_W = 2,
  HYMG_KIND_CG = 3,
  HYMG_KIND_BICGSTAB = 4
} hymg_cycle_kind;

typedef struct hymg_cycle_record {
  hymg_cycle_kind kind;
  /* Norm (options.norm) of f - A u after the cycle, where f includes the boundary data and, if the
   * system is singular, is without its mean; with MGPCG and on the robust path of the
   * recurrence's residual, which differs by rounding. On a grid with widths every cell's residual
   * is weighted with its volume over the mean volume. */
  double residual_max;
  double residual_relative; /* residual_max over the norm of f; 0 if both are 0 */
} hymg_cycle_record;

/* Called on every rank after each cycle (the first is 0) with the same record; if it returns
 * false on any rank, the solve ends (reason STOPPED). It must not call the library. On a GPU nothing
 * of the solve runs meanwhile. */
typedef bool (*hymg_monitor)(const hymg_cycle_record *record, int cycle, void *user);

typedef struct hymg_options {
  hymg_method method;
  hymg_cycle cycle; /* FMG takes F only, MGPCG V or W */
  hymg_smoother smoother;
  /* Sweeps per pre- and post-smoothing, 1 ... 1000; gsrb and symgs: even, chebyshev: a multiple
   * of its degree 6. -1: 6, for symgs 4; for gsrb with MG 4 on the finest level if it has more than
   * 32^3 cells and no wall with the linear extrapolation, on the robust path 4 on all (singular
   * systems: 6, and 8 below the finest level). hymg_solver_level tells */
  int sweeps;
  hymg_bottom bottom; /* on the coarsest level */
  hymg_interpolation interpolation_v, interpolation_f;
  double rtol;        /* MG, MGPCG: stop at |r| <= rtol |f| (see hymg_result.converged); > 0 */
  int max_cycles;     /* MG, MGPCG: 1 ... 10000; -1: 100; MGPCG and the robust path: 2000 */
  bool initial_guess; /* MG with V or W, MGPCG: u is the initial guess, else zero is */
  hymg_backend backend;
  hymg_tuning tuning;
  /* CUDA: the first level on which no rank holds at least this many cells, and all levels below
   * it, run on the host; 0: none; -1: chosen automatically (see tuning; grids with fewer than
   * 64^3 cells are not measured). On the robust path never the finest level, and -1: none */
  int64_t host_cells;
  /* CUDA, if no level runs on the host: the part of a V-cycle from the first level with fewer
   * cells than this runs in one launch, if its size and kind allow; 0: none; -1: likewise chosen
   * automatically */
  int64_t tail_cells;
  /* A text file in which rank 0 stores what was measured: for host_cells and tail_cells, and with
   * tuning MEASURE the schedules of the host's levels, which other ranks with such levels take as
   * well. Its keys are the device or processor, the method, the shape and the version; created if
   * it does not exist, ignored if it cannot be used. Only read by hymg_solver_create and
   * hymg_solver_need. NULL: none */
  const char *tuning_file;
  hymg_memory memory;       /* CUDA: of the vectors */
  hymg_transport transport; /* CUDA on several ranks */
  /* Several ranks: levels below the finest with fewer cells in total are gathered; 0: only where boxes can neither be halved
   * nor paired (below 4096 cells on the robust path and below odd sides); -1: chosen, with CUDA by transport, on the host
   * levels of at most 16^3 cells if all ranks get them. Also of the graphs of pairs, by their nodes: 0: as few as can be; -1:
   * those of fewer than 2048, with CUDA 100,000. Does not change results */
  int64_t gather_cells;
  /* Several ranks, on the host: of levels that are one box, those of at most 64^3 cells (ALL), or 16^3 (AUTO), or fewer than
   * gather_cells; others are on one rank. With CUDA on the standard path: those of fewer than gather_cells, by NCCL and (ALL) by
   * device and staged messages; with peers, and with AUTO on one node, all are on one rank. Does not change results */
  hymg_gather gather;
  /* Several ranks, on the host below the finest level: cells of neighbours that each rank computes as well, in so many
   * layers around its boxes, so that a smoother call exchanges once for that many half sweeps (FV4: sweeps of two
   * layers); 0: none; -1: where a trial says that it saves time, which is made on levels of at most 32^3 cells a rank
   * if the ranks are on several nodes and tuning is not ESTIMATE. On GPUs, also on the finest level, a box a rank:
   * the next multiple of 4, at most what a visit needs; -1: with NCCL on the standard path, where boxes are not too large.
   * Does not change results */
  int halo_layers;
  /* AUTO: the file written by hymg_probe_device_messages and hymg_probe_nccl_messages, read by rank
   * 0; NULL: none */
  const char *probe_file;
  /* > 0. PEER: a GPU that has waited this long for another one aborts, and the solve fails; NCCL:
   * likewise a rank that has waited this long for its own GPU. The context's wait_seconds counts
   * instead if it is less */
  double peer_seconds;
  hymg_precision precision; /* of cycles in hymg_solve; hymg_solver_cycle is DOUBLE */
  hymg_monitor monitor;     /* or NULL */
  void *monitor_user;
  hymg_path path;
  hymg_transfer transfer; /* of the robust path */
  hymg_norm norm;         /* MG, MGPCG */
  double atol;            /* MG, MGPCG: stop also at |r| <= atol; >= 0 */
  hymg_mean rhs_mean;     /* of singular systems */
  /* MG, MGPCG: a solve has stagnated after so many cycles without a gain of 5 %, 1 ... 10000; 0: never;
   * -1: after as many as had been needed up to the last such gain, at least 10 or, with Krylov
   * iterations, 200 */
  int stagnation;
} hymg_options;

/* FMG, default cycle, gsrb, default sweeps, bicgstab, rtol 1e-10, default max_cycles,
 * initial guess zero, backend auto, transport auto, peer_seconds 60, precision auto, path auto, max
 * norm. */
HYMG_API hymg_options hymg_options_default(void);
/* For hymg_solver_cycle as preconditioner of conjugate gradients: MG, V-cycle, chebyshev, constant
 * interpolation, a fixed number of smoother calls on the coarsest level. The cycle is then symmetric
 * and positive definite on the standard path if the operator is FV2 with HYMG_EXTRAPOLATION_LINEAR;
 * on the robust path it is so for every FV2 operator (on a grid with widths in the inner product
 * that weights cells with their volumes). Else MG and the defaults. */
HYMG_API hymg_options hymg_options_preconditioner(void);

/* Changes options by text, "smoother=chebyshev sweeps=6 rtol=1e-8": words key=value, separated by
 * spaces or commas. Keys are the members of hymg_options with - or _ (but no files and monitor);
 * values are numbers, the names of the enum's values (hymg_enum_name), yes and no, and
 * auto for -1. On failure the options stay as they were, and the text in `error` (at most size
 * bytes; may be NULL with size 0) names the word and what is allowed. What only the operator and
 * other options decide is checked by hymg_solver_create. Errors: EINVAL. */
HYMG_API hymg_status hymg_options_parse(hymg_options *options, const char *text, char *error,
                                        size_t size);
/* The keys of hymg_options_parse, one for each index from 0 on; false if there are not so many.
 * Static strings: the key (with -), what to write for the value, and a text of a few lines. */
typedef struct hymg_option_info {
  const char *key, *values, *help;
} hymg_option_info;
HYMG_API bool hymg_option_get(int index, hymg_option_info *info);

typedef enum hymg_reason {
  HYMG_REASON_TOLERANCE = 0,
  HYMG_REASON_LIMIT = 1,      /* max_cycles reached; for FMG: after its single cycle */
  HYMG_REASON_STAGNATED = 2,  /* options.stagnation */
  HYMG_REASON_DIVERGED = 3,   /* the residual grew 10^4-fold; of Krylov iterations 10^15-fold */
  HYMG_REASON_NOT_FINITE = 4, /* NaN or infinity in f or in the iteration */
  HYMG_REASON_STOPPED = 5     /* by the monitor */
} hymg_reason;
/* "tolerance", "limit", "stagnated", "diverged", "not finite", "stopped"; static strings */
HYMG_API const char *hymg_reason_name(hymg_reason reason);

/* A solve that does not converge returns a result, not an error. All members but seconds are the
 * same on every rank. */
typedef struct hymg_result {
  /* The residual itself is within the tolerance (after Krylov iterations within a factor of 1.5 of it) and
   * u has changed by at most 100 rtol max |u| in the last step; or the residual is where rounding ends, at
   * most 1e-5 |f| (see note). FMG: the residual is at most 1e-2 |f| or that of the discretisation. In
   * full: docs/numerics.md, "When a solve has converged" */
  bool converged;
  hymg_reason reason;
  int cycles; /* 0 if f is 0 and so is u, except with an F-cycle */
  /* of f - A u itself; 0 if there was no cycle */
  double residual_max, residual_relative;
  /* `cycles` records, owned by the solver, valid until its next solve or its destruction */
  const hymg_cycle_record *history;
  double rhs_max; /* norm of f, including the boundary data, without the mean */
  bool singular;
  /* mean of f that was subtracted, 0 if not singular; of several singular pieces, that of the piece where it is the
   * largest beside max |f| */
  double mean_removed;
  /* Parts of the grid that are connected by faces of beta > 0, and those in which nothing holds u: no Dirichlet or
   * Robin boundary, fixed cell or alpha. 1 piece where no face has a beta of 0 (fixed cells do not matter for that) */
  int64_t pieces, singular_pieces;
  const hymg_transport_info *transport; /* owned by the solver, valid until its destruction */
  double seconds;                       /* wall time of the call on this rank */
  hymg_path path;                       /* STANDARD or ROBUST */
  hymg_precision precision;             /* DOUBLE, or MIXED to the end */
  /* Why that path, and what else is worth knowing (a subtracted mean, a tolerance below rounding,
   * another transfer, a breakdown, why cycles in single precision were given up, what a large residual
   * of FMG means, advice if the solve did not converge); owned by the solver, valid until its next solve
   * or its destruction */
  const char *note;
  /* OK. Where a call makes several solves, that of this one; if it has failed, all other members are 0 or NULL. */
  hymg_status status;
} hymg_result;

/* Collective: builds the hierarchy and reads the coefficients. options NULL: the defaults. An
 * operator may have several solvers. Uses CUDA if backend is cuda, or if it is auto and every rank
 * has a device. Errors: EINVAL (options; negative or non-finite coefficients, infinite values of fixed
 * cells, robin_alpha and robin_beta both 0: the text has the place; the largest b beta / h^2 along an axis not within
 * 1e-300 ... 1e300, a alpha not below 1e300), EUNSUPPORTED (backend cuda without CUDA or with
 * symgs; fixed cells or a beta of 0 with FMG or path standard; a beta of 0 with the quadratic
 * extrapolation; a transport that is not possible here), ENOMEM (with what is needed and what is free on
 * the GPU, before anything is allocated there), ECUDA, EMPI. */
HYMG_API hymg_status hymg_solver_create(hymg_operator *op, const hymg_options *options,
                                        hymg_solver **solver);
/* Collective: reads the operator's constants, fields and boundary data again and keeps the
 * hierarchy, unless the new coefficients ask for the robust path or for other axes, the first faces of beta
 * 0 appear or the last ones vanish, or fields of beta become one number or cease to be: then it is built anew. Errors: EINVAL (coefficients; the solver keeps the old ones), EUNSUPPORTED (FMG, and
 * the coefficients now ask for the robust path), ENOMEM, EMPI (a successful update is needed before
 * the next solve after these three). */
HYMG_API hymg_status hymg_solver_update(hymg_solver *solver);
/* Collective. */
HYMG_API void hymg_solver_destroy(hymg_solver **solver);

/* Collective: solves A u = f on level 0. u and f are different cell fields of the grid, used in
 * place if they were created with this solver, else converted. f is not changed. A singular system
 * (no Dirichlet boundary, no fixed cell, robin_alpha = 0, a alpha = 0) is solved for f minus its mean,
 * and u has mean zero; where faces have beta 0, each piece that is singular by itself is treated so. result may be
 * NULL. Errors: EINVAL (fields of another grid; with HYMG_MEAN_ERROR a singular system, or a piece of one, whose
 * |mean f| > 1e-4 max |f|, with both numbers), ENOMEM (if transfer AUTO
 * changes the transfer, which takes the memory of an update, an update is needed before the next
 * solve), EMPI. u is undefined after an error. */
HYMG_API hymg_status hymg_solve(hymg_solver *solver, const hymg_field *f, hymg_field *u,
                                hymg_result *result);

/* Several solves by one call. What each does and gives, to the bit, is what hymg_solve does and gives, called for one after the
 * other in this order. Each is made whatever becomes of the others: one that does not converge is a result as always, and one
 * that fails says so in results[m].status, while u[m] alone is undefined. The call returns the status of the first one that
 * failed, whose text names its number, counted from 0. results may be NULL; histories and notes in it are valid until the next
 * solve of their solver or its destruction.
 *   solve_many   collective: A u[m] = f[m] with one solver. If a solve ends with reason STOPPED (hymg_solver_stop or the
 *                monitor), those after it are not begun: they have that reason, no cycles, and u[m] as it was
 *   solve_batch  solver[m] for f[m] and u[m]. Solvers of different contexts, each of one rank without a communicator, work at
 *                the same time where that is faster, one thread for each context: as many as the contexts have threads
 *                together, and no more than OpenMP gives a context by default. On a GPU each context has a stream of its own,
 *                unless they were given the same one. Solvers of one context work one after the other, as do contexts with
 *                communicators, for whose ranks the call is collective with the same solvers in the same order. Monitors of
 *                different contexts may be called at the same time, by threads of the library. The text of a failure is that of
 *                its context
 * Errors: those of hymg_solve, EINVAL (a count below 0, NULL). */
HYMG_API hymg_status hymg_solve_many(hymg_solver *solver, int count, const hymg_field *const f[],
                                     hymg_field *const u[], hymg_result results[]);
HYMG_API hymg_status hymg_solve_batch(int count, hymg_solver *const solver[],
                                      const hymg_field *const f[], hymg_field *const u[],
                                      hymg_result results[]);

/* Collective: one cycle for A u = f on level 0 and nothing else: no norm, no test, no wait for a GPU
 * and, from the second call with the same fields on, no agreement of the ranks (a rank with another
 * kind, from_u or field, or NULL, is then not noticed). kind: V, W or F;
 * DEFAULT: the solver's. from_u: u is the initial guess (not with F), else zero is. Boundary data are
 * not added: the boundary conditions are homogeneous, as for a correction or a preconditioner, and u
 * becomes 0 in fixed cells. In a
 * singular system f should have mean zero, and the mean of u is arbitrary. f and u are different
 * cell fields of the grid, of any memory and layout; those created with the solver are used in place
 * (f not on a grid with widths), others as hymg_field_wrap says. On the robust path the cycle is the
 * preconditioner of its iterations; u becomes u + M (f - A u). f is not changed. Errors: EINVAL
 * (fields; F with from_u), EUNSUPPORTED (F on the robust path, or with boundary data), ENOMEM. With
 * several ranks, failures of communication and GPUs during the cycle are reported by the next
 * collective call in which the ranks agree, on every rank; u of this cycle and of those until then
 * is undefined. After a GPU's failure the same calls may be made again. */
HYMG_API hymg_status hymg_solver_cycle(hymg_solver *solver, hymg_cycle kind, bool from_u,
                                       const hymg_field *f, hymg_field *u);

/* Collective: the fluxes -b beta grad u through all faces of level 0 per unit of area, positive in
 * the direction of the axis, into FACE_X, FACE_Y and FACE_Z fields of the grid (NULL: not wanted).
 * On boundaries by the same rule as the operator's: with the extrapolation of Dirichlet boundaries
 * and the boundary data (open boundaries: those of the last solve or hymg_residual, 0 before it). The sum of outward fluxes times areas over the volume of a cell, plus a alpha
 * u, is A u up to rounding. On a periodic axis entry n repeats entry 0. Fixed cells have their given
 * values here, whatever u is there, and fluxes as other cells. Errors: EINVAL (fields), EUNSUPPORTED
 * (FV4), ENOMEM, EMPI. */
HYMG_API hymg_status hymg_fluxes(hymg_solver *solver, const hymg_field *u,
                                 hymg_field *const flux[3]);

/* Ends the solve that runs, or else the next one, after its current cycle, on all ranks, with reason
 * STOPPED; one rank's call is enough. May be called by a signal handler or by another thread. */
HYMG_API void hymg_solver_stop(hymg_solver *solver);

/* Collective: what the solver knows that may slow down or spoil its solves, one line each, with the
 * option to try; "" if there is nothing. result: of its last solve, or NULL for what is known without
 * one. text has `size` bytes; lines that do not fit are left out whole (HYMG_ADVICE bytes always do).
 * The same on every rank; takes about as long as a few cycles. Errors: EINVAL (NULL), ENOMEM, EMPI. */
enum { HYMG_ADVICE = 4096 };
HYMG_API hymg_status hymg_solver_advice(hymg_solver *solver, const hymg_result *result, char *text,
                                        size_t size);

/* STANDARD or ROBUST, and why, one line, owned by the solver. why may be NULL. */
HYMG_API hymg_path hymg_solver_path(const hymg_solver *solver, const char **why);
/* The number of pieces, and of singular ones (hymg_result.pieces), by the current coefficients. singular may be NULL. */
HYMG_API int64_t hymg_solver_pieces(const hymg_solver *solver, int64_t *singular);
/* Levels, 0 the finest. */
HYMG_API int hymg_solver_num_levels(const hymg_solver *solver);
typedef struct hymg_level_info {
  int cells[3];
  int box[3]; /* cells of one (unmerged) box; the mean, rounded up, if they are unequal */
  int64_t boxes;
  int ranks;         /* ranks that hold cells of this level; of one box: that each hold all of it */
  double spacing[3]; /* standard path: of all cells but a narrower last one below odd sides */
  hymg_backend backend;
  double lambda_max;  /* Gershgorin bound of D^-1 A */
  int sweeps;         /* of each pre- and post-smoothing */
  int halo_layers;    /* as in hymg_options */
  unsigned coarsened; /* axes halved on the way to the next level, bit per axis; 0: the coarsest */
  /* On a GPU: the kernels that this rank runs for smoother, residual and restriction, by the
   * names that a profiler shows; else "". Owned by the solver, valid until it is updated or
   * destroyed. */
  const char *kernels;
} hymg_level_info;
/* Errors: EINVAL (no such level). All members but kernels are the same on every rank, even if it
 * holds nothing of the level. */
HYMG_API hymg_status hymg_solver_level(const hymg_solver *solver, int level, hymg_level_info *info);

/* Collective: the same solve with `level` as the finest one, with fields from
 * hymg_field_create_on_level (level 0: any cell fields of the grid). Errors: also EUNSUPPORTED (a
 * level other than 0 on the robust path, or below one with an odd side). */
HYMG_API hymg_status hymg_solve_on_level(hymg_solver *solver, int level, const hymg_field *f,
                                         hymg_field *u, hymg_result *result);
/* Collective: coarse (on level + 1) = mean of 8 cells of fine (on level); on the robust path the sum
 * of the children. Errors: EUNSUPPORTED (standard path, from a level with an odd side); here and
 * below: EINVAL (no such level, fields of another grid, level or solver), ENOMEM, EMPI. */
HYMG_API hymg_status hymg_restrict(hymg_solver *solver, int level, const hymg_field *fine,
                                   hymg_field *coarse);
/* Collective: y = A x with homogeneous boundary conditions; r = f - A u with the boundary data. In fixed
 * cells x and u are not read, y and r are 0; y takes them as 0, r as given.
 * Any cell fields of that level; outputs may be inputs. On the robust path levels other than 0 hold
 * integrals over cells, in units of level 0's mean cell. */
HYMG_API hymg_status hymg_apply(hymg_solver *solver, int level, const hymg_field *x, hymg_field *y);
HYMG_API hymg_status hymg_residual(hymg_solver *solver, int level, const hymg_field *f,
                                   const hymg_field *u, hymg_field *r);

/* Collective: the bytes in use during a solve (hierarchy, u, f, plans, buffers) on all ranks,
 * divided by the cells of level 0; NaN if the communication fails. Some are allocated by the
 * first solve. */
HYMG_API double hymg_solver_bytes_per_dof(const hymg_solver *solver);
/* Seconds of the tuning part of hymg_solver_create on this rank. */
HYMG_API double hymg_solver_tuning_seconds(const hymg_solver *solver);

/* The source of the choice of levels for the GPU, the coarse end and the host. */
typedef enum hymg_tuning_source {
  HYMG_TUNING_NONE = 0,     /* there was nothing to choose */
  HYMG_TUNING_OPTIONS = 1,  /* host_cells and tail_cells */
  HYMG_TUNING_ESTIMATE = 2, /* a rule that suits most machines */
  HYMG_TUNING_MEASURED = 3, /* by this or another solver of the context */
  HYMG_TUNING_FILE = 4      /* read from the tuning file */
} hymg_tuning_source;
/* "none", "options", "estimate", "measured", "file"; static strings */
HYMG_API const char *hymg_tuning_source_name(hymg_tuning_source source);

/* The GPU runs levels [0, tail_from) one launch per step and [tail_from, host_from) in a single
 * launch; the host runs those from host_from on. A value equal to the number of levels means
 * none. Without CUDA both are 0. */
typedef struct hymg_tuning_info {
  int tail_from, host_from;
  hymg_tuning_source source;
  double seconds; /* duration of the measurement, part of hymg_solver_tuning_seconds */
  char note[256]; /* why the tuning file was not read or written, "" if all is well */
} hymg_tuning_info;
/* The same on every rank. Errors: EINVAL (NULL). */
HYMG_API hymg_status hymg_solver_tuning(const hymg_solver *solver, hymg_tuning_info *info);

/* ---- exchange between GPUs ---- */

/* Errors: EINVAL (NULL). */
HYMG_API hymg_status hymg_solver_transport(const hymg_solver *solver, hymg_transport_info *info);

/* Collective, on two ranks: sends device memory through MPI and compares what arrives. If MPI
 * does not accept it, the program may crash: therefore `file`, which rank 0 writes with MPI and
 * the GPU as key, says "failed" before the test and "worked" after it. Run it once per machine,
 * as a separate program. works: the same on both ranks. Errors: EINVAL (not two ranks, NULL),
 * EIO (file), EUNSUPPORTED (no CUDA; MPI reports that it does not accept device memory), ENOMEM,
 * ECUDA, EMPI. */
HYMG_API hymg_status hymg_probe_device_messages(hymg_context *context, const char *file,
                                                bool *works);
/* Collective, on two ranks: the same through NCCL, into the same file, with the version of NCCL and
 * the GPU as key. Ranks on two nodes show whether it works between nodes; where it cannot connect it
 * may wait without a limit. Errors: EINVAL (not two ranks, NULL), EIO (file), EUNSUPPORTED (no CUDA;
 * no NCCL; the ranks share a GPU), ENOMEM, ECUDA, EMPI (also: NCCL failed). */
HYMG_API hymg_status hymg_probe_nccl_messages(hymg_context *context, const char *file, bool *works);

/* ---- memory estimate ---- */

enum { HYMG_MAX_LEVELS = 32 };

/* Bytes on this rank. */
typedef struct hymg_level_need {
  int cells[3];
  int64_t boxes;
  int ranks; /* as in hymg_level_info */
  hymg_backend backend;
  const char *memory; /* "host", "device", "managed", "pinned"; static */
  /* iterate, right-hand side, second buffers, Krylov vectors; on level 0 also u and f as fields
   * made with the solver */
  double vectors;
  double coefficients; /* beta, alpha, 1/diagonal */
  double buffers;      /* scratch, patches between levels; an upper bound of the message buffers */
} hymg_level_need;

typedef struct hymg_need {
  int num_levels;
  hymg_level_need level[HYMG_MAX_LEVELS];
  double device_bytes; /* the part of the sum that is in device or managed memory */
  double device_free;  /* bytes free there now; 0 if no level is on a GPU */
} hymg_need;

/* Which coefficients are fields. FIXED: there are fixed cells; MASK: some faces have a beta of 0. */
typedef enum hymg_variable {
  HYMG_VARIABLE_ALPHA = 1,
  HYMG_VARIABLE_BETA = 2,
  HYMG_VARIABLE_FIXED = 4,
  HYMG_VARIABLE_MASK = 8
} hymg_variable;

/* Collective: the memory that hymg_solver_create would allocate, without allocating it. desc as
 * for hymg_operator_create but without fields; variable: which coefficients will be fields, a
 * sum of HYMG_VARIABLE_ values. options NULL: the defaults. The placement of levels is read from
 * the tuning file or estimated, never measured. Coefficient fields, which the user holds while
 * the solver is created, and boundary data are not counted. Errors: EINVAL, EUNSUPPORTED, ENOMEM
 * (of the host, for lists), ECUDA, EMPI; needing more than is free is not an error. */
HYMG_API hymg_status hymg_solver_need(hymg_grid *grid, const hymg_operator_desc *desc,
                                      unsigned variable, const hymg_options *options,
                                      hymg_need *need);

/* Times per level and level operation on this rank. While profiling is on, every level operation
 * is timed (solves are a little slower); turning it on clears the rows. bytes: by the model,
 * each array once; messages and message_bytes: sent by this rank. */
typedef struct hymg_profile_row {
  int level;
  const char *operation; /* static */
  int64_t calls;
  double seconds;
  double bytes;
  int64_t messages;
  double message_bytes;
} hymg_profile_row;
HYMG_API void hymg_solver_profile(hymg_solver *solver, bool on);
/* The number of rows (level operations used so far), and one of them. Errors: EINVAL (no such
 * row). */
HYMG_API int hymg_solver_profile_rows(const hymg_solver *solver);
HYMG_API hymg_status hymg_solver_profile_row(const hymg_solver *solver, int index,
                                             hymg_profile_row *row);

/* ---- the header and the library ---- */

#define HYMG_STRUCT_LIST(X)                                                                        \
  X(hymg_build)                                                                                    \
  X(hymg_context_options)                                                                          \
  X(hymg_device_info)                                                                              \
  X(hymg_grid_desc)                                                                                \
  X(hymg_body)                                                                                     \
  X(hymg_operator_desc)                                                                            \
  X(hymg_options)                                                                                  \
  X(hymg_option_info)                                                                              \
  X(hymg_cycle_record)                                                                             \
  X(hymg_transport_info)                                                                           \
  X(hymg_result)                                                                                   \
  X(hymg_level_info)                                                                               \
  X(hymg_tuning_info)                                                                              \
  X(hymg_level_need)                                                                               \
  X(hymg_need)                                                                                     \
  X(hymg_profile_row)

/* EVERSION if a struct of this header has another size in the library. */
static inline hymg_status hymg_check_header(void)
{
#define HYMG_SAME_SIZE(type) &&hymg_struct_size(#type) == sizeof(type)
  return 1 HYMG_STRUCT_LIST(HYMG_SAME_SIZE) ? HYMG_OK : HYMG_EVERSION;
#undef HYMG_SAME_SIZE
}

static inline hymg_status hymg_context_create_checked(const hymg_context_options *options,
                                                      hymg_context **context)
{
  const hymg_status status = hymg_check_header();
  return status == HYMG_OK ? hymg_context_create(options, context) : status;
}
#define hymg_context_create hymg_context_create_checked

#ifdef __cplusplus
}
#endif
#endif
