/* Exchange between GPUs that map each other's memory, in three ways.
 *
 * LL protocol, if every message of a plan has a counterpart in the other direction: an empty buffer
 * holds NaNs with all bits set. push stores values directly into the receivers' buffers; pull reads
 * each value as soon as it has arrived and resets the entry to that NaN. No rank can be two
 * exchanges ahead of one that it receives from, so two alternating buffers are enough for these
 * kernels; half sweeps that both send and receive (fv2_gsrb_peer.cu) need three.
 *
 * Acknowledged LL, if messages between peers only go one way: in addition the receiver acknowledges
 * at each exchange that it has read the previous one, and a sender waits for the acknowledgement
 * before it reuses a buffer (peer_acknowledged.cu).
 *
 * Flags, otherwise: push writes the pieces of a plan directly into the receivers' alternating
 * buffers (two would be enough); its last block then sends each receiver the number of the
 * exchange. pull waits for these numbers and unpacks. If a message has no counterpart in the other
 * direction, its receiver acknowledges it, and its sender waits for the acknowledgement of the last
 * but one.
 *
 * Exchanges are counted in device memory, so that the arguments of a recording need not change. */
#include "exchange/peer.h"

#include <stdio.h>
#include <string.h>

#include "device/peer_args.cuh"
#include "exchange/nccl.h"

namespace
{

/* ---- ends ---- */

/* Called by all threads of a block at its end; true in one thread of the grid's last block. */
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

__device__ __forceinline__ void notify_receivers(const peer_args &a, unsigned long long exchange)
{
  *a.exchanges = exchange;
  for (int m = 0; m < a.messages; m++) {
    const hymgi_peer_message message = message_of(a, m);
    if (message.set) store_release(message.set, exchange);
  }
}

/* ---- kernels ---- */

template <bool PUSH>
__device__ __forceinline__ void move_values(const peer_args &a, const posted &post,
                                            unsigned long long exchange, unsigned block,
                                            unsigned blocks, double *x)
{
  const hymgi_piece &p = post.p;
  const hymgi_geom g = box_of(a.list, p);
  double *const buffer = post.m.data + version_at(exchange, post.m.version) + (p.at - p.first);
  each_of_brick(p.n, block, blocks, [&](int i, int j, int k) {
    double *const packed = buffer + ((size_t)k * p.n[1] + j) * p.n[0] + i;
    const ptrdiff_t cell = hymgi_at(&g, p.low[0] + i, p.low[1] + j, p.low[2] + k);
    if (PUSH) {
      send_value(packed, x[cell]);
      return;
    }
    if (a.zero) a.zero[cell] = 0;
    x[cell] = receive_value(a.wait, post.m.rank, packed);
  });
}

/* first: the piece with index blockIdx.y. */
template <bool PUSH>
__device__ __forceinline__ void all_values(const peer_args &a, const posted &first,
                                           unsigned long long exchange, double *x)
{
  move_values<PUSH>(a, first, exchange, blockIdx.x, gridDim.x, x);
  for (int m = (int)(blockIdx.y + gridDim.y); m < a.list.count; m += (int)gridDim.y)
    move_values<PUSH>(a, posted_at(a, m), exchange, blockIdx.x, gridDim.x, x);
}

__device__ __forceinline__ bool is_first_thread()
{
  return threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0;
}

/* Each direction updates the other's counter while no kernel reads it: push sets pull's before a
 * pull can start, pull sets push's once push has ended. */
__global__ void __launch_bounds__(ROW_THREADS)
    peer_send_ll(const __grid_constant__ peer_args a, double *x)
{
  const posted first = posted_at(a, (int)blockIdx.y);
  wait_for_predecessors();
  const unsigned long long exchange = begin_exchange(a.exchanges, a.others);
  let_successors_start();
  all_values<true>(a, first, exchange, x);
}

/* Starts when all blocks of push have started: everything before push has ended by then. So it
 * receives while values are still being sent, and waits for push at the end, on behalf of the
 * kernels that follow. */
__global__ void __launch_bounds__(ROW_THREADS)
    peer_receive_ll(const __grid_constant__ peer_args a, double *x)
{
  const unsigned long long exchange = load_acquire(a.exchanges);
  let_successors_start();
  all_values<false>(a, posted_at(a, (int)blockIdx.y), exchange, x);
  wait_for_predecessors();
  if (is_first_thread()) *(volatile unsigned long long *)a.others = exchange;
}

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
  double *const buffer = m.data + version_at(exchange, m.version) + (p.at - p.first);
  each_of_brick(p.n, [&](int i, int j, int k) {
    double *const packed = buffer + ((size_t)k * p.n[1] + j) * p.n[0] + i;
    const ptrdiff_t cell = hymgi_at(&g, p.low[0] + i, p.low[1] + j, p.low[2] + k);
    if (PUSH) {
      *packed = x[cell];
      return;
    }
    if (a.zero) a.zero[cell] = 0;
    x[cell] = __ldcg(packed);
  });
}

