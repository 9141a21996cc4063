/* Turns the command line into fv_options: getopt_long, one strict reader per kind of value. What
 * single values mean together is check.c's matter. */
#define _GNU_SOURCE
#include "hymg-fv/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOLVES = 1000000, MAX_DEVICE = 1023, FIRST_CODE = 256 };

const char *const fv_operator_words[] = {"fv2", "fv4", NULL};
const char *const fv_equation_words[] = {"poisson", "helmholtz", NULL};
const char *const fv_boundary_words[] = {"dirichlet", "periodic", "neumann", NULL};
const char *const fv_coefficient_words[] = {"constant", "variable", NULL};
const char *const fv_problem_words[] = {"fv", "p6", "sine", NULL};
const char *const fv_solver_words[] = {"fmg", "mg", "mgpcg", NULL};
const char *const fv_cycle_words[] = {"v", "w", "f", NULL};
const char *const fv_smoother_words[] = {"gsrb", "chebyshev", "jacobi", "l1jacobi", "symgs", NULL};
const char *const fv_bottom_words[] = {"bicgstab", "cg", "cabicgstab", "cacg", "smoother", NULL};
const char *const fv_backend_words[] = {"auto", "host", "cuda", NULL};
const char *const fv_memory_words[] = {"device", "managed", NULL};
const char *const fv_tuning_words[] = {"measure", "estimate", NULL};
const char *const fv_comm_words[] = {"auto", "device", "staged", "peer", "nccl", NULL};
const char *const fv_kind_words[] = {"f", "v", "w", "cg", NULL};

#define FV_OPTION_NAME(id, name, argument, help) name,
static const char *const option_names[] = {FV_OPTION_LIST(FV_OPTION_NAME)};
#undef FV_OPTION_NAME

bool fv_refuse(fv_error *error, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(error->text, sizeof error->text, format, list);
  va_end(list);
  return false;
}

/* ---- one reader per kind of value; what names the option in messages ---- */

static bool read_int(const char *what, const char *text, long low, long high, int *out,
                     fv_error *error)
{
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 10);
  if (end == text || *end)
    return fv_refuse(error, "%s '%s': not a whole number (%ld ... %ld)", what, text, low, high);
  if (errno == ERANGE || value < low || value > high)
    return fv_refuse(error, "%s %s: must be %ld ... %ld", what, text, low, high);
  *out = (int)value;
  return true;
}

static bool read_real(const char *what, const char *text, double *out, fv_error *error)
{
  char *end;
  const double value = strtod(text, &end);
  if (end == text || *end || !isfinite(value))
    return fv_refuse(error, "%s '%s': not a finite number", what, text);
  *out = value;
  return true;
}

/* Index of the word, or -1 with a message that lists them. */
static int read_word(const char *what, const char *text, const char *const *words, fv_error *error)
{
  char list[128] = "";
  for (int i = 0; words[i]; i++) {
    if (strcmp(text, words[i]) == 0) return i;
    strncat(list, i > 0 ? ", " : "", sizeof list - strlen(list) - 1);
    strncat(list, words[i], sizeof list - strlen(list) - 1);
  }
  fv_refuse(error, "%s '%s': must be one of %s", what, text, list);
  return -1;
}

static bool read_triple(const char *what, const char *text, int out[3], fv_error *error)
{
  char copy[64], *rest = copy;
  int value[3];
  if (strlen(text) >= sizeof copy)
    return fv_refuse(error, "%s '%s': not three whole numbers NX,NY,NZ", what, text);
  strcpy(copy, text);
  for (int axis = 0; axis < 3; axis++) {
    const char *part = strsep(&rest, ",");
    if (!part || (axis == 2 && rest))
      return fv_refuse(error, "%s '%s': not three whole numbers NX,NY,NZ", what, text);
    if (!read_int(what, part, 1, MAX_CELLS_PER_AXIS, &value[axis], error)) return false;
  }
  memcpy(out, value, sizeof value);
  return true;
}

