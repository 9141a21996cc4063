/* FV2 smoother calls with two sweeps per pass: which levels use them, and what is in which buffer.
 * Blocks read x and the previous iterate in the halos of their tiles while other blocks write, so
 * no pass writes what it reads: Jacobi alternates between level->x and y; Chebyshev, which reads
 * two iterates, uses four buffers. Bytes per cell of six Chebyshev sweeps: 56, 64 and 56 in three
 * passes; 56 and five times 64 one sweep at a time. */
#include "kernels/fv2/relax_fused.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

/* Rows of a tile; fewer where 128 registers per thread are not enough. */
template <typename FORM> constexpr int fused_rows()
{
  return FORM::variable && FORM::alpha ? 9 : 13;
}

/* The buffers of a pass; beside, middle: as fused_kind says. */
struct fused_buffers {
  const hymgi_real *x, *beside;
  hymgi_real *middle, *out;
};

/* Makes the TMA maps of what a form copies. Returns NULL, or why it failed. */
template <typename FORM>
const char *make_fused_maps(const hymgi_level *level, const hymgi_real *beside, fused_args *a)
{
  using ring = fused_ring<FORM, fused_rows<FORM>()>;
  const hymgi_geom *g = &a->g;
  const int n[3] = {g->n[0] + 2 * FUSED_FIRST_CELL, g->n[1] + 2, g->n[2] + 2};
  const hymgi_real *const array[FUSED_ARRAYS] = {a->x,
                                                 level->f,
                                                 FORM::beside ? beside : NULL,
                                                 FORM::alpha ? a->v.alpha : NULL,
                                                 FORM::variable ? a->v.beta[0] : NULL,
                                                 FORM::variable ? a->v.beta[1] : NULL,
                                                 FORM::variable ? a->v.beta[2] : NULL};
  const char *failure = NULL;
  for (int m = 0; m < FUSED_ARRAYS && !failure; m++)
    if (array[m])
      failure = make_map(&level->context->gpu->map_encoder, a->map + m,
                         array[m] + hymgi_row(g, 0, -1, -1) - FUSED_FIRST_CELL, n, g->pitch,
                         g->plane, FUSED_PITCH,
                         ring::high + (m == FUSED_X    ? 2
                                       : m == FUSED_BY ? 1
                                                       : 0));
  return failure;
}

template <typename FORM>
void launch_fused(const hymgi_level *level, const hymgi_real *beside, fused_args a)
{
  using ring = fused_ring<FORM, fused_rows<FORM>()>;
  constexpr int bytes = ring::bytes(ring::slots);
  static_assert(bytes <= FUSED_SHARED, "more shared memory than a block has");
  const char *failure = make_fused_maps<FORM>(level, beside, &a);
  if (failure) level->context->status = hymgi_fail(level->context, HYMG_ECUDA, "%s", failure);
  const dim3 grid(blocks_for(a.g.n[0], FUSED_WIDE), blocks_for(a.g.n[1], fused_rows<FORM>()),
                  blocks_for(a.g.n[2], a.slab));
  hymgi_launch_shared(level->context, fv2_relax_fused<FORM, fused_rows<FORM>()>, grid,
                      dim3(ring::threads), bytes, a);
}

/* weights: momentum and residual of both sweeps. */
template <fused_kind KIND>
void run_fused(const hymgi_level *level, const double weights[4], bool falling,
               const fused_buffers &b)
{
  fused_args a = {};
  if (!may_launch(level->context)) return;
  a.g = level->box[0];
  a.v = view_of(level);
  a.x = b.x, a.middle = b.middle, a.out = b.out;
  a.falling = falling;
  a.slab = a.g.n[2] >= 96 ? 32 : 16;
  for (int m = 0; m < 2; m++)
    a.momentum[m] = weights[2 * m], a.residual[m] = weights[2 * m + 1];
  with_bools(
      [&](auto variable, auto alpha) {
        launch_fused<fused_form<KIND, variable, alpha>>(level, b.beside, a);
      },
      level->method->variable_beta, a.v.has_alpha && a.v.alpha);
}

/* Six sweeps from x into y. */
void polynomial(const hymgi_level *level)
{
  hymgi_real *const x = level->x, *const y = level->y;
  hymgi_real *const p = level->spare[0], *const q = level->spare[1];
  run_fused<FUSED_FIRST>(level, level->sweep_weights, false, {x, NULL, y, p});
  run_fused<FUSED_INNER>(level, level->sweep_weights + 4, true, {p, y, x, q});
  run_fused<FUSED_LAST>(level, level->sweep_weights + 8, false, {q, x, NULL, y});
}

template <fused_kind KIND> void jacobi(const hymgi_level *level)
{
  run_fused<KIND>(level, level->sweep_weights, level->x < level->y,
                  {level->x, level->c.l1inv, NULL, level->y});
}

} /* namespace */

/* With boundaries on all sides nothing has to be exchanged between the two sweeps. */
extern "C" bool hymgi_cuda_could_fuse_relax(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  const hymgi_device *gpu = level->context->gpu;
  const hymgi_geom *g = level->box;
  return level->op->stencil == HYMG_FV2 && m->smoother != HYMG_GSRB && m->smoother != HYMG_SYMGS &&
         level->num_boxes == 1 && !g->split && g->boundaries == 63 &&
         gpu->shared_bytes >= FUSED_SHARED && g->n[0] % 2 == 0 && g->n[1] > 1 && g->n[2] > 1;
}

extern "C" int hymgi_cuda_relax_fused(hymgi_level *level)
{
  const bool six = hymgi_smoother_kind_of(level->method->smoother)->momentum;
  const int pass = six ? HYMGI_DEGREE : 2;
  int s = 0;
  for (; s + pass <= hymgi_sweeps(level); s += pass) {
    if (six)
      polynomial(level);
    else if (level->c.l1inv)
      jacobi<FUSED_SCALED>(level);
    else
      jacobi<FUSED_JACOBI>(level);
    hymgi_swap_buffers(level);
  }
  return s;
}
