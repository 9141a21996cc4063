! hymg in Fortran: constants, types and calls as in hymg.h, which is the reference, and besides
!   * hymg_field_write, _read, _write_own, _read_own and _wrap also take an array of rank 3 of any strides, a(:,:,:).
!     Its extents are the brick's; `low` is the index of its first element when the grid's first cell is (1, 1, 1), and is
!     (1, 1, 1) if absent. For an array whose bounds are global indices: status = hymg_field_write(f, a, lbound(a));
!     hymg_field_wrap takes arrays of real(c_float), too;
!   * hymg_field_put also takes cell(3, :), of which (1, 1, 1) is the first cell of the grid, and value(:);
!   * hymg_body_fractions also takes distances a(:,:,:) at vertices, of which (1, 1, 1) is the low corner of cell (1, 1, 1);
!   * hymg_text and hymg_error_text give character strings;
!   * hymg_context_create has the options last, and fails with HYMG_EVERSION if this module and the library are of
!     different versions; hymg_context_create_mpi is in module hymg_mpi.
module hymg
  use hymg_types
  use hymg_calls
  use hymg_solver_calls
  implicit none
  public

  interface hymg_field_write
    procedure hymg_field_write_c, write_array
  end interface
  interface hymg_field_read
    procedure hymg_field_read_c, read_array
  end interface
  interface hymg_field_write_own
    procedure hymg_field_write_own_c, write_own_array
  end interface
  interface hymg_field_read_own
    procedure hymg_field_read_own_c, read_own_array
  end interface
  interface hymg_field_put
    procedure hymg_field_put_c, put_cells
  end interface
  interface hymg_field_wrap
    procedure hymg_field_wrap_c, wrap_array, wrap_floats
  end interface
  interface hymg_body_fractions
    procedure hymg_body_fractions_c, fractions_of_array
  end interface

  interface brick_of
    procedure brick_of_doubles, brick_of_floats
  end interface

  ! What hymg.h calls a brick and its data.
  type, private :: brick
    integer(c_int) :: low(3), count(3)
    integer(c_ptrdiff_t) :: stride(3)
    type(c_ptr) :: data
  end type

  private :: write_array, read_array, write_own_array, read_own_array, wrap_array, wrap_floats, &
    fractions_of_array, brick_of, brick_of_doubles, brick_of_floats, first_of, address

