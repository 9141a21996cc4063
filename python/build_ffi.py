"""The cffi module hymg._hymg, made from hymg.h itself, so that the compiler checks every type and offset."""

import os
import re
import subprocess
from pathlib import Path

from cffi import FFI

# the header of the library that setup.py links
FOLDER = os.environ.get("HYMG_PREFIX") or Path(__file__).resolve().parent.parent
HEADER = Path(FOLDER) / "include/hymg.h"

# Its own name for the call of Fortran programs, which only libraries with MPI have.
DECLARATIONS = """
hymg_status hymg_python_context_mpi(int comm, const hymg_context_options *options, hymg_context **context);
extern "Python" bool hymg_python_monitor(const hymg_cycle_record *record, int cycle, void *user);

/* DLPack: what capsules named "dltensor" (before version 1.0) and "dltensor_versioned" hold. */
typedef struct { int32_t device_type, device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct { uint32_t major, minor; } DLPackVersion;
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
"""

SOURCE = """
#include <hymg.h>
extern hymg_status hymg_context_create_mpi_f(int comm, const hymg_context_options *options, hymg_context **context)
  __attribute__((weak));
static hymg_status hymg_python_context_mpi(int comm, const hymg_context_options *options, hymg_context **context)
{
  const hymg_status status = hymg_check_header();
  if (status != HYMG_OK) return status;
  return hymg_context_create_mpi_f ? hymg_context_create_mpi_f(comm, options, context) : HYMG_EUNSUPPORTED;
}
""" + DECLARATIONS[DECLARATIONS.index("/* DLPack") :]


def header_declarations() -> str:
    """hymg.h without its macros, includes and inline functions, as cffi reads it."""
    text = re.sub(r"(?ms)^#include.*?$|^static inline.*?^}$", "", HEADER.read_text())
    compiler = os.environ.get("CC", "cc").split()
    plain = subprocess.run(
        [*compiler, "-E", "-P", "-U__GNUC__", "-x", "c", "-"], input=text, capture_output=True, text=True, check=True
    ).stdout
    # cffi before 1.16, as in Debian 12, writes the const of a pointer to an array in the wrong place
    return re.sub(r"\bconst (\w+ \(\*\w+\)\[)", r"\1", plain)


ffi = FFI()
ffi.cdef(header_declarations() + DECLARATIONS)
ffi.set_source("hymg._hymg", SOURCE)
