/* A problem's averages as fields: evaluated slab by slab, of whole planes or, where a plane is too large, of whole rows. */
#include "common/problem_fields.h"

#include <stdlib.h>
#include <string.h>

/* Doubles evaluated at a time: 16 MB. */
enum { SLAB = 1 << 21 };

hymg_status problem_write(const problem *p, problem_part what, int side, problem_range range,
                          hymg_field *field)
{
  const int low[3] = {range.low[0], range.low[1], range.low[2]};
  const int count[3] = {range.count[0], range.count[1], range.count[2]};
  const int64_t row = count[0], plane = row * count[1];
  const int64_t rows = row < SLAB ? SLAB / row : 1, planes = plane < SLAB ? SLAB / plane : 1;
  const int nj = rows < count[1] ? (int)rows : count[1],
            nk = planes < count[2] ? (int)planes : count[2];
  hymg_status status = HYMG_OK;
  /* a field of a boundary counts its layer as 0 */
  const int layer = what == PROBLEM_BOUNDARY ? side / 2 : -1;
  double *data = malloc((size_t)row * (size_t)nj * (size_t)nk * sizeof *data);
  if (!data) return HYMG_ENOMEM;
  range.stride[0] = 1;
  range.stride[1] = row;
  range.stride[2] = row * nj;
  for (int k = 0; k < count[2] && status == HYMG_OK; k += nk) {
    for (int j = 0; j < count[1] && status == HYMG_OK; j += nj) {
      range.low[1] = low[1] + j;
      range.low[2] = low[2] + k;
      range.count[1] = nj < count[1] - j ? nj : count[1] - j;
      range.count[2] = nk < count[2] - k ? nk : count[2] - k;
      status = problem_fill(p, what, side, &range, data) ? HYMG_OK : HYMG_ENOMEM;
      const int at[3] = {layer == 0 ? 0 : range.low[0], layer == 1 ? 0 : range.low[1],
                         layer == 2 ? 0 : range.low[2]};
      if (status == HYMG_OK)
        status = hymg_field_write_own(field, at, range.count, range.stride, data, HYMG_HOST);
    }
  }
  free(data);
  return status;
}

hymg_status problem_write_local(const problem *p, problem_part what, int axis,
                                const double spacing[3], const hymg_grid *grid, hymg_field *field)
{
  hymg_status status = HYMG_OK;
  problem_range range;
  memcpy(range.spacing, spacing, sizeof range.spacing);
  for (int n = 0; n < hymg_grid_num_local(grid) && status == HYMG_OK; n++) {
    hymg_grid_local(grid, n, range.low, range.count);
    if (what == PROBLEM_BETA) range.count[axis]++;
    status = problem_write(p, what, axis, range, field);
  }
  return status;
}
