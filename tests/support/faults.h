/* Makes the n-th allocation of the library fail. A program that includes this is linked with --wrap
 * for these functions (FAULT_TESTS in Makefile.in); MPI's own allocations are left alone. */
#ifndef SUPPORT_FAULTS_H
#define SUPPORT_FAULTS_H

#include <errno.h>
#include <stddef.h>

static long faults_left; /* calls up to and including the one that fails; 0: none will */

/* The n-th call from now on fails; 0: none. */
static inline void faults_set(long n)
{
  faults_left = n;
}

static inline int faults_strike(int error)
{
  if (faults_left == 0 || --faults_left) return 0;
  errno = error;
  return 1;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
  return faults_strike(ENOMEM) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return faults_strike(ENOMEM) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
  return faults_strike(ENOMEM) ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  return faults_strike(ENOMEM) ? NULL : __real_aligned_alloc(alignment, size);
}

#endif
