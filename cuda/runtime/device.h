/* The GPU of a context: device and stream, kernel launches, recordings of cycles. Work is queued,
 * and nothing waits unless it says so. While a cycle is recorded, launches go into a graph, which
 * is launched where the host has to wait; during replay launches do nothing and the recorded graphs
 * are launched at the same places, so that the host's side of a cycle (swaps of buffers, levels on
 * the host) runs as always. */
#ifndef HYMGI_RUNTIME_DEVICE_H
#define HYMGI_RUNTIME_DEVICE_H

#include <cuda_runtime.h>

#include "kernel_forms.h"

extern "C" {
#include "base/error.h"
#include "comm/context.h"
#include "multigrid/backend.h"
#include "multigrid/hierarchy.h"
#include "multigrid/level_ops.h"
#include "multigrid/wide.h"
}

enum hymgi_mode { HYMGI_DIRECT, HYMGI_RECORD, HYMGI_REPLAY };

/* HYMGI_RESULTS: one for reductions that are waited for, one for each slot of hymgi_later. */
enum {
  HYMGI_RESULT_WORDS = 12,
  HYMGI_RESULTS = 1 + HYMGI_SLOTS,
  HYMGI_GPU_LINE = 16,
  HYMGI_MARKS = 3
};

/* What a reduction kernel works with: words in device memory that are zero between kernels, a
 * count of finished blocks, and where the host reads the result. */
struct hymgi_reduction {
  unsigned long long *words;
  unsigned *finished;
  unsigned long long *result; /* in host memory that the device writes */
};

/* A word of a result that is not there yet. A maximum has no sign; for a sum it would only mean to
 * wait longer. */
#define HYMGI_NO_RESULT (1ull << 63)

/* What blocks of a launch pass on to each other (cuda/device/shared_tile.cuh). */
struct hymgi_posts {
  void *values; /* HYMGI_POSTED_BYTES for each multiprocessor */
  unsigned long long *number;
  unsigned *finished;
};

enum { HYMGI_POSTED_BYTES = 32768, HYMGI_MOST_KERNELS = 1024 };

struct hymgi_device {
  hymg_context *context;
  int ordinal;
  int major; /* compute capability; of the code, if that was made for an older device */
  int multiprocessors;
  int shared_bytes;    /* that a block can have */
  cudaStream_t stream; /* the user's, or one that keeps the order of the default stream */
  cudaStream_t recorder;
  /* NULL until it is needed: for what need not wait for the stream (overlap.cu) */
  cudaStream_t side_stream;
  cudaEvent_t mark[HYMGI_MARKS];
  bool on_side_stream; /* launches go there */
  bool waits;          /* the next launch depends on another stream: it must not start early */
  bool own_stream;
  hymgi_mode mode, suspended;
  bool capturing;
  struct hymgi_recording *recordings; /* of all solvers, the one used last first */
  struct hymgi_recording *recording;  /* while one is made or played back */
  int segment;
  int failures;               /* injected by tests: launches until one fails; 0: never */
  unsigned long long *waited; /* in host memory: 1 + the rank that timed out (peer.cu) */
  hymgi_reduction reduction;
  unsigned long long *results;         /* all of them; that of `reduction` is one */
  unsigned char unread[HYMGI_RESULTS]; /* reductions queued since a result was read; 2: or more */
  bool concurrent; /* the host may touch managed memory, and poll results, while kernels run */
  unsigned long long *kept; /* in device memory: a result that later kernels read */
  bool has_forms;
  int64_t form_from[HYMGI_FORMS]; /* kernel_forms.h: the machine's numbers */
  /* NULL until a solver exchanges by NCCL (exchange/nccl.cu), which also sets how to wait for the
   * stream, with a timeout while messages are in flight, and how to close it */
  struct hymgi_nccl *groups;
  cudaError_t (*wait_for_groups)(hymg_context *context);
  void (*close_groups)(struct hymgi_device *device);
  hymgi_posts posts;       /* NULL until a level needs them */
  void *map_encoder;       /* of the driver, for TMA; NULL until a kernel needs it */
  hymgi_peer_state *peers; /* those of the last plan, NULL once they wait for nothing */
  const void *kernels[HYMGI_MOST_KERNELS]; /* those launched before, in a hash table */
};

/* What a solver keeps on its device, besides recordings of its cycles: the list of levels that the
 * coarse end works on (cuda/coarse/coarse.cu), and kernels. */
struct hymgi_attached {
  struct hymgi_coarse_lists *coarse;
  struct hymgi_level_kernels *kernels; /* of all levels (attach.cu), or NULL */
};

/* Is the form for levels of so many cells, or cycles from them down? */
static inline bool hymgi_form_takes(const hymg_context *context, hymgi_form form, int64_t cells)
{
  return cells >= context->gpu->form_from[form];
}

/* Makes the context's device current while it lives, then the previous one. */
class hymgi_device_guard
{
public:
  explicit hymgi_device_guard(int ordinal)
  {
    if (cudaGetDevice(&before) != cudaSuccess) before = ordinal;
    changed = before != ordinal;
    if (changed) cudaSetDevice(ordinal);
  }
  ~hymgi_device_guard()
  {
    if (changed) cudaSetDevice(before);
  }

private:
  int before;
  bool changed;
};

