/* The little of MPI that the library needs, behind one header; comm_mpi.c or comm_serial.c is
 * linked. Ranks are those of the communicator at hand. On failure calls return HYMG_EMPI with
 * MPI's text through the context. */
#ifndef HYMGI_COMM_COMM_H
#define HYMGI_COMM_COMM_H

#include "base/error.h"

typedef struct hymgi_comm
    hymgi_comm; /* NULL stands for one rank alone: every call on it is local */

int hymgi_comm_rank(const hymgi_comm *comm);
int hymgi_comm_size(const hymgi_comm *comm);
int hymgi_comm_nodes(const hymgi_comm *comm); /* found once, when the context is made */
/* This rank's place among the ranks of its node, and how many those are. */
int hymgi_comm_local_rank(const hymgi_comm *comm);
int hymgi_comm_local_size(const hymgi_comm *comm);
/* Collective: ranks that give the same group count as a node of their own from now on. For tests. */
hymg_status hymgi_comm_regroup(hymg_context *context, hymgi_comm *comm, int group);
void hymgi_comm_destroy(hymgi_comm **comm);

/* Collective over comm: the ranks with member != 0 get a communicator of their own in rank
 * order, the others NULL; a single member gets NULL as well. */
hymg_status hymgi_comm_subset(hymg_context *context, hymgi_comm *comm, int member,
                              hymgi_comm **subset);

/* Collective, in place, on `count` values. max_double: NaN anywhere gives NaN (fmax would lose
 * it). */
hymg_status hymgi_comm_max_double(hymg_context *context, hymgi_comm *comm, double *values,
                                  int count);
hymg_status hymgi_comm_max_int(hymg_context *context, hymgi_comm *comm, int *values, int count);
hymg_status hymgi_comm_sum_int64(hymg_context *context, hymgi_comm *comm, int64_t *values,
                                 int count);
hymg_status hymgi_comm_bcast(hymg_context *context, hymgi_comm *comm, int root, void *bytes,
                             size_t size);
hymg_status hymgi_comm_barrier(hymg_context *context, hymgi_comm *comm);
/* Collective over the ranks of a node: everyone's `size` bytes, in the order of local ranks. */
hymg_status hymgi_comm_gather_local(hymg_context *context, hymgi_comm *comm, const void *mine,
                                    size_t size, void *all);

/* A rank that has failed tells the others, which may be waiting for its GPU and not in MPI. tell: once
 * until the next calm; hear: has one that was not heard yet told? Its status and text; calm: collective,
 * no message is on its way any more. Of a context's communicator. */
enum { HYMGI_ALARM_TEXT = 480 };
void hymgi_comm_notify(hymgi_comm *comm, hymg_status status, const char *text);
bool hymgi_comm_poll(hymgi_comm *comm, hymg_status *status, char text[HYMGI_ALARM_TEXT]);
hymg_status hymgi_comm_drain(hymg_context *context, hymgi_comm *comm);

/* Does MPI say that it takes pointers to device memory? It may err: a no can be trusted, a yes is
 * a constant of the library as compiled. */
bool hymgi_comm_says_cuda(void);
/* The name and version of MPI, one line. */
enum { HYMGI_COMM_NAME = 128 };
void hymgi_comm_library(char name[HYMGI_COMM_NAME]);

/* Point to point, doubles; counts above 2^31 - 1 are handled. `requests` is an opaque block of
 * `count` requests. */
typedef struct hymgi_requests hymgi_requests;
hymg_status hymgi_requests_create(hymg_context *context, int count, hymgi_requests **requests);
void hymgi_requests_destroy(hymgi_requests **requests);
hymg_status hymgi_comm_receive(hymg_context *context, hymgi_comm *comm, hymgi_requests *requests,
                               int index, int rank, int tag, double *data, size_t count);
hymg_status hymgi_comm_send(hymg_context *context, hymgi_comm *comm, hymgi_requests *requests,
                            int index, int rank, int tag, const double *data, size_t count);
/* Lets MPI make progress without waiting. */
void hymgi_comm_progress(hymgi_requests *requests);
hymg_status hymgi_comm_wait(hymg_context *context, hymgi_requests *requests);

#endif
