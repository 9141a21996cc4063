/* The GPU of hymg-stencil: gpu/gpu.cu, or gpu_absent.c without CUDA. */
#ifndef STENCIL_GPU_H
#define STENCIL_GPU_H

#include "stencils/cpu/stencil.h"

typedef struct stencil_gpu {
  char name[128];
  int multiprocessors;
  double bytes, cache; /* of its memory, of its second-level cache */
} stencil_gpu;

/* False: *why says why there is no GPU. */
bool stencil_gpu_open(int device, stencil_gpu *gpu, const char **why);
int stencil_gpu_count(void);
/* NULL: out of memory. On the host it is pinned, so that copies are fast. */
void *stencil_gpu_allocate(size_t bytes, bool on_host);
void stencil_gpu_free(void *memory, bool on_host);
/* Synchronous copies to the GPU or from it. NULL, or what went wrong. */
const char *stencil_gpu_move(void *to, const void *from, size_t bytes);
/* Sets every entry to NaN, of either precision. */
const char *stencil_gpu_poison(void *memory, size_t bytes);
/* Sets the ghosts of out in a plane's job to those of x times `by`. */
const char *stencil_gpu_boundary(const stencil_job *job, double by);
/* A stream besides the default one; NULL: none. Work and the copies below are enqueued on it and
 * run in order, while the host continues. */
void *stencil_gpu_stream(void);
void stencil_gpu_stream_end(void *stream);
/* NULL: the default one. */
const char *stencil_gpu_wait(void *stream);
/* Between host and device memory in any combination. */
const char *stencil_gpu_copy(void *to, const void *from, size_t bytes, void *stream);
/* Milliseconds per call of run, the median of `repeat` groups. */
typedef const char *(*stencil_call)(void *data);
const char *stencil_gpu_time(stencil_call call, void *data, int repeat, double *ms);
/* Bytes per second, read and written, of a copy kernel or the driver's copy, whichever is faster.
 * */
const char *stencil_gpu_copy_rate(void *to, const void *from, size_t bytes, double *rate);

#endif
