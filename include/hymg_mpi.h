/* The one public declaration that needs mpi.h: a context on the user's communicator. */
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

#ifdef __cplusplus
}
#endif
#endif
