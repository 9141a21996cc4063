/* Human-readable output on stdout: set-up, one line per finished size, verdict, time per level and
 * level operation, memory; the last line is the DOF/s of the finest size. */
#include "hymg-fv/report.h"

#include "common/kit/terminal.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows of the time table with a smaller share are summed up in one row unless --verbose. */
static const double least_share = 0.01;

typedef struct cells_text {
  char text[48];
} cells_text;

static cells_text cells_string(const int n[3])
{
  cells_text out;
  snprintf(out.text, sizeof out.text, "%d x %d x %d", n[0], n[1], n[2]);
  return out;
}

/* "1 level", "7 levels" */
static cells_text counted(long long number, const char *noun)
{
  cells_text out;
  snprintf(out.text, sizeof out.text, "%lld %s%s", number, noun, number == 1 ? "" : "s");
  return out;
}

static int64_t product(const int n[3])
{
  return (int64_t)n[0] * n[1] * n[2];
}

/* ---- set-up ---- */

static void print_equation(const fv_options *o)
{
  printf("equation  %s, a = %g, b = %g, %s beta, boundary %s, problem %s, operator %s\n",
         fv_equation_words[o->helmholtz], o->a, o->b, fv_coefficient_words[o->variable],
         fv_boundary_string(o->grid.boundary).text, fv_problem_words[o->problem],
         fv_operator_words[o->stencil]);
  if (fv_has_robin(o->grid.boundary))
    printf("robin     %g u + %g du/dn = 0\n", o->robin[0], o->robin[1]);
}

static void print_solver(const fv_report *r)
{
  const hymg_options *s = &r->options->solver;
  const int sweeps = r->levels[0].sweeps, below = r->levels[r->num_levels - 1].sweeps;
  printf("solver    %s, cycle %s, %s with %s", hymg_enum_name("hymg_method", (int)s->method),
         hymg_enum_name("hymg_cycle", (int)s->cycle),
         hymg_enum_name("hymg_smoother", (int)s->smoother), counted(sweeps, "sweep").text);
  if (below != sweeps) printf(" and %d below the finest level", below);
  printf(", bottom %s, backend %s", hymg_enum_name("hymg_bottom", (int)s->bottom),
         hymg_enum_name("hymg_backend", (int)s->backend));
  if (s->method != HYMG_FMG)
    printf("; to %g in at most %s", s->rtol, counted(s->max_cycles, "cycle").text);
  if (s->precision != HYMG_DOUBLE)
    printf("; precision %s", hymg_enum_name("hymg_precision", (int)s->precision));
  putchar('\n');
}

static void print_levels(const fv_report *r)
{
  printf("\nlevel  cells                     box                    boxes   ranks  backend  "
         "lambda_max\n");
  for (int n = 0; n < r->num_levels; n++) {
    const hymg_level_info *l = &r->levels[n];
    printf("%5d  %-24s  %-19s %8lld  %6d  %-7s  %.15g\n", n, cells_string(l->cells).text,
           cells_string(l->box).text, (long long)l->boxes, l->ranks,
           hymg_enum_name("hymg_backend", (int)l->backend), l->lambda_max);
    if (l->kernels[0]) printf("       %s\n", l->kernels);
  }
}

/* "levels 0 to 4", "level 0", "no level": from ... to - 1 */
static cells_text range_string(int from, int to)
{
  cells_text out = {"no level"};
  if (to == from + 1)
    snprintf(out.text, sizeof out.text, "level %d", from);
  else if (to > from)
    snprintf(out.text, sizeof out.text, "levels %d to %d", from, to - 1);
  return out;
}

