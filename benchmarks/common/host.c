/* The description of a host, from Linux: /sys for sockets, cores, caches, NUMA nodes and network cards,
 * /etc/os-release, uname, and /proc/driver for the driver of NVIDIA's GPUs. */
#define _GNU_SOURCE
#include "common/kit/machine.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- processors ---- */

/* The first line of a file of processor n; false: there is none. */
static bool read_line(int n, const char *name, char line[256])
{
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", n, name);
  return fv_find_line(path, "", line, 256);
}

static int read_number(int n, const char *name)
{
  char line[256];
  return read_line(n, name, line) ? atoi(line) : -1;
}

/* Processors in a mask such as "ff,0000000f". */
static int processors_in(const char *mask)
{
  int count = 0;
  for (; *mask; mask++) {
    const char digit[2] = {*mask, '\0'};
    for (long bits = strtol(digit, NULL, 16); bits > 0; bits /= 2)
      count += (int)(bits % 2);
  }
  return count;
}

/* The share of processor n in the last-level cache, of which level 3 is the last that counts. */
static double cache_share(int n)
{
  char size[256], mask[256], name[64];
  for (int index = 3; index >= 2; index--) {
    snprintf(name, sizeof name, "cache/index%d/size", index);
    if (!read_line(n, name, size)) continue;
    snprintf(name, sizeof name, "cache/index%d/shared_cpu_map", index);
    const int sharers = read_line(n, name, mask) ? processors_in(mask) : 1;
    const double unit = strchr(size, 'M') ? 0x1p20 : strchr(size, 'K') ? 0x1p10 : 1;
    return atof(size) * unit / (sharers > 0 ? sharers : 1);
  }
  return 0;
}

static int compare(const void *left, const void *right)
{
  const long l = *(const long *)left, r = *(const long *)right;
  return (l > r) - (l < r);
}

/* Different values among `count`, which it sorts. */
static int different(long *value, int count)
{
  int found = 0;
  qsort(value, (size_t)count, sizeof *value, compare);
  for (int i = 0; i < count; i++)
    found += i == 0 || value[i] != value[i - 1];
  return found;
}

static void find_processors(fv_host *h)
{
  const long most = sysconf(_SC_NPROCESSORS_CONF);
  const size_t room = most > 0 ? (size_t)most : 1;
  long *socket = calloc(room, sizeof *socket), *core = calloc(room, sizeof *core);
  int count = 0;
  for (int n = 0; socket && core && n < most; n++) {
    const int package = read_number(n, "topology/physical_package_id");
    const int place = read_number(n, "topology/core_id");
    if (package < 0 || place < 0) continue; /* offline, or not told */
    socket[count] = package;
    core[count++] = package * 65536L + place;
    h->cache += cache_share(n);
  }
  if (count > 0) h->sockets = different(socket, count);
  if (count > 0) h->cores = different(core, count);
  free(socket);
  free(core);
}

/* ---- NUMA nodes, network cards ---- */

int fv_numa_nodes(const char *sys)
{
  char path[256];
  const struct dirent *entry;
  int count = 0;
  snprintf(path, sizeof path, "%.200s/devices/system/node", sys);
  DIR *folder = opendir(path);
  while (folder && (entry = readdir(folder)))
    count += strncmp(entry->d_name, "node", 4) == 0 && entry->d_name[4] &&
             strspn(entry->d_name + 4, "0123456789") == strlen(entry->d_name + 4);
  if (folder) closedir(folder);
  return count;
}

enum { MOST_CARDS = 64, CARD = 128 };

/* The device behind an interface, without the function that tells the ports of a card apart ("0000:3b:00.1"). False:
 * it is not physical, or a virtual function of a card. */