static bool read_boundary(const char *text, hymg_boundary out[6], fv_error *error)
{
  char copy[128], *rest = copy;
  int count = 0;
  if (strlen(text) >= sizeof copy)
    return fv_refuse(error, "--boundary: longer than six words: '%.80s'", text);
  strcpy(copy, text);
  for (const char *part = strsep(&rest, ","); part; part = strsep(&rest, ",")) {
    const int kind = read_word("--boundary", part, fv_boundary_words, error);
    if (kind < 0) return false;
    if (count < 6) out[count] = (hymg_boundary)kind;
    count++;
  }
  if (count != 1 && count != 6)
    return fv_refuse(error, "--boundary '%s': takes one word, or six for x-,x+,y-,y+,z-,z+; not %d",
                     text, count);
  for (int face = 1; face < 6 && count == 1; face++)
    out[face] = out[0];
  return true;
}

fv_boundary_text fv_boundary_string(const hymg_boundary boundary[6])
{
  fv_boundary_text out = {""};
  bool same = true;
  for (int face = 1; face < 6; face++)
    same = same && boundary[face] == boundary[0];
  for (int face = 0; face < (same ? 1 : 6); face++) {
    if (face > 0) strcat(out.text, ",");
    strcat(out.text, fv_boundary_words[boundary[face]]);
  }
  return out;
}

static bool read_cells(const char *what, const char *text, int64_t *out, fv_error *error)
{
  char *end;
  if (strcmp(text, "auto") == 0) {
    *out = -1;
    return true;
  }
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (end == text || *end || errno == ERANGE || value < 0)
    return fv_refuse(error, "%s '%s': must be 'auto' or a number of cells >= 0", what, text);
  *out = value;
  return true;
}

static bool read_device(const char *what, const char *text, int *out, fv_error *error)
{
  const bool shared = strcmp(text, "shared") == 0;
  if (!shared && strcmp(text, "own") != 0) return read_int(what, text, 0, MAX_DEVICE, out, error);
  *out = shared ? HYMG_DEVICE_SHARED : HYMG_DEVICE_OWN;
  return true;
}

/* ---- options ---- */

static bool set_word(fv_options *o, fv_option option, const char *what, const char *text,
                     fv_error *error)
{
  static const char *const *const words[FV_OPTION_COUNT] = {[FV_OPERATOR] = fv_operator_words,
                                                            [FV_EQUATION] = fv_equation_words,
                                                            [FV_COEFFICIENTS] =
                                                                fv_coefficient_words,
                                                            [FV_PROBLEM] = fv_problem_words,
                                                            [FV_SOLVER] = fv_solver_words,
                                                            [FV_CYCLE] = fv_cycle_words,
                                                            [FV_SMOOTHER] = fv_smoother_words,
                                                            [FV_BOTTOM] = fv_bottom_words,
                                                            [FV_BACKEND] = fv_backend_words,
                                                            [FV_MEMORY] = fv_memory_words,
                                                            [FV_COMM] = fv_comm_words,
                                                            [FV_TUNING] = fv_tuning_words};
  const int value = read_word(what, text, words[option], error);
  if (value < 0) return false;
  switch (option) {
  case FV_OPERATOR:
    o->stencil = (hymg_stencil)value;
    break;
  case FV_EQUATION:
    o->helmholtz = value == 1;
    break;
  case FV_COEFFICIENTS:
    o->variable = value == 1;
    break;
  case FV_PROBLEM:
    o->problem = (problem_kind)value;
    break;
  case FV_SOLVER:
    o->solver.method = (hymg_method)value;
    break;
  case FV_CYCLE:
    o->solver.cycle = (hymg_cycle)value;
    break;
  case FV_SMOOTHER:
    o->solver.smoother = (hymg_smoother)value;
    break;
  case FV_BOTTOM:
    o->solver.bottom = (hymg_bottom)value;
    break;
  case FV_MEMORY:
    o->solver.memory = (hymg_memory)value;
    break;
  case FV_TUNING:
    o->solver.tuning = (hymg_tuning)value;
    break;
  case FV_COMM:
    o->solver.transport = (hymg_transport)value;
    break;
  default:
    o->solver.backend = (hymg_backend)value;
    break;
  }
  return true;
}

