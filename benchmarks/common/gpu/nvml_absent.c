/* Without CUDA there is no GPU to tell about. */
#include "common/gpu/nvml.h"

#include <math.h>
#include <stdio.h>

nvml_gpu *nvml_open(const char *bus, char why[NVML_WHY])
{
  (void)bus;
  snprintf(why, NVML_WHY, "this program was built without CUDA");
  return NULL;
}

void nvml_close(nvml_gpu **gpu)
{
  *gpu = NULL;
}

const char *nvml_energy(nvml_gpu *gpu, uint64_t *millijoules)
{
  (void)gpu;
  *millijoules = 0;
  return "this program was built without CUDA";
}

nvml_state nvml_state_unknown(void)
{
  return (nvml_state){.power_limit = NAN, .ecc = -1};
}

void nvml_read_state(nvml_gpu *gpu, nvml_state *state)
{
  (void)gpu;
  *state = nvml_state_unknown();
}

const char *nvml_reason_name(int reason)
{
  (void)reason;
  return "";
}

void nvml_driver_version(char text[64])
{
  *text = '\0';
}
