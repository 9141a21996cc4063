/* Shared by the FV2 kernels with a fused exchange. Only the colour that is needed travels: half
 * sweep s receives exchange e + s and sends exchange e + s + 1. No rank can be two exchanges ahead
 * of its neighbour. A kernel clears the entry of a message that it has read, and the entry is
 * written again two exchanges after that kernel has ended: hence three versions of a message
 * (peer.cuh). */
#ifndef HYMGI_EXCHANGE_FV2_GSRB_PEER_CUH
#define HYMGI_EXCHANGE_FV2_GSRB_PEER_CUH

#include "device/loops.cuh"
#include "device/peer.cuh"
#include "exchange/fv2_gsrb_peer.h"
#include "exchange/peer.h"
#include "kernels/gsrb_args.cuh"

namespace
{

/* The neighbour at a face: its parts of the incoming and outgoing messages, packed in the order of
 * the face's cells. */
struct neighbour {
  double *in, *out;
  ptrdiff_t in_version, out_version;
  int rank;
};

struct fused_exchange_args {
  gsrb_args sweep;
  neighbour face[6];
  unsigned faces;                 /* bit f: face f has a neighbour */
  unsigned long long *base, *end; /* number of the first exchange; where to store the last */
  int step;                       /* half sweeps before this one */
  int known;                      /* from this step on, base is valid before the wait */
  bool sends, ends;
  bool zero; /* first half sweep with x = 0: receives nothing and sets base */
  peer_wait wait;
};

/* The faces with a neighbour that this cell is adjacent to. */
__device__ __forceinline__ unsigned faces_at(const fused_exchange_args &r, const hymgi_geom &g,
                                             const place &p)
{
  const unsigned all = (p.i == 0 ? 1u : 0) | (p.i == g.n[0] - 1 ? 2u : 0) | (p.j == 0 ? 4u : 0) |
                       (p.j == g.n[1] - 1 ? 8u : 0) | (p.k == 0 ? 16u : 0) |
                       (p.k == g.n[2] - 1 ? 32u : 0);
  return all & r.faces;
}

template <int FACE> __device__ __forceinline__ ptrdiff_t packed(const hymgi_geom &g, const place &p)
{
  return FACE / 2 == 0   ? (ptrdiff_t)p.k * g.n[1] + p.j
         : FACE / 2 == 1 ? (ptrdiff_t)p.k * g.n[0] + p.i
                         : (ptrdiff_t)p.j * g.n[0] + p.i;
}

template <int FACE> __device__ __forceinline__ ptrdiff_t beyond(const place &p)
{
  constexpr int STEP = FACE & 1 ? 1 : -1, AXIS = FACE / 2;
  return at(p, AXIS == 0 ? STEP : 0, AXIS == 1 ? STEP : 0, AXIS == 2 ? STEP : 0);
}

/* The neighbouring values in memory: no extrapolation, nothing received. */
__device__ __forceinline__ fv2_values around(const gsrb_args &a, const place &p)
{
  fv2_values x = {};
  x.w = a.own[beyond<0>(p)];
  x.e = a.own[beyond<1>(p)];
  x.s = a.own[beyond<2>(p)];
  x.n = a.own[beyond<3>(p)];
  x.d = a.own[beyond<4>(p)];
  x.u = a.own[beyond<5>(p)];
  return x;
}

/* Receives the neighbour's value and stores it in the ghost as well. */
template <int FACE>
__device__ __forceinline__ void receive(const fused_exchange_args &r, const hymgi_geom &g,
                                        const place &p, unsigned long long exchange, double *value)
{
  const neighbour &n = r.face[FACE];
  *value = r.zero ? 0
                  : receive_value(r.wait, n.rank,
                                  n.in + version_at(exchange, n.in_version) + packed<FACE>(g, p));
  r.sweep.out[beyond<FACE>(p)] = *value;
}

template <int FACE>
__device__ __forceinline__ void send(const fused_exchange_args &r, const hymgi_geom &g,
                                     const place &p, unsigned long long exchange, double value)
{
  const neighbour &n = r.face[FACE];
  send_value(n.out + version_at(exchange, n.out_version) + packed<FACE>(g, p), value);
}

__device__ __forceinline__ void receive_all(const fused_exchange_args &r, const hymgi_geom &g,
                                            const place &p, unsigned faces,
                                            unsigned long long exchange, fv2_values *x)
{
  if (faces & 1) receive<0>(r, g, p, exchange, &x->w);
  if (faces & 2) receive<1>(r, g, p, exchange, &x->e);
  if (faces & 4) receive<2>(r, g, p, exchange, &x->s);
  if (faces & 8) receive<3>(r, g, p, exchange, &x->n);
  if (faces & 16) receive<4>(r, g, p, exchange, &x->d);
  if (faces & 32) receive<5>(r, g, p, exchange, &x->u);
}

__device__ __forceinline__ void send_all(const fused_exchange_args &r, const hymgi_geom &g,
                                         const place &p, unsigned faces,
                                         unsigned long long exchange, double value)
{
  if (faces & 1) send<0>(r, g, p, exchange, value);
  if (faces & 2) send<1>(r, g, p, exchange, value);
  if (faces & 4) send<2>(r, g, p, exchange, value);
  if (faces & 8) send<3>(r, g, p, exchange, value);
  if (faces & 16) send<4>(r, g, p, exchange, value);
  if (faces & 32) send<5>(r, g, p, exchange, value);
}

__device__ __forceinline__ unsigned long long read_word(const unsigned long long *word)
{
  return *(const volatile unsigned long long *)word;
}

/* each(place) for this thread's cell of the colour at the face. */
template <typename Each>
__device__ __forceinline__ void each_at_face(const hymgi_geom &g, int colour, int face,
                                             const Each &each)
{
  const int axis = face / 2, last = face & 1 ? along(g.n, axis) - 1 : 0;
  const int slots = axis == 0 ? 1 : g.n[0] / 2, across = axis == 1 ? 1 : g.n[1];
  const int m = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = m / slots;
  if (row >= across * (axis == 2 ? 1 : g.n[2])) return;
  const int t = axis != 0 ? m - row * slots : face & 1 ? g.n[0] / 2 - 1 : 0;
  const int k = row / across, j = row - k * across;
  const place p = place_of(g, colour, t, axis == 1 ? last : j, axis == 2 ? last : k);
  if (axis != 0 || p.i == last) each(p);
}

/* Sends the cells of a colour at all faces unchanged: the first exchange. */
__global__ void __launch_bounds__(ROW_THREADS)
    fv2_send_colour(const __grid_constant__ fused_exchange_args r, int colour)
{
  const int face = (int)blockIdx.y;
  const hymgi_geom &g = r.sweep.boxes.one;
  bool there = false;
  place p = {};
  if (r.faces >> face & 1)
    each_at_face(g, colour, face, [&](const place &at) { there = true, p = at; });
  wait_for_predecessors();
  const unsigned long long exchange = read_word(r.end) + 1;
  if (threadIdx.x + blockIdx.x + blockIdx.y == 0) *(volatile unsigned long long *)r.base = exchange;
  let_successors_start();
  if (there) send_all(r, g, p, 1u << face, exchange, r.sweep.own[p.own]);
}

/* Receives the ghosts next to cells of a colour, in the last exchange. base was written before any
 * kernel that may still be running. The preceding half sweep, which updates the other colour, does
 * not touch these ghosts, so they are received while it ends. */
__global__ void __launch_bounds__(ROW_THREADS)
    fv2_receive_ghosts(const __grid_constant__ fused_exchange_args r, int colour)
{
  let_successors_start();
  const int face = (int)blockIdx.y;
  const hymgi_geom &g = r.sweep.boxes.one;
  if (r.faces >> face & 1) {
    const unsigned long long exchange = read_word(r.base) + (unsigned)r.step;
    each_at_face(g, colour, face, [&](const place &p) {
      fv2_values taken = {};
      receive_all(r, g, p, 1u << face, exchange, &taken);
    });
  }
  wait_for_predecessors();
}

/* The face all of whose ghosts (with depth 0: cells) the brick consists of; -1: none. */
int face_of(const hymgi_geom *g, const hymgi_piece *p, int depth)
{
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2, n = g->n[axis];
    bool whole = p->n[axis] == 1 && p->low[axis] == (face & 1 ? n - 1 + depth : -depth);
    for (int other = 0; other < 3; other++)
      if (other != axis) whole = whole && p->low[other] == 0 && p->n[other] == g->n[other];
    if (whole) return face;
  }
  return -1;
}

