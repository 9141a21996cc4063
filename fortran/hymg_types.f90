! The constants and types of hymg.h, member by member; see there for their meaning. A variable of a type that has a
! _default function in hymg.h begins with the values of that function. tests/scripts/fortran.sh compares values, sizes,
! offsets and defaults with the header.
module hymg_types
  use, intrinsic :: iso_c_binding
  implicit none
  public

  enum, bind(c)
    enumerator :: HYMG_OK = 0, HYMG_EINVAL = 1, HYMG_ENOMEM = 2, HYMG_EUNSUPPORTED = 3
    enumerator :: HYMG_ECUDA = 4, HYMG_EMPI = 5, HYMG_EIO = 6, HYMG_EVERSION = 7
    enumerator :: HYMG_ECPU = 8
  end enum
  enum, bind(c)
    enumerator :: HYMG_DEVICE_CURRENT = -1, HYMG_DEVICE_SHARED = -2, HYMG_DEVICE_OWN = -3
  end enum
  enum, bind(c)
    enumerator :: HYMG_DIRICHLET = 0, HYMG_PERIODIC = 1, HYMG_NEUMANN = 2
    enumerator :: HYMG_ROBIN = 3
    enumerator :: HYMG_OPEN = 4, HYMG_OPEN_JAMES = 5
  end enum
  enum, bind(c)
    enumerator :: HYMG_LENGTH = 0, HYMG_RADIUS = 1, HYMG_AZIMUTH = 2, HYMG_COLATITUDE = 3
    enumerator :: HYMG_LATITUDE = 4
  end enum
  enum, bind(c)
    enumerator :: HYMG_CELL = 0, HYMG_FACE_X = 1, HYMG_FACE_Y = 2, HYMG_FACE_Z = 3
    enumerator :: HYMG_BOUNDARY_X_LOW = 4, HYMG_BOUNDARY_X_HIGH = 5, HYMG_BOUNDARY_Y_LOW = 6
    enumerator :: HYMG_BOUNDARY_Y_HIGH = 7, HYMG_BOUNDARY_Z_LOW = 8, HYMG_BOUNDARY_Z_HIGH = 9
  end enum
  enum, bind(c)
    enumerator :: HYMG_PRECISION_AUTO = -1, HYMG_DOUBLE = 0, HYMG_MIXED = 1, HYMG_FLOAT = 2
  end enum
  enum, bind(c)
    enumerator :: HYMG_HOST = 0, HYMG_DEVICE = 1
  end enum
  enum, bind(c)
    enumerator :: HYMG_FV2 = 0, HYMG_FV4 = 1
  end enum
  enum, bind(c)
    enumerator :: HYMG_EXTRAPOLATION_DEFAULT = 0, HYMG_EXTRAPOLATION_LINEAR = 1
    enumerator :: HYMG_EXTRAPOLATION_QUADRATIC = 2, HYMG_EXTRAPOLATION_VERTEX = 3
  end enum
  enum, bind(c)
    enumerator :: HYMG_FMG = 0, HYMG_MG = 1, HYMG_MGPCG = 2
  end enum
  enum, bind(c)
    enumerator :: HYMG_CYCLE_DEFAULT = -1, HYMG_CYCLE_V = 0, HYMG_CYCLE_W = 1, HYMG_CYCLE_F = 2
  end enum
  enum, bind(c)
    enumerator :: HYMG_GSRB = 0, HYMG_CHEBYSHEV = 1, HYMG_JACOBI = 2, HYMG_L1JACOBI = 3
    enumerator :: HYMG_SYMGS = 4
  end enum
  enum, bind(c)
    enumerator :: HYMG_BICGSTAB = 0, HYMG_CG = 1, HYMG_CABICGSTAB = 2, HYMG_CACG = 3
    enumerator :: HYMG_BOTTOM_SMOOTHER = 4, HYMG_BOTTOM_SWEEPS = 5
  end enum
  enum, bind(c)
    enumerator :: HYMG_INTERPOLATION_DEFAULT = -1, HYMG_P0 = 0, HYMG_P1 = 1, HYMG_V2 = 2, HYMG_V4 = 4
  end enum
  enum, bind(c)
    enumerator :: HYMG_BACKEND_AUTO = 0, HYMG_BACKEND_HOST = 1, HYMG_BACKEND_CUDA = 2
  end enum
  enum, bind(c)
    enumerator :: HYMG_TUNE_MEASURE = 0, HYMG_TUNE_ESTIMATE = 1, HYMG_TUNE_AUTO = 2
  end enum
  enum, bind(c)
    enumerator :: HYMG_MEMORY_DEVICE = 0, HYMG_MEMORY_MANAGED = 1
  end enum
  enum, bind(c)
    enumerator :: HYMG_GATHER_AUTO = 0, HYMG_GATHER_ROOT = 1, HYMG_GATHER_ALL = 2
  end enum
  enum, bind(c)
    enumerator :: HYMG_TRANSPORT_AUTO = 0, HYMG_TRANSPORT_DEVICE = 1, HYMG_TRANSPORT_STAGED = 2
    enumerator :: HYMG_TRANSPORT_PEER = 3, HYMG_TRANSPORT_NCCL = 4, HYMG_TRANSPORT_NONE = 5
  end enum
  enum, bind(c)
    enumerator :: HYMG_PATH_AUTO = 0, HYMG_PATH_STANDARD = 1, HYMG_PATH_ROBUST = 2
  end enum
  enum, bind(c)
    enumerator :: HYMG_TRANSFER_AUTO = 0, HYMG_TRANSFER_CONSTANT = 1, HYMG_TRANSFER_WEIGHTED = 2
    enumerator :: HYMG_TRANSFER_TENSOR = 3, HYMG_TRANSFER_PAIRS = 4
  end enum
  enum, bind(c)
    enumerator :: HYMG_NORM_MAX = 0, HYMG_NORM_2 = 1
  end enum
  enum, bind(c)
    enumerator :: HYMG_MEAN_SUBTRACT = 0, HYMG_MEAN_ERROR = 1
  end enum
  enum, bind(c)
    enumerator :: HYMG_KIND_F = 0, HYMG_KIND_V = 1, HYMG_KIND_W = 2, HYMG_KIND_CG = 3
    enumerator :: HYMG_KIND_BICGSTAB = 4
  end enum
  enum, bind(c)
    enumerator :: HYMG_REASON_TOLERANCE = 0, HYMG_REASON_LIMIT = 1, HYMG_REASON_STAGNATED = 2
    enumerator :: HYMG_REASON_DIVERGED = 3, HYMG_REASON_NOT_FINITE = 4, HYMG_REASON_STOPPED = 5
  end enum
  enum, bind(c)
    enumerator :: HYMG_TUNING_NONE = 0, HYMG_TUNING_OPTIONS = 1, HYMG_TUNING_ESTIMATE = 2
    enumerator :: HYMG_TUNING_MEASURED = 3, HYMG_TUNING_FILE = 4
  end enum
  enum, bind(c)
    enumerator :: HYMG_VARIABLE_ALPHA = 1, HYMG_VARIABLE_BETA = 2, HYMG_VARIABLE_FIXED = 4, &
      HYMG_VARIABLE_MASK = 8
  end enum
  integer(c_int), parameter :: HYMG_MAX_LEVELS = 32, HYMG_ADVICE = 4096

  ! Handles, each of a type of its own, so that the compiler refuses a context where a grid is wanted. They are null until
  ! a call has created the object: c_associated(grid%ptr) tells, and hymg_solver() is one that is null. C gets and gives
  ! the pointer in them: a structure of one pointer is passed as that pointer is.
  type, bind(c) :: hymg_context
    type(c_ptr) :: ptr = c_null_ptr
  end type
  type, bind(c) :: hymg_grid
    type(c_ptr) :: ptr = c_null_ptr
  end type
  type, bind(c) :: hymg_field
    type(c_ptr) :: ptr = c_null_ptr
  end type
  type, bind(c) :: hymg_operator
    type(c_ptr) :: ptr = c_null_ptr
  end type
  type, bind(c) :: hymg_solver
    type(c_ptr) :: ptr = c_null_ptr
  end type

  type, bind(c) :: hymg_build
    type(c_ptr) :: version, commit, compiler, flags, mpi, openmp, cuda, nccl
  end type

  type, bind(c) :: hymg_context_options
    integer(c_int) :: threads = 0
    integer(c_int) :: device = HYMG_DEVICE_SHARED
    type(c_ptr) :: stream = c_null_ptr
    real(c_double) :: wait_seconds = 600
  end type

  type, bind(c) :: hymg_device_info
    integer(c_int) :: ordinal
    character(kind=c_char) :: name(256)
    integer(c_int) :: capability(2)
    integer(c_int) :: multiprocessors
    real(c_double) :: memory_bytes, free_bytes
  end type

  type, bind(c) :: hymg_grid_desc
    integer(c_int) :: n(3) = 64
    real(c_double) :: spacing(3) = 1._c_double / 64
    integer(c_int) :: boundary(6) = HYMG_DIRICHLET
    integer(c_int) :: boxes(3) = 0
    integer(c_int) :: extrapolation_box = 0
    type(c_funptr) :: owner = c_null_funptr
    type(c_ptr) :: owner_user = c_null_ptr
    type(c_ptr) :: widths(3) = c_null_ptr
    type(c_ptr) :: cuts(3) = c_null_ptr
    integer(c_int) :: coordinate(3) = HYMG_LENGTH
    real(c_double) :: origin(3) = 0
    real(c_double) :: radius = 1
  end type

  type, bind(c) :: hymg_operator_desc
    integer(c_int) :: stencil = HYMG_FV2
    integer(c_int) :: extrapolation = HYMG_EXTRAPOLATION_DEFAULT
    real(c_double) :: a = 0, b = 1
    real(c_double) :: alpha_constant = 1
    real(c_double) :: beta_constant = 1
    type(hymg_field) :: alpha, beta(3), boundary_data(6)
    real(c_double) :: boundary_constant(6) = 0
    real(c_double) :: robin_alpha_constant(6) = 1, robin_beta_constant(6) = 1
    type(hymg_field) :: robin_alpha(6), robin_beta(6)
    real(c_double) :: limiter = 0
    type(hymg_field) :: fixed
  end type

  type, bind(c) :: hymg_body
    type(hymg_field) :: volume, area(3)
    integer(c_int) :: condition = HYMG_NEUMANN
    real(c_double) :: value_constant = 0
    type(hymg_field) :: value
    real(c_double) :: robin_alpha_constant = 1, robin_beta_constant = 1
    type(hymg_field) :: robin_alpha, robin_beta
  end type

  type, bind(c) :: hymg_cycle_record
    integer(c_int) :: kind
    real(c_double) :: residual_max
    real(c_double) :: residual_relative
  end type

  type, bind(c) :: hymg_transport_info
    integer(c_int) :: within, between
    character(kind=c_char) :: reason(256)
  end type

  type, bind(c) :: hymg_options
    integer(c_int) :: method = HYMG_FMG
    integer(c_int) :: cycle = HYMG_CYCLE_DEFAULT
    integer(c_int) :: smoother = HYMG_GSRB
    integer(c_int) :: sweeps = -1
    integer(c_int) :: bottom = HYMG_BICGSTAB
    integer(c_int) :: interpolation_v = HYMG_INTERPOLATION_DEFAULT
    integer(c_int) :: interpolation_f = HYMG_INTERPOLATION_DEFAULT
    real(c_double) :: rtol = 1e-10_c_double
    integer(c_int) :: max_cycles = -1
    logical(c_bool) :: initial_guess = .false._c_bool
    integer(c_int) :: backend = HYMG_BACKEND_AUTO
    integer(c_int) :: tuning = HYMG_TUNE_AUTO
    integer(c_int64_t) :: host_cells = -1
    integer(c_int64_t) :: tail_cells = -1
    type(c_ptr) :: tuning_file = c_null_ptr
    integer(c_int) :: memory = HYMG_MEMORY_DEVICE
    integer(c_int) :: transport = HYMG_TRANSPORT_AUTO
    integer(c_int64_t) :: gather_cells = -1
    integer(c_int) :: gather = HYMG_GATHER_AUTO
    integer(c_int) :: halo_layers = -1
    type(c_ptr) :: probe_file = c_null_ptr
    real(c_double) :: peer_seconds = 60
    integer(c_int) :: precision = HYMG_PRECISION_AUTO
    type(c_funptr) :: monitor = c_null_funptr
    type(c_ptr) :: monitor_user = c_null_ptr
    integer(c_int) :: path = HYMG_PATH_AUTO
    integer(c_int) :: transfer = HYMG_TRANSFER_AUTO
    integer(c_int) :: norm = HYMG_NORM_MAX
    real(c_double) :: atol = 0
    integer(c_int) :: rhs_mean = HYMG_MEAN_SUBTRACT
    integer(c_int) :: stagnation = -1
  end type

  type, bind(c) :: hymg_option_info
    type(c_ptr) :: key, values, help
  end type

  type, bind(c) :: hymg_result
    logical(c_bool) :: converged
    integer(c_int) :: reason
    integer(c_int) :: cycles
    real(c_double) :: residual_max, residual_relative
    type(c_ptr) :: history
    real(c_double) :: rhs_max
    logical(c_bool) :: singular
    real(c_double) :: mean_removed
    integer(c_int64_t) :: pieces, singular_pieces
    type(c_ptr) :: transport
    real(c_double) :: seconds
    integer(c_int) :: path
    integer(c_int) :: precision
    type(c_ptr) :: note
    integer(c_int) :: status
  end type

  type, bind(c) :: hymg_level_info
    integer(c_int) :: cells(3)
    integer(c_int) :: box(3)
    integer(c_int64_t) :: boxes
    integer(c_int) :: ranks
    real(c_double) :: spacing(3)
    integer(c_int) :: backend
    real(c_double) :: lambda_max
    integer(c_int) :: sweeps
    integer(c_int) :: halo_layers
    integer(c_int) :: coarsened
    type(c_ptr) :: kernels
  end type

  type, bind(c) :: hymg_tuning_info
    integer(c_int) :: tail_from, host_from
    integer(c_int) :: source
    real(c_double) :: seconds
    character(kind=c_char) :: note(256)
  end type

  type, bind(c) :: hymg_level_need
    integer(c_int) :: cells(3)
    integer(c_int64_t) :: boxes
    integer(c_int) :: ranks
    integer(c_int) :: backend
    type(c_ptr) :: memory
    real(c_double) :: vectors
    real(c_double) :: coefficients
    real(c_double) :: buffers
  end type

  type, bind(c) :: hymg_need
    integer(c_int) :: num_levels
    type(hymg_level_need) :: level(HYMG_MAX_LEVELS)
    real(c_double) :: device_bytes
    real(c_double) :: device_free
  end type

  type, bind(c) :: hymg_profile_row
    integer(c_int) :: level
    type(c_ptr) :: operation
    integer(c_int64_t) :: calls
    real(c_double) :: seconds
    real(c_double) :: bytes
    integer(c_int64_t) :: messages
    real(c_double) :: message_bytes
  end type
end module hymg_types
