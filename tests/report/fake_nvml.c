/* Stands for libnvidia-ml.so.1: the calls that hymg-fv makes, answered from a structure that a test can change. Any GPU with
 * a well-formed place on the bus is there. With FAKE_NVML_WATTS in the environment the counter advances by that power. */
#define _POSIX_C_SOURCE 200809L
#include "report/fake_nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#pragma GCC visibility push(default)

enum { UNKNOWN_ERROR = 999, NOT_FOUND = 6 };

fake_nvml fake = {.energy_code = 0, .power_limit = 700000, .clock = 1980, .ecc = 1};

int nvmlInit_v2(void)
{
  return fake.init_code ? fake.init_code : (fake.users++, 0);
}

int nvmlShutdown(void)
{
  return fake.users > 0 ? (fake.users--, 0) : UNKNOWN_ERROR;
}

const char *nvmlErrorString(int code)
{
  return code == FAKE_NOT_SUPPORTED ? "Not Supported"
         : code == NOT_FOUND        ? "Not Found"
                                    : "Unknown Error";
}

int nvmlSystemGetDriverVersion(char *text, unsigned length)
{
  snprintf(text, length, "123.45");
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
  unsigned part[4];
  int used = 0;
  *device = &fake;
  return sscanf(bus, "%4x:%2x:%2x.%1u%n", &part[0], &part[1], &part[2], &part[3], &used) == 4 &&
                 !bus[used] && part[0] != 0xffff
             ? 0
             : NOT_FOUND;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
  const char *const watts = getenv("FAKE_NVML_WATTS");
  struct timespec now;
  (void)device;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *millijoules = fake.millijoules;
  if (watts)
    *millijoules +=
        (unsigned long long)(atof(watts) * (1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec));
  return fake.energy_code;
}

int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending)
{
  (void)device;
  *current = *pending = fake.mig;
  return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts)
{
  (void)device;
  *milliwatts = fake.power_limit;
  return fake.state_code;
}

int nvmlDeviceGetClockInfo(void *device, int which, unsigned *mhz)
{
  (void)device;
  *mhz = fake.clock + (unsigned)which;
  return fake.state_code;
}

int nvmlDeviceGetMaxClockInfo(void *device, int which, unsigned *mhz)
{
  (void)device;
  *mhz = fake.clock + 100 + (unsigned)which;
  return fake.state_code;
}

int nvmlDeviceGetEccMode(void *device, int *current, int *pending)
{
  (void)device;
  *current = *pending = fake.ecc;
  return fake.state_code;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits)
{
  (void)device;
  *bits = fake.reasons;
  return fake.state_code;
}
