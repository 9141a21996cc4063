/* A run of hymg-stencil: arrays on both sides, verification and times of a kernel; rows as a table, as CSV and as JSON. */
#ifndef STENCIL_BENCH_H
#define STENCIL_BENCH_H

#include "common/kit/rows.h"
#include "stencils/gpu/gpu.h"
#include "stencils/options.h"

/* ---- output.c, json.c ---- */

typedef struct stencil_row {
  char which;
  bool gpu, wide, wave;
  char kernel[STENCIL_NAME]; /* with axis, layout or slab, if the case has them */
  int n[3], order, ranks, slab;
  double ms, gpoints, gbytes, percent; /* of the copy or triad */
  double redundancy;
  int registers;
  int64_t wrong;
  double largest, mean; /* errors in the study's norms */
  const char *published;
} stencil_row;

typedef struct stencil_heading {
  const char *what; /* "case a, Laplacian", and how */
  double rate;      /* bytes per second that are 100 % */
  bool gpu;
} stencil_heading;

typedef struct stencil_output {
  const stencil_options *options;
  run_info run;
  csv_table csv;
  char rate[64]; /* a line of the CSV before the next row; or empty */
  stencil_row *rows;
  int count, room;
  char gpu[128];
  bool failed;
} stencil_output;

/* False after a message: a file named by the options cannot be written. Changes none of them. */
bool stencil_output_check(const stencil_options *options);
/* The same, and prints the head on stdout. */
bool stencil_output_open(stencil_output *out, const stencil_options *options, const char *gpu);
void stencil_output_heading(stencil_output *out, const stencil_heading *heading);
void stencil_output_row(stencil_output *out, const stencil_row *row);
/* ok: the run succeeded. False after a message: a file could not be written. */
bool stencil_output_close(stencil_output *out, bool ok);
/* Progress on stderr unless --quiet; cleared by the next row. */
void stencil_progress(const stencil_options *options, const char *what);

/* ---- bench.c ---- */

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
} stencil_bench;

/* why NULL: true; else false after a message on stderr. */
bool stencil_well(const char *what, const char *why);
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
/* Copies an array to the GPU or back, where the kernels run there. NULL, or what went wrong. */
const char *stencil_move(const stencil_bench *bench, const stencil_job *job, int array,
                         bool to_gpu);
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
/* A wave's job with its arrays, of these sides unless --size says others, and its kernel: the last one of case a whose
 * name --kernel allows and that accepts the job. NULL after a message. */
const stencil_kernel *stencil_wave_job(stencil_bench *bench, const int side[3], stencil_job *job);
/* The same job with the GPU's arrays. */
stencil_job stencil_on_gpu(const stencil_bench *bench, const stencil_job *job);
void stencil_close(stencil_bench *bench);

/* runs.c: the cases. False after a message. */
bool stencil_run_case(stencil_bench *bench, char which);
bool stencil_run_all(stencil_bench *bench);
/* published.c: what the studies published of a kernel on a GPU at some order; or NULL. */
const char *stencil_published(const stencil_job *job, const char *kernel);
/* heat.c: the errors of case b after time steps; hash: bits of the result */
bool stencil_heat(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job,
                  stencil_row *row, uint64_t *hash);
/* wave.c: a wave from a point source, its slice and its seismogram. */
bool stencil_wave(stencil_bench *bench);
/* scaling_mpi.c or scaling_serial.c: case a on several ranks. Returns the exit status. */
int stencil_scaling(stencil_options *options);

/* ---- what scaling.c does for it ---- */

/* A rank's box. Rotating arrays: x, prev, and next, which replaces prev. */
typedef struct scaling_box {
  stencil_job job; /* of the host's arrays */
  int rank, ranks;
  int x, prev;
} scaling_box;

/* Random numbers that depend on the position in the whole domain, zeros in ghosts. */
void scaling_fill(const scaling_box *box, int array);
/* Number of this rank's points that differ, after this many steps, from plain loops over the box
 * and the planes around it that can influence it; result: the array of the last step. -1: out of
 * memory. */
int64_t scaling_wrong(const scaling_box *box, int steps, const void *result);

#endif