fused_exchange_args fused_exchange_args_of(const hymgi_level *level, const hymgi_plan *plan)
{
  const hymgi_sweep red = {HYMGI_HALF_SWEEP, level->f, level->x, level->x, level->x};
  const hymgi_geom *g = level->box;
  fused_exchange_args r = {};
  r.sweep = gsrb_args_of(level, &red);
  for (int m = 0; m < plan->num_unpack; m++) {
    const hymgi_piece *p = plan->unpack + m;
    const hymgi_peer_message *message = plan->in.message + p->message;
    neighbour *const n = r.face + face_of(g, p, 1);
    n->in = message->data + (p->at - p->first);
    n->in_version = message->version;
    n->rank = message->rank;
    r.faces |= 1u << face_of(g, p, 1);
  }
  for (int m = 0; m < plan->num_pack; m++) {
    const hymgi_piece *p = plan->pack + m;
    const hymgi_peer_message *message = plan->out.message + p->message;
    neighbour *const n = r.face + face_of(g, p, 0);
    n->out = message->data + (p->at - p->first);
    n->out_version = message->version;
  }
  r.base = plan->in.exchanges;
  r.end = plan->out.exchanges;
  r.wait = wait_of(level->context, plan);
  return r;
}

template <typename... P, typename... A>
void launch(const hymgi_level *level, const hymgi_plan *plan, void (*kernel)(P...), dim3 grid,
            dim3 block, A... args)
{
  hymgi_peer_begin(level->context, plan);
  hymgi_launch(level->context, kernel, grid, block, args...);
}

