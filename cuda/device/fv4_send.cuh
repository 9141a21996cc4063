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

inline halo_brick brick_of(const hymgi_piece *p, const hymgi_peer_side *side)
{
  const hymgi_peer_message *message = side->message + p->message;
  halo_brick b = {};
  b.data = message->data + (p->at - p->first);
  b.version = message->version;
  b.rank = message->rank;
  for (int axis = 0; axis < 3; axis++)
    b.low[axis] = p->low[axis], b.n[axis] = p->n[axis];
  return b;
}

/* Place of a slot's cell in a message that has one colour after the other. */
__device__ __forceinline__ ptrdiff_t packed_by_colour(const halo_brick &b, int colour, int t, int j,
                                                      int k)
{
  const ptrdiff_t row = ((ptrdiff_t)colour * b.n[2] + k - b.low[2]) * b.n[1] + j - b.low[1];
  return row * (b.n[0] / 2) + t - b.low[0] / 2;
}

/* What a kernel needs to send the cells of the colour that it computes; bricks 0: it sends none. */
struct halo_sender {
  int bricks;
  halo_brick brick[HALO_BRICKS];
  unsigned long long *exchanges, *others;
};

inline halo_sender sender_of(const hymgi_plan *plan)
{
  halo_sender s = {};
  s.bricks = plan->num_pack;
  s.exchanges = plan->out.exchanges;
  s.others = plan->in.exchanges;
  for (int m = 0; m < s.bricks; m++)
    s.brick[m] = brick_of(plan->pack + m, &plan->out);
  return s;
}

/* Sends a cell if a neighbour reads it; exchange: from begin_exchange (peer.cuh). */
__device__ __forceinline__ void send_cell(const halo_sender &s, unsigned long long exchange,
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
