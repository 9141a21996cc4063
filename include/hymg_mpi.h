/* The public declarations that need mpi.h: a context on the user's communicator. */
#ifndef HYMG_MPI_H
#define HYMG_MPI_H

#include "hymg.h"
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over comm, which is duplicated (hymg_context_destroy frees the duplicate, before
 * MPI_Finalize). MPI must be initialised; MPI_THREAD_FUNNELED is sufficient. options may be
 * NULL. Errors: EINVAL, ENOMEM, EMPI. A library built without MPI does not have this symbol. */
HYMG_API hymg_status hymg_context_create_mpi(MPI_Comm comm, const hymg_context_options *options,
                                             hymg_context **context);
/* The same with a communicator of Fortran; no check of the header. */
HYMG_API hymg_status hymg_context_create_mpi_f(MPI_Fint comm, const hymg_context_options *options,
                                               hymg_context **context);

static inline hymg_status hymg_context_create_mpi_checked(MPI_Comm comm,
                                                          const hymg_context_options *options,
                                                          hymg_context **context)
{
  const hymg_status status = hymg_check_header();
  return status == HYMG_OK ? hymg_context_create_mpi(comm, options, context) : status;
}
#define hymg_context_create_mpi hymg_context_create_mpi_checked

#ifdef __cplusplus
}
#endif
#endif
