/* FV2 red-black Gauss-Seidel on split rows, one cell a thread, with the exchange in the half sweep:
 * who updates a cell beside another GPU's box takes the neighbour's value from the message as it
 * comes, and stores the new value of its own straight into the neighbour's message. A half sweep is
 * then one kernel instead of three. Ghosts get what was taken, for what comes after.
 *
 * Only the colour that is needed travels: half sweep s takes what exchange e + s brought and sends
 * exchange e + s + 1. Of its own cells' values none can be two exchanges ahead of the neighbour's.
 * A place of a message is emptied by a kernel, and written again two exchanges after that kernel has
 * ended: hence three versions (peer.cuh). Planes rise and fall in turn: so a face that is sent late
 * is taken late. */
#include "fv2_joined.h"

#include "gsrb_args.cuh"
#include "peer.cuh"
#include "peer.h"
#include "rows.cuh"

namespace
{

/* A neighbour across a face: its part of the messages in and out, packed as the face lies. */
struct joint {
  double *in, *out;
  ptrdiff_t in_version, out_version;
  int rank;
};

struct joined_args {
  gsrb_args sweep;
  joint face[6];
  unsigned faces;                 /* bit f: there is one */
  unsigned long long *base, *end; /* the first exchange; where to leave the last one */
  int step;                       /* half sweeps before this one */
  bool sends, ends;
  peer_wait wait;
};

/* Faces with a neighbour that the cell lies at. */
__device__ __forceinline__ unsigned faces_at(const joined_args &r, const hymgi_geom &g,
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

/* What has come across the face, also into the ghost. */
template <int FACE>
__device__ __forceinline__ void take(const joined_args &r, const hymgi_geom &g, const place &p,
                                     unsigned long long exchange, double *value)
{
  const joint &n = r.face[FACE];
  *value =
      take_value(r.wait, n.rank, n.in + version_at(exchange, n.in_version) + packed<FACE>(g, p));
  r.sweep.out[beyond<FACE>(p)] = *value;
}

template <int FACE>
__device__ __forceinline__ void put(const joined_args &r, const hymgi_geom &g, const place &p,
                                    unsigned long long exchange, double value)
{
  const joint &n = r.face[FACE];
  put_value(n.out + version_at(exchange, n.out_version) + packed<FACE>(g, p), value);
}

__device__ __forceinline__ void take_all(const joined_args &r, const hymgi_geom &g, const place &p,
                                         unsigned faces, unsigned long long exchange, fv2_values *x)
{
  if (faces & 1) take<0>(r, g, p, exchange, &x->w);
  if (faces & 2) take<1>(r, g, p, exchange, &x->e);
  if (faces & 4) take<2>(r, g, p, exchange, &x->s);
  if (faces & 8) take<3>(r, g, p, exchange, &x->n);
  if (faces & 16) take<4>(r, g, p, exchange, &x->d);
  if (faces & 32) take<5>(r, g, p, exchange, &x->u);
}

__device__ __forceinline__ void put_all(const joined_args &r, const hymgi_geom &g, const place &p,
                                        unsigned faces, unsigned long long exchange, double value)
{
  if (faces & 1) put<0>(r, g, p, exchange, value);
  if (faces & 2) put<1>(r, g, p, exchange, value);
  if (faces & 4) put<2>(r, g, p, exchange, value);
  if (faces & 8) put<3>(r, g, p, exchange, value);
  if (faces & 16) put<4>(r, g, p, exchange, value);
  if (faces & 32) put<5>(r, g, p, exchange, value);
}

__device__ __forceinline__ unsigned long long read_word(const unsigned long long *word)
{
  return *(const volatile unsigned long long *)word;
}

/* So many blocks that a box of 64^3 cells is under way at once. */
enum { HALF_THREADS = 128, HALF_BLOCKS = 8 };

/* From the second half sweep on the base was written before any kernel that may still run. */
template <bool VARIABLE>
__global__ void __launch_bounds__(HALF_THREADS, HALF_BLOCKS)
    half(const __grid_constant__ joined_args r)
{
  const gsrb_args &a = r.sweep;
  const hymgi_geom &g = a.boxes.one;
  const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const int k = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  const bool inside = t < g.n[0] / 2 && j < g.n[1];
  const bool first = threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y + blockIdx.z == 0;
  place p = {};
  fv2_betas b = {};
  double alpha = 0, f = 0;
  unsigned faces = 0;
  unsigned long long exchange = 0;
  if (inside) {
    p = place_of(g, a.colour, t, j, k);
    b = fv2_load_betas<VARIABLE>(a.v, g, p);
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
    if (a.f_is_old) f = a.f[p.own];
    faces = faces_at(r, g, p);
    if (faces && r.step > 0) exchange = read_word(r.base) + (unsigned)r.step;
  }
  wait_for_predecessors();
  let_successors_start();
  if (first && r.ends) *r.end = read_word(r.base) + (unsigned)(r.step + r.sends);
  if (!inside) return;
  if (!a.f_is_old) f = a.f[p.own];
  if (faces && r.step == 0) exchange = read_word(r.base);
  fv2_values x = {};
  x.w = a.own[beyond<0>(p)];
  x.e = a.own[beyond<1>(p)];
  x.s = a.own[beyond<2>(p)];
  x.n = a.own[beyond<3>(p)];
  x.d = a.own[beyond<4>(p)];
  x.u = a.own[beyond<5>(p)];
  if (faces) take_all(r, g, p, faces, exchange, &x);
  fv2_close(a.v, g, p, &x);
  const double value = fv2_gsrb(a.v, b, x, f, alpha);
  a.out[p.own] = value;
  if (faces && r.sends) put_all(r, g, p, faces, exchange + 1, value);
}

/* each(place) for the cells of the colour at the face that the block is for. */
template <typename Each>
__device__ __forceinline__ void each_at_face(const hymgi_geom &g, int colour, int face,
                                             const Each &each)
{
  const int axis = face / 2, last = face & 1 ? along(g.n, axis) - 1 : 0;
  const int n[3] = {axis == 0 ? 1 : g.n[0] / 2, axis == 1 ? 1 : g.n[1], axis == 2 ? 1 : g.n[2]};
  each_of_brick(n, [&](int t, int j, int k) {
    if (axis == 0) t = face & 1 ? g.n[0] / 2 - 1 : 0;
    const place p = place_of(g, colour, t, axis == 1 ? last : j, axis == 2 ? last : k);
    if (axis != 0 || p.i == last) each(p);
  });
}

/* The cells of a colour at all faces, as they are: the first exchange. */
__global__ void __launch_bounds__(ROW_THREADS)
    send_colour(const __grid_constant__ joined_args r, int colour)
{
  wait_for_predecessors();
  const int face = (int)blockIdx.y;
  const hymgi_geom &g = r.sweep.boxes.one;
  const unsigned long long exchange = read_word(r.end) + 1;
  if (threadIdx.x + blockIdx.x + blockIdx.y == 0) *(volatile unsigned long long *)r.base = exchange;
  let_successors_start();
  if (!(r.faces >> face & 1)) return;
  each_at_face(g, colour, face,
               [&](const place &p) { put_all(r, g, p, 1u << face, exchange, r.sweep.own[p.own]); });
}

/* The ghosts beside the cells of a colour: the last exchange. */
__global__ void __launch_bounds__(ROW_THREADS)
    take_ghosts(const __grid_constant__ joined_args r, int colour)
{
  wait_for_predecessors();
  let_successors_start();
  const int face = (int)blockIdx.y;
  const hymgi_geom &g = r.sweep.boxes.one;
  const unsigned long long exchange = read_word(r.end);
  if (!(r.faces >> face & 1)) return;
  each_at_face(g, colour, face, [&](const place &p) {
    fv2_values taken = {};
    take_all(r, g, p, 1u << face, exchange, &taken);
  });
}

/* ---- the level ---- */

/* The face whose ghosts (or, with depth 0, whose cells) the brick is, all of them; -1: none. */
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

/* Each brick a whole face, each face once. */
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

joined_args joined_args_of(const hymgi_level *level, const hymgi_plan *plan)
{
  const hymgi_gsrb_half red = {0, level->x, level->x, level->x, false};
  const hymgi_geom *g = level->box;
  joined_args r = {};
  r.sweep = gsrb_args_of(level, &red);
  for (int m = 0; m < plan->num_unpack; m++) {
    const hymgi_piece *p = plan->unpack + m;
    const hymgi_peer_message *message = plan->in.message + p->message;
    joint *const n = r.face + face_of(g, p, 1);
    n->in = message->data + (p->at - p->first);
    n->in_version = message->version;
    n->rank = message->rank;
    r.faces |= 1u << face_of(g, p, 1);
  }
  for (int m = 0; m < plan->num_pack; m++) {
    const hymgi_piece *p = plan->pack + m;
    const hymgi_peer_message *message = plan->out.message + p->message;
    joint *const n = r.face + face_of(g, p, 0);
    n->out = message->data + (p->at - p->first);
    n->out_version = message->version;
  }
  r.base = plan->in.exchanges;
  r.end = plan->out.exchanges;
  r.wait = wait_of(level->context, plan);
  return r;
}

/* A failed rank launches nothing more: then the others must hear of it. */
template <typename... P, typename... A>
void launch(const hymgi_level *level, const hymgi_plan *plan, void (*kernel)(P...), dim3 grid,
            dim3 block, A... args)
{
  if (level->context->status != HYMG_OK) hymgi_peer_give_up(level->context, plan);
  hymgi_launch(level->context, kernel, grid, block, args...);
}

/* Blocks along x for the face with most rows, along y a face each. */
dim3 faces_grid(const hymgi_geom *g, unsigned faces)
{
  unsigned blocks = 0;
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2;
    if (!(faces >> face & 1)) continue;
    const int64_t rows = (axis == 1 ? 1 : (int64_t)g->n[1]) * (axis == 2 ? 1 : g->n[2]);
    const unsigned wanted = row_blocks(rows, axis == 0 ? 1 : g->n[0] / 2);
    if (wanted > blocks) blocks = wanted;
  }
  return dim3(blocks, 6);
}

} /* namespace */

