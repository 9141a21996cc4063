! What C calls is in a module: for the address of a procedure inside another one compilers write code on the stack.
module callbacks
  use hymg
  implicit none
  integer :: cycles_seen = 0
contains
  logical(c_bool) function count_cycles(record, cycle, user) bind(c)
    type(hymg_cycle_record), intent(in) :: record
    integer(c_int), value :: cycle
    type(c_ptr), value :: user
    if (cycle == 0) cycles_seen = 0
    count_cycles = cycle == cycles_seen .and. record%residual_max >= 0 .and. .not. c_associated(user)
    cycles_seen = cycles_seen + 1
  end function
end module callbacks

! Module hymg: error texts, arrays of any strides and bounds against plain loops, a solve on odd sides against a 7-point
! residual computed here, a monitor in Fortran, wrapped arrays. Every rank names the whole of small grids and writes and
! reads what it holds of them. Ends with the totals.
program test_hymg
  use, intrinsic :: ieee_arithmetic
  use hymg
  use start
  use callbacks
  implicit none
  integer :: passed = 0, failed = 0
  type(hymg_context) :: context
  real(c_double) :: all_failed

  call begin()
  call random_init(.true., .false.) ! the same numbers on every rank
  call check(make_context(context) == HYMG_OK, 'a context')
  call test_errors()
  call test_arrays()
  call test_save()
  call test_solve()
  call test_fluxes()
  call test_open_boundaries()
  call test_body()
  call test_measure()
  all_failed = failed
  call check(hymg_context_max(context, all_failed) == HYMG_OK, 'max')
  if (hymg_context_rank(context) == 0) &
      print '(i0,a,i0,a)', passed, ' passed, ', int(all_failed), ' failed, 0 skipped'
  call hymg_context_destroy(context)
  call check(.not. c_associated(context%ptr), 'a destroyed handle is null')
  call finish()
  if (all_failed > 0) error stop

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) then
      passed = passed + 1
    else
      failed = failed + 1
      print '(2a)', 'not so: ', what
    end if
  end subroutine

  type(hymg_grid) function make_grid(n) result(grid)
    integer, intent(in) :: n(3)
    type(hymg_grid_desc) :: desc
    desc%n = n
    desc%spacing = 1._c_double / n
    desc%boundary(1) = HYMG_NEUMANN
    call check(hymg_grid_create(context, desc, grid) == HYMG_OK, 'a grid')
  end function

  ! The library's text names the value; that of a status is C's.
  subroutine test_errors()
    type(hymg_grid_desc) :: desc
    type(hymg_options) :: options
    type(hymg_grid) :: grid
    character(80) :: why
    desc%n(2) = -37
    call check(hymg_grid_create(context, desc, grid) == HYMG_EINVAL, 'EINVAL for -37 cells')
    call check(.not. c_associated(grid%ptr), 'no handle after a failure')
    call check(index(hymg_error_text(context), '-37') > 0, 'the text names -37')
    call check(hymg_text(hymg_status_name(HYMG_ENOMEM)) == 'HYMG_ENOMEM', 'the name of a status')
    call check(len(hymg_text(c_null_ptr)) == 0, 'no text')
    call check(hymg_options_parse(options, 'sweeps=12' // c_null_char, why, 80_c_size_t) == HYMG_OK, 'options as text')
    call check(options%sweeps == 12, 'sweeps')
    call check(hymg_options_parse(options, 'smoother=gauss' // c_null_char, why, 80_c_size_t) == HYMG_EINVAL, &
        'no gauss')
    call check(index(why, 'gauss') > 0, 'the text names gauss')
  end subroutine

  ! Written from the inside of an array with ghost layers, read back in reverse with every second entry of x, into a
  ! poisoned array.
  subroutine test_arrays()
    integer, parameter :: n(3) = [7, 4, 5]
    real(c_double) :: a(0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1), b(2 * n(1), n(2), n(3)), x
    real(c_double) :: shifted(3:5, 2:2, 4:5)
    logical :: held(n(1), n(2), n(3))
    type(hymg_grid) :: grid
    type(hymg_field) :: field
    integer :: i, low(3), count(3)
    grid = make_grid(n)
    call check(hymg_field_create(grid, hymg_solver(), HYMG_CELL, HYMG_DOUBLE, field) == HYMG_OK, 'a field')
    call random_number(a)
    b = ieee_value(x, ieee_quiet_nan)
    call check(hymg_field_write_own(field, a(1:n(1), 1:n(2), 1:n(3))) == HYMG_OK, 'write')
    call check(hymg_field_read_own(field, b(2 * n(1):2:-2, :, n(3):1:-1)) == HYMG_OK, 'read')
    held = .false.
    do i = 0, hymg_grid_num_local(grid) - 1
      call hymg_grid_local(grid, i, low, count)
      held(low(1) + 1:low(1) + count(1), low(2) + 1:low(2) + count(2), low(3) + 1:low(3) + count(3)) = .true.
    end do
    call check(all(b(2 * n(1):2:-2, :, n(3):1:-1) == a(1:n(1), 1:n(2), 1:n(3)) .or. .not. held), 'the same values')
    call check(all(ieee_is_nan(b(1::2, :, :))), 'what is between the strides is untouched')
    call check(all(ieee_is_nan(b(2 * n(1):2:-2, :, n(3):1:-1)) .neqv. held), 'so is what others hold')
    shifted = -1
    call check(hymg_field_read_own(field, shifted, lbound(shifted)) == HYMG_OK, 'read with bounds')
    call check(all(shifted == merge(a(3:5, 2:2, 4:5), -1._c_double, held(3:5, 2:2, 4:5))), 'values at the bounds')
    call check(hymg_field_put(field, reshape([4, 2, 5, 5, 2, 4], [3, 2]), [70._c_double, 80._c_double]) == HYMG_OK, &
        'two cells of a list')
    call check(hymg_field_read_own(field, shifted, lbound(shifted)) == HYMG_OK, 'read what a list has set')
    call check(shifted(4, 2, 5) == merge(70._c_double, -1._c_double, held(4, 2, 5)), 'a cell of the list')
    call check(shifted(5, 2, 4) == merge(80._c_double, -1._c_double, held(5, 2, 4)), 'another one')
    call check(hymg_field_put(field, reshape([1, 5, 1], [3, 1]), [0._c_double]) == HYMG_EINVAL, 'cell 5 of 4')
    call check(hymg_field_write_own(field, a(1:0, 1:n(2), 1:n(3))) == HYMG_OK, 'nothing to write')
    call check(hymg_field_read_own(field, shifted, [6, 2, 4]) == HYMG_EINVAL, 'cells 6 to 8 of 7')
    call hymg_field_destroy(field)
    call hymg_grid_destroy(grid)
  end subroutine

  ! What is in the files is compared elsewhere: here their size is that of two arrays of doubles and some text.
  subroutine test_save()
    integer, parameter :: n(3) = [16, 15, 14]
    character(2), target :: name(2) = ['u' // c_null_char, 'f' // c_null_char]
    character(200) :: folder, file
    type(hymg_grid) :: grid
    type(hymg_field) :: field
    integer :: bytes, unit
    grid = make_grid(n)
    call get_environment_variable('TMPDIR', folder)
    if (folder == '') folder = '/tmp'
    file = trim(folder) // '/hymg-fortran.vti' // c_null_char
    call check(hymg_field_create(grid, hymg_solver(), HYMG_CELL, HYMG_DOUBLE, field) == HYMG_OK, 'a field to save')
    call check(hymg_fields_save(2, [field, field], [c_loc(name(1)), c_loc(name(2))], file) == HYMG_OK, 'two fields saved')
    inquire (file=trim(folder) // '/hymg-fortran.vti', size=bytes)
    call check(bytes > 16 * product(n) .and. bytes < 16 * product(n) + 2000, 'the size of the file')
    call check(hymg_field_save(field, '/none/u.vti' // c_null_char) == HYMG_EIO, 'EIO for /none/u.vti')
    call check(index(hymg_error_text(context), '/none/u.vti') > 0, 'the text names the file')
    if (hymg_context_rank(context) == 0) then
      open (newunit=unit, file=trim(folder) // '/hymg-fortran.vti')
      close (unit, status='delete')
    end if
    call hymg_field_destroy(field)
    call hymg_grid_destroy(grid)
  end subroutine

  ! a u - div grad u, a = 3: Neumann on x-, Dirichlet elsewhere, linear extrapolation.
  real(c_double) function applied(u, i, j, k)
    real(c_double), intent(in) :: u(:, :, :)
    integer, intent(in) :: i, j, k
    integer :: at(3), n(3), side(3), d
    n = shape(u)
    at = [i, j, k]
    applied = 3 * u(i, j, k)
    do d = 1, 3
      side = 0
      side(d) = 1
      if (at(d) > 1) then
        applied = applied + (u(i, j, k) - u(i - side(1), j - side(2), k - side(3))) * n(d)**2
      else if (d > 1) then
        applied = applied + 2 * u(i, j, k) * n(d)**2
      end if
      if (at(d) < n(d)) then
        applied = applied + (u(i, j, k) - u(i + side(1), j + side(2), k + side(3))) * n(d)**2
      else
        applied = applied + 2 * u(i, j, k) * n(d)**2
      end if
    end do
  end function

  subroutine test_solve()
    integer, parameter :: n(3) = [9, 5, 7]
    real(c_double) :: f(n(1), n(2), n(3)), worst
    real(c_double), target :: u(n(1), n(2), n(3)), wrapped(0:n(1) + 1, n(2), n(3))
    real(c_float), target :: floats(0:n(1) + 1, 2 * n(2), n(3)), rounded(n(1), n(2), n(3))
    type(hymg_operator_desc) :: desc
    type(hymg_options) :: options
    type(hymg_result) :: result, results(2)
    type(hymg_grid) :: grid
    type(hymg_operator) :: op
    type(hymg_solver) :: solver
    type(hymg_field) :: rhs, solution, narrow
    integer :: i, j, k
    grid = make_grid(n)
    desc%extrapolation = HYMG_EXTRAPOLATION_LINEAR
    desc%a = 1
    desc%alpha_constant = 3
    options%method = HYMG_MG
    options%rtol = 1e-11_c_double
    options%monitor = c_funloc(count_cycles)
    call check(hymg_operator_create(grid, desc, op) == HYMG_OK, 'an operator')
    call check(hymg_solver_create(op, options, solver) == HYMG_OK, 'a solver')
    call check(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, rhs) == HYMG_OK, 'f')
    call check(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, solution) == HYMG_OK, 'u')
    call random_number(f)
    call check(hymg_field_write_own(rhs, f) == HYMG_OK, 'write f')
    call check(hymg_solve(solver, rhs, solution, result) == HYMG_OK, 'solve')
    call check(logical(result%converged) .and. result%reason == HYMG_REASON_TOLERANCE, 'converged')
    call check(result%cycles == cycles_seen .and. cycles_seen > 1, 'the monitor saw every cycle')
    call whole(solution, u)
    worst = 0
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          worst = max(worst, abs(f(i, j, k) - applied(u, i, j, k)))
        end do
      end do
    end do
    call check(worst < 2e-11 .and. worst > 0, 'the residual')
    call hymg_field_destroy(solution)
    wrapped = -7
    call check(hymg_field_wrap(grid, HYMG_CELL, wrapped(1:n(1), :, :), solution) == HYMG_OK, 'wrap')
    cycles_seen = 0
    call check(hymg_solve(solver, rhs, solution) == HYMG_OK, 'solve in place')
    call check(all(wrapped(1:n(1), :, :) == u .or. wrapped(1:n(1), :, :) == -7._c_double), 'the same bits')
    call check(any(wrapped(1:n(1), :, :) == u) .or. hymg_grid_num_local(grid) == 0, 'in place')
    call check(all(wrapped([0, n(1) + 1], :, :) == -7._c_double), 'ghosts untouched')
    call hymg_field_destroy(solution)
    floats = -7 ! f and u in arrays of floats, of any strides: the bits of the same f in doubles
    rounded = real(f, c_float)
    f = rounded
    call check(hymg_field_write_own(rhs, f) == HYMG_OK, 'write the rounded f')
    call check(hymg_field_wrap(grid, HYMG_CELL, wrapped(1:n(1), :, :), solution) == HYMG_OK, 'wrap again')
    call check(hymg_solve(solver, rhs, solution) == HYMG_OK, 'solve with doubles')
    call whole(solution, u)
    call hymg_field_destroy(solution)
    call check(hymg_field_wrap(grid, HYMG_CELL, floats(1:n(1), 2::2, :), solution) == HYMG_OK, 'wrap floats')
    call check(hymg_field_wrap(grid, HYMG_CELL, rounded, narrow) == HYMG_OK, 'wrap f in floats')
    call check(hymg_solve(solver, narrow, solution) == HYMG_OK, 'solve with floats')
    call check(all(floats(1:n(1), 2::2, :) == real(u, c_float) .or. floats(1:n(1), 2::2, :) == -7), 'rounded')
    call check(any(floats(1:n(1), 2::2, :) == real(u, c_float)) .or. hymg_grid_num_local(grid) == 0, 'in floats')
    call check(all(floats([0, n(1) + 1], :, :) == -7) .and. all(floats(:, 1::2, :) == -7), 'the rest untouched')
    call hymg_field_destroy(narrow)
    call hymg_field_destroy(solution)
    call check(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, solution) == HYMG_OK, 'another u')
    call check(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, narrow) == HYMG_OK, 'a second u')
    call check(hymg_solve_many(solver, 2, [rhs, rhs], [solution, narrow], results) == HYMG_OK, 'two right-hand sides')
    call check(all(results%status == HYMG_OK) .and. logical(all(results%converged)), 'both converged')
    call whole(narrow, f)
    call check(all(f == u), 'the bits of one solve')
    call check(hymg_solve_batch(2, [solver, solver], [rhs, rhs], [solution, hymg_field()], results) == HYMG_EINVAL, &
        'a batch with a null u')
    call check(results(1)%status == HYMG_OK .and. results(2)%status == HYMG_EINVAL, 'the other one is solved')
    call hymg_field_destroy(narrow)
    call hymg_field_destroy(solution)
    call hymg_field_destroy(rhs)
    call hymg_solver_destroy(solver)
    call hymg_operator_destroy(op)
    call hymg_grid_destroy(grid)
  end subroutine

  ! What flows out of a cell is the operator without its term 3 u; fluxes that are not wanted are null.
  subroutine test_fluxes()
    integer, parameter :: n(3) = [6, 5, 4]
    real(c_double) :: values(n(1), n(2), n(3)), qx(n(1) + 1, n(2), n(3)), qy(n(1), n(2) + 1, n(3)), qz(n(1), n(2), n(3) + 1)
    real(c_double) :: out, worst
    type(hymg_operator_desc) :: desc
    type(hymg_options) :: options
    type(hymg_grid) :: grid
    type(hymg_operator) :: op
    type(hymg_solver) :: solver
    type(hymg_field) :: u, flux(3), two(3)
    integer :: i, j, k, axis
    grid = make_grid(n)
    desc%extrapolation = HYMG_EXTRAPOLATION_LINEAR
    options%method = HYMG_MG
    call check(hymg_operator_create(grid, desc, op) == HYMG_OK, 'an operator with fluxes')
    call check(hymg_solver_create(op, options, solver) == HYMG_OK, 'a solver with fluxes')
    call check(hymg_field_create(grid, hymg_solver(), HYMG_CELL, HYMG_DOUBLE, u) == HYMG_OK, 'u of the fluxes')
    do axis = 1, 3
      call check(hymg_field_create_in(grid, HYMG_HOST, HYMG_CELL + axis, HYMG_DOUBLE, flux(axis)) == HYMG_OK, 'a flux')
    end do
    call random_number(values)
    call check(hymg_field_write_own(u, values) == HYMG_OK, 'write u of the fluxes')
    two = flux
    two(3) = hymg_field()
    call check(hymg_fluxes(solver, u, two) == HYMG_OK, 'two fluxes')
    call check(hymg_fluxes(solver, u, flux) == HYMG_OK, 'three fluxes')
    call whole(flux(1), qx)
    call whole(flux(2), qy)
    call whole(flux(3), qz)
    worst = 0
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          out = (qx(i + 1, j, k) - qx(i, j, k)) * n(1) + (qy(i, j + 1, k) - qy(i, j, k)) * n(2) + &
              (qz(i, j, k + 1) - qz(i, j, k)) * n(3)
          worst = max(worst, abs(out + 3 * values(i, j, k) - applied(values, i, j, k)))
        end do
      end do
    end do
    call check(worst < 1e-11 .and. all(qx(1, :, :) == 0), 'what flows out of the cells')
    do axis = 1, 3
      call hymg_field_destroy(flux(axis))
    end do
    call hymg_field_destroy(u)
    call hymg_solver_destroy(solver)
    call hymg_operator_destroy(op)
    call hymg_grid_destroy(grid)
  end subroutine

  ! A charge of 1 in open space: 1 / (4 pi r) away from it.
  subroutine test_open_boundaries()
    integer, parameter :: n = 16
    real(c_double) :: charge(n, n, n), values(n, n, n), far
    type(hymg_grid_desc) :: domain
    type(hymg_operator_desc) :: desc
    type(hymg_options) :: options
    type(hymg_result) :: result
    type(hymg_grid) :: grid, mixed
    type(hymg_operator) :: op
    type(hymg_solver) :: solver
    type(hymg_field) :: f, u
    domain%n = n
    domain%spacing = 1._c_double / n
    domain%boundary = HYMG_OPEN
    options%method = HYMG_MG
    call check(hymg_grid_create(context, domain, grid) == HYMG_OK, 'a grid with open boundaries')
    call check(hymg_operator_create(grid, desc, op) == HYMG_OK, 'its operator')
    call check(hymg_solver_create(op, options, solver) == HYMG_OK, 'its solver')
    call check(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, f) == HYMG_OK, 'f of a charge')
    call check(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, u) == HYMG_OK, 'u of a charge')
    charge = 0
    charge(9, 9, 9) = real(n, c_double)**3
    call check(hymg_field_write_own(f, charge) == HYMG_OK, 'write the charge')
    call check(hymg_solve(solver, f, u, result) == HYMG_OK, 'solve with open boundaries')
    call whole(u, values)
    far = 1 / (4 * acos(-1._c_double) * 0.5_c_double)
    call check(abs(values(1, 9, 9) - far) < 0.01_c_double * far, 'u at the low face of x')
    call check(abs(values(9, 9, 1) - far) < 0.01_c_double * far, 'u at the low face of z')
    domain%boundary(2) = HYMG_NEUMANN
    call check(hymg_grid_create(context, domain, mixed) == HYMG_EUNSUPPORTED, 'some open faces')
    call hymg_field_destroy(f)
    call hymg_field_destroy(u)
    call hymg_solver_destroy(solver)
    call hymg_operator_destroy(op)
    call hymg_grid_destroy(grid)
  end subroutine

  ! All cells of the field on every rank.
  subroutine whole(field, u)
    type(hymg_field), intent(in) :: field
    real(c_double), intent(out) :: u(:, :, :)
    integer :: i, j, k, status
    u = -huge(1._c_double)
    call check(hymg_field_read_own(field, u) == HYMG_OK, 'read u')
    do k = 1, size(u, 3)
      do j = 1, size(u, 2)
        do i = 1, size(u, 1)
          status = hymg_context_max(context, u(i, j, k))
          if (status /= HYMG_OK) error stop 'max'
        end do
      end do
    end do
  end subroutine
  ! A wall at 0.3 of the second cell along x, from distances with bounds of their own; then a mask.
  subroutine test_body()
    integer, parameter :: n(3) = [6, 5, 4]
    real(c_double) :: distance(0:n(1), 0:n(2), 0:n(3)), values(n(1), n(2), n(3)), qx(n(1) + 1, n(2), n(3))
    real(c_double) :: qy(n(1), n(2) + 1, n(3))
    type(hymg_body) :: body
    type(hymg_grid) :: grid
    type(hymg_field) :: alpha, beta(3), area(3), volume, weight, source
    integer :: i, axis
    grid = make_grid(n)
    do i = 0, n(1)
      distance(i, :, :) = (i - 1.3_c_double) / n(1)
    end do
    call check(hymg_field_create(grid, hymg_solver(), HYMG_CELL, HYMG_DOUBLE, volume) == HYMG_OK, 'volume')
    call check(hymg_field_create(grid, hymg_solver(), HYMG_CELL, HYMG_DOUBLE, alpha) == HYMG_OK, 'alpha')
    call check(hymg_field_create(grid, hymg_solver(), HYMG_CELL, HYMG_DOUBLE, weight) == HYMG_OK, 'weight')
    call check(hymg_field_create(grid, hymg_solver(), HYMG_CELL, HYMG_DOUBLE, source) == HYMG_OK, 'source')
    do axis = 1, 3
      call check(hymg_field_create(grid, hymg_solver(), axis, HYMG_DOUBLE, area(axis)) == HYMG_OK, 'area')
      call check(hymg_field_create(grid, hymg_solver(), axis, HYMG_DOUBLE, beta(axis)) == HYMG_OK, 'beta')
      call check(hymg_field_fill(beta(axis), 3._c_double) == HYMG_OK, 'beta is 3')
    end do
    call check(hymg_field_fill(alpha, 5._c_double) == HYMG_OK, 'alpha is 5')
    call check(hymg_body_fractions(distance, volume, area) == HYMG_OK, 'fractions')
    call check(hymg_body_fractions(distance(0:4, :, :), volume, area) == HYMG_EINVAL .or. hymg_context_ranks(context) > 1, &
        'vertices 0 to 4 of 6')
    body%volume = volume
    body%area = area
    body%value_constant = 2
    call check(hymg_body_coefficients(body, 1._c_double, 1._c_double, alpha, beta, weight, source) == HYMG_OK, 'a body')
    call whole(alpha, values)
    call check(all(values(1, :, :) == 0), 'alpha where all is closed')
    call check(all(abs(values(2, :, :) - 3.5_c_double) < 1e-14_c_double), 'alpha of a cut cell')
    call whole(source, values)
    call check(all(abs(values(2, :, :) - 2 * n(1)) < 1e-11_c_double), 'the flux of the body')
    qx = 3
    call check(hymg_field_read_own(beta(1), qx) == HYMG_OK, 'read beta')
    call check(all(qx(1:2, :, :) == 0 .or. qx(1:2, :, :) == 3) .and. all(qx(3:, :, :) == 3), 'faces along x')
    qy = 2.1_c_double
    call check(hymg_field_read_own(beta(2), qy) == HYMG_OK, 'read beta')
    call check(all(abs(qy(2, :, :) - 2.1_c_double) < 1e-14_c_double), 'faces of cut cells')
    call check(hymg_field_fill(source, 7._c_double) == HYMG_OK, 'f')
    call check(hymg_body_rhs(weight, hymg_field(), source) == HYMG_OK, 'a right-hand side')
    call whole(source, values)
    call check(all(abs(values(2, :, :) - 4.9_c_double) < 1e-14_c_double), 'f of a cut cell')
    call check(hymg_mask_coefficients(volume, hymg_field(), beta, weight) == HYMG_OK, 'a mask')
    call whole(weight, values)
    call check(all(values(1, :, :) == 0), 'not active')
    call check(all(values(2:, :, :) == 1), 'active')
    body%condition = HYMG_DIRICHLET
    call check(hymg_body_coefficients(body, 0._c_double, 1._c_double, alpha, beta, weight, source) == HYMG_EINVAL, 'a = 0')
    call check(index(hymg_error_text(context), 'a = 0 with a dirichlet condition') > 0, 'the text names a')
    do axis = 1, 3
      call hymg_field_destroy(area(axis))
      call hymg_field_destroy(beta(axis))
    end do
    call hymg_field_destroy(volume)
    call hymg_field_destroy(alpha)
    call hymg_field_destroy(weight)
    call hymg_field_destroy(source)
    call hymg_grid_destroy(grid)
  end subroutine

  ! A full ring of r, azimuth and z.
  subroutine test_measure()
    integer, parameter :: n(3) = [5, 4, 6]
    real(c_double) :: values(n(1), n(2), n(3))
    type(hymg_grid_desc) :: desc
    type(hymg_grid) :: grid
    type(hymg_field) :: volume, none(3)
    desc%n = n
    desc%coordinate = [HYMG_RADIUS, HYMG_AZIMUTH, HYMG_LENGTH]
    desc%origin = [1._c_double, 0._c_double, 0._c_double]
    desc%spacing = [0.5_c_double, 0.25_c_double, 2._c_double]
    desc%boundary = HYMG_DIRICHLET
    call check(hymg_grid_create(context, desc, grid) == HYMG_OK, 'a curved grid')
    call check(hymg_field_create(grid, hymg_solver(), HYMG_CELL, HYMG_DOUBLE, volume) == HYMG_OK, 'volume')
    call check(hymg_grid_measure(grid, volume, none, none) == HYMG_OK, 'measures')
    values = 2.25_c_double * 0.5_c_double * 0.25_c_double * 2
    call check(hymg_field_read_own(volume, values) == HYMG_OK, 'read volumes')
    call check(all(abs(values(3, :, :) - 2.25_c_double * 0.25_c_double) < 1e-14_c_double), 'volumes')
    call hymg_field_destroy(volume)
    desc%origin(1) = -1
    call check(hymg_grid_create(context, desc, grid) == HYMG_EINVAL, 'a negative radius')
    call hymg_grid_destroy(grid)
  end subroutine
end program test_hymg
