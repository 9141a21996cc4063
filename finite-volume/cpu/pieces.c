/* Maxima and sums over singular pieces on the host. Cells of a piece mostly follow each other, so a thread takes
 * runs of them together. */
#include "base/exact_sum.h"
#include "cpu/cpu.h"
#include "cpu/setup.h"

/* The piece of a run that begins at t, which ends at *next. */
HYMGI_INLINE int run_of(const double *piece, ptrdiff_t t, ptrdiff_t end, ptrdiff_t *next)
{
  const double here = piece[t];
  ptrdiff_t n = t + 1;
  while (n < end && piece[n] == here)
    n++;
  *next = n;
  return (int)here;
}

/* What a thread has found so far in the piece of its last run. */
typedef struct own_part {
  int piece; /* -1: nothing */
  double largest;
  host_sum sum;
} own_part;

static void give_largest(const own_part *own, double *most)
{
  if (own->piece < 0) return;
#pragma omp critical
  most[own->piece] = host_larger(most[own->piece], own->largest);
}

void hymgi_cpu_piece_maxima(const hymgi_level *level, const double *x, double *most)
{
  const double *const piece = level->fixed.piece;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    own_part own = {.piece = -1};
    ptrdiff_t next;
    for (host_row s = hymgi_cpu_rows(level->box, level->num_boxes, true); s.g; hymgi_cpu_next(&s))
      for (ptrdiff_t t = s.at; t < s.at + s.n; t = next) {
        const int at = run_of(piece, t, s.at + s.n, &next);
        if (at < 0) continue;
        if (at != own.piece) {
          give_largest(&own, most);
          own = (own_part){.piece = at};
        }
        own.largest = host_larger(own.largest, host_largest(x + t, (int)(next - t)));
      }
    give_largest(&own, most);
  }
}

static void give_sum(const own_part *own, int64_t *words)
{
  int64_t sum[HYMGI_SUM_RESULT] = {0};
  if (own->piece < 0) return;
  host_add_words(&own->sum, sum);
  for (int w = 0; w < HYMGI_SUM_RESULT; w++) {
#pragma omp atomic
    words[(ptrdiff_t)HYMGI_SUM_RESULT * own->piece + w] += sum[w];
  }
}

void hymgi_cpu_piece_sums(const hymgi_level *level, const double *x, int exponent, int bits,
                          int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, bits);
  const double *const piece = level->fixed.piece;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    own_part own = {.piece = -1};
    ptrdiff_t next;
    for (host_row s = hymgi_cpu_rows(level->box, level->num_boxes, true); s.g; hymgi_cpu_next(&s))
      for (ptrdiff_t t = s.at; t < s.at + s.n; t = next) {
        const int at = run_of(piece, t, s.at + s.n, &next);
        if (at < 0) continue;
        if (at != own.piece) {
          give_sum(&own, words);
          own = (own_part){.piece = at};
        }
        host_add_row(false, x + t, x + t, (int)(next - t), &scale, &own.sum);
      }
    give_sum(&own, words);
  }
}

void hymgi_cpu_piece_add(const hymgi_level *level, const double *value, const double *with,
                         double *x)
{
  const double *const piece = level->fixed.piece;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = hymgi_cpu_rows(level->box, level->num_boxes, true); s.g; hymgi_cpu_next(&s))
    for (ptrdiff_t t = s.at; t < s.at + s.n; t++) {
      const int at = (int)piece[t];
      if (at >= 0) x[t] = hymgi_fma_double(value[at], with ? with[t] : 1, x[t]);
    }
}
