/* hymg-fv: the HPGMG-FV benchmark protocol, using hymg's public headers only. Exit status: 0 done;
 * 1 failed verdict, not converged or not finite; 2 bad input; 3 failure at run time. */
#include "common/kit/machine.h"
#include "common/kit/rows.h"
#include "common/start.h"
#include "hymg-fv/run.h"
#include "hymg-fv/submit.h"

#include <stdio.h>

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
  if (run->options->submit) /* in public the machine has the name that its user gives it */
    snprintf(report->machine.host, sizeof report->machine.host, "%.127s",
             run->options->machine_name);
}

/* Is it well on all ranks? */
static bool agreed(fv_run *run, bool well)
{
  run->exit_code = fv_any(run, !well) ? EXIT_BAD_INPUT : 0;
  return run->exit_code == 0;
}

/* Called before any work. */
static bool can_write(fv_run *run, const char *option, const char *name)
{
  return agreed(run, !is_first(run) || output_check("hymg-fv", option, name));
}

/* The last of these checks: from here on what is printed goes through the log. */
static bool begin_submission(fv_run *run, fv_submission *submission)
{
  const char *const folder = run->options->submit, *why = NULL;
  if (folder && is_first(run)) why = fv_submission_begin(submission, folder);
  if (why) fprintf(stderr, "hymg-fv: --submit %s: %s\n", folder, why);
  return agreed(run, !why);
}

/* The work is done by then: if the file cannot be written, the result goes to stdout. */
static bool write_json(const fv_run *run, const fv_report *report)
{
  const char *const name = run->options->json;
  if (!name || !is_first(run) || output_save("hymg-fv", "--json", name, json_write, report))
    return true;
  fputs("hymg-fv: the results follow on standard output\n", stderr);
  json_write(report, stdout);
  return false;
}

/* What was printed so far; in a submission it goes through the log. */
static void show(const fv_run *run, fv_submission *submission)
{
  if (run->options->submit && is_first(run)) fv_submission_show(submission);
}

static bool measure_all(fv_run *run, fv_report *report, fv_submission *submission)
{
  for (int size = 0; size < report->num_sizes; size++) {
    if (!fv_measure(run, report, size)) return false;
    if (is_first(run)) fv_print_size(report, size);
    show(run, submission);
  }
  return true;
}

static bool solve_all(fv_run *run, fv_report *report, fv_submission *submission)
{
  bool ok = fv_start_device(run, report) && fv_make_grid(run, report) &&
            fv_check_device_memory(run, report) && fv_setup(run, report);
  if (ok) fv_energy_open(run, report);
  if (ok && is_first(run)) fv_print_setup(report);
  show(run, submission);
  return ok && measure_all(run, report, submission) && fv_richardson(run, report) &&
         fv_breakdown(run, report) && fv_find_nodes(run, report);
}

/* --plan */
static int plan(fv_run *run)
{
  fv_report report = {.options = NULL};
  describe_run(run, &report);
  const bool ok =
      fv_start_device(run, &report) && fv_make_grid(run, &report) && fv_plan(run, &report);
  fv_cleanup(run);
  return ok ? 0 : run->exit_code;
}

static bool end_submission(const fv_run *run, const fv_report *report, fv_submission *submission,
                           bool solved)
{
  if (!run->options->submit || !is_first(run)) return true;
  const bool ok = fv_submission_end(submission, solved ? report : NULL);
  if (solved && !report->official)
    fputs("hymg-fv: --submit: hymg-report --rank refuses this run: it is not official\n", stderr);
  return ok;
}

static int run_benchmark(fv_run *run)
{
  fv_report report = {.options = NULL};
  fv_submission submission;
  if (!can_write(run, "--json", run->options->json) ||
      !can_write(run, "--save", run->options->save) || !begin_submission(run, &submission))
    return run->exit_code;
  describe_run(run, &report);
  const bool recorded = run->options->json || run->options->submit;
  const bool ok =
      solve_all(run, &report, &submission) && (!recorded || fv_measure_bandwidth(run, &report));
  int code = ok ? fv_exit_code(&report) : run->exit_code;
  if (ok && is_first(run)) fv_print_end(&report);
  if (!end_submission(run, &report, &submission, ok)) code = EXIT_AT_RUN_TIME;
  if (ok && !write_json(run, &report)) code = EXIT_AT_RUN_TIME;
  if (ok && !fv_save(run)) code = EXIT_AT_RUN_TIME;
  fv_cleanup(run);
  fv_report_free(&report);
  return code;
}

/* Every rank sees the same command line and decides the same. */
static int act(const fv_options *options)
{
  fv_run run = {.options = options};
  hymg_context_options context = hymg_context_options_default();
  if (!options->devices) context.device = options->device;
  context.wait_seconds = options->wait_seconds;
  const hymg_status status = start_context(&context, &run.context);
  if (status != HYMG_OK) {
    fprintf(stderr, "hymg-fv: context failed: %s\n", hymg_status_text(status));
    start_abort(EXIT_AT_RUN_TIME); /* there is no communicator through which to agree */
  }
  const int code = options->devices ? fv_print_devices(run.context)
                   : options->probe ? fv_probe(&run)
                   : options->plan  ? plan(&run)
                                    : run_benchmark(&run);
  hymg_context_destroy(&run.context);
  return code;
}

static int run(int argc, char **argv)
{
  fv_options options;
  int code;
  if (!fv_options_read(argc, argv, start_rank(), start_ranks(), &options, &code)) return code;
  return act(&options);
}

int main(int argc, char **argv)
{
  return start_program("hymg-fv", argc, argv, run);
}
