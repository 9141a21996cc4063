/* Energy counters of this host: RAPL's of processor packages and memory (Linux, /sys/class/powercap) and NVML's of a
 * GPU. Nothing is estimated: a part whose counter cannot be read is lost, and `why` tells it. Whoever calls these sees
 * to it that no two processes count the same part. */
#ifndef ENERGY_H
#define ENERGY_H

#include "common/gpu/nvml.h"

#include <stdbool.h>
#include <stdint.h>

enum { ENERGY_PARTS = 48, ENERGY_NAME = 48, ENERGY_WHY = 320, ENERGY_PATH = 256 };

typedef enum energy_kind { ENERGY_PACKAGE, ENERGY_DRAM, ENERGY_GPU, ENERGY_KINDS } energy_kind;
typedef enum energy_source { ENERGY_RAPL, ENERGY_NVML, ENERGY_SOURCES } energy_source;

/* A component with a counter of its own. */
typedef struct energy_part {
  energy_kind kind;
  bool lost;
  char name[ENERGY_NAME];
  double joules;     /* since energy_begin */
  double idle_watts; /* NaN: not measured */
} energy_part;

typedef struct energy_meter {
  int num_parts;
  energy_part part[ENERGY_PARTS];
  char why[ENERGY_SOURCES]
          [ENERGY_WHY]; /* why a part of it is lost, or there is none; "" otherwise */
  /* the counters behind the parts */
  struct {
    char path[ENERGY_PATH]; /* of RAPL's file */
    uint64_t last, range;   /* in its own unit; 0: it does not wrap */
  } counter[ENERGY_PARTS];
  nvml_gpu *gpu;
  double read_at; /* of the monotonic clock */
} energy_meter;

/* Adds the packages and memories below a folder as /sys/class/powercap. */
void energy_find_rapl(energy_meter *m, const char *folder);
/* Adds a GPU by its place on the PCI bus. At most one. */
void energy_find_gpu(energy_meter *m, const char *bus);
/* Counts from 0 on. */
void energy_begin(energy_meter *m);
/* Adds what was used since the last reading. If a counter may have wrapped twice since then, as many do in 65 s at 1 kW, its
 * part is lost. */
void energy_add(energy_meter *m);
/* The parts that have counted nothing since energy_begin, as those of some virtual machines, are lost. */
void energy_end(energy_meter *m);
/* Takes what was counted in so many seconds for the idle power. */
void energy_set_idle(energy_meter *m, double seconds);
void energy_close(energy_meter *m);

#endif
