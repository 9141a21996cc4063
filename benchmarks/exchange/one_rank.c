#include "exchange/one_rank.h"

#include "hierarchy/build.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static atomic_llong used, peak;

static void *note(void *block)
{
  if (!block) return NULL;
  const long long now = used += (long long)malloc_usable_size(block);
  long long before = peak;
  while (now > before && !atomic_compare_exchange_weak(&peak, &before, now))
    continue;
  return block;
}

static void forget(void *block)
{
  if (block) used -= (long long)malloc_usable_size(block);
}

void one_rank_count_memory(void)
{
  used = peak = 0;
}

double one_rank_peak_bytes(void)
{
  return (double)peak;
}

/* WRAP(TYPE, NAME, PARAMETERS): declares what the linker makes of a function */
#define WRAP(type, name, parameters)                                                               \
  type __real_##name parameters;                                                                   \
  type __wrap_##name parameters;                                                                   \
  type __wrap_##name parameters

WRAP(void *, malloc, (size_t bytes))
{
  return note(__real_malloc(bytes));
}

WRAP(void *, calloc, (size_t count, size_t bytes))
{
  return note(__real_calloc(count, bytes));
}

WRAP(void *, aligned_alloc, (size_t line, size_t bytes))
{
  return note(__real_aligned_alloc(line, bytes));
}

WRAP(void *, realloc, (void *block, size_t bytes))
{
  const long long before = block ? (long long)malloc_usable_size(block) : 0;
  void *const grown = __real_realloc(block, bytes);
  if (grown) used -= before;
  return note(grown);
}

WRAP(void, free, (void *block))
{
  forget(block);
  __real_free(block);
}

/* ---- the communicator ---- */

static struct {
  hymgi_ranks ranks;
} alone;

static hymgi_comm *the_one(void)
{
  return (hymgi_comm *)&alone;
}

void one_rank_enter(hymg_context *context, int rank, int ranks)
{
  const int first = rank - rank % ONE_RANK_NODE;
  alone.ranks =
      (hymgi_ranks){.rank = rank,
                    .size = ranks,
                    .nodes = (ranks + ONE_RANK_NODE - 1) / ONE_RANK_NODE,
                    .local_rank = rank - first,
                    .local_size = ranks - first < ONE_RANK_NODE ? ranks - first : ONE_RANK_NODE};
  context->comm = the_one();
}

void one_rank_leave(hymg_context *context)
{
  context->comm = NULL;
}

/* A function of the communicator: `answer` from the one, else the library's. */
#define ANSWERS(type, name, parameters, arguments, comm, answer)                                   \
  WRAP(type, name, parameters)                                                                     \
  {                                                                                                \
    return (comm) == the_one() ? (answer) : __real_##name arguments;                               \
  }

ANSWERS(hymgi_ranks, hymgi_comm_ranks, (const hymgi_comm *comm), (comm), comm, alone.ranks)
ANSWERS(bool, hymgi_comm_is_lost, (const hymgi_comm *comm), (comm), comm, false)
ANSWERS(bool, hymgi_comm_is_stuck, (const hymgi_comm *comm), (comm), comm, false)
ANSWERS(hymg_status, hymgi_comm_max_double,
        (hymg_context * context, hymgi_comm *comm, double *values, int count),
        (context, comm, values, count), comm, HYMG_OK)
ANSWERS(hymg_status, hymgi_comm_max_int,
        (hymg_context * context, hymgi_comm *comm, int *values, int count),
        (context, comm, values, count), comm, HYMG_OK)
ANSWERS(hymg_status, hymgi_comm_max_int64,
        (hymg_context * context, hymgi_comm *comm, int64_t *values, int count),
        (context, comm, values, count), comm, HYMG_OK)
ANSWERS(hymg_status, hymgi_comm_sum_int64,
        (hymg_context * context, hymgi_comm *comm, int64_t *values, int count),
        (context, comm, values, count), comm, HYMG_OK)
ANSWERS(hymg_status, hymgi_comm_bcast,
        (hymg_context * context, hymgi_comm *comm, int root, void *bytes, size_t size),
        (context, comm, root, bytes, size), comm, HYMG_OK)
ANSWERS(hymg_status, hymgi_comm_barrier, (hymg_context * context, hymgi_comm *comm),
        (context, comm), comm, HYMG_OK)
ANSWERS(hymg_status, hymgi_comm_drain, (hymg_context * context, hymgi_comm *comm), (context, comm),
        comm, HYMG_OK)
ANSWERS(bool, hymgi_comm_poll,
        (hymgi_comm * comm, hymg_status *status, char text[HYMGI_ALARM_TEXT]), (comm, status, text),
        comm, false)
ANSWERS(hymg_status, hymgi_comm_post,
        (hymg_context * context, hymgi_requests *requests, bool sends, int rank, int tag,
         double *data, size_t count),
        (context, requests, sends, rank, tag, data, count), context->comm, HYMG_OK)
ANSWERS(hymg_status, hymgi_comm_wait, (hymg_context * context, hymgi_requests *requests),
        (context, requests), context->comm, HYMG_OK)

/* The members are not listed: hymg-plans says what the lists of a real one take. */
WRAP(hymg_status, hymgi_comm_subset,
     (hymg_context * context, hymgi_comm *comm, int member, hymgi_comm **subset))
{
  if (comm != the_one()) return __real_hymgi_comm_subset(context, comm, member, subset);
  *subset = member ? the_one() : NULL;
  return HYMG_OK;
}

WRAP(hymg_status, hymgi_comm_gather_local,
     (hymg_context * context, hymgi_comm *comm, const void *mine, size_t size, void *all))
{
  if (comm != the_one()) return __real_hymgi_comm_gather_local(context, comm, mine, size, all);
  for (int r = 0; r < alone.ranks.local_size; r++)
    memcpy((char *)all + (size_t)r * size, mine, size);
  return HYMG_OK;
}

WRAP(void, hymgi_comm_destroy, (hymgi_comm * *comm))
{
  if (!comm || *comm != the_one())
    __real_hymgi_comm_destroy(comm);
  else
    *comm = NULL;
}

WRAP(void, hymgi_comm_notify, (hymgi_comm * comm, hymg_status status, const char *text))
{
  if (comm != the_one()) __real_hymgi_comm_notify(comm, status, text);
}

/* Then ranks have counted who holds which level. */
WRAP(hymg_status, hymgi_hierarchy_shape, (hymgi_hierarchy * h, const hymgi_backend *backend))
{
  TRY(__real_hymgi_hierarchy_shape(h, backend));
  for (hymgi_level *l = h->level; h->context->comm == the_one() && l < h->level + h->num_levels;
       l++) {
    const int *const boxes = l->decomp->boxes;
    l->ranks = boxes[0] * boxes[1] * boxes[2];
    l->largest_share = (double)l->cells / l->ranks;
  }
  return HYMG_OK;
}
