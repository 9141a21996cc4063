/* The communicator with MPI, for the files that make it up: comm_mpi.c, wait_mpi.c, reduce_mpi.c. */
#ifndef HYMGI_COMM_WAIT_MPI_H
#define HYMGI_COMM_WAIT_MPI_H

#include "comm/comm.h"
#include "hymg_mpi.h"

/* Tags of this library's own messages; those of plans count from 0, and every MPI has 32767. */
enum { HYMGI_TAG_ALARM = 32767, HYMGI_TAG_LOSS = 32766, HYMGI_TAG_REDUCE = 32765 };
enum { HYMGI_ROOM = 4096 };

/* The message by which a failed rank notifies the others: an alarm, after which all go on, or the
 * loss of the communication. */
typedef struct hymgi_notice {
  int status; /* loss: HYMG_OK if this rank has no failure of its own */
  char text[HYMGI_ALARM_TEXT];
} hymgi_notice;

struct hymgi_comm {
  hymgi_ranks ranks;
  hymgi_comm *world; /* the context's communicator, which is itself there */
  int *member;       /* the ranks of `world` that take part; NULL: all */
  /* the rest in the context's communicator alone */
  MPI_Comm comm;
  int64_t *keys;        /* by rank: of its node; only while nodes are found */
  int *local;           /* the ranks of this node */
  hymgi_notice alarm;   /* what this rank sent; status OK: nothing */
  MPI_Request *sends;   /* its sends, by rank */
  int *sent, *received; /* by rank: alarms since the last drain, sent by it, received from it */
  /* Once lost there is no more communication. stuck: MPI may still use buffers. */
  double limit; /* seconds that a wait may take; 0: any */
  bool lost, stuck;
  hymgi_notice loss;              /* what this rank has sent to all others, with these requests */
  MPI_Request *loss_sends;        /* by rank */
  int *loss_received, num_losses; /* by rank: has its notice of the loss arrived? */
  char reason[HYMGI_ALARM_TEXT];  /* of the loss, as the user reads it */
  _Alignas(int64_t) char out[HYMGI_ROOM], in[HYMGI_ROOM]; /* messages of reductions */
};

/* Ends the communication if MPI has failed: the status of `call`. */
hymg_status hymgi_comm_check(hymg_context *context, hymgi_comm *world, int error, const char *call);
/* Loses the communication and sends that to all other ranks, once. text: the failure of this rank, or
 * NULL if another one's is the cause. */
void hymgi_comm_announce(hymgi_comm *world, const char *text);
/* The same if this rank has not failed itself: collects the notices of the others and sets the reason, which
 * names the ranks that sent none. Takes a second if one is missing. */
void hymgi_comm_find_missing(hymgi_comm *world);
/* EMPI, with the reason for which the communication was lost. */
hymg_status hymgi_comm_refuse(hymg_context *context, const hymgi_comm *world);
/* The rank in the context's communicator. */
static inline int hymgi_comm_world_rank(const hymgi_comm *comm, int rank)
{
  return comm->member ? comm->member[rank] : rank;
}
/* Waits until all requests are complete, or the communication is lost: because MPI fails, another
 * rank has lost it, or the limit has passed. */
hymg_status hymgi_comm_complete(hymg_context *context, hymgi_comm *world, int count,
                                MPI_Request *request);
/* Waits a moment for requests; false: they are not complete, and the communication is stuck. */
bool hymgi_comm_wait_briefly(hymgi_comm *world, int count, MPI_Request *request);
/* Cancels requests that nobody waits for. */
void hymgi_comm_withdraw(hymgi_comm *world, int count, MPI_Request *request);
/* Receives the notices of a loss that have arrived from other ranks. */
void hymgi_comm_receive_losses(hymgi_comm *world);

#endif
