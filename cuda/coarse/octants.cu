/* The coarse end one level further up for FV2's red-black Gauss-Seidel with coarse matrices: V- and
 * F-cycles in one launch of a cluster of eight blocks, with the bits of the kernels of single levels.
 * Each block has an octant of the finest level in its shared memory; cells at the cuts are stored into
 * the neighbours' ghosts as they are updated. The next coarser level, as large as an octant, is done
 * by every block for itself, since messages would take longer. A thread owns a cell of each. */
#include "coarse/red_black_cells.cuh"
#include "device/cluster.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

enum { OCTANTS = 8, RED = 0, BLACK = 1, RHS = 2, BARRIERS = 3, BARRIERS_AT = 2 };

/* The table has, for each octant, its cells (coarse_cell; child: the parent's position in x of the
 * next coarser level) and rows of numbers, red cells first. */
enum octant_row { ROW_BETA, ROW_DIAGONAL = 6, ROW_ALPHA, ROWS, CELL_DOUBLES = 2 };
enum { SIDE_BOUNDARY = 0, SIDE_CUT = 6, SIDE_ODD = 12 }; /* bits of coarse_cell.sides */

struct octants_run {
  matrix_run below;
  operator_view view;
  int n[3], cells;   /* of an octant */
  int row, plane;    /* in shared memory, with a layer of ghosts */
  int x_at, y_at;    /* positions in the arena */
  int parity, bytes; /* bytes: of ghosts, each colour */
  bool from_zero;
  const double *table;
  double *x;
  const double *f;
};

__device__ __forceinline__ byte_barrier *barrier_of(int kind)
{
  return (byte_barrier *)(void *)(coarse_arena() + BARRIERS_AT) + kind;
}

/* ---- the table ---- */

struct table_args {
  hymgi_geom geom; /* of the level */
  operator_view view;
  bool variable;
  unsigned periodic;
  int n[3], row, plane, x_at;
  int coarse_row, coarse_plane, coarse_ghost, coarse_x_at;
  double *table;
};

__global__ void __launch_bounds__(FINEST_THREADS)
    write_octants(const __grid_constant__ table_args a)
{
  const int t = (int)threadIdx.x, pairs = a.n[0] / 2, cells = a.n[0] * a.n[1] * a.n[2];
  const int octant = (int)blockIdx.x, j = t / pairs % a.n[1], k = t / pairs / a.n[1];
  let_successors_start();
  wait_for_predecessors();
  if (k >= a.n[2]) return;
  double *const here = a.table + (ptrdiff_t)octant * cells * (ROWS + CELL_DOUBLES);
  for (int colour = 0; colour < 2; colour++) {
    const int local[3] = {2 * (t % pairs) + ((j + k + a.geom.parity + colour) & 1), j, k};
    int in[3];
    coarse_cell cell = {};
    for (int axis = 0; axis < 3; axis++) {
      const int upper = octant >> axis & 1, last = a.n[axis] - 1;
      in[axis] = local[axis] + (upper ? a.n[axis] : 0);
      for (int high = 0; high < 2; high++) {
        if (local[axis] != (high ? last : 0)) continue;
        const bool boundary = upper == high && !(a.periodic >> axis & 1);
        cell.sides |= 1u << ((boundary ? (int)SIDE_BOUNDARY : (int)SIDE_CUT) + 2 * axis + high);
      }
      cell.sides |= (unsigned)(in[axis] & 1) << (SIDE_ODD + axis);
    }
    const place p = a.geom.split ? place_of(a.geom, colour, in[0] / 2, in[1], in[2])
                                 : place_of(a.geom, 0, in[0], in[1], in[2]);
    const fv2_betas b = a.variable ? fv2_load_betas<true>(a.view, a.geom, p)
                                   : fv2_load_betas<false>(a.view, a.geom, p);
    const double alpha = a.view.has_alpha ? alpha_at(a.view, p.own) : 0;
    cell.at = a.x_at + local[0] + 1 + (local[1] + 1) * a.row + (local[2] + 1) * a.plane;
    cell.field = (int)p.own;
    cell.child = a.coarse_x_at + in[0] / 2 + a.coarse_ghost +
                 (in[1] / 2 + a.coarse_ghost) * a.coarse_row +
                 (in[2] / 2 + a.coarse_ghost) * a.coarse_plane;
    const int c = colour * cells / 2 + t;
    ((coarse_cell *)(void *)here)[c] = cell;
    const double values[ROWS] = {b.w,  b.e, b.s, b.n, b.d, b.u, fv2_diagonal(a.view, b, alpha),
                                 alpha};
    for (int m = 0; m < ROWS; m++)
      here[(CELL_DOUBLES + m) * cells + c] = values[m];
  }
}

