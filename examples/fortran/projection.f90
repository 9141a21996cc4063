! The pressure step of a flow solver with an obstacle: a uniform stream in a channel, with velocities on faces, is stopped at
! the cells of a ball; the gradient of a pressure makes it free of divergence again.
program projection
  use hymg
  implicit none
  integer, parameter :: n = 32, nx = 2 * n ! the channel is 2 x 1 x 1
  real(c_double), parameter :: h = 1._c_double / n
  real(c_double), dimension(nx, n, n) :: mask, source
  real(c_double) :: u(nx + 1, n, n), v(nx, n + 1, n), w(nx, n, n + 1)
  real(c_double) :: change_x(nx + 1, n, n), change_y(nx, n + 1, n), change_z(nx, n, n + 1), before, after
  integer :: i, j, k, axis
  type(hymg_grid_desc) :: channel
  type(hymg_operator_desc) :: laplace ! -div(open grad p) = -div u
  type(hymg_options) :: options
  type(hymg_result) :: result
  type(hymg_context) :: context
  type(hymg_grid) :: grid
  type(hymg_operator) :: op
  type(hymg_solver) :: solver
  type(hymg_field) :: active, f, p, open(3), gradient(3) ! gradient: minus that of p

  channel%n = [nx, n, n]
  channel%spacing = h
  channel%boundary = HYMG_NEUMANN ! given velocities: dp/dn = 0
  channel%boundary(2) = HYMG_DIRICHLET ! p = 0 at the outlet
  call need(hymg_context_create(context))
  call need(hymg_grid_create(context, channel, grid))
  call need(hymg_field_create_in(grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, active))
  call need(hymg_field_create_in(grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, f))
  call need(hymg_field_create_in(grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, p))
  do axis = 1, 3
    call need(hymg_field_create_in(grid, HYMG_HOST, faces(axis), HYMG_DOUBLE, open(axis)))
    call need(hymg_field_create_in(grid, HYMG_HOST, faces(axis), HYMG_DOUBLE, gradient(axis)))
    call need(hymg_field_fill(open(axis), 1._c_double))
  end do
  do concurrent (i = 1:nx, j = 1:n, k = 1:n)
    mask(i, j, k) = merge(1, 0, norm2([i, j, k] * h - h / 2 - [0.7_c_double, 0.5_c_double, 0.5_c_double]) > 0.2_c_double)
  end do
  call need(hymg_field_write(active, mask))
  call need(hymg_mask_coefficients(active, hymg_field(), open, hymg_field())) ! 0 on the faces of the ball

  call need(hymg_field_read(open(1), u)) ! a stream along x that the ball stops
  v = 0
  w = 0
  source = -divergence()
  before = maxval(abs(source), mask > 0)
  call need(hymg_field_write(f, source))
  laplace%beta = open
  options%method = HYMG_MG
  options%rtol = 1e-12_c_double
  call need(hymg_operator_create(grid, laplace, op))
  call need(hymg_solver_create(op, options, solver))
  call need(hymg_solve(solver, f, p, result))
  call need(hymg_fluxes(solver, p, gradient))
  call need(hymg_field_read(gradient(1), change_x))
  call need(hymg_field_read(gradient(2), change_y))
  call need(hymg_field_read(gradient(3), change_z))
  u = u + change_x
  v = v + change_y
  w = w + change_z
  after = maxval(abs(divergence()), mask > 0)
  print '(a,i0,a,f0.1,a,es7.1,a)', 'projection: ', result%cycles, ' cycles, div u ', before, ' before, ', after, ' after'
  if (.not. result%converged .or. after > 1e-8_c_double * before) error stop 'projection: not as it should be'

  do axis = 1, 3
    call hymg_field_destroy(open(axis))
    call hymg_field_destroy(gradient(axis))
  end do
  call hymg_field_destroy(active)
  call hymg_field_destroy(f)
  call hymg_field_destroy(p)
  call hymg_solver_destroy(solver)
  call hymg_operator_destroy(op)
  call hymg_grid_destroy(grid)
  call hymg_context_destroy(context)

contains

  ! Of (u, v, w) out of each cell, per volume.
  function divergence() result(d)
    real(c_double) :: d(nx, n, n)
    d = (u(2:, :, :) - u(:nx, :, :) + v(:, 2:, :) - v(:, :n, :) + w(:, :, 2:) - w(:, :, :n)) / h
  end function

  integer(c_int) function faces(axis)
    integer, intent(in) :: axis
    integer(c_int), parameter :: of(3) = [HYMG_FACE_X, HYMG_FACE_Y, HYMG_FACE_Z]
    faces = of(axis)
  end function

  subroutine need(status)
    integer(c_int), intent(in) :: status
    if (status /= HYMG_OK) error stop 'projection: ' // hymg_error_text(context)
  end subroutine
end program projection
