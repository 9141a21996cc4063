/* The entries of the tuning file, and their text. */
#include "hierarchy/tuning_file.h"

#include <stdio.h>

#include "base/cache_file.h"

/* "host N tail N" */
static bool read_thresholds(const char *text, hymgi_thresholds *t)
{
  long long host, tail;
  int length = 0;
  if (sscanf(text, "host %lld tail %lld%n", &host, &tail, &length) != 2) return false;
  *t = (hymgi_thresholds){host, tail};
  return !text[length] && host >= 0 && tail >= 0;
}

/* "stages N rows N" */
static bool read_schedule(const char *text, hymgi_schedule *s)
{
  int length = 0;
  if (sscanf(text, "stages %9d rows %9d%n", &s->stages, &s->rows, &length) != 2) return false;
  return !text[length] && s->stages >= 0 && s->rows >= 0;
}

static bool is_entry(const char *text)
{
  hymgi_thresholds thresholds;
  hymgi_schedule schedule;
  return read_thresholds(text, &thresholds) || read_schedule(text, &schedule);
}

static const hymgi_cache_kind tuning = {"tuning", is_entry};

bool hymgi_tuning_find(const char *path, const char *key, hymgi_thresholds *found, char note[256])
{
  char value[HYMGI_CACHE_VALUE];
  hymgi_thresholds t;
  if (!hymgi_cache_find(&tuning, path, key, value, note) || !read_thresholds(value, &t))
    return false;
  *found = t;
  return true;
}

bool hymgi_tuning_keep(const char *path, const char *key, const hymgi_thresholds *value,
                       char note[256])
{
  char text[HYMGI_CACHE_VALUE];
  snprintf(text, sizeof text, "host %lld tail %lld", (long long)value->host_cells,
           (long long)value->tail_cells);
  return hymgi_cache_store(&tuning, path, key, text, note);
}

bool hymgi_schedule_find(const char *path, const char *key, hymgi_schedule *found, char note[256])
{
  char value[HYMGI_CACHE_VALUE];
  hymgi_schedule s;
  if (!hymgi_cache_find(&tuning, path, key, value, note) || !read_schedule(value, &s)) return false;
  *found = s;
  return true;
}

bool hymgi_schedule_keep(const char *path, const char *key, const hymgi_schedule *value,
                         char note[256])
{
  char text[HYMGI_CACHE_VALUE];
  snprintf(text, sizeof text, "stages %d rows %d", value->stages, value->rows);
  return hymgi_cache_store(&tuning, path, key, text, note);
}
