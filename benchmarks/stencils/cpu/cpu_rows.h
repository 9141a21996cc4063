/* Rows of the CPU's kernels for numbers of type T, in the same order of operations as the GPU's
 * kernels. Included by cpu.c once for each T; the radius is a literal where these are called, so
 * that the compiler unrolls its loop and vectorises along the row. */

#define ROW static inline __attribute__((always_inline)) void

/* A row in each of two planes, `apart` entries apart in out: neighbours along z that both need are
 * loaded once, usually from the second-level cache. */
ROW FN(a_rows)(int radius, bool wave, const stencil_job *job, ptrdiff_t at, int n, T *restrict out,
               ptrdiff_t apart)
{
  const ptrdiff_t pitch = job->g.pitch, plane = job->g.plane;
  const T *const restrict x = (const T *)job->array[STENCIL_X] + at, *const restrict y = x + plane;
  const T *const prev = (const T *)job->array[STENCIL_PREV] + (wave ? at : 0);
  const T *const restrict speed = (const T *)job->array[STENCIL_SPEED] + (wave ? at : 0);
  T *const restrict above = out + apart;
  T c[STENCIL_RADIUS + 1] = {0};
  for (int r = 0; r <= radius; r++)
    c[r] = (T)job->c[r];
#define ADD(x, sum)                                                                                \
  FMA(c[r],                                                                                        \
      ((x[i - r] + x[i + r]) + (x[i - r * pitch] + x[i + r * pitch])) +                            \
          (x[i - r * plane] + x[i + r * plane]),                                                   \
      sum)
#pragma omp simd
  for (int i = 0; i < n; i++) {
    T low = c[0] * x[i], high = c[0] * y[i];
#pragma GCC unroll 6
    for (int r = 1; r <= radius; r++) {
      low = ADD(x, low);
      high = ADD(y, high);
    }
    out[i] = wave ? FMA(speed[i], low, FMA((T)2, x[i], -prev[i])) : low;
    above[i] = wave ? FMA(speed[i + plane], high, FMA((T)2, y[i], -prev[i + plane])) : high;
  }
}

ROW FN(a_row)(int radius, bool wave, const stencil_job *job, ptrdiff_t at, int n, T *out)
{
  const T *const restrict x = (const T *)job->array[STENCIL_X] + at;
  const T *const prev = (const T *)job->array[STENCIL_PREV] + (wave ? at : 0);
  const T *const restrict speed = (const T *)job->array[STENCIL_SPEED] + (wave ? at : 0);
  const ptrdiff_t pitch = job->g.pitch, plane = job->g.plane;
  T c[STENCIL_RADIUS + 1] = {0};
  for (int r = 0; r <= radius; r++)
    c[r] = (T)job->c[r];
#pragma omp simd
  for (int i = 0; i < n; i++) {
    T sum = c[0] * x[i];
#pragma GCC unroll 6
    for (int r = 1; r <= radius; r++)
      sum = ADD(x, sum);
    out[i] = wave ? FMA(speed[i], sum, FMA((T)2, x[i], -prev[i])) : sum;
  }
}

#undef ADD

ROW FN(b_row)(int radius, const stencil_job *job, ptrdiff_t at, int n, T *restrict out)
{
  const T *const restrict x = (const T *)job->array[STENCIL_X] + at;
  const ptrdiff_t pitch = job->g.pitch;
  T c[STENCIL_RADIUS + 1] = {0};
  for (int r = 0; r <= radius; r++)
    c[r] = (T)job->c[r];
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
  T c[5] = {0};
  for (int r = 1; r <= 4; r++)
    c[r] = (T)job->c[r];
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
  T c[5] = {0};
  for (int r = 0; r <= 4; r++)
    c[r] = (T)job->c[r];
#pragma omp simd
  for (int i = 0; i < n; i++) {
    T sum = c[0] * x[i];
#pragma GCC unroll 6
    for (int r = 1; r <= 4; r++)
      sum = FMA(c[r], x[i - r * stride] + x[i + r * stride], sum);
    out[i] = sum;
  }
}

#define BY_RADIUS(call)                                                                            \
  switch (job->radius) {                                                                           \
  case 1:                                                                                          \
    call(1);                                                                                       \
    break;                                                                                         \
  case 2:                                                                                          \
    call(2);                                                                                       \
    break;                                                                                         \
  case 3:                                                                                          \
    call(3);                                                                                       \
    break;                                                                                         \
  case 4:                                                                                          \
    call(4);                                                                                       \
    break;                                                                                         \
  case 5:                                                                                          \
    call(5);                                                                                       \
    break;                                                                                         \
  default:                                                                                         \
    call(6);                                                                                       \
  }

/* planes: 1 or 2. */
static void FN(a_any_row)(const stencil_job *job, ptrdiff_t at, int n, int planes, T *out,
                          ptrdiff_t apart)
{
#define PLAIN(R) FN(a_row)(R, false, job, at, n, out)
#define WAVE(R)  FN(a_row)(R, true, job, at, n, out)
#define TWO(R)   FN(a_rows)(R, false, job, at, n, out, apart)
#define WAVES(R) FN(a_rows)(R, true, job, at, n, out, apart)
  if (planes == 2 && job->wave)
    BY_RADIUS(WAVES)
  else if (planes == 2)
    BY_RADIUS(TWO)
  else if (job->wave)
    BY_RADIUS(WAVE)
  else
    BY_RADIUS(PLAIN)
#undef PLAIN
#undef WAVE
#undef TWO
#undef WAVES
}

static void FN(b_any_row)(const stencil_job *job, ptrdiff_t at, int n, T *out)
{
#define PLAIN(R) FN(b_row)(R, job, at, n, out)
  BY_RADIUS(PLAIN)
#undef PLAIN
}

static void FN(d_any_row)(const stencil_job *job, ptrdiff_t at, int n, T *out)
{
  if (job->axis == 0)
    FN(d_row)(job, 1, at, n, out);
  else
    FN(d_row)(job, job->axis == 1 ? job->g.pitch : job->g.plane, at, n, out);
}

/* Part of a periodic row from point i on; all its points wrap their neighbours as the first one
 * does. */
static void FN(c_part)(const stencil_job *job, int i, int j, int k, int n, T *out)
{
  const int index[3] = {i, j, k}, axis = job->axis, length = job->g.n[axis];
  const ptrdiff_t stride = axis == 0 ? 1 : axis == 1 ? job->g.pitch : job->g.plane;
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

/* Computes `count` points from i on into out[0] and on. Case a: in `planes` planes, the second into
 * out[apart] and on. Case c: only whole rows. */
static void FN(any_row)(const stencil_job *job, const int index[3], int count, int planes,
                        void *out, ptrdiff_t apart)
{
  const ptrdiff_t at = row_at(job, index[1], index[2]) + index[0];
  switch (job->which) {
  case 'a':
    FN(a_any_row)(job, at, count, planes, out, apart);
    break;
  case 'b':
    FN(b_any_row)(job, at, count, out);
    break;
  case 'c':
    FN(c_any_row)(job, index[1], index[2], out);
    break;
  default:
    FN(d_any_row)(job, at, count, out);
  }
}

#undef BY_RADIUS
#undef ROW
