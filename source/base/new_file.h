/* A file that is written under a temporary name in the same folder and renamed when it is complete,
 * so that readers see either the old file or the whole new one. */
#ifndef HYMGI_BASE_NEW_FILE_H
#define HYMGI_BASE_NEW_FILE_H

#include <limits.h>
#include <stdbool.h>

typedef struct hymgi_new_file {
  int file; /* descriptor */
  char target[PATH_MAX], temporary[PATH_MAX + 32];
} hymgi_new_file;

/* NULL, or why the file cannot be written. Symbolic links of this user and of root are followed, so
 * that a link stays one; others are refused. An existing file keeps its permissions and must be
 * writable; a new one gets `mode`, less the umask. */
const char *hymgi_new_file_open(hymgi_new_file *f, const char *path, int mode);
/* Waits until the data are on the disk. False with errno. */
bool hymgi_new_file_flush(hymgi_new_file *f);
/* keep: gives the file its name, else deletes it. False with errno: it could not be renamed, and is
 * deleted. */
bool hymgi_new_file_close(hymgi_new_file *f, bool keep);

#endif
