/* hymg-fv: the HPGMG-FV benchmark protocol on hymg's public headers alone. Exit status: 0 done; 1
 * failed verdict, not converged or not finite; 2 bad input; 3 failure at run time. */
#include "common/json.h"
#include "common/machine.h"
#include "common/start.h"
#include "hymg-fv/output.h"
#include "hymg-fv/run.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_BAD_INPUT = 2, EXIT_AT_RUN_TIME = 3 };

static bool is_first(const fv_run *run)
{
  return hymg_context_rank(run->context) == 0;
}

static void describe_run(const fv_run *run, fv_report *report)
{
  report->options = run->options;
  report->machine = fv_machine_info();
  report->build = hymg_build_info();
  report->comm = start_name();
  report->ranks = hymg_context_ranks(run->context);
  report->threads = hymg_context_threads(run->context);
  report->nodes = hymg_context_nodes(run->context);
  report->pass = FV_NO_VERDICT;
}

/* Before any work. */
static bool can_write_json(fv_run *run)
{
  fv_error error;
  double failed = 0.0;
  if (run->options->json && is_first(run) && !fv_output_check(run->options->json, &error)) {
    fprintf(stderr, "hymg-fv: %s\n", error.text);
    failed = 1.0;
  }
  fv_max(run, &failed);
  run->exit_code = failed > 0.0 ? EXIT_BAD_INPUT : 0;
  return failed == 0.0;
}

/* The work is done by then: what cannot go into the file goes to stdout. */
static bool write_json(const fv_run *run, const fv_report *report)
{
  fv_error error;
  if (!run->options->json || !is_first(run)) return true;
  if (fv_output_write(run->options->json, report, &error)) return true;
  fprintf(stderr, "hymg-fv: %s; the results follow on standard output\n", error.text);
  json_write(report, stdout);
  return false;
}

static bool measure_all(fv_run *run, fv_report *report)
{
  for (int size = 0; size < report->num_sizes; size++) {
    if (!fv_measure(run, report, size)) return false;
    if (is_first(run)) fv_print_size(report, size);
  }
  return true;
}

static int run_benchmark(fv_run *run)
{
  fv_report report = {.options = NULL};
  if (!can_write_json(run)) return run->exit_code;
  describe_run(run, &report);
  bool ok = fv_start_device(run, &report) && fv_make_grid(run, &report);
  if (ok && run->options->given[FV_PLAN]) {
    ok = fv_plan(run, &report);
    fv_cleanup(run);
    return ok ? 0 : run->exit_code;
  }
  ok = ok && fv_setup(run, &report);
  if (ok && is_first(run)) fv_print_setup(&report);
  ok = ok && measure_all(run, &report) && fv_richardson(run, &report) && fv_breakdown(run, &report);
  int code = ok ? fv_exit_code(&report) : run->exit_code;
  if (ok && is_first(run)) fv_print_end(&report);
  if (ok && !write_json(run, &report)) code = EXIT_AT_RUN_TIME;
  fv_cleanup(run);
  fv_report_free(&report);
  return code;
}

static int act_in_context(fv_action action, fv_run *run)
{
  return action == FV_RUN     ? run_benchmark(run)
         : action == FV_PROBE ? fv_probe(run)
                              : fv_print_devices(run->context);
}

static int run_in_context(fv_action action, const fv_options *options)
{
  fv_run run = {.options = options};
  hymg_context_options context = hymg_context_options_default();
  if (action != FV_PRINT_DEVICES) context.device = options->device;
  const hymg_status status = start_context(&context, &run.context);
  if (status != HYMG_OK) {
    fprintf(stderr, "hymg-fv: context failed: %s\n", hymg_status_text(status));
    start_abort(EXIT_AT_RUN_TIME); /* there is no communicator to agree on */
  }
  const int code = act_in_context(action, &run);
  hymg_context_destroy(&run.context);
  return code;
}

/* Every rank sees the same command line and decides alike; rank 0 speaks. */
static int act(fv_action action, const fv_options *options, const fv_error *error)
{
  const bool first = start_rank() == 0;
  if (action == FV_RUN || action == FV_PROBE || action == FV_PRINT_DEVICES)
    return run_in_context(action, options);
  if (action == FV_REFUSED) {
    if (first) fprintf(stderr, "hymg-fv: %s\nTry 'hymg-fv --help'.\n", error->text);
    return EXIT_BAD_INPUT;
  }
  if (first && action == FV_PRINT_HELP) fv_print_help();
  if (first && action == FV_PRINT_VERSION) fv_print_version();
  return 0;
}

int main(int argc, char **argv)
{
  fv_options options;
  fv_error error;
  if (!fv_stdout_begin("hymg-fv")) return EXIT_AT_RUN_TIME;
  if (!start_begin(&argc, &argv)) {
    fprintf(stderr, "hymg-fv: MPI did not start\n");
    return EXIT_AT_RUN_TIME;
  }
  memset(&options, 0, sizeof options);
  const int code =
      act(fv_options_parse(argc, argv, start_ranks(), &options, &error), &options, &error);
  start_end();
  return fv_stdout_end("hymg-fv", code);
}
