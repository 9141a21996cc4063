/* A build without CUDA: no GPU and no GPU kernels. */
#include "common/kit/absent.h"
#include "stencils/gpu/gpu.h"

const stencil_kernels stencils_of_gpu[4] = {{0}};

static const char absent[] = "this build has no CUDA";

ABSENT(bool stencil_gpu_open(int device, stencil_gpu *gpu, const char **why), *why = absent;
       return false)
ABSENT(int stencil_gpu_count(void), return 0)
ABSENT(void *stencil_gpu_allocate(size_t bytes, bool on_host), return NULL)
ABSENT(void stencil_gpu_free(void *memory, bool on_host), )
ABSENT(const char *stencil_gpu_move(void *to, const void *from, size_t bytes), return absent)
ABSENT(const char *stencil_gpu_poison(void *memory, size_t bytes), return absent)
ABSENT(const char *stencil_gpu_boundary(const stencil_job *job, double by), return absent)
ABSENT(void *stencil_gpu_stream(void), return NULL)
ABSENT(void stencil_gpu_stream_end(void *stream), )
ABSENT(const char *stencil_gpu_wait(void *stream), return absent)
ABSENT(const char *stencil_gpu_copy(void *to, const void *from, size_t bytes, void *stream),
       return absent)
ABSENT(const char *stencil_gpu_time(stencil_call call, void *data, int repeat, double *ms),
       return absent)
ABSENT(const char *stencil_gpu_copy_rate(void *to, const void *from, size_t bytes, double *rate),
       return absent)
