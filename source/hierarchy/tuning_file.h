/* The tuning file: what was measured for the placement of levels and for the schedules of the host. */
#ifndef HYMGI_HIERARCHY_TUNING_FILE_H
#define HYMGI_HIERARCHY_TUNING_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* host_cells and tail_cells as in hymg_options; -1 if not chosen yet. */
typedef struct hymgi_thresholds {
  int64_t host_cells, tail_cells;
} hymgi_thresholds;

/* Sweeps of a wavefront, 0: none; rows of its tiles, 0: whole planes. */
typedef struct hymgi_schedule {
  int stages, rows;
} hymgi_schedule;

/* Like hymgi_cache_find and hymgi_cache_store (base/cache_file.h). What is found under a key for something else is not
 * taken. */
bool hymgi_tuning_find(const char *path, const char *key, hymgi_thresholds *found, char note[256]);
bool hymgi_tuning_keep(const char *path, const char *key, const hymgi_thresholds *value,
                       char note[256]);
bool hymgi_schedule_find(const char *path, const char *key, hymgi_schedule *found, char note[256]);
bool hymgi_schedule_keep(const char *path, const char *key, const hymgi_schedule *value,
                         char note[256]);

#endif
