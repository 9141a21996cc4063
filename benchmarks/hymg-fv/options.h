/* The command line of hymg-fv: every option with its help text in one list, and what parsing makes
 * of it. */
#ifndef FV_OPTIONS_H
#define FV_OPTIONS_H

#include "common/problem.h"
#include "hymg.h"

enum { MAX_CELLS_PER_AXIS = 1 << 20 }; /* so that totals fit 64 bits */

/* X(id, name, argument or NULL, help). The order is that of --help. */
#define FV_OPTION_LIST(X)                                                                          \
  X(GRID, "grid", "NX,NY,NZ",                                                                      \
    "cells per axis of the unit cube, each 1 ... 1048576, instead of the two sizes; the\n"         \
    "spacing of an axis is 1 over its cells. All axes are halved together while all are\n"         \
    "even, so odd factors stay on the coarsest level; above 4096 cells there is announced.")       \
  X(BOXES, "boxes", "NX,NY,NZ",                                                                    \
    "with --grid: boxes per axis, each dividing the cells of its axis. Where all axes are\n"       \
    "even, boxes need even sides; FV4 needs boxes of 3 cells. Default: one box per rank or\n"      \
    "the nearest count that fits")                                                                 \
  X(OPERATOR, "operator", "fv2|fv4",                                                               \
    "order of the finite-volume stencil, 7 or 25 points; default fv4")                             \
  X(EQUATION, "equation", "poisson|helmholtz",                                                     \
    "a u - b div(beta grad u) = f with a = 0, b = 1 (poisson, the default) or a = b = 1")          \
  X(A, "a", "NUMBER", "the factor a >= 0 of helmholtz")                                            \
  X(B, "b", "NUMBER", "the factor b > 0")                                                          \
  X(BOUNDARY, "boundary", "KIND",                                                                  \
    "dirichlet (default), periodic or neumann on all walls, or six of these for x-,x+,y-,y+,\n"    \
    "z-,z+ separated by commas; periodic on both walls of an axis or on none; neumann needs\n"     \
    "fv2")                                                                                         \
  X(COEFFICIENTS, "coefficients", "variable|constant",                                             \
    "beta of the problem (default) or beta = 1")                                                   \
  X(PROBLEM, "problem", "fv|p6|sine",                                                              \
    "fv: f = product of sin(2 pi x)^7, no exact solution (default); p6: u = product of\n"          \
    "sextics; sine: u = product of sin(2 pi x)^13 + product of sin(6 pi x)^13")                    \
  X(SOLVER, "solver", "fmg|mg|mgpcg",                                                              \
    "fmg: one F-cycle and nothing after it (default); mg: cycles down to --rtol; mgpcg:\n"         \
    "conjugate gradients preconditioned with one cycle, down to --rtol")                           \
  X(CYCLE, "cycle", "f|v|w",                                                                       \
    "fmg takes f; mg f (default: an F-cycle, then V-cycles), v or w (from zero); mgpcg v\n"        \
    "(default) or w")                                                                              \
  X(SMOOTHER, "smoother", "NAME", "gsrb (default), chebyshev, jacobi, l1jacobi, symgs")            \
  X(SWEEPS, "sweeps", "N",                                                                         \
    "stencil passes of each pre- and post-smooth, 1 ... 1000; default 6, symgs 4; even for\n"      \
    "gsrb and symgs, a multiple of the degree 6 for chebyshev")                                    \
  X(BOTTOM, "bottom", "NAME",                                                                      \
    "coarsest level: bicgstab (default), cg, cabicgstab, cacg, smoother")                          \
  X(RTOL, "rtol", "NUMBER", "mg and mgpcg stop at max|r| <= NUMBER max|f|; default 1e-10")         \
  X(MAX_CYCLES, "max-cycles", "N", "mg and mgpcg give up after N cycles, 1 ... 10000; default 20") \
  X(BACKEND, "backend", "auto|host|cuda",                                                          \
    "auto (default): the GPU where every rank has one and the smoother runs there (symgs does\n"   \
    "not), else the host")                                                                         \
  X(DEVICE, "device", "N|shared|own",                                                              \
    "CUDA device, counted from 0; shared (default): one for each rank of a node in turn, by\n"     \
    "several if there are fewer; own: likewise, but fewer are an error")                           \
  X(MEMORY, "memory", "device|managed",                                                            \
    "with CUDA: vectors in device memory (default) or in managed memory")                          \
  X(HOST_CELLS, "host-cells", "N|auto",                                                            \
    "with CUDA: the first level whose largest share per rank has fewer cells, and all below,\n"    \
    "run on the host; 0: none; default auto: as tuned")                                            \
  X(TAIL_CELLS, "tail-cells", "N|auto",                                                            \
    "with CUDA: V-cycles from the first level with fewer cells than this take one launch, if\n"    \
    "none is on the host; 0: none; default auto: as tuned")                                        \
  X(TUNING, "tuning", "measure|estimate",                                                          \
    "how the fastest way to run levels is found: by trying (default) or from a table")             \
  X(TUNING_FILE, "tuning-file", "FILE|none",                                                       \
    "with CUDA: keeps what was measured for --host-cells and --tail-cells; default\n"              \
    "$XDG_CACHE_HOME/hymg/tuning or ~/.cache/hymg/tuning")                                         \
  X(COMM, "comm", "KIND",                                                                          \
    "how ranks with GPUs exchange cells: peer: kernels write into the GPUs of the same node,\n"    \
    "no two ranks on one; staged: MPI gets pinned host memory; device: MPI gets device memory\n"   \
    "(a CUDA-aware MPI); nccl: NCCL's sends and receives, no two ranks on one GPU (--version\n"    \
    "says if it is built in); auto (default): peer on a node where that is possible, else\n"       \
    "staged; between nodes device if --probe-comm worked, else staged")                            \
  X(GATHER_CELLS, "gather-cells", "N|auto",                                                        \
    "with CUDA and several ranks: levels of fewer cells in all are on one rank; 0: as on the\n"    \
    "host; default auto: as fits the exchange")                                                    \
  X(PEER_SECONDS, "peer-seconds", "NUMBER",                                                        \
    "with peer and nccl: a GPU, or who waits for it, gives up after so long; default 60")          \
  X(PROBE_FILE, "probe-file", "FILE|none",                                                         \
    "what --probe-comm has shown; default $XDG_CACHE_HOME/hymg/probe or ~/.cache/hymg/probe")      \
  X(WARMUP, "warmup", "N", "untimed solves before each size, 0 ... 1000000; default 10")           \
  X(MIN_SOLVES, "min-solves", "N",                                                                 \
    "timed solves of each size at least, 1 ... 1000000; default 10")                               \
  X(MIN_SECONDS, "min-seconds", "NUMBER",                                                          \
    "... and as many as fill this time, 0 ... 86400; default 1, with --official 60")               \
  X(OFFICIAL, "official", NULL,                                                                    \
    "the ranked configuration (fv4, variable, poisson, dirichlet, fv, gsrb, one F-cycle,\n"        \
    "bicgstab; warm-up 10, at least 10 solves and 60 s per size; at least 128 cells per\n"         \
    "axis); refuses options that break it")                                                        \
  X(PLAN, "plan", NULL,                                                                            \
    "print the memory that each level needs and what is free on the GPU, take none and exit;\n"    \
    "of any size")                                                                                 \
  X(PROBE_COMM, "probe-comm", NULL,                                                                \
    "try on two ranks whether MPI takes device memory, keep the answer and exit with 0 if it\n"    \
    "does; where it does not this may end in a crash, which is an answer, too")                    \
  X(DEVICES, "devices", NULL,                                                                      \
    "print the CUDA devices, or why there are none (status 1), and exit")                          \
  X(JSON, "json", "FILE", "write the results as one JSON object, schema hymg-fv/1")                \
  X(QUIET, "quiet", NULL, "print the last line only, the DOF/s of the finest size")                \
  X(VERBOSE, "verbose", NULL,                                                                      \
    "also the levels, every cycle's residual with all digits, every row of the time table")        \
  X(VERSION, "version", NULL, "print the version and how it was built")                            \
  X(HELP, "help", NULL, "print this text")

