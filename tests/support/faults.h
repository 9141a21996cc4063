/* Makes the n-th allocation of the library fail, or its n-th call about a file, and counts what it has
 * allocated. A program that includes this is linked with --wrap for these functions (FAULT_TESTS in
 * Makefile.in); the calls of MPI and of the C library itself are left alone. */
#ifndef SUPPORT_FAULTS_H
#define SUPPORT_FAULTS_H

#include "support/fault_choice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

typedef enum faults_kind { FAULTS_MEMORY, FAULTS_FILE, FAULTS_MPI, FAULTS_CUDA } faults_kind;

static struct {
  faults_kind kind;
  long left;          /* calls up to and including the one that fails; 0: none will */
  long calls;         /* of that kind since faults_set */
  long guards;        /* calls of cudaGetDevice since then */
  long alive;         /* allocations minus releases */
  const char *struck; /* the call of CUDA that failed last */
  bool on;            /* between faults_set and faults_end; else calls are not the library's */
} faults;

/* The n-th call of this kind from now on fails; 0: none. */
static inline void faults_set(faults_kind kind, long n)
{
  faults.kind = kind, faults.left = n, faults.calls = 0, faults.guards = 0;
  faults.on = true;
}

static inline void faults_end(void)
{
  faults.on = false;
}

static inline int faults_strike(faults_kind kind, int error)
{
  if (!faults.on || kind != faults.kind) return 0;
  faults.calls++;
  if (faults.left == 0 || --faults.left) return 0;
  errno = error;
  return 1;
}

static inline void *faults_count(void *block)
{
  faults.alive += faults.on && block;
  return block;
}

/* ---- memory ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size)
{
  return faults_strike(FAULTS_MEMORY, ENOMEM) ? NULL : faults_count(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
  return faults_strike(FAULTS_MEMORY, ENOMEM) ? NULL : faults_count(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
  if (faults_strike(FAULTS_MEMORY, ENOMEM)) return NULL;
  return old ? __real_realloc(old, size) : faults_count(__real_realloc(old, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  if (faults_strike(FAULTS_MEMORY, ENOMEM)) return NULL;
  return faults_count(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *block)
{
  faults.alive -= faults.on && block;
  __real_free(block);
}

/* ---- files ---- */

int __real_open(const char *path, int flags, ...);
ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t at);
int __real_fsync(int file);
int __real_close(int file);
int __real_rename(const char *from, const char *to);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at);
int __wrap_fsync(int file);
int __wrap_close(int file);
int __wrap_rename(const char *from, const char *to);

int __wrap_open(const char *path, int flags, ...)
{
  va_list list;
  va_start(list, flags);
  const int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  return faults_strike(FAULTS_FILE, EACCES) ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at)
{
  return faults_strike(FAULTS_FILE, ENOSPC) ? -1 : __real_pwrite(file, bytes, size, at);
}

int __wrap_fsync(int file)
{
  return faults_strike(FAULTS_FILE, EIO) ? -1 : __real_fsync(file);
}

/* It is closed in any case, as by the system. */
int __wrap_close(int file)
{
  const int result = __real_close(file);
  return faults_strike(FAULTS_FILE, EIO) ? -1 : result;
}

int __wrap_rename(const char *from, const char *to)
{
  return faults_strike(FAULTS_FILE, EROFS) ? -1 : __real_rename(from, to);
}

#endif
