/* Energy counters: of a folder as /sys/class/powercap, with counters that wrap, cannot be read or stand still; of a GPU,
 * through a library that stands for NVML; and what a record says of network cards, NUMA nodes and the binding. */
#define _GNU_SOURCE
#include "common/energy.h"
#include "common/kit/machine.h"
#include "report/fake_nvml.h"
#include "support/support.h"

#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANOTHER = 65534 };
static const unsigned long long range = 262143328850ULL;

static char folder[64];
static energy_meter meter;

static void set_up(void)
{
  strcpy(folder, "/tmp/hymg-test-energy-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_int_eq(chmod(folder, 0755), 0);
  memset(&meter, 0, sizeof meter);
}

static void tear_down(void)
{
  char command[96];
  energy_close(&meter);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  ck_assert_int_eq(system(command), 0);
}

/* ---- a tree ---- */

static void put(const char *zone, const char *name, const char *text)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, zone);
  mkdir(path, 0755);
  snprintf(path, sizeof path, "%s/%s/%s", folder, zone, name);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fprintf(file, "%s\n", text);
  ck_assert_int_eq(fclose(file), 0);
}

static void set(const char *zone, unsigned long long microjoules)
{
  char text[32];
  snprintf(text, sizeof text, "%llu", microjoules);
  put(zone, "energy_uj", text);
}

static void add_zone(const char *zone, const char *name, unsigned long long microjoules)
{
  char text[32];
  snprintf(text, sizeof text, "%llu", range);
  put(zone, "name", name);
  put(zone, "max_energy_range_uj", text);
  set(zone, microjoules);
}

static void take_away(const char *zone, const char *name)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s/%s", folder, zone, name);
  ck_assert_int_eq(unlink(path), 0);
}

static void assert_part(int n, const char *name, energy_kind kind, double joules)
{
  ck_assert_int_lt(n, meter.num_parts);
  ck_assert_str_eq(meter.part[n].name, name);
  ck_assert_int_eq((int)meter.part[n].kind, (int)kind);
  ck_assert(!meter.part[n].lost);
  ck_assert_double_eq_tol(meter.part[n].joules, joules, 1e-9);
}

static void assert_lost(int n, energy_source source, const char *why)
{
  ck_assert_int_lt(n, meter.num_parts);
  ck_assert(meter.part[n].lost);
  ck_assert_msg(strstr(meter.why[source], why), "says '%s', not '%s'", meter.why[source], why);
}

/* ---- RAPL ---- */

START_TEST(packages_and_memories_count_and_their_parts_and_sums_do_not)
{
  add_zone("intel-rapl:0", "package-0", 1000000);
  add_zone("intel-rapl:0:0", "core", 5);
  add_zone("intel-rapl:0:1", "dram", 7000000);
  add_zone("intel-rapl:1", "package-1", 9);
  add_zone("intel-rapl:2", "psys", 77);
  add_zone("intel-rapl-mmio:0", "package-0", 1000000);
  energy_find_rapl(&meter, folder);
  ck_assert_int_eq(meter.num_parts, 3);
  set("intel-rapl:0", 3000000); /* before the first reading: does not count */
  energy_begin(&meter);
  set("intel-rapl:0", 4500000);
  set("intel-rapl:0:1", 7000001);
  energy_add(&meter);
  set("intel-rapl:0", 5000000);
  set("intel-rapl:1", 2000009);
  energy_add(&meter);
  energy_end(&meter);
  assert_part(0, "package-0", ENERGY_PACKAGE, 2.0);
  assert_part(1, "package-0 dram", ENERGY_DRAM, 1e-6);
  assert_part(2, "package-1", ENERGY_PACKAGE, 2.0);
  ck_assert_str_eq(meter.why[ENERGY_RAPL], "");
}
END_TEST

START_TEST(a_counter_that_wraps_goes_on_counting)
{
  add_zone("intel-rapl:0", "package-0", range - 250000);
  energy_find_rapl(&meter, folder);
  energy_begin(&meter);
  set("intel-rapl:0", 750000);
  energy_add(&meter);
  assert_part(0, "package-0", ENERGY_PACKAGE, 1.0);
  set("intel-rapl:0", range);
  energy_add(&meter);
  set("intel-rapl:0", 0);
  energy_add(&meter);
  assert_part(0, "package-0", ENERGY_PACKAGE, 1.0 + 1e-6 * (double)(range - 750000));
}
END_TEST

