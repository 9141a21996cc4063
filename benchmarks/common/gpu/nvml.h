/* What NVML, the management library of NVIDIA's driver, tells of a GPU: energy, limits and state (nvml.c; gpu_absent.c
 * without CUDA). The library is loaded as the program runs, so that the program needs none of its headers and starts
 * without it. */
#ifndef COMMON_NVML_H
#define COMMON_NVML_H

#include <stdbool.h>
#include <stdint.h>

enum { NVML_WHY = 160, NVML_REASONS = 9 };

typedef struct nvml_gpu nvml_gpu;

/* bus: as gpu_bus has it, "0000:1b:00". NULL: `why` tells it. */
nvml_gpu *nvml_open(const char *bus, char why[NVML_WHY]);
void nvml_close(nvml_gpu **gpu);

/* Millijoules of the whole card since its driver was loaded. NULL, or why there is no such counter: the GPU's
 * architecture lacks it, or the card is split by MIG, and others may use the other parts. */
const char *nvml_energy(nvml_gpu *gpu, uint64_t *millijoules);

typedef struct nvml_state {
  double power_limit;                 /* W; NaN: unknown */
  int sm, memory, sm_max, memory_max; /* clocks in MHz; 0: unknown */
  int ecc;                            /* 1: on, 0: off; -1: unknown */
  bool has_reasons;                   /* are the following known? */
  bool reason[NVML_REASONS]; /* why clocks are below their maximum, at any of the readings */
} nvml_state;

/* Nothing is known. */
nvml_state nvml_state_unknown(void);
/* Reads all anew; reasons are added. */
void nvml_read_state(nvml_gpu *gpu, nvml_state *state);
/* As NVML names it, in small letters. */
const char *nvml_reason_name(int reason);

/* Version of the GPUs' driver; "" if unknown. */
void nvml_driver_version(char text[64]);

#endif
