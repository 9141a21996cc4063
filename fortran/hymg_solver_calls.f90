! The calls of hymg.h on solvers and their options, as in module hymg_calls.
module hymg_solver_calls
  use hymg_types
  implicit none
  public

  interface
    type(c_ptr) function hymg_transport_name(transport) bind(c)
      import
      integer(c_int), value :: transport
    end function
    type(c_ptr) function hymg_path_name(path) bind(c)
      import
      integer(c_int), value :: path
    end function
    type(hymg_options) function hymg_options_default() bind(c)
      import
    end function
    type(hymg_options) function hymg_options_preconditioner() bind(c)
      import
    end function
    integer(c_int) function hymg_options_parse(options, text, error, size) bind(c)
      import
      type(hymg_options), intent(inout) :: options
      character(kind=c_char), intent(in) :: text(*)
      character(kind=c_char), intent(inout), optional :: error(*)
      integer(c_size_t), value :: size
    end function
    logical(c_bool) function hymg_option_get(index, info) bind(c)
      import
      integer(c_int), value :: index
      type(hymg_option_info), intent(inout) :: info
    end function
    type(c_ptr) function hymg_reason_name(reason) bind(c)
      import
      integer(c_int), value :: reason
    end function
    integer(c_int) function hymg_solver_create(op, options, solver) bind(c)
      import
      type(hymg_operator), value :: op
      type(hymg_options), intent(in), optional :: options
      type(hymg_solver), intent(inout) :: solver
    end function
    integer(c_int) function hymg_solver_update(solver) bind(c)
      import
      type(hymg_solver), value :: solver
    end function
    subroutine hymg_solver_destroy(solver) bind(c)
      import
      type(hymg_solver), intent(inout) :: solver
    end subroutine
    integer(c_int) function hymg_solve(solver, f, u, result) bind(c)
      import
      type(hymg_solver), value :: solver
      type(hymg_field), value :: f, u
      type(hymg_result), intent(inout), optional :: result
    end function
    integer(c_int) function hymg_solve_many(solver, count, f, u, results) bind(c)
      import
      type(hymg_solver), value :: solver
      integer(c_int), value :: count
      type(hymg_field), intent(in) :: f(*), u(*)
      type(hymg_result), intent(inout), optional :: results(*)
    end function
    integer(c_int) function hymg_solve_batch(count, solver, f, u, results) bind(c)
      import
      integer(c_int), value :: count
      type(hymg_solver), intent(in) :: solver(*)
      type(hymg_field), intent(in) :: f(*), u(*)
      type(hymg_result), intent(inout), optional :: results(*)
    end function
    integer(c_int) function hymg_solver_cycle(solver, kind, from_u, f, u) bind(c)
      import
      type(hymg_solver), value :: solver
      type(hymg_field), value :: f, u
      integer(c_int), value :: kind
      logical(c_bool), value :: from_u
    end function
    integer(c_int) function hymg_fluxes(solver, u, flux) bind(c)
      import
      type(hymg_solver), value :: solver
      type(hymg_field), value :: u
      type(hymg_field), intent(in) :: flux(3)
    end function
    subroutine hymg_solver_stop(solver) bind(c)
      import
      type(hymg_solver), value :: solver
    end subroutine
    integer(c_int) function hymg_solver_advice(solver, result, text, size) bind(c)
      import
      type(hymg_solver), value :: solver
      type(hymg_result), intent(in), optional :: result
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
    end function
    integer(c_int) function hymg_solver_path(solver, why) bind(c)
      import
      type(hymg_solver), value :: solver
      type(c_ptr), intent(out), optional :: why
    end function
    integer(c_int64_t) function hymg_solver_pieces(solver, singular) bind(c)
      import
      type(hymg_solver), value :: solver
      integer(c_int64_t), intent(out), optional :: singular
    end function
    integer(c_int) function hymg_solver_num_levels(solver) bind(c)
      import
      type(hymg_solver), value :: solver
    end function
    integer(c_int) function hymg_solver_level(solver, level, info) bind(c)
      import
      type(hymg_solver), value :: solver
      integer(c_int), value :: level
      type(hymg_level_info), intent(inout) :: info
    end function
    integer(c_int) function hymg_solve_on_level(solver, level, f, u, result) bind(c)
      import
      type(hymg_solver), value :: solver
      type(hymg_field), value :: f, u
      integer(c_int), value :: level
      type(hymg_result), intent(inout), optional :: result
    end function
    integer(c_int) function hymg_restrict(solver, level, fine, coarse) bind(c)
      import
      type(hymg_solver), value :: solver
      type(hymg_field), value :: fine, coarse
      integer(c_int), value :: level
    end function
    integer(c_int) function hymg_apply(solver, level, x, y) bind(c)
      import
      type(hymg_solver), value :: solver
      type(hymg_field), value :: x, y
      integer(c_int), value :: level
    end function
    integer(c_int) function hymg_residual(solver, level, f, u, r) bind(c)
      import
      type(hymg_solver), value :: solver
      type(hymg_field), value :: f, u, r
      integer(c_int), value :: level
    end function
    real(c_double) function hymg_solver_bytes_per_dof(solver) bind(c)
      import
      type(hymg_solver), value :: solver
    end function
    real(c_double) function hymg_solver_tuning_seconds(solver) bind(c)
      import
      type(hymg_solver), value :: solver
    end function
    type(c_ptr) function hymg_tuning_source_name(source) bind(c)
      import
      integer(c_int), value :: source
    end function
    integer(c_int) function hymg_solver_tuning(solver, info) bind(c)
      import
      type(hymg_solver), value :: solver
      type(hymg_tuning_info), intent(inout) :: info
    end function
    integer(c_int) function hymg_solver_transport(solver, info) bind(c)
      import
      type(hymg_solver), value :: solver
      type(hymg_transport_info), intent(inout) :: info
    end function
    integer(c_int) function hymg_probe_device_messages(context, file, works) bind(c)
      import
      type(hymg_context), value :: context
      character(kind=c_char), intent(in) :: file(*)
      logical(c_bool), intent(inout) :: works
    end function
    integer(c_int) function hymg_probe_nccl_messages(context, file, works) bind(c)
      import
      type(hymg_context), value :: context
      character(kind=c_char), intent(in) :: file(*)
      logical(c_bool), intent(inout) :: works
    end function
    integer(c_int) function hymg_solver_need(grid, desc, variable, options, need) bind(c)
      import
      type(hymg_grid), value :: grid
      type(hymg_operator_desc), intent(in) :: desc
      integer(c_int), value :: variable
      type(hymg_options), intent(in), optional :: options
      type(hymg_need), intent(inout) :: need
    end function
    subroutine hymg_solver_profile(solver, on) bind(c)
      import
      type(hymg_solver), value :: solver
      logical(c_bool), value :: on
    end subroutine
    integer(c_int) function hymg_solver_profile_rows(solver) bind(c)
      import
      type(hymg_solver), value :: solver
    end function
    integer(c_int) function hymg_solver_profile_row(solver, index, row) bind(c)
      import
      type(hymg_solver), value :: solver
      integer(c_int), value :: index
      type(hymg_profile_row), intent(inout) :: row
    end function
  end interface
end module hymg_solver_calls
