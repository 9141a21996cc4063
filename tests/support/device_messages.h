/* What MPI says of messages of device memory, as a test wants it. A program that includes it answers in MPI's place. */
#ifndef SUPPORT_DEVICE_MESSAGES_H
#define SUPPORT_DEVICE_MESSAGES_H

#include "support/gpu.h"
#include "support/twin.h"

#include <dlfcn.h>

static int pretended = -1; /* -1: as it is */

int MPIX_Query_cuda_support(void);

/* Comes before the symbol of MPI in search order. */
int MPIX_Query_cuda_support(void)
{
  if (pretended >= 0) return pretended;
  int (*real)(void) = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "MPIX_Query_cuda_support");
  return real ? real() : 0;
}

/* Device memory of the emulation is host memory once access is enabled. */
static inline void pretend(int answer)
{
  if (!twin_emulated()) return;
  pretended = answer;
  support_gpu_emulate("OPEN", answer == 1 ? "1" : NULL);
}

#endif
