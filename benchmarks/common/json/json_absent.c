/* Without Jansson: --json and --submit are refused at the start. */
#include "common/kit/rows.h"

const char *json_missing(void)
{
  return "Jansson; install libjansson-dev (Debian, Ubuntu), jansson-devel (Fedora) or "
         "libjansson-devel (openSUSE), "
         "then configure and make again";
}

bool json_write(const void *results, FILE *file)
{
  (void)results;
  (void)file;
  return false;
}

bool json_write_machine(const void *results, FILE *file)
{
  return json_write(results, file);
}
