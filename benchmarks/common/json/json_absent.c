/* Without Jansson: --json and --submit are refused at the start. */
#include "common/kit/absent.h"
#include "common/kit/rows.h"

ABSENT(const char *json_missing(void),
       return "Jansson; install libjansson-dev (Debian, Ubuntu), jansson-devel (Fedora) or "
              "libjansson-devel (openSUSE), then configure and make again")
ABSENT(bool json_write(const void *results, FILE *file), return false)
ABSENT(bool json_write_machine(const void *results, FILE *file), return false)
