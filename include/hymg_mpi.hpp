/* hymg for C++17 on several ranks: a context on the user's communicator, as in hymg_mpi.h. */
#ifndef HYMG_MPI_HPP
#define HYMG_MPI_HPP

#include "hymg.hpp"
#include "hymg_mpi.h"

namespace hymg
{

/* Collective over comm. */
inline context mpi_context(MPI_Comm comm, const context_options &options = {})
{
  hymg_context *made = nullptr;
  check(hymg_context_create_mpi(comm, &options, &made));
  return context(made);
}

} // namespace hymg
#endif
