/* Copies of bricks of cells between vectors, message buffers and the user's arrays: one launch for
 * a whole list. */
#include "device/copy_list.cuh"
#include "exchange/peer.h"
#include "kernels/kernels.h"

namespace
{

/* ---- lists ---- */

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

/* ---- kernels ---- */

__device__ __forceinline__ void copy_brick(const hymgi_copy &c, const hymgi_geom &from,
                                           const double *src, const hymgi_geom &to, double *dst)
{
  each_of_brick(c.n, [&](int i, int j, int k) {
    dst[hymgi_at(&to, c.dst[0] + i, c.dst[1] + j, c.dst[2] + k)] =
        src[hymgi_at(&from, c.src[0] + i, c.src[1] + j, c.src[2] + k)];
  });
}

__global__ void __launch_bounds__(ROW_THREADS)
    copy_bricks(copy_list list, const double *src, double *dst)
{
  let_successors_start();
  wait_for_predecessors();
  if (list.count == 1) {
    copy_brick(list.one, list.from, src, list.to, dst);
    return;
  }
  for (int m = (int)blockIdx.y; m < list.count; m += (int)gridDim.y) {
    const hymgi_copy c = list.many[m];
    copy_brick(c, c.src_box ? list.src_box[c.src_box] : list.from, src,
               c.dst_box ? list.dst_box[c.dst_box] : list.to, dst);
  }
}

/* Packs or unpacks a piece. zero: NULL, or a vector that gets zeros where x is written. */
template <bool PACK>
__device__ __forceinline__ void copy_piece(const hymgi_piece &p, const hymgi_geom &g, double *x,
                                           double *zero, double *buffer)
{
  each_of_brick(p.n, [&](int i, int j, int k) {
    double *const packed = buffer + p.at + ((size_t)k * p.n[1] + j) * p.n[0] + i;
    const ptrdiff_t cell = hymgi_at(&g, p.low[0] + i, p.low[1] + j, p.low[2] + k);
    if (PACK) {
      *packed = x[cell];
    } else {
      x[cell] = *packed;
      if (zero) zero[cell] = 0;
    }
  });
}

template <bool PACK>
__global__ void __launch_bounds__(ROW_THREADS)
    move_pieces(piece_list list, double *x, double *zero, double *buffer)
{
  let_successors_start();
  wait_for_predecessors();
  if (list.count == 1) {
    copy_piece<PACK>(list.one, list.of, x, zero, buffer);
    return;
  }
  for (int m = (int)blockIdx.y; m < list.count; m += (int)gridDim.y) {
    const hymgi_piece p = list.many[m];
    copy_piece<PACK>(p, p.box ? list.box[p.box] : list.of, x, zero, buffer);
  }
}

__device__ __forceinline__ ptrdiff_t at_strides(const ptrdiff_t stride[3], int i, int j, int k)
{
  return i * stride[0] + j * stride[1] + k * stride[2];
}

template <bool WRITE>
__global__ void __launch_bounds__(ROW_THREADS)
    move_user_brick(hymgi_geom g, hymgi_user_brick b, double *user, double *x)
{
  let_successors_start();
  wait_for_predecessors();
  const int n[3] = {b.to[0] - b.from[0], b.to[1] - b.from[1], b.to[2] - b.from[2]};
  each_of_brick(n, [&](int i, int j, int k) {
    i += b.from[0], j += b.from[1], k += b.from[2];
    double *const theirs = user + at_strides(b.stride, i, j, k), *const ours =
                                                                     x + hymgi_at(&g, i, j, k);
    if (WRITE)
      *ours = *theirs;
    else
      *theirs = *ours;
  });
}

__global__ void __launch_bounds__(ROW_THREADS)
    copy_strided(hymgi_user_brick from, hymgi_user_brick to, const double *source, double *target)
{
  let_successors_start();
  wait_for_predecessors();
  const int n[3] = {from.to[0] - from.from[0], from.to[1] - from.from[1],
                    from.to[2] - from.from[2]};
  each_of_brick(n, [&](int i, int j, int k) {
    i += from.from[0], j += from.from[1], k += from.from[2];
    target[at_strides(to.stride, i, j, k)] = source[at_strides(from.stride, i, j, k)];
  });
}

dim3 user_grid(const hymgi_user_brick *b)
{
  const int64_t rows = (int64_t)(b->to[1] - b->from[1]) * (b->to[2] - b->from[2]);
  return dim3(row_blocks(rows, b->to[0] - b->from[0]));
}

} /* namespace */

extern "C" void hymgi_cuda_local(hymg_context *context, const hymgi_plan *plan,
                                 const hymgi_geom *src_box, const double *src,
                                 const hymgi_geom *dst_box, double *dst)
{
  hymgi_launch(context, copy_bricks, bricks_grid(plan->local, plan->num_local), dim3(ROW_THREADS),
               copies_of(plan, src_box, dst_box), src, dst);
}

extern "C" void hymgi_cuda_pack(hymg_context *context, const hymgi_plan *plan,
                                const hymgi_geom *src_box, const double *src)
{
  if (plan->peers) {
    hymgi_peer_push(context, plan, src_box, src);
    return;
  }
  hymgi_launch(context, move_pieces<true>, bricks_grid(plan->pack, plan->num_pack),
               dim3(ROW_THREADS), pieces_of(plan->pack, plan->num_pack, src_box),
               const_cast<double *>(src), nullptr, plan->send_buffer); /* it is read only */
}

extern "C" void hymgi_cuda_unpack(hymg_context *context, const hymgi_plan *plan,
                                  const hymgi_geom *dst_box, double *dst, double *zero)
{
  if (plan->peers) {
    hymgi_peer_pull(context, plan, dst_box, dst, zero);
    return;
  }
  hymgi_launch(context, move_pieces<false>, bricks_grid(plan->unpack, plan->num_unpack),
               dim3(ROW_THREADS), pieces_of(plan->unpack, plan->num_unpack, dst_box), dst, zero,
               plan->receive_buffer);
}

extern "C" void hymgi_cuda_brick(const hymgi_level *view, const hymgi_geom *box,
                                 const hymgi_user_brick *brick, bool write, double *user,
                                 double *data)
{
  hymgi_launch(view->context, write ? move_user_brick<true> : move_user_brick<false>,
               user_grid(brick), dim3(ROW_THREADS), *box, *brick, user, data);
}

extern "C" void hymgi_cuda_gather(hymg_context *context, const hymgi_user_brick *from,
                                  const hymgi_user_brick *to, const double *source, double *target)
{
  hymgi_launch(context, copy_strided, user_grid(from), dim3(ROW_THREADS), *from, *to, source,
               target);
}
