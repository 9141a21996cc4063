/* Collective operations, of messages between two ranks each, so that every wait has a limit and the
 * ranks of a level need no communicator of MPI. Values are integers, so their sums and maxima are
 * the same in any order. */
#include <math.h>
#include <string.h>

#include "comm/context.h"
#include "comm/wait_mpi.h"

/* ---- one step ---- */

/* Sends `bytes` bytes of world->out to one rank of comm and receives as many into world->in from
 * another; -1: none. */
static hymg_status swap(hymg_context *context, hymgi_comm *comm, int to, int from, size_t bytes)
{
  hymgi_comm *const w = comm->world;
  MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  hymg_status status = HYMG_OK;
  if (w->lost) return hymgi_comm_refuse(context, w);
  if (from >= 0)
    status =
        hymgi_comm_check(context, w,
                         MPI_Irecv(w->in, (int)bytes, MPI_BYTE, hymgi_comm_world_rank(comm, from),
                                   HYMGI_TAG_REDUCE, w->comm, &request[0]),
                         "MPI_Irecv");
  if (to >= 0 && status == HYMG_OK)
    status =
        hymgi_comm_check(context, w,
                         MPI_Isend(w->out, (int)bytes, MPI_BYTE, hymgi_comm_world_rank(comm, to),
                                   HYMGI_TAG_REDUCE, w->comm, &request[1]),
                         "MPI_Isend");
  if (status != HYMG_OK) hymgi_comm_withdraw(w, 2, request);
  return status == HYMG_OK ? hymgi_comm_complete(context, w, 2, request) : status;
}

/* ---- reductions ---- */

typedef void combine_step(void *values, const void *others, int count);

static void max_int(void *values, const void *others, int count)
{
  int *const v = values;
  const int *const o = others;
  for (int m = 0; m < count; m++)
    v[m] = o[m] > v[m] ? o[m] : v[m];
}

static void max_int64(void *values, const void *others, int count)
{
  int64_t *const v = values;
  const int64_t *const o = others;
  for (int m = 0; m < count; m++)
    v[m] = o[m] > v[m] ? o[m] : v[m];
}

static void sum_int64(void *values, const void *others, int count)
{
  uint64_t *const v = values;
  const uint64_t *const o = others;
  for (int m = 0; m < count; m++)
    v[m] += o[m];
}

/* world->out becomes the result. Recursive doubling over the largest power of two; each rank beyond
 * it hands its values to one below, which returns the result. */
static hymg_status reduce_out(hymg_context *context, hymgi_comm *comm, int count, size_t bytes,
                              combine_step *combine)
{
  hymgi_comm *const w = comm->world;
  const int rank = comm->ranks.rank, size = comm->ranks.size;
  int pairs = 1;
  while (pairs <= size / 2)
    pairs *= 2;
  if (rank >= pairs) {
    TRY(swap(context, comm, rank - pairs, -1, bytes));
    TRY(swap(context, comm, -1, rank - pairs, bytes));
    memcpy(w->out, w->in, bytes);
    return HYMG_OK;
  }
  const int beyond = rank + pairs < size ? rank + pairs : -1;
  if (beyond >= 0) {
    TRY(swap(context, comm, -1, beyond, bytes));
    combine(w->out, w->in, count);
  }
  for (int step = 1; step < pairs; step *= 2) {
    TRY(swap(context, comm, rank ^ step, rank ^ step, bytes));
    combine(w->out, w->in, count);
  }
  return beyond >= 0 ? swap(context, comm, beyond, -1, bytes) : HYMG_OK;
}

static hymg_status reduce(hymg_context *context, hymgi_comm *comm, void *values, int count,
                          size_t size, combine_step *combine)
{
  const int most = (int)(HYMGI_ROOM / size);
  if (!comm) return HYMG_OK;
  for (int m = 0; m < count; m += most) {
    const int n = count - m < most ? count - m : most;
    char *const at = (char *)values + (size_t)m * size;
    memcpy(comm->world->out, at, (size_t)n * size);
    TRY(reduce_out(context, comm, n, (size_t)n * size, combine));
    memcpy(at, comm->world->out, (size_t)n * size);
  }
  return HYMG_OK;
}