static bool set_number(fv_options *o, fv_option option, const char *what, const char *text,
                       fv_error *error)
{
  switch (option) {
  case FV_A:
    if (!read_real(what, text, &o->a, error)) return false;
    return o->a >= 0.0 || fv_refuse(error, "--a %s: must not be negative", text);
  case FV_B:
    if (!read_real(what, text, &o->b, error)) return false;
    return o->b > 0.0 || fv_refuse(error, "--b %s: must be greater than 0", text);
  case FV_RTOL:
    if (!read_real(what, text, &o->solver.rtol, error)) return false;
    return (o->solver.rtol > 0.0 && o->solver.rtol < 1.0) ||
           fv_refuse(error, "--rtol %s: must be greater than 0 and less than 1", text);
  case FV_MIN_SECONDS:
    if (!read_real(what, text, &o->min_seconds, error)) return false;
    return (o->min_seconds >= 0.0 && o->min_seconds <= 86400.0) ||
           fv_refuse(error, "--min-seconds %s: must be 0 ... 86400", text);
  case FV_SWEEPS:
    return read_int(what, text, 1, 1000, &o->solver.sweeps, error);
  case FV_MAX_CYCLES:
    return read_int(what, text, 1, 10000, &o->solver.max_cycles, error);
  case FV_WARMUP:
    return read_int(what, text, 0, MAX_SOLVES, &o->warmup, error);
  case FV_PEER_SECONDS:
    if (!read_real(what, text, &o->solver.peer_seconds, error)) return false;
    return (o->solver.peer_seconds > 0.0 && o->solver.peer_seconds <= 1e6) ||
           fv_refuse(error, "--peer-seconds %s: must be greater than 0, 1e6 at most", text);
  case FV_DEVICE:
    return read_device(what, text, &o->device, error);
  default:
    return read_int(what, text, 1, MAX_SOLVES, &o->min_solves, error);
  }
}

static bool set_option(fv_options *o, fv_option option, const char *text, fv_error *error)
{
  char what[32];
  snprintf(what, sizeof what, "--%s", option_names[option]);
  if (o->given[option]) return fv_refuse(error, "%s is given twice", what);
  o->given[option] = true;
  switch (option) {
  case FV_GRID:
    return read_triple(what, text, o->grid.n, error);
  case FV_BOXES:
    return read_triple(what, text, o->grid.boxes, error);
  case FV_BOUNDARY:
    return read_boundary(text, o->grid.boundary, error);
  case FV_HOST_CELLS:
    return read_cells(what, text, &o->solver.host_cells, error);
  case FV_TAIL_CELLS:
    return read_cells(what, text, &o->solver.tail_cells, error);
  case FV_GATHER_CELLS:
    return read_cells(what, text, &o->solver.gather_cells, error);
  case FV_TUNING_FILE:
    o->solver.tuning_file = strcmp(text, "none") == 0 ? NULL : text;
    return *text || fv_refuse(error, "--tuning-file: the file name is empty");
  case FV_PROBE_FILE:
    o->solver.probe_file = strcmp(text, "none") == 0 ? NULL : text;
    return *text || fv_refuse(error, "--probe-file: the file name is empty");
  case FV_JSON:
    o->json = text;
    return *text || fv_refuse(error, "--json: the file name is empty");
  case FV_OFFICIAL:
  case FV_PLAN:
  case FV_PROBE_COMM:
  case FV_DEVICES:
  case FV_QUIET:
  case FV_VERBOSE:
  case FV_VERSION:
  case FV_HELP:
    return true;
  case FV_A:
  case FV_B:
  case FV_RTOL:
  case FV_MIN_SECONDS:
  case FV_SWEEPS:
  case FV_MAX_CYCLES:
  case FV_WARMUP:
  case FV_MIN_SOLVES:
  case FV_DEVICE:
  case FV_PEER_SECONDS:
    return set_number(o, option, what, text, error);
  default:
    return set_word(o, option, what, text, error);
  }
}

