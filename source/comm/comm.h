/* The few MPI operations that the library needs, behind one header; either comm_mpi.c or
 * comm_serial.c is linked. Ranks are those of the given communicator. On failure the calls
 * return HYMG_EMPI, with the text of MPI in the context: a call of MPI fails, or another rank has not
 * answered within the limit. Then the communication is lost for good, on all ranks: every later call
 * returns HYMG_EMPI with that text. */
#ifndef HYMGI_COMM_COMM_H
#define HYMGI_COMM_COMM_H

#include "base/error.h"

typedef struct hymgi_comm hymgi_comm; /* NULL: a single rank, for which every call is local */

/* Where this rank is; local: among the ranks of its node. The number of nodes is determined when
 * the context is created. */
typedef struct hymgi_ranks {
  int rank, size, nodes, local_rank, local_size;
} hymgi_ranks;

hymgi_ranks hymgi_comm_ranks(const hymgi_comm *comm);

static inline int hymgi_comm_rank(const hymgi_comm *comm)
{
  return hymgi_comm_ranks(comm).rank;
}

static inline int hymgi_comm_size(const hymgi_comm *comm)
{
  return hymgi_comm_ranks(comm).size;
}

static inline int hymgi_comm_local_rank(const hymgi_comm *comm)
{
  return hymgi_comm_ranks(comm).local_rank;
}

static inline int hymgi_comm_local_size(const hymgi_comm *comm)
{
  return hymgi_comm_ranks(comm).local_size;
}

void hymgi_comm_destroy(hymgi_comm **comm);

/* Collective over comm: the ranks with member != 0 get a communicator of their own, in rank
 * order; the others get NULL, and so does a single member. */
hymg_status hymgi_comm_subset(hymg_context *context, hymgi_comm *comm, int member,
                              hymgi_comm **subset);

/* Collective, in place, on `count` values. max_double: NaN if any rank has one (fmax would drop
 * it). */
hymg_status hymgi_comm_max_double(hymg_context *context, hymgi_comm *comm, double *values,
                                  int count);
hymg_status hymgi_comm_max_int(hymg_context *context, hymgi_comm *comm, int *values, int count);
hymg_status hymgi_comm_max_int64(hymg_context *context, hymgi_comm *comm, int64_t *values,
                                 int count);
hymg_status hymgi_comm_sum_int64(hymg_context *context, hymgi_comm *comm, int64_t *values,
                                 int count);
hymg_status hymgi_comm_bcast(hymg_context *context, hymgi_comm *comm, int root, void *bytes,
                             size_t size);
hymg_status hymgi_comm_barrier(hymg_context *context, hymgi_comm *comm);
/* Collective over the ranks of a node: the `size` bytes of every rank, in the order of local
 * ranks. */
hymg_status hymgi_comm_gather_local(hymg_context *context, hymgi_comm *comm, const void *mine,
                                    size_t size, void *all);

/* Is the communication lost? Then other ranks may still write into memory that they map, and if it is
 * stuck, MPI may still use buffers of messages that it could not cancel: neither must be released. */
bool hymgi_comm_is_lost(const hymgi_comm *comm);
bool hymgi_comm_is_stuck(const hymgi_comm *comm);

/* Failure messages: a rank that fails while others may be waiting for its GPU, and not in MPI,
 * notifies them. notify: sends the status and text to all ranks, once until the next drain.
 * poll: has a message of another rank arrived that was not read yet, or is the communication lost?
 * Then gives its status and text. drain: collective, receives what is still in flight. On the context's communicator. */
enum { HYMGI_ALARM_TEXT = 480 };
void hymgi_comm_notify(hymgi_comm *comm, hymg_status status, const char *text);
bool hymgi_comm_poll(hymgi_comm *comm, hymg_status *status, char text[HYMGI_ALARM_TEXT]);
hymg_status hymgi_comm_drain(hymg_context *context, hymgi_comm *comm);

/* Does MPI report that it accepts pointers to device memory? A no is reliable; a yes is a
 * compile-time constant of the MPI library and may be wrong. */
bool hymgi_comm_says_cuda(void);
/* Name and version of the MPI library, one line. */
enum { HYMGI_COMM_NAME = 128 };
void hymgi_comm_library(char name[HYMGI_COMM_NAME]);

/* Point-to-point messages of doubles, also with counts above 2^31 - 1, on the context's
 * communicator; up to `count` of them may be posted between two waits. */
typedef struct hymgi_requests hymgi_requests;
hymg_status hymgi_requests_create(hymg_context *context, int count, hymgi_requests **requests);
void hymgi_requests_destroy(hymgi_requests **requests);
hymg_status hymgi_comm_post(hymg_context *context, hymgi_requests *requests, bool sends, int rank,
                            int tag, double *data, size_t count);
/* Gives MPI a chance to make progress; does not block. */
void hymgi_comm_progress(hymgi_requests *requests);
hymg_status hymgi_comm_wait(hymg_context *context, hymgi_requests *requests);

#endif
