/* Copies of single entries between vectors of different ranks, or of one, by lists of places: what a halo is to a graph. There
 * is one message per other rank that has entries for this one, and one per rank that it has entries for. */
#ifndef HYMGI_DISTRIBUTION_INDEX_PLAN_H
#define HYMGI_DISTRIBUTION_INDEX_PLAN_H

#include "base/memory.h"
#include "comm/comm.h"
#include "distribution/exchange.h"

/* The numbers of messages, and of entries: in all messages, and of those that stay on the rank. */
typedef struct hymgi_index_sizes {
  int64_t sends, receives, out, in, own;
} hymgi_index_sizes;

/* Who makes the copies: target[to[m]] = source[from[m]] for 0 <= m < count; NULL for the places 0, 1, 2, ... Buffers are
 * where messages can be sent from and `copy` can access them; share and unshare as in backend.h, for the lists. */
typedef struct hymgi_index_mover {
  const hymgi_mover *mover;
  const hymgi_memory *buffers;
  hymg_status (*share)(hymg_context *context, void **block, size_t bytes);
  void (*unshare)(void *block);
  void (*copy)(hymg_context *context, int64_t count, const int64_t *from, const int64_t *to,
               const double *source, double *target);
} hymgi_index_mover;

/* All lists are in one block of hymgi_index_words. Entries are in the order of messages, then those that stay. */
typedef struct hymgi_index_plan {
  hymg_context *context;
  hymgi_index_mover by;
  int tag;
  hymgi_index_sizes sizes;
  int64_t *sends, *receives; /* of each message the other rank, the number of its entries */
  int64_t *from, *to;        /* places in the source: out + own; in the target: in + own */
  int64_t *block;
  double *buffer; /* out + in */
  hymgi_requests *requests;
} hymgi_index_plan;

static inline size_t hymgi_index_words(const hymgi_index_sizes *s)
{
  return (size_t)(2 * (s->sends + s->receives) + s->out + s->in + 2 * s->own);
}

/* The lists in a block. */
void hymgi_index_plan_bind(hymgi_index_plan *plan, int64_t *block);
/* A plan with room for so many, whose lists the caller fills, and then shares. Errors: ENOMEM, ECUDA. */
hymg_status hymgi_index_plan_create(hymg_context *context, const hymgi_index_mover *by,
                                    const hymgi_index_sizes *sizes, int tag,
                                    hymgi_index_plan **plan);
hymg_status hymgi_index_plan_share(hymgi_index_plan *plan);
void hymgi_index_plan_destroy(hymgi_index_plan **plan);
size_t hymgi_index_plan_bytes(const hymgi_index_plan *plan);
/* Source and target may be one vector. A failure is recorded in context->status, and the exchange goes on. */
void hymgi_index_plan_run(hymgi_index_plan *plan, const double *source, double *target);

#endif
