/* The communicator with MPI 3. Every call uses a duplicate of the user's communicator with
 * MPI_ERRORS_RETURN; a communicator of one rank is NULL, so that it makes no MPI calls. */
#include "comm/comm_mpi.h"
#include "comm/context.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message by which a failed rank notifies the others. */
typedef struct alarm_message {
  int status;
  char text[HYMGI_ALARM_TEXT];
} alarm_message;

/* the largest that every MPI supports; the tags of plans count from 0 */
enum { ALARM_TAG = 32767 };

struct hymgi_comm {
  MPI_Comm comm;
  bool owned; /* false: a level that uses the context's communicator */
  hymgi_ranks ranks;
  MPI_Comm node; /* MPI_COMM_NULL in a level's communicator */
  /* in the context's communicator */
  alarm_message alarm;  /* what this rank sent; status OK: nothing */
  MPI_Request *sends;   /* its sends, by rank */
  int *sent, *received; /* by rank: alarms since the last drain, sent by it, received from it */
};

/* Missing in some MPI libraries, or in their mpi.h. */
extern int MPIX_Query_cuda_support(void) __attribute__((weak));

struct hymgi_requests {
  int count; /* posted since the last wait */
  int error; /* first failure seen by hymgi_comm_progress */
  MPI_Request request[];
};

static hymg_status check(hymg_context *context, int error, const char *call)
{
  if (error == MPI_SUCCESS) return HYMG_OK;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
    snprintf(text, sizeof text, "error %d", error);
  return hymgi_fail(context, HYMG_EMPI, "%s: %.400s", call, text);
}

hymgi_ranks hymgi_comm_ranks(const hymgi_comm *comm)
{
  return comm ? comm->ranks : (hymgi_ranks){.size = 1, .nodes = 1, .local_size = 1};
}

void hymgi_comm_destroy(hymgi_comm **comm)
{
  if (!comm || !*comm) return;
  int finalized = 0;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS) finalized = 1;
  if (!finalized && (*comm)->node != MPI_COMM_NULL) MPI_Comm_free(&(*comm)->node);
  if (!finalized && (*comm)->owned) MPI_Comm_free(&(*comm)->comm);
  free((*comm)->sends);
  free((*comm)->sent);
  free(*comm);
  *comm = NULL;
}

static void adopt(hymgi_comm *c, MPI_Comm mpi, bool owned)
{
  c->comm = mpi;
  c->owned = owned;
  MPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN);
  MPI_Comm_rank(mpi, &c->ranks.rank);
  MPI_Comm_size(mpi, &c->ranks.size);
}

/* Takes ownership of mpi, also on failure. */
static hymg_status wrap(hymg_context *context, MPI_Comm mpi, bool owned, hymgi_comm **comm)
{
  hymgi_comm *c = calloc(1, sizeof *c);
  if (!c) {
    if (owned) MPI_Comm_free(&mpi);
    return hymgi_fail(context, HYMG_ENOMEM, "out of memory for a communicator");
  }
  c->node = MPI_COMM_NULL;
  adopt(c, mpi, owned);
  *comm = c;
  return HYMG_OK;
}

/* A node: ranks that can share memory. Their number is that of the ranks with local rank 0. */
hymg_status hymgi_comm_regroup(hymg_context *context, hymgi_comm *c, int group)
{
  MPI_Comm node;
  if (!c) return HYMG_OK;
  TRY(group < 0
          ? check(context,
                  MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, c->ranks.rank, MPI_INFO_NULL,
                                      &node),
                  "MPI_Comm_split_type")
          : check(context, MPI_Comm_split(c->comm, group, c->ranks.rank, &node), "MPI_Comm_split"));
  if (c->node != MPI_COMM_NULL) MPI_Comm_free(&c->node);
  c->node = node;
  MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
  MPI_Comm_rank(node, &c->ranks.local_rank);
  MPI_Comm_size(node, &c->ranks.local_size);
  const int first = c->ranks.local_rank == 0;
  return check(context, MPI_Allreduce(&first, &c->ranks.nodes, 1, MPI_INT, MPI_SUM, c->comm),
               "MPI_Allreduce");
}

