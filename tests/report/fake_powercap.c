/* Preloaded into hymg-fv by energy.sh: the folder FAKE_POWERCAP, with the rank for a % at its end, stands for /sys/class/powercap, and each counter in it
 * advances by 50 W from the value in its file, up to its range. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC visibility push(default)

static const char place[] = "/sys/class/powercap";

static const char *replaced(const char *path, char other[512])
{
  const char *const folder = getenv("FAKE_POWERCAP");
  if (!folder || strncmp(path, place, sizeof place - 1) != 0) return path;
  const char *const rank = getenv("OMPI_COMM_WORLD_RANK");
  const int length = (int)strcspn(folder, "%");
  snprintf(other, 512, "%.*s%s%s", length, folder, folder[length] && rank ? rank : "",
           path + sizeof place - 1);
  return other;
}

int scandir(const char *path, struct dirent ***list, int (*take)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
  char other[512];
  int (*real)(const char *, struct dirent ***, int (*)(const struct dirent *),
              int (*)(const struct dirent **, const struct dirent **)) = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "scandir");
  return real(replaced(path, other), list, take, compare);
}

static FILE *advanced(FILE *file)
{
  static char text[4][32];
  static int next;
  struct timespec now;
  unsigned long long count = 0;
  if (fscanf(file, "%llu", &count) != 1) count = 0;
  fclose(file);
  clock_gettime(CLOCK_MONOTONIC, &now);
  count += 50000000ULL * (unsigned long long)now.tv_sec + (unsigned long long)now.tv_nsec / 20;
  next = (next + 1) % 4;
  snprintf(text[next], sizeof text[next], "%llu\n", count % 262143328851ULL);
  return fmemopen(text[next], strlen(text[next]), "r");
}

FILE *fopen(const char *path, const char *mode)
{
  char other[512];
  const char *const name = replaced(path, other);
  FILE *(*real)(const char *, const char *) = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "fopen");
  FILE *file = real(name, mode);
  return file && name == other && strstr(name, "/energy_uj") ? advanced(file) : file;
}
