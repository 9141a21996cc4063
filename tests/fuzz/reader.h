/* A command line of the program whose source has been included, with `main` renamed, and whose reader
 * `parse` is static in it. PROGRAM: its name. */
#include "fuzz/words.h"

#include <stdlib.h>

int program_main(int argc, char **argv);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char program[] = PROGRAM;
  words w;
  options o;
  int code = -1;
  words_split(&w, program, data, size);
  if (!parse(w.argc, w.argv, &o, &code) && code != 0 && code != EXIT_BAD_INPUT) abort();
  return 0;
}
