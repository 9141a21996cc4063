! -div grad u = f on the unit cube with MPI: the program cuts the z-axis into slabs of its own, which need not be equal,
! and holds its slab with a layer of ghosts in arrays whose bounds are global indices. For 1 to 50 ranks.
! What C calls is in a module: for the address of a procedure inside another one compilers write code on the stack.
module slabs_owner
  use hymg
  implicit none
contains
  ! Slab box(3) is of the rank of the same number.
  integer(c_int) function owner(box, user) bind(c)
    integer(c_int), intent(in) :: box(3)
    type(c_ptr), value :: user
    owner = box(3)
    if (c_associated(user)) owner = -1 ! none was given
  end function
end module slabs_owner

program slabs
  use hymg
  use hymg_mpi
  use mpi
  use slabs_owner
  implicit none
  integer, parameter :: n = 50
  real(c_double), parameter :: pi = acos(-1._c_double)
  real(c_double), allocatable :: f(:, :, :), u(:, :, :)
  integer(c_int), allocatable, target :: layers(:) ! of each rank
  real(c_double) :: sines(n), error
  type(hymg_grid_desc) :: domain
  type(hymg_operator_desc) :: laplace ! -div grad, 2nd order
  type(hymg_options) :: options
  type(hymg_result) :: result
  type(hymg_context) :: context
  type(hymg_grid) :: grid
  type(hymg_operator) :: op
  type(hymg_solver) :: solver
  type(hymg_field) :: rhs, solution
  integer :: rank, ranks, first, last, code, i, j, k

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  layers = [(n * (i + 1) / ranks - n * i / ranks, i=0, ranks - 1)]
  first = sum(layers(:rank)) + 1
  last = sum(layers(:rank + 1))
  allocate (f(0:n + 1, 0:n + 1, first - 1:last + 1), u(0:n + 1, 0:n + 1, first - 1:last + 1))
  sines = [((cos(pi * (i - 1) / n) - cos(pi * i / n)) * n / pi, i=1, n)] ! means over cells
  do concurrent(i=1:n, j=1:n, k=first:last)
    f(i, j, k) = 3 * pi**2 * sines(i) * sines(j) * sines(k)
  end do

  domain%n = n
  domain%spacing = 1._c_double / n
  domain%boxes = [1, 1, ranks]
  domain%cuts(3) = c_loc(layers)
  domain%owner = c_funloc(owner)
  options%method = HYMG_MG
  code = hymg_context_create_mpi(MPI_COMM_WORLD, context)
  if (code /= HYMG_OK) error stop 'slabs: no context'
  call need(hymg_grid_create(context, domain, grid))
  call need(hymg_operator_create(grid, laplace, op))
  call need(hymg_solver_create(op, options, solver))
  call need(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, rhs))
  call need(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, solution))
  call need(hymg_field_write(rhs, f(1:n, 1:n, first:last), [1, 1, first]))
  call need(hymg_solve(solver, rhs, solution, result))
  call need(hymg_field_read(solution, u(1:n, 1:n, first:last), [1, 1, first]))
  error = maxval(abs(u(1:n, 1:n, first:last) - f(1:n, 1:n, first:last) / (3 * pi**2)))
  call need(hymg_context_max(context, error))
  if (rank == 0) print '(3(a,i0),a,es8.2)', 'slabs: ', n, '^3 cells on ', ranks, ' ranks, ', result%cycles, &
      ' iterations, max error ', error

  deallocate (f, u)
  call hymg_field_destroy(solution)
  call hymg_field_destroy(rhs)
  call hymg_solver_destroy(solver)
  call hymg_operator_destroy(op)
  call hymg_grid_destroy(grid)
  call hymg_context_destroy(context) ! before MPI_Finalize
  call MPI_Finalize(code)
  if (.not. result%converged .or. error > 1._c_double / n**2) error stop 'slabs: not as good as it should be'

contains

  subroutine need(status)
    integer(c_int), intent(in) :: status
    if (status == HYMG_OK) return
    if (rank == 0) print '(2a)', 'slabs: ', hymg_error_text(context)
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine
end program slabs
