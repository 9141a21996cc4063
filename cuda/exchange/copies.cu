/* Copies of bricks of cells between vectors, message buffers and the user's arrays: one launch for
 * a whole list. */
#include "exchange/exchange.h"
#include "exchange/pieces.cuh"
#include "kernels/kernels.h"

namespace
{

struct copy_list {
  hymgi_copy one;
  hymgi_geom from, to;
  const hymgi_copy *many;
  const hymgi_geom *src_box, *dst_box;
  int count;
};

copy_list copies_of(const hymgi_plan *plan, const hymgi_geom *src_box, const hymgi_geom *dst_box)
{
  copy_list l = {};
  l.count = plan->num_local;
  l.many = plan->local;
  l.src_box = src_box;
  l.dst_box = dst_box;
  if (l.count == 1) l.one = plan->local[0];
  l.from = src_box[l.one.src_box];
  l.to = dst_box[l.one.dst_box];
  return l;
}

__global__ void __launch_bounds__(ROW_THREADS)
    copy_bricks(copy_list list, const hymgi_real *src, hymgi_real *dst)
{
  let_successors_start();
  wait_for_predecessors();
  for (int m = (int)blockIdx.y; m < list.count; m += (int)gridDim.y) {
    const bool one = list.count == 1;
    const hymgi_copy c = one ? list.one : list.many[m];
    const hymgi_geom from = one || !c.src_box ? list.from : list.src_box[c.src_box];
    const hymgi_geom to = one || !c.dst_box ? list.to : list.dst_box[c.dst_box];
    each_of_brick(c.n, [&](int i, int j, int k) {
      dst[hymgi_at(&to, c.dst[0] + i, c.dst[1] + j, c.dst[2] + k)] =
          src[hymgi_at(&from, c.src[0] + i, c.src[1] + j, c.src[2] + k)];
    });
  }
}

/* zero: NULL, or a vector that gets zeros where x is written. */
template <bool PACK>
__global__ void __launch_bounds__(ROW_THREADS)
    move_pieces(piece_list list, hymgi_real *x, hymgi_real *zero, double *buffer)
{
  let_successors_start();
  wait_for_predecessors();
  each_piece(list, [&](const hymgi_piece &p, const hymgi_geom &g) {
    each_value(p, g, [&](size_t at, ptrdiff_t cell) {
      double *const packed = buffer + p.at + at;
      if (PACK) {
        *packed = x[cell];
      } else {
        x[cell] = (hymgi_real)*packed;
        if (zero) zero[cell] = 0;
      }
    });
  });
}

void move_messages(hymg_context *context, const hymgi_plan *plan, bool pack, const hymgi_geom *box,
                   hymgi_real *x, hymgi_real *zero)
{
  if (plan->peers)
    hymgi_peer_move(context, plan, pack, box, x, zero);
  else
    hymgi_launch(context, pack ? move_pieces<true> : move_pieces<false>, pieces_grid(plan, pack),
                 dim3(ROW_THREADS), pieces_of(plan, pack, box), x, zero,
                 pack ? plan->send_buffer : plan->receive_buffer);
}

__device__ __forceinline__ ptrdiff_t at_strides(const ptrdiff_t stride[3], int i, int j, int k)
{
  return i * stride[0] + j * stride[1] + k * stride[2];
}

/* each(i, j, k) over the cells of the user's brick, once preceding kernels have ended. */
template <typename Each>
__device__ __forceinline__ void each_of_user_brick(const hymgi_user_brick &b, const Each &each)
{
  const int n[3] = {b.to[0] - b.from[0], b.to[1] - b.from[1], b.to[2] - b.from[2]};
  let_successors_start();
  wait_for_predecessors();
  each_of_brick(n, [&](int i, int j, int k) { each(i + b.from[0], j + b.from[1], k + b.from[2]); });
}

/* T: of the user's array. */
template <bool WRITE, typename T>
__global__ void __launch_bounds__(ROW_THREADS)
    move_user_brick(hymgi_geom g, hymgi_user_brick b, void *user, hymgi_real *x)
{
  each_of_user_brick(b, [&](int i, int j, int k) {
    T *const theirs = (T *)user + at_strides(b.stride, i, j, k);
    hymgi_real *const ours = x + hymgi_at(&g, i, j, k);
    if (WRITE)
      *ours = (hymgi_real)*theirs;
    else
      *theirs = (T)*ours;
  });
}

template <typename From, typename To>
__global__ void __launch_bounds__(ROW_THREADS)
    copy_strided(hymgi_user_brick from, hymgi_user_brick to, const void *source, void *target)
{
  each_of_user_brick(from, [&](int i, int j, int k) {
    ((To *)target)[at_strides(to.stride, i, j, k)] =
        (To)((const From *)source)[at_strides(from.stride, i, j, k)];
  });
}

dim3 user_grid(const hymgi_user_brick *b)
{
  const int64_t rows = (int64_t)(b->to[1] - b->from[1]) * (b->to[2] - b->from[2]);
  return dim3(row_blocks(rows, b->to[0] - b->from[0]));
}

} /* namespace */

extern "C" void hymgi_cuda_local(hymg_context *context, const hymgi_plan *plan,
                                 const hymgi_geom *src_box, const hymgi_real *src,
                                 const hymgi_geom *dst_box, hymgi_real *dst)
{
  hymgi_launch(context, copy_bricks, bricks_grid(plan->local, plan->num_local), dim3(ROW_THREADS),
               copies_of(plan, src_box, dst_box), src, dst);
}

extern "C" void hymgi_cuda_pack(hymg_context *context, const hymgi_plan *plan,
                                const hymgi_geom *src_box, const hymgi_real *src)
{
  move_messages(context, plan, true, src_box, const_cast<hymgi_real *>(src), NULL); /* only read */
}

extern "C" void hymgi_cuda_unpack(hymg_context *context, const hymgi_plan *plan,
                                  const hymgi_geom *dst_box, hymgi_real *dst, hymgi_real *zero)
{
  move_messages(context, plan, false, dst_box, dst, zero);
}

extern "C" void hymgi_cuda_brick(const hymgi_level *view, const hymgi_geom *box,
                                 const hymgi_user_brick *brick, bool write, void *user,
                                 hymgi_real *data)
{
  const auto kernel =
      write ? brick->is_float ? move_user_brick<true, float> : move_user_brick<true, double>
      : brick->is_float ? move_user_brick<false, float>
                        : move_user_brick<false, double>;
  hymgi_launch(view->context, kernel, user_grid(brick), dim3(ROW_THREADS), *box, *brick, user,
               data);
}

extern "C" void hymgi_cuda_gather(hymg_context *context, const hymgi_user_brick *from,
                                  const hymgi_user_brick *to, const void *source, void *target)
{
  const auto kernel =
      to->is_float     ? from->is_float ? copy_strided<float, float> : copy_strided<double, float>
          : from->is_float ? copy_strided<float, double>
                       : copy_strided<double, double>;
  hymgi_launch(context, kernel, user_grid(from), dim3(ROW_THREADS), *from, *to, source, target);
}
