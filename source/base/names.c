/* Names of the values of the public enums, and the sizes of the public structs. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* Values from `first` on, one after the other; NULL: a value that does not exist. Then, in the same order,
 * the words for them in texts, where these are others. */
#define LIST(...)                                                                                  \
  (const char *const[])                                                                            \
  {                                                                                                \
    __VA_ARGS__                                                                                    \
  }
#define COUNTED(...) LIST(__VA_ARGS__), sizeof(LIST(__VA_ARGS__)) / sizeof(char *)
#define NAMES(...)   COUNTED(__VA_ARGS__), NULL

static const struct {
  const char *type;
  int first;
  const char *const *name;
  size_t count;
  const char *const *word;
} enums[] = {
#define STATUS_NAME(name, value, text) [value] = #name,
    {"hymg_status", HYMG_OK, NAMES(HYMG_STATUS_LIST(STATUS_NAME))},
#undef STATUS_NAME
    {"hymg_boundary", HYMG_DIRICHLET,
     COUNTED("dirichlet", "periodic", "neumann", "robin", "open", "open-james"),
     LIST("Dirichlet", "periodic", "Neumann", "Robin", "open", "open (James)")},
    {"hymg_coordinate", HYMG_LENGTH,
     NAMES("length", "radius", "azimuth", "colatitude", "latitude")},
    {"hymg_centering", HYMG_CELL,
     COUNTED("cell", "face-x", "face-y", "face-z", "boundary-x-low", "boundary-x-high",
             "boundary-y-low", "boundary-y-high", "boundary-z-low", "boundary-z-high"),
     LIST("cells", "x faces", "y faces", "z faces", "x- wall", "x+ wall", "y- wall", "y+ wall",
          "z- wall", "z+ wall")},
    {"hymg_precision", HYMG_PRECISION_AUTO, NAMES("auto", "double", "mixed", "float")},
    {"hymg_space", HYMG_HOST, NAMES("host", "device")},
    {"hymg_stencil", HYMG_FV2, COUNTED("fv2", "fv4"), LIST("FV2", "FV4")},
    {"hymg_extrapolation", HYMG_EXTRAPOLATION_DEFAULT,
     NAMES("default", "linear", "quadratic", "vertex")},
    {"hymg_method", HYMG_FMG, NAMES("fmg", "mg", "mgpcg")},
    {"hymg_cycle", HYMG_CYCLE_DEFAULT, COUNTED("default", "v", "w", "f"),
     LIST("default", "V", "W", "F")},
    {"hymg_smoother", HYMG_GSRB, NAMES("gsrb", "chebyshev", "jacobi", "l1jacobi", "symgs")},
    {"hymg_bottom", HYMG_BICGSTAB,
     NAMES("bicgstab", "cg", "cabicgstab", "cacg", "smoother", "sweeps")},
    {"hymg_interpolation", HYMG_INTERPOLATION_DEFAULT,
     NAMES("default", "p0", "p1", "v2", NULL, "v4")},
    {"hymg_backend", HYMG_BACKEND_AUTO, NAMES("auto", "host", "cuda")},
    {"hymg_tuning", HYMG_TUNE_MEASURE, NAMES("measure", "estimate", "auto")},
    {"hymg_memory", HYMG_MEMORY_DEVICE, NAMES("device", "managed")},
    {"hymg_gather", HYMG_GATHER_AUTO, NAMES("auto", "root", "all")},
    {"hymg_transport", HYMG_TRANSPORT_AUTO,
     NAMES("auto", "device", "staged", "peer", "nccl", "none")},
    {"hymg_path", HYMG_PATH_AUTO, NAMES("auto", "standard", "robust")},
    {"hymg_transfer", HYMG_TRANSFER_AUTO, NAMES("auto", "constant", "weighted", "tensor", "pairs")},
    {"hymg_norm", HYMG_NORM_MAX, NAMES("max", "2")},
    {"hymg_mean", HYMG_MEAN_SUBTRACT, NAMES("subtract", "error")},
    {"hymg_cycle_kind", HYMG_KIND_F, NAMES("f", "v", "w", "cg", "bicgstab")},
    {"hymg_reason", HYMG_REASON_TOLERANCE,
     NAMES("tolerance", "limit", "stagnated", "diverged", "not finite", "stopped")},
    {"hymg_tuning_source", HYMG_TUNING_NONE,
     NAMES("none", "options", "estimate", "measured", "file")},
    {"hymg_variable", HYMG_VARIABLE_ALPHA,
     NAMES("alpha", "beta", NULL, "fixed", NULL, NULL, NULL, "mask")},
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

static const char *find(const char *type, int value, bool word)
{
  for (size_t e = 0; type && e < sizeof enums / sizeof *enums; e++) {
    const size_t m = (size_t)((int64_t)value - enums[e].first);
    if (strcmp(type, enums[e].type) == 0 && m < enums[e].count && enums[e].name[m])
      return (word && enums[e].word ? enums[e].word : enums[e].name)[m];
  }
  return NULL;
}

const char *hymg_enum_name(const char *type, int value)
{
  const char *const name = find(type, value, false);
  return name ? name : "unknown";
}

const char *hymgi_enum_word(const char *type, int value)
{
  const char *const word = find(type, value, true);
  return word ? word : "unknown";
}

bool hymgi_enum_has(const char *type, int value)
{
  return find(type, value, false);
}

hymgi_text hymgi_enum_range(const char *type, double high, bool each)
{
  hymgi_text t = {""};
  for (int m = 0, value, next; hymg_enum_entry(type, m, NULL, &value) && value <= high; m++) {
    const bool last = !hymg_enum_entry(type, m + 1, NULL, &next) || next > high;
    const size_t used = strlen(t.text);
    if (m == 0 || last || each)
      snprintf(t.text + used, sizeof t.text - used, "%s%d (%s)",
               m == 0  ? ""
               : !last ? ", "
               : each  ? " or "
                       : " to ",
               value, find(type, value, true));
  }
  return t;
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
