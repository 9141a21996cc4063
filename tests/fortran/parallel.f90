! The start of test_hymg on several ranks.
module start
  use hymg
  use hymg_mpi
  use mpi
  implicit none
contains
  subroutine begin()
    integer :: code
    call MPI_Init(code)
  end subroutine
  integer(c_int) function make_context(context) result(status)
    type(hymg_context), intent(inout) :: context
    status = hymg_context_create_mpi(MPI_COMM_WORLD, context)
  end function
  subroutine finish()
    integer :: code
    call MPI_Finalize(code)
  end subroutine
end module start