bool hymgi_comm_says_cuda(void)
{
  return MPIX_Query_cuda_support && MPIX_Query_cuda_support() == 1;
}

/* MPI's text may have several lines, and the cache file separates keys from values by " = ". */
void hymgi_comm_library(char name[HYMGI_COMM_NAME])
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) text[0] = '\0';
  text[strcspn(text, "\n,=")] = '\0';
  snprintf(name, HYMGI_COMM_NAME, "%.127s", *text ? text : "MPI");
}

/* A communicator without MPI's, with room for failure messages; NULL: no memory. */
static hymgi_comm *create(size_t size)
{
  hymgi_comm *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->comm = c->node = MPI_COMM_NULL;
  c->sends = malloc(size * sizeof *c->sends);
  c->sent = calloc(2 * size, sizeof *c->sent);
  if (!c->sends || !c->sent) {
    hymgi_comm_destroy(&c);
    return NULL;
  }
  c->received = c->sent + size;
  for (size_t r = 0; r < size; r++)
    c->sends[r] = MPI_REQUEST_NULL;
  return c;
}

/* Can a communicator be made from this one? */
static bool is_usable(MPI_Comm comm)
{
  int started = 0, ended = 0, inter = 0;
  return MPI_Initialized(&started) == MPI_SUCCESS && started &&
         MPI_Finalized(&ended) == MPI_SUCCESS && !ended && comm != MPI_COMM_NULL &&
         MPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter;
}

