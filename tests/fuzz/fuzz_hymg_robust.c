/* The command line of hymg-robust, and the problems that it names. */
#include "fuzz/words.h"
#include "robust/hymg-robust.h"

#include <stdlib.h>

static void read_named(const words *w, const robust_options *o)
{
  for (int n = 0; n < o->line.num_words; n++) {
    robust_options named;
    int code = -1;
    const robust_name *const name = robust_find(o, o->line.word[n]);
    if (!name) return;
    optind = 0;
    robust_options_read(w->argc, (char **)w->argv, name, &named, &code);
    robust_options_free(&named);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char program[] = "hymg-robust";
  words w;
  robust_options o;
  int code = -1;
  words_split(&w, program, data, size);
  const bool ok = robust_options_read(w.argc, w.argv, NULL, &o, &code);
  if (!ok && code != 0 && code != EXIT_BAD_INPUT) abort();
  if (ok && !o.list) read_named(&w, &o);
  robust_options_free(&o);
  return 0;
}
