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
 * before it reuses a buffer.
 *
 * Flags, otherwise: push writes the pieces of a plan directly into the receivers' alternating
 * buffers (two would be enough); its last block then sends each receiver the number of the
 * exchange. pull waits for these numbers and unpacks. If a message has no counterpart in the other
 * direction, its receiver acknowledges it, and its sender waits for the acknowledgement of the last
 * but one.
 *
 * Exchanges are counted in device memory, so that the arguments of a recording need not change. */
#include "exchange/exchange.h"
#include "exchange/pieces.cuh"

namespace
{

enum { RESIDENT_BLOCKS = 6 }; /* of the acknowledged LL kernels, on a multiprocessor */

struct peer_args {
  piece_list list;
  hymgi_peer_message one; /* if there is only one */
  const hymgi_peer_message *many;
  int messages;
  unsigned long long *exchanges, *others; /* others: of the other direction */
  unsigned *finished;
  hymgi_real *zero; /* pull: NULL, or a vector that gets zeros where x is written */
  peer_wait wait;
};

peer_args args_of(const hymg_context *context, const hymgi_plan *plan, bool out,
                  const hymgi_geom *box, hymgi_real *zero)
{
  const hymgi_peer_side *const side = out ? &plan->out : &plan->in;
  peer_args a = {};
  a.list = pieces_of(plan, out, box);
  a.one = side->message[0];
  a.many = side->message;
  a.messages = out ? plan->num_sends : plan->num_receives;
  a.exchanges = side->exchanges;
  a.others = out ? plan->in.exchanges : plan->out.exchanges;
  a.finished = side->finished;
  a.zero = zero;
  a.wait = wait_of(context, plan);
  return a;
}

__device__ __forceinline__ hymgi_peer_message message_of(const peer_args &a, int m)
{
  return a.messages == 1 ? a.one : a.many[m];
}

/* A piece with its message: lists do not change, so they can be read early. */
struct posted {
  hymgi_piece p;
  hymgi_peer_message m;
};

__device__ __forceinline__ posted posted_at(const peer_args &a, int number)
{
  posted post;
  post.p = a.list.count == 1 ? a.list.one : a.list.many[number];
  post.m = message_of(a, post.p.message);
  return post;
}

/* LL: values signal their own arrival. */
template <bool PUSH, bool LL>
__device__ __forceinline__ void move_values(const peer_args &a, const hymgi_piece &p,
                                            const hymgi_peer_message &m, const hymgi_geom &g,
                                            unsigned long long exchange, hymgi_real *x)
{
  double *const buffer = m.data + version_at(exchange, m.version) + (p.at - p.first);
  each_value(p, g, [&](size_t at, ptrdiff_t cell) {
    double *const packed = buffer + at;
    if (PUSH && LL) send_value(packed, x[cell]);
    if (PUSH && !LL) *packed = x[cell];
    if (PUSH) return;
    if (a.zero) a.zero[cell] = 0;
    x[cell] = (hymgi_real)(LL ? receive_value(a.wait, m.rank, packed) : __ldcg(packed));
  });
}

/* ---- LL ---- */

/* first: the piece with index blockIdx.y. */
template <bool PUSH>
__device__ __forceinline__ void all_values(const peer_args &a, const posted &first,
                                           unsigned long long exchange, hymgi_real *x)
{
  move_values<PUSH, true>(a, first.p, first.m, box_of(a.list, first.p), exchange, x);
  for (int m = (int)(blockIdx.y + gridDim.y); m < a.list.count; m += (int)gridDim.y) {
    const posted post = posted_at(a, m);
    move_values<PUSH, true>(a, post.p, post.m, box_of(a.list, post.p), exchange, x);
  }
}

/* Each direction updates the other's counter while no kernel reads it: push sets pull's before a
 * pull can start, pull sets push's once push has ended. */
__global__ void __launch_bounds__(ROW_THREADS)
    peer_send_ll(const __grid_constant__ peer_args a, hymgi_real *x)
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
    peer_receive_ll(const __grid_constant__ peer_args a, hymgi_real *x)
{
  const unsigned long long exchange = load_acquire(a.exchanges);
  let_successors_start();
  all_values<false>(a, posted_at(a, (int)blockIdx.y), exchange, x);
  end_exchange(a.others, exchange);
}

/* ---- flags ---- */

/* Waits until the message's word has reached the exchange or a GPU has aborted. */
__device__ __forceinline__ void await(const peer_args &a, const hymgi_peer_message &m,
                                      unsigned long long exchange)
{
  if (load_acquire(m.awaited) + (unsigned long long)m.lag >= exchange) return;
  const unsigned long long start = nanoseconds();
  while (load_acquire(m.awaited) + (unsigned long long)m.lag < exchange) {
    if (should_abort(a.wait, m.rank, start)) return;
    __nanosleep(20);
  }
}

template <bool PUSH>
__global__ void __launch_bounds__(ROW_THREADS)
    peer_exchange_flags(const __grid_constant__ peer_args a, hymgi_real *x)
{
  let_successors_start();
  wait_for_predecessors();
  const unsigned long long exchange = read_word(a.exchanges) + 1;
  each_piece(a.list, [&](const hymgi_piece &p, const hymgi_geom &g) {
    const hymgi_peer_message m = message_of(a, p.message);
    if (m.awaited) {
      if (threadIdx.x == 0) await(a, m, exchange);
      __syncthreads();
    }
    move_values<PUSH, false>(a, p, m, g, exchange, x);
  });
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence_system();
  if (atomicAdd(a.finished, 1u) != gridDim.x * gridDim.y - 1) return;
  __threadfence_system();
  *a.finished = 0;
  *a.exchanges = exchange;
  for (int m = 0; m < a.messages; m++) {
    const hymgi_peer_message message = message_of(a, m);
    if (message.set) store_release(message.set, exchange);
  }
}

/* ---- acknowledged LL ---- */

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

/* Thread 0 of each block reads the exchange number and shares it before it counts the block; the
 * last block writes the number for the next kernel. An exchange is acknowledged by the kernel of
 * the next one: its own kernel has ended by then, so nobody has to wait for its stores. A sender
 * waits for the acknowledgement of the exchange that last used the same version. */
template <bool PUSH>
__global__ void __launch_bounds__(ROW_THREADS, RESIDENT_BLOCKS)
    peer_exchange_acknowledged(const __grid_constant__ peer_args a, size_t entries, hymgi_real *x)
{
  __shared__ unsigned long long number;
  const size_t step = (size_t)gridDim.x * ROW_THREADS;
  size_t entry = (size_t)blockIdx.x * ROW_THREADS + threadIdx.x;
  value_place at = {};
  if (entry < entries) at = place_of_entry(a, entry);
  /* Whose acknowledgement this thread handles: a node has fewer GPUs than a block threads. */
  hymgi_peer_message m = {};
  if ((int)threadIdx.x < a.messages) m = message_of(a, (int)threadIdx.x);
  wait_for_predecessors();
  let_successors_start();
  double value = 0;
  unsigned long long last = 0;
  if (PUSH && entry < entries) value = x[at.cell];
  if (threadIdx.x == 0) last = read_word(a.exchanges);
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
      x[at.cell] = (hymgi_real)receive_value(a.wait, at.rank, packed);
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

extern "C" void hymgi_peer_move(hymg_context *context, const hymgi_plan *plan, bool pack,
                                const hymgi_geom *box, hymgi_real *x, hymgi_real *zero)
{
  const peer_args a = args_of(context, plan, pack, box, zero);
  const dim3 block(ROW_THREADS);
  if (plan->acknowledged) {
    const size_t entries = pack ? hymgi_plan_send_doubles(plan) : hymgi_plan_receive_doubles(plan);
    hymgi_launch(context,
                 pack ? peer_exchange_acknowledged<true> : peer_exchange_acknowledged<false>,
                 entries_grid(context, entries), block, a, entries, x);
    return;
  }
  const auto kernel = pack ? (plan->ll ? peer_send_ll : peer_exchange_flags<true>)
                           : (plan->ll ? peer_receive_ll : peer_exchange_flags<false>);
  hymgi_launch(context, kernel, pieces_grid(plan, pack), block, a, x);
}
