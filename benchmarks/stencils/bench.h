/* A run of hymg-stencil: arrays on both sides, verification and times of a kernel. */
#ifndef STENCIL_BENCH_H
#define STENCIL_BENCH_H

#include "stencils/gpu/gpu.h"
#include "stencils/output.h"

typedef struct stencil_bench {
  const stencil_options *options;
  bool gpu; /* where the kernels currently run */
  bool has_gpu;
  stencil_gpu device;
  void *host[STENCIL_ARRAYS], *on_gpu[STENCIL_ARRAYS];
  size_t bytes[STENCIL_ARRAYS], gpu_bytes[STENCIL_ARRAYS];
  bool pinned;
  double *reference[2]; /* for random numbers; for the study's errors */
  size_t reference_points[2];
  stencil_job steps_of; /* the job of reference[1]'s time steps; radius 0: none */
  double rate;          /* copy or triad */
  stencil_output out;
  int64_t wrong;
  bool failed;
} stencil_bench;

/* False after a message on stderr. */
bool stencil_fail(stencil_bench *bench, const char *what, const char *why);
/* A job of a case on n points; its coefficients, for spacing h = 1 / (n + 1), are scaled to be of
 * order 1. */
stencil_job stencil_job_of(char which, const int n[3], int radius, int axis, bool wide, bool wave,
                           bool aligned);
/* Allocates arrays for a job where the kernels run; the job points to the host's. */
bool stencil_arrays(stencil_bench *bench, stencil_job *job);
/* Fills them with random numbers, computes the reference, copies them to the GPU. */
bool stencil_prepare(stencil_bench *bench, stencil_job *job);
/* The random number of an entry of an array. */
double stencil_random(ptrdiff_t at, int array);
/* Fills the array with them. */
bool stencil_fill(stencil_bench *bench, const stencil_job *job);
/* Allocates bench->reference[which] for the points of a job. */
bool stencil_room(stencil_bench *bench, int which, const stencil_job *job);
/* Upper bound of a kernel's result on random numbers. */
double stencil_scale(const stencil_job *job);
/* Runs a kernel once on the arrays of its device and waits. */
bool stencil_run(stencil_bench *bench, const stencil_kernel *kernel, const stencil_job *job,
                 stencil_launch *launch);
/* Copies out to the host. */
bool stencil_fetch(stencil_bench *bench, const stencil_job *job);
/* Milliseconds per call, the median of `repeat`. */
bool stencil_time(stencil_bench *bench, const stencil_kernel *kernel, const stencil_job *job,
                  int repeat, double *ms);
/* tune.c: if the kernel would choose its slab (CPU: the rows of a tile) itself, sets the job's to
 * the fastest of several. */
bool stencil_tune(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job);
/* What a row needs: verifies the kernel against the reference, then times it. name: the kernel and
 * its variant. */
bool stencil_measure(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job,
                     const char *name, stencil_row *row);
/* Measures the rate that rows are compared with, on arrays like the job's. */
bool stencil_find_rate(stencil_bench *bench, const stencil_job *job);
/* The job with the values of --tile and --slab, or the kernel's own. False: the kernel refuses it.
 * */
bool stencil_shape(const stencil_options *options, const stencil_kernel *kernel, stencil_job *job,
                   char why[STENCIL_NAME]);
/* The kernels of a case, on the GPU or the CPU. */
stencil_kernels stencil_kernels_of(char which, bool gpu);
/* Case a's last kernel whose name --kernel allows and that accepts the job, which gets its tile and
 * slab. NULL: none. */
const stencil_kernel *stencil_last_kernel(const stencil_bench *bench, stencil_job *job);
/* The same job with the GPU's arrays. */
stencil_job stencil_on_gpu(const stencil_bench *bench, const stencil_job *job);
void stencil_close(stencil_bench *bench);

/* runs.c: the cases. False after a message. */
bool stencil_run_case(stencil_bench *bench, char which);
bool stencil_run_all(stencil_bench *bench);
/* heat.c: the errors of case b after time steps; hash: bits of the result */
bool stencil_heat(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job,
                  stencil_row *row, uint64_t *hash);
/* wave.c: a wave from a point source, its slice and its seismogram. */
bool stencil_wave(stencil_bench *bench);
/* scaling_mpi.c or scaling_serial.c: case a on several ranks. Returns the exit status. */
int stencil_scaling(stencil_options *options);

#endif
