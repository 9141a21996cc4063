/* FV2 red-black Gauss-Seidel on split rows with the exchange fused into the sweeps: the thread of a
 * cell at another GPU's box reads the neighbour's value from the message as soon as it arrives and
 * stores its own new value directly into the neighbour's message. Received values are also stored
 * in the ghosts, for the kernels that follow. Only the colour that is needed travels: half sweep s
 * receives exchange e + s and sends exchange e + s + 1. No rank can be two exchanges ahead of its
 * neighbour. A kernel clears the entry of a message that it has read, and the entry is written
 * again two exchanges after that kernel has ended: hence three versions of a message (peer.cuh).
 *
 * A half sweep is one kernel instead of three. Planes are swept upwards and downwards in turn, so
 * that a face sent late is also needed late.
 *
 * The fused pass over both colours (gsrb_fused.cu) does not see the neighbours' updated red cells,
 * so the black cells at neighbours' faces come out wrong. Therefore the red cells at these faces
 * are computed first, from the black ones received, and sent: they travel while the pass runs.
 * Afterwards the black cells at the faces are computed again, from the red ones received, and sent.
 * The exchanges are those of the separate half sweeps, so that ranks may choose either form. If
 * ghosts are exchanged in another way, the black cells next to them are computed again from the
 * ghosts in memory. */
#include "device/loops.cuh"
#include "device/peer.cuh"
#include "exchange/exchange.h"
#include "exchange/peers.h"
#include "kernels/gsrb_args.cuh"

