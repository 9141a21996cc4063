/* Makes the n-th call that the library makes of MPI fail: it returns MPI_ERR_OTHER. Calls that may
 * block, whose requests are complete, or that release something, are made nevertheless and fail
 * after that. Calls about messages of failed ranks are not counted, nor are tests that find requests
 * incomplete: their number depends on time. A program that includes this is linked with --wrap for
 * these functions (Makefile.in). */
#ifndef SUPPORT_FAULTS_MPI_H
#define SUPPORT_FAULTS_MPI_H

#include "support/faults.h"
#include <mpi.h>

static inline int faults_mpi(int error)
{
  return error == MPI_SUCCESS && faults_strike(FAULTS_MPI, 0) ? MPI_ERR_OTHER : error;
}

/* NAME(PARAMETERS) with ARGUMENTS, instead of which it fails. */
#define FAULTS_INSTEAD(name, parameters, arguments)                                                \
  int __real_##name parameters;                                                                    \
  int __wrap_##name parameters;                                                                    \
  int __wrap_##name parameters                                                                     \
  {                                                                                                \
    return faults_mpi(MPI_SUCCESS) != MPI_SUCCESS ? MPI_ERR_OTHER : __real_##name arguments;       \
  }
/* ... after which it fails. */
#define FAULTS_AFTER(name, parameters, arguments)                                                  \
  int __real_##name parameters;                                                                    \
  int __wrap_##name parameters;                                                                    \
  int __wrap_##name parameters                                                                     \
  {                                                                                                \
    return faults_mpi(__real_##name arguments);                                                    \
  }

FAULTS_INSTEAD(MPI_Isend,
               (const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request *request),
               (data, n, type, to, tag, comm, request))
FAULTS_INSTEAD(MPI_Irecv,
               (void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                MPI_Request *request),
               (data, n, type, from, tag, comm, request))
FAULTS_INSTEAD(MPI_Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))
FAULTS_INSTEAD(MPI_Comm_size, (MPI_Comm comm, int *size), (comm, size))
FAULTS_INSTEAD(MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
FAULTS_INSTEAD(MPI_Comm_test_inter, (MPI_Comm comm, int *inter), (comm, inter))
FAULTS_INSTEAD(MPI_Initialized, (int *yes), (yes))
FAULTS_INSTEAD(MPI_Finalized, (int *yes), (yes))
FAULTS_INSTEAD(MPI_Get_processor_name, (char *name, int *length), (name, length))
FAULTS_AFTER(MPI_Comm_free, (MPI_Comm * comm), (comm))

/* Completed before they fail: MPI cannot make communicators any more after a rank was missing here. */
static inline int faults_mpi_completed(int error, MPI_Request *request)
{
  if (error != MPI_SUCCESS || !faults_strike(FAULTS_MPI, 0)) return error;
  MPI_Wait(request, MPI_STATUS_IGNORE);
  return MPI_ERR_OTHER;
}

int __real_MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request);
int __wrap_MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request);
int __wrap_MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request)
{
  return faults_mpi_completed(__real_MPI_Comm_idup(comm, copy, request), request);
}

int __real_MPI_Iallreduce(const void *data, void *result, int n, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Iallreduce(const void *data, void *result, int n, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Iallreduce(const void *data, void *result, int n, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request)
{
  return faults_mpi_completed(__real_MPI_Iallreduce(data, result, n, type, op, comm, request),
                              request);
}

int __real_MPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __wrap_MPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __wrap_MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
  const int error = __real_MPI_Test(request, done, status);
  return *done ? faults_mpi(error) : error;
}

int __real_MPI_Testall(int count, MPI_Request *requests, int *done, MPI_Status *statuses);
int __wrap_MPI_Testall(int count, MPI_Request *requests, int *done, MPI_Status *statuses);
int __wrap_MPI_Testall(int count, MPI_Request *requests, int *done, MPI_Status *statuses)
{
  bool pending = false;
  for (int m = 0; m < count; m++)
    pending |= requests[m] != MPI_REQUEST_NULL;
  const int error = __real_MPI_Testall(count, requests, done, statuses);
  return *done && pending ? faults_mpi(error) : error;
}

#endif
