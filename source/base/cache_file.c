/* Text files that cache the results of measurements and probes: a first line that names the
 * format, then one "KEY = VALUE" per line. Other lines are ignored and dropped the next time the
 * file is written; a file of another format is left alone. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache_file.h"
#include "base/new_file.h"

enum { MOST_BYTES = 1 << 20, MOST_LINE = 1024 };

/* The bytes of a regular file, at most MOST_BYTES, as a string. NULL with errno: it cannot be read;
 * errno 0: it is no such file. The file is opened first, so that it is the one whose size is asked. */
static char *read_bytes(const char *path)
{
  struct stat info;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would block */
  char *text = NULL;
  if (file < 0) return NULL;
  errno = 0;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= MOST_BYTES)
    text = malloc((size_t)info.st_size + 1);
  const ssize_t got = text ? read(file, text, (size_t)info.st_size) : -1;
  const int why = errno;
  if (got >= 0) {
    text[got] = '\0';
  } else {
    free(text);
    text = NULL;
  }
  close(file);
  errno = why;
  return text;
}

/* The file as a string; NULL if it cannot be read or is of another kind. note: the reason, unless
 * the file does not exist. */
static char *read_whole(const hymgi_cache_kind *kind, const char *path, char note[256])
{
  char header[64], *text = read_bytes(path);
  const int length = snprintf(header, sizeof header, "hymg %s ", kind->name);
  if (!text && errno == ENOENT) return NULL;
  if (!text && errno != 0) {
    snprintf(note, 256, "%.128s: %s", path, strerror(errno));
    return NULL;
  }
  if (text && (!*text || strncmp(text, header, (size_t)length) == 0)) return text;
  snprintf(note, 256, "%.128s: no %s file", path, kind->name);
  free(text);
  return NULL;
}

/* What follows the first line, if that names this version of the format. */
static const char *entries_of(const hymgi_cache_kind *kind, const char *text)
{
  char header[64];
  const int length = snprintf(header, sizeof header, "hymg %s 1\n", kind->name);
  return text && strncmp(text, header, (size_t)length) == 0 ? text + length : "";
}

/* Advances to the next "KEY = VALUE" and copies it to `line`, the key ended at its " = "; returns
 * the value, or NULL after the last one. A line that is too long is ignored. */
static const char *next_entry(const hymgi_cache_kind *kind, const char **text, char line[MOST_LINE])
{
  while (**text) {
    const size_t length = strcspn(*text, "\n"), taken = length < MOST_LINE ? length : 0;
    memcpy(line, *text, taken);
    line[taken] = '\0';
    *text += length + ((*text)[length] == '\n');
    char *mark = strstr(line, " = ");
    if (!mark || strlen(mark + 3) >= HYMGI_CACHE_VALUE || !kind->is_value(mark + 3)) continue;
    *mark = '\0';
    return mark + 3;
  }
  return NULL;
}

bool hymgi_cache_find(const hymgi_cache_kind *kind, const char *path, const char *key,
                      char found[HYMGI_CACHE_VALUE], char note[256])
{
  char line[MOST_LINE];
  char *text = read_whole(kind, path, note);
  const char *next = entries_of(kind, text), *value = next_entry(kind, &next, line);
  while (value && strcmp(line, key) != 0)
    value = next_entry(kind, &next, line);
  if (value) memcpy(found, value, strlen(value) + 1);
  free(text);
  return value != NULL;
}

/* ---- writing ---- */

/* The new entry, and the other entries of the old file. */
static bool write_all(int file, const hymgi_cache_kind *kind, const char *old, const char *key,
                      const char *value)
{
  char line[MOST_LINE];
  const char *next = entries_of(kind, old), *other;
  bool done = dprintf(file, "hymg %s 1\n", kind->name) > 0;
  while (done && (other = next_entry(kind, &next, line)))
    if (strcmp(line, key) != 0) done = dprintf(file, "%s = %s\n", line, other) > 0;
  return done && dprintf(file, "%s = %s\n", key, value) > 0;
}

bool hymgi_cache_store(const hymgi_cache_kind *kind, const char *path, const char *key,
                       const char *value, char note[256])
{
  hymgi_new_file f;
  char refused[256] = "";
  char *old = read_whole(kind, path, refused);
  const char *why = *refused ? NULL : hymgi_new_file_open(&f, path, 0600);
  if (!why && !*refused) {
    const bool done = write_all(f.file, kind, old, key, value) && hymgi_new_file_flush(&f);
    if (!done) why = strerror(errno);
    if (!hymgi_new_file_close(&f, done)) why = strerror(errno);
  }
  if (why) snprintf(refused, 256, "%.128s: not written: %s", path, why);
  free(old);
  if (*refused) memcpy(note, refused, sizeof refused);
  return !*refused;
}
