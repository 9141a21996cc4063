/* Files with tuning and probe results: any bytes may be in them. An entry that is stored is found
 * again, the other entries stay, and a file of another kind is left alone. */
#define _GNU_SOURCE
#include "base/cache_file.h"
#include "fuzz/words.h"
#include "hierarchy/placement.h"
#include "transport/transport.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char key[] = "0.1.0 | a device | 64 x 64 x 64", other[] = "other";
static char folder[64], path[80];

static void remove_folder(void)
{
  unlink(path);
  rmdir(folder);
}

/* In memory where the system has such a folder. */
static void make_folder(void)
{
  const char *const in = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  snprintf(folder, sizeof folder, "%s/hymg-fuzz-XXXXXX", in);
  if (!mkdtemp(folder)) abort();
  snprintf(path, sizeof path, "%s/file", folder);
  atexit(remove_folder);
}

static void write_file(const uint8_t *data, size_t size)
{
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) != 0) abort();
}

static bool is_word(const char *value)
{
  return strcmp(value, "worked") == 0 || strcmp(value, "failed") == 0;
}

static void try_tuning(void)
{
  hymgi_thresholds found, before, after;
  const hymgi_thresholds mine = {4096, 513};
  char note[256] = "";
  const bool had = hymgi_tuning_find(path, other, &before, note);
  hymgi_tuning_find(path, key, &found, note);
  if (!hymgi_tuning_keep(path, key, &mine, note)) {
    if (!*note) abort();
    return;
  }
  if (!hymgi_tuning_find(path, key, &found, note)) abort();
  if (found.host_cells != 4096 || found.tail_cells != 513) abort();
  if (hymgi_tuning_find(path, other, &after, note) != had) abort();
  if (had && (before.host_cells != after.host_cells || before.tail_cells != after.tail_cells))
    abort();
}

static void try_probe(void)
{
  const hymgi_cache_kind kind = {"probe", is_word};
  char value[HYMGI_CACHE_VALUE] = "", note[256] = "";
  hymgi_cache_find(&kind, path, key, value, note);
  if (!hymgi_cache_store(&kind, path, key, "failed", note)) {
    if (!*note) abort();
    return;
  }
  if (!hymgi_cache_find(&kind, path, key, value, note) || strcmp(value, "failed") != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0) return 0;
  if (!*folder) make_folder();
  write_file(data + 1, size - 1);
  if (data[0] % 2)
    try_tuning();
  else
    try_probe();
  return 0;
}
