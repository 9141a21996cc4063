/* Without Jansson: --json is refused before any work. */
#include "stencils/output.h"

const char *json_rows_missing(void)
{
  return "Jansson; install libjansson-dev (Debian, Ubuntu), jansson-devel (Fedora) or "
         "libjansson-devel (openSUSE), then configure and make again";
}

bool json_rows_write(const stencil_output *out, FILE *file)
{
  (void)out;
  (void)file;
  return false;
}
