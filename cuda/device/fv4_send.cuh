/* The bricks of an FV4 exchange as arguments of the kernel that computes and sends cells. */
#ifndef HYMGI_DEVICE_FV4_SEND_CUH
#define HYMGI_DEVICE_FV4_SEND_CUH

#include "device/peer.cuh"
#include "device/stencil_access.cuh"

namespace
{

enum { HALO_BRICKS = 18 };

/* A brick of cells or ghosts, whole slots; where its first cell is in a message. */
struct halo_brick {
  double *data;
  ptrdiff_t version;
  int rank, low[3], n[3];
  int first;   /* block */
  bool turned; /* rows are numbered along z first */
};

/* Place of a slot's cell in a message that has one colour after the other. */
__device__ __forceinline__ ptrdiff_t packed_by_colour(const halo_brick &b, int colour, int t, int j,
                                                      int k)
{
  const ptrdiff_t row = ((ptrdiff_t)colour * b.n[2] + k - b.low[2]) * b.n[1] + j - b.low[1];
  return row * (b.n[0] / 2) + t - b.low[0] / 2;
}

/* The bricks of one direction of an exchange and its counter; bricks 0: nothing is exchanged. */
struct halo_side {
  int bricks;
  halo_brick brick[HALO_BRICKS];
  unsigned long long *exchanges, *others; /* others: of the other direction */
};

inline halo_side side_of(const hymgi_plan *plan, bool out)
{
  const hymgi_peer_side *const side = out ? &plan->out : &plan->in;
  halo_side s = {};
  s.bricks = out ? plan->num_pack : plan->num_unpack;
  s.exchanges = side->exchanges;
  s.others = out ? plan->in.exchanges : plan->out.exchanges;
  for (int m = 0; m < s.bricks; m++) {
    const hymgi_piece *p = (out ? plan->pack : plan->unpack) + m;
    const hymgi_peer_message *message = side->message + p->message;
    halo_brick *const b = s.brick + m;
    b->data = message->data + (p->at - p->first);
    b->version = message->version;
    b->rank = message->rank;
    for (int axis = 0; axis < 3; axis++)
      b->low[axis] = p->low[axis], b->n[axis] = p->n[axis];
  }
  return s;
}

/* Sends a cell if a neighbour reads it; exchange: from begin_exchange (peer.cuh). */
__device__ __forceinline__ void send_cell(const halo_side &s, unsigned long long exchange,
                                          int colour, int t, int j, int k, double value)
{
  for (int m = 0; m < s.bricks; m++) {
    const halo_brick &b = s.brick[m];
    if (2 * t < b.low[0] || 2 * t >= b.low[0] + b.n[0] || j < b.low[1] || j >= b.low[1] + b.n[1] ||
        k < b.low[2] || k >= b.low[2] + b.n[2])
      continue;
    send_value(b.data + version_at(exchange, b.version) + packed_by_colour(b, colour, t, j, k),
               value);
  }
}

} /* namespace */

#endif