static fv_options defaults(void)
{
  fv_options o = {.stencil = HYMG_FV4, .b = 1.0, .variable = true, .problem = PROBLEM_FV};
  o.grid = hymg_grid_desc_default();
  o.solver = hymg_options_default();
  o.device = HYMG_DEVICE_SHARED;
  o.warmup = 10;
  o.min_solves = 10;
  o.min_seconds = 1.0;
  return o;
}

/* Why getopt_long returned '?' or ':'. */
static bool refuse_unknown(int result, char **argv, fv_error *error)
{
  const char *word = optind > 0 ? argv[optind - 1] : "";
  if (result == ':') return fv_refuse(error, "%s needs a value", word);
  if (optopt > 0 && optopt < FIRST_CODE)
    return fv_refuse(error, "unknown option '-%c' (sizes are not negative)", optopt);
  if (optopt >= FIRST_CODE)
    return fv_refuse(error, "--%s takes no value", option_names[optopt - FIRST_CODE]);
  return fv_refuse(error, "unknown or ambiguous option '%s'", word);
}

static bool read_options(int argc, char **argv, fv_options *o, fv_error *error)
{
#define FV_OPTION_LONG(id, name, argument, help)                                                   \
  {name, (argument) ? required_argument : no_argument, NULL, FIRST_CODE + FV_##id},
  static const struct option table[] = {FV_OPTION_LIST(FV_OPTION_LONG){NULL, 0, NULL, 0}};
#undef FV_OPTION_LONG
  static const char letters[] = "qvVh";
  static const fv_option of_letter[] = {FV_QUIET, FV_VERBOSE, FV_VERSION, FV_HELP};
  int result;
  opterr = 0;
  while ((result = getopt_long(argc, argv, ":qvVh", table, NULL)) != -1) {
    if (result == '?' || result == ':') return refuse_unknown(result, argv, error);
    const char *letter = result < FIRST_CODE ? strchr(letters, result) : NULL;
    const fv_option option =
        letter ? of_letter[letter - letters] : (fv_option)(result - FIRST_CODE);
    if (!set_option(o, option, optarg, error)) return false;
    if (option == FV_HELP || option == FV_VERSION || option == FV_DEVICES) return true;
  }
  return true;
}

static bool read_sizes(int count, char **word, int ranks, fv_options *o, fv_error *error)
{
  if (o->given[FV_GRID] && count > 0)
    return fv_refuse(error, "--grid and LOG2_BOX_DIM BOXES_PER_RANK both give the size");
  if (o->given[FV_GRID]) {
    for (int axis = 0; axis < 3; axis++)
      o->grid.spacing[axis] = 1.0 / o->grid.n[axis];
    return true;
  }
  if (count == 1) return fv_refuse(error, "LOG2_BOX_DIM %s needs BOXES_PER_RANK after it", word[0]);
  if (count > 2) return fv_refuse(error, "unexpected argument '%s'", word[2]);
  if (o->given[FV_BOXES])
    return fv_refuse(error, "--boxes needs --grid: LOG2_BOX_DIM BOXES_PER_RANK fix the boxes");
  o->log2_sizes = true;
  o->log2_box_dim = 7;
  o->boxes_per_rank = 1;
  if (count == 2 && (!read_int("LOG2_BOX_DIM", word[0], 4, 9, &o->log2_box_dim, error) ||
                     !read_int("BOXES_PER_RANK", word[1], 1, 1000000, &o->boxes_per_rank, error)))
    return false;
  return fv_log2_grid(o, ranks, error);
}

fv_action fv_options_parse(int argc, char **argv, int ranks, fv_options *options, fv_error *error)
{
  fv_options o = defaults();
  if (!read_options(argc, argv, &o, error)) return FV_REFUSED;
  if (o.given[FV_HELP]) return FV_PRINT_HELP;
  if (o.given[FV_VERSION]) return FV_PRINT_VERSION;
  if (o.given[FV_DEVICES]) return FV_PRINT_DEVICES;
  if (!read_sizes(argc - optind, argv + optind, ranks, &o, error)) return FV_REFUSED;
  if (!fv_options_check(&o, error)) return FV_REFUSED;
  *options = o;
  return o.given[FV_PROBE_COMM] ? FV_PROBE : FV_RUN;
}