/* ---- a thread's cells ---- */

enum { THREADS = COARSE_THREADS };

/* Everything is loaded first (`fetch`) and used afterwards (`prepare`), so that the loads overlap. */

struct octant_cell : red_black_cell {
  bool red;
  unsigned odd;             /* bit per axis: the odd child */
  cluster_address ghost[3]; /* the neighbours' ghosts that are this cell, along each axis, or 0 */
  coarse_cell entry;

  __device__ __forceinline__ void fetch(const octants_run &run, unsigned octant)
  {
    const double *const table =
        run.table + (ptrdiff_t)octant * run.cells * ((int)ROWS + (int)CELL_DOUBLES);
    const int c = thread_of() < run.cells ? thread_of() : run.cells - 1;
    const double *const rows = table + CELL_DOUBLES * run.cells + c;
    mine = thread_of() < run.cells;
    red = c < run.cells / 2;
    entry = entry_at((const coarse_cell *)(const void *)table + c);
    load_betas(rows, run.cells);
    diagonal.value.at[0] = __ldg(rows + ROW_DIAGONAL * run.cells);
    if (run.view.has_alpha) alpha = __ldg(rows + ROW_ALPHA * run.cells);
  }

  __device__ __forceinline__ void prepare(const octants_run &run, unsigned octant)
  {
    at = entry.at;
    field = entry.field;
    child = entry.child;
    odd = entry.sides >> SIDE_ODD & 7;
    const int stride[3] = {1, run.row, run.plane};
#pragma unroll
    for (int face = 0; face < 6; face++) {
      const int axis = face / 2, out = face & 1 ? stride[axis] : -stride[axis];
      const bool boundary = entry.sides >> (SIDE_BOUNDARY + face) & 1;
      const double multiple = run.view.boundary_ghost[face];
      to[face] = boundary && multiple == 0 ? (int)ZERO_AT : at + (boundary ? -out : out);
      factor[face] = boundary && multiple != 0 ? multiple : 1;
    }
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      const unsigned cut = entry.sides >> (SIDE_CUT + 2 * axis) & 3;
      const int across = (cut & 2 ? -1 : 1) * run.n[axis] * stride[axis];
      ghost[axis] = cut ? address_in(octant ^ 1u << axis, coarse_arena() + at + across) : 0;
    }
    diagonal.take(diagonal.value);
  }
};

/* ---- a block's work ---- */

struct octant {
  unsigned index, phase; /* phase: bit per kind of barrier */
  octant_cell own;
  matrix_cycle<fv2_cell> below;
  coarse_product ghost;       /* of the level below */
  cluster_address counted[3]; /* the neighbours' barriers of the cell's colour */

  __device__ __forceinline__ void load(const octants_run &run)
  {
    index = cluster_rank();
    own.fetch(run, index);
    below.fetch(run.below);
    ghost = first_product(run.below.level[0]);
    own.prepare(run, index);
    below.prepare(run.below);
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      counted[axis] = address_in(index ^ 1u << axis, barrier_of(own.red ? RED : BLACK));
  }

  __device__ __forceinline__ void announce(int kind, int bytes) const
  {
    if (thread_of() == 0) barrier_announce(barrier_of(kind), bytes);
  }

  __device__ __forceinline__ void receive(int kind)
  {
    cluster_barrier_wait(barrier_of(kind), phase >> kind & 1);
    phase ^= 1u << kind;
  }

  __device__ __forceinline__ void store(double value, bool sends) const
  {
    coarse_arena()[own.at] = value;
    if (!sends) return;
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      if (own.ghost[axis]) cluster_store(own.ghost[axis], value, counted[axis]);
  }

  /* The guess of a V-cycle: its black cells. */
  __device__ __forceinline__ void load_guess(const octants_run &run)
  {
    announce(BLACK, run.bytes);
    if (own.mine && !own.red) store(run.x[own.field], true);
    __syncwarp();
    receive(BLACK);
  }

  __device__ __forceinline__ void zero_guess(const octants_run &run) const
  {
#pragma unroll 1
    for (int m = run.x_at + thread_of(); m < run.y_at; m += THREADS)
      coarse_arena()[m] = 0;
  }

