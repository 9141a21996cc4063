! The start of test_hymg on one rank.
module start
  use hymg
  implicit none
contains
  subroutine begin()
  end subroutine
  integer(c_int) function make_context(context) result(status)
    type(hymg_context), intent(inout) :: context
    status = hymg_context_create(context)
  end function
  subroutine finish()
  end subroutine
end module start
