/* The communicator with MPI 3: making it, messages, failure messages. Every call uses a duplicate of
 * the user's communicator with MPI_ERRORS_RETURN; a communicator of one rank is NULL, so that it
 * makes no MPI calls. */
#include "comm/comm_mpi.h"
#include "comm/context.h"
#include "comm/wait_mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Missing in some MPI libraries, or in their mpi.h. */
extern int MPIX_Query_cuda_support(void) __attribute__((weak));

struct hymgi_requests {
  int count; /* posted since the last wait */
  int error; /* first failure seen by hymgi_comm_progress */
  MPI_Request request[];
};

hymgi_ranks hymgi_comm_ranks(const hymgi_comm *comm)
{
  return comm ? comm->ranks : (hymgi_ranks){.size = 1, .nodes = 1, .local_size = 1};
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

bool hymgi_comm_is_lost(const hymgi_comm *comm)
{
  return comm && comm->world->lost;
}

bool hymgi_comm_is_stuck(const hymgi_comm *comm)
{
  return comm && comm->world->stuck;
}

/* ---- making and destroying ---- */

/* Allocates a communicator; MPI's is still missing. NULL: no memory. */
static hymgi_comm *create(size_t size)
{
  hymgi_comm *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->world = c;
  c->comm = MPI_COMM_NULL;
  c->keys = malloc(size * sizeof *c->keys);
  c->sends = malloc(2 * size * sizeof *c->sends);
  c->sent = calloc(4 * size, sizeof *c->sent);
  if (!c->keys || !c->sends || !c->sent) {
    hymgi_comm_destroy(&c);
    return NULL;
  }
  c->loss_sends = c->sends + size;
  c->received = c->sent + size;
  c->loss_received = c->sent + 2 * size;
  c->local = c->sent + 3 * size;
  for (size_t r = 0; r < 2 * size; r++)
    c->sends[r] = MPI_REQUEST_NULL;
  return c;
}

/* Frees MPI's communicator, which a lost one keeps, as freeing is collective. False: MPI may still
 * use the memory of c. */
static bool release(hymgi_comm *c)
{
  int finalized = 0;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized) return true;
  if (c->stuck || c->lost)
    return !c->stuck && hymgi_comm_wait_briefly(c, c->ranks.size, c->loss_sends);
  if (c->comm != MPI_COMM_NULL) MPI_Comm_free(&c->comm);
  return true;
}

void hymgi_comm_destroy(hymgi_comm **comm)
{
  if (!comm || !*comm) return;
  hymgi_comm *const c = *comm;
  *comm = NULL;
  if (c->world == c && !release(c)) return;
  free(c->member);
  free(c->keys);
  free(c->sends);
  free(c->sent);
  free(c);
}

/* Can a communicator be made from this one? */
static bool is_usable(MPI_Comm comm)
{
  int started = 0, ended = 0, inter = 0;
  if (MPI_Initialized(&started) == MPI_SUCCESS && !started) return false;
  if (MPI_Finalized(&ended) == MPI_SUCCESS && ended) return false;
  return comm != MPI_COMM_NULL && !(MPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter);
}

/* Waits for a request on the user's communicator. False: MPI fails, or the limit has passed, so that
 * c is stuck. */
static bool finish(hymgi_comm *c, MPI_Request *request, double limit)
{
  const double start = hymgi_seconds();
  int done = 0;
  while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
    if (done) return true;
    if (limit == 0 || hymgi_seconds() - start <= limit) continue;
    if (c) c->stuck = true;
    return false;
  }
  return false;
}

/* Collective over the user's communicator: the worst status of all ranks. False: MPI fails on this
 * rank. c: may be NULL. */
static bool agree(MPI_Comm user, hymgi_comm *c, double limit, hymg_status *status)
{
  int own = (int)*status, *const worst = c ? c->sent : &own;
  MPI_Request request;
  *worst = own;
  *status = HYMG_EMPI;
  if (MPI_Iallreduce(MPI_IN_PLACE, worst, 1, MPI_INT, MPI_MAX, user, &request) != MPI_SUCCESS ||
      !finish(c, &request, limit))
    return false;
  *status = (hymg_status)*worst;
  return true;
}

/* Duplicates the user's communicator and finds the ranks of each node. agreed: false if this rank has
 * failed and the others do not know it yet; it then takes part and reports the failure. */
static hymg_status connect(MPI_Comm user, hymgi_comm *c, bool agreed)
{
  MPI_Request request;
  const bool made = MPI_Comm_idup(user, &c->comm, &request) == MPI_SUCCESS &&
                    finish(c, &request, c->limit) &&
                    MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN) == MPI_SUCCESS;
  if (c->stuck || c->comm == MPI_COMM_NULL) return HYMG_EMPI;
  hymg_status status = made && agreed ? hymgi_comm_regroup(NULL, c, -1) : HYMG_EMPI;
  if (status == HYMG_OK) status = hymgi_comm_barrier(NULL, c);
  if (status != HYMG_OK) hymgi_comm_announce(c, "it could not make a context");
  return status;
}

