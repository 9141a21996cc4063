/* A communicator out of the user's. */
#ifndef HYMGI_COMM_COMM_MPI_H
#define HYMGI_COMM_COMM_MPI_H

#include "comm/comm.h"
#include "hymg_mpi.h"

/* Collective over user: a duplicate of it, NULL for a single rank. mine: what this rank has to say
 * against it; all ranks fail together, else the others would wait for this one in their next call. */
hymg_status hymgi_comm_adopt(MPI_Comm user, hymg_status mine, hymgi_comm **comm);

#endif
