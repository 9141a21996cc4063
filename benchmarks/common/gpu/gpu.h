/* What hymg.h does not tell of a GPU: versions, its place in the machine, the rate of a copy
 * (gpu.cu; gpu_absent.c without CUDA). */
#ifndef COMMON_GPU_H
#define COMMON_GPU_H

#include <stdbool.h>
#include <stddef.h>

/* Of CUDA as it runs: 13000 for 13.0; 0: unknown. driver: the newest that the driver supports. */
void gpu_versions(int *driver, int *runtime);
/* PCI domain, bus and device, as in "0000:1b:00"; "" if unknown. */
void gpu_bus(int ordinal, char text[32]);

/* Two arrays on the device and a stream; NULL: not enough memory, or no CUDA. */
typedef struct gpu_copy gpu_copy;
gpu_copy *gpu_copy_create(int ordinal, size_t bytes);
/* Copies one array to the other `times` times and waits for the last. False: it failed. */
bool gpu_copy_run(gpu_copy *copy, int times);
void gpu_copy_destroy(gpu_copy **copy);

#endif
