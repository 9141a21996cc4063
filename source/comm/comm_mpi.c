/* The communicator with MPI 3. Every call uses a duplicate of the user's communicator with
 * MPI_ERRORS_RETURN; a communicator of one rank is NULL, so that it makes no MPI calls. */
#include "comm/comm_mpi.h"
#include "comm/context.h"

#include <limits.h>
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
  int rank, size, nodes;
  MPI_Comm node; /* MPI_COMM_NULL in a level's communicator */
  int local_rank, local_size;
  alarm_message alarm; /* what this rank sent; status OK: nothing */
  MPI_Request *sends;  /* its sends, by rank; NULL until the first message is sent or received */
  bool *received;      /* by rank: received since the last drain */
};

/* Missing in some MPI libraries, or in their mpi.h. */
extern int MPIX_Query_cuda_support(void) __attribute__((weak));

struct hymgi_requests {
  int count;
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

int hymgi_comm_rank(const hymgi_comm *comm)
{
  return comm ? comm->rank : 0;
}

int hymgi_comm_size(const hymgi_comm *comm)
{
  return comm ? comm->size : 1;
}

int hymgi_comm_nodes(const hymgi_comm *comm)
{
  return comm ? comm->nodes : 1;
}

void hymgi_comm_destroy(hymgi_comm **comm)
{
  if (!comm || !*comm) return;
  int finalized = 0;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS) finalized = 1;
  if (!finalized && (*comm)->node != MPI_COMM_NULL) MPI_Comm_free(&(*comm)->node);
  if (!finalized && (*comm)->owned) MPI_Comm_free(&(*comm)->comm);
  free((*comm)->sends);
  free((*comm)->received);
  free(*comm);
  *comm = NULL;
}

/* Takes ownership of mpi, also on failure. */
static hymg_status wrap(hymg_context *context, MPI_Comm mpi, bool owned, hymgi_comm **comm)
{
  hymgi_comm *c = calloc(1, sizeof *c);
  if (!c) {
    if (owned) MPI_Comm_free(&mpi);
    return hymgi_fail(context, HYMG_ENOMEM, "out of memory for a communicator");
  }
  *c =
      (hymgi_comm){.comm = mpi, .owned = owned, .nodes = 1, .node = MPI_COMM_NULL, .local_size = 1};
  MPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN);
  MPI_Comm_rank(mpi, &c->rank);
  MPI_Comm_size(mpi, &c->size);
  *comm = c;
  return HYMG_OK;
}

int hymgi_comm_local_rank(const hymgi_comm *comm)
{
  return comm ? comm->local_rank : 0;
}

int hymgi_comm_local_size(const hymgi_comm *comm)
{
  return comm ? comm->local_size : 1;
}

/* Takes ownership of node. The number of nodes is the number of ranks with local rank 0. */
static hymg_status set_node(hymg_context *context, hymgi_comm *c, MPI_Comm node)
{
  if (c->node != MPI_COMM_NULL) MPI_Comm_free(&c->node);
  c->node = node;
  MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
  MPI_Comm_rank(node, &c->local_rank);
  MPI_Comm_size(node, &c->local_size);
  const int first = c->local_rank == 0;
  return check(context, MPI_Allreduce(&first, &c->nodes, 1, MPI_INT, MPI_SUM, c->comm),
               "MPI_Allreduce");
}

