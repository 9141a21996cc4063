/* What a machine can do with a level: the one place where host and device differ. Verbs work on
 * this rank's boxes; those that read ghosts do their own exchange and closures. They return
 * nothing: failures go into level->context->status (sticky within a solve) and messages still go
 * out. Reductions return this rank's part. */
#ifndef HYMGI_BACKEND_H
#define HYMGI_BACKEND_H

#include "level.h"

/* Interpolations, and the closure of the wall ghosts that each one (and the FV4 operator: V4)
 * wants in memory. */
typedef enum hymgi_ghosts {
  HYMGI_GHOSTS_P0 = 0, /* none */
  HYMGI_GHOSTS_P1 = 1, /* v1 */
  HYMGI_GHOSTS_V2 = 2,
  HYMGI_GHOSTS_V4 = 4
} hymgi_ghosts;

/* Which residual a restriction sums. */
typedef enum hymgi_after { HYMGI_AFTER_ANY, HYMGI_AFTER_GSRB } hymgi_after;

/* A sum as integers: words of `bits` bits each below the exponent of the largest term, so that
 * any order gives the same. */
enum { HYMGI_SUM_WORDS = 3 };

typedef struct hymgi_backend {
  hymg_backend id;
  const char *name;
  hymgi_mover mover;

  hymg_status (*alloc)(hymg_context *context, size_t doubles,
                       double **data); /* contents undefined */
  void (*release)(double *data, size_t doubles);
  void (*clear)(const hymgi_level *level,
                double *x); /* a whole vector with its ghosts, touched by the threads that use it */

  void (*scale)(const hymgi_level *level, double factor, double *x); /* likewise */
  size_t (*scratch_doubles)(const hymgi_level *level,
                            ptrdiff_t *row); /* of level->scratch and of a row of it */

  /* set-up: after the betas and alphas of a level are in place (unscaled walls) */
  hymg_status (*finish_coefficients)(
      hymgi_level *level); /* wall weights, dinv, lambda_max, constant rows */
  void (*restrict_faces)(const hymgi_level *level, int axis, const double *fine,
                         const hymgi_geom *patch, double *coarse);

  /* operator: x is written in its ghosts only */
  void (*apply)(const hymgi_level *level, double *x, double *y);
  void (*residual)(const hymgi_level *level, const double *f, double *x, double *r);
  double (*residual_max)(const hymgi_level *level, const double *f, double *x);

  /* level->x from level->f; may swap level->x and level->y */
  void (*smooth)(hymgi_level *level);

  /* chooses level->tuning by measuring; the level's x, y and f are zero and stay so */
  void (*tune)(hymgi_level *level);
  /* smooth, then residual_restrict to `coarse` (a patch vector): fused where the machine can */
  void (*smooth_restrict)(hymgi_level *level, double *coarse);

  /* transfers to and from patches (geometry of level->patch) */
  void (*residual_restrict)(const hymgi_level *level, hymgi_after after, double *coarse);
  void (*restrict_cells)(const hymgi_level *level, const double *fine, double *coarse);
  void (*close_walls)(const hymgi_level *level, double *x, hymgi_ghosts ghosts, bool with_data);
  void (*interpolate)(const hymgi_level *fine, const double *coarse, hymgi_ghosts order, bool add,
                      double *x);

  /* vectors of a level; cells only, ghosts untouched; outputs may be inputs */
  void (*fill)(const hymgi_level *level, double value, double *x);
  void (*axpby)(const hymgi_level *level, double a, const double *x, double b, const double *y,
                double *z);
  void (*shift)(const hymgi_level *level, double c, double *x);
  void (*precondition)(const hymgi_level *level, const double *r, double *z); /* z = D^-1 r */
  double (*max)(const hymgi_level *level, const double *x,
                const double *y); /* max |x y|, y NULL: |x|; NaN if any */
  void (*sum)(const hymgi_level *level, const double *x, const double *y, int exponent, int bits,
              int64_t words[HYMGI_SUM_WORDS]); /* of x y or of x */
} hymgi_backend;

/* The host: OpenMP, or one thread without it. */
const hymgi_backend *hymgi_host_backend(void);
/* CUDA, or NULL with the reason where it is not built in or has no device. */
const hymgi_backend *hymgi_cuda_backend(const char **reason);

/* What the host runs fastest with, as measured (benchmarks/README.md). */
hymgi_tuning hymgi_host_tuning(const hymgi_method *method);

/* Threads a wish for `wanted` (0: the default) gives on the host. */
int hymgi_backend_threads(int wanted);

#endif
