/* A level of the hierarchy: its cells, boxes, plans, vectors and coefficients. */
#ifndef HYMGI_MULTIGRID_LEVEL_H
#define HYMGI_MULTIGRID_LEVEL_H

#include "base/boundary_kind.h"
#include "base/memory.h"
#include "base/real.h"
#include "distribution/exchange.h"
#include "multigrid/metric.h"
#include "multigrid/operator_kind.h"
#include "multigrid/smoother_kind.h"

struct hymgi_backend;
struct hymgi_profile;
struct hymgi_transfer;
struct hymgi_wide;

enum {
  HYMGI_ALL_AXES = 7,
  HYMGI_MAX_LEVELS = 32,
  HYMGI_CG_VECTORS = 4,
  HYMGI_BICGSTAB_ROBUST = 6,
  HYMGI_CORRECTION_VECTORS = 2
};

/* How the host runs smoothers; does not affect results. */
typedef struct hymgi_tuning {
  int split_from; /* gsrb: rows with at least this many cells are split by colour */
  /* levels with at least this many cells per side (cube root) use z wavefronts, of FV2 on one thread also
   * some smaller ones (finite-volume/cpu/sweep/wave_smooth.c); 0: none do */
  int wave_from;
  int wave_stages;    /* half sweeps (or sweeps) per wavefront */
  int wave_rows;      /* rows of a tile; 0: a tile is a whole plane */
  bool wave_restrict; /* residual and restriction as a further stage (gsrb of FV2 and FV4) */
} hymgi_tuning;

/* The goals of bottom solves: in cycles, and in those that make coarse matrices. */
#define HYMGI_BOTTOM_GOAL 1e-3
#define HYMGI_MATRIX_GOAL 1e-10

/* The parameters that all levels of a solver share. */
typedef struct hymgi_method {
  hymg_smoother smoother;
  int sweeps;                           /* per smoother call on level 0 */
  int coarse_sweeps;                    /* and on the levels below it */
  int interpolation_v, interpolation_f; /* hymgi_ghosts: order of each */
  bool variable_beta;
  bool has_alpha; /* a alpha x is part of the operator */
  bool variable_alpha;
  bool singular;      /* f and u are without their means */
  double bottom_goal; /* max |r| / max |f| at which a bottom solve ends */
  /* The robust path (docs/numerics.md): any size, coarsening by axis, equations integrated
   * over cells, weighted transfers, symmetric cycles */
  bool robust;
  /* Sides that are halved may be odd: the last cell is then the only child of its parent. Boxes are cut at even cells,
   * and levels know the widths of their cells. */
  bool any_sides;
  bool stretched;                        /* robust: the grid has widths, or is curved */
  const struct hymgi_transfer *transfer; /* robust: of all levels; else NULL */
  bool fixed;                            /* robust: there may be cells with given values */
  bool masked;                           /* robust: some face's beta is 0 */
  bool empty_rows;                       /* robust: rows of A may be 0, for either reason */
  unsigned
      lines; /* robust: the axis, as a bit, whose lines may be solved (multigrid/lines.h); 0: none */
  hymgi_tuning tuning;
} hymgi_method;

/* Robust path, or sizes that are not even: an axis of the whole level, by global index; owned by the
 * level, in memory that its keeper can read. */
typedef struct hymgi_axis {
  double *width; /* of n cells; the mean of the finest level is 1 */
  double
      *metric; /* method.stretched, level 0: lists (multigrid/metric.h); volumes have the mean 1 */
  /* robust path, n: the part of the distance between a cell and its sibling that lies beyond their common
   * parent's centre, which is the sibling's width over both; 0 without a sibling */
  double *part;
  /* of the n' + 1 coarse faces: distance of the fine centres on both sides over that of the coarse
   * ones; 1 if the axis is not coarsened; half of it on the standard path */
  double *closer;
  /* n x 3, where a side of the level is odd: weights of quadratic interpolation to a cell from its
   * parent's low neighbour, its parent and the high neighbour */
  double *parabolas;
} hymgi_axis;

/* Coefficients in the form that kernels read: beta times b/h^2 (FV2) or b/(12 h^2) (FV4) of its
 * axis, alpha times a. FV2 includes its ghost extrapolation in them: the ghost value c0 x1 + c1
 * x2 gives the flux beta (1 - c0) ((c1 / (1 - c0)) x2 - x1), so the stored boundary beta is beta
 * (1 - c0) and the ghost in the stencil is boundary_ghost = c1 / (1 - c0) times the opposite
 * neighbour. Behind a narrower last cell a parabola gives both (formulas/boundary.h). */
