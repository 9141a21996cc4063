/* See nvml.h. The few calls are declared here as NVML's documentation gives them. */
#include "common/gpu/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct nvmlDevice_st *device;

enum { SUCCESS = 0 };
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };

/* A call that the library does not have is NULL. */
typedef struct calls {
  void *library;
  int (*init)(void);
  int (*shut_down)(void);
  const char *(*error_text)(int code);
  int (*driver_version)(char *text, unsigned length);
  int (*by_bus)(const char *bus, device *found);
  int (*total_energy)(device gpu, unsigned long long *millijoules);
  int (*mig_mode)(device gpu, unsigned *current, unsigned *pending);
  int (*power_limit)(device gpu, unsigned *milliwatts);
  int (*clock)(device gpu, int which, unsigned *mhz);
  int (*most_clock)(device gpu, int which, unsigned *mhz);
  int (*ecc_mode)(device gpu, int *current, int *pending);
  int (*reasons)(device gpu, unsigned long long *bits);
} calls;

struct nvml_gpu {
  calls nvml;
  device device;
};

/* ---- the library ---- */

static bool load(calls *c, char why[NVML_WHY])
{
  c->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!c->library) {
    snprintf(why, NVML_WHY, "libnvidia-ml.so.1, which comes with the driver, is not there");
    return false;
  }
  *(void **)&c->init = dlsym(c->library, "nvmlInit_v2");
  *(void **)&c->shut_down = dlsym(c->library, "nvmlShutdown");
  *(void **)&c->error_text = dlsym(c->library, "nvmlErrorString");
  *(void **)&c->driver_version = dlsym(c->library, "nvmlSystemGetDriverVersion");
  *(void **)&c->by_bus = dlsym(c->library, "nvmlDeviceGetHandleByPciBusId_v2");
  *(void **)&c->total_energy = dlsym(c->library, "nvmlDeviceGetTotalEnergyConsumption");
  *(void **)&c->mig_mode = dlsym(c->library, "nvmlDeviceGetMigMode");
  *(void **)&c->power_limit = dlsym(c->library, "nvmlDeviceGetEnforcedPowerLimit");
  *(void **)&c->clock = dlsym(c->library, "nvmlDeviceGetClockInfo");
  *(void **)&c->most_clock = dlsym(c->library, "nvmlDeviceGetMaxClockInfo");
  *(void **)&c->ecc_mode = dlsym(c->library, "nvmlDeviceGetEccMode");
  *(void **)&c->reasons = dlsym(c->library, "nvmlDeviceGetCurrentClocksThrottleReasons");
  return true;
}

static const char *text_of(const calls *c, int code)
{
  const char *text = c->error_text ? c->error_text(code) : NULL;
  return text ? text : "unknown error";
}

static bool begin(calls *c, char why[NVML_WHY])
{
  if (!load(c, why)) return false;
  const int code = c->init && c->shut_down ? c->init() : -1;
  if (code == SUCCESS) return true;
  snprintf(why, NVML_WHY, "libnvidia-ml.so.1 does not start: %.70s", text_of(c, code));
  dlclose(c->library);
  return false;
}

static void end(calls *c)
{
  c->shut_down();
  dlclose(c->library);
}

void nvml_driver_version(char text[64])
{
  char why[NVML_WHY];
  calls c;
  *text = '\0';
  if (!begin(&c, why)) return;
  if (!c.driver_version || c.driver_version(text, 64) != SUCCESS) *text = '\0';
  end(&c);
}

/* ---- a GPU ---- */

nvml_gpu *nvml_open(const char *bus, char why[NVML_WHY])
{
  char full[64];
  nvml_gpu *gpu = calloc(1, sizeof *gpu);
  *why = '\0';
  snprintf(full, sizeof full, "%.32s.0", bus);
  if (!gpu) {
    snprintf(why, NVML_WHY, "no memory is left");
  } else if (!*bus) {
    snprintf(why, NVML_WHY, "the GPU's place on the PCI bus is not known");
  } else if (begin(&gpu->nvml, why)) {
    const int code = gpu->nvml.by_bus ? gpu->nvml.by_bus(full, &gpu->device) : -1;
    if (code == SUCCESS) return gpu;
    snprintf(why, NVML_WHY, "it knows no GPU %s: %.70s", full, text_of(&gpu->nvml, code));
    end(&gpu->nvml);
  }
  free(gpu);
  return NULL;
}

void nvml_close(nvml_gpu **gpu)
{
  if (!*gpu) return;
  end(&(*gpu)->nvml);
  free(*gpu);
  *gpu = NULL;
}

const char *nvml_energy(nvml_gpu *gpu, uint64_t *millijoules)
{
  const calls *const c = &gpu->nvml;
  unsigned long long read = 0;
  unsigned current = 0, pending = 0;
  if (c->mig_mode && c->mig_mode(gpu->device, &current, &pending) == SUCCESS && current)
    return "the GPU is split by MIG, and its counter is that of all parts";
  if (!c->total_energy) return "this driver has no counter of energy";
  const int code = c->total_energy(gpu->device, &read);
  *millijoules = read;
  return code == SUCCESS ? NULL : text_of(c, code);
}

/* ---- state ---- */

nvml_state nvml_state_unknown(void)
{
  return (nvml_state){.power_limit = NAN, .ecc = -1};
}

static int clock_of(int (*call)(device, int, unsigned *), device gpu, int which)
{
  unsigned mhz = 0;
  return call && call(gpu, which, &mhz) == SUCCESS ? (int)mhz : 0;
}

void nvml_read_state(nvml_gpu *gpu, nvml_state *s)
{
  const calls *const c = &gpu->nvml;
  const device d = gpu->device;
  unsigned milliwatts;
  unsigned long long bits;
  int on, pending;
  s->sm = clock_of(c->clock, d, CLOCK_SM);
  s->memory = clock_of(c->clock, d, CLOCK_MEMORY);
  s->sm_max = clock_of(c->most_clock, d, CLOCK_SM);
  s->memory_max = clock_of(c->most_clock, d, CLOCK_MEMORY);
  if (c->power_limit && c->power_limit(d, &milliwatts) == SUCCESS)
    s->power_limit = 1e-3 * milliwatts;
  if (c->ecc_mode && c->ecc_mode(d, &on, &pending) == SUCCESS) s->ecc = on != 0;
  if (!c->reasons || c->reasons(d, &bits) != SUCCESS) return;
  s->has_reasons = true;
  for (int n = 0; n < NVML_REASONS; n++)
    s->reason[n] = s->reason[n] || (bits >> n & 1);
}

const char *nvml_reason_name(int reason)
{
  static const char *const names[NVML_REASONS] = {"gpu_idle",
                                                  "applications_clocks_setting",
                                                  "sw_power_cap",
                                                  "hw_slowdown",
                                                  "sync_boost",
                                                  "sw_thermal_slowdown",
                                                  "hw_thermal_slowdown",
                                                  "hw_power_brake_slowdown",
                                                  "display_clock_setting"};
  return names[reason];
}
