/* The library's communicator, made from the user's. */
#ifndef HYMGI_COMM_COMM_MPI_H
#define HYMGI_COMM_COMM_MPI_H

#include "comm/comm.h"
#include "hymg_mpi.h"

/* Collective over user: a duplicate of it, or NULL for a single rank. mine: the status of this
 * rank so far; if any rank has failed, all fail together, since the others would block in their
 * next call. limit: seconds that a wait for other ranks may take from now on; 0: any. */
hymg_status hymgi_comm_adopt(MPI_Comm user, hymg_status mine, double limit, hymgi_comm **comm);
/* Collective: ranks with the same group count as one node, for tests; group -1: those of
 * one host. */
hymg_status hymgi_comm_regroup(hymg_context *context, hymgi_comm *comm, int group);

#endif
