/* Exchange between GPUs that map each other's memory. push writes the pieces of a plan straight into
 * the receivers' buffers, of which there are two, used in turn; its last block then tells each
 * receiver the number of the exchange. pull waits for these numbers and unpacks. Where a message has
 * no counterpart in the other direction, its receiver says that it was taken away, and its sender
 * waits for the last but one. Numbers are counted in device memory, so that a recording needs no
 * arguments that change. */
#include "peer.h"

#include <stdio.h>
#include <string.h>

#include "bricks.cuh"

namespace
{

/* ---- words that two GPUs share ---- */

__device__ __forceinline__ unsigned long long load_acquire(const unsigned long long *word)
{
#ifdef __CUDA_ARCH__
  unsigned long long value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
#else
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

__device__ __forceinline__ void store_release(unsigned long long *word, unsigned long long value)
{
#ifdef __CUDA_ARCH__
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#else
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
#endif
}

__device__ __forceinline__ unsigned long long nanoseconds()
{
#ifdef __CUDA_ARCH__
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#else
  return (unsigned long long)clock64();
#endif
}

/* ---- waiting ---- */

struct peer_args {
  piece_list list;
  hymgi_peer_message one; /* if there is but one */
  const hymgi_peer_message *many;
  int messages;
  unsigned long long *exchanges;
  unsigned *finished;
  unsigned long long *given_up, *waited; /* waited: rank + 1 for the host */
  unsigned long long patience;           /* nanoseconds */
};

__device__ __forceinline__ hymgi_peer_message message_of(const peer_args &a, int m)
{
  return a.messages == 1 ? a.one : a.many[m];
}

/* Until the word is what it has to be, somebody has given up, or this GPU loses patience. */
__device__ __forceinline__ void await(const peer_args &a, const hymgi_peer_message &m,
                                      unsigned long long exchange)
{
  if (load_acquire(m.awaited) + (unsigned long long)m.lag >= exchange) return;
  const unsigned long long start = nanoseconds();
  while (load_acquire(m.awaited) + (unsigned long long)m.lag < exchange) {
    if (load_acquire(a.given_up) != 0) return;
    if (nanoseconds() - start > a.patience) {
      store_release(a.waited, (unsigned long long)m.rank + 1);
      store_release(a.given_up, 1);
      return;
    }
    __nanosleep(20);
  }
}

/* By all threads of a block: the block is done; true in one thread of the last one of the grid. */
__device__ __forceinline__ bool is_last(const peer_args &a)
{
  __syncthreads();
  if (threadIdx.x != 0) return false;
  __threadfence_system();
  if (atomicAdd(a.finished, 1u) != gridDim.x * gridDim.y - 1) return false;
  __threadfence_system();
  *a.finished = 0;
  return true;
}

__device__ __forceinline__ void tell(const peer_args &a, unsigned long long exchange)
{
  *a.exchanges = exchange;
  for (int m = 0; m < a.messages; m++) {
    const hymgi_peer_message message = message_of(a, m);
    if (message.set) store_release(message.set, exchange);
  }
}

/* ---- kernels ---- */

template <bool PUSH>
__device__ __forceinline__ void move_piece(const peer_args &a, const hymgi_piece &p,
                                           const hymgi_geom &g, unsigned long long exchange,
                                           double *x)
{
  const hymgi_peer_message m = message_of(a, p.message);
  if (m.awaited) {
    if (threadIdx.x == 0) await(a, m, exchange);
    __syncthreads();
  }
  double *const buffer = m.data + (exchange & 1 ? m.version : 0) + (p.at - p.first);
  each_of_brick(p.n, [&](int i, int j, int k) {
    double *const packed = buffer + ((size_t)k * p.n[1] + j) * p.n[0] + i;
    double *const cell = x + hymgi_at(&g, p.low[0] + i, p.low[1] + j, p.low[2] + k);
    if (PUSH)
      *packed = *cell;
    else
      *cell = __ldcg(packed);
  });
}

template <bool PUSH>
__global__ void __launch_bounds__(ROW_THREADS) exchange_pieces(peer_args a, double *x)
{
  let_successors_start();
  wait_for_predecessors();
  const unsigned long long exchange = *(volatile unsigned long long *)a.exchanges + 1;
  if (a.list.count == 1) {
    move_piece<PUSH>(a, a.list.one, a.list.of, exchange, x);
  } else {
    for (int m = (int)blockIdx.y; m < a.list.count; m += (int)gridDim.y) {
      const hymgi_piece p = a.list.many[m];
      move_piece<PUSH>(a, p, p.box ? a.list.box[p.box] : a.list.of, exchange, x);
    }
  }
  if (is_last(a)) tell(a, exchange);
}

peer_args args_of(hymg_context *context, const hymgi_peer_state *peers, const hymgi_peer_side *side,
                  int messages)
{
  peer_args a = {};
  a.one = side->message[0];
  a.many = side->message;
  a.messages = messages;
  a.exchanges = side->exchanges;
  a.finished = side->finished;
  a.given_up = peers->given_up;
  a.waited = context->gpu->waited;
  a.patience = (unsigned long long)(1e9 * peers->patience);
  return a;
}

/* ---- memory that other processes map ---- */

static_assert(sizeof(hymgi_handle) >= sizeof(cudaIpcMemHandle_t), "a handle has room");

hymg_status identify(hymg_context *context, hymgi_handle *identity)
{
  cudaDeviceProp properties;
  memset(identity, 0, sizeof *identity);
  TRY(hymgi_cuda_check(context, cudaGetDeviceProperties(&properties, context->gpu->ordinal),
                       "cudaGetDeviceProperties"));
  memcpy(identity->bytes, properties.uuid.bytes, sizeof properties.uuid.bytes);
  return HYMG_OK;
}

hymg_status export_memory(hymg_context *context, double *data, hymgi_handle *handle)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  cudaIpcMemHandle_t h;
  TRY(hymgi_cuda_check(context, cudaIpcGetMemHandle(&h, data), "cudaIpcGetMemHandle"));
  memcpy(handle->bytes, &h, sizeof h);
  return HYMG_OK;
}

bool map(hymg_context *context, const hymgi_handle *handle, void **mapped, char why[128])
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  cudaIpcMemHandle_t h;
  memcpy(&h, handle->bytes, sizeof h);
  const cudaError_t error = cudaIpcOpenMemHandle(mapped, h, cudaIpcMemLazyEnablePeerAccess);
  cudaGetLastError();
  if (error != cudaSuccess)
    snprintf(why, 128, "mapping another GPU's memory failed: %s", cudaGetErrorString(error));
  return error == cudaSuccess;
}

