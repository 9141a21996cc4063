/* Acknowledged LL exchange between GPUs (peer.cu): for messages without a counterpart in the other
 * direction, as between levels held by different numbers of ranks. A thread moves one value at a
 * time; it computes the value's positions, and reads the cell to be sent, before it has to wait. */
#include "device/peer_args.cuh"
#include "exchange/peer.h"

namespace
{

enum { RESIDENT_BLOCKS = 6 }; /* resident on a multiprocessor */

/* The two positions of a value: in the vector and in the message. */
struct value_place {
  ptrdiff_t cell;
  double *packed; /* in the first version of the message */
  ptrdiff_t version;
  int rank;
};

/* The piece that contains this entry of the common message buffer, in which pieces follow each
 * other. */
__device__ __forceinline__ int piece_of_entry(const piece_list &l, size_t entry)
{
  int low = 0, high = l.count;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (l.many[middle].at <= entry)
      low = middle;
    else
      high = middle;
  }
  return low;
}

__device__ __forceinline__ value_place place_of_entry(const peer_args &a, size_t entry)
{
  const posted post = posted_at(a, piece_of_entry(a.list, entry));
  const hymgi_piece &p = post.p;
  const hymgi_geom g = box_of(a.list, p);
  const unsigned t = (unsigned)(entry - p.at), row = t / (unsigned)p.n[0];
  const int i = (int)(t % (unsigned)p.n[0]), j = (int)(row % (unsigned)p.n[1]),
            k = (int)(row / (unsigned)p.n[1]);
  return {hymgi_at(&g, p.low[0] + i, p.low[1] + j, p.low[2] + k), post.m.data + (entry - p.first),
          post.m.version, post.m.rank};
}

/* The message whose acknowledgement this thread handles: a node has fewer GPUs than a block
 * threads. */
__device__ __forceinline__ hymgi_peer_message message_of_thread(const peer_args &a)
{
  return (int)threadIdx.x < a.messages ? message_of(a, (int)threadIdx.x) : hymgi_peer_message{};
}

/* Thread 0 of each block reads the exchange number and shares it before it counts the block; the
 * last block writes the number for the next kernel. An exchange is acknowledged by the kernel of
 * the next one: its own kernel has ended by then, so nobody has to wait for its stores. A sender
 * waits for the acknowledgement of the exchange that last used the same version. */
template <bool PUSH>
__global__ void __launch_bounds__(ROW_THREADS, RESIDENT_BLOCKS)
    peer_exchange_acknowledged(const __grid_constant__ peer_args a, size_t entries, double *x)
{
  __shared__ unsigned long long number;
  const size_t step = (size_t)gridDim.x * ROW_THREADS;
  size_t entry = (size_t)blockIdx.x * ROW_THREADS + threadIdx.x;
  value_place at = {};
  if (entry < entries) at = place_of_entry(a, entry);
  const hymgi_peer_message m = message_of_thread(a);
  wait_for_predecessors();
  let_successors_start();
  double value = 0;
  unsigned long long last = 0;
  if (PUSH && entry < entries) value = x[at.cell];
  if (threadIdx.x == 0) last = *(volatile unsigned long long *)a.exchanges;
  const unsigned long long taken = PUSH && m.awaited ? load_acquire(m.awaited) : 0;
  if (threadIdx.x == 0) number = last + 1;
  __syncthreads();
  const unsigned long long exchange = number;
  unsigned before = 0;
  if (threadIdx.x == 0) before = atomicAdd(a.finished, 1u);
  if (PUSH) {
    if (m.awaited && taken + (unsigned long long)m.lag < exchange) await(a, m, exchange);
    __syncthreads();
  } else if (blockIdx.x == 0 && m.set) {
    store_release(m.set, exchange - 1);
  }
  while (entry < entries) {
    double *const packed = at.packed + version_at(exchange, at.version);
    if (PUSH) {
      send_value(packed, value);
    } else {
      if (a.zero) a.zero[at.cell] = 0;
      x[at.cell] = receive_value(a.wait, at.rank, packed);
    }
    entry += step;
    if (entry >= entries) break;
    at = place_of_entry(a, entry);
    if (PUSH) value = x[at.cell];
  }
  if (threadIdx.x != 0 || before != gridDim.x - 1) return;
  *a.finished = 0;
  *a.exchanges = exchange;
}

/* No more blocks than can be resident at once. */
dim3 entries_grid(const hymg_context *context, size_t entries)
{
  const size_t most = (size_t)context->gpu->multiprocessors * RESIDENT_BLOCKS;
  const size_t blocks = (entries + ROW_THREADS - 1) / ROW_THREADS;
  return dim3((unsigned)(blocks < most ? blocks : most));
}

} /* namespace */

extern "C" void hymgi_peer_push_acknowledged(hymg_context *context, const hymgi_plan *plan,
                                             const hymgi_geom *src_box, const double *src)
{
  const size_t entries = hymgi_plan_send_doubles(plan);
  hymgi_launch(context, peer_exchange_acknowledged<true>, entries_grid(context, entries),
               dim3(ROW_THREADS), args_of(context, plan, true, src_box), entries,
               const_cast<double *>(src)); /* it is read only */
}

extern "C" void hymgi_peer_pull_acknowledged(hymg_context *context, const hymgi_plan *plan,
                                             const hymgi_geom *dst_box, double *dst, double *zero)
{
  const size_t entries = hymgi_plan_receive_doubles(plan);
  peer_args a = args_of(context, plan, false, dst_box);
  a.zero = zero;
  hymgi_launch(context, peer_exchange_acknowledged<false>, entries_grid(context, entries),
               dim3(ROW_THREADS), a, entries, dst);
}
