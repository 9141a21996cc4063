/* Queries Linux: /proc/cpuinfo, sysconf, uname, getrusage. What cannot be found is empty or 0. Also
 * the checks of standard output that all programs share. */
#define _GNU_SOURCE
#include "common/kit/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

bool fv_find_line(const char *path, const char *beginning, char *line, int size)
{
  const size_t length = strlen(beginning);
  FILE *file = fopen(path, "r");
  bool found = false;
  if (!file) return false;
  errno = ENODATA;
  while (!found && fgets(line, size, file))
    found = strncmp(line, beginning, length) == 0;
  const int why = errno;
  fclose(file);
  errno = why;
  if (found) memmove(line, line + length, strlen(line + length) + 1);
  line[found ? strcspn(line, "\n") : 0] = '\0';
  return found;
}

static void find_cpu(char cpu[128])
{
  char line[256];
  const char *value =
      fv_find_line("/proc/cpuinfo", "model name", line, sizeof line) ? strchr(line, ':') : NULL;
  if (value) snprintf(cpu, 128, "%.127s", value + 1 + strspn(value + 1, " \t"));
}

fv_machine fv_machine_info(void)
{
  fv_machine m = {.host = "", .cpu = ""};
  struct utsname name;
  struct tm utc;
  const time_t now = time(NULL);
  if (gmtime_r(&now, &utc)) strftime(m.date, sizeof m.date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  m.cores = cores > 0 ? (int)cores : 0;
  m.memory = pages > 0 && page > 0 ? (double)pages * (double)page : 0.0;
  find_cpu(m.cpu);
  if (uname(&name) == 0) {
    snprintf(m.host, sizeof m.host, "%.127s", name.nodename);
    /* ARM's cpuinfo names no model */
    if (!*m.cpu) snprintf(m.cpu, sizeof m.cpu, "%.127s", name.machine);
  }
  return m;
}

double fv_peak_bytes(void)
{
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0.0;
}

double *fv_large_pages(size_t n)
{
  enum { PAGE = 2 << 20 };
  const size_t bytes = (n * sizeof(double) + PAGE - 1) / PAGE * PAGE;
  double *data = aligned_alloc(PAGE, bytes);
#ifdef MADV_HUGEPAGE
  if (data) madvise(data, bytes, MADV_HUGEPAGE);
#endif
  return data;
}

/* ---- what is written ---- */

bool fv_stdout_begin(const char *program)
{
  if (fcntl(STDOUT_FILENO, F_GETFD) >= 0) return true;
  fprintf(stderr, "%s: standard output is closed\n", program);
  return false;
}

int fv_stdout_end(const char *program, int code)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  fprintf(stderr, "%s: standard output: could not be written\n", program);
  return 3;
}