extern "C" bool hymgi_cuda_fv2_could_join(const hymgi_level *level, const hymgi_plan *halo)
{
  const hymgi_method *m = level->method;
  const hymgi_geom *g = level->box;
  if (m->stencil != HYMG_FV2 || m->smoother != HYMG_GSRB || level->num_boxes != 1 || !g->split ||
      !hymgi_cuda_colours_apart(level))
    return false;
  const int64_t cells = (int64_t)g->n[0] * g->n[1] * g->n[2];
  const hymgi_kernel_choice *c = &level->context->gpu->choice;
  return cells < c->fv2_apart_from && g->n[1] > 1 && g->n[2] > 1 && halo->num_local == 0 &&
         halo->num_pack == halo->num_unpack && are_faces(g, halo->unpack, halo->num_unpack, 1) &&
         are_faces(g, halo->pack, halo->num_pack, 0);
}

extern "C" bool hymgi_cuda_fv2_joined(const hymgi_level *level, bool with_ghosts)
{
  const hymgi_plan *plan = level->halo[HYMGI_HALO_FACES];
  if (!plan || !plan->in_sweeps) return false;
  const hymgi_geom *g = level->box;
  const int sweeps = level->method->sweeps, wide = g->n[0] / 2;
  const unsigned x = wide >= 32 ? 32 : wide >= 16 ? 16 : wide >= 8 ? 8 : 4, y = HALF_THREADS / x;
  const dim3 grid(blocks_for(wide, (int)x), blocks_for(g->n[1], (int)y), (unsigned)g->n[2]);
  joined_args r = joined_args_of(level, plan);
  launch(level, plan, send_colour, faces_grid(g, r.faces), dim3(ROW_THREADS), r, 1);
  for (int s = 0; s < sweeps; s++) {
    r.step = s;
    r.ends = s == sweeps - 1;
    r.sends = !r.ends || with_ghosts;
    r.sweep.colour = s & 1;
    r.sweep.falling = s & 1;
    r.sweep.f_is_old = s > 0;
    launch(level, plan, level->method->variable_beta ? half<true> : half<false>, grid, dim3(x, y),
           r);
  }
  /* the last were the black ones, which red cells lie beside */
  if (with_ghosts)
    launch(level, plan, take_ghosts, faces_grid(g, r.faces), dim3(ROW_THREADS), r, 0);
  return true;
}
