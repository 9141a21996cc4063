/* Copies between fields and the user's arrays: what is asked for, and which rank holds it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/solver.h"

static hymg_status check_array(hymg_context *context, const void *data, const int count[3],
                               hymg_space space)
{
  if (space != HYMG_HOST && space != HYMG_DEVICE)
    return hymgi_fail(context, HYMG_EINVAL, "memory space %d: 0 (host) or 1 (device)", (int)space);
  if (!data && count[0] && count[1] && count[2])
    return hymgi_fail(context, HYMG_EINVAL, "the data of a field's brick are NULL");
  return HYMG_OK;
}

hymg_status hymgi_brick_of(hymg_context *context, const int low[3], const int count[3],
                           const ptrdiff_t stride[3], const void *data, hymgi_user_brick *brick)
{
  if (!low || !count || !stride)
    return hymgi_fail(context, HYMG_EINVAL, "low, count or stride of a field's brick is NULL");
  TRY(check_array(context, data, count, HYMG_HOST));
  for (int axis = 0; axis < 3; axis++) {
    if (count[axis] < 0 || low[axis] > INT_MAX - count[axis])
      return hymgi_fail(context, HYMG_EINVAL, "brick from %d with %d entries along %c: at least 0",
                        low[axis], count[axis], "xyz"[axis]);
    brick->from[axis] = low[axis], brick->to[axis] = low[axis] + count[axis];
    /* the stride of an axis with a single entry is irrelevant and may be anything */
    brick->stride[axis] = count[axis] > 1 ? stride[axis] : 0;
  }
  return HYMG_OK;
}

static hymg_status check_inside(const hymg_field *field, const hymgi_user_brick *brick)
{
  int extent[3];
  hymgi_field_extent(field, extent);
  for (int axis = 0; axis < 3; axis++)
    if (brick->from[axis] < 0 || brick->to[axis] > extent[axis])
      return hymgi_fail(field->grid->context, HYMG_EINVAL,
                        "brick from %d with %d entries along %c: a field of %s has 0 to %d",
                        brick->from[axis], brick->to[axis] - brick->from[axis], "xyz"[axis],
                        hymgi_centering_name(field->centering), extent[axis] - 1);
  return HYMG_OK;
}

/* ---- entries that another rank holds ---- */

/* Finds a part of the brick that is in none of the boxes; false if there is none. Cuts the brick around
 * the first box and searches the pieces in the other boxes. */
static bool find_missing(const hymgi_geom *box, int count, const int from[3], const int to[3],
                         int missing[2][3])
{
  if (from[0] >= to[0] || from[1] >= to[1] || from[2] >= to[2]) return false;
  if (count == 0) {
    memcpy(missing[0], from, sizeof missing[0]);
    memcpy(missing[1], to, sizeof missing[1]);
    return true;
  }
  int rest[2][3];
  memcpy(rest[0], from, sizeof rest[0]);
  memcpy(rest[1], to, sizeof rest[1]);
  for (int axis = 2; axis >= 0; axis--) {
    const int low = box->low[axis], high = low + box->n[axis];
    int side[2][3];
    memcpy(side, rest, sizeof side);
    side[1][axis] = low < to[axis] ? low : to[axis]; /* below the box */
    if (find_missing(box + 1, count - 1, side[0], side[1], missing)) return true;
    memcpy(side, rest, sizeof side);
    side[0][axis] = high > from[axis] ? high : from[axis]; /* above it */
    if (find_missing(box + 1, count - 1, side[0], side[1], missing)) return true;
    if (rest[0][axis] < low) rest[0][axis] = low;
    if (rest[1][axis] > high) rest[1][axis] = high;
    if (rest[0][axis] >= rest[1][axis]) return false;
  }
  return false;
}

/* The rank that holds an entry of level 0. */
static int holder(const hymg_field *field, const int at[3])
{
  const hymgi_decomp *decomp = field->grid->decomp;
  int box[3];
  for (int axis = 0; axis < 3; axis++) {
    const int last = field->grid->desc.n[axis] - 1;
    const bool high = (int)field->centering == HYMG_BOUNDARY_X_HIGH + 2 * axis;
    box[axis] = hymgi_decomp_box_at(decomp, axis, high || at[axis] > last ? last : at[axis]);
  }
  return hymgi_decomp_owner(decomp, box);
}

/* The error is kept for the next collective call as well, so that no rank goes on without knowing
 * of it. */
static hymg_status check_held(const hymg_field *field, const hymgi_user_brick *brick)
{
  hymg_context *context = field->grid->context;
  int m[2][3];
  char who[48] = "another rank";
  if (hymgi_comm_size(context->comm) == 1) return HYMG_OK;
  if (!find_missing(field->view.box, field->view.num_boxes, brick->from, brick->to, m))
    return HYMG_OK;
  if (field->level == 0) snprintf(who, sizeof who, "rank %d", holder(field, m[0]));
  return hymgi_fail_everywhere(
      context, HYMG_EINVAL,
      "entries [%d, %d) x [%d, %d) x [%d, %d) of a field of %s are held by %s, not by rank %d: "
      "name "
      "those of this rank (hymg_grid_local), cut the grid as the arrays are (desc.cuts), or use "
      "hymg_field_write_own and read_own to leave them out",
      m[0][0], m[1][0], m[0][1], m[1][1], m[0][2], m[1][2], hymgi_centering_name(field->centering),
      who, hymg_context_rank(context));
}

