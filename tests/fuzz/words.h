/* A command line made of fuzzed bytes: words end at a 0, a line feed or a space; "\" keeps the byte
 * after it as it is. The first byte gives the number of ranks that the program sees. */
#ifndef FUZZ_WORDS_H
#define FUZZ_WORDS_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

enum { WORDS_MOST = 64, WORDS_BYTES = 4096 };

typedef struct words {
  int ranks, argc;
  char *argv[WORDS_MOST + 2], text[WORDS_BYTES + 1];
} words;

static inline void words_split(words *w, char *program, const uint8_t *data, size_t size)
{
  size_t used = 0;
  char *begin = w->text;
  *w = (words){.ranks = size ? 1 + data[0] % 9 : 1, .argc = 1, .argv = {program}};
  for (size_t i = 1; i < size && used < WORDS_BYTES && w->argc <= WORDS_MOST; i++) {
    const int ends = data[i] == '\0' || data[i] == '\n' || data[i] == ' ';
    if (data[i] == '\\' && i + 1 < size) i++;
    w->text[used++] = ends ? '\0' : (char)data[i];
    if (!ends) continue;
    w->argv[w->argc++] = begin;
    begin = w->text + used;
  }
  if (*begin && w->argc <= WORDS_MOST) w->argv[w->argc++] = begin;
  w->text[used] = '\0';
  w->argv[w->argc] = NULL;
  optind = 0; /* getopt_long begins anew */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