  /* last_sent: neighbours read the last half sweep's values, too. */
  __device__ __forceinline__ void smooth(const octants_run &run, bool last_sent)
  {
    const int sweeps = run.below.method.sweeps;
#pragma unroll 1
    for (int s = 0; s < sweeps; s++) {
      const int colour = s & 1 ? BLACK : RED;
      const bool sends = last_sent || s + 1 < sweeps;
      meet_block();
      if (sends) announce(colour, run.bytes);
      if (own.mine && own.red == (colour == RED)) store(own.solved(), sends);
      __syncwarp();
      if (sends) receive(colour);
    }
  }

  /* f of the level below, to every block. */
  __device__ __forceinline__ void restrict(const octants_run &run)
  {
    const coarse_level &t = run.below.level[0];
    double *const arena = coarse_arena();
    announce(RHS, t.cells * (int)sizeof(double));
    meet_block();
    if (own.mine && own.red)
      arena[own.at + run.y_at - run.x_at] =
          fv2_residual(run.view, own.b, own.seen(), own.f, own.alpha);
    meet_block();
    const int h[3] = {run.n[0] / 2, run.n[1] / 2, run.n[2] / 2}, cells = run.cells / 8;
    const int corner = (index & 1 ? h[0] : 0) + (index & 2 ? h[1] * t.row : 0) +
                       (index & 4 ? h[2] * t.plane : 0) + t.ghost * (1 + t.row + t.plane);
    const int c = thread_of() % cells, i = c % h[0], j = c / h[0] % h[1], k = c / h[0] / h[1];
    const int child = run.y_at + (2 * i + 1) + (2 * j + 1) * run.row + (2 * k + 1) * run.plane;
    if (thread_of() < OCTANTS * cells) {
      const double mean = mean_of_children<true>(arena + child, run.row, run.plane, run.parity);
      const int to = t.f_at + corner + i + j * t.row + k * t.plane;
      const unsigned other = (unsigned)(thread_of() / cells);
      cluster_store(address_in(other, arena + to), mean, address_in(other, barrier_of(RHS)));
    }
    __syncwarp();
    receive(RHS);
    if (!below.own.mine) return;
    below.own.f = arena[below.own.at + t.f_at - t.x_at];
    arena[below.own.at] = 0;
  }

  /* To the black cells: the half sweep that follows sets the red ones. */
  __device__ __forceinline__ void interpolate(const octants_run &run, bool f_cycle)
  {
    announce(BLACK, run.bytes);
    fill_products(run.below.level[0], ghost);
    if (own.mine && !own.red) {
      const double value = interpolated<HYMGI_GHOSTS_V2>(run.below.level[0], own.child, own.odd);
      store(f_cycle ? value : coarse_arena()[own.at] + value, true);
    }
    __syncwarp();
    receive(BLACK);
  }
};

__global__ void __launch_bounds__(THREADS, 1)
    coarse_octants(const __grid_constant__ octants_run run)
{
  octant all = {};
  let_successors_start();
  if (thread_of() == 0) {
    for (int kind = 0; kind < BARRIERS; kind++)
      barrier_start(barrier_of(kind), 1);
    barriers_started();
    coarse_arena()[ZERO_AT] = 0;
  }
  all.load(run);
  if (run.from_zero) all.zero_guess(run);
  __syncwarp();
  cluster_arrive(); /* until all are here, nobody stores */
  wait_for_predecessors();
  if (all.own.mine) all.own.f = run.f[all.own.field];
  __syncwarp(); /* the barrier is for whole warps */
  cluster_wait();
  if (run.below.f_matrix) {
    if (all.below.own.mine) all.below.own.f = run.below.f[all.below.own.entry.field];
    all.below.start_f_cycle(run.below);
    all.below.v_cycle(run.below);
    all.interpolate(run, true);
  } else if (!run.from_zero) {
    all.load_guess(run);
  }
  all.smooth(run, true);
  all.restrict(run);
  all.below.v_cycle(run.below);
  all.interpolate(run, false);
  all.smooth(run, false);
  if (all.own.mine) run.x[all.own.field] = coarse_arena()[all.own.at];
}

/* ---- on the host ---- */

/* The launch of a solver's cluster. */
struct octants_shape {
  int row, plane, size; /* of a vector of an octant */
  size_t bytes;         /* of shared memory */
};

