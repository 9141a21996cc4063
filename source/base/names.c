/* Names of the values of the public enums, and the sizes of the public structs. */
#include <string.h>

#include "base/error.h"

/* Values from `first` on, one after the other; NULL: a value that does not exist. */
#define NAMES(...)                                                                                 \
  (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)

static const struct {
  const char *type;
  int first;
  const char *const *name;
  size_t count;
} enums[] = {
#define STATUS_NAME(name, value, text) [value] = #name,
    {"hymg_status", HYMG_OK, NAMES(HYMG_STATUS_LIST(STATUS_NAME))},
#undef STATUS_NAME
    {"hymg_boundary", HYMG_DIRICHLET, NAMES("dirichlet", "periodic", "neumann", "robin")},
    {"hymg_centering", HYMG_CELL,
     NAMES("cell", "face-x", "face-y", "face-z", "boundary-x-low", "boundary-x-high",
           "boundary-y-low", "boundary-y-high", "boundary-z-low", "boundary-z-high")},
    {"hymg_precision", HYMG_PRECISION_AUTO, NAMES("auto", "double", "mixed")},
    {"hymg_space", HYMG_HOST, NAMES("host", "device")},
    {"hymg_stencil", HYMG_FV2, NAMES("fv2", "fv4")},
    {"hymg_extrapolation", HYMG_EXTRAPOLATION_DEFAULT,
     NAMES("default", "linear", "quadratic", "vertex")},
    {"hymg_method", HYMG_FMG, NAMES("fmg", "mg", "mgpcg")},
    {"hymg_cycle", HYMG_CYCLE_DEFAULT, NAMES("default", "v", "w", "f")},
    {"hymg_smoother", HYMG_GSRB, NAMES("gsrb", "chebyshev", "jacobi", "l1jacobi", "symgs")},
    {"hymg_bottom", HYMG_BICGSTAB,
     NAMES("bicgstab", "cg", "cabicgstab", "cacg", "smoother", "sweeps")},
    {"hymg_interpolation", HYMG_INTERPOLATION_DEFAULT,
     NAMES("default", "p0", "p1", "v2", NULL, "v4")},
    {"hymg_backend", HYMG_BACKEND_AUTO, NAMES("auto", "host", "cuda")},
    {"hymg_tuning", HYMG_TUNE_MEASURE, NAMES("measure", "estimate")},
    {"hymg_memory", HYMG_MEMORY_DEVICE, NAMES("device", "managed")},
    {"hymg_transport", HYMG_TRANSPORT_AUTO,
     NAMES("auto", "device", "staged", "peer", "nccl", "none")},
    {"hymg_path", HYMG_PATH_AUTO, NAMES("auto", "standard", "robust")},
    {"hymg_transfer", HYMG_TRANSFER_AUTO, NAMES("auto", "constant", "weighted", "tensor")},
    {"hymg_norm", HYMG_NORM_MAX, NAMES("max", "2")},
    {"hymg_mean", HYMG_MEAN_SUBTRACT, NAMES("subtract", "error")},
    {"hymg_cycle_kind", HYMG_KIND_F, NAMES("f", "v", "w", "cg", "bicgstab")},
    {"hymg_reason", HYMG_REASON_TOLERANCE,
     NAMES("tolerance", "limit", "stagnated", "diverged", "not finite", "stopped")},
    {"hymg_tuning_source", HYMG_TUNING_NONE,
     NAMES("none", "options", "estimate", "measured", "file")},
    {"hymg_variable", HYMG_VARIABLE_ALPHA, NAMES("alpha", "beta", NULL, "fixed")},
};

bool hymg_enum_entry(const char *type, int index, const char **name, int *value)
{
  for (size_t e = 0; type && e < sizeof enums / sizeof *enums; e++)
    if (strcmp(type, enums[e].type) == 0)
      for (size_t m = 0; m < enums[e].count; m++) {
        if (!enums[e].name[m] || index-- != 0) continue;
        if (name) *name = enums[e].name[m];
        if (value) *value = enums[e].first + (int)m;
        return true;
      }
  return false;
}

const char *hymg_enum_name(const char *type, int value)
{
  const char *name;
  for (int m = 0, v; hymg_enum_entry(type, m, &name, &v); m++)
    if (v == value) return name;
  return "unknown";
}

bool hymg_enum_value(const char *type, const char *name, int *value)
{
  const char *known;
  for (int m = 0, v; name && hymg_enum_entry(type, m, &known, &v); m++)
    if (strcmp(known, name) == 0) {
      if (value) *value = v;
      return true;
    }
  return false;
}

const char *hymg_transport_name(hymg_transport transport)
{
  return hymg_enum_name("hymg_transport", (int)transport);
}

const char *hymg_path_name(hymg_path path)
{
  return hymg_enum_name("hymg_path", (int)path);
}

const char *hymg_reason_name(hymg_reason reason)
{
  return hymg_enum_name("hymg_reason", (int)reason);
}

const char *hymg_tuning_source_name(hymg_tuning_source source)
{
  return hymg_enum_name("hymg_tuning_source", (int)source);
}

size_t hymg_struct_size(const char *name)
{
#define STRUCT_SIZE(type)                                                                          \
  if (name && strcmp(name, #type) == 0) return sizeof(type);
  HYMG_STRUCT_LIST(STRUCT_SIZE)
#undef STRUCT_SIZE
  return 0;
}