contains

  ! A copy of C's text, "" for c_null_ptr.
  function hymg_text(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: i, length
    interface
      integer(c_size_t) function strlen(s) bind(c)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: s
      end function
    end interface
    length = 0
    if (c_associated(text)) length = int(strlen(text))
    allocate (character(length) :: copy)
    if (length == 0) return
    call c_f_pointer(text, letters, [length])
    do i = 1, length
      copy(i:i) = letters(i)
    end do
  end function

  ! The text of the context's last failure.
  function hymg_error_text(context) result(text)
    type(hymg_context), intent(in) :: context
    character(:), allocatable :: text
    text = hymg_text(hymg_context_error(context))
  end function

  integer(c_int) function hymg_context_create(context, options) result(status)
    type(hymg_context), intent(inout) :: context
    type(hymg_context_options), intent(in), optional :: options
    status = hymg_check_types()
    if (status == HYMG_OK) status = hymg_context_create_unchecked(options, context)
  end function

  integer(c_int) function write_array(field, array, low) result(status)
    type(hymg_field), intent(in) :: field
    real(c_double), intent(in), target :: array(:, :, :)
    integer, intent(in), optional :: low(3)
    type(brick) :: b
    b = brick_of(array, low)
    status = hymg_field_write_c(field, b%low, b%count, b%stride, b%data, HYMG_HOST)
  end function

  integer(c_int) function read_array(field, array, low) result(status)
    type(hymg_field), intent(in) :: field
    real(c_double), intent(inout), target :: array(:, :, :)
    integer, intent(in), optional :: low(3)
    type(brick) :: b
    b = brick_of(array, low)
    status = hymg_field_read_c(field, b%low, b%count, b%stride, b%data, HYMG_HOST)
  end function

  integer(c_int) function write_own_array(field, array, low) result(status)
    type(hymg_field), intent(in) :: field
    real(c_double), intent(in), target :: array(:, :, :)
    integer, intent(in), optional :: low(3)
    type(brick) :: b
    b = brick_of(array, low)
    status = hymg_field_write_own_c(field, b%low, b%count, b%stride, b%data, HYMG_HOST)
  end function

  integer(c_int) function read_own_array(field, array, low) result(status)
    type(hymg_field), intent(in) :: field
    real(c_double), intent(inout), target :: array(:, :, :)
    integer, intent(in), optional :: low(3)
    type(brick) :: b
    b = brick_of(array, low)
    status = hymg_field_read_own_c(field, b%low, b%count, b%stride, b%data, HYMG_HOST)
  end function

  integer(c_int) function put_cells(field, cell, value) result(status)
    type(hymg_field), intent(in) :: field
    integer, intent(in) :: cell(:, :)
    real(c_double), intent(in) :: value(:)
    integer(c_int), allocatable :: zero_based(:, :)
    integer(c_int64_t) :: count
    allocate(zero_based(3, size(cell, 2)))
    zero_based = int(cell(1:3, :) - 1, c_int)
    count = min(size(cell, 2), size(value))
    status = hymg_field_put_c(field, count, zero_based, value)
  end function

  ! The array must be a pointer, or a target of the program: the field uses it after this call.
  integer(c_int) function wrap_array(grid, centering, array, field, low) result(status)
    type(hymg_grid), intent(in) :: grid
    integer(c_int), intent(in) :: centering
    real(c_double), intent(inout), target :: array(:, :, :)
    type(hymg_field), intent(inout) :: field
    integer, intent(in), optional :: low(3)
    type(brick) :: b
    b = brick_of(array, low)
    status = hymg_field_wrap_c(grid, HYMG_HOST, centering, HYMG_DOUBLE, b%low, b%count, b%stride, &
        b%data, field)
  end function

  integer(c_int) function wrap_floats(grid, centering, array, field, low) result(status)
    type(hymg_grid), intent(in) :: grid
    integer(c_int), intent(in) :: centering
    real(c_float), intent(inout), target :: array(:, :, :)
    type(hymg_field), intent(inout) :: field
    integer, intent(in), optional :: low(3)
    type(brick) :: b
    b = brick_of(array, low)
    status = hymg_field_wrap_c(grid, HYMG_HOST, centering, HYMG_FLOAT, b%low, b%count, b%stride, &
        b%data, field)
  end function

  integer(c_int) function fractions_of_array(distance, volume, area, low) result(status)
    real(c_double), intent(in), target :: distance(:, :, :)
    type(hymg_field), intent(in) :: volume, area(3)
    integer, intent(in), optional :: low(3)
    type(brick) :: b
    b = brick_of(distance, low)
    status = hymg_body_fractions_c(b%low, b%count, b%stride, b%data, volume, area)
  end function

  type(brick) function brick_of_doubles(array, low) result(b)
    real(c_double), intent(in), target :: array(:, :, :)
    integer, intent(in), optional :: low(3)
    integer(c_ptrdiff_t) :: second(3)
    integer :: d, at(3)
    b = first_of(shape(array), low)
    if (size(array) == 0) return
    b%data = c_loc(array(1, 1, 1))
    do d = 1, 3
      at = min(1 + merge(1, 0, [1, 2, 3] == d), shape(array))
      second(d) = address(c_loc(array(at(1), at(2), at(3))))
    end do
    b%stride = (second - address(b%data)) / int(c_sizeof(1._c_double), c_ptrdiff_t)
  end function

  type(brick) function brick_of_floats(array, low) result(b)
    real(c_float), intent(in), target :: array(:, :, :)
    integer, intent(in), optional :: low(3)
    integer(c_ptrdiff_t) :: second(3)
    integer :: d, at(3)
    b = first_of(shape(array), low)
    if (size(array) == 0) return
    b%data = c_loc(array(1, 1, 1))
    do d = 1, 3
      at = min(1 + merge(1, 0, [1, 2, 3] == d), shape(array))
      second(d) = address(c_loc(array(at(1), at(2), at(3))))
    end do
    b%stride = (second - address(b%data)) / int(c_sizeof(1._c_float), c_ptrdiff_t)
  end function

  ! All but strides and data.
  type(brick) function first_of(count, low) result(b)
    integer, intent(in) :: count(3)
    integer, intent(in), optional :: low(3)
    b%low = 0
    if (present(low)) b%low = int(low - 1, c_int)
    b%count = int(count, c_int)
    b%stride = 0
    b%data = c_null_ptr
  end function

  integer(c_ptrdiff_t) function address(data)
    type(c_ptr), intent(in) :: data
    address = transfer(data, address)
  end function

  ! HYMG_OK, or HYMG_EVERSION if a type has another size in the library.
  integer(c_int) function hymg_check_types() result(status)
    type(hymg_build) :: build
    type(hymg_context_options) :: context_options
    type(hymg_device_info) :: device_info
    type(hymg_grid_desc) :: grid_desc
    type(hymg_body) :: body
    type(hymg_operator_desc) :: operator_desc
    type(hymg_options) :: options
    type(hymg_option_info) :: option_info
    type(hymg_cycle_record) :: cycle_record
    type(hymg_transport_info) :: transport_info
    type(hymg_result) :: result
    type(hymg_level_info) :: level_info
    type(hymg_tuning_info) :: tuning_info
    type(hymg_level_need) :: level_need
    type(hymg_need) :: need
    type(hymg_profile_row) :: profile_row
    logical :: same
    same = .true.
    call compare('hymg_build', c_sizeof(build))
    call compare('hymg_context_options', c_sizeof(context_options))
    call compare('hymg_device_info', c_sizeof(device_info))
    call compare('hymg_grid_desc', c_sizeof(grid_desc))
    call compare('hymg_body', c_sizeof(body))
    call compare('hymg_operator_desc', c_sizeof(operator_desc))
    call compare('hymg_options', c_sizeof(options))
    call compare('hymg_option_info', c_sizeof(option_info))
    call compare('hymg_cycle_record', c_sizeof(cycle_record))
    call compare('hymg_transport_info', c_sizeof(transport_info))
    call compare('hymg_result', c_sizeof(result))
    call compare('hymg_level_info', c_sizeof(level_info))
    call compare('hymg_tuning_info', c_sizeof(tuning_info))
    call compare('hymg_level_need', c_sizeof(level_need))
    call compare('hymg_need', c_sizeof(need))
    call compare('hymg_profile_row', c_sizeof(profile_row))
    status = merge(HYMG_OK, HYMG_EVERSION, same)

  contains

    subroutine compare(name, size)
      character(*), intent(in) :: name
      integer(c_size_t), intent(in) :: size
      same = same .and. hymg_struct_size(name // c_null_char) == size
    end subroutine
  end function
end module hymg
