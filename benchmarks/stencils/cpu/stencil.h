/* hymg-stencil's common ground: grids, jobs, kernels. A job is one stencil on one grid; a kernel is
 * one way to run it, on the CPU or the GPU. */
#ifndef STENCIL_H
#define STENCIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STENCIL_RADIUS = 6, STENCIL_ARRAYS = 4, STENCIL_NAME = 96 };
enum { STENCIL_CHOSEN = -1 };
enum { STENCIL_LINE = 128 }; /* bytes of a line of the caches */

/* An array in memory: n points with ghosts around. Entries of the arrays are counted from its
 * start; origin is that of the first interior point. */
typedef struct stencil_grid {
  int n[3], ghost[3];
  ptrdiff_t pitch, plane, origin, entries;
} stencil_grid;

/* aligned: rows start on a line of the caches, and all loads of 16 bytes around are on theirs.
 * Else as a plain C array would lie. */
stencil_grid stencil_grid_make(const int n[3], const int ghost[3], size_t bytes, bool aligned);

typedef enum stencil_array { STENCIL_X, STENCIL_PREV, STENCIL_SPEED, STENCIL_OUT } stencil_array;

/* Case a: c[0] x + sum of c[r] times the six neighbours at distance r, or a leap-frog step with it.
 * b: the same in a plane. c: the sum of c[r] (x(+r) - x(-r)) along an axis, periodic. d: c[0] x +
 * the sum of c[r] (x(+r) + x(-r)) along an axis. */
typedef struct stencil_job {
  char which;
  stencil_grid g;
  int radius, axis;
  bool wide; /* double */
  bool wave;
  double c[STENCIL_RADIUS + 1];
  void *array[STENCIL_ARRAYS]; /* their starts */
  int tile[2], slab;
} stencil_job;

size_t stencil_bytes(const stencil_job *job); /* of an entry */

/* An entry of an array of the job's precision. */
static inline double stencil_get(const stencil_job *job, const void *array, ptrdiff_t at)
{
  return job->wide ? ((const double *)array)[at] : ((const float *)array)[at];
}

static inline void stencil_set(const stencil_job *job, void *array, ptrdiff_t at, double value)
{
  if (job->wide)
    ((double *)array)[at] = value;
  else
    ((float *)array)[at] = (float)value;
}

int64_t stencil_points(const stencil_job *job);
/* Arrays that a point needs from memory and writes to it, once each. */
int stencil_streams(const stencil_job *job);
/* The case's coefficients for grid spacing h. */
void stencil_coefficients(stencil_job *job, double h);

/* What a launch tells: registers a thread, 0 where that means nothing; the slab that it chose, if it
 * had to. */
typedef struct stencil_launch {
  void *stream;
  int registers, slab;
} stencil_launch;

/* run: NULL, or why it could not. refuses: NULL, or why this job is none for it. redundancy:
 * entries read and written per point, by the model in benchmarks/stencils/README.md. */
typedef struct stencil_kernel {
  const char *name;
  int tile[2],
      slab; /* what it runs with, if not told; 0: it has none; STENCIL_CHOSEN: its own choice */
  int most; /* threads of a block: tile[0] x tile[1] may be as many */
  const char *(*refuses)(const stencil_job *job);
  double (*redundancy)(const stencil_job *job);
  const char *(*run)(const stencil_job *job, stencil_launch *launch);
} stencil_kernel;

typedef struct stencil_kernels {
  const stencil_kernel *kernel;
  int count;
} stencil_kernels;

/* Those of cases a to d. */
extern const stencil_kernels stencils_of_cpu[4], stencils_of_gpu[4];

/* The reference: plain loops in double, to a compact array of n points. */
void stencil_reference(const stencil_job *job, double *to);

typedef struct stencil_errors {
  int64_t wrong;        /* off by more than rounding, or written outside the interior */
  double largest, mean; /* L infinity; L2: root of the mean square */
} stencil_errors;

/* An array of the job's grid, poisoned before the kernel ran, against the reference; tolerance
 * is relative to the sum of |c| times the largest |x|. */
stencil_errors stencil_compare(const stencil_job *job, const void *out, const double *reference,
                               double scale);
void stencil_poison(const stencil_job *job, void *array);

#endif