/* ---- the calls ---- */

static hymg_status exchange(const hymg_field *field, const int low[3], const int count[3],
                            const ptrdiff_t stride[3], bool write, bool own, double *data,
                            hymg_space space)
{
  if (!field) return HYMG_EINVAL;
  hymg_context *context = field->grid->context;
  hymgi_user_array array = {.space = space, .data = data};
  TRY(hymgi_brick_of(context, low, count, stride, data, &array.brick));
  TRY(check_array(context, data, count, space));
  TRY(check_inside(field, &array.brick));
  if (!own) TRY(check_held(field, &array.brick));
  return hymgi_field_exchange(field, &array, write);
}

hymg_status hymg_field_write(hymg_field *field, const int low[3], const int count[3],
                             const ptrdiff_t stride[3], const double *data, hymg_space space)
{
  return exchange(field, low, count, stride, true, false, (double *)data, space); /* only read */
}

hymg_status hymg_field_read(const hymg_field *field, const int low[3], const int count[3],
                            const ptrdiff_t stride[3], double *data, hymg_space space)
{
  return exchange(field, low, count, stride, false, false, data, space);
}

hymg_status hymg_field_write_own(hymg_field *field, const int low[3], const int count[3],
                                 const ptrdiff_t stride[3], const double *data, hymg_space space)
{
  return exchange(field, low, count, stride, true, true, (double *)data, space); /* only read */
}

hymg_status hymg_field_read_own(const hymg_field *field, const int low[3], const int count[3],
                                const ptrdiff_t stride[3], double *data, hymg_space space)
{
  return exchange(field, low, count, stride, false, true, data, space);
}

/* ---- lists of cells ---- */

static hymg_status check_list(const hymg_field *field, int64_t count, const int (*cell)[3],
                              const double *value)
{
  hymg_context *c = field->grid->context;
  int n[3];
  if (field->centering != HYMG_CELL)
    return hymgi_fail(c, HYMG_EINVAL, "hymg_field_put: a field of %s; cell fields only",
                      hymgi_centering_name(field->centering));
  if (count < 0) return hymgi_fail(c, HYMG_EINVAL, "a list of %lld cells", (long long)count);
  if (count > 0 && (!cell || !value))
    return hymgi_fail(c, HYMG_EINVAL, "hymg_field_put: cell or value is NULL");
  hymgi_field_extent(field, n);
  for (int64_t m = 0; m < count; m++)
    for (int axis = 0; axis < 3; axis++)
      if (cell[m][axis] < 0 || cell[m][axis] >= n[axis])
        return hymgi_fail(c, HYMG_EINVAL,
                          "cell %lld of the list is (%d, %d, %d): index %d along %c, from 0 to %d",
                          (long long)m, cell[m][0], cell[m][1], cell[m][2], cell[m][axis],
                          "xyz"[axis], n[axis] - 1);
  return HYMG_OK;
}

/* Is the cell in the box? *at: its number there. */
static bool is_in(const hymgi_geom *g, const int cell[3], size_t *at)
{
  *at = 0;
  for (int axis = 2; axis >= 0; axis--) {
    const int index = cell[axis] - g->low[axis];
    if (index < 0 || index >= g->n[axis]) return false;
    *at = *at * (size_t)g->n[axis] + (size_t)index;
  }
  return true;
}

/* Writes one box, through a copy on the host. */
static hymg_status put_in_box(hymg_field *field, const hymgi_geom *g, int64_t count,
                              const int (*cell)[3], const double *value)
{
  const size_t nx = (size_t)g->n[0], plane = nx * (size_t)g->n[1];
  const ptrdiff_t stride[3] = {1, (ptrdiff_t)nx, (ptrdiff_t)plane};
  double *copy = NULL;
  size_t at;
  hymg_status status = HYMG_OK;
  for (int64_t m = 0; m < count && status == HYMG_OK; m++) {
    if (!is_in(g, cell[m], &at)) continue;
    if (!copy) {
      copy = malloc(plane * (size_t)g->n[2] * sizeof *copy);
      if (!copy) return hymgi_fail(field->grid->context, HYMG_ENOMEM, "no memory for a box");
      status = hymg_field_read(field, g->low, g->n, stride, copy, HYMG_HOST);
    }
    copy[at] = value[m];
  }
  if (copy && status == HYMG_OK)
    status = hymg_field_write(field, g->low, g->n, stride, copy, HYMG_HOST);
  free(copy);
  return status;
}

hymg_status hymg_field_put(hymg_field *field, int64_t count, const int (*cell)[3],
                           const double *value)
{
  if (!field) return HYMG_EINVAL;
  TRY(check_list(field, count, cell, value));
  for (int b = 0; b < field->view.num_boxes; b++)
    TRY(put_in_box(field, field->view.box + b, count, cell, value));
  return HYMG_OK;
}