typedef struct hymgi_coefficients {
  hymgi_real
      *beta[3];      /* vectors of low faces, high boundary faces in the ghosts; NULL if constant */
  hymgi_real *alpha; /* vector, or NULL if absent or constant */
  hymgi_real *dinv;  /* FV4: 1/diagonal; FV2: NULL, it is computed from the betas */
  hymgi_real *l1inv; /* scaling of l1jacobi, else NULL */
  double beta_constant[3], alpha_constant;
  double boundary_weight[6]; /* FV2: 1 - c0, on faces that are boundaries; else 1 */
  double boundary_ghost[6];  /* FV2: c1 / (1 - c0) */
  bool limited;              /* FV4: some betas of this rank are marked (formulas/limiter.h) */
  bool closed; /* FV4: method.masked, and the mean of alpha u is between unmarked faces alone */
  /* FV4 on the robust path: not 0 if alpha varies, and has ghosts; the operator then has the mean of alpha
   * u, except where alpha varies by more than this factor (formulas/fv4_alpha.h) */
  double alpha_limit;
  /* robust path with method.empty_rows: what stands for C where a row of A is 0, so that its diagonal divides: a
   * power of 2. Such a cell is alone, and x = 0 there for f = 0 */
  double empty_row;
  /* FV2 with constant beta: rows that include the boundaries (finite-volume/cpu/cpu.h); else
   * NULL; numbers of one of them */
  hymgi_real *constant_rows;
  ptrdiff_t constant_row;
} hymgi_coefficients;

/* Cells that are no unknowns, vectors of level 0; NULL elsewhere and without empty rows. source and beta are
 * NULL without method.fixed, piece is without method.masked. */
typedef struct hymgi_fixed {
  double *given;   /* with ghosts; 0 in cells without couplings, NaN in free ones */
  double *piece;   /* of each cell its floating piece (multigrid/pieces.h), counted from 0, or -1 */
  double *source;  /* what the given values add to f of the free cells next to them */
  double *beta[3]; /* as c.beta before it was cut at fixed cells: for fluxes */
} hymgi_fixed;

/* Lines that a smoother call solves (multigrid/lines.h): vectors by formulas/lines.h, or NULL. */
typedef struct hymgi_line {
  bool on; /* there are some */
  hymgi_real *pivot, *corner;
} hymgi_line;

/* x += or = the interpolated source, coarse values in patches with their ghosts. */
typedef struct hymgi_interpolation {
  const hymgi_real *source;
  int order; /* hymgi_ghosts */
  bool add;
} hymgi_interpolation;

