/* The kernels that a level runs: a record for each level, filled by kernel_table.cu when the
 * hierarchy is attached, and the arguments of its kernels. Nothing is chosen at launch. */
#ifndef HYMGI_KERNELS_LEVEL_KERNELS_H
#define HYMGI_KERNELS_LEVEL_KERNELS_H

#include "runtime/device.h"

/* What a sweep over a level's cells does. */
typedef enum hymgi_job {
  /* red-black Gauss-Seidel: out gets the new values of `colour`; FV2: in place */
  HYMGI_HALF_SWEEP,
  HYMGI_FIRST_HALF, /* where x is 0; sweeps say HYMGI_HALF_SWEEP, with from_zero */
  /* out = x + residual * scale * (f - A x) + momentum * (x - prev) */
  HYMGI_RELAX,
  HYMGI_RESIDUAL,     /* out = f - A x; out is not x, but in the generic kernel */
  HYMGI_RESIDUAL_RED, /* of red cells, others may be left; sweeps say HYMGI_RESIDUAL, with red */
  HYMGI_NORM,         /* the residual's, as the reduction's result */
  HYMGI_RESTRICT,     /* the residual's means, to the coarse patches */
  HYMGI_NARROW, /* factor times the residual, in single precision to `narrowed`, and its norm */
  HYMGI_APPLY,  /* out = A x, as the residual */
  HYMGI_JOBS
} hymgi_job;

struct hymgi_sweep {
  hymgi_job job;
  const hymgi_real *f, *own,
      *other; /* x: own holds the colour that is updated, other the other one */
  hymgi_real *out = NULL;
  int colour = 0;
  bool f_is_old = false; /* a sweep of this level was queued since f (and prev) were written */
  const hymgi_real *prev = NULL;  /* NULL: without momentum; may be out */
  const hymgi_real *scale = NULL; /* NULL (FV2): 1/diagonal */
  hymgi_real residual = 1, momentum = 0;
  bool from_zero = false; /* x is 0 */
  bool red = false;       /* RESIDUAL on split rows: of red cells alone */
  /* FV4 in tiles: cells that neighbours read also go into the messages of this plan (in_sweeps) */
  const hymgi_plan *sends = NULL;
  hymgi_after after = HYMGI_AFTER_ANY;
  float *narrowed = NULL; /* laid out as x */
  double factor = 1;
  hymgi_real *coarse = NULL, *zero = NULL; /* zero: NULL, or gets zeros where coarse gets means */
};

/* FV4: which boundary ghosts a kernel reads from memory. */
typedef enum hymgi_fv4_ghosts {
  HYMGI_FV4_NONE,
  HYMGI_FV4_BUT_X, /* the kernel computes those along x itself */
  HYMGI_FV4_ALL
} hymgi_fv4_ghosts;

/* How a smoother call is done. */
typedef enum hymgi_call {
  HYMGI_CALL_SWEEPS,     /* exchange, sweep or half sweep, exchange ... */
  HYMGI_CALL_IN_PARTS,   /* gsrb: half sweeps in parts, overlapped with their messages */
  HYMGI_CALL_FUSED,      /* FV2, gsrb: both colours in one pass */
  HYMGI_CALL_TILE,       /* FV2, gsrb: both colours in one launch of tiles */
  HYMGI_CALL_PEER,       /* FV2, gsrb: half sweeps with a fused exchange */
  HYMGI_CALL_FUSED_PEER, /* FV2, gsrb: both colours in one pass, with a fused exchange */
  HYMGI_CALL_SHARED,     /* FV4, gsrb: all half sweeps in one launch, the level in shared memory */
  HYMGI_CALL_TWO_SWEEPS  /* FV2, others: two sweeps in a pass as far as possible */
} hymgi_call;

/* Least half sweeps of HYMGI_CALL_SHARED: the last two write x in place, and after two others no block loads its tile from
 * there any more (gsrb_shared.cu). A view of a wide level may do fewer. */
enum { HYMGI_SHARED_SWEEPS = 4 };

/* A kernel of a level: its entry, the ghosts that it reads, its name as a profiler shows it. */
struct hymgi_kernel {
  void (*run)(const hymgi_level *level, const hymgi_sweep *sweep);
  hymgi_fv4_ghosts ghosts;
  bool around; /* in place of a neighbour's ghosts it reads the cells of a box that wraps */
  char name[32];
};

/* FV2's operator with a sum on the way: of out times `with`, which may be x or out. */
struct hymgi_apply_sum {
  hymgi_real *x, *out;
  const hymgi_real *with;
  int exponent, bits;
};

enum { HYMGI_MOST_PARTS = 7 };

/* A sweep in parts: the cells that read no ghost, then the slabs next to the ghosts. */
struct hymgi_level_parts {
  int count;
  hymgi_geom box[HYMGI_MOST_PARTS];
  struct hymgi_level_kernels *kernels; /* of each part */
};

struct hymgi_level_kernels {
  hymgi_call call;
  hymgi_kernel of[HYMGI_JOBS]; /* by job */
  uint64_t variants;           /* bit per hymgi_form, for those that a launch asks about */
  hymgi_level_parts parts;     /* count 0: sweeps are not overlapped with messages */
  hymgi_level_kernels *wide;   /* of the view with all layers (multigrid/wide.h); NULL: no layers */
  char names[160];             /* of the kernels of smoother, residual and restriction */
};

static inline bool hymgi_has_variant(const hymgi_level *level, hymgi_form form)
{
  return level->kernels && (level->kernels->variants >> form & 1);
}

#endif
