/* A temporary file in the folder of the target, synchronised and renamed over it. */
#define _GNU_SOURCE
#include "hymg-fv/output.h"

#include "common/json.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct target {
  bool direct;               /* exists and is no regular file */
  char path[PATH_MAX];       /* links followed, so that a link stays one */
  char beside[PATH_MAX + 8]; /* template of the temporary file */
} target;

static bool find_target(const char *path, target *t, fv_error *error)
{
  struct stat info;
  const bool exists = stat(path, &info) == 0;
  if (strlen(path) >= PATH_MAX) return fv_refuse(error, "--json: the file name is too long");
  if (exists && S_ISDIR(info.st_mode)) return fv_refuse(error, "--json %s: is a directory", path);
  t->direct = exists && !S_ISREG(info.st_mode);
  if (exists && access(path, W_OK) != 0)
    return fv_refuse(error, "--json %s: %s", path, strerror(errno));
  if (!exists || t->direct || !realpath(path, t->path)) strcpy(t->path, path);
  snprintf(t->beside, sizeof t->beside, "%s.XXXXXX", t->path);
  return true;
}

static int open_beside(target *t, fv_error *error)
{
  const mode_t mask = umask(0);
  umask(mask);
  const int descriptor = mkstemp(t->beside);
  if (descriptor < 0) {
    fv_refuse(error, "--json %s: cannot write there: %s", t->path, strerror(errno));
    return -1;
  }
  /* mkstemp's files are private; this one gets what any new file gets, or what the old one had */
  struct stat old;
  if (fchmod(descriptor, stat(t->path, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask) != 0)
    errno = 0;
  return descriptor;
}

bool fv_output_check(const char *path, fv_error *error)
{
  target t;
  if (!find_target(path, &t, error)) return false;
  if (t.direct) return true;
  const int descriptor = open_beside(&t, error);
  if (descriptor < 0) return false;
  close(descriptor);
  unlink(t.beside);
  return true;
}

static bool write_direct(const target *t, const fv_report *report, fv_error *error)
{
  FILE *file = fopen(t->path, "w");
  if (!file) return fv_refuse(error, "--json %s: %s", t->path, strerror(errno));
  const bool ok = json_write(report, file);
  if (fclose(file) == 0 && ok) return true;
  return fv_refuse(error, "--json %s: writing failed: %s", t->path, strerror(errno));
}

bool fv_output_write(const char *path, const fv_report *report, fv_error *error)
{
  target t;
  if (!find_target(path, &t, error)) return false;
  if (t.direct) return write_direct(&t, report, error);
  const int descriptor = open_beside(&t, error);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  if (!file) return false;
  bool ok = json_write(report, file) && fsync(descriptor) == 0;
  ok = fclose(file) == 0 && ok;
  if (ok && rename(t.beside, t.path) == 0) return true;
  fv_refuse(error, "--json %s: writing failed: %s", path, strerror(errno));
  unlink(t.beside);
  return false;
}
