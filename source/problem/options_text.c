/* Options as text: the table of their keys, which hymg_options_parse reads and --help of hymg-fv
 * prints. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/problem.h"

/* NAME: of an enum up to the value `high`; COUNT: int or, with -1, auto; CELLS: int64_t likewise. */
typedef enum { NAME, COUNT, CELLS, REAL, YES_NO } value_kind;

typedef struct option_entry {
  hymg_option_info info;
  value_kind kind;
  const char *type; /* of NAME */
  size_t at;
  double low, high;
} option_entry;

#define AT(member)          offsetof(hymg_options, member)
#define ANY_NAME            INT_MAX
#define NAMED(type, member) NAME, type, AT(member), 0, ANY_NAME

static const option_entry table[] = {
    {{"method", "fmg|mg|mgpcg",
      "fmg: one F-cycle and nothing after it (default); mg: cycles down to rtol; mgpcg:\n"
      "conjugate gradients preconditioned with one cycle, down to rtol"},
     NAMED("hymg_method", method)},
    {{"cycle", "default|f|v|w",
      "fmg takes f; mg f (default: an F-cycle, then V-cycles), v or w (from zero); mgpcg v\n"
      "(default) or w"},
     NAMED("hymg_cycle", cycle)},
    {{"path", "auto|standard|robust",
      "standard: all axes are halved together; robust: any size and coefficient, for mg and "
      "mgpcg\n"
      "with fv2; auto (default): robust where standard does not suit"},
     NAMED("hymg_path", path)},
    {{"transfer", "auto|constant|weighted|tensor",
      "interpolation of the robust path: auto (default: weighted, or tensor where that is slow), "
      "constant"},
     NAMED("hymg_transfer", transfer)},
    {{"precision", "auto|double|mixed",
      "mixed: cycles in single precision on levels of more than 32^3 cells, inside a residual in\n"
      "double; auto (default): mixed for mg and mgpcg from 10^6 cells on"},
     NAMED("hymg_precision", precision)},
    {{"smoother", "gsrb|chebyshev|jacobi|l1jacobi|symgs",
      "gsrb (default): red-black Gauss-Seidel; symgs: symmetric Gauss-Seidel, on the host alone"},
     NAMED("hymg_smoother", smoother)},
    {{"sweeps", "N|auto",
      "stencil passes of each pre- and post-smooth, 1 ... 1000; auto (default): 6, symgs 4, gsrb\n"
      "of mg 4 on finest levels of more than 32^3 cells without walls of linear extrapolation,\n"
      "on the robust path on all; even for gsrb and symgs, a multiple of the degree 6 for\n"
      "chebyshev"},
     COUNT,
     NULL,
     AT(sweeps),
     1,
     1000},
    {{"bottom", "bicgstab|cg|cabicgstab|cacg|smoother|sweeps",
      "on the coarsest level: bicgstab (default) or another one; sweeps: a fixed number of\n"
      "smoother calls"},
     NAMED("hymg_bottom", bottom)},
    {{"interpolation-v", "default|p0|p1|v2|v4", "of corrections: default, p0, p1, v2, v4"},
     NAMED("hymg_interpolation", interpolation_v)},
    {{"interpolation-f", "default|p0|p1|v2|v4",
      "of an F-cycle's initial guesses: default, p0, p1, v2, v4"},
     NAMED("hymg_interpolation", interpolation_f)},
    {{"rtol", "NUMBER", "mg and mgpcg stop at |r| <= NUMBER |f|; default 1e-10"},
     REAL,
     NULL,
     AT(rtol),
     DBL_TRUE_MIN,
     DBL_MAX},
    {{"atol", "NUMBER", "mg and mgpcg stop also at |r| <= NUMBER; default 0"},
     REAL,
     NULL,
     AT(atol),
     0,
     DBL_MAX},
    {{"norm", "max|2", "of r and f: the largest absolute value (default) or the 2-norm"},
     NAMED("hymg_norm", norm)},
    {{"max-cycles", "N|auto",
      "mg and mgpcg give up after N cycles, 1 ... 10000; auto (default): 100, of Krylov "
      "iterations\n"
      "(mgpcg, robust path) 2000"},
     COUNT,
     NULL,
     AT(max_cycles),
     1,
     10000},
    {{"stagnation", "N|auto",
      "mg and mgpcg end after N cycles without a gain of 5 %, 0 ... 10000; 0: never; auto "
      "(default):\n"
      "after as many as were needed for the last gain, at least 10, with Krylov iterations 200"},
     COUNT,
     NULL,
     AT(stagnation),
     0,
     10000},
    {{"initial-guess", "yes|no", "start from u; default no, from zero"},
     YES_NO,
     NULL,
     AT(initial_guess),
     0,
     1},
    {{"rhs-mean", "subtract|error", "what happens to the mean of f in a singular system"},
     NAMED("hymg_mean", rhs_mean)},
    {{"backend", "auto|host|cuda",
      "auto (default): the GPU where every rank has one and the smoother runs there (symgs does\n"
      "not), else the host"},
     NAMED("hymg_backend", backend)},
    {{"memory", "device|managed",
      "with CUDA: vectors in device memory (default) or in managed memory"},
     NAMED("hymg_memory", memory)},
    {{"host-cells", "N|auto",
      "with CUDA: the first level whose largest share per rank has fewer cells, and all below,\n"
      "run on the host; 0: none; default auto: as tuned"},
     CELLS,
     NULL,
     AT(host_cells),
     0,
     (double)INT64_MAX},
    {{"tail-cells", "N|auto",
      "with CUDA: V-cycles from the first level with fewer cells than this take one launch, if\n"
      "none is on the host; 0: none; default auto: as tuned"},
     CELLS,
     NULL,
     AT(tail_cells),
     0,
     (double)INT64_MAX},
    {{"tuning", "measure|estimate",
      "how the fastest way to run levels is found: by trying (default) or from a table"},
     NAMED("hymg_tuning", tuning)},
    {{"transport", "auto|device|staged|peer|nccl",
      "how ranks with GPUs exchange cells: peer: kernels write into the GPUs of the same node,\n"
      "no two ranks on one; staged: MPI gets pinned host memory; device: MPI gets device memory\n"
      "(a CUDA-aware MPI); nccl: NCCL's sends and receives, no two ranks on one GPU (--version\n"
      "says if it is built in); auto (default): peer on a node where that is possible, else\n"
      "staged; between nodes device if --probe-comm worked, else staged"},
     NAME,
     "hymg_transport",
     AT(transport),
     0,
     HYMG_TRANSPORT_NCCL},
    {{"gather-cells", "N|auto",
      "with CUDA and several ranks: levels of fewer cells in all are on one rank; 0: as on the\n"
      "host; default auto: as fits the exchange"},
     CELLS,
     NULL,
     AT(gather_cells),
     0,
     (double)INT64_MAX},
    {{"peer-seconds", "NUMBER",
      "with peer and nccl: a GPU, or who waits for it, gives up after so long; default 60"},
     REAL,
     NULL,
     AT(peer_seconds),
     DBL_TRUE_MIN,
     1e6}};