START_TEST(a_counter_that_went_back_or_may_have_wrapped_twice_is_lost)
{
  add_zone("intel-rapl:0", "package-0", 5000000);
  take_away("intel-rapl:0", "max_energy_range_uj");
  add_zone("intel-rapl:1", "package-1", 0);
  energy_find_rapl(&meter, folder);
  energy_begin(&meter);
  set("intel-rapl:0", 4999999);
  energy_add(&meter);
  assert_lost(0, ENERGY_RAPL, "the counter of package-0 went back");
  ck_assert(!meter.part[1].lost);
  meter.read_at -= 263; /* s, which 1 kW needs for the range */
  meter.why[ENERGY_RAPL][0] = '\0';
  energy_add(&meter);
  assert_lost(1, ENERGY_RAPL,
              "the counter of package-1 may have wrapped more than once in the 263 s");
}
END_TEST

START_TEST(a_counter_that_stands_still_is_lost)
{
  add_zone("intel-rapl:0", "package-0", 5);
  energy_find_rapl(&meter, folder);
  energy_begin(&meter);
  energy_add(&meter);
  energy_end(&meter);
  assert_lost(0, ENERGY_RAPL, "the counter of package-0 did not advance");
}
END_TEST

START_TEST(unreadable_counters_are_lost_and_the_file_is_named)
{
  add_zone("intel-rapl:0", "package-0", 5);
  add_zone("intel-rapl:1", "package-1", 5);
  take_away("intel-rapl:0", "energy_uj");
  energy_find_rapl(&meter, folder);
  ck_assert_int_eq(meter.num_parts, 2);
  assert_lost(0, ENERGY_RAPL, "/intel-rapl:0/energy_uj: No such file or directory");
  energy_begin(&meter);
  put("intel-rapl:1", "energy_uj", "none");
  meter.why[ENERGY_RAPL][0] = '\0';
  energy_add(&meter);
  assert_lost(1, ENERGY_RAPL, "/intel-rapl:1/energy_uj: Invalid argument");
}
END_TEST

START_TEST(counters_that_root_alone_may_read_say_so)
{
  char path[256];
  add_zone("intel-rapl:0", "package-0", 5);
  snprintf(path, sizeof path, "%s/intel-rapl:0/energy_uj", folder);
  ck_assert_int_eq(chmod(path, 0000), 0);
  const bool root = geteuid() == 0;
  if (root) ck_assert_int_eq(seteuid(ANOTHER), 0);
  energy_find_rapl(&meter, folder);
  if (root) ck_assert_int_eq(seteuid(0), 0);
  assert_lost(0, ENERGY_RAPL, "/intel-rapl:0/energy_uj: Permission denied: root alone may read it");
}
END_TEST

START_TEST(a_machine_without_rapl_is_told)
{
  char none[80];
  energy_find_rapl(&meter, folder);
  ck_assert_int_eq(meter.num_parts, 0);
  ck_assert_ptr_nonnull(strstr(meter.why[ENERGY_RAPL], "has no package of intel-rapl"));
  snprintf(none, sizeof none, "%s/none", folder);
  energy_find_rapl(&meter, none);
  ck_assert_int_eq(meter.num_parts, 0);
  ck_assert_ptr_nonnull(strstr(meter.why[ENERGY_RAPL], "/none: No such file or directory"));
  energy_begin(&meter); /* of nothing */
  energy_add(&meter);
  energy_end(&meter);
}
END_TEST

START_TEST(idle_power_is_that_of_the_seconds_before)
{
  add_zone("intel-rapl:0", "package-0", 0);
  add_zone("intel-rapl:1", "package-1", 0);
  energy_find_rapl(&meter, folder);
  ck_assert(isnan(meter.part[0].idle_watts));
  energy_begin(&meter);
  set("intel-rapl:0", 120000000);
  energy_add(&meter);
  energy_set_idle(&meter, 2.0);
  energy_begin(&meter);
  ck_assert_double_eq_tol(meter.part[0].idle_watts, 60.0, 1e-9);
  ck_assert(isnan(meter.part[1].idle_watts));
  ck_assert_double_eq(meter.part[0].joules, 0.0);
}
END_TEST

/* ---- NVML ---- */

/* The library beside this program, which then stands for the one of that name. */
static fake_nvml *load_fake(void)
{
  char path[1100] = "", program[1024] = "";
  ck_assert_int_gt((int)readlink("/proc/self/exe", program, sizeof program - 1), 0);
  *strrchr(program, '/') = '\0';
  snprintf(path, sizeof path, "%s/fake/libnvidia-ml.so.1", program);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(library, "%s", dlerror());
  fake_nvml *fake = dlsym(library, "fake");
  ck_assert_ptr_nonnull(fake);
  *fake = (fake_nvml){.power_limit = 700000, .clock = 1980, .ecc = 1};
  return fake;
}

