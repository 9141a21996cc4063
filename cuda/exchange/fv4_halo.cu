/* The FV4 exchange with peers for one box of split rows, together with the boundary ghosts that the
 * stencil reads, in two kernels: fv4_send_halo stores the cells at faces with neighbours into their
 * messages; meanwhile fv4_receive_halo fills this box's own boundary ghosts, then stores what
 * arrives in the ghosts and fills the boundary ghosts next to them. In gsrb only the colour updated
 * by the last half sweep travels, if all ranks of the plan agree (in_sweeps): the messages then
 * hold one colour after the other.
 *
 * Messages use the LL protocol (peer.cuh). They are those of the plan, and an exchange of both
 * colours has the same format as with push and pull of peer.cu. */
#include "device/fv4_ghosts.cuh"
#include "device/fv4_send.cuh"
#include "device/loops.cuh"
#include "exchange/exchange.h"
#include "exchange/peers.h"
#include "kernels/kernels.h"

namespace
{

enum {
  HALO_THREADS = GHOST_BLOCK_X * GHOST_BLOCK_Y,
  HALO_SHIFT = 6, /* at most 2^6 threads along a row, so that a block has at least 4 rows */
  LINE = 4        /* cells that an extrapolation reads */
};

struct halo_args {
  split_args s; /* for the boundary ghosts */
  halo_side side;
  int filling_blocks; /* the first blocks, which fill boundary ghosts */
  int colours;        /* that are exchanged, a bit each */
  bool by_colour;     /* a message holds one colour after the other */
  bool fills, along_x;
  bool sent; /* by the preceding kernel, which must end before its cells are read */
  peer_wait wait;
};

/* A thread's slot (a red and a black cell) in its block's brick. */
struct halo_place {
  int t, j, k, x; /* slot and row in the box; slot in the brick */
  bool inside;
};

/* log2 of the number of threads along a row with this many slots. */
HYMGI_INLINE int halo_shift(int slots)
{
  int shift = 0;
  while (shift < HALO_SHIFT && 1 << shift < slots)
    shift++;
  return shift;
}

__device__ __forceinline__ halo_place place_in(const halo_brick &b)
{
  const int slots = b.n[0] / 2, shift = halo_shift(slots), id = (int)threadIdx.x;
  const int tiles = (slots + (1 << shift) - 1) >> shift, block = (int)blockIdx.x - b.first;
  const int row = block / tiles * (HALO_THREADS >> shift) + (id >> shift);
  const int along_x = b.turned ? b.n[2] : b.n[1], slow = row / along_x, fast = row - slow * along_x;
  halo_place p;
  p.x = (block % tiles << shift) + (id & ((1 << shift) - 1));
  p.t = p.x + b.low[0] / 2;
  p.j = b.low[1] + (b.turned ? slow : fast);
  p.k = b.low[2] + (b.turned ? fast : slow);
  p.inside = p.x < slots && row < b.n[1] * b.n[2];
  return p;
}

/* Index of the slot's cell of a colour in the vector; below: in a version of the message. */
__device__ __forceinline__ ptrdiff_t cell_of(const halo_args &a, const halo_place &p, int colour)
{
  return hymgi_row(&a.s.g, colour, p.j, p.k) + p.t;
}

__device__ __forceinline__ ptrdiff_t packed(const halo_args &a, const halo_brick &b,
                                            const halo_place &p, int colour)
{
  const ptrdiff_t row = (ptrdiff_t)(p.k - b.low[2]) * b.n[1] + p.j - b.low[1];
  if (!a.by_colour) return row * b.n[0] + 2 * p.x + hymgi_first(&a.s.g, colour, p.j, p.k);
  return packed_by_colour(b, colour, p.t, p.j, p.k);
}

__device__ __forceinline__ const halo_brick &brick_of_block(const halo_side &s)
{
  int m = 0;
  while (m + 1 < s.bricks && (int)blockIdx.x >= s.brick[m + 1].first)
    m++;
  return s.brick[m];
}

/* The counters work as in peer_send_ll and peer_receive_ll of peer.cu. */
__global__ void __launch_bounds__(HALO_THREADS) fv4_send_halo(const __grid_constant__ halo_args a)
{
  const halo_brick &b = brick_of_block(a.side);
  const halo_place p = place_in(b);
  hymgi_real value[2] = {0, 0};
  wait_for_predecessors();
#pragma unroll
  for (int colour = 0; colour < 2; colour++)
    if (p.inside && a.colours >> colour & 1) value[colour] = a.s.x[cell_of(a, p, colour)];
  const unsigned long long exchange = begin_exchange(a.side.exchanges, a.side.others);
  let_successors_start();
  double *const message = b.data + version_at(exchange, b.version);
#pragma unroll
  for (int colour = 0; colour < 2; colour++)
    if (p.inside && a.colours >> colour & 1)
      send_value(message + packed(a, b, p, colour), value[colour]);
}

/* After a row of ghosts has been received: fills the boundary ghosts at its ends along the other
 * axes. The block holds the four rows, or the two slots, that an extrapolation reads. */
__device__ __forceinline__ void fill_neighbours(const halo_args &a, const halo_place &p)
{
  const hymgi_geom &g = a.s.g;
  const bool across_y = p.j == -1 || p.j == g.n[1], across_z = p.k == -1 || p.k == g.n[2];
  const bool in_y = p.j >= 0 && p.j < g.n[1], in_z = p.k >= 0 && p.k < g.n[2];
  if (!(across_y && in_z) && !(across_z && in_y)) return;
  const int axis = across_z ? 1 : 2, at = across_z ? p.j : p.k, last = along(g.n, axis) - 1;
  if (at == 0 && has_boundary(g, 2 * axis)) fill_slot(a.s, 2 * axis, p.t, p.j, p.k);
  if (at == last && has_boundary(g, 2 * axis + 1)) fill_slot(a.s, 2 * axis + 1, p.t, p.j, p.k);
  if (!a.along_x) return;
  if (p.t == 0) fill_end<false>(a.s, p.j, p.k);
  if (p.t == g.n[0] / 2 - 1) fill_end<true>(a.s, p.j, p.k);
}

__device__ __forceinline__ void receive_brick(const halo_args &a, unsigned long long exchange)
{
  const halo_brick &b = brick_of_block(a.side);
  const halo_place p = place_in(b);
  double *const message = b.data + version_at(exchange, b.version);
#pragma unroll
  for (int colour = 0; colour < 2; colour++)
    if (p.inside && (a.colours >> colour & 1))
      a.s.x[cell_of(a, p, colour)] =
          (hymgi_real)receive_value(a.wait, b.rank, message + packed(a, b, p, colour));
  if (!a.fills) return;
  __syncthreads();
  if (p.inside) fill_neighbours(a, p);
}

/* Starts when all blocks of fv4_send_halo have started: everything before that kernel has ended by
 * then. Waits for it at the end, or before it fills boundary ghosts from cells that the preceding
 * kernel computes. */
__global__ void __launch_bounds__(HALO_THREADS)
    fv4_receive_halo(const __grid_constant__ halo_args a)
{
  const unsigned long long exchange = load_acquire(a.side.exchanges);
  let_successors_start();
  if (a.sent && a.fills) wait_for_predecessors();
  if ((int)blockIdx.x < a.filling_blocks)
    fill_by_block(a.s, (int)blockIdx.x, (int)threadIdx.x);
  else
    receive_brick(a, exchange);
  end_exchange(a.side.others, exchange);
}

/* ---- launches ---- */

/* Do the pieces consist of whole slots of the only box, and do they fit into the kernel's
 * arguments? */
bool are_slots(const hymgi_piece *piece, int count)
{
  if (count == 0 || count > HALO_BRICKS) return false;
  for (int m = 0; m < count; m++)
    if (piece[m].box != 0 || piece[m].low[0] % 2 || piece[m].n[0] % 2) return false;
  return true;
}

bool moves_slots(const hymgi_level *level, const hymgi_geom *box, const hymgi_plan *plan)
{
  return level->num_boxes == 1 && box->split && plan->num_local == 0 &&
         are_slots(plan->pack, plan->num_pack) && are_slots(plan->unpack, plan->num_unpack);
}

/* The assumptions of fill_neighbours: no neighbours along x, and received bricks start and end at
 * multiples of LINE. */
bool fills_neighbours(const hymgi_geom *g, const hymgi_plan *plan)
{
  if ((g->boundaries & 3) != 3 || g->n[0] % 4) return false;
  for (int m = 0; m < plan->num_unpack; m++) {
    const hymgi_piece *p = plan->unpack + m;
    for (int axis = 1; axis < 3; axis++)
      if (p->low[axis] >= 0 && p->low[axis] < g->n[axis] &&
          (p->low[axis] % LINE || p->n[axis] % LINE))
        return false;
    if (p->low[0] != 0 || p->n[0] != g->n[0]) return false;
  }
  return true;
}

/* Returns the number of blocks, including those that fill boundary ghosts. */
unsigned set_blocks(halo_args *a)
{
  int blocks = a->filling_blocks;
  for (halo_brick *b = a->side.brick; b < a->side.brick + a->side.bricks; b++) {
    const int slots = b->n[0] / 2, shift = halo_shift(slots);
    b->first = blocks;
    b->turned = b->low[1] < 0 || b->low[1] >= a->s.g.n[1];
    blocks += (int)(blocks_for(slots, 1 << shift) *
                    blocks_for((int64_t)b->n[1] * b->n[2], HALO_THREADS >> shift));
  }
  return (unsigned)blocks;
}

} /* namespace */

