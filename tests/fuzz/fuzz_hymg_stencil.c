/* The command line of hymg-stencil. */
#include "common/kit/options.h"
#include "fuzz/words.h"
#include "stencils/options.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char program[] = "hymg-stencil";
  words w;
  stencil_options o;
  int code = -1;
  words_split(&w, program, data, size);
  const bool ok = stencil_options_read(w.argc, w.argv, &o, &code);
  if (!ok && code != 0 && code != EXIT_BAD_INPUT) abort();
  if (ok && (o.repeat < 1 || o.repeat > 64)) abort();
  return 0;
}