static void print_device(const fv_report *r)
{
  const hymg_device_info *d = &r->device;
  const hymg_tuning_info *t = &r->tuning;
  const fv_options *o = r->options;
  if (*r->build.cuda && o->solver.smoother == HYMG_SYMGS && o->solver.backend != HYMG_BACKEND_HOST)
    puts("note      smoother symgs: all levels are on the host");
  if (*t->note) printf("note      tuning: %s\n", t->note);
  if (!r->has_device) return;
  printf("device    %d: %s, compute capability %d.%d, %.1f GB, %.1f GB free; %s memory; CUDA "
         "started in %.3f s\n",
         d->ordinal, d->name, d->capability[0], d->capability[1], 1e-9 * d->memory_bytes,
         1e-9 * d->free_bytes, hymg_enum_name("hymg_memory", (int)o->solver.memory),
         r->startup_seconds);
  printf("placement %s on the GPU, %s there in one launch, ", range_string(0, t->tail_from).text,
         range_string(t->tail_from, t->host_from).text);
  printf("%s on the host: %s", range_string(t->host_from, r->num_levels).text,
         hymg_tuning_source_name(t->source));
  if (t->seconds > 0.0) printf(" in %.3f s", t->seconds);
  putchar('\n');
}

static void print_transport(const fv_report *r)
{
  const hymg_transport_info *t = &r->transport;
  if (t->within == HYMG_TRANSPORT_NONE) return;
  printf("exchange  %s", hymg_transport_name(t->within));
  if (t->between != HYMG_TRANSPORT_NONE)
    printf(", between nodes %s", hymg_transport_name(t->between));
  printf(": %s\n", t->reason);
}

static cells_text boxes_string(const int boxes[3])
{
  cells_text out;
  if (product(boxes) == 1) return counted(1, "box");
  snprintf(out.text, sizeof out.text, "%d x %d x %d boxes", boxes[0], boxes[1], boxes[2]);
  return out;
}

/* More threads than cores are much slower than one thread: threads wait at barriers for others that
 * are not running. */
static void print_crowding(const fv_report *r)
{
  const int ranks = (r->ranks + r->nodes - 1) / r->nodes, cores = r->machine.cores;
  if (cores < 1 || (int64_t)ranks * r->threads <= cores) return;
  printf("note      %s x %s on %s%s: ", counted(ranks, "rank").text,
         counted(r->threads, "thread").text, counted(cores, "core").text,
         r->nodes > 1 ? " of a node" : "");
  if (r->threads > 1)
    printf("set OMP_NUM_THREADS=%d\n", cores > ranks ? cores / ranks : 1);
  else
    puts("more ranks than cores");
}

void fv_print_setup(const fv_report *r)
{
  const fv_options *o = r->options;
  const hymg_level_info *coarsest = &r->levels[r->num_levels - 1];
  if (o->quiet) return;
  printf("hymg-fv %s on %s, %s, %s; %s x %s on %s\n", r->build.version, r->machine.host,
         r->machine.cpu, counted(r->machine.cores, "core").text, counted(r->ranks, "rank").text,
         counted(r->threads, "thread").text, counted(r->nodes, "node").text);
  print_equation(o);
  print_solver(r);
  printf("grid      %s cells in %s, %s", cells_string(o->grid.n).text, boxes_string(r->boxes).text,
         counted(r->num_levels, "level").text);
  if (r->num_levels > 1) printf(" down to %s", cells_string(coarsest->cells).text);
  putchar('\n');
  print_device(r);
  print_transport(r);
  printf("set-up    %.3f s, tuning %.3f s; problem evaluated in %.3f s\n", r->setup_seconds,
         r->tuning_seconds, r->problem_seconds);
  printf("protocol  %s, then at least %s and %g s per size%s\n",
         counted(o->warmup, "warm-up solve").text, counted(o->min_solves, "solve").text,
         o->min_seconds, o->official ? "; official" : "");
  print_crowding(r);
  if (product(coarsest->cells) > 4096)
    printf(
        "note      the coarsest level has %lld cells (more than 4096): its %s solve may dominate; "
        "sizes with more factors of 2 coarsen further\n",
        (long long)product(coarsest->cells), hymg_enum_name("hymg_bottom", (int)o->solver.bottom));
  if (o->verbose) print_levels(r);
  printf("\n%-24s %14s %7s %11s %11s %13s %13s\n", "size", "DOF", "solves", "seconds", "DOF/s",
         "max|r|/max|f|", "max error");
  fflush(stdout);
}