octants_shape shape_of(const hymgi_coarse_lists *lists, const hymgi_level *coarse)
{
  octants_shape s = {};
  s.row = coarse->n[0] == 8 ? 12 : coarse->n[0] + 2; /* coarse_row_of() says why */
  s.plane = s.row * (coarse->n[1] + 2);
  s.size = s.plane * (coarse->n[2] + 2);
  s.bytes = (size_t)(lists->arena + 2 * s.size) * sizeof(double);
  return s;
}

/* Is there room for the cluster? A part of a device may have too few multiprocessors side by side. */
bool has_room(hymg_context *context, size_t bytes)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {OCTANTS, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(OCTANTS);
  config.blockDim = dim3(THREADS);
  config.dynamicSmemBytes = bytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  hymgi_device_meet_kernel(context->gpu, (const void *)coarse_octants, true);
  const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, coarse_octants, &config);
  if (error != cudaSuccess) cudaGetLastError();
  return error == cudaSuccess && clusters > 0;
}

} /* namespace */

bool hymgi_coarse_octants(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists)
{
  const hymgi_level *level = h->level + lists->first - 1;
  if (lists->on_host[0].stencil != HYMG_FV2 || lists->first == 0 || h->matrix.level == 0 ||
      !hymgi_coarse_above_matrix(lists, level + 1, &h->matrix) || lists->method.sweeps % 2 != 0)
    return false;
  for (int axis = 0; axis < 3; axis++)
    if (level->n[axis] != 2 * level[1].n[axis] || level[1].n[axis] % 2 != 0) return false;
  return hymgi_form_takes(h->context, HYMGI_COARSE_OCTANTS, level->cells) &&
         hymgi_form_takes(h->context, HYMGI_COARSE_MATRIX, level->cells) &&
         has_room(h->context, shape_of(lists, level + 1).bytes);
}

hymg_status hymgi_coarse_make_octants(const hymgi_level *level, hymgi_coarse_lists *lists)
{
  const coarse_level &coarse = lists->on_host[0];
  table_args a = {};
  lists->octants_doubles = (size_t)level->cells * ((int)ROWS + (int)CELL_DOUBLES);
  TRY(hymgi_device_memory.alloc(level->context, lists->octants_doubles, &lists->octants));
  a.geom = level->box[0];
  a.view = view_of(level);
  a.variable = level->method->variable_beta;
  a.periodic = (unsigned)level->periodic;
  for (int axis = 0; axis < 3; axis++)
    a.n[axis] = level[1].n[axis];
  const octants_shape shape = shape_of(lists, level + 1);
  a.row = shape.row, a.plane = shape.plane;
  a.x_at = lists->arena;
  a.coarse_row = coarse.row, a.coarse_plane = coarse.plane;
  a.coarse_ghost = coarse.ghost, a.coarse_x_at = coarse.x_at;
  a.table = lists->octants;
  hymgi_launch(level->context, write_octants, dim3(OCTANTS), dim3(FINEST_THREADS), a);
  return level->context->status;
}

bool hymgi_coarse_launch_octants(const hymgi_hierarchy *h, const hymgi_coarse_lists *lists,
                                 int visits, bool from_zero)
{
  const hymgi_level *level = h->level + lists->first - 1, *coarse = level + 1;
  const bool f_cycle = visits == 0;
  if (visits > 1 || !hymgi_uses_matrix(h, level->index) || (f_cycle && !h->matrix.has_f))
    return false;
  octants_run run = {};
  run.below = hymgi_matrix_run_of(lists, coarse, f_cycle, &h->matrix);
  run.view = view_of(level);
  run.cells = (int)coarse->cells;
  for (int axis = 0; axis < 3; axis++) {
    run.n[axis] = coarse->n[axis];
    run.bytes += (level->periodic >> axis & 1 ? 2 : 1) * run.cells / coarse->n[axis] / 2 *
                 (int)sizeof(double);
  }
  const octants_shape shape = shape_of(lists, coarse);
  run.row = shape.row, run.plane = shape.plane;
  run.x_at = lists->arena;
  run.y_at = run.x_at + shape.size;
  run.parity = level->box->parity;
  run.from_zero = from_zero;
  run.table = lists->octants;
  run.x = level->x;
  run.f = level->f;
  hymgi_launch_as({false, shape.bytes, OCTANTS}, level->context, coarse_octants, dim3(OCTANTS),
                  dim3(THREADS), run);
  return true;
}
