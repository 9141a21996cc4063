/* Limits are read as the kernel's documentation of control groups has them: version 2 has "QUOTA PERIOD" or
 * "max PERIOD" in cpu.max, version 1 has cpu.cfs_quota_us (-1: none) and cpu.cfs_period_us, microseconds
 * each. A limit holds for all groups below, so that the least one on the way to the root counts. */
#define _POSIX_C_SOURCE 200809L
#include "base/cgroup.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 4096 };

/* The numbers of a file of up to two, -1 for "max" and where there is none. */
static void numbers_of(const char *folder, const char *name, double number[2])
{
  char path[2 * LONG], word[2][32] = {"max", "max"};
  number[0] = number[1] = -1;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return;
  FILE *const file = fopen(path, "r");
  if (!file) return;
  const int got = fscanf(file, "%31s %31s", word[0], word[1]);
  fclose(file);
  for (int i = 0; i < 2 && i < got; i++)
    if (strcmp(word[i], "max") != 0) number[i] = strtod(word[i], NULL);
}

static double cores_of(const char *folder)
{
  double max[2], quota[2], period[2];
  numbers_of(folder, "cpu.max", max);
  if (max[0] > 0 && max[1] > 0) return max[0] / max[1];
  numbers_of(folder, "cpu.cfs_quota_us", quota);
  numbers_of(folder, "cpu.cfs_period_us", period);
  return quota[0] > 0 && period[0] > 0 ? quota[0] / period[0] : INFINITY;
}

/* The least limit of the group and of those above it. In a container the path may be one of the host, of which
 * only the root is to be seen. */
static double least_of(const char *mount, char *path)
{
  double least = INFINITY;
  for (;;) {
    char folder[2 * LONG];
    if (snprintf(folder, sizeof folder, "%s%s", mount, path) < (int)sizeof folder)
      least = fmin(least, cores_of(folder));
    char *const slash = strrchr(path, '/');
    if (!slash) return least;
    *slash = 0;
  }
}

/* A line is NUMBER:CONTROLLERS:PATH; version 2 has number 0 and no controllers. */
static double limit_of_line(const char *root, char *line)
{
  static const char *const mounts[2][3] = {{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"},
                                           {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}};
  char *const controllers = strchr(line, ':'), *const path = controllers
                                                                 ? strchr(controllers + 1, ':')
                                                                 : NULL;
  if (!path) return INFINITY;
  *path = 0;
  const int version = controllers[1] ? 1 : 2;
  char list[LONG + 2];
  snprintf(list, sizeof list, ",%s,", controllers + 1);
  if (version == 1 && !strstr(list, ",cpu,")) return INFINITY;
  double least = INFINITY;
  for (int m = 0; m < 2; m++) {
    char mount[LONG], copy[LONG];
    snprintf(mount, sizeof mount, "%s%s", root, mounts[version == 1][m]);
    snprintf(copy, sizeof copy, "%s", path + 1);
    least = fmin(least, least_of(mount, copy));
  }
  return least;
}

int hymgi_cgroup_cores(const char *root)
{
  char path[LONG], line[LONG];
  double least = INFINITY;
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *const file = fopen(path, "r");
  if (!file) return INT_MAX;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    least = fmin(least, limit_of_line(root, line));
  }
  fclose(file);
  if (!(least < INT_MAX)) return INT_MAX;
  return least < 1.5 ? 1 : (int)(least + 0.5);
}
