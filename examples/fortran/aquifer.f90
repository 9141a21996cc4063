! Groundwater in one layer: heads are given in a river and two wells, rain falls everywhere else, rock is inactive, and the
! transmissivity T varies by three orders of magnitude. What the rain brings, river and wells must take.
program aquifer
  use hymg
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_value, ieee_quiet_nan
  implicit none
  integer, parameter :: nx = 150, ny = 100
  real(c_double), parameter :: h = 10, rain = 1e-3_c_double, river = 30, well = 24 ! m, m a day, m, m
  real(c_double), dimension(nx, ny, 1) :: active, given, head, taken
  real(c_double) :: x(nx + 1, ny, 1), y(nx, ny + 1, 1), brought, used
  logical :: is_given(nx, ny, 1)
  integer :: i, j, axis
  type(hymg_grid_desc) :: map
  type(hymg_operator_desc) :: flow ! -div(T grad h) = rain
  type(hymg_options) :: options
  type(hymg_result) :: result
  type(hymg_context) :: context
  type(hymg_grid) :: grid
  type(hymg_operator) :: op
  type(hymg_solver) :: solver
  type(hymg_field) :: mask, fixed, f, u, beta(3), flux(3)
  integer(c_int), parameter :: faces(3) = [HYMG_FACE_X, HYMG_FACE_Y, HYMG_FACE_Z]

  given = ieee_value(h, ieee_quiet_nan) ! no head is given
  do concurrent (i = 1:nx, j = 1:ny)
    if (abs(i - 13 - 5 * sin(0.05_c_double * (j - 1))) < 2) given(i, j, 1) = river
    active(i, j, 1) = merge(0, 1, hypot((i - 63) / 1.6_c_double, j - 69._c_double) < 12)
  end do
  given(76, 31, 1) = well
  given(121, 71, 1) = well
  is_given = .not. ieee_is_nan(given)
  do concurrent (i = 1:nx + 1, j = 1:ny)
    x(i, j, 1) = transmissivity(i - 1._c_double, j - 0.5_c_double)
  end do
  do concurrent (i = 1:nx, j = 1:ny + 1)
    y(i, j, 1) = transmissivity(i - 0.5_c_double, j - 1._c_double)
  end do

  map%n = [nx, ny, 1]
  map%spacing = h
  map%boundary = HYMG_NEUMANN ! watersheds
  call need(hymg_context_create(context))
  call need(hymg_grid_create(context, map, grid))
  call need(hymg_field_create_in(grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, mask))
  call need(hymg_field_create_in(grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, fixed))
  call need(hymg_field_create_in(grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, f))
  call need(hymg_field_create_in(grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, u))
  do axis = 1, 3
    call need(hymg_field_create_in(grid, HYMG_HOST, faces(axis), HYMG_DOUBLE, beta(axis)))
    call need(hymg_field_create_in(grid, HYMG_HOST, faces(axis), HYMG_DOUBLE, flux(axis)))
  end do
  call need(hymg_field_write(mask, active))
  call need(hymg_field_write(fixed, given))
  call need(hymg_field_write(beta(1), x))
  call need(hymg_field_write(beta(2), y))
  call need(hymg_mask_coefficients(mask, hymg_field(), beta, hymg_field())) ! 0 on the faces of the rock
  call need(hymg_field_fill(f, rain))

  flow%beta = beta
  flow%fixed = fixed
  options%method = HYMG_MG
  options%rtol = 1e-12_c_double
  call need(hymg_operator_create(grid, flow, op))
  call need(hymg_solver_create(op, options, solver))
  call need(hymg_solve(solver, f, u, result))
  call need(hymg_fluxes(solver, u, flux))
  call need(hymg_field_read(u, head))
  call need(hymg_field_read(flux(1), x))
  call need(hymg_field_read(flux(2), y))
  taken = h * (x(:nx, :, :) - x(2:, :, :) + y(:, :ny, :) - y(:, 2:, :))
  used = sum(taken, active > 0 .and. is_given)
  brought = rain * h**2 * count(active > 0 .and. .not. is_given)
  print '(a,i0,a,f0.3,a,f0.3,a)', 'aquifer: ', result%cycles, ' cycles; rain brings ', brought, ' m^3 a day, ', used, ' are taken'
  if (.not. result%converged .or. abs(used - brought) > 1e-6_c_double * brought .or. &
      abs(minval(head, active > 0) - well) > 0) error stop 'aquifer: not as it should be'

  do axis = 1, 3
    call hymg_field_destroy(beta(axis))
    call hymg_field_destroy(flux(axis))
  end do
  call hymg_field_destroy(mask)
  call hymg_field_destroy(fixed)
  call hymg_field_destroy(f)
  call hymg_field_destroy(u)
  call hymg_solver_destroy(solver)
  call hymg_operator_destroy(op)
  call hymg_grid_destroy(grid)
  call hymg_context_destroy(context)

contains

  pure real(c_double) function transmissivity(i, j) ! m^2 a day; i, j: cells from the corner
    real(c_double), intent(in) :: i, j
    transmissivity = 30 * exp(3.4_c_double * sin(0.11_c_double * i + 1) * cos(0.07_c_double * j) * sin(0.05_c_double * (i + j)))
  end function

  subroutine need(status)
    integer(c_int), intent(in) :: status
    if (status /= HYMG_OK) error stop 'aquifer: ' // hymg_error_text(context)
  end subroutine
end program aquifer