typedef enum fv_option {
#define FV_OPTION_ENUM(id, name, argument, help) FV_##id,
  FV_OPTION_LIST(FV_OPTION_ENUM)
#undef FV_OPTION_ENUM
      FV_OPTION_COUNT
} fv_option;

typedef struct fv_options {
  bool given[FV_OPTION_COUNT];
  bool log2_sizes; /* LOG2_BOX_DIM BOXES_PER_RANK, else --grid */
  int log2_box_dim;
  int boxes_per_rank;
  hymg_grid_desc grid;
  hymg_stencil stencil;
  bool helmholtz;
  double a, b;
  bool variable;
  problem_kind problem;
  hymg_options solver; /* sweeps resolved */
  int device;          /* or HYMG_DEVICE_SHARED or OWN */
  int warmup;
  int min_solves;
  double min_seconds;
  const char *json; /* or NULL */
} fv_options;

/* Why a command line was refused. */
typedef struct fv_error {
  char text[512];
} fv_error;

typedef enum fv_action {
  FV_RUN,
  FV_PRINT_HELP,
  FV_PRINT_VERSION,
  FV_PRINT_DEVICES,
  FV_PROBE,
  FV_REFUSED
} fv_action;

/* argv is permuted as getopt_long does. options is complete only for FV_RUN and FV_PROBE, error only for
 * FV_REFUSED. */
fv_action fv_options_parse(int argc, char **argv, int ranks, fv_options *options, fv_error *error);

/* Which options contradict each other, the rules of --official, and the defaults that depend on
 * others (check.c). */
bool fv_options_check(fv_options *options, fv_error *error);
/* The grid of LOG2_BOX_DIM BOXES_PER_RANK on so many ranks. */
bool fv_log2_grid(fv_options *options, int ranks, fv_error *error);

/* Writes the text and returns false. */
__attribute__((format(printf, 2, 3))) bool fv_refuse(fv_error *error, const char *format, ...);

/* Words of the options, in the order of their enums, NULL at the end. */
extern const char *const fv_operator_words[], *const fv_equation_words[],
                                                  *const fv_boundary_words[];
extern const char *const fv_coefficient_words[], *const fv_problem_words[],
                                                     *const fv_solver_words[];
extern const char *const fv_cycle_words[], *const fv_smoother_words[], *const fv_bottom_words[];
extern const char *const fv_backend_words[], *const fv_kind_words[];
extern const char *const fv_memory_words[], *const fv_tuning_words[], *const fv_comm_words[];

/* "dirichlet", or six words separated by commas. */
typedef struct fv_boundary_text {
  char text[80];
} fv_boundary_text;
fv_boundary_text fv_boundary_string(const hymg_boundary boundary[6]);

void fv_print_help(void);
void fv_print_version(void);

#endif
