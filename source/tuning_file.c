/* The text file that keeps measured choices: a line that names the format, then "KEY = host N tail N"
 * a line. What is not of this form is ignored and dropped at the next writing; a file that is none
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

#include "placement.h"

enum { MOST_BYTES = 1 << 20, MOST_LINE = 1024 };

static const char header[] = "hymg tuning 1\n", any_header[] = "hymg tuning ";

/* The file as a string; NULL if there is none to be had. note: why, unless it does not exist. */
static char *read_whole(const char *path, char note[256])
{
  struct stat info;
  if (stat(path, &info) != 0) {
    if (errno != ENOENT) snprintf(note, 256, "%.128s: %s", path, strerror(errno));
    return NULL;
  }
  if (!S_ISREG(info.st_mode) || info.st_size > MOST_BYTES) {
    snprintf(note, 256, "%.128s: no tuning file", path);
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
static bool is_current(const char *text)
{
  return strncmp(text, header, sizeof header - 1) == 0;
}

static bool is_ours(const char *text)
{
  return strncmp(text, any_header, sizeof any_header - 1) == 0;
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

/* Splits "KEY = host N tail N" at its " = ", which becomes the end of the key. */
static bool parse(char *line, hymgi_thresholds *value)
{
  char *mark = strstr(line, " = ");
  long long host, tail;
  int length = 0;
  if (!mark || sscanf(mark, " = host %lld tail %lld%n", &host, &tail, &length) != 2) return false;
  if (mark[length] || host < 0 || tail < 0) return false;
  *mark = '\0';
  *value = (hymgi_thresholds){host, tail};
  return true;
}

bool hymgi_tuning_find(const char *path, const char *key, hymgi_thresholds *found, char note[256])
{
  char line[MOST_LINE];
  hymgi_thresholds value = {0};
  bool is_there = false;
  char *text = read_whole(path, note);
  if (text && *text && !is_ours(text)) snprintf(note, 256, "%.128s: no tuning file", path);
  if (text && is_current(text))
    for (const char *next = text; next && !is_there;) {
      next = next_line(next, line);
      is_there = parse(line, &value) && strcmp(line, key) == 0;
    }
  free(text);
  if (is_there) *found = value;
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

static void put_entry(sink *s, const char *key, const hymgi_thresholds *value)
{
  char tail[64];
  snprintf(tail, sizeof tail, " = host %lld tail %lld\n", (long long)value->host_cells,
           (long long)value->tail_cells);
  put(s, key);
  put(s, tail);
}

static void put_all(sink *s, const char *old, const char *key, const hymgi_thresholds *value)
{
  char line[MOST_LINE];
  hymgi_thresholds kept;
  put(s, header);
  for (const char *next = old && is_current(old) ? old : NULL; next;) {
    next = next_line(next, line);
    if (parse(line, &kept) && strcmp(line, key) != 0) put_entry(s, line, &kept);
  }
  put_entry(s, key, value);
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

static bool replace(const char *target, const char *old, const char *key,
                    const hymgi_thresholds *value)
{
  char beside[PATH_MAX + 8];
  struct stat info;
  snprintf(beside, sizeof beside, "%s.XXXXXX", target);
  sink s = {.descriptor = mkstemp(beside)};
  if (s.descriptor < 0) return false;
  put_all(&s, old, key, value);
  /* mkstemp's files are private; who could read the old one is to read the new one */
  if (!s.failed && old && stat(target, &info) == 0)
    s.failed = fchmod(s.descriptor, info.st_mode & 0777) != 0;
  s.failed = s.failed || fsync(s.descriptor) != 0;
  s.failed = close(s.descriptor) != 0 || s.failed;
  if (!s.failed && rename(beside, target) == 0) return true;
  const int reason = errno;
  unlink(beside);
  errno = reason;
  return false;
}

bool hymgi_tuning_keep(const char *path, const char *key, const hymgi_thresholds *value,
                       char note[256])
{
  char target[PATH_MAX], refused[256] = "";
  char *old = read_whole(path, refused);
  if (old && *old && !is_ours(old)) snprintf(refused, 256, "%.128s: no tuning file", path);
  if (!*refused && (!find_target(path, old, target) || !replace(target, old, key, value)))
    snprintf(refused, 256, "%.128s: not written: %s", path, strerror(errno));
  free(old);
  if (*refused) memcpy(note, refused, sizeof refused);
  return !*refused;
}
