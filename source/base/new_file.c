/* See new_file.h. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"

/* A name that no file has, by the number of this process. */
static const char *create(hymgi_new_file *f, int mode)
{
  enum { TRIES = 100 };
  f->file = -1;
  for (int n = 0; n < TRIES && f->file < 0; n++) {
    snprintf(f->temporary, sizeof f->temporary, "%s.%ld-%d", f->target, (long)getpid(), n);
    f->file = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (f->file < 0 && errno != EEXIST) break;
  }
  return f->file < 0 ? strerror(errno) : NULL;
}

/* In a folder that others may write into, a link could lead to any file of this user's. */
static bool is_link_of_another(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && info.st_uid != geteuid() &&
         info.st_uid != 0;
}

const char *hymgi_new_file_open(hymgi_new_file *f, const char *path, int mode)
{
  struct stat info;
  const bool exists = stat(path, &info) == 0;
  if (strlen(path) >= sizeof f->target) return strerror(ENAMETOOLONG);
  if (is_link_of_another(path)) return "is a symbolic link of another user";
  if (exists && S_ISDIR(info.st_mode)) return strerror(EISDIR);
  if (exists && !S_ISREG(info.st_mode)) return "not a regular file";
  if (exists && access(path, W_OK) != 0) return strerror(errno);
  if (!exists || !realpath(path, f->target)) strcpy(f->target, path);
  const char *why = create(f, mode);
  if (why || !exists || fchmod(f->file, info.st_mode & 0777) == 0) return why;
  why = strerror(errno);
  hymgi_new_file_close(f, false);
  return why;
}

bool hymgi_new_file_flush(hymgi_new_file *f)
{
  return fsync(f->file) == 0;
}

bool hymgi_new_file_close(hymgi_new_file *f, bool keep)
{
  const bool renamed = close(f->file) == 0 && keep && rename(f->temporary, f->target) == 0;
  const int why = errno;
  if (!renamed) unlink(f->temporary);
  errno = why;
  return renamed || !keep;
}