START_TEST(a_gpu_counts_beside_packages)
{
  fake_nvml *const fake = load_fake();
  add_zone("intel-rapl:0", "package-0", 0);
  energy_find_rapl(&meter, folder);
  fake->millijoules = 123456789012ULL;
  energy_find_gpu(&meter, "0000:1b:00");
  energy_begin(&meter);
  fake->millijoules += 2500;
  set("intel-rapl:0", 1);
  energy_add(&meter);
  energy_end(&meter);
  assert_part(0, "package-0", ENERGY_PACKAGE, 1e-6);
  assert_part(1, "GPU 0000:1b:00", ENERGY_GPU, 2.5);
  ck_assert_int_eq(fake->users, 1);
  energy_close(&meter);
  ck_assert_int_eq(fake->users, 0);
}
END_TEST

START_TEST(a_gpu_without_a_counter_is_lost_and_keeps_its_state)
{
  fake_nvml *const fake = load_fake();
  nvml_state state = nvml_state_unknown();
  fake->energy_code = FAKE_NOT_SUPPORTED;
  energy_find_gpu(&meter, "0000:1b:00");
  assert_lost(0, ENERGY_NVML, "Not Supported");
  ck_assert_ptr_nonnull(meter.gpu);
  nvml_read_state(meter.gpu, &state);
  ck_assert_int_eq(state.sm, 1981);
  energy_begin(&meter);
  energy_add(&meter);
  ck_assert(meter.part[0].lost);
}
END_TEST

START_TEST(a_gpu_that_mig_splits_is_lost)
{
  load_fake()->mig = 1;
  energy_find_gpu(&meter, "0000:1b:00");
  assert_lost(0, ENERGY_NVML, "split by MIG");
}
END_TEST

START_TEST(a_gpu_that_nvml_does_not_know_is_lost)
{
  fake_nvml *const fake = load_fake();
  energy_find_gpu(&meter, "ffff:ff:1f");
  assert_lost(0, ENERGY_NVML, "knows no GPU ffff:ff:1f.0: Not Found");
  ck_assert_int_eq(fake->users, 0);
  memset(&meter, 0, sizeof meter);
  fake->init_code = 12;
  energy_find_gpu(&meter, "0000:1b:00");
  assert_lost(0, ENERGY_NVML, "does not start: Unknown Error");
  memset(&meter, 0, sizeof meter);
  energy_find_gpu(&meter, "");
  assert_lost(0, ENERGY_NVML, "place on the PCI bus is not known");
}
END_TEST

START_TEST(the_state_has_limits_clocks_and_all_reasons_seen)
{
  fake_nvml *const fake = load_fake();
  nvml_state s = nvml_state_unknown();
  ck_assert(isnan(s.power_limit) && s.ecc == -1 && !s.has_reasons && s.sm == 0);
  energy_find_gpu(&meter, "0000:1b:00");
  fake->reasons = 4;
  nvml_read_state(meter.gpu, &s);
  fake->reasons = 0x20;
  nvml_read_state(meter.gpu, &s);
  ck_assert_double_eq_tol(s.power_limit, 700.0, 1e-9);
  ck_assert_int_eq(s.sm, 1981);
  ck_assert_int_eq(s.memory, 1982);
  ck_assert_int_eq(s.sm_max, 2081);
  ck_assert_int_eq(s.memory_max, 2082);
  ck_assert_int_eq(s.ecc, 1);
  for (int n = 0; n < NVML_REASONS; n++)
    ck_assert_int_eq(s.reason[n], n == 2 || n == 5);
  ck_assert_str_eq(nvml_reason_name(2), "sw_power_cap");
  ck_assert_str_eq(nvml_reason_name(5), "sw_thermal_slowdown");
  s = nvml_state_unknown();
  fake->state_code = FAKE_NOT_SUPPORTED;
  nvml_read_state(meter.gpu, &s);
  ck_assert(isnan(s.power_limit) && s.ecc == -1 && !s.has_reasons && s.memory_max == 0);
}
END_TEST

/* ---- the place ---- */

static void make(const char *what, const char *name)
{
  char command[256];
  snprintf(command, sizeof command, "cd %s && %s '%s'", folder, what, name);
  ck_assert_int_eq(system(command), 0);
}

