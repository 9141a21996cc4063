/* The command line of hymg-exchange, whose reader is static in the program. */
#define main program_main
#include "exchange/exchange.c"
#undef main

#include "fuzz/words.h"

#include <stdlib.h>

int program_main(int argc, char **argv);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char program[] = "hymg-exchange";
  words w;
  options o;
  int code = -1;
  words_split(&w, program, data, size);
  if (!parse(w.argc, w.argv, &o, &code) && code != 0 && code != EXIT_BAD_INPUT) abort();
  return 0;
}
