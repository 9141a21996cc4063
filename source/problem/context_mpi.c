/* A context with an MPI communicator. */
#include "comm/comm_mpi.h"
#include "problem/context.h"

#undef hymg_context_create_mpi /* the macro of callers, who check the header */

hymg_status hymg_context_create_mpi(MPI_Comm comm, const hymg_context_options *options,
                                    hymg_context **context)
{
  hymgi_comm *c = NULL;
  TRY(hymgi_comm_adopt(comm, context ? hymgi_context_check(options) : HYMG_EINVAL, &c));
  return hymgi_context_create(c, options, context);
}

hymg_status hymg_context_create_mpi_f(MPI_Fint comm, const hymg_context_options *options,
                                      hymg_context **context)
{
  return hymg_context_create_mpi(MPI_Comm_f2c(comm), options, context);
}
