/* Text files that keep what was found out once: a line that names the format, then "KEY = VALUE" a
 * line. What is not of this form is ignored and dropped at the next writing; a file that is none
 * of ours is left alone. Writing goes to a file beside it, which is renamed: readers see the old or
 * the new one whole. */
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

/* The file as a string; NULL if there is none to be had. note: why, unless it does not exist. */
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

/* Its first line is of this format, or of another version of it. */
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

/* One line, without its end. Returns the next one, NULL after the last. A line too long for the
 * buffer is given as an empty one. */
static const char *next_line(const char *text, char line[MOST_LINE])
{
  const char *end = strchr(text, '\n');
  const size_t length = end ? (size_t)(end - text) : strlen(text);
  const size_t taken = length < MOST_LINE ? length : 0;
  memcpy(line, text, taken);
  line[taken] = '\0';
  return end && end[1] ? end + 1 : NULL;
}

/* Splits "KEY = VALUE" at its " = ", which becomes the end of the key; NULL for what is none. */
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

/* What is to be written: an entry, and the old file's others. */
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

/* Links are followed, so that a link stays one. */
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
  char beside[PATH_MAX + 8];
  struct stat info;
  snprintf(beside, sizeof beside, "%s.XXXXXX", target);
  sink s = {.descriptor = mkstemp(beside)};
  if (s.descriptor < 0) return false;
  put_all(&s, c);
  /* mkstemp's files are private; who could read the old one is to read the new one */
  if (!s.failed && c->old && stat(target, &info) == 0)
    s.failed = fchmod(s.descriptor, info.st_mode & 0777) != 0;
  s.failed = s.failed || fsync(s.descriptor) != 0;
  s.failed = close(s.descriptor) != 0 || s.failed;
  if (!s.failed && rename(beside, target) == 0) return true;
  const int reason = errno;
  unlink(beside);
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
