/* A context with an MPI communicator. */
#include "comm/comm_mpi.h"
#include "comm/context.h"
#include "multigrid/backend.h"

/* the macros of callers, who check the header */
#undef hymg_context_create
#undef hymg_context_create_mpi

/* Ranks agree on the outcome once nothing can fail any more. */
hymg_status hymg_context_create_mpi(MPI_Comm comm, const hymg_context_options *options,
                                    hymg_context **context)
{
  hymg_context *c = NULL;
  hymgi_comm *own;
  const hymg_status mine = context ? hymg_context_create(options, &c) : HYMG_EINVAL;
  const double limit =
      options ? options->wait_seconds : hymg_context_options_default().wait_seconds;
  const hymg_status status = hymgi_comm_adopt(comm, mine, limit, &own);
  if (status != HYMG_OK) {
    hymg_context_destroy(&c);
    return status;
  }
  c->comm = own;
  hymgi_context_use_threads(
      c, hymgi_backend_threads(options ? options->threads : 0, hymgi_comm_local_size(own)));
  *context = c;
  return HYMG_OK;
}

hymg_status hymg_context_create_mpi_f(MPI_Fint comm, const hymg_context_options *options,
                                      hymg_context **context)
{
  return hymg_context_create_mpi(MPI_Comm_f2c(comm), options, context);
}