typedef struct hymgi_level {
  hymg_context *context;
  const hymgi_method *method;
  const hymgi_operator_kind *op;
  const struct hymgi_backend *backend;
  const hymgi_memory *memory; /* of its vectors */
  /* owner of the box lists: the backend of the finest level, which reads those of all levels */
  const struct hymgi_backend *keeper;
  struct hymgi_profile *profile;
  int index;
  bool
      single; /* in single precision (source/hierarchy/single_levels.c): vectors and coefficients are floats */
  bool hands_over; /* such a level with x and f alone: cycles go on in double precision below it */
  int n[3];
  const struct hymgi_transfer *transfer; /* to and from the next level (multigrid/transfer.h) */
  unsigned coarsened; /* axes halved on the way to the next level, bit per axis; 0: the coarsest */
  bool uneven;        /* an axis that is halved has an odd number of cells */
  unsigned shortened; /* standard path, bit per axis: the last cell is narrower than the others */
  double h[3];        /* robust path: mean width; standard path: of all but a shortened cell */
  int64_t cells;
  /* determine the order of the ghost extrapolations: the box of HPGMG-FV's sizes, or the domain */
  int extrapolation_dim[3];
  /* ROBIN also where the user's kind is Dirichlet with the extrapolation VERTEX */
  hymgi_boundary_kind boundary[6];
  double robin[6];   /* on Robin boundaries: the share (formulas/boundary.h) if it is a number */
  unsigned periodic; /* bit per axis */
  int ghost;         /* ghost layers, stored and exchanged */

  hymgi_decomp *decomp;
  int num_boxes;
  hymgi_geom *box;
  struct hymgi_level *outside; /* level 0 with other boxes than the user's: these; else NULL */
  hymgi_geom *exchanged;       /* robust path: the boxes with the colours exchanged; else NULL */
  int (*cover)[6];
  ptrdiff_t vector_size; /* 8-byte words of one vector on this rank */
  hymgi_comm *comm;      /* the ranks that hold cells; for reductions */
  int ranks;
  double largest_share; /* the largest number of cells that one rank holds */
  hymgi_plan *halo[3];  /* by hymgi_halo; NULL if there is nothing to exchange */
  int layers; /* of neighbours' cells that ranks compute as well (multigrid/wide.h); 0: none */
  struct hymgi_wide *wide; /* with layers; else NULL */
  bool starts_alone;       /* no rank needs an exchange before the first half sweep if x is 0 */

  hymgi_tuning tuning;
  bool silent;               /* host: nothing is sent, as each rank takes times by itself */
  hymgi_interpolation start; /* what the next smoother call does first; without a source: nothing */
  /* max |f - A x| is wanted after a cycle that ends with a smoother call, and may come with it */
  enum { HYMGI_NORM_UNWANTED, HYMGI_NORM_WANTED, HYMGI_NORM_KNOWN } norm;
  bool direct; /* the next coarser level has the same boxes: patches are its boxes */
  /* not direct, but this rank's only patch is part of its only box on the next level */
  bool inside;
  /* the image of each box on the next coarser level: the boxes of that level if direct, part of
   * its box if inside; NULL on the coarsest */
  hymgi_geom *patch;
  ptrdiff_t patch_size;
  hymgi_real
      *patch_vector; /* NULL if direct or inside: a vector of the coarser level is used then */
  hymgi_plan *gather, *scatter;

  /* iterate, second buffer of out-of-place smoothers, right-hand side; on level 0, x and f are
   * borrowed during a solve */
  hymgi_real *x, *y, *f;
  hymgi_real
      *spare[2]; /* further buffers of smoothers that do two sweeps in one pass over memory */
  hymgi_real *own_x, *own_f; /* x and f when no field is borrowed; may be NULL on level 0 */
  hymgi_real *scratch;       /* rows of the host's threads */
  ptrdiff_t scratch_row;     /* numbers of one of them */
  struct hymgi_boundary_data
      *boundaries; /* boundary data (source/multigrid/boundary_data.h), or NULL */
  double *krylov;  /* scratch vectors, vector_size apart, or NULL */
  int num_krylov;
  /* the GPU kernels for this level (cuda/kernel_table.h); else NULL */
  const struct hymgi_level_kernels *kernels;
  void *attached; /* data of the backend for the solver, on the coarsest level only; else NULL */

  hymgi_coefficients c;
  hymgi_fixed fixed;
  hymgi_line line;
  /* robust path: axes, and per coarsened axis the weights of the coarse neighbour, with ghosts */
  hymgi_axis axis[3];
  hymgi_real *weight[3];
  hymgi_real *weights; /* owns them */
  int num_weights;
  double lambda_max;
  double sweep_weights[2 * HYMGI_DEGREE]; /* of the smoother kind */
  double *arena;                          /* holds all vectors of the level */
  size_t arena_doubles;
} hymgi_level;

/* Shorter lines are left to the smoother. */
enum { HYMGI_SHORT_LINE = 16 };

/* The axis whose lines may be solved; -1: none. */
static inline int hymgi_line_axis(const hymgi_level *level)
{
  for (int axis = 0; axis < 3; axis++)
    if (level->method->lines >> axis & 1 && level->n[axis] > HYMGI_SHORT_LINE) return axis;
  return -1;
}

/* Does this rank hold all cells of the level that it knows of, alone or as other ranks do? */
static inline bool hymgi_is_alone(const hymgi_level *level)
{
  return level->ranks == 1 || level->decomp->whole;
}

/* Cells of the level that this rank holds. */
static inline int64_t hymgi_cells_here(const hymgi_level *level)
{
  int64_t cells = 0;
  for (int b = 0; b < level->num_boxes; b++)
    cells += (int64_t)level->box[b].n[0] * level->box[b].n[1] * level->box[b].n[2];
  return cells;
}

/* The halo that the operator reads: its ghosts within the domain. */
static inline hymgi_plan *hymgi_operator_halo(const hymgi_level *level)
{
  return level->halo[level->op->halo];
}

/* Does the halo take messages, or copies within the rank's own boxes alone? */
static inline bool hymgi_sends(const hymgi_level *level)
{
  const hymgi_plan *plan = hymgi_operator_halo(level);
  return plan && plan->num_sends + plan->num_receives > 0;
}

/* Are all of a cell's neighbours of the other colour? (FV2; not where a periodic axis has an odd
 * length.) */
static inline bool hymgi_keeps_colours_apart(const hymgi_level *level)
{
  for (int axis = 0; axis < 3; axis++)
    if (level->periodic >> axis & 1 && level->n[axis] % 2) return false;
  return true;
}

/* Sweeps, or half sweeps, of a smoother call. */
static inline int hymgi_sweeps(const hymgi_level *level)
{
  return level->index > 0 ? level->method->coarse_sweeps : level->method->sweeps;
}

static inline void hymgi_swap_buffers(hymgi_level *level)
{
  hymgi_real *const x = level->x;
  level->x = level->y;
  level->y = x;
}

#endif
