! examples/poisson.c in Fortran: -div grad u = f on the unit cube, u = sin(pi x) sin(pi y) sin(pi z).
program poisson
  use hymg
  implicit none
  integer, parameter :: n = 64
  real(c_double), parameter :: pi = acos(-1._c_double)
  real(c_double), allocatable :: f(:, :, :), u(:, :, :)
  real(c_double) :: sines(n), error
  type(hymg_grid_desc) :: domain ! 64^3 cells, the unit cube
  type(hymg_operator_desc) :: laplace ! -div grad
  type(hymg_options) :: options
  type(hymg_result) :: result
  type(hymg_context) :: context
  type(hymg_grid) :: grid
  type(hymg_operator) :: op
  type(hymg_solver) :: solver
  type(hymg_field) :: rhs, solution
  integer :: i, j, k

  sines = [((cos(pi * (i - 1) / n) - cos(pi * i / n)) * n / pi, i=1, n)] ! means over cells
  allocate (f(n, n, n), u(n, n, n))
  do concurrent(i=1:n, j=1:n, k=1:n)
    f(i, j, k) = 3 * pi**2 * sines(i) * sines(j) * sines(k)
  end do

  laplace%stencil = HYMG_FV4
  options%method = HYMG_MG
  call need(hymg_context_create(context))
  call need(hymg_grid_create(context, domain, grid))
  call need(hymg_operator_create(grid, laplace, op))
  call need(hymg_solver_create(op, options, solver))
  call need(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, rhs))
  call need(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, solution))
  call need(hymg_field_write(rhs, f))
  call need(hymg_solve(solver, rhs, solution, result))
  call need(hymg_field_read(solution, u))
  error = maxval(abs(u - f / (3 * pi**2)))
  print '(a,i0,a,i0,a,es8.2)', 'poisson: ', n, '^3 cells, ', result%cycles, ' cycles, max error ', error
  if (.not. result%converged .or. error > 2._c_double / n**4) error stop 'poisson: not as good as it should be'

  deallocate (f, u)
  call hymg_field_destroy(solution)
  call hymg_field_destroy(rhs)
  call hymg_solver_destroy(solver)
  call hymg_operator_destroy(op)
  call hymg_grid_destroy(grid)
  call hymg_context_destroy(context)

contains

  subroutine need(status)
    integer(c_int), intent(in) :: status
    if (status /= HYMG_OK) error stop 'poisson: ' // hymg_error_text(context)
  end subroutine
end program poisson
