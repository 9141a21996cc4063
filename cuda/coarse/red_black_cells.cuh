/* Cells of FV2 and their half sweeps. The exact diagonal cancels a cell's own value, so
 * these are in place, and after a black one the residual of black cells is zero. */
#ifndef HYMGI_COARSE_RED_BLACK_CELLS_CUH
#define HYMGI_COARSE_RED_BLACK_CELLS_CUH

#include "coarse/matrix_cycle.cuh"
#include "device/fast_division.cuh"

/* The arguments of a launch; level[0] is the finest level of the cycle. */
struct red_black_run {
  hymgi_method method;
  hymg_bottom bottom;
  coarse_level level[COARSE_LEVELS];
  int last;
  bool f_cycle, one_cell;
  const double *lists; /* and coefficients, `listed` doubles */
  size_t listed;
  double *x;
  const double *f;
};

namespace
{

enum { FINEST_THREADS = COARSE_THREADS / 2, OWN_GHOSTS = 2, ZERO_AT = 0 };
/* Those of the finest level come after a warp for each of the others. */
enum { RED_BLACK_THREADS = FINEST_THREADS + (COARSE_LEVELS - 1) * COARSE_WARP };

/* Waits for the block or for the warp. */
template <bool BLOCK> __device__ __forceinline__ void meet()
{
  if (BLOCK)
    meet_block();
  else
    __syncwarp();
}

/* A cell; positions are those in the arena. */
struct red_black_cell {
  bool mine;
  int at, field, child; /* child: the first one, in y of the next finer level */
  int to[6];            /* neighbours, and a factor of each */
  double factor[6];
  fv2_betas b;
  divisors<1> diagonal;
  double alpha, f;

  /* Of the level's cell `index`; returns its entry of the list. */
  __device__ __forceinline__ coarse_cell load_place(const red_black_run &run, int l, int index,
                                                    int end)
  {
    const coarse_level &t = run.level[l];
    mine = index < end;
    if (!mine) return {};
    const coarse_cell cell = entry_at(t.cell + index);
    at = t.x_at + cell.at;
    field = cell.field;
    if (l > 0) child = run.level[l - 1].y_at + cell.child;
    return cell;
  }

  /* A neighbour beyond a boundary is a multiple of the opposite one; where that is zero, a position
   * that holds zero is read. */
  __device__ __forceinline__ void load_neighbours(const coarse_level &t, unsigned sides)
  {
    const int step[3] = {1, t.row, t.plane};
#pragma unroll
    for (int face = 0; face < 6; face++) {
      const int axis = face / 2, out = face & 1 ? step[axis] : -step[axis];
      const int around = face & 1 ? -t.wrap[axis] : t.wrap[axis];
      const bool boundary = sides >> face & 1, wraps = sides >> (6 + face) & 1;
      const double ghost = t.boundary_ghost[face];
      to[face] = boundary && ghost == 0 ? (int)ZERO_AT
                                        : at + (boundary ? -out
                                                : wraps  ? around
                                                         : out);
      factor[face] = boundary && ghost != 0 ? ghost : 1;
    }
  }

  /* From rows of `cells` numbers. */
  __device__ __forceinline__ void load_betas(const double *row, int cells)
  {
    b.w = __ldg(row), b.e = __ldg(row + cells);
    b.s = __ldg(row + 2 * cells), b.n = __ldg(row + 3 * cells);
    b.d = __ldg(row + 4 * cells), b.u = __ldg(row + 5 * cells);
  }

  __device__ __forceinline__ void load_coefficients(const red_black_run &run, const coarse_level &t,
                                                    int index)
  {
    const double *const rows = t.coefficients + index;
    load_betas(rows + COARSE_BETA * t.cells, t.cells);
    operator_view o = {};
    o.has_alpha = run.method.has_alpha;
    if (o.has_alpha) alpha = __ldg(rows + COARSE_ALPHA * t.cells);
    diagonal.take({{fv2_diagonal(o, b, alpha)}});
  }

  __device__ __forceinline__ fv2_values seen() const
  {
    const double *const x = coarse_arena();
    return {x[at],
            factor[0] * x[to[0]],
            factor[1] * x[to[1]],
            factor[2] * x[to[2]],
            factor[3] * x[to[3]],
            factor[4] * x[to[4]],
            factor[5] * x[to[5]]};
  }

  /* The x that satisfies the cell's equation. */
  __device__ __forceinline__ double solved() const
  {
    const cells<1> sum = {{fv2_gsrb_sum(b, seen(), f)}};
    return diagonal.quotients(sum, true).at[0];
  }

  __device__ __forceinline__ void update() const
  {
    coarse_arena()[at] = solved();
  }

