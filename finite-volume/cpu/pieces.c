/* Maxima and sums over singular pieces on the host. Cells of a piece mostly follow each other, so a thread adds up
 * runs of them by itself. */
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

void hymgi_cpu_piece_maxima(const hymgi_level *level, const double *x, double *most)
{
  const double *const piece = level->fixed.piece;
  ptrdiff_t next;
#pragma omp parallel num_threads(hymgi_cpu_threads(level)) private(next)
  for (host_row s = hymgi_cpu_rows(level->box, level->num_boxes, true); s.g; hymgi_cpu_next(&s))
    for (ptrdiff_t t = s.at; t < s.at + s.n; t = next) {
      const int at = run_of(piece, t, s.at + s.n, &next);
      if (at < 0) continue;
      const double largest = host_largest(x + t, (int)(next - t));
#pragma omp critical
      most[at] = host_larger(most[at], largest);
    }
}

void hymgi_cpu_piece_sums(const hymgi_level *level, const double *x, int exponent, int bits,
                          int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, bits);
  const double *const piece = level->fixed.piece;
  ptrdiff_t next;
#pragma omp parallel num_threads(hymgi_cpu_threads(level)) private(next)
  for (host_row s = hymgi_cpu_rows(level->box, level->num_boxes, true); s.g; hymgi_cpu_next(&s))
    for (ptrdiff_t t = s.at; t < s.at + s.n; t = next) {
      const int at = run_of(piece, t, s.at + s.n, &next);
      int64_t sum[HYMGI_SUM_RESULT] = {0};
      if (at < 0) continue;
      for (ptrdiff_t m = t; m < next; m++)
        hymgi_sum_add_below(x[m], &scale, sum);
      for (int w = 0; w < HYMGI_SUM_RESULT; w++) {
#pragma omp atomic
        words[(ptrdiff_t)HYMGI_SUM_RESULT * at + w] += sum[w];
      }
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
