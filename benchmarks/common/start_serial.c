/* Start and end without MPI: one rank. */
#include "common/kit/absent.h"
#include "common/start.h"

#include <stdlib.h>
#include <string.h>

ABSENT(bool start_begin(int *argc, char ***argv), return true)
ABSENT(int start_rank(void), return 0)
ABSENT(int start_ranks(void), return 1)
ABSENT(hymg_status start_context(const hymg_context_options *options, hymg_context **context),
       return hymg_context_create(options, context))
ABSENT(const char *start_name(void), return "self")
ABSENT(void start_library(char text[256]), *text = '\0')
ABSENT(bool start_gather(const void *mine, int bytes, void *all), memcpy(all, mine, (size_t)bytes);
       return true)
ABSENT(bool start_is_first(const char name[START_NAME]), return true)
ABSENT(_Noreturn void start_abort(int code), exit(code))
ABSENT(void start_end(void), )
