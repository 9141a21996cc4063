! A plate that is heated evenly, its left and right sides at 20 and 80 degrees, the others insulated: how much heat flows
! out of each side. The plate is a plane: one cell along z, between Neumann boundaries.
program plate_fluxes
  use hymg
  implicit none
  integer, parameter :: nx = 64, ny = 48
  real(c_double), parameter :: h = 1._c_double / nx, source = 100
  real(c_double) :: qx(nx + 1, ny, 1), qy(nx, ny + 1, 1), left, right
  type(hymg_grid_desc) :: plate
  type(hymg_operator_desc) :: heat ! -div grad u
  type(hymg_options) :: options
  type(hymg_result) :: result
  type(hymg_context) :: context
  type(hymg_grid) :: grid
  type(hymg_operator) :: op
  type(hymg_solver) :: solver
  type(hymg_field) :: f, u, flux(3)

  plate%n = [nx, ny, 1]
  plate%spacing = h
  plate%boundary(3:6) = HYMG_NEUMANN ! y-, y+, z-, z+
  heat%boundary_constant(1:2) = [20, 80] ! x-, x+
  options%method = HYMG_MG
  call need(hymg_context_create(context))
  call need(hymg_grid_create(context, plate, grid))
  call need(hymg_operator_create(grid, heat, op))
  call need(hymg_solver_create(op, options, solver))
  call need(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, f))
  call need(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, u))
  call need(hymg_field_fill(f, source))
  call need(hymg_solve(solver, f, u, result))

  call need(hymg_field_create_in(grid, HYMG_HOST, HYMG_FACE_X, HYMG_DOUBLE, flux(1)))
  call need(hymg_field_create_in(grid, HYMG_HOST, HYMG_FACE_Y, HYMG_DOUBLE, flux(2)))
  call need(hymg_fluxes(solver, u, flux)) ! flux(3) is null: not wanted
  call need(hymg_field_read(flux(1), qx)) ! nx + 1 faces along x: qx(i, j, 1) is the low face of cell i
  call need(hymg_field_read(flux(2), qy))
  left = -h * sum(qx(1, :, 1)) ! out of the plate, per unit of depth
  right = h * sum(qx(nx + 1, :, 1))
  print '(a,f0.4,a,f0.4,a,f0.4)', 'fluxes: ', left, ' out on the left, ', right, ' on the right, of ', source * h**2 * nx * ny
  if (.not. result%converged .or. abs(left + right - source * h**2 * nx * ny) > 1e-4_c_double .or. &
      maxval(abs(qy(:, [1, ny + 1], 1))) > 0) error stop 'fluxes: not as they should be'

  call hymg_field_destroy(flux(1))
  call hymg_field_destroy(flux(2))
  call hymg_field_destroy(u)
  call hymg_field_destroy(f)
  call hymg_solver_destroy(solver)
  call hymg_operator_destroy(op)
  call hymg_grid_destroy(grid)
  call hymg_context_destroy(context)

contains

  subroutine need(status)
    integer(c_int), intent(in) :: status
    if (status /= HYMG_OK) error stop 'fluxes: ' // hymg_error_text(context)
  end subroutine
end program plate_fluxes