void unmap(hymg_context *context, void *mapped)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  cudaIpcCloseMemHandle(mapped);
}

hymg_status reset(hymg_context *context, double *words, size_t count)
{
  hymgi_device *const device = context->gpu;
  const hymgi_device_guard guard(device->ordinal);
  *device->waited = 0;
  TRY(hymgi_cuda_check(context, cudaMemsetAsync(words, 0, count * sizeof *words, device->stream),
                       "cudaMemsetAsync"));
  return hymgi_cuda_check(context, cudaStreamSynchronize(device->stream), "cudaStreamSynchronize");
}

} /* namespace */

extern "C" {
const hymgi_sharing hymgi_device_sharing = {identify, export_memory, map, unmap, reset};
}

extern "C" void hymgi_peer_push(hymg_context *context, const hymgi_plan *plan,
                                const hymgi_geom *src_box, const double *src)
{
  peer_args a = args_of(context, plan->peers, &plan->out, plan->num_sends);
  a.list = pieces_of(plan->pack, plan->num_pack, src_box);
  hymgi_launch(context, exchange_pieces<true>, bricks_grid(plan->pack, plan->num_pack),
               dim3(ROW_THREADS), a, const_cast<double *>(src)); /* it is read only */
}

extern "C" void hymgi_peer_pull(hymg_context *context, const hymgi_plan *plan,
                                const hymgi_geom *dst_box, double *dst)
{
  peer_args a = args_of(context, plan->peers, &plan->in, plan->num_receives);
  a.list = pieces_of(plan->unpack, plan->num_unpack, dst_box);
  hymgi_launch(context, exchange_pieces<false>, bricks_grid(plan->unpack, plan->num_unpack),
               dim3(ROW_THREADS), a, dst);
}

/* In the order of the stream, behind what was sent. */
extern "C" void hymgi_peer_give_up(hymg_context *context, const hymgi_plan *plan)
{
  hymgi_device *const device = context->gpu;
  hymgi_peer_state *const peers = plan->peers;
  if (peers->told) return;
  const hymgi_device_guard guard(device->ordinal);
  for (int r = 0; r < peers->num_others; r++)
    cudaMemsetAsync(peers->others[r], 1, sizeof **peers->others, device->stream);
  cudaGetLastError(); /* a lost GPU tells nobody: the others lose patience */
  peers->told = true;
}