START_TEST(cards_count_once_whatever_their_ports_and_names)
{
  make("mkdir -p", "devices/0000:3b:00.0");
  make("mkdir -p", "devices/0000:3b:00.1");
  make("mkdir -p", "devices/0000:5e:00.0");
  make("mkdir -p", "devices/0000:5e:02.0/physfn"); /* a virtual function */
  make("mkdir -p", "devices/virtio1");
  for (const char *const *c =
           (const char *const[]){"net/lo", "net/eth0", "net/eth1", "net/ib0", "net/vf0", "net/eth2",
                                 "infiniband/mlx5_0", NULL};
       *c; c++) {
    char path[64];
    snprintf(path, sizeof path, "class/%s", *c);
    make("mkdir -p", path);
  }
  make("ln -s ../../../devices/0000:3b:00.0", "class/net/eth0/device");
  make("ln -s ../../../devices/0000:3b:00.1", "class/net/eth1/device");
  make("ln -s ../../../devices/0000:5e:00.0", "class/net/ib0/device");
  make("ln -s ../../../devices/0000:5e:00.0", "class/infiniband/mlx5_0/device");
  make("ln -s ../../../devices/0000:5e:02.0", "class/net/vf0/device");
  make("ln -s ../../../devices/virtio1", "class/net/eth2/device");
  ck_assert_int_eq(fv_network_cards(folder), 3);
  make("rm -r", "class");
  ck_assert_int_eq(fv_network_cards(folder), -1);
}
END_TEST

START_TEST(numa_nodes_are_counted)
{
  ck_assert_int_eq(fv_numa_nodes(folder), 0);
  for (const char *const *n =
           (const char *const[]){"node0", "node1", "node10", "node", "node_x", "possible", NULL};
       *n; n++) {
    char path[64];
    snprintf(path, sizeof path, "devices/system/node/%s", *n);
    make("mkdir -p", path);
  }
  ck_assert_int_eq(fv_numa_nodes(folder), 3);
}
END_TEST

START_TEST(the_binding_is_that_of_the_process)
{
  cpu_set_t before, one;
  ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
  int last = -1;
  for (int n = 0; n < CPU_SETSIZE; n++)
    if (CPU_ISSET(n, &before)) last = n;
  ck_assert_int_eq(fv_binding_info().count, CPU_COUNT(&before));
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
  setenv("OMP_PROC_BIND", "close", 1);
  setenv("OMP_PLACES", "\xff\n{0}", 1);
  const fv_binding b = fv_binding_info();
  ck_assert_int_eq(sched_setaffinity(0, sizeof before, &before), 0);
  unsetenv("OMP_PROC_BIND");
  unsetenv("OMP_PLACES");
  ck_assert_int_eq(b.count, 1);
  for (int n = 0; n < 8 * (int)sizeof b.processors; n++)
    ck_assert_int_eq(b.processors[n / 8] >> n % 8 & 1, n == last);
  ck_assert_str_eq(b.proc_bind, "close");
  ck_assert_str_eq(b.places, "?\?{0}"); /* as JSON can have it */
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("energy");
  TCase *t = tcase_create("all");
  tcase_add_checked_fixture(t, set_up, tear_down);
  tcase_add_test(t, packages_and_memories_count_and_their_parts_and_sums_do_not);
  tcase_add_test(t, a_counter_that_wraps_goes_on_counting);
  tcase_add_test(t, a_counter_that_went_back_or_may_have_wrapped_twice_is_lost);
  tcase_add_test(t, a_counter_that_stands_still_is_lost);
  tcase_add_test(t, unreadable_counters_are_lost_and_the_file_is_named);
  tcase_add_test(t, counters_that_root_alone_may_read_say_so);
  tcase_add_test(t, a_machine_without_rapl_is_told);
  tcase_add_test(t, idle_power_is_that_of_the_seconds_before);
  tcase_add_test(t, a_gpu_counts_beside_packages);
  tcase_add_test(t, a_gpu_without_a_counter_is_lost_and_keeps_its_state);
  tcase_add_test(t, a_gpu_that_mig_splits_is_lost);
  tcase_add_test(t, a_gpu_that_nvml_does_not_know_is_lost);
  tcase_add_test(t, the_state_has_limits_clocks_and_all_reasons_seen);
  tcase_add_test(t, cards_count_once_whatever_their_ports_and_names);
  tcase_add_test(t, numa_nodes_are_counted);
  tcase_add_test(t, the_binding_is_that_of_the_process);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
