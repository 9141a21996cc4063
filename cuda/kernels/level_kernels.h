/* The kernels that a level runs: a record for each level, filled by kernel_table.cu when the
 * hierarchy is attached, and the arguments of its kernels. Nothing is chosen at launch. */
#ifndef HYMGI_KERNELS_LEVEL_KERNELS_H
#define HYMGI_KERNELS_LEVEL_KERNELS_H

#include "runtime/device.h"

/* What a sweep over a level's cells does. */
typedef enum hymgi_job {
  /* red-black Gauss-Seidel: out gets the new values of `colour`; FV2: in place */
  HYMGI_HALF_SWEEP,
  /* out = x + residual * scale * (f - A x) + momentum * (x - prev) */
  HYMGI_RELAX,
  HYMGI_RESIDUAL, /* out = f - A x; out is not x, but in the generic kernel */
  HYMGI_NORM,     /* the residual's, as the reduction's result */
  HYMGI_RESTRICT, /* the residual's means, to the coarse patches */
  HYMGI_NARROW,   /* factor times the residual, in single precision to `narrowed`, and its norm */
  HYMGI_APPLY,    /* out = A x, as the residual */
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
  bool from_zero = false; /* x is 0; only where the record has starts_from_zero */
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

/* How a smoother call of red-black Gauss-Seidel is done. */
typedef enum hymgi_gsrb_form {
  HYMGI_GSRB_HALVES,     /* exchange, half sweep, exchange, half sweep ... */
  HYMGI_GSRB_IN_PARTS,   /* half sweeps in parts, overlapped with their messages */
  HYMGI_GSRB_FUSED,      /* FV2: both colours in one pass */
  HYMGI_GSRB_TILE,       /* FV2: both colours in one launch of tiles */
  HYMGI_GSRB_PEER,       /* FV2: half sweeps with a fused exchange */
  HYMGI_GSRB_FUSED_PEER, /* FV2: both colours in one pass, with a fused exchange */
  HYMGI_GSRB_SHARED      /* FV4: all half sweeps in one launch, the level in shared memory */
} hymgi_gsrb_form;

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
  hymgi_gsrb_form gsrb;
  hymgi_kernel of[HYMGI_JOBS]; /* by job */
  bool fuses_around;       /* both colours in one pass, whose halo goes around a box that wraps */
  bool relax_fused;        /* FV2: two sweeps in a pass as far as possible */
  bool starts_from_zero;   /* a kernel that reads no x does the first half sweep on 0 */
  bool fills_along_x;      /* FV4's marches compute the ghosts along x themselves */
  hymgi_level_parts parts; /* count 0: sweeps are not overlapped with messages */
  char names[160];         /* of the kernels of smoother, residual and restriction */
};

/* Kernel forms that only some levels use (kernel_table.cu). */
enum hymgi_form {
  HYMGI_FV2_GSRB_FUSED,
  HYMGI_FV2_GSRB_TILE,
  HYMGI_FV2_GSRB_MARCH,
  HYMGI_FV2_BOTH_COLOURS,
  HYMGI_FV2_GSRB_PEER,
  HYMGI_FV2_RELAX_MARCH,
  HYMGI_FV2_RELAX_POINT,
  HYMGI_FV2_RELAX_FUSED,
  HYMGI_FV4_MARCH,
  HYMGI_FV4_MARCH_TMA,
  HYMGI_FV4_GSRB_TILE,
  HYMGI_FV4_GSRB_SHARED,
  HYMGI_FV4_RELAX_TILE,
  HYMGI_FV4_RESTRICT_TILE,
  HYMGI_COARSE_OCTANTS,
  HYMGI_OVERLAP_STAGED,
  HYMGI_OVERLAP,
  HYMGI_FORMS
};
static_assert((int)HYMGI_FORMS <= (int)HYMGI_MOST_FORMS, "a device has a number for each");

#endif