/* x: enough blocks for the largest face; y: one face each. */
dim3 faces_grid(const hymgi_geom *g, unsigned faces)
{
  int64_t most = 0;
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2;
    if (!(faces >> face & 1)) continue;
    const int64_t cells = (int64_t)(axis == 0 ? 1 : g->n[0] / 2) * (axis == 1 ? 1 : g->n[1]) *
                          (axis == 2 ? 1 : g->n[2]);
    if (cells > most) most = cells;
  }
  return dim3(blocks_for(most, ROW_THREADS), 6);
}

/* A smoother call: half(r) for each half sweep, the exchange before the first and the one after the
 * last, which updated the black cells. */
template <typename Half>
void sweep_and_exchange(const hymgi_level *level, bool from_zero, bool with_ghosts,
                        const Half &half)
{
  const bool zero = from_zero && level->starts_alone;
  const hymgi_plan *plan = level->halo[HYMGI_HALO_FACES];
  const int sweeps = level->method->sweeps;
  fused_exchange_args r = fused_exchange_args_of(level, plan);
  const dim3 grid = faces_grid(level->box, r.faces), block(ROW_THREADS);
  if (!zero) launch(level, plan, fv2_send_colour, grid, block, r, 1);
  r.known = zero ? 2 : 1;
  for (int s = 0; s < sweeps; s++) {
    r.zero = zero && s == 0;
    r.step = s;
    r.ends = s == sweeps - 1;
    r.sends = !r.ends || with_ghosts;
    r.sweep.colour = r.sweep.falling = s & 1;
    r.sweep.f_is_old = s > 0 || !zero;
    half(r);
  }
  r.step = sweeps;
  if (with_ghosts) launch(level, plan, fv2_receive_ghosts, grid, block, r, 0);
}

} /* namespace */

#endif
