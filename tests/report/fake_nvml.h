/* What the library of fake_nvml.c answers; its symbol `fake`. */
#ifndef FAKE_NVML_H
#define FAKE_NVML_H

enum { FAKE_NOT_SUPPORTED = 3 };

typedef struct fake_nvml {
  int init_code, energy_code, state_code; /* what calls return; 0: they succeed */
  int users;                              /* starts without an end */
  unsigned mig, power_limit, clock;       /* mW; MHz */
  int ecc;
  unsigned long long millijoules, reasons;
} fake_nvml;

#endif
