/* Common definitions of hymg-stencil: grids, jobs, kernels. A job is one stencil on one grid; a
 * kernel is one way to run it, on the CPU or the GPU. */
#ifndef STENCIL_H
#define STENCIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STENCIL_RADIUS = 6, STENCIL_ARRAYS = 4, STENCIL_NAME = 96 };
enum { STENCIL_CHOSEN = -1 };
enum { STENCIL_LINE = 128 }; /* bytes of a cache line */

/* An array in memory: n points surrounded by ghosts. Offsets count from the array's start; origin
 * is that of the first interior point. */
typedef struct stencil_grid {
  int n[3], ghost[3];
  ptrdiff_t pitch, plane, origin, entries;
} stencil_grid;

/* aligned: rows start on a cache line, and all neighbouring 16-byte loads are aligned. Otherwise
 * laid out as a plain C array. */
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
size_t stencil_size(const stencil_job *job);  /* bytes of an array */

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
/* Values per point that must be read from and written to memory, each once. */
int stencil_streams(const stencil_job *job);
/* The case's coefficients for grid spacing h. */
void stencil_coefficients(stencil_job *job, double h);

/* What a launch reports: registers per thread, 0 where that has no meaning; the slab that it chose,
 * if it had to. */
typedef struct stencil_launch {
  void *stream;
  int registers, slab;
} stencil_launch;

/* run: NULL, or why it failed. refuses: NULL, or why it cannot run this job. redundancy: entries
 * read and written per point, by the model in benchmarks/stencils/README.md. */
typedef struct stencil_kernel {
  const char *name;
  int tile[2], slab; /* the default; 0: it has no slabs; STENCIL_CHOSEN: chosen at launch */
  int most;          /* limit of threads per block, tile[0] x tile[1] */
  const char *(*refuses)(const stencil_job *job);
  double (*redundancy)(const stencil_job *job);
  const char *(*run)(const stencil_job *job, stencil_launch *launch);
} stencil_kernel;

typedef struct stencil_kernels {
  const stencil_kernel *kernel;
  int count;
} stencil_kernels;

/* The kernels of cases a to d. */
extern const stencil_kernels stencils_of_cpu[4], stencils_of_gpu[4];

/* The reference: plain loops in double, to a compact array of n points. */
void stencil_reference(const stencil_job *job, double *to);
/* The same, and writes the points into an array of doubles of the job's grid; compact: room for them. */
void stencil_reference_into(const stencil_job *job, double *compact, double *array);

typedef struct stencil_errors {
  int64_t wrong;        /* more than rounding errors, or writes outside the interior */
  double largest, mean; /* L infinity; L2: root of the mean square */
} stencil_errors;

/* Compares an array of the job's grid, poisoned before the kernel ran, with the reference;
 * tolerance is relative to the sum of |c| times the largest |x|. */
stencil_errors stencil_compare(const stencil_job *job, const void *out, const double *reference,
                               double scale);
void stencil_poison(const stencil_job *job, void *array);

#endif
