! hymg on several ranks: a context on a communicator of Fortran. For a library built with MPI.
module hymg_mpi
  use hymg
  implicit none
  private
  public :: hymg_context_create_mpi

  interface
    integer(c_int) function context_create_mpi_f(comm, options, context) &
        bind(c, name='hymg_context_create_mpi_f')
      import
      integer(c_int), value :: comm
      type(hymg_context_options), intent(in), optional :: options
      type(hymg_context), intent(inout) :: context
    end function
  end interface

contains

  ! Collective over comm, as of module mpi (from mpi_f08: comm%mpi_val). Errors: also HYMG_EVERSION, as
  ! hymg_context_create.
  integer(c_int) function hymg_context_create_mpi(comm, context, options) result(status)
    integer, intent(in) :: comm
    type(hymg_context), intent(inout) :: context
    type(hymg_context_options), intent(in), optional :: options
    status = hymg_check_types()
    if (status == HYMG_OK) status = context_create_mpi_f(int(comm, c_int), options, context)
  end function
end module hymg_mpi