static bool find_card(const char *folder, const char *name, char card[CARD])
{
  char path[512], device[4096];
  snprintf(path, sizeof path, "%.200s/%.100s/device/physfn", folder, name);
  const bool is_virtual = access(path, F_OK) == 0;
  snprintf(path, sizeof path, "%.200s/%.100s/device", folder, name);
  if (is_virtual || !realpath(path, device)) return false;
  const char *const last = strrchr(device, '/') + 1, *const dot = strrchr(last, '.');
  const int length = dot && strlen(dot) == 2 && strchr(last, ':') ? (int)(dot - last) : CARD - 1;
  snprintf(card, CARD, "%.*s", length, last);
  return true;
}

/* False: there is no such folder. */
static bool add_cards(const char *sys, const char *class, char cards[MOST_CARDS][CARD], int *count)
{
  char path[256];
  const struct dirent *entry;
  snprintf(path, sizeof path, "%.200s/class/%s", sys, class);
  DIR *folder = opendir(path);
  while (folder && (entry = readdir(folder)) && *count < MOST_CARDS) {
    int same = 0;
    if (entry->d_name[0] == '.' || !find_card(path, entry->d_name, cards[*count])) continue;
    while (strcmp(cards[same], cards[*count]) != 0)
      same++;
    *count += same == *count;
  }
  if (folder) closedir(folder);
  return folder != NULL;
}

int fv_network_cards(const char *sys)
{
  char cards[MOST_CARDS][CARD];
  int count = 0;
  const bool net = add_cards(sys, "net", cards, &count);
  return add_cards(sys, "infiniband", cards, &count) || net ? count : -1;
}

/* ---- binding ---- */

/* What can be shown of a variable of the environment: it may hold anything. */
static void find_variable(const char *name, char text[48])
{
  const char *const value = getenv(name);
  snprintf(text, 48, "%.47s", value ? value : "");
  for (char *c = text; *c; c++)
    if (*c < 0x20 || *c > 0x7e) *c = '?';
}

fv_binding fv_binding_info(void)
{
  fv_binding b = {.count = 0};
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int n = 0; n < 8 * (int)sizeof b.processors && n < CPU_SETSIZE; n++) {
      if (!CPU_ISSET(n, &set)) continue;
      b.processors[n / 8] |= (unsigned char)(1 << n % 8);
      b.count++;
    }
  find_variable("OMP_PROC_BIND", b.proc_bind);
  find_variable("OMP_PLACES", b.places);
  return b;
}

/* ---- software ---- */

/* The kernel's version is told without what its builder has added to it. */
static void find_os(char os[160])
{
  char line[256], distribution[96] = "";
  struct utsname name;
  if (fv_find_line("/etc/os-release", "PRETTY_NAME=", line, sizeof line)) {
    const char *value = line + (*line == '"');
    snprintf(distribution, sizeof distribution, "%.*s", (int)strcspn(value, "\""), value);
  }
  if (uname(&name) != 0) return;
  snprintf(os, 160, "%s%s%.20s %.*s", distribution, *distribution ? ", " : "", name.sysname,
           (int)strspn(name.release, "0123456789."), name.release);
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun ...": the first word that is a
 * version. */
static void find_gpu_driver(char driver[64])
{
  char line[256];
  const bool found = fv_find_line("/proc/driver/nvidia/version", "", line, sizeof line);
  for (char *word = found ? strtok(line, " \t\n") : NULL; word; word = strtok(NULL, " \t\n")) {
    if (!strchr(word, '.') || strspn(word, "0123456789.") != strlen(word)) continue;
    snprintf(driver, 64, "%.63s", word);
    return;
  }
}

double fv_available_bytes(void)
{
  char line[256];
  return fv_find_line("/proc/meminfo", "MemAvailable:", line, sizeof line) ? 1024 * atof(line) : 0;
}

fv_host fv_host_info(void)
{
  fv_host h = {.os = ""};
  find_processors(&h);
  find_os(h.os);
  find_gpu_driver(h.gpu_driver);
  h.numa_nodes = fv_numa_nodes("/sys");
  h.network_cards = fv_network_cards("/sys");
  return h;
}