/* ---- sizes ---- */

static void print_details(const fv_report *r, const fv_size *size)
{
  printf("    seconds mean %.6e, median %.6e, min %.6e\n", size->seconds_mean, size->seconds_median,
         size->seconds_min);
  printf("    max|u| %.16e, rms u %.16e\n", size->solution_max, size->solution_rms);
  for (int n = 0; n < size->result.cycles; n++)
    printf("    cycle %3d (%s): max|r| %.16e, max|r|/max|f| %.16e\n", n + 1,
           hymg_enum_name("hymg_cycle_kind", (int)size->cycles[n].kind),
           size->cycles[n].residual_max, size->cycles[n].residual_relative);
  for (const char *line = size->advice, *end; (end = strchr(line, '\n')); line = end + 1)
    printf("    advice: %.*s\n", (int)(end - line), line);
  if (isfinite(size->error_max))
    printf("    max error %.16e, rms error %.16e\n", size->error_max, size->error_rms);
  if (size->result.singular)
    printf("    singular: mean of f %.6e removed\n", size->result.mean_removed);
  if (r->options->solver.method != HYMG_FMG)
    printf("    %s\n    %s after %s: %s\n", size->note,
           size->result.converged ? "converged" : "not converged",
           counted(size->result.cycles, "cycle").text, hymg_reason_name(size->result.reason));
}

void fv_print_size(const fv_report *r, int n)
{
  const fv_size *size = &r->size[n];
  if (r->options->quiet) return;
  printf("%-24s %14lld %7d %11.4e %11.4e %13.6e ", cells_string(size->level.cells).text,
         (long long)size->dof, size->solves, size->seconds_mean, fv_dof_per_second(size),
         size->result.residual_relative);
  if (isnan(size->error_max) && r->options->problem == PROBLEM_FV)
    printf("%13s", "-");
  else
    printf("%13.6e", size->error_max);
  if (!size->result.converged)
    printf("  %s", r->options->solver.method == HYMG_FMG ? "more than the discretisation's"
                                                         : hymg_reason_name(size->result.reason));
  putchar('\n');
  if (fv_is_disturbed(size))
    printf("    disturbed: the mean is %.1f times the shortest solve\n",
           size->seconds_mean / size->seconds_min);
  if (r->options->verbose) print_details(r, size);
  fflush(stdout);
}

/* ---- verdict, table, memory ---- */

/* Between two sizes, by the errors; h is the cube root of the mean cell. */
static void print_orders(const fv_report *r)
{
  for (int n = r->num_sizes - 2; n >= 0; n--) {
    const fv_size *fine = &r->size[n], *coarse = &r->size[n + 1];
    const double ratio = log((double)fine->dof / (double)coarse->dof) / 3;
    if (isnan(fine->error_max) || isnan(coarse->error_max)) continue;
    printf("errors:     order %.4f (max), %.4f (rms) from %s ",
           log(coarse->error_max / fine->error_max) / ratio,
           log(coarse->error_rms / fine->error_rms) / ratio,
           cells_string(coarse->level.cells).text);
    printf("to %s cells\n", cells_string(fine->level.cells).text);
  }
}

static void print_richardson(const fv_report *r)
{
  const bool coloured = fv_decorates(r->options) && terminal_has_colours(stdout);
  const bool passed = r->pass == FV_PASSED;
  if (r->num_own > 0) {
    puts("Richardson: not of sizes that have solvers of their own (robust path)");
    return;
  }
  if (!r->has_richardson) {
    printf("Richardson: needs three sizes, this run has %s\n", counted(r->num_sizes, "size").text);
    return;
  }
  printf("Richardson: error %.15e, order %.4f: ", r->richardson_error, r->richardson_order);
  if (r->pass == FV_NO_VERDICT)
    printf("no verdict for this configuration\n");
  else
    printf("%s%s%s (at least %g)\n",
           !coloured ? ""
           : passed  ? "\033[32m"
                     : "\033[31m",
           passed ? "pass" : "FAIL", coloured ? "\033[0m" : "", fv_order_bound(r->options));
}

