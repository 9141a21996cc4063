/* Arguments of the kernels that carry out a plan between GPUs. */
#ifndef HYMGI_DEVICE_PEER_ARGS_CUH
#define HYMGI_DEVICE_PEER_ARGS_CUH

#include "device/copy_list.cuh"
#include "device/peer.cuh"

namespace
{

struct peer_args {
  piece_list list;
  hymgi_peer_message one; /* if there is only one */
  const hymgi_peer_message *many;
  int messages;
  unsigned long long *exchanges, *others; /* others: of the other direction */
  unsigned *finished;
  double *zero; /* pull: NULL, or a vector that gets zeros where x is written */
  peer_wait wait;
};

inline peer_args args_of(hymg_context *context, const hymgi_plan *plan, bool out,
                         const hymgi_geom *box)
{
  const hymgi_peer_side *const side = out ? &plan->out : &plan->in;
  peer_args a = {};
  a.list = out ? pieces_of(plan->pack, plan->num_pack, box)
               : pieces_of(plan->unpack, plan->num_unpack, box);
  a.one = side->message[0];
  a.many = side->message;
  a.messages = out ? plan->num_sends : plan->num_receives;
  a.exchanges = side->exchanges;
  a.others = out ? plan->in.exchanges : plan->out.exchanges;
  a.finished = side->finished;
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

__device__ __forceinline__ hymgi_geom box_of(const piece_list &l, const hymgi_piece &p)
{
  return l.count > 1 && p.box ? l.box[p.box] : l.of;
}

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

} /* namespace */

#endif
