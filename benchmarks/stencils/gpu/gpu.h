/* The GPU of hymg-stencil: gpu/gpu.cu, or gpu_absent.c without CUDA. */
#ifndef STENCIL_GPU_H
#define STENCIL_GPU_H

#include "stencils/cpu/stencil.h"

typedef struct stencil_gpu {
  char name[128];
  int multiprocessors;
  double bytes, cache; /* of its memory, of its second-level cache */
} stencil_gpu;

/* False: *why says why there is none. */
bool stencil_gpu_open(int device, stencil_gpu *gpu, const char **why);
int stencil_gpu_count(void);
/* NULL: no memory. Host memory is such that copies are quick. */
void *stencil_gpu_allocate(size_t bytes);
void stencil_gpu_free(void *memory);
void *stencil_gpu_host_allocate(size_t bytes);
void stencil_gpu_host_free(void *memory);
/* To the GPU or from it, and done. NULL, or what went wrong. */
const char *stencil_gpu_move(void *to, const void *from, size_t bytes);
/* Every entry not a number, of either precision. */
const char *stencil_gpu_poison(void *memory, size_t bytes);
const char *stencil_gpu_wait(void);
/* Ghosts of out of a plane's job: those of x times `by`. */
const char *stencil_gpu_boundary(const stencil_job *job, double by);
/* A stream of work beside the default one; NULL: none. What it and the copies below queue runs in
 * order, while the host goes on. */
void *stencil_gpu_stream(void);
void stencil_gpu_stream_end(void *stream);
const char *stencil_gpu_stream_wait(void *stream);
/* Between any memories. */
const char *stencil_gpu_copy(void *to, const void *from, size_t bytes, void *stream);
/* Milliseconds of a call of run, the median of `repeat` groups. */
typedef const char *(*stencil_call)(void *data);
const char *stencil_gpu_time(stencil_call call, void *data, int repeat, double *ms);
/* Bytes a second, read and written, of the better of a copy kernel and the driver's copy. */
const char *stencil_gpu_copy_rate(void *to, const void *from, size_t bytes, double *rate);

#endif
