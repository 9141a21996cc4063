/* Prints the SHA-256 of the first 0, 1, 2 ... bytes of a fixed sequence, a line each: sha256 COUNT. Built by report.sh,
 * compared by check_report.py with Python's own. */
#include "common/sha256.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  enum { MOST = 4096 };
  static unsigned char data[MOST];
  const int count = argc > 1 ? atoi(argv[1]) : 0;
  for (int i = 0; i < MOST; i++)
    data[i] = (unsigned char)(i * i + 7 * i + i / 256);
  for (int n = 0; n < count && n <= MOST; n++)
    puts(sha256_of(data, (size_t)n).text);
  return 0;
}
