! The calls of hymg.h on contexts, devices, grids, fields and operators, as in C, with a type for each kind of handle; text
! from C is turned into Fortran's by hymg_text of module hymg, text to C ends with c_null_char. What hymg.h allows to be
! NULL is optional, or a handle that is null, as hymg_solver(). Module hymg wraps the names that end in _c and _unchecked.
module hymg_calls
  use hymg_types
  implicit none
  public

  interface
    type(c_ptr) function hymg_status_name(status) bind(c)
      import
      integer(c_int), value :: status
    end function
    type(c_ptr) function hymg_status_text(status) bind(c)
      import
      integer(c_int), value :: status
    end function
    type(c_ptr) function hymg_enum_name(type, value) bind(c)
      import
      character(kind=c_char), intent(in) :: type(*)
      integer(c_int), value :: value
    end function
    logical(c_bool) function hymg_enum_value(type, name, value) bind(c)
      import
      character(kind=c_char), intent(in) :: type(*), name(*)
      integer(c_int), intent(inout) :: value
    end function
    logical(c_bool) function hymg_enum_entry(type, index, name, value) bind(c)
      import
      character(kind=c_char), intent(in) :: type(*)
      integer(c_int), value :: index
      type(c_ptr), intent(out) :: name
      integer(c_int), intent(inout) :: value
    end function
    integer(c_size_t) function hymg_struct_size(name) bind(c)
      import
      character(kind=c_char), intent(in) :: name(*)
    end function
    type(hymg_build) function hymg_build_info() bind(c)
      import
    end function
    type(hymg_context_options) function hymg_context_options_default() bind(c)
      import
    end function
    integer(c_int) function hymg_context_create_unchecked(options, context) &
        bind(c, name='hymg_context_create')
      import
      type(hymg_context_options), intent(in), optional :: options
      type(hymg_context), intent(inout) :: context
    end function
    subroutine hymg_context_destroy(context) bind(c)
      import
      type(hymg_context), intent(inout) :: context
    end subroutine
    type(c_ptr) function hymg_context_error(context) bind(c)
      import
      type(hymg_context), value :: context
    end function
    integer(c_int) function hymg_context_rank(context) bind(c)
      import
      type(hymg_context), value :: context
    end function
    integer(c_int) function hymg_context_ranks(context) bind(c)
      import
      type(hymg_context), value :: context
    end function
    integer(c_int) function hymg_context_threads(context) bind(c)
      import
      type(hymg_context), value :: context
    end function
    integer(c_int) function hymg_context_nodes(context) bind(c)
      import
      type(hymg_context), value :: context
    end function
    integer(c_int) function hymg_context_max(context, value) bind(c)
      import
      type(hymg_context), value :: context
      real(c_double), intent(inout) :: value
    end function
    integer(c_int) function hymg_context_barrier(context) bind(c)
      import
      type(hymg_context), value :: context
    end function
    integer(c_int) function hymg_device_count(context, count) bind(c)
      import
      type(hymg_context), value :: context
      integer(c_int), intent(inout) :: count
    end function
    integer(c_int) function hymg_device_get(context, ordinal, info) bind(c)
      import
      type(hymg_context), value :: context
      integer(c_int), value :: ordinal
      type(hymg_device_info), intent(inout) :: info
    end function
    type(hymg_grid_desc) function hymg_grid_desc_default() bind(c)
      import
    end function
    integer(c_int) function hymg_grid_create(context, desc, grid) bind(c)
      import
      type(hymg_context), value :: context
      type(hymg_grid_desc), intent(in) :: desc
      type(hymg_grid), intent(inout) :: grid
    end function
    subroutine hymg_grid_destroy(grid) bind(c)
      import
      type(hymg_grid), intent(inout) :: grid
    end subroutine
    integer(c_int64_t) function hymg_grid_cells(grid) bind(c)
      import
      type(hymg_grid), value :: grid
    end function
    subroutine hymg_grid_boxes(grid, boxes) bind(c)
      import
      type(hymg_grid), value :: grid
      integer(c_int), intent(out) :: boxes(3)
    end subroutine
    integer(c_int) function hymg_grid_num_local(grid) bind(c)
      import
      type(hymg_grid), value :: grid
    end function
    subroutine hymg_grid_local(grid, index, low, count) bind(c)
      import
      type(hymg_grid), value :: grid
      integer(c_int), value :: index
      integer(c_int), intent(out) :: low(3), count(3)
    end subroutine
    integer(c_int) function hymg_field_create(grid, solver, centering, precision, field) bind(c)
      import
      type(hymg_grid), value :: grid
      type(hymg_solver), value :: solver
      integer(c_int), value :: centering, precision
      type(hymg_field), intent(inout) :: field
    end function
    integer(c_int) function hymg_field_create_in(grid, space, centering, precision, field) bind(c)
      import
      type(hymg_grid), value :: grid
      integer(c_int), value :: space, centering, precision
      type(hymg_field), intent(inout) :: field
    end function
    integer(c_int) function hymg_field_create_on_level(solver, level, field) bind(c)
      import
      type(hymg_solver), value :: solver
      integer(c_int), value :: level
      type(hymg_field), intent(inout) :: field
    end function
    integer(c_int) function hymg_field_wrap_c(grid, space, centering, precision, low, count, &
        stride, data, field) bind(c, name='hymg_field_wrap')
      import
      type(hymg_grid), value :: grid
      type(c_ptr), value :: data
      integer(c_int), value :: space, centering, precision
      integer(c_int), intent(in) :: low(3), count(3)
      integer(c_ptrdiff_t), intent(in) :: stride(3)
      type(hymg_field), intent(inout) :: field
    end function
    subroutine hymg_field_destroy(field) bind(c)
      import
      type(hymg_field), intent(inout) :: field
    end subroutine
    integer(c_int) function hymg_field_write_c(field, low, count, stride, data, space) &
        bind(c, name='hymg_field_write')
      import
      type(hymg_field), value :: field
      type(c_ptr), value :: data
      integer(c_int), intent(in) :: low(3), count(3)
      integer(c_ptrdiff_t), intent(in) :: stride(3)
      integer(c_int), value :: space
    end function
    integer(c_int) function hymg_field_read_c(field, low, count, stride, data, space) &
        bind(c, name='hymg_field_read')
      import
      type(hymg_field), value :: field
      type(c_ptr), value :: data
      integer(c_int), intent(in) :: low(3), count(3)
      integer(c_ptrdiff_t), intent(in) :: stride(3)
      integer(c_int), value :: space
    end function
    integer(c_int) function hymg_field_write_own_c(field, low, count, stride, data, space) &
        bind(c, name='hymg_field_write_own')
      import
      type(hymg_field), value :: field
      type(c_ptr), value :: data
      integer(c_int), intent(in) :: low(3), count(3)
      integer(c_ptrdiff_t), intent(in) :: stride(3)
      integer(c_int), value :: space
    end function
    integer(c_int) function hymg_field_read_own_c(field, low, count, stride, data, space) &
        bind(c, name='hymg_field_read_own')
      import
      type(hymg_field), value :: field
      type(c_ptr), value :: data
      integer(c_int), intent(in) :: low(3), count(3)
      integer(c_ptrdiff_t), intent(in) :: stride(3)
      integer(c_int), value :: space
    end function
    integer(c_int) function hymg_field_fill(field, value) bind(c)
      import
      type(hymg_field), value :: field
      real(c_double), value :: value
    end function
    integer(c_int) function hymg_field_put_c(field, count, cell, value) bind(c, name='hymg_field_put')
      import
      type(hymg_field), value :: field
      integer(c_int64_t), value :: count
      integer(c_int), intent(in) :: cell(3, *)
      real(c_double), intent(in) :: value(*)
    end function
    integer(c_int) function hymg_field_axpy(a, x, y) bind(c)
      import
      real(c_double), value :: a
      type(hymg_field), value :: x, y
    end function
    integer(c_int) function hymg_field_scale(a, x) bind(c)
      import
      real(c_double), value :: a
      type(hymg_field), value :: x
    end function
    integer(c_int) function hymg_field_copy(x, y) bind(c)
      import
      type(hymg_field), value :: x, y
    end function
    integer(c_int) function hymg_field_max(x, max) bind(c)
      import
      type(hymg_field), value :: x
      real(c_double), intent(inout) :: max
    end function
    integer(c_int) function hymg_field_rms(x, rms) bind(c)
      import
      type(hymg_field), value :: x
      real(c_double), intent(inout) :: rms
    end function
    integer(c_int) function hymg_field_mean(x, mean) bind(c)
      import
      type(hymg_field), value :: x
      real(c_double), intent(inout) :: mean
    end function
    integer(c_int) function hymg_field_dot(x, y, dot) bind(c)
      import
      type(hymg_field), value :: x, y
      real(c_double), intent(inout) :: dot
    end function
    integer(c_int) function hymg_field_remove_mean(x) bind(c)
      import
      type(hymg_field), value :: x
    end function
    ! name and file end with c_null_char; name: c_loc of each.
    integer(c_int) function hymg_field_save(field, file) bind(c)
      import
      type(hymg_field), value :: field
      character(kind=c_char), intent(in) :: file(*)
    end function
    integer(c_int) function hymg_fields_save(count, field, name, file) bind(c)
      import
      integer(c_int), value :: count
      type(hymg_field), intent(in) :: field(*)
      type(c_ptr), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: file(*)
    end function
    integer(c_int) function hymg_grid_measure(grid, volume, area, distance) bind(c)
      import
      type(hymg_grid), value :: grid
      type(hymg_field), value :: volume
      type(hymg_field), intent(in) :: area(3), distance(3)
    end function
    integer(c_int) function hymg_mask_coefficients(active, alpha, beta, weight) bind(c)
      import
      type(hymg_field), value :: active, alpha, weight
      type(hymg_field), intent(in) :: beta(3)
    end function
    type(hymg_body) function hymg_body_default() bind(c)
      import
    end function
    integer(c_int) function hymg_body_fractions_c(low, count, stride, distance, volume, area) &
        bind(c, name='hymg_body_fractions')
      import
      integer(c_int), intent(in) :: low(3), count(3)
      integer(c_ptrdiff_t), intent(in) :: stride(3)
      type(c_ptr), value :: distance
      type(hymg_field), value :: volume
      type(hymg_field), intent(in) :: area(3)
    end function
    integer(c_int) function hymg_body_coefficients(body, a, b, alpha, beta, weight, source) bind(c)
      import
      type(hymg_body), intent(in) :: body
      real(c_double), value :: a, b
      type(hymg_field), value :: alpha, weight, source
      type(hymg_field), intent(in) :: beta(3)
    end function
    integer(c_int) function hymg_body_rhs(weight, source, f) bind(c)
      import
      type(hymg_field), value :: weight, source, f
    end function
    type(hymg_operator_desc) function hymg_operator_desc_default() bind(c)
      import
    end function
    integer(c_int) function hymg_operator_create(grid, desc, op) bind(c)
      import
      type(hymg_grid), value :: grid
      type(hymg_operator_desc), intent(in) :: desc
      type(hymg_operator), intent(inout) :: op
    end function
    integer(c_int) function hymg_operator_get(op, desc) bind(c)
      import
      type(hymg_operator), value :: op
      type(hymg_operator_desc), intent(inout) :: desc
    end function
    integer(c_int) function hymg_operator_set(op, desc) bind(c)
      import
      type(hymg_operator), value :: op
      type(hymg_operator_desc), intent(in) :: desc
    end function
    subroutine hymg_operator_destroy(op) bind(c)
      import
      type(hymg_operator), intent(inout) :: op
    end subroutine
  end interface
end module hymg_calls
