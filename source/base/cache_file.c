/* Text files that cache the results of measurements and probes: a first line that names the
 * format, then one "KEY = VALUE" per line. Other lines are ignored and dropped the next time the
 * file is written; a file of another format is left alone. A new version is written to a
 * temporary file, which is then renamed, so that readers see either the old file or the new one. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache_file.h"

enum { MOST_BYTES = 1 << 20, MOST_LINE = 1024 };

/* The file as a string, or NULL if it cannot be read. note: the reason, unless the file does not
 * exist. */
static char *read_whole(const hymgi_cache_kind *kind, const char *path, char note[256])
{
  struct stat info;
  if (stat(path, &info) != 0) {
    if (errno != ENOENT) snprintf(note, 256, "%.128s: %s", path, strerror(errno));
    return NULL;
  }
  if (!S_ISREG(info.st_mode) || info.st_size > MOST_BYTES) {
    snprintf(note, 256, "%.128s: no %s file", path, kind->name);
    return NULL;
  }
  FILE *file = fopen(path, "r");
  char *text = file ? malloc((size_t)info.st_size + 1) : NULL;
  if (text) text[fread(text, 1, (size_t)info.st_size, file)] = '\0';
  if (!text) snprintf(note, 256, "%.128s: %s", path, strerror(errno));
  if (file) fclose(file);
  return text;
}

/* The first line names exactly this version of the format. */
static bool is_current(const hymgi_cache_kind *kind, const char *text)
{
  char header[64];
  const int length = snprintf(header, sizeof header, "hymg %s 1\n", kind->name);
  return strncmp(text, header, (size_t)length) == 0;
}

static bool is_ours(const hymgi_cache_kind *kind, const char *text)
{
  char header[64];
  const int length = snprintf(header, sizeof header, "hymg %s ", kind->name);
  return strncmp(text, header, (size_t)length) == 0;
}

/* Copies one line without its newline and returns the next one, or NULL after the last. A line
 * that is too long for the buffer is read as an empty one. */
static const char *next_line(const char *text, char line[MOST_LINE])
{
  const char *end = strchr(text, '\n');
  const size_t length = end ? (size_t)(end - text) : strlen(text);
  const size_t taken = length < MOST_LINE ? length : 0;
  memcpy(line, text, taken);
  line[taken] = '\0';
  return end && end[1] ? end + 1 : NULL;
}

/* Splits "KEY = VALUE" by ending the key at its " = "; returns the value, or NULL for any other
 * line. */
static const char *split(const hymgi_cache_kind *kind, char *line)
{
  char *mark = strstr(line, " = ");
  if (!mark || strlen(mark + 3) >= HYMGI_CACHE_VALUE || !kind->is_value(mark + 3)) return NULL;
  *mark = '\0';
  return mark + 3;
}

bool hymgi_cache_find(const hymgi_cache_kind *kind, const char *path, const char *key,
                      char found[HYMGI_CACHE_VALUE], char note[256])
{
  char line[MOST_LINE];
  bool is_there = false;
  char *text = read_whole(kind, path, note);
  if (text && *text && !is_ours(kind, text))
    snprintf(note, 256, "%.128s: no %s file", path, kind->name);
  if (text && is_current(kind, text))
    for (const char *next = text; next && !is_there;) {
      next = next_line(next, line);
      const char *value = split(kind, line);
      is_there = value && strcmp(line, key) == 0;
      if (is_there) memcpy(found, value, strlen(value) + 1);
    }
  free(text);
  return is_there;
}

/* ---- writing ---- */

typedef struct sink {
  int descriptor;
  bool failed;
} sink;

static void put(sink *s, const char *text)
{
  size_t left = strlen(text);
  while (left > 0 && !s->failed) {
    const ssize_t done = write(s->descriptor, text, left);
    if (done < 0 && errno != EINTR) s->failed = true;
    if (done > 0) text += done, left -= (size_t)done;
  }
}

static void put_entry(sink *s, const char *key, const char *value)
{
  put(s, key);
  put(s, " = ");
  put(s, value);
  put(s, "\n");
}

/* What to write: a new entry, and the other entries of the old file. */
typedef struct change {
  const hymgi_cache_kind *kind;
  const char *old, *key, *value;
} change;

static void put_all(sink *s, const change *c)
{
  char line[MOST_LINE];
  snprintf(line, sizeof line, "hymg %s 1\n", c->kind->name);
  put(s, line);
  for (const char *next = c->old && is_current(c->kind, c->old) ? c->old : NULL; next;) {
    next = next_line(next, line);
    const char *value = split(c->kind, line);
    if (value && strcmp(line, c->key) != 0) put_entry(s, line, value);
  }
  put_entry(s, c->key, c->value);
}

/* Follows symbolic links, so that a link is not replaced by a file. */
static bool find_target(const char *path, const char *old, char target[PATH_MAX])
{
  errno = ENAMETOOLONG;
  if (strlen(path) >= PATH_MAX) return false;
  if (old) return realpath(path, target) != NULL;
  strcpy(target, path);
  return true;
}

static bool replace(const char *target, const change *c)
{
  char temporary[PATH_MAX + 8];
  struct stat info;
  snprintf(temporary, sizeof temporary, "%s.XXXXXX", target);
  sink s = {.descriptor = mkstemp(temporary)};
  if (s.descriptor < 0) return false;
  put_all(&s, c);
  /* mkstemp creates a private file; keep the permissions of the old one */
  if (!s.failed && c->old && stat(target, &info) == 0)
    s.failed = fchmod(s.descriptor, info.st_mode & 0777) != 0;
  s.failed = s.failed || fsync(s.descriptor) != 0;
  s.failed = close(s.descriptor) != 0 || s.failed;
  if (!s.failed && rename(temporary, target) == 0) return true;
  const int reason = errno;
  unlink(temporary);
  errno = reason;
  return false;
}

bool hymgi_cache_store(const hymgi_cache_kind *kind, const char *path, const char *key,
                       const char *value, char note[256])
{
  char target[PATH_MAX], refused[256] = "";
  char *old = read_whole(kind, path, refused);
  const change c = {kind, old, key, value};
  if (old && *old && !is_ours(kind, old))
    snprintf(refused, 256, "%.128s: no %s file", path, kind->name);
  if (!*refused && (!find_target(path, old, target) || !replace(target, &c)))
    snprintf(refused, 256, "%.128s: not written: %s", path, strerror(errno));
  free(old);
  if (*refused) memcpy(note, refused, sizeof refused);
  return !*refused;
}
