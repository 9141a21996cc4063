/* Boundary data and Robin conditions: the terms that they add to the right-hand side, and the betas of
 * the faces there. Open boundaries: the moments of f. */
#include "base/exact_sum.h"
#include "device/ghosts.cuh"
#include "device/loops.cuh"
#include "device/reduce.cuh"
#include "formulas/moments.h"
#include "kernels/kernels.h"
#include "kernels/setup.h"

namespace
{

enum { FACE_X = 32, FACE_Y = 4 };

struct term_args {
  hymgi_geom g;
  int face, beta_at;                  /* coordinate of the boundary's faces */
  const double *value, *share, *beta; /* share: NULL without a Robin condition */
  double constant, factor, stiffness;
  double *term;
};

/* This thread's cell at the boundary; false: none. */
__device__ __forceinline__ bool cell_at_boundary(const hymgi_geom &g, int face, int at[3])
{
  const int axis = face / 2, nu = axis == 0 ? g.n[1] : g.n[0], nv = axis == 2 ? g.n[1] : g.n[2];
  const unsigned across = ((unsigned)nu + FACE_X - 1) / FACE_X;
  const int u = (int)(blockIdx.x % across * FACE_X + threadIdx.x);
  const int v = (int)(blockIdx.x / across * FACE_Y + threadIdx.y);
  const int boundary = face & 1 ? (axis == 0 ? g.n[0] : axis == 1 ? g.n[1] : g.n[2]) - 1 : 0;
  at[0] = axis == 0 ? boundary : u;
  at[1] = axis == 0 ? u : axis == 1 ? boundary : v;
  at[2] = axis == 2 ? boundary : v;
  return u < nu && v < nv;
}

__global__ void __launch_bounds__(FACE_X *FACE_Y) make_term(const __grid_constant__ term_args a)
{
  let_successors_start();
  wait_for_predecessors();
  int at[3];
  if (!cell_at_boundary(a.g, a.face, at)) return;
  const int axis = a.face / 2;
  const ptrdiff_t m = hymgi_boundary_at(&a.g, a.face, at);
  const double beta =
      a.beta ? a.beta[hymgi_at(&a.g, axis == 0 ? a.beta_at : at[0], axis == 1 ? a.beta_at : at[1],
                               axis == 2 ? a.beta_at : at[2])]
             : 1;
  const double factor = a.share ? a.factor * hymgi_robin_factor(a.share[m], a.stiffness) : a.factor;
  a.term[m] = a.constant * beta * factor * a.value[m];
}

/* Robin conditions: the faces' betas times what a plane of shares says. */
struct robin_args {
  hymgi_geom g;
  int face, beta_at;
  const double *share;
  double stiffness;
  double *beta;
};

__global__ void __launch_bounds__(FACE_X *FACE_Y)
    scale_by_shares(const __grid_constant__ robin_args a)
{
  let_successors_start();
  wait_for_predecessors();
  int at[3];
  if (!cell_at_boundary(a.g, a.face, at)) return;
  const int axis = a.face / 2;
  const double share = a.share[hymgi_boundary_at(&a.g, a.face, at)];
  a.beta[hymgi_at(&a.g, axis == 0 ? a.beta_at : at[0], axis == 1 ? a.beta_at : at[1],
                  axis == 2 ? a.beta_at : at[2])] *= hymgi_robin_flux(share, a.stiffness);
}

__global__ void __launch_bounds__(FACE_X *FACE_Y)
    add_term(const __grid_constant__ hymgi_geom g, int face, const double *term, double *f)
{
  let_successors_start();
  wait_for_predecessors();
  int at[3];
  if (!cell_at_boundary(g, face, at)) return;
  f[hymgi_at(&g, at[0], at[1], at[2])] += term[hymgi_boundary_at(&g, face, at)];
}

struct cell_places {
  const double *place[3];
  int n[3];
};

/* Three of the moments. */
__global__ void __launch_bounds__(REDUCE_THREADS)
    sum_moments(box_set boxes, int group, const double *f, const __grid_constant__ cell_places p,
                hymgi_sum_scale scale, hymgi_reduction r)
{
  let_successors_start();
  wait_for_predecessors();
  int64_t words[3 * HYMGI_SUM_RESULT] = {0};
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const int i = g.split ? 2 * t + hymgi_first(&g, colour, j, k) : t;
      const int at[3] = {g.low[0] + i, g.low[1] + j, g.low[2] + k};
      const double value = f[hymgi_row(&g, colour, j, k) + t];
      double x[3], square[3];
#pragma unroll
      for (int axis = 0; axis < 3; axis++) {
        x[axis] = p.place[axis][at[axis]];
        square[axis] = p.place[axis][p.n[axis] + at[axis]];
      }
#pragma unroll
      for (int m = 0; m < 3; m++)
        hymgi_sum_add_below((hymgi_moment_of_size(group, m) ? fabs(value) : value) *
                                hymgi_moment_factor(group, m, x, square),
                            &scale, words + m * HYMGI_SUM_RESULT);
    });
  });
  reduce_sum(r, words);
}

