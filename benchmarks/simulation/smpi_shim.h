/* What hymg needs beside SimGrid's SMPI (3.32); included by the compiler before every file, so that no source changes.
 * SMPI lacks MPI_Comm_idup; its MPI_Test of a null request leaves the flag alone; its MPI_Testall sleeps for each request
 * that is not complete, where messages progress by themselves; and its MPI_Iallreduce, of which there is one when a
 * context is made, takes P^3 steps on P ranks. */
#ifndef SIMULATION_SMPI_SHIM_H
#define SIMULATION_SMPI_SHIM_H

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

static inline int shim_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
  *request = MPI_REQUEST_NULL;
  return MPI_Comm_dup(comm, made);
}

static inline int shim_test(MPI_Request *request, int *done, MPI_Status *status)
{
  *done = 1;
  return *request == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Wait(request, status);
}

/* Waits where hymg waits (wait_mpi.c) and does nothing where it lets messages progress. */
static inline int shim_testall(bool waits, int count, MPI_Request *requests, int *done,
                               MPI_Status *statuses)
{
  *done = waits;
  return waits ? MPI_Waitall(count, requests, statuses) : MPI_SUCCESS;
}

static inline int shim_iallreduce(const void *in, void *out, int count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(in, out, count, type, op, comm);
}

#define MPI_Comm_idup shim_idup
#define MPI_Test      shim_test
#define MPI_Testall(count, requests, done, statuses)                                               \
  shim_testall(strstr(__FILE__, "wait_mpi") != NULL, count, requests, done, statuses)
#define MPI_Iallreduce shim_iallreduce

#endif