extern "C" {
/* HYMG_ECUDA (no memory: HYMG_ENOMEM) with CUDA's text; OK for success. Stays in the context's
 * status as well. */
hymg_status hymgi_cuda_check(hymg_context *context, cudaError_t error, const char *what);
/* Finds and prepares the context's device; nothing to do if it is there. */
hymg_status hymgi_device_open(hymg_context *context);
/* Memory for what blocks pass on; nothing to do if it is there. */
hymg_status hymgi_device_make_posts(hymg_context *context);
/* The stream of the next kernel; begins a capture if one is due. */
cudaStream_t hymgi_device_stream(hymgi_device *device);
/* Before each launch, with the device current; does something at a kernel's first. shares: it has dynamic
 * shared memory, of which it may then have all that there is. */
void hymgi_device_meet_kernel(hymgi_device *device, const void *kernel, bool shares);
/* Is the grid within CUDA's limits? If not, the context fails. */
bool hymgi_device_takes(hymg_context *context, dim3 grid);
/* Waits for all that was queued; inside a recording this ends a segment. */
void hymgi_device_sync(hymg_context *context);
/* Waits for the result of the reduction queued last at reduction.result, `count` words, and takes it;
 * false after a failure. Work queued later, and the end of that kernel, may still be under way. */
bool hymgi_device_result(hymg_context *context, int count, unsigned long long *words);
/* Waits for the stream as it is; the caller reports an error. */
cudaError_t hymgi_device_wait(hymg_context *context);
/* Once the context has failed: makes GPUs of other ranks that wait for this one abort. */
void hymgi_device_abort_peers(hymg_context *context);
/* What follows depends on results that the host reads, so it cannot be replayed: between true and
 * false launches go straight to the stream. */
void hymgi_device_direct(hymg_context *context, bool on);
/* NVTX ranges, named "LEVEL OPERATION". */
void hymgi_device_begin_range(const hymgi_level *level, const char *verb);
void hymgi_device_end_range(void);
void hymgi_device_begin_cycle(hymgi_hierarchy *h, int key);
void hymgi_device_end_cycle(hymgi_hierarchy *h);
void hymgi_device_forget(hymgi_hierarchy *h); /* all recordings */
/* The recordings of all solvers; the stream is idle. */
void hymgi_device_drop_recordings(hymgi_device *device);
/* Device memory, managed memory; host memory that the device reaches. */
extern const hymgi_memory hymgi_device_memory, hymgi_managed_memory, hymgi_pinned_memory;
hymg_status hymgi_device_share(hymg_context *context, void **block, size_t bytes);
void hymgi_device_unshare(void *block);
void hymgi_cuda_copy(hymg_context *context, const double *from, double *to, size_t doubles);
}

/* A kernel's dynamic shared memory. */
#ifndef HYMGI_DYNAMIC_SHARED
#define HYMGI_DYNAMIC_SHARED(name) extern __shared__ __align__(128) hymgi_real name[]
#endif

/* together: all blocks run at the same time, or the launch fails; shared: bytes of dynamic shared
 * memory a block; cluster: blocks of one, or 0. */
struct hymgi_launch_kind {
  bool together;
  size_t shared;
  unsigned cluster;
};

/* Launches kernel(args...). Every kernel calls wait_for_predecessors (cuda/device/stencil_access.cuh)
 * before it touches what another one wrote: from sm_90 on it may start before that one has ended, but
 * not during set-up. */
template <typename... P, typename... A>
static void hymgi_launch_as(hymgi_launch_kind kind, hymg_context *context, void (*kernel)(P...),
                            dim3 grid, dim3 block, A... args)
{
  hymgi_device *device = context->gpu;
  if (device->mode == HYMGI_REPLAY || context->status != HYMG_OK) return;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  if (!hymgi_device_takes(context, grid)) return;
  const hymgi_device_guard guard(device->ordinal);
  hymgi_device_meet_kernel(device, (const void *)kernel, kind.shared > 0);
  cudaLaunchAttribute attribute[3] = {};
  unsigned count = 0;
  if (device->form_from[HYMGI_EARLY_START] != HYMGI_NEVER && !device->waits && !context->in_setup) {
    attribute[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (kind.together) {
    attribute[count].id = cudaLaunchAttributeCooperative;
    attribute[count++].val.cooperative = 1;
  }
  if (kind.cluster > 0) {
    attribute[count].id = cudaLaunchAttributeClusterDimension;
    attribute[count++].val.clusterDim = {kind.cluster, 1, 1};
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = kind.shared;
  config.stream = hymgi_device_stream(device);
  config.attrs = attribute;
  config.numAttrs = count;
  device->waits = false;
  cudaError_t error = cudaLaunchKernelEx(&config, kernel, P(args)...);
  if (device->failures > 0 && --device->failures == 0) error = cudaErrorLaunchFailure;
  if (error != cudaSuccess) hymgi_cuda_check(context, error, "a kernel's launch");
}

template <typename... P, typename... A>
static void hymgi_launch_shared(hymg_context *context, void (*kernel)(P...), dim3 grid, dim3 block,
                                size_t shared, A... args)
{
  hymgi_launch_as({false, shared, 0}, context, kernel, grid, block, args...);
}

template <typename... P, typename... A>
static void hymgi_launch(hymg_context *context, void (*kernel)(P...), dim3 grid, dim3 block,
                         A... args)
{
  hymgi_launch_as({false, 0, 0}, context, kernel, grid, block, args...);
}

#endif