namespace
{

/* Enough resident blocks that a box of 64^3 cells runs in a single wave. */
enum { HALF_THREADS = 128, HALF_BLOCKS = 8 };

/* A neighbour's message, packed in the order of the face's cells. */
struct face_message {
  double *data;
  ptrdiff_t version;
  int rank;
};

struct fused_exchange_args {
  gsrb_args sweep;
  face_message in[6], out[6];     /* by face */
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

/* face: known at compile time, like the index of an unrolled loop. */
__device__ __forceinline__ double *packed_at(const face_message &message, const hymgi_geom &g,
                                             const place &p, int face, unsigned long long exchange)
{
  const int slow = face / 2 == 2 ? p.j : p.k, fast = face / 2 == 0 ? p.j : p.i;
  return message.data + version_at(exchange, message.version) +
         ((ptrdiff_t)slow * (face / 2 == 0 ? g.n[1] : g.n[0]) + fast);
}

__device__ __forceinline__ hymgi_real &beyond(fv2_values &x, int face)
{
  return face == 0   ? x.w
         : face == 1 ? x.e
         : face == 2 ? x.s
         : face == 3 ? x.n
         : face == 4 ? x.d
                     : x.u;
}

/* Receives the neighbours' values and stores them in the ghosts as well. */
__device__ __forceinline__ void receive_all(const fused_exchange_args &r, const hymgi_geom &g,
                                            const place &p, unsigned faces,
                                            unsigned long long exchange, fv2_values *x)
{
#pragma unroll
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2, step = face & 1 ? 1 : -1;
    if (!(faces >> face & 1)) continue;
    hymgi_real value = 0;
    if (!r.zero)
      value = (hymgi_real)receive_value(r.wait, r.in[face].rank,
                                        packed_at(r.in[face], g, p, face, exchange));
    r.sweep.out[at(p, axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0)] = value;
    beyond(*x, face) = value;
  }
}

__device__ __forceinline__ void send_all(const fused_exchange_args &r, const hymgi_geom &g,
                                         const place &p, unsigned faces,
                                         unsigned long long exchange, hymgi_real value)
{
#pragma unroll
  for (int face = 0; face < 6; face++)
    if (faces >> face & 1) send_value(packed_at(r.out[face], g, p, face, exchange), value);
}

/* each(place) for this thread's cell of the colour at the face. */
template <typename Each>
__device__ __forceinline__ void each_at_face(const hymgi_geom &g, int colour, int face,
                                             const Each &each)
{
  const int axis = face / 2, last = face & 1 ? along(g.n, axis) - 1 : 0;
  const int slots = axis == 0 ? 1 : slots_of(g), across = axis == 1 ? 1 : g.n[1];
  const int m = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = m / slots;
  if (row >= across * (axis == 2 ? 1 : g.n[2])) return;
  const int t = axis != 0 ? m - row * slots : face & 1 ? last / 2 : 0;
  const int k = row / across, j = row - k * across;
  const place p = place_of(g, colour, t, axis == 1 ? last : j, axis == 2 ? last : k);
  if (axis != 0 ? p.i < g.n[0] : p.i == last) each(p);
}

/* ---- half sweeps ---- */

/* A thread's cell, with its data that is valid before the preceding kernels end. */
template <bool VARIABLE, bool EXCHANGES> struct own_cell {
  bool there;
  place p;
  unsigned faces;
  fv2_betas b;
  hymgi_real alpha, f;
  unsigned long long exchange;

  __device__ __forceinline__ void load(const fused_exchange_args &r, const hymgi_geom &g,
                                       const place &at)
  {
    const gsrb_args &a = r.sweep;
    there = true;
    p = at;
    b = fv2_load_betas<VARIABLE>(a.v, g, p);
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
    if (a.f_is_old) f = a.f[p.own];
    if (EXCHANGES) faces = faces_at(r, g, p);
    if (faces && r.step >= r.known) exchange = read_word(r.base) + (unsigned)r.step;
  }

  /* Called by all threads. */
  __device__ __forceinline__ void sweep(const fused_exchange_args &r, const hymgi_geom &g,
                                        bool stores)
  {
    const gsrb_args &a = r.sweep;
    const bool first = EXCHANGES && is_first_thread();
    wait_for_predecessors();
    let_successors_start();
    if (first && r.zero) *(volatile unsigned long long *)r.base = read_word(r.end);
    if (first && r.ends) *r.end = read_word(r.base) + (unsigned)(r.step + r.sends);
    if (!there) return;
    if (!a.f_is_old) f = a.f[p.own];
    if (faces && r.step < r.known) exchange = read_word(r.zero ? r.end : r.base) + (unsigned)r.step;
    fv2_values x = fv2_read_neighbours(p, a.own);
    if (faces) receive_all(r, g, p, faces, exchange, &x);
    fv2_extrapolate(a.v, g, p, &x);
    const hymgi_real value = fv2_gsrb(a.v, b, x, f, alpha);
    if (stores) a.out[p.own] = value;
    if (faces && r.sends) send_all(r, g, p, faces, exchange + 1, value);
  }
};

template <bool VARIABLE>
__global__ void __launch_bounds__(HALF_THREADS, HALF_BLOCKS)
    fv2_gsrb_peer(const __grid_constant__ fused_exchange_args r)
{
  const hymgi_geom &g = r.sweep.boxes.one;
  const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const int k = r.sweep.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  own_cell<VARIABLE, true> cell = {};
  if (t < g.n[0] / 2 && j < g.n[1]) cell.load(r, g, place_of(g, r.sweep.colour, t, j, k));
  cell.sweep(r, g, true);
}

/* Updates the cells of a colour at neighbours' faces; a cell at several faces belongs to the first.
 * Red cells are only sent: the fused pass stores them. */
template <bool VARIABLE, bool EXCHANGES>
__global__ void __launch_bounds__(ROW_THREADS)
    fv2_gsrb_faces(const __grid_constant__ fused_exchange_args r)
{
  const int face = (int)blockIdx.y;
  const hymgi_geom &g = r.sweep.boxes.one;
  own_cell<VARIABLE, EXCHANGES> cell = {};
  if (r.faces >> face & 1)
    each_at_face(g, r.sweep.colour, face, [&](const place &p) {
      if ((faces_at(r, g, p) & ((1u << face) - 1)) == 0) cell.load(r, g, p);
    });
  cell.sweep(r, g, r.sweep.colour == 1);
}

/* ---- the exchanges before and after ---- */

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
  if (is_first_thread()) *(volatile unsigned long long *)r.base = exchange;
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

/* ---- the level ---- */

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

/* Is each brick a whole face, and is no face listed twice? */
bool are_faces(const hymgi_geom *g, const hymgi_piece *piece, int count, int depth)
{
  unsigned seen = 0;
  for (int m = 0; m < count; m++) {
    const int face = face_of(g, piece + m, depth);
    if (face < 0 || seen >> face & 1) return false;
    seen |= 1u << face;
  }
  return true;
}

fused_exchange_args fused_exchange_args_of(const hymgi_level *level, const hymgi_plan *plan)
{
  const hymgi_sweep red = {HYMGI_HALF_SWEEP, level->f, level->x, level->x, level->x};
  fused_exchange_args r = {};
  r.sweep = gsrb_args_of(level, &red);
  for (int m = 0; m < plan->num_pack + plan->num_unpack; m++) {
    const bool out = m < plan->num_pack;
    const hymgi_piece *p = out ? plan->pack + m : plan->unpack + (m - plan->num_pack);
    const hymgi_peer_message *message = (out ? plan->out : plan->in).message + p->message;
    const int face = face_of(level->box, p, out ? 0 : 1);
    (out ? r.out : r.in)[face] = {message->data + (p->at - p->first), message->version,
                                  message->rank};
    r.faces |= 1u << face;
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
    const int64_t cells = (int64_t)(axis == 0 ? 1 : slots_of(*g)) * (axis == 1 ? 1 : g->n[1]) *
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
  const int sweeps = hymgi_sweeps(level);
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

extern "C" bool hymgi_cuda_fv2_could_fuse_exchange(const hymgi_level *level, const hymgi_plan *halo)
{
  const hymgi_method *m = level->method;
  const hymgi_geom *g = level->box;
  if (level->op->stencil != HYMG_FV2 || m->smoother != HYMG_GSRB || level->num_boxes != 1 ||
      !g->split || !hymgi_keeps_colours_apart(level))
    return false;
  return g->n[1] > 1 && g->n[2] > 1 && halo->num_local == 0 && halo->num_pack == halo->num_unpack &&
         are_faces(g, halo->unpack, halo->num_unpack, 1) &&
         are_faces(g, halo->pack, halo->num_pack, 0);
}

extern "C" void hymgi_cuda_fv2_gsrb_peer(hymgi_level *level, bool from_zero, bool with_ghosts)
{
  const hymgi_plan *plan = level->halo[HYMGI_HALO_FACES];
  const hymgi_geom *g = level->box;
  const int wide = g->n[0] / 2;
  const unsigned x = wide >= 32 ? 32 : wide >= 16 ? 16 : wide >= 8 ? 8 : 4, y = HALF_THREADS / x;
  const dim3 grid(blocks_for(wide, (int)x), blocks_for(g->n[1], (int)y), (unsigned)g->n[2]);
  const auto kernel = level->method->variable_beta ? fv2_gsrb_peer<true> : fv2_gsrb_peer<false>;
  sweep_and_exchange(level, from_zero, with_ghosts, [&](const fused_exchange_args &r) {
    launch(level, plan, kernel, grid, dim3(x, y), r);
  });
}

extern "C" void hymgi_cuda_fv2_gsrb_fused_peer(hymgi_level *level, bool from_zero, bool with_ghosts)
{
  const auto kernel =
      level->method->variable_beta ? fv2_gsrb_faces<true, true> : fv2_gsrb_faces<false, true>;
  sweep_and_exchange(level, from_zero, with_ghosts, [&](fused_exchange_args &r) {
    r.known = 1; /* the fused pass lies between the kernels of the first two half sweeps */
    launch(level, level->halo[HYMGI_HALO_FACES], kernel, faces_grid(level->box, r.faces),
           dim3(ROW_THREADS), r);
    if (r.sweep.colour == 1) return;
    hymgi_cuda_fv2_gsrb_fused(level, r.step & 2, level->x, level->y);
    hymgi_real *const x = level->x;
    level->x = level->y, level->y = x;
    r.sweep.own = r.sweep.other = r.sweep.out = level->x;
  });
}

extern "C" void hymgi_cuda_fv2_gsrb_faces(const hymgi_level *level, hymgi_real *x)
{
  const hymgi_sweep black = {HYMGI_HALF_SWEEP, level->f, x, x, x, 1};
  fused_exchange_args r = {};
  r.sweep = gsrb_args_of(level, &black);
  r.faces = ~level->box->boundaries & 63;
  hymgi_launch(level->context,
               level->method->variable_beta ? fv2_gsrb_faces<true, false>
                                            : fv2_gsrb_faces<false, false>,
               faces_grid(level->box, r.faces), dim3(ROW_THREADS), r);
}
