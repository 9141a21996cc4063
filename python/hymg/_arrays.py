"""The memory of the caller's arrays: an address, strides and a memory space, never a copy of float64 and float32."""

import ctypes
import sys
from typing import Any, NamedTuple, Optional

import numpy as np

from ._hymg import ffi, lib
from ._values import as_double, describe, refuse_masked

ITEMS = {"<f8": 8, "<f4": 4}  # bytes of what is used as it is, by NumPy's name
# Device types of DLPack that the host can read (CPU, pinned memory) and that are a GPU's (CUDA, managed memory).
DLPACK_HOST, DLPACK_DEVICE = (1, 3), (2, 13)
LEGACY_DEFAULT_STREAM = 1
DLPACK_VERSION = (1, 0)  # from 1.0 on a producer can say that its memory is not to be written
DLPACK_READ_ONLY, DLPACK_IS_COPIED = 1, 2

_capsule_is = ctypes.pythonapi.PyCapsule_IsValid
_capsule_is.restype = ctypes.c_int
_capsule_is.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class View(NamedTuple):
    """Where the entries of an array are."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in elements, per axis of the array
    space: int  # HYMG_HOST or HYMG_DEVICE
    device: Optional[int]  # ordinal of the GPU, if the array says so
    owner: Any  # keeps the memory alive
    item: int = 8  # bytes: of float64 or float32

    @property
    def pointer(self) -> Any:
        return ffi.cast("double *", self.address)

    @property
    def precision(self) -> Any:
        return lib.HYMG_DOUBLE if self.item == 8 else lib.HYMG_FLOAT


class Wanted(NamedTuple):
    """What an array must be."""

    name: str  # as the caller knows it, for messages
    shape: tuple[int, ...]
    output: bool = False
    stream: int = 0  # of the library, for arrays on a GPU


def view(array: Any, wanted: Wanted) -> View:
    """The memory of a NumPy, CuPy or PyTorch array, or of whatever speaks DLPack or has a __(cuda_)array_interface__.

    Other objects (lists, numbers of other types in host memory) become a float64 NumPy array first, unless they are
    outputs. Raises ValueError for another shape and TypeError for what cannot be used as it is.
    """
    refuse_masked(array, wanted.name)
    found = None
    if hasattr(array, "__array_interface__"):
        found = _from_interface(array, array.__array_interface__, lib.HYMG_HOST, wanted)
    elif hasattr(array, "__dlpack_device__"):
        found = _from_dlpack(array, wanted)
    elif hasattr(array, "__cuda_array_interface__"):
        found = _from_interface(array, array.__cuda_array_interface__, lib.HYMG_DEVICE, wanted)
    if found:
        return found
    if wanted.output:
        raise TypeError(
            f"{wanted.name}: {describe(array)} cannot be written in place; an array of float64 or float32 and shape "
            f"{wanted.shape} is wanted"
        )
    copy = np.array(as_double(array, wanted.name))
    _check_shape(copy.shape, wanted)
    return View(copy.ctypes.data, copy.shape, tuple(s // 8 for s in copy.strides), lib.HYMG_HOST, None, copy)


def on_device(array: Any) -> bool:
    """Whether the array says that it is in a GPU's memory."""
    if hasattr(array, "__dlpack_device__"):
        return array.__dlpack_device__()[0] not in DLPACK_HOST
    return hasattr(array, "__cuda_array_interface__")


def empty_like(array: Any, shape: tuple[int, ...]) -> Any:
    """An array of the same framework, device and order as `array` for the result; NumPy's if it is no array.

    It is of float32 if `array` is, else of float64.
    """
    if isinstance(array, np.ndarray):
        return np.empty_like(array, dtype=_kept(array, np), subok=False, shape=shape)
    if not hasattr(array, "__dlpack_device__") and not hasattr(array, "__cuda_array_interface__"):
        return np.empty(shape)
    framework = sys.modules.get(type(array).__module__.partition(".")[0])
    if framework is None or not hasattr(framework, "empty_like") or not hasattr(framework, "float64"):
        raise TypeError(f"no empty_like for {describe(array)}; give out=, an array of yours for the result")
    dtype = _kept(array, framework)
    if tuple(array.shape) == shape:
        return framework.empty_like(array, dtype=dtype)
    if hasattr(array, "new_empty"):  # PyTorch, whose empty_like has no shape
        return array.new_empty(shape, dtype=dtype)
    return framework.empty_like(array, dtype=dtype, shape=shape)


def _kept(array: Any, framework: Any) -> Any:
    return framework.float32 if array.dtype == framework.float32 else framework.float64