template <bool PUSH>
__global__ void __launch_bounds__(ROW_THREADS)
    peer_exchange_flags(const __grid_constant__ peer_args a, double *x)
{
  let_successors_start();
  wait_for_predecessors();
  const unsigned long long exchange = *(volatile unsigned long long *)a.exchanges + 1;
  if (a.list.count == 1) {
    move_piece<PUSH>(a, a.list.one, a.list.of, exchange, x);
  } else {
    for (int m = (int)blockIdx.y; m < a.list.count; m += (int)gridDim.y) {
      const hymgi_piece p = a.list.many[m];
      move_piece<PUSH>(a, p, box_of(a.list, p), exchange, x);
    }
  }
  if (is_last(a)) notify_receivers(a, exchange);
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
  context->gpu->peers = NULL; /* these may belong to the solver whose memory this was */
}

hymg_status reset(hymg_context *context, double *arena, size_t words, size_t doubles)
{
  hymgi_device *const device = context->gpu;
  const hymgi_device_guard guard(device->ordinal);
  *device->waited = 0;
  TRY(hymgi_cuda_check(context, cudaMemsetAsync(arena, 0, words * sizeof *arena, device->stream),
                       "cudaMemsetAsync"));
  TRY(hymgi_cuda_check(
      context,
      cudaMemsetAsync(arena + words, 0xff, (doubles - words) * sizeof *arena, device->stream),
      "cudaMemsetAsync"));
  return hymgi_cuda_check(context, cudaStreamSynchronize(device->stream), "cudaStreamSynchronize");
}

} /* namespace */

extern "C" {
const hymgi_peer_memory hymgi_device_peer_memory = {identify, export_memory, map, unmap, reset};
}

extern "C" void hymgi_peer_push(hymg_context *context, const hymgi_plan *plan,
                                const hymgi_geom *src_box, const double *src)
{
  if (plan->acknowledged) {
    hymgi_peer_push_acknowledged(context, plan, src_box, src);
    return;
  }
  hymgi_launch(context, plan->ll ? peer_send_ll : peer_exchange_flags<true>,
               bricks_grid(plan->pack, plan->num_pack), dim3(ROW_THREADS),
               args_of(context, plan, true, src_box),
               const_cast<double *>(src)); /* it is read only */
}

extern "C" void hymgi_peer_pull(hymg_context *context, const hymgi_plan *plan,
                                const hymgi_geom *dst_box, double *dst, double *zero)
{
  if (plan->acknowledged) {
    hymgi_peer_pull_acknowledged(context, plan, dst_box, dst, zero);
    return;
  }
  peer_args a = args_of(context, plan, false, dst_box);
  a.zero = zero;
  hymgi_launch(context, plan->ll ? peer_receive_ll : peer_exchange_flags<false>,
               bricks_grid(plan->unpack, plan->num_unpack), dim3(ROW_THREADS), a, dst);
}

/* MPI can only identify memory of the current device. */
extern "C" int hymgi_device_enter(hymg_context *context)
{
  int before = context->gpu->ordinal;
  if (cudaGetDevice(&before) == cudaSuccess && before != context->gpu->ordinal)
    cudaSetDevice(context->gpu->ordinal);
  return before;
}

extern "C" void hymgi_device_leave(int before)
{
  int now = before;
  if (cudaGetDevice(&now) == cudaSuccess && now != before) cudaSetDevice(before);
}

/* In stream order, after the messages already sent. */
extern "C" void hymgi_peer_begin(hymg_context *context, const hymgi_plan *plan)
{
  if (plan->group) hymgi_device_nccl->notify(context);
  if (!plan->peers || plan->peers->num_others == 0) return;
  context->gpu->peers = plan->peers;
  hymgi_device_abort_peers(context);
}
