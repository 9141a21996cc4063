/* Rows of the CPU's kernels for numbers of type T, in the same order of operations as the GPU's
 * kernels. Included by cpu.c once for each T; the radius is a literal where these are called, so
 * that the compiler unrolls its loop and vectorises along the row. */

#define ROW static inline __attribute__((always_inline)) void

#define COEFFICIENTS                                                                               \
  T c[STENCIL_RADIUS + 1] = {0};                                                                   \
  for (int r = 0; r <= radius; r++)                                                                \
  c[r] = (T)job->c[r]

/* A row, or one in each of two planes, `apart` entries apart in out: neighbours along z that both need are loaded once,
 * usually from the second-level cache. */
ROW FN(a_rows)(int radius, bool wave, bool two, const stencil_job *job, ptrdiff_t at, int n,
               T *restrict out, ptrdiff_t apart)
{
  const ptrdiff_t pitch = job->g.pitch, plane = job->g.plane;
  const T *const restrict x = (const T *)job->array[STENCIL_X] + at, *const restrict y = x + plane;
  const T *const prev = (const T *)job->array[STENCIL_PREV] + (wave ? at : 0);
  const T *const restrict speed = (const T *)job->array[STENCIL_SPEED] + (wave ? at : 0);
  T *restrict const above = out + apart;
  COEFFICIENTS;
#define ADD(x, sum)                                                                                \
  FMA(c[r],                                                                                        \
      ((x[i - r] + x[i + r]) + (x[i - r * pitch] + x[i + r * pitch])) +                            \
          (x[i - r * plane] + x[i + r * plane]),                                                   \
      sum)
#pragma omp simd
  for (int i = 0; i < n; i++) {
    T low = c[0] * x[i], high = two ? c[0] * y[i] : 0;
#pragma GCC unroll 6
    for (int r = 1; r <= radius; r++) {
      low = ADD(x, low);
      if (two) high = ADD(y, high);
    }
    out[i] = wave ? FMA(speed[i], low, FMA((T)2, x[i], -prev[i])) : low;
    if (two)
      above[i] = wave ? FMA(speed[i + plane], high, FMA((T)2, y[i], -prev[i + plane])) : high;
  }
#undef ADD
}

ROW FN(b_row)(int radius, const stencil_job *job, ptrdiff_t at, int n, T *restrict out)
{
  const T *const restrict x = (const T *)job->array[STENCIL_X] + at;
  const ptrdiff_t pitch = job->g.pitch;
  COEFFICIENTS;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    T sum = c[0] * x[i];
#pragma GCC unroll 6
    for (int r = 1; r <= radius; r++)
      sum = FMA(c[r], (x[i - r] + x[i + r]) + (x[i - r * pitch] + x[i + r * pitch]), sum);
    out[i] = sum;
  }
}

/* low[r], high[r]: the rows at distance r on either side along the axis */
ROW FN(c_row)(const stencil_job *job, const ptrdiff_t low[5], const ptrdiff_t high[5], int n,
              T *restrict out)
{
  const T *const restrict x = (const T *)job->array[STENCIL_X];
  enum { radius = 4 };
  COEFFICIENTS;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    T sum = c[1] * (x[high[1] + i] - x[low[1] + i]);
#pragma GCC unroll 6
    for (int r = 2; r <= 4; r++)
      sum = FMA(c[r], x[high[r] + i] - x[low[r] + i], sum);
    out[i] = sum;
  }
}

ROW FN(d_row)(const stencil_job *job, ptrdiff_t stride, ptrdiff_t at, int n, T *restrict out)
{
  const T *const restrict x = (const T *)job->array[STENCIL_X] + at;
  enum { radius = 4 };
  COEFFICIENTS;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    T sum = c[0] * x[i];
#pragma GCC unroll 6
    for (int r = 1; r <= 4; r++)
      sum = FMA(c[r], x[i - r * stride] + x[i + r * stride], sum);
    out[i] = sum;
  }
}

/* Part of a periodic row from point i on; all its points wrap their neighbours as the first one
 * does. */
static void FN(c_part)(const stencil_job *job, int i, int j, int k, int n, T *out)
{
  const int index[3] = {i, j, k}, axis = job->axis, length = job->g.n[axis];
  const ptrdiff_t stride = stride_of(job);
  const ptrdiff_t at = row_at(job, j, k) + i;
  ptrdiff_t low[5] = {0}, high[5] = {0};
  for (int r = 1; r <= 4; r++) {
    low[r] = at + (((index[axis] - r) % length + length) % length - index[axis]) * stride;
    high[r] = at + ((index[axis] + r) % length - index[axis]) * stride;
  }
  FN(c_row)(job, low, high, n, out + i);
}

static void FN(c_any_row)(const stencil_job *job, int j, int k, T *out)
{
  const int n = job->g.n[0], edge = job->axis > 0 ? 0 : n < 8 ? n : 4;
  for (int i = 0; i < edge; i++)
    FN(c_part)(job, i, j, k, 1, out);
  if (n > 2 * edge) FN(c_part)(job, edge, j, k, n - 2 * edge, out);
  for (int i = n - edge; i < n && edge < n; i++)
    FN(c_part)(job, i, j, k, 1, out);
}

/* Cases a and b, whose radius is a literal in each call. */
ROW FN(row_of)(int radius, const stencil_job *job, ptrdiff_t at, int n, int planes, T *out,
               ptrdiff_t apart)
{
  if (job->which == 'b')
    FN(b_row)(radius, job, at, n, out);
  else if (planes == 2 && job->wave)
    FN(a_rows)(radius, true, true, job, at, n, out, apart);
  else if (planes == 2)
    FN(a_rows)(radius, false, true, job, at, n, out, apart);
  else if (job->wave)
    FN(a_rows)(radius, true, false, job, at, n, out, apart);
  else
    FN(a_rows)(radius, false, false, job, at, n, out, apart);
}

/* Computes `count` points from i on into out[0] and on. Case a: in `planes` planes, 1 or 2, the second into out[apart] and
 * on. Case c: only whole rows. */
static void FN(any_row)(const stencil_job *job, const int index[3], int count, int planes,
                        void *out, ptrdiff_t apart)
{
  const ptrdiff_t at = row_at(job, index[1], index[2]) + index[0];
#define CASE(R)                                                                                    \
  if (job->radius == (R)) FN(row_of)(R, job, at, count, planes, out, apart)
  if (job->which == 'c')
    FN(c_any_row)(job, index[1], index[2], out);
  else if (job->which == 'd' && job->axis == 0)
    FN(d_row)(job, 1, at, count, out);
  else if (job->which == 'd')
    FN(d_row)(job, stride_of(job), at, count, out);
  else {
    CASE(1);
    CASE(2);
    CASE(3);
    CASE(4);
    CASE(5);
    CASE(6);
  }
#undef CASE
}

#undef COEFFICIENTS
#undef ROW