/* There is no context yet that could hold an error text. */
hymg_status hymgi_comm_adopt(MPI_Comm user, hymg_status mine, double limit, hymgi_comm **comm)
{
  int size = 0, rank = 0;
  *comm = NULL;
  if (!is_usable(user)) return HYMG_EINVAL;
  if (MPI_Comm_size(user, &size) != MPI_SUCCESS || MPI_Comm_rank(user, &rank) != MPI_SUCCESS)
    mine = HYMG_EMPI;
  if (size == 1) return mine;
  hymgi_comm *c = create((size_t)size + 1);
  if (!c && mine == HYMG_OK) mine = HYMG_ENOMEM;
  if (c) c->limit = limit, c->ranks.size = size, c->ranks.rank = rank;
  hymg_status status = mine;
  const bool agreed = agree(user, c, limit, &status);
  if (c && !c->stuck && (status == HYMG_OK || !agreed)) status = connect(user, c, agreed);
  if (status != HYMG_OK) hymgi_comm_destroy(&c);
  *comm = c;
  return status;
}

/* ---- groups of ranks ---- */

/* A number that only ranks of one host have in common. It includes the boot, as several hosts may have the
 * same name. MPI's own call for this could wait without a limit. */
static int64_t key_of_node(void)
{
  char text[MPI_MAX_PROCESSOR_NAME + 64] = "";
  int length = 0;
  if (MPI_Get_processor_name(text, &length) != MPI_SUCCESS) text[0] = '\0';
  FILE *const boot = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (boot && !fgets(text + strlen(text), 64, boot)) text[MPI_MAX_PROCESSOR_NAME] = '\0';
  if (boot) fclose(boot);
  uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
  for (const char *c = text; *c; c++)
    hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  return (int64_t)(hash >> 2) + 1;
}

hymg_status hymgi_comm_regroup(hymg_context *context, hymgi_comm *c, int group)
{
  if (!c) return HYMG_OK;
  const int rank = c->ranks.rank, size = c->ranks.size;
  int64_t *const key = c->keys, nodes;
  memset(key, 0, (size_t)size * sizeof *key);
  key[rank] = group < 0 ? key_of_node() : group + 1;
  TRY(hymgi_comm_max_int64(context, c, key, size));
  c->ranks.local_size = 0;
  for (int r = 0; r < size; r++) {
    if (key[r] != key[rank]) continue;
    if (r == rank) c->ranks.local_rank = c->ranks.local_size;
    c->local[c->ranks.local_size++] = r;
  }
  nodes = c->ranks.local_rank == 0;
  TRY(hymgi_comm_sum_int64(context, c, &nodes, 1));
  c->ranks.nodes = (int)nodes;
  return HYMG_OK;
}

/* Collective over comm: the members' ranks in the context's communicator, if there is a list. */
static hymg_status list_members(hymg_context *context, hymgi_comm *comm, bool member, int *list)
{
  enum { BITS = 64, WORDS = 64, STEP = BITS * WORDS };
  const int rank = comm->ranks.rank, size = comm->ranks.size;
  for (int base = 0, count = 0; base < size; base += STEP) {
    int64_t word[WORDS] = {0};
    const int own = rank - base, most = size - base < STEP ? size - base : STEP;
    if (member && own >= 0 && own < STEP) word[own / BITS] = (int64_t)(UINT64_C(1) << own % BITS);
    TRY(hymgi_comm_sum_int64(context, comm, word, (most + BITS - 1) / BITS));
    for (int m = 0; list && m < most; m++)
      if ((uint64_t)word[m / BITS] >> m % BITS & 1)
        list[count++] = hymgi_comm_world_rank(comm, base + m);
  }
  return HYMG_OK;
}

/* Collective over comm: the list of its members, if they need one. c: this member's communicator, or NULL. */
static hymg_status name_members(hymg_context *context, hymgi_comm *comm, bool member, int members,
                                hymgi_comm *c)
{
  const bool all = members == comm->ranks.size;
  const size_t bytes = (size_t)members * sizeof *c->member;
  bool named = c != NULL;
  if (!all || comm->member) {
    if (c) c->member = malloc(bytes);
    named = c && c->member;
    if (all && named) memcpy(c->member, comm->member, bytes);
    if (!all) TRY(list_members(context, comm, member, named ? c->member : NULL));
  }
  if (named || !member) return HYMG_OK;
  return hymgi_fail(context, HYMG_ENOMEM, "out of memory for a communicator");
}