static void print_row(int level, const char *operation, long long calls, const double sums[2],
                      double total)
{
  char place[16] = "all", rate[16] = "-";
  if (level >= 0) snprintf(place, sizeof place, "%d", level);
  if (sums[0] > 0.0 && sums[1] > 0.0) snprintf(rate, sizeof rate, "%.2f", 1e-9 * sums[1] / sums[0]);
  printf("%5s  %-22s %9lld %11.4e %9s %6.1f %%\n", place, operation, calls, sums[0], rate,
         total > 0.0 ? 100.0 * sums[0] / total : 0.0);
}

static void print_breakdown(const fv_report *r)
{
  double total = 0.0, rest[2] = {0.0, 0.0}, message_bytes = 0.0;
  long long rest_calls = 0, messages = 0;
  for (int n = 0; n < r->num_rows; n++) {
    total += r->rows[n].seconds;
    messages += r->rows[n].messages;
    message_bytes += r->rows[n].message_bytes;
  }
  printf("\none instrumented solve of the finest size, rank 0: %.4e s\n", total);
  printf("%5s  %-22s %9s %11s %9s %8s\n", "level", "operation", "calls", "seconds", "GB/s",
         "share");
  for (int n = 0; n < r->num_rows; n++) {
    const hymg_profile_row *row = &r->rows[n];
    const double sums[2] = {row->seconds, row->bytes};
    if (r->options->verbose || row->seconds >= least_share * total) {
      print_row(row->level, row->operation, row->calls, sums, total);
    } else {
      rest[0] += row->seconds;
      rest[1] += row->bytes;
      rest_calls += row->calls;
    }
  }
  if (rest_calls > 0) print_row(-1, "rest (under 1 % each)", rest_calls, rest, total);
  if (messages > 0)
    printf("messages sent by rank 0: %lld, %.6g MB\n", messages, 1e-6 * message_bytes);
}

static void print_setup_and_memory(const fv_report *r)
{
  const double cells = (double)product(r->options->grid.n), cycles = fv_setup_cycles(r);
  putchar('\n');
  if (isfinite(cycles)) printf("set-up    %.1f F-cycles, tuning apart\n", cycles);
  printf("memory    %.1f bytes per DOF live during a solve", r->bytes_per_dof);
  if (r->ranks == 1)
    printf("; the process peaked at %.1f bytes per DOF\n", r->peak_bytes / cells);
  else
    printf("; the largest rank peaked at %.1f MB\n", 1e-6 * r->peak_bytes);
}

static void print_outcome(const fv_report *r)
{
  if (fv_exit_code(r) != 0)
    fprintf(stderr, "hymg-fv: %s\n",
            r->pass == FV_FAILED ? "the order of convergence is below its bound"
                                 : "a solve did not converge or is not finite");
  if (r->options->official && !r->official)
    fprintf(stderr, "hymg-fv: the official rule did not hold\n");
}

void fv_print_end(const fv_report *r)
{
  const fv_options *o = r->options;
  const fv_size *finest = &r->size[0];
  if (!o->quiet) {
    putchar('\n');
    print_orders(r);
    print_richardson(r);
    print_breakdown(r);
    print_setup_and_memory(r);
    fv_print_energy(r);
    putchar('\n');
  }
  print_outcome(r);
  printf("%.6e DOF/s  (%s cells, %s, mean of %s)%s\n", fv_dof_per_second(finest),
         cells_string(finest->level.cells).text, fv_operator_words[o->stencil],
         counted(finest->solves, "solve").text, r->official ? "  OFFICIAL" : "");
  fflush(stdout);
}
