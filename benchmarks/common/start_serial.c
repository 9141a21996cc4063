/* Start and end without MPI: one rank. */
#include "common/start.h"

#include <stdlib.h>
#include <string.h>

bool start_begin(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  return true;
}

int start_rank(void)
{
  return 0;
}

int start_ranks(void)
{
  return 1;
}

hymg_status start_context(const hymg_context_options *options, hymg_context **context)
{
  return hymg_context_create(options, context);
}

const char *start_name(void)
{
  return "self";
}

void start_library(char text[256])
{
  *text = '\0';
}

bool start_gather(const void *mine, int bytes, void *all)
{
  memcpy(all, mine, (size_t)bytes);
  return true;
}

bool start_is_first(const char name[START_NAME])
{
  (void)name;
  return true;
}

_Noreturn void start_abort(int code)
{
  exit(code);
}

void start_end(void) {}