enum { ENTRIES = sizeof table / sizeof *table };

bool hymg_option_get(int index, hymg_option_info *info)
{
  if (index < 0 || index >= ENTRIES || !info) return false;
  *info = table[index].info;
  return true;
}

void hymgi_options_arguments(hymgi_arguments *a, const hymg_options *options)
{
  for (const option_entry *e = table; e < table + ENTRIES; e++) {
    const void *const at = (const char *)options + e->at;
    const char *const name = e->info.key;
    if (e->kind == NAME)
      hymgi_arguments_text(a, name, hymg_enum_name(e->type, *(const int *)at));
    else if (e->kind == CELLS)
      hymgi_arguments_whole(a, name, *(const int64_t *)at);
    else if (e->kind == COUNT)
      hymgi_arguments_whole(a, name, *(const int *)at);
    else if (e->kind == REAL)
      hymgi_arguments_real(a, name, *(const double *)at);
    else
      hymgi_arguments_text(a, name, *(const bool *)at ? "yes" : "no");
  }
  hymgi_arguments_text(a, "a monitor", options->monitor ? "yes" : "no");
}

/* ---- reading ---- */

typedef struct message {
  char *text;
  size_t size;
} message;

static bool refuse(const message *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(const message *m, const char *format, ...)
{
  va_list arguments;
  if (m->size == 0) return false;
  va_start(arguments, format);
  vsnprintf(m->text, m->size, format, arguments);
  va_end(arguments);
  return false;
}

static bool read_name(const option_entry *e, const char *value, int *target, const message *m)
{
  char list[160] = "";
  const char *name;
  for (int n = 0, known; hymg_enum_entry(e->type, n, &name, &known) && known <= e->high; n++) {
    if (strcmp(value, name) == 0) {
      *target = known;
      return true;
    }
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", name);
  }
  return refuse(m, "%s '%s': must be one of %s", e->info.key, value, list);
}

static bool read_cells(const option_entry *e, const char *value, int64_t *target, const message *m)
{
  char *end;
  errno = 0;
  const long long number = strtoll(value, &end, 10);
  if (end == value || *end || errno == ERANGE || number < 0)
    return refuse(m, "%s '%s': must be 'auto' or a number of cells >= 0", e->info.key, value);
  *target = number;
  return true;
}

static bool read_number(const option_entry *e, const char *value, double *target, const message *m)
{
  char *end;
  const double number = strtod(value, &end);
  const bool whole = e->kind == COUNT;
  if (end == value || *end || !isfinite(number) || (whole && number != rint(number)))
    return refuse(m, "%s '%s': not a %s", e->info.key, value,
                  whole ? "whole number" : "finite number");
  if (whole && (number < e->low || number > e->high))
    return refuse(m, "%s %s: must be %.12g ... %.12g", e->info.key, value, e->low, e->high);
  if (number < e->low)
    return refuse(m, "%s %s: must be %s 0", e->info.key, value,
                  e->low > 0 ? "greater than" : "at least");
  if (number > e->high)
    return refuse(m, "%s %s: must be at most %.12g", e->info.key, value, e->high);
  *target = number;
  return true;
}

static bool read_value(const option_entry *e, const char *value, hymg_options *options,
                       const message *m)
{
  void *const target = (char *)options + e->at;
  const bool automatic = strcmp(value, "auto") == 0;
  double number = -1;
  switch (e->kind) {
  case NAME:
    return read_name(e, value, target, m);
  case CELLS:
    if (!automatic) return read_cells(e, value, target, m);
    *(int64_t *)target = -1;
    return true;
  case COUNT:
    if (!automatic && !read_number(e, value, &number, m)) return false;
    *(int *)target = (int)number;
    return true;
  case REAL:
    return read_number(e, value, target, m);
  default:
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
      return refuse(m, "%s '%s': must be one of yes, no", e->info.key, value);
    *(bool *)target = *value == 'y';
    return true;
  }
}

/* - and _ are the same in keys. */
static bool same_key(const char *key, const char *text, size_t length)
{
  if (strlen(key) != length) return false;
  for (size_t m = 0; m < length; m++)
    if (key[m] != (text[m] == '_' ? '-' : text[m])) return false;
  return true;
}

static bool read_word(const char *word, size_t length, hymg_options *options, const message *m)
{
  char value[64];
  const char *const equals = memchr(word, '=', length);
  const size_t key = equals ? (size_t)(equals - word) : length;
  for (const option_entry *e = table; e < table + ENTRIES; e++) {
    if (!same_key(e->info.key, word, key)) continue;
    if (!equals)
      return refuse(m, "'%.*s': needs a value, %s=%s", (int)length, word, e->info.key,
                    e->info.values);
    if (length - key > sizeof value)
      return refuse(m, "%s: the value is longer than %d characters", e->info.key,
                    (int)sizeof value - 1);
    memcpy(value, equals + 1, length - key - 1);
    value[length - key - 1] = '\0';
    return read_value(e, value, options, m);
  }
  size_t used = 0;
  char keys[400] = "";
  for (const option_entry *e = table; e < table + ENTRIES; e++)
    used +=
        (size_t)snprintf(keys + used, sizeof keys - used, "%s%s", used ? ", " : "", e->info.key);
  return refuse(m, "'%.*s': no such option; there are %s", (int)key, word, keys);
}

static bool read_words(const char *text, hymg_options *options, const message *m)
{
  static const char between[] = " ,\t\n";
  for (text += strspn(text, between); *text; text += strspn(text, between)) {
    const size_t length = strcspn(text, between);
    if (!read_word(text, length, options, m)) return false;
    text += length;
  }
  return true;
}

/* Numbers have a decimal point, whatever the program's locale. */
hymg_status hymg_options_parse(hymg_options *options, const char *text, char *error, size_t size)
{
  const message m = {error, error ? size : 0};
  if (!options || !text) {
    refuse(&m, "hymg_options_parse: options or text is NULL");
    return HYMG_EINVAL;
  }
  hymg_options changed = *options;
  const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  const locale_t users = uselocale(plain); /* without memory for another, the program's stays */
  const bool read = read_words(text, &changed, &m);
  uselocale(users);
  if (plain) freelocale(plain);
  if (!read) return HYMG_EINVAL;
  *options = changed;
  return HYMG_OK;
}