void moment_group(const hymgi_level *level, int group, const double *f,
                  const hymgi_sum_scale &scale, int64_t *words)
{
  const hymgi_open *open = &level->boundaries->open;
  cell_places p = {};
  for (int axis = 0; axis < 3; axis++)
    p.place[axis] = open->place[axis], p.n[axis] = level->n[axis];
  if (launch_reduction(level, sum_moments, group, f, p, scale))
    hymgi_cuda_words(level->context, 3, words + 3 * group * HYMGI_SUM_RESULT);
}

dim3 boundary_blocks(const hymgi_geom *g, int face)
{
  int u, v;
  hymgi_boundary_axes(face, &u, &v);
  return dim3(blocks_for(g->n[u], FACE_X) * blocks_for(g->n[v], FACE_Y));
}

} /* namespace */

extern "C" void hymgi_cuda_boundary_term(const hymgi_level *level, int box, int face)
{
  const int axis = face / 2;
  term_args a = {};
  a.g = level->box[box];
  a.face = face;
  a.beta_at = face & 1 ? a.g.n[axis] : 0;
  a.value = level->boundaries->value[box * 6 + face];
  a.term = level->boundaries->term[box * 6 + face];
  a.beta = level->c.beta[axis];
  a.constant = level->c.beta_constant[axis];
  a.factor = hymgi_fv2_boundary(level, face).data;
  a.share = hymgi_share_plane(level, box, face);
  if (a.share) a.stiffness = hymgi_robin_stiffness(level, face, a.factor);
  hymgi_launch(level->context, make_term, boundary_blocks(&a.g, face), dim3(FACE_X, FACE_Y), a);
}

extern "C" void hymgi_cuda_robin_betas(const hymgi_level *level)
{
  for (int m = 0; m < level->num_boxes * 6; m++) {
    const int face = m % 6, axis = face / 2;
    robin_args a = {};
    a.g = level->box[m / 6];
    a.share = hymgi_share_plane(level, m / 6, face);
    if (!a.share) continue;
    a.face = face;
    a.beta_at = face & 1 ? a.g.n[axis] : 0;
    a.stiffness = hymgi_fv2_stiffness(level, face);
    a.beta = level->c.beta[axis];
    hymgi_launch(level->context, scale_by_shares, boundary_blocks(&a.g, face), dim3(FACE_X, FACE_Y),
                 a);
  }
}

/* Face by face, so that a cell at an edge adds its terms in the host's order. */
extern "C" void hymgi_cuda_add_boundary_terms(const hymgi_level *level, double *f)
{
  for (int m = 0; m < level->num_boxes * 6; m++) {
    const hymgi_geom *g = level->box + m / 6;
    const double *const term = level->boundaries->term[m];
    if (!term) continue;
    hymgi_launch(level->context, add_term, boundary_blocks(g, m % 6), dim3(FACE_X, FACE_Y), *g,
                 m % 6, term, f);
  }
}

extern "C" void hymgi_cuda_moment_sums(const hymgi_level *level, const double *f, int exponent,
                                       int bits, int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, bits);
  for (int group = 0; group < HYMGI_MOMENT_GROUPS; group++)
    moment_group(level, group, f, scale, words);
}
