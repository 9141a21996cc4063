! What fragments of Fortran in the documentation may use (tools/check-docs).
subroutine fragment(grid, solver, rhs, solution, options)
  use hymg
  use, intrinsic :: iso_c_binding
  implicit none
  type(c_ptr) :: grid, solver, rhs, solution
  type(hymg_options) :: options
  integer(c_int) :: status
BLOCK
end subroutine