hymg_status hymgi_comm_subset(hymg_context *context, hymgi_comm *comm, int member,
                              hymgi_comm **subset)
{
  *subset = NULL;
  if (!comm) return HYMG_OK;
  int64_t members = member != 0;
  TRY(hymgi_comm_sum_int64(context, comm, &members, 1));
  if (members <= 1) return HYMG_OK;
  hymgi_comm *c = member ? calloc(1, sizeof *c) : NULL;
  const hymg_status status = name_members(context, comm, member != 0, (int)members, c);
  if (status != HYMG_OK || !c) {
    if (c) free(c->member);
    free(c);
    return status;
  }
  c->world = comm->world;
  c->ranks = (hymgi_ranks){.size = (int)members, .nodes = 1, .local_size = 1};
  while (hymgi_comm_world_rank(c, c->ranks.rank) != c->world->ranks.rank)
    c->ranks.rank++;
  *subset = c;
  return HYMG_OK;
}

/* ---- failure messages ---- */

void hymgi_comm_notify(hymgi_comm *comm, hymg_status status, const char *text)
{
  if (!comm || comm->lost || comm->alarm.status != HYMG_OK) return;
  comm->alarm.status = (int)status;
  snprintf(comm->alarm.text, sizeof comm->alarm.text, "rank %d failed: %.440s", comm->ranks.rank,
           text);
  for (int r = 0; r < comm->ranks.size; r++)
    if (r != comm->ranks.rank)
      MPI_Isend(&comm->alarm, (int)sizeof comm->alarm, MPI_BYTE, r, HYMGI_TAG_ALARM, comm->comm,
                &comm->sends[r]);
}

bool hymgi_comm_poll(hymgi_comm *comm, hymg_status *status, char text[HYMGI_ALARM_TEXT])
{
  int arrived = 0;
  MPI_Status from;
  hymgi_notice message;
  if (!comm) return false;
  if (!comm->lost) hymgi_comm_receive_losses(comm);
  if (!comm->lost && comm->num_losses > 0) /* the others do not wait long for this rank's answer */
    hymgi_comm_find_missing(comm);
  if (comm->lost) {
    *status = HYMG_EMPI;
    snprintf(text, HYMGI_ALARM_TEXT, "%s", comm->reason);
    return true;
  }
  if (MPI_Iprobe(MPI_ANY_SOURCE, HYMGI_TAG_ALARM, comm->comm, &arrived, &from) != MPI_SUCCESS ||
      !arrived)
    return false;
  comm->received[from.MPI_SOURCE] = 1;
  if (MPI_Recv(&message, (int)sizeof message, MPI_BYTE, from.MPI_SOURCE, HYMGI_TAG_ALARM,
               comm->comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return false;
  *status = (hymg_status)message.status;
  memcpy(text, message.text, HYMGI_ALARM_TEXT);
  return true;
}

/* Receives an alarm that was sent and not read. */
static hymg_status skip_alarm(hymg_context *context, hymgi_comm *c, int rank)
{
  MPI_Request request = MPI_REQUEST_NULL;
  TRY(hymgi_comm_check(context, c,
                       MPI_Irecv(c->in, (int)sizeof(hymgi_notice), MPI_BYTE, rank, HYMGI_TAG_ALARM,
                                 c->comm, &request),
                       "MPI_Irecv"));
  return hymgi_comm_complete(context, c, 1, &request);
}

hymg_status hymgi_comm_drain(hymg_context *context, hymgi_comm *comm)
{
  if (!comm) return HYMG_OK;
  const int rank = comm->ranks.rank, size = comm->ranks.size;
  memset(comm->sent, 0, (size_t)size * sizeof *comm->sent);
  comm->sent[rank] = comm->alarm.status != HYMG_OK;
  TRY(hymgi_comm_max_int(context, comm, comm->sent, size));
  for (int r = 0; r < size; r++)
    if (r != rank && comm->sent[r] && !comm->received[r]) TRY(skip_alarm(context, comm, r));
  TRY(hymgi_comm_complete(context, comm, size, comm->sends));
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
  hymgi_comm *const c = context->comm;
  const bool large = count > INT_MAX;
  const int n = large ? 1 : (int)count;
  MPI_Datatype type = MPI_DOUBLE;
  if (c->lost) return hymgi_comm_refuse(context, c);
  if (large) TRY(hymgi_comm_check(context, c, large_type(count, &type), "MPI_Type_create_struct"));
  MPI_Request *request = &requests->request[requests->count++];
  *request = MPI_REQUEST_NULL;
  const int error = sends ? MPI_Isend(data, n, type, rank, tag, c->comm, request)
                          : MPI_Irecv(data, n, type, rank, tag, c->comm, request);
  if (large) MPI_Type_free(&type); /* MPI keeps it until the message has completed */
  return hymgi_comm_check(context, c, error, sends ? "MPI_Isend" : "MPI_Irecv");
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
  hymgi_comm_check(context, context->comm, seen, "MPI_Testall");
  return hymgi_comm_complete(context, context->comm, count, requests->request);
}