hymg_status hymgi_comm_max_int(hymg_context *context, hymgi_comm *comm, int *values, int count)
{
  return reduce(context, comm, values, count, sizeof *values, max_int);
}

hymg_status hymgi_comm_max_int64(hymg_context *context, hymgi_comm *comm, int64_t *values,
                                 int count)
{
  return reduce(context, comm, values, count, sizeof *values, max_int64);
}

hymg_status hymgi_comm_sum_int64(hymg_context *context, hymgi_comm *comm, int64_t *values,
                                 int count)
{
  return reduce(context, comm, values, count, sizeof *values, sum_int64);
}

/* Swaps the bits of a double and an integer of the same order: those of a negative number,
 * except its sign, are flipped. */
static void swap_order(double *value)
{
  int64_t bits;
  memcpy(&bits, value, sizeof bits);
  if (bits < 0) bits ^= INT64_MAX;
  memcpy(value, &bits, sizeof bits);
}

hymg_status hymgi_comm_max_double(hymg_context *context, hymgi_comm *comm, double *values,
                                  int count)
{
  if (!comm) return HYMG_OK;
  for (int i = 0; i < count; i++) {
    if (values[i] != values[i]) values[i] = NAN; /* positive: the largest */
    swap_order(values + i);
  }
  const hymg_status status = reduce(context, comm, values, count, sizeof *values, max_int64);
  for (int i = 0; i < count; i++)
    swap_order(values + i);
  return status;
}

/* ---- copies to other ranks ---- */

/* world->out of the root to all, along a tree in which the ranks are counted from the root. */
static hymg_status bcast_out(hymg_context *context, hymgi_comm *comm, int root, size_t bytes)
{
  hymgi_comm *const w = comm->world;
  const int size = comm->ranks.size, rank = (comm->ranks.rank - root + size) % size;
  int step = 1;
  while (step < size && !(rank & step))
    step *= 2;
  if (step < size) {
    TRY(swap(context, comm, -1, (rank - step + root) % size, bytes));
    memcpy(w->out, w->in, bytes);
  }
  for (step /= 2; step > 0; step /= 2)
    if (rank + step < size) TRY(swap(context, comm, (rank + step + root) % size, -1, bytes));
  return HYMG_OK;
}

hymg_status hymgi_comm_bcast(hymg_context *context, hymgi_comm *comm, int root, void *bytes,
                             size_t size)
{
  if (!comm) return HYMG_OK;
  for (size_t at = 0; at < size; at += HYMGI_ROOM) {
    const size_t n = size - at < HYMGI_ROOM ? size - at : HYMGI_ROOM;
    memcpy(comm->world->out, (char *)bytes + at, n);
    TRY(bcast_out(context, comm, root, n));
    memcpy((char *)bytes + at, comm->world->out, n);
  }
  return HYMG_OK;
}

hymg_status hymgi_comm_barrier(hymg_context *context, hymgi_comm *comm)
{
  int nothing = 0;
  return hymgi_comm_max_int(context, comm, &nothing, 1);
}

/* In step s each rank sends to the rank s places ahead and receives from the one s places behind. */
hymg_status hymgi_comm_gather_local(hymg_context *context, hymgi_comm *comm, const void *mine,
                                    size_t size, void *all)
{
  const int rank = hymgi_comm_local_rank(comm), ranks = hymgi_comm_local_size(comm);
  memcpy((char *)all + (size_t)rank * size, mine, size);
  for (int step = 1; step < ranks; step++) {
    const int from = (rank - step + ranks) % ranks;
    memcpy(comm->out, mine, size);
    TRY(swap(context, comm, comm->local[(rank + step) % ranks], comm->local[from], size));
    memcpy((char *)all + (size_t)from * size, comm->in, size);
  }
  return HYMG_OK;
}
