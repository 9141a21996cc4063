/* Executes a copy plan on vectors of a level. */
#ifndef HYMGI_DISTRIBUTION_EXCHANGE_H
#define HYMGI_DISTRIBUTION_EXCHANGE_H

#include "base/real.h"
#include "distribution/plan.h"

/* What a backend does for a plan: copies bricks between vectors, and between a vector and a
 * contiguous buffer. zero: NULL, or (where the backend supports it) a vector with the layout of
 * dst that is set to 0 wherever dst is written. finish: waits until all queued copies are done
 * (NULL: copies are synchronous). */
typedef struct hymgi_mover {
  void (*local)(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                const hymgi_real *src, const hymgi_geom *dst_box, hymgi_real *dst);
  void (*pack)(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
               const hymgi_real *src);
  void (*unpack)(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                 hymgi_real *dst, hymgi_real *zero);
  void (*finish)(hymg_context *context);
  /* Optional: messages between GPUs follow; if this rank fails, the ranks that wait for them
   * must be notified */
  void (*begin)(hymg_context *context, const hymgi_plan *plan);
  /* Optional: called before and after MPI calls that access memory of this device; leave gets
   * what enter returned */
  int (*enter)(hymg_context *context);
  void (*leave)(int before);
  /* Optional: queues the messages of a plan that uses NCCL, after the copies queued so far */
  void (*queue)(hymg_context *context, const hymgi_plan *plan);
} hymgi_mover;

/* begin posts the receives, packs, sends and makes the local copies (exchange.c describes the
 * order); end waits and unpacks. Between them the sources must not change and the targets must
 * not be read. src and dst may be the same vector. A failure is recorded in context->status and
 * the exchange continues. */
void hymgi_exchange_begin(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                          const hymgi_geom *src_box, const hymgi_real *src,
                          const hymgi_geom *dst_box, hymgi_real *dst);
/* begin on a GPU in two steps, so that other work can be queued between them: pack queues the
 * packing and the local copies; once these are done, pass posts the receives and sends. */
void hymgi_exchange_pack(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                         const hymgi_geom *src_box, const hymgi_real *src,
                         const hymgi_geom *dst_box, hymgi_real *dst);
void hymgi_exchange_pass(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan);
void hymgi_exchange_end(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                        const hymgi_geom *dst_box, hymgi_real *dst, hymgi_real *zero);

#endif