/* Collective: the worst status of all ranks. */
static hymg_status worst_of(MPI_Comm comm, hymg_status mine)
{
  int worst = (int)mine;
  TRY(check(NULL, MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce"));
  return (hymg_status)worst;
}

/* There is no context yet that could hold an error text. Until all ranks have a communicator of
 * their own, they agree over the user's. */
hymg_status hymgi_comm_adopt(MPI_Comm user, hymg_status mine, hymgi_comm **comm)
{
  *comm = NULL;
  if (!is_usable(user)) return HYMG_EINVAL;
  MPI_Comm own = MPI_COMM_NULL;
  int size = 1;
  MPI_Comm_size(user, &size);
  hymgi_comm *c = create((size_t)size);
  if (!c && mine == HYMG_OK) mine = HYMG_ENOMEM;
  if (MPI_Comm_dup(user, &own) != MPI_SUCCESS) mine = HYMG_EMPI;
  if (c && own != MPI_COMM_NULL) adopt(c, own, true);
  hymg_status status = worst_of(user, mine);
  if (status == HYMG_OK) status = worst_of(user, hymgi_comm_regroup(NULL, c, -1));
  if (!c && own != MPI_COMM_NULL) MPI_Comm_free(&own);
  if (status != HYMG_OK || size == 1) hymgi_comm_destroy(&c);
  *comm = c;
  return status;
}

hymg_status hymgi_comm_subset(hymg_context *context, hymgi_comm *comm, int member,
                              hymgi_comm **subset)
{
  *subset = NULL;
  if (!comm) return HYMG_OK;
  int64_t members = member != 0;
  TRY(hymgi_comm_sum_int64(context, comm, &members, 1));
  if (members <= 1) return HYMG_OK;
  if (members == comm->ranks.size) return wrap(context, comm->comm, false, subset);
  MPI_Comm part;
  TRY(check(context,
            MPI_Comm_split(comm->comm, member ? 0 : MPI_UNDEFINED, comm->ranks.rank, &part),
            "MPI_Comm_split"));
  return part == MPI_COMM_NULL ? HYMG_OK : wrap(context, part, true, subset);
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
  const int error = MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, comm->comm);
  for (int i = 0; i < count; i++)
    swap_order(values + i);
  return check(context, error, "MPI_Allreduce");
}

static hymg_status reduce(hymg_context *context, hymgi_comm *comm, void *values, int count,
                          MPI_Datatype type, MPI_Op op)
{
  if (!comm) return HYMG_OK;
  return check(context, MPI_Allreduce(MPI_IN_PLACE, values, count, type, op, comm->comm),
               "MPI_Allreduce");
}

hymg_status hymgi_comm_max_int(hymg_context *context, hymgi_comm *comm, int *values, int count)
{
  return reduce(context, comm, values, count, MPI_INT, MPI_MAX);
}

hymg_status hymgi_comm_max_int64(hymg_context *context, hymgi_comm *comm, int64_t *values,
                                 int count)
{
  return reduce(context, comm, values, count, MPI_INT64_T, MPI_MAX);
}

hymg_status hymgi_comm_sum_int64(hymg_context *context, hymgi_comm *comm, int64_t *values,
                                 int count)
{
  return reduce(context, comm, values, count, MPI_INT64_T, MPI_SUM);
}

hymg_status hymgi_comm_bcast(hymg_context *context, hymgi_comm *comm, int root, void *bytes,
                             size_t size)
{
  if (!comm) return HYMG_OK;
  for (size_t at = 0; at < size;) {
    const size_t n = size - at < (size_t)1 << 30 ? size - at : (size_t)1 << 30;
    TRY(check(context, MPI_Bcast((char *)bytes + at, (int)n, MPI_BYTE, root, comm->comm),
              "MPI_Bcast"));
    at += n;
  }
  return HYMG_OK;
}

hymg_status hymgi_comm_barrier(hymg_context *context, hymgi_comm *comm)
{
  return comm ? check(context, MPI_Barrier(comm->comm), "MPI_Barrier") : HYMG_OK;
}

hymg_status hymgi_comm_gather_local(hymg_context *context, hymgi_comm *comm, const void *mine,
                                    size_t size, void *all)
{
  if (!comm || comm->node == MPI_COMM_NULL) {
    memcpy(all, mine, size);
    return HYMG_OK;
  }
  return check(context,
               MPI_Allgather(mine, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, comm->node),
               "MPI_Allgather");
}

/* ---- failure messages ---- */

void hymgi_comm_notify(hymgi_comm *comm, hymg_status status, const char *text)
{
  if (!comm || comm->alarm.status != HYMG_OK) return;
  comm->alarm.status = (int)status;
  snprintf(comm->alarm.text, sizeof comm->alarm.text, "rank %d failed: %.440s", comm->ranks.rank,
           text);
  for (int r = 0; r < comm->ranks.size; r++)
    if (r != comm->ranks.rank)
      MPI_Isend(&comm->alarm, (int)sizeof comm->alarm, MPI_BYTE, r, ALARM_TAG, comm->comm,
                &comm->sends[r]);
}

static int receive_alarm(hymgi_comm *c, int rank, alarm_message *message)
{
  c->received[rank] = 1;
  return MPI_Recv(message, (int)sizeof *message, MPI_BYTE, rank, ALARM_TAG, c->comm,
                  MPI_STATUS_IGNORE);
}

bool hymgi_comm_poll(hymgi_comm *comm, hymg_status *status, char text[HYMGI_ALARM_TEXT])
{
  int arrived = 0;
  MPI_Status from;
  alarm_message message;
  if (!comm || MPI_Iprobe(MPI_ANY_SOURCE, ALARM_TAG, comm->comm, &arrived, &from) != MPI_SUCCESS ||
      !arrived || receive_alarm(comm, from.MPI_SOURCE, &message) != MPI_SUCCESS)
    return false;
  *status = (hymg_status)message.status;
  memcpy(text, message.text, HYMGI_ALARM_TEXT);
  return true;
}

hymg_status hymgi_comm_drain(hymg_context *context, hymgi_comm *comm)
{
  if (!comm) return HYMG_OK;
  const int rank = comm->ranks.rank, size = comm->ranks.size;
  alarm_message unread;
  memset(comm->sent, 0, (size_t)size * sizeof *comm->sent);
  comm->sent[rank] = comm->alarm.status != HYMG_OK;
  TRY(hymgi_comm_max_int(context, comm, comm->sent, size));
  for (int r = 0; r < size; r++)
    if (r != rank && comm->sent[r] && !comm->received[r])
      TRY(check(context, receive_alarm(comm, r, &unread), "MPI_Recv"));
  TRY(check(context, MPI_Waitall(size, comm->sends, MPI_STATUSES_IGNORE), "MPI_Waitall"));
  comm->alarm.status = HYMG_OK;
  memset(comm->received, 0, (size_t)size * sizeof *comm->received);
  return HYMG_OK;
}

/* ---- messages ---- */

hymg_status hymgi_requests_create(hymg_context *context, int count, hymgi_requests **requests)
{
  if (count == 0) {
    *requests = NULL;
    return HYMG_OK;
  }
  hymgi_requests *r = malloc(sizeof *r + (size_t)count * sizeof r->request[0]);
  if (!r) return hymgi_fail(context, HYMG_ENOMEM, "out of memory for %d requests", count);
  r->count = 0;
  r->error = MPI_SUCCESS;
  *requests = r;
  return HYMG_OK;
}

void hymgi_requests_destroy(hymgi_requests **requests)
{
  if (!requests) return;
  free(*requests);
  *requests = NULL;
}

/* A datatype of `count` doubles, where count exceeds the int of MPI 3: whole blocks, then the
 * remainder. */
static int large_type(size_t count, MPI_Datatype *type)
{
  const size_t block = (size_t)1 << 28;
  int length[2] = {(int)(count / block), (int)(count % block)};
  MPI_Aint at[2] = {0, (MPI_Aint)(count / block * block * sizeof(double))};
  MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_DOUBLE};
  int error = MPI_Type_contiguous((int)block, MPI_DOUBLE, &types[0]);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Type_create_struct(2, length, at, types, type);
  MPI_Type_free(&types[0]);
  return error == MPI_SUCCESS ? MPI_Type_commit(type) : error;
}

