/* Work of emulated GPUs runs where its process waits for it. A GPU also works while its process waits
 * for messages, and other ranks may wait for what it does: so do the emulated ones, in the call in
 * which the library waits. */
#include "cuda_runtime_api.h"
#include <mpi.h>

int MPI_Testall(int count, MPI_Request *requests, int *done, MPI_Status *statuses)
{
  emulation_progress();
  return PMPI_Testall(count, requests, done, statuses);
}
