/* Start and end shared by all programs that run on several ranks. */
#include "common/start.h"

#include "common/kit/launcher.h"
#include "common/kit/machine.h"
#include "common/kit/options.h"

int start_program(const char *name, int argc, char **argv, int (*run)(int argc, char **argv))
{
  if (!fv_stdout_begin(name)) return EXIT_AT_RUN_TIME;
  if (!start_begin(&argc, &argv)) {
    fprintf(stderr, "%s: MPI did not start\n", name);
    return EXIT_AT_RUN_TIME;
  }
  char mpi[256];
  start_library(mpi);
  const int code =
      fv_launched_as_one(name, start_ranks(), mpi) ? run(argc, argv) : EXIT_AT_RUN_TIME;
  start_end();
  return fv_stdout_end(name, code);
}

void start_require(const char *name, const hymg_context *context, hymg_status status)
{
  if (status == HYMG_OK) return;
  const char *text = context ? hymg_context_error(context) : "";
  fprintf(stderr, "%s: %s\n", name, *text ? text : hymg_status_text(status));
  start_abort(status == HYMG_EINVAL ? EXIT_BAD_INPUT : EXIT_AT_RUN_TIME);
}
