/* A build without CUDA: no GPU and no GPU kernels. */
#include "stencils/gpu/gpu.h"

const stencil_kernels stencils_of_gpu[4] = {{0}};

static const char absent[] = "this build has no CUDA";

bool stencil_gpu_open(int device, stencil_gpu *gpu, const char **why)
{
  (void)device;
  (void)gpu;
  *why = absent;
  return false;
}

int stencil_gpu_count(void)
{
  return 0;
}

void *stencil_gpu_allocate(size_t bytes)
{
  (void)bytes;
  return NULL;
}

void stencil_gpu_free(void *memory)
{
  (void)memory;
}

void *stencil_gpu_host_allocate(size_t bytes)
{
  (void)bytes;
  return NULL;
}

void stencil_gpu_host_free(void *memory)
{
  (void)memory;
}

const char *stencil_gpu_move(void *to, const void *from, size_t bytes)
{
  (void)to, (void)from, (void)bytes;
  return absent;
}

const char *stencil_gpu_poison(void *memory, size_t bytes)
{
  (void)memory, (void)bytes;
  return absent;
}

const char *stencil_gpu_wait(void)
{
  return absent;
}

const char *stencil_gpu_time(stencil_call call, void *data, int repeat, double *ms)
{
  (void)call, (void)data, (void)repeat, (void)ms;
  return absent;
}

const char *stencil_gpu_copy_rate(void *to, const void *from, size_t bytes, double *rate)
{
  (void)to, (void)from, (void)bytes, (void)rate;
  return absent;
}

void *stencil_gpu_stream(void)
{
  return NULL;
}

void stencil_gpu_stream_end(void *stream)
{
  (void)stream;
}

const char *stencil_gpu_stream_wait(void *stream)
{
  (void)stream;
  return absent;
}

const char *stencil_gpu_copy(void *to, const void *from, size_t bytes, void *stream)
{
  (void)to, (void)from, (void)bytes, (void)stream;
  return absent;
}

const char *stencil_gpu_boundary(const stencil_job *job, double by)
{
  (void)job, (void)by;
  return absent;
}
