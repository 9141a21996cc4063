/* Text files that cache the results of measurements and probes (cache_file.c). */
#ifndef HYMGI_BASE_CACHE_FILE_H
#define HYMGI_BASE_CACHE_FILE_H

#include <stdbool.h>

enum { HYMGI_CACHE_VALUE = 128 };

typedef struct hymgi_cache_kind {
  const char *name; /* one word; "hymg NAME 1" is the file's first line */
  bool (*is_value)(const char *value);
} hymgi_cache_kind;

/* A key is one line without " = ". hymgi_cache_find returns true if the file has the key.
 * hymgi_cache_store adds or replaces it atomically and returns false, with the reason in note, if
 * that was not possible. note is left unchanged on success and if the file does not exist. */
bool hymgi_cache_find(const hymgi_cache_kind *kind, const char *path, const char *key,
                      char found[HYMGI_CACHE_VALUE], char note[256]);
bool hymgi_cache_store(const hymgi_cache_kind *kind, const char *path, const char *key,
                       const char *value, char note[256]);

#endif
