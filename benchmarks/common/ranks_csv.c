/* See ranks_csv.h. */
#include "common/ranks_csv.h"

#include "common/machine.h"
#include "common/start.h"

static void refuse(const char *program, const char *name)
{
  fprintf(stderr, "%s: --csv %s: cannot be written\n", program, name);
  start_abort(2);
}

void ranks_csv_check(const char *program, const char *name)
{
  if (!fv_can_write(name)) refuse(program, name);
}

FILE *ranks_csv_open(const char *program, const char *name, int argc, char **argv,
                     const char *columns)
{
  const fv_machine m = fv_machine_info();
  FILE *csv = fopen(name, "w");
  if (!csv) {
    refuse(program, name);
    return NULL;
  }
  fprintf(csv, "# machine: %s, %d cores\n# date: %s\n# commit: %s\n# command: mpirun -n %d %s",
          m.cpu, m.cores, m.date, hymg_build_info().commit, start_ranks(), program);
  for (int i = 1; i < argc; i++)
    fprintf(csv, " %s", argv[i]);
  fprintf(csv, "\n%s\n", columns);
  return csv;
}
