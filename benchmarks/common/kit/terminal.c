/* See terminal.h. */
#define _GNU_SOURCE
#include "common/kit/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

bool terminal_is(FILE *stream)
{
  const char *kind = getenv("TERM");
  return isatty(fileno(stream)) && kind && *kind && strcmp(kind, "dumb") != 0;
}

bool terminal_has_colours(FILE *stream)
{
  const char *no = getenv("NO_COLOR");
  return terminal_is(stream) && !(no && *no);
}

bool terminal_is_stdout(const char *name)
{
  struct stat file, out;
  return stat(name, &file) == 0 && fstat(STDOUT_FILENO, &out) == 0 && file.st_dev == out.st_dev &&
         file.st_ino == out.st_ino;
}

void terminal_show(FILE *stream, const char *text)
{
  struct winsize window;
  const bool known = ioctl(fileno(stream), TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  const bool coloured = *text && terminal_has_colours(stream);
  fprintf(stream, "\r\033[K%s%.*s%s", coloured ? "\033[36m" : "", known ? window.ws_col - 1 : 79,
          text, coloured ? "\033[0m" : "");
  fflush(stream);
}
