/* How many times slower than the reference this machine is now: a fixed piece of work by the clock, divided by what it
 * took on one of two idle cores of a Xeon of 2.1 GHz, compiled with -O3. tools/run-tests multiplies its limits by it. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdio.h>
#include <time.h>

enum { SIDE = 96, SWEEPS = 200 };
#define REFERENCE 0.2 /* seconds */

static double a[SIDE][SIDE][SIDE], b[SIDE][SIDE][SIDE];

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sweep(double to[SIDE][SIDE][SIDE], double from[SIDE][SIDE][SIDE])
{
  for (int k = 1; k < SIDE - 1; k++)
    for (int j = 1; j < SIDE - 1; j++)
      for (int i = 1; i < SIDE - 1; i++)
        to[k][j][i] =
            0.125 * (2 * from[k][j][i] + from[k - 1][j][i] + from[k + 1][j][i] + from[k][j - 1][i] +
                     from[k][j + 1][i] + from[k][j][i - 1] + from[k][j][i + 1]);
}

int main(void)
{
  const double start = now();
  a[SIDE / 2][SIDE / 2][SIDE / 2] = b[SIDE / 2][SIDE / 2][SIDE / 2] = 1;
  for (int n = 0; n < SWEEPS / 2; n++)
    sweep(b, a), sweep(a, b);
  const double seconds = now() - start;
  if (!(a[SIDE / 2][SIDE / 2][SIDE / 2] > 0)) return 1;
  printf("%.2f\n", seconds / REFERENCE);
}