/* A node: ranks that can share memory. */
static hymg_status find_node(hymgi_comm *c)
{
  MPI_Comm node;
  TRY(check(NULL, MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, c->rank, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type"));
  return set_node(NULL, c, node);
}

hymg_status hymgi_comm_regroup(hymg_context *context, hymgi_comm *comm, int group)
{
  MPI_Comm node;
  if (!comm) return HYMG_OK;
  TRY(check(context, MPI_Comm_split(comm->comm, group, comm->rank, &node), "MPI_Comm_split"));
  return set_node(context, comm, node);
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

/* Can a communicator be made from this one? There is no context yet that could hold an error
 * text. */
static hymg_status check_user(MPI_Comm comm)
{
  int yes = 0, inter = 0;
  if (MPI_Initialized(&yes) != MPI_SUCCESS || !yes)
    return hymgi_fail(NULL, HYMG_EINVAL, "MPI is not initialised");
  if (MPI_Finalized(&yes) != MPI_SUCCESS || yes)
    return hymgi_fail(NULL, HYMG_EINVAL, "MPI is finalised already");
  if (comm == MPI_COMM_NULL)
    return hymgi_fail(NULL, HYMG_EINVAL, "the communicator is MPI_COMM_NULL");
  if (MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter)
    return hymgi_fail(NULL, HYMG_EINVAL, "the communicator is an intercommunicator");
  return HYMG_OK;
}

hymg_status hymgi_comm_adopt(MPI_Comm user, hymg_status mine, hymgi_comm **comm)
{
  TRY(check_user(user));
  MPI_Comm own;
  TRY(check(NULL, MPI_Comm_dup(user, &own), "MPI_Comm_dup"));
  hymgi_comm *c = NULL;
  TRY(wrap(NULL, own, true, &c));
  int worst = (int)mine;
  hymg_status status = hymgi_comm_max_int(NULL, c, &worst, 1);
  if (status == HYMG_OK) status = (hymg_status)worst;
  if (status == HYMG_OK) status = find_node(c);
  if (status != HYMG_OK || c->size == 1) hymgi_comm_destroy(&c);
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
  if (members == comm->size) return wrap(context, comm->comm, false, subset);
  MPI_Comm part;
  TRY(check(context, MPI_Comm_split(comm->comm, member ? 0 : MPI_UNDEFINED, comm->rank, &part),
            "MPI_Comm_split"));
  return part == MPI_COMM_NULL ? HYMG_OK : wrap(context, part, true, subset);
}

/* Maps doubles to integers of the same order: the bits of a negative number, except its sign,
 * are flipped. NaN becomes the largest. */
static int64_t key_of(double value)
{
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) return INT64_MAX;
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

static double value_of(int64_t key)
{
  const int64_t bits = key < 0 ? key ^ INT64_MAX : key;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

hymg_status hymgi_comm_max_double(hymg_context *context, hymgi_comm *comm, double *values,
                                  int count)
{
  enum { CHUNK = 64 };
  if (!comm) return HYMG_OK;
  for (int first = 0; first < count; first += CHUNK) {
    const int n = count - first < CHUNK ? count - first : CHUNK;
    int64_t key[CHUNK];
    for (int i = 0; i < n; i++)
      key[i] = key_of(values[first + i]);
    TRY(check(context, MPI_Allreduce(MPI_IN_PLACE, key, n, MPI_INT64_T, MPI_MAX, comm->comm),
              "MPI_Allreduce"));
    for (int i = 0; i < n; i++)
      values[first + i] = value_of(key[i]);
  }
  return HYMG_OK;
}

hymg_status hymgi_comm_max_int(hymg_context *context, hymgi_comm *comm, int *values, int count)
{
  if (!comm) return HYMG_OK;
  return check(context, MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT, MPI_MAX, comm->comm),
               "MPI_Allreduce");
}

hymg_status hymgi_comm_sum_int64(hymg_context *context, hymgi_comm *comm, int64_t *values,
                                 int count)
{
  if (!comm) return HYMG_OK;
  return check(context,
               MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_SUM, comm->comm),
               "MPI_Allreduce");
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

/* Without memory for them no rank is notified: the others time out. */
static bool has_alarms(hymgi_comm *c)
{
  if (!c->received) c->received = calloc((size_t)c->size, sizeof *c->received);
  if (!c->sends && (c->sends = malloc((size_t)c->size * sizeof *c->sends)))
    for (int r = 0; r < c->size; r++)
      c->sends[r] = MPI_REQUEST_NULL;
  return c->received && c->sends;
}

void hymgi_comm_notify(hymgi_comm *comm, hymg_status status, const char *text)
{
  if (!comm || comm->alarm.status != HYMG_OK || !has_alarms(comm)) return;
  comm->alarm.status = (int)status;
  snprintf(comm->alarm.text, sizeof comm->alarm.text, "rank %d failed: %.440s", comm->rank, text);
  for (int r = 0; r < comm->size; r++)
    if (r != comm->rank)
      MPI_Isend(&comm->alarm, (int)sizeof comm->alarm, MPI_BYTE, r, ALARM_TAG, comm->comm,
                &comm->sends[r]);
}

static int receive_alarm(hymgi_comm *c, int rank, alarm_message *message)
{
  c->received[rank] = true;
  return MPI_Recv(message, (int)sizeof *message, MPI_BYTE, rank, ALARM_TAG, c->comm,
                  MPI_STATUS_IGNORE);
}

bool hymgi_comm_poll(hymgi_comm *comm, hymg_status *status, char text[HYMGI_ALARM_TEXT])
{
  int arrived = 0;
  MPI_Status from;
  alarm_message message;
  if (!comm || MPI_Iprobe(MPI_ANY_SOURCE, ALARM_TAG, comm->comm, &arrived, &from) != MPI_SUCCESS ||
      !arrived || !has_alarms(comm) ||
      receive_alarm(comm, from.MPI_SOURCE, &message) != MPI_SUCCESS)
    return false;
  *status = (hymg_status)message.status;
  memcpy(text, message.text, HYMGI_ALARM_TEXT);
  return true;
}

hymg_status hymgi_comm_drain(hymg_context *context, hymgi_comm *comm)
{
  if (!comm) return HYMG_OK;
  int *notified = calloc((size_t)comm->size, sizeof *notified);
  alarm_message unread;
  int lacking = !notified || !has_alarms(comm), error = MPI_SUCCESS;
  hymg_status status = hymgi_comm_max_int(context, comm, &lacking, 1);
  if (status == HYMG_OK && lacking)
    status = hymgi_fail(context, HYMG_ENOMEM, "out of memory for alarms of %d ranks", comm->size);
  if (status == HYMG_OK) {
    notified[comm->rank] = comm->alarm.status != HYMG_OK;
    status = hymgi_comm_max_int(context, comm, notified, comm->size);
  }
  for (int r = 0; status == HYMG_OK && r < comm->size; r++)
    if (r != comm->rank && notified[r] && !comm->received[r]) {
      error = receive_alarm(comm, r, &unread);
      status = check(context, error, "MPI_Recv");
    }
  free(notified);
  TRY(status);
  TRY(check(context, MPI_Waitall(comm->size, comm->sends, MPI_STATUSES_IGNORE), "MPI_Waitall"));
  comm->alarm.status = HYMG_OK;
  memset(comm->received, 0, (size_t)comm->size * sizeof *comm->received);
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
  r->count = count;
  r->error = MPI_SUCCESS;
  for (int i = 0; i < count; i++)
    r->request[i] = MPI_REQUEST_NULL;
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

/* MPI_DOUBLE with a count n, or one element of a large type, which the caller frees. */
static hymg_status type_of(hymg_context *context, size_t count, MPI_Datatype *type, int *n)
{
  *type = MPI_DOUBLE, *n = (int)count;
  if (count <= INT_MAX) return HYMG_OK;
  *n = 1;
  return check(context, large_type(count, type), "MPI_Type_create_struct");
}

hymg_status hymgi_comm_receive(hymg_context *context, hymgi_comm *comm, hymgi_requests *requests,
                               int index, int rank, int tag, double *data, size_t count)
{
  MPI_Datatype type;
  int n;
  TRY(type_of(context, count, &type, &n));
  const int error = MPI_Irecv(data, n, type, rank, tag, comm->comm, &requests->request[index]);
  if (type != MPI_DOUBLE) MPI_Type_free(&type); /* MPI keeps it until the message has completed */
  return check(context, error, "MPI_Irecv");
}

hymg_status hymgi_comm_send(hymg_context *context, hymgi_comm *comm, hymgi_requests *requests,
                            int index, int rank, int tag, const double *data, size_t count)
{
  MPI_Datatype type;
  int n;
  TRY(type_of(context, count, &type, &n));
  const int error = MPI_Isend(data, n, type, rank, tag, comm->comm, &requests->request[index]);
  if (type != MPI_DOUBLE) MPI_Type_free(&type);
  return check(context, error, "MPI_Isend");
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
  const int seen = requests->error;
  requests->error = MPI_SUCCESS;
  const int error = MPI_Waitall(requests->count, requests->request, MPI_STATUSES_IGNORE);
  return check(context, error != MPI_SUCCESS ? error : seen, "MPI_Waitall");
}
