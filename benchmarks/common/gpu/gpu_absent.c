/* Without CUDA there is no GPU, and nothing that NVML could tell of it. */
#include "common/gpu/gpu.h"
#include "common/gpu/nvml.h"
#include "common/kit/absent.h"

#include <math.h>
#include <stdio.h>

static const char without[] = "this program was built without CUDA";

ABSENT(void gpu_versions(int *driver, int *runtime), *driver = *runtime = 0)
ABSENT(void gpu_bus(int ordinal, char text[32]), *text = '\0')
ABSENT(gpu_copy *gpu_copy_create(int ordinal, size_t bytes), return NULL)
ABSENT(bool gpu_copy_run(gpu_copy *copy, int times), return false)
ABSENT(void gpu_copy_destroy(gpu_copy **copy), *copy = NULL)

ABSENT(void nvml_driver_version(char text[64]), *text = '\0')
ABSENT(nvml_gpu *nvml_open(const char *bus, char why[NVML_WHY]),
       snprintf(why, NVML_WHY, "%s", without);
       return NULL)
ABSENT(void nvml_close(nvml_gpu **gpu), *gpu = NULL)
ABSENT(const char *nvml_energy(nvml_gpu *gpu, uint64_t *millijoules), return without)
ABSENT(nvml_state nvml_state_unknown(void), return ((nvml_state){.power_limit = NAN, .ecc = -1}))
ABSENT(void nvml_read_state(nvml_gpu *gpu, nvml_state *state), *state = nvml_state_unknown())
ABSENT(const char *nvml_reason_name(int reason), return "")