hymg_status hymgi_comm_post(hymg_context *context, hymgi_requests *requests, bool sends, int rank,
                            int tag, double *data, size_t count)
{
  const bool large = count > INT_MAX;
  const int n = large ? 1 : (int)count;
  MPI_Datatype type = MPI_DOUBLE;
  MPI_Comm const comm = context->comm->comm;
  if (large) TRY(check(context, large_type(count, &type), "MPI_Type_create_struct"));
  MPI_Request *request = &requests->request[requests->count++];
  *request = MPI_REQUEST_NULL;
  const int error = sends ? MPI_Isend(data, n, type, rank, tag, comm, request)
                          : MPI_Irecv(data, n, type, rank, tag, comm, request);
  if (large) MPI_Type_free(&type); /* MPI keeps it until the message has completed */
  return check(context, error, sends ? "MPI_Isend" : "MPI_Irecv");
}

void hymgi_comm_progress(hymgi_requests *requests)
{
  if (!requests) return;
  int done;
  const int error = MPI_Testall(requests->count, requests->request, &done, MPI_STATUSES_IGNORE);
  if (requests->error == MPI_SUCCESS) requests->error = error;
}

hymg_status hymgi_comm_wait(hymg_context *context, hymgi_requests *requests)
{
  if (!requests) return HYMG_OK;
  const int seen = requests->error, count = requests->count;
  requests->error = MPI_SUCCESS;
  requests->count = 0;
  const int error = MPI_Waitall(count, requests->request, MPI_STATUSES_IGNORE);
  return check(context, error != MPI_SUCCESS ? error : seen, "MPI_Waitall");
}