def _check_shape(shape: tuple[int, ...], wanted: Wanted) -> None:
    if tuple(shape) != wanted.shape:
        given = f"shape {tuple(shape)}" if len(shape) else "a single number"
        raise ValueError(f"{wanted.name}: {given}, but {'an array of shape ' * (not shape)}{wanted.shape} is wanted")


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape)))


def _from_interface(array: Any, interface: dict[str, Any], space: int, wanted: Wanted) -> Optional[View]:
    """By NumPy's protocol or its relative for GPUs; None if NumPy has to convert the array."""
    shape = tuple(interface["shape"])
    _check_shape(shape, wanted)
    on_device = space == lib.HYMG_DEVICE
    item = ITEMS.get(interface["typestr"], 0)
    if not item:
        if on_device:
            raise TypeError(f"{wanted.name}: {describe(array)}; float64 or float32 is wanted on a GPU")
        return None
    address, read_only = interface["data"]
    if read_only and wanted.output:
        raise TypeError(f"{wanted.name}: the array is read-only")
    stream = interface.get("stream") if on_device else None
    if stream is not None and stream != (wanted.stream or LEGACY_DEFAULT_STREAM):
        raise ValueError(f"{wanted.name}: belongs to stream {stream:#x}; give stream= to the Solver")
    strides = interface.get("strides")
    if strides is None:
        return View(address, shape, _contiguous(shape), space, None, array, item)
    if any(s % item for s in strides) or address % item:
        if on_device:
            raise TypeError(f"{wanted.name}: strides of {strides} bytes; multiples of {item} are wanted")
        return None
    return View(address, shape, tuple(s // item for s in strides), space, None, array, item)


def _exported(array: Any, how: dict[str, Any], wanted: Wanted) -> Optional[tuple[Any, Any, int]]:
    """The capsule that a producer of DLPack gives, its tensor and its flags; None if NumPy has to read the array."""
    try:
        try:
            capsule = array.__dlpack__(max_version=DLPACK_VERSION, **how)
        except TypeError:  # a producer of an older DLPack
            capsule = array.__dlpack__(**how)
    except BufferError as error:
        if hasattr(array, "__array__") and not how and not wanted.output:
            return None
        raise TypeError(f"{wanted.name}: {describe(array)} does not give its memory: {error}") from error
    if not _capsule_is(capsule, b"dltensor_versioned"):
        return capsule, ffi.cast("DLTensor *", _capsule_pointer(capsule, b"dltensor")), 0
    managed = ffi.cast("DLManagedTensorVersioned *", _capsule_pointer(capsule, b"dltensor_versioned"))
    if managed.version.major > DLPACK_VERSION[0]:
        raise TypeError(f"{wanted.name}: DLPack {managed.version.major}; versions up to 1 can be used")
    return capsule, ffi.addressof(managed.dl_tensor), managed.flags


def _from_dlpack(array: Any, wanted: Wanted) -> Optional[View]:
    """By DLPack, whose producer lets our stream wait for its own; None if NumPy has to convert the array."""
    kind, ordinal = array.__dlpack_device__()
    if kind not in DLPACK_HOST + DLPACK_DEVICE:
        raise TypeError(f"{wanted.name}: DLPack device type {int(kind)}; host and CUDA memory can be used")
    space = lib.HYMG_HOST if kind in DLPACK_HOST else lib.HYMG_DEVICE
    how = {} if kind in DLPACK_HOST else {"stream": wanted.stream or LEGACY_DEFAULT_STREAM}
    exported = _exported(array, how, wanted)
    if exported is None:
        return None
    capsule, tensor, flags = exported
    if wanted.output and flags & (DLPACK_READ_ONLY | DLPACK_IS_COPIED):
        raise TypeError(f"{wanted.name}: the array is {'read-only' if flags & DLPACK_READ_ONLY else 'given as a copy'}")
    shape = tuple(tensor.shape[0 : tensor.ndim])
    _check_shape(shape, wanted)
    if (tensor.dtype.code, tensor.dtype.lanes) != (2, 1) or tensor.dtype.bits not in (32, 64):
        if space == lib.HYMG_DEVICE:
            raise TypeError(f"{wanted.name}: {describe(array)}; float64 or float32 is wanted on a GPU")
        return None
    strides = tuple(tensor.strides[0 : tensor.ndim]) if tensor.strides else _contiguous(shape)
    address = int(ffi.cast("uintptr_t", tensor.data)) + tensor.byte_offset
    device = int(ordinal) if space == lib.HYMG_DEVICE else None
    # an unused capsule frees its tensor by itself
    return View(address, shape, strides, space, device, (array, capsule), tensor.dtype.bits // 8)
