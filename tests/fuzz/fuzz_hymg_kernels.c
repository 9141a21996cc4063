/* The command line of hymg-kernels. */
#include "common/kit/options.h"
#include "fuzz/words.h"
#include "hymg-kernels/kernels.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char program[] = "hymg-kernels";
  words w;
  kernels_options o;
  int code = -1;
  words_split(&w, program, data, size);
  const bool ok = kernels_options_read(w.argc, w.argv, &o, &code);
  if (!ok && code != 0 && code != EXIT_BAD_INPUT) abort();
  if (ok && (o.num_sizes < 1 || o.num_sizes > KERNELS_SIZES || o.repeat < 1)) abort();
  return 0;
}
