/* Cells with given values on the device. */
#include "kernels/robust/each.cuh"
#include "kernels/setup.h"

extern "C" {
#include "formulas/fixed.h"
}

namespace
{

struct take_cell {
  hymgi_conductances c;
  hymgi_fixed fixed;
  double *alpha;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    hymgi_take_fixed(&c, &fixed, &g, i, j, k, alpha);
  }
};

struct cut_face {
  int axis;
  const double *given;
  double *beta;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, const hymgi_geom &, int i, int j,
                                             int k) const
  {
    with_axis(axis, [&](auto of) {
      if (hymgi_is_cut(given, &g, of, i, j, k)) beta[hymgi_at(&g, i, j, k)] = 0;
    });
  }
};

struct mark_empty_row {
  hymgi_conductances c;
  double stand_in, value;
  const double *alpha;
  double *out;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    const ptrdiff_t at = hymgi_at(&g, i, j, k);
    const double sink = alpha[at];
    out[at] = hymgi_is_empty_row(&c, &g, i, j, k, sink, stand_in) ? value : sink;
  }
};

struct give_empty_row {
  hymgi_conductances c;
  const double *alpha;
  double *given;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    const ptrdiff_t at = hymgi_at(&g, i, j, k);
    if (!hymgi_is_given(given[at]) && hymgi_is_empty_row(&c, &g, i, j, k, alpha[at], 0))
      given[at] = 0;
  }
};

/* Reads x where it is needed and writes it where it changes. */
struct set_cell {
  hymgi_fix kind;
  const double *given, *source;
  double *x;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    const ptrdiff_t at = hymgi_at(&g, i, j, k);
    const double value = given[at];
    if (kind == HYMGI_FIX_RHS)
      x[at] = hymgi_fixed_value(kind, value, source[at], x[at]);
    else if (hymgi_is_given(value))
      x[at] = hymgi_fixed_value(kind, value, 0, 0);
  }
};

} /* namespace */

extern "C" void hymgi_cuda_take_fixed(const hymgi_level *level)
{
  for_each_cell(level, take_cell{hymgi_conductances_of(level), level->fixed, level->c.alpha});
}

extern "C" void hymgi_cuda_cut_faces(const hymgi_level *level, int axis, double *beta)
{
  for_each_face(axis, level, level->box, cut_face{axis, level->fixed.given, beta});
}

extern "C" void hymgi_cuda_set_fixed(const hymgi_level *level, hymgi_fix kind, double *x)
{
  for_each_cell(level, set_cell{kind, level->fixed.given, level->fixed.source, x});
}

extern "C" void hymgi_cuda_mark_empty_rows(const hymgi_level *level, double value, double *out)
{
  for_each_cell(level, mark_empty_row{hymgi_conductances_of(level), level->c.empty_row, value,
                                      level->c.alpha, out});
}

extern "C" void hymgi_cuda_give_empty_rows(const hymgi_level *level)
{
  for_each_cell(level,
                give_empty_row{hymgi_conductances_of(level), level->c.alpha, level->fixed.given});
}
