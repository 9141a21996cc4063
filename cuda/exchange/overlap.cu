/* A sweep is split into the cells that read no ghost and slabs next to the ghosts. The former run
 * on the context's stream; packing, unpacking and the slabs run on a side stream, so that each
 * starts as soon as its input is there. If MPI carries the messages the host waits for them, but
 * they depend only on the packing; such sweeps are launched anew in every cycle, which costs
 * nothing as the host is idle and the levels are large. With peers only, both streams are recorded.
 * */
#include "exchange/exchange.h"

#include "kernels/kernels.h"

namespace
{

/* ---- parts of a box ---- */

/* Layers at a face that read its ghosts; along x whole slots. */
int layers_of(const hymgi_level *level, int axis)
{
  const int seen = level->op->stencil == HYMG_FV2 ? 1 : 2;
  return axis == 0 && level->box[0].split ? 2 : seen;
}

hymgi_geom part_of(const hymgi_geom *g, const int from[3], const int to[3])
{
  hymgi_geom part = *g;
  for (int axis = 0; axis < 3; axis++) {
    part.n[axis] = to[axis] - from[axis];
    part.low[axis] += from[axis];
    part.parity = (part.parity + from[axis]) & 1;
    if (from[axis] > 0) part.boundaries &= ~(1u << 2 * axis);
    if (to[axis] < g->n[axis]) part.boundaries &= ~(2u << 2 * axis);
  }
  part.offset += from[2] * g->plane + from[1] * g->pitch + (g->split ? from[0] / 2 : from[0]);
  return part;
}

/* z is cut first, so that most slabs are whole planes. */
int cut(const hymgi_level *level, hymgi_geom part[HYMGI_MOST_PARTS])
{
  const hymgi_geom *g = level->box;
  int from[3] = {0, 0, 0}, to[3] = {g->n[0], g->n[1], g->n[2]}, count = 1;
  for (int axis = 2; axis >= 0; axis--)
    for (int side = 0; side < 2; side++) {
      if (g->boundaries >> (2 * axis + side) & 1) continue;
      const int layers = layers_of(level, axis), low = from[axis], high = to[axis];
      if (side)
        from[axis] = high - layers;
      else
        to[axis] = low + layers;
      part[count++] = part_of(g, from, to);
      from[axis] = side ? low : low + layers;
      to[axis] = side ? high - layers : high;
    }
  part[0] = part_of(g, from, to);
  return count;
}

/* ---- the side stream ---- */

/* After a failure, what is missing. */
hymg_status open_side_stream(hymgi_device *d)
{
  cudaError_t error = cudaSuccess;
  if (!d->side_stream) {
    int least = 0, greatest = 0;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    error = cudaStreamCreateWithPriority(&d->side_stream, cudaStreamNonBlocking, greatest);
  }
  for (int m = 0; error == cudaSuccess && m < HYMGI_MARKS; m++)
    if (!d->mark[m]) error = cudaEventCreateWithFlags(&d->mark[m], cudaEventDisableTiming);
  return hymgi_cuda_check(d->context, error, "a second stream");
}

enum { BEFORE, PACKED, SIDE_DONE };

/* Of the stream that launches currently go to. */
void mark(hymgi_device *d, int which)
{
  if (d->mode == HYMGI_REPLAY) return;
  hymgi_cuda_check(d->context, cudaEventRecord(d->mark[which], hymgi_device_stream(d)),
                   "cudaEventRecord");
}

void follow(hymgi_device *d, int which)
{
  if (d->mode == HYMGI_REPLAY) return;
  hymgi_cuda_check(d->context, cudaStreamWaitEvent(hymgi_device_stream(d), d->mark[which], 0),
                   "cudaStreamWaitEvent");
  d->waits = true;
}

typedef void part_sweep(const hymgi_level *part, const void *what);

/* Sweeps parts [first, end) of the level; range: a name for profilers. */
void sweep_parts(const hymgi_level *whole, part_sweep *sweep, const void *what, int first, int end,
                 const char *range)
{
  const hymgi_level_parts *parts = &whole->kernels->parts;
  hymgi_device_begin_range(whole, range);
  for (int m = first; m < end; m++) {
    hymgi_level level = *whole;
    level.box = const_cast<hymgi_geom *>(parts->box + m); /* a sweep only reads it */
    level.kernels = parts->kernels + m;
    sweep(&level, what);
  }
  hymgi_device_end_range();
}

/* The host's part of the exchange, after the messages have been packed. */
void pass_messages(const hymgi_level *level, const hymgi_plan *plan)
{
  hymg_context *const c = level->context;
  hymgi_device_begin_range(level, "messages");
  hymgi_cuda_check(c, cudaEventSynchronize(c->gpu->mark[PACKED]), "the packing of messages");
  hymgi_exchange_pass(c, &level->backend->mover, plan);
  hymgi_device_end_range();
}

void fill_boundary_ghosts(const hymgi_level *level, const hymgi_geom *box, hymgi_real *x)
{
  if (level->op->stencil == HYMG_FV4) hymgi_cuda_fill_operator_ghosts(level, box, x, true);
}

} /* namespace */

extern "C" bool hymgi_cuda_could_overlap(const hymgi_level *level, const hymgi_plan *plan)
{
  if (!plan || level->num_boxes != 1) return false;
  if (plan->mpi_sends + plan->mpi_receives == 0 && !plan->peers && !plan->group) return false;
  for (int axis = 0; axis < 3; axis++)
    if (level->box->n[axis] <= 2 * layers_of(level, axis)) return false;
  return true;
}

extern "C" hymg_status hymgi_cuda_make_parts(const hymgi_level *level, hymgi_level_parts *parts)
{
  parts->count = cut(level, parts->box);
  return open_side_stream(level->context->gpu);
}

/* Boundary ghosts are filled twice: before the exchange for the interior part, and after it once
 * more, so that those next to received ghosts are right; the others get the same values again. */
extern "C" void hymgi_cuda_overlapped(const hymgi_level *level, const hymgi_plan *plan,
                                      const hymgi_geom *box, hymgi_real *x,
                                      void (*sweep)(const hymgi_level *part, const void *what),
                                      const void *what)
{
  hymg_context *const c = level->context;
  hymgi_device *const d = c->gpu;
  const hymgi_mover *const mover = &level->backend->mover;
  const bool by_mpi = plan->mpi_sends + plan->mpi_receives > 0;
  const bool interrupts = by_mpi && d->mode != HYMGI_DIRECT;
  if (interrupts) hymgi_device_direct(c, true);
  const hymgi_device_guard guard(d->ordinal);
  fill_boundary_ghosts(level, box, x);
  mark(d, BEFORE);
  d->on_side_stream = true;
  follow(d, BEFORE);
  hymgi_exchange_pack(c, mover, plan, box, x, box, x);
  mark(d, PACKED);
  d->on_side_stream = false;
  sweep_parts(level, sweep, what, 0, 1, "inside");
  if (by_mpi) pass_messages(level, plan);
  d->on_side_stream = true;
  hymgi_exchange_end(c, mover, plan, box, x, NULL);
  fill_boundary_ghosts(level, box, x);
  sweep_parts(level, sweep, what, 1, level->kernels->parts.count, "near ghosts");
  mark(d, SIDE_DONE);
  d->on_side_stream = false;
  follow(d, SIDE_DONE);
  if (interrupts) hymgi_device_direct(c, false);
}