  /* f of a coarse cell: the mean of its red children's residuals in y, since those of black ones are
   * zero; x: 0. */
  __device__ __forceinline__ void take_mean(const coarse_level &fine, const coarse_level &coarse)
  {
    if (!mine) return;
    double *const arena = coarse_arena();
    f = mean_of_children<true>(arena + child, fine.row, fine.plane, fine.parity);
    arena[at + coarse.f_at - coarse.x_at] = f;
    arena[at] = 0;
  }
};

/* The red and the black cell of a thread, neighbours along x. */
struct red_black {
  int level, thread; /* thread: of those that work on the level */
  red_black_cell red, black;
  int parent;   /* position of both cells' parent in x of the next coarser level */
  unsigned odd; /* bit per axis: the black cell is the odd child */
  coarse_product ghost[OWN_GHOSTS]; /* of the coarser level; to < 0: none */

  __device__ __forceinline__ void load(const red_black_run &run)
  {
    const coarse_level &t = run.level[level];
    const coarse_cell r = red.load_place(run, level, thread, t.reds),
                      b = black.load_place(run, level, t.reds + thread, t.cells);
    if (level == run.last && run.one_cell) red.load_coefficients(run, t, 0);
    if (level == run.last) return;
    load_ghosts(run);
    if (!red.mine) return;
    parent = parent_of(t, run.level[level + 1], b.at, &odd);
    red.load_neighbours(t, r.sides);
    black.load_neighbours(t, b.sides);
    red.load_coefficients(run, t, thread);
    black.load_coefficients(run, t, t.reds + thread);
  }

  __device__ __forceinline__ void load_ghosts(const red_black_run &run)
  {
    const coarse_products &list = run.level[level + 1].products;
    const int team = level > 0 ? (int)COARSE_WARP : (int)FINEST_THREADS;
#pragma unroll
    for (int m = 0; m < OWN_GHOSTS; m++) {
      const int at = thread + m * team;
      ghost[m].to = -1;
      if (at < list.count) ghost[m] = entry_at(list.ghost + at);
    }
  }

  /* Does the thread take part in an operation of the block, which is on the finest level, or of a
   * warp, which is on its own? */
  template <bool BLOCK> __device__ __forceinline__ bool works() const
  {
    return red.mine && (!BLOCK || level == 0);
  }

  template <bool BLOCK> __device__ __forceinline__ void smooth(int sweeps) const
  {
#pragma unroll 1
    for (int s = 0; s < sweeps; s += 2) {
      meet<BLOCK>();
      if (works<BLOCK>()) red.update();
      if (s + 1 == sweeps) break;
      meet<BLOCK>();
      if (works<BLOCK>()) black.update();
    }
  }

  /* The residual of the red cell goes to y. */
  template <bool BLOCK>
  __device__ __forceinline__ void store_residual(const hymgi_method &m, const coarse_level &t) const
  {
    operator_view o = {};
    o.has_alpha = m.has_alpha;
    meet<BLOCK>();
    if (works<BLOCK>())
      coarse_arena()[red.at + t.y_at - t.x_at] =
          fv2_residual(o, red.b, red.seen(), red.f, red.alpha);
  }
};

/* A cell of the level above coarse matrices (matrix_cycle.cuh), red ones first. */
struct fv2_cell : red_black_cell {
  static constexpr hymgi_ghosts F_ORDER = HYMGI_GHOSTS_V2;
  static constexpr bool RED = true;
  bool red;
  coarse_cell entry;

  __device__ static __forceinline__ void start(const matrix_run &)
  {
    if (thread_of() == 0) coarse_arena()[ZERO_AT] = 0;
  }

  __device__ __forceinline__ void fetch(const matrix_run &run)
  {
    const coarse_level &t = run.level[0];
    const int c = thread_of() < t.cells ? thread_of() : t.cells - 1;
    mine = thread_of() < t.cells;
    red = c < t.reds;
    entry = entry_at(t.cell + c);
    load_betas(t.coefficients + COARSE_BETA * t.cells + c, t.cells);
    if (run.method.has_alpha) alpha = __ldg(t.coefficients + COARSE_ALPHA * t.cells + c);
  }

  __device__ __forceinline__ void prepare(const matrix_run &run)
  {
    operator_view o = {};
    o.has_alpha = run.method.has_alpha;
    at = run.level[0].x_at + entry.at;
    load_neighbours(run.level[0], entry.sides);
    diagonal.take({{fv2_diagonal(o, b, alpha)}});
  }

  __device__ __forceinline__ double *x() const
  {
    return coarse_arena() + at;
  }

  /* The half sweep that follows sets the red cells. */
  __device__ __forceinline__ bool takes_correction() const
  {
    return mine && !red;
  }

  __device__ __forceinline__ void smooth(int sweeps) const
  {
#pragma unroll 1
    for (int s = 0; s < sweeps; s++) {
      meet_block();
      if (mine && red == !(s & 1)) update();
    }
  }

  /* That of red cells goes to y. */
  __device__ __forceinline__ int store_residual(const matrix_run &run) const
  {
    const coarse_level &t = run.level[0];
    operator_view o = {};
    o.has_alpha = run.method.has_alpha;
    meet_block();
    if (mine && red) coarse_arena()[at + t.y_at - t.x_at] = fv2_residual(o, b, seen(), f, alpha);
    return t.y_at;
  }
};

} /* namespace */

#endif
