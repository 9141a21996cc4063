/* What the run is on: host, processor, memory, date. */
#ifndef FV_MACHINE_H
#define FV_MACHINE_H

typedef struct fv_machine {
  char date[32]; /* ISO 8601, UTC */
  char host[128];
  char cpu[128];
  int cores;     /* online processors of this host */
  double memory; /* bytes of this host, 0 if unknown */
} fv_machine;

fv_machine fv_machine_info(void);
/* The most bytes this process has held so far. */
double fv_peak_bytes(void);
/* Seconds of a clock that only rises. */
double fv_clock(void);

#endif
