! What fragments of Fortran in the documentation may use (tools/check-docs).
subroutine fragment(grid, solver, rhs, solution, options)
  use hymg
  use, intrinsic :: iso_c_binding
  implicit none
  type(hymg_grid) :: grid
  type(hymg_solver) :: solver
  type(hymg_field) :: rhs, solution
  type(hymg_options) :: options
  integer(c_int) :: status
BLOCK
end subroutine
