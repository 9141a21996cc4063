/* Running a copy plan on vectors of a level. */
#ifndef HYMGI_DISTRIBUTION_EXCHANGE_H
#define HYMGI_DISTRIBUTION_EXCHANGE_H

#include "distribution/plan.h"

/* What a machine does for a plan: copy bricks between vectors, and between a vector and a
 * contiguous buffer. zero: NULL, or where the backend zeroes one like dst that becomes 0 where that
 * is written. finish: all that was asked for is done (NULL: it always is). */
typedef struct hymgi_mover {
  void (*local)(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                const double *src, const hymgi_geom *dst_box, double *dst);
  void (*pack)(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
               const double *src);
  void (*unpack)(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                 double *dst, double *zero);
  void (*finish)(hymg_context *context);
  /* Optional: messages between GPUs come next; if this rank fails, those that wait for them are told */
  void (*begin)(hymg_context *context, const hymgi_plan *plan);
  /* Optional: around calls of MPI that get this machine's memory; what enter gives is for leave */
  int (*enter)(hymg_context *context);
  void (*leave)(int before);
  /* Optional: queues the messages of a plan that has a group, behind what was asked for */
  void (*queue)(hymg_context *context, const hymgi_plan *plan);
} hymgi_mover;

/* begin posts the receives, packs, sends and does the local copies (distribution/exchange.c has the order); end
 * waits and unpacks.
 * Between them the sources must not change and the targets not be read. src and dst may be the
 * same vector. Failures go into context->status and the schedule goes on. */
void hymgi_exchange_begin(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                          const hymgi_geom *src_box, const double *src, const hymgi_geom *dst_box,
                          double *dst);
/* begin of a GPU in two steps, for those that do other things in between: packing and local copies are
 * queued; then, once they are done, receives are posted and sends follow. */
void hymgi_exchange_pack(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                         const hymgi_geom *src_box, const double *src, const hymgi_geom *dst_box,
                         double *dst);
void hymgi_exchange_pass(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan);
void hymgi_exchange_end(hymg_context *context, const hymgi_mover *mover, const hymgi_plan *plan,
                        const hymgi_geom *dst_box, double *dst, double *zero);

#endif