extern "C" bool hymgi_cuda_fv4_could_halve(const hymgi_level *level, const hymgi_plan *halo)
{
  const hymgi_method *m = level->method;
  return level->op->stencil == HYMG_FV4 && m->smoother == HYMG_GSRB &&
         hymgi_keeps_colours_apart(level) && moves_slots(level, level->box, halo);
}

extern "C" bool hymgi_cuda_fv4_halo_exchange(const hymgi_level *level, const hymgi_plan *plan,
                                             const hymgi_geom *box, hymgi_real *x, int colours,
                                             hymgi_fv4_ghosts ghosts, bool sent)
{
  if (!plan || !plan->ll || !moves_slots(level, box, plan)) return false;
  hymg_context *const context = level->context;
  const bool along_x = ghosts == HYMGI_FV4_ALL;
  const bool fills =
      ghosts != HYMGI_FV4_NONE && can_fill_split(level, box) && fills_neighbours(box, plan);
  halo_args out = {};
  out.s = split_args_of(level, box, x, along_x, false);
  out.colours = plan->in_sweeps ? colours : 3;
  out.by_colour = plan->in_sweeps;
  out.fills = fills;
  out.along_x = along_x;
  out.sent = sent;
  out.wait = wait_of(context, plan);
  halo_args in = out;
  out.side = side_of(plan, true);
  in.side = side_of(plan, false);
  in.filling_blocks = fills ? in.s.wide * in.s.rows * in.s.parts : 0;
  const dim3 block(HALO_THREADS), send_grid(set_blocks(&out)), receive_grid(set_blocks(&in));
  hymgi_peer_begin(context, plan);
  if (!sent) hymgi_launch(context, fv4_send_halo, send_grid, block, out);
  hymgi_launch(context, fv4_receive_halo, receive_grid, block, in);
  if (!fills && ghosts != HYMGI_FV4_NONE) hymgi_cuda_fill_operator_ghosts(level, box, x, along_x);
  return true;
}
